//! Synthetic items for the benches, made as Dysca makes its own: metadata to prompt to questions.
//!
//! Sizes follow the released data: prompts of 173 bytes and questions of 44 on average, 4 options, 20 subtasks,
//! 51 styles, 3 question types. Every item is a function of its number, so any part of the set can be made again.
//! The pictures they name do not exist.

mod words;

use benchtop::model::{Choice, Form, ImageRef, Item, Key, QuestionKind, Role};

use words::{STYLES, SUBTASKS, WORDS};

/// How many items Dysca has.
pub const DYSCA: u64 = 617_000;
/// Questions asked about one picture.
const QUESTIONS: u64 = 5;

/// SplitMix64 (Steele, Lea and Flood 2014), begun at a number of its own for every item.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}

/// The first `n` items.
pub fn items(n: u64) -> impl Iterator<Item = Item> {
    (0..n).map(item)
}

/// The item numbered `number`, from 0.
pub fn item(number: u64) -> Item {
    let picture = number / QUESTIONS;
    let mut dice = Dice(picture.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let style = STYLES[dice.roll(STYLES.len())];
    let (_, _, things) = &SUBTASKS[dice.roll(12)];
    let color = SUBTASKS[13].2[dice.roll(12)];
    let place = SUBTASKS[12].2[dice.roll(12)];
    let mut prompt = String::with_capacity(240);
    let parts = [
        "1 ",
        color,
        " color ",
        things[dice.roll(12)],
        ", ",
        SUBTASKS[6].2[dice.roll(12)],
        ", ",
        place,
    ];
    parts.iter().for_each(|part| prompt.push_str(part));
    prompt.push_str(", ");
    prompt.push_str(style);
    prompt.push_str(" style");
    for _ in 0..dice.roll(3) + 7 {
        prompt.push_str(", ");
        prompt.push_str(WORDS[dice.roll(WORDS.len())]);
    }

    let mut dice = Dice(!number);
    let (subtask, question, answers) = &SUBTASKS[dice.roll(SUBTASKS.len())];
    let first = dice.roll(answers.len());
    let right = dice.roll(4);
    let option = |i: usize| Choice {
        text: answers[(first + i * 5) % answers.len()].to_string(),
        role: if i == right {
            Role::Correct
        } else {
            Role::Distractor
        },
    };
    let (kind, options, answer) = match dice.roll(10) {
        0..6 => (
            QuestionKind::MultipleChoice,
            (0..4).map(option).collect(),
            option(right).text,
        ),
        6..9 => {
            let side = |text: &str, at| Choice {
                text: text.into(),
                role: if (right < 2) == (at == 0) {
                    Role::Correct
                } else {
                    Role::Distractor
                },
            };
            let answer = if right < 2 { "True" } else { "False" };
            (
                QuestionKind::TrueFalse,
                vec![side("True", 0), side("False", 1)],
                answer.to_string(),
            )
        }
        _ => (QuestionKind::FreeForm, Vec::new(), prompt.clone()),
    };
    Item {
        id: format!("synthetic/{number}"),
        dataset: "synthetic".into(),
        key: Key::Int(number as i64),
        form: Form::Dysca,
        images: vec![ImageRef {
            name: format!("images/{picture:06}.jpg"),
            ..ImageRef::default()
        }],
        prompt: Some(prompt),
        negative_prompt: None,
        instruction: None,
        question: (*question).to_string(),
        kind,
        options,
        answer,
        task: Some("recognition".into()),
        subtask: Some((*subtask).to_string()),
        granularity: None,
        level: None,
        style: Some(style.to_string()),
        pair: None,
        rotation: None,
        provenance: None,
        derivation: None,
        variant: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}
