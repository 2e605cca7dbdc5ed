//! The review pane: one item a screen, one key a verdict, a receipt once it is on disk.
//!
//! A verdict is given to what is on screen: the item's number and the revision that was painted. It is kept here until
//! its receipt comes, so that a lost connection loses nothing: it is sent again with the same uuid and counts once.

mod draw;
mod edit;
pub mod explain;
pub mod pace;
mod pair;
mod plain;
mod queue;
pub mod round;
mod round_draw;
mod seen;
mod text;

pub use draw::{Layout, draw_picture, is_wide, layout};
pub use edit::{Draft, Line};
pub use pair::{Looking, NoPicture, Sides, picture_of};
pub use plain::draw_item;
pub use queue::Queue;
pub use round::{Phase, Then, Work};
pub use seen::{Painted, Viewed, failed, painted};

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use uuid::Uuid;

use crate::preview::{Part, Ready, Show};
use benchtop_model::scoring::bench::Chip;
use benchtop_model::verdict::EffectiveVerdict;
use benchtop_model::{Item, Judgement, Result, Status, Verdict};
use benchtop_protocol::wire::{Decide, ItemView, Receipt};

/// Items kept ready around the one on screen.
const KEPT: usize = 64;
/// Receipts that are remembered until their events come.
const RECEIPTS: usize = 256;
/// How far ahead items are asked for.
const AHEAD: usize = 4;
/// How far behind.
const BEHIND: usize = 2;

/// An item with what is known of it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The item.
    pub item: Arc<Item>,
    /// Where it stands.
    pub status: Status,
    /// Revision of the project when it last changed.
    pub rev: u64,
    /// Revision of its text or picture.
    pub text_rev: u64,
    /// The verdicts that count.
    pub standing: Vec<EffectiveVerdict>,
    /// What of its metadata changed since it was composed, or is gone.
    pub stale: Option<String>,
    /// The rules that hold for it.
    pub chips: Vec<Chip>,
}

impl Loaded {
    /// Of what the owner sent.
    ///
    /// # Errors
    /// In words, where the item cannot be read.
    pub fn of(view: ItemView) -> std::result::Result<Loaded, String> {
        let item = serde_json::from_str(&view.json)
            .map_err(|e| format!("this item cannot be read: {e}"))?;
        let ItemView {
            status,
            rev,
            text_rev,
            standing,
            stale,
            chips,
            ..
        } = view;
        Ok(Loaded {
            item: Arc::new(item),
            status,
            rev,
            text_rev,
            standing,
            stale,
            chips,
        })
    }
}

/// The picture of the item on screen.
#[derive(Clone, Debug, Default)]
pub enum Picture {
    /// The item has none, or it cannot be shown: why.
    None(String),
    /// It is being made ready.
    #[default]
    Loading,
    /// It is ready, or it failed.
    Ready(Arc<Ready>),
}

/// A verdict that waits for its receipt.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What was sent.
    pub decide: Decide,
}

/// What the pane asks of the program.
#[derive(Clone, Debug)]
pub enum ReviewEffect {
    /// Fetch this item.
    Fetch(u32),
    /// Send this verdict.
    Send(Decide),
    /// Remember where we are.
    Moved,
}

/// See the module's text.
#[derive(Debug, Default)]
pub struct ReviewPane {
    queue: Queue,
    position: usize,
    forward: bool,
    items: HashMap<u32, std::result::Result<Loaded, String>>,
    asked: Vec<u32>,
    pending: Vec<Pending>,
    /// Receipts that came, the last ones: each is followed by an event that says the same.
    receipts: VecDeque<Uuid>,
    /// Said beside the position: the last receipt.
    saved: Option<String>,
    scroll: usize,
    /// Lines that do not fit, as of the last drawing.
    overflow: usize,
    picture: Picture,
    /// The terminal's own pixels are shown, so that no cells are drawn where they are.
    bare: bool,
    loading: bool,
    looking: Looking,
    /// The pictures of the item on screen where it has several, as of the last frame.
    sides: Option<Sides>,
    /// What of them the picture that is drawn shows, and the content of which files.
    drawn: (Part, Option<String>),
    /// What the keys that turn the pictures are, for the line over them.
    keys: Vec<String>,
    /// The round that is worked on.
    work: Option<Box<Work>>,
    /// A note on an item that waits for its verdict.
    note: Option<(u32, String)>,
}

impl ReviewPane {
    /// A pane whose items are not known yet.
    pub fn new() -> ReviewPane {
        ReviewPane {
            forward: true,
            loading: true,
            ..ReviewPane::default()
        }
    }

    /// The queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Position in the queue, from 0.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Direction of travel.
    pub fn forward(&self) -> bool {
        self.forward
    }

    /// The number of the item on screen.
    pub fn number(&self) -> Option<u32> {
        self.queue.number(self.position)
    }

    /// The item on screen, once it is here.
    pub fn current(&self) -> Option<&Loaded> {
        self.items.get(&self.number()?)?.as_ref().ok()
    }

