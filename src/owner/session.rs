//! One client's conversation.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{broadcast, mpsc};
use tokio_util::bytes::Bytes;
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

use super::context::OwnerContext;
use super::latency::Step;
use super::visibility::AnnotatorView;
use super::wire::{
    Event, FRAME_LIMIT, FromOwner, Hello, MAGIC, PROTOCOL, Receipt, Request, Response, ResumePoint, ToOwner, Welcome,
};
use super::writer::{DecisionRequest, WriterCommand};
use super::{access, answers, jobs, read_only, trust};
use crate::model::{Error, ErrorKind, Result};
use crate::pipeline::compose::Order;
use crate::pipeline::recompose::Manner;
use crate::store::journal;

/// Answers waiting to be sent to one client.
const OUTBOX: usize = 1024;
/// Questions of one client being looked up at once; its next ones wait in the socket. Far below [`OUTBOX`], so that
/// nobody who does not read its answers keeps the threads that look things up for the others.
const LOOKUPS: usize = 64;

/// A receipt on its way.
struct Sent {
    /// When the decision was asked for.
    asked: Instant,
    /// When it was acknowledged.
    given: Instant,
    message: FromOwner,
}

/// Where answers to one client go.
pub type Outbox = mpsc::Sender<FromOwner>;

/// The codec both ends use.
pub fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().max_frame_length(FRAME_LIMIT).new_codec()
}

/// What one client has under way.
#[derive(Default)]
struct Running {
    /// Number of the connection.
    connection: u64,
    generation: AtomicU64,
    lookups: AtomicUsize,
    cancels: Mutex<HashMap<u64, Arc<AtomicBool>>>,
}

