//! MVP-Bench's measures (paper section 3.3 and Tables 2, 3 and 5; `evaluate.py`).
//!
//! L_l and L_h are the low and the high level, L_m both pooled; N is the natural and M the manipulated image of a pair; CI are
//! cross-image and SI single-image multiple-choice questions.

use std::collections::HashMap;
use std::hash::Hash;

use super::score::{Measure, Question, Unit};
use crate::model::{Key, QuestionKind, Side};

/// iAcc counts images with at least this many yes/no questions (`evaluate.py` asks for more than one).
pub const IMAGE_MINIMUM: usize = 2;

/// mAcc counts image pairs with at least this many yes/no questions over both images (`evaluate.py` asks for more than three).
pub const PAIR_MINIMUM: usize = 4;

const LEVELS: [(&str, Option<&str>); 3] = [("L_l", Some("low")), ("L_h", Some("high")), ("L_m", None)];
const CATEGORIES: [&str; 13] = ["B1", "B2", "B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1", "S2"];

/// The columns for the questions that belong to image pairs; none without such questions, and none without a unit.
///
/// qAcc joins on the pair's id and the text of the data set, never on what a prediction file says the question was.
pub fn measures(questions: &[Question]) -> Vec<Measure> {
    let set = Set { questions };
    let mut found = Vec::new();
    for (name, level) in LEVELS {
        let help = "a yes/no question over both images of a pair; right when every answer to it is";
        found.push(set.grouped(format!("qAcc.{name}"), "qAcc", help, Unit::QuestionPair, 1, question_pair, |q| {
            yes_no(q) && at(q, level)
        }));
    }
    for (name, level) in LEVELS {
        found.push(
            set.answers(format!("aAcc.{name}"), "aAcc", "an answer to a yes/no question", |q| {
                yes_no(q) && at(q, level)
            }),
        );
    }
    for (name, side) in [("N", Side::Natural), ("M", Side::Manipulated)] {
        found.push(set.answers(format!("aAcc.{name}"), "aAcc", "an answer to a yes/no question on this side", |q| {
            yes_no(q) && q.side == Some(side)
        }));
    }
    for (name, side) in [("N", Some(Side::Natural)), ("M", Some(Side::Manipulated)), ("N+M", None)] {
        let help = "an image with more than one yes/no question; right when all its answers are";
        found.push(set.grouped(format!("iAcc.{name}"), "iAcc", help, Unit::Image, IMAGE_MINIMUM, image, |q| {
            yes_no(q) && (side.is_none() || q.side == side)
        }));
    }
    for (name, level) in LEVELS {
        let help = "an image pair with more than three yes/no answers at this level; right when all of them are";
        found.push(set.grouped(format!("mAcc.{name}"), "mAcc", help, Unit::ImagePair, PAIR_MINIMUM, image_pair, |q| {
            yes_no(q) && at(q, level)
        }));
    }
    for (name, side, level) in
        [("CI.L_l", Side::Cross, Some("low")), ("CI.L_h", Side::Cross, Some("high")), ("SI", Side::Manipulated, None)]
    {
        let chosen = |q: &Question| multiple_choice(q) && q.side == Some(side) && at(q, level);
        let rotated = |q: &Question| q.rotation.is_some() && chosen(q);
        let help =
            "CircularEval: a multiple-choice question; right when every rotation of its options is answered right";
        found.push(set.grouped(format!("Circular.{name}"), "Circular", help, Unit::Rotations, 1, rotations, rotated));
        let help = "VanillaEval: the first rotation of a multiple-choice question, in the order of the question file, read by the circular rule";
        let mut vanilla = Measure::new(format!("Vanilla.{name}"), "Vanilla", help, Unit::Rotations);
        for members in set.groups(rotations, rotated) {
            let position = |at: &u32| questions[*at as usize].rotation.as_ref().map(|r| r.1);
            vanilla.push(members.into_iter().min_by_key(position));
        }
        found.push(vanilla);
        let help =
            "VanillaEval: the multiple-choice question as all_questions asks it, read by the single-question rule";
        let name = format!("Vanilla(all_questions).{name}");
        found.push(set.answers(name, "Vanilla(all_questions)", help, |q| q.rotation.is_none() && chosen(q)));
    }
    // Column order of the paper: one protocol after the other.
    let order = ["qAcc", "aAcc", "iAcc", "mAcc", "Circular", "Vanilla", "Vanilla(all_questions)"];
    found.sort_by_key(|m| order.iter().position(|o| *o == m.column.group));
    for category in CATEGORIES {
        let help = "qAcc of one low-level category (Table 5); categories are inferred from the pair ids";
        found.push(set.grouped(
            format!("qAcc.{category}"),
            "qAcc by category",
            help,
            Unit::QuestionPair,
            1,
            question_pair,
            |q| yes_no(q) && q.subtask.as_deref() == Some(category),
        ));
    }
    found.retain(|m| !m.is_empty());
    found
}

fn yes_no(q: &Question) -> bool {
    q.pair.is_some() && q.kind == QuestionKind::YesNo
}

fn multiple_choice(q: &Question) -> bool {
    q.pair.is_some() && q.kind == QuestionKind::MultipleChoice
}

fn at(q: &Question, level: Option<&str>) -> bool {
    level.is_none() || q.level.as_deref() == level
}

fn question_pair(q: &Question) -> (&str, Option<&Key>, &str) {
    (&q.dataset, q.pair.as_ref(), &q.text)
}

fn image(q: &Question) -> (&str, &str) {
    (&q.dataset, &q.image)
}

fn image_pair(q: &Question) -> (&str, Option<&Key>) {
    (&q.dataset, q.pair.as_ref())
}

fn rotations(q: &Question) -> (&str, Option<&str>) {
    (&q.dataset, q.rotation.as_ref().map(|r| r.0.as_str()))
}

struct Set<'a> {
    questions: &'a [Question],
}

impl<'a> Set<'a> {
    fn chosen(&self, which: impl Fn(&Question) -> bool) -> impl Iterator<Item = (u32, &'a Question)> {
        (0u32..).zip(self.questions).filter(move |(_, q)| which(q))
    }

    fn answers(&self, name: String, group: &str, help: &str, which: impl Fn(&Question) -> bool) -> Measure {
        let mut measure = Measure::new(name, group, help, Unit::Answer);
        self.chosen(which).for_each(|(at, _)| measure.push([at]));
        measure
    }

    /// Positions by what `key` says of a question, in the order of first appearance.
    fn groups<K: Eq + Hash>(
        &self,
        key: impl Fn(&'a Question) -> K,
        which: impl Fn(&Question) -> bool,
    ) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut index: HashMap<K, usize> = HashMap::new();
        for (at, question) in self.chosen(which) {
            let group = *index.entry(key(question)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(at);
        }
        groups
    }

    #[expect(clippy::too_many_arguments, reason = "one line a column reads better than a builder")]
    fn grouped<K: Eq + Hash>(
        &self,
        name: String,
        group: &str,
        help: &str,
        unit: Unit,
        minimum: usize,
        key: impl Fn(&'a Question) -> K,
        which: impl Fn(&Question) -> bool,
    ) -> Measure {
        let mut measure = Measure::new(name, group, help, unit);
        for members in self.groups(key, which) {
            if members.len() >= minimum {
                measure.push(members);
            }
        }
        measure
    }
}
