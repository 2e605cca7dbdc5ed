//! Bootstrap intervals by resampling items with replacement.
//!
//! Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13, the
//! percentile interval. Items are resampled as counts of each kind (the number of an item's ratings
//! in each category or, for a pair of annotators, the cell of their table). So a draw costs the
//! same for 600 and for 600,000 items.

use super::counts::Counts;
use super::measures::{self, Value};
use super::resample::Stream;
use super::sums::{Pattern, Sums};
use crate::statistics::Z95;
use benchtop_model::agreement::{
    AgreementReport, Bootstrap, Estimate, Interval, Measures, Undefined,
};
use benchtop_model::cancel::Cancel;
use benchtop_model::error::{Error, Result};

/// Minimum share of draws in which a value must be defined for an interval. Our choice: a draw
/// without the rare category has no kappa, and with too many such draws the interval would describe
/// only the others.
const DEFINED: f64 = 0.9;

/// Maximum number of draws. All of them are kept until they are sorted.
const MOST_DRAWS: u32 = 1_000_000;

/// Target half-width of [`Estimate::more_doubles`].
const AIM: f64 = 0.1;

impl Counts {
    /// All measures with intervals, for all annotators and then for each pair. `cancel` is asked
    /// after each draw.
    ///
    /// # Errors
    /// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
    /// [`Input`](benchtop_model::ErrorKind::Input) unless the number of
    /// draws is between 2 and 1,000,000.
    pub fn bootstrapped(
        &self,
        bootstrap: Bootstrap,
        cancel: Cancel<'_>,
    ) -> Result<AgreementReport> {
        if bootstrap.draws < 2 || bootstrap.draws > MOST_DRAWS {
            let what = format!(
                "invalid number of bootstrap draws {}: must be from 2 to {MOST_DRAWS}",
                bootstrap.draws
            );
            return Err(Error::input(what)
                .field("draws")
                .help("1000 draws are common"));
        }
        let mut report = self.report();
        report.bootstrap = Some(bootstrap);
        let kinds: Vec<Pattern> = self.patterns.keys().copied().collect();
        let of: Vec<u64> = self.patterns.values().copied().collect();
        let fleiss = report.all.fleiss_items.map(|items| items.ratings);
        let mut sums = Sums::new(self.scale.categories);
        draw(bootstrap, 0, &of, &mut report.all, cancel, |drawn| {
            sums.clear();
            for (pattern, n) in kinds.iter().zip(drawn).filter(|(_, n)| **n > 0) {
                sums.add(*pattern, *n as i64);
            }
            measures::all(&sums, self.scale, None, fleiss)
        })?;
        for pair in &mut report.pairs {
            if let Some(counts) = self.pairs.get(&(pair.a, pair.b)) {
                // Each pair has its own random stream, so its result does not depend on other
                // annotators.
                let purpose = 1 + (u64::from(pair.a) << 16 | u64::from(pair.b));
                let (table, to) = (&counts.table, &mut pair.measures);
                draw(bootstrap, purpose, table, to, cancel, |drawn| {
                    let sums = Sums::of_table(self.scale.categories, drawn);
                    measures::all(&sums, self.scale, Some(drawn), Some(2))
                })?;
            }
        }
        Ok(report)
    }
}

/// Sets the intervals of measures. Each draw resamples the items, of which `of` has the number of
/// each kind, and `values` computes the measures from these numbers.
fn draw(
    plan: Bootstrap,
    purpose: u64,
    of: &[u64],
    to: &mut Measures,
    cancel: Cancel<'_>,
    mut values: impl FnMut(&[u64]) -> Vec<Value>,
) -> Result<()> {
    let (mut stream, mut drawn) = (Stream::new(plan.seed, purpose), Vec::new());
    let mut draws = Draws::new(plan.draws);
    for _ in 0..plan.draws {
        stream.multinomial(of, &mut drawn);
        draws.add(&values(&drawn));
        cancel.check()?;
    }
    draws.write_intervals(to);
    Ok(())
}

/// The values of all draws, by measure.
struct Draws {
    made: u32,
    of: Vec<Vec<f64>>,
}

impl Draws {
    fn new(made: u32) -> Draws {
        Draws {
            made,
            of: Vec::new(),
        }
    }

    fn add(&mut self, values: &[Value]) {
        self.of.resize_with(values.len(), Vec::new);
        for (all, value) in self.of.iter_mut().zip(values) {
            all.extend(value.ok());
        }
    }

