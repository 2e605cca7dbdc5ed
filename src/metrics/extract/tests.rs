use super::*;
use benchtop_model::{Choice, Item, QuestionKind, Role};

fn options(texts: &[&str]) -> Vec<Choice> {
    texts
        .iter()
        .map(|t| Choice {
            text: (*t).into(),
            role: Role::Distractor,
        })
        .collect()
}

fn strict(texts: &[&str], output: &str) -> Read {
    let options = options(texts);
    let asked = Asked {
        options: &options,
        ..Asked::default()
    };
    let read = Extractor::Strict1.read(&asked, output, None);
    assert!(
        Extractor::Strict1
            .trace(&asked, output, None)
            .starts_with("strict@1: ")
    );
    read
}

const ANIMALS: [&str; 4] = ["Bear", "cat", "lion", "sea lion"];

#[test]
fn strict_reads_commitments() {
    let sea_lion = [
        "D",
        "(D)",
        "D.",
        "**D**",
        "d",
        "(d)",
        "[[D]]",
        "$D$",
        "\\boxed{D}",
        "\\boxed{\\text{D}}",
        "D. sea lion",
        "(D) Sea Lion.",
        "D: sea lion",
        "**(D) sea lion**",
        "sea lion",
        "Sea lion.",
        "A sea lion",
        "The answer is D",
        "The answer is (D).",
        "Answer: D",
        "**Answer:** D",
        "The correct answer is: **D. sea lion**",
        "{\"answer\": \"D\"}",
        "{\"answer\": \"sea lion\"}",
        "```json\n{\"reason\": \"flippers\", \"answer\": \"D\"}\n```",
        "The answer is a sea lion because of its flippers",
        "(A) has fur and (B) has ears, so the answer is (D)",
        "It has flippers.\n\nD",
        "D\n\nA lion would have a mane.",
        "Option D is right.",
        "I would go for (D) here",
        "D. It has flippers",
        "There is a sea lion on the rock",
        "Sea lion, by its flippers",
        "<think>Is it (A)? Or (B)?</think>\nD",
        "The answer is D) sea lion",
        "Answer: the letter D",
        "The final answer is \\boxed{D}.",
        "The answer is not obvious. Final answer: D",
        "(D) sea lion is on the rock",
    ];
    for output in sea_lion {
        assert_eq!(strict(&ANIMALS, output), Read::Option(3), "{output}");
    }
    for output in [
        "A",
        "A.",
        "(A)",
        "The answer is A.",
        "The answer is A because it is brown",
        "A: Bear",
        "A bear",
    ] {
        assert_eq!(strict(&ANIMALS, output), Read::Option(0), "{output}");
    }
    assert_eq!(strict(&ANIMALS, "A cat"), Read::Option(1));
    assert_eq!(
        strict(&ANIMALS, "The answer is B, C is a lion."),
        Read::Option(1)
    );
    assert_eq!(
        strict(&["True", "False"], "False. There is none."),
        Read::Option(1)
    );
    for output in ["3", "3.", "It is 3, counting others", "The answer is 3."] {
        assert_eq!(strict(&["2", "3"], output), Read::Option(1), "{output}");
    }
    for output in [
        "3.5",
        "-3",
        "The answer is 3.5",
        "about 1,300",
        "3/4 of them",
    ] {
        assert_eq!(strict(&["2", "3"], output), Read::Unparsed, "{output}");
    }
    assert_eq!(strict(&["Größe", "Weite"], "die grÖße"), Read::Option(0));
    assert_eq!(strict(&[], "The answer is (G)"), Read::Option(6));
}

#[test]
fn strict_does_not_guess() {
    let unread = [
        "",
        "  ",
        "Failed to obtain answer via API.",
        "E",
        "(E)",
        "The answer is E.",
        "B or C",
        "(A) or (B)",
        "The answer is A or B",
        "The answer is (A). No, the answer is (B)",
        "B\n\nThe answer is C",
        "B. Bear",
        "(A) Bear\n(B) cat\n(C) lion\n(D) sea lion",
        "A. Bear B. cat C. lion D. sea lion",
        "a cat or a lion",
        "It is not a cat",
        "There isn't a cat here",
        "A dog",
        "The answer is a dog",
        "I like cats",
        "Yes",
        "The answer is not B",
        "It could be anything",
        "Option A or option B",
        "the wrong answer is C",
        "None",
        "\u{FFFD}(é)",
    ];
    for output in unread {
        assert_eq!(strict(&ANIMALS, output), Read::Unparsed, "{output}");
    }
    // Options whose texts are letters of other options.
    assert_eq!(strict(&["B", "A"], "A"), Read::Unparsed);
    assert_eq!(strict(&["cat", "cat"], "cat"), Read::Unparsed);
}

