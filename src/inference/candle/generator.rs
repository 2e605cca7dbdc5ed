//! The [`ImageGenerator`] of a model folder, in this process.

use crate::candle::config::{CandleResult, check_dtype};
use std::path::Path;

use candle_core::{DType, Device};

use super::device::describe;
#[cfg(feature = "cuda")]
use super::ops::cuda;
use super::pipeline::{Loading, Pipeline, Stopped, wrong};
use super::scheduler::TimestepSpacing;
use super::weights::ModelFolder;
use crate::{GenerationEvent, ImageGenerator};
use benchtop_model::error::Result;
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, RespectedInputs, Scheduler, Settings,
    Task,
};

/// Part of the fingerprint. Increase it with every change that changes the output.
const CODE: u32 = 2;

/// The part of the fingerprint for VAE tiling.
const TILES: &str = "vae tiles";

/// Minimum and maximum side in pixels.
const SIDES: (u32, u32) = (64, 2048);

/// Maximum number of 75-token chunks per prompt. Each chunk slows down every step.
const CHUNKS: usize = 16;

/// Maximum number of pixels of a picture that goes through the VAE without tiles.
const WHOLE: usize = 1024 * 1024;

/// Settings of a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// Data type of the computation: f32, or f16 to save memory.
    pub dtype: DType,
    pub device: Device,
    /// Pictures per U-Net batch. With 1, a picture is bit-identical whatever else is generated;
    /// products of other sizes may round differently.
    pub together: usize,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: usize,
}

impl Options {
    /// Settings for the CPU: f32, one picture at a time, because batches are not faster there.
    pub fn cpu() -> Options {
        Options {
            dtype: DType::F32,
            device: Device::Cpu,
            together: 1,
            whole_pixels: WHOLE,
        }
    }

    /// Settings for the GPU `ordinal`: f16, four pictures at a time, which fits into 16 GB for SDXL
    /// at 1024 x 1024 (docs/gpu.md). A VAE with `force_upcast` is computed in f32, because it
    /// overflows f16.
    ///
    /// # Errors
    /// If there is no such GPU, it is older than Ampere, or its driver rejects the kernels.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: usize) -> Result<Options> {
        Ok(Options {
            dtype: DType::F16,
            device: cuda::open(ordinal)?,
            together: 4,
            whole_pixels: WHOLE,
        })
    }
}

/// A Stable Diffusion or SDXL model in this process.
pub struct CandleGenerator {
    pipeline: Pipeline,
    capabilities: Capabilities,
    /// The part of the fingerprint that does not depend on settings.
    pub fixed: Fingerprint,
    together: usize,
    /// Last, so that it is dropped after the tensors: on a GPU it frees the memory.
    #[cfg(feature = "cuda")]
    dtype: DType,
    #[cfg(feature = "cuda")]
    _memory: Option<cuda::Memory>,
}

/// Pictures share a batch only if these are equal: chunks of the prompt, strength, use of a mask.
type Pass = (usize, Option<u64>, bool);

impl CandleGenerator {
    /// Loads the model in `folder`. `hash` is the hash of its files (see [`ModelFolder::hash`]), if
    /// the caller has it; otherwise all files are read to compute it.
    pub fn open(folder: &Path, options: &Options, hash: Option<String>) -> Result<CandleGenerator> {
        check_dtype(options.dtype)?;
        let place = describe(&options.device).input()?;
        let model = ModelFolder::open(folder)?;
        let loading = Loading {
            dtype: options.dtype,
            device: options.device.clone(),
            whole_pixels: options.whole_pixels,
        };
        let pipeline = Pipeline::load(&model, &loading)?;
        let hash = match hash {
            Some(hash) => hash,
            None => model.hash(options.dtype)?,
        };
        let together = options.together.max(1);
        let name = super::weights::folder_name(folder);
        let (dtype, f16) = (options.dtype.as_str(), options.dtype == DType::F16);
        let tiles = tiles(options.whole_pixels, pipeline.vae.config.sample_size);
        let layout = match together {
            1 => "one picture: unconditional, conditional".to_string(),
            n => format!("up to {n} pictures: unconditional, conditional"),
        };
        let fixed = Fingerprint::default()
            .with("backend", "candle 0.11.1")
            .with("code", CODE)
            .with("model", &name)
            .with("weights", hash)
            .with("dtype", dtype)
            .with("vae dtype", pipeline.vae.dtype.as_str())
            .with("device", place.print())
            .with("convolution", "rows gathered, one product")
            .with(TILES, tiles)
            .with("batch", layout)
            .with("noise", "torch on the CPU, a stream a picture");
        let fixed = match &place.kernels {
            Some(kernels) => fixed
                .with("kernels", kernels)
                .with("f32 products", if f16 { "TF32" } else { "f32" }),
            None => fixed,
        };
        let capabilities = Capabilities {
            name: format!("{name} on {} ({dtype})", place.name),
            max_batch: together,
            // Every pipeline of this family requires 8, whatever the VAE's scale.
            multiple_of: (pipeline.vae.config.scale() as u32).max(8),
            sides: SIDES,
            schedulers: Scheduler::ALL.to_vec(),
            respects: RespectedInputs {
                // Batches may round differently than single pictures.
                seed: together == 1,
                steps: true,
                guidance: true,
                negative_prompt: true,
                scheduler: true,
                init: true,
                mask: true,
            },
            reports_steps: true,
            draft: false,
            recommended: best(&pipeline),
        };
        Ok(CandleGenerator {
            pipeline,
            capabilities,
            fixed,
            together,
            #[cfg(feature = "cuda")]
            dtype: options.dtype,
            #[cfg(feature = "cuda")]
            _memory: options
                .device
                .is_cuda()
                .then(|| cuda::Memory(options.device.clone())),
        })
    }

