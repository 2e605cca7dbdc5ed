//! Analyses of a whole board.

use super::board_data::{chosen, rule, scored};
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::analysis::{Aligned, Alignment, Analysis, By, Kept, What};
use benchtop_model::board::{BoardQuery, Curated};
use benchtop_model::cancel::Cancel;
use benchtop_model::scoring::Scorer;
use benchtop_model::{Error, Filter, Result, Status};
use benchtop_pipeline::analysis::{Votes, aligned, analyse};
use benchtop_pipeline::board::BoardData;
use benchtop_protocol::wire::request;

/// Rows whose verdicts are read under one lock, which delays decisions.
const AT_ONCE: usize = 8192;

impl Task for request::Analyse {
    /// Runs an analysis.
    ///
    /// # Errors
    /// Errors of the board and of [`analyse`], and if the result would reveal what a blind round hides.
    fn run(self, task: TaskContext<'_>) -> Result<Analysis> {
        let (ask, sight) = (&self.0, &task.sight());
        let of = scored(sight.shared(), rule(ask.board.rule.as_deref())?)?;
        let before = chosen(sight, &of, &ask.board)?;
        let after = match &ask.what {
            What::Cleaning(cleaning) => Some(chosen(sight, &of, &remaining(&cleaning.kept))?),
            _ => None,
        };
        match &ask.what {
            What::Alignment(alignment) => {
                pictures(sight, (&of, &before), alignment, task.progress.cancel)
                    .map(Analysis::Aligned)
            }
            what => analyse(&of, &before, after.as_ref(), what, task.progress),
        }
    }
}

/// Number of aligned pictures, judged by a score threshold or by verdicts.
fn pictures(
    sight: &AnnotatorView,
    (scored, chosen): (&BoardData, &ItemSelection),
    ask: &Alignment,
    cancel: Cancel<'_>,
) -> Result<Aligned> {
    sight.check_scores()?;
    let rows = scored.engine().sheet().len();
    let mut votes = vec![Votes::default(); rows];
    match &ask.by {
        By::Filter(threshold) => {
            let column = sight
                .scoring
                .column(sight.shared(), &Scorer::Alignment, cancel)?;
            for (row, votes) in votes.iter_mut().enumerate() {
                if let Some(score) = column.value(row) {
                    votes.add(f64::from(score) >= *threshold);
                }
            }
        }
        By::People(round) => {
            if let Some(name) = round {
                // An unknown round is an error.
                crate::rounds::accepted(sight, name)?;
            }
            for (at, some) in votes.chunks_mut(AT_ONCE).enumerate() {
                cancel.check()?;
                let ledger = sight.items.ledger();
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
