//! SigLIP (Zhai et al. 2023). The network is candle-transformers', which agrees with transformers'
//! `SiglipModel`. The configuration is validated here, because candle does not.

use super::text::check_ids;
use crate::candle::config::CandleResult;
use std::path::Path;

use candle_core::{Device, Tensor};
use candle_transformers::models::siglip::{Config as Network, Model};
use tokenizers::Tokenizer;

use super::clip::scalar;
use super::config::Config;
use super::dual_encoder::{DualEncoderScorer, Opened, Options};
use crate::preprocess::Steps;
use benchtop_model::error::{Error, Result};

/// The encoders and the tokenizer of a SigLIP model.
pub struct Siglip {
    model: Model,
    tokenizer: Tokenizer,
    /// Tokens per chunk, including the end token. Chunks are padded to it, as in training.
    length: usize,
    end: u32,
    pad: u32,
    vocabulary: usize,
    device: Device,
}

/// Refuses sizes that candle's network would divide by or misinterpret.
fn check(config: &Config) -> Result<()> {
    config.only("model_type", "siglip")?;
    let (text, vision) = (
        config.section("text_config")?,
        config.section("vision_config")?,
    );
    for part in [&text, &vision] {
        part.width_and_heads(Some((768, 12)))?;
        part.count("intermediate_size", Some(3072))?;
        part.count("num_hidden_layers", Some(12))?;
        part.layer_norm_eps(1e-6)?;
        match part
            .get("hidden_act")
            .map(|a| a.as_str().unwrap_or_default())
        {
            None | Some("gelu_pytorch_tanh" | "gelu") => {}
            Some(other) => {
                return Err(part.unsupported("hidden_act", other, &["gelu_pytorch_tanh", "gelu"]));
            }
        }
    }
    // candle's text head is square.
    text.only("projection_size", text.count("hidden_size", Some(768))?)?;
    if text.count("hidden_size", Some(768))? != vision.count("hidden_size", Some(768))? {
        return Err(text.wrong(
            "hidden_size",
            "differs from that of the pictures, so the two cannot be compared",
        ));
    }
    vision.only("num_channels", 3)?;
    vision.only("vision_use_head", true)?;
    vision.side_and_patch(16).map(drop)
}

/// Reads `tokenizer.json`, and the ids of the end token and the padding.
fn tokenizer(folder: &Path) -> Result<(Tokenizer, u32, u32)> {
    // Truncation and padding are done here, so that no text is cut silently.
    let (tokenizer, file) = super::dual_encoder::tokenizer(folder, "spiece.model")?;
    let settings = folder.join("tokenizer_config.json");
    let settings = if settings.is_file() {
        Some(Config::read(&settings)?)
    } else {
        None
    };
    let id = |name: &str| -> Result<u32> {
        let token = settings.as_ref().and_then(|s| s.get(name));
        let token = token
            .and_then(|t| t.as_str().or_else(|| t.get("content")?.as_str()))
            .unwrap_or("</s>");
        let missing = || {
            Error::input(format!("the vocabulary has no `{token}`"))
                .file(&file)
                .field(name)
        };
        tokenizer.token_to_id(token).ok_or_else(missing)
    };
    let (end, pad) = (id("eos_token")?, id("pad_token")?);
    Ok((tokenizer, end, pad))
}

impl DualEncoderScorer for Siglip {
    const BACKEND: &'static str = "candle-transformers 0.11.1, SigLIP";

    fn load(folder: &Path, options: &Options) -> Result<Opened<Siglip>> {
        let file = folder.join("config.json");
        let config = Config::read(&file)?;
        check(&config)?;
        let part = |name: &str| {
            config
                .section(name)
                .map(|c| serde_json::Value::Object(c.fields.clone()))
        };
        let whole = serde_json::json!({"text_config": part("text_config")?, "vision_config": part("vision_config")?});
        let network: Network = serde_json::from_value(whole)
            .map_err(|e| Error::input(format!("is not a SigLIP configuration: {e}")).file(&file))?;
        let (tokenizer, end, pad) = tokenizer(folder)?;
        let vb = super::weights::open_part(folder, options.dtype, &options.device)?;
        let (scale, bias) = (
            scalar(&vb, "logit_scale")?.exp(),
            scalar(&vb, "logit_bias")?,
        );
        let length = network.text_config.max_position_embeddings;
        if length < 2 {
            return Err(Error::input("leaves no room beside the special token")
                .file(file)
                .field("max_position_embeddings"));
        }
        let (dimension, side) = (
            network.text_config.hidden_size,
            network.vision_config.image_size,
        );
        let vocabulary = network.text_config.vocab_size;
        let model = Model::new(&network, vb).input()?;
        let device = options.device.clone();
        let towers = Siglip {
            model,
            tokenizer,
            length,
            end,
            pad,
            vocabulary,
            device,
        };
        let steps = Steps::siglip();
        Ok(Opened {
            encoders: towers,
            dimension,
            scale,
            bias: Some(bias),
            longest_text: length - 1,
            side,
            steps,
        })
    }

    fn chunks(&self, text: &str) -> Result<Vec<Vec<u32>>> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding =
            encoding.map_err(|e| Error::input(format!("cannot tokenize the text: {e}")))?;
        let ids = encoding.get_ids();
        let chunk = |ids: &[u32]| -> Vec<u32> {
            let marked = ids.iter().copied().chain([self.end]);
            marked
                .chain(std::iter::repeat(self.pad))
                .take(self.length)
                .collect()
        };
        match ids.is_empty() {
            true => Ok(vec![chunk(&[])]),
            false => Ok(ids.chunks(self.length - 1).map(chunk).collect()),
        }
    }

    fn texts(&self, chunks: &[Vec<u32>]) -> candle_core::Result<Tensor> {
        check_ids(chunks, self.vocabulary)?;
        let ids = Tensor::new(chunks.concat(), &self.device)?;
        self.model
            .get_text_features(&ids.reshape((chunks.len(), self.length))?)
    }

    fn pictures(&self, planes: &Tensor) -> candle_core::Result<Tensor> {
        self.model.get_image_features(planes)
    }
}
