//! Near misses of texts that name an option in other words, next to another letter, or about
//! another subject.

use super::tests::all;
use crate::extract::{Asked, Read};
use benchtop_model::{Choice, QuestionKind, Role};

const HOLDS: [&str; 4] = [
    "A red umbrella",
    "A blue umbrella",
    "A walking stick",
    "Reading a newspaper",
];

fn holds(cases: &[(&str, &str)]) {
    all("What is the man holding or doing?", &HOLDS, cases);
}

#[test]
fn option_in_other_words() {
    holds(&[
        ("A", "He's holding an umbrella that is red."),
        ("D", "He sits on a bench and reads the morning newspaper."),
        ("none", "He holds an umbrella."),
        ("none", "He holds a green umbrella."),
        ("none", "His jacket is red."),
        ("none", "He is walking with a dog."),
        ("none", "He isn't holding an umbrella that is red."),
        ("none", "He might be reading the newspaper of a friend."),
        ("none", "The woman is holding an umbrella that is red."),
        (
            "none",
            "In his hands, as far as can be made out here, the newspaper that he reads",
        ),
    ]);
}

#[test]
fn letter_next_to_the_text_of_another_option() {
    let question = "Which animal is on the sofa?";
    let animals = ["cat", "dog", "rabbit", "horse"];
    let cases = [
        ("none", "The answer is B (cat)."),
        ("none", "B - cat"),
        ("none", "B cat"),
        ("none", "B. A cat lies on the sofa."),
        ("none", "The animal on the sofa is a cat. Answer: B"),
        ("B", "B. A dog lies on the sofa."),
        ("B", "B. It is a dog, not a cat."),
        ("B", "The answer is B (dog)."),
        ("B", "{\"choice\": \"B\", \"confidence\": 0.9}"),
        ("none", "{\"choice\": \"B\", \"animal\": \"cat\"}"),
    ];
    all(question, &animals, &cases);
    all(
        "소파 위의 동물은 무엇입니까?",
        &["고양이", "개"],
        &[
            ("none", "사진을 보면 소파 위에 고양이"),
            ("A", "고양이입니다."),
        ],
    );
}

#[test]
fn text_after_a_correction() {
    let colors = ["white", "pink", "red"];
    let cases = [
        (
            "A",
            "Pink. Sorry, I was looking at the tablecloth. The flowers are white.",
        ),
        ("none", "Pink.\n\nThe color of the flowers is white."),
        ("B", "Pink. The flowers are pink."),
    ];
    all("What color are the flowers?", &colors, &cases);
    let train = [
        ("no", "Yes. Sorry, there is no train."),
        ("no", "It is not a train but a bus."),
        ("no", "I see a bus and a car, but no train."),
        ("none", "It is not clear, but it may be a train."),
    ];
    all("Is there a train?", &[], &train);
}

#[test]
fn a_digit_is_an_option_where_the_instruction_numbers_them() {
    let choice = |text: &str| Choice {
        text: text.into(),
        role: Role::Distractor,
    };
    let options = ["a cat", "a dog", "an owl"].map(choice);
    let read = |instruction: &str, output: &str| {
        let asked = Asked {
            instruction,
            kind: QuestionKind::MultipleChoice,
            options: &options,
        };
        super::read(&asked, output, None).0
    };
    for numbered in [
        "What is it?\n1. a cat\n2. a dog\n3. an owl",
        "What is it? (1) a cat (2) a dog (3) an owl",
        "What is it?\n① a cat\n② a dog\n③ an owl",
        "What is it?\n১) a cat\n২) a dog\n৩) an owl",
    ] {
        for output in [
            "2",
            "2.",
            "(2)",
            "২",
            "②",
            "Option 2",
            "The answer is 2.",
            "2) a dog",
        ] {
            assert_eq!(
                read(numbered, output),
                Read::Option(1),
                "{numbered} {output}"
            );
        }
        for output in ["4", "2 fish", "1 or 2", "not 2", "2.5"] {
            assert_eq!(
                read(numbered, output),
                Read::Unparsed,
                "{numbered} {output}"
            );
        }
    }
    for lettered in [
        "What is it?\nA. a cat\nB. a dog\nC. an owl",
        "2. What is it?\nA. a cat\nB. a dog\nC. an owl",
        "1. a cat\n2. a dog\n3. an owl\nWhat is it?\n(A) a cat\n(B) a dog\n(C) an owl",
        "What is it?",
    ] {
        assert_eq!(read(lettered, "2"), Read::Unparsed, "{lettered}");
        assert_eq!(read(lettered, "B"), Read::Option(1), "{lettered}");
    }
}
