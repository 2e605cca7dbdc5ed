//! Draws a round: selects its items and its gold items.
//!
//! The draw depends only on the round's seed and the item ids, so the same request gives the same
//! round on every machine, regardless of the order of candidates.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::gold_items::{DEFAULT_PRACTICE, GoldCandidate, gold};
use super::{Adjudication, Guidelines, Order, Origin, Protocol, Rate, Round, VERSION};
use crate::error::{Error, Result};
use crate::rng::key;
use crate::sorting::sort_by_key;

/// The sample of the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// All candidates.
    #[default]
    All,
    /// A share (Dysca's audit: 0.1), allocated to the strata by largest remainders.
    Share(Rate),
    /// A number of items, allocated to the strata by largest remainders.
    Count(u32),
    /// A number of items per stratum (VLB's human check: 100 per strategy and data set).
    PerStratum(u32),
}

impl FromStr for Sample {
    type Err = String;

    /// Parses `all`, `10%`, `500`, or `100/stratum`.
    fn from_str(text: &str) -> std::result::Result<Sample, String> {
        let expected = || {
            format!("invalid sample `{text}`, expected one such as all, 10%, 500, or 100/stratum")
        };
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

/// Default seed.
pub const SEED: u64 = 1;

/// A request to create a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRound {
    pub name: String,
    pub protocol: Protocol,
    pub people: Vec<String>,
    /// Whether the round is blind.
    pub blind: bool,
    /// Number of people per item; defaults to what the protocol needs.
    pub overlap: Option<u8>,
    pub order: Order,
    pub seed: u64,
    pub repeats: Rate,
    pub probes: Rate,
    /// Number of practice items, half of them bad; 0 for none.
    pub calibration: u32,
    pub guidelines: Option<Guidelines>,
    pub adjudication: Adjudication,
    /// The filter for the candidates.
    pub filter: String,
    /// The sample of the candidates.
    pub sample: Sample,
    /// The field whose values are the strata.
    pub strata: Option<String>,
}

impl NewRound {
    /// A blind round of all items with the default shares of repeats, probes, and practice.
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
            calibration: DEFAULT_PRACTICE,
            guidelines: None,
            adjudication: Adjudication::default(),
            filter: String::new(),
            sample: Sample::All,
            strata: None,
        }
    }
}

/// A new round, with notes on where it differs from the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRoundResult {
    pub round: Round,
    /// Notes on shortages, as sentences.
    pub notes: Vec<String>,
}

/// Draws a round from `candidates` (id and stratum, in filter order; one stratum such as "" without
/// strata) and the project's gold candidates `known`. It is created by `by` at `now` (milliseconds
/// since 1970 UTC).
///
/// Items of the round are neither probes nor practice items. If gold items are scarce, practice
/// gets up to half of them, stays half bad, and probes are rarer; notes say so. Lookalikes of the
/// round's items are preferred as probes, and half of the probes are bad if possible.
///
/// # Errors
/// Any error of [`Round::check`]; duplicate candidates or gold items; no candidates or an empty
/// sample; more than [`MAX_PRACTICE`](super::gold_items::MOST_CALIBRATION) practice items.
pub fn draw(
    new: &NewRound,
    candidates: &[(&str, &str)],
    known: &[GoldCandidate<'_>],
    by: &str,
    now: i64,
) -> Result<NewRoundResult> {
    let mut notes = Vec::new();
    let mut seen = HashSet::with_capacity(candidates.len());
    if let Some((twice, _)) = candidates.iter().find(|(id, _)| !seen.insert(*id)) {
        return Err(Error::input(format!("duplicate candidate `{twice}`"))
            .field("items")
            .help("list each candidate once"));
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
    Ok(NewRoundResult { round, notes })
}

/// Positions of the selected candidates, ascending.
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
        Sample::Share(share) => apportion(share.apply(all), &sizes),
        Sample::Count(count) => {
            if u64::from(count) > all {
                notes.push(format!(
                    "{all} items instead of {count}: the filter matches no more"
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
        let what = format!("the sample selects none of {all} candidates");
        return Err(Error::input(what)
            .field("sample")
            .help("use a larger share or number"));
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

/// Splits `total` in proportion to `sizes` (whose sum it does not exceed) by largest remainders
/// (Hamilton). Ties go to the earlier entry.
fn apportion(total: u64, sizes: &[u64]) -> Vec<u64> {
    let all: u128 = sizes.iter().map(|s| u128::from(*s)).sum();
    if all == 0 {
        return vec![0; sizes.len()];
    }
    let exact = |size: u64| u128::from(total) * u128::from(size);
    let mut parts: Vec<u64> = sizes.iter().map(|s| (exact(*s) / all) as u64).collect();
    let left = total - parts.iter().sum::<u64>();
    let mut by_rest: Vec<usize> = (0..sizes.len()).collect();
    sort_by_key(&mut by_rest, |i| {
        (std::cmp::Reverse(exact(sizes[*i]) % all), *i)
    });
    for i in by_rest.into_iter().take(left as usize) {
        parts[i] += 1;
    }
    parts
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
