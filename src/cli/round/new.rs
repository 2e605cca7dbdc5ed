//! What a new round is to be.

use crate::model::round::{Adjudication, Guidelines, NewRound, Order, Protocol, Rate, Sample};
use crate::model::{Kind, Problem, Result};
use crate::owner::wire::Ask;

/// Arguments of `round new`.
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
    #[arg(long, value_name = "HOW", value_parser = sample)]
    sample: Option<Sample>,
    /// Divide the sample by this field: subtask, kind, style, level, dataset or side
    #[arg(long, value_name = "FIELD")]
    strata: Option<String>,
    /// How many people judge each item; as many as the protocol needs otherwise
    #[arg(long, value_name = "N")]
    overlap: Option<u8>,
    /// What order, sample, repeats and probes are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Everybody sees what others and machines say from the beginning
    #[arg(long)]
    open: bool,
    /// Show the items in the order of the list; only with --open
    #[arg(long, requires = "open")]
    as_listed: bool,
    /// Share of items shown twice to the same person
    #[arg(long, default_value = "5%", value_name = "SHARE", value_parser = share)]
    repeats: Rate,
    /// Share of known items mixed in
    #[arg(long, default_value = "7%", value_name = "SHARE", value_parser = share)]
    probes: Rate,
    /// Known items to practise on first, half of them bad
    #[arg(long, default_value_t = 40, value_name = "N")]
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
/// [`Kind::Usage`] for what does not fit together.
pub(super) fn ask(args: &Args) -> Result<Ask> {
    if matches!(args.sample, Some(Sample::PerStratum(_))) && args.strata.is_none() {
        return Err(Problem::new(Kind::Usage, "a sample of each stratum needs to know what the strata are")
            .help("name the field with --strata, such as --strata subtask"));
    }
    let see = |what: &str| args.adjudicators_see.iter().any(|s| s == what);
    let new = NewRound {
        blind: !args.open,
        overlap: args.overlap,
        order: if args.as_listed { Order::AsListed } else { Order::Seeded },
        repeats: args.repeats,
        probes: args.probes,
        calibration: args.calibration,
        // The owner reads the file and knows its version.
        guidelines: args.guidelines.clone().map(|path| Guidelines { path, version: String::new() }),
        adjudication: Adjudication { names: see("names"), scores: see("scores") },
        filter: args.filter.clone(),
        sample: args.sample.unwrap_or_default(),
        strata: args.strata.clone(),
        ..NewRound::new(args.name.clone(), args.protocol, args.people.clone(), args.seed)
    };
    Ok(Ask::NewRound { new: Box::new(new), dry: args.dry_run })
}

fn share(text: &str) -> std::result::Result<Rate, String> {
    let expected = || format!("`{text}` is no share, expected one such as 5% or 0.05");
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
        None => text.trim().parse::<f64>(),
    };
    Rate::try_from(share.map_err(|_| expected())?)
}

fn sample(text: &str) -> std::result::Result<Sample, String> {
    let expected = || format!("`{text}` is no sample, expected one such as 10%, 500 or 100/stratum");
    if text == "all" {
        return Ok(Sample::All);
    }
    if let Some(count) = text.strip_suffix("/stratum") {
        return count.parse().map(Sample::PerStratum).map_err(|_| expected());
    }
    match text.parse() {
        Ok(count) => Ok(Sample::Count(count)),
        Err(_) => share(text).map(Sample::Share).map_err(|_| expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_shares_are_read() {
        assert_eq!(sample("500"), Ok(Sample::Count(500)));
        assert_eq!(sample("100/stratum"), Ok(Sample::PerStratum(100)));
        assert_eq!(sample("12.5%"), Ok(Sample::Share(Rate::of_ten_thousand(1250).unwrap())));
        assert_eq!(share("0.05"), Ok(Rate::REPEATS));
        for bad in ["", "ten", "110%", "-1", "5/layer"] {
            assert!(sample(bad).is_err(), "{bad}");
        }
    }
}
