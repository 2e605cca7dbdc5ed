//! The agreement measures, computed from [`Sums`] and tables.
//!
//! In all formulas, n_ic is the number of the r_i ratings of item i in category c, and k is the
//! number of categories on the scale, used or not. Items with fewer than two ratings carry no
//! information on agreement.

use super::sums::Sums;
use benchtop_model::agreement::{Scale, Undefined};

/// A measure, or the reason why it is undefined.
pub(super) type Value = Result<f64, Undefined>;

/// Indices in the list that [`all`] returns. Specific agreement on each category follows.
pub(super) const RAW: usize = 0;
pub(super) const COHEN: usize = 1;
pub(super) const FLEISS: usize = 2;
pub(super) const ALPHA: usize = 3;
pub(super) const AC1: usize = 4;
pub(super) const POSITIVE: usize = 5;
pub(super) const NEGATIVE: usize = 6;
pub(super) const BY_CATEGORY: usize = 7;

/// All measures, at the indices above. `table` is the table of two annotators; `fleiss` is the
/// number of ratings of the items that Fleiss' kappa covers.
pub(super) fn all(
    sums: &Sums,
    scale: Scale,
    table: Option<&[u64]>,
    fleiss: Option<u8>,
) -> Vec<Value> {
    let specific = |category: u8| specific_agreement(sums, category);
    let of_two = |category: u8| match scale.categories {
        2 => specific(category),
        k => Err(Undefined::NotTwoCategories(k)),
    };
    let mut values = vec![
        raw(sums),
        table.map_or(Err(Undefined::PairsOnly), |table| {
            cohen_kappa(table, sums.categories())
        }),
        fleiss_kappa(sums, fleiss),
        krippendorff_alpha(sums),
        gwet_ac1(sums),
        of_two(scale.positive),
        of_two(1 - scale.positive.min(1)),
    ];
    values.extend((0..scale.categories).map(specific));
    values
}

/// The number of items with two ratings, or the reason why there are none.
fn doubled_items(sums: &Sums) -> Result<f64, Undefined> {
    match (sums.items(), sums.doubles()) {
        (0, _) => Err(Undefined::NoItems),
        (_, 0) => Err(Undefined::NoDoubles),
        (_, n) => Ok(n as f64),
    }
}

/// Whether agreement on this many items can be corrected for chance: at least two items, and more
/// than one category.
fn enough(items: u64, categories: usize) -> Result<(), Undefined> {
    match items {
        0 => Err(Undefined::NoDoubles),
        1 => Err(Undefined::OneItem),
        _ if categories < 2 => Err(Undefined::OneOnScale),
        _ => Ok(()),
    }
}

/// The same for all items with two ratings.
fn corrected(sums: &Sums) -> Result<(), Undefined> {
    doubled_items(sums)?;
    enough(sums.doubles(), sums.categories())
}

/// Share of equal pairs among the ratings of an item, averaged over items with at least two
/// ratings: 1/n sum_i sum_c n_ic (n_ic - 1) / (r_i (r_i - 1)).
///
/// With two ratings per item it is the percentage of agreement. With more it is P in Fleiss (1971)
/// and, with missing ratings, p_a in Gwet (2014).
pub(super) fn raw(sums: &Sums) -> Value {
    let n = doubled_items(sums)?;
    let k = sums.categories();
    let of = |m: u64, pairs: &[u64]| {
        (0..k).map(|c| pairs[c * k + c]).sum::<u64>() as f64 / (m * (m - 1)) as f64
    };
    Ok(sums
        .doubled()
        .map(|(m, layer)| of(m, &layer.pairs))
        .sum::<f64>()
        / n)
}

/// Cohen's kappa (p_o - p_e) / (1 - p_e), where p_e is the sum over categories of the product of
/// both annotators' shares.
///
/// Source: Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
/// Measurement 20 (1960), eq. 1; equal to scikit-learn's `cohen_kappa_score`. `table` is k x k, row
/// by row.
pub(super) fn cohen_kappa(table: &[u64], k: usize) -> Value {
    let n: u64 = table.iter().sum();
    enough(n, k)?;
    let row = |c: usize| table[c * k..(c + 1) * k].iter().sum::<u64>();
    let column = |c: usize| table.iter().skip(c).step_by(k).sum::<u64>();
    if let Some(only) = (0..k).find(|c| row(*c) == n && column(*c) == n) {
        return Err(Undefined::OneCategory(only as u8));
    }
    let n = n as f64;
    let same = (0..k).map(|c| table[c * k + c]).sum::<u64>() as f64 / n;
    let chance = (0..k)
        .map(|c| row(c) as f64 / n * (column(c) as f64 / n))
        .sum::<f64>();
    Ok((same - chance) / (1. - chance))
}

