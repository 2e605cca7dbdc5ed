//! The form of a new round. Fields are checked while typing, and the owner previews the round.
//! Errors are shown at their fields.

mod draw;
mod field;

use crossterm::event::KeyEvent;

pub use field::{FIELDS, Key, Value};

use super::text;
use crate::panes::metadata::edit_session::error_line;
use benchtop_model::round::state::RoundState;
use benchtop_model::round::{Adjudication, Guidelines, NewRound, Order, Protocol, SEED};
use benchtop_model::{Error, Filter, Result};

/// A stand-in for a missing field.
static MISSING: Value = Value::Choice(0, &[], String::new());

#[derive(Clone, Debug)]
pub struct Form {
    fields: Vec<(Key, Value)>,
    at: usize,
    /// Rises with every change.
    edit: u64,
    /// The preview, and the value of `edit` that it was made for.
    would: Option<(u64, Result<RoundState>)>,
}

impl Form {
    /// A form with the defaults of [`NewRound::new`], for `who` alone.
    pub fn new(name: String, who: String) -> Form {
        let new = NewRound::new(name, Protocol::default(), vec![who], SEED);
        let fields = FIELDS.map(|(key, ..)| (key, Value::of(key, &new))).into();
        Form {
            fields,
            at: 0,
            edit: 0,
            would: None,
        }
    }

    fn value(&self, key: Key) -> &Value {
        // Every key has a field.
        self.fields
            .iter()
            .find(|(k, _)| *k == key)
            .map_or(&MISSING, |(_, value)| value)
    }

    fn text(&self, key: Key) -> &str {
        self.value(key).text()
    }

    /// Whether a field matters, given the others.
    fn applies(&self, key: Key) -> bool {
        match key {
            Key::Votes => self.text(Key::Protocol) == field::MAJORITY,
            _ => true,
        }
    }

    /// The visible fields with their indexes.
    fn shown(&self) -> impl Iterator<Item = (usize, &(Key, Value))> {
        self.fields
            .iter()
            .enumerate()
            .filter(|(_, (key, _))| self.applies(*key))
    }

    /// The syntax error of a field.
    fn syntax_error(&self, key: Key) -> Option<String> {
        let text = self.text(key);
        match key {
            Key::Name if text.is_empty() => Some("a round needs a name".into()),
            Key::People if self.people().is_empty() => {
                Some("type names, separated by commas".into())
            }
            Key::Votes if self.applies(key) => text::majority(text).err(),
            Key::Filter => Filter::parse(text).err().map(|p| error_line(&p)),
            Key::Sample => text.parse::<benchtop_model::round::Sample>().err(),
            Key::Practice | Key::Seed if text.parse::<u64>().is_err() => {
                Some(format!("`{text}` is not a whole number"))
            }
            Key::Practice if text.parse::<u32>().is_err() => Some(format!("`{text}` is too large")),
            Key::Overlap if !text.is_empty() && text.parse::<u8>().is_err() => Some(format!(
                "`{text}` is not a number; leave it empty for what the rule needs"
            )),
            Key::Probes | Key::Repeats => text.parse::<benchtop_model::round::Rate>().err(),
            _ => None,
        }
    }

    /// The error of a field: its syntax error, or the owner's.
    pub fn problem(&self, key: Key) -> Option<String> {
        self.syntax_error(key).or_else(|| {
            let (edit, would) = self.would.as_ref()?;
            let problem = would.as_ref().err().filter(|_| *edit == self.edit)?;
            (Key::of(problem) == Some(key)).then(|| error_line(problem))
        })
    }

    fn people(&self) -> Vec<String> {
        text::people(self.text(Key::People)).collect()
    }

    /// The round that the form describes. `None` if a field has a syntax error.
    pub fn request(&self) -> Option<NewRound> {
        let is_wrong = |key| self.applies(key) && self.syntax_error(key).is_some();
        if FIELDS.iter().any(|(key, ..)| is_wrong(*key)) {
            return None;
        }
        let protocol = match self.text(Key::Protocol) {
            field::MAJORITY => Protocol::Majority(text::majority(self.text(Key::Votes)).ok()?),
            name => name.parse().ok()?,
        };
        let some = |key| Some(self.text(key)).filter(|text| !text.is_empty());
        let see = self.value(Key::Adjudication).pick();
        let seed = self.text(Key::Seed).parse().ok()?;
        Some(NewRound {
            blind: self.value(Key::Blind).pick() == 0,
            overlap: some(Key::Overlap).map(str::parse).transpose().ok()?,
            order: if self.value(Key::Order).pick() == 0 {
                Order::Seeded
            } else {
                Order::AsListed
            },
            repeats: self.text(Key::Repeats).parse().ok()?,
            probes: self.text(Key::Probes).parse().ok()?,
            calibration: self.text(Key::Practice).parse().ok()?,
            // The owner reads the file and its version.
            guidelines: some(Key::Guidelines).map(|path| Guidelines {
                path: path.into(),
                version: String::new(),
            }),
            adjudication: Adjudication {
                names: see & 1 == 1,
                scores: see & 2 == 2,
            },
            filter: self.text(Key::Filter).into(),
            sample: self.text(Key::Sample).parse().ok()?,
            strata: Some(self.text(Key::Strata))
                .filter(|_| self.value(Key::Strata).pick() > 0)
                .map(str::to_string),
            ..NewRound::new(self.text(Key::Name), protocol, self.people(), seed)
        })
    }

    /// Rises with every change.
    pub fn edit(&self) -> u64 {
        self.edit
    }

    /// Receives a preview. Ignores it if the form changed since.
    pub fn on_preview(&mut self, edit: u64, would: Result<RoundState>) {
        if edit == self.edit {
            self.would = Some((edit, would));
        }
    }

    /// Handles a refused round: moves the cursor to the error.
    pub fn refused(&mut self, problem: Error) {
        self.would = Some((self.edit, Err(problem)));
        self.go_to_problem();
    }

    /// Moves the cursor to the first error.
    pub fn go_to_problem(&mut self) {
        let first = self
            .shown()
            .find(|(_, (key, _))| self.problem(*key).is_some())
            .map(|(at, _)| at);
        self.at = first.unwrap_or(self.at);
    }

    /// The preview, if it is up to date.
    fn would(&self) -> Option<&Result<RoundState>> {
        self.would
            .as_ref()
            .filter(|(edit, _)| *edit == self.edit)
            .map(|(_, would)| would)
    }

    /// Goes to the next field or the previous one.
    pub fn step(&mut self, forward: bool) {
        let places: Vec<usize> = self.shown().map(|(at, _)| at).collect();
        let here = places.iter().position(|at| *at == self.at).unwrap_or(0);
        self.leave_field();
        let steps = if forward { 1 } else { places.len() - 1 };
        self.at = places[(here + steps) % places.len()];
    }

    pub fn leave_field(&mut self) {
        self.fields.iter_mut().for_each(|(_, value)| value.left());
    }

    /// Handles a key in the current field. Returns whether the form changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let field = self.fields.get_mut(self.at);
        let changed = field.is_some_and(|(_, value)| value.key(key));
        self.edit += u64::from(changed);
        changed
    }

    /// Pastes into the current field. Returns whether the form changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let field = self.fields.get_mut(self.at);
        let changed = field.is_some_and(|(_, value)| value.paste(pasted));
        self.edit += u64::from(changed);
        changed
    }
}
