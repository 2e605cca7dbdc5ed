use benchtop::tui::action::{Action, Scope};
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
        let rows: Vec<&str> = picture
            .lines()
            .filter_map(|row| row.split('│').nth(1))
            .map(|row| row.trim_matches([' ', '▌']))
            .filter(|row| !row.is_empty())
            .collect();
        assert_eq!(rows[0], "> col");
        let found: Vec<Action> = rows[1..]
            .iter()
            .map(|row| {
                let is_row = |action: &&Action| {
                    row.strip_prefix(action.name())
                        .and_then(|rest| rest.strip_prefix("  "))
                        .is_some_and(|rest| rest.trim_start().starts_with(word(action.help())))
                        && action.keys().iter().any(|key| row.ends_with(key))
                };
                let action = Action::ALL.iter().find(is_row);
                *action.unwrap_or_else(|| panic!("{row} is no action:\n{picture}"))
            })
            .collect();
        assert!(
            found.len() > 10 && found.contains(&Action::GoToColumn),
            "{found:?}"
        );
    }
}

fn word(help: &str) -> &str {
    help.split([' ', ',', ';', ':']).next().unwrap()
}

#[test]
fn help() {
    let keymap = Keymap::defaults().unwrap();
    let scopes = [Scope::Review, Scope::Global];
    let about = ["One item a screen, one key a verdict.".to_string()];
    for (width, _) in SIZES {
        let picture = frame((width, 120), |area, buf| {
            keys::help_page(&keymap, &scopes, &about).draw(area, buf, &look());
        });
        assert!(picture.contains(&about[0]), "{picture}");
        let rows: Vec<Vec<char>> = picture.lines().map(|row| row.chars().collect()).collect();
        let at = |column: usize, row: &[char]| row.iter().skip(column).collect::<String>();
        let accept = picture
            .lines()
            .find(|row| row.trim_start().starts_with("a "))
            .unwrap();
        let column = accept.chars().count() - accept.trim_start()[1..].trim_start().chars().count();
        // Keys on the left, help in one column on the right.
        for action in Action::ALL {
            if !scopes.contains(&action.scope()) || action.keys().is_empty() {
                continue;
            }
            let is_row = |row: &Vec<char>| {
                let left: String = row.iter().take(column).collect();
                left.split_whitespace().next() == Some(action.keys()[0])
                    && at(column, row).starts_with(word(action.help()))
            };
            assert!(rows.iter().any(is_row), "{action:?}:\n{picture}");
        }
        for scope in scopes {
            assert!(picture.contains(scope.title()), "{scope:?}:\n{picture}");
        }
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
