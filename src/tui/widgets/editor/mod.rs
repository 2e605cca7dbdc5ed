//! A text editor: cursor, selection, moves by word and line, search, paste, and underlined
//! findings.
//!
//! It keeps no history: the holder of the text takes each change as a [`Patch`], so that one undo
//! list covers all ways to edit a file. The holder looks up action keys first.

mod draw;
mod patch;

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
pub use patch::Patch;

use crate::action::Action;

/// Maximum length of a text in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Inserted by the tab key. TOML and templates use no tabs.
const TAB: &str = "  ";

#[derive(Clone, Debug, Default)]
pub struct Editor {
    text: String,
    /// Byte offset of the cursor, on a character boundary.
    cursor: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    /// Whether moves extend the selection.
    marking: bool,
    /// The column to keep when moving up or down, in characters.
    goal: Option<usize>,
    clip: String,
    find: String,
    /// The first line on screen, and the number of rows.
    top: usize,
    rows: usize,
}

/// The unit of a move.
#[derive(Clone, Copy)]
enum By {
    Char(bool),
    Word(bool),
    Line(isize),
    Edge(bool),
    Text(bool),
}

impl Editor {
    /// An editor for this text, with the cursor at its start.
    pub fn new(text: impl Into<String>) -> Editor {
        Editor {
            text: text.into(),
            rows: 1,
            ..Editor::default()
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text. The cursor moves to byte `at`, or keeps its line and column.
    pub fn set_text(&mut self, text: &str, at: Option<usize>) {
        if self.text == text && at.is_none() {
            return;
        }
        let (line, column) = self.position();
        self.text = text.to_string();
        (self.anchor, self.marking, self.goal) = (None, false, None);
        match at {
            Some(at) => self.cursor = floor(&self.text, at),
            None => self.go_to(line, column),
        }
    }

    /// Line and column of the cursor in characters, both from 1.
    pub fn position(&self) -> (u32, u32) {
        let before = &self.text[..self.cursor];
        let line = before.matches('\n').count() as u32 + 1;
        (
            line,
            before
                .rsplit('\n')
                .next()
                .unwrap_or_default()
                .chars()
                .count() as u32
                + 1,
        )
    }

    /// Moves the cursor to a line and column (in characters, from 1; 0 means 1), or the nearest
    /// existing position.
    pub fn go_to(&mut self, line: u32, column: u32) {
        let start = self.line_start(line.max(1) as usize - 1);
        let line = &self.text[start..];
        let line = line.split('\n').next().unwrap_or_default();
        let within = line
            .char_indices()
            .nth(column.max(1) as usize - 1)
            .map_or(line.len(), |(i, _)| i);
        self.cursor = start + within;
        (self.goal, self.anchor, self.marking) = (None, None, false);
    }

    /// The line under the cursor, without its line end.
    pub fn line(&self) -> &str {
        &self.text[self.line_range()]
    }

    /// The selected range.
    pub fn selected(&self) -> Option<Range<usize>> {
        let anchor = self.anchor.filter(|a| *a != self.cursor)?;
        Some(anchor.min(self.cursor)..anchor.max(self.cursor))
    }

    fn line_start(&self, line: usize) -> usize {
        if line == 0 {
            return 0;
        }
        let at = self
            .text
            .match_indices('\n')
            .nth(line - 1)
            .map(|(i, _)| i + 1);
        // Past the last line: the start of the last one.
        at.unwrap_or_else(|| self.text.rfind('\n').map_or(0, |i| i + 1))
    }

    fn line_range(&self) -> Range<usize> {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[self.cursor..]
            .find('\n')
            .map_or(self.text.len(), |i| self.cursor + i);
        start..end
    }

    fn go(&mut self, by: By, select: bool) {
        if select || self.marking {
            self.anchor.get_or_insert(self.cursor);
        } else {
            self.anchor = None;
        }
        let goal = self.goal.take();
        let range = self.line_range();
        self.cursor = match by {
            By::Char(true) => self.text[self.cursor..]
                .chars()
                .next()
                .map_or(self.cursor, |c| self.cursor + c.len_utf8()),
            By::Char(false) => self.text[..self.cursor]
                .chars()
                .next_back()
                .map_or(self.cursor, |c| self.cursor - c.len_utf8()),
            By::Word(forward) => self.word(forward),
            By::Edge(end) if end => range.end,
            By::Edge(_) => {
                // The first press goes to the text of the line, the second to its very start.
                let line = &self.text[range.clone()];
                let text = range.start + line.len() - line.trim_start().len();
                if self.cursor == text {
                    range.start
                } else {
                    text
                }
            }
            By::Text(end) => {
                if end {
                    self.text.len()
                } else {
                    0
                }
            }
            By::Line(lines) => {
                let (line, column) = self.position();
                let goal = goal.unwrap_or(column as usize);
                let last = self.text.matches('\n').count();
                let to = (line as usize - 1).saturating_add_signed(lines).min(last);
                let start = self.line_start(to);
                let text = self.text[start..].split('\n').next().unwrap_or_default();
                self.goal = Some(goal);
                start
                    + text
                        .char_indices()
                        .nth(goal - 1)
                        .map_or(text.len(), |(i, _)| i)
            }
        };
    }

    fn word(&self, forward: bool) -> usize {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        if forward {
            let rest = &self.text[self.cursor..];
            let skip = rest.find(letter).unwrap_or(rest.len());
            let end = rest[skip..]
                .find(|c| !letter(c))
                .unwrap_or(rest.len() - skip);
            return self.cursor + skip + end;
        }
        let before = self.text[..self.cursor].trim_end_matches(|c| !letter(c));
        before.trim_end_matches(letter).len()
    }

    /// Replaces the selection with `text`, or inserts it at the cursor. Returns whether it fit.
    pub fn insert(&mut self, text: &str) -> bool {
        if self.text.len() + text.len() > MAX_BYTES {
            return false;
        }
        let range = self.selected().unwrap_or(self.cursor..self.cursor);
        self.replace(range, text);
        true
    }

    fn replace(&mut self, range: Range<usize>, with: &str) {
        self.text.replace_range(range.clone(), with);
        self.cursor = range.start + with.len();
        (self.anchor, self.marking, self.goal) = (None, false, None);
    }

    /// Pastes text. Line ends become `\n`, tabs become spaces, and other control characters are
    /// dropped. Returns whether the text changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let text = pasted
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .replace('\t', TAB);
        let text: String = text
            .chars()
            .filter(|c| *c == '\n' || !c.is_control())
            .collect();
        !text.is_empty() && self.insert(&text)
    }

    /// Handles a key that is bound to no action. Returns whether the text changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        if key.kind == KeyEventKind::Release {
            return false;
        }
        let has = |m| key.modifiers.contains(m);
        let (control, alt, shift) = (
            has(KeyModifiers::CONTROL),
            has(KeyModifiers::ALT),
            has(KeyModifiers::SHIFT),
        );
        let wide = control || alt;
        let page = self.rows.saturating_sub(1).max(1) as isize;
        let by = match key.code {
            KeyCode::Left if wide => By::Word(false),
            KeyCode::Right if wide => By::Word(true),
            KeyCode::Left => By::Char(false),
            KeyCode::Right => By::Char(true),
            KeyCode::Up => By::Line(-1),
            KeyCode::Down => By::Line(1),
            KeyCode::PageUp => By::Line(-page),
            KeyCode::PageDown => By::Line(page),
            KeyCode::Home if control => By::Text(false),
            KeyCode::End if control => By::Text(true),
            KeyCode::Home => By::Edge(false),
            KeyCode::End => By::Edge(true),
            KeyCode::Char('a') if control => By::Edge(false),
            KeyCode::Char('e') if control => By::Edge(true),
            KeyCode::Backspace => {
                return self.delete(if wide {
                    By::Word(false)
                } else {
                    By::Char(false)
                });
            }
            KeyCode::Char('w') if control => return self.delete(By::Word(false)),
            KeyCode::Delete => {
                return self.delete(if wide { By::Word(true) } else { By::Char(true) });
            }
            KeyCode::Char('k') if control => return self.delete(By::Edge(true)),
            KeyCode::Enter => {
                let line = self.line();
                let indent: String = line.chars().take_while(|c| *c == ' ').collect();
                return self.insert(&format!("\n{indent}"));
            }
            KeyCode::Tab => return self.insert(TAB),
            KeyCode::Char(c) if !wide && !c.is_control() => {
                return self.insert(c.encode_utf8(&mut [0; 4]));
            }
            _ => return false,
        };
        self.go(by, shift);
        false
    }

    /// Deletes the selection, or the text that a move would pass over.
    fn delete(&mut self, by: By) -> bool {
        let range = self.selected().unwrap_or_else(|| {
            let from = self.cursor;
            self.anchor = None;
            self.marking = false;
            self.go(by, false);
            from.min(self.cursor)..from.max(self.cursor)
        });
        if range.is_empty() {
            return false;
        }
        self.replace(range, "");
        true
    }

    /// Runs an editor action. Returns whether the text changed, or `None` for other actions.
    pub fn act(&mut self, action: Action) -> Option<bool> {
        let page = self.rows.saturating_sub(1).max(1) as isize;
        match action {
            Action::Down => self.go(By::Line(1), false),
            Action::Up => self.go(By::Line(-1), false),
            Action::Left => self.go(By::Char(false), false),
            Action::Right => self.go(By::Char(true), false),
            Action::PageDown => self.go(By::Line(page), false),
            Action::PageUp => self.go(By::Line(-page), false),
            Action::Top => self.go(By::Text(false), false),
            Action::Bottom => self.go(By::Text(true), false),
            Action::MarkText => {
                self.marking = !self.marking;
                self.anchor = self.marking.then_some(self.cursor);
            }
            Action::CopyText | Action::CutText => {
                let lines = self.line_range();
                // Without a selection, take the whole line with its line end.
                let whole = lines.start..(lines.end + 1).min(self.text.len());
                let range = self.selected().unwrap_or(whole);
                self.clip = self.text[range.clone()].to_string();
                (self.anchor, self.marking) = (None, false);
                if action == Action::CutText && !range.is_empty() {
                    self.replace(range, "");
                    return Some(true);
                }
            }
            Action::PasteText => {
                let clip = self.clip.clone();
                return Some(!clip.is_empty() && self.insert(&clip));
            }
            _ => return None,
        }
        Some(false)
    }

    /// The current search text.
    pub fn looked_for(&self) -> &str {
        &self.find
    }

    /// Goes to the next match after the cursor, ignoring case and wrapping around. Returns whether
    /// there is one.
    pub fn find(&mut self, words: &str) -> bool {
        self.find = words.to_string();
        self.find_again()
    }

    /// Repeats the last search.
    pub fn find_again(&mut self) -> bool {
        if self.find.is_empty() {
            return false;
        }
        let pattern = regex::RegexBuilder::new(&regex::escape(&self.find))
            .case_insensitive(true)
            .build();
        let Ok(pattern) = pattern else { return false };
        let from = self.text[self.cursor..]
            .chars()
            .next()
            .map_or(self.cursor, |c| self.cursor + c.len_utf8());
        let found = pattern
            .find_at(&self.text, from)
            .or_else(|| pattern.find(&self.text))
            .map(|m| m.range());
        if let Some(range) = found {
            (self.cursor, self.anchor, self.goal, self.marking) = (range.start, None, None, false);
            return true;
        }
        false
    }
}

/// The character boundary at or before byte `at`.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
