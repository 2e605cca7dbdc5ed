//! The lineage of an item: every step from the terms of its oldest source to its question.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use benchtop_model::generated_image::picture_key;
use benchtop_model::lineage::{Step, StepKind};
use benchtop_model::{Derivation, ImageRef, Item, Result};
use benchtop_store::pictures::Pictures;

/// Most derivations that are followed. A file from outside can contain a circle.
const DEPTH: usize = 64;

/// An item of a lineage, as the reader may see it.
pub struct Seen {
    pub item: Item,
    /// Whether how its pictures were generated is shown.
    pub shows_generation: bool,
}

/// An item and everything that it was derived from, itself first.
pub struct Chain {
    seen: Vec<Seen>,
    /// Id of the source of the last one, if the project does not have it.
    lost: Option<String>,
}

/// The chain of an item. `source` finds an item by its id; `None` if the project does not have it.
///
/// # Errors
///
/// Errors of `source`.
pub fn chain(item: Seen, source: &mut dyn FnMut(&str) -> Result<Option<Seen>>) -> Result<Chain> {
    let (mut seen, mut lost) = (vec![item], None);
    while let Some(derivation) = seen.last().and_then(|seen| seen.item.derivation.as_ref()) {
        let id = derivation.source.id.clone();
        let is_circle = seen.iter().any(|seen| seen.item.id == id);
        match source(&id)?.filter(|_| !is_circle && seen.len() < DEPTH) {
            Some(found) => seen.push(found),
            None => {
                lost = Some(id);
                break;
            }
        }
    }
    Ok(Chain { seen, lost })
}

/// The steps of a chain, the first one first. `pictures` tells how pictures were generated.
pub fn steps(chain: &Chain, pictures: &Pictures) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut before: Option<&Seen> = None;
    for seen in chain.seen.iter().rev() {
        let item = &seen.item;
        match &item.derivation {
            Some(derivation) => {
                let now = before.map(|seen| seen.item.digest());
                let is_lost = before.is_none() && chain.lost.is_some();
                steps.push(edit(item, derivation, now, is_lost));
            }
            None => made(item, &mut steps),
        }
        let same = |image: &ImageRef| {
            let is_same = |there: &ImageRef| match &image.hash {
                Some(hash) => there.hash.as_ref() == Some(hash),
                None => there.hash.is_none() && there.name == image.name,
            };
            before.is_some_and(|seen| seen.item.images.iter().any(is_same))
        };
        for image in item.images.iter().filter(|image| !same(image)) {
            steps.push(picture(seen, image, pictures));
        }
        before = Some(seen);
    }
    steps.extend(chain.seen.first().map(|last| question(&last.item)));
    steps
}

/// The steps before the picture of an item that was not derived.
fn made(item: &Item, steps: &mut Vec<Step>) {
    if let Some(made) = &item.provenance {
        let terms = |terms: &BTreeMap<String, String>| json!(terms);
        let list: Vec<&str> = made.terms.values().map(String::as_str).collect();
        let mut step = Step::new(StepKind::Term, list.join(", "), &item.id);
        for (slot, term) in &made.terms {
            step = step.with(slot, term.as_str());
        }
        step = step
            .with("second picture", terms(&made.second))
            .with("claim", made.claim.clone())
            .with("vocabulary", made.vocabulary.as_str());
        steps.push(step);
        let step = Step::new(StepKind::Template, &*made.subject, &item.id)
            .with("wording", made.wording)
            .with("picture", made.picture)
            .with("seed", made.seed)
            .with("recipe", made.recipe.as_str())
            .with("templates", made.templates.as_str());
        steps.push(step);
    }
    if let Some(prompt) = &item.prompt {
        let step = Step::new(StepKind::Prompt, prompt, &item.id);
        steps.push(step.with("negative", item.negative_prompt.clone()));
    }
}

