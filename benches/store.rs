//! The store and its owner at 617,000 items: each number as a ratio to a floor measured in the same run.
//!
//! `cargo bench --bench store` prints a Markdown table; `BENCH_ITEMS=20000 cargo bench --bench store` is a quick look,
//! where fixed costs weigh more and the holds do not apply. The floors for import and export need python3.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use benchtop::files::project::Project;
use benchtop::model::import::ImportRequest as ImportAsk;
use benchtop::model::{Field, Filter, Judgement, Seen, Sort, Verdict};
use benchtop::owner::search::Search;
use benchtop::protocol::Client;
use benchtop::protocol::start::owner_command;
use benchtop::protocol::wire::{Decide, OwnerStatus, Page, PageRequest, request};
use benchtop::store::index::Index;
use benchtop::store::{Catalog, open, query};
use uuid::Uuid;

mod synthetic;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PROGRAM: &str = env!("CARGO_BIN_EXE_benchtop");
const FILTER: &str = "subtask:animal,plant type:multiple-choice";
const MIB: f64 = 1048576.0;

/// The rows of the table.
#[derive(Default)]
struct Table {
    over: u32,
}

impl Table {
    fn row(&mut self, what: &str, measured: &str, floor: &str, ratio: f64, hold: f64) {
        let word = if ratio <= hold { "OK" } else { "OVER" };
        self.over += u32::from(ratio > hold);
        println!("| {what} | {measured} | {floor} | {ratio:.2}x | {hold}x | {word} |");
    }

    fn time(&mut self, what: &str, measured: Duration, floor: Duration, hold: f64) {
        let ratio = measured.as_secs_f64() / floor.as_secs_f64();
        self.row(what, &show(measured), &show(floor), ratio, hold);
    }

    /// A limit that is no ratio.
    fn limit(&mut self, what: &str, measured: Duration, hold: Duration) {
        let word = if measured <= hold { "OK" } else { "OVER" };
        self.over += u32::from(measured > hold);
        println!(
            "| {what} | {} | | | {} | {word} |",
            show(measured),
            show(hold)
        );
    }

    fn note(&self, what: &str, measured: &str) {
        println!("| {what} | {measured} | | | | |");
    }
}

fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} us", s * 1e6),
    }
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times
        .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn median_of(rounds: usize, mut step: impl FnMut() -> Outcome<Duration>) -> Outcome<Duration> {
    let mut times = (0..rounds).map(|_| step()).collect::<Outcome<Vec<_>>>()?;
    Ok(percentile(&mut times, 0.5))
}

/// An owner of its own process; killed when the bench fails.
struct Owner {
    child: Child,
    project: Project,
}

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
        Ok(Owner {
            child,
            project: Project::open(root)?,
        })
    }

    fn client(&self) -> Outcome<Client> {
        Ok(Client::attach(&self.project, "bench", |_| ())?.ok_or("no owner")?)
    }

    /// A line of /proc/PID/status in MiB.
    fn memory(&self, name: &str) -> Outcome<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text
            .lines()
            .find_map(|l| l.strip_prefix(name))
            .ok_or("not there")?;
        Ok(line
            .trim_start_matches(':')
            .split_whitespace()
            .next()
            .ok_or("empty")?
            .parse::<f64>()?
            / 1024.0)
    }

    fn stop(mut self) -> Outcome<()> {
        let _ = self.client()?.ask(request::Stop);
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn page(client: &Client, filter: &str) -> Outcome<Page> {
    let ask = PageRequest {
        generation: 1,
        filter: Filter::parse(filter)?,
        sort: vec![],
        offset: 0,
        count: 50,
    };
    Ok(client.ask(request::Page(ask))?)
}

fn import(client: &Client, path: &Path) -> Outcome<u64> {
    {
        let report = client.ask(request::Import(ImportAsk {
            paths: vec![path.to_path_buf()],
            ..ImportAsk::default()
        }))?;
        Ok(report.items)
    }
}

fn sqlite(args: &[&Path], way: &str) -> Option<Duration> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floors/sqlite.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(way)
        .args(args)
        .output()
        .ok()?;
    let seconds: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

fn write_items(path: &Path, n: u64, dataset: &str) -> Outcome<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for mut item in synthetic::items(n) {
        item.dataset = dataset.into();
        item.id = format!("{dataset}/{}", item.key);
        serde_json::to_writer(&mut out, &item)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(std::fs::metadata(path)?.len())
}

fn bytes_below(dir: &Path) -> Outcome<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    for entry in std::fs::read_dir(dir)? {
        let meta = entry.as_ref().map_err(|e| e.to_string())?.metadata()?;
        sum += if meta.is_dir() {
            bytes_below(&entry?.path())?
        } else {
            meta.blocks() * 512
        };
    }
    Ok(sum)
}

