use super::*;
use crate::fixtures::item;

#[test]
fn values_stay_small_enough_to_avoid_blob_files() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(&dir.path().join("store")).unwrap();
    let mut columns = Columns::default();
    for n in 0..20_000 {
        columns
            .push(&item(
                n,
                &format!(
                    "{}-{}",
                    "a rather long name of a subtask".repeat(30),
                    n % 900
                ),
            ))
            .unwrap();
    }
    let names = columns.names.iter().map(|n| n.names.len() as u32).collect();
    let meta = Meta {
        schema: SCHEMA,
        rows: 20_000,
        names,
        ..Meta::default()
    };
    let frames: Vec<Frame> = (0..5000)
        .map(|n| Frame {
            offset: n << 40,
            length: u32::MAX,
        })
        .collect();
    index
        .write_catalog(
            &Catalog::new(columns),
            0,
            &[("a".into(), frames.clone())],
            &meta,
        )
        .unwrap();
    let mut overlay = StatusColumns::default();
    overlay.grow(20_000);
    for round in 0..5 {
        let blocks: Vec<usize> = (0..20_000 / BLOCK_ROWS).step_by(round + 1).collect();
        overlay.status[round * BLOCK_ROWS] = 1;
        index
            .write_checkpoint(&overlay, &blocks, round as u64, &JournalHashes::default())
            .unwrap();
    }
    assert_eq!(index.frames("a").unwrap(), frames);
    assert_eq!(index.columns(&meta).unwrap().names[1].names.len(), 901);
    drop(index);
    assert_eq!(
        std::fs::read_dir(dir.path().join("store/blobs"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn blocks_of_two_states_are_not_a_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(&dir.path().join("store")).unwrap();
    let mut overlay = StatusColumns::default();
    overlay.grow(3 * BLOCK_ROWS);
    index
        .write_checkpoint(
            &overlay,
            &[0, 1, 2],
            1,
            &JournalHashes {
                lengths: [7; 32],
                contents: [8; 32],
            },
        )
        .unwrap();
    let (checkpoint, read) = index.checkpoint(overlay.len()).unwrap().unwrap();
    assert_eq!(
        (checkpoint.rev, checkpoint.journals, &read),
        (1, [7; 32], &overlay)
    );
    overlay.status[BLOCK_ROWS] = 2;
    index
        .put(&key(b"stat/", 1), overlay.encode_block(1))
        .unwrap();
    assert_eq!(index.checkpoint(overlay.len()).unwrap(), None);
}

#[test]
fn open_does_not_recreate_a_missing_project() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("moved-away");
    assert_eq!(
        Index::open(&root.join("store")).err().unwrap().kind,
        ErrorKind::NotFound
    );
    assert!(!root.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn open_follows_a_store_that_is_moved_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let (root, moved) = (dir.path().join("project"), dir.path().join("moved"));
    std::fs::create_dir_all(root.join("store")).unwrap();
    let name = pinned(&root.join("store")).unwrap();
    std::fs::rename(&root, &moved).unwrap();
    let index = Index::open_in(&root.join("store"), &name).unwrap();
    index
        .put_as(
            b"meta",
            &Meta {
                schema: SCHEMA,
                ..Meta::default()
            },
        )
        .unwrap();
    index.sync().unwrap();
    assert!(moved.join("store/db").is_file());
    assert!(!root.exists(), "an empty project was recreated");
}

#[test]
fn open_waits_for_a_lock_that_is_released_in_a_moment() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    let before = Index::open(&path).unwrap();
    let held = File::open(path.join("db")).unwrap();
    drop(before);
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let release = std::thread::spawn(move || {
        std::thread::sleep(LOCK_PATIENCE / 4);
        drop(held);
    });
    assert!(Index::open(&path).is_ok());
    release.join().unwrap();
    let held = File::open(path.join("db")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(Index::open(&path).err().unwrap().kind, ErrorKind::Conflict);
}