    /// An item that is here.
    pub fn loaded(&self, number: u32) -> Option<&Loaded> {
        self.items.get(&number)?.as_ref().ok()
    }

    /// Takes a queue and goes to an item in it, or to its beginning.
    pub fn set_queue(&mut self, queue: Queue, number: Option<u32>) -> Vec<ReviewEffect> {
        self.loading = false;
        self.position = number.and_then(|n| queue.position(n)).unwrap_or(0);
        self.queue = queue;
        self.forward = true;
        self.arrived()
    }

    /// Takes note that the project has `items` items now.
    pub fn grow(&mut self, items: u32) -> Vec<ReviewEffect> {
        let was_empty = self.queue.is_empty();
        self.queue.grow(items);
        if was_empty && self.work.is_none() {
            self.arrived()
        } else {
            Vec::new()
        }
    }

    /// Goes to a position; gives why not when there is nothing.
    pub fn go(&mut self, position: usize) -> std::result::Result<Vec<ReviewEffect>, &'static str> {
        if self.queue.is_empty() {
            return Err("there is nothing to review");
        }
        if position >= self.queue.len() {
            return Err("this is the last item of the queue");
        }
        if position == self.position {
            return Ok(Vec::new());
        }
        self.forward = position > self.position;
        self.position = position;
        Ok(self.arrived())
    }

    /// Goes to an item of the queue; false when it is not in it.
    pub fn go_to(&mut self, number: u32) -> Option<Vec<ReviewEffect>> {
        let position = self.queue.position(number)?;
        Some(self.go(position).unwrap_or_default())
    }

    fn arrived(&mut self) -> Vec<ReviewEffect> {
        self.scroll = 0;
        self.picture = Picture::Loading;
        (self.looking, self.sides) = (Looking::default(), None);
        let mut effects = self.fetch();
        effects.push(ReviewEffect::Moved);
        effects
    }

    /// Asks for the item on screen and its neighbours, as far as they are not here.
    pub fn fetch(&mut self) -> Vec<ReviewEffect> {
        let near = self.kept();
        if self.items.len() > KEPT {
            self.items.retain(|number, _| near.contains(number));
        }
        let missing: Vec<u32> = near
            .into_iter()
            .filter(|n| !self.items.contains_key(n) && !self.asked.contains(n))
            .collect();
        self.asked.extend(&missing);
        missing.into_iter().map(ReviewEffect::Fetch).collect()
    }

    /// Those to keep at hand: [`near`](Self::near), and what may belong to the item on screen.
    fn kept(&self) -> Vec<u32> {
        let mut kept = self.near();
        for number in self.may_be_partners() {
            if !kept.contains(&number) {
                kept.push(number);
            }
        }
        kept
    }

    /// The item on screen, then its neighbours in the direction of travel, then those behind.
    pub fn near(&self) -> Vec<u32> {
        let ahead = (0..=AHEAD as i64).map(|d| if self.forward { d } else { -d });
        let behind = (1..=BEHIND as i64).map(|d| if self.forward { -d } else { d });
        let at = |d: i64| {
            usize::try_from(self.position as i64 + d)
                .ok()
                .and_then(|p| self.queue.number(p))
        };
        ahead.chain(behind).filter_map(at).collect()
    }

    /// Takes an item.
    #[must_use]
    pub fn take(&mut self, number: u32, view: Result<ItemView>) -> Vec<ReviewEffect> {
        self.asked.retain(|n| *n != number);
        let loaded = view.map_err(|p| p.to_string()).and_then(Loaded::of);
        self.items.insert(number, loaded);
        // What it is may tell which others belong to it.
        if self.number() == Some(number) {
            self.fetch()
        } else {
            Vec::new()
        }
    }

    /// Forgets everything that was fetched and asks again: the connection was lost, or too much happened.
    pub fn refresh(&mut self) -> Vec<ReviewEffect> {
        // In a round an item stays as it was served: asked for again after the verdict, it would tell what others say.
        if self.work.is_none() {
            self.items.clear();
        }
        self.asked.clear();
        self.fetch()
    }

    /// An item changed: asks for it again, keeping what is on screen until it comes.
    pub fn changed(&mut self, number: u32) -> Vec<ReviewEffect> {
        if self.kept().contains(&number) {
            self.asked.push(number);
            return vec![ReviewEffect::Fetch(number)];
        }
        self.items.remove(&number);
        Vec::new()
    }

    /// Rules or scores changed: what is known of every item may be another answer now. What is on screen stays until
    /// it comes.
    pub fn all_changed(&mut self) -> Vec<ReviewEffect> {
        let near = self.kept();
        self.items.retain(|number, _| near.contains(number));
        near.into_iter()
            .flat_map(|number| self.changed(number))
            .collect()
    }

    /// Decides the item `number` as it was painted at revision `rev`, and goes on to the next item of the queue.
    pub fn decide(&mut self, number: u32, rev: u64, judgement: Judgement) -> Vec<ReviewEffect> {
        if self.work.is_some() {
            return self.decide_in_round(number, judgement);
        }
        let decide = Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: Some(rev),
            judgement,
        };
        self.pending.push(Pending {
            decide: decide.clone(),
        });
        self.saved = None;
        let mut effects = vec![ReviewEffect::Send(decide)];
        if self.position + 1 < self.queue.len() {
            self.forward = true;
            self.position += 1;
            effects.extend(self.arrived());
        }
        effects
    }

    /// Whether the verdict of this receipt accepts an item that the rules flag or park: a false alarm of theirs.
    pub fn overrides(&self, receipt: &Receipt) -> bool {
        let accepts = |p: &Pending| {
            p.decide.uuid == receipt.uuid && p.decide.judgement.verdict == Verdict::Accept
        };
        self.pending.iter().any(accepts)
            && self
                .loaded(receipt.number)
                .is_some_and(|l| !l.chips.is_empty())
    }

    /// Verdicts that wait for their receipts, oldest first.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The verdict that waits for an item's receipt.
    pub fn pending_on(&self, number: u32) -> Option<Verdict> {
        self.pending
            .iter()
            .rev()
            .find(|p| p.decide.number == number)
            .map(|p| p.decide.judgement.verdict)
    }

    /// A verdict is on disk at `now`; in a round, what follows.
    pub fn acknowledged(
        &mut self,
        receipt: &Receipt,
        now: u64,
    ) -> (Vec<ReviewEffect>, Option<Then>) {
        let at = self
            .pending
            .iter()
            .position(|p| p.decide.uuid == receipt.uuid);
        let decide = at.map(|at| self.pending.remove(at).decide);
        self.receipt_came(receipt);
        let then = decide.and_then(|decide| self.saved_in_round(&decide, now));
        if self.work.is_some() {
            (Vec::new(), then)
        } else {
            (self.changed(receipt.number), None)
        }
    }

    /// A verdict was refused: it does not wait any more, and its item is on screen again.
    pub fn refused(&mut self, uuid: Uuid) -> Vec<ReviewEffect> {
        let Some(at) = self.pending.iter().position(|p| p.decide.uuid == uuid) else {
            return Vec::new();
        };
        let pending = self.pending.remove(at);
        if self.work.is_some() {
            self.items.remove(&pending.decide.number);
            return self.fetch();
        }
        // The queue may be another by now, or lack it.
        let mut effects = match self.go_to(pending.decide.number) {
            Some(effects) => effects,
            None => {
                let items = self.queue.items();
                self.set_queue(Queue::all(items), Some(pending.decide.number))
            }
        };
        effects.extend(self.changed(pending.decide.number));
        effects
    }

    /// Says beside the position what is on disk, and remembers the receipt.
    pub fn receipt_came(&mut self, receipt: &Receipt) {
        self.saved = Some(format!("#{} saved", receipt.number));
        self.receipts.push_back(receipt.uuid);
        if self.receipts.len() > RECEIPTS {
            self.receipts.pop_front();
        }
    }

    /// Whether the receipt of this decision came: what it changed was asked for then.
    pub fn is_settled(&self, uuid: Uuid) -> bool {
        self.receipts.contains(&uuid)
    }

    /// The note that waits for the verdict on its item.
    pub fn note(&self) -> Option<&(u32, String)> {
        self.note.as_ref()
    }

    /// Sets it.
    pub fn set_note(&mut self, note: Option<(u32, String)>) {
        self.note = note;
    }

    /// Scrolls the text by lines.
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

    /// Sets the picture that is drawn, which shows `part` of the files whose content `of` names; `bare` where the
    /// terminal's own pixels will stand in its place. While another part of the same files is being made ready the one
    /// before it stays.
    pub fn set_picture(
        &mut self,
        picture: Picture,
        (part, of): (Part, Option<String>),
        bare: bool,
    ) {
        let shown = matches!(&self.picture, Picture::Ready(ready) if ready.is_ok());
        let stays =
            matches!(picture, Picture::Loading) && shown && of.is_some() && self.drawn.1 == of;
        if !stays {
            (self.picture, self.drawn) = (picture, (part, of));
        }
        self.bare = bare;
    }

    /// Sets the pictures of the item on screen where it has several, and the words about the keys for them.
    pub fn set_sides(&mut self, sides: Option<Sides>, keys: Vec<String>) {
        (self.sides, self.keys) = (sides, keys);
    }

    /// The pictures of the item on screen where it has several, as of the last frame.
    pub fn pair(&self) -> Option<&Sides> {
        self.sides.as_ref()
    }

    /// How the picture on screen is looked at.
    pub fn looking(&self) -> Looking {
        self.looking
    }

    /// Looks at it so from now on.
    pub fn look(&mut self, looking: Looking) {
        self.looking = looking;
    }

    /// What of two pictures is drawn now.
    pub fn shown(&self) -> Show {
        self.drawn.0.show
    }

    /// What the last frame painted of the item on screen.
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
            ready: !matches!(self.picture, Picture::Loading),
            pictures,
        })
    }

    /// The picture that is drawn.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }
}

#[cfg(test)]
mod receipt_tests;
