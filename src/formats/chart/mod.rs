//! Charts of a board as files: bars with intervals (`bars`) and shaded tables (`grid`). They are
//! laid out as [`Scene`]s and written as SVG or PNG.
//!
//! A scene unit is about one pixel. For PNG, a scene is at most [`LONGEST`] units wide and high, so
//! that its text stays readable. Larger charts are split into several scenes.

mod bars;
mod grid;
mod png;
mod svg;

use std::io::Write;

pub use self::bars::{Bar, Bars};
pub use self::grid::{Entry, Grid, Scales};

use benchtop_model::Result;

/// Maximum units of a PNG scene's longer side, at which letters are 16 pixels high.
pub const LONGEST: f64 = 2000.0;

/// Color of text and lines.
const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Color of references for comparison.
const GREY: Colour = Colour(0x77, 0x77, 0x77);
/// Color of grid lines.
const FAINT: Colour = Colour(0xdd, 0xdd, 0xdd);
/// Color of bars, safe for color-blind readers (Okabe and Ito's blue).
const BAR: Colour = Colour(0x00, 0x72, 0xb2);
/// Height of a line of text and width of a character, in scene units.
const LINE: f64 = 22.0;
const CHARACTER: f64 = 9.0;
/// Margin around a scene.
const EDGE: f64 = 16.0;
/// Maximum number of characters of a name.
const NAME: usize = 40;

/// Red, green, and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// The alignment of a text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Start,
    End,
    Middle,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// A filled rectangle.
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        colour: Colour,
    },
    /// A line of text. `y` is its vertical center. A rotated text starts at `y`, and `x` is its
    /// center.
    Text {
        x: f64,
        y: f64,
        anchor: Anchor,
        colour: Colour,
        text: String,
        up: bool,
    },
}

/// A drawing, in units of about a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

fn wide(text: &str) -> f64 {
    CHARACTER * unicode_width::UnicodeWidthStr::width(text) as f64
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    texts.map(wide).fold(0.0, f64::max)
}

/// A name, truncated if it is too long for a chart.
fn truncated_name(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 2).chain("..".chars()).collect(),
        false => name.to_string(),
    }
}

/// A note for the footer, if any of these names is truncated.
fn cut<'a>(mut names: impl Iterator<Item = &'a String>) -> Option<String> {
    names
        .any(|name| name.chars().count() > NAME)
        .then(|| format!("names are truncated to {NAME} characters"))
}

/// Wraps words into lines of at most `room` units.
fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last) if wide(last) + wide(word) + CHARACTER <= room => {
                *last += &format!(" {word}")
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// How many of the lengths, from the first on, fit; at least one.
fn fitting(lengths: impl Iterator<Item = f64>, room: f64) -> usize {
    let mut used = 0.0;
    let fits = |length: &f64| {
        used += length;
        used <= room
    };
    lengths.take_while(fits).count().max(1)
}

impl Scene {
    fn new(width: f64, height: f64) -> Scene {
        Scene {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: Colour) {
        self.shapes.push(Shape::Rect {
            x,
            y,
            width: width.max(0.0),
            height: height.max(0.0),
            colour,
        });
    }

    fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        colour: Colour,
        text: impl Into<String>,
    ) {
        self.shapes.push(Shape::Text {
            x,
            y,
            anchor,
            colour,
            text: text.into(),
            up: false,
        });
    }

    /// A text that is rotated to go upward.
    fn rising(&mut self, (x, y): (f64, f64), colour: Colour, text: impl Into<String>) {
        self.shapes.push(Shape::Text {
            x,
            y,
            anchor: Anchor::Start,
            colour,
            text: text.into(),
            up: true,
        });
    }

    /// Width and height in units.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// Writes the scene as SVG.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn svg(&self, out: &mut dyn Write) -> Result<()> {
        svg::write(self, out)
    }

    /// Writes the scene as PNG with two pixels per unit, or fewer if its longer side would exceed
    /// 2,000 pixels. Characters missing in the built-in font are drawn as `?`.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Usage`] for a scene of more than 4 [`LONGEST`] units; errors of
    /// `out`.
    pub fn png(&self, out: &mut dyn Write) -> Result<()> {
        png::write(self, out)
    }
}

#[cfg(test)]
mod tests;
