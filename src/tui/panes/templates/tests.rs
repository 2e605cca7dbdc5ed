use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{lines, only, recorder, refused};
use crate::pane::{Effect, PaneId, Target};
use crate::panes::metadata::edit_session::TEXTS;
use crate::panes::metadata::preview::{Selection, compute};
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_compose::metadata::Metadata;
use benchtop_model::{ColorLevel, Error, MetaFile, Rule};

/// Makes the wanted preview, as the program would. Returns its selection.
fn settle(rec: &Recorder) -> Option<Selection> {
    let mut metadata = rec.metadata.borrow_mut();
    let r = metadata.take_wanted()?;
    let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
    assert!(metadata.preview(Done {
        ticket: r.ticket,
        preview
    }));
    Some(r.selection)
}

/// Reads these files.
fn read(rec: &Recorder, disk: &Metadata) {
    rec.metadata.borrow_mut().on_state(Ok(state(disk)));
    settle(rec);
}

/// The pane with the cursor before `part` of `templates.toml`.
fn before(part: &str) -> (Recorder, TemplatesPane) {
    let (rec, mut pane) = (recorder(), TemplatesPane::default());
    read(&rec, &small());
    let text = small().text(templates::FILE).unwrap().to_string();
    let at = text.find(part).unwrap();
    rec.metadata.borrow_mut().set_goal(Place {
        file: templates::FILE.into(),
        line: text[..at].matches('\n').count() as u32 + 1,
        column: text[..at].rsplit('\n').next().unwrap().chars().count() as u32 + 1,
    });
    assert!(rec.open(&mut pane).is_empty());
    settle(&rec);
    (rec, pane)
}

fn key(rec: &Recorder, pane: &mut TemplatesPane, code: KeyCode) -> Option<Selection> {
    let key = KeyEvent::new(code, KeyModifiers::NONE);
    rec.call(pane, |pane, cx| pane.key(key, cx));
    settle(rec)
}

fn write(rec: &Recorder, pane: &mut TemplatesPane, text: &str) -> Option<Selection> {
    let keys = text.chars().map(|c| key(rec, pane, KeyCode::Char(c)));
    keys.collect::<Vec<_>>().into_iter().flatten().next_back()
}

fn act(rec: &Recorder, pane: &mut TemplatesPane, action: Action) -> Vec<Effect> {
    let effects = rec.act(pane, action);
    settle(rec);
    effects
}

fn find(rec: &Recorder, pane: &mut TemplatesPane, text: &str) -> Vec<Effect> {
    let mut prompt = only(act(rec, pane, Action::Find));
    rec.write(pane, &mut prompt, text).unwrap()
}

fn drawn(rec: &Recorder, pane: &mut TemplatesPane, width: u16, height: u16) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    let cursor = rec.draw_cursor(pane, buf.area, &mut buf, &look);
    assert_eq!(
        cursor.is_some(),
        pane.typing(),
        "the terminal's cursor is shown while typing"
    );
    crate::pane::testing::drawn(rec, pane, (width, height), ColorLevel::True)
}

fn text(rec: &Recorder) -> String {
    let metadata = rec.metadata.borrow();
    let text = metadata.session().text(templates::FILE);
    text.unwrap().to_string()
}

fn unchanged(rec: &Recorder) -> bool {
    rec.metadata.borrow().session().changed().is_empty()
}

