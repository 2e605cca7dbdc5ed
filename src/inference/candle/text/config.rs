//! `config.json` of a CLIP text encoder in transformers' format.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::candle::encoder::LayerSizes;
use crate::candle::ops::Activation;
use benchtop_model::error::{Error, Result};

/// The token whose state represents the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolAt {
    /// The first token with the highest id. transformers does this for old files with
    /// `eos_token_id` 2, which is not the id that the tokenizer writes.
    HighestId,
    /// The first token with this id, or the first token if there is none.
    FirstOf(u32),
}

/// The sizes of a CLIP text encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct TextConfig {
    pub vocab_size: usize,
    /// Width of the states.
    pub hidden_size: usize,
    /// Width inside the MLP.
    pub intermediate_size: usize,
    /// Width of the projected text, if there is a projection.
    pub projection_dim: usize,
    pub num_hidden_layers: usize,
    /// Number of attention heads; must divide the width.
    pub num_attention_heads: usize,
    pub max_position_embeddings: usize,
    pub activation: Activation,
    /// Epsilon of the layer norms.
    pub layer_norm_eps: f64,
    /// Where the text is pooled.
    pub pool_at: PoolAt,
    /// True if the weights must have a projection (`CLIPTextModelWithProjection`).
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
    /// transformers' defaults.
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

    /// Parses a `config.json`. Errors for unsupported models and nonlinearities name the field.
    pub fn parse(text: &str) -> Result<TextConfig> {
        let raw: Raw = serde_json::from_str(text).map_err(|e| {
            Error::input(format!("is not a text encoder configuration: {e}")).line(e.line() as u64)
        })?;
        Self::checked(raw)
    }

    /// Reads the `text_config` of a whole CLIP model.
    pub fn section(fields: Value) -> Result<TextConfig> {
        let wrong = |e| {
            Error::input(format!("is not a text encoder configuration: {e}")).field("text_config")
        };
        Self::checked(serde_json::from_value(fields).map_err(wrong)?)
    }

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
            None => return refused("eos_token_id", &raw.eos_token_id, "expected one token id"),
        };
        let projection_dim = raw.projection_dim.unwrap_or(512);
        // The upper bound stops a wrong file from exhausting the memory.
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
                return refused(field, &value, &format!("use a value from 1 to {most}"));
            }
        }
        if !raw.hidden_size.is_multiple_of(raw.num_attention_heads) {
            let help = format!("use a divisor of the hidden_size, {}", raw.hidden_size);
            return refused("num_attention_heads", &raw.num_attention_heads, &help);
        }
        if !(raw.layer_norm_eps > 0.0 && raw.layer_norm_eps < 1.0) {
            return refused(
                "layer_norm_eps",
                &raw.layer_norm_eps,
                "it must be between 0 and 1",
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
