//! Projects as earlier versions left them (`tests/fixtures/projects`): the program of today says of each what the program
//! that wrote it said, moves its files once, and goes on where a move was cut off.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use benchtop::model::{Error, Result};
use benchtop::store::layout;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::attacks::space::read_only;
use crate::parity::support::data;
use crate::support::{Bench, dice, owners, rounds, tell, wait_until};

const PROJECTS: [&str; 5] = ["verdicts", "rounds", "generated", "scores", "runs"];

/// Stands for the folder of the models in recorded commands.
const MODELS: &str = "{data}";

/// Members of JSON objects that hang on the moment, the process, or the folder.
const VOLATILE: [&str; 10] = [
    "pid",
    "started",
    "socket",
    "clients",
    "jobs",
    "latency",
    "store_bytes",
    "since",
    "files",
    "bytes",
];

/// Members with sentences for people: that there is one counts, and not its words.
const SENTENCES: [&str; 12] = [
    "lost",
    "methods",
    "no_interval",
    "not_ready",
    "notes",
    "orders",
    "plan",
    "reason",
    "remedy",
    "trace",
    "undefined",
    "what",
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/projects")
        .join(name)
}

/// A copy of a project, with the folder it lies in.
struct Copy {
    bench: Bench,
    _dir: TempDir,
}

/// Files of the archive by name.
fn archive(name: &str) -> BTreeMap<String, (Vec<u8>, u32)> {
    let file = std::fs::File::open(fixture(&format!("{name}.zip"))).unwrap();
    let mut packed = zip::ZipArchive::new(file).unwrap();
    let mut found = BTreeMap::new();
    for at in 0..packed.len() {
        let mut entry = packed.by_index(at).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let mode = entry.unix_mode().unwrap() & 0o777;
        found.insert(entry.name().unwrap().into_owned(), (bytes, mode));
    }
    found
}

