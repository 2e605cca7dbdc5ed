//! Handlers of requests about rounds.

use super::agreement::allowed;
use super::disputes::{adjudicating, disputes};
use super::open::RoundSnapshot;
use super::start;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::round::protocol::{WhatIf, what_if};
use benchtop_model::round::state::{
    AdjudicationContext, Dispute, Feedback, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::round::{Guidelines, Round};
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Judgement, Result, Status, Verdict};
use benchtop_protocol::wire::{Event, request};
use benchtop_store::Ledger;

impl Query for request::Rounds {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<RoundState>> {
        Ok(states(sight))
    }
}

impl Query for request::NewRound {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<RoundState> {
        let state = start::begin(sight, &self.new, self.dry)?;
        if !self.dry {
            sight.broadcast.tell(Event::Rounds);
        }
        Ok(state)
    }
}

impl Query for request::CloseRound {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        start::close(sight, &self.round, self.closed)?;
        sight.broadcast.tell(Event::Rounds);
        Ok(())
    }
}

impl Query for request::DeleteRound {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        start::delete(sight, &self.0)?;
        sight.broadcast.tell(Event::Rounds);
        Ok(())
    }
}

impl Query for request::RoundPeople {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<RoundState> {
        start::people(sight, &self.round, (&self.add, &self.remove))?;
        sight.broadcast.tell(Event::Rounds);
        let glance = sight
            .rounds
            .of(&self.round, |open| open.glance(sight.who()))?;
        Ok(state(sight, glance))
    }
}

impl Query for request::Next {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<NextAssignment> {
        let (who, round) = (sight.who(), &self.0);
        let path = sight
            .rounds
            .of(round, |open| open.round.guidelines.clone())?
            .map(|g| g.path);
        let version = path.map(|path| start::version(sight, &path)).transpose()?;
        let mut turn = sight.rounds.next(who, round, version, now())?;
        if let NextAssignment::Item(served) = &mut turn {
            served.elsewhere = sight.at_work.twice(who, round);
        }
        Ok(turn)
    }

    fn arrived(&self, shared: &OwnerContext, who: &str, connection: u64) {
        shared.at_work.came(who, &self.0, connection);
    }
}

impl Query for request::Release {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        sight.rounds.release(sight.who(), &self.0)
    }

    fn arrived(&self, shared: &OwnerContext, who: &str, connection: u64) {
        shared.at_work.left(who, &self.0, connection);
    }
}

impl Query for request::Feedback {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Feedback> {
        feedback(sight, &self.round, self.number)
    }
}

impl Query for request::Guidelines {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<GuidelinesText>> {
        guidelines(sight, &self.0)
    }
}

impl Query for request::Disputes {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<Dispute>> {
        disputes(sight, &self.0)
    }
}

impl Query for request::Adjudication {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<AdjudicationContext> {
        adjudicating(sight, &self.0)
    }
}

impl Query for request::WhatIf {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<WhatIf> {
        let none = || {
            Error::new(
                ErrorKind::NotFound,
                format!("unknown round `{}`", self.round),
            )
        };
        let glance = allowed(sight, Some(&self.round))?.ok_or_else(none)?;
        Ok(what_if(
            verdicts(sight, &glance),
            glance.round.protocol,
            self.protocol,
        ))
    }
}

/// Number of items to read under one lock, which bounds the delay of decisions.
const AT_ONCE: usize = 1024;

/// Calls `of` for each item of a round, in order.
pub(super) fn each<T>(
    sight: &AnnotatorView,
    glance: &RoundSnapshot,
    mut of: impl FnMut(&Ledger, u32) -> T,
) -> Vec<T> {
    let rows: Vec<u32> = glance.items().collect();
    let mut all = Vec::with_capacity(rows.len());
    for rows in rows.chunks(AT_ONCE) {
        let ledger = sight.items.ledger();
        all.extend(rows.iter().map(|row| of(&ledger, *row)));
    }
    all
}

/// The verdicts of a round, one per person for each item.
fn verdicts(sight: &AnnotatorView, glance: &RoundSnapshot) -> Vec<Vec<Verdict>> {
    let said = |ledger: &Ledger, row| {
        standing(&glance.round, ledger, row)
            .into_iter()
            .map(|(_, j)| j.verdict)
            .collect()
    };
    each(sight, glance, said)
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
/// [`ErrorKind::NotFound`] if there is no such round; [`ErrorKind::Denied`] while a blind round
/// hides it from the annotator.
pub fn accepted(sight: &AnnotatorView, round: &str) -> Result<Vec<u32>> {
    sight.scores()?;
    let glance = sight
        .shared()
        .rounds
        .of(round, |open| open.glance(sight.who()))?;
    let statuses = verdicts(sight, &glance)
        .into_iter()
        .map(|verdicts| glance.round.protocol.status(&verdicts));
    let rows = glance
        .items()
        .zip(statuses)
        .filter(|(_, status)| *status == Status::Accepted)
        .map(|(row, _)| row);
    let ledger = sight.items.ledger();
    let mut all: Vec<u32> = rows
        .flat_map(|row| ledger.rotations_in(round, row))
        .collect();
    all.sort_unstable();
    Ok(all)
}

fn states(sight: &AnnotatorView) -> Vec<RoundState> {
    let glances = sight.shared().rounds.glances(sight.who());
    glances
        .into_iter()
        .map(|glance| state(sight, glance))
        .collect()
}

/// The state of a round, with counts by status unless the round is blind for the annotator.
pub(super) fn state(sight: &AnnotatorView, mut glance: RoundSnapshot) -> RoundState {
    if !glance.blind {
        let mut counts = [0; Status::ALL.len()];
        for verdicts in verdicts(sight, &glance) {
            counts[usize::from(glance.round.protocol.status(&verdicts).code())] += 1;
        }
        glance.state.by_status = Some(Status::ALL.into_iter().zip(counts).collect());
    }
    glance.state
}

/// The current guidelines of a round; `None` if it has none.
fn guidelines(sight: &AnnotatorView, round: &str) -> Result<Option<GuidelinesText>> {
    let shared = sight.shared();
    let made = shared
        .rounds
        .of(round, |open| open.round.guidelines.clone())?;
    let text = |Guidelines { path, version }| {
        let bytes = start::guidelines(shared, &path)?;
        let now = Guidelines::version_of(&bytes);
        Ok(GuidelinesText {
            path,
            version: now,
            made: version,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    };
    made.map(text).transpose()
}

/// Feedback on a practice item, after its verdict.
fn feedback(sight: &AnnotatorView, round: &str, number: u32) -> Result<Feedback> {
    let row = number.checked_sub(1);
    let id = row
        .map(|row| sight.items.catalog().item(row as usize))
        .transpose()?
        .map(|item| item.id)
        .unwrap_or_default();
    let gold = sight.shared().rounds.of(round, |open| {
        open.round.calibration.iter().find(|g| g.id == id).cloned()
    })?;
    let ledger = sight.items.ledger();
    let judged = row.is_some_and(|row| ledger.said(row, round, sight.who(), Part::Calibration));
    match gold {
        Some(gold) if judged => Ok(Feedback {
            good: Some(gold.good),
            reasons: gold.reasons,
        }),
        Some(_) => Err(Error::new(
            ErrorKind::Denied,
            "feedback on this item comes after your verdict",
        )
        .help("judge the item first")),
        None => Ok(Feedback {
            good: None,
            reasons: Vec::new(),
        }),
    }
}
