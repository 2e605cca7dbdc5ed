use std::collections::HashSet;

use super::generation_task::{GenerationTask, side_by_side};
use super::image_index::{RequestedImages, Words};
use super::remaining::{Scope, Target};
use crate::compose::{Composition, Order, metadata};
use benchtop_files::project::Project;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::generated_image::{GeneratedImage, PictureState, hex, seed_of};
use benchtop_model::generation::{Fingerprint, Pixels, Scheduler, Settings};
use benchtop_model::{ImageRef, Item};
use benchtop_store::Catalog;
use benchtop_store::open::open;
use benchtop_store::pictures::Pictures;

const PAIRS: &str = "name = \"pairs\"\noptions = 5\n[[pictures]]\nsubject = \"animal\"\ncount = 4\nshape = \"pair\"\n\
                     differs = \"background\"\n";

/// A project with composed questions, and its catalog.
fn composed(
    plan: Option<&str>,
    count: u64,
) -> (tempfile::TempDir, Project, std::sync::Arc<Catalog>) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let opened = open(&project).unwrap();
    let (metadata, unreadable) = metadata(None).unwrap();
    let count = plan.is_none().then_some(count);
    let order = Order {
        plan: plan.map(String::from),
        seed: 3,
        count,
        allow_impossible: false,
    };
    let composition = Composition::new(&metadata, &unreadable, &order).unwrap();
    let index = opened.index.get().unwrap();
    let filled = composition
        .fill(
            &project,
            index,
            &opened.catalog,
            "2026-01-01T00:00:00Z",
            ProgressSink::NONE,
        )
        .unwrap();
    (dir, project, filled.catalog.unwrap())
}

fn named(catalog: &Catalog) -> RequestedImages {
    RequestedImages::read(catalog, Cancel::NEVER).unwrap()
}

const MISSING: Scope<'_> = Scope {
    job: 1,
    rows: None,
    samples: 1,
    drafts: false,
};

/// Records a task as done by job 1.
fn make(
    catalog: &Catalog,
    named: &RequestedImages,
    made: &mut Pictures,
    target: Target,
    draft: bool,
) -> GeneratedImage {
    let task = GenerationTask::read(catalog, named, target, 7).unwrap();
    let hash = |n: usize| {
        blake3::hash(format!("{target:?} {draft} {n}").as_bytes())
            .to_hex()
            .to_string()
    };
    let sides = named.pictures()[target.picture as usize].sides;
    let of = sides.map_or(Vec::new(), |sides| {
        let side = |at: u32| {
            let side = &named.pictures()[at as usize];
            made.image(made.current(side.key, side.prompt).unwrap(), "")
                .hash
                .unwrap()
        };
        sides.map(side).to_vec()
    });
    let row = GeneratedImage {
        rev: made.len() as u64 + 1,
        dataset: task.dataset,
        picture: task.name,
        sample: target.sample,
        hash: hash(made.len()),
        ext: "png".into(),
        prompt: task.prompt,
        job: 1,
        draft,
        items: task.items,
        composed_of: of,
        ..GeneratedImage::default()
    };
    made.add(&row, 0);
    row
}

#[test]
fn questions_share_pictures_and_each_is_requested_once() {
    let (_dir, _, catalog) = composed(None, 120);
    let named = named(&catalog);
    let pictures = named.pictures().len();
    assert!(pictures < 120 && named.disagree() == 0);
    assert_eq!(
        named
            .pictures()
            .iter()
            .map(|p| named.rows(p).len())
            .sum::<usize>(),
        120
    );
    let mut made = Pictures::default();
    assert!(
        named
            .states(&made, None, &HashSet::new())
            .iter()
            .all(|s| *s == PictureState::Missing)
    );
    let work = MISSING.work(&named, &made);
    assert_eq!(work.len(), pictures);
    assert_eq!(MISSING.count(&named, &work).items, 120);
    assert_eq!(
        Scope {
            samples: 3,
            ..MISSING
        }
        .work(&named, &made)
        .len(),
        3 * pictures
    );
    // A draft counts only for a generator that makes drafts.
    make(&catalog, &named, &mut made, work[0], true);
    assert_eq!(MISSING.work(&named, &made), work);
    let rest = Scope {
        drafts: true,
        ..MISSING
    }
    .work(&named, &made);
    assert!(rest.len() == pictures - 1 && !rest.contains(&work[0]));
    assert_eq!(
        named
            .states(&made, None, &HashSet::new())
            .iter()
            .filter(|s| **s == PictureState::Draft)
            .count(),
        {
            named
                .rows(&named.pictures()[work[0].picture as usize])
                .len()
        }
    );
    make(&catalog, &named, &mut made, work[0], false);
    assert_eq!(MISSING.work(&named, &made).len(), pictures - 1);
}

