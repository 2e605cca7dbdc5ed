//! The verdicts of a round, and the state and the accepted items that follow from them.

use super::open::RoundSnapshot;
use crate::visibility::AnnotatorView;
use benchtop_model::round::Round;
use benchtop_model::round::state::RoundState;
use benchtop_model::verdict::Part;
use benchtop_model::{Judgement, Result, Status, Verdict};
use benchtop_store::Ledger;

/// Number of items to read under one lock, which bounds the delay of decisions.
const AT_ONCE: usize = 1024;

/// What the annotator may know of a round.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for an unknown round.
pub(super) fn snapshot(view: &AnnotatorView, round: &str) -> Result<RoundSnapshot> {
    let rounds = &view.shared().rounds;
    rounds.of(round, |open| open.snapshot(view.who()))
}

/// Calls `of` for each item of a round, in order.
pub(super) fn each<T>(
    view: &AnnotatorView,
    snapshot: &RoundSnapshot,
    mut of: impl FnMut(&Ledger, u32) -> T,
) -> Vec<T> {
    let rows: Vec<u32> = snapshot.items().collect();
    let mut all = Vec::with_capacity(rows.len());
    for rows in rows.chunks(AT_ONCE) {
        let ledger = view.items.ledger();
        all.extend(rows.iter().map(|row| of(&ledger, *row)));
    }
    all
}

/// The verdicts of a round, one per person for each item.
pub(super) fn verdicts(view: &AnnotatorView, snapshot: &RoundSnapshot) -> Vec<Vec<Verdict>> {
    let said = |ledger: &Ledger, row| {
        standing(&snapshot.round, ledger, row)
            .into_iter()
            .map(|(_, j)| j.verdict)
            .collect()
    };
    each(view, snapshot, said)
}

/// The effective verdicts of a round on a row, one per person, in the order they were given.
fn standing(round: &Round, ledger: &Ledger, row: u32) -> Vec<(String, Judgement)> {
    ledger
        .in_round(row, &round.name)
        .filter(|(_, j)| part(j) != Part::Adjudication)
        .collect()
}

pub(super) fn part(judgement: &Judgement) -> Part {
    judgement
        .round
        .as_ref()
        .map_or(Part::Main, |asked| asked.part)
}

/// Rows of the items that a round's protocol accepts, including other rotations.
///
/// # Errors
/// [`NotFound`](benchtop_model::ErrorKind::NotFound) if there is no such round;
/// [`Denied`](benchtop_model::ErrorKind::Denied) while a blind round hides it from the annotator.
pub fn accepted(view: &AnnotatorView, round: &str) -> Result<Vec<u32>> {
    view.check_scores()?;
    let snapshot = snapshot(view, round)?;
    let statuses = verdicts(view, &snapshot)
        .into_iter()
        .map(|verdicts| snapshot.round.protocol.status(&verdicts));
    let rows = snapshot
        .items()
        .zip(statuses)
        .filter(|(_, status)| *status == Status::Accepted)
        .map(|(row, _)| row);
    let ledger = view.items.ledger();
    let mut all: Vec<u32> = rows
        .flat_map(|row| ledger.rotations_in(round, row))
        .collect();
    all.sort_unstable();
    Ok(all)
}

/// The state of a round, with counts by status unless the round is blind for the annotator.
pub(super) fn state(view: &AnnotatorView, mut snapshot: RoundSnapshot) -> RoundState {
    if !snapshot.blind {
        let mut counts = [0; Status::ALL.len()];
        for verdicts in verdicts(view, &snapshot) {
            counts[usize::from(snapshot.round.protocol.status(&verdicts).code())] += 1;
        }
        snapshot.state.by_status = Some(Status::ALL.into_iter().zip(counts).collect());
    }
    snapshot.state
}
