//! Fits text to terminal cells.
//!
//! Terminals show grapheme clusters in cells: a letter with its marks, an emoji of several code
//! points. Clusters are never split, and their width is the one that ratatui assumes. [`clusters`]
//! is the only place that determines it.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use benchtop_model::{Error, clean};

/// The widest text for reading, in columns: longer lines are hard to follow back.
pub const READABLE: u16 = 100;

/// One line of `text` that is safe to print, as made by [`clean::line`]. Character indices stay
/// valid.
pub fn clean(text: &str) -> String {
    clean::line(text).into_owned()
}

/// Grapheme clusters of a clean text, each with its width in columns.
pub fn clusters(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.graphemes(true)
        .map(|cluster| (cluster, usize::from(cluster.cell_width())))
}

/// Width of a text after cleaning, in columns.
pub fn width(text: &str) -> usize {
    match clean::line(text) {
        Cow::Borrowed(text) if text.is_ascii() => text.len(),
        text => clusters(&text).map(|(_, columns)| columns).sum(),
    }
}

/// For each character, the width of the cluster that starts with it. `None` for characters that
/// continue a cluster.
pub fn columns(text: &[char]) -> Vec<Option<usize>> {
    let shown: String = text
        .iter()
        .map(|c| {
            if clean::is_hidden(*c) {
                clean::MARK
            } else {
                *c
            }
        })
        .collect();
    let mut out = Vec::with_capacity(text.len());
    for (cluster, columns) in clusters(&shown) {
        out.push(Some(columns));
        out.extend(cluster.chars().skip(1).map(|_| None));
    }
    out
}

/// Splits a clean text after the clusters that fit in `room` columns. The first cluster is always
/// included.
pub fn cut(text: &str, room: usize) -> (&str, &str) {
    let (mut used, mut end) = (0, 0);
    for (cluster, columns) in clusters(text) {
        used += columns;
        if used > room && end > 0 {
            break;
        }
        end += cluster.len();
    }
    text.split_at(end)
}

/// The clusters of `text` that fit in `room` columns, and whether text is cut before and after
/// them. If `keep` (a character index) would be cut off, the start is cut instead. Each cluster has
/// the index of its first character.
fn window(text: &str, room: usize, keep: Option<usize>) -> (bool, Vec<(usize, &str)>, bool) {
    let mut all = Vec::new();
    let mut at = 0;
    for (cluster, columns) in clusters(text) {
        all.push((at, cluster, columns));
        at += cluster.chars().count();
    }
    let total: usize = all.iter().map(|(.., columns)| columns).sum();
    let kept = |range: std::ops::Range<usize>| -> Vec<(usize, &str)> {
        all.get(range)
            .unwrap_or_default()
            .iter()
            .map(|(at, cluster, _)| (*at, *cluster))
            .collect()
    };
    if total <= room {
        return (false, kept(0..all.len()), false);
    }
    let take = |from: usize, room: usize| {
        let mut used = 0;
        let fits = all.iter().skip(from).take_while(|(.., columns)| {
            used += *columns;
            used <= room
        });
        from + fits.count()
    };
    let end = take(0, room.saturating_sub(1));
    let keep = keep.map(|keep| all.iter().rposition(|(at, ..)| *at <= keep).unwrap_or(0));
    match keep {
        Some(keep) if keep >= end && room > 8 => {
            // A third of the room precedes the match, to show its context.
            let mut from = keep;
            let mut before = 0;
            while from > 0 {
                let columns = all.get(from - 1).map_or(0, |(.., columns)| *columns);
                if before + columns > room / 3 {
                    break;
                }
                before += columns;
                from -= 1;
            }
            let rest: usize = all.iter().skip(from).map(|(.., columns)| columns).sum();
            if rest < room {
                (true, kept(from..all.len()), false)
            } else {
                (true, kept(from..take(from, room - 2)), true)
            }
        }
        _ => (false, kept(0..end), true),
    }
}

/// `text` in at most `room` columns, with `…` where it is cut.
pub fn fit(text: &str, room: usize) -> String {
    if room == 0 {
        return String::new();
    }
    let text = clean(text);
    let (before, kept, after) = window(&text, room, None);
    let mark = |on: bool| on.then_some("…");
    mark(before)
        .into_iter()
        .chain(kept.into_iter().map(|(_, cluster)| cluster))
        .chain(mark(after))
        .collect()
}

