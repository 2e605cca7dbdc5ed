use proptest::prelude::*;

use super::*;

fn said(text: &str) -> JudgeAnswer {
    understood(text, Word::Yes).said
}

#[test]
fn plain_word_is_read_in_any_context() {
    for text in [
        "yes",
        "Yes",
        "YES.",
        " yes \n",
        "**Yes**",
        "*yes*",
        "`yes`",
        "\"Yes\"",
        "'yes'",
        "Yes!",
        "Yes。",
        "Yes，它会。",
        "yes;",
        "- Yes",
        "> Yes",
        "# Yes",
        "Yes, it would.",
        "Yes it would",
        "Yes\n\nThe dog hides the ball.",
        "I think yes.",
        "So: yes",
        "Yes, there is no dog in it.",
        "Yes - no doubt",
        "The answer is yes.",
        "\u{feff}Yes",
        "Yes…",
        "[Yes]",
        "(yes)",
        "A: yes",
        "Yes\0",
    ] {
        assert_eq!(said(text), JudgeAnswer::Word(Word::Yes), "{text:?}");
    }
    for text in [
        "no",
        "No.",
        "**No**",
        "No, it does not.",
        "No it would not.",
        "No。",
        "NO!",
        "No\nchange",
        "**No** change",
        "no-brainer: no",
        "No, because nothing the question asks about was touched.",
        "Verdict: no",
        "no.",
        "The answer is **no**",
    ] {
        assert_eq!(said(text), JudgeAnswer::Word(Word::No), "{text:?}");
    }
}

#[test]
fn ambiguous_text_is_unparsed() {
    use Unparsed::*;
    for (text, why) in [
        ("", Empty),
        (" \n\t", Empty),
        ("<think>Yes, I think yes", Empty),
        ("<think>Yes</think>  ", Empty),
        ("Not sure", Neither),
        ("Unknown", Neither),
        ("Nope", Neither),
        ("yesterday, none, know, eyes", Neither),
        ("There is no change in the answer", Neither),
        ("no-one, a yes-man", Neither),
        ("No. 5 is a perfume", Neither),
        ("是。", Neither),
        ("{\"verdict\": 3}", Neither),
        ("{\"answer\": \"unsure\"} yes", Neither),
        ("{\"answer\": null}", Neither),
        ("{\"answer\": [\"yes\"]}", Neither),
        ("No, it does not... yes", Both),
        ("Yes/No", Both),
        ("yes or no", Both),
        ("Answer: yes or no", Both),
        ("Answer: Yes/No", Both),
        ("Yes and no.", Both),
        ("Yes. No. Yes.", Both),
        ("[[Yes]] or rather [[No]]", Both),
        ("{\"answer\": \"yes\"} {\"answer\": \"no\"}", Both),
        ("{\"answer\": \"yes\", \"answer\": \"no\"}", Both),
        ("{\"answer\": \"yes\", \"Answer\": \"unsure\"}", Both),
        ("No. {\"answer\": \"yes\"}", Both),
        ("I cannot say yes", Hedged),
        ("I wouldn't say yes here", Hedged),
        ("Maybe yes", Hedged),
        ("if yes then it passes", Hedged),
        ("not a no", Hedged),
    ] {
        assert_eq!(said(text), JudgeAnswer::Unparsed(why), "{text:?}");
        assert_eq!(understood(text, Word::No).pass, None, "{text:?}");
    }
}

#[test]
fn refusal_in_prose_is_a_refusal() {
    for text in [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "As an AI, I am unable to identify people.",
        "It is hard to tell.",
        "No idea",
        "我无法判断。",
        "<think>yes?</think>I am not able to view it.",
    ] {
        let ruling = understood(text, Word::Yes);
        assert_eq!(
            (ruling.said, ruling.pass),
            (JudgeAnswer::Refused, None),
            "{text}"
        );
    }
    // A yes or no is not a refusal.
    assert_eq!(
        said("I can't see the tail, but yes."),
        JudgeAnswer::Word(Word::Yes)
    );
    assert_eq!(
        said("Yes. I cannot find any other animal."),
        JudgeAnswer::Word(Word::Yes)
    );
}

