//! Figures that papers published, alone or beside a board.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

use super::{source, text};
use crate::board::Of;
use crate::context::Context;
use crate::out::{json_text, print};
use benchtop_formats::published::Figure;
use benchtop_formats::published_figures as published;
use benchtop_model::Result;
use benchtop_model::analysis::What;
use benchtop_model::board::model_names::same;
use benchtop_model::board::{Board, Cell};

#[derive(clap::Args)]
pub struct Args {
    /// Paper: Dysca, MM-SAP, MVP-Bench or VLB [default: all]
    #[arg(value_name = "PAPER")]
    paper: Option<String>,
    /// Show them beside the board of these files or folders, or of the project if PATH is omitted
    #[arg(long, value_name = "PATH", num_args = 0..)]
    beside: Option<Vec<PathBuf>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    if let Some(paths) = &args.beside {
        let of = Of {
            paths: paths.clone(),
            ..Of::default()
        };
        let found = source::open(context, &of)?.analyzed(What::Published(args.paper.clone()))?;
        return super::show(&found, args.json);
    }
    let figures = published::of_paper(args.paper.as_deref())?;
    let line = |f: &Figure| {
        json_text(
            &json!({"paper": f.paper, "table": f.table, "model": f.model, "column": f.column,
            "board_column": published::column_of(f), "value": f.value, "sd": f.sd}),
        )
    };
    let text = match args.json {
        true => figures.iter().map(line).collect(),
        false => text::figures(&figures),
    };
    print(&text).map(|()| 0)
}

/// The board with its published rows, one JSON line per cell.
pub(super) fn json(board: &Board) -> String {
    let mut out = String::new();
    for row in &board.rows {
        let own =
            |r: &&benchtop_model::board::Row| r.reference.is_none() && same(&r.model, &row.model);
        let here = board
            .rows
            .iter()
            .find(own)
            .filter(|_| row.reference.is_some());
        for (cell, column) in row.cells.iter().zip(&board.columns) {
            let Some((cell, value)) = cell.and_then(|c: Cell| Some((c, c.value()?))) else {
                continue;
            };
            let line = CellLine {
                model: &row.model,
                column: &column.name,
                k: cell.k(),
                n: cell.n(),
                value,
                reference: row.reference.as_deref(),
                same_as: here.map(|r| r.model.as_str()),
            };
            out += &json_text(&line);
        }
    }
    out
}

/// The JSON line of one cell of a board with references; see `docs/cli.md`.
#[derive(Serialize)]
struct CellLine<'a> {
    model: &'a str,
    column: &'a str,
    k: Option<u64>,
    n: u64,
    value: f64,
    reference: Option<&'a str>,
    same_as: Option<&'a str>,
}
