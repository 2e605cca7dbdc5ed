//! Letters as coverage: words of an outline font at any size and angle.
//!
//! The font is DejaVu Sans Bold with Latin letters (`fonts/LICENSE.txt`). Words are laid out letter by
//! letter, without kerning. Coverage is the exact area of a pixel within the outline, in plain
//! arithmetic, so it is the same on every machine.

use benchtop_model::{Error, Result};
use ttf_parser::{Face, OutlineBuilder};

static FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold-Latin.ttf");

/// Lines that stand for one curve of an outline.
const STEPS: u16 = 16;

/// A point in units of the font size, to the right and down.
type Point = (f32, f32);

/// The outline of a word, in units of the font size.
pub struct Word {
    lines: Vec<(Point, Point)>,
}

impl Word {
    /// The outline of a text.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`]: the text has a letter that is not in the font, or no ink.
    pub fn new(text: &str) -> Result<Word> {
        let broken = |_| Error::input("the font cannot be read");
        let face = Face::parse(FONT, 0).map_err(broken)?;
        let mut pen = Pen {
            lines: Vec::new(),
            scale: 1.0 / f32::from(face.units_per_em()),
            right: 0.0,
            first: (0.0, 0.0),
            at: (0.0, 0.0),
        };
        for letter in text.chars() {
            let glyph = face.glyph_index(letter).ok_or_else(|| {
                Error::input(format!("the font has no letter {letter:?}"))
                    .help("print attacks and labels are written in Latin letters")
            })?;
            face.outline_glyph(glyph, &mut pen);
            pen.right += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * pen.scale;
        }
        if pen.lines.is_empty() {
            return Err(Error::input(format!("the text {text:?} has no ink")));
        }
        Ok(Word { lines: pen.lines })
    }

    /// The word in pixels: `size` is the font size, `angle` in degrees clockwise. Its ink touches the
    /// left and upper edge.
    pub fn drawn(&self, size: f32, angle: f64) -> Coverage {
        let placed = self.placed(size, angle);
        let (right, low) = extent(&placed);
        let (width, height) = (right.ceil().max(1.0) as usize, low.ceil().max(1.0) as usize);
        let mut areas = vec![0.0; width * height + 1];
        for (from, to) in placed {
            add_line(&mut areas, width, from, to);
        }
        let mut sum = 0.0;
        areas.pop();
        for area in &mut areas {
            sum += *area;
            *area = sum.abs().min(1.0);
        }
        Coverage {
            width,
            shares: areas,
        }
    }

    /// The width and height of the ink in pixels.
    pub fn extent(&self, size: f32, angle: f64) -> (f32, f32) {
        extent(&self.placed(size, angle))
    }

    /// Where the middle of the upright word lies in the turned one, in pixels.
    pub fn middle(&self, size: f32, angle: f64) -> (f32, f32) {
        let turned = Turn::new(size, angle);
        let (low, high) = bounds(self.lines.iter().map(|line| line.0));
        let middle = turned.of(((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0));
        let (low, _) = bounds(self.lines.iter().map(|line| turned.of(line.0)));
        (middle.0 - low.0, middle.1 - low.1)
    }

    /// The lines in pixels, right of and below 0.
    fn placed(&self, size: f32, angle: f64) -> Vec<(Point, Point)> {
        let turned = Turn::new(size, angle);
        let (low, _) = bounds(self.lines.iter().map(|line| turned.of(line.0)));
        let placed = |point| {
            let (x, y) = turned.of(point);
            (x - low.0, y - low.1)
        };
        self.lines
            .iter()
            .map(|(from, to)| (placed(*from), placed(*to)))
            .collect()
    }
}

/// Enlarges and turns.
struct Turn {
    sin: f32,
    cos: f32,
}

impl Turn {
    fn new(size: f32, angle: f64) -> Turn {
        let radians = angle * (std::f64::consts::PI / 180.0);
        Turn {
            sin: libm::sin(radians) as f32 * size,
            cos: libm::cos(radians) as f32 * size,
        }
    }

    fn of(&self, (x, y): Point) -> Point {
        (x * self.cos - y * self.sin, x * self.sin + y * self.cos)
    }
}

/// The least and the largest coordinates. Outlines are closed, so the starts of lines are all points.
fn bounds(points: impl Iterator<Item = Point>) -> (Point, Point) {
    let start = (
        (f32::INFINITY, f32::INFINITY),
        (f32::NEG_INFINITY, f32::NEG_INFINITY),
    );
    points.fold(start, |(low, high): (Point, Point), (x, y)| {
        ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)))
    })
}

fn extent(lines: &[(Point, Point)]) -> (f32, f32) {
    bounds(lines.iter().map(|line| line.0)).1
}

/// Shares of pixels that ink covers, in rows.
pub struct Coverage {
    pub width: usize,
    /// 0 to 1.
    pub shares: Vec<f32>,
}

impl Coverage {
    pub fn height(&self) -> usize {
        self.shares.len() / self.width
    }
}

