//! Tests of reading and saving under adverse conditions.

use benchtop_model::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::save::{Step, rename};
use super::*;
use benchtop_model::usage::Save;

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("metadata");
    fs::create_dir_all(dir.join(VOCABULARIES)).unwrap();
    for (name, text) in files {
        fs::write(dir.join(name), text).unwrap();
    }
    (root, dir)
}

fn change(state: &MetadataState, name: &str, text: Option<&str>) -> Save {
    let base = state
        .files
        .iter()
        .find(|f| f.name == name)
        .map(|f| f.revision.clone());
    Save {
        name: name.into(),
        base,
        text: text.map(String::from),
    }
}

fn all(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for dir in [dir.to_path_buf(), dir.join(VOCABULARIES)] {
        for entry in fs::read_dir(&dir)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.is_file())
        {
            found.push((entry.display().to_string(), fs::read(&entry).unwrap()));
        }
    }
    found.sort();
    found
}

const VOCABULARIES: &str = "vocabularies";
const CAT: &str = "vocabularies/animal.txt";
const RED: &str = "vocabularies/color.txt";

#[test]
fn files_are_read_in_order_and_unreadable_files_become_findings() {
    let (root, dir) = folder(&[
        (RED, "red\n"),
        (CAT, "cat\n"),
        ("styles.toml", ""),
        ("README.md", "no"),
    ]);
    fs::write(dir.join("vocabularies/bad.txt"), b"owl\nm\xfcller\n").unwrap();
    fs::write(dir.join("vocabularies/notes.md"), "no").unwrap();
    fs::write(dir.join("vocabularies/.hidden.txt"), "no").unwrap();
    fs::create_dir(dir.join("vocabularies/folder.txt")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret\n").unwrap();
    symlink(
        outside.path().join("secret"),
        dir.join("vocabularies/out.txt"),
    )
    .unwrap();
    symlink(root.path().join("none"), dir.join("vocabularies/lost.txt")).unwrap();
    fs::write(root.path().join("mine.txt"), "mine\n").unwrap();
    symlink("../../mine.txt", dir.join("vocabularies/linked.txt")).unwrap();
    let pipe = dir.join("vocabularies/pipe.txt");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let large = File::create(dir.join("vocabularies/large.txt")).unwrap();
    large.set_len(100 << 20).unwrap();
    let state = read(&dir).unwrap();
    let names: Vec<_> = state.files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["styles.toml", CAT, RED, "vocabularies/linked.txt"]);
    assert_eq!(state.files[1].revision, revision(b"cat\n"));
    assert!(!state.shipped);
    let unreadable: Vec<_> = state
        .unreadable
        .iter()
        .map(|f| (f.file.as_str(), f.line))
        .collect();
    assert_eq!(
        unreadable,
        [
            ("vocabularies/bad.txt", 2),
            ("vocabularies/folder.txt", 0),
            ("vocabularies/large.txt", 0),
            ("vocabularies/lost.txt", 0),
            ("vocabularies/out.txt", 0),
            ("vocabularies/pipe.txt", 0),
        ]
    );
}

#[test]
fn the_number_and_total_size_of_files_are_limited() {
    let (_root, dir) = folder(&[]);
    for n in 0..FILES + 7 {
        fs::write(dir.join(format!("vocabularies/v{n:04}.txt")), "a\n").unwrap();
    }
    let state = read(&dir).unwrap();
    assert_eq!((state.files.len(), state.unreadable.len()), (FILES, 1));
    assert_eq!(
        state.unreadable[0].file,
        format!("vocabularies/v{FILES:04}.txt")
    );
    let (_root, dir) = folder(&[]);
    for n in 0..2 {
        fs::write(
            dir.join(format!("vocabularies/v{n}.txt")),
            vec![b'a'; 7 << 20],
        )
        .unwrap();
    }
    let state = read(&dir).unwrap();
    assert_eq!((state.files.len(), state.unreadable.len()), (1, 1));
    let more = Save {
        name: CAT.into(),
        base: None,
        text: Some("x".into()),
    };
    let before = all(&dir);
    assert_eq!(save(&dir, &[more]).unwrap_err().kind, ErrorKind::Input);
    assert_eq!(all(&dir), before);
}

