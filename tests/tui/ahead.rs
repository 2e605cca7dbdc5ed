//! Keys typed for a prompt that did not open never become verdicts.

use benchtop::model::round::{NewRound, Rate};
use benchtop::protocol::wire::request;

use super::support::{Answers, Bench, Seat, Terminal};
use crate::support::wording;

fn round(bench: &Bench, name: &str, people: &[&str]) {
    let people: Vec<String> = people.iter().map(|p| p.to_string()).collect();
    let overlap = if people.len() > 1 {
        "both-accept"
    } else {
        "single"
    };
    let new = NewRound {
        calibration: 0,
        repeats: Rate::NONE,
        probes: Rate::NONE,
        ..NewRound::new(name, overlap.parse().unwrap(), people, 1)
    };
    bench
        .client("cem")
        .ask(request::NewRound {
            new: Box::new(new),
            dry: false,
        })
        .unwrap();
}

fn work(bench: &Bench, who: &str) -> Seat {
    let mut seat = bench.seat(who);
    seat.on(1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    seat.item(None);
    seat
}

#[test]
fn keys_after_an_unavailable_prompt_give_no_verdict() {
    let bench = Bench::plain(3);
    round(&bench, "first", &["ann"]);
    let mut seat = work(&bench, "ann");
    seat.keys("/fax a");
    seat.wait_for(wording::KEYS_DROPPED);
    seat.keys_on("sam<enter>");
    seat.keys("Q");
    seat.wait_for(wording::KEY_UNKNOWN);
    assert_eq!(bench.journal("ann").len(), 0);
    seat.keys("a");
    seat.wait_until("the receipt", |s| {
        ["#1 saved", "#2 saved", "#3 saved"]
            .iter()
            .any(|saved| s.contains(saved))
    });
    assert!(bench.verdicts("ann")[0].ends_with("accept"));
}

#[test]
fn a_reason_typed_before_the_item_is_shown_gives_no_verdict() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat_at(
        "ann",
        Terminal {
            answers: Answers::WhenTold,
            ..Terminal::default()
        },
    );
    seat.on(1);
    seat.keys("xa");
    seat.wait_for(wording::KEYS_DROPPED);
    // By now the item is seen, and the words go on.
    seat.answer();
    seat.keys_on("fas<enter>");
    seat.keys("Q");
    seat.wait_for(wording::KEY_UNKNOWN);
    assert_eq!(bench.journal("ann").len(), 0);
    // The same key again opens it.
    seat.keys("x");
    seat.wait_for("reject #1");
    seat.keys("1");
    seat.wait_for("#1 saved");
    assert_eq!(bench.verdicts("ann"), ["1 reject"]);
}

#[test]
fn an_annotator_with_a_finished_round_settles_at_once() {
    let bench = Bench::plain(2);
    round(&bench, "first", &["ann", "bob"]);
    for (who, key) in [("bob", "x1"), ("ann", "a")] {
        let mut seat = work(&bench, who);
        let mut last = None;
        for n in 1..=2 {
            last = Some(seat.item(last));
            seat.keys(key);
            seat.wait_until("its receipt", |_| bench.journal(who).len() == n);
        }
        seat.wait_for(wording::ROUND_DONE);
        if who == "ann" {
            seat.keys("gd");
            seat.wait_until("a dispute", |s| {
                s.contains("annotator 1") && !s.contains("loading")
            });
            seat.keys("a");
            seat.wait_for(wording::WHY);
            seat.keys("as agreed<enter>");
            seat.wait_until("the settlement", |_| bench.journal("ann").len() == 3);
        }
    }
    assert_eq!(bench.verdicts("ann").len(), 3);
}

#[test]
fn a_bulk_verdict_waits_for_its_count() {
    let bench = Bench::plain(6);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gi/subtask:odd<enter>");
    seat.wait_for("3 of 6");
    seat.keys("ga");
    seat.wait_for(wording::BULK_MENU);
    bench.freeze_owner();
    seat.keys("11");
    seat.wait_for(wording::COUNTING);
    bench.thaw_owner();
    let asked = seat.wait_row(&["accept 3 items"]);
    assert!(asked.contains("not now"), "{asked}");
    assert_eq!(bench.journal("ann").len(), 0);
}

#[test]
fn keys_wait_for_a_pending_menu() {
    let bench = Bench::plain(6);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("gi");
    seat.wait_for("Is kite 6 red?");
    bench.freeze_owner();
    seat.keys("fteven<enter>");
    bench.thaw_owner();
    seat.wait_for("3 of 6");
    assert_eq!(bench.journal("ann").len(), 0);
}

#[test]
fn keys_typed_before_a_page_opens_give_no_verdict() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    bench.freeze_owner();
    seat.keys("eaxn");
    bench.thaw_owner();
    seat.wait_for(wording::BY_THE_RULES);
    seat.keys("<esc>");
    seat.wait_gone(wording::BY_THE_RULES);
    seat.on(1);
    assert_eq!(bench.journal("ann").len(), 0);
}
