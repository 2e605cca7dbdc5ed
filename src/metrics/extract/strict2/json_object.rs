//! Answers that are JSON objects.

use serde_json::{Map, Value};

use crate::extract::text;
use benchtop_model::Choice;

/// The only option that a value of an object names, by letter or text.
pub(super) fn of_object(options: &[Choice], said: &str) -> Option<usize> {
    if !said.starts_with('{') && !said.starts_with("```") {
        return None;
    }
    let said = said.trim_matches('`').trim();
    let (start, end) = (said.find('{')?, said.rfind('}')?);
    let values: Map<String, Value> = serde_json::from_str(said.get(start..=end)?).ok()?;
    let mut found = None;
    for value in values.values().filter_map(Value::as_str).map(str::trim) {
        let letter = match value.as_bytes() {
            [letter] if letter.is_ascii_uppercase() => {
                Some(text::index(*letter)).filter(|at| *at < options.len())
            }
            _ => None,
        };
        let own = |option: &Choice| option.text.trim().to_lowercase() == value.to_lowercase();
        let texts = options
            .iter()
            .enumerate()
            .filter(|(_, option)| own(option))
            .map(|(at, _)| at);
        for at in letter.into_iter().chain(texts) {
            if found.is_some_and(|found| found != at) {
                return None;
            }
            found = Some(at);
        }
    }
    found
}
