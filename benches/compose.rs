//! Composing 617,000 questions: into a store through its owner, into a file, and alone; and the preview of an edit.
//!
//! `cargo bench --bench compose` prints a Markdown table; `BENCH_ITEMS=20000 cargo bench --bench compose` is a quick
//! look, where the limits of the large composition do not say much.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::compose::compiled_metadata::CompiledMetadata;
use benchtop::compose::engine::Composer;
use benchtop::compose::metadata::Metadata;
use benchtop::compose::plan::Plan;
use benchtop::compose::schedule::Schedule;
use benchtop::files::project::Project;
use benchtop::model::MetaFile;
use benchtop::model::metafile::shipped;
use benchtop::protocol::Client;
use benchtop::protocol::start::owner_command;
use benchtop::protocol::wire::request;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
/// Questions of Dysca.
const DYSCA: u64 = 617_000;
const SEED: u64 = 7;
/// Questions that are composed and then written in one go, to time the writing alone.
const BATCH: u64 = 4096;
/// Questions that the pane shows.
const PREVIEW: u64 = 20;

#[derive(Default)]
struct Table {
    over: u32,
}

impl Table {
    /// A number and its limit, both in the same unit.
    fn limit(&mut self, what: &str, measured: f64, limit: f64, unit: &str) {
        let word = if measured <= limit { "OK" } else { "OVER" };
        self.over += u32::from(measured > limit);
        println!("| {what} | {measured:.2} {unit} | {limit} {unit} | {word} |");
    }

    fn note(&self, what: &str, measured: &str) {
        println!("| {what} | {measured} | | |");
    }
}

fn composer(metadata: &Metadata, count: u64) -> Outcome<Composer> {
    let (grammar, found) = CompiledMetadata::compile(metadata);
    if let Some(finding) = found.first() {
        return Err(finding.to_string().into());
    }
    let course = Schedule::new(&grammar, &Plan::balanced(&grammar, count))?;
    Ok(Composer::new(Arc::new(grammar), Arc::new(course), SEED))
}

fn main() -> Outcome<()> {
    let n: u64 = std::env::var("BENCH_ITEMS")
        .ok()
        .map_or(Ok(DYSCA), |n| n.parse())?;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    println!("{n} questions\n\n| what | measured | limit | |\n|---|---|---|---|");
    let mut table = Table::default();
    let metadata = Metadata::parse(shipped());
    let json = alone(&table, &metadata, n, dir.path())?;
    stored(&mut table, dir.path(), n, json)?;
    written(&table, dir.path(), n)?;
    preview(&mut table, &metadata)?;
    println!(
        "\n{}",
        if table.over == 0 {
            "all held".to_string()
        } else {
            format!("{} OVER", table.over)
        }
    );
    Ok(())
}

fn rate(n: u64, time: Duration) -> String {
    format!(
        "{:.2} s, {:.0} questions/s",
        time.as_secs_f64(),
        n as f64 / time.as_secs_f64()
    )
}

/// Composing on one thread, and writing what was composed with serde_json alone; gives the latter's time.
fn alone(table: &Table, metadata: &Metadata, n: u64, dir: &Path) -> Outcome<Duration> {
    let mut composer = composer(metadata, n)?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(dir.join("floor.jsonl"))?);
    let (mut composing, mut writing) = (Duration::ZERO, Duration::ZERO);
    for first in (0..n).step_by(BATCH as usize) {
        let began = Instant::now();
        let items: Vec<_> = (first..n.min(first + BATCH))
            .filter_map(|n| composer.question(n))
            .collect();
        composing += began.elapsed();
        let began = Instant::now();
        for item in &items {
            serde_json::to_writer(&mut out, item)?;
            out.write_all(b"\n")?;
        }
        writing += began.elapsed();
        if items.len() as u64 != BATCH.min(n - first) {
            return Err("a question could not be composed".into());
        }
    }
    let began = Instant::now();
    out.flush()?;
    writing += began.elapsed();
    let size = std::fs::metadata(dir.join("floor.jsonl"))?.len();
    std::fs::remove_file(dir.join("floor.jsonl"))?;
    table.note("composing alone, one thread", &rate(n, composing));
    table.note(
        "the same without rules of compatibility",
        &rate(n, without_rules(metadata, n)?),
    );
    let began = Instant::now();
    black_box(self::composer(metadata, n)?);
    table.note(
        "of it dealing what every picture shows",
        &format!("{:.2} s", began.elapsed().as_secs_f64()),
    );
    table.note(
        &format!(
            "serde_json writing the same as {} MiB of JSON lines",
            size >> 20
        ),
        &rate(n, writing),
    );
    Ok(writing)
}

