//! Draws a scene as PNG.

use std::io::{Cursor, Write};

use image::imageops::{self, FilterType};
use image::{ImageFormat, Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use unicode_width::UnicodeWidthStr;

use super::scene::{Anchor, Color, Scene, Shape};
use crate::python_json::raw;
use benchtop_model::{Error, ErrorKind, Result};

/// Pixels per unit.
const SCALE: f64 = 2.0;
const MOST: f64 = 64e6;
/// Maximum pixels of the longer side.
const SIDE: f64 = 2000.0;

pub(super) fn write(scene: &Scene, out: &mut dyn Write) -> Result<()> {
    let (width, height) = (
        (scene.width * SCALE).ceil().max(1.0),
        (scene.height * SCALE).ceil().max(1.0),
    );
    if width * height > MOST {
        let what = format!("a picture of {width:.0} x {height:.0} pixels is too large");
        return Err(Error::new(ErrorKind::Usage, what).help("choose fewer columns, or write SVG"));
    }
    let mut picture = RgbImage::from_pixel(width as u32, height as u32, Rgb([255; 3]));
    for shape in &scene.shapes {
        match shape {
            Shape::Rect {
                x,
                y,
                width,
                height,
                color,
            } => fill(&mut picture, (*x, *y), (*width, *height), *color),
            Shape::Text {
                x,
                y,
                anchor,
                color,
                text,
                up,
            } => {
                letters(&mut picture, (*x, *y), (*anchor, *up), *color, text);
            }
        }
    }
    // Drawing at full size and then downscaling preserves the shapes of letters.
    if width.max(height) > SIDE {
        let by = SIDE / width.max(height);
        let side = |length: f64| ((length * by).round() as u32).clamp(1, SIDE as u32);
        picture = imageops::resize(&picture, side(width), side(height), FilterType::Lanczos3);
    }
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot write the picture: {e}")))?;
    raw(out, bytes.get_ref())
}

fn fill(
    picture: &mut RgbImage,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    Color(r, g, b): Color,
) {
    let edge = |at: f64, most: u32| (at * SCALE).round().clamp(0.0, f64::from(most)) as u32;
    let (wide, high) = picture.dimensions();
    for row in edge(y, high)..edge(y + height, high) {
        for column in edge(x, wide)..edge(x + width, wide) {
            picture.put_pixel(column, row, Rgb([r, g, b]));
        }
    }
}

fn letters(
    picture: &mut RgbImage,
    (x, y): (f64, f64),
    (anchor, up): (Anchor, bool),
    color: Color,
    text: &str,
) {
    let (weight, size) = (FontWeight::Regular, RasterHeight::Size32);
    let step = get_raster_width(weight, size) as f64;
    let length = step * text.width() as f64;
    let shift = match anchor {
        Anchor::Start => 0.0,
        Anchor::End => length,
        Anchor::Middle => length / 2.0,
    };
    let half = size.val() as f64 / 2.0;
    // Position along the line of text and across it.
    let mut along = -shift;
    let at = |along: f64, across: f64| match up {
        true => (x * SCALE + across - half, y * SCALE - along),
        false => (x * SCALE + along, y * SCALE + across - half),
    };
    for c in text.chars() {
        let glyph = get_raster(c, weight, size).or_else(|| get_raster('?', weight, size));
        if let Some(glyph) = glyph {
            for row in 0..size.val() {
                for column in 0..glyph.width() {
                    let ink = glyph.pixel(column, row).unwrap_or(0);
                    blend(picture, at(along + column as f64, row as f64), color, ink);
                }
            }
        }
        along += step * unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) as f64;
    }
}

fn blend(picture: &mut RgbImage, (x, y): (f64, f64), Color(r, g, b): Color, ink: u8) {
    if ink == 0 || x < 0.0 || y < 0.0 {
        return;
    }
    if let Some(pixel) = picture.get_pixel_mut_checked(x as u32, y as u32) {
        let mix = |under: u8, over: u8| {
            ((u16::from(under) * (255 - u16::from(ink)) + u16::from(over) * u16::from(ink)) / 255)
                as u8
        };
        let [pr, pg, pb] = pixel.0;
        *pixel = Rgb([mix(pr, r), mix(pg, g), mix(pb, b)]);
    }
}
