//! Answering questions that change nothing of the items, those about jobs among them. Runs on blocking threads, beside the writer.

mod analysed;
mod comparison;
mod history;
mod lines;
mod list;
mod scored;
mod verdicts;

use std::sync::Arc;

use lines::{items, lines, resolved};
pub use list::numbers;
use list::{filtered, page, rows};
use scored::set;
pub use scored::{counted_of, from_predictions, right_of, scored};

use super::context::OwnerContext;
use super::visibility::AnnotatorView;
use super::wire::{ItemView, OwnerStatus, Request, Response};
use super::{evaluate, generate, rounds, scoring};
use crate::model::{Error, ErrorKind, Field, Item, Result, Sort, Status};
use crate::pipeline::usage::Usage;
use crate::store::{journal, query};

/// How an answer is watched while it is made.
pub struct Watch<'a> {
    /// The answer is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Part of the answer, ahead of the whole.
    pub partial: &'a mut dyn FnMut(Response),
}

/// The answer to `ask`.
///
/// # Errors
/// What is wrong with the question, or with what is stored.
pub fn answer(sight: &AnnotatorView, ask: Request, watch: &mut Watch<'_>) -> Result<Response> {
    let shared = sight.shared();
    if let Some(answer) = rounds::answer(sight, &ask)? {
        return Ok(answer);
    }
    if let Some(answer) = rounds::agreed(sight, &ask, watch)? {
        return Ok(answer);
    }
    if let Some(answer) = scoring::answer(sight, &ask, watch)? {
        return Ok(answer);
    }
    if let Some(answer) = comparison::answer(sight, &ask, watch)? {
        return Ok(answer);
    }
    Ok(match ask {
        Request::Devices => Response::Devices(Box::new(shared.devices())),
        Request::Status => Response::Status(Box::new(status(sight)?)),
        Request::Page(page_ask) => Response::Page(page(sight, &page_ask, watch)?),
        Request::Locate { number, filter, sort } => {
            let list = rows(sight, &filter, &sort)?;
            Response::Position(list.iter().position(|row| row + 1 == number).map(|at| at as u64))
        }
        Request::Item(number) => Response::Item(Box::new(item(sight, number)?)),
        Request::NumberOf(id) => Response::Number(shared.catalog().row_of(&id)?.map(|row| row + 1)),
        Request::Numbers(filter, sort) => {
            Response::Numbers(rows(sight, &filter, &sort)?.into_iter().map(|row| row + 1).collect())
        }
        Request::FirstPending(numbers) => {
            let data = shared.data();
            let pending = |n: &u32| *n > 0 && sight.shown(&data, *n - 1) == Status::Pending;
            Response::Number(numbers.into_iter().find(pending))
        }
        Request::NextPending(after) => {
            let data = shared.data();
            let len = data.overlay.len() as u32;
            let found = (after.min(len)..len).chain(0..after.min(len));
            let found = found.into_iter().find(|row| sight.shown(&data, *row) == Status::Pending);
            Response::Number(found.map(|row| row + 1))
        }
        Request::Lines(from) => Response::Lines(lines(sight, from)?),
        Request::Items(numbers) => Response::Lines(items(sight, &numbers)?),
        Request::AnswerSets => {
            Response::AnswerSets(shared.catalog().answers().iter().filter_map(|answers| set(&answers.part)).collect())
        }
        Request::AnswerLines { set, part } => {
            let catalog = shared.catalog();
            let answers = catalog.answers().get(set as usize);
            let answers = answers.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("there is no set {set}")))?;
            Response::AnswerLines(answers.lines(part as usize)?)
        }
        Request::Frequency(filter, field) => {
            let (view, rows) = filtered(sight, &filter)?;
            Response::Frequency(query::frequency(&view.catalog, &view.overlay, &rows, field)?)
        }
        Request::Describe(filter) => {
            let (view, rows) = filtered(sight, &filter)?;
            Response::Describe(query::describe(&view.catalog, &view.overlay, &rows)?)
        }
        Request::Select(filter, field, what) => {
            let (view, rows) = filtered(sight, &filter)?;
            Response::Numbers(query::matching(&view.catalog, &view.overlay, &rows, field, &what)?)
        }
        Request::Verdicts { round, from } => Response::Verdicts(verdicts::page(sight, round.as_deref(), from)?),
        Request::Board(ask) => Response::Board(Box::new(scored::board(sight, &ask)?)),
        Request::Behind { ask, model, column, from } => {
            Response::Behind(scored::behind(sight, &ask, (&model, &column), from)?)
        }
        Request::Analyse(ask) => Response::Analysis(Box::new(analysed::analysed(sight, &ask, watch)?)),
        Request::Metadata => Response::Metadata(Box::new(shared.metadata.now(shared)?.state.clone())),
        Request::SaveMetadata(saves) => Response::Metadata(Box::new(shared.metadata.save(shared, &saves)?)),
        Request::Impact(files) => {
            let grammar = shared.metadata.now(shared)?.in_force().with(files)?;
            let usage = usage(shared, watch)?;
            Response::Impact(usage.impact(&grammar, &sight.items(false).1))
        }
        Request::Terms(vocabulary) => {
            let held = shared.metadata.now(shared)?;
            Response::Terms(usage(shared, watch)?.terms(held.grammar(), &sight.items(false).1, &vocabulary))
        }
        Request::Grid { rows: down, columns, filter } => {
            let held = shared.metadata.now(shared)?;
            let usage = usage(shared, watch)?;
            let number = [Sort { field: Field::Number, descending: false }];
            let only = if filter.is_empty() { None } else { Some(rows(sight, &filter, &number)?) };
            let axes = (down.as_str(), columns.as_str());
            Response::Grid(Box::new(usage.grid(held.grammar(), &sight.items(false).1, axes, only.as_deref())?))
        }
        Request::Failing(min_items) => {
            let held = shared.metadata.now(shared)?;
            Response::Failing(usage(shared, watch)?.failing(held.grammar(), &sight.items(false).1, min_items))
        }
        Request::Log(ask) => history::log(sight, ask)?,
        Request::Replay(moment) => Response::Replayed(history::replay(sight, moment)?),
        Request::Moved(from, to) => Response::Moved(history::moved(sight, from, to)?),
        Request::Jobs => Response::Jobs(evaluate::with_runs(shared, shared.desk.list()?)),
        Request::JobAct { id, act } => {
            let is_run = shared.evaluations.has(id);
            let state = if is_run { evaluate::act(shared, id, act)? } else { generate::act(shared, id, act)? };
            state.map_or(Response::Done, |state| Response::Job(Box::new(state)))
        }
        Request::JobFailures { id, from } => Response::JobFailures(match shared.evaluations.has(id) {
            true => evaluate::failures(shared, id, from)?,
            false => generate::failures(shared, id, from)?,
        }),
        Request::Want { number } => Response::Wanted(generate::want(shared, number, &|| !(watch.cancelled)())?),
        Request::Made { number } => Response::Made(generate::made(shared, number)?),
        Request::Decide(_)
        | Request::Undo(_)
        | Request::Redo(_)
        | Request::Subscribe { .. }
        | Request::Import(_)
        | Request::Sample
        | Request::Discard { .. }
        | Request::Compose { .. }
        | Request::Recompose { .. }
        | Request::Generate(_)
        | Request::Evaluate(_)
        | Request::Similarity(_)
        | Request::Judge(_)
        | Request::Agree { .. }
        | Request::Merge { .. }
        | Request::Edit(_)
        | Request::Bulk(_)
        | Request::UndoBulk(..)
        | Request::Retire { .. }
        | Request::Unretire { .. }
        | Request::TakeVerdicts { .. }
        | Request::SetPlace(_)
        | Request::Stop => return Err(Error::new(ErrorKind::Usage, "this is a command, not a question")),
        Request::Rounds
        | Request::NewRound { .. }
        | Request::CloseRound { .. }
        | Request::DeleteRound(_)
        | Request::RoundPeople { .. }
        | Request::Next(_)
        | Request::Release(_)
        | Request::Feedback { .. }
        | Request::Guidelines(_)
        | Request::Disputes(_)
        | Request::WhatIf { .. }
        | Request::Agreement(_)
        | Request::RoundReport { .. }
        | Request::Pace(_)
        | Request::Adjudication(_)
        | Request::Scorers
        | Request::Score(_)
        | Request::ScoringAct { .. }
        | Request::Bench(_)
        | Request::Rules
        | Request::TryRules(_)
        | Request::ApplyRules { .. }
        | Request::RevertRules { .. }
        | Request::Doubtful { .. }
        | Request::Explain { .. }
        | Request::Ranks { .. }
        | Request::Sure { .. }
        | Request::Compare { .. }
        | Request::Answered { .. }
        | Request::Disagreements { .. } => {
            return Err(Error::new(ErrorKind::Usage, "this is asked of rounds, scores or boards"));
        }
    })
}

