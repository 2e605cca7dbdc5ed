//! The built-in default generator: draws a card from a task's terms instead of a picture from a
//! model.
//!
//! It needs no weights, so a project works from metadata to review on any machine. A card shows the
//! content of the picture (scene, subject, color, style) and is stamped `DRAFT`. A subject that
//! cannot be drawn is a box with its word. No other text is written, because it would be the answer
//! to a question.
//!
//! A task with a start image gives the draft of an edit: the start image, with the mask crossed out in a
//! frame.
//!
//! A task gives the same bytes on every machine: shapes have solid colors, and everything else is
//! integer arithmetic, without approximate reciprocals or the platform's sine.

mod backgrounds;
mod card;
mod content;
mod edit;
mod figure;
mod label;
mod lettering;
mod patterns;
mod shapes;
mod style_effects;

#[cfg(test)]
mod tests;

use super::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, RespectedInputs, Scheduler, Settings,
    Task,
};

/// Part of the fingerprint. Increase it with every change of the drawing.
const VERSION: u32 = 2;

/// Draws cards instead of pictures.
#[derive(Clone, Debug)]
pub struct Storyboard {
    capabilities: Capabilities,
}

impl Default for Storyboard {
    fn default() -> Self {
        Self::new()
    }
}

impl Storyboard {
    pub fn new() -> Storyboard {
        Storyboard {
            capabilities: Capabilities {
                name: "storyboard (drafts, no model)".into(),
                max_batch: 16,
                multiple_of: 1,
                sides: (64, 2048),
                schedulers: Vec::new(),
                respects: RespectedInputs {
                    seed: true,
                    init: true,
                    mask: true,
                    ..RespectedInputs::default()
                },
                reports_steps: false,
                draft: true,
                recommended: Settings {
                    width: 512,
                    height: 512,
                    steps: 1,
                    guidance: 1.0,
                    scheduler: Scheduler::Euler,
                },
            },
        }
    }
}

impl ImageGenerator for Storyboard {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        Fingerprint::default()
            .with("backend", "storyboard")
            .with("version", VERSION)
            .with("width", settings.width)
            .with("height", settings.height)
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        let mut go = tasks.is_empty()
            || watch(GenerationEvent::Step {
                done: 0,
                of: settings.steps,
                batch: tasks.len(),
            });
        for (index, task) in tasks.iter().enumerate() {
            let result = match self.capabilities.refusal_reason(settings, task) {
                _ if !go => Err(Failure::cancelled()),
                Some(failure) => Err(failure),
                None => task
                    .init
                    .as_ref()
                    .map(|init| edit::draw(task, init))
                    .or_else(|| card::draw(task, settings.width, settings.height))
                    .map(|pixels| Picture {
                        pixels,
                        respected: self.capabilities.respects,
                        notes: Vec::new(),
                    })
                    .ok_or_else(|| {
                        Failure::new(
                            FailureKind::OutOfMemory,
                            "not enough memory for the card; use a smaller size",
                        )
                    }),
            };
            go &= watch(GenerationEvent::Done { index, result });
        }
    }
}
