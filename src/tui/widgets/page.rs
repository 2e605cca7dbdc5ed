//! A scrollable page of text: help, an explanation, or one answer in full. Typing after `/` shows only
//! the paragraphs with these words.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::Input;

use super::lines::Lines;
use super::{text, text_input};
use crate::action::Action;
use crate::theme::{Look, Role};

/// A paragraph of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// Line breaks are kept.
    pub text: String,
    pub role: Role,
    /// A label in its own column at the left (a key, a field's name), with the column's width.
    pub label: Option<(String, u16)>,
}

/// A page. Its lines are wrapped to the width it is drawn in.
#[derive(Clone, Debug)]
pub struct Page {
    pub title: String,
    paragraphs: Vec<Paragraph>,
    top: usize,
    lines: Vec<(Option<String>, String, Role, u16)>,
    width: u16,
    room: usize,
    /// Whether the last line offers the search.
    pub searchable: bool,
    search: Option<Input>,
    /// Whether keys go to the search.
    typing: bool,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Page {
        Page {
            title: title.into(),
            paragraphs: vec![],
            top: 0,
            lines: vec![],
            width: 0,
            room: 1,
            searchable: false,
            search: None,
            typing: false,
        }
    }

    pub fn paragraph(mut self, text: impl Into<String>) -> Page {
        self.paragraphs.push(Paragraph {
            text: text.into(),
            role: Role::Text,
            label: None,
        });
        self
    }

    /// Adds each line of a text as a paragraph, such as of an error with paths and addresses.
    pub fn lines_of(self, said: &str) -> Page {
        said.lines()
            .fold(self, |page, line| page.paragraph(text::clean(line.trim())))
    }

    /// Adds a heading, after an empty line unless it comes first.
    pub fn heading(mut self, text: impl Into<String>) -> Page {
        if !self.paragraphs.is_empty() {
            self = self.paragraph("");
        }
        self.paragraphs.push(Paragraph {
            text: text.into(),
            role: Role::Heading,
            label: None,
        });
        self
    }

    /// Adds `label` in a column of `width`, with `text` next to it.
    pub fn entry(
        mut self,
        label: impl Into<String>,
        width: u16,
        text: impl Into<String>,
        role: Role,
    ) -> Page {
        self.paragraphs.push(Paragraph {
            text: text.into(),
            role,
            label: Some((label.into(), width)),
        });
        self
    }

