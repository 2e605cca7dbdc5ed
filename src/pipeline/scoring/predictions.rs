//! Scores computed from predictions: model consensus (Dysca's step 3) and the blind prior.
//!
//! Answers are read by [`RULE`], whatever rule the board uses. The released code of Dysca maps
//! unparsed output to the nearest option, so that a refusal or nonsense would count as a vote
//! against the item.

use super::column::Column;
use crate::board::BoardData;
use benchtop_metrics::consensus::{BlindPrior, Tally};
use benchtop_metrics::extract::Extractor;
use benchtop_model::board::{Better, Row};
use benchtop_model::config::{Consensus, FilterModels};
use benchtop_model::evaluation;
use benchtop_model::scoring::queries::Counted;
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

/// The extraction rule for these scores.
pub const RULE: Extractor = Extractor::StrictJudge;

/// The models whose answers a scorer counts.
pub struct Counting<'a> {
    scorer: &'a Scorer,
    settings: &'a FilterModels,
    /// The models by name; all if it is `None`.
    models: Option<Vec<String>>,
}

/// Whether a model saw no pictures.
fn is_blind(settings: &FilterModels, model: &str) -> bool {
    evaluation::is_blind(model) || settings.blind.iter().any(|name| name == model)
}

impl<'a> Counting<'a> {
    /// The models that the settings choose from those of the board.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) with the field, if the board
    /// has no such column; [`ErrorKind::Input`](benchtop_model::ErrorKind::Input) if the column
    /// does not order models.
    pub fn new(
        scorer: &'a Scorer,
        scored: &BoardData,
        settings: &'a FilterModels,
    ) -> Result<Counting<'a>> {
        let models = match (&settings.consensus, scorer) {
            (_, Scorer::Blind) => None,
            (Consensus::Models(names), _) if names.is_empty() => None,
            (Consensus::Models(names), _) => Some(names.clone()),
            (Consensus::Top { n, column }, _) => {
                let found = best(scored, settings, (*n, column));
                Some(found.map_err(|problem| problem.field(FIELD))?)
            }
        };
        Ok(Counting {
            scorer,
            settings,
            models,
        })
    }

    /// Whether the answers of `model` count.
    pub fn counts(&self, model: &str) -> bool {
        let names = self.models.as_deref();
        match (is_blind(self.settings, model), self.scorer) {
            (is_blind, Scorer::Blind) => is_blind,
            (true, _) => false,
            (false, _) => names.is_none_or(|names| names.iter().any(|name| name == model)),
        }
    }

    /// The setting and the models that it stands for, if it names a column: `top 2 of Acc: a, b`.
    pub fn shown(&self) -> String {
        match (&self.settings.consensus, &self.models) {
            (top @ Consensus::Top { .. }, Some(names)) => format!("{top}: {}", names.join(", ")),
            _ => String::new(),
        }
    }
}

/// The setting that chooses the models.
const FIELD: &str = "filter.consensus";

/// The `n` best models of a column, best first. Equal models are ordered by name.
fn best(
    scored: &BoardData,
    settings: &FilterModels,
    (n, column): (u32, &str),
) -> Result<Vec<String>> {
    let engine = scored.engine();
    let board = engine.board(&engine.choose(None));
    let better = engine.column(column)?.head.better();
    if better == Better::Neither {
        let what = format!("no number of the column `{column}` is better than another");
        return Err(Error::input(what).help("name a column that ranks models, such as Final.clean"));
    }
    let value = |row: &Row| Some((board.cell(row, column)?.value()?, row.model.clone()));
    let rows = board.rows.iter();
    let rows = rows.filter(|row| row.reference.is_none() && !is_blind(settings, &row.model));
    let mut found: Vec<(f64, String)> = rows.filter_map(value).collect();
    sort_by(&mut found, |a, b| {
        better.order(a.0, b.0).then_with(|| a.1.cmp(&b.1))
    });
    let names = found.into_iter().map(|(_, name)| name);
    Ok(names
        .take(usize::try_from(n).unwrap_or(usize::MAX))
        .collect())
}

/// The answers behind the score of the item in `row`. `None` if no model gave a parsed answer.
pub fn counted(
    counting: &Counting<'_>,
    scored: &BoardData,
    row: usize,
) -> Option<(Counted, Tally)> {
    let tally = Tally::new(scored.outcome_of(row, &|model| counting.counts(model))?);
    let k = if *counting.scorer == Scorer::Blind {
        tally.right
    } else {
        tally.against
    };
    let n = tally.right + tally.against;
    Some((
        Counted {
            k: k as u64,
            n: n as u64,
            left_out: tally.unknown as u64,
        },
        tally,
    ))
}

/// The scores by row.
pub fn column(counting: &Counting<'_>, scored: &BoardData, rows: usize) -> Column {
    let counts = |model: &str| counting.counts(model);
    let mut values = vec![0.0; rows];
    // No rule grades free-form questions here.
    let mut states = vec![ScoreState::NotApplicable.code(); rows];
    for (row, outcomes) in scored.outcomes(&counts).filter(|(row, _)| *row < rows) {
        let value = match counting.scorer {
            Scorer::Blind => BlindPrior::new(outcomes).map(|prior| prior.share()),
            _ => {
                let tally = Tally::new(outcomes);
                let known = tally.right + tally.against;
                (known > 0).then(|| tally.against as f64 / known as f64)
            }
        };
        (states[row], values[row]) = match value {
            Some(value) => (ScoreState::Scored.code(), value as f32),
            None => (ScoreState::Missing.code(), 0.0),
        };
    }
    Column::new(values, states, 1.0, counting.shown())
}
