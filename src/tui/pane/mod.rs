//! What every pane implements, and what it may ask of the program.
//!
//! A [`Pane`] does no I/O. It gets a [`Context`] with each call and queues [`Effect`]s in it:
//! requests to the owner, menus, prompts, messages, and other panes to open. The program carries
//! them out after the call. Requests, menus, and prompts hold a typed callback, so the pane needs no
//! enum of purposes.
//!
//! | file | what it does |
//! |---|---|
//! | [`context`] | the effects that a pane queues, with their callbacks |
//! | [`id`] | the names of the panes |
//! | [`jobs`] | acting on jobs |
//! | [`progress`] | what the first row shows of a pane |
//! | [`recorder`] | a program that only records, for tests |
//! | [`scene`] | what a pane draws with |
//! | [`seen`] | an item as it was painted and seen |
//! | [`table_menus`] | menus and prompts that panes with tables share |
//! | [`timer`] | work that is due later |
//! | [`work`] | work outside of the frame: commands, and files of the user |

pub mod context;
pub mod id;
pub mod jobs;
pub mod progress;
pub mod recorder;
pub mod scene;
pub mod seen;
pub mod table_menus;
#[cfg(test)]
pub(crate) mod testing;
pub mod timer;
pub mod work;

use std::any::Any;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use context::{
    Ask, Callback, Chosen, Context, EditAt, Effect, Env, Picked, Target, Typed, menu,
};
pub use id::{Opens, PaneId, Tab};
pub use progress::Progress;
pub use scene::{Pictures, Scene};
pub use seen::{Painted, Viewed};
pub use timer::Timer;
pub use work::{CommandSetting, Commands, KnownEndpoint, Worked};

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::panes::review::queue::Queue;
use crate::preview::worker::Ready;
use benchtop_model::import;
use benchtop_model::job::JobState;
use benchtop_model::scoring::job::ScoringState;
use benchtop_model::{Item, Region};
use benchtop_protocol::wire::{Receipt, ResumePoint};

