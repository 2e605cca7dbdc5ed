//! Text whose width differs between terminals: joined emoji, flags, keycaps, combining marks, and
//! most Indic scripts.
//!
//! Terminals join or split such clusters and shift the rest of the row differently. ratatui writes
//! only changed cells, so shifted cells would remain. Three measures keep the screen correct
//! everywhere:
//!
//! - The cell after such a cluster is positioned explicitly ([`super::sgr::Pen`]), whatever its
//!   width.
//! - The columns of the cluster are blanked first, in case the terminal draws it narrower.
//! - If anything changes in a row that contains or contained one, the row is rewritten from the
//!   first cluster to its end, in case the terminal drew it wider ([`super::frame`]).

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

use super::pixels::placeholder;

/// Whether terminals may draw this cell in more or fewer columns than expected: several characters,
/// an emoji, or a mark without its letter.
pub fn is_uncertain(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    match (chars.next(), chars.next()) {
        (None, _) | (Some('\0'..='\u{2ff}'), None) => false,
        // A part of a picture, whose marks are no letters.
        (Some(placeholder::CELL), Some(_)) => false,
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
        // CJK, kana, and Hangul syllables.
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

/// Maximum width of such a cluster on any terminal.
pub fn widest(symbol: &str) -> u16 {
    symbol
        .chars()
        .map(|c| c.encode_utf8(&mut [0; 4]).cell_width().clamp(1, 2))
        .fold(0, u16::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_all_terminals_agree_on_is_certain() {
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
