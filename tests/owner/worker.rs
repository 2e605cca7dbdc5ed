//! Jobs with a model in a worker process: a job survives its worker, and a worker ends with its owner.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::durability::generate::{check, fifty, job, recorded};
use crate::support::{self, Bench, PROGRAM, owners, wait_until};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/data/models/sd");
const FAULT: &str = "BENCHTOP_WORKER_FAULT";
const WORKER: &str = "BENCHTOP_WORKER";

/// Fifty pictures to make on that device; its owner has ended, so that the next one has the environment of a test.
fn on(device: &str) -> Bench {
    let bench = fifty();
    bench.run(["stop"]).ok();
    let file = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let with = text.replace(
        "[generate]\n",
        &format!("[generate]\ndevice = \"{device}\"\n"),
    );
    assert_ne!(text, with);
    std::fs::write(file, with).unwrap();
    bench
}

/// Runs `generate` with more arguments and one more variable, also for the owner that it starts.
fn generate(bench: &Bench, more: &[&str], name: &str, value: &str) -> support::Output {
    let args = [
        "generate",
        "--backend",
        "candle",
        "--model",
        MODEL,
        "--size",
        "64x64",
        "--steps",
        "1",
    ];
    let mut command = bench.command(args.iter().chain(more).copied());
    support::run(command.env_remove(WORKER).env(name, value), "")
}

fn done(output: support::Output) -> Value {
    serde_json::from_str(&output.out).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// The workers that this process has started.
fn workers(owner: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if parent == Some(owner) && line.split(|b| *b == 0).any(|arg| arg == b"worker") {
            found.push(pid);
        }
    }
    found
}

