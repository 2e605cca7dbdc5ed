//! `benchtop log`: lists decisions, newest first.

use std::io::BufWriter;

use serde_json::{Value, json};

use crate::context::Context;
use crate::out::{done, json_line};
use benchtop_model::history::{Entry, HistoryPoint, LogQuery};
use benchtop_model::{Act, CommentAct, Result, clean, history};
use benchtop_protocol::wire::{LOG_PAGE_ENTRIES, LogPage, request};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop log -n 20\n  benchtop log --who ann --since 2026-01-31T12:00:00Z"
)]
pub struct Args {
    /// Show only decisions of this annotator
    // Named `of` because `who` is the global argument behind --as.
    #[arg(long = "who", value_name = "NAME")]
    of: Option<String>,
    /// Show only decisions on the item with this id
    #[arg(long, value_name = "ID")]
    item: Option<String>,
    /// Show only decisions in this round
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// Show only decisions after a revision, or a time such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    since: Option<HistoryPoint>,
    /// Show only decisions up to a revision or a time
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    until: Option<HistoryPoint>,
    /// Maximum number of decisions
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u64>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// Parses a moment from an argument.
pub fn moment(text: &str) -> std::result::Result<HistoryPoint, String> {
    HistoryPoint::parse(text).map_err(|problem| match problem.help {
        Some(help) => format!("{}: {help}", problem.what),
        None => problem.what,
    })
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    use std::io::Write;
    let client = context.client()?;
    let mut out = BufWriter::new(super::out::lines());
    let (mut shown, limit) = (0, args.limit.unwrap_or(u64::MAX));
    while shown < limit {
        let ask = LogQuery {
            who: args.of.clone(),
            item: args.item.clone(),
            round: args.round.clone(),
            since: args.since,
            until: args.until.unwrap_or_default(),
            skip: shown,
            count: u32::try_from(limit - shown)
                .unwrap_or(LOG_PAGE_ENTRIES)
                .min(LOG_PAGE_ENTRIES),
        };
        let LogPage { entries, more } = client.ask(request::Log(ask))?;
        shown += entries.len() as u64;
        for entry in &entries {
            match args.json {
                true => json_line(&mut out, &value(entry))?,
                false => done(writeln!(out, "{}", text(entry)))?,
            }
        }
        if !more {
            break;
        }
    }
    done(out.flush())?;
    Ok(0)
}

fn value(entry: &Entry) -> Value {
    let mut value = json!({
        "rev": entry.rev, "at": history::stamp(entry.at), "who": entry.who, "item": entry.item, "number": entry.number,
        "uuid": entry.uuid, "counts": entry.counts,
    });
    let more = match &entry.act {
        Act::Judge(j) => json!({
            "verdict": j.verdict, "reasons": j.reasons, "note": j.note, "ms": j.ms, "seen": j.seen, "pictures": j.pictures,
            "answer": j.answer,
            "round": j.round.as_ref().map(|a| &a.round), "part": j.round.as_ref().map(|a| a.part),
            "guidelines": j.round.as_ref().and_then(|a| a.guidelines.as_ref()),
            "revealed": j.round.as_ref().map(|a| a.revealed),
        }),
        Act::Undo(uuid) => json!({"undo": uuid}),
        Act::Redo(uuid) => json!({"redo": uuid}),
        Act::Comment(act) => comment(act),
    };
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    if let Act::Judge(j) = &entry.act {
        if !j.tags.is_empty() {
            value["tags"] = json!(j.tags);
        }
        if !j.marks.is_empty() {
            value["marks"] = json!(j.marks);
        }
    }
    value
}

/// An event of a comment as JSON, with the fields of its journal line.
fn comment(act: &CommentAct) -> Value {
    match act {
        CommentAct::Write {
            text,
            reply_to,
            marks,
        } => json!({"comment": "write", "text": text, "reply_to": reply_to, "marks": marks}),
        CommentAct::Import {
            text,
            reply_to,
            marks,
        } => {
            json!({"comment": "import", "text": text, "reply_to": reply_to, "marks": marks})
        }
        CommentAct::Edit { of, text, marks } => {
            json!({"comment": "edit", "of": of, "text": text, "marks": marks})
        }
        CommentAct::Label {
            model,
            answer,
            label,
        } => json!({"comment": "label", "model": model, "output": answer, "label": label}),
        other => json!({"comment": comment_word(other), "of": other.of()}),
    }
}

fn comment_word(act: &CommentAct) -> &'static str {
    match act {
        CommentAct::Write { reply_to: None, .. } => "comment",
        CommentAct::Write { .. } => "reply",
        CommentAct::Import { .. } => "import",
        CommentAct::Edit { .. } => "edit",
        CommentAct::Delete { .. } => "delete",
        CommentAct::Resolve { resolved: true, .. } => "resolve",
        CommentAct::Resolve { .. } => "reopen",
        CommentAct::Undo { .. } => "undo",
        CommentAct::Redo { .. } => "redo",
        CommentAct::Label { .. } => "label",
    }
}

fn text(entry: &Entry) -> String {
    let number = entry.number.map_or("-".into(), |n| format!("#{n}"));
    let what = match &entry.act {
        Act::Judge(j) => {
            let round = j
                .round
                .as_ref()
                .map(|a| format!(" [{} {}]", a.round, a.part.name()))
                .unwrap_or_default();
            let reasons = if j.reasons.is_empty() {
                String::new()
            } else {
                format!(" ({})", j.reasons.join(", "))
            };
            let tags = match j.tags.as_slice() {
                [] => String::new(),
                tags => format!(" [{}]", tags.join(", ")),
            };
            let note = j
                .note
                .as_ref()
                .map(|n| format!(": {n}"))
                .unwrap_or_default();
            let counts = if entry.counts {
                ""
            } else {
                " - does not count"
            };
            format!("{}{reasons}{tags}{note}{round}{counts}", j.verdict.name())
        }
        Act::Undo(_) => "undo".into(),
        Act::Redo(_) => "redo".into(),
        Act::Comment(act) => {
            let word = comment_word(act);
            let word = match act {
                CommentAct::Write { .. } => word.to_string(),
                CommentAct::Label { .. } => "label error".to_string(),
                _ => format!("{word} comment"),
            };
            match act {
                CommentAct::Write { text, .. }
                | CommentAct::Import { text, .. }
                | CommentAct::Edit { text, .. } => {
                    format!("{word}: {text}")
                }
                CommentAct::Label { model, label, .. } => {
                    let label = label.as_deref().unwrap_or("none");
                    format!("{word}: {model}: {label}")
                }
                _ => word,
            }
        }
    };
    let [who, item, what] = [&entry.who, &entry.item, &what].map(|part| clean::line(part));
    format!(
        "{}\t{}\t{who}\t{number}\t{item}\t{what}",
        entry.rev,
        history::stamp(entry.at)
    )
}
