//! `benchtop analyze`: analyses of a whole board, of the project or of files.

mod chart;
mod contamination;
mod draws;
mod other;
mod published;
mod source;
mod text;
mod variants;

use clap::{Subcommand, ValueEnum};

use self::draws::Draws;
use crate::board::Of;
use crate::context::Context;
use crate::out::{json_text, print};
use benchtop_metrics::alignment::THRESHOLD;
use benchtop_model::analysis::variants::Variants;
use benchtop_model::analysis::{
    Alignment, Analysis, By, Cleaning, Correlate, Intervals, Kept, Linkage, Stability, What,
};
use benchtop_model::{Error, Result, analysis};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    analysis: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Correlate the order of models between two columns, two boards, or a board and a paper
    Correlate(CorrelateArgs),
    /// Cluster models or subtasks by their scores
    Cluster(ClusterArgs),
    /// Show how scores converge as the number of questions grows
    Stability(StabilityArgs),
    /// Show how removing items changed the score of each model
    Cleaning(CleaningArgs),
    /// Compute confidence intervals for columns, including SQ and SC
    Intervals(IntervalsArgs),
    /// Report how many pictures match their prompts, by aspect and difficulty
    Alignment(AlignmentArgs),
    /// Show results on VLB's variants: visual by language strategies, and by their number
    Variants(VariantsArgs),
    /// Report image and image-text contamination by the reference folders, also of variants
    Contamination(ContaminationArgs),
    /// Draw a chart: bars of one column or model, or a shaded table
    Chart(chart::Args),
    /// List figures that papers published, alone or beside a board
    Published(published::Args),
}

#[derive(clap::Args)]
struct CorrelateArgs {
    #[command(flatten)]
    of: Of,
    /// Column of the board [default: the main column]
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Column to compare with: of this board, or of the board, table, or paper of the options below
    #[arg(long = "with", value_name = "COLUMN")]
    with: Option<String>,
    #[command(flatten)]
    other: other::Args,
    /// Seed of the permutation test, used if there are too many orders to try all
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct ClusterArgs {
    #[command(flatten)]
    of: Of,
    /// Objects to cluster
    #[arg(long = "of", value_enum, value_name = "WHAT", default_value_t = Points::Models)]
    points: Points,
    /// Linkage: the distance between two clusters
    #[arg(long, value_enum, default_value_t = Method::Ward)]
    method: Method,
    /// Columns to use; may contain `*` and `?` [default: accuracy by subtask]
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
struct StabilityArgs {
    #[command(flatten)]
    of: Of,
    /// Column to analyze [default: the main column]
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Shares of the data in percent, comma-separated [default: 1,10,20,...,100]
    #[arg(long, value_name = "PERCENT", value_delimiter = ',')]
    fractions: Vec<f64>,
    /// Seed of the order of questions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct CleaningArgs {
    #[command(flatten)]
    of: Of,
    /// Column to analyze [default: the main column]
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Keep accepted items (the default)
    #[arg(long)]
    accepted: bool,
    /// Keep the items that this round accepted
    #[arg(long, value_name = "ROUND", conflicts_with = "accepted")]
    round: Option<String>,
    /// Keep all items that were not rejected
    #[arg(long, conflicts_with_all = ["accepted", "round"])]
    kept: bool,
    #[command(flatten)]
    draws: Draws,
}

#[derive(clap::Args)]
struct IntervalsArgs {
    #[command(flatten)]
    of: Of,
    /// Columns, comma-separated; may contain `*` and `?` [default: the main column]
    #[arg(long, alias = "column", value_name = "GLOB")]
    columns: Option<String>,
    #[command(flatten)]
    draws: Draws,
}

#[derive(clap::Args)]
struct AlignmentArgs {
    #[command(flatten)]
    of: Of,
    /// Source of the judgments: the alignment filter, or the verdicts of people
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Who::Filter)]
    by: Who,
    /// Use only verdicts of this round (with `--by people`)
    #[arg(long, value_name = "ROUND")]
    round: Option<String>,
    /// Minimum share of right answers for the filter to call a picture aligned
    #[arg(long, value_name = "SHARE", default_value_t = THRESHOLD, value_parser = share)]
    threshold: f64,
}