fn unpack(name: &str) -> Copy {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    std::fs::create_dir(&root).unwrap();
    for (name, (bytes, mode)) in archive(name) {
        let path = root.join(&name);
        if name.ends_with('/') {
            std::fs::create_dir_all(&path).unwrap();
            continue;
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    }
    for folder in ["sessions", "store", "runs"] {
        if root.join(folder).is_dir() {
            std::fs::set_permissions(root.join(folder), PermissionsExt::from_mode(0o700)).unwrap();
        }
    }
    Copy {
        bench: Bench::at(root),
        _dir: dir,
    }
}

/// What the earlier program said: the command, whether an owner was there, the exit code, and the lines.
struct Recorded {
    args: Vec<String>,
    /// The project was as its program had left it.
    first: bool,
    closed: bool,
    code: i64,
    out: Value,
}

fn recorded(name: &str) -> Vec<Recorded> {
    let text = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
    let list: Vec<Value> = serde_json::from_str(&text).unwrap();
    let text = |arg: &Value| arg.as_str().unwrap().to_string();
    list.into_iter()
        .enumerate()
        .map(|(at, one)| Recorded {
            first: at == 0,
            args: one["args"].as_array().unwrap().iter().map(text).collect(),
            closed: one["when"] == "closed",
            code: one["code"].as_i64().unwrap(),
            out: known(&one["args"][0], steady(&one["out"])),
        })
        .collect()
}

/// The same without what is volatile.
fn steady(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(steady).collect(),
        Value::Object(object) => {
            let keep = |(key, value): (&String, &Value)| {
                let value = match key.as_str() {
                    key if VOLATILE.contains(&key) => Value::Null,
                    key if SENTENCES.contains(&key) => wordless(value),
                    _ => steady(value),
                };
                (key.clone(), value)
            };
            Value::Object(object.iter().map(keep).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The output of a command without what earlier versions did not say: new scorers, the kinds of jobs,
/// what they send, and scoring jobs among the others, with whom they share numbers now.
fn known(command: &Value, mut out: Value) -> Value {
    let lines = out.as_array_mut().unwrap();
    match command.as_str() {
        Some("jobs") => {
            lines.retain(|job| job["kind"] != "scoring");
            for job in lines.iter_mut().filter_map(Value::as_object_mut) {
                for field in ["kind", "unit", "scoring", "budget", "usage"] {
                    job.remove(field);
                }
                // Earlier versions took it from the file of the job.
                if let Some(waits) = job.get_mut("waits").and_then(Value::as_object_mut) {
                    waits.remove("count");
                }
            }
        }
        Some("filter") => {
            let scorers = lines.iter_mut().filter_map(|line| line.get_mut("scorers"));
            let mut scorers: Vec<_> = scorers.filter_map(Value::as_array_mut).collect();
            for list in &mut scorers {
                list.retain(|scorer| scorer["scorer"] != "contamination");
            }
            for scorer in scorers.into_iter().flatten() {
                if scorer["scorer"] == "ocr" {
                    // Depends on whether this machine has Tesseract.
                    scorer["not_ready"] = Value::Null;
                }
                if let Some(job) = scorer["job"].as_object_mut() {
                    job.remove("id");
                }
            }
        }
        Some("status") => {
            for status in lines.iter_mut() {
                if let Some(counts) = status["counts"].as_object_mut() {
                    counts.remove("released");
                }
            }
        }
        Some("round") => {
            for round in lines.iter_mut().filter_map(Value::as_object_mut) {
                // Earlier versions counted adjudicators who are no annotators of the round.
                round.remove("strangers");
            }
        }
        _ => {}
    }
    out
}

/// The same with one word for every sentence.
fn wordless(value: &Value) -> Value {
    match value {
        Value::String(_) => json!("words"),
        Value::Array(list) => list.iter().map(wordless).collect(),
        other => steady(other),
    }
}

/// What the program of today says to the same command, without notices, and the notices.
fn asked(bench: &Bench, args: &[String]) -> (i64, Value, Vec<String>) {
    let models = data("");
    let models = models.to_str().unwrap().trim_end_matches('/');
    let args: Vec<String> = args.iter().map(|arg| arg.replace(MODELS, models)).collect();
    let output = bench.run(args.iter().map(String::as_str));
    let root = bench.root().to_str().unwrap();
    let text = output.out.replace(root, "{root}").replace(models, MODELS);
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let mut lines: Vec<Value> = text.lines().map(line).collect();
    let mut notices = Vec::new();
    for line in &mut lines {
        if let Some(list) = line.get_mut("notices").filter(|_| args[0] == "status") {
            let list = std::mem::replace(list, json!([]));
            notices.extend(
                list.as_array()
                    .unwrap()
                    .iter()
                    .map(|n| n.as_str().unwrap().to_string()),
            );
        }
    }
    (
        i64::from(output.code),
        known(&json!(args[0]), steady(&Value::Array(lines))),
        notices,
    )
}

fn stop(bench: &Bench) {
    bench.run(["stop"]).ok();
    wait_until("the owner has ended", || owners(bench.root()).is_empty());
}

/// Asks every recorded command that `which` names. Gives the notices of the owner.
fn says_the_same(name: &str, bench: &Bench, which: &dyn Fn(&Recorded) -> bool) -> Vec<String> {
    let mut notices = Vec::new();
    let mut wrong = Vec::new();
    for one in recorded(name).iter().filter(|one| which(one)) {
        if one.closed {
            stop(bench);
        }
        let (code, out, told) = asked(bench, &one.args);
        notices.extend(told);
        let expected = known(&json!(one.args[0]), one.out.clone());
        if (code, &out) != (one.code, &expected) {
            let args = one.args.join(" ");
            wrong.push(format!(
                "{name}: {args}: {code}\n{out}\nrecorded: {}\n{}",
                one.code, one.out
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    notices
}

fn everything(name: &str, bench: &Bench) -> Vec<String> {
    says_the_same(name, bench, &|one| !one.first)
}

/// What shows jobs, scores, similarities and rules: enough to see whether anything is lost.
fn what_was_paid_for(one: &Recorded) -> bool {
    let args: Vec<&str> = one.args.iter().map(String::as_str).collect();
    matches!(
        args.as_slice(),
        ["jobs" | "eval" | "board", ..]
            | ["filter", "report" | "rules", "--json" | "show" | "clip", ..]
            | ["items", "--json"]
    )
}

/// That every file of the archive is where it belongs, byte for byte.
fn is_at_home(name: &str, bench: &Bench) {
    let root = bench.root();
    let mut moved = 0;
    for (file, (bytes, _)) in archive(name) {
        let Some(now) = layout::present_path(&file).filter(|now| !now.starts_with("store/")) else {
            continue;
        };
        assert!(
            root.join(&file).symlink_metadata().is_err(),
            "{file} is still there"
        );
        moved += 1;
        if now == "jobs/scoring.json" {
            // Each of its jobs has a file of its own.
            let list: Value = serde_json::from_slice(&bytes).unwrap();
            let list = list.get("jobs").unwrap_or(&list).as_array().unwrap().len();
            let (jobs, problems) = benchtop::store::jobs::list(root);
            assert!(problems.is_empty(), "{problems:?}");
            let scoring = jobs.iter().filter(|job| job.header.kind == "scoring");
            assert_eq!(scoring.count(), list);
            assert!(!root.join(&now).exists());
            continue;
        }
        assert_eq!(std::fs::read(root.join(&now)).unwrap(), bytes, "{file}");
    }
    assert!(moved > 20 || name != "scores", "{moved}");
    assert!(!layout::has_old_layout(&bench.project()));
    assert!(root.join("store/index/db").is_file());
    let mut folders: Vec<PathBuf> = ["scores", "jobs"]
        .iter()
        .map(|top| root.join(top))
        .collect();
    folders.retain(|folder| folder.exists());
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => assert_eq!(mode(&path) & 0o077, 0, "{}", path.display()),
            }
        }
    }
}

fn twice(name: &str) {
    let Copy { bench, _dir } = unpack(name);
    // Before it is moved, too.
    says_the_same(name, &bench, &|one| one.first);
    let notices = everything(name, &bench);
    let told = notices
        .iter()
        .filter(|n| n.contains("scores/ and jobs/"))
        .count();
    let expected = ["generated", "scores"].contains(&name);
    assert_eq!(
        (told, notices.len()),
        (usize::from(expected), usize::from(expected)),
        "{notices:?}"
    );
    is_at_home(name, &bench);
    assert_eq!(everything(name, &bench), [""; 0], "told once");
    // And from what nobody can rebuild alone.
    stop(&bench);
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    let notices = says_the_same(name, &bench, &|one| !one.closed);
    assert!(notices.iter().all(|n| n.contains("rebuilt")), "{notices:?}");
}

#[test]
fn verdicts_are_the_same() {
    twice("verdicts");
}

#[test]
fn rounds_are_the_same() {
    twice("rounds");
}

#[test]
fn pictures_and_their_jobs_are_the_same() {
    twice("generated");
}

#[test]
fn scores_are_the_same() {
    twice("scores");
}

#[test]
fn evaluations_are_the_same() {
    twice("runs");
}

#[test]
fn a_move_that_was_cut_off_after_any_step_is_gone_on_with() {
    for (name, every) in [("generated", 1), ("scores", 5)] {
        let mut steps = 0;
        loop {
            let Copy { bench, _dir } = unpack(name);
            let mut left = steps;
            let mut watch = |_: &str| -> Result<()> {
                if left == 0 {
                    return Err(Error::input("cut off"));
                }
                left -= 1;
                Ok(())
            };
            let done = layout::migrate_watched(&bench.project(), &mut watch);
            assert!(done.is_ok() || done.unwrap_err().what == "cut off");
            says_the_same(name, &bench, &what_was_paid_for);
            stop(&bench);
            is_at_home(name, &bench);
            if left > 0 {
                break;
            }
            steps += every;
        }
        tell(&format!(
            "{name}: cut off after 0 to {steps} steps, every {every}"
        ));
    }
}

#[test]
fn an_owner_that_is_killed_while_it_moves_files_loses_nothing() {
    for n in 0..rounds(12) {
        let name = ["generated", "scores"][n as usize % 2];
        let Copy { bench, _dir } = unpack(name);
        for again in 0..3 {
            let mut owner = bench.spawn_owner();
            std::thread::sleep(std::time::Duration::from_micros(
                500 * dice(n * 3 + again, 60),
            ));
            // Between `fork` and `exec` it is not yet an owner that `kill_owner` finds.
            owner.kill().unwrap();
            owner.wait().unwrap();
            bench.kill_owner();
        }
        says_the_same(name, &bench, &what_was_paid_for);
        stop(&bench);
        is_at_home(name, &bench);
    }
}

#[test]
fn on_read_only_media_scores_are_read_where_they_are() {
    for name in ["scores", "generated"] {
        let Copy { bench, _dir } = unpack(name);
        let at = bench.beside("mounted");
        let Some(mount) = read_only(bench.root(), &at) else {
            return;
        };
        let mounted = Bench::at(at.clone());
        let is_of_scores = |one: &Recorded| what_was_paid_for(one) && one.args[0] == "filter";
        // Paused jobs wait for nobody, and everything else is as it was.
        says_the_same(name, &mounted, &is_of_scores);
        let notices = mounted.status()["notices"].to_string();
        assert!(notices.contains("earlier version"), "{notices}");
        drop(mounted);
        wait_until("nobody is there", || owners(&at).is_empty());
        mount.unmount();
        assert!(layout::has_old_layout(&bench.project()));
        says_the_same(name, &bench, &what_was_paid_for);
        stop(&bench);
        is_at_home(name, &bench);
    }
}

#[test]
fn every_fixture_is_there() {
    for name in PROJECTS {
        assert!(
            recorded(name).len() > 15 && archive(name).contains_key("store/db"),
            "{name}"
        );
    }
}
