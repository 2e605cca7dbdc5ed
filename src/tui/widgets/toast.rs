//! The one-line message area: what just happened, and how bad it is, in words as well as colour.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text;
use crate::theme::{Look, Role};
use benchtop_model::{Error, ErrorKind};

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; why a key does nothing.
    Info,
    /// It is done and kept.
    Done,
    /// Needs attention.
    Warning,
    /// It failed.
    Error,
}

/// A message of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// How much it matters.
    pub severity: Severity,
    /// What to say.
    pub text: String,
}

impl Toast {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Info,
            text: text.into(),
        }
    }

    /// It is done and kept.
    pub fn done(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Done,
            text: text.into(),
        }
    }

    /// Needs attention.
    pub fn warning(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Warning,
            text: text.into(),
        }
    }

    /// It failed.
    pub fn error(text: impl Into<String>) -> Toast {
        Toast {
            severity: Severity::Error,
            text: text.into(),
        }
    }

    /// What stands before the text, for eyes without colour and for screen readers.
    fn word(&self) -> (&'static str, Role) {
        match self.severity {
            Severity::Info => ("", Role::Text),
            Severity::Done => ("", Role::Good),
            Severity::Warning => ("warning: ", Role::Warn),
            Severity::Error => ("error: ", Role::Bad),
        }
    }

    /// Draws it in the first row of `area`, cut with `…` where it does not fit.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        if area.is_empty() {
            return;
        }
        let (word, role) = self.word();
        let room = usize::from(area.width);
        let line = text::fit(&format!("{word}{}", self.text), room);
        buf.set_stringn(area.x, area.y, line, room, look.style(role));
    }
}

impl From<&Error> for Toast {
    fn from(problem: &Error) -> Toast {
        let line = text::clean(&problem.to_string()).replace("   help: ", "; ");
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
    use benchtop_model::ColourLevel;

    #[test]
    fn a_problem_is_one_line_with_its_severity_in_words() {
        let problem = Error::new(ErrorKind::DiskFull, "write: no space left")
            .file("a.jsonl")
            .help("free some space");
        let toast = Toast::from(&problem);
        assert_eq!(
            toast,
            Toast::error("a.jsonl: write: no space left; free some space")
        );
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColourLevel::Mono, false);
        let area = Rect::new(0, 0, 20, 1);
        let mut buf = Buffer::empty(area);
        toast.draw(area, &mut buf, &look);
        let line: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert_eq!(line, "error: a.jsonl: wri…");
        toast.draw(Rect::default(), &mut buf, &look);
    }
}
