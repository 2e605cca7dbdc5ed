//! Image generation as plain data: tasks, settings, capabilities, results (Dysca's step P -> I,
//! section 3.2).

use crate::hash;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

named! {
    /// The sampler, by the names that the common libraries use.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Scheduler {
        /// Euler, the default of SDXL (Karras et al. 2022, algorithm 2 without churn).
        #[default]
        Euler = "euler",
        /// Euler with ancestral noise, drawn from the picture's own seed.
        EulerAncestral = "euler-ancestral",
        /// DDIM with eta 0 (Song et al. 2021, eq. 12).
        Ddim = "ddim",
        /// Second-order multistep DPM-Solver++ (Lu et al. 2022).
        #[serde(rename = "dpm++2m")]
        DpmPlusPlus2M = "dpm++2m",
    }
}

/// Generation settings: everything but the prompt and the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub width: u32,
    pub height: u32,
    /// Denoising steps.
    pub steps: u32,
    /// Classifier-free guidance scale (Ho and Salimans 2022). At 1 or below, the negative prompt
    /// has no effect.
    pub guidance: f64,
    pub scheduler: Scheduler,
}

/// An RGB picture: rows from the top, three bytes per pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pixels {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

/// The start of an image-to-image task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Init {
    /// The start image, in the size of the settings.
    pub image: Pixels,
    /// Inpainting mask of `width * height` bytes: 255 is repainted, 0 is kept. `None` repaints
    /// everything.
    pub mask: Option<Vec<u8>>,
    /// Share of the noise schedule to run, above 0 and up to 1.
    pub strength: f64,
}

/// One picture to generate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub prompt: String,
    pub negative_prompt: Option<String>,
    /// Seed of this picture. The result does not depend on the rest of the batch.
    pub seed: u64,
    /// The terms of the prompt by slot, as in the item's provenance, and the subject under
    /// `subject`.
    pub terms: BTreeMap<String, String>,
    /// The start image of an image-to-image task.
    pub init: Option<Init>,
}

/// The inputs that a generator respects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RespectedInputs {
    /// The same seed gives the same picture.
    pub seed: bool,
    /// [`Settings::steps`].
    pub steps: bool,
    /// [`Settings::guidance`].
    pub guidance: bool,
    /// [`Task::negative_prompt`].
    pub negative_prompt: bool,
    /// [`Settings::scheduler`].
    pub scheduler: bool,
    /// [`Task::init`] without a mask (img2img).
    pub init: bool,
    /// [`Init::mask`] (inpainting).
    pub mask: bool,
}

/// Capabilities of a generator, as it reports them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Description for people: `sdxl-base on CPU (f32)`.
    pub name: String,
    /// Largest useful batch.
    pub max_batch: usize,
    /// Width and height must be multiples of this.
    pub multiple_of: u32,
    /// Smallest and largest side in pixels.
    pub sides: (u32, u32),
    /// Supported schedulers.
    pub schedulers: Vec<Scheduler>,
    /// Inputs that it respects.
    #[serde(rename = "honours")]
    pub respects: RespectedInputs,
    /// Whether it reports single steps.
    #[serde(rename = "steps_told")]
    pub reports_steps: bool,
    /// Whether it produces drafts.
    pub draft: bool,
    /// Recommended settings.
    #[serde(rename = "best")]
    pub recommended: Settings,
}

impl Capabilities {
    /// The reason that the generator cannot run the task, if any. Tasks are refused rather than
    /// adjusted. An ignored scheduler or setting is no reason; an ignored start image or mask is,
    /// because it changes the picture.
    pub fn refusal_reason(&self, settings: &Settings, task: &Task) -> Option<Failure> {
        let (least, most) = self.sides;
        let (width, height) = (settings.width, settings.height);
        let wrong = |reason: String| Some(Failure::new(FailureKind::Input, reason));
        for (name, side) in [("width", width), ("height", height)] {
            if !(least..=most).contains(&side) {
                return wrong(format!(
                    "{name} {side} is not between {least} and {most}, the limits of {}",
                    self.name
                ));
            }
            if !side.is_multiple_of(self.multiple_of.max(1)) {
                let of = self.multiple_of;
                let near = (side / of * of).max(least.next_multiple_of(of));
                return wrong(format!(
                    "{name} {side} is not a multiple of {of}, as {} needs; use {near}",
                    self.name
                ));
            }
        }
        if self.respects.scheduler && !self.schedulers.contains(&settings.scheduler) {
            let known: Vec<_> = self.schedulers.iter().map(|s| s.name()).collect();
            return wrong(format!(
                "{} has no scheduler `{}`; use {}",
                self.name,
                settings.scheduler.name(),
                known.join(", ")
            ));
        }
        if (self.respects.steps && settings.steps == 0) || !settings.guidance.is_finite() {
            return wrong(format!(
                "cannot generate with {} steps and guidance {}",
                settings.steps, settings.guidance
            ));
        }
        let init = task.init.as_ref()?;
        if !self.respects.init && init.mask.is_none() {
            return wrong(format!(
                "{} does not support start images; leave it out",
                self.name
            ));
        }
        if !self.respects.mask && init.mask.is_some() {
            return wrong(format!(
                "{} does not support masks; leave it out",
                self.name
            ));
        }
        let area = width as usize * height as usize;
        if (init.image.width, init.image.height, init.image.rgb.len()) != (width, height, 3 * area)
        {
            let (w, h) = (init.image.width, init.image.height);
            return wrong(format!(
                "the start image is {w}x{h}, not {width}x{height}; resize it first"
            ));
        }
        if init.mask.as_ref().is_some_and(|mask| mask.len() != area) {
            return wrong(format!("the mask does not have {width}x{height} bytes"));
        }
        if !(init.strength > 0.0 && init.strength <= 1.0) {
            return wrong(format!(
                "strength {} is out of range; use a number above 0 and up to 1",
                init.strength
            ));
        }
        None
    }
}

