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
        let is_light = (x / 8 + y / 8 + n).is_multiple_of(2);
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
        "id": id, "images": [picture], "prompt": format!("a photo of a {right}"),
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

/// Composed questions about pictures of the storyboard.
fn composed(count: usize) -> Bench {
    let bench = Bench::new();
    let plan = bench.write(
        "animals.toml",
        format!(
            "name = \"animals\"\n[[pictures]]\nsubject = \"animal\"\ncount = {count}\nabout = [\"animal\"]\n"
        ),
    );
    bench
        .run(["compose", "--plan", plan.to_str().unwrap(), "--seed", "4"])
        .ok();
    bench.run(["generate", "--size", "128x96"]).ok();
    bench
}

#[test]
fn a_print_attack_writes_a_wrong_word_on_the_picture_of_each_question() {
    let bench = composed(6);
    let clean = exported(&bench);
    bench
        .run([
            "scenario",
            "print-attack",
            "--opacity",
            "75,100",
            "--seed",
            "2",
        ])
        .ok();
    let attacked = of_variant(&bench, "print-attack");
    assert_eq!(attacked.len(), clean.len());
    let mut names = BTreeSet::new();
    for item in &attacked {
        let derivation = item.derivation.as_ref().unwrap();
        let word = derivation.attack_word().unwrap().to_string();
        let source = clean.iter().find(|c| c.id == derivation.source.id).unwrap();
        assert_eq!(derivation.source.digest, source.digest());
        assert!(!source.prompt.as_ref().unwrap().contains(&word), "{word}");
        assert!(["75", "100"].contains(&&*parameter(item, "opacity")));
        let area: Vec<u64> = serde_json::from_str(&parameter(item, "area")).unwrap();
        assert!(
            area[0] + area[2] <= 128 && area[1] + area[3] <= 96,
            "{area:?}"
        );
        assert!(item.images[0].draft, "made from a draft");
        assert!(
            names.insert(item.images[0].name.clone()),
            "two pictures of one name"
        );
        let right = source.correct().map(|at| source.options[at].text.clone());
        assert_ne!(Some(word), right);
    }
    // `explain` shows the steps, and `verify` finds nothing wrong.
    let explained = bench.run(["explain", &attacked[0].id]).ok();
    assert!(explained.contains("print-attack"), "{explained}");
    let verified = bench.run(["verify", "--json"]).lines();
    assert!(
        verified.iter().all(|line| line["event"] != "problem"),
        "{verified:?}"
    );
}

/// Items made by both scenarios get columns and drops on the board, from nothing but their answers.
#[test]
fn the_board_has_columns_and_drops_of_scenarios_made_here() {
    let bench = composed(11);
    bench
        .run(["scenario", "corruption", "--filter", "dataset:animals-4"])
        .ok();
    bench
        .run(["scenario", "print-attack", "--filter", "dataset:animals-4"])
        .ok();
    let items = exported(&bench);
    // The model is right on clean pictures, and on some questions of the others.
    let mut answers: BTreeMap<String, String> = BTreeMap::new();
    for (n, item) in items.iter().enumerate() {
        // Files with the same bytes would be one import.
        let is_right = match item.variant.as_ref().map(|variant| &*variant.name) {
            None => true,
            Some("corruption") => n % 2 == 0,
            Some(_) => n % 3 == 0,
        };
        let output = match item.correct() {
            Some(at) if is_right => Item::letter(at),
            Some(at) => Item::letter((at + 1) % item.options.len()),
            None => item.answer.clone(),
        };
        let line = json!({"id": item.key, "prediction": output});
        let of_set = answers.entry(item.dataset.clone()).or_default();
        of_set.push_str(&format!("{line}\n"));
    }
    assert_eq!(answers.len(), 3);
    for (dataset, lines) in answers {
        let file = bench.write(&format!("answers/{dataset}.jsonl"), lines);
        let args = [
            "import",
            file.to_str().unwrap(),
            "--dataset",
            &dataset,
            "--model",
            "m",
        ];
        bench.run(args).ok();
    }
    let csv = bench.run(["board", "--format", "csv"]).ok();
    let value = |column: &str| -> f64 {
        let start = format!("m,{column},");
        let line = csv.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("no column {column}\n{csv}"));
        line.rsplit(',').next().unwrap().parse().unwrap()
    };
    let clean = value("MC+TF.clean");
    for scenario in ["corruption", "print-attack"] {
        let (score, drop) = (
            value(&format!("MC+TF.{scenario}")),
            value(&format!("MC+TF.{scenario}-clean")),
        );
        assert!(
            score < clean && drop < 0.0,
            "{scenario}: {clean} {score} {drop}"
        );
    }
}

