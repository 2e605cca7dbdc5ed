//! Draws one page of a table.
//!
//! A cursor move restyles only the mark and one cell of two rows, so that it is cheap on a slow
//! line.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::state::{GUTTER, Placed, TableState};
use super::{Align, ColumnKind, Empty, RowView, Spec, Window};
use crate::action::Action;
use crate::hits::steps;
use crate::theme::{Look, Role};
use crate::widgets::lines::Lines;
use crate::widgets::{areas, purpose, text};

/// Minimum number of columns of a number cell that the cursor reverses.
const LEAST: u16 = 5;
/// Rows that a notch of the wheel moves.
const WHEEL_ROWS: usize = 3;
/// Width of the bar next to a share.
pub const BAR: u16 = 6;

/// One page of a table: group and column headings, rows, and a line of counts at the bottom.
pub struct TableView<'a> {
    /// All columns.
    pub columns: &'a [Spec],
    /// The loaded rows.
    pub window: &'a Window,
    /// The state, [`TableState::resize`]d to the area before.
    pub state: &'a TableState,
    /// What to show if there are no rows.
    pub empty: &'a Empty,
    /// Shown after the counts.
    pub note: &'a str,
    pub look: &'a Look,
}

impl Widget for TableView<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let placed = self.state.placed(self.columns);
        let grouped = self.columns.iter().any(|c| !c.group.is_empty());
        let mut y = area.y;
        if grouped && area.height > 3 {
            self.groups(&placed, Rect { height: 1, ..area }, buf);
            y += 1;
        }
        self.headings(
            &placed,
            Rect {
                y,
                height: 1,
                ..area
            },
            buf,
        );
        y += 1;
        let body = Rect {
            y,
            height: area.bottom().saturating_sub(y + 1),
            ..area
        };
        if self.window.total == 0 {
            draw_empty(self.empty, body, buf, self.look);
        } else {
            let rows = [Action::Up, Action::Down];
            self.look.hits.wheel(area, rows, WHEEL_ROWS);
            for line in 0..body.height {
                let position = self.state.top + u64::from(line);
                if position >= self.window.total {
                    break;
                }
                let row = Rect {
                    y: body.y + line,
                    height: 1,
                    ..body
                };
                self.row(position, &placed, row, buf);
                self.hits(position, &placed, row);
            }
        }
        if area.height > 1 {
            let last = areas::top(area, area.height - 1).1;
            Lines::new(last, buf, self.look).text(&self.counts(&placed), Role::Dim);
        }
    }
}

