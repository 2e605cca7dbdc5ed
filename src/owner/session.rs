//! Serves one client connection.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{broadcast, mpsc};
use tokio_util::codec::{FramedRead, LengthDelimitedCodec};

use super::access;
use super::context::OwnerContext;
use super::conversation::{Conversation, Running};
use super::outgoing::{Outgoing, codec};
use super::visibility::AnnotatorView;
use benchtop_model::{Error, ErrorKind, Result, name};
use benchtop_protocol::wire::{
    Event, FRAME_LIMIT, FromOwner, Hello, MAGIC, PROTOCOL, ResumePoint, ToOwner, Welcome,
};

/// Maximum number of queued replies per client.
const OUTBOX: usize = 1024;
/// Maximum number of concurrent queries per client. Further requests wait in the socket. This is
/// far below [`OUTBOX`], so that a client that does not read its replies cannot block the lookup
/// threads.
const LOOKUPS: usize = 64;

/// Serves a client until it disconnects. `peer` is its user id.
pub async fn serve(stream: UnixStream, shared: Arc<OwnerContext>, peer: u32) {
    let (read, write) = stream.into_split();
    let mut source = FramedRead::new(read, codec());
    let (outgoing, mut receipts) = Outgoing::new(write);
    let outgoing = Arc::new(outgoing);
    let who = match greet(&mut source, &outgoing, &shared, peer).await {
        Ok(who) => who,
        Err(problem) => {
            refuse(&outgoing, problem).await;
            return;
        }
    };
    let _counted = shared.activity.count_client();
    let (outbox, mut inbox) = mpsc::channel::<FromOwner>(OUTBOX);
    let running = Arc::new(Running::new(shared.at_work.connection()));
    let mut conversation = Conversation {
        shared: shared.clone(),
        running: running.clone(),
        who: who.clone(),
        peer,
        outbox,
        outgoing: outgoing.clone(),
        events: None,
    };
    loop {
        tokio::select! {
            biased;
            message = inbox.recv() => {
                let Some(message) = message else { break };
                // Send everything that is ready in one write.
                let mut ready = vec![message];
                ready.extend(std::iter::from_fn(|| inbox.try_recv().ok()));
                if !outgoing.send(&ready).await { break }
            }
            receipt = receipts.recv() => {
                let Some(receipt) = receipt else { break };
                let mut ready = vec![receipt];
                ready.extend(std::iter::from_fn(|| receipts.try_recv().ok()));
                if !outgoing.send_queued(ready, &shared.latency).await { break }
            }
            event = next_event(&mut conversation.events) => {
                let Some(event) = seen_by(&shared, &who, event) else { continue };
                let is_last = matches!(event, Event::Ending);
                if !outgoing.send(&[FromOwner::Event(event)]).await { break }
                if is_last {
                    // The owner waits until no client listens for events.
                    conversation.events = None;
                }
            }
            frame = source.next(), if running.lookups() < LOOKUPS => {
                let frame = match frame {
                    None => break,
                    Some(Ok(frame)) => frame,
                    Some(Err(error)) => {
                        refuse(&outgoing, unframed(&error)).await;
                        break;
                    }
                };
                match postcard::from_bytes::<ToOwner>(&frame) {
                    Ok(ToOwner::Request(number, ask)) => {
                        if !conversation.ask(number, ask) { break }
                    }
                    Ok(ToOwner::Cancel(number)) => running.cancel(number),
                    Ok(ToOwner::Hello(_)) => {
                        refuse(&outgoing, Error::usage("the client sent a second greeting")).await;
                        break;
                    }
                    Err(error) => {
                        let what = format!("cannot decode the message: {error}");
                        refuse(&outgoing, Error::usage(what)).await;
                        break;
                    }
                }
            }
        }
    }
    shared.at_work.gone(running.connection);
    running.cancel_all();
}

