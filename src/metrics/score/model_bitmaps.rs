//! Models' answers as bitmaps: by stratum, and by the clusters of questions.

use std::collections::HashSet;

use super::bitmap_index::{Bitmap, BitmapIndex};
use super::cluster_bits::ClusterBits;
use super::model_answers::ModelAnswers;
use super::parsed_answer::ParsedAnswer;
use super::question_table::QuestionTable;

/// A model's answers as bitmaps.
pub(super) struct Bitmaps {
    pub(super) right: Bitmap,
    pub(super) given: Bitmap,
    pub(super) unparsed: Bitmap,
    pub(super) refused: Bitmap,
    /// Free-form answers that were not compared, if any.
    pub(super) uncompared: Option<Bitmap>,
    /// The questions that were asked, if not all were.
    pub(super) asked: Option<Bitmap>,
    /// Scopes in which the model has or owes an answer. It is not scored in others.
    pub(super) scopes: HashSet<u32>,
    /// Whether the model is scored in each stack.
    pub(super) scored: Vec<bool>,
}

/// The questions outside groups by cluster, and which of them each model got right.
pub(super) struct ByCluster {
    pub(super) cluster_bits: ClusterBits,
    pub(super) right: Vec<Bitmap>,
}

/// A model's bitmaps. `wanted` is the right answer by bit.
pub(super) fn planes(
    sheet: &QuestionTable,
    cube: &BitmapIndex,
    (grouped, wanted, free): (&[u32], &[ParsedAnswer], &[usize]),
    model: &ModelAnswers,
) -> Bitmaps {
    let [mut right, given, unparsed, refused] = cube.marked(&model.marks, wanted);
    let uncompared = uncompared(cube, free, &given, model);
    if sheet.may_decline() {
        // A free-text refusal is right if the refusal option is.
        right = cube.plane(|row| sheet.right(row, model.mark(row)));
    }
    let stacks = cube
        .strata()
        .iter()
        .zip(cube.count(&given, &given))
        .filter(|(_, n)| *n > 0);
    let mut scopes: HashSet<u32> = stacks
        .map(|(stack, _)| sheet.scope(stack.first as usize))
        .collect();
    let rows = grouped
        .iter()
        .map(|row| *row as usize)
        .filter(|row| model.mark(*row) != ParsedAnswer::ABSENT);
    scopes.extend(rows.map(|row| sheet.scope(row)));
    // Questions that an evaluation asked in vain count, even if the model has no answer at all.
    let lacking = model
        .asked
        .iter()
        .flat_map(|asked| &asked.lacking)
        .map(|row| *row as usize);
    scopes.extend(
        lacking
            .filter(|row| cube.holds(*row) || sheet.graded(*row))
            .map(|row| sheet.scope(row)),
    );
    let scored = cube
        .strata()
        .iter()
        .map(|s| scopes.contains(&sheet.scope(s.first as usize)))
        .collect();
    let asked = model
        .asked
        .is_some()
        .then(|| cube.plane(|row| model.was_asked(row)));
    Bitmaps {
        right,
        given,
        unparsed,
        refused,
        uncompared,
        asked,
        scopes,
        scored,
    }
}

/// Bitmap of the free-form answers (in the stacks `free`) that were not compared with their
/// references; `None` if all were.
fn uncompared(
    cube: &BitmapIndex,
    free: &[usize],
    given: &Bitmap,
    model: &ModelAnswers,
) -> Option<Bitmap> {
    let mut found = None;
    for stack in free {
        for (word, bit, row) in cube.bits(*stack, given) {
            if model.likeness(row).is_none() {
                found.get_or_insert_with(|| vec![0; given.len()])[word] |= 1_u64 << bit;
            }
        }
    }
    found
}
