//! The composer: draws the content of each question of a schedule and writes the item.
//!
//! Question `n` depends only on the metadata, the plan, the seed, and `n`. Questions can be
//! composed independently, on any machine and in any order.

mod choose_content;
mod missing;
mod write_text;

use std::sync::Arc;

pub use choose_content::{Choices, DrawnAnswer};
pub use missing::{Fitting, fits, missing};
pub use write_text::{MissingMetadata, WrittenQuestion, choices_of, recipe, write};

use super::assign_terms::{self, Dealt, slot_samplers};
use super::compiled_metadata::CompiledMetadata;
use super::schedule::{CROSS_OPTIONS, QuestionForm, QuestionSlot, Schedule, Slot};
use benchtop_model::rng::{BalancedSampler, NestedSamplers, key};
use benchtop_model::{Form, ImageRef, Item, Key, Pair, Provenance, Rotation, Side};

/// Composes the questions of a schedule. Clones are meant for other threads; they share everything
/// but the samplers.
#[derive(Clone, Debug)]
pub struct Composer {
    compiled: Arc<CompiledMetadata>,
    schedule: Arc<Schedule>,
    seed: u64,
    dataset: String,
    /// The terms of all pictures, if there are compatibility rules.
    dealt: Option<Arc<Dealt>>,
    samplers: Vec<BlockSamplers>,
}

impl BlockSamplers {
    /// The samplers of a slot for these sizes.
    fn of_slot(
        &mut self,
        seed: u64,
        subtask: &str,
        (at, seat): (usize, &QuestionSlot),
        sizes: (usize, usize),
    ) -> &mut NestedSamplers {
        let all = &mut self.seats[at];
        let found = all
            .iter()
            .position(|(c, _)| *c == sizes)
            .unwrap_or_else(|| {
                all.push((sizes, slot_samplers(seed, subtask, seat.ask, sizes)));
                all.len() - 1
            });
        &mut all[found].1
    }
}

/// The samplers of one block.
#[derive(Clone, Debug)]
struct BlockSamplers {
    /// One per list of the subject, in order.
    terms: Vec<BalancedSampler>,
    wording: BalancedSampler,
    /// Per slot, by size: positions of the right option, or truth of the claim.
    seats: Vec<Vec<((usize, usize), NestedSamplers)>>,
    /// Key of all other draws.
    key: u64,
}

impl Composer {
    /// A composer for this schedule and seed. The data set is named `<plan>-<seed>`.
    pub fn new(compiled: Arc<CompiledMetadata>, schedule: Arc<Schedule>, seed: u64) -> Composer {
        let dataset = format!("{}-{seed}", schedule.name);
        let samplers = schedule.blocks.iter().map(|block| {
            let rules = &compiled.subjects[block.subject];
            let term = |list: &usize| {
                let name = &compiled.lists[*list].name;
                BalancedSampler::new(
                    key(seed, &["term", &block.name, name]),
                    block.allowed(*list).len(),
                )
            };
            BlockSamplers {
                terms: rules.lists.iter().map(term).collect(),
                wording: BalancedSampler::new(
                    key(seed, &["wording", &block.name]),
                    rules.prompts.len(),
                ),
                seats: vec![Vec::new(); block.slots.len()],
                key: key(seed, &["options", &block.name]),
            }
        });
        let samplers = samplers.collect();
        let rules = compiled.compatibility.as_deref();
        let dealt =
            rules.map(|rules| Arc::new(assign_terms::deal(&compiled, rules, &schedule, seed)));
        Composer {
            compiled,
            schedule,
            seed,
            dataset,
            dealt,
            samplers,
        }
    }

    /// Subject, subtask, and number of questions that repeat another one verbatim because there are
    /// no more.
    pub fn repeated(&self) -> Vec<(String, String, u64)> {
        let name = |((subject, subtask), n): ((usize, usize), u64)| {
            (
                self.compiled.subjects[subject].name.clone(),
                self.compiled.subtasks[subtask].name.clone(),
                n,
            )
        };
        self.dealt
            .iter()
            .flat_map(|d| d.repeated())
            .map(name)
            .collect()
    }

