use benchtop_model::ErrorKind;
use std::os::unix::fs::MetadataExt;

use super::*;

fn open(path: &Path) -> AppendLog {
    let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
    AppendLog::open(
        path,
        ValidPrefix {
            length,
            torn: false,
        },
    )
    .unwrap()
}

#[test]
fn torn_tails_do_not_overwrite_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    std::fs::write(dir.path().join("a.jsonl.torn"), "of an earlier version").unwrap();
    for n in 1..4 {
        std::fs::write(&path, format!("whole\ntorn {n}")).unwrap();
        drop(
            AppendLog::open(
                &path,
                ValidPrefix {
                    length: 6,
                    torn: true,
                },
            )
            .unwrap(),
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"whole\n");
        let aside = std::fs::read_to_string(dir.path().join(format!("a.jsonl.torn-{n}"))).unwrap();
        assert_eq!(aside, format!("torn {n}"));
    }
    assert_eq!(torn(&path).len(), 4);
    std::fs::write(dir.path().join("a.jsonl.torn-notes"), "mine").unwrap();
    remove_torn(&path).unwrap();
    assert!(torn(&path).is_empty() && dir.path().join("a.jsonl.torn-notes").exists());
}

/// A change that another program makes to an open file.
type Change = fn(&Path);

const CHANGES: [(&str, Change); 8] = [
    ("replaced by rename", |path| {
        std::fs::write(path.with_extension("new"), "another\n").unwrap();
        std::fs::rename(path.with_extension("new"), path).unwrap();
    }),
    ("replaced by a copy of itself", |path| {
        std::fs::copy(path, path.with_extension("new")).unwrap();
        std::fs::rename(path.with_extension("new"), path).unwrap();
    }),
    ("removed", |path| std::fs::remove_file(path).unwrap()),
    ("renamed", |path| {
        std::fs::rename(path, path.with_extension("old")).unwrap()
    }),
    ("its folder moved", |path| {
        let folder = path.parent().unwrap();
        std::fs::rename(folder, folder.with_extension("moved")).unwrap();
    }),
    ("its folder replaced by a link to it", |path| {
        let folder = path.parent().unwrap();
        std::fs::rename(folder, folder.with_extension("moved")).unwrap();
        std::os::unix::fs::symlink(folder.with_extension("moved"), folder).unwrap();
    }),
    ("cut", |path| {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_len(3)
            .unwrap()
    }),
    ("grown", |path| {
        File::options()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"theirs\n")
            .unwrap()
    }),
];

#[test]
fn append_fails_after_the_file_at_the_path_changed() {
    for (what, change) in CHANGES {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sessions");
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("a.jsonl");
        let mut file = open(&path);
        file.append(b"one\n", "no").unwrap();
        change(&path);
        let there = std::fs::read(&path).ok();
        let refused = file.append(b"two\n", "no").unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Io, "{what}: {refused}");
        assert!(file.must_reopen() && refused.help.is_some(), "{what}");
        assert_eq!(
            std::fs::read(&path).ok(),
            there,
            "{what}: the file at the path was written to"
        );
        assert!(file.append(b"three\n", "no").is_err(), "{what}");
    }
}

#[test]
fn a_change_between_write_and_sync_rolls_the_append_back() {
    for (what, change) in CHANGES.iter().filter(|(what, _)| *what != "cut") {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sessions");
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("a.jsonl");
        let mut file = open(&path);
        file.append(b"one\n", "no").unwrap();
        file.begin_append(b"two\n", "no").unwrap();
        let held = file.handle();
        change(&path);
        let synced = held.sync_data();
        assert_eq!(
            file.finish_append(synced, Duration::ZERO, "no")
                .unwrap_err()
                .kind,
            ErrorKind::Io,
            "{what}"
        );
        let mut kept = vec![0; held.metadata().unwrap().len() as usize];
        held.read_exact_at(&mut kept, 0).unwrap();
        // Lines with foreign bytes after them cannot be removed.
        let expected: &[u8] = if *what == "grown" {
            b"one\ntwo\ntheirs\n"
        } else {
            b"one\n"
        };
        assert_eq!(kept, expected, "{what}");
    }
}

#[test]
fn a_second_hard_link_is_counted_and_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let mut file = open(&path);
    file.append(b"one\n", "no").unwrap();
    assert_eq!(file.hard_links(), 1);
    std::fs::hard_link(&path, dir.path().join("backup")).unwrap();
    file.append(b"two\n", "no").unwrap();
    assert_eq!(file.hard_links(), 2);
    assert_eq!(std::fs::metadata(&path).unwrap().nlink(), 2);
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
}

#[test]
fn open_refuses_symlinks_and_changed_files() {
    let dir = tempfile::tempdir().unwrap();
    let (path, target) = (dir.path().join("a.jsonl"), dir.path().join("target"));
    std::fs::write(&target, "theirs").unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert_eq!(
        AppendLog::open(
            &path,
            ValidPrefix {
                length: 0,
                torn: true
            }
        )
        .unwrap_err()
        .kind,
        ErrorKind::Denied
    );
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "one\ntwo\n").unwrap();
    assert_eq!(
        AppendLog::open(
            &path,
            ValidPrefix {
                length: 4,
                torn: false
            }
        )
        .unwrap_err()
        .kind,
        ErrorKind::Io
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
}
