//! True pixels: kitty with our own writer, as placeholders within tmux, sixel with icy_sixel, iTerm2 with viuer.
//!
//! Encoding is slow (a quarter of a second for sixel) and happens off the drawing thread:
//! [`Plan::encode`]
//! returns a [`Payload`], ready to send. Drawing a frame is then
//!
//! ```text
//! tty.begin_frame();
//! terminal.draw(|f| { ...; pixels.mark(f.buffer_mut(), wanted, &popups) });
//! pixels.finish(tty, wanted);
//! tty.end_frame();
//! ```
//!
//! `mark` keeps ratatui from writing the cells under the picture, and `finish` writes what is
//! needed:
//! 0 bytes if nothing changed, about 70 if a known kitty picture returns.

mod counted;
mod iterm;
mod kitty;
mod marks;
pub mod placeholder;
mod sixel;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use image::RgbaImage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Capabilities;

pub use marks::{redraw, reserve};

use marks::Shown;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// kitty graphics: stored by the terminal, placed by id.
    Kitty,
    /// The same within tmux: cells of text in place of a placement.
    Placeholders,
    /// iTerm2 inline pictures.
    Iterm,
    Sixel,
}

impl Protocol {
    /// The best protocol of this terminal. `None` means half blocks: in tmux, unless its terminal
    /// answered through it, on a terminal that does not reply, and for sixel if the cell size is unknown (a picture that is too large would
    /// scroll the screen).
    pub fn choose(found: &Capabilities) -> Option<Self> {
        if !found.answers {
            None
        } else if found.tmux {
            found.kitty.then_some(Self::Placeholders)
        } else if found.kitty {
            Some(Self::Kitty)
        } else if found.iterm {
            Some(Self::Iterm)
        } else {
            (found.sixel && found.cell.is_some()).then_some(Self::Sixel)
        }
    }

    /// The name for `doctor` and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kitty => "kitty",
            Self::Placeholders => "kitty placeholders",
            Self::Iterm => "iTerm2",
            Self::Sixel => "sixel",
        }
    }
}

/// How to encode a picture: the protocol and the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    pub protocol: Protocol,
    /// Columns and rows.
    pub cells: (u16, u16),
    /// Width and height of a cell in pixels.
    pub cell: (u16, u16),
}

impl Plan {
    /// Maximum width and height in pixels to reduce a picture to before [`encode`](Self::encode).
    pub fn room(self) -> (u32, u32) {
        let room = |cells: u16, cell: u16| u32::from(cells) * u32::from(cell);
        let (width, height) = (
            room(self.cells.0, self.cell.0),
            room(self.cells.1, self.cell.1),
        );
        match self.protocol {
            // xterm drops pictures larger than its maxGraphicSize.
            Protocol::Sixel => (width.min(sixel::MAX_SIDE), height.min(sixel::MAX_SIDE)),
            _ => (width, height),
        }
    }

    /// Encodes `image`, which must fit [`room`](Self::room). Transparent pixels show `background`
    /// if the protocol has no transparency.
    ///
    /// # Errors
    ///
    /// If encoding fails or the picture does not fit.
    pub fn encode(self, image: &RgbaImage, background: [u8; 3]) -> Result<Payload, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (width, height) = image.dimensions();
        let room = self.room();
        if width == 0 || height == 0 || width > room.0 || height > room.1 {
            return Err(format!(
                "{width}x{height} pixels do not fit into {}x{}",
                room.0, room.1
            ));
        }
        let cells = |pixels: u32, cell: u16| {
            u16::try_from(pixels.div_ceil(u32::from(cell))).unwrap_or(u16::MAX)
        };
        let cells = (cells(width, self.cell.0), cells(height, self.cell.1));
        let body = match self.protocol {
            Protocol::Kitty | Protocol::Placeholders => {
                Body::Kitty(kitty::encode(image, cells, self.cell)?)
            }
            Protocol::Sixel => Body::Sixel(sixel::encode(image, background)?),
            Protocol::Iterm => Body::Iterm(image.clone().into()),
        };
        Ok(Payload {
            id: kitty::FIRST_ID + NEXT.fetch_add(1, Ordering::Relaxed) % 0x0010_0000,
            cells,
            body,
        })
    }
}

/// An encoded picture. Each has its own identity.
#[derive(Debug)]
pub struct Payload {
    id: u32,
    cells: (u16, u16),
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// A base64 PNG.
    Kitty(String),
    /// The whole sequence.
    Sixel(String),
    Iterm(image::DynamicImage),
}

impl Payload {
    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        match &self.body {
            Body::Kitty(text) | Body::Sixel(text) => text.len(),
            Body::Iterm(image) => image.as_bytes().len(),
        }
    }

    /// Writes the picture at the cursor, for commands that print. Only sixel supports this (viuer
    /// prints kitty and iTerm2 pictures); other protocols write nothing.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn write_here(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.body {
            Body::Sixel(sequence) => out.write_all(sequence.as_bytes()),
            _ => Ok(()),
        }
    }

    /// The cells it covers in `area`: centered and cropped.
    pub fn place(&self, area: Rect) -> Rect {
        let (width, height) = (self.cells.0.min(area.width), self.cells.1.min(area.height));
        Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        }
    }
}

/// The picture on screen and its protocol.
#[derive(Debug)]
pub struct Pixels {
    protocol: Option<Protocol>,
    cell: (u16, u16),
    rows: u16,
    shown: Option<Shown>,
    uploads: kitty::Uploads,
    /// Pictures that placeholders show.
    stored: placeholder::Stored,
    /// What to write before the cells of a frame.
    before: Vec<u8>,
    step: marks::Step,
}

