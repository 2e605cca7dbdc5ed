//! Tests of compositions under compatibility rules: rules are obeyed, questions do not repeat,
//! counts stay balanced.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::compatibility::tests::ruled;
use super::compiled_metadata::CompiledMetadata;
use super::engine::Composer;
use super::lint::ItemLint;
use super::metadata::{Metadata, file_of, rules};
use super::plan::Plan;
use super::schedule::Schedule;
use crate::fixtures::small;
use benchtop_model::metafile::shipped;
use benchtop_model::{Item, MetaFile, QuestionKind, Rule};

const RULES: &str = r#"
[[not-with]]
animal = ["salmon"]
background = ["in a forest", "under the stars", "in a street"]
[[not-with]]
color = ["red"]
style = ["sketch"]
[[hides]]
style = ["comic"]
hides = ["color"]
[[hides]]
style = ["mosaic"]
hides = ["background"]
[[shows]]
background = ["in a forest"]
shows = { animal = ["beetle"] }
[groups.background]
place = ["on a lawn", "in a forest", "by the sea", "in a street"]
time = ["under the stars", "at sunset"]
[[look-alike]]
style = ["sketch", "comic"]
[letters-apart]
text = [2, 3]
"#;

/// The linter rules that compositions must satisfy.
pub(super) const HELD: [Rule; 7] = [
    Rule::ImpossibleScene,
    Rule::HiddenAnswer,
    Rule::SecondAnswer,
    Rule::LookAlike,
    Rule::ShownAnyway,
    Rule::RepeatedQuestion,
    Rule::FarDistractor,
];

/// The small metadata with another time of day, more words to read, and these rules.
fn larger() -> Metadata {
    let mut metadata = ruled(RULES);
    for (name, more) in [
        ("background", "at sunset\n"),
        (
            "text",
            "markets\nbasket\ncasket\nracket\nbracket\nblanket\n",
        ),
    ] {
        let name = file_of(name);
        let text = format!("{}{more}", metadata.text(&name).unwrap());
        metadata.insert(MetaFile { name, text });
    }
    metadata
}

fn compile(metadata: &Metadata) -> CompiledMetadata {
    let (compiled, found) = CompiledMetadata::compile(metadata);
    assert!(
        found
            .iter()
            .all(|f| f.severity() == benchtop_model::Severity::Warning),
        "{found:?}"
    );
    compiled
}

fn composer(compiled: &CompiledMetadata, plan: &Plan, seed: u64) -> Composer {
    let schedule = Schedule::new(compiled, plan).unwrap();
    Composer::new(Arc::new(compiled.clone()), Arc::new(schedule), seed)
}

fn items(compiled: &CompiledMetadata, plan: &Plan, seed: u64) -> Vec<Item> {
    let mut composer = composer(compiled, plan, seed);
    (0..composer.schedule().questions())
        .map(|n| composer.question(n).unwrap())
        .collect()
}

/// Findings by rule, where `by` has the compatibility rules.
fn found(by: &CompiledMetadata, items: &[Item]) -> BTreeSet<Rule> {
    let mut lint = ItemLint::new(Some(by)).sampled();
    items
        .iter()
        .zip(1..)
        .for_each(|(item, line)| lint.check(item, line));
    lint.finish()
        .into_iter()
        .map(|f| f.rule)
        .filter(|r| HELD.contains(r))
        .collect()
}

fn plan(text: &str) -> Plan {
    Plan::parse(text, Path::new("plan.toml")).unwrap()
}

#[test]
fn all_shapes_obey_rules_and_the_linter_finds_violations() {
    let with = compile(&larger());
    let without = with.clone().without_rules();
    let shapes = plan(
        "name = \"shapes\"\n\
         [[pictures]]\nsubject = \"animal\"\ncount = 60\n\
         [[pictures]]\nsubject = \"animal\"\ncount = 30\nshape = \"pair\"\ndiffers = \"background\"\n\
         [[pictures]]\nsubject = \"animal\"\ncount = 20\nshape = \"pair\"\ndiffers = \"style\"\n\
         [[pictures]]\nsubject = \"animal\"\ncount = 50\nshape = \"refusal\"\n\
         [[pictures]]\nsubject = \"sign\"\nper-style = 6\nshape = \"beyond\"\n",
    );
    let mut all = BTreeSet::new();
    for plan in [Plan::balanced(&with, 400), shapes] {
        let composed = items(&with, &plan, 5);
        let mut lint = ItemLint::new(Some(&with)).sampled();
        composed
            .iter()
            .zip(1..)
            .for_each(|(item, line)| lint.check(item, line));
        let first = lint.finish().into_iter().find(|f| HELD.contains(&f.rule));
        assert_eq!(
            first.as_ref().map(|f| (f, &composed[f.line as usize - 1])),
            None
        );
        all.extend(found(&with, &items(&without, &plan, 5)));
    }
    assert_eq!(all, BTreeSet::from(HELD));
}

