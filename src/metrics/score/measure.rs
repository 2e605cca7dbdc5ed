//! Measures over groups of questions that must all be answered right: image pairs, images,
//! rotations.

use super::question_table::QuestionTable;
use benchtop_model::board::Column;
use benchtop_model::{Item, Key};

/// The kind of group that a measure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Answer,
    /// The answers to one question text over an image pair.
    QuestionPair,
    /// The answers about one image.
    Image,
    /// The answers about an image pair.
    ImagePair,
    /// The rotations of one question.
    Rotations,
    /// The answers to one question with its options in several orders.
    Orders,
}

impl Unit {
    /// Display name of the item's unit.
    pub fn name(self, item: &Item) -> String {
        let pair = item
            .pair
            .as_ref()
            .map(|p| p.id.clone())
            .as_ref()
            .map(Key::to_string)
            .unwrap_or_default();
        let text = item.instruction.as_ref().unwrap_or(&item.question);
        match self {
            Unit::Answer | Unit::Orders => format!("question {}", item.key),
            Unit::QuestionPair => {
                format!("pair {pair}: {}", text.lines().next().unwrap_or_default())
            }
            Unit::Image => format!("image {}", item.images.first().map_or("", |i| &i.name)),
            Unit::ImagePair => format!("pair {pair}"),
            Unit::Rotations => format!(
                "rotations {}",
                item.rotation.as_ref().map_or("", |r| &r.set)
            ),
        }
    }
}

/// A board column and its units: groups of questions that must all be answered right.
#[derive(Clone, Debug)]
pub struct Measure {
    pub column: Column,
    pub unit: Unit,
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Measure {
    pub fn new(name: impl Into<String>, group: &str, help: &str, unit: Unit) -> Measure {
        Measure {
            column: Column::share(name, group, help),
            unit,
            members: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a unit, given the rows of its questions.
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        self.members.extend(members);
        self.ends
            .push(u32::try_from(self.members.len()).unwrap_or(u32::MAX));
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The units, each as the rows of its questions.
    pub fn units(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.members[start as usize..*end as usize])
    }
}

/// Circular evaluation of rotation sets outside image pairs (VLMEvalKit, MMBench): a question is
/// right if it is right in every rotation of its options.
pub fn circular(sheet: &QuestionTable) -> Option<Measure> {
    if !sheet.rotation_set.any() {
        return None;
    }
    let help = "CircularEval: a multiple-choice question is right if it is right in every rotation of its options";
    let mut measure = Measure::new("Circular", "Circular", help, Unit::Rotations);
    let rows = (0..sheet.len()).filter(|row| {
        sheet.rotation_set.get(*row) != 0 && sheet.pair.get(*row) == 0 && sheet.graded(*row)
    });
    groups(rows, |row| sheet.rotation_set.get(row))
        .into_iter()
        .for_each(|members| measure.push(members));
    (!measure.is_empty()).then_some(measure)
}

/// Groups rows by key, in order of first appearance.
pub fn groups<K: Eq + std::hash::Hash>(
    rows: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> K,
) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut index: std::collections::HashMap<K, usize> = std::collections::HashMap::new();
    for row in rows {
        let group = *index.entry(key(row)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(row as u32);
    }
    groups
}
