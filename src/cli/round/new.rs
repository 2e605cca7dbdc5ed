//! What a new round is to be.

use benchtop_model::round::{
    Adjudication, CALIBRATION, Guidelines, NewRound, Order, Protocol, Rate, SEED, Sample,
};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// What it is called: letters, digits, `.`, `_` and `-`
    name: String,
    /// single, both-accept, "majority 3 of 5", equivalence, audit, answer or refusal
    #[arg(long)]
    protocol: Protocol,
    /// The annotators, with commas between
    #[arg(long, required = true, value_delimiter = ',', value_name = "NAMES")]
    people: Vec<String>,
    /// Only these items, in the words of the list
    #[arg(long, default_value = "", value_name = "WORDS")]
    filter: String,
    /// Only a sample of them: `10%`, a number, or `100/stratum`
    #[arg(long, value_name = "HOW")]
    sample: Option<Sample>,
    /// Divide the sample by this field: subtask, kind, style, level, dataset or side
    #[arg(long, value_name = "FIELD")]
    strata: Option<String>,
    /// How many people judge each item; as many as the protocol needs otherwise
    #[arg(long, value_name = "N")]
    overlap: Option<u8>,
    /// What order, sample, repeats and probes are drawn from
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// Everybody sees what others and machines say from the beginning
    #[arg(long)]
    open: bool,
    /// Show the items in the order of the list; only with --open
    #[arg(long, requires = "open")]
    as_listed: bool,
    /// Share of items shown twice to the same person
    #[arg(long, default_value_t = Rate::REPEATS, value_name = "SHARE")]
    repeats: Rate,
    /// Share of known items mixed in
    #[arg(long, default_value_t = Rate::PROBES, value_name = "SHARE")]
    probes: Rate,
    /// Known items to practise on first, half of them bad
    #[arg(long, default_value_t = CALIBRATION, value_name = "N")]
    calibration: u32,
    /// The guidelines that lie beside the item: a file of the project
    #[arg(long, value_name = "PATH")]
    guidelines: Option<String>,
    /// What adjudicators see of the verdicts: names, scores, or both with a comma between
    #[arg(long, value_delimiter = ',', value_name = "WHAT", value_parser = ["names", "scores"])]
    adjudicators_see: Vec<String>,
    /// Say what it would be, and make nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// The question of these arguments.
///
/// # Errors
/// [`ErrorKind::Usage`] for what does not fit together.
pub(super) fn ask(args: &Args) -> Result<request::NewRound> {
    if matches!(args.sample, Some(Sample::PerStratum(_))) && args.strata.is_none() {
        return Err(Error::new(
            ErrorKind::Usage,
            "a sample of each stratum needs to know what the strata are",
        )
        .help("name the field with --strata, such as --strata subtask"));
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
        // The owner reads the file and knows its version.
        guidelines: args.guidelines.clone().map(|path| Guidelines {
            path,
            version: String::new(),
        }),
        adjudication: Adjudication {
            names: see("names"),
            scores: see("scores"),
        },
        filter: args.filter.clone(),
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
