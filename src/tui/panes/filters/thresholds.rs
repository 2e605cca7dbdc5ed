//! The two thresholds of a score: their rules, their scale, and moving them.

use benchtop_model::scoring::rules::{Condition, RuleAction, RuleSet, Test, Threshold};
use benchtop_model::scoring::{Measure, Scale, Scorer, SuspiciousEnd};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stride {
    /// A tenth of a bar.
    Fine,
    /// One bar.
    Bar,
    /// Ten bars.
    Far,
}

/// Rounds to six significant digits; single precision has no more.
pub(super) fn tidy(number: f32) -> f64 {
    format!("{number:.5e}")
        .parse()
        .unwrap_or_else(|_| f64::from(number))
}

/// A threshold as text: `24.0`, `0.255`.
pub(super) fn number(number: f32) -> String {
    let text = tidy(number).to_string();
    if text.contains('.') {
        text
    } else {
        format!("{text}.0")
    }
}

/// The number of decimals that distinguish values in this span.
pub(super) fn decimals(span: f32) -> usize {
    match span {
        s if s >= 20.0 => 1,
        s if s >= 2.0 => 2,
        s if s >= 0.2 => 3,
        _ => 4,
    }
}

/// The step of one bar: 1, 2, or 5 times a power of ten, nearest to the width of a bar.
pub(super) fn step(span: f32, bars: u16) -> f64 {
    let wide = f64::from(span) / f64::from(bars.max(1));
    if !(wide.is_finite() && wide > 0.0) {
        return 0.1;
    }
    let ten = 10f64.powf(wide.log10().floor());
    let far = |step: &f64| (step / wide).ln().abs();
    let steps = [1.0, 2.0, 5.0, 10.0].map(|n| n * ten);
    steps
        .into_iter()
        .min_by(|a, b| far(a).total_cmp(&far(b)))
        .unwrap_or(ten)
}

/// `from` moved up or down to the next round number.
pub(super) fn moved(from: f32, up: bool, stride: Stride, bar: f64) -> f32 {
    let (step, times) = match stride {
        Stride::Fine => (bar / 10.0, 1.0),
        Stride::Bar => (bar, 1.0),
        Stride::Far => (bar, 10.0),
    };
    // Rounding errors must not count as a step.
    let at = tidy(from) / step;
    let to = if up {
        (at + 1e-3).floor() + times
    } else {
        (at - 1e-3).ceil() - times
    };
    (to * step) as f32
}

/// A round number in a column of a scale from `ends.0` to `ends.1`.
pub(super) fn in_column(column: u16, columns: u16, ends: (f32, f32)) -> f32 {
    let (low, span) = (f64::from(ends.0), f64::from(ends.1 - ends.0));
    let wide = span / f64::from(columns.max(1));
    if !(wide.is_finite() && wide > 0.0) {
        return ends.0;
    }
    let middle = low + wide * (f64::from(column) + 0.5);
    // At an edge, rounding errors could lead to the next column.
    let is_inside = |value: &f64| (value - middle).abs() < wide * 0.45;
    let bar = step(ends.1 - ends.0, columns);
    let steps = [bar, bar / 2.0, bar / 10.0, bar / 100.0].into_iter();
    let mut round = steps.map(|step| (middle / step).round() * step);
    tidy(round.find(is_inside).unwrap_or(middle) as f32) as f32
}

/// The score and its scale in words.
pub(super) fn scale_words(measure: &Measure, logit: f32) -> String {
    let model = if measure.scorer == Scorer::Siglip {
        "SigLIP"
    } else {
        "CLIP"
    };
    match (&measure.scorer, measure.scale) {
        (Scorer::Clip | Scorer::Siglip, Scale::Logit) => {
            format!("{model} logit ({} x cosine)", tidy(logit))
        }
        (Scorer::Clip | Scorer::Siglip, Scale::Raw) => {
            format!("{model} cosine of picture and prompt")
        }
        (_, Scale::ClipScore) => {
            format!("{model}Score (2.5 x cosine, never below 0)").replace("SigLIPScore", "score")
        }
        (scorer, _) => scorer.help().to_string(),
    }
}

/// The doubtful side of a threshold: `below` or `above`.
pub(super) fn doubtful_side(measure: &Measure) -> &'static str {
    if measure.scorer.suspicious_end() == SuspiciousEnd::Low {
        "below"
    } else {
        "above"
    }
}

/// The condition of the rule that has nothing but this scorer's threshold, on any scale.
fn condition<'r>(rules: &'r RuleSet, measure: &Measure, then: RuleAction) -> Option<&'r Condition> {
    let alone =
        |scale: &Measure| {
            rules.rules.iter().filter(|r| r.then == then).find_map(|r| {
                match r.conditions.as_slice() {
                    [one] if one.score == *scale && !matches!(one.test, Test::Is(_)) => Some(one),
                    _ => None,
                }
            })
        };
    measure.scales().iter().find_map(alone)
}

/// The threshold on the scale of `measure`. A subtask's own one comes first.
pub(super) fn line(
    rules: &RuleSet,
    measure: &Measure,
    then: RuleAction,
    subtask: Option<&str>,
    logit: f32,
) -> Option<f32> {
    let condition = condition(rules, measure, then)?;
    let written = condition.threshold(subtask.unwrap_or_default())?.get();
    let shown = on_scale(&condition.score, measure, written, logit);
    shown.is_finite().then(|| tidy(shown) as f32)
}

/// The threshold of a subtask, if it has its own.
pub(super) fn own_line(
    rules: &RuleSet,
    measure: &Measure,
    then: RuleAction,
    subtask: &str,
    logit: f32,
) -> Option<f32> {
    let has = condition(rules, measure, then)?
        .subtasks
        .contains_key(subtask);
    has.then(|| line(rules, measure, then, Some(subtask), logit))
        .flatten()
}

