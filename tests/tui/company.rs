//! Two annotators in one project, and an owner that goes away.

use std::time::{Duration, Instant};

use super::support::{Bench, PATIENCE};
use crate::support::{has_line, wording};

#[test]
fn a_second_terminal_shows_the_first_one_s_verdict() {
    let bench = Bench::plain(3);
    let mut ann = bench.seat("ann");
    let bob = bench.seat("bob");
    ann.on(1);
    bob.on(1);
    ann.keys("a");
    bob.wait_row(&["#1", "accepted", "ann"]);
    bob.wait_for("#1  ✓ accepted");
    bob.wait_row(&["accept", "ann"]);
    bob.wait_for("✓1 ✗0 ?2");
    ann.keys("u");
    bob.wait_for("#1  pending");
}

#[test]
fn a_verdict_on_a_changed_item_is_refused_and_the_item_shown_again() {
    let bench = Bench::plain(5);
    let mut ann = bench.seat("ann");
    let mut bob = bench.seat("bob");
    ann.on(1);
    bob.on(1);
    // Ann is choosing a reason, for what she saw, when bob accepts it.
    ann.keys("x");
    ann.wait_for(&wording::reasons_asked(1));
    bob.keys("a");
    bob.wait_for("#1 saved");
    ann.wait_row(&["#1", "accepted", "bob"]);
    ann.keys("1");
    ann.wait_row(&["#1", "bob", "accept"]);
    let shown = ann.wait_for("#1  ✓ accepted");
    assert!(
        has_line(&shown, &["accept", "bob"]) && shown.contains("1 of 5"),
        "{shown}"
    );
    assert_eq!(bench.journal("ann").len(), 0);
    // Looked at again, it can be decided.
    ann.keys("x");
    ann.wait_for(&wording::reasons_asked(1));
    ann.keys("1");
    ann.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 reject"]);
}

#[test]
fn a_refused_verdict_is_reported_after_a_queue_change() {
    let bench = Bench::plain(6);
    let mut ann = bench.seat("ann");
    let mut bob = bench.seat("bob");
    ann.on(1);
    ann.keys("nn");
    ann.on(3);
    ann.keys("x");
    ann.wait_for(&wording::reasons_asked(3));
    bob.on(1);
    bob.keys("nn");
    bob.judge(3, "a");
    ann.wait_row(&["#3", "accepted", "bob"]);
    // The verdict and a new queue in one breath; two threads of the owner answer, in either order.
    bench.freeze_owner();
    ann.keys("1");
    ann.wait_for("saving");
    ann.keys("/subtask:even<enter>");
    bench.thaw_owner();
    let shown = ann.wait_until("both answers", |shown| {
        let refused_last = shown.contains("#3  ✓ accepted") && shown.contains("3 of 6");
        shown.contains(wording::CHANGED)
            && (refused_last || shown.contains("1 of 3  [subtask:even]"))
    });
    assert!(!shown.contains("saving"), "{shown}");
    assert_eq!(bench.journal("ann").len(), 0);
}

#[test]
fn a_verdict_without_an_owner_counts_once() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.on(2);
    bench.kill_owner();
    seat.wait_for("owner");
    seat.keys("a");
    seat.wait_for("saving");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    bench.start_owner();
    seat.wait_for("#2 saved");
    seat.on(3);
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept"]);
    seat.judge(3, "s");
    seat.keys("u");
    seat.wait_for(&wording::taken_back(3));
    assert_eq!(
        bench.verdicts("ann"),
        ["1 accept", "2 accept", "3 skip", "3 undo"]
    );
}

#[test]
fn a_verdict_in_flight_during_a_kill_counts_once() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat("ann");
    seat.on(1);
    bench.freeze_owner();
    seat.keys("a");
    seat.wait_for("saving");
    bench.kill_owner();
    bench.start_owner();
    seat.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn keys_report_an_absent_owner() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.on(2);
    bench.kill_owner();
    seat.wait_for("owner");
    // Word of a try to connect that failed may take the line at the same moment: then the key is pressed again.
    for keys in ["u", "/even<enter>"] {
        let until = Instant::now() + PATIENCE;
        loop {
            seat.keys(keys);
            std::thread::sleep(Duration::from_millis(30));
            if seat.text().contains(wording::PRESS_AGAIN) {
                break;
            }
            assert!(Instant::now() < until, "{}", seat.text());
        }
        seat.keys("Q");
        seat.wait_gone(wording::PRESS_AGAIN);
    }
    bench.start_owner();
    seat.wait_for(wording::CONNECTED_AGAIN);
    seat.keys("u");
    seat.wait_for(&wording::taken_back(1));
}

#[test]
fn the_next_key_restarts_a_stopped_owner() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.on(2);
    bench.stop_owner();
    seat.wait_for(wording::OWNER_STOPPED);
    bench.start_owner();
    seat.keys("a");
    seat.wait_for("#2 saved");
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept"]);
}

#[test]
fn leaving_without_an_owner_waits_for_the_last_verdict() {
    let bench = Bench::plain(5);
    let seat = bench.seat("ann");
    seat.on(1);
    bench.stop_owner();
    seat.wait_for(wording::OWNER_STOPPED);
    bench.start_owner();
    // The key that connects again, the verdict and the farewell in one breath.
    seat.leave("aq");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
}

#[test]
fn two_annotators_judge_at_once_and_lose_nothing() {
    let bench = Bench::plain(12);
    let mut ann = bench.seat("ann");
    let mut bob = bench.seat("bob");
    ann.on(1);
    bob.keys("<end>");
    bob.on(12);
    for n in 1..=6 {
        ann.judge(n, "a");
        bob.on(13 - n);
        bob.keys("s");
        bob.wait_for(&format!("#{} saved", 13 - n));
        bob.keys("p");
        if n > 1 {
            // A verdict went on to the next item, unless it was the last.
            bob.keys("p");
        }
    }
    assert_eq!(bench.journal("ann").len(), 6);
    assert_eq!(bench.journal("bob").len(), 6);
    ann.wait_for("✓6 ✗0 ?0");
}
