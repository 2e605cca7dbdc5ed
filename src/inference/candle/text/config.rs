//! `config.json` of a CLIP text encoder, as transformers writes it.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::candle::encoder::LayerSizes;
use crate::candle::ops::Activation;
use benchtop_model::error::{Error, Result};

/// Which token's state stands for the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolAt {
    /// The first of the highest id. transformers does so where the configuration has the `eos_token_id` 2 of old files,
    /// which is not the id that the tokenizer writes.
    HighestId,
    /// The first of this id; the first token of all if it does not occur.
    FirstOf(u32),
}

/// The measures of a CLIP text encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct TextConfig {
    /// Rows of the token table.
    pub vocab_size: usize,
    /// Width of the states.
    pub hidden_size: usize,
    /// Width inside the perceptron.
    pub intermediate_size: usize,
    /// Width of the projected text, where there is a projection.
    pub projection_dim: usize,
    /// Layers.
    pub num_hidden_layers: usize,
    /// Heads of the attention; they divide the width.
    pub num_attention_heads: usize,
    /// Longest text in tokens.
    pub max_position_embeddings: usize,
    /// The nonlinearity.
    pub activation: Activation,
    /// Epsilon of the layer norms.
    pub layer_norm_eps: f64,
    /// Where the text is pooled.
    pub pool_at: PoolAt,
    /// Whether the weights must have a projection (`CLIPTextModelWithProjection`).
    pub with_projection: bool,
}

#[derive(Deserialize)]
#[serde(default)]
struct Raw {
    model_type: String,
    architectures: Option<Vec<String>>,
    vocab_size: usize,
    hidden_size: usize,
    intermediate_size: usize,
    projection_dim: Option<usize>,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    hidden_act: String,
    layer_norm_eps: f64,
    eos_token_id: Value,
}

impl Default for Raw {
    /// What transformers takes for a field that is not written.
    fn default() -> Raw {
        Raw {
            model_type: "clip_text_model".to_string(),
            architectures: None,
            vocab_size: 49408,
            hidden_size: 512,
            intermediate_size: 2048,
            projection_dim: None,
            num_hidden_layers: 12,
            num_attention_heads: 8,
            max_position_embeddings: 77,
            hidden_act: "quick_gelu".to_string(),
            layer_norm_eps: 1e-5,
            eos_token_id: Value::from(49407),
        }
    }
}

impl TextConfig {
    /// Reads a `config.json`.
    pub fn read(path: &Path) -> Result<TextConfig> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(&e, "cannot read", path))?;
        Self::parse(&text).map_err(|problem| problem.file(path))
    }

    /// Reads the text of a `config.json`; another kind of model and an unknown nonlinearity are refused by name.
    pub fn parse(text: &str) -> Result<TextConfig> {
        let raw: Raw = serde_json::from_str(text).map_err(|e| {
            Error::input(format!("is no configuration of a text encoder: {e}"))
                .line(e.line() as u64)
        })?;
        Self::checked(raw)
    }

    /// The same from the `text_config` of a whole CLIP.
    pub fn section(fields: Value) -> Result<TextConfig> {
        let wrong = |e| {
            Error::input(format!("is no configuration of a text encoder: {e}")).field("text_config")
        };
        Self::checked(serde_json::from_value(fields).map_err(wrong)?)
    }

    /// The measures of each layer.
    pub fn layer(&self) -> LayerSizes {
        LayerSizes {
            width: self.hidden_size,
            inner: self.intermediate_size,
            heads: self.num_attention_heads,
            eps: self.layer_norm_eps,
            activation: self.activation,
        }
    }

    fn checked(raw: Raw) -> Result<TextConfig> {
        let refused = |field: &str, value: &dyn std::fmt::Display, help: &str| {
            Err(Error::input(format!("`{value}` is not supported"))
                .field(field)
                .help(help))
        };
        if raw.model_type != "clip_text_model" {
            return refused("model_type", &raw.model_type, "supported: clip_text_model");
        }
        let activation = match raw.hidden_act.as_str() {
            "quick_gelu" => Activation::QuickGelu,
            "gelu" => Activation::Gelu,
            other => return refused("hidden_act", &other, "supported: quick_gelu, gelu"),
        };
        let pool_at = match raw
            .eos_token_id
            .as_u64()
            .and_then(|id| u32::try_from(id).ok())
        {
            Some(2) => PoolAt::HighestId,
            Some(id) => PoolAt::FirstOf(id),
            None => return refused("eos_token_id", &raw.eos_token_id, "one token id is wanted"),
        };
        let projection_dim = raw.projection_dim.unwrap_or(512);
        // An upper bound keeps a wrong file from asking for all memory there is.
        for (field, value, most) in [
            ("vocab_size", raw.vocab_size, 1 << 20),
            ("hidden_size", raw.hidden_size, 1 << 14),
            ("intermediate_size", raw.intermediate_size, 1 << 16),
            ("projection_dim", projection_dim, 1 << 14),
            ("num_hidden_layers", raw.num_hidden_layers, 1 << 10),
            ("num_attention_heads", raw.num_attention_heads, 1 << 10),
            (
                "max_position_embeddings",
                raw.max_position_embeddings,
                1 << 16,
            ),
        ] {
            if !(1..=most).contains(&value) {
                return refused(field, &value, &format!("it must be from 1 to {most}"));
            }
        }
        if !raw.hidden_size.is_multiple_of(raw.num_attention_heads) {
            let help = format!("it must divide the hidden_size, {}", raw.hidden_size);
            return refused("num_attention_heads", &raw.num_attention_heads, &help);
        }
        if !(raw.layer_norm_eps > 0.0 && raw.layer_norm_eps < 1.0) {
            return refused(
                "layer_norm_eps",
                &raw.layer_norm_eps,
                "it must lie between 0 and 1",
            );
        }
        Ok(TextConfig {
            vocab_size: raw.vocab_size,
            hidden_size: raw.hidden_size,
            intermediate_size: raw.intermediate_size,
            projection_dim,
            num_hidden_layers: raw.num_hidden_layers,
            num_attention_heads: raw.num_attention_heads,
            max_position_embeddings: raw.max_position_embeddings,
            activation,
            layer_norm_eps: raw.layer_norm_eps,
            pool_at,
            with_projection: raw
                .architectures
                .iter()
                .flatten()
                .any(|a| a == "CLIPTextModelWithProjection"),
        })
    }
}
