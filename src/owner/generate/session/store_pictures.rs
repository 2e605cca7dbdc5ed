//! Stores the pictures of a job: records them, composes doubles, and records failures.

use std::time::Instant;

use super::{GenerationJob, Session};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::writer::{MadePictures, WriterCommand};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::{Failure, FailureKind, Pixels, Settings};
use benchtop_model::history::stamp;
use benchtop_model::job::{JobFailure, Newest};
use benchtop_model::{Error, Result};
use benchtop_pipeline::generate::check::check;
use benchtop_pipeline::generate::generation_task::{GenerationTask, side_by_side};
use benchtop_pipeline::generate::png::{self, Origin};
use benchtop_pipeline::generate::remaining::sides;
use benchtop_store::jobs::FailedPicture;

/// Why a picture was not stored.
pub(super) enum KeepError {
    /// The picture is invalid.
    Failed(Failure),
    /// The job cannot continue.
    Fatal(Error),
}

impl Session {
    /// Checks a picture, writes its file, and queues it for recording.
    pub(super) fn keep(
        &mut self,
        shared: &OwnerContext,
        task: GenerationTask,
        pixels: &Pixels,
        notes: Vec<String>,
        of: Vec<String>,
    ) -> std::result::Result<(), KeepError> {
        let wide = Settings {
            width: pixels.width,
            height: pixels.height,
            ..self.settings.clone()
        };
        check(
            pixels,
            if task.side_by_side {
                &wide
            } else {
                &self.settings
            },
        )
        .map_err(KeepError::Failed)?;
        let origin = Origin {
            task: &task,
            settings: &self.settings,
            fingerprint: &self.print,
            draft: self.drafts,
        };
        let bytes = png::png(pixels, &origin).map_err(KeepError::Fatal)?;
        let (image, _) = png::keep(&shared.project, &task.name, self.drafts, &bytes)
            .map_err(KeepError::Fatal)?;
        let made = GeneratedImage {
            rev: 0,
            dataset: task.dataset.clone(),
            picture: task.name.clone(),
            sample: task.target.sample,
            hash: image.hash.unwrap_or_default(),
            ext: image.ext.unwrap_or_default(),
            width: pixels.width,
            height: pixels.height,
            seed: task.task.seed,
            fingerprint: self.short.clone(),
            prompt: task.prompt.clone(),
            job: self.id,
            at: stamp(now()),
            draft: self.drafts,
            notes,
            items: task.items.clone(),
            composed_of: of,
        };
        self.pending.push((task, made));
        Ok(())
    }

    /// Joins the two sides of a double picture, once both exist.
    pub(super) fn double(&mut self, shared: &OwnerContext, task: GenerationTask) -> Result<()> {
        let picture = &self.named.pictures()[task.target.picture as usize];
        let found = {
            let made = shared.items.pictures();
            let image = |e: &benchtop_store::pictures::Entry| made.image(e, &task.name);
            match sides(&self.named, &made, picture, task.target.sample) {
                Some([Some(first), Some(second)]) => Some([image(first), image(second)]),
                _ => None,
            }
        };
        let Some(images) = found else {
            if self.waited.insert(task.target) {
                self.work.push_back(task.target);
                return Ok(());
            }
            let failure = Failure::new(FailureKind::Input, "its two source pictures are missing");
            return self.record_failure(shared, &task, failure, 1);
        };
        let [left, right] = [
            png::pixels(&shared.project, &images[0])?,
            png::pixels(&shared.project, &images[1])?,
        ];
        let of = images.into_iter().filter_map(|i| i.hash).collect();
        match self.keep(
            shared,
            task.clone(),
            &side_by_side(&left, &right),
            Vec::new(),
            of,
        ) {
            Ok(()) => Ok(()),
            Err(KeepError::Failed(failure)) => self.record_failure(shared, &task, failure, 1),
            Err(KeepError::Fatal(problem)) => Err(problem),
        }
    }

    /// Hands the pictures to the writer thread and waits until they are on disk.
    pub(super) fn hand_over(&mut self, shared: &OwnerContext) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.handed_over = Some(Instant::now());
        let (tasks, made): (Vec<GenerationTask>, Vec<GeneratedImage>) =
            std::mem::take(&mut self.pending).into_iter().unzip();
        let Some(last) = made.last() else {
            return Ok(());
        };
        let newest = Newest {
            path: last.image().stored().unwrap_or_default(),
            picture: last.picture.clone(),
            number: tasks.last().map_or(0, GenerationTask::number),
            sample: last.sample,
            draft: last.draft,
        };
        let count = made.len() as u64;
        let mut rows: Vec<u32> = tasks.into_iter().flat_map(|e| e.rows).collect();
        rows.sort_unstable();
        rows.dedup();
        let prints = vec![self.print.clone()];
        let work = |reply| {
            WriterCommand::RecordPictures(MadePictures {
                made,
                prints,
                rows,
                reply,
            })
        };
        let recorded = shared.ask_writer(work);
        recorded.map_err(|problem| Error::cancelled(problem.what))??;
        shared
            .jobs
            .update(shared, self.id, |live, job: &mut GenerationJob| {
                live.progressed(count);
                job.done += count;
                job.newest = Some(newest);
                // Another job may have made pictures of this one, or the reverse.
                job.spec.of = job.spec.of.map(|of| of.max(job.done + job.failed()));
            });
        Ok(())
    }

    /// Records a failure. The picture is tried again only on request.
    pub(super) fn record_failure(
        &mut self,
        shared: &OwnerContext,
        task: &GenerationTask,
        failure: Failure,
        tries: u32,
    ) -> Result<()> {
        let key = self.named.pictures()[task.target.picture as usize].key;
        let sample = task.target.sample;
        let failed = FailedPicture {
            key,
            failure: JobFailure {
                dataset: task.dataset.clone(),
                picture: task.name.clone(),
                sample,
                number: task.number(),
                kind: failure.kind,
                reason: failure.reason,
                tries,
            },
        };
        let appended = shared
            .jobs
            .update(shared, self.id, |_, job: &mut GenerationJob| {
                job.failures.append(&[failed])
            });
        appended.unwrap_or(Ok(()))
    }
}
