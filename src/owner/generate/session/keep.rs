//! What becomes of each picture: kept and recorded, put together with another, or set aside.

use std::sync::mpsc;
use std::time::Instant;

use super::Session;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::writer::{MadePictures, WriterCommand};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::{Failure, FailureKind, Pixels, Settings};
use benchtop_model::history::stamp;
use benchtop_model::job::{JobFailure, Newest};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::generate::check::check;
use benchtop_pipeline::generate::file::{self, Origin};
use benchtop_pipeline::generate::generation_task::{GenerationTask, side_by_side};
use benchtop_pipeline::generate::work::sides;
use benchtop_store::jobs::Failed;

/// What became of a picture that is not kept.
pub(super) enum Kept {
    /// It is none.
    Failed(Failure),
    /// The job cannot go on.
    Trouble(Error),
}

impl Session {
    /// Checks a picture, makes it a file, and holds it to be recorded.
    pub(super) fn keep(
        &mut self,
        shared: &OwnerContext,
        errand: GenerationTask,
        pixels: &Pixels,
        notes: Vec<String>,
        of: Vec<String>,
    ) -> std::result::Result<(), Kept> {
        let wide = Settings {
            width: pixels.width,
            height: pixels.height,
            ..self.settings.clone()
        };
        check(pixels, if errand.double { &wide } else { &self.settings }).map_err(Kept::Failed)?;
        let origin = Origin {
            errand: &errand,
            settings: &self.settings,
            print: &self.print,
            draft: self.drafts,
        };
        let bytes = file::png(pixels, &origin).map_err(Kept::Trouble)?;
        let (image, _) = file::keep(&shared.project, &errand.name, self.drafts, &bytes)
            .map_err(Kept::Trouble)?;
        let made = GeneratedImage {
            rev: 0,
            dataset: errand.dataset.clone(),
            picture: errand.name.clone(),
            sample: errand.target.sample,
            hash: image.hash.unwrap_or_default(),
            ext: image.ext.unwrap_or_default(),
            width: pixels.width,
            height: pixels.height,
            seed: errand.task.seed,
            fingerprint: self.short.clone(),
            prompt: errand.prompt.clone(),
            job: self.id,
            at: stamp(now()),
            draft: self.drafts,
            notes,
            items: errand.items.clone(),
            of,
        };
        self.pending.push((errand, made));
        Ok(())
    }

    /// Puts the two sides of a picture beside each other, once both are there.
    pub(super) fn double(&mut self, shared: &OwnerContext, errand: GenerationTask) -> Result<()> {
        let picture = &self.named.pictures()[errand.target.picture as usize];
        let found = {
            let made = shared.items.pictures();
            let image = |e: &benchtop_store::pictures::Entry| made.image(e, &errand.name);
            match sides(&self.named, &made, picture, errand.target.sample) {
                Some([Some(first), Some(second)]) => Some([image(first), image(second)]),
                _ => None,
            }
        };
        let Some(images) = found else {
            if self.waited.insert(errand.target) {
                self.work.push_back(errand.target);
                return Ok(());
            }
            let failure = Failure::new(
                FailureKind::Input,
                "the two pictures it is made of are not there",
            );
            return self.set_aside(shared, &errand, failure, 1);
        };
        let [left, right] = [
            file::pixels(&shared.project, &images[0])?,
            file::pixels(&shared.project, &images[1])?,
        ];
        let of = images.into_iter().filter_map(|i| i.hash).collect();
        match self.keep(
            shared,
            errand.clone(),
            &side_by_side(&left, &right),
            Vec::new(),
            of,
        ) {
            Ok(()) => Ok(()),
            Err(Kept::Failed(failure)) => self.set_aside(shared, &errand, failure, 1),
            Err(Kept::Trouble(problem)) => Err(problem),
        }
    }

    /// Hands what was made to the thread that decides, and waits until it is on disk.
    pub(super) fn hand_over(&mut self, shared: &OwnerContext) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.handed_over = Some(Instant::now());
        let (errands, made): (Vec<GenerationTask>, Vec<GeneratedImage>) =
            std::mem::take(&mut self.pending).into_iter().unzip();
        let Some(last) = made.last() else {
            return Ok(());
        };
        let newest = Newest {
            path: last.image().stored().unwrap_or_default(),
            picture: last.picture.clone(),
            number: errands.last().map_or(0, GenerationTask::number),
            sample: last.sample,
            draft: last.draft,
        };
        let count = made.len() as u64;
        let mut rows: Vec<u32> = errands.into_iter().flat_map(|e| e.rows).collect();
        rows.sort_unstable();
        rows.dedup();
        let (reply, recorded) = mpsc::channel();
        let ending = || Error::new(ErrorKind::Cancelled, "the owner is ending");
        let work = WriterCommand::Made(MadePictures {
            made,
            prints: vec![self.print.clone()],
            rows,
            reply,
        });
        shared.writer.send(work).map_err(|_| ending())?;
        recorded.recv().map_err(|_| ending())??;
        let mut inner = shared.desk.inner();
        if let Some(live) = inner.jobs.get_mut(&self.id) {
            live.came(count);
            live.newest = Some(newest);
            // What another job left to this one, or took from it.
            live.job.of = live
                .job
                .of
                .map(|of| of.max(live.done + live.failed.len() as u64));
        }
        inner.tell(shared, self.id, false);
        Ok(())
    }

    /// Gives a picture up until somebody asks for it again.
    pub(super) fn set_aside(
        &mut self,
        shared: &OwnerContext,
        errand: &GenerationTask,
        failure: Failure,
        tries: u32,
    ) -> Result<()> {
        let key = self.named.pictures()[errand.target.picture as usize].key;
        let sample = errand.target.sample;
        let failed = Failed {
            key,
            failure: JobFailure {
                dataset: errand.dataset.clone(),
                picture: errand.name.clone(),
                sample,
                number: errand.number(),
                kind: failure.kind,
                reason: failure.reason,
                tries,
            },
        };
        shared.index.get()?.keep_failed(self.id, &failed)?;
        let mut inner = shared.desk.inner();
        if let Some(live) = inner.jobs.get_mut(&self.id) {
            live.failed.insert((key, sample), failed);
        }
        inner.tell(shared, self.id, false);
        Ok(())
    }
}
