//! Derived items: their fields, judges, kin, sources, lineage, and scenario sets made elsewhere.

use std::collections::BTreeMap;

use base64::Engine as _;
use benchtop::inference::ocr::{Options, Tesseract};
use benchtop::model::derivation::{Derivation, JudgeRuling, PRINT_ATTACK, SEED, WORD};
use benchtop::model::{Item, Rights};
use benchtop::pipeline::derive::{NewItem, keep_picture};
use benchtop::raster::decode::DecodedImage;
use benchtop::raster::print_attack::{Factor, Ink, Look, write};
use serde_json::{Value, json};

use super::eval::{quiz, reply, words};
use super::filter::{asks, configure, tiny_clip};
use crate::inference::server::{Seen, Server, png};
use crate::support::{Bench, ErrorKind, composed, json_lines};

/// All items of the project with their files.
pub fn exported(bench: &Bench) -> Vec<Item> {
    let lines = bench.run(["export", "--format", "jsonl", "--drafts"]).ok();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An item derived from `source` in the data set `DATASET-VARIANT`, with a picture of its own if
/// there are `bytes`.
pub fn derived(
    bench: &Bench,
    source: &Item,
    variant: &str,
    bytes: Option<&[u8]>,
    change: impl FnOnce(&mut Derivation),
) -> Item {
    let project = bench.project();
    let keep = |bytes: &[u8]| keep_picture(&project, &source.images[0], variant, bytes).unwrap();
    let mut derivation = Derivation::of(source, variant, "1");
    derivation.parameters.insert(SEED.into(), 7.into());
    change(&mut derivation);
    let new = NewItem {
        source,
        dataset: &format!("{}-{variant}", source.dataset),
        variant,
        suffix: "",
        pictures: bytes.map(keep).into_iter().collect(),
        modified: true,
        derivation,
    };
    new.item().unwrap()
}

/// Imports items in benchtop's own form.
pub fn import(bench: &Bench, items: &[Item]) {
    let line = |item: &Item| serde_json::to_string(item).unwrap() + "\n";
    let text: String = items.iter().map(line).collect();
    let file = bench.write("derived/derived.jsonl", text);
    bench.run(["import", file.to_str().unwrap()]).ok();
}

fn numbers(bench: &Bench, filter: &str) -> Vec<String> {
    let lines = bench.run(["items", "--filter", filter, "--json"]).lines();
    let id = |item: &Value| item["id"].as_str().unwrap().to_string();
    lines.iter().map(id).collect()
}

fn one(text: &str) -> Value {
    json_lines(text).remove(0)
}

#[test]
fn derivations_and_rights_survive_export_import_and_a_rebuild() {
    let bench = quiz(2);
    let source = &exported(&bench)[0];
    let mut item = derived(
        &bench,
        source,
        PRINT_ATTACK,
        Some(&png(8, 8, "attacked")),
        |d| {
            d.parameters.insert(WORD.into(), "two".into());
            d.parameters.insert("at".into(), json!([4, 0]));
            d.edit = Some("the word two".into());
            d.tries = 2;
            d.ruling = Some(JudgeRuling {
                judge: "j".into(),
                pass: Some(true),
                ..JudgeRuling::default()
            });
            d.transcript = Some("runs/0001.jsonl#4".into());
        },
    );
    item.images[0].rights = Some(Box::new(Rights {
        source: Some("https://example.org/1".into()),
        license: Some("CC BY 4.0".into()),
        sensitivity: vec!["celebrity".into(), "violence".into()],
    }));
    import(&bench, std::slice::from_ref(&item));
    let here = exported(&bench);
    assert_eq!(here[2], item);
    assert_eq!(
        here[2].derivation.as_ref().unwrap().attack_word(),
        Some("two")
    );
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(exported(&bench), here);

    // Into another project, with the pictures.
    let out = bench.beside("out/all.jsonl");
    let out = out.to_str().unwrap();
    bench
        .run(["export", "--format", "jsonl", "--pictures", "--out", out])
        .ok();
    let other = Bench::new();
    other.run(["import", out]).ok();
    assert_eq!(exported(&other), here);

    // Each kind of content and each license is found, and the item is described by them.
    for (filter, found) in [
        ("license:\"CC BY 4.0\"", 1),
        ("sensitivity:celebrity", 1),
        ("sensitivity:violence", 1),
        ("sensitivity:vio", 0),
        ("NOT sensitivity:violence", 2),
        ("license:\"\"", 2),
    ] {
        let ids = numbers(&other, filter);
        assert_eq!(ids.len(), found, "{filter}: {ids:?}");
    }
}

#[test]
fn rights_come_from_the_columns_of_a_table() {
    let bench = Bench::new();
    let rows = [
        json!({"id": 1, "image": "a.png", "question": "Who?", "answer": "x", "license": "CC0-1.0", "sensitivity": "celebrity, violence", "picture_source": "COCO 7"}),
        json!({"id": 2, "image": "b.png", "question": "What?", "answer": "y", "license": "", "sensitivity": null}),
    ];
    let text = rows.map(|row| row.to_string()).join("\n");
    let file = bench.write("table.jsonl", text);
    bench.run(["import", file.to_str().unwrap()]).ok();
    let items = exported(&bench);
    let rights = items[0].images[0].rights.as_ref().unwrap();
    assert_eq!(
        (rights.source.as_deref(), rights.license.as_deref()),
        (Some("COCO 7"), Some("CC0-1.0"))
    );
    assert_eq!(rights.sensitivity, ["celebrity", "violence"]);
    assert_eq!(items[1].images[0].rights, None);
    assert!(items[0].extra.is_empty(), "{:?}", items[0].extra);
    assert_eq!(numbers(&bench, "license:CC0-1.0"), [items[0].id.clone()]);
}

/// The pictures of a request, in order.
fn pictures(seen: &Seen) -> Vec<Vec<u8>> {
    let content = &seen.body["messages"].as_array().unwrap().last().unwrap()["content"];
    let url = |part: &Value| Some(part["image_url"]["url"].as_str()?.to_string());
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    parts
        .iter()
        .filter_map(url)
        .map(|url| {
            let (_, data) = url.split_once("base64,").unwrap();
            base64::engine::general_purpose::STANDARD
                .decode(data)
                .unwrap()
        })
        .collect()
}

/// Derives an item by a strategy of VLB, lets its judge ask a server, and returns what the server
/// was shown: the pictures and the words. `pass` is the answer that passes.
fn judged(
    strategy: &str,
    pass: &str,
    bytes: Option<&[u8]>,
    change: impl FnOnce(&mut Item),
) -> (Vec<Vec<u8>>, String) {
    let bench = quiz(2);
    let answer = format!("{{\"reason\": \"seen\", \"answer\": \"{pass}\"}}");
    let server = Server::new(move |_| reply(&answer, "stop"));
    asks(&bench, &server);
    let source = &exported(&bench)[0];
    let mut item = derived(&bench, source, "V", bytes, |_| ());
    change(&mut item);
    import(&bench, &[item]);
    let judge = format!("judge/{strategy}");
    let run = [
        "filter",
        "run",
        &judge,
        "--filter",
        "dataset:quiz-V",
        "--json",
    ];
    let job = one(&bench.run(run).ok());
    assert_eq!(
        (&job["phase"], &job["without"]),
        (&json!("done"), &json!(0)),
        "{strategy}: {job}"
    );
    let said = one(&bench.run(["filter", "explain", "3", "--json"]).ok());
    let scores = said["scores"].as_array().unwrap();
    let score = scores
        .iter()
        .find(|s| s["scorer"] == judge.as_str())
        .unwrap();
    assert_eq!(score["values"][0][1], 1.0, "{strategy}: {score}");
    let seen = server.seen();
    assert_eq!(seen.len(), 1, "{strategy}");
    // The source's question is not asked again when nothing changed.
    bench.run(run).ok();
    assert_eq!(server.seen().len(), 1, "{strategy}");
    (pictures(&seen[0]), words(&seen[0]))
}

fn with(change: impl FnOnce(&mut Derivation)) -> impl FnOnce(&mut Item) {
    |item| change(item.derivation.as_mut().unwrap())
}

/// The picture of question 1.
fn first_picture() -> Vec<u8> {
    png(8, 8, "1")
}

#[test]
fn the_judge_of_v1_sees_original_and_derived_picture_and_the_edit() {
    let made = png(8, 8, "with a ball");
    let change = with(|d| d.edit = Some("a red ball".into()));
    let (shown, said) = judged("vlb-v1-add-object", "no", Some(&made), change);
    assert_eq!(shown, [first_picture(), made]);
    assert!(
        said.contains("a red ball") && said.contains("What is 1?"),
        "{said}"
    );
}

#[test]
fn the_judge_of_v2_sees_original_and_derived_picture_and_the_edit() {
    let made = png(8, 8, "without the ball");
    let change = with(|d| d.edit = Some("the lawn chair".into()));
    let (shown, said) = judged("vlb-v2-remove-object", "no", Some(&made), change);
    assert_eq!(shown, [first_picture(), made]);
    assert!(said.contains("the lawn chair"), "{said}");
}

#[test]
fn the_judge_of_v3_sees_original_and_derived_picture() {
    let made = png(12, 12, "more of it");
    let (shown, said) = judged("vlb-v3-outpaint", "no", Some(&made), |_| ());
    assert_eq!(shown, [first_picture(), made]);
    assert!(
        said.contains("What is 1?") && said.contains("A. one"),
        "{said}"
    );
}

#[test]
fn the_judge_of_l1_reads_both_questions_and_sees_the_picture() {
    let change = |item: &mut Item| item.question = "Which numeral is it?".into();
    let (shown, said) = judged("vlb-l1-word-substitution", "yes", None, change);
    assert_eq!(shown, [first_picture()]);
    let (original, new) = (said.find("What is 1?"), said.find("Which numeral is it?"));
    assert!(original.is_some() && original < new, "{said}");
}

#[test]
fn the_judge_of_l2_reads_both_questions_and_sees_the_picture() {
    let change = |item: &mut Item| item.question = "Name the numeral.".into();
    let (shown, said) = judged("vlb-l2-rephrase", "no", None, change);
    assert_eq!(shown, [first_picture()]);
    assert!(
        said.contains("What is 1?") && said.contains("Name the numeral."),
        "{said}"
    );
}

#[test]
fn the_judge_of_l3_reads_the_context_and_sees_the_picture() {
    let change = with(|d| d.context = Some("It was drawn with chalk.".into()));
    let (shown, said) = judged("vlb-l3-relevant-context", "yes", None, change);
    assert_eq!(shown, [first_picture()]);
    assert!(said.contains("It was drawn with chalk."), "{said}");
}

#[test]
fn the_judge_of_l4_reads_the_context_and_sees_the_picture() {
    let change = with(|d| d.context = Some("The sea is deep.".into()));
    let (shown, said) = judged("vlb-l4-irrelevant-context", "yes", None, change);
    assert_eq!(shown, [first_picture()]);
    assert!(said.contains("The sea is deep."), "{said}");
}

#[test]
fn a_judge_asks_again_when_the_original_changed() {
    let bench = quiz(1);
    let server = Server::new(|_| reply("{\"answer\": \"no\"}", "stop"));
    asks(&bench, &server);
    let source = exported(&bench).remove(0);
    let item = derived(&bench, &source, "V3", Some(&png(12, 12, "x")), |_| ());
    import(&bench, &[item]);
    let run = || {
        let args = [
            "filter",
            "run",
            "judge/vlb-v3-outpaint",
            "--filter",
            "variant:V3",
        ];
        bench.run(args).ok();
        server.seen().len()
    };
    assert_eq!((run(), run()), (1, 1));
    bench.run(["edit", "1", "--question", "What is this?"]).ok();
    assert_eq!((run(), run()), (2, 2));
}

/// A picture of rings, or of stripes. One `shade` is hardly told from the next.
fn drawn(rings: bool, shade: u8) -> Vec<u8> {
    let pixel = |x: u32, y: u32| {
        let far = if rings {
            x.abs_diff(16).pow(2) + y.abs_diff(16).pow(2)
        } else {
            x * 40
        };
        image::Rgb([(far / 8 % 24 * 10) as u8, shade, (y * 7) as u8])
    };
    let mut out = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(32, 32, pixel);
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

#[test]
fn kin_are_no_duplicates() {
    // The same pictures, once derived from one another and once not.
    let nearest = |is_kin: bool| -> BTreeMap<String, f64> {
        let bench = Bench::new();
        let mut rows = String::new();
        for (n, rings) in [(1, true), (2, false)] {
            bench.write(&format!("{n}.png"), drawn(rings, 90));
            let row = json!({"id": n, "image": format!("{n}.png"), "question": format!("What is {n}?"), "answer": "x"});
            rows += &format!("{row}\n");
        }
        let file = bench.write("set.jsonl", rows);
        bench.run(["import", file.to_str().unwrap()]).ok();
        let source = &exported(&bench)[0];
        let mut all = Vec::new();
        for (variant, shade) in [("blur", 91), ("noise", 92)] {
            let mut item = derived(&bench, source, variant, Some(&drawn(true, shade)), |_| ());
            if !is_kin {
                (item.derivation, item.variant) = (None, None);
            }
            all.push(item);
        }
        import(&bench, &all);
        let clip = tiny_clip(&bench);
        configure(&bench, &format!("[filter]\nclip = {clip:?}"));
        let job = one(&bench.run(["filter", "run", "duplicate", "--json"]).ok());
        assert_eq!(
            (&job["phase"], &job["without"]),
            (&json!("done"), &json!(0))
        );
        let score = |n: u32| {
            let said = one(&bench
                .run(["filter", "explain", &n.to_string(), "--json"])
                .ok());
            said["scores"][0]["values"][0][1].as_f64().unwrap()
        };
        let ids = exported(&bench).into_iter().map(|item| item.id);
        ids.zip(1..).map(|(id, n)| (id, score(n))).collect()
    };
    let (kin, strangers) = (nearest(true), nearest(false));
    for id in ["set/1", "set-blur/1", "set-noise/1"] {
        let (own, others) = (kin[id], strangers[id]);
        assert!(own < others && others > 0.99, "{id}: {kin:?} {strangers:?}");
    }
    // The other picture is near to one of the three, whoever they are.
    assert_eq!(kin["set/2"], strangers["set/2"]);
}

#[test]
fn derived_items_are_stale_once_their_source_changed() {
    let bench = quiz(2);
    let sources = exported(&bench);
    let items = sources
        .iter()
        .map(|s| derived(&bench, s, "V3", Some(&png(9, 9, &s.id)), |_| ()));
    let items: Vec<Item> = items.collect();
    import(&bench, &items);
    assert_eq!(numbers(&bench, "stale:yes"), Vec::<String>::new());
    assert_eq!(numbers(&bench, "stale:no").len(), 4);
    bench.run(["edit", "1", "--question", "What is this?"]).ok();
    assert_eq!(numbers(&bench, "stale:yes"), ["quiz-V3/1"]);
    assert_eq!(numbers(&bench, "stale:no").len(), 3);
    let said = one(&bench.run(["explain", "quiz-V3/1", "--json"]).ok());
    assert!(
        said["stale"].as_str().unwrap().starts_with("stale: "),
        "{said}"
    );
    let edit = &said["steps"].as_array().unwrap()[2];
    assert_eq!(edit["parameters"]["source changed"], true, "{said}");
    bench.run(["undo"]).ok();
    assert_eq!(numbers(&bench, "stale:yes"), Vec::<String>::new());
}

#[test]
fn explain_prints_every_step_with_its_parameters() {
    let bench = Bench::new();
    let file = bench.write("composed.jsonl", composed(2, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench.run(["generate", "--size", "64x64"]).ok();
    let source = exported(&bench).remove(0);
    let made = source.provenance.clone().unwrap();
    let item = derived(
        &bench,
        &source,
        "corruption",
        Some(&png(64, 64, "noisy")),
        |d| {
            d.parameters.insert("kind".into(), "gaussian-noise".into());
            d.parameters.insert("severity".into(), 3.into());
            d.tries = 2;
            d.ruling = Some(JudgeRuling {
                judge: "readable".into(),
                model: "m".into(),
                pass: Some(true),
                reason: Some("clear enough".into()),
            });
            d.transcript = Some("runs/0001.jsonl#4".into());
        },
    );
    import(&bench, std::slice::from_ref(&item));
    let said = one(&bench.run(["explain", &item.id, "--json"]).ok());
    assert_eq!(
        (&said["id"], &said["stale"]),
        (&json!(item.id), &Value::Null)
    );
    let steps = said["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|s| s["step"].as_str().unwrap()).collect();
    let chain = [
        "term", "template", "prompt", "picture", "edit", "picture", "question",
    ];
    assert_eq!(kinds, chain);
    let of = |at: usize, name: &str| &steps[at]["parameters"][name];
    for (slot, term) in &made.terms {
        assert_eq!(of(0, slot), term.as_str());
    }
    assert_eq!(of(1, "recipe"), made.recipe.as_str());
    assert_eq!(of(1, "seed"), made.seed);
    assert_eq!(steps[2]["what"], source.prompt.as_deref().unwrap());
    assert_eq!(of(3, "blake3"), source.images[0].hash.as_deref().unwrap());
    assert!(of(3, "fingerprint").is_string() && of(3, "seed").is_u64());
    assert_eq!(steps[3]["item"], source.id.as_str());
    let expected = json!({
        "version": "1", "source": source.id, "source picture": source.images[0].hash, "seed": 7, "kind": "gaussian-noise",
        "severity": 3, "tries": 2, "judge": "readable", "judge model": "m", "passed": true, "reason": "clear enough",
        "transcript": "runs/0001.jsonl#4", "variant": "corruption", "variant of": source.id, "modified": true,
    });
    assert_eq!(steps[4]["parameters"], expected);
    assert_eq!(of(5, "blake3"), item.images[0].hash.as_deref().unwrap());
    assert_eq!(steps[6]["what"], item.question.as_str());
    // The text has the same steps and parameters.
    let text = bench.run(["explain", &item.id]).ok();
    for step in steps {
        assert!(text.contains(step["step"].as_str().unwrap()), "{text}");
        for (name, value) in step["parameters"].as_object().unwrap() {
            let value = value.as_str().map_or(value.to_string(), str::to_string);
            assert!(text.contains(&format!("{name}: {value}")), "{name}: {text}");
        }
    }
    let unknown = bench.run(["explain", "none/1", "--json"]);
    assert!(unknown.refused_as(ErrorKind::NotFound).names("none/1"));
}

/// Records as Dysca has them, with ids of their own scenario.
fn records(keys: impl Iterator<Item = usize>, folder: &str) -> String {
    let record = |n: usize| {
        json!({
            "id": n, "images": [format!("{folder}/{n}.png")], "prompt": format!("picture {n}"), "question": format!("What is {n}?"),
            "answer": "one", "question_type": "multi choice", "task": "recognition",
            "options": ["one", "two"], "question_majority": "animal",
        })
    };
    let all: Vec<Value> = keys.map(record).collect();
    serde_json::to_string_pretty(&all).unwrap()
}

fn scenarios() -> Bench {
    let bench = Bench::new();
    let clean = bench.write("dysca.json", records(1..4, "clean"));
    bench.run(["import", clean.to_str().unwrap()]).ok();
    bench
}

#[test]
fn scenario_sets_are_joined_by_key() {
    let bench = scenarios();
    // The files have the same name, as released.
    let file = bench.write("blur/dysca.json", records(1..4, "blur"));
    let file = file.to_str().unwrap();
    let args = [
        "import",
        file,
        "--variant",
        "corruption",
        "--of",
        "dysca",
        "--json",
    ];
    let report = one(&bench.run(args).ok());
    assert_eq!(report["items"], 3);
    let items = exported(&bench);
    let found: Vec<_> = items[3..]
        .iter()
        .map(|item| {
            let variant = item.variant.as_ref().unwrap();
            (
                item.id.as_str(),
                variant.name.as_str(),
                variant.of.as_deref(),
            )
        })
        .collect();
    let of = |n: usize| (format!("dysca-corruption/{n}"), format!("dysca/{n}"));
    let expected: Vec<_> = (1..4).map(of).collect();
    for (found, (id, original)) in found.into_iter().zip(&expected) {
        assert_eq!(found, (id.as_str(), "corruption", Some(original.as_str())));
    }
    // The same again is no error.
    assert_eq!(one(&bench.run(args).ok())["already"], 3);
    assert_eq!(numbers(&bench, "variant:corruption").len(), 3);
}

#[test]
fn what_does_not_join_is_refused_or_set_aside() {
    let bench = scenarios();
    let file = bench.write("more.json", records(2..7, "blur"));
    let file = file.to_str().unwrap();
    let args = [
        "import",
        file,
        "--variant",
        "corruption",
        "--of",
        "dysca",
        "--json",
    ];
    let before = bench.snapshot();
    let refusal = bench.run(args).refused_as(ErrorKind::Input);
    assert_eq!(
        (refusal.file.as_str(), refusal.field.as_str()),
        (file, "id")
    );
    assert!(refusal.line > 0 && refusal.names("dysca/4"), "{refusal}");
    assert_eq!(bench.snapshot(), before);
    let report = one(&bench.run(args.into_iter().chain(["--keep-going"])).ok());
    assert_eq!(report["items"], 2);
    assert_eq!(report["skipped"].as_array().unwrap().len(), 3);
    let unknown = [
        "import",
        file,
        "--variant",
        "x",
        "--of",
        "nothing",
        "--json",
    ];
    let refusal = bench.run(unknown).refused_as(ErrorKind::NotFound);
    assert!(
        refusal.field == "of" && refusal.help.contains("dysca"),
        "{refusal}"
    );
    let bad = ["import", file, "--variant", " ", "--of", "dysca", "--json"];
    assert_eq!(bench.run(bad).refused_as(ErrorKind::Usage).field, "variant");
    bench.run(["import", file, "--variant", "x"]).refused(2);
    bench.run(["import", file, "--of", "dysca"]).refused(2);
    // A record that says that it is another variant.
    let row = json!({"id": 1, "question": "What is 1?", "answer": "x", "variant": "noise"});
    let file = bench.write("other.jsonl", row.to_string());
    let args = [
        "import",
        file.to_str().unwrap(),
        "--variant",
        "corruption",
        "--of",
        "dysca",
        "--json",
    ];
    let refusal = bench.run(args).refused_as(ErrorKind::Input);
    assert_eq!((refusal.line, refusal.field.as_str()), (1, "variant"));
}

#[test]
fn dysca_is_exported_as_one_file_a_scenario_and_read_back() {
    let bench = scenarios();
    for (variant, folder) in [("corruption", "blur"), ("print-attack", "words")] {
        let file = bench.write(&format!("{folder}/dysca.json"), records(1..4, folder));
        let file = file.to_str().unwrap();
        bench
            .run(["import", file, "--variant", variant, "--of", "dysca"])
            .ok();
    }
    let out = bench.beside("out/dysca.json");
    let args = [
        "export",
        "--format",
        "dysca",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ];
    let dry = args.into_iter().chain(["--dry-run"]);
    let plan = one(&bench.run(dry.clone()).ok());
    assert!(!out.exists());
    assert_eq!(
        (&plan["items"], &plan["more_replaced"]),
        (&json!(9), &json!(0))
    );
    let report = one(&bench.run(args).ok());
    assert_eq!(plan["more_files"], report["more_files"]);
    let file = |name: &str| bench.beside(&format!("out/{name}"));
    std::fs::remove_file(file("dysca-corruption.json")).unwrap();
    let again = one(&bench.run(dry).ok());
    assert_eq!(again["more_replaced"], 1);
    bench.run(args).ok();
    let more = ["dysca-corruption.json", "dysca-print-attack.json"];
    let named: Vec<_> = more.map(|name| json!(file(name))).into();
    assert_eq!(
        (&report["items"], &report["more_files"]),
        (&json!(9), &json!(named))
    );
    let other = Bench::new();
    other.run(["import", out.to_str().unwrap()]).ok();
    for (variant, name) in [("corruption", more[0]), ("print-attack", more[1])] {
        let file = file(name);
        let file = file.to_str().unwrap();
        other
            .run(["import", file, "--variant", variant, "--of", "dysca"])
            .ok();
    }
    assert_eq!(exported(&other), exported(&bench));
    // One scenario alone has the file to itself.
    let alone = bench.beside("alone/noisy.json");
    let args = [
        "export",
        "--format",
        "dysca",
        "--out",
        alone.to_str().unwrap(),
        "--filter",
        "variant:corruption",
    ];
    let plan = args.into_iter().chain(["--dry-run", "--json"]);
    assert_eq!(one(&bench.run(plan).ok())["more_files"], json!([]));
    bench.run(args).ok();
    let files = std::fs::read_dir(alone.parent().unwrap()).unwrap().count();
    assert_eq!(files, 1);
    let read: Vec<Value> = serde_json::from_slice(&std::fs::read(&alone).unwrap()).unwrap();
    assert_eq!(read.len(), 3);
}

#[test]
fn the_attack_word_is_what_ocr_looks_for() {
    let bench = quiz(1);
    let source = exported(&bench).remove(0);
    let item = derived(
        &bench,
        &source,
        PRINT_ATTACK,
        Some(&png(16, 16, "two")),
        |d| {
            d.parameters.insert(WORD.into(), "two".into());
        },
    );
    import(&bench, &[item]);
    // A reader that finds the word in every picture. Another process writes it, because a file that
    // is open for writing cannot be run.
    let text = "#!/bin/sh\ncase \"$1\" in --version) echo 'tesseract 5.0.0-fake' >&2; exit 0;;\n\
        --list-langs) printf 'List of available languages in \"/nowhere/\" (1):\\neng\\n'; exit 0;; esac\ncat > /dev/null\n\
        printf 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'\n\
        printf '5\\t1\\t1\\t1\\t1\\t1\\t1\\t2\\t3\\t4\\t91.5\\ttwo\\n'\n";
    let script = bench.beside("bin/tesseract");
    std::fs::create_dir_all(script.parent().unwrap()).unwrap();
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "cat > \"$1\" && chmod +x \"$1\"", "sh"])
        .arg(&script);
    crate::support::run(&mut shell, text).ok();
    let path = format!(
        "{}:{}",
        script.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    bench.run(["stop"]).ok();
    let mut command = bench.command(["filter", "run", "ocr", "--json"]);
    let job = one(&crate::support::run(command.env("PATH", path), "").ok());
    assert_eq!(job["phase"], "done", "{job}");
    let score =
        |n: &str| one(&bench.run(["filter", "explain", n, "--json"]).ok())["scores"][0].clone();
    let attacked = score("2");
    assert_eq!(attacked["values"][0][1], 1.0, "{attacked}");
    let report = one(&bench.run(["filter", "report", "--json"]).ok());
    let scorers = report["scorers"].as_array().unwrap();
    let ocr = scorers.iter().find(|s| s["scorer"] == "ocr").unwrap();
    // Missing, scored, unparsed, refused, not applicable, failed.
    assert_eq!(ocr["items"], json!([0, 1, 0, 0, 1, 0]));
}

/// A gray picture with a large black word, turned.
fn printed(word: &str, orientation: u8) -> (Vec<u8>, Ink) {
    let gray = image::RgbImage::from_pixel(640, 640, image::Rgb([150, 160, 170]));
    let look = Look::new([4, 0, 3, orientation, 12]).unwrap();
    let (made, ink) = write(&DecodedImage::new(gray.into()), word, look).unwrap();
    let mut png = std::io::Cursor::new(Vec::new());
    let pixels = made.pixels();
    pixels.write_to(&mut png, image::ImageFormat::Png).unwrap();
    (png.into_inner(), ink)
}

#[test]
fn words_of_print_attacks_are_read_at_every_angle() {
    match Tesseract::open(Options::default()) {
        Err(problem) if problem.kind == ErrorKind::NotFound => {
            let need = crate::support::Need::Program("tesseract");
            return crate::support::skip(need, &problem.to_string());
        }
        opened => drop(opened.unwrap()),
    }
    let bench = quiz(7);
    let sources = exported(&bench);
    let words = ["Orchard", "bicycle", "museum", "castle", "window"];
    let mut items = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let orientation = at as u8 % Factor::Orientation.levels();
        let word = words[at % words.len()];
        let (png, ink) = printed(word, orientation);
        items.push(derived(&bench, source, PRINT_ATTACK, Some(&png), |d| {
            d.parameters.insert(WORD.into(), word.into());
            match at {
                // The same picture and word, but nobody knows where it is.
                6 => d.parameters.insert(SEED.into(), 8.into()),
                // Another attack on the same picture: nothing is where it says.
                5 => {
                    let away = Ink {
                        middle: (60.0, 600.0),
                        ..ink
                    };
                    d.parameters.extend(away.parameters());
                    None
                }
                _ => {
                    d.parameters.extend(ink.parameters());
                    None
                }
            };
        }));
    }
    assert_eq!(items[0].images[0].hash, items[5].images[0].hash);
    import(&bench, &items);
    let job = one(&bench.run(["filter", "run", "ocr", "--json"]).ok());
    assert_eq!(job["phase"], "done", "{job}");
    let explained = |number: usize| {
        let text = bench
            .run(["filter", "explain", &number.to_string(), "--json"])
            .ok();
        let scores = one(&text)["scores"].as_array().unwrap().clone();
        let ocr = scores.into_iter().find(|s| s["scorer"] == "ocr").unwrap();
        ocr["values"][0][1].as_f64().unwrap()
    };
    let scores: Vec<f64> = (0..items.len())
        .map(|at| explained(sources.len() + at + 1))
        .collect();
    assert_eq!(scores[..5], [1.0; 5], "{scores:?}");
    assert!(scores[5] < 1.0 && scores[6] < 1.0, "{scores:?}");
}

#[test]
fn rights_are_inherited_by_derived_pictures() {
    let bench = Bench::new();
    bench.write("a.png", png(8, 8, "a"));
    let row = json!({"id": 1, "image": "a.png", "question": "Who?", "answer": "x", "sensitivity": "celebrity"});
    let file = bench.write("set.jsonl", row.to_string());
    bench.run(["import", file.to_str().unwrap()]).ok();
    let source = exported(&bench).remove(0);
    let item = derived(&bench, &source, "blur", Some(&png(8, 8, "b")), |_| ());
    assert_eq!(item.images[0].rights, source.images[0].rights);
    import(&bench, &[item]);
    assert_eq!(
        numbers(&bench, "sensitivity:celebrity"),
        ["set/1", "set-blur/1"]
    );
}
