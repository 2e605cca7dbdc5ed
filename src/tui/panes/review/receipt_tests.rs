use super::testing::{fetched, sent};
use super::*;
use crate::pane::recorder::Recorder;
use benchtop_model::{Seen, Status, Verdict};
use benchtop_protocol::wire::Receipt;

fn receipt(uuid: Uuid) -> Receipt {
    Receipt {
        uuid,
        rev: 1,
        number: 1,
        status: Status::Accepted,
        edit: false,
        comment: false,
    }
}

/// The owner sends the receipt of a verdict and an event that says the same; one of them has the item asked for again.
#[test]
fn the_event_of_an_own_verdict_is_known_by_its_receipt() {
    let (mut pane, rec) = (ReviewPane::default(), Recorder::new().unwrap());
    let effects = rec.call(&mut pane, |pane, cx| {
        pane.set_queue(Queue::all(3), Some(1), cx);
        pane.decide(1, 0, Judgement::new(Verdict::Accept, Seen::Painted), cx);
    });
    let [decide] = &sent(&effects)[..] else {
        panic!("{effects:?}")
    };
    let (own, other) = (receipt(decide.uuid), receipt(Uuid::from_u128(7)));
    assert!(!pane.is_settled(own.uuid));
    let effects = rec.call(&mut pane, |pane, cx| {
        pane.acknowledged(&own, cx);
    });
    assert_eq!(fetched(&effects), [1], "{effects:?}");
    assert!(pane.is_settled(own.uuid) && !pane.is_settled(other.uuid));
    for n in 0..RECEIPTS {
        pane.receipt_came(&receipt(Uuid::from_u128(n as u128)));
    }
    assert!(!pane.is_settled(own.uuid), "only the last ones are kept");
}
