//! The safety checker of Stable Diffusion, as in diffusers' `StableDiffusionSafetyChecker`: CLIP's
//! picture encoder, and distances to concepts whose names were never published.

use crate::candle::config::{CandleResult, check_dtype};
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;

use super::clip::{ClipConfig, VisionEncoder};
use super::dual_encoder::Options;
use super::scorer::{PictureInput, cosine, rows};
use crate::preprocess::{self, Steps};
use crate::scoring::SafetyChecker;
use benchtop_model::cancel::Cancel;
use benchtop_model::error::Result;
use benchtop_model::generation::{Failure, Fingerprint, Pixels};
use benchtop_model::safety::Safety;

/// The numbers of special care concepts and concepts, fixed in diffusers.
const CONCEPTS: (usize, usize) = (3, 17);

/// A matching special care concept adds this to all later scores.
const ADJUSTMENT: f32 = 0.01;

/// Concept embeddings of length 1, and their cosine thresholds.
struct Concepts {
    embeddings: Vec<Vec<f32>>,
    thresholds: Vec<f32>,
}

impl Concepts {
    fn load(vb: &VarBuilder, name: &str, n: usize, dimension: usize) -> Result<Concepts> {
        let embeddings = rows(&vb.get((n, dimension), name).input()?).input()?;
        let thresholds = vb
            .get(n, &format!("{name}_weights"))
            .input()?
            .to_dtype(DType::F32)
            .input()?
            .to_device(&Device::Cpu)
            .input()?;
        Ok(Concepts {
            embeddings,
            thresholds: thresholds.to_vec1().input()?,
        })
    }

    /// Cosine minus threshold plus the adjustment, rounded to thousandths (half to even). Computed
    /// in f32 and in this order, as in numpy 2.
    fn scores(&self, picture: &[f32], adjustment: &mut f32, raises: bool) -> Vec<f32> {
        let mut scores = Vec::new();
        for (concept, threshold) in self.embeddings.iter().zip(&self.thresholds) {
            let score = ((cosine(concept, picture) - threshold + *adjustment) * 1000.)
                .round_ties_even()
                / 1000.;
            if raises && score > 0. {
                *adjustment = ADJUSTMENT;
            }
            scores.push(score);
        }
        scores
    }
}

/// The safety checker of a `safety_checker` folder.
pub struct StableDiffusionSafetyChecker {
    vision: VisionEncoder,
    special: Concepts,
    concepts: Concepts,
    input: PictureInput,
    name: String,
    fingerprint: Fingerprint,
}

impl StableDiffusionSafetyChecker {
    /// Loads `config.json` and the weights from `folder`, and `preprocessor_config.json` from
    /// `folder` or the sibling folder `feature_extractor`.
    pub fn open(folder: &Path, options: &Options) -> Result<StableDiffusionSafetyChecker> {
        check_dtype(options.dtype)?;
        let config = ClipConfig::read(&folder.join("config.json"))?;
        let (vb, dimension) = (
            super::weights::open_part(folder, options.dtype, &options.device)?,
            config.projection_dim,
        );
        // Newer versions of transformers dropped a level of the names.
        let nested = vb.contains_tensor("vision_model.vision_model.embeddings.class_embedding");
        let inner = if nested {
            vb.pp("vision_model.vision_model")
        } else {
            vb.pp("vision_model")
        };
        let vision = VisionEncoder::load(
            &inner,
            vb.pp("visual_projection"),
            &config.vision,
            dimension,
        )
        .input()?;
        let special = Concepts::load(&vb, "special_care_embeds", CONCEPTS.0, dimension)?;
        let concepts = Concepts::load(&vb, "concept_embeds", CONCEPTS.1, dimension)?;
        let (folders, side) = (preprocess::folders(folder), config.vision.image_size);
        let file = Path::new("preprocessor_config.json");
        let input = PictureInput::open(&folders, Steps::clip(), side, options, file)?;
        let (name, fingerprint) = options.identify(
            folder,
            "candle 0.11.1, safety checker of our own",
            &input.preprocessor.steps,
        )?;
        Ok(StableDiffusionSafetyChecker {
            vision,
            special,
            concepts,
            input,
            name,
            fingerprint,
        })
    }

    fn judged(&self, picture: &[f32]) -> Safety {
        let mut adjustment = 0.;
        let special = self.special.scores(picture, &mut adjustment, true);
        Safety {
            special,
            concepts: self.concepts.scores(picture, &mut adjustment, false),
        }
    }
}

impl SafetyChecker for StableDiffusionSafetyChecker {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn check(
        &mut self,
        pictures: &[Pixels],
        cancel: Cancel<'_>,
    ) -> Vec<std::result::Result<Safety, Failure>> {
        let forward = |planes: &Tensor| rows(&self.vision.forward(planes)?);
        let embedded = self.input.embed_all(pictures, cancel, forward);
        embedded
            .into_iter()
            .map(|picture| picture.map(|picture| self.judged(&picture)))
            .collect()
    }
}