#[test]
fn typing_changes_the_text_and_its_preview() {
    let (rec, mut pane) = before("photo of {a color}");
    assert!(
        write(&rec, &mut pane, "x").is_none() && unchanged(&rec),
        "not typing yet"
    );
    act(&rec, &mut pane, Action::TypeText);
    assert_eq!(pane.scopes().unwrap(), [Scope::Editor]);
    let about = write(&rec, &mut pane, "blurry ");
    assert_eq!(about, Some(Selection::Subject("animal".into())));
    let shown = drawn(&rec, &mut pane, 160, 50);
    assert!(
        shown.contains("a blurry photo of") && shown.contains("templates.toml"),
        "{shown}"
    );
    assert!(rec.metadata.borrow().shown().unwrap().changed() > 0);
    act(&rec, &mut pane, Action::UndoText);
    act(&rec, &mut pane, Action::UndoText);
    assert!(unchanged(&rec) && pane.editor.text() == text(&rec));
    act(&rec, &mut pane, Action::RedoText);
    assert!(
        pane.editor.text().contains("a blurryphoto"),
        "undo removes one word"
    );
    assert!(matches!(
        &act(&rec, &mut pane, Action::SaveText)[..],
        [Effect::Say(_), Effect::Ask(_)]
    ));
    act(&rec, &mut pane, Action::StopTyping);
    assert!(!pane.typing());
}

#[test]
fn a_misspelled_slot_is_underlined_and_reported() {
    let (rec, mut pane) = before("{text}', {style}");
    act(&rec, &mut pane, Action::TypeText);
    key(&rec, &mut pane, KeyCode::Right);
    write(&rec, &mut pane, "x");
    let found: Vec<Finding> = rec
        .metadata
        .borrow()
        .found_in(templates::FILE)
        .filter(|f| f.rule == Rule::UnknownSlot)
        .cloned()
        .collect();
    assert_eq!(found.len(), 1);
    act(&rec, &mut pane, Action::StopTyping);
    act(&rec, &mut pane, Action::Top);
    act(&rec, &mut pane, Action::PreviousFinding);
    act(&rec, &mut pane, Action::Top);
    while pane.editor.position() != (found[0].line, found[0].column) {
        assert!(act(&rec, &mut pane, Action::NextFinding).is_empty());
    }
    pane.side.shows = Side::Findings;
    act(&rec, &mut pane, Action::NextArea);
    let at = rec.metadata.borrow().found().position(|f| *f == found[0]);
    for _ in 0..at.unwrap() {
        act(&rec, &mut pane, Action::Down);
    }
    let shown = drawn(&rec, &mut pane, 160, 50);
    assert!(
        shown.contains("{xtext}") && shown.contains("findings: "),
        "{shown}"
    );
    act(&rec, &mut pane, Action::Open);
    assert_eq!(
        (pane.area, pane.editor.position()),
        (Area::Text, (found[0].line, found[0].column))
    );
}

#[test]
fn a_finding_of_a_vocabulary_opens_the_other_pane() {
    let (rec, mut pane) = before("[subject.sign]");
    let mut disk = small();
    disk.insert(MetaFile {
        name: "vocabularies/animal.txt".into(),
        text: "owl\nbad {slot}\n".into(),
    });
    read(&rec, &disk);
    pane.side.shows = Side::Findings;
    act(&rec, &mut pane, Action::NextArea);
    let wanted = rec.metadata.borrow().found().next().cloned().unwrap();
    assert_eq!(wanted.file, "vocabularies/animal.txt");
    assert!(matches!(
        &act(&rec, &mut pane, Action::Open)[..],
        [Effect::Open(Target::Pane(PaneId::Vocabulary))]
    ));
    let goal = rec.metadata.borrow_mut().take_goal().unwrap();
    assert_eq!((goal.file, goal.line), (wanted.file, wanted.line));
}

#[test]
fn available_slots_are_shown_and_inserted() {
    let (rec, mut pane) = before("\", \"a photo");
    assert!(drawn(&rec, &mut pane, 160, 50).contains("subject animal, prompt"));
    assert!(drawn(&rec, &mut pane, 80, 24).contains("subject animal, prompt: {thing} {animal}"));
    act(&rec, &mut pane, Action::TypeText);
    let mut menu = only(act(&rec, &mut pane, Action::InsertSlot));
    let pick = lines(&menu).1.iter().position(|line| line.0 == "{text}");
    rec.choose(&mut pane, &mut menu, pick.unwrap());
    assert!(pane.editor.text().contains("{style}{text}\", \"a photo"));
    assert_eq!(text(&rec), pane.editor.text());
    let (rec, mut pane) = before("[subject.animal]");
    assert!(act(&rec, &mut pane, Action::Bottom).is_empty());
    act(&rec, &mut pane, Action::Top);
    refused(&act(&rec, &mut pane, Action::InsertSlot));
}

