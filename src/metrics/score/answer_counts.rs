//! Counts of missing, unparsed, refused, and uncompared answers to the scored questions.

use super::bitmap_index::Bitmap;
use super::engine::BoardEngine;
use super::item_selection::ItemSelection;
use super::model_answers::ModelAnswers;
use super::model_bitmaps::Bitmaps;
use super::parsed_answer::ParsedAnswer;
use benchtop_model::board::Counts;

impl BoardEngine {
    /// Counts for the selected questions. `missing` of them outside groups have no answer; `given`
    /// is the number of answers in each stack. Duplicates and extra answers are counted over whole
    /// files.
    pub(super) fn answer_counts(
        &self,
        model: usize,
        chosen: &ItemSelection,
        (missing, given): (u64, &[u32]),
    ) -> Counts {
        let (graded, planes) = (&self.models[model], &self.bitmaps[model]);
        let ones = |plane: &Bitmap| common_ones(plane, &chosen.plane);
        let mut found = Counts {
            missing: missing + self.missing_in_groups(graded, planes, chosen),
            uncompared: planes.uncompared.as_ref().map_or(0, ones),
            ..graded.counts
        };
        if chosen.rows.is_some() {
            found.used = given.iter().map(|n| u64::from(*n)).sum();
            (found.unparsed, found.refused) = (ones(&planes.unparsed), ones(&planes.refused));
            for row in self
                .unindexed
                .iter()
                .map(|row| *row as usize)
                .filter(|row| chosen.holds(*row))
            {
                let mark = graded.mark(row);
                found.used += u64::from(mark != ParsedAnswer::ABSENT);
                found.unparsed += u64::from(mark == ParsedAnswer::UNPARSED);
                found.refused += u64::from(mark == ParsedAnswer::REFUSED);
            }
        }
        found
    }

    fn missing_in_groups(
        &self,
        model: &ModelAnswers,
        planes: &Bitmaps,
        chosen: &ItemSelection,
    ) -> u64 {
        let rows = self
            .grouped
            .iter()
            .map(|row| *row as usize)
            .filter(|row| chosen.holds(*row));
        rows.filter(|row| {
            model.mark(*row) == ParsedAnswer::ABSENT
                && planes.scopes.contains(&self.sheet.scope(*row))
        })
        .count() as u64
    }
}

/// Number of bits that are set in both bitmaps.
fn common_ones(plane: &[u64], only: &[u64]) -> u64 {
    plane
        .iter()
        .zip(only)
        .map(|(word, only)| u64::from((word & only).count_ones()))
        .sum()
}
