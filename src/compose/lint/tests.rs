//! Every rule finds a planted defect; sound data has no findings; the defects of the released
//! generator are found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::engine::Composer;
use crate::fixtures::small;
use crate::metadata::{file_of, rules};
use crate::plan::Plan;
use crate::schedule::Schedule;
use benchtop_model::metafile::shipped;
use benchtop_model::{Choice, Form, Item, Key, Provenance, QuestionKind, Role};

fn put(metadata: &mut Metadata, file: &str, edit: impl Fn(&str) -> String) {
    let text = edit(metadata.text(file).unwrap_or_default());
    metadata.insert(MetaFile {
        name: file.into(),
        text,
    });
}

fn append(file: &'static str, line: &'static str) -> impl Fn(&mut Metadata) {
    move |m| put(m, file, |text| format!("{text}{line}\n"))
}

fn replace(from: &'static str, to: &'static str) -> impl Fn(&mut Metadata) {
    move |m| put(m, templates::FILE, |text| text.replace(from, to))
}

const ANIMAL: &str = "vocabularies/animal.txt";
const COLOR: &str = "vocabularies/color.txt";

/// A defect planted in metadata, with the place and term of its finding. A line is identified by a
/// part of its text.
struct Planted {
    rule: Rule,
    plant: Box<dyn Fn(&mut Metadata)>,
    file: &'static str,
    /// A part of the line; `None` for the whole file.
    line: &'static str,
    term: &'static str,
}

fn planted_in_metadata() -> Vec<Planted> {
    let case = |rule, plant: Box<dyn Fn(&mut Metadata)>, file, line, term| Planted {
        rule,
        plant,
        file,
        line,
        term,
    };
    let templates = templates::FILE;
    vec![
        case(
            Rule::Unreadable,
            Box::new(append(styles::FILE, "[[stile]")),
            styles::FILE,
            "[[stile]",
            "",
        ),
        case(
            Rule::MissingFile,
            Box::new(|m| m.remove(ANIMAL)),
            templates,
            "[subtask.animal]",
            "animal",
        ),
        case(
            Rule::BadTerm,
            Box::new(append(ANIMAL, "a {color} dog")),
            ANIMAL,
            "a {color} dog",
            "a {color} dog",
        ),
        case(
            Rule::StrayBlank,
            Box::new(append(ANIMAL, " eagle ")),
            ANIMAL,
            " eagle ",
            "eagle",
        ),
        case(
            Rule::EmptyVocabulary,
            Box::new(|m| put(m, COLOR, |_| "red\n".into())),
            COLOR,
            "",
            "color",
        ),
        case(
            Rule::DuplicateTerm,
            Box::new(append(ANIMAL, "Owl # allow: duplicate-term")),
            ANIMAL,
            "Owl",
            "Owl",
        ),
        case(
            Rule::BadTemplate,
            Box::new(replace("nd is {term}.", "nd is {term.")),
            templates,
            "{term.\"",
            "{term.",
        ),
        case(
            Rule::UnknownSlot,
            Box::new(replace("1 {color}", "1 {colour}")),
            templates,
            "{colour}",
            "colour",
        ),
        case(
            Rule::CyclicFragment,
            Box::new(replace("\"1 {color}", "\"{thing} {color}")),
            templates,
            "{thing} {color}",
            "thing",
        ),
        case(
            Rule::UnsupportedSlot,
            Box::new(replace(
                "answer = \"{color} {animal}",
                "answer = \"{text} {animal}",
            )),
            templates,
            "{text} {animal}",
            "text",
        ),
        case(
            Rule::UnusedVocabulary,
            Box::new(append("vocabularies/toy.txt", "ball")),
            "vocabularies/toy.txt",
            "",
            "toy",
        ),
        case(
            Rule::NearSynonym,
            Box::new(append(ANIMAL, "grey wolf")),
            ANIMAL,
            "grey wolf",
            "grey wolf",
        ),
        case(
            Rule::Homonym,
            Box::new(append(ANIMAL, "crane")),
            ANIMAL,
            "crane",
            "crane",
        ),
        case(
            Rule::Collision,
            Box::new(append(COLOR, "owl")),
            COLOR,
            "owl",
            "owl",
        ),
        case(
            Rule::LengthCue,
            Box::new(append(ANIMAL, "animal that is described at length")),
            ANIMAL,
            "animal that is",
            "animal that is described at length",
        ),
        case(
            Rule::BadRule,
            Box::new(append(rules::FILE, "hides = 3")),
            rules::FILE,
            "hides = 3",
            "hides",
        ),
        case(
            Rule::UnknownTerm,
            Box::new(append(
                rules::FILE,
                "[[look-alike]]\nanimal = [\"owl\", \"cat\", \"dog\"]",
            )),
            rules::FILE,
            "dog",
            "dog",
        ),
        case(
            Rule::Ungrouped,
            Box::new(append(
                rules::FILE,
                "[groups.color]\nwarm = [\"red\", \"white\"]",
            )),
            COLOR,
            "blue",
            "blue",
        ),
        case(
            Rule::AnswerLeak,
            Box::new(append("vocabularies/text.txt", "image")),
            "vocabularies/text.txt",
            "image",
            "image",
        ),
    ]
}

