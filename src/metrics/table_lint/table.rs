//! A printed table: its columns and the text of its cells.

/// A table as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Name in findings.
    pub file: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows: the line on which each begins, from 1, and its cells.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl Table {
    /// The number in a cell. `None` if it is empty, a dash, or not a number.
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        number(self.cell(row, column))
    }

    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.rows
            .get(row)
            .and_then(|(_, cells)| cells.get(column))
            .map_or("", |cell| cell.trim())
    }

    /// The index of a column by name, ignoring case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
    }

    pub(super) fn line(&self, row: usize) -> u64 {
        self.rows.get(row).map_or(0, |(line, _)| *line)
    }

    /// The cells of these columns, joined as a name.
    pub(super) fn name(&self, row: usize, columns: &[usize]) -> String {
        let parts: Vec<&str> = columns
            .iter()
            .map(|c| self.cell(row, *c))
            .filter(|cell| !cell.is_empty())
            .collect();
        parts.join(" ")
    }
}

/// Parses a number as tables print it: `71.2`, `+0.92`, `−4.65`, `71.2%`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim();
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    digits
        .parse::<f64>()
        .ok()
        .filter(|n| plain && n.is_finite())
        .map(|n| sign * n)
}
