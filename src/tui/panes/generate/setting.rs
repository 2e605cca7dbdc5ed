//! What can be set of a new job before it begins.

use benchtop_model::config::generate::Backend;
use benchtop_model::job::NewJob;

/// Most denoising steps that mean something.
const MOST_STEPS: u32 = 1000;

/// One setting of a new job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Seed that the seeds of all pictures follow from.
    Seed,
    /// Width and height.
    Size,
    /// Denoising steps.
    Steps,
    /// Classifier-free guidance.
    Guidance,
    /// What makes the pictures.
    Backend,
    /// Pictures made together.
    Batch,
}

impl Setting {
    /// All of them, as the menu has them.
    pub const ALL: [Setting; 6] = [
        Setting::Seed,
        Setting::Size,
        Setting::Steps,
        Setting::Guidance,
        Setting::Backend,
        Setting::Batch,
    ];

    /// Its name.
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

    /// What may be typed.
    pub fn expects(self) -> String {
        match self {
            Setting::Seed => "seed (a whole number) ".into(),
            Setting::Size => "size such as 1024x768 (empty: what suits the model) ".into(),
            Setting::Steps => format!("steps, 1 to {MOST_STEPS} (empty: what suits the model) "),
            Setting::Guidance => "guidance, a number from 0 (empty: what suits the model) ".into(),
            Setting::Backend => {
                format!(
                    "backend: {} (empty: as benchtop.toml says) ",
                    Backend::ALL.map(Backend::name).join(", ")
                )
            }
            Setting::Batch => "pictures made together (empty: as many as fit) ".into(),
        }
    }

    /// What a job has of it; empty where it is not set.
    pub fn of(self, job: &NewJob) -> String {
        let text = |value: Option<String>| value.unwrap_or_default();
        match self {
            Setting::Seed => job.seed.to_string(),
            Setting::Size => text(
                job.wishes
                    .size
                    .map(|(width, height)| format!("{width}x{height}")),
            ),
            Setting::Steps => text(job.wishes.steps.map(|n| n.to_string())),
            Setting::Guidance => text(job.wishes.guidance.map(|n| n.to_string())),
            Setting::Backend => text(job.wishes.backend.clone()),
            Setting::Batch => text(job.batch.map(|n| n.to_string())),
        }
    }

    /// The job with it set to what was typed.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn set(self, mut job: NewJob, typed: &str) -> Result<NewJob, String> {
        let typed = typed.trim();
        let wrong = || {
            format!(
                "`{typed}` is no {}; {}",
                self.name(),
                self.expects().trim_end()
            )
        };
        let given = (!typed.is_empty()).then_some(typed);
        let whole = |most: u32| -> Result<Option<u32>, String> {
            let number = given.map(|text| {
                text.parse()
                    .ok()
                    .filter(|n| (1..=most).contains(n))
                    .ok_or_else(wrong)
            });
            number.transpose()
        };
        match self {
            Setting::Seed => job.seed = typed.parse().map_err(|_| wrong())?,
            Setting::Size => {
                job.wishes.size = given.map(|text| size(text).ok_or_else(wrong)).transpose()?
            }
            Setting::Steps => job.wishes.steps = whole(MOST_STEPS)?,
            Setting::Guidance => {
                let number = |text: &str| {
                    text.parse()
                        .ok()
                        .filter(|n: &f64| n.is_finite() && *n >= 0.0)
                };
                job.wishes.guidance = given
                    .map(|text| number(text).ok_or_else(wrong))
                    .transpose()?;
            }
            Setting::Backend => {
                let known = |text: &str| Backend::from_name(text).map(|b| b.name().to_string());
                job.wishes.backend = given
                    .map(|text| known(text).ok_or_else(wrong))
                    .transpose()?;
            }
            Setting::Batch => job.batch = whole(u32::MAX)?,
        }
        Ok(job)
    }
}

fn size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once(['x', 'X'])?;
    let side = |text: &str| text.trim().parse().ok().filter(|n: &u32| *n > 0);
    Some((side(width)?, side(height)?))
}
