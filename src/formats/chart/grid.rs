//! Tables with shaded cells: the better, the darker.

use super::scene::{
    Anchor, Color, EDGE, GREY, INK, LINE, Scene, cut, fitting, truncated_name, wide, widest,
    wrapped,
};
use benchtop_model::board::Better;

/// Number of shades in the legend.
const STEPS: usize = 6;

/// A cell: its number and its text.
pub type Entry = Option<(f64, String)>;

/// Which numbers share a color scale, and which direction is better.
#[derive(Clone, Debug, PartialEq)]
pub enum Scales {
    /// All numbers.
    One(Better),
    /// The numbers of each column.
    Columns(Vec<Better>),
    /// The numbers of each row.
    Rows(Vec<Better>),
}

/// A shaded table.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub title: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// Cells by row, then by column.
    pub cells: Vec<Vec<Entry>>,
    pub scales: Scales,
    /// Text below the legend.
    pub footer: String,
}

/// A color scale.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
    better: Better,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>, better: Better) -> Range {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values
            .filter(|v| v.is_finite())
            .fold(start, |(low, high), v| {
                (f64::min(low, v), f64::max(high, v))
            });
        Range { low, high, better }
    }

    /// The color behind a number: the better, the darker. If neither direction is better, the
    /// distance from 0 and its side.
    fn color(&self, value: f64) -> Option<Color> {
        if !value.is_finite() {
            return None;
        }
        let share = |from: f64, to: f64| {
            if to == from {
                1.0
            } else {
                ((value - from) / (to - from)).clamp(0.0, 1.0)
            }
        };
        match self.better {
            Better::More => Some(blue(share(self.low, self.high))),
            Better::Less => Some(blue(share(self.high, self.low))),
            Better::Neither if self.low < 0.0 => {
                let far = self.high.abs().max(self.low.abs());
                let of = (value.abs() / far).clamp(0.0, 1.0);
                Some(if value < 0.0 { orange(of) } else { blue(of) })
            }
            Better::Neither => None,
        }
    }
}

fn mix((from, to): (Color, Color), share: f64) -> Color {
    let of = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    Color(of(from.0, to.0), of(from.1, to.1), of(from.2, to.2))
}

/// From nearly white to a blue that keeps dark text readable.
fn blue(share: f64) -> Color {
    mix((Color(0xf4, 0xf8, 0xfb), Color(0x6a, 0xb0, 0xe2)), share)
}

/// From nearly white to an orange that keeps dark text readable.
fn orange(share: f64) -> Color {
    mix((Color(0xfb, 0xf7, 0xf2), Color(0xee, 0xa8, 0x5c)), share)
}

/// Splits columns into parts of at most `room` units, with about the same number of columns in
/// each.
fn split(widths: &[f64], room: f64) -> Vec<std::ops::Range<usize>> {
    let (mut needed, mut from) = (0, 0);
    while from < widths.len() {
        from += fitting(widths[from..].iter().copied(), room);
        needed += 1;
    }
    let each = widths.len().div_ceil(needed.max(1)).max(1);
    let (mut parts, mut from) = (Vec::new(), 0);
    while from < widths.len() || parts.is_empty() {
        let n = fitting(widths[from..].iter().copied(), room)
            .min(each)
            .min(widths.len() - from);
        parts.push(from..from + n);
        from += n.max(1);
    }
    parts
}

impl Grid {
    fn cell(&self, row: usize, column: usize) -> Option<&(f64, String)> {
        self.cells.get(row)?.get(column)?.as_ref()
    }

    fn values(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let all = (0..self.rows.len())
            .flat_map(|row| (0..self.columns.len()).map(move |column| (row, column)));
        all.filter_map(|(row, column)| Some((row, column, self.cell(row, column)?.0)))
    }

    /// The color scale of each column, of each row, or of the table.
    fn ranges(&self) -> Vec<Range> {
        let of = |better: &Better, is: &dyn Fn(usize, usize) -> bool| {
            let own = self.values().filter(|(row, column, _)| is(*row, *column));
            Range::of(own.map(|(.., v)| v), *better)
        };
        match &self.scales {
            Scales::One(better) => vec![of(better, &|_, _| true)],
            Scales::Columns(all) => {
                let all = all.iter().enumerate();
                all.map(|(at, better)| of(better, &|_, column| column == at))
                    .collect()
            }
            Scales::Rows(all) => {
                let all = all.iter().enumerate();
                all.map(|(at, better)| of(better, &|row, _| row == at))
                    .collect()
            }
        }
    }

