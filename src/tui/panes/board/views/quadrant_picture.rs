//! The drawing of the knowledge quadrant.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::theme::{Look, Role};
use crate::widgets::meter::bar;
use crate::widgets::text;

/// The quadrants in reading order of the drawing, then the remaining answers. Each has a name, a
/// description, and its column.
pub(super) const QUADRANTS: [(&str, &str, &str); 5] = [
    (
        "known knowns",
        "correct answers: Basic, Knowledge",
        "quadrant.known-knowns",
    ),
    (
        "unknown knowns",
        "refusals on Basic, which is answerable",
        "quadrant.unknown-knowns",
    ),
    (
        "known unknowns",
        "correct refusals: Knowledge, Beyond",
        "quadrant.known-unknowns",
    ),
    (
        "unknown unknowns",
        "wrong answers",
        "quadrant.unknown-unknowns",
    ),
    ("other", "missing or unparsed", "quadrant.unread"),
];

#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) of: [u64; 4],
    pub(super) all: u64,
}

impl Picture {
    pub(super) const HEIGHT: u16 = 8;

    /// Draws the quadrants and marks the one of the row at `cursor`.
    pub(super) fn draw(&self, cursor: Option<u64>, area: Rect, buf: &mut Buffer, look: &Look) {
        const AXIS: u16 = 10;
        let half = usize::from((area.width.saturating_sub(AXIS + 3) / 2).min(40));
        if half < 20 || area.height < Picture::HEIGHT {
            return;
        }
        let x = area.x + AXIS;
        let mut put = |x: u16, y: u16, text: &str, role: Role| {
            let room = usize::from(area.right().saturating_sub(x));
            buf.set_stringn(x, area.y + y, text, room, look.style(role));
        };
        let second = x + half as u16 + 1;
        put(x + 2, 0, "aware", Role::Dim);
        put(second + 2, 0, "not aware", Role::Dim);
        let rule = |ends: [&str; 3]| {
            let line = "─".repeat(half);
            format!("{}{line}{}{line}{}", ends[0], ends[1], ends[2])
        };
        for (y, ends) in [
            (1, ["┌", "┬", "┐"]),
            (4, ["├", "┼", "┤"]),
            (7, ["└", "┴", "┘"]),
        ] {
            put(x, y, &rule(ends), Role::Border);
        }
        for (top, name) in [(2, " knowns"), (5, " unknowns")] {
            put(area.x, top, name, Role::Dim);
            for y in [top, top + 1] {
                [x, second, second + half as u16 + 1]
                    .into_iter()
                    .for_each(|x| put(x, y, "│", Role::Border));
            }
        }
        for (at, ((name, ..), n)) in QUADRANTS.iter().zip(self.of).enumerate() {
            let (left, top) = (
                if at % 2 == 0 { x } else { second } + 1,
                if at < 2 { 2 } else { 5 },
            );
            let here = cursor == Some(at as u64);
            put(left, top, if here { "▌" } else { " " }, Role::Gutter);
            put(
                left + 1,
                top,
                name,
                if here { Role::Heading } else { Role::Text },
            );
            let share = n as f64 / self.all.max(1) as f64;
            let count = format!("{} = {:.1} % ", text::grouped(n), 100.0 * share);
            put(left + 1, top + 1, &count, Role::Text);
            let used = text::width(&count) + 1;
            let role = if at % 2 == 0 { Role::Good } else { Role::Bad };
            put(
                left + used as u16,
                top + 1,
                &bar(share, half.saturating_sub(used + 1), false),
                role,
            );
        }
    }
}
