//! SC without the sampling noise: how far the styles' true accuracies are apart, how sure that is, and what chance alone would show.
//!
//! The printed SC is the variance of measured accuracies. Each of them misses the true one by sampling noise, so that SC is too high by
//! the mean of the sampling variances (times 1 - 1/S for S styles); with 59 questions a style and accuracy 0.7 that is about 35
//! squared points. Subtracting an unbiased estimate of it gives a statistic without bias, whose variance and skewness follow from
//! the true accuracies and the sampling variances. The interval holds the values of the true SC under which the statistic is neither in the
//! lower nor in the upper 2.5 % of Pearson's type III distribution with these three moments; p is the upper tail where all styles are equal.
//! This inverts a heterogeneity statistic, as the Q-profile interval of a meta-analysis does (Viechtbauer, Statistics in Medicine 26
//! (2007)), but for the variance of a fixed set of styles, all of one weight. Moments in place of drawn permutations are those of Berry and
//! Mielke's permutation tests (1983).

use crate::statistics::{mean, pearson, variance};
use benchtop_model::agreement::Interval;
use benchtop_model::board::analysis::ScEstimate;

/// What a style's answers come to, by clusters of questions that share a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StyleSums {
    /// Right answers.
    pub right: f64,
    /// Questions.
    pub n: f64,
    /// Clusters with a question.
    pub clusters: f64,
    /// Sum over clusters of the square of the right answers.
    pub right_squared: f64,
    /// Sum over clusters of right answers times questions.
    pub right_n: f64,
    /// Sum over clusters of the square of the questions.
    pub n_squared: f64,
}

impl StyleSums {
    /// The sums of clusters, each with its right answers and questions.
    pub fn of(clusters: impl IntoIterator<Item = (f64, f64)>) -> StyleSums {
        let mut sums = StyleSums::default();
        for (right, n) in clusters {
            sums.right += right;
            sums.n += n;
            sums.clusters += 1.0;
            sums.right_squared += right * right;
            sums.right_n += right * n;
            sums.n_squared += n * n;
        }
        sums
    }

    fn share(&self) -> f64 {
        self.right / self.n
    }

    /// The estimated sampling variance of the share; none with one cluster.
    fn variance(&self) -> Option<f64> {
        let p = self.share();
        let squares = self.right_squared - 2.0 * p * self.right_n + p * p * self.n_squared;
        (self.clusters > 1.0)
            .then(|| self.clusters / (self.clusters - 1.0) * squares.max(0.0) / (self.n * self.n))
    }
}

/// Squared points in a squared share.
const POINTS: f64 = 1e4;
/// Each end of the interval leaves so much out.
const TAIL: f64 = 0.025;
/// The largest variance that numbers from 0 to 1 can have.
const MOST: f64 = 0.25;
/// Most skewness that is taken into account; for the upper end of the interval less, where a few small styles make up nearly all of the
/// noise, since its lower tail is not as short as Pearson's then.
const SKEWNESS: f64 = 2.8;
const SKEWNESS_BELOW: f64 = 1.4;

/// SC of styles and what it is without sampling noise; `None` with fewer than two styles, where no style has two clusters, and where
/// all answers are right or all are wrong, since sampling noise cannot be estimated then.
pub fn sc_estimate(styles: &[StyleSums]) -> Option<ScEstimate> {
    let of = asked(styles);
    let model = Model::new(&of)?;
    Some(ScEstimate {
        printed: POINTS * model.printed,
        corrected: POINTS * model.found / model.s,
        noise: POINTS * model.noise,
        p: model.above(0.0, SKEWNESS),
        styles: of.len() as u64,
        clusters: of.iter().map(|style| style.clusters).sum::<f64>() as u64,
    })
}

/// The 95 % interval of the true SC, and the standard error of [`ScEstimate::corrected`]; `None` as [`sc_estimate`].
pub fn sc_interval(styles: &[StyleSums]) -> Option<Interval> {
    let of = asked(styles);
    let model = Model::new(&of)?;
    let low = model.solve(TAIL, SKEWNESS);
    let high = model.solve(1.0 - TAIL, SKEWNESS_BELOW).max(low);
    let (_, variance, _) = model.moments(model.found.max(0.0) / model.s);
    Some(Interval {
        low: POINTS * low,
        high: POINTS * high,
        standard_error: POINTS * variance.sqrt() / model.s,
        draws: 0,
    })
}

fn asked(styles: &[StyleSums]) -> Vec<StyleSums> {
    styles
        .iter()
        .copied()
        .filter(|style| style.n > 0.0)
        .collect()
}

/// What the distribution of the statistic follows from.
struct Model<'a> {
    of: &'a [StyleSums],
    /// Styles.
    s: f64,
    /// Deviations of the styles from their mean, which is `centre`.
    deviations: Vec<f64>,
    centre: f64,
    /// Share of right answers of all questions.
    pooled: f64,
    /// Sampling variance over that of independent questions.
    design: f64,
    printed: f64,
    /// The sum of squared deviations less the noise in it.
    found: f64,
    noise: f64,
}

