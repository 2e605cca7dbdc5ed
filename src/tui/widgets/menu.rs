//! A menu over a pane: pick by number or cursor, mark several lines, add a note, or filter by
//! typing.

use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, BorderType, Clear, Widget};
use tui_input::Input;

use super::tags::Tags;
use super::{text, text_input};
use crate::action::Action;
use crate::theme::{Look, Role};

/// A line of a menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    /// Text next to the label: an explanation or a count. The filter searches it after the labels.
    pub help: String,
    /// The key that does the same without the menu.
    pub key: String,
    /// Choosing this line asks for a note.
    pub wants_note: bool,
}

impl Choice {
    /// A line without help.
    pub fn new(label: impl Into<String>) -> Choice {
        Choice {
            label: label.into(),
            ..Choice::default()
        }
    }

    /// Adds a help text.
    pub fn help(mut self, help: impl Into<String>) -> Choice {
        self.help = help.into();
        self
    }

    /// Adds the key that does the same without the menu.
    pub fn key(mut self, key: impl Into<String>) -> Choice {
        self.key = key.into();
        self
    }

    /// Makes the line ask for a note.
    pub fn wants_note(mut self) -> Choice {
        self.wants_note = true;
        self
    }
}

/// The effect of a key on a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuOutcome {
    /// The menu stays open.
    Open,
    /// These lines (original indices, ascending) and this note were chosen.
    Chosen {
        picks: Vec<usize>,
        /// The note, empty if none was typed.
        note: String,
    },
    /// Closed without a choice.
    Cancelled,
    /// The menu stays open. Says why the key did nothing.
    Refused(String),
}

pub struct Menu {
    title: String,
    choices: Vec<Choice>,
    /// Visible choices, best match first, with the matched characters.
    shown: Vec<(usize, Vec<usize>)>,
    cursor: usize,
    marks: BTreeSet<usize>,
    several: bool,
    filter: Option<Input>,
    note: Option<Input>,
    in_note: bool,
    tags: Tags,
}

impl Menu {
    /// A menu with numbered lines.
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Menu {
        let shown = (0..choices.len()).map(|i| (i, vec![])).collect();
        let marks = BTreeSet::new();
        let (title, cursor, several, in_note) = (title.into(), 0, false, false);
        let tags = Tags::default();
        Menu {
            title,
            choices,
            shown,
            cursor,
            marks,
            several,
            filter: None,
            note: None,
            in_note,
            tags,
        }
    }

    /// Puts the cursor on this line.
    pub fn at(mut self, line: usize) -> Menu {
        self.cursor = line;
        self
    }

    /// Allows several lines to be marked.
    pub fn several(mut self) -> Menu {
        self.several = true;
        self
    }

    /// Adds a line for a note at the end.
    pub fn with_note(mut self) -> Menu {
        self.note = Some(Input::default());
        self
    }

    /// Sets the note, while the cursor stays on the lines.
    pub fn keeping(mut self, note: &str) -> Menu {
        self.note = Some(Input::new(note.into()));
        self
    }

    /// The note typed so far.
    pub fn note(&self) -> &str {
        self.note.as_ref().map_or("", Input::value)
    }

    /// Lets tab complete `#tags` of the note from these, most recent first.
    pub fn with_tags(mut self, known: Vec<String>) -> Menu {
        self.tags = Tags::new(known);
        self
    }

    /// Makes typing filter the lines, instead of picking by number.
    pub fn filtering(mut self) -> Menu {
        self.filter = Some(Input::default());
        self
    }

    /// Whether keys are text, so that only the overlay's own actions may be looked up first.
    pub fn typing(&self) -> bool {
        self.in_note || self.filter.is_some()
    }

