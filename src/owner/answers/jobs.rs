//! Jobs that make pictures or ask models, and the machine they run on.

use crate::model::Result;
use crate::model::device::Devices;
use crate::model::generated_image::GeneratedImage;
use crate::model::job::{JobFailure, JobState};
use crate::owner::dispatch::{Query, Watch};
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::request;
use crate::owner::{evaluate, generate};

impl Query for request::Devices {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Devices> {
        Ok(sight.devices())
    }
}

impl Query for request::Jobs {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<JobState>> {
        Ok(evaluate::with_runs(sight, sight.desk.list()?))
    }
}

impl Query for request::JobAct {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<JobState>> {
        match sight.evaluations.has(self.id) {
            true => evaluate::act(sight, self.id, self.act),
            false => generate::act(sight, self.id, self.act),
        }
    }
}

impl Query for request::JobFailures {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<JobFailure>> {
        match sight.evaluations.has(self.id) {
            true => evaluate::failures(sight, self.id, self.from),
            false => generate::failures(sight, self.id, self.from),
        }
    }
}

impl Query for request::Want {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Option<u32>> {
        generate::want(sight, self.number, &|| !(watch.cancelled)())
    }
}

impl Query for request::Made {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<GeneratedImage>> {
        generate::made(sight, self.number)
    }
}
