//! Sentences on how a round was done and how steady its people were, to stand around the methods paragraph.

use super::methods::{counted, grouped};
use super::quality::rate;
use benchtop_model::agreement::analysis::PersonQuality;
use benchtop_model::annotator::Rate;
use benchtop_model::round::{Order, Protocol, Round};

/// When a protocol keeps an item, in words that follow "an item is kept".
fn rule(protocol: Protocol) -> String {
    match protocol {
        Protocol::Single => "if the last word on it accepts it".into(),
        Protocol::BothAccept => "only if both of two people accept it".into(),
        Protocol::Majority(votes) => format!(
            "if at least {} of {} people accept it",
            votes.k(),
            votes.n()
        ),
        Protocol::Equivalence => {
            "only if both of two people say that the change leaves the answer the same".into()
        }
        Protocol::Audit => "unless whoever looks through it finds something wrong".into(),
        Protocol::Answer => "whatever is said: questions are answered without their key".into(),
        Protocol::Refusal => "if at least 3 of 5 people say that only the refusal is right".into(),
    }
}

/// What was asked in a round, and how.
pub fn round_sentences(round: &Round) -> String {
    let view = match round.blind {
        true => {
            "Nobody saw what others or machines said of an item before their own verdict on it was in"
        }
        false => "What others and machines said of an item could be seen",
    };
    let order = match round.order {
        Order::Seeded => "everybody had an order of their own, drawn at random",
        Order::AsListed => "everybody had the same order",
    };
    let mut text = format!(
        "{} an item {} asked about {} of {} under the protocol `{}`: an item is kept {}. {view}, and {order} (seed {}).",
        if round.overlap == 1 {
            "1 person".to_string()
        } else {
            format!("{} people", round.overlap)
        },
        if round.overlap == 1 { "was" } else { "were" },
        counted(round.items.len() as u64, "item"),
        counted(round.origin.candidates, "candidate"),
        round.protocol,
        rule(round.protocol),
        round.seed
    );
    if !round.calibration.is_empty() {
        let bad = round.calibration.iter().filter(|gold| !gold.good).count() as u64;
        text.push_str(&format!(
            " Each of them practised first on {}, {} of them bad, with an answer at once.",
            counted(round.calibration.len() as u64, "known item"),
            grouped(bad)
        ));
    }
    text
}

/// The same parts of all people together.
fn together(quality: &[PersonQuality], of: impl Fn(&PersonQuality) -> Rate) -> Rate {
    let (count, all) = quality
        .iter()
        .map(of)
        .fold((0, 0), |(k, n), rate| (k + rate.count, n + rate.of));
    // No part is larger than its whole, and so is no sum of them.
    rate(count, all).unwrap_or(Rate {
        count,
        of: all,
        interval: None,
    })
}

/// First verdicts that were changed by a second one of the same person, of all people together.
pub fn revised(quality: &[PersonQuality]) -> Rate {
    together(quality, |q| q.revised)
}

/// "4 (10.0 % [3.1, 27.8])".
fn share(rate: Rate) -> String {
    let (share, interval) = (
        rate.share().unwrap_or_default(),
        rate.interval.unwrap_or((0.0, 1.0)),
    );
    let percent = |value: f64| format!("{:.1}", value * 100.0);
    format!(
        "{} ({} % [{}, {}])",
        grouped(rate.count),
        percent(share),
        percent(interval.0),
        percent(interval.1)
    )
}

/// How steady and how right the people of a round were together: repeats, probes and second verdicts.
pub fn quality_sentences(quality: &[PersonQuality]) -> String {
    let mut said = Vec::new();
    let same = together(quality, |q| q.repeats.same);
    if same.of > 0 {
        let shown = counted(same.of, "item");
        said.push(format!(
            "Of {shown} shown a second time to the same person, {} got the same verdict.",
            share(same)
        ));
    }
    let (misses, rejects) = (
        together(quality, |q| q.probes.misses),
        together(quality, |q| q.probes.false_rejects),
    );
    if misses.of > 0 {
        said.push(format!(
            "Of {} mixed in silently, {} were accepted.",
            counted(misses.of, "known bad item"),
            share(misses)
        ));
    }
    if rejects.of > 0 {
        let shown = counted(rejects.of, "known good item");
        said.push(format!(
            "Of {shown} mixed in silently, {} were rejected.",
            share(rejects)
        ));
    }
    let changed = revised(quality);
    if changed.of > 0 {
        let second: u64 = quality.iter().map(|q| q.second).sum();
        let informed: u64 = quality.iter().map(|q| q.informed).sum();
        let after = match second {
            0 => String::new(),
            n => format!(
                " ({} given, {} after what others said had been shown)",
                counted(n, "second verdict"),
                grouped(informed)
            ),
        };
        said.push(format!(
            "Of {}, {} were changed by a second one of the same person{after}. Agreement is that of first verdicts.",
            counted(changed.of, "first verdict"),
            share(changed),
        ));
    }
    if !said.is_empty() {
        said.push(
            "Intervals of these shares are Wilson's (1927), over all annotators together.".into(),
        );
    }
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::quality::{probes, repeats, revisions};
    use benchtop_model::agreement::Scale;

    fn person(name: &str) -> PersonQuality {
        let scale = Scale::new(2, 0).unwrap();
        PersonQuality {
            name: name.into(),
            practice: probes([]),
            probes: probes([
                (false, Some(true)),
                (false, Some(false)),
                (true, Some(true)),
                (true, None),
            ]),
            lookalikes: probes([]),
            repeats: repeats(scale, [(0, 0), (0, 1)]).unwrap(),
            revised: revisions([(0, 0), (0, 1), (1, 1)]),
            second: 1,
            informed: 1,
        }
    }

    #[test]
    fn people_are_told_of_together() {
        let text = quality_sentences(&[person("ann"), person("bob")]);
        for part in [
            "Of 4 items shown a second time to the same person, 2 (50.0 % [15.0, 85.0]) got the same verdict.",
            "Of 4 known bad items mixed in silently, 2 (50.0 % [15.0, 85.0]) were accepted.",
            "Of 2 known good items mixed in silently, 0 (0.0 % [0.0, 65.8]) were rejected.",
            "Of 6 first verdicts, 2 (33.3 % [9.7, 70.0]) were changed by a second one of the same person (2 second verdicts \
             given, 2 after what others said had been shown). Agreement is that of first verdicts.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(quality_sentences(&[]), "");
    }
}