fn main() -> Outcome<()> {
    let n: u64 = std::env::var("BENCH_ITEMS")
        .ok()
        .map_or(Ok(synthetic::DYSCA), |n| n.parse())?;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let root = dir.path().join("project");
    Project::init(&root)?;
    let source = dir.path().join("synthetic.jsonl");
    let jsonl = write_items(&source, n, "synthetic")?;
    println!("{n} items, {:.0} MiB as JSONL\n", jsonl as f64 / MIB);
    println!("| what | measured | floor | ratio | hold | |\n|---|---|---|---|---|---|");
    let mut table = Table::default();
    bring_in(&mut table, dir.path(), &root, &source, n)?;
    let disk = bytes_below(&root)? as f64;
    let shown = |bytes: f64| format!("{:.0} MiB", bytes / MIB);
    table.row(
        "project on disk / its JSONL",
        &shown(disk),
        &shown(jsonl as f64),
        disk / jsonl as f64,
        0.35,
    );
    warm(&mut table, dir.path(), &root)?;
    decisions(&mut table, dir.path(), &root, n)?;
    rebuilt(&mut table, &root)?;
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

/// Import and export beside SQLite, and the memory they take.
fn bring_in(table: &mut Table, dir: &Path, root: &Path, source: &Path, n: u64) -> Outcome<()> {
    let db: PathBuf = dir.join("floor.db");
    let written = sqlite(&[source, &db], "write");
    let owner = Owner::start(root)?;
    let client = owner.client()?;
    let began = Instant::now();
    let taken = import(&client, source)?;
    let import_time = began.elapsed();
    if taken != n {
        return Err(format!("{taken} of {n} items taken").into());
    }
    let peak = owner.memory("VmHWM")?;
    let out = dir.join("out.jsonl");
    let began = Instant::now();
    let export = Command::new(PROGRAM)
        .args(["export", "--format", "jsonl", "--out"])
        .arg(&out)
        .arg("--project")
        .arg(root)
        .stderr(Stdio::null())
        .status()?;
    let export_time = began.elapsed();
    if !export.success() || std::fs::read(&out)? != std::fs::read(source)? {
        return Err("the export is not the import".into());
    }
    let read = sqlite(&[&db, &dir.join("floor.jsonl")], "read");
    match (written, read) {
        (Some(written), Some(read)) => {
            table.time(
                "import of JSONL / SQLite writing the rows",
                import_time,
                written,
                0.8,
            );
            table.time(
                "export to JSONL / SQLite reading them",
                export_time,
                read,
                0.8,
            );
        }
        _ => {
            table.note(
                "import of JSONL (no python3 for the floor)",
                &show(import_time),
            );
            table.note(
                "export to JSONL (no python3 for the floor)",
                &show(export_time),
            );
        }
    }
    let shown = |mib: f64| format!("{mib:.0} MiB");
    table.row(
        "owner's peak memory while importing",
        &shown(peak),
        "150 MiB",
        peak / 150.0,
        1.0,
    );
    let after = owner.memory("VmHWM")?;
    table.row(
        "owner's peak memory after the export",
        &shown(after),
        "150 MiB",
        after / 150.0,
        1.0,
    );
    for name in ["floor.db", "floor.jsonl", "out.jsonl"] {
        let _ = std::fs::remove_file(dir.join(name));
    }
    drop(client);
    owner.stop()
}

/// Opening, first page, filter and sort, memory.
fn warm(table: &mut Table, dir: &Path, root: &Path) -> Outcome<()> {
    let project = Project::open(root)?;
    let opened = open::open(&project)?;
    let columns = opened.catalog.columns();
    let raw = columns_bytes(&opened.catalog, &opened.overlay);
    let file = dir.join("columns");
    std::fs::write(&file, &raw)?;
    let filter = Filter::parse(FILTER)?;
    let sort = [Sort {
        field: Field::Style,
        descending: false,
    }];
    let pass = median_of(31, || {
        let began = Instant::now();
        let codes: u64 = columns.codes.iter().flatten().map(|c| u64::from(*c)).sum();
        let kinds: u64 = columns
            .kind
            .iter()
            .chain(&opened.overlay.status)
            .map(|k| u64::from(*k))
            .sum();
        let hashes = columns
            .id_hash
            .iter()
            .fold(0u64, |sum, h| sum.wrapping_add(*h));
        let times: i64 = opened.overlay.judged.iter().sum();
        std::hint::black_box((codes, kinds, hashes, times));
        Ok(began.elapsed())
    })?;
    let listed = median_of(31, || {
        let began = Instant::now();
        let mut rows = query::select(columns, &opened.overlay, &filter);
        query::sort(columns, &opened.overlay, &mut rows, &sort, &|_| None);
        std::hint::black_box(rows.len());
        Ok(began.elapsed())
    })?;
    let arena = Search::default().arena(&opened.catalog)?.bytes();
    drop(opened);
    // In turn, so that both meet the same machine.
    let (mut floors, mut insides) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        let began = Instant::now();
        let mut bytes = Vec::with_capacity(raw.len());
        File::open(&file)?.read_to_end(&mut bytes)?;
        std::hint::black_box(crc32fast::hash(&bytes));
        floors.push(began.elapsed());
        let began = Instant::now();
        let opened = open::open(&project)?;
        let rows = query::select(opened.catalog.columns(), &opened.overlay, &filter);
        for row in rows.iter().take(50) {
            std::hint::black_box(opened.catalog.item(*row as usize)?);
        }
        insides.push(began.elapsed());
    }
    let (floor, inside) = (percentile(&mut floors, 0.5), percentile(&mut insides, 0.5));
    // Where that goes: nothing below is ours to hold, all of it is in the row above but sled, which opens behind it.
    let parts = of_which(&project, &filter)?;
    let outside = median_of(7, || {
        let began = Instant::now();
        let owner = Owner::start(root)?;
        let found = page(&owner.client()?, FILTER)?;
        let time = began.elapsed();
        if found.rows.len() != 50 {
            return Err(format!("{} rows", found.rows.len()).into());
        }
        owner.stop()?;
        Ok(time)
    })?;
    table.time(
        "warm open to first filtered page, in process / read + CRC of the columns",
        inside,
        floor,
        3.0,
    );
    table.note(
        "of which opening / filter / fifty rows",
        &parts[..3].join(" / "),
    );
    table.note("behind it, sled's own opening", &parts[3]);
    table.limit(
        "warm open to first filtered page: owner's start to 50 rows at a client",
        outside,
        Duration::from_millis(150),
    );
    table.time(
        "filter + sort + exact count / one pass over the columns",
        listed,
        pass,
        3.0,
    );
    let cold = median_of(5, || {
        let time = timed(root, &["items", "--filter", "number:1"])?;
        timed(root, &["stop"])?;
        Ok(time)
    })?;
    let owner = Owner::start(root)?;
    let running = median_of(9, || timed(root, &["items", "--filter", "number:1"]))?;
    table.limit(
        "start to usable, owner running (a command from exec to exit)",
        running,
        Duration::from_millis(100),
    );
    table.limit(
        "start to usable, cold (the same, starting the owner)",
        cold,
        Duration::from_millis(500),
    );
    let client = owner.client()?;
    let total = page(&client, "teapot")?.total;
    page(&client, FILTER)?;
    let (rss, floor) = (owner.memory("VmRSS")?, (raw.len() + arena) as f64 / MIB);
    let shown = |mib: f64| format!("{mib:.0} MiB");
    table.row(
        &format!("owner's memory after a search ({total} hits) / columns + arena"),
        &shown(rss),
        &shown(floor),
        rss / floor,
        2.0,
    );
    drop(client);
    owner.stop()
}

