//! The round of the sample: two annotators who do not exist, their verdicts, and a third who settled
//! some of their disputes.

use super::{SEED, planted};
use benchtop_model::rng::{Stream, key};
use benchtop_model::{Item, Judgement, Verdict, verdict::Seen};

/// Name of the round.
pub const ROUND: &str = "sample-round";
/// The annotators of the round, who judge each of its items.
pub const ANNOTATORS: [&str; 2] = ["sample-ann", "sample-bob"];
/// Who settled disputes.
pub const ADJUDICATOR: &str = "sample-cleo";
/// Number of items in the round. The others wait for a person.
pub const ITEMS: u32 = 40;
/// One in this many disputes is not settled.
pub const OPEN_EVERY: usize = 3;
/// Path of the guidelines in the project.
pub const GUIDELINES_PATH: &str = "sessions/sample-guidelines.md";
/// The guidelines.
pub const GUIDELINES: &str = "# Guidelines of the sample round

This file belongs to the sample of benchtop. The annotators of the round do not exist.

- Accept an item if its picture shows what the prompt says, the marked answer is right, and no other
  option is right too.
- Reject it for `wrong-answer` if the marked answer is not right.
- Reject it for `bad-distractor` if two options say the same.
- Choose `unsure` if you cannot tell even after a second look, and say why in the note.
";

/// The verdict of an annotator of the round on `item`. Both make mistakes, the second more often.
pub fn verdict(who: &str, item: &Item) -> Judgement {
    let mut dice = Stream::new(key(SEED, &["verdict", who, &item.id]));
    let (slips, slowness) = match who == ANNOTATORS[0] {
        true => (4, 2_400),
        false => (11, 3_100),
    };
    let slipped = dice.below(100) < slips;
    let hesitates = dice.below(100) < 4;
    let mut judgement = match planted(item) {
        _ if hesitates => unsure(),
        None if slipped => rejected("ambiguous-question"),
        None => Judgement::new(Verdict::Accept, Seen::Painted),
        Some(_) if slipped => Judgement::new(Verdict::Accept, Seen::Painted),
        Some(defect) => rejected(reason(defect)),
    };
    judgement.ms = u32::try_from(slowness + dice.below(6_000)).ok();
    judgement
}

/// The verdict that settles a dispute about `item`.
pub fn settled(item: &Item) -> Judgement {
    let mut judgement = match planted(item) {
        Some(defect) => rejected(reason(defect)),
        None => Judgement::new(Verdict::Accept, Seen::Painted),
    };
    let mut dice = Stream::new(key(SEED, &["settled", &item.id]));
    judgement.ms = u32::try_from(5_000 + dice.below(9_000)).ok();
    judgement
}

fn rejected(reason: &str) -> Judgement {
    Judgement {
        reasons: vec![reason.into()],
        ..Judgement::new(Verdict::Reject, Seen::Painted)
    }
}

fn unsure() -> Judgement {
    Judgement {
        note: Some("I cannot tell the two colors apart".into()),
        ..Judgement::new(Verdict::Unsure, Seen::Painted)
    }
}

fn reason(defect: &str) -> &'static str {
    match defect {
        "same option twice" => "bad-distractor",
        _ => "wrong-answer",
    }
}
