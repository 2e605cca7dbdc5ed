//! `benchtop scenario`: jobs that derive pictures and items, their plans, and contact sheets.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use benchtop::model::Item;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

use super::derived::exported;
use crate::support::{Bench, ErrorKind, json_lines, wait_until};

/// A picture with areas and edges, so that every corruption changes it.
pub fn picture(n: u32, side: u32) -> RgbImage {
    RgbImage::from_fn(side, side, |x, y| {
        let is_light = (x / 8 + y / 8 + n) % 2 == 0;
        let value = if is_light { 200 } else { 60 };
        Rgb([value, (x * 255 / side) as u8, (y * 255 / side + n) as u8])
    })
}

pub fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A question of Dysca's form about picture `picture`.
fn question(id: usize, picture: &str) -> Value {
    let animals = ["cat", "dog", "fox", "owl"];
    let right = animals[id % 4];
    let mut record = json!({
        "id": id, "image": picture, "prompt": format!("a photo of a {right}"),
        "question": "Which animal is it?", "task": "recognition", "question_majority": "animal",
    });
    let rest = match id % 2 {
        0 => json!({
            "question_type": "multi choice", "answer": right,
            "options": animals,
            "instruction": format!("Which animal is it? A. cat B. dog C. fox D. owl"),
        }),
        _ => json!({
            "question_type": "true or false", "answer": "true", "options": ["true", "false"],
            "instruction": format!("It is a {right}. true or false?"),
        }),
    };
    record
        .as_object_mut()
        .unwrap()
        .extend(rest.as_object().unwrap().clone());
    record
}

/// A project with `pictures` pictures of `side` pixels, and two questions about each.
pub fn asked(pictures: usize, side: u32) -> Bench {
    let bench = Bench::new();
    let mut items = Vec::new();
    for n in 0..pictures {
        let name = format!("p{n:04}.png");
        let bytes = encoded(picture(n as u32, side), ImageFormat::Png);
        bench.write(&format!("in/{name}"), bytes);
        items.extend([question(2 * n, &name), question(2 * n + 1, &name)]);
    }
    let file = bench.write("in/clean.json", json!(items).to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

pub fn of_variant(bench: &Bench, variant: &str) -> Vec<Item> {
    let is = |item: &Item| item.variant.as_ref().is_some_and(|v| v.name == variant);
    exported(bench).into_iter().filter(is).collect()
}

fn parameter(item: &Item, name: &str) -> String {
    let derivation = item.derivation.as_ref().unwrap();
    match &derivation.parameters[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn each_picture_gets_one_corruption_which_its_questions_share() {
    let bench = asked(22, 48);
    let dry = bench
        .run([
            "scenario",
            "corruption",
            "--severities",
            "2,4",
            "--seed",
            "5",
            "--dry-run",
            "--json",
        ])
        .lines()
        .remove(0);
    assert_eq!(
        (&dry["items"], &dry["pictures"]),
        (&44.into(), &22.into()),
        "{dry}"
    );
    assert!(dry["bytes"].as_u64().unwrap() > 22 * 1000, "{dry}");
    assert_eq!(dry["plan"]["settings"]["severities"], "2,4");
    bench
        .run([
            "scenario",
            "corruption",
            "--severities",
            "2,4",
            "--seed",
            "5",
        ])
        .ok();
    let items = of_variant(&bench, "corruption");
    assert_eq!(items.len(), 44);
    let mut of_picture: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    let mut dealt: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for item in &items {
        let derivation = item.derivation.as_ref().unwrap();
        let source = derivation.picture.clone().unwrap();
        assert_eq!(
            (&*derivation.method, &*derivation.version),
            ("corruption", "1")
        );
        assert!(derivation.seed().is_some());
        let of = item.variant.as_ref().unwrap().of.clone().unwrap();
        assert_eq!(of, derivation.source.id);
        assert_ne!(item.images[0].hash, Some(source.clone()));
        of_picture
            .entry(source.clone())
            .or_default()
            .insert(item.images[0].hash.clone());
        let pair = (parameter(item, "corruption"), parameter(item, "severity"));
        dealt.entry(pair).or_default().insert(source);
    }
    assert!(of_picture.len() == 22 && of_picture.values().all(|all| all.len() == 1));
    // 11 corruptions at two severities, each dealt to one of the 22 pictures.
    assert_eq!(dealt.len(), 22);
    assert!(dealt.values().all(|pictures| pictures.len() == 1));
    // Everything is there: nothing is left to do.
    let refusal = bench
        .run(["scenario", "corruption", "--severities", "2,4", "--json"])
        .refused_as(ErrorKind::Conflict);
    assert!(refusal.names("44"), "{refusal:?}");
    let verified = bench.run(["verify", "--json"]).lines();
    assert!(
        verified.iter().all(|line| line["event"] != "problem"),
        "{verified:?}"
    );
}

#[test]
fn a_later_question_about_a_picture_shares_its_corruption() {
    let bench = asked(3, 32);
    bench
        .run([
            "scenario",
            "corruption",
            "--filter",
            "id:clean/0",
            "--seed",
            "1",
        ])
        .ok();
    bench.run(["scenario", "corruption", "--seed", "2"]).ok();
    let items = of_variant(&bench, "corruption");
    assert_eq!(items.len(), 6);
    let hash = |key: &str| {
        let item = items.iter().find(|item| item.key.to_string() == key);
        item.unwrap().images[0].hash.clone()
    };
    assert_eq!(hash("0"), hash("1"));
    assert_ne!(hash("0"), hash("2"));
}
