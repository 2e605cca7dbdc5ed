//! Long commands: they run on a thread of their own, report how far they are, and can be cancelled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, mpsc};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::session::Outbox;
use super::state::Shared;
use super::wire::{Answer, Decide, Event, FromOwner, Receipt};
use super::writer::{Wish, Work, now};
use crate::model::usage::Discarded;
use crate::model::{Judgement, Kind, Problem, Result, Seen, Status, Verdict};
use crate::pipeline::compose::{self, Composition, Order};
use crate::pipeline::import::{self, Ask, Progress, Report};
use crate::pipeline::sample;
use crate::store::journal;

/// Verdicts of a discard that share a sync; as many as the writer takes at once.
const CHUNK: usize = 512;
/// The reason given for discarded items where the project declares it; their note begins with it in any case.
pub const PRUNED: &str = "vocabulary-pruned";
/// Time between two progress messages: at most four a second are drawn.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What is brought in.
pub enum Source {
    /// Files.
    Files(Ask),
    /// What the program draws itself.
    Sample,
    /// Questions from the metadata.
    Compose(Order),
}

/// Whose items are rejected, and in whose name.
pub struct Discard {
    /// The annotator.
    pub who: String,
    /// Vocabulary (or `style`) and term.
    pub terms: Vec<(String, String)>,
    /// Only count.
    pub dry: bool,
}

/// Told how far a job is; says whether to go on.
type Tell<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// Starts an import; its answer goes to `outbox` under `number`.
pub fn import(shared: &Arc<Shared>, outbox: Outbox, number: u64, source: Source, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<Shared>, watch: Tell<'_>| run(shared, &source, watch).map(Answer::Imported);
    start(shared, outbox, number, cancel, work);
}

/// Starts a discard; its answer goes to `outbox` under `number`.
pub fn discard(shared: &Arc<Shared>, outbox: Outbox, number: u64, wanted: Discard, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<Shared>, watch: Tell<'_>| reject(shared, &wanted, watch).map(Answer::Discarded);
    start(shared, outbox, number, cancel, work);
}

fn start(
    shared: &Arc<Shared>,
    outbox: Outbox,
    number: u64,
    cancel: Arc<AtomicBool>,
    job: impl FnOnce(&Arc<Shared>, Tell<'_>) -> Result<Answer> + Send + 'static,
) {
    let counted = shared.count_job();
    let owner = shared.clone();
    let work = move || {
        let _counted = counted;
        let mut told = Instant::now();
        let mut watch = |progress: Progress| {
            if told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                // A client that is behind misses this message and gets the next.
                let _ = outbox.try_send(FromOwner::Progress(number, progress));
            }
            !cancel.load(Ordering::Relaxed)
        };
        let answer = job(&owner, &mut watch);
        let _ = outbox.blocking_send(FromOwner::Answer(number, Box::new(answer)));
    };
    if let Err(error) = std::thread::Builder::new().name("job".into()).spawn(work) {
        shared.notices().push(format!("a job could not be started: {error}"));
    }
}

/// Rejects the items of some terms, [`CHUNK`] at a time through the writer: each chunk shares a sync, and the verdicts
/// of other people come between two chunks.
fn reject(shared: &Arc<Shared>, wanted: &Discard, watch: Tell<'_>) -> Result<Discarded> {
    let held = shared.metadata.now(shared)?;
    let told = std::cell::RefCell::new(watch);
    let go_on = |done: u64, of: Option<u64>| told.borrow_mut()(Progress { what: "discarding".into(), done, of });
    let usage = shared.metadata.usage(shared, &|| go_on(0, None))?;
    let rows = usage.rows_with(held.grammar(), &wanted.terms);
    let mut done = Discarded::default();
    let standing: Vec<u32> = {
        let data = shared.data();
        rows.iter().for_each(|row| done.items.add(data.overlay.status(*row as usize)));
        rows.into_iter().filter(|row| data.overlay.status(*row as usize) != Status::Rejected).collect()
    };
    if wanted.dry {
        done.rejected = standing.len() as u64;
        return Ok(done);
    }
    let known = &shared.project.config().review.reasons;
    let reasons: Vec<String> = known.iter().filter(|r| r.key == PRUNED).map(|r| r.key.clone()).collect();
    let judgement =
        Judgement { verdict: Verdict::Reject, reasons, note: Some(note(&wanted.terms)), ms: None, seen: Seen::Script };
    for chunk in standing.chunks(CHUNK) {
        if !go_on(done.rejected, Some(standing.len() as u64)) {
            return Err(Problem::new(Kind::Cancelled, format!("stopped after {} items were rejected", done.rejected))
                .help("`benchtop undo --count N` takes them back"));
        }
        let (sender, receipts) = mpsc::channel();
        for row in chunk {
            let expected = {
                let ledger = shared.ledger();
                (ledger.status(*row) != Status::Rejected).then(|| ledger.row_rev(*row))
            };
            let Some(expected) = expected else { continue };
            let decide = Decide {
                uuid: Uuid::now_v7(),
                number: row + 1,
                expected: Some(expected),
                judgement: judgement.clone(),
            };
            let sender = sender.clone();
            let reply = Box::new(move |receipt: Result<Receipt>| drop(sender.send(receipt)));
            let work = Work::Wish { who: wanted.who.clone(), wish: Wish::Decide(decide), reply };
            shared.writer.send(work).map_err(|_| Problem::new(Kind::Unreachable, "the owner is ending"))?;
        }
        drop(sender);
        for receipt in receipts {
            match receipt {
                Ok(_) => done.rejected += 1,
                // Somebody decided on it meanwhile: theirs stands.
                Err(problem) if problem.kind == Kind::Conflict => {}
                Err(problem) => return Err(problem),
            }
        }
    }
    Ok(done)
}

/// Why the items are out: the terms, as far as they fit a line.
fn note(terms: &[(String, String)]) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> = terms.iter().take(NAMED).map(|(v, t)| format!("{v} `{t}`")).collect();
    let more = terms.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{PRUNED}: {}{rest}", named.join(", "))
}

fn run(shared: &Arc<Shared>, source: &Source, watch: Tell<'_>) -> Result<Report> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let catalog = shared.catalog();
    let at = journal::stamp(now());
    let index = shared.index.get()?;
    let outcome = match source {
        Source::Files(ask) => import::import(&shared.project, index, &catalog, ask, &at, watch)?,
        Source::Compose(order) => {
            let (metadata, unreadable) = compose::metadata(Some(&shared.project))?;
            Composition::new(&metadata, &unreadable, order)?.fill(&shared.project, index, &catalog, &at, watch)?
        }
        Source::Sample => sample::fill(&shared.project, index, &catalog, &at)?,
    };
    if let Some(catalog) = outcome.catalog {
        let items = catalog.len();
        {
            let mut data = shared.data_mut();
            data.overlay.grow(items);
            data.catalog = catalog;
        }
        let sent = shared.writer.send(Work::Imported);
        sent.map_err(|_| Problem::new(Kind::Unreachable, "the owner is ending"))?;
        shared.tell(Event::Imported { items: items as u64 });
    }
    Ok(outcome.report)
}
