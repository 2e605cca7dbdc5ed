//! Contact sheets: many pictures at once, each with its own verdict.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use benchtop::model::round::{NewRound, Protocol};
use benchtop::model::{Act, Item, Judgement, PictureSeen, Seen, Verdict};
use benchtop::protocol::wire::request;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::support::{Answers, Bench, PATIENCE, Seat, Terminal, pictured, question};
use crate::support::{has_line, wording};

const SMALL: Terminal = Terminal {
    size: (80, 24),
    ..Terminal::DEFAULT
};

/// A picture of its own for each number, with as many colors as a photo.
fn png(number: u32) -> Vec<u8> {
    let mut dice = u64::from(number) + 1;
    let image = RgbImage::from_fn(48, 48, |x, y| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let noise = (dice >> 58) as u8;
        let shade = |c: u32| (c * 4 + number * 7) as u8;
        Rgb([shade(x), shade(y), shade(x + y)].map(|c: u8| c.wrapping_add(noise)))
    });
    let mut out = std::io::Cursor::new(Vec::new());
    DynamicImage::from(image)
        .write_to(&mut out, ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

/// A project with `n` questions, each about a picture of its own.
pub(super) fn pictures(n: u32) -> Bench {
    let names: Vec<String> = (1..=n).map(|n| format!("{n}.png")).collect();
    let items: Vec<Item> = (1..)
        .zip(&names)
        .map(|(n, name)| pictured(n, name))
        .collect();
    let files: Vec<Vec<u8>> = (1..=n).map(png).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .zip(&files)
        .map(|(name, file)| (name.as_str(), file.as_slice()))
        .collect();
    Bench::of(&items, &files)
}

/// The sheet that begins at item `from`: its last item, once all its pictures are on screen.
fn on_sheet(seat: &Seat, from: u32) -> u32 {
    let mut last = 0;
    seat.wait_until(&format!("the sheet from {from}"), |shown| {
        let range = shown.split_whitespace().find_map(|word| {
            let (first, to) = word.split_once('–')?;
            let number = |word: &str| word.replace(',', "").parse::<u32>().ok();
            Some((number(first)?, number(to)?))
        });
        last = range
            .filter(|(first, _)| *first == from)
            .map_or(0, |(_, to)| to);
        let all = (from..=last).all(|n| shown.contains(&format!("#{n} ")));
        last > 0 && all && !shown.contains("loading")
    });
    frame_ended(seat);
    last
}

/// Waits for the end of the frame that is being written: the question to the terminal comes right before it.
fn frame_ended(seat: &Seat) {
    let until = Instant::now() + PATIENCE;
    loop {
        let raw = seat.raw();
        let last = |mark: &[u8]| memchr::memmem::rfind(&raw, mark);
        if last(b"\x1b[?2026l") > last(b"\x1b[?2026h") {
            return;
        }
        assert!(Instant::now() < until, "the frame does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Opens the contact sheet of all items.
fn open(seat: &mut Seat) -> u32 {
    seat.on(1);
    seat.keys("gs");
    on_sheet(seat, 1)
}

fn judgements(bench: &Bench) -> Vec<(u32, Judgement)> {
    let judged = |d: benchtop::model::Decision| match d.act {
        Act::Judge(judgement) => {
            let number = d.item.rsplit('/').next().unwrap().parse().unwrap();
            Some((number, judgement))
        }
        _ => None,
    };
    bench
        .journal("ann")
        .into_iter()
        .filter_map(judged)
        .collect()
}

/// The items of the journal with a verdict that was not undone, by number.
fn effective(bench: &Bench, verdict: Verdict) -> Vec<u32> {
    let client = bench.client("ann");
    let page = client
        .ask(request::Verdicts {
            round: None,
            from: 1,
        })
        .unwrap();
    let own = page
        .list
        .iter()
        .filter(|(_, own)| own.who == "ann" && own.judgement.verdict == verdict);
    own.map(|(number, _)| *number).collect()
}

#[test]
fn the_rest_is_accepted_and_undone_as_one_step() {
    let bench = pictures(40);
    let mut seat = bench.seat_at("ann", SMALL);
    let page = open(&mut seat);
    assert!((6..40).contains(&page), "{page}");
    seat.keys("lx1");
    seat.wait_for("#2 saved");
    seat.keys("y");
    seat.wait_for(&format!("{} saved", page - 1));
    on_sheet(&seat, page + 1);
    let rest: Vec<u32> = (1..=page).filter(|n| *n != 2).collect();
    assert_eq!(effective(&bench, Verdict::Accept), rest);
    assert_eq!(effective(&bench, Verdict::Reject), [2]);
    for (number, judgement) in judgements(&bench) {
        assert_eq!(judgement.seen, Seen::Painted, "#{number}");
        assert_eq!(judgement.pictures, [PictureSeen::Painted], "#{number}");
    }
    // One key takes the whole step back and shows its sheet again.
    seat.keys("u");
    seat.wait_until("the first sheet", |s| has_line(s, &["?#1", "✗#2", "?#3"]));
    assert!(effective(&bench, Verdict::Accept).is_empty());
    assert_eq!(effective(&bench, Verdict::Reject), [2]);
    // The next one takes back the rejection.
    seat.keys("u");
    seat.wait_until("item 2", |s| has_line(s, &["?#1", "?#2", "?#3"]));
    assert!(effective(&bench, Verdict::Reject).is_empty());
}

#[test]
fn steps_are_undone_one_after_the_other() {
    let bench = pictures(40);
    let mut seat = bench.seat_at("ann", SMALL);
    let page = open(&mut seat);
    seat.keys("y");
    seat.wait_for(&format!("{page} saved"));
    on_sheet(&seat, page + 1);
    seat.keys("f");
    seat.wait_for(&format!("#{} saved", page + 1));
    seat.keys("y");
    seat.wait_for(&format!("{} saved", page - 1));
    on_sheet(&seat, 2 * page + 1);
    seat.keys("u");
    on_sheet(&seat, page + 1);
    seat.wait_until("the step undone", |s| {
        has_line(s, &[&format!("!#{}", page + 1), &format!("?#{}", page + 2)])
    });
    seat.keys("u");
    seat.wait_until("the flag undone", |s| {
        has_line(s, &[&format!("?#{}", page + 1), &format!("?#{}", page + 2)])
    });
    seat.keys("u");
    on_sheet(&seat, 1);
    seat.wait_until("the first step undone", |s| has_line(s, &["?#1", "?#2"]));
    assert!(effective(&bench, Verdict::Accept).is_empty());
}

#[test]
fn only_what_the_terminal_has_painted_is_judged() {
    let bench = pictures(40);
    let terminal = Terminal {
        answers: Answers::WhenTold,
        ..SMALL
    };
    let mut seat = bench.seat_at("ann", terminal);
    let page = open(&mut seat);
    for key in ["y", "f", "x"] {
        seat.keys(key);
        seat.wait_for("yet");
        if key == "x" {
            // What is typed after a refused prompt is meant for it, up to the key that closes it.
            seat.keys("<esc>");
        }
        seat.keys("Q");
        seat.wait_for(wording::KEY_UNKNOWN);
        assert_eq!(bench.journal("ann"), []);
        assert_eq!(on_sheet(&seat, 1), page);
    }
    seat.answer();
    seat.keys("y");
    seat.wait_for(&format!("{page} saved"));
    on_sheet(&seat, page + 1);
    // The second sheet is on screen, but the terminal has not said so.
    seat.keys("y");
    seat.wait_for("yet");
    on_sheet(&seat, page + 1);
    assert_eq!(judgements(&bench).len(), page as usize);
    seat.answer();
    seat.keys("y");
    on_sheet(&seat, 2 * page + 1);
    seat.wait_for(&format!("{page} saved"));
    assert_eq!(judgements(&bench).len(), 2 * page as usize);
}

#[test]
fn a_terminal_that_never_answers_is_marked() {
    let bench = pictures(12);
    let terminal = Terminal {
        answers: Answers::Never,
        size: (200, 60),
        ..SMALL
    };
    let mut seat = bench.seat_at("ann", terminal);
    assert_eq!(open(&mut seat), 12);
    let saved = |seat: &Seat| seat.text().contains("12 saved");
    for _ in 0..100 {
        seat.keys("y");
        std::thread::sleep(Duration::from_millis(50));
        if saved(&seat) {
            break;
        }
    }
    seat.wait_for("12 saved");
    let judged = judgements(&bench);
    assert_eq!(judged.len(), 12);
    assert!(judged.iter().all(|(_, j)| j.seen == Seen::Unconfirmed));
}

#[test]
fn a_change_meanwhile_refuses_the_verdict_on_that_item_only() {
    let bench = pictures(20);
    let mut ann = bench.seat_at("ann", SMALL);
    open(&mut ann);
    ann.keys(" l l x");
    ann.wait_for(&format!("reject {} items", 3));
    // Bob judges one of them while the menu is open.
    let mut bob = bench.seat("bob");
    bob.judge(1, "s");
    bob.judge(2, "s");
    ann.keys("1");
    let shown = ann.wait_for(wording::SHEET_CHANGED);
    assert!(has_line(&shown, &["#1", "#2"]), "{shown}");
    assert_eq!(effective(&bench, Verdict::Reject), [3]);
}

#[test]
fn missing_pictures_are_left_for_the_review() {
    let mut items: Vec<Item> = (1..=8).map(|n| pictured(n, &format!("{n}.png"))).collect();
    items.push(question(9));
    let files: Vec<(String, Vec<u8>)> = (1..=8)
        .filter(|n| *n != 3)
        .map(|n| (format!("{n}.png"), png(n)))
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(n, f)| (n.as_str(), &f[..])).collect();
    let bench = Bench::of(&items, &files);
    let mut seat = bench.seat_at("ann", Terminal::DEFAULT);
    open(&mut seat);
    seat.keys("y");
    seat.wait_for("7 saved");
    assert_eq!(effective(&bench, Verdict::Accept), [1, 2, 4, 5, 6, 7, 8]);
    // The item under the cursor in the review, and back to the same place.
    seat.keys("llo");
    seat.wait_for(" 3 of 9");
    seat.wait_for(wording::NO_PICTURE);
    seat.on(3);
    seat.keys("x1");
    seat.wait_for("#3 saved");
    seat.keys("<esc>");
    on_sheet(&seat, 1);
    seat.wait_until("the rejection", |s| has_line(s, &["✓#2", "✗#3", "✓#4"]));
}

#[test]
fn every_window_shows_a_sheet_and_judges_what_it_shows() {
    for size in [(60, 16), (80, 24), (120, 40), (160, 50), (200, 60)] {
        let bench = pictures(50);
        let mut seat = bench.seat_at("ann", Terminal { size, ..SMALL });
        let page = open(&mut seat);
        assert!((6..=40).contains(&page), "{size:?}: {page}");
        seat.keys("y");
        seat.wait_for(&format!("{page} saved"));
        let all: Vec<u32> = (1..=page).collect();
        assert_eq!(effective(&bench, Verdict::Accept), all, "{size:?}");
    }
}

#[test]
fn a_resize_shows_another_sheet_with_the_same_item() {
    let bench = pictures(60);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (160, 50),
            ..SMALL
        },
    );
    let page = open(&mut seat);
    seat.keys("y");
    on_sheet(&seat, page + 1);
    seat.resize(60, 16);
    // The message comes with a frame of the new size.
    seat.keys("Q");
    seat.wait_for(wording::KEY_UNKNOWN);
    seat.wait_until("its pictures", |shown| {
        shown.contains(&format!("#{} ", page + 1)) && !shown.contains("loading")
    });
    frame_ended(&seat);
    seat.keys("y");
    let until = Instant::now() + PATIENCE;
    while !effective(&bench, Verdict::Accept).contains(&(page + 1)) {
        assert!(Instant::now() < until, "not accepted:\n{}", seat.text());
        std::thread::sleep(Duration::from_millis(5));
    }
    // No item beyond what the smaller window showed.
    let most = effective(&bench, Verdict::Accept).into_iter().max();
    assert!(most.is_some_and(|most| most <= page + 40), "{most:?}");
}

#[test]
fn a_round_shows_no_contact_sheet() {
    let bench = pictures(12);
    let new = NewRound {
        calibration: 0,
        ..NewRound::new("first", Protocol::Single, vec!["ann".into()], 1)
    };
    let ask = request::NewRound {
        new: Box::new(new),
        dry: false,
    };
    bench.client("ann").ask(ask).unwrap();
    let mut seat = bench.seat_at("ann", SMALL);
    seat.on(1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    seat.wait_for(wording::TO_JUDGE);
    seat.keys("gs");
    seat.wait_for(wording::SHEET_IN_ROUND);
    seat.keys("y");
    seat.wait_for(wording::SHEET_IN_ROUND_ACT);
    assert_eq!(bench.journal("ann"), []);
    seat.keys("gr");
    seat.wait_for(wording::TO_JUDGE);
}

/// Which of `of` pictures are bad, spread unevenly.
fn planted(bad: u32, of: u32) -> BTreeSet<u32> {
    let mut chosen = BTreeSet::new();
    let mut dice = 7_u32;
    while chosen.len() < bad as usize {
        dice = dice.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        chosen.insert(1 + (dice >> 8) % of);
    }
    chosen
}

/// What finding the bad pictures took.
struct Effort {
    keys: usize,
    bytes: usize,
    screens: usize,
}

impl Effort {
    fn print(&self, what: &str) {
        let Effort {
            keys,
            bytes,
            screens,
        } = self;
        eprintln!("{what}: {keys} keys, {bytes} bytes, {screens} screens");
    }
}

/// Checks that exactly the bad pictures are rejected and all others accepted.
fn check(bench: &Bench, bad: &BTreeSet<u32>, of: u32) {
    let all = judgements(bench);
    assert_eq!(all.len(), of as usize);
    for (number, judgement) in all {
        let wanted = match bad.contains(&number) {
            true => Verdict::Reject,
            false => Verdict::Accept,
        };
        assert_eq!(judgement.verdict, wanted, "#{number}");
        assert_eq!(judgement.seen, Seen::Painted, "#{number}");
    }
}

fn one_at_a_time(bad: &BTreeSet<u32>, of: u32, terminal: Terminal) -> Effort {
    let bench = pictures(of);
    let mut seat = bench.seat_at("ann", terminal);
    seat.on(1);
    let before = seat.bytes();
    let mut keys = 0;
    for number in 1..=of {
        let pressed = if bad.contains(&number) { "x1" } else { "a" };
        keys += pressed.len();
        seat.judge(number, pressed);
    }
    let bytes = seat.bytes() - before;
    check(&bench, bad, of);
    Effort {
        keys,
        bytes,
        screens: of as usize,
    }
}

/// The pictures of the first row of tiles.
fn columns(seat: &Seat, from: u32) -> u32 {
    let text = seat.text();
    let row = text.lines().find(|row| row.contains(&format!("?#{from} ")));
    row.map_or(0, |row| row.matches("?#").count() as u32)
}

fn on_sheets(bad: &BTreeSet<u32>, of: u32, terminal: Terminal) -> Effort {
    let bench = pictures(of);
    let mut seat = bench.seat_at("ann", terminal);
    seat.on(1);
    let before = seat.bytes();
    let (mut keys, mut screens, mut from, mut first) = (2, 0, 1, true);
    seat.keys("gs");
    loop {
        let last = on_sheet(&seat, from);
        screens += 1;
        let columns = columns(&seat, from);
        let mut cursor = from;
        let mut pressed = String::new();
        for number in bad.range(from..=last) {
            let at = |n: u32| ((n - from) % columns, (n - from) / columns);
            let ((x, y), (to_x, to_y)) = (at(cursor), at(*number));
            pressed += &"j".repeat(to_y.saturating_sub(y) as usize);
            pressed += &"l".repeat(to_x.saturating_sub(x) as usize);
            pressed += &"h".repeat(x.saturating_sub(to_x) as usize);
            pressed += if first { "x1" } else { "X" };
            (cursor, first) = (*number, false);
        }
        pressed.push('y');
        keys += pressed.len();
        seat.keys(&pressed);
        if last == of {
            break;
        }
        from = last + 1;
    }
    seat.wait_until("the last receipt", |_| {
        judgements(&bench).len() == of as usize
    });
    let bytes = seat.bytes() - before;
    check(&bench, bad, of);
    Effort {
        keys,
        bytes,
        screens,
    }
}

/// Planted bad pictures, found on contact sheets and one at a time by a script that knows them. `BENCHTOP_TORTURE`
/// sets the number of items (40 bad ones among 1,000 with 1000); the bytes are printed.
#[test]
fn contact_sheets_find_planted_pictures_with_fewer_keys() {
    let of = std::env::var("BENCHTOP_TORTURE").map_or(120, |n| n.parse().unwrap());
    let bad = planted((of / 25).max(8), of);
    for size in [(80, 24), (160, 50)] {
        let terminal = Terminal { size, ..SMALL };
        let alone = one_at_a_time(&bad, of, terminal);
        let sheets = on_sheets(&bad, of, terminal);
        eprintln!("{} of {of} bad at {size:?}", bad.len());
        alone.print("one at a time");
        sheets.print("on contact sheets");
        assert!(
            2 * sheets.keys < alone.keys,
            "{size:?}: {} keys against {}",
            sheets.keys,
            alone.keys
        );
    }
}
