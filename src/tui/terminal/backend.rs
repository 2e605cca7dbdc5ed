//! The ratatui backend.
//!
//! A frame that changes no cell and leaves the cursor alone writes nothing at all: the crossterm
//! backend would send 25 bytes for it, in two packets.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use super::output::Output;
use super::sgr::Pen;

/// Number of bytes of cells to assemble at a time.
const CHUNK: usize = 16 * 1024;

/// The ratatui backend. It differs from crossterm's in four ways:
///
/// - An unchanged frame writes nothing, and the cursor is hidden or moved only if needed.
/// - `flush` inside a frame waits for [`Tty::end_frame`].
/// - The cursor's position is stored and never queried: a query would read the tty behind the
///   parser's back.
/// - The size is set with [`Tty::set_size`], so that drawing makes no system call and tests need no
///   terminal.
#[derive(Debug)]
pub struct Tty<W: Write> {
    output: Output<W>,
    size: Size,
    pixels: Size,
    cursor: Option<bool>,
    position: Option<Position>,
    in_frame: bool,
    frame: FrameCost,
    ascii: bool,
}

/// The cost of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Bytes written, or 0 if nothing changed.
    pub bytes: u64,
    /// Number of changed cells.
    pub cells: u64,
}

impl<W: Write> Tty<W> {
    /// A backend of `size` cells that writes to `inner`.
    pub fn new(inner: W, size: Size) -> Self {
        Tty {
            output: Output::new(inner),
            size,
            pixels: Size::default(),
            cursor: None,
            position: None,
            in_frame: false,
            frame: FrameCost::default(),
            ascii: false,
        }
    }

    /// Sets the size in cells and in pixels (0 by 0 if unknown). If the cells changed, the next
    /// draw clears and repaints; [`ratatui::Terminal::resize`] forces it.
    pub fn set_size(&mut self, cells: Size, pixels: Size) {
        self.size = cells;
        self.pixels = pixels;
    }

    /// Writes ASCII only, for terminals with another character set.
    pub fn set_ascii(&mut self, ascii: bool) {
        self.ascii = ascii;
    }

    /// Forgets the cursor state, after another program used the screen.
    pub fn forget(&mut self) {
        self.cursor = None;
        self.position = None;
    }

    /// Starts a frame: everything up to [`end_frame`](Self::end_frame) appears at once.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn begin_frame(&mut self) -> io::Result<()> {
        self.in_frame = true;
        self.frame = FrameCost::default();
        self.output.begin_frame()
    }

    /// Ends the frame and returns its cost.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be written to.
    pub fn end_frame(&mut self) -> io::Result<FrameCost> {
        self.in_frame = false;
        self.frame.bytes = self.output.end_frame()?;
        Ok(self.frame)
    }

    pub fn inner_mut(&mut self) -> &mut W {
        self.output.inner_mut()
    }

    /// Bytes written since the start.
    pub fn total_bytes(&self) -> u64 {
        self.output.total()
    }
}

