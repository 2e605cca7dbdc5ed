//! The fields of the form: names, help, values, and parsing of choices.

use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

use crate::widgets::text_input;
use benchtop_model::Error;
use benchtop_model::round::{NewRound, Order};

/// The rule that needs a further field.
pub const MAJORITY: &str = "majority";

const RULES: &[&str] = &[
    "single",
    "both-accept",
    MAJORITY,
    "equivalence",
    "audit",
    "answer",
    "refusal",
];
const STRATA: &[&str] = &[
    "no strata",
    "subtask",
    "type",
    "style",
    "level",
    "dataset",
    "side",
];
const VISIBILITY: &[&str] = &["blind", "open"];
const ORDERS: &[&str] = &["each their own", "as listed"];
const ADJUDICATORS_SEE: &[&str] = &[
    "neither names nor scores",
    "names",
    "scores",
    "names and scores",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Name,
    Protocol,
    /// The counts of a majority, such as 3 of 5.
    Votes,
    People,
    /// The filter of the items.
    Filter,
    Sample,
    Strata,
    /// The number of annotators per item.
    Overlap,
    Blind,
    Order,
    /// Gold items at the start.
    Practice,
    /// Gold items among the others.
    Probes,
    /// Items shown twice.
    Repeats,
    Guidelines,
    /// What adjudicators may see.
    Adjudication,
    Seed,
}

/// The fields in form order, each with its label and its help.
pub const FIELDS: [(Key, &str, &str); 16] = [
    (Key::Name, "name", "letters, digits, `.`, `_` and `-`"),
    (
        Key::Protocol,
        "rule",
        "the question and the rule that keeps items; left/right to choose",
    ),
    (
        Key::Votes,
        "majority",
        "votes needed to keep an item, such as 3 of 5",
    ),
    (Key::People, "people", "annotators, separated by commas"),
    (
        Key::Filter,
        "items",
        "a filter such as subtask:animal; empty for all items",
    ),
    (
        Key::Sample,
        "sample",
        "all, a share such as 10%, a number, or 100/stratum",
    ),
    (
        Key::Strata,
        "strata",
        "sample each group in proportion; left/right to choose",
    ),
    (
        Key::Overlap,
        "overlap",
        "annotators per item; empty for what the rule needs",
    ),
    (
        Key::Blind,
        "visibility",
        "blind hides verdicts of others and scores until the own verdict is in",
    ),
    (
        Key::Order,
        "order",
        "random per annotator; `as listed` needs an open round",
    ),
    (
        Key::Practice,
        "practice",
        "number of gold items at the start, with immediate feedback",
    ),
    (
        Key::Probes,
        "probes",
        "share of gold items hidden among the others",
    ),
    (
        Key::Repeats,
        "repeats",
        "share of items shown to the same annotator twice",
    ),
    (
        Key::Guidelines,
        "guidelines",
        "a file in the project, shown beside the item; may be empty",
    ),
    (
        Key::Adjudication,
        "adjudicators",
        "what adjudicators may see besides the verdicts",
    ),
    (
        Key::Seed,
        "seed",
        "makes sample, orders, probes, and repeats reproducible",
    ),
];

impl Key {
    /// The field that an error of the owner is about.
    pub fn of(problem: &Error) -> Option<Key> {
        let field = problem.place.field.as_deref()?;
        Some(match field.split('.').next()? {
            "name" => Key::Name,
            "people" => Key::People,
            "items" | "filter" => Key::Filter,
            "sample" => Key::Sample,
            "strata" => Key::Strata,
            "overlap" => Key::Overlap,
            "order" => Key::Order,
            "calibration" => Key::Practice,
            "probes" | "probe_items" => Key::Probes,
            "repeats" => Key::Repeats,
            "guidelines" => Key::Guidelines,
            _ => return None,
        })
    }
}

/// The option selected by typing `c` after `typed`: the one whose name continues that way.
/// Repeating a first letter cycles through the names that start with it. After a complete name,
/// another can follow. A typing error keeps the selection. `None` for a space that fits no name.
fn option_typed(all: &[&str], at: usize, typed: &mut String, c: char) -> Option<usize> {
    let from = |at: usize| (0..all.len()).map(move |step| (at + step) % all.len());
    let c = c.to_ascii_lowercase();
    let more = format!("{typed}{c}");
    if let Some(found) = from(at).find(|i| all[*i].starts_with(&more)) {
        *typed = more;
        return Some(found);
    }
    let complete = all.contains(&typed.as_str());
    if c == ' ' {
        typed.clear();
        return None;
    }
    if (typed.is_empty() || complete || *typed == c.to_string())
        && let Some(found) = from(at + 1).find(|i| all[*i].starts_with(c))
    {
        *typed = c.to_string();
        return Some(found);
    }
    Some(at)
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    Text(Input),
    /// The selected option, all options, and the part of a name typed so far.
    Choice(usize, &'static [&'static str], String),
}

