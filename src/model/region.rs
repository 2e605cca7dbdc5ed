//! A rectangle in a picture.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Units of width and height. Integers, so that equal regions are equal.
const UNITS: u32 = 1 << 16;
/// The shortest side: a zoom of 32.
const SHORTEST: u32 = UNITS / 32;

/// A rectangle in a picture, as shares of its width and height, inside of it and not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Region {
    left: u32,
    top: u32,
    width: u32,
    height: u32,
}

impl Default for Region {
    fn default() -> Self {
        Region::WHOLE
    }
}

/// Left, top, width, and height.
impl From<[f64; 4]> for Region {
    fn from([left, top, width, height]: [f64; 4]) -> Region {
        Region::between((left, top), (left + width, top + height))
    }
}

impl From<Region> for [f64; 4] {
    fn from(region: Region) -> [f64; 4] {
        region.shares()
    }
}

/// Moves an interval of this length inside the picture.
fn inside(start: i64, length: u32) -> u32 {
    let last = i64::from(UNITS - length);
    u32::try_from(start.clamp(0, last)).unwrap_or(0)
}

/// An interval of another length with the same middle.
fn resized(start: u32, length: u32, to: u32) -> u32 {
    inside(
        i64::from(start) + (i64::from(length) - i64::from(to)) / 2,
        to,
    )
}

impl Region {
    /// The whole picture.
    pub const WHOLE: Region = Region {
        left: 0,
        top: 0,
        width: UNITS,
        height: UNITS,
    };

    /// The region between two corners, as shares of width and height. Corners outside of the picture
    /// count as its edge, and a side that is too short for the highest zoom is made longer.
    pub fn between(a: (f64, f64), b: (f64, f64)) -> Region {
        let units = |share: f64| {
            let share = if share.is_finite() { share } else { 0.0 };
            (share.clamp(0.0, 1.0) * f64::from(UNITS)).round() as u32
        };
        let side = |a: f64, b: f64| {
            let (from, to) = (units(a.min(b)), units(a.max(b)));
            let length = to - from;
            let long = length.max(SHORTEST);
            (resized(from, length, long), long)
        };
        let ((left, width), (top, height)) = (side(a.0, b.0), side(a.1, b.1));
        Region {
            left,
            top,
            width,
            height,
        }
    }

    /// The region of a box from outside: left, top, right, and bottom, as shares of width and height.
    /// What lies outside of the picture is cut off, and a side that is too short for the highest zoom
    /// is made longer.
    ///
    /// # Errors
    /// [`Error::input`] if a number is not finite, or if the box is empty, turned over, or outside of
    /// the picture.
    pub fn of_box([left, top, right, bottom]: [f64; 4]) -> Result<Region> {
        let what = match [left, top, right, bottom] {
            shares if shares.iter().any(|share| !share.is_finite()) => {
                "has a side that is no number"
            }
            _ if left >= right || top >= bottom => "is empty",
            _ if right <= 0.0 || bottom <= 0.0 || left >= 1.0 || top >= 1.0 => {
                "is outside of the picture"
            }
            _ => return Ok(Region::between((left, top), (right, bottom))),
        };
        Err(Error::input(format!(
            "the box {left}, {top}, {right}, {bottom} {what}; \
             left, top, right, and bottom are shares of the picture, from 0 to 1"
        )))
    }

    /// Left, top, width, and height, as shares of the picture.
    pub fn shares(self) -> [f64; 4] {
        [self.left, self.top, self.width, self.height]
            .map(|units| f64::from(units) / f64::from(UNITS))
    }

    /// The zoom: how many times the longer side, in shares, fits into the picture.
    pub fn times(self) -> f64 {
        f64::from(UNITS) / f64::from(self.width.max(self.height))
    }

