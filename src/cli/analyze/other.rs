//! Scores of models from another source: a second board, a table, or a paper.

use std::path::{Path, PathBuf};

use benchtop_formats::published_figures as published;
use benchtop_model::analysis::Other;
use benchtop_model::board::Cell;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::board::from_paths;

#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Second board: its question and prediction files, or folders of them
    #[arg(long, value_name = "PATH")]
    other: Vec<PathBuf>,
    /// CSV table with a column `model`
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    table: Option<PathBuf>,
    /// Published tables of a paper (see `analyze published`)
    #[arg(long, value_name = "PAPER", conflicts_with_all = ["other", "table"])]
    published: Option<String>,
    /// CSV file of two columns: the name of a model on this board, and its name there
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
}

impl Args {
    /// Reads the scores. Returns `None` if no other source is given.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an unknown column, [`ErrorKind::Input`] for a table without a
    /// column `model` or with cells that are not numbers, and errors of the files.
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
                Some(_) => Err(Error::usage(
                    "--names requires a second board, a table, or a paper",
                )
                .help("add --other, --table or --published")),
                None => Ok(None),
            };
        }
        let board = from_paths(&self.other, None)?.full_board();
        let column = match column {
            Some(name) => name.to_string(),
            None => {
                return Err(Error::usage("no column of the other board is named")
                    .help("name it with --with COLUMN"));
            }
        };
        let Some(of) = board.column(&column) else {
            let there: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
            return Err(
                Error::not_found(format!("the other board has no column `{column}`"))
                    .help(format!("its columns: {}", there.join(", "))),
            );
        };
        let by = of.scale.unit();
        let score = |row: &benchtop_model::board::Row| {
            Some((
                row.model.clone(),
                by * board.cell(row, &of.name).and_then(Cell::value)?,
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

/// Reads the pairs of names: here and there.
fn names(path: &Path) -> Result<Vec<(String, String)>> {
    let (head, rows) = table(path)?;
    let pair = |cells: &Vec<String>| match cells.as_slice() {
        [here, there] => Ok((here.trim().to_string(), there.trim().to_string())),
        _ => Err(
            Error::input(format!("expected 2 columns, found {}", cells.len()))
                .file(path)
                .help("write `NAME HERE,NAME THERE` in each line"),
        ),
    };
    // The first line is a pair as well: the file has no header.
    std::iter::once(&head).chain(&rows).map(pair).collect()
}

fn scores(path: &Path, column: Option<&str>) -> Result<(String, Vec<(String, f64)>)> {
    let (head, rows) = table(path)?;
    let place = |name: &str| {
        head.iter().position(|h| h.trim() == name).ok_or_else(|| {
            Error::not_found(format!("no column `{name}`"))
                .file(path)
                .help(format!("its columns: {}", head.join(", ")))
        })
    };
    let model = place("model")?;
    let column = column.ok_or_else(|| {
        Error::usage("no column of the table is named")
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
            Error::input(format!("`{text}` in row {row} is not a number"))
                .file(path)
                .field(column)
        })?;
        found.push((cells[model].trim().to_string(), number));
    }
    Ok((column.to_string(), found))
}

/// The published figures of a column. `column` is its name on a board or in the paper.
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
        Some(column) => format!("{paper} has no column `{column}`"),
        None => "no column of the paper is named".to_string(),
    };
    Err(Error::not_found(what).help(format!("name one with --with COLUMN: {}", names.join(", "))))
}

/// Reads a CSV file: the column names and the rows.
fn table(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let input = std::io::BufReader::new(benchtop_formats::input::open(path)?);
    let rows = benchtop_formats::delimited::table(input).map_err(|p| p.file(path))?;
    let mut rows = rows.into_iter().map(|(_, cells)| cells);
    let Some(names) = rows.next() else {
        return Err(Error::new(ErrorKind::Input, "the file is empty")
            .file(path)
            .help("write the names of the columns in the first line"));
    };
    Ok((names, rows.collect()))
}
