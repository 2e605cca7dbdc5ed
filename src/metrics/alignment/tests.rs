use proptest::prelude::*;

use super::questions::read;
use super::*;

fn element(choices: &[&str], answer: &str) -> Element {
    let choices = choices.iter().map(|c| (*c).to_string()).collect();
    Element {
        question: "Which?".into(),
        choices,
        answer: answer.into(),
        ..Element::default()
    }
}

#[test]
fn folded_compares_words_and_legacy_compares_characters() {
    let color = element(&["red", "dark red", "blue", "green"], "Red");
    for (text, folded, legacy) in [
        ("Red", Answered::Right, Answered::Right),
        ("answer: Red", Answered::Right, Answered::Right),
        ("red", Answered::Right, Answered::Wrong),
        ("Answer: red.", Answered::Right, Answered::Wrong),
        ("The answer is **red**.", Answered::Right, Answered::Wrong),
        ("{\"answer\": \"RED\"}", Answered::Right, Answered::Wrong),
        ("A", Answered::Right, Answered::Wrong),
        ("(a) red", Answered::Right, Answered::Wrong),
        ("C. blue", Answered::Wrong, Answered::Wrong),
        ("It is blue.", Answered::Wrong, Answered::Wrong),
        ("red。", Answered::Right, Answered::Wrong),
        ("A. blue", Answered::Unknown, Answered::Wrong),
        // Ambiguous, missing, or not among the choices.
        ("red or blue", Answered::Unknown, Answered::Wrong),
        ("It is dark red", Answered::Unknown, Answered::Wrong),
        (
            "A red thing, or maybe green",
            Answered::Unknown,
            Answered::Wrong,
        ),
        (
            "{\"answer\": \"red\"} {\"answer\": \"blue\"}",
            Answered::Unknown,
            Answered::Wrong,
        ),
        ("purple", Answered::Unknown, Answered::Wrong),
        ("", Answered::Unknown, Answered::Wrong),
        ("<think>red", Answered::Unknown, Answered::Wrong),
    ] {
        assert_eq!(answered(&color, Some(text), Rule::Folded), folded, "{text}");
        assert_eq!(answered(&color, Some(text), Rule::Legacy), legacy, "{text}");
    }
    assert_eq!(answered(&color, None, Rule::Legacy), Answered::Unknown);
    assert_eq!(
        answered(&color, Some("dark red"), Rule::Folded),
        Answered::Wrong
    );
}

#[test]
fn yes_and_no_are_read_like_a_judges() {
    let there = element(&["yes", "no"], "yes");
    for (text, wanted) in [
        ("Yes", Answered::Right),
        ("Yes, there is no doubt", Answered::Right),
        ("No.", Answered::Wrong),
        ("{\"answer\": \"no\"}", Answered::Wrong),
        ("There is no dog", Answered::Unknown),
        ("yes or no", Answered::Unknown),
    ] {
        assert_eq!(answered(&there, Some(text), Rule::Folded), wanted, "{text}");
    }
    // Without choices, only the wording counts.
    let free = element(&[], "a cat");
    assert_eq!(answered(&free, Some("Cat."), Rule::Folded), Answered::Right);
    assert_eq!(answered(&free, Some("dog"), Rule::Folded), Answered::Wrong);
    // Declining is not a wrong answer.
    for element in [&free, &there, &element(&["cat", "dog"], "cat")] {
        let said = answered(
            element,
            Some("I'm sorry, but I cannot tell what this is."),
            Rule::Folded,
        );
        assert_eq!(said, Answered::Unknown, "{element:?}");
    }
}

#[test]
fn share_uses_known_answers_and_aligned_waits_for_unknown() {
    use Answered::*;
    let of = |answers: &[Answered]| Alignment::new(answers.iter().copied());
    let six = of(&[Right, Wrong, Right, Unknown, Right, Wrong]);
    assert_eq!(
        (six.failed.as_slice(), six.unknown.as_slice()),
        ([1, 5].as_slice(), [3].as_slice())
    );
    assert_eq!(six.share(), Some(0.6));
    assert_eq!(six.legacy_share(), 0.5);
    assert_eq!(
        (six.aligned(0.5), six.aligned(0.6), six.aligned(0.7)),
        (Some(true), None, Some(false))
    );
    assert_eq!(six.aligned(0.0), Some(true));
    let none = of(&[]);
    assert_eq!(
        (
            none.share(),
            none.legacy_share(),
            none.aligned(0.5),
            none.aligned(0.0)
        ),
        (None, 0.0, None, Some(true))
    );
    assert_eq!(of(&[Unknown; 6]).share(), None);
    assert_eq!(of(&[Wrong; 6]).aligned(0.5), Some(false));
}

