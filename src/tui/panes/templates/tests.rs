use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::panes::metadata::preview::{Selection, compute};
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_model::{ColorLevel, Error, Rule};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Computes the requested previews. Returns the other effects and the selection of the last
/// preview.
fn follow(
    edit_session: &mut EditSession,
    effects: Vec<Effect>,
) -> (Vec<Effect>, Option<Selection>) {
    let (mut rest, mut about) = (Vec::new(), None);
    for effect in effects {
        match effect {
            Effect::Preview(r) => {
                let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
                assert!(edit_session.preview(Done {
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
    let (mut edit_session, mut pane) = (EditSession::new(), TemplatesPane::new());
    let effects = edit_session.on_state(Ok(state(&small())));
    follow(&mut edit_session, effects);
    let text = small().text(templates::FILE).unwrap().to_string();
    let at = text.find(part).unwrap();
    let line = text[..at].matches('\n').count() as u32 + 1;
    let column = text[..at].rsplit('\n').next().unwrap().chars().count() as u32 + 1;
    let effects = pane
        .jump(&mut edit_session, templates::FILE, line, column)
        .unwrap();
    follow(&mut edit_session, effects);
    (edit_session, pane)
}

fn write(
    pane: &mut TemplatesPane,
    edit_session: &mut EditSession,
    text: &str,
) -> Option<Selection> {
    let mut about = None;
    for c in text.chars() {
        let effects = pane.key(
            KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
            edit_session,
        );
        about = follow(edit_session, effects).1.or(about);
    }
    about
}

fn act(pane: &mut TemplatesPane, edit_session: &mut EditSession, action: Action) -> Vec<Effect> {
    let effects = pane.act(action, edit_session);
    follow(edit_session, effects).0
}

fn drawn(pane: &mut TemplatesPane, edit_session: &EditSession, width: u16, height: u16) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    let cursor = pane.draw(edit_session, buf.area, &mut buf, &look);
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
fn typing_changes_the_text_and_its_preview() {
    let (mut edit_session, mut pane) = before("photo of {a color}");
    assert!(
        write(&mut pane, &mut edit_session, "x").is_none()
            && edit_session.session().changed().is_empty(),
        "not typing yet"
    );
    act(&mut pane, &mut edit_session, Action::TypeText);
    assert_eq!(pane.scopes(), [Scope::Editor]);
    let about = write(&mut pane, &mut edit_session, "blurry ");
    assert_eq!(about, Some(Selection::Subject("animal".into())));
    let shown = drawn(&mut pane, &edit_session, 160, 50);
    assert!(
        shown.contains("a blurry photo of") && shown.contains("templates.toml"),
        "{shown}"
    );
    assert!(edit_session.shown().unwrap().changed() > 0);
    act(&mut pane, &mut edit_session, Action::UndoText);
    act(&mut pane, &mut edit_session, Action::UndoText);
    assert!(
        edit_session.session().changed().is_empty()
            && pane.editor.text() == edit_session.session().text(templates::FILE).unwrap()
    );
    act(&mut pane, &mut edit_session, Action::RedoText);
    assert!(
        pane.editor.text().contains("a blurryphoto"),
        "undo removes one word"
    );
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::SaveText)[..],
        [Effect::Say(_), Effect::Ask(..)]
    ));
    act(&mut pane, &mut edit_session, Action::StopTyping);
    assert!(!pane.typing());
}

#[test]
fn a_misspelled_slot_is_underlined_and_reported() {
    let (mut edit_session, mut pane) = before("{text}', {style}");
    act(&mut pane, &mut edit_session, Action::TypeText);
    pane.key(
        KeyEvent::new(KeyCode::Right, KeyModifiers::NONE),
        &mut edit_session,
    );
    write(&mut pane, &mut edit_session, "x");
    let found: Vec<_> = edit_session
        .found_in(templates::FILE)
        .filter(|f| f.rule == Rule::UnknownSlot)
        .cloned()
        .collect();
    assert_eq!(found.len(), 1);
    act(&mut pane, &mut edit_session, Action::StopTyping);
    act(&mut pane, &mut edit_session, Action::Top);
    act(&mut pane, &mut edit_session, Action::PreviousFinding);
    act(&mut pane, &mut edit_session, Action::Top);
    while pane.editor.position() != (found[0].line, found[0].column) {
        assert!(act(&mut pane, &mut edit_session, Action::NextFinding).is_empty());
    }
    pane.side.shows = Side::Findings;
    act(&mut pane, &mut edit_session, Action::NextArea);
    let at = edit_session.found().position(|f| *f == found[0]).unwrap();
    (0..at).for_each(|_| drop(act(&mut pane, &mut edit_session, Action::Down)));
    let shown = drawn(&mut pane, &edit_session, 160, 50);
    assert!(
        shown.contains("{xtext}") && shown.contains("findings: "),
        "{shown}"
    );
    act(&mut pane, &mut edit_session, Action::Open);
    assert_eq!(
        (pane.area, pane.editor.position()),
        (Area::Text, (found[0].line, found[0].column))
    );
}

#[test]
fn available_slots_are_shown_and_inserted() {
    let (mut edit_session, mut pane) = before("\", \"a photo");
    assert!(drawn(&mut pane, &edit_session, 160, 50).contains("subject animal, prompt"));
    assert!(
        drawn(&mut pane, &edit_session, 80, 24)
            .contains("subject animal, prompt: {thing} {animal}")
    );
    act(&mut pane, &mut edit_session, Action::TypeText);
    let effects = act(&mut pane, &mut edit_session, Action::InsertSlot);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let pick = lines.iter().position(|l| l.0 == "{text}").unwrap();
    let effects = pane.chosen(purpose, pick, &mut edit_session).unwrap();
    follow(&mut edit_session, effects);
    assert!(pane.editor.text().contains("{style}{text}\", \"a photo"));
    let (mut edit_session, mut pane) = before("[subject.animal]");
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::Bottom)[..],
        []
    ));
    act(&mut pane, &mut edit_session, Action::Top);
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::InsertSlot)[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn each_file_keeps_its_cursor_and_undo_goes_to_the_change() {
    let (mut edit_session, mut pane) = before("[subject.sign]");
    let place = pane.editor.position();
    act(&mut pane, &mut edit_session, Action::NextFile);
    assert!(pane.editor.text().starts_with("[[style]]"));
    act(&mut pane, &mut edit_session, Action::TypeText);
    write(&mut pane, &mut edit_session, "#");
    act(&mut pane, &mut edit_session, Action::StopTyping);
    act(&mut pane, &mut edit_session, Action::NextFile);
    assert_eq!(
        (pane.name(), pane.editor.text()),
        ("compatibility.toml", ""),
        "the file is empty"
    );
    let judgings = files(&edit_session).len() - FILES.len();
    for _ in 0..judgings {
        act(&mut pane, &mut edit_session, Action::NextFile);
        assert!(
            pane.name().starts_with("judge/") && pane.editor.text().contains("prompt = "),
            "{}",
            pane.name()
        );
        assert!(
            pane.slots(&edit_session)
                .iter()
                .any(|(name, _)| name == "question")
        );
    }
    act(&mut pane, &mut edit_session, Action::NextFile);
    assert_eq!(pane.editor.position(), place);
    act(&mut pane, &mut edit_session, Action::Undo);
    assert_eq!(
        (pane.name(), pane.editor.position()),
        ("styles.toml", (1, 1))
    );
    assert!(edit_session.session().changed().is_empty());
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::Undo)[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn find_and_paste() {
    let (mut edit_session, mut pane) = before("[pair]");
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::Find)[..],
        [Effect::AskText {
            purpose: TextFor::Find,
            ..
        }]
    ));
    pane.typed(&TextFor::Find, "VOCABULARY = \"color\"", &mut edit_session);
    assert_eq!(pane.section().0, Section::Subtask("color".into()));
    assert!(matches!(
        &pane.typed(&TextFor::Find, "zebra", &mut edit_session)[..],
        [Effect::Refuse(_)]
    ));
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::FindAgain)[..],
        [Effect::Refuse(_)]
    ));
    pane.paste("# a note\r\n", &mut edit_session);
    assert!(
        edit_session
            .session()
            .text(templates::FILE)
            .unwrap()
            .contains("# a note\nvocabulary = \"color\"")
    );
}

