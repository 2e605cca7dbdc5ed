//! Marks on the picture: a cursor that walks over its cells, and points and boxes drawn over them.
//!
//! The cursor is a cell of the picture as it is shown, so zooming in makes marks finer. Marks are
//! drawn as cells; while they are shown, the picture is too, even where true pixels are possible.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::ReviewPane;
use super::remarks::Marking;
use crate::action::Action;
use crate::item::{Picture, Sides};
use crate::pane::Context;
use crate::preview::Show;
use crate::theme::{Look, Role};
use crate::widgets::prompt::Prompt;
use crate::widgets::text::counted;
use benchtop_model::{Mark, mark};

/// Cells of a far step.
const FAR: i32 = 8;

/// Where the shown part of a picture is on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    /// Its cells.
    cells: Rect,
    /// The shown part: left, top, width, and height, as fractions.
    part: [f64; 4],
}

impl Place {
    /// Left, top, right, and bottom of a cell as fractions of the picture.
    fn of_cell(&self, (column, row): (u16, u16)) -> [f64; 4] {
        let [x, y, width, height] = self.part;
        let across = width / f64::from(self.cells.width.max(1));
        let down = height / f64::from(self.cells.height.max(1));
        let (left, top) = (x + f64::from(column) * across, y + f64::from(row) * down);
        [left, top, left + across, top + down]
    }

    /// The column and row of a fraction of the picture; outside of the cells if it is not shown.
    fn cell_of(&self, x: f64, y: f64) -> (i32, i32) {
        let [left, top, width, height] = self.part;
        let column = (x - left) / width * f64::from(self.cells.width);
        let row = (y - top) / height * f64::from(self.cells.height);
        (column.floor() as i32, row.floor() as i32)
    }

    fn middle(&self) -> (u16, u16) {
        (self.cells.width / 2, self.cells.height / 2)
    }
}

impl ReviewPane {
    /// Handles an action of the marks. Returns whether it was one.
    pub(super) fn mark_action(&mut self, action: Action, cx: &mut Context<'_>) -> bool {
        let (right, down) = match action {
            Action::MarkPicture => {
                self.begin_marking(cx);
                return true;
            }
            Action::MarkLeft => (-1, 0),
            Action::MarkRight => (1, 0),
            Action::MarkUp => (0, -1),
            Action::MarkDown => (0, 1),
            Action::MarkFarLeft => (-FAR, 0),
            Action::MarkFarRight => (FAR, 0),
            Action::MarkFarUp => (0, -FAR),
            Action::MarkFarDown => (0, FAR),
            Action::MarkCorner => {
                self.set_corner(cx);
                return true;
            }
            Action::PlaceMark => {
                self.place_mark(cx);
                return true;
            }
            Action::RemoveMark => {
                self.remove_mark(cx);
                return true;
            }
            Action::CommentMarks => {
                let marks = self.own_marks().to_vec();
                self.ask_comment(None, marks, cx);
                return true;
            }
            Action::LeaveMarks => {
                self.leave_marks(cx);
                return true;
            }
            _ => return false,
        };
        let (Some(place), Some(marking)) = (self.place_of_picture(), &mut self.remarks.marking)
        else {
            return true;
        };
        let step = |at: u16, by: i32, of: u16| {
            let last = i32::from(of.saturating_sub(1));
            u16::try_from((i32::from(at) + by).clamp(0, last)).unwrap_or(0)
        };
        let (x, y) = marking.at.unwrap_or(place.middle());
        let (columns, rows) = (place.cells.width, place.cells.height);
        marking.at = Some((step(x, right, columns), step(y, down, rows)));
        true
    }

    fn begin_marking(&mut self, cx: &mut Context<'_>) {
        if let Err(why) = self.work().map_or(Ok(()), |work| work.ready()) {
            return cx.refuse(why);
        }
        let is_ready = matches!(self.picture(), Picture::Ready(ready) if ready.is_ok());
        if self.number().is_none() || !is_ready {
            return cx.say("no picture to mark");
        }
        if matches!(self.shown(), Show::Beside | Show::Difference) {
            // A mark belongs to one picture.
            let asked = self.pair().and_then(|sides| sides.asked);
            let mut looking = self.looking();
            looking.show = Some(asked.unwrap_or(Show::First));
            self.look(looking);
        }
        self.close_thread();
        self.remarks.marking = Some(Marking {
            at: None,
            corner: None,
        });
        let key = |action| cx.key(action);
        let said = format!(
            "{} marks a point; {} begins a box; {} ends",
            key(Action::PlaceMark),
            key(Action::MarkCorner),
            key(Action::LeaveMarks),
        );
        cx.say(said);
    }

