//! What is asked of an image generator and what comes back, as plain data: Dysca's step P -> I (section 3.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How the noise is taken out step by step; the names of the field's libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Euler, SDXL's default (Karras et al. 2022, algorithm 2 without churn).
    #[default]
    Euler,
    /// Euler with ancestral noise, from the sample's own seed.
    EulerAncestral,
    /// DDIM with eta 0 (Song et al. 2021, eq. 12).
    Ddim,
    /// DPM-Solver++ of second order, multistep (Lu et al. 2022).
    #[serde(rename = "dpm++2m")]
    DpmPlusPlus2M,
}

impl Scheduler {
    /// All schedulers, in the order they are listed.
    pub const ALL: [Scheduler; 4] = [
        Self::Euler,
        Self::EulerAncestral,
        Self::Ddim,
        Self::DpmPlusPlus2M,
    ];

    /// The name used in files, on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euler => "euler",
            Self::EulerAncestral => "euler-ancestral",
            Self::Ddim => "ddim",
            Self::DpmPlusPlus2M => "dpm++2m",
        }
    }

    /// The scheduler of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// How pictures are made: everything but prompt and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Denoising steps.
    pub steps: u32,
    /// Classifier-free guidance scale (Ho and Salimans 2022); at 1 or below the negative prompt has no effect.
    pub guidance: f64,
    /// How the noise is taken out.
    pub scheduler: Scheduler,
}

/// A picture as pixels: rows from the top, three bytes (red, green, blue) a pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pixels {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

/// What a picture starts from instead of noise alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Init {
    /// The picture to start from, of the size of the settings.
    pub image: Pixels,
    /// Where to paint anew: `width * height` bytes, 255 is painted, 0 is kept. Without one it is all painted.
    pub mask: Option<Vec<u8>>,
    /// How much of the way through the noise it goes, over 0 and up to 1.
    pub strength: f64,
}

/// One picture to make.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What it shows.
    pub prompt: String,
    /// What it must not show.
    pub negative_prompt: Option<String>,
    /// Seed of this picture alone: what comes out does not depend on the batch it is made in.
    pub seed: u64,
    /// What the prompt was written from: slot and term, as in the item's provenance; the subject's name under `subject`.
    pub terms: BTreeMap<String, String>,
    /// What it starts from, for a picture made from another.
    pub init: Option<Init>,
}

/// Which wishes a generator honours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Honours {
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

/// What a generator can do; asked, never assumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// What it is, for a person: `sdxl-base on CPU (f32)`.
    pub name: String,
    /// Most tasks of one call that are of use.
    pub max_batch: usize,
    /// Width and height must be multiples of this.
    pub multiple_of: u32,
    /// Smallest and largest side in pixels.
    pub sides: (u32, u32),
    /// Schedulers to choose from.
    pub schedulers: Vec<Scheduler>,
    /// Which wishes are honoured.
    pub honours: Honours,
    /// Whether single steps are told.
    pub steps_told: bool,
    /// What comes out is a draft and no picture of a model.
    pub draft: bool,
    /// What it does best with.
    pub best: Settings,
}

