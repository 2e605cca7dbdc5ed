//! The program's connection to the owner: what was asked and for whom, and finding a new owner when one is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use uuid::Uuid;

use super::message::{Connected, Message};
use super::retire::Retirement;
use crate::panes::review::Draft;
use crate::panes::{
    adjudicate, agreement, board, coverage, filters, generate, list, metadata, rounds,
};
use benchtop_files::project::Project;
use benchtop_model::recompose::Rename;
use benchtop_model::scoring::bench::FlagOrder;
use benchtop_model::{Filter, Result, Verdict};
use benchtop_protocol::home::Home;
use benchtop_protocol::wire::{AnyRequest, Bulk, request};
use benchtop_protocol::{Client, Incoming, home};

/// What an answer is for.
#[derive(Clone, Debug)]
pub enum Pending {
    /// The list pane asked.
    List(list::Want),
    /// An item to review.
    Item(u32),
    /// The receipt of a verdict.
    Decide(Uuid),
    /// The receipt of an undo or redo.
    TakeBack {
        /// Redo, not undo.
        redo: bool,
        /// Its receipt.
        uuid: Uuid,
    },
    /// The review queue: these words, then this item.
    Queue(String, Option<u32>),
    /// The next item nobody has judged.
    NextPending,
    /// The same within a queue.
    FirstPending,
    /// The number of an item seen on the leaderboard.
    NumberOf,
    /// The leaderboard asked.
    Board(Box<board::Want>),
    /// A metadata pane asked.
    Metadata(metadata::Want),
    /// The coverage view asked.
    Coverage(coverage::Want),
    /// The generate pane asked.
    Generate(generate::Want),
    /// The filter bench asked.
    Filters(filters::Want),
    /// The agreement pane asked.
    Agreement(agreement::Want),
    /// The adjudication pane asked.
    Adjudicate(adjudicate::Want),
    /// The rounds pane asked.
    Rounds(rounds::Want),
    /// The rounds, to take up the one of this name.
    Resume(String),
    /// What to judge next in this round: which question for it.
    Turn(String, u64),
    /// What the item of practice is that was judged so in this round.
    Feedback(String, Verdict),
    /// The guidelines of the round that is worked on.
    Guidelines(String),
    /// That what was in hand is given back.
    Released,
    /// Why this item is flagged or not.
    Explain(u32),
    /// The review queue of doubtful items: of this filter, in this order, then this item.
    Doubtful(Filter, FlagOrder),
    /// What composing again would do, or has done, with these renamed terms.
    Recompose {
        /// Terms that go by another name now.
        renames: Vec<Rename>,
        /// Terms are drawn for new slots.
        draw_missing: bool,
        /// Only counted.
        dry: bool,
        /// A person asked for it by itself: say so too when there is nothing to do.
        asked: bool,
    },
    /// Terms are being retired.
    Retire(Box<Retirement>),
    /// That is being taken back.
    Unretire(Box<Retirement>),
    /// An item was edited, or what kept it from that.
    Edited(Box<Draft>),
    /// One verdict on many items: how many there are, or that it is done.
    Bulk(Box<Bulk>),
    /// It was taken back.
    Unbulk,
    /// Counts.
    Status,
    /// The sample.
    Sample,
    /// That it is remembered where the annotator is.
    Place,
    /// Nothing is done with the answer.
    Nothing,
}

/// What the answer to a question opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// A menu or a page: keys typed before it is there are meant for it.
    Overlay,
    /// A count and whether to go on: nobody agrees to what they have not seen.
    Confirmation,
}

/// Whether the owner can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can.
    Up,
    /// A try to connect is under way.
    Connecting,
    /// Somebody stopped it on purpose; the next key starts it again.
    Stopped,
}

/// See the module's text.
pub struct Connection {
    project: Project,
    home: Arc<Home>,
    who: String,
    messages: Sender<Message>,
    client: Option<Arc<Client>>,
    generation: u64,
    waiting: HashMap<u64, Pending>,
    /// What the owner went away over and is asked again: the receipt makes that harmless.
    again: Vec<(bool, Uuid)>,
    state: State,
}

impl Connection {
    /// A link that is not connected yet.
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

    /// In whose name it speaks.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Whether the owner can be reached.
    pub fn state(&self) -> State {
        self.state
    }

    /// Connects now and waits for it: for the start, where there is nothing to draw yet.
    ///
    /// # Errors
    /// What keeps the owner from opening the project.
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

    /// Connects on a thread of its own; [`Message::Linked`] tells how it went.
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

    /// Takes the connection that a try brought; false when it is an older try's.
    pub fn linked(&mut self, generation: u64, connected: Connected) -> bool {
        if generation != self.generation {
            return false;
        }
        self.client = Some(connected.0);
        self.state = State::Up;
        true
    }

    /// Whether a message of this generation is of the connection of now.
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

    /// Sends a question. While there is no connection it is dropped: everything shown is asked for again afterwards,
    /// and verdicts are kept by the review pane until they are acknowledged.
    pub fn ask(&mut self, want: Pending, ask: impl Into<AnyRequest>) {
        let Some(client) = &self.client else { return };
        // A send that fails is followed by word that the connection is lost.
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

    /// No answer comes any more. Undo and redo are asked of the next owner; what is shown is asked for anew anyway.
    fn drop_waiting(&mut self) {
        let mut waiting: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        waiting.sort_by_key(|(number, _)| *number);
        waiting.into_iter().for_each(|(_, want)| self.keep(want));
    }

    /// Asks what the owner before went away over.
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

    /// Whether the owner has yet to say that it remembers where we are, and has back what was in hand.
    pub fn unplaced(&self) -> bool {
        self.waiting
            .values()
            .any(|want| matches!(want, Pending::Place | Pending::Released))
    }

    /// What the questions on their way will open.
    pub fn opens(&self) -> Option<Opens> {
        self.waiting.values().find_map(Pending::opens)
    }

    /// A queue that was asked for is not wanted any more.
    pub fn forget_queues(&mut self) {
        self.waiting
            .retain(|_, want| !matches!(want, Pending::Queue(..) | Pending::Doubtful(..)));
    }

    /// What was asked for this is not wanted any more: its answers are passed over, and the owner stops working on them.
    pub fn cancel(&mut self, is: impl Fn(&Pending) -> bool) {
        let client = self.client.clone();
        self.waiting.retain(|number, want| {
            let given_up = is(want);
            if let Some(client) = client.as_ref().filter(|_| given_up) {
                // As with questions, a connection that is lost says so itself.
                let _ = client.cancel(*number);
            }
            !given_up
        });
    }

    /// What the answer to `number` is for; it is kept while more parts come.
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
