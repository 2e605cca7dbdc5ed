//! What reading a leaderboard costs at Dysca's size: `cargo bench --bench board`.
//!
//! 26 models answer 617,000 questions (`BENCH_ITEMS`, `BENCH_MODELS` for fewer): bringing the files in beside `wc -l` of them, the first
//! reading of all answers, a cold start to the first table, the table again on other questions, and the count itself beside a
//! naive loop over a byte an answer. Ratios are of one run; what is to hold is printed beside them.

use benchtop::model::cancel::Cancel;
use benchtop::protocol::start::owner_command;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::cli::board::sort;
use benchtop::files::project::Project;
use benchtop::metrics::score::parsed_answer::ParsedAnswer;
use benchtop::metrics::score::question_table::UNGRADED;
use benchtop::model::board::{BoardQuery, Curated};
use benchtop::model::import::ImportRequest as ImportAsk;
use benchtop::model::{Filter, Item, QuestionKind};
use benchtop::pipeline::board::{Similarities, from_catalog};
use benchtop::protocol::Client;
use benchtop::protocol::wire::request;
use benchtop::store::open;

mod synthetic;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");

fn number(name: &str, default: u64) -> Outcome<u64> {
    std::env::var(name).map_or(Ok(default), |n| Ok(n.parse()?))
}

/// An owner of its own process, ended with the bench.
struct Owner(Child);

