//! The program without a terminal: its state, how keys and answers change it, and how it is drawn.
//!
//! | file | what it does |
//! |---|---|
//! | [`message`] | all events, on one channel |
//! | [`connection`] | the connection to the owner |
//! | `scopes` | the scopes whose keys are active |
//! | `keys` | keys, menus, and prompts to actions |
//! | `mouse`, `mouse_state` | clicks, the wheel, and dragging |
//! | `prompt_input` | text typed into prompts |
//! | `actions` | running actions |
//! | `panes` | calls panes and carries out their effects |
//! | `metadata` | reading the metadata, and unsaved edits |
//! | `retire` | retiring terms |
//! | `bulk_step`, `undo_step` | the last step on many items, undone as one |
//! | `owner` | answers and events of the owner |
//! | `seen` | whether items were on screen when they were judged |
//! | `frame_timer` | frames, timed work, and quitting |
//! | `theme` | the user's theme |
//! | `true_pixels` | when pictures are drawn in true pixels |
//! | `pictures` | preparing pictures in the background |
//! | `work` | the work of panes on threads |
//! | `type_ahead`, `refused_prompt` | keys typed ahead for a prompt |
//! | `draw`, `tabs` | one frame; its first row: tabs, position, and counts |
//! | [`overlay`] | menus, prompts, and pages over a pane |

mod actions;
mod bulk_step;
pub mod connection;
mod draw;
mod frame_timer;
mod keys;
pub mod message;
mod metadata;
mod mouse;
mod mouse_state;
pub mod overlay;
mod owner;
mod panes;
mod pictures;
mod prompt_input;
mod refused_prompt;
mod retire;
mod scopes;
mod seen;
mod tabs;
mod theme;
mod true_pixels;
mod type_ahead;
mod undo_step;
mod work;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bulk_step::Done;
use connection::{Connection, Pending, State};
use crossterm::event::KeyEvent;
use message::Message;
use mouse_state::MouseState;
use overlay::Overlay;
use refused_prompt::RefusedPrompt;
use seen::PaintedItem;
use true_pixels::TruePixels;
use work::Works;

use crate::keymap::{Keymap, Press};
pub use crate::pane::PaneId;
use crate::pane::{Commands, Notice, Pane, Tab};
use crate::panes::metadata::{EditSession, Previewer};
use crate::panes::registry::Panes;
use crate::preview::Previews;
use crate::terminal::paint_receipt::Receipts;
use crate::terminal::pixels::Pixels;
use crate::terminal::{Capabilities, Clock, ColorLevel, Input, Reply};
use crate::theme::Look;
use crate::user_settings::PixelMode;
use crate::widgets::tags::Tags;
use crate::widgets::toast::Toast;
use benchtop_model::{Error, Result, Status};
use benchtop_protocol::wire::{AnyRequest, Welcome, request};

/// Properties of the terminal and the look of the program.
pub struct Setting {
    pub capabilities: Capabilities,
    pub level: ColorLevel,
    /// Colors by role, at that level.
    pub look: Look,
    /// The terminal displays ASCII only.
    pub ascii: bool,
    /// Names of the available themes.
    pub themes: Vec<String>,
    pub clock: Clock,
    /// Size of the window in cells.
    pub columns: u16,
    pub rows: u16,
    /// When to draw pictures in true pixels.
    pub pixels: PixelMode,
    /// Whether the mouse is on from the start.
    pub mouse: bool,
}

/// The pane that shows items for other panes.
const REVIEW: PaneId = PaneId::Review;

/// Interval of reconnection attempts.
const RETRY: Duration = Duration::from_secs(2);

/// The state of the program.
pub struct App {
    setting: Setting,
    keymap: Keymap,
    link: Connection,
    works: Works,
    welcome: Welcome,
    previews: Previews,
    receipts: Receipts,
    pixels: Pixels,
    at: PaneId,
    /// The pane that was last open in each tab.
    last: HashMap<Tab, PaneId>,
    /// The metadata that is being edited.
    metadata: EditSession,
    previewer: Previewer,
    /// A file to open in the user's editor, at a line.
    edit: Option<(PathBuf, u32)>,
    /// The panes of the registry.
    panes: Panes,
    /// When a number chose a menu line, until the next key.
    took_by_number: Option<u64>,
    /// This frame must not wait, because a key, a resize, or a question caused it.
    urgent: bool,
    /// When the last frame was drawn, and when the next progress frame is due.
    drawn_at: u64,
    redraw_at: Option<u64>,
    overlay: Option<Overlay>,
    chord: Vec<Press>,
    /// The last refused prompt, and the number of refusals.
    refused: Option<RefusedPrompt>,
    refusals: u64,
    /// Keys for a menu that waits for the owner.
    held: Vec<(KeyEvent, u64)>,
    toast: Option<Toast>,
    /// Earlier searches, oldest first.
    history: Vec<String>,
    /// Tags of notes written in this session.
    tags: Tags,
    counts: Vec<(Status, u64)>,
    /// The steps on many items that can be undone, latest last.
    bulk: Vec<Done>,
    /// The latest revision received.
    rev: u64,
    true_pixels: TruePixels,
    mouse: MouseState,
    /// The items painted last.
    painted: Vec<PaintedItem>,
    /// The token of the last frame that was asked about.
    token: u64,
    /// When to refresh the counts.
    recount_at: Option<u64>,
    leaving: Option<u64>,
    /// The last key chose to save and quit. A lost connection only delays it.
    quits_once_saved: bool,
    suspend: bool,
    repaint: bool,
    /// The theme to save.
    theme: Option<String>,
    dirty: bool,
    quit: bool,
    /// Bytes to send after the frame, such as the clipboard.
    extra: Vec<u8>,
}

