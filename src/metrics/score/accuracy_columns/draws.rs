//! The resampled sums behind an accuracy column, and how its value formula from them.

use std::collections::BTreeMap;

use super::{AccuracyColumns, Source, name_or_none, types};
use crate::dysca::{CHANCE, CLEAN, above_chance};
use crate::statistics::mean;
use benchtop_model::QuestionKind;

/// Number of sums per slot: points, questions, chance levels.
pub const SUMS: usize = 3;

/// How a value formula from the sums of its slots, in the unit of the column's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Formula {
    /// Points over questions of the only slot.
    Share,
    /// Half the difference of the two types in Dysca's equation 1; its square is SQ. Holds the type
    /// of each slot, and whether the paper's chance levels are used.
    Types(Vec<usize>, bool),
    /// The mean over types of the mean over their slots. Holds the type of each slot and the number
    /// of types, all of which must be present.
    Final(Vec<usize>, usize),
    /// `Final` of the first slots (the last number says how many) minus `Final` of the others, in
    /// points.
    Drop(Vec<usize>, usize, usize),
}

/// The sums from which a column's value formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The slot of each stack; `None` if the column does not count it. Empty if every answer
    /// belongs to the only slot.
    slots: Vec<Option<u32>>,
    len: usize,
    formula: Formula,
}

impl Draw {
    /// Points over questions, for everything behind a column.
    pub fn share() -> Draw {
        Draw {
            slots: Vec::new(),
            len: 1,
            formula: Formula::Share,
        }
    }

    /// Number of sums.
    pub fn width(&self) -> usize {
        self.len * SUMS
    }

    /// The first sum of a stack's slot; `None` if the column does not count the stack.
    pub fn slot(&self, stack: usize) -> Option<usize> {
        if self.slots.is_empty() {
            return Some(0);
        }
        self.slots
            .get(stack)
            .copied()
            .flatten()
            .map(|slot| slot as usize * SUMS)
    }

    /// Whether the value is a share from 0 to 1.
    pub fn is_share(&self) -> bool {
        matches!(self.formula, Formula::Share | Formula::Final(..))
    }

    /// Whether the resampled number is the root of the column's value.
    pub fn is_root(&self) -> bool {
        matches!(self.formula, Formula::Types(..))
    }

    /// The value, with shares from 0 to 1; `None` if it is undefined. For SQ this is the signed
    /// root.
    pub fn value(&self, sums: &[f64]) -> Option<f64> {
        let slots: Vec<&[f64]> = sums.chunks_exact(SUMS).collect();
        match &self.formula {
            Formula::Share => share(slots.first()?),
            Formula::Types(types, paper) => {
                let chance = |kind: usize, slot: &[f64]| {
                    if *paper {
                        CHANCE[kind]
                    } else {
                        slot[2] / slot[1]
                    }
                };
                let of = |kind: usize| {
                    let own = slots.iter().zip(types).filter(|(_, t)| **t == kind);
                    let normal =
                        own.filter_map(|(slot, _)| above_chance(share(slot)?, chance(kind, slot)));
                    mean(&normal.collect::<Vec<_>>())
                };
                Some((of(1)? - of(0)?) / 2.0)
            }
            Formula::Final(types, all) => final_score(&slots, types, *all),
            Formula::Drop(types, all, at) => {
                let (own, clean) = slots.split_at_checked(*at)?;
                let (own_types, clean_types) = types.split_at_checked(*at)?;
                Some(
                    100.0
                        * (final_score(own, own_types, *all)?
                            - final_score(clean, clean_types, *all)?),
                )
            }
        }
    }
}

fn share(slot: &[f64]) -> Option<f64> {
    (slot[1] > 0.0).then(|| slot[0] / slot[1])
}

fn final_score(slots: &[&[f64]], types: &[usize], all: usize) -> Option<f64> {
    let of = |kind| {
        let own = slots.iter().zip(types).filter(|(_, t)| **t == kind);
        mean(&own.filter_map(|(slot, _)| share(slot)).collect::<Vec<_>>())
    };
    mean(&(0..all).map(of).collect::<Option<Vec<_>>>()?)
}

