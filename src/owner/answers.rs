//! Answering questions that change nothing of the items, those about jobs among them. Runs on blocking threads, beside the writer.

mod history;
mod lines;

use std::sync::Arc;

use lines::{items, lines, resolved};

use super::search::{Beside, ByScore, Derived, List, Parts};
use super::state::Shared;
use super::wire::{Answer, AnswerSet, Ask, ItemView, OwnerStatus, Page, PageAsk, QUESTION_CHARS, Row};
use super::{generate, scoring};
use crate::model::scoring::Scorer;
use crate::model::{Field, Filter, Item, Kind, Problem, Result, Sort, Status};
use crate::pipeline::board::{Answers, Scored};
use crate::pipeline::scoring::column::Column;
use crate::pipeline::scoring::predictions;
use crate::pipeline::usage::Usage;
use crate::store::columns::id_hash;
use crate::store::manifest::{Holds, Part};
use crate::store::{Catalog, Overlay, journal, query, search};

/// Rows a page at most.
const PAGE_LIMIT: u32 = 1000;

/// How an answer is watched while it is made.
pub struct Watch<'a> {
    /// The answer is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Part of the answer, ahead of the whole.
    pub partial: &'a mut dyn FnMut(Answer),
}

/// Items, statuses and revision at one moment.
struct View {
    catalog: Arc<Catalog>,
    overlay: Overlay,
    rev: u64,
    beside: Beside,
}

impl View {
    fn now(shared: &Shared, filter: &Filter, sort: &[Sort], cancelled: &dyn Fn() -> bool) -> Result<View> {
        let derived = if filter.asks_metadata() { Some(derived(shared, cancelled)?) } else { None };
        let wanted = || !cancelled();
        let pictures = !filter.picture.is_empty();
        let pictures = if pictures { Some(shared.desk.states(shared, &wanted)?) } else { None };
        let scores = if filter.asks_scores() { Some(scored_by(shared, filter, &wanted)?) } else { None };
        let beside = Beside { derived, pictures, scores };
        // The revision first: a list made of newer statuses under an older revision is made again, not kept too long.
        let rev = shared.ledger().rev();
        let data = shared.data();
        let times = sort.iter().any(|s| s.field == Field::Judged);
        Ok(View { catalog: data.catalog.clone(), overlay: data.overlay.snapshot(times), rev, beside })
    }

    fn parts(&self) -> Parts<'_> {
        (&self.catalog, &self.overlay, self.rev, &self.beside)
    }
}

