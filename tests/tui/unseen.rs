//! Each verdict records which pictures were shown. A picture that was not shown asks for confirmation.

use benchtop::model::{Act, ImageRef, Item, Judgement, PictureSeen, Seen};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::support::{Bench, Seat, Terminal, pictured, question};
use crate::support::{has_line, wording};

const SMALL: Terminal = Terminal {
    size: (80, 24),
    ..Terminal::DEFAULT
};

fn png(shade: u8) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let image = RgbImage::from_pixel(48, 48, Rgb([shade, 80, 160]));
    DynamicImage::from(image)
        .write_to(&mut out, ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

fn of(n: i64, names: &[&str]) -> Item {
    let image = |name: &&str| ImageRef {
        name: name.to_string(),
        ..ImageRef::default()
    };
    Item {
        images: names.iter().map(image).collect(),
        ..question(n)
    }
}

/// The verdicts of ann.
fn said(bench: &Bench) -> Vec<Judgement> {
    let judged = |act| match act {
        Act::Judge(judgement) => judgement,
        other => panic!("{other:?}"),
    };
    bench
        .journal("ann")
        .into_iter()
        .map(|d| judged(d.act))
        .collect()
}

/// What the last verdict says of the pictures.
fn last(bench: &Bench) -> (Seen, Vec<PictureSeen>) {
    let said = said(bench).pop().unwrap();
    (said.seen, said.pictures)
}

const ASKS: &str = wording::ANYWAY;

/// Presses a key that judges, and waits for the question instead of the verdict.
fn asks(seat: &mut Seat, n: u32, key: &str, what: &str) {
    seat.on(n);
    seat.keys(key);
    let shown = seat.wait_for(ASKS);
    assert!(shown.contains(what), "not {what}:\n{shown}");
}

#[test]
fn accepting_a_missing_or_broken_picture_needs_confirmation() {
    let items = [
        pictured(1, "gone.png"),
        pictured(2, "garbage.png"),
        pictured(3, "good.png"),
        question(4),
    ];
    let bench = Bench::of(
        &items,
        &[("garbage.png", &[0x9b; 4096]), ("good.png", &png(1))],
    );
    let mut seat = bench.seat_at("ann", SMALL);
    asks(&mut seat, 1, "a", wording::PICTURE_MISSING);
    // Neither a second tap nor any other key is a yes.
    for key in ["a", "n", "<esc>"] {
        seat.keys(key);
        seat.wait_gone(ASKS);
        assert_eq!(bench.journal("ann").len(), 0);
        asks(&mut seat, 1, "a", wording::PICTURE_MISSING);
    }
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(last(&bench), (Seen::Partly, vec![PictureSeen::Missing]));
    asks(&mut seat, 2, "m", wording::PICTURE_BROKEN);
    seat.keys("<enter>");
    seat.wait_for("#2 saved");
    assert_eq!(last(&bench), (Seen::Partly, vec![PictureSeen::Broken]));
    seat.judge(3, "a");
    assert_eq!(last(&bench), (Seen::Painted, vec![PictureSeen::Painted]));
    seat.on(4);
    seat.judge(4, "a");
    assert_eq!(
        last(&bench),
        (Seen::Painted, vec![]),
        "an item without pictures"
    );
    assert_eq!(
        bench.verdicts("ann"),
        ["1 accept", "2 unsure", "3 accept", "4 accept"]
    );
}

#[test]
fn rejecting_needs_no_confirmation_and_records_what_was_shown() {
    let items = [
        pictured(1, "gone.png"),
        pictured(2, "gone.png"),
        pictured(3, "gone.png"),
        question(4),
    ];
    let bench = Bench::of(&items, &[]);
    let mut seat = bench.seat_at("ann", SMALL);
    seat.on(1);
    seat.keys("x");
    let shown = seat.wait_for(&wording::reasons_asked(1));
    assert!(shown.contains(wording::PICTURE_MISSING), "{shown}");
    seat.keys("1");
    seat.wait_for("#1 saved");
    seat.judge(2, "s");
    seat.judge(3, "f");
    assert!(
        said(&bench)
            .iter()
            .all(|j| (j.seen, &j.pictures[..]) == (Seen::Partly, &[PictureSeen::Missing]))
    );
    assert_eq!(bench.verdicts("ann"), ["1 reject", "2 skip", "3 flag"]);
}

#[test]
fn a_changed_picture_counts_as_not_seen() {
    let bench = Bench::of(
        &[pictured(1, "good.png"), question(2)],
        &[("good.png", &png(1))],
    );
    let images = bench.project().images();
    let folder = std::fs::read_dir(&images)
        .unwrap()
        .map(|e| e.unwrap().path())
        .find(|p| p.is_dir())
        .unwrap();
    let file = std::fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::write(file, png(2)).unwrap();
    let mut seat = bench.seat("ann");
    asks(&mut seat, 1, "a", wording::PICTURE_BROKEN);
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(last(&bench), (Seen::Partly, vec![PictureSeen::Broken]));
}

#[test]
fn a_pair_s_second_picture_counts_once_shown() {
    use PictureSeen::{NotPainted, Painted};
    let pair = |n| of(n, &["a.png", "b.png"]);
    let bench = Bench::of(
        &[pair(1), pair(2), pair(3)],
        &[("a.png", &png(1)), ("b.png", &png(2))],
    );
    let mut seat = bench.seat_at("ann", SMALL);
    asks(&mut seat, 1, "a", "picture 2 of 2");
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(last(&bench), (Seen::Partly, vec![Painted, NotPainted]));
    seat.on(2);
    seat.wait_for("A a.png");
    seat.keys("v");
    seat.wait_for("B b.png");
    seat.judge(2, "a");
    assert_eq!(last(&bench), (Seen::Painted, vec![Painted, Painted]));
    // Where there is room for both, both are there at once.
    seat.resize(160, 50);
    seat.on(3);
    seat.wait_for("B b.png");
    seat.judge(3, "a");
    assert_eq!(last(&bench), (Seen::Painted, vec![Painted, Painted]));
}

#[test]
fn v_reaches_a_third_picture() {
    use PictureSeen::{NotPainted, Painted};
    let names = ["a.png", "b.png", "c.png"];
    let files: Vec<(&str, Vec<u8>)> = names
        .iter()
        .zip(1..)
        .map(|(name, shade)| (*name, png(shade)))
        .collect();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (*name, bytes.as_slice()))
        .collect();
    let bench = Bench::of(&[of(1, &names), of(2, &names)], &files);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (160, 50),
            ..Terminal::default()
        },
    );
    asks(&mut seat, 1, "a", "picture 3 of 3");
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(
        last(&bench),
        (Seen::Partly, vec![Painted, Painted, NotPainted])
    );
    seat.on(2);
    for shown in ["A a.png (1 of 3)", "B b.png (2 of 3)", "C c.png (3 of 3)"] {
        seat.keys("v");
        seat.wait_until(shown, |s| {
            s.contains(shown) && s.matches(" of 3)").count() == 1
        });
    }
    seat.judge(2, "a");
    assert_eq!(last(&bench), (Seen::Painted, vec![Painted; 3]));
}

