//! Tests of opening intact, missing, outdated, and damaged stores.

use super::super::journal::Journal;
use super::super::segment::{FRAME_ROWS, Writer};
use super::*;
use crate::columns::BLOCK_ROWS;
use crate::fixtures::item;
use crate::manifest::Content;
use benchtop_model::{Act, Decision, Field, Item, Judgement, Seen, Status, Verdict};

/// Opens the project. sled releases its lock on a thread, so the previous owner may still hold it.
fn reopen(root: &Path) -> OpenData {
    let project = Project::open(root).unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    loop {
        match open(&project) {
            Err(problem)
                if problem.kind == ErrorKind::Conflict && std::time::Instant::now() < until =>
            {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            result => return result.unwrap(),
        }
    }
}

pub(crate) fn fill(root: &Path, from: i64, to: i64) -> OpenData {
    fill_in(root, from, to, FRAME_ROWS)
}

fn fill_in(root: &Path, from: i64, to: i64, frame_rows: usize) -> OpenData {
    fill_as(root, (from, to), frame_rows, &format!("{from}.jsonl.zst"))
}

/// Like [`fill`], with a name for the segment.
pub(crate) fn fill_named(root: &Path, from: i64, to: i64, file: &str) -> OpenData {
    fill_as(root, (from, to), FRAME_ROWS, file)
}

fn fill_as(root: &Path, (from, to): (i64, i64), frame_rows: usize, file: &str) -> OpenData {
    let project = Project::open(root)
        .or_else(|_| Project::init(root))
        .unwrap();
    let mut opened = reopen(root);
    let mut columns = opened.catalog.columns().clone();
    let mut writer = Writer::create(&project.imports())
        .unwrap()
        .in_frames_of(frame_rows);
    for n in from..to {
        let item = item(n, ["animal", "plant"][n as usize % 2]);
        columns.push(&item).unwrap();
        writer.push(&item).unwrap();
    }
    let file = file.to_string();
    let done = writer.finish(&file).unwrap();
    let part = Segment {
        file,
        holds: Content::Items {
            dataset: "set".into(),
        },
        rows: done.rows,
        duplicates: 0,
        bytes: done.bytes,
        blake3: done.blake3,
        source: "made".into(),
        source_blake3: String::new(),
    };
    let fresh = vec![FinishedSegment {
        part,
        frames: done.frames,
        rows: None,
    }];
    let (catalog, notice) = add_import(
        &project,
        opened.index.get().unwrap(),
        &opened.catalog,
        columns,
        fresh,
        "now",
    )
    .unwrap();
    assert_eq!(notice, None);
    opened.catalog = catalog;
    opened
}

fn judge(root: &Path, n: i64) {
    let decision = Decision {
        uuid: uuid::Uuid::from_u128(n as u128),
        rev: n as u64,
        at: 5,
        who: "ann".into(),
        item: format!("set/{n}"),
        on: None,
        act: Act::Judge(Judgement::new(Verdict::Accept, Seen::Script)),
    };
    Journal::open(&root.join("sessions"), "ann")
        .unwrap()
        .append(&[decision])
        .unwrap();
}

#[test]
fn a_deleted_store_is_rebuilt_with_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill(dir.path(), 0, 5000));
    judge(dir.path(), 4999);
    let project = Project::open(dir.path()).unwrap();
    let before = reopen(project.root());
    assert!(before.notices.is_empty(), "{:?}", before.notices);
    let item = before.catalog.item(4999).unwrap();
    let columns = before.catalog.columns().clone();
    drop(before);
    std::fs::remove_dir_all(project.store()).unwrap();
    let after = reopen(project.root());
    assert_eq!(after.notices.len(), 1, "{:?}", after.notices);
    assert_eq!(after.catalog.item(4999).unwrap(), item);
    assert_eq!(after.catalog.columns().codes, columns.codes);
    assert_eq!(after.overlay.status(4999), Status::Accepted);
    assert_eq!(after.catalog.row_of("set/17").unwrap(), Some(17));
    assert_eq!(after.catalog.row_of("set/x").unwrap(), None);
}

