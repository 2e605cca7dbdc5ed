//! The program without a terminal: its state, what keys and answers do to it, and what it looks like.
//!
//! | file | what it does |
//! |---|---|
//! | [`message`] | everything that can happen, on one channel |
//! | [`connection`] | the connection to the owner |
//! | `scopes` | whose keys are live now |
//! | `keys` | from keys, menus and prompts to actions; `prompt_input` what prompts take |
//! | `actions` | what actions do; `effects` what the tables ask for |
//! | `metadata` | the vocabulary, template and coverage panes |
//! | `generate` | the generate pane |
//! | `filters` | the filter bench |
//! | `edit` | the item on screen edited by hand |
//! | `bulk` | one verdict on everything the list shows |
//! | `board` | the leaderboard |
//! | `agreement` | the agreement pane |
//! | `adjudicate` | the adjudication pane |
//! | `flagged` | doubtful items in the review, and why they are |
//! | `note` | the note on an item, typed and remembered |
//! | `round` | working through a round in the review; `rounds` the rounds pane |
//! | `owner` | what the owner's answers and events do |
//! | `seen` | what a verdict is given on, and the question before one on a picture that was not shown |
//! | `frame_timer` | when a frame is due, what is due by time alone, and leaving |
//! | `theme` | the person's own theme |
//! | `pictures` | the pictures that a frame shows, made ready; `image_view` how the one in the review is looked at |
//! | `type_ahead` | keys typed for a prompt that is not there |
//! | `draw` | one frame |
//! | [`overlay`] | menus, prompts and pages over a pane |

mod actions;
mod adjudicate;
mod agreement;
mod board;
mod bulk;
pub mod connection;
mod draw;
mod edit;
mod effects;
mod filters;
mod flagged;
mod frame_timer;
mod generate;
mod image_view;
mod keys;
pub mod message;
mod metadata;
mod note;
pub mod overlay;
mod owner;
mod pictures;
mod prompt_input;
mod recompose;
mod retire;
mod round;
mod rounds;
mod scopes;
mod seen;
mod tabs;
mod theme;
mod type_ahead;

use std::time::Duration;

use connection::{Connection, Pending, State};
use crossterm::event::KeyEvent;
use message::Message;
use overlay::Overlay;
use ratatui::layout::Rect;

use crate::keymap::{Keymap, Press};
use crate::panes::adjudicate::AdjudicatePane;
use crate::panes::agreement::AgreementPane;
use crate::panes::board::BoardPane;
use crate::panes::filters::FiltersPane;
use crate::panes::generate::GeneratePane;
use crate::panes::list::ListPane;
use crate::panes::review::{Painted, Queue, ReviewEffect, ReviewPane};
use crate::panes::rounds::RoundsPane;
use crate::preview::Previews;
use crate::terminal::paint::Receipts;
use crate::terminal::pixels::Pixels;
use crate::terminal::{Capabilities, Clock, ColourLevel, Input, Reply};
use crate::theme::Look;
use crate::widgets::tags::Tags;
use crate::widgets::toast::Toast;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::{Result, Status};
use benchtop_protocol::wire::{AnyRequest, Welcome, request};

/// Which pane fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneId {
    /// One item a screen.
    Review,
    /// All items.
    List,
    /// The leaderboard.
    Board,
    /// Vocabularies and their terms.
    Vocabulary,
    /// Styles and templates as text.
    Templates,
    /// What exists, by two properties.
    Coverage,
    /// Jobs that make pictures.
    Generate,
    /// Scores, thresholds and rules.
    Filters,
    /// How far people agree.
    Agreement,
    /// Items on which people differ.
    Adjudicate,
    /// Rounds of verification.
    Rounds,
}

/// What the terminal can do and how things look.
pub struct Setting {
    /// What the terminal can do.
    pub capabilities: Capabilities,
    /// Colours.
    pub level: ColourLevel,
    /// Colours by role, at that level.
    pub look: Look,
    /// The terminal takes ASCII alone.
    pub ascii: bool,
    /// The themes that a person may choose from.
    pub themes: Vec<String>,
    /// The program's clock.
    pub clock: Clock,
    /// Rows of the terminal.
    pub rows: u16,
}

/// Time between tries to find a new owner.
const RETRY: Duration = Duration::from_secs(2);

