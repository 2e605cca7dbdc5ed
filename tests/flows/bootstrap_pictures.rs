//! `benchtop bootstrap` with strategies of pictures: what grounder, painter, and judge get, and which
//! bytes change.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use benchtop::model::Item;
use benchtop::raster::decode::decode;
use image::RgbImage;
use serde_json::{Value, json};

use super::bootstrap::{configured, good, is_judge, passes, pictures, strategy, variants};
use super::derived::exported;
use super::eval::{number, quiz_of, reply, words};
use super::servers::generates_with;
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, ErrorKind, wait_until};

pub const SIZE: (u32, u32) = (641, 427);

fn says(objects: &[Value]) -> Act {
    let answer = json!({"size": [SIZE.0, SIZE.1], "objects": objects});
    reply(&answer.to_string(), "stop")
}

/// Objects with boxes that do not touch.
fn objects(count: u32, of: &str) -> Vec<Value> {
    let one = |n: u32| {
        let (left, top) = (20 + n % 5 * 120, 30 + n / 5 * 200);
        json!({"object": format!("ball {n} of {of}"), "box": [left, top, left + 60, top + 70]})
    };
    (0..count).map(one).collect()
}

fn is_grounder(seen: &Seen) -> bool {
    seen.body["model"] == "grounder"
}

/// What good models answer.
pub fn helps(seen: &Seen) -> Act {
    match (is_grounder(seen), strategy(seen)) {
        (true, "V1") => says(&objects(10, &number(seen).to_string())),
        (true, _) => says(&objects(5, &number(seen).to_string())),
        _ => good(seen),
    }
}

/// The pictures that a request shows.
pub fn shown(seen: &Seen) -> Vec<Vec<u8>> {
    let content = &seen.body["messages"].as_array().unwrap().last().unwrap()["content"];
    let parts = content.as_array().unwrap().iter();
    let urls = parts.filter_map(|part| part["image_url"]["url"].as_str());
    urls.map(|url| {
        let data = url.split_once(";base64,").unwrap().1;
        base64::engine::general_purpose::STANDARD
            .decode(data)
            .unwrap()
    })
    .collect()
}

/// The file of an item's picture.
fn file(bench: &Bench, item: &Item) -> Vec<u8> {
    std::fs::read(bench.root().join(item.images[0].stored().unwrap())).unwrap()
}

fn rgb(bytes: &[u8]) -> RgbImage {
    decode(bytes).unwrap().pixels().to_rgb8()
}

fn source<'i>(all: &'i [Item], item: &Item) -> &'i Item {
    let id = &item.derivation.as_ref().unwrap().source.id;
    all.iter().find(|one| one.id == *id).unwrap()
}

