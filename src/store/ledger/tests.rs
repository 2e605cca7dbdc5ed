//! Tests of undo, receipts, text revisions, and two annotators on one item.

use super::*;
use benchtop_model::ErrorKind;
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

/// The verdict of a step, and its row.
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
fn undo_restores_the_previous_verdict_and_redo_the_undone_one() {
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
    assert_eq!(ledger.effective_verdicts(0).len(), 1);
    assert_eq!(ledger.decisions(), 1);
}

#[test]
fn undo_of_another_annotators_verdict_is_a_conflict() {
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
fn a_revision_voids_verdicts_anywhere_in_the_undo_order() {
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
    assert_eq!(undone, [2, 0], "voided verdicts are skipped");
    assert_eq!(ledger.undoable("ann"), None);
    let undo = act(9, "ann", Act::Undo(Uuid::from_u128(2)));
    assert_eq!(ledger.check(&undo).unwrap_err().kind, ErrorKind::Conflict);
    ledger.revise(&[0], 10, false, None);
    assert_eq!(
        ledger.redoable("ann").map(|(_, row)| row),
        Some(2),
        "the last undone verdict was voided too"
    );
    ledger.revise(&[2], 11, true, None);
    assert_eq!(ledger.redoable("ann").map(|(_, row)| row), Some(2));
}

#[test]
fn edits_and_verdicts_share_one_undo_order() {
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
    // Only the author can undo an edit, and not after another person or a job replaced the text.
    assert_eq!(ledger.undoable("bob"), None);
    ledger.revise(&[1], 8, false, Some(&mark("bob", EditAct::Edit)));
    assert_eq!(undo(&ledger), Some((1, 0)));
    ledger.revise(&[1], 9, true, None);
    assert_eq!(ledger.undoable("bob"), None);
    // Like a new verdict, a new edit clears the redo list.
    ledger.revise(&[0], 10, false, Some(&mine(EditAct::Edit)));
    assert_eq!((undo(&ledger), redo(&ledger)), (Some((10, 0)), None));
    ledger.revise(&[0], 11, false, Some(&mine(EditAct::Undo(10))));
    ledger
        .apply(&act(12, "ann", judge(Verdict::Accept)), 5)
        .unwrap();
    assert_eq!(redo(&ledger), None);
}

#[test]
fn both_annotators_verdicts_count_and_the_last_decides() {
    let mut ledger = Ledger::default();
    ledger
        .apply(&act(1, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    ledger
        .apply(&act(2, "bob", judge(Verdict::Flag)), 0)
        .unwrap();
    assert_eq!(ledger.effective_verdicts(0).len(), 2);
    assert_eq!(ledger.status(0), Status::Flagged);
    ledger
        .apply(&act(3, "ann", judge(Verdict::Accept)), 0)
        .unwrap();
    assert_eq!(ledger.status(0), Status::Accepted);
}

#[test]
fn undo_takes_verdicts_and_comments_back_in_the_order_they_were_made() {
    use benchtop_model::CommentAct;
    let mut ledger = Ledger::default();
    let write = |text: &str| {
        Act::Comment(CommentAct::Write {
            text: text.into(),
            reply_to: None,
            marks: Vec::new(),
        })
    };
    let texts = |ledger: &Ledger| {
        let comments = ledger.comments(0, |_| true);
        comments.into_iter().map(|c| c.text).collect::<Vec<_>>()
    };
    let steps = [
        (1, write("first")),
        (2, judge(Verdict::Accept)),
        (3, write("second")),
    ];
    for (rev, step) in steps {
        ledger.apply(&act(rev, "ann", step), 0).unwrap();
    }
    assert_eq!(
        ledger.row_rev(0),
        2,
        "a comment leaves the revision of its item"
    );
    assert_eq!((ledger.rev(), ledger.judged_rows()), (3, vec![0]));
    let Some((Step::Comment(of, 3), 0)) = ledger.undoable("ann") else {
        panic!("{:?}", ledger.undoable("ann"));
    };
    let undo = act(4, "ann", Act::Comment(CommentAct::Undo { of }));
    ledger.check(&undo).unwrap();
    ledger.apply(&undo, 0).unwrap();
    assert_eq!(texts(&ledger), ["first"]);
    assert_eq!(ledger.check(&undo).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(verdict(ledger.undoable("ann")).0, Uuid::from_u128(2));
    assert!(matches!(
        ledger.redoable("ann"),
        Some((Step::Comment(..), 0))
    ));
    // A new verdict leaves nothing to redo, and nobody undoes what others wrote.
    ledger
        .apply(&act(5, "ann", judge(Verdict::Reject)), 0)
        .unwrap();
    assert!(ledger.redoable("ann").is_none());
    let of = Uuid::from_u128(1);
    let other = act(6, "bob", Act::Comment(CommentAct::Undo { of }));
    assert_eq!(
        ledger.apply(&other, 0).unwrap_err().kind,
        ErrorKind::Conflict
    );
    assert_eq!(texts(&ledger), ["first"]);
    // Earlier texts of the item take the verdicts with them, and not the comments.
    ledger.revise(&[0], 7, false, None);
    assert!(ledger.effective_verdicts(0).is_empty());
    assert_eq!(texts(&ledger), ["first"]);
}
