//! Drawing of the review pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, BorderType, Widget};

use super::ReviewPane;
use super::text::{Lines, Shown, write};
use crate::action::Action;
use crate::item::Picture;
use crate::preview::worker::GAP;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::draw_more;
use crate::widgets::table::{Empty, draw::draw_empty};
use crate::widgets::text;
use benchtop_model::Status;

/// The least width with the picture beside the text. Narrower panes put it above, unless they are so
/// low that it is larger beside the text.
const SIDE_BY_SIDE: u16 = 64;
/// The least width of a low pane with the picture beside the text.
const LOW_SIDE_BY_SIDE: u16 = 48;

/// The least width with both pictures of a pair side by side.
const ROOM_FOR_TWO: u16 = 120;

/// The areas of picture and text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The line above the pictures of a pair; empty for a single picture.
    pub caption: Rect,
    /// The picture, or both pictures of a pair.
    pub picture: Rect,
    pub text: Rect,
}

/// Whether two pictures fit side by side.
pub fn is_wide(columns: u16) -> bool {
    columns >= ROOM_FOR_TWO
}

/// Splits `area` into picture and text. The picture gets the width of a square, at most three
/// fifths. Two pictures get two thirds.
pub fn layout(area: Rect, pair: bool) -> Layout {
    let is_low = area.width >= LOW_SIDE_BY_SIDE && area.height * 2 <= area.width * 3 / 5;
    let (picture, text) = if area.width < SIDE_BY_SIDE && !is_low {
        let height = area.height / 2;
        areas::top(area, height)
    } else {
        // Cells are about twice as high as wide.
        let width = match pair && is_wide(area.width) {
            true => area.width * 2 / 3,
            false => (area.height * 2)
                .min(area.width * 3 / 5)
                .max(area.width / 3),
        };
        areas::left(area, width, 1)
    };
    let (caption, picture) = areas::top(picture, u16::from(pair));
    Layout {
        caption,
        picture,
        text,
    }
}

/// The word for a status, with a mark that works without color.
pub fn status_words(status: Status) -> (&'static str, Role) {
    match status {
        Status::Pending => ("pending", Role::Dim),
        Status::Accepted => ("✓ accepted", Role::Good),
        Status::Rejected => ("✗ rejected", Role::Bad),
        Status::ToFix => ("~ to fix", Role::Warn),
        Status::Flagged => ("! flagged", Role::Flag),
        Status::Skipped => ("» skipped", Role::Dim),
    }
}

/// Draws a picture, or a frame with the reason why there is none. With `bare`, leaves the area free
/// for true pixels.
pub fn draw_picture(picture: &Picture, bare: bool, area: Rect, buf: &mut Buffer, look: &Look) {
    match picture {
        Picture::Loading => framed("loading picture", Role::Dim, area, buf, look),
        Picture::None(why) => framed(&format!("no picture: {why}"), Role::Warn, area, buf, look),
        Picture::Ready(ready) => match ready.as_ref() {
            Ok(picture) if bare && picture.pixels.is_some() => {}
            Ok(picture) => Widget::render(&picture.cells, area, buf),
            Err(problem) => framed(
                &format!("no picture: {}", problem.what),
                Role::Warn,
                area,
                buf,
                look,
            ),
        },
    }
}

impl ReviewPane {
    pub(super) fn draw_review(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        if area.is_empty() {
            return;
        }
        if !self.draw_round(area, buf, look) {
            return;
        }
        if self.queue.is_empty() {
            let empty = if !self.ready || self.queue.is_all() {
                Empty::Loading
            } else {
                Empty::Filtered("/ then enter on an empty line shows all items".into())
            };
            return draw_empty(&empty, area, buf, look);
        }
        let Layout {
            caption,
            picture,
            text,
        } = self.layout(area);
        self.draw_caption(caption, picture, buf, look);
        draw_picture(&self.picture, self.bare, picture, buf, look);
        self.draw_selection(picture, buf, look);
        self.draw_marks(buf, look);
        self.draw_text(text, buf, look);
    }

    /// The areas of the item on the screen.
    pub fn layout(&self, area: Rect) -> Layout {
        layout(self.room(area), self.sides.is_some())
    }

    /// Draws the line above a pair: the name of each picture, the difference, and key hints if they
    /// fit.
    fn draw_caption(&self, area: Rect, picture: Rect, buf: &mut Buffer, look: &Look) {
        let (Some(sides), false) = (&self.sides, area.is_empty()) else {
            return;
        };
        let ready = match &self.picture {
            Picture::Ready(ready) => ready.as_ref().as_ref().ok(),
            _ => None,
        };
        // Directly above the cells. A picture in true pixels may extend higher than its cells.
        let cells = ready
            .filter(|p| !(self.bare && p.pixels.is_some()))
            .map(|p| p.cells.size());
        let blank = cells.map_or(0, |(_, rows)| picture.height.saturating_sub(rows) / 2);
        let area = Rect {
            y: area.y + blank,
            ..area
        };
        let columns = ready.map_or(area.width, |p| p.cells.size().0.min(area.width));
        let left = area.x + (area.width - columns) / 2;
        let middle = left + (columns.saturating_sub(GAP) / 2 + GAP).min(columns);
        let [mut first, mut second] = sides.caption(self.shown());
        if self.work.as_ref().is_some_and(|work| work.asks_answers()) {
            // Picture names can give the answer away.
            let letter = |name: &mut String| name.truncate(name.find(' ').unwrap_or(name.len()));
            [&mut first, &mut second]
                .into_iter()
                .flatten()
                .for_each(letter);
        }
        let differs = ready.and_then(|p| p.differs);
        let differs = differs.map(|share| format!(": {:.1} % of pixels differ", 100.0 * share));
        let first = first.unwrap_or_default() + &differs.unwrap_or_default();
        let mut put = |x: u16, right: u16, caption: &str| {
            let room = usize::from(right.saturating_sub(x));
            buf.set_stringn(
                x,
                area.y,
                text::fit(caption, room),
                room,
                look.style(Role::Heading),
            )
            .0
        };
        let end = match &second {
            None => put(left, area.right(), &first),
            Some(second) => {
                put(left, middle.saturating_sub(1), &first);
                put(middle, area.right(), second)
            }
        };
        // As many key hints as fit, the most useful first.
        let room = usize::from(area.right().saturating_sub(end + 2));
        let fits = (1..=self.keys.len())
            .rev()
            .map(|n| self.keys[..n].join("  "))
            .find(|k| text::width(k) <= room);
        if let Some(keys) = fits {
            let x = area.right() - text::width(&keys) as u16;
            buf.set_stringn(x, area.y, &keys, room, look.style(Role::Hint));
        }
    }