fn number_at(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// Checks that a picture differs from the one before only within the soft edges of the boxes, or
/// around it, and that it differs.
fn check_bytes(before: &RgbImage, after: &RgbImage, parameters: &serde_json::Map<String, Value>) {
    let feather = number_at(&parameters["feather"]);
    let far = feather + number_at(&parameters["grow"]);
    let at = &parameters["place"];
    let (left, top) = (number_at(&at[0]) as u32, number_at(&at[1]) as u32);
    let (width, height) = (i64::from(before.width()), i64::from(before.height()));
    let boxes = parameters.get("boxes").and_then(Value::as_array);
    let (mut kept, mut changed) = (0, 0);
    for (x, y, pixel) in before.enumerate_pixels() {
        let other = after[(x + left, y + top)];
        let (x, y) = (i64::from(x), i64::from(y));
        let is_outside = match boxes {
            None => (x + 1).min(y + 1).min(width - x).min(height - y) >= feather,
            Some(boxes) => boxes.iter().all(|area| {
                let side = |n: usize| number_at(&area[n]);
                let across = (side(0) - x).max(x - (side(2) - 1));
                let down = (side(1) - y).max(y - (side(3) - 1));
                across.max(down) >= far
            }),
        };
        if is_outside {
            assert_eq!(other, *pixel, "at {x}, {y}");
            kept += 1;
        } else {
            changed += usize::from(other != *pixel);
        }
    }
    assert!(kept > before.pixels().len() / 2);
    assert!(changed > 100 || boxes.is_none());
}

#[test]
fn pictures_are_asked_for_painted_and_judged() {
    let server = Server::new(helps);
    let bench = configured(quiz_of(2, SIZE), &server);
    let strategies = ["V1", "V2", "V3", "V3(V1)+L4", "L4"];
    let args = ["bootstrap", "--json", "--strategies"];
    let dry = bench.run(args.into_iter().chain(strategies).chain(["--dry-run"]));
    let dry = dry.lines().pop().unwrap();
    assert_eq!((&dry["items"], &dry["products"]), (&json!(10), &json!(10)));
    // V3 asks the judge only.
    assert_eq!(dry["requests"]["least"], 2 * (5 + 3));
    bench.run(args.into_iter().chain(strategies)).ok();

    let (all, made) = (exported(&bench), variants(&bench));
    let names: Vec<&str> = made.keys().map(String::as_str).collect();
    assert_eq!(names, ["L4", "V1", "V1+V3+L4", "V2", "V3"]);
    let seen = server.seen();
    let grounders: Vec<&Seen> = seen.iter().filter(|s| is_grounder(s)).collect();
    // V1 is asked once for each item, though two compositions have it.
    assert_eq!((grounders.len(), seen.len()), (4, 4 + 2 + 10));
    let of = |name: &str, n: usize| {
        let items = made[name].iter();
        items
            .into_iter()
            .find(|item| item.question.ends_with(&format!("is {n}?")))
            .unwrap()
    };
    for seen in &grounders {
        let text = words(seen);
        assert!(
            text.contains("641 pixels wide and 427 pixels high"),
            "{text}"
        );
        assert!(text.contains("\"size\": [641, 427]"), "{text}");
        let original = source(&all, of("V1", number(seen)));
        assert_eq!(shown(seen), [file(&bench, original)]);
    }
    let mut judged = 0;
    for seen in seen.iter().filter(|s| is_judge(s) && strategy(s) != "L4") {
        let n = number(seen);
        let (added, extended) = (file(&bench, of("V1", n)), file(&bench, of("V1+V3+L4", n)));
        let original = file(&bench, source(&all, of("V1", n)));
        let pair = shown(seen);
        let expected = match strategy(seen) {
            "V3" if pair[0] == added => vec![added, extended],
            name => vec![original, file(&bench, of(name, n))],
        };
        assert_eq!(pair, expected, "{}", strategy(seen));
        judged += 1;
    }
    assert_eq!(judged, 8);

    for (name, items) in &made {
        for item in items {
            let derivation = item.derivation.as_ref().unwrap();
            assert_eq!(
                item.variant.as_ref().unwrap().modified,
                Some(true),
                "{name}"
            );
            let before = rgb(&file(&bench, source(&all, item)));
            let after = rgb(&file(&bench, item));
            match name.as_str() {
                "L4" => assert_eq!(before, after),
                "V1+V3+L4" => {
                    let n = if item.question.ends_with("is 1?") {
                        1
                    } else {
                        2
                    };
                    let edits = derivation.parameters["edits"].as_array().unwrap();
                    let added = rgb(&file(&bench, of("V1", n)));
                    check_bytes(&before, &added, edits[0].as_object().unwrap());
                    check_bytes(&added, &after, edits[1].as_object().unwrap());
                    assert!(item.question.starts_with("Bread is baked at night."));
                }
                _ => {
                    check_bytes(&before, &after, &derivation.parameters);
                    assert!(item.images[0].draft, "{name}");
                    assert_eq!(derivation.parameters["strategy"], name.as_str());
                }
            }
        }
    }
    assert_eq!(
        of("V2", 1).derivation.as_ref().unwrap().edit.as_deref(),
        Some("ball 0 of 1")
    );
    // The step is told, with its object and its painter.
    let explained = bench.run(["explain", &of("V1+V3+L4", 1).id, "--json"]);
    let explained = explained.lines().pop().unwrap();
    let steps = explained["steps"].as_array().unwrap();
    let edit = steps.iter().find(|step| step["step"] == "edit").unwrap();
    let text = edit.to_string();
    assert!(
        text.contains("V3(V1)+L4") && text.contains("ball 0 of 1"),
        "{text}"
    );
    let steps = bench.run(["transcript", &of("V1", 1).id, "--json"]);
    let steps = steps.lines().pop().unwrap();
    let roles: Vec<&str> = steps
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["role"].as_str().filter(|role| !role.is_empty()))
        .collect();
    assert_eq!(roles, ["grounder", "painter", "judge"]);
}