impl TableView<'_> {
    fn groups(&self, placed: &[Placed], area: Rect, buf: &mut Buffer) {
        let group = |p: &Placed| self.columns.get(p.column).map_or("", |c| c.group.as_str());
        for run in placed.chunk_by(|a, b| group(a) == group(b)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let name = group(first);
            if name.is_empty() {
                continue;
            }
            let room = usize::from(last.x + last.width - first.x);
            let shown = text::fit(name, room);
            let (x, _) = buf.set_stringn(
                area.x + first.x,
                area.y,
                &shown,
                room,
                self.look.style(Role::Accent),
            );
            let used = usize::from(x - area.x - first.x);
            if !self.look.accessible && used + 1 < room {
                let rule = format!(" {}", "─".repeat(room - used - 1));
                buf.set_stringn(x, area.y, rule, room - used, self.look.style(Role::Border));
            }
        }
    }

    fn headings(&self, placed: &[Placed], area: Rect, buf: &mut Buffer) {
        for p in placed {
            let Some(spec) = self.columns.get(p.column) else {
                continue;
            };
            let mark = self.sort_mark(p.column);
            let room = usize::from(p.width);
            let name = text::fit(spec.label(), room.saturating_sub(text::width(&mark)));
            let used = text::width(&name) + text::width(&mark);
            let pad = if spec.align == Align::Right {
                room.saturating_sub(used)
            } else {
                0
            };
            self.sorts(p, area);
            let x = area.x + p.x + u16::try_from(pad).unwrap_or(0);
            let style = self.look.style(Role::Heading);
            let (x, _) = buf.set_stringn(x, area.y, name, room, style);
            buf.set_stringn(
                x,
                area.y,
                &mark,
                text::width(&mark),
                self.look.style(Role::Accent),
            );
        }
    }

    /// A click on a heading sorts by its column: numbers from the largest, text from the first, and
    /// again in the other direction.
    fn sorts(&self, p: &Placed, area: Rect) {
        let is_number = self
            .columns
            .get(p.column)
            .is_some_and(|c| c.kind != ColumnKind::Text);
        let first = self.state.sort().first();
        let descending = match first.filter(|key| key.column == p.column) {
            Some(key) => !key.descending,
            None => is_number,
        };
        let sort = match descending {
            true => Action::SortDescending,
            false => Action::SortAscending,
        };
        let place = Rect {
            x: area.x + p.x,
            width: p.width.min(area.width.saturating_sub(p.x)),
            ..area
        };
        let columns = self.columns_to(p.column);
        self.look.hits.go(place, columns.chain([sort]), None);
    }

    /// The steps of the cursor to a column.
    fn columns_to(&self, column: usize) -> impl Iterator<Item = Action> {
        let order = self.state.order(self.columns);
        let at = |column| order.iter().position(|c| *c == column).map(|at| at as i64);
        let by = at(column).zip(at(self.state.column));
        steps(
            by.map_or(0, |(to, from)| to - from),
            [Action::Left, Action::Right],
        )
    }

    fn sort_mark(&self, column: usize) -> String {
        let keys = self.state.sort();
        let Some(at) = keys.iter().position(|k| k.column == column) else {
            return String::new();
        };
        let arrow = match (
            keys.get(at).is_some_and(|k| k.descending),
            self.look.accessible,
        ) {
            (false, false) => "▲",
            (true, false) => "▼",
            (false, true) => "^",
            (true, true) => "v",
        };
        if keys.len() == 1 {
            arrow.to_string()
        } else {
            format!("{arrow}{}", at + 1)
        }
    }

    fn row(&self, position: u64, placed: &[Placed], area: Rect, buf: &mut Buffer) {
        let here = position == self.state.row;
        if here {
            let mark = if self.look.accessible { ">" } else { "▌" };
            buf.set_stringn(area.x, area.y, mark, 1, self.look.style(Role::Gutter));
        }
        let Some(row) = self.window.row(position) else {
            let wait = if self.look.accessible {
                "loading"
            } else {
                "…"
            };
            let room = usize::from(area.width.saturating_sub(GUTTER));
            buf.set_stringn(
                area.x + GUTTER,
                area.y,
                wait,
                room,
                self.look.style(Role::Dim),
            );
            return;
        };
        if self.state.selected.contains(&row.id) {
            let mark = if self.look.accessible { "*" } else { "●" };
            buf.set_stringn(area.x + 1, area.y, mark, 1, self.look.style(Role::Flag));
        }
        for p in placed {
            self.cell(row, p, here && p.column == self.state.column, area, buf);
        }
    }

    /// Declares that a click goes to this row and column. A click there opens the row.
    fn hits(&self, position: u64, placed: &[Placed], area: Rect) {
        let down = || {
            let by = position as i64 - self.state.row as i64;
            steps(by, [Action::Up, Action::Down])
        };
        let hits = &self.look.hits;
        hits.go(area, down(), Some(Action::Open));
        for p in placed {
            let place = Rect {
                x: area.x + p.x,
                width: p.width.min(area.width.saturating_sub(p.x)),
                ..area
            };
            let right = self.columns_to(p.column);
            hits.go(place, down().chain(right), Some(Action::Open));
        }
    }

    fn cell(&self, row: &RowView, p: &Placed, cursor: bool, area: Rect, buf: &mut Buffer) {
        let Some(cell) = row.cells.get(p.column) else {
            return;
        };
        let mut style = self.look.style(cell.role);
        if let Some(heat) = cell.heat {
            style = style.patch(self.look.theme.heat(heat));
        }
        let right = self
            .columns
            .get(p.column)
            .is_some_and(|c| c.align == Align::Right);
        let room = usize::from(p.width);
        let used = text::width(&cell.text).min(room);
        let pad = if right {
            u16::try_from(room - used).unwrap_or(0)
        } else {
            0
        };
        let x = area.x + p.x;
        if cell.heat.is_some() {
            buf.set_style(Rect::new(x, area.y, p.width, 1), style);
        }
        // A number cell with enough room has a bar, which shows the same without color.
        let barred = cell
            .heat
            .filter(|_| cell.bar && pad > BAR && !self.look.accessible);
        if let Some(heat) = barred {
            let bar = crate::widgets::meter::bar(f64::from(heat), usize::from(BAR), false);
            buf.set_stringn(x, area.y, bar, usize::from(BAR), style);
        }
        let marked = self.look.style(Role::Match);
        let drawn = text::draw_marked(
            buf,
            (x + pad, area.y),
            room,
            &cell.text,
            &cell.highlights,
            style,
            marked,
        );
        if cursor {
            // Each reversed cell costs bytes in two rows per move, and each style change more. So a
            // wide cell is reversed only at its start, and a cell with matches up to the first
            // match.
            let most = cell
                .highlights
                .first()
                .map_or(40, |i| u16::try_from(*i).unwrap_or(40).clamp(8, 40));
            if right {
                // Only the number, and room before a short one, so that it is visible.
                let pad = pad.min(p.width.saturating_sub(LEAST));
                return buf.set_style(
                    Rect::new(x + pad, area.y, p.width - pad, 1),
                    self.look.style(Role::Selection),
                );
            }
            let narrow = p.width <= 24 && cell.highlights.is_empty();
            let width = if narrow {
                p.width
            } else {
                drawn.max(8).min(most).min(p.width)
            };
            buf.set_style(
                Rect::new(x, area.y, width, 1),
                self.look.style(Role::Selection),
            );
        }
    }

    /// The line below the rows: shown rows, total, and selection.
    fn counts(&self, placed: &[Placed]) -> String {
        let Window { total, of, .. } = *self.window;
        let mut out = if total == 0 {
            "no rows".to_string()
        } else {
            let last = (self.state.top + self.state.page().1).min(total);
            let first = text::grouped(self.state.top + 1);
            format!(
                "rows {first}-{} of {}",
                text::grouped(last),
                text::grouped(total)
            )
        };
        if of != total {
            out += &format!(" ({})", text::grouped(of));
        }
        if !self.state.selected.is_empty() {
            out += &format!(
                "  {} selected",
                text::grouped(self.state.selected.len() as u64)
            );
        }
        if self.state.in_subset() {
            out += "  selected rows only";
        }
        let order = self.state.order(self.columns);
        let at = |p: Option<&Placed>| {
            p.and_then(|p| order.iter().position(|c| *c == p.column))
                .map_or(0, |i| i + 1)
        };
        if placed.len() < order.len() {
            let free = placed.iter().find(|p| !p.pinned).or(placed.first());
            out += &format!(
                "  columns {}-{} of {}",
                at(free),
                at(placed.last()),
                order.len()
            );
        }
        let hidden = self.columns.len() - order.len();
        if hidden > 0 {
            out += &format!("  {hidden} hidden");
        }
        if !self.note.is_empty() {
            out += &format!("  {}", self.note);
        }
        out
    }
}