/// A generated picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub pixels: Pixels,
    /// Inputs that were respected for this picture.
    #[serde(rename = "honoured")]
    pub respected: RespectedInputs,
    /// Remarks for people, such as a truncated prompt.
    pub notes: Vec<String>,
}

/// Class of a failure of one task or question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Not enough device memory. A smaller batch may work.
    OutOfMemory,
    /// The generator is not available now. A later try may work.
    Unavailable,
    /// Refused. The same input will be refused again.
    Refused,
    /// Connection lost or timed out. Another try may work.
    Transport,
    /// The output is not a picture (undecodable, NaN, black, or flat) or not an answer.
    BadOutput,
    /// Invalid task, such as an unsupported size or mask.
    Input,
    Cancelled,
}

/// A failed task, question, or reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    /// What went wrong and, if known, what to do; one line.
    pub reason: String,
}

impl Failure {
    pub fn new(kind: FailureKind, reason: impl Into<String>) -> Failure {
        Failure {
            kind,
            reason: reason.into(),
        }
    }

    /// The failure of a task that was canceled.
    pub fn cancelled() -> Failure {
        Failure::new(FailureKind::Cancelled, "cancelled")
    }

    /// Whether a retry of the same task may work.
    pub fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::OutOfMemory | FailureKind::Unavailable | FailureKind::Transport
        )
    }

    /// Whether no server of the pool is reachable, which is not the task's fault.
    pub fn is_outage(&self) -> bool {
        self.kind == FailureKind::Unavailable && self.reason.starts_with(NO_ENDPOINT)
    }
}

/// Start of the reason when no server of the pool is reachable.
pub const NO_ENDPOINT: &str = "no endpoint answers";

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Everything that determines the output for a prompt and a seed, as named parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint {
    /// Value by name: model and revision, hash of the weights, dtype, device, scheduler, steps,
    /// code version, and so on.
    pub parts: BTreeMap<String, String>,
}

impl Fingerprint {
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Fingerprint {
        self.parts.insert(name.to_string(), value.to_string());
        self
    }

    /// A digest of all parts, 16 hex digits.
    pub fn short(&self) -> String {
        let texts = self
            .parts
            .iter()
            .flat_map(|(name, value)| [name.as_str(), value]);
        hash::of_texts(texts).to_hex()[..16].to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_depends_on_parts_but_not_their_order() {
        let one = Fingerprint::default().with("model", "a").with("steps", 20);
        let same = Fingerprint::default().with("steps", 20).with("model", "a");
        assert_eq!(one.short(), same.short());
        assert_eq!(one.short().len(), 16);
        for other in [
            one.clone().with("steps", 21),
            one.clone().with("dtype", "f32"),
            Fingerprint::default(),
        ] {
            assert_ne!(one.short(), other.short());
        }
        // Part boundaries count.
        let (ab, a) = (
            Fingerprint::default().with("ab", "c"),
            Fingerprint::default().with("a", "bc"),
        );
        assert_ne!(ab.short(), a.short());
    }

    #[test]
    fn scheduler_names_match_json() {
        for scheduler in Scheduler::ALL {
            assert_eq!(Scheduler::from_name(scheduler.name()), Some(scheduler));
            assert_eq!(serde_json::to_value(scheduler).unwrap(), scheduler.name());
        }
        assert_eq!(Scheduler::from_name("pndm"), None);
    }
}
