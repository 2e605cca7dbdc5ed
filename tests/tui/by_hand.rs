//! Items edited by hand, and one verdict on many.

use benchtop::model::Act;
use benchtop::protocol::wire::request;

use super::support::{Bench, Terminal};

#[test]
fn a_distractor_is_replaced_and_everybody_judges_the_item_anew() {
    let bench = Bench::plain(3);
    let mut bob = bench.seat("bob");
    bob.judge(1, "a");
    let mut ann = bench.seat("ann");
    ann.on(1);
    ann.wait_for("accepted");
    ann.keys("E");
    let menu = ann.wait_for("edit #1");
    assert!(
        menu.contains("A. True (right)") && menu.contains("B. False") && !menu.contains("save"),
        "{menu}"
    );
    // A prompt that is closed, and a text that cannot be: the draft stays.
    ann.keys("3");
    ann.wait_for("B (empty takes it away)");
    ann.keys("<esc>");
    ann.wait_for("edit #1");
    ann.keys("3<ctrl-u>true<enter>");
    let menu = ann.wait_for("save as a revision");
    assert!(
        menu.contains("B. true") && menu.contains("changed"),
        "{menu}"
    );
    ann.keys("6");
    ann.wait_for("are alike");
    ann.wait_for("edit #1");
    ann.keys("3<ctrl-u>Not at all<enter>");
    ann.wait_for("B. Not at all");
    ann.keys("6");
    ann.wait_for("#1 is edited, a verdict on it no longer counts; a accepts it as it is now");
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
fn the_first_text_comes_back() {
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
    ann.wait_for("save as a revision");
    ann.keys("6");
    ann.wait_for("#1 is edited");
    ann.wait_for("Is the kite red");
    ann.keys("E");
    ann.wait_for("back to the first text");
    ann.keys("6");
    ann.wait_for("Is kite 1 red?");
    let view = bench.client("ann").ask(request::Item(1)).unwrap();
    assert!(!view.json.contains("edited"), "{}", view.json);
}

#[test]
fn an_edit_keeps_its_note_and_undo_takes_the_edit_back_first() {
    let bench = Bench::plain(3);
    let mut ann = bench.seat("ann");
    ann.judge(1, "a");
    ann.on(2);
    // The note first, then a line, its text, and the line that saves.
    ann.keys("E<up>reads badly<down>1");
    ann.wait_for("question");
    ann.keys("<ctrl-u>Is the kite red<enter>");
    let menu = ann.wait_for("save as a revision");
    assert!(menu.contains("reads badly"), "{menu}");
    ann.keys("6");
    ann.wait_for("#2 is edited");
    let item = || {
        let view = bench.client("ann").ask(request::Item(2)).unwrap();
        serde_json::from_str::<serde_json::Value>(&view.json).unwrap()
    };
    assert_eq!(item()["edited"]["note"], "reads badly");
    ann.keys("u");
    let said = ann.wait_until("the edit to be taken back", |s| {
        s.contains("edit of #2") && s.contains("taken back")
    });
    assert!(said.contains("Is kite 2 red?"), "{said}");
    assert_eq!(item()["edited"], serde_json::Value::Null);
    assert_eq!(bench.verdicts("ann"), ["1 accept"]);
    ann.keys("U");
    ann.wait_until("the edit again", |s| {
        s.contains("edit of #2") && s.contains("brought back")
    });
    assert_eq!(item()["edited"]["note"], "reads badly");
    ann.keys("u");
    ann.wait_until("the edit to be taken back", |s| {
        s.contains("edit of #2") && s.contains("taken back")
    });
    ann.keys("u");
    ann.wait_for("your verdict on #1 is taken back");
    assert_eq!(bench.verdicts("ann"), ["1 accept", "1 undo"]);
}

#[test]
fn a_reason_is_recorded_where_it_is_marked() {
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
fn what_a_menu_refused_is_not_said_any_more_once_it_is_closed() {
    let bench = Bench::plain(1);
    let mut ann = bench.seat("ann");
    ann.on(1);
    ann.keys("x");
    ann.wait_for("1-7 or enter takes");
    ann.keys("!");
    ann.wait_for("pick a line by its number");
    ann.rest();
    ann.keys("<esc>");
    let shown = ann.wait_gone("reject #1: why?");
    assert!(!shown.contains("pick a line"), "{shown}");
}

#[test]
fn one_verdict_on_all_that_is_shown_is_counted_asked_and_taken_back_with_one_key() {
    let bench = Bench::plain(40);
    let mut ann = bench.seat("ann");
    ann.judge(1, "a");
    ann.keys("2/subtask:odd<enter>");
    ann.wait_for("20 of 40");
    ann.keys("ga");
    ann.wait_for("judge the items of `subtask:odd`");
    ann.keys("1");
    let asked = ann.wait_for("accept 19 items without looking at each?");
    assert!(asked.contains("1 have it already"), "{asked}");
    assert!(!asked.contains("counting"), "{asked}");
    // Enter alone does nothing: the cursor is on the way out.
    ann.rest();
    ann.keys("<enter>");
    ann.wait_gone("without looking");
    assert_eq!(bench.verdicts("ann").len(), 1);
    ann.keys("ga1");
    ann.wait_for("accept 19 items without");
    ann.keys("1");
    ann.wait_for("`accept` said of 19 items");
    assert_eq!(bench.verdicts("ann").len(), 20);
    ann.keys("u");
    ann.wait_for("19 verdicts taken back");
    // The one before it is taken back by itself.
    ann.keys("u");
    ann.wait_for("your verdict on #1 is taken back");
    assert_eq!(bench.verdicts("ann").len(), 40);
    // Selected rows alone.
    ann.keys("tjtga");
    ann.wait_for("judge 2 selected items");
    ann.keys("2");
    ann.wait_for("reject 2 items without");
    ann.keys("1");
    ann.wait_for("`reject` said of 2 items");
}
