//! Handlers of requests about rounds.

use super::agreement::allowed;
use super::disputes::{adjudicating, disputes};
use super::open::RoundSnapshot;
use super::start;
use super::verdicts::{state, verdicts};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::home::RoundTask;
use benchtop_model::round::Guidelines;
use benchtop_model::round::protocol::{WhatIf, what_if};
use benchtop_model::round::state::{
    AdjudicationContext, Dispute, Feedback, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::verdict::Part;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::{Event, request};

impl Query for request::Rounds {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<RoundState>> {
        Ok(states(view))
    }
}

impl Query for request::NewRound {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<RoundState> {
        let state = start::begin(view, &self.new, self.dry)?;
        if !self.dry {
            view.broadcast.send(Event::Rounds);
        }
        Ok(state)
    }
}

impl Query for request::CloseRound {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        start::close(view, &self.round, self.closed)?;
        view.broadcast.send(Event::Rounds);
        Ok(())
    }
}

impl Query for request::DeleteRound {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        start::delete(view, &self.0)?;
        view.broadcast.send(Event::Rounds);
        Ok(())
    }
}

impl Query for request::RoundPeople {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<RoundState> {
        start::people(view, &self.round, (&self.add, &self.remove))?;
        view.broadcast.send(Event::Rounds);
        let snapshot = view
            .rounds
            .of(&self.round, |open| open.snapshot(view.who()))?;
        Ok(state(view, snapshot))
    }
}

impl Query for request::Next {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<NextAssignment> {
        let (who, round) = (view.who(), &self.0);
        let path = view
            .rounds
            .of(round, |open| open.round.guidelines.clone())?
            .map(|g| g.path);
        let version = path.map(|path| start::version(view, &path)).transpose()?;
        let mut turn = view.rounds.next(who, round, version, now())?;
        if let NextAssignment::Item(served) = &mut turn {
            served.elsewhere = view.at_work.twice(who, round);
        }
        Ok(turn)
    }

    fn arrived(&self, shared: &OwnerContext, who: &str, connection: u64) {
        shared.at_work.came(who, &self.0, connection);
    }
}

impl Query for request::Release {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<()> {
        view.rounds.release(view.who(), &self.0)
    }

    fn arrived(&self, shared: &OwnerContext, who: &str, connection: u64) {
        shared.at_work.left(who, &self.0, connection);
    }
}

impl Query for request::Feedback {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Feedback> {
        feedback(view, &self.round, self.number)
    }
}

impl Query for request::Guidelines {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<GuidelinesText>> {
        guidelines(view, &self.0)
    }
}

impl Query for request::Disputes {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<Dispute>> {
        disputes(view, &self.0)
    }
}

impl Query for request::Adjudication {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<AdjudicationContext> {
        adjudicating(view, &self.0)
    }
}

impl Query for request::WhatIf {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<WhatIf> {
        let none = || {
            Error::new(
                ErrorKind::NotFound,
                format!("unknown round `{}`", self.round),
            )
        };
        let snapshot = allowed(view, Some(&self.round))?.ok_or_else(none)?;
        Ok(what_if(
            verdicts(view, &snapshot),
            snapshot.round.protocol,
            self.protocol,
        ))
    }
}

fn states(view: &AnnotatorView) -> Vec<RoundState> {
    let glances = view.shared().rounds.glances(view.who());
    glances
        .into_iter()
        .map(|snapshot| state(view, snapshot))
        .collect()
}

/// The open rounds with items for the annotator, oldest first.
pub fn tasks(view: &AnnotatorView) -> Vec<RoundTask> {
    let glances = view.shared().rounds.glances(view.who()).into_iter();
    glances
        .filter(|snapshot| snapshot.state.closed.is_none())
        .filter_map(|snapshot| {
            let (judged, share) = own_share(&snapshot, view.who())?;
            (share > judged).then_some(RoundTask {
                name: snapshot.state.name,
                judged,
                share,
            })
        })
        .collect()
}

/// The items that a person has judged and will have judged in all, if everybody in the round judges
/// the same number of those that are open. In a blind round, everybody has the same share, because
/// anything else would tell what others have judged. `None` for people who are not in the round.
fn own_share(snapshot: &RoundSnapshot, who: &str) -> Option<(u64, u64)> {
    let state = &snapshot.state;
    let here = |name: &str| !state.left.iter().any(|left| left == name);
    let (_, judged) = *(state.people.iter()).find(|(name, _)| name == who && here(name))?;
    let people = state.people.iter().filter(|(name, _)| here(name)).count() as u64;
    let items = state.items.saturating_sub(state.missing);
    if snapshot.blind {
        return Some((judged, state.wanted.div_ceil(people).min(items).max(judged)));
    }
    let open = state.wanted.saturating_sub(state.judged).div_ceil(people);
    Some((judged, judged + open.min(items.saturating_sub(judged))))
}

/// The current guidelines of a round; `None` if it has none.
fn guidelines(view: &AnnotatorView, round: &str) -> Result<Option<GuidelinesText>> {
    let shared = view.shared();
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
fn feedback(view: &AnnotatorView, round: &str, number: u32) -> Result<Feedback> {
    let row = number.checked_sub(1);
    let id = row
        .map(|row| view.items.catalog().item(row as usize))
        .transpose()?
        .map(|item| item.id)
        .unwrap_or_default();
    let gold = view.shared().rounds.of(round, |open| {
        open.round.calibration.iter().find(|g| g.id == id).cloned()
    })?;
    let ledger = view.items.ledger();
    let judged =
        row.is_some_and(|row| ledger.has_verdict(row, round, view.who(), Part::Calibration));
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