#[test]
fn questions_are_read_from_json_and_lines() {
    let types: Vec<String> = ["animal", "color", "counting"].map(str::to_string).into();
    let list = r#"Here they are:
```json
[{"element": "owl", "type": "animal", "question": "Is there an owl?", "choices": ["yes", "no"], "answer": "yes"},
 {"element": "red", "element_type": "Color", "question": "What color is it?", "options": ["red", "blue"], "answer": "Red"},
 {"element": "one", "type": "counting", "question": "How many?", "choices": [1, 2], "answer": 1}]
```"#;
    let plain = "1. **element**: owl\ntype: animal\n- question: Is there an owl?\nchoices: [\"yes\", \"no\"]\nanswer: yes\n\n\
                 element: red\nelement_type: Color\nquestion: What color is it?\nchoices: red, blue\nanswer: Red\n\
                 element: one\ntype: counting\nquestion: How many?\nchoices: 1, 2\nanswer: 1\n";
    let wrapped = format!(
        "{{\"questions\": {}}}",
        list.split("```json")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap()
    );
    for text in [
        list,
        plain,
        &wrapped,
        &format!("<think>{{}}</think>{plain}"),
    ] {
        let read = read(text, &types, 3);
        assert_eq!(read.notes, [""; 0], "{text}");
        let answers: Vec<&str> = read.elements.iter().map(|e| e.answer.as_str()).collect();
        assert_eq!(answers, ["yes", "Red", "1"], "{text}");
        let red = &read.elements[1];
        assert_eq!((red.kind.as_str(), red.element.as_str()), ("color", "red"));
        assert_eq!(red.choices, ["red", "blue"]);
    }
}

#[test]
fn faulty_questions_are_noted() {
    let one = |fields: &str| format!("{{\"type\": \"color\", {fields}}}\n");
    let text = [
        one("\"question\": \"Which color?\", \"choices\": [\"red\", \"blue\"], \"answer\": \"green\""),
        one("\"question\": \"\", \"answer\": \"red\""),
        one("\"question\": \"What?\""),
        one("\"question\": \"Is it red?\", \"answer\": \"yes\""),
        one("\"question\": \"is it RED\", \"answer\": \"no\""),
        "{\"type\": \"mood\", \"question\": \"Is it sad?\", \"answer\": true}".to_string(),
        one("\"question\": \"One more?\", \"answer\": \"yes\""),
    ]
    .concat();
    let read = read(&text, &["color".to_string()], 2);
    assert_eq!(
        read.elements
            .iter()
            .map(|e| e.question.as_str())
            .collect::<Vec<_>>(),
        ["Is it red?", "Is it sad?"]
    );
    let expected = [
        (1, "green"),
        (2, ""),
        (3, ""),
        (5, ""),
        (6, "mood"),
        (7, "2"),
    ];
    assert_eq!(read.notes.len(), expected.len(), "{:?}", read.notes);
    for (note, (number, detail)) in read.notes.iter().zip(expected) {
        let start = format!("question {number} ");
        assert!(note.starts_with(&start) && note.contains(detail), "{note}");
    }
    let refused = super::questions::read("I cannot do that", &[], 6);
    assert!(refused.elements.is_empty());
    assert_eq!(refused.notes.len(), 1, "{:?}", refused.notes);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_without_panic(
        text in "(question|answer|choices|element|:|red|yes|[A-D][).]|[\\[\\]{}\"',\n ]|</?think>|ß|\\PC){0,24}"
    ) {
        let read = read(&text, &["color".to_string()], 3);
        prop_assert!(read.elements.len() <= 3);
        for rule in [Rule::Folded, Rule::Legacy] {
            for element in read.elements.iter().chain([&element(&["red", "blue"], "red"), &element(&["yes", "no"], "no")]) {
                answered(element, Some(&text), rule);
            }
        }
    }
}
