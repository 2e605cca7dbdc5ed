use super::*;
use benchtop_compose::fixtures::small;

/// A state of the disk that holds these files.
pub(crate) fn state(metadata: &Metadata) -> MetadataState {
    let file = |name: &str| {
        let text = metadata.text(name).unwrap().to_string();
        let revision = blake3::hash(text.as_bytes()).to_hex()[..16].to_string();
        FileState {
            name: name.into(),
            text,
            revision,
        }
    };
    MetadataState {
        files: metadata.files().map(file).collect(),
        ..MetadataState::default()
    }
}

fn with(file: &str, text: &str) -> MetadataState {
    let mut metadata = small();
    metadata.insert(MetaFile {
        name: file.into(),
        text: text.into(),
    });
    state(&metadata)
}

fn session() -> Session {
    let mut session = Session::default();
    session.take(state(&small()));
    session
}

const COLOR: &str = "vocabularies/color.txt";

#[test]
fn steps_are_undone_and_redone() {
    let mut session = session();
    assert!(session.changed().is_empty() && session.saves().is_empty());
    session
        .edit(&["color"], |v| v[0].insert(1, "green"))
        .unwrap();
    session
        .edit(&["color", "animal"], |v| {
            v[0].remove(0)?;
            v[1].insert(0, "red")
        })
        .unwrap();
    assert_eq!(session.text(COLOR), Some("green\nblue\nwhite\n"));
    assert_eq!(session.changed(), ["vocabularies/animal.txt", COLOR]);
    assert_eq!(session.undo().unwrap().len(), 2, "one step, two files");
    assert_eq!(session.text(COLOR), Some("red\ngreen\nblue\nwhite\n"));
    session.undo().unwrap();
    assert!(session.changed().is_empty() && session.undo().is_none());
    session.redo().unwrap();
    session.redo().unwrap();
    assert_eq!(session.text(COLOR), Some("green\nblue\nwhite\n"));
    session.undo().unwrap();
    session
        .edit(&["color"], |v| v[0].rename(0, "crimson"))
        .unwrap();
    assert!(session.redo().is_none(), "a new step clears the redo list");
}

#[test]
fn a_failed_edit_changes_nothing() {
    let mut session = session();
    let refused = session.edit(&["color", "animal"], |v| {
        v[0].insert(0, "green")?;
        v[1].insert(0, "OWL")
    });
    assert!(refused.is_err());
    assert!(session.changed().is_empty() && session.undo().is_none());
    assert!(session.edit(&["colour"], |_| Ok(())).is_err());
}

#[test]
fn each_typed_word_is_one_step() {
    let mut session = session();
    let start = session.text("templates.toml").unwrap().to_string();
    let mut text = start.clone();
    for c in "owl cat".chars() {
        text.push(c);
        session.set(vec![("templates.toml".into(), text.clone())], true);
    }
    session.undo().unwrap();
    assert_eq!(
        session.text("templates.toml"),
        Some(&*format!("{start}owl")),
        "the space belongs to the following word"
    );
    session.undo().unwrap();
    assert_eq!(session.text("templates.toml"), Some(&*start));
}

#[test]
fn files_without_edits_follow_the_disk() {
    let mut session = session();
    session
        .edit(&["animal"], |v| v[0].insert(0, "fox"))
        .unwrap();
    assert_eq!(session.take(with(COLOR, "red\nteal\n")), [COLOR]);
    assert_eq!(session.edited().enabled("color"), ["red", "teal"]);
    assert_eq!(session.changed(), ["vocabularies/animal.txt"]);
    assert!(session.conflicts().is_empty());
    let mut fewer = small();
    fewer.remove(COLOR);
    session.take(state(&fewer));
    assert_eq!(session.text(COLOR), None);
}

