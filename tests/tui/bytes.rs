//! How many bytes the program writes, for slow lines.

use std::time::Duration;

use benchtop::model::round::{NewRound, Protocol};
use benchtop::protocol::wire::request;
use benchtop::tui::app::message::Message;
use benchtop::tui::terminal::Input;

use super::support::{Bench, Terminal};
use crate::support::wording;

/// What a verdict, or a step to the next item, may cost without its picture, at 120x40.
const BUDGET: usize = 1_536;

#[test]
fn an_idle_screen_writes_no_bytes() {
    let bench = Bench::sample();
    let seat = bench.seat("ann");
    seat.on(1);
    seat.wait_for("?");
    let settled = settle(&seat);
    for focus in [true, false].repeat(20) {
        seat.send(Message::Input(Input::Focus(focus), 0));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(seat.bytes() - settled, 0, "an idle second is silent");
}

#[test]
fn a_step_and_a_verdict_write_few_bytes() {
    let bench = Bench::plain(12);
    let mut seat = bench.seat("ann");
    seat.on(1);
    let mut before = settle(&seat);
    let mut worst = (0, 0);
    for n in 2..=5 {
        seat.keys("n");
        seat.on(n);
        let after = settle(&seat);
        worst.0 = worst.0.max(after - before);
        before = after;
    }
    for n in 5..=9 {
        seat.judge(n, "a");
        seat.on(n + 1);
        let after = settle(&seat);
        worst.1 = worst.1.max(after - before);
        before = after;
    }
    eprintln!("a step {} B, a verdict {} B", worst.0, worst.1);
    assert!(
        worst.0 <= BUDGET && worst.1 <= BUDGET,
        "a step {} B, a verdict {} B",
        worst.0,
        worst.1
    );
}

#[test]
fn a_verdict_in_a_round_writes_few_bytes() {
    let bench = Bench::plain(12);
    let new = NewRound {
        calibration: 0,
        ..NewRound::new("first", Protocol::Single, vec!["ann".into()], 1)
    };
    bench
        .client("ann")
        .ask(request::NewRound {
            new: Box::new(new),
            dry: false,
        })
        .unwrap();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    let mut worst = 0;
    for at in 1..=5 {
        seat.wait_for(&format!("{at} of 1"));
        seat.wait_for(wording::TO_JUDGE);
        let before = settle(&seat);
        seat.keys("a");
        seat.wait_for(&format!("{} of 1", at + 1));
        worst = worst.max(settle(&seat) - before);
    }
    eprintln!("a verdict in a round {worst} B");
    assert!(worst <= BUDGET, "a verdict in a round {worst} B");
}

/// The bytes written once nothing more comes: counts are asked for again a quarter of a second after a verdict.
fn settle(seat: &super::support::Seat) -> usize {
    let mut bytes = seat.bytes();
    loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = seat.bytes();
        if now == bytes {
            return now;
        }
        bytes = now;
    }
}

#[test]
fn receipts_do_not_move_the_tabs() {
    for width in [80, 99, 100, 101, 120, 160] {
        let bench = Bench::plain(12);
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size: (width, 24),
                ..Terminal::default()
            },
        );
        seat.on(1);
        let tabs = |text: String, place: &str| {
            text.lines()
                .nth(1)
                .unwrap()
                .split(place)
                .next()
                .unwrap()
                .to_string()
        };
        // The counts come later than the item, and get narrower at 9.
        let before = tabs(seat.wait_for("1 of 12"), "1 of 12");
        for item in 1..=3 {
            seat.judge(item, "a");
            let place = format!("{} of 12", item + 1);
            assert_eq!(
                tabs(seat.wait_for(&place), &place),
                before,
                "{width} columns"
            );
        }
        assert_eq!(
            tabs(seat.wait_for("?9"), "4 of 12"),
            before,
            "{width} columns"
        );
    }
}