#[test]
fn an_empty_folder_reads_as_the_shipped_files_until_the_first_save() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("metadata");
    let state = read(&dir).unwrap();
    assert!(state.shipped && state.files.iter().any(|f| f.name == CAT));
    let new = Save {
        name: CAT.into(),
        base: None,
        text: Some("x\n".into()),
    };
    assert_eq!(save(&dir, &[new]).unwrap_err().kind, ErrorKind::Conflict);
    assert!(!dir.exists(), "a refused save created the folder");
    let saved = save(
        &dir,
        &[
            change(&state, CAT, Some("cat\n")),
            change(&state, RED, None),
        ],
    )
    .unwrap();
    assert!(!saved.shipped);
    assert_eq!(saved.files.len(), state.files.len() - 1);
    let of = |name: &str| {
        saved
            .files
            .iter()
            .find(|f| f.name == name)
            .map(|f| f.text.as_str())
    };
    assert_eq!((of(CAT), of(RED)), (Some("cat\n"), None));
    assert_eq!(
        of("styles.toml"),
        state
            .files
            .iter()
            .find(|f| f.name == "styles.toml")
            .map(|f| f.text.as_str())
    );
    assert_eq!(read(&dir).unwrap(), saved);
}

#[test]
fn the_judge_folder_is_created_when_it_is_needed() {
    let (_root, dir) = folder(&[(CAT, "cat\n"), ("styles.toml", "")]);
    let mine = "judge/mine.toml";
    let state = read(&dir).unwrap();
    save(&dir, &[change(&state, CAT, Some("owl\n"))]).unwrap();
    assert!(
        !dir.join("judge").exists(),
        "a save of another file does not create the folder"
    );
    let saved = save(&dir, &[change(&state, mine, Some("version = 1\n"))]).unwrap();
    let names: Vec<&str> = saved.files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, [mine, "styles.toml", CAT]);
    let before = stamp(&dir);
    fs::write(dir.join(mine), "version = 22\n").unwrap();
    assert_ne!(stamp(&dir), before);
    let stale = save(&dir, &[change(&saved, mine, Some("version = 3\n"))]).unwrap_err();
    assert_eq!(stale.kind, ErrorKind::Conflict);
    let saved = save(&dir, &[change(&read(&dir).unwrap(), mine, None)]).unwrap();
    assert!(!dir.join(mine).exists() && saved.files.len() == 2);
    // The folder is removed if the save fails.
    fs::remove_dir(dir.join("judge")).unwrap();
    let new = Save {
        name: mine.into(),
        base: None,
        text: Some("x".into()),
    };
    let stale = Save {
        base: Some("0".into()),
        ..change(&saved, CAT, Some("x\n"))
    };
    save(&dir, &[new, stale]).unwrap_err();
    assert!(!dir.join("judge").exists());
    // An empty project gets the judgings with the shipped files.
    let mut made = Vec::new();
    let fresh = tempfile::tempdir().unwrap();
    benchtop_files::metadata_folder::write_shipped(fresh.path(), &mut made).unwrap();
    assert!(
        made.contains(&fresh.path().join("judge"))
            && fresh.path().join("judge/vlb-l2-rephrase.toml").is_file()
    );
}