/// Medians of the steps from nothing to the first page, and of sled's opening alone.
fn of_which(project: &Project, filter: &Filter) -> Outcome<[String; 4]> {
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..9 {
        let began = Instant::now();
        let opened = open::open(project)?;
        times[0].push(began.elapsed());
        let began = Instant::now();
        let rows = query::select(opened.catalog.columns(), &opened.overlay, filter);
        times[1].push(began.elapsed());
        let began = Instant::now();
        for row in rows.iter().take(50) {
            std::hint::black_box(opened.catalog.item(*row as usize)?);
        }
        times[2].push(began.elapsed());
        drop(opened);
        let began = Instant::now();
        std::hint::black_box(Index::open(&project.index())?.meta()?);
        times[3].push(began.elapsed());
    }
    Ok(times.map(|mut times| show(percentile(&mut times, 0.5))))
}

fn columns_bytes(catalog: &Catalog, overlay: &benchtop::store::StatusColumns) -> Vec<u8> {
    let columns = catalog.columns();
    let mut raw = Vec::new();
    raw.extend(columns.id_hash.iter().flat_map(|v| v.to_le_bytes()));
    raw.extend_from_slice(&columns.kind);
    columns
        .codes
        .iter()
        .for_each(|c| raw.extend(c.iter().flat_map(|v| v.to_le_bytes())));
    raw.extend_from_slice(&overlay.status);
    raw.extend(overlay.judged.iter().flat_map(|v| v.to_le_bytes()));
    raw
}

