//! Journals of bootstrapping jobs that somebody else wrote: transcripts, lists of jobs, and jobs that go on with them.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use benchtop::store::checksummed_line;
use serde_json::{Value, json};

use super::escapes::{As, Case, P, wrong};
use crate::flows::bootstrap::{boots, good, is_judge, variants};
use crate::inference::server::{Act, Server, png};
use crate::support::{Bench, ErrorKind, wait_until};

/// A word of files outside of the project.
const SECRET: &str = "outside-of-the-project";
const JOURNAL: &str = "jobs/0001.jsonl";

fn encoded(lines: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        checksummed_line::encode(line, &mut bytes).unwrap();
    }
    bytes
}

/// A line about source 0.
fn step(product: &str, done: Value) -> Value {
    json!({"is": "done", "n": 0, "product": product, "done": done})
}

fn answer(role: &str, reply: &str) -> Value {
    json!({
        "step": "answer", "role": role, "ask": u32::MAX, "seed": u32::MAX, "temperature": 1e308, "system": format!("system{P}"),
        "prompt": format!("prompt{P}"), "pictures": u32::MAX, "reply": reply, "finish": {"kind": format!("stop{P}")},
        "model": format!("model{P}"), "at": format!("at{P}"),
    })
}

/// Lines with every kind of harm.
fn hostile() -> Vec<u8> {
    let text = |word: &str| format!("{word}{P}");
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let mut finishes = answer("judge", &text("reply"));
    finishes["finish"] = json!("stop");
    let mut whole = answer("writer", &text("reply"));
    whole["finish"] = json!("stop");
    let mut long = whole.clone();
    long["reply"] = json!(format!("{P} long ").repeat(1 << 16));
    let all = [
        step("L1", whole.clone()),
        // Twice.
        step("L1", whole),
        step("L1", finishes),
        step("L1", long),
        step("L1", answer("writer", "a finish of another shape")),
        step("L1", answer(&text("role"), "a role that there is not")),
        step(
            "L1",
            json!({"step": "read", "candidates": [{"text": text("read"), "edit": {"boxes": [[-1, 1e300]], text("k"): deep}}]}),
        ),
        step(
            "L1",
            json!({"step": "unread", "problem": text("problem"), "repair": true}),
        ),
        step(
            "L1",
            json!({"step": "painted", "hash": format!("../../../../{SECRET}.png"), "found": {"painter": text("painter"), "prompt": text("prompt"), "seed": -1}}),
        ),
        step(
            "L1",
            json!({"step": "painted", "hash": text("hash"), "found": {"painter": 7, "seed": 1e300}}),
        ),
        step(
            "L1",
            json!({"step": "ruled", "pass": null, "reason": text("reason")}),
        ),
        step(
            "L1",
            json!({"step": "failed", "kind": "input", "reason": text("failed")}),
        ),
        step(&text("L1"), json!({"step": "ruled", "pass": true})),
        step("L1", json!({"step": text("step")})),
        json!({"is": text("is")}),
        json!({"is": "done", "n": -1, "product": "L1", "done": {"step": "ruled", "pass": true}}),
        json!({"is": "done", "n": "0", "product": "L1", "done": {"step": "ruled", "pass": true}}),
        json!({"is": "done", "n": u64::MAX, "product": "L1", "done": {"step": "ruled", "pass": true}}),
        json!({"is": "done", "n": 0, "product": ["L1"], "done": []}),
        json!({"is": "source", "n": 0, "number": u32::MAX, "digest": text("digest")}),
        json!({"is": "source", "n": 0, "number": 0, "digest": ""}),
        json!({"is": "retry"}),
    ];
    let mut bytes = encoded(&all);
    bytes.extend_from_slice(b"\n\0\n{}\n{\"is\":\"plan\"}\n");
    bytes.extend_from_slice(b"\xff\xfe\x1b]52;c;ZXZpbA==\x07\n");
    bytes.extend_from_slice(&encoded(&all[..1])[..40]);
    bytes.push(b'\n');
    bytes.extend_from_slice(&vec![b'['; 1 << 20]);
    bytes.push(b'\n');
    // A line that is cut off.
    let last = encoded(&[step(
        "L1",
        json!({"step": "unread", "problem": "never acknowledged", "repair": false}),
    )]);
    bytes.extend_from_slice(&last[..last.len() - 4]);
    bytes
}

