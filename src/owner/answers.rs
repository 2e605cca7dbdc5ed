//! Answering questions that change nothing of the items, those about jobs among them. Runs on blocking threads, beside the writer.

mod analysed;
mod history;
mod lines;
mod list;
mod looks;
mod scored;
mod verdicts;

use std::sync::Arc;

use lines::{items, lines, resolved};
pub use list::numbers;
use list::{filtered, page, rows};
use scored::set;
pub use scored::{counted_of, from_predictions, right_of, scored};

use super::sight::Sight;
use super::state::Shared;
use super::wire::{Answer, Ask, ItemView, OwnerStatus};
use super::{evaluate, generate, rounds, scoring};
use crate::model::{Field, Item, Kind, Problem, Result, Sort, Status};
use crate::pipeline::usage::Usage;
use crate::store::{journal, query};

/// How an answer is watched while it is made.
pub struct Watch<'a> {
    /// The answer is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Part of the answer, ahead of the whole.
    pub partial: &'a mut dyn FnMut(Answer),
}

/// The answer to `ask`.
///
/// # Errors
/// What is wrong with the question, or with what is stored.
pub fn answer(sight: &Sight, ask: Ask, watch: &mut Watch<'_>) -> Result<Answer> {
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
    if let Some(answer) = looks::answer(sight, &ask, watch)? {
        return Ok(answer);
    }
    Ok(match ask {
        Ask::Devices => Answer::Devices(Box::new(shared.devices())),
        Ask::Status => Answer::Status(Box::new(status(sight)?)),
        Ask::Page(page_ask) => Answer::Page(page(sight, &page_ask, watch)?),
        Ask::Locate { number, filter, sort } => {
            let list = rows(sight, &filter, &sort)?;
            Answer::Position(list.iter().position(|row| row + 1 == number).map(|at| at as u64))
        }
        Ask::Item(number) => Answer::Item(Box::new(item(sight, number)?)),
        Ask::NumberOf(id) => Answer::Number(shared.catalog().row_of(&id)?.map(|row| row + 1)),
        Ask::Numbers(filter, sort) => {
            Answer::Numbers(rows(sight, &filter, &sort)?.into_iter().map(|row| row + 1).collect())
        }
        Ask::FirstPending(numbers) => {
            let data = shared.data();
            let pending = |n: &u32| *n > 0 && sight.shown(&data, *n - 1) == Status::Pending;
            Answer::Number(numbers.into_iter().find(pending))
        }
        Ask::NextPending(after) => {
            let data = shared.data();
            let len = data.overlay.len() as u32;
            let found = (after.min(len)..len).chain(0..after.min(len));
            let found = found.into_iter().find(|row| sight.shown(&data, *row) == Status::Pending);
            Answer::Number(found.map(|row| row + 1))
        }
        Ask::Lines(from) => Answer::Lines(lines(sight, from)?),
        Ask::Items(numbers) => Answer::Lines(items(sight, &numbers)?),
        Ask::AnswerSets => {
            Answer::AnswerSets(shared.catalog().answers().iter().filter_map(|answers| set(&answers.part)).collect())
        }
        Ask::AnswerLines { set, part } => {
            let catalog = shared.catalog();
            let answers = catalog.answers().get(set as usize);
            let answers = answers.ok_or_else(|| Problem::new(Kind::NotFound, format!("there is no set {set}")))?;
            Answer::AnswerLines(answers.lines(part as usize)?)
        }
        Ask::Frequency(filter, field) => {
            let (view, rows) = filtered(sight, &filter)?;
            Answer::Frequency(query::frequency(&view.catalog, &view.overlay, &rows, field)?)
        }
        Ask::Describe(filter) => {
            let (view, rows) = filtered(sight, &filter)?;
            Answer::Describe(query::describe(&view.catalog, &view.overlay, &rows)?)
        }
        Ask::Select(filter, field, what) => {
            let (view, rows) = filtered(sight, &filter)?;
            Answer::Numbers(query::matching(&view.catalog, &view.overlay, &rows, field, &what)?)
        }
        Ask::Verdicts { round, from } => Answer::Verdicts(verdicts::page(sight, round.as_deref(), from)?),
        Ask::Board(ask) => Answer::Board(Box::new(scored::board(sight, &ask)?)),
        Ask::Behind { ask, model, column, from } => {
            Answer::Behind(scored::behind(sight, &ask, (&model, &column), from)?)
        }
        Ask::Analyse(ask) => Answer::Analysis(Box::new(analysed::analysed(sight, &ask, watch)?)),
        Ask::Metadata => Answer::Metadata(Box::new(shared.metadata.now(shared)?.state.clone())),
        Ask::SaveMetadata(saves) => Answer::Metadata(Box::new(shared.metadata.save(shared, &saves)?)),
        Ask::Impact(files) => {
            let grammar = shared.metadata.now(shared)?.in_force().with(files)?;
            let usage = usage(shared, watch)?;
            Answer::Impact(usage.impact(&grammar, &sight.items(false).1))
        }
        Ask::Terms(vocabulary) => {
            let held = shared.metadata.now(shared)?;
            Answer::Terms(usage(shared, watch)?.terms(held.grammar(), &sight.items(false).1, &vocabulary))
        }
        Ask::Grid { rows: down, columns, filter } => {
            let held = shared.metadata.now(shared)?;
            let usage = usage(shared, watch)?;
            let number = [Sort { field: Field::Number, descending: false }];
            let only = if filter.is_empty() { None } else { Some(rows(sight, &filter, &number)?) };
            let axes = (down.as_str(), columns.as_str());
            Answer::Grid(Box::new(usage.grid(held.grammar(), &sight.items(false).1, axes, only.as_deref())?))
        }
        Ask::Failing(min_items) => {
            let held = shared.metadata.now(shared)?;
            Answer::Failing(usage(shared, watch)?.failing(held.grammar(), &sight.items(false).1, min_items))
        }
        Ask::Log(ask) => history::log(sight, ask)?,
        Ask::Replay(moment) => Answer::Replayed(history::replay(sight, moment)?),
        Ask::Moved(from, to) => Answer::Moved(history::moved(sight, from, to)?),
        Ask::Jobs => Answer::Jobs(evaluate::with_runs(shared, shared.desk.list()?)),
        Ask::JobAct { id, act } => {
            let is_run = shared.evaluations.has(id);
            let state = if is_run { evaluate::act(shared, id, act)? } else { generate::act(shared, id, act)? };
            state.map_or(Answer::Done, |state| Answer::Job(Box::new(state)))
        }
        Ask::JobFailures { id, from } => Answer::JobFailures(match shared.evaluations.has(id) {
            true => evaluate::failures(shared, id, from)?,
            false => generate::failures(shared, id, from)?,
        }),
        Ask::Want { number } => Answer::Wanted(generate::want(shared, number, &|| !(watch.cancelled)())?),
        Ask::Made { number } => Answer::Made(generate::made(shared, number)?),
        Ask::Decide(_)
        | Ask::Undo(_)
        | Ask::Redo(_)
        | Ask::Subscribe { .. }
        | Ask::Import(_)
        | Ask::Sample
        | Ask::Discard { .. }
        | Ask::Compose { .. }
        | Ask::Recompose { .. }
        | Ask::Generate(_)
        | Ask::Evaluate(_)
        | Ask::Similarity(_)
        | Ask::Judge(_)
        | Ask::Agree { .. }
        | Ask::Merge { .. }
        | Ask::Edit(_)
        | Ask::Bulk(_)
        | Ask::UndoBulk(..)
        | Ask::Retire { .. }
        | Ask::Unretire { .. }
        | Ask::TakeVerdicts { .. }
        | Ask::SetPlace(_)
        | Ask::Stop => return Err(Problem::new(Kind::Usage, "this is a command, not a question")),
        Ask::Rounds
        | Ask::NewRound { .. }
        | Ask::CloseRound { .. }
        | Ask::DeleteRound(_)
        | Ask::RoundPeople { .. }
        | Ask::Next(_)
        | Ask::Release(_)
        | Ask::Feedback { .. }
        | Ask::Guidelines(_)
        | Ask::Disputes(_)
        | Ask::WhatIf { .. }
        | Ask::Agreement(_)
        | Ask::RoundReport { .. }
        | Ask::Pace(_)
        | Ask::Adjudication(_)
        | Ask::Scorers
        | Ask::Score(_)
        | Ask::ScoringAct { .. }
        | Ask::Bench(_)
        | Ask::Rules
        | Ask::TryRules(_)
        | Ask::ApplyRules { .. }
        | Ask::RevertRules { .. }
        | Ask::Doubtful { .. }
        | Ask::Explain { .. }
        | Ask::Ranks { .. }
        | Ask::Sure { .. }
        | Ask::Compare { .. }
        | Ask::Answered { .. }
        | Ask::Disagreements { .. } => {
            return Err(Problem::new(Kind::Usage, "this is asked of rounds, scores or boards"));
        }
    })
}

