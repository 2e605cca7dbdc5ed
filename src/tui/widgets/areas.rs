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