/// The answer to `ask`.
///
/// # Errors
/// What is wrong with the question, or with what is stored.
pub fn answer(shared: &Arc<Shared>, ask: Ask, watch: &mut Watch<'_>) -> Result<Answer> {
    if let Some(answer) = scoring::answer(shared, &ask, watch)? {
        return Ok(answer);
    }
    Ok(match ask {
        Ask::Devices => Answer::Devices(Box::new(shared.devices())),
        Ask::Status => Answer::Status(Box::new(status(shared)?)),
        Ask::Page(page_ask) => Answer::Page(page(shared, &page_ask, watch)?),
        Ask::Locate { number, filter, sort } => {
            let list = rows(shared, &filter, &sort)?;
            Answer::Position(list.iter().position(|row| row + 1 == number).map(|at| at as u64))
        }
        Ask::Item(number) => Answer::Item(Box::new(item(shared, number)?)),
        Ask::NumberOf(id) => Answer::Number(shared.catalog().row_of(&id)?.map(|row| row + 1)),
        Ask::Numbers(filter, sort) => {
            Answer::Numbers(rows(shared, &filter, &sort)?.into_iter().map(|row| row + 1).collect())
        }
        Ask::FirstPending(numbers) => {
            let data = shared.data();
            let pending = |n: &u32| *n > 0 && data.overlay.status(*n as usize - 1) == Status::Pending;
            Answer::Number(numbers.into_iter().find(pending))
        }
        Ask::NextPending(after) => {
            let data = shared.data();
            let (before, rest) = data.overlay.status.split_at((after as usize).min(data.overlay.len()));
            let pending = |s: &u8| *s == Status::Pending.code();
            let found = rest.iter().position(pending).map(|at| at + before.len());
            let found = found.or_else(|| before.iter().position(pending));
            Answer::Number(found.map(|row| row as u32 + 1))
        }
        Ask::Lines(from) => Answer::Lines(lines(shared, from)?),
        Ask::Items(numbers) => Answer::Lines(items(shared, &numbers)?),
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
            let (view, rows) = filtered(shared, &filter)?;
            Answer::Frequency(query::frequency(&view.catalog, &view.overlay, &rows, field)?)
        }
        Ask::Describe(filter) => {
            let (view, rows) = filtered(shared, &filter)?;
            Answer::Describe(query::describe(&view.catalog, &view.overlay, &rows)?)
        }
        Ask::Select(filter, field, what) => {
            let (view, rows) = filtered(shared, &filter)?;
            Answer::Numbers(query::matching(&view.catalog, &view.overlay, &rows, field, &what)?)
        }
        Ask::Verdicts => {
            let catalog = shared.catalog();
            let standing = shared.ledger().all_standing();
            let with_id = |(row, s): (u32, _)| Ok((row + 1, catalog.item(row as usize)?.id, s));
            Answer::Verdicts(standing.into_iter().map(with_id).collect::<Result<_>>()?)
        }
        Ask::Board => Answer::Board(Box::new(scored(shared)?.board.clone())),
        Ask::Behind { model, column } => Answer::Behind(scored(shared)?.behind(&model, &column)?),
        Ask::Metadata => Answer::Metadata(Box::new(shared.metadata.now(shared)?.state.clone())),
        Ask::SaveMetadata(saves) => Answer::Metadata(Box::new(shared.metadata.save(shared, &saves)?)),
        Ask::Impact(files) => {
            let grammar = shared.metadata.now(shared)?.with(files);
            let usage = usage(shared, watch)?;
            Answer::Impact(usage.impact(&grammar, &statuses(shared)))
        }
        Ask::Terms(vocabulary) => {
            let held = shared.metadata.now(shared)?;
            Answer::Terms(usage(shared, watch)?.terms(held.grammar(), &statuses(shared), &vocabulary))
        }
        Ask::Grid { rows: down, columns, filter } => {
            let held = shared.metadata.now(shared)?;
            let usage = usage(shared, watch)?;
            let number = [Sort { field: Field::Number, descending: false }];
            let only = if filter.is_empty() { None } else { Some(rows(shared, &filter, &number)?) };
            let axes = (down.as_str(), columns.as_str());
            Answer::Grid(Box::new(usage.grid(held.grammar(), &statuses(shared), axes, only.as_deref())?))
        }
        Ask::Failing(min_items) => {
            let held = shared.metadata.now(shared)?;
            Answer::Failing(usage(shared, watch)?.failing(held.grammar(), &statuses(shared), min_items))
        }
        Ask::Log(ask) => history::log(shared, ask)?,
        Ask::Replay(moment) => Answer::Replayed(history::replay(shared, moment)?),
        Ask::Moved(from, to) => Answer::Moved(history::moved(shared, from, to)?),
        Ask::Jobs => Answer::Jobs(shared.desk.list()?),
        Ask::JobAct { id, act } => match generate::act(shared, id, act)? {
            Some(state) => Answer::Job(Box::new(state)),
            None => Answer::Done,
        },
        Ask::JobFailures { id, from } => Answer::JobFailures(generate::failures(shared, id, from)?),
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
        | Ask::Merge { .. }
        | Ask::SetPlace(_)
        | Ask::Stop => return Err(Problem::new(Kind::Usage, "this is a command, not a question")),
        Ask::Scorers
        | Ask::Score(_)
        | Ask::ScoringAct { .. }
        | Ask::Bench(_)
        | Ask::Rules
        | Ask::TryRules(_)
        | Ask::ApplyRules { .. }
        | Ask::RevertRules { .. }
        | Ask::Doubtful { .. }
        | Ask::Explain { .. } => return Err(Problem::new(Kind::Usage, "this is asked of the scores")),
    })
}

fn usage(shared: &Shared, watch: &Watch<'_>) -> Result<Arc<Usage>> {
    shared.metadata.usage(shared, &|| !(watch.cancelled)())
}

/// The metadata and how the items use it.
fn derived(shared: &Shared, cancelled: &dyn Fn() -> bool) -> Result<Derived> {
    let held = shared.metadata.now(shared)?;
    let usage = shared.metadata.usage(shared, &|| !cancelled())?;
    Ok(Derived { held, usage })
}

