//! One frame: draws it, and rewrites the rows whose width differs between terminals
//! ([`super::clusters`]).

use std::io::{self, Write};

use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::{Position, Rect, Size};

use super::backend::Tty;
use super::clusters::is_uncertain;

/// The rows of the last frame with uncertain clusters.
#[derive(Debug, Default)]
pub struct UncertainRows {
    /// By row: the column of the first cluster, and the cells of the row.
    rows: Vec<Option<(usize, Vec<Cell>)>>,
    size: Size,
}

impl UncertainRows {
    /// Forgets all rows, after the screen was cleared.
    pub fn forget(&mut self) {
        self.rows.clear();
    }

    /// Marks all cells of affected rows as changed. Returns the marked cells for
    /// [`settle`](Self::settle), so that they are written only once.
    fn mark(&mut self, buf: &mut Buffer) -> Vec<usize> {
        let width = usize::from(buf.area.width);
        let mut marked = Vec::new();
        if width == 0 {
            return marked;
        }
        self.rows.resize_with(usize::from(buf.area.height), || None);
        for (y, (row, held)) in buf
            .content
            .chunks_mut(width)
            .zip(&mut self.rows)
            .enumerate()
        {
            let first = row.iter().position(|cell| is_uncertain(cell.symbol()));
            if first.is_none() && held.is_none() {
                continue;
            }
            let before = held.take();
            let from = first
                .into_iter()
                .chain(before.as_ref().map(|(first, _)| *first))
                .min()
                .unwrap_or(0);
            let same = |(_, cells): &(usize, Vec<Cell>)| {
                first.is_some() && cells.get(from..) == row.get(from..)
            };
            let same = before.as_ref().is_some_and(same);
            *held = match (same, first) {
                (true, _) => before,
                (false, Some(first)) => Some((first, row.to_vec())),
                (false, None) => None,
            };
            if same {
                continue;
            }
            for (x, cell) in row.iter_mut().enumerate().skip(from) {
                // Cells under a true-pixel picture are not written.
                if cell.diff_option == CellDiffOption::None {
                    let wide = std::num::NonZeroU16::new(cell.symbol().cell_width())
                        .filter(|_| is_uncertain(cell.symbol()));
                    cell.set_diff_option(
                        wide.map_or(CellDiffOption::AlwaysUpdate, CellDiffOption::ForcedWidth),
                    );
                    marked.push(y * width + x);
                }
            }
        }
        marked
    }

    /// Unmarks the cells after the frame.
    fn settle(buf: &mut Buffer, marked: &[usize]) {
        for at in marked {
            if let Some(cell) = buf.content.get_mut(*at) {
                cell.set_diff_option(CellDiffOption::None);
            }
        }
    }
}

/// What a frame draws besides its cells.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The position of the terminal's cursor if it is visible.
    pub cursor: Option<Position>,
    /// Bytes to write before the cells.
    pub before: Vec<u8>,
}

impl From<Option<Position>> for Drawn {
    fn from(cursor: Option<Position>) -> Drawn {
        Drawn {
            cursor,
            before: Vec::new(),
        }
    }
}

/// Makes the cells that a wide glyph covers blanks in its style, which is what a terminal leaves of the
/// glyph if a later one covers only its first column. Otherwise, a cell that was drawn below the glyph would
/// count as shown.
fn blank_covered(buf: &mut Buffer) {
    let width = usize::from(buf.area.width);
    if width == 0 {
        return;
    }
    for row in buf.content.chunks_mut(width) {
        let mut x = 0;
        while let Some((cell, rest)) = row.get_mut(x..).and_then(<[Cell]>::split_first_mut) {
            let covered = match cell.symbol().is_ascii() {
                true => 0,
                false => usize::from(cell.cell_width()).saturating_sub(1),
            };
            for behind in rest.iter_mut().take(covered) {
                // Cells under a true-pixel picture are not written.
                if behind.diff_option == CellDiffOption::None {
                    behind.set_symbol(" ");
                    (behind.fg, behind.bg) = (cell.fg, cell.bg);
                    behind.underline_color = cell.underline_color;
                    behind.modifier = cell.modifier;
                }
            }
            x += 1 + covered;
        }
    }
}

/// Draws one frame like [`Terminal::draw`]. Returns the area.
///
/// # Errors
///
/// If the terminal cannot be written to.
pub fn draw_frame<W: Write, D: Into<Drawn>>(
    terminal: &mut Terminal<Tty<W>>,
    uncertain: &mut UncertainRows,
    draw: impl FnOnce(&mut Buffer) -> D,
) -> io::Result<Rect> {
    terminal.autoresize()?;
    let mut frame = terminal.get_frame();
    let area = frame.area();
    let Drawn { cursor, before } = draw(frame.buffer_mut()).into();
    if uncertain.size != area.as_size() {
        uncertain.forget();
        uncertain.size = area.as_size();
    }
    blank_covered(frame.buffer_mut());
    let marked = uncertain.mark(frame.buffer_mut());
    terminal.backend_mut().write_all(&before)?;
    terminal.flush()?;
    UncertainRows::settle(terminal.current_buffer_mut(), &marked);
    match cursor {
        None => terminal.hide_cursor()?,
        Some(position) => {
            terminal.show_cursor()?;
            terminal.set_cursor_position(position)?;
        }
    }
    terminal.swap_buffers();
    Backend::flush(terminal.backend_mut())?;
    Ok(area)
}
