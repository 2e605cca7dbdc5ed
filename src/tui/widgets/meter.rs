//! Meters and sparklines, readable without color.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text;
use crate::theme::{Look, Role};

/// Block elements by eighths of a cell's width.
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// Block elements by eighths of a cell's height.
const COLUMNS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// ASCII replacements of [`COLUMNS`].
const PLAIN: [&str; 8] = ["_", "_", ".", ".", "-", "-", "=", "#"];

/// A bar of `width` columns for a share in 0..=1.
pub fn bar(share: f64, width: usize, accessible: bool) -> String {
    let share = if share.is_nan() {
        0.0
    } else {
        share.clamp(0.0, 1.0)
    };
    if accessible {
        let full = (share * width as f64).round() as usize;
        return format!("{}{}", "#".repeat(full), "-".repeat(width - full));
    }
    let eighths = (share * (width * 8) as f64).round() as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    let mut out = "█".repeat(full);
    out += PARTS[part];
    let used = full + usize::from(part > 0);
    out + &" ".repeat(width.saturating_sub(used))
}

/// The last `width` readings relative to `most`, padded with spaces.
pub fn sparkline(readings: &[f64], most: f64, width: usize, accessible: bool) -> String {
    let marks = if accessible { &PLAIN } else { &COLUMNS };
    let last = &readings[readings.len().saturating_sub(width)..];
    let mark = |r: &f64| {
        let share = if most > 0.0 && r.is_finite() {
            (r / most).clamp(0.0, 1.0)
        } else {
            0.0
        };
        marks[((share * 7.0).round() as usize).min(7)]
    };
    let columns: String = last.iter().map(mark).collect();
    " ".repeat(width - last.len()) + &columns
}

/// A gauge: name, bar, reading, and history.
pub struct Meter<'m> {
    pub name: &'m str,
    /// The reading as a share in 0..=1.
    pub share: f64,
    /// The reading as text.
    pub says: String,
    /// Earlier readings as shares, oldest first.
    pub history: &'m [f64],
}

impl Meter<'_> {
    /// Draws the gauge on one line.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let name = format!(" {:<7} ", self.name);
        let bar_width = (width / 5).clamp(4, 24);
        let mut x = area.x;
        let mut put = |x: u16, said: &str, role| {
            let room = usize::from(area.right().saturating_sub(x));
            buf.set_stringn(x, area.y, said, room, look.style(role)).0
        };
        x = put(x, &name, Role::Dim);
        x = put(
            x,
            &bar(self.share, bar_width, look.accessible),
            Role::Accent,
        );
        x = put(x, &format!(" {} ", self.says), Role::Text);
        let left = usize::from(area.right().saturating_sub(x));
        if left >= 8 && !self.history.is_empty() {
            let line = sparkline(self.history, 1.0, left.min(60), look.accessible);
            put(x.max(area.right() - left.min(60) as u16), &line, Role::Dim);
        }
    }
}

/// A share in 0..=1 as a right-aligned percentage.
pub fn percent(share: f64) -> String {
    format!("{:>3.0} %", 100.0 * share)
}

/// Bytes in GiB with one decimal.
pub fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1u64 << 30) as f64)
}

/// A duration in at most two units: `3 s`, `2 min 5 s`, `1 h 40 min`, `3 d 2 h`.
pub fn stretch(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let at = units
        .iter()
        .position(|(size, _)| seconds >= *size)
        .unwrap_or(3);
    let (size, name) = units[at];
    let rest = units
        .get(at + 1)
        .map(|(small, name)| (seconds % size / small, name))
        .filter(|(n, _)| *n > 0);
    match rest {
        Some((n, small)) => format!("{} {name} {n} {small}", text::grouped(seconds / size)),
        None => format!("{} {name}", text::grouped(seconds / size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_the_requested_width_at_any_share() {
        for width in [0, 1, 7, 24] {
            for share in [0.0, 0.01, 0.5, 0.999, 1.0, 7.0, -1.0, f64::NAN] {
                for accessible in [false, true] {
                    assert_eq!(
                        text::width(&bar(share, width, accessible)),
                        width,
                        "{share} {width} {accessible}"
                    );
                }
            }
        }
        assert_eq!(bar(0.5, 4, false), "██  ");
        assert_eq!(bar(0.5, 3, false), "█▌ ");
        assert_eq!(bar(0.5, 4, true), "##--");
    }

    #[test]
    fn a_sparkline_shows_the_last_readings_on_the_right() {
        assert_eq!(sparkline(&[0.0, 1.0], 1.0, 4, false), "  ▁█");
        assert_eq!(sparkline(&[0.0, 1.0, 0.5], 1.0, 2, false), "█▅");
        assert_eq!(sparkline(&[1.0], 0.0, 1, false), "▁");
        assert_eq!(sparkline(&[1.0, f64::NAN], 1.0, 2, true), "#_");
    }

    #[test]
    fn durations_have_at_most_two_units() {
        let said = [0, 59, 60, 125, 3600, 6000, 266_400].map(stretch);
        assert_eq!(
            said,
            [
                "0 s",
                "59 s",
                "1 min",
                "2 min 5 s",
                "1 h",
                "1 h 40 min",
                "3 d 2 h"
            ]
        );
    }
}
