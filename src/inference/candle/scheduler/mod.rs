//! Schedulers, which remove the noise step by step. Each matches its namesake in diffusers 0.42.
//!
//! All four are linear. A step predicts the clean picture from the sample and the model's output,
//! and mixes it with the sample. DPM++ also mixes in the previous prediction, and Euler ancestral
//! adds new noise. Only the weights differ; they are f64 numbers on the host.

mod config;
mod schedule;
#[cfg(test)]
mod tests;

use candle_core::{DType, Result, Tensor, bail};

pub use config::{
    BetaSchedule, FinalSigma, PredictionType, SchedulerConfig, TimestepSpacing, class_name,
};

use benchtop_model::error;
use benchtop_model::generation::Scheduler;

/// The composition of a sample at a step: `alpha` times the picture plus `sigma` times unit noise.
#[derive(Clone, Copy, Debug)]
struct Level {
    alpha: f64,
    sigma: f64,
}

impl Level {
    /// The scale of the Euler schedulers: the picture keeps its scale (variance exploding).
    fn exploding(sigma: f64) -> Level {
        Level { alpha: 1.0, sigma }
    }

    /// The scale of the training: the variances sum to 1 (variance preserving). `sigma` is in the
    /// exploding scale.
    fn preserving(sigma: f64) -> Level {
        let alpha = 1.0 / (sigma * sigma + 1.0).sqrt();
        Level {
            alpha,
            sigma: sigma * alpha,
        }
    }

    /// The variance-preserving level of an entry of `alphas_cumprod`.
    fn of_variance(alpha_prod: f64) -> Level {
        Level {
            alpha: alpha_prod.sqrt(),
            sigma: (1.0 - alpha_prod).sqrt(),
        }
    }

    /// Half the log signal-to-noise ratio.
    fn lambda(self) -> f64 {
        self.alpha.ln() - self.sigma.ln()
    }

    /// The weights of the sample and the model output in the predicted picture.
    fn picture(self, prediction: PredictionType) -> (f64, f64) {
        let size = self.alpha * self.alpha + self.sigma * self.sigma;
        match prediction {
            PredictionType::Epsilon => (1.0 / self.alpha, -self.sigma / self.alpha),
            PredictionType::VPrediction => (self.alpha / size, -self.sigma / size.sqrt()),
            PredictionType::Sample => (0.0, 1.0),
        }
    }
}

/// The weights of the terms of the next sample.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    sample: f64,
    picture: f64,
    /// The picture predicted in the previous step.
    earlier: f64,
    noise: f64,
}

/// One run of a scheduler over a batch: the steps, and the state between them.
pub struct Sampler {
    scheduler: Scheduler,
    prediction: PredictionType,
    spacing_from_top: bool,
    /// The timesteps for the U-Net, noisiest first. Euler's may be fractional.
    pub timesteps: Vec<f32>,
    /// The start and end level of each step.
    levels: Vec<(Level, Level)>,
    /// DDIM: the range to clip the predicted picture to.
    clip: Option<f64>,
    /// DPM++: the last step is of first order.
    first_order_end: bool,
    next: usize,
    earlier: Option<Tensor>,
}

impl Sampler {
    /// A run of `steps` steps (1 to the number of training steps) of `scheduler` for a model with
    /// this `config`, whatever class the file names, like diffusers' `from_config`.
    pub fn new(
        config: &SchedulerConfig,
        scheduler: Scheduler,
        steps: usize,
    ) -> error::Result<Sampler> {
        let times = schedule::timesteps(config, scheduler, steps)?;
        let (times, levels) = steps_between(config, scheduler, times);
        let ends_clean = config.final_sigma == FinalSigma::Zero;
        Ok(Sampler {
            scheduler,
            prediction: config.prediction_type,
            spacing_from_top: !matches!(config.timestep_spacing, Some(TimestepSpacing::Leading)),
            timesteps: times.into_iter().map(|t| t as f32).collect(),
            levels,
            clip: config.clip_sample.filter(|_| scheduler == Scheduler::Ddim),
            first_order_end: config.euler_at_final
                || (config.lower_order_final && steps < 15)
                || ends_clean,
            next: 0,
            earlier: None,
        })
    }

