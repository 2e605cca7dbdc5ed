//! `benchtop board`: the leaderboard of the project or of files.
//!
//! | file | contents |
//! |---|---|
//! | `print` | prints a board in each format |
//! | `source` | gets the board: from files, or from the project's owner |
//! | `comparison` | ranks, intervals, and comparisons of two models |
//! | `drilldown` | answers behind a cell, answers to one question, and answers that two rules read differently |

mod comparison;
mod drilldown;
mod print;
mod source;

use std::cmp::Ordering;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;

pub use self::print::print;

use self::source::Source;
use crate::context::Context;
use benchtop_metrics::extract::Extractor;
use benchtop_model::board::analysis::TOOL;
use benchtop_model::board::{Better, Board, BoardQuery, Cell, Curated, PublishedFigures, Row};
use benchtop_model::{Error, ErrorKind, Filter, Result};

#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop board\n  benchtop board predictions/ --format csv\n  benchtop board --curated accepted --columns 'Acc*' --sort Acc\n  benchtop board --compare model-a model-b --column Acc\n  benchtop board --behind model-a --column Acc --wrong"
)]
pub struct Args {
    /// Question and prediction files, or folders of them [default: the project's]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// mapping.toml that explains the columns of tables among PATH
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub format: Output,
    /// Sort by this column, best first
    ///
    /// `COLUMN:asc` sorts the smallest first, `COLUMN:desc` the largest first, and `model` sorts by
    /// name.
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// Extraction rule, such as strict or legacy-dysca [default: the rule of each question's paper]
    ///
    /// `benchtop extract --rules` lists the rules.
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Show only columns that match, such as `Acc.style.*`
    ///
    /// `*` matches any text and `?` any character. Separate alternatives with commas.
    #[arg(long, value_name = "GLOB")]
    pub columns: Option<String>,
    /// Score all items, the accepted ones, or those accepted in a round [default: all]
    #[arg(long, value_name = "all|accepted|ROUND")]
    pub curated: Option<String>,
    /// Score only items that match this filter
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    /// Add rows with the figures that papers published, or one paper (Dysca, MM-SAP, MVP-Bench)
    #[arg(long, num_args = 0..=1, value_name = "PAPER", conflicts_with_all = ["ranks", "compare", "sure"])]
    pub printed: Option<Option<String>>,
    /// Rank models by this column; ranges where the differences are not significant
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["sort", "columns", "compare", "sure"])]
    pub ranks: Option<String>,
    /// Compare two models on the same questions (with --column)
    #[arg(long, num_args = 2, value_names = ["MODEL", "MODEL"], requires = "column", conflicts_with_all = ["sort", "columns", "sure"])]
    pub compare: Option<Vec<String>>,
    /// Print confidence intervals of all models (with --column)
    ///
    /// The cluster bootstrap resamples images or image pairs.
    #[arg(long, requires = "column", conflicts_with_all = ["sort", "columns"])]
    pub sure: bool,
    /// List the answers behind a model's cell (with --column)
    #[arg(long, value_name = "MODEL", requires = "column", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "against"])]
    pub behind: Option<String>,
    /// List only the wrong answers (with --behind)
    #[arg(long, requires = "behind")]
    pub wrong: bool,
    /// Count the answers that this rule reads differently than --rule, by model
    ///
    /// Without --rule, the rule of each question's paper counts. `tool` compares with the verdicts
    /// that other tools stored with the answers.
    #[arg(long, value_name = "RULE|tool", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "column"])]
    pub against: Option<String>,
    /// List what each model answered to this item, given by id, key, or number
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "behind", "against"])]
    pub item: Option<String>,
    /// Column for --behind, --compare, --sure and --item
    ///
    /// With --item it decides which answers count as right.
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Bootstrap draws of --compare and --sure
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub draws: u32,
    /// Seed of those draws
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Aligned columns, in blocks that fit the terminal
    Table,
    /// One line per cell: model, column, k, n, value
    Csv,
    /// A Markdown table
    Md,
    /// A LaTeX table
    Latex,
    /// One JSON object per cell: model, column, k, n, value
    Json,
}

/// Prints the board, or the part of it that the options ask for. The exit code is 1 if damaged
/// prediction files were left out.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an unknown column or model; errors of the files or the project.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    if let Some(rule) = &args.rule {
        extractor(rule)?;
    }
    let source = Source::open(context, args)?;
    let width = width();
    let mut out = io::BufWriter::new(super::out::lines());
    if let Some(rule) = &args.against {
        let other = if rule == TOOL {
            None
        } else {
            Some(extractor(rule)?)
        };
        let printed = source.print_against(other, args, &mut out);
        printed.and_then(|()| written(out.flush()))?;
        return Ok(left_out(&source));
    }
    if let Some(item) = &args.item {
        source
            .print_item(item, args, &mut out)
            .and_then(|()| written(out.flush()))?;
        return Ok(left_out(&source));
    }
    let printed = match (&args.ranks, &args.compare, &args.column) {
        (Some(column), ..) => source.ranks(column, args.format, &mut out),
        (_, Some(models), Some(column)) => source.compare(models, column, args, &mut out),
        (_, None, Some(column)) if args.behind.is_some() => source.print_behind(
            args.behind.as_deref().unwrap_or_default(),
            column,
            args,
            &mut out,
        ),
        (_, None, Some(column)) if args.sure => source.sure(column, args, &mut out),
        (_, _, Some(_)) => Err(Error::new(
            ErrorKind::Usage,
            "--column requires --behind, --compare, --sure or --item",
        )
        .help("to choose the printed columns, use --columns GLOB")),
        _ => {
            let mut board = source.board()?;
            if let Some(column) = &args.sort {
                sort(&mut board, column)?;
            }
            if let Some(globs) = &args.columns {
                choose(&mut board, globs)?;
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

/// The result of a write. A closed pipe is not an error.
fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            let mut problem = Error::io(
                &e,
                "cannot write to standard output",
                std::path::Path::new(""),
            );
            problem.place.file = None;
            Err(problem)
        }
        _ => Ok(()),
    }
}

