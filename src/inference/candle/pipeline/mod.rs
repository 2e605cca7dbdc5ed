//! diffusers' Stable Diffusion and SDXL pipelines: text to image, image to image, and inpainting.

mod initial_latents;
mod picture;
mod prompt;
#[cfg(test)]
mod tests;

use crate::candle::config::CandleResult;
use crate::candle::config::reason;
use candle_core::{DType, Device, Tensor};

use super::noise::{Generator, stacked};
use super::scheduler::{Sampler, SchedulerConfig};
use super::unet::{UNet, UNetConfig};
use super::vae::{Vae, VaeConfig};
use super::weights::ModelFolder;
use crate::device_errors::{self, ErrorClass};
use benchtop_model::error::Error;
use benchtop_model::generation::{Failure, FailureKind, Pixels, Settings, Task};
use prompt::TextSide;

/// Settings for loading a model.
#[derive(Clone, Debug)]
pub struct Loading {
    /// Data type of the computation: f32 or f16. The VAE's `force_upcast` takes precedence.
    pub dtype: DType,
    pub device: Device,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: usize,
}

pub struct Pipeline {
    text: TextSide,
    unet: UNet,
    pub vae: Vae,
    pub scheduler: SchedulerConfig,
    pub xl: bool,
    device: Device,
}

/// The reason why a run gave no pictures.
#[derive(Debug)]
pub enum Stopped {
    Cancelled,
    /// All pictures failed for the same reason.
    Failed(Failure),
}

impl From<Error> for Stopped {
    fn from(problem: Error) -> Stopped {
        Stopped::Failed(wrong(problem))
    }
}

/// The failure of an invalid task, as one line.
pub(super) fn wrong(problem: Error) -> Failure {
    failure(
        FailureKind::Input,
        &problem.to_string().replace("\n  help: ", "; "),
    )
}

impl From<candle_core::Error> for Stopped {
    fn from(error: candle_core::Error) -> Stopped {
        Stopped::Failed(failure(FailureKind::Refused, &reason(&error)))
    }
}

/// A failure of `kind`, or of `OutOfMemory` if the message says so.
pub(super) fn failure(kind: FailureKind, message: &str) -> Failure {
    let memory = device_errors::classify(message) == Some(ErrorClass::Memory);
    Failure::new(
        if memory {
            FailureKind::OutOfMemory
        } else {
            kind
        },
        message,
    )
}

impl Pipeline {
    /// Loads all parts of `folder`. Parts of different models are refused.
    pub fn load(folder: &ModelFolder, loading: &Loading) -> Result<Pipeline, Error> {
        let (dtype, device) = (&loading.dtype, &loading.device);
        // The refiner is not supported: its U-Net takes a score instead of the target size.
        folder.index.only("requires_aesthetics_score", false)?;
        let config = folder.config("unet")?;
        let unet = UNetConfig::new(&config)?;
        let vae = VaeConfig::new(&folder.config("vae")?)?;
        let latent = vae.latent_channels;
        if unet.in_channels != latent && unet.in_channels != 2 * latent + 1 {
            let wrong = config.wrong(
                "in_channels",
                format!("{} is not supported", unet.in_channels),
            );
            return Err(wrong.help(format!(
                "supported: {latent}, or {} for inpainting",
                2 * latent + 1
            )));
        }
        if unet.out_channels != latent {
            return Err(config.wrong(
                "out_channels",
                format!("{} for latents of {latent}", unet.out_channels),
            ));
        }
        if unet.text_time.is_some() != folder.xl() {
            let kind = if folder.xl() { "SDXL" } else { "SD" };
            return Err(config.wrong(
                "addition_embed_type",
                format!("the U-Net does not belong to an {kind} pipeline"),
            ));
        }
        let scheduler = prompt::scheduler(folder)?;
        let text = TextSide::load(folder, &unet, *dtype, device)?;
        let unet = UNet::new(unet, folder.weights("unet", *dtype, device)?).input()?;
        let inner = Vae::dtype_for(&vae, *dtype);
        let vae = Vae::new(
            vae,
            loading.whole_pixels,
            folder.weights("vae", inner, device)?,
        )
        .input()?;
        Ok(Pipeline {
            text,
            unet,
            vae,
            scheduler,
            xl: folder.xl(),
            device: device.clone(),
        })
    }

    /// Uses VAE tiles for pictures of more than `pixels`.
    pub fn set_whole_pixels(&mut self, pixels: usize) {
        self.vae.set_whole(pixels);
    }

    /// True if the U-Net takes the mask and the masked picture as input (9 channels).
    pub fn takes_masks(&self) -> bool {
        self.unet.config.in_channels > self.vae.config.latent_channels
    }

