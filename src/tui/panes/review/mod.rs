//! The review pane: one item on the screen, one key per verdict, and a receipt once the verdict is
//! on disk.
//!
//! A verdict applies to the item and the revision on the screen. The pane keeps it until its
//! receipt arrives. After a lost connection it is sent again with the same UUID, so it counts once.
//!
//! | file | what it does |
//! |---|---|
//! | `pane` | the review as a pane of the program |
//! | `actions` | actions |
//! | `verdicts` | verdicts, from the key to the receipt |
//! | `note` | the note on an item, and the resume point |
//! | `find`, [`queue`] | queues, and going to an item |
//! | `flagged`, [`explain`] | flagged items, and why they are flagged |
//! | [`lineage`] | where the item on screen comes from |
//! | [`transcript`] | the requests that it was made with, and their answers |
//! | `comments`, `thread`, `remarks` | comments, and what a verdict carries |
//! | `marking` | marks on the picture |
//! | `reasons` | menus of reasons and tags |
//! | `edit`, `editing` | editing the item on screen |
//! | [`round`], `round_work`, `round_actions`, `round_draw` | working on a round |
//! | [`pace`] | the annotator's own pace |
//! | `image_view`, `pair`, `pictures` | zoom, pairs, and preparing pictures |
//! | `selection` | selecting a region of a picture |
//! | `draw`, `text`, `derived`, `plain` | drawing |

mod actions;
mod comments;
mod derived;
mod draw;
mod edit;
mod editing;
pub mod explain;
mod find;
mod flagged;
mod image_view;
pub mod lineage;
mod marking;
mod note;
pub mod pace;
mod pair;
mod pane;
mod pictures;
mod plain;
pub mod queue;
mod reasons;
mod remarks;
pub mod round;
mod round_actions;
mod round_draw;
mod round_work;
mod selection;
mod text;
mod thread;
pub mod transcript;
mod verdicts;

pub use draw::{Layout, draw_picture, is_wide, layout, status_words};
pub use edit::{Draft, Line};
pub use plain::draw_item;
pub use queue::Queue;
pub use reasons::{carries, choose_tags, chosen_reasons, reason_menu};
pub use round::{Phase, Then, Work};

use std::collections::{BTreeMap, HashMap, VecDeque};

use ratatui::layout::Rect;
use uuid::Uuid;

use self::remarks::Remarks;
use crate::item::{Loaded, Picture, Sides, ViewState, missing, painted};
use crate::pane::{Context, Painted, PaneId, Timer};
use crate::preview::{Part, Show};
use benchtop_model::{Judgement, Region, Result, Verdict};
use benchtop_protocol::wire::{Decide, ItemView, Receipt, request};

/// Why the pane did not go to a position.
type Gone = std::result::Result<(), &'static str>;

/// Items kept in memory around the current one.
const CACHED: usize = 64;
/// Receipts remembered until their events arrive.
const RECEIPTS: usize = 256;
/// Items fetched ahead.
const AHEAD: usize = 4;
/// Items fetched behind.
const BEHIND: usize = 2;

