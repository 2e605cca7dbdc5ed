//! Edited items, and one verdict on many items.

use benchtop::model::Act;
use benchtop::protocol::wire::request;

use super::support::{Bench, Terminal};
use crate::support::{has_line, wording};

#[test]
fn replacing_a_distractor_voids_verdicts() {
    let bench = Bench::plain(3);
    let mut bob = bench.seat("bob");
    bob.judge(1, "a");
    let mut ann = bench.seat("ann");
    ann.on(1);
    ann.wait_for("accepted");
    ann.keys("E");
    let menu = ann.wait_for("edit #1");
    assert!(
        menu.contains("A. True (")
            && menu.contains("B. False")
            && !menu.contains(wording::EDIT_SAVE),
        "{menu}"
    );
    // A prompt that is closed, and a text that cannot be: the draft stays.
    ann.keys("3");
    ann.wait_for(wording::OPTION_FIELD);
    ann.keys("<esc>");
    ann.wait_for("edit #1");
    ann.keys("3<ctrl-u>true<enter>");
    let menu = ann.wait_for(wording::EDIT_SAVE);
    assert!(
        menu.contains("B. true") && menu.contains("changed"),
        "{menu}"
    );
    ann.keys("6");
    ann.wait_for(wording::OPTIONS_ALIKE);
    ann.wait_for("edit #1");
    ann.keys("3<ctrl-u>Not at all<enter>");
    ann.wait_for("B. Not at all");
    ann.keys("6");
    ann.wait_row(&["#1", "edited"]);
    let shown = ann.wait_for("Not at all");
    assert!(shown.contains("#1  pending"), "{shown}");
    // Bob sees the other text, unjudged, and accepts it too.
    bob.keys("p");
    bob.on(1);
    let shown = bob.wait_for("Not at all");
    assert!(shown.contains("pending"), "{shown}");
    bob.keys("a");
    bob.on(2);
    bob.keys("p");
    bob.wait_until("accepted again", |shown| {
        shown.contains("#1  ") && shown.contains("✓ accepted")
    });
    let view = bench.client("ann").ask(request::Item(1)).unwrap();
    assert_eq!(view.standing.len(), 1);
}

#[test]
fn restore_brings_back_the_first_text() {
    let bench = Bench::plain(2);
    let mut ann = bench.seat_at(
        "ann",
        Terminal {
            size: (80, 24),
            ..Terminal::default()
        },
    );
    ann.on(1);
    ann.keys("E1<ctrl-u>Is the kite red<enter>");
    ann.wait_for(wording::EDIT_SAVE);
    ann.keys("6");
    ann.wait_row(&["#1", "edited"]);
    ann.wait_for("Is the kite red");
    ann.keys("E");
    ann.wait_for(wording::EDIT_RESTORE);
    ann.keys("6");
    ann.wait_for("Is kite 1 red?");
    let view = bench.client("ann").ask(request::Item(1)).unwrap();
    assert!(!view.json.contains("edited"), "{}", view.json);
}

#[test]
fn undo_reverts_an_edit_with_its_note_first() {
    let bench = Bench::plain(3);
    let mut ann = bench.seat("ann");
    ann.judge(1, "a");
    ann.on(2);
    // The note first, then a line, its text, and the line that saves.
    ann.keys("E<up>reads badly<down>1");
    ann.wait_for("question");
    ann.keys("<ctrl-u>Is the kite red<enter>");
    let menu = ann.wait_for(wording::EDIT_SAVE);
    assert!(menu.contains("reads badly"), "{menu}");
    ann.keys("6");
    ann.wait_row(&["#2", "edited"]);
    let item = || {
        let view = bench.client("ann").ask(request::Item(2)).unwrap();
        serde_json::from_str::<serde_json::Value>(&view.json).unwrap()
    };
    assert_eq!(item()["edited"]["note"], "reads badly");
    ann.keys("u");
    ann.wait_for(&wording::edit_taken_back(2));
    ann.wait_for("Is kite 2 red?");
    assert_eq!(item()["edited"], serde_json::Value::Null);
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    ann.keys("U");
    ann.wait_for(&wording::edit_brought_back(2));
    assert_eq!(item()["edited"]["note"], "reads badly");
    ann.keys("u");
    ann.wait_for(&wording::edit_taken_back(2));
    ann.keys("u");
    ann.wait_for(&wording::taken_back(1));
    assert_eq!(bench.verdicts("ann"), ["1 accept", "1 undo"]);
}

#[test]
fn a_note_alone_records_no_reason() {
    let bench = Bench::plain(3);
    let mut ann = bench.seat("ann");
    let said = || match bench.journal("ann").pop().unwrap().act {
        Act::Judge(judgement) => (judgement.reasons, judgement.note.unwrap_or_default()),
        other => panic!("{other:?}"),
    };
    ann.judge(1, "x<up>too dark<enter>");
    assert_eq!(said(), (vec![], "too dark".into()));
    ann.judge(2, "x<tab><up><up>too dark<enter>");
    let (reasons, note) = said();
    assert_eq!((reasons.len(), note.as_str()), (1, "too dark"));
}

#[test]
fn closing_a_menu_removes_its_notice() {
    let bench = Bench::plain(1);
    let mut ann = bench.seat("ann");
    ann.on(1);
    ann.keys("x");
    ann.wait_for(&wording::reasons_asked(1));
    ann.keys("!");
    ann.wait_for(wording::MENU_REFUSED);
    ann.rest();
    ann.keys("<esc>");
    let shown = ann.wait_gone(&wording::reasons_asked(1));
    assert!(!shown.contains(wording::MENU_REFUSED), "{shown}");
}

#[test]
fn a_bulk_verdict_is_counted_confirmed_and_undone_at_once() {
    let bench = Bench::plain(40);
    let mut ann = bench.seat("ann");
    ann.judge(1, "a");
    ann.keys("gi/subtask:odd<enter>");
    ann.wait_for("20 of 40");
    ann.keys("ga");
    ann.wait_for(wording::BULK_MENU);
    ann.keys("1");
    let asked = ann.wait_row(&["accept 19 items"]);
    assert!(has_line(&asked, &["1", "already"]), "{asked}");
    assert!(!asked.contains("counting"), "{asked}");
    // Enter alone does nothing: the cursor is on the way out.
    ann.rest();
    ann.keys("<enter>");
    ann.wait_gone(wording::WITHOUT_LOOKING);
    assert_eq!(bench.verdicts("ann").len(), 1);
    ann.keys("ga1");
    ann.wait_row(&["accept 19 items"]);
    ann.keys("1");
    ann.wait_for(&wording::bulk_done("accept", 19));
    assert_eq!(bench.verdicts("ann").len(), 20);
    ann.keys("u");
    ann.wait_row(&["19 verdicts"]);
    // The one before it is taken back by itself.
    ann.keys("u");
    ann.wait_for(&wording::taken_back(1));
    assert_eq!(bench.verdicts("ann").len(), 40);
    // Selected rows alone.
    ann.keys("tjtga");
    ann.wait_for(wording::BULK_MENU);
    ann.keys("2");
    ann.wait_row(&["reject 2 items"]);
    ann.keys("1");
    ann.wait_for(&wording::bulk_done("reject", 2));
}
