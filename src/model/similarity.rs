//! Similarity of pictures and texts.

use serde::{Deserialize, Serialize};

/// Similarity of a picture and a text, or of two pictures, by a model such as CLIP (Radford et al.
/// 2021).
///
/// There are three common scales. Dysca's paper filters at 0.75, which no cosine of CLIP reaches.
/// Its released code keeps items with a [`logit`](Self::logit) over 25, which is a cosine of 0.25
/// and a [`clipscore`](Self::clipscore) of 0.625.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// Cosine of the two embeddings, from -1 to 1.
    pub cosine: f32,
    /// Number of chunks of the text; above 1 if it is longer than the model's context.
    pub parts: u32,
}

impl Similarity {
    /// `logits_per_image` of transformers: the cosine times the model's `scale`, which is
    /// exp(`logit_scale`) and 100 for the published CLIP models.
    pub fn logit(&self, scale: f32) -> f32 {
        self.cosine * scale
    }

    /// CLIPScore: 2.5 max(cosine, 0) (Hessel et al. 2021, eq. 1).
    pub fn clipscore(&self) -> f32 {
        2.5 * self.cosine.max(0.)
    }
}

/// Capabilities of an image-text model, as it reports them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerCapabilities {
    /// Description for people: `clip-vit-large-patch14 on CPU (f32)`.
    pub name: String,
    /// Length of an embedding.
    pub dimension: usize,
    /// exp(`logit_scale`), the factor from cosine to logit.
    pub logit_scale: f32,
    /// The bias of the logit. SigLIP has one, CLIP has none.
    pub logit_bias: Option<f32>,
    /// Context length in tokens, without special tokens.
    pub longest_text: usize,
}

impl ScorerCapabilities {
    /// The logit of the pair, like `logits_per_image` of transformers for this model.
    pub fn logit(&self, similarity: &Similarity) -> f32 {
        similarity.logit(self.logit_scale) + self.logit_bias.unwrap_or(0.)
    }

    /// Probability that the pair matches, for models trained on single pairs (SigLIP: Zhai et al.
    /// 2023). `None` for CLIP, which only ranks texts.
    pub fn probability(&self, similarity: &Similarity) -> Option<f32> {
        self.logit_bias
            .map(|_| 1. / (1. + (-self.logit(similarity)).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_convert() {
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