    /// The factor of unit noise to start from pure noise.
    pub fn init_noise_sigma(&self) -> f64 {
        let top = self
            .levels
            .iter()
            .map(|(from, _)| from.sigma)
            .fold(0.0, f64::max);
        match self.scheduler {
            Scheduler::Ddim | Scheduler::DpmPlusPlus2M => 1.0,
            _ if self.spacing_from_top => top,
            _ => (top * top + 1.0).sqrt(),
        }
    }

    /// Starts a new run. `strength` (above 0, up to 1) is the share of the steps to run, as in
    /// diffusers' img2img pipelines. Returns the index of the first step, 0 for a strength of 1.
    /// [`add_noise`](Self::add_noise) brings the latents of a picture to that step.
    pub fn begin(&mut self, strength: f64) -> error::Result<usize> {
        let steps = self.timesteps.len();
        if !(strength > 0.0 && strength <= 1.0) {
            let problem =
                error::Error::input(format!("strength {strength} must be above 0 and at most 1"));
            return Err(problem.field("strength"));
        }
        let taken = (steps as f64 * strength) as usize;
        if taken == 0 {
            let problem = error::Error::input(format!(
                "strength {strength} of {steps} steps leaves no step to compute"
            ));
            return Err(problem
                .field("strength")
                .help("use a greater strength or more steps"));
        }
        self.next = steps - taken;
        self.earlier = None;
        Ok(self.next)
    }

    /// The sample scaled for the U-Net at step `i`, in the sample's dtype.
    pub fn scale_model_input(&self, sample: &Tensor, i: usize) -> Result<Tensor> {
        let level = self.level(i)?;
        match self.scheduler {
            Scheduler::Euler | Scheduler::EulerAncestral => {
                sample / (level.sigma * level.sigma + 1.0).sqrt()
            }
            Scheduler::Ddim | Scheduler::DpmPlusPlus2M => Ok(sample.clone()),
        }
    }

    /// True if step `i` adds noise, which the caller must pass.
    pub fn wants_noise(&self, i: usize) -> bool {
        self.levels
            .get(i)
            .is_some_and(|_| self.weights(i).noise != 0.0)
    }

    /// The sample after step `i`, from the model's output and the sample at `i`. The shape is any,
    /// with the batch first. Computes in f32, and returns the dtype of `sample`. `noise` is unit
    /// noise of the same shape if [`wants_noise`](Self::wants_noise). Steps must be in order, from
    /// the first step of [`begin`](Self::begin).
    pub fn step(
        &mut self,
        model_output: &Tensor,
        i: usize,
        sample: &Tensor,
        noise: Option<&Tensor>,
    ) -> Result<Tensor> {
        let level = self.level(i)?;
        if i != self.next {
            bail!(
                "step {i} of {}, but the next one is {}",
                self.scheduler.name(),
                self.next
            );
        }
        let dtype = sample.dtype();
        let (sample, output) = (
            sample.to_dtype(DType::F32)?,
            model_output.to_dtype(DType::F32)?,
        );
        let (from_sample, from_output) = level.picture(self.prediction);
        let mut picture = (output * from_output)?;
        if from_sample != 0.0 {
            picture = (picture + (&sample * from_sample)?)?;
        }
        let weights = self.weights(i);
        let mut result = ((&sample * weights.sample)? + (&picture * weights.picture)?)?;
        if let Some(clip) = self.clip {
            // Only the picture is clipped; the noise stays that of the unclipped picture.
            let cut = (picture.clamp(-clip, clip)? - &picture)?;
            result = (result + (cut * self.levels[i].1.alpha)?)?;
        }
        if let (Some(earlier), true) = (&self.earlier, weights.earlier != 0.0) {
            result = (result + (earlier * weights.earlier)?)?;
        }
        if weights.noise != 0.0 {
            let Some(noise) = noise else {
                bail!("step {i} of {} needs noise", self.scheduler.name())
            };
            result = (result + (noise.to_dtype(DType::F32)? * weights.noise)?)?;
        }
        if self.scheduler == Scheduler::DpmPlusPlus2M {
            self.earlier = Some(picture);
        }
        self.next += 1;
        result.to_dtype(dtype)
    }