#[test]
fn planted_metadata_defects_are_located() {
    assert_eq!(super::metadata(&small()), []);
    for planted in planted_in_metadata() {
        let mut metadata = small();
        (planted.plant)(&mut metadata);
        let text = metadata.text(planted.file).unwrap();
        let line = text
            .lines()
            .position(|l| !planted.line.is_empty() && l.contains(planted.line));
        let line = line.map_or(0, |at| at as u32 + 1);
        let found = super::metadata(&metadata);
        let own = found.iter().find(|f| f.rule == planted.rule);
        let Some(own) = own else {
            panic!("{} is not found in {found:?}", planted.rule.name())
        };
        assert_eq!(
            (own.file.as_str(), own.line, own.term.as_str()),
            (planted.file, line, planted.term),
            "{own}"
        );
        assert!(
            !own.message.is_empty() && !own.message.ends_with('.'),
            "{own}"
        );
        // Each defect has one finding, except those that break other templates too.
        let others = found.iter().filter(|f| f.rule != planted.rule);
        let alone = !matches!(
            planted.rule,
            Rule::MissingFile | Rule::Unreadable | Rule::UnknownSlot
        );
        assert!(others.count() == 0 || !alone, "{found:?}");
    }
}

/// A complete composed set.
fn composed(metadata: &Metadata, count: u64) -> (CompiledMetadata, Vec<Item>) {
    let (compiled, found) = CompiledMetadata::compile(metadata);
    assert_eq!(found, []);
    let schedule = Schedule::new(&compiled, &Plan::balanced(&compiled, count)).unwrap();
    let mut composer = Composer::new(Arc::new(compiled.clone()), Arc::new(schedule), 11);
    let items = (0..composer.schedule().questions())
        .map(|n| composer.question(n).unwrap())
        .collect();
    (compiled, items)
}

fn lint(compiled: Option<&CompiledMetadata>, items: &[Item]) -> Vec<Finding> {
    let mut lint = ItemLint::new(compiled).named("set.json");
    for (at, item) in items.iter().enumerate() {
        lint.check(item, at as u64 + 1);
    }
    // These sets are larger than the number of different questions.
    lint.finish()
        .into_iter()
        .filter(|f| f.rule != Rule::RepeatedQuestion)
        .collect()
}

fn turn(item: &mut Item) {
    for option in &mut item.options {
        option.role = if option.role == Role::Correct {
            Role::Distractor
        } else {
            Role::Correct
        };
    }
    item.answer = item.options[item.correct().unwrap()].text.clone();
}

