use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::import::import;
use crate::stale_sources::Sources;
use crate::testing::reopen;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::derivation::{PRINT_ATTACK, SEED, WORD};
use benchtop_model::import::ImportRequest;
use benchtop_model::{Choice, QuestionKind, Rights, Role};
use benchtop_store::open::{self, OpenData};

fn source(key: i64) -> Item {
    let sensitivity = vec!["celebrity".into()];
    Item {
        question: format!("Which animal is on picture {key}?"),
        kind: QuestionKind::MultipleChoice,
        options: Choice::list(vec!["cat".into(), "dog".into()], |at| Role::of(at == 0)),
        answer: "cat".into(),
        images: vec![ImageRef {
            hash: Some(format!("{key:064x}")),
            ext: Some("jpg".into()),
            rights: Some(Box::new(Rights {
                sensitivity,
                ..Rights::default()
            })),
            ..ImageRef::named(format!("images/{key}.jpg"))
        }],
        ..Item::blank("clean", Key::Int(key))
    }
}

fn attack(source: &Item) -> Derivation {
    let mut derivation = Derivation::of(source, PRINT_ATTACK, "1");
    derivation.parameters.insert(WORD.into(), "dog".into());
    derivation.parameters.insert(SEED.into(), 7.into());
    derivation
}

fn derived(project: &Project, source: &Item, bytes: &[u8]) -> Item {
    let picture = keep_picture(project, &source.images[0], "print-attack", bytes).unwrap();
    let new = NewItem {
        source,
        dataset: "attacked",
        variant: "print-attack",
        suffix: "",
        pictures: vec![picture],
        modified: true,
        derivation: attack(source),
    };
    new.item().unwrap()
}

#[test]
fn a_derived_item_has_a_stable_id_a_durable_picture_and_the_rights_of_its_source() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let source = source(3);
    let item = derived(&project, &source, b"picture");
    assert_eq!((item.id.as_str(), &item.key), ("attacked/3", &Key::Int(3)));
    assert_eq!(item, derived(&project, &source, b"picture"));
    let image = &item.images[0];
    assert_eq!(image.name, "print-attack/images/3.png");
    let file = project.root().join(image.stored().unwrap());
    assert_eq!(std::fs::read(file).unwrap(), b"picture");
    assert_eq!(image.rights, source.images[0].rights);
    let variant = item.variant.as_ref().unwrap();
    assert_eq!(
        (variant.name.as_str(), variant.of.as_deref()),
        ("print-attack", Some("clean/3"))
    );
    let made = item.derivation.as_ref().unwrap();
    assert_eq!(made.picture, source.images[0].hash);
    assert_eq!((made.chance, made.attack_word()), (Some(0.5), Some("dog")));
    assert!(item.provenance.is_none());
    // A derivation of it keeps the original, and its own source.
    let second = NewItem {
        source: &item,
        dataset: "twice",
        variant: "V1+L4",
        suffix: "b",
        pictures: Vec::new(),
        modified: false,
        derivation: Derivation::of(&item, "L4", "1"),
    };
    let second = second.item().unwrap();
    assert_eq!(second.id, "twice/3~b");
    assert_eq!(second.original(), Some("clean/3"));
    assert_eq!(second.derivation.unwrap().source.id, "attacked/3");
    assert_eq!(second.images, item.images);
}

#[test]
fn a_derivation_of_another_text_and_a_picture_without_a_file_are_refused() {
    let source = source(3);
    let field = |source: &Item, pictures: Vec<ImageRef>, derivation: Derivation| {
        let new = NewItem {
            source,
            dataset: "attacked",
            variant: "print-attack",
            suffix: "",
            pictures,
            modified: true,
            derivation,
        };
        new.item().unwrap_err().place.field.unwrap()
    };
    let mut edited = source.clone();
    edited.question.push('!');
    assert_eq!(
        field(&edited, Vec::new(), attack(&source)),
        "derivation.source"
    );
    let lost = vec![ImageRef::named("lost.png")];
    assert_eq!(field(&source, lost, attack(&source)), "images");
    let mut bare = source.clone();
    bare.images[0].hash = None;
    assert_eq!(field(&bare, Vec::new(), attack(&bare)), "images");
    let mut wrong = attack(&source);
    wrong.parameters.insert(SEED.into(), "x".into());
    assert_eq!(
        field(&source, Vec::new(), wrong),
        "derivation.parameters.seed"
    );
}

