//! Items and a pane for tests of the review.

use serde_json::json;

use super::{Queue, ReviewPane};
use benchtop_model::Status;
use benchtop_protocol::wire::ItemView;

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
        chips: vec![],
    }
}

/// A pane with nine items, all of them loaded, at one of them.
pub fn pane_at(number: u32) -> ReviewPane {
    let mut pane = ReviewPane::new();
    pane.set_queue(Queue::all(9), Some(number));
    for number in 1..=9 {
        let _ = pane.on_item(number, Ok(view(number)));
    }
    pane
}
