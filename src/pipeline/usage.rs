//! How the items of a project use its metadata: read from their JSON once, then counted in passes over arrays.
//!
//! | file | what it does |
//! |---|---|
//! | [`line`] | what is read of an item |
//! | [`axis`] | subjects, vocabularies and the like as properties that items have values of |
//! | [`count`] | terms, grids, terms whose items fail |
//! | [`excluded`] | cells of a grid that the rules leave empty |
//! | [`staleness`] | which items are stale or gone under other metadata |
//!
//! A composed item names its terms by vocabulary. What it claims or offers belongs to whatever vocabulary its subtask
//! asks about, which the templates say, so those are kept by subtask and resolved when they are counted. An item that
//! was imported is known by its subtask's right option and its style.

mod axis;
pub mod count;
mod excluded;
mod line;
pub mod staleness;

use std::collections::HashMap;

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::STYLE;
use benchtop_model::{Error, ErrorKind, QuestionKind, Result};
use benchtop_store::Catalog;

use line::{Asked, Line};

/// Terms of imported items kept for one subtask: beyond them its answers are sentences rather than terms.
const IMPORTED_TERMS: usize = 20_000;
/// Rows between two looks at whether the work is still wanted.
const STEP: usize = 4096;
/// No code.
const NONE: u32 = u32::MAX;
/// The code is of a term that is only offered as an option.
const OFFERED: u32 = 1 << 31;
/// The code is of a term of the second picture.
const SECOND: u32 = 1 << 30;
/// The code itself.
const CODE: u32 = SECOND - 1;

/// Where a term belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Space {
    /// A vocabulary, or the styles.
    Vocabulary(String),
    /// Whatever this subtask asks about.
    Subtask(String),
}

/// The terms of one space.
#[derive(Clone, Debug)]
struct Terms {
    space: Space,
    codes: HashMap<String, u32>,
}

/// What many items have in common. Names are positions in [`Usage::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Class {
    subject: u32,
    subtask: u32,
    /// Code of its style; [`NONE`] without one.
    style: u32,
    wording: u32,
    asked: Asked,
    kind: QuestionKind,
    recipe: u64,
    composed: bool,
}

/// How the items of a project use its metadata; about 30 bytes an item.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    names: Vec<String>,
    by_name: HashMap<String, u32>,
    spaces: Vec<Terms>,
    by_vocabulary: HashMap<String, usize>,
    by_subtask: HashMap<String, usize>,
    /// Space and text by code.
    terms: Vec<(u32, String)>,
    classes: Vec<Class>,
    by_class: HashMap<Class, u32>,
    /// Class of each item.
    class: Vec<u32>,
    /// Where each item's codes end.
    ends: Vec<u32>,
    codes: Vec<u32>,
}

impl Usage {
    /// Reads all items of `catalog`; `wanted` says whether to go on.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for an item that cannot be read, [`ErrorKind::Cancelled`].
    pub fn build(catalog: &Catalog, wanted: &dyn Fn() -> bool) -> Result<Usage> {
        let mut usage = Usage::default();
        usage.extend(catalog, wanted)?;
        Ok(usage)
    }

    /// Reads the items of `catalog` that came after those it has.
    ///
    /// # Errors
    /// As [`build`](Self::build); the items read before are then in.
    pub fn extend(&mut self, catalog: &Catalog, wanted: &dyn Fn() -> bool) -> Result<()> {
        catalog.each_line(self.len(), &mut |row, line| {
            if row.is_multiple_of(STEP) && !wanted() {
                return Err(Error::new(ErrorKind::Cancelled, "no longer wanted"));
            }
            self.add(line).map(|()| true)
        })?;
        self.codes.shrink_to_fit();
        Ok(())
    }

    /// Items read.
    pub fn len(&self) -> usize {
        self.class.len()
    }

    /// Whether no item was read.
    pub fn is_empty(&self) -> bool {
        self.class.is_empty()
    }

