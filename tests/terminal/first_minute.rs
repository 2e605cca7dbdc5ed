//! The first minute of a new user at 80x24: from an empty folder to a reviewed and exported set
//! with a board, by keys that the screen names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use serde_json::Value;

use super::pty::Pty;
use crate::support::tell;
use crate::tui::support::BENCHTOP;

/// The keys of the whole minute, at most.
const MOST_KEYS: usize = 15;

struct Newcomer {
    _dir: tempfile::TempDir,
    folder: PathBuf,
    person: PathBuf,
    pty: Pty,
    keys: usize,
    began: Instant,
}

impl Newcomer {
    /// Starts the program in an empty folder.
    fn new() -> Newcomer {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        let (folder, person) = (at.join("mine"), at.join("person"));
        std::fs::create_dir(&folder).unwrap();
        let mut command = CommandBuilder::new(BENCHTOP);
        command.cwd(&folder);
        command.env("XDG_CONFIG_HOME", &person);
        let began = Instant::now();
        Newcomer {
            pty: Pty::run_sized(command, (80, 24)),
            _dir: dir,
            folder,
            person,
            keys: 0,
            began,
        }
    }

    /// Presses keys, each a byte, once this is on the screen.
    fn press(&mut self, seen: &str, keys: &[u8]) {
        self.pty.wait_for(seen);
        self.keys += keys.len();
        self.pty.keys(keys);
    }

    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new(BENCHTOP);
        command.args(args).current_dir(&self.folder);
        command
            .env("XDG_CONFIG_HOME", &self.person)
            .env("BENCHTOP_AS", "ann");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Accepts the first three items. A person looks at an item before the key; the script may be
    /// faster than the terminal and then presses again, which does not count.
    fn accept_three(&mut self) {
        for n in 1..=3 {
            let item = format!("#{n}  pending");
            let is_drawn = |s: &str| s.contains(&item) && s.contains('▀');
            self.pty.wait_until("an item with its picture", is_drawn);
            self.keys += 1;
            self.pty.judge(n, b"a");
        }
    }

    /// Ends the minute.
    fn end(mut self, way: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        tell(&format!("{way}: {} keys, {seconds:.1} s\n", self.keys));
        assert!(self.keys < MOST_KEYS, "{} keys", self.keys);
        self.run(&["verify"]);
        self.pty.hang_up();
        self.run(&["stop"]);
    }
}

/// Waits for a file with this many lines.
fn exported(path: &Path, lines: usize) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() == lines && text.ends_with('\n') {
            let parsed = text.lines().map(|line| serde_json::from_str(line).unwrap());
            return parsed.collect();
        }
        assert!(Instant::now() < until, "{}: {text}", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn from_an_empty_folder_to_an_export_and_a_board_with_the_sample() {
    let mut newcomer = Newcomer::new();
    newcomer.press("[q] no", b"y\r");
    newcomer.press("Three ways to begin", b"S");
    newcomer.press("added the sample", b"5");
    newcomer.accept_three();
    newcomer.press("#3 saved", b"1");
    newcomer.press("gx go to export", b"gx");
    newcomer.press(" 37 items", b"\r");
    newcomer.pty.wait_for("exported 37");
    let items = exported(&newcomer.folder.join("exports/items.jsonl"), 37);
    assert!(items.iter().all(|item| item["question"].is_string()));
    let verdicts = newcomer.run(&["verdicts", "--json"]);
    let mine = verdicts.lines().filter(|line| line.contains("\"ann\""));
    assert_eq!(mine.count(), 3);
    newcomer.press("6 Score", b"6");
    newcomer.pty.wait_for("sample-");
    let board = newcomer.run(&["board", "--format", "json"]);
    let rows = board
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let models: Vec<Value> = rows.map(|row| row["model"].clone()).collect();
    for model in ["sample-large", "sample-medium", "sample-small"] {
        assert!(models.contains(&Value::from(model)), "{board}");
    }
    newcomer.end("sample");
}

#[test]
fn from_an_empty_folder_to_an_export_of_composed_questions() {
    let mut newcomer = Newcomer::new();
    newcomer.press("[q] no", b"y\r");
    newcomer.press("Three ways to begin", b"c");
    newcomer.accept_three();
    newcomer.press("#3 saved", b"1");
    newcomer.press("gx go to export", b"gx");
    // Drafts are exported after an explicit choice: enter goes to the field, and space sets it.
    newcomer.press("error: ", b"\r");
    newcomer.press("▌drafts", b" ");
    newcomer.press("--drafts", b"\r");
    exported(&newcomer.folder.join("exports/items.jsonl"), 3);
    newcomer.end("composed");
}
