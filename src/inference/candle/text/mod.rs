//! CLIP text encoders (Radford et al. 2021), as in transformers' `CLIPTextModel` and
//! `CLIPTextModelWithProjection`: CLIP-L of Stable Diffusion 1.5 and SDXL, OpenCLIP-H of 2.1, and
//! OpenCLIP-G of SDXL.

mod config;
#[cfg(test)]
mod tests;

use candle_core::{D, Device, IndexOp, Result, Tensor, bail};
use candle_nn::VarBuilder;

use super::encoder::Layer;
use super::layers::LayerNorm;
pub use super::ops::Activation;
pub use config::{PoolAt, TextConfig};

/// The states of some texts of `s` tokens. Stable Diffusion uses [`last`](Self::last). SDXL uses
/// [`penultimate`](Self::penultimate) of both encoders and [`projected`](Self::projected) of the
/// second.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// `[b, s, width]`: after the last layer and the final layer norm (`last_hidden_state`).
    pub last: Tensor,
    /// `[b, s, width]`: before the last layer, without a norm (`hidden_states[-2]`).
    pub penultimate: Tensor,
    /// `[b, width]`: `last` at the token that represents the text (`pooler_output`).
    pub pooled: Tensor,
    /// `[b, projection_dim]`: the projection of `pooled`, if the weights have one (`text_embeds`).
    pub projected: Option<Tensor>,
}

pub struct TextEncoder {
    pub config: TextConfig,
    tokens: Tensor,
    positions: Tensor,
    layers: Vec<Layer>,
    norm: LayerNorm,
    /// `[projection_dim, width]`.
    projection: Option<Tensor>,
    device: Device,
}

impl TextEncoder {
    /// Loads the weights from `vb`, under their names in transformers, with or without the prefix
    /// `text_model.`. Computes in the dtype of `vb` (f32 or f16), and attention weights in f32.
    pub fn load(vb: &VarBuilder, config: TextConfig) -> Result<TextEncoder> {
        let prefixed = vb.contains_tensor("text_model.embeddings.token_embedding.weight");
        let inner = if prefixed {
            vb.pp("text_model")
        } else {
            vb.clone()
        };
        let width = config.hidden_size;
        let tables = inner.pp("embeddings");
        let tokens = tables.get((config.vocab_size, width), "token_embedding.weight")?;
        let positions = tables.get(
            (config.max_position_embeddings, width),
            "position_embedding.weight",
        )?;
        let layers = (0..config.num_hidden_layers)
            .map(|i| Layer::load(&inner.pp(format!("encoder.layers.{i}")), &config.layer()))
            .collect::<Result<Vec<Layer>>>()?;
        let norm = LayerNorm::with_eps(width, config.layer_norm_eps, inner.pp("final_layer_norm"))?;
        let name = "text_projection.weight";
        let projection = match config.with_projection || vb.contains_tensor(name) {
            true => Some(vb.get((config.projection_dim, width), name)?),
            false => None,
        };
        Ok(TextEncoder {
            config,
            tokens,
            positions,
            layers,
            norm,
            projection,
            device: vb.device().clone(),
        })
    }

    /// Encodes texts with the same number of token ids, including special tokens and padding.
    /// Padding is not masked, as in the diffusion pipelines; attention is causal.
    pub fn forward(&self, texts: &[Vec<u32>]) -> Result<Encoded> {
        let length = texts.first().map_or(0, Vec::len);
        let most = self.config.max_position_embeddings;
        if length == 0 || length > most {
            bail!("a text of {length} tokens, but this encoder takes from 1 to {most}");
        }
        if let Some(other) = texts.iter().find(|t| t.len() != length) {
            bail!(
                "texts of {length} and of {} tokens in one batch: pad them to the same length",
                other.len()
            );
        }
        check_ids(texts, self.config.vocab_size)?;
        let ids = Tensor::new(texts.concat(), &self.device)?;
        let tokens = self.tokens.index_select(&ids, 0)?.reshape((
            texts.len(),
            length,
            self.config.hidden_size,
        ))?;
        let mut state = tokens.broadcast_add(&self.positions.i(..length)?)?;
        let mut penultimate = state.clone();
        for layer in &self.layers {
            penultimate = state;
            state = layer.forward(&penultimate, true)?;
        }
        let last = self.norm.forward(&state)?;
        let pooled: Vec<Tensor> = texts
            .iter()
            .enumerate()
            .map(|(row, text)| last.i((row, self.config.pool_at.position(text))))
            .collect::<Result<_>>()?;
        let pooled = Tensor::stack(&pooled, 0)?;
        let projected = self
            .projection
            .as_ref()
            .map(|p| pooled.matmul(&p.t()?.contiguous()?))
            .transpose()?;
        Ok(Encoded {
            last,
            penultimate,
            pooled,
            projected,
        })
    }

    /// Encodes prompts with the same number of chunks. The states of a prompt's chunks are
    /// concatenated (`s` is chunks times chunk length), and `pooled` is that of the first chunk.
    pub fn encode(&self, prompts: &[&[Vec<u32>]]) -> Result<Encoded> {
        let chunks = prompts.first().map_or(0, |p| p.len());
        if let Some(other) = prompts.iter().find(|p| p.len() != chunks || chunks == 0) {
            bail!(
                "prompts of {chunks} and of {} chunks in one batch: pad them to the same number",
                other.len()
            );
        }
        let encoded = self.forward(&prompts.concat())?;
        let joined = |t: &Tensor| t.reshape((prompts.len(), (), t.dim(D::Minus1)?));
        let first = (0..prompts.len())
            .map(|row| (row * chunks) as u32)
            .collect::<Vec<u32>>();
        let first = Tensor::new(first, &self.device)?;
        Ok(Encoded {
            last: joined(&encoded.last)?,
            penultimate: joined(&encoded.penultimate)?,
            pooled: encoded.pooled.index_select(&first, 0)?,
            projected: encoded
                .projected
                .map(|p| p.index_select(&first, 0))
                .transpose()?,
        })
    }
}

/// Refuses token ids that an encoder with `rows` tokens does not have.
pub(super) fn check_ids(texts: &[Vec<u32>], rows: usize) -> Result<()> {
    match texts.iter().flatten().find(|id| **id as usize >= rows) {
        Some(id) => bail!(
            "token id {id}, but the encoder has {rows} tokens; the tokenizer belongs to another model"
        ),
        None => Ok(()),
    }
}

impl PoolAt {
    /// The position in `text` of the token that represents it.
    pub fn position(self, text: &[u32]) -> usize {
        let wanted = match self {
            PoolAt::HighestId => text.iter().copied().max(),
            PoolAt::FirstOf(id) => Some(id),
        };
        text.iter().position(|id| Some(*id) == wanted).unwrap_or(0)
    }
}