fn timed(root: &Path, args: &[&str]) -> Outcome<Duration> {
    let began = Instant::now();
    let status = Command::new(PROGRAM)
        .args(args)
        .arg("--project")
        .arg(root)
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(began.elapsed())
    } else {
        Err(format!("{args:?} failed").into())
    }
}

/// Acknowledged decisions beside append + fdatasync of the same line, turn by turn; alone and during an import.
fn decisions(table: &mut Table, dir: &Path, root: &Path, n: u64) -> Outcome<()> {
    let owner = Owner::start(root)?;
    let client = owner.client()?;
    let mut floor = Floor {
        file: File::create(dir.join("floor"))?,
        line: vec![b'x'; 250],
    };
    let (mut decided, mut appended) = turns(&client, &mut floor, n, &mut |done| done < 4000)?;
    let rounds = decided.len();
    for (name, share, hold) in [("p50", 0.5, 2.5), ("p99", 0.99, 3.0)] {
        let (decided, appended) = (
            percentile(&mut decided, share),
            percentile(&mut appended, share),
        );
        table.time(
            &format!("decision acknowledged {name} / append + fdatasync ({rounds})"),
            decided,
            appended,
            hold,
        );
    }
    let second = dir.join("second.jsonl");
    write_items(&second, n, "second")?;
    let running = AtomicBool::new(true);
    let importer = owner.client()?;
    let (mut decided, mut appended) = std::thread::scope(|scope| {
        let importing = scope.spawn(|| {
            let taken = import(&importer, &second).map_err(|e| e.to_string());
            running.store(false, Ordering::SeqCst);
            taken
        });
        let times = turns(&client, &mut floor, n, &mut |_| {
            running.load(Ordering::SeqCst)
        })?;
        importing.join().map_err(|_| "the import panicked")??;
        Ok::<_, Box<dyn std::error::Error>>(times)
    })?;
    let rounds = decided.len();
    let worst = decided.iter().max().copied().unwrap_or_default();
    for (name, share, hold) in [("p50", 0.5, 2.5), ("p99", 0.99, 3.0)] {
        let (decided, appended) = (
            percentile(&mut decided, share),
            percentile(&mut appended, share),
        );
        let what = format!("the same beside an import, {name} ({rounds})");
        table.time(&what, decided, appended, hold);
    }
    table.limit("the longest of those", worst, Duration::from_millis(100));
    beside_a_writer(table, dir, &client, &mut floor, n)?;
    println!("\n{}", waited(&client)?);
    drop((client, importer));
    owner.stop()
}

