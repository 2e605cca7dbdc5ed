//! `benchtop filter report`: all scorers and rules, or the effect of two thresholds on one score.

use std::borrow::Cow;

use serde_json::json;

use super::measure;
use crate::out;
use benchtop_model::scoring::queries::{
    RulesState, ScorerState, Share, Tally, ThresholdTuning, TuningQuery,
};
use benchtop_model::scoring::rules::RuleAction;
use benchtop_model::scoring::{Measure, Outcome, ScoreState};
use benchtop_model::{Error, Field, Filter, Result, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Score to report: clip (logits), clip.cosine, clip.clipscore, ocr, judge/NAME, ... [default:
    /// all]
    #[arg(value_parser = measure)]
    score: Option<Measure>,
    /// Threshold beyond which items are flagged [default: the rules' or the scorer's threshold]
    #[arg(
        long,
        value_name = "N",
        requires = "score",
        allow_negative_numbers = true
    )]
    flag: Option<f32>,
    /// Threshold beyond which items are parked [default: the rules' threshold]
    #[arg(
        long,
        value_name = "N",
        requires = "score",
        allow_negative_numbers = true
    )]
    park: Option<f32>,
    /// Group counts by subtask, style, type, level, dataset or side
    #[arg(
        long,
        default_value = "subtask",
        requires = "score",
        value_name = "PROPERTY"
    )]
    by: String,
    /// Group counts by a second property as well
    #[arg(long, requires = "score", value_name = "PROPERTY")]
    across: Option<String>,
    /// Count only items that match this filter
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        requires = "score",
        value_name = "FILTER"
    )]
    filter: String,
    /// Number of histogram bars
    #[arg(long, default_value_t = 20, requires = "score", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=400))]
    bars: u16,
    /// Report the agreement with a second score and its threshold, such as `ocr=0.8`
    #[arg(long, requires = "score", value_name = "SCORE=N", value_parser = against)]
    against: Option<(Measure, f32)>,
}

fn against(text: &str) -> std::result::Result<(Measure, f32), String> {
    let (score, line) = text
        .split_once('=')
        .ok_or("expected SCORE=N, such as ocr=0.8")?;
    let line: f32 = line
        .parse()
        .map_err(|_| format!("`{line}` is not a number"))?;
    Ok((score.parse()?, line))
}

pub fn run(client: &Client, args: &Args, json: bool) -> Result<u8> {
    match &args.score {
        None => all(client, json),
        Some(score) => one(client, score, args, json),
    }
}

fn all(client: &Client, json: bool) -> Result<u8> {
    let scorers = client.ask(request::Scorers)?;
    let rules = client.ask(request::Rules)?;
    let value = json!({"scorers": scorers, "rules": rules});
    out::report(json, &value, || scorers_and_rules(&scorers, &rules))
}

fn scorers_and_rules(scorers: &[ScorerState], rules: &RulesState) -> String {
    let mut out = String::new();
    for scorer in scorers {
        let counts = ScoreState::ALL
            .iter()
            .zip(scorer.items)
            .filter(|(_, n)| *n > 0);
        let counts: Vec<String> = counts
            .map(|(state, n)| format!("{n} {}", state.name()))
            .collect();
        out.push_str(&format!(
            "{}\t{}\t{}",
            scorer.scorer,
            counts.join(", "),
            scorer.what
        ));
        if let Some(why) = &scorer.not_ready {
            // The remedy is in the JSON, and in the error of `benchtop filter run`.
            out.push_str(&format!(
                "\tcannot run: {}",
                why.lines().next().unwrap_or_default()
            ));
        }
        out.push('\n');
    }
    let [kept, flagged, parked] = rules.tally.items;
    out.push_str(&format!(
        "\n{}: {kept} kept, {flagged} flagged, {parked} parked\n",
        out::count(rules.rules.rules.len(), "rule")
    ));
    out += &super::rules::lines(rules);
    if let Some(problem) = &rules.problem {
        out.push_str(&format!("cannot read the rules: {problem}\n"));
    }
    out
}