fn usage(shared: &OwnerContext, watch: &Watch<'_>) -> Result<Arc<Usage>> {
    shared.metadata.usage(shared, &|| !(watch.cancelled)())
}

fn status(sight: &AnnotatorView) -> Result<OwnerStatus> {
    let shared = sight.shared();
    // What is wrong with the metadata stands among the notices.
    let metadata = shared.metadata.look(shared).ok().map(|held| held.health());
    let (catalog, overlay) = sight.items(false);
    let (items, counts, sets) = (catalog.len() as u64, overlay.counts(), catalog.answers().len() as u64);
    let (rev, decisions) = {
        let ledger = shared.ledger();
        (ledger.rev(), ledger.decisions() as u64)
    };
    Ok(OwnerStatus {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
        socket: shared.socket.clone(),
        started: journal::stamp(shared.started),
        clients: shared.clients(),
        jobs: shared.jobs(),
        root: shared.project.root().to_path_buf(),
        project: shared.project.config().name.clone(),
        items,
        by_status: Status::ALL.into_iter().zip(counts).collect(),
        prediction_sets: sets,
        rev,
        decisions,
        store_bytes: shared.index.size(),
        read_only: shared.read_only().clone(),
        notices: shared.notices().clone(),
        latency: shared.latency.read(),
        metadata,
    })
}

