//! Keys over lines that split and delay bytes.

use std::time::Duration;

use super::pty::{Line, Pty};
use crate::tui::support::Bench;

/// Longer than a lone escape is waited for, shorter than half a sequence is.
const PAUSE: Duration = Duration::from_millis(120);

#[test]
fn an_arrow_key_cut_in_half_never_becomes_a_verdict() {
    let bench = Bench::plain(9);
    let sequences: [&[u8]; 8] = [
        b"\x1b[A",
        b"\x1b[B",
        b"\x1bOA",
        b"\x1b[C",
        b"\x1b[D",
        b"\x1b[1;5A",
        b"\x1b[15~",
        b"\x1b[97;5u",
    ];
    let mut pty = Pty::open(&bench, Line::default());
    pty.on(1);
    for bytes in sequences {
        for cut in 1..bytes.len() {
            pty.line(Line {
                cut: Some((cut, PAUSE)),
                ..Line::default()
            });
            pty.keys(bytes);
        }
    }
    pty.line(Line::default());
    pty.keys(b"\x1b[H");
    pty.on(1);
    assert_eq!(bench.journal("ann").len(), 0);
    // It is still the program that one types into.
    pty.judge(1, b"a");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn keys_whose_bytes_come_one_by_one_never_become_verdicts() {
    let bench = Bench::plain(9);
    let pty = Pty::open(&bench, Line::default());
    pty.on(1);
    for byte in b"\x1b[B\x1bOB\x1b[C" {
        pty.keys(&[*byte]);
        std::thread::sleep(Duration::from_millis(10));
    }
    // Where they lead depends on how busy the machine is (the parser's own tests have the clock in hand); what they
    // never do is judge.
    pty.keys(b"\x1b[H");
    pty.on(1);
    assert_eq!(bench.journal("ann").len(), 0);
    pty.judge(1, b"a");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn late_or_split_probe_answers_are_never_keys() {
    let alone = |cut| {
        let bench = Bench::plain(4);
        // Later than the half second that the probe waits.
        let pty = Pty::open(
            &bench,
            Line {
                late: Duration::from_millis(900),
                cut,
            },
        );
        pty.on(1);
        // The verdict waits for its paint receipt, so all late answers are through by then.
        pty.judge(1, b"s");
        let shown = pty.on(2);
        assert!(shown.contains("▌Review"), "{shown}");
        assert_eq!(bench.verdicts("ann"), ["1 skip"], "cut {cut:?}");
    };
    let cuts = [None, Some(1), Some(3), Some(18), Some(20)];
    // Each waits most of its time.
    std::thread::scope(|scope| {
        for cut in cuts {
            scope.spawn(move || alone(cut.map(|at| (at, PAUSE))));
        }
    });
}

#[test]
fn keys_typed_before_the_first_frame_judge_nothing_and_are_not_lost() {
    let bench = Bench::plain(9);
    let pty = Pty::open(
        &bench,
        Line {
            late: Duration::from_millis(200),
            cut: None,
        },
    );
    pty.keys(b"anx");
    let shown = pty.on(2);
    assert!(!shown.contains("saved"), "{shown}");
    assert_eq!(bench.journal("ann").len(), 0);
}
