//! What a safety checker says of a picture, as plain data.

use serde::{Deserialize, Serialize};

use super::generation::Pixels;

/// The scores of one picture: for each concept its cosine less the concept's threshold, in thousandths as the checker
/// of Stable Diffusion rounds them. What is over 0 counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Safety {
    /// Of the special care concepts; once one counts, 0.01 is added to all scores after it.
    pub special: Vec<f32>,
    /// Of the concepts that a picture is flagged for.
    pub concepts: Vec<f32>,
}

impl Safety {
    /// Whether a concept counts (`has_nsfw_concept`).
    pub fn flagged(&self) -> bool {
        self.concepts.iter().any(|score| *score > 0.)
    }

    /// Places of the concepts that count (`bad_concepts`). Their names were never published.
    pub fn bad_concepts(&self) -> Vec<usize> {
        self.concepts
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.)
            .map(|(at, _)| at)
            .collect()
    }

    /// The highest score of a concept: how close it came.
    pub fn highest(&self) -> Option<f32> {
        self.concepts.iter().copied().reduce(f32::max)
    }
}

/// Whether this is what other tools put in the place of a picture that their checker flagged: black to the last pixel.
/// A picture without pixels is none.
pub fn is_blanked(picture: &Pixels) -> bool {
    !picture.rgb.is_empty() && picture.rgb.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scores_over_nought_count() {
        let safety = Safety {
            special: vec![0.5],
            concepts: vec![-0.1, 0., 0.001],
        };
        assert!(safety.flagged());
        assert_eq!(
            (safety.bad_concepts(), safety.highest()),
            (vec![2], Some(0.001))
        );
        let safe = Safety {
            special: vec![0.5],
            concepts: vec![-0.1, 0.],
        };
        assert!(!safe.flagged() && safe.bad_concepts().is_empty());
    }

    #[test]
    fn only_black_is_blanked() {
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
