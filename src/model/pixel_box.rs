//! A box in a picture, in its pixels.
//!
//! This is the one convention for boxes of models: left, top, right, and bottom edge, `x0, y0, x1,
//! y1`, in pixels of the source picture, from its upper left corner. The right and lower edge are the
//! first pixels outside.

use serde::{Deserialize, Serialize};

use crate::Region;

/// A box that is not empty. Files have it as `[x0, y0, x1, y1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u32; 4]", into = "[u32; 4]")]
pub struct PixelBox {
    sides: [u32; 4],
}

impl From<PixelBox> for [u32; 4] {
    fn from(of: PixelBox) -> [u32; 4] {
        of.sides
    }
}

impl TryFrom<[u32; 4]> for PixelBox {
    type Error = String;

    fn try_from(sides: [u32; 4]) -> Result<PixelBox, String> {
        let [x0, y0, x1, y1] = sides;
        PixelBox::new(sides)
            .ok_or_else(|| format!("the box {x0}, {y0}, {x1}, {y1} is empty or turned over"))
    }
}

impl PixelBox {
    /// `None` for a box that is empty or turned over.
    pub fn new(sides: [u32; 4]) -> Option<PixelBox> {
        let [x0, y0, x1, y1] = sides;
        (x0 < x1 && y0 < y1).then_some(PixelBox { sides })
    }

    /// Left, top, right, and bottom edge.
    pub fn sides(self) -> [u32; 4] {
        self.sides
    }

    /// Width and height.
    pub fn size(self) -> (u32, u32) {
        let [x0, y0, x1, y1] = self.sides;
        (x1 - x0, y1 - y0)
    }

    /// Whether the box lies in a picture of this size.
    pub fn is_inside(self, (width, height): (u32, u32)) -> bool {
        let [_, _, x1, y1] = self.sides;
        x1 <= width && y1 <= height
    }

    /// The share of a picture of this size that the box covers.
    pub fn share(self, (width, height): (u32, u32)) -> f64 {
        let (wide, high) = self.size();
        f64::from(wide) * f64::from(high) / (f64::from(width) * f64::from(height))
    }

    /// The box as a region of a picture of this size, to the region's own precision. A side that is shorter than a 32nd of the
    /// picture's is made longer.
    pub fn region(self, (width, height): (u32, u32)) -> Region {
        let [x0, y0, x1, y1] = self.sides.map(f64::from);
        let (width, height) = (f64::from(width), f64::from(height));
        Region::between((x0 / width, y0 / height), (x1 / width, y1 / height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_four_numbers_and_never_empty() {
        let of = PixelBox::new([10, 20, 110, 70]).unwrap();
        assert_eq!((of.size(), of.share((1000, 500))), ((100, 50), 0.01));
        // A region has a grid of its own, and takes in each pixel that it touches.
        assert_eq!(of.region((1000, 500)).pixels((1000, 500)), (9, 19, 101, 51));
        assert!(of.is_inside((110, 70)) && !of.is_inside((109, 70)));
        let text = serde_json::to_string(&of).unwrap();
        assert_eq!(text, "[10,20,110,70]");
        assert_eq!(serde_json::from_str::<PixelBox>(&text).unwrap(), of);
        for empty in [
            "[5,5,5,9]",
            "[5,9,8,9]",
            "[9,5,5,9]",
            "[1,2,3]",
            "[-1,0,3,3]",
        ] {
            assert!(serde_json::from_str::<PixelBox>(empty).is_err(), "{empty}");
        }
    }
}
