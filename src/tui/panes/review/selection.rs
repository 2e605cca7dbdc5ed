//! Selecting a region of the picture on screen, to zoom to it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ReviewPane;
use crate::action::{Action, Scope};
use crate::item::Picture;
use crate::pane::Context;
use crate::preview::Show;
use crate::preview::worker::GAP;
use crate::theme::{Look, Role};
use benchtop_model::Region;

/// How far a key moves or resizes the region, as a share of what is visible of the picture.
const STEP: f64 = 1.0 / 16.0;

/// The keys that are active meanwhile.
pub(super) const SCOPES: &[Scope] = &[Scope::Region, Scope::Global];

impl ReviewPane {
    /// The region that is being selected, as a part of what is visible of the picture.
    pub fn selection(&self) -> Option<Region> {
        self.selection
    }

    /// Starts with the middle of the picture.
    pub(super) fn select_region(&mut self, cx: &mut Context<'_>) {
        if !matches!(self.picture(), Picture::Ready(ready) if ready.is_ok()) {
            return cx.say("no picture to zoom into");
        }
        self.selection = Some(Region::between((0.25, 0.25), (0.75, 0.75)));
        let key = |action| cx.key(action);
        let said = format!(
            "{} {} {} {} move the region, {} {} {} {} resize it; {} zooms, {} cancels",
            key(Action::RegionLeft),
            key(Action::RegionDown),
            key(Action::RegionUp),
            key(Action::RegionRight),
            key(Action::RegionNarrower),
            key(Action::RegionTaller),
            key(Action::RegionShorter),
            key(Action::RegionWider),
            key(Action::RegionZoom),
            key(Action::RegionCancel),
        );
        cx.say(said);
    }

    /// Moves, resizes, or ends the selection.
    pub(super) fn selection_action(&mut self, action: Action, cx: &mut Context<'_>) {
        let Some(part) = self.selection else {
            return;
        };
        let changed = match action {
            Action::RegionLeft => part.moved(-STEP, 0.0),
            Action::RegionRight => part.moved(STEP, 0.0),
            Action::RegionUp => part.moved(0.0, -STEP),
            Action::RegionDown => part.moved(0.0, STEP),
            Action::RegionNarrower => part.grown(-STEP, 0.0),
            Action::RegionWider => part.grown(STEP, 0.0),
            Action::RegionShorter => part.grown(0.0, -STEP),
            Action::RegionTaller => part.grown(0.0, STEP),
            Action::RegionZoom => return self.zoom_to(part, cx),
            _ => {
                self.selection = None;
                return cx.say("no region selected");
            }
        };
        if changed == part {
            return cx.say("edge of the picture");
        }
        self.selection = Some(changed);
    }

    /// Handles a region that the mouse drags.
    pub(super) fn drag_region(
        &mut self,
        part: Option<Region>,
        is_over: bool,
        cx: &mut Context<'_>,
    ) {
        match part {
            Some(part) if is_over => self.zoom_to(part, cx),
            part => self.selection = part,
        }
    }

    /// Shows a part of what is visible of the picture. The pictures of a pair zoom in step.
    fn zoom_to(&mut self, part: Region, cx: &mut Context<'_>) {
        self.selection = None;
        let region = self.looking().region.part(part);
        self.show_region(region, "maximum zoom", cx);
    }

    /// Where `area` shows the picture, or both pictures of a pair.
    pub(super) fn picture_places(&self, area: Rect) -> Vec<Rect> {
        let Picture::Ready(ready) = self.picture() else {
            return Vec::new();
        };
        let Ok(picture) = ready.as_ref() else {
            return Vec::new();
        };
        let place = match picture.pixels.as_ref().filter(|_| self.bare) {
            Some(pixels) => pixels.place(area),
            None => picture.cells.place(area),
        };
        // Both pictures have boxes of the same width.
        let width = place.width.saturating_sub(GAP) / 2;
        match self.shown() {
            Show::Beside if self.pair().is_some() && width > 0 => {
                let second = place.right() - width;
                [place.x, second].map(|x| Rect { x, width, ..place }).into()
            }
            _ => vec![place],
        }
    }

    /// Declares the pictures to the mouse, and draws the region that is being selected on each.
    pub(super) fn draw_selection(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        look.hits.wheel(area, [Action::ZoomIn, Action::ZoomOut], 1);
        for place in self.picture_places(area) {
            look.hits.picture(place);
            if let Some(part) = self.selection {
                outline(cells_of(part, place), buf, look);
            }
        }
    }
}

/// The cells that a region covers, at least one.
fn cells_of(part: Region, place: Rect) -> Rect {
    let side = |start: f64, length: f64, cells: u16| {
        let from = ((start * f64::from(cells)).round() as u16).min(cells.saturating_sub(1));
        let to = (((start + length) * f64::from(cells)).round() as u16).min(cells);
        (from, to.saturating_sub(from).max(1))
    };
    let [left, top, width, height] = part.shares();
    let ((x, width), (y, height)) = (
        side(left, width, place.width),
        side(top, height, place.height),
    );
    Rect {
        x: place.x + x,
        y: place.y + y,
        width,
        height,
    }
}

/// Draws the outline of cells over a picture.
fn outline(area: Rect, buf: &mut Buffer, look: &Look) {
    let area = area.intersection(buf.area);
    let style = look.theme.base().patch(look.style(Role::Accent));
    for place in area.positions() {
        let (left, right) = (place.x == area.left(), place.x + 1 == area.right());
        let (top, bottom) = (place.y == area.top(), place.y + 1 == area.bottom());
        let symbol = match (look.accessible, left || right, top || bottom) {
            (_, false, false) => continue,
            (true, true, true) => "+",
            (true, true, false) => "|",
            (true, false, true) => "-",
            (false, true, true) if left && top => "┌",
            (false, true, true) if top => "┐",
            (false, true, true) if left => "└",
            (false, true, true) => "┘",
            (false, true, false) => "│",
            (false, false, true) => "─",
        };
        if let Some(cell) = buf.cell_mut(place) {
            cell.reset();
            cell.set_symbol(symbol).set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_covers_its_cells() {
        let place = Rect::new(10, 5, 20, 10);
        let cells = |a, b| cells_of(Region::between(a, b), place);
        assert_eq!(cells((0.0, 0.0), (1.0, 1.0)), place);
        assert_eq!(cells((0.25, 0.5), (0.75, 1.0)), Rect::new(15, 10, 10, 5));
        let tiny = cells((0.99, 0.99), (1.0, 1.0));
        assert_eq!(tiny, Rect::new(29, 14, 1, 1));
    }
}
