//! Image-text consistency by CLIP and SigLIP, and the safety checker.

use rayon::prelude::*;
use serde_json::json;

use crate::scoring::runner::{Runner, ScoreSink, Subject, failed};
use benchtop_inference::scoring::{ImageTextScorer, Pair, SafetyChecker};
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, FailureKind, Pixels};
use benchtop_model::safety::{Safety, is_blanked};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::similarity::Similarity;
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

/// Passes on the available scores of the subjects at `places`, in that order.
fn hand_over(
    subjects: &[Subject],
    places: &[usize],
    scores: impl Iterator<Item = Option<Score>>,
    keep: ScoreSink<'_>,
) {
    for (at, score) in places.iter().zip(scores) {
        if !score.is_none_or(|score| keep(Some((subjects[*at].key, score)))) {
            return;
        }
    }
}

/// Image-text consistency.
pub struct Consistency {
    about: ScorerVersion,
    model: Box<dyn ImageTextScorer>,
}

impl Consistency {
    /// Scores as `scorer` with `model`.
    pub fn new(scorer: Scorer, model: Box<dyn ImageTextScorer>) -> Consistency {
        let known = model.capabilities();
        let about = ScorerVersion::new(
            scorer,
            known.name.clone(),
            &model.fingerprint(),
            known.logit_scale,
        );
        Consistency { about, model }
    }
}

impl Runner for Consistency {
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
        let prompt = |at: &usize| subjects[*at].item.prompt.as_deref().unwrap_or_default();
        let texts: Vec<&str> = places.iter().map(prompt).collect();
        let pairs: Vec<Pair> = (0..places.len())
            .map(|at| Pair {
                picture: at,
                text: at,
            })
            .collect();
        let results = self.model.score(&pictures, &texts, &pairs, cancel);
        let known = self.model.capabilities();
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
        let scores = results
            .into_iter()
            .map(|result| result.map(score).map_or_else(|f| refused(&f), Some));
        hand_over(subjects, &places, scores, keep);
        Ok(())
    }
}

/// The safety checker.
pub struct Safe {
    about: ScorerVersion,
    model: Box<dyn SafetyChecker>,
}

impl Safe {
    /// Scores with `model`.
    pub fn new(model: Box<dyn SafetyChecker>) -> Safe {
        let about = ScorerVersion::new(
            Scorer::Safety,
            model.name().to_string(),
            &model.fingerprint(),
            1.0,
        );
        Safe { about, model }
    }
}

impl Runner for Safe {
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
        let results = self.model.check(&pictures, cancel);
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
        hand_over(
            subjects,
            &places,
            results.into_iter().zip(&pictures).map(score),
            keep,
        );
        Ok(())
    }
}
