//! `scheduler_config.json` of a diffusers checkpoint: the noise schedule of the training and the
//! spacing of the steps.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use benchtop_model::error::{Error, Result};
use benchtop_model::generation::Scheduler;
use benchtop_model::named;

named! {
    /// The growth of the noise variances over the training steps (`beta_schedule`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BetaSchedule {
        /// Linear from `beta_start` to `beta_end` (Ho et al. 2020).
        Linear = "linear",
        /// Linear in the square roots, as in latent diffusion (Rombach et al. 2022).
        ScaledLinear = "scaled_linear",
        /// Cosine, with variances of at most 0.999 (Nichol and Dhariwal 2021, eq. 17).
        SquaredCosCapV2 = "squaredcos_cap_v2",
    }
}

named! {
    /// The output of the U-Net (`prediction_type`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PredictionType {
        /// The noise.
        Epsilon = "epsilon",
        /// The velocity (Salimans and Ho 2022, appendix D).
        VPrediction = "v_prediction",
        /// The denoised picture.
        Sample = "sample",
    }
}

named! {
    /// The selection of training steps (Lin et al. 2024, table 2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TimestepSpacing {
        /// Multiples of an integer ratio, plus `steps_offset`. May omit the noisiest step.
        Leading = "leading",
        /// Evenly spaced, including the first and the last step.
        Linspace = "linspace",
        /// Evenly spaced from the last step. May omit the first step.
        Trailing = "trailing",
    }
}

named! {
    /// The noise level after the last step (`final_sigmas_type`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FinalSigma {
        Zero = "zero",
        /// The level of the first training step.
        SigmaMin = "sigma_min",
    }
}

/// The scheduler configuration of a checkpoint. Missing fields have diffusers' defaults, or `None`
/// if the default depends on the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerConfig {
    /// Name of the diffusers class.
    pub class: String,
    /// The class if it is supported. Other classes of the family, such as `PNDMScheduler` of Stable
    /// Diffusion 1.5, only describe the training.
    pub scheduler: Option<Scheduler>,
    pub num_train_timesteps: usize,
    pub beta_start: f64,
    pub beta_end: f64,
    pub beta_schedule: BetaSchedule,
    pub prediction_type: PredictionType,
    /// The selection of training steps. The default of DDIM is leading; of the others, linspace.
    pub timestep_spacing: Option<TimestepSpacing>,
    /// Offset of leading timesteps.
    pub steps_offset: usize,
    /// DDIM: the last step ends without noise, instead of the noise of the first training step.
    pub set_alpha_to_one: bool,
    /// DDIM: the predicted picture is clipped to this range around 0; `None` for no clipping.
    pub clip_sample: Option<f64>,
    /// Euler and DPM++: noise levels follow Karras et al. 2022, eq. 5, whatever the spacing.
    pub use_karras_sigmas: bool,
    /// Euler and DPM++: the noise after the last step.
    pub final_sigma: FinalSigma,
    /// DPM++: the last step is of first order if there are fewer than 15 steps.
    pub lower_order_final: bool,
    /// DPM++: the last step is of first order.
    pub euler_at_final: bool,
    /// DPM++: steps with a smaller log signal-to-noise ratio are omitted.
    pub lambda_min_clipped: Option<f64>,
}

/// The raw fields of the file.
#[derive(Deserialize)]
struct Raw {
    #[serde(rename = "_class_name")]
    class: String,
    num_train_timesteps: Option<usize>,
    beta_start: Option<f64>,
    beta_end: Option<f64>,
    beta_schedule: Option<String>,
    prediction_type: Option<String>,
    timestep_spacing: Option<String>,
    steps_offset: Option<usize>,
    set_alpha_to_one: Option<bool>,
    clip_sample: Option<bool>,
    clip_sample_range: Option<f64>,
    use_karras_sigmas: Option<bool>,
    final_sigmas_type: Option<String>,
    lower_order_final: Option<bool>,
    euler_at_final: Option<bool>,
    lambda_min_clipped: Option<f64>,
    #[serde(flatten)]
    others: serde_json::Map<String, Value>,
}

/// Settings that change the results, with the only supported values.
const FIXED: [(&str, &[&str]); 15] = [
    ("rescale_betas_zero_snr", &["false"]),
    ("thresholding", &["false"]),
    ("trained_betas", &[]),
    ("sigma_min", &[]),
    ("sigma_max", &[]),
    ("use_exponential_sigmas", &["false"]),
    ("use_beta_sigmas", &["false"]),
    ("use_lu_lambdas", &["false"]),
    ("use_flow_sigmas", &["false"]),
    ("interpolation_type", &["linear"]),
    ("timestep_type", &["discrete"]),
    ("algorithm_type", &["dpmsolver++"]),
    ("solver_order", &["2"]),
    // The bh types are UniPC's names of DPM++'s midpoint, in diffusers as well.
    ("solver_type", &["midpoint", "bh1", "bh2"]),
    ("variance_type", &["fixed_small", "fixed_large"]),
];

/// Classes with the same training fields as the supported ones.
const FAMILY: [&str; 10] = [
    "PNDMScheduler",
    "DDPMScheduler",
    "LMSDiscreteScheduler",
    "HeunDiscreteScheduler",
    "KDPM2DiscreteScheduler",
    "KDPM2AncestralDiscreteScheduler",
    "DPMSolverSinglestepScheduler",
    "DPMSolverSDEScheduler",
    "DEISMultistepScheduler",
    "UniPCMultistepScheduler",
];