#[derive(Debug, Default)]
pub struct ReviewPane {
    queue: Queue,
    position: usize,
    backward: bool,
    items: HashMap<u32, std::result::Result<Loaded, String>>,
    asked: Vec<u32>,
    /// Verdicts that await their receipts, oldest first.
    pending: Vec<Decide>,
    /// The last receipts. Each is followed by an event with the same content.
    receipts: VecDeque<Uuid>,
    /// The last receipt, shown beside the position.
    saved: Option<String>,
    scroll: usize,
    /// Lines of text below the screen, as of the last frame.
    overflow: usize,
    picture: Picture,
    /// Whether true pixels are shown. No cells are drawn in their place.
    bare: bool,
    /// Whether the queue was set.
    ready: bool,
    looking: ViewState,
    /// The region that is being selected, as a part of what is visible of the picture.
    selection: Option<Region>,
    /// The pictures of an item that has several, as of the last frame.
    sides: Option<Sides>,
    /// The part of the pictures that is drawn, and the content of their files.
    drawn: (Part, Option<String>),
    /// Key hints for the line above a pair.
    keys: Vec<String>,
    /// The round in progress.
    work: Option<Box<Work>>,
    /// Notes that wait for the verdicts on their items.
    notes: BTreeMap<u32, String>,
    /// The item whose note was written last.
    noted: Option<u32>,
    /// Edits that are not saved, by item.
    drafts: BTreeMap<u32, Draft>,
    /// Comments and marks.
    remarks: Remarks,
    /// The pane that the item was opened from. Back returns there.
    back_to: Option<PaneId>,
    /// When to send the note that is being typed to the owner.
    note_due: Timer,
    /// When to look at the current round again.
    round_due: Timer,
    /// When to show the other picture of a pair.
    blink_due: Timer,
    /// Whether the last key stopped blinking.
    blinked: bool,
    /// The item whose picture was last requested with priority, and when to request it.
    waited_for: Option<u32>,
    picture_due: Timer,
    /// The area of the last frame.
    area: Rect,
}

impl ReviewPane {
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether the annotator last moved forward.
    pub fn forward(&self) -> bool {
        !self.backward
    }

    /// The number of the current item.
    pub fn number(&self) -> Option<u32> {
        self.queue.number(self.position)
    }

    /// The current item, once it is loaded.
    pub fn current(&self) -> Option<&Loaded> {
        self.items.get(&self.number()?)?.as_ref().ok()
    }

    /// An item, if it is loaded.
    pub fn loaded(&self, number: u32) -> Option<&Loaded> {
        self.items.get(&number)?.as_ref().ok()
    }

    /// Sets the queue and goes to an item in it, or to its start.
    pub fn set_queue(&mut self, queue: Queue, number: Option<u32>, cx: &mut Context<'_>) {
        self.ready = true;
        self.position = number.and_then(|n| queue.position(n)).unwrap_or(0);
        self.queue = queue;
        self.backward = false;
        self.arrived(cx);
    }

    /// Updates the number of items in the project.
    fn grow(&mut self, items: u32, cx: &mut Context<'_>) {
        let was_empty = self.queue.is_empty();
        self.queue.grow(items);
        if was_empty && self.work.is_none() {
            self.arrived(cx);
        }
    }

    /// Goes to a position in the queue, or says why not.
    pub fn go(&mut self, position: usize, cx: &mut Context<'_>) -> Gone {
        if self.queue.is_empty() {
            return Err("nothing to review");
        }
        if position >= self.queue.len() {
            return Err("end of the queue");
        }
        if position != self.position {
            self.backward = position < self.position;
            self.position = position;
            self.arrived(cx);
        }
        Ok(())
    }

    /// Goes to an item. Returns whether it is in the queue.
    fn go_to(&mut self, number: u32, cx: &mut Context<'_>) -> bool {
        let position = self.queue.position(number);
        position.is_some_and(|position| self.go(position, cx).is_ok())
    }

    /// Shows the item at the position, and remembers the position.
    fn arrived(&mut self, cx: &mut Context<'_>) {
        self.begin_item(cx);
        self.remember(cx);
    }

    fn begin_item(&mut self, cx: &mut Context<'_>) {
        self.scroll = 0;
        (self.remarks.thread, self.remarks.marking) = (None, None);
        self.picture = Picture::Loading;
        (self.looking, self.sides) = (ViewState::default(), None);
        self.selection = None;
        self.fetch(cx);
    }

    /// Requests the current item and its neighbors if they are missing.
    fn fetch(&mut self, cx: &mut Context<'_>) {
        let near = self.cached();
        for number in missing(&mut self.items, CACHED, near, &self.asked) {
            self.ask_item(number, cx);
        }
    }

    fn ask_item(&mut self, number: u32, cx: &mut Context<'_>) {
        self.asked.push(number);
        cx.ask(request::Item(number), move |pane: &mut Self, view, cx| {
            pane.on_item(number, view, cx);
        });
    }

