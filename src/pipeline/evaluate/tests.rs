use super::ask::{Wordings, question, read};
use super::orders::{count, of_item, option_order, sample};
use super::publish_predictions::prediction;
use super::relabel::relabelled;
use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_metrics::extract::{Extractor, Read};
use benchtop_model::evaluation::{NewRun, OptionOrders, RunQuestion, Wording};
use benchtop_model::vlm::Reply;
use benchtop_model::{Choice, Form, Item, Key, Prediction, QuestionKind, Role};
use benchtop_store::runs::{Counts, Run};

fn item(options: &[&str]) -> Item {
    let choice = |(at, text): (usize, &&str)| Choice {
        text: (*text).into(),
        role: match (at, *text) {
            (_, "I cannot tell") => Role::Refusal,
            (0, _) => Role::Correct,
            _ => Role::Distractor,
        },
    };
    serde_json::from_value::<Item>(serde_json::json!({
        "id": "set/1", "dataset": "set", "key": 1, "form": "dysca", "question": "What is it?", "kind": "multiple-choice",
        "answer": options.first().copied().unwrap_or("a cat"),
    }))
    .map(|item| Item {
        options: options.iter().enumerate().map(choice).collect(),
        kind: if options.is_empty() { QuestionKind::FreeForm } else { QuestionKind::MultipleChoice },
        key: Key::Int(1),
        ..item
    })
    .unwrap()
}

fn new(orders: OptionOrders) -> NewRun {
    NewRun {
        model: "m".into(),
        name: None,
        servers: Vec::new(),
        filter: String::new(),
        sample: None,
        seed: 5,
        blind: true,
        orders,
        wording: Wording::Paper,
        max_tokens: 64,
        tries: 3,
        prices: (0, 0),
        dry: false,
        drafts: false,
    }
}

#[test]
fn rotations_are_complete_and_shuffles_do_not_depend_on_the_model() {
    let four = item(&["a cat", "a dog", "an owl", "I cannot tell"]);
    let rotations: Vec<Vec<u16>> = of_item(OptionOrders::Circular, 4, false)
        .map(|order| option_order(OptionOrders::Circular, &four, order, 1))
        .collect();
    assert_eq!(
        rotations,
        [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
    );
    let shuffles = |seed| -> Vec<Vec<u16>> {
        of_item(OptionOrders::Shuffles(5), 4, false)
            .map(|order| option_order(OptionOrders::Shuffles(5), &four, order, seed))
            .collect()
    };
    assert_eq!(
        (
            shuffles(1).len(),
            shuffles(1) == shuffles(1),
            shuffles(1) == shuffles(2)
        ),
        (5, true, false)
    );
    for mut places in shuffles(1) {
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3]);
    }
    // Nothing to rotate, or already rotated.
    for (orders, options, is_rotation) in [
        (OptionOrders::Circular, 0, false),
        (OptionOrders::Circular, 4, true),
        (OptionOrders::Shuffles(5), 1, false),
        (OptionOrders::AsIs, 4, false),
    ] {
        assert_eq!(
            (
                count(orders, options, is_rotation),
                of_item(orders, options, is_rotation)
            ),
            (1, 0..1)
        );
    }
    assert_eq!(of_item(OptionOrders::Shuffles(3), 2, true), 1..4);
}

#[test]
fn a_sample_depends_on_its_seed_and_keeps_the_order() {
    let all: Vec<u32> = (1..=100).collect();
    let some = sample(&all, Some(10), 3);
    assert!(
        some.len() == 10
            && some.is_sorted()
            && some == sample(&all, Some(10), 3)
            && some != sample(&all, Some(10), 4)
    );
    assert_eq!(
        (
            sample(&all, None, 3).len(),
            sample(&all, Some(200), 3).len()
        ),
        (100, 100)
    );
}

