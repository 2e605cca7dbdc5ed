//! Metadata that cannot be read, and saves that fail.

use std::io::Write;

use benchtop::model::ErrorKind;
use benchtop::model::usage::{MetadataState, Save};
use benchtop::protocol::wire::request;
use benchtop::store::metadata;

use crate::support::{Bench, Mount, Need, dice, goes_on, root, skip, wait_until};

const ANIMAL: &str = "vocabularies/animal.txt";
const COLOR: &str = "vocabularies/color.txt";

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

#[test]
fn a_save_on_a_full_disk_changes_no_file_and_works_later() {
    if !root() {
        skip(Need::Root, "a small disk needs root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let Some(mount) = Mount::new(
        &["-t", "tmpfs", "-o", "size=8m", "tmpfs"],
        &dir.path().join("mnt"),
    ) else {
        return;
    };
    let bench = Bench::init(mount.at.join("project"));
    let client = bench.client("ann", |_| ());
    let state = client.ask(request::Metadata).unwrap();
    let mut filler = std::fs::File::create(mount.at.join("filler")).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while filler.write(&vec![0; size]).is_ok_and(|n| n > 0) {}
    }
    let before = bench.snapshot();
    // The first is small enough for a page that may be left; the second is not.
    let words: String = (0..200_000).map(|n| format!("w{n}\n")).collect();
    let saves = vec![
        change(&state, COLOR, "red\nblue\n"),
        change(&state, ANIMAL, &words),
    ];
    let problem = client
        .ask(request::SaveMetadata(saves.clone()))
        .unwrap_err();
    assert_eq!(problem.kind, ErrorKind::DiskFull, "{problem}");
    assert_eq!(bench.snapshot(), before);
    let again = client.ask(request::Metadata).unwrap();
    assert_eq!(again, state);
    drop(filler);
    std::fs::remove_file(mount.at.join("filler")).unwrap();
    // A small tmpfs counts freed pages per core and may be full a moment longer.
    let mut saved = None;
    wait_until("space for the save", || {
        let answer = client.ask(request::SaveMetadata(saves.clone()));
        let full = matches!(&answer, Err(e) if e.kind == ErrorKind::DiskFull);
        saved = (!full).then(|| answer.unwrap());
        saved.is_some()
    });
    assert!(
        saved
            .unwrap()
            .files
            .iter()
            .any(|f| f.name == ANIMAL && f.text == words)
    );
    client.close();
}

#[test]
fn a_killed_save_leaves_both_files_old_or_both_new() {
    let bench = Bench::new();
    let dir = bench.project().metadata();
    // Large enough that a kill can come in the middle.
    let text = |n: u64| format!("# {n}\n{}", "one more word for the list\n".repeat(8_000));
    let number = |text: &str| {
        text.lines()
            .next()
            .and_then(|l| l.strip_prefix("# ")?.parse::<u64>().ok())
    };
    let (mut finished, mut last) = (0, 0);
    let mut round = 0;
    while goes_on(round, 10, finished > 0) {
        bench.start_owner();
        let client = bench.client("ann", |_| ());
        let state = client.ask(request::Metadata).unwrap();
        let killing = std::thread::scope(|scope| {
            let saving = scope.spawn(|| {
                let mut state = state;
                for n in last + 1.. {
                    let saves = vec![
                        change(&state, COLOR, &text(n)),
                        change(&state, ANIMAL, &text(n)),
                    ];
                    match client.ask(request::SaveMetadata(saves)) {
                        Ok(saved) => state = saved,
                        Err(_) => return n,
                    }
                }
                0
            });
            std::thread::sleep(std::time::Duration::from_micros(
                10_000 + dice(round, 200_000),
            ));
            bench.kill_owner();
            saving.join().unwrap()
        });
        let state = metadata::read(&dir).unwrap();
        assert_eq!(state.unreadable, []);
        let of = |name: &str| {
            state
                .files
                .iter()
                .find(|f| f.name == name)
                .unwrap()
                .text
                .clone()
        };
        let (color, animal) = (of(COLOR), of(ANIMAL));
        if let Some(n) = number(&color) {
            assert_eq!(color, text(n));
            assert_eq!(
                animal, color,
                "round {round}: one file is new and the other old"
            );
            // The one that was not acknowledged may be in or not; the ones before it are.
            assert!(
                n == killing || n + 1 == killing,
                "round {round}: {n}, killed in {killing}"
            );
            last = n;
            finished += 1;
        }
        let left: Vec<_> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert!(
            !left.iter().any(|n| n.to_string_lossy().contains("save")),
            "{left:?}"
        );
        round += 1;
    }
    assert!(finished > 0, "no save came through in any round");
}
