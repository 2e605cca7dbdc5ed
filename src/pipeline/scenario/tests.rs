use std::collections::{BTreeMap, BTreeSet};

use super::planning::Planner;
use super::{Parameters, of, words};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::Metadata;
use benchtop_model::derivation::{SEED, WORD};
use benchtop_model::metafile::shipped;
use benchtop_model::scenario::{SCENARIOS, ScenarioPlan, Values};
use benchtop_model::{Choice, ImageRef, Item, Key, Provenance, QuestionKind, Role, Variant};
use benchtop_raster::corrupt::Severity;
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::print_attack::FACTORS;
use image::RgbImage;

fn metadata() -> CompiledMetadata {
    CompiledMetadata::compile(&Metadata::parse(shipped())).0
}

fn plan(scenario: &str, settings: &[(&str, &str)]) -> ScenarioPlan {
    ScenarioPlan {
        scenario: scenario.into(),
        seed: 9,
        settings: settings
            .iter()
            .map(|(name, text)| ((*name).into(), (*text).into()))
            .collect(),
        ..ScenarioPlan::default()
    }
}

fn question(key: i64, picture: i64) -> Item {
    Item {
        question: "Which animal is it?".into(),
        kind: QuestionKind::MultipleChoice,
        options: Choice::list(
            vec!["cat".into(), "dog".into(), "cannot tell".into()],
            |at| [Role::Correct, Role::Distractor, Role::Refusal][at],
        ),
        answer: "cat".into(),
        prompt: Some("a photo of a cat".into()),
        subtask: Some("animal".into()),
        images: vec![ImageRef {
            hash: Some(format!("{picture:064x}")),
            ext: Some("png".into()),
            ..ImageRef::named(format!("{picture}.png"))
        }],
        ..Item::blank("clean", Key::Int(key))
    }
}

fn claims(kind: QuestionKind, claim: Option<&str>, answer: &str) -> Item {
    let provenance = Provenance {
        claim: claim.map(Into::into),
        terms: BTreeMap::from([("animal".into(), "cat".into())]),
        ..Provenance::default()
    };
    Item {
        kind,
        options: Vec::new(),
        answer: answer.into(),
        provenance: Some(Box::new(provenance)),
        ..question(1, 1)
    }
}

/// The settings in the table of the model are what the pixels know.
#[test]
fn each_kind_has_its_row_in_the_model() {
    for kind in SCENARIOS {
        let plan = plan(kind.name, &[]);
        let scenario = of(&plan).unwrap();
        assert_eq!(scenario.name(), kind.name);
        assert!(scenario.dealer(&plan).is_ok());
    }
    let setting = |kind: &str, name: &str| {
        let kind = benchtop_model::scenario::ScenarioKind::named(kind).unwrap();
        match kind.setting(name).unwrap().values {
            Values::Several(all) => all.iter().map(ToString::to_string).collect::<Vec<_>>(),
            _ => panic!("{name} is no list"),
        }
    };
    for factor in FACTORS {
        let levels = 0..factor.levels();
        let values: Vec<String> = levels
            .map(|level| super::print_attack::value(factor, level))
            .collect();
        assert_eq!(setting("print-attack", factor.name()), values);
    }
    let severities = Severity::ALL.map(|severity| severity.number().to_string());
    assert_eq!(setting("corruption", "severities"), severities);
}

#[test]
fn wrong_words_mislead() {
    let metadata = metadata();
    let word = |item: &Item, answers| words::wrong(item, (3, answers), &metadata);
    // Never the right option or a refusal.
    assert_eq!(word(&question(1, 1), false).unwrap(), "dog");
    for kind in [QuestionKind::TrueFalse, QuestionKind::YesNo] {
        let (right, wrong) = match kind {
            QuestionKind::YesNo => ("yes", "no"),
            _ => ("True", "False"),
        };
        // A false claim names the wrong term itself.
        let false_claim = claims(kind, Some("fox"), wrong);
        assert_eq!(word(&false_claim, false).unwrap(), "fox");
        let true_claim = claims(kind, Some("cat"), right);
        let other = word(&true_claim, false).unwrap();
        let list = metadata.list("animal").unwrap();
        assert!(metadata.lists[list].terms.contains(&other) && other != "cat");
        assert_eq!(
            word(&true_claim, true).unwrap().to_lowercase(),
            wrong.to_lowercase()
        );
        assert_eq!(
            word(&false_claim, true).unwrap().to_lowercase(),
            right.to_lowercase()
        );
        assert!(
            word(&claims(kind, None, right), false)
                .unwrap_err()
                .contains("claim")
        );
    }
    let free = |subtask: &str| Item {
        kind: QuestionKind::FreeForm,
        options: Vec::new(),
        subtask: Some(subtask.into()),
        ..question(1, 1)
    };
    let words: BTreeSet<String> = (0..40)
        .map(|n| {
            let item = Item {
                id: format!("clean/{n}"),
                ..free("animal")
            };
            words::wrong(&item, (3, false), &metadata).unwrap()
        })
        .collect();
    assert!(words.len() > 5 && !words.contains("cat"), "{words:?}");
    assert!(
        word(&free("kites"), false)
            .unwrap_err()
            .contains("vocabulary")
    );
    let unprompted = Item {
        prompt: None,
        ..free("animal")
    };
    assert!(word(&unprompted, false).unwrap_err().contains("prompt"));
}

