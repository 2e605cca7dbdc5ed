//! The configuration of a U-Net, from diffusers' `unet/config.json`.

use serde_json::{Value, json};

use crate::candle::config::Config;
use crate::candle::layers::Sinusoid;
use benchtop_model::error::Result;

/// One resolution of the U-Net, counted from the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    pub channels: usize,
    /// ResNets in the down block; the up block has one more.
    pub layers: usize,
    /// Transformer blocks after each ResNet of the down block; 0 without attention.
    pub down: usize,
    /// Transformer blocks after each ResNet of the up block; 0 without attention.
    pub up: usize,
    /// Attention heads. diffusers' files call this number `attention_head_dim`.
    pub heads: usize,
}

/// SDXL's addition to the time embedding: the pooled text and the sizes (`addition_embed_type:
/// text_time`).
#[derive(Clone, Copy, Debug)]
pub struct TextTime {
    /// The embedding of the sizes.
    pub sinusoid: Sinusoid,
    /// Total length of the pooled text and the embedded sizes.
    pub width: usize,
}

/// The configuration of a U-Net of the Stable Diffusion family.
#[derive(Clone, Debug)]
pub struct UNetConfig {
    /// Input channels: 4, or 9 with mask and masked picture.
    pub in_channels: usize,
    pub out_channels: usize,
    pub levels: Vec<Level>,
    /// Transformer blocks in the middle.
    pub middle: usize,
    /// Groups of the group norms.
    pub groups: usize,
    /// eps of the ResNets' norms.
    pub eps: f64,
    /// Width of the text states.
    pub context: usize,
    /// True if the projections around a transformer are linear layers, not 1x1 convolutions.
    pub linear_projection: bool,
    /// The embedding of the timestep.
    pub sinusoid: Sinusoid,
    pub text_time: Option<TextTime>,
    /// Side of the training latents.
    pub sample_size: usize,
}

const DOWN: &str = "DownBlock2D";
const CROSS_DOWN: &str = "CrossAttnDownBlock2D";
const UP: &str = "UpBlock2D";
const CROSS_UP: &str = "CrossAttnUpBlock2D";

/// Fields with their only supported values; `null` if the field must be absent.
fn fixed() -> Vec<(&'static str, Value)> {
    vec![
        ("center_input_sample", json!(false)),
        ("mid_block_type", json!("UNetMidBlock2DCrossAttn")),
        ("only_cross_attention", json!(false)),
        ("mid_block_only_cross_attention", json!(false)),
        ("downsample_padding", json!(1)),
        ("mid_block_scale_factor", json!(1)),
        ("act_fn", json!("silu")),
        ("reverse_transformer_layers_per_block", Value::Null),
        ("encoder_hid_dim", Value::Null),
        ("encoder_hid_dim_type", Value::Null),
        ("num_attention_heads", Value::Null),
        ("dual_cross_attention", json!(false)),
        ("class_embed_type", Value::Null),
        ("num_class_embeds", Value::Null),
        ("resnet_time_scale_shift", json!("default")),
        ("resnet_skip_time_act", json!(false)),
        ("resnet_out_scale_factor", json!(1)),
        ("time_embedding_type", json!("positional")),
        ("time_embedding_dim", Value::Null),
        ("time_embedding_act_fn", Value::Null),
        ("timestep_post_act", Value::Null),
        ("time_cond_proj_dim", Value::Null),
        ("conv_in_kernel", json!(3)),
        ("conv_out_kernel", json!(3)),
        ("attention_type", json!("default")),
        ("class_embeddings_concat", json!(false)),
        ("cross_attention_norm", Value::Null),
    ]
}

impl UNetConfig {
    /// Reads a configuration. Errors for unsupported values name the field.
    pub fn new(config: &Config) -> Result<UNetConfig> {
        config.class(&["UNet2DConditionModel"])?;
        for (name, only) in fixed() {
            config.only(name, only)?;
        }
        let down = blocks(config, "down_block_types", [DOWN, CROSS_DOWN])?;
        let up = blocks(config, "up_block_types", [UP, CROSS_UP])?;
        let n = down.len();
        if n == 0 || up.len() != n {
            return Err(config.wrong(
                "up_block_types",
                format!("{} blocks for {n} on the way down", up.len()),
            ));
        }
        let (channels, groups) = config.channels_and_groups(n)?;
        let layers = config.counts("layers_per_block", n, Some(2))?;
        let depth = config.counts("transformer_layers_per_block", n, Some(1))?;
        let heads = config.counts("attention_head_dim", n, Some(8))?;
        let context = config.counts("cross_attention_dim", n, Some(1280))?;
        if context.iter().any(|c| *c != context[0]) {
            return Err(config.wrong("cross_attention_dim", "different widths are not supported"));
        }
        let level = |i: usize| Level {
            channels: channels[i],
            layers: layers[i],
            down: if down[i] { depth[i] } else { 0 },
            up: if up[n - 1 - i] { depth[i] } else { 0 },
            heads: heads[i],
        };
        let levels: Vec<Level> = (0..n).map(level).collect();
        if let Some(level) = levels.iter().find(|l| l.channels % l.heads != 0) {
            let what = format!(
                "{} channels are not divisible by {} heads",
                level.channels, level.heads
            );
            return Err(config.wrong("attention_head_dim", what));
        }
        if !levels[0].channels.is_multiple_of(2) {
            return Err(config.wrong("block_out_channels", "the first number must be even"));
        }
        let flip = config.flag("flip_sin_to_cos", true)?;
        let shift = config.float("freq_shift", 0.)?;
        let text_time = match config.get("addition_embed_type").map(|v| v.as_str()) {
            None => None,
            Some(Some("text_time")) => Some(TextTime {
                sinusoid: Sinusoid {
                    dim: config.count("addition_time_embed_dim", None)?,
                    flip,
                    shift,
                },
                width: config.count("projection_class_embeddings_input_dim", None)?,
            }),
            Some(_) => {
                let other = config
                    .get("addition_embed_type")
                    .map(ToString::to_string)
                    .unwrap_or_default();
                return Err(config.unsupported("addition_embed_type", &other, &["text_time"]));
            }
        };
        if text_time.is_some_and(|t| t.sinusoid.dim % 2 != 0 || t.width <= 6 * t.sinusoid.dim) {
            return Err(config.wrong(
                "addition_time_embed_dim",
                "six even vectors must leave room for the pooled text",
            ));
        }
        Ok(UNetConfig {
            in_channels: config.count("in_channels", Some(4))?,
            out_channels: config.count("out_channels", Some(4))?,
            middle: depth[n - 1],
            groups,
            eps: config.float("norm_eps", 1e-5)?,
            context: context[0],
            linear_projection: config.flag("use_linear_projection", false)?,
            sinusoid: Sinusoid {
                dim: levels[0].channels,
                flip,
                shift,
            },
            text_time,
            sample_size: config.count("sample_size", Some(64))?,
            levels,
        })
    }

    /// Length of the time embedding.
    pub fn time(&self) -> usize {
        4 * self.sinusoid.dim
    }
}

/// For each block in `name`, true if it has attention. `names` are the classes without and with.
fn blocks(config: &Config, name: &str, names: [&str; 2]) -> Result<Vec<bool>> {
    let attends = |block: &str| match names.iter().position(|n| *n == block) {
        Some(at) => Ok(at == 1),
        None => Err(config.unsupported(name, block, &names)),
    };
    config.names(name)?.into_iter().map(attends).collect()
}
