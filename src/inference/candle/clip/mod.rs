//! CLIP (Radford et al. 2021), as in transformers' `CLIPModel`, for models of OpenAI and OpenCLIP.
//! candle's own CLIP is not used: it fixes the text nonlinearity and epsilon, and pools texts at
//! the highest token id.

mod config;
mod vision;

use crate::candle::config::CandleResult;
use std::path::Path;

use candle_core::{Device, Tensor};
use candle_nn::VarBuilder;

use super::dual_encoder::{DualEncoderScorer, Opened, Options};
use super::text::{PoolAt, TextEncoder};
use super::tokenizer::ClipTokenizer;
use crate::preprocess::Steps;
use benchtop_model::error::{Error, Result};
pub use config::{ClipConfig, VisionConfig};
pub use vision::VisionEncoder;

/// The encoders and the tokenizer of a CLIP model.
pub struct Clip {
    text: TextEncoder,
    vision: VisionEncoder,
    tokenizer: ClipTokenizer,
    pool_at: PoolAt,
}

impl DualEncoderScorer for Clip {
    const BACKEND: &'static str = "candle 0.11.1, CLIP of our own";

    fn load(folder: &Path, options: &Options) -> Result<Opened<Clip>> {
        let file = folder.join("config.json");
        let config = ClipConfig::read(&file)?;
        let tokenizer = ClipTokenizer::open(folder)?;
        if tokenizer.length > config.text.max_position_embeddings {
            let (length, most) = (tokenizer.length, config.text.max_position_embeddings);
            let wrong = Error::input(format!(
                "has {most} positions, but the tokenizer makes texts of {length} tokens"
            ))
            .file(file);
            return Err(wrong.field("text_config.max_position_embeddings"));
        }
        let vb = super::weights::open_part(folder, options.dtype, &options.device)?;
        let scale = scalar(&vb, "logit_scale")?.exp();
        let side = config.vision.image_size;
        let text = TextEncoder::load(&vb, config.text.clone()).input()?;
        let projection = vb.pp("visual_projection");
        let vision = VisionEncoder::load(
            &vb.pp("vision_model"),
            projection,
            &config.vision,
            config.projection_dim,
        )
        .input()?;
        let longest_text = tokenizer.length - 2;
        let towers = Clip {
            text,
            vision,
            tokenizer,
            pool_at: config.text.pool_at,
        };
        Ok(Opened {
            encoders: towers,
            dimension: config.projection_dim,
            scale,
            bias: None,
            longest_text,
            side,
            steps: Steps::clip(),
        })
    }

    fn chunks(&self, text: &str) -> Result<Vec<Vec<u32>>> {
        Ok(self.tokenizer.prompt(text)?.chunks)
    }

    fn texts(&self, chunks: &[Vec<u32>]) -> candle_core::Result<Tensor> {
        // Attention is causal, so the tokens after the pooled one need not be computed.
        let last = chunks
            .iter()
            .map(|chunk| self.pool_at.position(chunk))
            .max()
            .unwrap_or_default();
        let cut: Vec<Vec<u32>> = chunks
            .iter()
            .map(|chunk| chunk.iter().take(last + 1).copied().collect())
            .collect();
        match self.text.forward(&cut)?.projected {
            Some(projected) => Ok(projected),
            None => candle_core::bail!("text_projection.weight is missing"),
        }
    }

    fn pictures(&self, planes: &Tensor) -> candle_core::Result<Tensor> {
        self.vision.forward(planes)
    }
}

impl Clip {
    /// As `pictures`, with a gradient.
    pub(super) fn differentiable(&self, planes: &Tensor) -> candle_core::Result<Tensor> {
        self.vision.differentiable(planes)
    }
}

/// A scalar weight, stored with or without an axis.
pub(super) fn scalar(vb: &VarBuilder, name: &str) -> Result<f32> {
    let tensor = vb
        .get_unchecked(name)
        .input()?
        .to_device(&Device::Cpu)
        .input()?
        .to_dtype(candle_core::DType::F32)
        .input()?;
    match tensor
        .flatten_all()
        .input()?
        .to_vec1::<f32>()
        .input()?
        .as_slice()
    {
        [one] if one.is_finite() => Ok(*one),
        other => Err(Error::input(format!(
            "tensor {name} has {} numbers, expected one",
            other.len()
        ))),
    }
}
