//! Solid shapes on a canvas, colors, and the random numbers that arrange them.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform,
};

pub(super) type Rgb = [u8; 3];

/// The random numbers of a card: SplitMix64 (Steele, Lea, and Flood 2014).
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number from `low` to `high`, in 1024 steps.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.below(1025) as f32 / 1024.0
    }
}

/// A 64-bit hash of a text.
pub(super) fn hash(text: &str) -> u64 {
    let bytes = *blake3::hash(text.as_bytes()).as_bytes();
    bytes.iter().take(8).fold(0, |n, b| n << 8 | u64::from(*b))
}

/// The point at distance `reach` from the center and `share` of a full turn, clockwise from the
/// top. Uses Bhaskara's approximation of the sine, which rounds the same everywhere, with an error
/// of at most 0.002.
pub(super) fn turn(share: f32, reach: f32) -> (f32, f32) {
    let sine = |share: f32| {
        let share = share - share.floor();
        let (half, sign) = if share < 0.5 {
            (share * 360.0, 1.0)
        } else {
            ((share - 0.5) * 360.0, -1.0)
        };
        let product = half * (180.0 - half);
        sign * 4.0 * product / (40500.0 - product)
    };
    (sine(share) * reach, -sine(share + 0.25) * reach)
}

/// Mixes `a` with `share` / 256 of `b`.
pub(super) fn mix(a: Rgb, b: Rgb, share: u32) -> Rgb {
    let share = share.min(256);
    [0, 1, 2].map(|i| ((u32::from(a[i]) * (256 - share) + u32::from(b[i]) * share) >> 8) as u8)
}

/// The luma of a color, 0 to 255 (weights of Rec. 601).
pub(super) fn light(rgb: Rgb) -> u32 {
    (u32::from(rgb[0]) * 77 + u32::from(rgb[1]) * 150 + u32::from(rgb[2]) * 29) >> 8
}

/// A saturated color for each of 24 positions on the color wheel.
pub(super) fn wheel(place: u64) -> Rgb {
    let at = (place % 24) as u32;
    let (sector, share) = (at / 4, (at % 4) * 48);
    let (high, low) = (214, 70);
    let (up, down) = (low + share * 3 / 4, high - share * 3 / 4);
    let [r, g, b] = match sector {
        0 => [high, up, low],
        1 => [down, high, low],
        2 => [low, high, up],
        3 => [low, down, high],
        4 => [up, low, high],
        _ => [high, low, down],
    };
    [r as u8, g as u8, b as u8]
}

fn paint(rgb: Rgb) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color(Color::from_rgba8(rgb[0], rgb[1], rgb[2], 255));
    paint
}

/// Fills `path`, transformed to pixels by `place`.
pub(super) fn fill(canvas: &mut Pixmap, path: &Path, rgb: Rgb, place: Transform) {
    canvas.fill_path(path, &paint(rgb), FillRule::Winding, place, None);
}

/// Strokes `path` with a round pen of `width` (in the path's units).
pub(super) fn stroke(canvas: &mut Pixmap, path: &Path, width: f32, rgb: Rgb, place: Transform) {
    let stroke = Stroke {
        width,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    canvas.stroke_path(path, &paint(rgb), &stroke, place, None);
}

/// A closed polygon, or an open line.
pub(super) fn lines(points: &[(f32, f32)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        if i == 0 {
            path.move_to(*x, *y)
        } else {
            path.line_to(*x, *y)
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// An ellipse around (x, y).
pub(super) fn ellipse(x: f32, y: f32, rx: f32, ry: f32) -> Option<Path> {
    PathBuilder::from_oval(Rect::from_xywh(x - rx, y - ry, rx * 2.0, ry * 2.0)?)
}

/// A canvas for scenes.
pub(super) struct Sheet<'a> {
    pub(super) canvas: &'a mut Pixmap,
    /// Width in pixels.
    pub(super) w: f32,
    /// Height in pixels.
    pub(super) h: f32,
}

impl Sheet<'_> {
    fn path(&self, points: &[(f32, f32)], closed: bool) -> Option<Path> {
        let place = |(x, y): &(f32, f32)| (x * self.w, y * self.h);
        let points: Vec<_> = points.iter().map(place).collect();
        lines(&points, closed)
    }

    /// Fills a polygon, in shares of width and height.
    pub(super) fn poly(&mut self, points: &[(f32, f32)], rgb: Rgb) {
        if let Some(path) = self.path(points, true) {
            fill(self.canvas, &path, rgb, Transform::identity());
        }
    }

    /// Fills a box, in shares of width and height.
    pub(super) fn block(&mut self, x: f32, y: f32, wide: f32, high: f32, rgb: Rgb) {
        self.poly(
            &[(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)],
            rgb,
        );
    }

    /// Fills an ellipse around a point in shares; the radii are shares of the shorter side.
    pub(super) fn dot(&mut self, x: f32, y: f32, rx: f32, ry: f32, rgb: Rgb) {
        let unit = self.w.min(self.h);
        if let Some(path) = ellipse(x * self.w, y * self.h, rx * unit, ry * unit) {
            fill(self.canvas, &path, rgb, Transform::identity());
        }
    }

    /// Draws a line through points in shares; `width` is a share of the shorter side.
    pub(super) fn line(&mut self, points: &[(f32, f32)], width: f32, rgb: Rgb) {
        if let Some(path) = self.path(points, false) {
            stroke(
                self.canvas,
                &path,
                width * self.w.min(self.h),
                rgb,
                Transform::identity(),
            );
        }
    }
}