    /// The items to keep: [`near`](Self::near), and possible partners of the current one.
    fn cached(&self) -> Vec<u32> {
        let mut cached = self.near();
        let original = self.current().and_then(|l| l.original.as_ref());
        let original = original.map(|original| original.number);
        for number in self.may_be_partners().into_iter().chain(original) {
            if !cached.contains(&number) {
                cached.push(number);
            }
        }
        cached
    }

    /// The current item, then its neighbors in the direction of travel, then those behind.
    pub fn near(&self) -> Vec<u32> {
        let ahead = (0..=AHEAD as i64).map(|d| if self.forward() { d } else { -d });
        let behind = (1..=BEHIND as i64).map(|d| if self.forward() { -d } else { d });
        let at = |d: i64| {
            usize::try_from(self.position as i64 + d)
                .ok()
                .and_then(|p| self.queue.number(p))
        };
        ahead.chain(behind).filter_map(at).collect()
    }

    /// Receives an item.
    pub fn on_item(&mut self, number: u32, view: Result<ItemView>, cx: &mut Context<'_>) {
        self.asked.retain(|n| *n != number);
        let loaded = view.map_err(|p| p.to_string()).and_then(Loaded::from_view);
        self.items.insert(number, loaded);
        // The item may turn out to have a partner.
        if self.number() == Some(number) {
            self.fetch(cx);
        }
    }

    /// Drops fetched items and requests them again, after a lost connection or many changes.
    fn refresh(&mut self, cx: &mut Context<'_>) {
        // In a round an item stays as served. Fetching it after the verdict would reveal those of
        // others.
        if self.work.is_none() {
            self.items.clear();
        }
        self.asked.clear();
        self.fetch(cx);
    }

    /// Requests a changed item again. The old version stays on the screen until then.
    fn changed(&mut self, number: u32, cx: &mut Context<'_>) {
        if self.cached().contains(&number) {
            self.ask_item(number, cx);
        } else {
            self.items.remove(&number);
        }
    }

    /// Requests all items again, after rules or scores changed. The old version stays on the screen
    /// until then.
    fn all_changed(&mut self, cx: &mut Context<'_>) {
        let near = self.cached();
        self.items.retain(|number, _| near.contains(number));
        near.into_iter().for_each(|number| self.changed(number, cx));
    }

    /// Gives a verdict on the item `number` as painted at revision `rev`, in a round the one of its
    /// text. Goes to the next item, unless something went elsewhere meanwhile.
    fn decide(&mut self, number: u32, rev: u64, judgement: Judgement, cx: &mut Context<'_>) {
        if self.work.is_some() {
            return self.decide_in_round(number, rev, judgement, cx);
        }
        self.send_new(number, rev, judgement, cx);
        if self.number() == Some(number) && self.position + 1 < self.queue.len() {
            self.backward = false;
            self.position += 1;
            self.arrived(cx);
        }
    }