impl Capabilities {
    /// What of a task these capabilities exclude, if anything: such a task is refused, never bent. A scheduler or a
    /// wish that is not honoured is no exclusion, a start image or a mask is: without it another picture comes out.
    pub fn excluded(&self, settings: &Settings, task: &Task) -> Option<Failure> {
        let (least, most) = self.sides;
        let (width, height) = (settings.width, settings.height);
        let wrong = |reason: String| Some(Failure::new(FailureKind::Input, reason));
        for (name, side) in [("width", width), ("height", height)] {
            if !(least..=most).contains(&side) {
                return wrong(format!(
                    "{name} {side} is not between {least} and {most}, which is what {} makes",
                    self.name
                ));
            }
            if !side.is_multiple_of(self.multiple_of.max(1)) {
                let of = self.multiple_of;
                let near = (side / of * of).max(least.next_multiple_of(of));
                return wrong(format!(
                    "{name} {side} is no multiple of {of}, as {} needs: ask for {near}",
                    self.name
                ));
            }
        }
        if self.honours.scheduler && !self.schedulers.contains(&settings.scheduler) {
            let known: Vec<_> = self.schedulers.iter().map(|s| s.name()).collect();
            return wrong(format!(
                "{} has no scheduler `{}`: ask for {}",
                self.name,
                settings.scheduler.name(),
                known.join(", ")
            ));
        }
        if (self.honours.steps && settings.steps == 0) || !settings.guidance.is_finite() {
            return wrong(format!(
                "{} steps with guidance {} make no picture",
                settings.steps, settings.guidance
            ));
        }
        let init = task.init.as_ref()?;
        if !self.honours.init && init.mask.is_none() {
            return wrong(format!(
                "{} cannot start from an image: leave the start image out",
                self.name
            ));
        }
        if !self.honours.mask && init.mask.is_some() {
            return wrong(format!(
                "{} cannot paint within a mask: leave the mask out",
                self.name
            ));
        }
        let area = width as usize * height as usize;
        if (init.image.width, init.image.height, init.image.rgb.len()) != (width, height, 3 * area)
        {
            let (w, h) = (init.image.width, init.image.height);
            return wrong(format!(
                "the start image is {w}x{h} and not {width}x{height}: resize it first"
            ));
        }
        if init.mask.as_ref().is_some_and(|mask| mask.len() != area) {
            return wrong(format!("the mask is not {width}x{height} bytes"));
        }
        if !(init.strength > 0.0 && init.strength <= 1.0) {
            return wrong(format!(
                "strength {} is not over 0 and up to 1",
                init.strength
            ));
        }
        None
    }
}

/// A picture that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The picture.
    pub pixels: Pixels,
    /// Which wishes were honoured for this one.
    pub honoured: Honours,
    /// What a person should know, such as a prompt that was cut.
    pub notes: Vec<String>,
}

/// What went wrong with one task or question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The device has no memory for it: a smaller batch may do.
    OutOfMemory,
    /// The generator is not there now: another try later may do.
    Unavailable,
    /// It was understood and refused: the same again will be refused again.
    Refused,
    /// The line broke or was too slow: another try may do.
    Transport,
    /// What came out is no picture (not decodable, not a number, black or flat), or no answer.
    BadOutput,
    /// The task itself is wrong: a size it cannot make, a mask it cannot use.
    Input,
    /// It was cancelled.
    Cancelled,
}

/// Why a task gave no picture, a question no answer, or a picture no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What class of failure it is.
    pub kind: FailureKind,
    /// What went wrong and, where it is known, what to do; one line.
    pub reason: String,
}

impl Failure {
    /// A failure of `kind`.
    pub fn new(kind: FailureKind, reason: impl Into<String>) -> Failure {
        Failure {
            kind,
            reason: reason.into(),
        }
    }

    /// Whether the same task may do better another time.
    pub fn passing(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::OutOfMemory | FailureKind::Unavailable | FailureKind::Transport
        )
    }

    /// Whether no server of a pool answers: the fault of no task.
    pub fn is_outage(&self) -> bool {
        self.kind == FailureKind::Unavailable && self.reason.starts_with(NO_ENDPOINT)
    }
}

/// How the failure of a task begins that no server of a pool could be asked for.
pub const NO_ENDPOINT: &str = "no endpoint answers";

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Everything that decides which bytes come out of a prompt and a seed, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint {
    /// Name and value: model and revision, hash of the weights, dtype, device, scheduler, steps, code version and so on.
    pub parts: BTreeMap<String, String>,
}

impl Fingerprint {
    /// Adds a part.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Fingerprint {
        self.parts.insert(name.to_string(), value.to_string());
        self
    }

    /// 16 hex digits that stand for all parts.
    pub fn short(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, value) in &self.parts {
            for text in [name, value] {
                hasher
                    .update(&(text.len() as u64).to_le_bytes())
                    .update(text.as_bytes());
            }
        }
        hasher
            .finalize()
            .to_hex()
            .as_str()
            .chars()
            .take(16)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_with_any_part_and_not_with_their_order() {
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
        // Where one text ends and the next begins counts.
        let (ab, a) = (
            Fingerprint::default().with("ab", "c"),
            Fingerprint::default().with("a", "bc"),
        );
        assert_ne!(ab.short(), a.short());
    }

    #[test]
    fn a_scheduler_is_found_by_the_name_its_json_has() {
        for scheduler in Scheduler::ALL {
            assert_eq!(Scheduler::from_name(scheduler.name()), Some(scheduler));
            assert_eq!(serde_json::to_value(scheduler).unwrap(), scheduler.name());
        }
        assert_eq!(Scheduler::from_name("pndm"), None);
    }
}
