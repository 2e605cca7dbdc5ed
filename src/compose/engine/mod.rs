//! The composer: what is drawn for each question of a course, and the item that comes of it.
//!
//! Question `n` depends on the metadata, the plan, the seed and `n` alone: any of them can be composed by itself, on
//! any machine, in any order.

mod choose;
mod missing;
mod write;

use std::sync::Arc;

pub use choose::{Asked, Choices};
pub use missing::{Fitting, fits, missing};
pub use write::{Gone, Written, choices_of, recipe, write};

use super::compiled_metadata::CompiledMetadata;
use super::deal::{self, Dealt, seat_decks};
use super::schedule::{Ask, CROSS, QuestionSlot, Schedule, Slot};
use benchtop_model::rng::{BalancedSampler, BalancedSamplers, key};
use benchtop_model::{Form, ImageRef, Item, Key, Pair, Provenance, Rotation, Side};

/// Composes the questions of a course. Copies are for other threads: they share all but the decks in hand.
#[derive(Clone, Debug)]
pub struct Composer {
    grammar: Arc<CompiledMetadata>,
    course: Arc<Schedule>,
    seed: u64,
    dataset: String,
    /// What every picture shows, where rules of compatibility decide it too.
    dealt: Option<Arc<Dealt>>,
    hands: Vec<Hand>,
}

impl Hand {
    /// The decks of a seat with so many cards.
    fn decks(
        &mut self,
        seed: u64,
        subtask: &str,
        (at, seat): (usize, &QuestionSlot),
        cards: (usize, usize),
    ) -> &mut BalancedSamplers {
        let all = &mut self.seats[at];
        let found = all
            .iter()
            .position(|(c, _)| *c == cards)
            .unwrap_or_else(|| {
                all.push((cards, seat_decks(seed, subtask, seat.ask, cards)));
                all.len() - 1
            });
        &mut all[found].1
    }
}

/// The decks of one block.
#[derive(Clone, Debug)]
struct Hand {
    /// One for each list of the subject, in their order.
    terms: Vec<BalancedSampler>,
    wording: BalancedSampler,
    /// For each seat, by their cards: where the right option stands, or whether the claim holds.
    seats: Vec<Vec<((usize, usize), BalancedSamplers)>>,
    /// Key for everything else that is drawn here.
    key: u64,
}

impl Composer {
    /// A composer for this course and seed. The data set is named after the plan and the seed.
    pub fn new(grammar: Arc<CompiledMetadata>, course: Arc<Schedule>, seed: u64) -> Composer {
        let dataset = format!("{}-{seed}", course.name);
        let hands = course.blocks.iter().map(|block| {
            let rules = &grammar.subjects[block.subject];
            let term = |list: &usize| {
                let name = &grammar.lists[*list].name;
                BalancedSampler::new(
                    key(seed, &["term", &block.name, name]),
                    block.allowed(*list).len(),
                )
            };
            Hand {
                terms: rules.lists.iter().map(term).collect(),
                wording: BalancedSampler::new(
                    key(seed, &["wording", &block.name]),
                    rules.prompts.len(),
                ),
                seats: vec![Vec::new(); block.seats.len()],
                key: key(seed, &["options", &block.name]),
            }
        });
        let hands = hands.collect();
        let rules = grammar.compatibility.as_deref();
        let dealt = rules.map(|rules| Arc::new(deal::deal(&grammar, rules, &course, seed)));
        Composer {
            grammar,
            course,
            seed,
            dataset,
            dealt,
            hands,
        }
    }

    /// Questions that repeat another one word for word, because there are no more: subject, subtask and how many.
    pub fn repeated(&self) -> Vec<(String, String, u64)> {
        let name = |((subject, subtask), n): ((usize, usize), u64)| {
            (
                self.grammar.subjects[subject].name.clone(),
                self.grammar.subtasks[subtask].name.clone(),
                n,
            )
        };
        self.dealt
            .iter()
            .flat_map(|d| d.repeated())
            .map(name)
            .collect()
    }

    /// The data set its questions belong to: `<plan>-<seed>`.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }

    /// The course.
    pub fn course(&self) -> &Schedule {
        &self.course
    }

    /// The grammar.
    pub fn grammar(&self) -> &CompiledMetadata {
        &self.grammar
    }

    /// Whether question `n` has no picture, because no terms that are left can stand together.
    pub fn is_impossible(&self, n: u64) -> bool {
        let Some(seated) = self.course.seated(n) else {
            return false;
        };
        self.dealt
            .as_ref()
            .is_some_and(|dealt| dealt.picture(seated.block, seated.unit).is_none())
    }

    /// What question `n` is about, for messages: subject and subtask.
    pub fn about(&self, n: u64) -> Option<(&str, &str)> {
        let seated = self.course.seated(n)?;
        let block = &self.course.blocks[seated.block];
        let subtask = &self.grammar.subtasks[block.seats.get(seated.seat)?.subtask];
        Some((&self.grammar.subjects[block.subject].name, &subtask.name))
    }

    /// Question `n`, from 0; none from [`Schedule::questions`] on, where every other term of the vocabulary holds of the
    /// picture too, so that there is no wrong answer, and where no picture is possible.
    pub fn question(&mut self, n: u64) -> Option<Item> {
        let seated = self.course.seated(n)?;
        let choices = self.choose(seated)?;
        // What is drawn from the grammar can be written with it.
        let written = write(&self.grammar, &choices).ok()?;
        Some(self.item(n, seated, &choices, written))
    }