/// The state of the program.
pub struct App {
    setting: Setting,
    keymap: Keymap,
    link: Connection,
    welcome: Welcome,
    previews: Previews,
    receipts: Receipts,
    pixels: Pixels,
    at: PaneId,
    /// The pane that the item in the review was opened in: back leads there.
    back_to: Option<PaneId>,
    review: ReviewPane,
    list: ListPane,
    list_started: bool,
    board: BoardPane,
    shop: metadata::MetadataEditor,
    generate: GeneratePane,
    filters: FiltersPane,
    agreement: AgreementPane,
    adjudicate: AdjudicatePane,
    rounds: RoundsPane,
    /// When the rounds, the form of a new one, and the round that is worked on are to be looked at again.
    rounds_due: Option<u64>,
    round_form_due: Option<u64>,
    round_due: Option<u64>,
    /// When a number took the line of a menu, until the next key.
    took_by_number: Option<u64>,
    /// When the owner is to remember the note that is being typed.
    note_due: Option<u64>,
    /// Somebody waits for this frame: a key, a window, a question.
    urgent: bool,
    /// When the last frame was drawn, and when the next is due that nobody waits for.
    drawn_at: u64,
    redraw_at: Option<u64>,
    /// The item whose picture the owner was last told that somebody waits for.
    waited_for: Option<u32>,
    /// When the scores are to be counted again.
    rescore_at: Option<u64>,
    /// When agreement is to be asked for again.
    agree_at: Option<u64>,
    /// When the gauges are to be read again.
    gauges_at: Option<u64>,
    overlay: Option<Overlay>,
    chord: Vec<Press>,
    /// A prompt that was refused, and how many were.
    refused: Option<type_ahead::Refused>,
    refusals: u64,
    /// Keys for a menu that the owner is asked for.
    held: Vec<(KeyEvent, u64)>,
    toast: Option<Toast>,
    /// Words looked for before, oldest first.
    history: Vec<String>,
    /// Tags of notes written in this session.
    tags: Tags,
    counts: Vec<(Status, u64)>,
    /// The last verdict on many items, as long as it can be taken back as one.
    bulk: Option<bulk::Done>,
    /// The last revision heard of.
    rev: u64,
    true_pixels: bool,
    /// Where the pane was drawn last.
    pane: Rect,
    /// When the other picture of a pair is to be shown.
    blink_at: Option<u64>,
    /// The last key stopped the blinking.
    blinked: bool,
    /// What was painted last and its token.
    painted: Option<Painted>,
    token: u64,
    /// When counts are to be asked for again.
    recount_at: Option<u64>,
    leaving: Option<u64>,
    suspend: bool,
    repaint: bool,
    /// The theme that was chosen, to be remembered.
    theme: Option<String>,
    dirty: bool,
    quit: bool,
    /// Bytes to send past the frame: the clipboard.
    extra: Vec<u8>,
}

impl App {
    /// The program on a connected owner. `connection` has just been connected and gave `welcome`.
    ///
    /// # Errors
    /// When the default keys clash or no threads can be had.
    pub fn new(
        setting: Setting,
        link: Connection,
        welcome: Welcome,
        messages: std::sync::mpsc::Sender<Message>,
    ) -> Result<App> {
        let wrote = messages.clone();
        let wrote = move |done| drop(wrote.send(Message::Preview(done)));
        let shop = metadata::MetadataEditor::new(wrote).map_err(|e| {
            benchtop_model::Error::io(
                &e,
                "no thread for previews",
                std::path::Path::new("preview"),
            )
        })?;
        let done = move |done| {
            let _ = messages.send(Message::Picture(done));
        };
        let previews = Previews::new(done).map_err(|e| {
            benchtop_model::Error::io(
                &e,
                "no thread for pictures",
                std::path::Path::new("preview"),
            )
        })?;
        let pixels = Pixels::new(&setting.capabilities, setting.rows);
        let who = link.who().to_string();
        let mut app = App {
            keymap: Keymap::defaults()?,
            link,
            previews,
            receipts: Receipts::new(),
            pixels,
            at: PaneId::Review,
            back_to: None,
            review: ReviewPane::new(),
            list: ListPane::new(),
            list_started: false,
            board: BoardPane::waiting(App::interval),
            shop,
            generate: GeneratePane::new(),
            filters: FiltersPane::new(),
            agreement: AgreementPane::new(),
            adjudicate: AdjudicatePane::new(),
            rounds: RoundsPane::new(who),
            rounds_due: None,
            round_form_due: None,
            round_due: None,
            took_by_number: None,
            note_due: None,
            urgent: true,
            drawn_at: 0,
            redraw_at: None,
            waited_for: None,
            rescore_at: None,
            agree_at: None,
            gauges_at: None,
            overlay: None,
            chord: Vec::new(),
            refused: None,
            refusals: 0,
            held: Vec::new(),
            toast: welcome.notices.first().map(Toast::warning),
            history: Vec::new(),
            tags: Tags::default(),
            counts: Vec::new(),
            bulk: None,
            rev: welcome.rev,
            true_pixels: false,
            pane: Rect::default(),
            blink_at: None,
            blinked: false,
            painted: None,
            token: 0,
            recount_at: None,
            leaving: None,
            suspend: false,
            repaint: false,
            theme: None,
            dirty: true,
            quit: false,
            extra: Vec::new(),
            welcome,
            setting,
        };
        app.begin();
        Ok(app)
    }

