//! Comments from files that are not journals, turned into decisions. Each is marked as imported,
//! and its edit and its resolution are events of their own with derived receipts, so a second import
//! adds nothing.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::verdicts::Place;
use benchtop_model::history::stamp;
use benchtop_model::verdict_interchange::{
    ExchangedComment, ImportedComments, SkippedVerdict, receipt,
};
use benchtop_model::{Act, CommentAct, Decision, Mark};

/// The new events of comments.
#[derive(Default)]
pub(super) struct Planned {
    pub fresh: Vec<Decision>,
    pub counts: ImportedComments,
    pub aside: Vec<SkippedVerdict>,
}

/// Plans the comments in `found`, each with its location in the file.
pub(super) fn plan(
    found: Vec<(String, ExchangedComment)>,
    to: &Place<'_>,
    by_receipt: &mut HashMap<Uuid, Decision>,
) -> Planned {
    let mut planned = Planned::default();
    // The comments and times of edits.
    let edited = |decision: &Decision| match decision.act {
        Act::Comment(CommentAct::Edit { of, .. }) => Some((of, decision.at)),
        _ => None,
    };
    let mut edits: HashSet<(Uuid, i64)> = by_receipt.values().filter_map(edited).collect();
    for (place, comment) in found {
        planned.counts.read += 1;
        let (item, who) = (comment.item.clone(), comment.who.clone());
        match one(comment, to, by_receipt, &edits) {
            Ok((is_new, events)) => {
                match (is_new, events.is_empty()) {
                    (true, _) => planned.counts.added += 1,
                    (false, false) => planned.counts.updated += 1,
                    (false, true) => planned.counts.known += 1,
                }
                edits.extend(events.iter().filter_map(edited));
                by_receipt.extend(events.iter().map(|event| (event.uuid, event.clone())));
                planned.fresh.extend(events);
            }
            Err(why) => planned.aside.push(SkippedVerdict {
                place,
                item,
                who,
                why,
            }),
        }
    }
    planned
}

/// Whether a comment is new here, and its events that are; or the reason why it is skipped.
fn one(
    comment: ExchangedComment,
    to: &Place<'_>,
    by_receipt: &HashMap<Uuid, Decision>,
    edits: &HashSet<(Uuid, i64)>,
) -> std::result::Result<(bool, Vec<Decision>), String> {
    let (row, here) = to.item(&comment.item)?;
    let ExchangedComment {
        item,
        who,
        at,
        rev,
        uuid,
        on: on_item,
        text,
        reply_to,
        marks,
        edited,
        resolved,
        ..
    } = comment;
    let write = CommentAct::Import {
        text: text.clone(),
        reply_to,
        marks: marks.clone(),
    };
    let pictures = here.images.len();
    write.check(pictures).map_err(|p| p.what)?;
    let at = at.unwrap_or(to.now);
    let rev = rev.unwrap_or_else(|| to.rev_at(at, row));
    let is_edit_known = edited.is_none_or(|then| edits.contains(&(uuid, then)));
    let is_new = match by_receipt.get(&uuid) {
        None => true,
        Some(known) if (&known.item, &known.who) != (&item, &who) => {
            return Err("another decision has the same receipt".into());
        }
        Some(known) => match &known.act {
            // What people of this project wrote changes through their journals only.
            Act::Comment(CommentAct::Write { .. }) if is_edit_known => return Ok((false, vec![])),
            Act::Comment(CommentAct::Write { .. }) => {
                let why = "the comment was edited elsewhere; `benchtop merge` takes its journal";
                return Err(why.into());
            }
            Act::Comment(CommentAct::Import {
                text: a, marks: b, ..
            }) if edited.is_some() || (a, b) == (&text, &marks) => false,
            _ => return Err("another decision has the same receipt".into()),
        },
    };
    let event = |uuid, who: &str, (rev, at), on: Option<String>, act| Decision {
        uuid,
        rev,
        at,
        who: who.into(),
        item: item.clone(),
        on,
        act: Act::Comment(act),
    };
    let mut events = Vec::new();
    if is_new {
        events.push(event(uuid, &who, (rev, at), on_item.clone(), write));
    }
    let last = edited.unwrap_or(at);
    let last = (rev.max(to.rev_at(last, row)), last);
    if let Some(then) = edited.filter(|_| !is_edit_known) {
        let receipt = edit_receipt(uuid, then, &text, &marks);
        let act = CommentAct::Edit {
            of: uuid,
            text,
            marks,
        };
        events.push(event(receipt, &who, last, on_item, act));
    }
    if let Some(by) = resolved {
        let receipt = receipt(&["an imported comment is resolved", &uuid.to_string(), &by]);
        let act = CommentAct::Resolve {
            of: uuid,
            resolved: true,
        };
        events.push(event(receipt, &by, last, None, act));
    }
    events.retain(|event| !by_receipt.contains_key(&event.uuid));
    Ok((is_new, events))
}

fn edit_receipt(uuid: Uuid, at: i64, text: &str, marks: &[Mark]) -> Uuid {
    let marks: Vec<String> = marks.iter().map(ToString::to_string).collect();
    receipt(&[
        "an imported comment is edited",
        &uuid.to_string(),
        &stamp(at),
        text,
        &marks.join("\n"),
    ])
}