#[test]
fn one_broken_picture_does_not_hide_the_others() {
    use PictureSeen::{Broken, Missing, Painted};
    let items = [
        of(1, &["a.png", "bad.png"]),
        of(2, &["bad.png", "a.png"]),
        of(3, &["gone.png", "a.png"]),
    ];
    let bench = Bench::of(&items, &[("a.png", &png(1)), ("bad.png", b"no picture")]);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (160, 50),
            ..Terminal::default()
        },
    );
    seat.on(1);
    seat.wait_row(&["A a.png", "B"]);
    asks(&mut seat, 1, "a", "picture 2 of 2");
    seat.keys("<enter>");
    seat.wait_for("#1 saved");
    assert_eq!(last(&bench), (Seen::Partly, vec![Painted, Broken]));
    for (n, first) in [(2, Broken), (3, Missing)] {
        seat.on(n);
        seat.wait_for(wording::NO_PICTURE);
        seat.keys("v");
        seat.wait_for("B a.png");
        asks(&mut seat, n, "a", "picture 1 of 2 is");
        seat.keys("<enter>");
        seat.wait_for(&format!("#{n} saved"));
        assert_eq!(last(&bench), (Seen::Partly, vec![first, Painted]));
    }
}

#[test]
fn a_narrow_window_shows_the_whole_confirmation() {
    let bench = Bench::of(&[of(1, &["gone.png", "away.png"])], &[]);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (40, 12),
            ..Terminal::default()
        },
    );
    seat.on(1);
    seat.keys("a");
    let whole = |shown: &str| {
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        has_line(&words, &["picture 1 of 2", "picture 2 of 2"])
    };
    seat.wait_until("the whole question", whole);
}
