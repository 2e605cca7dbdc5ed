//! The place on a contact sheet: the first picture of the sheet, and the one under the cursor.

/// Positions in a list, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The first picture of the sheet.
    pub top: usize,
    /// The picture under the cursor.
    pub cursor: usize,
}

impl Place {
    /// The sheet of `page` pictures that has this position, if sheets begin at 0.
    pub fn at(position: usize, page: usize) -> Place {
        Place {
            top: position - position % page.max(1),
            cursor: position,
        }
    }

    /// Keeps the cursor within a list and on the sheet, after either changed.
    pub fn fit(&mut self, len: usize, page: usize) {
        let page = page.max(1);
        self.cursor = self.cursor.min(len.saturating_sub(1));
        if !(self.top..self.top + page).contains(&self.cursor) {
            *self = Place::at(self.cursor, page);
        }
    }

    /// The positions on the sheet.
    pub fn sheet(self, len: usize, page: usize) -> std::ops::Range<usize> {
        self.top.min(len)..(self.top + page).min(len)
    }

    /// Moves the cursor on the sheet. Returns whether it moved.
    pub fn step(&mut self, by: isize, len: usize, page: usize) -> bool {
        let to = self.cursor.checked_add_signed(by);
        let found = to.filter(|to| self.sheet(len, page).contains(to));
        self.cursor = found.unwrap_or(self.cursor);
        found.is_some()
    }

    /// Goes to the next sheet, or the previous one. Returns whether there is one.
    pub fn turn(&mut self, forward: bool, len: usize, page: usize) -> bool {
        let to = match forward {
            true => Some(self.top + page).filter(|top| *top < len),
            false => (self.top > 0).then(|| self.top.saturating_sub(page)),
        };
        if let Some(top) = to {
            *self = Place { top, cursor: top };
        }
        to.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_on_the_sheet() {
        let mut place = Place::at(13, 12);
        assert_eq!(
            place,
            Place {
                top: 12,
                cursor: 13
            }
        );
        assert!(place.step(-1, 30, 12) && !place.step(-1, 30, 12));
        assert!(!place.step(12, 30, 12), "the next sheet is another key");
        assert!(place.step(11, 30, 12));
        assert_eq!(place.cursor, 23);
    }

    #[test]
    fn turning_stops_at_both_ends() {
        let mut place = Place::default();
        assert!(!place.turn(false, 30, 12));
        assert!(place.turn(true, 30, 12) && place.turn(true, 30, 12));
        assert_eq!((place.top, place.sheet(30, 12)), (24, 24..30));
        assert!(!place.turn(true, 30, 12));
        assert!(place.turn(false, 30, 12));
        assert_eq!(place.top, 12);
    }

    #[test]
    fn a_smaller_sheet_keeps_the_picture_under_the_cursor() {
        let mut place = Place { top: 0, cursor: 25 };
        place.fit(1_000, 12);
        assert_eq!(
            place,
            Place {
                top: 24,
                cursor: 25
            }
        );
        place.fit(10, 12);
        assert_eq!(place, Place { top: 0, cursor: 9 });
        place.fit(0, 12);
        assert_eq!(place.sheet(0, 12), 0..0);
    }
}
