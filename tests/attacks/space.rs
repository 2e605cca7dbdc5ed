//! Projects that cannot be written: full disks, read-only media, folders of other users, moved folders.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use uuid::Uuid;

use crate::owner::life::as_user;
use crate::support::{
    Bench, ErrorKind, Mount, Need, owners, question, root, run, skip, verdict, wait_until,
};

/// Everything in a folder: names, modes, lengths and bytes.
fn all_of(path: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let meta = path.symlink_metadata().unwrap();
        let bytes = if meta.is_file() {
            std::fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        found.push((path.display().to_string(), meta.mode(), bytes));
        if meta.is_dir() {
            found.extend(all_of(&path));
        }
    }
    found
}

/// A bind mount of `from` at `at` that cannot be written, not by root either.
pub fn read_only(from: &Path, at: &Path) -> Option<Mount> {
    if !root() {
        skip(Need::Root, "a read-only mount needs root");
        return None;
    }
    let mount = Mount::new(&["--bind", from.to_str().unwrap()], at)?;
    let done = Command::new("mount")
        .args(["-o", "remount,bind,ro"])
        .arg(at)
        .status();
    if !done.is_ok_and(|status| status.success()) {
        skip(Need::Mount, "the mount cannot be made read-only");
        return None;
    }
    Some(mount)
}

/// 30 items, two verdicts, a round, predictions of a model; nobody holds it.
fn filled() -> Bench {
    let bench = Bench::with_items(30);
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
        .ok();
    bench
        .feed(
            ["decide", "--as", "bob"],
            &verdict(Uuid::now_v7(), 2, "reject"),
        )
        .ok();
    let answers: String = (0..30)
        .map(|n| {
            serde_json::json!({"id": question(n)["id"], "model": "m", "prediction": "this"})
                .to_string()
                + "\n"
        })
        .collect();
    let file = bench.write("m.jsonl", answers);
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench.run(["stop"]).ok();
    bench
}

/// That the project at `at` is read whole and refuses to be written, since `why`.
fn is_read(bench: &Bench, why: &str, kind: &str) {
    assert_eq!(bench.items().len(), 30);
    let status = bench.status();
    assert!(
        status["owner"]["read_only"].as_str().unwrap().contains(why),
        "{status}"
    );
    assert_eq!(status["counts"]["by_status"]["accepted"], 1, "{status}");
    assert_eq!(status["counts"]["decisions"], 2, "{status}");
    let human = bench.run(["status"]).ok();
    assert!(human.contains(why), "{human}");
    assert_eq!(bench.run(["log", "--json"]).lines().len(), 2);
    assert_eq!(bench.verdicts().len(), 2);
    bench.run(["board", "--format", "json"]).ok();
    bench.run(["round", "list", "--json"]).ok();
    let out = bench.beside("out.jsonl");
    let _ = std::fs::remove_file(&out);
    bench
        .run([
            "export",
            "--format",
            "jsonl",
            "--out",
            out.to_str().unwrap(),
        ])
        .ok();
    assert!(std::fs::metadata(&out).unwrap().len() > 1000);
    let output = bench.feed(
        ["decide", "--as", "ann"],
        &verdict(Uuid::now_v7(), 3, "accept"),
    );
    assert_eq!(output.code, 1);
    let receipt = &crate::support::json_lines(&output.out)[0];
    assert_eq!(
        (&receipt["saved"], &receipt["error"]["kind"]),
        (&false.into(), &kind.into()),
        "{receipt}"
    );
    assert!(
        receipt["error"]["message"]
            .as_str()
            .or(receipt["error"]["what"].as_str())
            .unwrap()
            .contains(why),
        "{receipt}"
    );
    let file = bench.items_file("more", 40..50);
    let error = bench.run(["import", file.to_str().unwrap()]).refused(1);
    assert!(error.names(why), "{error}");
    assert_eq!(bench.verdicts().len(), 2);
}

#[test]
fn a_project_on_read_only_media_is_read() {
    for damage in ["", "store/columns.snap", "store/statuses.snap", "store"] {
        let bench = filled();
        let victim = bench.root().join(damage);
        match damage {
            "" => {}
            "store" => std::fs::remove_dir_all(victim).unwrap(),
            _ => std::fs::remove_file(victim).unwrap(),
        }
        let before = all_of(bench.root());
        let Some(mount) = read_only(bench.root(), &bench.beside("mnt")) else {
            return;
        };
        let there = Bench::at(mount.at.clone());
        is_read(&there, "read-only", "denied");
        there.run(["stop"]).ok();
        assert!(owners(there.root()).is_empty());
        assert_eq!(all_of(bench.root()), before, "without {damage:?}");
        drop(there);
        mount.unmount();
        // Where it can be written it is what it was.
        assert_eq!(bench.verdicts().len(), 2);
        bench
            .feed(
                ["decide", "--as", "ann"],
                &verdict(Uuid::now_v7(), 3, "accept"),
            )
            .ok();
    }
}

