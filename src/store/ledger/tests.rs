//! Undo, receipts, revisions of texts, and two people on one item.

use super::*;
use benchtop_model::edit::EditAct;
use benchtop_model::{Seen, Verdict};

fn act(rev: u64, who: &str, act: Act) -> Decision {
    let uuid = Uuid::from_u128(u128::from(rev));
    Decision {
        uuid,
        rev,
        at: rev as i64,
        who: who.into(),
        item: "set/1".into(),
        on: None,
        act,
    }
}

/// The verdict that is taken back or brought back, and its row.
fn verdict(step: Option<(Step, u32)>) -> (Uuid, u32) {
    match step.unwrap() {
        (Step::Verdict(uuid, _), row) => (uuid, row),
        other => panic!("{other:?}"),
    }
}

fn judge(verdict: Verdict) -> Act {
    Act::Judge(Judgement::new(verdict, Seen::Script))
}

#[test]
fn undo_brings_back_what_was_said_before_and_redo_what_was_undone() {
    let mut ledger = Ledger::default();
    ledger
        .apply(&act(1, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    ledger
        .apply(&act(2, "ann", judge(Verdict::Reject)), 0)
        .unwrap();
    let (target, _) = verdict(ledger.undoable("ann"));
    assert_eq!(
        ledger
            .apply(&act(3, "ann", Act::Undo(target)), 0)
            .unwrap()
            .status,
        Status::Accepted
    );
    let (target, _) = verdict(ledger.redoable("ann"));
    assert_eq!(
        ledger
            .apply(&act(4, "ann", Act::Redo(target)), 0)
            .unwrap()
            .status,
        Status::Rejected
    );
    for rev in 5..7 {
        let (target, _) = verdict(ledger.undoable("ann"));
        ledger
            .apply(&act(rev, "ann", Act::Undo(target)), 0)
            .unwrap();
    }
    assert_eq!(ledger.status(0), Status::Pending);
    assert!(ledger.undoable("ann").is_none());
}

#[test]
fn a_receipt_counts_once() {
    let mut ledger = Ledger::default();
    let decision = act(1, "ann", judge(Verdict::Accept));
    ledger.apply(&decision, 0).unwrap();
    ledger.apply(&decision, 0).unwrap();
    assert_eq!(ledger.standing(0).len(), 1);
    assert_eq!(ledger.decisions(), 1);
}

#[test]
fn nobody_undoes_anothers_verdict() {
    let mut ledger = Ledger::default();
    ledger
        .apply(&act(1, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    let undo = act(2, "bob", Act::Undo(Uuid::from_u128(1)));
    assert_eq!(ledger.check(&undo).unwrap_err().kind, ErrorKind::Conflict);
    assert!(ledger.apply(&undo, 0).is_err());
    assert_eq!(ledger.status(0), Status::Accepted);
}

#[test]
fn a_revision_voids_verdicts_wherever_they_are_in_the_order_of_undo() {
    let mut ledger = Ledger::default();
    for (rev, row) in [(1, 0), (2, 1), (3, 2), (4, 1)] {
        ledger
            .apply(&act(rev, "ann", judge(Verdict::Accept)), row)
            .unwrap();
    }
    ledger.revise(&[1], 5, false, None);
    assert_eq!(
        (ledger.status(1), ledger.row_rev(1), ledger.rev()),
        (Status::Pending, 5, 5)
    );
    let undone: Vec<u32> = (6..8)
        .map(|rev| {
            let (target, row) = verdict(ledger.undoable("ann"));
            ledger
                .apply(&act(rev, "ann", Act::Undo(target)), row)
                .unwrap();
            row
        })
        .collect();
    assert_eq!(undone, [2, 0], "the voided ones are passed over");
    assert_eq!(ledger.undoable("ann"), None);
    let undo = act(9, "ann", Act::Undo(Uuid::from_u128(2)));
    assert_eq!(ledger.check(&undo).unwrap_err().kind, ErrorKind::Conflict);
    ledger.revise(&[0], 10, false, None);
    assert_eq!(
        ledger.redoable("ann").map(|(_, row)| row),
        Some(2),
        "the last undone one was voided too"
    );
    ledger.revise(&[2], 11, true, None);
    assert_eq!(ledger.redoable("ann").map(|(_, row)| row), Some(2));
}

#[test]
fn edits_and_verdicts_are_taken_back_in_one_order() {
    let mut ledger = Ledger::default();
    let mark = |by: &str, act| EditMark {
        by: by.into(),
        act,
        receipt: None,
    };
    let mine = |act| mark("ann", act);
    let undo = |ledger: &Ledger| ledger.undoable("ann").map(|(step, row)| (step.rev(), row));
    let redo = |ledger: &Ledger| ledger.redoable("ann").map(|(step, row)| (step.rev(), row));
    ledger
        .apply(&act(1, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    ledger.revise(&[1], 2, false, Some(&mine(EditAct::Edit)));
    ledger.revise(&[1], 3, false, Some(&mine(EditAct::Edit)));
    ledger
        .apply(&act(4, "ann", judge(Verdict::Accept)), 2)
        .unwrap();
    assert_eq!(undo(&ledger), Some((4, 2)));
    ledger
        .apply(&act(5, "ann", Act::Undo(Uuid::from_u128(4))), 2)
        .unwrap();
    assert_eq!(undo(&ledger), Some((3, 1)));
    ledger.revise(&[1], 6, false, Some(&mine(EditAct::Undo(3))));
    assert_eq!((undo(&ledger), redo(&ledger)), (Some((2, 1)), Some((3, 1))));
    ledger.revise(&[1], 7, false, Some(&mine(EditAct::Redo(3))));
    assert_eq!((undo(&ledger), redo(&ledger)), (Some((3, 1)), Some((4, 2))));
    // Neither is anybody's else, and a text that another person or a job wrote over is not taken back.
    assert_eq!(ledger.undoable("bob"), None);
    ledger.revise(&[1], 8, false, Some(&mark("bob", EditAct::Edit)));
    assert_eq!(undo(&ledger), Some((1, 0)));
    ledger.revise(&[1], 9, true, None);
    assert_eq!(ledger.undoable("bob"), None);
    // A new edit forgets what was undone, as a new verdict does.
    ledger.revise(&[0], 10, false, Some(&mine(EditAct::Edit)));
    assert_eq!((undo(&ledger), redo(&ledger)), (Some((10, 0)), None));
    ledger.revise(&[0], 11, false, Some(&mine(EditAct::Undo(10))));
    ledger
        .apply(&act(12, "ann", judge(Verdict::Accept)), 5)
        .unwrap();
    assert_eq!(redo(&ledger), None);
}

#[test]
fn two_people_both_stand_and_the_last_word_decides() {
    let mut ledger = Ledger::default();
    ledger
        .apply(&act(1, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    ledger
        .apply(&act(2, "bob", judge(Verdict::Flag)), 0)
        .unwrap();
    assert_eq!(ledger.standing(0).len(), 2);
    assert_eq!(ledger.status(0), Status::Flagged);
    ledger
        .apply(&act(3, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    assert_eq!(ledger.status(0), Status::Accepted);
}
