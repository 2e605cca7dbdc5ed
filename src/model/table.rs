//! Column statistics for the frequency and describe views of items and boards.

use serde::{Deserialize, Serialize};

/// How often each value of a column occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frequency {
    pub column: String,
    /// Values with counts, most frequent first, ties by value. Empty text stands for a missing
    /// value.
    pub rows: Vec<(String, u64)>,
    /// Number of rows.
    pub total: u64,
    /// Number of distinct values that are not listed.
    pub more: u64,
}

/// Summary of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub column: String,
    /// Rows with a value.
    pub present: u64,
    /// Rows without a value.
    pub missing: u64,
    /// Number of distinct values.
    pub distinct: u64,
    /// Smallest value as displayed.
    pub min: String,
    /// Largest value as displayed.
    pub max: String,
    /// Mean, for numeric columns.
    pub mean: Option<f64>,
    pub top: String,
}

/// What rows are selected by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Match {
    /// The cell matches this regular expression, case ignored.
    Regex(String),
    /// The cell is exactly this text.
    Equal(String),
}