impl Model<'_> {
    fn new(of: &[StyleSums]) -> Option<Model<'_>> {
        let s = of.len() as f64;
        let shares: Vec<f64> = of.iter().map(StyleSums::share).collect();
        let (centre, printed) = (mean(&shares)?, variance(&shares)?);
        let (right, n) = of.iter().fold((0.0, 0.0), |sum, style| {
            (sum.0 + style.right, sum.1 + style.n)
        });
        let pooled = right / n;
        if of.len() < 2 || right <= 0.0 || right >= n {
            return None;
        }
        // The design effect: what sharing pictures does to the sampling variance.
        let known: Vec<(f64, f64)> = of
            .iter()
            .filter(|style| style.n > 1.0)
            .filter_map(|style| {
                Some((
                    style.variance()?,
                    style.share() * (1.0 - style.share()) / (style.n - 1.0),
                ))
            })
            .collect();
        if known.is_empty() {
            return None;
        }
        let (own, free) = known
            .iter()
            .fold((0.0, 0.0), |sum, (own, free)| (sum.0 + own, sum.1 + free));
        let design = if free > 0.0 { own / free } else { 1.0 };
        let equal = |style: &StyleSums| design * pooled * (1.0 - pooled) / style.n;
        let noise = (1.0 - 1.0 / s)
            * of.iter()
                .map(|style| style.variance().unwrap_or_else(|| equal(style)))
                .sum::<f64>();
        let dealt = (1.0 - 1.0 / s) * of.iter().map(equal).sum::<f64>() / s * n / (n - 1.0);
        let deviations = shares.iter().map(|share| share - centre).collect();
        Some(Model {
            of,
            s,
            deviations,
            centre,
            pooled,
            design,
            printed,
            found: s * printed - noise,
            noise: dealt,
        })
    }

    /// Mean, variance and third central moment of the statistic where the true SC, as squared shares, is `sc`.
    fn moments(&self, sc: f64) -> (f64, f64, f64) {
        let s = self.s;
        // Where a style's true accuracy lies, given what it scored and how far styles are apart: its mean and mean square.
        let part = |style: &StyleSums| {
            sc / (sc
                + self.design * self.pooled * (1.0 - self.pooled) / style.n
                + f64::MIN_POSITIVE)
        };
        let parts: Vec<f64> = self.of.iter().map(part).collect();
        let mut means: Vec<f64> = self
            .deviations
            .iter()
            .zip(&parts)
            .map(|(d, part)| d * part)
            .collect();
        let centre = means.iter().sum::<f64>() / s;
        means.iter_mut().for_each(|d| *d -= centre);
        let mut squares: Vec<f64> = means
            .iter()
            .zip(&parts)
            .map(|(d, part)| d * d + sc * (1.0 - part))
            .collect();
        let all = squares.iter().sum::<f64>();
        let scale = if all > 0.0 { s * sc / all } else { 0.0 };
        means.iter_mut().for_each(|d| *d *= scale.sqrt());
        squares.iter_mut().for_each(|square| *square *= scale);
        // Traces of powers of the centred covariance, and what the deviations add.
        let [
            mut v1,
            mut v2,
            mut v2_own,
            mut v3,
            mut dvd,
            mut dvvd,
            mut skewed,
        ] = [0.0; 7];
        for ((style, d), square) in self.of.iter().zip(&means).zip(&squares) {
            let p = match sc > 0.0 {
                true => (self.centre + d).clamp(0.5 / style.n, 1.0 - 0.5 / style.n),
                false => self.pooled,
            };
            let v = self.design * p * (1.0 - p) / style.n;
            let few = if style.clusters > 1.0 {
                style.clusters / (style.clusters - 1.0)
            } else {
                2.0
            };
            v1 += v;
            v2 += v * v;
            v2_own += v * v * few;
            v3 += v * v * v;
            dvd += square * v;
            dvvd += square * v * v;
            skewed += d * d * d * v * (1.0 - 2.0 * p) / style.n;
        }
        let second = v2_own * (1.0 - 2.0 / s) + (v1 / s).powi(2);
        let third = v3 * (1.0 - 3.0 / s) + 3.0 * v1 * v2 / (s * s) - (v1 / s).powi(3);
        let third = 8.0 * third + 24.0 * dvvd * (1.0 - 1.0 / s) + 8.0 * skewed;
        (s * sc, 2.0 * second + 4.0 * dvd, third)
    }

    /// How often the statistic would be what was found, or more, where the true SC is `sc`.
    fn above(&self, sc: f64, most_skewed: f64) -> f64 {
        let (mean, variance, third) = self.moments(sc);
        let deviation = variance.max(f64::MIN_POSITIVE).sqrt();
        pearson(
            (self.found - mean) / deviation,
            (third / deviation.powi(3)).clamp(0.0, most_skewed),
        )
    }

    /// The true SC, as squared shares, under which the statistic is what was found, or more, with this chance; 0 where it is at least that
    /// with equal styles.
    fn solve(&self, chance: f64, most_skewed: f64) -> f64 {
        if self.above(0.0, most_skewed) >= chance {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, MOST);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            match self.above(middle, most_skewed) < chance {
                true => low = middle,
                false => high = middle,
            }
        }
        (low + high) / 2.0
    }
}

#[cfg(test)]
#[path = "between_tests.rs"]
mod tests;
