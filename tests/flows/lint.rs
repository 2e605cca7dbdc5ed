//! `benchtop lint` as scripts see it: `docs/cli.md` is the description.

use serde_json::json;

use crate::support::{Bench, json_lines};

#[test]
fn lint_prints_findings_as_json_lines_and_exits_by_errors() {
    let bench = Bench::new();
    for folder in ["judge", "vocabularies"] {
        std::fs::create_dir_all(bench.root().join("metadata").join(folder)).unwrap();
    }
    for file in benchtop::model::metafile::shipped() {
        std::fs::write(bench.root().join("metadata").join(file.name), file.text).unwrap();
    }
    let animals = bench.root().join("metadata/vocabularies/animal.txt");
    let text = std::fs::read_to_string(&animals).unwrap();
    std::fs::write(&animals, format!("{text}crane\n")).unwrap();
    let line = text.lines().count() + 1;
    let of = |rule: &str, output: &str| {
        json_lines(output)
            .into_iter()
            .find(|f| f["rule"] == rule)
            .unwrap()
    };
    let crane = of("homonym", &bench.run(["lint", "--json"]).ok());
    let keys: Vec<_> = crane
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "severity", "rule", "file", "line", "column", "length", "term", "what", "help"
        ]
    );
    assert_eq!(
        (&crane["severity"], &crane["term"], &crane["line"]),
        (&json!("warning"), &json!("crane"), &json!(line))
    );
    assert_eq!(crane["file"], animals.to_str().unwrap());
    let plain = bench.run(["lint"]).ok();
    assert!(
        plain.contains(&format!("animal.txt:{line}: warning [homonym] `crane`")),
        "{plain}"
    );
    assert!(
        plain.lines().last().unwrap().starts_with("0 errors"),
        "{plain}"
    );

    std::fs::write(&animals, format!("{text}owl\n")).unwrap();
    let refused = bench.run(["lint", "--json"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(of("duplicate-term", &refused.out)["severity"], "error");
    assert_eq!(bench.run(["lint", animals.to_str().unwrap()]).code, 1);

    std::fs::write(&animals, text).unwrap();
    bench.import_items("set", 0..3);
    let file = bench.write(
        "bad.json",
        json!([{"id": 1, "images": ["1.png"], "question": "What?", "answer": "owl", "question_type": "multi choice",
                "options": ["owl", "cat", "cat"], "task": "recognition", "question_majority": "animal"}])
        .to_string(),
    );
    bench.run(["import", file.to_str().unwrap()]).ok();
    let items = bench.run(["lint", "--items", "--json"]);
    assert_eq!(items.code, 1, "{items:?}");
    let twice = of("duplicate-option", &items.out);
    assert_eq!(
        (&twice["file"], &twice["line"], &twice["term"]),
        (&json!("items"), &json!(4), &json!("bad/1"))
    );

    let rules = bench.run(["lint", "--rules", "--json"]).lines();
    assert_eq!(rules.len(), benchtop::model::Rule::ALL.len());
    bench.run(["lint", "--rules", "x.json"]).refused(2);
    assert!(bench.run(["lint", "no.json"]).refused(1).names("no.json"));
}
