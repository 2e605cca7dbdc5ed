//! One line of input at the bottom: a search, a regular expression, a number.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::Input;

use super::{text, text_input};
use crate::theme::{Look, Role};

/// Columns that a label leaves for the text, if possible.
const TYPED: usize = 24;

/// The effect of a key on a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptOutcome {
    /// The text did not change.
    Open,
    /// The text changed, for searching as you type.
    Changed(String),
    /// The user submitted the text.
    Done(String),
    /// The user canceled.
    Cancelled,
}

/// A prompt with its history.
#[derive(Clone, Debug)]
pub struct Prompt {
    label: String,
    input: Input,
    history: Vec<String>,
    at: Option<usize>,
    draft: String,
    problem: Option<String>,
    /// Shown while nothing is typed.
    hint: &'static str,
}

impl Prompt {
    /// A prompt that starts with `text`. `history` holds earlier entries, oldest first.
    pub fn new(label: impl Into<String>, text: impl Into<String>, history: Vec<String>) -> Prompt {
        let (label, input) = (label.into(), Input::new(text.into()));
        Prompt {
            label,
            input,
            history,
            at: None,
            draft: String::new(),
            problem: None,
            hint: "",
        }
    }

    /// Shows what can be typed, while nothing is.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Prompt {
        self.hint = hint;
        self
    }

    pub fn label(&self) -> &str {
        self.label.trim_end_matches([' ', ':'])
    }

    pub fn value(&self) -> &str {
        self.input.value()
    }

    /// Shows what is wrong with the text until the next key.
    pub fn refuse(&mut self, problem: impl Into<String>) {
        self.problem = Some(problem.into());
    }

    /// Handles a key. Up and down (or ctrl-p and ctrl-n) walk through the history, and the
    /// unfinished text is kept.
    pub fn key(&mut self, key: KeyEvent) -> PromptOutcome {
        if key.kind == KeyEventKind::Release {
            return PromptOutcome::Open;
        }
        self.problem = None;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => PromptOutcome::Cancelled,
            KeyCode::Enter => PromptOutcome::Done(self.input.value().to_string()),
            KeyCode::Up => self.recall(true),
            KeyCode::Down => self.recall(false),
            KeyCode::Char('p') if control => self.recall(true),
            KeyCode::Char('n') if control => self.recall(false),
            _ if text_input::edit(&mut self.input, key) => {
                self.at = None;
                PromptOutcome::Changed(self.input.value().to_string())
            }
            _ => PromptOutcome::Open,
        }
    }

    /// Inserts pasted text. Line breaks become spaces.
    pub fn paste(&mut self, pasted: &str) -> PromptOutcome {
        text_input::paste(&mut self.input, pasted);
        PromptOutcome::Changed(self.input.value().to_string())
    }

    fn recall(&mut self, older: bool) -> PromptOutcome {
        let next = match (self.at, older) {
            (None, true) => self.history.len().checked_sub(1),
            (Some(i), true) => Some(i.saturating_sub(1)),
            (Some(i), false) if i + 1 < self.history.len() => Some(i + 1),
            (_, false) => None,
        };
        if next == self.at {
            return PromptOutcome::Open;
        }
        if self.at.is_none() {
            self.draft = self.input.value().to_string();
        }
        self.at = next;
        let text = next
            .and_then(|i| self.history.get(i))
            .unwrap_or(&self.draft)
            .clone();
        self.input = Input::new(text.clone());
        PromptOutcome::Changed(text)
    }

    /// Draws the prompt in the first row of `area`. Returns the position of the terminal's cursor.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Position {
        if area.is_empty() {
            return area.as_position();
        }
        let row = Rect { height: 1, ..area };
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, row, buf);
        buf.set_style(row, look.theme.base());
        let width = usize::from(area.width);
        let most = (width / 2).max(width.saturating_sub(TYPED));
        let label = format!("{}: ", text::fit(self.label(), most.saturating_sub(2)));
        let (x, _) = buf.set_stringn(area.x, area.y, label, most, look.style(Role::Accent));
        let mut rest = Rect {
            x,
            width: area.right().saturating_sub(x),
            ..row
        };
        if let Some(problem) = &self.problem {
            let said = text::fit(problem, usize::from(rest.width) * 2 / 3);
            let wide = u16::try_from(text::width(&said)).unwrap_or(0);
            buf.set_stringn(
                rest.right() - wide,
                area.y,
                said,
                usize::from(wide),
                look.style(Role::Bad),
            );
            rest.width = rest.width.saturating_sub(wide + 1);
        }
        let at = text_input::draw(&self.input, rest, buf, look.style(Role::Text));
        if self.value().is_empty() && self.problem.is_none() {
            let room = usize::from(rest.width.saturating_sub(1));
            let hint = text::fit(self.hint, room);
            buf.set_stringn(x + 1, area.y, hint, room, look.style(Role::Hint));
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;
    use benchtop_model::ColorLevel;

    fn press(prompt: &mut Prompt, code: KeyCode) -> PromptOutcome {
        prompt.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn typing_changes_enter_ends_esc_cancels() {
        let mut p = Prompt::new("find", "", vec![]);
        assert_eq!(
            press(&mut p, KeyCode::Char('a')),
            PromptOutcome::Changed("a".into())
        );
        assert_eq!(press(&mut p, KeyCode::Left), PromptOutcome::Open);
        assert_eq!(p.paste("x y\n"), PromptOutcome::Changed("x ya".into()));
        assert_eq!(
            press(&mut p, KeyCode::Enter),
            PromptOutcome::Done("x ya".into())
        );
        assert_eq!(press(&mut p, KeyCode::Esc), PromptOutcome::Cancelled);
    }

    #[test]
    fn history_keeps_the_unfinished_text() {
        let mut p = Prompt::new("find", "beg", vec!["old".into(), "new".into()]);
        assert_eq!(
            press(&mut p, KeyCode::Up),
            PromptOutcome::Changed("new".into())
        );
        assert_eq!(
            press(&mut p, KeyCode::Up),
            PromptOutcome::Changed("old".into())
        );
        assert_eq!(press(&mut p, KeyCode::Up), PromptOutcome::Open);
        press(&mut p, KeyCode::Down);
        assert_eq!(
            press(&mut p, KeyCode::Down),
            PromptOutcome::Changed("beg".into())
        );
        assert_eq!(press(&mut p, KeyCode::Down), PromptOutcome::Open);
    }

    #[test]
    fn a_label_ends_in_a_colon_at_any_length() {
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let line = |label: &str, width: u16| {
            let area = Rect::new(0, 0, width, 1);
            let mut buf = Buffer::empty(area);
            Prompt::new(label, "ann", vec![]).draw(area, &mut buf, &look);
            buf.content
                .iter()
                .map(|c| c.symbol())
                .collect::<String>()
                .trim_end()
                .to_string()
        };
        for label in ["note on #1", "note on #1 ", "note on #1:"] {
            assert_eq!(line(label, 40), "note on #1: ann");
        }
        assert_eq!(
            line("people of `round-1`, with commas between", 80),
            "people of `round-1`, with commas between: ann"
        );
        let cut = line(
            "look at the items such as `subtask:text status:pending` (empty: all)",
            80,
        );
        assert!(cut.ends_with("…: ann"), "{cut}");
    }

    #[test]
    fn a_hint_is_shown_while_nothing_is_typed() {
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let line = |p: &Prompt, width: u16| {
            let area = Rect::new(0, 0, width, 1);
            let mut buf = Buffer::empty(area);
            let cursor = p.draw(area, &mut buf, &look);
            assert_eq!(cursor.x, 6 + p.value().len() as u16);
            let all = buf.content.iter().map(|c| c.symbol());
            all.collect::<String>().trim_end().to_string()
        };
        let mut p = Prompt::new("find", "", vec![]).hint("words, or subtask:text");
        assert_eq!(line(&p, 40), "find:  words, or subtask:text");
        assert!(line(&p, 12).len() <= 14);
        press(&mut p, KeyCode::Char('a'));
        assert_eq!(line(&p, 40), "find: a");
    }

    #[test]
    fn an_error_is_shown_until_the_next_key() {
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let area = Rect::new(0, 0, 40, 1);
        let mut buf = Buffer::empty(area);
        let mut p = Prompt::new("regex", "(", vec![]);
        p.refuse("unclosed group");
        let line = |buf: &Buffer| buf.content.iter().map(|c| c.symbol()).collect::<String>();
        assert_eq!(p.draw(area, &mut buf, &look), Position::new(8, 0));
        assert_eq!(line(&buf), format!("regex: ({:>32}", "unclosed group"));
        press(&mut p, KeyCode::Backspace);
        p.draw(area, &mut buf, &look);
        assert_eq!(line(&buf).trim(), "regex:");
    }
}
