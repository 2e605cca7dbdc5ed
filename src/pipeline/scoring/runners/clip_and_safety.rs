//! Image-text consistency by CLIP and SigLIP, and the safety checker.

use rayon::prelude::*;
use serde_json::json;

use crate::scoring::runner::{Runner, ScoreSink, Subject, failed};
use benchtop_inference::scoring::{ImageTextScorer, Pair, SafetyChecker};
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, FailureKind, Pixels};
use benchtop_model::safety::{Safety, is_blanked};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::similarity::Similarity;
use benchtop_model::{Item, Result};
use benchtop_store::scores::ScorerVersion;

/// Pictures per call: several model passes, with pauses possible in between.
const BATCH: usize = 32;

/// The decodable pictures with the indices of their subjects. The others get failed scores. `None`
/// after cancellation.
pub(super) fn decoded(
    subjects: &[Subject],
    keep: ScoreSink<'_>,
) -> Option<(Vec<usize>, Vec<Pixels>)> {
    let all: Vec<std::result::Result<Pixels, Score>> =
        subjects.par_iter().map(Subject::picture).collect();
    let (mut places, mut pictures) = (Vec::new(), Vec::new());
    for (at, picture) in all.into_iter().enumerate() {
        match picture {
            Ok(picture) => {
                places.push(at);
                pictures.push(picture);
            }
            Err(score) => {
                if !keep(Some((subjects[at].key, score))) {
                    return None;
                }
            }
        }
    }
    Some((places, pictures))
}

/// The score of an input on which the model failed. `None` if it was not reached.
pub(super) fn refused(failure: &Failure) -> Option<Score> {
    match failure.kind {
        FailureKind::Cancelled => None,
        FailureKind::Refused => Some(Score::without_number(
            ScoreState::Refused,
            json!({ "why": failure.reason }).to_string(),
        )),
        _ => Some(failed(&failure.reason)),
    }
}

/// Scores decodable pictures with one model: `score` gets their items, and gives `None` for an input
/// that the model did not reach.
struct OfPictures<F> {
    about: ScorerVersion,
    score: F,
}

impl<F> OfPictures<F>
where
    F: FnMut(&[&Item], &[Pixels], Cancel<'_>) -> Vec<Option<Score>> + Send + 'static,
{
    fn runner(about: ScorerVersion, score: F) -> Box<dyn Runner> {
        Box::new(OfPictures { about, score })
    }
}

impl<F> Runner for OfPictures<F>
where
    F: FnMut(&[&Item], &[Pixels], Cancel<'_>) -> Vec<Option<Score>> + Send,
{
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn score(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let Some((places, pictures)) = decoded(subjects, keep) else {
            return Ok(());
        };
        let items: Vec<&Item> = places.iter().map(|at| &subjects[*at].item).collect();
        let scores = (self.score)(&items, &pictures, cancel);
        for (at, score) in places.iter().zip(scores) {
            if !score.is_none_or(|score| keep(Some((subjects[*at].key, score)))) {
                break;
            }
        }
        Ok(())
    }
}

/// Image-text consistency as `scorer` with `model`.
pub fn consistency(scorer: Scorer, mut model: Box<dyn ImageTextScorer>) -> Box<dyn Runner> {
    let known = model.capabilities();
    let (name, scale) = (known.name.clone(), known.logit_scale);
    let about = ScorerVersion::new(scorer, name, &model.fingerprint(), scale);
    OfPictures::runner(about, move |items, pictures, cancel| {
        let texts: Vec<&str> = items
            .iter()
            .map(|item| item.prompt.as_deref().unwrap_or_default())
            .collect();
        let pairs: Vec<Pair> = (0..items.len())
            .map(|at| Pair {
                picture: at,
                text: at,
            })
            .collect();
        let results = model.score(pictures, &texts, &pairs, cancel);
        let known = model.capabilities();
        let score = |similarity: Similarity| {
            let mut detail = json!({ "logit": known.logit(&similarity) });
            if let Some(probability) = known.probability(&similarity) {
                detail["probability"] = probability.into();
            }
            if similarity.parts > 1 {
                detail["note"] =
                    format!("the prompt was split into {} parts", similarity.parts).into();
            }
            Score::scored(similarity.cosine, detail.to_string())
        };
        let scores = results.into_iter();
        scores
            .map(|result| result.map(score).map_or_else(|f| refused(&f), Some))
            .collect()
    })
}

/// The safety checker `model`.
pub fn safe(mut model: Box<dyn SafetyChecker>) -> Box<dyn Runner> {
    let name = model.name().to_string();
    let about = ScorerVersion::new(Scorer::Safety, name, &model.fingerprint(), 1.0);
    OfPictures::runner(about, move |_, pictures, cancel| {
        let score =
            |(result, picture): (std::result::Result<Safety, Failure>, &Pixels)| match result {
                // A picture blanked by another tool's checker was unsafe.
                Ok(_) if is_blanked(picture) => Some(Score::scored(
                    1.0,
                    json!({ "note": "all black: blanked by another checker" }).to_string(),
                )),
                Ok(safety) => {
                    let detail =
                        json!({ "concepts": safety.bad_concepts(), "special": safety.special });
                    Some(Score::scored(
                        safety.highest().unwrap_or_default(),
                        detail.to_string(),
                    ))
                }
                Err(failure) => refused(&failure),
            };
        let results = model.check(pictures, cancel).into_iter();
        results.zip(pictures).map(score).collect()
    })
}
