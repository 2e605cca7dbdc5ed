//! A one-line text input: `tui-input` with our key handling, drawn with the cursor in view.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use tui_input::{Input, InputRequest};

use super::text;

/// The edit that a key requests, with shell-like keys. `None` for keys that edit nothing.
///
/// Written here because `tui-input`'s own table depends on its event reader, and this program has
/// its own.
fn request(key: KeyEvent) -> Option<InputRequest> {
    use InputRequest as R;
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(match key.code {
        KeyCode::Backspace if control || alt => R::DeletePrevWord,
        KeyCode::Backspace => R::DeletePrevChar,
        KeyCode::Delete => R::DeleteNextChar,
        KeyCode::Left if control => R::GoToPrevWord,
        KeyCode::Left => R::GoToPrevChar,
        KeyCode::Right if control => R::GoToNextWord,
        KeyCode::Right => R::GoToNextChar,
        KeyCode::Home => R::GoToStart,
        KeyCode::End => R::GoToEnd,
        KeyCode::Char(c) if control && !alt => match c {
            'a' => R::GoToStart,
            'e' => R::GoToEnd,
            'b' => R::GoToPrevChar,
            'f' => R::GoToNextChar,
            'h' => R::DeletePrevChar,
            'w' => R::DeletePrevWord,
            'u' => R::DeleteFromStart,
            'k' => R::DeleteTillEnd,
            'y' => R::Yank,
            _ => return None,
        },
        KeyCode::Char(c) if !alt && !c.is_control() => R::InsertChar(c),
        _ => return None,
    })
}

/// Passes a key to the line. Returns whether the text changed.
pub fn edit(input: &mut Input, key: KeyEvent) -> bool {
    request(key)
        .and_then(|r| input.handle(r))
        .is_some_and(|changed| changed.value)
}

/// Inserts pasted text at the cursor. Line breaks become spaces, and other control characters are
/// dropped.
pub fn paste(input: &mut Input, pasted: &str) {
    for c in pasted.trim_end_matches(['\n', '\r']).chars() {
        let c = if matches!(c, '\n' | '\r' | '\t') {
            ' '
        } else {
            c
        };
        if !c.is_control() {
            input.handle(InputRequest::InsertChar(c));
        }
    }
}

/// Draws the line in the first row of `area`, scrolled to the cursor. Returns the cursor's
/// position.
pub fn draw(input: &Input, area: Rect, buf: &mut Buffer, style: Style) -> Position {
    let room = usize::from(area.width.max(1)) - 1;
    let shown = text::clean(input.value());
    let before = shown
        .char_indices()
        .nth(input.cursor())
        .map_or(shown.len(), |(at, _)| at);
    // The column of the cursor's cluster, and as many clusters before it as fit.
    let mut column: usize = text::clusters(&shown[..before])
        .map(|(_, columns)| columns)
        .sum();
    let mut from = 0;
    for (cluster, columns) in text::clusters(&shown) {
        if column <= room || from >= before {
            break;
        }
        from += cluster.len();
        column -= columns.min(column);
    }
    buf.set_stringn(
        area.x,
        area.y,
        &shown[from..],
        usize::from(area.width),
        style,
    );
    Position::new(
        area.x + u16::try_from(column.min(room)).unwrap_or(0),
        area.y,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn keys_edit_as_in_a_shell() {
        let mut input = Input::default();
        for c in "one two".chars() {
            assert!(edit(
                &mut input,
                press(KeyCode::Char(c), KeyModifiers::NONE)
            ));
        }
        assert!(edit(
            &mut input,
            press(KeyCode::Char('w'), KeyModifiers::CONTROL)
        ));
        assert_eq!(input.value(), "one ");
        assert!(!edit(
            &mut input,
            press(KeyCode::Char('a'), KeyModifiers::CONTROL)
        ));
        assert!(edit(
            &mut input,
            press(KeyCode::Char('X'), KeyModifiers::SHIFT)
        ));
        assert_eq!(input.value(), "Xone ");
        assert!(!edit(
            &mut input,
            press(KeyCode::Char('x'), KeyModifiers::ALT)
        ));
        assert!(!edit(&mut input, press(KeyCode::F(5), KeyModifiers::NONE)));
    }

    #[test]
    fn pasted_text_stays_one_line() {
        let mut input = Input::default();
        paste(&mut input, "two\nlines\u{7}\n");
        assert_eq!(input.value(), "two lines");
    }

    #[test]
    fn the_cursor_stays_in_view() {
        let area = Rect::new(2, 0, 8, 1);
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
        let at = draw(
            &Input::new("abcdefghijkl".into()),
            area,
            &mut buf,
            Style::new(),
        );
        assert!(at.x < area.right());
        let line: String = buf.content.iter().map(|c| c.symbol()).collect();
        assert_eq!(line.trim(), "fghijkl");
        assert_eq!(at.x, 9);
    }
}
