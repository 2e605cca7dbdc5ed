//! How pictures are viewed: zoom, blink, and the choice among several.

use super::Sides;
use crate::preview::{Part, Show};
use benchtop_model::Region;

/// How the current picture is viewed. It resets with the next item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewState {
    /// The chosen pictures. `None` picks by the available width.
    pub show: Option<Show>,
    /// The visible region, for all pictures.
    pub region: Region,
    /// While blinking, whether the second picture is visible.
    pub blink: Option<bool>,
}

impl ViewState {
    /// The pictures to show, depending on the room for two.
    pub fn shown(&self, sides: &Sides, wide: bool) -> Show {
        let wide = wide && sides.both();
        let still = self.show.filter(|s| wide || *s != Show::Beside);
        let room = if wide {
            Show::Beside
        } else {
            sides.asked.unwrap_or(Show::First)
        };
        match self.blink {
            Some(true) => Show::Second,
            Some(false) => Show::First,
            None => still.unwrap_or(room),
        }
    }

    /// Switches to the next choice: side by side if there is room, then each alone.
    pub fn turn(&mut self, sides: &Sides, wide: bool) {
        let first = if wide && sides.both() {
            Show::Beside
        } else {
            Show::First
        };
        let next = match self.shown(sides, wide) {
            Show::Beside | Show::Difference => Some(Show::First),
            Show::First => Some(Show::Second),
            alone => {
                let next = Some(Sides::of(alone).end).filter(|at| *at < sides.names.len());
                next.and_then(|at| u8::try_from(at).ok()).map(Show::Other)
            }
        };
        self.show = Some(next.unwrap_or(first));
    }

    /// Shows the difference, or stops showing it.
    pub fn difference(&mut self) {
        self.show = if self.show == Some(Show::Difference) {
            None
        } else {
            Some(Show::Difference)
        };
    }

    /// The part of the pictures to request.
    pub fn part(&self, sides: Option<&Sides>, wide: bool) -> Part {
        let show = sides.map_or(Show::First, |s| self.shown(s, wide));
        Part {
            show,
            region: self.region,
        }
    }
}
