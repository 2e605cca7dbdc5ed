//! Notes on verdicts, two terminals of one annotator, and the way back from an opened item.

use benchtop::model::round::{NewRound, Order, Rate};
use benchtop::model::{Act, Judgement};
use benchtop::protocol::wire::request;

use super::support::{Bench, Seat};
use crate::support::wording;

fn said(bench: &Bench, who: &str) -> Vec<(String, Judgement)> {
    let one = |act| {
        if let Act::Judge(judgement) = act {
            judgement
        } else {
            panic!("{act:?}")
        }
    };
    bench
        .journal(who)
        .into_iter()
        .map(|d| (d.item.clone(), one(d.act)))
        .collect()
}

fn round(bench: &Bench, protocol: &str) {
    let new = NewRound {
        calibration: 0,
        repeats: Rate::NONE,
        probes: Rate::NONE,
        blind: false,
        order: Order::AsListed,
        ..NewRound::new("first", protocol.parse().unwrap(), vec!["ann".into()], 1)
    };
    bench
        .client("cem")
        .ask(request::NewRound {
            new: Box::new(new),
            dry: false,
        })
        .unwrap();
}

fn work(bench: &Bench) -> Seat {
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("go");
    seat.wait_for(wording::ROUND_LISTED);
    seat.keys("<enter>");
    item(&seat, 1);
    seat
}

fn item(seat: &Seat, n: u32) -> String {
    let mark = format!("#{n}  ");
    let there = |s: &str| s.contains(&mark) && s.contains(" first  ") && !s.contains("loading");
    seat.wait_until(&format!("item {n} of the round"), there)
}

#[test]
fn every_verdict_takes_a_note() {
    let bench = Bench::plain(6);
    let mut ann = bench.seat("ann");
    for (n, key) in [(1, "a"), (2, "s"), (3, "f"), (4, "m")] {
        ann.on(n);
        ann.keys("N");
        ann.wait_for(&format!("note on #{n}"));
        ann.keys(&format!("odd {n}<enter>"));
        // It stands beside the item until the verdict takes it.
        ann.wait_for(&format!("odd {n}"));
        ann.keys(key);
        ann.wait_for(&format!("#{n} saved"));
    }
    // A rejection shows it in its menu, where a number chooses a reason.
    ann.on(5);
    ann.keys("Nodd 5<enter>x1");
    ann.wait_for("#5 saved");
    ann.on(6);
    ann.keys("Nnever mind<esc>a");
    ann.wait_for("#6 saved");
    let notes: Vec<Option<String>> = said(&bench, "ann")
        .into_iter()
        .map(|(_, j)| j.note)
        .collect();
    let odd = |n: u32| Some(format!("odd {n}"));
    assert_eq!(notes, [odd(1), odd(2), odd(3), odd(4), odd(5), None]);
    assert_eq!(said(&bench, "ann")[4].1.reasons.len(), 1);
}

#[test]
fn an_answer_takes_a_note_too() {
    let bench = Bench::plain(2);
    round(&bench, "answer");
    let mut ann = work(&bench);
    ann.keys("Nhard to see<enter>b");
    ann.wait_for("#1 saved");
    let (_, judgement) = said(&bench, "ann").remove(0);
    assert_eq!(
        (judgement.answer.as_deref(), judgement.note.as_deref()),
        (Some("B"), Some("hard to see"))
    );
}

#[test]
fn a_second_terminal_in_a_round_revises_nothing() {
    let bench = Bench::plain(3);
    round(&bench, "single");
    let mut first = work(&bench);
    // Where the first is, the second begins, once the owner knows.
    first.wait_until("the place to be known", |_| {
        bench
            .client("ann")
            .welcome()
            .place
            .as_ref()
            .is_some_and(|place| place.round == "first")
    });
    let mut second = bench.seat("ann");
    item(&second, 1);
    second.wait_for(wording::OTHER_TERMINAL);
    first.keys("a");
    first.wait_for("#1 saved");
    item(&first, 2);
    second.keys("x1");
    second.wait_row(&["#1"]);
    item(&second, 2);
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    // Taken back in one, it is to be judged in either.
    first.keys("u");
    item(&first, 1);
    first.keys("x1");
    first.wait_until("the third decision", |_| bench.journal("ann").len() == 3);
    assert_eq!(bench.verdicts("ann"), ["1 accept", "1 undo", "1 reject"]);
}

#[test]
fn leaving_an_item_returns_to_its_list_row() {
    let bench = Bench::plain(9);
    let mut ann = bench.seat("ann");
    ann.on(1);
    ann.keys("gi");
    ann.wait_for("Is kite 9 red?");
    ann.keys("jjjj<enter>");
    ann.on(5);
    ann.keys("q");
    ann.wait_for("Is kite 9 red?");
    // The same row: what is opened next is that item again.
    ann.keys("<enter>");
    ann.on(5);
    ann.keys("a");
    ann.on(6);
    ann.keys("<esc>");
    let list = ann.wait_for("Is kite 9 red?");
    assert!(
        list.lines()
            .any(|l| l.contains("▌") && l.contains("kite 5")),
        "{list}"
    );
    // With a filter too, which stays.
    ann.keys("/subtask:even<enter>");
    ann.wait_for("4 of 9");
    ann.keys("gg<enter>");
    ann.on(2);
    ann.keys("q");
    ann.wait_for("4 of 9");
    // From the pane itself `q` leads out as ever.
    ann.keys("gr");
    ann.on(2);
    ann.keys("q");
    ann.wait_for(wording::ALL_ITEMS);
    ann.leave("q");
}
