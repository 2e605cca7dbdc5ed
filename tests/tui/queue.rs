//! Queues, and the item that a restart returns to.

use super::support::{Bench, PATIENCE};
use crate::support::wording;
use benchtop::tui::action::Action;

#[test]
fn a_restart_returns_to_the_last_item() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.on(2);
    seat.keys("nnn");
    seat.on(5);
    seat.leave("q");
    bench.wait_place("ann", 5);
    let seat = bench.seat("ann");
    seat.on(5);
    // Somebody else begins at the beginning.
    bench.seat("bob").on(1);
    drop(seat);
    bench.stop_owner();
    bench.start_owner();
    bench.seat("ann").on(5);
}

#[test]
fn a_filter_makes_a_queue_and_q_clears_it() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("/subtask:even<enter>");
    seat.wait_row(&["4", "subtask:even"]);
    seat.on(2);
    seat.wait_for("1 of 4  [subtask:even]");
    seat.judge(2, "a");
    seat.on(4);
    seat.keys("q");
    let shown = seat.wait_for("4 of 9");
    assert!(
        shown.contains("#4  pending") && shown.contains(wording::ALL_ITEMS),
        "{shown}"
    );
    // Fuzzy words find too.
    seat.keys("/kite 7<enter>");
    seat.on(7);
    // An empty line shows all again, from the same item.
    seat.keys("/<ctrl-u><enter>");
    seat.wait_for("7 of 9");
}

#[test]
fn an_empty_match_keeps_the_current_queue() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("/subtask:odd<enter>");
    seat.wait_for("1 of 5  [subtask:odd]");
    seat.keys("n");
    seat.on(3);
    seat.keys("/<ctrl-u>status:rejected<enter>");
    let shown = seat.wait_row(&["`status:rejected`"]);
    assert!(
        shown.contains("2 of 5  [subtask:odd]") && shown.contains("#3  pending"),
        "{shown}"
    );
    seat.keys("/<ctrl-u>status:done<enter>");
    seat.wait_row(&["`done`", "`status`"]);
    seat.keys("<esc>");
    seat.wait_gone(wording::NO_VALUE);
}

#[test]
fn a_restart_returns_to_the_last_item_of_a_queue() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("/status:pending subtask:even<enter>");
    seat.wait_for("1 of 4");
    seat.judge(2, "a");
    seat.on(4);
    seat.keys("n");
    seat.on(6);
    seat.leave("<ctrl-c>");
    bench.wait_place("ann", 6);
    let mut seat = bench.seat("ann");
    // What was judged is not pending any more: three are left of the queue.
    seat.wait_for("2 of 3  [status:pending subtask:even]");
    seat.on(6);
    seat.keys("p");
    seat.on(4);
}

#[test]
fn tab_finds_the_next_pending_item_of_a_queue() {
    let bench = Bench::plain(8);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("/subtask:even<enter>");
    seat.judge(2, "a");
    seat.judge(4, "a");
    seat.on(6);
    seat.keys("<home>");
    seat.on(2);
    seat.keys("<tab>");
    seat.on(6);
    seat.judge(6, "a");
    seat.judge(8, "a");
    seat.wait_for("4 of 4  [subtask:even]");
    seat.keys("<tab>");
    seat.wait_for(wording::QUEUE_JUDGED);
    // Undo goes to its item, out of the queue where it must.
    seat.keys("q");
    seat.wait_for("8 of 8");
    seat.keys("<home>");
    seat.judge(1, "x1");
    seat.keys("/subtask:even<enter>");
    seat.wait_for("1 of 4");
    seat.keys("u");
    seat.wait_for(&wording::taken_back(1));
    seat.on(1);
}

#[test]
fn escape_never_ends_the_program() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("?");
    seat.wait_for(wording::help(Action::Accept));
    seat.keys("<esc>");
    seat.wait_gone(wording::help(Action::Accept));
    // Half of an arrow key on a slow line is an escape too.
    seat.keys("<esc><esc>");
    seat.wait_for("q quits");
    seat.judge(1, "a");
    seat.leave("q");
}

#[test]
fn an_import_extends_an_open_queue() {
    let bench = Bench::plain(2);
    let seat = bench.seat("ann");
    seat.wait_for("1 of 2");
    bench
        .client("script")
        .ask(benchtop::protocol::wire::request::Sample { items_only: true })
        .unwrap();
    seat.wait_until("more items", |shown| {
        shown.contains("1 of ") && !shown.contains("1 of 2  ")
    });
}

#[test]
fn a_half_typed_note_survives_a_hang_up() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.judge(1, "a");
    seat.on(2);
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(2));
    seat.keys("7");
    let noted = |note: Option<(u32, &str)>| {
        let note = note.map(|(number, note)| (number, note.to_string()));
        let until = std::time::Instant::now() + PATIENCE;
        while bench
            .client("ann")
            .welcome()
            .place
            .as_ref()
            .map(|p| p.note.clone())
            != Some(note.clone())
        {
            assert!(
                std::time::Instant::now() < until,
                "{note:?} is not remembered"
            );
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    seat.keys("the tail is");
    seat.wait_for("the tail is");
    noted(Some((2, "the tail is")));
    drop(seat);
    let mut seat = bench.seat("ann");
    seat.on(2);
    seat.wait_for("your note: the tail is");
    seat.keys("N");
    seat.wait_row(&["note", "#2"]);
    seat.keys(" cut off<enter>");
    // The menu of reasons has it too, and its numbers choose reasons.
    seat.keys("x");
    seat.wait_for(&wording::reasons_asked(2));
    seat.keys("1");
    seat.wait_for("#2 saved");
    let note = bench.journal("ann").pop().unwrap();
    assert!(
        format!("{note:?}").contains("the tail is cut off"),
        "{note:?}"
    );
    noted(None);
    // A menu that is closed on purpose forgets it.
    seat.on(3);
    seat.keys("x7no");
    noted(Some((3, "no")));
    seat.keys("<esc>");
    noted(None);
}

#[test]
fn a_late_answer_does_not_move_the_cursor_back() {
    let bench = Bench::plain(9);
    let mut seat = bench.seat("ann");
    seat.on(1);
    bench.freeze_owner();
    // The next item that nobody has judged is #2, as the owner will say.
    seat.keys("<tab>jjj");
    bench.thaw_owner();
    seat.on(4);
    seat.keys("j");
    seat.on(5);
}
