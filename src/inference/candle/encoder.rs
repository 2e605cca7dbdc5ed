//! A layer of CLIP's text and picture encoders (transformers' `CLIPEncoderLayer`): self-attention
//! and a two-layer MLP, each with a layer norm before it and a residual connection.

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;

use super::layers::{LayerNorm, Linear};
use super::ops::{self, Activation, differentiable};

/// The sizes of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerSizes {
    /// Width of the states.
    pub width: usize,
    /// Width inside the MLP.
    pub inner: usize,
    /// Number of attention heads; must divide the width.
    pub heads: usize,
    pub eps: f64,
    pub activation: Activation,
}

#[derive(Clone, Debug)]
pub struct Layer {
    norm1: LayerNorm,
    /// Queries, keys and values.
    qkv: Linear,
    out: Linear,
    norm2: LayerNorm,
    up: (Tensor, Tensor),
    down: Linear,
    heads: usize,
    activation: Activation,
}

impl Layer {
    /// Loads the tensors below `vb`, under their names in transformers.
    pub fn load(vb: &VarBuilder, sizes: &LayerSizes) -> Result<Layer> {
        let (width, inner, eps) = (sizes.width, sizes.inner, sizes.eps);
        let (attention, up) = (vb.pp("self_attn"), vb.pp("mlp.fc1"));
        Ok(Layer {
            norm1: LayerNorm::with_eps(width, eps, vb.pp("layer_norm1"))?,
            qkv: Linear::joined_with_bias(
                width,
                width,
                &attention,
                &["q_proj", "k_proj", "v_proj"],
            )?,
            out: Linear::new(width, width, attention.pp("out_proj"))?,
            norm2: LayerNorm::with_eps(width, eps, vb.pp("layer_norm2"))?,
            up: (
                ops::kept(up.get((inner, width), "weight")?)?,
                up.get(inner, "bias")?,
            ),
            down: Linear::new(inner, width, vb.pp("mlp.fc2"))?,
            heads: sizes.heads,
            activation: sizes.activation,
        })
    }

    /// `[b, tokens, width]` to `[b, tokens, width]`. With `causal`, tokens do not see later tokens.
    pub fn forward(&self, x: &Tensor, causal: bool) -> Result<Tensor> {
        let mixed = ops::self_attention(
            &self.qkv.forward(&self.norm1.forward(x)?)?,
            self.heads,
            causal,
        )?;
        let x = self.out.forward_onto(&mixed, x)?;
        let inner = ops::activated(
            &self.norm2.forward(&x)?,
            &self.up.0,
            &self.up.1,
            self.activation,
        )?;
        self.down.forward_onto(&inner, &x)
    }

    /// As `forward` without `causal`, with a gradient.
    pub fn differentiable(&self, x: &Tensor) -> Result<Tensor> {
        let qkv = self.qkv.differentiable(&self.norm1.differentiable(x)?)?;
        let mixed = differentiable::self_attention(&qkv, self.heads)?;
        let x = (self.out.differentiable(&mixed)? + x)?;
        let normal = self.norm2.differentiable(&x)?;
        let inner = differentiable::linear(&normal, &self.up.0, Some(&self.up.1))?;
        let inner = differentiable::activated(&inner, self.activation)?;
        self.down.differentiable(&inner)? + x
    }
}
