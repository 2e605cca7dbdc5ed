//! What denoising starts from: noise, a picture under noise, a picture with a part to paint anew. Each picture draws
//! from its own generator in the order in which diffusers' pipelines draw, so the same seed begins from the
//! same numbers.

use candle_core::{Device, Tensor};

use super::{Pipeline, Stopped, picture};
use crate::candle::noise::{Generator, stacked};
use crate::candle::scheduler::Sampler;
use benchtop_model::generation::{Pixels, Settings, Task};

/// The state before the first step.
pub(super) struct Start {
    /// `[b, latent_channels, h, w]`, f32.
    pub latents: Tensor,
    /// The first step to take.
    pub first: usize,
    /// What is laid over the latents after each step, with a U-Net that does not take masks itself.
    pub kept: Option<Kept>,
    /// What a U-Net for inpainting takes besides the latents: mask and masked picture, `[b, 1 + latent_channels, h,
    /// w]`.
    pub beside: Option<Tensor>,
}

/// The part of a picture that stays.
pub(super) struct Kept {
    /// Its latents without noise.
    image: Tensor,
    /// The noise it is brought to a step with.
    noise: Tensor,
    /// 1 where it is painted anew.
    mask: Tensor,
}

impl Kept {
    /// `latents` after step `i` of `sampler`, with what stays laid over them.
    pub fn over(
        &self,
        latents: &Tensor,
        sampler: &Sampler,
        i: usize,
    ) -> candle_core::Result<Tensor> {
        let next = i + 1;
        let image = match next < sampler.timesteps().len() {
            true => sampler.add_noise(&self.image, &self.noise, next)?,
            false => self.image.clone(),
        };
        let stays = image.broadcast_mul(&(1. - &self.mask)?)?;
        stays + latents.broadcast_mul(&self.mask)?
    }
}

/// The pictures that `tasks` start from; grey ones for a U-Net that wants some where there are none.
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
    /// Where `tasks` start under `settings`. All of them start from noise, or all from a picture with the same
    /// strength, and all have a mask or none.
    pub(super) fn start(
        &self,
        settings: &Settings,
        tasks: &[&Task],
        sampler: &mut Sampler,
        generators: &mut [Generator],
    ) -> Result<Start, Stopped> {
        let device = &self.device;
        let (w, h) = (settings.width as usize, settings.height as usize);
        let channels = self.vae.config().latent_channels;
        let scale = self.vae.config().scale();
        let shape = [channels, h / scale, w / scale];
        let init = tasks.first().and_then(|t| t.init.as_ref());
        let masks: Vec<&[u8]> = tasks
            .iter()
            .filter_map(|t| t.init.as_ref().and_then(|init| init.mask.as_deref()))
            .collect();
        let masked = masks.len() == tasks.len();
        let strength = init.map_or(1., |init| init.strength);
        let first = sampler.begin(strength)?;
        // Noise alone, where nothing of a picture is to stay; img2img puts the noise on the picture even then.
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
        // Drawn even where only the mask is used: the draws of later steps come after it.
        let masked_latents = latents_of(&images.broadcast_mul(&(1. - &mask)?)?, generators)?;
        // The nearest of each block is its first.
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
