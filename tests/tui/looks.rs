//! What the review looks like at 80x24 and 160x50, as text. `INSTA_UPDATE=always` rewrites the pictures.

use super::support::{Bench, Seat, Terminal, pictured, screen_snapshot, snapshot};
use crate::support::wording;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn look(bench: &Bench, name: &str, show: impl Fn(&mut Seat) -> String) {
    for size in SIZES {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size,
                ..Terminal::default()
            },
        );
        let shown = show(&mut seat);
        if name == "review" {
            screen_snapshot(name, size, &shown);
        } else {
            snapshot(name, size, &shown);
        }
    }
}

/// Counts come when they come.
fn counted(seat: &mut Seat, n: u32) -> String {
    seat.on(n);
    seat.wait_until("the counts", |shown| {
        shown.contains('?') && shown.lines().next().is_some_and(|l| l.contains('✗'))
    })
}

#[test]
fn an_item_with_its_picture() {
    look(&Bench::sample(), "review", |seat| counted(seat, 1));
}

#[test]
fn an_empty_project() {
    look(&Bench::empty(), "review_empty", |seat| {
        seat.wait_for(wording::EMPTY_PROJECT);
        seat.wait_for("✓0 ✗0 ?0")
    });
}

#[test]
fn a_picture_that_is_missing() {
    look(
        &Bench::of(&[pictured(1, "gone.png")], &[]),
        "review_missing",
        |seat| counted(seat, 1),
    );
}

#[test]
fn the_reasons_over_an_item() {
    look(&Bench::sample(), "review_reject", |seat| {
        counted(seat, 1);
        seat.keys("x");
        seat.wait_for(&wording::reasons_asked(1))
    });
}