/// Slots by subtask and type, in order of first use.
#[derive(Default)]
struct Slots {
    of: BTreeMap<(bool, u16, usize), u32>,
    types: Vec<usize>,
}

impl Slots {
    fn take(&mut self, second: bool, subtask: u16, kind: usize) -> u32 {
        let next = self.types.len() as u32;
        *self.of.entry((second, subtask, kind)).or_insert_with(|| {
            self.types.push(kind);
            next
        })
    }
}

impl AccuracyColumns {
    /// What to resample for a column; `None` if the column cannot be resampled.
    pub fn draw(&self, column: usize) -> Option<Draw> {
        let source = self.sources.get(column)?;
        let stratum = |at: usize| &self.strata[self.stratum[at] as usize];
        let stacks = 0..self.stratum.len();
        let kind_of =
            |at: usize, free: bool| types(free).iter().position(|t| *t == stratum(at).kind);
        let mut slots = Slots::default();
        let (slots_of, formula) = match source {
            Source::Share(strata) | Source::Mean(strata) => {
                let of = stacks
                    .map(|at| strata.contains(&self.stratum[at]).then_some(0))
                    .collect();
                return Some(Draw {
                    slots: of,
                    len: 1,
                    formula: Formula::Share,
                });
            }
            Source::Style(style) => {
                let of = stacks
                    .map(|at| (self.style[at] == Some(*style as u32)).then_some(0))
                    .collect();
                return Some(Draw {
                    slots: of,
                    len: 1,
                    formula: Formula::Share,
                });
            }
            Source::Sc(_) => return None,
            Source::Sq(_) | Source::SqPaper => {
                let subtask = if let Source::Sq(subtask) = source {
                    subtask.as_ref()
                } else {
                    None
                };
                let name = |at: usize| {
                    name_or_none(
                        self.subtasks
                            .get(usize::from(stratum(at).subtask))
                            .map_or("", |s| s),
                    )
                };
                let counts =
                    |at: usize| stratum(at).is_clean && subtask.is_none_or(|s| name(at) == s);
                let of: Vec<Option<u32>> = stacks
                    .map(|at| {
                        let kind = kind_of(at, false).filter(|_| counts(at))?;
                        Some(slots.take(false, stratum(at).subtask, kind))
                    })
                    .collect();
                (
                    of,
                    Formula::Types(slots.types, matches!(source, Source::SqPaper)),
                )
            }
            Source::Final(scenario, free) => {
                let of = stacks
                    .map(|at| {
                        let kind = kind_of(at, *free)
                            .filter(|_| self.scenario(stratum(at)) == scenario)?;
                        Some(slots.take(false, stratum(at).subtask, kind))
                    })
                    .collect();
                (of, Formula::Final(slots.types, types(*free).len()))
            }
            Source::Delta(scenario, free) => {
                let mut of = vec![None; self.stratum.len()];
                let mut split = 0;
                for (second, wanted) in [(false, scenario.as_str()), (true, CLEAN)] {
                    for at in stacks
                        .clone()
                        .filter(|at| self.scenario(stratum(*at)) == wanted)
                    {
                        if let Some(kind) = kind_of(at, *free) {
                            of[at] = Some(slots.take(second, stratum(at).subtask, kind));
                        }
                    }
                    if !second {
                        split = slots.types.len();
                    }
                }
                (of, Formula::Drop(slots.types, types(*free).len(), split))
            }
        };
        let len = slots_of
            .iter()
            .flatten()
            .max()
            .map_or(0, |last| *last as usize + 1);
        Some(Draw {
            slots: slots_of,
            len,
            formula,
        })
    }

    /// Whether a column counts free-form answers, which are neither right nor wrong.
    pub fn counts_free_form(&self, column: usize) -> bool {
        match self.sources.get(column) {
            Some(Source::Mean(_)) => true,
            Some(Source::Final(_, free) | Source::Delta(_, free)) => {
                *free && self.strata.iter().any(|s| s.kind == QuestionKind::FreeForm)
            }
            _ => false,
        }
    }
}
