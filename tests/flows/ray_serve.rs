//! Ray Serve behind the pool: a replica is killed half-way, and every task ends once. `BENCHTOP_PYTHON` names a Python
//! that has `ray[serve]`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use benchtop::store::jobs::{Done, StepJournal, StepLine};
use serde_json::{Value, json};

use super::bootstrap::variants;
use super::eval::quiz;
use crate::durability::generate::recorded;
use crate::support::{Bench, Need, kill, skip, tell, wait_until};

/// Items of the bootstrapping job. A writer and a judge answer once for each.
const ITEMS: usize = 500;
const PICTURES: usize = 1000;
const IN_FLIGHT: usize = 8;

/// Ray Serve with `ray_serve.py`; dropped, it ends.
struct Serve {
    driver: Child,
    url: String,
    log: PathBuf,
}

impl Serve {
    /// `None` without Ray Serve.
    fn start(folder: &Path) -> Option<Serve> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows/ray_serve.py");
        let python = std::env::var_os("BENCHTOP_PYTHON").unwrap_or_else(|| "python3".into());
        let mut command = Command::new(python);
        let command = command.arg(script).arg(folder).stdin(Stdio::piped());
        let errors = folder.join("errors");
        let said = std::fs::File::create(&errors).unwrap();
        let Ok(mut driver) = command.stdout(Stdio::piped()).stderr(said).spawn() else {
            skip(Need::Program("ray"), "Ray Serve needs Python");
            return None;
        };
        let mut url = String::new();
        BufReader::new(driver.stdout.take().unwrap())
            .read_line(&mut url)
            .unwrap();
        let url = url.trim().to_string();
        if url.is_empty() {
            let code = driver.wait().unwrap().code();
            let said = std::fs::read_to_string(&errors).unwrap();
            assert_eq!(code, Some(3), "{said}");
            skip(Need::Program("ray"), said.trim());
            return None;
        }
        let log = folder.join("log");
        Some(Serve { driver, url, log })
    }

    /// The answers of a deployment: the process that gave each, and a digest of its request.
    fn answers(&self, name: &str) -> Vec<(u32, String)> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        lines
            .filter(|words| words[0] == name)
            .map(|words| (words[1].parse().unwrap(), words[2].to_string()))
            .collect()
    }

    /// Kills the replica of a deployment that answered last, once there are `half` answers. Waits
    /// until `is_done`, and checks that each of `all` requests was answered, and at most those in
    /// flight twice.
    fn kill_half_way(&self, name: &str, all: usize, is_done: impl Fn() -> bool) {
        wait_until("half of the answers", || {
            self.answers(name).len() >= all / 2 || is_done()
        });
        let killed = self.answers(name).last().unwrap().0;
        kill(killed);
        let before = self.answers(name).len();
        assert!(before < all, "all {all} tasks of {name} ended too early");
        wait_until("the job ends", is_done);
        let answers = self.answers(name);
        let mut by_process: BTreeMap<u32, usize> = BTreeMap::new();
        for (process, _) in &answers {
            *by_process.entry(*process).or_default() += 1;
        }
        let different: BTreeSet<&String> = answers.iter().map(|(_, digest)| digest).collect();
        tell(&format!(
            "{name}: replica {killed} killed after {before} of {all} answers; by replica {by_process:?}"
        ));
        assert!(by_process.len() >= 2, "{by_process:?}");
        assert!(
            answers[before..]
                .iter()
                .all(|(process, _)| *process != killed)
        );
        assert_eq!(different.len(), all);
        assert!(answers.len() <= all + IN_FLIGHT, "{}", answers.len());
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // Its processes end with the driver, whose standard input ends here.
        drop(self.driver.stdin.take());
        let _ = self.driver.wait();
    }
}

/// Writes these tables instead of those in `benchtop.toml`.
fn configured(bench: &Bench, tables: &str) {
    let path = bench.root().join("benchtop.toml");
    let mut config: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    config.extend(tables.parse::<toml::Table>().unwrap());
    std::fs::write(&path, config.to_string()).unwrap();
}

fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

fn is_done(bench: &Bench) -> bool {
    let job = job(bench);
    let stops = ["failed", "paused"].map(Value::from);
    assert!(!stops.contains(&job["standing"]), "{job}");
    job["standing"] == "done"
}

/// The bootstrapping job: each answer is once on disk, and each item is there once.
fn chat(serve: &Serve) {
    let bench = quiz(ITEMS);
    let table = |role: &str| {
        format!(
            "[{role}]\nmodel = \"{role}\"\nendpoints = [{{ url = \"{}/chat/v1\", concurrency = {IN_FLIGHT} }}]\n",
            serve.url
        )
    };
    configured(&bench, &["writer", "judge"].map(table).concat());
    bench
        .run(["bootstrap", "--strategies", "L4", "--detach"])
        .ok();
    serve.kill_half_way("chat", ITEMS * 2, || is_done(&bench));
    let job = job(&bench);
    assert_eq!((&job["done"], &job["failed"]), (&json!(ITEMS), &json!(0)));
    let mut answers: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    StepJournal::each(bench.root(), 1, &mut |line| {
        if let StepLine::Done {
            n,
            done: Done::Answer(answer),
            ..
        } = line
        {
            *answers.entry((n, answer.role.name())).or_default() += 1;
        }
    })
    .unwrap();
    assert_eq!(answers.len(), ITEMS * 2);
    assert!(answers.values().all(|count| *count == 1));
    let made = &variants(&bench)["L4"];
    let ids: BTreeSet<&String> = made.iter().map(|item| &item.id).collect();
    assert_eq!((ids.len(), made.len()), (ITEMS, ITEMS));
    let is_modified = |item: &benchtop::model::Item| {
        item.variant.as_ref().and_then(|variant| variant.modified) == Some(true)
    };
    assert!(made.iter().all(is_modified));
}

/// The generation job: each picture has one line and one file.
fn pictures(serve: &Serve) {
    let bench = Bench::new();
    let plan = format!("name = \"many\"\n[[pictures]]\nsubject = \"animal\"\ncount = {PICTURES}\n");
    let plan = bench.write("many.toml", plan);
    let plan = plan.to_str().unwrap();
    bench.run(["compose", "--plan", plan, "--seed", "3"]).ok();
    configured(
        &bench,
        &format!(
            "[generate]\nbackend = \"http\"\nmodel = \"m\"\nendpoints = [{{ url = \"{}/pictures/v1\", concurrency = {IN_FLIGHT} }}]\n",
            serve.url
        ),
    );
    bench.run(["generate", "--size", "64x64", "--detach"]).ok();
    serve.kill_half_way("pictures", PICTURES, || is_done(&bench));
    let job = job(&bench);
    assert_eq!(
        (&job["done"], &job["failed"]),
        (&json!(PICTURES), &json!(0))
    );
    let lines = recorded(&bench);
    let names: BTreeSet<&str> = lines
        .iter()
        .map(|line| line["picture"].as_str().unwrap())
        .collect();
    assert_eq!((names.len(), lines.len()), (PICTURES, PICTURES));
}

#[test]
fn every_task_ends_once_although_replicas_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let Some(serve) = Serve::start(dir.path()) else {
        return;
    };
    chat(&serve);
    pictures(&serve);
}
