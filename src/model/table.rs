//! Answers to questions about columns: what the frequency and describe views show, for items and boards alike.

use serde::{Deserialize, Serialize};

/// How often each value of a column occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frequency {
    /// The column's name.
    pub column: String,
    /// Values with their counts, most frequent first; ties by value. Empty text stands for "has none".
    pub rows: Vec<(String, u64)>,
    /// Rows counted.
    pub total: u64,
    /// Distinct values beyond those listed.
    pub more: u64,
}

/// What a column holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The column's name.
    pub column: String,
    /// Rows that have a value.
    pub present: u64,
    /// Rows that have none.
    pub missing: u64,
    /// Distinct values.
    pub distinct: u64,
    /// Smallest value as shown.
    pub min: String,
    /// Largest value as shown.
    pub max: String,
    /// Mean, for numbers.
    pub mean: Option<f64>,
    /// Most frequent value.
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
