//! The kinds of units that columns count.

use benchtop_model::Item;
use benchtop_model::board::Cell;

/// Units, each as the rows of its questions and whether it is right.
pub type Units = Vec<(Vec<u32>, bool)>;

/// The share of units that are right. `None` without units.
pub fn share(units: impl Iterator<Item = bool>) -> Option<Cell> {
    let (mut k, mut n) = (0, 0);
    for is_right in units {
        n += 1;
        k += u64::from(is_right);
    }
    (n > 0).then_some(Cell::Share { k, n })
}

/// What a column counts.
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
        let pair = item.pair.as_ref().map(|pair| pair.id.to_string());
        let pair = pair.unwrap_or_default();
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
