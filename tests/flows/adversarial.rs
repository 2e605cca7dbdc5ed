//! `benchtop scenario adversarial`, with a tiny CLIP.

use std::collections::BTreeSet;

use benchtop::model::Item;
use benchtop::model::derivation::{ADVERSARIAL, PROXY, SEED};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use serde_json::{Value, json};

use super::filter::{configure, tiny_clip};
use super::scenario::{encoded, of_variant, picture};
use crate::support::{Bench, ErrorKind, wait_until};

const RUN: [&str; 10] = [
    "scenario",
    "adversarial",
    "--eps",
    "4",
    "--alpha",
    "1.5",
    "--steps",
    "5",
    "--seed",
    "3",
];

const ANIMALS: [&str; 4] = ["cat", "dog", "fox", "owl"];

fn record(id: usize, picture: &str, prompt: &str) -> Value {
    let (kind, answer, options) = match id % 2 {
        0 => ("multi choice", ANIMALS[id % 4], json!(ANIMALS)),
        _ => ("true or false", "true", json!(["true", "false"])),
    };
    json!({
        "id": id, "images": [picture], "prompt": prompt, "question": format!("Which animal is {id}?"),
        "question_type": kind, "answer": answer, "options": options, "task": "recognition",
        "question_majority": "animal",
    })
}

/// A project with these pictures, and two questions about each.
fn asked(pictures: usize, side: u32) -> Bench {
    let bench = Bench::new();
    let mut items = Vec::new();
    for n in 0..pictures {
        let name = format!("p{n:04}.png");
        let bytes = encoded(picture(n as u32, side), ImageFormat::Png);
        bench.write(&format!("in/{name}"), bytes);
        for id in [2 * n, 2 * n + 1] {
            items.push(record(
                id,
                &name,
                &format!("a photo of a {}", ANIMALS[id % 4]),
            ));
        }
    }
    let file = bench.write("in/clean.json", json!(items).to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

fn parameter<'i>(item: &'i Item, name: &str) -> &'i Value {
    &item.derivation.as_ref().unwrap().parameters[name]
}

/// The stored picture of an item.
fn stored(bench: &Bench, item: &Item) -> DynamicImage {
    let image = &item.images[0];
    let file = benchtop::files::picture_file::PictureFile::of(bench.project().root(), image);
    image::load_from_memory(&file.unwrap().read().unwrap()).unwrap()
}

fn with_clip(bench: &Bench) {
    let folder = tiny_clip(bench);
    configure(
        bench,
        &format!("[filter]\nclip = {:?}", folder.to_str().unwrap()),
    );
}

#[test]
fn pictures_fit_their_prompts_less_well_within_eps() {
    let bench = asked(4, 40);
    with_clip(&bench);
    let dry = bench.run([&RUN[..], &["--dry-run", "--json"]].concat());
    let dry = dry.lines().remove(0);
    assert_eq!((&dry["items"], &dry["pictures"]), (&json!(8), &json!(4)));
    assert!(dry["bytes"].as_u64().unwrap() > 4 * 1000, "{dry}");
    let dealt = json!([{"name": "steps", "value": "5", "pictures": 4}]);
    assert_eq!(dry["dealt"], dealt);
    bench.run(RUN).ok();
    let items = of_variant(&bench, ADVERSARIAL);
    assert_eq!(items.len(), 8);
    let mut hashes = BTreeSet::new();
    for item in &items {
        let derivation = item.derivation.as_ref().unwrap();
        assert_eq!(
            (&*derivation.method, &*derivation.version),
            (ADVERSARIAL, "1")
        );
        for (name, value) in [("eps", 4.0), ("alpha", 1.5), ("steps", 5.0)] {
            assert_eq!(parameter(item, name).as_f64(), Some(value));
        }
        assert_eq!(derivation.proxy(), Some("clip"));
        assert_eq!(parameter(item, "proxy-weights").as_str().unwrap().len(), 64);
        assert!(parameter(item, SEED).is_u64());
        let score = |name: &str| parameter(item, name).as_f64().unwrap();
        assert!(score("score-after") < score("score-before"), "{item:?}");
        hashes.insert(item.images[0].hash.clone());
        // Questions 2n and 2n + 1 are about picture n, and the attack took the prompt of the first.
        let key: usize = item.key.to_string().parse().unwrap();
        let text = format!("a photo of a {}", ANIMALS[key / 2 * 2 % 4]);
        assert_eq!(parameter(item, "text"), &json!(text));
        let (before, after) = (picture(key as u32 / 2, 40), stored(&bench, item).to_rgb8());
        let differences = before.as_raw().iter().zip(after.as_raw());
        let most = differences.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert_eq!(most, 4, "{key}");
    }
    assert_eq!(hashes.len(), 4);
    // The filter gives the stored pictures the recorded scores, where prompt and text are the same.
    bench.run(["filter", "run", "clip", "--json"]).ok();
    for item in items
        .iter()
        .filter(|item| item.prompt.as_deref() == parameter(item, "text").as_str())
    {
        let text = bench.run(["filter", "explain", &item.id, "--json"]).ok();
        let explained: Value = serde_json::from_str(text.trim()).unwrap();
        let scores = explained["scores"].as_array().unwrap();
        let clip = scores.iter().find(|s| s["scorer"] == "clip").unwrap();
        // A logit: the model's scale is exp(4).
        let cosine = clip["values"][0][1].as_f64().unwrap() / 4f64.exp();
        let recorded = parameter(item, "score-after").as_f64().unwrap();
        assert!((cosine - recorded).abs() < 1e-5, "{cosine} {recorded}");
    }
    // The same again, elsewhere.
    let other = asked(4, 40);
    with_clip(&other);
    other.run(RUN).ok();
    let again = of_variant(&other, ADVERSARIAL);
    let pictures = |items: &[Item]| -> Vec<_> {
        items
            .iter()
            .map(|item| item.images[0].hash.clone())
            .collect()
    };
    assert_eq!(pictures(&again), pictures(&items));
}

