//! A slow line: 200 ms each way, bytes that arrive in pieces cut anywhere, and hang-ups in the middle of anything. What the
//! journal holds is what the screen acknowledged, and no half of a key is ever a verdict.
//!
//! A few runs in `cargo test`; `BENCHTOP_TORTURE=500 cargo test --test suite slow_line` for as many as one likes.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

use benchtop::protocol::wire::request;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::pty::ANSWERS;
use crate::support::{dice, rounds, tell};
use crate::tui::support::{BENCHTOP, Bench, PATIENCE};

/// One way.
const LATE: Duration = Duration::from_millis(200);
/// Longest pause between two pieces of what was sent as one.
const PAUSE_MS: u64 = 60;
const SIZE: (u16, u16) = (100, 30);
/// Verdicts in a run, and runs at the same time: they wait most of the time.
const VERDICTS: usize = 3;
const ABREAST: u64 = 8;

/// Chance, the same for the same seed.
struct Dice(u64, AtomicU64);

impl Dice {
    fn roll(&self, n: u64) -> u64 {
        dice(self.0 << 32 | self.1.fetch_add(1, Ordering::SeqCst), n)
    }
}

/// One direction of the line: what goes in comes out later, in order, in pieces.
struct Way(mpsc::Sender<Vec<u8>>);

