//! What a verdict is given on: the item as it was painted, whether the terminal has shown it, and which of its pictures. Where
//! one was not shown the program asks once more.

use super::overlay::{ConfirmFor, Overlay};
use super::{App, PaneId};
use crate::action::Action;
use crate::panes::review::{Painted, Viewed};
use crate::terminal::paint;
use crate::widgets::toast::Toast;
use benchtop_model::{Seen, Verdict};

/// A key's answer where it judges nothing: why.
type Refused = &'static str;

impl App {
    /// The item that is to be judged, as the last frame painted it.
    fn on_screen(&self) -> Option<Painted> {
        match self.at {
            PaneId::Review => self.review.on_screen(),
            PaneId::Adjudicate => self.adjudicate.on_screen(),
            _ => None,
        }
    }

    /// After a frame: the query to send when it painted an item, or a picture of it, that nobody has been asked about yet.
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

    /// What was painted and whether it has been seen.
    ///
    /// # Errors
    /// Why nothing can be judged now.
    pub(super) fn seen(&mut self, at: u64) -> Result<Viewed, Refused> {
        const NOT_YET: Refused = "this item is not on the screen yet";
        if self.at == PaneId::Review {
            self.review.work().map_or(Ok(()), |work| work.ready())?;
        }
        let painted = self.painted.clone().ok_or(NOT_YET)?;
        let Painted {
            number,
            rev,
            ready,
            pictures,
        } = painted;
        if self.on_screen().map(|now| (now.number, now.rev)) != Some((number, rev)) {
            return Err(NOT_YET);
        }
        if !ready {
            return Err("the picture is not on the screen yet");
        }
        // A second one would be refused: the first changes what was seen.
        if self.at == PaneId::Review && self.review.pending_on(number).is_some() {
            return Err("your verdict on this item is being saved");
        }
        let viewed = |seen, ms| Viewed {
            number,
            rev,
            seen,
            ms,
            pictures,
        };
        match self.receipts.seen(self.token, at) {
            paint::Seen::Painted(since) => {
                let ms = Some(u32::try_from(at.saturating_sub(since)).unwrap_or(u32::MAX));
                let viewed = viewed(Seen::Painted, ms);
                let seen = if viewed.unseen().is_some() {
                    Seen::Partly
                } else {
                    Seen::Painted
                };
                Ok(Viewed { seen, ..viewed })
            }
            paint::Seen::Unconfirmed => Ok(viewed(Seen::Unconfirmed, None)),
            paint::Seen::Waiting => {
                Err("your terminal has not shown this item yet: press again once you see it")
            }
        }
    }

    pub(super) fn tell_unconfirmed(&mut self, seen: Seen) {
        if seen == Seen::Unconfirmed {
            self.say(Toast::info(
                "your terminal does not answer: the verdict is marked, `seen:unconfirmed` finds it",
            ));
        }
    }

    /// Gives the item as it was seen; none where a key judges nothing, which is said.
    pub(super) fn viewed(&mut self, at: u64) -> Option<Viewed> {
        match self.seen(at) {
            Ok(viewed) => {
                self.tell_unconfirmed(viewed.seen);
                Some(viewed)
            }
            Err(why) => {
                self.say(Toast::warning(why));
                None
            }
        }
    }

    /// Does `then` with the item, after asking once more where a picture of it was not shown. Who passes an item over, or on
    /// to somebody else, says nothing of its pictures.
    pub(super) fn once_seen(&mut self, viewed: Viewed, then: ConfirmFor) {
        let verdict = match &then {
            ConfirmFor::Verdict(verdict) => *verdict,
            ConfirmFor::Macro(which) => self
                .keymap
                .macros()
                .get(*which)
                .map_or(Verdict::Accept, |made| made.verdict),
            ConfirmFor::Answer(_) | ConfirmFor::AskAnswer => Verdict::Answer,
            ConfirmFor::Settle { verdict, .. } => *verdict,
        };
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
                let ok = self.keymap.press(Action::MenuOk);
                let question = format!("{unseen}: {ok} {does} anyway, any other key goes back");
                self.overlay = Some(Overlay::Confirm {
                    then,
                    viewed,
                    question,
                });
            }
        }
    }

    /// Does it.
    pub(super) fn confirmed(&mut self, viewed: Viewed, then: ConfirmFor) {
        match then {
            ConfirmFor::Verdict(verdict) => self.judge_viewed(&viewed, verdict),
            ConfirmFor::Macro(which) => self.macro_on(&viewed, which),
            ConfirmFor::Answer(answer) => self.answer_with(&viewed, answer),
            ConfirmFor::AskAnswer => self.ask_answer(viewed),
            ConfirmFor::Settle { verdict, gap } => self.ask_why(viewed, verdict, gap),
        }
    }
}
