//! Numbers of models from elsewhere: another board, a table, a paper.

use std::path::{Path, PathBuf};

use super::table;
use benchtop_formats::printed as published;
use benchtop_model::analysis::Other;
use benchtop_model::board::{Cell, Scale};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::board::from_paths;

/// Where the other numbers are.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Another board: its question and prediction files, or folders of them
    #[arg(long, value_name = "PATH")]
    other: Vec<PathBuf>,
    /// A CSV table with a column `model`
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    table: Option<PathBuf>,
    /// The printed tables of a paper (see `analyse published`)
    #[arg(long, value_name = "PAPER", conflicts_with_all = ["other", "table"])]
    published: Option<String>,
    /// How models are called there: a CSV file of two columns, here and there
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
}

impl Args {
    /// Reads them; nothing where no other board is named.
    ///
    /// # Errors
    /// Those of the files; [`ErrorKind::NotFound`] for a column that is not there; [`ErrorKind::Input`] for a table without models or with cells that are
    /// no numbers.
    pub fn read(&self, column: Option<&str>) -> Result<Option<Other>> {
        let names = self
            .names
            .as_deref()
            .map(names)
            .transpose()?
            .unwrap_or_default();
        let other = |name: String, column: String, scores| {
            Ok(Some(Other {
                name,
                column,
                scores,
                names,
            }))
        };
        if let Some(path) = &self.table {
            let (column, scores) = scores(path, column)?;
            return other(path.display().to_string(), column, scores);
        }
        if let Some(paper) = &self.published {
            let (column, scores) = printed(paper, column)?;
            return other(paper.clone(), column, scores);
        }
        if self.other.is_empty() {
            return match &self.names {
                Some(_) => Err(Error::new(
                    ErrorKind::Usage,
                    "--names is for another board, a table or a paper",
                )
                .help("name it with --other, --table or --published")),
                None => Ok(None),
            };
        }
        let board = from_paths(&self.other, None)?.whole();
        let column = match column {
            Some(name) => name.to_string(),
            None => {
                return Err(
                    Error::new(ErrorKind::Usage, "which column of the other board?")
                        .help("name it with --with COLUMN"),
                );
            }
        };
        let Some(at) = board.columns.iter().position(|c| c.name == column) else {
            let there: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("the other board has no column `{column}`"),
            )
            .help(format!("there are: {}", there.join(", "))));
        };
        let by = if board.columns[at].scale == Scale::Share {
            100.0
        } else {
            1.0
        };
        let score = |row: &benchtop_model::board::Row| {
            Some((
                row.model.clone(),
                by * row.cells.get(at).copied().flatten().and_then(Cell::value)?,
            ))
        };
        let list: Vec<String> = self.other.iter().map(|p| p.display().to_string()).collect();
        other(
            list.join(" "),
            column,
            board.rows.iter().filter_map(score).collect(),
        )
    }
}

/// Which of our models is called what there.
fn names(path: &Path) -> Result<Vec<(String, String)>> {
    let (head, rows) = table(path)?;
    let pair = |cells: &Vec<String>| match cells.as_slice() {
        [here, there] => Ok((here.trim().to_string(), there.trim().to_string())),
        _ => Err(
            Error::input(format!("{} columns, and two are needed", cells.len()))
                .file(path)
                .help("each line is a name here, a comma, and the name there"),
        ),
    };
    // The first line is a pair like the others: there is nothing to call the columns.
    std::iter::once(&head).chain(&rows).map(pair).collect()
}

fn scores(path: &Path, column: Option<&str>) -> Result<(String, Vec<(String, f64)>)> {
    let (head, rows) = table(path)?;
    let place = |name: &str| {
        head.iter().position(|h| h.trim() == name).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("no column `{name}`"))
                .file(path)
                .help(format!("there are: {}", head.join(", ")))
        })
    };
    let model = place("model")?;
    let column = column.ok_or_else(|| {
        Error::new(ErrorKind::Usage, "which column of the table?")
            .file(path)
            .help("name it with --with COLUMN")
    })?;
    let at = place(column)?;
    let mut found = Vec::new();
    for (row, cells) in (2u64..).zip(&rows) {
        let text = cells[at].trim().trim_end_matches('%');
        if text.is_empty() || text == "-" {
            continue;
        }
        let number: Option<f64> = text.parse().ok().filter(|n: &f64| n.is_finite());
        let number = number.ok_or_else(|| {
            Error::input(format!("`{text}` is no number"))
                .file(path)
                .field(column)
                .help(format!("row {row} of the table"))
        })?;
        found.push((cells[model].trim().to_string(), number));
    }
    Ok((column.to_string(), found))
}

/// The printed numbers of a column, named as on a board or as in the paper.
fn printed(paper: &str, column: Option<&str>) -> Result<(String, Vec<(String, f64)>)> {
    let figures = published::of_paper(Some(paper))?;
    let called = |f: &benchtop_formats::published::Figure| {
        published::column_of(f).unwrap_or_else(|| f.column.clone())
    };
    let is = |f: &&benchtop_formats::published::Figure| {
        column.is_some_and(|c| c == f.column || c == called(f))
    };
    let found: Vec<(String, f64)> = figures
        .iter()
        .filter(is)
        .map(|f| (f.model.clone(), f.value))
        .collect();
    if !found.is_empty() {
        return Ok((column.unwrap_or_default().to_string(), found));
    }
    let mut names: Vec<String> = figures.iter().map(called).collect();
    names.sort();
    names.dedup();
    let what = match column {
        Some(column) => format!("{paper} prints no column `{column}`"),
        None => "which column of the paper?".to_string(),
    };
    Err(Error::new(ErrorKind::NotFound, what)
        .help(format!("--with COLUMN; there are: {}", names.join(", "))))
}
