//! Checks that items were on screen when they were judged: the item as it was painted, whether the
//! terminal confirmed it, and which of its pictures were shown. If a picture was not shown, the
//! program asks for confirmation.

use super::overlay::Overlay;
use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Callback, Painted, Pane, Viewed};
use crate::terminal::paint_receipt;
use crate::widgets::toast::Toast;
use benchtop_model::{Seen, Verdict};

/// Why a key gives no verdict.
type Refused = &'static str;

const NOT_YET: Refused = "this item is not on screen yet";
const NO_ITEMS: Refused = "no items yet; Home is where you add them";

/// An item that frames have painted.
#[derive(Clone, Debug)]
pub(super) struct PaintedItem {
    painted: Painted,
    /// The token of the frame that painted it as it is now.
    token: u64,
    /// When the terminal confirmed that frame or a later one.
    confirmed: Option<u64>,
}

impl App {
    /// The items as the last frame painted them.
    fn on_screen(&self) -> Vec<Painted> {
        self.pane().map_or(Vec::new(), Pane::painted)
    }

    /// After a frame: the terminal query to send if the frame painted an item or picture that was
    /// not confirmed yet.
    pub fn receipt_query(&mut self) -> Option<&'static [u8]> {
        if self.overlay.is_some() {
            return None;
        }
        let on_screen = self.on_screen();
        if on_screen.is_empty() {
            return None;
        }
        let before = std::mem::take(&mut self.painted);
        let (token, mut asks) = (self.token + 1, false);
        let mut known = |painted: Painted| {
            let earlier = before
                .iter()
                .find(|item| item.painted.number == painted.number);
            let painted = painted.after(earlier.map(|item| &item.painted));
            if let Some(same) = earlier.filter(|item| item.painted == painted) {
                return same.clone();
            }
            asks |= painted.ready;
            PaintedItem {
                painted,
                token,
                confirmed: None,
            }
        };
        self.painted = on_screen.into_iter().map(&mut known).collect();
        if !asks {
            return None;
        }
        self.token = token;
        let now = self.now();
        Some(self.receipts.request(token, now))
    }

    /// The terminal confirmed the frame of this token, and so all earlier ones.
    pub(super) fn confirmed_frame(&mut self, token: u64, at: u64) {
        for item in &mut self.painted {
            if item.painted.ready && item.token <= token {
                item.confirmed.get_or_insert(at);
            }
        }
    }

    /// The painted item, if it has been seen.
    ///
    /// # Errors
    ///
    /// Why it cannot be judged now.
    fn seen(&mut self, at: u64) -> Result<Viewed, Refused> {
        let none = if self.items() == 0 { NO_ITEMS } else { NOT_YET };
        let first = self.painted.first().cloned().ok_or(none)?;
        let on_screen = self.on_screen();
        self.seen_as(first, &on_screen, at)
    }

    /// Those of these items that have been seen.
    pub(super) fn each_seen(&mut self, numbers: &[u32], at: u64) -> Vec<Viewed> {
        let on_screen = self.on_screen();
        let painted = std::mem::take(&mut self.painted);
        let asked = |item: &&PaintedItem| numbers.contains(&item.painted.number);
        let seen = painted
            .iter()
            .filter(asked)
            .filter_map(|item| self.seen_as(item.clone(), &on_screen, at).ok())
            .collect();
        self.painted = painted;
        seen
    }

    fn seen_as(
        &mut self,
        item: PaintedItem,
        on_screen: &[Painted],
        at: u64,
    ) -> Result<Viewed, Refused> {
        let Painted {
            number,
            rev,
            text_rev,
            ready,
            pictures,
        } = item.painted;
        let same = |now: &Painted| (now.number, now.rev) == (number, rev);
        if !on_screen.iter().any(same) {
            return Err(NOT_YET);
        }
        if !ready {
            return Err("the picture is not on screen yet");
        }
        let viewed = |seen, ms| Viewed {
            number,
            rev,
            text_rev,
            seen,
            ms,
            pictures,
        };
        let seen = match item.confirmed {
            Some(since) => paint_receipt::Seen::Painted(since),
            None => self.receipts.seen(item.token, at),
        };
        match seen {
            paint_receipt::Seen::Painted(since) => {
                let ms = Some(u32::try_from(at.saturating_sub(since)).unwrap_or(u32::MAX));
                let viewed = viewed(Seen::Painted, ms);
                let seen = if viewed.unseen().is_some() {
                    Seen::Partly
                } else {
                    Seen::Painted
                };
                Ok(Viewed { seen, ..viewed })
            }
            paint_receipt::Seen::Unconfirmed => Ok(viewed(Seen::Unconfirmed, None)),
            paint_receipt::Seen::Waiting => {
                Err("your terminal has not shown this item yet; try again once you see it")
            }
        }
    }

    /// The item as it was seen. `None` if it cannot be judged; the reason is shown.
    pub(super) fn viewed(&mut self, at: u64) -> Option<Viewed> {
        match self.seen(at) {
            Ok(viewed) => {
                if let Some(said) = viewed.unconfirmed() {
                    self.say(Toast::info(said));
                }
                Some(viewed)
            }
            Err(why) => {
                self.say(Toast::warning(why));
                None
            }
        }
    }

    /// Runs `then` on the item, after a confirmation if a picture was not shown. Skipping and
    /// flagging need none, since they do not judge the picture.
    pub(super) fn confirm_unseen(
        &mut self,
        id: PaneId,
        viewed: Viewed,
        verdict: Verdict,
        then: Callback<Viewed>,
    ) {
        let then = (id, then);
        let does = match verdict {
            Verdict::Skip | Verdict::Flag => return self.confirmed(viewed, then),
            Verdict::Accept => "accepts",
            Verdict::Reject => "rejects",
            Verdict::Fix => "asks for a fix",
            Verdict::Unsure => "records unsure",
            Verdict::Answer => "answers",
        };
        match viewed.unseen() {
            None => self.confirmed(viewed, then),
            Some(unseen) => {
                let ok = self.keymap.press(Action::MenuConfirm);
                let question = format!("{unseen}: {ok} {does} anyway, any other key cancels");
                self.overlay = Some(Overlay::Confirm {
                    then,
                    viewed,
                    question,
                });
            }
        }
    }

    /// Runs the confirmed action.
    pub(super) fn confirmed(&mut self, viewed: Viewed, (id, mut then): (PaneId, Callback<Viewed>)) {
        self.with_pane(id, |pane, cx| (then.0)(pane, viewed, cx));
    }
}
