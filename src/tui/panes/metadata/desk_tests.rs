use super::super::preview::compute;
use super::super::session::tests::state;
use super::*;
use benchtop_compose::fixtures::small;
use benchtop_model::Status;
use benchtop_model::usage::{FileState, Tally};
use benchtop_protocol::wire::{AnyRequest, request};

const COLOR: &str = "vocabularies/color.txt";

fn ready() -> EditSession {
    let mut edit_session = EditSession::new();
    assert!(matches!(
        &edit_session.read()[..],
        [Effect::Ask(
            ReplyFor::State,
            AnyRequest::Metadata(request::Metadata)
        )]
    ));
    let effects = edit_session.on_state(Ok(state(&small())));
    assert!(matches!(&effects[..], [Effect::Preview(_)]), "{effects:?}");
    edit_session
}

fn edited() -> EditSession {
    let mut edit_session = ready();
    edit_session
        .session_mut()
        .edit(&["color"], |v| v[0].insert(0, "green"))
        .unwrap();
    edit_session.touched();
    edit_session
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

fn choice(effects: &[Effect]) -> (&ChoiceFor, &str, &[Line]) {
    match effects {
        [
            Effect::AskChoice {
                purpose,
                title,
                lines,
            },
        ] => (purpose, title, lines),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_save_shows_its_effect_on_the_items_first() {
    let mut edit_session = edited();
    let effects = edit_session.act(Action::SaveMetadata, COLOR, 1).unwrap();
    let [
        Effect::Say(_),
        Effect::Ask(ReplyFor::Impact, AnyRequest::Impact(request::Impact(files))),
    ] = &effects[..]
    else {
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
    let effects = edit_session.on_impact(Ok(impact));
    let (purpose, title, lines) = choice(&effects);
    assert!(title.contains("13,000") && title.contains("31"), "{title}");
    assert_eq!(lines[0].1, "color `red`: 31");
    let effects = edit_session.chosen(purpose, 0).unwrap();
    let [Effect::Ask(ReplyFor::Saved, AnyRequest::SaveMetadata(request::SaveMetadata(saves)))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(saves[0].text.as_ref().unwrap().starts_with("green\n") && saves[0].base.is_some());
    let text = saves[0].text.clone().unwrap();
    let effects = edit_session.on_saved(Ok(disk(&text)));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Done(text) if text.contains('1'))),
        "{effects:?}"
    );
    assert!(edit_session.session().changed().is_empty());
    assert!(matches!(
        &edit_session.act(Action::SaveMetadata, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn a_failed_save_keeps_the_edit_and_reloads() {
    let mut edit_session = edited();
    let problem = Error::new(ErrorKind::Conflict, "color.txt changed on disk");
    let effects = edit_session.on_saved(Err(problem));
    assert!(
        matches!(
            &effects[..],
            [
                Effect::Refuse(_),
                Effect::Ask(ReplyFor::State, AnyRequest::Metadata(request::Metadata))
            ]
        ),
        "{effects:?}"
    );
    let effects = edit_session.on_saved(Err(Error::input("the disk is full")));
    assert!(matches!(&effects[..], [Effect::Refuse(text)] if text.contains("disk is full")));
    assert_eq!(edit_session.session().changed(), [COLOR]);
    // A failed count does not prevent saving.
    let effects = edit_session.on_impact(Err(Error::input("no owner")));
    assert!(choice(&effects).1.contains("no owner"));
}

#[test]
fn a_conflict_is_resolved_before_anything_is_saved() {
    let mut edit_session = edited();
    let effects = edit_session.on_state(Ok(disk("theirs\n")));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Refuse(text) if text.contains(COLOR)))
    );
    let effects = edit_session.act(Action::SaveMetadata, COLOR, 1).unwrap();
    let (purpose, _, lines) = choice(&effects);
    assert_eq!(
        (purpose, lines.len()),
        (&ChoiceFor::Conflict(COLOR.into()), 3)
    );
    let effects = edit_session.chosen(purpose, 2).unwrap();
    let [Effect::Show(page)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        page.text().contains("-  theirs") && page.text().contains("+  green"),
        "{}",
        page.text()
    );
    edit_session.chosen(purpose, 0).unwrap();
    assert!(matches!(
        &edit_session.act(Action::SaveMetadata, COLOR, 1).unwrap()[..],
        [_, Effect::Ask(ReplyFor::Impact, _)]
    ));
    assert!(matches!(
        &edit_session.act(Action::Resolve, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn quitting_asks_about_unsaved_edits() {
    assert!(ready().before_quit().is_none());
    let mut edit_session = edited();
    let effects = edit_session.before_quit().unwrap();
    let (purpose, title, _) = choice(&effects);
    assert!(title.contains(COLOR));
    assert!(edit_session.clone().chosen(purpose, 2).unwrap().is_empty());
    assert!(matches!(
        &edit_session.clone().chosen(purpose, 1).unwrap()[..],
        [Effect::Quit]
    ));
    assert!(matches!(
        &edit_session.chosen(purpose, 0).unwrap()[..],
        [Effect::Ask(ReplyFor::Saved, _)]
    ));
    let text = edit_session.session().text(COLOR).unwrap().to_string();
    let effects = edit_session.on_saved(Ok(disk(&text)));
    assert!(matches!(effects.last(), Some(Effect::Quit)), "{effects:?}");
}

#[test]
fn edits_are_diffed_reverted_and_undone() {
    let mut edit_session = edited();
    let effects = edit_session.act(Action::Difference, COLOR, 1).unwrap();
    let [Effect::Show(page)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(page.text().contains("+  green"));
    assert!(matches!(
        &edit_session.act(Action::EditOutside, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
    let effects = edit_session.act(Action::Revert, COLOR, 1).unwrap();
    let purpose = choice(&effects).0.clone();
    edit_session.chosen(&purpose, 0).unwrap();
    assert!(edit_session.session().changed().is_empty());
    edit_session.step(true).unwrap();
    assert_eq!(edit_session.session().changed(), [COLOR]);
    edit_session.step(true).unwrap();
    assert!(edit_session.step(true).is_err());
    let effects = edit_session.act(Action::EditOutside, COLOR, 3).unwrap();
    assert!(matches!(&effects[..], [Effect::Edit { file, line: 3 }] if file == COLOR));
}

#[test]
fn late_previews_are_shown_until_a_newer_one_arrives() {
    let mut edit_session = ready();
    let made = |seed| compute(&small(), &small(), &Selection::All, seed);
    let effects = edit_session.act(Action::SeedUp, COLOR, 1).unwrap();
    let [Effect::Preview(request)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((request.seed, edit_session.seed()), (1, 1));
    assert!(edit_session.preview(Done {
        ticket: request.ticket - 1,
        preview: made(0)
    }));
    assert!(edit_session.preview(Done {
        ticket: request.ticket,
        preview: made(1)
    }));
    assert_eq!(edit_session.shown(), Some(&made(1)));
    assert!(!edit_session.preview(Done {
        ticket: request.ticket + 1,
        preview: made(2)
    }));
    edit_session.act(Action::SeedDown, COLOR, 1);
    edit_session.act(Action::SeedDown, COLOR, 1);
    assert_eq!(edit_session.seed(), u64::MAX);
    assert!(
        edit_session.select(Selection::All).is_empty(),
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
    let mut edit_session = edited();
    assert!(matches!(
        &edit_session.on_state(Err(Error::input("x")))[..],
        [Effect::Refuse(_)]
    ));
    assert_eq!(
        (edit_session.phase(), edit_session.session().changed()),
        (&Phase::Ready, vec![COLOR])
    );
}