/// What rules and scores say of the items, as far as a filter asks.
fn scored_by(shared: &Shared, filter: &Filter, wanted: &dyn Fn() -> bool) -> Result<ByScore> {
    let generation = shared.scoring.generation();
    let asked: Vec<_> = filter.scores.iter().map(|c| c.score.scorer.clone()).collect();
    let columns = shared.scoring.columns(shared, asked, wanted)?;
    let outcomes = if filter.outcome.is_empty() { None } else { Some(shared.scoring.outcomes(shared, wanted)?.2) };
    Ok(ByScore { generation, columns, outcomes })
}

/// The statuses as they are now.
fn statuses(shared: &Shared) -> Overlay {
    shared.data().overlay.snapshot(false)
}

fn rows(shared: &Shared, filter: &Filter, sort: &[Sort]) -> Result<Vec<u32>> {
    let view = View::now(shared, filter, sort, &|| false)?;
    let list = shared.search.list(view.parts(), filter, sort, &|| false, &mut |_| ())?;
    if list.partial {
        return shared.search.beyond(view.parts(), filter, &list.rows);
    }
    Ok(list.rows.clone())
}

/// The numbers of the items that pass a filter, in their order.
///
/// # Errors
/// [`Kind::Corrupt`] when the texts are damaged.
pub fn numbers(shared: &Shared, filter: &Filter) -> Result<Vec<u32>> {
    let sort = [Sort { field: Field::Number, descending: false }];
    Ok(rows(shared, filter, &sort)?.into_iter().map(|row| row + 1).collect())
}

fn filtered(shared: &Shared, filter: &Filter) -> Result<(View, Vec<u32>)> {
    let sort = [Sort { field: Field::Judged, descending: false }];
    // The rows are filtered on their own; this is for their cells.
    let view = View::now(shared, &Filter::default(), &sort, &|| false)?;
    let rows = rows(shared, filter, &[Sort { field: Field::Number, descending: false }])?;
    Ok((view, rows))
}

fn status(shared: &Shared) -> Result<OwnerStatus> {
    let (items, counts, sets) = {
        let data = shared.data();
        (data.catalog.len() as u64, data.overlay.counts(), data.catalog.answers().len() as u64)
    };
    let (rev, decisions) = {
        let ledger = shared.ledger();
        (ledger.rev(), ledger.decisions() as u64)
    };
    Ok(OwnerStatus {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
        socket: super::lock::socket_path(&shared.project)?,
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
    })
}

fn page(shared: &Shared, ask: &PageAsk, watch: &mut Watch<'_>) -> Result<Page> {
    let view = View::now(shared, &ask.filter, &ask.sort, watch.cancelled)?;
    let count = ask.count.min(PAGE_LIMIT);
    let make = |list: &List, offset: u64| -> Result<Page> {
        let wanted = list.rows.iter().skip(offset as usize).take(count as usize);
        let rows =
            wanted.map(|row| list_row(shared, &view.catalog, &ask.filter, *row as usize)).collect::<Result<_>>()?;
        Ok(Page {
            generation: ask.generation,
            offset,
            rows,
            total: list.total,
            of: view.catalog.len() as u64,
            partial: false,
        })
    };
    let mut failed = None;
    let Watch { cancelled, partial } = watch;
    let mut tell = |list: &List| match make(list, 0) {
        Ok(page) => partial(Answer::Page(Page { partial: true, ..page })),
        Err(problem) => failed = Some(problem),
    };
    let list = shared.search.list(view.parts(), &ask.filter, &ask.sort, cancelled, &mut tell)?;
    if let Some(problem) = failed {
        return Err(problem);
    }
    if cancelled() {
        return Err(Problem::new(Kind::Cancelled, "a newer question came"));
    }
    if list.partial && ask.offset + u64::from(count) > list.rows.len() as u64 {
        let rows = shared.search.beyond(view.parts(), &ask.filter, &list.rows)?;
        return make(&List { total: rows.len() as u64, rows, partial: false }, ask.offset);
    }
    make(&list, ask.offset)
}

