//! Disks that are full, and folders that may not be written.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use benchtop::model::job::{Budget, NewJob};
use benchtop::protocol::wire::{NeedsConsent, request};
use serde_json::json;
use uuid::Uuid;

use crate::durability::generate::{check, recorded};
use crate::support::{
    Bench, ErrorKind, Mount, Need, json_lines, owners, question, root, run, skip, verdict,
};

/// A file that takes all the room there is.
fn fill(path: &std::path::Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while file.write(&vec![0; size]).is_ok_and(|n| n > 0) {}
    }
}

#[test]
fn a_full_disk_acknowledges_nothing_and_recovers() {
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
    let text = |range: std::ops::Range<usize>| -> String {
        range.map(|n| format!("{}\n", question(n))).collect()
    };
    let some = dir.path().join("some.jsonl");
    std::fs::write(&some, text(0..200)).unwrap();
    bench.run(["import", some.to_str().unwrap()]).ok();
    let receipts = bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
        .lines();
    assert_eq!(receipts[0]["saved"], true);
    fill(&mount.at.join("filler"));

    let before = bench.snapshot();
    let more = dir.path().join("more.jsonl");
    std::fs::write(&more, text(0..20_000)).unwrap();
    bench
        .run(["import", "--json", more.to_str().unwrap()])
        .refused_as(ErrorKind::DiskFull);
    assert_eq!(bench.snapshot(), before);
    assert_eq!(bench.items().len(), 200);

    // A page of room may be left in the journal; a hundred verdicts do not fit into it.
    let uuids: Vec<Uuid> = (0..100).map(|_| Uuid::now_v7()).collect();
    let lines: String = uuids
        .iter()
        .enumerate()
        .map(|(n, uuid)| verdict(*uuid, 2 + n, "reject") + "\n")
        .collect();
    let output = bench.feed(["decide", "--as", "bob"], &lines);
    assert_eq!(output.code, 1);
    let receipts = crate::support::json_lines(&output.out);
    assert_eq!(receipts.len(), 100);
    let refused = receipts.iter().filter(|r| r["saved"] == false).count();
    assert!(refused > 0);
    assert!(
        receipts
            .iter()
            .all(|r| r["saved"] == true || r["error"]["kind"] == "disk_full"),
        "{receipts:?}"
    );
    let saved: Vec<_> = receipts
        .iter()
        .filter(|r| r["saved"] == true)
        .map(|r| r["uuid"].clone())
        .collect();
    let bobs: Vec<_> = bench
        .journals()
        .iter()
        .filter(|l| l["who"] == "bob")
        .map(|l| l["uuid"].clone())
        .collect();
    assert_eq!(
        bobs, saved,
        "what was refused is in the journal, or what was saved is not"
    );
    assert_eq!(bench.verdicts().len(), 1 + saved.len());
    assert!(
        bench.status()["owner"]["read_only"]
            .as_str()
            .unwrap()
            .contains("No space left")
    );

    std::fs::remove_file(mount.at.join("filler")).unwrap();
    // The same lines again, with the same receipts: all of them, each once.
    let receipts = bench.feed(["decide", "--as", "bob"], &lines).lines();
    assert!(receipts.iter().all(|r| r["saved"] == true));
    assert_eq!(bench.verdicts().len(), 101);
    assert_eq!(bench.status()["owner"]["read_only"], json!(null));
    bench.run(["stop"]).ok();
    assert_eq!(bench.verdicts().len(), 101);
    let notices = bench.status()["notices"].to_string();
    assert!(!notices.contains(".jsonl"), "{notices}");
    std::fs::write(&more, text(0..1000)).unwrap();
    bench.run(["import", more.to_str().unwrap()]).ok();
    assert_eq!(bench.items().len(), 1200);
}

