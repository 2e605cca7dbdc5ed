use super::super::preview::{Selection, compute};
use super::super::session::tests::state;
use super::super::worker::Done;
use super::super::{EditSession, Phase};
use super::*;
use crate::pane::Effect;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{
    lines as lines_of, only, recorder, refused, request as asked_for, said,
};
use crate::panes::vocabulary::VocabularyPane;
use benchtop_compose::fixtures::small;
use benchtop_model::usage::{FileState, Tally};
use benchtop_model::{Error, Status};
use benchtop_protocol::wire::AnyRequest;

const COLOR: &str = "vocabularies/color.txt";

fn ready() -> (Recorder, VocabularyPane) {
    let rec = recorder();
    assert!(
        rec.metadata
            .borrow_mut()
            .on_state(Ok(state(&small())))
            .is_none()
    );
    assert!(rec.metadata.borrow_mut().take_wanted().is_some());
    (rec, VocabularyPane::default())
}

fn edited() -> (Recorder, VocabularyPane) {
    let (rec, pane) = ready();
    let mut metadata = rec.metadata.borrow_mut();
    let session = metadata.session_mut();
    session
        .edit(&["color"], |v| v[0].insert(0, "green"))
        .unwrap();
    metadata.touched();
    drop(metadata);
    (rec, pane)
}

/// The state with another text of the color vocabulary.
fn disk(text: &str) -> MetadataState {
    let mut state = state(&small());
    for file in state.files.iter_mut().filter(|f| f.name == COLOR) {
        *file = FileState {
            text: text.into(),
            revision: format!("{:016x}", text.len()),
            ..file.clone()
        };
    }
    state
}

fn act(rec: &Recorder, pane: &mut VocabularyPane, action: Action) -> Vec<Effect> {
    act_at(rec, pane, action, 1)
}

fn act_at(rec: &Recorder, pane: &mut VocabularyPane, action: Action, line: u32) -> Vec<Effect> {
    rec.call(pane, |_, cx| {
        assert!(super::act::<VocabularyPane>(action, COLOR, line, cx));
    })
}

fn changed(rec: &Recorder) -> Vec<String> {
    let metadata = rec.metadata.borrow();
    let changed = metadata.session().changed();
    changed.into_iter().map(String::from).collect()
}

fn color(rec: &Recorder) -> String {
    rec.metadata.borrow().session().text(COLOR).unwrap().into()
}

/// Saves and replies to the count.
fn confirm(rec: &Recorder, pane: &mut VocabularyPane, impact: Result<Impact>) -> Effect {
    let count = act(rec, pane, Action::SaveMetadata).pop().unwrap();
    only(rec.reply::<request::Impact>(pane, count, impact))
}

