//! The variants as items: those whose products are made or kept become a part of the project.

use benchtop_files::project::Project;
use benchtop_model::bootstrap::{BootstrapPlan, METHOD};
use benchtop_model::cancel::Cancel;
use benchtop_model::derivation::{SEED, TEXT_LIMIT};
use benchtop_model::{Derivation, Item, JudgeRuling, Result};
use benchtop_store::Catalog;
use benchtop_store::index::Index;

use super::painting::painted;
use super::products::Joined;
use super::progress::Progress;
use super::requests::{ROLE, prompt_name};
use super::transcript::reference;
use crate::derive::NewItem;
use crate::derive::publish::{DerivedItems, Published};
use crate::picture_edit::chained;
use crate::scenario::Parameters;

/// Parameter with the composition, as plans write it.
pub const COMPOSITION: &str = "composition";
/// The version of the method.
const VERSION: &str = "1";

/// What a job has made.
pub struct MadeVariants<'m> {
    pub job: u32,
    pub plan: &'m BootstrapPlan,
    pub progress: &'m Progress,
}

impl MadeVariants<'_> {
    /// The variant of `source` by a composition whose products are all made or kept.
    ///
    /// # Errors
    /// A variant that cannot be an item.
    pub fn item(&self, n: usize, composition: &Joined, source: &Item) -> Result<Item> {
        let progress = self.progress;
        let mut derivation = Derivation::of(source, METHOD, VERSION);
        let text = composition.composition.to_string();
        let edits = progress.made(n, composition.picture);
        let found: Vec<Parameters> = edits.iter().map(|(_, made)| made.found.clone()).collect();
        let mut parameters = Parameters::from_iter([
            (COMPOSITION.to_string(), text.into()),
            (SEED.to_string(), self.plan.seed.into()),
        ]);
        // The seed of the last picture replaces that of the plan.
        parameters.extend(chained(&found));
        let texts = progress.made(n, composition.text);
        let role = texts
            .iter()
            .find_map(|(_, made)| made.candidate.edit.get(ROLE));
        if let Some(role) = role {
            parameters.insert(ROLE.into(), role.clone());
        }
        derivation.parameters = parameters;
        let descriptions: Vec<&str> = edits
            .iter()
            .map(|(_, made)| &*made.candidate.text)
            .collect();
        derivation.edit = Some(descriptions.join("; ")).filter(|edit| !edit.is_empty());
        let wording = progress.wording(n, composition.text, &source.question);
        derivation.context = Some(wording.contexts.join("\n")).filter(|text| !text.is_empty());
        let joined = progress.products.joined(composition);
        let states: Vec<_> = joined
            .iter()
            .filter_map(|k| progress.state(n, *k))
            .collect();
        derivation.tries = states.iter().map(|state| state.tries).sum();
        // The one that decided: the first that was kept, or else the last.
        let kept = states.iter().position(|state| state.product().is_none());
        let decides = kept.unwrap_or(states.len().saturating_sub(1));
        derivation.ruling = states
            .get(decides)
            .zip(joined.get(decides))
            .map(|(state, k)| {
                let strategy = progress.products.all.get(*k).map(|p| p.applied.strategy);
                JudgeRuling {
                    judge: strategy.map_or(String::new(), |s| prompt_name(s).into()),
                    model: state.ruling.model.clone(),
                    pass: state.ruling.pass,
                    reason: state.ruling.reason.as_deref().map(cut),
                }
            });
        derivation.transcript = Some(reference(self.job, n));
        let picture = edits
            .iter()
            .rev()
            .find(|(_, made)| !made.picture.is_empty());
        let pictures = picture
            .zip(source.images.first())
            .map(|((_, made), image)| vec![painted(image, &composition.name, made)]);
        let item = NewItem {
            source,
            dataset: &BootstrapPlan::dataset(&source.dataset, &composition.name),
            variant: &composition.name,
            suffix: "",
            pictures: pictures.unwrap_or_default(),
            modified: progress.is_modified(n, composition),
            derivation,
        };
        let question = wording.text();
        // A prompt of its own that holds the question would ask the original one.
        let instruction = source
            .instruction
            .as_ref()
            .filter(|_| !source.question.is_empty());
        let instruction = instruction.and_then(|own| match question == source.question {
            true => Some(own.clone()),
            false if own.contains(&source.question) => {
                Some(own.replacen(&source.question, &question, 1))
            }
            false => None,
        });
        Ok(Item {
            question,
            instruction,
            ..item.item()?
        })
    }
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(TEXT_LIMIT / 8);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_string()
}

/// Makes the variants part of the project. Those that exist are left as they are. `read` reads an
/// item with its pictures located.
///
/// # Errors
/// Canceled, or a failed read or write. Then the project is unchanged.
pub fn publish(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    made: &MadeVariants<'_>,
    (at, cancel): (&str, Cancel<'_>),
    read: &dyn Fn(u32) -> Result<Item>,
) -> Result<Published> {
    let mut items = DerivedItems::new(project, catalog)?;
    for composition in &made.progress.products.compositions {
        for (n, planned) in made.progress.sources.iter().enumerate() {
            cancel.check()?;
            if !made.progress.is_complete(n, composition) {
                continue;
            }
            let source = read(planned.number)?;
            match source.digest() == planned.digest {
                true => items.push(&made.item(n, composition, &source)?)?,
                false => items.leave_out(n),
            }
        }
        items.end_segments()?;
    }
    items.finish(index, at)
}
