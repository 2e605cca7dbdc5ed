//! Comments at the socket: who may do what, what undo takes back, what others hear, and what a blind round hides.

use std::sync::{Arc, Mutex};

use benchtop::model::{Comment, CommentAct, ErrorKind, Filter, Mark, Status, Verdict};
use benchtop::protocol::wire::{CommentOn, Event, Receipt, request};
use benchtop::protocol::{Client, Incoming};
use uuid::Uuid;

use super::rounds::{decide, judgement, next, project};
use crate::support::{Bench, wait_until};

type Outcome<T> = Result<T, benchtop::model::Error>;

fn act(client: &Client, number: u32, act: CommentAct) -> Outcome<Receipt> {
    let uuid = Uuid::now_v7();
    client.ask(request::Comment(Box::new(CommentOn { uuid, number, act })))
}

fn write(client: &Client, number: u32, text: &str, reply_to: Option<Uuid>) -> Outcome<Uuid> {
    let (text, marks) = (text.to_string(), Vec::new());
    let written = CommentAct::Write {
        text,
        reply_to,
        marks,
    };
    act(client, number, written).map(|receipt| receipt.uuid)
}

fn thread(client: &Client, number: u32) -> Vec<Comment> {
    let thread = client.ask(request::Thread(number)).unwrap();
    thread
        .comments
        .into_iter()
        .map(|shown| shown.comment)
        .collect()
}

fn texts(client: &Client, number: u32) -> Vec<String> {
    thread(client, number).into_iter().map(|c| c.text).collect()
}

fn numbers(client: &Client, filter: &str) -> Vec<u32> {
    let filter = Filter::parse(filter).unwrap();
    client.ask(request::Numbers(filter, vec![])).unwrap()
}

#[test]
fn a_thread_survives_its_owner_and_undo_takes_back_one_step_at_a_time() {
    let bench = Bench::with_items(3);
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    let first = write(&ann, 2, "six fingers", None).unwrap();
    let reply = write(&bob, 2, "seven", Some(first)).unwrap();
    let resolved = true;
    act(
        &bob,
        2,
        CommentAct::Resolve {
            of: first,
            resolved,
        },
    )
    .unwrap();
    let edit = CommentAct::Edit {
        of: first,
        text: "five fingers".into(),
        marks: Vec::new(),
    };
    let receipt = act(&ann, 2, edit).unwrap();
    assert!(receipt.comment && !receipt.edit && receipt.status == Status::Pending);
    let shown = thread(&ann, 2);
    assert_eq!(texts(&ann, 2), ["five fingers", "seven"]);
    assert_eq!(shown[0].resolved.as_deref(), Some("bob"));
    assert_eq!((shown[1].reply_to, shown[1].uuid), (Some(first), reply));
    // A comment is no verdict: the item stays as it was, also for who is about to judge it.
    let view = ann.ask(request::Item(2)).unwrap();
    assert_eq!((view.rev, view.comments, view.standing.len()), (0, 2, 0));
    assert_eq!(numbers(&ann, "comments:resolved"), [2]);
    assert_eq!(numbers(&ann, "comment:FINGERS"), [2]);
    assert_eq!(numbers(&ann, "comment:"), [1, 3]);
    // Undo and redo, and a receipt that is sent twice.
    let undo = Uuid::now_v7();
    for _ in 0..2 {
        let receipt = ann.ask(request::Undo(undo)).unwrap();
        assert!(receipt.comment && receipt.number == 2);
    }
    assert_eq!(texts(&ann, 2), ["six fingers", "seven"]);
    ann.ask(request::Redo(Uuid::now_v7())).unwrap();
    assert_eq!(texts(&ann, 2), ["five fingers", "seven"]);
    bob.ask(request::Undo(Uuid::now_v7())).unwrap();
    assert_eq!(numbers(&ann, "comments:open"), [2]);
    let before = (thread(&ann, 2), bench.status()["rev"].clone());
    drop((ann, bob));
    bench.run(["stop"]).ok();
    let ann = bench.client("ann", |_| ());
    assert_eq!((thread(&ann, 2), bench.status()["rev"].clone()), before);
    // The kill keeps what was acknowledged.
    write(&ann, 3, "kept", None).unwrap();
    bench.kill_owner();
    let ann = bench.client("ann", |_| ());
    assert_eq!(texts(&ann, 3), ["kept"]);
    ann.ask(request::Undo(Uuid::now_v7())).unwrap();
    assert!(texts(&ann, 3).is_empty());
}

