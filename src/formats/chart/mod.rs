//! Charts of a board as files: bars with intervals, and a table shaded by value. Drawn once as a [`Scene`], written as SVG ([`svg`]) or
//! PNG ([`png`]).

mod png;
mod svg;

use std::io::Write;

use crate::model::Result;

/// Colour of text and lines.
const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Colour of what is only there to compare with.
const GREY: Colour = Colour(0x88, 0x88, 0x88);
/// Colour of bars: told apart from red and green by every eye (Okabe and Ito's blue).
const BAR: Colour = Colour(0x00, 0x72, 0xb2);
/// Height of a line of text, and width of a character, in units of a scene.
const LINE: f64 = 22.0;
const CHARACTER: f64 = 9.0;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Where a text stands by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Start,
    End,
    Middle,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// A filled rectangle.
    Rect { x: f64, y: f64, width: f64, height: f64, colour: Colour },
    /// A line of text; `y` is its middle.
    Text { x: f64, y: f64, anchor: Anchor, colour: Colour, text: String },
}

/// A drawing, in units of about a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How long it is.
    pub value: f64,
    /// Its interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// What stands behind it.
    pub note: String,
    /// It is only there to compare with.
    pub is_reference: bool,
}

/// A line of a shaded table: what it is of, and for each column its value and what stands in the cell.
pub type Line = (String, Vec<Option<(f64, String)>>);

fn wide(text: &str) -> f64 {
    CHARACTER * unicode_width::UnicodeWidthStr::width(text) as f64
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    texts.map(wide).fold(0.0, f64::max)
}

impl Scene {
    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: Colour) {
        self.shapes.push(Shape::Rect { x, y, width: width.max(0.0), height: height.max(0.0), colour });
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, colour: Colour, text: impl Into<String>) {
        self.shapes.push(Shape::Text { x, y, anchor, colour, text: text.into() });
    }

    /// Bars from zero on a scale from the least (0 at most) to the greatest value (at least `most`), with a line of notes below.
    pub fn bars(title: &str, bars: &[Bar], most: f64, footer: &str) -> Scene {
        let ends = |b: &Bar| b.interval.map_or([b.value, b.value], |(low, high)| [low.min(b.value), high.max(b.value)]);
        let low = bars.iter().map(|b| ends(b)[0]).filter(|v| v.is_finite()).fold(0.0, f64::min);
        let high =
            bars.iter().map(|b| ends(b)[1]).filter(|v| v.is_finite()).fold(most.max(f64::MIN_POSITIVE), f64::max);
        let left = 16.0 + widest(bars.iter().map(|b| b.label.as_str())) + 10.0;
        let room = 420.0;
        let notes = widest(bars.iter().map(|b| b.note.as_str()));
        let width = (left + room + 12.0 + notes + 16.0).max(wide(title) + 32.0).max(wide(footer) + 32.0);
        let top = 16.0 + LINE * 1.6;
        let height = top + LINE * (bars.len() as f64 + 1.2) + 16.0;
        let mut scene = Scene { width, height, shapes: Vec::new() };
        scene.text((16.0, 16.0 + LINE / 2.0), Anchor::Start, INK, title);
        let at = |value: f64| left + room * ((value - low) / (high - low)).clamp(0.0, 1.0);
        for (row, bar) in bars.iter().enumerate() {
            let middle = top + LINE * (row as f64 + 0.5);
            let colour = if bar.is_reference { GREY } else { BAR };
            scene.text((left - 10.0, middle), Anchor::End, if bar.is_reference { GREY } else { INK }, &bar.label);
            if bar.value.is_finite() {
                let (a, b) = (at(0.0_f64.min(bar.value)), at(0.0_f64.max(bar.value)));
                scene.rect((a, middle - LINE * 0.35), (b - a, LINE * 0.7), colour);
            }
            if let Some((low, high)) = bar.interval.filter(|(low, high)| low.is_finite() && high.is_finite()) {
                scene.rect((at(low), middle - 1.0), (at(high) - at(low), 2.0), INK);
                for end in [low, high] {
                    scene.rect((at(end) - 1.0, middle - 5.0), (2.0, 10.0), INK);
                }
            }
            scene.text((left + room + 12.0, middle), Anchor::Start, INK, &bar.note);
        }
        scene.rect((at(0.0) - 0.5, top), (1.0, LINE * bars.len() as f64), INK);
        scene.text((16.0, height - 16.0), Anchor::Start, GREY, footer);
        scene
    }

    /// A table whose cells are shaded from the least to the greatest value of their column; text is what stands in them.
    pub fn table(title: &str, columns: &[String], rows: &[Line], footer: &str) -> Scene {
        let left = 16.0 + widest(rows.iter().map(|r| r.0.as_str())) + 10.0;
        let cell = |row: &Line, at: usize| row.1.get(at).cloned().flatten();
        let text =
            |at: usize| rows.iter().filter_map(move |r| cell(r, at)).map(|(_, text)| wide(&text)).fold(0.0, f64::max);
        let widths: Vec<f64> = columns.iter().enumerate().map(|(at, name)| wide(name).max(text(at)) + 14.0).collect();
        let width = (left + widths.iter().sum::<f64>() + 16.0).max(wide(title) + 32.0).max(wide(footer) + 32.0);
        let top = 16.0 + LINE * 2.6;
        let height = top + LINE * (rows.len() as f64 + 1.2) + 16.0;
        let mut scene = Scene { width, height, shapes: Vec::new() };
        scene.text((16.0, 16.0 + LINE / 2.0), Anchor::Start, INK, title);
        let mut x = left;
        for (at, name) in columns.iter().enumerate() {
            scene.text((x + widths[at] / 2.0, top - LINE / 2.0), Anchor::Middle, INK, name);
            let values = || rows.iter().filter_map(|r| Some(cell(r, at)?.0)).filter(|v| v.is_finite());
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            for (row, of) in rows.iter().enumerate() {
                let Some((value, text)) = cell(of, at) else { continue };
                let y = top + LINE * row as f64;
                let share = if high > low { (value - low) / (high - low) } else { 0.0 };
                scene.rect((x + 1.0, y + 1.0), (widths[at] - 2.0, LINE - 2.0), shade(share));
                scene.text((x + widths[at] - 7.0, y + LINE / 2.0), Anchor::End, INK, text);
            }
            x += widths[at];
        }
        for (row, (name, _)) in rows.iter().enumerate() {
            scene.text((left - 10.0, top + LINE * (row as f64 + 0.5)), Anchor::End, INK, name);
        }
        scene.text((16.0, height - 16.0), Anchor::Start, GREY, footer);
        scene
    }

    /// Writes it as SVG.
    ///
    /// # Errors
    /// Those of `out`, as [`crate::model::Problem::io`] classes them.
    pub fn svg(&self, out: &mut dyn Write) -> Result<()> {
        svg::write(self, out)
    }

    /// Writes it as PNG, two pixels a unit. Characters that the built-in letters lack are drawn as `?`.
    ///
    /// # Errors
    /// [`crate::model::Kind::Usage`] when it would be larger than 64 million pixels; those of `out`.
    pub fn png(&self, out: &mut dyn Write) -> Result<()> {
        png::write(self, out)
    }
}

