//! Metadata changes under judged items: only items with changed text lose their verdicts.

use serde_json::{Value, json};

use crate::support::Bench;

fn edit(bench: &Bench, file: &str, old: &str, new: &str) {
    let path = bench.root().join("metadata").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no {old}");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

fn numbers(bench: &Bench, words: &str) -> Vec<u64> {
    let lines = bench.run(["items", "--json", "--filter", words]).lines();
    lines
        .iter()
        .map(|l| l["number"].as_u64().unwrap())
        .collect()
}

fn count(report: &Value, what: &str) -> u64 {
    report[what]["items"].as_u64().unwrap()
}

#[test]
fn recompose_voids_verdicts_of_changed_items_only() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "600", "--seed", "3"]).ok();
    let all: String = (1..=600)
        .map(|n| format!("{{\"item\":{n},\"verdict\":\"accept\"}}\n"))
        .collect();
    bench.feed(["decide"], &all).ok();
    assert_eq!(
        bench.run(["recompose", "--json"]).lines()[0]["changed"]["items"],
        0
    );

    edit(&bench, "styles.toml", "translucent washes", "thin washes");
    let dry = bench
        .run(["recompose", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        numbers(&bench, "status:accepted").len(),
        600,
        "a dry run changes nothing"
    );
    let report = bench.run(["recompose", "--json"]).lines().remove(0);
    let painted = numbers(&bench, "style:\"watercolor painting\"");
    assert_eq!(
        (count(&dry, "changed"), count(&report, "changed")),
        (painted.len() as u64, painted.len() as u64)
    );
    assert_eq!(report["changed"]["by_status"]["accepted"], painted.len());
    assert_eq!(report["notes"].as_array().unwrap().len(), 1);
    assert!(!painted.is_empty());
    assert_eq!(numbers(&bench, "status:pending"), painted);
    let first = bench
        .run([
            "items",
            "--json",
            "--filter",
            &format!("number:{}", painted[0]),
        ])
        .lines()
        .remove(0);
    assert!(first["prompt"].as_str().unwrap().contains("thin washes"));
    // What is void cannot come back, and what is said now counts.
    let undone = bench.run(["undo"]).lines().remove(0);
    assert!(!painted.contains(&undone["number"].as_u64().unwrap()));
    bench
        .feed(
            ["decide"],
            &format!("{{\"item\":{},\"verdict\":\"reject\"}}", painted[0]),
        )
        .ok();
    assert_eq!(numbers(&bench, "status:rejected"), [painted[0]]);
    assert_eq!(
        bench.run(["recompose", "--json"]).lines()[0]["changed"]["items"],
        0,
        "once is enough"
    );

    // The same after the owner was killed, and from the truth alone.
    let before = (bench.items(), bench.verdicts());
    bench.kill_owner();
    assert_eq!((bench.items(), bench.verdicts()), before);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!((bench.items(), bench.verdicts()), before);
}