    /// Zooms in or out by 2x around the middle. Unchanged at the limits. The aspect ratio stays until
    /// a side is that of the picture.
    #[must_use]
    pub fn zoom(self, nearer: bool) -> Region {
        if nearer && self.width.min(self.height) / 2 < SHORTEST {
            return self;
        }
        let side = |start: u32, length: u32| {
            let to = match nearer {
                true => length / 2,
                false => (length * 2).min(UNITS),
            };
            (resized(start, length, to), to)
        };
        let ((left, width), (top, height)) =
            (side(self.left, self.width), side(self.top, self.height));
        Region {
            left,
            top,
            width,
            height,
        }
    }

    /// Moves the region by shares of the picture, up to its edges.
    #[must_use]
    pub fn moved(self, right: f64, down: f64) -> Region {
        let by = |start: u32, length: u32, share: f64| {
            inside(
                i64::from(start) + (share * f64::from(UNITS)).round() as i64,
                length,
            )
        };
        Region {
            left: by(self.left, self.width, right),
            top: by(self.top, self.height, down),
            ..self
        }
    }

    /// Makes the region longer or shorter by shares of the picture, at its right and lower edge.
    #[must_use]
    pub fn grown(self, right: f64, down: f64) -> Region {
        let by = |start: u32, length: u32, share: f64| {
            let to = i64::from(length) + (share * f64::from(UNITS)).round() as i64;
            let most = i64::from(UNITS - start);
            u32::try_from(to.clamp(i64::from(SHORTEST).min(most), most)).unwrap_or(length)
        };
        Region {
            width: by(self.left, self.width, right),
            height: by(self.top, self.height, down),
            ..self
        }
    }

    /// Pans by a quarter of the view: -1, 0, or 1 in each direction. Unchanged at the edge.
    #[must_use]
    pub fn pan(self, right: i32, down: i32) -> Region {
        let [_, _, width, height] = self.shares();
        self.moved(
            f64::from(right) * width / 4.0,
            f64::from(down) * height / 4.0,
        )
    }

    /// The region of the whole picture that is `part` of this one.
    #[must_use]
    pub fn part(self, part: Region) -> Region {
        let ([x, y, width, height], [left, top, wide, high]) = (self.shares(), part.shares());
        let corner = |across: f64, down: f64| (x + across * width, y + down * height);
        Region::between(corner(left, top), corner(left + wide, top + high))
    }

    /// This region as seen in `view`, a part of the picture: left, top, width, and height as shares of
    /// the view, possibly outside of it.
    pub fn seen_in(self, view: Region) -> [f64; 4] {
        let ([x, y, width, height], [left, top, wide, high]) = (view.shares(), self.shares());
        [
            (left - x) / width,
            (top - y) / height,
            wide / width,
            high / height,
        ]
    }

