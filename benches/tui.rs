//! What a person at the terminal waits for: `cargo bench --bench tui`. `BENCH_ITEMS` shrinks the project (617,000).
//!
//! A verdict is measured from its key to the frame that shows the next item and says that the verdict is saved, in
//! process (the real event loop over a terminal in memory) and through a pseudo-terminal (the real program), turn by
//! turn with an append and `fdatasync` on the same disk. Prints a Markdown table; OVER marks what does not hold.
//!
//! Turn by turn and after pauses of random length, because a disk's answers may come on a tick: a loop without pauses
//! falls into step with it, and its median says 0.15 ms in one run and 4 ms in the next, below or above the verdicts
//! that contain such a sync. On a disk shared with others that still happens: a ratio below 1 says that the floor was
//! disturbed, not that a verdict is faster than its own sync. The journal is counted at the end: one line a verdict,
//! or the times mean nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use benchtop::model::Item;

mod synthetic;
// The rigs of the tests: the loop over a terminal in memory, and the program on a pseudo-terminal.
#[path = "../tests/terminal/pty.rs"]
mod pty;
#[path = "../tests/tui/support.rs"]
mod rig;
#[path = "../tests/support/mod.rs"]
mod support;
mod tui {
    pub(crate) use super::rig as support;
}

use pty::{Line, Pty};
use rig::{Bench, Seat};

/// Verdicts measured.
const VERDICTS: u32 = 500;
/// Starts measured; the median counts.
const STARTS: usize = 9;

struct Table(Vec<String>);

impl Table {
    fn row(&mut self, what: &str, value: f64, unit: &str, hold: Option<f64>) {
        let (hold, verdict) = match hold {
            Some(hold) => (
                format!("{hold} {unit}"),
                if value <= hold { "OK" } else { "OVER" },
            ),
            None => (String::new(), ""),
        };
        let line = format!("| {what} | {value:.2} {unit} | {hold} | {verdict} |");
        eprintln!("{line}");
        self.0.push(line);
    }

    fn times(&mut self, what: &str, times: &mut [Duration], hold: Option<(f64, f64)>) {
        times.sort_unstable();
        self.row(
            &format!("{what}, p50"),
            ms(at(times, 50)),
            "ms",
            hold.map(|h| h.0),
        );
        self.row(
            &format!("{what}, p99"),
            ms(at(times, 99)),
            "ms",
            hold.map(|h| h.1),
        );
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The percentile of sorted times.
fn at(times: &[Duration], percent: usize) -> Duration {
    times[((times.len() - 1) * percent).div_ceil(100)]
}

fn main() {
    let n = std::env::var("BENCH_ITEMS").map_or(synthetic::DYSCA, |n| {
        n.parse().expect("BENCH_ITEMS is a number")
    });
    assert!(
        n > 2 * u64::from(VERDICTS) + 50,
        "more items than verdicts are needed"
    );
    let mut table = Table(Vec::new());
    let bench = project(n);
    // An owner without clients would end between two measurements.
    let held = bench.client("script");
    let mut floor = Floor::new(bench.project().root());
    let start = bytes_and_verdicts(&bench, &mut table, &mut floor);
    through_a_pty(&bench, &mut table, &mut floor, start);
    let given = start - 1 + VERDICTS;
    assert_eq!(
        bench.journal("ann").len(),
        given as usize,
        "every verdict is a line of the journal"
    );
    starts(&bench, &mut table, "running");
    drop(held);
    starts(&bench, &mut table, "cold");
    let profile = if cfg!(debug_assertions) {
        "dev"
    } else {
        "release"
    };
    println!("\n{n} items, {VERDICTS} verdicts, {profile} profile\n");
    println!("| what | measured | hold | |\n|---|---|---|---|");
    table.0.iter().for_each(|line| println!("{line}"));
}

/// A project of `n` synthetic items, their file streamed. Without pictures: a picture that is missing asks before a
/// verdict, and `--bench preview` measures those that are there.
fn project(n: u64) -> Bench {
    let bench = Bench::empty();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("synthetic.jsonl");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a file"));
    for mut item in synthetic::items(n) {
        item.images.clear();
        serde_json::to_writer::<_, Item>(&mut out, &item).expect("writes");
        out.write_all(b"\n").expect("writes");
    }
    out.flush().expect("writes");
    bench.import(&path);
    bench
}

/// What the disk takes for a line like a journal's.
struct Floor {
    file: File,
    dice: u64,
    times: Vec<Duration>,
}

impl Floor {
    fn new(folder: &Path) -> Floor {
        let file = File::options()
            .create(true)
            .append(true)
            .open(folder.join("floor"))
            .expect("a file");
        Floor {
            file,
            dice: 1,
            times: Vec::new(),
        }
    }

    /// Up to 8 ms, so that what follows begins at any phase of the disk's tick.
    fn pause(&mut self) {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((self.dice >> 33) % 8_000));
    }

    /// One append between two pauses.
    fn turn(&mut self) {
        self.pause();
        let began = Instant::now();
        self.file.write_all(&[b'x'; 300]).expect("writes");
        self.file.sync_data().expect("syncs");
        self.times.push(began.elapsed());
        self.pause();
    }

    /// Tells `times`, and what the disk took meanwhile.
    fn tell(&mut self, table: &mut Table, what: &str, times: &mut [Duration]) {
        table.times(
            &format!(
                "append + fdatasync, beside the next ({} of each)",
                times.len()
            ),
            &mut self.times,
            None,
        );
        table.times(what, times, Some((10.0, 30.0)));
        let ratio = at(times, 50).as_secs_f64() / at(&self.times, 50).as_secs_f64();
        table.row(&format!("{what}: p50 over the append's"), ratio, "x", None);
        self.times.clear();
    }
}

/// Waits until nothing more is written; gives the bytes so far.
fn settle(bytes: impl Fn() -> usize) -> usize {
    let mut before = bytes();
    loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = bytes();
        if now == before {
            return now;
        }
        before = now;
    }
}