/// The same while another process writes 20 MB a second to the same disk and syncs each megabyte.
fn beside_a_writer(
    table: &mut Table,
    dir: &Path,
    client: &Client,
    floor: &mut Floor,
    n: u64,
) -> Outcome<()> {
    const MEGABYTE: usize = 1_000_000;
    let over = AtomicBool::new(false);
    let path = dir.join("writer");
    let (mut decided, mut appended, written) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| -> std::io::Result<u32> {
            let mut file = File::create(&path)?;
            let (bytes, began, mut written) = (vec![b'w'; MEGABYTE], Instant::now(), 0);
            while !over.load(Ordering::SeqCst) {
                file.write_all(&bytes)?;
                file.sync_data()?;
                written += 1;
                std::thread::sleep(
                    (Duration::from_millis(50) * written).saturating_sub(began.elapsed()),
                );
            }
            Ok(written)
        });
        let began = Instant::now();
        let times = turns(client, floor, n, &mut |_| {
            began.elapsed() < Duration::from_secs(10)
        });
        over.store(true, Ordering::SeqCst);
        let written = writing.join().map_err(|_| "the writer panicked")??;
        let (decided, appended) = times?;
        Ok::<_, Box<dyn std::error::Error>>((decided, appended, written))
    })?;
    std::fs::remove_file(&path)?;
    let rounds = decided.len();
    for (name, share, hold) in [("p50", 0.5, 2.5), ("p99", 0.99, 3.0)] {
        let (decided, appended) = (
            percentile(&mut decided, share),
            percentile(&mut appended, share),
        );
        let what = format!(
            "the same beside {} MB/s of another process, {name} ({rounds})",
            written / 10
        );
        table.time(&what, decided, appended, hold);
    }
    Ok(())
}

/// Where the decisions of this owner waited, as `benchtop status` says it.
fn waited(client: &Client) -> Outcome<String> {
    let status = client.ask(request::Status)?;
    let mut out = String::from(
        "| step | decisions | p50 us | p99 us | longest us |\n|---|---|---|---|---|\n",
    );
    for waits in &status.latency {
        let [p50, p99, longest] = [waits.within(0.5), waits.within(0.99), waits.longest]
            .map(|nanos| nanos as f64 / 1000.0);
        out.push_str(&format!(
            "| {} | {} | {p50:.1} | {p99:.1} | {longest:.1} |\n",
            waits.step,
            waits.count()
        ));
    }
    Ok(out)
}

struct Floor {
    file: File,
    line: Vec<u8>,
}

/// Decisions and appends, one after the other, while `on` says so. Each append follows a pause as long as
/// that before a decision: ten appends in a row are a quarter faster than that.
fn turns(
    client: &Client,
    floor: &mut Floor,
    n: u64,
    on: &mut dyn FnMut(usize) -> bool,
) -> Outcome<(Vec<Duration>, Vec<Duration>)> {
    let (mut decided, mut appended) = (Vec::new(), Vec::new());
    while on(decided.len()) {
        let number = 1 + (decided.len() as u64 * 7919 % n) as u32;
        let judgement = Judgement {
            ms: Some(900),
            ..Judgement::new(Verdict::Accept, Seen::Painted)
        };
        let ask = request::Decide(Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: None,
            judgement,
        });
        let began = Instant::now();
        client.ask(ask)?;
        decided.push(began.elapsed());
        let began = Instant::now();
        floor.file.write_all(&floor.line)?;
        floor.file.sync_data()?;
        appended.push(began.elapsed());
    }
    Ok((decided, appended))
}

/// How long the same project takes without its index, and with a stale one.
fn rebuilt(table: &mut Table, root: &Path) -> Outcome<()> {
    std::fs::remove_dir_all(root.join("store"))?;
    let began = Instant::now();
    let owner = Owner::start(root)?;
    let time = began.elapsed();
    let status = owner.client()?.ask(request::Status)?;
    let OwnerStatus {
        items, decisions, ..
    } = status;
    table.note(
        &format!("rebuild of the index: {items} items, {decisions} decisions"),
        &show(time),
    );
    owner.stop()
}
