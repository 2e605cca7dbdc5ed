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
        ("gh", "Next"),
        ("gi", "rows 1-"),
        ("gb", ">Board"),
        ("gw", ">Vocabularies"),
        ("gp", ">Templates"),
        ("gc", ">Coverage"),
        ("gj", ">Jobs"),
        ("gf", ">Filters"),
        ("go", ">Rounds"),
        ("gd", ">Adjudicate"),
        ("gk", ">Agreement"),
    ] {
        seat.keys(pane);
        seat.wait_for(shown);
        seat.wait_until("the pane", |s| s.lines().count() > 3);
    }
    seat.keys("gr");
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
