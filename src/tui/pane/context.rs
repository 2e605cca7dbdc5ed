//! The effects that a pane queues during a call, with their callbacks.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

use super::Pane;
use super::id::{Opens, PaneId};
use super::seen::Viewed;
use super::work::{CommandSetting, Commands, Work, Worked};
use crate::action::Action;
use crate::keymap::Keymap;
use crate::panes::metadata::edit_session::EditSession;
use crate::panes::review::queue::Queue;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::config::Reason;
use benchtop_model::round::state::RoundState;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Filter, Result, Sort, Verdict};
use benchtop_protocol::wire::{AnyReply, AnyRequest, NeedsConsent, Request, request};

/// What a pane may read of the program during a call.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    pub keymap: &'a Keymap,
    /// The annotator's name.
    pub who: &'a str,
    /// The reasons of a rejection.
    pub reasons: &'a [Reason],
    /// The tags that any verdict can have.
    pub verdict_tags: &'a [Reason],
    /// The taxonomy of errors in answers.
    pub error_labels: &'a [Reason],
    /// Tags of earlier notes.
    pub tags: &'a [String],
    /// Earlier searches, oldest first.
    pub history: &'a [String],
    /// The item of the review.
    pub item: Option<u32>,
    /// Milliseconds of the program's clock.
    pub now: u64,
    /// The time of the key that led to the call.
    pub key_at: u64,
    /// Width of the window in cells, also before the pane is drawn.
    pub columns: u16,
    /// Whether the pane fills the screen.
    pub is_shown: bool,
    /// Whether a menu, prompt, or page is open.
    pub is_covered: bool,
    /// Whether nothing may blink: there is no color, or a screen reader.
    pub is_still: bool,
    /// Whether there is a connection to the owner.
    pub is_connected: bool,
    /// How commands are written in this shell.
    pub commands: &'a CommandSetting,
}

/// A function that is called later. The wrapper adds `Debug`, which a function does not have.
pub struct Later<F: ?Sized>(pub Box<F>);

impl<F: ?Sized> fmt::Debug for Later<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

/// A function of a pane that gets `T` later. The pane is found by its type.
pub type Callback<T, R = ()> = Later<dyn FnMut(&mut dyn Pane, T, &mut Context<'_>) -> R>;

/// Makes a callback of a function of one pane.
fn callback<P: Pane, T: 'static>(
    then: impl FnOnce(&mut P, T, &mut Context<'_>) + 'static,
) -> Callback<T> {
    let mut then = Some(then);
    Later(Box::new(move |pane, value, cx| {
        let pane: &mut dyn Any = pane;
        if let (Some(pane), Some(then)) = (pane.downcast_mut::<P>(), then.take()) {
            then(pane, value, cx);
        }
    }))
}

/// The lines of a menu that were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub picks: Vec<usize>,
    pub note: String,
}

/// What happened to a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked<'a> {
    /// A key was typed. This is the note so far.
    Noted(&'a str),
    Chosen(Chosen),
    Cancelled,
}

/// The receiver of a menu.
pub type OnPicked = Later<dyn FnMut(&mut dyn Pane, Picked<'_>, &mut Context<'_>)>;

/// What happened to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// The text changed.
    Changed(&'a str),
    /// The text was submitted.
    Done(&'a str),
    Cancelled,
}

/// The receiver of a prompt. An error is shown at the prompt, which stays open.
pub type OnTyped =
    Later<dyn FnMut(&mut dyn Pane, Typed<'_>, &mut Context<'_>) -> std::result::Result<(), String>>;

/// How the program treats a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handling {
    pub opens: Option<Opens>,
    /// The name by which the pane cancels the request.
    pub name: Option<&'static str>,
    /// Whether the frame with the reply does not wait, even if the pane shows progress.
    pub at_once: bool,
    /// The program waits for the reply before it quits.
    pub before_quit: bool,
    /// Say so if there is no connection, because a key asked for it.
    pub is_for_key: bool,
}

/// The receiver of the reply to a request.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub pane: PaneId,
    pub handling: Handling,
    then: Rc<RefCell<Callback<Result<AnyReply>>>>,
}

impl Receiver {
    pub fn receive(&self, pane: &mut dyn Pane, reply: Result<AnyReply>, cx: &mut Context<'_>) {
        (self.then.borrow_mut().0)(pane, reply, cx);
    }
}