impl Pixels {
    /// For a terminal with these capabilities and this many rows.
    pub fn new(found: &Capabilities, rows: u16) -> Self {
        Pixels {
            protocol: Protocol::choose(found),
            cell: found.cell.unwrap_or((8, 16)),
            rows,
            shown: None,
            uploads: kitty::Uploads::default(),
            stored: placeholder::Stored::default(),
            before: Vec::new(),
            step: marks::Step::default(),
        }
    }

    /// The protocol, or `None` without true pixels.
    pub fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// How to encode a picture for `area`. `None` without true pixels or room. The last row of the
    /// screen is left free: sixel and viuer would scroll there.
    pub fn plan(&self, area: Rect) -> Option<Plan> {
        let area = self.clamp(area);
        let protocol = self.protocol?;
        let most = match protocol {
            Protocol::Placeholders => placeholder::MOST,
            _ => u16::MAX,
        };
        (!area.is_empty()).then_some(Plan {
            protocol,
            cells: (area.width.min(most), area.height.min(most)),
            cell: self.cell,
        })
    }

    fn clamp(&self, area: Rect) -> Rect {
        let bottom = area.bottom().min(self.rows.saturating_sub(1));
        Rect {
            height: bottom.saturating_sub(area.y),
            ..area
        }
    }

    /// The window changed (with its cell size in pixels, if known), or another program used the
    /// screen: nothing is shown, and kitty has dropped all uploads.
    pub fn resized(&mut self, rows: u16, cell: Option<(u16, u16)>) {
        self.rows = rows;
        self.cell = cell.unwrap_or(self.cell);
        self.shown = None;
        self.uploads = kitty::Uploads::default();
        self.stored = placeholder::Stored::default();
    }

    /// Marks the cells of a frame. Call it last when drawing, with the picture, its area, and the
    /// popups above. [`finish`](Self::finish) must follow.
    pub fn mark(&mut self, buffer: &mut Buffer, wanted: Option<(&Payload, Rect)>, popups: &[Rect]) {
        if self.protocol == Some(Protocol::Placeholders) {
            return self.draw_placeholders(buffer, wanted, popups);
        }
        let wanted = wanted.map(|(payload, area)| (payload.id, payload.place(self.clamp(area))));
        self.step = match self.protocol {
            None => marks::Step::default(),
            Some(Protocol::Kitty) => marks::kitty(&mut self.shown, buffer, wanted, popups),
            Some(_) => marks::cells(&mut self.shown, buffer, wanted, popups),
        };
    }

    /// Draws the picture as cells, which need no marks, and prepares its upload.
    fn draw_placeholders(
        &mut self,
        buffer: &mut Buffer,
        wanted: Option<(&Payload, Rect)>,
        popups: &[Rect],
    ) {
        if let Some((payload, area)) = wanted
            && let Body::Kitty(png) = &payload.body
        {
            let at = payload.place(self.clamp(area));
            let (color, upload) = self.stored.place(payload.id, png, payload.cells);
            placeholder::draw(color, at, popups, buffer);
            self.before.extend(upload);
        }
    }

    /// What [`mark`](Self::mark) needs to be written before the frame's cells: a placeholder shows a
    /// picture that the terminal has.
    pub fn take_before(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.before)
    }

    /// Writes what [`mark`](Self::mark) determined, after the frame's cells. `wanted` must be the
    /// same. Returns the bytes written (an estimate for iTerm2, where viuer writes).
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn finish(
        &mut self,
        out: &mut dyn Write,
        wanted: Option<(&Payload, Rect)>,
    ) -> io::Result<usize> {
        let step = std::mem::take(&mut self.step);
        let mut bytes = 0;
        if let Some(id) = step.remove {
            bytes += kitty::remove(out, id)?;
        }
        if let (true, Some((payload, area))) = (step.print, wanted) {
            bytes += self.show(out, payload, area)?;
        }
        Ok(bytes)
    }

    /// Shows a picture centered in `area` at once. Returns the bytes written.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn show(
        &mut self,
        out: &mut dyn Write,
        payload: &Payload,
        area: Rect,
    ) -> io::Result<usize> {
        let at = payload.place(self.clamp(area));
        if at.is_empty() {
            return Ok(0);
        }
        let bytes = match &payload.body {
            Body::Kitty(_) if self.protocol == Some(Protocol::Placeholders) => 0,
            Body::Kitty(png) => self.uploads.show(out, payload.id, png, at)?,
            Body::Sixel(sequence) => sixel::show(out, sequence, at)?,
            Body::Iterm(image) => iterm::show(out, image, at)?,
        };
        self.shown = Some(Shown {
            id: payload.id,
            at,
            covered: false,
        });
        Ok(bytes)
    }

    /// Removes a kitty placement. Sixel and iTerm2 pictures disappear when their cells are written
    /// ([`mark`](Self::mark) without a picture). Returns the bytes written.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn hide(&mut self, out: &mut dyn Write) -> io::Result<usize> {
        match (self.protocol, self.shown.take()) {
            (Some(Protocol::Kitty), Some(shown)) => kitty::remove(out, shown.id),
            _ => Ok(0),
        }
    }

    /// Frees all pictures stored by the terminal, before the program exits.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn forget(&mut self, out: &mut dyn Write) -> io::Result<usize> {
        self.shown = None;
        Ok(self.uploads.free(out)? + self.stored.free(out)?)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