    fn leave_marks(&mut self, cx: &mut Context<'_>) {
        self.remarks.marking = None;
        let marks = self.own_marks().len() as u64;
        if let (Some(number), 1..) = (self.number(), marks) {
            let marks = counted(marks, "mark");
            cx.say(format!("the next verdict on #{number} carries {marks}"));
        }
    }

    fn set_corner(&mut self, cx: &mut Context<'_>) {
        let Some(place) = self.place_of_picture() else {
            return cx.say("the picture is loading");
        };
        let key = cx.key(Action::PlaceMark);
        let Some(marking) = &mut self.remarks.marking else {
            return;
        };
        let at = marking.at.unwrap_or(place.middle());
        marking.corner = match marking.corner {
            Some(_) => None,
            None => Some(place.of_cell(at)),
        };
        if marking.corner.is_some() {
            cx.say(format!("go to the other corner; {key} places the box"));
        }
    }

    fn place_mark(&mut self, cx: &mut Context<'_>) {
        let (Some(place), Some(picture), Some(number)) = (
            self.place_of_picture(),
            self.marked_picture(),
            self.number(),
        ) else {
            return cx.say("this picture belongs to another item");
        };
        let Some(marking) = &mut self.remarks.marking else {
            return;
        };
        let [left, top, right, bottom] = place.of_cell(marking.at.unwrap_or(place.middle()));
        let mark = match marking.corner.take() {
            None => Mark::point(picture, (left + right) / 2.0, (top + bottom) / 2.0),
            Some(begun) => Mark::area(
                picture,
                (left.min(begun[0]), top.min(begun[1])),
                (right.max(begun[2]), bottom.max(begun[3])),
            ),
        };
        if self.own_marks().len() >= mark::MOST_MARKS {
            return cx.say(format!("no more than {} marks", mark::MOST_MARKS));
        }
        let prompt = Prompt::new("label (may be empty)", "", self.remarks.labels.clone());
        cx.prompt(prompt, move |pane: &mut Self, label, cx| {
            let label = Some(label.trim().to_string()).filter(|label| !label.is_empty());
            let mark = mark.clone().labeled(label.clone());
            mark::check(std::slice::from_ref(&mark), usize::MAX).map_err(|p| p.what)?;
            if let Some(label) = label {
                pane.remarks.labels.retain(|known| *known != label);
                pane.remarks.labels.push(label);
            }
            let attached = pane.remarks.attached.entry(number).or_default();
            attached.marks.push(mark);
            let key = cx.key(Action::CommentMarks);
            cx.say(format!("marked; {key} writes a comment with the marks"));
            Ok(())
        });
    }

    fn remove_mark(&mut self, cx: &mut Context<'_>) {
        let attached = self.number();
        let attached = attached.and_then(|number| self.remarks.attached.get_mut(&number));
        if attached.and_then(|attached| attached.marks.pop()).is_none() {
            cx.say("no mark to remove");
        }
    }

    /// The marks that wait for a comment or verdict on the item on screen.
    fn own_marks(&self) -> &[Mark] {
        let number = self.number();
        number.map_or(&[], |number| self.remarks.marks_on(number))
    }

    /// Whether marks are drawn, so that the picture is drawn as cells.
    pub(super) fn shows_marks(&self) -> bool {
        self.remarks.marking.is_some() || (self.remarks.thread.is_some() && self.has_marks())
    }

    fn has_marks(&self) -> bool {
        !self.visible_marks().is_empty()
    }

    /// The marks on the present pictures, each with its text, and the boxes that the derivation of the
    /// item records.
    fn visible_marks(&self) -> Vec<(String, Mark)> {
        let text = |head: String, mark: &Mark| match &mark.label {
            Some(label) if head.is_empty() => label.clone(),
            Some(label) => format!("{head} {label}"),
            None => head,
        };
        let derivation = self
            .current()
            .and_then(|loaded| loaded.item.derivation.as_ref());
        let boxes = derivation.map(|made| made.boxes()).unwrap_or_default();
        let mut found: Vec<(String, Mark)> = boxes
            .into_iter()
            .map(|mark| (text(String::new(), &mark), mark))
            .collect();
        if let Some(open) = &self.remarks.thread {
            let marks = open.marks();
            found.extend(marks.map(|(at, mark)| (text(at.to_string(), mark), mark.clone())));
            let current = self.current();
            let verdicts = current.iter().flat_map(|loaded| &loaded.standing);
            let marks = verdicts.flat_map(|s| s.judgement.marks.iter().map(move |m| (&s.who, m)));
            found.extend(marks.map(|(who, mark)| (text(who.clone(), mark), mark.clone())));
        }
        let own = self.own_marks().iter();
        found.extend(own.map(|mark| (text(String::new(), mark), mark.clone())));
        found
    }