/// Defects planted in questions: a change of one question is found in its line, a change of the set
/// in line 0.
type Change = (Rule, fn(&Item) -> bool, fn(&mut Item), &'static str);

fn planted_in_items() -> Vec<Change> {
    fn choice(i: &Item) -> bool {
        i.kind == QuestionKind::MultipleChoice && i.options.len() == 4
    }
    fn color(i: &Item) -> bool {
        i.subtask.as_deref() == Some("color") && i.kind == QuestionKind::TrueFalse
    }
    vec![
        (
            Rule::DuplicateOption,
            choice,
            |i| i.options[0].text = i.options[1].text.clone(),
            "",
        ),
        (Rule::WrongLabel, color, turn, ""),
        (
            Rule::Unanswerable,
            |i| i.subtask.as_deref() == Some("background") && choice(i),
            |i| drop(i.provenance.as_mut().unwrap().terms.remove("background")),
            "",
        ),
        (Rule::EmptyQuestion, choice, |i| i.question = " ".into(), ""),
        (
            Rule::AnswerLeak,
            choice,
            |i| i.question = format!("Is it the {}?", i.options[i.correct().unwrap()].text),
            "",
        ),
        (
            Rule::WrongLetters,
            color,
            |i| {
                i.instruction = i
                    .instruction
                    .take()
                    .map(|t| t.replace("(A), (B)", "(A), (B), (C), (D)"))
            },
            "",
        ),
        (
            Rule::NearSynonym,
            choice,
            |i| {
                i.options.iter_mut().for_each(|o| {
                    if o.role == Role::Distractor {
                        o.text = "sparrow".into();
                    }
                })
            },
            "-",
        ),
    ]
}

#[test]
fn planted_question_defects_are_located() {
    let (compiled, sound) = composed(&small(), 600);
    assert_eq!(lint(Some(&compiled), &sound), []);
    for (rule, is, change, but) in planted_in_items().into_iter().filter(|c| c.3 != "-") {
        let mut items = sound.clone();
        let at = items.iter().position(is).unwrap();
        change(&mut items[at]);
        let found = lint(Some(&compiled), &items);
        let own = found.iter().find(|f| f.rule == rule);
        let Some(own) = own else {
            panic!("{} is not found in {found:?}", rule.name())
        };
        assert_eq!(
            (own.file.as_str(), own.line, own.term.as_str()),
            ("set.json", at as u32 + 1, &*items[at].id)
        );
        assert!(found.len() == 1 || !but.is_empty(), "{found:?}");
    }
}

#[test]
fn planted_set_defects_are_found() {
    let (compiled, sound) = composed(&small(), 1_200);
    assert_eq!(lint(Some(&compiled), &sound), []);
    let about = |i: &Item, kind| i.kind == kind && i.subtask.as_deref() == Some("animal");
    let of = |items: &[Item], rule, term: &str| {
        let found = lint(Some(&compiled), items);
        let own = found
            .iter()
            .find(|f| f.rule == rule && f.term.contains(term) && f.line == 0);
        assert!(
            own.is_some(),
            "{} of {term} is not found in {found:?}",
            rule.name()
        );
        own.unwrap().clone()
    };
    // The right option is always first.
    let mut items = sound.clone();
    for item in items
        .iter_mut()
        .filter(|i| about(i, QuestionKind::MultipleChoice))
    {
        let right = item.correct().unwrap();
        item.options.swap(0, right);
    }
    assert!(
        of(&items, Rule::PositionSkew, "animal")
            .message
            .contains("A/B/C/D")
    );
    // True is always first.
    let mut items = sound.clone();
    for item in items
        .iter_mut()
        .filter(|i| about(i, QuestionKind::TrueFalse) && i.options[0].text == "False")
    {
        item.options.swap(0, 1);
    }
    assert!(
        of(&items, Rule::PositionSkew, "animal")
            .message
            .contains("is True 80 of 80")
    );
    // No statement is true.
    let items: Vec<_> = sound
        .iter()
        .filter(|i| !about(i, QuestionKind::TrueFalse) || i.answer == "False")
        .cloned()
        .collect();
    assert!(
        of(&items, Rule::LabelSkew, "animal")
            .message
            .starts_with("0 of 40")
    );
    // The right option is longer than the others.
    let mut items = sound.clone();
    for item in items
        .iter_mut()
        .filter(|i| about(i, QuestionKind::MultipleChoice))
    {
        let right = item.correct().unwrap();
        item.options[right].text.push_str(", as can be seen");
    }
    of(&items, Rule::LengthCue, "animal");
    // A term is never asked about.
    let wolf = |i: &Item| {
        i.provenance
            .as_ref()
            .unwrap()
            .terms
            .get("animal")
            .is_some_and(|t| t == "wolf")
    };
    let items: Vec<_> = sound
        .iter()
        .filter(|i| i.subtask.as_deref() != Some("animal") || !wolf(i))
        .cloned()
        .collect();
    let mut found = vec![of(&items, Rule::UnusedTerm, "wolf")];
    assert_eq!((found[0].file.as_str(), found[0].line), (ANIMAL, 0));
    locate(&mut found, &small());
    assert_eq!(found[0].line, 6);
    // A part of a composition need not be balanced.
    let mut part = ItemLint::new(Some(&compiled)).sampled();
    sound.iter().take(37).for_each(|i| part.check(i, 1));
    assert_eq!(part.finish(), []);
}

#[test]
fn every_rule_has_a_planted_case() {
    let mut planted: BTreeSet<_> = planted_in_metadata().iter().map(|p| p.rule).collect();
    planted.extend(
        planted_in_items()
            .iter()
            .filter(|c| c.3 != "-")
            .map(|c| c.0),
    );
    planted.extend([
        Rule::PositionSkew,
        Rule::LabelSkew,
        Rule::LengthCue,
        Rule::UnusedTerm,
    ]);
    planted.extend(crate::scenes_tests::HELD);
    let missing: Vec<_> = Rule::ALL
        .iter()
        .filter(|r| !planted.contains(r))
        .map(|r| r.name())
        .collect();
    assert_eq!(missing, [""; 0], "rules without a planted case");
}

#[test]
fn allow_comments_silence_warnings_only() {
    let quiet = |file: &str, text: &str| {
        let mut metadata = small();
        put(&mut metadata, file, |old| format!("{old}{text}"));
        super::metadata(&metadata)
    };
    for text in [
        "crane # allow: homonym\n",
        "cranes # allow: homonym, collision\n",
        "grand piano\nupright piano # allow: near-synonym\n",
        "grand piano # allow: near-synonym\nupright piano\n",
        "hen that lives behind the house # allow: length-cue\n",
    ] {
        assert_eq!(quiet(ANIMAL, text), [], "{text}");
    }
    assert_eq!(quiet(COLOR, "owl # allow: collision\n"), []);
    let found = quiet(
        ANIMAL,
        "grand piano # allow: near-synonym\nupright piano\nold piano\n",
    );
    assert_eq!(
        found.iter().map(|f| f.term.as_str()).collect::<Vec<_>>(),
        ["old piano"]
    );
    assert!(
        found[0].message.contains("`upright piano` in line 8"),
        "{}",
        found[0].message
    );
    assert_eq!(quiet(ANIMAL, "owl # allow: duplicate-term\n").len(), 1);
    assert_eq!(
        quiet(
            styles::FILE,
            "[[style]]\nname = \"old comic\"\nprompt = \"x\"\n"
        )[0]
        .rule,
        Rule::NearSynonym
    );
    let meant = "[[style]]\nname = \"old comic\"\nprompt = \"x\"\nallow = [\"near-synonym\"]\n";
    assert_eq!(quiet(styles::FILE, meant), []);
    // Words to be read may look alike, and disabled terms are ignored.
    assert_eq!(quiet("vocabularies/text.txt", "markets\nowl\n"), []);
    assert_eq!(
        quiet("vocabularies/text.txt", "Mar-ket\nmar ket\n")[0].rule,
        Rule::NearSynonym
    );
    assert_eq!(quiet(ANIMAL, "#- owl\n#- crane\n"), []);
}

#[test]
fn unused_metadata_is_reported_unless_templates_are_broken() {
    let found = |edit: &dyn Fn(&mut Metadata)| {
        let mut metadata = small();
        edit(&mut metadata);
        super::metadata(&metadata)
    };
    // The released generator has a template for food that nothing uses.
    let unreached = found(&|m| {
        put(m, templates::FILE, |t| {
            t.replace("[fragment]", "[fragment]\nmeal = \"1 {animal}\"")
        })
    });
    assert_eq!(unreached.len(), 1);
    assert_eq!(
        (unreached[0].rule, unreached[0].term.as_str()),
        (Rule::UnusedVocabulary, "meal")
    );
    let silent = found(&|m| {
        put(m, templates::FILE, |t| {
            t.replace("'{text}', {style}", "nothing, {style}")
                .replace("main = \"text\"", "")
        })
    });
    assert_eq!(
        silent.iter().map(|f| f.term.as_str()).collect::<Vec<_>>(),
        ["text"],
        "{silent:?}"
    );
    assert!(silent[0].message.contains("never asked"));
    let misspelt = found(&|m| {
        put(m, templates::FILE, |t| {
            t.replace("{background}, {style}", "{backgruond}, {style}")
        })
    });
    assert!(
        misspelt.iter().all(|f| f.rule != Rule::UnusedVocabulary),
        "{misspelt:?}"
    );
    assert!(
        misspelt
            .iter()
            .any(|f| f.rule == Rule::UnknownSlot && f.help.contains("background"))
    );
    assert_eq!(
        found(&|m| m.remove(templates::FILE))
            .iter()
            .filter(|f| f.rule == Rule::MissingFile)
            .count(),
        1
    );
    let named = found(&|m| put(m, "vocabularies/style.txt", |_| "a\nb\n".into()));
    assert!(
        named.iter().any(|f| f.file == "vocabularies/style.txt"),
        "{named:?}"
    );
}

#[test]
fn single_files_are_linted() {
    let file = |name: &str, text: &str| {
        super::file(&MetaFile {
            name: name.into(),
            text: text.into(),
        })
    };
    assert_eq!(file("vocabularies/animal.txt", "owl\ncat\n"), []);
    assert_eq!(
        file("vocabularies/animal.txt", "owl\ncrane\nOwl\n").len(),
        2
    );
    assert_eq!(
        file("styles.toml", "[[style]]\nname = \"a\"\nprompt = \"\"\n")[0].rule,
        Rule::BadTerm
    );
    assert_eq!(file("templates.toml", "x = 1")[0].rule, Rule::Unreadable);
}

#[test]
fn shipped_metadata_is_clean() {
    let found = super::metadata(&Metadata::parse(shipped()));
    let own = |f: &&Finding| f.rule == Rule::AnswerLeak && f.file == file_of("text");
    let others: Vec<_> = found
        .iter()
        .filter(|f| !own(f))
        .map(ToString::to_string)
        .collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn relinting_checks_only_changed_files() {
    let mut metadata = Metadata::parse(shipped());
    let mut linter = Linter::default();
    let mut times = Vec::new();
    let edits = [
        ("", ""),
        (ANIMAL, "crane\n"),
        (ANIMAL, "owls nest\n"),
        ("vocabularies/text.txt", "abandon\n"),
        ("vocabularies/food.txt", "crane\n"),
        (styles::FILE, "[[style]]\nname = \"owl\"\nprompt = \"x\"\n"),
    ];
    for (file, text) in edits {
        if !file.is_empty() {
            put(&mut metadata, file, |old| format!("{old}{text}"));
        }
        let (_, compiled) = CompiledMetadata::compile(&metadata);
        let start = Instant::now();
        let found = linter.lint_compiled(&metadata, &compiled);
        times.push(format!(
            "{file} {:.2} ms",
            start.elapsed().as_secs_f64() * 1e3
        ));
        assert_eq!(found, super::metadata(&metadata), "{file}");
    }
    metadata.remove(ANIMAL);
    assert_eq!(linter.lint(&metadata), super::metadata(&metadata));
    let start = Instant::now();
    let (_, _) = CompiledMetadata::compile(&metadata);
    eprintln!(
        "linting again after a change: {}; CompiledMetadata::compile {:.2?}",
        times.join(", "),
        start.elapsed()
    );
    // Nouns are compared with each other, words to be read are not.
    let nouns: String = metadata
        .enabled("text")
        .iter()
        .map(|w| format!("{w}\n"))
        .collect();
    let name = "vocabularies/noun.txt";
    put(&mut metadata, name, |_| nouns.clone());
    let start = Instant::now();
    let found = super::file(&MetaFile {
        name: name.into(),
        text: nouns,
    });
    eprintln!(
        "5,000 nouns: {:.2?}, {} findings",
        start.elapsed(),
        found.len()
    );
}

/// An imported question, as the released generator wrote it.
fn released(
    id: i64,
    prompt: &str,
    subtask: &str,
    question: &str,
    options: &[&str],
    right: usize,
) -> Item {
    let role = |i| {
        if i == right {
            Role::Correct
        } else {
            Role::Distractor
        }
    };
    let truth = options.first() == Some(&"True");
    Item {
        id: format!("dysca/{id}"),
        dataset: "dysca".into(),
        key: Key::Int(id),
        form: Form::Dysca,
        images: Vec::new(),
        prompt: Some(prompt.into()),
        negative_prompt: None,
        instruction: Some(format!(
            "Question: {question}\nChoices:\nHint: Please answer the question and provide the correct option letter, e.g., \
             (A), (B), (C), (D), at the end.\nYour answer is:"
        )),
        question: question.into(),
        kind: if truth {
            QuestionKind::TrueFalse
        } else {
            QuestionKind::MultipleChoice
        },
        options: options
            .iter()
            .enumerate()
            .map(|(i, t)| Choice {
                text: (*t).into(),
                role: role(i),
            })
            .collect(),
        answer: options.get(right).copied().unwrap_or_default().into(),
        task: Some("recognition".into()),
        subtask: Some(subtask.into()),
        granularity: None,
        level: None,
        style: None,
        pair: None,
        rotation: None,
        provenance: None::<Box<Provenance>>,
        variant: None,
        derivation: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

#[test]
fn defects_of_the_released_generator_are_found() {
    let landmark = "Eiffel Tower, art nouveau style, elegant, decorative";
    let owl = "1 orange color owl, on the lawn, art nouveau style, elegant, decorative";
    let options = ["on the lawn", "in the cave", "urban street", "snowy field"];
    let styles = ["art nouveau", "cubist", "cubist", "isometric"];
    let mut items = vec![
        // Distractors were compared as whole records, so two can have one name.
        released(
            1,
            owl,
            "style",
            "What is the style of the image?",
            &styles,
            0,
        ),
        // Labeled False although the true style was asked about.
        released(
            2,
            owl,
            "style",
            "Is the picture art nouveau style?",
            &["True", "False"],
            1,
        ),
        // `background=[]` is not None.
        released(
            3,
            landmark,
            "background",
            "What is the background of the image?",
            &options,
            1,
        ),
        // Text questions are empty strings.
        released(
            4,
            "a sign with the text 'where'",
            "text",
            "",
            &["where", "aim", "prism", "lurk"],
            0,
        ),
    ];
    // True is always the first option.
    for id in 5..45 {
        let (question, right) = if id % 2 == 0 {
            ("Is the animal in the image owl?", 0)
        } else {
            ("Is it a cat?", 1)
        };
        items.push(released(
            id,
            owl,
            "animal",
            question,
            &["True", "False"],
            right,
        ));
        items.push(released(
            id + 100,
            owl,
            "background",
            "What is the background?",
            &options,
            0,
        ));
    }
    for compiled in [
        None,
        Some(CompiledMetadata::compile(&Metadata::parse(shipped())).0),
    ] {
        let found = lint(compiled.as_ref(), &items);
        let at = |rule| {
            found
                .iter()
                .filter(|f| f.rule == rule)
                .map(|f| f.line)
                .collect::<Vec<_>>()
        };
        assert_eq!(at(Rule::DuplicateOption), [1]);
        assert_eq!(at(Rule::WrongLabel), [2]);
        assert_eq!(at(Rule::Unanswerable), [3], "{found:?}");
        assert_eq!(at(Rule::EmptyQuestion), [4]);
        let letters = found.iter().filter(|f| f.rule == Rule::WrongLetters);
        assert_eq!(letters.clone().count(), 41);
        assert!(
            letters
                .clone()
                .all(|f| f.message.contains("C, D") && f.message.contains("2 options"))
        );
        let first = found
            .iter()
            .find(|f| f.rule == Rule::PositionSkew && f.message.contains("is True 40 of 40"));
        assert_eq!(first.unwrap().term, "true-false questions about animal");
    }
}

#[test]
fn unlisted_findings_are_counted() {
    let (compiled, mut items) = composed(&small(), 600);
    items
        .iter_mut()
        .filter(|i| i.kind == QuestionKind::FreeForm)
        .for_each(|i| i.question.clear());
    let found = lint(Some(&compiled), &items);
    assert_eq!(
        found
            .iter()
            .filter(|f| f.rule == Rule::EmptyQuestion)
            .count(),
        items::LISTED + 1
    );
    assert!(
        found.last().unwrap().message.starts_with("150 more "),
        "{}",
        found.last().unwrap()
    );
}

#[test]
fn composed_shapes_have_no_findings() {
    let (compiled, found) = CompiledMetadata::compile(&small());
    assert_eq!(found, []);
    for plan in [
        "[[pictures]]\nsubject = \"animal\"\ncount = 60\nshape = \"pair\"\ndiffers = \"background\"\n",
        "[[pictures]]\nsubject = \"animal\"\ncount = 43\nshape = \"refusal\"\n",
        "[[pictures]]\nsubject = \"sign\"\ncount = 60\nshape = \"beyond\"\n",
        "options = 3\n[[pictures]]\nsubject = \"animal\"\ncount = 71\n[[pictures]]\nsubject = \"sign\"\ncount = 30\n",
    ] {
        let plan = Plan::parse(plan, Path::new("plan.toml")).unwrap();
        let schedule = Schedule::new(&compiled, &plan).unwrap();
        let mut composer = Composer::new(Arc::new(compiled.clone()), Arc::new(schedule), 5);
        let items: Vec<_> = (0..composer.schedule().questions())
            .map(|n| composer.question(n).unwrap())
            .collect();
        assert_eq!(lint(Some(&compiled), &items), [], "{plan:?}");
        // Provenance alone is enough if vocabularies have the names of their subtasks.
        assert_eq!(lint(None, &items), [], "{plan:?}");
    }
}

/// Dysca's released folder as benchtop files: blanks trimmed, no comments, lowercase names.
fn dysca() -> Option<Metadata> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/dysca-metadata");
    if !dir.is_dir() {
        eprintln!("skipped: {} is not there", dir.display());
        return None;
    }
    let names = [
        ("action", "Actions.txt"),
        ("animal", "Animal.txt"),
        ("anime", "Anime.txt"),
        ("background", "Background.txt"),
        ("celebrity", "Celebrity.txt"),
        ("clothes", "Clothes.txt"),
        ("color", "Color.txt"),
        ("food", "Food.txt"),
        ("landmark", "Landmarks.txt"),
        ("movie", "Movie.txt"),
        ("object", "Object.txt"),
        ("age", "People/Age.txt"),
        ("expression", "People/Expression.txt"),
        ("gender", "People/Gender.txt"),
        ("race", "People/Race.txt"),
        ("plant", "Plant.txt"),
        ("profession", "profession.txt"),
        ("text", "text.txt"),
        ("tv-show", "TV shows.txt"),
    ];
    let mut metadata = Metadata::parse(shipped());
    // The shipped rules apply to the shipped terms.
    metadata.remove(rules::FILE);
    for (name, file) in names {
        let text = String::from_utf8(std::fs::read(dir.join(file)).unwrap()).unwrap();
        // Duplicates would be errors of the vocabulary, which the importer repairs.
        let mut seen = BTreeSet::new();
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && seen.insert(l.to_lowercase()));
        let text = lines.map(|l| format!("{l}\n")).collect();
        metadata.insert(MetaFile {
            name: file_of(name),
            text,
        });
    }
    let styles: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("Styles.json")).unwrap()).unwrap();
    let mut text = String::new();
    for style in styles.as_array().unwrap() {
        let of = |key: &str| {
            style[key]
                .as_str()
                .unwrap()
                .replace("{}", "")
                .replace('"', "'")
        };
        text += &format!(
            "[[style]]\nname = \"{}\"\nprompt = \"{}\"\nnegative = \"{}\"\n",
            of("name"),
            of("prompt").trim().trim_end_matches('.'),
            of("negative_prompt")
        );
    }
    metadata.insert(MetaFile {
        name: styles::FILE.into(),
        text,
    });
    Some(metadata)
}

