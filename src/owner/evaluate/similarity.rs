//! Compares free-form answers with their references, using a text encoder in this process.

use std::sync::{Arc, OnceLock};

use crate::context::OwnerContext;
use benchtop_inference::candle::minilm::MiniLm;
use benchtop_inference::candle::scorer::Options;
use benchtop_inference::hub::Hub;
use benchtop_inference::scoring::TextEmbedder;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::free_form::FreeForm;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::evaluate::similarity::{
    SimilaritySummary, column, compare, compared, models,
};
use benchtop_protocol::wire::{Event, ModelSimilarity, SimilarityReport, SimilarityRequest};
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

/// Compares all answers that were not compared yet, and reports the scores.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a model without answers or a missing encoder; [`ErrorKind::Denied`]
/// in a blind round; [`ErrorKind::Cancelled`]; I/O errors. Comparisons up to then are kept.
pub fn compare_all(
    shared: &Arc<OwnerContext>,
    ask: &SimilarityRequest,
    watch: ProgressSink<'_>,
) -> Result<SimilarityReport> {
    let catalog = shared.items.catalog();
    let known = models(&catalog);
    let wanted = if ask.models.is_empty() {
        known.clone()
    } else {
        ask.models.clone()
    };
    if let Some(none) = wanted.iter().find(|model| !known.contains(model)) {
        return Err(
            Error::new(ErrorKind::NotFound, format!("no answers of `{none}`"))
                .help(format!("models with answers: {}", known.join(", "))),
        );
    }
    let all = compared(&catalog, &wanted, ask.rule, watch.cancel)?;
    // Held to the end, since two calls must not write to the same file.
    let _one = shared.evaluations.comparing();
    let folder = shared.project.similarity();
    let (cosines, done, encoder) = match ask.dry {
        true => (
            Cosines::current(&folder)?,
            SimilaritySummary::default(),
            ask.encoder.clone(),
        ),
        false => {
            let mut model = MiniLm::open(&Hub::from_env()?.path(&ask.encoder)?, &Options::cpu())?;
            let mut cosines = Cosines::make_current(&folder, &model.fingerprint().short())?;
            let done = compare(&all, &mut cosines, &mut model, watch)?;
            (Some(cosines), done, model.name().to_string())
        }
    };
    if !ask.dry {
        // The board has a column for it.
        shared.scored().clear();
        shared.broadcast.send(Event::AnswersReparsed);
    }
    let of_model = |(model, list): (String, &Vec<_>)| {
        let scores = cosines
            .as_ref()
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
    Ok(SimilarityReport {
        encoder,
        rule: ask.rule.name().into(),
        pairs: done.pairs,
        cut: done.cut,
        models: wanted.into_iter().zip(&all).map(of_model).collect(),
    })
}