    /// Takes up where the annotator left off.
    fn begin(&mut self) {
        self.subscribe();
        let place = self.welcome.place.clone().unwrap_or_default();
        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
        let number = (place.number > 0).then_some(place.number);
        let effects = self.review.set_queue(Queue::all(items), number);
        self.carry_out(effects);
        if !place.filter.is_empty() {
            self.ask_queue(place.filter, number);
        }
        if !place.round.is_empty() {
            self.link.ask(Pending::Resume(place.round), request::Rounds);
        }
        self.take_up_note(place.note);
    }

    fn subscribe(&mut self) {
        self.link
            .ask(Pending::Nothing, request::Subscribe { since: self.rev });
        self.link.ask(Pending::Status, request::Status);
    }

    fn now(&self) -> u64 {
        self.setting.clock.ms()
    }

    /// Whether the program is done.
    pub fn is_done(&self) -> bool {
        self.quit
    }

    /// Whether ctrl-z was pressed since the last call.
    pub fn wants_suspend(&mut self) -> bool {
        std::mem::take(&mut self.suspend)
    }

    /// Whether the whole screen is to be painted anew since the last call.
    pub fn wants_repaint(&mut self) -> bool {
        std::mem::take(&mut self.repaint)
    }

    /// Bytes to send after the frame.
    pub fn take_extra(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.extra)
    }

    /// Does what a message asks for.
    pub fn handle(&mut self, message: Message) {
        // Somebody who moves a line waits for the pictures beside it.
        self.urgent |= match message {
            Message::Picture(_) => self.at == PaneId::Filters,
            Message::Owner(..) => false,
            _ => true,
        };
        match message {
            Message::Input(input, at) => self.input(input, at),
            Message::HungUp | Message::Signal(_) => self.quit = true,
            Message::Owner(generation, incoming) if self.link.is_current(generation) => {
                self.owner_said(incoming)
            }
            Message::Owner(..) => {}
            Message::Linked(generation, linked) => self.linked(generation, linked),
            Message::Picture(_) => self.dirty = true,
            Message::Preview(done) => self.dirty |= self.shop.desk.preview(done),
        }
    }

    fn input(&mut self, input: Input, at: u64) {
        match input {
            Input::Key(key) => self.key(key, at),
            Input::Paste(text) => self.paste(&text),
            Input::Reply(reply @ (Reply::Status | Reply::DeviceAttributes(_))) => {
                self.receipts.on_reply(&reply, at);
            }
            Input::Reply(_) | Input::Focus(_) => {}
        }
    }

    /// Says something in the message line.
    fn say(&mut self, toast: Toast) {
        self.toast = Some(toast);
        self.dirty = true;
    }

    /// Carries out what the review pane asks for.
    fn carry_out(&mut self, effects: Vec<ReviewEffect>) {
        for effect in effects {
            match effect {
                ReviewEffect::Fetch(number) => {
                    self.link.ask(Pending::Item(number), request::Item(number))
                }
                ReviewEffect::Send(decide) => self
                    .link
                    .ask(Pending::Decide(decide.uuid), request::Decide(decide)),
                ReviewEffect::Moved => self
                    .link
                    .ask(Pending::Place, request::SetPlace(self.place())),
            }
        }
        self.dirty = true;
    }

    /// Asks for what a key wants, or says why that cannot be had now.
    fn ask_now(&mut self, want: Pending, ask: impl Into<AnyRequest>) {
        if self.link.state() == State::Up {
            return self.link.ask(want, ask);
        }
        self.say(Toast::warning(
            "that needs the owner: press again once the owner is back",
        ));
    }

    fn ask_queue(&mut self, words: String, number: Option<u32>) {
        self.back_to = None;
        match benchtop_model::Filter::parse(&words) {
            Ok(filter) => self.ask_now(
                Pending::Queue(words, number),
                request::Numbers(filter, Vec::new()),
            ),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// The interval shown beside a share.
    fn interval(k: u64, n: u64) -> (f64, f64) {
        wilson(k, n, Z95).unwrap_or((0.0, 1.0))
    }
}
