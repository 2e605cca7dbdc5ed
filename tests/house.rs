//! The floors of src/lib.rs: a crate uses only crates on lower floors.

use std::collections::BTreeMap;
use std::path::Path;

/// Floor of each room, read from the table in the documentation of src/lib.rs.
fn floors() -> BTreeMap<String, u32> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let rows = text.lines().filter_map(|l| l.strip_prefix("//! | "));
    rows.filter_map(|row| {
        let (floor, rest) = row.split_once(" | ")?;
        let room = rest.split('`').nth(1)?;
        Some((room.to_string(), floor.parse().ok()?))
    })
    .collect()
}

/// Crates of the workspace that a source names as `benchtop_room`, each with its line: in `use` lines and in paths alike.
fn used(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in source.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for rest in code.split("benchtop_").skip(1) {
            found.push((
                at + 1,
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            ));
        }
    }
    found
}

/// What is wrong with a source of `room`.
fn violations(floors: &BTreeMap<String, u32>, room: &str, source: &str) -> Vec<String> {
    let mine = floors.get(room).copied().unwrap_or_default();
    let wrong =
        |name: &String| name != room && floors.get(name).is_some_and(|floor| *floor >= mine);
    used(source)
        .into_iter()
        .filter(|(_, name)| wrong(name))
        .map(|(at, name)| format!("{at}: {room} uses {name}"))
        .collect()
}

fn look(
    dir: &Path,
    floors: &BTreeMap<String, u32>,
    room: Option<&str>,
    seen: &mut u32,
    found: &mut Vec<String>,
) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if room.is_none() && name == "bin" {
            // As main.rs: arguments only, of another binary.
            continue;
        }
        if path.is_dir() {
            let room = room.unwrap_or(&name);
            assert!(
                floors.contains_key(room),
                "src/{room} has no floor in src/lib.rs"
            );
            look(&path, floors, Some(room), seen, found);
        } else if let Some(room) = room {
            *seen += 1;
            let source = std::fs::read_to_string(&path).unwrap();
            found.extend(
                violations(floors, room, &source)
                    .into_iter()
                    .map(|v| format!("{}:{v}", path.display())),
            );
        } else {
            assert!(
                ["lib", "main"].contains(&name.as_str()),
                "src/{name}.rs is in no room"
            );
        }
    }
}

#[test]
fn no_room_uses_a_room_on_its_floor_or_above() {
    let floors = floors();
    assert_eq!(floors.get("model"), Some(&1));
    assert_eq!(floors.get("cli"), Some(&6));
    let (mut seen, mut found) = (0, Vec::new());
    look(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &floors,
        None,
        &mut seen,
        &mut found,
    );
    assert!(seen > 60, "only {seen} sources seen");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_planted_violation_is_found() {
    let floors = floors();
    let planted = "use benchtop_model::Item;\nuse benchtop_store::Catalog;\nuse benchtop_tui::panes;\n\
                   fn f() { benchtop_owner::start::find(); } // benchtop_cli is only named here\n";
    assert_eq!(
        violations(&floors, "pipeline", planted),
        ["3: pipeline uses tui", "4: pipeline uses owner"]
    );
    assert_eq!(
        violations(&floors, "store", planted),
        ["3: store uses tui", "4: store uses owner"]
    );
    // Neighbours do not know each other.
    assert_eq!(
        violations(&floors, "formats", planted)[0],
        "2: formats uses store"
    );
    // The two towers meet in `cli`.
    assert_eq!(violations(&floors, "tui", planted), ["4: tui uses owner"]);
    assert_eq!(violations(&floors, "cli", planted), [""; 0]);
    assert_eq!(
        violations(&floors, "model", "use benchtop_store::Catalog;"),
        ["1: model uses store"]
    );
}

/// Crates of the workspace that `room` builds on, by the dependencies of the manifests; those of tests do not count.
fn below(room: &str, found: &mut std::collections::BTreeSet<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{room}/Cargo.toml"));
    let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    for name in manifest["dependencies"].as_table().unwrap().keys() {
        if let Some(other) = name.strip_prefix("benchtop-")
            && found.insert(other.to_string())
        {
            below(other, found);
        }
    }
}

#[test]
fn a_client_builds_without_the_owner() {
    for (room, least) in [("protocol", "model"), ("tui", "protocol")] {
        let mut found = std::collections::BTreeSet::new();
        below(room, &mut found);
        assert!(found.contains(least), "{room}: {found:?}");
        for tower in ["store", "inference", "pipeline", "owner"] {
            assert!(!found.contains(tower), "{room} builds on {tower}");
        }
    }
    let mut found = std::collections::BTreeSet::new();
    below("cli", &mut found);
    assert!(found.contains("owner") && found.contains("tui"));
}

/// Sources below `dir` (relative to the crate) that a test of words is to see.
fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The manifest denies unsafe code; who allows it is here and in docs/decisions.md.
#[test]
fn only_what_starts_kernels_may_be_unsafe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"deny\""));
    let mut all = Vec::new();
    for dir in ["src", "tests", "benches"] {
        sources(&root.join(dir), &mut all);
    }
    let (allow, keyword) = (concat!("allow(", "unsafe_code"), concat!("uns", "afe "));
    let mut allowed = Vec::new();
    for path in &all {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_string();
        if text.contains(allow) {
            allowed.push(name.clone());
        }
        // Each use says why it is sound, in the comment before it.
        if name.starts_with("src/inference/candle/ops/cuda") {
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let before = &lines[at.saturating_sub(4)..at];
                let told = before
                    .iter()
                    .any(|l| l.contains("SAFETY:") || l.contains("# Safety"));
                assert!(
                    !code.contains(keyword) || told,
                    "{name}:{}: no SAFETY comment",
                    at + 1
                );
            }
        }
    }
    assert_eq!(allowed, ["src/inference/candle/ops/cuda.rs"]);
    assert!(all.len() > 100);
}