#[test]
fn after_five_refusals_the_original_stands_in() {
    let server = Server::new(|seen| match is_judge(seen) {
        true => reply("{\"reason\": \"it changes\", \"answer\": \"yes\"}", "stop"),
        false => helps(seen),
    });
    let bench = configured(quiz_of(1, SIZE), &server);
    bench
        .run(["bootstrap", "--strategies", "V1", "V2", "V3", "V3(V1)"])
        .ok();
    let (all, made) = (exported(&bench), variants(&bench));
    assert_eq!(made.len(), 4);
    for (name, items) in &made {
        let derivation = items[0].derivation.as_ref().unwrap();
        assert_eq!(
            items[0].variant.as_ref().unwrap().modified,
            Some(false),
            "{name}"
        );
        assert_eq!(
            file(&bench, &items[0]),
            file(&bench, source(&all, &items[0]))
        );
        let tries = if name == "V1+V3" { 10 } else { 5 };
        assert_eq!(derivation.tries, tries, "{name}");
        assert_eq!(
            derivation.ruling.as_ref().unwrap().pass,
            Some(false),
            "{name}"
        );
    }
    let seen = server.seen();
    for (name, grounders, distinct) in [("V1", 1, 5), ("V2", 1, 5)] {
        let of: Vec<&Seen> = seen.iter().filter(|s| strategy(s) == name).collect();
        let (judges, others): (Vec<&Seen>, Vec<&Seen>) = of.iter().partition(|s| is_judge(s));
        assert_eq!((others.len(), judges.len()), (grounders, 5), "{name}");
        let second: BTreeSet<Vec<u8>> = judges.iter().map(|s| shown(s).remove(1)).collect();
        assert_eq!(
            second.len(),
            distinct,
            "{name}: each try is another picture"
        );
    }
    let job = bench.run(["jobs", "--json"]).lines().remove(0);
    assert!(job["plan"].as_str().unwrap().contains("4 kept"), "{job}");
}

/// What a grounder answers at its first requests and at repairs.
type Answers = fn(bool) -> Act;

fn plain(objects: &Value) -> Act {
    reply(&json!({"objects": objects}).to_string(), "stop")
}

#[test]
fn malformed_boxes_end_as_repaired_items_or_as_the_original() {
    // Each row of the table in docs/bootstrap.md: the answers, whether the item is modified, and the
    // number of requests to the grounder.
    let rows: [(&str, Answers, bool, usize); 9] = [
        (
            "no JSON",
            |repair| match repair {
                true => says(&objects(10, "x")),
                false => reply("A red ball at the left.", "stop"),
            },
            true,
            2,
        ),
        (
            "half JSON",
            |_| {
                reply(
                    "{\"size\": [641, 427], \"objects\": [{\"object\": \"a",
                    "length",
                )
            },
            false,
            10,
        ),
        ("wrong count", |_| says(&objects(3, "x")), true, 2),
        (
            "a box outside",
            |_| {
                let mut all = objects(9, "x");
                all.insert(0, json!({"object": "far", "box": [700, 10, 800, 90]}));
                says(&all)
            },
            true,
            2,
        ),
        (
            "degenerate boxes",
            |_| says(&[json!({"object": "flat", "box": [10, 10, 10, 90]})]),
            false,
            10,
        ),
        (
            "shares",
            |_| {
                let each = (0..10).map(|n| {
                    let left = 0.09 * f64::from(n);
                    json!({"object": format!("ball {n}"), "box": [left, 0.2, left + 0.08, 0.4]})
                });
                plain(&each.collect())
            },
            true,
            1,
        ),
        (
            "pixels or thousandths",
            |repair| match repair {
                true => says(&objects(10, "x")),
                false => plain(&objects(10, "x").into()),
            },
            true,
            2,
        ),
        (
            "refusal",
            |_| reply("I'm sorry, but I cannot help with that.", "stop"),
            false,
            5,
        ),
        ("empty", |_| reply("", "stop"), false, 10),
    ];
    let server = Server::new(move |seen| match is_judge(seen) {
        true => passes(seen),
        false => (rows[number(seen) - 1].1)(words(seen).contains("It cannot be used:")),
    });
    let bench = configured(quiz_of(rows.len(), SIZE), &server);
    bench.run(["bootstrap", "--strategies", "V1"]).ok();
    let made = variants(&bench);
    let seen = server.seen();
    for (at, (name, _, modified, asked)) in rows.iter().enumerate() {
        let n = at + 1;
        let item = made["V1"]
            .iter()
            .find(|item| item.question.ends_with(&format!("is {n}?")))
            .unwrap();
        assert_eq!(
            item.variant.as_ref().unwrap().modified,
            Some(*modified),
            "{name}"
        );
        let tries = item.derivation.as_ref().unwrap().tries;
        assert_eq!(tries, if *modified { 1 } else { 5 }, "{name}");
        let of = seen.iter().filter(|s| is_grounder(s) && number(s) == n);
        assert_eq!(of.count(), *asked, "{name}");
    }
}