#[test]
fn a_second_import_adds_to_the_first() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill(dir.path(), 0, 300));
    drop(fill(dir.path(), 300, 5000));
    let opened = reopen(dir.path());
    assert!(opened.notices.is_empty());
    assert_eq!(opened.catalog.len(), 5000);
    assert_eq!(opened.catalog.item(300).unwrap().id, "set/300");
    assert_eq!(
        opened.catalog.columns().value(Field::Subtask, 4999),
        "plant"
    );
    let mut seen = 0;
    let each = &mut |row: usize, line: &[u8]| {
        let item: Item = serde_json::from_slice(line).unwrap();
        assert_eq!(item.id, format!("set/{row}"));
        seen += 1;
        Ok(true)
    };
    opened.catalog.each_line(0, each).unwrap();
    assert_eq!(seen, 5000);
}

#[test]
fn text_columns_are_counted_and_described_from_the_segments() {
    use super::super::query::{describe, frequency, matching_cells};
    use benchtop_model::table::Match;
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, 600);
    let mut overlay = StatusColumns::default();
    overlay.grow(600);
    let rows: Vec<u32> = (100..600).rev().collect();
    let summaries = describe(&opened.catalog, &overlay, &rows).unwrap();
    let of = |field: Field| summaries.iter().find(|s| s.column == field.name()).unwrap();
    assert_eq!((of(Field::Id).present, of(Field::Id).distinct), (500, 500));
    assert_eq!(
        (of(Field::Id).min.as_str(), of(Field::Id).max.as_str()),
        ("set/100", "set/599")
    );
    assert_eq!(of(Field::Question).top, "What is number 100?");
    assert_eq!(
        (of(Field::Subtask).distinct, of(Field::Number).min.as_str()),
        (2, "101")
    );
    let counted = frequency(&opened.catalog, &overlay, &rows, Field::Question).unwrap();
    assert_eq!((counted.rows.len(), counted.total), (500, 500));
    let found = matching_cells(
        &opened.catalog,
        &overlay,
        &rows,
        Field::Id,
        &Match::Regex("/59[01]$".into()),
    )
    .unwrap();
    assert_eq!(found, [591, 592]);
}

/// All notices, including those of the background thread.
fn all_notices(opened: &OpenData) -> Vec<String> {
    opened.index.get().unwrap();
    [opened.notices.clone(), opened.index.notices()].concat()
}

/// Opens the project and checks the number of items, the accepted items, and sled. Returns all
/// notices.
fn check(root: &Path, rows: usize, accepted: &[usize]) -> Vec<String> {
    let opened = reopen(root);
    assert_eq!((opened.catalog.len(), opened.overlay.len()), (rows, rows));
    assert_eq!(
        opened.catalog.item(rows - 1).unwrap().id,
        format!("set/{}", rows - 1)
    );
    assert_eq!(
        opened.catalog.columns().value(Field::Subtask, rows - 1),
        ["animal", "plant"][(rows - 1) % 2]
    );
    let found: Vec<usize> = (0..rows)
        .filter(|row| opened.overlay.status(*row) == Status::Accepted)
        .collect();
    assert_eq!(found, accepted);
    let index = opened.index.get().unwrap();
    let meta = index.meta().unwrap();
    assert_eq!(
        index.columns(&meta).unwrap().id_hash,
        opened.catalog.columns().id_hash
    );
    all_notices(&opened)
}

/// Exits like an owner.
fn leave(opened: &OpenData, root: &Path, rev: u64) {
    let journals = super::journals(&Project::open(root).unwrap()).unwrap();
    let blocks: Vec<usize> = (0..opened.overlay.len().div_ceil(BLOCK_ROWS)).collect();
    opened
        .index
        .write_checkpoint(&opened.overlay, &blocks, rev, &journals)
        .unwrap();
    opened
        .index
        .write_snapshot(&opened.overlay, &journals)
        .unwrap();
}

/// A project of 3000 items, one of them accepted, with current snapshots and sled.
fn closed_project(root: &Path) {
    drop(fill(root, 0, 3000));
    judge(root, 2999);
    leave(&reopen(root), root, 2999);
}