    /// Side in pixels of the training pictures.
    pub fn side(&self) -> usize {
        self.unet.config.sample_size * self.vae.config.scale()
    }

    /// The number of 75-token chunks of the texts of `task`, and notes for the user. All pictures
    /// of a batch have the same number of chunks.
    pub fn look(&self, task: &Task, settings: &Settings) -> Result<(usize, Vec<String>), Error> {
        self.text.look(task, guided(settings))
    }

    /// Generates the pictures of `tasks` as one batch. They must have the same size, number of
    /// chunks, and strength, and all or none have a mask. `watch` gets the finished and total
    /// steps, and cancels the run by returning `false`. A failed picture does not affect the
    /// others.
    pub fn run(
        &self,
        settings: &Settings,
        tasks: &[&Task],
        watch: &mut dyn FnMut(u32, u32) -> bool,
    ) -> Result<Vec<Result<Pixels, Failure>>, Stopped> {
        let latents = self.latents(settings, tasks, watch)?;
        let picture = |(row, fine): (usize, bool)| {
            if !fine {
                let why = "the latents are not finite: f16 overflows with this model; use f32";
                return Ok(Err(Failure::new(FailureKind::BadOutput, why)));
            }
            // One at a time, because decoding needs the most memory.
            Ok(picture::pixels(
                &self.vae.decode(&latents.narrow(0, row, 1)?)?.get(0)?,
            ))
        };
        finite(&latents)?
            .into_iter()
            .enumerate()
            .map(picture)
            .collect()
    }

    /// The scaled latents that [`run`](Self::run) decodes: `[b, latent_channels, h / 8, w / 8]`,
    /// f32. Rows that become NaN stay NaN. If all rows are NaN, the remaining steps are skipped.
    pub fn latents(
        &self,
        settings: &Settings,
        tasks: &[&Task],
        watch: &mut dyn FnMut(u32, u32) -> bool,
    ) -> Result<Tensor, Stopped> {
        let mut generators: Vec<Generator> =
            tasks.iter().map(|task| Generator::new(task.seed)).collect();
        let mut sampler =
            Sampler::new(&self.scheduler, settings.scheduler, settings.steps as usize)?;
        let guided = guided(settings);
        let prompts = self.text.encode(tasks, guided)?;
        let (high, wide) = (settings.height as f32, settings.width as f32);
        let sizes = vec![[high, wide, 0., 0., high, wide]; prompts.text.dim(0)?];
        let pooled = prompts
            .pooled
            .as_ref()
            .map(|pooled| (pooled, sizes.as_slice()));
        let condition = self.unet.condition(&prompts.text, pooled)?;
        let start = self.start(settings, tasks, &mut sampler, &mut generators)?;

        let twice = |t: &Tensor| {
            if guided {
                Tensor::cat(&[t, t], 0)
            } else {
                Ok(t.clone())
            }
        };
        let beside = start.beside.as_ref().map(twice).transpose()?;
        let timesteps = sampler.timesteps.to_vec();
        let shape = start.latents.dims().to_vec();
        let mut latents = start.latents;
        let of = (timesteps.len() - start.first) as u32;
        for (i, t) in timesteps.iter().enumerate().skip(start.first) {
            // The unconditional rows come first, as in the embeddings.
            let mut input = twice(&sampler.scale_model_input(&latents, i)?)?;
            if let Some(beside) = &beside {
                input = Tensor::cat(&[&input, beside], 1)?;
            }
            let mut output = self
                .unet
                .forward(&input, *t, &condition)?
                .to_dtype(DType::F32)?;
            if guided {
                let halves = output.chunk(2, 0)?;
                output = (&halves[0] + ((&halves[1] - &halves[0])? * settings.guidance)?)?;
            }
            let fresh = match sampler.wants_noise(i) {
                true => Some(stacked(&mut generators, &shape[1..], &self.device)?),
                false => None,
            };
            latents = sampler.step(&output, i, &latents, fresh.as_ref())?;
            if let Some(kept) = &start.kept {
                latents = kept.over(&latents, &sampler, i)?;
            }
            if !watch((i + 1 - start.first) as u32, of) {
                return Err(Stopped::Cancelled);
            }
            if finite(&latents)?.iter().all(|fine| !fine) {
                break;
            }
        }
        Ok(latents)
    }
}

/// True if guidance is used. At 1 and below, the unconditional half has no effect.
fn guided(settings: &Settings) -> bool {
    settings.guidance > 1.
}

/// For each row of `latents`, true if all its numbers are finite.
fn finite(latents: &Tensor) -> candle_core::Result<Vec<bool>> {
    let sums = latents.flatten_from(1)?.abs()?.sum(1)?.to_vec1::<f32>()?;
    Ok(sums.into_iter().map(f32::is_finite).collect())
}
