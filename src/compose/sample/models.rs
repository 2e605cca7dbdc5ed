//! The answers of three models that do not exist: the program makes them up.

use super::SEED;
use benchtop_model::rng::{Stream, key};
use benchtop_model::{Item, Prediction, QuestionKind};

/// A made-up model.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name, which marks it as made up.
    pub name: &'static str,
    /// Percentage of questions that it knows, before harder and easier ones are told apart.
    skill: usize,
    /// Percentage of answers that no rule can read.
    unreadable: usize,
}

/// The models, best first.
pub const MODELS: [Model; 3] = [
    Model {
        name: "sample-large",
        skill: 88,
        unreadable: 2,
    },
    Model {
        name: "sample-medium",
        skill: 70,
        unreadable: 5,
    },
    Model {
        name: "sample-small",
        skill: 48,
        unreadable: 12,
    },
];

/// Outputs without an answer.
const UNREADABLE: [&str; 3] = [
    "I would have to see the picture more closely to say.",
    "It depends on how one looks at it.",
    "Sorry, I am not certain about this one.",
];

impl Model {
    /// Its answer to the question of `item`.
    pub fn answer(&self, item: &Item) -> Prediction {
        let mut extra = serde_json::Map::new();
        extra.insert("sample".into(), true.into());
        Prediction {
            key: item.key.clone(),
            output: self.output(item),
            rule: None,
            judge: None,
            extra,
        }
    }

    fn output(&self, item: &Item) -> String {
        let mut dice = Stream::new(key(SEED, &["answer", self.name, &item.id]));
        if dice.below(100) < self.unreadable {
            return UNREADABLE[dice.below(UNREADABLE.len())].into();
        }
        let knows = dice.below(100) < self.skill_at(item);
        match item.kind {
            QuestionKind::MultipleChoice => choice(item, knows, &mut dice),
            QuestionKind::TrueFalse => word(item, ["True", "False"], knows),
            QuestionKind::YesNo => word(item, ["Yes", "No"], knows),
            QuestionKind::FreeForm if knows => item.answer.clone(),
            QuestionKind::FreeForm => "A picture with a plain background.".into(),
        }
    }

    /// The percentage of questions like this one that it knows. Each model has its own strong and
    /// weak styles and subtasks.
    fn skill_at(&self, item: &Item) -> usize {
        let bias = |of: &str, text: Option<&str>, width: usize| {
            let text = text.unwrap_or_default();
            Stream::new(key(SEED, &[of, self.name, text])).below(2 * width + 1)
        };
        let harder = match item.kind {
            QuestionKind::FreeForm => 15,
            QuestionKind::MultipleChoice => 5,
            QuestionKind::TrueFalse | QuestionKind::YesNo => 0,
        };
        let up =
            bias("style", item.style.as_deref(), 10) + bias("subtask", item.subtask.as_deref(), 8);
        (self.skill + up).saturating_sub(18 + harder).min(100)
    }
}

fn choice(item: &Item, knows: bool, dice: &mut Stream) -> String {
    let count = item.options.len();
    let right = item.gold().unwrap_or_default();
    let chosen = match knows || count < 2 {
        true => right,
        false => (right + 1 + dice.below(count - 1)) % count,
    };
    let letter = char::from(b'A' + u8::try_from(chosen).unwrap_or_default());
    match dice.below(3) {
        0 => letter.to_string(),
        1 => format!("The answer is {letter}."),
        _ => format!(
            "{letter}. {}",
            item.options.get(chosen).map_or("", |o| &o.text)
        ),
    }
}

/// One of two words: the one of the answer if the model knows it.
fn word(item: &Item, [yes, no]: [&str; 2], knows: bool) -> String {
    let says_yes = item.answer.eq_ignore_ascii_case(yes);
    if says_yes == knows { yes } else { no }.into()
}
