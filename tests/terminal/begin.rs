//! `benchtop` in a folder that is no project.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use portable_pty::CommandBuilder;

use super::pty::{Line, Pty};
use crate::tui::support::{BENCHTOP, Bench};
use benchtop::files::project::{FILE, Project};
use benchtop::files::recent::Recent;

const QUESTION: &str = "[q] no";

struct Place {
    _dir: tempfile::TempDir,
    folder: PathBuf,
    person: PathBuf,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        let folder = at.join("plain");
        std::fs::create_dir(&folder).unwrap();
        Place {
            _dir: dir,
            folder,
            person: at.join("person"),
        }
    }

    fn open(&self) -> Pty {
        let mut command = CommandBuilder::new(BENCHTOP);
        command.cwd(&self.folder);
        command.env("XDG_CONFIG_HOME", &self.person);
        Pty::run(command, Line::default())
    }

    fn recent(&self) -> Vec<PathBuf> {
        let state = self.person.join("state").into_os_string();
        Recent::of_current_user(|name| (name == "XDG_STATE_HOME").then(|| state.clone()))
            .unwrap()
            .projects()
    }

    fn is_project(&self) -> bool {
        self.folder.join(FILE).exists()
    }

    fn is_untouched(&self) -> bool {
        std::fs::read_dir(&self.folder).unwrap().count() == 0
    }
}

fn quit(mut pty: Pty) {
    pty.wait_for("Home");
    assert!(pty.state().0, "the alternate screen");
    pty.keys(b"q");
    assert!(pty.wait_end().success());
}

fn stop(root: &Path) {
    let mut stop = Command::new(BENCHTOP);
    stop.args(["stop", "--project"]).arg(root);
    assert!(stop.output().unwrap().status.success());
}

#[test]
fn yes_makes_the_folder_a_project_and_opens_it() {
    let place = Place::new();
    let pty = place.open();
    pty.wait_for(QUESTION);
    assert_eq!(pty.state(), (false, true), "a plain question");
    assert!(place.is_untouched());
    pty.keys(b"y\r");
    quit(pty);
    assert!(place.is_project());
    Project::open(&place.folder).unwrap();
    assert_eq!(place.recent(), std::slice::from_ref(&place.folder));
    stop(&place.folder);
}

#[test]
fn no_and_the_end_of_input_change_nothing() {
    for answer in [b"q\r".as_slice(), b"\x04", b"nonsense\rno\r"] {
        let place = Place::new();
        let mut pty = place.open();
        pty.wait_for(QUESTION);
        pty.keys(answer);
        assert!(pty.wait_end().success());
        assert!(place.is_untouched());
        assert_eq!(place.recent(), Vec::<PathBuf>::new());
    }
}

#[test]
fn an_answer_that_does_not_count_is_named() {
    let place = Place::new();
    let mut pty = place.open();
    pty.wait_for(QUESTION);
    pty.keys(b"maybe\r");
    pty.wait_until("the answer and the keys", |s| {
        s.lines().any(|line| {
            ["`maybe`", "y", "o", "q", "enter"]
                .iter()
                .all(|word| line.contains(word))
        })
    });
    assert!(place.is_untouched());
    pty.keys(b"q\r");
    assert!(pty.wait_end().success());
    assert!(place.is_untouched());
}

#[test]
fn another_project_opens_by_its_path_and_then_by_its_number() {
    let place = Place::new();
    let bench = Bench::plain(2);
    let root = bench.project().root().to_path_buf();
    let pty = place.open();
    pty.wait_for(QUESTION);
    pty.keys(b"o\r");
    pty.wait_for("empty to go back");
    pty.keys(b"no such folder\r");
    pty.wait_for("no such folder:");
    pty.keys(b"o\r");
    pty.wait_until("the second prompt", |s| {
        s.matches("empty to go back").count() == 2
    });
    pty.keys(format!("{}\r", root.display()).as_bytes());
    quit(pty);
    assert_eq!(place.recent(), [root]);

    let pty = place.open();
    pty.wait_for(QUESTION);
    pty.keys(b"o\r");
    pty.wait_for("  1  kites");
    pty.keys(b"1\r");
    quit(pty);
    assert!(place.is_untouched());
}

#[test]
fn without_a_terminal_there_is_an_error_and_no_question() {
    let place = Place::new();
    let mut command = Command::new(BENCHTOP);
    command.current_dir(&place.folder).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("benchtop init"), "{said}");
    assert!(place.is_untouched());
}