/// Has this server paint.
fn painted_by(bench: &Bench, url: &str) {
    let path = bench.root().join("benchtop.toml");
    let mut config: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    let generate =
        format!("backend = \"http\"\nmodel = \"painter\"\nendpoints = [{{ url = \"{url}\" }}]\n");
    config.insert(
        "generate".into(),
        generate.parse::<toml::Table>().unwrap().into(),
    );
    std::fs::write(&path, config.to_string()).unwrap();
    bench.run(["stop"]).ok();
}

#[test]
fn a_server_paints_and_must_be_agreed_to() {
    let server = Server::new(|seen| match seen.line.ends_with("/images/edits") {
        true => Act::Picture(&[]),
        false => helps(seen),
    });
    let bench = configured(quiz_of(1, SIZE), &server);
    painted_by(&bench, "https://painter.example/v1");
    let args = ["bootstrap", "--json", "--strategies", "V3"];
    bench.run(args).refused_as(ErrorKind::Denied);
    assert_eq!(server.seen().len(), 0);
    painted_by(&bench, &server.url());
    let dry = bench
        .run(args.into_iter().chain(["--dry-run"]))
        .lines()
        .pop()
        .unwrap();
    assert_eq!(dry["requests"], json!({"least": 2, "most": 10}));
    bench.run(args).ok();
    let seen = server.seen();
    let edits: Vec<&Seen> = seen
        .iter()
        .filter(|s| s.line.ends_with("/images/edits"))
        .collect();
    let [edit] = &edits[..] else {
        panic!("{} requests", edits.len());
    };
    let names: Vec<&str> = edit.files.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["image", "mask"]);
    let item = &variants(&bench)["V3"][0];
    assert!(!item.images[0].draft);
    assert_eq!(item.variant.as_ref().unwrap().modified, Some(true));
    let all = exported(&bench);
    let before = rgb(&file(&bench, source(&all, item)));
    let after = rgb(&file(&bench, item));
    check_bytes(
        &before,
        &after,
        &item.derivation.as_ref().unwrap().parameters,
    );
}

#[test]
fn an_object_that_the_painter_refuses_is_a_spent_try() {
    let server = Server::new(|seen| match seen.line.ends_with("/images/edits") {
        true if seen.body["prompt"] == "ball 0 of 2" => {
            Act::Status(400, Vec::new(), "the prompt was flagged".into())
        }
        true => Act::Picture(&[]),
        false => helps(seen),
    });
    let bench = configured(quiz_of(2, SIZE), &server);
    painted_by(&bench, &server.url());
    bench.run(["bootstrap", "--strategies", "V1"]).ok();
    let made = variants(&bench);
    let edits: BTreeSet<(&str, u32)> = made["V1"]
        .iter()
        .map(|item| item.derivation.as_ref().unwrap())
        .map(|derivation| (derivation.edit.as_deref().unwrap(), derivation.tries))
        .collect();
    assert_eq!(
        edits,
        BTreeSet::from([("ball 0 of 1", 1), ("ball 1 of 2", 2)])
    );
    assert_eq!(server.seen().iter().filter(|s| is_grounder(s)).count(), 2);
}

