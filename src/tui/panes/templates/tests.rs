use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::panes::metadata::preview::{Selection, compute};
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_model::{ColourLevel, Error, Rule};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Does what the effects ask of the worker; gives the others and what the last preview was about.
fn follow(desk: &mut EditSession, effects: Vec<Effect>) -> (Vec<Effect>, Option<Selection>) {
    let (mut rest, mut about) = (Vec::new(), None);
    for effect in effects {
        match effect {
            Effect::Preview(r) => {
                let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
                assert!(desk.preview(Done {
                    ticket: r.ticket,
                    preview
                }));
                about = Some(r.selection);
            }
            other => rest.push(other),
        }
    }
    (rest, about)
}

/// The pane with the cursor before `part` of `templates.toml`.
fn before(part: &str) -> (EditSession, TemplatesPane) {
    let (mut desk, mut pane) = (EditSession::new(), TemplatesPane::new());
    let effects = desk.take(Ok(state(&small())));
    follow(&mut desk, effects);
    let text = small().text(templates::FILE).unwrap().to_string();
    let at = text.find(part).unwrap();
    let line = text[..at].matches('\n').count() as u32 + 1;
    let column = text[..at].rsplit('\n').next().unwrap().chars().count() as u32 + 1;
    let effects = pane.jump(&mut desk, templates::FILE, line, column).unwrap();
    follow(&mut desk, effects);
    (desk, pane)
}

fn write(pane: &mut TemplatesPane, desk: &mut EditSession, text: &str) -> Option<Selection> {
    let mut about = None;
    for c in text.chars() {
        let effects = pane.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), desk);
        about = follow(desk, effects).1.or(about);
    }
    about
}

fn act(pane: &mut TemplatesPane, desk: &mut EditSession, action: Action) -> Vec<Effect> {
    let effects = pane.act(action, desk);
    follow(desk, effects).0
}

fn drawn(pane: &mut TemplatesPane, desk: &EditSession, width: u16, height: u16) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColourLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    let cursor = pane.draw(desk, buf.area, &mut buf, &look);
    assert_eq!(
        cursor.is_some(),
        pane.typing(),
        "the terminal's cursor is shown while typing"
    );
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn typing_changes_the_text_and_the_preview_of_that_template() {
    let (mut desk, mut pane) = before("photo of {a color}");
    assert!(
        write(&mut pane, &mut desk, "x").is_none() && desk.session().changed().is_empty(),
        "not typing yet"
    );
    act(&mut pane, &mut desk, Action::TypeText);
    assert_eq!(pane.scopes(), [Scope::Editor]);
    let about = write(&mut pane, &mut desk, "blurry ");
    assert_eq!(about, Some(Selection::Subject("animal".into())));
    let shown = drawn(&mut pane, &desk, 160, 50);
    assert!(
        shown.contains("a blurry photo of") && shown.contains("not saved: templates.toml"),
        "{shown}"
    );
    assert!(desk.shown().unwrap().changed() > 0);
    act(&mut pane, &mut desk, Action::UndoText);
    act(&mut pane, &mut desk, Action::UndoText);
    assert!(
        desk.session().changed().is_empty()
            && pane.editor.text() == desk.session().text(templates::FILE).unwrap()
    );
    act(&mut pane, &mut desk, Action::RedoText);
    assert!(
        pane.editor.text().contains("a blurryphoto"),
        "a word at a time"
    );
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::SaveText)[..],
        [Effect::Say(_), Effect::Ask(..)]
    ));
    act(&mut pane, &mut desk, Action::StopTyping);
    assert!(!pane.typing());
}

#[test]
fn a_misspelt_slot_is_underlined_found_and_jumped_to() {
    let (mut desk, mut pane) = before("{text}', {style}");
    act(&mut pane, &mut desk, Action::TypeText);
    pane.key(KeyEvent::new(KeyCode::Right, KeyModifiers::NONE), &mut desk);
    write(&mut pane, &mut desk, "x");
    let found: Vec<_> = desk
        .found_in(templates::FILE)
        .filter(|f| f.rule == Rule::UnknownSlot)
        .cloned()
        .collect();
    assert_eq!(found.len(), 1);
    act(&mut pane, &mut desk, Action::StopTyping);
    act(&mut pane, &mut desk, Action::Top);
    act(&mut pane, &mut desk, Action::PreviousFinding);
    act(&mut pane, &mut desk, Action::Top);
    while pane.editor.position() != (found[0].line, found[0].column) {
        assert!(act(&mut pane, &mut desk, Action::NextFinding).is_empty());
    }
    pane.side.shows = Side::Findings;
    act(&mut pane, &mut desk, Action::NextArea);
    let at = desk.found().position(|f| *f == found[0]).unwrap();
    (0..at).for_each(|_| drop(act(&mut pane, &mut desk, Action::Down)));
    let shown = drawn(&mut pane, &desk, 160, 50);
    assert!(
        shown.contains("{xtext}") && shown.contains("findings: "),
        "{shown}"
    );
    act(&mut pane, &mut desk, Action::Open);
    assert_eq!(
        (pane.area, pane.editor.position()),
        (Area::Text, (found[0].line, found[0].column))
    );
}