    fn item(&self, n: u64, seated: Slot, choices: &Choices, written: Written) -> Item {
        let grammar = &self.grammar;
        let block = &self.course.blocks[seated.block];
        let subtask = &grammar.subtasks[choices.subtask];
        let number = i64::try_from(n + 1).unwrap_or(i64::MAX);
        let ask = block.seats[seated.seat].ask;
        let side = match ask {
            Ask::PairClaim { side: 0, .. } | Ask::PairChoice { side: 0, .. } => Some(Side::Natural),
            Ask::PairClaim { .. } | Ask::PairChoice { .. } => Some(Side::Manipulated),
            Ask::Cross { .. } => Some(Side::Cross),
            _ => None,
        };
        // The dataset is part of the name: two compositions do not share pictures. Of pairs MVP-Bench's endings.
        let ending = match side {
            None => "",
            Some(Side::Natural) => "_s",
            Some(Side::Manipulated) => "_e",
            Some(Side::Cross) => "_concat",
        };
        let name = format!("images/{}/{}{ending}.png", self.dataset, seated.picture);
        let named = |terms: &[(usize, u32)]| {
            let of = |&(list, term): &(usize, u32)| {
                let list = &grammar.lists[list];
                (list.name.clone(), list.terms[term as usize].clone())
            };
            terms
                .iter()
                .map(of)
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        let terms = named(&choices.terms);
        let pair_id = || Key::Int(i64::try_from(seated.picture).unwrap_or(i64::MAX));
        let of_set = |rotation: u8, of: usize| Rotation {
            set: format!(
                "{}-{}{ending}",
                seated.picture,
                subtask.name.replace(' ', "-")
            ),
            index: u32::from(rotation) + 1,
            of: of as u32,
        };
        let rotation = match ask {
            Ask::Cross { rotation } => Some(of_set(rotation, usize::from(CROSS))),
            Ask::PairChoice { rotation, .. } => Some(of_set(rotation, written.options.len())),
            _ => None,
        };
        let provenance = Provenance {
            seed: self.seed,
            picture: seated.picture
                + if side == Some(Side::Manipulated) {
                    1
                } else {
                    0
                },
            subject: grammar.subjects[choices.subject].name.clone(),
            wording: choices.wording as u32,
            second: named(&choices.second),
            claim: match choices.asked {
                Asked::Claim { term, .. } | Asked::YesNo { term, .. } => {
                    Some(grammar.lists[subtask.list].terms[term as usize].clone())
                }
                _ => None,
            },
            chance: written.chance,
            recipe: recipe(grammar, choices),
            vocabulary: grammar.vocabulary_revision.clone(),
            templates: grammar.template_revision.clone(),
            terms,
        };
        Item {
            id: format!("{}/{number}", self.dataset),
            dataset: self.dataset.clone(),
            key: Key::Int(number),
            form: match ask {
                Ask::Choice | Ask::Claim | Ask::Free => Form::Dysca,
                // Nothing but benchtop's own form holds a refusal.
                Ask::Refusal | Ask::Beyond => Form::Plain,
                Ask::PairClaim { .. } => Form::Mvp,
                Ask::PairChoice { .. } | Ask::Cross { .. } => Form::MvpCircular,
            },
            images: vec![ImageRef {
                name,
                ..ImageRef::default()
            }],
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
        let (grammar, found) = CompiledMetadata::compile(&small());
        assert!(found.is_empty(), "{found:?}");
        let plan = match plan.parse() {
            Ok(count) => Plan::balanced(&grammar, count),
            Err(_) => Plan::parse(plan, std::path::Path::new("plan.toml")).unwrap(),
        };
        let course = Schedule::new(&grammar, &plan).unwrap();
        Composer::new(Arc::new(grammar), Arc::new(course), seed)
    }

    fn all(composer: &mut Composer) -> Vec<Item> {
        (0..composer.course().questions())
            .map(|n| composer.question(n).unwrap())
            .collect()
    }

    #[test]
    fn any_question_can_be_composed_by_itself() {
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
    fn positions_labels_and_orders_are_exactly_even() {
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
    fn a_composed_item_is_written_again_from_its_own_provenance() {
        let plans = [
            "200",
            "[[pictures]]\nsubject = \"animal\"\ncount = 10\nshape = \"pair\"\ndiffers = \"background\"\n",
            "[[pictures]]\nsubject = \"animal\"\ncount = 40\nshape = \"refusal\"\n",
            "[[pictures]]\nsubject = \"sign\"\ncount = 40\nshape = \"beyond\"\n",
        ];
        for plan in plans {
            let mut composer = composer(plan, 3);
            for item in all(&mut composer) {
                let choices = choices_of(&composer.grammar, &item).unwrap().unwrap();
                let written = write(&composer.grammar, &choices).unwrap();
                assert_eq!(Some(&written.prompt), item.prompt.as_ref());
                assert_eq!(Some(&written.instruction), item.instruction.as_ref());
                assert_eq!(
                    (&written.options, &written.answer),
                    (&item.options, &item.answer)
                );
                assert_eq!(
                    recipe(&composer.grammar, &choices),
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
    fn what_is_gone_is_named() {
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
        metadata.put(benchtop_model::MetaFile { name: file, text });
        let (grammar, _) = CompiledMetadata::compile(&metadata);
        assert_eq!(
            choices_of(&grammar, &item).unwrap(),
            Err(Gone::Term("animal".into(), owner))
        );
    }
}
