use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::theme::{Look, Theme};
use benchtop_model::ColorLevel;
use crossterm::event::KeyModifiers;

fn press(menu: &mut Menu, code: KeyCode) -> MenuOutcome {
    menu.key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn reasons() -> Menu {
    let choices = vec![
        Choice::new("wrong content"),
        Choice::new("low quality"),
        Choice::new("other").wants_note(),
    ];
    Menu::new("reject because", choices).several().with_note()
}

fn chosen(picks: &[usize], note: &str) -> MenuOutcome {
    MenuOutcome::Chosen {
        picks: picks.to_vec(),
        note: note.into(),
    }
}

#[test]
fn a_digit_chooses_at_once_with_the_marked_lines() {
    assert_eq!(press(&mut reasons(), KeyCode::Char('2')), chosen(&[1], ""));
    let mut menu = reasons();
    press(&mut menu, KeyCode::Tab);
    assert_eq!(press(&mut menu, KeyCode::Char('2')), chosen(&[0, 1], ""));
    assert!(matches!(
        press(&mut menu, KeyCode::Char('4')),
        MenuOutcome::Refused(_)
    ));
    assert!(matches!(
        press(&mut menu, KeyCode::Char('0')),
        MenuOutcome::Refused(_)
    ));
    assert_eq!(press(&mut menu, KeyCode::Esc), MenuOutcome::Cancelled);
}

/// The bottom border on 80 columns.
fn bottom_border(menu: &Menu) -> String {
    let area = Rect::new(0, 0, 80, 24);
    let mut buf = Buffer::empty(area);
    let look = Look::new(
        &Theme::shipped("dark").unwrap(),
        ColorLevel::default(),
        false,
    );
    menu.draw(area, &mut buf, &look);
    let row = |y: u16| -> String { (0..area.width).map(|x| buf[(x, y)].symbol()).collect() };
    let rows: Vec<String> = (0..area.height).map(row).collect();
    rows.into_iter().find(|row| row.contains('╰')).unwrap()
}

#[test]
fn the_narrowest_menus_name_their_keys() {
    let plain = bottom_border(&Menu::new("rule", vec![Choice::new("a"), Choice::new("b")]));
    for key in ["1-2", "enter", "esc"] {
        assert!(plain.contains(key), "{plain}");
    }
    let marked = bottom_border(&reasons());
    for key in ["tab", "1-3", "enter", "esc"] {
        assert!(marked.contains(key), "{marked}");
    }
    assert!(!plain.contains("tab"));
}

#[test]
fn other_asks_for_its_note() {
    let mut menu = reasons();
    assert_eq!(press(&mut menu, KeyCode::Char('3')), MenuOutcome::Open);
    assert!(menu.typing());
    assert!(matches!(
        press(&mut menu, KeyCode::Enter),
        MenuOutcome::Refused(_)
    ));
    for c in "two 2 heads".chars() {
        assert_eq!(press(&mut menu, KeyCode::Char(c)), MenuOutcome::Open);
    }
    assert_eq!(
        press(&mut menu, KeyCode::Enter),
        chosen(&[2], "two 2 heads")
    );
}

#[test]
fn tab_completes_tags_in_the_note_and_marks_elsewhere() {
    let mut menu = reasons().with_tags(vec!["#cut".into(), "#dark".into()]);
    press(&mut menu, KeyCode::Char('3'));
    for c in "too #d".chars() {
        press(&mut menu, KeyCode::Char(c));
    }
    assert_eq!(press(&mut menu, KeyCode::Tab), MenuOutcome::Open);
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[2], "too #dark"));
    let mut menu = reasons();
    press(&mut menu, KeyCode::Up);
    assert!(
        matches!(press(&mut menu, KeyCode::Tab), MenuOutcome::Refused(why) if why.contains("type #"))
    );
}

#[test]
fn down_past_the_last_line_enters_the_note() {
    let mut menu = reasons();
    for _ in 0..3 {
        press(&mut menu, KeyCode::Down);
    }
    assert!(menu.typing());
    menu.paste("see\nlog");
    press(&mut menu, KeyCode::Up);
    press(&mut menu, KeyCode::Up);
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[1], "see log"));
}