#[test]
fn without_its_model_nothing_starts() {
    let bench = asked(1, 32);
    for more in [&["--json"][..], &["--dry-run", "--json"]] {
        let refusal = bench
            .run([&RUN[..], more].concat())
            .refused_as(ErrorKind::NotFound);
        assert!(refusal.text.contains("clip-vit-l-14"), "{refusal:?}");
        assert!(!refusal.help.is_empty(), "{refusal:?}");
    }
    assert_eq!(bench.run(["jobs", "--json"]).lines().len(), 0);
    with_clip(&bench);
    for (option, value) in [("--eps", "0.5"), ("--steps", "2.5"), ("--alpha", "300")] {
        let args = ["scenario", "adversarial", option, value, "--json"];
        let refusal = bench.run(args).refused_as(ErrorKind::Usage);
        assert_eq!(refusal.field, option[2..], "{refusal:?}");
    }
    assert_eq!(bench.run(["jobs", "--json"]).lines().len(), 0);
}

/// Alpha stays, a picture that cannot be read is a failure of its own, and an item without a prompt is
/// left out.
#[test]
fn odd_pictures_are_results_or_failures() {
    let bench = Bench::new();
    let clear = RgbaImage::from_fn(40, 36, |x, y| {
        Rgba([
            (x * 6) as u8,
            (y * 7) as u8,
            90,
            if x < 20 { 0 } else { 255 },
        ])
    });
    bench.write("in/clear.png", encoded(clear.clone(), ImageFormat::Png));
    bench.write("in/whole.png", encoded(picture(1, 36), ImageFormat::Png));
    let all = json!([
        record(1, "clear.png", "a photo of a cat"),
        record(2, "whole.png", "a photo of a dog"),
        record(3, "whole.png", " "),
    ]);
    let file = bench.write("in/clean.json", all.to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    with_clip(&bench);
    let dry = bench.run([&RUN[..], &["--dry-run", "--json"]].concat());
    let dry = dry.lines().remove(0);
    assert_eq!(dry["items"], 2, "{dry}");
    assert_eq!(dry["excluded"][0]["items"], 1, "{dry}");
    bench.run(RUN).ok();
    let items = of_variant(&bench, ADVERSARIAL);
    let keys: Vec<String> = items.iter().map(|item| item.key.to_string()).collect();
    assert_eq!(keys, ["1", "2"]);
    let after = stored(&bench, &items[0]);
    let after = after.as_rgba8().unwrap();
    let alpha = |of: &RgbaImage| -> Vec<u8> { of.pixels().map(|p| p.0[3]).collect() };
    assert_eq!(alpha(after), alpha(&clear));
    assert_ne!(after, &clear);
}

#[test]
fn the_board_marks_models_that_share_the_proxy() {
    let bench = asked(2, 32);
    with_clip(&bench);
    bench.run(RUN).ok();
    for set in ["clean", "clean-adversarial"] {
        let line = |n: u32| {
            // A file with the same bytes would not be imported again.
            let line = json!({"id": n, "prediction": "A", "model": "llava", "set": set});
            line.to_string() + "\n"
        };
        let file = bench.write(
            &format!("{set}/llava.jsonl"),
            (0..4).map(line).collect::<String>(),
        );
        bench
            .run(["import", file.to_str().unwrap(), "--dataset", set])
            .ok();
    }
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "\n[white_box]\nclip = [\"llava\"]\n").unwrap();
    let lines = bench.run(["board", "--format", "json"]).lines();
    let marked = lines.iter().filter(|line| line["white_box"] == true);
    let columns: Vec<&str> = marked
        .map(|line| line["column"].as_str().unwrap())
        .collect();
    assert!(columns.contains(&"MC+TF.adversarial"), "{lines:?}");
    assert!(columns.contains(&"MC+TF.adversarial-clean"), "{lines:?}");
    assert!(columns.iter().all(|column| column.contains(ADVERSARIAL)));
    let items = of_variant(&bench, ADVERSARIAL);
    assert!(items.iter().all(|item| parameter(item, PROXY) == "clip"));
}