    /// Handles a key: overlay keys, digits that pick a line, and typed text.
    pub fn key(&mut self, key: KeyEvent) -> MenuOutcome {
        if key.kind == KeyEventKind::Release {
            return MenuOutcome::Open;
        }
        match key.code {
            KeyCode::Esc => return self.act(Action::MenuCancel),
            KeyCode::Enter => return self.act(Action::MenuConfirm),
            KeyCode::Up => return self.act(Action::MenuUp),
            KeyCode::Down => return self.act(Action::MenuDown),
            KeyCode::Tab => return self.act(Action::MenuMark),
            _ => {}
        }
        if self.in_note {
            if let Some(note) = &mut self.note {
                text_input::edit(note, key);
            }
            return MenuOutcome::Open;
        }
        if let Some(filter) = &mut self.filter {
            if text_input::edit(filter, key) {
                self.narrow();
            }
            return MenuOutcome::Open;
        }
        let KeyCode::Char(c) = key.code else {
            return MenuOutcome::Open;
        };
        match c.to_digit(10).and_then(|d| usize::try_from(d).ok()) {
            Some(d) if (1..=self.shown.len().min(9)).contains(&d) => {
                self.cursor = d - 1;
                self.take(true)
            }
            _ => MenuOutcome::Refused(
                "choose a line by its number, or with the arrows and enter".into(),
            ),
        }
    }

    /// Inserts pasted text into the line being typed.
    pub fn paste(&mut self, pasted: &str) {
        match (&mut self.filter, &mut self.note) {
            (_, Some(note)) if self.in_note => text_input::paste(note, pasted),
            (Some(filter), _) => {
                text_input::paste(filter, pasted);
                self.narrow();
            }
            _ => {}
        }
    }

    /// Runs an overlay action.
    pub fn act(&mut self, action: Action) -> MenuOutcome {
        match action {
            Action::MenuDown if self.in_note => self.in_note = false,
            Action::MenuDown if self.cursor + 1 < self.shown.len() => self.cursor += 1,
            Action::MenuDown if self.note.is_some() => self.in_note = true,
            Action::MenuDown => self.cursor = 0,
            Action::MenuUp if self.in_note => self.in_note = false,
            Action::MenuUp if self.cursor > 0 => self.cursor -= 1,
            Action::MenuUp if self.note.is_some() => self.in_note = true,
            Action::MenuUp => self.cursor = self.shown.len().saturating_sub(1),
            Action::MenuMark if self.in_note => {
                let Some(note) = &mut self.note else {
                    return MenuOutcome::Open;
                };
                return self
                    .tags
                    .complete(note)
                    .map_or_else(MenuOutcome::Refused, |()| MenuOutcome::Open);
            }
            Action::MenuMark if !self.several => {
                return MenuOutcome::Refused("only one line can be chosen here".into());
            }
            Action::MenuMark => {
                if let Some((index, _)) = self.shown.get(self.cursor) {
                    if !self.marks.remove(index) {
                        self.marks.insert(*index);
                    }
                    self.cursor = (self.cursor + 1).min(self.shown.len().saturating_sub(1));
                }
            }
            Action::MenuConfirm => return self.take(false),
            Action::MenuCancel => return MenuOutcome::Cancelled,
            _ => {}
        }
        MenuOutcome::Open
    }

    /// Chooses the marked lines. Includes the line under the cursor if `here` (its number was
    /// pressed), or if nothing is marked and the cursor is on a line. From the note, only marked
    /// lines are chosen: typing a note chooses no line.
    fn take(&mut self, here: bool) -> MenuOutcome {
        let on_lines = here || !self.in_note;
        // A line that asked for the note stays chosen until another one is.
        let mut picks = if self.several || !on_lines {
            self.marks.clone()
        } else {
            BTreeSet::new()
        };
        if here || (on_lines && picks.is_empty()) {
            let Some((index, _)) = self.shown.get(self.cursor) else {
                return MenuOutcome::Refused("no matching line".into());
            };
            picks.insert(*index);
        }
        if picks.is_empty() && (!self.several || self.note().trim().is_empty()) {
            self.in_note = false;
            return MenuOutcome::Refused(
                "choose a line by its number, or with the arrows and enter".into(),
            );
        }
        let note = self
            .note
            .as_ref()
            .map(|n| n.value().trim().to_string())
            .unwrap_or_default();
        let wants = picks
            .iter()
            .any(|i| self.choices.get(*i).is_some_and(|c| c.wants_note));
        if wants && note.is_empty() && self.note.is_some() {
            let again = self.in_note;
            self.marks = picks;
            self.in_note = true;
            return if again {
                MenuOutcome::Refused("this choice needs a note".into())
            } else {
                MenuOutcome::Open
            };
        }
        MenuOutcome::Chosen {
            picks: picks.into_iter().collect(),
            note,
        }
    }