    fn draw_text(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(number) = self.number() else { return };
        let mut lines = Lines::new(area.width.min(text::READABLE));
        let height = usize::from(area.height);
        if let Some(open) = &self.remarks.thread {
            let (from, to) = open.write(&self.remarks.hint, &mut lines);
            if open.moved {
                // The whole comment, or its beginning if it is longer than the screen.
                let last = to.saturating_sub(height);
                self.scroll = self.scroll.clamp(last.min(from), from);
            }
            return self.draw_lines(&lines, area, buf, look);
        }
        match self.items.get(&number) {
            None => lines.say(&format!("#{number}  loading"), Role::Dim),
            Some(Err(why)) => lines.say(&format!("#{number}  {why}"), Role::Bad),
            Some(Ok(loaded)) => {
                let pending = self.pending_on(number);
                let shown = self.work.as_deref().map_or(Shown::All, Shown::of);
                write(number, loaded, pending, shown, look, &mut lines);
            }
        }
        if let Some(note) = self.notes.get(&number) {
            lines.first(&format!("your note: {note}"), Role::Accent);
        }
        let attached = self.attached_words(number);
        if !attached.is_empty() {
            lines.first(
                &format!("the next verdict carries: {attached}"),
                Role::Accent,
            );
        }
        if let Some(comments) = self.loaded(number).map(|l| l.comments).filter(|n| *n > 0) {
            let comments = text::counted(comments.into(), "comment");
            let key = &self.remarks.key;
            lines.first(&format!("{comments} ({key} shows them)"), Role::Accent);
        }
        let scroll = [Action::ScrollUp, Action::ScrollDown];
        look.hits.wheel(area, scroll, 1);
        self.draw_lines(&lines, area, buf, look);
    }

    /// Draws the lines from the scroll position on.
    fn draw_lines(&mut self, lines: &Lines, area: Rect, buf: &mut Buffer, look: &Look) {
        if let Some(open) = &mut self.remarks.thread {
            open.moved = false;
        }
        let height = usize::from(area.height);
        self.overflow = lines.lines.len().saturating_sub(height);
        self.scroll = self.scroll.min(self.overflow);
        for (y, line) in (area.y..area.bottom()).zip(lines.lines.iter().skip(self.scroll)) {
            line.draw((area.x, y), usize::from(area.width), buf, look);
        }
        if height > 1 {
            draw_more(self.overflow - self.scroll, "pgdn", area, buf, look);
        }
    }

    /// The position in the queue, and the queue's filter. Empty in a round, which has its own
    /// header.
    pub fn position_text(&self) -> (String, String) {
        if self.work.is_some() || self.queue.is_empty() {
            return Default::default();
        }
        let (at, of) = (self.position as u64 + 1, self.queue.len() as u64);
        let filter = if self.queue.is_all() {
            String::new()
        } else {
            format!("  [{}]", self.queue.title())
        };
        (
            format!("{} of {}", text::grouped(at), text::grouped(of)),
            filter,
        )
    }

    /// The last receipt, or that one is awaited.
    pub fn receipt(&self) -> String {
        match self.pending.len() {
            0 => self
                .saved
                .as_ref()
                .map(|s| format!("✓ {s}"))
                .unwrap_or_default(),
            1 => "saving".to_string(),
            n => format!("saving {n}"),
        }
    }

    /// The greatest widths in this queue of the position of [`place_words`](Self::place_words) and
    /// of [`receipt`](Self::receipt). They keep the tabs from moving with every receipt.
    pub fn status_widths(&self) -> (usize, usize) {
        if self.queue.is_empty() && self.work.is_none() {
            return (0, 0);
        }
        let saved = text::width("✓ # saved") + self.queue.items().to_string().len();
        let of = text::width(&text::grouped(self.queue.len() as u64));
        (
            if self.work.is_some() {
                0
            } else {
                2 * of + text::width(" of ")
            },
            saved,
        )
    }
}

/// Draws a message in a frame in the middle of the area.
fn framed(message: &str, role: Role, area: Rect, buf: &mut Buffer, look: &Look) {
    let mut inner = area;
    if !look.accessible && area.width > 4 && area.height > 2 {
        let block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(look.style(Role::Border));
        inner = block.inner(area);
        block.render(area, buf);
    }
    let lines = text::wrap(message, usize::from(inner.width.saturating_sub(2)));
    let top = inner.y + inner.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (top..inner.bottom()).zip(lines) {
        let x = inner.x + inner.width.saturating_sub(text::width(&line) as u16) / 2;
        buf.set_stringn(x, y, line, usize::from(inner.width), look.style(role));
    }
}