    /// Left, top, width, and height in pixels of a picture of this size.
    pub fn pixels(self, (width, height): (u32, u32)) -> (u32, u32, u32, u32) {
        let side = |whole: u32, start: u32, length: u32| {
            let scaled = |units: u64| u64::from(whole) * units;
            let long = scaled(length.into()).div_ceil(UNITS.into()).max(1);
            let middle = scaled(u64::from(start) * 2 + u64::from(length)) / u64::from(UNITS) / 2;
            let long = u32::try_from(long).unwrap_or(whole);
            let from = u32::try_from(middle)
                .unwrap_or(whole)
                .saturating_sub(long / 2);
            (from.min(whole.saturating_sub(long)), long)
        };
        let ((x, w), (y, h)) = (
            side(width, self.left, self.width),
            side(height, self.top, self.height),
        );
        (x, y, w, h)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_region_stays_inside_and_zooms_back_to_the_whole() {
        let whole = Region::WHOLE;
        assert_eq!(whole.pixels((100, 60)), (0, 0, 100, 60));
        assert_eq!((whole.pan(1, 1), whole.zoom(false)), (whole, whole));
        let near = whole.zoom(true);
        assert_eq!(near.pixels((100, 60)), (25, 15, 50, 30));
        assert_eq!(near.pan(-1, 0).pixels((100, 60)), (12, 15, 50, 30));
        let corner = (0..9).fold(near, |r, _| r.pan(1, 1));
        assert_eq!(corner.pixels((100, 60)), (50, 30, 50, 30));
        assert_eq!((0..9).fold(corner, |r, _| r.zoom(false)), whole);
        let nearest = (0..99).fold(whole, |r, _| r.zoom(true));
        assert_eq!(nearest.times(), 32.0);
        assert_eq!(nearest.pixels((3, 1000)), (1, 484, 1, 32));
    }

    #[test]
    fn a_region_keeps_its_aspect_ratio_until_it_reaches_the_picture() {
        let wide = Region::between((0.25, 0.5), (0.75, 0.625));
        assert_eq!(wide.pixels((800, 800)), (200, 400, 400, 100));
        assert_eq!(wide.zoom(true).pixels((800, 800)), (300, 425, 200, 50));
        let out = wide.zoom(false);
        assert_eq!(out.pixels((800, 800)), (0, 350, 800, 200));
        assert_eq!(out.zoom(false).pixels((800, 800)), (0, 250, 800, 400));
    }

    #[test]
    fn a_region_is_kept_as_four_numbers() {
        let region = Region::between((0.25, 0.5), (0.75, 0.625));
        let text = serde_json::to_string(&region).unwrap();
        assert_eq!(text, "[0.25,0.5,0.5,0.125]");
        assert_eq!(serde_json::from_str::<Region>(&text).unwrap(), region);
        // Numbers of others are brought into the picture.
        let odd: Region = serde_json::from_str("[-3, 0.5, 9e300, 0]").unwrap();
        assert_eq!(odd.shares(), [0.0, 0.484375, 1.0, 0.03125]);
    }

    #[test]
    fn boxes_from_outside_are_cut_or_refused() {
        let of = |sides: [f64; 4]| Region::of_box(sides).map(Region::shares).ok();
        assert_eq!(of([0.25, 0.5, 0.75, 1.0]), Some([0.25, 0.5, 0.5, 0.5]));
        assert_eq!(of([-3.0, 0.5, 0.5, 9.0]), Some([0.0, 0.5, 0.5, 0.5]));
        // Thinner than a region can be.
        assert_eq!(of([0.5, 0.0, 0.5001, 1.0]).unwrap()[2], 1.0 / 32.0);
        for wrong in [
            [0.5, 0.5, 0.5, 0.9],
            [0.1, 0.9, 0.5, 0.2],
            [1.0, 0.0, 2.0, 1.0],
            [-1.0, 0.0, 0.0, 1.0],
            [0.0, 1.5, 1.0, 1.6],
            [f64::NAN, 0.0, 1.0, 1.0],
            [0.0, 0.0, f64::INFINITY, 1.0],
        ] {
            let error = Region::of_box(wrong).unwrap_err();
            assert_eq!(error.kind, crate::ErrorKind::Input, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn every_region_has_pixels_inside_the_picture(
            numbers in any::<[f64; 4]>(),
            part in [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0],
            steps in proptest::collection::vec((any::<bool>(), -1..2, -1..2), 0..20),
            size in (1u32..70_000, 1u32..70_000),
        ) {
            let mut region = Region::from(numbers).part(Region::from(part));
            for (nearer, right, down) in steps {
                region = region.zoom(nearer).pan(right, down);
            }
            let (x, y, w, h) = region.pixels(size);
            prop_assert!(w >= 1 && h >= 1 && x + w <= size.0 && y + h <= size.1, "{:?}", region);
            let [left, top, width, height] = region.shares();
            prop_assert!(left >= 0.0 && top >= 0.0 && left + width <= 1.0 && top + height <= 1.0);
            prop_assert_eq!(Region::from(region.shares()), region);
        }
    }
}
