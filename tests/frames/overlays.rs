use benchtop::tui::action::Scope;
use benchtop::tui::keymap::Keymap;
use benchtop::tui::widgets::keys;
use benchtop::tui::widgets::menu::{Choice, Menu};
use benchtop::tui::widgets::prompt::Prompt;
use benchtop::tui::widgets::toast::Toast;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::{SIZES, accessible, check, frame, look};

fn reasons() -> Menu {
    let names = [
        "wrong content",
        "low quality",
        "ambiguous question",
        "wrong answer",
        "bad distractor",
        "unsafe",
    ];
    let mut choices: Vec<Choice> = names.map(Choice::new).to_vec();
    choices.push(Choice::new("other").help("needs a note").wants_note());
    let mut menu = Menu::new("Reject #1423 because", choices)
        .several()
        .with_note();
    for code in [KeyCode::Down, KeyCode::Tab] {
        menu.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
    menu
}

#[test]
fn reject_menu() {
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            reasons().draw(area, buf, &look()).unwrap();
        });
        check("reject_menu", size, &picture);
    }
    let picture = frame(SIZES[0], |area, buf| {
        reasons().draw(area, buf, &accessible()).unwrap();
    });
    check("reject_menu_accessible", SIZES[0], &picture);
}

#[test]
fn palette() {
    let keymap = Keymap::defaults().unwrap();
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let (choices, _) = keys::palette(&keymap, &[Scope::Table, Scope::Global]);
            let mut menu = Menu::new("Do", choices).filtering();
            for c in "col".chars() {
                menu.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            }
            menu.draw(area, buf, &look()).unwrap();
        });
        check("palette", size, &picture);
    }
}

#[test]
fn help() {
    let keymap = Keymap::defaults().unwrap();
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let about = ["One item a screen, one key a verdict.".to_string()];
            keys::help_page(&keymap, &[Scope::Review, Scope::Global], &about).draw(
                area,
                buf,
                &look(),
            );
        });
        check("help", size, &picture);
    }
}

#[test]
fn bottom_lines() {
    let keymap = Keymap::defaults().unwrap();
    for (width, _) in SIZES {
        let picture = frame((width, 6), |area, buf| {
            let line = |y| Rect {
                y,
                height: 1,
                ..area
            };
            keys::draw_bar(
                &keymap,
                &[Scope::Review, Scope::Global],
                line(0),
                buf,
                &look(),
            );
            keys::draw_bar(
                &keymap,
                &[Scope::List, Scope::Table, Scope::Global],
                line(1),
                buf,
                &look(),
            );
            keys::draw_bar(
                &keymap,
                &[Scope::Board, Scope::Table, Scope::Global],
                line(2),
                buf,
                &look(),
            );
            Prompt::new("find", "red car", vec![]).draw(line(3), buf, &look());
            Toast::done("#1423 saved").draw(line(4), buf, &look());
            Toast::error("the owner went away; trying again").draw(line(5), buf, &look());
        });
        check("bottom_lines", (width, 6), &picture);
    }
}
