//! `benchtop analyse`: closer looks at a whole board, the project's or that of files.

mod chart;
mod other;
mod published;
mod source;
mod text;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use self::source::{Of, Source};
use crate::context::Context;
use crate::out::print;
use benchtop_metrics::alignment::THRESHOLD;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::analysis::{
    Alignment, Analysis, By, Cleaning, Correlate, Intervals, Kept, Linkage, Stability, What,
};
use benchtop_model::{Error, ErrorKind, Result, analysis};

/// Arguments of `analyse`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Look,
}

#[derive(Subcommand)]
enum Look {
    /// Whether two columns, two boards, or a board and a paper put models in the same order
    Correlate(Correlating),
    /// Which models, or subtasks, are alike, as a tree
    Cluster(Clustering),
    /// How scores settle as more questions come in
    Stability(Settling),
    /// What taking items out did to every model
    Cleaning(Cleaned),
    /// How sure the numbers of columns are, SQ and SC among them
    Intervals(Sure),
    /// How many pictures show what they should, by aspect and difficulty
    Alignment(Aligned),
    /// A picture of a board: bars of one column, or a shaded table
    Chart(chart::Args),
    /// What papers printed, alone or beside a board
    Published(published::Args),
}

#[derive(clap::Args)]
struct Correlating {
    #[command(flatten)]
    of: Of,
    /// The board's column; the leading one otherwise
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// What it is held against: another column of the board, or a column of what is named below
    #[arg(long = "with", value_name = "COLUMN")]
    with: Option<String>,
    #[command(flatten)]
    other: other::Args,
    /// What orders are drawn with where there are too many to try all
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct Clustering {
    #[command(flatten)]
    of: Of,
    /// What is put together
    #[arg(long = "of", value_enum, value_name = "WHAT", default_value_t = Points::Models)]
    points: Points,
    /// How far two clusters are apart
    #[arg(long, value_enum, default_value_t = Method::Ward)]
    method: Method,
    /// Only columns that match; accuracy by subtask otherwise
    #[arg(long, value_name = "GLOB")]
    columns: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Points {
    Models,
    Subtasks,
}

#[derive(Clone, Copy, ValueEnum)]
enum Method {
    Ward,
    Average,
}

#[derive(clap::Args)]
struct Settling {
    #[command(flatten)]
    of: Of,
    /// The column; the leading one otherwise
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Percent of the data, parted by commas; 1,10,20 to 100 otherwise
    #[arg(long, value_name = "PERCENT", value_delimiter = ',')]
    fractions: Vec<f64>,
    /// What the order of questions is drawn with
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct Cleaned {
    #[command(flatten)]
    of: Of,
    /// The column; the leading one otherwise
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// What is left is what was accepted
    #[arg(long)]
    accepted: bool,
    /// What is left is what the protocol of this round accepted
    #[arg(long, value_name = "ROUND", conflicts_with = "accepted")]
    round: Option<String>,
    /// What is left is everything that was not rejected
    #[arg(long, conflicts_with_all = ["accepted", "round"])]
    kept: bool,
    #[command(flatten)]
    draws: Draws,
}

#[derive(clap::Args)]
struct Sure {
    #[command(flatten)]
    of: Of,
    /// The columns that match, parted by commas; the leading one otherwise
    #[arg(long, value_name = "GLOB")]
    column: Option<String>,
    #[command(flatten)]
    draws: Draws,
}

#[derive(clap::Args)]
struct Aligned {
    #[command(flatten)]
    of: Of,
    /// Who says whether a picture is aligned
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Who::Filter)]
    by: Who,
    /// Only verdicts of this round, with `--by people`
    #[arg(long, value_name = "ROUND")]
    round: Option<String>,
    /// Share of right answers from which on the filter calls a picture aligned
    #[arg(long, value_name = "SHARE", default_value_t = THRESHOLD, value_parser = share)]
    threshold: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Who {
    Filter,
    People,
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let found = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    found.ok_or_else(|| format!("`{text}` is no share from 0 to 1"))
}

/// How intervals are drawn.
#[derive(clap::Args)]
struct Draws {
    /// Bootstrap draws
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().draws, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    draws: u32,
    /// What they are drawn with
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().seed)]
    seed: u64,
}

impl Draws {
    fn plan(&self) -> Bootstrap {
        Bootstrap {
            draws: self.draws,
            seed: self.seed,
        }
    }
}

