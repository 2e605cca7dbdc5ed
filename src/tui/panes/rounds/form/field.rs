//! The fields of the form: what each is called, what it may hold, and what it begins with.

use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

use crate::widgets::line;
use benchtop_model::Error;
use benchtop_model::round::{NewRound, Order};

/// The rule that needs numbers.
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
const SIGHT: &[&str] = &["blind", "open"];
const ORDERS: &[&str] = &["each their own", "as listed"];
const SEEN: &[&str] = &[
    "neither names nor scores",
    "names",
    "scores",
    "names and scores",
];

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// What the round is called.
    Name,
    /// Its rule.
    Protocol,
    /// How many of how many, for a majority.
    Votes,
    /// Its annotators.
    People,
    /// Which items.
    Filter,
    /// How many of them.
    Sample,
    /// By what the sample is divided.
    Strata,
    /// How many people judge each item.
    Overlap,
    /// Blind or open.
    Blind,
    /// The order of items.
    Order,
    /// Known items first.
    Practice,
    /// Known items among the others.
    Probes,
    /// Items shown twice.
    Repeats,
    /// The file of guidelines.
    Guidelines,
    /// What adjudicators see.
    Adjudication,
    /// What everything is drawn from.
    Seed,
}

impl Key {
    /// All fields, in their order.
    pub const ALL: [Key; 16] = [
        Key::Name,
        Key::Protocol,
        Key::Votes,
        Key::People,
        Key::Filter,
        Key::Sample,
        Key::Strata,
        Key::Overlap,
        Key::Blind,
        Key::Order,
        Key::Practice,
        Key::Probes,
        Key::Repeats,
        Key::Guidelines,
        Key::Adjudication,
        Key::Seed,
    ];

    /// Its name and a line about it.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Key::Name => ("name", "letters, digits, `.`, `_` and `-`"),
            Key::Protocol => (
                "rule",
                "what is asked, and what keeps an item; left and right choose",
            ),
            Key::Votes => (
                "majority",
                "how many of how many must accept, such as 3 of 5",
            ),
            Key::People => ("people", "the annotators, with commas between"),
            Key::Filter => (
                "items",
                "in the words of the item list, such as subtask:animal; empty for all",
            ),
            Key::Sample => (
                "sample",
                "all, a share such as 10%, a number, or 100/stratum",
            ),
            Key::Strata => (
                "strata",
                "the sample is divided by it in proportion; left and right choose",
            ),
            Key::Overlap => (
                "overlap",
                "people an item; empty for as many as the rule needs",
            ),
            Key::Blind => (
                "sight",
                "blind: nobody sees others' verdicts or scores before their own verdict is in",
            ),
            Key::Order => (
                "order",
                "each their own, drawn from the seed; as listed only in an open round",
            ),
            Key::Practice => (
                "practice",
                "known items first, half of them bad, each with its answer at once",
            ),
            Key::Probes => (
                "probes",
                "share of known items among the others, not told apart",
            ),
            Key::Repeats => (
                "repeats",
                "share of items that come to the same person a second time",
            ),
            Key::Guidelines => (
                "guidelines",
                "a file of the project that lies beside the item; may be empty",
            ),
            Key::Adjudication => ("adjudicators", "what those who settle disagreements see"),
            Key::Seed => (
                "seed",
                "what sample, orders, probes and repeats are drawn from",
            ),
        }
    }

    /// The field that the owner's problem is about.
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

/// The one of several that is meant when `c` is typed after `typed`, which then goes on with it: the one whose name goes on so. The first
/// letter again goes to the next one that begins with it; a whole name can be followed by another. What goes on with no name changes
/// nothing: a typing error must not choose another one. None for a blank that belongs to no name.
fn named(all: &[&str], at: usize, typed: &mut String, c: char) -> Option<usize> {
    let from = |at: usize| (0..all.len()).map(move |step| (at + step) % all.len());
    let c = c.to_ascii_lowercase();
    let more = format!("{typed}{c}");
    if let Some(found) = from(at).find(|i| all[*i].starts_with(&more)) {
        *typed = more;
        return Some(found);
    }
    let whole = all.contains(&typed.as_str());
    if c == ' ' {
        typed.clear();
        return None;
    }
    if (typed.is_empty() || whole || *typed == c.to_string())
        && let Some(found) = from(at + 1).find(|i| all[*i].starts_with(c))
    {
        *typed = c.to_string();
        return Some(found);
    }
    Some(at)
}

/// What a field holds.
#[derive(Clone, Debug)]
pub enum Value {
    /// A line of text.
    Text(Input),
    /// One of several, and how much of its name was typed.
    Choice(usize, &'static [&'static str], String),
}

impl Value {
    /// What a field holds for this round.
    pub fn of(key: Key, new: &NewRound) -> Value {
        let text = |text: String| Value::Text(Input::new(text));
        let choice = |named: &str, all: &'static [&'static str]| {
            Value::Choice(
                all.iter().position(|a| *a == named).unwrap_or(0),
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
            Key::Blind => choice(SIGHT[usize::from(!new.blind)], SIGHT),
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
                choice(SEEN[see], SEEN)
            }
            Key::Seed => text(new.seed.to_string()),
        }
    }

    /// It in words, without blanks around.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(input) => input.value().trim(),
            Value::Choice(at, all, _) => all.get(*at).copied().unwrap_or_default(),
        }
    }

    /// Which of several.
    pub fn pick(&self) -> usize {
        if let Value::Choice(at, ..) = self {
            *at
        } else {
            0
        }
    }

    /// Gives it a key; whether it holds something else now.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        match self {
            Value::Text(input) => line::edit(input, key),
            Value::Choice(_, [], _) => false,
            Value::Choice(at, all, typed) => {
                let before = *at;
                *at = match key.code {
                    // A blank can be of a name; otherwise it goes on to the next one.
                    KeyCode::Char(c) => named(all, *at, typed, c).unwrap_or((*at + 1) % all.len()),
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

    /// The cursor leaves it: what is typed next begins anew.
    pub fn left(&mut self) {
        if let Value::Choice(.., typed) = self {
            typed.clear();
        }
    }

    /// Pastes into it; whether it holds something else now.
    pub fn paste(&mut self, pasted: &str) -> bool {
        match self {
            Value::Text(input) => {
                line::paste(input, pasted);
                true
            }
            Value::Choice(..) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen after each key.
    fn typed(keys: &str) -> Vec<&'static str> {
        let mut value = Value::Choice(0, RULES, String::new());
        let press = |c: char| {
            value.key(KeyEvent::from(KeyCode::Char(c)));
            RULES[value.pick()]
        };
        keys.chars().map(press).collect()
    }

    #[test]
    fn a_rule_is_chosen_by_typing_its_name() {
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
            "the first letter goes through those that begin with it"
        );
        assert_eq!(
            typed("anx"),
            ["audit", "answer", "answer"],
            "a typing error chooses nothing else"
        );
        assert_eq!(
            typed("auditequiv").last(),
            Some(&"equivalence"),
            "after a whole name another one"
        );
        assert_eq!(typed("z"), ["single"]);
    }

    #[test]
    fn a_blank_is_of_the_name_or_goes_on() {
        let mut value = Value::Choice(0, SEEN, String::new());
        for c in "names and s".chars() {
            value.key(KeyEvent::from(KeyCode::Char(c)));
        }
        assert_eq!(value.text(), "names and scores");
        value.left();
        value.key(KeyEvent::from(KeyCode::Char(' ')));
        assert_eq!(value.text(), SEEN[0]);
    }
}
