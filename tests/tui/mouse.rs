//! The mouse: off until its key, then clicks do what keys do.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use benchtop::model::{ImageRef, Item};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::support::{Answers, Bench, PATIENCE, Seat, Terminal, pictured, question};
use crate::support::{has_line, wording};

const ON: Terminal = Terminal {
    mouse: true,
    size: (100, 30),
    ..Terminal::DEFAULT
};

/// The left button moves while it is down.
const DRAG: u8 = 32;
const WHEEL_UP: u8 = 64;
const WHEEL_DOWN: u8 = 65;

/// A picture whose four quarters have colors of their own.
fn quarters(red: u8) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let image = RgbImage::from_fn(64, 64, |x, y| match (x < 32, y < 32) {
        (true, true) => Rgb([red, 20, 20]),
        (false, true) => Rgb([20, 200, 20]),
        (true, false) => Rgb([20, 20, 200]),
        (false, false) => Rgb([220, 220, 20]),
    });
    DynamicImage::from(image)
        .write_to(&mut out, ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

/// Items with a picture each.
fn pictures(n: i64) -> Bench {
    let items: Vec<Item> = (1..=n).map(|n| pictured(n, "a.png")).collect();
    Bench::of(&items, &[("a.png", &quarters(200))])
}

/// One item with two pictures.
fn pair() -> Bench {
    let image = |name: &str| ImageRef {
        name: name.into(),
        ..ImageRef::default()
    };
    let item = Item {
        images: vec![image("a.png"), image("b.png")],
        ..question(1)
    };
    let (a, b) = (quarters(200), quarters(90));
    Bench::of(&[item], &[("a.png", &a), ("b.png", &b)])
}

/// The colors of the pictures, without those where quarters meet.
fn colors(seat: &Seat) -> BTreeSet<(u8, u8, u8)> {
    let mut colors = seat.picture_colors();
    colors.retain(|color| {
        let pure = [(20, 200, 20), (20, 20, 200), (220, 220, 20)];
        pure.contains(color) || (color.1, color.2) == (20, 20)
    });
    colors
}

/// Waits until the pictures have these colors.
fn wait_colors(seat: &Seat, wanted: &[(u8, u8, u8)]) {
    let wanted: BTreeSet<_> = wanted.iter().copied().collect();
    let until = Instant::now() + PATIENCE;
    while colors(seat) != wanted {
        assert!(
            Instant::now() < until,
            "{:?} instead of {wanted:?}:\n{}",
            colors(seat),
            seat.text()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_mouse_is_off_until_its_key_and_idle_is_silent() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat("ann");
    seat.on(1);
    // The counts of the tab row come last.
    seat.wait_for("?5");
    seat.settled();
    let before = seat.bytes();
    seat.click_on("2 Build");
    seat.mouse(WHEEL_DOWN, (5, 5), 'M');
    seat.settled();
    assert_eq!((seat.bytes(), seat.mouse_switch()), (before, None));
    seat.keys("<f9>");
    seat.wait_until("the mouse", |_| seat.mouse_switch() == Some(true));
    seat.settled();
    let before = seat.bytes();
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(seat.bytes(), before, "nothing is written while it is idle");
    seat.click_on("2 Build");
    seat.wait_for("vocabularies");
    seat.click_on("Templates");
    seat.wait_for("templates.toml");
    seat.keys("<f9>");
    seat.wait_until("no mouse", |_| seat.mouse_switch() == Some(false));
    seat.click_on("1 Home");
    assert!(seat.settled().contains("Templates"));
}

#[test]
fn a_click_moves_to_a_row_and_another_one_opens_it() {
    let bench = Bench::plain(40);
    let mut seat = bench.seat_at("ann", ON);
    seat.on(1);
    seat.keys("gi");
    seat.wait_for("kite 7 ");
    let at = seat.find("Is kite 7 red");
    seat.click(at);
    let line = |shown: &str, mark: &str| {
        let found = shown.lines().skip(2).find(|line| line.contains(mark));
        found.map(str::to_string)
    };
    let shown = seat.wait_until("the cursor", |s| {
        line(s, "▌").is_some_and(|l| l.contains("kite 7 "))
    });
    assert!(shown.contains("rows 1-"));
    // The wheel moves three rows.
    seat.mouse(WHEEL_DOWN, at, 'M');
    seat.wait_until("row 10", |s| {
        line(s, "▌").is_some_and(|l| l.contains("kite 10 "))
    });
    seat.mouse(WHEEL_UP, at, 'M');
    seat.mouse(WHEEL_UP, at, 'M');
    seat.wait_until("row 4", |s| {
        line(s, "▌").is_some_and(|l| l.contains("kite 4 "))
    });
    // Two clicks at once: the second one counts for what the first one did.
    seat.click(at);
    seat.click(at);
    seat.on(7);
    assert!(bench.journal("ann").is_empty());
}

#[test]
fn a_click_on_the_key_bar_judges_what_was_seen() {
    let bench = Bench::plain(5);
    let mut seat = bench.seat_at("ann", ON);
    seat.on(1);
    seat.click_on("a accept");
    seat.wait_for("#1 saved");
    seat.on(2);
    seat.click_on("accept");
    seat.wait_for("#2 saved");
    assert_eq!(bench.verdicts("ann"), ["1 accept", "2 accept"]);
    // A menu takes clicks too.
    seat.on(3);
    seat.click_on("x reject");
    seat.wait_for("enter picks");
    let second = seat.find("] 2 ");
    seat.click(second);
    seat.click(second);
    seat.wait_for("[x] 2");
    seat.click_on("enter confirm");
    seat.wait_for("#3 saved");
    assert_eq!(bench.verdicts("ann")[2], "3 reject");
}

#[test]
fn a_click_judges_nothing_that_the_terminal_has_not_shown() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            answers: Answers::WhenTold,
            ..ON
        },
    );
    seat.on(1);
    seat.click_on("a accept");
    seat.wait_for(wording::NOT_SHOWN_YET);
    assert!(bench.journal("ann").is_empty());
    seat.answer();
    seat.click_on("a accept");
    seat.wait_for("#1 saved");
}

