//! How the program ends: by a key, by a hang-up, by a signal.

use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;

use super::pty::{Line, Pty};
use crate::support::wording;
use crate::tui::support::{BENCHTOP, Bench, PATIENCE};

/// The owner's process id, as `benchtop status` tells it; `None` when none runs.
fn owner(bench: &Bench) -> Option<i32> {
    let out = Command::new(BENCHTOP)
        .args(["status", "--json", "--project"])
        .arg(bench.project().root())
        .output()
        .unwrap();
    let status: serde_json::Value = serde_json::from_slice(&out.stdout).ok()?;
    i32::try_from(status["owner"]["pid"].as_i64()?).ok()
}

fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn the_program_starts_accepts_an_item_and_restores_the_screen() {
    let bench = Bench::empty();
    let mut pty = Pty::open(&bench, Line::default());
    pty.wait_for(wording::EMPTY_PROJECT);
    assert_eq!(pty.state(), (true, false), "alternate screen, no cursor");
    pty.keys(b"S");
    let shown = pty.on(1);
    assert!(shown.contains('▀') || shown.contains('▄'), "{shown}");
    pty.judge(1, b"a");
    assert_eq!(bench.journal("ann").len(), 1);
    pty.keys(b"q");
    assert!(pty.wait_end().success());
    pty.wait_given_back();
}

#[test]
fn the_window_title_names_the_project_and_is_restored() {
    let bench = Bench::plain(2);
    let set = b"\x1b[22;0t\x1b]2;benchtop: kites\x1b\\";
    let restore = b"\x1b[23;0t";
    let has = |raw: &[u8], wanted: &[u8]| memchr::memmem::find(raw, wanted).is_some();
    let mut pty = Pty::open(&bench, Line::default());
    pty.on(1);
    assert!(has(&pty.raw(), set) && !has(&pty.raw(), restore));
    signal(
        pty.child.process_id().unwrap(),
        rustix::process::Signal::TERM,
    );
    pty.wait_end();
    pty.wait_given_back();
    assert_eq!(memchr::memmem::find_iter(&pty.raw(), restore).count(), 1);

    let settings = bench.person().join("benchtop");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("settings.toml"), "title = false\n").unwrap();
    let mut pty = Pty::open(&bench, Line::default());
    pty.on(1);
    pty.keys(b"q");
    pty.keys(b"q");
    pty.wait_end();
    pty.wait_given_back();
    assert!(!has(&pty.raw(), b"\x1b]2;") && !has(&pty.raw(), restore));
}

#[test]
fn a_hang_up_keeps_the_last_verdict_and_the_owner() {
    let bench = Bench::plain(5);
    let mut pty = Pty::open(&bench, Line::default());
    pty.judge(1, b"a");
    pty.judge(2, b"s");
    let before = owner(&bench).expect("an owner");
    pty.hang_up();
    pty.wait_end();
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 skip"]);
    assert_eq!(owner(&bench), Some(before));
    // Coming back lands on the item that was left.
    let pty = Pty::open(&bench, Line::default());
    pty.on(3);
}

#[test]
fn an_owner_that_the_program_started_outlives_it_and_ends_when_idle() {
    let bench = Bench::plain(3);
    bench.kill_owner();
    let mut pty = Pty::open(&bench, Line::default());
    pty.judge(1, b"a");
    let started = owner(&bench).expect("the program started an owner");
    pty.hang_up();
    pty.wait_end();
    assert_eq!(owner(&bench), Some(started));
    let until = Instant::now() + PATIENCE;
    let pid = rustix::process::Pid::from_raw(started).unwrap();
    // Asked of the kernel: a question to the owner would keep it from being idle.
    while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(started) {
        assert!(Instant::now() < until, "the owner does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

/// Nobody collects an orphan where there is no init.
fn is_zombie(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[test]
fn a_killed_owner_is_started_again_and_a_stopped_one_by_the_next_key() {
    let bench = Bench::plain(5);
    let pty = Pty::open(&bench, Line::default());
    pty.judge(1, b"a");
    pty.on(2);
    bench.kill_owner();
    pty.wait_for(wording::CONNECTED_AGAIN);
    pty.judge(2, b"a");
    bench.stop_owner();
    pty.wait_for(wording::OWNER_STOPPED);
    pty.judge(3, b"a");
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept", "3 accept"]);
    bench.stop_owner();
}

#[test]
fn sigterm_restores_the_screen_and_the_line_modes() {
    let bench = Bench::plain(3);
    let mut pty = Pty::open(&bench, Line::default());
    pty.judge(1, b"a");
    let raw_mode = pty.modes();
    signal(
        pty.child.process_id().unwrap(),
        rustix::process::Signal::TERM,
    );
    let status = pty.wait_end();
    assert!(!status.success());
    pty.wait_given_back();
    assert_ne!(pty.modes(), raw_mode, "the line is still raw");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn ctrl_z_restores_the_shell_and_fg_repaints() {
    let bench = Bench::plain(3);
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
    pty.judge(1, b"a");
    pty.keys(b"\x1a");
    pty.wait_for("in-the-shell");
    pty.wait_given_back();
    pty.keys(b"\n");
    pty.on(2);
    assert_eq!(pty.state(), (true, false));
    pty.judge(2, b"a");
    pty.keys(b"q");
    pty.wait_for("over");
    assert!(pty.wait_end().success());
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept"]);
}
