//! CLIP's picture encoder: a vision transformer (Dosovitskiy et al. 2021), as in transformers'
//! `CLIPVisionModel`.

use candle_core::{IndexOp, Result, Tensor, bail};
use candle_nn::VarBuilder;

use super::config::VisionConfig;
use crate::candle::encoder::Layer;
use crate::candle::layers::{LayerNorm, Linear};
use crate::candle::ops::{self, Added, differentiable};

/// A picture encoder with its projection.
pub struct VisionEncoder {
    config: VisionConfig,
    /// `[1, 1, width]`: the class token.
    class: Tensor,
    /// `[width, 3 * patch * patch]`.
    patches: Tensor,
    /// `[1 + patches, width]`.
    positions: Tensor,
    before: LayerNorm,
    layers: Vec<Layer>,
    after: LayerNorm,
    projection: Linear,
}

impl VisionEncoder {
    /// Loads the encoder below `vb` and the projection, which is stored separately.
    pub fn load(
        vb: &VarBuilder,
        projection: VarBuilder,
        config: &VisionConfig,
        dimension: usize,
    ) -> Result<VisionEncoder> {
        let (width, eps, patch) = (config.layer.width, config.layer.eps, config.patch_size);
        let tables = vb.pp("embeddings");
        let layers = (0..config.layers)
            .map(|i| Layer::load(&vb.pp(format!("encoder.layers.{i}")), &config.layer));
        Ok(VisionEncoder {
            class: tables
                .get(width, "class_embedding")?
                .reshape((1, 1, width))?,
            patches: tables
                .get((width, 3, patch, patch), "patch_embedding.weight")?
                .reshape((width, 3 * patch * patch))?,
            positions: tables.get(
                ((config.image_size / patch).pow(2) + 1, width),
                "position_embedding.weight",
            )?,
            // The typo is in all published files.
            before: LayerNorm::with_eps(width, eps, vb.pp("pre_layrnorm"))?,
            layers: layers.collect::<Result<_>>()?,
            after: LayerNorm::with_eps(width, eps, vb.pp("post_layernorm"))?,
            projection: Linear::plain(width, dimension, projection)?,
            config: config.clone(),
        })
    }

    /// Embeds pictures `[b, 3, side, side]` as `[b, dimension]`, without normalization.
    pub fn forward(&self, planes: &Tensor) -> Result<Tensor> {
        let rows = ops::linear(&self.gathered(planes)?, &self.patches, Added::default())?;
        let mut state = self.before.forward(&self.tokens(rows)?)?;
        for layer in &self.layers {
            state = layer.forward(&state, false)?;
        }
        self.projection
            .forward(&self.after.forward(&state.i((.., 0))?)?)
    }

    /// As `forward`, from operations that have gradients. It takes several times the memory, because
    /// every result is kept.
    pub fn differentiable(&self, planes: &Tensor) -> Result<Tensor> {
        let rows = differentiable::linear(&self.gathered(planes)?, &self.patches, None)?;
        let mut state = self.before.differentiable(&self.tokens(rows)?)?;
        for layer in &self.layers {
            state = layer.differentiable(&state)?;
        }
        let class = self.after.differentiable(&state.i((.., 0))?)?;
        self.projection.differentiable(&class)
    }

    /// The patches of pictures `[b, 3, side, side]` as rows `[b, patches, 3 * patch * patch]`.
    fn gathered(&self, planes: &Tensor) -> Result<Tensor> {
        let (b, _, high, wide) = planes.dims4()?;
        let (side, patch) = (self.config.image_size, self.config.patch_size);
        if (high, wide) != (side, side) {
            bail!("got pictures of {wide}x{high}, but this encoder takes {side}x{side}");
        }
        let n = side / patch;
        // Pixels after the last full patch are ignored, as in a convolution.
        let planes = planes
            .narrow(2, 0, n * patch)?
            .narrow(3, 0, n * patch)?
            .contiguous()?;
        let rows = planes
            .reshape((b, 3, n, patch, n, patch))?
            .permute((0, 2, 4, 1, 3, 5))?
            .contiguous()?;
        rows.reshape((b, n * n, 3 * patch * patch))
    }

    /// Embedded patches with the class token before them, at their positions.
    fn tokens(&self, rows: Tensor) -> Result<Tensor> {
        let (b, _, width) = rows.dims3()?;
        let class = self.class.broadcast_as((b, 1, width))?.contiguous()?;
        Tensor::cat(&[class, rows], 1)?.broadcast_add(&self.positions)
    }
}