/// Position of the terminal's cursor, for screen readers and magnifiers that follow it.
pub fn cursor(state: &TableState, columns: &[Spec], area: Rect) -> Option<Position> {
    let placed = state
        .placed(columns)
        .into_iter()
        .find(|p| p.column == state.column)?;
    let header = 1 + u16::from(columns.iter().any(|c| !c.group.is_empty()) && area.height > 3);
    let line = u16::try_from(state.row.checked_sub(state.top)?).ok()?;
    let position = Position::new(area.x + placed.x, area.y + header + line);
    area.contains(position).then_some(position)
}

/// Up to this many lines are centered one by one. More are aligned left.
const LINES_CENTRED: usize = 6;

/// Draws why a table has no rows, with a hint.
pub fn draw_empty(empty: &Empty, area: Rect, buf: &mut Buffer, look: &Look) {
    let (title, role, more) = match empty {
        Empty::Begin(purpose, begin) => {
            purpose::draw(purpose, begin, area, buf, look);
            return;
        }
        Empty::Nothing(hint) => ("Nothing here yet", Role::Heading, hint.as_str()),
        Empty::Filtered(hint) => ("No rows match the filter", Role::Warn, hint.as_str()),
        Empty::Loading => ("Loading", Role::Pending, ""),
        Empty::Failed(reason) => ("Cannot load the rows", Role::Bad, reason.as_str()),
    };
    let room = usize::from(area.width.saturating_sub(4)).min(72);
    let mut lines = vec![(title.to_string(), look.style(role))];
    if !more.is_empty() {
        lines.extend(
            text::wrap(more, room)
                .into_iter()
                .map(|l| (l, look.style(Role::Text))),
        );
    }
    let top = area.y
        + area
            .height
            .saturating_sub(u16::try_from(lines.len()).unwrap_or(0))
            / 3;
    // A list of files reads better left-aligned.
    if lines.len() > LINES_CENTRED {
        let widest = lines
            .iter()
            .map(|(line, _)| text::width(line))
            .max()
            .unwrap_or(0);
        lines
            .iter_mut()
            .for_each(|(line, _)| line.push_str(&" ".repeat(widest - text::width(line))));
    }
    for (i, (line, style)) in lines.into_iter().enumerate() {
        let y = top + u16::try_from(i).unwrap_or(0);
        if y >= area.bottom() {
            break;
        }
        put_centerd(
            buf,
            Rect {
                y,
                height: 1,
                ..area
            },
            &line,
            style,
        );
    }
}

fn put_centerd(buf: &mut Buffer, area: Rect, line: &str, style: Style) {
    let pad = usize::from(area.width).saturating_sub(text::width(line)) / 2;
    let x = area.x + u16::try_from(pad).unwrap_or(0);
    buf.set_stringn(x, area.y, line, usize::from(area.width) - pad, style);
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