    /// Adds unit `noise` to the clean latents `original`, to get a sample at step `i`, in the dtype
    /// of `original`.
    pub fn add_noise(&self, original: &Tensor, noise: &Tensor, i: usize) -> Result<Tensor> {
        let level = self.level(i)?;
        let clean = (original.to_dtype(DType::F32)? * level.alpha)?;
        (clean + (noise.to_dtype(DType::F32)? * level.sigma)?)?.to_dtype(original.dtype())
    }

    fn level(&self, i: usize) -> Result<Level> {
        match self.levels.get(i) {
            Some((level, _)) => Ok(*level),
            None => bail!("step {i} of a run of {}", self.timesteps.len()),
        }
    }

    /// The weights of the sample after step `i`.
    fn weights(&self, i: usize) -> Weights {
        let (now, then) = self.levels[i];
        match self.scheduler {
            // Karras et al. 2022, algorithm 2 without churn: along (sample - picture) / sigma.
            Scheduler::Euler => along(now.sigma, then.sigma),
            // k-diffusion's ancestral step: go below the next level, and add noise to reach it.
            Scheduler::EulerAncestral => {
                let (from, to) = (now.sigma * now.sigma, then.sigma * then.sigma);
                let up = to * (from - to).max(0.0) / from;
                Weights {
                    noise: up.sqrt(),
                    ..along(now.sigma, (to - up).max(0.0).sqrt())
                }
            }
            // Song et al. 2021, eq. 12 with eta 0: the noise of the sample is kept and rescaled.
            Scheduler::Ddim => {
                let kept = then.sigma / now.sigma;
                Weights {
                    sample: kept,
                    picture: then.alpha - kept * now.alpha,
                    ..Weights::default()
                }
            }
            Scheduler::DpmPlusPlus2M => self.multistep(i, now, then),
        }
    }

    /// Lu et al. 2022b (DPM-Solver++), algorithm 2 with the midpoint rule.
    fn multistep(&self, i: usize, now: Level, then: Level) -> Weights {
        let h = then.lambda() - now.lambda();
        let gain = -then.alpha * (-h).exp_m1();
        let kept = then.sigma / now.sigma;
        let last = i + 1 == self.timesteps.len() && self.first_order_end;
        let before = i
            .checked_sub(1)
            .map(|b| self.levels[b].0)
            .filter(|_| self.earlier.is_some() && !last);
        // Half of the gain follows the change since the previous step, per step of lambda.
        let change = before.map_or(0.0, |b| 0.5 * gain * h / (now.lambda() - b.lambda()));
        Weights {
            sample: kept,
            picture: gain + change,
            earlier: -change,
            noise: 0.0,
        }
    }
}

/// The weights of a straight step from noise level `from` to `to`, toward the predicted picture.
fn along(from: f64, to: f64) -> Weights {
    let kept = to / from;
    Weights {
        sample: kept,
        picture: 1.0 - kept,
        ..Weights::default()
    }
}

/// The timesteps, and the start and end level of each step.
fn steps_between(
    config: &SchedulerConfig,
    scheduler: Scheduler,
    times: Vec<f64>,
) -> (Vec<f64>, Vec<(Level, Level)>) {
    let alphas = schedule::alphas_cumprod(config);
    if scheduler != Scheduler::Ddim {
        let level = if scheduler == Scheduler::DpmPlusPlus2M {
            Level::preserving
        } else {
            Level::exploding
        };
        let (times, sigmas) = schedule::step_sigmas(config, scheduler, &alphas, times);
        return (
            times,
            sigmas
                .windows(2)
                .map(|pair| (level(pair[0]), level(pair[1])))
                .collect(),
        );
    }
    // diffusers steps back by an integer ratio, wherever the next timestep is.
    let ratio = (config.num_train_timesteps / times.len()) as f64;
    let level = |t: f64| match alphas.get(t.max(0.0) as usize) {
        Some(a) if t >= 0.0 || !config.set_alpha_to_one => Level::of_variance(f64::from(*a)),
        _ => Level::of_variance(1.0),
    };
    let levels = times
        .iter()
        .map(|t| (level(*t), level(t - ratio)))
        .collect();
    (times, levels)
}
