//! With a character set other than UTF-8, the program writes ASCII only.

use super::support::{Bench, Terminal, question};

#[test]
fn ascii_mode_covers_every_pane_menu_and_page() {
    let bench = Bench::sample();
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            ascii: true,
            ..Terminal::default()
        },
    );
    let shown = seat.on(1);
    assert!(shown.contains("+ C. red") && shown.contains('@'), "{shown}");
    seat.judge(1, "a");
    seat.keys("p");
    seat.wait_for("+ accepted");
    for keys in ["x", "<esc>?", "<esc>:", "<esc>/"] {
        seat.keys(keys);
        seat.wait_until("it", |s| !s.is_empty());
    }
    seat.keys("<esc>");
    for (pane, shown) in [
        ("2", "rows 1-"),
        ("3", "Board"),
        ("4", "Vocab"),
        ("5", "Templ"),
        ("6", "Cover"),
        ("7", "Gen"),
        ("8", "Filter"),
        ("9", "Round"),
        ("0", "Adjud"),
        ("%", "Agree"),
    ] {
        seat.keys(pane);
        seat.wait_for(shown);
        seat.wait_until("the pane", |s| s.lines().count() > 3);
    }
    seat.keys("1");
    seat.on(1);
    let raw = seat.raw();
    let beyond: Vec<char> = String::from_utf8_lossy(&raw)
        .chars()
        .filter(|c| !c.is_ascii())
        .collect();
    assert!(beyond.is_empty(), "{beyond:?}");
}

#[test]
fn ascii_mode_keeps_the_width_of_data() {
    let mut item = question(1);
    item.question = "Ist der Kite größer als 漢字?".into();
    let bench = Bench::of(&[item], &[]);
    let seat = bench.seat_at(
        "ann",
        Terminal {
            ascii: true,
            ..Terminal::default()
        },
    );
    let shown = seat.on(1);
    assert!(shown.contains("Ist der Kite gr??er als ?????"), "{shown}");
    assert!(seat.raw().is_ascii());
}