    /// Runs a scrolling action: single steps or whole screens. Returns whether it was one.
    pub fn act(&mut self, action: Action) -> bool {
        let last = self.lines.len().saturating_sub(self.room);
        let step = self.room.saturating_sub(1).max(1);
        self.top = match action {
            Action::MenuDown | Action::Down | Action::Next => self.top + 1,
            Action::MenuUp | Action::Up | Action::Previous => self.top.saturating_sub(1),
            Action::PageDown | Action::ScrollDown => self.top + step,
            Action::PageUp | Action::ScrollUp => self.top.saturating_sub(step),
            Action::Top | Action::FirstItem => 0,
            Action::Bottom | Action::LastItem => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Whether keys are text of the search.
    pub fn typing(&self) -> bool {
        self.typing
    }

    /// Begins to search.
    pub fn find(&mut self) {
        self.search.get_or_insert_with(Input::default);
        self.typing = true;
    }

    /// Ends the search. Returns whether there was one.
    pub fn stop_search(&mut self) -> bool {
        (self.typing, self.top) = (false, 0);
        self.lines.clear();
        self.search.take().is_some()
    }

    /// Handles a key of the search.
    pub fn key(&mut self, key: KeyEvent) {
        match (key.code, &mut self.search) {
            (KeyCode::Esc, _) | (_, None) => {
                self.stop_search();
            }
            (KeyCode::Enter, _) => self.typing = false,
            (KeyCode::Down, _) => drop(self.act(Action::MenuDown)),
            (KeyCode::Up, _) => drop(self.act(Action::MenuUp)),
            (KeyCode::PageDown, _) => drop(self.act(Action::PageDown)),
            (KeyCode::PageUp, _) => drop(self.act(Action::PageUp)),
            (_, Some(search)) => {
                if text_input::edit(search, key) {
                    self.top = 0;
                    self.lines.clear();
                }
            }
        }
    }

    /// Inserts pasted text into the search.
    pub fn paste(&mut self, pasted: &str) {
        if let Some(search) = self.search.as_mut().filter(|_| self.typing) {
            text_input::paste(search, pasted);
            self.top = 0;
            self.lines.clear();
        }
    }

    /// The paragraphs with all words of the search, under their headings.
    fn found(&self) -> Vec<&Paragraph> {
        let words = self.search.as_ref().map_or("", Input::value).to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        if words.is_empty() {
            return self.paragraphs.iter().collect();
        }
        let (mut found, mut heading) = (Vec::new(), None);
        for paragraph in &self.paragraphs {
            if paragraph.role == Role::Heading && paragraph.label.is_none() {
                heading = Some(paragraph);
                continue;
            }
            let label = paragraph.label.as_ref().map_or("", |(label, _)| label);
            let line = format!("{label} {}", paragraph.text).to_lowercase();
            if words.iter().all(|word| line.contains(word)) {
                found.extend(heading.take());
                found.push(paragraph);
            }
        }
        found
    }

    /// The text with one line per paragraph, for scripts and tests.
    pub fn text(&self) -> String {
        let line = |p: &Paragraph| match &p.label {
            Some((label, _)) => format!("{label}  {}\n", p.text),
            None => format!("{}\n", p.text),
        };
        format!("{}\n", self.title) + &self.paragraphs.iter().map(line).collect::<String>()
    }

    fn lay_out(&mut self, width: u16) {
        let mut lines = Vec::new();
        for p in self.found() {
            let indent = p.label.as_ref().map_or(0, |(_, w)| (*w).min(width / 2));
            let room = usize::from(width.saturating_sub(indent).min(text::READABLE));
            for (i, line) in text::wrap(&p.text, room).into_iter().enumerate() {
                let label = p.label.as_ref().filter(|_| i == 0).map(|(l, _)| l.clone());
                lines.push((label, line, p.role, indent));
            }
        }
        self.lines = lines;
        self.width = width;
    }

    /// Draws the page over all of `area`: title, text, and a last line with the position or the search.
    /// Returns the position of the terminal's cursor.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, area, buf);
        buf.set_style(area, look.theme.base());
        if area.width < 4 || area.height < 3 {
            return None;
        }
        let inner = Rect {
            x: area.x + 1,
            width: area.width - 2,
            ..area
        };
        if self.width != inner.width || self.lines.is_empty() {
            self.lay_out(inner.width);
        }
        let lines = [Action::MenuUp, Action::MenuDown];
        look.hits.wheel(area, lines, 3);
        let room = usize::from(inner.width);
        Lines::new(inner, buf, look).text(&self.title, Role::Accent);
        self.room = usize::from(inner.height) - 2;
        self.top = self.top.min(self.lines.len().saturating_sub(self.room));
        for (i, (label, line, role, indent)) in
            self.lines.iter().skip(self.top).take(self.room).enumerate()
        {
            let y = inner.y + 1 + u16::try_from(i).unwrap_or(0);
            if let Some(label) = label {
                let wide = usize::from(indent.saturating_sub(1));
                buf.set_stringn(
                    inner.x,
                    y,
                    text::fit(label, wide),
                    wide,
                    look.style(Role::Key),
                );
            }
            buf.set_stringn(
                inner.x + indent,
                y,
                line,
                usize::from(inner.width - indent),
                look.style(*role),
            );
        }
        let last = (self.top + self.room).min(self.lines.len());
        let more = if last < self.lines.len() {
            "  pgdn: more"
        } else {
            ""
        };
        let close = match &self.search {
            Some(_) => "esc: all lines",
            None if self.searchable => "/: search  esc: close",
            None => "esc: close",
        };
        let at = match self.lines.len() {
            0 => format!("no line has these words  {close}"),
            all => format!("lines {}-{last} of {all}{more}  {close}", self.top + 1),
        };
        let row = Rect {
            y: inner.bottom() - 1,
            height: 1,
            ..inner
        };
        let Some(search) = &self.search else {
            buf.set_stringn(row.x, row.y, at, room, look.style(Role::Dim));
            return None;
        };
        let field = (row.width / 2).clamp(20.min(row.width), 40);
        buf.set_stringn(row.x, row.y, "/", 1, look.style(Role::Key));
        let input = Rect {
            x: row.x + 1,
            width: field - 1,
            ..row
        };
        let cursor = text_input::draw(search, input, buf, look.style(Role::Text));
        let rest = usize::from(row.width.saturating_sub(field + 2));
        let at = text::fit(&at, rest);
        buf.set_stringn(row.x + field + 2, row.y, at, rest, look.style(Role::Dim));
        self.typing.then_some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;
    use benchtop_model::ColorLevel;

    fn lines(buf: &Buffer) -> Vec<String> {
        let wide = usize::from(buf.area.width);
        buf.content
            .chunks(wide)
            .map(|l| {
                l.iter()
                    .map(|c| c.symbol())
                    .collect::<String>()
                    .trim()
                    .into()
            })
            .collect()
    }

    #[test]
    fn scrolls_to_its_end_and_no_further() {
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let mut page = (1..=20).fold(Page::new("numbers"), |p, n| {
            p.paragraph(format!("line {n}"))
        });
        let area = Rect::new(0, 0, 44, 10);
        let mut buf = Buffer::empty(area);
        page.draw(area, &mut buf, &look);
        assert_eq!(
            (lines(&buf)[1].as_str(), lines(&buf)[9].as_str()),
            ("line 1", "lines 1-8 of 20  pgdn: more  esc: close")
        );
        assert!(
            page.act(Action::PageDown) && page.act(Action::PageDown) && page.act(Action::MenuDown)
        );
        page.draw(area, &mut buf, &look);
        assert_eq!(
            (lines(&buf)[8].as_str(), lines(&buf)[9].as_str()),
            ("line 20", "lines 13-20 of 20  esc: close")
        );
        assert!(page.act(Action::Top) && !page.act(Action::Accept));
        page.draw(Rect::new(0, 0, 2, 2), &mut buf, &look);
    }

    #[test]
    fn a_search_shows_matching_lines_under_their_headings_as_it_is_typed() {
        let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true);
        let entry = |page: Page, key: &str, help: &str| page.entry(key, 6, help, Role::Text);
        let mut page = Page::new("Keys").heading("Review");
        page = entry(page, "a", "Accept the item");
        page = entry(page, "u", "Undo the last verdict").heading("Everywhere");
        page = entry(page, "ctrl", "Quit at once");
        let area = Rect::new(0, 0, 60, 12);
        let shown = |page: &mut Page| {
            let mut buf = Buffer::empty(area);
            let cursor = page.draw(area, &mut buf, &look);
            let rows = lines(&buf);
            let body = rows[1..11].iter().filter(|row| !row.is_empty());
            (body.cloned().collect::<Vec<_>>(), rows[11].clone(), cursor)
        };
        assert_eq!(shown(&mut page).0.len(), 5);
        page.find();
        for c in "LAST und".chars() {
            page.key(KeyEvent::from(KeyCode::Char(c)));
        }
        let (body, bottom, cursor) = shown(&mut page);
        assert_eq!(body, ["Review", "u     Undo the last verdict"]);
        assert!(bottom.starts_with("/LAST und"), "{bottom}");
        assert_eq!(cursor.map(|at| (at.x, at.y)), Some((10, 11)));
        page.key(KeyEvent::from(KeyCode::Char('z')));
        assert!(shown(&mut page).0.is_empty());
        page.key(KeyEvent::from(KeyCode::Enter));
        assert!(!page.typing() && shown(&mut page).2.is_none());
        assert!(page.stop_search() && !page.stop_search());
        page.find();
        page.paste("ctrl");
        assert_eq!(shown(&mut page).0, ["Everywhere", "ctrl  Quit at once"]);
        page.draw(Rect::new(0, 0, 4, 3), &mut Buffer::empty(area), &look);
    }

    #[test]
    fn an_entry_hangs_beside_its_label() {
        let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true);
        let mut page = Page::new("t").entry("key", 6, "one two three four", Role::Text);
        let area = Rect::new(0, 0, 18, 6);
        let mut buf = Buffer::empty(area);
        page.draw(area, &mut buf, &look);
        assert_eq!(lines(&buf)[1..4], ["key   one two", "three four", ""]);
    }
}