fn edit(item: &Item, derivation: &Derivation, now: Option<String>, lost: bool) -> Step {
    let source = &derivation.source;
    let mut step = Step::new(StepKind::Edit, &*derivation.method, &item.id)
        .with("version", derivation.version.as_str())
        .with("source", source.id.as_str());
    if lost {
        step = step.with("source is missing", true);
    }
    if now.is_some_and(|now| now != source.digest) {
        step = step.with("source changed", true);
    }
    step = step.with("source picture", derivation.picture.clone());
    for (name, value) in &derivation.parameters {
        step = step.with(name, value.clone());
    }
    step = step
        .with("edit", derivation.edit.clone())
        .with("context", derivation.context.clone())
        .with("tries", (derivation.tries > 0).then_some(derivation.tries));
    if let Some(ruling) = &derivation.ruling {
        step = step
            .with("judge", ruling.judge.as_str())
            .with("judge model", ruling.model.as_str())
            .with("passed", ruling.pass)
            .with("reason", ruling.reason.clone());
    }
    step = step.with("transcript", derivation.transcript.clone());
    if let Some(variant) = &item.variant {
        step = step
            .with("variant", variant.name.as_str())
            .with("variant of", variant.of.clone())
            .with("modified", variant.modified);
    }
    step
}

fn picture(seen: &Seen, image: &ImageRef, pictures: &Pictures) -> Step {
    let item = &seen.item;
    let mut step = Step::new(StepKind::Picture, &*image.name, &item.id)
        .with("blake3", image.hash.clone())
        .with("draft", image.draft.then_some(true))
        .with("unreadable", image.unreadable.clone());
    if image.hash.is_none() {
        step = step.with("missing", true);
    }
    if let Some(rights) = &image.rights {
        step = step
            .with("source", rights.source.clone())
            .with("license", rights.license.clone())
            .with("sensitivity", rights.sensitivity.clone());
    }
    let key = picture_key(&item.dataset, &image.name);
    let made = pictures.samples(key).find(|entry| {
        let own = pictures.image(entry, &image.name);
        own.hash.is_some() && own.hash == image.hash
    });
    if let Some(entry) = made.filter(|_| seen.shows_generation) {
        step = step
            .with("sample", entry.sample)
            .with("seed", entry.seed)
            .with("job", entry.job)
            .with("fingerprint", pictures.fingerprint(entry));
    }
    step
}

fn question(item: &Item) -> Step {
    let options: Vec<Value> = item
        .options
        .iter()
        .map(|o| o.text.as_str().into())
        .collect();
    let mut step = Step::new(StepKind::Question, &*item.question, &item.id)
        .with("kind", item.kind.name())
        .with("subtask", item.subtask.clone())
        .with("options", options)
        .with("answer", item.answer.as_str())
        .with("chance", item.chance());
    if let Some(edited) = &item.edited {
        step = step
            .with("edited by", edited.by.as_str())
            .with("before the edit", edited.before.question.as_str());
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::{Key, SourceItem};

    fn item(id: i64, source: Option<&str>) -> Item {
        let derivation = source.map(|id| {
            Box::new(Derivation {
                method: "L2".into(),
                source: SourceItem {
                    id: id.into(),
                    digest: "00000000".into(),
                },
                ..Derivation::default()
            })
        });
        Item {
            question: format!("Question {id}?"),
            derivation,
            ..Item::blank("d", Key::Int(id))
        }
    }

    fn kinds(items: &[Item]) -> Vec<(StepKind, String)> {
        let seen = |item: &Item| Seen {
            item: item.clone(),
            shows_generation: true,
        };
        let mut find = |id: &str| Ok(items.iter().find(|item| item.id == id).map(seen));
        let chain = chain(seen(&items[0]), &mut find).unwrap();
        let steps = steps(&chain, &Pictures::default());
        steps.into_iter().map(|s| (s.kind, s.item)).collect()
    }

    #[test]
    fn a_circle_and_a_missing_source_end_the_chain() {
        let circle = [item(1, Some("d/2")), item(2, Some("d/1"))];
        let of = |kind, id: &str| (kind, id.to_string());
        assert_eq!(
            kinds(&circle),
            [
                of(StepKind::Edit, "d/2"),
                of(StepKind::Edit, "d/1"),
                of(StepKind::Question, "d/1")
            ]
        );
        assert_eq!(
            kinds(&[item(1, Some("d/9"))]),
            [of(StepKind::Edit, "d/1"), of(StepKind::Question, "d/1")]
        );
        let long: Vec<Item> = (0..200)
            .map(|n| item(n, Some(&format!("d/{}", n + 1))))
            .collect();
        assert_eq!(kinds(&long).len(), DEPTH + 1);
    }
}
