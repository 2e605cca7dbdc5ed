//! A scrollable page of text: help, an explanation, or one answer in full.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::lines::Lines;
use super::text;
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

    /// The text with one line per paragraph, for scripts and tests.
    pub fn text(&self) -> String {
        let line = |p: &Paragraph| match &p.label {
            Some((label, _)) => format!("{label}  {}\n", p.text),
            None => format!("{}\n", p.text),
        };
        format!("{}\n", self.title) + &self.paragraphs.iter().map(line).collect::<String>()
    }

    fn lay_out(&mut self, width: u16) {
        self.lines.clear();
        for p in &self.paragraphs {
            let indent = p.label.as_ref().map_or(0, |(_, w)| (*w).min(width / 2));
            let room = usize::from(width.saturating_sub(indent));
            for (i, line) in text::wrap(&p.text, room).into_iter().enumerate() {
                let label = p.label.as_ref().filter(|_| i == 0).map(|(l, _)| l.clone());
                self.lines.push((label, line, p.role, indent));
            }
        }
        self.width = width;
    }

    /// Draws the page over all of `area`: title, text, and a last line with the position.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, area, buf);
        buf.set_style(area, look.theme.base());
        if area.width < 4 || area.height < 3 {
            return;
        }
        let inner = Rect {
            x: area.x + 1,
            width: area.width - 2,
            ..area
        };
        if self.width != inner.width || self.lines.is_empty() {
            self.lay_out(inner.width);
        }
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
        let at = format!(
            "lines {}-{last} of {}{more}  esc: close",
            self.top + 1,
            self.lines.len()
        );
        buf.set_stringn(inner.x, inner.bottom() - 1, at, room, look.style(Role::Dim));
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
    fn an_entry_hangs_beside_its_label() {
        let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true);
        let mut page = Page::new("t").entry("key", 6, "one two three four", Role::Text);
        let area = Rect::new(0, 0, 18, 6);
        let mut buf = Buffer::empty(area);
        page.draw(area, &mut buf, &look);
        assert_eq!(lines(&buf)[1..4], ["key   one two", "three four", ""]);
    }
}
