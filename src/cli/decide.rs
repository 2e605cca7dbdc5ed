//! `benchtop decide`: verdicts from JSON lines, a receipt line for each once it is on disk.
//!
//! In: `{"item": ID or NUMBER, "verdict": "accept", "reasons": ["unsafe"], "note": "...", "uuid": "..."}`; reasons, note
//! and uuid may be left out. A line sent again with its uuid counts once.
//! Out, in the order of the input: `{"saved":true,"line":1,"item":...,"verdict":...,"number":...,"status":...,"rev":...,
//! "uuid":...}` or `{"saved":false,"line":1,"item":...,"uuid":...,"error":{...}}`.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::mpsc;

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Context, json_line, out};
use crate::model::verdict::{Asked, Part};
use crate::model::{Judgement, Kind, Problem, Result, Seen, Verdict};
use crate::owner::wire::{Answer, Ask, Decide};
use crate::owner::{Client, Incoming};

/// Verdicts under way at once.
const WINDOW: usize = 256;

/// Arguments of `decide`.
#[derive(clap::Args)]
pub struct Args {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    item: Value,
    verdict: String,
    #[serde(default)]
    reasons: Vec<String>,
    note: Option<String>,
    uuid: Option<Uuid>,
    /// The round that the verdict is for.
    round: Option<String>,
    /// It settles what others disagree on.
    #[serde(default)]
    adjudication: bool,
    /// What was answered, in a round that asks for it.
    answer: Option<String>,
}

/// A line that was sent, or why it was not.
struct Sent {
    line: u64,
    item: Value,
    verdict: Value,
    /// Its receipt, also when it was made here: what got no answer can be sent again with it.
    uuid: Option<Uuid>,
    number: std::result::Result<u64, Problem>,
}

/// Runs it; exit code 1 when a line was refused.
///
/// # Errors
/// When the owner cannot be reached or standard input cannot be read.
pub fn run(context: &Context, _args: &Args) -> Result<u8> {
    let (answered, answers) = mpsc::channel();
    let client = Client::connect(&context.project()?, &context.who()?, move |incoming| {
        let _ = answered.send(incoming);
    })?;
    let (sent, waiting) = mpsc::sync_channel(WINDOW);
    std::thread::scope(|scope| {
        let printing = scope.spawn(move || receipts(waiting, &answers));
        let reading = read(&client, &sent);
        drop(sent);
        let refused = printing.join().map_err(|_| Problem::new(Kind::Io, "printing ended early"))??;
        reading?;
        Ok(u8::from(refused))
    })
}

fn read(client: &Client, sent: &mpsc::SyncSender<Sent>) -> Result<()> {
    for (at, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|e| Problem::new(Kind::Io, format!("standard input cannot be read: {e}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let number = at as u64 + 1;
        let value: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let field = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        let decide = ask(client, &line).map_err(|p| p.line(number));
        let uuid = decide.as_ref().ok().map(|d| d.uuid);
        let asked = decide.and_then(|decide| client.send(Ask::Decide(decide)));
        let one = Sent { line: number, item: field("item"), verdict: field("verdict"), uuid, number: asked };
        if sent.send(one).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn ask(client: &Client, line: &str) -> Result<Decide> {
    let line: Line = serde_json::from_str(line).map_err(|e| {
        Problem::input(format!("{e}"))
            .help("a line is {\"item\":ID,\"verdict\":\"accept\",\"reasons\":[],\"note\":\"\"}")
    })?;
    let verdict = Verdict::from_name(&line.verdict).ok_or_else(|| {
        let known = Verdict::ALL.map(Verdict::name).join(", ");
        Problem::input(format!("`{}` is not a verdict", line.verdict)).field("verdict").help(format!("one of: {known}"))
    })?;
    let none = || Problem::new(Kind::NotFound, format!("there is no item {}", line.item)).field("item");
    let number = match &line.item {
        Value::Number(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(none)?,
        Value::String(id) => match client.ask(Ask::NumberOf(id.clone()))? {
            Answer::Number(Some(number)) => number,
            _ => return Err(none()),
        },
        _ => return Err(Problem::input("must be an item's id or its number").field("item")),
    };
    if line.adjudication && line.round.is_none() {
        return Err(Problem::input("an adjudication belongs to a round").field("round"));
    }
    let part = if line.adjudication { Part::Adjudication } else { Part::Main };
    // Which part else it is, and the version of the guidelines, the owner knows.
    let asked = line.round.map(|round| Asked { round, part, guidelines: None, revealed: false });
    let said = Judgement::new(verdict, Seen::Script);
    let judgement = Judgement { reasons: line.reasons, note: line.note, answer: line.answer, asked, ..said };
    let uuid = line.uuid.unwrap_or_else(Uuid::now_v7);
    Ok(Decide { uuid, number, expected: None, judgement })
}

/// Prints receipts in the order of the input; gives whether any line was refused.
fn receipts(waiting: mpsc::Receiver<Sent>, answers: &mpsc::Receiver<Incoming>) -> Result<bool> {
    let mut early: HashMap<u64, Result<Answer>> = HashMap::new();
    let mut refused = false;
    for sent in waiting {
        let answer = match sent.number {
            Ok(number) => wait(number, &mut early, answers),
            Err(problem) => Err(problem),
        };
        let line = match answer {
            Ok(Answer::Receipt(r)) => json!({
                "saved": true, "line": sent.line, "item": sent.item, "verdict": sent.verdict, "number": r.number,
                "status": r.status, "rev": r.rev, "uuid": r.uuid,
            }),
            Ok(_) => return Err(Problem::new(Kind::Unreachable, "the owner gave another answer than was asked for")),
            Err(problem) => {
                refused = true;
                json!({"saved": false, "line": sent.line, "item": sent.item, "uuid": sent.uuid, "error": problem})
            }
        };
        json_line(&mut out::lines(), &line)?;
    }
    Ok(refused)
}

fn wait(number: u64, early: &mut HashMap<u64, Result<Answer>>, answers: &mpsc::Receiver<Incoming>) -> Result<Answer> {
    loop {
        if let Some(answer) = early.remove(&number) {
            return answer;
        }
        match answers.recv() {
            Ok(Incoming::Answer(number, answer)) => drop(early.insert(number, answer)),
            Ok(Incoming::Lost) | Err(_) => {
                return Err(Problem::new(Kind::Unreachable, "the owner went away before it was saved")
                    .help("send the line again with its uuid: it counts once"));
            }
            Ok(_) => {}
        }
    }
}
