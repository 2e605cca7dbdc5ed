use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::*;
use crate::export::{DYSCA, Destination, Export, JSONL, MVP};
use crate::import;
use crate::testing::reopen;
use benchtop_compose::metadata::VOCABULARIES;
use benchtop_formats as formats;
use benchtop_model::cancel::Cancel;
use benchtop_model::import::{ImportRequest, Progress};
use benchtop_model::{Form, Role};
use benchtop_store::open::{OpenData, add_import};

const PAIRS: &str = "name = \"pairs\"\noptions = 5\n[[pictures]]\nsubject = \"animal\"\ncount = 12\nshape = \"pair\"\ndiffers = \"background\"\n\
    [[pictures]]\nsubject = \"profession\"\nper-term = 1\nshape = \"pair\"\ndiffers = \"profession\"\nlevel = \"high\"\n";
const REFUSALS: &str = "name = \"mmsap\"\n[[pictures]]\nsubject = \"celebrity\"\ncount = 30\nshape = \"refusal\"\nabout = [\"celebrity\"]\n\
    [[pictures]]\nsubject = \"animal\"\ncount = 30\nshape = \"refusal\"\nlevel = \"basic\"\n\
    [[pictures]]\nsubject = \"landmark\"\ncount = 30\nshape = \"beyond\"\nabout = [\"animal\", \"food\", \"movie\"]\n";

fn order(plan: Option<&str>, seed: u64, count: Option<u64>) -> Order {
    Order {
        plan: plan.map(String::from),
        seed,
        count,
        allow_impossible: false,
    }
}

fn composition(order: &Order) -> Composition {
    let (metadata, unreadable) = metadata(None).unwrap();
    Composition::new(&metadata, &unreadable, order).unwrap()
}

fn items(order: &Order) -> Vec<Item> {
    let mut items = Vec::new();
    let mut take = |item| {
        items.push(item);
        Ok(())
    };
    composition(order)
        .each(&Ok, ProgressSink::NONE, &mut take)
        .unwrap();
    items
}

struct Place {
    _dir: tempfile::TempDir,
    project: Project,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(&dir.path().join("p")).unwrap();
        Place { _dir: dir, project }
    }

    fn opened(&self) -> OpenData {
        reopen(&self.project)
    }

    fn files(&self) -> BTreeSet<String> {
        let name = |e: std::io::Result<std::fs::DirEntry>| {
            e.unwrap().file_name().to_string_lossy().into_owned()
        };
        std::fs::read_dir(self.project.imports())
            .unwrap()
            .map(name)
            .collect()
    }

    fn fill(&self, opened: &OpenData, order: &Order, watch: ProgressSink<'_>) -> Result<Outcome> {
        let index = opened.index.get().unwrap();
        composition(order).fill(
            &self.project,
            index,
            &opened.catalog,
            "2026-01-01T00:00:00Z",
            watch,
        )
    }
}

#[test]
fn a_composition_becomes_part_of_the_project_once() {
    let place = Place::new();
    let wish = order(None, 3, Some(1500));
    let report = place
        .fill(&place.opened(), &wish, ProgressSink::NONE)
        .unwrap()
        .report;
    assert_eq!((report.items, report.already), (1500, 0));
    let opened = place.opened();
    let wanted = items(&wish);
    assert_eq!(wanted[0].id, "balanced-3/1");
    for row in [0, 255, 256, 700, 1499] {
        assert_eq!(opened.catalog.item(row).unwrap(), wanted[row]);
    }
    let before = place.files();
    let tell = |progress: Progress| panic!("nothing is composed again: {progress:?}");
    let unused = ProgressSink::new(&tell, Cancel::NEVER);
    let outcome = place.fill(&opened, &wish, unused).unwrap();
    assert!(outcome.catalog.is_none());
    assert_eq!((outcome.report.items, outcome.report.already), (0, 1500));
    assert!(
        outcome.report.notes[0].contains("already exists"),
        "{:?}",
        outcome.report.notes
    );
    // Another seed is another composition. Another count with the same seed is a conflict and adds
    // nothing.
    let problem = place
        .fill(&opened, &order(None, 3, Some(700)), ProgressSink::NONE)
        .err()
        .unwrap();
    assert_eq!(problem.kind, ErrorKind::Conflict);
    assert!(problem.what.contains("`balanced-3/") && problem.help.unwrap().contains("--seed"));
    assert_eq!(place.files(), before);
    assert_eq!(
        place
            .fill(&opened, &order(None, 4, Some(700)), ProgressSink::NONE)
            .unwrap()
            .report
            .items,
        700
    );
    drop(opened);
    assert_eq!(place.opened().catalog.len(), 2200);
}

