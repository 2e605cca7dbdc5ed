//! The initial latents: noise, a noisy picture, or a picture with a masked part. Each picture draws
//! from its own generator in the order of diffusers' pipelines, so the same seed gives the same
//! latents.

use candle_core::{Device, Tensor};

use super::{Pipeline, Stopped, picture};
use crate::candle::noise::{Generator, stacked};
use crate::candle::scheduler::Sampler;
use benchtop_model::generation::{Pixels, Settings, Task};

/// The state before the first step.
pub(super) struct Start {
    /// `[b, latent_channels, h, w]`, f32.
    pub latents: Tensor,
    /// Index of the first step.
    pub first: usize,
    /// The unmasked part, restored after each step if the U-Net does not take masks itself.
    pub kept: Option<Kept>,
    /// The additional input of an inpainting U-Net: mask and masked picture, `[b, 1 +
    /// latent_channels, h, w]`.
    pub beside: Option<Tensor>,
}

/// The part of a picture that is not repainted.
pub(super) struct Kept {
    /// The latents without noise.
    image: Tensor,
    noise: Tensor,
    /// 1 for the part to repaint.
    mask: Tensor,
}

impl Kept {
    /// Restores the kept part in the `latents` after step `i` of `sampler`.
    pub fn over(
        &self,
        latents: &Tensor,
        sampler: &Sampler,
        i: usize,
    ) -> candle_core::Result<Tensor> {
        let next = i + 1;
        let image = match next < sampler.timesteps.len() {
            true => sampler.add_noise(&self.image, &self.noise, next)?,
            false => self.image.clone(),
        };
        let stays = image.broadcast_mul(&(1. - &self.mask)?)?;
        stays + latents.broadcast_mul(&self.mask)?
    }
}

/// The initial pictures of `tasks`. Gray ones if the U-Net needs pictures but a task has none.
fn pictures(tasks: &[&Task], settings: &Settings, device: &Device) -> candle_core::Result<Tensor> {
    let all: Vec<&Pixels> = tasks
        .iter()
        .filter_map(|t| t.init.as_ref().map(|init| &init.image))
        .collect();
    match all.len() == tasks.len() {
        true => picture::normalised(&all, device),
        false => {
            let shape = (
                tasks.len(),
                3,
                settings.height as usize,
                settings.width as usize,
            );
            Tensor::zeros(shape, candle_core::DType::F32, device)
        }
    }
}

impl Pipeline {
    /// The start of a batch. All tasks start from noise, or all start from a picture with the same
    /// strength; and all or none have a mask.
    pub(super) fn start(
        &self,
        settings: &Settings,
        tasks: &[&Task],
        sampler: &mut Sampler,
        generators: &mut [Generator],
    ) -> Result<Start, Stopped> {
        let device = &self.device;
        let (w, h) = (settings.width as usize, settings.height as usize);
        let channels = self.vae.config.latent_channels;
        let scale = self.vae.config.scale();
        let shape = [channels, h / scale, w / scale];
        let init = tasks.first().and_then(|t| t.init.as_ref());
        let masks: Vec<&[u8]> = tasks
            .iter()
            .filter_map(|t| t.init.as_ref().and_then(|init| init.mask.as_deref()))
            .collect();
        let masked = masks.len() == tasks.len();
        let strength = init.map_or(1., |init| init.strength);
        let first = sampler.begin(strength)?;
        // Pure noise if nothing of a picture is kept. img2img adds the noise to the picture even
        // then.
        let noise_alone = init.is_none() || (strength == 1. && (masked || self.takes_masks()));
        let latents_of =
            |images: &Tensor, generators: &mut [Generator]| -> candle_core::Result<Tensor> {
                let moments = self.vae.encode(images)?;
                self.vae
                    .sample(&moments, &stacked(generators, &shape, device)?)
            };

        let wanted = init.is_some() || self.takes_masks();
        let images = if wanted {
            Some(pictures(tasks, settings, device)?)
        } else {
            None
        };
        let image = match &images {
            Some(images) if !noise_alone || (masked && !self.takes_masks()) => {
                Some(latents_of(images, generators)?)
            }
            _ => None,
        };
        let noise = stacked(generators, &shape, device)?;
        let latents = match &image {
            Some(image) if !noise_alone => sampler.add_noise(image, &noise, first)?,
            _ => (&noise * sampler.init_noise_sigma())?,
        };
        let full = vec![255; w * h];
        let masks = if masked {
            masks
        } else {
            vec![full.as_slice(); tasks.len()]
        };
        let Some(images) = images.filter(|_| masked || self.takes_masks()) else {
            return Ok(Start {
                latents,
                first,
                kept: None,
                beside: None,
            });
        };
        let mask = picture::painted(&masks, w, h, device)?;
        // Drawn even if only the mask is used, because later draws depend on it.
        let masked_latents = latents_of(&images.broadcast_mul(&(1. - &mask)?)?, generators)?;
        // Nearest-neighbor scaling takes the first pixel of each block.
        let rows = Tensor::arange_step(0, h as u32, scale as u32, device)?;
        let columns = Tensor::arange_step(0, w as u32, scale as u32, device)?;
        let mask = mask.index_select(&rows, 2)?.index_select(&columns, 3)?;
        if self.takes_masks() {
            let beside = Tensor::cat(&[&mask, &masked_latents], 1)?;
            return Ok(Start {
                latents,
                first,
                kept: None,
                beside: Some(beside),
            });
        }
        Ok(Start {
            latents,
            first,
            kept: image.map(|image| Kept { image, noise, mask }),
            beside: None,
        })
    }
}