/// White to a light blue on which dark text is read by every eye.
fn shade(share: f64) -> Colour {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let mix = |full: f64| (255.0 - (255.0 - full) * share).round() as u8;
    Colour(mix(120.0), mix(185.0), mix(232.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars() -> Scene {
        let bar = |label: &str, value, interval| Bar {
            label: label.into(),
            value,
            interval,
            note: if value.is_finite() { format!("{value:.1} <n=40>") } else { String::new() },
            is_reference: label == "paper",
        };
        let bars = [bar("alpha & co", 62.5, Some((50.0, 75.0))), bar("beta", -3.0, None), bar("paper", f64::NAN, None)];
        Scene::bars("Acc", &bars, 100.0, "95 % Wilson")
    }

    fn text(scene: &Scene) -> String {
        let mut out = Vec::new();
        scene.svg(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn svg_has_every_bar_and_escapes_what_it_must() {
        let svg = text(&bars());
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("alpha &amp; co") && svg.contains("62.5 &lt;n=40&gt;") && svg.contains("95 % Wilson"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // Two bars and the line at zero; an interval is a line with two ends.
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 3 + 1, "{svg}");
    }

    #[test]
    fn tables_are_shaded_by_column() {
        let rows = [
            ("a".to_string(), vec![Some((1.0, "1.0".into())), None]),
            ("b".to_string(), vec![Some((2.0, "2.0".into())), Some((5.0, "5".into()))]),
        ];
        let svg = text(&Scene::table("T", &["x".into(), "y".into()], &rows, ""));
        assert!(svg.contains("#ffffff") && svg.contains("#78b9e8"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 1 + 3);
    }

    #[test]
    fn png_is_a_picture_of_the_same_size_with_ink_in_it() {
        let scene = bars();
        let mut out = Vec::new();
        scene.png(&mut out).unwrap();
        let picture = image::load_from_memory(&out).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), ((scene.width * 2.0).ceil() as u32, (scene.height * 2.0).ceil() as u32));
        let blue = picture.pixels().filter(|p| p.0 == [BAR.0, BAR.1, BAR.2]).count();
        let dark = picture.pixels().filter(|p| p.0.iter().all(|c| *c < 0x60)).count();
        assert!(blue > 5000 && dark > 500, "{blue} {dark}");
        let huge = Scene { width: 1e6, height: 1e6, shapes: Vec::new() };
        assert_eq!(huge.png(&mut Vec::new()).unwrap_err().kind, crate::model::Kind::Usage);
        Scene::bars("", &[], 1.0, "").png(&mut Vec::new()).unwrap();
    }
}