#[test]
fn edited_questions_are_a_conflict_whatever_the_count() {
    let place = Place::new();
    let wish = order(None, 3, Some(6));
    let opened = place.opened();
    place.fill(&opened, &wish, ProgressSink::NONE).unwrap();
    drop(opened);
    let opened = place.opened();
    let item = Item {
        question: "Edited?".into(),
        ..opened.catalog.item(0).unwrap()
    };
    let mut batch = crate::revise::Batch::new(&place.project, "edit", false).unwrap();
    batch.push(0, &item).unwrap();
    let fresh = batch.finish(false, "an edit").unwrap();
    let (index, columns) = (
        opened.index.get().unwrap(),
        opened.catalog.columns().clone(),
    );
    let fresh = fresh.into_iter().collect();
    add_import(&place.project, index, &opened.catalog, columns, fresh, "").unwrap();
    drop(opened);
    let problem = place.fill(&place.opened(), &wish, ProgressSink::NONE).err();
    assert_eq!(problem.unwrap().kind, ErrorKind::Conflict);
    // Another composition does not mind.
    let other = order(None, 4, Some(6));
    for already in [0, 6] {
        let outcome = place.fill(&place.opened(), &other, ProgressSink::NONE);
        assert_eq!(outcome.unwrap().report.already, already);
    }
}

#[test]
fn damaged_segments_are_not_taken_for_the_composition() {
    let wish = order(None, 3, Some(40));
    let flipped = |mut bytes: Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    let random = |bytes: Vec<u8>| vec![0x5a; bytes.len()];
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() - 1].to_vec();
    for damage in [&flipped as &dyn Fn(Vec<u8>) -> Vec<u8>, &random, &cut] {
        let place = Place::new();
        place
            .fill(&place.opened(), &wish, ProgressSink::NONE)
            .unwrap();
        let opened = place.opened();
        let path = place.project.imports().join("0001-01-items.jsonl.zst");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, damage(bytes)).unwrap();
        let problem = place.fill(&opened, &wish, ProgressSink::NONE).err();
        assert_eq!(problem.unwrap().kind, ErrorKind::Corrupt);
    }
}

#[test]
fn the_first_questions_of_a_plan_can_be_composed_before_the_rest() {
    let place = Place::new();
    let grid = "name = \"grid\"\n[[pictures]]\nsubject = \"animal\"\nper-style = 4\n";
    let (some, all) = (order(Some(grid), 1, Some(500)), order(Some(grid), 1, None));
    assert_eq!(
        place
            .fill(&place.opened(), &some, ProgressSink::NONE)
            .unwrap()
            .report
            .items,
        500
    );
    let report = place
        .fill(&place.opened(), &all, ProgressSink::NONE)
        .unwrap()
        .report;
    let wanted = items(&all);
    assert_eq!(
        (report.already, report.items),
        (500, wanted.len() as u64 - 500)
    );
    for (wish, questions) in [(&some, 500), (&all, wanted.len() as u64)] {
        let again = place.fill(&place.opened(), wish, ProgressSink::NONE);
        let report = again.unwrap().report;
        assert_eq!((report.already, report.items), (questions, 0));
    }
    let catalog = place.opened().catalog;
    let rows: Vec<Item> = (0..catalog.len())
        .map(|row| catalog.item(row).unwrap())
        .collect();
    assert_eq!(rows, wanted);
}

