//! `benchtop board`: the leaderboard of the project, or of files without one.
//!
//! | file | what it does |
//! |---|---|
//! | `print` | a board in every format |
//! | `source` | where it comes from: files, or the project through its owner |
//! | `comparison` | ranks, intervals, two models |
//! | `drilldown` | the answers behind a cell, those to one question, and those that two rules read otherwise |

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
use benchtop_model::board::{Better, Board, BoardAsk, Cell, Curated, Printed, Row};
use benchtop_model::{Error, ErrorKind, Filter, Result};

/// Arguments of `benchtop board`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Question and prediction files, or folders of them; the project's own without any
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A mapping.toml that says which column of a table is what
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub format: Output,
    /// Sort by this column, best first; `COLUMN:asc` smallest first, `COLUMN:desc` largest first, `model` by name
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// The rule that reads answers (strict, legacy-dysca, mvp-mcq, first-bracket ...); that of each question's paper otherwise
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Only columns that match; `*` and `?` stand for any text and any character, commas part alternatives
    #[arg(long, value_name = "GLOB")]
    pub columns: Option<String>,
    /// Score all items of the project, the accepted ones, or those accepted in the round of this name
    #[arg(long, value_name = "all|accepted|ROUND")]
    pub curated: Option<String>,
    /// Score only what this filter of the item list finds in the project
    #[arg(long, value_name = "WORDS")]
    pub filter: Option<String>,
    /// With what papers printed for these columns, or one of them (Dysca, MM-SAP, MVP-Bench), as rows after the scored ones
    #[arg(long, num_args = 0..=1, value_name = "PAPER", conflicts_with_all = ["ranks", "compare", "sure"])]
    pub printed: Option<Option<String>>,
    /// Ranks by this column, as ranges where the data cannot tell models apart
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["sort", "columns", "compare", "sure"])]
    pub ranks: Option<String>,
    /// Two models on the same questions, by --column
    #[arg(long, num_args = 2, value_names = ["MODEL", "MODEL"], requires = "column", conflicts_with_all = ["sort", "columns", "sure"])]
    pub compare: Option<Vec<String>>,
    /// How sure every model's number of --column is: images or pairs are drawn again
    #[arg(long, requires = "column", conflicts_with_all = ["sort", "columns"])]
    pub sure: bool,
    /// The answers of a model behind its cell of --column, a line each
    #[arg(long, value_name = "MODEL", requires = "column", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "against"])]
    pub behind: Option<String>,
    /// Of --behind, only the answers that are wrong
    #[arg(long, requires = "behind")]
    pub wrong: bool,
    /// How often this rule reads another answer than --rule (or the rule of each question's paper), by model; `tool`: how often the
    /// verdicts that came along with the answers are others than the board's
    #[arg(long, value_name = "RULE|tool", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "column"])]
    pub against: Option<String>,
    /// What every model answered to this question, by its id, its key or its number
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["sort", "columns", "sure", "compare", "ranks", "printed", "behind", "against"])]
    pub item: Option<String>,
    /// The column of --behind, --compare and --sure; of --item, the column that says what is right
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Draws of --compare and --sure
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub draws: u32,
    /// Seed of those draws
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

/// How a board is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Blocks of columns that fit the terminal; percent and counts
    Table,
    /// One line a cell: model, column, k, n, value
    Csv,
    /// One Markdown table
    Md,
    /// One LaTeX table
    Latex,
    /// One object a line and cell: {"model","column","k","n","value"}
    Json,
}

/// Prints the board, or a closer look at it. A reader that goes away early is no error. The code is 1 where damaged files
/// of answers were left out.
///
/// # Errors
/// Those of the files or the project; [`ErrorKind::NotFound`] for a column or a model that is not there; I/O problems of standard output.
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
            "--column is for --behind, --compare and --sure",
        )
        .help("--columns GLOB chooses which columns are printed")),
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

/// Names the damaged files on standard error; the exit code.
fn left_out(source: &Source) -> u8 {
    for problem in source.damaged() {
        crate::out::tell(format_args!("damaged, left out: {problem}"));
    }
    u8::from(!source.damaged().is_empty())
}

/// What writing came to; a closed pipe is no error.
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

/// What of the project is scored.
///
/// # Errors
/// [`ErrorKind::Usage`] for words that are no filter.
fn board_ask(args: &Args) -> Result<BoardAsk> {
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
    // The owner knows rules by their whole names.
    let rule = args
        .rule
        .as_deref()
        .map(extractor)
        .transpose()?
        .map(|rule| rule.name().to_string());
    Ok(BoardAsk {
        curated,
        filter,
        rule,
        printed: printed(args),
    })
}

/// Which printed rows stand beside the scored ones.
fn printed(args: &Args) -> Printed {
    match &args.printed {
        None => Printed::Off,
        Some(None) => Printed::All,
        Some(Some(paper)) => Printed::Paper(paper.clone()),
    }
}

/// The rule of that name.
///
/// # Errors
/// [`ErrorKind::Usage`] with the names that there are.
pub fn extractor(name: &str) -> Result<Extractor> {
    Extractor::from_name(name).ok_or_else(|| {
        let names = Extractor::ALL.map(Extractor::name).join(", ");
        Error::new(ErrorKind::Usage, format!("no rule `{name}` reads answers"))
            .help(format!("there are: {names}"))
    })
}

/// Columns of the terminal, or of `$COLUMNS`, or 120.
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
    Error::new(ErrorKind::NotFound, what).help(format!("there are: {}", names.join(", ")))
}

/// Sorts rows by a column, best first, ties by name, scored rows before printed ones; rows without that cell come last.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a column that is not there.
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
            format!("no column `{name}` to sort by"),
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

/// Keeps the columns that match one of the globs, which commas part.
///
/// # Errors
/// [`ErrorKind::NotFound`] when none does.
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

/// Whether `glob` matches the whole text.
fn matches(glob: &str, text: &str) -> bool {
    // reach[i]: the glob so far matches the first i characters.
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
    fn every_format() {
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
    fn sorting_and_choosing() {
        let mut less = board();
        less.columns[0].scale = Scale::Squared;
        sort(&mut less, "qAcc.L_l").unwrap();
        assert_eq!(
            less.rows[0].model, "a,b",
            "of a variance the smallest is best"
        );
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
    fn a_closed_pipe_reaches_the_caller_as_such() {
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
