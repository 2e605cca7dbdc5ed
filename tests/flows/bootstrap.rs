//! `benchtop bootstrap` and `benchtop transcript`: variants that models write and judge, from the
//! requests to the items, against a scripted server.

use std::collections::{BTreeMap, BTreeSet};

use benchtop::model::Item;
use benchtop::pipeline::bootstrap::requests::seed;
use serde_json::{Value, json};

use super::derived::exported;
use super::eval::{number, quiz, reply, words};
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, ErrorKind, has_line};

/// A project of `items` questions whose writer and judge are this server.
pub fn boots(items: usize, server: &Server) -> Bench {
    configured(quiz(items), server)
}

/// The project with this server as its writer, grounder, and judge.
pub fn configured(bench: Bench, server: &Server) -> Bench {
    let table = |role: &str| {
        format!(
            "[{role}]\nmodel = \"{role}\"\ntries = 1\nendpoints = [{{ url = \"{}\", concurrency = 8 }}]\n",
            server.url()
        )
    };
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("[judge]\n"), "{text}");
    let roles = ["writer", "grounder", "judge"].map(table).join("\n");
    std::fs::write(&path, text.replacen("[judge]\n", &roles, 1)).unwrap();
    bench
}

pub fn is_judge(seen: &Seen) -> bool {
    seen.body["model"] == "judge"
}

/// The strategy that a request is for.
pub fn strategy(seen: &Seen) -> &'static str {
    let words = words(seen);
    let signs = [
        (
            "L1",
            ["by synonyms or by expressions", "some words were replaced"],
        ),
        (
            "L2",
            [
                "into another sentence, as",
                "in another sentence. Does it change",
            ],
        ),
        (
            "L3",
            ["must not give away", "true of this picture and about"],
        ),
        (
            "L4",
            [
                "of no use for answering the question:",
                "written to distract",
            ],
        ),
        (
            "V1",
            ["could be painted into this picture", "painted into it: "],
        ),
        ("V2", ["can be taken out without", "taken out of it: "]),
        ("V3", ["new surroundings painted on"; 2]),
    ];
    let found = signs
        .iter()
        .find(|(_, of)| of.iter().any(|sign| words.contains(sign)));
    found.unwrap_or_else(|| panic!("{words}")).0
}

/// What a good judge says, so that the variant passes.
pub fn passes(seen: &Seen) -> Act {
    let word = match strategy(seen) {
        "L1" | "L3" | "L4" => "yes",
        _ => "no",
    };
    reply(
        &json!({"reason": "fine", "answer": word}).to_string(),
        "stop",
    )
}

/// What a good writer says.
pub fn writes(seen: &Seen) -> Act {
    let words = words(seen);
    let after = words
        .split("is ")
        .find_map(|rest| rest.split('?').next()?.parse().ok());
    let n: usize = after.unwrap();
    let text = match strategy(seen) {
        "L1" => format!("What exactly is {n}?"),
        "L2" => format!("Tell me please, what is {n}?"),
        "L3" => format!("The picture shows number {} of a series.", n + 40),
        _ => "Bread is baked at night.".into(),
    };
    reply(&json!({"text": text}).to_string(), "stop")
}

pub fn good(seen: &Seen) -> Act {
    if is_judge(seen) {
        passes(seen)
    } else {
        writes(seen)
    }
}

pub fn variants(bench: &Bench) -> BTreeMap<String, Vec<Item>> {
    let mut all: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for item in exported(bench) {
        if let Some(variant) = &item.variant {
            all.entry(variant.name.clone()).or_default().push(item);
        }
    }
    all
}

pub fn pictures(seen: &Seen) -> usize {
    let content = &seen.body["messages"].as_array().unwrap().last().unwrap()["content"];
    let parts = content.as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == "image_url").count()
}

