//! Sensitivity to the covered styles (SC).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Piece, TYPES, type_score};
use crate::statistics::{Number, mean, variance};
use benchtop_model::sorting::sort_by;

/// SC and the contribution of each style.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sc {
    /// Population variance of the styles' scores, in squared points. Undefined for fewer than two
    /// styles.
    pub value: Number,
    /// Number of styles with a score. The paper says 51 and its released list has 57, so they are
    /// counted.
    pub n: usize,
    /// Mean score of the styles, in percent.
    pub mean: Number,
    /// The styles, largest contribution first.
    pub styles: Vec<ScPart>,
}

/// The contribution of one style to SC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScPart {
    pub style: String,
    /// Score in percent.
    pub score: f64,
    /// Score minus the mean, in points.
    pub deviation: f64,
    /// The squared deviation over the number of styles. The contributions add up to SC.
    pub contribution: f64,
}

/// SC of styles with their scores in percent. Styles without a score do not count.
///
/// Source: equation 2, the population variance over the styles. The paper does not define the score
/// of a style, and its code has none; [`style_scores`] offers two.
pub fn sc(styles: &[(String, Number)]) -> Sc {
    let of: Vec<(&str, f64)> = styles
        .iter()
        .filter_map(|(style, score)| Some((style.as_str(), score.value?)))
        .collect();
    let scores: Vec<f64> = of.iter().map(|(_, score)| *score).collect();
    let center = mean(&scores);
    let part = |(style, score): &(&str, f64)| {
        let deviation = score - center.unwrap_or_default();
        let contribution = deviation * deviation / of.len() as f64;
        ScPart {
            style: (*style).into(),
            score: *score,
            deviation,
            contribution,
        }
    };
    let mut parts: Vec<ScPart> = of.iter().map(part).collect();
    sort_by(&mut parts, |a, b| {
        b.contribution
            .total_cmp(&a.contribution)
            .then_with(|| a.style.cmp(&b.style))
    });
    let why = if scores.is_empty() {
        "no styles with answers"
    } else {
        "all answers are of one style"
    };
    Sc {
        value: Number::or(variance(&scores).filter(|_| scores.len() > 1), why),
        n: of.len(),
        mean: Number::or(center, why),
        styles: parts,
    }
}

/// The score of every style in the pieces of one scenario, in percent, by name. `pooled` pools all
/// multiple-choice and true-or-false questions of a style. Otherwise the score is the mean of the
/// types' scores, over the two or three types in the whole set; a style without one of them has no
/// score. Pieces without a style are left out.
pub fn style_scores(pieces: &[&Piece], pooled: bool) -> Vec<(String, Number)> {
    let types: Vec<_> = TYPES
        .into_iter()
        .filter(|kind| pieces.iter().any(|p| p.kind == *kind && p.tally.n > 0))
        .collect();
    let mut of: BTreeMap<&str, Vec<&Piece>> = BTreeMap::new();
    for piece in pieces {
        if let Some(style) = &piece.style {
            of.entry(style).or_default().push(piece);
        }
    }
    let score = |pieces: &[&Piece]| {
        if pooled {
            let graded = pieces.iter().filter(|p| TYPES[..2].contains(&p.kind));
            return graded
                .map(|p| p.tally)
                .sum::<crate::tally::Tally>()
                .percent();
        }
        let score = |kind| {
            type_score(kind, pieces)
                .map_or_else(|| Number::none("a type has no questions"), |t| t.score)
        };
        let sum = types
            .iter()
            .map(|kind| score(*kind))
            .reduce(|a, b| a.with(&b, |a, b| a + b));
        sum.unwrap_or_else(|| Number::none("no questions"))
            .map(|sum| sum / types.len() as f64)
    };
    of.into_iter()
        .map(|(style, pieces)| (style.to_string(), score(&pieces)))
        .collect()
}
