//! Image-text contamination: near reference pictures, their captions, a judge, and the rates of
//! originals and variants. The distances of several sets of pictures.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::derived::{derived, exported, import};
use super::filter::{asks, configure, says, tiny_clip, words};
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, ErrorKind, has_line, json_lines, wait_until};

/// Pictures that a tiny CLIP tells apart.
fn drawn(kind: usize, shade: u8) -> Vec<u8> {
    let pixel = |x: u32, y: u32| {
        let far = x.abs_diff(16).pow(2) + y.abs_diff(16).pow(2);
        match kind {
            0 => image::Rgb([(far / 8 % 24 * 10) as u8, shade, (y * 7) as u8]),
            1 => image::Rgb([(x / 4 % 2 * 255) as u8, (x / 4 % 2 * 255) as u8, shade]),
            2 => image::Rgb([255, 255 - (y / 8 * 80) as u8, shade]),
            _ => image::Rgb([0, shade, (x * y % 251) as u8]),
        }
    };
    let mut out = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(32, 32, pixel);
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

fn one(text: &str) -> Value {
    json_lines(text).remove(0)
}

const CAPTION: &str = "a dog with a red ball";

/// Answers by the question, and never by a picture.
fn judge() -> Server {
    Server::new(|seen: &Seen| -> Act {
        let words = words(seen);
        assert!(words.contains(CAPTION) && !seen.body.to_string().contains("image_url"));
        match () {
            () if words.contains("What is 1?") => says(r#"{"reason": "said", "answer": "yes"}"#),
            () if words.contains("What is 5?") => says("It may well be."),
            () => says(r#"{"reason": "not said", "answer": "no"}"#),
        }
    })
}

/// Five questions. References show the pictures of 1, 2, and 5 with a caption, and that of 3
/// without. The picture of 4 is of its own.
fn project(server: &Server) -> (Bench, PathBuf) {
    let bench = Bench::new();
    let folder = bench.beside("references");
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let (mut rows, mut captions) = (String::new(), String::new());
    let of = [
        (0, "a.png"),
        (0, "a.png"),
        (1, "sub/b.png"),
        (2, ""),
        (0, "a.png"),
    ];
    for (n, (kind, reference)) in (1..).zip(of) {
        bench.write(&format!("{n}.png"), drawn(kind, 90));
        if !reference.is_empty() {
            std::fs::write(folder.join(reference), drawn(kind, 90)).unwrap();
        }
        let row = json!({"id": n, "image": format!("{n}.png"), "question": format!("What is {n}?"), "answer": "ball"});
        rows += &format!("{row}\n");
    }
    captions += &format!("{}\n", json!({"file": "a.png", "caption": CAPTION}));
    captions += &format!("{}\n", json!({"file": "absent.png", "caption": "a cat"}));
    std::fs::write(folder.join("captions.jsonl"), captions).unwrap();
    let file = bench.write("set.jsonl", rows);
    bench.run(["import", file.to_str().unwrap()]).ok();
    asks(&bench, server);
    let clip = tiny_clip(&bench);
    configure(
        &bench,
        &format!(
            "[filter]\nclip = {clip:?}\nreferences = [{folder:?}]\ncontamination_threshold = 0.999"
        ),
    );
    (bench, folder)
}

const RUN: [&str; 4] = ["filter", "run", "contamination", "--json"];
const REPORT: [&str; 3] = ["analyze", "contamination", "--json"];

fn counts(share: &Value) -> (u64, u64) {
    (share["k"].as_u64().unwrap(), share["n"].as_u64().unwrap())
}

/// Near of compared, answered of near, answered of compared.
fn rates(rates: &Value) -> [(u64, u64); 3] {
    ["image", "text_of_near", "text_of_all"].map(|name| counts(&rates[name]))
}

#[test]
fn image_text_contamination_is_counted_for_originals_and_variants() {
    let server = judge();
    let (bench, folder) = project(&server);
    let none = bench.run(REPORT).refused(1);
    assert!(none.names("filter run contamination"), "{none}");
    // V1 has other pictures, L4 the same ones with another question, and one L4 is the original.
    let sources = exported(&bench);
    let mut all = Vec::new();
    for source in &sources[..2] {
        all.push(derived(&bench, source, "V1", Some(&drawn(3, 7)), |_| ()));
        let mut item = derived(&bench, source, "L4", None, |_| ());
        let is_first = item.question.contains('1');
        if is_first {
            item.question = "By the way, what is this?".into();
        } else {
            item.variant.as_mut().unwrap().modified = Some(false);
        }
        all.push(item);
    }
    import(&bench, &all);
    let job = one(&bench.run(RUN).ok());
    assert_eq!(
        (&job["phase"], &job["without"]),
        (&json!("done"), &json!(1)),
        "{job}"
    );
    let cosines: Vec<Value> = (1..=9)
        .map(|n: u32| {
            one(&bench
                .run(["filter", "explain", &n.to_string(), "--json"])
                .ok())
        })
        .collect();
    let found = one(&bench.run(REPORT).ok());
    let rows = found["rows"].as_array().unwrap();
    let names: Vec<&Value> = rows.iter().map(|row| &row["variant"]).collect();
    assert_eq!(names, [&Value::Null, &json!("L4"), &json!("V1")], "{found}");
    // 1, 2, 3, and 5 are near; the judge ruled on 1 (yes) and 2 (no).
    assert_eq!(
        rates(&rows[0]["rates"]),
        [(4, 5), (1, 2), (1, 5)],
        "{found} {cosines:?}"
    );
    let left = ["without_caption", "without_ruling", "not_compared"];
    assert_eq!(
        left.map(|name| &rows[0]["rates"][name]),
        [&json!(1), &json!(1), &json!(0)]
    );
    assert_eq!(
        (&rows[0]["items"], &rows[0]["originals"]),
        (&json!(5), &Value::Null)
    );
    // The same picture with another question is near, and no longer answered.
    assert_eq!(
        (&rows[1]["items"], &rows[1]["unmodified"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        rates(&rows[1]["rates"]),
        [(1, 1), (0, 1), (0, 1)],
        "{found}"
    );
    assert_eq!(
        rates(&rows[1]["originals"]),
        [(1, 1), (1, 1), (1, 1)],
        "{found}"
    );
    // Another picture is not near.
    assert_eq!(
        rates(&rows[2]["rates"]),
        [(0, 2), (0, 0), (0, 2)],
        "{found}"
    );
    assert_eq!(
        rates(&rows[2]["originals"]),
        [(2, 2), (1, 2), (1, 2)],
        "{found}"
    );
    let image = &rows[0]["rates"]["image"];
    assert!(image["low"].as_f64().unwrap() < 0.8 && image["high"].as_f64().unwrap() > 0.8);
    // 1, 2, 5, and the new question were asked about. The unmodified one is the question of 2.
    assert_eq!(server.seen().len(), 4);
    bench.run(RUN).ok();
    assert_eq!(server.seen().len(), 4, "nothing is asked twice");
    let text = bench.run(["analyze", "contamination"]).ok();
    for line in [
        &["originals", "80.00 4/5", "50.00 1/2", "20.00 1/5"][..],
        &["originals of V1", "100.00 2/2"],
        &["L4: 1 item where the original stands in"],
        &["originals: 1 item near to a reference picture without a caption"],
    ] {
        assert!(has_line(&text, line), "{line:?}\n{text}");
    }
    let filtered = [&REPORT[..], &["--filter", "dataset:set-V1"]].concat();
    let found = one(&bench.run(filtered).ok());
    assert_eq!(rates(&found["rows"][0]["originals"])[0], (2, 2), "{found}");
    // The details say what was near. `b.png` gets a caption, so everything near is asked again.
    let said = one(&bench.run(["filter", "explain", "1", "--json"]).ok());
    assert!(
        said.to_string().contains(CAPTION) && said.to_string().contains("a.png"),
        "{said}"
    );
    let mut captions = std::fs::read_to_string(folder.join("captions.jsonl")).unwrap();
    captions += &format!("{}\n", json!({"file": "sub/b.png", "caption": CAPTION}));
    std::fs::write(folder.join("captions.jsonl"), captions).unwrap();
    bench.run(RUN).ok();
    let found = one(&bench.run(REPORT).ok());
    assert_eq!(
        rates(&found["rows"][0]["rates"]),
        [(4, 5), (1, 3), (1, 5)],
        "{found}"
    );
    assert_eq!(server.seen().len(), 9);
}

#[test]
fn contamination_says_what_it_lacks() {
    let server = judge();
    let (bench, folder) = project(&server);
    let whole = std::fs::read_to_string(folder.join("captions.jsonl")).unwrap();
    // A damaged line is named.
    std::fs::write(
        folder.join("captions.jsonl"),
        format!("{whole}{{\"file\":\n"),
    )
    .unwrap();
    let refused = bench.run(RUN).refused_as(ErrorKind::Input);
    assert!(
        refused.names("captions.jsonl") && refused.place().1 == 3,
        "{refused}"
    );
    std::fs::remove_file(folder.join("captions.jsonl")).unwrap();
    let refused = bench.run(RUN).refused(1);
    assert!(refused.names("captions.jsonl"), "{refused}");
    let clip = tiny_clip(&bench);
    configure(&bench, &format!("[filter]\nclip = {clip:?}"));
    let refused = bench.run(RUN).refused(1);
    assert!(refused.names("filter.references"), "{refused}");
    assert_eq!(server.seen().len(), 0);
    // Its question is not a question about items.
    let report = one(&bench.run(["filter", "report", "--json"]).ok()).to_string();
    assert!(
        report.contains("\"contamination\"") && !report.contains("judge/contamination"),
        "{report}"
    );
}

#[test]
fn a_budget_stops_contamination_and_the_next_run_continues() {
    let server = judge();
    let (bench, _) = project(&server);
    let limited = [&RUN[..3], &["--max-requests", "1", "--detach"]].concat();
    bench.run(limited).ok();
    let job = || {
        bench
            .run(["jobs", "--json"])
            .lines()
            .into_iter()
            .find(|job| job["kind"] == "scoring")
            .unwrap()
    };
    wait_until("the budget is spent", || job()["standing"] == "paused");
    let id = job()["id"].to_string();
    for act in ["cancel", "remove"] {
        bench.run(["jobs", act, &id]).ok();
    }
    let before = server.seen().len();
    assert!(
        (1..3).contains(&before),
        "{before} requests within a budget of 1"
    );
    bench.run(RUN).ok();
    let found = one(&bench.run(REPORT).ok());
    assert_eq!(
        rates(&found["rows"][0]["rates"]),
        [(4, 5), (1, 2), (1, 5)],
        "{found}"
    );
    assert_eq!(server.seen().len(), 3, "nothing is asked twice");
}

#[test]
fn the_matrix_of_sets_has_the_distances_of_each_pair() {
    let bench = Bench::new();
    let clip = tiny_clip(&bench);
    let folders: Vec<String> = (0..3)
        .map(|set| {
            let folder = bench.beside(&format!("set-{set}"));
            std::fs::create_dir_all(&folder).unwrap();
            for shade in 0..4 + set as u8 {
                std::fs::write(folder.join(format!("{shade}.png")), drawn(set, 40 * shade))
                    .unwrap();
            }
            folder.to_str().unwrap().to_string()
        })
        .collect();
    std::fs::write(PathBuf::from(&folders[2]).join("damaged.png"), "none").unwrap();
    let model = ["--model", clip.to_str().unwrap()];
    let run = |of: &[usize], more: &[&str]| {
        let folders = of.iter().map(|at| folders[*at].as_str());
        let args: Vec<&str> = ["filter", "compare"]
            .into_iter()
            .chain(folders)
            .chain(model)
            .collect();
        bench.run([&args[..], more].concat())
    };
    let found = one(&run(&[0, 1, 2], &["--json"]).ok());
    assert_eq!(
        found["sets"],
        json!([[folders[0], 4], [folders[1], 5], [folders[2], 6]])
    );
    let mut sums = [0.0; 3];
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let pair = one(&run(&[a, b], &["--json"]).ok());
        for name in ["kmmd_unbiased", "kmmd_biased", "sigma", "samples"] {
            assert_eq!(found["pairs"][a][b][name], pair[name], "{a} {b} {name}");
        }
        let value = pair["kmmd_unbiased"].as_f64().unwrap();
        assert_eq!(found["pairs"][b][a]["kmmd_unbiased"], value);
        (sums[a], sums[b]) = (sums[a] + value, sums[b] + value);
    }
    for (at, sum) in sums.into_iter().enumerate() {
        assert!(found["pairs"][at][at].is_null());
        let mean = found["mean"][at].as_f64().unwrap();
        assert!((mean - sum / 2.0).abs() < 1e-12, "{found}");
    }
    assert_eq!(found["skipped"].as_array().unwrap().len(), 1, "{found}");
    let text = run(&[0, 1, 2], &[]).ok();
    let mean = format!("{:.6}", found["mean"][1].as_f64().unwrap());
    assert!(
        has_line(&text, &["mean", &mean]) && has_line(&text, &["2", &folders[1], "5 pictures"]),
        "{text}"
    );
    assert!(
        run(&[0, 1, 2], &["--threshold", "0.5"])
            .refused(2)
            .names("--threshold")
    );
    run(&[0], &[]).refused(2);
}