#[derive(clap::Args)]
struct VariantsArgs {
    #[command(flatten)]
    of: Of,
    /// Show only this model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// List the modified questions that were answered right before and wrong after
    #[arg(long)]
    changed: bool,
}

#[derive(clap::Args)]
struct ContaminationArgs {
    #[command(flatten)]
    of: Of,
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
    found.ok_or_else(|| format!("`{text}` is not a number from 0 to 1"))
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let (of, what) = match &args.analysis {
        Kind::Chart(args) => return chart::run(context, args),
        Kind::Published(args) => return published::run(context, args),
        Kind::Correlate(args) => {
            let other = args
                .other
                .read(args.with.as_deref().or(args.column.as_deref()))?;
            let with = args.with.clone().filter(|_| other.is_none());
            let what = Correlate {
                column: args.column.clone(),
                with,
                other,
                seed: args.seed,
            };
            (&args.of, What::Correlate(what))
        }
        Kind::Cluster(args) => {
            let of = match args.points {
                Points::Models => analysis::Of::Models,
                Points::Subtasks => analysis::Of::Subtasks,
            };
            let method = match args.method {
                Method::Ward => Linkage::Ward,
                Method::Average => Linkage::Average,
            };
            let source = source::open(context, &args.of)?;
            let columns = source.columns(args.columns.as_deref())?;
            let what = analysis::Cluster {
                of,
                method,
                columns,
            };
            return show(&source.analyzed(What::Cluster(what))?, args.of.json);
        }
        Kind::Stability(args) => {
            let (column, fractions) = (args.column.clone(), args.fractions.clone());
            let what = Stability {
                column,
                fractions,
                seed: args.seed,
            };
            (&args.of, What::Stability(what))
        }
        Kind::Cleaning(args) => {
            let kept = match &args.round {
                Some(round) => Kept::Round(round.clone()),
                None if args.kept => Kept::NotRejected,
                None => Kept::Accepted,
            };
            let what = Cleaning {
                column: args.column.clone(),
                kept,
                plan: args.draws.plan(),
            };
            (&args.of, What::Cleaning(what))
        }
        Kind::Alignment(args) => {
            let by = match (args.by, &args.round) {
                (Who::Filter, None) => By::Filter(args.threshold),
                (Who::People, round) => By::People(round.clone()),
                (Who::Filter, Some(_)) => {
                    return Err(
                        Error::usage("--round requires --by people").help("add --by people")
                    );
                }
            };
            (&args.of, What::Alignment(Alignment { by }))
        }
        Kind::Variants(args) => {
            let what = Variants {
                model: args.model.clone(),
                changed: args.changed,
            };
            (&args.of, What::Variants(what))
        }
        Kind::Contamination(args) => (&args.of, What::Contamination),
        Kind::Intervals(args) => {
            let source = source::open(context, &args.of)?;
            let columns = source.columns(args.columns.as_deref())?;
            let plan = args.draws.plan();
            let what = What::Intervals(Intervals { columns, plan });
            return show(&source.analyzed(what)?, args.of.json);
        }
    };
    show(&source::open(context, of)?.analyzed(what)?, of.json)
}

/// Prints an analysis as text, or as JSON: one object, or one object per line for lists.
fn show(found: &Analysis, is_json: bool) -> Result<u8> {
    let text = match (is_json, found) {
        (false, found) => text::of(found),
        (true, Analysis::Correlated(found)) => json_text(found),
        (true, Analysis::Clustered(found)) => json_text(found),
        (true, Analysis::Stable(found)) => json_text(found),
        (true, Analysis::Cleaned(found)) => json_text(found),
        (true, Analysis::Aligned(found)) => json_text(found),
        (true, Analysis::Intervals(list)) => list.iter().map(json_text).collect(),
        (true, Analysis::Variants(list)) => list.iter().map(json_text).collect(),
        (true, Analysis::Contamination(found)) => json_text(found),
        (true, Analysis::Published(board)) => published::json(board),
    };
    print(&text).map(|()| 0)
}
