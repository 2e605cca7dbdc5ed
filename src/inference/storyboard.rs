//! The built-in default generator: draws a card from a task's terms instead of a picture from a
//! model.
//!
//! It needs no weights, so a project works from metadata to review on any machine. A task with a
//! start image gives the draft of an edit: the start image, with the mask crossed out in a frame.
//! [`benchtop_raster::storyboard`] draws both.

use super::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, RespectedInputs, Scheduler, Settings,
    Task,
};
use benchtop_raster::storyboard::{VERSION, draw_card, draw_edit};

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
                    .map(|init| draw_edit(task, init))
                    .or_else(|| draw_card(task, settings.width, settings.height))
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
