//! Controls which cells ratatui may write while a picture covers them.
//!
//! A kitty picture lies above the cells: it needs blanks below and must be removed while a popup is
//! open.
//! Sixel and iTerm2 pictures are in the cells: writing a cell erases that part of the picture.
//!
//! - Same rectangle: the cells are skipped, and a new picture is printed over the old one.
//! - Another rectangle or none: the old cells are written, and nothing is skipped in that frame.
//!   The new picture is printed after it, and its cells are skipped from the next frame on.
//! - Popup: its cells are written and the rest is skipped. When it closes, the picture is printed
//!   again. A picture that changes under a popup is removed until the popup closes.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::Rect;

/// The picture on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) id: u32,
    pub(super) at: Rect,
    /// A popup was drawn over it since.
    pub(super) covered: bool,
}

/// What to write after the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// The kitty placement to remove.
    pub(super) remove: Option<u32>,
    /// Whether to print the picture.
    pub(super) print: bool,
}

/// Blanks the cells of `area` outside `popups` and keeps ratatui from writing them.
pub fn reserve(buffer: &mut Buffer, area: Rect, popups: &[Rect]) {
    each(buffer, area, popups, |cell| {
        clear(cell);
        cell.set_diff_option(CellDiffOption::Skip);
    });
}

/// Makes ratatui write the cells of `area`, changed or not.
pub fn redraw(buffer: &mut Buffer, area: Rect) {
    each(buffer, area, &[], |cell| {
        cell.set_diff_option(CellDiffOption::AlwaysUpdate);
    });
}

fn each(buffer: &mut Buffer, area: Rect, holes: &[Rect], mut with: impl FnMut(&mut Cell)) {
    for at in area.intersection(buffer.area).positions() {
        if !holes.iter().any(|hole| hole.contains(at))
            && let Some(cell) = buffer.cell_mut(at)
        {
            with(cell);
        }
    }
}

fn blank(buffer: &mut Buffer, area: Rect, popups: &[Rect]) {
    each(buffer, area, popups, clear);
}

/// Clears a cell in its ground: a picture that is no multiple of the cell's size leaves a part of the last
/// cells free.
fn clear(cell: &mut Cell) {
    let ground = cell.bg;
    cell.reset();
    cell.set_bg(ground);
}

/// The step for kitty terminals.
pub(super) fn kitty(
    shown: &mut Option<Shown>,
    buffer: &mut Buffer,
    wanted: Option<(u32, Rect)>,
    popups: &[Rect],
) -> Step {
    let wanted = wanted.filter(|(_, at)| {
        blank(buffer, *at, popups);
        !popups.iter().any(|popup| popup.intersects(*at))
    });
    let same = matches!((&shown, wanted), (Some(s), Some((id, at))) if s.id == id && s.at == at);
    if same {
        return Step::default();
    }
    Step {
        remove: shown.take().map(|s| s.id),
        print: wanted.is_some(),
    }
}

/// The step for terminals with pictures in the cells.
pub(super) fn cells(
    shown: &mut Option<Shown>,
    buffer: &mut Buffer,
    wanted: Option<(u32, Rect)>,
    popups: &[Rect],
) -> Step {
    let mut step = Step::default();
    let over = |at: Rect| popups.iter().any(|popup| popup.intersects(at));
    match (shown.as_mut(), wanted) {
        (Some(now), Some((id, at))) if now.at == at && (now.id == id || !over(at)) => {
            reserve(buffer, at, popups);
            step.print = now.id != id || (now.covered && !over(at));
            now.covered = over(at);
        }
        (now, wanted) => {
            if let Some((_, at)) = wanted {
                blank(buffer, at, popups);
                step.print = !over(at);
            }
            if let Some(now) = now {
                redraw(buffer, now.at);
            }
            *shown = None;
        }
    }
    step
}
