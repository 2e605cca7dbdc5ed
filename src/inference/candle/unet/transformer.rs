//! The transformers between the ResNets of a U-Net: diffusers' `Transformer2DModel` of
//! `BasicTransformerBlock`s.

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;

use super::UNetConfig;
use crate::candle::layers::{GroupNorm, LayerNorm, Linear};
use crate::candle::ops::{self, KeysValues};

/// Self-attention, cross-attention to the text, and GEGLU, each with a norm before it and a
/// residual connection.
#[derive(Clone, Debug)]
struct Block {
    heads: usize,
    norm1: LayerNorm,
    /// Queries, keys, and values of the picture, joined.
    own: Linear,
    own_out: Linear,
    norm2: LayerNorm,
    query: Linear,
    /// Keys and values of the text, joined.
    text: Linear,
    text_out: Linear,
    norm3: LayerNorm,
    /// `[8 c, c]` and `[8 c]`.
    gate: (Tensor, Tensor),
    out: Linear,
}

impl Block {
    fn new(c: usize, heads: usize, context: usize, vb: VarBuilder) -> Result<Block> {
        let (own, cross, feed) = (vb.pp("attn1"), vb.pp("attn2"), vb.pp("ff.net"));
        let gate = feed.pp("0.proj");
        Ok(Block {
            heads,
            norm1: LayerNorm::new(c, vb.pp("norm1"))?,
            own: Linear::joined(c, c, &own, &["to_q", "to_k", "to_v"])?,
            own_out: Linear::new(c, c, own.pp("to_out.0"))?,
            norm2: LayerNorm::new(c, vb.pp("norm2"))?,
            query: Linear::joined(c, c, &cross, &["to_q"])?,
            text: Linear::joined(context, c, &cross, &["to_k", "to_v"])?,
            text_out: Linear::new(c, c, cross.pp("to_out.0"))?,
            norm3: LayerNorm::new(c, vb.pp("norm3"))?,
            gate: (
                ops::kept(gate.get((8 * c, c), "weight")?)?,
                gate.get(8 * c, "bias")?,
            ),
            out: Linear::new(4 * c, c, feed.pp("2"))?,
        })
    }

    fn context(&self, text: &Tensor) -> Result<KeysValues> {
        let both = self.text.forward(text)?.chunk(2, 2)?;
        KeysValues::new(&both[0], &both[1], self.heads)
    }

    fn forward(&self, x: &Tensor, text: &KeysValues) -> Result<Tensor> {
        let own = self.own.forward(&self.norm1.forward(x)?)?.chunk(3, 2)?;
        let y = ops::attention(&own[0], &KeysValues::new(&own[1], &own[2], self.heads)?)?;
        let x = self.own_out.forward_onto(&y, x)?;
        let y = ops::attention(&self.query.forward(&self.norm2.forward(&x)?)?, text)?;
        let x = self.text_out.forward_onto(&y, &x)?;
        let y = ops::linear(
            &self.norm3.forward(&x)?,
            &self.gate.0,
            ops::Added::default(),
        )?;
        self.out.forward_onto(&ops::geglu(&y, &self.gate.1)?, &x)
    }
}

/// Norm, projection, blocks with all positions as tokens, projection, and a residual connection.
#[derive(Clone, Debug)]
pub(super) struct Transformer {
    norm: GroupNorm,
    into: Linear,
    blocks: Vec<Block>,
    out: Linear,
}

impl Transformer {
    /// Loads `depth` blocks for `c` channels from the tensors below `vb`.
    pub fn new(
        config: &UNetConfig,
        c: usize,
        heads: usize,
        depth: usize,
        vb: VarBuilder,
    ) -> Result<Transformer> {
        let linear = if config.linear_projection {
            Linear::new
        } else {
            Linear::pointwise
        };
        let block = |i: usize| {
            Block::new(
                c,
                heads,
                config.context,
                vb.pp(format!("transformer_blocks.{i}")),
            )
        };
        Ok(Transformer {
            // diffusers fixes this eps and ignores norm_eps.
            norm: GroupNorm::new(c, config.groups, 1e-6, vb.pp("norm"))?,
            into: linear(c, c, vb.pp("proj_in"))?,
            blocks: (0..depth).map(block).collect::<Result<_>>()?,
            out: linear(c, c, vb.pp("proj_out"))?,
        })
    }

    /// The keys and values of a text (`[b, tokens, context]`) for each block.
    pub fn context(&self, text: &Tensor) -> Result<Vec<KeysValues>> {
        self.blocks
            .iter()
            .map(|block| block.context(text))
            .collect()
    }

    /// `[b, h, w, c]` to `[b, h, w, c]`. Takes its keys and values from `text`.
    pub fn forward<'a>(
        &self,
        x: &Tensor,
        text: &mut impl Iterator<Item = &'a KeysValues>,
    ) -> Result<Tensor> {
        let (b, h, w, c) = x.dims4()?;
        let mut y = self
            .into
            .forward(&self.norm.forward(x)?.reshape((b, h * w, c))?)?;
        for (block, text) in self.blocks.iter().zip(text) {
            y = block.forward(&y, text)?;
        }
        self.out.forward_onto(&y.reshape((b, h, w, c))?, x)
    }
}