impl<W: Write> Write for Tty<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Output that bypasses ratatui may move the cursor.
        self.position = None;
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Write> Backend for Tty<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.position = None;
        let mut bytes = Vec::with_capacity(CHUNK + 1024);
        let mut pen = Pen::new(self.size.width, self.ascii);
        for (x, y, cell) in content {
            pen.cell(&mut bytes, x, y, cell);
            self.frame.cells += 1;
            if bytes.len() >= CHUNK {
                self.output.write_all(&bytes)?;
                bytes.clear();
            }
        }
        pen.finish(&mut bytes);
        self.output.write_all(&bytes)?;
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor.replace(false) == Some(false) {
            return Ok(());
        }
        self.output.write_all(b"\x1b[?25l")
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor.replace(true) == Some(true) {
            return Ok(());
        }
        self.output.write_all(b"\x1b[?25h")
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.position.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.position.replace(position) == Some(position) {
            return Ok(());
        }
        let (row, column) = (u32::from(position.y) + 1, u32::from(position.x) + 1);
        write!(self.output, "\x1b[{row};{column}H")
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, what: ClearType) -> io::Result<()> {
        let sequence: &[u8] = match what {
            ClearType::All => b"\x1b[2J",
            ClearType::AfterCursor => b"\x1b[J",
            ClearType::BeforeCursor => b"\x1b[1J",
            ClearType::CurrentLine => b"\x1b[2K",
            ClearType::UntilNewLine => b"\x1b[K",
        };
        self.output.write_all(sequence)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size,
            pixels: self.pixels,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.in_frame {
            Ok(())
        } else {
            self.output.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use ratatui::Terminal;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Modifier, Style};
    use ratatui::widgets::Paragraph;

    use super::*;
    use crate::terminal::output::{BEGIN, END};

    /// Records each write.
    #[derive(Clone, Default)]
    struct Writes(Rc<RefCell<Vec<Vec<u8>>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn terminal(writes: &Writes, width: u16, height: u16) -> Terminal<Tty<Writes>> {
        Terminal::new(Tty::new(writes.clone(), Size { width, height })).unwrap()
    }

    fn frame(
        terminal: &mut Terminal<Tty<Writes>>,
        text: &str,
        cursor: Option<(u16, u16)>,
    ) -> FrameCost {
        terminal.backend_mut().begin_frame().unwrap();
        terminal
            .draw(|f| {
                f.render_widget(Paragraph::new(text.to_string()), f.area());
                if let Some(at) = cursor {
                    f.set_cursor_position(at);
                }
            })
            .unwrap();
        terminal.backend_mut().end_frame().unwrap()
    }

    #[test]
    fn an_unchanged_frame_writes_nothing() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 20, 2);
        assert!(frame(&mut terminal, "hello", None).bytes > 0);
        let before = writes.0.borrow().len();
        assert_eq!(frame(&mut terminal, "hello", None), FrameCost::default());
        assert_eq!(writes.0.borrow().len(), before);
        // With a cursor: it is written only when it moves.
        assert!(frame(&mut terminal, "hello", Some((3, 1))).bytes > 0);
        assert_eq!(frame(&mut terminal, "hello", Some((3, 1))).bytes, 0);
        assert!(frame(&mut terminal, "hello", Some((4, 1))).bytes > 0);
    }

    #[test]
    fn a_frame_is_one_marked_write() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 200, 50);
        let text = vec!["x".repeat(200); 50].join("\n");
        let cost = frame(&mut terminal, &text, None);
        assert_eq!(cost.cells, 10_000);
        let writes = writes.0.borrow();
        assert_eq!(writes.len(), 1);
        assert!(writes[0].starts_with(BEGIN) && writes[0].ends_with(END));
        assert_eq!(writes[0].len() as u64, cost.bytes);
    }

    #[test]
    fn a_worst_case_picture_takes_few_writes() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 160, 50);
        terminal.backend_mut().begin_frame().unwrap();
        terminal
            .draw(|f| {
                for (i, cell) in f.buffer_mut().content.iter_mut().enumerate() {
                    let byte = (i % 251) as u8;
                    cell.set_char('▀')
                        .set_fg(Color::Rgb(byte, 255, 1))
                        .set_bg(Color::Rgb(1, byte, 255));
                }
            })
            .unwrap();
        let cost = terminal.backend_mut().end_frame().unwrap();
        assert!(cost.bytes > 256 * 1024, "{}", cost.bytes);
        assert!(writes.0.borrow().len() <= 4, "{}", writes.0.borrow().len());
    }

    #[test]
    fn moving_a_selection_costs_few_bytes() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 120, 40);
        let mut draw = |row: u16| {
            terminal.backend_mut().begin_frame().unwrap();
            terminal
                .draw(|f| {
                    f.render_widget(Paragraph::new("a row of text\n".repeat(40)), f.area());
                    let line = Rect {
                        x: 0,
                        y: row,
                        width: 30,
                        height: 1,
                    };
                    f.buffer_mut()
                        .set_style(line, Style::new().add_modifier(Modifier::REVERSED));
                })
                .unwrap();
            terminal.backend_mut().end_frame().unwrap().bytes
        };
        draw(3);
        let bytes = draw(4);
        assert!(bytes <= 300, "{bytes}");
    }

    #[test]
    fn clear_does_not_query_the_terminal() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 20, 2);
        frame(&mut terminal, "hello", None);
        terminal.clear().unwrap();
        assert!(frame(&mut terminal, "hello", None).cells > 0);
        let all: Vec<u8> = writes.0.borrow().concat();
        assert!(!String::from_utf8_lossy(&all).contains("\x1b[6n"));
    }

    #[test]
    fn a_new_size_clears_and_repaints() {
        let writes = Writes::default();
        let mut terminal = terminal(&writes, 20, 2);
        frame(&mut terminal, "hello", None);
        terminal.backend_mut().set_size(
            Size {
                width: 30,
                height: 3,
            },
            Size::default(),
        );
        frame(&mut terminal, "hello", None);
        let last = writes.0.borrow().last().unwrap().clone();
        let last = String::from_utf8_lossy(&last).into_owned();
        assert!(
            last.contains("\x1b[2J") && last.contains("hello"),
            "{last:?}"
        );
    }

    #[test]
    fn output_that_bypasses_ratatui_is_counted_and_ordered() {
        let writes = Writes::default();
        let mut tty = Tty::new(
            writes.clone(),
            Size {
                width: 10,
                height: 2,
            },
        );
        tty.write_all(b"before").unwrap();
        tty.begin_frame().unwrap();
        tty.write_all(b"inside").unwrap();
        assert_eq!(
            tty.end_frame().unwrap().bytes,
            (BEGIN.len() + 6 + END.len()) as u64
        );
        assert_eq!(
            writes.0.borrow().concat(),
            [b"before".as_slice(), BEGIN, b"inside", END].concat()
        );
        assert_eq!(tty.total_bytes(), writes.0.borrow().concat().len() as u64);
    }
}
