//! Metadata at the owner: reading, saving, watching, counting.

use std::sync::mpsc;

use benchtop::model::usage::{Impact, MetadataState, Save};
use benchtop::model::{ErrorKind, Filter, MetaFile, Status};
use benchtop::protocol::wire::{Event, request};
use benchtop::protocol::{Client, Incoming};

use crate::support::{Bench, PATIENCE, composed};

const ANIMAL: &str = "vocabularies/animal.txt";
const COLOR: &str = "vocabularies/color.txt";

/// A client, and the changes of metadata that it is told of.
fn watcher(bench: &Bench, who: &str) -> (Client, mpsc::Receiver<Event>) {
    let (send, events) = mpsc::channel();
    let client = bench.client(who, move |incoming| {
        if let Incoming::Event(event @ Event::Metadata) = incoming {
            let _ = send.send(event);
        }
    });
    client
        .ask(request::Subscribe {
            since: client.welcome().rev,
        })
        .unwrap();
    (client, events)
}

fn read(client: &Client) -> MetadataState {
    client.ask(request::Metadata).unwrap()
}

fn text(state: &MetadataState, name: &str) -> String {
    state
        .files
        .iter()
        .find(|f| f.name == name)
        .unwrap()
        .text
        .clone()
}

fn change(state: &MetadataState, name: &str, text: &str) -> Save {
    let base = state
        .files
        .iter()
        .find(|f| f.name == name)
        .map(|f| f.revision.clone());
    Save {
        name: name.into(),
        base,
        text: Some(text.into()),
    }
}

/// An animal that some of the items have, and how many have it.
fn some_animal(client: &Client) -> (String, u64) {
    let uses = client.ask(request::Terms("animal".into())).unwrap();
    let most = uses.iter().max_by_key(|u| u.items.all()).unwrap();
    (most.term.clone(), most.items.all())
}

fn without(state: &MetadataState, term: &str) -> String {
    text(state, ANIMAL).replace(&format!("\n{term}"), &format!("\n#- {term}"))
}

fn numbers(client: &Client, words: &str) -> Vec<u32> {
    let ask = request::Numbers(Filter::parse(words).unwrap(), vec![]);
    client.ask(ask).unwrap()
}

#[test]
fn concurrent_saves_conflict_and_merge_nothing() {
    let bench = Bench::new();
    let (ann, _) = watcher(&bench, "ann");
    let (bob, told) = watcher(&bench, "bob");
    let (first, theirs) = (read(&ann), read(&bob));
    assert_eq!(first, theirs);
    assert!(
        !first.shipped,
        "a new project has the shipped files as its own"
    );
    let save = change(&first, COLOR, "red\nblue\n");
    let saved = ann.ask(request::SaveMetadata(vec![save.clone()])).unwrap();
    assert_eq!(text(&saved, COLOR), "red\nblue\n");
    told.recv_timeout(PATIENCE).unwrap();
    let before = bench.snapshot();
    let both = vec![
        change(&theirs, ANIMAL, "owl\n"),
        change(&theirs, COLOR, "green\n"),
    ];
    let problem = bob.ask(request::SaveMetadata(both)).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Conflict);
    assert!(problem.place.file.unwrap().ends_with(COLOR) && problem.help.is_some());
    assert_eq!(bench.snapshot(), before);
    // The same save again, as after a lost connection: it is there, so it is done.
    assert!(ann.ask(request::SaveMetadata(vec![save])).is_ok());
    assert_eq!(bench.snapshot(), before);
    let odd = Save {
        name: "../benchtop.toml".into(),
        base: None,
        text: Some(String::new()),
    };
    assert_eq!(
        bob.ask(request::SaveMetadata(vec![odd])).unwrap_err().kind,
        ErrorKind::Input
    );
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn an_external_edit_is_announced_and_read() {
    let bench = Bench::new();
    let (ann, told) = watcher(&bench, "ann");
    let file = bench.root().join("metadata").join(COLOR);
    let bytes = read(&ann)
        .files
        .iter()
        .find(|f| f.name == COLOR)
        .unwrap()
        .text
        .clone()
        .into_bytes();
    // An editor that writes in place, one that renames over, a removal, and a new file.
    std::fs::write(&file, "red\n").unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(text(&read(&ann), COLOR), "red\n");
    std::fs::write(bench.beside("new"), "blu\n").unwrap();
    std::fs::rename(bench.beside("new"), &file).unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(text(&read(&ann), COLOR), "blu\n");
    std::fs::remove_file(&file).unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    assert!(read(&ann).files.iter().all(|f| f.name != COLOR));
    std::fs::write(&file, b"r\xffd\n").unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    let state = read(&ann);
    assert_eq!(
        (state.unreadable.len(), state.unreadable[0].file.as_str()),
        (1, COLOR)
    );
    std::fs::write(&file, &bytes).unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(read(&ann).unreadable, []);
    // A file that was only touched is the same metadata.
    std::fs::write(&file, &bytes).unwrap();
    read(&ann);
    assert!(told.try_recv().is_err());
}