/// A request to the owner. Without a connection it is dropped: after the next one, everything on
/// screen is requested again.
#[derive(Debug)]
pub struct Ask {
    pub request: AnyRequest,
    pub handling: Handling,
    then: Callback<Result<AnyReply>>,
}

impl Ask {
    pub fn new<P: Pane, R: Request>(
        request: R,
        then: impl FnOnce(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) -> Ask {
        Ask::replying::<P, R>(request.into(), then)
    }

    /// Asks for what needs consent, after the consent to send data to these servers.
    pub fn consenting<P: Pane, R: NeedsConsent>(
        to: Vec<Destination>,
        request: R,
        then: impl FnOnce(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) -> Ask {
        let then_ask = Some(request.then());
        Ask::replying::<P, R>(request::Agree { to, then: then_ask }.into(), then)
    }

    fn replying<P: Pane, R: Request>(
        request: AnyRequest,
        then: impl FnOnce(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) -> Ask {
        let then = move |pane: &mut P, reply: Result<AnyReply>, cx: &mut Context<'_>| {
            then(pane, reply.and_then(R::reply), cx);
        };
        Ask::calling(request, callback(then))
    }

    fn calling(request: AnyRequest, then: Callback<Result<AnyReply>>) -> Ask {
        let handling = Handling::default();
        Ask {
            request,
            handling,
            then,
        }
    }

    /// Asks for what may come in parts. `then` gets each of them.
    pub fn in_parts<P: Pane, R: Request>(
        request: R,
        mut then: impl FnMut(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) -> Ask {
        let then = move |pane: &mut dyn Pane, part: Result<AnyReply>, cx: &mut Context<'_>| {
            let pane: &mut dyn Any = pane;
            if let Some(pane) = pane.downcast_mut::<P>() {
                then(pane, part.and_then(R::reply), cx);
            }
        };
        Ask::calling(request.into(), Later(Box::new(then)))
    }

    /// Gives the request a name for [`Context::cancel`].
    pub fn named(mut self, name: &'static str) -> Ask {
        self.handling.name = Some(name);
        self
    }

    /// The reply to a key opens something, so keys typed before it wait.
    pub fn opens(mut self, opens: Opens) -> Ask {
        self.handling.opens = Some(opens);
        self.for_key()
    }

    /// The program waits for the reply before it quits.
    pub fn before_quit(mut self) -> Ask {
        self.handling.before_quit = true;
        self
    }

    /// Draws the reply at once, even if the pane shows progress: a key asked for it.
    pub fn at_once(mut self) -> Ask {
        self.handling.at_once = true;
        self
    }

    /// Says so if there is no connection.
    pub fn for_key(mut self) -> Ask {
        self.handling.is_for_key = true;
        self
    }

    /// The request, and the receiver of its reply.
    pub fn into_parts(self, pane: PaneId) -> (AnyRequest, Receiver) {
        let receiver = Receiver {
            pane,
            handling: self.handling,
            then: Rc::new(RefCell::new(self.then)),
        };
        (self.request, receiver)
    }
}

/// What a pane can lead to.
#[derive(Clone, Debug)]
pub enum Target {
    /// The review, where it was: the pane has nothing left to close.
    Review,
    /// An item in the review. Back returns to the pane.
    Item(u32),
    /// An item in the review, with the items of a filter as the queue. Back returns to the pane.
    Queue {
        number: u32,
        filter: Filter,
        sort: Vec<Sort>,
    },
    /// The item with this id in the review.
    ItemWithId(String),
    /// Another pane.
    Pane(PaneId),
    /// The pane that opened an item or a form.
    Back(PaneId),
    /// A form, with the value of its first question.
    Form(PaneId, Option<String>),
    /// A form, with the values of these fields.
    Fields(PaneId, Vec<(&'static str, String)>),
    /// The item list with this filter.
    Items(String),
    /// A contact sheet of the review's items, with the current one. `None` if they are served one at
    /// a time.
    Sheet(Option<(Queue, Option<u32>)>),
    /// The pictures that were generated for an item.
    Samples(u32),
    /// What a scenario made of this item, in labeled rows.
    Scenario(u32),
    /// The job of this number among the jobs.
    Job(u32),
    /// Work on this round.
    Round(Box<RoundState>),
}

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAt {
    /// The line of this number, from 1.
    Line(u32),
    /// The first line that starts with this text, or the last line.
    Start(&'static str),
}

/// What the program does for a pane after a call.
#[derive(Debug)]
pub enum Effect {
    Ask(Ask),
    /// Runs this outside of the frame.
    Work(Work),
    /// Cancels the pending requests and the work of this name.
    Cancel(&'static str),
    Menu(Menu, OnPicked),
    Prompt(Prompt, OnTyped),
    Page(Page),
    /// Calls back with the item on screen as it was seen at this time, or says why it cannot be
    /// judged.
    WhenSeen(u64, Callback<Viewed>),
    /// Calls back with those of these items on screen that were seen at this time.
    WhenEachSeen(u64, Vec<u32>, Callback<Vec<Viewed>>),
    /// Calls back, after a confirmation if a picture was not shown.
    Confirm(Viewed, Verdict, Callback<Viewed>),
    Say(Toast),
    Copy {
        text: String,
        /// A name of the text, for the message.
        what: String,
    },
    Open(Target),
    /// Opens a file of the project in the user's editor.
    Edit(PathBuf, EditAt),
    /// Offers the tags of this note later.
    Tagged(String),
    /// Offers these words in later searches.
    Searched(String),
    /// A verdict of the pane is on disk, with this revision.
    Saved(u64),
    /// An edit of an item is on disk.
    EditedItem,
    /// What was painted no longer counts: the annotator has to see the item again.
    ForgetPainted,
    /// Turns true pixels on or off.
    TogglePixels,
    /// Verdicts on many items are on disk, from the first to the last revision. They are undone as
    /// one step.
    JudgedMany(Option<(u64, u64)>),
    /// Reads the metadata files. [`Notice::Metadata`](super::Notice::Metadata) follows.
    ReadMetadata,
    /// Disables these terms and saves the metadata. With `discard`, rejects their items.
    Retire {
        /// Vocabulary (or `style`) and term.
        terms: Vec<(String, String)>,
        discard: bool,
    },
    Quit,
}

/// Passed to each call of a pane. Collects what the program does afterwards.
pub struct Context<'a> {
    pub env: Env<'a>,
    /// The metadata that is being edited.
    pub metadata: &'a mut EditSession,
    effects: Vec<Effect>,
}

impl Effect {
    /// The title of a menu, prompt, or page that it opens.
    pub fn opens(&self) -> Option<&str> {
        match self {
            Effect::Menu(menu, _) => Some(menu.title()),
            Effect::Prompt(prompt, _) => Some(prompt.label()),
            Effect::Page(page) => Some(&page.title),
            _ => None,
        }
    }
}

impl<'a> Context<'a> {
    pub fn new(env: Env<'a>, metadata: &'a mut EditSession) -> Context<'a> {
        Context {
            env,
            metadata,
            effects: Vec::new(),
        }
    }

    /// The effects of the call, in order.
    pub fn into_effects(self) -> Vec<Effect> {
        self.effects
    }

    /// Unwraps a reply. Shows an error, unless the request was canceled.
    pub fn ok_or_show<T>(&mut self, reply: Result<T>) -> Option<T> {
        match reply {
            Ok(reply) => return Some(reply),
            Err(problem) if problem.kind == ErrorKind::Cancelled => {}
            Err(problem) => self.error(&problem),
        }
        None
    }

    /// The name of the key of an action.
    pub fn key(&self, action: Action) -> String {
        self.env.keymap.press(action)
    }

    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Sends a request to the owner. `then` gets the reply.
    pub fn ask<P: Pane, R: Request>(
        &mut self,
        request: R,
        then: impl FnOnce(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) {
        self.send(Ask::new(request, then));
    }

    /// As [`ask`](Self::ask), for a key: without a connection, the program says so.
    pub fn ask_now<P: Pane, R: Request>(
        &mut self,
        request: R,
        then: impl FnOnce(&mut P, Result<R::Reply>, &mut Context<'_>) + 'static,
    ) {
        self.send(Ask::new(request, then).for_key());
    }

    /// Sends a request with more properties than [`ask`](Self::ask).
    pub fn send(&mut self, ask: Ask) {
        self.push(Effect::Ask(ask));
    }

    /// Runs this on a thread. `then` gets its progress and its result.
    pub fn work<P: Pane, T: Send + 'static>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&dyn Commands, ProgressSink<'_>) -> Result<T> + Send + 'static,
        then: impl FnMut(&mut P, Worked<T>, &mut Context<'_>) + 'static,
    ) {
        self.push(Effect::Work(Work::new(name, run, then)));
    }

    /// Cancels the pending requests and the work of the pane with this name: nobody gets their
    /// replies, and the owner stops working on them.
    pub fn cancel(&mut self, name: &'static str) {
        self.push(Effect::Cancel(name));
    }

    /// Asks for one of these lines, each with a detail. `then` gets its index.
    pub fn choose<P: Pane>(
        &mut self,
        title: impl Into<String>,
        lines: Vec<(String, String)>,
        then: impl FnOnce(&mut P, usize, &mut Context<'_>) + 'static,
    ) {
        self.choose_in(menu(title, lines), then);
    }

    /// Asks for one of these choices, each shown as a line with a detail. `then` gets the choice.
    pub fn choose_of<P: Pane, T: 'static, L: Into<String>, D: Into<String>>(
        &mut self,
        title: impl Into<String>,
        choices: Vec<T>,
        line: impl Fn(&T) -> (L, D),
        then: impl FnOnce(&mut P, T, &mut Context<'_>) + 'static,
    ) {
        let line = |choice| {
            let (label, detail) = line(choice);
            (label.into(), detail.into())
        };
        let lines = choices.iter().map(line).collect();
        self.choose(title, lines, move |pane: &mut P, pick, cx| {
            if let Some(choice) = choices.into_iter().nth(pick) {
                then(pane, choice, cx);
            }
        });
    }

    /// Asks for one line of this menu.
    pub fn choose_in<P: Pane>(
        &mut self,
        menu: Menu,
        then: impl FnOnce(&mut P, usize, &mut Context<'_>) + 'static,
    ) {
        self.menu(menu, |pane: &mut P, chosen, cx| {
            if let Some(pick) = chosen.picks.first() {
                then(pane, *pick, cx);
            }
        });
    }

    /// Asks for lines of this menu, and a note.
    pub fn menu<P: Pane>(
        &mut self,
        menu: Menu,
        then: impl FnOnce(&mut P, Chosen, &mut Context<'_>) + 'static,
    ) {
        let mut then = Some(then);
        self.menu_live(menu, move |pane: &mut P, picked, cx| {
            if let Picked::Chosen(chosen) = picked
                && let Some(then) = then.take()
            {
                then(pane, chosen, cx);
            }
        });
    }

    /// Asks for lines of this menu, and a note that counts while it is typed.
    pub fn menu_live<P: Pane>(
        &mut self,
        menu: Menu,
        mut then: impl FnMut(&mut P, Picked<'_>, &mut Context<'_>) + 'static,
    ) {
        let then = move |pane: &mut dyn Pane, picked: Picked<'_>, cx: &mut Context<'_>| {
            let pane: &mut dyn Any = pane;
            if let Some(pane) = pane.downcast_mut::<P>() {
                then(pane, picked, cx);
            }
        };
        self.push(Effect::Menu(menu, Later(Box::new(then))));
    }

    /// Asks for a line of text. If `then` returns an error, the prompt shows it and stays open.
    pub fn prompt<P: Pane>(
        &mut self,
        prompt: Prompt,
        mut then: impl FnMut(&mut P, &str, &mut Context<'_>) -> std::result::Result<(), String>
        + 'static,
    ) {
        self.prompt_live(prompt, move |pane: &mut P, typed, cx| match typed {
            Typed::Done(text) => then(pane, text, cx),
            Typed::Changed(_) | Typed::Cancelled => Ok(()),
        });
    }

    /// Asks for a line of text that applies while it is typed.
    pub fn prompt_live<P: Pane>(
        &mut self,
        prompt: Prompt,
        mut then: impl FnMut(&mut P, Typed<'_>, &mut Context<'_>) -> std::result::Result<(), String>
        + 'static,
    ) {
        let then = move |pane: &mut dyn Pane, typed: Typed<'_>, cx: &mut Context<'_>| {
            let pane: &mut dyn Any = pane;
            pane.downcast_mut::<P>()
                .map_or(Ok(()), |pane| then(pane, typed, cx))
        };
        self.push(Effect::Prompt(prompt, Later(Box::new(then))));
    }

    /// Calls back with the item on screen as it was seen when the key was pressed. If it cannot be
    /// judged, the program says why instead.
    pub fn when_seen<P: Pane>(
        &mut self,
        then: impl FnOnce(&mut P, Viewed, &mut Context<'_>) + 'static,
    ) {
        self.push(Effect::WhenSeen(self.env.key_at, callback(then)));
    }

    /// Calls back with those of these items that were seen when the key was pressed.
    pub fn when_each_seen<P: Pane>(
        &mut self,
        numbers: Vec<u32>,
        then: impl FnOnce(&mut P, Vec<Viewed>, &mut Context<'_>) + 'static,
    ) {
        self.push(Effect::WhenEachSeen(
            self.env.key_at,
            numbers,
            callback(then),
        ));
    }

    /// Calls back, after a confirmation if a picture that this verdict judges was not shown.
    pub fn confirm<P: Pane>(
        &mut self,
        viewed: Viewed,
        verdict: Verdict,
        then: impl FnOnce(&mut P, Viewed, &mut Context<'_>) + 'static,
    ) {
        self.push(Effect::Confirm(viewed, verdict, callback(then)));
    }

    /// Shows a message.
    pub fn show(&mut self, toast: Toast) {
        self.push(Effect::Say(toast));
    }

    /// Reports something worth knowing.
    pub fn say(&mut self, text: impl Into<String>) {
        self.show(Toast::info(text));
    }

    /// Reports success.
    pub fn done(&mut self, text: impl Into<String>) {
        self.show(Toast::done(text));
    }

    /// Reports why the action did nothing.
    pub fn refuse(&mut self, why: impl Into<String>) {
        self.show(Toast::warning(why));
    }

    pub fn error(&mut self, problem: &Error) {
        self.show(Toast::from(problem));
    }

    /// Copies text to the clipboard. `what` names it in the message.
    pub fn copy(&mut self, text: impl Into<String>, what: impl Into<String>) {
        let (text, what) = (text.into(), what.into());
        self.push(Effect::Copy { text, what });
    }

    /// Shows a page of text over the pane.
    pub fn page(&mut self, page: Page) {
        self.push(Effect::Page(page));
    }

    pub fn open(&mut self, target: Target) {
        self.push(Effect::Open(target));
    }

    /// Leaves the pane: there is nothing left to close.
    pub fn leave(&mut self) {
        self.open(Target::Review);
    }

    /// Opens a file of the project in the user's editor.
    pub fn edit(&mut self, path: impl Into<PathBuf>, at: EditAt) {
        self.push(Effect::Edit(path.into(), at));
    }

    /// Offers the tags of this note later.
    pub fn tagged(&mut self, note: impl Into<String>) {
        self.push(Effect::Tagged(note.into()));
    }

    /// Offers these words in later searches.
    pub fn searched(&mut self, words: impl Into<String>) {
        self.push(Effect::Searched(words.into()));
    }

    /// Verdicts on many items are on disk, from the first to the last revision. They are undone as
    /// one step.
    pub fn judged_many(&mut self, revs: Option<(u64, u64)>) {
        self.push(Effect::JudgedMany(revs));
    }

    /// A verdict of the pane is on disk, with this revision.
    pub fn saved(&mut self, rev: u64) {
        self.push(Effect::Saved(rev));
    }

    /// An edit of an item is on disk.
    pub fn edited_item(&mut self) {
        self.push(Effect::EditedItem);
    }

    /// The annotator has to see the item again, even if it is the one that was painted.
    pub fn forget_painted(&mut self) {
        self.push(Effect::ForgetPainted);
    }

    /// Turns true pixels on or off.
    pub fn toggle_pixels(&mut self) {
        self.push(Effect::TogglePixels);
    }

    /// Reads the metadata files. [`Notice::Metadata`](super::Notice::Metadata) follows.
    pub fn read_metadata(&mut self) {
        self.push(Effect::ReadMetadata);
    }

    /// Disables these terms and saves the metadata. With `discard`, rejects their items.
    pub fn retire(&mut self, terms: Vec<(String, String)>, discard: bool) {
        self.push(Effect::Retire { terms, discard });
    }

    /// Ends the program.
    pub fn quit(&mut self) {
        self.push(Effect::Quit);
    }
}

/// A menu of these lines, each with a detail. A long one filters.
pub fn menu(title: impl Into<String>, lines: Vec<(String, String)>) -> Menu {
    let long = lines.len() > 8;
    let choice = |(label, help): (String, String)| Choice::new(label).help(help);
    let menu = Menu::new(title, lines.into_iter().map(choice).collect());
    if long { menu.filtering() } else { menu }
}