/// Composing on one thread as if there were no rules of compatibility.
fn without_rules(metadata: &Metadata, n: u64) -> Outcome<Duration> {
    let began = Instant::now();
    let grammar = CompiledMetadata::compile(metadata).0.without_rules();
    let course = Schedule::new(&grammar, &Plan::balanced(&grammar, n))?;
    let mut composer = Composer::new(Arc::new(grammar), Arc::new(course), SEED);
    for question in 0..n {
        black_box(composer.question(question));
    }
    Ok(began.elapsed())
}

/// An owner of its own process; killed when the bench fails.
struct Owner(Child);

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Into a store, through its owner.
fn stored(table: &mut Table, dir: &Path, n: u64, json: Duration) -> Outcome<()> {
    let root = dir.join("project");
    let project = Project::init(&root)?;
    let mut command = owner_command(Path::new(PROGRAM));
    command
        .arg("--project")
        .arg(&root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut owner = Owner(command.spawn()?);
    let mut line = String::new();
    BufReader::new(owner.0.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
    let client = Client::attach(&project, "bench", |_| ())?.ok_or("no owner")?;
    let ask = || request::Compose {
        plan: None,
        seed: SEED,
        count: Some(n),
        allow_impossible: false,
    };
    let began = Instant::now();
    let report = client.ask(ask())?;
    let time = began.elapsed();
    if report.items != n {
        return Err(format!("{} of {n} questions composed", report.items).into());
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", owner.0.id()))?;
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .and_then(|l| l.split_whitespace().next());
    let peak = peak.ok_or("not there")?.parse::<f64>()? / 1024.0;
    table.note("composed into a store", &rate(n, time));
    table.limit("the same, seconds", time.as_secs_f64(), 15.0, "s");
    table.limit("the same, the owner's peak memory", peak, 500.0, "MiB");
    let ratio = time.as_secs_f64() / json.as_secs_f64();
    table.note(
        "the same / serde_json writing the same JSON",
        &format!("{ratio:.2}x"),
    );
    let began = Instant::now();
    let again = client.ask(ask())?;
    if (again.already, again.items) != (n, 0) {
        return Err(format!("{again:?}").into());
    }
    table.note(
        "the same again, which adds nothing",
        &rate(n, began.elapsed()),
    );
    let _ = client.ask(request::Stop);
    Ok(())
}

/// Into a file of Dysca's JSON.
fn written(table: &Table, dir: &Path, n: u64) -> Outcome<()> {
    let out = dir.join("dysca.json");
    let began = Instant::now();
    let mut command = Command::new(PROGRAM);
    command
        .args(["compose", "--count", &n.to_string(), "--out"])
        .arg(&out)
        .current_dir(dir)
        .stderr(Stdio::null());
    if !command.status()?.success() {
        return Err("compose --out failed".into());
    }
    let time = began.elapsed();
    let size = std::fs::metadata(&out)?.len();
    table.note(
        &format!("compose --out, {} MiB of Dysca's JSON", size >> 20),
        &rate(n, time),
    );
    Ok(())
}

/// From an edited file to its questions: the file read again, everything compiled, the questions composed.
fn preview(table: &mut Table, metadata: &Metadata) -> Outcome<()> {
    for (name, from, to) in [
        ("vocabularies/animal.txt", "\n", "\nquokka\n"),
        ("vocabularies/text.txt", "\n", "\nquokka\n"),
        ("styles.toml", "translucent washes", "thin washes"),
        (
            "templates.toml",
            "1 {color} {animal}",
            "one {color} {animal}",
        ),
    ] {
        let text = metadata.text(name).ok_or("not there")?;
        let edited = text.replacen(from, to, 1);
        if edited == text {
            return Err(format!("{name} was not edited").into());
        }
        let mut times = Vec::new();
        for _ in 0..51 {
            let text = edited.clone();
            let began = Instant::now();
            let mut metadata = metadata.clone();
            metadata.insert(MetaFile {
                name: name.into(),
                text,
            });
            let mut composer = composer(&metadata, 3000)?;
            for question in 0..PREVIEW {
                // Far apart, so that subjects and types differ.
                black_box(composer.question(question * 149));
            }
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let what = format!(
            "preview after an edit of {name}: read, compiled, {PREVIEW} questions (p95 of 51)"
        );
        table.limit(&what, times[48], 16.0, "ms");
    }
    Ok(())
}