/// Imports items as a file, and returns the project as it is then.
fn imported(project: &Project, dir: &Path, items: &[Item]) -> OpenData {
    let opened = reopen(project);
    let path = dir.join(format!("{}.jsonl", items[0].dataset));
    let mut out = Vec::new();
    for item in items {
        benchtop_formats::jsonl::write(item, &mut out).unwrap();
    }
    std::fs::write(&path, out).unwrap();
    let ask = ImportRequest {
        paths: vec![path],
        ..ImportRequest::default()
    };
    let tell = |_| ();
    let watch = ProgressSink::new(&tell, Cancel::NEVER);
    let index = opened.index.get().unwrap();
    import(
        project,
        index,
        &opened.catalog,
        &ask,
        "2026-01-01T00:00:00Z",
        watch,
    )
    .unwrap();
    drop(opened);
    reopen(project)
}

#[test]
fn items_are_stale_when_their_source_changed_and_equal_ones_keep_their_verdicts() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let kept = |source: &Item, bytes: &[u8]| {
        let picture = keep_picture(&project, &ImageRef::named("x"), "clean", bytes).unwrap();
        Item {
            images: vec![picture],
            ..source.clone()
        }
    };
    let sources: Vec<Item> = (0..4)
        .map(|n| kept(&source(n), format!("clean {n}").as_bytes()))
        .collect();
    drop(imported(&project, dir.path(), &sources));
    let items: Vec<Item> = sources
        .iter()
        .map(|source| derived(&project, source, source.id.as_bytes()))
        .collect();
    drop(imported(&project, dir.path(), &items));
    let second = NewItem {
        source: &items[1],
        dataset: "twice",
        variant: "V1+L4",
        suffix: "",
        pictures: Vec::new(),
        modified: true,
        derivation: Derivation::of(&items[1], "L4", "1"),
    };
    let opened = imported(&project, dir.path(), &[second.item().unwrap()]);
    let stale = |catalog: &Catalog| -> BTreeSet<String> {
        let sources = Sources::read(catalog, Cancel::NEVER).unwrap();
        let rows = sources.stale(catalog, &|_| None, Cancel::NEVER).unwrap();
        rows.iter()
            .map(|row| catalog.item(*row as usize).unwrap().id)
            .collect()
    };
    assert_eq!(stale(&opened.catalog), BTreeSet::new());

    // The questions of two sources change. What was derived from the derived item waits for both.
    let mut changed = sources[..2].to_vec();
    changed
        .iter_mut()
        .for_each(|item| item.question = "Which?".into());
    let again = revised(&project, &opened.catalog, &changed).unwrap();
    assert_eq!((again.changed.len(), again.kept.len()), (2, 0));
    let (columns, fresh) = again.under(9);
    let at = "2026-01-02T00:00:00Z";
    let index = opened.index.get().unwrap();
    let catalog = open::add_import(&project, index, &opened.catalog, columns, fresh, at)
        .unwrap()
        .0;
    let waiting = ["attacked/0", "attacked/1", "twice/1"].map(str::to_string);
    assert_eq!(stale(&catalog), BTreeSet::from(waiting));

    // The first comes out with its new question, the second is asked as before, the third is as it
    // was.
    let mut rebuilt = vec![
        derived(&project, &changed[0], sources[0].id.as_bytes()),
        derived(&project, &changed[1], sources[1].id.as_bytes()),
        items[2].clone(),
    ];
    rebuilt[1].question.clone_from(&sources[1].question);
    let again = revised(&project, &catalog, &rebuilt).unwrap();
    let row = |id: &str| catalog.row_of(id).unwrap().unwrap();
    assert_eq!(again.changed, [row("attacked/0")]);
    assert_eq!(again.kept, [row("attacked/1")]);
    let (columns, fresh) = again.under(10);
    let catalog = open::add_import(&project, index, &catalog, columns, fresh, at)
        .unwrap()
        .0;
    assert_eq!(stale(&catalog), BTreeSet::new());
}
