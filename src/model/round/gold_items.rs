//! Known items: the practice and the probes of a round, from what the project has decided already.

use std::collections::HashSet;

use super::{Gold, NewRound};
use crate::error::{Error, Result};
use crate::rng::key;

/// Items in the calibration block unless the request says otherwise; after 40 with feedback, misses of rare targets fell
/// from 0.45 to 0.21 (Wolfe, Van Wert et al. 2007).
pub const CALIBRATION: u32 = 40;

/// Most items in a calibration block.
pub const MOST_CALIBRATION: u32 = 1000;

/// An item of the project whose verdict is known: accepted or rejected by people who agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its stratum, as the candidates have one.
    pub stratum: &'a str,
    /// Accepted; otherwise rejected.
    pub good: bool,
    /// Why it was rejected: keys of reasons.
    pub reasons: &'a [String],
}

/// The known items for practice and for probes.
pub(super) fn gold(
    new: &NewRound,
    items: u64,
    known: &[Known<'_>],
    taken: &HashSet<&str>,
    strata: &HashSet<&str>,
    notes: &mut Vec<String>,
) -> Result<(Vec<Gold>, Vec<Gold>)> {
    if new.calibration > MOST_CALIBRATION {
        let what = format!("{} items of practice", new.calibration);
        return Err(Error::input(what)
            .field("calibration")
            .help(format!("0 to {MOST_CALIBRATION}; 40 are usual")));
    }
    let (practice, probes) = (new.calibration as usize, new.probes.of(items) as usize);
    if new.protocol.keys().is_none() {
        if practice + probes > 0 {
            notes.push(format!(
                "no practice and no probes: nothing is accepted or rejected under `{}`",
                new.protocol
            ));
        }
        return Ok(Default::default());
    }
    let mut seen = HashSet::new();
    let mut kinds: [Vec<(u64, &Known<'_>)>; 2] = Default::default();
    for item in known {
        if !seen.insert(item.id) {
            return Err(Error::input(format!("`{}` is known twice", item.id))
                .help("an item has one known verdict"));
        }
        if !taken.contains(item.id) {
            kinds[usize::from(item.good)].push((key(new.seed, &["known", item.id]), item));
        }
    }
    kinds
        .iter_mut()
        .for_each(|kind| kind.sort_unstable_by_key(|(drawn, item)| (*drawn, item.id)));
    let there = kinds.each_ref().map(Vec::len);
    // Bad, good. Where both uses compete, practice gets half, or what probes leave.
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
            "{} items of practice instead of {practice}: {} bad and {} good items are known outside the round",
            fits[0] + fits[1],
            there[0],
            there[1]
        ));
    }
    let stored = |item: &Known<'_>| Gold {
        id: item.id.to_string(),
        good: item.good,
        reasons: item.reasons.to_vec(),
        lookalike: strata.contains(item.stratum),
    };
    let mut calibration = Vec::new();
    for (kind, take) in kinds.iter_mut().zip(fits) {
        calibration.extend(kind.drain(..take).map(|(_, item)| stored(item)));
        kind.sort_by_key(|(_, item)| !strata.contains(item.stratum));
    }
    // Half bad; what one kind lacks the other makes up for.
    let left = kinds.each_ref().map(Vec::len);
    let bad = left[0].min(probing[0].max(probes.saturating_sub(left[1])));
    let good = left[1].min(probes - bad);
    if bad + good < probes {
        notes.push(format!(
            "{} probes instead of {probes}: no more known items are left outside the round, so probes come less often",
            bad + good
        ));
    } else if bad < probing[0] || good < probing[1] {
        notes.push(format!(
            "{bad} of {probes} probes are bad items: there are not enough of each kind"
        ));
    }
    let probes = kinds
        .iter()
        .zip([bad, good])
        .flat_map(|(kind, take)| kind[..take].iter().map(|(_, i)| stored(i)));
    Ok((calibration, probes.collect()))
}
