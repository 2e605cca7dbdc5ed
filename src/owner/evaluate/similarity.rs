//! Compares free-form answers with their references, using a text encoder in this process.

use crate::dispatch::{Task, TaskContext};
use std::sync::{Arc, OnceLock};

use super::report_job::{self, Reporting};
use crate::context::OwnerContext;
use crate::engine::{JobMeter, Kind};
use benchtop_inference::candle::minilm::MiniLm;
use benchtop_inference::candle::scorer::Options;
use benchtop_inference::hub::Hub;
use benchtop_inference::scoring::TextEmbedder;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::free_form::FreeForm;
use benchtop_model::job::{Budget, JobState};
use benchtop_model::{Error, Result};
use benchtop_pipeline::evaluate::similarity::{
    Compared, SimilaritySummary, column, compare, compared, models,
};
use benchtop_protocol::wire::{
    Event, ModelSimilarity, Request, SimilarityReport, SimilarityRequest, request,
};
use benchtop_store::Catalog;
use benchtop_store::similarity::Cosines;

/// Identifies the data behind the free-form scores, besides questions and answers; see
/// [`Cosines::edition`]. `None` if nothing was compared yet.
pub fn edition(shared: &OwnerContext, rule: FreeForm) -> Option<String> {
    Some(format!(
        "{} {}",
        rule.name(),
        Cosines::version(&shared.project.similarity())?
    ))
}

/// The free-form scores of models by item row, from the comparisons so far. Missing scores are NaN.
pub struct Scores<'s> {
    shared: &'s OwnerContext,
    rule: FreeForm,
    cosines: OnceLock<Option<Cosines>>,
}

impl<'s> Scores<'s> {
    /// Scores by `rule`. Nothing is read until they are requested.
    pub fn new(shared: &'s OwnerContext, rule: FreeForm) -> Scores<'s> {
        Scores {
            shared,
            rule,
            cosines: OnceLock::new(),
        }
    }

    /// The scores of `model`; empty if nothing was compared or the file cannot be read. Comparing
    /// again reports the reason.
    pub fn of(&self, model: &str) -> Vec<f32> {
        let cosines = self.cosines.get_or_init(|| {
            Cosines::current(&self.shared.project.similarity())
                .ok()
                .flatten()
        });
        let (Some(cosines), catalog) = (cosines, self.shared.items.catalog()) else {
            return Vec::new();
        };
        let Ok(mut all) = compared(&catalog, &[model.to_string()], self.rule, Cancel::NEVER) else {
            return Vec::new();
        };
        column(
            &all.pop().unwrap_or_default(),
            cosines,
            self.rule,
            catalog.len(),
        )
    }
}

/// The kind of jobs that compare free-form answers.
pub static SIMILARITY: Kind<OwnerContext> = Kind {
    name: "similarity",
    unit: "pair",
    access: request::Similarity::ACCESS,
    load: |_, stored| report_job::load::<SimilarityRequest>(stored),
    step: report_job::step::<SimilarityRequest>,
};

impl Reporting for SimilarityRequest {
    type Report = SimilarityReport;

    fn kind() -> &'static Kind<OwnerContext> {
        &SIMILARITY
    }

    fn preview(&self, shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<SimilarityReport> {
        let (catalog, models) = chosen(shared, &self.models)?;
        let all = compared(&catalog, &models, self.rule, cancel)?;
        let cosines = Cosines::current(&shared.project.similarity())?;
        let done = (SimilaritySummary::default(), self.encoder.clone());
        let of = (&*catalog, models);
        Ok(report(self, of, &all, cosines.as_ref(), done))
    }

    fn lacks(report: &SimilarityReport) -> bool {
        report.models.iter().any(|of| of.compared < of.answers)
    }

    fn describe(&self, state: &mut JobState) {
        state.name = format!("compare answers, {}", self.rule.name());
        state.plan = "comparing".into();
        state.generator = self.encoder.clone();
    }

    fn run(
        &self,
        shared: &Arc<OwnerContext>,
        _: &Arc<JobMeter>,
        watch: ProgressSink<'_>,
    ) -> Result<(SimilarityReport, u64)> {
        let (catalog, models) = chosen(shared, &self.models)?;
        let all = compared(&catalog, &models, self.rule, watch.cancel)?;
        let mut model = MiniLm::open(&Hub::from_env()?.path(&self.encoder)?, &Options::cpu())?;
        let folder = shared.project.similarity();
        let mut cosines = Cosines::make_current(&folder, &model.fingerprint().short())?;
        let done = compare(&all, &mut cosines, &mut model, watch)?;
        // The board has a column for it.
        shared.scored().clear();
        shared.broadcast.send(Event::AnswersReparsed);
        let done = (done, model.name().to_string());
        let report = report(self, (&catalog, models), &all, Some(&cosines), done);
        Ok((report, 0))
    }
}

impl Task for request::Similarity {
    const LISTED: bool = false;

    /// Compares all answers that were not compared yet, as a job, and reports the scores.
    ///
    /// # Errors
    /// [`Error::not_found`] for a model without answers or a missing encoder; [`Error::denied`]
    /// in a blind round; [`Error::cancelled`]; I/O errors. Comparisons up to then are kept.
    fn run(self, task: TaskContext<'_>) -> Result<SimilarityReport> {
        let (shared, ask) = (task.shared, &*self.0);
        if ask.dry {
            return ask.preview(shared, task.progress.cancel);
        }
        chosen(shared, &ask.models)?;
        // A missing encoder is reported before there is a job.
        Hub::from_env()?.path(&ask.encoder)?;
        report_job::report(shared, task.who, (ask, Budget::default()), task.progress)
    }
}

/// The catalog, and the models whose answers are compared: all if none are named.
pub(super) fn chosen(
    shared: &OwnerContext,
    named: &[String],
) -> Result<(Arc<Catalog>, Vec<String>)> {
    let catalog = shared.items.catalog();
    let known = models(&catalog);
    let wanted = match named.is_empty() {
        true => known.clone(),
        false => named.to_vec(),
    };
    match wanted.iter().find(|model| !known.contains(model)) {
        None => Ok((catalog, wanted)),
        Some(none) => Err(Error::not_found(format!("no answers of `{none}`"))
            .help(format!("models with answers: {}", known.join(", ")))),
    }
}

fn report(
    ask: &SimilarityRequest,
    (catalog, wanted): (&Catalog, Vec<String>),
    all: &[Vec<Compared>],
    cosines: Option<&Cosines>,
    (done, encoder): (SimilaritySummary, String),
) -> SimilarityReport {
    let of_model = |(model, list): (String, &Vec<Compared>)| {
        let scores = cosines
            .map(|cosines| column(list, cosines, ask.rule, catalog.len()))
            .unwrap_or_default();
        let scores: Vec<f64> = scores
            .into_iter()
            .filter(|s| !s.is_nan())
            .map(f64::from)
            .collect();
        let mean = (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
        ModelSimilarity {
            model,
            answers: list.len() as u64,
            compared: scores.len() as u64,
            mean,
        }
    };
    SimilarityReport {
        encoder,
        rule: ask.rule.name().into(),
        pairs: done.pairs,
        cut: done.cut,
        models: wanted.into_iter().zip(all).map(of_model).collect(),
    }
}