#[test]
fn an_unrelated_metadata_edit_is_no_conflict() {
    let place = Place::new();
    let plan =
        "name = \"signs\"\n[[pictures]]\nsubject = \"text\"\ncount = 40\nabout = [\"text\"]\n";
    let wish = order(Some(plan), 1, None);
    place
        .fill(&place.opened(), &wish, ProgressSink::NONE)
        .unwrap();
    let (mut metadata, _) = metadata(None).unwrap();
    let opened = place.opened();
    let again = |metadata: &Metadata| {
        let composition = Composition::new(metadata, &[], &wish).unwrap();
        composition.fill(
            &place.project,
            opened.index.get().unwrap(),
            &opened.catalog,
            "",
            ProgressSink::NONE,
        )
    };
    let edit = |metadata: &mut Metadata, vocabulary: &str| {
        let name = format!("{VOCABULARIES}{vocabulary}.txt");
        let text = format!("{}quokka\n", metadata.text(&name).unwrap());
        metadata.insert(MetaFile { name, text });
    };
    edit(&mut metadata, "animal");
    assert_eq!(again(&metadata).unwrap().report.already, 120);
    edit(&mut metadata, "text");
    assert_eq!(again(&metadata).err().unwrap().kind, ErrorKind::Conflict);
}

#[test]
fn canceled_or_failed_compositions_leave_nothing() {
    let place = Place::new();
    let before = place.files();
    let (looks, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let tell = |progress: Progress| {
        looks.fetch_add(1, Ordering::Relaxed);
        done.store(progress.done, Ordering::Relaxed);
        assert_eq!(progress.of, Some(5000));
    };
    let late = || done.load(Ordering::Relaxed) >= 2000;
    let cancelled = place.fill(
        &place.opened(),
        &order(None, 1, Some(5000)),
        ProgressSink::new(&tell, Cancel::when(&late)),
    );
    assert_eq!(cancelled.err().unwrap().kind, ErrorKind::Cancelled);
    assert!(looks.into_inner() > 5);
    assert_eq!(place.files(), before);
    // Two terms, each true of every picture of the other.
    let (mut metadata, _) = metadata(None).unwrap();
    metadata.insert(MetaFile {
        name: format!("{VOCABULARIES}gender.txt"),
        text: "ox\nfemale ox\n".into(),
    });
    let plan = "[[pictures]]\nsubject = \"face\"\ncount = 9\nabout = [\"gender\"]\n";
    let composition = Composition::new(&metadata, &[], &order(Some(plan), 1, None)).unwrap();
    let problem = composition.summary(ProgressSink::NONE).unwrap_err();
    assert!(
        problem.what.contains("gender of face") && problem.kind == ErrorKind::Input,
        "{problem}"
    );
}

#[test]
fn metadata_with_errors_and_impossible_plans_are_refused() {
    let (mut metadata, _) = metadata(None).unwrap();
    let refused = |metadata: &Metadata, plan: &str| {
        Composition::new(metadata, &[], &order(Some(plan), 1, None))
            .err()
            .unwrap()
    };
    assert!(refused(&metadata, "").what.contains("no questions"));
    assert_eq!(
        refused(&metadata, "[[pictures]]\nsubject = \"cow\"\ncount = 1\n")
            .place
            .field
            .unwrap(),
        "pictures.subject"
    );
    let two = |rest: &str| format!("[[pictures]]\nsubject = \"animal\"\ncount = 2\n{rest}");
    assert!(
        refused(&metadata, &two("kinds = [\"yes-no\"]\n"))
            .help
            .unwrap()
            .contains("pair")
    );
    assert!(
        refused(
            &metadata,
            &two("shape = \"beyond\"\nabout = [\"animal\"]\n")
        )
        .what
        .contains("in the prompt")
    );
    let about = two("shape = \"pair\"\ndiffers = \"color\"\nabout = [\"animal\"]\n");
    assert!(refused(&metadata, &about).what.contains("differs"));
    let color = "[[pictures]]\nsubject = \"landmark\"\ncount = 2\nshape = \"beyond\"\nabout = [\"color\"]\n";
    assert!(
        refused(&metadata, color)
            .what
            .contains("names what the picture shows")
    );
    let text = metadata
        .text("templates.toml")
        .unwrap()
        .replace("delicious {food}", "delicious {foood}");
    metadata.insert(MetaFile {
        name: "templates.toml".into(),
        text,
    });
    let problem = refused(&metadata, &two(""));
    assert!(
        problem.what.contains("foood") && problem.help.unwrap().contains("benchtop lint"),
        "{}",
        problem.what
    );
    assert_eq!(
        problem.place.file.unwrap(),
        Path::new("metadata/templates.toml")
    );
}

/// An item without what the interchange format cannot hold.
fn bare(item: &Item) -> Item {
    Item {
        provenance: None,
        derivation: None,
        ..item.clone()
    }
}

fn exported(order: &Order, export: &'static Export, path: &Path) {
    let exporter = Exporter::create(export, Destination::Path(path), false).unwrap();
    composition(order)
        .export(exporter, ProgressSink::NONE)
        .unwrap();
}

#[test]
fn dysca_json_has_the_fields_of_listing_1_and_round_trips() {
    let dir = tempfile::tempdir().unwrap();
    let wish = order(None, 9, Some(1200));
    let wanted = items(&wish);
    let path = dir.path().join("balanced-9.json");
    exported(&wish, &DYSCA, &path);
    let records: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(records.len(), 1200);
    const LISTING_1: [&str; 12] = [
        "id",
        "images",
        "prompt",
        "negative_prompt",
        "instruction",
        "question",
        "answer",
        "question_type",
        "task",
        "options",
        "question_majority",
        "granularity",
    ];
    for record in &records {
        let record = record.as_object().unwrap();
        // The style is known here; Dysca's readers ignore unknown fields.
        let names: Vec<&str> = record.keys().map(String::as_str).collect();
        assert_eq!(names, [&LISTING_1[..], &["style"]].concat());
        let text = |name: &str| {
            record[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name} is no text"))
        };
        let texts = |name: &str| -> Vec<&str> {
            record[name]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_str().unwrap())
                .collect()
        };
        assert!(record["id"].is_u64() && texts("images").len() == 1);
        assert!(
            LISTING_1[2..9]
                .iter()
                .all(|name| !text(name).is_empty() || *name == "negative_prompt")
        );
        assert!(
            ["recognition", "OCR"].contains(&text("task"))
                && ["coarse", "fine"].contains(&text("granularity"))
        );
        let options = texts("options");
        match text("question_type") {
            "multi choice" => {
                assert!((2..=4).contains(&options.len()) && options.contains(&text("answer")))
            }
            "true or false" => {
                assert!(options.len() == 2 && ["True", "False"].contains(&text("answer")))
            }
            "image caption" => assert!(options.is_empty()),
            other => panic!("question type {other}"),
        }
        let asked = text("instruction");
        assert!(asked.contains(text("question")) && asked.ends_with("Your answer is:"));
        for (at, option) in options.iter().enumerate() {
            assert!(
                asked.contains(&format!("\n({}) {option}\n", Item::letter(at))),
                "{asked}"
            );
        }
        assert_eq!(asked.contains("\nChoices:\n"), !options.is_empty());
    }
    let subtasks: BTreeSet<&str> = records
        .iter()
        .map(|r| r["question_majority"].as_str().unwrap())
        .collect();
    assert_eq!(subtasks.len(), 20);
    let read: Vec<Item> = formats::items(&path, formats::named("dysca").unwrap(), "balanced-9")
        .unwrap()
        .map(|(_, item)| item.unwrap())
        .collect();
    assert_eq!(read, wanted.iter().map(bare).collect::<Vec<_>>());
}