#[test]
fn a_sheet_shows_several_eps() {
    let bench = asked(1, 32);
    with_clip(&bench);
    let out = bench.beside("sheet.png");
    let sheet = |of: &str| {
        let out = out.to_str().unwrap();
        let args = ["scenario", "sheet", "--scenario", "adversarial", "--of", of];
        bench.run([&args[..], &["--side", "64", "--out", out, "--json"]].concat())
    };
    let report = sheet("#1").lines().remove(0);
    assert_eq!(
        (&report["rows"], &report["columns"]),
        (&json!(1), &json!(4))
    );
    assert!(image::open(&out).unwrap().width() > 4 * 64);
    // A file has no prompt.
    let file = bench.write("in/other.png", encoded(picture(2, 32), ImageFormat::Png));
    let refusal = sheet(file.to_str().unwrap()).refused_as(ErrorKind::Usage);
    assert_eq!(refusal.field, "of");
}

#[test]
fn a_pause_ends_a_picture_between_two_steps() {
    let bench = asked(1, 700);
    with_clip(&bench);
    let job = || bench.run(["jobs", "--json"]).lines().remove(0);
    let run = ["scenario", "adversarial", "--steps", "1000", "--detach"];
    bench.run(run).ok();
    wait_until("it has begun", || job()["standing"] == "running");
    bench.run(["jobs", "pause", "1"]).ok();
    wait_until("it rests", || job()["standing"] == "paused");
    let rests = job();
    assert_eq!((&rests["done"], &rests["failed"]), (&json!(0), &json!(0)));
    bench.run(["jobs", "cancel", "1"]).ok();
    wait_until("it ends", || job()["standing"] == "cancelled");
    assert_eq!(of_variant(&bench, ADVERSARIAL).len(), 0);
    // A picture that was left is made like any other.
    let run = ["scenario", "adversarial", "--steps", "2", "--json"];
    bench.run(run).ok();
    assert_eq!(of_variant(&bench, ADVERSARIAL).len(), 2);
}

/// What everything around the steps costs: with a tiny CLIP, the model takes next to nothing. The
/// number is in `docs/scenarios.md`.
#[test]
#[ignore = "measures; run it with --ignored --nocapture"]
fn measured_overhead() {
    let count = std::env::var("BENCH_PICTURES").map_or(500, |n| n.parse().unwrap());
    let bench = asked(count, 224);
    with_clip(&bench);
    let started = std::time::Instant::now();
    bench.run(["scenario", "adversarial", "--json"]).ok();
    let seconds = started.elapsed().as_secs_f64();
    let made = of_variant(&bench, ADVERSARIAL);
    assert_eq!(made.len(), 2 * count);
    let size = |item: &Item| {
        let path = bench.root().join(item.images[0].stored().unwrap());
        std::fs::metadata(path).unwrap().len()
    };
    let bytes: u64 = made.iter().step_by(2).map(size).sum();
    let rate = count as f64 / seconds;
    println!("{count} pictures of 224x224 in {seconds:.1} s, {rate:.1} a second, {bytes} bytes");
}
