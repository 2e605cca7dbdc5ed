//! Small windows: a receipt is complete as long as it has a row.

use super::support::{Bench, Terminal};

#[test]
fn receipts_fit_every_size_down_to_40_by_10() {
    let bench = Bench::plain(12);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (160, 50),
            ..Terminal::default()
        },
    );
    seat.on(1);
    // A queue with words of its own takes room too.
    seat.keys("/status:pending prompt:\"a photo of kite\"<enter>");
    seat.wait_row(&["12 items"]);
    seat.judge(1, "a");
    for (width, height) in [
        (120, 40),
        (100, 30),
        (81, 24),
        (80, 24),
        (61, 20),
        (50, 12),
        (45, 11),
        (40, 10),
        (40, 40),
        (200, 10),
    ] {
        seat.resize(width, height);
        seat.wait_until("the receipt", |s| {
            s.lines().count() == usize::from(height)
                && s.lines().take(2).any(|l| l.contains("✓ #1 saved"))
        });
    }
    seat.resize(40, 10);
    for n in 2..5 {
        seat.judge(n, "a");
    }
}