#[test]
fn slots_on_offer_are_put_in() {
    let (mut desk, mut pane) = before("\", \"a photo");
    assert!(drawn(&mut pane, &desk, 160, 50).contains("subject animal, prompt: slots"));
    assert!(drawn(&mut pane, &desk, 80, 24).contains("subject animal, prompt: {thing} {animal}"));
    act(&mut pane, &mut desk, Action::TypeText);
    let effects = act(&mut pane, &mut desk, Action::InsertSlot);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let pick = lines.iter().position(|l| l.0 == "{text}").unwrap();
    let effects = pane.chosen(purpose, pick, &mut desk).unwrap();
    follow(&mut desk, effects);
    assert!(pane.editor.text().contains("{style}{text}\", \"a photo"));
    let (mut desk, mut pane) = before("[subject.animal]");
    assert!(matches!(&act(&mut pane, &mut desk, Action::Bottom)[..], []));
    act(&mut pane, &mut desk, Action::Top);
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::InsertSlot)[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn the_other_file_keeps_its_place_and_undo_goes_where_the_edit_was() {
    let (mut desk, mut pane) = before("[subject.sign]");
    let place = pane.editor.position();
    act(&mut pane, &mut desk, Action::OtherFile);
    assert!(pane.editor.text().starts_with("[[style]]"));
    act(&mut pane, &mut desk, Action::TypeText);
    write(&mut pane, &mut desk, "#");
    act(&mut pane, &mut desk, Action::StopTyping);
    act(&mut pane, &mut desk, Action::OtherFile);
    assert_eq!(
        (pane.name(), pane.editor.text()),
        ("compatibility.toml", ""),
        "a file to begin"
    );
    let judgings = files(&desk).len() - FILES.len();
    for _ in 0..judgings {
        act(&mut pane, &mut desk, Action::OtherFile);
        assert!(
            pane.name().starts_with("judge/") && pane.editor.text().contains("prompt = "),
            "{}",
            pane.name()
        );
        assert!(pane.slots(&desk).iter().any(|(name, _)| name == "question"));
    }
    act(&mut pane, &mut desk, Action::OtherFile);
    assert_eq!(pane.editor.position(), place);
    act(&mut pane, &mut desk, Action::Undo);
    assert_eq!(
        (pane.name(), pane.editor.position()),
        ("styles.toml", (1, 1))
    );
    assert!(desk.session().changed().is_empty());
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::Undo)[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn words_are_found_and_text_is_pasted() {
    let (mut desk, mut pane) = before("[pair]");
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::Find)[..],
        [Effect::AskText {
            purpose: TextFor::Find,
            ..
        }]
    ));
    pane.typed(&TextFor::Find, "VOCABULARY = \"color\"", &mut desk);
    assert_eq!(pane.section().0, Section::Subtask("color".into()));
    assert!(matches!(
        &pane.typed(&TextFor::Find, "zebra", &mut desk)[..],
        [Effect::Refuse(_)]
    ));
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::FindAgain)[..],
        [Effect::Refuse(_)]
    ));
    pane.paste("# a note\r\n", &mut desk);
    assert!(
        desk.session()
            .text(templates::FILE)
            .unwrap()
            .contains("# a note\nvocabulary = \"color\"")
    );
}

#[test]
fn an_edit_made_elsewhere_is_taken_in() {
    let (mut desk, mut pane) = before("[subject.sign]");
    let text = small()
        .text(templates::FILE)
        .unwrap()
        .replace("a sign that says", "a sign saying");
    let mut disk = small();
    disk.put(benchtop_model::MetaFile {
        name: templates::FILE.into(),
        text,
    });
    desk.take(Ok(state(&disk)));
    assert!(drawn(&mut pane, &desk, 160, 50).contains("a sign saying"));
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let mut failed = EditSession::new();
    failed.take(Err(Error::input("the owner is gone")));
    for (desk, says) in [
        (&EditSession::new(), "Loading"),
        (&failed, "the owner is gone"),
    ] {
        let mut pane = TemplatesPane::new();
        assert!(drawn(&mut pane, desk, 80, 24).contains(says));
        assert!(matches!(
            &pane.act(Action::TypeText, &mut desk.clone())[..],
            [Effect::Refuse(_)]
        ));
        assert!(matches!(
            &pane.act(Action::Back, &mut desk.clone())[..],
            [Effect::Leave]
        ));
    }
    let mut empty = EditSession::new();
    empty.take(Ok(state(&benchtop_compose::metadata::Metadata::default())));
    assert!(drawn(&mut TemplatesPane::new(), &empty, 80, 24).contains("before the first table"));
    for side in [Side::Preview, Side::Findings, Side::Nothing] {
        for (width, height) in [
            (1, 1),
            (5, 3),
            (20, 5),
            (80, 24),
            (119, 12),
            (120, 2),
            (300, 100),
        ] {
            let (desk, mut pane) = before("[subject.sign]");
            pane.side.shows = side;
            drawn(&mut pane, &desk, width, height);
        }
    }
}