#[test]
fn pairs_round_trip_as_mvp_bench() {
    let dir = tempfile::tempdir().unwrap();
    let wish = order(Some(PAIRS), 2, None);
    let wanted = items(&wish);
    exported(&wish, &MVP, dir.path());
    let mut read = Vec::new();
    for found in formats::detect_files(&dir.path().join("data"))
        .unwrap()
        .files
    {
        read.extend(
            formats::items(&found.path, found.format, "pairs-2")
                .unwrap()
                .map(|(_, item)| item.unwrap()),
        );
    }
    read.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(read, wanted.iter().map(bare).collect::<Vec<_>>());
    // Its metrics need a question about both pictures with opposite answers, more than one question
    // per image, more than three answers per pair, and whole rotation sets.
    let yes_no: Vec<&Item> = wanted.iter().filter(|i| i.form == Form::Mvp).collect();
    let pair = |i: &Item| i.pair.clone().unwrap().id;
    for item in &yes_no {
        let same = |other: &&&Item| pair(other) == pair(item) && other.question == item.question;
        let both: Vec<_> = yes_no
            .iter()
            .filter(same)
            .map(|i| i.answer.as_str())
            .collect();
        assert_eq!(BTreeSet::from_iter(both), BTreeSet::from(["no", "yes"]));
        assert_eq!(yes_no.iter().filter(|o| pair(o) == pair(item)).count(), 4);
        assert_eq!(yes_no.iter().filter(|o| o.images == item.images).count(), 2);
    }
    let rotations: Vec<&Item> = wanted
        .iter()
        .filter(|i| i.form == Form::MvpCircular)
        .collect();
    for item in &rotations {
        let set = &item.rotation.as_ref().unwrap().set;
        let rows: Vec<_> = rotations
            .iter()
            .filter(|r| r.rotation.as_ref().unwrap().set == *set)
            .collect();
        assert_eq!(rows.len(), item.options.len());
        let texts = |i: &Item| {
            i.options
                .iter()
                .map(|o| o.text.clone())
                .collect::<BTreeSet<_>>()
        };
        assert!(rows.iter().all(|r| texts(r) == texts(item)));
        assert_eq!(
            rows.iter()
                .map(|r| r.correct())
                .collect::<BTreeSet<_>>()
                .len(),
            rows.len()
        );
    }
    let levels: BTreeSet<_> = wanted.iter().map(|i| i.level.clone().unwrap()).collect();
    assert_eq!(levels, ["high", "low"].map(String::from).into());
}

