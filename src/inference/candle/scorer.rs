//! [`ImageTextScorer`] and [`ImageEmbedder`] for dual encoders: the common part of CLIP and SigLIP.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{D, DType, Device, Tensor};
use rayon::prelude::*;

use super::clip::Clip;
use super::config::{Config, check_dtype, reason};
pub use super::dual_encoder::{DualEncoderScorer, Opened, Options};
use super::pipeline::{failure, wrong};
use super::siglip::Siglip;
use crate::preprocess::{Preprocessor, Steps};
use crate::scoring::{ImageEmbedder, ImageTextScorer, Pair};
use benchtop_model::cancel::Cancel;
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::{Failure, FailureKind, Fingerprint, Pixels};
use benchtop_model::similarity::{ScorerCapabilities, Similarity};

/// Texts per batch.
const TEXTS: usize = 32;

/// Maximum number of chunks per text.
const PARTS: usize = 64;

/// A model that compares pictures with texts: [`ClipScorer`] or [`SiglipScorer`].
pub struct DualEncoder<T> {
    pub(super) towers: T,
    pub(super) input: PictureInput,
    pub(super) capabilities: ScorerCapabilities,
    pub(super) fingerprint: Fingerprint,
}

/// CLIP (Radford et al. 2021), of OpenAI or OpenCLIP.
pub type ClipScorer = DualEncoder<Clip>;

/// SigLIP (Zhai et al. 2023), and SigLIP 2 models with `model_type` siglip.
pub type SiglipScorer = DualEncoder<Siglip>;

/// Opens the CLIP or SigLIP model in `folder`, according to its `config.json`.
pub fn open(folder: &Path, options: &Options) -> Result<Box<dyn ImageTextScorer>> {
    let config = Config::read(&folder.join("config.json"))?;
    match config.get("model_type").and_then(serde_json::Value::as_str) {
        Some("clip") => Ok(Box::new(ClipScorer::open(folder, options)?)),
        Some("siglip") => Ok(Box::new(SiglipScorer::open(folder, options)?)),
        other => {
            let other = other.unwrap_or("none");
            Err(config.unsupported("model_type", other, &["clip", "siglip"]))
        }
    }
}

impl<T: DualEncoderScorer> DualEncoder<T> {
    /// Loads a model folder in transformers' layout: `config.json`, `preprocessor_config.json`, the
    /// tokenizer files, and `model.safetensors` or its shards.
    pub fn open(folder: &Path, options: &Options) -> Result<DualEncoder<T>> {
        check_dtype(options.dtype)?;
        let Opened {
            encoders: towers,
            dimension,
            scale,
            bias,
            longest_text,
            side,
            steps,
        } = T::load(folder, options)?;
        let file = folder.join("preprocessor_config.json");
        let input = PictureInput::open(&[folder.to_path_buf()], steps, side, options, &file)?;
        let steps = &input.preprocessor.steps;
        let (name, fingerprint) = options.identify(folder, T::BACKEND, steps)?;
        let capabilities = ScorerCapabilities {
            name,
            dimension,
            logit_scale: scale,
            logit_bias: bias,
            longest_text,
        };
        Ok(DualEncoder {
            towers,
            input,
            capabilities,
            fingerprint,
        })
    }

    /// The embeddings of the `wanted` indexes of `pictures`.
    pub(super) fn embedded(
        &self,
        pictures: &[Pixels],
        wanted: &[usize],
        cancel: Cancel<'_>,
    ) -> HashMap<usize, Embedded> {
        let forward = |planes: &Tensor| rows(&self.towers.pictures(planes)?);
        self.input.embed(pictures, wanted, cancel, forward)
    }

