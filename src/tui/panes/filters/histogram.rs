//! The histogram of a score with both lines drawn through it: columns of blocks, or lines of words for screen readers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::lines::{decimals, number};
use crate::theme::{Look, Role};
use crate::widgets::meter;
use crate::widgets::text::{self, grouped};
use benchtop_model::scoring::bench::Bench;
use benchtop_model::scoring::rules::Then;
use benchtop_model::scoring::{FlagPriority, Outcome};

/// Columns at the left for counts.
pub(super) const GUTTER: u16 = 9;
/// Bars that a screen reader is given at most.
const READ: usize = 12;

/// Heights of a cell.
const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// What is drawn.
pub(super) struct Histogram<'h> {
    /// The owner's answer.
    pub(super) bench: &'h Bench,
    /// The flag line and the park line, on the scale of the answer.
    pub(super) lines: [Option<f32>; 2],
    /// The line that the keys move.
    pub(super) active: Then,
    /// Colours and marks.
    pub(super) look: &'h Look,
}

/// Columns drawn in `width` for so many bars: the same number of bars in each.
pub(super) fn columns(bars: usize, width: u16) -> usize {
    let room = usize::from(width.saturating_sub(GUTTER)).max(1);
    bars.div_ceil(bars.div_ceil(room).max(1))
}

/// Bars to ask for, so that each column drawn in `width` holds the same number of them.
pub(super) fn bars(width: u16) -> u16 {
    let columns = width.saturating_sub(GUTTER).clamp(1, 400);
    400 / columns * columns
}

/// What a line does, and how a bar beyond it looks.
pub(super) fn role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Kept => Role::Good,
        Outcome::Flagged => Role::Flag,
        Outcome::Parked => Role::Bad,
    }
}

