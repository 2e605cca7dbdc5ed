//! The leaderboard on the command line: a project and its files give the same board.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use benchtop::model::derivation::{ADVERSARIAL, PROXY};
use serde_json::{Value, json};

use super::derived::{derived, exported, import};
use super::eval::quiz;
use crate::inference::server::png;
use crate::support::{Bench, ErrorKind, has_line};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/fixtures/small")
}

fn project() -> Bench {
    let bench = Bench::new();
    bench.run(["import", fixture().to_str().unwrap()]).ok();
    bench
}

#[test]
fn a_project_and_its_files_give_the_same_board() {
    let bench = project();
    let folder = fixture();
    let files = bench
        .run(["board", folder.to_str().unwrap(), "--format", "json"])
        .lines();
    let own = bench.run(["board", "--format", "json"]).lines();
    assert_eq!(own, files);
    assert!(
        own.iter()
            .any(|cell| cell["model"] == "alpha" && cell["column"] == "qAcc.L_m"),
        "{own:?}"
    );
    for format in ["table", "csv", "md", "latex"] {
        assert!(
            bench
                .run(["board", "--format", format])
                .ok()
                .contains("alpha"),
            "{format}"
        );
    }
    let narrow = bench.run(["board", "--columns", "aAcc*"]).ok();
    assert!(
        narrow.lines().next().unwrap().starts_with("model"),
        "{narrow}"
    );
}

#[test]
fn filters_and_curation_select_scored_items() {
    let bench = project();
    let cell = |args: &[&str], column: &str| {
        let args = ["board", "--format", "json"]
            .iter()
            .chain(args)
            .copied()
            .collect::<Vec<_>>();
        let all = bench.run(args).lines();
        let found = all
            .iter()
            .find(|c| c["model"] == "alpha" && c["column"] == column);
        found.map(|c| (c["k"].as_u64().unwrap(), c["n"].as_u64().unwrap()))
    };
    let whole = cell(&[], "aAcc.L_m").unwrap();
    let low = cell(&["--filter", "level:low"], "aAcc.L_m").unwrap();
    assert_eq!(Some(low), cell(&[], "aAcc.L_l"));
    assert!(low.1 < whole.1);
    assert_eq!(cell(&["--curated", "all"], "aAcc.L_m"), Some(whole));
    assert_eq!(
        cell(&["--curated", "accepted"], "aAcc.L_m"),
        None,
        "nothing is accepted yet"
    );
    bench
        .feed(
            ["decide"],
            "{\"item\":1,\"verdict\":\"accept\"}\n{\"item\":2,\"verdict\":\"accept\"}\n",
        )
        .ok();
    let accepted = cell(&["--curated", "accepted"], "aAcc.L_m").unwrap();
    assert_eq!(
        accepted,
        cell(&["--filter", "number:1,2"], "aAcc.L_m").unwrap()
    );
    assert_eq!(accepted.1, 2);
    bench
        .run(["board", "--curated", "no-such-round"])
        .refused(1);
    bench
        .run([
            "board",
            "--filter",
            "level:low",
            fixture().to_str().unwrap(),
        ])
        .refused(2);
    bench
        .run(["board", "--filter", "status:nonsense"])
        .refused(2);
    bench.run(["board", "--rule", "nonsense"]).refused(2);
}

