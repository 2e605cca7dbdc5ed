//! Text on whose width terminals disagree: joined emoji, flags, keycaps, letters with marks, most of what Indic scripts write.
//!
//! One terminal joins what another shows side by side, and each moves the rest of the row in its own way. ratatui writes only the
//! cells that changed, so that what was moved would stay. Three things keep the screen right on all of them:
//!
//! - The cell after such a cluster is told its place ([`super::sgr::Pen`]), so that nothing depends on how wide it was.
//! - The columns it is meant to take are blanked before it, so that nothing shows beside one that turns out narrower.
//! - A row that holds or held one is written anew from the first of them to its end whenever something changed there, so that
//!   nothing stays of one that turned out wider.

use std::io::{self, Write};

use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use unicode_segmentation::UnicodeSegmentation;

use super::Tty;

/// Whether terminals may show what is in a cell in other columns than it is meant to take: more than one character, an emoji,
/// or a mark without the letter that it belongs to.
pub fn is_uncertain(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    match (chars.next(), chars.next()) {
        (None, _) | (Some('\0'..='\u{2ff}'), None) => false,
        (Some(_), Some(_)) => true,
        // Punctuation, arrows, box drawing, blocks.
        (
            Some('\u{2010}'..='\u{20cf}' | '\u{2100}'..='\u{22ff}' | '\u{2400}'..='\u{25ff}'),
            None,
        ) => false,
        (
            Some('\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{2bff}' | '\u{1f000}'..='\u{1ffff}'),
            None,
        ) => symbol.cell_width() > 1,
        // CJK, kana and Hangul syllables.
        (
            Some('\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3ffff}'),
            None,
        ) => false,
        (Some(c), None) => {
            let mut after_letter = String::from("a");
            after_letter.push(c);
            after_letter.graphemes(true).count() == 1
        }
    }
}

/// The columns that such a cluster takes at most on any terminal.
pub fn widest(symbol: &str) -> u16 {
    symbol
        .chars()
        .map(|c| c.encode_utf8(&mut [0; 4]).cell_width().clamp(1, 2))
        .fold(0, u16::saturating_add)
}

/// The rows of the last frame that hold uncertain clusters.
#[derive(Debug, Default)]
pub struct UncertainRows {
    /// By row: the column of the first, and the cells of the row.
    rows: Vec<Option<(usize, Vec<Cell>)>>,
    /// Columns and rows.
    size: Size,
}

impl UncertainRows {
    /// The screen was cleared.
    pub fn forget(&mut self) {
        self.rows.clear();
    }

    /// Has all cells of a row written that are to be written anew. Gives back what is to be undone after the frame
    /// ([`settle`](Self::settle)), so that they are written once.
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
                // Where a picture of the terminal's own pixels stands, nothing is written.
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

    /// The frame is out: its cells are like any other again.
    fn settle(buf: &mut Buffer, marked: &[usize]) {
        for at in marked {
            if let Some(cell) = buf.content.get_mut(*at) {
                cell.set_diff_option(CellDiffOption::None);
            }
        }
    }
}

/// Draws one frame, as [`Terminal::draw`] does. `draw` gives where the cursor belongs, if it is to be seen. Gives the area.
///
/// # Errors
/// What the terminal gives.
pub fn draw_frame<W: Write>(
    terminal: &mut Terminal<Tty<W>>,
    uncertain: &mut UncertainRows,
    draw: impl FnOnce(&mut Buffer) -> Option<Position>,
) -> io::Result<Rect> {
    terminal.autoresize()?;
    let mut frame = terminal.get_frame();
    let area = frame.area();
    let cursor = draw(frame.buffer_mut());
    if uncertain.size != area.as_size() {
        uncertain.forget();
        uncertain.size = area.as_size();
    }
    let marked = uncertain.mark(frame.buffer_mut());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_terminal_shows_alike_is_certain() {
        for plain in [
            " ", "a", "é", "ß", "я", "ع", "漢", "コ", "한", "…", "─", "│", "▌", "▀", "✓", "✗", "·",
            "»", "α", "①",
        ] {
            assert!(!is_uncertain(plain), "{plain}");
        }
        for odd in [
            "e\u{301}",
            "👩‍🚀",
            "🏳️‍🌈",
            "🇩🇪",
            "1️⃣",
            "☎️",
            "क्ष",
            "ක්‍ර",
            "கு",
            "กำ",
            "😀",
            "⌚",
            "\u{301}",
            "\u{93e}",
        ] {
            assert!(is_uncertain(odd), "{odd}");
            assert!(widest(odd) >= odd.cell_width(), "{odd}");
        }
    }
}