    /// Sets the intervals of the measures.
    fn write_intervals(mut self, to: &mut Measures) {
        let doubles = to.doubles;
        let mut set = |at: usize, estimate: &mut Estimate| {
            let interval = match estimate.value {
                Err(undefined) => Err(undefined),
                Ok(_) if doubles < 2 => Err(Undefined::OneItem),
                Ok(_) => interval(
                    self.of.get_mut(at).map(std::mem::take).unwrap_or_default(),
                    self.made,
                ),
            };
            estimate.interval = interval;
            estimate.more_doubles =
                interval.map(|found| more_doubles(found.standard_error, doubles));
        };
        set(measures::RAW, &mut to.raw);
        set(measures::COHEN, &mut to.cohen_kappa);
        set(measures::FLEISS, &mut to.fleiss_kappa);
        set(measures::ALPHA, &mut to.krippendorff_alpha);
        set(measures::AC1, &mut to.gwet_ac1);
        set(measures::POSITIVE, &mut to.positive_agreement);
        set(measures::NEGATIVE, &mut to.negative_agreement);
        for (at, estimate) in (measures::BY_CATEGORY..).zip(&mut to.by_category) {
            set(at, estimate);
        }
    }
}

/// The interval of these draws; `made` counts all draws, including undefined ones.
pub(crate) fn interval(mut draws: Vec<f64>, made: u32) -> std::result::Result<Interval, Undefined> {
    let defined = draws.len() as u32;
    if f64::from(defined) < DEFINED * f64::from(made) || defined < 2 {
        return Err(Undefined::FewDraws {
            defined,
            draws: made,
        });
    }
    draws.sort_unstable_by(f64::total_cmp);
    let (low, high) = (quantile(&draws, 0.025), quantile(&draws, 0.975));
    let n = f64::from(defined);
    let mean = draws.iter().sum::<f64>() / n;
    let standard_error = (draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.)).sqrt();
    // Equal numbers may differ in their last digits, depending on the order of summation.
    if draws
        .last()
        .zip(draws.first())
        .is_none_or(|(last, first)| last - first < 1e-12)
    {
        return Err(Undefined::NoSpread);
    }
    Ok(Interval {
        low,
        high,
        standard_error,
        draws: defined,
    })
}

/// The quantile of sorted numbers with linear interpolation (numpy's default; type 7 of Hyndman and
/// Fan 1996).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = sorted[(below + 1).min(sorted.len() - 1)];
    sorted[below] + part * (above - sorted[below])
}

/// The number of further items that two annotators must rate until z SE is 0.1, with z = 1.96. The
/// standard error comes from the bootstrap and shrinks with the square root of the number of
/// doubled items n. So z SE sqrt(n / n') = 0.1 gives n' = n (z SE / 0.1)^2, rounded up, and n' - n
/// more items. This assumes that further items are like those so far.
fn more_doubles(standard_error: f64, doubles: u64) -> u64 {
    let wanted = (doubles as f64 * (Z95 * standard_error / AIM).powi(2)).ceil() as u64;
    wanted.saturating_sub(doubles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_numpy() {
        let sorted = [1., 2., 4., 8., 16.];
        for (p, expected) in [
            (0., 1.),
            (0.025, 1.1),
            (0.5, 4.),
            (0.6, 5.6),
            (0.975, 15.2),
            (1., 16.),
        ] {
            assert!((quantile(&sorted, p) - expected).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn uninformative_draws_give_no_interval() {
        let two = Undefined::FewDraws {
            defined: 2,
            draws: 3,
        };
        assert_eq!(interval(vec![1., 2.], 3), Err(two));
        assert_eq!(
            interval(vec![0.3, 0.1 + 0.2, 0.3], 3),
            Err(Undefined::NoSpread)
        );
        let found = interval((0..90).map(f64::from).collect(), 100).unwrap();
        assert_eq!(found.draws, 90);
    }

    #[test]
    fn smaller_error_needs_fewer_items() {
        // 1.96 * 0.1 is 1.96 times too wide: 3.84 times as many items.
        assert_eq!(more_doubles(0.1, 100), 285);
        assert_eq!(more_doubles(0.05, 100), 0);
        assert_eq!(more_doubles(0.051_03, 100), 1);
    }
}
