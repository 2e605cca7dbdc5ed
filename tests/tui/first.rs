//! The first minutes: an empty project, the sample, verdicts, receipts, undo.

use benchtop::model::{Act, Seen, Verdict};

use super::support::Bench;
use crate::support::wording;

#[test]
fn an_empty_project_offers_the_sample_key() {
    let bench = Bench::empty();
    let mut seat = bench.seat("ann");
    seat.wait_for(wording::EMPTY_PROJECT);
    seat.keys("a");
    seat.wait_row(&["warning", "Home"]);
    seat.keys("S");
    seat.wait_for("removes it again");
    seat.keys("gr");
    let shown = seat.wait_until("a picture", |shown| {
        shown.contains(wording::SAMPLE) && !shown.contains("loading")
    });
    assert!(
        shown.contains('▀') || shown.contains('▄'),
        "no picture in half-blocks:\n{shown}"
    );
    let right = shown
        .lines()
        .filter(|l| l.contains("✓ A.") || l.contains("✓ B.") || l.contains("✓ C."))
        .count();
    assert!(
        right == 1 || shown.contains("✓ D.") || shown.contains("answer"),
        "no answer is marked:\n{shown}"
    );
    assert!(
        shown.contains(wording::SAMPLE),
        "it does not say that it is a sample:\n{shown}"
    );
    assert!(shown.contains("1 of "), "{shown}");
}

#[test]
fn saved_means_that_the_verdict_is_on_disk() {
    let bench = Bench::sample();
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("a");
    seat.wait_until("the receipt", |shown| {
        let saved = shown.contains("#1 saved");
        // Said only after it is in the journal, so whenever it is said it is there.
        assert!(!saved || bench.journal("ann").len() == 1, "{shown}");
        saved
    });
    let journal = bench.journal("ann");
    let Act::Judge(judged) = &journal[0].act else {
        panic!("{journal:?}")
    };
    assert_eq!(
        (judged.verdict, judged.seen),
        (Verdict::Accept, Seen::Painted)
    );
    assert!(judged.ms.is_some());
    seat.on(2);
    seat.keys("p");
    seat.wait_row(&["accept", "ann"]);
}

#[test]
fn without_an_answer_nothing_is_reported_as_saved() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    bench.freeze_owner();
    seat.keys("a");
    seat.wait_for("saving");
    seat.keys("p");
    let shown = seat.wait_for(wording::NOT_SAVED_YET);
    assert!(!shown.contains("#1 saved"), "{shown}");
    assert_eq!(bench.journal("ann").len(), 0);
}

#[test]
fn x_asks_for_a_reason_and_a_digit_picks_it() {
    let bench = Bench::plain(4);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(1));
    seat.keys("2");
    seat.wait_for("#1 saved");
    seat.on(2);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(2));
    seat.keys("<tab><tab><enter>");
    seat.wait_for("#2 saved");
    seat.on(3);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(3));
    // The last reason is `other`: it wants words.
    seat.keys("7");
    seat.keys("<enter>");
    seat.wait_for(wording::NOTE_WANTED);
    assert_eq!(bench.journal("ann").len(), 2);
    seat.keys("the kite is cut off<enter>");
    seat.wait_for("#3 saved");
    seat.on(4);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(4));
    seat.keys("<esc>");
    seat.wait_gone(&wording::reasons_asked(4));
    let said: Vec<(Vec<String>, Option<String>)> = bench
        .journal("ann")
        .into_iter()
        .map(|d| match d.act {
            Act::Judge(j) => (j.reasons, j.note),
            other => panic!("{other:?}"),
        })
        .collect();
    let reasons = |keys: &[&str]| keys.iter().map(|k| k.to_string()).collect::<Vec<_>>();
    assert_eq!(
        said,
        [
            (reasons(&["low-quality"]), None),
            (reasons(&["wrong-content", "low-quality"]), None),
            (reasons(&["other"]), Some("the kite is cut off".into())),
        ]
    );
}

#[test]
fn s_skips_and_f_flags() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.judge(1, "s");
    seat.judge(2, "f");
    seat.keys("<home>");
    seat.wait_for("» skipped");
    seat.keys("n");
    seat.wait_for("! flagged");
    assert_eq!(bench.verdicts("ann"), ["1 skip", "2 flag"]);
}

#[test]
fn undo_and_redo_go_to_the_changed_items() {
    let bench = Bench::plain(8);
    let mut seat = bench.seat("ann");
    for n in 1..=5 {
        seat.judge(n, "a");
    }
    for n in (1..=5).rev() {
        seat.keys("u");
        seat.wait_for(&wording::taken_back(n));
        let shown = seat.wait_for(&format!("#{n}  pending"));
        assert!(shown.contains(&format!("Is kite {n} red?")), "{shown}");
    }
    seat.keys("u");
    seat.wait_for(wording::NOTHING_TO_UNDO);
    for n in 1..=5 {
        seat.keys("U");
        seat.wait_for(&wording::brought_back(n));
        seat.wait_for(&format!("#{n}  ✓ accepted"));
    }
    seat.keys("U");
    seat.wait_for(wording::NOTHING_TO_REDO);
    assert_eq!(bench.journal("ann").len(), 15);
}

#[test]
fn keys_move_through_the_queue_and_report_its_ends() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("p");
    seat.wait_for(wording::FIRST_OF_QUEUE);
    seat.keys("n");
    seat.on(2);
    seat.keys("j<right><down> ");
    seat.on(6);
    seat.keys("k<left>");
    seat.on(4);
    seat.keys("G");
    seat.wait_for("9 of 9");
    seat.on(9);
    seat.keys("n");
    seat.wait_for(wording::LAST_OF_QUEUE);
    seat.keys("gg");
    seat.on(1);
    seat.keys("<end>");
    seat.on(9);
    seat.keys("<home>");
    seat.judge(1, "a");
    seat.judge(2, "s");
    seat.keys("<home>");
    seat.on(1);
    seat.keys("<tab>");
    seat.on(3);
    for n in 3..=9 {
        seat.judge(n, "a");
    }
    seat.keys("<tab>");
    seat.wait_for(wording::QUEUE_JUDGED);
}

#[test]
fn the_last_item_judged_twice_counts_both_verdicts() {
    let bench = Bench::plain(1);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("af");
    seat.wait_for("#1 saved");
    seat.wait_for("✓ accepted");
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    let shown = seat.text();
    assert!(
        !shown.contains(wording::CHANGED),
        "its own verdict is held against it:\n{shown}"
    );
}
