//! Scorers without a model: blank pictures, and answers leaked in questions.

use serde_json::json;

use crate::scoring::runner::{Each, Runner, Subject, failed};
use benchtop_metrics::leakage;
use benchtop_metrics::picture::{self, Flaw};
use benchtop_model::generation::Fingerprint;
use benchtop_model::scoring::{Score, Scorer};
use benchtop_store::scores::ScorerVersion;

/// Version, increased with every change of the leakage rule.
const LEAKAGE: u32 = 1;

/// Blank, nearly uniform, and damaged pictures: the largest standard deviation of a channel, 0 for
/// a picture that cannot be decoded or is truncated.
pub fn flatness() -> Box<dyn Runner> {
    let print = Fingerprint::default()
        .with("scorer", "flatness")
        .with("version", picture::VERSION);
    let about = ScorerVersion::new(Scorer::Flatness, "blank pictures".into(), &print, 1.0);
    Box::new(Each::new(about, flat))
}

fn flat(subject: &Subject) -> Score {
    let bytes = match subject.bytes() {
        Ok(bytes) => bytes,
        Err(failed) => return failed,
    };
    let decoded = image::load_from_memory(&bytes).map(|p| benchtop_raster::pillow::rgb(&p));
    let told = decoded.as_ref().map_err(ToString::to_string);
    let mut flaws = picture::flaws(told.as_ref().map(|p| *p).map_err(String::as_str));
    flaws.extend(picture::cut_off(&bytes));
    let is_damaged = flaws.iter().any(|f| matches!(f, Flaw::Damaged(_)));
    let spread = decoded
        .ok()
        .filter(|_| !is_damaged)
        .and_then(|p| picture::spread(&p));
    let value = spread.map_or(0.0, |s| s.deviation.into_iter().fold(0.0, f64::max));
    let detail = if flaws.is_empty() {
        String::new()
    } else {
        json!({ "flaws": flaws }).to_string()
    };
    Score::scored(value as f32, detail)
}

/// Answers whose words appear in the question, while those of other options do not.
pub fn leakage() -> Box<dyn Runner> {
    let print = Fingerprint::default()
        .with("scorer", "leakage")
        .with("version", LEAKAGE);
    let about = ScorerVersion::new(Scorer::Leakage, "answers in questions".into(), &print, 1.0);
    Box::new(Each::new(about, |subject: &Subject| {
        match leakage::leak(&subject.item) {
            None => Score::scored(0.0, ""),
            Some(leak) => {
                let Some(words) = subject.item.question.get(leak.span.clone()) else {
                    return failed("the answer was found outside its question");
                };
                let detail =
                    json!({ "words": words, "at": leak.span.start, "other options": leak.others });
                Score::scored(f32::from(leak.tells()), detail.to_string())
            }
        }
    }))
}