#[test]
fn published_rows_follow_scored_rows_with_their_source() {
    let bench = project();
    let folder = fixture();
    let plain = bench.run(["board", "--format", "json"]).lines();
    let of = |args: &[&str]| {
        bench
            .run(
                args.iter()
                    .chain(&["--format", "json"])
                    .copied()
                    .collect::<Vec<_>>(),
            )
            .lines()
    };
    let with = of(&["board", "--published", "mvp-bench"]);
    assert_eq!(
        with,
        of(&[
            "board",
            folder.to_str().unwrap(),
            "--published",
            "MVP-Bench"
        ])
    );
    assert_eq!(
        with,
        of(&["board", "--published"]),
        "no other paper prints a column of it"
    );
    let (scored, printed): (Vec<_>, Vec<_>) = with
        .into_iter()
        .partition(|line| line.get("reference").is_none());
    assert_eq!(scored, plain);
    let gpt = printed
        .iter()
        .find(|l| l["model"] == "GPT-4o" && l["column"] == "qAcc.L_l")
        .unwrap();
    let said = json!({"model": "GPT-4o", "column": "qAcc.L_l", "k": null, "n": 0, "value": 0.7444, "reference": gpt["reference"]});
    assert_eq!(*gpt, said);
    assert!(
        gpt["reference"]
            .as_str()
            .unwrap()
            .starts_with("MVP-Bench, Table"),
        "{gpt}"
    );
    let table = bench
        .run([
            "board",
            "--published",
            "--columns",
            "qAcc.L_l",
            "--sort",
            "qAcc.L_l",
        ])
        .ok();
    assert!(
        table
            .lines()
            .any(|l| l.starts_with("GPT-4o (MVP-Bench, Table") && l.ends_with(" 74.44")),
        "{table}"
    );
    let csv = bench.run(["board", "--published", "--format", "csv"]).ok();
    assert!(
        csv.starts_with("model,column,k,n,value,reference\n") && csv.contains("\"MVP-Bench, Table"),
        "{csv}"
    );
    assert!(
        bench
            .run(["board", "--format", "csv"])
            .ok()
            .starts_with("model,column,k,n,value\n")
    );
    bench.run(["board", "--published", "nonsense"]).refused(1);
    bench
        .run(["board", "--published", "--ranks", "qAcc.L_l"])
        .refused(2);
}