    /// The embeddings of `texts` and their numbers of chunks. The normalized embeddings of the
    /// chunks are averaged and normalized again.
    pub(super) fn texts<'t>(
        &self,
        texts: Vec<&'t str>,
        cancel: Cancel<'_>,
    ) -> HashMap<&'t str, Read> {
        let mut read: HashMap<&str, Read> = HashMap::new();
        let mut chunks: Vec<(&str, Vec<u32>)> = Vec::new();
        for text in texts {
            match self.chunks(text) {
                Ok(parts) => {
                    read.insert(
                        text,
                        Ok((vec![0.; self.capabilities.dimension], parts.len() as u32)),
                    );
                    chunks.extend(parts.into_iter().map(|part| (text, part)));
                }
                Err(failure) => drop(read.insert(text, Err(failure))),
            }
        }
        for some in chunks.chunks(TEXTS) {
            let ids: Vec<Vec<u32>> = some.iter().map(|(_, chunk)| chunk.clone()).collect();
            let encoded = match cancel.is_canceled() {
                false => self
                    .towers
                    .texts(&ids)
                    .and_then(|t| rows(&t))
                    .map_err(refused),
                true => Err(Failure::cancelled()),
            };
            for (at, (text, _)) in some.iter().enumerate() {
                let row = encoded
                    .as_ref()
                    .map(|rows| rows.get(at).cloned().unwrap_or_default());
                match (
                    read.get_mut(text),
                    row.map_err(Failure::clone).and_then(finite),
                ) {
                    (Some(Ok((mean, _))), Ok(row)) => {
                        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x)
                    }
                    (Some(failed), Err(failure)) => *failed = Err(failure),
                    _ => {}
                }
            }
        }
        for mean in read
            .values_mut()
            .filter_map(|read| read.as_mut().ok())
            .map(|read| &mut read.0)
        {
            let length = mean
                .iter()
                .map(|x| f64::from(*x).powi(2))
                .sum::<f64>()
                .sqrt()
                .max(1e-12);
            mean.iter_mut()
                .for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
        read
    }

    fn chunks(&self, text: &str) -> std::result::Result<Vec<Vec<u32>>, Failure> {
        let chunks = self.towers.chunks(text).map_err(wrong)?;
        if chunks.len() > PARTS {
            let longest = self.capabilities.longest_text;
            let why = format!(
                "the text is read in parts of {longest} tokens and has {}: at most {PARTS}",
                chunks.len()
            );
            return Err(Failure::new(FailureKind::Input, why));
        }
        Ok(chunks)
    }
}

/// The embedding of a text and its number of chunks.
pub(super) type Read = std::result::Result<(Vec<f32>, u32), Failure>;

pub(super) type Embedded = std::result::Result<Vec<f32>, Failure>;

/// Preprocesses pictures and encodes them in batches.
pub(super) struct PictureInput {
    pub(super) preprocessor: Preprocessor,
    options: Options,
}

impl PictureInput {
    /// Reads the preprocessing in the first of `folders` that has it. `file` is named in the error
    /// about a size other than `side`.
    pub(super) fn open(
        folders: &[PathBuf],
        steps: Steps,
        side: usize,
        options: &Options,
        file: &Path,
    ) -> Result<PictureInput> {
        let preprocessor = Preprocessor::open(folders, steps)?;
        if preprocessor.size() != Some((side, side)) {
            let what =
                format!("the preprocessed pictures are not {side}x{side}, as config.json requires");
            return Err(Error::input(what).file(file).field("crop_size"));
        }
        Ok(PictureInput {
            preprocessor,
            options: options.clone(),
        })
    }

    /// Preprocesses and encodes the `wanted` pictures in batches. Canceled work
    /// fails the rest.
    fn embed(
        &self,
        pictures: &[Pixels],
        wanted: &[usize],
        cancel: Cancel<'_>,
        forward: impl Fn(&Tensor) -> candle_core::Result<Vec<Vec<f32>>>,
    ) -> HashMap<usize, Embedded> {
        let (preprocessor, options) = (&self.preprocessor, &self.options);
        let mut done: HashMap<usize, Embedded> = HashMap::new();
        for batch in wanted.chunks(options.together.max(1)) {
            if cancel.is_canceled() {
                done.extend(batch.iter().map(|at| (*at, Err(Failure::cancelled()))));
                continue;
            }
            let prepared: Vec<(usize, Result<Vec<f32>>)> = batch
                .par_iter()
                .map(|at| {
                    (
                        *at,
                        pictures
                            .get(*at)
                            .map_or_else(|| Err(none(*at)), |p| preprocessor.planes(p)),
                    )
                })
                .collect();
            let (mut whole, mut places) = (Vec::new(), Vec::new());
            for (at, planes) in prepared {
                match planes {
                    Ok(planes) => {
                        places.push(at);
                        whole.extend(planes);
                    }
                    Err(problem) => {
                        done.insert(at, Err(wrong(problem)));
                    }
                }
            }
            if let (Some((wide, high)), false) = (preprocessor.size(), places.is_empty()) {
                let planes =
                    Tensor::from_vec(whole, (places.len(), 3, high, wide), &options.device);
                let encoded = planes.and_then(|planes| forward(&planes.to_dtype(options.dtype)?));
                match encoded {
                    Ok(rows) => done.extend(places.into_iter().zip(rows.into_iter().map(finite))),
                    Err(error) => {
                        let failed = refused(error);
                        done.extend(places.into_iter().map(|at| (at, Err(failed.clone()))));
                    }
                }
            }
        }
        done
    }