impl Value {
    /// The value of a field in `new`.
    pub fn of(key: Key, new: &NewRound) -> Value {
        let text = |text: String| Value::Text(Input::new(text));
        let choice = |name: &str, all: &'static [&'static str]| {
            Value::Choice(
                all.iter().position(|a| *a == name).unwrap_or(0),
                all,
                String::new(),
            )
        };
        match key {
            Key::Name => text(new.name.clone()),
            Key::Protocol => choice(&new.protocol.to_string(), RULES),
            Key::Votes => text("3 of 5".into()),
            Key::People => text(new.people.join(", ")),
            Key::Filter => text(new.filter.clone()),
            Key::Sample => text(new.sample.to_string()),
            Key::Strata => choice(new.strata.as_deref().unwrap_or_default(), STRATA),
            Key::Overlap => text(new.overlap.map(|n| n.to_string()).unwrap_or_default()),
            Key::Blind => choice(VISIBILITY[usize::from(!new.blind)], VISIBILITY),
            Key::Order => choice(ORDERS[usize::from(new.order == Order::AsListed)], ORDERS),
            Key::Practice => text(new.calibration.to_string()),
            Key::Probes => text(new.probes.to_string()),
            Key::Repeats => text(new.repeats.to_string()),
            Key::Guidelines => text(
                new.guidelines
                    .as_ref()
                    .map(|g| g.path.clone())
                    .unwrap_or_default(),
            ),
            Key::Adjudication => {
                let see =
                    usize::from(new.adjudication.names) + 2 * usize::from(new.adjudication.scores);
                choice(ADJUDICATORS_SEE[see], ADJUDICATORS_SEE)
            }
            Key::Seed => text(new.seed.to_string()),
        }
    }

    /// The value as text, without surrounding spaces.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(input) => input.value().trim(),
            Value::Choice(at, all, _) => all.get(*at).copied().unwrap_or_default(),
        }
    }

    /// The index of the selected option.
    pub fn pick(&self) -> usize {
        if let Value::Choice(at, ..) = self {
            *at
        } else {
            0
        }
    }

    /// Handles a key. Returns whether the value changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        match self {
            Value::Text(input) => text_input::edit(input, key),
            Value::Choice(_, [], _) => false,
            Value::Choice(at, all, typed) => {
                let before = *at;
                *at = match key.code {
                    // A space may continue a name. Otherwise it selects the next option.
                    KeyCode::Char(c) => {
                        option_typed(all, *at, typed, c).unwrap_or((*at + 1) % all.len())
                    }
                    KeyCode::Right => {
                        typed.clear();
                        (*at + 1) % all.len()
                    }
                    KeyCode::Left => {
                        typed.clear();
                        (*at + all.len() - 1) % all.len()
                    }
                    KeyCode::Backspace => {
                        typed.pop();
                        *at
                    }
                    _ => *at,
                };
                *at != before
            }
        }
    }

    /// Forgets what was typed when the cursor leaves the field.
    pub fn left(&mut self) {
        if let Value::Choice(.., typed) = self {
            typed.clear();
        }
    }

    /// Pastes into the field. Returns whether the value changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        match self {
            Value::Text(input) => {
                text_input::paste(input, pasted);
                true
            }
            Value::Choice(..) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The selected option after each key.
    fn typed(keys: &str) -> Vec<&'static str> {
        let mut value = Value::Choice(0, RULES, String::new());
        let press = |c: char| {
            value.key(KeyEvent::from(KeyCode::Char(c)));
            RULES[value.pick()]
        };
        keys.chars().map(press).collect()
    }

    #[test]
    fn typing_a_name_selects_the_rule() {
        for name in RULES {
            assert_eq!(typed(name).last(), Some(name));
        }
        assert!(
            typed("both-accept")
                .iter()
                .all(|rule| *rule == "both-accept")
        );
        assert_eq!(
            typed("aaa"),
            ["audit", "answer", "audit"],
            "a repeated first letter cycles"
        );
        assert_eq!(
            typed("anx"),
            ["audit", "answer", "answer"],
            "a typing error keeps the selection"
        );
        assert_eq!(
            typed("auditequiv").last(),
            Some(&"equivalence"),
            "another name can follow a complete one"
        );
        assert_eq!(typed("z"), ["single"]);
    }

    #[test]
    fn a_space_continues_a_name_or_selects_the_next() {
        let mut value = Value::Choice(0, ADJUDICATORS_SEE, String::new());
        for c in "names and s".chars() {
            value.key(KeyEvent::from(KeyCode::Char(c)));
        }
        assert_eq!(value.text(), "names and scores");
        value.left();
        value.key(KeyEvent::from(KeyCode::Char(' ')));
        assert_eq!(value.text(), ADJUDICATORS_SEE[0]);
    }
}