    /// [`fixed`](Self::fixed) if pictures of more than `whole_pixels` go through the VAE in tiles.
    pub fn fixed_within(&self, whole_pixels: usize) -> Fingerprint {
        self.fixed.clone().with(
            TILES,
            tiles(whole_pixels, self.pipeline.vae.config.sample_size),
        )
    }

    /// Number of pixels of a tile.
    pub fn tile_pixels(&self) -> usize {
        self.pipeline.vae.config.sample_size.pow(2)
    }

    /// Limits batches to `together` pictures, and uses VAE tiles for pictures of more than
    /// `whole_pixels`. The fingerprint says "up to", so smaller batches do not change it.
    pub fn make_within(&mut self, together: usize, whole_pixels: usize) {
        self.fixed = self.fixed_within(whole_pixels);
        self.pipeline.set_whole_pixels(whole_pixels);
        self.together = together.max(1);
    }

    /// The batch key of a task, and notes for the user; or the failure if the task is not possible.
    fn look(
        &self,
        settings: &Settings,
        task: &Task,
    ) -> std::result::Result<(Pass, Vec<String>), Failure> {
        if let Some(failure) = self.capabilities.refusal_reason(settings, task) {
            return Err(failure);
        }
        let (chunks, mut notes) = self.pipeline.look(task, settings).map_err(wrong)?;
        if chunks > CHUNKS {
            let why = format!("the prompt has {chunks} parts of 75 tokens; the limit is {CHUNKS}");
            return Err(Failure::new(FailureKind::Input, why));
        }
        if settings.guidance <= 1. && task.negative_prompt.is_some() {
            notes.push(
                "the negative prompt has no effect, because guidance is not above 1".to_string(),
            );
        }
        let init = task.init.as_ref();
        Ok((
            (
                chunks,
                init.map(|i| i.strength.to_bits()),
                init.is_some_and(|i| i.mask.is_some()),
            ),
            notes,
        ))
    }
}

/// The recommended settings of a model: its own size and schedule, and one step for distilled
/// models.
fn best(pipeline: &Pipeline) -> Settings {
    let side = (pipeline.side() as u32).clamp(SIDES.0, SIDES.1);
    let config = &pipeline.scheduler;
    let scheduler = config.scheduler.unwrap_or_default();
    // Only the turbo models are published with Euler on trailing timesteps.
    let euler = matches!(
        config.scheduler,
        Some(Scheduler::Euler | Scheduler::EulerAncestral)
    );
    let turbo = euler && config.timestep_spacing == Some(TimestepSpacing::Trailing);
    let (steps, guidance) = match (turbo, pipeline.xl) {
        (true, _) => (1, 0.),
        (false, true) => (30, 5.),
        (false, false) => (30, 7.5),
    };
    Settings {
        width: side,
        height: side,
        steps,
        guidance,
        scheduler,
    }
}

/// The fingerprint text for VAE tiling.
fn tiles(whole_pixels: usize, side: usize) -> String {
    format!("over {whole_pixels} pixels, of {side}")
}

/// The fingerprint `fixed` completed with `settings`.
pub fn sized(fixed: &Fingerprint, settings: &Settings) -> Fingerprint {
    let sized = fixed.clone().with("width", settings.width);
    let sized = sized
        .with("height", settings.height)
        .with("steps", settings.steps);
    sized
        .with("guidance", settings.guidance)
        .with("scheduler", settings.scheduler.name())
}

impl ImageGenerator for CandleGenerator {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        sized(&self.fixed, settings)
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        // The setting is per process, and another model may have changed it.
        #[cfg(feature = "cuda")]
        cuda::settle(self.dtype);
        let mut going = true;
        let mut waiting: Vec<(usize, Pass, Vec<String>)> = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            match if going {
                self.look(settings, task)
            } else {
                Err(Failure::cancelled())
            } {
                Ok((pass, notes)) => waiting.push((index, pass, notes)),
                Err(failure) => {
                    going &= watch(GenerationEvent::Done {
                        index,
                        result: Err(failure),
                    })
                }
            }
        }
        while let Some(pass) = waiting.first().map(|(_, pass, _)| *pass) {
            // The tasks of one batch, in order; the others wait.
            let mut batch = Vec::new();
            let mut later = Vec::new();
            for one in waiting {
                if one.1 == pass && batch.len() < self.together {
                    batch.push(one)
                } else {
                    later.push(one)
                }
            }
            waiting = later;
            let some: Vec<&Task> = batch
                .iter()
                .filter_map(|(index, ..)| tasks.get(*index))
                .collect();
            let size = some.len();
            let made = match going {
                true => self.pipeline.run(settings, &some, &mut |done, of| {
                    going &= watch(GenerationEvent::Step {
                        done,
                        of,
                        batch: size,
                    });
                    going
                }),
                false => Err(Stopped::Cancelled),
            };
            let results = match made {
                Ok(results) => results,
                Err(Stopped::Cancelled) => vec![Err(Failure::cancelled()); size],
                Err(Stopped::Failed(failure)) => vec![Err(failure); size],
            };
            for ((index, _, notes), result) in batch.into_iter().zip(results) {
                let mut honoured = self.capabilities.respects;
                honoured.negative_prompt = settings.guidance > 1.;
                let result = result.map(|pixels| Picture {
                    pixels,
                    respected: honoured,
                    notes,
                });
                going &= watch(GenerationEvent::Done { index, result });
            }
        }
    }
}