#[test]
fn letters_are_mapped_to_the_items_own_order() {
    let options = ["a cat", "a dog", "Plan B", "I cannot tell"];
    // Shown: A "a dog", B "I cannot tell", C "a cat", D "Plan B".
    let order = [1, 3, 0, 2];
    for (said, reads) in [
        ("A", "B"),
        ("(C)", "(A)"),
        ("[[D]]", "[[C]]"),
        ("C. a cat", "A. a cat"),
        ("**b**", "**d**"),
        ("a", "b"),
        ("It is a dog.", "It is a dog."),
        ("The answer is D, Plan B.", "The answer is C, Plan B."),
        ("I cannot tell", "I cannot tell"),
        ("I'd say B", "I'd say D"),
        ("DNA", "DNA"),
        ("E", "E"),
        ("", ""),
        ("A or C?", "B or A?"),
        ("ABBA über C", "ABBA über A"),
    ] {
        assert_eq!(relabelled(said, &options, &order), reads, "{said}");
    }
    assert_eq!(relabelled("A or B", &options, &[0, 1, 2, 3]), "A or B");
    assert_eq!(relabelled("A or B", &options, &[]), "A or B");
}

#[test]
fn an_answer_is_read_with_the_options_at_the_time() {
    let dir = tempfile::tempdir().unwrap();
    let words = Wordings::of(&Project::init(dir.path()).unwrap(), &Wording::Paper).unwrap();
    let mut item = item(&["a cat", "a dog", "Plan B", "I cannot tell"]);
    let run = Run {
        id: 1,
        label: "m".into(),
        by: "ann".into(),
        created: 7,
        new: new(OptionOrders::Circular),
        instruction: "paper".into(),
        items: 1,
        asks: 4,
        counts: Counts::default(),
        drafts: 0,
        again: false,
    };
    // Shown: A "a dog", B "Plan B", C "I cannot tell", D "a cat".
    let asked = question(&item, 2, &run.new, &words, &[]).unwrap();
    let answer = asked.answered(Reply {
        text: "B, Plan B.".into(),
        ..Reply::default()
    });
    item.options[2].text = "another plan".into();
    item.options.swap(0, 1);
    let prediction = prediction(
        &run,
        &item,
        RunQuestion {
            number: 1,
            order: 2,
        },
        &answer,
    );
    assert_eq!(
        (prediction.output.as_str(), &prediction.extra["said"]),
        ("C, Plan B.", &"B, Plan B.".into())
    );
}

#[test]
fn a_digit_is_read_by_the_instruction_that_was_sent() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(dir.path()).unwrap();
    let numbered = Item {
        instruction: Some("What is it?\n1) a cat\n2) a dog\nAnswer with the number.".into()),
        ..item(&["a cat", "a dog"])
    };
    let run = |wording: Wording| {
        let words = Wordings::of(&project, &wording).unwrap();
        let asked = question(&numbered, 0, &new(OptionOrders::AsIs), &words, &[]).unwrap();
        let sent = asked.ask.prompt.clone();
        let answer = asked.answered(Reply {
            text: "2".into(),
            ..Reply::default()
        });
        let mut extra = serde_json::Map::new();
        extra.insert("run".into(), 1.into());
        extra.insert("instruction".into(), answer.instruction.into());
        let prediction = Prediction {
            key: Key::Int(1),
            output: answer.output,
            rule: None,
            judge: None,
            extra,
        };
        let asked = crate::board::as_asked(&numbered, &prediction);
        (
            sent,
            Extractor::Strict.read(&asked, "2", None),
            Extractor::Strict.read(&asked, "B", None),
        )
    };
    let (sent, digit, letter) = run(Wording::Paper);
    assert_eq!(Some(sent), numbered.instruction);
    assert_eq!((digit, letter), (Read::Option(1), Read::Option(1)));
    let (sent, digit, letter) = run(Wording::Named("dysca".into()));
    assert!(sent.contains("(A) a cat\n(B) a dog"), "{sent}");
    assert_eq!((digit, letter), (Read::Unparsed, Read::Option(1)));
    // An instruction of the project letters the options as well.
    let text = "version = 1\nabout = \"mine\"\nmultiple-choice = \"{question}\\n{options}\"\ntrue-false = \"{question}\\n{options}\"\nyes-no = \"{question}\"\nfree-form = \"{question}\"\noption = \"{letter}: {text}\"\n";
    let (sent, digit, letter) = run(Wording::Text {
        name: "mine.toml".into(),
        text: text.into(),
    });
    assert_eq!(sent, "What is it?\nA: a cat\nB: a dog");
    assert_eq!((digit, letter), (Read::Unparsed, Read::Option(1)));
}

