//! The histogram of a score with both thresholds, as columns of blocks, or as lines of text in
//! accessible mode.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::thresholds::{decimals, number};
use crate::theme::{Look, Role};
use crate::widgets::meter;
use crate::widgets::text::{self, grouped};
use benchtop_model::scoring::queries::ThresholdTuning;
use benchtop_model::scoring::rules::RuleAction;
use benchtop_model::scoring::{Outcome, SuspiciousEnd};

/// Columns on the left for counts.
pub(super) const GUTTER: u16 = 9;
/// The greatest number of bars in accessible mode.
const READ: usize = 12;

/// Eighths of a block, from empty to full.
const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

pub(super) struct Histogram<'h> {
    pub(super) tuning: &'h ThresholdTuning,
    /// The flag and quarantine thresholds, on the scale of `tuning`.
    pub(super) lines: [Option<f32>; 2],
    /// The threshold that the keys move.
    pub(super) active: RuleAction,
    pub(super) look: &'h Look,
}

/// The number of columns in `width`. Each holds the same number of bars.
pub(super) fn columns(bars: usize, width: u16) -> usize {
    let room = usize::from(width.saturating_sub(GUTTER)).max(1);
    bars.div_ceil(bars.div_ceil(room).max(1))
}

/// The number of bars to request for `width`, so that all columns hold the same number.
pub(super) fn bars(width: u16) -> u16 {
    let columns = width.saturating_sub(GUTTER).clamp(1, 400);
    400 / columns * columns
}

/// The column of a value on a scale of so many columns, and whether it lies left or right of the
/// scale.
pub(super) fn column(value: f32, ends: (f32, f32), columns: u16) -> (u16, bool, bool) {
    let span = ends.1 - ends.0;
    let share = if span > 0.0 {
        (value - ends.0) / span
    } else {
        0.5
    };
    let at = (share * f32::from(columns)) as i64;
    let column = at.clamp(0, i64::from(columns.max(1)) - 1);
    (column as u16, share < 0.0, share > 1.0)
}

/// The color of an outcome.
pub fn role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Kept => Role::Good,
        Outcome::Flagged => Role::Flag,
        Outcome::Parked => Role::Bad,
    }
}

