//! Enforces blind rounds: what one annotator may see.
//!
//! In a blind round, annotators do not see the verdicts of others, or scores, before their own
//! verdict. The owner enforces this when it answers, not the clients: a blind item looks pending,
//! and requests that would reveal its scores are refused.

mod blind_mask;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

pub use blind_mask::BlindMask;

use super::context::{Data, OwnerContext};
use benchtop_model::error_label::ErrorLabel;
use benchtop_model::job::JobState;
use benchtop_model::{Comment, Error, Filter, Item, Result, Status};
use benchtop_store::{Catalog, Ledger, StatusColumns};

/// The project as one annotator may see it.
pub struct AnnotatorView {
    shared: Arc<OwnerContext>,
    who: String,
    /// Whether they are another Unix user than the project's owner.
    is_member: bool,
    mask: Option<Arc<BlindMask>>,
}

impl Deref for AnnotatorView {
    type Target = Arc<OwnerContext>;

    fn deref(&self) -> &Arc<OwnerContext> {
        &self.shared
    }
}

impl AnnotatorView {
    /// What `who` may see now.
    pub fn of(shared: &Arc<OwnerContext>, who: &str) -> AnnotatorView {
        if shared.rounds.unread() {
            // Rounds are loaded together with the verdicts. This waits for the lock.
            drop(shared.items.ledger());
        }
        AnnotatorView::of_ledger(shared, who)
    }

    /// What `who` may see now. For a caller that holds the lock of the ledger, with which the rounds
    /// were loaded.
    pub fn of_ledger(shared: &Arc<OwnerContext>, who: &str) -> AnnotatorView {
        AnnotatorView {
            shared: shared.clone(),
            who: who.to_string(),
            is_member: false,
            mask: shared.rounds.mask(who),
        }
    }

    /// The same view for the Unix user `peer`.
    pub fn for_user(self, peer: u32) -> AnnotatorView {
        AnnotatorView {
            is_member: peer != rustix::process::geteuid().as_raw(),
            ..self
        }
    }

    /// An unrestricted view, for the owner's own work.
    pub fn unrestricted(shared: &Arc<OwnerContext>) -> AnnotatorView {
        AnnotatorView {
            shared: shared.clone(),
            who: String::new(),
            is_member: false,
            mask: None,
        }
    }

    /// Name of the annotator; empty for the owner's own work.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Name of the annotator, unless this is the project's owner.
    pub fn member(&self) -> Option<&str> {
        self.is_member.then_some(&*self.who)
    }

    /// A job without what a blind round hides.
    pub fn job(&self, job: JobState) -> JobState {
        // An annotator's own plan follows from what they may see.
        match job.tells && job.by != self.who && self.check_scores().is_err() {
            true => job.masked(),
            false => job,
        }
    }

    pub fn shared(&self) -> &Arc<OwnerContext> {
        &self.shared
    }

    /// Identifies the view of the statuses.
    pub fn key(&self) -> u64 {
        self.mask.as_ref().map_or(0, |mask| mask.key)
    }

    /// Whether a row is blind.
    pub fn hides(&self, row: u32) -> bool {
        self.mask.as_ref().is_some_and(|mask| mask.has(row))
    }

    /// Whether a verdict of `who` on a row is visible.
    pub fn sees(&self, row: u32, who: &str) -> bool {
        match &self.mask {
            Some(mask) if mask.has(row) => who == self.who && !mask.in_hand.contains(&row),
            _ => true,
        }
    }

    /// Whether an event of `who` in the thread of a row may be announced.
    pub fn hears_comment(&self, row: u32, who: &str) -> bool {
        who == self.who || !(self.hides(row) || self.rounds.asks_answer(&self.who, row))
    }

    /// The visible comments on a row. While the row is blind, these are the annotator's own. On a row
    /// that they judge again, what they wrote before would reveal the repeat.
    pub fn comments(&self, row: u32) -> Vec<Comment> {
        self.comments_in(&self.shared.items.ledger(), row)
    }

    /// As [`comments`](Self::comments), for a caller that holds the lock.
    pub fn comments_in(&self, ledger: &Ledger, row: u32) -> Vec<Comment> {
        match &self.mask {
            Some(mask) if mask.has(row) => {
                let since = match mask.in_hand.contains(&row) {
                    true => ledger.last_judged(row, &self.who),
                    false => 0,
                };
                ledger.comments(row, |event| event.who == self.who && event.rev > since)
            }
            // Others may say what the answer is.
            _ if self.rounds.asks_answer(&self.who, row) => {
                ledger.comments(row, |event| event.who == self.who)
            }
            _ => ledger.comments(row, |_| true),
        }
    }

