//! The configuration of a VAE, from diffusers' `vae/config.json`.

use serde_json::{Value, json};

use crate::candle::config::Config;
use benchtop_model::error::Result;

/// The configuration of a VAE of the Stable Diffusion family: diffusers' `AutoencoderKL`.
#[derive(Clone, Debug)]
pub struct VaeConfig {
    /// Channels per resolution, from the finest.
    pub channels: Vec<usize>,
    /// ResNets per resolution in the encoder; the decoder has one more.
    pub layers: usize,
    /// Channels of a latent.
    pub latent_channels: usize,
    /// Groups of the group norms.
    pub groups: usize,
    /// Factor between the encoder's output and a latent: 0.18215 (SD) or 0.13025 (SDXL).
    pub scaling_factor: f64,
    /// True if the VAE overflows f16, so that it is always computed in f32.
    pub force_upcast: bool,
    /// True for a 1x1 convolution after the encoder.
    pub quant_conv: bool,
    /// True for a 1x1 convolution before the decoder.
    pub post_quant_conv: bool,
    /// True for attention in the middle.
    pub attention: bool,
    /// Side of the training pictures, and of a tile.
    pub sample_size: usize,
}

impl VaeConfig {
    /// Reads a configuration. Errors for unsupported values name the field.
    pub fn new(config: &Config) -> Result<VaeConfig> {
        config.class(&["AutoencoderKL"])?;
        for (name, only) in [
            ("in_channels", json!(3)),
            ("out_channels", json!(3)),
            ("act_fn", json!("silu")),
            ("shift_factor", Value::Null),
            ("latents_mean", Value::Null),
            ("latents_std", Value::Null),
        ] {
            config.only(name, only)?;
        }
        let n = config.names("down_block_types")?.len();
        for (name, only) in [
            ("down_block_types", "DownEncoderBlock2D"),
            ("up_block_types", "UpDecoderBlock2D"),
        ] {
            let blocks = config.names(name)?;
            if let Some(other) = blocks.iter().find(|b| **b != only) {
                return Err(config.unsupported(name, other, &[only]));
            }
            if blocks.len() != n || n == 0 {
                return Err(config.wrong(name, format!("{} blocks", blocks.len())));
            }
        }
        let (channels, groups) = config.channels_and_groups(n)?;
        let scaling_factor = config.float("scaling_factor", 0.18215)?;
        if scaling_factor <= 0. {
            return Err(config.wrong("scaling_factor", "must be above 0"));
        }
        Ok(VaeConfig {
            channels,
            layers: config.count("layers_per_block", Some(1))?,
            latent_channels: config.count("latent_channels", Some(4))?,
            groups,
            scaling_factor,
            force_upcast: config.flag("force_upcast", true)?,
            quant_conv: config.flag("use_quant_conv", true)?,
            post_quant_conv: config.flag("use_post_quant_conv", true)?,
            attention: config.flag("mid_block_add_attention", true)?,
            sample_size: config.count("sample_size", Some(512))?,
        })
    }

    /// The ratio of a picture's side to the side of its latent.
    pub fn scale(&self) -> usize {
        1 << (self.channels.len() - 1)
    }
}
