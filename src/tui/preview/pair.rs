//! One or two pictures: alone, side by side, or as their difference; and regions of them.

use image::{Rgba, RgbaImage};

use crate::palette::{Rgb, gray};
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::scale::{fit, resize};

/// Smallest difference of a channel, of 255, that counts as a change. JPEG noise stays below.
pub const NOISE: u8 = 16;
/// Maximum zoom, in doublings.
const MAX_ZOOM: u8 = 5;
/// Denominator of region centers.
const CENTER_UNITS: u16 = 1024;

/// The view of a pair of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Show {
    /// The first picture alone, also for single pictures.
    #[default]
    First,
    /// The second picture alone.
    Second,
    /// Another picture alone, by its index from 0. It is requested as a first picture.
    Other(u8),
    /// The first at the left, the second at the right.
    Beside,
    /// The first in dark gray, with the differences in bright.
    Difference,
}

/// A region of a picture: its center and zoom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Zoom in doublings: 0 is the whole picture.
    near: u8,
    /// The center, in 1024ths of width and height.
    middle: (u16, u16),
}

impl Default for Region {
    fn default() -> Self {
        Region {
            near: 0,
            middle: (CENTER_UNITS / 2, CENTER_UNITS / 2),
        }
    }
}

impl Region {
    /// The zoom factor.
    pub fn times(self) -> u32 {
        1 << self.near
    }

    /// Zooms in or out by 2x. Unchanged at the limits.
    pub fn zoom(self, nearer: bool) -> Region {
        let near = if nearer {
            (self.near + 1).min(MAX_ZOOM)
        } else {
            self.near.saturating_sub(1)
        };
        Region { near, ..self }.clamped()
    }

    /// Pans by a quarter of the view: -1, 0, or 1 in each direction. Unchanged at the edge.
    pub fn pan(self, right: i32, down: i32) -> Region {
        let step = i32::from((CENTER_UNITS >> self.near) / 4);
        let move_by = |at: u16, by: i32| {
            u16::try_from((i32::from(at) + by * step).max(0)).unwrap_or(CENTER_UNITS)
        };
        Region {
            middle: (move_by(self.middle.0, right), move_by(self.middle.1, down)),
            ..self
        }
        .clamped()
    }

    /// Moves the region inside the picture.
    fn clamped(self) -> Region {
        let half = (CENTER_UNITS / 2) >> self.near;
        let keep = |at: u16| at.clamp(half, CENTER_UNITS - half);
        Region {
            middle: (keep(self.middle.0), keep(self.middle.1)),
            ..self
        }
    }

    /// Left, top, width, and height in a picture of this size.
    fn of(self, (width, height): (u32, u32)) -> (u32, u32, u32, u32) {
        let side = |whole: u32, middle: u16| {
            let long = whole.div_ceil(self.times()).max(1);
            let middle = u64::from(whole) * u64::from(middle) / u64::from(CENTER_UNITS);
            let from = u32::try_from(middle)
                .unwrap_or(whole)
                .saturating_sub(long / 2);
            (from.min(whole.saturating_sub(long)), long)
        };
        let ((x, w), (y, h)) = (side(width, self.middle.0), side(height, self.middle.1));
        (x, y, w, h)
    }

    /// Left, top, width, and height as fractions of the picture.
    pub fn fractions(self) -> [f64; 4] {
        const WHOLE: u32 = 1 << 20;
        let (x, y, width, height) = self.of((WHOLE, WHOLE));
        [x, y, width, height].map(|part| f64::from(part) / f64::from(WHOLE))
    }

    /// Crops a picture to the region.
    fn cut(self, image: &DecodedImage) -> DecodedImage {
        let (x, y, width, height) = self.of(image.size());
        DecodedImage::new(image.pixels().crop_imm(x, y, width, height))
    }
}

/// The part of a picture or pair that is shown. Part of the cache key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Part {
    pub show: Show,
    /// The region, the same for both pictures.
    pub region: Region,
}

/// The space that a picture is drawn in.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub size: (u32, u32),
    /// Width of a pixel divided by its height, as in [`fit`].
    pub stretch: f64,
    /// Width between two pictures.
    pub gap: u32,
}

