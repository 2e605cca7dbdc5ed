//! Draws one frame: tabs, pane, message, and keys.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::App;
use super::true_pixels::{Sharpness, TruePixels};
use crate::keymap::{Chord, Lookup};
use crate::pane::{Notice, Pane};
use crate::preview::worker::Ready;
use crate::terminal::pixels::{Payload, Pixels, Protocol};
use crate::widgets::text::grouped;
use crate::widgets::toast::Toast;
use crate::widgets::{areas, keys};

/// The least height with a row of tabs above the row of panes.
const TWO_ROWS: u16 = 16;

/// The parts of the screen.
struct Screen {
    tabs: Rect,
    pane: Rect,
    message: Rect,
    keys: Rect,
}

fn screen(area: Rect) -> Screen {
    if area.height < 4 {
        return Screen {
            tabs: Rect::default(),
            pane: area,
            message: Rect::default(),
            keys: Rect::default(),
        };
    }
    let (tabs, rest) = areas::top(area, if area.height < TWO_ROWS { 1 } else { 2 });
    let (pane, below) = areas::top(rest, rest.height - 2);
    let (message, keys) = areas::top(below, 1);
    Screen {
        tabs,
        pane,
        message,
        keys,
    }
}

impl App {
    /// Handles a new window size.
    pub fn resized(&mut self, columns: u16, rows: u16, cell: Option<(u16, u16)>) {
        self.urgent = true;
        (self.setting.columns, self.setting.rows) = (columns, rows);
        self.setting.capabilities.cell = cell.or(self.setting.capabilities.cell);
        self.pixels.resized(rows, cell);
        self.dirty = true;
    }

    /// After a frame of another size: tables request as many rows as now fit.
    pub fn after_resized_frame(&mut self) {
        self.notify(Notice::Resized);
    }

    /// Draws a frame into `buf`. Returns the position of the terminal's cursor.
    pub fn draw(&mut self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.setting.look.theme.base());
        self.setting.look.hits.begin(self.mouse.is_on);
        let screen = screen(area);
        self.draw_tabs(screen.tabs, buf);
        let typing_at = self.draw_pane(screen.pane, buf);
        self.setting.look.hits.focus(None, 0);
        if self.overlay.is_some() {
            self.setting.look.hits.clear();
        }
        let popup = self.draw_message(area, &screen, buf);
        let typing_at = typing_at.filter(|_| self.overlay.is_none());
        let pixels = self.drawn_pixels();
        let cursor = match &mut self.overlay {
            Some(overlay) => overlay.draw(screen.pane, screen.message, buf, &self.setting.look),
            None => typing_at,
        };
        self.pixels
            .mark(buf, worker_pixels(pixels.as_ref()), &[popup]);
        cursor
    }

    /// What the last frame needs to be written before its cells.
    pub fn take_uploads(&mut self) -> Vec<u8> {
        let before = self.pixels.take_before();
        self.true_pixels.uploaded = before.len();
        before
    }

    /// The terminal around tmux answered through it that it has kitty graphics.
    pub(super) fn found_kitty_around_tmux(&mut self) {
        let found = &mut self.setting.capabilities;
        if found.tmux && !found.kitty {
            found.kitty = true;
            self.pixels = Pixels::new(found, self.setting.rows);
            self.true_pixels = TruePixels::new(self.setting.pixels, found, self.setting.clock.ms());
            self.dirty = true;
        }
    }

    /// Writes the true pixels of the last frame.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn finish(&mut self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let pixels = self.drawn_pixels();
        let uploaded = std::mem::take(&mut self.true_pixels.uploaded);
        let bytes = uploaded + self.pixels.finish(out, worker_pixels(pixels.as_ref()))?;
        let is_picture = worker_pixels(pixels.as_ref()).is_some() && bytes > 0;
        if is_picture && std::mem::take(&mut self.true_pixels.says_cost) {
            let protocol = self.pixels.protocol().map_or("", Protocol::name);
            let kilobytes = grouped(bytes.div_ceil(1000) as u64);
            let cost = format!("true pixels ({protocol}): {kilobytes} kB for this picture");
            self.say(Toast::info(cost));
            self.redraw_at = Some(self.now());
        }
        Ok(())
    }

    /// Deletes the pictures that the terminal stores.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn forget_pixels(&mut self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.pixels.forget(out).map(|_| ())
    }

    /// The picture to draw in true pixels, and its place.
    fn drawn_pixels(&self) -> Option<(Arc<Ready>, Rect)> {
        let enabled = self.true_pixels.now() != Sharpness::Cells && self.overlay.is_none();
        self.pane().filter(|_| enabled)?.pixels()
    }

    /// Draws the message and the keys, or the keys that can follow a begun one, over as much of the
    /// pane as they need. Returns the rows used.
    fn draw_message(&self, area: Rect, screen: &Screen, buf: &mut Buffer) -> Rect {
        let (look, bar) = (&self.setting.look, screen.keys);
        let rows = screen.message.union(bar);
        if let Some(toast) = &self.toast {
            toast.draw(screen.message, buf, look);
        }
        let scopes = self.scopes();
        if !self.chord.is_empty()
            && let Lookup::Pending(pending) = self.keymap.lookup(&scopes, &self.chord)
        {
            let pressed = Chord(self.chord.clone()).label();
            let (_, below) = areas::top(area, screen.tabs.height);
            return keys::draw_pending(&pressed, &pending, below, buf, look);
        }
        let own = self.pane().and_then(Pane::bar);
        let shown = match own.filter(|_| self.overlay.is_none()) {
            Some(own) => own.to_vec(),
            None => scopes,
        };
        keys::draw_bar(&self.keymap, &shown, bar, buf, look);
        rows
    }
}

fn worker_pixels(drawn: Option<&(Arc<Ready>, Rect)>) -> Option<(&Payload, Rect)> {
    let (ready, place) = drawn?;
    Some((ready.as_ref().as_ref().ok()?.pixels.as_ref()?, *place))
}
