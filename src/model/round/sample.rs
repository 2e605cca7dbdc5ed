//! Drawing a round: which items it has, and which known ones are mixed in.
//!
//! Everything is drawn from the round's seed and the items' ids, so the order in which candidates are listed changes
//! nothing, and the same request draws the same round on every machine.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::gold_items::{CALIBRATION, Known, gold};
use super::{Adjudication, Guidelines, Order, Origin, Protocol, Rate, Round, VERSION};
use crate::error::{Error, Result};
use crate::rng::key;

/// What is taken of the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// All of them.
    #[default]
    All,
    /// A share (Dysca's audit: 0.1), split over the strata by largest remainders.
    Share(Rate),
    /// So many, split over the strata by largest remainders.
    Count(u32),
    /// So many of each stratum (VLB's human check: 100 a strategy and data set).
    PerStratum(u32),
}

impl FromStr for Sample {
    type Err = String;

    /// Reads what [`Display`](fmt::Display) writes: `all`, `10%`, `500` or `100/stratum`.
    fn from_str(text: &str) -> std::result::Result<Sample, String> {
        let expected =
            || format!("`{text}` is no sample, expected one such as all, 10%, 500 or 100/stratum");
        let text = text.trim();
        if text == "all" {
            return Ok(Sample::All);
        }
        if let Some(count) = text.strip_suffix("/stratum") {
            return count
                .trim()
                .parse()
                .map(Sample::PerStratum)
                .map_err(|_| expected());
        }
        match text.parse() {
            Ok(count) => Ok(Sample::Count(count)),
            Err(_) => text.parse().map(Sample::Share).map_err(|_| expected()),
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sample::All => f.write_str("all"),
            Sample::Share(share) => write!(f, "{share}"),
            Sample::Count(count) => write!(f, "{count}"),
            Sample::PerStratum(count) => write!(f, "{count}/stratum"),
        }
    }
}

/// What everything is drawn from unless the request says otherwise.
pub const SEED: u64 = 1;

/// The request for a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRound {
    /// What it is to be called.
    pub name: String,
    /// What is asked.
    pub protocol: Protocol,
    /// The annotators.
    pub people: Vec<String>,
    /// Blind or open.
    pub blind: bool,
    /// How many people judge each item; none for what the protocol needs.
    pub overlap: Option<u8>,
    /// The order of items.
    pub order: Order,
    /// What everything is drawn from.
    pub seed: u64,
    /// Share of silent repeats.
    pub repeats: Rate,
    /// Share of silent probes.
    pub probes: Rate,
    /// Items in the calibration block, half of them bad; 0 for none.
    pub calibration: u32,
    /// The guidelines.
    pub guidelines: Option<Guidelines>,
    /// What adjudicators see.
    pub adjudication: Adjudication,
    /// The filter that finds the candidates.
    pub filter: String,
    /// What is taken of them.
    pub sample: Sample,
    /// The field whose values are the strata.
    pub strata: Option<String>,
}

impl NewRound {
    /// A blind round of all items, with the usual shares of repeats, probes and practice.
    pub fn new(
        name: impl Into<String>,
        protocol: Protocol,
        people: Vec<String>,
        seed: u64,
    ) -> NewRound {
        NewRound {
            name: name.into(),
            protocol,
            people,
            blind: true,
            overlap: None,
            order: Order::default(),
            seed,
            repeats: Rate::REPEATS,
            probes: Rate::PROBES,
            calibration: CALIBRATION,
            guidelines: None,
            adjudication: Adjudication::default(),
            filter: String::new(),
            sample: Sample::All,
            strata: None,
        }
    }
}

/// A round that was drawn, and what is not as the request wanted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The round.
    pub round: Round,
    /// What there was too little of, in sentences.
    pub notes: Vec<String>,
}

