use super::*;
use benchtop_model::item::{Choice, Form, Key, QuestionKind, Role};
use benchtop_model::metafile::shipped;

pub(crate) const MINE: &str = "version = 2\nabout = \"mine\"\nprompt = \"Is {question} about {a answer}? {{x}}\"\n\
    [answer]\nread = \"yes-no\"\npass = \"yes\"\n";

fn good(text: &str) -> Judging {
    let (judging, found) = parse("mine", "judge/mine.toml", text);
    assert_eq!(found, []);
    judging.unwrap()
}

fn wrong(text: &str) -> (Rule, u32, u32, String) {
    let (judging, found) = parse("mine", "judge/mine.toml", text);
    assert!(judging.is_none());
    let first = &found[0];
    assert_eq!(first.file, "judge/mine.toml");
    (
        first.rule,
        first.line,
        first.column,
        format!("{} {}", first.message, first.help),
    )
}

fn item() -> Item {
    let choice = |text: &str, role| Choice {
        text: text.into(),
        role,
    };
    Item {
        id: "d/1".into(),
        dataset: "d".into(),
        key: Key::Int(1),
        form: Form::Plain,
        images: Vec::new(),
        prompt: Some("1 red {owl}".into()),
        negative_prompt: None,
        instruction: None,
        question: "What {is} it?".into(),
        kind: QuestionKind::MultipleChoice,
        options: vec![
            choice("owl", Role::Correct),
            choice("cat", Role::Distractor),
        ],
        answer: "owl".into(),
        task: None,
        subtask: None,
        granularity: None,
        level: None,
        style: None,
        pair: None,
        rotation: None,
        provenance: None,
        derivation: None,
        variant: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

#[test]
fn judgings_parse_and_render() {
    let judging = good(MINE);
    assert_eq!(
        (judging.version, judging.shows, judging.system.is_none()),
        (2, ShownPictures::Item, true)
    );
    assert_eq!(judging.reads, AnswerForm::YesNo { pass: Word::Yes });
    let fields = fields_of(&item(), None);
    assert_eq!(fields["options"], "A. owl\nB. cat");
    let ask = judging.ask(&fields, 100).unwrap();
    // Item texts are not parsed as templates.
    assert_eq!(
        (ask.prompt.as_str(), ask.max_tokens),
        ("Is What {is} it? about an owl? {x}", 100)
    );
    assert!(ask.images.is_empty() && ask.schema.is_some());
    // Empty slots are an error.
    let mut fields = fields;
    fields.insert("answer", " ".into());
    assert_eq!(judging.ask(&fields, 100), Err("answer"));
    fields.remove("answer");
    assert_eq!(judging.ask(&fields, 100), Err("answer"));
    let free = Item {
        options: Vec::new(),
        prompt: None,
        ..item()
    };
    assert_eq!(
        (
            fields_of(&free, None)["options"].as_str(),
            fields_of(&free, None).get("prompt")
        ),
        ("none", None)
    );
    let other = good(&MINE.replace("about {a answer}", "about {a answer} "));
    assert_ne!(judging.revision, other.revision);
}

#[test]
fn defects_are_located() {
    use Rule::{BadTemplate, UnknownSlot, Unreadable};
    let edit = |from: &str, to: &str| {
        assert!(MINE.contains(from));
        wrong(&MINE.replace(from, to))
    };
    for (found, rule, line, what) in [
        (wrong("version = "), Unreadable, 1, ""),
        (
            edit("about = \"mine\"", "abut = \"mine\""),
            Unreadable,
            2,
            "abut",
        ),
        (
            edit("version = 2", "version = 0"),
            Unreadable,
            1,
            "start at 1",
        ),
        (edit("\"mine\"", "\" \""), Unreadable, 2, "`about`"),
        (edit("\"yes-no\"", "\"guess\""), Unreadable, 5, "guess"),
        (edit("\"yes\"", "\"perhaps\""), Unreadable, 6, "perhaps"),
        (
            edit("pass = \"yes\"", ""),
            Unreadable,
            4,
            "missing field `pass`",
        ),
        (
            edit("pass = \"yes\"", "pass = \"yes\"\ncount = 3"),
            Unreadable,
            7,
            "`count`",
        ),
        (
            edit("[answer]", "pictures = \"both\"\n[answer]"),
            Unreadable,
            4,
            "both",
        ),
        (
            edit("[answer]", "max_tokens = 0\n[answer]"),
            Unreadable,
            4,
            "0 tokens",
        ),
        (
            edit("{question}", "{qestion}"),
            UnknownSlot,
            3,
            "original-question",
        ),
        (
            edit("{question}", "{types}"),
            UnknownSlot,
            3,
            "slot `{types}`",
        ),
        (edit("{question}", "{question"), BadTemplate, 3, "unclosed"),
        (
            edit("Is {question} about {a answer}? {{x}}", " "),
            BadTemplate,
            3,
            "empty",
        ),
    ] {
        assert_eq!((found.0, found.1), (rule, line), "{found:?}");
        assert!(found.3.contains(what), "{found:?}");
    }
    assert_eq!(edit("{question}", "{qestion}").2, 14);
    let questions = "version = 1\nabout = \"q\"\nprompt = \"{count} of {types}: {prompt}\"\n[answer]\nread = \"questions\"\n";
    for (rest, what) in [
        ("count = 0\ntypes = [\"a\"]", "0 questions"),
        ("count = 6\ntypes = []", "`types`"),
        ("count = 6\ntypes = [\"a\", \"a\"]", "`types`"),
        ("count = 6", "missing field `types`"),
    ] {
        let found = wrong(&format!("{questions}{rest}\n"));
        assert!(found.3.contains(what), "{found:?}");
    }
    let judging = good(&format!(
        "{questions}count = 6\ntypes = [\"object\", \"color\"]\n"
    ));
    assert_eq!(
        judging.ask(&fields_of(&item(), None), 9).unwrap().prompt,
        "6 of object, color: 1 red {owl}"
    );
    let share = |share: &str| {
        format!(
            "version = 1\nabout = \"c\"\nprompt = \"x\"\n[answer]\nread = \"choice\"\nthreshold = {share}\n"
        )
    };
    assert_eq!(
        good(&share("0.5")).reads,
        AnswerForm::Choice { threshold: 0.5 }
    );
    for out in ["1.5", "-0.1", "nan"] {
        assert!(wrong(&share(out)).3.contains("threshold"), "{out}");
    }
}

#[test]
fn shipped_judgings_have_the_polarity_of_their_papers() {
    let all = shipped_judgings();
    assert_eq!(
        all.len(),
        shipped().filter(|f| judging_of(&f.name).is_some()).count(),
        "all shipped judgings parse"
    );
    // In VLB, yes means that the answer changes for V1 to V3 and L2, and that the edit is correct
    // for L1, L3, and L4.
    for (name, pass, shows) in [
        ("vlb-v1-add-object", Word::No, ShownPictures::Pair),
        ("vlb-v2-remove-object", Word::No, ShownPictures::Pair),
        ("vlb-v3-outpaint", Word::No, ShownPictures::Pair),
        ("vlb-l1-word-substitution", Word::Yes, ShownPictures::Item),
        ("vlb-l2-rephrase", Word::No, ShownPictures::Item),
        ("vlb-l3-relevant-context", Word::Yes, ShownPictures::Item),
        ("vlb-l4-irrelevant-context", Word::Yes, ShownPictures::Item),
    ] {
        let judging = &all[name];
        assert_eq!(
            (&judging.reads, judging.shows),
            (&AnswerForm::YesNo { pass }, shows),
            "{name}"
        );
        assert!(
            judging.prompt.template.has("question") && judging.source.starts_with("VLB"),
            "{name}"
        );
    }
    let contamination = &all["contamination"];
    assert_eq!(
        (&contamination.reads, contamination.shows),
        (&AnswerForm::YesNo { pass: Word::No }, ShownPictures::None),
        "yes means that the caption gives the answer"
    );
    assert!(
        ["caption", "question", "answer"].map(|slot| contamination.prompt.template.has(slot))
            == [true; 3]
    );
    let AnswerForm::Questions { count: 6, types } = &all["autobench-v-questions"].reads else {
        panic!()
    };
    assert_eq!(types.len(), 13);
    assert_eq!(all["autobench-v-questions"].shows, ShownPictures::None);
    assert_eq!(
        all["autobench-v-answer"].reads,
        AnswerForm::Choice { threshold: 0.5 }
    );
    // Each can be asked once all slots are filled.
    let fields: Fields = SLOTS
        .iter()
        .map(|(name, _)| (*name, format!("<{name}>")))
        .collect();
    for judging in all.values() {
        let ask = judging.ask(&fields, 64).unwrap();
        assert!(
            !ask.prompt.contains('{') || ask.prompt.contains("{\""),
            "{}",
            ask.prompt
        );
    }
    assert_eq!(all.len(), 11);
}
