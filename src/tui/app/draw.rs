//! Draws one frame: tabs, pane, message, and keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{App, PaneId};
use crate::action::Scope;
use crate::keymap::Lookup;
use crate::panes::review::Picture;
use crate::preview::worker;
use crate::widgets::keys;

/// The parts of the screen.
struct Screen {
    tabs: Rect,
    pane: Rect,
    message: Rect,
    keys: Rect,
}

fn screen(area: Rect) -> Screen {
    let row = |y: u16| Rect {
        y: area.y + y.min(area.height),
        height: u16::from(y < area.height),
        ..area
    };
    let (tabs, message, keys) = (
        row(0),
        row(area.height.saturating_sub(2)),
        row(area.height.saturating_sub(1)),
    );
    let pane = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(3),
        ..area
    };
    if area.height < 4 {
        return Screen {
            tabs: Rect::default(),
            pane: area,
            message: Rect::default(),
            keys: Rect::default(),
        };
    }
    Screen {
        tabs,
        pane,
        message,
        keys,
    }
}

impl App {
    /// Handles a new window size.
    pub fn resized(&mut self, rows: u16, cell: Option<(u16, u16)>) {
        self.urgent = true;
        self.setting.rows = rows;
        self.setting.capabilities.cell = cell.or(self.setting.capabilities.cell);
        self.pixels.resized(rows, cell);
        self.dirty = true;
    }

    /// After a frame of another size: the list requests as many rows as now fit.
    pub fn after_resized_frame(&mut self) {
        let effects = self.list.resized();
        self.list_effects(effects);
        if self.at == PaneId::Filters {
            let effects = self.filters.resized();
            self.filters_effects(effects);
        }
    }

    /// Draws a frame into `buf`. Returns the position of the terminal's cursor.
    pub fn draw(&mut self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.setting.look.theme.base());
        let screen = screen(area);
        self.draw_tabs(screen.tabs, buf);
        let mut pixels_at = None;
        let mut typing_at = None;
        match self.at {
            PaneId::Review => {
                self.set_round_header();
                let place = self.prepare_picture(screen.pane);
                self.pane = screen.pane;
                self.review.draw(screen.pane, buf, &self.setting.look);
                pixels_at = Some(place);
            }
            PaneId::Filters => {
                let pictures = self.sample_pictures(screen.pane);
                self.filters
                    .draw(screen.pane, &pictures, buf, &self.setting.look);
            }
            PaneId::List => self.list.draw(screen.pane, buf, &self.setting.look),
            PaneId::Board => self.draw_board(screen.pane, buf),
            _ => typing_at = self.draw_pane(screen.pane, buf),
        }
        self.draw_message(screen.message, screen.keys, buf);
        let typing_at = typing_at.filter(|_| self.overlay.is_none());
        let over = self.overlay.is_some();
        let cursor = match &mut self.overlay {
            Some(overlay) => overlay.draw(screen.pane, screen.message, buf, &self.setting.look),
            None => typing_at,
        };
        let payload = self.pixel_payload(over);
        let wanted = payload.as_deref().and_then(worker_pixels).zip(pixels_at);
        self.pixels.mark(buf, wanted, &[]);
        cursor
    }

    /// Writes the true pixels of the last frame.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn finish(&mut self, area: Rect, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let payload = self.pixel_payload(self.overlay.is_some());
        let place = self.review.layout(screen(area).pane).picture;
        let wanted = payload
            .as_deref()
            .and_then(worker_pixels)
            .map(|p| (p, place));
        self.pixels.finish(out, wanted).map(|_| ())
    }

    /// Deletes the pictures that the terminal stores.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn forget_pixels(&mut self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.pixels.forget(out).map(|_| ())
    }

    fn pixel_payload(&self, over: bool) -> Option<std::sync::Arc<worker::Ready>> {
        let shown = self.at == PaneId::Review
            && self.true_pixels
            && !over
            && !self.review.queue().is_empty();
        match self.review.picture() {
            Picture::Ready(ready) if shown => Some(ready.clone()),
            _ => None,
        }
    }

    fn draw_message(&self, message: Rect, bar: Rect, buf: &mut Buffer) {
        let look = &self.setting.look;
        if let Some(toast) = &self.toast {
            toast.draw(message, buf, look);
        }
        let scopes = self.scopes();
        if !self.chord.is_empty()
            && let Lookup::Pending(pending) = self.keymap.lookup(&scopes, &self.chord)
        {
            return keys::draw_pending(&pending, bar, buf, look);
        }
        // In a round the verdict keys are shown above the item.
        let over =
            self.at == PaneId::Review && self.overlay.is_none() && self.review.work().is_some();
        let shown = if over { vec![Scope::Round] } else { scopes };
        keys::draw_bar(&self.keymap, &shown, bar, buf, look);
    }
}

fn worker_pixels(ready: &worker::Ready) -> Option<&crate::terminal::pixels::Payload> {
    ready.as_ref().ok()?.pixels.as_ref()
}
