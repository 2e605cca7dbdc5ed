//! The explanation of an item as a page: rules, scores, and judge outputs.

use serde_json::Value;

use crate::panes::filters::role;
use crate::panes::outcome_word;
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text::clean;
use benchtop_model::scoring::queries::{ExplainedScore, Explanation};
use benchtop_model::scoring::{Outcome, ScoreState};

/// Width of the label column.
const LABEL: u16 = 14;
/// Nesting levels of a detail that are shown as entries. Deeper levels stay JSON.
const LEVELS: usize = 3;

/// Adds a labeled line.
fn add(page: Page, label: &str, text: impl Into<String>, role: Role) -> Page {
    page.entry(label, LABEL, text, role)
}

/// The page: the outcome of the rules and the reasons for it, then every score.
pub fn page(e: &Explanation) -> Page {
    let outcome = outcome_word(e.outcome);
    let mut page = Page::new(format!("#{}: {outcome} by the rules", e.number));
    if e.overridden {
        let text = match e.outcome {
            Outcome::Kept => "rejected by an annotator, but no rule caught it (a miss)",
            _ => "accepted by an annotator: overrides the rules (a false alarm)",
        };
        page = add(page, "annotator", text, Role::Accent);
    }
    for chip in &e.chips {
        let (outcome, words) = (
            chip.then.outcome(),
            format!("{}: {}", chip.rule, chip.words),
        );
        page = add(page, outcome_word(outcome), words, role(outcome));
    }
    if e.chips.is_empty() {
        page = add(page, "rules", "none applies", role(e.outcome));
    }
    page = match e.nearest_accepted {
        Some((number, cosine)) => {
            let text = format!("#{number}: most similar accepted picture, cosine {cosine:.3}");
            add(page, "nearest", text, Role::Text)
        }
        None => {
            let text = "no accepted item has an embedded picture";
            add(page, "nearest", text, Role::Dim)
        }
    };
    if e.scores.is_empty() {
        return page
            .paragraph("")
            .paragraph("No scores yet. Score items in the Filters pane.");
    }
    e.scores.iter().fold(page, score)
}

fn score(mut page: Page, s: &ExplainedScore) -> Page {
    page = page.heading(s.scorer.name()).paragraph(s.scorer.help());
    if s.out_of_date {
        let text = "the picture or text changed since; needs scoring again";
        page = add(page, "out of date", text, Role::Warn);
    }
    match s.state {
        ScoreState::Scored => {
            for (scale, value) in &s.values {
                page = add(page, scale, format!("{value:.4}"), Role::Text);
            }
        }
        state => {
            let text = format!("none: {}", state.name());
            page = add(page, "score", text, Role::Warn);
        }
    }
    if let Some(counted) = s.counted {
        page = add(page, "counted", counted.to_string(), Role::Text);
    }
    if let Some(share) = s.percentile {
        let text = format!("{:.1} % of the scored items score worse", 100.0 * share);
        page = add(page, "percentile", text, Role::Text);
    }
    for (words, holds) in &s.conditions {
        let (text, role) = if *holds {
            ("holds", Role::Flag)
        } else {
            ("does not hold", Role::Good)
        };
        page = add(page, "condition", format!("{words}: {text}"), role);
    }
    for (label, text) in details(&s.detail) {
        let role = if label.contains("fail") {
            Role::Bad
        } else {
            Role::Dim
        };
        page = add(page, &label, text, role);
    }
    if s.version.is_empty() {
        page
    } else {
        add(page, "scored by", s.version.clone(), Role::Dim)
    }
}

/// The details of a scorer as entries. Text that is not JSON is a single entry.
fn details(detail: &str) -> Vec<(String, String)> {
    match serde_json::from_str::<Value>(detail) {
        _ if detail.trim().is_empty() => vec![],
        Ok(value) => {
            let mut out = Vec::new();
            unfold("detail", &value, LEVELS, &mut out);
            out
        }
        Err(_) => vec![("detail".into(), clean(detail))],
    }
}

fn unfold(name: &str, value: &Value, levels: usize, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if levels > 0 => {
            fields
                .iter()
                .for_each(|(name, value)| unfold(name, value, levels - 1, out));
        }
        Value::Array(list) if levels > 0 && list.iter().any(|v| v.is_object() || v.is_array()) => {
            for (at, value) in list.iter().enumerate() {
                let one = match value {
                    Value::Object(fields) => fields
                        .iter()
                        .map(|(name, value)| format!("{name}: {}", plain(value)))
                        .collect::<Vec<_>>()
                        .join("; "),
                    other => plain(other),
                };
                out.push((format!("{name} {}", at + 1), one));
            }
        }
        other => out.push((name.into(), plain(other))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Null => "null".into(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::scoring::Scorer;
    use benchtop_model::scoring::queries::MatchingRule;
    use benchtop_model::scoring::rules::RuleAction;

    fn judged() -> ExplainedScore {
        ExplainedScore {
            scorer: Scorer::Judge("fits".into()),
            state: ScoreState::Scored,
            values: vec![("judge/fits".into(), 0.0)],
            percentile: Some(0.0),
            conditions: vec![("judge/fits < 0.5".into(), true)],
            detail: r#"{"question":"Is there an owl?","raw":"No.","failed":["owl","moon"],
                        "answers":[{"question":"an owl?","answer":"no"},{"question":"a moon?","answer":"no"}]}"#
                .into(),
            version: "qwen2-vl 1f3a".into(),
            out_of_date: true,
            counted: None,
        }
    }

    #[test]
    fn the_page_has_rules_scores_and_failed_questions() {
        let clip = ExplainedScore {
            scorer: Scorer::Clip,
            values: vec![("clip".into(), 21.3), ("clip.cosine".into(), 0.213)],
            percentile: Some(0.0612),
            conditions: vec![("clip < 25".into(), true)],
            detail: String::new(),
            out_of_date: false,
            ..judged()
        };
        let e = Explanation {
            number: 7,
            outcome: Outcome::Flagged,
            chips: vec![MatchingRule {
                rule: "weak match".into(),
                then: RuleAction::Flag,
                words: "clip 21.3 < 25".into(),
            }],
            scores: vec![clip, judged()],
            nearest_accepted: Some((12, 0.91)),
            overridden: true,
        };
        let text = page(&e).text();
        for part in [
            "#7: flagged by the rules",
            "overrides",
            "weak match: clip 21.3 < 25",
            "#12: ",
            "clip.cosine  0.2130",
            "6.1 %",
            "clip < 25: holds",
            "question  Is there an owl?",
            "failed  owl, moon",
            "answers 2  question: a moon?; answer: no",
            "out of date",
            "scored by  qwen2-vl 1f3a",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn missing_scores_and_plain_text_details_are_shown() {
        let mut one = judged();
        (one.state, one.detail, one.values) = (ScoreState::Unparsed, "it may\nbe".into(), vec![]);
        let e = Explanation {
            number: 1,
            scores: vec![one],
            ..Explanation::default()
        };
        let text = page(&e).text();
        assert!(
            text.contains("none: unparsed") && text.contains("detail  it may be"),
            "{text}"
        );
        assert!(text.contains("rules") && text.contains("nearest"), "{text}");
        assert!(
            page(&Explanation::default())
                .text()
                .contains("No scores yet")
        );
        assert_eq!(
            details("{\"a\":{\"b\":{\"c\":{\"d\":1}}},\"e\":null}"),
            [
                ("c".into(), "{\"d\":1}".to_string()),
                ("e".into(), "null".into())
            ]
        );
    }
}
