//! Dysca's released extraction rule, on answers in four layouts of its instruction.

use benchtop::metrics::extract::{Extractor, Instruction, Read};
use serde_json::Value;

use super::shared;

#[test]
fn legacy_dysca_gives_every_golden_extraction() {
    let Some(path) = shared("dysca-extraction.json") else {
        return;
    };
    let golden: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    for case in cases {
        let text = golden["instructions"][case["instruction"].as_str().unwrap()]
            .as_str()
            .unwrap();
        let instruction = Instruction::new(text.into());
        assert_eq!(
            instruction.asked().options.len(),
            if text.contains("True") { 2 } else { 4 }
        );
        // Python makes text of what is none.
        let answer = case["answer"].as_str().unwrap_or("None");
        let found = Extractor::LegacyDysca.text(&instruction.asked(), answer, None);
        assert_eq!(found.as_deref(), case["extracted"].as_str(), "{case}");
    }
    crate::support::tell(&format!("conformance: {} golden extractions", cases.len()));
    assert!(cases.len() >= 60);
}

/// Where the strict rule reads an option in those answers, it is one that a person would read too; it never reads a refusal, an
/// empty answer, or a letter that is no option.
#[test]
fn strict_reads_less_and_nothing_else() {
    let Some(path) = shared("dysca-extraction.json") else {
        return;
    };
    let golden: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in golden["cases"].as_array().unwrap() {
        let (layout, answer) = (
            case["instruction"].as_str().unwrap(),
            case["answer"].as_str().unwrap_or(""),
        );
        let instruction = Instruction::new(golden["instructions"][layout].as_str().unwrap().into());
        let animals = layout.starts_with("MC");
        let expected = match answer {
            "A" | "The answer is A, not a Dog" => Read::Option(0),
            // A letter in brackets, with words that are no other option.
            "B" | "(B)" | "b" | "(b) cat" => Read::Option(1),
            "B. Dog" if !animals => Read::Option(1),
            "cat" | "CAT" | "The answer is cat." if animals => Read::Option(1),
            "It is a cat(s)" if animals => Read::Option(1),
            "sea lion" if animals => Read::Option(3),
            "True" | "true" if !animals => Read::Option(usize::from(layout == "TF_false_first")),
            "False" | "false" if !animals => Read::Option(usize::from(layout == "TF_true_first")),
            "Sorry, I cannot help with that." => Read::Refused,
            _ => Read::Unparsed,
        };
        let found = Extractor::Strict.read(&instruction.asked(), answer, None);
        if found != expected {
            wrong.push(format!(
                "{layout}: `{answer}` is read as {found:?}, expected {expected:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
