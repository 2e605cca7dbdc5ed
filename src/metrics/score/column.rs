//! A board column, and the counts that it makes a model's cell from.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

pub use super::basis::{Basis, Draw, Estimate, Slots, Value};
pub use super::engine::BoardEngine;
use super::engine::number;
pub use super::item_selection::ItemSelection;
pub use super::model_answers::ModelAnswers;
use super::orders::Orders;
pub use super::question_table::QuestionTable;
pub use super::strata::{Strata, StratumLabels};
pub use super::unit::{Unit, Units, share};
pub use benchtop_model::board::{Cell, Column as Head, Scale};

/// A column of the board. Its methods are called once per model, never per answer, except
/// [`counts`](Self::counts) and [`right`](Self::right), which drilldowns call for single answers.
pub trait Column: Send + Sync {
    /// Computes what all models share, before their cells are computed in parallel.
    fn prepare(&self, _board: &BoardScores<'_>) {}

    /// The cell of a model; `None` if the model has no answers for it.
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell>;

    /// What is resampled, and what two models are compared by.
    fn basis(&self, _engine: &BoardEngine) -> Basis {
        Basis::Neither("the column is not computed from sums over questions")
    }

    /// What the column counts.
    fn unit(&self) -> Unit {
        Unit::Answer
    }

    /// The questions behind the cell of a model, of those that it was asked.
    fn rows(&self, engine: &BoardEngine, _model: usize, asked: &ItemSelection) -> Vec<u32> {
        match self.basis(engine) {
            Basis::Sums(draw) => engine.rows_of(|stack| draw.slot(stack).is_some(), asked),
            _ => Vec::new(),
        }
    }

    /// Whether [`rows`](Self::rows) depend on the answers of the model, and not only on its data
    /// sets.
    fn depends_on_answers(&self) -> bool {
        false
    }

    /// The units behind the cell of a model, in data set order, and whether each is right.
    fn units(&self, engine: &BoardEngine, model: usize, chosen: &ItemSelection) -> Units {
        let asked = &*engine.narrowed(&[model], chosen);
        let rows = self.rows(engine, model, asked).into_iter();
        rows.filter(|row| engine.is_scored(model, *row as usize))
            .map(|row| (vec![row], self.right(engine, model, row as usize)))
            .collect()
    }

    /// The models whose answers are behind a cell: the model itself, or all of its option orders.
    fn answerers(&self, _engine: &BoardEngine, model: usize) -> Vec<usize> {
        vec![model]
    }

    /// Whether it counts the answer of one of its [`answerers`](Self::answerers) to a question
    /// behind the cell.
    fn counts(&self, _engine: &BoardEngine, _answerer: usize, _row: usize) -> bool {
        true
    }

    /// Whether it counts such an answer as right.
    fn right(&self, engine: &BoardEngine, answerer: usize, row: usize) -> bool {
        engine.right(engine.answers(answerer), row)
    }

    /// The estimate of a cell without its value, for a column that is not resampled.
    fn estimate(&self, _: &BoardEngine, _model: usize, _: &ItemSelection) -> Option<Estimate> {
        None
    }

    /// The same for the difference of two models.
    fn difference(
        &self,
        _: &BoardEngine,
        _models: (usize, usize),
        _: &ItemSelection,
    ) -> Option<Estimate> {
        None
    }
}

/// What a metric declares its columns from.
pub struct Data<'d> {
    pub sheet: &'d QuestionTable,
    pub strata: &'d Strata,
    /// Models with a row, followed by their further option orders.
    pub models: &'d [Arc<ModelAnswers>],
    pub orders: &'d Orders,
}

/// A column with its name, group, help line, and scale.
pub struct BoardColumn {
    pub head: Head,
    column: Box<dyn Column>,
}

impl Deref for BoardColumn {
    type Target = dyn Column;

    fn deref(&self) -> &Self::Target {
        &*self.column
    }
}

/// The columns of a board.
#[derive(Default)]
pub struct Columns(pub Vec<BoardColumn>);

impl Columns {
    /// Adds a column. Names of subtasks and styles are free, so the name may be taken; then it gets
    /// a number: `Acc.level.high#2`.
    pub fn add(&mut self, mut head: Head, column: impl Column + 'static) {
        let is_taken = |name: &str| self.0.iter().any(|column| column.head.name == name);
        if is_taken(&head.name) {
            let numbered = (2..).map(|n: usize| format!("{}#{n}", head.name));
            head.name = numbered.skip_while(|name| is_taken(name)).take(1).collect();
        }
        let column = Box::new(column);
        self.0.push(BoardColumn { head, column });
    }
}