#[test]
fn questions_from_dyscas_lists_have_only_vocabulary_findings() {
    let Some(metadata) = dysca() else { return };
    let found = super::metadata(&metadata);
    let mut rules: Vec<_> = found.iter().map(|f| f.rule).collect();
    rules.sort_unstable();
    for run in rules.chunk_by(|a, b| a == b) {
        eprintln!("Dysca's lists: {} findings of {}", run.len(), run[0].name());
    }
    assert!(
        found
            .iter()
            .all(|f| f.severity() == benchtop_model::Severity::Warning),
        "{found:#?}"
    );
    let (compiled, items) = composed(&metadata, 13_000);
    let start = Instant::now();
    let found = lint(Some(&compiled), &items);
    eprintln!(
        "13,000 questions: {} findings in {:.1?}",
        found.len(),
        start.elapsed()
    );
    // An OCR word that occurs in "What is the text in the image?" is a defect of its vocabulary and
    // is reported there too. The same holds for terms so similar that no others are left to draw.
    let vocabularys = |f: &&Finding| matches!(f.rule, Rule::AnswerLeak | Rule::NearSynonym);
    for finding in found.iter().filter(vocabularys) {
        eprintln!("of its vocabulary: {finding}");
    }
    let others: Vec<_> = found
        .iter()
        .filter(|f| !vocabularys(f))
        .map(ToString::to_string)
        .collect();
    assert_eq!(others, [""; 0]);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        proptest::collection::vec(
            "[a-z{}#\"=\\[\\] .\\n\\r\\t-]{0,20}|owl|[ÀßΣ漢🦉]{1,4}|# allow: homonym",
            0..12
        )
        .prop_map(|v| v.join("\n")),
        Just("[instruction]\n[subject.x]\nprompt=[\"{x}\"]\n".to_string()),
    ]
}

