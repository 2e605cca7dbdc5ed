//! Scores free-form answers by meaning: the cosine similarity of all-MiniLM-L6-v2 sentence
//! embeddings (Dysca, section 3.4).

use serde::{Deserialize, Serialize};

use crate::{Item, QuestionKind};

named! {
    /// What an output is compared with, and how the cosine is rounded. Dysca's paper and its released
    /// code differ. The published tables come from the code, so it is the default.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum FreeForm {
        /// Dysca's released `Dysca_compute.py`, lines 97 and 167: compares with the short answer and
        /// rounds each cosine to two decimals.
        #[default]
        DyscaCode = "dysca-code",
        /// Dysca's text, section 3.4: compares with the prompt P that the picture was made from,
        /// without rounding.
        DyscaPaper = "dysca-paper",
    }
}

impl FreeForm {
    /// The text that outputs to `item` are compared with. `None` if the question is not free-form
    /// or the item lacks the text.
    pub fn reference(self, item: &Item) -> Option<&str> {
        if item.kind != QuestionKind::FreeForm {
            return None;
        }
        let words = match self {
            FreeForm::DyscaCode => Some(item.answer.as_str()),
            FreeForm::DyscaPaper => item.prompt.as_deref(),
        };
        words.filter(|w| !w.trim().is_empty())
    }

    /// The score of a cosine, from -1 to 1. The tables show 100 times the mean score.
    pub fn score(self, cosine: f64) -> f64 {
        match self {
            // Rounds as Python does: by the digits of the exact value.
            FreeForm::DyscaCode => format!("{cosine:.2}").parse().unwrap_or(cosine),
            FreeForm::DyscaPaper => cosine,
        }
    }
}

/// Cosine similarity of two vectors of length 1.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_variant_rounds_and_paper_variant_does_not() {
        // Python: round(0.125, 2) is 0.12, round(0.135, 2) is 0.14, round(0.005, 2) is 0.01.
        for (cosine, rounded) in [
            (0.125, 0.12),
            (0.135, 0.14),
            (0.005, 0.01),
            (-0.004, 0.0),
            (0.8549, 0.85),
        ] {
            assert_eq!(FreeForm::DyscaCode.score(cosine), rounded, "{cosine}");
            assert_eq!(FreeForm::DyscaPaper.score(cosine), cosine);
        }
        assert_eq!(FreeForm::default().name(), "dysca-code");
        assert!(
            FreeForm::ALL
                .into_iter()
                .all(|f| FreeForm::from_name(f.name()) == Some(f))
        );
        assert_eq!(
            cosine(&[0.6, 0.8], &[0.8, -0.6]),
            0.6f32 as f64 * 0.8f32 as f64 - 0.8f32 as f64 * 0.6f32 as f64
        );
    }
}
