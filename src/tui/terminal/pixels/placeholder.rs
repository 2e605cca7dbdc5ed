//! Unicode placeholders of the kitty graphics protocol: cells of text that the terminal draws as
//! parts of a picture. They go through tmux as any text does; only the upload needs its passthrough.
//!
//! A cell is U+10EEEE, with a mark for its row and one for its column of the picture, and a third one
//! for the high byte of the picture's id. The low byte is the color, one of the 240 that are neither
//! changed by themes nor by a terminal with 256 colors.

use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::kitty;

/// The character of all cells.
pub const CELL: char = '\u{10EEEE}';
/// The high byte of our ids, to avoid those of other programs.
const HIGH: u16 = 98;
/// The colors that are the low byte of an id.
const COLORS: std::ops::RangeInclusive<u8> = 16..=255;

/// The marks of rows and columns, in order, as ranges: from `rowcolumn-diacritics.txt` of the
/// protocol.
const MARKS: &[(u32, u32)] = &[
    (0x0305, 0x0305),
    (0x030D, 0x030E),
    (0x0310, 0x0310),
    (0x0312, 0x0312),
    (0x033D, 0x033F),
    (0x0346, 0x0346),
    (0x034A, 0x034C),
    (0x0350, 0x0352),
    (0x0357, 0x0357),
    (0x035B, 0x035B),
    (0x0363, 0x036F),
    (0x0483, 0x0487),
    (0x0592, 0x0595),
    (0x0597, 0x0599),
    (0x059C, 0x05A1),
    (0x05A8, 0x05A9),
    (0x05AB, 0x05AC),
    (0x05AF, 0x05AF),
    (0x05C4, 0x05C4),
    (0x0610, 0x0617),
    (0x0657, 0x065B),
    (0x065D, 0x065E),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E2),
    (0x06E4, 0x06E4),
    (0x06E7, 0x06E8),
    (0x06EB, 0x06EC),
    (0x0730, 0x0730),
    (0x0732, 0x0733),
    (0x0735, 0x0736),
    (0x073A, 0x073A),
    (0x073D, 0x073D),
    (0x073F, 0x0741),
    (0x0743, 0x0743),
    (0x0745, 0x0745),
    (0x0747, 0x0747),
    (0x0749, 0x074A),
    (0x07EB, 0x07F1),
    (0x07F3, 0x07F3),
    (0x0816, 0x0819),
    (0x081B, 0x0823),
    (0x0825, 0x0827),
    (0x0829, 0x082D),
    (0x0951, 0x0951),
    (0x0953, 0x0954),
    (0x0F82, 0x0F83),
    (0x0F86, 0x0F87),
    (0x135D, 0x135F),
    (0x17DD, 0x17DD),
    (0x193A, 0x193A),
    (0x1A17, 0x1A17),
    (0x1A75, 0x1A7C),
    (0x1B6B, 0x1B6B),
    (0x1B6D, 0x1B73),
    (0x1CD0, 0x1CD2),
    (0x1CDA, 0x1CDB),
    (0x1CE0, 0x1CE0),
    (0x1DC0, 0x1DC1),
    (0x1DC3, 0x1DC9),
    (0x1DCB, 0x1DCC),
    (0x1DD1, 0x1DE6),
    (0x1DFE, 0x1DFE),
    (0x20D0, 0x20D1),
    (0x20D4, 0x20D7),
    (0x20DB, 0x20DC),
    (0x20E1, 0x20E1),
    (0x20E7, 0x20E7),
    (0x20E9, 0x20E9),
    (0x20F0, 0x20F0),
    (0x2CEF, 0x2CF1),
    (0x2DE0, 0x2DFF),
    (0xA66F, 0xA66F),
    (0xA67C, 0xA67D),
    (0xA6F0, 0xA6F1),
    (0xA8E0, 0xA8F1),
];

/// The most columns and rows of a picture.
pub(super) const MOST: u16 = 268;

fn marks() -> impl Iterator<Item = char> {
    let all = MARKS.iter().flat_map(|(first, last)| *first..=*last);
    all.filter_map(char::from_u32)
}

/// The mark of a number.
pub fn mark(number: u16) -> Option<char> {
    marks().nth(usize::from(number))
}

/// The pictures that the terminal stores, least recently used first: our id, the color that is the
/// low byte of the terminal's id, and the size.
#[derive(Debug, Default)]
pub(super) struct Stored(Vec<(u32, u8, usize)>);

impl Stored {
    /// The color of a picture, and what to send before its cells: an upload if the terminal does not
    /// store it, and pictures to free.
    pub(super) fn place(&mut self, id: u32, png: &str, cells: (u16, u16)) -> (u8, Vec<u8>) {
        if let Some(at) = self.0.iter().position(|(kept, ..)| *kept == id) {
            let kept = self.0.remove(at);
            self.0.push(kept);
            return (kept.1, Vec::new());
        }
        let mut out = Vec::new();
        let mut total: usize = self.0.iter().map(|(.., size)| size).sum();
        while !self.0.is_empty()
            && (total + png.len() > kitty::KEPT || self.0.len() >= COLORS.len())
        {
            let (_, color, size) = self.0.remove(0);
            total -= size;
            free(&mut out, color);
        }
        let used = |color: &u8| self.0.iter().any(|(_, used, _)| used == color);
        let color = COLORS.clone().find(|color| !used(color)).unwrap_or(16);
        let (number, (columns, rows)) = (number(color), cells);
        let mut upload = Vec::new();
        // Writing to memory does not fail.
        let _ = kitty::upload(&mut upload, number, png);
        let _ = write!(
            upload,
            "\x1b_Ga=p,U=1,i={number},c={columns},r={rows},q=2\x1b\\"
        );
        out.extend(through_tmux(&upload));
        self.0.push((id, color, png.len()));
        (color, out)
    }