#[test]
fn a_project_becomes_writable_with_its_media() {
    let bench = filled();
    let Some(mount) = read_only(bench.root(), &bench.beside("mnt")) else {
        return;
    };
    let there = Bench::at(mount.at.clone());
    assert!(there.items().len() == 30 && there.status()["owner"]["read_only"].is_string());
    assert!(
        Command::new("mount")
            .args(["-o", "remount,bind,rw"])
            .arg(&mount.at)
            .status()
            .unwrap()
            .success()
    );
    wait_until("it can be written", || {
        there
            .feed(
                ["decide", "--as", "ann"],
                &verdict(Uuid::now_v7(), 3, "accept"),
            )
            .code
            == 0
    });
    there.run(["stop"]).ok();
}

/// A file that takes all the room there is.
pub fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while file.write(&vec![0; size]).is_ok_and(|n| n > 0) {}
    }
}

#[test]
fn a_stopped_project_on_a_full_disk_is_readable_and_later_writable() {
    if !root() {
        skip(Need::Root, "a small disk needs root");
        return;
    }
    for damage in ["", "store/columns.snap", "store", ".owner"] {
        let bench = filled();
        let small = bench.beside("small");
        let Some(mount) = Mount::new(&["-t", "tmpfs", "-o", "size=16m", "tmpfs"], &small) else {
            return;
        };
        let at = mount.at.join("project");
        assert!(
            Command::new("cp")
                .arg("-a")
                .arg(bench.root())
                .arg(&at)
                .status()
                .unwrap()
                .success()
        );
        match damage {
            "" => {}
            "store/columns.snap" => std::fs::remove_file(at.join(damage)).unwrap(),
            _ => std::fs::remove_dir_all(at.join(damage)).unwrap(),
        }
        fill(&mount.at.join("filler"));
        let there = Bench::at(at.clone());
        let before = there.snapshot();
        // Beside it nothing can be written either.
        let out = bench.beside("out.jsonl");
        assert_eq!(there.items().len(), 30);
        let status = there.status();
        assert!(
            status["owner"]["read_only"]
                .as_str()
                .unwrap()
                .contains("no space left"),
            "{status}"
        );
        assert_eq!(
            (&status["counts"]["decisions"], &status["counts"]["items"]),
            (&2.into(), &30.into()),
            "{status}"
        );
        assert_eq!(there.verdicts().len(), 2);
        there.run(["board", "--format", "json"]).ok();
        there
            .run([
                "export",
                "--format",
                "jsonl",
                "--out",
                out.to_str().unwrap(),
            ])
            .ok();
        let output = there.feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 3, "accept"),
        );
        let receipt = &crate::support::json_lines(&output.out)[0];
        assert_eq!(
            (&receipt["saved"], &receipt["error"]["kind"]),
            (&false.into(), &"disk_full".into()),
            "{receipt}"
        );
        assert_eq!(there.snapshot(), before);
        std::fs::remove_file(mount.at.join("filler")).unwrap();
        wait_until("it can be written", || {
            there
                .feed(
                    ["decide", "--as", "ann"],
                    &verdict(Uuid::now_v7(), 3, "accept"),
                )
                .code
                == 0
        });
        assert_eq!(
            there.status()["owner"]["read_only"],
            serde_json::Value::Null
        );
        assert_eq!(there.verdicts().len(), 3);
        there.run(["stop"]).ok();
        drop(there);
        mount.unmount();
    }
}

