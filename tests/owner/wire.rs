//! Right and wrong messages on the wire. The owner gives a reason, hangs up, and keeps serving others.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::Duration;

use benchtop::model::{Error, ErrorKind, Filter, Judgement, Seen, Status, Verdict};
use benchtop::protocol::Incoming;
use benchtop::protocol::wire::{
    Decide, Event, FRAME_LIMIT, FromOwner, Hello, MAGIC, PROTOCOL, PageRequest, ToOwner, request,
};
use uuid::Uuid;

use crate::support::{Bench, PATIENCE, verdict};

/// A connection that says whatever the test wants.
struct Raw(UnixStream);

impl Raw {
    fn new(bench: &Bench) -> Raw {
        let stream = UnixStream::connect(bench.root().join(".owner/socket")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Raw(stream)
    }

    fn greeted(bench: &Bench) -> Raw {
        let mut raw = Raw::new(bench);
        raw.say(&ToOwner::Hello(hello()));
        assert!(matches!(raw.hear(), Some(FromOwner::Welcome(_))));
        raw
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    fn frame(&mut self, body: &[u8]) {
        self.bytes(&[&(body.len() as u32).to_be_bytes(), body].concat());
    }

    fn say(&mut self, message: &ToOwner) {
        self.frame(&postcard::to_stdvec(message).unwrap());
    }

    /// The next message; `None` when the owner hung up.
    fn hear(&mut self) -> Option<FromOwner> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).ok()?;
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut body).ok()?;
        Some(postcard::from_bytes(&body).unwrap())
    }

    /// Why the owner refused; it must hang up after that.
    fn refused(&mut self) -> Error {
        let Some(FromOwner::Refused(problem)) = self.hear() else {
            panic!("not refused")
        };
        assert!(self.hear().is_none(), "the owner did not hang up");
        problem
    }
}

fn hello() -> Hello {
    Hello {
        magic: MAGIC,
        protocol: PROTOCOL,
        version: "test".into(),
        who: "raw".into(),
    }
}

fn judge(number: u32, verdict: Verdict, expected: Option<u64>) -> request::Decide {
    let judgement = Judgement::new(verdict, Seen::Script);
    request::Decide(Decide {
        uuid: Uuid::now_v7(),
        number,
        expected,
        judgement,
    })
}

#[test]
fn wrong_greetings_are_refused_and_the_owner_continues() {
    let bench = Bench::with_items(3);
    let pid = bench.pid();
    let mut raw = Raw::new(&bench);
    raw.say(&ToOwner::Hello(Hello {
        magic: *b"benchtip",
        ..hello()
    }));
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    let mut raw = Raw::new(&bench);
    raw.say(&ToOwner::Hello(Hello {
        protocol: PROTOCOL + 1,
        ..hello()
    }));
    let problem = raw.refused();
    assert_eq!(problem.kind, ErrorKind::Conflict);
    assert!(problem.help.unwrap().contains("benchtop stop"));
    let mut raw = Raw::new(&bench);
    raw.say(&ToOwner::Hello(Hello {
        who: "../../etc/passwd".into(),
        ..hello()
    }));
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    let mut raw = Raw::new(&bench);
    raw.frame(b"\xff\xff\xff\xff\xff\xff\xff\xff garbage");
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    let mut raw = Raw::new(&bench);
    raw.bytes(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n");
    assert_eq!(
        raw.refused().kind,
        ErrorKind::Usage,
        "HTTP is a frame of 1.2 GB"
    );
    let mut raw = Raw::new(&bench);
    raw.say(&ToOwner::Request(1, request::Status.into()));
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    assert_eq!(bench.pid(), pid);
}

#[test]
fn garbage_ends_only_its_own_connection() {
    let bench = Bench::with_items(3);
    let pid = bench.pid();
    let mut raw = Raw::greeted(&bench);
    raw.frame(&[0xee; 40]);
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    let mut raw = Raw::greeted(&bench);
    // In one write: the owner hangs up as soon as it has read the length.
    raw.bytes(&[&(FRAME_LIMIT as u32 + 1).to_be_bytes(), [0; 64].as_slice()].concat());
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    let mut raw = Raw::greeted(&bench);
    raw.say(&ToOwner::Hello(hello()));
    assert_eq!(raw.refused().kind, ErrorKind::Usage);
    // Half a frame, then silence for ever.
    let mut raw = Raw::greeted(&bench);
    raw.bytes(&1000u32.to_be_bytes());
    raw.bytes(&[1; 500]);
    drop(raw);
    let mut raw = Raw::new(&bench);
    raw.bytes(&[0, 0]);
    drop(raw);
    assert_eq!(bench.pid(), pid);
    crate::support::wait_until("the owner forgets them", || {
        bench.status()["owner"]["clients"] == 1
    });
}

#[test]
fn a_verdict_reaches_other_clients_as_an_event() {
    let bench = Bench::with_items(3);
    let (send, events) = mpsc::channel();
    let watcher = bench.client("ann", move |incoming| {
        if let Incoming::Event(event) = incoming {
            let _ = send.send(event);
        }
    });
    watcher
        .ask(request::Subscribe {
            since: watcher.welcome().rev,
        })
        .unwrap();
    let bob = bench.client("bob", |_| ());
    let receipt = bob.ask(judge(2, Verdict::Flag, None)).unwrap();
    let event = events.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        event,
        Event::Verdict {
            who: "bob".into(),
            receipt: receipt.clone()
        }
    );
    assert_eq!(receipt.status, Status::Flagged);
    // Who comes late is told to ask for what is on screen.
    let late = Raw::greeted(&bench);
    let mut late = late;
    late.say(&ToOwner::Request(1, request::Subscribe { since: 0 }.into()));
    let heard = [late.hear().unwrap(), late.hear().unwrap()];
    assert!(
        heard
            .iter()
            .any(|m| matches!(m, FromOwner::Event(Event::Resync))),
        "{heard:?}"
    );
}