#[test]
fn strict_separates_refusals_from_answers() {
    for output in [
        "Sorry, I cannot help with that.",
        "I can\u{2019}t tell whether it is (A) or (B).",
        "I'm unable to see images",
        "As an AI model, I see no cat",
        "The animal cannot be determined from the image.",
    ] {
        assert_eq!(strict(&ANIMALS, output), Read::Refused, "{output}");
    }
    assert_eq!(
        strict(&ANIMALS, "I cannot be sure, but the answer is (B)."),
        Read::Option(1)
    );
    let mut options = options(&["cat", "dog", "Sorry, I can't tell from the image"]);
    options[2].role = Role::Refusal;
    let asked = Asked {
        options: &options,
        ..Asked::default()
    };
    for output in [
        "C",
        "Sorry, I can't tell from the image",
        "(C) Sorry, I can't tell from the image.",
    ] {
        assert_eq!(
            Extractor::Strict1.read(&asked, output, None),
            Read::Refused,
            "{output}"
        );
    }
    assert!(
        Extractor::Strict1
            .trace(&asked, "C", None)
            .ends_with("it chooses the option that declines to answer; refused")
    );
    assert_eq!(
        Extractor::Strict1.read(&asked, "hm", Some("B")),
        Read::Option(1)
    );
    assert_eq!(
        Extractor::Strict1.read(&asked, "A", Some("B")),
        Read::Option(0)
    );
}

#[test]
fn strict_reads_yes_and_no_without_options() {
    let asked = Asked {
        kind: QuestionKind::YesNo,
        ..Asked::default()
    };
    let read = |output| Extractor::Strict1.read(&asked, output, None);
    for output in [
        "Yes",
        "yes.",
        "**Yes**, there is no doubt",
        "The answer is yes",
        "He holds a cup.\nYes",
        "{\"answer\": \"yes\"}",
    ] {
        assert_eq!(read(output), Read::Yes, "{output}");
    }
    assert_eq!(
        (read("No, he does not"), read("false")),
        (Read::No, Read::No)
    );
    for output in [
        "",
        "There is no cup",
        "Yes.\nThe answer is no",
        "Maybe",
        "B",
    ] {
        assert_eq!(read(output), Read::Unparsed, "{output}");
    }
    assert_eq!(read("I don't know"), Read::Refused);
}

const HINT: &str = "Hint: Please answer the question and provide the correct option letter, e.g., (A), (B), (C), (D), at the end.";

fn instruction(layout: &str) -> Instruction {
    let animals = "(A) Bear\n(B) cat\n(C) dog\n(D) sea lion";
    Instruction::new(match layout {
        "MC" => format!(
            "Question: What is the animal in the image?\nChoices:\n{animals}\n{HINT}\nYour answer is:"
        ),
        "bare" => format!(
            "Question: What is the animal in the image? \n{animals}\n{HINT}\nYour answer is:"
        ),
        "TF" => format!(
            "Question: Is there a cat?\nChoices:\n(A) True\n(B) False\n{HINT}\nYour answer is:"
        ),
        _ => format!(
            "Question: Is there a cat?\nChoices:\n(A) False\n(B) True\n{HINT}\nYour answer is:"
        ),
    })
}

/// Answers in four layouts, with the results of the released code.
const DYSCA: [(&str, &str, &str); 25] = [
    ("MC", "(B)", "cat"),
    ("MC", "(b) cat", "cat"),
    ("MC", "A", "Bear"),
    ("MC", "B. Dog", "sea lion"),
    ("MC", "(E)", "dog"),
    ("MC", "b", "dog"),
    ("MC", "It is a cat(s)", "dog"),
    ("MC", "The answer is A, not a Dog", "sea lion"),
    ("MC", "Sorry, I cannot help with that.", "dog"),
    ("MC", "None", "dog"),
    ("MC", "the bear (A) or the cat (B)", "cat"),
    ("bare", "A", "What is the animal in the image? "),
    ("bare", "(B)", "Bear"),
    ("bare", "(E)", "sea lion"),
    ("bare", "sea lion", "sea lion"),
    ("bare", "", "dog"),
    ("TF", "True", "True"),
    ("TF", "False", "False"),
    ("TF", "No", "True"),
    ("TF", "cat", "False"),
    ("TF", "(A) or (B)", "False"),
    ("FT", "False", "True"),
    ("FT", "", "True"),
    ("FT", "I think the answer is (C).", "True"),
    ("FT", "(A)", "False"),
];