fn shows(shown: &str, n: u32) -> bool {
    shown.contains(&format!("#{n} saved")) && shown.contains(&format!("#{}  pending", n + 1))
}

/// In process; gives the item that comes next.
fn bytes_and_verdicts(bench: &Bench, table: &mut Table, floor: &mut Floor) -> u32 {
    let mut seat: Seat = bench.seat("ann");
    seat.on(1);
    let quiet = settle(|| seat.bytes());
    std::thread::sleep(Duration::from_secs(2));
    table.row(
        "idle, two seconds",
        (seat.bytes() - quiet) as f64,
        "B",
        Some(0.0),
    );
    let mut verdict = |n: u32| {
        seat.on(n);
        floor.turn();
        let began = Instant::now();
        seat.keys("a");
        seat.wait_until("the next item and the receipt", |shown| shows(shown, n));
        began.elapsed()
    };
    let mut times: Vec<Duration> = (1..=VERDICTS).map(&mut verdict).collect();
    let mut worst = 0;
    for n in VERDICTS + 1..=VERDICTS + 20 {
        let before = settle(|| seat.bytes());
        seat.judge(n, "a");
        seat.on(n + 1);
        worst = worst.max(settle(|| seat.bytes()) - before);
    }
    table.row(
        "a verdict, without picture",
        worst as f64,
        "B",
        Some(1_536.0),
    );
    floor.tell(table, "key to next item, saved, in process", &mut times);
    VERDICTS + 21
}

fn through_a_pty(bench: &Bench, table: &mut Table, floor: &mut Floor, start: u32) {
    let pty = Pty::open(bench, Line::default());
    let mut verdict = |n: u32| {
        pty.on(n);
        floor.turn();
        loop {
            let began = Instant::now();
            pty.keys(b"a");
            let shown = pty.wait_until("the next item and the receipt, or a no", |shown| {
                shows(shown, n) || shown.contains("has not shown this item yet")
            });
            if shows(&shown, n) {
                return began.elapsed();
            }
            // The terminal's answer was still on its way: nobody has seen the item yet.
            std::thread::sleep(Duration::from_millis(5));
            pty.keys(b"Z");
            pty.wait_for("`Z` does nothing");
        }
    };
    let mut times: Vec<Duration> = (start..start + VERDICTS).map(&mut verdict).collect();
    floor.tell(table, "key to next item, saved, through a PTY", &mut times);
}

/// From starting the program to its first frame, and to Home with its counts.
fn starts(bench: &Bench, table: &mut Table, owner: &str) {
    let cold = owner == "cold";
    let (mut frames, mut items) = (Vec::new(), Vec::new());
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..STARTS {
        if cold {
            bench.stop_owner();
            // Its end is not part of the next one's start.
            std::thread::sleep(Duration::from_secs(1));
        }
        let ready = folder.path().join(format!("{owner}-{round}"));
        let began = Instant::now();
        let pty = Pty::home(
            bench,
            Line::default(),
            &[("BENCHTOP_READY_FILE", &ready.to_string_lossy())],
        );
        while !ready.exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "no first frame");
            std::thread::sleep(Duration::from_micros(500));
        }
        frames.push(began.elapsed());
        pty.wait_until("the next step", |shown| shown.contains("Judge items"));
        items.push(began.elapsed());
    }
    let hold = if cold { 500.0 } else { 100.0 };
    for (what, times) in [("first frame", &mut frames), ("usable Home", &mut items)] {
        times.sort_unstable();
        table.row(
            &format!("start to {what}, owner {owner}"),
            ms(at(times, 50)),
            "ms",
            Some(hold),
        );
    }
}
