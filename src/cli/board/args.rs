//! The arguments of `benchtop board`, and what they ask for.

use std::path::PathBuf;

use clap::ValueEnum;

use benchtop_metrics::extract::Extractor;
use benchtop_model::board::PublishedFigures;
use benchtop_model::{Error, Result};

/// The options of the analyses that choose a board.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Of {
    /// Question and prediction files, or folders of them [default: the project's board]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// mapping.toml that explains the columns of tables among PATH
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Extraction rule [default: the rule of each question's paper]
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
    /// Score all items, the accepted ones, or those accepted in a round [default: all]
    #[arg(long, value_name = "all|accepted|ROUND")]
    pub curated: Option<String>,
    /// Score only items that match this filter
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop board\n  benchtop board predictions/ --format csv\n  benchtop board --curated accepted --columns 'Acc*' --sort Acc\n  benchtop board --compare model-a model-b --column Acc\n  benchtop board --answers model-a --column Acc --wrong"
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
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Add rows with the figures that papers published, or one paper (Dysca, MM-SAP, MVP-Bench)
    #[arg(long, alias = "printed", num_args = 0..=1, value_name = "PAPER", conflicts_with_all = ["ranks", "compare", "intervals"])]
    pub published: Option<Option<String>>,
    /// Add a row with the chance levels of the questions, by their present options
    #[arg(long, conflicts_with_all = ["ranks", "compare", "intervals"])]
    pub chance: bool,
    /// Rank models by this column; ranges where the differences are not significant
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["sort", "columns", "compare", "intervals"])]
    pub ranks: Option<String>,
    /// Compare two models on the same questions (with --column)
    #[arg(long, num_args = 2, value_names = ["MODEL", "MODEL"], requires = "column", conflicts_with_all = ["sort", "columns", "intervals"])]
    pub compare: Option<Vec<String>>,
    /// Print confidence intervals of all models (with --column)
    ///
    /// The cluster bootstrap resamples images or image pairs.
    #[arg(long, alias = "sure", requires = "column", conflicts_with_all = ["sort", "columns"])]
    pub intervals: bool,
    /// List the answers that a model's cell counts (with --column)
    #[arg(long, alias = "behind", value_name = "MODEL", requires = "column", conflicts_with_all = ["sort", "columns", "intervals", "compare", "ranks", "published", "against"])]
    pub answers: Option<String>,
    /// List the pictures whose multiple-choice question this model answers right and whose
    /// true-or-false question about the same subtask it answers wrong
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["sort", "columns", "column", "intervals", "compare", "ranks", "published", "chance", "against", "answers", "item"])]
    pub inconsistent: Option<String>,
    /// List only the wrong answers (with --answers)
    #[arg(long, requires = "answers")]
    pub wrong: bool,
    /// Count the answers that this rule reads differently than --rule, by model
    ///
    /// Without --rule, the rule of each question's paper counts. `tool` compares with the verdicts
    /// that other tools stored with the answers.
    #[arg(long, value_name = "RULE|tool", conflicts_with_all = ["sort", "columns", "intervals", "compare", "ranks", "published", "column"])]
    pub against: Option<String>,
    /// List what each model answered to this item, given by id, key, or number
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["sort", "columns", "intervals", "compare", "ranks", "published", "answers", "against"])]
    pub item: Option<String>,
    /// Column for --answers, --compare, --intervals and --item
    ///
    /// With --item it decides which answers count as right.
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Bootstrap draws of --compare and --intervals
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

/// Rows that were not scored here, after the scored ones.
#[derive(Clone, Debug, Default)]
pub struct References {
    pub printed: PublishedFigures,
    /// Whether there is a row of chance levels.
    pub chance: bool,
}

/// The rows to show after the scored ones.
pub(super) fn references(args: &Args) -> References {
    let printed = match &args.published {
        None => PublishedFigures::Off,
        Some(None) => PublishedFigures::All,
        Some(Some(paper)) => PublishedFigures::Paper(paper.clone()),
    };
    let chance = args.chance;
    References { printed, chance }
}

/// The extraction rule of that name.
///
/// # Errors
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) with the known names.
pub fn extractor(name: &str) -> Result<Extractor> {
    Extractor::from_name(name).ok_or_else(|| {
        let names = Extractor::ALL.map(Extractor::name).join(", ");
        Error::usage(format!("unknown extraction rule `{name}`")).help(format!("one of: {names}"))
    })
}
