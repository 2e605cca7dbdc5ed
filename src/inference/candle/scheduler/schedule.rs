//! The numbers of a schedule: training variances, timesteps, and noise levels. Uses f32 where
//! diffusers has f32 tensors, and f64 where it has numpy or Python numbers.

use super::config::{BetaSchedule, FinalSigma, SchedulerConfig, TimestepSpacing};
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::Scheduler;

/// `torch.linspace` in float32, which counts from the nearer end.
fn linspace_f32(start: f32, end: f32, count: usize) -> impl Iterator<Item = f32> {
    let step = (end - start) / (count - 1) as f32;
    (0..count).map(move |i| {
        if i < count / 2 {
            start + step * i as f32
        } else {
            end - step * (count - i - 1) as f32
        }
    })
}

/// `alphas_cumprod` of the training steps: the remaining share of the picture's variance.
pub(super) fn alphas_cumprod(config: &SchedulerConfig) -> Vec<f32> {
    let count = config.num_train_timesteps;
    let betas: Vec<f32> = match config.beta_schedule {
        BetaSchedule::Linear => {
            linspace_f32(config.beta_start as f32, config.beta_end as f32, count).collect()
        }
        BetaSchedule::ScaledLinear => {
            let (start, end) = (
                config.beta_start.sqrt() as f32,
                config.beta_end.sqrt() as f32,
            );
            linspace_f32(start, end, count).map(|b| b * b).collect()
        }
        BetaSchedule::SquaredCosCapV2 => {
            let bar = |i: usize| {
                ((i as f64 / count as f64 + 0.008) / 1.008 * std::f64::consts::PI / 2.0)
                    .cos()
                    .powi(2)
            };
            (0..count)
                .map(|i| (1.0 - bar(i + 1) / bar(i)).min(0.999) as f32)
                .collect()
        }
    };
    // torch accumulates a float32 cumprod in double.
    betas
        .iter()
        .scan(1.0f64, |product, beta| {
            *product *= f64::from(1.0 - beta);
            Some(*product as f32)
        })
        .collect()
}

/// The noise level of each training step, for pictures of variance 1.
fn sigmas(alphas_cumprod: &[f32]) -> Vec<f32> {
    alphas_cumprod
        .iter()
        .map(|a| ((1.0 - a) / a).sqrt())
        .collect()
}

/// The timesteps and noise levels of the steps: `times` and their levels, or Karras' levels and
/// their times. There is one more level, after the last step.
pub(super) fn step_sigmas(
    config: &SchedulerConfig,
    scheduler: Scheduler,
    alphas_cumprod: &[f32],
    mut times: Vec<f64>,
) -> (Vec<f64>, Vec<f64>) {
    let train = sigmas(alphas_cumprod);
    let last = train.len() - 1;
    let at = |t: f64| {
        let low = (t.max(0.0).floor() as usize).min(last);
        let (a, b) = (f64::from(train[low]), f64::from(train[(low + 1).min(last)]));
        a + (b - a) * (t - low as f64).clamp(0.0, 1.0)
    };
    let mut levels: Vec<f64> = times.iter().map(|t| at(*t)).collect();
    // diffusers' ancestral Euler and DDIM do not have this setting.
    if config.use_karras_sigmas && matches!(scheduler, Scheduler::Euler | Scheduler::DpmPlusPlus2M)
    {
        let multistep = scheduler == Scheduler::DpmPlusPlus2M;
        let (top, bottom) = match (multistep, levels.as_slice()) {
            (false, [first, .., end]) => (*first, *end),
            (false, [only]) => (*only, *only),
            _ => (f64::from(train[last]), f64::from(train[0])),
        };
        levels = karras(top, bottom, times.len());
        times = levels.iter().map(|sigma| time_of(*sigma, &train)).collect();
        if multistep && config.beta_schedule != BetaSchedule::SquaredCosCapV2 {
            times.iter_mut().for_each(|t| *t = t.round_ties_even());
        } else if multistep {
            times.iter_mut().for_each(|t| *t = t.trunc());
        }
    }
    levels.push(match config.final_sigma {
        FinalSigma::SigmaMin if scheduler != Scheduler::EulerAncestral => f64::from(train[0]),
        _ => 0.0,
    });
    levels
        .iter_mut()
        .for_each(|sigma| *sigma = f64::from(*sigma as f32));
    (times, levels)
}