fn usage(shared: &Shared, watch: &Watch<'_>) -> Result<Arc<Usage>> {
    shared.metadata.usage(shared, &|| !(watch.cancelled)())
}

fn status(sight: &Sight) -> Result<OwnerStatus> {
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
/// [`Kind::Corrupt`] when the texts are damaged.
pub fn line(shared: &Shared, row: u32) -> Result<String> {
    Ok(resolved(shared, shared.catalog().line(row as usize)?))
}

fn item(sight: &Sight, number: u32) -> Result<ItemView> {
    let shared = sight.shared();
    let none = || Problem::new(Kind::NotFound, format!("there is no item #{number}"));
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
pub fn rev(sight: &Sight, row: u32) -> u64 {
    let ledger = sight.ledger();
    if sight.veils(row) { ledger.text_rev(row) } else { ledger.row_rev(row) }
}

/// What changed about a composed item; nothing is said while the metadata cannot be read.
fn changed(shared: &Shared, json: &str) -> Option<String> {
    // Imported items are not looked at: their page must not wait for the metadata to be read.
    memchr::memmem::find(json.as_bytes(), b"\"provenance\"")?;
    let item: Item = serde_json::from_str(json).ok()?;
    item.provenance.as_ref()?;
    shared.metadata.now(shared).ok()?.changed(&item)
}
