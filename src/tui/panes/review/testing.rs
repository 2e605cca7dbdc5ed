//! Items and a pane for tests of the review.

use serde_json::json;

use super::{Queue, ReviewPane};
use crate::pane::Effect;
use crate::pane::recorder::Recorder;
use benchtop_model::Status;
use benchtop_protocol::wire::{AnyRequest, Decide, ItemView, request};

/// A question with two options.
pub fn view(number: u32) -> ItemView {
    let item = json!({
        "id": format!("d/{number}"), "dataset": "d", "key": number, "form": "dysca", "question": "Which animal?",
        "instruction": "Which animal?\nA. cat\nB. dog", "kind": "multiple-choice", "answer": "dog",
        "options": [{"text": "cat", "role": "distractor"}, {"text": "dog", "role": "correct"}],
    });
    ItemView {
        number,
        json: item.to_string(),
        status: Status::Pending,
        rev: 1,
        text_rev: 1,
        standing: vec![],
        stale: None,
        original: None,
        chips: vec![],
        comments: 0,
    }
}

/// A pane with nine items, all of them loaded, at one of them.
pub fn pane_at(number: u32) -> ReviewPane {
    let (mut pane, rec) = (ReviewPane::default(), Recorder::new().unwrap());
    rec.call(&mut pane, |pane, cx| {
        pane.set_queue(Queue::all(9), Some(number), cx);
        for number in 1..=9 {
            pane.on_item(number, Ok(view(number)), cx);
        }
    });
    pane
}

/// The requests of these effects.
fn requests(effects: &[Effect]) -> impl Iterator<Item = &AnyRequest> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Ask(ask) => Some(&ask.request),
        _ => None,
    })
}

/// The items that these effects request.
pub fn fetched(effects: &[Effect]) -> Vec<u32> {
    let item = |asked: &AnyRequest| match asked {
        AnyRequest::Item(request::Item(number)) => Some(*number),
        _ => None,
    };
    requests(effects).filter_map(item).collect()
}

/// The verdicts that these effects send.
pub fn sent(effects: &[Effect]) -> Vec<Decide> {
    let decide = |asked: &AnyRequest| match asked {
        AnyRequest::Decide(request::Decide(decide)) => Some(decide.clone()),
        _ => None,
    };
    requests(effects).filter_map(decide).collect()
}