#[test]
fn a_question_uses_the_instruction_of_its_paper() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(dir.path()).unwrap();
    let words = Wordings::of(&project, &Wording::Paper).unwrap();
    let ask =
        |item: &Item, order, orders| question(item, order, &new(orders), &words, &[]).unwrap();
    let mut own = Item {
        instruction: Some("In its own words?".into()),
        ..item(&["a cat", "a dog"])
    };
    let as_is = ask(&own, 0, OptionOrders::AsIs);
    assert_eq!(
        (as_is.ask.prompt.as_str(), as_is.frame.instruction.as_str()),
        ("In its own words?", "item")
    );
    assert!(as_is.frame.shown.is_empty());
    let turned = ask(&own, 2, OptionOrders::Circular);
    assert!(
        turned.ask.prompt.contains("(A) a dog\n(B) a cat\nHint"),
        "{}",
        turned.ask.prompt
    );
    assert_eq!(
        (turned.frame.instruction.as_str(), turned.frame.shown),
        ("dysca@1", vec![1, 0])
    );
    own.form = Form::Mvp;
    assert_eq!(
        ask(&own, 2, OptionOrders::Circular).frame.instruction,
        "mvp@1"
    );
    let refuses = ask(
        &item(&["a cat", "a dog", "I cannot tell"]),
        2,
        OptionOrders::Circular,
    );
    assert_eq!(
        (refuses.frame.instruction.as_str(), refuses.frame.refusal),
        ("mm-sap@1", Some(1))
    );
    assert_eq!(
        ask(&item(&[]), 0, OptionOrders::Circular).ask.prompt,
        "What is it?\nYour answer is:"
    );
    // One instruction for all, and an invalid one.
    let plain = Wordings::of(&project, &Wording::Named("plain".into())).unwrap();
    let asked = question(&own, 0, &new(OptionOrders::AsIs), &plain, &[]).unwrap();
    assert_eq!(asked.ask.prompt, "What is it?\nA. a cat\nB. a dog");
    assert!(plain.described().starts_with("plain@1 ") && words.described().starts_with("paper "));
    let none = Wordings::of(&project, &Wording::Named("dysko".into())).unwrap_err();
    assert!(none.to_string().contains("mm-sap"), "{none}");
    let wrong = read("mine.toml", "version = 1\nabout = \"x\"\noption = \"y\"\n").unwrap_err();
    assert_eq!(
        wrong.place.file.as_deref(),
        Some(std::path::Path::new("mine.toml"))
    );
}

#[test]
fn an_item_with_an_unusable_picture_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(dir.path()).unwrap();
    let words = Wordings::of(&project, &Wording::Paper).unwrap();
    let with = Item {
        images: vec![benchtop_model::ImageRef {
            name: "a.png".into(),
            ..Default::default()
        }],
        ..item(&[])
    };
    let seeing = NewRun {
        blind: false,
        ..new(OptionOrders::AsIs)
    };
    assert!(
        question(&with, 0, &seeing, &words, &[])
            .unwrap_err()
            .contains("1 pictures, of which 0")
    );
    assert!(
        question(&with, 0, &new(OptionOrders::AsIs), &words, &[]).is_ok(),
        "a blind model needs none"
    );
    let file = dir.path().join("a.png");
    let holding = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        PictureFile {
            path: file.clone(),
            hash: blake3::hash(bytes).to_hex().to_string(),
        }
    };
    assert!(
        question(&with, 0, &seeing, &words, &[holding(b"<svg>")])
            .unwrap_err()
            .contains("not PNG")
    );
    let picture = [holding(b"GIF89a")];
    assert_eq!(
        question(&with, 0, &seeing, &words, &picture)
            .unwrap()
            .ask
            .images
            .len(),
        1
    );
    holding(b"GIF89a, replaced");
    assert!(
        question(&with, 0, &seeing, &words, &picture)
            .unwrap_err()
            .contains("does not match its hash")
    );
}
