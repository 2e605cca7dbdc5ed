//! A drawing as rectangles and lines of text, with the measures and colors that all charts share.

/// Maximum units of a PNG scene's longer side, at which letters are 16 pixels high.
pub const LONGEST: f64 = 2000.0;

/// Color of text and lines.
pub(super) const INK: Color = Color(0x22, 0x22, 0x22);

/// Color of references for comparison.
pub(super) const GREY: Color = Color(0x77, 0x77, 0x77);

/// Color of grid lines.
pub(super) const FAINT: Color = Color(0xdd, 0xdd, 0xdd);

/// Color of bars, safe for color-blind readers (Okabe and Ito's blue).
pub(super) const BAR: Color = Color(0x00, 0x72, 0xb2);

/// Height of a line of text, in scene units.
pub(super) const LINE: f64 = 22.0;

/// Width of a character, in scene units.
const CHARACTER: f64 = 9.0;

/// Margin around a scene.
pub(super) const EDGE: f64 = 16.0;

/// Maximum number of characters of a name.
const NAME: usize = 40;

/// Red, green, and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// The alignment of a text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    End,
    Middle,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A filled rectangle.
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        color: Color,
    },
    /// A line of text. `y` is its vertical center. A rotated text starts at `y`, and `x` is its
    /// center.
    Text {
        x: f64,
        y: f64,
        anchor: Anchor,
        color: Color,
        text: String,
        up: bool,
    },
}

/// A drawing, in units of about a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) shapes: Vec<Shape>,
}

impl Scene {
    pub(super) fn new(width: f64, height: f64) -> Scene {
        Scene {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    pub(super) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), color: Color) {
        self.shapes.push(Shape::Rect {
            x,
            y,
            width: width.max(0.0),
            height: height.max(0.0),
            color,
        });
    }

    pub(super) fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        color: Color,
        text: impl Into<String>,
    ) {
        self.shapes.push(Shape::Text {
            x,
            y,
            anchor,
            color,
            text: text.into(),
            up: false,
        });
    }

    /// A text that is rotated to go upward.
    pub(super) fn rising(&mut self, (x, y): (f64, f64), color: Color, text: impl Into<String>) {
        self.shapes.push(Shape::Text {
            x,
            y,
            anchor: Anchor::Start,
            color,
            text: text.into(),
            up: true,
        });
    }

    /// Width and height in units.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
}

pub(super) fn wide(text: &str) -> f64 {
    CHARACTER * unicode_width::UnicodeWidthStr::width(text) as f64
}

pub(super) fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    texts.map(wide).fold(0.0, f64::max)
}

/// A name, truncated if it is too long for a chart.
pub(super) fn truncated_name(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 2).chain("..".chars()).collect(),
        false => name.to_string(),
    }
}

/// A note for the footer, if any of these names is truncated.
pub(super) fn cut<'a>(mut names: impl Iterator<Item = &'a String>) -> Option<String> {
    names
        .any(|name| name.chars().count() > NAME)
        .then(|| format!("names are truncated to {NAME} characters"))
}

/// Wraps words into lines of at most `room` units.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
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
pub(super) fn fitting(lengths: impl Iterator<Item = f64>, room: f64) -> usize {
    let mut used = 0.0;
    let fits = |length: &f64| {
        used += length;
        used <= room
    };
    lengths.take_while(fits).count().max(1)
}