fn list_row(shared: &Shared, catalog: &Catalog, filter: &Filter, row: usize) -> Result<Row> {
    let mut item = catalog.item(row)?;
    if let Some((end, _)) = item.question.char_indices().nth(QUESTION_CHARS) {
        item.question.truncate(end);
    }
    let (status, judged) = {
        let data = shared.data();
        (data.overlay.status(row), query::judged(data.overlay.judged.get(row).copied().unwrap_or(0)))
    };
    let mut row = Row::of(row as u32 + 1, item, status, judged);
    if !filter.text.trim().is_empty() {
        row.marks = search::highlight(&row.question, &filter.text).into_iter().map(|at| at as u32).collect();
    }
    Ok(row)
}

/// The line of an item, its pictures found.
///
/// # Errors
/// [`Kind::Corrupt`] when the texts are damaged.
pub fn line(shared: &Shared, row: u32) -> Result<String> {
    Ok(resolved(shared, shared.catalog().line(row as usize)?))
}

fn item(shared: &Arc<Shared>, number: u32) -> Result<ItemView> {
    let none = || Problem::new(Kind::NotFound, format!("there is no item #{number}"));
    let row = number.checked_sub(1).ok_or_else(none)?;
    let json = line(shared, row)?;
    let stale = changed(shared, &json);
    let ledger = shared.ledger();
    Ok(ItemView {
        number,
        json,
        status: ledger.status(row),
        rev: ledger.row_rev(row),
        standing: ledger.standing(row),
        stale,
        chips: scoring::chips(shared, row),
    })
}

/// What changed about a composed item; nothing is said while the metadata cannot be read.
fn changed(shared: &Shared, json: &str) -> Option<String> {
    // Imported items are not looked at: their page must not wait for the metadata to be read.
    memchr::memmem::find(json.as_bytes(), b"\"provenance\"")?;
    let item: Item = serde_json::from_str(json).ok()?;
    item.provenance.as_ref()?;
    shared.metadata.now(shared).ok()?.changed(&item)
}

fn set(part: &Part) -> Option<AnswerSet> {
    match &part.holds {
        Holds::Predictions { model, form, evaluated } => {
            Some(AnswerSet { model: model.clone(), form: *form, evaluated: *evaluated, rows: part.rows })
        }
        Holds::Items { .. } | Holds::Revisions { .. } => None,
    }
}

/// The leaderboard's working data, made once an import.
fn scored(shared: &Shared) -> Result<Arc<Scored>> {
    let catalog = shared.catalog();
    let made_for = catalog.edition();
    let mut held = shared.scored();
    if let Some((_, scored)) = held.as_ref().filter(|(n, _)| *n == made_for) {
        return Ok(scored.clone());
    }
    let mut items: Vec<Item> = Vec::with_capacity(catalog.len());
    catalog.each_line(0, &mut |_, line| {
        let item = serde_json::from_slice(line)
            .map_err(|e| Problem::new(Kind::Corrupt, format!("a stored item cannot be read: {e}")))?;
        items.push(item);
        Ok(true)
    })?;
    let mut sets = Vec::new();
    let mut notes = Vec::new();
    for answers in catalog.answers() {
        if let Some(set) = set(&answers.part) {
            if answers.part.duplicates > 0 {
                let (n, source) = (answers.part.duplicates, &answers.part.source);
                notes.push(format!("{source}: {n} rows were given more than once and dropped at import"));
            }
            sets.push(Answers {
                model: set.model,
                source: answers.part.source.clone(),
                dataset: None,
                evaluated: set.evaluated,
                rows: answers.predictions()?,
            });
        }
    }
    let mut scored = Scored::new(&items, sets);
    scored.board.notes.extend(notes);
    let scored = Arc::new(scored);
    *held = Some((made_for, scored.clone()));
    Ok(scored)
}

/// The scores that follow from the predictions, by row.
///
/// # Errors
/// When items or predictions cannot be read.
pub fn from_predictions(shared: &Shared, scorer: &Scorer, rows: usize) -> Result<Column> {
    let catalog = shared.catalog();
    if catalog.answers().is_empty() {
        return Ok(Column::without(rows));
    }
    let scored = scored(shared)?;
    let models = &shared.project.config().filter;
    let row_of = |id: &str| catalog.row_of_hash(id_hash(id));
    Ok(predictions::column(scorer, &scored, models, rows, &row_of))
}