#[test]
fn a_damaged_store_is_renamed_and_rebuilt() {
    for snapshots in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        closed_project(dir.path());
        let db = dir.path().join("store/index/db");
        for damage in 0..4 {
            if !snapshots {
                std::fs::remove_file(column_snapshots::columns_path(&dir.path().join("store")))
                    .unwrap();
            }
            let mut bytes = std::fs::read(&db).unwrap();
            let middle = bytes.len() / 4 * damage;
            bytes[middle..]
                .iter_mut()
                .step_by(3)
                .for_each(|b| *b ^= 0x5a);
            std::fs::write(&db, &bytes).unwrap();
            let notices = check(dir.path(), 3000, &[2999]);
            // Later damage may hit only bytes that sled does not use.
            let renamed = dir.path().join("store/index.broken-1").is_dir();
            assert!(renamed, "damage {damage}: {notices:?}");
        }
        assert!(dir.path().join("store/index.broken-1").is_dir());
        assert_eq!(check(dir.path(), 3000, &[2999]), [""; 0]);
    }
}

#[test]
fn a_missing_index_is_rebuilt_behind_current_snapshots() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    for entry in std::fs::read_dir(dir.path().join("store/index")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else if path.extension() != Some("snap".as_ref()) {
            std::fs::remove_file(path).unwrap();
        }
    }
    let notices = check(dir.path(), 3000, &[2999]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(check(dir.path(), 3000, &[2999]), [""; 0]);
}

#[test]
fn snapshots_and_sled_have_the_same_content() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    let project = Project::open(dir.path()).unwrap();
    let store = project.store();
    let manifest = Manifest::read(&project.imports()).unwrap();
    let parts: Vec<&Segment> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let segments = segments(parts.iter().copied());
    let snapped = from_snapshot(&project, &parts, &segments).unwrap();
    let index = Index::open(&project.index()).unwrap();
    let stored = from_index(&index, &project, &parts, &segments)
        .unwrap()
        .unwrap();
    assert_eq!(snapped.columns().id_hash, stored.columns().id_hash);
    assert_eq!(snapped.columns().codes, stored.columns().codes);
    assert_eq!(snapped.columns().kind, stored.columns().kind);
    let frames = |c: &Catalog| {
        c.segments()
            .flat_map(|s| s.frames.to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(frames(&snapped), frames(&stored));
    // Another process has sled open, so opening fails even with current snapshots.
    assert_eq!(open(&project).err().unwrap().kind, ErrorKind::Conflict);
    let journals = super::journals(&project).unwrap();
    let statuses =
        column_snapshots::read_statuses(&store, &moment(&journals.lengths, &segments), 3000)
            .unwrap()
            .overlay;
    assert_eq!(index.checkpoint(3000).unwrap().unwrap().1, statuses);
}

#[test]
fn damaged_snapshots_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    let store = dir.path().join("store");
    for path in [
        column_snapshots::columns_path(&store),
        column_snapshots::statuses_path(&store),
    ] {
        let whole = std::fs::read(&path).unwrap();
        for at in [0, 20, 45, 50, 57, 70, whole.len() / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let notices = check(dir.path(), 3000, &[2999]);
            assert!(notices.len() <= 1, "byte {at}: {notices:?}");
            assert!(!dir.path().join("store/index.broken-1").exists());
        }
        for length in [0, 63, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            check(dir.path(), 3000, &[2999]);
        }
        std::fs::write(&path, whole).unwrap();
    }
    assert_eq!(check(dir.path(), 3000, &[2999]), [""; 0]);
}

#[test]
fn missing_and_outdated_snapshots_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    let store = dir.path().join("store");
    let (columns, statuses) = (
        column_snapshots::columns_path(&store),
        column_snapshots::statuses_path(&store),
    );
    let old = [&columns, &statuses].map(|p| std::fs::read(p).unwrap());
    std::fs::remove_file(&columns).unwrap();
    std::fs::remove_file(&statuses).unwrap();
    assert_eq!(check(dir.path(), 3000, &[2999]), [""; 0]);
    assert_eq!(
        std::fs::read(&columns).unwrap(),
        old[0],
        "it is written again"
    );
    // An import and a verdict later.
    drop(fill(dir.path(), 3000, 3500));
    judge(dir.path(), 7);
    std::fs::write(&columns, &old[0]).unwrap();
    std::fs::write(&statuses, &old[1]).unwrap();
    assert_eq!(check(dir.path(), 3500, &[7, 2999]), [""; 0]);
    // A verdict later than both checkpoints.
    leave(&reopen(dir.path()), dir.path(), 3000);
    assert!(reopen(dir.path()).ledger.is_none());
    judge(dir.path(), 8);
    assert_eq!(check(dir.path(), 3500, &[7, 8, 2999]), [""; 0]);
}

