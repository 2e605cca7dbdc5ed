use super::super::preview::compute;
use super::super::session::tests::state;
use super::*;
use benchtop_compose::fixtures::small;
use benchtop_model::Status;
use benchtop_model::usage::{FileState, Tally};
use benchtop_protocol::wire::{AnyRequest, request};

const COLOR: &str = "vocabularies/color.txt";

fn ready() -> EditSession {
    let mut desk = EditSession::new();
    assert!(matches!(
        &desk.read()[..],
        [Effect::Ask(
            Want::State,
            AnyRequest::Metadata(request::Metadata)
        )]
    ));
    let effects = desk.take(Ok(state(&small())));
    assert!(matches!(&effects[..], [Effect::Preview(_)]), "{effects:?}");
    desk
}

fn edited() -> EditSession {
    let mut desk = ready();
    desk.session_mut()
        .edit(&["color"], |v| v[0].insert(0, "green"))
        .unwrap();
    desk.touched();
    desk
}

/// The disk with another text of the colours.
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
fn a_save_says_first_what_it_does_to_the_items() {
    let mut desk = edited();
    let effects = desk.act(Action::SaveMetadata, COLOR, 1).unwrap();
    let [
        Effect::Say(_),
        Effect::Ask(Want::Impact, AnyRequest::Impact(request::Impact(files))),
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
    let effects = desk.impact(Ok(impact));
    let (purpose, title, lines) = choice(&effects);
    assert_eq!(
        title,
        "of 13,000 composed items 0 become stale, 31 are gone"
    );
    assert_eq!(lines[0], ("save 1 file".into(), "color `red`: 31".into()));
    let effects = desk.chosen(purpose, 0).unwrap();
    let [Effect::Ask(Want::Saved, AnyRequest::SaveMetadata(request::SaveMetadata(saves)))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(saves[0].text.as_ref().unwrap().starts_with("green\n") && saves[0].base.is_some());
    let text = saves[0].text.clone().unwrap();
    let effects = desk.saved(Ok(disk(&text)));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Done(said) if said == "saved 1 file")),
        "{effects:?}"
    );
    assert!(desk.session().changed().is_empty());
    assert!(matches!(
        &desk.act(Action::SaveMetadata, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn a_save_that_fails_leaves_the_edit_and_reads_again() {
    let mut desk = edited();
    let problem = Error::new(ErrorKind::Conflict, "color.txt changed on disk");
    let effects = desk.saved(Err(problem));
    assert!(
        matches!(
            &effects[..],
            [
                Effect::Refuse(_),
                Effect::Ask(Want::State, AnyRequest::Metadata(request::Metadata))
            ]
        ),
        "{effects:?}"
    );
    let effects = desk.saved(Err(Error::input("the disk is full")));
    assert!(matches!(&effects[..], [Effect::Refuse(said)] if said.contains("disk is full")));
    assert_eq!(desk.session().changed(), [COLOR]);
    // That the items cannot be counted does not keep anybody from saving.
    let effects = desk.impact(Err(Error::input("no owner")));
    assert!(choice(&effects).1.contains("could not be counted"));
}

#[test]
fn a_conflict_is_told_and_settled_before_anything_is_saved() {
    let mut desk = edited();
    let effects = desk.take(Ok(disk("theirs\n")));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Refuse(said) if said.contains("nothing was merged")))
    );
    let effects = desk.act(Action::SaveMetadata, COLOR, 1).unwrap();
    let (purpose, _, lines) = choice(&effects);
    assert_eq!(
        (purpose, lines.len()),
        (&ChoiceFor::Conflict(COLOR.into()), 3)
    );
    let effects = desk.chosen(purpose, 2).unwrap();
    let [Effect::Show(page)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        page.text().contains("-  theirs") && page.text().contains("+  green"),
        "{}",
        page.text()
    );
    desk.chosen(purpose, 0).unwrap();
    assert!(matches!(
        &desk.act(Action::SaveMetadata, COLOR, 1).unwrap()[..],
        [_, Effect::Ask(Want::Impact, _)]
    ));
    assert!(matches!(
        &desk.act(Action::Resolve, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
}

#[test]
fn quitting_asks_about_what_is_not_saved() {
    assert!(ready().before_quit().is_none());
    let mut desk = edited();
    let effects = desk.before_quit().unwrap();
    let (purpose, title, _) = choice(&effects);
    assert!(title.contains(COLOR));
    assert!(desk.clone().chosen(purpose, 2).unwrap().is_empty());
    assert!(matches!(
        &desk.clone().chosen(purpose, 1).unwrap()[..],
        [Effect::Quit]
    ));
    assert!(matches!(
        &desk.chosen(purpose, 0).unwrap()[..],
        [Effect::Ask(Want::Saved, _)]
    ));
    let text = desk.session().text(COLOR).unwrap().to_string();
    let effects = desk.saved(Ok(disk(&text)));
    assert!(matches!(effects.last(), Some(Effect::Quit)), "{effects:?}");
}

#[test]
fn what_changed_is_shown_reverted_and_taken_back() {
    let mut desk = edited();
    let effects = desk.act(Action::Difference, COLOR, 1).unwrap();
    let [Effect::Show(page)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(page.text().contains("+  green"));
    assert!(matches!(
        &desk.act(Action::EditOutside, COLOR, 1).unwrap()[..],
        [Effect::Refuse(_)]
    ));
    let effects = desk.act(Action::Revert, COLOR, 1).unwrap();
    let purpose = choice(&effects).0.clone();
    desk.chosen(&purpose, 0).unwrap();
    assert!(desk.session().changed().is_empty());
    desk.step(true).unwrap();
    assert_eq!(desk.session().changed(), [COLOR]);
    desk.step(true).unwrap();
    assert!(desk.step(true).unwrap_err().contains("no edit"));
    let effects = desk.act(Action::EditOutside, COLOR, 3).unwrap();
    assert!(matches!(&effects[..], [Effect::Edit { file, line: 3 }] if file == COLOR));
}

#[test]
fn late_previews_are_shown_until_a_newer_one_comes() {
    let mut desk = ready();
    let made = |seed| compute(&small(), &small(), &Selection::All, seed);
    let effects = desk.act(Action::SeedUp, COLOR, 1).unwrap();
    let [Effect::Preview(request)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((request.seed, desk.seed()), (1, 1));
    assert!(desk.preview(Done {
        ticket: request.ticket - 1,
        preview: made(0)
    }));
    assert!(desk.preview(Done {
        ticket: request.ticket,
        preview: made(1)
    }));
    assert_eq!(desk.shown(), Some(&made(1)));
    assert!(!desk.preview(Done {
        ticket: request.ticket + 1,
        preview: made(2)
    }));
    desk.act(Action::SeedDown, COLOR, 1);
    desk.act(Action::SeedDown, COLOR, 1);
    assert_eq!(desk.seed(), u64::MAX);
    assert!(
        desk.select(Selection::All).is_empty(),
        "nothing to do where nothing changes"
    );
}

#[test]
fn what_cannot_be_read_is_said_and_does_not_take_away_what_is_here() {
    let mut desk = EditSession::new();
    desk.take(Err(Error::input("the owner is gone").help("try again")));
    assert_eq!(
        desk.phase(),
        &Phase::Failed("the owner is gone; try again".into())
    );
    let mut desk = edited();
    assert!(matches!(
        &desk.take(Err(Error::input("x")))[..],
        [Effect::Refuse(_)]
    ));
    assert_eq!(
        (desk.phase(), desk.session().changed()),
        (&Phase::Ready, vec![COLOR])
    );
}