#[test]
fn a_painter_without_the_right_key_pauses_the_job() {
    for (status, name) in [(401, "401 Unauthorized"), (403, "403 Forbidden")] {
        let is_let_in = Arc::new(AtomicBool::new(false));
        let lets = is_let_in.clone();
        let server = Server::new(move |seen| match seen.line.ends_with("/images/edits") {
            true if lets.load(Ordering::SeqCst) => Act::Picture(&[]),
            true => Act::Status(status, Vec::new(), "this key is not known".into()),
            false => helps(seen),
        });
        let bench = configured(quiz_of(3, SIZE), &server);
        painted_by(&bench, &server.url());
        let ended = bench.run(["bootstrap", "--json", "--strategies", "V1", "V3"]);
        assert_eq!(ended.code, 1, "{ended:?}");
        let job = || bench.run(["jobs", "--json"]).lines().remove(0);
        let paused = job();
        assert_eq!(
            (&paused["standing"], &paused["done"], &paused["failed"]),
            (&json!("paused"), &json!(0), &json!(0)),
            "{paused}"
        );
        let endpoint = format!("http://{}", server.at);
        let reason = paused["reason"].as_str().unwrap();
        let parts = [
            "painter",
            &endpoint,
            name,
            "this key is not known",
            "benchtop jobs resume 1",
        ];
        for part in parts.into_iter().chain(["[generate]"]) {
            assert!(reason.contains(part), "{part} is missing: {reason}");
        }
        let edits = || {
            let seen = server.seen();
            seen.iter()
                .filter(|s| s.line.ends_with("/images/edits"))
                .count()
        };
        // Each picture was asked for once: another try with the same key would end the same.
        let refused = edits();
        assert!((1..=6).contains(&refused), "{refused}");
        is_let_in.store(true, Ordering::SeqCst);
        bench.run(["jobs", "resume", "1"]).ok();
        wait_until("the job ends", || job()["standing"] == "done");
        assert_eq!((&job()["done"], &job()["failed"]), (&json!(6), &json!(0)));
        assert_eq!(edits(), refused + 6);
        // Nobody else was asked again.
        assert_eq!(server.seen().iter().filter(|s| is_grounder(s)).count(), 3);
    }
}

#[test]
fn the_twelve_pairs_are_a_plan() {
    let server = Server::new(helps);
    let bench = configured(quiz_of(1, SIZE), &server);
    let args = ["bootstrap", "--plan", "pairs", "--json"];
    let dry = bench
        .run(args.into_iter().chain(["--dry-run"]))
        .lines()
        .pop()
        .unwrap();
    assert_eq!((&dry["items"], &dry["products"]), (&json!(12), &json!(7)));
    bench.run(args).ok();
    let made = variants(&bench);
    assert_eq!(made.len(), 12);
    // Seven products, each judged once; V3 is asked of nobody.
    assert_eq!(server.seen().len(), 7 + 6);
    assert!(server.seen().iter().all(|seen| pictures(seen) <= 2));
}

#[test]
fn a_model_of_this_machine_paints() {
    // Small pictures: the model runs on the processor.
    let server = Server::new(|seen| match (is_grounder(seen), strategy(seen)) {
        (true, name) => {
            let each = (0..if name == "V1" { 10 } else { 5 }).map(|n| {
                let (left, top) = (f64::from(n % 5) * 0.2, f64::from(n / 5) * 0.5);
                json!({"object": format!("ball {n}"), "box": [left, top, left + 0.15, top + 0.4]})
            });
            plain(&each.collect())
        }
        _ => good(seen),
    });
    let mut pictures = BTreeSet::new();
    // A U-Net for inpainting, and one that paints over the source.
    for is_inpaint in [true, false] {
        let bench = configured(quiz_of(1, (161, 107)), &server);
        let model = crate::parity::pictures::assembled("sd");
        if is_inpaint {
            let unet = crate::parity::models::data("unet_inpaint");
            crate::parity::pictures::replaced(model.path(), "unet", unet);
        }
        let folder = model.path().display();
        let table = format!("backend = \"candle\"\ndevice = \"cpu\"\nmodel = \"{folder}\"");
        generates_with(&bench, &table);
        let strategies: &[&str] = if is_inpaint {
            &["V1", "V2", "V3"]
        } else {
            &["V2"]
        };
        bench
            .run([&["bootstrap", "--strategies"], strategies].concat())
            .ok();
        let (all, made) = (exported(&bench), variants(&bench));
        assert_eq!(made.len(), strategies.len());
        for (name, items) in &made {
            let [item] = items.as_slice() else {
                panic!("{name}: {items:?}")
            };
            assert!(!item.images[0].draft, "{name}");
            let variant = item.variant.as_ref().unwrap();
            assert_eq!(variant.modified, Some(true), "{name}");
            let after = file(&bench, item);
            let before = rgb(&file(&bench, source(&all, item)));
            let parameters = &item.derivation.as_ref().unwrap().parameters;
            check_bytes(&before, &rgb(&after), parameters);
            pictures.insert(after);
        }
    }
    assert_eq!(pictures.len(), 4);
}