#[test]
fn only_the_author_changes_a_comment_and_invalid_ones_are_refused() {
    let bench = Bench::with_items(2);
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    let of = write(&ann, 1, "mine", None).unwrap();
    let kind = |outcome: Outcome<Receipt>| outcome.unwrap_err().kind;
    let edit = |text: &str, marks| CommentAct::Edit {
        of,
        text: text.into(),
        marks,
    };
    assert_eq!(kind(act(&bob, 1, edit("his", vec![]))), ErrorKind::Denied);
    assert_eq!(
        kind(act(&bob, 1, CommentAct::Delete { of })),
        ErrorKind::Denied
    );
    // On another item there is no such comment.
    assert_eq!(
        kind(act(&ann, 2, CommentAct::Delete { of })),
        ErrorKind::NotFound
    );
    assert_eq!(
        kind(act(&ann, 9, CommentAct::Delete { of })),
        ErrorKind::NotFound
    );
    assert_eq!(
        kind(act(&ann, 1, CommentAct::Undo { of })),
        ErrorKind::Usage
    );
    for (text, marks) in [
        (" ", vec![]),
        ("\u{1b}[2J", vec![]),
        ("x", vec![Mark::point(9, 0.5, 0.5)]),
    ] {
        let problem = act(&ann, 1, edit(text, marks)).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Input, "{text:?}");
        assert!(problem.place.field.is_some());
    }
    assert_eq!(texts(&ann, 1), ["mine"]);
    assert_eq!(bench.journals().len(), 1, "nothing of these was written");
    act(&ann, 1, CommentAct::Delete { of }).unwrap();
    assert!(texts(&bob, 1).is_empty() && numbers(&bob, "comments:yes").is_empty());
}

#[test]
fn others_hear_of_comments_unless_a_blind_round_hides_them() {
    let bench = project(
        "both-accept",
        &["--repeats", "0", "--probes", "0", "--as", "cem"],
    );
    let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
    let listener = |heard: &Arc<Mutex<Vec<Event>>>| {
        let heard = heard.clone();
        move |incoming| {
            if let Incoming::Event(event) = incoming {
                heard.lock().unwrap().push(event);
            }
        }
    };
    let blind: Arc<Mutex<Vec<Event>>> = Arc::default();
    let ann = bench.client("ann", listener(&blind));
    let cem = bench.client("cem", listener(&heard));
    for client in [&ann, &cem] {
        client.ask(request::Subscribe { since: u64::MAX }).unwrap();
    }
    let bob = bench.client("bob", |_| ());
    let hidden = write(&bob, 1, "zebra", None).unwrap();
    let from = |events: &Arc<Mutex<Vec<Event>>>, name: &str| {
        let events = events.lock().unwrap();
        events
            .iter()
            .any(|e| matches!(e, Event::Comment { who, .. } if who == name))
    };
    wait_until("cem to hear of it", || from(&heard, "bob"));
    // Ann sees neither the comment nor how many there are, and cannot answer it.
    assert!(texts(&ann, 1).is_empty() && numbers(&ann, "comments:yes").is_empty());
    assert_eq!(ann.ask(request::Item(1)).unwrap().comments, 0);
    let answer = write(&ann, 1, "a horse", Some(hidden)).unwrap_err();
    assert_eq!(answer.kind, ErrorKind::NotFound);
    // Her own she sees, and cem sees both.
    write(&ann, 1, "a horse", None).unwrap();
    assert_eq!(texts(&ann, 1), ["a horse"]);
    assert_eq!(texts(&cem, 1), ["zebra", "a horse"]);
    wait_until("ann to hear of her own", || from(&blind, "ann"));
    assert!(!from(&blind, "bob"));
    // Once her verdict is in, the thread is open.
    next(&ann, "first");
    decide(&ann, 1, judgement("first", Verdict::Accept, "")).unwrap();
    assert_eq!(texts(&ann, 1), ["zebra", "a horse"]);
}

#[test]
fn own_comments_do_not_tell_that_an_item_comes_again() {
    let bench = Bench::with_items(60);
    let args =
        "round new first --protocol single --people ann --calibration 0 --probes 0 --repeats 20%";
    bench.run(args.split(' ')).ok();
    let ann = bench.client("ann", |_| ());
    let mut seen = std::collections::BTreeSet::new();
    let mut repeats = 0;
    while let benchtop::model::round::state::NextAssignment::Item(served) = next(&ann, "first") {
        let number = served.number;
        assert!(
            texts(&ann, number).is_empty(),
            "#{number} tells that it is a repeat"
        );
        repeats += u32::from(!seen.insert(number));
        write(&ann, number, "mine", None).unwrap();
        assert_eq!(
            texts(&ann, number),
            ["mine"],
            "what she writes now she sees"
        );
        decide(&ann, number, judgement("first", Verdict::Accept, "")).unwrap();
    }
    assert!(repeats > 0, "an item came again");
}

#[test]
fn a_client_cannot_mark_its_comment_as_imported() {
    let bench = Bench::with_items(2);
    let ann = bench.client("ann", |_| ());
    let forged = CommentAct::Import {
        text: "bob said so".into(),
        reply_to: None,
        marks: Vec::new(),
    };
    let problem = act(&ann, 1, forged).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Denied);
    assert!(thread(&ann, 1).is_empty());
    write(&ann, 1, "six fingers", None).unwrap();
    assert!(!thread(&ann, 1)[0].imported);
}
