//! Test data for several crates.

use benchtop_model::generated_image::{GeneratedImage, hex, prompt_key};
use benchtop_model::generation::Fingerprint;
use benchtop_model::{Item, Key, QuestionKind};

/// Item `n` of the data set `set`. `subtask` can be empty.
pub fn item(n: i64, subtask: &str) -> Item {
    Item {
        prompt: Some(format!("a picture of {subtask} number {n}")),
        question: format!("What is number {n}?"),
        kind: if n % 2 == 0 {
            QuestionKind::YesNo
        } else {
            QuestionKind::MultipleChoice
        },
        answer: "yes".into(),
        subtask: (!subtask.is_empty()).then(|| subtask.to_string()),
        ..Item::blank("set", Key::Int(n))
    }
}

/// Generated picture `n`.
pub fn sample_made(n: u32) -> GeneratedImage {
    GeneratedImage {
        rev: u64::from(n) + 1,
        dataset: "set".into(),
        picture: format!("images/set/{}.png", n / 2),
        sample: n % 2 + 1,
        hash: blake3::hash(&n.to_le_bytes()).to_hex().to_string(),
        ext: "png".into(),
        width: 64,
        height: 48,
        seed: u64::from(n),
        fingerprint: Fingerprint::default().with("model", "a").short(),
        prompt: hex(prompt_key("a cat", Some("a dog"))),
        job: 3,
        at: "2026-01-01T00:00:00.000Z".into(),
        draft: n == 0,
        notes: vec!["cut".into()],
        items: vec![format!("set/{n}")],
        composed_of: Vec::new(),
    }
}
