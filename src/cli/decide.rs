//! `benchtop decide`: reads verdicts as JSON lines and prints a receipt for each once it is on
//! disk.
//!
//! Input: `{"item": ID or NUMBER, "verdict": "accept", "reasons": ["unsafe"], "note": "...",
//! "uuid": "..."}`. Reasons, `tags`, `marks`, note, and uuid are optional. A line that is sent twice with the same
//! uuid counts once, so if the owner dies, the lines without a receipt are sent again to the next
//! owner.
//!
//! Output, in the order of the input:
//! `{"saved":true,"line":1,"item":...,"verdict":...,"number":...,"status":...,
//! "rev":...,"uuid":...}` or `{"saved":false,"line":1,"item":...,"uuid":...,"error":{...}}`.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::out;
use crate::context::Context;
use crate::out::json_line;
use benchtop_files::project::Project;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{Error, ErrorKind, Judgement, Mark, Result, Seen, Verdict};
use benchtop_protocol::home::Home;
use benchtop_protocol::wire::{AnyReply, Decide, Receipt, Request, request};
use benchtop_protocol::{Client, Incoming, home};

/// Maximum number of verdicts in flight.
const WINDOW: usize = 256;
/// Maximum number of owners that a verdict is sent to.
const TRIES: u32 = 5;

#[derive(clap::Args)]
#[command(
    after_help = "Each input line needs `item` (id or number) and `verdict`: accept, reject, fix, skip, flag, unsure, or answer.\nOptional fields: reasons, tags, marks, note, uuid, round, adjudication, answer. Each line gets a receipt line in JSON.\n\nExamples:\n  echo '{\"item\": 12, \"verdict\": \"accept\"}' | benchtop decide\n  echo '{\"item\": \"demo/3\", \"verdict\": \"reject\", \"reasons\": [\"unsafe\"], \"note\": \"...\"}' | benchtop decide"
)]
pub struct Args {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    item: Value,
    verdict: String,
    #[serde(default)]
    reasons: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    marks: Vec<Mark>,
    note: Option<String>,
    uuid: Option<Uuid>,
    round: Option<String>,
    #[serde(default)]
    adjudication: bool,
    /// The answer, in a round that asks for answers.
    answer: Option<String>,
}

/// A line of the input that waits for its receipt.
struct Sent {
    line: u64,
    item: Value,
    verdict: Value,
    /// From the line, or new. The line can be sent again with it.
    uuid: Option<Uuid>,
    decide: Result<(Decide, Place)>,
}

/// The connection (counted from 0) and the request number of a verdict. `None` if it was not sent.
type Place = Option<(u64, u64)>;

/// The connection to the current owner. If the owner dies, a new connection is made to the next
/// one.
struct Connection {
    project: Project,
    who: String,
    /// Detects if another project takes the place of the folder.
    home: Home,
    answered: mpsc::Sender<(u64, Incoming)>,
    state: Mutex<State>,
}

struct State {
    client: Arc<Client>,
    /// The number of earlier connections.
    nth: u64,
    /// Set once no owner can be reached.
    failed: Option<Error>,
}

