//! Splits areas.

use ratatui::layout::Rect;

/// The first `height` rows of an area, and the rest.
pub fn top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let rest = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    (Rect { height, ..area }, rest)
}

/// The first `width` columns of an area, and the rest after a gap.
pub fn left(area: Rect, width: u16, gap: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let used = (width + gap).min(area.width);
    let rest = Rect {
        x: area.x + used,
        width: area.width - used,
        ..area
    };
    (Rect { width, ..area }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_inside_and_lose_only_the_gap() {
        let area = Rect::new(3, 2, 10, 6);
        for n in 0..14 {
            let (upper, rest) = top(area, n);
            assert_eq!((upper.y, upper.height + rest.height), (2, 6));
            assert_eq!((upper.bottom(), rest.bottom()), (rest.y, 8));
            let (west, east) = left(area, n, 1);
            assert_eq!((west.x, east.right()), (3, 13));
            assert_eq!(east.x - west.right(), u16::from(n < 10));
        }
    }
}
