//! Labels of errors in the answers of models: what went wrong. They are events of the journals, in
//! the thread of their item, and are never overwritten.
//!
//! The labels are keys of a taxonomy in `benchtop.toml`. The default ones are those of AutoBench-V's
//! and MMMU's error analyses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::comment::{self, CommentAct, CommentEvent};
use super::hash::of_texts;
use super::taxonomy::is_within;

/// The label that one annotator gave one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorLabel {
    pub who: String,
    /// Milliseconds since 1970.
    pub at: i64,
    pub model: String,
    /// Digest of the answer; see [`digest`].
    pub answer: String,
    /// Key of the taxonomy.
    pub label: String,
}

/// Digest of an answer: 16 hex digits. A label counts for the answer that it was given to.
pub fn digest(output: Option<&str>) -> String {
    of_texts(output).to_hex()[..comment::DIGEST_DIGITS].into()
}

/// The labels after these events: the last of each annotator for each model, unless it was removed.
/// Sorted by model and annotator.
pub fn labels<'e>(events: impl Iterator<Item = &'e CommentEvent>) -> Vec<ErrorLabel> {
    let mut last: BTreeMap<(&str, &str), Option<ErrorLabel>> = BTreeMap::new();
    for event in events.filter(|event| event.counts) {
        let CommentAct::Label {
            model,
            answer,
            label,
        } = &event.act
        else {
            continue;
        };
        let given = label.as_ref().map(|label| ErrorLabel {
            who: event.who.clone(),
            at: event.at,
            model: model.clone(),
            answer: answer.clone(),
            label: label.clone(),
        });
        last.insert((model, &event.who), given);
    }
    last.into_values().flatten().collect()
}

/// Conditions on the labels of one item. One label must meet all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCondition {
    /// Keys; a key matches those below it, too. An empty one matches items without labels.
    pub label: Vec<String>,
    /// Names of models. An empty one matches items without labels.
    pub model: Vec<String>,
}

impl LabelCondition {
    /// Whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == LabelCondition::default()
    }

    /// Whether an item with these labels meets the conditions.
    pub fn passes(&self, labels: &[ErrorLabel]) -> bool {
        let none = |wanted: &[String]| wanted.is_empty() || wanted.iter().any(String::is_empty);
        let one = |given: &ErrorLabel| {
            let (label, model) = (&self.label, &self.model);
            let is_label = |wanted: &String| !wanted.is_empty() && is_within(&given.label, wanted);
            let is_model = |wanted: &String| *wanted == given.model;
            (label.is_empty() || label.iter().any(is_label))
                && (model.is_empty() || model.iter().any(is_model))
        };
        match labels {
            [] => none(&self.label) && none(&self.model),
            labels => self.is_empty() || labels.iter().any(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn event(n: u128, who: &str, model: &str, label: Option<&str>) -> CommentEvent {
        CommentEvent {
            uuid: Uuid::from_u128(n),
            rev: n as u64,
            at: n as i64,
            who: who.into(),
            on: None,
            act: CommentAct::Label {
                model: model.into(),
                answer: digest(Some("B")),
                label: label.map(String::from),
            },
            counts: true,
        }
    }

    fn given(events: &[CommentEvent]) -> Vec<(String, String, String)> {
        let all = labels(events.iter()).into_iter();
        all.map(|l| (l.model, l.who, l.label)).collect()
    }

    #[test]
    fn the_last_label_of_each_annotator_counts() {
        let mut events = vec![
            event(1, "ann", "m", Some("reasoning")),
            event(2, "bob", "m", Some("perception")),
            event(3, "ann", "m", Some("comprehension")),
            event(4, "ann", "k", Some("reasoning")),
        ];
        let of = |model: &str, who: &str, label: &str| (model.into(), who.into(), label.into());
        let all = [
            of("k", "ann", "reasoning"),
            of("m", "ann", "comprehension"),
            of("m", "bob", "perception"),
        ];
        assert_eq!(given(&events), all);
        events[2].counts = false;
        assert_eq!(given(&events)[1], of("m", "ann", "reasoning"));
        events.push(event(5, "ann", "m", None));
        assert_eq!(given(&events), [all[0].clone(), all[2].clone()]);
    }

    #[test]
    fn one_label_must_meet_all_conditions() {
        let events = [
            event(1, "ann", "m", Some("reasoning/counting")),
            event(2, "ann", "k", Some("perception")),
        ];
        let all = labels(events.iter());
        let passes = |label: &[&str], model: &[&str]| {
            let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
            let of = LabelCondition {
                label: texts(label),
                model: texts(model),
            };
            (of.passes(&all), of.passes(&[]))
        };
        assert_eq!(passes(&["reasoning"], &[]), (true, false));
        assert_eq!(passes(&["reason"], &[]), (false, false));
        assert_eq!(passes(&["perception"], &["m"]), (false, false));
        assert_eq!(passes(&["perception", "reasoning"], &["m"]), (true, false));
        assert_eq!(passes(&[""], &[]), (false, true));
        assert_eq!(passes(&["", "perception"], &[]), (true, true));
        assert_eq!(passes(&[], &["k"]), (true, false));
        assert_eq!(passes(&[], &[]), (true, true));
    }
}
