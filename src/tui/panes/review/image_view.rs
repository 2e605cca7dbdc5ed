//! How the review shows pictures: zoom, pan, and pairs with difference and blinking.

use super::{ReviewPane, is_wide};
use crate::action::Action;
use crate::item::{Picture, ViewState};
use crate::pane::{Context, Scene};
use crate::preview::Show;
use benchtop_model::Region;

/// Time per picture while blinking: two changes a second, below the three flashes a second that
/// WCAG 2.3.1 allows.
const BLINK_MS: u64 = 500;

impl ReviewPane {
    /// Zooms, pans, or switches between the pictures of a pair.
    pub(super) fn view_action(&mut self, action: Action, cx: &mut Context<'_>) {
        let looking = self.looking();
        let region = looking.region;
        match action {
            Action::ZoomIn => self.show_region(region.zoom(true), "maximum zoom", cx),
            Action::ZoomOut => {
                self.show_region(region.zoom(false), "the whole picture is shown", cx)
            }
            Action::PanLeft => self.pan(-1, 0, cx),
            Action::PanRight => self.pan(1, 0, cx),
            Action::PanUp => self.pan(0, -1, cx),
            Action::PanDown => self.pan(0, 1, cx),
            Action::Blink => self.blink(looking, cx),
            _ => self.switch_pair(action, looking, cx),
        }
    }

    fn pan(&mut self, right: i32, down: i32, cx: &mut Context<'_>) {
        let region = self.looking().region;
        let why = match region {
            Region::WHOLE => format!(
                "the whole picture is shown; {} zooms in",
                cx.key(Action::ZoomIn)
            ),
            _ => "edge of the picture".to_string(),
        };
        self.show_region(region.pan(right, down), &why, cx);
    }

    /// Shows another region, or says why it cannot.
    pub(super) fn show_region(&mut self, region: Region, why: &str, cx: &mut Context<'_>) {
        let looking = self.looking();
        if !matches!(self.picture(), Picture::Ready(_)) {
            return cx.say("no picture to zoom into");
        }
        if region == looking.region {
            return cx.say(why);
        }
        self.look(ViewState { region, ..looking });
        let out = cx.key(Action::ZoomOut);
        cx.say(match region {
            Region::WHOLE => "whole picture".to_string(),
            _ => {
                let times = format!("{:.1}", region.times());
                let times = times.strip_suffix(".0").unwrap_or(&times);
                format!("zoom {times}x; {out} zooms out")
            }
        });
    }

    /// Whether the item on screen has two pictures to compare. If not, says why.
    fn has_pair(&self, cx: &mut Context<'_>) -> bool {
        let why = match self.pair() {
            None => "this item has no second picture",
            Some(sides) if sides.same() => "both pictures of this pair are the same file",
            Some(sides) if !sides.both() => "one of the two pictures cannot be shown",
            Some(_) => return true,
        };
        cx.say(why);
        false
    }

    fn switch_pair(&mut self, action: Action, mut looking: ViewState, cx: &mut Context<'_>) {
        // Switching to the other picture needs only one that works.
        let turns = action == Action::OtherPicture
            && self
                .pair()
                .is_some_and(|sides| !sides.same() || sides.names.len() > 2);
        if !turns && !self.has_pair(cx) {
            return;
        }
        let wide = is_wide(self.room(self.area).width);
        match (action, self.pair()) {
            (Action::PictureDifference, _) => looking.difference(),
            (_, Some(sides)) => looking.turn(sides, wide),
            _ => {}
        }
        self.look(looking);
    }

    /// Starts or stops blinking. Without color or with a screen reader, shows the difference
    /// instead.
    fn blink(&mut self, mut looking: ViewState, cx: &mut Context<'_>) {
        if std::mem::take(&mut self.blinked) || !self.has_pair(cx) {
            return;
        }
        if cx.env.is_still {
            looking.difference();
            self.look(looking);
            let shown = looking.show == Some(Show::Difference);
            let said = if shown {
                "showing the difference instead of blinking"
            } else {
                "showing both pictures"
            };
            return cx.say(said);
        }
        looking.blink = Some(self.shown() == Show::First);
        self.look(looking);
        self.blink_due.restart(cx.env.now + BLINK_MS);
        cx.say("blinking between A and B; any key stops");
    }

    /// Shows the other picture, once the current one has been on screen.
    pub(super) fn advance_blink(&mut self, cx: &mut Context<'_>) {
        let looking = self.looking();
        let is_shown = cx.env.is_shown && !cx.env.is_covered;
        let Some(second) = looking.blink.filter(|_| is_shown) else {
            return;
        };
        self.blink_due.restart(cx.env.now + BLINK_MS);
        // On a slow disk the next picture may not be ready: wait for it.
        let due = if second { Show::Second } else { Show::First };
        if self.shown() == due {
            self.look(ViewState {
                blink: Some(!second),
                ..looking
            });
        }
    }

    /// Stops blinking, on any key.
    pub(super) fn stop_blinking(&mut self) {
        let looking = self.looking();
        self.blinked = looking.blink.is_some() && self.blink_due.due().is_some();
        self.blink_due.stop();
        if looking.blink.is_some() {
            self.look(ViewState {
                blink: None,
                ..looking
            });
        }
    }

    /// Key hints for the caption of a pair, most useful first.
    pub(super) fn pair_keys(scene: &Scene<'_>) -> Vec<String> {
        let hint = |action, word| format!("{} {word}", scene.key(action));
        vec![
            hint(Action::OtherPicture, "other"),
            hint(Action::Blink, "blink"),
            hint(Action::PictureDifference, "difference"),
        ]
    }
}