#[test]
fn the_refusal_option_has_a_recorded_position_among_five() {
    let dir = tempfile::tempdir().unwrap();
    let wish = order(Some(REFUSALS), 4, None);
    let wanted = items(&wish);
    for item in &wanted {
        let refusals: Vec<_> = item
            .options
            .iter()
            .filter(|o| o.role == Role::Refusal)
            .collect();
        // Three times of day are distinguished.
        let time = ["at sunset", "in bright midday sun", "under a starry sky"]
            .contains(&item.answer.as_str());
        assert_eq!(
            (item.options.len(), refusals.len()),
            (if time { 4 } else { 5 }, 1),
            "{item:?}"
        );
        let (right, chance) = match item.level.as_deref().unwrap() {
            "know" => (true, 0.4),
            "basic" if time => (true, 0.25),
            "basic" => (true, 0.2),
            _ => (false, 0.2),
        };
        assert_eq!(
            (item.correct().is_some(), item.chance()),
            (right, Some(chance))
        );
        assert_eq!(item.answer == refusals[0].text, !right);
    }
    let path = dir.path().join("items.jsonl");
    exported(&wish, &JSONL, &path);
    let read: Vec<Item> = formats::items(&path, formats::named("benchtop-jsonl").unwrap(), "x")
        .unwrap()
        .map(|(_, i)| i.unwrap())
        .collect();
    assert_eq!(read, wanted);
    // A format that cannot mark the refusal option is refused, and nothing is written.
    let path = dir.path().join("items.json");
    let exporter = Exporter::create(&DYSCA, Destination::Path(&path), false).unwrap();
    assert!(
        composition(&wish)
            .export(exporter, ProgressSink::NONE)
            .unwrap_err()
            .what
            .contains("refusal")
    );
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let mut all = BTreeSet::new();
    for wish in [
        order(None, 8, Some(3000)),
        Order {
            allow_impossible: true,
            ..order(None, 8, Some(3000))
        },
    ] {
        let mut hashes = BTreeSet::new();
        for threads in [1, 2, 3, 8] {
            let mut hash = blake3::Hasher::new();
            let mut take = |line: String| {
                hash.update(line.as_bytes());
                Ok(())
            };
            let write = |item: Item| Ok(serde_json::to_string(&item).unwrap());
            composition(&wish)
                .each_on(threads, &write, ProgressSink::NONE, &mut take)
                .unwrap();
            hashes.insert(hash.finalize().to_hex().to_string());
        }
        assert_eq!(hashes.len(), 1);
        all.extend(hashes);
    }
    assert_eq!(all.len(), 2, "the rules change the composition");
}

