//! Columns that count groups of questions, which are right if all of their answers are right: image
//! pairs, images, rotations.

use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Head, ItemSelection, ModelScores, Unit, Units, share,
};

/// A column and its units: groups of questions that must all be answered right.
pub(super) struct Measure {
    pub(super) head: Head,
    unit: Unit,
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Measure {
    pub(super) fn new(name: impl Into<String>, group: &str, help: &str, unit: Unit) -> Measure {
        Measure {
            head: Head::share(name, group, help),
            unit,
            members: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a unit, given the rows of its questions.
    pub(super) fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        self.members.extend(members);
        self.ends
            .push(u32::try_from(self.members.len()).unwrap_or(u32::MAX));
    }

    /// Adds the column, unless it has no unit.
    pub(super) fn add_to(self, found: &mut Columns) {
        if !self.ends.is_empty() {
            found.add(self.head.clone(), self);
        }
    }

    /// The units that count for a model, each as the rows of its questions.
    fn of<'s>(
        &'s self,
        engine: &'s BoardEngine,
        model: usize,
        chosen: &'s ItemSelection,
    ) -> impl Iterator<Item = (&'s [u32], bool)> + 's {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let units = starts
            .zip(&self.ends)
            .map(|(start, end)| &self.members[start as usize..*end as usize]);
        let (answers, scopes) = (engine.answers(model), &engine.bitmaps[model].scopes);
        let counts = |row: &u32| chosen.holds(*row as usize) && answers.was_asked(*row as usize);
        let is_scored = |row: &u32| scopes.contains(&engine.sheet.scope(*row as usize));
        units
            .filter(move |unit| unit.first().is_some_and(is_scored) && unit.iter().all(counts))
            .map(|unit| {
                let right = |row: &u32| engine.right(answers, *row as usize);
                (unit, unit.iter().all(right))
            })
    }
}

impl Column for Measure {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let units = self.of(of.engine, of.model, &of.chosen);
        share(units.map(|(_, right)| right))
    }

    fn basis(&self, _: &BoardEngine) -> Basis {
        Basis::Units
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn units(&self, engine: &BoardEngine, model: usize, chosen: &ItemSelection) -> Units {
        let units = self.of(engine, model, chosen);
        units.map(|(unit, right)| (unit.to_vec(), right)).collect()
    }
}

/// Groups rows by key, in order of first appearance.
pub(super) fn groups<K: Eq + std::hash::Hash>(
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