#[test]
fn a_full_disk_pauses_a_job_and_keeps_its_pictures() {
    if !root() {
        skip(Need::Root, "a small disk needs root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let Some(mount) = Mount::new(
        &["-t", "tmpfs", "-o", "size=24m", "tmpfs"],
        &dir.path().join("mnt"),
    ) else {
        return;
    };
    let bench = Bench::init(mount.at.join("project"));
    let plan = dir.path().join("plan.toml");
    std::fs::write(
        &plan,
        "name = \"few\"\n[[pictures]]\nsubject = \"animal\"\ncount = 12\n",
    )
    .unwrap();
    bench
        .run(["compose", "--plan", plan.to_str().unwrap()])
        .ok();
    bench
        .run([
            "generate",
            "--detach",
            "--per-minute",
            "120",
            "--size",
            "512x512",
        ])
        .ok();
    let job = || bench.run(["jobs", "--json"]).lines().remove(0);
    crate::support::wait_until("a picture", || !recorded(&bench).is_empty());
    fill(&mount.at.join("filler"));
    crate::support::wait_until("the job is paused", || job()["standing"] == "paused");
    let paused = job();
    assert!(
        paused["reason"].as_str().unwrap().contains("No space left"),
        "{paused}"
    );
    let made = recorded(&bench).len();
    assert_eq!(paused["done"], made);
    check(&bench, made);
    std::fs::remove_file(mount.at.join("filler")).unwrap();
    // Where the full disk kept the store from noting the pause, the next owner goes on by itself.
    bench.run(["stop"]).ok();
    bench.run(["jobs", "set", "1", "--per-minute", "0"]).ok();
    bench.run(["jobs", "resume", "1"]);
    crate::support::wait_until("the job is done", || job()["standing"] == "done");
    check(&bench, 12);
}

#[test]
fn a_read_only_project_is_read_and_untouched() {
    if !root() {
        skip(
            Need::Root,
            "a read-only mount needs root; modes are tested below",
        );
        return;
    }
    let bench = Bench::with_items(3);
    bench.run(["stop"]).ok();
    let before = bench.snapshot();
    let at = bench.beside("mnt");
    let Some(mount) = Mount::new(&["--bind", "-o", "ro", bench.root().to_str().unwrap()], &at)
    else {
        return;
    };
    if std::fs::write(mount.at.join("probe"), "").is_ok() {
        std::fs::remove_file(mount.at.join("probe")).unwrap();
        skip(Need::Mount, "this mount does not make read-only binds");
        return;
    }
    let locked = Bench::at(mount.at.clone());
    let file = bench.items_file("more", 0..3);
    let error = locked
        .run(["import", "--json", file.to_str().unwrap()])
        .refused_as(ErrorKind::Denied);
    assert_ne!(error.help, "");
    let said = locked.feed(["decide"], &verdict(Uuid::now_v7(), 1, "accept"));
    let receipt = &json_lines(&said.out)[0];
    assert_eq!(
        (said.code, &receipt["error"]["kind"]),
        (1, &serde_json::json!("denied")),
        "{receipt}"
    );
    // What follows an agreement is allowed as if it was asked by itself.
    let then = Some(
        request::Generate(
            Box::new(NewJob {
                dry: true,
                ..NewJob::default()
            }),
            Budget::default(),
        )
        .then(),
    );
    let refused = locked
        .client("ann", |_| ())
        .ask(request::Agree { to: vec![], then })
        .unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied, "{refused}");
    assert_eq!(locked.items().len(), 3);
    locked.run(["stop"]).ok();
    assert!(owners(locked.root()).is_empty());
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_folder_whose_mode_forbids_writing_is_refused() {
    let bench = Bench::with_items(3);
    bench.run(["stop"]).ok();
    let file = bench.items_file("more", 0..3);
    let all = |mode: u32, uid: &str| {
        let done = std::process::Command::new("chmod")
            .args(["-R", &format!("{mode:o}")])
            .arg(bench.root())
            .status();
        assert!(done.unwrap().success());
        if root() {
            let done = std::process::Command::new("chown")
                .args(["-R", uid])
                .arg(bench.root())
                .status();
            assert!(done.unwrap().success());
        }
    };
    all(0o500, "12345");
    let before = bench.snapshot();
    let args = ["import", file.to_str().unwrap()];
    let mut command = if root() {
        let Some(mut command) = crate::owner::life::as_user(12345, &bench) else {
            return all(0o700, "0");
        };
        command.args(args);
        command
    } else {
        bench.command(args)
    };
    let error = run(&mut command, "").refused(1);
    assert!(
        !error.help.is_empty() && error.names(bench.root().to_str().unwrap()),
        "{error}"
    );
    assert_eq!(bench.snapshot(), before);
    bench.kill_owner();
    all(0o700, "0");
    std::fs::set_permissions(bench.root(), PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(bench.items().len(), 3);
}