#[test]
fn an_outside_edit_reaches_the_editor() {
    let (mut edit_session, mut pane) = before("[subject.sign]");
    let text = small()
        .text(templates::FILE)
        .unwrap()
        .replace("a sign that says", "a sign saying");
    let mut disk = small();
    disk.insert(benchtop_model::MetaFile {
        name: templates::FILE.into(),
        text,
    });
    edit_session.on_state(Ok(state(&disk)));
    assert!(drawn(&mut pane, &edit_session, 160, 50).contains("a sign saying"));
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let mut failed = EditSession::new();
    failed.on_state(Err(Error::input("the owner is gone")));
    for (edit_session, says) in [(&EditSession::new(), ""), (&failed, "the owner is gone")] {
        let mut pane = TemplatesPane::new();
        assert!(drawn(&mut pane, edit_session, 80, 24).contains(says));
        assert!(matches!(
            &pane.act(Action::TypeText, &mut edit_session.clone())[..],
            [Effect::Refuse(_)]
        ));
        assert!(matches!(
            &pane.act(Action::Back, &mut edit_session.clone())[..],
            [Effect::Leave]
        ));
    }
    let mut empty = EditSession::new();
    empty.on_state(Ok(state(&benchtop_compose::metadata::Metadata::default())));
    assert!(drawn(&mut TemplatesPane::new(), &empty, 80, 24).contains("top of file"));
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
            let (edit_session, mut pane) = before("[subject.sign]");
            pane.side.shows = side;
            drawn(&mut pane, &edit_session, width, height);
        }
    }
}
