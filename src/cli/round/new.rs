//! `benchtop round new`: creates a round.

use benchtop_model::round::{
    Adjudication, DEFAULT_PRACTICE, Guidelines, NewRound, Order, Protocol, Rate, SEED, Sample,
};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop round new pilot --protocol both-accept --people ann,bob --sample 100\n  benchtop round new main --protocol 'majority 3 of 5' --people a,b,c,d,e --sample 20/stratum --strata subtask --dry-run"
)]
pub struct Args {
    /// Name of the round: letters, digits, `.`, `_` and `-`
    name: String,
    /// Protocol: single, both-accept, "majority 3 of 5", equivalence, audit, answer or refusal
    #[arg(long)]
    protocol: Protocol,
    /// Annotators, comma-separated
    #[arg(long, required = true, value_delimiter = ',', value_name = "NAMES")]
    people: Vec<String>,
    /// Filter that selects the items [default: all items]
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Take a random sample of the items: `10%`, a number, or `100/stratum`
    #[arg(long, value_name = "HOW")]
    sample: Option<Sample>,
    /// Stratify the sample by a field: subtask, type, style, level, dataset, side or variant
    #[arg(long, value_name = "FIELD")]
    strata: Option<String>,
    /// Annotators per item [default: as many as the protocol needs]
    #[arg(long, value_name = "N")]
    overlap: Option<u8>,
    /// Seed of the order, the sample, the repeats, and the probes
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// Show the verdicts of others and of models from the start (not blind)
    #[arg(long)]
    open: bool,
    /// Show items in the order of the list (requires --open)
    #[arg(long, requires = "open")]
    as_listed: bool,
    /// Share of items that the same annotator sees twice
    #[arg(long, default_value_t = Rate::REPEATS, value_name = "SHARE")]
    repeats: Rate,
    /// Share of gold items mixed in as attention checks
    #[arg(long, default_value_t = Rate::PROBES, value_name = "SHARE")]
    probes: Rate,
    /// Number of practice items before the round, half of them bad
    #[arg(long, default_value_t = DEFAULT_PRACTICE, value_name = "N")]
    calibration: u32,
    /// Guidelines shown beside the items: a file of the project
    #[arg(long, value_name = "PATH")]
    guidelines: Option<String>,
    /// Details that adjudicators see, comma-separated
    #[arg(long, value_delimiter = ',', value_name = "WHAT", value_parser = ["names", "scores"])]
    adjudicators_see: Vec<String>,
    /// Show the round, without creating it
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// The request for these arguments.
///
/// # Errors
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for options that contradict each other.
pub(super) fn ask(args: &Args) -> Result<request::NewRound> {
    if matches!(args.sample, Some(Sample::PerStratum(_))) && args.strata.is_none() {
        return Err(Error::usage("a sample per stratum requires --strata")
            .help("add --strata FIELD, such as --strata subtask"));
    }
    let see = |what: &str| args.adjudicators_see.iter().any(|s| s == what);
    let new = NewRound {
        blind: !args.open,
        overlap: args.overlap,
        order: if args.as_listed {
            Order::AsListed
        } else {
            Order::Seeded
        },
        repeats: args.repeats,
        probes: args.probes,
        calibration: args.calibration,
        // The owner reads the file and fills in the version.
        guidelines: args.guidelines.clone().map(|path| Guidelines {
            path,
            version: String::new(),
        }),
        adjudication: Adjudication {
            names: see("names"),
            scores: see("scores"),
        },
        filter: args.filter.clone().unwrap_or_default(),
        sample: args.sample.unwrap_or_default(),
        strata: args.strata.clone(),
        ..NewRound::new(
            args.name.clone(),
            args.protocol,
            args.people.clone(),
            args.seed,
        )
    };
    Ok(request::NewRound {
        new: Box::new(new),
        dry: args.dry_run,
    })
}