#[test]
fn each_file_keeps_its_cursor_and_undo_goes_to_the_change() {
    let (rec, mut pane) = before("[subject.sign]");
    let place = pane.editor.position();
    act(&rec, &mut pane, Action::NextFile);
    assert!(pane.editor.text().starts_with("[[style]]"));
    act(&rec, &mut pane, Action::TypeText);
    write(&rec, &mut pane, "#");
    act(&rec, &mut pane, Action::StopTyping);
    act(&rec, &mut pane, Action::NextFile);
    assert_eq!(
        (pane.name(), pane.editor.text()),
        ("compatibility.toml", ""),
        "the file is empty"
    );
    let judgings = rec.metadata.borrow().texts().len() - TEXTS.len();
    for _ in 0..judgings {
        act(&rec, &mut pane, Action::NextFile);
        assert!(
            pane.name().starts_with("judge/") && pane.editor.text().contains("prompt = "),
            "{}",
            pane.name()
        );
        let slots = pane.slots(&rec.metadata.borrow());
        assert!(slots.iter().any(|(name, _)| name == "question"));
    }
    act(&rec, &mut pane, Action::NextFile);
    assert_eq!(pane.editor.position(), place);
    act(&rec, &mut pane, Action::Undo);
    assert_eq!(
        (pane.name(), pane.editor.position()),
        ("styles.toml", (1, 1))
    );
    assert!(unchanged(&rec));
    refused(&act(&rec, &mut pane, Action::Undo));
}

#[test]
fn find_and_paste() {
    let (rec, mut pane) = before("[pair]");
    assert!(find(&rec, &mut pane, "VOCABULARY = \"color\"").is_empty());
    assert_eq!(pane.section().0, Section::Subtask("color".into()));
    refused(&find(&rec, &mut pane, "zebra"));
    refused(&act(&rec, &mut pane, Action::FindAgain));
    assert!(pane.pastes() && !pane.typing());
    rec.call(&mut pane, |pane, cx| pane.paste("# a note\r\n", cx));
    assert!(text(&rec).contains("# a note\nvocabulary = \"color\""));
}

#[test]
fn an_outside_edit_reaches_the_editor() {
    let (rec, mut pane) = before("[subject.sign]");
    let text = small()
        .text(templates::FILE)
        .unwrap()
        .replace("a sign that says", "a sign saying");
    let mut disk = small();
    disk.insert(MetaFile {
        name: templates::FILE.into(),
        text,
    });
    read(&rec, &disk);
    assert!(drawn(&rec, &mut pane, 160, 50).contains("a sign saying"));
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let failed = Err(Error::input("the owner is gone"));
    for (files, says) in [(None, ""), (Some(failed), "the owner is gone")] {
        let (rec, mut pane) = (recorder(), TemplatesPane::default());
        if let Some(files) = files {
            rec.metadata.borrow_mut().on_state(files);
        }
        assert!(drawn(&rec, &mut pane, 80, 24).contains(says));
        refused(&act(&rec, &mut pane, Action::TypeText));
        assert!(matches!(
            &act(&rec, &mut pane, Action::Back)[..],
            [Effect::Open(Target::Review)]
        ));
    }
    let rec = recorder();
    read(&rec, &Metadata::default());
    assert!(drawn(&rec, &mut TemplatesPane::default(), 80, 24).contains("top of file"));
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
            let (rec, mut pane) = before("[subject.sign]");
            pane.side.shows = side;
            drawn(&rec, &mut pane, width, height);
        }
    }
}