#[test]
fn every_strategy_sends_its_request_and_makes_its_item() {
    let server = Server::new(good);
    let bench = boots(2, &server);
    let strategies = ["L1", "L2", "L3", "L4", "L4(L1)"];
    let args = ["bootstrap", "--seed", "7", "--json", "--strategies"];
    let dry = bench.run(args.into_iter().chain(strategies).chain(["--dry-run"]));
    let dry = dry.lines().pop().unwrap();
    assert_eq!(
        (&dry["sources"], &dry["items"], &dry["products"]),
        (&json!(2), &json!(10), &json!(10))
    );
    assert_eq!(dry["requests"]["least"], 20);
    let difficulties: Vec<&Value> = dry["compositions"].as_array().unwrap().iter().collect();
    let of = |at: usize, field: &str| difficulties[at][field].as_str().unwrap();
    assert_eq!((of(2, "difficulty"), of(4, "name")), ("easier", "L1+L4"));
    assert_eq!(server.seen().len(), 0, "a dry run sends nothing");

    bench.run(args.into_iter().chain(strategies)).ok();
    let all = server.seen();
    let (judges, writers): (Vec<&Seen>, Vec<&Seen>) = all.iter().partition(|s| is_judge(s));
    // `L4(L1)` shares the product of L1.
    assert_eq!((writers.len(), judges.len()), (10, 10));
    let made = variants(&bench);
    let names: Vec<&str> = made.keys().map(String::as_str).collect();
    assert_eq!(names, ["L1", "L1+L4", "L2", "L3", "L4"]);
    let source = |n: usize| {
        let items = made["L1"].iter();
        let item = items
            .into_iter()
            .find(|i| i.question.contains(&format!("is {n}?")));
        item.unwrap().derivation.as_ref().unwrap().source.id.clone()
    };
    for seen in &writers {
        let (strategy, words) = (strategy(seen), words(seen));
        let n: usize = words
            .split("is ")
            .find_map(|rest| rest.split('?').next()?.parse().ok())
            .unwrap();
        assert!(
            words.contains("A. one\nB. two\nC. three\nD. four"),
            "{words}"
        );
        assert!(
            !words.contains('{') || words.contains("{\"text\""),
            "{words}"
        );
        let temperature = match strategy {
            "L1" | "L3" => 0.7,
            "L2" => 0.8,
            _ => 0.9,
        };
        assert_eq!(seen.body["temperature"], json!(temperature), "{strategy}");
        let seeds = ["L1", "L2", "L3", "L4", "L1>L4"]
            .map(|product| json!(seed(7, &source(n), product, 1, false)));
        assert!(
            seeds.contains(&seen.body["seed"]),
            "{strategy}: {:?}",
            seen.body["seed"]
        );
        let shown = usize::from(matches!(strategy, "L3" | "L4"));
        assert_eq!(pictures(seen), shown, "{strategy}");
    }
    for seen in &judges {
        assert_eq!((pictures(seen), &seen.body["temperature"]), (1, &json!(0)));
    }
    let text = |name: &str| -> BTreeSet<&str> {
        made[name]
            .iter()
            .map(|item| item.question.as_str())
            .collect()
    };
    assert_eq!(
        text("L1"),
        BTreeSet::from(["What exactly is 1?", "What exactly is 2?"])
    );
    assert!(text("L1+L4").contains("Bread is baked at night.\nWhat exactly is 2?"));
    assert!(text("L3").contains("The picture shows number 42 of a series.\nWhat is 2?"));
    for item in made.values().flatten() {
        let derivation = item.derivation.as_ref().unwrap();
        assert_eq!(item.variant.as_ref().unwrap().modified, Some(true));
        assert_eq!(derivation.method, "vlb");
        assert!(
            derivation
                .transcript
                .as_ref()
                .unwrap()
                .starts_with("jobs/0001.jsonl#")
        );
        assert_eq!(derivation.ruling.as_ref().unwrap().pass, Some(true));
        assert_eq!(derivation.context.is_some(), item.question.contains('\n'));
    }
    // Everything exists, so nothing is left to do.
    bench
        .run(args.into_iter().chain(strategies))
        .refused_as(ErrorKind::Conflict);
    // The requests and answers of an item, and its steps.
    let id = &made["L1+L4"][0].id;
    let steps = bench
        .run(["transcript", id, "--json"])
        .lines()
        .pop()
        .unwrap();
    let roles: Vec<&str> = steps
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["role"].as_str().filter(|role| !role.is_empty()))
        .collect();
    assert_eq!(roles, ["writer", "judge", "writer", "judge"]);
    let shown = bench.run(["transcript", id]).ok();
    assert!(has_line(&shown, &["L1>L4", "writer", "1"]), "{shown}");
    assert!(bench.run(["explain", id]).ok().contains("L4(L1)"));
}

