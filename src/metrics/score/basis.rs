//! What a column's cells are resampled and tested from.

use std::collections::BTreeMap;

use crate::statistics::mean;
use benchtop_model::agreement::Interval;
use benchtop_model::board::analysis::ScEstimate;

/// What a column's cells are resampled and tested from.
pub enum Basis {
    /// Sums over single answers.
    Sums(Draw),
    /// [`Column::units`](super::column::Column::units), each right or wrong.
    Units,
    /// Neither: the reason why the column cannot be resampled.
    Neither(&'static str),
}

/// Points, questions, and chance levels of a slot.
pub type Sums<'a> = &'a [f64];

/// Number of sums per slot.
pub const SUMS: usize = 3;

/// The meaning of a resampled value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A share of answers.
    Answers,
    /// Another number from 0 to 1.
    Share,
    /// The signed root of the column's value, see [`Draw::is_root`].
    Root,
    /// A number on the column's scale.
    Number,
}

type Formula = Box<dyn Fn(&[Sums]) -> Option<f64> + Send + Sync>;

/// The sums from which a column's value follows.
pub struct Draw {
    /// The slot of each stack; `None` if the column does not count it. Empty if every answer
    /// belongs to the only slot.
    slots: Vec<Option<u32>>,
    len: usize,
    of: Value,
    formula: Formula,
    /// Whether free-form answers count.
    pub free_form: bool,
}

impl Draw {
    /// Answers over questions, for everything behind a column.
    pub fn units() -> Draw {
        Draw {
            len: 1,
            ..Draw::answers(Vec::new(), false)
        }
    }

    /// Points over questions in these stacks.
    pub fn answers(stacks: impl IntoIterator<Item = bool>, free_form: bool) -> Draw {
        let slots = stacks.into_iter().map(|is| is.then_some(0)).collect();
        Draw::new(slots, Value::Answers, free_form, |slots| {
            share(slots.first()?)
        })
    }

    /// `formula` gets the sums of each slot, in the order of the slots.
    pub fn new(
        slots: Vec<Option<u32>>,
        of: Value,
        free_form: bool,
        formula: impl Fn(&[Sums]) -> Option<f64> + Send + Sync + 'static,
    ) -> Draw {
        let last = slots.iter().flatten().max();
        Draw {
            len: last.map_or(0, |last| *last as usize + 1),
            slots,
            of,
            formula: Box::new(formula),
            free_form,
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
        let slot = self.slots.get(stack).copied().flatten();
        slot.map(|slot| slot as usize * SUMS)
    }

    /// The stacks of a share of answers; `None` for values that follow from several shares.
    pub fn stacks(&self) -> Option<Vec<u32>> {
        let own = |at: &u32| self.slots[*at as usize].is_some();
        (self.of == Value::Answers).then(|| (0..self.slots.len() as u32).filter(own).collect())
    }

    /// Whether the value is a share from 0 to 1.
    pub fn is_share(&self) -> bool {
        matches!(self.of, Value::Answers | Value::Share)
    }

    /// Whether the resampled number is the root of the column's value.
    pub fn is_root(&self) -> bool {
        self.of == Value::Root
    }

    /// The value, with shares from 0 to 1; `None` if it is undefined.
    pub fn value(&self, sums: &[f64]) -> Option<f64> {
        (self.formula)(&sums.chunks_exact(SUMS).collect::<Vec<_>>())
    }
}

/// Points over questions.
pub fn share(slot: Sums) -> Option<f64> {
    (slot[1] > 0.0).then(|| slot[0] / slot[1])
}

/// The mean over `all` types of the mean over their slots; `None` if a type is missing. `types` has
/// the type of each slot.
pub fn mean_of_types(slots: &[Sums], types: &[usize], all: usize) -> Option<f64> {
    let of = |kind| {
        let own = slots.iter().zip(types).filter(|(_, t)| **t == kind);
        mean(&own.filter_map(|(slot, _)| share(slot)).collect::<Vec<_>>())
    };
    mean(&(0..all).map(of).collect::<Option<Vec<_>>>()?)
}

/// Slots by subtask and type, in order of first use.
#[derive(Default)]
pub struct Slots {
    of: BTreeMap<(u16, usize), u32>,
    /// The type of each slot.
    pub types: Vec<usize>,
}

impl Slots {
    /// The slot of a subtask and type.
    pub fn take(&mut self, subtask: u16, kind: usize) -> u32 {
        let next = self.types.len() as u32;
        *self.of.entry((subtask, kind)).or_insert_with(|| {
            self.types.push(kind);
            next
        })
    }

    /// Begins anew: later subtasks and types get slots of their own.
    pub fn split(&mut self) -> usize {
        self.of.clear();
        self.types.len()
    }
}

/// An estimate with its confidence interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The value in the unit of the column's cells. `None` if it is undefined.
    pub value: Option<f64>,
    /// The 95 % interval, or the reason why there is none.
    pub interval: std::result::Result<Interval, &'static str>,
    /// Number of resampled clusters.
    pub clusters: u64,
    /// The kind of cluster: `image pair`, `image`, or `question`.
    pub cluster: &'static str,
    /// SC without sampling noise, for the SC columns.
    pub sc: Option<ScEstimate>,
}

impl Estimate {
    /// An estimate without an interval, with the reason.
    pub(super) fn without_interval(value: Option<f64>, reason: &'static str) -> Estimate {
        Estimate {
            value,
            interval: Err(reason),
            clusters: 0,
            cluster: "question",
            sc: None,
        }
    }
}