#[test]
fn chosen_items_are_remade_once_per_job() {
    let (_dir, _, catalog) = composed(None, 60);
    let named = named(&catalog);
    let mut made = Pictures::default();
    let row = 5;
    let at = named.of_row(row).unwrap();
    let target = Target {
        picture: at,
        sample: 1,
    };
    make(&catalog, &named, &mut made, target, false);
    let rows = [row];
    let scope = |job| Scope {
        job,
        rows: Some(&rows),
        samples: 2,
        drafts: false,
    };
    assert_eq!(
        scope(2).work(&named, &made),
        [
            target,
            Target {
                picture: at,
                sample: 2
            }
        ]
    );
    assert_eq!(
        scope(1).work(&named, &made),
        [Target {
            picture: at,
            sample: 2
        }]
    );
    assert!(scope(2).covers(&named, at) && !scope(2).covers(&named, named.of_row(59).unwrap()));
}

#[test]
fn a_task_matches_its_item_and_its_seed_follows_from_its_name() {
    let (_dir, _, catalog) = composed(None, 30);
    let named = named(&catalog);
    let task = GenerationTask::read(
        &catalog,
        &named,
        Target {
            picture: 0,
            sample: 2,
        },
        99,
    )
    .unwrap();
    let item = catalog.item(0).unwrap();
    assert_eq!(Some(&task.task.prompt), item.prompt.as_ref());
    assert_eq!(task.task.negative_prompt, item.negative_prompt);
    assert_eq!(
        task.task.seed,
        seed_of(99, &item.dataset, &item.images[0].name, 2)
    );
    let provenance = item.provenance.unwrap();
    assert_eq!(task.task.terms["subject"], provenance.subject);
    assert!(
        provenance
            .terms
            .iter()
            .all(|(slot, term)| task.task.terms.get(slot) == Some(term))
    );
    assert_eq!(task.items.len(), task.rows.len());
    assert_eq!(task.prompt, hex(named.pictures()[0].prompt));
}

#[test]
fn a_side_by_side_picture_is_remade_when_a_part_changes() {
    let (_dir, _, catalog) = composed(Some(PAIRS), 0);
    let named = named(&catalog);
    let mut made = Pictures::default();
    let work = MISSING.work(&named, &made);
    let both: Vec<Target> = work
        .iter()
        .copied()
        .filter(|t| named.pictures()[t.picture as usize].words == Words::Both)
        .collect();
    assert_eq!(both.len(), 4);
    assert_eq!(
        work.len(),
        12,
        "for each pair, two pictures and their side-by-side picture"
    );
    assert!(
        work.iter().rev().take(4).all(|t| both.contains(t)),
        "side-by-side pictures come last"
    );
    for target in &work {
        make(&catalog, &named, &mut made, *target, false);
    }
    assert_eq!(MISSING.work(&named, &made), []);
    // The text of the second side differs from the first.
    let sides = named.pictures()[both[0].picture as usize].sides.unwrap();
    let side = |n: usize| {
        GenerationTask::read(
            &catalog,
            &named,
            Target {
                picture: sides[n],
                sample: 1,
            },
            7,
        )
        .unwrap()
    };
    assert_ne!(side(0).task.prompt, side(1).task.prompt);
    assert!(side(0).name.ends_with("_s.png") && side(1).name.ends_with("_e.png"));
    assert_ne!(
        side(0).task.terms["background"],
        side(1).task.terms["background"]
    );
    make(
        &catalog,
        &named,
        &mut made,
        Target {
            picture: sides[1],
            sample: 1,
        },
        false,
    );
    assert_eq!(MISSING.work(&named, &made), [both[0]]);
}

