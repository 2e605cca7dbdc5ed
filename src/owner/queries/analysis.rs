//! Analyses of a whole board.

use super::board_data::{chosen, rule, scored};
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::contamination::Contaminations;
use benchtop_model::analysis::{Aligned, Alignment, Analysis, By, Kept, What};
use benchtop_model::board::{BoardQuery, Curated};
use benchtop_model::cancel::Cancel;
use benchtop_model::scoring::{NEAR, ScoreState, Scorer};
use benchtop_model::{Error, Filter, Result, Status};
use benchtop_pipeline::analysis::{Contamination, Votes, aligned, analyze, contamination};
use benchtop_pipeline::board::BoardData;
use benchtop_pipeline::scoring::runners::contamination::{Nearness, nearness};
use benchtop_protocol::wire::request;
use benchtop_store::scores::Scores;

/// Rows whose verdicts are read under one lock, which delays decisions.
const AT_ONCE: usize = 8192;

impl Task for request::Analyze {
    /// Runs an analysis.
    ///
    /// # Errors
    /// Errors of the board and of [`analyze`], and if the result would reveal what a blind round hides.
    fn run(self, task: TaskContext<'_>) -> Result<Analysis> {
        let (ask, view) = (&self.0, &task.view());
        let of = scored(view.shared(), rule(ask.board.rule.as_deref())?)?;
        let before = chosen(view, &of, &ask.board)?;
        let after = match &ask.what {
            What::Cleaning(cleaning) => Some(chosen(view, &of, &remaining(&cleaning.kept))?),
            _ => None,
        };
        match &ask.what {
            What::Alignment(alignment) => {
                pictures(view, (&of, &before), alignment, task.progress.cancel)
                    .map(Analysis::Aligned)
            }
            What::Contamination => contaminated(view, (&of, &before), task.progress.cancel)
                .map(Analysis::Contamination),
            what => analyze(&of, &before, after.as_ref(), what, task.progress),
        }
    }
}

/// Number of aligned pictures, judged by a score threshold or by verdicts.
fn pictures(
    view: &AnnotatorView,
    (scored, chosen): (&BoardData, &ItemSelection),
    ask: &Alignment,
    cancel: Cancel<'_>,
) -> Result<Aligned> {
    view.check_scores()?;
    let rows = scored.engine().sheet().len();
    let mut votes = vec![Votes::default(); rows];
    match &ask.by {
        By::Filter(threshold) => {
            let column = view
                .scoring
                .column(view.shared(), &Scorer::Alignment, cancel)?;
            for (row, votes) in votes.iter_mut().enumerate() {
                if let Some(score) = column.value(row) {
                    votes.add(f64::from(score) >= *threshold);
                }
            }
        }
        By::People(round) => {
            if let Some(name) = round {
                // An unknown round is an error.
                crate::rounds::accepted(view, name)?;
            }
            for (at, some) in votes.chunks_mut(AT_ONCE).enumerate() {
                cancel.check()?;
                let ledger = view.items.ledger();
                for (row, votes) in (at * AT_ONCE..).zip(some) {
                    for standing in ledger.effective_verdicts(row as u32) {
                        let asked = standing.judgement.round.as_ref().map(|asked| &asked.round);
                        if round.is_none() || round.as_ref() == asked {
                            Votes::of(standing.judgement.verdict)
                                .into_iter()
                                .for_each(|vote| votes.add(vote));
                        }
                    }
                }
            }
        }
    }
    if votes.iter().all(|votes| votes.all == 0) {
        let (what, help) = match &ask.by {
            By::Filter(_) => (
                "no picture has an `alignment` score",
                "run `benchtop filter run alignment` to score them",
            ),
            By::People(_) => (
                "no picture has an effective verdict",
                "judge items first, or choose another round",
            ),
        };
        return Err(Error::not_found(what).help(help));
    }
    Ok(aligned(scored, chosen, ask, &|row| votes[row]))
}

/// The contamination of the chosen items and of the originals of variants.
fn contaminated(
    view: &AnnotatorView,
    (scored, chosen): (&BoardData, &ItemSelection),
    cancel: Cancel<'_>,
) -> Result<Contaminations> {
    view.check_scores()?;
    let shared = view.shared();
    let scorer = Scorer::Contamination;
    let Some(scores) = view.scoring.scores(shared, &scorer)? else {
        let help = "run `benchtop filter run contamination` to score them";
        return Err(Error::not_found("no item has a `contamination` score").help(help));
    };
    let (_, inputs) = view.scoring.inputs(shared, cancel)?;
    let mut found = Vec::with_capacity(inputs.len());
    for at in (0..inputs.len()).step_by(AT_ONCE) {
        cancel.check()?;
        let scores = scores.lock();
        for row in at..inputs.len().min(at + AT_ONCE) {
            let of = |key: u64| known(&scores, key);
            found.push(inputs.key(&scorer, row).map(of).transpose()?);
        }
    }
    let about = scores.lock().about.clone();
    let threshold = about.parts.get("threshold").and_then(|t| t.parse().ok());
    let of = |row: usize| found.get(row).copied().flatten();
    let original = |row: usize| Some(inputs.original(u32::try_from(row).ok()?)? as usize);
    Ok(Contaminations {
        threshold: threshold.unwrap_or(NEAR),
        model: about.name,
        rows: contamination(scored, chosen, &of, &original),
    })
}

/// What a score of the scorer `contamination` says.
fn known(scores: &Scores, key: u64) -> Result<Contamination> {
    let (state, value) = scores.get(key);
    Ok(match state {
        ScoreState::Scored => Contamination::Ruled(value >= 0.5),
        ScoreState::Missing => Contamination::NotCompared,
        state => match nearness(&scores.score(key)?.detail) {
            None => Contamination::NotCompared,
            Some(Nearness::Apart) => Contamination::Apart,
            Some(Nearness::WithoutCaption) if state == ScoreState::NotApplicable => {
                Contamination::WithoutCaption
            }
            Some(_) => Contamination::WithoutRuling,
        },
    })
}

/// The board of the remaining items.
fn remaining(kept: &Kept) -> BoardQuery {
    match kept {
        Kept::Accepted => BoardQuery {
            curated: Curated::Accepted,
            ..BoardQuery::default()
        },
        Kept::Round(name) => BoardQuery {
            curated: Curated::Round(name.clone()),
            ..BoardQuery::default()
        },
        Kept::NotRejected => {
            let status = Status::ALL
                .into_iter()
                .filter(|s| *s != Status::Rejected)
                .collect();
            BoardQuery {
                filter: Filter {
                    status,
                    ..Filter::default()
                },
                ..BoardQuery::default()
            }
        }
    }
}