    /// The data set of its questions: `<plan>-<seed>`.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    pub fn compiled(&self) -> &CompiledMetadata {
        &self.compiled
    }

    /// Whether question `n` has no picture because no compatible terms are left.
    pub fn is_impossible(&self, n: u64) -> bool {
        let Some(slot) = self.schedule.slot(n) else {
            return false;
        };
        self.dealt
            .as_ref()
            .is_some_and(|dealt| dealt.picture(slot.block, slot.unit).is_none())
    }

    /// Subject and subtask of question `n`, for messages.
    pub fn subject_and_subtask(&self, n: u64) -> Option<(&str, &str)> {
        let slot = self.schedule.slot(n)?;
        let block = &self.schedule.blocks[slot.block];
        let subtask = &self.compiled.subtasks[block.slots.get(slot.slot)?.subtask];
        Some((&self.compiled.subjects[block.subject].name, &subtask.name))
    }

    /// Question `n`, from 0. `None` from [`Schedule::questions`] on, if there is no wrong answer
    /// because every other term of the vocabulary is true of the picture too, and if no picture is
    /// possible.
    pub fn question(&mut self, n: u64) -> Option<Item> {
        let slot = self.schedule.slot(n)?;
        let choices = self.choose(slot)?;
        // Choices drawn from the compiled metadata can always be written.
        let written = write(&self.compiled, &choices).ok()?;
        Some(self.item(n, slot, &choices, written))
    }

    fn item(&self, n: u64, slot: Slot, choices: &Choices, written: WrittenQuestion) -> Item {
        let compiled = &self.compiled;
        let block = &self.schedule.blocks[slot.block];
        let subtask = &compiled.subtasks[choices.subtask];
        let number = i64::try_from(n + 1).unwrap_or(i64::MAX);
        let ask = block.slots[slot.slot].ask;
        let side = match ask {
            QuestionForm::PairClaim { side: 0, .. } | QuestionForm::PairChoice { side: 0, .. } => {
                Some(Side::Natural)
            }
            QuestionForm::PairClaim { .. } | QuestionForm::PairChoice { .. } => {
                Some(Side::Manipulated)
            }
            QuestionForm::Cross { .. } => Some(Side::Cross),
            _ => None,
        };
        // The name contains the data set, so compositions do not share pictures. Pairs have
        // MVP-Bench's suffixes.
        let ending = match side {
            None => "",
            Some(Side::Natural) => "_s",
            Some(Side::Manipulated) => "_e",
            Some(Side::Cross) => "_concat",
        };
        let name = format!("images/{}/{}{ending}.png", self.dataset, slot.picture);
        let named = |terms: &[(usize, u32)]| {
            let of = |&(list, term): &(usize, u32)| {
                let list = &compiled.lists[list];
                (list.name.clone(), list.terms[term as usize].clone())
            };
            terms
                .iter()
                .map(of)
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        let terms = named(&choices.terms);
        let pair_id = || Key::Int(i64::try_from(slot.picture).unwrap_or(i64::MAX));
        let of_set = |rotation: u8, of: usize| Rotation {
            set: format!(
                "{}-{}{ending}",
                slot.picture,
                subtask.name.replace(' ', "-")
            ),
            index: u32::from(rotation) + 1,
            of: of as u32,
        };
        let rotation = match ask {
            QuestionForm::Cross { rotation } => Some(of_set(rotation, usize::from(CROSS_OPTIONS))),
            QuestionForm::PairChoice { rotation, .. } => {
                Some(of_set(rotation, written.options.len()))
            }
            _ => None,
        };
        let provenance = Provenance {
            seed: self.seed,
            picture: slot.picture
                + if side == Some(Side::Manipulated) {
                    1
                } else {
                    0
                },
            subject: compiled.subjects[choices.subject].name.clone(),
            wording: choices.wording as u32,
            second: named(&choices.second),
            claim: match choices.asked {
                DrawnAnswer::Claim { term, .. } | DrawnAnswer::YesNo { term, .. } => {
                    Some(compiled.lists[subtask.list].terms[term as usize].clone())
                }
                _ => None,
            },
            chance: written.chance,
            recipe: recipe(compiled, choices),
            vocabulary: compiled.vocabulary_revision.clone(),
            templates: compiled.template_revision.clone(),
            terms,
        };
        Item {
            id: format!("{}/{number}", self.dataset),
            dataset: self.dataset.clone(),
            key: Key::Int(number),
            form: match ask {
                QuestionForm::Choice | QuestionForm::Claim | QuestionForm::Free => Form::Dysca,
                // Only benchtop's own format supports refusal options.
                QuestionForm::Refusal | QuestionForm::Beyond => Form::Plain,
                QuestionForm::PairClaim { .. } => Form::Mvp,
                QuestionForm::PairChoice { .. } | QuestionForm::Cross { .. } => Form::MvpCircular,
            },
            images: vec![ImageRef::named(name)],
            prompt: Some(written.prompt),
            negative_prompt: Some(written.negative),
            instruction: Some(written.instruction),
            question: written.question,
            kind: written.kind,
            options: written.options,
            answer: written.answer,
            task: Some(subtask.task.clone()),
            subtask: Some(subtask.name.clone()),
            granularity: Some(subtask.granularity.clone()),
            level: block.level.clone(),
            style: provenance.terms.get(super::metadata::STYLE).cloned(),
            pair: side.map(|side| Pair {
                id: pair_id(),
                side,
            }),
            rotation,
            provenance: Some(Box::new(provenance)),
            derivation: None,
            variant: None,
            edited: None,
            extra: serde_json::Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::fixtures::small;
    use crate::plan::Plan;
    use benchtop_model::{QuestionKind, Role};

    fn composer(plan: &str, seed: u64) -> Composer {
        let (compiled, found) = CompiledMetadata::compile(&small());
        assert!(found.is_empty(), "{found:?}");
        let plan = match plan.parse() {
            Ok(count) => Plan::balanced(&compiled, count),
            Err(_) => Plan::parse(plan, std::path::Path::new("plan.toml")).unwrap(),
        };
        let schedule = Schedule::new(&compiled, &plan).unwrap();
        Composer::new(Arc::new(compiled), Arc::new(schedule), seed)
    }

    fn all(composer: &mut Composer) -> Vec<Item> {
        (0..composer.schedule().questions())
            .map(|n| composer.question(n).unwrap())
            .collect()
    }

    #[test]
    fn questions_are_independent() {
        let items = all(&mut composer("300", 7));
        assert_eq!(items.len(), 300);
        let mut other = composer("300", 7);
        for n in (0..300).rev().step_by(7) {
            assert_eq!(other.question(n).unwrap(), items[n as usize]);
        }
        assert_eq!(other.question(300), None);
        assert_ne!(all(&mut composer("300", 8))[0].prompt, items[0].prompt);
    }

    #[test]
    fn positions_labels_and_orders_are_balanced() {
        let mut seen: BTreeMap<_, BTreeMap<_, u32>> = BTreeMap::new();
        for item in all(&mut composer("1500", 1)) {
            let (subtask, n) = (item.subtask.clone().unwrap(), item.options.len());
            let mut count = |what: &str, value: usize| {
                *seen
                    .entry((subtask.clone(), what.to_string(), n))
                    .or_default()
                    .entry(value)
                    .or_default() += 1;
            };
            match item.kind {
                QuestionKind::MultipleChoice => count("position", item.correct().unwrap()),
                QuestionKind::TrueFalse => {
                    count("label", usize::from(item.answer == "True"));
                    count("order", usize::from(item.options[0].text == "True"));
                }
                _ => {}
            }
            let mut texts: Vec<_> = item.options.iter().map(|o| &o.text).collect();
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), n);
            assert_eq!(
                item.options
                    .iter()
                    .filter(|o| o.role == Role::Correct)
                    .count(),
                usize::from(n > 0)
            );
            assert_eq!(
                item.chance(),
                if n > 0 { Some(1.0 / n as f64) } else { None }
            );
        }
        for ((subtask, what, n), counts) in seen {
            let values = if what == "position" { n } else { 2 };
            assert_eq!(counts.len(), values, "{subtask} {what}");
            let (least, most) = (
                counts.values().min().unwrap(),
                counts.values().max().unwrap(),
            );
            assert!(most - least <= 1, "{subtask} {what}: {counts:?}");
        }
    }

    #[test]
    fn items_are_rewritten_from_provenance() {
        let plans = [
            "200",
            "[[pictures]]\nsubject = \"animal\"\ncount = 10\nshape = \"pair\"\ndiffers = \"background\"\n",
            "[[pictures]]\nsubject = \"animal\"\ncount = 40\nshape = \"refusal\"\n",
            "[[pictures]]\nsubject = \"sign\"\ncount = 40\nshape = \"beyond\"\n",
        ];
        for plan in plans {
            let mut composer = composer(plan, 3);
            for item in all(&mut composer) {
                let choices = choices_of(&composer.compiled, &item).unwrap().unwrap();
                let written = write(&composer.compiled, &choices).unwrap();
                assert_eq!(Some(&written.prompt), item.prompt.as_ref());
                assert_eq!(Some(&written.instruction), item.instruction.as_ref());
                assert_eq!(
                    (&written.options, &written.answer),
                    (&item.options, &item.answer)
                );
                assert_eq!(
                    recipe(&composer.compiled, &choices),
                    item.provenance.unwrap().recipe
                );
            }
        }
    }

    #[test]
    fn a_question_in_words() {
        let items = all(&mut composer("60", 5));
        let item = items.iter().find(|i| {
            i.kind == QuestionKind::MultipleChoice && i.subtask.as_deref() == Some("color")
        });
        let item = item.unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(item).unwrap());
    }

    #[test]
    fn missing_metadata_is_named() {
        let mut composer = composer("60", 5);
        let item = all(&mut composer)
            .into_iter()
            .find(|i| i.subtask.as_deref() == Some("animal"))
            .unwrap();
        let mut metadata = small();
        let owner = item.provenance.as_ref().unwrap().terms["animal"].clone();
        let file = crate::metadata::file_of("animal");
        let text = metadata
            .text(&file)
            .unwrap()
            .replace(&format!("{owner}\n"), &format!("#- {owner}\n"));
        metadata.insert(benchtop_model::MetaFile { name: file, text });
        let (compiled, _) = CompiledMetadata::compile(&metadata);
        assert_eq!(
            choices_of(&compiled, &item).unwrap(),
            Err(MissingMetadata::Term("animal".into(), owner))
        );
    }
}
