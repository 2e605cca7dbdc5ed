//! Word-level differences of short texts, such as a prompt before and after an edit. Removed words
//! precede added ones. Without color, brackets mark them.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::text;
use crate::theme::{Look, Role};
use benchtop_model::ColorLevel;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// In both texts.
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
}

/// A run of words with the same kind of change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The words with their spaces.
    pub text: String,
    pub change: Change,
}

impl Piece {
    /// A run of words.
    pub fn new(text: impl Into<String>, change: Change) -> Piece {
        Piece {
            text: text.into(),
            change,
        }
    }
}

/// Splits text into runs of letters and digits, runs of spaces, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let kind = |c: char| {
        if c.is_alphanumeric() {
            1
        } else {
            2 * u8::from(c.is_whitespace())
        }
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let own = kind(c);
        if last.is_some_and(|l| l != own || own == 0) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(own);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Compares by words. Removed words precede added ones.
pub fn by_words(old: &str, new: &str) -> Vec<Piece> {
    if old == new {
        return if new.is_empty() {
            Vec::new()
        } else {
            vec![Piece::new(new, Change::Same)]
        };
    }
    let (a, b) = (words(old), words(new));
    let mut out: Vec<Piece> = Vec::new();
    let mut put = |text: String, change| {
        if text.is_empty() {
            return;
        }
        match out.last_mut() {
            Some(last) if last.change == change => last.text.push_str(&text),
            _ => out.push(Piece { text, change }),
        }
    };
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let (from, to) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => put(b[to].concat(), Change::Same),
            _ => {
                put(a[from].concat(), Change::Removed);
                put(b[to].concat(), Change::Added);
            }
        }
    }
    out
}

/// A word with its style.
pub type Word = (String, Style);

fn style_of(change: Change, dim: bool, look: &Look) -> Style {
    match change {
        Change::Same if dim => look.style(Role::Dim),
        Change::Same => look.style(Role::Text),
        Change::Added => look.style(Role::Good).add_modifier(Modifier::BOLD),
        Change::Removed => look.style(Role::Bad).add_modifier(Modifier::CROSSED_OUT),
    }
}

/// Styles pieces as words of a line. Without color, adds brackets.
pub fn styled(pieces: &[Piece], dim: bool, look: &Look) -> Vec<Word> {
    let plain = look.accessible || look.theme.level() == ColorLevel::Mono;
    let mut out = Vec::new();
    for piece in pieces {
        let style = style_of(piece.change, dim, look);
        let cleaned = text::clean(&piece.text);
        let shown = match piece.change {
            Change::Added if plain => format!("{{+{cleaned}+}}"),
            Change::Removed if plain => format!("[-{cleaned}-]"),
            _ => cleaned,
        };
        for word in shown.split_inclusive(' ') {
            out.push((word.to_string(), style));
        }
    }
    out
}

/// Wraps words to lines of at most `room` columns.
pub fn wrap(words: Vec<Word>, room: usize) -> Vec<Vec<Word>> {
    let mut lines: Vec<Vec<Word>> = vec![Vec::new()];
    let mut used = 0;
    for (word, style) in words {
        let mut rest = word.as_str();
        loop {
            let bare = text::width(rest.trim_end());
            if used + bare <= room {
                break;
            }
            if used > 0 {
                lines.push(Vec::new());
                used = 0;
                continue;
            }
            // Split a word that is longer than a line.
            let (head, tail) = text::cut(rest, room);
            if tail.is_empty() {
                break;
            }
            if let Some(line) = lines.last_mut() {
                line.push((head.to_string(), style));
            }
            rest = tail;
            lines.push(Vec::new());
        }
        used += text::width(rest);
        if let Some(line) = lines.last_mut() {
            line.push((rest.to_string(), style));
        }
    }
    lines
}

/// Draws a line of words at (`x`, `y`) in at most `room` columns.
pub fn put(line: &[Word], x: u16, y: u16, room: usize, buf: &mut Buffer) {
    let (mut at, mut left) = (x, room);
    for (word, style) in line {
        let (to, _) = buf.set_stringn(at, y, word, left, *style);
        left = left.saturating_sub(usize::from(to.saturating_sub(at)));
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;

    fn shown(pieces: &[Piece]) -> String {
        let mark = |p: &Piece| match p.change {
            Change::Same => p.text.clone(),
            Change::Added => format!("[+{}]", p.text),
            Change::Removed => format!("[-{}]", p.text),
        };
        pieces.iter().map(mark).collect()
    }

    #[test]
    fn words_are_compared_with_punctuation() {
        assert_eq!(
            shown(&by_words("1 red owl, fine", "1 red barn owl, fine")),
            "1 red [+barn ]owl, fine"
        );
        assert_eq!(
            shown(&by_words("a (red) owl", "a (blue) owl.")),
            "a ([-red][+blue]) owl[+.]"
        );
        assert_eq!(shown(&by_words("same", "same")), "same");
        assert_eq!(shown(&by_words("", "new")), "[+new]");
        assert_eq!(shown(&by_words("漢字 x", "漢字 y")), "漢字 [-x][+y]");
        assert!(by_words("", "").is_empty());
    }

    #[test]
    fn a_diff_contains_both_texts() {
        let (old, new) = ("one two, three  four", "two three, 4 four!");
        let of = |but: Change| -> String {
            by_words(old, new)
                .iter()
                .filter(|p| p.change != but)
                .map(|p| p.text.as_str())
                .collect()
        };
        assert_eq!(
            (of(Change::Added), of(Change::Removed)),
            (old.to_string(), new.to_string())
        );
    }

    #[test]
    fn brackets_mark_changes_without_color() {
        let pieces = by_words("Is the red owl asleep?", "Is the blue owl asleep?");
        let of = |level, accessible| {
            let look = Look::new(&Theme::shipped("dark").unwrap(), level, accessible);
            styled(&pieces, false, &look)
        };
        let text = |words: &[Word]| {
            words
                .iter()
                .map(|(word, _)| word.as_str())
                .collect::<String>()
        };
        for (level, accessible) in [(ColorLevel::Mono, false), (ColorLevel::True, true)] {
            assert_eq!(
                text(&of(level, accessible)),
                "Is the [-red-]{+blue+} owl asleep?"
            );
        }
        let colored = of(ColorLevel::True, false);
        assert_eq!(text(&colored), "Is the redblue owl asleep?");
        let style = |word: &str| colored.iter().find(|(w, _)| w == word).unwrap().1;
        assert!(
            style("red").add_modifier.contains(Modifier::CROSSED_OUT)
                && style("red").fg != style("blue").fg
        );
    }

    #[test]
    fn wrapped_lines_fit_and_keep_all_words() {
        let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, false);
        let words = styled(
            &by_words("one two three", "one 2 three and averyveryverylongword"),
            false,
            &look,
        );
        let whole: String = words.iter().map(|(w, _)| w.as_str()).collect();
        for room in 8..40 {
            let lines = wrap(words.clone(), room);
            let line = |l: &Vec<Word>| l.iter().map(|(w, _)| w.as_str()).collect::<String>();
            assert!(
                lines
                    .iter()
                    .all(|l| text::width(line(l).trim_end()) <= room),
                "{room}"
            );
            assert_eq!(lines.iter().map(line).collect::<String>(), whole);
        }
    }
}
