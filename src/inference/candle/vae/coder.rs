//! Encoder and decoder of a VAE. Features are NHWC.

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;

use super::VaeConfig;
use crate::candle::layers::{Conv3, GroupNorm, Linear, ResNet, ResNetSizes};
use crate::candle::ops::{self, KeysValues, Window};

/// eps of every norm in a VAE.
const EPS: f64 = 1e-6;

fn resnet(config: &VaeConfig, from: usize, to: usize, vb: VarBuilder) -> Result<ResNet> {
    ResNet::new(
        ResNetSizes {
            from,
            to,
            time: None,
            groups: config.groups,
            eps: EPS,
        },
        vb,
    )
}

/// Single-head attention over all positions.
#[derive(Clone, Debug)]
struct Attention {
    norm: GroupNorm,
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
}

impl Attention {
    fn new(config: &VaeConfig, c: usize, vb: VarBuilder) -> Result<Attention> {
        // Checkpoints of diffusers before 0.12 have the second names.
        let names = match vb.contains_tensor("to_q.weight") {
            true => ["to_q", "to_k", "to_v", "to_out.0"],
            false => ["query", "key", "value", "proj_attn"],
        };
        let [query, key, value, out] = names.map(|name| Linear::new(c, c, vb.pp(name)));
        let norm = GroupNorm::new(c, config.groups, EPS, vb.pp("group_norm"))?;
        Ok(Attention {
            norm,
            query: query?,
            key: key?,
            value: value?,
            out: out?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (b, h, w, c) = x.dims4()?;
        let y = self.norm.forward(x)?.reshape((b, h * w, c))?;
        let kv = KeysValues::new(&self.key.forward(&y)?, &self.value.forward(&y)?, 1)?;
        let y = ops::attention(&self.query.forward(&y)?, &kv)?;
        self.out.forward_onto(&y.reshape((b, h, w, c))?, x)
    }
}

/// ResNet, attention, ResNet.
#[derive(Clone, Debug)]
struct Middle {
    first: ResNet,
    attention: Option<Attention>,
    second: ResNet,
}

impl Middle {
    fn new(config: &VaeConfig, c: usize, vb: VarBuilder) -> Result<Middle> {
        let attention = || Attention::new(config, c, vb.pp("attentions.0"));
        Ok(Middle {
            first: resnet(config, c, c, vb.pp("resnets.0"))?,
            attention: config.attention.then(attention).transpose()?,
            second: resnet(config, c, c, vb.pp("resnets.1"))?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.first.forward(x, None)?;
        let x = match &self.attention {
            Some(attention) => attention.forward(&x)?,
            None => x,
        };
        self.second.forward(&x, None)
    }
}

/// The ResNets of one resolution, and the convolution to the next.
type Stage = (Vec<ResNet>, Option<Conv3>);

/// `layers` layers from `from` to `c` channels, and a convolution after them.
fn stage(
    config: &VaeConfig,
    layers: usize,
    (from, c): (usize, usize),
    resize: Option<(Window, &str)>,
    vb: &VarBuilder,
) -> Result<Stage> {
    let layer = |j: usize| {
        let from = if j == 0 { from } else { c };
        resnet(config, from, c, vb.pp(format!("resnets.{j}")))
    };
    let layers = (0..layers).map(layer).collect::<Result<_>>()?;
    let resize = resize.map(|(window, name)| Conv3::new(c, c, window, vb.pp(name)));
    Ok((layers, resize.transpose()?))
}

/// Encodes pictures to the moments of their latents.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    conv_in: Conv3,
    stages: Vec<Stage>,
    middle: Middle,
    norm_out: GroupNorm,
    conv_out: Conv3,
    quant: Option<Linear>,
}

impl Encoder {
    pub fn new(config: &VaeConfig, vb: &VarBuilder) -> Result<Encoder> {
        let e = vb.pp("encoder");
        let (n, first, last) = (
            config.channels.len(),
            config.channels[0],
            config.channels[config.channels.len() - 1],
        );
        let mut stages = Vec::new();
        for (i, c) in config.channels.iter().copied().enumerate() {
            let from = config.channels[i.saturating_sub(1)];
            let half = (i + 1 < n).then_some((Window::HALF_BELOW, "downsamplers.0.conv"));
            let vb = e.pp(format!("down_blocks.{i}"));
            stages.push(stage(config, config.layers, (from, c), half, &vb)?);
        }
        let moments = 2 * config.latent_channels;
        Ok(Encoder {
            conv_in: Conv3::new(3, first, Window::SAME, e.pp("conv_in"))?,
            stages,
            middle: Middle::new(config, last, e.pp("mid_block"))?,
            norm_out: GroupNorm::new(last, config.groups, EPS, e.pp("conv_norm_out"))?,
            conv_out: Conv3::new(last, moments, Window::SAME, e.pp("conv_out"))?,
            quant: config
                .quant_conv
                .then(|| Linear::pointwise(moments, moments, vb.pp("quant_conv")))
                .transpose()?,
        })
    }

    /// `[b, h, w, 3]` to `[b, h / scale, w / scale, 2 * latent_channels]`: means, then log
    /// variances.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = self.conv_in.forward(x)?;
        for (layers, down) in &self.stages {
            for layer in layers {
                x = layer.forward(&x, None)?;
            }
            if let Some(down) = down {
                x = down.forward(&x)?;
            }
        }
        let x = self
            .conv_out
            .forward(&self.norm_out.forward_silu(&self.middle.forward(&x)?)?)?;
        match &self.quant {
            Some(quant) => quant.forward(&x),
            None => Ok(x),
        }
    }
}

/// Decodes latents to pictures.
#[derive(Clone, Debug)]
pub(super) struct Decoder {
    quant: Option<Linear>,
    conv_in: Conv3,
    middle: Middle,
    stages: Vec<Stage>,
    norm_out: GroupNorm,
    conv_out: Conv3,
}

impl Decoder {
    pub fn new(config: &VaeConfig, vb: &VarBuilder) -> Result<Decoder> {
        let d = vb.pp("decoder");
        let (n, first, last) = (
            config.channels.len(),
            config.channels[0],
            config.channels[config.channels.len() - 1],
        );
        let latent = config.latent_channels;
        let mut stages = Vec::new();
        for (at, i) in (0..n).rev().enumerate() {
            let (c, from) = (config.channels[i], config.channels[(i + 1).min(n - 1)]);
            let double = (i > 0).then_some((Window::SAME, "upsamplers.0.conv"));
            let vb = d.pp(format!("up_blocks.{at}"));
            stages.push(stage(config, config.layers + 1, (from, c), double, &vb)?);
        }
        let quant = || Linear::pointwise(latent, latent, vb.pp("post_quant_conv"));
        Ok(Decoder {
            quant: config.post_quant_conv.then(quant).transpose()?,
            conv_in: Conv3::new(latent, last, Window::SAME, d.pp("conv_in"))?,
            middle: Middle::new(config, last, d.pp("mid_block"))?,
            stages,
            norm_out: GroupNorm::new(first, config.groups, EPS, d.pp("conv_norm_out"))?,
            conv_out: Conv3::new(first, 3, Window::SAME, d.pp("conv_out"))?,
        })
    }

    /// `[b, h, w, latent_channels]` to `[b, h * scale, w * scale, 3]`.
    pub fn forward(&self, z: &Tensor) -> Result<Tensor> {
        let z = match &self.quant {
            Some(quant) => quant.forward(z)?,
            None => z.clone(),
        };
        let mut x = self.middle.forward(&self.conv_in.forward(&z)?)?;
        for (layers, up) in &self.stages {
            for layer in layers {
                x = layer.forward(&x, None)?;
            }
            if let Some(up) = up {
                let (_, h, w, _) = x.dims4()?;
                x = up.forward(&ops::upsample(&x, 2 * h, 2 * w)?)?;
            }
        }
        self.conv_out.forward(&self.norm_out.forward_silu(&x)?)
    }
}
