use super::*;
use benchtop_compose::fixtures::small;
use benchtop_model::{MetaFile, metafile};

fn edit(file: &str, from: &str, to: &str) -> Metadata {
    let mut edited = small();
    let text = edited.text(file).unwrap();
    assert!(text.contains(from), "{from}");
    let text = text.replace(from, to);
    edited.insert(MetaFile {
        name: file.into(),
        text,
    });
    edited
}

fn text(pieces: &[Piece]) -> String {
    let mark = |p: &Piece| match p.change {
        Change::Same => p.text.clone(),
        Change::Added => format!("[+{}]", p.text),
        Change::Removed => format!("[-{}]", p.text),
    };
    pieces.iter().map(mark).collect()
}

fn all(preview: &Preview) -> String {
    let lines = |s: &Shown| {
        let texts: String = s
            .texts
            .iter()
            .map(|(name, pieces)| format!("  {name} {}\n", text(pieces)))
            .collect();
        let gone = s
            .gone
            .as_ref()
            .map_or(String::new(), |g| format!(" gone: {g}"));
        format!("{}{gone}\n{texts}", s.head)
    };
    preview.shown.iter().map(lines).collect()
}

fn animals() -> Selection {
    Selection::Vocabulary("animal".into())
}

const ANIMAL: &str = "vocabularies/animal.txt";

#[test]
fn without_edits_nothing_changes_and_previews_are_deterministic() {
    let base = small();
    let preview = compute(&base, &base, &animals(), 7);
    assert_eq!((preview.shown.len(), preview.changed()), (SHOWN, 0));
    assert!(
        preview.shown.iter().all(|s| s.head.starts_with("animal, ")),
        "{}",
        all(&preview)
    );
    assert_eq!(compute(&base, &base, &animals(), 7), preview);
    assert_ne!(compute(&base, &base, &animals(), 8).shown, preview.shown);
}

#[test]
fn a_renamed_term_shows_as_old_and_new() {
    let preview = compute(
        &small(),
        &edit(ANIMAL, "salmon\n", "trout\n"),
        &animals(),
        7,
    );
    let shown = all(&preview);
    assert!(shown.contains("[-salmon][+trout]"), "{shown}");
    assert!(preview.shown.iter().all(|s| s.gone.is_none()));
    // Changed questions come first.
    let changed = preview.changed();
    assert!(changed > 0 && preview.shown[..changed].iter().all(Shown::changed));
}

#[test]
fn removed_and_disabled_terms_are_gone() {
    for to in ["", "#- salmon\n"] {
        let preview = compute(&small(), &edit(ANIMAL, "salmon\n", to), &animals(), 7);
        assert!(
            preview.shown[0].gone.as_deref() == Some("animal `salmon`"),
            "{}",
            all(&preview)
        );
        assert!(all(&preview).contains("salmon"));
    }
}

#[test]
fn caches_do_not_affect_the_result() {
    let (base, edited) = (small(), edit(ANIMAL, "salmon\n", "sea wolf\n"));
    let mut maker = Maker::default();
    for (base, edited) in [
        (&base, &base),
        (&base, &edited),
        (&edited, &edited),
        (&edited, &base),
        (&base, &edited),
    ] {
        assert_eq!(
            maker.make(base, edited, &animals(), 3),
            compute(base, edited, &animals(), 3)
        );
    }
    let preview = compute(&base, &edited, &animals(), 3);
    let near = preview
        .found
        .iter()
        .any(|f| f.rule == benchtop_model::Rule::NearSynonym);
    assert!(near, "the linter runs in previews: {:?}", preview.found);
}

#[test]
fn a_disabled_term_is_not_renamed_to_its_new_neighbor() {
    let preview = compute(
        &small(),
        &edit(ANIMAL, "salmon\n", "viper\n#- salmon\n"),
        &animals(),
        7,
    );
    let shown = all(&preview);
    assert!(
        shown.contains("new: animal `viper`") && shown.contains("gone: animal `salmon`"),
        "{shown}"
    );
    assert!(!shown.contains("[-salmon][+viper]"), "{shown}");
}

#[test]
fn a_new_term_gets_its_own_questions() {
    let preview = compute(
        &small(),
        &edit(ANIMAL, "owl\n", "owl\nviper\n"),
        &animals(),
        7,
    );
    let first = &preview.shown[0];
    assert!(
        first.head.contains("new: animal `viper`"),
        "{}",
        all(&preview)
    );
    assert!(text(&first.texts[0].1).starts_with("[+") && text(&first.texts[0].1).contains("viper"));
    assert_eq!(
        preview.changed(),
        1,
        "adding a term changes no other question"
    );
}

#[test]
fn a_changed_term_outside_the_drawn_questions_is_shown() {
    let mut base = small();
    let many: String = ('a'..='z')
        .flat_map(|a| ('a'..='z').map(move |b| format!("x{a}{b}word\n")))
        .collect();
    base.insert(MetaFile {
        name: ANIMAL.into(),
        text: many.clone(),
    });
    let mut edited = base.clone();
    edited.insert(MetaFile {
        name: ANIMAL.into(),
        text: many.replace("xqqword", "other"),
    });
    let preview = compute(&base, &edited, &animals(), 7);
    assert!(
        all(&preview).contains("[-xqqword][+other]"),
        "{}",
        all(&preview)
    );
}

