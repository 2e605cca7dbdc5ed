use super::*;
use crate::pane::Effect;
use crate::pane::recorder::Recorder;
use crate::panes::review::testing::{fetched, sent};
use benchtop_model::Status;
use benchtop_model::round::{NewRound, draw};
use benchtop_protocol::wire::{ItemView, Receipt};

/// The terminal's clock at the start of a test.
const START: u64 = 1_000;

fn state(protocol: &str) -> RoundState {
    let new = NewRound {
        calibration: 0,
        ..NewRound::new(
            "first",
            protocol.parse().unwrap(),
            vec!["ann".into(), "bob".into()],
            1,
        )
    };
    RoundState::without_verdicts(
        &draw(&new, &[("a", ""), ("b", "")], &[], "ann", 0)
            .unwrap()
            .round,
    )
}

fn served(number: u32, nth: u32, practice: bool) -> Assignment {
    Assignment {
        elsewhere: false,
        number,
        item: format!("kites/{number}"),
        practice,
        nth,
        place: (nth + 1, 9),
        guidelines: None,
        until: 0,
        ahead: vec![number, number + 1],
    }
}

fn working(protocol: &str) -> ReviewPane {
    let mut pane = ReviewPane::default();
    at(START, &mut pane, |pane, cx| {
        pane.set_queue(Queue::all(9), Some(4), cx);
        let reasons = vec![("ugly".into(), "not nice to see".into())];
        pane.begin_round(state(protocol), reasons, cx);
    });
    pane
}

