//! How the items of a project use its metadata: parsed once from JSON, then counted in array
//! passes.
//!
//! | file | what it does |
//! |---|---|
//! | `item_line` | the parts of an item that are read |
//! | [`axis`] | item properties: subjects, vocabularies, and others |
//! | [`count`] | terms, grids, and failing terms |
//! | [`excluded`] | grid cells that compatibility rules leave empty |
//! | [`staleness`] | items that are stale or gone under other metadata |
//!
//! A composed item names its terms by vocabulary. Its claims and options belong to the vocabulary
//! that its
//! subtask asks about. The templates define that, so these terms are stored by subtask and resolved
//! when
//! they are counted. An imported item has its subtask's right option and its style.

mod axis;
pub mod count;
mod excluded;
mod item_line;
pub mod staleness;

use std::collections::HashMap;

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::STYLE;
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};
use benchtop_store::Catalog;

use item_line::{Asked, Line};

/// Maximum number of terms of imported items per subtask. Beyond that, answers are sentences rather
/// than terms.
const IMPORTED_TERMS: usize = 20_000;
/// Number of rows between cancellation checks.
const STEP: usize = 4096;
/// No code.
const NONE: u32 = u32::MAX;
/// Flag of terms that are only offered as an option.
const OFFERED: u32 = 1 << 31;
/// Flag of terms of the second picture.
const SECOND: u32 = 1 << 30;
/// Mask of the code itself.
const CODE: u32 = SECOND - 1;

/// The space of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Space {
    /// A vocabulary, or the styles.
    Vocabulary(String),
    /// The vocabulary that this subtask asks about.
    Subtask(String),
}

/// The terms of one space.
#[derive(Clone, Debug)]
struct Terms {
    space: Space,
    codes: HashMap<String, u32>,
}

/// Properties shared by many items. Names are indices in [`Usage::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Class {
    subject: u32,
    subtask: u32,
    /// Code of its style, or [`NONE`].
    style: u32,
    wording: u32,
    asked: Asked,
    kind: QuestionKind,
    recipe: u64,
    composed: bool,
}

/// Names with numbers, in order of first use.
#[derive(Clone, Debug, Default)]
struct Names {
    list: Vec<String>,
    at: HashMap<String, u32>,
}

impl Names {
    /// The number of a name, which is added if it is new.
    fn place(&mut self, name: &str) -> u32 {
        if let Some(at) = self.at.get(name) {
            return *at;
        }
        let at = self.list.len() as u32;
        self.list.push(name.to_string());
        self.at.insert(name.to_string(), at);
        at
    }
}

/// How the items of a project use its metadata, in about 30 bytes per item.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    names: Names,
    spaces: Vec<Terms>,
    by_vocabulary: HashMap<String, usize>,
    by_subtask: HashMap<String, usize>,
    /// Space and text by code.
    terms: Vec<(u32, String)>,
    classes: Vec<Class>,
    by_class: HashMap<Class, u32>,
    /// Class of each item.
    class: Vec<u32>,
    /// End of each item's codes.
    ends: Vec<u32>,
    codes: Vec<u32>,
}

impl Usage {
    /// Reads all items of `catalog`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] for an item that cannot be read, [`ErrorKind::Cancelled`].
    pub fn build(catalog: &Catalog, cancel: Cancel<'_>) -> Result<Usage> {
        let mut usage = Usage::default();
        usage.extend(catalog, cancel)?;
        Ok(usage)
    }

    /// Reads the new items of `catalog`.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build). Items read before the error are included.
    pub fn extend(&mut self, catalog: &Catalog, cancel: Cancel<'_>) -> Result<()> {
        catalog.each_line(self.len(), &mut |row, line| {
            if row.is_multiple_of(STEP) {
                cancel.check()?;
            }
            self.add(line).map(|()| true)
        })?;
        self.codes.shrink_to_fit();
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.class.len()
    }

    pub fn is_empty(&self) -> bool {
        self.class.is_empty()
    }

    /// Memory in bytes, without hash tables.
    pub fn bytes(&self) -> usize {
        (self.codes.capacity() + self.ends.capacity() + self.class.capacity()) * 4
            + self.classes.capacity() * size_of::<Class>()
            + self
                .terms
                .iter()
                .map(|(_, t)| t.len() + size_of::<(u32, String)>())
                .sum::<usize>()
    }