impl Owner {
    fn start(root: &Path) -> Outcome<Owner> {
        let mut command = owner_command(Path::new(PROGRAM));
        command
            .arg("--project")
            .arg(root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        if line.trim() != "\"ready\"" {
            return Err(line.into());
        }
        Ok(Owner(child))
    }

    fn stop(mut self, project: &Project) -> Outcome<()> {
        let _ = client(project)?.ask(request::Stop);
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

fn client(project: &Project) -> Outcome<Client> {
    Ok(Client::attach(project, "bench", |_| ())?.ok_or("no owner")?)
}

/// SplitMix64.
fn roll(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Answers as models give them: mostly a letter in one of several dresses, some text, some refusals.
fn answer(item: &Item, dice: u64) -> String {
    if item.kind == QuestionKind::FreeForm {
        return "A picture of something in a style.".into();
    }
    let right = item.correct().unwrap_or(0);
    let at = if dice % 100 < 70 {
        right
    } else {
        (dice >> 8) as usize % item.options.len().max(1)
    };
    let (letter, text) = (
        Item::letter(at),
        item.options.get(at).map_or("", |o| o.text.as_str()),
    );
    match (dice >> 16) % 20 {
        0..9 => format!("({letter})"),
        9..14 => letter,
        14..16 => format!("{letter}. {text}"),
        16..18 => format!("The answer is ({letter}) {text}."),
        18 => text.to_string(),
        _ => "I'm sorry, I cannot tell from the image.".into(),
    }
}

fn files(folder: &Path, items: u64, models: u64) -> Outcome<(PathBuf, Vec<PathBuf>)> {
    let questions = folder.join("synthetic.jsonl");
    let mut out = BufWriter::new(File::create(&questions)?);
    let mut paths = Vec::new();
    let mut outs = Vec::new();
    for model in 0..models {
        paths.push(folder.join(format!("model-{model:02}.jsonl")));
        outs.push(BufWriter::new(File::create(&paths[model as usize])?));
    }
    for item in synthetic::items(items) {
        serde_json::to_writer(&mut out, &item)?;
        out.write_all(b"\n")?;
        for (model, out) in outs.iter_mut().enumerate() {
            let Some(n) = item
                .id
                .rsplit('/')
                .next()
                .and_then(|n| n.parse::<u64>().ok())
            else {
                continue;
            };
            let mut state = n ^ (model as u64) << 40;
            let output = serde_json::to_string(&answer(&item, roll(&mut state)))?;
            writeln!(out, "{{\"question_id\": {n}, \"output\": {output}}}")?;
        }
    }
    Ok((questions, paths))
}

fn show(time: Duration) -> String {
    if time.as_secs_f64() >= 1.0 {
        format!("{:.2} s", time.as_secs_f64())
    } else {
        format!("{:.2} ms", time.as_secs_f64() * 1e3)
    }
}

fn held(what: &str, took: Duration, most: Duration) -> bool {
    let word = if took <= most { "OK" } else { "OVER" };
    println!("{what}: {} (at most {}) {word}", show(took), show(most));
    took <= most
}

/// A time beside work of the same kind in the same run, so that the hold means the same on any machine.
fn held_beside(what: &str, took: Duration, (floor_is, floor): (&str, Duration), most: f64) -> bool {
    let ratio = took.as_secs_f64() / floor.as_secs_f64();
    let word = if ratio <= most { "OK" } else { "OVER" };
    println!(
        "{what}: {}, {floor_is} {}, {ratio:.3}x ({most}x) {word}",
        show(took),
        show(floor)
    );
    ratio <= most
}

fn least<T>(runs: usize, mut run: impl FnMut() -> Outcome<T>) -> Outcome<(Duration, T)> {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..runs {
        let began = Instant::now();
        let made = run()?;
        let took = began.elapsed();
        if best.as_ref().is_none_or(|(least, _)| took < *least) {
            best = Some((took, made));
        }
    }
    best.ok_or_else(|| "no runs".into())
}

fn main() -> Outcome<()> {
    let (items, models) = (
        number("BENCH_ITEMS", synthetic::DYSCA)?,
        number("BENCH_MODELS", 26)?,
    );
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let (questions, predictions) = files(dir.path(), items, models)?;
    let root = dir.path().join("project");
    let made = Command::new(PROGRAM)
        .arg("init")
        .arg(&root)
        .stdout(Stdio::null())
        .status()?;
    if !made.success() {
        return Err("no project was made".into());
    }
    let project = Project::open(&root)?;
    let owner = Owner::start(&root)?;
    let import = |paths: Vec<PathBuf>| -> Outcome<Duration> {
        let began = Instant::now();
        client(&project)?.ask(request::Import(ImportAsk {
            paths,
            ..ImportAsk::default()
        }))?;
        Ok(began.elapsed())
    };
    println!(
        "{items} questions brought in: {}",
        show(import(vec![questions])?)
    );
    let began = Instant::now();
    let counted = Command::new("wc")
        .arg("-l")
        .args(&predictions)
        .stdout(Stdio::null())
        .status()?;
    let floor = began.elapsed();
    let took = import(predictions.clone())?;
    let ratio = took.as_secs_f64() / floor.as_secs_f64();
    println!(
        "{models} prediction files brought in: {}, wc -l {} ({counted}), {ratio:.0}x",
        show(took),
        show(floor)
    );
    let began = Instant::now();
    let ask = |filter: &str, curated| -> Outcome<_> {
        let ask = BoardQuery {
            filter: Filter::parse(filter)?,
            curated,
            ..BoardQuery::default()
        };
        Ok(client(&project)?.ask(request::Board(Box::new(ask)))?)
    };
    let first = ask("", Curated::All)?;
    println!(
        "first reading of {} answers: {}",
        items * models,
        show(began.elapsed())
    );
    owner.stop(&project)?;

    let mut fine = true;
    let began = Instant::now();
    let owner = Owner::start(&root)?;
    let cold = ask("", Curated::All)?;
    let cold_start = began.elapsed();
    if cold.rows != first.rows {
        return Err("the second table is not the first".into());
    }
    let (took, _) = least(5, || ask("", Curated::All))?;
    fine &= held(
        "the table again, at a client",
        took,
        Duration::from_millis(16),
    );
    let (two_subtasks, _) = least(5, || ask("subtask:animal,plant", Curated::All))?;
    let (took, _) = least(5, || ask("", Curated::Accepted))?;
    fine &= held(
        "the table of accepted items, at a client",
        took,
        Duration::from_millis(16),
    );
    owner.stop(&project)?;

    let opened = open::open(&project)?;
    let none = Similarities {
        name: "free-form",
        of: None,
        find: &|_| Vec::new(),
    };
    let scored = from_catalog(
        &opened.catalog,
        &project.store(),
        (None, &Arc::default()),
        &none,
        Cancel::NEVER,
    )?;
    let ruled = scored.engine();
    let all = ruled.choose(None);
    let (took, mut board) = least(9, || Ok(ruled.count(&all)))?;
    let sheet = ruled.sheet();
    // A byte an answer, a comparison and two counts each, on one core as the table has one.
    let marks: Vec<Vec<ParsedAnswer>> = ruled.models().iter().map(|m| m.marks.clone()).collect();
    let (floor, counts) = least(5, || {
        let mut counts = vec![[0u64; 2]; marks.len() * (1 << 12)];
        for (model, marks) in marks.iter().enumerate() {
            for (row, mark) in marks.iter().enumerate() {
                let right = mark.chosen() == Some(sheet.gold[row]) && sheet.gold[row] != UNGRADED;
                let kind = usize::from(sheet.kind[row]);
                for at in [
                    usize::from(sheet.codes[1][row]) * 4 + kind,
                    2048 + usize::from(sheet.codes[3][row]),
                ] {
                    let count = &mut counts[model << 12 | at & 0xfff];
                    *count = [count[0] + u64::from(right), count[1] + 1];
                }
            }
        }
        Ok(counts)
    })?;
    let seen: u64 = counts.iter().map(|c| c[1]).sum();
    println!("the naive loop counts {seen} answers");
    let naive = ("naive loop", floor);
    let what = format!("{} columns of {models} models", board.columns.len());
    fine &= held_beside(&what, took, naive, 0.05);
    fine &= held_beside("cold start to the first table", cold_start, naive, 6.0);
    let what = "the table of two subtasks, at a client";
    fine &= held_beside(what, two_subtasks, naive, 0.5);
    let (took, ()) = least(9, || Ok(sort(&mut board, "SC")?))?;
    fine &= held("sorted by another column", took, Duration::from_millis(16));
    drop((Arc::new(opened.overlay), scored));
    println!("{}", if fine { "all held" } else { "not all held" });
    Ok(())
}