    /// The visible error labels on the answers to a row, for a caller that holds the lock. None while
    /// the row is blind, or must be answered: a label says that an answer is wrong.
    pub fn error_labels_in(&self, ledger: &Ledger, row: u32) -> Vec<ErrorLabel> {
        match self.hides(row) || self.rounds.asks_answer(&self.who, row) {
            true => Vec::new(),
            false => ledger.error_labels(row),
        }
    }

    /// The number of visible comments on each row that has some.
    pub fn comment_counts(&self) -> BTreeMap<u32, u32> {
        let ledger = self.shared.items.ledger();
        let count = |row: u32| {
            let comments = self.comments_in(&ledger, row);
            (!comments.is_empty()).then_some((row, comments.len() as u32))
        };
        ledger.commented_rows().filter_map(count).collect()
    }

    /// The items and their visible statuses. The times of verdicts are filled in only if `times` is
    /// set.
    pub fn items(&self, times: bool) -> (Arc<Catalog>, StatusColumns) {
        let (catalog, mut overlay) = {
            let data = self.shared.items.data();
            (data.catalog.clone(), data.overlay.snapshot(times))
        };
        for row in self.mask.iter().flat_map(|mask| mask.rows()) {
            if row < overlay.len() {
                (overlay.status[row], overlay.judged[row]) = (Status::Pending.code(), 0);
            }
        }
        (catalog, overlay)
    }

    /// Visible status of a row.
    pub fn shown(&self, data: &Data, row: u32) -> Status {
        if self.hides(row) {
            Status::Pending
        } else {
            data.overlay.status(row as usize)
        }
    }

    /// Visible status of a row, and the time of its last verdict in milliseconds since 1970; 0 for
    /// none.
    pub fn status(&self, row: u32) -> (Status, i64) {
        if self.hides(row) {
            return (Status::Pending, 0);
        }
        let data = self.shared.items.data();
        (
            self.shown(&data, row),
            data.overlay.judged.get(row as usize).copied().unwrap_or(0),
        )
    }

    /// The JSON line of an item as the annotator may see it: without the answer key if they must
    /// still answer the item, and without the ruling of a judge while the item is blind.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the line is damaged.
    pub fn visible(&self, row: u32, line: String) -> Result<String> {
        let asks_answer = self.rounds.asks_answer(&self.who, row);
        if !asks_answer && !self.hides_ruling(row, &line) {
            return Ok(line);
        }
        let corrupt =
            |e: serde_json::Error| Error::corrupt(format!("item #{} is damaged: {e}", row + 1));
        let item: Item = serde_json::from_str(&line).map_err(corrupt)?;
        let item = match asks_answer {
            true => item.without_key(),
            false => self.visible_item(row, item),
        };
        serde_json::to_string(&item).map_err(corrupt)
    }

    /// An item without the ruling of a judge while it is blind.
    pub fn visible_item(&self, row: u32, item: Item) -> Item {
        match self.hides(row) {
            true => item.without_ruling(),
            false => item,
        }
    }

    fn hides_ruling(&self, row: u32, line: &str) -> bool {
        self.hides(row) && memchr::memmem::find(line.as_bytes(), b"\"derivation\":").is_some()
    }

    /// Whether [`visible`](Self::visible) can differ from a stored line.
    pub fn hides_parts(&self) -> bool {
        self.mask.is_some() || self.rounds.ask_answers()
    }

    /// Checks that the scores of all items are visible.
    ///
    /// # Errors
    /// [`Error::denied`] while a blind round is open.
    pub fn check_scores(&self) -> Result<()> {
        let kept = |round: &str| {
            let what = format!(
                "the round `{round}` is blind; scores and verdicts of others are visible when it is closed"
            );
            Error::denied(what).help("judge its items; the round's creator can then close it")
        };
        self.mask
            .as_ref()
            .map_or(Ok(()), |mask| Err(kept(&mask.round)))
    }

    /// Checks that this filter may select items whose names are not shown. Even their number could
    /// reveal something about blind items.
    ///
    /// # Errors
    /// [`Error::denied`] while a blind round is open, if the filter uses verdicts or scores.
    pub fn check_filter(&self, filter: &Filter) -> Result<()> {
        if filter.tells() {
            self.check_scores()
        } else {
            Ok(())
        }
    }

    /// Checks that the scores of an item are visible.
    ///
    /// # Errors
    /// [`Error::denied`] while the item is blind.
    pub fn check_item(&self, number: u32) -> Result<()> {
        match &self.mask {
            Some(mask) if mask.has(number.wrapping_sub(1)) => Err(blind(&mask.round)),
            _ => Ok(()),
        }
    }
}

fn blind(round: &str) -> Error {
    Error::denied(format!("the round `{round}` is blind; scores and verdicts of others are visible after your own verdict"),
    )
    .help("judge the items that it asks you for first")
}
