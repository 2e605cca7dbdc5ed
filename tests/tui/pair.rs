//! Items with two pictures: zoom, blink, difference, and rewritten questions.

use benchtop::model::{
    ColorLevel, Derivation, ImageRef, Item, JudgeRuling, Key, Pair, Side, Variant,
};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::support::{Bench, Seat, Terminal, pictured, question, snapshot};
use crate::support::wording;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn png(draw: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let image = RgbImage::from_fn(64, 64, |x, y| Rgb(draw(x, y)));
    DynamicImage::from(image)
        .write_to(&mut out, ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

fn kite(x: u32, y: u32) -> [u8; 3] {
    if x.abs_diff(32) + y.abs_diff(28) < 20 {
        [200, 40, 40]
    } else {
        [40, 90, 160]
    }
}

/// The kite with a tail: 1.6 % of the pixels.
fn tailed(x: u32, y: u32) -> [u8; 3] {
    if x == 32 { [240, 240, 80] } else { kite(x, y) }
}

/// An item whose picture was edited, and one that has a picture alone.
fn edited() -> Bench {
    let image = |name: &str| ImageRef {
        name: name.into(),
        ..ImageRef::default()
    };
    let pair = Item {
        images: vec![image("kite.png"), image("tailed.png")],
        ..question(1)
    };
    Bench::of(
        &[pair, pictured(2, "kite.png")],
        &[("kite.png", &png(kite)), ("tailed.png", &png(tailed))],
    )
}

fn look(bench: &Bench, name: &str, terminal: Terminal, show: impl Fn(&mut Seat) -> String) {
    // Without colors the parts are the same in a wide window.
    let mono = terminal.level == ColorLevel::Mono;
    for &size in &SIZES[..if mono { 1 } else { 2 }] {
        let mut seat = bench.seat_at("ann", Terminal { size, ..terminal });
        seat.wait_until("the counts", |s| {
            s.lines().next().is_some_and(|l| l.contains('✗'))
        });
        let shown = show(&mut seat);
        snapshot(name, size, &shown);
    }
}

#[test]
fn a_pair_follows_the_window_size() {
    look(&edited(), "review_pair", Terminal::default(), |seat| {
        seat.on(1);
        seat.wait_for("A kite.png")
    });
}

#[test]
fn the_difference_view_marks_changed_pixels() {
    look(
        &edited(),
        "review_difference",
        Terminal::default(),
        |seat| {
            seat.on(1);
            seat.keys("D");
            seat.wait_for("A to B: 1.6 %")
        },
    );
}

#[test]
fn mono_terminals_show_the_difference_instead_of_blinking() {
    let mono = Terminal {
        level: ColorLevel::Mono,
        theme: "mono",
        accessible: true,
        ..Terminal::default()
    };
    look(&edited(), "review_difference_accessible", mono, |seat| {
        seat.on(1);
        seat.keys("b");
        seat.wait_for(wording::BLINKING);
        seat.wait_for("A to B: 1.6 %")
    });
}

#[test]
fn a_blink_ends_with_the_next_key_which_still_acts() {
    let bench = edited();
    let mut seat = bench.seat("ann");
    seat.on(1);
    let both = |shown: &str| shown.contains("A kite.png") && shown.contains("B tailed.png");
    seat.wait_until("both", both);
    seat.keys("b");
    for _ in 0..2 {
        seat.wait_until("B alone", |s| {
            s.contains("B tailed.png") && !s.contains("A kite.png")
        });
        seat.wait_until("A alone", |s| {
            s.contains("A kite.png") && !s.contains("B tailed.png")
        });
    }
    seat.keys("b");
    seat.wait_until("both again", both);
    seat.keys("b");
    seat.wait_until("B alone", |s| !s.contains("A kite.png"));
    // Esc stops it and does no more: the queue stays.
    seat.keys("<esc>");
    let shown = seat.wait_until("both again", both);
    assert!(!shown.contains(wording::NOTHING_TO_CLOSE), "{shown}");
    seat.keys("b");
    seat.wait_until("B alone", |s| !s.contains("A kite.png"));
    seat.judge(1, "a");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    seat.on(2);
    seat.keys("b");
    seat.wait_for(wording::NO_SECOND_PICTURE);
}

#[test]
fn a_small_window_shows_one_picture_and_v_switches() {
    let bench = edited();
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            size: (80, 24),
            ..Terminal::default()
        },
    );
    seat.on(1);
    let shown = seat.wait_for("A kite.png");
    assert!(!shown.contains("B tailed.png"), "{shown}");
    seat.keys("v");
    let shown = seat.wait_for("B tailed.png");
    assert!(!shown.contains("A kite.png"), "{shown}");
    seat.keys("v");
    seat.wait_for("A kite.png");
    seat.resize(160, 50);
    seat.keys("v");
    seat.wait_until("B alone", |s| {
        s.contains("B tailed.png") && !s.contains("A kite.png")
    });
    seat.keys("v");
    seat.wait_until("both", |s| {
        s.contains("A kite.png") && s.contains("B tailed.png")
    });
}

