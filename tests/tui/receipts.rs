//! Paint receipts: a verdict counts only for an item that the terminal has confirmed to show.

use std::time::{Duration, Instant};

use benchtop::model::{Act, Seen};

use super::support::{Answers, Bench, PATIENCE, Seat, Terminal};
use crate::support::wording;

const NOT_SHOWN: &str = wording::NOT_SHOWN_YET;

fn terminal(answers: Answers) -> Terminal {
    Terminal {
        answers,
        ..Terminal::default()
    }
}

fn seen(bench: &Bench, who: &str) -> Vec<Seen> {
    let how = |act| match act {
        Act::Judge(j) => j.seen,
        other => panic!("{other:?}"),
    };
    bench.journal(who).into_iter().map(|d| how(d.act)).collect()
}

/// Presses `keys` again and again until item `n` is saved.
fn insist(seat: &mut Seat, keys: &str, n: u32) {
    let until = Instant::now() + PATIENCE;
    let saved = format!("#{n} saved");
    loop {
        seat.keys(keys);
        let shown = seat.wait_until("an answer to the key", |s| {
            s.contains(NOT_SHOWN) || s.contains(&saved) || s.contains(wording::NOT_ON_SCREEN_YET)
        });
        if shown.contains(&saved) {
            return;
        }
        if keys.len() > 1 && shown.contains(wording::NOT_ON_SCREEN_YET) {
            // Only the second key was refused: the first one took the item off the screen.
            seat.wait_for(&saved);
            return;
        }
        assert!(Instant::now() < until, "{shown}");
        // Not a wait for anything: a person does not hammer at the speed of a loop.
        std::thread::sleep(Duration::from_millis(20));
        // A key that only takes the message away, so that the next one is told apart.
        seat.keys("Q");
        seat.wait_for(wording::KEY_UNKNOWN);
    }
}

#[test]
fn a_key_before_the_item_is_shown_gives_no_verdict() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at("ann", terminal(Answers::WhenTold));
    seat.on(1);
    for key in ["a", "x", "s", "f"] {
        seat.keys(key);
        seat.wait_for(NOT_SHOWN);
        // What is typed after a refused prompt is meant for it, up to the key that closes it.
        seat.keys("<esc>");
        seat.keys("Q");
        seat.wait_for(wording::KEY_UNKNOWN);
    }
    seat.answer();
    assert_eq!(bench.journal("ann").len(), 0);
    seat.keys("a");
    seat.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn a_second_tap_waits_for_its_item() {
    let bench = Bench::sample();
    let mut seat = bench.seat_at("ann", terminal(Answers::WhenTold));
    seat.on(1);
    seat.answer();
    seat.keys("aa");
    seat.on(2);
    seat.wait_for("#1 saved");
    seat.keys("a");
    seat.wait_for(NOT_SHOWN);
    assert_eq!(bench.journal("ann").len(), 1);
    seat.answer();
    seat.keys("a");
    seat.wait_for("#2 saved");
    assert_eq!(seen(&bench, "ann"), [Seen::Painted, Seen::Painted]);
}

#[test]
fn a_double_tap_on_a_line_of_200_ms_gives_one_verdict() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat_at("ann", terminal(Answers::After(Duration::from_millis(200))));
    seat.on(1);
    insist(&mut seat, "aa", 1);
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    insist(&mut seat, "a", 2);
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept"]);
    assert_eq!(seen(&bench, "ann"), [Seen::Painted; 2]);
}

#[test]
fn a_silent_terminal_s_verdict_is_marked_unconfirmed() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at("ann", terminal(Answers::Never));
    seat.on(1);
    seat.keys("a");
    seat.wait_for(NOT_SHOWN);
    seat.keys("Q");
    seat.wait_for(wording::KEY_UNKNOWN);
    insist(&mut seat, "a", 1);
    seat.wait_for(wording::TERMINAL_IS_SILENT);
    assert_eq!(seen(&bench, "ann"), [Seen::Unconfirmed]);
}

#[test]
fn a_lost_answer_marks_only_one_verdict() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at("ann", terminal(Answers::Losing(1)));
    seat.on(1);
    insist(&mut seat, "a", 1);
    seat.judge(2, "a");
    assert_eq!(seen(&bench, "ann"), [Seen::Unconfirmed, Seen::Painted]);
}

#[test]
fn a_changed_item_must_be_shown_again() {
    let bench = Bench::plain(3);
    let mut ann = bench.seat_at("ann", terminal(Answers::WhenTold));
    let mut bob = bench.seat("bob");
    ann.on(1);
    ann.answer();
    bob.judge(1, "f");
    ann.wait_for("! flagged");
    ann.keys("a");
    ann.wait_for(NOT_SHOWN);
    ann.answer();
    ann.keys("a");
    ann.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}
