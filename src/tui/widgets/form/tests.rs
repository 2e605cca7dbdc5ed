use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::theme::{Look, Role, Theme};
use benchtop_model::ColorLevel;

/// Draws lots.
#[derive(Debug)]
struct Lots;

impl Subject for Lots {
    type Preview = u64;

    fn title(&self) -> &str {
        "lots"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        name != "seed" || fields.is_on("random")
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        (name == "who" && fields.text(name).is_empty()).then(|| "type a name".into())
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        (problem.place.field.as_deref() == Some("people")).then_some("who")
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let mut words = vec!["draw".to_string(), fields.text("who").into()];
        if fields.is_on("random") {
            words.extend(["--seed".into(), fields.text("seed").into()]);
        }
        words
    }

    fn draw_preview(&self, _: &Fields, preview: &u64, lines: &mut Lines<'_>) {
        lines.text(&format!(" {preview} lots"), Role::Text);
    }
}

fn form() -> Form<Lots> {
    let fields = vec![
        Field::text("who", "a name", "ann"),
        Field::flag("random", "random lots", false),
        Field::number("seed", "any number", 0..=u64::MAX, 1),
        Field::choice("order", "left/right", &["up", "down"], "up"),
    ];
    Form::new(Lots, fields)
}

fn drawn(form: &Form<Lots>, width: u16, height: u16) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    form.draw(buf.area, &mut buf, &look, &["benchtop".to_string()]);
    let rows = buf.content.chunks(usize::from(width.max(1)));
    let line = |row: &[ratatui::buffer::Cell]| -> String {
        let row: String = row.iter().map(|cell| cell.symbol()).collect();
        row.trim_end().to_string()
    };
    rows.map(line).collect::<Vec<_>>().join("\n")
}

fn press(form: &mut Form<Lots>, code: KeyCode) -> bool {
    form.key(KeyEvent::from(code))
}

#[test]
fn fields_that_do_not_apply_are_not_shown_and_not_reached() {
    let mut form = form();
    assert!(!drawn(&form, 80, 20).contains("seed"));
    form.step(true);
    form.step(true);
    assert!(drawn(&form, 80, 20).contains("< up >"));
    form.step(false);
    assert!(press(&mut form, KeyCode::Char(' ')));
    let shown = drawn(&form, 80, 20);
    assert!(
        shown.contains("[x] yes") && shown.contains("$ benchtop draw ann --seed 1"),
        "{shown}"
    );
    form.step(true);
    assert!(press(&mut form, KeyCode::Backspace));
    assert!(!form.is_valid());
    assert!(drawn(&form, 80, 20).contains("fix the marked fields first"));
    form.set("random", "no");
    assert!(form.is_valid(), "a field that does not apply has no error");
}

#[test]
fn a_preview_counts_only_for_the_fields_that_it_was_made_of() {
    let mut form = form();
    let edit = form.edit();
    assert!(drawn(&form, 80, 20).contains("loading"));
    form.on_preview(edit, Ok(7));
    assert!(drawn(&form, 80, 20).contains("7 lots"));
    assert!(press(&mut form, KeyCode::Char('a')));
    form.on_preview(edit, Ok(8));
    assert!(form.would().is_none() && drawn(&form, 80, 20).contains("loading"));
    form.on_preview(
        form.edit(),
        Err(Error::input("nobody of that name").field("people")),
    );
    form.step(true);
    form.go_to_problem();
    let shown = drawn(&form, 80, 20);
    assert_eq!(shown.matches("nobody of that").count(), 3, "{shown}");
}

#[test]
fn while_it_runs_the_fields_stay() {
    let mut form = form();
    form.is_running = true;
    assert!(!press(&mut form, KeyCode::Char('a')) && !form.paste("a"));
    let (what, done, of) = ("drawing".to_string(), 5, Some(10));
    form.progress = Some(Progress { what, done, of });
    let shown = drawn(&form, 80, 20);
    assert!(
        shown.contains("drawing: 5 of 10") && shown.contains("esc cancels"),
        "{shown}"
    );
}

#[test]
fn any_size_shows_the_current_field_and_the_command_line() {
    let mut form = form();
    form.on_preview(0, Ok(7));
    for (width, height) in [(60, 12), (80, 20), (160, 46), (300, 76)] {
        let shown = drawn(&form, width, height);
        for part in ["lots", "ann", "7 lots", "$ benchtop draw ann"] {
            assert!(shown.contains(part), "{width}x{height}: {part}\n{shown}");
        }
    }
    for (width, height) in [(0, 0), (1, 1), (20, 5), (400, 120)] {
        drawn(&form, width, height);
    }
}
