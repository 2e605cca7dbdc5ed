//! How the picture in the review is looked at: zoom, pan, the two of a pair, their difference, the blink between them.

use super::{App, PaneId};
use crate::action::Action;
use crate::panes::review::{Looking, Picture, is_wide};
use crate::preview::{Region, Show};
use crate::widgets::toast::Toast;
use benchtop_model::ColourLevel;

/// Time that each picture stands while it blinks: two changes a second, well below the three flashes a second that WCAG
/// 2.3.1 allows.
const BLINK_MS: u64 = 500;

impl App {
    /// Zooms, pans, or turns the pictures of a pair.
    pub(super) fn look_closer(&mut self, action: Action) {
        let looking = self.review.looking();
        let region = looking.region;
        match action {
            Action::ZoomIn => self.turn_to(region.zoom(true), "this is as near as it gets"),
            Action::ZoomOut => self.turn_to(region.zoom(false), "this is the whole picture"),
            Action::PanLeft => self.pan(-1, 0),
            Action::PanRight => self.pan(1, 0),
            Action::PanUp => self.pan(0, -1),
            Action::PanDown => self.pan(0, 1),
            Action::Blink => self.blink(looking),
            _ => self.turn_pair(action, looking),
        }
    }

    fn pan(&mut self, right: i32, down: i32) {
        let region = self.review.looking().region;
        let why = match region.times() {
            1 => format!(
                "this is the whole picture; {} zooms in",
                self.keymap.press(Action::ZoomIn)
            ),
            _ => "the picture ends there".to_string(),
        };
        self.turn_to(region.pan(right, down), &why);
    }

    /// Looks at another region, or says why it cannot.
    fn turn_to(&mut self, region: Region, why: &str) {
        let looking = self.review.looking();
        if !matches!(self.review.picture(), Picture::Ready(_)) {
            return self.say(Toast::info("there is no picture to look closer at"));
        }
        if region == looking.region {
            return self.say(Toast::info(why));
        }
        self.review.look(Looking { region, ..looking });
        let out = self.keymap.press(Action::ZoomOut);
        self.say(Toast::info(match region.times() {
            1 => "the whole picture".to_string(),
            times => format!("{times} times as near; {out} goes back"),
        }));
    }

    /// Whether the item on screen has two pictures to compare; says why not.
    fn has_pair(&mut self) -> bool {
        let why = match self.review.pair() {
            None => "this item has no second picture to compare with",
            Some(sides) if sides.same() => "both pictures of this pair are the same file",
            Some(sides) if !sides.both() => "one of the two pictures cannot be shown",
            Some(_) => return true,
        };
        self.say(Toast::info(why));
        false
    }

    fn turn_pair(&mut self, action: Action, mut looking: Looking) {
        // To turn to another picture there need only be one.
        let turns = action == Action::OtherPicture
            && self
                .review
                .pair()
                .is_some_and(|sides| !sides.same() || sides.names.len() > 2);
        if !turns && !self.has_pair() {
            return;
        }
        let wide = is_wide(self.review.room(self.pane));
        match (action, self.review.pair()) {
            (Action::PictureDifference, _) => looking.difference(),
            (_, Some(sides)) => looking.turn(sides, wide),
            _ => {}
        }
        self.review.look(looking);
    }

    /// Begins to blink; where there is no colour, or somebody cannot use what moves, shows the difference instead. The key
    /// that began it stops it too.
    fn blink(&mut self, mut looking: Looking) {
        if std::mem::take(&mut self.blinked) || !self.has_pair() {
            return;
        }
        let still = self.setting.look.accessible || self.setting.level == ColourLevel::Mono;
        if still {
            looking.difference();
            self.review.look(looking);
            let shown = looking.show == Some(Show::Difference);
            let said = if shown {
                "where they differ, in place of blinking"
            } else {
                "as before"
            };
            return self.say(Toast::info(said));
        }
        looking.blink = Some(self.review.shown() == Show::First);
        self.review.look(looking);
        self.blink_at = Some(self.now() + BLINK_MS);
        self.say(Toast::info("A and B in turn; any key stops it"));
    }

    /// Shows the other picture, once the one before it has been on the screen.
    pub(super) fn blink_on(&mut self, now: u64) {
        let looking = self.review.looking();
        let Some(second) = looking
            .blink
            .filter(|_| self.at == PaneId::Review && self.overlay.is_none())
        else {
            self.blink_at = None;
            return;
        };
        self.blink_at = Some(now + BLINK_MS);
        // On a slow disk the one that is due may not be ready: it is waited for, and nothing is drawn meanwhile.
        let due = if second { Show::Second } else { Show::First };
        if self.review.shown() == due {
            self.review.look(Looking {
                blink: Some(!second),
                ..looking
            });
            self.dirty = true;
        }
    }

    /// Any key stops it.
    pub(super) fn stop_blinking(&mut self) {
        let looking = self.review.looking();
        self.blinked = looking.blink.is_some() && self.blink_at.is_some();
        self.blink_at = None;
        if looking.blink.is_some() {
            self.review.look(Looking {
                blink: None,
                ..looking
            });
        }
    }

    /// What the keys for a pair are, as its caption says them, the most useful first.
    pub(super) fn pair_keys(&self) -> Vec<String> {
        let hint = |action, word| format!("{} {word}", self.keymap.press(action));
        vec![
            hint(Action::OtherPicture, "other"),
            hint(Action::Blink, "blink"),
            hint(Action::PictureDifference, "difference"),
        ]
    }
}