#[test]
fn legacy_dysca_matches_the_released_code() {
    for (layout, answer, expected) in DYSCA {
        let instruction = instruction(layout);
        let found = Extractor::LegacyDysca
            .text(&instruction.asked(), answer, None)
            .unwrap();
        assert_eq!(found, expected, "{layout}: {answer}");
    }
    let asked = instruction("bare");
    assert_eq!(
        Extractor::LegacyDysca.read(&asked.asked(), "B", None),
        Read::Option(0)
    );
    assert_eq!(
        Extractor::LegacyDysca.read(&asked.asked(), "A", None),
        Read::Unparsed
    );
    assert!(
        Extractor::LegacyDysca
            .trace(&asked.asked(), "A", None)
            .contains("none of the options; without a line `Choices:`")
    );
    // Without an instruction, the options replace its lines.
    let options = options(&ANIMALS);
    let asked = Asked {
        options: &options,
        ..Asked::default()
    };
    assert_eq!(
        Extractor::LegacyDysca.read(&asked, "(C)", None),
        Read::Option(2)
    );
    assert_eq!(
        Extractor::LegacyDysca.trace(&asked, "(C)", None),
        "legacy-dysca@1: the letter `C` stands for `lion`, option C"
    );
    assert_eq!(
        Extractor::LegacyDysca.read(&Asked::default(), "", None),
        Read::Unparsed
    );
}

#[test]
fn options_are_parsed_from_an_instruction() {
    let of = |text: &str| {
        let instruction = Instruction::new(text.into());
        let asked = instruction.asked();
        (
            asked.kind,
            asked
                .options
                .iter()
                .map(|o| o.text.clone())
                .collect::<Vec<_>>()
                .join("|"),
        )
    };
    assert_eq!(
        of("Q?\nA. x y\nB. z\nAnswer:"),
        (QuestionKind::MultipleChoice, "x y|z".into())
    );
    assert_eq!(
        of("Q?\r\n(A) True\r\n(B) False\r\n"),
        (QuestionKind::TrueFalse, "True|False".into())
    );
    assert_eq!(
        of("Is it? Answer yes or no."),
        (QuestionKind::YesNo, String::new())
    );
    assert_eq!(of("A. only one").1, "");
    // An example in the prompt and then the question: the last list counts.
    assert_eq!(of("A) 1\nB) 2\nNow:\nA) 3\nB) 4\nC) 5").1, "3|4|5");
}

#[test]
fn other_rules_read_their_answers() {
    let first = |o: &str| Extractor::FirstBracket.read(&Asked::default(), o, None);
    assert_eq!(
        (
            first("so [[B]] and [[C]]"),
            first("[[ B ]]"),
            first("[[b]] [[C]]"),
            first("[[AB]]"),
            first("[B]")
        ),
        (
            Read::Option(1),
            Read::Unparsed,
            Read::Unparsed,
            Read::Unparsed,
            Read::Unparsed
        )
    );
    assert!(
        Extractor::FirstBracket
            .trace(&Asked::default(), "[[b]]", None)
            .contains("holds `b`")
    );
    let plain = Asked {
        kind: QuestionKind::YesNo,
        ..Asked::default()
    };
    let yes_no = |o: &str, judge| Extractor::YesNo.read(&plain, o, judge);
    assert_eq!(
        (
            yes_no("yes there is no cat", None),
            yes_no("I say no", None)
        ),
        (Read::Yes, Read::No)
    );
    assert_eq!(
        (yes_no("yes and no", None), yes_no("I say yes and no", None)),
        (Read::Yes, Read::Unparsed)
    );
    assert_eq!(
        (yes_no("hm", Some("No")), yes_no("", None)),
        (Read::No, Read::Unparsed)
    );
    let texts = options(&["True", "False"]);
    let asked = Asked {
        kind: QuestionKind::TrueFalse,
        options: &texts,
        ..Asked::default()
    };
    assert_eq!(Extractor::YesNo.read(&asked, "No.", None), Read::Option(1));
}

#[test]
fn every_rule_has_a_name_and_reads_any_text() {
    let names: std::collections::BTreeSet<_> = Extractor::ALL.iter().map(|r| r.name()).collect();
    assert_eq!(names.len(), Extractor::ALL.len());
    let odd = [
        "",
        "(",
        "[[",
        "]]",
        "\u{2019}",
        "é",
        "A\u{301}",
        "(é)",
        "Éa.",
        "answer",
        "answer: É",
        "\\boxed{",
        "[[]]",
        "(A",
        "A\u{2028}B",
        "答案是B",
        "answer is (\u{1F600})",
        "\0",
        "</think>",
        "The answer is A\u{301}",
    ];
    let instruction = instruction("MC");
    for rule in Extractor::ALL {
        assert_eq!(Extractor::from_name(rule.name()), Some(rule));
        let newest = Extractor::from_name(rule.name().split('@').next().unwrap()).unwrap();
        assert!(
            newest.version() >= rule.version() && newest.is_of_project() == rule.is_of_project(),
            "{rule:?}"
        );
        for output in odd {
            for asked in [
                instruction.asked(),
                Asked::default(),
                Asked {
                    kind: QuestionKind::YesNo,
                    ..Asked::default()
                },
            ] {
                let read = rule.read(&asked, output, Some(output));
                assert!(!rule.trace(&asked, output, Some(output)).is_empty());
                assert!(matches!(
                    read,
                    Read::Option(0..26) | Read::Yes | Read::No | Read::Refused | Read::Unparsed
                ));
            }
        }
    }
    assert_eq!(
        (
            Extractor::from_name("strict@3"),
            Extractor::from_name("nobody")
        ),
        (None, None)
    );
    assert_eq!(
        (
            Extractor::from_name("strict"),
            Extractor::from_name("strict@1")
        ),
        (Some(Extractor::Strict), Some(Extractor::Strict1))
    );
    assert_eq!(
        serde_json::to_string(&Extractor::Strict).unwrap(),
        "\"strict@2\""
    );
    assert_eq!(
        serde_json::from_str::<Extractor>("\"mvp-yn@1\"").unwrap(),
        Extractor::MvpYesNo
    );
    assert!(serde_json::from_str::<Extractor>("\"best@1\"").is_err());
}