    /// The embeddings of all `pictures`, in their order.
    pub(super) fn embed_all(
        &self,
        pictures: &[Pixels],
        cancel: Cancel<'_>,
        forward: impl Fn(&Tensor) -> candle_core::Result<Vec<Vec<f32>>>,
    ) -> Vec<Embedded> {
        let wanted: Vec<usize> = (0..pictures.len()).collect();
        let mut embedded = self.embed(pictures, &wanted, cancel, forward);
        let lost = || {
            Err(Failure::new(
                FailureKind::BadOutput,
                "the model returned no result",
            ))
        };
        wanted
            .iter()
            .map(|at| embedded.remove(at).unwrap_or_else(lost))
            .collect()
    }
}

/// The dot product, summed in f64.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
    products.sum::<f64>() as f32
}

fn none(at: usize) -> Error {
    Error::input(format!("no picture {at}"))
}

/// The normalized rows of `[n, dimension]` in f32. A length of 0 is handled as in
/// `torch.nn.functional.normalize`.
pub(super) fn rows(embeddings: &Tensor) -> candle_core::Result<Vec<Vec<f32>>> {
    let wide = embeddings.to_dtype(DType::F32)?;
    let lengths = wide
        .sqr()?
        .sum_keepdim(D::Minus1)?
        .sqrt()?
        .clamp(1e-12, f64::MAX)?;
    wide.broadcast_div(&lengths)?
        .to_device(&Device::Cpu)?
        .to_vec2::<f32>()
}

pub(super) fn refused(error: candle_core::Error) -> Failure {
    failure(FailureKind::Refused, &reason(&error))
}

fn finite(row: Vec<f32>) -> Embedded {
    match row.iter().all(|x| x.is_finite()) {
        true => Ok(row),
        false => Err(Failure::new(
            FailureKind::BadOutput,
            "the model returned NaN or infinite numbers",
        )),
    }
}

impl<T: DualEncoderScorer> ImageTextScorer for DualEncoder<T> {
    fn capabilities(&self) -> &ScorerCapabilities {
        &self.capabilities
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn score(
        &mut self,
        pictures: &[Pixels],
        texts: &[&str],
        pairs: &[Pair],
        cancel: Cancel<'_>,
    ) -> Vec<std::result::Result<Similarity, Failure>> {
        let mut said: Vec<&str> = pairs
            .iter()
            .filter_map(|pair| texts.get(pair.text).copied())
            .collect();
        said.sort_unstable();
        said.dedup();
        let known = self.texts(said, cancel);
        let mut wanted: Vec<usize> = pairs.iter().map(|pair| pair.picture).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let embedded = self.embedded(pictures, &wanted, cancel);
        let score = |pair: &Pair| {
            let missing =
                |what: &str, at| Failure::new(FailureKind::Input, format!("no {what} {at}"));
            let picture = embedded
                .get(&pair.picture)
                .ok_or_else(|| missing("picture", pair.picture))?;
            let picture = picture.as_ref().map_err(Failure::clone)?;
            let text = texts.get(pair.text).and_then(|text| known.get(text));
            let text = text.ok_or_else(|| missing("text", pair.text))?;
            let (text, parts) = text.as_ref().map_err(Failure::clone)?;
            Ok(Similarity {
                cosine: cosine(picture, text),
                parts: *parts,
            })
        };
        pairs.iter().map(score).collect()
    }
}

impl<T: DualEncoderScorer> ImageEmbedder for DualEncoder<T> {
    fn dimension(&self) -> usize {
        self.capabilities.dimension
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn embed(&mut self, pictures: &[Pixels], cancel: Cancel<'_>) -> Vec<Embedded> {
        let forward = |planes: &Tensor| rows(&self.towers.pictures(planes)?);
        self.input.embed_all(pictures, cancel, forward)
    }
}