#[test]
fn a_renamed_term_is_followed_and_a_removed_one_counted() {
    let bench = Bench::new();
    bench
        .run(["compose", "--count", "1200", "--seed", "3"])
        .ok();
    let items = bench
        .run(["items", "--json", "--filter", "subtask:animal"])
        .lines();
    let old = items[0]["provenance"]["terms"]["animal"].as_str().unwrap();
    edit(
        &bench,
        "vocabularies/animal.txt",
        &format!("\n{old}\n"),
        "\nbarn owl\n",
    );
    let lost = bench
        .run(["recompose", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert!(
        count(&lost, "gone") > 0 && count(&lost, "changed") == 0,
        "{lost}"
    );
    assert_eq!(lost["gone"]["causes"][0]["what"], format!("animal `{old}`"));
    assert!(
        bench
            .run(["recompose", "--dry-run"])
            .ok()
            .contains(&format!("animal `{old}`"))
    );
    let renamed = bench
        .run([
            "recompose",
            "--rename",
            &format!("animal:{old}=barn owl"),
            "--json",
        ])
        .lines()
        .remove(0);
    assert_eq!(
        (count(&renamed, "changed"), count(&renamed, "gone")),
        (count(&lost, "gone"), 0)
    );
    let again = bench.run(["recompose", "--json"]).lines().remove(0);
    assert_eq!((count(&again, "changed"), count(&again, "gone")), (0, 0));
    bench.run(["recompose", "--rename", "owl"]).refused(2);
}

/// Every metadata file that questions are written with, and what breaks it in a line of its own at the end.
const BREAKS: [(&str, &[u8]); 4] = [
    ("templates.toml", b"\n[broken\n"),
    ("styles.toml", b"\n[[style]\n"),
    ("compatibility.toml", b"\n[[not-with\n"),
    ("vocabularies/animal.txt", b"\nb\xe4r\n"),
];

#[test]
fn unreadable_metadata_makes_nothing_stale_and_is_reported_first() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "60", "--seed", "3"]).ok();
    let stale = || bench.run(["items", "--json", "--filter", "stale:gone,yes"]);
    assert_eq!(stale().lines().len(), 0);
    for (name, broken) in BREAKS {
        let (path, file) = (
            bench.root().join("metadata").join(name),
            format!("metadata/{name}"),
        );
        let sound = std::fs::read(&path).unwrap();
        let line = sound.iter().filter(|b| **b == b'\n').count() + 2;
        std::fs::write(&path, [&sound[..], broken].concat()).unwrap();
        // The owner read it before: what it read then goes on.
        assert_eq!(stale().lines().len(), 0, "{name}");
        assert_eq!(numbers(&bench, "stale:no").len(), 60, "{name}");
        assert_eq!(
            numbers(&bench, "term:\"animal/owl\"").len(),
            numbers(&bench, "term:\"animal/owl\" stale:no").len()
        );
        let place = format!("{file}:{line}");
        let first = |status: &Value| {
            status["notices"][0]
                .as_str()
                .unwrap_or_default()
                .to_string()
        };
        let status = bench.status();
        assert!(first(&status).starts_with(&place), "{status}");
        let error = &status["metadata"]["errors"][0];
        assert_eq!(
            (error["file"].as_str(), error["line"].as_u64()),
            (Some(&*file), Some(line as u64)),
            "{status}"
        );
        assert_eq!(status["metadata"]["in_force"], "earlier");
        let doctor = bench.run(["doctor", "--json"]).lines().remove(0);
        assert_eq!(doctor["project"]["metadata"], status["metadata"]);
        let lint = bench.run(["lint", "--json"]);
        assert_eq!(lint.code, 1);
        let found: Vec<Value> = crate::support::json_lines(&lint.out);
        assert_eq!(
            (found[0]["rule"].as_str(), found[0]["line"].as_u64()),
            (Some("unreadable"), Some(line as u64))
        );
        let warnings = found.iter().filter(|f| f["severity"] == "warning");
        assert_eq!(
            warnings.count(),
            0,
            "what follows from {name} is no warning"
        );
        let refused = bench.run(["recompose"]).refused(1);
        assert_eq!((refused.file.as_str(), refused.line), (&*file, line as u64));

        // An owner that never could read it does not guess.
        bench.run(["stop"]).ok();
        let refused = stale().refused(1);
        assert_eq!((refused.file.as_str(), refused.line), (&*file, line as u64));
        assert_eq!(
            bench.run(["items", "--json"]).lines().len(),
            60,
            "everything else is there"
        );
        assert_eq!(bench.status()["metadata"]["in_force"], "none");
        bench.run(["stop"]).ok();
        let doctor = bench.run(["doctor", "--json"]).lines().remove(0);
        assert_eq!(
            doctor["project"]["metadata"]["errors"][0]["line"], line as u64,
            "without an owner too"
        );
        assert_eq!(stale().refused(1).file, file);

        // Mended it is read again by the same owner.
        std::fs::write(&path, &sound).unwrap();
        assert_eq!(stale().lines().len(), 0);
        let status = bench.status();
        assert_eq!(
            (
                status["metadata"]["in_force"].as_str(),
                first(&status).as_str()
            ),
            (Some("on-disk"), "")
        );
    }
}