#[test]
fn templates_and_styles_change_their_texts() {
    let file = "templates.toml";
    let selection = Selection::Subject("animal".into());
    let preview = compute(
        &small(),
        &edit(file, "a photo of {a color}", "a picture of {a color}"),
        &selection,
        1,
    );
    assert!(
        all(&preview).contains("P a [-photo][+picture] of"),
        "{}",
        all(&preview)
    );
    let selection = Selection::Subtask("color".into());
    let preview = compute(
        &small(),
        &edit(file, "The {subject} is {term}.", "It is {term}."),
        &selection,
        1,
    );
    assert!(all(&preview).contains("[+It]"), "{}", all(&preview));
    let preview = compute(
        &small(),
        &edit(file, "Please answer yes", "Answer yes"),
        &Selection::All,
        1,
    );
    assert_eq!(
        preview.changed(),
        0,
        "no drawn question is a yes/no question"
    );
}

#[test]
fn the_instruction_is_shown_if_only_it_changed() {
    let preview = compute(
        &small(),
        &edit("templates.toml", "Choices:", "Options:"),
        &Selection::All,
        1,
    );
    let first = &preview.shown[0];
    assert_eq!(first.texts.last().unwrap().0, "I");
    assert!(text(&first.texts.last().unwrap().1).contains("[-Choices][+Options]"));
    let selection = Selection::Style("comic".into());
    let preview = compute(
        &small(),
        &edit("styles.toml", "bad comic", "ugly comic"),
        &selection,
        1,
    );
    assert!(
        all(&preview).contains("N [-bad][+ugly] comic"),
        "{}",
        all(&preview)
    );
}

#[test]
fn a_new_slot_is_filled_and_a_misspelled_one_is_reported() {
    let sign = "a sign that says '{text}', {style}";
    let selection = Selection::Subject("sign".into());
    let preview = compute(
        &small(),
        &edit(
            "templates.toml",
            sign,
            "{a color} sign that says '{text}', {style}",
        ),
        &selection,
        1,
    );
    assert!(
        preview
            .shown
            .iter()
            .all(|s| s.gone.is_none() && s.changed()),
        "{}",
        all(&preview)
    );
    let colors = ["red", "blue", "white"]
        .iter()
        .any(|c| all(&preview).contains(&format!("[+{c} ]sign")));
    assert!(colors, "{}", all(&preview));
    let preview = compute(
        &small(),
        &edit("templates.toml", sign, "a sign that says '{txt}', {style}"),
        &selection,
        1,
    );
    assert!(
        preview
            .found
            .iter()
            .any(|f| f.rule == benchtop_model::Rule::UnknownSlot && f.line > 0 && f.column > 0)
    );
    assert_eq!(preview.shown[0].gone.as_deref(), Some("subject sign"));
}

#[test]
fn invalid_metadata_does_not_panic() {
    for text in ["", "[[[", "[instruction]\n", "\u{0}"] {
        let mut edited = small();
        edited.insert(MetaFile {
            name: "templates.toml".into(),
            text: text.into(),
        });
        let preview = compute(&small(), &edited, &Selection::All, 1);
        assert!(!preview.found.is_empty() && preview.shown.iter().all(|s| s.gone.is_some()));
        assert!(
            compute(&edited, &small(), &Selection::All, 1)
                .shown
                .iter()
                .all(Shown::changed)
        );
    }
    let empty = Metadata::default();
    assert_eq!(compute(&empty, &empty, &animals(), 0).shown.len(), 0);
    let preview = compute(
        &small(),
        &edit(ANIMAL, "owl\ncat\nhorse\nsalmon\nbeetle\nwolf\n", ""),
        &animals(),
        7,
    );
    assert!(
        preview.shown.iter().all(|s| s.gone.is_some()),
        "{}",
        all(&preview)
    );
}

#[test]
fn the_shipped_metadata_has_a_preview_for_every_vocabulary() {
    let base = Metadata::parse(metafile::shipped());
    for name in base
        .vocabularies()
        .keys()
        .map(String::as_str)
        .chain([STYLE])
    {
        let preview = compute(&base, &base, &Selection::Vocabulary(name.into()), 3);
        assert_eq!(
            (preview.shown.len(), preview.changed()),
            (SHOWN, 0),
            "{name}"
        );
    }
    for subtask in base.templates().subtasks.keys() {
        assert_eq!(
            compute(&base, &base, &Selection::Subtask(subtask.clone()), 3)
                .shown
                .len(),
            SHOWN,
            "{subtask}"
        );
    }
}

#[test]
fn questions_excluded_by_a_new_rule_come_first() {
    let with = |rules: &str| {
        let mut edited = small();
        edited.insert(MetaFile {
            name: "compatibility.toml".into(),
            text: rules.into(),
        });
        edited
    };
    for (rule, said) in [
        (
            "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"on a lawn\"]\n",
            "`owl` and `on a lawn`",
        ),
        (
            "[[hides]]\nstyle = [\"comic\"]\nhides = [\"animal\"]\n",
            "`comic` hides the animal",
        ),
    ] {
        let preview = compute(&small(), &with(rule), &animals(), 7);
        assert!(
            preview.shown[0]
                .gone
                .as_deref()
                .is_some_and(|g| g.contains(said)),
            "{}",
            all(&preview)
        );
        assert_eq!(
            compute(&with(rule), &with(rule), &animals(), 7).changed(),
            0,
            "an existing rule changes nothing"
        );
    }
    assert_eq!(compute(&small(), &with(""), &animals(), 7).changed(), 0);
}
