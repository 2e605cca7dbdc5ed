//! Draws the home pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::HomePane;
use super::rows::{Block, Line, Part, Shown};
use crate::action::Action;
use crate::hits::steps;
use crate::pane::Scene;
use crate::panes::review::draw_picture;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::meter::{bar, sparkline};
use crate::widgets::table::Empty;
use crate::widgets::table::draw::draw_empty;
use crate::widgets::text;

/// The least width with two columns of blocks.
const WIDE: u16 = 130;
/// The least width of a screen with the newest picture, and the least height of it.
const WITH_PICTURE: u16 = 160;
const LEAST_PICTURE: u16 = 8;
/// The widest left column, so that the right one stays near it.
const WIDEST_COLUMN: u16 = 100;
/// The widest bar.
const WIDEST_BAR: u16 = 40;

impl HomePane {
    pub(super) fn draw_home(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let look = scene.look;
        match &self.home {
            None => return draw_empty(&Empty::Loading, area, buf, look),
            Some(Err(problem)) => {
                let why = Empty::Failed(problem.to_string());
                return draw_empty(&why, area, buf, look);
            }
            Some(Ok(_)) => {}
        }
        let wide = area.width >= WIDE;
        let (left, right) = match wide {
            true => areas::left(area, (area.width * 11 / 20).min(WIDEST_COLUMN), 3),
            false => (area, Rect::default()),
        };
        let mut number = 0;
        let (mut y, mut y_right) = (left.y, right.y);
        for block in &self.blocks {
            let (place, y) = match wide && block.right {
                true => (right, &mut y_right),
                false => (left, &mut y),
            };
            let gap = self.gap(place.height);
            *y = self.draw_block(block, &mut number, (place, *y), buf, look) + gap;
        }
        if area.width >= WITH_PICTURE {
            let rest = areas::top(right, y_right.saturating_sub(right.y)).1;
            self.draw_newest(rest, buf, scene);
        }
    }

    /// Draws the newest picture that a job made.
    fn draw_newest(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let made = self
            .jobs
            .iter()
            .filter_map(|job| Some((job, job.newest.as_ref()?)));
        let newest = made.max_by_key(|(job, _)| (job.standing.is_active(), job.id));
        let Some((job, newest)) = newest.filter(|_| area.height >= LEAST_PICTURE) else {
            return;
        };
        let draft = if newest.draft { ", draft" } else { "" };
        let caption = format!(" Newest picture: #{}, job {}{draft}", newest.number, job.id);
        Lines::new(area, buf, scene.look).text(&caption, Role::Heading);
        let place = areas::left(areas::top(area, 1).1, 1, 0).1;
        // Cells are about twice as high as wide.
        let place = Rect {
            width: place.width.min(place.height * 2),
            ..place
        };
        if let Some(picture) = scene.newest(newest, place) {
            draw_picture(&picture, false, place, buf, scene.look);
        }
    }

    /// Declares that a click goes to a link of a line, which is so many lines with links below the
    /// cursor. A click there opens it.
    fn hits(&self, down: i64, links: &[Rect], row: Rect, look: &Look) {
        let Some(last) = links.len().checked_sub(1) else {
            return;
        };
        let open = Some(Action::Open);
        let here = self.cursor.1.min(last);
        let columns = [Action::Left, Action::Right];
        let down = || steps(down, [Action::Up, Action::Down]);
        look.hits.go(row, down(), open);
        for (place, column) in links.iter().zip(0..) {
            // Lines on the way may have fewer links, so the column is counted from the first one.
            let is_there = down().next().is_none() && column == here as i64;
            let moves = steps(-(here as i64), columns).chain(steps(column, columns));
            let moves = down().chain(moves.filter(|_| !is_there));
            look.hits.go(*place, moves, open);
        }
    }

    /// Empty lines between blocks.
    fn gap(&self, height: u16) -> u16 {
        let lines = self.blocks.iter().map(|block| block.lines.len() + 2);
        u16::from(lines.sum::<usize>() <= usize::from(height))
    }

    /// Draws a block from row `y` on. `number` counts the lines with links. Returns the first row
    /// after it.
    fn draw_block(
        &self,
        block: &Block,
        number: &mut usize,
        (area, mut y): (Rect, u16),
        buf: &mut Buffer,
        look: &Look,
    ) -> u16 {
        let row = |y: u16| Rect {
            y,
            height: u16::from(y < area.bottom()),
            ..area
        };
        // A heading without a line below it says nothing.
        if y + 1 < area.bottom() {
            let title = text::fit(&format!(" {}", block.title), usize::from(area.width));
            buf.set_string(area.x, y, title, look.style(Role::Heading));
        }
        y += 1;
        for line in &block.lines {
            let here = line.links().next().is_some();
            let down = *number as i64 - self.cursor.0 as i64;
            let cursor = (here && down == 0).then_some(self.cursor.1);
            *number += usize::from(here);
            if !row(y).is_empty() {
                let places = draw_line(line, cursor, row(y), buf, look);
                self.hits(down, &places, row(y), look);
            }
            y += 1;
        }
        y
    }
}

/// Draws a line. `cursor` is the link under the cursor. Returns the areas of its links.
fn draw_line(
    line: &Line,
    cursor: Option<usize>,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> Vec<Rect> {
    let mark = match (cursor, look.accessible) {
        (None, _) => "  ",
        (Some(_), true) => "* ",
        (Some(_), false) => "▌ ",
    };
    let (mut x, _) = buf.set_stringn(
        area.x,
        area.y,
        mark,
        usize::from(area.width),
        look.style(Role::Gutter),
    );
    let fixed: u16 = line.0.iter().map(|part| part.width).sum();
    let free = area.width.saturating_sub(fixed + 2).min(WIDEST_BAR);
    let links = line.links().count();
    let mut places = Vec::new();
    for (at, part) in line.0.iter().enumerate() {
        let room = area.right().saturating_sub(x);
        let width = match (&part.shown, at + 1 == line.0.len()) {
            (Shown::Bar(_), _) => free.min(room),
            (_, true) => room,
            _ => part.width.min(room),
        };
        let on = part.link.is_some() && cursor.is_some_and(|at| at.min(links - 1) == places.len());
        let place = Rect { x, width, ..area };
        draw_part(part, on, place, buf, look);
        places.extend(part.link.as_ref().map(|_| place));
        x += width;
    }
    places
}

fn draw_part(part: &Part, on: bool, area: Rect, buf: &mut Buffer, look: &Look) {
    let width = usize::from(area.width);
    let shown = match &part.shown {
        Shown::Text(shown) => text::fit(shown, width),
        Shown::Number(shown) => format!("{:>width$}", text::fit(shown, width)),
        Shown::Bar(share) => bar(*share, width, look.accessible),
        Shown::Days(days) => {
            let readings: Vec<f64> = days.iter().map(|n| *n as f64).collect();
            let most = readings.iter().copied().fold(0.0, f64::max);
            sparkline(&readings, most, width.saturating_sub(1), look.accessible)
        }
    };
    let blank = shown.len() - shown.trim_start().len();
    let style = look.style(part.role);
    let (x, _) = buf.set_stringn(area.x, area.y, &shown[..blank], width, style);
    let style = if on {
        style.patch(look.style(Role::Selection))
    } else {
        style
    };
    let room = usize::from(area.right().saturating_sub(x));
    buf.set_stringn(x, area.y, shown[blank..].trim_end(), room, style);
}