#[test]
fn an_edit_reports_its_effect_before_and_after() {
    let bench = Bench::new();
    let file = bench.write("made.jsonl", composed(600, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let (ann, _) = watcher(&bench, "ann");
    let state = read(&ann);
    let (animal, count) = some_animal(&ann);
    assert!(count > 0);
    assert_eq!(numbers(&ann, "stale:no").len(), 600);
    let impact = |files: Vec<MetaFile>| -> Impact { ann.ask(request::Impact(files)).unwrap() };
    assert_eq!(
        impact(vec![]),
        Impact {
            composed: 600,
            ..Impact::default()
        }
    );
    let templates = text(&state, "templates.toml").replace("Your answer is:", "The answer is:");
    let edit = |name: &str, text: &str| {
        vec![MetaFile {
            name: name.into(),
            text: text.into(),
        }]
    };
    let stale = impact(edit("templates.toml", &templates));
    assert_eq!((stale.stale.all(), stale.gone.all()), (600, 0));
    let gone = impact(edit(ANIMAL, &without(&state, &animal)));
    assert!(gone.gone.all() >= count);
    assert_eq!(
        gone.causes,
        [(format!("animal `{animal}`"), gone.gone.all())]
    );
    assert_eq!(read(&ann), state, "asking changed a file");

    ann.ask(request::SaveMetadata(vec![change(
        &state,
        ANIMAL,
        &without(&state, &animal),
    )]))
    .unwrap();
    let lost = numbers(&ann, "stale:gone");
    assert_eq!(lost.len() as u64, gone.gone.all());
    assert_eq!(numbers(&ann, "stale:no").len(), 600 - lost.len());
    let item = ann.ask(request::Item(lost[0])).unwrap();
    assert_eq!(item.stale, Some(format!("gone: animal `{animal}`")));
    let fresh = numbers(&ann, "stale:no")[0];
    let item = ann.ask(request::Item(fresh)).unwrap();
    assert_eq!(item.stale, None);
    ann.ask(request::SaveMetadata(vec![change(
        &state,
        "templates.toml",
        &templates,
    )]))
    .unwrap();
    let item = ann.ask(request::Item(fresh)).unwrap();
    assert!(item.stale.unwrap().starts_with("stale: "));
    // What comes later is counted with the rest.
    let more = bench.write("more.jsonl", composed(60, 6));
    bench.run(["import", more.to_str().unwrap()]).ok();
    assert_eq!(impact(vec![]).composed, 660);
    bench.import_items("set", 0..10);
    assert_eq!(numbers(&ann, "stale:no").len(), 10);
}

#[test]
fn items_of_failing_terms_are_discarded_and_restored() {
    let bench = Bench::new();
    let file = bench.write("made.jsonl", composed(900, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let (ann, _) = watcher(&bench, "ann");
    let (animal, count) = some_animal(&ann);
    let terms = vec![("animal".to_string(), animal.clone())];
    let discard = |dry: bool| {
        ann.ask(request::Discard {
            terms: terms.clone(),
            dry,
        })
        .unwrap()
    };
    let counted = discard(true);
    assert_eq!((counted.items.all(), counted.rejected), (count, count));
    assert!(bench.verdicts().is_empty(), "a dry run decided");
    let done = discard(false);
    assert_eq!(done.rejected, count);
    assert_eq!(done.items.count(Status::Pending), count);
    let verdicts = bench.verdicts();
    assert_eq!(verdicts.len() as u64, count);
    let note = format!("vocabulary-pruned: animal `{animal}`");
    assert!(
        verdicts
            .iter()
            .all(|v| v["verdict"] == "reject" && v["note"] == note.as_str() && v["who"] == "ann")
    );
    assert_eq!(
        discard(false).rejected,
        0,
        "what is rejected is not rejected again"
    );
    let failing = ann.ask(request::Failing(1)).unwrap();
    assert!(
        failing
            .iter()
            .any(|f| f.term == animal && f.items.count(Status::Rejected) == count)
    );
    let listed = |words: String| {
        let numbers = ann
            .ask(request::Numbers(Filter::parse(&words).unwrap(), vec![]))
            .unwrap();
        numbers.len() as u64
    };
    assert_eq!(listed(format!("term:\"animal/{animal}\"")), count);
    assert_eq!(
        listed(format!("status:rejected term:\"animal/{animal}\"")),
        count
    );
    assert!(listed(format!("subject:animal shows:\"animal/{animal}\"")) > 0);
    assert_eq!(listed("subject:nothing".into()), 0);
    let grid = ann
        .ask(request::Grid {
            rows: "animal".into(),
            columns: "type".into(),
            filter: Filter::parse("status:rejected").unwrap(),
        })
        .unwrap();
    let held = grid
        .rows
        .iter()
        .filter(|(_, t)| t.all() > 0)
        .map(|(name, t)| (name.as_str(), t.all()));
    let total: u64 = held.map(|(_, n)| n).sum();
    assert_eq!(total, count);
    bench
        .run(["undo", "--as", "ann", "--count", &count.to_string()])
        .ok();
    assert!(bench.verdicts().is_empty());
}

#[test]
fn retiring_terms_is_atomic_and_reversible() {
    let bench = Bench::new();
    let file = bench.write("made.jsonl", composed(600, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let (ann, _) = watcher(&bench, "ann");
    let (animal, count) = some_animal(&ann);
    let terms = vec![("animal".to_string(), animal.clone())];
    let state = read(&ann);
    let (with, without) = (text(&state, ANIMAL), without(&state, &animal));
    let retire = |base: &MetadataState| {
        ann.ask(request::Retire {
            terms: terms.clone(),
            saves: vec![change(base, ANIMAL, &without)],
            discard: true,
        })
    };
    // Somebody else saved the list meanwhile: neither list nor verdicts change.
    let mut older = state.clone();
    older
        .files
        .iter_mut()
        .for_each(|f| f.revision = "0".repeat(16));
    assert_eq!(retire(&older).unwrap_err().kind, ErrorKind::Conflict);
    assert!(bench.verdicts().is_empty());
    let done = retire(&state).unwrap();
    assert_eq!(
        (done.verdicts, bench.verdicts().len() as u64),
        (count, count)
    );
    assert_eq!(
        (text(&done.state, ANIMAL), text(&read(&ann), ANIMAL)),
        (without.clone(), without.clone())
    );
    // After another verdict it is not the last step any more.
    let other = numbers(&ann, "status:pending")[0];
    bench
        .feed(
            ["decide", "--as", "ann"],
            &format!("{{\"item\":{other},\"verdict\":\"accept\"}}"),
        )
        .ok();
    let back = || {
        let saves = vec![change(&read(&ann), ANIMAL, &with)];
        ann.ask(request::Unretire {
            saves,
            revs: done.revs,
        })
    };
    assert_eq!(back().unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(
        (text(&read(&ann), ANIMAL), bench.verdicts().len() as u64),
        (without, count + 1)
    );
    bench.run(["undo", "--as", "ann"]).ok();
    let undone = back().unwrap();
    assert_eq!(
        (undone.verdicts, text(&undone.state, ANIMAL)),
        (count, with)
    );
    assert!(bench.verdicts().is_empty());
    assert_eq!(numbers(&ann, "stale:no").len(), 600);
}