    /// Frees all pictures.
    pub(super) fn free(&mut self, out: &mut dyn Write) -> io::Result<usize> {
        let mut bytes = Vec::new();
        self.0
            .drain(..)
            .for_each(|(_, color, _)| free(&mut bytes, color));
        out.write_all(&bytes)?;
        Ok(bytes.len())
    }
}

/// The id that the terminal knows a picture by.
fn number(color: u8) -> u32 {
    u32::from(HIGH) << 24 | u32::from(color)
}

fn free(out: &mut Vec<u8>, color: u8) {
    let command = format!("\x1b_Ga=d,d=I,i={},q=2\x1b\\", number(color));
    out.extend(through_tmux(command.as_bytes()));
}

/// Wraps each sequence, so that tmux passes it to its terminal.
pub fn through_tmux(sequences: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(sequences.len() + 64);
    let mut rest = sequences;
    while !rest.is_empty() {
        let end = memchr::memmem::find(rest, b"\x1b\\").map_or(rest.len(), |at| at + 2);
        let (sequence, after) = rest.split_at(end);
        out.extend(b"\x1bPtmux;");
        for byte in sequence {
            if *byte == 0x1b {
                out.push(0x1b);
            }
            out.push(*byte);
        }
        out.extend(b"\x1b\\");
        rest = after;
    }
    out
}

/// Writes the cells of a picture that no popup covers. They keep their ground, which shows where the
/// picture leaves a part of the last cells free.
pub(super) fn draw(color: u8, at: Rect, popups: &[Rect], buffer: &mut Buffer) {
    let marks: Vec<char> = marks().collect();
    let high = marks.get(usize::from(HIGH));
    let covered = |place| popups.iter().any(|popup| popup.contains(place));
    let shown = at.intersection(buffer.area).positions();
    for place in shown.filter(|place| !covered(*place)) {
        let (row, column) = (place.y - at.y, place.x - at.x);
        let (row, column) = (marks.get(usize::from(row)), marks.get(usize::from(column)));
        if let (Some(cell), Some(row), Some(column), Some(high)) =
            (buffer.cell_mut(place), row, column, high)
        {
            let ground = cell.bg;
            cell.reset();
            cell.set_symbol(&String::from_iter([CELL, *row, *column, *high]));
            cell.set_fg(Color::Indexed(color)).set_bg(ground);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn marks_are_those_of_the_protocol() {
        assert_eq!(marks().count(), usize::from(MOST));
        let known = [
            (0, 0x0305),
            (1, 0x030D),
            (9, 0x034A),
            (53, 0x05C4),
            (98, 0x0749),
        ];
        for (number, code) in known {
            assert_eq!(mark(number), char::from_u32(code), "{number}");
        }
        assert_eq!(mark(MOST), None);
    }

    #[test]
    fn a_picture_is_sent_once_and_colors_are_used_again() {
        let mut stored = Stored::default();
        let (color, sent) = stored.place(1, "AAAA", (2, 1));
        let text = String::from_utf8(sent).unwrap();
        assert!(
            text.starts_with("\x1bPtmux;\x1b\x1b_Ga=t,f=100,t=d,i="),
            "{text:?}"
        );
        assert!(text.ends_with(",c=2,r=1,q=2\x1b\x1b\\\x1b\\"), "{text:?}");
        assert_eq!(stored.place(1, "AAAA", (2, 1)), (color, Vec::new()));
        for id in 2..=240 {
            assert_ne!(stored.place(id, "AAAA", (2, 1)).0, color);
        }
        // The first one is the least recently used.
        let (again, sent) = stored.place(241, "AAAA", (2, 1));
        assert_eq!(again, color);
        assert!(sent.starts_with(b"\x1bPtmux;\x1b\x1b_Ga=d,d=I,"));
        assert!(!stored.place(1, "AAAA", (2, 1)).1.is_empty());
    }

    #[test]
    fn cells_name_their_row_and_column() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 3));
        let ground = Color::Rgb(19, 19, 19);
        buffer.set_style(buffer.area, Style::new().bg(ground));
        draw(
            20,
            Rect::new(1, 1, 2, 2),
            &[Rect::new(0, 2, 4, 1)],
            &mut buffer,
        );
        let cell = &buffer[(2, 1)];
        let marks: String = [0, 1, HIGH].into_iter().filter_map(mark).collect();
        assert_eq!(cell.symbol(), format!("{CELL}{marks}"));
        assert_eq!((cell.fg, cell.bg), (Color::Indexed(20), ground));
        assert_eq!(buffer[(1, 2)].symbol(), " ", "a popup");
        assert_eq!(buffer[(0, 0)].symbol(), " ");
    }
}