/// What each odd picture becomes: `Some` with whether it has alpha, or the recorded failure.
#[test]
fn odd_pictures_have_a_defined_result_or_a_recorded_failure() {
    let bench = Bench::new();
    let rgb = picture(1, 40);
    let deep =
        image::ImageBuffer::from_fn(40, 40, |x, y| Rgb([x as u16 * 1600, y as u16 * 1600, 999]));
    let clear = image::RgbaImage::from_fn(40, 40, |x, y| {
        image::Rgba([x as u8 * 6, y as u8 * 6, 9, if x < 20 { 0 } else { 255 }])
    });
    let gray = image::GrayImage::from_fn(40, 40, |x, y| image::Luma([(x * 3 + y * 3) as u8]));
    let mut animated = Vec::new();
    {
        let mut gif = image::codecs::gif::GifEncoder::new(&mut animated);
        for n in 0..3 {
            let frame = DynamicImage::from(picture(n, 40)).to_rgba8();
            gif.encode_frame(image::Frame::new(frame)).unwrap();
        }
    }
    let cmyk = include_bytes!("../fixtures/cmyk.jpg").to_vec();
    let png = encoded(rgb.clone(), ImageFormat::Png);
    let files: [(&str, Vec<u8>, Option<bool>); 8] = [
        (
            "deep.png",
            encoded(DynamicImage::ImageRgb16(deep), ImageFormat::Png),
            Some(false),
        ),
        ("clear.png", encoded(clear, ImageFormat::Png), Some(true)),
        ("gray.png", encoded(gray, ImageFormat::Png), Some(false)),
        ("animated.gif", animated, Some(true)),
        ("cmyk.jpg", cmyk, Some(false)),
        (
            "photo.jpg",
            encoded(rgb.clone(), ImageFormat::Jpeg),
            Some(false),
        ),
        ("photo.webp", encoded(rgb, ImageFormat::WebP), Some(false)),
        ("damaged.png", png, None),
    ];
    let mut items = Vec::new();
    for (n, (name, bytes, _)) in files.iter().enumerate() {
        bench.write(&format!("in/{name}"), bytes);
        items.push(question(2 * n, name));
    }
    let file = bench.write("in/odd.json", json!(items).to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    let sources = exported(&bench);
    // Damaged after the import.
    let damaged = sources
        .iter()
        .find(|item| item.images[0].name.contains("damaged"))
        .unwrap();
    let path = bench.root().join(damaged.images[0].stored().unwrap());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    for scenario in ["corruption", "print-attack"] {
        let out = bench.run(["scenario", scenario, "--json"]);
        assert_eq!(out.code, 1, "{out:?}");
        let job = json_lines(&out.out).remove(0);
        assert_eq!(
            (&job["done"], &job["failed"]),
            (&7.into(), &1.into()),
            "{job}"
        );
        let derived = of_variant(&bench, scenario);
        for (name, _, expected) in &files {
            let stem = name.split('.').next().unwrap();
            let of = derived
                .iter()
                .find(|item| item.images[0].name.contains(stem));
            let Some(has_alpha) = expected else {
                assert!(of.is_none());
                continue;
            };
            let image = &of.unwrap_or_else(|| panic!("{scenario} of {name}")).images[0];
            let bytes = std::fs::read(bench.root().join(image.stored().unwrap())).unwrap();
            let read = image::load_from_memory(&bytes).unwrap();
            assert_eq!(read.color().has_alpha(), *has_alpha, "{name}");
            assert_eq!((read.width(), read.height()), (40, 40));
        }
        let id = job["id"].to_string();
        let failures = bench.run(["jobs", "failures", &id, "--json"]).ok();
        assert!(failures.contains("does not match its hash"), "{failures}");
    }
    // Restored, and tried again.
    std::fs::write(&path, &whole).unwrap();
    for (id, scenario) in [("1", "corruption"), ("2", "print-attack")] {
        bench.run(["jobs", "retry", id]).ok();
        wait_until("it is made", || of_variant(&bench, scenario).len() == 8);
    }
}

#[test]
fn a_word_that_cannot_be_written_is_a_failure_of_its_question() {
    let bench = Bench::new();
    bench.write("in/p.png", encoded(picture(1, 64), ImageFormat::Png));
    bench.write("in/s.png", encoded(picture(2, 12), ImageFormat::Png));
    let with = |id: usize, picture: &str, wrong: &str| {
        let mut record = question(2 * id, picture);
        let right = record["answer"].clone();
        record["options"] = json!([right, wrong]);
        record["instruction"] = format!("Which animal is it? A. {right} B. {wrong}").into();
        record
    };
    let items = [
        with(0, "p.png", "dog2"),
        with(1, "p.png", "狐"),
        with(2, "s.png", "hippopotamus"),
    ];
    let file = bench.write("in/words.json", json!(items).to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    let out = bench.run(["scenario", "print-attack", "--json"]);
    let job = json_lines(&out.out).remove(0);
    assert_eq!(
        (&job["done"], &job["failed"]),
        (&1.into(), &2.into()),
        "{job}"
    );
    let failures = bench.run(["jobs", "failures", "1", "--json"]).ok();
    assert!(
        failures.contains('狐') && failures.contains("too small"),
        "{failures}"
    );
    assert_eq!(of_variant(&bench, "print-attack").len(), 1);
}

#[test]
fn plans_are_files_and_sheets_are_pictures() {
    let bench = asked(2, 40);
    let plan = bench.beside("plan.toml");
    let path = plan.to_str().unwrap();
    bench
        .run([
            "scenario",
            "corruption",
            "--severities",
            "3",
            "--seed",
            "8",
            "--write-plan",
            path,
            "--dry-run",
        ])
        .ok();
    let dry = bench
        .run([
            "scenario",
            "corruption",
            "--plan",
            path,
            "--seed",
            "9",
            "--dry-run",
            "--json",
        ])
        .lines()
        .remove(0);
    assert_eq!(dry["plan"]["settings"]["severities"], "3");
    assert_eq!(dry["plan"]["seed"], 9);
    bench
        .run(["scenario", "print-attack", "--plan", path, "--json"])
        .refused_as(ErrorKind::Usage);
    std::fs::write(&plan, "scenario = \"corruption\"\nseeds = 1\n").unwrap();
    let refusal = bench
        .run(["scenario", "corruption", "--plan", path, "--json"])
        .refused_as(ErrorKind::Input);
    assert!(
        refusal.is_in("plan.toml") && refusal.names("seeds"),
        "{refusal:?}"
    );

    let out = bench.beside("sheet.png");
    let sheet = |of: &str, more: &[&str]| {
        let args = [
            "scenario",
            "sheet",
            "--of",
            of,
            "--side",
            "32",
            "--out",
            out.to_str().unwrap(),
        ];
        let value = bench
            .run(args.iter().chain(more).copied().chain(["--json"]))
            .lines()
            .remove(0);
        let read = image::open(&out).unwrap();
        assert!(read.width() > 32 && read.height() > 32);
        (
            value["rows"].as_u64().unwrap(),
            value["columns"].as_u64().unwrap(),
        )
    };
    assert_eq!(sheet("1", &[]), (11, 5));
    assert_eq!(sheet("1", &["--rows", "jpeg,spatter"]), (2, 5));
    let file = bench.write("alone.png", encoded(picture(1, 64), ImageFormat::Png));
    let attack = ["--scenario", "print-attack"];
    assert_eq!(sheet(file.to_str().unwrap(), &attack), (9, 5));
    assert_eq!(sheet("1", &attack), (9, 5));
}

/// A canceled job adds what it has made, and the next one makes the rest.
#[test]
fn a_canceled_job_keeps_its_pictures() {
    let bench = asked(60, 512);
    bench.run(["scenario", "corruption", "--detach"]).ok();
    let job = || bench.run(["jobs", "--json"]).lines().remove(0);
    wait_until("some are made", || job()["done"].as_u64() > Some(0));
    bench.run(["jobs", "pause", "1"]).ok();
    wait_until("it rests", || job()["standing"] == "paused");
    let made = job()["done"].as_u64().unwrap() as usize;
    assert_eq!(of_variant(&bench, "corruption").len(), 0);
    bench.run(["jobs", "cancel", "1"]).ok();
    wait_until("what is made is added", || {
        of_variant(&bench, "corruption").len() >= 2 * made.min(60)
    });
    if made < 60 {
        bench.run(["scenario", "corruption"]).ok();
    }
    let ids: BTreeSet<String> = of_variant(&bench, "corruption")
        .into_iter()
        .map(|i| i.id)
        .collect();
    assert_eq!(ids.len(), 120);
}

/// A picture whose PNG is about as large as that of a generated picture: areas, edges, and a little
/// noise (standard deviation about 2).
fn grainy(n: u64, side: u32) -> RgbImage {
    let mut state = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    RgbImage::from_fn(side, side, |x, y| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let area = 40 * ((x * 7 / side + y * 5 / side + n as u32) % 5);
        let base = [area + x * 60 / side, area + y * 60 / side, 200 - area];
        let noise = |at: u32| ((state >> (8 * at)) % 8) as u32;
        Rgb([0, 1, 2].map(|at| (base[at as usize] + noise(at)) as u8))
    })
}

/// Items a second and bytes of 2,000 items: the table in `docs/scenarios.md`. `BENCH_PICTURES` sets the
/// number of items, each with a picture of its own.
#[test]
#[ignore = "measures; run it with --ignored --nocapture"]
fn measured_at_scale() {
    let count = std::env::var("BENCH_PICTURES").map_or(2000, |n| n.parse().unwrap());
    let bench = Bench::new();
    let mut items = Vec::new();
    let mut bytes = 0;
    for n in 0..count {
        let name = format!("p{n:05}.png");
        let png = encoded(grainy(n as u64, 512), ImageFormat::Png);
        bytes += png.len();
        bench.write(&format!("in/{name}"), png);
        items.push(question(2 * n, &name));
    }
    let file = bench.write("in/clean.json", json!(items).to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    std::fs::remove_dir_all(bench.beside("in")).unwrap();
    println!("source: {count} items, {bytes} bytes of 512x512");
    for scenario in ["corruption", "print-attack"] {
        let started = std::time::Instant::now();
        let out = bench.run(["scenario", scenario, "--json"]).ok();
        let seconds = started.elapsed().as_secs_f64();
        let made = of_variant(&bench, scenario);
        assert_eq!(made.len(), count, "{out}");
        let size = |item: &Item| {
            let path = bench.root().join(item.images[0].stored().unwrap());
            std::fs::metadata(path).unwrap().len()
        };
        let bytes: u64 = made.iter().map(size).sum();
        let journal = std::fs::metadata(bench.root().join(match scenario {
            "corruption" => "jobs/0001.jsonl",
            _ => "jobs/0002.jsonl",
        }));
        println!(
            "{scenario}: {count} items in {seconds:.1} s, {:.1} items/s, {bytes} bytes, journal {} bytes",
            count as f64 / seconds,
            journal.unwrap().len()
        );
    }
}
