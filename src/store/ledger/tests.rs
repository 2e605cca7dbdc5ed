//! Undo, receipts, revisions of texts, and two people on one item.

use super::*;
use crate::model::{Seen, Verdict};

fn act(rev: u64, who: &str, act: Act) -> Decision {
    let uuid = Uuid::from_u128(u128::from(rev));
    Decision { uuid, rev, at: rev as i64, who: who.into(), item: "set/1".into(), on: None, act }
}

fn judge(verdict: Verdict) -> Act {
    Act::Judge(Judgement::new(verdict, Seen::Script))
}

#[test]
fn undo_brings_back_what_was_said_before_and_redo_what_was_undone() {
    let mut ledger = Ledger::default();
    ledger.apply(&act(1, "ann", judge(Verdict::Accept)), 0).unwrap();
    ledger.apply(&act(2, "ann", judge(Verdict::Reject)), 0).unwrap();
    let (target, _) = ledger.undoable("ann").unwrap();
    assert_eq!(ledger.apply(&act(3, "ann", Act::Undo(target)), 0).unwrap().status, Status::Accepted);
    let (target, _) = ledger.redoable("ann").unwrap();
    assert_eq!(ledger.apply(&act(4, "ann", Act::Redo(target)), 0).unwrap().status, Status::Rejected);
    for rev in 5..7 {
        let (target, _) = ledger.undoable("ann").unwrap();
        ledger.apply(&act(rev, "ann", Act::Undo(target)), 0).unwrap();
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
    ledger.apply(&act(1, "ann", judge(Verdict::Accept)), 0).unwrap();
    let undo = act(2, "bob", Act::Undo(Uuid::from_u128(1)));
    assert_eq!(ledger.check(&undo).unwrap_err().kind, Kind::Conflict);
    assert!(ledger.apply(&undo, 0).is_err());
    assert_eq!(ledger.status(0), Status::Accepted);
}

#[test]
fn a_revision_voids_verdicts_wherever_they_are_in_the_order_of_undo() {
    let mut ledger = Ledger::default();
    for (rev, row) in [(1, 0), (2, 1), (3, 2), (4, 1)] {
        ledger.apply(&act(rev, "ann", judge(Verdict::Accept)), row).unwrap();
    }
    ledger.revise(&[1], 5, false);
    assert_eq!((ledger.status(1), ledger.row_rev(1), ledger.rev()), (Status::Pending, 5, 5));
    let undone: Vec<u32> = (6..8)
        .map(|rev| {
            let (target, row) = ledger.undoable("ann").unwrap();
            ledger.apply(&act(rev, "ann", Act::Undo(target)), row).unwrap();
            row
        })
        .collect();
    assert_eq!(undone, [2, 0], "the voided ones are passed over");
    assert_eq!(ledger.undoable("ann"), None);
    let undo = act(9, "ann", Act::Undo(Uuid::from_u128(2)));
    assert_eq!(ledger.check(&undo).unwrap_err().kind, Kind::Conflict);
    ledger.revise(&[0], 10, false);
    assert_eq!(ledger.redoable("ann").map(|(_, row)| row), Some(2), "the last undone one was voided too");
    ledger.revise(&[2], 11, true);
    assert_eq!(ledger.redoable("ann").map(|(_, row)| row), Some(2));
}

#[test]
fn two_people_both_stand_and_the_last_word_decides() {
    let mut ledger = Ledger::default();
    ledger.apply(&act(1, "ann", judge(Verdict::Accept)), 0).unwrap();
    ledger.apply(&act(2, "bob", judge(Verdict::Flag)), 0).unwrap();
    assert_eq!(ledger.standing(0).len(), 2);
    assert_eq!(ledger.status(0), Status::Flagged);
    ledger.apply(&act(3, "ann", judge(Verdict::Accept)), 0).unwrap();
    assert_eq!(ledger.status(0), Status::Accepted);
}