/// Something that happened outside of the pane. Every pane gets it, also those that are not on
/// screen ([`Env::is_shown`]).
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// The program starts where the annotator left off. The project has this many items.
    Started {
        place: &'a ResumePoint,
        items: u32,
    },
    /// The project now has this many items.
    Items(u32),
    /// The annotator quits.
    Quitting,
    /// There is a new connection to the owner. Requests without a reply are lost.
    Reconnected,
    /// Anything may have changed.
    Resync,
    /// Verdicts or pictures changed. Comes many times a second.
    Changed,
    /// Comes once some time after [`Notice::Changed`]: counts can be requested again.
    Recount,
    /// This item changed.
    Item(u32),
    /// Somebody gave a verdict. [`Notice::Item`] follows.
    Verdict {
        who: &'a str,
        receipt: &'a Receipt,
    },
    /// Somebody wrote, changed, or resolved a comment on this item.
    Comment {
        who: &'a str,
        number: u32,
    },
    /// The annotator undid verdicts on many items, from the first to the last revision.
    UndoneMany((u64, u64)),
    /// The annotator undid or redid a step.
    TakenBack {
        redo: bool,
        receipt: &'a Receipt,
    },
    /// Pictures of these items were generated. [`Notice::Item`] follows for each.
    Pictures(&'a [u32]),
    /// The progress of a scoring job.
    Scoring(&'a ScoringState),
    /// The rules of `benchtop.toml` changed.
    Rules,
    /// The metadata changed, so items may have become stale or fresh.
    Stale,
    /// Rounds were created, changed, or deleted.
    Rounds,
    /// Answers were parsed again.
    AnswersReparsed,
    Job(&'a JobState),
    JobRemoved(u32),
    /// The metadata files were read again.
    Metadata,
    /// The user closed the editor and may have changed files of the project.
    Edited,
    /// A frame of another size was drawn.
    Resized,
}

/// A screen that a tab leads to. `panes!` has a row for each.
pub trait Pane: Any {
    /// The scopes with live keys, nearest first, if not the first set of its row.
    fn scopes(&self) -> Option<&'static [Scope]> {
        None
    }

    /// The scopes of the key bar, if not those with live keys.
    fn bar(&self) -> Option<&'static [Scope]> {
        None
    }

    /// The description on the help page.
    fn help(&self, keys: &Keymap) -> String;

    /// Opens the pane, or loads it again.
    fn open(&mut self, cx: &mut Context<'_>);

    /// Opens the pane for something that another pane asks for.
    fn show(&mut self, _target: Target, _from: PaneId, cx: &mut Context<'_>) {
        self.open(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>);

    /// Runs a macro of the keymap.
    fn run_macro(&mut self, _which: usize, _cx: &mut Context<'_>) {}

    /// Gets every key first, also those for a menu. Returns whether that is all the key does.
    fn before_key(&mut self, _key: KeyEvent, _cx: &mut Context<'_>) -> bool {
        false
    }

    /// Whether keys that are no action are text.
    fn typing(&self) -> bool {
        false
    }

    /// Handles a key while [`typing`](Self::typing).
    fn key(&mut self, _key: KeyEvent, _cx: &mut Context<'_>) {}

    /// Handles pasted text if it [`pastes`](Self::pastes).
    fn paste(&mut self, _pasted: &str, _cx: &mut Context<'_>) {}

    /// Whether pasted text goes to the pane.
    fn pastes(&self) -> bool {
        self.typing()
    }

    /// Whether undo and redo go to the pane. Otherwise they take back verdicts.
    fn has_undo(&self) -> bool {
        false
    }

    fn on_notice(&mut self, _notice: Notice<'_>, _cx: &mut Context<'_>) {}

    /// Handles a region that is being dragged on a picture, as a part of what is visible of it.
    /// `None` selects nothing.
    fn drag(&mut self, _part: Option<Region>, _is_over: bool, _cx: &mut Context<'_>) {}

    /// Sets the value of a scale to a place on it: a column from 0, of so many. `begins` is true for a
    /// press, and false while the mouse moves with the button down.
    fn slide(&mut self, _place: (u16, u16), _begins: bool, _cx: &mut Context<'_>) {}

    /// When to call [`tick`](Self::tick), in milliseconds of the program's clock.
    fn due(&self) -> Option<u64> {
        None
    }

    /// Runs the work that is due.
    fn tick(&mut self, _cx: &mut Context<'_>) {}

    /// The item on screen, for other panes.
    fn item(&self) -> Option<u32> {
        None
    }

    /// Loaded items that belong to pairs. Other panes find the other picture of a pair among them.
    fn paired_items(&self) -> Vec<Arc<Item>> {
        Vec::new()
    }

    /// The id of the item under the cursor. Going to the review opens it.
    fn selected_item(&self) -> Option<&str> {
        None
    }

    /// The filter of the items on screen, for a form about them.
    fn filter_words(&self) -> Option<String> {
        None
    }

    /// The items that the last frame painted, if the pane judges items.
    fn painted(&self) -> Vec<Painted> {
        Vec::new()
    }

    /// The items under review and the current one, unless they are served one at a time.
    fn queue(&self) -> Option<(Queue, Option<u32>)> {
        None
    }

    /// Edits that the program's end would discard, by name.
    fn unsaved(&self) -> Vec<String> {
        Vec::new()
    }

    /// Shows the first of its [`unsaved`](Self::unsaved) edits, to save it.
    fn save_unsaved(&mut self, _cx: &mut Context<'_>) {}

    /// Whether verdicts await their receipts. The program waits for them before it quits.
    fn has_unsaved(&self) -> bool {
        false
    }

    /// The picture that the last frame drew, if it may be drawn in true pixels, and its place.
    fn pixels(&self) -> Option<(Arc<Ready>, Rect)> {
        None
    }

    /// Whether it edits the metadata, so that conflicts can be resolved in it.
    fn edits_metadata(&self) -> bool {
        false
    }

    /// Whether a user waits for pictures after a key, as next to a threshold that moves.
    fn waits_for_pictures(&self) -> bool {
        false
    }

    /// Whether the screen must not reveal the status of items.
    fn hides_statuses(&self) -> bool {
        false
    }

    /// Whether going back from here quits the program.
    fn is_home(&self) -> bool {
        false
    }

    /// Gets the progress of its request with this name. Returns whether it shows it. Otherwise the
    /// message line does.
    fn on_progress(&mut self, _name: &'static str, _progress: &import::Progress) -> bool {
        false
    }

    /// What the first row shows of the pane.
    fn progress(&self) -> Progress {
        Progress::default()
    }

    /// Whether it shows progress that arrives more often than anybody can read. Frames without a
    /// key then wait for each other.
    fn shows_progress(&self) -> bool {
        false
    }

    /// Whether there is nothing to show yet. The program then draws what the pane is for, and how to
    /// begin, instead of the pane.
    fn is_empty(&self, scene: &Scene<'_>) -> bool;

    /// Draws what an empty pane shows nevertheless. Returns the area for its purpose.
    fn draw_while_empty(&self, area: Rect, _buf: &mut Buffer, _scene: &Scene<'_>) -> Rect {
        area
    }

    /// Draws the pane. Returns the position of the terminal's cursor while it types.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position>;
}

#[cfg(test)]
mod tests;
