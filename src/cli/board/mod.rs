//! `benchtop board`: the leaderboard of the project or of files.
//!
//! | file | contents |
//! |---|---|
//! | `args` | the arguments, and what they ask for |
//! | `columns` | sorts by a column, and chooses columns |
//! | `print` | prints a board in each format |
//! | `source` | gets the board: from files, or from the project's owner |
//! | `comparison` | ranks, intervals, and comparisons of two models |
//! | `drilldown` | answers behind a cell, answers to one question, and answers that two rules read differently |

mod args;
mod columns;
mod comparison;
mod drilldown;
mod print;
mod source;

use std::io::{self, IsTerminal, Write};

pub use self::args::{Args, Of, Output, References, extractor};
pub use self::columns::{choose, sort};
pub use self::print::print;
pub use self::source::Source;

use self::print::written;
use crate::context::Context;
use benchtop_model::board::analysis::TOOL;
use benchtop_model::{Error, Result};

/// The column whose drilldown `--inconsistent` prints.
const INCONSISTENT: &str = "inconsistent";

/// Prints the board, or the part of it that the options ask for. The exit code is 1 if damaged
/// prediction files were left out.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an unknown column or model; errors of the files or the project.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let of = Of {
        paths: args.paths.clone(),
        mapping: args.mapping.clone(),
        rule: args.rule.clone(),
        curated: args.curated.clone(),
        filter: args.filter.clone(),
        json: false,
    };
    let refusal = (
        "--curated and --filter apply only to a project's items",
        "omit PATH, or import the files first",
    );
    let source = Source::open(context, &of, args::references(args), refusal)?;
    let width = width();
    let mut out = io::BufWriter::new(super::out::lines());
    let Args {
        against,
        item,
        ranks,
        compare,
        answers,
        inconsistent,
        column,
        ..
    } = args;
    if let Some(model) = inconsistent {
        source.print_drilldown(model, INCONSISTENT, args, &mut out)?;
        written(out.flush())?;
        return Ok(left_out(&source));
    }
    let printed = match (against, item, ranks, column) {
        (Some(rule), ..) => {
            let other = (rule != TOOL).then(|| extractor(rule)).transpose()?;
            source.print_against(other, args, &mut out)
        }
        (_, Some(item), ..) => source.print_item(item, args, &mut out),
        (_, _, Some(column), _) => source.ranks(column, args.format, &mut out),
        (.., Some(column)) => match (compare, answers) {
            (Some(models), _) => source.compare(models, column, args, &mut out),
            (None, Some(model)) => source.print_drilldown(model, column, args, &mut out),
            (None, None) if args.intervals => source.intervals(column, args, &mut out),
            (None, None) => Err(Error::usage(
                "--column requires --answers, --compare, --intervals or --item",
            )
            .help("to choose the printed columns, use --columns GLOB")),
        },
        _ => {
            let mut board = source.board()?;
            if let Some(column) = &args.sort {
                sort(&mut board, column)?;
            }
            match &args.columns {
                Some(globs) => choose(&mut board, globs)?,
                None => board.retain(|column| !column.on_demand),
            }
            source.skipped();
            let shown = print(&board, args.format, width, &mut out);
            let json = matches!(args.format, Output::Json);
            let damaged = source.damaged().iter().filter(|_| json);
            written(shown.and_then(|()| {
                damaged
                    .into_iter()
                    .try_for_each(|p| print::damaged(p, &mut out))
            }))
        }
    };
    printed.and_then(|()| written(out.flush()))?;
    Ok(left_out(&source))
}

/// Lists the damaged files on standard error. Returns the exit code.
fn left_out(source: &Source) -> u8 {
    for problem in source.damaged() {
        crate::out::tell(format_args!("left out, damaged: {problem}"));
    }
    u8::from(!source.damaged().is_empty())
}

/// The width of the terminal, else `$COLUMNS`, else 120.
fn width() -> usize {
    let terminal = if io::stdout().is_terminal() {
        crossterm::terminal::size()
            .ok()
            .map(|(w, _)| usize::from(w))
    } else {
        None
    };
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.filter(|w| *w > 0).or_else(asked).unwrap_or(120)
}

#[cfg(test)]
mod tests {
    use benchtop_model::board::{Board, Cell, Column, Counts, Row, Scale};

    use super::columns::matches;
    use super::*;
    use benchtop_model::ErrorKind;

