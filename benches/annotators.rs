//! Ten annotators, each a process of its own, in one round beside a job that makes pictures.
//!
//! `cargo bench --bench annotators` prints a Markdown table and says what the journals prove; `BENCH_VERDICTS=100` is a
//! quick look. The floor is append + `fdatasync` of the same bytes, by this process, at the same time and pace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use benchtop::files::project::Project;
use benchtop::model::round::state::NextAssignment;
use benchtop::model::verdict::{Part, RoundContext};
use benchtop::model::{Judgement, Seen, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, request};
use benchtop::store::journal;
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
const PEOPLE: usize = 10;
const OVERLAP: usize = 5;
/// Between a receipt and the next verdict: forty times as fast as a person at 500 items an hour would be in a burst.
const PACE: Duration = Duration::from_millis(10);

fn main() -> Outcome<()> {
    if let Ok(who) = std::env::var("BENCH_ANNOTATOR") {
        return annotate(&who);
    }
    let each: usize = std::env::var("BENCH_VERDICTS")
        .ok()
        .map_or(Ok(1_000), |n| n.parse())?;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let root = dir.path().join("project");
    let project = Project::init(&root)?;
    let items = each * PEOPLE / OVERLAP;
    let lines: String = (0..items)
        .map(|n| {
            serde_json::json!({
                "id": n, "images": [], "question": format!("Is thing {n} red?"), "answer": "this",
                "question_type": "multi choice", "task": "recognition", "options": ["this", "that"],
            })
            .to_string()
                + "\n"
        })
        .collect();
    let file = dir.path().join("judged.jsonl");
    std::fs::write(&file, lines)?;
    let run = |args: &[&str]| -> Outcome<()> {
        let done = Command::new(PROGRAM)
            .args(args)
            .arg("--project")
            .arg(&root)
            .output()?;
        if done.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8(done.stderr)?.into())
        }
    };
    run(&["import", &file.to_string_lossy()])?;
    let names: Vec<String> = (0..PEOPLE).map(|n| format!("p{n}")).collect();
    let people = names.join(",");
    let round = [
        "round",
        "new",
        "all",
        "--protocol",
        "majority 3 of 5",
        "--people",
        &people,
        "--calibration",
        "0",
    ];
    run(&[&round[..], &["--repeats", "0", "--probes", "0"]].concat())?;
    // Pictures of other items: enough that the job outlasts the round.
    run(&["compose", "--count", "100000"])?;
    run(&[
        "generate",
        "--backend",
        "storyboard",
        "--plan",
        "dataset:balanced-1",
        "--detach",
    ])?;

    let over = AtomicBool::new(false);
    let began = Instant::now();
    let (mut decided, mut floor) = std::thread::scope(|scope| -> Outcome<_> {
        let floor = scope.spawn(|| append(&dir.path().join("floor"), &over));
        let children: Vec<_> = names
            .iter()
            .map(|who| annotator(who, &root))
            .collect::<Outcome<_>>()?;
        let mut decided = Vec::new();
        for child in children {
            let done = child.wait_with_output()?;
            if !done.status.success() {
                over.store(true, Ordering::SeqCst);
                return Err(String::from_utf8(done.stderr)?.into());
            }
            let text = String::from_utf8(done.stdout)?;
            decided.extend(
                text.lines()
                    .filter_map(|l| l.parse().ok())
                    .map(Duration::from_nanos),
            );
        }
        over.store(true, Ordering::SeqCst);
        let floor = floor.join().map_err(|_| "the floor")??;
        Ok((decided, floor))
    })?;
    let span = began.elapsed();
    let client = Client::attach(&project, "bench", |_| ())?.ok_or("no owner")?;
    let jobs = client.ask(request::Jobs)?;
    let made = jobs.iter().map(|job| job.done).sum::<u64>();
    let _ = client.ask(request::Stop);
    drop(client);
    println!(
        "{} verdicts of {PEOPLE} processes in {span:.1?} beside {:.0} pictures a second\n",
        decided.len(),
        made as f64 / span.as_secs_f64()
    );
    println!("| what | measured | floor | ratio | hold | |\n|---|---|---|---|---|---|");
    for (name, share, hold) in [("p50", 0.5, 2.5), ("p99", 0.99, 3.0)] {
        let (measured, floor) = (
            percentile(&mut decided, share),
            percentile(&mut floor, share),
        );
        let ratio = measured.as_secs_f64() / floor.as_secs_f64();
        let word = if ratio <= hold { "OK" } else { "OVER" };
        println!(
            "| a decision acknowledged, {name} | {measured:.2?} | {floor:.2?} | {ratio:.2}x | {hold}x | {word} |"
        );
    }
    prove(&project, items)
}

