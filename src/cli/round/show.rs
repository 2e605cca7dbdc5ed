//! Rounds and disputes, as text and as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::out;
use benchtop_model::round::state::{Dispute, OthersVerdict, RoundState};
use benchtop_model::{clean, history};

pub(super) fn value(state: &RoundState) -> Value {
    let people: Map<String, Value> = state
        .people
        .iter()
        .map(|(who, n)| (who.clone(), (*n).into()))
        .collect();
    let by_status = state.by_status.as_ref().map(|counts| {
        counts
            .iter()
            .map(|(status, n)| (status.name().to_string(), (*n).into()))
            .collect::<Map<String, Value>>()
    });
    json!({
        "name": state.name, "protocol": state.protocol.to_string(), "blind": state.blind, "overlap": state.overlap,
        "items": state.items, "missing": state.missing, "people": people, "judged": state.judged,
        "wanted": state.wanted, "by_status": by_status, "strangers": state.strangers,
        "created": history::stamp(state.created), "by": state.by, "closed": state.closed.map(history::stamp),
        "guidelines": state.guidelines, "left": state.left,
    })
}

/// A round that was just created, or would be.
pub(super) fn created(state: &RoundState, dry: bool, json: bool) -> String {
    if json {
        let mut value = value(state);
        value["dry_run"] = dry.into();
        value["notes"] = state.notes.clone().into();
        return out::json_text(&value);
    }
    let verb = if dry { "would create" } else { "created" };
    let text = format!(
        "{verb} the round `{}`: {} for {}, {} per item, {}\n",
        state.name,
        out::count(state.items, "item"),
        state
            .people
            .iter()
            .map(|(who, _)| who.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        out::count(state.overlap, "verdict"),
        out::count(state.wanted, "verdict")
    );
    text + &out::notes(&state.notes)
}

pub(super) fn list(states: &[RoundState], json: bool) -> String {
    let each = |state| out::either(json, &value(state), || line(state));
    states.iter().map(each).collect()
}

fn line(state: &RoundState) -> String {
    let blind = if state.blind { "blind" } else { "open" };
    let closed = if state.closed.is_some() {
        ", closed"
    } else {
        ""
    };
    format!(
        "{}\t{}\t{blind}{closed}\t{} of {} verdicts\t{}\n",
        state.name,
        state.protocol,
        state.judged,
        state.wanted,
        out::count(state.items, "item")
    )
}

pub(super) fn one(state: &RoundState, json: bool) -> String {
    if json {
        return out::json_text(&value(state));
    }
    let mut text = line(state);
    for (who, judged) in &state.people {
        let left = if state.left.contains(who) {
            ", left the round"
        } else {
            ""
        };
        let _ = writeln!(text, "  {who}\t{judged} judged{left}");
    }
    match &state.by_status {
        Some(counts) => {
            for (status, n) in counts.iter().filter(|(_, n)| *n > 0) {
                let _ = writeln!(text, "{n:>8}  {}", status.name());
            }
        }
        None => text.push_str(
            "the status of its items is hidden until the round closes, because it is blind and you take part\n",
        ),
    }
    if state.missing > 0 {
        let _ = writeln!(
            text,
            "note: {} missing from the project",
            out::count(state.missing, "item")
        );
    }
    if state.strangers > 0 {
        let _ = writeln!(
            text,
            "note: {} not counted: by annotators or on items outside of the round",
            out::count(state.strangers, "verdict")
        );
    }
    text
}

pub(super) fn disputes(list: &[Dispute], json: bool) -> String {
    let side = |s: &OthersVerdict| {
        let j = &s.judgement;
        json!({
            "who": s.who, "verdict": j.verdict, "reasons": j.reasons, "note": j.note, "ms": j.ms, "answer": j.answer,
            "at": history::stamp(s.at), "revealed": j.round.as_ref().is_some_and(|a| a.revealed),
            "guidelines": j.round.as_ref().and_then(|a| a.guidelines.as_ref()),
        })
    };
    let mut text = String::new();
    for dispute in list {
        if json {
            let verdicts: Vec<Value> = dispute.verdicts.iter().map(side).collect();
            let value = json!({
                "number": dispute.number, "item": dispute.item, "status": dispute.status, "verdicts": verdicts,
                "own": dispute.own, "settled": dispute.settled.is_some(),
                "adjudication": dispute.settled.as_ref().map(side),
            });
            text.push_str(&out::json_text(&value));
            continue;
        }
        let verdict = |s: &OthersVerdict| format!("{} {}", s.who, s.judgement.verdict.name());
        let verdicts: Vec<String> = dispute.verdicts.iter().map(verdict).collect();
        let settled = if dispute.settled.is_some() {
            "settled"
        } else {
            "open"
        };
        let own = if dispute.own {
            "\tincludes your own verdict"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "#{}\t{}\t{settled}\t{}{own}",
            dispute.number,
            clean::line(&dispute.item),
            verdicts.join(", ")
        );
    }
    text
}
