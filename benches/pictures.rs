//! Pictures made beside people: a decision next to a generating job, and opening a project with many recorded pictures.
//!
//! `cargo bench --bench pictures` prints a Markdown table; `BENCH_PICTURES=5000` is a quick look.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use benchtop::files::project::Project;
use benchtop::model::generated_image::{GeneratedImage, hex, prompt_key};
use benchtop::model::generation::Fingerprint;
use benchtop::model::job::{Budget, GenerationOverrides, JobStatus, NewJob};
use benchtop::model::{Filter, Judgement, Seen, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::start::owner_command;
use benchtop::protocol::wire::{Decide, PageRequest, request};
use benchtop::store::{open, pictures};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
/// Decisions at most.
const DECISIONS: usize = 4000;

fn row(what: &str, measured: Duration, floor: Duration, hold: Option<f64>) {
    let ratio = measured.as_secs_f64() / floor.as_secs_f64();
    let word = hold.map_or("", |hold| if ratio <= hold { "OK" } else { "OVER" });
    let hold = hold.map_or(String::new(), |hold| format!("{hold}x"));
    println!("| {what} | {measured:.2?} | {floor:.2?} | {ratio:.2}x | {hold} | {word} |");
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times
        .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// An owner of its own process; killed when the bench fails.
struct Owner(Child, Project);

impl Owner {
    fn start(root: &Path) -> Outcome<Owner> {
        for _ in 0..200 {
            let mut command = owner_command(Path::new(PROGRAM));
            command
                .arg("--project")
                .arg(root)
                .stdin(Stdio::null())
                .stdout(Stdio::piped());
            let mut child = command.spawn()?;
            let mut line = String::new();
            BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
            let owner = Owner(child, Project::open(root)?);
            match line.trim() {
                "\"ready\"" => return Ok(owner),
                // The owner that `compose` started still holds the project: it is asked to end.
                "\"owned\"" => drop(
                    owner
                        .client()
                        .and_then(|client| Ok(client.ask(request::Stop)?)),
                ),
                _ => return Err(line.into()),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("another owner keeps the project".into())
    }

    fn client(&self) -> Outcome<Client> {
        Ok(Client::attach(&self.1, "bench", |_| ())?.ok_or("no owner")?)
    }

    fn stop(mut self) -> Outcome<()> {
        let _ = self.client()?.ask(request::Stop);
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Outcome<()> {
    let n: u64 = std::env::var("BENCH_PICTURES")
        .ok()
        .map_or(Ok(100_000), |n| n.parse())?;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let root = dir.path().join("project");
    Project::init(&root)?;
    let count = n.to_string();
    let composed = Command::new(PROGRAM)
        .args(["compose", "--count", &count])
        .arg("--project")
        .arg(&root)
        .output()?;
    if !composed.status.success() {
        return Err(String::from_utf8(composed.stderr)?.into());
    }
    println!(
        "{n} questions\n\n| what | measured | floor | ratio | hold | |\n|---|---|---|---|---|---|"
    );
    let owner = Owner::start(&root)?;
    decisions(&owner.client()?, dir.path(), n)?;
    owner.stop()?;
    opening(&root, n)
}

/// Acknowledged decisions beside append + fdatasync of the same line, turn by turn, while pictures are made.
fn decisions(client: &Client, dir: &Path, n: u64) -> Outcome<()> {
    let wishes = GenerationOverrides {
        backend: Some("storyboard".into()),
        ..GenerationOverrides::default()
    };
    let begun = client.ask(request::Generate(
        Box::new(NewJob {
            samples: 1,
            seed: 1,
            overrides: wishes,
            ..NewJob::default()
        }),
        Budget::default(),
    ))?;
    let id = begun.job.ok_or("no job")?.id;
    let job = || -> Outcome<_> {
        Ok(client
            .ask(request::Jobs)?
            .into_iter()
            .find(|j| j.id == id)
            .ok_or("gone")?)
    };
    while job()?.done == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut file = File::create(dir.join("floor"))?;
    let (mut decided, mut appended) = (Vec::new(), Vec::new());
    let began = Instant::now();
    while decided.len() < DECISIONS {
        for _ in 0..10 {
            let number = 1 + (decided.len() as u64 * 7919 % n) as u32;
            let judgement = Judgement {
                ms: Some(900),
                ..Judgement::new(Verdict::Accept, Seen::Painted)
            };
            let decide = Decide {
                uuid: Uuid::now_v7(),
                number,
                expected: None,
                judgement,
            };
            let began = Instant::now();
            client.ask(request::Decide(decide))?;
            decided.push(began.elapsed());
        }
        for _ in 0..10 {
            let began = Instant::now();
            file.write_all(&[b'x'; 250])?;
            file.sync_data()?;
            appended.push(began.elapsed());
        }
        // A person's pace, so that the job makes pictures all the while.
        std::thread::sleep(Duration::from_millis(2));
    }
    let span = began.elapsed();
    let state = job()?;
    if state.standing != JobStatus::Running {
        return Err(format!(
            "the job is {} before the decisions end",
            state.standing.name()
        )
        .into());
    }
    let rate = state.done as f64 / span.as_secs_f64();
    for (name, share, hold) in [("p50", 0.5, 2.5), ("p99", 0.99, 3.0)] {
        let what = format!("a decision acknowledged beside {rate:.0} pictures a second, {name}");
        row(
            &what,
            percentile(&mut decided, share),
            percentile(&mut appended, share),
            Some(hold),
        );
    }
    client.ask(request::JobAct {
        id,
        act: benchtop::model::job::JobAct::Cancel,
    })?;
    Ok(())
}

/// Opening with as many recorded pictures as there are questions.
fn opening(root: &Path, n: u64) -> Outcome<()> {
    let project = Project::open(root)?;
    let first = || -> Outcome<Duration> {
        let began = Instant::now();
        let owner = Owner::start(root)?;
        let ask = PageRequest {
            generation: 1,
            filter: Filter::default(),
            sort: vec![],
            offset: 0,
            count: 50,
        };
        owner.client()?.ask(request::Page(ask))?;
        let time = began.elapsed();
        owner.stop()?;
        Ok(time)
    };
    let page = |rounds: usize| -> Outcome<Duration> {
        first()?;
        let mut times = (0..rounds).map(|_| first()).collect::<Outcome<Vec<_>>>()?;
        Ok(percentile(&mut times, 0.5))
    };
    let before = page(5)?;
    let print = Fingerprint::default()
        .with("backend", "storyboard")
        .with("version", 1);
    let opened = open::open(&project)?;
    let rev = opened.catalog.len() as u64;
    let mut list = Vec::with_capacity(n as usize);
    opened.catalog.each_line(0, &mut |row, line| {
        let item: benchtop::model::Item = serde_json::from_slice(line)
            .map_err(|e| benchtop::model::Error::input(e.to_string()))?;
        list.push(GeneratedImage {
            rev: rev + row as u64,
            dataset: item.dataset,
            picture: item.images[0].name.clone(),
            sample: 1,
            hash: blake3::hash(&row.to_le_bytes()).to_hex().to_string(),
            ext: "png".into(),
            width: 512,
            height: 512,
            seed: row as u64,
            fingerprint: print.short(),
            prompt: hex(prompt_key(
                item.prompt.as_deref().unwrap_or_default(),
                item.negative_prompt.as_deref(),
            )),
            job: 9,
            at: "2026-01-01T00:00:00.000Z".into(),
            draft: true,
            notes: Vec::new(),
            items: vec![item.id],
            composed_of: Vec::new(),
        });
        Ok(true)
    })?;
    let catalog = opened.catalog.clone();
    drop(opened);
    let mut journal = pictures::Journal::open(&project.images())?;
    for chunk in list.chunks(1000) {
        journal.append(chunk, std::slice::from_ref(&print))?;
    }
    let path = project.images().join(pictures::FILE);
    let began = Instant::now();
    std::hint::black_box(crc32fast::hash(&std::fs::read(&path)?));
    let floor = began.elapsed();
    let began = Instant::now();
    let (made, _) = open::load_pictures(&project)?;
    let read = began.elapsed();
    let began = Instant::now();
    std::hint::black_box(open::load_ledger(&project, &catalog, &made)?);
    let folded = began.elapsed();
    let bytes = std::fs::metadata(&path)?.len();
    row(
        &format!(
            "reading {} recorded pictures ({} MB) / read + CRC",
            made.len(),
            bytes / 1_000_000
        ),
        read,
        floor,
        None,
    );
    row(
        "folding them and the decisions / the same",
        folded,
        floor,
        None,
    );
    // The owner that is stopped first keeps the index over them.
    row(
        "owner's start to the first page with them / without",
        page(5)?,
        before,
        None,
    );
    let began = Instant::now();
    let (again, _) = open::load_pictures(&project)?;
    let kept = began.elapsed();
    row(
        &format!(
            "reading {} of them from what is kept / read + CRC of the journal",
            again.len()
        ),
        kept,
        floor,
        None,
    );
    Ok(())
}
