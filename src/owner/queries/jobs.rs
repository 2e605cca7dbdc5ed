//! Queries about jobs and the load of the machine.

use crate::dispatch::{Query, Watch};
use crate::generate;
use crate::visibility::AnnotatorView;
use benchtop_model::Result;
use benchtop_model::device::Devices;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::job::{JobFailure, JobState};
use benchtop_protocol::wire::request;

impl Query for request::Devices {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Devices> {
        Ok(view.machine.devices())
    }
}

impl Query for request::Jobs {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<JobState>> {
        let jobs = view.jobs.list()?.into_iter();
        Ok(jobs.map(|job| view.job(job)).collect())
    }
}

impl Query for request::JobAct {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<JobState>> {
        let of = (self.id, self.act);
        let done = view.jobs.act(view.shared(), view.member(), of)?;
        Ok(done.map(|job| view.job(job)))
    }
}

impl Query for request::JobFailures {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<JobFailure>> {
        if view.jobs.tells(self.id) {
            view.check_scores()?;
        }
        view.jobs.failures(view.shared(), self.id, self.from)
    }
}

impl Query for request::PrioritizePicture {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Option<u32>> {
        generate::request_picture(view, self.number, watch.cancel)
    }
}

impl Query for request::GeneratedImages {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<GeneratedImage>> {
        generate::pictures_of_item(view, self.number)
    }
}
