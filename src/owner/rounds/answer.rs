//! Answering what is asked of rounds.

use super::agreement::allowed;
use super::begin;
use super::disputes::{adjudicating, disputes};
use super::open::RoundSnapshot;
use crate::model::round::protocol::{WhatIf, what_if};
use crate::model::round::state::{Feedback, GuidelinesText, NextAssignment, RoundState};
use crate::model::round::{Guidelines, Round};
use crate::model::verdict::Part;
use crate::model::{Error, ErrorKind, Judgement, Result, Status, Verdict};
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::{Event, Request, Response};
use crate::owner::writer::now;
use crate::store::Ledger;

/// The answer to what is asked of rounds; what is asked of anything else is none.
///
/// # Errors
/// What is wrong with the question, or with what is stored.
pub fn answer(sight: &AnnotatorView, ask: &Request) -> Result<Option<Response>> {
    let shared = sight.shared();
    let who = sight.who();
    Ok(Some(match ask {
        Request::Rounds => Response::Rounds(states(sight)),
        Request::NewRound { new, dry } => {
            let state = begin::begin(sight, new, *dry)?;
            if !dry {
                shared.tell(Event::Rounds);
            }
            Response::Round(Box::new(state))
        }
        Request::CloseRound { round, closed } => {
            begin::close(sight, round, *closed)?;
            shared.tell(Event::Rounds);
            Response::Done
        }
        Request::DeleteRound(round) => {
            begin::delete(sight, round)?;
            shared.tell(Event::Rounds);
            Response::Done
        }
        Request::RoundPeople { round, add, remove } => {
            begin::people(sight, round, (add, remove))?;
            shared.tell(Event::Rounds);
            let glance = shared.rounds.of(round, |open| open.glance(who))?;
            Response::Round(Box::new(state(sight, glance)))
        }
        Request::Next(round) => {
            let path = shared.rounds.of(round, |open| open.round.guidelines.clone())?.map(|g| g.path);
            let version = path.map(|path| begin::version(shared, &path)).transpose()?;
            let mut turn = shared.rounds.next(who, round, version, now())?;
            if let NextAssignment::Item(served) = &mut turn {
                served.elsewhere = shared.at_work.twice(who, round);
            }
            Response::Turn(turn)
        }
        Request::Release(round) => {
            shared.rounds.release(who, round)?;
            Response::Done
        }
        Request::Feedback { round, number } => Response::Feedback(feedback(sight, round, *number)?),
        Request::Guidelines(round) => Response::Guidelines(guidelines(sight, round)?),
        Request::Disputes(round) => Response::Disputes(disputes(sight, round)?),
        Request::Adjudication(round) => Response::Adjudication(Box::new(adjudicating(sight, round)?)),
        Request::WhatIf { round, protocol } => {
            let glance = allowed(sight, Some(round))?;
            let Some(glance) = glance else { return Ok(None) };
            let found: WhatIf = what_if(verdicts(sight, &glance), glance.round.protocol, *protocol);
            Response::WhatIf(found)
        }
        _ => return Ok(None),
    }))
}

/// Items of which the verdicts are read at once: a decision waits no longer than for these.
const AT_ONCE: usize = 1024;

/// Something of the verdicts on each item of a round, in the order of its items.
pub(super) fn each<T>(sight: &AnnotatorView, glance: &RoundSnapshot, mut of: impl FnMut(&Ledger, u32) -> T) -> Vec<T> {
    let rows: Vec<u32> = glance.items().collect();
    let mut all = Vec::with_capacity(rows.len());
    for rows in rows.chunks(AT_ONCE) {
        let ledger = sight.ledger();
        all.extend(rows.iter().map(|row| of(&ledger, *row)));
    }
    all
}

/// The verdicts of a round, item by item, one a person.
fn verdicts(sight: &AnnotatorView, glance: &RoundSnapshot) -> Vec<Vec<Verdict>> {
    let said =
        |ledger: &Ledger, row| standing(&glance.round, ledger, row).into_iter().map(|(_, j)| j.verdict).collect();
    each(sight, glance, said)
}

/// What counts of a round on a row: each person's last verdict, in the order they were given.
fn standing(round: &Round, ledger: &Ledger, row: u32) -> Vec<(String, Judgement)> {
    ledger.in_round(row, &round.name).filter(|(_, j)| part(j) != Part::Adjudication).collect()
}

pub(super) fn part(judgement: &Judgement) -> Part {
    judgement.asked.as_ref().map_or(Part::Main, |asked| asked.part)
}

/// The rows of the items that a round's protocol accepts.
///
/// # Errors
/// [`ErrorKind::NotFound`] when there is no such round, [`ErrorKind::Denied`] while the one who asks may not know.
pub fn accepted(sight: &AnnotatorView, round: &str) -> Result<Vec<u32>> {
    sight.scores()?;
    let glance = sight.shared().rounds.of(round, |open| open.glance(sight.who()))?;
    let statuses = verdicts(sight, &glance).into_iter().map(|verdicts| glance.round.protocol.status(&verdicts));
    let rows = glance.items().zip(statuses).filter(|(_, status)| *status == Status::Accepted).map(|(row, _)| row);
    let ledger = sight.ledger();
    let mut all: Vec<u32> = rows.flat_map(|row| ledger.rotations_in(round, row)).collect();
    all.sort_unstable();
    Ok(all)
}

fn states(sight: &AnnotatorView) -> Vec<RoundState> {
    let glances = sight.shared().rounds.glances(sight.who());
    glances.into_iter().map(|glance| state(sight, glance)).collect()
}

/// How far a round is, and where its verdicts leave its items unless it is blind for the one who asks.
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

/// The guidelines of a round as they are now; none where it has none.
fn guidelines(sight: &AnnotatorView, round: &str) -> Result<Option<GuidelinesText>> {
    let shared = sight.shared();
    let made = shared.rounds.of(round, |open| open.round.guidelines.clone())?;
    let text = |Guidelines { path, version }| {
        let bytes = begin::guidelines(shared, &path)?;
        let now = Guidelines::version_of(&bytes);
        Ok(GuidelinesText { path, version: now, made: version, text: String::from_utf8_lossy(&bytes).into_owned() })
    };
    made.map(text).transpose()
}

/// What an item of practice is, once its verdict is in.
fn feedback(sight: &AnnotatorView, round: &str, number: u32) -> Result<Feedback> {
    let row = number.checked_sub(1);
    let id = row.map(|row| sight.catalog().item(row as usize)).transpose()?.map(|item| item.id).unwrap_or_default();
    let gold = sight.shared().rounds.of(round, |open| open.round.calibration.iter().find(|g| g.id == id).cloned())?;
    let ledger = sight.ledger();
    let judged = row.is_some_and(|row| ledger.said(row, round, sight.who(), Part::Calibration));
    match gold {
        Some(gold) if judged => Ok(Feedback { good: Some(gold.good), reasons: gold.reasons }),
        Some(_) => Err(Error::new(ErrorKind::Denied, "what it is comes after your verdict").help("judge it first")),
        None => Ok(Feedback { good: None, reasons: Vec::new() }),
    }
}