/// Runs commands about a job and one of its items, and returns what is wrong, and what they printed.
fn attack(bench: &Bench, id: &str, cases: &[Case]) -> (Vec<String>, String) {
    let (mut failed, mut printed) = (Vec::new(), String::new());
    for case in cases {
        let words: Vec<String> = case
            .0
            .split(' ')
            .map(|word| word.replace("{I}", id))
            .collect();
        let output = bench.run(words.iter().map(String::as_str));
        let wrong = wrong(case, &output);
        if !wrong.is_empty() {
            failed.push(format!("{}: {}\n{output:?}", case.0, wrong.join(", ")));
        }
        printed += &(output.out + &output.err);
    }
    (failed, printed)
}

#[test]
fn a_hostile_journal_is_shown_without_harm() {
    let server = Server::new(good);
    let bench = boots(3, &server);
    bench.run(["bootstrap", "--strategies", "L1"]).ok();
    let id = variants(&bench)["L1"]
        .iter()
        .find(|item| {
            let derivation = item.derivation.as_ref().unwrap();
            derivation.transcript.as_deref() == Some("jobs/0001.jsonl#0")
        })
        .unwrap()
        .id
        .clone();
    bench.run(["stop"]).ok();
    let path = bench.root().join(JOURNAL);
    let plan = std::fs::read_to_string(&path).unwrap();
    let plan: String = plan
        .split_inclusive('\n')
        .filter(|line| !line.contains("\"is\":\"done\""))
        .collect();
    let secret = bench.write(&format!("{SECRET}.png"), SECRET);
    let shows = [
        // Answers have several lines, which are indented.
        Case("transcript {I}", As::Csv, true),
        Case("transcript {I} --json", As::Json, true),
    ];
    let lists = [
        Case("jobs", As::Text, false),
        Case("jobs --json", As::Json, false),
        Case("jobs failures 1", As::Text, false),
        Case("jobs failures 1 --json", As::Json, false),
        Case("explain {I}", As::Text, false),
        Case("explain {I} --json", As::Json, false),
        Case("items --json", As::Json, false),
        Case("verify", As::Text, false),
        Case("jobs retry 1", As::Text, false),
        Case("jobs resume 1", As::Text, false),
        Case("jobs watch 1", As::Text, false),
        Case("status", As::Text, false),
    ];
    // With the plan before it; without; and with one that tells of more sources than memory holds.
    let many = encoded(&[json!({"is": "planned", "sources": u64::MAX})]);
    let few = encoded(&[
        json!({"is": "plan"}),
        json!({"is": "planned", "sources": 1u64 << 40}),
    ]);
    for before in [plan.as_bytes(), b"", &many, &few] {
        std::fs::write(&path, [before, &hostile()].concat()).unwrap();
        let (mut failed, printed) = attack(&bench, &id, &shows);
        let (more, lists) = attack(&bench, &id, &lists);
        failed.extend(more);
        assert!(failed.is_empty(), "{}", failed.join("\n"));
        assert!(!printed.lines().any(|line| line.starts_with("FORGED")));
        for never in ["never acknowledged", "there is not", "another shape"] {
            assert!(!printed.contains(never), "{never}");
        }
        assert!(printed.contains("reply") && printed.contains("painter"));
        assert!(!(printed + &lists).contains(&format!("\"{SECRET}\"")));
        assert!(bench.pid().is_some(), "the owner has ended");
        bench.run(["stop"]).ok();
    }
    // A link to a journal outside of the project.
    let outside = bench.write(
        "outside.jsonl",
        encoded(&[step("L1", {
            let mut told = answer("writer", SECRET);
            told["finish"] = json!("stop");
            told
        })]),
    );
    std::fs::remove_file(&path).unwrap();
    symlink(&outside, &path).unwrap();
    let linked = [
        Case("transcript {I}", As::Text, false),
        Case("transcript {I} --json", As::Json, false),
    ];
    for cases in [&linked[..], &lists] {
        let (failed, printed) = attack(&bench, &id, cases);
        assert!(failed.is_empty(), "{}", failed.join("\n"));
        assert!(!printed.contains(SECRET), "{printed}");
    }
    let refused = bench.run(["transcript", &id, "--json"]);
    refused.refused_as(ErrorKind::Denied);
    assert_eq!(std::fs::read_to_string(secret).unwrap(), SECRET);
    assert_eq!(server.seen().len(), 6, "nobody was asked anything");
}