impl Histogram<'_> {
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

    /// Items and rejected items, with the owner's bars combined into `count` columns.
    fn combined(&self, count: usize) -> Vec<(u64, u64)> {
        let (bars, n) = (&self.tuning.bars, self.tuning.bars.len());
        let sum = |list: &[u64], at: usize| -> u64 {
            list.get(at * n / count..((at + 1) * n / count).min(list.len()))
                .map_or(0, |part| part.iter().sum())
        };
        (0..count)
            .map(|at| (sum(bars, at), sum(&self.tuning.rejected, at)))
            .collect()
    }

    fn span(&self) -> f32 {
        self.tuning.ends.1 - self.tuning.ends.0
    }

    fn outcome(&self, value: f32) -> Outcome {
        let doubted = |line: Option<f32>| match self.tuning.measure.scorer.suspicious_end() {
            SuspiciousEnd::Low => line.is_some_and(|line| value < line),
            SuspiciousEnd::High => line.is_some_and(|line| value > line),
        };
        match self.lines.map(doubted) {
            [_, true] => Outcome::Parked,
            [true, _] => Outcome::Flagged,
            _ => Outcome::Kept,
        }
    }

    fn plot(&self, area: Rect, buf: &mut Buffer) {
        let count = columns(self.tuning.bars.len(), area.width).max(1);
        let combined = self.combined(count);
        let most = combined.iter().map(|(n, _)| *n).max().unwrap_or(0).max(1);
        let left = area.x + GUTTER;
        // From top to bottom: labels, columns, rejected items, axis. The last two are dropped
        // first.
        let (strip, axis) = (area.height >= 6, area.height >= 4);
        let below = u16::from(strip) + u16::from(axis);
        let plot = Rect {
            x: left,
            y: area.y + 1,
            width: count as u16,
            height: area.height - 1 - below,
        };
        self.look.hits.slider(Rect {
            y: area.y,
            height: area.height,
            ..plot
        });
        for (x, (n, _)) in (plot.x..).zip(&combined) {
            let middle =
                self.tuning.ends.0 + self.span() * (f32::from(x - plot.x) + 0.5) / count as f32;
            let style = self.look.style(role(self.outcome(middle)));
            // Any item at all shows up.
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
            for (x, (n, rejected)) in (plot.x..).zip(&combined) {
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
        // Draw the active threshold last, on top of the other.
        let order = if self.active == RuleAction::Flag {
            [1, 0]
        } else {
            [0, 1]
        };
        order.into_iter().for_each(|at| self.line(at, plot, buf));
    }

    /// The column of a threshold, and whether it lies left or right of all scores.
    fn column(&self, line: f32, plot: Rect) -> (u16, bool, bool) {
        let (at, before, after) = column(line, self.tuning.ends, plot.width);
        (plot.x + at, before, after)
    }

    fn line(&self, which: usize, plot: Rect, buf: &mut Buffer) {
        let Some(line) = self.lines[which] else {
            return;
        };
        let (name, stroke, outcome) = [
            ("flag", "│", Outcome::Flagged),
            ("quarantine", "┃", Outcome::Parked),
        ][which];
        let active = (self.active == RuleAction::Flag) == (which == 0);
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
        // Label on the right, unless it would cover the other label or leave the plot.
        let taken = self.lines[1 - which].map(|other| self.column(other, plot).0);
        let crowded = taken
            .is_some_and(|other| (x..=x + wide + 1).contains(&other) && (which == 1 || other != x));
        let fits_left = x >= plot.x.saturating_sub(GUTTER) + wide;
        if (crowded || x + wide >= plot.right()) && fits_left {
            buf.set_string(x - wide, y, format!("{words}{mark}"), style);
        } else {
            let room = usize::from(plot.right().saturating_sub(x));
            buf.set_stringn(x, y, format!("{mark}{words}"), room, style);
        }
    }

    fn axis(&self, area: Rect, buf: &mut Buffer) {
        let (low, digits) = (self.tuning.ends.0, decimals(self.span()));
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

    /// Writes one bar per line.
    fn read(&self, area: Rect, buf: &mut Buffer) {
        let count = usize::from(area.height - 1)
            .min(READ)
            .min(self.tuning.bars.len())
            .max(1);
        let digits = decimals(self.span());
        let room = usize::from(area.width);
        let mut thresholds = Vec::new();
        for (at, name) in ["flag", "quarantine"].into_iter().enumerate() {
            let marker = if (self.active == RuleAction::Flag) == (at == 0) {
                " (active)"
            } else {
                ""
            };
            thresholds.push(self.lines[at].map_or(format!("no {name} threshold"), |l| {
                format!("{name} threshold {}{marker}", number(l))
            }));
        }
        buf.set_stringn(
            area.x,
            area.y,
            thresholds.join(", "),
            room,
            self.look.style(Role::Heading),
        );
        let combined = self.combined(count);
        let most = combined.iter().map(|(n, _)| *n).max().unwrap_or(0).max(1);
        let value = |at: usize| self.tuning.ends.0 + self.span() * at as f32 / count as f32;
        for (at, (y, (n, rejected))) in (area.y + 1..area.bottom()).zip(&combined).enumerate() {
            let outcome = self.outcome((value(at) + value(at + 1)) / 2.0);
            let bar = meter::bar(*n as f64 / most as f64, 6, true);
            let ends = format!("{:.digits$} to {:.digits$}", value(at), value(at + 1));
            let rejected_share = match rejected {
                0 => String::new(),
                _ => format!(
                    ", {} rejected",
                    meter::percent(*rejected as f64 / (*n).max(1) as f64).trim()
                ),
            };
            let words = format!(
                "{ends:<15} {bar} {:>7} {}{rejected_share}",
                grouped(*n),
                crate::panes::outcome_word(outcome)
            );
            buf.set_stringn(area.x, y, words, room, self.look.style(role(outcome)));
        }
    }
}
