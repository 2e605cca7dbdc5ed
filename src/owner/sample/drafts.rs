//! Pictures of the composed items: drafts, and the ended job that made them. A few of them failed.

use std::sync::Arc;

use serde_json::json;

use crate::context::OwnerContext;
use crate::generate::GENERATION;
use crate::writer::{MadePictures, WriterCommand};
use benchtop_compose::sample;
use benchtop_inference::storyboard::Storyboard;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::{FailureKind, Settings, Task};
use benchtop_model::job::{GenerationOverrides, JobFailure, JobStatus};
use benchtop_model::{Error, Result, history};
use benchtop_pipeline::generate::generation_task::GenerationTask;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_pipeline::generate::png::{self, Origin, with_encoder};
use benchtop_pipeline::generate::remaining::Target;
use benchtop_store::jobs::{self, FailedPicture, FailureLog, Generation, JobHeader, Scope};

/// One in this many pictures failed.
const FAILED_EVERY: usize = 3;
/// Side of a picture in pixels.
const SIDE: u32 = 512;

/// Draws the pictures, and records their job.
pub(super) fn make(shared: &Arc<OwnerContext>, at: i64, cancel: Cancel<'_>) -> Result<()> {
    let named = shared.requested.images(shared, cancel)?;
    let tasks = tasks(shared, &named)?;
    let id = jobs::next_number(shared.project.root(), 0)?;
    let mut drawn = Vec::new();
    let mut failed = Vec::new();
    for (n, task) in tasks.into_iter().enumerate() {
        match n % FAILED_EVERY == FAILED_EVERY - 1 {
            true => failed.push(failure(&named, &task)),
            false => drawn.push(task),
        }
    }
    let mut generator = Storyboard::new();
    let settings = Settings {
        width: SIDE,
        height: SIDE,
        ..generator.capabilities().recommended.clone()
    };
    record(shared, &drawn, (id, at), (&mut generator, &settings))?;
    let of = (drawn.len() + failed.len()) as u64;
    let spec = Generation {
        name: "sample job".into(),
        scope: Scope::Missing,
        plan: "missing".into(),
        samples: 1,
        seed: sample::SEED,
        wishes: GenerationOverrides {
            backend: Some("storyboard".into()),
            ..GenerationOverrides::default()
        },
        settings: Some(settings),
        batch: None,
        per_minute: None,
        of: Some(of),
    };
    let header = JobHeader {
        id,
        kind: GENERATION.name.into(),
        by: sample::round::ANNOTATORS[0].into(),
        created: at,
        turn: i64::from(id),
        standing: JobStatus::Done,
        ..JobHeader::default()
    };
    jobs::create(shared.project.root(), &header, &json!(spec), None)?;
    FailureLog::new(shared.project.root(), id).append(&failed)?;
    shared.jobs.load_one(shared, id)
}

/// The pictures that the composed items lack.
fn tasks(shared: &OwnerContext, named: &RequestedImages) -> Result<Vec<GenerationTask>> {
    let catalog = shared.items.catalog();
    let targets = (0..named.pictures().len() as u32).map(|picture| Target { picture, sample: 1 });
    targets
        .map(|target| GenerationTask::read(&catalog, named, target, sample::SEED))
        .collect()
}

/// Draws pictures and has the writer record them.
fn record(
    shared: &OwnerContext,
    tasks: &[GenerationTask],
    (job, at): (u32, i64),
    (generator, settings): (&mut Storyboard, &Settings),
) -> Result<()> {
    let fingerprint = with_encoder(generator.fingerprint(settings));
    let requests: Vec<Task> = tasks.iter().map(|task| task.task.clone()).collect();
    let mut drawn = vec![None; tasks.len()];
    generator.generate(settings, &requests, &mut |event| {
        if let GenerationEvent::Done { index, result } = event {
            drawn[index] = result.ok();
        }
        true
    });
    let mut made = Vec::new();
    let mut rows = Vec::new();
    for (task, picture) in tasks.iter().zip(drawn) {
        let picture = picture.ok_or_else(|| Error::failed("cannot draw a sample picture"))?;
        let origin = Origin {
            task,
            settings,
            fingerprint: &fingerprint,
            draft: true,
        };
        let bytes = png::png(&picture.pixels, &origin)?;
        let (image, _) = png::keep(&shared.project, &task.name, true, &bytes)?;
        made.push(GeneratedImage {
            rev: 0,
            dataset: task.dataset.clone(),
            picture: task.name.clone(),
            sample: task.target.sample,
            hash: image.hash.unwrap_or_default(),
            ext: image.ext.unwrap_or_default(),
            width: picture.pixels.width,
            height: picture.pixels.height,
            seed: task.task.seed,
            fingerprint: fingerprint.short(),
            prompt: task.prompt.clone(),
            job,
            at: history::stamp(at),
            draft: true,
            notes: picture.notes,
            items: task.items.clone(),
            composed_of: Vec::new(),
        });
        rows.extend(&task.rows);
    }
    rows.sort_unstable();
    rows.dedup();
    shared.ask_writer(|reply| {
        WriterCommand::RecordPictures(MadePictures {
            made,
            prints: vec![fingerprint],
            rows,
            reply,
        })
    })?
}

fn failure(named: &RequestedImages, task: &GenerationTask) -> FailedPicture {
    FailedPicture {
        key: named.pictures()[task.target.picture as usize].key,
        failure: JobFailure {
            dataset: task.dataset.clone(),
            picture: task.name.clone(),
            sample: task.target.sample,
            number: task.number(),
            kind: FailureKind::OutOfMemory,
            reason: "a made-up failure: the device is out of memory".into(),
            tries: 3,
        },
    }
}
