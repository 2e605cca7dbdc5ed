//! Text on pixels: Noto Sans Mono as a built-in bitmap of 32 rows, scaled by area in integers.
//! Missing characters (all but Latin) are boxes with the character's code.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use super::shapes::{Rgb, mix};
use benchtop_model::generation::Pixels;

const ROWS: usize = 32;
const SIZE: RasterHeight = RasterHeight::Size32;

/// A pen with a height, weight, and color.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    /// Height of a line in pixels.
    pub(super) height: u32,
    pub(super) bold: bool,
    pub(super) rgb: Rgb,
}

impl Pen {
    fn weight(&self) -> FontWeight {
        if self.bold {
            FontWeight::Bold
        } else {
            FontWeight::Regular
        }
    }

    /// Width of a character in 1/256 pixels, so that rounding errors do not add up.
    fn step(&self) -> u32 {
        get_raster_width(self.weight(), SIZE) as u32 * self.height * 256 / ROWS as u32
    }

    /// Width of `text` in pixels.
    pub(super) fn width(&self, text: &str) -> u32 {
        (text.chars().count() as u32 * self.step()).div_ceil(256)
    }

    /// Cuts `text` with an ellipsis to fit `width` pixels.
    pub(super) fn cut(&self, text: &str, width: u32) -> String {
        let room = (width * 256 / self.step().max(1)) as usize;
        if text.chars().count() <= room {
            return text.to_string();
        }
        let kept: String = text.chars().take(room.saturating_sub(3)).collect();
        let kept = kept.trim_end();
        if room < 4 {
            String::new()
        } else {
            format!("{kept}...")
        }
    }

    /// Writes `text` with its upper left corner at (x, y), clipped to the picture.
    pub(super) fn write(&self, pixels: &mut Pixels, x: u32, y: u32, text: &str) {
        for (i, c) in text.chars().enumerate() {
            let at = x + (i as u32 * self.step() + 128) / 256;
            match get_raster(c, self.weight(), SIZE) {
                Some(glyph) => self.stamp(pixels, at, y, glyph.width(), &|gx, gy| {
                    glyph.pixel(gx, gy).unwrap_or(0)
                }),
                None if c.is_whitespace() => {}
                None => self.coded(pixels, at, y, c),
            }
        }
    }

    /// Draws a box with the character's code in hexadecimal digits, two or three per row.
    fn coded(&self, pixels: &mut Pixels, x: u32, y: u32, c: char) {
        let code = u32::from(c);
        let per_row = if code > 0xffff { 3 } else { 2 };
        let wide = get_raster_width(self.weight(), SIZE);
        let (cell, high) = ((wide - 4) / per_row, 10);
        self.stamp(pixels, x, y, wide, &|gx, gy| {
            if !(4..28).contains(&gy) || gx == 0 || gx + 1 >= wide {
                return 0;
            }
            if gy == 4 || gy == 27 || gx == 1 || gx + 2 == wide {
                return 255;
            }
            let (column, row) = (gx.saturating_sub(2) / cell, (gy - 5) / (high + 1));
            if column >= per_row || row > 1 {
                return 0;
            }
            let place = (per_row * 2 - 1 - (row * per_row + column)) as u32;
            let digit = char::from_digit(code >> (4 * place) & 15, 16)
                .unwrap_or('0')
                .to_ascii_uppercase();
            // The digit is in rows 7 to 25 of its raster, which are scaled to the cell.
            let Some(glyph) = get_raster(digit, FontWeight::Bold, SIZE) else {
                return 0;
            };
            let (in_x, in_y) = ((gx - 2) % cell, (gy - 5) % (high + 1));
            glyph
                .pixel(in_x * glyph.width() / cell, 6 + in_y * 20 / high)
                .unwrap_or(0)
        });
    }

    /// Scales a raster of 32 rows of intensities to the pen's height. Each pixel is the mean of the
    /// area that it covers.
    fn stamp(
        &self,
        pixels: &mut Pixels,
        x: u32,
        y: u32,
        wide: usize,
        raster: &dyn Fn(usize, usize) -> u8,
    ) {
        let (width, height) = ((self.step() / 256).max(1), self.height);
        for row in 0..height.min(pixels.height.saturating_sub(y)) {
            for column in 0..width.min(pixels.width.saturating_sub(x)) {
                let ink = mean(raster, wide, (column, width), (row, height));
                if ink > 0 {
                    let at =
                        ((y + row) as usize * pixels.width as usize + (x + column) as usize) * 3;
                    if let Some(Ok(under)) = pixels.rgb.get(at..at + 3).map(Rgb::try_from) {
                        pixels.rgb[at..at + 3].copy_from_slice(&mix(
                            under,
                            self.rgb,
                            ink + (ink >> 7),
                        ));
                    }
                }
            }
        }
    }
}

/// The mean intensity of the area of a raster that the pixel `column` of `width` and `row` of
/// `height` covers, computed in sixteenths.
fn mean(
    raster: &dyn Fn(usize, usize) -> u8,
    wide: usize,
    column: (u32, u32),
    row: (u32, u32),
) -> u32 {
    let span = |(at, of): (u32, u32), cells: usize| {
        let cells = cells as u32 * 16;
        (
            at * cells / of,
            ((at + 1) * cells / of).max(at * cells / of + 1),
        )
    };
    let (x, y) = (span(column, wide), span(row, ROWS));
    let part = |(from, to): (u32, u32), cell: u32| to.min(cell * 16 + 16) - from.max(cell * 16);
    let (mut sum, mut area) = (0, 0);
    for gy in y.0 / 16..=(y.1 - 1) / 16 {
        for gx in x.0 / 16..=(x.1 - 1) / 16 {
            let share = part(x, gx) * part(y, gy);
            sum += share * u32::from(raster(gx as usize, gy as usize));
            area += share;
        }
    }
    sum / area.max(1)
}
