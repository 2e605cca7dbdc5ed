//! The requests and answers behind an item, from the journal of its job.

use benchtop_model::bootstrap::TranscriptStep;
use benchtop_model::derivation::SEED;
use benchtop_model::{Derivation, Error, Result};
use benchtop_store::jobs::{Done, StepLine};
use serde_json::Value;

use super::products::Products;

/// The reference of a transcript: the file of the job, and the number of the source.
pub fn reference(job: u32, n: usize) -> String {
    format!("jobs/{job:04}.jsonl#{n}")
}

fn parsed(reference: &str) -> Option<(u32, usize)> {
    let (file, n) = reference.strip_prefix("jobs/")?.split_once('#')?;
    Some((file.strip_suffix(".jsonl")?.parse().ok()?, n.parse().ok()?))
}

/// The steps behind a derived item, in order. `lines` reads the lines of a source of a job.
///
/// # Errors
/// [`Error::not_found`] without a transcript, and errors of reading.
pub fn read(
    derivation: &Derivation,
    lines: impl FnOnce(u32, usize) -> Result<Vec<StepLine>>,
) -> Result<Vec<TranscriptStep>> {
    let reference = derivation.transcript.as_deref().unwrap_or_default();
    let none = || Error::not_found("the item has no transcript");
    let (job, source) = parsed(reference).ok_or_else(none)?;
    let composition = derivation.parameters.get(super::publish::COMPOSITION);
    let plan = benchtop_model::bootstrap::BootstrapPlan {
        strategies: vec![
            composition
                .and_then(|text| text.as_str())
                .unwrap_or_default()
                .to_string(),
        ],
        ..Default::default()
    };
    let products = Products::of(&plan).map_err(|_| none())?;
    let of_item = |line| match line {
        StepLine::Done { product, done, .. } if products.position(&product).is_some() => {
            Some(step(product, done))
        }
        _ => None,
    };
    let steps: Vec<TranscriptStep> = lines(job, source)?
        .into_iter()
        .filter_map(of_item)
        .collect();
    if steps.is_empty() {
        let what = format!("the transcript {reference} is gone");
        let help = "it is removed together with its job";
        return Err(Error::not_found(what).help(help));
    }
    Ok(steps)
}

fn step(product: String, done: Done) -> TranscriptStep {
    let decided = |reply: String| TranscriptStep {
        product: product.clone(),
        reply,
        ..TranscriptStep::default()
    };
    match done {
        Done::Answer(answer) => TranscriptStep {
            product,
            role: answer.role.name().into(),
            ask: answer.ask,
            repair: answer.repair,
            model: answer.model,
            seed: answer.seed,
            temperature: answer.temperature,
            system: answer.system,
            prompt: answer.prompt,
            pictures: answer.pictures,
            reply: answer.reply,
            at: answer.at,
        },
        Done::Read { candidates } => {
            let texts: Vec<&str> = candidates.iter().map(|c| &*c.text).collect();
            decided(format!("read: {}", texts.join("; ")))
        }
        Done::Unread { problem, repair } => decided(match repair {
            true => format!("not usable, to be repaired: {problem}"),
            false => format!("not usable: {problem}"),
        }),
        Done::Painted { hash, found } => {
            let text = |name: &str| found.get(name).and_then(Value::as_str).unwrap_or_default();
            let seed = found.get(SEED).and_then(Value::as_u64);
            TranscriptStep {
                role: "painter".into(),
                model: text("painter").into(),
                seed: seed.and_then(|seed| seed.try_into().ok()),
                prompt: text("prompt").into(),
                pictures: 1,
                ..decided(format!("painted: {hash}"))
            }
        }
        Done::Ruled { pass, reason } => {
            let word = match pass {
                Some(true) => "passed",
                Some(false) => "refused",
                None => "no ruling",
            };
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            decided(format!("{word}{reason}"))
        }
        Done::Failed(failure) => decided(format!("failed: {}", failure.reason)),
    }
}
