//! `benchtop analyze` as scripts see it: `docs/cli.md` is the description.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, ErrorKind, Output, PROGRAM, run};

const MODELS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];
const QUESTIONS: usize = 60;

/// Two questions a picture, one of each type; three subtasks and three styles.
fn question(n: usize) -> Value {
    let (kind, options) = match n % 2 {
        0 => ("multi choice", vec!["one", "two", "three", "four"]),
        _ => ("true or false", vec!["True", "False"]),
    };
    json!({
        "id": n, "images": [format!("{}.png", n / 2)], "prompt": format!("thing {n}"), "question": format!("Which is {n}?"),
        "answer": options[0], "question_type": kind, "task": "recognition", "options": options,
        "question_majority": (["animal", "food", "plant"])[n % 3], "style": (["anime", "ink", "oil"])[n / 2 % 3],
    })
}

fn is_right(model: usize, n: usize) -> bool {
    (n * 7 + n / 10 + model * 3) % 10 < 8 - 2 * model
}

fn lines(of: impl Iterator<Item = Value>) -> String {
    of.map(|line| line.to_string() + "\n").collect()
}

/// Writes the questions and the answers of the models into `folder`.
fn board(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(
        folder.join("quiz.jsonl"),
        lines((0..QUESTIONS).map(question)),
    )
    .unwrap();
    for (at, model) in MODELS.into_iter().enumerate() {
        let answer =
            |n| json!({"question_id": n, "output": if is_right(at, n) { "(A)" } else { "(B)" }});
        std::fs::write(
            folder.join(format!("{model}.jsonl")),
            lines((0..QUESTIONS).map(answer)),
        )
        .unwrap();
    }
}

struct Files {
    _dir: tempfile::TempDir,
    folder: PathBuf,
}

impl Files {
    fn new() -> Files {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("files");
        board(&folder);
        Files { folder, _dir: dir }
    }

    fn path(&self) -> &str {
        self.folder.to_str().unwrap()
    }

    fn analyze(&self, what: &str, more: &[&str]) -> Output {
        run(
            Command::new(PROGRAM)
                .args(["analyze", what, self.path()])
                .args(more),
            "",
        )
    }

    /// The cells of the board by model and column.
    fn cells(&self) -> BTreeMap<(String, String), Value> {
        let out = run(
            Command::new(PROGRAM).args(["board", self.path(), "--format", "json"]),
            "",
        );
        let key = |v: &Value| {
            (
                v["model"].as_str().unwrap().to_string(),
                v["column"].as_str().unwrap().to_string(),
            )
        };
        out.lines()
            .into_iter()
            .map(|v| (key(&v), v["value"].clone()))
            .collect()
    }
}

fn near(a: &Value, b: f64) {
    assert!(
        (a.as_f64().unwrap_or(f64::NAN) - b).abs() < 1e-9,
        "{a} is not {b}"
    );
}

/// A project with the same board.
fn project() -> Bench {
    let bench = Bench::new();
    let folder = bench.beside("files");
    board(&folder);
    bench.run(["import", folder.to_str().unwrap()]).ok();
    bench
}