#[test]
fn zoom_and_pan_stop_at_the_picture_s_edges() {
    let bench = edited();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("H");
    seat.wait_for(wording::NOT_ZOOMED);
    seat.keys("++");
    seat.wait_row(&["4"]);
    for _ in 0..9 {
        seat.keys("L");
    }
    seat.wait_for(wording::PICTURE_ENDS);
    seat.keys("++++");
    seat.wait_for(wording::ZOOM_LIMIT);
    seat.keys("-----");
    seat.wait_for(wording::WHOLE_PICTURE);
    seat.keys("-");
    seat.wait_for(wording::NOT_ZOOMED);
    // The next item begins with the whole picture again.
    seat.keys("+n");
    seat.on(2);
    seat.keys("-");
    seat.wait_for(wording::NOT_ZOOMED);
}

#[test]
fn a_pair_takes_its_second_picture_from_its_partner() {
    let of = |n: i64, name: &str, side| Item {
        pair: Some(Pair {
            id: Key::Int(7),
            side,
        }),
        ..pictured(n, name)
    };
    let items = [
        of(1, "7_s.png", Side::Natural),
        of(2, "7_e.png", Side::Manipulated),
        question(3),
    ];
    let bench = Bench::of(
        &items,
        &[("7_s.png", &png(kite)), ("7_e.png", &png(tailed))],
    );
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.wait_row(&["A natural"]);
    seat.keys("n");
    seat.on(2);
    seat.wait_row(&["B manipulated"]);
    seat.keys("n");
    let shown = seat.on(3);
    assert!(!shown.contains("manipulated"), "{shown}");
}

/// An item, and a variant of it that was derived by an edit.
pub(super) fn derived() -> [Item; 2] {
    let original = pictured(1, "kite.png");
    let derivation = Derivation {
        edit: Some("a tail".into()),
        tries: 2,
        ruling: Some(JudgeRuling {
            judge: "vlb-v1-add-object".into(),
            pass: Some(true),
            ..JudgeRuling::default()
        }),
        ..Derivation::of(&original, "V1", "1")
    };
    let made = Item {
        variant: Some(Variant {
            name: "V1".into(),
            of: Some(original.id.clone()),
            modified: Some(true),
        }),
        derivation: Some(Box::new(derivation)),
        question: "Is kite 1 red or blue?".into(),
        ..pictured(9, "tailed.png")
    };
    [original, made]
}

