//! `benchtop vocab` as scripts see it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::conformance::shared;
use crate::support::{Bench, ErrorKind, Need, composed, has_line, json_lines, skip};

const ANIMAL: &str = "metadata/vocabularies/animal.txt";
const COLOR: &str = "metadata/vocabularies/color.txt";

fn edit(bench: &Bench, file: &str, change: impl Fn(&str) -> String) {
    let path = bench.root().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let new = change(&text);
    assert_ne!(new, text, "the edit changes nothing");
    std::fs::write(&path, new).unwrap();
}

fn found(bench: &Bench, code: i32) -> Vec<Value> {
    let output = bench.run(["vocab", "check", "--json"]);
    assert_eq!(output.code, code, "{output:?}");
    json_lines(&output.out)
}

#[test]
fn vocabularies_are_listed_with_their_use() {
    let bench = Bench::new();
    let file = bench.write("made.jsonl", composed(300, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    edit(&bench, COLOR, |t| {
        t.replace("\nred\n", "\n#- red\n").replace("\nblue\n", "\n")
    });
    let lines = bench.run(["vocab", "list", "--json"]).lines();
    assert_eq!(lines.len(), 20);
    let of = |name: &str| lines.iter().find(|l| l["vocabulary"] == name).unwrap();
    let color = of("color");
    assert_eq!(color["file"], "vocabularies/color.txt");
    assert_eq!(
        (&color["terms"], &color["enabled"], &color["disabled"]),
        (&json!(7), &json!(6), &json!(1))
    );
    assert_eq!((&color["used"], &color["unknown"]), (&json!(7), &json!(1)));
    assert!(
        of("style")["uses"].as_u64().unwrap() >= 300,
        "every composed item has a style"
    );
    assert_eq!(of("text")["terms"], 5000);
    assert!(
        bench
            .run(["vocab", "list"])
            .ok()
            .lines()
            .any(|l| l.starts_with("color ") && l.contains("1 disabled"))
    );
}

#[test]
fn vocab_check_reports_errors_and_fixes_untidy_lines() {
    let bench = Bench::new();
    assert!(found(&bench, 0).is_empty());
    edit(&bench, COLOR, |t| t.replace('\n', " \r\n"));
    let untidy = found(&bench, 0);
    assert!(
        untidy.len() >= 8
            && untidy
                .iter()
                .all(|f| f["rule"] == "stray-blank" && f["severity"] == "warning")
    );
    let fixed = bench.run(["vocab", "check", "--fix", "--json"]).lines();
    assert_eq!(fixed, [json!({"fixed": "vocabularies/color.txt"})]);
    assert!(
        !std::fs::read_to_string(bench.root().join(COLOR))
            .unwrap()
            .contains(['\r'])
    );
    assert!(found(&bench, 0).is_empty());

    edit(&bench, ANIMAL, |t| {
        format!("{t}an {{owl}}\nbell\u{7}\nowl\0\n")
    });
    std::fs::write(
        bench.root().join("metadata/vocabularies/plant.txt"),
        b"rose\nm\xfcller\n",
    )
    .unwrap();
    std::fs::write(bench.root().join(COLOR), "# none left\n").unwrap();
    let large = std::fs::File::create(bench.root().join("metadata/vocabularies/food.txt")).unwrap();
    large.set_len(100 << 20).unwrap();
    edit(&bench, "metadata/templates.toml", |t| {
        t.replace("person = \"a {age}", "person = \"a {person} {age}")
    });
    let before = bench.snapshot();
    let wrong = found(&bench, 1);
    assert_eq!(bench.snapshot(), before);
    let has = |file: &str, line: u64, rule: &str, what: &str| {
        let is = |f: &&Value| {
            f["file"] == file
                && f["line"] == line
                && f["rule"] == rule
                && f["what"].as_str().unwrap().contains(what)
        };
        assert!(
            wrong.iter().any(|f| is(&f)),
            "{file}:{line} {rule} {what}: {wrong:#?}"
        );
    };
    let last = std::fs::read_to_string(bench.root().join(ANIMAL))
        .unwrap()
        .lines()
        .count() as u64;
    has("vocabularies/animal.txt", last - 2, "bad-term", "slot");
    has("vocabularies/animal.txt", last - 1, "bad-term", "control");
    has("vocabularies/animal.txt", last, "bad-term", "control");
    has(
        "vocabularies/plant.txt",
        2,
        "unreadable",
        "not UTF-8: byte 2 of line 2",
    );
    has("vocabularies/food.txt", 0, "unreadable", "104857600 bytes");
    has(
        "vocabularies/color.txt",
        0,
        "empty-vocabulary",
        "0 enabled terms",
    );
    assert!(
        wrong
            .iter()
            .any(|f| f["rule"] == "cyclic-fragment" && f["file"] == "templates.toml")
    );
    let text = bench.run(["vocab", "check"]);
    assert!(
        text.code == 1
            && text
                .out
                .contains("vocabularies/plant.txt:2: error [unreadable]"),
        "{text:?}"
    );
    // --fix has nothing to tidy in files that cannot be read.
    bench.run(["vocab", "check", "--fix"]);
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn vocab_diff_lists_terms_templates_and_items() {
    let bench = Bench::new();
    let file = bench.write("made.jsonl", composed(300, 5));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let diff = |against: &[&str]| {
        bench
            .run([&["vocab", "diff", "--json"], against].concat())
            .lines()
            .remove(0)
    };
    let same = diff(&[]);
    assert_eq!(same["against"], "the shipped set");
    assert_eq!(
        (&same["vocabularies"], &same["files"]["added"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(
        same["items"],
        json!({"composed": 300, "stale": 0, "gone": 0, "causes": []})
    );
    let same = bench.run(["vocab", "diff"]).ok();
    assert!(
        !same.lines().any(|line| line.starts_with(['~', '+', '-'])),
        "{same}"
    );

    let other = bench.beside("other");
    std::fs::create_dir_all(other.join("vocabularies")).unwrap();
    for name in ["color", "animal"] {
        let name = format!("vocabularies/{name}.txt");
        std::fs::copy(bench.root().join("metadata").join(&name), other.join(&name)).unwrap();
    }
    edit(&bench, COLOR, |t| t.replace("\nred\n", "\nscarlet\n"));
    edit(&bench, "metadata/templates.toml", |t| {
        t.replace("Your answer is:", "The answer is:")
    });
    let told = diff(&[]);
    assert_eq!(
        told["vocabularies"][0]["renamed"],
        json!([["red", "scarlet"]])
    );
    assert_eq!(told["templates"]["changed"].as_array().unwrap().len(), 3);
    let (stale, gone) = (
        told["items"]["stale"].as_u64().unwrap(),
        told["items"]["gone"].as_u64().unwrap(),
    );
    assert!(gone > 0 && stale > 0 && stale + gone <= 300, "{told}");
    assert_eq!(told["items"]["causes"][0], json!(["color `red`", gone]));
    let told = diff(&[other.to_str().unwrap()]);
    assert!(
        told["files"]["added"]
            .as_array()
            .unwrap()
            .contains(&json!("styles.toml"))
    );
    assert!(bench.run(["vocab", "diff"]).ok().contains("~ color `red`"));
    bench.run(["vocab", "diff", "no-such-revision"]).refused(1);

    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(bench.root())
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args);
        command.output().is_ok_and(|o| o.status.success())
    };
    if !(git(&["init", "-q"]) && git(&["add", "metadata"]) && git(&["commit", "-q", "-m", "one"])) {
        skip(Need::Program("git"), "git is not installed");
        return;
    }
    edit(&bench, COLOR, |t| format!("{t}teal\n"));
    let told = diff(&["HEAD"]);
    assert_eq!(told["vocabularies"].as_array().unwrap().len(), 1);
    assert_eq!(told["vocabularies"][0]["added"], json!(["teal"]));
    assert_eq!(told["templates"]["changed"], json!([]));
    let error = bench
        .run(["vocab", "diff", "--json", "HEAD:metadata"])
        .refused_as(ErrorKind::NotFound);
    assert!(error.names("`HEAD:metadata`"), "{error}");
}

#[test]
fn vocab_import_reads_dysca_and_lists_repairs() {
    let Some(folder) = shared("dysca-metadata") else {
        return;
    };
    let bench = Bench::new();
    let folder = folder.to_str().unwrap();
    let before = bench.snapshot();
    let dry = bench
        .run(["vocab", "import", folder, "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(bench.snapshot(), before, "a dry run wrote something");
    let done = bench
        .run(["vocab", "import", folder, "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&dry["repairs"], &dry["files"]),
        (&done["repairs"], &done["files"])
    );
    assert_eq!(
        (&dry["written"], &done["written"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(done["files"].as_array().unwrap().len(), 21);
    let repair = |file: &str, line: u64, what: &str| {
        let is = |r: &&Value| {
            r["file"] == file && r["line"] == line && r["what"].as_str().unwrap().contains(what)
        };
        assert!(
            done["repairs"].as_array().unwrap().iter().any(|r| is(&r)),
            "{file}:{line} {what}"
        );
    };
    repair("TV shows.txt", 0, "`tv-show`");
    repair("Anime.txt", 1, "");
    repair("Color.txt", 1, "`color`");
    repair("People/Race.txt", 1, "`race`");
    let errors = found(&bench, 0);
    assert!(
        errors.iter().all(|f| f["severity"] == "warning"),
        "{errors:?}"
    );
    let again = bench.run(["vocab", "import", folder]).ok();
    assert!(has_line(&again, &["0"]), "{again}");
    let into = bench.beside("apart");
    bench
        .run(["vocab", "import", folder, "--into", into.to_str().unwrap()])
        .ok();
    assert!(
        into.join("vocabularies/tv-show.txt").is_file()
            && Path::new(&into).join("templates.toml").is_file()
    );
    let error = bench
        .run([
            "vocab",
            "import",
            bench.root().join("sessions").to_str().unwrap(),
        ])
        .refused(1);
    assert!(
        error.is_in("/sessions") && error.names("Styles.json"),
        "{error}"
    );
}
