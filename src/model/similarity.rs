//! How well pictures and texts go together, as plain data.

use serde::{Deserialize, Serialize};

/// What a picture and a text, or two pictures, have in common by a model such as CLIP (Radford et al. 2021).
///
/// The same number is written on three scales. Dysca's paper filters at 0.75, which no cosine of CLIP reaches; its
/// released code keeps what has [`logit`](Self::logit) over 25, which is a cosine of 0.25 and a
/// [`clipscore`](Self::clipscore) of 0.625.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// Cosine between the two embeddings, from -1 to 1.
    pub cosine: f32,
    /// Chunks that the text was read in; over 1 where it is longer than the model takes at once.
    pub parts: u32,
}

impl Similarity {
    /// `logits_per_image` of transformers: the cosine times the model's `scale`, which is exp(`logit_scale`) and 100 for
    /// the published CLIPs.
    pub fn logit(&self, scale: f32) -> f32 {
        self.cosine * scale
    }

    /// CLIPScore: 2.5 max(cosine, 0) (Hessel et al. 2021, eq. 1).
    pub fn clipscore(&self) -> f32 {
        2.5 * self.cosine.max(0.)
    }
}

/// What a model that compares pictures with texts can do; asked, never assumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerCapabilities {
    /// What it is, for a person: `clip-vit-large-patch14 on CPU (f32)`.
    pub name: String,
    /// Numbers in an embedding.
    pub dimension: usize,
    /// exp(`logit_scale`): what a cosine is multiplied with to become a logit.
    pub logit_scale: f32,
    /// What is added to that; SigLIP has one, CLIP has none.
    pub logit_bias: Option<f32>,
    /// Longest text in tokens, without marks, that is read in one part.
    pub longest_text: usize,
}

impl ScorerCapabilities {
    /// The logit of the pair, as transformers' `logits_per_image` has it for this model.
    pub fn logit(&self, similarity: &Similarity) -> f32 {
        similarity.logit(self.logit_scale) + self.logit_bias.unwrap_or(0.)
    }

    /// How likely the pair belongs together, for a model that was trained to say so of each pair by itself (SigLIP: Zhai
    /// et al. 2023). CLIP only ranks texts against each other and says nothing here.
    pub fn probability(&self, similarity: &Similarity) -> Option<f32> {
        self.logit_bias
            .map(|_| 1. / (1. + (-self.logit(similarity)).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cosine_on_three_scales() {
        let quarter = Similarity {
            cosine: 0.25,
            parts: 1,
        };
        assert_eq!((quarter.logit(100.), quarter.clipscore()), (25., 0.625));
        assert_eq!(
            Similarity {
                cosine: -0.1,
                parts: 1
            }
            .clipscore(),
            0.
        );
        let mut model = ScorerCapabilities {
            name: "tiny".into(),
            dimension: 4,
            logit_scale: 100.,
            logit_bias: None,
            longest_text: 75,
        };
        assert_eq!(
            (model.logit(&quarter), model.probability(&quarter)),
            (25., None)
        );
        model.logit_bias = Some(-25.);
        assert_eq!(
            (model.logit(&quarter), model.probability(&quarter)),
            (0., Some(0.5))
        );
    }
}