/// Fleiss' kappa (P - P_e) / (1 - P_e) over the items with exactly `ratings` ratings, where P_e is
/// the sum of the squared shares of the categories. For two ratings it is Scott's pi.
///
/// Source: Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76
/// (1971); equal to statsmodels' `fleiss_kappa(method="fleiss")`.
pub(super) fn fleiss_kappa(sums: &Sums, ratings: Option<u8>) -> Value {
    doubled_items(sums)?;
    let m = ratings.filter(|m| *m > 1).ok_or(Undefined::NoDoubles)?;
    let layer = sums.layer(m).ok_or(Undefined::NoDoubles)?;
    let k = sums.categories();
    enough(layer.items, k)?;
    let m = f64::from(m);
    let all = layer.items as f64 * m;
    if let Some(only) = only(&layer.ratings) {
        return Err(Undefined::OneCategory(only));
    }
    let same = (0..k).map(|c| layer.pairs[c * k + c]).sum::<u64>() as f64 / (all * (m - 1.));
    let chance = layer
        .ratings
        .iter()
        .map(|n| (*n as f64 / all).powi(2))
        .sum::<f64>();
    Ok((same - chance) / (1. - chance))
}

/// Krippendorff's alpha for nominal data, 1 - (n - 1) sum_{c != d} o_cd / sum_{c != d} n_c n_d. In
/// the coincidences o_cd, a pair of ratings of an item with m ratings counts 1 / (m - 1). Missing
/// ratings are allowed; n counts the ratings of items that have at least two.
///
/// Source: Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C; equal to
/// the package `krippendorff`.
pub(super) fn krippendorff_alpha(sums: &Sums) -> Value {
    corrected(sums)?;
    let k = sums.categories();
    let mut of = vec![0u64; k];
    let (mut same, mut all) = (0., 0.);
    for (m, layer) in sums.doubled() {
        of.iter_mut()
            .zip(&layer.ratings)
            .for_each(|(sum, n)| *sum += n);
        same += (0..k).map(|c| layer.pairs[c * k + c]).sum::<u64>() as f64 / (m - 1) as f64;
        all += (layer.items * m) as f64;
    }
    if let Some(only) = only(&of) {
        return Err(Undefined::OneCategory(only));
    }
    let chance = all * all - of.iter().map(|n| (*n as f64).powi(2)).sum::<f64>();
    Ok(1. - (all - 1.) * (all - same) / chance)
}

/// Gwet's AC1 (p_a - p_e) / (1 - p_e), where p_e = 1 / (k - 1) sum_c pi_c (1 - pi_c). pi_c is the
/// mean of n_ic / r_i over all rated items, including those with a single rating.
///
/// Source: Gwet, "Computing inter-rater reliability and its variance in the presence of high
/// agreement", British Journal of Mathematical and Statistical Psychology 61 (2008), and "Handbook
/// of Inter-Rater Reliability" (2014) for missing ratings; equal to irrCAC's `gwet()` if it is
/// given all k categories. k is that of the scale, so AC1 is 1, and not undefined, if only one
/// category was ever used.
pub(super) fn gwet_ac1(sums: &Sums) -> Value {
    corrected(sums)?;
    let same = raw(sums)?;
    let items = sums.items() as f64;
    let share = |c: usize| {
        sums.layers()
            .map(|(m, l)| l.ratings[c] as f64 / m as f64)
            .sum::<f64>()
            / items
    };
    let k = sums.categories();
    let chance = (0..k)
        .map(share)
        .map(|share| share * (1. - share))
        .sum::<f64>()
        / (k - 1) as f64;
    Ok((same - chance) / (1. - chance))
}

/// Specific agreement on a category: the probability that a rating is `category` if another rating
/// of the same item is, sum_i n_ic (n_ic - 1) / sum_i n_ic (r_i - 1).
///
/// Source: Cicchetti and Feinstein, "High agreement but low kappa: II", Journal of Clinical
/// Epidemiology 43 (1990): with two ratings per item it is their p_pos = 2a / (2a + b + c) and
/// p_neg = 2d / (2d + b + c). For more ratings: Spitzer and Fleiss (1974).
pub(super) fn specific_agreement(sums: &Sums, category: u8) -> Value {
    doubled_items(sums)?;
    let (k, c) = (sums.categories(), usize::from(category));
    let (mut same, mut all) = (0, 0);
    for (m, layer) in sums.doubled() {
        same += layer.pairs[c * k + c];
        all += layer.ratings[c] * (m - 1);
    }
    if all == 0 {
        Err(Undefined::Unused(category))
    } else {
        Ok(same as f64 / all as f64)
    }
}

/// The only category with a count above 0.
fn only(of: &[u64]) -> Option<u8> {
    let mut used = (0..).zip(of).filter(|(_, n)| **n > 0).map(|(c, _)| c);
    let first = used.next();
    if used.next().is_some() { None } else { first }
}