impl Histogram<'_> {
    /// Draws it.
    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer) {
        if area.height < 2 || area.width < GUTTER + 4 {
            return;
        }
        if self.look.accessible {
            self.read(area, buf)
        } else {
            self.plot(area, buf)
        }
    }

    /// Items and rejected items of `count` bars made of the owner's.
    fn gathered(&self, count: usize) -> Vec<(u64, u64)> {
        let (bars, n) = (&self.bench.bars, self.bench.bars.len());
        let sum = |list: &[u64], at: usize| -> u64 {
            list.get(at * n / count..((at + 1) * n / count).min(list.len()))
                .map_or(0, |part| part.iter().sum())
        };
        (0..count)
            .map(|at| (sum(bars, at), sum(&self.bench.rejected, at)))
            .collect()
    }

    fn span(&self) -> f32 {
        self.bench.ends.1 - self.bench.ends.0
    }

    fn outcome(&self, value: f32) -> Outcome {
        let doubted = |line: Option<f32>| match self.bench.measure.scorer.doubt() {
            FlagPriority::Low => line.is_some_and(|line| value < line),
            FlagPriority::High => line.is_some_and(|line| value > line),
        };
        match self.lines.map(doubted) {
            [_, true] => Outcome::Parked,
            [true, _] => Outcome::Flagged,
            _ => Outcome::Kept,
        }
    }

    fn plot(&self, area: Rect, buf: &mut Buffer) {
        let count = columns(self.bench.bars.len(), area.width).max(1);
        let gathered = self.gathered(count);
        let most = gathered.iter().map(|(n, _)| *n).max().unwrap_or(0).max(1);
        let left = area.x + GUTTER;
        // Labels, columns, rejected, axis; the last two go first where there is little room.
        let (strip, axis) = (area.height >= 6, area.height >= 4);
        let below = u16::from(strip) + u16::from(axis);
        let plot = Rect {
            x: left,
            y: area.y + 1,
            width: count as u16,
            height: area.height - 1 - below,
        };
        for (x, (n, _)) in (plot.x..).zip(&gathered) {
            let middle =
                self.bench.ends.0 + self.span() * (f32::from(x - plot.x) + 0.5) / count as f32;
            let style = self.look.style(role(self.outcome(middle)));
            // What is there at all is seen.
            let eighths = (*n * 8 * u64::from(plot.height)).div_ceil(most);
            for row in 0..plot.height {
                let filled = eighths.saturating_sub(u64::from(row) * 8).min(8) as usize;
                if filled > 0 {
                    buf.set_string(x, plot.bottom() - 1 - row, HEIGHTS[filled], style);
                }
            }
        }
        let dim = self.look.style(Role::Dim);
        let mut gutter = |y: u16, words: &str| {
            let words = text::fit(words, usize::from(GUTTER) - 1);
            let x = left - 1 - text::width(&words) as u16;
            buf.set_string(x, y, words, dim);
        };
        gutter(plot.y, &grouped(most));
        if plot.height > 2 {
            gutter(plot.bottom() - 1, "0");
        }
        if strip {
            gutter(plot.bottom(), "rejected");
            for (x, (n, rejected)) in (plot.x..).zip(&gathered) {
                if *rejected > 0 {
                    let eighths = (*rejected * 8).div_ceil((*n).max(1)).min(8) as usize;
                    buf.set_string(
                        x,
                        plot.bottom(),
                        HEIGHTS[eighths],
                        self.look.style(Role::Bad),
                    );
                }
            }
        }
        if axis {
            self.axis(
                Rect {
                    y: area.bottom() - 1,
                    height: 1,
                    ..plot
                },
                buf,
            );
        }
        // The line that moves is drawn over the other.
        let order = if self.active == Then::Flag {
            [1, 0]
        } else {
            [0, 1]
        };
        order.into_iter().for_each(|at| self.line(at, plot, buf));
    }

    /// The column of a line, and whether it is left of all scores or right of them.
    fn column(&self, line: f32, plot: Rect) -> (u16, bool, bool) {
        let share = if self.span() > 0.0 {
            (line - self.bench.ends.0) / self.span()
        } else {
            0.5
        };
        let column = ((share * f32::from(plot.width)) as i64).clamp(0, i64::from(plot.width) - 1);
        (plot.x + column as u16, share < 0.0, share > 1.0)
    }

    fn line(&self, which: usize, plot: Rect, buf: &mut Buffer) {
        let Some(line) = self.lines[which] else {
            return;
        };
        let (name, stroke, outcome) = [
            ("flag", "│", Outcome::Flagged),
            ("park", "┃", Outcome::Parked),
        ][which];
        let active = (self.active == Then::Flag) == (which == 0);
        let (x, before, after) = self.column(line, plot);
        let mut style = self.look.style(role(outcome));
        if active {
            style = style.add_modifier(Modifier::BOLD);
        }
        if !before && !after {
            for y in plot.y..plot.bottom() {
                buf.set_string(x, y, stroke, style);
            }
        }
        let mark = match (before, after, active) {
            (true, ..) => "◂",
            (_, true, _) => "▸",
            (.., true) => "▼",
            _ => stroke,
        };
        let words = format!("{name} {}", number(line));
        let wide = text::width(&words) as u16;
        let y = plot.y - 1;
        // On its right, unless the other line's words begin there or the columns end.
        let taken = self.lines[1 - which].map(|other| self.column(other, plot).0);
        let crowded = taken
            .is_some_and(|other| (x..=x + wide + 1).contains(&other) && (which == 1 || other != x));
        if x + wide >= plot.right() || (crowded && x > wide) {
            buf.set_string(x.saturating_sub(wide), y, format!("{words}{mark}"), style);
        } else {
            buf.set_string(x, y, format!("{mark}{words}"), style);
        }
    }

    fn axis(&self, area: Rect, buf: &mut Buffer) {
        let (low, digits) = (self.bench.ends.0, decimals(self.span()));
        let ticks = (area.width / 12).clamp(1, 8);
        let style = self.look.style(Role::Dim);
        for tick in 0..=ticks {
            let value = low + self.span() * f32::from(tick) / f32::from(ticks);
            let words = format!("{value:.digits$}");
            let wide = text::width(&words) as u16;
            let middle =
                area.x + (u32::from(area.width) * u32::from(tick) / u32::from(ticks)) as u16;
            let x = middle
                .saturating_sub(wide / 2)
                .clamp(area.x, area.right().saturating_sub(wide).max(area.x));
            buf.set_stringn(x, area.y, words, usize::from(area.right() - x), style);
        }
    }

    /// A bar a line, in words.
    fn read(&self, area: Rect, buf: &mut Buffer) {
        let count = usize::from(area.height - 1)
            .min(READ)
            .min(self.bench.bars.len())
            .max(1);
        let digits = decimals(self.span());
        let room = usize::from(area.width);
        let mut said_lines = Vec::new();
        for (at, name) in ["flag", "park"].into_iter().enumerate() {
            let moves = if (self.active == Then::Flag) == (at == 0) {
                " (the keys move it)"
            } else {
                ""
            };
            said_lines.push(self.lines[at].map_or(format!("no {name} line"), |l| {
                format!("{name} line {}{moves}", number(l))
            }));
        }
        buf.set_stringn(
            area.x,
            area.y,
            said_lines.join(", "),
            room,
            self.look.style(Role::Heading),
        );
        let gathered = self.gathered(count);
        let most = gathered.iter().map(|(n, _)| *n).max().unwrap_or(0).max(1);
        let value = |at: usize| self.bench.ends.0 + self.span() * at as f32 / count as f32;
        for (at, (y, (n, rejected))) in (area.y + 1..area.bottom()).zip(&gathered).enumerate() {
            let outcome = self.outcome((value(at) + value(at + 1)) / 2.0);
            let bar = meter::bar(*n as f64 / most as f64, 10, true);
            let ends = format!("{:.digits$} to {:.digits$}", value(at), value(at + 1));
            let wrong = match rejected {
                0 => String::new(),
                _ => format!(
                    ", {} rejected",
                    meter::percent(*rejected as f64 / (*n).max(1) as f64).trim()
                ),
            };
            let words = format!(
                "{ends:<16} {bar} {:>8} {}{wrong}",
                grouped(*n),
                outcome.name()
            );
            buf.set_stringn(area.x, y, words, room, self.look.style(role(outcome)));
        }
    }
}
