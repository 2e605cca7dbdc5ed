//! Moving on the sheet, paging, and leaving.

use super::SheetPane;
use super::place::Place;
use crate::action::Action;
use crate::pane::{Context, Target};
use benchtop_model::Filter;

impl SheetPane {
    /// The list that is shown, its length, and the pictures of a sheet.
    fn shown(&mut self) -> (&mut Place, usize) {
        match &mut self.samples {
            Some(samples) => {
                let len = samples.list().len();
                (&mut samples.place, len)
            }
            None => {
                let len = self.queue.len();
                (&mut self.place, len)
            }
        }
    }

    pub(super) fn step(&mut self, action: Action, cx: &mut Context<'_>) {
        let (page, columns) = (self.page(), self.grid().columns as isize);
        let by = match action {
            Action::SheetLeft => -1,
            Action::SheetRight => 1,
            Action::SheetUp => -columns,
            _ => columns,
        };
        let (place, len) = self.shown();
        if !place.step(by, len, page) && len > 0 {
            let (next, previous) = (cx.key(Action::NextSheet), cx.key(Action::PreviousSheet));
            cx.say(format!(
                "edge of the sheet: {next} and {previous} turn sheets"
            ));
        }
    }

    pub(super) fn turn(&mut self, action: Action, cx: &mut Context<'_>) {
        let page = self.page();
        let (place, len) = self.shown();
        let turned = match action {
            Action::NextSheet => place.turn(true, len, page),
            Action::PreviousSheet => place.turn(false, len, page),
            Action::FirstSheet => {
                *place = Place::default();
                true
            }
            _ => {
                *place = Place::at(len.saturating_sub(1), page);
                true
            }
        };
        match (turned, action) {
            (true, _) => self.turned(cx),
            (false, Action::NextSheet) => cx.say("this is the last sheet"),
            (false, _) => cx.say("this is the first sheet"),
        }
    }

    /// After going to another sheet: what was selected is no longer on screen.
    pub(super) fn turned(&mut self, cx: &mut Context<'_>) {
        self.selected.clear();
        self.fetch(cx);
    }

    /// Shows larger or smaller pictures.
    pub(super) fn scale(&mut self, larger: bool, cx: &mut Context<'_>) {
        let options = self.grids();
        let now = self.grid();
        let at = options.iter().position(|grid| *grid == now).unwrap_or(0);
        let to = match larger {
            true => at.checked_sub(1),
            false => Some(at + 1),
        };
        let Some(grid) = to.and_then(|to| options.get(to)) else {
            return cx.say(match larger {
                true => "these are the largest pictures of a sheet",
                false => "these are the smallest pictures of a sheet",
            });
        };
        self.height = grid.height();
        let page = grid.count();
        let (place, len) = self.shown();
        place.fit(len, page);
        cx.say(format!("{page} pictures on a sheet"));
        self.fetch(cx);
    }

    /// Opens the item under the cursor in the review. Back returns here.
    pub(super) fn open_item(&self, cx: &mut Context<'_>) {
        let number = self.samples.as_ref().map(|samples| samples.number);
        let Some(number) = number.or(self.number()) else {
            return cx.say("nothing to open");
        };
        let filter = match self.own && self.arranged.is_none() {
            true => Filter::parse(&self.queue.words).ok(),
            false => None,
        };
        cx.open(match filter {
            Some(filter) => Target::Queue {
                number,
                filter,
                sort: Vec::new(),
            },
            None => Target::Item(number),
        });
    }

    /// Closes the samples, unselects, closes the rows, or returns to the review at the item under the cursor.
    pub(super) fn back(&mut self, cx: &mut Context<'_>) {
        if let Some(samples) = self.samples.take() {
            if let Some(pane) = samples.from {
                cx.open(Target::Back(pane));
            }
            return;
        }
        if !self.selected.is_empty() {
            self.selected.clear();
            return cx.say("nothing is selected now");
        }
        if !self.unarrange(cx) {
            cx.leave();
        }
    }
}
