//! The U-Net of Stable Diffusion 1.5, 2.1, SDXL, and their inpainting variants: diffusers'
//! `UNet2DConditionModel`.

mod config;
#[cfg(test)]
mod tests;
mod transformer;

use candle_core::{DType, Device, Result, Tensor, bail};
use candle_nn::VarBuilder;

pub use config::{Level, TextTime, UNetConfig};

use crate::candle::layers::{Conv3, Embedding, GroupNorm, ResNet, ResNetSizes};
use crate::candle::ops::{self, KeysValues, Window};
use transformer::Transformer;

/// A down or up block: ResNets, each followed by a transformer if the block has attention, and the
/// convolution to the next resolution.
#[derive(Clone, Debug)]
struct Stage {
    layers: Vec<(ResNet, Option<Transformer>)>,
    resize: Option<Conv3>,
}

/// The conditioning: the keys and values of the text for each block, and SDXL's addition to the
/// time embedding.
#[derive(Clone, Debug)]
pub struct Condition {
    text: Vec<KeysValues>,
    /// `[b, time]`.
    added: Option<Tensor>,
    batch: usize,
}

#[derive(Clone, Debug)]
pub struct UNet {
    pub config: UNetConfig,
    dtype: DType,
    device: Device,
    conv_in: Conv3,
    time: Embedding,
    add: Option<Embedding>,
    down: Vec<Stage>,
    middle: (ResNet, Transformer, ResNet),
    up: Vec<Stage>,
    norm_out: GroupNorm,
    conv_out: Conv3,
}

impl UNet {
    /// Loads the tensors from `vb`, and computes in its dtype.
    pub fn new(config: UNetConfig, vb: VarBuilder) -> Result<UNet> {
        let (n, time) = (config.levels.len(), config.time());
        let resnet = |from: usize, to: usize, vb: VarBuilder| {
            ResNet::new(
                ResNetSizes {
                    from,
                    to,
                    time: Some(time),
                    groups: config.groups,
                    eps: config.eps,
                },
                vb,
            )
        };
        let transformer = |level: &Level, depth: usize, vb: VarBuilder| {
            Transformer::new(&config, level.channels, level.heads, depth, vb)
        };
        let (first, last) = (config.levels[0], config.levels[n - 1]);
        // `from` has the channels of the input of each layer.
        let stage = |level: &Level, depth: usize, from: Vec<usize>, vb: VarBuilder| {
            let mut layers = Vec::new();
            for (j, from) in from.into_iter().enumerate() {
                let attention = (depth > 0)
                    .then(|| transformer(level, depth, vb.pp(format!("attentions.{j}"))))
                    .transpose()?;
                let resnet = resnet(from, level.channels, vb.pp(format!("resnets.{j}")))?;
                layers.push((resnet, attention));
            }
            Ok::<_, candle_core::Error>(layers)
        };
        let resize = |c: usize, window: Window, vb: VarBuilder| Conv3::new(c, c, window, vb);
        let channels = |i: usize| config.levels[i].channels;
        let mut down = Vec::new();
        for (i, level) in config.levels.iter().enumerate() {
            let vb = vb.pp(format!("down_blocks.{i}"));
            let mut from = vec![level.channels; level.layers];
            from[0] = channels(i.saturating_sub(1));
            let layers = stage(level, level.down, from, vb.clone())?;
            let half = || resize(level.channels, Window::HALF, vb.pp("downsamplers.0.conv"));
            let resize = (i + 1 < n).then(half).transpose()?;
            down.push(Stage { layers, resize });
        }
        let mid = vb.pp("mid_block");
        let middle = (
            resnet(last.channels, last.channels, mid.pp("resnets.0"))?,
            transformer(&last, config.middle, mid.pp("attentions.0"))?,
            resnet(last.channels, last.channels, mid.pp("resnets.1"))?,
        );
        let mut up = Vec::new();
        for (at, i) in (0..n).rev().enumerate() {
            let level = &config.levels[i];
            let vb = vb.pp(format!("up_blocks.{at}"));
            // The input from below plus the skip connection, whose last one is from the finer
            // resolution.
            let mut from = vec![2 * level.channels; level.layers + 1];
            from[0] = channels((i + 1).min(n - 1)) + level.channels;
            from[level.layers] = level.channels + channels(i.saturating_sub(1));
            let layers = stage(level, level.up, from, vb.clone())?;
            let double = || resize(level.channels, Window::SAME, vb.pp("upsamplers.0.conv"));
            let resize = (i > 0).then(double).transpose()?;
            up.push(Stage { layers, resize });
        }
        let same = Window::SAME;
        Ok(UNet {
            dtype: vb.dtype(),
            device: vb.device().clone(),
            conv_in: Conv3::new(config.in_channels, first.channels, same, vb.pp("conv_in"))?,
            time: Embedding::new(config.sinusoid.dim, time, vb.pp("time_embedding"))?,
            add: config
                .text_time
                .map(|added| Embedding::new(added.width, time, vb.pp("add_embedding")))
                .transpose()?,
            down,
            middle,
            up,
            norm_out: GroupNorm::new(
                first.channels,
                config.groups,
                config.eps,
                vb.pp("conv_norm_out"),
            )?,
            conv_out: Conv3::new(first.channels, config.out_channels, same, vb.pp("conv_out"))?,
            config,
        })
    }