#[test]
fn clicks_on_a_contact_sheet_move_and_open() {
    let bench = pictures(12);
    let mut seat = bench.seat_at("ann", ON);
    seat.on(1);
    seat.keys("gs");
    seat.wait_until("the sheet", |s| s.contains("#5") && !s.contains("loading"));
    seat.click_on("#5 ");
    seat.wait_until("the cursor", |s| has_line(s, &["#5 ", "pending", "→"]));
    // The picture above the caption belongs to the tile.
    let (x, y) = seat.find("#2 ");
    seat.click((x, y - 1));
    seat.wait_until("the cursor", |s| has_line(s, &["#2 ", "pending", "→"]));
    seat.click((x, y - 1));
    seat.on(2);
    assert!(bench.journal("ann").is_empty());
}

#[test]
fn home_opens_what_is_clicked_twice() {
    let bench = Bench::plain(8);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            stays_home: true,
            ..ON
        },
    );
    let at = seat.find("Judge items");
    seat.wait_row(&["judged"]);
    let at_funnel = seat.find("judged");
    seat.click(at_funnel);
    seat.wait_until("the cursor", |s| has_line(s, &["▌", "judged"]));
    seat.click(at);
    seat.wait_until("the cursor", |s| has_line(s, &["▌", "Judge items"]));
    seat.click(at);
    seat.on(1);
}

#[test]
fn a_region_is_dragged_and_both_pictures_of_a_pair_zoom_to_it() {
    let bench = pair();
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (160, 40),
            ..ON
        },
    );
    seat.on(1);
    seat.wait_for("A a.png");
    let whole = colors(&seat);
    assert!(whole.contains(&(200, 20, 20)) && whole.contains(&(90, 20, 20)));
    let places = seat.picture_cells();
    let (left, right) = (places.0, places.2);
    let (top, bottom) = (places.1, places.3);
    // Within the upper left quarter of the first picture.
    let width = (right - left - 2) / 2;
    let from = (left + 1, top + 1);
    let to = (left + width / 2 - 2, top + (bottom - top) / 2 - 2);
    seat.mouse(0, from, 'M');
    seat.mouse(DRAG, to, 'M');
    seat.wait_until("outlines on both", |s| s.matches('┌').count() == 2);
    seat.mouse(0, to, 'm');
    seat.wait_until("the zoom", |s| has_line(s, &["zoom"]) && !s.contains('┌'));
    wait_colors(&seat, &[(90, 20, 20), (200, 20, 20)]);
    // The wheel zooms out again.
    for _ in 0..5 {
        seat.mouse(WHEEL_DOWN, from, 'M');
    }
    wait_colors(&seat, &Vec::from_iter(whole.clone()));
    // A click on the picture selects nothing.
    seat.click(from);
    seat.settled();
    assert_eq!(colors(&seat), whole);
    assert!(bench.journal("ann").is_empty());
}

#[test]
fn a_region_is_selected_by_keys() {
    let bench = pictures(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    let whole = colors(&seat);
    assert_eq!(whole.len(), 4);
    seat.keys("Z");
    seat.wait_for("┌");
    // Verdict keys are off meanwhile.
    seat.keys("a");
    assert!(seat.settled().contains('┌'));
    seat.keys("<esc>");
    seat.wait_gone("┌");
    assert_eq!(colors(&seat), whole);
    // To the right edge, then up to the corner, and smaller.
    seat.keys("Zllllkkkk<shift-left>HK<enter>");
    wait_colors(&seat, &[(20, 200, 20)]);
    // Pan down to the quarter below, by quarters of the view.
    seat.keys("JJJJJ");
    wait_colors(&seat, &[(220, 220, 20)]);
    seat.keys("----");
    wait_colors(&seat, &Vec::from_iter(whole.clone()));
    // The next item shows all of its picture, and selects nothing.
    seat.keys("Zn");
    seat.settled();
    seat.keys("<esc>n");
    seat.on(2);
    assert_eq!(colors(&seat), whole);
    assert!(bench.journal("ann").is_empty());
}

/// Every place of every pane takes clicks and the wheel, and none of them is a verdict.
#[test]
fn clicks_anywhere_above_the_key_bar_judge_nothing() {
    let bench = pictures(9);
    for go in [
        "gh", "gw", "gp", "gc", "gm", "gj", "gi", "gf", "gr", "gs", "go", "gd", "gk", "gb", "ge",
        "gx",
    ] {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                stays_home: true,
                ..ON
            },
        );
        seat.wait_row(&["judged"]);
        seat.keys(go);
        seat.settled();
        for row in (0..28).step_by(3) {
            for column in (0..100).step_by(17) {
                seat.click((column, row));
                seat.mouse(WHEEL_DOWN, (column, row), 'M');
                seat.mouse(WHEEL_UP, (column, row), 'M');
            }
        }
        seat.settled();
        // It still takes keys.
        seat.keys("<esc><esc><esc><esc>1");
        seat.wait_row(&["judged"]);
        drop(seat);
        assert!(bench.journal("ann").is_empty(), "after {go}");
    }
}
