//! Floor 2: models. Defines the traits for models and implements them: with candle, in this process
//! or in a worker process; with servers over HTTP; with Tesseract; and with the storyboard, which
//! needs no model. No trait exposes a tensor, a socket, or a file.
//!
//! | module | contents |
//! |---|---|
//! | `batch` | a batch of tasks on other threads |
//! | [`candle`] | models in this process: CLIP, SigLIP, MiniLM, Stable Diffusion |
//! | `device_errors` | classifies errors of a device: lack of memory, or fatal |
//! | [`http`] | clients of servers with OpenAI's HTTP APIs, for pictures and for questions |
//! | [`hub`] | model files: lists, verifies, and downloads them |
//! | [`machine_load`] | the load of GPUs and processors |
//! | [`ocr`] | OCR with Tesseract |
//! | [`preprocess`] | preprocesses pictures for image encoders |
//! | [`reader`] | the trait of OCR engines |
//! | [`request_meter`] | counts the requests to servers |
//! | [`scoring`] | the traits of models that score pictures |
//! | [`storyboard`] | the default generator: draws a card from a task's terms |
//! | [`vlm`] | the trait of vision-language models |
//! | [`worker`] | a generator in a separate process: both sides of the pipe |

mod batch;
pub mod candle;
mod device_errors;
pub mod http;
pub mod hub;
pub mod machine_load;
pub mod ocr;
pub mod preprocess;
pub mod reader;
pub mod request_meter;
pub mod scoring;
pub mod storyboard;
pub mod vlm;
pub mod worker;

pub use scoring::{ImageEmbedder, ImageTextScorer, SafetyChecker, TextEmbedder};

use std::sync::Arc;

use self::request_meter::RequestMeter;
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, Settings, Task,
};

/// An event of a running [`ImageGenerator`].
#[derive(Debug)]
pub enum GenerationEvent {
    /// Progress of the running batch. Generators without steps send `done: 0` now and then, so that
    /// the receiver can cancel while they wait.
    Step {
        /// Finished denoising steps.
        done: u32,
        /// Total number of denoising steps.
        of: u32,
        /// Number of pictures in the batch.
        batch: usize,
    },
    /// Task `index` (from 0) is finished. Sent exactly once per task, in any order.
    Done {
        index: usize,
        result: Result<Picture, Failure>,
    },
}

/// Generates pictures from prompts: Dysca's P -> I.
///
/// The test suite `conformance` checks all implementations. Each task is answered exactly once,
/// even if the work is canceled. The failure of one task does not affect the others. If
/// [`Capabilities::honours`] includes `seed`, a task gives the same bytes alone, in any batch, and
/// in any order. Tasks that the capabilities exclude fail with [`FailureKind::Input`]; they are
/// never adjusted to fit.
pub trait ImageGenerator: Send {
    fn capabilities(&self) -> &Capabilities;

    /// Everything that decides the output under these settings. If the capabilities honor seeds,
    /// the same fingerprint, prompt, seed, and start image give the same bytes.
    fn fingerprint(&self, settings: &Settings) -> Fingerprint;

    /// The reason why this generator replaces the preferred one, if it does. Shown after a
    /// semicolon.
    fn replaces_because(&self) -> Option<&str> {
        None
    }

    /// Has further requests to servers counted. Generators without servers ignore it.
    fn count_requests(&mut self, _: Arc<dyn RequestMeter>) {}

    /// Generates the pictures of `tasks`. `watch` gets every step and every result. Once it returns
    /// `false`, the work stops at the next step, and the unfinished tasks fail with
    /// [`FailureKind::Cancelled`].
    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    );
}

/// An event of running work without steps, such as questions to a model.
#[derive(Debug)]
pub enum BatchEvent<T> {
    /// Sent now and then while waiting, so that the receiver can cancel.
    Alive,
    /// Task `index` (from 0) is finished. Sent exactly once per task, in any order.
    Done {
        index: usize,
        result: Result<T, Failure>,
    },
}

/// Runs `work` and collects the results of its tasks in their order.
fn gather<T>(
    tasks: usize,
    work: impl FnOnce(&mut dyn FnMut(BatchEvent<T>) -> bool),
) -> Vec<Result<T, Failure>> {
    let mut results: Vec<Option<Result<T, Failure>>> = (0..tasks).map(|_| None).collect();
    work(&mut |heard| {
        if let BatchEvent::Done { index, result } = heard
            && let Some(place) = results.get_mut(index)
        {
            *place = Some(result);
        }
        true
    });
    let lost = || {
        Err(Failure::new(
            FailureKind::BadOutput,
            "the task got no answer",
        ))
    };
    results
        .into_iter()
        .map(|r| r.unwrap_or_else(lost))
        .collect()
}

/// Generates the pictures of `tasks` and returns them in their order, without reporting steps.
pub fn generate_all(
    generator: &mut dyn ImageGenerator,
    settings: &Settings,
    tasks: &[Task],
) -> Vec<Result<Picture, Failure>> {
    gather(tasks.len(), |watch| {
        generator.generate(settings, tasks, &mut |told| match told {
            GenerationEvent::Done { index, result } => watch(BatchEvent::Done { index, result }),
            GenerationEvent::Step { .. } => watch(BatchEvent::Alive),
        });
    })
}
