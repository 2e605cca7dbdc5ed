//! SC without sampling noise: the variance of the styles' true accuracies, its interval, and what
//! chance alone would show.
//!
//! The printed SC is the variance of measured accuracies. Each differs from the true one by
//! sampling noise, so SC is too high by the mean of the sampling variances (times 1 - 1/S for S
//! styles): with 59 questions per style and accuracy 0.7 by about 35 squared points. Subtracting an
//! unbiased estimate of the noise gives an unbiased statistic. Its variance and skewness follow
//! from the true accuracies and the sampling variances. The interval contains the values of the
//! true SC for which the statistic is in neither 2.5 % tail of Pearson's type III distribution with
//! these three moments. p is the upper tail if all styles are equal.
//!
//! This inverts a heterogeneity statistic, as the Q-profile interval of a meta-analysis does
//! (Viechtbauer, Statistics in Medicine 26 (2007)), but for the variance of a fixed set of equally
//! weighted styles. The use of moments instead of sampled permutations follows Berry and Mielke's
//! permutation tests (1983).

use crate::statistics::{mean, pearson, variance};
use benchtop_model::agreement::Interval;
use benchtop_model::board::analysis::ScEstimate;

/// Sums of a style's answers, by clusters of questions that share a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StyleSums {
    /// Right answers.
    pub right: f64,
    /// Questions.
    pub n: f64,
    /// Clusters with a question.
    pub clusters: f64,
    /// Sum over clusters of the squared number of right answers.
    pub right_squared: f64,
    /// Sum over clusters of right answers times questions.
    pub right_n: f64,
    /// Sum over clusters of the squared number of questions.
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

    /// The estimated sampling variance of the share; `None` with one cluster.
    fn variance(&self) -> Option<f64> {
        let p = self.share();
        let squares = self.right_squared - 2.0 * p * self.right_n + p * p * self.n_squared;
        (self.clusters > 1.0)
            .then(|| self.clusters / (self.clusters - 1.0) * squares.max(0.0) / (self.n * self.n))
    }
}

/// Squared percentage points per squared share.
const POINTS: f64 = 1e4;
/// Probability left out at each end of the interval.
const TAIL: f64 = 0.025;
/// The largest variance of numbers from 0 to 1.
const MOST: f64 = 0.25;
/// Limits of the skewness. The limit is lower for the upper end of the interval if a few small
/// styles make up nearly all of the noise, because the lower tail is then longer than Pearson's.
const SKEWNESS: f64 = 2.8;
const SKEWNESS_BELOW: f64 = 1.4;

/// SC of styles, with and without sampling noise. `None` if the noise cannot be estimated: with
/// fewer than two styles, if no style has two clusters, or if all answers are right or all are
/// wrong.
pub fn sc_estimate(styles: &[StyleSums]) -> Option<ScEstimate> {
    let of = with_questions(styles);
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

/// The 95 % interval of the true SC, and the standard error of [`ScEstimate::corrected`]. `None` in
/// the same cases as [`sc_estimate`].
pub fn sc_interval(styles: &[StyleSums]) -> Option<Interval> {
    let of = with_questions(styles);
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

fn with_questions(styles: &[StyleSums]) -> Vec<StyleSums> {
    styles
        .iter()
        .copied()
        .filter(|style| style.n > 0.0)
        .collect()
}

/// The parameters of the statistic's distribution.
struct Model<'a> {
    of: &'a [StyleSums],
    /// Number of styles.
    s: f64,
    /// Deviations of the styles from their mean, `center`.
    deviations: Vec<f64>,
    center: f64,
    /// Share of right answers over all questions.
    pooled: f64,
    /// Sampling variance over that of independent questions.
    design: f64,
    printed: f64,
    /// The sum of squared deviations minus its noise.
    found: f64,
    noise: f64,
}

impl Model<'_> {
    fn new(of: &[StyleSums]) -> Option<Model<'_>> {
        let s = of.len() as f64;
        let shares: Vec<f64> = of.iter().map(StyleSums::share).collect();
        let (center, printed) = (mean(&shares)?, variance(&shares)?);
        let (right, n) = of.iter().fold((0.0, 0.0), |sum, style| {
            (sum.0 + style.right, sum.1 + style.n)
        });
        let pooled = right / n;
        if of.len() < 2 || right <= 0.0 || right >= n {
            return None;
        }
        // The design effect: how shared pictures change the sampling variance.
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
        let deviations = shares.iter().map(|share| share - center).collect();
        Some(Model {
            of,
            s,
            deviations,
            center,
            pooled,
            design,
            printed,
            found: s * printed - noise,
            noise: dealt,
        })
    }

    /// Mean, variance, and third central moment of the statistic if the true SC (as squared shares)
    /// is `sc`.
    fn moments(&self, sc: f64) -> (f64, f64, f64) {
        let s = self.s;
        // The posterior of a style's true accuracy, given its score and the variance between
        // styles: mean and mean square.
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
        let center = means.iter().sum::<f64>() / s;
        means.iter_mut().for_each(|d| *d -= center);
        let mut squares: Vec<f64> = means
            .iter()
            .zip(&parts)
            .map(|(d, part)| d * d + sc * (1.0 - part))
            .collect();
        let all = squares.iter().sum::<f64>();
        let scale = if all > 0.0 { s * sc / all } else { 0.0 };
        means.iter_mut().for_each(|d| *d *= scale.sqrt());
        squares.iter_mut().for_each(|square| *square *= scale);
        // Traces of powers of the centered covariance, and the terms of the deviations.
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
                true => (self.center + d).clamp(0.5 / style.n, 1.0 - 0.5 / style.n),
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

    /// Probability that the statistic is at least as large as observed if the true SC is `sc`.
    fn above(&self, sc: f64, most_skewed: f64) -> f64 {
        let (mean, variance, third) = self.moments(sc);
        let deviation = variance.max(f64::MIN_POSITIVE).sqrt();
        pearson(
            (self.found - mean) / deviation,
            (third / deviation.powi(3)).clamp(0.0, most_skewed),
        )
    }

    /// The true SC (as squared shares) for which the statistic is at least as large as observed
    /// with this probability. 0 if equal styles already reach it.
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