/// The line of an item, its pictures found.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the texts are damaged.
pub fn line(shared: &OwnerContext, row: u32) -> Result<String> {
    Ok(resolved(shared, shared.catalog().line(row as usize)?))
}

fn item(sight: &AnnotatorView, number: u32) -> Result<ItemView> {
    let shared = sight.shared();
    let none = || Error::new(ErrorKind::NotFound, format!("there is no item #{number}"));
    let row = number.checked_sub(1).ok_or_else(none)?;
    let json = sight.keyless(row, line(shared, row)?)?;
    let stale = changed(shared, &json);
    let chips = if sight.veils(row) { Vec::new() } else { scoring::chips(shared, row) };
    let (status, _) = sight.status(row);
    let mut standing = shared.ledger().standing(row);
    standing.retain(|s| sight.sees(row, &s.who));
    let (rev, text_rev) = (rev(sight, row), shared.ledger().text_rev(row));
    if !sight.veils(row) && !sight.who().is_empty() {
        shared.rounds.shown(sight.who(), row);
    }
    Ok(ItemView { number, json, status, rev, text_rev, standing, stale, chips })
}

/// The revision of an item as it is shown: of a veiled one that of its text, since the last would tell that somebody decided.
pub fn rev(sight: &AnnotatorView, row: u32) -> u64 {
    let ledger = sight.ledger();
    if sight.veils(row) { ledger.text_rev(row) } else { ledger.row_rev(row) }
}

/// What changed about a composed item; nothing is said while the metadata cannot be read.
fn changed(shared: &OwnerContext, json: &str) -> Option<String> {
    // Imported items are not looked at: their page must not wait for the metadata to be read.
    memchr::memmem::find(json.as_bytes(), b"\"provenance\"")?;
    let item: Item = serde_json::from_str(json).ok()?;
    item.provenance.as_ref()?;
    shared.metadata.now(shared).ok()?.changed(&item)
}
