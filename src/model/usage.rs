//! How items use the metadata, and how edits of the metadata would affect them.

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::status::Status;

/// A metadata file of a project on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Path within the metadata folder.
    pub name: String,
    pub text: String,
    /// Hash of the contents, 16 hex digits. A save must name the revision that it replaces.
    pub revision: String,
}

/// The metadata of a project on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataState {
    /// The files, sorted by name.
    pub files: Vec<FileState>,
    /// Files that could not be read.
    pub unreadable: Vec<Finding>,
    /// Whether these are the shipped files because the project has none. The first save writes them
    /// all.
    pub shipped: bool,
}

/// Whether the metadata on disk is usable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataHealth {
    pub errors: Vec<Finding>,
    /// Whether staleness is known: the files have no errors, or an earlier valid state is still in
    /// use.
    pub known: bool,
}

/// A file to save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Save {
    /// Path within the metadata folder.
    pub name: String,
    /// The revision when the edit began; `None` for a new file.
    pub base: Option<String>,
    /// The new contents; `None` deletes the file.
    pub text: Option<String>,
}

/// Items by status, in the order of [`Status::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally(pub [u64; Status::ALL.len()]);

impl Tally {
    pub fn add(&mut self, status: Status) {
        if let Some(at) = Status::ALL.iter().position(|s| *s == status) {
            self.0[at] += 1;
        }
    }

    pub fn count(&self, status: Status) -> u64 {
        Status::ALL
            .iter()
            .position(|s| *s == status)
            .map_or(0, |at| self.0[at])
    }

    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Share of accepted among accepted and rejected items, and their number; `None` if there are
    /// none.
    pub fn acceptance(&self) -> Option<(f64, u64)> {
        let (yes, no) = (self.count(Status::Accepted), self.count(Status::Rejected));
        (yes + no > 0).then(|| (yes as f64 / (yes + no) as f64, yes + no))
    }
}

/// Use of one term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermUse {
    pub term: String,
    /// Items whose picture or statement has the term, by status.
    pub items: Tally,
    /// Items whose right answer is the term, by status.
    pub answers: Tally,
}

/// Items by two properties, such as subject x style or style x background.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Row values with totals.
    pub rows: Vec<(String, Tally)>,
    /// Column values with totals.
    pub columns: Vec<(String, Tally)>,
    /// Row by row.
    pub cells: Vec<Tally>,
    /// Cells that compatibility rules keep empty, by position, with reasons.
    pub excluded: Vec<(u32, String)>,
}

impl Grid {
    /// Why a cell must be empty, if it must.
    pub fn exclusion_reason(&self, cell: usize) -> Option<&str> {
        let at = self
            .excluded
            .binary_search_by_key(&cell, |(at, _)| *at as usize)
            .ok()?;
        Some(&self.excluded[at].1)
    }

    /// Number of cells that can have items, and of those that do. Items without a value are in no
    /// cell.
    pub fn filled(&self) -> (usize, usize) {
        let wide = self.columns.len().max(1);
        let named = |at: &usize| {
            let (row, column) = (&self.rows[at / wide].0, &self.columns[at % wide].0);
            !row.is_empty() && !column.is_empty() && self.exclusion_reason(*at).is_none()
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

/// The effect of metadata on existing items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// Number of composed items.
    pub composed: u64,
    /// Items whose templates or style wording changed, so that they would be composed differently.
    pub stale: Tally,
    /// Items with a term, subject, or subtask that no longer exists, so that they cannot be
    /// composed again.
    pub gone: Tally,
    /// What no longer exists, with the number of affected items, most first; at most 100.
    pub causes: Vec<(String, u64)>,
}

// All variants. The position is the stored code.
named! {
    /// Whether an item would be composed the same way again.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Freshness {
        /// Yes, or it was not composed in the project.
        #[default]
        Fresh = "no",
        /// Its templates or style wording changed.
        Stale = "yes",
        /// A term, subject, or subtask of it no longer exists.
        Gone = "gone",
    }
}

impl Freshness {
    /// The stored code: the position in [`Freshness::ALL`].
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// A term whose items are often rejected (step 4 of Dysca's cleaning removes terms that pictures
/// get wrong).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FailingTerm {
    /// The vocabulary, or `style`.
    pub vocabulary: String,
    pub term: String,
    pub items: Tally,
    /// Lower end of the 95 % Wilson interval of the rejected share among accepted and rejected
    /// items, 0 to 1.
    pub at_least: f64,
}

/// The result of discarding terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscardResult {
    /// Items with any of the terms, by status before.
    pub items: Tally,
    /// Items rejected, or that would be rejected in a preview.
    pub rejected: u64,
}