    /// Computes the conditioning once for all steps, from the text (`[b, tokens, context]`) and,
    /// for SDXL, from its pooled state (`[b, width]`) and the `sizes` of each picture (original
    /// height and width, crop top and left, target height and width).
    pub fn condition(
        &self,
        text: &Tensor,
        pooled: Option<(&Tensor, &[[f32; 6]])>,
    ) -> Result<Condition> {
        let (batch, _, width) = text.dims3()?;
        if width != self.config.context {
            bail!(
                "the U-Net takes text states of width {}, not {width}",
                self.config.context
            );
        }
        let text = text.to_dtype(self.dtype)?;
        let blocks = self
            .transformers()
            .map(|t| t.context(&text))
            .collect::<Result<Vec<_>>>()?;
        let added = match (self.config.text_time, &self.add, pooled) {
            (Some(added), Some(layer), Some((pooled, sizes))) => {
                let numbers: Vec<f32> = sizes.iter().flatten().copied().collect();
                let sizes = added
                    .sinusoid
                    .of(&numbers, self.dtype, &self.device)?
                    .reshape((batch, ()))?;
                let all = Tensor::cat(&[&pooled.to_dtype(self.dtype)?, &sizes], 1)?;
                if all.dim(1)? != added.width {
                    bail!(
                        "pooled text and sizes have {} numbers, the U-Net takes {}",
                        all.dim(1)?,
                        added.width
                    );
                }
                Some(layer.forward(&all)?)
            }
            (None, _, None) => None,
            (None, ..) => bail!("this U-Net takes no pooled text"),
            _ => bail!("this U-Net requires a pooled text and sizes"),
        };
        Ok(Condition {
            text: blocks.into_iter().flatten().collect(),
            added,
            batch,
        })
    }

    fn transformers(&self) -> impl Iterator<Item = &Transformer> {
        let down = self
            .down
            .iter()
            .flat_map(|s| &s.layers)
            .filter_map(|(_, t)| t.as_ref());
        let up = self
            .up
            .iter()
            .flat_map(|s| &s.layers)
            .filter_map(|(_, t)| t.as_ref());
        down.chain(std::iter::once(&self.middle.1)).chain(up)
    }

    /// The output `[b, out_channels, h, w]` for `latents` (`[b, in_channels, h, w]`, any size) at
    /// `timestep`, in the U-Net's dtype.
    pub fn forward(
        &self,
        latents: &Tensor,
        timestep: f32,
        condition: &Condition,
    ) -> Result<Tensor> {
        let batch = latents.dim(0)?;
        if batch != condition.batch {
            bail!(
                "got {batch} latents, but conditions for {} pictures",
                condition.batch
            );
        }
        let time = self
            .config
            .sinusoid
            .of(&vec![timestep; batch], self.dtype, &self.device)?;
        let time = self.time.forward(&time)?;
        let time = match &condition.added {
            Some(added) => (time + added)?,
            None => time,
        }
        .silu()?;
        let time = Some(&time);
        let mut text = condition.text.iter();
        let mut x = self.conv_in.forward(
            &latents
                .to_dtype(self.dtype)?
                .permute((0, 2, 3, 1))?
                .contiguous()?,
        )?;
        let mut kept = vec![x.clone()];
        for stage in &self.down {
            for (resnet, transformer) in &stage.layers {
                x = resnet.forward(&x, time)?;
                if let Some(transformer) = transformer {
                    x = transformer.forward(&x, &mut text)?;
                }
                kept.push(x.clone());
            }
            if let Some(resize) = &stage.resize {
                x = resize.forward(&x)?;
                kept.push(x.clone());
            }
        }
        x = self.middle.0.forward(&x, time)?;
        x = self.middle.1.forward(&x, &mut text)?;
        x = self.middle.2.forward(&x, time)?;
        for stage in &self.up {
            for (resnet, transformer) in &stage.layers {
                let Some(skip) = kept.pop() else {
                    bail!("the up blocks have more layers than the down blocks")
                };
                x = resnet.forward(&ops::join(&x, &skip)?, time)?;
                if let Some(transformer) = transformer {
                    x = transformer.forward(&x, &mut text)?;
                }
            }
            if let (Some(resize), Some(next)) = (&stage.resize, kept.last()) {
                // Upsampled to the size of the skip connection: an odd side is not twice its half.
                let (_, high, wide, _) = next.dims4()?;
                x = resize.forward(&ops::upsample(&x, high, wide)?)?;
            }
        }
        self.conv_out
            .forward(&self.norm_out.forward_silu(&x)?)?
            .permute((0, 3, 1, 2))?
            .contiguous()
    }
}
