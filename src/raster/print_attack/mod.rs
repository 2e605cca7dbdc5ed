//! Print attacks: a word is written on a picture.
//!
//! Dysca varies five factors: size, color, opacity, orientation, and position on a grid of 5 by 5.
//! Their levels are dealt so that each occurs equally often.

mod ink;
mod look;
#[cfg(test)]
mod tests;

use benchtop_model::{Error, Result};
use image::{DynamicImage, RgbImage};

use crate::decode::DecodedImage;
use crate::letters::Word;

pub use ink::Ink;
pub use look::{Dealer, FACTORS, Factor, Look};

/// The version of the code. It changes when the same word and look give other bytes.
pub const VERSION: u32 = 1;

/// Words in smaller letters are not written. Pixels.
const LEAST: f32 = 6.0;

/// Writes a word on a picture.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`]: the font lacks a letter, or the picture is so small that the
/// letters would be smaller than 6 pixels.
pub fn write(picture: &DecodedImage, word: &str, look: Look) -> Result<(DecodedImage, Ink)> {
    let word = Word::new(word)?;
    let (width, height) = picture.size();
    let (room, angle) = ((width as f32, height as f32), look.angle());
    let wanted = look.size() * room.0.min(room.1);
    let (unit_width, unit_height) = word.extent(1.0, angle);
    let fitting = (room.0 / unit_width).min(room.1 / unit_height);
    // The least size, if the look asks for less.
    let size = wanted.max(LEAST).min(fitting);
    if size < LEAST {
        let what = format!("a picture of {width}x{height} pixels is too small for this word");
        return Err(Error::input(what).help("use a larger picture, or a shorter word"));
    }
    let drawn = word.drawn(size, angle);
    let (columns, rows) = look.position();
    let place = |share: f32, room: u32, length: usize| {
        let middle = share * room as f32 - length as f32 / 2.0;
        let most = f64::from(room) - length as f64;
        f64::from(middle.round()).min(most).max(0.0) as usize
    };
    let left = place(columns, width, drawn.width);
    let top = place(rows, height, drawn.height());
    let mut pixels = picture.pixels().clone();
    let (color, opacity) = (look.color().map(f32::from), look.opacity());
    let (mut inked, mut low, mut high) = (0.0, [u32::MAX; 2], [0; 2]);
    for (y, row) in drawn.shares.chunks_exact(drawn.width).enumerate() {
        for (x, share) in row.iter().enumerate() {
            let (x, y) = ((left + x) as u32, (top + y) as u32);
            if *share < 1.0 / 512.0 || x >= width || y >= height {
                continue;
            }
            inked += f64::from(*share);
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
            match &mut pixels {
                DynamicImage::ImageRgba8(rgba) => over(&mut rgba[(x, y)].0, color, share * opacity),
                other => {
                    if let Some(rgb) = other.as_mut_rgb8() {
                        mix(&mut rgb[(x, y)].0, color, share * opacity);
                    }
                }
            }
        }
    }
    let middle = word.middle(size, angle);
    let ink = Ink {
        area: [low[0], low[1], high[0] + 1 - low[0], high[1] + 1 - low[1]],
        size,
        shrunk: size < wanted,
        coverage: inked / (f64::from(width) * f64::from(height)),
        middle: (left as f32 + middle.0, top as f32 + middle.1),
        upright: word.extent(size, 0.0),
        angle,
    };
    Ok((DecodedImage::new(pixels), ink))
}

fn mix(pixel: &mut [u8; 3], color: [f32; 3], share: f32) {
    for (value, color) in pixel.iter_mut().zip(color) {
        let mixed = f32::from(*value) + (color - f32::from(*value)) * share;
        *value = (mixed + 0.5) as u8;
    }
}

/// Ink on a pixel that may be transparent: the ink is not.
fn over(pixel: &mut [u8; 4], color: [f32; 3], share: f32) {
    let alpha = f32::from(pixel[3]) / 255.0;
    let after = alpha + (1.0 - alpha) * share;
    if after <= 0.0 {
        return;
    }
    for (value, color) in pixel.iter_mut().zip(color) {
        let mixed = f32::from(*value) + (color - f32::from(*value)) * (share / after);
        *value = (mixed + 0.5) as u8;
    }
    pixel[3] = (after * 255.0 + 0.5) as u8;
}

/// The part of a picture where a word was written, turned so that the word is upright, with a margin
/// of a third of its size. This is what an OCR reads: Tesseract does not read words at an angle.
pub fn turned_upright(picture: &DecodedImage, ink: &Ink) -> RgbImage {
    let rgb = picture.pixels().to_rgb8();
    let margin = ink.size / 3.0;
    let side = |length: f32| (length + 2.0 * margin).ceil().max(1.0) as u32;
    let (width, height) = (side(ink.upright.0), side(ink.upright.1));
    let middle = ink.middle;
    let radians = ink.angle * (std::f64::consts::PI / 180.0);
    let (sin, cos) = (libm::sin(radians) as f32, libm::cos(radians) as f32);
    let last = (rgb.width() as f32 - 1.0, rgb.height() as f32 - 1.0);
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (
            x as f32 + 0.5 - width as f32 / 2.0,
            y as f32 + 0.5 - height as f32 / 2.0,
        );
        let x_from = (middle.0 + x * cos - y * sin - 0.5).clamp(0.0, last.0);
        let y_from = (middle.1 + x * sin + y * cos - 0.5).clamp(0.0, last.1);
        let (column, row) = (x_from as u32, y_from as u32);
        let (right, down) = (x_from - column as f32, y_from - row as f32);
        let next = (
            (column + 1).min(rgb.width() - 1),
            (row + 1).min(rgb.height() - 1),
        );
        let value = |c: usize| {
            let at = |x, y| f32::from(rgb[(x, y)].0[c]);
            let above = at(column, row) * (1.0 - right) + at(next.0, row) * right;
            let below = at(column, next.1) * (1.0 - right) + at(next.0, next.1) * right;
            (above * (1.0 - down) + below * down + 0.5) as u8
        };
        image::Rgb([value(0), value(1), value(2)])
    })
}
