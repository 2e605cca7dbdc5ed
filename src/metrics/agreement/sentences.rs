//! Sentences around the methods paragraph: how a round was done, and how consistent its annotators
//! were.

use super::methods::{counted, grouped};
use super::quality;
use benchtop_model::agreement::analysis::PersonQuality;
use benchtop_model::annotator::Rate;
use benchtop_model::round::{Order, Protocol, Round};

/// The condition under which a protocol keeps an item, after the words "an item is kept".
fn rule(protocol: Protocol) -> String {
    match protocol {
        Protocol::Single => "if its last verdict accepts it".into(),
        Protocol::BothAccept => "only if both annotators accept it".into(),
        Protocol::Majority(votes) => format!(
            "if at least {} of {} annotators accept it",
            votes.k(),
            votes.n()
        ),
        Protocol::Equivalence => {
            "only if both annotators say that the change does not affect the answer".into()
        }
        Protocol::Audit => "unless the auditor finds something wrong".into(),
        Protocol::Answer => {
            "always, because annotators answer the questions without seeing the key".into()
        }
        Protocol::Refusal => {
            "if at least 3 of 5 annotators say that only the refusal is right".into()
        }
    }
}

/// Describes the task of a round.
pub fn round_sentences(round: &Round) -> String {
    let view = match round.blind {
        true => "Annotators saw the verdicts of others and of machines only after giving their own",
        false => "Annotators could see the verdicts of others and of machines",
    };
    let order = match round.order {
        Order::Seeded => "each annotator had a separate random order",
        Order::AsListed => "all annotators had the same order",
    };
    let mut text = format!(
        "{} per item judged {}, selected from {}, under the protocol `{}`: an item is kept {}. {view}, and {order} (seed {}).",
        counted(u64::from(round.overlap), "annotator"),
        counted(round.items.len() as u64, "item"),
        counted(round.origin.candidates, "candidate"),
        round.protocol,
        rule(round.protocol),
        round.seed
    );
    if !round.calibration.is_empty() {
        let bad = round.calibration.iter().filter(|gold| !gold.good).count() as u64;
        text.push_str(&format!(
            " Each annotator first practiced on {}, {} of them bad, with immediate feedback.",
            counted(round.calibration.len() as u64, "known item"),
            grouped(bad)
        ));
    }
    text
}

/// Adds up a rate over all annotators.
fn together(quality: &[PersonQuality], of: impl Fn(&PersonQuality) -> Rate) -> Rate {
    let (count, all) = quality
        .iter()
        .map(of)
        .fold((0, 0), |(k, n), rate| (k + rate.count, n + rate.of));
    // Each rate is at most 1, and so is their sum over the sum of their totals.
    quality::share(count, all)
}

/// First verdicts that a second verdict of the same annotator changed, over all annotators.
pub fn revised(quality: &[PersonQuality]) -> Rate {
    together(quality, |q| q.revised)
}

/// Formats a rate, such as "4 (10.0 % [3.1, 27.8])".
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

/// Describes how consistent and how accurate the annotators of a round were: repeats, probes, and
/// second verdicts.
pub fn quality_sentences(quality: &[PersonQuality]) -> String {
    let mut sentences = Vec::new();
    let mut say = |rate: Rate, what: &str, shown: &str, result: &str| {
        if rate.of > 0 {
            let (of, share) = (counted(rate.of, what), share(rate));
            sentences.push(format!("Of {of}{shown}, {share} {result}."));
        }
    };
    let same = together(quality, |q| q.repeats.same);
    let shown = " shown twice to the same annotator";
    say(same, "item", shown, "got the same verdict");
    let misses = together(quality, |q| q.probes.misses);
    let shown = " mixed in without notice";
    say(misses, "known bad item", shown, "were accepted");
    let rejects = together(quality, |q| q.probes.false_rejects);
    say(rejects, "known good item", shown, "were rejected");
    let second: u64 = quality.iter().map(|q| q.second).sum();
    let informed: u64 = quality.iter().map(|q| q.informed).sum();
    let after = match second {
        0 => String::new(),
        n => format!(
            " ({} given, {} of them after the verdicts of others were shown)",
            counted(n, "second verdict"),
            grouped(informed)
        ),
    };
    let result = format!(
        "were changed by a second verdict of the same annotator{after}. Agreement is computed from first verdicts"
    );
    say(revised(quality), "first verdict", "", &result);
    if !sentences.is_empty() {
        sentences.push(
            "Intervals of these shares are Wilson intervals (Wilson, 1927) over all annotators together.".into(),
        );
    }
    sentences.join(" ")
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
    fn quality_sentences_pool_all_annotators() {
        let text = quality_sentences(&[person("ann"), person("bob")]);
        for part in [
            "4 items",
            "2 (50.0 % [15.0, 85.0])",
            "4 known bad items",
            "2 known good items",
            "0 (0.0 % [0.0, 65.8])",
            "6 first verdicts",
            "2 (33.3 % [9.7, 70.0])",
            "2 second verdicts",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(quality_sentences(&[]), "");
    }
}