#[test]
fn parts_that_no_item_shows_alone_are_generated_too() {
    let (_dir, project, catalog) = composed(Some(PAIRS), 0);
    let mut crosses: Vec<Item> = (0..catalog.len())
        .map(|row| catalog.item(row).unwrap())
        .collect();
    crosses.retain(|item| item.images[0].name.ends_with("_concat.png"));
    let file = project.root().join("crosses.jsonl");
    let line = |item: &Item| serde_json::to_string(item).unwrap() + "\n";
    std::fs::write(&file, crosses.iter().map(line).collect::<String>()).unwrap();
    let other = Project::init(&project.root().join("other")).unwrap();
    let opened = open(&other).unwrap();
    let ask = benchtop_model::import::ImportRequest {
        paths: vec![file],
        ..Default::default()
    };
    let index = opened.index.get().unwrap();
    let outcome = crate::import::import(
        &other,
        index,
        &opened.catalog,
        &ask,
        "2026-01-01T00:00:00Z",
        ProgressSink::NONE,
    );
    let catalog = outcome.unwrap().catalog.unwrap();
    let named = named(&catalog);
    let work = MISSING.work(&named, &Pictures::default());
    assert_eq!(work.len(), 12);
    let first = GenerationTask::read(&catalog, &named, work[0], 7).unwrap();
    assert!(
        first.items.is_empty()
            && first.name.ends_with("_s.png")
            && !first.task.prompt.contains('\n')
    );
}

#[test]
fn side_by_side_pictures_center_the_lower_one() {
    let of = |width: u32, height: u32, gray: u8| Pixels {
        width,
        height,
        rgb: vec![gray; (3 * width * height) as usize],
    };
    let both = side_by_side(&of(2, 4, 9), &of(1, 2, 7));
    assert_eq!((both.width, both.height), (3, 4));
    let gray = |x: usize, y: usize| both.rgb[3 * (y * 3 + x)];
    assert_eq!(
        [
            gray(0, 0),
            gray(1, 3),
            gray(2, 0),
            gray(2, 1),
            gray(2, 2),
            gray(2, 3)
        ],
        [9, 9, 0, 7, 7, 0]
    );
}

#[test]
fn a_file_records_its_origin_and_is_deterministic() {
    let (_dir, project, catalog) = composed(None, 30);
    let named = named(&catalog);
    let mut task = GenerationTask::read(
        &catalog,
        &named,
        Target {
            picture: 0,
            sample: 1,
        },
        7,
    )
    .unwrap();
    task.task.prompt = "a \u{732b}\0 cat".into();
    let settings = Settings {
        width: 4,
        height: 2,
        steps: 20,
        guidance: 7.5,
        scheduler: Scheduler::DpmPlusPlus2M,
    };
    let print = Fingerprint::default().with("model", "m");
    let pixels = Pixels {
        width: 4,
        height: 2,
        rgb: (0..24).collect(),
    };
    let origin = |draft| super::png::Origin {
        task: &task,
        settings: &settings,
        fingerprint: &print,
        draft,
    };
    let bytes = super::png::png(&pixels, &origin(true)).unwrap();
    assert_eq!(bytes, super::png::png(&pixels, &origin(true)).unwrap());
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes))
        .read_info()
        .unwrap();
    let texts: std::collections::BTreeMap<_, _> = reader
        .info()
        .utf8_text
        .iter()
        .map(|t| (t.keyword.clone(), t.get_text().unwrap()))
        .collect();
    assert_eq!(texts["prompt"], "a \u{732b}\u{fffd} cat");
    assert_eq!(texts["seed"], task.task.seed.to_string());
    assert_eq!(texts["draft"], "true");
    assert_eq!(texts["fingerprint"], print.short());
    assert!(
        texts["settings"].contains("dpm++2m")
            && texts["fingerprint parts"].contains("\"model\":\"m\"")
    );
    let plain = super::png::png(&pixels, &origin(false)).unwrap();
    assert!(
        !png::Decoder::new(std::io::Cursor::new(&plain))
            .read_info()
            .unwrap()
            .info()
            .utf8_text
            .iter()
            .any(|t| t.keyword == "draft")
    );
    let (image, stored) = super::png::keep(&project, "a.png", true, &bytes).unwrap();
    assert_eq!(
        image,
        ImageRef {
            name: "a.png".into(),
            draft: true,
            ..image.clone()
        }
    );
    assert_eq!(std::fs::read(project.root().join(stored)).unwrap(), bytes);
    assert_eq!(super::png::pixels(&project, &image).unwrap(), pixels);
}