#[test]
fn a_save_replaces_only_unchanged_files() {
    let (_root, dir) = folder(&[(CAT, "cat\n"), (RED, "red\n")]);
    fs::set_permissions(dir.join(CAT), fs::Permissions::from_mode(0o640)).unwrap();
    let first = read(&dir).unwrap();
    let stamped = stamp(&dir);
    let second = save(&dir, &[change(&first, CAT, Some("owl\n"))]).unwrap();
    assert_ne!(stamp(&dir), stamped);
    assert_eq!(stamp(&dir), stamp(&dir));
    assert_eq!(fs::metadata(dir.join(CAT)).unwrap().mode() & 0o777, 0o640);
    // A save from an outdated revision is refused as a whole.
    let before = all(&dir);
    let problem = save(
        &dir,
        &[
            change(&first, RED, Some("blue\n")),
            change(&first, CAT, Some("elk\n")),
        ],
    );
    let problem = problem.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Conflict);
    assert_eq!(problem.place.file, Some(dir.join(CAT)));
    let gone = Save {
        name: "vocabularies/none.txt".into(),
        base: Some(revision(b"")),
        text: None,
    };
    assert_eq!(save(&dir, &[gone]).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(all(&dir), before);
    let third = save(&dir, &[change(&second, RED, None)]).unwrap();
    assert_eq!(third.files.len(), 1);
    assert!(!dir.join(RED).exists() && all(&dir).len() == 1);
}

#[test]
fn a_link_inside_the_project_stays_a_link() {
    let (root, dir) = folder(&[]);
    fs::write(root.path().join("mine.txt"), "one\n").unwrap();
    symlink("../../mine.txt", dir.join(CAT)).unwrap();
    let state = read(&dir).unwrap();
    save(&dir, &[change(&state, CAT, Some("two\n"))]).unwrap();
    assert!(dir.join(CAT).symlink_metadata().unwrap().is_symlink());
    assert_eq!(
        fs::read_to_string(root.path().join("mine.txt")).unwrap(),
        "two\n"
    );
}