    fn board() -> Board {
        let column = |name: &str, group: &str| Column::share(name, group, "");
        let row = |model: &str, cells: [(u64, u64); 3]| Row {
            model: model.into(),
            cells: cells
                .iter()
                .map(|(k, n)| (*n > 0).then_some(Cell::Share { k: *k, n: *n }))
                .collect(),
            counts: Counts::default(),
            reference: None,
            white_box: Vec::new(),
        };
        Board {
            questions: 4,
            columns: vec![
                column("qAcc.L_l", "qAcc"),
                column("qAcc.L_h", "qAcc"),
                column("mAcc.L_m", "mAcc"),
            ],
            rows: vec![
                row("a,b", [(1, 4), (3, 4), (0, 0)]),
                row("c", [(2, 4), (3, 4), (1, 3)]),
            ],
            notes: vec!["c: odd".into()],
            drafts: 0,
        }
    }

    fn text(board: &Board, format: Output, width: usize) -> String {
        let mut out = Vec::new();
        print(board, format, width, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_every_format() {
        assert_eq!(
            text(&board(), Output::Table, 37),
            "model   qAcc.L_l   qAcc.L_h\na,b    25.00 1/4  75.00 3/4\nc      50.00 2/4  75.00 3/4\n\n\
             model   mAcc.L_m\na,b            -\nc      33.33 1/3\n\nnote: c: odd\n"
        );
        assert_eq!(
            text(&board(), Output::Table, 80).lines().next(),
            Some("model   qAcc.L_l   qAcc.L_h   mAcc.L_m")
        );
        assert_eq!(text(&board(), Output::Table, 1).matches("model").count(), 3);
        assert!(text(&board(), Output::Csv, 0).contains("\"a,b\",qAcc.L_h,3,4,0.75\n"));
        assert_eq!(text(&board(), Output::Csv, 0).lines().count(), 6);
        assert!(
            text(&board(), Output::Md, 0).contains("| c | 50.00 2/4 | 75.00 3/4 | 33.33 1/3 |")
        );
        let latex = text(&board(), Output::Latex, 0);
        assert!(latex.contains("n & 4 & 4 & 3 \\\\\na,b & 25.00 & \\textbf{75.00} & - \\\\\nc & \\textbf{50.00} & \\textbf{75.00} & 33.33 \\\\\n"), "{latex}");
        assert!(
            latex.contains("model & qAcc.L\\_l &") && latex.ends_with("% c: odd\n"),
            "{latex}"
        );
        let first = "{\"model\":\"a,b\",\"column\":\"qAcc.L_l\",\"k\":1,\"n\":4,\"value\":0.25}";
        assert_eq!(text(&board(), Output::Json, 0).lines().next(), Some(first));
    }

    #[test]
    fn sorts_rows_and_chooses_columns() {
        let mut less = board();
        less.columns[0].scale = Scale::Squared;
        sort(&mut less, "qAcc.L_l").unwrap();
        assert_eq!(less.rows[0].model, "a,b", "the smallest variance is best");
        sort(&mut less, "qAcc.L_l:desc").unwrap();
        assert_eq!(less.rows[0].model, "c");
        let order = |by: &str| {
            let mut board = board();
            sort(&mut board, by).unwrap();
            board
                .rows
                .iter()
                .map(|r| r.model.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(order("qAcc.L_l"), ["c", "a,b"]);
        assert_eq!(order("qAcc.L_l:asc"), ["a,b", "c"]);
        assert_eq!(order("qAcc.L_h"), ["a,b", "c"]);
        assert_eq!(order("mAcc.L_m:asc"), ["c", "a,b"]);
        assert_eq!(
            sort(&mut board(), "x").unwrap_err().kind,
            ErrorKind::NotFound
        );
        let mut chosen = board();
        choose(&mut chosen, "mAcc*, qAcc.?_h").unwrap();
        assert_eq!(chosen.columns.len(), 2);
        assert_eq!(
            chosen.rows[1].cells,
            [
                Some(Cell::Share { k: 3, n: 4 }),
                Some(Cell::Share { k: 1, n: 3 })
            ]
        );
        assert!(choose(&mut board(), "z*").is_err());
        assert!(
            matches("*L_?", "qAcc.L_l")
                && !matches("L_?", "qAcc.L_l")
                && matches("*", "")
                && !matches("a", "")
        );
    }

    #[test]
    fn print_returns_broken_pipe_errors() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for format in [
            Output::Table,
            Output::Csv,
            Output::Md,
            Output::Latex,
            Output::Json,
        ] {
            assert_eq!(
                print(&board(), format, 80, &mut Closed).unwrap_err().kind(),
                io::ErrorKind::BrokenPipe
            );
        }
    }
}
