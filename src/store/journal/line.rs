//! The JSON form of a journal line.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::checksummed_line;
use benchtop_model::history::stamp;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{
    Act, CommentAct, Decision, Error, Judgement, Mark, PictureSeen, Result, Seen, Verdict,
};

/// The JSON form of a decision. Exactly one of `verdict`, `undo`, `redo`, and `comment` is set.
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Mark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// What a line does to the thread of its item. All kinds but `write`, `import`, and `label` name an
/// earlier line in `of`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Write,
    /// A comment that came in a file.
    Import,
    Edit,
    Delete,
    Resolve,
    Reopen,
    Undo,
    Redo,
    /// The label of the error in a model's answer; without a label, it is removed.
    Label,
}

/// Format version of a line outside of rounds.
const VERSION: u8 = 1;
/// Format version of a line in a round. A program that does not know rounds must not count it as an
/// ordinary verdict.
const IN_ROUND: u8 = 2;
/// Format version of a line about a comment. A program that does not know comments reports the line
/// and does not count it.
const COMMENT: u8 = 3;
/// Format version of a line about the label of an error. A program that does not know them reports
/// the line and does not count it.
const LABEL: u8 = 4;

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
        tags: Vec::new(),
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
        comment: None,
        of: None,
        reply_to: None,
        text: None,
        marks: Vec::new(),
        model: None,
        output: None,
        label: None,
    };
    match &decision.act {
        Act::Judge(j) => {
            row.verdict = Some(j.verdict);
            row.reasons.clone_from(&j.reasons);
            row.tags.clone_from(&j.tags);
            row.marks.clone_from(&j.marks);
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
        Act::Comment(act) => {
            row.v = COMMENT;
            row.of = act.of();
            row.marks = act.marks().to_vec();
            row.comment = Some(match act {
                CommentAct::Write { text, reply_to, .. } => {
                    (row.text, row.reply_to) = (Some(text.clone()), *reply_to);
                    Kind::Write
                }
                CommentAct::Import { text, reply_to, .. } => {
                    (row.text, row.reply_to) = (Some(text.clone()), *reply_to);
                    Kind::Import
                }
                CommentAct::Edit { text, .. } => {
                    row.text = Some(text.clone());
                    Kind::Edit
                }
                CommentAct::Delete { .. } => Kind::Delete,
                CommentAct::Resolve { resolved: true, .. } => Kind::Resolve,
                CommentAct::Resolve { .. } => Kind::Reopen,
                CommentAct::Undo { .. } => Kind::Undo,
                CommentAct::Redo { .. } => Kind::Redo,
                CommentAct::Label {
                    model,
                    answer,
                    label,
                } => {
                    row.v = LABEL;
                    (row.model, row.output) = (Some(model.clone()), Some(answer.clone()));
                    row.label.clone_from(label);
                    Kind::Label
                }
            });
        }
    }
    row
}

/// The event in a line about a comment.
fn comment(kind: Kind, row: Row) -> Result<CommentAct> {
    let (text, marks) = (row.text.unwrap_or_default(), row.marks);
    let of = || {
        row.of
            .ok_or_else(|| Error::corrupt("`of` must name a comment"))
    };
    Ok(match kind {
        Kind::Write => CommentAct::Write {
            text,
            reply_to: row.reply_to,
            marks,
        },
        Kind::Import => CommentAct::Import {
            text,
            reply_to: row.reply_to,
            marks,
        },
        Kind::Edit => CommentAct::Edit {
            of: of()?,
            text,
            marks,
        },
        Kind::Delete => CommentAct::Delete { of: of()? },
        Kind::Resolve | Kind::Reopen => CommentAct::Resolve {
            of: of()?,
            resolved: matches!(kind, Kind::Resolve),
        },
        Kind::Undo => CommentAct::Undo { of: of()? },
        Kind::Redo => CommentAct::Redo { of: of()? },
        Kind::Label => {
            let missing = |name: &str| Error::corrupt(format!("a label needs `{name}`"));
            CommentAct::Label {
                model: row.model.ok_or_else(|| missing("model"))?,
                answer: row.output.ok_or_else(|| missing("output"))?,
                label: row.label,
            }
        }
    })
}

pub(super) fn decision(row: Row) -> Result<Decision> {
    let corrupt = |what: String| Error::corrupt(what);
    if !(VERSION..=LABEL).contains(&row.v) {
        return Err(corrupt(format!(
            "unsupported line version {}; a newer benchtop wrote this line",
            row.v
        )));
    }
    let at: jiff::Timestamp = row
        .at
        .parse()
        .map_err(|_| corrupt(format!("`{}` is not an RFC 3339 time", row.at)))?;
    let Row {
        uuid,
        rev,
        ref who,
        ref item,
        ref on,
        ..
    } = row;
    let (who, item, on) = (who.clone(), item.clone(), on.clone());
    let act = match (row.verdict, row.undo, row.redo, row.comment) {
        (Some(verdict), None, None, None) => Act::Judge(Judgement {
            verdict,
            reasons: row.reasons,
            tags: row.tags,
            marks: row.marks,
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
        (None, Some(uuid), None, None) => Act::Undo(uuid),
        (None, None, Some(uuid), None) => Act::Redo(uuid),
        (None, None, None, Some(kind)) => Act::Comment(comment(kind, row)?),
        _ => {
            return Err(corrupt(
                "exactly one of `verdict`, `undo`, `redo`, and `comment` must be set".into(),
            ));
        }
    };
    let at = at.as_millisecond();
    Ok(Decision {
        uuid,
        rev,
        at,
        who,
        item,
        on,
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