fn lives(pid: u32) -> bool {
    // What is collected by nobody but this machine's first process may stay a zombie for a moment, or for good.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// A program for GPUs that is none: what `script` does.
fn pretended(bench: &Bench, script: &str) -> PathBuf {
    let path = bench.write("benchtop-gpu", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// What the loader does where a library is not there.
fn absent(library: &str) -> String {
    let why = "cannot open shared object file: No such file or directory";
    format!("echo \"$0: error while loading shared libraries: {library}: {why}\" >&2; exit 127")
}

#[test]
fn a_job_survives_its_worker_and_a_worker_ends_with_its_owner() {
    let bench = on("cpu-worker");
    let marker = bench.beside("killed");
    let fault = format!("kill after 20 once {}", marker.display());
    let job = done(generate(&bench, &["--json"], FAULT, &fault));
    assert_eq!(
        (&job["standing"], &job["done"], &job["failed"]),
        (&"done".into(), &50.into(), &0.into()),
        "{job}"
    );
    assert_eq!(job["device"], "sd on CPU (f32)");
    assert!(marker.exists(), "the worker was not killed");
    check(&bench, 50);
    let prints = |lines: &[Value]| {
        lines
            .iter()
            .map(|l| l["fingerprint"].to_string())
            .collect::<Vec<_>>()
    };
    let first = prints(&recorded(&bench));
    // Whoever looks sees one worker. It goes with its owner, also where that is killed.
    let owner = owners(bench.root())[0];
    let theirs = workers(owner);
    assert_eq!(theirs.len(), 1, "{theirs:?}");
    bench.kill_owner();
    wait_until("the worker has ended with its owner", || !lives(theirs[0]));
    // The same in the owner's process is the same by its fingerprint.
    let file = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, text.replace("cpu-worker", "cpu")).unwrap();
    let job = done(generate(
        &bench,
        &["--json", "--filter", "", "--seed", "2"],
        FAULT,
        "kill",
    ));
    assert_eq!(
        (&job["standing"], &job["failed"]),
        (&"done".into(), &0.into()),
        "{job}"
    );
    let both = prints(&recorded(&bench));
    assert!(
        both.len() > 50 && both.iter().all(|print| *print == first[0]),
        "{both:?}"
    );
}

#[test]
fn an_ending_owner_ends_its_worker() {
    let bench = on("cpu-worker");
    generate(&bench, &["--detach"], FAULT, "stall after 3").ok();
    let owner = owners(bench.root())[0];
    wait_until("three pictures are made and the worker stalls", || {
        recorded(&bench).len() == 3
    });
    let theirs = workers(owner);
    assert_eq!(theirs.len(), 1);
    bench.run(["stop"]).ok();
    wait_until("the worker has ended with its owner", || !lives(theirs[0]));
    // The job goes on where it was.
    bench.start_owner();
    wait_until("the job is done", || job(&bench)["standing"] == "done");
    check(&bench, 50);
}

#[test]
fn a_picture_that_crashes_the_worker_is_set_aside() {
    let bench = on("cpu-worker");
    let item = &bench.items()[0];
    bench.run(["stop"]).ok();
    let prompt = item["prompt"].as_str().unwrap();
    // One word of the first picture's prompt; others may have it too.
    let word = item["provenance"]["terms"]["animal"]
        .as_str()
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    assert!(prompt.contains(word));
    let output = generate(&bench, &["--json"], FAULT, &format!("exit 3 at {word}"));
    assert_eq!(output.code, 1, "pictures were set aside");
    let job = done(output);
    let failed = job["failed"].as_u64().unwrap();
    assert!(
        (1..25).contains(&failed) && job["standing"] == "done",
        "{job}"
    );
    check(&bench, 50 - failed as usize);
    let failures = bench.run(["jobs", "failures", "1", "--json"]).lines();
    assert_eq!(failures.len() as u64, failed);
    for failure in failures {
        let reason = failure["reason"].as_str().unwrap();
        assert!(reason.contains("exit status 3"), "{reason}");
        assert_eq!(
            (&failure["kind"], &failure["tries"]),
            (&"refused".into(), &1.into())
        );
    }
}

/// Two models may not fit on one device.
#[test]
fn jobs_with_two_models_share_one_worker_at_a_time() {
    let bench = on("cpu-worker");
    let other = MODEL.replace("models/sd", "models/sdxl");
    let begin = |model: &str, seed: &str| {
        let args = [
            "generate",
            "--detach",
            "--backend",
            "candle",
            "--model",
            model,
            "--size",
            "64x64",
            "--steps",
            "1",
        ];
        let mut command = bench.command(
            args.iter()
                .chain(&["--items", "-", "--seed", seed])
                .copied(),
        );
        support::run(command.env_remove(WORKER), "#1\n#2\n#3\n").ok();
    };
    begin(MODEL, "1");
    begin(&other, "2");
    let owner = owners(bench.root())[0];
    let mut most = 0;
    wait_until("both jobs are done", || {
        most = most.max(workers(owner).len());
        bench
            .run(["jobs", "--json"])
            .lines()
            .iter()
            .all(|job| job["standing"] == "done")
    });
    assert_eq!(most, 1);
    let devices: Vec<Value> = bench
        .run(["jobs", "--json"])
        .lines()
        .iter()
        .map(|job| job["device"].clone())
        .collect();
    assert_eq!(devices, ["sdxl on CPU (f32)", "sd on CPU (f32)"]);
}

#[test]
fn decoding_in_tiles_is_recorded() {
    let bench = on("cpu-worker");
    let model = MODEL.replace("models/sd", "models/sdxl");
    let args = [
        "generate",
        "--json",
        "--backend",
        "candle",
        "--model",
        &model,
        "--size",
        "96x72",
        "--steps",
        "1",
    ];
    let mut command = bench.command(args.iter().chain(&["--items", "-"]).copied());
    let job = done(support::run(
        command.env_remove(WORKER).env(FAULT, "oom whole"),
        "#1\n#2\n#3\n",
    ));
    assert_eq!(
        (&job["standing"], &job["failed"]),
        (&"done".into(), &0.into()),
        "{job}"
    );
    let journal = std::fs::read_to_string(
        bench
            .root()
            .join("images")
            .join(benchtop::store::pictures::FILE),
    )
    .unwrap();
    let lines = support::json_lines(&journal);
    let parts: Vec<&Value> = lines.iter().filter_map(|l| l.get("parts")).collect();
    assert_eq!(
        parts.len(),
        1,
        "no picture came before there were tiles: {parts:?}"
    );
    assert_eq!(parts[0]["vae tiles"], "over 4096 pixels, of 64");
    assert!(!recorded(&bench).is_empty());
}

#[test]
fn a_working_gpu_program_is_used() {
    let bench = on("auto");
    // f16 is what a GPU is asked for: the one who answers is the other program, though it has no GPU either.
    let path = pretended(&bench, &format!("exec {PROGRAM} worker --device cpu"));
    let three = ["--json", "--items", "-"];
    let make = |worker: &Path, seed: &str| {
        let args = [&three[..], &["--seed", seed]].concat();
        let arguments = [
            "generate",
            "--backend",
            "candle",
            "--model",
            MODEL,
            "--size",
            "64x64",
            "--steps",
            "1",
        ];
        let mut command = bench.command(arguments.iter().chain(&args).copied());
        let made = done(support::run(command.env(WORKER, worker), "#1\n#2\n#3\n"));
        bench.run(["stop"]).ok();
        made
    };
    let job = make(&path, "1");
    assert_eq!(
        (&job["standing"], &job["device"]),
        (&"done".into(), &"sd on CPU (f16)".into()),
        "{job}"
    );
    // One that cannot start is as good as none, and says why; and so is one that is not there.
    let broken = pretended(&bench, &absent("libcuda.so.1"));
    for (seed, path, why) in [
        ("2", broken.as_path(), "libcuda.so.1"),
        ("3", Path::new("/no/such/benchtop-gpu"), ""),
    ] {
        let job = make(path, seed);
        let used = job["device"].as_str().unwrap();
        assert!(
            job["standing"] == "done"
                && used.starts_with("sd on CPU (f32)")
                && used.ends_with(if why.is_empty() { "(f32)" } else { why }),
            "{job}"
        );
    }
}

#[test]
fn a_named_gpu_has_no_fallback() {
    let bench = on("cuda:0");
    let missing = generate(&bench, &[], WORKER, "/no/such/benchtop-gpu").refused(1);
    for name in [
        "/no/such/benchtop-gpu",
        "--features cuda",
        "device = \"cpu\"",
    ] {
        assert!(missing.names(name), "{missing}");
    }
    bench.run(["stop"]).ok();
    let tried = |script: &str| {
        let broken = pretended(&bench, script);
        let output = generate(&bench, &["--json"], WORKER, broken.to_str().unwrap());
        assert_eq!(output.code, 1);
        let job = done(output);
        // A card that comes back lets it go on.
        assert_eq!(job["standing"], "paused");
        assert_eq!(recorded(&bench).len(), 0);
        bench.run(["stop"]).ok();
        job["reason"].as_str().unwrap().to_string()
    };
    let reason = tried("echo the card is gone >&2; exit 127");
    assert!(
        reason.contains("exit status 127") && reason.contains("the card is gone"),
        "{reason}"
    );
    for (library, help) in [
        ("libcuda.so.1", "device = \"cpu\""),
        ("libcublas.so.13", "LD_LIBRARY_PATH"),
    ] {
        let reason = tried(&absent(library));
        assert!(
            reason.contains(library) && reason.contains(help),
            "{reason}"
        );
    }
}

#[test]
fn doctor_tests_the_gpu_program() {
    let bench = Bench::new();
    let devices = |worker: &Path| {
        let mut command = bench.command(["doctor", "--json"]);
        let mut report = support::run(command.env(WORKER, worker), "")
            .lines()
            .remove(0);
        report["devices"].take()
    };
    let missing = devices(Path::new("/no/such/benchtop-gpu"));
    assert_eq!(missing["worker"]["program"], "/no/such/benchtop-gpu");
    assert!(
        missing["worker"]["problem"]
            .as_str()
            .unwrap()
            .contains("--features cuda"),
        "{missing}"
    );
    assert!(
        missing["cpu"]["cores"].as_u64().unwrap() >= 1
            && missing["cpu"]["instructions"].is_string()
    );
    let gpus = missing["gpus"].as_object().unwrap();
    assert_eq!(
        gpus.is_empty(),
        missing["no_gpu"].is_string(),
        "either GPUs or why there are none: {missing}"
    );
    assert!(gpus.values().all(|gpu| gpu["works"] == false));
    let there = devices(&pretended(
        &bench,
        &format!("exec {PROGRAM} worker --device cpu"),
    ));
    let gpu = &there["gpus"]["cuda:0"];
    assert_eq!(
        (&gpu["works"], &gpu["problem"], &there["worker"]["problem"]),
        (&true.into(), &Value::Null, &Value::Null)
    );
    assert!(
        gpu["computed"].as_str().unwrap().contains("operations") && gpu["took_ms"].is_u64(),
        "{gpu}"
    );
    let broken = devices(&pretended(&bench, &absent("libcuda.so.1")));
    let gpu = &broken["gpus"]["cuda:0"];
    let problem = gpu["problem"].as_str().unwrap();
    assert!(
        gpu["works"] == false
            && problem.contains("libcuda.so.1")
            && problem.contains("device = \"cpu\""),
        "{gpu}"
    );
    let text = bench.run(["doctor"]).ok();
    assert!(
        text.contains("devices") && text.contains("instructions"),
        "{text}"
    );
}