#[test]
fn saves_do_not_follow_links_to_managed_files_or_other_folders() {
    let (root, dir) = folder(&[]);
    fs::create_dir(root.path().join("sessions")).unwrap();
    let journal = root.path().join("sessions/ann.jsonl");
    fs::write(&journal, "owl\n").unwrap();
    symlink(&journal, dir.join(CAT)).unwrap();
    fs::write(dir.join(RED), "red\n").unwrap();
    let state = read(&dir).unwrap();
    assert_eq!(state.unreadable[0].file, CAT);
    let base = Some(revision(b"owl\n"));
    save(
        &dir,
        &[Save {
            name: CAT.into(),
            base,
            text: Some("cat\n".into()),
        }],
    )
    .unwrap_err();
    assert_eq!(fs::read_to_string(&journal).unwrap(), "owl\n");
    // A linked vocabulary folder would receive new files.
    let outside = tempfile::tempdir().unwrap();
    fs::remove_dir_all(dir.join(VOCABULARIES)).unwrap();
    symlink(outside.path(), dir.join(VOCABULARIES)).unwrap();
    assert_eq!(read(&dir).unwrap_err().kind, ErrorKind::Denied);
    let new = Save {
        name: "vocabularies/new.txt".into(),
        base: None,
        text: Some("a\n".into()),
    };
    assert_eq!(save(&dir, &[new]).unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn invalid_names_and_texts_are_refused() {
    let (root, dir) = folder(&[(CAT, "cat\n")]);
    let before = all(&dir);
    let new = |name: &str, text: &str| Save {
        name: name.into(),
        base: None,
        text: Some(text.into()),
    };
    let long = format!("vocabularies/{}.txt", "x".repeat(81));
    for name in [
        "../benchtop.toml",
        "vocabularies/../../x.txt",
        "/etc/passwd",
        "vocabularies/a/b.txt",
        "vocabularies/.txt",
        "vocabularies/.a.txt",
        "vocabularies/A b.txt",
        "README.md",
        "vocabularies/a\u{0}.txt",
        "vocabularies/a.toml",
        "judge/a.txt",
        "judge/.toml",
        "judge/A.toml",
        "judge/../a.toml",
        "other/a.toml",
        "",
        &long,
    ] {
        assert_eq!(
            save(&dir, &[new(name, "x")]).unwrap_err().kind,
            ErrorKind::Input,
            "{name:?}"
        );
    }
    assert_eq!(
        save(&dir, &[new(RED, "a\nb\0")]).unwrap_err().place.line,
        Some(2)
    );
    let large = "x".repeat(FILE_LIMIT as usize + 1);
    assert_eq!(
        save(&dir, &[new(RED, &large)]).unwrap_err().kind,
        ErrorKind::Input
    );
    assert_eq!(
        save(&dir, &[new(RED, "a"), new(RED, "b")])
            .unwrap_err()
            .kind,
        ErrorKind::Input
    );
    assert_eq!(all(&dir), before);
    // A linked metadata folder is not written to.
    let elsewhere = tempfile::tempdir().unwrap();
    let link = root.path().join("linked");
    symlink(elsewhere.path(), &link).unwrap();
    assert_eq!(
        save(&link, &[new(CAT, "x")]).unwrap_err().kind,
        ErrorKind::Denied
    );
    assert_eq!(read(&link).unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_save_that_fails_midway_restores_replaced_files() {
    let (_root, dir) = folder(&[(CAT, "cat\n"), (RED, "red\n")]);
    let temp = |text: &str| {
        Some(
            disk::staged(&dir.join(CAT), &[text.as_bytes()])
                .unwrap()
                .into_temp_path(),
        )
    };
    let blocked = dir.join("vocabularies/blocked.txt");
    fs::create_dir_all(blocked.join("x")).unwrap();
    let staged = vec![
        (dir.join(CAT), temp("owl\n")),
        (dir.join(RED), None),
        (dir.join("vocabularies/new.txt"), temp("new\n")),
        (blocked.clone(), temp("x")),
    ];
    assert!(rename(staged).is_err());
    fs::remove_dir_all(&blocked).unwrap();
    let texts: Vec<_> = all(&dir).into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(texts, [b"cat\n".to_vec(), b"red\n".to_vec()]);
}

/// Leaves the state of a save that was interrupted after `done` renames. With `edited`, somebody
/// changed a file since.
fn cut(dir: &Path, done: usize, edited: bool) {
    let temp = |name: &str, text: &str| {
        let path = disk::staged(&dir.join(name), &[text.as_bytes()])
            .unwrap()
            .into_temp_path()
            .keep()
            .unwrap();
        path.file_name().unwrap().to_string_lossy().into_owned()
    };
    let step = |name: &str, base: &str, temp| Step {
        name: name.into(),
        temp,
        base: Some(revision(base.as_bytes())),
    };
    let steps = [
        step(CAT, "cat\n", Some(temp(CAT, "owl\n"))),
        step(RED, "red\n", Some(temp(RED, "blue\n"))),
        step("styles.toml", "\n", None),
    ];
    for step in &steps[..done] {
        match &step.temp {
            Some(t) => fs::rename(dir.join(VOCABULARIES).join(t), dir.join(&step.name)).unwrap(),
            None => fs::remove_file(dir.join(&step.name)).unwrap(),
        }
    }
    if edited {
        fs::write(dir.join(RED), "green\n").unwrap();
    }
    disk::staged(&dir.join(CAT), &[b"of another save"])
        .unwrap()
        .into_temp_path()
        .keep()
        .unwrap();
    fs::write(dir.join(INTENT), serde_json::to_vec(&steps).unwrap()).unwrap();
}

#[test]
fn the_next_reader_finishes_an_interrupted_save() {
    for done in 0..=3 {
        for edited in [false, true] {
            let (_root, dir) = folder(&[(CAT, "cat\n"), (RED, "red\n"), ("styles.toml", "\n")]);
            cut(&dir, done, edited);
            let state = read(&dir).unwrap();
            let texts: Vec<_> = state.files.iter().map(|f| f.text.as_str()).collect();
            assert_eq!(
                texts,
                ["owl\n", if edited { "green\n" } else { "blue\n" }],
                "after {done} {edited}"
            );
            assert_eq!(all(&dir).len(), 2, "a temporary file was left behind");
        }
    }
}