/// The painted pictures of a paused job are replaced by names of files that it must not send.
#[test]
fn a_job_sends_no_picture_that_its_journal_only_names() {
    let is_let_in = Arc::new(AtomicBool::new(false));
    let lets = is_let_in.clone();
    let server = Server::new(
        move |seen| match is_judge(seen) && !lets.load(Ordering::SeqCst) {
            true => Act::Status(401, Vec::new(), "not yet".into()),
            false => good(seen),
        },
    );
    let bench = boots(4, &server);
    let ended = bench.run(["bootstrap", "--json", "--strategies", "V3"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    bench.run(["stop"]).ok();
    let secret = png(8, 8, SECRET);
    let outside = bench.write("secret.png", &secret);
    let hash = blake3::hash(&secret).to_hex().to_string();
    let folder = bench.root().join("images").join(&hash[..2]);
    std::fs::create_dir_all(&folder).unwrap();
    symlink(&outside, folder.join(format!("{hash}.png"))).unwrap();
    symlink(&outside, folder.join(&hash)).unwrap();
    let up = format!(
        "../../../{}",
        outside.file_name().unwrap().to_str().unwrap()
    );
    let path = bench.root().join(JOURNAL);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = Vec::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("crc");
        if line["done"]["step"] == "painted" {
            let named = match line["n"].as_u64().unwrap() {
                0 | 3 => &up,
                1 => outside.to_str().unwrap(),
                _ => &hash,
            };
            line["done"]["hash"] = json!(named);
        }
        lines.push(line);
    }
    // One of them has passed already, so that nothing is left but to add it.
    let mut said = answer("judge", "{}");
    (said["finish"], said["ask"]) = (json!("stop"), json!(1));
    for done in [said, json!({"step": "ruled", "pass": true})] {
        lines.push(json!({"is": "done", "n": 3, "product": "V3", "done": done}));
    }
    std::fs::write(&path, encoded(&lines)).unwrap();
    let before = server.seen().len();
    is_let_in.store(true, Ordering::SeqCst);
    bench.run(["jobs", "resume", "1"]).ok();
    let job = || bench.run(["jobs", "--json"]).lines().remove(0);
    wait_until("the job ends", || {
        !["queued", "running"].contains(&job()["standing"].as_str().unwrap())
    });
    let packed = base64::engine::general_purpose::STANDARD.encode(&secret);
    let asked: Vec<String> = server.seen()[before..]
        .iter()
        .map(|seen| seen.body.to_string())
        .collect();
    assert!(asked.iter().all(|body| !body.contains(&packed)));
    // A judge that sees one picture instead of two is not asked.
    assert_eq!(asked.len(), 0, "{asked:?}");
    let ended = job();
    assert_eq!(ended["failed"], 3, "{ended}");
    let exported = bench.run(["export", "--format", "jsonl", "--drafts"]);
    assert!(!exported.err.contains("panicked"), "{exported:?}");
    let out = bench.beside("out");
    let folder = bench.run([
        "export",
        "--format",
        "hf-folder",
        "--drafts",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(!folder.err.contains("panicked"), "{folder:?}");
    let mut folders = vec![out];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => assert_ne!(std::fs::read(entry.path()).unwrap(), secret),
            }
        }
    }
}