/// `steps` noise levels from `top` to `bottom`, evenly spaced in their seventh roots (Karras et al.
/// 2022, eq. 5).
fn karras(top: f64, bottom: f64, steps: usize) -> Vec<f64> {
    const RHO: f64 = 7.0;
    let (top, bottom) = (top.powf(1.0 / RHO), bottom.powf(1.0 / RHO));
    let ramp = |i: usize| {
        if steps > 1 {
            i as f64 / (steps - 1) as f64
        } else {
            0.0
        }
    };
    (0..steps)
        .map(|i| (top + ramp(i) * (bottom - top)).powf(RHO))
        .collect()
}

/// The fractional training step with the noise level `sigma`, interpolated in the logarithm.
fn time_of(sigma: f64, train: &[f32]) -> f64 {
    let log = |i: usize| f64::from(train[i].ln());
    let wanted = sigma.max(1e-10).ln();
    let low = train
        .partition_point(|s| f64::from(s.ln()) <= wanted)
        .saturating_sub(1)
        .min(train.len() - 2);
    let (below, above) = (log(low), log(low + 1));
    low as f64 + ((below - wanted) / (below - above)).clamp(0.0, 1.0)
}

/// The timesteps of `steps` steps, noisiest first.
pub(super) fn timesteps(
    config: &SchedulerConfig,
    scheduler: Scheduler,
    steps: usize,
) -> Result<Vec<f64>> {
    let train = config.num_train_timesteps;
    if steps == 0 || steps > train {
        return Err(Error::input(format!(
            "{steps} steps are out of range: this model takes from 1 to {train}"
        )));
    }
    let multistep = scheduler == Scheduler::DpmPlusPlus2M;
    let default = if scheduler == Scheduler::Ddim {
        TimestepSpacing::Leading
    } else {
        TimestepSpacing::Linspace
    };
    let last = if multistep { clipped(config) } else { train };
    // DPM++ uses one more interval, and its final sigma replaces the last point.
    let points = if multistep { steps + 1 } else { steps };
    let mut times: Vec<f64> = match config.timestep_spacing.unwrap_or(default) {
        TimestepSpacing::Linspace => {
            let end = (last.max(1) - 1) as f64;
            let step = if points > 1 {
                end / (points - 1) as f64
            } else {
                0.0
            };
            let time = |i: usize| {
                if i > 0 && i == points - 1 {
                    end
                } else {
                    i as f64 * step
                }
            };
            // Euler uses fractional timesteps, in float32.
            let round = matches!(scheduler, Scheduler::Ddim | Scheduler::DpmPlusPlus2M);
            (0..points)
                .rev()
                .map(time)
                .map(|t| {
                    if round {
                        t.round_ties_even()
                    } else {
                        f64::from(t as f32)
                    }
                })
                .collect()
        }
        TimestepSpacing::Leading => {
            let ratio = last / points;
            (0..points)
                .rev()
                .map(|i| (i * ratio + config.steps_offset) as f64)
                .collect()
        }
        TimestepSpacing::Trailing => {
            // numpy's arange: the difference of the first two, times the index. For a few counts,
            // such as 61 of 1000, numpy adds a step below zero, which is omitted here.
            let start = last as f64;
            let step = (start - train as f64 / steps as f64) - start;
            (0..steps)
                .map(|i| (start + i as f64 * step).round_ties_even() - 1.0)
                .collect()
        }
    };
    times.truncate(steps);
    let top = (train - 1) as f64;
    // diffusers fails here too: DDIM with an index error for a step outside of the training, and
    // DPM++ with a division by zero for a repeated timestep.
    let twice = times.windows(2).any(|pair| pair[0] <= pair[1]);
    if twice
        || times
            .iter()
            .any(|t| *t < 0.0 || (*t > top && scheduler == Scheduler::Ddim))
    {
        let problem = Error::input(format!(
            "{steps} steps of this spacing do not fit in the {train} training steps"
        ));
        return Err(problem.help("use fewer steps"));
    }
    Ok(times)
}

/// DPM++: the number of training steps that `lambda_min_clipped` leaves.
fn clipped(config: &SchedulerConfig) -> usize {
    let Some(least) = config.lambda_min_clipped else {
        return config.num_train_timesteps;
    };
    let lambda = |a: f32| f64::from(a.sqrt().ln() - (1.0 - a).sqrt().ln());
    alphas_cumprod(config)
        .iter()
        .filter(|a| lambda(**a) >= least)
        .count()
}