/// The journals: everybody judged an item once at most, and each item has as many verdicts as the round wants.
fn prove(project: &Project, items: usize) -> Outcome<()> {
    let mut by_item: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut verdicts, mut bytes) = (0, 0);
    for (who, path) in journal::list(&project.sessions())? {
        bytes += std::fs::metadata(&path)?.len();
        let reading = journal::read(&path)?;
        if !reading.problems.is_empty() || reading.torn {
            return Err(format!("{who}'s journal is damaged").into());
        }
        for decision in reading.decisions {
            verdicts += 1;
            let item = decision.item.clone();
            if !by_item
                .entry(decision.item)
                .or_default()
                .insert(who.clone())
            {
                return Err(format!("{who} was given {item} twice").into());
            }
        }
    }
    if by_item.len() != items || by_item.values().any(|people| people.len() != OVERLAP) {
        return Err("an item has more or fewer verdicts than the round wants".into());
    }
    println!(
        "\njournals: {verdicts} verdicts, {OVERLAP} people on each of {items} items, nobody twice;"
    );
    println!("{} bytes a verdict (to hold: 1500)", bytes / verdicts);
    Ok(())
}

fn annotator(who: &str, root: &Path) -> Outcome<std::process::Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .env("BENCH_ANNOTATOR", who)
        .env("BENCH_PROJECT", root);
    Ok(command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?)
}

/// One annotator: takes what the round gives until there is nothing more; prints how long each receipt took.
fn annotate(who: &str) -> Outcome<()> {
    let project = Project::open(Path::new(&std::env::var("BENCH_PROJECT")?))?;
    let client = Client::connect(&project, who, |_| ())?;
    let mut out = std::io::stdout().lock();
    loop {
        match client.ask(request::Next("all".into()))? {
            NextAssignment::Item(served) => {
                let asked = RoundContext {
                    round: "all".into(),
                    part: Part::Main,
                    guidelines: None,
                    revealed: false,
                };
                let verdict = if served.number % 3 == 0 {
                    Verdict::Flag
                } else {
                    Verdict::Accept
                };
                let judgement = Judgement {
                    round: Some(asked),
                    ms: Some(900),
                    ..Judgement::new(verdict, Seen::Painted)
                };
                let decide = Decide {
                    uuid: Uuid::now_v7(),
                    number: served.number,
                    expected: None,
                    judgement,
                };
                let began = Instant::now();
                client.ask(request::Decide(decide))?;
                writeln!(out, "{}", began.elapsed().as_nanos())?;
            }
            NextAssignment::Finished => return Ok(()),
            NextAssignment::Wait(_) => {}
            other => return Err(format!("{other:?}").into()),
        }
        std::thread::sleep(PACE);
    }
}

fn append(path: &Path, over: &AtomicBool) -> std::io::Result<Vec<Duration>> {
    let mut file = File::create(path)?;
    let mut times = Vec::new();
    while !over.load(Ordering::SeqCst) {
        let began = Instant::now();
        file.write_all(&[b'x'; 300])?;
        file.sync_data()?;
        times.push(began.elapsed());
        std::thread::sleep(PACE);
    }
    Ok(times)
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times
        .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}