/// Collects outlines as lines.
struct Pen {
    lines: Vec<(Point, Point)>,
    scale: f32,
    /// Where the letter begins.
    right: f32,
    first: Point,
    at: Point,
}

impl Pen {
    /// Fonts count upward, pictures downward.
    fn point(&self, x: f32, y: f32) -> Point {
        (self.right + x * self.scale, -y * self.scale)
    }

    fn line(&mut self, to: Point) {
        self.lines.push((self.at, to));
        self.at = to;
    }

    /// Lines along a curve, whose point at `t` is given.
    fn curve(&mut self, at: impl Fn(f32) -> Point) {
        for step in 1..=STEPS {
            self.line(at(f32::from(step) / f32::from(STEPS)));
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.first = self.point(x, y);
        self.at = self.first;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.line(self.point(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (a, b, c) = (self.at, self.point(x1, y1), self.point(x, y));
        self.curve(|t| {
            let mix = |a, b, c| (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * b + t * t * c;
            (mix(a.0, b.0, c.0), mix(a.1, b.1, c.1))
        });
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b) = (self.at, self.point(x1, y1));
        let (c, d) = (self.point(x2, y2), self.point(x, y));
        self.curve(|t| {
            let u = 1.0 - t;
            let mix = |a, b, c, d| {
                u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
            };
            (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
        });
    }

    fn close(&mut self) {
        self.line(self.first);
    }
}

/// Adds the area to the right of a line, as differences along rows: their running sum is the coverage.
fn add_line(areas: &mut [f32], width: usize, from: Point, to: Point) {
    if from.1 == to.1 {
        return;
    }
    // Downward lines add, upward lines take away.
    let (sign, top, low) = if from.1 < to.1 {
        (1.0, from, to)
    } else {
        (-1.0, to, from)
    };
    let slope = (low.0 - top.0) / (low.1 - top.1);
    let height = (areas.len() - 1) / width;
    for y in top.1 as usize..height.min(low.1.ceil() as usize) {
        let (first, last) = ((y as f32).max(top.1), (y as f32 + 1.0).min(low.1));
        let part = (last - first) * sign;
        if part == 0.0 {
            continue;
        }
        let at = |y: f32| (top.0 + (y - top.1) * slope).clamp(0.0, width as f32);
        let (a, b) = (at(first), at(last));
        let (left, right) = (a.min(b), a.max(b));
        let row = y * width;
        let (begin, end) = (left as usize, right.ceil() as usize);
        if end <= begin + 1 {
            // Within one pixel.
            let inside = begin as f32 + 1.0 - 0.5 * (left + right);
            areas[row + begin] += part * inside;
            areas[row + begin + 1] += part * (1.0 - inside);
            continue;
        }
        // The share of each pixel that lies to the right of the line, by the area below the line.
        let below = |x: f32| {
            let x = x.clamp(left, right) - left;
            x * x / (2.0 * (right - left))
        };
        let mut before = 0.0;
        for x in begin..end {
            let edge = x as f32 + 1.0;
            let beyond = (edge - right).max(0.0);
            let share = below(edge) - below(x as f32) + beyond;
            areas[row + x] += part * (share - before);
            before = share;
        }
        areas[row + end] += part * (1.0 - before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_the_area_of_the_outline() {
        for (text, size, angle) in [
            ("Hello", 112.0, 0.0),
            ("Hello", 40.0, 30.0),
            ("\u{c5}gy", 77.0, 90.0),
            ("i", 6.0, 270.0),
            ("W", 300.0, 330.0),
        ] {
            let word = Word::new(text).unwrap();
            let drawn = word.drawn(size, angle);
            let inked: f64 = drawn.shares.iter().map(|s| f64::from(*s)).sum();
            // Green's theorem; contours of these letters do not overlap.
            let area: f64 = word
                .lines
                .iter()
                .map(|(a, b)| f64::from(a.0 * b.1 - b.0 * a.1) / 2.0)
                .sum();
            let area = area.abs() * f64::from(size * size);
            assert!(
                (inked / area - 1.0).abs() < 0.002,
                "{text} {size}: {inked} {area}"
            );
            let (width, height) = (drawn.width, drawn.height());
            let has_ink =
                |mut at: Box<dyn Iterator<Item = usize>>| at.any(|i| drawn.shares[i] > 0.0);
            assert!(has_ink(Box::new(0..width)), "top");
            assert!(
                has_ink(Box::new((height - 1) * width..height * width)),
                "bottom"
            );
            assert!(
                has_ink(Box::new((0..height).map(move |y| y * width))),
                "left"
            );
            assert!(
                has_ink(Box::new((0..height).map(move |y| y * width + width - 1))),
                "right"
            );
        }
    }

    #[test]
    fn other_scripts_are_refused() {
        for text in ["\u{72ac}", "\u{43f}\u{435}\u{441}", "a\u{1f600}"] {
            assert!(Word::new(text).is_err(), "{text}");
        }
        assert!(Word::new("").is_err() && Word::new("  ").is_err());
        assert!(Word::new("d\u{e9}j\u{e0} vu, \u{141}\u{f3}d\u{17a}!").is_ok());
    }
}