impl Running {
    fn cancels(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
        self.cancels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves a client until it goes. `peer` is its user id.
pub async fn serve(stream: UnixStream, shared: Arc<OwnerContext>, peer: u32) {
    let (read, write) = stream.into_split();
    let mut source = FramedRead::new(read, codec());
    let mut sink = FramedWrite::new(write, codec());
    let who = match greet(&mut source, &mut sink, &shared, peer).await {
        Ok(who) => who,
        Err(problem) => {
            refuse(&mut sink, problem).await;
            return;
        }
    };
    let _counted = shared.count_client();
    let (outbox, mut inbox) = mpsc::channel::<FromOwner>(OUTBOX);
    // Receipts have a way of their own that is never full: the writer must neither wait for a client nor lose one.
    let (receipts, mut receipt_box) = mpsc::unbounded_channel::<Sent>();
    let mut events: Option<broadcast::Receiver<Event>> = None;
    let running = Arc::new(Running { connection: shared.at_work.connection(), ..Running::default() });
    loop {
        tokio::select! {
            biased;
            message = inbox.recv() => {
                let Some(message) = message else { break };
                let mut sent = feed(&mut sink, &message).await;
                // What is ready goes out in one write.
                while sent && let Ok(message) = inbox.try_recv() {
                    sent = feed(&mut sink, &message).await;
                }
                if !sent || !flush(&mut sink).await { break }
            }
            message = receipt_box.recv() => {
                let Some(message) = message else { break };
                let mut times = vec![(message.asked, message.given)];
                let mut sent = feed(&mut sink, &message.message).await;
                while sent && let Ok(message) = receipt_box.try_recv() {
                    times.push((message.asked, message.given));
                    sent = feed(&mut sink, &message.message).await;
                }
                if !sent || !flush(&mut sink).await { break }
                for (asked, given) in times {
                    shared.latency.record(Step::Send, given.elapsed());
                    shared.latency.record(Step::Total, asked.elapsed());
                }
            }
            event = next_event(&mut events) => {
                if veiled(&shared, &who, &event) { continue }
                if !feed(&mut sink, &FromOwner::Event(event)).await || !flush(&mut sink).await { break }
            }
            frame = source.next(), if running.lookups.load(Ordering::SeqCst) < LOOKUPS => {
                let frame = match frame {
                    None => break,
                    Some(Ok(frame)) => frame,
                    Some(Err(error)) => {
                        refuse(&mut sink, unframed(&error)).await;
                        break;
                    }
                };
                match postcard::from_bytes::<ToOwner>(&frame) {
                    Ok(ToOwner::Ask(number, Request::Subscribe { since })) => {
                        events = Some(shared.events.subscribe());
                        // Decisions after `since` were not sent to this client: it must ask for what it shows.
                        if shared.ledger().rev() > since
                            && outbox.try_send(FromOwner::Event(Event::Resync)).is_err() { break }
                        if !reply(&outbox, number, Ok(Response::Done)) { break }
                    }
                    Ok(ToOwner::Ask(number, ask)) => {
                        let allowed = access::authorize(&shared.project.config().shared, peer, &ask)
                            .and_then(|()| trust::allow(&shared, peer, &ask));
                        let going = match allowed.and_then(|()| read_only::allow(&shared, &ask)) {
                            Ok(()) => take(&shared, &running, (&outbox, &receipts), &who, number, ask),
                            Err(problem) => reply(&outbox, number, Err(problem)),
                        };
                        if !going { break }
                    }
                    Ok(ToOwner::Cancel(number)) => {
                        if let Some(flag) = running.cancels().get(&number) {
                            flag.store(true, Ordering::SeqCst);
                        }
                    }
                    Ok(ToOwner::Hello(_)) => {
                        refuse(&mut sink, Error::new(ErrorKind::Usage, "a conversation is not begun twice")).await;
                        break;
                    }
                    Err(error) => {
                        let what = format!("the message cannot be read: {error}");
                        refuse(&mut sink, Error::new(ErrorKind::Usage, what)).await;
                        break;
                    }
                }
            }
        }
    }
    shared.at_work.gone(running.connection);
    // Nobody waits for the answers any more.
    running.generation.store(u64::MAX, Ordering::SeqCst);
    running.cancels().values().for_each(|flag| flag.store(true, Ordering::SeqCst));
}

/// Whether an event would tell what `who` must not know yet.
fn veiled(shared: &Arc<OwnerContext>, who: &str, event: &Event) -> bool {
    match event {
        // One's own too: of a probe it would tell where the item stands.
        Event::Verdict { receipt, .. } => AnnotatorView::of(shared, who).veils(receipt.number.saturating_sub(1)),
        _ => false,
    }
}

async fn next_event(events: &mut Option<broadcast::Receiver<Event>>) -> Event {
    match events {
        None => std::future::pending().await,
        Some(receiver) => match receiver.recv().await {
            Ok(event) => event,
            Err(broadcast::error::RecvError::Lagged(_)) => Event::Resync,
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        },
    }
}

type Source = FramedRead<OwnedReadHalf, LengthDelimitedCodec>;
type Sink = FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>;

/// Says why, before hanging up.
async fn refuse(sink: &mut Sink, problem: Error) {
    if feed(sink, &FromOwner::Refused(problem)).await {
        let _ = flush(sink).await;
    }
}

/// Why bytes are no frame.
fn unframed(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::InvalidData => {
            Error::new(ErrorKind::Usage, format!("the message is longer than a frame ({FRAME_LIMIT} bytes)"))
        }
        _ => Error::new(ErrorKind::Usage, format!("the message is cut off: {error}")),
    }
}

async fn flush(sink: &mut Sink) -> bool {
    SinkExt::<Bytes>::flush(sink).await.is_ok()
}

async fn feed(sink: &mut Sink, message: &FromOwner) -> bool {
    let message = match encode(message) {
        Some(bytes) => bytes,
        // Too large for a frame: say so instead of nothing.
        None => match message {
            FromOwner::Answer(number, _) => {
                let problem = Error::input("the answer is larger than a frame").help("ask for less at once");
                let Some(bytes) = encode(&FromOwner::Answer(*number, Box::new(Err(problem)))) else { return false };
                bytes
            }
            _ => return false,
        },
    };
    sink.feed(Bytes::from(message)).await.is_ok()
}

fn encode(message: &FromOwner) -> Option<Vec<u8>> {
    postcard::to_stdvec(message).ok().filter(|b| b.len() <= FRAME_LIMIT)
}

async fn greet(source: &mut Source, sink: &mut Sink, shared: &Arc<OwnerContext>, peer: u32) -> Result<String> {
    let me = rustix::process::geteuid().as_raw();
    let company = &shared.project.config().shared;
    if company.people.is_empty() {
        // Before a word of theirs is read.
        access::authenticate(company, me, peer, "")?;
    }
    let waited = tokio::time::timeout(std::time::Duration::from_secs(10), source.next()).await;
    let frame = match waited {
        Ok(Some(Ok(frame))) => frame,
        Ok(Some(Err(error))) => return Err(unframed(&error)),
        Ok(None) | Err(_) => return Err(Error::new(ErrorKind::Usage, "no greeting came")),
    };
    let hello = match postcard::from_bytes::<ToOwner>(&frame) {
        Ok(ToOwner::Hello(hello)) if hello.magic == MAGIC => hello,
        _ => return Err(Error::new(ErrorKind::Usage, "this is not a benchtop client")),
    };
    check(&hello)?;
    access::authenticate(company, me, peer, &hello.who)?;
    if let Err(problem) = shared.at_home() {
        // This owner is about to end: as unreachable its client looks for the next one.
        shared.stop.notify_one();
        return Err(Error { kind: ErrorKind::Unreachable, ..problem });
    }
    let place = shared.index.place(&hello.who)?;
    let place: Option<ResumePoint> = place.and_then(|text| serde_json::from_str(&text).ok());
    let config = shared.config();
    // What is wrong with the metadata stands among the notices.
    let _ = shared.metadata.look(shared);
    let welcome = Welcome {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
        project: config.name.clone(),
        root: shared.project.root().to_path_buf(),
        rev: shared.ledger().rev(),
        items: shared.catalog().len() as u64,
        reasons: config.review.reasons.clone(),
        place,
        notices: shared.notices().clone(),
    };
    if !feed(sink, &FromOwner::Welcome(Box::new(welcome))).await || !flush(sink).await {
        return Err(Error::new(ErrorKind::Unreachable, "the client went away"));
    }
    Ok(hello.who)
}

fn check(hello: &Hello) -> Result<()> {
    if hello.protocol != PROTOCOL {
        return Err(Error::new(
            ErrorKind::Conflict,
            format!(
                "the owner speaks protocol {PROTOCOL} (benchtop {}), you speak {} (benchtop {})",
                env!("CARGO_PKG_VERSION"),
                hello.protocol,
                hello.version
            ),
        )
        .help("end the owner with `benchtop stop` of its own version, then start again"));
    }
    journal::check_name(&hello.who)
}

/// Queues an answer without waiting; false when the client does not read what it asked for.
fn reply(outbox: &Outbox, number: u64, answer: Result<Response>) -> bool {
    outbox.try_send(FromOwner::Answer(number, Box::new(answer))).is_ok()
}

/// Sets `ask` going; false ends the conversation.
fn take(
    shared: &Arc<OwnerContext>,
    running: &Arc<Running>,
    (outbox, receipts): (&Outbox, &mpsc::UnboundedSender<Sent>),
    who: &str,
    number: u64,
    ask: Request,
) -> bool {
    let wish = match ask {
        Request::Decide(decide) => DecisionRequest::Decide(decide),
        Request::Undo(uuid) => DecisionRequest::Undo(uuid),
        Request::Redo(uuid) => DecisionRequest::Redo(uuid),
        Request::SetPlace(place) => {
            let work = WriterCommand::Place { who: who.to_string(), place };
            return shared.writer.send(work).is_ok() && reply(outbox, number, Ok(Response::Done));
        }
        Request::Agree { to, then } => {
            // Once in a long while: a file is written.
            match (tokio::task::block_in_place(|| trust::agree(shared, &to)), then) {
                (Ok(()), Some(then)) => return take(shared, running, (outbox, receipts), who, number, then.ask()),
                (agreed, _) => return reply(outbox, number, agreed.map(|()| Response::Done)),
            }
        }
        Request::Stop => {
            reply(outbox, number, Ok(Response::Done));
            shared.tell(Event::Ending);
            shared.stop.notify_one();
            return true;
        }
        Request::Import(ask) => {
            jobs::import(shared, outbox.clone(), number, jobs::Source::Files(ask), flag(running, number));
            return true;
        }
        Request::Compose { plan, seed, count, allow_impossible } => {
            let source = jobs::Source::Compose(Order { plan, seed, count, allow_impossible });
            jobs::import(shared, outbox.clone(), number, source, flag(running, number));
            return true;
        }
        Request::Sample => {
            jobs::import(shared, outbox.clone(), number, jobs::Source::Sample, flag(running, number));
            return true;
        }
        Request::Recompose { renames, draw_missing, dry } => {
            let wanted = jobs::Recompose { who: who.to_string(), manner: Manner { renames, draw_missing, dry } };
            jobs::recompose(shared, outbox.clone(), number, wanted, flag(running, number));
            return true;
        }
        Request::Discard { terms, dry } => {
            let who = who.to_string();
            jobs::discard(shared, outbox.clone(), number, jobs::Discard { who, terms, dry }, flag(running, number));
            return true;
        }
        Request::Retire { terms, saves, discard } => {
            let wanted = jobs::Retire { who: who.to_string(), terms, saves, discard };
            jobs::retire(shared, outbox.clone(), number, wanted, flag(running, number));
            return true;
        }
        Request::Unretire { saves, revs } => {
            let wanted = jobs::Unretire { who: who.to_string(), saves, revs };
            jobs::unretire(shared, outbox.clone(), number, wanted, flag(running, number));
            return true;
        }
        Request::Merge { files, dry } => {
            jobs::merge(
                shared,
                outbox.clone(),
                number,
                jobs::Merge { who: who.to_string(), files, dry },
                flag(running, number),
            );
            return true;
        }
        Request::Bulk(bulk) => {
            jobs::bulk(shared, outbox.clone(), number, (who.to_string(), *bulk), flag(running, number));
            return true;
        }
        Request::UndoBulk(first, last) => {
            jobs::undo(shared, outbox.clone(), number, (who.to_string(), (first, last)), flag(running, number));
            return true;
        }
        Request::Edit(edit) => {
            jobs::edit(shared, outbox.clone(), number, (who.to_string(), *edit), flag(running, number));
            return true;
        }
        Request::TakeVerdicts { file, form, words, dry } => {
            let wanted = jobs::Verdicts { who: who.to_string(), file, form, words: *words, dry };
            jobs::verdicts(shared, outbox.clone(), number, wanted, flag(running, number));
            return true;
        }
        Request::Similarity(ask) => {
            jobs::similarity(shared, outbox.clone(), number, (who.to_string(), *ask), flag(running, number));
            return true;
        }
        Request::Judge(ask) => {
            jobs::judge(shared, outbox.clone(), number, (who.to_string(), *ask), flag(running, number));
            return true;
        }
        Request::Evaluate(new) => {
            jobs::evaluate(shared, outbox.clone(), number, (who.to_string(), *new), flag(running, number));
            return true;
        }
        Request::Generate(new) => {
            jobs::generate(shared, outbox.clone(), number, (who.to_string(), *new), flag(running, number));
            return true;
        }
        question => {
            match &question {
                Request::Next(round) => shared.at_work.came(who, round, running.connection),
                Request::Release(round) => shared.at_work.left(who, round, running.connection),
                _ => {}
            }
            look_up(AnnotatorView::of(shared, who), running.clone(), outbox.clone(), number, question);
            return true;
        }
    };
    let receipts = receipts.clone();
    let asked = Instant::now();
    let give = move |receipt: Result<Receipt>| {
        let message = FromOwner::Answer(number, Box::new(receipt.map(Response::Receipt)));
        // The client is gone: the decision stands, and it gets the receipt when it asks again.
        let _ = receipts.send(Sent { asked, given: Instant::now(), message });
    };
    shared
        .writer
        .send(WriterCommand::Wish { who: who.to_string(), wish, asked: Some(asked), reply: Box::new(give) })
        .is_ok()
}

fn flag(running: &Running, number: u64) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    running.cancels().insert(number, flag.clone());
    flag
}

fn look_up(sight: AnnotatorView, running: Arc<Running>, outbox: Outbox, number: u64, ask: Request) {
    let generation = match &ask {
        Request::Page(page) => {
            running.generation.fetch_max(page.generation, Ordering::SeqCst);
            page.generation
        }
        _ => u64::MAX,
    };
    let flag = flag(&running, number);
    running.lookups.fetch_add(1, Ordering::SeqCst);
    tokio::task::spawn_blocking(move || {
        let cancelled = || flag.load(Ordering::Relaxed) || running.generation.load(Ordering::Relaxed) > generation;
        let mut partial = |answer| {
            reply(&outbox, number, Ok(answer));
        };
        let mut watch = answers::Watch { cancelled: &cancelled, partial: &mut partial };
        let answer = answers::answer(&sight, ask, &mut watch);
        // Before the answer goes: its arrival is what makes the conversation look for more questions.
        running.lookups.fetch_sub(1, Ordering::SeqCst);
        let _ = outbox.blocking_send(FromOwner::Answer(number, Box::new(answer)));
        running.cancels().remove(&number);
    });
}