/// The diffusers class of `scheduler`.
pub fn class_name(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Euler => "EulerDiscreteScheduler",
        Scheduler::EulerAncestral => "EulerAncestralDiscreteScheduler",
        Scheduler::Ddim => "DDIMScheduler",
        Scheduler::DpmPlusPlus2M => "DPMSolverMultistepScheduler",
    }
}

impl SchedulerConfig {
    /// Reads a `scheduler_config.json`.
    pub fn read(path: &Path) -> Result<SchedulerConfig> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(&e, "cannot read", path))?;
        Self::parse(&text).map_err(|problem| problem.file(path))
    }

    /// Parses a `scheduler_config.json`. Errors for unsupported classes and settings name the
    /// field.
    pub fn parse(text: &str) -> Result<SchedulerConfig> {
        let raw: Raw = serde_json::from_str(&without_infinity(text)).map_err(|e| {
            Error::input(format!("is not a scheduler configuration: {e}")).line(e.line() as u64)
        })?;
        let scheduler = Scheduler::ALL
            .into_iter()
            .find(|s| class_name(*s) == raw.class);
        if scheduler.is_none() && !FAMILY.contains(&raw.class.as_str()) {
            let ours = Scheduler::ALL.map(class_name).join(", ");
            let help = format!(
                "supported: {ours}; supported for their training settings only: {}",
                FAMILY.join(", ")
            );
            return Err(refused("_class_name", &raw.class).help(help));
        }
        for (field, values) in FIXED {
            let Some(value) = raw.others.get(field).filter(|v| !v.is_null()) else {
                continue;
            };
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_string);
            // Other classes of the family may have settings of their own, which do not matter here.
            let own = matches!(
                field,
                "algorithm_type" | "solver_order" | "solver_type" | "variance_type"
            );
            if (!own || scheduler.is_some()) && !values.contains(&value.as_str()) {
                return Err(refused(field, &value).help(match values {
                    [] => "only null is supported".to_string(),
                    _ => format!("supported: {}", values.join(", ")),
                }));
            }
        }
        let config = SchedulerConfig {
            class: raw.class,
            scheduler,
            num_train_timesteps: raw.num_train_timesteps.unwrap_or(1000),
            beta_start: raw.beta_start.unwrap_or(0.0001),
            beta_end: raw.beta_end.unwrap_or(0.02),
            beta_schedule: named(
                "beta_schedule",
                raw.beta_schedule.as_deref(),
                BetaSchedule::ALL,
                BetaSchedule::name,
            )?
            .unwrap_or(BetaSchedule::Linear),
            prediction_type: named(
                "prediction_type",
                raw.prediction_type.as_deref(),
                PredictionType::ALL,
                PredictionType::name,
            )?
            .unwrap_or(PredictionType::Epsilon),
            timestep_spacing: named(
                "timestep_spacing",
                raw.timestep_spacing.as_deref(),
                TimestepSpacing::ALL,
                TimestepSpacing::name,
            )?,
            steps_offset: raw.steps_offset.unwrap_or(0),
            set_alpha_to_one: raw.set_alpha_to_one.unwrap_or(true),
            clip_sample: raw
                .clip_sample
                .unwrap_or(true)
                .then(|| raw.clip_sample_range.unwrap_or(1.0)),
            use_karras_sigmas: raw.use_karras_sigmas.unwrap_or(false),
            final_sigma: named(
                "final_sigmas_type",
                raw.final_sigmas_type.as_deref(),
                FinalSigma::ALL,
                FinalSigma::name,
            )?
            .unwrap_or(FinalSigma::Zero),
            lower_order_final: raw.lower_order_final.unwrap_or(true),
            euler_at_final: raw.euler_at_final.unwrap_or(false),
            lambda_min_clipped: raw.lambda_min_clipped,
        };
        config.checked()
    }

    fn checked(self) -> Result<SchedulerConfig> {
        if !(2..=100_000).contains(&self.num_train_timesteps) {
            return Err(
                refused("num_train_timesteps", &self.num_train_timesteps.to_string())
                    .help("use a value from 2 to 100000"),
            );
        }
        for (field, value) in [("beta_start", self.beta_start), ("beta_end", self.beta_end)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(
                    refused(field, &value.to_string()).help("use a variance between 0 and 1")
                );
            }
        }
        if self.steps_offset >= self.num_train_timesteps {
            return Err(refused("steps_offset", &self.steps_offset.to_string())
                .help("it must be less than num_train_timesteps"));
        }
        Ok(self)
    }
}

fn refused(field: &str, value: &str) -> Error {
    Error::input(format!("`{value}` is not supported")).field(field)
}

/// What `name` means among `known`.
fn named<T: Copy, const N: usize>(
    field: &str,
    name: Option<&str>,
    known: [T; N],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    let value = known.into_iter().find(|value| name_of(*value) == name);
    let supported = || format!("supported: {}", known.map(name_of).join(", "));
    value
        .map(Some)
        .ok_or_else(|| refused(field, name).help(supported()))
}

/// Python writes `-Infinity` (diffusers: `lambda_min_clipped`), which is no JSON; outside of texts
/// it becomes null.
fn without_infinity(text: &str) -> String {
    text.split_inclusive(['\n', ',', '}'])
        .map(|part| match part.rsplit_once(':') {
            Some((name, value)) if value.trim_start().starts_with("-Infinity") => {
                format!("{name}:{}", value.replacen("-Infinity", "null", 1))
            }
            _ => part.to_string(),
        })
        .collect()
}
