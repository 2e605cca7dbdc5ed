//! Contact sheets: pictures in rows and columns with labels, as one PNG.

use std::io::Cursor;

use benchtop_model::{Error, Result};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{Rgb, RgbImage};

use crate::decode::DecodedImage;
use crate::letters::Word;
use crate::scale::{fit, resize};

/// The most pixels of a sheet.
const MOST: u64 = 64_000_000;
const GAP: u32 = 4;
const INK: [u8; 3] = [30, 30, 30];
const EMPTY: [u8; 3] = [225, 225, 225];

/// Pictures by row and column. Rows may be shorter than `columns`.
pub struct Sheet<'a> {
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// Labels of the rows, with a picture or none for each column.
    pub rows: Vec<(String, Vec<Option<&'a DecodedImage>>)>,
    /// The side of the square in which a picture is fitted, in pixels.
    pub side: u32,
}

impl Sheet<'_> {
    /// The sheet as a PNG. The same pictures and labels give the same bytes.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`]: there is no picture, or the sheet would be larger than 64
    /// megapixels.
    pub fn png(&self) -> Result<Vec<u8>> {
        let sheet = self.pixels()?;
        let mut bytes = Cursor::new(Vec::new());
        let encoder = PngEncoder::new_with_quality(
            &mut bytes,
            CompressionType::Default,
            FilterType::Adaptive,
        );
        let written = sheet.write_with_encoder(encoder);
        written.map_err(|e| Error::input(format!("the sheet cannot be written: {e}")))?;
        Ok(bytes.into_inner())
    }

    /// The sheet as pixels.
    ///
    /// # Errors
    /// See [`Sheet::png`].
    pub fn pixels(&self) -> Result<RgbImage> {
        if self.columns.is_empty() || self.rows.is_empty() || self.side == 0 {
            return Err(Error::input("a sheet without pictures"));
        }
        let size = (self.side as f32 / 9.0).clamp(8.0, 28.0);
        let labels: Vec<Label> = self
            .rows
            .iter()
            .map(|row| Label::new(&row.0, size, self.side * 2))
            .collect();
        let left = labels.iter().map(|label| label.width).max().unwrap_or(0) + 2 * GAP;
        let top = size.ceil() as u32 + 2 * GAP;
        let step = u64::from(self.side + GAP);
        let width = u64::from(left) + step * self.columns.len() as u64;
        let height = u64::from(top) + step * self.rows.len() as u64;
        if width.saturating_mul(height) > MOST {
            let what = format!("a sheet of {width}x{height} pixels is too large");
            return Err(Error::input(what).help("choose fewer pictures, or make them smaller"));
        }
        let mut sheet = RgbImage::from_pixel(width as u32, height as u32, Rgb([255; 3]));
        let step = self.side + GAP;
        for (n, column) in self.columns.iter().enumerate() {
            let label = Label::new(column, size, self.side);
            let middle = left + step * n as u32 + (self.side - label.width.min(self.side)) / 2;
            label.write(&mut sheet, middle, GAP);
        }
        for (n, ((_, pictures), label)) in self.rows.iter().zip(&labels).enumerate() {
            let y = top + step * n as u32;
            label.write(
                &mut sheet,
                GAP,
                y + (self.side - label.height.min(self.side)) / 2,
            );
            for column in 0..self.columns.len() {
                let x = left + step * column as u32;
                match pictures.get(column) {
                    Some(Some(picture)) => self.place(&mut sheet, picture, (x, y))?,
                    _ => fill(&mut sheet, (x, y), self.side),
                }
            }
        }
        Ok(sheet)
    }

    /// Puts a picture in the middle of its square, on white.
    fn place(
        &self,
        sheet: &mut RgbImage,
        picture: &DecodedImage,
        (x, y): (u32, u32),
    ) -> Result<()> {
        let size = fit(picture.size(), (self.side, self.side), 1.0);
        let small = resize(picture, size).map_err(Error::input)?;
        let (right, down) = ((self.side - size.0) / 2, (self.side - size.1) / 2);
        for (column, row, pixel) in small.enumerate_pixels() {
            let [r, g, b, alpha] = pixel.0.map(u32::from);
            let on_white = |value: u32| ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
            sheet.put_pixel(
                x + right + column,
                y + down + row,
                Rgb([r, g, b].map(on_white)),
            );
        }
        Ok(())
    }
}

fn fill(sheet: &mut RgbImage, (x, y): (u32, u32), side: u32) {
    for down in 0..side {
        for right in 0..side {
            sheet.put_pixel(x + right, y + down, Rgb(EMPTY));
        }
    }
}