fn board_ask(args: &Args) -> Result<BoardQuery> {
    let curated = match args.curated.as_deref() {
        None | Some("all") => Curated::All,
        Some("accepted") => Curated::Accepted,
        Some(round) => Curated::Round(round.into()),
    };
    let filter = args
        .filter
        .as_deref()
        .map(Filter::parse)
        .transpose()?
        .unwrap_or_default();
    // The owner expects full names of rules.
    let rule = args
        .rule
        .as_deref()
        .map(extractor)
        .transpose()?
        .map(|rule| rule.name().to_string());
    Ok(BoardQuery {
        curated,
        filter,
        rule,
        printed: printed(args),
    })
}

fn printed(args: &Args) -> PublishedFigures {
    match &args.printed {
        None => PublishedFigures::Off,
        Some(None) => PublishedFigures::All,
        Some(Some(paper)) => PublishedFigures::Paper(paper.clone()),
    }
}

/// The extraction rule of that name.
///
/// # Errors
/// [`ErrorKind::Usage`] with the known names.
pub fn extractor(name: &str) -> Result<Extractor> {
    Extractor::from_name(name).ok_or_else(|| {
        let names = Extractor::ALL.map(Extractor::name).join(", ");
        Error::new(
            ErrorKind::Usage,
            format!("unknown extraction rule `{name}`"),
        )
        .help(format!("one of: {names}"))
    })
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

fn unknown_column(board: &Board, what: String) -> Error {
    let names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
    Error::new(ErrorKind::NotFound, what).help(format!("the columns: {}", names.join(", ")))
}

/// Sorts rows by a column, best first. Ties sort scored rows before published ones, then by name.
/// Rows without the cell come last.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an unknown column.
pub fn sort(board: &mut Board, by: &str) -> Result<()> {
    let (name, asked) = match by.rsplit_once(':') {
        Some((name, "asc")) => (name, Some(Better::Less)),
        Some((name, "desc")) => (name, Some(Better::More)),
        _ => (by, None),
    };
    if name == "model" {
        board.rows.sort_by(|a, b| a.model.cmp(&b.model));
        return Ok(());
    }
    let Some(at) = board.columns.iter().position(|c| c.name == name) else {
        return Err(unknown_column(
            board,
            format!("cannot sort: no column `{name}`"),
        ));
    };
    let better = asked.unwrap_or_else(|| board.columns[at].scale.better());
    let value = |row: &Row| row.cells.get(at).copied().flatten().and_then(Cell::value);
    board.rows.sort_by(|a, b| {
        let order = match (value(a), value(b)) {
            (Some(x), Some(y)) => better.order(x, y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        order
            .then_with(|| (a.reference.is_some(), &a.model).cmp(&(b.reference.is_some(), &b.model)))
    });
    Ok(())
}

/// Keeps the columns that match one of the comma-separated globs.
///
/// # Errors
/// [`ErrorKind::NotFound`] if no column matches.
pub fn choose(board: &mut Board, globs: &str) -> Result<()> {
    let keep: Vec<bool> = board
        .columns
        .iter()
        .map(|c| globs.split(',').any(|g| matches(g.trim(), &c.name)))
        .collect();
    if !keep.contains(&true) {
        return Err(unknown_column(
            board,
            format!("no column matches `{globs}`"),
        ));
    }
    let kept = |at: usize| keep.get(at).copied().unwrap_or(false);
    let mut at = 0;
    board.columns.retain(|_| {
        at += 1;
        kept(at - 1)
    });
    for row in &mut board.rows {
        let mut at = 0;
        row.cells.retain(|_| {
            at += 1;
            kept(at - 1)
        });
    }
    Ok(())
}

/// True if `glob` matches the whole text.
fn matches(glob: &str, text: &str) -> bool {
    // reach[i]: the glob up to here matches the first i characters.
    let text: Vec<char> = text.chars().collect();
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    for mark in glob.chars() {
        if mark == '*' {
            let first = reach.iter().position(|r| *r).unwrap_or(reach.len());
            reach[first..].fill(true);
        } else {
            for at in (1..=text.len()).rev() {
                reach[at] = reach[at - 1] && (mark == '?' || mark == text[at - 1]);
            }
            reach[0] = false;
        }
    }
    reach[text.len()]
}

#[cfg(test)]
mod tests {
    use benchtop_model::board::{Cell, Column, Counts, Scale};

    use super::*;

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