#[test]
fn a_save_shows_its_effect_on_the_items_first() {
    let (rec, mut pane) = edited();
    let effects = act(&rec, &mut pane, Action::SaveMetadata);
    let [Effect::Say(_), Effect::Ask(ask)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let AnyRequest::Impact(request::Impact(files)) = &ask.request else {
        panic!("{effects:?}")
    };
    assert_eq!((files.len(), files[0].name.as_str()), (1, COLOR));
    let mut gone = Tally::default();
    (0..31).for_each(|_| gone.add(Status::Accepted));
    let causes = vec![("color `red`".to_string(), 31)];
    let impact = Impact {
        composed: 13_000,
        stale: Tally::default(),
        gone,
        causes,
    };
    let mut menu = confirm(&rec, &mut pane, Ok(impact));
    let (title, choices) = lines_of(&menu);
    assert!(title.contains("13,000") && title.contains("31"), "{title}");
    assert_eq!(choices[0].1, "color `red`: 31");
    let ask = only(rec.choose(&mut pane, &mut menu, 0));
    let AnyRequest::SaveMetadata(request::SaveMetadata(saves)) = asked_for(&ask) else {
        panic!("{ask:?}")
    };
    let text = saves[0].text.clone().unwrap();
    assert!(text.starts_with("green\n") && saves[0].base.is_some());
    let effects = rec.reply::<request::SaveMetadata>(&mut pane, ask, Ok(disk(&text)));
    assert!(
        matches!(&effects[0], Effect::Say(toast) if toast.text.contains('1')),
        "{effects:?}"
    );
    assert!(matches!(
        asked_for(&effects[1]),
        AnyRequest::Recompose(request::Recompose { dry: true, .. })
    ));
    assert!(changed(&rec).is_empty());
    refused(&act(&rec, &mut pane, Action::SaveMetadata));
}

#[test]
fn a_failed_save_keeps_the_edit_and_reloads() {
    for (kind, reads) in [(ErrorKind::Conflict, true), (ErrorKind::Input, false)] {
        let (rec, mut pane) = edited();
        // A failed count does not prevent saving.
        let mut menu = confirm(&rec, &mut pane, Err(Error::input("no owner")));
        assert!(lines_of(&menu).0.contains("no owner"));
        let ask = only(rec.choose(&mut pane, &mut menu, 0));
        let failed = Err(Error::new(kind, "the disk is full"));
        let effects = rec.reply::<request::SaveMetadata>(&mut pane, ask, failed);
        assert!(matches!(&effects[0], Effect::Say(toast) if toast.text.contains("disk is full")));
        let read = effects.iter().any(|e| matches!(e, Effect::ReadMetadata));
        assert_eq!(read, reads, "{effects:?}");
        assert_eq!(changed(&rec), [COLOR]);
    }
}

#[test]
fn a_conflict_is_resolved_before_anything_is_saved() {
    let (rec, mut pane) = edited();
    let toast = rec.metadata.borrow_mut().on_state(Ok(disk("theirs\n")));
    assert!(toast.unwrap().text.contains(COLOR));
    let mut menu = only(act(&rec, &mut pane, Action::SaveMetadata));
    let (title, choices) = lines_of(&menu);
    assert!(title.contains(COLOR) && choices.len() == 3, "{menu:?}");
    let shown = only(rec.choose(&mut pane, &mut menu, 2));
    let Effect::Page(page) = &shown else {
        panic!("{shown:?}")
    };
    assert!(
        page.text().contains("-  theirs") && page.text().contains("+  green"),
        "{}",
        page.text()
    );
    let mut menu = only(act(&rec, &mut pane, Action::Resolve));
    rec.choose(&mut pane, &mut menu, 0);
    assert!(matches!(
        &act(&rec, &mut pane, Action::SaveMetadata)[..],
        [Effect::Say(_), Effect::Ask(_)]
    ));
    refused(&act(&rec, &mut pane, Action::Resolve));
}

#[test]
fn a_save_before_the_end_quits_once_everything_is_saved() {
    let (rec, mut pane) = edited();
    let ask = only(rec.call(&mut pane, |_, cx| save_now::<VocabularyPane>(true, cx)));
    let saved = Ok(disk(&color(&rec)));
    let effects = rec.reply::<request::SaveMetadata>(&mut pane, ask, saved);
    assert!(
        effects.iter().any(|e| matches!(e, Effect::Quit)),
        "{effects:?}"
    );
    assert!(
        !effects.iter().any(
            |e| matches!(e, Effect::Ask(ask) if matches!(ask.request, AnyRequest::Recompose(_)))
        )
    );
    let (rec, mut pane) = edited();
    let ask = only(rec.call(&mut pane, |_, cx| save_now::<VocabularyPane>(true, cx)));
    let failed = Err(Error::input("the disk is full"));
    let effects = rec.reply::<request::SaveMetadata>(&mut pane, ask, failed);
    assert!(
        !effects.iter().any(|e| matches!(e, Effect::Quit)),
        "{effects:?}"
    );
}

#[test]
fn edits_are_diffed_reverted_and_undone() {
    let (rec, mut pane) = edited();
    let shown = only(act(&rec, &mut pane, Action::Difference));
    let Effect::Page(page) = &shown else {
        panic!("{shown:?}")
    };
    assert!(page.text().contains("+  green"));
    refused(&act(&rec, &mut pane, Action::EditOutside));
    let mut menu = only(act(&rec, &mut pane, Action::Revert));
    rec.choose(&mut pane, &mut menu, 0);
    assert!(changed(&rec).is_empty());
    rec.metadata.borrow_mut().step(true).unwrap();
    assert_eq!(changed(&rec), [COLOR]);
    rec.metadata.borrow_mut().step(true).unwrap();
    assert!(rec.metadata.borrow_mut().step(true).is_err());
    let effects = act_at(&rec, &mut pane, Action::EditOutside, 3);
    let [Effect::Edit(path, crate::pane::EditAt::Line(3))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(path.ends_with(COLOR));
}

#[test]
fn only_existing_files_of_the_project_are_edited_outside() {
    let (rec, mut pane) = ready();
    let mut shipped = state(&small());
    shipped.shipped = true;
    rec.metadata.borrow_mut().on_state(Ok(shipped));
    said(&act(&rec, &mut pane, Action::EditOutside));
}

#[test]
fn late_previews_are_shown_until_a_newer_one_arrives() {
    let (rec, mut pane) = ready();
    let made = |seed| compute(&small(), &small(), &Selection::All, seed);
    assert!(act(&rec, &mut pane, Action::SeedUp).is_empty());
    let mut metadata = rec.metadata.borrow_mut();
    let request = metadata.take_wanted().unwrap();
    assert!(metadata.take_wanted().is_none(), "each is made once");
    assert_eq!((request.seed, metadata.seed()), (1, 1));
    assert!(metadata.preview(Done {
        ticket: request.ticket - 1,
        preview: made(0)
    }));
    assert!(metadata.preview(Done {
        ticket: request.ticket,
        preview: made(1)
    }));
    assert_eq!(metadata.shown(), Some(&made(1)));
    assert!(!metadata.preview(Done {
        ticket: request.ticket + 1,
        preview: made(2)
    }));
    drop(metadata);
    act(&rec, &mut pane, Action::SeedDown);
    act(&rec, &mut pane, Action::SeedDown);
    let mut metadata = rec.metadata.borrow_mut();
    assert_eq!(metadata.seed(), u64::MAX);
    assert!(
        !metadata.select(Selection::All),
        "the same selection needs no preview"
    );
}

#[test]
fn a_failed_load_is_reported_and_keeps_the_edits() {
    let mut edit_session = EditSession::new();
    edit_session.on_state(Err(Error::input("the owner is gone").help("try again")));
    assert_eq!(
        edit_session.phase(),
        &Phase::Failed("the owner is gone; try again".into())
    );
    let (rec, _) = edited();
    let toast = rec.metadata.borrow_mut().on_state(Err(Error::input("x")));
    assert!(toast.is_some() && rec.metadata.borrow().is_ready());
    assert_eq!(changed(&rec), [COLOR]);
}