impl Way {
    fn new(
        dice: Arc<Dice>,
        cut: Arc<AtomicBool>,
        mut out: impl FnMut(&[u8]) + Send + 'static,
    ) -> Way {
        let (sender, queue) = mpsc::channel::<Vec<u8>>();
        std::thread::spawn(move || {
            // Arrival times are those of sending: a queue does not add up.
            let mut waiting: std::collections::VecDeque<(Instant, Vec<u8>)> =
                std::collections::VecDeque::new();
            loop {
                let due = waiting
                    .front()
                    .map(|(due, _)| due.saturating_duration_since(Instant::now()));
                let heard = due.map_or_else(
                    || {
                        queue
                            .recv()
                            .map_err(|_| mpsc::RecvTimeoutError::Disconnected)
                    },
                    |due| queue.recv_timeout(due),
                );
                match heard {
                    Ok(bytes) => {
                        waiting.push_back((Instant::now() + LATE, bytes));
                        continue;
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    // What was sent before the end arrives all the same.
                    Err(mpsc::RecvTimeoutError::Disconnected) => match due {
                        Some(due) => std::thread::sleep(due),
                        None => return,
                    },
                }
                let Some((_, bytes)) = waiting.pop_front() else {
                    continue;
                };
                let mut rest = bytes.as_slice();
                while !rest.is_empty() {
                    // What is under way when the line is cut is lost.
                    if cut.load(Ordering::SeqCst) {
                        return;
                    }
                    let at = 1 + dice.roll(rest.len() as u64) as usize;
                    out(&rest[..at]);
                    rest = &rest[at..];
                    if !rest.is_empty() && bytes.len() < 64 {
                        std::thread::sleep(Duration::from_millis(dice.roll(PAUSE_MS)));
                    }
                }
            }
        });
        Way(sender)
    }

    fn send(&self, bytes: &[u8]) {
        let _ = self.0.send(bytes.to_vec());
    }
}

struct Glass {
    screen: vt100::Parser,
    raw: Vec<u8>,
    asked: usize,
}

/// A person at the far end of the line.
struct Far {
    glass: Arc<(Mutex<Glass>, Condvar)>,
    keyboard: Arc<Way>,
    cut: Arc<AtomicBool>,
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Far {
    fn open(bench: &Bench, dice: &Arc<Dice>) -> Far {
        let mut command = CommandBuilder::new(BENCHTOP);
        command.arg("--project");
        command.arg(bench.project().root());
        command.env("XDG_CONFIG_HOME", bench.person());
        command.env("XDG_STATE_HOME", bench.person().join("state"));
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("BENCHTOP_AS", "ann"),
            ("SSH_TTY", "/dev/pts/0"),
        ] {
            command.env(name, value);
        }
        for name in [
            "TMUX",
            "NO_COLOR",
            "ACCESSIBLE",
            "COLORTERM",
            "TERM_PROGRAM",
            "LC_TERMINAL",
        ] {
            command.env_remove(name);
        }
        let pair = native_pty_system()
            .openpty(PtySize {
                cols: SIZE.0,
                rows: SIZE.1,
                ..PtySize::default()
            })
            .unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let writer = Arc::new(Mutex::new(Some(pair.master.take_writer().unwrap())));
        let cut = Arc::new(AtomicBool::new(false));
        let typed = writer.clone();
        let keyboard = Arc::new(Way::new(dice.clone(), cut.clone(), move |bytes| {
            if let Some(out) = typed.lock().unwrap().as_mut() {
                let _ = out.write_all(bytes).and_then(|()| out.flush());
            }
        }));
        let glass = Glass {
            screen: vt100::Parser::new(SIZE.1, SIZE.0, 0),
            raw: Vec::new(),
            asked: 0,
        };
        let glass = Arc::new((Mutex::new(glass), Condvar::new()));
        let (shown, answer) = (glass.clone(), keyboard.clone());
        let screen = Way::new(dice.clone(), cut.clone(), move |bytes| {
            let mut glass = shown.0.lock().unwrap();
            glass.screen.process(bytes);
            glass.raw.extend_from_slice(bytes);
            loop {
                let rest = &glass.raw[glass.asked..];
                let found = ANSWERS.iter().filter_map(|(q, a)| {
                    memchr::memmem::find(rest, q).map(|at| (at + q.len(), *a))
                });
                let Some((end, said)) = found.min_by_key(|(end, _)| *end) else {
                    break;
                };
                glass.asked += end;
                answer.send(said);
            }
            shown.1.notify_all();
        });
        let mut source = pair.master.try_clone_reader().unwrap();
        let over = cut.clone();
        let read = move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = source.read(&mut buffer) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                screen.send(&buffer[..n]);
            }
        };
        let reader = Some(std::thread::spawn(read));
        let far = Far {
            glass,
            keyboard,
            cut,
            child,
            master: Some(pair.master),
            writer,
            reader,
        };
        far.wait("Home", |shown| shown.contains("6 Score").then_some(()));
        far.keyboard.send(b"gr");
        far
    }

    fn text(&self) -> String {
        let glass = self.glass.0.lock().unwrap();
        glass
            .screen
            .screen()
            .rows(0, SIZE.0)
            .map(|row| row.trim_end().to_string())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Waits until the screen is as wanted; gives what was found in it.
    fn wait<T>(&self, what: &str, is: impl Fn(&str) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE * 3;
        loop {
            let shown = self.text();
            if let Some(found) = is(&shown) {
                return found;
            }
            assert!(
                Instant::now() < until,
                "waited for {what}; the screen:\n{shown}"
            );
            let glass = self.glass.0.lock().unwrap();
            drop(
                self.glass
                    .1
                    .wait_timeout(glass, Duration::from_millis(50))
                    .unwrap(),
            );
        }
    }

    /// The number of the item on screen, once nothing moves any more.
    fn item(&self) -> u32 {
        let mut last = (String::new(), Instant::now());
        let until = Instant::now() + PATIENCE * 3;
        loop {
            let shown = self.text();
            if shown != last.0 {
                last = (shown.clone(), Instant::now());
            }
            let still = last.1.elapsed() > 2 * LATE + Duration::from_millis(250);
            match number(&shown) {
                Some(number) if still && !shown.contains("loading") => return number,
                _ => assert!(
                    Instant::now() < until,
                    "no item is shown:\n{shown}\n{:?}",
                    String::from_utf8_lossy(&self.glass.0.lock().unwrap().raw)
                ),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Nobody holds the other end any more, and what is under way is lost.
    fn hang_up(mut self) {
        self.cut.store(true, Ordering::SeqCst);
        // Something to read, so that the reading thread lets go of its end.
        let size = PtySize {
            cols: SIZE.0 - 1,
            rows: SIZE.1,
            ..PtySize::default()
        };
        self.master.as_ref().unwrap().resize(size).unwrap();
        self.reader.take().unwrap().join().unwrap();
        *self.writer.lock().unwrap() = None;
        self.master = None;
        let until = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "the program does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        self.cut.store(true, Ordering::SeqCst);
        *self.writer.lock().unwrap() = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The item that a screen shows: `#7  pending`.
fn number(shown: &str) -> Option<u32> {
    shown.lines().find_map(|line| {
        let rest = &line[line.find('#')? + 1..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        rest[digits.len()..]
            .starts_with("  ")
            .then(|| digits.parse().ok())?
    })
}

/// What the head of the screen counts as accepted, and as not judged.
fn tally(shown: &str) -> Option<(usize, usize)> {
    let after = |mark: char| {
        let rest = &shown[shown.find(mark)? + mark.len_utf8()..];
        rest.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .ok()
    };
    let head = shown.lines().next()?;
    head.contains('✗').then_some(())?;
    let at = head.rfind('✓')?;
    let accepted = head[at + '✓'.len_utf8()..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect::<String>();
    Some((accepted.parse().ok()?, after('?')?))
}

/// Gives what was judged and how often the line went dead.
fn run(seed: u64) -> (usize, usize) {
    let dice = Arc::new(Dice(seed, AtomicU64::new(0)));
    let bench = Bench::plain(6);
    let mut acknowledged: Vec<String> = Vec::new();
    let (mut hung_up, mut far) = (0, Far::open(&bench, &dice));
    while acknowledged.len() < VERDICTS {
        let number = far.item();
        let said = &[(&b"a"[..], "accept"), (b"s", "skip"), (b"f", "flag")][dice.roll(3) as usize];
        // Keys of several bytes among the verdicts, whose letters mean other things by themselves.
        let arrow = [
            &b"\x1b[C"[..],
            b"\x1b[D",
            b"\x1bOA",
            b"\x1b[1;2D",
            b"\x1b[6~",
        ][dice.roll(5) as usize];
        if dice.roll(3) == 0 {
            far.keyboard.send(arrow);
            continue;
        }
        let saved = format!("#{number} saved");
        if far.text().contains(&saved) {
            // Judged last, and gone back to: the next receipt would read the same.
            far.keyboard.send(b"n");
            continue;
        }
        far.keyboard.send(said.0);
        let verdict = format!("{number} {}", said.1);
        if dice.roll(4) == 0 {
            // In the middle of anything, from before the key has arrived to after its receipt has.
            std::thread::sleep(Duration::from_millis(dice.roll(700)));
            far.hang_up();
            hung_up += 1;
            far = Far::open(&bench, &dice);
            far.item();
            // What reached the owner before the line was cut is decided, or waits for a busy disk: this comes after it.
            let nothing = bench.client("bob").ask(request::Undo(uuid::Uuid::now_v7()));
            assert!(nothing.is_err(), "bob has judged nothing");
            let journal = bench.verdicts("ann");
            if journal.len() > acknowledged.len() {
                acknowledged.push(verdict);
            }
            assert_eq!(journal, acknowledged, "run {seed}: after a hang-up");
            // The screen that came back acknowledges the same.
            let mut last: HashMap<&str, &str> = HashMap::new();
            acknowledged
                .iter()
                .filter_map(|said| said.split_once(' '))
                .for_each(|(n, v)| _ = last.insert(n, v));
            let accepted = last.values().filter(|v| **v == "accept").count();
            far.wait("the counts", |shown| {
                tally(shown).filter(|t| *t == (accepted, 6 - last.len()))
            });
            continue;
        }
        let early = "has not shown this item yet";
        match far.wait(&saved, |s| {
            if s.contains(&saved) {
                Some(true)
            } else {
                s.contains(early).then_some(false)
            }
        }) {
            true => acknowledged.push(verdict),
            false => {
                far.keyboard.send(b"Q");
                far.wait("the next key", |shown| {
                    (!shown.contains(early)).then_some(())
                });
            }
        }
        assert_eq!(bench.verdicts("ann"), acknowledged, "run {seed}");
    }
    far.item();
    drop(far);
    assert_eq!(
        bench.verdicts("ann"),
        acknowledged,
        "run {seed}: at the end"
    );
    (acknowledged.len(), hung_up)
}

#[test]
fn a_dead_slow_line_loses_no_acknowledged_verdict() {
    let runs = rounds(8);
    let next = AtomicU64::new(0);
    let (verdicts, hung_up) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..ABREAST.min(runs) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= runs {
                        return;
                    }
                    let (judged, dead) = run(seed);
                    verdicts.fetch_add(judged as u64, Ordering::SeqCst);
                    hung_up.fetch_add(dead as u64, Ordering::SeqCst);
                }
            });
        }
    });
    let count = |n: &AtomicU64| n.load(Ordering::SeqCst);
    tell(&format!(
        "a slow line: {runs} runs, {} verdicts, {} hang-ups",
        count(&verdicts),
        count(&hung_up)
    ));
    assert!(count(&verdicts) >= runs * VERDICTS as u64);
}