/// Draws `text` at (`x`, `y`) in at most `room` columns. Clusters with a character index in `marks`
/// (sorted) are drawn with `marked` over `style`. Returns the columns used.
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
    let (before, kept, after) = window(&text, room, marks.first().copied());
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
    for (index, cluster) in kept {
        let hit = cluster
            .chars()
            .zip(index..)
            .any(|(_, index)| marks.binary_search(&index).is_ok());
        if hit != on && !piece.is_empty() {
            put(buf, &piece, if on { style.patch(marked) } else { style });
            piece.clear();
        }
        on = hit;
        piece.push_str(cluster);
    }
    if !piece.is_empty() {
        put(buf, &piece, if on { style.patch(marked) } else { style });
    }
    if after {
        put(buf, "…", style);
    }
    at - x
}

/// Wraps `text` to lines of at most `room` columns at white space, and keeps its line breaks.
/// Longer words are split. Never returns an empty list.
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
                let (head, tail) = cut(rest, room);
                if tail.is_empty() {
                    break;
                }
                out.push(head.to_string());
                rest = tail;
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

/// An error with its help, as one line.
pub fn error_line(problem: &Error) -> String {
    let help = problem.help.as_ref();
    let help = help.map_or(String::new(), |help| format!("; {help}"));
    format!("{}{help}", problem.what)
}

/// A number with its noun: `1 item`, `617,000 items`.
pub fn counted(n: u64, thing: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", grouped(n))
}

/// A small number with its noun: `1 file`, `3 files`.
pub fn plural(n: impl Into<u64>, thing: &str) -> String {
    let n = n.into();
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{ending}")
}

/// `n` with thousands separators: `617,000`.
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
        draw_marked(
            &mut buf,
            (0, 0),
            20,
            text,
            &marks,
            Style::new(),
            Style::new().bold(),
        );
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
    fn wraps_at_words_and_splits_long_ones() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("", 5), [""]);
        for line in wrap("一二三 四五六七八 九", 4) {
            assert!(width(&line) <= 4);
        }
    }

    #[test]
    fn clusters_are_never_cut() {
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(
            (
                width(family),
                width("e\u{301}"),
                width("1️⃣"),
                width("pass\u{200d}word")
            ),
            (2, 1, 2, 9)
        );
        assert_eq!(
            fit(&format!("{family}{family}{family}"), 5),
            format!("{family}{family}…")
        );
        assert_eq!(fit(&format!("a{family}"), 2), "a…");
        assert_eq!(
            wrap(&format!("{family}{family} e\u{301}e\u{301}"), 2),
            [family, family, "e\u{301}e\u{301}"]
        );
        assert_eq!(
            wrap(family, 1),
            [family],
            "a cluster wider than a line gets its own line"
        );
        let mut buf = Buffer::empty(Rect::new(0, 0, 8, 1));
        // A match within a cluster marks all of it.
        let used = draw_marked(
            &mut buf,
            (0, 0),
            8,
            &format!("x{family}y"),
            &[3],
            Style::new(),
            Style::new().bold(),
        );
        assert_eq!((used, buf[(1, 0)].symbol()), (4, family));
        let bold = |x: u16| {
            buf[(x, 0)]
                .modifier
                .contains(ratatui::style::Modifier::BOLD)
        };
        assert_eq!([bold(0), bold(1), bold(3)], [false, true, false]);
        assert_eq!(
            columns(&['a', 'e', '\u{301}', '\u{202e}', '漢']),
            [Some(1), Some(1), None, Some(1), Some(2)]
        );
    }

    #[test]
    fn thousands_are_marked() {
        assert_eq!(
            [grouped(0), grouped(999), grouped(1000), grouped(617_000)],
            ["0", "999", "1,000", "617,000"]
        );
    }

    #[test]
    fn counted_uses_singular_for_one() {
        let said: Vec<String> = [0, 1, 2, 617_000]
            .into_iter()
            .map(|n| counted(n, "item"))
            .collect();
        assert_eq!(said, ["0 items", "1 item", "2 items", "617,000 items"]);
    }
}