#[test]
fn a_verdict_on_a_changed_item_is_a_conflict_with_a_name() {
    let bench = Bench::with_items(3);
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    let seen = ann.ask(request::Item(1)).unwrap();
    let first = bob.ask(judge(1, Verdict::Reject, Some(seen.rev))).unwrap();
    let problem = ann
        .ask(judge(1, Verdict::Accept, Some(seen.rev)))
        .unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Conflict);
    assert!(
        problem.what.contains("bob") && problem.what.contains("reject"),
        "{problem}"
    );
    ann.ask(judge(1, Verdict::Accept, Some(first.rev))).unwrap();
    assert_eq!(
        ann.ask(judge(9, Verdict::Accept, None)).unwrap_err().kind,
        ErrorKind::NotFound
    );
    assert_eq!(
        ann.ask(judge(0, Verdict::Accept, None)).unwrap_err().kind,
        ErrorKind::NotFound
    );
}

#[test]
fn a_client_that_never_reads_blocks_nobody() {
    let bench = Bench::with_items(400);
    let mut deaf: Vec<Raw> = (0..3).map(|_| Raw::greeted(&bench)).collect();
    for raw in &mut deaf {
        raw.say(&ToOwner::Request(0, request::Subscribe { since: 0 }.into()));
        raw.0
            .set_write_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        let page = PageRequest {
            generation: 1,
            filter: Filter::default(),
            sort: vec![],
            offset: 0,
            count: 400,
        };
        for number in 1..30_000 {
            let body = postcard::to_stdvec(&ToOwner::Request(
                number,
                request::Page(page.clone()).into(),
            ))
            .unwrap();
            let mut frame = (body.len() as u32).to_be_bytes().to_vec();
            frame.extend(body);
            // The owner stops listening to who does not read; then this end is full.
            if raw.0.write_all(&frame).is_err() {
                break;
            }
        }
    }
    // By id, so that every line needs an answer from a reading thread as well as a receipt from the writer.
    let lines: String = (0..300)
        .map(|n| format!("{{\"item\":\"set/{n}\",\"verdict\":\"accept\"}}\n"))
        .collect();
    let mut decider = bench.decider("bob");
    lines.lines().for_each(|line| assert!(decider.send(line)));
    for _ in 0..300 {
        assert_eq!(decider.receipt()["saved"], true);
    }
    assert_eq!(decider.finish().len(), 0);
    assert_eq!(bench.items().len(), 400);
    let status = bench.feed(
        ["decide", "--as", "cy"],
        &verdict(Uuid::now_v7(), 1, "flag"),
    );
    assert_eq!(status.code, 0);
    drop(deaf);
    crate::support::wait_until("the deaf are forgotten", || {
        bench.status()["owner"]["clients"] == 1
    });
}
