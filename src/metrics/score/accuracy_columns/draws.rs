//! What is drawn again to say how sure a plain column's number is: sums by slot, and the number that follows from them.

use std::collections::BTreeMap;

use super::{AccuracyColumns, Source, said, types};
use crate::dysca::{CHANCE, CLEAN, above_chance};
use crate::statistics::mean;
use benchtop_model::QuestionKind;

/// Sums of a slot, in this order: points, questions, chance levels.
pub const SUMS: usize = 3;

/// How a number follows from the sums of its slots, in the unit of its column's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Follows {
    /// Points over questions, of the only slot.
    Share,
    /// Half of what the types are apart in equation 1 of Dysca, whose square is SQ: the type of each slot; with the paper's chance or not.
    Types(Vec<usize>, bool),
    /// The mean over so many types, all of which must be there, of the mean over their slots.
    Final(Vec<usize>, usize),
    /// The same of the first so many slots (the last number) less that of the others, in points.
    Drop(Vec<usize>, usize, usize),
}

/// The sums that a column's number follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The slot of each stack; none where the column does not count it. Empty: every answer is of the only slot.
    slots: Vec<Option<u32>>,
    len: usize,
    follows: Follows,
}

impl Draw {
    /// Points over questions of everything behind a column.
    pub fn share() -> Draw {
        Draw {
            slots: Vec::new(),
            len: 1,
            follows: Follows::Share,
        }
    }

    /// How many sums there are.
    pub fn width(&self) -> usize {
        self.len * SUMS
    }

    /// The first sum of a stack's slot; none where the column does not count it.
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

    /// Whether it is a share, from 0 to 1.
    pub fn is_share(&self) -> bool {
        matches!(self.follows, Follows::Share | Follows::Final(..))
    }

    /// Whether the number that is drawn is one whose square is the column's.
    pub fn is_root(&self) -> bool {
        matches!(self.follows, Follows::Types(..))
    }

    /// The number, shares from 0 to 1; `None` where it is not defined. Of SQ it is the root, with its sign.
    pub fn value(&self, sums: &[f64]) -> Option<f64> {
        let slots: Vec<&[f64]> = sums.chunks_exact(SUMS).collect();
        match &self.follows {
            Follows::Share => share(slots.first()?),
            Follows::Types(types, paper) => {
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
            Follows::Final(types, all) => final_score(&slots, types, *all),
            Follows::Drop(types, all, at) => {
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

/// Slots by subtask and type, in the order in which they come.
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
    /// What is drawn again for a column; `None` without one there.
    pub fn draw(&self, column: usize) -> Option<Draw> {
        let source = self.sources.get(column)?;
        let stratum = |at: usize| &self.strata[self.stratum[at] as usize];
        let stacks = 0..self.stratum.len();
        let kind_of =
            |at: usize, free: bool| types(free).iter().position(|t| *t == stratum(at).kind);
        let mut slots = Slots::default();
        let (slots_of, follows) = match source {
            Source::Share(strata) | Source::Mean(strata) => {
                let of = stacks
                    .map(|at| strata.contains(&self.stratum[at]).then_some(0))
                    .collect();
                return Some(Draw {
                    slots: of,
                    len: 1,
                    follows: Follows::Share,
                });
            }
            Source::Style(style) => {
                let of = stacks
                    .map(|at| (self.style[at] == Some(*style as u32)).then_some(0))
                    .collect();
                return Some(Draw {
                    slots: of,
                    len: 1,
                    follows: Follows::Share,
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
                    said(
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
                    Follows::Types(slots.types, matches!(source, Source::SqPaper)),
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
                (of, Follows::Final(slots.types, types(*free).len()))
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
                (of, Follows::Drop(slots.types, types(*free).len(), split))
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
            follows,
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