#[test]
fn a_file_changed_on_both_sides_is_a_conflict() {
    let mut session = session();
    session
        .edit(&["color"], |v| v[0].insert(0, "mine"))
        .unwrap();
    assert_eq!(session.take(with(COLOR, "theirs\n")), [COLOR]);
    assert_eq!(session.conflicts(), [COLOR]);
    assert_eq!(session.theirs(COLOR), Some("theirs\n"));
    assert!(session.text(COLOR).unwrap().starts_with("mine\n"));
    let mut other = session.clone();
    session.keep_mine(COLOR);
    assert!(session.conflicts().is_empty());
    let saves = session.saves();
    let revision = blake3::hash(b"theirs\n").to_hex()[..16].to_string();
    assert_eq!((saves.len(), saves[0].base.as_ref()), (1, Some(&revision)));
    other.take_theirs(COLOR);
    assert!(other.conflicts().is_empty() && other.changed().is_empty());
    other.undo().unwrap();
    assert!(other.text(COLOR).unwrap().starts_with("mine\n"));
    // Restored on disk to the text that the edit began from: the conflict is over.
    let mut back = self::session();
    back.edit(&["color"], |v| v[0].insert(0, "mine")).unwrap();
    back.take(with(COLOR, "theirs\n"));
    back.take(state(&small()));
    assert!(back.conflicts().is_empty() && back.is_changed(COLOR));
}

#[test]
fn a_saved_file_is_not_an_outside_change() {
    let mut session = session();
    session
        .edit(&["color"], |v| v[0].insert(0, "mine"))
        .unwrap();
    let saved = session.text(COLOR).unwrap().to_string();
    assert!(session.take(with(COLOR, &saved)).is_empty());
    assert!(session.changed().is_empty());
    session.undo().unwrap();
    assert!(
        session.is_changed(COLOR),
        "undo reaches back before the save"
    );
}

#[test]
fn a_removed_file_differs_from_an_unreadable_one() {
    let mut session = session();
    let mut fewer = small();
    fewer.remove(COLOR);
    let mut broken = state(&fewer);
    broken.unreadable = vec![Finding::new(
        benchtop_model::Rule::Unreadable,
        COLOR,
        "not UTF-8",
    )];
    assert!(session.take(broken).is_empty());
    assert!(session.text(COLOR).is_some());
    session
        .edit(&["color"], |v| v[0].insert(0, "mine"))
        .unwrap();
    session.take(state(&fewer));
    assert_eq!(
        (session.conflicts(), session.theirs(COLOR)),
        (vec![COLOR], None)
    );
    session.keep_mine(COLOR);
    assert_eq!(session.saves()[0].base, None);
}

#[test]
fn the_first_save_of_a_new_project_writes_every_file() {
    let mut session = Session::default();
    session.take(MetadataState {
        shipped: true,
        ..state(&small())
    });
    assert!(session.saves().is_empty());
    session
        .edit(&["color"], |v| v[0].insert(0, "mine"))
        .unwrap();
    let saves = session.saves();
    assert_eq!(saves.len(), small().files().count());
    assert!(saves.iter().all(|s| s.base.is_none() && s.text.is_some()));
}

#[test]
fn terms_and_styles_are_disabled_together() {
    let mut session = session();
    let terms = |a: &str, b: &str| {
        vec![
            ("color".to_string(), a.to_string()),
            (STYLE.to_string(), b.to_string()),
        ]
    };
    assert_eq!(
        session.set_disabled(&terms("red", "comic"), true).unwrap(),
        2
    );
    assert_eq!(session.edited().enabled("color"), ["blue", "white"]);
    assert!(!session.edited().enabled(STYLE).contains(&"comic"));
    assert_eq!(
        session.set_disabled(&terms("red", "comic"), true).unwrap(),
        0
    );
    assert_eq!(
        session.set_disabled(&terms("red", "comic"), false).unwrap(),
        2
    );
    assert!(
        session.changed().is_empty(),
        "disabling and enabling restores the files"
    );
    assert!(
        session
            .set_disabled(&terms("red", "nothing"), true)
            .is_err()
    );
    assert!(session.changed().is_empty());
}