/// What a writer answers at its first request, at repairs, and at later tries.
type Answers = fn(&Seen, bool) -> Act;

fn says(text: &str) -> Act {
    reply(&json!({"text": text}).to_string(), "stop")
}

const CONTEXT: &str = "The lamp hangs low.";

#[test]
fn malformed_answers_end_as_repaired_items_or_as_the_original() {
    // Each row of the table in docs/bootstrap.md: the answers, whether the item is modified, the
    // number of tries, and of requests to the writer.
    let rows: [(&str, Answers, bool, u32, usize); 11] = [
        (
            "no JSON",
            |_, repair| {
                if repair {
                    says(CONTEXT)
                } else {
                    reply(CONTEXT, "stop")
                }
            },
            true,
            1,
            2,
        ),
        (
            "half JSON",
            |_, _| reply("{\"text\": \"The lamp", "length"),
            false,
            5,
            10,
        ),
        (
            "prose around",
            |_, _| reply(&format!("Sure: {{\"text\": \"{CONTEXT}\"}} Bye."), "stop"),
            true,
            1,
            1,
        ),
        (
            "too long",
            |_, repair| {
                if repair {
                    says(CONTEXT)
                } else {
                    says(&"word ".repeat(101))
                }
            },
            true,
            1,
            2,
        ),
        (
            "refusal",
            |_, _| reply("I'm sorry, but I cannot help with that.", "stop"),
            false,
            5,
            5,
        ),
        ("filtered", |_, _| reply("", "content_filter"), false, 5, 5),
        (
            "other script",
            |_, repair| {
                if repair {
                    says(CONTEXT)
                } else {
                    says("Лампа висит низко.")
                }
            },
            true,
            1,
            2,
        ),
        ("leak", |_, _| says("There is one lamp."), false, 5, 10),
        ("empty", |_, _| reply("", "stop"), false, 5, 10),
        (
            "two texts",
            |_, repair| {
                if repair {
                    says(CONTEXT)
                } else {
                    reply("{\"text\": \"a b\"} {\"text\": \"c d\"}", "stop")
                }
            },
            true,
            1,
            2,
        ),
        (
            "not a string",
            |_, _| reply("{\"text\": 7}", "stop"),
            false,
            5,
            10,
        ),
    ];
    let server = Server::new(move |seen| {
        if is_judge(seen) {
            return passes(seen);
        }
        let repair = words(seen).contains("It cannot be used:");
        (rows[number(seen) - 1].1)(seen, repair)
    });
    let bench = boots(rows.len(), &server);
    bench.run(["bootstrap", "--strategies", "L3"]).ok();
    let made = variants(&bench);
    assert_eq!(made["L3"].len(), rows.len());
    for (at, (name, _, modified, tries, asked)) in rows.iter().enumerate() {
        let n = at + 1;
        let item = made["L3"]
            .iter()
            .find(|i| i.question.ends_with(&format!("is {n}?")))
            .unwrap();
        let derivation = item.derivation.as_ref().unwrap();
        assert_eq!(
            item.variant.as_ref().unwrap().modified,
            Some(*modified),
            "{name}"
        );
        assert_eq!(derivation.tries, *tries, "{name}");
        assert_eq!(item.question.contains(CONTEXT), *modified, "{name}");
        assert_eq!(derivation.context.is_some(), *modified, "{name}");
        if !modified {
            assert!(
                derivation.ruling.as_ref().unwrap().reason.is_some(),
                "{name}"
            );
        }
        let all = server.seen();
        let of_it = all.iter().filter(|s| !is_judge(s) && number(s) == n);
        let bodies: Vec<String> = of_it.map(|s| s.body.to_string()).collect();
        assert_eq!(bodies.len(), *asked, "{name}");
        let different: BTreeSet<&String> = bodies.iter().collect();
        assert_eq!(
            different.len(),
            bodies.len(),
            "{name}: a request was sent twice"
        );
    }
    let job = bench.run(["jobs", "--json"]).lines().remove(0);
    assert_eq!((&job["done"], &job["failed"]), (&json!(11), &json!(0)));
    let kept = rows.iter().filter(|row| !row.2).count();
    assert!(
        job["plan"].as_str().unwrap().contains(&kept.to_string()),
        "{job}"
    );
}

