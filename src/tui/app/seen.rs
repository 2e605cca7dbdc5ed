//! Checks that an item was on screen when it was judged: the item as it was painted, whether the
//! terminal confirmed it, and which of its pictures were shown. If a picture was not shown, the
//! program asks for confirmation.

use super::overlay::Overlay;
use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Callback, Painted, Viewed};
use crate::terminal::paint_receipt;
use crate::widgets::toast::Toast;
use benchtop_model::{Seen, Verdict};

/// Why a key gives no verdict.
type Refused = &'static str;

impl App {
    /// The item as the last frame painted it.
    fn on_screen(&self) -> Option<Painted> {
        self.pane()?.painted()
    }

    /// After a frame: the terminal query to send if the frame painted an item or picture that was
    /// not confirmed yet.
    pub fn receipt_query(&mut self) -> Option<&'static [u8]> {
        if self.overlay.is_some() {
            return None;
        }
        let painted = self.on_screen()?.after(self.painted.as_ref());
        if self.painted.as_ref() == Some(&painted) {
            return None;
        }
        let ready = painted.ready;
        self.painted = Some(painted);
        if !ready {
            return None;
        }
        self.token += 1;
        let now = self.now();
        Some(self.receipts.request(self.token, now))
    }

    /// The painted item, if it has been seen.
    ///
    /// # Errors
    ///
    /// Why it cannot be judged now.
    pub(super) fn seen(&mut self, at: u64) -> Result<Viewed, Refused> {
        const NOT_YET: Refused = "this item is not on screen yet";
        let painted = self.painted.clone().ok_or(NOT_YET)?;
        let Painted {
            number,
            rev,
            text_rev,
            ready,
            pictures,
        } = painted;
        if self.on_screen().map(|now| (now.number, now.rev)) != Some((number, rev)) {
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
        match self.receipts.seen(self.token, at) {
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