/// Runs it.
///
/// # Errors
/// As the board of the same files or project; [`ErrorKind::NotFound`] for a column that is not there; [`ErrorKind::Input`] where there is too little to
/// say anything.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let found = match &args.what {
        Look::Chart(args) => return chart::run(context, args),
        Look::Published(args) => return published::run(context, args),
        Look::Correlate(args) => {
            let other = args
                .other
                .read(args.with.as_deref().or(args.column.as_deref()))?;
            let with = args.with.clone().filter(|_| other.is_none());
            let what = What::Correlate(Correlate {
                column: args.column.clone(),
                with,
                other,
                seed: args.seed,
            });
            (
                Source::open(context, &args.of)?.analysed(what)?,
                args.of.json,
            )
        }
        Look::Cluster(args) => {
            let source = Source::open(context, &args.of)?;
            let of = match args.points {
                Points::Models => analysis::Of::Models,
                Points::Subtasks => analysis::Of::Subtasks,
            };
            let method = match args.method {
                Method::Ward => Linkage::Ward,
                Method::Average => Linkage::Average,
            };
            let columns = source.columns(args.columns.as_deref())?;
            (
                source.analysed(What::Cluster(analysis::Cluster {
                    of,
                    method,
                    columns,
                }))?,
                args.of.json,
            )
        }
        Look::Stability(args) => {
            let (column, fractions) = (args.column.clone(), args.fractions.clone());
            let what = What::Stability(Stability {
                column,
                fractions,
                seed: args.seed,
            });
            (
                Source::open(context, &args.of)?.analysed(what)?,
                args.of.json,
            )
        }
        Look::Cleaning(args) => {
            let kept = match &args.round {
                Some(round) => Kept::Round(round.clone()),
                None if args.kept => Kept::NotRejected,
                None => Kept::Accepted,
            };
            let what = What::Cleaning(Cleaning {
                column: args.column.clone(),
                kept,
                plan: args.draws.plan(),
            });
            (
                Source::open(context, &args.of)?.analysed(what)?,
                args.of.json,
            )
        }
        Look::Alignment(args) => {
            let by = match (args.by, &args.round) {
                (Who::Filter, None) => By::Filter(args.threshold),
                (Who::People, round) => By::People(round.clone()),
                (Who::Filter, Some(_)) => {
                    return Err(
                        Error::new(ErrorKind::Usage, "--round chooses verdicts of people")
                            .help("add --by people"),
                    );
                }
            };
            (
                Source::open(context, &args.of)?.analysed(What::Alignment(Alignment { by }))?,
                args.of.json,
            )
        }
        Look::Intervals(args) => {
            let source = Source::open(context, &args.of)?;
            let columns = source.columns(args.column.as_deref())?;
            (
                source.analysed(What::Intervals(Intervals {
                    columns,
                    plan: args.draws.plan(),
                }))?,
                args.of.json,
            )
        }
    };
    match found {
        (found, true) => json(&found),
        (found, false) => print(&text::of(&found)).map(|()| 0),
    }
}

/// Prints an analysis as JSON: one object, or one a line where it is a list.
fn json(found: &Analysis) -> Result<u8> {
    let mut out = Vec::new();
    match found {
        Analysis::Correlated(found) => crate::out::json_line(&mut out, found)?,
        Analysis::Clustered(found) => crate::out::json_line(&mut out, found)?,
        Analysis::Stable(found) => crate::out::json_line(&mut out, found)?,
        Analysis::Cleaned(found) => crate::out::json_line(&mut out, found)?,
        Analysis::Aligned(found) => crate::out::json_line(&mut out, found)?,
        Analysis::Sure(list) => list
            .iter()
            .try_for_each(|one: &analysis::Sure| crate::out::json_line(&mut out, one))?,
        Analysis::Published(board) => published::json(board, &mut out)?,
    }
    print(&String::from_utf8_lossy(&out)).map(|()| 0)
}

/// A file that is read as a CSV table: its names and its rows.
fn table(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let input = std::io::BufReader::new(benchtop_formats::input::open(path)?);
    let rows = benchtop_formats::delimited::table(input).map_err(|p| p.file(path))?;
    let mut rows = rows.into_iter().map(|(_, cells)| cells);
    let Some(names) = rows.next() else {
        return Err(Error::new(ErrorKind::Input, "the file is empty")
            .file(path)
            .help("the first line names the columns"));
    };
    Ok((names, rows.collect()))
}

/// One line of JSON a cell of a board with references; see `docs/cli.md`.
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
