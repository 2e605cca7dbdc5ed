//! Answering what is asked of rounds.

use super::agreement::allowed;
use super::begin;
use super::disputes::{adjudicating, disputes};
use super::open::Glance;
use crate::model::round::protocol::{WhatIf, what_if};
use crate::model::round::state::{Feedback, GuidelinesText, RoundState, Turn};
use crate::model::round::{Guidelines, Round};
use crate::model::verdict::Part;
use crate::model::{Judgement, Kind, Problem, Result, Status, Verdict};
use crate::owner::sight::Sight;
use crate::owner::wire::{Answer, Ask, Event};
use crate::owner::writer::now;
use crate::store::Ledger;

/// The answer to what is asked of rounds; what is asked of anything else is none.
///
/// # Errors
/// What is wrong with the question, or with what is stored.
pub fn answer(sight: &Sight, ask: &Ask) -> Result<Option<Answer>> {
    let shared = sight.shared();
    let who = sight.who();
    Ok(Some(match ask {
        Ask::Rounds => Answer::Rounds(states(sight)),
        Ask::NewRound { new, dry } => {
            let state = begin::begin(sight, new, *dry)?;
            if !dry {
                shared.tell(Event::Rounds);
            }
            Answer::Round(Box::new(state))
        }
        Ask::CloseRound { round, closed } => {
            begin::close(sight, round, *closed)?;
            shared.tell(Event::Rounds);
            Answer::Done
        }
        Ask::DeleteRound(round) => {
            begin::delete(sight, round)?;
            shared.tell(Event::Rounds);
            Answer::Done
        }
        Ask::RoundPeople { round, add, remove } => {
            begin::people(sight, round, (add, remove))?;
            shared.tell(Event::Rounds);
            let glance = shared.rounds.of(round, |open| open.glance(who))?;
            Answer::Round(Box::new(state(sight, glance)))
        }
        Ask::Next(round) => {
            let path = shared.rounds.of(round, |open| open.round.guidelines.clone())?.map(|g| g.path);
            let version = path.map(|path| begin::version(shared, &path)).transpose()?;
            let mut turn = shared.rounds.next(who, round, version, now())?;
            if let Turn::Item(served) = &mut turn {
                served.elsewhere = shared.at_work.twice(who, round);
            }
            Answer::Turn(turn)
        }
        Ask::Release(round) => {
            shared.rounds.release(who, round)?;
            Answer::Done
        }
        Ask::Feedback { round, number } => Answer::Feedback(feedback(sight, round, *number)?),
        Ask::Guidelines(round) => Answer::Guidelines(guidelines(sight, round)?),
        Ask::Disputes(round) => Answer::Disputes(disputes(sight, round)?),
        Ask::Adjudication(round) => Answer::Adjudication(Box::new(adjudicating(sight, round)?)),
        Ask::WhatIf { round, protocol } => {
            let glance = allowed(sight, Some(round))?;
            let Some(glance) = glance else { return Ok(None) };
            let found: WhatIf = what_if(verdicts(sight, &glance), glance.round.protocol, *protocol);
            Answer::WhatIf(found)
        }
        _ => return Ok(None),
    }))
}

/// Items of which the verdicts are read at once: a decision waits no longer than for these.
const AT_ONCE: usize = 1024;

/// Something of the verdicts on each item of a round, in the order of its items.
pub(super) fn each<T>(sight: &Sight, glance: &Glance, mut of: impl FnMut(&Ledger, u32) -> T) -> Vec<T> {
    let rows: Vec<u32> = glance.items().collect();
    let mut all = Vec::with_capacity(rows.len());
    for rows in rows.chunks(AT_ONCE) {
        let ledger = sight.ledger();
        all.extend(rows.iter().map(|row| of(&ledger, *row)));
    }
    all
}

/// The verdicts of a round, item by item, one a person.
fn verdicts(sight: &Sight, glance: &Glance) -> Vec<Vec<Verdict>> {
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
/// [`Kind::NotFound`] when there is no such round, [`Kind::Denied`] while the one who asks may not know.
pub fn accepted(sight: &Sight, round: &str) -> Result<Vec<u32>> {
    sight.scores()?;
    let glance = sight.shared().rounds.of(round, |open| open.glance(sight.who()))?;
    let statuses = verdicts(sight, &glance).into_iter().map(|verdicts| glance.round.protocol.status(&verdicts));
    let rows = glance.items().zip(statuses).filter(|(_, status)| *status == Status::Accepted).map(|(row, _)| row);
    let ledger = sight.ledger();
    let mut all: Vec<u32> = rows.flat_map(|row| ledger.rotations_in(round, row)).collect();
    all.sort_unstable();
    Ok(all)
}

fn states(sight: &Sight) -> Vec<RoundState> {
    let glances = sight.shared().rounds.glances(sight.who());
    glances.into_iter().map(|glance| state(sight, glance)).collect()
}

/// How far a round is, and where its verdicts leave its items unless it is blind for the one who asks.
pub(super) fn state(sight: &Sight, mut glance: Glance) -> RoundState {
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
fn guidelines(sight: &Sight, round: &str) -> Result<Option<GuidelinesText>> {
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
fn feedback(sight: &Sight, round: &str, number: u32) -> Result<Feedback> {
    let row = number.checked_sub(1);
    let id = row.map(|row| sight.catalog().item(row as usize)).transpose()?.map(|item| item.id).unwrap_or_default();
    let gold = sight.shared().rounds.of(round, |open| open.round.calibration.iter().find(|g| g.id == id).cloned())?;
    let ledger = sight.ledger();
    let judged = row.is_some_and(|row| ledger.said(row, round, sight.who(), Part::Calibration));
    match gold {
        Some(gold) if judged => Ok(Feedback { good: Some(gold.good), reasons: gold.reasons }),
        Some(_) => Err(Problem::new(Kind::Denied, "what it is comes after your verdict").help("judge it first")),
        None => Ok(Feedback { good: None, reasons: Vec::new() }),
    }
}
