//! Results of the safety checker.

use serde::{Deserialize, Serialize};

use super::generation::Pixels;

/// The scores of one picture: for each concept, cosine minus threshold, rounded to thousandths like
/// the checker of Stable Diffusion. A concept counts if its score is above 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Safety {
    /// Scores of the special care concepts. Once one counts, 0.01 is added to all later scores.
    pub special: Vec<f32>,
    /// Scores of the concepts that a picture is flagged for.
    pub concepts: Vec<f32>,
}

impl Safety {
    /// Whether any concept counts (`has_nsfw_concept`).
    pub fn is_flagged(&self) -> bool {
        self.concepts.iter().any(|score| *score > 0.)
    }

    /// Positions of the concepts that count (`bad_concepts`). Their names were never published.
    pub fn bad_concepts(&self) -> Vec<usize> {
        self.concepts
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.)
            .map(|(at, _)| at)
            .collect()
    }

    /// The highest concept score.
    pub fn highest(&self) -> Option<f32> {
        self.concepts.iter().copied().reduce(f32::max)
    }
}

/// Whether the picture is completely black, which is how other tools replace flagged pictures.
pub fn is_blanked(picture: &Pixels) -> bool {
    !picture.rgb.is_empty() && picture.rgb.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_scores_count() {
        let safety = Safety {
            special: vec![0.5],
            concepts: vec![-0.1, 0., 0.001],
        };
        assert!(safety.is_flagged());
        assert_eq!(
            (safety.bad_concepts(), safety.highest()),
            (vec![2], Some(0.001))
        );
        let safe = Safety {
            special: vec![0.5],
            concepts: vec![-0.1, 0.],
        };
        assert!(!safe.is_flagged() && safe.bad_concepts().is_empty());
    }

    #[test]
    fn only_black_pictures_are_blanked() {
        let mut picture = Pixels {
            width: 5,
            height: 4,
            rgb: vec![0; 60],
        };
        assert!(is_blanked(&picture));
        picture.rgb[59] = 1;
        assert!(!is_blanked(&picture));
        assert!(!is_blanked(&Pixels::default()));
    }
}
