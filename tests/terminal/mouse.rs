//! Mouse reports of a real terminal: turned on by a key or the settings, and off again however the
//! program ends.

use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, kill_process};

use super::pty::{Line, Pty};
use crate::tui::support::{BENCHTOP, Bench, PATIENCE};

const ON: &[u8] = b"\x1b[?1002h\x1b[?1006h";
const OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l";
const KEY: &[u8] = b"\x1b[20~";

fn count(raw: &[u8], wanted: &[u8]) -> usize {
    memchr::memmem::find_iter(raw, wanted).count()
}

/// How often reports were turned on and off.
fn switched(pty: &Pty) -> (usize, usize) {
    let raw = pty.raw();
    assert_eq!(count(&raw, b"?1002"), count(&raw, ON) + count(&raw, OFF));
    (count(&raw, ON), count(&raw, OFF))
}

fn wait_switched(pty: &Pty, wanted: (usize, usize)) {
    let until = std::time::Instant::now() + PATIENCE;
    while switched(pty) != wanted {
        assert!(std::time::Instant::now() < until, "{:?}", switched(pty));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn with_mouse(bench: &Bench) {
    let settings = bench.person().join("benchtop");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("settings.toml"), "mouse = true\n").unwrap();
}

#[test]
fn reports_are_off_until_the_key_and_off_again_at_the_end() {
    let bench = Bench::plain(3);
    let mut pty = Pty::open(&bench, Line::default());
    pty.judge(1, b"a");
    assert_eq!(switched(&pty), (0, 0));
    pty.keys(KEY);
    wait_switched(&pty, (1, 0));
    // The third tab begins in column 20 at this width.
    let text = pty.text();
    let tabs = text.lines().next().unwrap();
    let column = tabs.split("4 Check").next().unwrap().chars().count() + 1;
    pty.keys(format!("\x1b[<0;{column};1M\x1b[<0;{column};1m").as_bytes());
    pty.wait_for("rows 1-3 of 3");
    pty.keys(b"\x03");
    assert!(pty.wait_end().success());
    pty.wait_given_back();
    assert_eq!(switched(&pty), (1, 1));
}

#[test]
fn signals_turn_reports_off() {
    for signal in [Signal::TERM, Signal::HUP] {
        let bench = Bench::plain(3);
        with_mouse(&bench);
        let mut pty = Pty::open(&bench, Line::default());
        pty.on(1);
        wait_switched(&pty, (1, 0));
        let pid = i32::try_from(pty.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        assert!(!pty.wait_end().success());
        wait_switched(&pty, (1, 1));
        pty.wait_given_back();
    }
}

#[test]
fn a_suspended_program_gets_no_reports() {
    let bench = Bench::plain(3);
    with_mouse(&bench);
    let mut command = CommandBuilder::new("sh");
    let root = bench.project().root().display().to_string();
    command.args([
        "-c",
        "set -m; \"$0\" --project \"$1\"; echo in-the-shell; read line; fg; echo over",
        BENCHTOP,
        &root,
    ]);
    command.env("XDG_CONFIG_HOME", bench.person());
    let mut pty = Pty::run(command, Line::default());
    pty.go_to_review();
    pty.on(1);
    wait_switched(&pty, (1, 0));
    pty.keys(b"\x1a");
    pty.wait_for("in-the-shell");
    assert_eq!(switched(&pty), (1, 1));
    pty.keys(b"\n");
    pty.on(1);
    wait_switched(&pty, (2, 1));
    pty.keys(b"q");
    pty.wait_for("over");
    assert!(pty.wait_end().success());
    assert_eq!(switched(&pty), (2, 2));
}

#[test]
fn a_click_that_a_slow_line_splits_is_whole() {
    let bench = Bench::plain(3);
    with_mouse(&bench);
    let mut pty = Pty::open(&bench, Line::default());
    pty.on(1);
    let row = pty.text().lines().count();
    let report = format!("\x1b[<0;1;{row}M");
    for (n, cut) in (1u32..).zip([3, 5, report.len() - 1]) {
        pty.on(n);
        // Before the item has come, other keys are first.
        pty.wait_until("the keys of an item", |shown| {
            let bar = shown.lines().last();
            bar.is_some_and(|bar| bar.starts_with("a accept"))
        });
        pty.line(Line {
            cut: Some((cut, Duration::from_millis(700))),
            ..Line::default()
        });
        // Again if the terminal's answer, which is split too, was not there yet.
        pty.judge(n, report.as_bytes());
        pty.line(Line::default());
    }
    assert_eq!(
        bench.verdicts("ann"),
        ["1 accept", "2 accept", "3 accept"],
        "each click is one verdict, and its digits are no keys"
    );
}