#[test]
fn an_outdated_index_is_rebuilt_behind_current_snapshots() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    let store = dir.path().join("store/index");
    let old = std::fs::read(store.join("db")).unwrap();
    drop(fill(dir.path(), 3000, 3500));
    std::fs::write(store.join("db"), old).unwrap();
    for entry in std::fs::read_dir(&store).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("snap.") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let notices = check(dir.path(), 3500, &[2999]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(check(dir.path(), 3500, &[2999]), [""; 0]);
}

#[test]
fn segments_in_frames_of_256_rows_still_open() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill_in(dir.path(), 0, 1000, 256));
    drop(fill(dir.path(), 1000, 1500));
    for way in ["snapshot", "sled", "rebuilt"] {
        let store = dir.path().join("store");
        match way {
            "sled" => std::fs::remove_file(column_snapshots::columns_path(&store)).unwrap(),
            "rebuilt" => std::fs::remove_dir_all(&store).unwrap(),
            _ => {}
        }
        let opened = reopen(dir.path());
        let sizes: Vec<usize> = opened.catalog.segments().map(|s| s.frame_rows).collect();
        assert_eq!(sizes, [256, FRAME_ROWS], "{way}");
        for row in [0, 63, 64, 255, 256, 767, 999, 1000, 1063, 1064, 1499] {
            assert_eq!(
                opened.catalog.item(row).unwrap().id,
                format!("set/{row}"),
                "{way}"
            );
        }
        let mut seen = 0;
        let each = &mut |row: usize, line: &[u8]| {
            assert_eq!(
                (row, serde_json::from_slice::<Item>(line).unwrap().id),
                (seen, format!("set/{seen}"))
            );
            seen += 1;
            Ok(true)
        };
        opened.catalog.each_line(0, each).unwrap();
        assert_eq!(seen, 1500, "{way}");
    }
}

#[test]
fn resume_points_survive_a_clean_exit_and_old_ones_do_not_return_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    closed_project(dir.path());
    let project = Project::open(dir.path()).unwrap();
    let place = || reopen(project.root()).index.place("ann").unwrap();
    let opened = reopen(project.root());
    opened.index.set_place("ann", "one").unwrap();
    leave(&opened, dir.path(), 2999);
    drop(opened);
    assert_eq!(place().as_deref(), Some("one"));
    let opened = reopen(project.root());
    opened.index.set_place("ann", "two").unwrap();
    opened.index.get().unwrap().sync().unwrap();
    drop(opened);
    assert!(!column_snapshots::statuses_path(&project.store()).exists());
    assert_eq!(place().as_deref(), Some("two"));
    leave(&reopen(project.root()), dir.path(), 2999);
    assert!(column_snapshots::statuses_path(&project.store()).exists());
    assert_eq!(place().as_deref(), Some("two"));
}

#[test]
fn a_current_checkpoint_avoids_the_fold_and_an_outdated_one_is_ignored() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill(dir.path(), 0, 10));
    judge(dir.path(), 3);
    let project = Project::open(dir.path()).unwrap();
    let opened = reopen(project.root());
    opened
        .index
        .write_checkpoint(
            &opened.overlay,
            &[0],
            3,
            &super::journals(&project).unwrap(),
        )
        .unwrap();
    drop(opened);
    let opened = reopen(project.root());
    assert!(opened.ledger.is_none());
    assert_eq!(opened.overlay.status(3), Status::Accepted);
    drop(opened);
    judge(dir.path(), 4);
    let opened = reopen(project.root());
    assert!(opened.ledger.is_some());
    assert_eq!(opened.overlay.status(4), Status::Accepted);
}