#[test]
fn correlate_compares_two_rankings() {
    let files = Files::new();
    let found = files
        .analyze(
            "correlate",
            &["--column", "Acc", "--with", "Acc.animal", "--json"],
        )
        .lines()
        .remove(0);
    assert_eq!(
        (&found["n"], &found["x"]["column"], &found["y"]["column"]),
        (&json!(4), &json!("Acc"), &json!("Acc.animal"))
    );
    assert_eq!(
        (&found["spearman"]["by"], &found["spearman"]["orders"]),
        (&json!("exact"), &json!(24))
    );
    let table = files.folder.parent().unwrap().join("theirs.csv");
    std::fs::write(
        &table,
        "model,score\nAlpha,10\nBETA,20%\nthe third,30\ndelta,-\n",
    )
    .unwrap();
    let table = table.to_str().unwrap();
    let refused = files.analyze(
        "correlate",
        &[
            "--column", "Acc", "--table", table, "--with", "score", "--json",
        ],
    );
    let refused = refused.refused_as(ErrorKind::Input);
    for part in ["2 models", "delta, gamma", "the third"] {
        assert!(refused.names(part), "{part}: {refused}");
    }
    let names = files.folder.parent().unwrap().join("names.csv");
    std::fs::write(&names, "gamma,the third\n").unwrap();
    let more = [
        "--column",
        "Acc",
        "--table",
        table,
        "--with",
        "score",
        "--names",
        names.to_str().unwrap(),
        "--json",
    ];
    let found = files.analyze("correlate", &more).lines().remove(0);
    // Three models in the opposite order: 2 of 6 orders are as strong.
    assert_eq!(
        (&found["n"], &found["kendall"]["value"]),
        (&json!(3), &json!(-1.0))
    );
    near(&found["kendall"]["p"], 2.0 / 6.0);
    assert_eq!(
        found["models"][2],
        json!({"model": "gamma", "other": "the third", "x": found["models"][2]["x"], "y": 30.0})
    );
    assert_eq!(
        (&found["only_x"], &found["only_y"]),
        (&json!(["delta"]), &json!([]))
    );
    let text = files
        .analyze("correlate", &["--column", "Acc", "--other", files.path()])
        .ok();
    for part in ["+1.000", "p = 0.0833", "24"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    files
        .analyze("correlate", &["--json"])
        .refused_as(ErrorKind::Usage);
    let said = files
        .analyze(
            "correlate",
            &[
                "--column",
                "Acc",
                "--published",
                "VLB",
                "--with",
                "x",
                "--json",
            ],
        )
        .refused_as(ErrorKind::NotFound);
    for name in ["VLB", "`x`", "SEED.V1"] {
        assert!(said.names(name), "{name}: {said}");
    }
}

#[test]
fn cluster_groups_similar_models() {
    let files = Files::new();
    let found = files
        .analyze("cluster", &["--json", "--method", "average"])
        .lines()
        .remove(0);
    assert_eq!(
        (&found["of"], &found["method"]),
        (&json!("models"), &json!("average"))
    );
    assert_eq!(found["points"], json!(["alpha", "beta", "delta", "gamma"]));
    assert_eq!(found["by"], json!(["Acc.animal", "Acc.food", "Acc.plant"]));
    let merges = found["merges"].as_array().unwrap();
    assert_eq!((merges.len(), &merges[2]["size"]), (3, &json!(4)));
    let text = files.analyze("cluster", &["--of", "subtasks"]).ok();
    assert!(
        ["Acc.animal ─", "Acc.food   ─", "Acc.plant  ─", "Ward"]
            .iter()
            .all(|p| text.contains(p)),
        "{text}"
    );
    files
        .analyze(
            "cluster",
            &["--of", "subtasks", "--columns", "Acc", "--json"],
        )
        .refused_as(ErrorKind::Input);
}

#[test]
fn stability_curves_are_reproducible_and_end_at_the_board() {
    let files = Files::new();
    let args = [
        "--column",
        "Acc",
        "--fractions",
        "10,50,100",
        "--seed",
        "4",
        "--json",
    ];
    let found = files.analyze("stability", &args).lines().remove(0);
    assert_eq!(
        (&found["n"], &found["fractions"]),
        (&json!([6, 30, 60]), &json!([10.0, 50.0, 100.0]))
    );
    let cells = files.cells();
    for curve in found["models"].as_array().unwrap() {
        let model = curve["model"].as_str().unwrap().to_string();
        near(
            &curve["values"][2],
            100.0 * cells[&(model, "Acc".into())].as_f64().unwrap(),
        );
    }
    assert_eq!(files.analyze("stability", &args).lines().remove(0), found);
    let other = files
        .analyze(
            "stability",
            &["--column", "Acc", "--fractions", "10,50,100", "--json"],
        )
        .lines()
        .remove(0);
    assert_ne!(other["models"], found["models"]);
    let text = files.analyze("stability", &[]).ok();
    assert!(
        text.starts_with("MC+TF.clean ") && text.lines().next().unwrap().ends_with(" 1"),
        "{text}"
    );
    let refused = files
        .analyze("stability", &["--fractions", "0", "--json"])
        .refused_as(ErrorKind::Usage);
    assert!(refused.names("100"), "{refused}");
    // What a project says is what its files say.
    let same = project()
        .run(["analyze", "stability"].into_iter().chain(args))
        .lines()
        .remove(0);
    assert_eq!(same, found);
}

#[test]
fn intervals_cover_sq_and_sc() {
    let files = Files::new();
    let args = [
        "--column",
        "Acc,SQ,SC,MC+TF.clean",
        "--draws",
        "400",
        "--json",
    ];
    let found = files.analyze("intervals", &args).lines();
    let cells = files.cells();
    assert_eq!(found.len(), 16);
    for line in &found {
        let (model, column) = (
            line["model"].as_str().unwrap().to_string(),
            line["column"].as_str().unwrap().to_string(),
        );
        let by = if line["scale"] == "share" { 100.0 } else { 1.0 };
        let value = by * cells[&(model, column.clone())].as_f64().unwrap();
        near(&line["value"], value);
        let (low, high) = (
            line["interval"]["low"].as_f64().unwrap(),
            line["interval"]["high"].as_f64().unwrap(),
        );
        assert!(
            low < high && (column == "SC" || low <= value && value <= high),
            "{line}"
        );
        let sc = &line["sc"];
        assert_eq!(sc.is_object(), column == "SC", "{line}");
        if column == "SC" {
            near(&sc["printed"], value);
            assert!(
                low <= sc["corrected"].as_f64().unwrap().max(0.0)
                    && sc["corrected"].as_f64().unwrap() < value,
                "{line}"
            );
            assert!(
                (0.0..=1.0).contains(&sc["p"].as_f64().unwrap())
                    && sc["noise"].as_f64().unwrap() > 0.0,
                "{line}"
            );
        }
        assert_eq!(
            line["clusters"],
            json!(QUESTIONS / 2),
            "two questions a picture"
        );
        assert_eq!(
            (line["wilson"].is_null(), line["no_interval"].is_null()),
            (column != "Acc", true),
            "{line}"
        );
    }
    assert_eq!(files.analyze("intervals", &args).lines(), found);
    let said = files
        .analyze("intervals", &["--column", "nothing*", "--json"])
        .refused_as(ErrorKind::NotFound);
    assert!(said.names("`nothing*`"), "{said}");
}

#[test]
fn cleaning_compares_scores_before_and_after() {
    let bench = project();
    // The first ten questions go, and everything else but two is accepted.
    let line = |n: usize| json!({"item": n, "verdict": if n <= 10 { "reject" } else { "accept" }});
    bench
        .feed(
            ["decide", "--as", "ann"],
            &lines((1..=QUESTIONS - 2).map(line)),
        )
        .ok();
    let of = |flag: &str| {
        bench
            .run([
                "analyze", "cleaning", "--column", "Acc", flag, "--draws", "300", "--json",
            ])
            .lines()
            .remove(0)
    };
    for (flag, last) in [("--kept", QUESTIONS), ("--accepted", QUESTIONS - 2)] {
        let found = of(flag);
        assert_eq!(
            (&found["questions_before"], &found["questions_after"]),
            (&json!(QUESTIONS), &json!(last - 10))
        );
        for (at, name) in MODELS.into_iter().enumerate() {
            let model = found["models"]
                .as_array()
                .unwrap()
                .iter()
                .find(|m| m["model"] == name)
                .unwrap();
            let share = |of: std::ops::Range<usize>| {
                let n = of.len() as f64;
                100.0 * of.filter(|n| is_right(at, *n)).count() as f64 / n
            };
            let (before, after) = (share(0..QUESTIONS), share(10..last));
            near(&model["before"], before);
            near(&model["after"], after);
            near(&model["delta"], after - before);
            if flag == "--kept" {
                near(&model["removed"], share(0..10));
            }
            let (low, high) = (
                model["interval"]["low"].as_f64().unwrap(),
                model["interval"]["high"].as_f64().unwrap(),
            );
            assert!(low <= after - before && after - before <= high, "{model}");
            assert_eq!(model["rank_before"], json!(at + 1));
        }
    }
    let text = bench.run(["analyze", "cleaning", "--column", "SQ"]).ok();
    let first = text.lines().next().unwrap();
    assert!(
        ["SQ ", " 60 ", " 48 "]
            .iter()
            .all(|part| first.contains(part)),
        "{text}"
    );
    let files = Files::new();
    files
        .analyze("cleaning", &["--json"])
        .refused_as(ErrorKind::Usage);
    files
        .analyze("cluster", &["--filter", "status:accepted", "--json"])
        .refused_as(ErrorKind::Usage);
}

#[test]
fn a_blind_round_refuses_cleaning() {
    let bench = project();
    let args = [
        "round",
        "new",
        "first",
        "--protocol",
        "both-accept",
        "--people",
        "ann,bob",
        "--calibration",
        "0",
    ];
    bench.run(args).ok();
    for flags in [&["--accepted"][..], &["--kept"], &["--round", "first"]] {
        let said = bench
            .run(
                ["analyze", "cleaning", "--as", "ann"]
                    .iter()
                    .chain(flags)
                    .chain(&["--json"])
                    .copied(),
            )
            .refused_as(ErrorKind::Denied);
        assert!(said.names("`first`"), "{said}");
    }
    let more = [
        "analyze",
        "intervals",
        "--as",
        "ann",
        "--curated",
        "accepted",
        "--json",
    ];
    bench.run(more).refused_as(ErrorKind::Denied);
    assert!(
        bench
            .run(["analyze", "intervals", "--as", "ann", "--draws", "50"])
            .ok()
            .contains("MC+TF.clean")
    );
}

#[test]
fn alignment_counts_majorities_by_picture() {
    let bench = project();
    let none = bench
        .run(["analyze", "alignment", "--json"])
        .refused_as(ErrorKind::NotFound);
    assert!(none.names("filter run alignment"), "{none}");
    bench
        .run(["analyze", "alignment", "--by", "people", "--json"])
        .refused_as(ErrorKind::NotFound);
    assert!(
        bench
            .run(["analyze", "alignment", "--round", "x", "--json"])
            .refused_as(ErrorKind::Usage)
            .names("--by people")
    );
    assert!(
        bench
            .run([
                "analyze",
                "alignment",
                "--by",
                "people",
                "--round",
                "x",
                "--json"
            ])
            .refused_as(ErrorKind::NotFound)
            .names("`x`")
    );
    // Questions 1 and 2 show the first picture, 3 and 4 the second.
    let say = |who: &str, verdicts: &[(usize, &str)]| {
        let line = |(item, verdict): &(usize, &str)| json!({"item": item, "verdict": verdict});
        bench
            .feed(["decide", "--as", who], &lines(verdicts.iter().map(line)))
            .ok();
    };
    say(
        "ann",
        &[(1, "accept"), (2, "accept"), (3, "accept"), (5, "skip")],
    );
    say("bob", &[(1, "reject"), (3, "fix"), (6, "accept")]);
    let found = bench
        .run(["analyze", "alignment", "--by", "people", "--json"])
        .lines()
        .remove(0);
    let rates: Vec<(Value, u64, u64)> = found["rates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            (
                r["aspect"].clone(),
                r["aligned"].as_u64().unwrap(),
                r["n"].as_u64().unwrap(),
            )
        })
        .collect();
    // A picture is counted in each aspect that its questions are of: 1 and 4 of animal, 2 and 5 of food, 3 and 6 of plant.
    let of = |aspect: &str, aligned, n| (json!(aspect), aligned, n);
    assert_eq!(
        rates,
        [
            of("animal", 0, 1),
            of("food", 1, 1),
            of("plant", 1, 2),
            (Value::Null, 2, 4)
        ],
        "{found}"
    );
    assert_eq!(
        (&found["by"], &found["threshold"], &found["round"]),
        (&json!("people"), &Value::Null, &Value::Null)
    );
    let wilson = &found["rates"][3]["wilson"];
    assert!(
        wilson[0].as_f64().unwrap() < 50.0 && 50.0 < wilson[1].as_f64().unwrap(),
        "{found}"
    );
    assert_eq!(found["without"], 27, "{found}");
    let files = Files::new();
    files
        .analyze("alignment", &["--json"])
        .refused_as(ErrorKind::Usage);
    // While a round is blind for somebody, others' verdicts are not told as rates either.
    bench
        .run([
            "round",
            "new",
            "first",
            "--protocol",
            "both-accept",
            "--people",
            "ann,bob",
            "--calibration",
            "0",
        ])
        .ok();
    for by in ["people", "filter"] {
        let said = bench
            .run(["analyze", "alignment", "--as", "ann", "--by", by, "--json"])
            .refused_as(ErrorKind::Denied);
        assert!(said.names("`first`"), "{said}");
    }
}

