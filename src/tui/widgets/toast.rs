//! The one-line message area. Severity is shown in words as well as color.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::lines::Lines;
use super::text;
use crate::theme::{Look, Role};
use benchtop_model::{Error, ErrorKind, brief};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Information, such as why a key does nothing.
    Info,
    /// Done and saved.
    Done,
    Warning,
    Error,
}

/// A message of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub severity: Severity,
    pub text: String,
}

impl Toast {
    pub fn info(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Info,
            text: text.into(),
        }
    }

    pub fn done(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Done,
            text: text.into(),
        }
    }

    pub fn warning(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Warning,
            text: text.into(),
        }
    }

    pub fn error(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Error,
            text: text.into(),
        }
    }

    /// The word before the text, for use without color and for screen readers.
    fn word(&self) -> (&'static str, Role) {
        match self.severity {
            Severity::Info => ("", Role::Text),
            Severity::Done => ("", Role::Good),
            Severity::Warning => ("warning: ", Role::Warn),
            Severity::Error => ("error: ", Role::Bad),
        }
    }

    /// Draws the message in the first row of `area`, truncated with `…`.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let (word, role) = self.word();
        Lines::new(area, buf, look).text(&format!("{word}{}", self.text), role);
    }
}

impl From<&Error> for Toast {
    fn from(problem: &Error) -> Toast {
        let whole = problem.to_string();
        let is_missing = matches!(problem.kind, ErrorKind::NotFound | ErrorKind::Unreachable);
        let is_wall = problem
            .help
            .as_ref()
            .is_some_and(|help| help.contains('\n'));
        let line = match is_wall || (is_missing && brief::shortens(&whole)) {
            true => text::clean(&brief::of(problem)),
            false => text::clean(&whole).replace("   help: ", "; "),
        };
        let severity = match problem.kind {
            ErrorKind::Usage | ErrorKind::Cancelled => Severity::Info,
            ErrorKind::Conflict => Severity::Warning,
            _ => Severity::Error,
        };
        Toast {
            severity,
            text: line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;
    use benchtop_model::ColorLevel;

    #[test]
    fn an_error_is_one_line_with_its_severity_as_a_word() {
        let problem = Error::new(ErrorKind::DiskFull, "write: no space left")
            .file("a.jsonl")
            .help("free some space");
        let toast = Toast::from(&problem);
        assert_eq!(
            toast,
            Toast::error("a.jsonl: write: no space left; free some space")
        );
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::Mono, false);
        let area = Rect::new(0, 0, 20, 1);
        let mut buf = Buffer::empty(area);
        toast.draw(area, &mut buf, &look);
        let line: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert_eq!(line, "error: a.jsonl: wri…");
        toast.draw(Rect::default(), &mut buf, &look);
    }
}