    /// Bytes of memory held, hash tables not counted.
    pub fn bytes(&self) -> usize {
        (self.codes.capacity() + self.ends.capacity() + self.class.capacity()) * 4
            + self.classes.capacity() * size_of::<Class>()
            + self
                .terms
                .iter()
                .map(|(_, t)| t.len() + size_of::<(u32, String)>())
                .sum::<usize>()
    }

    /// Takes in the next item.
    fn add(&mut self, json: &[u8]) -> Result<()> {
        let line: Line = serde_json::from_slice(json).map_err(|e| {
            Error::new(
                ErrorKind::Corrupt,
                format!("stored item #{} cannot be read: {e}", self.len() + 1),
            )
        })?;
        let subtask = line.subtask();
        let asked_of = self.space(Where::Subtask(subtask));
        let class = match &line.provenance {
            Some(from) => {
                let mut style = NONE;
                for (vocabulary, term) in from.terms.0.iter() {
                    let code = self.term(Where::Vocabulary(vocabulary), term);
                    if vocabulary.as_ref() == STYLE {
                        style = code;
                    }
                    self.push(code, 0);
                }
                for (vocabulary, term) in from.second.0.iter() {
                    let code = self.term(Where::Vocabulary(vocabulary), term);
                    self.push(code, SECOND);
                }
                if let Some(claim) = &from.claim {
                    let code = self.code(asked_of, claim);
                    self.push(code, 0);
                }
                if line.offers_terms() {
                    for option in line.offered() {
                        let code = self.code(asked_of, option);
                        self.push(code, OFFERED);
                    }
                }
                Class {
                    subject: self.name(&from.subject),
                    subtask: self.name(subtask),
                    style,
                    wording: from.wording,
                    asked: line.asked(),
                    kind: line.kind,
                    recipe: u64::from_str_radix(&from.recipe, 16).unwrap_or_default(),
                    composed: true,
                }
            }
            None => {
                let style = match line.style() {
                    Some(style) => self.term(Where::Vocabulary(STYLE), style),
                    None => NONE,
                };
                self.push(style, 0);
                if let Some(right) = line.right_term()
                    && self.has_room(asked_of, right)
                {
                    let code = self.code(asked_of, right);
                    self.push(code, 0);
                }
                Class {
                    subject: self.name(""),
                    subtask: self.name(subtask),
                    style,
                    wording: 0,
                    asked: line.asked(),
                    kind: line.kind,
                    recipe: 0,
                    composed: false,
                }
            }
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

    fn push(&mut self, code: u32, flag: u32) {
        if code != NONE {
            self.codes.push(code | flag);
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(at) = self.by_name.get(name) {
            return *at;
        }
        let at = self.names.len() as u32;
        self.names.push(name.to_string());
        self.by_name.insert(name.to_string(), at);
        at
    }

    /// The position of a space, which is made when it is not there.
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

    fn term(&mut self, of: Where<'_>, term: &str) -> u32 {
        let space = self.space(of);
        self.code(space, term)
    }

    /// The code of a term; [`NONE`] once there is no room for more, at a billion of them.
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

    /// The codes of an item, flags included.
    fn codes_of(&self, row: usize) -> &[u32] {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        &self.codes[start..self.ends[row] as usize]
    }

    /// The vocabulary of each space, as the templates have it now.
    fn vocabularies<'a>(&'a self, grammar: &'a CompiledMetadata) -> Vec<std::borrow::Cow<'a, str>> {
        let of = |terms: &'a Terms| match &terms.space {
            Space::Vocabulary(name) => name.as_str().into(),
            Space::Subtask(name) => asked_about(grammar, name),
        };
        self.spaces.iter().map(of).collect()
    }
}

/// A space by a borrowed name.
#[derive(Clone, Copy)]
enum Where<'a> {
    Vocabulary(&'a str),
    Subtask(&'a str),
}

/// The vocabulary that a subtask asks about; for one that the templates do not have, that of its name.
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
