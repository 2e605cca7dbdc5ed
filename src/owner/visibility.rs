//! What one annotator may see.
//!
//! In a blind round nobody is shown what others or machines said of an item before the own verdict on it is in. That
//! is kept here, where answers are made, and not in the programs that ask: a veiled item looks like one that nobody has
//! judged, and what would tell its scores is refused.

mod blind_mask;

use std::ops::Deref;
use std::sync::Arc;

pub use blind_mask::BlindMask;

use super::context::{Data, OwnerContext};
use benchtop_model::{Error, ErrorKind, Filter, Item, Result, Status};
use benchtop_store::{Catalog, Overlay};

/// The project as one annotator may see it.
pub struct AnnotatorView {
    shared: Arc<OwnerContext>,
    who: String,
    veil: Option<Arc<BlindMask>>,
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
            // They are read together with the verdicts, whose lock is held until then.
            drop(shared.items.ledger());
        }
        AnnotatorView {
            shared: shared.clone(),
            who: who.to_string(),
            veil: shared.rounds.veil(who),
        }
    }

    /// Everything: for the owner's own work.
    pub fn whole(shared: &Arc<OwnerContext>) -> AnnotatorView {
        AnnotatorView {
            shared: shared.clone(),
            who: String::new(),
            veil: None,
        }
    }

    /// Who it is; nobody for the owner's own work.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// What the owner's threads share.
    pub fn shared(&self) -> &Arc<OwnerContext> {
        &self.shared
    }

    /// Another number for another view of the statuses.
    pub fn key(&self) -> u64 {
        self.veil.as_ref().map_or(0, |veil| veil.key)
    }

    /// Whether what is known of a row is kept back.
    pub fn veils(&self, row: u32) -> bool {
        self.veil.as_ref().is_some_and(|veil| veil.has(row))
    }

    /// Whether a verdict that `who` gave on a row may be seen.
    pub fn sees(&self, row: u32, who: &str) -> bool {
        match &self.veil {
            Some(veil) if veil.has(row) => who == self.who && !veil.in_hand.contains(&row),
            _ => true,
        }
    }

    /// The items, and the statuses as they are shown; the times of verdicts only where they are asked for.
    pub fn items(&self, times: bool) -> (Arc<Catalog>, Overlay) {
        let (catalog, mut overlay) = {
            let data = self.shared.items.data();
            (data.catalog.clone(), data.overlay.snapshot(times))
        };
        for row in self.veil.iter().flat_map(|veil| veil.rows()) {
            if row < overlay.len() {
                (overlay.status[row], overlay.judged[row]) = (Status::Pending.code(), 0);
            }
        }
        (catalog, overlay)
    }

    /// The status of a row as it is shown.
    pub fn shown(&self, data: &Data, row: u32) -> Status {
        if self.veils(row) {
            Status::Pending
        } else {
            data.overlay.status(row as usize)
        }
    }

    /// The status of a row as it is shown, and when it was last judged, in milliseconds since 1970; 0 for never.
    pub fn status(&self, row: u32) -> (Status, i64) {
        if self.veils(row) {
            return (Status::Pending, 0);
        }
        let data = self.shared.items.data();
        (
            self.shown(&data, row),
            data.overlay.judged.get(row as usize).copied().unwrap_or(0),
        )
    }

    /// The line of an item as it may be seen: without the key where the one who asks is still to answer it.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when it is none.
    pub fn keyless(&self, row: u32, line: String) -> Result<String> {
        if !self.rounds.asks_answer(&self.who, row) {
            return Ok(line);
        }
        let corrupt = |e: serde_json::Error| {
            Error::new(
                ErrorKind::Corrupt,
                format!("item #{} is damaged: {e}", row + 1),
            )
        };
        let item: Item = serde_json::from_str(&line).map_err(corrupt)?;
        serde_json::to_string(&item.without_key()).map_err(corrupt)
    }

    /// Whether scores of all items may be seen.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] while a blind round is open.
    pub fn scores(&self) -> Result<()> {
        let kept = |round: &str| {
            let what = format!(
                "the round `{round}` is blind: scores and verdicts of others are shown when it is closed"
            );
            Error::new(ErrorKind::Denied, what)
                .help("judge the items that it asks you for; whoever made the round closes it")
        };
        self.veil
            .as_ref()
            .map_or(Ok(()), |veil| Err(kept(&veil.round)))
    }

    /// Whether items may be chosen by this filter, where nobody sees which: by their number it would tell of them.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] while a blind round is open, where it asks what people or machines say.
    pub fn chooses(&self, filter: &Filter) -> Result<()> {
        let tells = filter.asks_scores() || filter.asks_verdicts();
        if tells { self.scores() } else { Ok(()) }
    }

    /// Whether what machines say of an item may be seen.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] while a blind round still asks for it.
    pub fn item(&self, number: u32) -> Result<()> {
        match &self.veil {
            Some(veil) if veil.has(number.wrapping_sub(1)) => Err(blind(&veil.round)),
            _ => Ok(()),
        }
    }
}

fn blind(round: &str) -> Error {
    Error::new(
        ErrorKind::Denied,
        format!("the round `{round}` is blind: scores and verdicts of others come after yours"),
    )
    .help("judge the items that it asks you for first")
}