#[test]
fn a_project_and_its_files_give_the_same_comparisons() {
    let bench = project();
    let folder = fixture();
    let both = |args: &[&str]| {
        let own = bench
            .run(
                ["board", "--format", "json"]
                    .iter()
                    .chain(args)
                    .copied()
                    .collect::<Vec<_>>(),
            )
            .lines();
        let path = folder.to_str().unwrap();
        let files = ["board", path, "--format", "json"]
            .into_iter()
            .chain(args.iter().copied());
        assert_eq!(
            bench.run(files.collect::<Vec<_>>()).lines(),
            own,
            "{args:?}"
        );
        own
    };
    let ranks = both(&["--ranks", "aAcc.L_m"]);
    assert_eq!(
        (&ranks[0]["model"], &ranks[0]["rank"], &ranks[0]["tied"]),
        (&json!("alpha"), &json!(1), &json!(true))
    );
    assert!(
        ranks[0]["p"].as_f64().unwrap() > 0.05 && ranks[1]["p"].is_null(),
        "{ranks:?}"
    );
    let ends = |line: &Value| {
        (
            line["rank_low"].clone(),
            line["rank_high"].clone(),
            line["tested"].clone(),
        )
    };
    assert!(
        ranks
            .iter()
            .all(|line| ends(line) == (json!(1), json!(2), json!(1))),
        "{ranks:?}"
    );
    let text = bench.run(["board", "--ranks", "aAcc.L_m"]).ok();
    assert!(
        text.lines().nth(1).unwrap().starts_with("1-2 ") && text.contains("\nnote: "),
        "{text}"
    );
    let compared = both(&[
        "--compare",
        "alpha",
        "beta",
        "--column",
        "aAcc.L_m",
        "--draws",
        "200",
    ])
    .remove(0);
    assert_eq!(
        (&compared["test"], &compared["p"]),
        (&json!("cluster-flip"), &ranks[0]["p"]),
        "{compared}"
    );
    assert!(
        compared["interval"].is_null() || compared["interval"][0].as_f64().unwrap() <= 0.0,
        "{compared}"
    );
    let count = |key: &str| compared[key].as_u64().unwrap();
    assert_eq!(
        compared["k"][0].as_u64().unwrap(),
        count("both") + count("first")
    );
    assert_eq!(
        compared["k"][1].as_u64().unwrap(),
        count("both") + count("second")
    );
    assert_eq!(
        compared["first_items"].as_array().unwrap().len() as u64,
        count("first")
    );
    assert_eq!(
        (&ranks[0]["alone"], &ranks[0]["next_alone"]),
        (&compared["first"], &compared["second"])
    );
    let sure = both(&[
        "--intervals",
        "--column",
        "aAcc.L_m",
        "--draws",
        "200",
        "--seed",
        "7",
    ]);
    assert_eq!(sure.len(), 2);
    assert_eq!(
        (&sure[0]["drawn"]["cluster"], &sure[0]["drawn"]["seed"]),
        (&json!("image pair"), &json!(7))
    );
    // One image of each pair is no image pair.
    let natural = both(&["--intervals", "--column", "aAcc.N", "--draws", "200"]);
    assert_eq!(
        natural[0]["drawn"]["cluster"],
        json!("image"),
        "{natural:?}"
    );
    let behind = both(&["--answers", "alpha", "--column", "aAcc.L_m"]);
    assert_eq!(
        behind.len() as u64,
        compared["n"][0].as_u64().unwrap(),
        "an answer a line"
    );
    let is_right = |line: &&Value| line["right"] == true;
    assert_eq!(
        behind.iter().filter(is_right).count() as u64,
        compared["k"][0].as_u64().unwrap()
    );
    let wrong = both(&["--answers", "alpha", "--column", "aAcc.L_m", "--wrong"]);
    assert_eq!(
        wrong,
        behind
            .iter()
            .filter(|line| line["right"] == false)
            .cloned()
            .collect::<Vec<_>>()
    );
    let keys: Vec<&str> = behind[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let contract = [
        "model",
        "column",
        "unit",
        "unit_right",
        "key",
        "item",
        "question",
        "gold",
        "output",
        "reasoning",
        "extracted",
    ];
    assert_eq!(
        keys,
        [
            &contract[..],
            &["declined", "trace", "right", "similarity", "tool"]
        ]
        .concat()
    );
    let against = both(&["--against", "yes-no"]);
    assert_eq!(
        (&against[0]["model"], &against[0]["rules"]),
        (&json!("alpha"), &json!([null, "yes-no@1"]))
    );
    let shown = against[0]["examples"].as_array().unwrap();
    assert_eq!(
        shown.len() as u64,
        against[0]["differ"].as_u64().unwrap().min(50),
        "{against:?}"
    );
    assert!(
        shown
            .iter()
            .all(|answer| answer["extracted"] != answer["other"]),
        "{shown:?}"
    );
    let listed = bench
        .run(["board", "--answers", "alpha", "--column", "aAcc.L_m"])
        .ok();
    assert!(
        listed.starts_with("unit ") && listed.lines().count() == behind.len() + 1,
        "{listed}"
    );
    let text = bench.run(["board", "--against", "yes-no"]).ok();
    assert!(has_line(&text, &["note", "1st", "yes-no@1"]), "{text}");
    bench
        .run(["board", "--answers", "nobody", "--column", "aAcc.L_m"])
        .refused(1);
    bench.run(["board", "--answers", "alpha"]).refused(2);
    bench.run(["board", "--wrong"]).refused(2);
    bench.run(["board", "--against", "nonsense"]).refused(2);
    let table = bench
        .run([
            "board",
            "--compare",
            "alpha",
            "beta",
            "--column",
            "aAcc.L_m",
        ])
        .ok();
    assert!(
        table.lines().next().unwrap().trim() == "aAcc.L_m" && table.contains("only alpha"),
        "{table}"
    );
    assert!(
        table.contains("cluster") && table.contains("0.05"),
        "{table}"
    );
    bench.run(["board", "--ranks", "nonsense"]).refused(1);
    bench
        .run([
            "board",
            "--compare",
            "alpha",
            "nobody",
            "--column",
            "aAcc.L_m",
        ])
        .refused(1);
    bench.run(["board", "--intervals"]).refused(2);
    bench.run(["board", "--column", "aAcc.L_m"]).refused(2);
}

/// A folder of questions in three data sets, x, y and z of 40, 40 and 5, of `one`, which answers x, and of `other`, which answers z. The
/// project has all that, and `both`, which answers x as `one` does, and y all right.
fn apart(bench: &Bench) -> PathBuf {
    let folder = bench.beside("apart");
    std::fs::create_dir_all(&folder).unwrap();
    let put = |path: PathBuf, lines: &mut dyn Iterator<Item = Value>| {
        std::fs::write(
            &path,
            lines.map(|line| format!("{line}\n")).collect::<String>(),
        )
        .unwrap();
        path
    };
    for (set, n) in [("x", 40), ("y", 40), ("z", 5)] {
        let question = |n| json!({"id": format!("{set}{n}"), "question": format!("{set}{n}?"), "A": "cat", "B": "dog", "answer": "A"});
        put(
            folder.join(format!("{set}.jsonl")),
            &mut (0..n).map(question),
        );
    }
    let answers = |path: PathBuf, model: &str, set: &str, n: usize| {
        let said = |n: usize| if set == "x" && n < 10 { "B" } else { "A" };
        put(
            path,
            &mut (0..n)
                .map(|n| json!({"id": format!("{set}{n}"), "prediction": said(n), "model": model})),
        )
    };
    answers(folder.join("one.jsonl"), "one", "x", 40);
    answers(folder.join("other.jsonl"), "other", "z", 5);
    let both =
        ["x", "y"].map(|set| answers(bench.beside(&format!("both-{set}.jsonl")), "both", set, 40));
    for path in [&folder, &both[0], &both[1]] {
        bench.run(["import", path.to_str().unwrap()]).ok();
    }
    folder
}

#[test]
fn two_models_are_compared_on_shared_questions() {
    let bench = Bench::new();
    let folder = apart(&bench);
    let board = |args: &[&str]| bench.run([&["board"], args].concat());
    let ranks = board(&["--ranks", "Acc", "--format", "json"]).lines();
    let of = |name: &str| ranks.iter().find(|line| line["model"] == name).unwrap();
    assert_eq!(
        (
            &of("both")["alone"],
            &of("both")["next_alone"],
            &of("both")["p"]
        ),
        (&json!(0), &json!(0), &json!(1.0))
    );
    assert_eq!(
        (&of("both")["rank"], &of("one")["rank"]),
        (&json!(1), &json!(1)),
        "{ranks:?}"
    );
    let compare = |models: [&str; 2], more: &[&str]| {
        board(
            &[
                &[
                    "--compare",
                    models[0],
                    models[1],
                    "--column",
                    "Acc",
                    "--draws",
                    "40",
                ],
                more,
            ]
            .concat(),
        )
    };
    let found = compare(["both", "one"], &["--format", "json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&found["n"], &found["delta"], &found["p"]),
        (&json!([80, 40]), &json!(0.0), &json!(1.0)),
        "{found}"
    );
    assert_eq!(
        found["shared"],
        json!({"k": [30, 30], "n": [40, 40], "values": [0.75, 0.75]}),
        "{found}"
    );
    let text = compare(["both", "one"], &[]).ok();
    for model in ["both,", "one,"] {
        assert!(has_line(&text, &[model, "75.00 30/40"]), "{text}");
    }
    let found = compare(["one", "other"], &["--format", "json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&found["delta"], &found["p"], &found["drawn"]["low"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let reason = found["drawn"]["undefined"].as_str().unwrap();
    let text = compare(["one", "other"], &[]).ok();
    assert!(text.contains(reason) && !text.contains("draws"), "{text}");
    // One model without a number is named. If both have none, the reason is another one.
    let missing = |first, second| {
        let column = ["--column", "Acc.dataset.z"];
        let args = [&["--compare", first, second], &column[..]].concat();
        let text = board(&args).ok();
        let line = text.lines().rfind(|line| line.contains("Acc.dataset.z"));
        line.unwrap_or_default().to_string()
    };
    let one = missing("both", "other");
    assert!(one.contains("both") && !one.contains("other"), "{one}");
    let neither = missing("both", "one");
    assert!(!neither.contains(" one ") && neither != one, "{neither}");
    // Each reason why there is no test has a note of its own.
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let notes: BTreeSet<String> = [
        vec![],
        vec![path("")],
        vec![path("z.jsonl"), path("other.jsonl")],
    ]
    .into_iter()
    .map(|files| {
        let mut args: Vec<&str> = files.iter().map(String::as_str).collect();
        args.extend(["--ranks", "Acc"]);
        let text = board(&args).ok();
        let note = text.lines().rfind(|line| line.starts_with("note: "));
        note.unwrap_or_else(|| panic!("{text}")).to_string()
    })
    .collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
}

#[test]
fn stability_curves_of_partial_answers_end_at_the_board() {
    let bench = Bench::new();
    apart(&bench);
    let args = [
        "analyze",
        "stability",
        "--column",
        "Acc",
        "--fractions",
        "50,100",
        "--json",
    ];
    let found = bench.run(args).lines().remove(0);
    assert_eq!(found["n"][1], json!(85), "the questions of all");
    let last = |at: usize| {
        (
            found["models"][at]["model"].clone(),
            found["models"][at]["values"][1].clone(),
        )
    };
    let want = [("both", 87.5), ("one", 75.0), ("other", 100.0)]
        .map(|(model, value)| (json!(model), json!(value)));
    assert_eq!([0, 1, 2].map(last), want, "{found}");
}

/// Two questions of VLMEvalKit and the answers of `m1` and `m2`, with the verdicts that its exact matching gave: of question 1 it took
/// an answer in words for wrong, of question 2 both agree.
fn judged(folder: &Path) {
    let questions = "index\tquestion\tA\tB\tanswer\n1\tWhat is it?\ta cat\ta dog\tB\n2\tWhat else?\ta cup\ta hat\tA\n";
    std::fs::write(folder.join("q.tsv"), questions).unwrap();
    let heads = "index\tquestion\tA\tB\tanswer\tprediction\thit\textracted\n";
    let rows = |one: &str, two: &str| {
        format!(
            "{heads}1\tWhat is it?\ta cat\ta dog\tB\t{one}\n2\tWhat else?\ta cup\ta hat\tA\t{two}\n"
        )
    };
    std::fs::write(
        folder.join("m1_q.tsv"),
        rows("The answer is B\t0\tA", "A\t1\tA"),
    )
    .unwrap();
    std::fs::write(folder.join("m2_q.tsv"), rows("B\t1\tB", "B\t0\tB")).unwrap();
}

#[test]
fn the_board_lists_every_answer_to_one_question() {
    let bench = Bench::new();
    let files = tempfile::tempdir().unwrap();
    judged(files.path());
    bench.run(["import", files.path().to_str().unwrap()]).ok();
    let both = |args: &[&str]| {
        let of = |files: Option<&str>| {
            let all = ["board"]
                .into_iter()
                .chain(files)
                .chain(args.iter().copied())
                .chain(["--format", "json"]);
            bench.run(all.collect::<Vec<_>>()).lines()
        };
        let own = of(None);
        assert_eq!(own, of(Some(files.path().to_str().unwrap())), "{args:?}");
        own
    };
    let said = both(&["--item", "q/1"]);
    assert_eq!(said, both(&["--item", "1"]), "by its key or its number");
    let of = |line: &Value| {
        [
            &line["model"],
            &line["extracted"],
            &line["right"],
            &line["output"],
            &line["tool"],
        ]
        .map(Value::clone)
    };
    let m1 = [
        json!("m1"),
        json!("B"),
        json!(true),
        json!("The answer is B"),
        json!({"right": 0.0, "extracted": "A"}),
    ];
    let m2 = [
        json!("m2"),
        json!("B"),
        json!(true),
        json!("B"),
        json!({"right": 1.0, "extracted": "B"}),
    ];
    assert_eq!(said.iter().map(of).collect::<Vec<_>>(), [m1, m2]);
    assert_eq!(
        (&said[0]["number"], &said[0]["gold"], &said[0]["order"]),
        (&json!(1), &json!("B"), &Value::Null)
    );
    let against = both(&["--against", "tool"]);
    let counts = |line: &Value| {
        ["answers", "differ", "first_right", "second_right"]
            .map(|name| line[name].as_u64().unwrap())
    };
    assert_eq!(
        against.iter().map(counts).collect::<Vec<_>>(),
        [[2, 1, 1, 0], [2, 0, 0, 0]]
    );
    assert_eq!(
        (&against[0]["rules"], &against[0]["examples"][0]["other"]),
        (&json!([null, "tool"]), &json!("A"))
    );
    assert_eq!(against[0]["examples"][0]["tool"]["right"], 0.0);
    let table = bench.run(["board", "--item", "2"]).ok();
    assert!(
        table.starts_with("model") && table.contains("m2") && table.contains("A. a cup"),
        "{table}"
    );
    bench.run(["board", "--item", "no-such"]).refused(1);
    bench.run(["board", "--item", "3"]).refused(1);
    bench
        .run(["board", "--item", "1", "--against", "tool"])
        .refused(2);
}

#[test]
fn cells_of_models_that_share_the_proxys_encoder_are_marked() {
    let bench = quiz(3);
    let items: Vec<_> = exported(&bench)
        .iter()
        .map(|source| {
            let picture = png(8, 8, &format!("changed {}", source.id));
            derived(&bench, source, ADVERSARIAL, Some(&picture), |d| {
                d.parameters.insert(PROXY.into(), "clip-vit-l-14".into());
            })
        })
        .collect();
    import(&bench, &items);
    let models = ["llava-1.5-7b", "llava-1.5-7b+vc", "other"];
    for (model, set) in models
        .iter()
        .flat_map(|m| ["quiz", "quiz-adversarial"].map(|set| (m, set)))
    {
        let line = |n: u32| {
            // A file with the same bytes would not be imported again.
            let line = json!({"id": n, "prediction": "A", "model": model, "set": set});
            line.to_string() + "\n"
        };
        let text: String = (1..=3).map(line).collect();
        let file = bench.write(&format!("{set}/{model}.jsonl"), text);
        bench
            .run(["import", file.to_str().unwrap(), "--dataset", set])
            .ok();
    }
    let marked = || -> Vec<(String, String)> {
        let lines = bench.run(["board", "--format", "json"]).lines();
        assert!(lines.iter().any(|line| line["model"] == "other"));
        let marked = lines.iter().filter(|line| line["white_box"] == true);
        let name = |line: &Value, of: &str| line[of].as_str().unwrap().to_string();
        marked
            .map(|line| (name(line, "model"), name(line, "column")))
            .collect()
    };
    // Nobody said yet which models share the encoder.
    assert_eq!(marked(), []);
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let setting = |models: &str| {
        let table = format!("\n[white_box]\n\"CLIP ViT-L-14\" = {models}\n");
        std::fs::write(&path, format!("{text}{table}")).unwrap();
    };
    setting("[\"LLaVA-1.5-7B\"]");
    let found = marked();
    for model in ["llava-1.5-7b", "llava-1.5-7b+vc"] {
        assert!(found.iter().any(|(of, _)| of == model), "{found:?}");
    }
    for (model, column) in &found {
        assert!(model.starts_with("llava"), "{found:?}");
        assert!(column.contains("adversarial"), "{found:?}");
    }
    let csv = bench.run(["board", "--format", "csv"]).ok();
    assert!(csv.lines().next().unwrap().ends_with(",white_box"));
    let marks = csv.lines().filter(|line| line.ends_with(",true")).count();
    assert_eq!(marks, found.len());
    for format in ["table", "md", "latex"] {
        let text = bench.run(["board", "--format", format]).ok();
        // The note names the proxy.
        assert!(text.contains("clip-vit-l-14"), "{format}: {text}");
    }
    // A name that is none is refused with its field.
    setting("[\"\"]");
    let refusal = bench.run(["items", "--json"]).refused_as(ErrorKind::Input);
    assert!(refusal.field.starts_with("white_box"), "{refusal:?}");
}