#[test]
fn charts_follow_the_file_extension() {
    let files = Files::new();
    let place = |name: &str| files.folder.parent().unwrap().join(name);
    let svg = place("sq.svg");
    files
        .analyze(
            "chart",
            &[
                "--column",
                "SQ",
                "--draws",
                "100",
                "--out",
                svg.to_str().unwrap(),
            ],
        )
        .ok();
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(
        text.starts_with("<svg ") && MODELS.iter().all(|m| text.contains(m)),
        "{text}"
    );
    assert!(text.contains("100 draws of 30 images"), "{text}");
    files
        .analyze("chart", &["--column", "SC", "--out", svg.to_str().unwrap()])
        .ok();
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(text.contains("95 %") && text.contains("SC"), "{text}");
    let png = place("table.png");
    files
        .analyze(
            "chart",
            &["--columns", "Acc.*", "--out", png.to_str().unwrap()],
        )
        .ok();
    let picture = image::load_from_memory(&std::fs::read(&png).unwrap()).unwrap();
    assert!(
        picture.width() > 400
            && picture.height() > 200
            && picture.width().max(picture.height()) <= 2000
    );
    // Of one model, the columns as bars; of columns with several units there is no axis.
    let of_model = |columns: &str| {
        [
            "--columns",
            columns,
            "--model",
            MODELS[0],
            "--out",
            svg.to_str().unwrap(),
        ]
        .map(String::from)
    };
    let run = |args: [String; 6]| files.analyze("chart", &args.each_ref().map(String::as_str));
    run(of_model("Acc.style.*")).ok();
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(
        text.contains("percent") && text.contains("Wilson"),
        "{text}"
    );
    run(of_model("Acc,SQ")).refused(2);
    // More columns than models stand below each other, the best style first; the other way only where it is asked for.
    let mut heights = Vec::new();
    for rows in ["models", "columns"] {
        files
            .analyze(
                "chart",
                &[
                    "--columns",
                    "SC,SQ,Acc",
                    "--rows",
                    rows,
                    "--out",
                    svg.to_str().unwrap(),
                ],
            )
            .ok();
        let text = std::fs::read_to_string(&svg).unwrap();
        assert!(text.contains("SC, SQ") || text.contains("SQ, SC"), "{text}");
        let height = text
            .split("height=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        heights.push(height.unwrap().parse::<u32>().unwrap());
    }
    assert_ne!(heights[0], heights[1], "{heights:?}");
    let said = files.analyze("chart", &["--out", "board.pdf"]).refused(2);
    assert!(said.names(".svg") && said.names(".png"), "{said}");
}

#[test]
fn published_tables_are_listed_beside_the_board() {
    let listed = run(
        Command::new(PROGRAM).args(["analyze", "published", "mm-sap", "--json"]),
        "",
    )
    .lines();
    assert_eq!(listed.len(), 72);
    let line = listed
        .iter()
        .find(|l| l["model"] == "GPT-4V" && l["column"] == "total")
        .unwrap();
    assert_eq!(
        (&line["board_column"], &line["value"], &line["sd"]),
        (&json!("AR"), &json!(75.13), &json!(1.3))
    );
    let files = Files::new();
    let beside = [
        "analyze",
        "published",
        "Dysca",
        "--json",
        "--beside",
        files.path(),
    ];
    let cells = run(Command::new(PROGRAM).args(beside), "").lines();
    let printed = |l: &&Value| l["reference"].is_string();
    let animal = |l: &&Value| l["column"] == "Acc.multiple-choice.animal";
    assert_eq!(cells.iter().filter(animal).filter(printed).count(), 26);
    assert_eq!(
        cells
            .iter()
            .filter(animal)
            .filter(|l| l["reference"].is_null())
            .count(),
        4
    );
    assert!(
        cells
            .iter()
            .filter(printed)
            .all(|l| l["n"] == 0 && l["same_as"].is_null())
    );
    let text = run(Command::new(PROGRAM).args(["analyze", "published"]), "").ok();
    assert!(text.contains("qAcc.L_l") && text.contains("± 1.3"));
    assert!(
        run(
            Command::new(PROGRAM).args(["analyze", "published", "x"]),
            ""
        )
        .refused(1)
        .names("MVP-Bench")
    );
}

/// The results on VLB's variants, of a project, against a loop over the questions.
#[test]
fn variants_are_compared_with_their_originals() {
    const ORIGINALS: usize = 12;
    let names = ["", "V1", "L3", "V1+V3@2+L4", "blur"];
    let modified = |variant: usize, n: usize| !(n + variant).is_multiple_of(4);
    let is_right = |at: usize| !(at * 7 + at / ORIGINALS).is_multiple_of(3);
    let item = |at: usize| {
        let (variant, n) = (at / ORIGINALS, at % ORIGINALS);
        let mut row = json!({
            "id": format!("quiz/{at}"), "dataset": "quiz", "key": at, "form": "plain", "images": [],
            "question": format!("Which is {at}?"), "kind": "multiple-choice", "answer": "one",
            "options": [{"text": "one", "role": "correct"}, {"text": "two", "role": "distractor"}],
        });
        if variant > 0 {
            let of = format!("quiz/{n}");
            row["variant"] =
                json!({"name": names[variant], "of": of, "modified": modified(variant, n)});
        }
        row
    };
    let bench = Bench::new();
    let all = || 0..names.len() * ORIGINALS;
    let items = bench.write("items.jsonl", lines(all().map(item)));
    bench.run(["import", items.to_str().unwrap()]).ok();
    let answer =
        |at| json!({"question_id": at, "output": if is_right(at) { "(A)" } else { "(B)" }});
    let answers = bench.write("alpha.jsonl", lines(all().map(answer)));
    bench.run(["import", answers.to_str().unwrap()]).ok();
    let found = bench
        .run(["analyze", "variants", "--changed", "--json"])
        .lines();
    assert_eq!((found.len(), &found[0]["model"]), (1, &json!("alpha")));
    let mut changed = Vec::new();
    let mut curve = Vec::new();
    for (at, (variant, place)) in [
        (1, ("V1", ["V1", "", "harder"])),
        (2, ("L3", ["", "L3", "easier"])),
        (3, ("V1+V3@2+L4", ["V1+V3@2", "L4", "harder"])),
    ] {
        let (mut before, mut after, mut own) = ([0u64; 2], [0u64; 2], [0u64; 4]);
        for n in 0..ORIGINALS {
            let row = at * ORIGINALS + n;
            before[0] += u64::from(is_right(n));
            after[0] += u64::from(is_right(row));
            if !modified(at, n) {
                continue;
            }
            before[1] += u64::from(is_right(n));
            after[1] += u64::from(is_right(row));
            own[0] += 1;
            match (is_right(n), is_right(row)) {
                (true, false) => {
                    own[1] += 1;
                    changed.push(json!({"variant": variant, "item": row + 1, "original": n + 1}));
                }
                (false, true) => own[2] += 1,
                _ => {}
            }
        }
        let cell = &found[0]["variants"][at - 1];
        let [visual, language, difficulty] = place;
        assert_eq!(
            (
                &cell["variant"],
                &cell["visual"],
                &cell["language"],
                &cell["difficulty"]
            ),
            (
                &json!(variant),
                &json!(visual),
                &json!(language),
                &json!(difficulty)
            )
        );
        assert_eq!(cell["before"], json!({"k": before[0], "n": ORIGINALS}));
        assert_eq!(cell["after"], json!({"k": after[0], "n": ORIGINALS}));
        let points = |k: [u64; 2], n: u64| 100.0 * (k[1] as f64 - k[0] as f64) / n as f64;
        near(
            &cell["delta"],
            points([before[0], after[0]], ORIGINALS as u64),
        );
        near(
            &cell["delta_modified"],
            points([before[1], after[1]], own[0]),
        );
        assert_eq!(
            (&cell["modified"], &cell["unmodified"]),
            (&json!(own[0]), &json!(ORIGINALS as u64 - own[0]))
        );
        assert_eq!(
            (&cell["right_to_wrong"], &cell["wrong_to_right"]),
            (&json!(own[1]), &json!(own[2]))
        );
        curve.push((variant.split('+').count(), difficulty, after[1], own[0]));
    }
    assert_eq!(
        found[0]["variants"].as_array().unwrap().len(),
        3,
        "blur is not VLB's"
    );
    assert!(!changed.is_empty());
    assert_eq!(found[0]["changed"], json!(changed));
    curve.sort_by_key(|(strategies, difficulty, ..)| (*strategies, *difficulty == "easier"));
    for (point, (strategies, difficulty, k, n)) in
        found[0]["curve"].as_array().unwrap().iter().zip(&curve)
    {
        assert_eq!(
            (&point["strategies"], &point["difficulty"], &point["after"]),
            (
                &json!(strategies),
                &json!(difficulty),
                &json!({"k": k, "n": n})
            )
        );
    }
    let text = bench.run(["analyze", "variants", "--model", "alpha"]).ok();
    assert!(text.contains("V1+V3@2") && !text.contains("blur"), "{text}");
    let unknown = bench.run(["analyze", "variants", "--model", "beta", "--json"]);
    assert!(unknown.refused_as(ErrorKind::NotFound).names("beta"));
    // Without variants there is nothing to show.
    let files = Files::new();
    files
        .analyze("variants", &["--json"])
        .refused_as(ErrorKind::NotFound);
}