/// The rules with the threshold moved or removed.
pub(super) fn with_line(
    rules: &RuleSet,
    measure: &Measure,
    then: RuleAction,
    subtask: Option<&str>,
    to: Option<f32>,
    logit: f32,
) -> RuleSet {
    let written = condition(rules, measure, then).map_or(measure, |c| &c.score);
    let threshold = to
        .map(|to| on_scale(measure, written, to, logit))
        .and_then(|to| Threshold::new(tidy(to)));
    // Ignore numbers that no scale can hold.
    if to.is_some() && threshold.is_none() {
        rules.clone()
    } else {
        rules.with(written, then, subtask, threshold)
    }
}

fn on_scale(from: &Measure, to: &Measure, value: f32, logit: f32) -> f32 {
    if from == to {
        value
    } else {
        to.shown(from.from_scale(value, logit), logit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str) -> Measure {
        name.parse().unwrap()
    }

    #[test]
    fn steps_are_round_numbers_near_the_width_of_a_bar() {
        assert_eq!(
            [
                step(32.9, 64),
                step(0.33, 64),
                step(100.0, 100),
                step(7.0, 100)
            ],
            [0.5, 0.005, 1.0, 0.05]
        );
        for (span, bars) in [(0.0, 10), (f32::NAN, 10), (-1.0, 10), (1.0, 0)] {
            assert!(step(span, bars) > 0.0, "{span} {bars}");
        }
    }

    #[test]
    fn a_step_goes_to_the_next_round_number() {
        assert_eq!(moved(24.3, true, Stride::Bar, 0.5), 24.5);
        assert_eq!(moved(24.3, false, Stride::Bar, 0.5), 24.0);
        assert_eq!(moved(24.0, true, Stride::Far, 0.5), 29.0);
        assert_eq!(number(moved(24.0, true, Stride::Fine, 0.5)), "24.05");
        let mut at = 0.2f32;
        for _ in 0..1000 {
            at = moved(at, true, Stride::Fine, 0.05);
        }
        assert_eq!(number(at), "5.2", "rounding errors do not add up");
        for _ in 0..1000 {
            at = moved(at, false, Stride::Fine, 0.05);
        }
        assert_eq!(number(at), "0.2");
    }

    #[test]
    fn every_column_has_a_round_number() {
        for (ends, columns) in [
            ((10.0, 40.0), 64),
            ((0.1, 0.4), 91),
            ((-3.0, 3.0), 7),
            ((0.0, 1.0), 400),
        ] {
            for column in 0..columns {
                let value = in_column(column, columns, ends);
                let there = super::super::histogram::column(value, ends, columns);
                assert_eq!(there, (column, false, false), "{value} {ends:?}");
                assert!(number(value).len() <= 8, "{value}");
            }
        }
        assert_eq!(in_column(3, 10, (10.0, 20.0)), 13.5);
        assert_eq!(in_column(30, 60, (10.0, 40.0)), 25.25);
        assert_eq!(in_column(0, 0, (5.0, 5.0)), 5.0);
    }

    #[test]
    fn a_threshold_converts_between_scales_and_keeps_its_own() {
        let (logit, cosine, clipscore) = (
            measure("clip"),
            measure("clip.cosine"),
            measure("clip.clipscore"),
        );
        let set = with_line(
            &RuleSet::default(),
            &logit,
            RuleAction::Flag,
            None,
            Some(24.1),
            100.0,
        );
        assert_eq!(set.rules[0].describe(), "flag if clip < 24.1");
        assert_eq!(
            line(&set, &cosine, RuleAction::Flag, None, 100.0),
            Some(0.241)
        );
        assert_eq!(
            line(&set, &clipscore, RuleAction::Flag, None, 100.0),
            Some(0.6025)
        );
        let set = with_line(&set, &cosine, RuleAction::Flag, None, Some(0.25), 100.0);
        assert_eq!(
            set.rules[0].describe(),
            "flag if clip < 25",
            "one rule, on its own scale"
        );
        let set = with_line(
            &set,
            &logit,
            RuleAction::Flag,
            Some("text"),
            Some(22.5),
            100.0,
        );
        assert_eq!(
            line(&set, &cosine, RuleAction::Flag, Some("text"), 100.0),
            Some(0.225)
        );
        assert_eq!(
            own_line(&set, &logit, RuleAction::Flag, "text", 100.0),
            Some(22.5)
        );
        assert_eq!(
            own_line(&set, &logit, RuleAction::Flag, "animal", 100.0),
            None
        );
        assert_eq!(
            line(&set, &logit, RuleAction::Flag, Some("animal"), 100.0),
            Some(25.0)
        );
        assert_eq!(line(&set, &logit, RuleAction::Park, None, 100.0), None);
        // CLIPScore is never negative, so no cosine matches.
        assert_eq!(
            with_line(&set, &clipscore, RuleAction::Flag, None, Some(-1.0), 100.0),
            set
        );
        assert_eq!(
            with_line(&set, &cosine, RuleAction::Flag, None, None, 100.0),
            RuleSet::default()
        );
    }

    #[test]
    fn scales_are_named() {
        assert_eq!(
            scale_words(&measure("clip"), 100.0),
            "CLIP logit (100 x cosine)"
        );
        assert_eq!(
            scale_words(&measure("clip.clipscore"), 100.0),
            "CLIPScore (2.5 x cosine, never below 0)"
        );
        assert!(scale_words(&measure("siglip"), 1.0).starts_with("SigLIP cosine"));
        assert_eq!(
            (
                doubtful_side(&measure("clip")),
                doubtful_side(&measure("safety"))
            ),
            ("below", "above")
        );
    }
}