/// Calls the pane at a time. Returns the effects.
fn at(
    now: u64,
    pane: &mut ReviewPane,
    call: impl FnOnce(&mut ReviewPane, &mut Context<'_>),
) -> Vec<Effect> {
    let rec = Recorder {
        now,
        ..Recorder::new().unwrap()
    };
    rec.call(pane, call)
}

/// Assigns an item. Returns whether the screen changes, and the items to fetch.
fn assign(pane: &mut ReviewPane, turn: NextAssignment, now: u64) -> (bool, Vec<u32>) {
    let mut new = false;
    let effects = at(now, pane, |pane, cx| new = pane.on_assignment(turn, cx));
    (new, fetched(&effects))
}

fn judge(pane: &mut ReviewPane, number: u32, verdict: Verdict, ms: u32, now: u64) -> Option<Then> {
    let judgement = Judgement {
        ms: Some(ms),
        ..Judgement::new(verdict, benchtop_model::Seen::Painted)
    };
    let effects = at(now, pane, |pane, cx| pane.decide(number, 0, judgement, cx));
    let [decide] = &sent(&effects)[..] else {
        panic!("{effects:?}")
    };
    let asked = decide.judgement.round.clone().unwrap();
    assert_eq!((asked.round.as_str(), asked.part), ("first", Part::Main));
    let receipt = Receipt {
        uuid: decide.uuid,
        rev: 1,
        number,
        status: Status::Pending,
        edit: false,
        comment: false,
    };
    let mut then = None;
    let effects = at(now, pane, |pane, cx| then = pane.acknowledged(&receipt, cx));
    assert!(
        effects.is_empty(),
        "the item is not fetched again: that would reveal others' verdicts"
    );
    then
}

#[test]
fn the_next_item_is_requested_after_the_receipt() {
    let mut pane = working("single");
    assert!(pane.work().unwrap().ready().is_err());
    let assigned = assign(&mut pane, NextAssignment::Item(served(7, 0, false)), START);
    assert_eq!(assigned, (true, vec![7, 8]));
    assert_eq!(
        (
            pane.number(),
            pane.place().number,
            pane.place().round.as_str()
        ),
        (Some(7), 4, "first")
    );
    assert_eq!(
        judge(&mut pane, 7, Verdict::Accept, 900, START),
        Some(Then::Next)
    );
    assert_eq!(
        (pane.number(), pane.work().unwrap().ready().is_err()),
        (Some(7), true)
    );
    assert_eq!(pane.work().unwrap().pace().items, 1);
    assign(&mut pane, NextAssignment::Finished, START);
    assert_eq!((pane.number(), pane.work().unwrap().holds()), (None, None));
    assert_eq!(pane.place().round, "", "a finished round is not resumed");
    at(START, &mut pane, |pane, cx| pane.end_round(cx));
    assert_eq!(
        (pane.number(), pane.place().round.as_str()),
        (Some(4), ""),
        "the earlier queue is restored"
    );
}

#[test]
fn the_seen_revision_is_that_of_the_text() {
    let mut pane = crate::panes::review::testing::pane_at(7);
    let view = ItemView {
        rev: 12,
        text_rev: 3,
        ..crate::panes::review::testing::view(7)
    };
    at(START, &mut pane, |pane, cx| pane.on_item(7, Ok(view), cx));
    let painted = pane.on_screen().unwrap();
    assert_eq!((painted.rev, painted.text_rev), (12, 3));
}

#[test]
fn practice_gets_feedback_and_does_not_count_in_the_pace() {
    let mut pane = working("single");
    assign(&mut pane, NextAssignment::Item(served(3, 0, true)), START);
    assert_eq!(pane.work().unwrap().place(), "practice 1 of 9");
    assert_eq!(
        judge(&mut pane, 3, Verdict::Accept, 900, START),
        Some(Then::Feedback(3, Verdict::Accept))
    );
    pane.on_feedback(
        Feedback {
            good: Some(false),
            reasons: vec!["ugly".into()],
        },
        Verdict::Accept,
    );
    assert_eq!(pane.work().unwrap().outcome(), Some((Outcome::Miss, false)));
    assert_eq!(pane.work().unwrap().pace().items, 0);
    // Skipped practice items get no feedback.
    pane.work_mut().unwrap().phase = Phase::Asking;
    assign(&mut pane, NextAssignment::Item(served(5, 1, true)), START);
    assert_eq!(
        judge(&mut pane, 5, Verdict::Skip, 900, START),
        Some(Then::Next)
    );
}

#[test]
fn renewing_the_lease_keeps_the_screen() {
    let mut pane = working("single");
    assign(&mut pane, NextAssignment::Item(served(7, 0, false)), START);
    let work = pane.work().unwrap();
    let end = START + u64::from(LEASE_MINUTES) * 60_000;
    assert_eq!(
        (work.lease_words(START), work.lease_due(START)),
        (None, Some(end - SHORT_MS))
    );
    assert!(!work.wants_renewal(START) && work.wants_renewal(end - RENEW_MS + 1));
    let warning = work.lease_words(end - 100_000).unwrap();
    assert!(warning.contains("105 s"), "{warning}");
    for now in (end - SHORT_MS..end).step_by(997) {
        let due = work.lease_due(now).unwrap();
        assert!(due > now && due <= end, "{now}: {due}");
    }
    assert!(work.lease_words(end).is_some() && work.lease_due(end).is_none());
    assert!(
        !assign(
            &mut pane,
            NextAssignment::Item(served(7, 0, false)),
            end - 1
        )
        .0
    );
    assert_eq!(pane.work().unwrap().lease_words(end), None);
    // The same item again is another assignment.
    assert!(assign(&mut pane, NextAssignment::Item(served(7, 1, false)), end).0);
}

#[test]
fn a_break_is_suggested_when_the_pace_drifts_but_not_again_at_once() {
    let mut pane = working("single");
    let mut now = START;
    let mut offers = 0;
    for nth in 0..240 {
        assign(
            &mut pane,
            NextAssignment::Item(served(nth + 1, nth, false)),
            now,
        );
        let ms = if nth < 150 {
            6_000 + nth % 7 * 100
        } else {
            1_500 + nth % 7 * 20
        };
        now += u64::from(ms);
        let verdict = if nth % 3 == 0 {
            Verdict::Reject
        } else {
            Verdict::Accept
        };
        judge(&mut pane, nth + 1, verdict, ms, now);
        offers += u32::from(pane.work().unwrap().offer().is_some());
    }
    assert_eq!(
        offers,
        2 * OFFERED as u32,
        "suggested twice, each for some verdicts"
    );
    let page = super::super::pace::page("first", &pane.work().unwrap().pace()).text();
    assert!(page.contains("judged  240"), "{page}");
}