/// Sets the question of these items to `text`, as revision `rev` of the project.
fn revise(root: &Path, numbers: &[i64], text: &str, rev: u64, keeps: bool) {
    let project = Project::open(root).unwrap();
    let opened = reopen(project.root());
    let mut columns = opened.catalog.columns().clone();
    let mut writer = Writer::create(&project.imports()).unwrap();
    let mut rows = Vec::new();
    for n in numbers {
        let row = opened.catalog.row_of(&format!("set/{n}")).unwrap().unwrap();
        let mut item = opened.catalog.item(row as usize).unwrap();
        item.question = text.into();
        item.subtask = Some("rewritten".into());
        columns.replace(row as usize, &item).unwrap();
        writer.push(&item).unwrap();
        rows.push(row);
    }
    let file = format!("r{rev}.jsonl.zst");
    let done = writer.finish(&file).unwrap();
    let part = Segment {
        file,
        holds: Content::Revisions {
            rev,
            keeps,
            edit: None,
        },
        rows: done.rows,
        duplicates: 0,
        bytes: done.bytes,
        blake3: done.blake3,
        source: "revised".into(),
        source_blake3: String::new(),
    };
    let fresh = vec![FinishedSegment {
        part,
        frames: done.frames,
        rows: Some(rows),
    }];
    let (_, notice) = add_import(
        &project,
        opened.index.get().unwrap(),
        &opened.catalog,
        columns,
        fresh,
        "now",
    )
    .unwrap();
    assert_eq!(notice, None);
}

#[test]
fn a_revised_item_keeps_its_row_and_loses_its_earlier_verdicts() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill(dir.path(), 0, 1000));
    judge(dir.path(), 1);
    judge(dir.path(), 2);
    judge(dir.path(), 3);
    revise(dir.path(), &[1, 700], "first", 4, false);
    revise(dir.path(), &[2, 700], "second", 5, true);
    drop(fill(dir.path(), 1000, 1100));
    let project = Project::open(dir.path()).unwrap();
    let check = |opened: &OpenData| {
        let catalog = &opened.catalog;
        assert_eq!(catalog.len(), 1100);
        assert_eq!(catalog.item(1).unwrap().question, "first");
        assert_eq!(catalog.item(700).unwrap().question, "second");
        assert_eq!(catalog.row_of("set/700").unwrap(), Some(700));
        assert_eq!(catalog.columns().value(Field::Subtask, 700), "rewritten");
        assert_eq!(catalog.columns().value(Field::Subtask, 701), "plant");
        let mut seen = Vec::new();
        catalog
            .each_line(650, &mut |row, line| {
                let item: Item = serde_json::from_slice(line).unwrap();
                assert_eq!(item.id, format!("set/{row}"));
                seen.extend((item.question == "second").then_some(row));
                Ok(row < 1050)
            })
            .unwrap();
        assert_eq!(seen, [700]);
        // The verdict on the earlier text of #1 is void, the one on #2 is kept, and the one on #3
        // is not affected.
        let status = |row: usize| opened.overlay.status(row);
        assert_eq!(
            (status(1), status(2), status(3)),
            (Status::Pending, Status::Accepted, Status::Accepted)
        );
        assert!(opened.notices.len() <= 1, "{:?}", opened.notices);
    };
    check(&reopen(project.root()));
    // From sled alone, then from the source files alone.
    std::fs::remove_file(column_snapshots::columns_path(&project.store())).unwrap();
    check(&reopen(project.root()));
    std::fs::remove_dir_all(project.store()).unwrap();
    check(&reopen(project.root()));
    check(&reopen(project.root()));
}

#[test]
fn a_void_verdict_cannot_be_undone_and_a_later_one_counts() {
    let dir = tempfile::tempdir().unwrap();
    drop(fill(dir.path(), 0, 10));
    judge(dir.path(), 1);
    revise(dir.path(), &[1], "again", 2, false);
    let project = Project::open(dir.path()).unwrap();
    let opened = reopen(project.root());
    let (ledger, _) = load_ledger(&project, &opened.catalog, &Pictures::default()).unwrap();
    assert_eq!((ledger.rev(), ledger.row_rev(1)), (2, 2));
    assert_eq!(ledger.undoable("ann"), None);
    assert!(ledger.effective_verdicts(1).is_empty());
    drop(opened);
    judge(dir.path(), 3);
    let decision = Decision {
        uuid: uuid::Uuid::from_u128(99),
        rev: 4,
        at: 5,
        who: "ann".into(),
        item: "set/1".into(),
        on: None,
        act: Act::Judge(Judgement::new(Verdict::Reject, Seen::Script)),
    };
    Journal::open(&dir.path().join("sessions"), "ann")
        .unwrap()
        .append(&[decision])
        .unwrap();
    let opened = reopen(project.root());
    assert_eq!(opened.overlay.status(1), Status::Rejected);
    let (ledger, _) = load_ledger(&project, &opened.catalog, &Pictures::default()).unwrap();
    assert_eq!(ledger.effective_verdicts(1).len(), 1);
}
