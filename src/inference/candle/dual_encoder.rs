//! A text encoder and a picture encoder with a common embedding space, and the settings to load
//! them.

use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use tokenizers::Tokenizer;

use super::config::CandleResult;
use super::device::describe;
use crate::preprocess::Steps;
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::Fingerprint;

/// Part of the fingerprint. Increase it with every change that changes the output.
const CODE: u32 = 1;

/// Settings of a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// Data type of the computation: f32, or f16 to save memory.
    pub dtype: DType,
    pub device: Device,
    /// Pictures per batch.
    pub together: usize,
    /// Hash of the model's files (see [`super::weights::hash_part`]), if the caller has it;
    /// otherwise all files are read to compute it.
    pub hash: Option<String>,
}

impl Options {
    /// Settings for the CPU: f32, and eight pictures per batch.
    pub fn cpu() -> Options {
        Options {
            dtype: DType::F32,
            device: Device::Cpu,
            together: 8,
            hash: None,
        }
    }

    /// The name and the fingerprint of the model in `folder`.
    pub(super) fn identify(
        &self,
        folder: &Path,
        backend: &str,
        steps: &Steps,
    ) -> Result<(String, Fingerprint)> {
        let hash = match &self.hash {
            Some(hash) => hash.clone(),
            None => super::weights::hash_part(folder, self.dtype)?,
        };
        let place = describe(&self.device).input()?;
        let model = super::weights::folder_name(folder);
        let fingerprint = Fingerprint::default()
            .with("backend", backend)
            .with("code", CODE)
            .with("model", &model)
            .with("weights", hash)
            .with("dtype", self.dtype.as_str())
            .with("device", place.print())
            .with("batch", self.together.max(1))
            .with("preprocessing", format!("{steps:?}"));
        Ok((
            format!("{model} on {} ({})", place.name, self.dtype.as_str()),
            fingerprint,
        ))
    }
}

/// Reads `tokenizer.json`, without truncation and padding. Returns its path too. `other` is the
/// vocabulary of the same model that is not supported.
pub(super) fn tokenizer(folder: &Path, other: &str) -> Result<(Tokenizer, PathBuf)> {
    let file = folder.join("tokenizer.json");
    if !file.is_file() {
        let help = format!("{other} is not supported; add the tokenizer.json of the same model");
        let missing = Error::not_found("missing").file(file);
        return Err(missing.help(help));
    }
    let mut tokenizer = Tokenizer::from_file(&file)
        .map_err(|e| Error::input(format!("is not a valid tokenizer: {e}")).file(&file))?;
    tokenizer
        .with_truncation(None)
        .map_err(|e| Error::input(e.to_string()).file(&file))?;
    tokenizer.with_padding(None);
    Ok((tokenizer, file))
}

/// A loaded model with its properties.
pub struct Opened<T> {
    pub encoders: T,
    /// Number of components of an embedding.
    pub dimension: usize,
    /// exp(`logit_scale`).
    pub scale: f32,
    /// `logit_bias`.
    pub bias: Option<f32>,
    /// Tokens per chunk, without special tokens.
    pub longest_text: usize,
    /// Side of the input pictures in pixels.
    pub side: usize,
    /// Default preprocessing.
    pub steps: Steps,
}

/// A text encoder and a picture encoder with a common embedding space.
pub trait DualEncoderScorer: Send + Sized {
    /// Name of the implementation, for the fingerprint.
    const BACKEND: &'static str;

    /// Loads the model in `folder`.
    fn load(folder: &Path, options: &Options) -> Result<Opened<Self>>;

    /// The token ids of a text, in at least one chunk of the encoder's length.
    fn chunks(&self, text: &str) -> Result<Vec<Vec<u32>>>;

    /// Embeds chunks as `[chunks, dimension]`, not normalized.
    fn texts(&self, chunks: &[Vec<u32>]) -> candle_core::Result<Tensor>;

    /// Embeds pictures `[b, 3, side, side]` as `[b, dimension]`, not normalized.
    fn pictures(&self, planes: &Tensor) -> candle_core::Result<Tensor>;
}