fn one(client: &Client, score: &Measure, args: &Args, json: bool) -> Result<u8> {
    let property = |name: &str, option: &str| {
        Field::from_name(name).ok_or_else(|| {
            Error::usage(format!("unknown property `{name}`"))
                .field(option)
                .help(format!(
                    "one of: {}",
                    Field::ALL.map(Field::name).join(", ")
                ))
        })
    };
    let by = property(&args.by, "by")?;
    let across = args
        .across
        .as_deref()
        .map(|name| property(name, "across"))
        .transpose()?;
    let rules = client.ask(request::Rules)?;
    let line = |then| rules.rules.threshold(score, then).map(|t| t.get());
    let ask = TuningQuery {
        measure: score.clone(),
        filter: Filter::parse(&args.filter)?,
        flag: args
            .flag
            .or(line(RuleAction::Flag))
            .or(Some(score.default_threshold())),
        park: args.park.or(line(RuleAction::Park)),
        by,
        value: None,
        bars: args.bars,
        range: None,
        other: args.against.clone(),
        samples: 5,
        across,
    };
    let tuning = client.ask(request::ThresholdTuning(Box::new(ask.clone())))?;
    let value = json!({"asked": {"flag": ask.flag, "park": ask.park}, "bench": tuning});
    out::report(json, &value, || text(&tuning, &ask))
}

fn share(share: Option<Share>, nothing: &str) -> String {
    match share {
        None => nothing.into(),
        Some(s) => {
            format!(
                "{:.1} % [{:.1}, {:.1}] ({} of {})",
                s.share() * 100.0,
                s.low * 100.0,
                s.high * 100.0,
                s.k,
                s.n
            )
        }
    }
}

fn counts(tally: &Tally) -> String {
    Outcome::ALL
        .iter()
        .zip(tally.items)
        .map(|(o, n)| format!("{n} {}", o.name()))
        .collect::<Vec<_>>()
        .join("\t")
}

fn named(value: &str) -> Cow<'_, str> {
    if value.is_empty() {
        "(none)".into()
    } else {
        clean::line(value)
    }
}

fn text(tuning: &ThresholdTuning, ask: &TuningQuery) -> String {
    let line = |t: Option<f32>| t.map_or("-".into(), |t| t.to_string());
    let mut out = format!(
        "{}\tflag threshold {}\tpark threshold {}\n{}\t{} without a score\n",
        tuning.measure,
        line(ask.flag),
        line(ask.park),
        counts(&tuning.tally),
        tuning.tally.without
    );
    out.push_str(&format!(
        "precision\t{}\n",
        share(tuning.precision, "no verdicts on flagged items yet")
    ));
    out.push_str(&format!(
        "recall\t{}\n",
        share(tuning.recall, "no rejected items yet")
    ));
    let most = tuning.bars.iter().copied().max().unwrap_or_default().max(1);
    let step = (tuning.ends.1 - tuning.ends.0) / tuning.bars.len().max(1) as f32;
    for (at, n) in tuning.bars.iter().enumerate() {
        let length = (n * 40).div_ceil(most) as usize;
        out.push_str(&format!(
            "{:10.3}\t{n}\t{}\n",
            tuning.ends.0 + step * at as f32,
            "#".repeat(length)
        ));
    }
    for (value, tally) in &tuning.groups {
        out.push_str(&format!("{}\t{}\n", named(value), counts(tally)));
    }
    if let Some(cross) = &tuning.cross {
        for ((value, _), items) in tuning.groups.iter().zip(&cross.items) {
            for (other, [kept, flagged, parked]) in cross
                .values
                .iter()
                .zip(items)
                .filter(|(_, i)| i.iter().sum::<u64>() > 0)
            {
                out.push_str(&format!(
                    "{}\t{}\t{kept} kept\t{flagged} flagged\t{parked} parked\n",
                    named(value),
                    named(other)
                ));
            }
        }
    }
    if let (Some([[a, b], [c, d]]), Some((measure, line))) = (tuning.pair, &ask.other) {
        let all = a + b + c + d;
        let same = if all == 0 {
            0.0
        } else {
            (a + d) as f64 * 100.0 / all as f64
        };
        out.push_str(&format!(
            "vs. {measure} at {line}\tboth keep {a}\tonly {measure} flags {b}\tonly {} flags {c}\tboth flag {d}\tagree \
             {same:.1} %\n",
            tuning.measure
        ));
    }
    for (word, list) in [
        ("barely kept", &tuning.good),
        ("barely flagged", &tuning.bad),
    ] {
        for sample in list {
            out.push_str(&format!(
                "{word}\t#{}\t{}\t{}\n",
                sample.number,
                sample.value,
                clean::line(&sample.text)
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_score_with_its_threshold() {
        assert_eq!(against("ocr=0.8").unwrap().1, 0.8);
        for wrong in ["ocr", "ocr=x", "clop=1"] {
            assert!(against(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn share_shows_its_interval_or_the_placeholder() {
        assert_eq!(share(None, "none"), "none");
        let half = Share {
            k: 1,
            n: 2,
            low: 0.095,
            high: 0.905,
        };
        assert_eq!(share(Some(half), ""), "50.0 % [9.5, 90.5] (1 of 2)");
    }
}