/// A label as coverage.
struct Label {
    width: u32,
    height: u32,
    shares: Vec<f32>,
}

impl Label {
    /// A label that is at most `most` pixels wide: a long one ends in `...`. Letters that the font
    /// lacks are question marks.
    fn new(text: &str, size: f32, most: u32) -> Label {
        let drawable = |letter: char| letter == ' ' || Word::new(&letter.to_string()).is_ok();
        let mut text: String = text
            .chars()
            .map(|letter| if drawable(letter) { letter } else { '?' })
            .collect();
        let mut cut = text.clone();
        loop {
            match Word::new(&cut) {
                Err(_) => {
                    return Label {
                        width: 0,
                        height: 0,
                        shares: Vec::new(),
                    };
                }
                Ok(word) if word.extent(size, 0.0).0 <= most as f32 || text.is_empty() => {
                    let drawn = word.drawn(size, 0.0);
                    return Label {
                        width: drawn.width as u32,
                        height: drawn.height() as u32,
                        shares: drawn.shares,
                    };
                }
                Ok(_) => {
                    text.pop();
                    cut = format!("{}...", text.trim_end());
                }
            }
        }
    }

    fn write(&self, sheet: &mut RgbImage, x: u32, y: u32) {
        for (at, share) in self.shares.iter().enumerate() {
            let (x, y) = (x + at as u32 % self.width, y + at as u32 / self.width);
            if let Some(pixel) = sheet.get_pixel_mut_checked(x, y) {
                for (value, ink) in pixel.0.iter_mut().zip(INK) {
                    let mixed = f32::from(*value) + (f32::from(ink) - f32::from(*value)) * share;
                    *value = (mixed + 0.5) as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;
    use crate::decode::decode;

    fn plain(width: u32, height: u32, rgba: [u8; 4]) -> DecodedImage {
        DecodedImage::new(image::RgbaImage::from_pixel(width, height, Rgba(rgba)).into())
    }

    #[test]
    fn pictures_are_in_their_cells() {
        let (red, wide, clear) = (
            plain(300, 300, [200, 0, 0, 255]),
            plain(200, 50, [0, 0, 200, 255]),
            plain(40, 40, [0, 0, 0, 0]),
        );
        let sheet = Sheet {
            columns: ["1", "a very long label that is cut", "\u{72ac}"]
                .map(String::from)
                .to_vec(),
            rows: vec![
                ("glass-blur".into(), vec![Some(&red), Some(&wide)]),
                ("jpeg".into(), vec![None, Some(&clear), Some(&red)]),
            ],
            side: 100,
        };
        let png = sheet.png().unwrap();
        assert_eq!(png, sheet.png().unwrap());
        let pixels = decode(&png).unwrap().pixels().to_rgb8();
        let (left, top) = (pixels.width() - 3 * 104, pixels.height() - 2 * 104);
        let at = |column: u32, row: u32, x: u32, y: u32| {
            pixels[(left + column * 104 + x, top + row * 104 + y)].0
        };
        for corner in [0, 50, 99] {
            assert_eq!(at(0, 0, corner, corner), [200, 0, 0]);
            assert_eq!(at(2, 1, corner, 99 - corner), [200, 0, 0]);
            assert_eq!(at(0, 1, corner, 3), EMPTY);
            assert_eq!(at(2, 0, corner, 3), EMPTY, "the row is short");
            assert_eq!(at(1, 1, corner, 50), [255; 3], "transparent");
        }
        assert_eq!(at(1, 0, 50, 50), [0, 0, 200]);
        assert_eq!((at(1, 0, 50, 30), at(1, 0, 0, 50)), ([255; 3], [0, 0, 200]));
        // Labels are where they belong.
        let dark = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
            let pixels = &pixels;
            x.flat_map(move |x| y.clone().map(move |y| pixels[(x, y)].0[0]))
                .filter(|v| *v < 90)
                .count()
        };
        assert!(dark(0..left, top..top + 100) > 50 && dark(0..left, top + 104..top + 204) > 20);
        for column in 0..3 {
            let x = left + column * 104;
            assert!(dark(x..x + 100, 0..top) > 5, "{column}");
        }
    }

    #[test]
    fn sheets_without_pictures_and_large_ones_are_refused() {
        let sheet = |columns: usize, side| Sheet {
            columns: vec![String::new(); columns],
            rows: vec![(String::new(), Vec::new())],
            side,
        };
        assert!(sheet(0, 10).png().is_err() && sheet(2, 0).png().is_err());
        assert!(
            sheet(1000, 9000)
                .png()
                .unwrap_err()
                .what
                .contains("too large")
        );
        assert!(sheet(3, 40).png().is_ok());
    }
}