/// A metric: a row of the table in `columns`.
pub struct Metric {
    /// Rows of the reference in `docs/board.md`: columns, meaning, and source.
    pub reference: &'static [[&'static str; 3]],
    /// Adds the columns that the data has.
    pub columns: fn(&Data<'_>, &mut Columns),
}

/// Values that several columns use, one per type. So each is of a type of its own.
#[derive(Default)]
pub struct Memo(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Memo {
    /// The value of this type. `make` runs without the lock, because it may use other threads.
    pub fn get<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |of: Option<&Arc<dyn Any + Send + Sync>>| of?.clone().downcast().ok();
        let found = find(held().get(&TypeId::of::<T>()));
        found.unwrap_or_else(|| {
            let made = Arc::new(make());
            held().insert(TypeId::of::<T>(), made.clone());
            made
        })
    }
}

/// The counts of a board.
pub struct BoardScores<'e> {
    pub engine: &'e BoardEngine,
    pub chosen: &'e ItemSelection,
    /// Questions by stack.
    pub(super) n: Vec<u32>,
    chance: Vec<f64>,
    pub memo: Memo,
}

impl<'e> BoardScores<'e> {
    pub fn new(engine: &'e BoardEngine, chosen: &'e ItemSelection) -> BoardScores<'e> {
        let n = engine.index.count(&engine.all, &chosen.plane);
        BoardScores {
            engine,
            chosen,
            chance: engine.chances(&n, &chosen.plane),
            n,
            memo: Memo::default(),
        }
    }
}

/// The counts of one model.
pub struct ModelScores<'e> {
    pub board: &'e BoardScores<'e>,
    pub engine: &'e BoardEngine,
    pub model: usize,
    /// The selected questions that the model was asked.
    pub chosen: Cow<'e, ItemSelection>,
    /// Right answers by stack.
    pub right: Vec<u32>,
    /// Answers by stack.
    pub(super) given: Vec<u32>,
    /// Questions by stack; 0 in stacks in which the model is not scored.
    pub n: Vec<u32>,
    /// Sums of free-form similarities; NaN if one answer was not compared. `None` if none were
    /// compared.
    pub points: Option<Vec<f64>>,
    /// Sums of chance levels.
    pub chance: Cow<'e, [f64]>,
    pub memo: Memo,
}

impl<'e> ModelScores<'e> {
    pub fn new(board: &'e BoardScores<'e>, model: usize) -> ModelScores<'e> {
        let engine = board.engine;
        let (answers, planes) = (&engine.models[model], &engine.bitmaps[model]);
        let chosen = engine.narrowed(&[model], board.chosen);
        let (mut n, mut chance) = (board.n.clone(), Cow::Borrowed(&board.chance[..]));
        if planes.asked.is_some() {
            n = engine.index.count(&engine.all, &chosen.plane);
            chance = Cow::Owned(engine.chances(&n, &chosen.plane));
        }
        let unscored = n.iter_mut().zip(&planes.scored).filter(|(_, is)| !**is);
        unscored.for_each(|(n, _)| *n = 0);
        let is_compared = !engine.free_form_stacks.is_empty() && !answers.similarity.is_empty();
        let points = is_compared.then(|| {
            let points = |row: usize| answers.likeness(row).unwrap_or(f64::NAN);
            let mut sums = vec![0.0; n.len()];
            for at in &engine.free_form_stacks {
                sums[*at] = engine.index.sum(*at, &chosen.plane, points);
            }
            sums
        });
        ModelScores {
            board,
            engine,
            model,
            right: engine.index.count(&planes.right, &chosen.plane),
            given: engine.index.count(&planes.given, &chosen.plane),
            n,
            points,
            chance,
            chosen,
            memo: Memo::default(),
        }
    }

    /// The parsed answers of the model.
    pub fn answers(&self) -> &'e ModelAnswers {
        self.engine.answers(self.model)
    }
}

impl BoardEngine {
    /// The sum of the chance levels of each stack's questions.
    fn chances(&self, n: &[u32], only: &[u64]) -> Vec<f64> {
        let sum = |(at, n): (usize, &u32)| match self.chance[at] {
            Some(chance) => chance * f64::from(*n),
            None => self
                .index
                .sum(at, only, |row| number(self.sheet.chance.get(row).copied())),
        };
        n.iter().enumerate().map(sum).collect()
    }
}