proptest! {
    #[test]
    fn arbitrary_metadata_does_not_panic(
        files in proptest::collection::vec((0..5_usize, any_text()), 0..5),
        with_templates: bool,
    ) {
        let names = [ANIMAL, COLOR, "vocabularies/style.txt", styles::FILE, templates::FILE];
        let mut metadata = if with_templates { small() } else { Metadata::default() };
        let mut linter = Linter::default();
        for (name, text) in files {
            metadata.insert(MetaFile { name: names[name].into(), text });
            let found = linter.lint(&metadata);
            prop_assert!(found.iter().all(|f| !f.message.is_empty()));
            prop_assert_eq!(found, super::metadata(&metadata));
        }
    }

    #[test]
    fn arbitrary_questions_do_not_panic(
        texts in proptest::collection::vec(any_text(), 6),
        options in proptest::collection::vec(any_text(), 0..7),
        right in 0..9_usize,
        composed: bool,
        kind in 0..4_usize,
    ) {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let mut item = released(1, &texts[0], &texts[1], &texts[2], &options, right);
        item.instruction = Some(texts[3].clone() + "Hint: (A), (Ö), (");
        item.kind = QuestionKind::ALL[kind];
        if composed {
            let terms = [("animal".to_string(), texts[4].clone())].into();
            let claim = Some(texts[5].clone());
            item.subtask = Some("animal".into());
            item.provenance = Some(Box::new(Provenance { terms, claim, ..Provenance::default() }));
        }
        let (compiled, _) = CompiledMetadata::compile(&small());
        for compiled in [None, Some(&compiled)] {
            let found = lint(compiled, std::slice::from_ref(&item));
            prop_assert!(found.iter().all(|f| f.file == "set.json"));
        }
    }
}
