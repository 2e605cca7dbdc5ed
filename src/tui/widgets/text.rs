//! Fitting text to cells of a terminal.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use unicode_width::UnicodeWidthChar;

use crate::model::clean;

/// One line of `text` that is safe to print, as [`clean::line`] makes it: character indices stay valid.
pub fn clean(text: &str) -> String {
    clean::line(text).into_owned()
}

/// Columns a character takes: one where [`clean::MARK`] stands for it.
pub fn char_width(c: char) -> usize {
    if clean::is_hidden(c) { 1 } else { c.width().unwrap_or(0) }
}

/// Columns a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// `text` cut to `room` columns, the cut marked with `…`, and the range of characters kept. Where `keep` (a character
/// index) would fall outside, the beginning is cut instead.
fn window(text: &str, room: usize, keep: Option<usize>) -> (bool, std::ops::Range<usize>, bool) {
    let widths: Vec<usize> = text.chars().map(char_width).collect();
    let total: usize = widths.iter().sum();
    if total <= room {
        return (false, 0..widths.len(), false);
    }
    let take = |from: usize, room: usize| {
        let mut used = 0;
        let fits = widths.iter().skip(from).take_while(|w| {
            used += **w;
            used <= room
        });
        from + fits.count()
    };
    let end = take(0, room.saturating_sub(1));
    match keep {
        Some(keep) if keep >= end && room > 8 => {
            // A third of the room before the match, so that it is seen in its context.
            let mut from = keep;
            let mut before = 0;
            while from > 0 {
                let w = widths.get(from - 1).copied().unwrap_or(0);
                if before + w > room / 3 {
                    break;
                }
                before += w;
                from -= 1;
            }
            let rest: usize = widths.iter().skip(from).sum();
            if rest < room { (true, from..widths.len(), false) } else { (true, from..take(from, room - 2), true) }
        }
        _ => (false, 0..end, true),
    }
}

/// `text` in at most `room` columns, a cut marked with `…`.
pub fn fit(text: &str, room: usize) -> String {
    if room == 0 {
        return String::new();
    }
    let text = clean(text);
    let (before, range, after) = window(&text, room, None);
    let kept = text.chars().skip(range.start).take(range.len());
    let mark = |on: bool| on.then_some('…');
    mark(before).into_iter().chain(kept).chain(mark(after)).collect()
}

/// Draws `text` at (`x`, `y`) in at most `room` columns; characters whose index is in `marks` (sorted) are drawn with
/// `marked` laid over `style`. Returns the columns used.
pub fn draw_marked(
    buf: &mut Buffer,
    (x, y): (u16, u16),
    room: usize,
    text: &str,
    marks: &[usize],
    style: Style,
    marked: Style,
) -> u16 {
    let text = clean(text);
    let (before, range, after) = window(&text, room, marks.first().copied());
    let mut at = x;
    let mut left = room;
    let mut put = |buf: &mut Buffer, piece: &str, style: Style| {
        let (to, _) = buf.set_stringn(at, y, piece, left, style);
        left = left.saturating_sub(usize::from(to.saturating_sub(at)));
        at = to;
    };
    if before {
        put(buf, "…", style);
    }
    let (mut piece, mut on) = (String::new(), false);
    for (index, c) in text.chars().enumerate().skip(range.start).take(range.len()) {
        let hit = marks.binary_search(&index).is_ok();
        if hit != on && !piece.is_empty() {
            put(buf, &piece, if on { style.patch(marked) } else { style });
            piece.clear();
        }
        on = hit;
        piece.push(c);
    }
    if !piece.is_empty() {
        put(buf, &piece, if on { style.patch(marked) } else { style });
    }
    if after {
        put(buf, "…", style);
    }
    at - x
}

/// `text` broken into lines of at most `room` columns at white space, its own line breaks kept; a word longer than a
/// line is cut into lines. Never returns an empty list.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut out = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut used = 0;
        for word in clean(paragraph).split(' ') {
            let mut wide = width(word);
            if used > 0 && used + 1 + wide <= room {
                line.push(' ');
                line.push_str(word);
                used += 1 + wide;
                continue;
            }
            if used > 0 {
                out.push(std::mem::take(&mut line));
                used = 0;
            }
            let mut rest = word;
            while wide > room {
                let mut taken = 0;
                let cut = rest.char_indices().find(|(i, c)| {
                    taken += char_width(*c);
                    taken > room && *i > 0
                });
                let Some((cut, _)) = cut else { break };
                out.push(rest[..cut].to_string());
                rest = &rest[cut..];
                wide = width(rest);
            }
            line.push_str(rest);
            used += wide;
        }
        out.push(line);
    }
    if out.is_empty() {
        out.push(String::new());
    }
    out
}

/// `n` with its thousands marked: `617,000`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn cuts_by_width_not_by_characters() {
        assert_eq!(fit("banana", 6), "banana");
        assert_eq!(fit("bananas", 6), "banan…");
        assert_eq!(fit("香蕉香蕉", 6), "香蕉…");
        assert_eq!(fit("x", 0), "");
        assert_eq!(fit("a\tb\u{1b}[2J\nc", 20), "a b·[2J c");
        assert_eq!(fit("safe\u{202e}txt", 20), "safe·txt");
    }

    #[test]
    fn a_match_beyond_the_cut_is_brought_into_view() {
        let text = "what is the colour of the animal in the picture";
        let at = text.find("animal").unwrap();
        let mut buf = Buffer::empty(Rect::new(0, 0, 20, 1));
        let marks: Vec<usize> = (at..at + 6).collect();
        draw_marked(&mut buf, (0, 0), 20, text, &marks, Style::new(), Style::new().bold());
        let line: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert!(line.starts_with('…') && line.contains("animal"), "{line}");
        let bold: String = buf
            .content
            .iter()
            .filter(|c| c.modifier.contains(ratatui::style::Modifier::BOLD))
            .map(|c| c.symbol())
            .collect();
        assert_eq!(bold, "animal");
    }

    #[test]
    fn wraps_at_words_and_cuts_what_is_too_long() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("", 5), [""]);
        for line in wrap("一二三 四五六七八 九", 4) {
            assert!(width(&line) <= 4);
        }
    }

    #[test]
    fn thousands_are_marked() {
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(617_000)], ["0", "999", "1,000", "617,000"]);
    }
}