    fn narrow(&mut self) {
        let pattern = self
            .filter
            .as_ref()
            .map(|f| f.value().trim().to_string())
            .unwrap_or_default();
        self.cursor = 0;
        if pattern.is_empty() {
            self.shown = (0..self.choices.len()).map(|i| (i, vec![])).collect();
            return;
        }
        let matcher = SkimMatcherV2::default();
        let lower = pattern.to_lowercase();
        // A matching label comes before any matching help text.
        let hit = |(i, c): (usize, &Choice)| match matcher.fuzzy_indices(&c.label, &pattern) {
            Some((score, at)) => Some((Some(score), i, at)),
            None => c
                .help
                .to_lowercase()
                .contains(&lower)
                .then(|| (None, i, vec![])),
        };
        let mut hits: Vec<_> = self.choices.iter().enumerate().filter_map(hit).collect();
        hits.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        self.shown = hits.into_iter().map(|(_, i, at)| (i, at)).collect();
    }

    /// Draws the menu in the middle of `area`. Returns the position of the terminal's cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        if area.width < 16 || area.height < 5 {
            return None;
        }
        let fixed = 2 + u16::from(self.filter.is_some()) + u16::from(self.note.is_some()) * 2;
        // Tall enough for all choices, so that filtering does not resize it.
        let lines = u16::try_from(self.choices.len())
            .unwrap_or(u16::MAX)
            .clamp(1, 20);
        let height = (lines + fixed).min(area.height);
        let width = self.wanted_width().clamp(16, area.width);
        let at = |room: u16, wide: u16| (room - wide) / 2;
        let outer = Rect::new(
            area.x + at(area.width, width),
            area.y + at(area.height, height),
            width,
            height,
        );
        Clear.render(outer, buf);
        buf.set_style(outer, look.theme.base());
        if !look.accessible {
            let frame = Block::bordered()
                .border_type(BorderType::Rounded)
                .border_style(look.style(Role::Border));
            frame.render(outer, buf);
        }
        let inner = Rect::new(outer.x + 2, outer.y + 1, outer.width - 4, outer.height - 2);
        let room = usize::from(inner.width);
        let title = text::fit(&format!(" {} ", self.title), room);
        buf.set_stringn(outer.x + 1, outer.y, title, room, look.style(Role::Heading));
        self.hints(outer, buf, look);

        let mut cursor = None;
        let mut y = inner.y;
        if let Some(filter) = &self.filter {
            let (x, _) = buf.set_stringn(inner.x, y, "> ", 2, look.style(Role::Accent));
            let line = Rect::new(x, y, inner.right() - x, 1);
            cursor = Some(text_input::draw(filter, line, buf, look.style(Role::Text)));
            y += 1;
        }
        let lines = inner
            .bottom()
            .saturating_sub(y + u16::from(self.note.is_some()) * 2);
        let page = usize::from(lines.max(1));
        let top = self.cursor / page * page;
        for (i, (index, found)) in self.shown.iter().enumerate().skip(top).take(page) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            self.row(i, *index, found, row, buf, look);
            if i == self.cursor && cursor.is_none() && !self.in_note {
                cursor = Some(row.as_position());
            }
            y += 1;
        }
        if self.shown.is_empty() {
            buf.set_stringn(inner.x, y, "no matching line", room, look.style(Role::Dim));
        }
        if let Some(note) = &self.note {
            let y = inner.bottom() - 1;
            let role = if self.in_note {
                Role::Accent
            } else {
                Role::Dim
            };
            let (x, _) = buf.set_stringn(inner.x, y, "note: ", room, look.style(role));
            let line = Rect::new(x, y, inner.right() - x, 1);
            let at = text_input::draw(note, line, buf, look.style(Role::Text));
            if self.in_note {
                cursor = Some(at);
            } else if note.value().is_empty() {
                let hint = text::fit("(below the last line)", usize::from(line.width));
                buf.set_stringn(x, y, hint, usize::from(line.width), look.style(Role::Dim));
            }
        }
        cursor
    }

    fn row(
        &self,
        i: usize,
        index: usize,
        found: &[usize],
        row: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let Some(choice) = self.choices.get(index) else {
            return;
        };
        // Mark the line that asked for the note while the note is typed.
        let asked = !self.several && self.marks.contains(&index);
        let here = if self.in_note {
            asked
        } else {
            i == self.cursor
        };
        let style = look.style(Role::Text);
        let mark = match (here, look.accessible) {
            (true, true) => ">",
            (true, false) => "▌",
            (false, _) => " ",
        };
        buf.set_stringn(row.x, row.y, mark, 1, look.style(Role::Gutter));
        let mut x = row.x + 1;
        if self.several {
            let mark = if self.marks.contains(&index) {
                "[x] "
            } else {
                "[ ] "
            };
            (x, _) = buf.set_stringn(x, row.y, mark, 4, look.style(Role::Accent));
        }
        if self.filter.is_none() {
            let number = if i < 9 {
                format!("{} ", i + 1)
            } else {
                "  ".into()
            };
            (x, _) = buf.set_stringn(x, row.y, number, 2, look.style(Role::Key));
        }
        let key = u16::try_from(text::width(&choice.key))
            .unwrap_or(0)
            .min((row.right() - x) / 4);
        let end = row.right() - if key > 0 { key + 1 } else { 0 };
        buf.set_stringn(
            row.right() - key,
            row.y,
            &choice.key,
            usize::from(key),
            look.style(Role::Key),
        );
        let room = usize::from(end - x);
        let column = if choice.help.is_empty() {
            room
        } else {
            self.label_column().min(room * 2 / 3)
        };
        let found_style = look.style(Role::Match);
        let used = text::draw_marked(
            buf,
            (x, row.y),
            column,
            &choice.label,
            found,
            style,
            found_style,
        );
        if room > column + 2 {
            let help = text::fit(&choice.help, room - column - 2);
            let at = x + u16::try_from(column + 2).unwrap_or(0);
            buf.set_stringn(at, row.y, help, room - column - 2, look.style(Role::Dim));
        }
        if here {
            buf.set_style(Rect::new(x, row.y, used, 1), look.style(Role::Selection));
        }
    }

    fn hints(&self, outer: Rect, buf: &mut Buffer, look: &Look) {
        let room = usize::from(outer.width.saturating_sub(4));
        let numbers = match self.shown.len().min(9) {
            _ if self.typing() => String::new(),
            0 => String::new(),
            1 => "1 or ".to_string(),
            last => format!("1-{last} or "),
        };
        let rest = format!("{numbers}enter confirms  esc closes ");
        let mark = match (self.in_note, self.several) {
            (true, _) if !self.tags.known().is_empty() => {
                let known = text::fit(
                    &self.tags.known().join(" "),
                    room.saturating_sub(rest.len() + 8),
                );
                format!("tab: {known}  ")
            }
            (false, true) => "tab marks  ".to_string(),
            _ => String::new(),
        };
        let hint = format!(" {mark}{rest}");
        if text::width(&hint) <= room {
            buf.set_stringn(
                outer.x + 2,
                outer.bottom() - 1,
                &hint,
                room,
                look.style(Role::Hint),
            );
        }
    }

    /// Width of the labels that have a help text.
    fn label_column(&self) -> usize {
        let helped = self.choices.iter().filter(|c| !c.help.is_empty());
        helped.map(|c| text::width(&c.label)).max().unwrap_or(0)
    }

    fn wanted_width(&self) -> u16 {
        let lead = 1 + 4 * usize::from(self.several) + 2 * usize::from(self.filter.is_none());
        let labels = self.label_column();
        let line = |c: &Choice| {
            let key = text::width(&c.key);
            let words = if c.help.is_empty() {
                text::width(&c.label)
            } else {
                labels + 2 + text::width(&c.help)
            };
            lead + words + if key > 0 { key + 2 } else { 0 }
        };
        let typed = if self.note.is_some() || self.filter.is_some() {
            44
        } else {
            0
        };
        let widest = self
            .choices
            .iter()
            .map(line)
            .chain([text::width(&self.title) + 2, typed, 34])
            .max()
            .unwrap_or(0);
        u16::try_from(widest + 4).unwrap_or(u16::MAX).min(100)
    }
}

#[cfg(test)]
#[path = "menu_tests.rs"]
mod tests;
