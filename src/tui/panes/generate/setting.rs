//! The settings of a new job.

use benchtop_model::config::generate::Backend;
use benchtop_model::job::NewJob;

const MOST_STEPS: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The seed that all picture seeds derive from.
    Seed,
    /// Width and height.
    Size,
    /// Denoising steps.
    Steps,
    /// Classifier-free guidance.
    Guidance,
    /// The generator.
    Backend,
    /// Pictures per batch.
    Batch,
}

impl Setting {
    /// All settings in menu order.
    pub const ALL: [Setting; 6] = [
        Setting::Seed,
        Setting::Size,
        Setting::Steps,
        Setting::Guidance,
        Setting::Backend,
        Setting::Batch,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Setting::Seed => "seed",
            Setting::Size => "size",
            Setting::Steps => "steps",
            Setting::Guidance => "guidance",
            Setting::Backend => "backend",
            Setting::Batch => "batch",
        }
    }

    /// The prompt label, with the accepted values.
    pub fn expects(self) -> String {
        match self {
            Setting::Seed => "seed (a whole number): ".into(),
            Setting::Size => "size such as 1024x768 (empty: model default): ".into(),
            Setting::Steps => format!("steps, 1 to {MOST_STEPS} (empty: model default): "),
            Setting::Guidance => "guidance, 0 or more (empty: model default): ".into(),
            Setting::Backend => {
                format!(
                    "backend: {} (empty: from benchtop.toml): ",
                    Backend::ALL.map(Backend::name).join(", ")
                )
            }
            Setting::Batch => "batch size (empty: as many as fit): ".into(),
        }
    }

    /// The value in a job; empty if not set.
    pub fn of(self, job: &NewJob) -> String {
        let text = |value: Option<String>| value.unwrap_or_default();
        match self {
            Setting::Seed => job.seed.to_string(),
            Setting::Size => text(
                job.overrides
                    .size
                    .map(|(width, height)| format!("{width}x{height}")),
            ),
            Setting::Steps => text(job.overrides.steps.map(|n| n.to_string())),
            Setting::Guidance => text(job.overrides.guidance.map(|n| n.to_string())),
            Setting::Backend => text(job.overrides.backend.clone()),
            Setting::Batch => text(job.batch.map(|n| n.to_string())),
        }
    }

    /// The job with this setting changed. Fails with a message if `typed` is invalid.
    pub fn set(self, mut job: NewJob, typed: &str) -> Result<NewJob, String> {
        let typed = typed.trim();
        let invalid = || {
            format!(
                "invalid {} `{typed}`; expected {}",
                self.name(),
                self.expects().trim_end()
            )
        };
        let non_empty = (!typed.is_empty()).then_some(typed);
        let number_up_to = |most: u32| -> Result<Option<u32>, String> {
            let number = non_empty.map(|text| {
                text.parse()
                    .ok()
                    .filter(|n| (1..=most).contains(n))
                    .ok_or_else(invalid)
            });
            number.transpose()
        };
        match self {
            Setting::Seed => job.seed = typed.parse().map_err(|_| invalid())?,
            Setting::Size => {
                job.overrides.size = non_empty
                    .map(|text| size(text).ok_or_else(invalid))
                    .transpose()?
            }
            Setting::Steps => job.overrides.steps = number_up_to(MOST_STEPS)?,
            Setting::Guidance => {
                let number = |text: &str| {
                    text.parse()
                        .ok()
                        .filter(|n: &f64| n.is_finite() && *n >= 0.0)
                };
                job.overrides.guidance = non_empty
                    .map(|text| number(text).ok_or_else(invalid))
                    .transpose()?;
            }
            Setting::Backend => {
                let known = |text: &str| Backend::from_name(text).map(|b| b.name().to_string());
                job.overrides.backend = non_empty
                    .map(|text| known(text).ok_or_else(invalid))
                    .transpose()?;
            }
            Setting::Batch => job.batch = number_up_to(u32::MAX)?,
        }
        Ok(job)
    }
}

fn size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once(['x', 'X'])?;
    let side = |text: &str| text.trim().parse().ok().filter(|n: &u32| *n > 0);
    Some((side(width)?, side(height)?))
}