    /// Sends a new verdict, and keeps it until its receipt.
    fn send_new(
        &mut self,
        number: u32,
        rev: u64,
        judgement: Judgement,
        cx: &mut Context<'_>,
    ) -> Uuid {
        let decide = Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: Some(rev),
            judgement,
        };
        let uuid = decide.uuid;
        self.pending.push(decide.clone());
        self.saved = None;
        self.send(decide, cx);
        uuid
    }

    /// Whether this receipt's verdict accepts an item that a rule flags or quarantines: a false
    /// alarm.
    pub fn overrides(&self, receipt: &Receipt) -> bool {
        let accepts = |p: &Decide| p.uuid == receipt.uuid && p.judgement.verdict == Verdict::Accept;
        self.pending.iter().any(accepts)
            && self
                .loaded(receipt.number)
                .is_some_and(|l| !l.chips.is_empty())
    }

    /// The verdict on an item that awaits its receipt.
    pub fn pending_on(&self, number: u32) -> Option<Verdict> {
        self.pending
            .iter()
            .rev()
            .find(|p| p.number == number)
            .map(|p| p.judgement.verdict)
    }

    /// Handles a receipt. In a round, returns what follows.
    fn acknowledged(&mut self, receipt: &Receipt, cx: &mut Context<'_>) -> Option<Then> {
        let at = self.pending.iter().position(|p| p.uuid == receipt.uuid);
        let decide = at.map(|at| self.pending.remove(at));
        self.receipt_came(receipt);
        let then = decide.and_then(|decide| self.saved_in_round(&decide, cx.env.now));
        if self.work.is_some() {
            return then;
        }
        self.changed(receipt.number, cx);
        None
    }

    /// Handles a refused verdict and returns to its item.
    fn refused(&mut self, uuid: Uuid, cx: &mut Context<'_>) {
        let Some(at) = self.pending.iter().position(|p| p.uuid == uuid) else {
            return;
        };
        let number = self.pending.remove(at).number;
        if self.work.is_some() {
            self.items.remove(&number);
            return self.fetch(cx);
        }
        // The queue may have changed and lack the item.
        if !self.go_to(number, cx) {
            self.show_all(Some(number), cx);
        }
        self.changed(number, cx);
    }

    /// Shows a saved message beside the position, and remembers the receipt.
    pub fn receipt_came(&mut self, receipt: &Receipt) {
        self.saved = Some(format!("#{} saved", receipt.number));
        self.receipts.push_back(receipt.uuid);
        if self.receipts.len() > RECEIPTS {
            self.receipts.pop_front();
        }
    }

    /// Whether the receipt of this decision has arrived, so that its changes are requested already.
    pub fn is_settled(&self, uuid: Uuid) -> bool {
        self.receipts.contains(&uuid)
    }

    /// Scrolls the text. Returns whether it moved.
    pub fn scroll(&mut self, lines: isize) -> bool {
        if let Some(moved) = self
            .work
            .as_mut()
            .and_then(|work| work.scroll_guidelines(lines))
        {
            return moved;
        }
        let to = self.scroll.saturating_add_signed(lines).min(self.overflow);
        let moved = to != self.scroll;
        self.scroll = to;
        moved
    }

    /// Sets the picture. `content` names the content of its files, of which `part` is drawn. With
    /// `bare`, the terminal draws true pixels in its place. While another part of the same files
    /// loads, the old picture stays.
    pub fn set_picture(
        &mut self,
        picture: Picture,
        (part, content): (Part, Option<String>),
        bare: bool,
    ) {
        let shown = matches!(&self.picture, Picture::Ready(ready) if ready.is_ok());
        let stays = matches!(picture, Picture::Loading)
            && shown
            && content.is_some()
            && self.drawn.1 == content;
        if !stays {
            (self.picture, self.drawn) = (picture, (part, content));
        }
        self.bare = bare;
    }

    /// Sets the pictures of an item that has several, with key hints for the line above them.
    pub fn set_sides(&mut self, sides: Option<Sides>, keys: Vec<String>) {
        (self.sides, self.keys) = (sides, keys);
    }

    /// The pictures of the current item if it has several, as of the last frame.
    pub fn pair(&self) -> Option<&Sides> {
        self.sides.as_ref()
    }

    /// The zoom and picture choice for the current item.
    pub fn looking(&self) -> ViewState {
        self.looking
    }

    pub fn look(&mut self, looking: ViewState) {
        self.looking = looking;
    }

    /// Which of two pictures is drawn.
    pub fn shown(&self) -> Show {
        self.drawn.0.show
    }

    /// What the last frame painted of the current item.
    pub fn on_screen(&self) -> Option<Painted> {
        let (number, loaded) = self.number().zip(self.current())?;
        let pictures = painted(
            &loaded.item,
            self.sides.as_ref(),
            self.shown(),
            &self.picture,
            self.bare,
        );
        Some(Painted {
            number,
            rev: loaded.rev,
            text_rev: loaded.text_rev,
            ready: !matches!(self.picture, Picture::Loading),
            pictures,
        })
    }

    pub fn picture(&self) -> &Picture {
        &self.picture
    }
}

#[cfg(test)]
mod note_tests;
#[cfg(test)]
mod receipt_tests;
#[cfg(test)]
mod testing;
