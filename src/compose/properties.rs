//! Properties of every composition, for random vocabularies, templates, plans, and seeds; and fixed
//! hashes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::ambiguity::{contains_words, plain};
use super::compiled_metadata::CompiledMetadata;
use super::engine::{Composer, choices_of, recipe, write};
use super::metadata::STYLE;
use super::plan::Plan;
use super::random_metadata::{composer, ruled};
use super::scenes_tests::HELD as KEPT;
use super::schedule::Schedule;
use benchtop_model::rng::Stream;
use benchtop_model::{Item, QuestionKind, Role, Rule, Side};

/// Checks one item by itself.
fn sound(compiled: &CompiledMetadata, item: &Item) {
    let provenance = item.provenance.as_deref().unwrap();
    let prompt = item.prompt.as_deref().unwrap();
    let instruction = item.instruction.as_deref().unwrap();
    for text in [prompt, instruction, &item.question, &item.answer] {
        assert!(
            !text.contains(['{', '}']) && !text.contains("  ") && !text.trim().is_empty(),
            "{text}"
        );
    }
    let texts: BTreeSet<String> = item.options.iter().map(|o| plain(&o.text)).collect();
    assert_eq!(texts.len(), item.options.len(), "{item:?}");
    let subtask = &compiled.subtasks[compiled.subtask(item.subtask.as_deref().unwrap()).unwrap()];
    let list = &compiled.lists[subtask.list].name;
    let own = provenance.terms.get(list);
    let shown = |term: &str| contains_words(&plain(prompt), &plain(term));
    let beyond = item.level.as_deref() == Some("beyond");
    assert_eq!(own.is_none(), beyond);
    if let Some(own) = own.filter(|_| list != STYLE) {
        assert!(shown(own), "{own}: {prompt}");
    }
    let right: Vec<usize> = (0..item.options.len())
        .filter(|i| item.options[*i].role == Role::Correct)
        .collect();
    let refusals = item
        .options
        .iter()
        .filter(|o| o.role == Role::Refusal)
        .count();
    let options = item.options.len() as f64;
    let chance = match item.kind {
        QuestionKind::FreeForm => None,
        QuestionKind::YesNo => {
            let holds = if item.answer == "yes" {
                own
            } else {
                provenance.second.get(list)
            };
            assert_eq!(provenance.claim.as_ref(), holds);
            Some(0.5)
        }
        QuestionKind::TrueFalse => {
            let claim = provenance.claim.as_ref().unwrap();
            assert_eq!(item.options[right[0]].text, item.answer);
            assert_eq!(Some(claim) == own, item.answer == "True");
            assert!(
                item.answer == "True" || list == STYLE || !shown(claim),
                "{claim}: {prompt}"
            );
            Some(0.5)
        }
        QuestionKind::MultipleChoice => {
            assert_eq!(right.len(), usize::from(!beyond));
            let cross = item.pair.as_ref().is_some_and(|p| p.side == Side::Cross);
            if let Some(&at) = right.first() {
                let letters = item.pair.is_some();
                assert_eq!(
                    item.answer,
                    if letters {
                        Item::letter(at)
                    } else {
                        item.options[at].text.clone()
                    }
                );
                assert!(cross || Some(&item.options[at].text) == own);
            }
            for option in item
                .options
                .iter()
                .filter(|o| o.role == Role::Distractor && !cross && list != STYLE)
            {
                assert!(!shown(&option.text), "{}: {prompt}", option.text);
            }
            let may = if item.level.as_deref() == Some("know") {
                2.0
            } else {
                1.0
            };
            Some(if refusals == 1 {
                may / options
            } else {
                1.0 / options
            })
        }
    };
    let asked = matches!(item.level.as_deref(), Some("know" | "basic" | "beyond"));
    assert_eq!(refusals, usize::from(asked));
    assert_eq!((provenance.chance, item.chance()), (chance, chance));
    let choices = choices_of(compiled, item).unwrap().unwrap();
    let again = write(compiled, &choices).unwrap();
    assert_eq!(
        (&again.options, &again.instruction, again.chance),
        (&item.options, item.instruction.as_ref().unwrap(), chance)
    );
    assert_eq!(recipe(compiled, &choices), provenance.recipe);
}

