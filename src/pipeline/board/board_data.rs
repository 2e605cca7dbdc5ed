//! The data of a board, and the board that it gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cache::Places;
use super::diagnostics::{self, BoardNotes};
use benchtop_compose::sample::models::MODELS;
use benchtop_metrics::consensus;
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::score::{BoardEngine, ItemSelection, ModelAnswers, Place};
use benchtop_model::board::{Board, Row};
use benchtop_model::{Error, Item, Prediction, QuestionKind, Result};
use benchtop_store::judge_cache::JudgeExtractions;

/// The meaning of the column of free-form answers, if a judge grades them.
const GRADES: &str = "mean grade of free-form answers by a judge (`benchtop eval judge --grade`)";

/// The source of question and answer texts.
pub trait Texts: Send + Sync {
    /// The items in these rows.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn items(&self, rows: &[u32]) -> Result<Vec<Item>>;

    /// A model's answers at these places. `None` where there is none.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn answers(&self, model: &str, places: &[Place]) -> Result<Vec<Option<Prediction>>>;
}

/// The data of a board.
pub struct BoardData {
    pub(super) ruled: BoardEngine,
    /// Places of the answers by row, for each model.
    pub(super) places: BTreeMap<String, Places>,
    pub(super) texts: Box<dyn Texts>,
    pub(super) board_notes: BoardNotes,
    pub(super) rule: Option<Extractor>,
    /// Readings by judges of answers that a rule cannot read.
    pub(super) readings: Arc<JudgeExtractions>,
    /// Rows with answers older than the question's present options, by model.
    pub(super) changed: BTreeMap<String, Vec<u32>>,
    /// Skipped files, with the reasons.
    pub skipped: Vec<Error>,
    /// Damaged answer files, which are left out with all their answers.
    pub damaged: Vec<Error>,
}

impl std::fmt::Debug for BoardData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} models, {} questions",
            self.ruled.models().len(),
            self.ruled.sheet().len()
        )
    }
}

impl BoardData {
    /// Assembles a board.
    pub fn new(
        ruled: BoardEngine,
        places: BTreeMap<String, Places>,
        texts: Box<dyn Texts>,
        board_notes: BoardNotes,
        rule: Option<Extractor>,
    ) -> BoardData {
        BoardData {
            ruled,
            places,
            texts,
            board_notes,
            rule,
            readings: Arc::default(),
            changed: BTreeMap::new(),
            skipped: Vec::new(),
            damaged: Vec::new(),
        }
    }

    pub fn engine(&self) -> &BoardEngine {
        &self.ruled
    }

    /// The models, in the order of [`outcomes`](Self::outcomes).
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.ruled
            .models()
            .iter()
            .map(|graded| graded.model.as_str())
    }

    /// The outcomes of the models selected by `counts`, for each row that can be graded.
    pub fn outcomes<'s>(
        &'s self,
        counts: &'s dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = (usize, Vec<consensus::Outcome>)> + 's {
        let models: Vec<&ModelAnswers> = self
            .ruled
            .models()
            .iter()
            .map(|m| &**m)
            .filter(|m| counts(&m.model))
            .collect();
        let of = move |row: usize| {
            models
                .iter()
                .map(|model| self.ruled.outcome(model, row))
                .collect::<Option<Vec<_>>>()
        };
        (0..self.ruled.sheet().len())
            .filter(|row| self.ruled.sheet().graded(*row))
            .filter_map(move |row| Some((row, of(row)?)))
    }

    /// The outcomes of the models selected by `counts` in `row`. `None` if it cannot be graded.
    pub fn outcome_of(
        &self,
        row: usize,
        counts: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<consensus::Outcome>> {
        if row >= self.ruled.sheet().len() {
            return None;
        }
        self.ruled
            .models()
            .iter()
            .filter(|m| counts(&m.model))
            .map(|model| self.ruled.outcome(model, row))
            .collect()
    }

    /// The board on these questions, with notes.
    pub fn board(&self, chosen: &ItemSelection) -> Board {
        let mut board = Board::clone(&self.ruled.board(chosen));
        if self.rule.is_some_and(Extractor::grades) {
            let name = format!("Acc.type.{}", QuestionKind::FreeForm.name());
            let graded = board
                .columns
                .iter_mut()
                .filter(|column| column.name == name);
            graded.for_each(|column| column.help = GRADES.into());
        }
        board.notes = self
            .board_notes
            .notes(&board.rows, self.ruled.sheet().may_decline());
        let is_made_up = |row: &Row| MODELS.iter().any(|made_up| made_up.name == row.model);
        if board.rows.iter().any(is_made_up) {
            let made_up = "the models of the sample do not exist: their answers are made up";
            board.notes.insert(0, made_up.to_string());
        }
        for (at, model) in board.rows.iter().map(|row| &row.model).enumerate() {
            if let Some((asked, all)) = self.ruled.asked_of(at, chosen) {
                board.notes.push(format!(
                    "{model}: asked {asked} of {}",
                    diagnostics::count(all, "question")
                ));
            }
            let changed = self.changed.get(model).into_iter().flatten();
            let changed = changed.filter(|row| chosen.holds(**row as usize)).count() as u64;
            if changed > 0 {
                board.notes.push(format!(
                    "{model}: {} are older than the present options",
                    diagnostics::count(changed, "answer")
                ));
            }
            let orders = self.ruled.orders_of(at);
            if orders > 1 {
                board.notes.push(format!(
                    "{model}: asked in {orders} orders; plain columns show the first"
                ));
            }
        }
        board
    }

    /// The board on all questions.
    pub fn full_board(&self) -> Board {
        self.board(&self.ruled.choose(None))
    }

    /// The answers of a model, or of a further order of its options, in these rows.
    pub(super) fn answers(&self, at: usize, rows: &[u32]) -> Result<Vec<Option<Prediction>>> {
        let model = &self.ruled.answers(at).model;
        let places = self
            .places
            .get(model)
            .map(Places::unpack)
            .unwrap_or_default();
        let places: Vec<Place> = rows
            .iter()
            .map(|r| places.get(*r as usize).copied().unwrap_or(Place::NONE))
            .collect();
        self.texts.answers(model, &places)
    }
}