    /// Adds the next item.
    fn add(&mut self, json: &[u8]) -> Result<()> {
        let line: Line = serde_json::from_slice(json).map_err(|e| {
            Error::new(
                ErrorKind::Corrupt,
                format!("cannot read stored item #{}: {e}", self.len() + 1),
            )
        })?;
        let subtask = line.subtask();
        let asked_of = self.space(Where::Subtask(subtask));
        let (mut style, mut wording, mut recipe, mut subject) = (NONE, 0, 0, "");
        if let Some(from) = &line.provenance {
            for (vocabulary, term) in from.terms.0.iter() {
                let code = self.push_term(Where::Vocabulary(vocabulary), term, 0);
                if vocabulary.as_ref() == STYLE {
                    style = code;
                }
            }
            for (vocabulary, term) in from.second.0.iter() {
                self.push_term(Where::Vocabulary(vocabulary), term, SECOND);
            }
            if let Some(claim) = &from.claim {
                self.push_code(asked_of, claim, 0);
            }
            if line.offers_terms() {
                for option in line.offered() {
                    self.push_code(asked_of, option, OFFERED);
                }
            }
            (subject, wording) = (&*from.subject, from.wording);
            recipe = u64::from_str_radix(&from.recipe, 16).unwrap_or_default();
        } else {
            if let Some(own) = line.style() {
                style = self.push_term(Where::Vocabulary(STYLE), own, 0);
            }
            if let Some(right) = line.right_term()
                && self.has_room(asked_of, right)
            {
                self.push_code(asked_of, right, 0);
            }
        }
        let class = Class {
            subject: self.names.place(subject),
            subtask: self.names.place(subtask),
            style,
            wording,
            asked: line.asked(),
            kind: line.kind,
            recipe,
            composed: line.provenance.is_some(),
        };
        let next = self.classes.len() as u32;
        let class = *self.by_class.entry(class).or_insert_with(|| {
            self.classes.push(class);
            next
        });
        self.class.push(class);
        self.ends.push(self.codes.len() as u32);
        Ok(())
    }

    /// Adds a term of the current item, and returns its code.
    fn push_code(&mut self, space: usize, term: &str, flag: u32) -> u32 {
        let code = self.code(space, term);
        if code != NONE {
            self.codes.push(code | flag);
        }
        code
    }

    /// The index of a space, which is created if needed.
    fn space(&mut self, of: Where<'_>) -> usize {
        let (known, name) = match of {
            Where::Vocabulary(name) => (&mut self.by_vocabulary, name),
            Where::Subtask(name) => (&mut self.by_subtask, name),
        };
        if let Some(at) = known.get(name) {
            return *at;
        }
        known.insert(name.to_string(), self.spaces.len());
        let space = match of {
            Where::Vocabulary(name) => Space::Vocabulary(name.to_string()),
            Where::Subtask(name) => Space::Subtask(name.to_string()),
        };
        self.spaces.push(Terms {
            space,
            codes: HashMap::new(),
        });
        self.spaces.len() - 1
    }

    fn push_term(&mut self, of: Where<'_>, term: &str, flag: u32) -> u32 {
        let space = self.space(of);
        self.push_code(space, term, flag)
    }

    /// The code of a term. [`NONE`] once a billion codes are used.
    fn code(&mut self, space: usize, term: &str) -> u32 {
        if let Some(code) = self.spaces[space].codes.get(term) {
            return *code;
        }
        let code = self.terms.len() as u32;
        if code > CODE {
            return NONE;
        }
        self.terms.push((space as u32, term.to_string()));
        self.spaces[space].codes.insert(term.to_string(), code);
        code
    }

    fn has_room(&self, space: usize, term: &str) -> bool {
        let codes = &self.spaces[space].codes;
        codes.len() < IMPORTED_TERMS || codes.contains_key(term)
    }

    /// The codes of an item, including flags.
    fn codes_of(&self, row: usize) -> &[u32] {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        &self.codes[start..self.ends[row] as usize]
    }

    /// The vocabulary of each space under these templates.
    fn vocabularies<'a>(&'a self, grammar: &'a CompiledMetadata) -> Vec<std::borrow::Cow<'a, str>> {
        let of = |terms: &'a Terms| match &terms.space {
            Space::Vocabulary(name) => name.as_str().into(),
            Space::Subtask(name) => asked_about(grammar, name),
        };
        self.spaces.iter().map(of).collect()
    }
}

/// A space with a borrowed name.
#[derive(Clone, Copy)]
enum Where<'a> {
    Vocabulary(&'a str),
    Subtask(&'a str),
}

/// The vocabulary that a subtask asks about. For a subtask unknown to the templates, its own name.
fn asked_about<'a>(grammar: &'a CompiledMetadata, subtask: &str) -> std::borrow::Cow<'a, str> {
    match grammar.subtask(subtask) {
        Some(at) => grammar.lists[grammar.subtasks[at].list]
            .name
            .as_str()
            .into(),
        None => subtask.to_lowercase().replace([' ', '_'], "-").into(),
    }
}

#[cfg(test)]
mod tests;