/// Counts of each value by key. With `of` values, they may differ by at most one.
#[derive(Default)]
struct Even(BTreeMap<(String, usize), Vec<u64>>);

impl Even {
    fn add(&mut self, what: String, of: usize, value: usize) {
        self.0.entry((what, of)).or_insert_with(|| vec![0; of])[value] += 1;
    }

    fn check(&self) {
        for (key, counts) in &self.0 {
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{key:?}: {counts:?}");
        }
    }
}

fn even(items: &[Item]) {
    let mut even = Even::default();
    let mut sets: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for item in items {
        let (subtask, of) = (item.subtask.as_deref().unwrap(), item.options.len());
        let place = |role| item.options.iter().position(|o| o.role == role);
        match (
            item.kind,
            place(Role::Correct),
            place(Role::Refusal),
            &item.rotation,
        ) {
            (QuestionKind::TrueFalse, Some(right), ..) => {
                even.add(
                    format!("{subtask} label"),
                    2,
                    usize::from(item.answer == "True"),
                );
                even.add(
                    format!("{subtask} order"),
                    2,
                    right ^ usize::from(item.answer == "True"),
                );
            }
            (_, Some(right), None, Some(rotation)) => {
                assert_eq!(rotation.of as usize, of);
                assert!(sets.entry(&rotation.set).or_default().insert(right));
            }
            (_, Some(right), None, None) => even.add(format!("{subtask} choice"), of, right),
            (_, Some(right), Some(refusal), _) => {
                even.add(format!("{subtask} refusal"), of, refusal);
                even.add(format!("{subtask} beside a refusal"), of, right);
            }
            (_, None, Some(refusal), _) => even.add(format!("{subtask} beyond"), of, refusal),
            (QuestionKind::YesNo, ..) => {
                let side = item.pair.as_ref().unwrap().side.name();
                even.add(
                    format!("{subtask} yes of {side}"),
                    2,
                    usize::from(item.answer == "yes"),
                );
            }
            _ => {}
        }
    }
    even.check();
    for (set, places) in sets {
        let of = items
            .iter()
            .find_map(|i| i.rotation.as_ref().filter(|r| r.set == set))
            .unwrap()
            .of;
        assert_eq!(places.len(), of as usize, "{set}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compositions_are_sound_and_balanced(world: u64, seed: u64) {
        if let Some(mut composer) = composer(world, true, seed) {
            let n = composer.schedule().questions();
            let items: Vec<Item> = (0..n).map(|n| composer.question(n).unwrap()).collect();
            items.iter().for_each(|item| sound(composer.compiled(), item));
            even(&items);
            let pictures: BTreeSet<u64> =
                items.iter().map(|i| i.provenance.as_ref().unwrap().picture).collect();
            prop_assert_eq!(pictures.len() as u64, composer.schedule().pictures());
            prop_assert_eq!(pictures.last().copied().unwrap_or(0), composer.schedule().pictures());
        }
    }

    #[test]
    fn compositions_obey_rules_and_stay_balanced(world: u64, seed: u64) {
        if let Some(mut composer) = ruled(world, seed) {
            let n = composer.schedule().questions();
            let all: Vec<Option<Item>> = (0..n).map(|n| composer.question(n)).collect();
            for (n, item) in all.iter().enumerate() {
                prop_assert!(item.is_some() || composer.is_impossible(n as u64), "{:?}", (composer.subject_and_subtask(n as u64), &composer.schedule().blocks));
            }
            let items: Vec<Item> = all.into_iter().flatten().collect();
            let mut lint = super::lint::ItemLint::new(Some(composer.compiled())).sampled();
            items.iter().zip(1..).for_each(|(item, line)| lint.check(item, line));
            let broken = lint.finish().into_iter().find(|f| f.rule != Rule::RepeatedQuestion && KEPT.contains(&f.rule));
            prop_assert_eq!(broken, None);
            items.iter().for_each(|item| sound(composer.compiled(), item));
            if items.len() as u64 == n {
                even(&items);
            }
        }
    }

    #[test]
    fn overlapping_terms_make_no_wrong_questions(world: u64, seed: u64) {
        if let Some(mut composer) = composer(world, false, seed) {
            for n in 0..composer.schedule().questions() {
                if let Some(item) = composer.question(n) {
                    sound(composer.compiled(), &item);
                } else {
                    prop_assert!(composer.subject_and_subtask(n).is_some());
                }
            }
        }
    }

    #[test]
    fn questions_do_not_depend_on_order_or_clones(world: u64, seed: u64, order: u64) {
        if let (Some(mut composer), Some(mut other)) = (composer(world, true, seed), composer(world, true, seed)) {
            let n = composer.schedule().questions();
            let items: Vec<_> = (0..n).map(|n| composer.question(n)).collect();
            let mut numbers: Vec<u64> = (0..n).collect();
            Stream::new(order).shuffle(&mut numbers);
            for n in numbers.into_iter().take(200) {
                prop_assert_eq!(&other.question(n), &items[n as usize]);
                if n % 7 == 0 {
                    other = composer.clone();
                }
            }
        }
    }
}

#[test]
fn terms_and_styles_occur_as_often_as_planned() {
    let (compiled, _) = CompiledMetadata::compile(&crate::fixtures::small());
    for (size, list) in [("per-term", "animal"), ("per-style", STYLE)] {
        let text = format!(
            "[[pictures]]\nsubject = \"animal\"\n{size} = 3\nabout = [\"color\"]\nkinds = [\"free-form\"]\n"
        );
        let plan = Plan::parse(&text, std::path::Path::new("plan.toml")).unwrap();
        let schedule = Schedule::new(&compiled, &plan).unwrap();
        let mut composer = Composer::new(Arc::new(compiled.clone()), Arc::new(schedule), 5);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for n in 0..composer.schedule().questions() {
            *counts
                .entry(composer.question(n).unwrap().provenance.unwrap().terms[list].clone())
                .or_default() += 1;
        }
        assert_eq!(
            counts.len(),
            compiled.lists[compiled.list(list).unwrap()].terms.len()
        );
        assert!(counts.values().all(|n| *n == 3), "{counts:?}");
    }
}

/// Benchmarks must compose to the same bytes years later. If one of these hashes changes, existing
/// benchmarks can no longer be reproduced. Only a change of this test's own metadata may change
/// them.
#[test]
fn composed_bytes_never_change() {
    let (compiled, _) = CompiledMetadata::compile(&crate::fixtures::small());
    let shapes = "name = \"shapes\"\n\
        [[pictures]]\nsubject = \"animal\"\ncount = 20\nshape = \"pair\"\ndiffers = \"background\"\n\
        [[pictures]]\nsubject = \"animal\"\ncount = 50\nshape = \"refusal\"\n\
        [[pictures]]\nsubject = \"sign\"\nper-style = 10\nshape = \"beyond\"\n\
        [[pictures]]\nsubject = \"animal\"\nper-term = 4\nexclude = [\"red\", \"comic\"]\n";
    let shapes = Plan::parse(shapes, std::path::Path::new("plan.toml")).unwrap();
    let mut hashes = Vec::new();
    for plan in [Plan::balanced(&compiled, 1000), shapes] {
        let schedule = Schedule::new(&compiled, &plan).unwrap();
        let mut composer = Composer::new(Arc::new(compiled.clone()), Arc::new(schedule), 7);
        let mut hash = blake3::Hasher::new();
        for n in 0..composer.schedule().questions().min(1000) {
            hash.update(&serde_json::to_vec(&composer.question(n).unwrap()).unwrap());
        }
        hashes.push(hash.finalize().to_hex()[..16].to_string());
    }
    assert_eq!(hashes, ["07e7398f0edc7dfb", "6a21a915b733a3b5"]);
}
