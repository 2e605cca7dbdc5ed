//! `benchtop decide`: verdicts from JSON lines, a receipt line for each once it is on disk.
//!
//! In: `{"item": ID or NUMBER, "verdict": "accept", "reasons": ["unsafe"], "note": "...", "uuid": "..."}`; reasons, note
//! and uuid may be left out. A line sent again with its uuid counts once. Where the owner dies, the lines without a receipt are
//! sent to the next one so.
//! Out, in the order of the input: `{"saved":true,"line":1,"item":...,"verdict":...,"number":...,"status":...,"rev":...,
//! "uuid":...}` or `{"saved":false,"line":1,"item":...,"uuid":...,"error":{...}}`.

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
use benchtop_model::verdict::{Asked, Part};
use benchtop_model::{Error, ErrorKind, Judgement, Result, Seen, Verdict};
use benchtop_protocol::home::Home;
use benchtop_protocol::wire::{AnyReply, Decide, Receipt, Request, request};
use benchtop_protocol::{Client, Incoming, home};

/// Verdicts under way at once.
const WINDOW: usize = 256;
/// Owners that a verdict is sent to before it is given up.
const TRIES: u32 = 5;

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
    decide: Result<(Decide, Place)>,
}

/// Over which connection, counted from 0, and under which number a verdict was sent; none where it could not be.
type Place = Option<(u64, u64)>;

/// The owner there is now. One that dies is followed by the next.
struct Connection {
    project: Project,
    who: String,
    /// The project's folder, which another one may take the place of.
    home: Home,
    answered: mpsc::Sender<(u64, Incoming)>,
    state: Mutex<State>,
}

struct State {
    client: Arc<Client>,
    /// How many there were before.
    nth: u64,
    /// Why there is no next one.
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

    /// The connection, and how many there were before.
    fn now(&self) -> (u64, Arc<Client>) {
        let state = self.state();
        (state.nth, state.client.clone())
    }

    /// The `lost`th connection is gone: connects to the next owner, unless somebody has.
    fn again(&self, lost: u64) -> Result<()> {
        let mut state = self.state();
        if state.nth > lost {
            return Ok(());
        }
        if let Some(problem) = &state.failed {
            return Err(problem.clone());
        }
        let mut tries = 1;
        // One that is ended while it starts is followed by another, too.
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
                    "the owner went away before it was saved, and there is no other: {}",
                    problem.what
                );
                let problem = Error::new(ErrorKind::Unreachable, what)
                    .help("send the line again with its uuid: it counts once");
                state.failed = Some(problem.clone());
                return Err(problem);
            }
        }
        Ok(())
    }

    /// The answer of whichever owner answers.
    fn ask<R: Request>(&self, ask: &R) -> Result<R::Reply> {
        self.tried(|client| client.ask(ask.clone()))
            .map(|(_, answer)| answer)
    }

    /// Tries something with owners until one does not go away over it; over which connection that was.
    fn tried<T>(&self, mut of: impl FnMut(&Client) -> Result<T>) -> Result<(u64, T)> {
        let mut tries = 1;
        loop {
            let (nth, client) = self.now();
            match of(&client) {
                Ok(done) => return Ok((nth, done)),
                Err(problem) if problem.kind == ErrorKind::Unreachable && tries < TRIES => {
                    self.again(nth)?
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

/// Runs it; exit code 1 when a line was refused.
///
/// # Errors
/// When the owner cannot be reached or standard input cannot be read.
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
        let line = line.map_err(|e| {
            Error::new(ErrorKind::Io, format!("standard input cannot be read: {e}"))
        })?;
        if line.trim().is_empty() {
            continue;
        }
        let number = at as u64 + 1;
        let value: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let field = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        let decide = ask(connection, &line).map_err(|p| p.line(number));
        let uuid = decide.as_ref().ok().map(|d| d.uuid);
        let decide = decide.map(|decide| {
            let (nth, client) = connection.now();
            // What cannot be sent is sent again once its turn comes.
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

fn ask(connection: &Connection, line: &str) -> Result<Decide> {
    let line: Line = serde_json::from_str(line).map_err(|e| {
        Error::input(format!("{e}"))
            .help("a line is {\"item\":ID,\"verdict\":\"accept\",\"reasons\":[],\"note\":\"\"}")
    })?;
    let verdict = Verdict::from_name(&line.verdict).ok_or_else(|| {
        let known = Verdict::ALL.map(Verdict::name).join(", ");
        Error::input(format!("`{}` is not a verdict", line.verdict))
            .field("verdict")
            .help(format!("one of: {known}"))
    })?;
    let none = || {
        Error::new(
            ErrorKind::NotFound,
            format!("there is no item {}", line.item),
        )
        .field("item")
    };
    let number = match &line.item {
        Value::Number(n) => n
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(none)?,
        Value::String(id) => connection
            .ask(&request::NumberOf(id.clone()))?
            .ok_or_else(none)?,
        _ => return Err(Error::input("must be an item's id or its number").field("item")),
    };
    if line.adjudication && line.round.is_none() {
        return Err(Error::input("an adjudication belongs to a round").field("round"));
    }
    let part = if line.adjudication {
        Part::Adjudication
    } else {
        Part::Main
    };
    // Which part else it is, and the version of the guidelines, the owner knows.
    let asked = line.round.map(|round| Asked {
        round,
        part,
        guidelines: None,
        revealed: false,
    });
    let said = Judgement::new(verdict, Seen::Script);
    let judgement = Judgement {
        reasons: line.reasons,
        note: line.note,
        answer: line.answer,
        asked,
        ..said
    };
    let uuid = line.uuid.unwrap_or_else(Uuid::now_v7);
    Ok(Decide {
        uuid,
        number,
        expected: None,
        judgement,
    })
}

/// What came back.
struct Answers {
    incoming: mpsc::Receiver<(u64, Incoming)>,
    /// Answers whose turn has not come.
    early: HashMap<(u64, u64), Result<AnyReply>>,
    /// So many connections are gone.
    lost: u64,
}

impl Answers {
    /// The answer to what was sent there; none where that connection is gone.
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

/// The receipt of a verdict; where the owner died over it, it is sent to the next one with the same uuid.
fn receipt(
    connection: &Connection,
    answers: &mut Answers,
    decide: &Decide,
    mut place: Place,
) -> Result<Receipt> {
    for _ in 0..TRIES {
        let sent = match place {
            Some(sent) => sent,
            None => connection.tried(|client| client.send(request::Decide(decide.clone())))?,
        };
        match answers.wait(sent) {
            Some(Err(problem)) if problem.kind == ErrorKind::Unreachable => {}
            Some(answer) => return answer.and_then(request::Decide::reply),
            None => {}
        }
        connection.again(sent.0)?;
        place = None;
    }
    let what = format!("{TRIES} owners went away before it was saved");
    Err(Error::new(ErrorKind::Unreachable, what)
        .help("send the line again with its uuid: it counts once"))
}

/// Prints receipts in the order of the input; gives whether any line was refused.
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