impl Connection {
    fn new(context: &Context, answered: mpsc::Sender<(u64, Incoming)>) -> Result<Connection> {
        let (project, who) = (context.project()?, context.who()?);
        let home = Home::of(project.root());
        let client = connect((&project, &home), &who, 0, &answered)?;
        Ok(Connection {
            project,
            who,
            home,
            answered,
            state: Mutex::new(State {
                client,
                nth: 0,
                failed: None,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current connection and its number.
    fn now(&self) -> (u64, Arc<Client>) {
        let state = self.state();
        (state.nth, state.client.clone())
    }

    /// Replaces the connection `lost`, unless another thread has already.
    fn reconnect(&self, lost: u64) -> Result<()> {
        let mut state = self.state();
        if state.nth > lost {
            return Ok(());
        }
        if let Some(problem) = &state.failed {
            return Err(problem.clone());
        }
        let mut tries = 1;
        // An owner may be stopped while it starts; then the next one is tried.
        let found = loop {
            match connect(
                (&self.project, &self.home),
                &self.who,
                lost + 1,
                &self.answered,
            ) {
                Err(problem) if problem.kind == ErrorKind::Unreachable && tries < TRIES => {
                    tries += 1
                }
                found => break found,
            }
        };
        match found {
            Ok(client) => (state.client, state.nth) = (client, lost + 1),
            Err(problem) => {
                let what = format!(
                    "the owner stopped before the verdict was saved, and no other owner could be started: {}",
                    problem.what
                );
                let problem = Error::new(ErrorKind::Unreachable, what)
                    .help("send the line again with the same uuid; it counts once");
                state.failed = Some(problem.clone());
                return Err(problem);
            }
        }
        Ok(())
    }

    /// Sends a request, to the next owner if the current one dies.
    fn ask<R: Request>(&self, ask: &R) -> Result<R::Reply> {
        self.retry(|client| client.ask(ask.clone()))
            .map(|(_, answer)| answer)
    }

    /// Calls `attempt` until the owner survives it. Returns the number of the connection as well.
    fn retry<T>(&self, mut attempt: impl FnMut(&Client) -> Result<T>) -> Result<(u64, T)> {
        let mut tries = 1;
        loop {
            let (nth, client) = self.now();
            match attempt(&client) {
                Ok(done) => return Ok((nth, done)),
                Err(problem) if problem.kind == ErrorKind::Unreachable && tries < TRIES => {
                    self.reconnect(nth)?
                }
                Err(problem) => return Err(problem),
            }
            tries += 1;
        }
    }
}

fn connect(
    (project, home): (&Project, &Home),
    who: &str,
    nth: u64,
    answered: &mpsc::Sender<(u64, Incoming)>,
) -> Result<Arc<Client>> {
    let answered = answered.clone();
    let hear = move |incoming| drop(answered.send((nth, incoming)));
    home::connect(project, home, who, hear).map(Arc::new)
}

/// The exit code is 1 if a line was refused.
pub fn run(context: &Context, _args: &Args) -> Result<u8> {
    let (answered, answers) = mpsc::channel();
    let connection = Connection::new(context, answered)?;
    let (sent, waiting) = mpsc::sync_channel(WINDOW);
    std::thread::scope(|scope| {
        let connection = &connection;
        let printing = scope.spawn(move || receipts(connection, waiting, answers));
        let reading = read(connection, &sent);
        drop(sent);
        let refused = printing
            .join()
            .map_err(|_| Error::new(ErrorKind::Io, "printing ended early"))??;
        reading?;
        Ok(u8::from(refused))
    })
}

fn read(connection: &Connection, sent: &mpsc::SyncSender<Sent>) -> Result<()> {
    for (at, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line
            .map_err(|e| Error::new(ErrorKind::Io, format!("cannot read standard input: {e}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let number = at as u64 + 1;
        let value: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let field = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        let decide = parse(connection, &line).map_err(|p| p.line(number));
        let uuid = decide.as_ref().ok().map(|d| d.uuid);
        let decide = decide.map(|decide| {
            let (nth, client) = connection.now();
            // If sending fails, `receipt` sends it again.
            let place = client
                .send(request::Decide(decide.clone()))
                .ok()
                .map(|number| (nth, number));
            (decide, place)
        });
        let one = Sent {
            line: number,
            item: field("item"),
            verdict: field("verdict"),
            uuid,
            decide,
        };
        if sent.send(one).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn parse(connection: &Connection, line: &str) -> Result<Decide> {
    let line: Line = serde_json::from_str(line).map_err(|e| {
        Error::input(format!("{e}")).help(
            "write {\"item\":ID,\"verdict\":\"accept\",\"reasons\":[],\"note\":\"\"} in each line",
        )
    })?;
    let verdict = Verdict::from_name(&line.verdict).ok_or_else(|| {
        let known = Verdict::ALL.map(Verdict::name).join(", ");
        Error::input(format!("unknown verdict `{}`", line.verdict))
            .field("verdict")
            .help(format!("one of: {known}"))
    })?;
    let none = || Error::not_found(format!("no item {}", line.item)).field("item");
    let number = match &line.item {
        Value::Number(n) => n
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(none)?,
        Value::String(id) => connection
            .ask(&request::NumberOf(id.clone()))?
            .ok_or_else(none)?,
        _ => return Err(Error::input("expected the id or the number of an item").field("item")),
    };
    if line.adjudication && line.round.is_none() {
        return Err(Error::input("an adjudication needs a round").field("round"));
    }
    let part = if line.adjudication {
        Part::Adjudication
    } else {
        Part::Main
    };
    // The owner fills in the other parts and the version of the guidelines.
    let asked = line.round.map(|round| RoundContext {
        round,
        part,
        guidelines: None,
        revealed: false,
    });
    let judgement = Judgement {
        reasons: line.reasons,
        tags: line.tags,
        marks: line.marks,
        note: line.note,
        answer: line.answer,
        round: asked,
        ..Judgement::new(verdict, Seen::Script)
    };
    let uuid = line.uuid.unwrap_or_else(Uuid::now_v7);
    Ok(Decide {
        uuid,
        number,
        expected: None,
        judgement,
    })
}

/// The replies of the owners.
struct Answers {
    incoming: mpsc::Receiver<(u64, Incoming)>,
    /// Replies that arrived before their turn.
    early: HashMap<(u64, u64), Result<AnyReply>>,
    /// The number of lost connections.
    lost: u64,
}

impl Answers {
    /// The reply to the request at `place`. `None` if its connection was lost.
    fn wait(&mut self, place: (u64, u64)) -> Option<Result<AnyReply>> {
        loop {
            if let Some(answer) = self.early.remove(&place) {
                return Some(answer);
            }
            if place.0 < self.lost {
                return None;
            }
            match self.incoming.recv().ok()? {
                (nth, Incoming::Answer(number, answer)) => {
                    drop(self.early.insert((nth, number), answer))
                }
                (nth, Incoming::Lost) => self.lost = self.lost.max(nth + 1),
                _ => {}
            }
        }
    }
}

/// Waits for the receipt of a verdict. If the owner dies, the verdict is sent to the next one with
/// the same uuid.
fn receipt(
    connection: &Connection,
    answers: &mut Answers,
    decide: &Decide,
    mut place: Place,
) -> Result<Receipt> {
    for _ in 0..TRIES {
        let sent = match place {
            Some(sent) => sent,
            None => connection.retry(|client| client.send(request::Decide(decide.clone())))?,
        };
        match answers.wait(sent) {
            Some(Err(problem)) if problem.kind == ErrorKind::Unreachable => {}
            Some(answer) => return answer.and_then(request::Decide::reply),
            None => {}
        }
        connection.reconnect(sent.0)?;
        place = None;
    }
    let what = format!("{TRIES} owners stopped before the verdict was saved");
    Err(Error::new(ErrorKind::Unreachable, what)
        .help("send the line again with the same uuid; it counts once"))
}

/// Prints the receipts in the order of the input. Returns true if a line was refused.
fn receipts(
    connection: &Connection,
    waiting: mpsc::Receiver<Sent>,
    incoming: mpsc::Receiver<(u64, Incoming)>,
) -> Result<bool> {
    let mut answers = Answers {
        incoming,
        early: HashMap::new(),
        lost: 0,
    };
    let mut refused = false;
    for sent in waiting {
        let answer = sent
            .decide
            .and_then(|(decide, place)| receipt(connection, &mut answers, &decide, place));
        let line = match answer {
            Ok(r) => json!({
                "saved": true, "line": sent.line, "item": sent.item, "verdict": sent.verdict, "number": r.number,
                "status": r.status, "rev": r.rev, "uuid": r.uuid,
            }),
            Err(problem) => {
                refused = true;
                json!({"saved": false, "line": sent.line, "item": sent.item, "uuid": sent.uuid, "error": problem})
            }
        };
        json_line(&mut out::lines(), &line)?;
    }
    Ok(refused)
}
