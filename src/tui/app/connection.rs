//! The connection to the owner: pending requests, and reconnecting when the owner is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use uuid::Uuid;

use super::bulk_step::Retirement;
use super::message::{Connected, Message};
use crate::pane::context::Receiver;
use crate::pane::{Opens, PaneId};
use benchtop_files::project::Project;
use benchtop_model::Result;
use benchtop_model::sorting::sort_by_key;
use benchtop_protocol::home::Home;
use benchtop_protocol::wire::{AnyRequest, request};
use benchtop_protocol::{Client, Incoming, home};

/// The purpose of a pending request.
#[derive(Clone, Debug)]
pub enum Pending {
    /// A pane receives the reply.
    Pane(Receiver),
    /// The receipt of an undo or a redo.
    TakeBack {
        redo: bool,
        uuid: Uuid,
    },
    /// The metadata files.
    Metadata,
    /// Retirement of terms.
    Retire(Box<Retirement>),
    /// Undo of a retirement.
    Unretire(Box<Retirement>),
    /// Undo of one verdict on many items.
    Unbulk,
    Status,
    /// The answer is ignored.
    Nothing,
}

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Up,
    /// A connection attempt is under way.
    Connecting,
    /// The owner was stopped on purpose. The next key starts it again.
    Stopped,
}

/// The connection to the owner. See the module documentation.
pub struct Connection {
    project: Project,
    home: Arc<Home>,
    who: String,
    messages: Sender<Message>,
    client: Option<Arc<Client>>,
    generation: u64,
    waiting: HashMap<u64, Pending>,
    /// Undo and redo requests that a lost owner did not answer. They are sent again; the receipt
    /// makes that safe.
    again: Vec<(bool, Uuid)>,
    state: State,
}

impl Connection {
    /// Creates an unconnected link.
    pub fn new(project: Project, who: String, messages: Sender<Message>) -> Connection {
        Connection {
            home: Arc::new(Home::of(project.root())),
            project,
            who,
            messages,
            client: None,
            generation: 0,
            waiting: HashMap::new(),
            again: Vec::new(),
            state: State::Connecting,
        }
    }

    /// The annotator's name.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// The state of the connection.
    pub fn state(&self) -> State {
        self.state
    }

    /// Connects and waits, at the start, when there is nothing to draw yet.
    ///
    /// # Errors
    ///
    /// If the owner cannot open the project.
    pub fn connect(&mut self) -> Result<Arc<Client>> {
        self.generation += 1;
        let client = Arc::new(dial(
            &self.project,
            &self.home,
            &self.who,
            self.generation,
            &self.messages,
        )?);
        self.client = Some(client.clone());
        self.state = State::Up;
        Ok(client)
    }

    /// Connects in the background. [`Message::Linked`] reports the result.
    pub fn reconnect(&mut self, after: std::time::Duration) {
        self.generation += 1;
        self.client = None;
        self.drop_waiting();
        self.state = State::Connecting;
        let (project, home, who) = (self.project.clone(), self.home.clone(), self.who.clone());
        let generation = self.generation;
        let messages = self.messages.clone();
        std::thread::spawn(move || {
            std::thread::sleep(after);
            let linked =
                dial(&project, &home, &who, generation, &messages).map(|c| Connected(Arc::new(c)));
            let _ = messages.send(Message::Linked(generation, linked));
        });
    }

    /// Accepts a new connection. False if it belongs to an older attempt.
    pub fn linked(&mut self, generation: u64, connected: Connected) -> bool {
        if generation != self.generation {
            return false;
        }
        self.client = Some(connected.0);
        self.state = State::Up;
        true
    }

    /// Whether this generation is the current connection.
    pub fn is_current(&self, generation: u64) -> bool {
        generation == self.generation
    }

    /// The owner was stopped on purpose: wait for a key before starting it again.
    pub fn stopped(&mut self) {
        self.generation += 1;
        self.client = None;
        self.drop_waiting();
        self.state = State::Stopped;
    }

    /// Sends a request. Without a connection it is dropped: everything on screen is requested again
    /// later, and panes keep verdicts until they are acknowledged.
    pub fn ask(&mut self, want: Pending, ask: impl Into<AnyRequest>) {
        let Some(client) = &self.client else { return };
        // A failed send is followed by a message that the connection is lost.
        match client.send(ask) {
            Ok(number) => drop(self.waiting.insert(number, want)),
            Err(_) => self.keep(want),
        }
    }

    fn keep(&mut self, want: Pending) {
        if let Pending::TakeBack { redo, uuid } = want {
            self.again.push((redo, uuid));
        }
    }

    /// Drops pending requests when the connection is lost. Undo and redo are kept for the next
    /// owner; the rest is requested again anyway.
    fn drop_waiting(&mut self) {
        let mut waiting: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        sort_by_key(&mut waiting, |(number, _)| *number);
        waiting.into_iter().for_each(|(_, want)| self.keep(want));
    }

    /// Sends the undo and redo requests that the previous owner did not answer.
    pub fn ask_again(&mut self) {
        for (redo, uuid) in std::mem::take(&mut self.again) {
            let want = Pending::TakeBack { redo, uuid };
            if redo {
                self.ask(want, request::Redo(uuid))
            } else {
                self.ask(want, request::Undo(uuid))
            }
        }
    }

    /// Whether a reply is pending that has to come before the program quits.
    pub fn holds_quit(&self) -> bool {
        self.waiting
            .values()
            .any(|want| matches!(want, Pending::Pane(of) if of.handling.before_quit))
    }

    /// What the pending requests will open.
    pub fn opens(&self) -> Option<Opens> {
        self.waiting.values().find_map(Pending::opens)
    }

    /// Cancels pending requests: ignores their answers, and tells the owner to stop working on
    /// them.
    pub fn cancel(&mut self, is: impl Fn(&Pending) -> bool) {
        let client = self.client.clone();
        self.waiting.retain(|number, want| {
            let given_up = is(want);
            if let Some(client) = client.as_ref().filter(|_| given_up) {
                // As with requests, a lost connection is reported separately.
                let _ = client.cancel(*number);
            }
            !given_up
        });
    }

    /// The pane that waits for request `number`, and its name, if it has one.
    pub fn named(&self, number: u64) -> Option<(PaneId, &'static str)> {
        match self.waiting.get(&number)? {
            Pending::Pane(of) => Some((of.pane, of.handling.name?)),
            _ => None,
        }
    }

    /// The purpose of request `number`. Kept while more parts follow.
    pub fn wanted(&mut self, number: u64, more: bool) -> Option<Pending> {
        if more {
            self.waiting.get(&number).cloned()
        } else {
            self.waiting.remove(&number)
        }
    }
}

fn dial(
    project: &Project,
    home: &Home,
    who: &str,
    generation: u64,
    messages: &Sender<Message>,
) -> Result<Client> {
    let messages = messages.clone();
    home::connect(project, home, who, move |incoming: Incoming| {
        let _ = messages.send(Message::Owner(generation, incoming));
    })
}