    /// The meaning of the shades.
    fn legend(&self) -> Vec<String> {
        let (all, names, within): (&[Better], &[String], _) = match &self.scales {
            Scales::One(better) => (std::slice::from_ref(better), &[], "over the whole table"),
            Scales::Columns(all) => (all, &self.columns, "within each column"),
            Scales::Rows(all) => (all, &self.rows, "within each row"),
        };
        let ranges = self.ranges();
        let of = |wanted: &dyn Fn(&Range) -> bool| -> Vec<&str> {
            let named = ranges.iter().zip(names).filter(|(range, _)| wanted(range));
            named.map(|(_, name)| name.as_str()).collect()
        };
        let list = |names: &[&str]| match names {
            [] => "all".to_string(),
            names if names.len() > 6 => {
                format!("{} and {} more", names[..6].join(", "), names.len() - 6)
            }
            names => names.join(", "),
        };
        let mut legend = vec![format!("shaded {within}: darker is better")];
        if all.contains(&Better::Less) {
            legend.push(format!(
                "lower is better in {}",
                list(&of(&|range| range.better == Better::Less))
            ));
        }
        let signed = |range: &Range| range.better == Better::Neither && range.low < 0.0;
        if ranges.iter().any(signed) {
            let names = of(&signed);
            legend.push(format!(
                "neither is better in {}: blue above 0, orange below",
                list(&names)
            ));
        }
        let plain = |range: &Range| {
            range.better == Better::Neither && range.low >= 0.0 && range.low.is_finite()
        };
        if ranges.iter().any(plain) {
            let names = of(&plain);
            legend.push(format!("neither is better in {}: not shaded", list(&names)));
        }
        legend
    }