#[test]
fn shipped_metadata_obeys_its_rules() {
    let with = compile(&Metadata::parse(shipped()));
    let without = with.clone().without_rules();
    let plan = Plan::balanced(&with, 12_000);
    let composed = items(&with, &plan, 1);
    assert_eq!(composed.len(), 12_000);
    assert_eq!(found(&with, &composed), BTreeSet::new());
    assert!(composer(&with, &plan, 1).repeated().is_empty());
    let before = items(&without, &Plan::balanced(&without, 12_000), 1);
    assert_eq!(found(&with, &before), BTreeSet::from(HELD));
}

/// Counts of values by property.
type Counts = BTreeMap<String, BTreeMap<String, f64>>;

fn counts(items: &[Item]) -> Counts {
    let mut counts = Counts::new();
    let mut add =
        |of: String, value: String| *counts.entry(of).or_default().entry(value).or_default() += 1.0;
    for item in items {
        let subtask = item.subtask.clone().unwrap();
        let kind = item.kind.name();
        add("subtask".into(), subtask.clone());
        add("type".into(), kind.into());
        add(
            format!("style of {subtask}, {kind}"),
            item.style.clone().unwrap(),
        );
        if item.kind == QuestionKind::MultipleChoice {
            let n = item.options.len();
            add(
                format!("position of {subtask} among {n}"),
                item.correct().unwrap().to_string(),
            );
            for option in item.options.iter().filter(|o| o.text != item.answer) {
                add(format!("wrong answers of {subtask}"), option.text.clone());
            }
        }
        if item.kind == QuestionKind::TrueFalse {
            add(format!("label of {subtask}"), item.answer.clone());
            add(format!("order of {subtask}"), item.options[0].text.clone());
        }
    }
    counts
}

/// Highest and lowest count, and chi-square per degree of freedom against a uniform distribution.
fn spread(counts: &BTreeMap<String, f64>) -> (f64, f64, f64) {
    let mean = counts.values().sum::<f64>() / counts.len() as f64;
    let square: f64 = counts.values().map(|n| (n - mean).powi(2) / mean).sum();
    let least = counts.values().copied().fold(f64::MAX, f64::min);
    (
        least,
        counts.values().copied().fold(0.0, f64::max),
        square / (counts.len() as f64 - 1.0).max(1.0),
    )
}

#[test]
fn rules_keep_the_balance() {
    let with = compile(&Metadata::parse(shipped()));
    let without = with.clone().without_rules();
    let of = |g: &CompiledMetadata| counts(&items(g, &Plan::balanced(g, 12_000), 3));
    let (before, after) = (of(&without), of(&with));
    for (what, counts) in &after {
        let (least, most, square) = spread(counts);
        let exact = ["position", "label", "order", "subtask", "type"]
            .iter()
            .any(|w| what.starts_with(w));
        if exact {
            assert!(most - least <= 1.0, "{what}: {counts:?}");
        } else if what.starts_with("style of") {
            // Styles that hide what is asked about have no questions; the others share them evenly.
            let (.., other) = spread(&before[what]);
            assert!(
                square <= other.max(0.2) * 1.5,
                "{what}: {square} against {other}, {counts:?}"
            );
        } else if counts.len() <= 60 && !what.contains("background") && !what.contains("style") {
            let (.., other) = spread(&before[what]);
            assert!(
                square <= other.max(1.0) * 2.0,
                "{what}: {square} against {other}"
            );
        }
    }
}

#[test]
fn composition_without_rules_is_unchanged() {
    let plain = compile(&small());
    let aside = compile(&ruled(RULES)).without_rules();
    let words = |items: Vec<Item>| -> Vec<_> {
        items
            .into_iter()
            .map(|i| (i.prompt, i.instruction, i.answer))
            .collect()
    };
    let plan = Plan::balanced(&plain, 300);
    assert_eq!(plan, Plan::balanced(&aside, 300));
    assert_eq!(
        words(items(&plain, &plan, 2)),
        words(items(&aside, &plan, 2))
    );
    assert_ne!(
        words(items(&plain, &plan, 2)),
        words(items(&compile(&ruled("")), &plan, 2)),
        "an empty file still prevents repeats"
    );
}