/// The pictures of [`derived`].
pub(super) fn kites() -> [(&'static str, Vec<u8>); 2] {
    [("kite.png", png(kite)), ("tailed.png", png(tailed))]
}

#[test]
fn a_derived_item_is_compared_with_its_original() {
    let [original, made] = derived();
    // Far apart, so that the original is not fetched as a neighbor.
    let between = (2..9).map(|n| pictured(n, "kite.png"));
    let items: Vec<Item> = std::iter::once(original)
        .chain(between)
        .chain([made])
        .collect();
    let files = kites();
    let bench = Bench::of(
        &items,
        &files.each_ref().map(|(name, bytes)| (*name, &**bytes)),
    );
    let mut seat = bench.seat("ann");
    seat.keys("G");
    seat.on(9);
    seat.wait_until("both pictures", |s| {
        s.contains("A original") && s.contains("B V1, asked about")
    });
    seat.keys("D");
    seat.wait_for("A to B: 1.6 %");
    seat.keys("b");
    seat.wait_until("B alone", |s| {
        s.contains("B V1") && !s.contains("A original")
    });
    // Both zoom in step: the line above them has one factor.
    seat.keys("b+");
    seat.wait_row(&["2"]);
    // The words that differ from the original question.
    seat.wait_for(wording::PROMPT_DIFF);
    // Where it comes from.
    seat.keys("o");
    let shown = seat.wait_for("lineage of kites/9");
    assert!(
        shown.contains("a tail") && shown.contains("kites/1"),
        "{shown}"
    );
    seat.keys("<esc>");
    seat.judge(9, "a");
    assert_eq!(bench.verdicts("ann"), ["9 accept"]);
}

#[test]
fn a_rewritten_question_shows_a_word_diff() {
    let mut rewritten = question(1);
    rewritten.question = "Is the kite in the picture blue or green?".into();
    rewritten.extra.insert(
        "original_question".into(),
        "Is the kite red or green?".into(),
    );
    let bench = Bench::of(&[rewritten], &[]);
    look(&bench, "review_rewritten", Terminal::default(), |seat| {
        seat.on(1);
        seat.wait_for(wording::PROMPT_DIFF)
    });
    let mono = Terminal {
        level: ColorLevel::Mono,
        theme: "mono",
        ..Terminal::default()
    };
    look(&bench, "review_rewritten_mono", mono, |seat| {
        seat.on(1);
        seat.wait_for("[-red-]{+in the")
    });
}

#[test]
fn tab_completes_known_tags_in_notes() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("x7");
    seat.keys("#cut off #sky<enter>");
    seat.wait_for("#1 saved");
    seat.on(2);
    seat.keys("x7");
    seat.wait_for("tab: #cut #sky");
    seat.keys("again #s<tab><enter>");
    seat.wait_for("#2 saved");
    let note = |at: usize| match bench.journal("ann").remove(at).act {
        benchtop::model::Act::Judge(judged) => judged.note,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (note(0).as_deref(), note(1).as_deref()),
        (Some("#cut off #sky"), Some("again #sky"))
    );
}

/// The boxes of an edit are on the picture while the comments are open.
#[test]
fn boxes_of_an_edit_are_drawn_with_the_comments() {
    let mut derivation = Derivation::of(&question(1), "vlb", "1");
    let parameters = serde_json::json!({"strategy": "V1", "object": "zeppelin", "boxes": [[16, 16, 48, 48]],
        "place": [0, 0], "size": [64, 64], "seed": 3});
    derivation.parameters = parameters.as_object().unwrap().clone();
    let item = Item {
        derivation: Some(Box::new(derivation)),
        ..pictured(2, "kite.png")
    };
    let bench = Bench::of(&[item], &[("kite.png", &png(kite))]);
    for size in SIZES {
        let mut seat = bench.seat_at(
            "ann",
            Terminal {
                size,
                ..Terminal::default()
            },
        );
        seat.wait_until("the picture", |s| s.contains('▀'));
        seat.keys("C");
        seat.wait_row(&["V1 zeppelin"]);
        seat.wait_for("└");
        seat.keys("C");
        seat.wait_gone("└");
    }
}
