//! Comments on an item, marks on its picture, tags, and reasons with levels.

use benchtop::model::{Act, CommentAct, Judgement, Mark};
use benchtop::protocol::wire::{CommentOn, request};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use uuid::Uuid;

use super::support::{Bench, Seat, Terminal, pictured};

/// Large enough that zooming shows more of it.
fn png() -> Vec<u8> {
    let image = RgbImage::from_fn(640, 640, |x, y| Rgb([(x / 3) as u8, (y / 3) as u8, 90]));
    let mut out = std::io::Cursor::new(Vec::new());
    DynamicImage::from(image)
        .write_to(&mut out, ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

fn pictures() -> Bench {
    let bytes = png();
    let items = [pictured(1, "a.png"), pictured(2, "b.png")];
    Bench::of(&items, &[("a.png", &bytes), ("b.png", &bytes)])
}

fn seat(bench: &Bench, size: (u16, u16)) -> Seat {
    let terminal = Terminal {
        size,
        ..Terminal::default()
    };
    bench.seat_at("ann", terminal)
}

fn written(bench: &Bench, who: &str) -> Vec<CommentAct> {
    let acts = bench.journal(who).into_iter().map(|d| d.act);
    acts.filter_map(|act| match act {
        Act::Comment(act) => Some(act),
        _ => None,
    })
    .collect()
}

fn judged(bench: &Bench, who: &str) -> Vec<Judgement> {
    let acts = bench.journal(who).into_iter().map(|d| d.act);
    acts.filter_map(|act| match act {
        Act::Judge(judgement) => Some(judgement),
        _ => None,
    })
    .collect()
}

fn write(bench: &Bench, who: &str, number: u32, text: &str) {
    let act = CommentAct::Write {
        text: text.into(),
        reply_to: None,
        marks: Vec::new(),
    };
    let uuid = Uuid::now_v7();
    let event = CommentOn { uuid, number, act };
    bench
        .client(who)
        .ask(request::Comment(Box::new(event)))
        .unwrap();
}

#[test]
fn a_thread_is_read_and_answered_at_eighty_columns() {
    let bench = Bench::plain(3);
    write(
        &bench,
        "bob",
        1,
        "is this \u{1b}[31mred\u{1b}[0m?"
            .replace('\u{1b}', "")
            .as_str(),
    );
    let mut ann = seat(&bench, (80, 24));
    ann.on(1);
    ann.wait_row(&["1 comment", "C"]);
    ann.keys("C");
    ann.wait_row(&["1 bob"]);
    ann.wait_row(&["is this [31mred"]);
    ann.keys("rI think so<enter>");
    ann.wait_row(&["2 ann", "to 1"]);
    ann.wait_row(&["I think so"]);
    // Only her own can be changed, and the cursor stays where it was.
    ann.keys("X");
    ann.wait_for("bob wrote this comment");
    ann.keys("jE");
    ann.wait_for("edit your comment");
    ann.keys(", yes<enter>");
    ann.wait_row(&["I think so, yes"]);
    ann.keys("ko");
    ann.wait_row(&["1 bob", "resolved by ann"]);
    ann.keys("u");
    ann.wait_gone("resolved by ann");
    // Somebody else writes meanwhile.
    write(&bench, "bob", 1, "all right then");
    ann.wait_row(&["all right then"]);
    ann.keys("jX");
    ann.wait_gone("I think so, yes");
    ann.keys("q");
    ann.wait_row(&["2 comments"]);
    ann.wait_for("Is kite 1 red?");
    // A verdict key works while the thread is open.
    ann.keys("Ca");
    ann.wait_for("#1 saved");
    ann.on(2);
    let acts = written(&bench, "ann");
    assert_eq!(acts.len(), 5, "{acts:?}");
    assert!(
        matches!(&acts[0], CommentAct::Write { text, reply_to: Some(_), .. } if text == "I think so")
    );
    assert!(matches!(acts[3], CommentAct::Undo { .. }), "{acts:?}");
    assert!(matches!(acts[4], CommentAct::Delete { .. }), "{acts:?}");
}

#[test]
fn a_comment_that_is_refused_or_not_sent_is_not_lost() {
    let bench = Bench::plain(2);
    let mut ann = seat(&bench, (80, 24));
    ann.on(1);
    // The owner dies, and the next one gets what was written.
    bench.kill_owner();
    ann.keys("Cwstill here<enter>");
    bench.start_owner();
    ann.wait_row(&["1 ann"]);
    ann.wait_row(&["still here"]);
    let acts = written(&bench, "ann");
    assert_eq!(acts.len(), 1, "once: {acts:?}");
}

#[test]
fn a_region_is_marked_for_a_comment_and_for_a_verdict() {
    for size in [(80, 24), (160, 50)] {
        let bench = pictures();
        let mut ann = seat(&bench, size);
        ann.on(1);
        ann.wait_until("the picture", |s| s.contains('▀'));
        // A box of three by two cells, and a point.
        ann.keys("M llj<enter>");
        ann.wait_for("label (may be empty)");
        ann.keys("hand<enter>");
        ann.wait_row(&["hand"]);
        ann.wait_for("└");
        ann.keys("HK<enter><enter>");
        // Beside the cursor, which covers it.
        ann.keys("l");
        ann.wait_for("*");
        ann.keys("w");
        ann.wait_for("comment on #1 with 2 marks");
        ann.keys("six fingers<enter>");
        ann.wait_row(&["1 ann"]);
        ann.wait_row(&["marks: hand, unlabeled"]);
        // The marks of the thread are on the picture, with the number of the comment.
        ann.wait_row(&["1 hand"]);
        ann.keys("q");
        ann.wait_gone("└");
        let acts = written(&bench, "ann");
        let [CommentAct::Write { text, marks, .. }] = &acts[..] else {
            panic!("{acts:?}");
        };
        assert_eq!((text.as_str(), marks.len()), ("six fingers", 2));
        assert_eq!(marks[0].label.as_deref(), Some("hand"));
        let [left, top, right, bottom] = marks[0].bounds();
        assert!(left < right && top < bottom, "{marks:?}");
        // The box begins in the middle, and the point is left of it and above.
        assert!(
            (0.45..0.55).contains(&left) && (0.4..0.6).contains(&top),
            "{marks:?}"
        );
        let [x, y, ..] = marks[1].bounds();
        assert!(x < left && y < top, "{marks:?}");
        // What is not written as a comment goes with the verdict.
        ann.keys("M<enter>here<enter>M");
        ann.wait_row(&["the next verdict carries", "1 mark"]);
        ann.keys("a");
        ann.wait_until("the verdict", |_| !judged(&bench, "ann").is_empty());
        let judgement = judged(&bench, "ann").remove(0);
        let labels: Vec<_> = judgement.marks.iter().map(|m| m.label.clone()).collect();
        assert_eq!(labels, [Some("here".to_string())]);
        assert_eq!(judgement.marks[0].picture, 1);
    }
}

#[test]
fn zooming_makes_marks_finer_and_they_stay_in_place() {
    let bench = pictures();
    let mut ann = seat(&bench, (120, 40));
    ann.on(1);
    ann.wait_until("the picture", |s| s.contains('▀'));
    // A mark is on what is on the screen.
    ann.keys("++");
    ann.wait_for("zoom 4x");
    crate::support::wait_until("the part at 4x", || {
        let colors = ann.picture_colors();
        let part = colors.iter().filter(|(_, _, blue)| blue.abs_diff(90) < 4);
        let reds: Vec<u8> = part.map(|color| color.0).collect();
        !reds.is_empty() && reds.iter().all(|red| (75..140).contains(red))
    });
    ann.keys("M <enter>deep<enter>M");
    ann.wait_row(&["the next verdict carries", "1 mark"]);
    ann.keys("a");
    ann.wait_for("#1 saved");
    ann.on(2);
    ann.keys("p");
    ann.wait_row(&["#1", "accepted"]);
    ann.wait_until("the picture", |s| s.contains('▀'));
    ann.keys("M <enter>wide<enter>M");
    ann.wait_row(&["the next verdict carries", "1 mark"]);
    ann.keys("a");
    ann.wait_until("both verdicts", |_| judged(&bench, "ann").len() == 2);
    let marks: Vec<Mark> = judged(&bench, "ann")
        .into_iter()
        .flat_map(|j| j.marks)
        .collect();
    let width = |mark: &Mark| mark.bounds()[2] - mark.bounds()[0];
    let ratio = width(&marks[1]) / width(&marks[0]);
    assert!(
        (3.5..4.5).contains(&ratio),
        "one cell at 4x and at 1x: {marks:?}"
    );
    let (fine, coarse) = (marks[0].bounds(), marks[1].bounds());
    let inside =
        (0..2).all(|at| fine[at] >= coarse[at] - 0.02 && fine[at + 2] <= coarse[at + 2] + 0.02);
    assert!(inside, "{marks:?}");
}

#[test]
fn reasons_have_levels_and_every_verdict_takes_tags() {
    let bench = Bench::plain(3);
    bench.stop_owner();
    let file = bench.project().root().join("benchtop.toml");
    let text = "name = \"kites\"\n[review]\nreasons = [\n  { key = \"unsafe\", label = \"Unsafe\" },\n  \
                { key = \"anatomy/hands\", label = \"Hands\" },\n  { key = \"anatomy/face\", label = \"Face\" },\n]\n\
                tags = [\n  { key = \"light\", label = \"Light\" },\n  { key = \"light/night\", label = \"Night\" },\n]\n";
    std::fs::write(file, text).unwrap();
    bench.start_owner();
    let mut ann = seat(&bench, (80, 24));
    ann.on(1);
    ann.keys("T");
    ann.wait_row(&["1", "Light"]);
    ann.keys("1");
    ann.wait_row(&["2", "Night"]);
    ann.keys("2");
    ann.wait_row(&["the next verdict carries", "light/night"]);
    ann.keys("a");
    ann.wait_for("#1 saved");
    ann.on(2);
    ann.keys("x");
    ann.wait_row(&["2", "anatomy"]);
    ann.keys("2");
    ann.wait_row(&["1", "Hands"]);
    ann.keys("1");
    ann.wait_for("#2 saved");
    let said: Vec<(Vec<String>, Vec<String>)> = judged(&bench, "ann")
        .into_iter()
        .map(|j| (j.reasons, j.tags))
        .collect();
    let keys = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        said,
        [
            (keys(&[]), keys(&["light/night"])),
            (keys(&["anatomy/hands"]), keys(&[]))
        ]
    );
    // The list finds both by their upper level.
    let numbers = |filter: &str| {
        let filter = benchtop::model::Filter::parse(filter).unwrap();
        bench
            .client("ann")
            .ask(request::Numbers(filter, vec![]))
            .unwrap()
    };
    assert_eq!(
        (numbers("tag:light"), numbers("reason:anatomy")),
        (vec![1], vec![2])
    );
    assert_eq!(
        (numbers("tag:lig"), numbers("reason:anatomy/face")),
        (vec![], vec![])
    );
}