#[test]
fn a_refused_variant_is_tried_again_with_another_request() {
    // The judge refuses twice, once without an answer that can be read.
    let server = Server::new(|seen| match (is_judge(seen), words(seen)) {
        (false, _) => {
            let seed = seen.body["seed"].as_u64().unwrap();
            says(&format!("The clock strikes, says witness x{seed}."))
        }
        (true, words) if words.contains("Question: What is 2?") => reply("maybe", "stop"),
        (true, _) => match seen.before {
            _ if seen_count() < 2 => reply("{\"reason\": \"helps\", \"answer\": \"no\"}", "stop"),
            _ => reply("{\"reason\": \"fine\", \"answer\": \"yes\"}", "stop"),
        },
    });
    let bench = boots(2, &server);
    bench
        .run(["bootstrap", "--strategies", "L4", "--filter", "What is 1"])
        .ok();
    let item = variants(&bench)["L4"][0].clone();
    let derivation = item.derivation.unwrap();
    assert_eq!(
        (derivation.tries, derivation.ruling.unwrap().pass),
        (3, Some(true))
    );
    let all = server.seen();
    let writers: Vec<&Seen> = all.iter().filter(|s| !is_judge(s)).collect();
    let temperatures: Vec<&Value> = writers.iter().map(|s| &s.body["temperature"]).collect();
    assert_eq!(temperatures, [&json!(0.9), &json!(1.0), &json!(1.1)]);
    let seeds: BTreeSet<u64> = writers
        .iter()
        .map(|s| s.body["seed"].as_u64().unwrap())
        .collect();
    assert_eq!(seeds.len(), 3);
    // A judge that never gives an answer that can be read lets nothing pass.
    bench
        .run(["bootstrap", "--strategies", "L4", "--filter", "What is 2"])
        .ok();
    let made = variants(&bench);
    let kept = made["L4"]
        .iter()
        .find(|i| i.question.ends_with("is 2?"))
        .unwrap();
    assert_eq!(kept.variant.as_ref().unwrap().modified, Some(false));
    assert_eq!(kept.question, "What is 2?");
    assert_eq!(
        kept.derivation
            .as_ref()
            .unwrap()
            .ruling
            .as_ref()
            .unwrap()
            .pass,
        None
    );
}

/// Number of rulings so far.
fn seen_count() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    COUNT.fetch_add(1, Ordering::SeqCst)
}

#[test]
fn a_request_that_the_server_rejects_is_a_failure_that_can_be_retried() {
    let server = Server::new(|seen| match seen.body["model"].as_str() {
        Some("writer") if number(seen) == 2 && seen.before < 2 => {
            Act::Status(400, Vec::new(), "the picture was flagged".into())
        }
        _ => good(seen),
    });
    let bench = boots(3, &server);
    let ended = bench.run(["bootstrap", "--strategies", "L1", "L4", "--json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let job = bench.run(["jobs", "--json"]).lines().remove(0);
    assert_eq!(
        (&job["done"], &job["failed"]),
        (&json!(4), &json!(2)),
        "{job}"
    );
    assert_eq!(variants(&bench)["L1"].len(), 2);
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_sent() {
    let server = Server::new(good);
    let bench = boots(1, &server);
    let refused = |strategies: &[&str]| {
        let args = ["bootstrap", "--json", "--strategies"];
        let out = bench.run(args.into_iter().chain(strategies.iter().copied()));
        out.refused_as(ErrorKind::Usage)
    };
    for wrong in [
        &["X1"][..],
        &["V3(V1"],
        &["L1(V1)"],
        &["V1+V1"],
        &["V3@3"],
        &["L1", "L1+L1"],
    ] {
        let refusal = refused(wrong);
        assert_eq!(refusal.field, "strategies", "{wrong:?}");
    }
    let bare = quiz(1);
    for (strategy, role) in [("L1", "writer"), ("V3(V1)", "grounder"), ("V3", "judge")] {
        let out = bare.run(["bootstrap", "--json", "--strategies", strategy]);
        assert_eq!(out.refused_as(ErrorKind::Usage).field, role, "{strategy}");
    }
    assert_eq!(server.seen().len(), 0);
}