/// Draws the round that `new` asks for from `candidates` (id and stratum, as the filter found and sorted them; one
/// stratum, such as "", without strata) and from the `known` items of the project. `by` makes it at `now` (milliseconds
/// since 1970 UTC).
///
/// Known items of the round itself are neither probes nor practice. Where known items are too few, practice gets up to
/// half of them, stays half bad, and probes come less often; notes say so. Probes are lookalikes of the round's items
/// as far as there are any, and half bad as far as there are bad ones.
///
/// # Errors
/// What [`Round::check`] refuses; a candidate or a known item that is there twice; no candidates, or a sample of none; more
/// than [`MOST_CALIBRATION`](super::gold_items::MOST_CALIBRATION).
pub fn draw(
    new: &NewRound,
    candidates: &[(&str, &str)],
    known: &[Known<'_>],
    by: &str,
    now: i64,
) -> Result<Drawn> {
    let mut notes = Vec::new();
    let mut seen = HashSet::with_capacity(candidates.len());
    if let Some((twice, _)) = candidates.iter().find(|(id, _)| !seen.insert(*id)) {
        return Err(Error::input(format!("`{twice}` is there twice"))
            .field("items")
            .help("each item is drawn once"));
    }
    let chosen = choose(new, candidates, &mut notes)?;
    let items: HashSet<&str> = chosen.iter().map(|i| candidates[*i].0).collect();
    let strata: HashSet<&str> = chosen.iter().map(|i| candidates[*i].1).collect();
    let (calibration, probe_items) =
        gold(new, items.len() as u64, known, &items, &strata, &mut notes)?;
    let round = Round {
        version: VERSION,
        name: new.name.clone(),
        protocol: new.protocol,
        people: new.people.clone(),
        blind: new.blind,
        overlap: new.overlap.unwrap_or(new.protocol.people()),
        order: new.order,
        seed: new.seed,
        repeats: new.repeats,
        probes: new.probes,
        guidelines: new.guidelines.clone(),
        adjudication: new.adjudication,
        items: chosen
            .into_iter()
            .map(|i| candidates[i].0.to_string())
            .collect(),
        calibration,
        probe_items,
        origin: Origin {
            filter: new.filter.clone(),
            sample: new.sample,
            strata: new.strata.clone(),
            seed: new.seed,
            candidates: candidates.len() as u64,
        },
        created: now,
        by: by.to_string(),
        closed: None,
        changes: Vec::new(),
        rotations: BTreeMap::new(),
    };
    round.check()?;
    Ok(Drawn { round, notes })
}

/// Positions of the candidates that are taken, rising.
fn choose(
    new: &NewRound,
    candidates: &[(&str, &str)],
    notes: &mut Vec<String>,
) -> Result<Vec<usize>> {
    let mut strata: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, stratum)) in candidates.iter().enumerate() {
        strata.entry(stratum).or_default().push(at);
    }
    let sizes: Vec<u64> = strata.values().map(|s| s.len() as u64).collect();
    let all = candidates.len() as u64;
    let taken = match new.sample {
        Sample::All => sizes.clone(),
        Sample::Share(share) => apportion(share.of(all), &sizes),
        Sample::Count(count) => {
            if u64::from(count) > all {
                notes.push(format!(
                    "{all} items instead of {count}: the filter finds no more"
                ));
            }
            apportion(u64::from(count).min(all), &sizes)
        }
        Sample::PerStratum(count) => {
            for (stratum, size) in strata
                .keys()
                .zip(&sizes)
                .filter(|(_, size)| **size < u64::from(count))
            {
                notes.push(format!(
                    "{size} items instead of {count} of `{stratum}`: there are no more"
                ));
            }
            sizes
                .iter()
                .map(|size| u64::from(count).min(*size))
                .collect()
        }
    };
    if all > 0 && taken.iter().all(|n| *n == 0) {
        let what = format!("the sample takes none of {all} candidates");
        return Err(Error::input(what)
            .field("sample")
            .help("take a larger share or number"));
    }
    let mut chosen = Vec::new();
    for (list, take) in strata.into_values().zip(taken) {
        let take = take as usize;
        if take == list.len() {
            chosen.extend(list);
            continue;
        }
        let mut drawn: Vec<(u64, &str, usize)> = list
            .into_iter()
            .map(|at| {
                (
                    key(new.seed, &["sample", candidates[at].0]),
                    candidates[at].0,
                    at,
                )
            })
            .collect();
        if take > 0 {
            drawn.select_nth_unstable(take - 1);
        }
        chosen.extend(drawn[..take].iter().map(|(_, _, at)| *at));
    }
    chosen.sort_unstable();
    Ok(chosen)
}

/// `total` split in proportion to `sizes` (whose sum it does not exceed): the method of largest remainders (Hamilton), the
/// earlier of two alike.
fn apportion(total: u64, sizes: &[u64]) -> Vec<u64> {
    let all: u128 = sizes.iter().map(|s| u128::from(*s)).sum();
    if all == 0 {
        return vec![0; sizes.len()];
    }
    let exact = |size: u64| u128::from(total) * u128::from(size);
    let mut parts: Vec<u64> = sizes.iter().map(|s| (exact(*s) / all) as u64).collect();
    let left = total - parts.iter().sum::<u64>();
    let mut by_rest: Vec<usize> = (0..sizes.len()).collect();
    by_rest.sort_by_key(|i| (std::cmp::Reverse(exact(sizes[*i]) % all), *i));
    for i in by_rest.into_iter().take(left as usize) {
        parts[i] += 1;
    }
    parts
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
