//! MVP-Bench's measures (paper section 3.3 and Tables 2, 3, and 5; `evaluate.py`).
//!
//! L_l and L_h are the low and the high level, L_m is both pooled. N is the natural and M the
//! manipulated image of a pair. CI are cross-image and SI single-image multiple-choice questions.

use super::measure::{Measure, groups};
use crate::score::column::{Columns, Data, Metric, QuestionTable, Unit};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Field, QuestionKind, Side};

pub const METRIC: Metric = Metric {
    reference: &[[
        "`qAcc.*`, `aAcc.*`, `iAcc.*`, `mAcc.*`, `Circular.*`, `Vanilla.*`",
        "MVP-Bench's groups: all answers of a group must be right",
        "MVP-Bench 3.3, `evaluate.py`",
    ]],
    columns,
};

/// iAcc counts images with at least this many yes/no questions (`evaluate.py` requires more than
/// one).
const IMAGE_MINIMUM: usize = 2;

/// mAcc counts image pairs with at least this many yes/no questions over both images (`evaluate.py`
/// requires more than three).
const PAIR_MINIMUM: usize = 4;

const LEVELS: [(&str, Option<&str>); 3] =
    [("L_l", Some("low")), ("L_h", Some("high")), ("L_m", None)];
const CATEGORIES: [&str; 13] = [
    "B1", "B2", "B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1", "S2",
];

/// The columns for questions in image pairs. Columns without a unit are left out.
///
/// qAcc joins on the pair's id and the question text of the data set, never on the question text in
/// a prediction file.
fn columns(data: &Data<'_>, columns: &mut Columns) {
    let sheet = data.sheet;
    if !sheet.pair.any() {
        return;
    }
    let set = &Set { sheet };
    let mut found = Vec::new();
    for (name, level) in LEVELS {
        let help =
            "a yes/no question over both images of a pair is right if every answer to it is right";
        found.push(set.measure("qAcc", name, help, Unit::QuestionPair, |q| {
            set.yes_no(q) && set.at(q, level)
        }));
    }
    for (name, level) in LEVELS {
        let help = "accuracy on yes/no questions";
        found.push(set.measure("aAcc", name, help, Unit::Answer, |q| {
            set.yes_no(q) && set.at(q, level)
        }));
    }
    for (name, side) in [("N", Side::Natural), ("M", Side::Manipulated)] {
        let help = "accuracy on yes/no questions about this side";
        found.push(set.measure("aAcc", name, help, Unit::Answer, |q| {
            set.yes_no(q) && sheet.side(q) == Some(side)
        }));
    }
    for (name, side) in [
        ("N", Some(Side::Natural)),
        ("M", Some(Side::Manipulated)),
        ("N+M", None),
    ] {
        let help =
            "an image with more than one yes/no question is right if all its answers are right";
        found.push(set.measure("iAcc", name, help, Unit::Image, |q| {
            set.yes_no(q) && (side.is_none() || sheet.side(q) == side)
        }));
    }
    for (name, level) in LEVELS {
        let help = "an image pair with more than three yes/no answers at this level is right if all of them are right";
        found.push(set.measure("mAcc", name, help, Unit::ImagePair, |q| {
            set.yes_no(q) && set.at(q, level)
        }));
    }
    for (name, side, level) in [
        ("CI.L_l", Side::Cross, Some("low")),
        ("CI.L_h", Side::Cross, Some("high")),
        ("SI", Side::Manipulated, None),
    ] {
        let chosen =
            |q: usize| set.multiple_choice(q) && sheet.side(q) == Some(side) && set.at(q, level);
        let rotated = |q: usize| sheet.rotation_set.get(q) != 0 && chosen(q);
        let help = "CircularEval: a multiple-choice question is right if it is right in every rotation of its options";
        found.push(set.measure("Circular", name, help, Unit::Rotations, rotated));
        let help = "VanillaEval: the first rotation of a multiple-choice question in question-file order, read by the circular rule";
        let mut vanilla = Measure::new(format!("Vanilla.{name}"), "Vanilla", help, Unit::Rotations);
        for members in groups(set.chosen(rotated), |row| sheet.rotation_set.get(row)) {
            vanilla.push(
                members
                    .into_iter()
                    .min_by_key(|row| sheet.rotation[*row as usize]),
            );
        }
        found.push(vanilla);
        let help = "VanillaEval: the multiple-choice question as in all_questions, read by the single-question rule";
        let single = |q| sheet.rotation_set.get(q) == 0 && chosen(q);
        found.push(set.measure("Vanilla(all_questions)", name, help, Unit::Answer, single));
    }
    // Column order of the paper, protocol by protocol.
    let order = [
        "qAcc",
        "aAcc",
        "iAcc",
        "mAcc",
        "Circular",
        "Vanilla",
        "Vanilla(all_questions)",
    ];
    sort_by_key(&mut found, |m| {
        order.iter().position(|o| *o == m.head.group)
    });
    for category in CATEGORIES {
        let help = "qAcc of one low-level category (Table 5), inferred from the pair ids";
        let mut measure = set.measure("qAcc", category, help, Unit::QuestionPair, |q| {
            set.yes_no(q) && sheet.name(Field::Subtask, q) == category
        });
        measure.head.group = "qAcc by category".into();
        found.push(measure);
    }
    found
        .into_iter()
        .for_each(|measure| measure.add_to(columns));
}

struct Set<'a> {
    sheet: &'a QuestionTable,
}

impl Set<'_> {
    fn yes_no(&self, row: usize) -> bool {
        self.sheet.pair.get(row) != 0 && self.sheet.kind(row) == QuestionKind::YesNo
    }

    fn multiple_choice(&self, row: usize) -> bool {
        self.sheet.pair.get(row) != 0 && self.sheet.kind(row) == QuestionKind::MultipleChoice
    }

    fn at(&self, row: usize, level: Option<&str>) -> bool {
        level.is_none_or(|level| self.sheet.name(Field::Level, row) == level)
    }

    /// Graded rows for which `which` holds.
    fn chosen(&self, which: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        (0..self.sheet.len()).filter(move |row| self.sheet.graded(*row) && which(*row))
    }

    /// The column `GROUP.NAME` over the units of the rows for which `which` holds.
    fn measure(
        &self,
        group: &str,
        name: &str,
        help: &str,
        unit: Unit,
        which: impl Fn(usize) -> bool,
    ) -> Measure {
        let (key, minimum) = match unit {
            Unit::Answer | Unit::Orders => (None, 1),
            Unit::QuestionPair => (Some(&self.sheet.text), 1),
            Unit::Image => (Some(&self.sheet.image), IMAGE_MINIMUM),
            Unit::ImagePair => (Some(&self.sheet.pair), PAIR_MINIMUM),
            Unit::Rotations => (Some(&self.sheet.rotation_set), 1),
        };
        let key = |row: usize| key.map_or(row as u64, |key| key.get(row));
        let mut measure = Measure::new(format!("{group}.{name}"), group, help, unit);
        for members in groups(self.chosen(which), key) {
            if members.len() >= minimum {
                measure.push(members);
            }
        }
        measure
    }
}