impl App {
    /// The program on a connected owner. `connection` has just been connected and returned
    /// `welcome`.
    ///
    /// # Errors
    ///
    /// If the default keys conflict or threads cannot be started.
    pub fn new(
        setting: Setting,
        link: Connection,
        welcome: Welcome,
        messages: std::sync::mpsc::Sender<Message>,
        commands: Arc<dyn Commands>,
    ) -> Result<App> {
        let works = Works::new(commands, messages.clone());
        let failed = |e: &std::io::Error, doing| Error::io(e, doing, Path::new("preview"));
        let wrote = messages.clone();
        let wrote = move |done| drop(wrote.send(Message::Preview(done)));
        let previewer =
            Previewer::new(wrote).map_err(|e| failed(&e, "cannot start the preview thread"))?;
        let done = move |done| {
            let _ = messages.send(Message::Picture(done));
        };
        let previews =
            Previews::new(done).map_err(|e| failed(&e, "cannot start the picture thread"))?;
        let pixels = Pixels::new(&setting.capabilities, setting.rows);
        let true_pixels =
            TruePixels::new(setting.pixels, &setting.capabilities, setting.clock.ms());
        let panes = Panes::default();
        let mut app = App {
            keymap: Keymap::defaults()?,
            link,
            works,
            previews,
            receipts: Receipts::new(),
            pixels,
            at: PaneId::Home,
            last: HashMap::new(),
            metadata: EditSession::new(),
            previewer,
            edit: None,
            panes,
            took_by_number: None,
            urgent: true,
            drawn_at: 0,
            redraw_at: None,
            overlay: None,
            chord: Vec::new(),
            refused: None,
            refusals: 0,
            held: Vec::new(),
            toast: welcome.notices.first().map(Toast::warning),
            history: Vec::new(),
            tags: Tags::default(),
            counts: Vec::new(),
            bulk: Vec::new(),
            rev: welcome.rev,
            true_pixels,
            mouse: MouseState::new(setting.mouse),
            painted: Vec::new(),
            token: 0,
            recount_at: None,
            leaving: None,
            quits_once_saved: false,
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

    /// Resumes where the annotator left off.
    fn begin(&mut self) {
        self.subscribe();
        let place = self.welcome.place.clone().unwrap_or_default();
        let items = self.items();
        self.notify(Notice::Started {
            place: &place,
            items,
        });
    }

    /// The pane on screen.
    fn pane(&self) -> Option<&dyn Pane> {
        self.panes.get(self.at)
    }

    /// The number of items in the project.
    fn items(&self) -> u32 {
        u32::try_from(self.welcome.items).unwrap_or(u32::MAX)
    }

    fn subscribe(&mut self) {
        self.link
            .ask(Pending::Nothing, request::Subscribe { since: self.rev });
        self.link.ask(Pending::Status, request::Status);
    }

    fn now(&self) -> u64 {
        self.setting.clock.ms()
    }

    pub fn is_done(&self) -> bool {
        self.quit
    }

    /// Whether ctrl-z was pressed since the last call.
    pub fn wants_suspend(&mut self) -> bool {
        std::mem::take(&mut self.suspend)
    }

    /// Whether a full repaint was requested since the last call.
    pub fn wants_repaint(&mut self) -> bool {
        std::mem::take(&mut self.repaint)
    }

    /// Bytes to send after the frame.
    pub fn take_extra(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.extra)
    }

    pub fn handle(&mut self, message: Message) {
        // A user who moves a threshold waits for the pictures next to it.
        self.urgent |= match message {
            Message::Picture(_) => self.pane().is_some_and(Pane::waits_for_pictures),
            Message::Owner(..) => false,
            _ => true,
        };
        match message {
            Message::Input(input, at) => self.input(input, at),
            Message::HungUp | Message::Signal(_) => self.quit = true,
            Message::Owner(generation, incoming) if self.link.is_current(generation) => {
                self.on_incoming(incoming)
            }
            Message::Owner(..) => {}
            Message::Linked(generation, linked) => self.linked(generation, linked),
            Message::Picture(_) => self.dirty = true,
            Message::Preview(done) => self.dirty |= self.metadata.preview(done),
            Message::Work(id, message) => self.worked(id, message),
        }
        if let Some(request) = self.metadata.take_wanted() {
            self.previewer.want(request);
        }
    }

    fn input(&mut self, input: Input, at: u64) {
        match input {
            Input::Key(key) => self.key(key, at),
            Input::Mouse(mouse) => self.mouse(mouse, at),
            Input::Paste(text) => self.paste(&text),
            Input::Reply(reply @ (Reply::Status | Reply::DeviceAttributes(_))) => {
                if let Some(token) = self.receipts.on_reply(&reply, at) {
                    self.confirmed_frame(token, at);
                }
            }
            Input::Reply(Reply::Kitty { ok: true, .. }) => self.found_kitty_around_tmux(),
            Input::Reply(_) | Input::Focus(_) => {}
        }
    }

    /// Shows a message in the message line.
    fn say(&mut self, toast: Toast) {
        self.toast = Some(toast);
        self.dirty = true;
    }

    /// Sends a request for a key, or says why it cannot be sent now.
    fn ask_now(&mut self, want: Pending, ask: impl Into<AnyRequest>) {
        if self.is_connected() {
            self.link.ask(want, ask);
        }
    }

    /// Whether a request for a key can be sent now. If not, says why.
    fn is_connected(&mut self) -> bool {
        let is_up = self.link.state() == State::Up;
        if !is_up {
            self.say(Toast::warning(
                "no connection to the owner; try again once it is back",
            ));
        }
        is_up
    }
}