#[test]
fn repeats_are_avoided_or_counted() {
    // Six words in five styles make thirty pictures.
    let sign = |count: u64, kinds: &str| {
        plan(&format!(
            "[[pictures]]\nsubject = \"sign\"\ncount = {count}\nabout = [\"text\"]\nkinds = [{kinds}]\n"
        ))
    };
    let with = compile(&ruled(""));
    let pictures = (with.lists[with.list("text").unwrap()].terms.len() * 5) as u64;
    let repeats = |plan: &Plan| {
        let items = items(&with, plan, 9);
        let mut seen = BTreeSet::new();
        let again = |item: &&Item| {
            let mut options: Vec<_> = item.options.iter().map(|o| o.text.clone()).collect();
            options.sort();
            !seen.insert((item.prompt.clone(), item.question.clone(), options))
        };
        let repeated = items.iter().filter(again).count() as u64;
        let counted: u64 = composer(&with, plan, 9)
            .repeated()
            .iter()
            .map(|r| r.2)
            .sum();
        assert_eq!(repeated, counted);
        repeated
    };
    assert_eq!(
        repeats(&sign(pictures, "\"free-form\"")),
        0,
        "every possible picture"
    );
    assert_eq!(repeats(&sign(pictures + 5, "\"free-form\"")), 5);
    assert_eq!(
        repeats(&sign(4 * pictures, "\"multiple-choice\"")),
        0,
        "wrong answers differ"
    );
    // Half of the statements are true, and one statement per picture is.
    assert_eq!(repeats(&sign(pictures, "\"true-false\"")), 0);
}

#[test]
fn plans_emptied_by_rules_fail_with_the_field() {
    let hidden = "[[hides]]\nstyle = [\"woodcut\", \"oil painting\", \"comic\", \"sketch\", \"mosaic\"]\nhides = [\"color\"]\n";
    let color = plan("[[pictures]]\nsubject = \"animal\"\ncount = 5\nabout = [\"color\"]\n");
    let problem = Schedule::new(&compile(&ruled(hidden)), &color).unwrap_err();
    assert_eq!(problem.place.field.as_deref(), Some("pictures.about"));
    let apart = "[[not-with]]\nanimal = [\"owl\", \"cat\", \"horse\", \"salmon\", \"beetle\", \"wolf\"]\ncolor = [\"red\", \"blue\", \"white\"]\n";
    let problem = Schedule::new(&compile(&ruled(apart)), &color).unwrap_err();
    assert_eq!(problem.place.field.as_deref(), Some("pictures.exclude"));
    let many = plan("[[pictures]]\nsubject = \"animal\"\ncount = 100000000\nabout = [\"color\"]\n");
    assert!(
        Schedule::new(&compile(&ruled("")), &many).is_err(),
        "memory is bounded"
    );
    assert!(Schedule::new(&compile(&small()), &many).is_ok());
}

#[test]
fn hidden_questions_move_to_other_pictures() {
    let with = compile(&larger());
    let all = plan("[[pictures]]\nsubject = \"animal\"\nper-style = 12\n");
    let mut pictures: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for item in items(&with, &all, 4) {
        let style = item.style.clone().unwrap();
        pictures
            .entry(style.clone())
            .or_default()
            .insert(item.provenance.as_ref().unwrap().picture);
        asked
            .entry(style)
            .or_default()
            .insert(item.subtask.clone().unwrap());
    }
    assert!(
        pictures.values().all(|p| p.len() == 12),
        "every style keeps its number of pictures: {pictures:?}"
    );
    assert!(!asked["comic"].contains("color") && asked["comic"].contains("animal"));
    assert!(asked["mosaic"].contains("color") && !asked["mosaic"].contains("background"));
    assert!(asked["woodcut"].contains("color") && asked["woodcut"].contains("background"));
}

#[test]
fn invalid_rules_file_is_located() {
    let mut metadata = small();
    metadata.insert(MetaFile {
        name: rules::FILE.into(),
        text: "[[not-with]]\nanimal = \"owl\"\n".into(),
    });
    let all: Vec<_> = metadata.found().map(|f| (f.rule, f.line)).collect();
    assert_eq!(all, [(Rule::BadRule, 2)]);
    let before = metadata.template_revision();
    metadata.remove(rules::FILE);
    assert!(metadata.rules().is_none() && metadata.found().next().is_none());
    assert_ne!(before, metadata.template_revision());
    assert_eq!(metadata.template_revision(), small().template_revision());
}