#[test]
fn a_project_without_write_permission_is_readable() {
    let bench = filled();
    let open = |who: &str, mode: &str| {
        let at = bench.root();
        assert!(
            Command::new("chown")
                .args(["-R", who])
                .arg(at)
                .status()
                .unwrap()
                .success()
        );
        assert!(
            Command::new("chmod")
                .args(["-R", mode])
                .arg(at)
                .status()
                .unwrap()
                .success()
        );
    };
    // Somebody else's, and one's own without permission to write.
    for (owner, mode, why) in [
        ("0", "a+rX,go-w", "uid 54321"),
        ("54321", "a+rX,a-w", "write"),
    ] {
        let Some(mut items) = as_user(54321, &bench) else {
            return;
        };
        open(owner, mode);
        let before = all_of(bench.root());
        assert_eq!(
            run(items.args(["items", "--json"]), "").lines().len(),
            30,
            "{why}"
        );
        let as_them =
            |args: &[&str], input: &str| run(as_user(54321, &bench).unwrap().args(args), input);
        let status = as_them(&["status", "--json"], "").lines().remove(0);
        assert!(
            status["owner"]["read_only"].as_str().unwrap().contains(why),
            "{status}"
        );
        let output = as_them(
            &["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 3, "accept"),
        );
        let receipt = &crate::support::json_lines(&output.out)[0];
        assert_eq!(
            (&receipt["saved"], &receipt["error"]["kind"]),
            (&false.into(), &"denied".into()),
            "{receipt}"
        );
        assert_eq!(as_them(&["verdicts", "--json"], "").lines().len(), 2);
        as_them(&["stop"], "").ok();
        assert_eq!(all_of(bench.root()), before, "{why}");
    }
    open("0", "u+rwX,go-rwx");
}

#[test]
fn a_moved_folder_refuses_writes_and_opens_at_its_new_path() {
    for replaced in [false, true] {
        let bench = filled();
        let mut decider = bench.decider("ann");
        assert!(decider.send(&verdict(Uuid::now_v7(), 3, "accept")));
        assert_eq!(decider.receipt()["saved"], true);
        let (there, old) = (bench.beside("moved"), bench.root().to_path_buf());
        std::fs::rename(&old, &there).unwrap();
        if replaced {
            let other = filled();
            assert!(
                Command::new("cp")
                    .arg("-a")
                    .arg(other.root())
                    .arg(&old)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let before = replaced.then(|| all_of(&old));
        assert!(decider.send(&verdict(Uuid::now_v7(), 4, "accept")));
        let receipt = decider.receipt();
        assert_eq!(receipt["saved"], false, "{receipt}");
        // The owner may refuse the decision or end before it answers.
        let kind = receipt["error"]["kind"].as_str().unwrap();
        assert!(["conflict", "unreachable"].contains(&kind), "{receipt}");
        // A command in the new place has an owner of its own, at once.
        let moved = Bench::at(there.clone());
        assert_eq!(moved.verdicts().len(), 3);
        assert_eq!(
            moved.status()["project"]["root"],
            there.canonicalize().unwrap().to_str().unwrap()
        );
        moved
            .feed(
                ["decide", "--as", "ann"],
                &verdict(Uuid::now_v7(), 5, "accept"),
            )
            .ok();
        assert_eq!(moved.verdicts().len(), 4);
        drop(decider.stdin.take());
        let _ = decider.child.wait();
        wait_until("the owner of the old place has ended", || {
            owners(&old).is_empty()
        });
        if let Some(before) = before {
            assert_eq!(
                all_of(&old),
                before,
                "nothing is written into the folder that took its place"
            );
        }
        moved.run(["stop"]).ok();
        assert_eq!(moved.verdicts().len(), 4);
    }
}

#[test]
fn an_owner_without_clients_ends_when_its_folder_is_moved() {
    let bench = filled();
    bench.run(["items"]).ok();
    assert_eq!(owners(bench.root()).len(), 1);
    std::fs::rename(bench.root(), bench.beside("moved")).unwrap();
    bench
        .run(["items", "--json"])
        .refused_as(ErrorKind::NotFound);
    wait_until("it has ended", || owners(bench.root()).is_empty());
}

#[test]
fn private_folders_are_created_private_and_open_ones_reported() {
    // With the umask of a machine where everybody reads everything.
    let mut command = Command::new("sh");
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("project");
    let script = "umask 000; exec \"$0\" init \"$1\"";
    let made = command
        .args(["-c", script, crate::support::PROGRAM])
        .arg(&at)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
    let bench = Bench::at(at);
    bench.import_items("set", 0..5);
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
        .ok();
    bench
        .run([
            "round",
            "new",
            "first",
            "--people",
            "ann",
            "--protocol",
            "single",
        ])
        .ok();
    bench.run(["stop"]).ok();
    for top in ["sessions", "store", ".owner", "runs", "scores", "jobs"] {
        let top = bench.root().join(top);
        if !top.exists() {
            continue;
        }
        assert_eq!(
            std::fs::metadata(&top).unwrap().mode() & 0o777,
            0o700,
            "{}",
            top.display()
        );
        for (name, mode, _) in all_of(&top) {
            assert_eq!(mode & 0o077, 0, "{name} {mode:o}");
        }
    }
    let warned = |bench: &Bench| {
        bench.run(["doctor", "--json"]).lines()[0]["project"]["warnings"].to_string()
    };
    assert_eq!(warned(&bench), "[]");
    // One that an older version made.
    for (name, mode) in [("sessions", 0o755), ("store", 0o750)] {
        std::fs::set_permissions(bench.root().join(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    bench.run(["items"]).ok();
    let notices = bench.status()["notices"].clone();
    let notice = notices
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|n| n.as_str())
        .find(|n| n.contains("chmod"))
        .unwrap();
    assert!(notice.contains("sessions, store"), "{notice}");
    assert!(warned(&bench).contains("chmod -R go-rwx"));
    assert!(bench.run(["doctor"]).ok().contains("chmod -R go-rwx"));
    let command = notice.split('`').nth(1).unwrap();
    assert!(
        Command::new("sh")
            .args(["-c", command])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(warned(&bench), "[]");
    let mode = |name: &str| std::fs::metadata(bench.root().join(name)).unwrap().mode() & 0o777;
    assert_eq!(
        (mode("sessions"), mode("store")),
        (0o700, 0o700),
        "only the person's own command changes them"
    );
}
