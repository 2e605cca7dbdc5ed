//! The JSON form of a journal line.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::checksummed_line;
use benchtop_model::history::stamp;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{Act, Decision, Error, Judgement, PictureSeen, Result, Seen, Verdict};

/// The JSON form of a decision. Exactly one of `verdict`, `undo`, and `redo` is set.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    v: u8,
    uuid: Uuid,
    rev: u64,
    at: String,
    who: String,
    item: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<Seen>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<PictureSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guidelines: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    revealed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<Uuid>,
}

/// Format version of a line outside of rounds.
const VERSION: u8 = 1;
/// Format version of a line in a round. A program that does not know rounds must not count it as an
/// ordinary verdict.
const IN_ROUND: u8 = 2;

fn row(decision: &Decision) -> Row {
    let mut row = Row {
        v: VERSION,
        uuid: decision.uuid,
        rev: decision.rev,
        at: stamp(decision.at),
        who: decision.who.clone(),
        item: decision.item.clone(),
        on: decision.on.clone(),
        verdict: None,
        reasons: Vec::new(),
        note: None,
        ms: None,
        seen: None,
        pictures: Vec::new(),
        answer: None,
        round: None,
        part: None,
        guidelines: None,
        revealed: false,
        undo: None,
        redo: None,
    };
    match &decision.act {
        Act::Judge(j) => {
            row.verdict = Some(j.verdict);
            row.reasons.clone_from(&j.reasons);
            row.note.clone_from(&j.note);
            row.ms = j.ms;
            row.seen = Some(j.seen);
            row.pictures.clone_from(&j.pictures);
            row.answer.clone_from(&j.answer);
            if let Some(asked) = &j.round {
                row.v = IN_ROUND;
                row.round = Some(asked.round.clone());
                row.part = Some(asked.part);
                row.guidelines.clone_from(&asked.guidelines);
                row.revealed = asked.revealed;
            }
        }
        Act::Undo(uuid) => row.undo = Some(*uuid),
        Act::Redo(uuid) => row.redo = Some(*uuid),
    }
    row
}

pub(super) fn decision(row: Row) -> Result<Decision> {
    let corrupt = |what: String| Error::corrupt(what);
    if !(VERSION..=IN_ROUND).contains(&row.v) {
        return Err(corrupt(format!(
            "unsupported line version {}; a newer benchtop wrote this line",
            row.v
        )));
    }
    let at: jiff::Timestamp = row
        .at
        .parse()
        .map_err(|_| corrupt(format!("`{}` is not an RFC 3339 time", row.at)))?;
    let act = match (row.verdict, row.undo, row.redo) {
        (Some(verdict), None, None) => Act::Judge(Judgement {
            verdict,
            reasons: row.reasons,
            note: row.note,
            ms: row.ms,
            seen: row.seen.unwrap_or(Seen::Unconfirmed),
            pictures: row.pictures,
            answer: row.answer,
            round: row.round.map(|round| RoundContext {
                round,
                part: row.part.unwrap_or_default(),
                guidelines: row.guidelines,
                revealed: row.revealed,
            }),
        }),
        (None, Some(uuid), None) => Act::Undo(uuid),
        (None, None, Some(uuid)) => Act::Redo(uuid),
        _ => {
            return Err(corrupt(
                "exactly one of `verdict`, `undo`, and `redo` must be set".into(),
            ));
        }
    };
    let at = at.as_millisecond();
    Ok(Decision {
        uuid: row.uuid,
        rev: row.rev,
        at,
        who: row.who,
        item: row.item,
        on: row.on,
        act,
    })
}

/// Appends the journal line of `decision` to `out`, with its newline.
pub fn encode(decision: &Decision, out: &mut Vec<u8>) -> Result<()> {
    checksummed_line::encode(&row(decision), out)
}

/// Parses a journal line.
///
/// # Errors
/// [`Error::corrupt`] for a missing or wrong checksum, and for a line that is not a decision.
pub fn decode(bytes: &[u8]) -> Result<Decision> {
    decision(checksummed_line::decode::<Row>(bytes)?)
}

/// The journal line of `decision`. Equal lines mean equal decisions.
pub fn text(decision: &Decision) -> Vec<u8> {
    let mut line = Vec::new();
    // Plain data always serializes.
    let _ = encode(decision, &mut line);
    line
}