#[test]
fn json_precedes_marks_and_marks_precede_words() {
    for (text, word, found) in [
        ("{\"answer\": \"yes\"}", Word::Yes, Found::Json),
        (
            "{\"reason\": \"no dog, no ball\", \"answer\": \"Yes.\"}",
            Word::Yes,
            Found::Json,
        ),
        (
            "```json\n{\"answer\": \"no\", \"reason\": \"yes\"}\n```",
            Word::No,
            Found::Json,
        ),
        (
            "~~~\n{ \"Answer\" : \" NO \" }\n~~~ I hope this helps, yes?",
            Word::No,
            Found::Json,
        ),
        (
            "There is no dog. {\"answer\": true}",
            Word::Yes,
            Found::Json,
        ),
        ("Yes. {\"answer\": \"yes\"}", Word::Yes, Found::Json),
        (
            "{\"answer\": \"no\"}{\"answer\": \"No\"}",
            Word::No,
            Found::Json,
        ),
        (
            "<think>{\"answer\": \"yes\"}</think>{\"answer\": \"no\"}",
            Word::No,
            Found::Json,
        ),
        (
            "No doubt about the dog, yes? [[Yes]]",
            Word::Yes,
            Found::Marked,
        ),
        (
            "One could say no. Answer: **Yes**",
            Word::Yes,
            Found::Marked,
        ),
        (
            "{'answer': 'no', 'reason': 'yes it is red'}",
            Word::No,
            Found::Marked,
        ),
        (
            "{\"answer\": \"no\", \"reason\": \"yes, the cat",
            Word::No,
            Found::Marked,
        ),
        ("Final answer = yes (no dog)", Word::Yes, Found::Marked),
        ("no", Word::No, Found::Words),
    ] {
        let ruling = understood(text, Word::Yes);
        assert_eq!(
            (ruling.said, ruling.found),
            (JudgeAnswer::Word(word), Some(found)),
            "{text:?}"
        );
    }
    let reasoned = understood(
        "{\"reason\": \" it is red \", \"answer\": \"yes\"}",
        Word::No,
    );
    assert_eq!(
        (reasoned.pass, reasoned.reason.as_deref()),
        (Some(false), Some("it is red"))
    );
}

#[test]
fn polarity_inverts_the_ruling_only() {
    for (text, said) in [("yes", Word::Yes), ("{\"answer\": \"no\"}", Word::No)] {
        for pass in [Word::Yes, Word::No] {
            let ruling = understood(text, pass);
            assert_eq!(
                (ruling.said, ruling.pass),
                (JudgeAnswer::Word(said), Some(said == pass))
            );
        }
    }
}

#[test]
fn refused_reply_is_no_answer() {
    let reply = Reply {
        text: "No, I cannot judge this.".into(),
        finish: Finish::Refused,
        ..Reply::default()
    };
    let ruling = ruling(&reply, Word::No);
    assert_eq!((ruling.said, ruling.pass), (JudgeAnswer::Refused, None));
    use benchtop_model::generation::FailureKind;
    assert!(
        refused(&Failure::new(FailureKind::Refused, "400: unsafe"))
            .is_some_and(|r| r.said == JudgeAnswer::Refused)
    );
    assert!(refused(&Failure::new(FailureKind::Transport, "the line broke")).is_none());
}

#[test]
fn certainty_uses_yes_and_no_only() {
    let first = |tokens: &[(&str, f64)]| -> Vec<Alternative> {
        tokens
            .iter()
            .map(|(t, p)| Alternative {
                token: (*t).into(),
                logprob: f64::ln(*p),
            })
            .collect()
    };
    let sure = certainty(&first(&[
        ("Yes", 0.5),
        (" yes", 0.1),
        ("No", 0.2),
        ("The", 0.2),
    ]))
    .unwrap();
    assert!((sure - 0.75).abs() < 1e-12, "{sure}");
    assert_eq!(certainty(&first(&[("{", 0.9), ("The", 0.1)])), None);
    assert_eq!(certainty(&first(&[("no", 0.3)])), Some(0.0));
    assert_eq!(certainty(&[]), None);
}

#[test]
fn repetitive_text_is_read_in_one_pass() {
    // Reading this in quadratic time would take 10^11 steps.
    assert_eq!(said(&"yes ".repeat(100_000)), JudgeAnswer::Word(Word::Yes));
    assert_eq!(
        said(&"answer is yes ".repeat(50_000)),
        JudgeAnswer::Word(Word::Yes)
    );
    assert_eq!(
        said(&"{\"answer\": ".repeat(50_000)),
        JudgeAnswer::Unparsed(Unparsed::Neither)
    );
    assert_eq!(
        said(&"maybe ".repeat(50_000)),
        JudgeAnswer::Unparsed(Unparsed::Neither)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_a_guess(
        text in "(yes|no|not|[Aa]nswer|is|or|it|[\\[\\]{}\"':.,/*\n -]|<think>|</think>|是|ü|。|\\PC){0,24}"
    ) {
        let good = understood(&text, Word::Yes);
        let bad = understood(&text, Word::No);
        prop_assert_eq!(good.said, bad.said);
        prop_assert_eq!(good.pass, bad.pass.map(|p| !p));
        if let JudgeAnswer::Word(word) = good.said {
            // The word is in the text, as such or as a JSON boolean.
            let lower = text.to_lowercase();
            let holds = lower.contains(word.name()) || lower.contains(if word == Word::Yes { "true" } else { "false" });
            prop_assert!(holds);
        }
    }
}
