//! A terminal emulator around the real program: a pseudo-terminal, a vt100 screen, and answers to what it is asked.

use crate::support::wording;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use crate::tui::support::{BENCHTOP, Bench, PATIENCE};

/// Columns and rows.
const SIZE: (u16, u16) = (100, 30);
/// What this terminal answers to: the question, and its answer.
pub(super) const ANSWERS: Answers = &[
    (b"\x1b[>q", b"\x1bP>|foot(1.16.2)\x1b\\"),
    (b"\x1b[16t", b"\x1b[6;18;9t"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[5n", b"\x1b[0n"),
];

/// Questions of the program, and the terminal's answers.
pub(super) type Answers = &'static [(&'static [u8], &'static [u8])];

/// How bytes travel from the keyboard, and from the terminal's own answers, to the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Every answer comes this much later.
    pub late: Duration,
    /// Where to cut what travels in two, and how much later the second half comes.
    pub cut: Option<(usize, Duration)>,
}

struct Inner {
    screen: vt100::Parser,
    raw: Vec<u8>,
    asked: usize,
    answers: Answers,
}

/// The program on a pseudo-terminal.
pub struct Pty {
    inner: Arc<Mutex<Inner>>,
    /// Told whenever something was shown.
    news: Arc<Condvar>,
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    master: Option<Box<dyn MasterPty + Send>>,
    pub child: Box<dyn Child + Send + Sync>,
    stop: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
    line: Line,
}

impl Pty {
    /// Opens the project as annotator ann.
    pub fn open(bench: &Bench, line: Line) -> Pty {
        Pty::open_with(bench, line, &[])
    }

    /// The same with more in its environment.
    pub fn open_with(bench: &Bench, line: Line, env: &[(&str, &str)]) -> Pty {
        let pty = Pty::home(bench, line, env);
        pty.go_to_review();
        pty
    }

    /// Goes on from Home to the review.
    pub fn go_to_review(&self) {
        self.wait_for("6 Score");
        self.keys(b"gr");
    }

    /// Opens the project and stays at Home.
    pub fn home(bench: &Bench, line: Line, env: &[(&str, &str)]) -> Pty {
        Pty::answering(bench, line, env, ANSWERS)
    }

    /// The same on a terminal with these answers.
    pub(super) fn answering(
        bench: &Bench,
        line: Line,
        env: &[(&str, &str)],
        answers: Answers,
    ) -> Pty {
        let mut command = CommandBuilder::new(BENCHTOP);
        command.env("XDG_CONFIG_HOME", bench.person());
        command.arg("--project");
        command.arg(bench.project().root());
        Pty::run_with(command, line, env, answers, SIZE)
    }

    /// Runs any command on a terminal.
    pub fn run(command: CommandBuilder, line: Line) -> Pty {
        Pty::run_with(command, line, &[], ANSWERS, SIZE)
    }

    /// The same on a terminal of this size.
    pub fn run_sized(command: CommandBuilder, size: (u16, u16)) -> Pty {
        Pty::run_with(command, Line::default(), &[], ANSWERS, size)
    }

    /// The same with more in its environment.
    fn run_with(
        mut command: CommandBuilder,
        line: Line,
        env: &[(&str, &str)],
        answers: Answers,
        at: (u16, u16),
    ) -> Pty {
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("BENCHTOP_AS", "ann"),
            ("BENCHTOP_IDLE_SECONDS", "3"),
            ("COLORTERM", ""),
        ] {
            command.env(name, value);
        }
        if let Some(person) = command.get_env("XDG_CONFIG_HOME") {
            let state = std::path::Path::new(person).join("state");
            command.env("XDG_STATE_HOME", state);
        }
        let mine = [
            "TMUX",
            "NO_COLOR",
            "ACCESSIBLE",
            "SSH_TTY",
            "SSH_CONNECTION",
            "TERM_PROGRAM",
            "LC_TERMINAL",
        ];
        for name in mine
            .into_iter()
            .chain(["LC_ALL", "LC_CTYPE", "LANG", "COLORFGBG"])
        {
            command.env_remove(name);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let size = PtySize {
            cols: at.0,
            rows: at.1,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let inner = Inner {
            screen: vt100::Parser::new(at.1, at.0, 0),
            raw: Vec::new(),
            asked: 0,
            answers,
        };
        let inner = Arc::new(Mutex::new(inner));
        let writer = Arc::new(Mutex::new(Some(pair.master.take_writer().unwrap())));
        let stop = Arc::new(AtomicBool::new(false));
        let mut source = pair.master.try_clone_reader().unwrap();
        let news = Arc::new(Condvar::new());
        let (glass, tell, out, over) = (inner.clone(), news.clone(), writer.clone(), stop.clone());
        let read = move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = source.read(&mut buffer) {
                if n == 0 || over.load(Ordering::SeqCst) {
                    break;
                }
                let answers = take(&glass, &buffer[..n]);
                tell.notify_all();
                if !answers.is_empty() {
                    travel(&out, answers, line, line.late);
                }
            }
        };
        let reader = Some(std::thread::spawn(read));
        Pty {
            inner,
            news,
            writer,
            master: Some(pair.master),
            child,
            stop,
            reader,
            line,
        }
    }

    /// Gives the keyboard another line.
    pub fn line(&mut self, line: Line) {
        self.line = line;
    }

    /// Types bytes.
    pub fn keys(&self, bytes: &[u8]) {
        travel(&self.writer, bytes.to_vec(), self.line, Duration::ZERO);
    }

    pub fn text(&self) -> String {
        text(&self.inner.lock().unwrap())
    }

    /// Everything the program wrote.
    pub fn raw(&self) -> Vec<u8> {
        self.inner.lock().unwrap().raw.clone()
    }

    /// Whether the alternate screen is shown, and whether the cursor is.
    pub fn state(&self) -> (bool, bool) {
        let inner = self.inner.lock().unwrap();
        (
            inner.screen.screen().alternate_screen(),
            !inner.screen.screen().hide_cursor(),
        )
    }

    /// Waits until the screen is as it was before the program.
    pub fn wait_given_back(&self) {
        let until = Instant::now() + PATIENCE;
        while self.state() != (false, true) {
            assert!(
                Instant::now() < until,
                "the screen is not given back: {:?}",
                self.state()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The modes of the line.
    pub fn modes(&self) -> String {
        format!("{:?}", self.master.as_ref().unwrap().get_termios())
    }

    pub fn wait_until(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        let mut inner = self.inner.lock().unwrap();
        loop {
            let shown = text(&inner);
            if is(&shown) {
                return shown;
            }
            assert!(
                Instant::now() < until,
                "waited for {what}; the screen:\n{shown}"
            );
            inner = self
                .news
                .wait_timeout(inner, Duration::from_millis(50))
                .unwrap()
                .0;
        }
    }

    pub fn wait_for(&self, wanted: &str) -> String {
        self.wait_until(wanted, |shown| shown.contains(wanted))
    }

    /// Waits until item `n` is shown.
    pub fn on(&self, n: u32) -> String {
        let mark = format!("#{n}  ");
        self.wait_until(&format!("item {n}"), |shown| {
            shown.contains(&mark) && !shown.contains("loading")
        })
    }

    /// Presses a key again and again, as a person does who is told that the item was not shown yet, until item `n` is
    /// saved.
    pub fn judge(&self, n: u32, key: &[u8]) {
        let until = Instant::now() + PATIENCE;
        let saved = format!("#{n} saved");
        self.on(n);
        self.keys(key);
        while !self.text().contains(&saved) {
            assert!(
                Instant::now() < until,
                "waited for {saved}; the screen:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(20));
            if self.text().contains(wording::NOT_SHOWN_YET) {
                self.keys(b"Q");
                self.wait_until("the next key", |s| {
                    !s.contains(wording::NOT_SHOWN_YET) || s.contains(&saved)
                });
                self.keys(key);
            }
        }
    }

    /// The line goes dead: nobody holds the other end any more.
    pub fn hang_up(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
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
    }

    /// Waits for the program to end.
    pub fn wait_end(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                Instant::now() < until,
                "it does not end; the screen:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.stop.store(true, Ordering::SeqCst);
        *self.writer.lock().unwrap() = None;
        self.master = None;
    }
}

/// Shows bytes; gives what the terminal has to answer.
fn take(inner: &Mutex<Inner>, bytes: &[u8]) -> Vec<u8> {
    let mut inner = inner.lock().unwrap();
    inner.screen.process(bytes);
    inner.raw.extend_from_slice(bytes);
    let mut answers = Vec::new();
    loop {
        let rest = &inner.raw[inner.asked..];
        let found = (inner.answers)
            .iter()
            .filter_map(|(q, a)| memchr::memmem::find(rest, q).map(|at| (at + q.len(), *a)));
        let Some((end, answer)) = found.min_by_key(|(end, _)| *end) else {
            inner.asked = inner.raw.len().saturating_sub(4).max(inner.asked);
            return answers;
        };
        answers.extend_from_slice(answer);
        inner.asked += end;
    }
}

/// Brings bytes to the program over this line; on a thread of its own where they are late. The two halves of what is
/// cut stay together: a line keeps its order.
fn travel(
    out: &Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    bytes: Vec<u8>,
    line: Line,
    late: Duration,
) {
    let (cut, pause) = line
        .cut
        .map_or((bytes.len(), Duration::ZERO), |(cut, pause)| {
            (cut.min(bytes.len()), pause)
        });
    let send = move |out: &Mutex<Option<Box<dyn Write + Send>>>| {
        let mut out = out.lock().unwrap();
        let Some(out) = out.as_mut() else { return };
        let _ = out.write_all(&bytes[..cut]).and_then(|()| out.flush());
        if cut < bytes.len() {
            std::thread::sleep(pause);
            let _ = out.write_all(&bytes[cut..]).and_then(|()| out.flush());
        }
    };
    if late.is_zero() {
        return send(out);
    }
    let out = out.clone();
    std::thread::spawn(move || {
        std::thread::sleep(late);
        send(&out);
    });
}

fn text(inner: &Inner) -> String {
    let screen = inner.screen.screen();
    screen
        .rows(0, screen.size().1)
        .map(|row| row.trim_end().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}