/// Who may name standard output or standard error as a place to write to, and why.
const PRINTERS: [(&str, &str); 9] = [
    ("src/cli/out.rs", "cleans what every command writes"),
    (
        "src/cli/show.rs",
        "a picture's own bytes, and what is asked of the terminal",
    ),
    (
        "src/inference/worker/serve.rs",
        "moves the pipes of a worker away",
    ),
    (
        "src/inference/worker/tell.rs",
        "a cleaned line of a worker or its owner",
    ),
    ("src/owner/log.rs", "a cleaned line of the owner's log"),
    (
        "src/owner/server.rs",
        "the one line of JSON that a starting owner prints",
    ),
    (
        "src/pipeline/generate/build.rs",
        "a cleaned line of the owner's log",
    ),
    ("src/tui/lib.rs", "hands the terminal to the program"),
    (
        "src/tui/terminal/guard.rs",
        "takes the terminal and gives it back",
    ),
];

/// Lines of a source, without its tests, that write past what cleans: text that came from outside must not reach a terminal as it is.
fn prints(name: &str, source: &str) -> Vec<String> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let mut found = Vec::new();
    for (at, line) in source.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let macros = ["print!(", "println!(", "dbg!("]
            .iter()
            .any(|word| code.contains(word));
        let looks = code.contains("is_terminal()") || code.contains("WindowSize::of(");
        let called = |word: &str| {
            let before = code
                .split(word)
                .next()
                .and_then(|before| before.chars().next_back());
            code.contains(word) && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        };
        let stream = called("stdout()") || called("stderr()");
        let stream = stream && !looks && !PRINTERS.iter().any(|(file, _)| *file == name);
        let json = ["serde_json::to_string", "serde_json::to_vec", "to_writer("]
            .iter()
            .any(|word| code.contains(word));
        let json = json && name.starts_with("src/cli/") && name != "src/cli/out.rs";
        for (is, what) in [
            (macros, "a print macro"),
            (stream, "a stream"),
            (json, "JSON that is not escaped"),
        ] {
            if is {
                found.push(format!("{name}:{}: {what}", at + 1));
            }
        }
    }
    found
}

#[test]
fn nobody_writes_past_what_cleans() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    let mut found = Vec::new();
    for path in all {
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_string();
        let is_test = name.ends_with("tests.rs") || name.contains("/tests/");
        if !is_test {
            found.extend(prints(&name, &std::fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(
        found.is_empty(),
        "use cli::out, owner::log or model::clean:\n{}",
        found.join("\n")
    );
    for (file, why) in PRINTERS {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains("std") && !why.is_empty(), "{file}");
    }
}

#[test]
fn a_planted_print_is_found() {
    let planted = "use std::io::stdout;\nfn f() { println!(\"{x}\"); }\nfn g() { writeln!(io::stderr(), \"{x}\"); }\n\
                   fn h() { serde_json::to_string(&x) } // println!( is only named here\n\
                   fn i() { io::stdout().is_terminal() }\n#[cfg(test)]\nmod tests {\nfn f() { println!() }\n}\n";
    let found = [
        "src/cli/items.rs:2: a print macro",
        "src/cli/items.rs:3: a stream",
    ];
    assert_eq!(prints("src/cli/items.rs", planted)[..2], found);
    assert_eq!(
        prints("src/cli/items.rs", planted)[2..],
        ["src/cli/items.rs:4: JSON that is not escaped"]
    );
    assert_eq!(
        prints("src/cli/out.rs", planted),
        ["src/cli/out.rs:2: a print macro"]
    );
    assert_eq!(prints("src/owner/state.rs", planted).len(), 2);
}
