use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::*;
use crate::theme::{Look, Theme};
use benchtop_model::{ColorLevel, Finding, Rule};

fn press(editor: &mut Editor, code: KeyCode, modifiers: KeyModifiers) -> bool {
    editor.key(KeyEvent::new(code, modifiers))
}

fn keys(editor: &mut Editor, codes: &[KeyCode]) {
    for code in codes {
        press(editor, *code, KeyModifiers::NONE);
    }
}

fn write(editor: &mut Editor, text: &str) {
    for c in text.chars() {
        assert!(press(
            editor,
            KeyCode::Char(c),
            if c.is_uppercase() {
                KeyModifiers::SHIFT
            } else {
                KeyModifiers::NONE
            }
        ));
    }
}

#[test]
fn typing_moving_and_deleting() {
    let mut editor = Editor::new("");
    write(&mut editor, "red Owl");
    assert!(press(&mut editor, KeyCode::Enter, KeyModifiers::NONE));
    write(&mut editor, "日本");
    assert_eq!(
        (editor.text(), editor.position()),
        ("red Owl\n日本", (2, 3))
    );
    keys(&mut editor, &[KeyCode::Left, KeyCode::Backspace]);
    assert_eq!((editor.text(), editor.position()), ("red Owl\n本", (2, 1)));
    keys(&mut editor, &[KeyCode::Backspace]);
    assert_eq!(editor.text(), "red Owl本");
    keys(&mut editor, &[KeyCode::Delete]);
    assert!(
        !press(&mut editor, KeyCode::Delete, KeyModifiers::NONE),
        "nothing after the end"
    );
    assert!(press(
        &mut editor,
        KeyCode::Char('w'),
        KeyModifiers::CONTROL
    ));
    assert_eq!(editor.text(), "red ");
    keys(&mut editor, &[KeyCode::Home]);
    assert!(press(
        &mut editor,
        KeyCode::Char('k'),
        KeyModifiers::CONTROL
    ));
    assert_eq!(editor.text(), "");
    assert!(!press(&mut editor, KeyCode::Backspace, KeyModifiers::NONE));
    assert!(
        !press(&mut editor, KeyCode::Char('q'), KeyModifiers::CONTROL)
            && !press(&mut editor, KeyCode::F(5), KeyModifiers::NONE)
    );
}

#[test]
fn moves_by_word_line_page_and_edge() {
    let mut editor = Editor::new("  one two\nx\n  three four\n");
    keys(&mut editor, &[KeyCode::Home]);
    assert_eq!(editor.position(), (1, 3));
    keys(&mut editor, &[KeyCode::Home]);
    assert_eq!(editor.position(), (1, 1));
    press(&mut editor, KeyCode::Right, KeyModifiers::CONTROL);
    press(&mut editor, KeyCode::Right, KeyModifiers::CONTROL);
    assert_eq!(editor.position(), (1, 10));
    keys(&mut editor, &[KeyCode::Down]);
    assert_eq!(editor.position(), (2, 2));
    keys(&mut editor, &[KeyCode::Down]);
    assert_eq!(
        editor.position(),
        (3, 10),
        "the column comes back after a shorter line"
    );
    press(&mut editor, KeyCode::Left, KeyModifiers::CONTROL);
    assert_eq!(editor.position(), (3, 9));
    keys(
        &mut editor,
        &[KeyCode::PageDown, KeyCode::PageDown, KeyCode::Down],
    );
    assert_eq!(editor.position().0, 4);
    press(&mut editor, KeyCode::Home, KeyModifiers::CONTROL);
    keys(&mut editor, &[KeyCode::Up, KeyCode::Left]);
    assert_eq!(editor.position(), (1, 1));
    editor.go_to(3, 3);
    assert_eq!((editor.position(), editor.line()), ((3, 3), "  three four"));
    editor.go_to(99, 99);
    assert_eq!(editor.position(), (4, 1));
}