    /// The scenes. With `longest`, each has at most that many units on its longer side; without it,
    /// there is a single scene.
    pub fn scenes(&self, longest: Option<f64>) -> Vec<Scene> {
        let (names, heads): (Vec<String>, Vec<String>) = (
            self.rows.iter().map(|n| truncated_name(n)).collect(),
            self.columns.iter().map(|n| truncated_name(n)).collect(),
        );
        let left = EDGE + widest(names.iter().map(String::as_str)) + 10.0;
        let text = |at: usize| {
            widest((0..self.rows.len()).filter_map(|row| Some(self.cell(row, at)?.1.as_str())))
        };
        let cells: Vec<f64> = (0..heads.len())
            .map(|at| text(at).max(wide("-")) + 14.0)
            .collect();
        // Names that are much longer than the numbers below them are rotated.
        let up = heads
            .iter()
            .zip(&cells)
            .any(|(name, cell)| wide(name) + 14.0 > cell * 1.5);
        let widths: Vec<f64> = match up {
            true => cells.iter().map(|cell| cell.max(LINE + 4.0)).collect(),
            false => heads
                .iter()
                .zip(&cells)
                .map(|(name, cell)| cell.max(wide(name) + 14.0))
                .collect(),
        };
        let head = if up {
            widest(heads.iter().map(String::as_str)) + 12.0
        } else {
            LINE
        };
        let top =
            EDGE + if self.title.is_empty() {
                0.0
            } else {
                LINE * 1.4
            } + head;
        let mut legend = self.legend();
        legend.extend((!self.footer.is_empty()).then(|| self.footer.clone()));
        legend.extend(cut(self.rows.iter().chain(&self.columns)));
        let legend = legend.join("; ");
        let narrow = wide(&self.title).max(LEGEND) + 2.0 * EDGE;
        let room = |longest: Option<f64>| longest.unwrap_or(f64::INFINITY);
        let parts = split(&widths, room(longest) - left - EDGE);
        let width_of = |part: &std::ops::Range<usize>| {
            (left + widths[part.clone()].iter().sum::<f64>() + EDGE).max(narrow.min(room(longest)))
        };
        let least = parts.iter().map(width_of).fold(f64::INFINITY, f64::min);
        // One more line for the part number.
        let below = LINE * (wrapped(&legend, least - 2.0 * EDGE).len() as f64 + 3.6) + EDGE;
        let most = fitting(self.rows.iter().map(|_| LINE), room(longest) - top - below)
            .min(self.rows.len())
            .max(1);
        let down = self.rows.len().div_ceil(most).max(1);
        let each = self.rows.len().div_ceil(down).max(1);
        let all = down * parts.len();
        let (ranges, mut scenes) = (self.ranges(), Vec::new());
        for columns in &parts {
            for part in 0..down {
                let rows = part * each..((part + 1) * each).min(self.rows.len());
                let width = width_of(columns);
                let lines = wrapped(&legend, width - 2.0 * EDGE);
                let floor = top + LINE * rows.len() as f64;
                let height =
                    floor + LINE * (lines.len() as f64 + 2.6 + f64::from(u8::from(all > 1))) + EDGE;
                let mut scene = Scene::new(width, height);
                scene.text((EDGE, EDGE + LINE / 2.0), Anchor::Start, INK, &self.title);
                let mut x = left;
                for at in columns.clone() {
                    let middle = x + widths[at] / 2.0;
                    match up {
                        true => scene.rising((middle, top - 6.0), INK, &heads[at]),
                        false => {
                            scene.text((middle, top - LINE / 2.0), Anchor::Middle, INK, &heads[at])
                        }
                    }
                    for (line, row) in rows.clone().enumerate() {
                        let y = top + LINE * line as f64;
                        let Some((value, text)) = self.cell(row, at) else {
                            scene.text(
                                (x + widths[at] - 7.0, y + LINE / 2.0),
                                Anchor::End,
                                GREY,
                                "-",
                            );
                            continue;
                        };
                        let range = match &self.scales {
                            Scales::One(_) => ranges.first(),
                            Scales::Columns(_) => ranges.get(at),
                            Scales::Rows(_) => ranges.get(row),
                        };
                        if let Some(color) = range.and_then(|range| range.color(*value)) {
                            scene.rect((x + 1.0, y + 1.0), (widths[at] - 2.0, LINE - 2.0), color);
                        }
                        scene.text(
                            (x + widths[at] - 7.0, y + LINE / 2.0),
                            Anchor::End,
                            INK,
                            text,
                        );
                    }
                    x += widths[at];
                }
                for (line, row) in rows.clone().enumerate() {
                    scene.text(
                        (left - 10.0, top + LINE * (line as f64 + 0.5)),
                        Anchor::End,
                        INK,
                        &names[row],
                    );
                }
                self.draw_legend(&mut scene, floor + LINE * 1.1, &ranges);
                let counted = (all > 1).then(|| {
                    let of = |range: &std::ops::Range<usize>, n: usize| {
                        format!("{} to {} of {n}", range.start + 1, range.end)
                    };
                    let (rows, columns) =
                        (of(&rows, self.rows.len()), of(columns, self.columns.len()));
                    format!(
                        "part {} of {all}: rows {rows}, columns {columns}",
                        scenes.len() + 1
                    )
                });
                for (line, legend) in lines.into_iter().chain(counted).enumerate() {
                    scene.text(
                        (EDGE, floor + LINE * (2.4 + line as f64)),
                        Anchor::Start,
                        GREY,
                        legend,
                    );
                }
                scenes.push(scene);
            }
        }
        scenes
    }

    /// Draws the shades from worse to better, with numbers if the whole table shares one scale.
    fn draw_legend(&self, scene: &mut Scene, y: f64, ranges: &[Range]) {
        let (worse, better) = match (&self.scales, ranges.first()) {
            (Scales::One(Better::Less), Some(r)) => (
                format!("{:.1} worse", r.high),
                format!("better {:.1}", r.low),
            ),
            (Scales::One(Better::More), Some(r)) => (
                format!("{:.1} worse", r.low),
                format!("better {:.1}", r.high),
            ),
            (Scales::One(Better::Neither), _) => return,
            _ => ("worse".to_string(), "better".to_string()),
        };
        let from = EDGE + wide(&worse) + 8.0;
        scene.text((EDGE, y), Anchor::Start, INK, worse);
        for step in 0..STEPS {
            let at = (from + 24.0 * step as f64, y - LINE * 0.35);
            scene.rect(
                at,
                (24.0, LINE * 0.7),
                blue(step as f64 / (STEPS - 1) as f64),
            );
        }
        scene.text(
            (from + 24.0 * STEPS as f64 + 8.0, y),
            Anchor::Start,
            INK,
            better,
        );
    }
}

/// Width of the legend in units.
const LEGEND: f64 = 400.0;
