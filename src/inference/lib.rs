//! Floor 2: models. Traits for what is asked of them, and what answers: candle in this process or in a worker process,
//! servers over HTTP, Tesseract beside it, and the storyboard that needs none of them. No trait leaks a tensor, a socket
//! or a file.

pub mod candle;
mod error_class;
pub mod gauges;
pub mod http;
pub mod hub;
pub mod ocr;
pub mod preprocess;
pub mod reader;
pub mod scoring;
pub mod storyboard;
pub mod vlm;
pub mod worker;

pub use scoring::{ImageEmbedder, ImageTextScorer, SafetyChecker, TextEmbedder};

use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, Settings, Task,
};

/// What a generator tells while it works.
#[derive(Debug)]
pub enum Told {
    /// So many of so many denoising steps of the running batch are done; `batch` pictures are in it. Who knows of no
    /// steps tells `done: 0` now and then as a sign of life, so that a cancel is heard while it waits.
    Step {
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
        /// Pictures made together.
        batch: usize,
    },
    /// Task `index` (from 0) is over. Told exactly once for each task, in any order.
    Done {
        /// Which task.
        index: usize,
        /// Its picture, or why there is none.
        result: Result<Picture, Failure>,
    },
}

/// Makes pictures from prompts: Dysca's P -> I.
///
/// One conformance suite (`conformance`) holds for all: each task is answered exactly once, also when the work is
/// cancelled; one task's failure leaves the others alone; where [`Capabilities::honours`] says `seed`, a task gives the
/// same bytes alone, in any batch and in any order; what the capabilities exclude is refused as
/// [`FailureKind::Input`] and not bent.
pub trait ImageGenerator: Send {
    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Everything that decides which bytes come out under these settings. The same fingerprint, prompt and seed give
    /// the same bytes where the capabilities honour seeds.
    fn fingerprint(&self, settings: &Settings) -> Fingerprint;

    /// Why this works and not what was preferred, where that could not be had. It is shown behind a semicolon.
    fn instead(&self) -> Option<&str> {
        None
    }

    /// Makes the pictures of `tasks`. `watch` is told every step and every result; once it says `false` the work ends
    /// at the next step, and what is not done is told as [`FailureKind::Cancelled`].
    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(Told) -> bool,
    );
}

/// What is told of work without steps, on questions or pictures.
#[derive(Debug)]
pub enum Heard<T> {
    /// A sign of life now and then, so that a cancel is heard while others work.
    Alive,
    /// Task `index` (from 0) is over. Told exactly once for each task, in any order.
    Done {
        /// Which task.
        index: usize,
        /// What came of it, or why nothing did.
        result: Result<T, Failure>,
    },
}

/// The results of so many tasks in their order.
fn gather<T>(
    tasks: usize,
    work: impl FnOnce(&mut dyn FnMut(Heard<T>) -> bool),
) -> Vec<Result<T, Failure>> {
    let mut results: Vec<Option<Result<T, Failure>>> = (0..tasks).map(|_| None).collect();
    work(&mut |heard| {
        if let Heard::Done { index, result } = heard
            && let Some(place) = results.get_mut(index)
        {
            *place = Some(result);
        }
        true
    });
    let lost = || Err(Failure::new(FailureKind::BadOutput, "there was no answer"));
    results
        .into_iter()
        .map(|r| r.unwrap_or_else(lost))
        .collect()
}

/// The pictures of `tasks` in their order, for callers that want no steps.
pub fn generate_all(
    generator: &mut dyn ImageGenerator,
    settings: &Settings,
    tasks: &[Task],
) -> Vec<Result<Picture, Failure>> {
    gather(tasks.len(), |watch| {
        generator.generate(settings, tasks, &mut |told| match told {
            Told::Done { index, result } => watch(Heard::Done { index, result }),
            Told::Step { .. } => watch(Heard::Alive),
        });
    })
}