#[test]
fn selections_are_replaced_cut_copied_and_pasted() {
    let mut editor = Editor::new("one two three");
    press(
        &mut editor,
        KeyCode::Right,
        KeyModifiers::CONTROL | KeyModifiers::SHIFT,
    );
    assert_eq!(editor.selected(), Some(0..3));
    assert_eq!(editor.act(Action::CutText), Some(true));
    assert_eq!(editor.text(), " two three");
    keys(&mut editor, &[KeyCode::End]);
    assert_eq!(editor.act(Action::PasteText), Some(true));
    assert_eq!(editor.text(), " two threeone");
    editor.act(Action::MarkText);
    keys(&mut editor, &[KeyCode::Left, KeyCode::Left, KeyCode::Left]);
    write(&mut editor, "!");
    assert_eq!((editor.text(), editor.selected()), (" two three!", None));
    let mut lines = Editor::new("a\nb\nc");
    lines.act(Action::CutText);
    assert_eq!(lines.text(), "b\nc");
    keys(&mut lines, &[KeyCode::Down]);
    lines.act(Action::CopyText);
    lines.act(Action::PasteText);
    assert_eq!(lines.text(), "b\ncc");
    assert_eq!(lines.act(Action::Accept), None);
}

#[test]
fn pasted_text_is_cleaned_and_bounded() {
    let mut editor = Editor::new("x");
    assert!(editor.paste("a\r\nb\tc\u{1b}[2J\u{7}"));
    assert_eq!(editor.text(), "a\nb  c[2Jx");
    assert!(!editor.paste("\u{7}"));
    let mut full = Editor::new("y".repeat(MAX_BYTES));
    assert!(!full.insert("z") && full.text().len() == MAX_BYTES);
    assert!(press(&mut full, KeyCode::Delete, KeyModifiers::NONE));
}

#[test]
fn search_ignores_case_and_wraps_around() {
    let mut editor = Editor::new("Owl\nowl\n(owl)\n");
    assert!(editor.find("OWL"));
    assert_eq!(editor.position(), (2, 1));
    assert!(editor.find_again());
    assert_eq!(editor.position(), (3, 2));
    assert!(editor.find_again());
    assert_eq!(editor.position(), (1, 1));
    assert!(editor.find("(owl)"));
    assert!(!editor.find("cat") && !Editor::new("").find_again());
    assert_eq!(editor.looked_for(), "cat");
}

#[test]
fn a_new_text_keeps_the_cursor_position() {
    let mut editor = Editor::new("a\nbcd\ne");
    editor.go_to(2, 3);
    editor.set_text("a\nbxcd\ne", None);
    assert_eq!(editor.position(), (2, 3));
    editor.set_text("日", Some(2));
    assert_eq!(editor.position(), (1, 1), "never inside a character");
    editor.set_text("", None);
    assert_eq!(editor.position(), (1, 1));
}

#[test]
fn findings_are_underlined_at_their_columns() {
    for level in [ColorLevel::True, ColorLevel::Mono] {
        let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
        let mut editor = Editor::new("# top\nprompt = [\"a {colr} owl\"]\nlast");
        let finding = Finding::new(Rule::UnknownSlot, "templates.toml", "x")
            .line(2)
            .columns(14, 6);
        let warning = Finding::new(Rule::UnusedVocabulary, "templates.toml", "x").line(3);
        let mut buf = Buffer::empty(Rect::new(0, 0, 40, 6));
        editor.go_to(2, 1);
        let cursor = editor
            .draw(buf.area, &mut buf, &look, &[&finding, &warning])
            .unwrap();
        assert_eq!((cursor.x, cursor.y), (5, 1));
        let under = |y: u16| -> String {
            let cells = (5..40)
                .map(|x| &buf[(x, y)])
                .filter(|c| c.modifier.contains(Modifier::UNDERLINED));
            cells.map(|c| c.symbol()).collect()
        };
        assert_eq!(
            (under(0).as_str(), under(1).as_str(), under(2).as_str()),
            ("", "{colr}", "last")
        );
        assert_eq!((buf[(0, 1)].symbol(), buf[(0, 2)].symbol()), ("!", "?"));
    }
}

#[test]
fn it_is_drawn_at_every_size() {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut editor = Editor::new("日本 word ".repeat(40) + "\n\nend");
    for (width, height) in [(0, 0), (1, 1), (7, 2), (8, 3), (9, 1), (200, 50)] {
        for line in [1, 3] {
            editor.go_to(line, 99);
            let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
            let at = editor.draw(buf.area, &mut buf, &look, &[]);
            assert!(at.is_none_or(|p| buf.area.contains(p)));
        }
    }
}