/// Draws the part of one or two pictures to fill the room, and keeps the aspect ratio. For a
/// difference, also returns the share of pixels in the region that differ by at least [`NOISE`].
///
/// # Errors
///
/// If resizing fails.
pub fn draw(
    images: &[DecodedImage],
    part: Part,
    room: Room,
    ground: Rgb,
) -> Result<(RgbaImage, Option<f64>), String> {
    let Some(first) = images.first() else {
        return Err("no picture".into());
    };
    let whole = part.region.times() == 1;
    let cut = |image: &DecodedImage| {
        if whole {
            image.clone()
        } else {
            part.region.cut(image)
        }
    };
    let alone = |image: &DecodedImage| match whole {
        true => resize(image, fit(image.size(), room.size, room.stretch)),
        false => {
            let region = part.region.cut(image);
            resize(&region, fit(region.size(), room.size, room.stretch))
        }
    };
    match (part.show, images.get(1)) {
        // If there is no room for two pictures, draw one.
        (Show::Beside, Some(second)) if room.size.0 >= room.gap + 2 => {
            Ok((beside([&cut(first), &cut(second)], room)?, None))
        }
        (Show::Difference, Some(second)) => {
            // Resize a second picture of another size to compare it.
            let second = match second.size() == first.size() {
                true => cut(second),
                false => cut(&DecodedImage::new(resize(second, first.size())?.into())),
            };
            let (drawn, share) = difference(&cut(first), &second, room, ground)?;
            Ok((drawn, Some(share)))
        }
        (Show::Second, Some(second)) => Ok((alone(second)?, None)),
        _ => Ok((alone(first)?, None)),
    }
}

/// Two pictures in boxes of the same size, each centered.
fn beside(images: [&DecodedImage; 2], room: Room) -> Result<RgbaImage, String> {
    let half = (room.size.0.saturating_sub(room.gap) / 2, room.size.1);
    let mut small = Vec::new();
    for image in images {
        small.push(resize(image, fit(image.size(), half, room.stretch))?);
    }
    let widest = small.iter().map(RgbaImage::width).max().unwrap_or(0);
    let highest = small.iter().map(RgbaImage::height).max().unwrap_or(0);
    let mut out = RgbaImage::from_pixel(2 * widest + room.gap, highest, Rgba([0; 4]));
    for (at, image) in (0u32..).zip(&small) {
        let left = at * (widest + room.gap) + (widest - image.width()) / 2;
        let top = (highest - image.height()) / 2;
        image::imageops::replace(&mut out, image, i64::from(left), i64::from(top));
    }
    Ok(out)
}

/// The largest channel difference of two pixels over the background.
fn channel_distance(a: &Rgba<u8>, b: &Rgba<u8>, ground: Rgb) -> u8 {
    let over = |p: &Rgba<u8>, c: usize| {
        let alpha = u32::from(p.0[3]);
        (u32::from(p.0[c]) * alpha + u32::from(ground[c]) * (255 - alpha)) / 255
    };
    let most = (0..3)
        .map(|c| over(a, c).abs_diff(over(b, c)))
        .max()
        .unwrap_or(0);
    u8::try_from(most).unwrap_or(255)
}

/// The difference of two pictures of the same size. Changes are not averaged away: each drawn pixel
/// is as bright as its most changed source pixel.
fn difference(
    a: &DecodedImage,
    b: &DecodedImage,
    room: Room,
    ground: Rgb,
) -> Result<(RgbaImage, f64), String> {
    let size = fit(a.size(), room.size, room.stretch);
    let mut out = resize(a, size)?;
    let (a, b) = (a.pixels().to_rgba8(), b.pixels().to_rgba8());
    let distances: Vec<u8> = a
        .pixels()
        .zip(b.pixels())
        .map(|(a, b)| channel_distance(a, b, ground))
        .collect();
    let changed = distances.iter().filter(|d| **d >= NOISE).count();
    let share = changed as f64 / distances.len().max(1) as f64;
    let (width, height) = (a.width(), a.height());
    let span = |at: u32, whole: u32, parts: u32| {
        let edge = |at: u32| (u64::from(at) * u64::from(whole) / u64::from(parts.max(1))) as usize;
        edge(at)..edge(at + 1).max(edge(at) + 1)
    };
    for (x, y, pixel) in out.enumerate_pixels_mut() {
        let columns = span(x, width, size.0);
        let rows = span(y, height, size.1);
        let line = |row: usize| {
            distances
                .get(row * width as usize..)
                .and_then(|l| l.get(columns.clone()))
        };
        let most = rows.filter_map(line).flatten().copied().max().unwrap_or(0);
        let [r, g, b, alpha] = pixel.0;
        let dark = if alpha == 0 { 0 } else { gray([r, g, b]) / 4 };
        // Amplify four times, so that small changes are visible.
        let bright = dark.saturating_add(most.saturating_mul(4));
        *pixel = Rgba([bright, bright, dark, 255]);
    }
    Ok((out, share))
}

#[cfg(test)]
#[path = "pair_tests.rs"]
mod tests;
