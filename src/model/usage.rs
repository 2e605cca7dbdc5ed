//! How metadata is used by the items of a project, and what an edit would do to them.

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::status::Status;

/// A metadata file of a project, as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its name in the metadata folder.
    pub name: String,
    /// What it holds.
    pub text: String,
    /// 16 hex digits of a hash over its bytes: what a save must name to replace it.
    pub revision: String,
}

/// The metadata of a project, as it is on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataState {
    /// Its files, by name.
    pub files: Vec<FileState>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<Finding>,
    /// The project has no metadata files: these are the shipped ones, and the first save writes them all.
    pub shipped: bool,
}

/// Whether the metadata on disk can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataHealth {
    /// What keeps it from being used, the cause first. While there is something, nothing is composed.
    pub errors: Vec<Finding>,
    /// It can be told which items are stale: the files have no errors, or an earlier state of them goes on.
    pub known: bool,
}

/// A file to save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Save {
    /// Its name in the metadata folder.
    pub name: String,
    /// The revision it had when the edit began; `None` for a new file.
    pub base: Option<String>,
    /// What it is to hold; `None` removes it.
    pub text: Option<String>,
}

/// Items by status, in the order of [`Status::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally(pub [u64; Status::ALL.len()]);

impl Tally {
    /// Counts one more item of this status.
    pub fn add(&mut self, status: Status) {
        if let Some(at) = Status::ALL.iter().position(|s| *s == status) {
            self.0[at] += 1;
        }
    }

    /// Items of this status.
    pub fn of(&self, status: Status) -> u64 {
        Status::ALL
            .iter()
            .position(|s| *s == status)
            .map_or(0, |at| self.0[at])
    }

    /// Items in all.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Share of accepted among accepted and rejected, and how many those are; `None` when nobody judged any.
    pub fn acceptance(&self) -> Option<(f64, u64)> {
        let (yes, no) = (self.of(Status::Accepted), self.of(Status::Rejected));
        (yes + no > 0).then(|| (yes as f64 / (yes + no) as f64, yes + no))
    }
}

/// How one term is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermUse {
    /// The term.
    pub term: String,
    /// Items whose picture or statement has it, by status.
    pub items: Tally,
    /// Items that have it as their right answer, by status.
    pub answers: Tally,
}

/// How two properties of the items meet: subject x style, style x background, ...
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Values down, with their totals.
    pub rows: Vec<(String, Tally)>,
    /// Values across, with their totals.
    pub columns: Vec<(String, Tally)>,
    /// Row by row.
    pub cells: Vec<Tally>,
    /// Cells that the rules of compatibility leave empty, by position, with why.
    pub excluded: Vec<(u32, String)>,
}

impl Grid {
    /// Why a cell is to be empty, if it is.
    pub fn why_not(&self, cell: usize) -> Option<&str> {
        let at = self
            .excluded
            .binary_search_by_key(&cell, |(at, _)| *at as usize)
            .ok()?;
        Some(&self.excluded[at].1)
    }

    /// Cells that can hold items, and how many of them do. Items without a value belong to no cell here.
    pub fn filled(&self) -> (usize, usize) {
        let wide = self.columns.len().max(1);
        let named = |at: &usize| {
            let (row, column) = (&self.rows[at / wide].0, &self.columns[at % wide].0);
            !row.is_empty() && !column.is_empty() && self.why_not(*at).is_none()
        };
        let possible: Vec<usize> = (0..self.cells.len()).filter(named).collect();
        (
            possible.len(),
            possible
                .into_iter()
                .filter(|at| self.cells[*at].all() > 0)
                .count(),
        )
    }
}

/// What metadata would do to the items that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// Composed items.
    pub composed: u64,
    /// Items whose templates or style wording changed: composed again they would read differently.
    pub stale: Tally,
    /// Items with a term, subject or subtask that is gone: they cannot be composed again.
    pub gone: Tally,
    /// What is gone, with how many items it takes along, most first; at most 100.
    pub causes: Vec<(String, u64)>,
}

/// Whether an item would be composed the same way again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// It would, or it was not composed here.
    #[default]
    Fresh,
    /// Its templates or the wording of its style changed.
    Stale,
    /// A term, subject or subtask of it is gone: it cannot be composed again.
    Gone,
}

impl Freshness {
    /// All of them; the position is the code.
    pub const ALL: [Freshness; 3] = [Self::Fresh, Self::Stale, Self::Gone];

    /// The name used in filters (`stale:NAME`) and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "no",
            Self::Stale => "yes",
            Self::Gone => "gone",
        }
    }

    /// The one of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The code: the position in [`Freshness::ALL`].
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// A term whose items fail (step 4 of Dysca's cleaning: terms that pictures get wrong are taken out).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failing {
    /// Its vocabulary, or `style`.
    pub vocabulary: String,
    /// The term.
    pub term: String,
    /// Items whose picture or statement has it, by status.
    pub items: Tally,
    /// Lower end of Wilson's 95 % interval of the share rejected among accepted and rejected, 0 to 1.
    pub at_least: f64,
}

/// Items of some terms, and what becomes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discarded {
    /// Items with one of the terms, by status before.
    pub items: Tally,
    /// Items rejected by this; with a dry run those that would be.
    pub rejected: u64,
}