#[test]
fn items_that_cannot_be_derived_are_counted_with_the_reason() {
    let metadata = metadata();
    let plan = plan("print-attack", &[]);
    let find = |_: &str| Ok(None);
    let mut planner = Planner::new(&plan, &metadata, &find).unwrap();
    let variant = |name: &str| {
        Some(Variant {
            name: name.into(),
            ..Variant::default()
        })
    };
    let changes: [&dyn Fn(&mut Item); 8] = [
        &|_| {},
        &|item| item.variant = variant("clean"),
        &|item| item.variant = variant("corruption"),
        &|item| item.images.clear(),
        &|item| item.images.push(ImageRef::named("b.png")),
        &|item| item.images[0].hash = None,
        &|item| item.subtask = Some("Text".into()),
        &|item| item.options.truncate(1),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut item = question(n as i64, n as i64);
        change(&mut item);
        planner.see(n as u32 + 1, &item).unwrap();
    }
    let planned = planner.finish();
    assert_eq!(planned.numbers, [1, 2]);
    let reasons: Vec<&str> = planned
        .counts
        .excluded
        .iter()
        .map(|(why, _)| &**why)
        .collect();
    assert_eq!(reasons.len(), 6, "{reasons:?}");
    assert!(planned.counts.excluded.iter().all(|(_, items)| *items == 1));
}

#[test]
fn a_picture_is_corrupted_once_and_a_question_attacked_by_itself() {
    let metadata = metadata();
    let find = |_: &str| Ok(None);
    let planned = |plan: &ScenarioPlan| {
        let mut planner = Planner::new(plan, &metadata, &find).unwrap();
        // 110 questions about 55 pictures.
        for key in 0..110 {
            planner
                .see(key as u32 + 1, &question(key, key / 2))
                .unwrap();
        }
        planner.finish()
    };
    let one = planned(&plan("corruption", &[]));
    assert_eq!((one.pictures.len(), one.counts.items), (55, 110));
    assert!(one.pictures.iter().all(|picture| picture.items.len() == 2));
    // Each of the 55 pairs once.
    let pairs = |parameters: &Parameters| {
        let text = |name: &str| parameters[name].to_string();
        (text("corruption"), text("severity"))
    };
    let dealt: BTreeSet<_> = one.pictures.iter().map(|p| pairs(&p.parameters)).collect();
    assert_eq!(dealt.len(), 55);
    let seeds: BTreeSet<u64> = one
        .pictures
        .iter()
        .map(|p| p.parameters[SEED].as_u64().unwrap())
        .collect();
    assert_eq!(seeds.len(), 55, "two pictures share their noise");
    let grid = planned(&plan(
        "corruption",
        &[("grid", "true"), ("severities", "2,5")],
    ));
    assert_eq!(
        (grid.pictures.len(), grid.counts.items),
        (55 * 22, 110 * 22)
    );
    let names: BTreeSet<_> = grid
        .pictures
        .iter()
        .map(|p| (&p.picture, &p.suffix))
        .collect();
    assert_eq!(names.len(), 55 * 22);

    let attacks = planned(&plan(
        "print-attack",
        &[("opacity", "100"), ("color", "red,blue")],
    ));
    assert_eq!((attacks.pictures.len(), attacks.counts.sources), (110, 55));
    assert!(attacks.pictures.iter().all(|p| p.parameters[WORD] == "dog"));
    for (name, value, pictures) in &attacks.counts.dealt {
        let levels = match &**name {
            "opacity" => 1,
            "color" => 2,
            "position" => 25,
            _ => 5,
        };
        let (least, most) = (110 / levels, 110_u64.div_ceil(levels));
        assert!(
            (least..=most).contains(pictures),
            "{name} {value}: {pictures}"
        );
    }
    assert_eq!(attacks.counts.dealt.len(), 1 + 2 + 25 + 5 + 5);
}

#[test]
fn sheets_have_a_cell_for_each_level() {
    let picture = DecodedImage::new(RgbImage::from_pixel(64, 48, image::Rgb([90, 120, 60])).into());
    for (name, rows, columns, only) in [
        ("corruption", 11, 5, "jpeg"),
        // 25 positions take five rows.
        ("print-attack", 9, 5, "opacity"),
    ] {
        let plan = plan(name, &[]);
        let scenario = of(&plan).unwrap();
        let layout = scenario.sheet(&plan, &Parameters::new()).unwrap();
        assert_eq!(
            (layout.rows.len(), layout.columns.len()),
            (rows, columns),
            "{name}"
        );
        let painter = scenario.painter(&plan, None).unwrap();
        let draw = |layout: &super::Layout| {
            super::sheet::png(&picture, &*painter, layout, (1, 32)).unwrap()
        };
        let whole = draw(&layout);
        assert_eq!(draw(&layout), whole, "the same bytes");
        let some = layout.clone().only(&[only.to_string()]).unwrap();
        assert_eq!(some.rows.len(), 1);
        let size = |png: &[u8]| {
            let read = image::load_from_memory(png).unwrap();
            (read.width(), read.height())
        };
        assert!(size(&draw(&some)).1 < size(&whole).1);
        assert!(layout.only(&["fog".into()]).is_err());
    }
}