    /// The number of the picture that is drawn alone, among those of the item.
    fn marked_picture(&self) -> Option<u32> {
        let at = match (self.pair(), self.shown()) {
            (None, _) => Some(0),
            (Some(_), Show::Beside | Show::Difference) => None,
            (Some(sides), alone) => sides.own(Sides::of(alone).start),
        };
        at.and_then(|at| u32::try_from(at + 1).ok())
    }

    /// Where the picture is, if one is drawn alone.
    fn place_of_picture(&self) -> Option<Place> {
        if self.pair().is_some() && matches!(self.shown(), Show::Beside | Show::Difference) {
            return None;
        }
        let Picture::Ready(ready) = self.picture() else {
            return None;
        };
        let (columns, rows) = ready.as_ref().as_ref().ok()?.cells.size();
        let area = self.layout(self.area).picture;
        let (width, height) = (columns.min(area.width), rows.min(area.height));
        if width == 0 || height == 0 {
            return None;
        }
        // As pictures are drawn: in the middle.
        let cells = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        let part = self.drawn.0.region.shares();
        Some(Place { cells, part })
    }

    /// Draws the marks and the cursor over the cells of the picture.
    pub(super) fn draw_marks(&self, buf: &mut Buffer, look: &Look) {
        let (Some(place), Some(picture)) = (self.place_of_picture(), self.marked_picture()) else {
            return;
        };
        if !self.shows_marks() {
            return;
        }
        for (text, mark) in self.visible_marks() {
            if mark.picture == picture {
                draw_mark(&mark, &text, &place, Role::Accent, buf, look);
            }
        }
        let Some(marking) = &self.remarks.marking else {
            return;
        };
        let (column, row) = marking.at.unwrap_or(place.middle());
        let (column, row) = (
            column.min(place.cells.width - 1),
            row.min(place.cells.height - 1),
        );
        if let Some(begun) = marking.corner {
            let [left, top, right, bottom] = place.of_cell((column, row));
            let area = Mark::area(
                picture,
                (left.min(begun[0]), top.min(begun[1])),
                (right.max(begun[2]), bottom.max(begun[3])),
            );
            draw_mark(&area, "", &place, Role::Warn, buf, look);
        }
        let style = look.style(Role::Warn).add_modifier(Modifier::REVERSED);
        let (x, y) = (place.cells.x + column, place.cells.y + row);
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.set_symbol("+").set_style(style);
        }
    }
}

/// Draws one mark with its text, clipped to the cells of the picture.
fn draw_mark(mark: &Mark, text: &str, place: &Place, role: Role, buf: &mut Buffer, look: &Look) {
    let style = look.style(role).add_modifier(Modifier::BOLD);
    let [left, top, right, bottom] = mark.bounds();
    let (x0, y0) = place.cell_of(left, top);
    // A box that ends at an edge between two cells does not reach into the next one.
    let (x1, y1) = place.cell_of(right - 1e-6, bottom - 1e-6);
    let (x1, y1) = (x1.max(x0), y1.max(y0));
    let (columns, rows) = (i32::from(place.cells.width), i32::from(place.cells.height));
    if x1 < 0 || y1 < 0 || x0 >= columns || y0 >= rows {
        return;
    }
    let mut put = |column: i32, row: i32, symbol: &str| {
        if !(0..columns).contains(&column) || !(0..rows).contains(&row) {
            return;
        }
        let (x, y) = (place.cells.x + column as u16, place.cells.y + row as u16);
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.set_symbol(symbol);
            // The ground stays that of the picture.
            if let Some(color) = style.fg {
                cell.set_fg(color);
            }
            cell.modifier.insert(Modifier::BOLD);
        }
    };
    let is_point = matches!(mark.shape, mark::Shape::Point { .. });
    if is_point || (x0 == x1 && y0 == y1) {
        put(x0, y0, if is_point { "*" } else { "□" });
    } else {
        for x in x0..=x1 {
            for (y, ends) in [(y0, ["┌", "┐"]), (y1, ["└", "┘"])] {
                let symbol = match x {
                    _ if y0 == y1 => "─",
                    x if x == x0 && x0 != x1 => ends[0],
                    x if x == x1 && x0 != x1 => ends[1],
                    _ if x0 == x1 => "│",
                    _ => "─",
                };
                put(x, y, symbol);
            }
        }
        for y in y0 + 1..y1 {
            put(x0, y, "│");
            put(x1, y, "│");
        }
    }
    if text.is_empty() {
        return;
    }
    // Beside a point, and on the upper edge of a box.
    let (from, row) = ((x0 + 1).clamp(0, columns - 1), y0.clamp(0, rows - 1));
    let room = (columns - from) as usize;
    let (x, y) = (place.cells.x + from as u16, place.cells.y + row as u16);
    let shown = crate::widgets::text::fit(text, room);
    buf.set_stringn(
        x,
        y,
        shown,
        room,
        look.style(role).add_modifier(Modifier::REVERSED),
    );
}
