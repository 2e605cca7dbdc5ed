//! How the review shows pictures: zoom, pan, and pairs with difference and blinking.

use super::{App, PaneId};
use crate::action::Action;
use crate::item::{Picture, ViewState};
use crate::panes::review::is_wide;
use crate::preview::{Region, Show};
use crate::widgets::toast::Toast;
use benchtop_model::ColorLevel;

/// Time per picture while blinking: two changes a second, below the three flashes a second that
/// WCAG 2.3.1 allows.
const BLINK_MS: u64 = 500;

impl App {
    /// Zooms, pans, or switches between the pictures of a pair.
    pub(super) fn view_action(&mut self, action: Action) {
        let looking = self.review.looking();
        let region = looking.region;
        match action {
            Action::ZoomIn => self.show_region(region.zoom(true), "maximum zoom"),
            Action::ZoomOut => self.show_region(region.zoom(false), "the whole picture is shown"),
            Action::PanLeft => self.pan(-1, 0),
            Action::PanRight => self.pan(1, 0),
            Action::PanUp => self.pan(0, -1),
            Action::PanDown => self.pan(0, 1),
            Action::Blink => self.blink(looking),
            _ => self.switch_pair(action, looking),
        }
    }

    fn pan(&mut self, right: i32, down: i32) {
        let region = self.review.looking().region;
        let why = match region.times() {
            1 => format!(
                "the whole picture is shown; {} zooms in",
                self.keymap.press(Action::ZoomIn)
            ),
            _ => "edge of the picture".to_string(),
        };
        self.show_region(region.pan(right, down), &why);
    }

    /// Shows another region, or says why it cannot.
    fn show_region(&mut self, region: Region, why: &str) {
        let looking = self.review.looking();
        if !matches!(self.review.picture(), Picture::Ready(_)) {
            return self.say(Toast::info("no picture to zoom into"));
        }
        if region == looking.region {
            return self.say(Toast::info(why));
        }
        self.review.look(ViewState { region, ..looking });
        let out = self.keymap.press(Action::ZoomOut);
        self.say(Toast::info(match region.times() {
            1 => "whole picture".to_string(),
            times => format!("zoom {times}x; {out} zooms out"),
        }));
    }

    /// Whether the item on screen has two pictures to compare. If not, says why.
    fn has_pair(&mut self) -> bool {
        let why = match self.review.pair() {
            None => "this item has no second picture",
            Some(sides) if sides.same() => "both pictures of this pair are the same file",
            Some(sides) if !sides.both() => "one of the two pictures cannot be shown",
            Some(_) => return true,
        };
        self.say(Toast::info(why));
        false
    }

    fn switch_pair(&mut self, action: Action, mut looking: ViewState) {
        // Switching to the other picture needs only one that works.
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

    /// Starts or stops blinking. Without color or with a screen reader, shows the difference
    /// instead.
    fn blink(&mut self, mut looking: ViewState) {
        if std::mem::take(&mut self.blinked) || !self.has_pair() {
            return;
        }
        let still = self.setting.look.accessible || self.setting.level == ColorLevel::Mono;
        if still {
            looking.difference();
            self.review.look(looking);
            let shown = looking.show == Some(Show::Difference);
            let said = if shown {
                "showing the difference instead of blinking"
            } else {
                "showing both pictures"
            };
            return self.say(Toast::info(said));
        }
        looking.blink = Some(self.review.shown() == Show::First);
        self.review.look(looking);
        self.blink_at = Some(self.now() + BLINK_MS);
        self.say(Toast::info("blinking between A and B; any key stops"));
    }

    /// Shows the other picture, once the current one has been on screen.
    pub(super) fn advance_blink(&mut self, now: u64) {
        let looking = self.review.looking();
        let Some(second) = looking
            .blink
            .filter(|_| self.at == PaneId::Review && self.overlay.is_none())
        else {
            self.blink_at = None;
            return;
        };
        self.blink_at = Some(now + BLINK_MS);
        // On a slow disk the next picture may not be ready: wait for it without drawing.
        let due = if second { Show::Second } else { Show::First };
        if self.review.shown() == due {
            self.review.look(ViewState {
                blink: Some(!second),
                ..looking
            });
            self.dirty = true;
        }
    }

    /// Stops blinking, on any key.
    pub(super) fn stop_blinking(&mut self) {
        let looking = self.review.looking();
        self.blinked = looking.blink.is_some() && self.blink_at.is_some();
        self.blink_at = None;
        if looking.blink.is_some() {
            self.review.look(ViewState {
                blink: None,
                ..looking
            });
        }
    }

    /// Key hints for the caption of a pair, most useful first.
    pub(super) fn pair_keys(&self) -> Vec<String> {
        let hint = |action, word| format!("{} {word}", self.keymap.press(action));
        vec![
            hint(Action::OtherPicture, "other"),
            hint(Action::Blink, "blink"),
            hint(Action::PictureDifference, "difference"),
        ]
    }
}