#[test]
fn a_note_marks_no_line() {
    let mut menu = reasons();
    press(&mut menu, KeyCode::Up);
    assert!(
        matches!(press(&mut menu, KeyCode::Enter), MenuOutcome::Refused(_)),
        "neither a reason nor a note"
    );
    press(&mut menu, KeyCode::Up);
    menu.paste("too dark");
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[], "too dark"));
    let mut begun = reasons().keeping("too dark");
    press(&mut begun, KeyCode::Up);
    assert_eq!(press(&mut begun, KeyCode::Enter), chosen(&[], "too dark"));
    let mut begun = reasons().keeping("too dark");
    assert_eq!(
        press(&mut begun, KeyCode::Char('2')),
        chosen(&[1], "too dark")
    );
    let mut marked = reasons();
    press(&mut marked, KeyCode::Tab);
    press(&mut marked, KeyCode::Up);
    press(&mut marked, KeyCode::Up);
    marked.paste("too dark");
    assert_eq!(press(&mut marked, KeyCode::Enter), chosen(&[0], "too dark"));
}

#[test]
fn a_single_choice_menu_keeps_the_note_until_a_line_is_chosen() {
    let lines = || {
        ["accept", "reject", "fix"]
            .map(|label| Choice::new(label).wants_note())
            .to_vec()
    };
    let mut menu = Menu::new("settle", lines()).with_note();
    press(&mut menu, KeyCode::Up);
    menu.paste("no rule");
    assert!(matches!(
        press(&mut menu, KeyCode::Enter),
        MenuOutcome::Refused(_)
    ));
    assert!(!menu.typing(), "the lines have the keys");
    press(&mut menu, KeyCode::Down);
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[1], "no rule"));
    // Another line can be chosen in place of the one that asked for the note.
    let mut menu = Menu::new("settle", lines()).with_note();
    press(&mut menu, KeyCode::Char('1'));
    menu.paste("no rule");
    press(&mut menu, KeyCode::Up);
    assert_eq!(
        press(&mut menu, KeyCode::Char('3')),
        chosen(&[2], "no rule")
    );
    let mut menu = Menu::new("settle", lines()).with_note();
    press(&mut menu, KeyCode::Char('2'));
    menu.paste("no rule");
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[1], "no rule"));
}

#[test]
fn typing_narrows_with_the_best_first() {
    let names = ["sort ascending", "sort descending", "describe", "subset"];
    let mut choices = names.map(Choice::new).to_vec();
    choices[3].help = "a description of the selection".into();
    let mut menu = Menu::new("actions", choices).filtering();
    for c in "desc".chars() {
        press(&mut menu, KeyCode::Char(c));
    }
    let labels: Vec<&str> = menu.shown.iter().map(|(i, _)| names[*i]).collect();
    assert_eq!(labels, ["describe", "sort descending", "subset"]);
    assert_eq!(menu.shown[1].1, [5, 6, 7, 8]);
    assert!(matches!(
        press(&mut menu, KeyCode::Tab),
        MenuOutcome::Refused(_)
    ));
    press(&mut menu, KeyCode::Down);
    assert_eq!(press(&mut menu, KeyCode::Enter), chosen(&[1], ""));
    menu.paste("zzz");
    assert!(matches!(
        press(&mut menu, KeyCode::Enter),
        MenuOutcome::Refused(_)
    ));
}

#[test]
fn lines_lead_to_levels_and_marks_survive_the_way_back() {
    let within = |label: &str, within| Choice {
        within,
        ..Choice::new(label)
    };
    let lines = vec![
        within("hands", Some(2)),
        within("unsafe", None),
        within("anatomy", None),
        Choice {
            is_heading: true,
            ..within("lettering", None)
        },
        within("broken words", Some(3)),
    ];
    let mut menu = Menu::new("why", lines).several();
    let shown = |menu: &Menu| {
        let line = |(at, _): &(usize, Vec<usize>)| {
            format!("{}{}", menu.choices[*at].label, menu.suffix(*at))
        };
        menu.shown.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(shown(&menu), ["anatomy ›", "unsafe", "lettering ›"]);
    // A number goes down, and the level has the line itself first.
    assert_eq!(press(&mut menu, KeyCode::Char('1')), MenuOutcome::Open);
    assert_eq!(shown(&menu), ["anatomy, in general", "hands"]);
    press(&mut menu, KeyCode::Down);
    press(&mut menu, KeyCode::Tab);
    assert_eq!(press(&mut menu, KeyCode::Esc), MenuOutcome::Open);
    assert!(menu.has_marks_below(2) && menu.cursor == 0);
    // A heading cannot be chosen itself.
    assert_eq!(press(&mut menu, KeyCode::Char('3')), MenuOutcome::Open);
    assert_eq!(shown(&menu), ["broken words"]);
    press(&mut menu, KeyCode::Left);
    assert_eq!(press(&mut menu, KeyCode::Char('2')), chosen(&[0, 1], ""));
    assert_eq!(press(&mut menu, KeyCode::Esc), MenuOutcome::Cancelled);
}
