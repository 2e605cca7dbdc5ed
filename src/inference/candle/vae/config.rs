//! The configuration of a VAE, from diffusers' `vae/config.json`.

use serde_json::{Value, json};

use crate::candle::config::Config;
use benchtop_model::error::Result;

/// A VAE of the Stable Diffusion family: diffusers' `AutoencoderKL`.
#[derive(Clone, Debug)]
pub struct VaeConfig {
    /// Channels of each resolution, from the finest.
    pub channels: Vec<usize>,
    /// ResNets of a resolution in the encoder; one more in the decoder.
    pub layers: usize,
    /// Channels of a latent.
    pub latent_channels: usize,
    /// Groups of the group norms.
    pub groups: usize,
    /// A latent is what the encoder gives times this: 0.18215 (SD) or 0.13025 (SDXL).
    pub scaling_factor: f64,
    /// The numbers inside do not fit f16: computed in f32 whatever the pipeline's dtype.
    pub force_upcast: bool,
    /// A 1x1 convolution after the encoder.
    pub quant_conv: bool,
    /// A 1x1 convolution before the decoder.
    pub post_quant_conv: bool,
    /// Attention in the middle.
    pub attention: bool,
    /// Side of the pictures it was trained on, and of a tile.
    pub sample_size: usize,
}

impl VaeConfig {
    /// Reads a configuration; what it asks for and is not supported is refused by the field's name.
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
                return Err(config
                    .wrong(name, format!("{other} is not supported"))
                    .help(format!("supported: {only}")));
            }
            if blocks.len() != n || n == 0 {
                return Err(config.wrong(name, format!("{} blocks", blocks.len())));
            }
        }
        let channels = match config.get("block_out_channels") {
            Some(Value::Array(_)) => config.counts("block_out_channels", n, None)?,
            _ => return Err(config.wrong("block_out_channels", "a list is wanted")),
        };
        let groups = config.count("norm_num_groups", Some(32))?;
        if let Some(c) = channels.iter().find(|c| *c % groups != 0) {
            return Err(config.wrong(
                "norm_num_groups",
                format!("{c} channels do not divide by {groups}"),
            ));
        }
        let scaling_factor = config.float("scaling_factor", 0.18215)?;
        if scaling_factor <= 0. {
            return Err(config.wrong("scaling_factor", "must be over 0"));
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

    /// Pixels of a picture's side for one of the latent's.
    pub fn scale(&self) -> usize {
        1 << (self.channels.len() - 1)
    }
}