/// An event without what a blind round hides from `who`.
fn seen_by(shared: &Arc<OwnerContext>, who: &str, event: Event) -> Option<Event> {
    match event {
        // Also for the annotator's own verdict, because the status of a probe would reveal the
        // probe.
        Event::Verdict { ref receipt, .. } => {
            let row = receipt.number.saturating_sub(1);
            (!AnnotatorView::of(shared, who).hides(row)).then_some(event)
        }
        Event::Comment {
            who: ref by,
            number,
            ..
        } => {
            let row = number.saturating_sub(1);
            let view = AnnotatorView::of(shared, who);
            view.hears_comment(row, by).then_some(event)
        }
        Event::Job(job) if job.tells => {
            let job = AnnotatorView::of(shared, who).job(*job);
            Some(Event::Job(Box::new(job)))
        }
        event => Some(event),
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

/// Sends the reason for closing the connection.
async fn refuse(outgoing: &Outgoing, problem: Error) {
    outgoing.send(&[FromOwner::Refused(problem)]).await;
}

/// Error for bytes that are not a frame.
fn unframed(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::InvalidData => Error::usage(format!(
            "the message is longer than a frame ({FRAME_LIMIT} bytes)"
        )),
        _ => Error::usage(format!("the message is incomplete: {error}")),
    }
}

async fn greet(
    source: &mut Source,
    outgoing: &Outgoing,
    shared: &Arc<OwnerContext>,
    peer: u32,
) -> Result<String> {
    let me = rustix::process::geteuid().as_raw();
    let people = &shared.project.config().shared;
    if people.people.is_empty() {
        // Check before reading any message.
        access::authenticate(people, me, peer, "")?;
    }
    let waited = tokio::time::timeout(std::time::Duration::from_secs(10), source.next()).await;
    let frame = match waited {
        Ok(Some(Ok(frame))) => frame,
        Ok(Some(Err(error))) => return Err(unframed(&error)),
        Ok(None) | Err(_) => {
            return Err(Error::usage("the client sent no greeting"));
        }
    };
    let hello = match postcard::from_bytes::<ToOwner>(&frame) {
        Ok(ToOwner::Hello(hello)) if hello.magic == MAGIC => hello,
        _ => {
            return Err(Error::usage("not a benchtop client"));
        }
    };
    check(&hello)?;
    access::authenticate(people, me, peer, &hello.who)?;
    if let Err(problem) = shared.writable.check_root() {
        // This owner is about to end. "Unreachable" makes the client look for the next one.
        shared.stop.notify_one();
        return Err(Error {
            kind: ErrorKind::Unreachable,
            ..problem
        });
    }
    let place = shared.index.place(&hello.who)?;
    let place: Option<ResumePoint> = place.and_then(|text| serde_json::from_str(&text).ok());
    let config = shared.config();
    // Metadata errors are in the notices.
    let _ = shared.metadata.look(shared);
    let welcome = Welcome {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
        project: config.name.clone(),
        root: shared.project.root().to_path_buf(),
        rev: shared.items.ledger().rev(),
        items: shared.items.catalog().len() as u64,
        reasons: config.review.reasons.clone(),
        tags: config.review.tags.clone(),
        errors: config.review.errors.clone(),
        place,
        notices: shared.broadcast.notices().clone(),
    };
    if !outgoing
        .send(&[FromOwner::Welcome(Box::new(welcome))])
        .await
    {
        return Err(Error::unreachable("the client disconnected"));
    }
    Ok(hello.who)
}

fn check(hello: &Hello) -> Result<()> {
    if hello.protocol != PROTOCOL {
        return Err(Error::conflict(format!(
                "the owner uses protocol {PROTOCOL} (benchtop {}), but this client uses {} (benchtop {})",
                env!("CARGO_PKG_VERSION"),
                hello.protocol,
                hello.version
            ),
        )
        .help("stop the owner with the `benchtop stop` of its own version, then try again"));
    }
    name::check_annotator(&hello.who)
}