#[test]
fn gold_is_the_reading_of_the_right_answer() {
    let mut item: Item = serde_json::from_value(serde_json::json!({
        "id": "s/1", "dataset": "s", "key": 1, "form": "plain", "question": "q", "kind": "yes-no", "answer": "No"
    }))
    .unwrap();
    assert_eq!(Read::gold(&item), Some(Read::No));
    item.options = options(&ANIMALS);
    item.answer = "cat".into();
    assert_eq!(Read::gold(&item), None);
    item.options[1].role = Role::Correct;
    assert_eq!(Read::gold(&item), Some(Read::Option(1)));
    assert_eq!(
        (Read::Option(1).answer().unwrap(), Read::Refused.state()),
        ("B".into(), "refused")
    );
}

/// The second version reads what the first reads correctly, and not what the first misreads.
#[test]
fn strict_ignores_hedges_and_negations() {
    let options = options(&ANIMALS);
    let asked = Asked {
        options: &options,
        ..Asked::default()
    };
    let read = |output: &str| Extractor::Strict.read(&asked, output, None);
    for output in [
        "It could be A or B.",
        "The answer is not A.",
        "Rule out option C.",
        "Neither A nor B",
        "Either B or C",
        "<think>The answer is B",
        "A cat or a lion sits there",
        "The answer is A. Wait, no.",
        "В",
    ] {
        assert_eq!(read(output), Read::Unparsed, "{output}");
    }
    for output in [
        "<answer>B</answer>",
        "<|begin_of_box|>B<|end_of_box|>",
        "\\boxed{\\text{\\textbf{B}}}",
        "The correct option is B",
        "B is correct.",
        "I'd go with B",
        "{B}",
        "\u{ff22}",
        "A. Wait, no, B.",
        "答案是B",
        "答えはBです",
    ] {
        assert_eq!(read(output), Read::Option(1), "{output}");
    }
    assert!(
        Extractor::Strict
            .trace(&asked, "A or B", None)
            .starts_with("strict@2: it leaves open")
    );
    // Options with letters of the Russian alphabet.
    let instruction = "?\nА) cat\nБ) dog\nВ) lion";
    assert_eq!(
        Extractor::Strict.read(
            &Asked {
                instruction,
                ..asked
            },
            "Ответ: В",
            None
        ),
        Read::Option(2)
    );
    let yes = Asked {
        kind: QuestionKind::YesNo,
        ..Asked::default()
    };
    let word = |output: &str| Extractor::Strict.read(&yes, output, None);
    assert_eq!(
        (
            word("Not exactly"),
            word("Yes and no"),
            word("はい。"),
            word("Not really")
        ),
        (Read::Unparsed, Read::Unparsed, Read::Yes, Read::No)
    );
    // The stored word of a judge is read in the same way, and roles apply.
    assert_eq!(
        Extractor::Strict.read(&asked, "hm", Some("A or B")),
        Read::Unparsed
    );
    assert_eq!(
        Extractor::Strict.read(&asked, "hm", Some("答案：B")),
        Read::Option(1)
    );
}

/// Time is linear in the length of an output; otherwise these would take hours.
#[test]
fn long_outputs_are_read() {
    let options = options(&ANIMALS);
    let asked = Asked {
        options: &options,
        ..Asked::default()
    };
    for part in [
        "B the ",
        "[[ ",
        "[[\n",
        "The answer is not A. ",
        "\u{3042}B",
    ] {
        let output = part.repeat((1 << 18) / part.len());
        Extractor::Strict.read(&asked, &output, None);
    }
    let output = "it has fur and ".repeat((1 << 19) / 15) + ". The answer is B.";
    assert_eq!(
        Extractor::Strict.read(&asked, &output, None),
        Read::Option(1)
    );
}
