//! Selects the gold items of a round, practice and probes, from the project's decided items.

use std::collections::HashSet;

use super::{Gold, NewRound};
use crate::error::{Error, Result};
use crate::rng::key;
use crate::sorting::sort_by_key;

/// Default number of practice items. After 40 with feedback, misses of rare targets fell from 0.45
/// to 0.21 (Wolfe, Van Wert et al. 2007).
pub const DEFAULT_PRACTICE: u32 = 40;

/// Maximum number of practice items.
pub const MAX_PRACTICE: u32 = 1000;

/// An item of the project that annotators accepted or rejected unanimously.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldCandidate<'a> {
    pub id: &'a str,
    /// Its stratum, as for the candidates.
    pub stratum: &'a str,
    /// Whether it was accepted; otherwise it was rejected.
    pub good: bool,
    /// Reason keys of a rejected item.
    pub reasons: &'a [String],
}

/// Selects the practice items and the probes.
pub(super) fn gold(
    new: &NewRound,
    items: u64,
    known: &[GoldCandidate<'_>],
    taken: &HashSet<&str>,
    strata: &HashSet<&str>,
    notes: &mut Vec<String>,
) -> Result<(Vec<Gold>, Vec<Gold>)> {
    if new.calibration > MAX_PRACTICE {
        let what = format!("{} practice items are too many", new.calibration);
        return Err(Error::input(what)
            .field("calibration")
            .help(format!("use 0 to {MAX_PRACTICE}; 40 are common")));
    }
    let (practice, probes) = (new.calibration as usize, new.probes.apply(items) as usize);
    if new.protocol.key_labels().is_none() {
        if practice + probes > 0 {
            notes.push(format!(
                "no practice and no probes, because `{}` has no right verdicts",
                new.protocol
            ));
        }
        return Ok(Default::default());
    }
    let mut seen = HashSet::new();
    let mut kinds: [Vec<(u64, &GoldCandidate<'_>)>; 2] = Default::default();
    for item in known {
        if !seen.insert(item.id) {
            return Err(Error::input(format!("duplicate gold item `{}`", item.id))
                .help("list each gold item once"));
        }
        if !taken.contains(item.id) {
            kinds[usize::from(item.good)].push((key(new.seed, &["known", item.id]), item));
        }
    }
    kinds
        .iter_mut()
        .for_each(|kind| kind.sort_unstable_by_key(|(drawn, item)| (*drawn, item.id)));
    let there = kinds.each_ref().map(Vec::len);
    // Bad, good. If there are too few for both uses, practice gets half, or what the probes leave.
    let wanted = [practice / 2, practice - practice / 2];
    let probing = [probes / 2, probes - probes / 2];
    let fits: [usize; 2] = std::array::from_fn(|k| {
        wanted[k].min((there[k] / 2).max(there[k].saturating_sub(probing[k])))
    });
    let fits = if fits == wanted {
        fits
    } else {
        [fits[0].min(fits[1]); 2]
    };
    if fits != wanted {
        notes.push(format!(
            "{} practice items instead of {practice}: the project has {} bad and {} good items outside the round",
            fits[0] + fits[1],
            there[0],
            there[1]
        ));
    }
    let stored = |item: &GoldCandidate<'_>| Gold {
        id: item.id.to_string(),
        good: item.good,
        reasons: item.reasons.to_vec(),
        lookalike: strata.contains(item.stratum),
    };
    let mut calibration = Vec::new();
    for (kind, take) in kinds.iter_mut().zip(fits) {
        calibration.extend(kind.drain(..take).map(|(_, item)| stored(item)));
        sort_by_key(kind, |(_, item)| !strata.contains(item.stratum));
    }
    // Half of them bad. If one kind is short, the other fills up.
    let left = kinds.each_ref().map(Vec::len);
    let bad = left[0].min(probing[0].max(probes.saturating_sub(left[1])));
    let good = left[1].min(probes - bad);
    if bad + good < probes {
        notes.push(format!(
            "{} probes instead of {probes}: the project has no more gold items outside the round, so probes are rarer",
            bad + good
        ));
    } else if bad < probing[0] || good < probing[1] {
        notes.push(format!(
            "{bad} of {probes} probes are bad items: there are too few of one kind"
        ));
    }
    let probes = kinds
        .iter()
        .zip([bad, good])
        .flat_map(|(kind, take)| kind[..take].iter().map(|(_, i)| stored(i)));
    Ok((calibration, probes.collect()))
}
