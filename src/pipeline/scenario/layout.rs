//! Rows and columns of a contact sheet.

use serde_json::{Map, Value};

use benchtop_model::{Error, Result};

/// The parameters of the cells of a row; `None` for an empty cell.
pub type Cells = Vec<Option<Map<String, Value>>>;

/// Parameters by row and column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// Labels of the rows, with the parameters of each cell.
    pub rows: Vec<(String, Cells)>,
}

impl Layout {
    /// Leaves the rows whose label begins with one of these names; all if there is none.
    ///
    /// # Errors
    /// [`Error::usage`] for a name that no row has.
    pub fn only(mut self, names: &[String]) -> Result<Layout> {
        let has = |label: &str, name: &str| label == name || label.starts_with(&format!("{name} "));
        for name in names {
            if !self.rows.iter().any(|(label, _)| has(label, name)) {
                let labels: Vec<&str> = self
                    .rows
                    .iter()
                    .map(|(label, _)| label.split(' ').next().unwrap_or_default())
                    .collect();
                return Err(Error::usage(format!("no row `{name}`"))
                    .help(format!("the rows are: {}", labels.join(", "))));
            }
        }
        if !names.is_empty() {
            self.rows
                .retain(|(label, _)| names.iter().any(|name| has(label, name)));
        }
        Ok(self)
    }
}