#[test]
fn unreadable_judging_rules_do_not_block_composing() {
    let bench = Bench::new();
    for name in ["judge/vlb-l2-rephrase.toml", "instruct/mine.toml"] {
        let path = bench.root().join("metadata").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "[broken\n").unwrap();
    }
    bench.run(["compose", "--count", "12", "--seed", "3"]).ok();
    assert_eq!(numbers(&bench, "stale:no").len(), 12);
    assert_eq!(bench.status()["metadata"]["in_force"], "on-disk");
}

/// The term that an item has in a slot.
fn term(item: &Value, slot: &str) -> String {
    item["provenance"]["terms"][slot]
        .as_str()
        .unwrap_or_default()
        .to_string()
}

#[test]
fn recompose_draws_terms_for_new_slots() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "400", "--seed", "3"]).ok();
    let all: String = (1..=400)
        .map(|n| format!("{{\"item\":{n},\"verdict\":\"accept\"}}\n"))
        .collect();
    bench.feed(["decide"], &all).ok();
    let signs = numbers(&bench, "subject:text");
    assert!(!signs.is_empty());
    let prompt = "text";
    let path = bench.root().join("metadata/templates.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let section = text
        .split(&format!("[subject.{prompt}]"))
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap()
        .to_string();
    assert!(
        !section.contains("{movie}") && section.contains("{style}"),
        "{section}"
    );
    std::fs::write(
        &path,
        text.replace(
            &section,
            &section.replace("{style}", "beside a poster of {movie}, {style}"),
        ),
    )
    .unwrap();
    // Rules hold of what is drawn as of what is composed.
    let movies =
        std::fs::read_to_string(bench.root().join("metadata/vocabularies/movie.txt")).unwrap();
    let movies: Vec<&str> = movies
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .collect();
    let (never, rest) = movies.split_at(movies.len() / 2);
    let bare = |list: &[&str]| {
        list.iter()
            .map(|m| format!("{:?}", m.split(" # ").next().unwrap().trim()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let rules = bench.root().join("metadata/compatibility.toml");
    let before = std::fs::read_to_string(&rules).unwrap();
    let styles: Vec<Value> = bench
        .run(["items", "--json", "--filter", "subject:text"])
        .lines();
    let mut styles: Vec<String> = styles
        .iter()
        .map(|i| format!("{:?}", term(i, "style")))
        .collect();
    styles.sort();
    styles.dedup();
    let rule = format!(
        "\n[[not-with]]\nmovie = [{}]\nstyle = [{}]\nwhy = \"a test\"\n",
        bare(never),
        styles.join(", ")
    );
    std::fs::write(&rules, before + &rule).unwrap();

    let plain = bench
        .run(["recompose", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(count(&plain, "missing"), signs.len() as u64);
    assert_eq!(
        (count(&plain, "gone"), count(&plain, "changed")),
        (signs.len() as u64, 0),
        "{plain}"
    );
    assert_eq!(plain["gone"]["causes"][0]["what"], "slot movie");
    assert!(bench.run(["recompose"]).ok().contains("--draw-missing"));
    assert_eq!(
        numbers(&bench, "stale:gone"),
        signs,
        "nothing was drawn unasked"
    );
    let dry = bench
        .run(["recompose", "--draw-missing", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(numbers(&bench, "stale:gone"), signs);
    let report = bench
        .run(["recompose", "--draw-missing", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&dry["drawn"], &dry["changed"]),
        (&report["drawn"], &report["changed"])
    );
    assert_eq!(
        (report["drawn"].as_u64(), count(&report, "gone")),
        (Some(signs.len() as u64), 0),
        "{report}"
    );
    assert_eq!(numbers(&bench, "stale:gone,yes"), Vec::<u64>::new());
    assert_eq!(
        numbers(&bench, "status:pending"),
        signs,
        "their verdicts were on other words"
    );

    let items = bench
        .run(["items", "--json", "--filter", "subject:text"])
        .lines();
    let mut by_picture = std::collections::BTreeMap::new();
    for item in &items {
        let movie = term(item, "movie");
        assert!(
            item["prompt"]
                .as_str()
                .unwrap()
                .contains(&format!("a poster of {movie}")),
            "{item}"
        );
        assert!(
            rest.iter()
                .any(|m| m.split(" # ").next().unwrap().trim() == movie),
            "{movie} is ruled out"
        );
        let picture = item["provenance"]["picture"].as_u64().unwrap();
        assert_eq!(
            by_picture.entry(picture).or_insert(movie.clone()),
            &movie,
            "one picture, one prompt"
        );
    }
    let drawn: std::collections::BTreeSet<_> = by_picture.values().collect();
    assert!(drawn.len() > 1, "{drawn:?}");
    // The same again on the same project draws the same.
    let again = Bench::new();
    for name in ["templates.toml", "compatibility.toml"] {
        std::fs::copy(
            bench.root().join("metadata").join(name),
            again.root().join("metadata").join(name),
        )
        .unwrap();
    }
    let kept = std::fs::read_to_string(again.root().join("metadata/templates.toml")).unwrap();
    std::fs::write(again.root().join("metadata/templates.toml"), &text).unwrap();
    let ruled = std::fs::read_to_string(again.root().join("metadata/compatibility.toml")).unwrap();
    std::fs::write(
        again.root().join("metadata/compatibility.toml"),
        ruled.replace(&rule, ""),
    )
    .unwrap();
    again.run(["compose", "--count", "400", "--seed", "3"]).ok();
    std::fs::write(again.root().join("metadata/templates.toml"), kept).unwrap();
    std::fs::write(again.root().join("metadata/compatibility.toml"), ruled).unwrap();
    again.run(["recompose", "--draw-missing"]).ok();
    let made = |items: &[Value]| -> Vec<Value> {
        items
            .iter()
            .map(|i| json!([i["id"], i["prompt"], i["options"], i["provenance"]]))
            .collect()
    };
    let others = again
        .run(["items", "--json", "--filter", "subject:text"])
        .lines();
    assert_eq!(made(&others), made(&items));
}

#[test]
fn recompose_reports_slots_without_allowed_terms() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "200", "--seed", "3"]).ok();
    let path = bench.root().join("metadata/templates.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let section = text
        .split("[subject.text]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap()
        .to_string();
    std::fs::write(
        &path,
        text.replace(&section, &section.replace("{style}", "in {color}, {style}")),
    )
    .unwrap();
    let rules = bench.root().join("metadata/compatibility.toml");
    let colors =
        std::fs::read_to_string(bench.root().join("metadata/vocabularies/color.txt")).unwrap();
    let colors = colors
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let colors: Vec<_> = colors
        .map(|c| format!("{:?}", c.split(" # ").next().unwrap().trim()))
        .collect();
    let before = std::fs::read_to_string(&rules).unwrap();
    let rule = format!(
        "\n[[hides]]\ncolor = [{}]\nhides = [\"text\"]\n",
        colors.join(", ")
    );
    std::fs::write(&rules, before + &rule).unwrap();
    let asked = numbers(&bench, "subject:text subtask:text").len() as u64;
    let report = bench
        .run(["recompose", "--draw-missing", "--json"])
        .lines()
        .remove(0);
    assert!(asked > 0 && count(&report, "missing") >= asked, "{report}");
    let cause = report["gone"]["causes"][0]["what"].as_str().unwrap();
    assert!(cause.starts_with("slot color: "), "{report}");
    assert!(report["gone"]["by_status"]["pending"].as_u64().unwrap() >= asked);
}

#[test]
fn broken_metadata_changes_nothing() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "60"]).ok();
    edit(
        &bench,
        "templates.toml",
        "{color} {animal}",
        "{colour} {animal}",
    );
    let error = bench.run(["recompose"]).refused(1);
    assert!(error.names("colour") && error.names("lint"), "{error}");
    assert_eq!(bench.status()["counts"]["by_status"]["pending"], json!(60));
}