#[test]
fn exported_and_imported_compositions_are_equal() {
    let place = Place::new();
    let wish = order(Some(REFUSALS), 4, None);
    place
        .fill(&place.opened(), &wish, ProgressSink::NONE)
        .unwrap();
    let path = place.project.root().join("again.jsonl");
    exported(&wish, &JSONL, &path);
    let opened = place.opened();
    let ask = ImportRequest {
        paths: vec![path],
        ..ImportRequest::default()
    };
    let index = opened.index.get().unwrap();
    let report = import::import(
        &place.project,
        index,
        &opened.catalog,
        &ask,
        "",
        ProgressSink::NONE,
    )
    .unwrap()
    .report;
    assert_eq!(
        (report.items, report.already),
        (0, items(&wish).len() as u64)
    );
}

#[test]
fn the_summary_counts_what_is_composed() {
    let summary = composition(&order(Some(PAIRS), 2, None))
        .summary(ProgressSink::NONE)
        .unwrap();
    let wanted = items(&order(Some(PAIRS), 2, None));
    assert_eq!(
        (summary.questions, summary.pictures),
        (wanted.len() as u64, 2 * (12 + 20))
    );
    assert_eq!(
        summary.counts.iter().map(|c| c.questions).sum::<u64>(),
        summary.questions
    );
    let chances: Vec<_> = summary
        .counts
        .iter()
        .flat_map(|c| &c.chances)
        .map(|c| c.chance)
        .collect();
    // Backgrounds come in groups of 13, 4, and 3.
    let third = Some(1.0 / 3.0);
    assert_eq!(
        chances,
        [
            Some(0.2),
            Some(0.25),
            third,
            Some(0.5),
            Some(0.2),
            Some(0.25),
            Some(0.5)
        ]
    );
    assert_eq!(summary.examples.len(), 2);
    let two = composition(&order(None, 1, Some(1)))
        .summary(ProgressSink::NONE)
        .unwrap();
    assert_eq!((two.questions, two.pictures, two.examples.len()), (1, 1, 1));
}

#[test]
fn project_metadata_falls_back_to_the_built_in_files() {
    let place = Place::new();
    let (found, _) = metadata(Some(&place.project)).unwrap();
    assert_eq!(found.files().count(), 44);
    let dir = place.project.metadata();
    std::fs::write(dir.join(VOCABULARIES).join("animal.txt"), b"owl\n\xff\n").unwrap();
    let (found, unreadable) = metadata(Some(&place.project)).unwrap();
    assert_eq!((found.files().count(), unreadable.len()), (43, 1));
    let refused = Composition::new(&found, &unreadable, &order(None, 1, None))
        .err()
        .unwrap();
    assert!(refused.what.contains("animal.txt"), "{}", refused.what);
    // An invalid judge question is a finding, but does not prevent composing.
    std::fs::write(
        dir.join(VOCABULARIES).join("animal.txt"),
        b"owl\ncat\nhorse\nsalmon\nwolf\n",
    )
    .unwrap();
    std::fs::write(dir.join("judge/mine.toml"), b"version = 0\n").unwrap();
    let (found, unreadable) = metadata(Some(&place.project)).unwrap();
    assert!(found.found().any(|f| f.file == "judge/mine.toml"));
    assert!(Composition::new(&found, &unreadable, &order(None, 1, None)).is_ok());
}
