//! Small metadata shared by tests of several crates.

use benchtop_model::MetaFile;

use crate::metadata::{Metadata, VOCABULARIES, styles, templates};

/// Its `templates.toml`.
pub const SMALL: &str = r#"
[instruction]
multiple-choice = "Question: {question}\nChoices:\n{options}\nHint: e.g., {letters}.\nYour answer is:"
true-false = "Question: {question}\nChoices:\n{options}\nHint: e.g., {letters}.\nYour answer is:"
yes-no = "{question}\nPlease answer yes or no."
free-form = "{question}\nYour answer is:"
refusal = "I cannot tell"
[pair]
question = "What differs?"
option = "{first} first, {second} second"
[fragment]
thing = "1 {color} {animal}"
[subject.animal]
prompt = ["{thing}, {background}, {style}", "a photo of {a color} {animal}, {background}, {style}"]
main = "animal"
describe = "Please describe the image."
answer = "{color} {animal}, {background}, {style}"
[subject.sign]
prompt = ["a sign that says '{text}', {style}"]
main = "text"
[subtask.animal]
vocabulary = "animal"
question = "What is the animal in the image?"
statement = "The animal in the image is {a term}."
yes-no = "Is the animal in the image {a term}?"
[subtask.color]
vocabulary = "color"
granularity = "coarse"
question = "What is the color of the {subject}?"
statement = "The {subject} is {term}."
yes-no = "Is the {subject} {term}?"
describe = "What color is the {subject}?"
answer = "{term} {subject}"
[subtask.style]
vocabulary = "style"
granularity = "coarse"
question = "What is the style of the picture?"
statement = "The style of the picture is {term}."
yes-no = "Is the style of the picture {term}?"
describe = "Please describe the style."
answer = "{term} style"
[subtask.background]
vocabulary = "background"
granularity = "coarse"
question = "What is the background?"
statement = "The background is {term}."
yes-no = "Is the background {term}?"
describe = "Please describe the background."
answer = "{term}"
[subtask.text]
vocabulary = "text"
task = "OCR"
question = "What is the text in the image?"
statement = "The text in the image is {term}."
yes-no = "Is the text in the image {term}?"
describe = "Please read the text."
answer = "{term}"
"#;

/// The small metadata.
pub fn small() -> Metadata {
    let list = |name: &str, terms: &[&str]| MetaFile {
        name: format!("{VOCABULARIES}{name}.txt"),
        text: terms.iter().map(|t| format!("{t}\n")).collect(),
    };
    let style = |name: &str| {
        format!(
            "[[style]]\nname = \"{name}\"\nprompt = \"{name}, fine\"\nnegative = \"bad {name}\"\n"
        )
    };
    Metadata::parse([
        list(
            "animal",
            &["owl", "cat", "horse", "salmon", "beetle", "wolf"],
        ),
        list("color", &["red", "blue", "white"]),
        list(
            "background",
            &[
                "on a lawn",
                "in a forest",
                "under the stars",
                "by the sea",
                "in a street",
            ],
        ),
        list(
            "text",
            &[
                "hello", "winter", "market", "bridge", "pencil", "orchard", "gallery",
            ],
        ),
        MetaFile {
            name: styles::FILE.into(),
            text: ["woodcut", "oil painting", "comic", "sketch", "mosaic"]
                .map(style)
                .concat(),
        },
        MetaFile {
            name: templates::FILE.into(),
            text: SMALL.into(),
        },
    ])
}
