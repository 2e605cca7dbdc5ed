//! One layer of the encoder: attention to the tokens before, and a perceptron of two layers, each after a layer norm.

use candle_core::{DType, Module, Result, Tensor};
use candle_nn::{LayerNorm, Linear, VarBuilder, layer_norm, linear, ops::softmax_last_dim};

use super::config::{Activation, TextConfig};

/// Multi-head attention (Vaswani et al. 2017) with biases on all four projections.
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    heads: usize,
}

impl Attention {
    fn load(vb: &VarBuilder, config: &TextConfig) -> Result<Attention> {
        let width = config.hidden_size;
        let projection = |name| linear(width, width, vb.pp(name));
        Ok(Attention {
            query: projection("q_proj")?,
            key: projection("k_proj")?,
            value: projection("v_proj")?,
            out: projection("out_proj")?,
            heads: config.num_attention_heads,
        })
    }

    /// `[b, s, width]` to the same; `mask` is f32 `[s, s]`, added to the scores. Softmax in f32, as in transformers.
    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (batch, length, width) = x.dims3()?;
        let size = width / self.heads;
        // candle's matmul on the CPU is silently wrong for some transposed inputs: every operand is made contiguous.
        let split = |t: Tensor| t.reshape((batch, length, self.heads, size))?.transpose(1, 2)?.contiguous();
        let (query, key, value) =
            (split(self.query.forward(x)?)?, split(self.key.forward(x)?)?, split(self.value.forward(x)?)?);
        let scores = query.matmul(&key.transpose(2, 3)?.contiguous()?)?.to_dtype(DType::F32)?;
        let scores = (scores * (size as f64).powf(-0.5))?.broadcast_add(mask)?;
        let weights = softmax_last_dim(&scores)?.to_dtype(x.dtype())?;
        let mixed = weights.matmul(&value)?.transpose(1, 2)?.contiguous()?;
        self.out.forward(&mixed.reshape((batch, length, width))?)
    }
}

/// One layer.
pub(super) struct Layer {
    norm1: LayerNorm,
    attention: Attention,
    norm2: LayerNorm,
    up: Linear,
    down: Linear,
    activation: Activation,
}

impl Layer {
    pub(super) fn load(vb: &VarBuilder, config: &TextConfig) -> Result<Layer> {
        let (width, inner, eps) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        Ok(Layer {
            norm1: layer_norm(width, eps, vb.pp("layer_norm1"))?,
            attention: Attention::load(&vb.pp("self_attn"), config)?,
            norm2: layer_norm(width, eps, vb.pp("layer_norm2"))?,
            up: linear(width, inner, vb.pp("mlp.fc1"))?,
            down: linear(inner, width, vb.pp("mlp.fc2"))?,
            activation: config.activation,
        })
    }

    /// `[b, s, width]` to the same.
    pub(super) fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let x = (x + self.attention.forward(&self.norm1.forward(x)?, mask)?)?;
        let inner = activate(&self.up.forward(&self.norm2.forward(&x)?)?, self.activation)?;
        x + self.down.forward(&inner)?
    }
}

/// The nonlinearity, element by element.
pub(super) fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::QuickGelu => x * candle_nn::ops::sigmoid(&(x * 1.702)?)?,
        Activation::Gelu => x.gelu_erf(),
    }
}
