//! The floors of src/lib.rs: a crate uses only crates on lower floors.

use std::collections::{BTreeMap, BTreeSet};
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
    // Neighbors do not know each other.
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
fn below(room: &str, found: &mut BTreeSet<String>) {
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
        let mut found = BTreeSet::new();
        below(room, &mut found);
        assert!(found.contains(least), "{room}: {found:?}");
        for tower in ["store", "inference", "pipeline", "owner"] {
            assert!(!found.contains(tower), "{room} builds on {tower}");
        }
    }
    let mut found = BTreeSet::new();
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
        "src/inference/worker/messages.rs",
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

/// Tokens of a source without comments and literals, and without its tests.
fn tokens(source: &str) -> Vec<String> {
    let opens = |at: usize| {
        source[at..]
            .lines()
            .nth(1)
            .is_some_and(|l| l.ends_with('{'))
    };
    let mut tests = source.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at);
    let source = &source[..tests.find(|at| opens(*at)).unwrap_or(source.len())];
    let chars: Vec<char> = source.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut found, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        match chars[at] {
            '/' if next == '/' => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
            }
            '"' => {
                at += 1;
                while at < chars.len() && chars[at] != '"' {
                    at += 1 + usize::from(chars[at] == '\\');
                }
                at += 1;
            }
            'r' if next == '"' || next == '#' && chars.get(at + 2) == Some(&'"') => {
                let end = if next == '#' { "\"#" } else { "\"" };
                let text: String = chars[at + 1 + end.len()..].iter().collect();
                let length = text.find(end).map_or(text.len(), |n| n + end.len());
                at += 1 + end.len() + text[..length].chars().count();
            }
            '\'' if next == '\\' || chars.get(at + 2) == Some(&'\'') => {
                at += 2 + usize::from(next == '\\');
                while at < chars.len() && chars[at] != '\'' {
                    at += 1;
                }
                at += 1;
            }
            ':' if next == ':' => {
                found.push("::".to_string());
                at += 2;
            }
            c if is_word(c) => {
                let word: String = chars[at..].iter().take_while(|c| is_word(**c)).collect();
                at += word.chars().count();
                found.push(word);
            }
            c => {
                if !c.is_whitespace() {
                    found.push(c.to_string());
                }
                at += 1;
            }
        }
    }
    found
}

/// The path and the local name of each leaf of a `use` tree; `*` is a leaf as well.
fn leaves(tree: &[String], prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    let mut at = 0;
    while at < tree.len() {
        match tree[at].as_str() {
            "::" => {}
            "{" => {
                let (mut depth, mut from) = (0, at + 1);
                for (i, token) in tree.iter().enumerate().skip(at) {
                    match token.as_str() {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 || depth == 1 && token == "," {
                        if from < i {
                            leaves(&tree[from..i], &path, found);
                        }
                        from = i + 1;
                    }
                    if depth == 0 {
                        return;
                    }
                }
                return;
            }
            "as" => {
                let name = tree.get(at + 1).cloned().unwrap_or_default();
                found.push((path, name));
                return;
            }
            word => path.push(word.to_string()),
        }
        at += 1;
    }
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = path.last().cloned().unwrap_or_default();
    found.push((path, name));
}

#[derive(Default)]
struct Source {
    /// Local name and path of what it imports; whether it passes the name on.
    imports: Vec<(String, Vec<String>, bool)>,
    paths: Vec<Vec<String>>,
    defines: BTreeSet<String>,
}

fn source_of(text: &str) -> Source {
    let tokens = tokens(text);
    let mut source = Source::default();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        if token == "use" {
            let end = at + tokens[at..].iter().position(|t| t == ";").unwrap_or(1);
            let passes = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
            let mut found = Vec::new();
            leaves(&tokens[at + 1..end], &[], &mut found);
            let found = found.into_iter().map(|(path, name)| (name, path, passes));
            source.imports.extend(found);
            at = end + 1;
            continue;
        }
        let kinds = ["struct", "enum", "trait", "type", "fn", "const", "static"];
        if kinds.contains(&token) && at + 1 < tokens.len() {
            source.defines.insert(tokens[at + 1].clone());
        }
        let is_word = |token: &String| token.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mut path = vec![tokens[at].clone()];
        let mut end = at + 1;
        if is_word(&tokens[at]) && (at == 0 || tokens[at - 1] != "::") {
            while end + 1 < tokens.len() && tokens[end] == "::" && is_word(&tokens[end + 1]) {
                path.push(tokens[end + 1].clone());
                end += 2;
            }
        }
        if path.len() > 1 {
            source.paths.push(path);
        }
        at = end;
    }
    source
}

type Module = Vec<String>;

/// The path from the root of the crate; none where it leads out of the crate.
fn absolute(sources: &BTreeMap<Module, Source>, here: &Module, path: &[String]) -> Option<Module> {
    let mut base = here.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        word => {
            let child = [here.as_slice(), &[word.to_string()]].concat();
            sources.get(&child)?;
        }
    }
    Some([base.as_slice(), rest].concat())
}

/// The file that defines what a path names, whatever passes the name on.
fn defined(sources: &BTreeMap<Module, Source>, path: &Module, depth: usize) -> Option<Module> {
    let cut = (0..=path.len())
        .rev()
        .find(|n| sources.contains_key(&path[..*n]))?;
    let (module, rest) = (path[..cut].to_vec(), &path[cut..]);
    let source = &sources[&module];
    let Some(name) = rest.first() else {
        return Some(module);
    };
    if source.defines.contains(name) || depth > 8 {
        return Some(module);
    }
    if let Some((_, to, _)) = source.imports.iter().find(|(local, ..)| local == name) {
        let to = absolute(sources, &module, to)?;
        return defined(sources, &[to.as_slice(), &rest[1..]].concat(), depth + 1);
    }
    for (_, to, _) in source.imports.iter().filter(|(local, ..)| local == "*") {
        let to = absolute(sources, &module, &to[..to.len() - 1]);
        if let Some(to) = to.filter(|to| sources.get(to).is_some_and(|s| s.defines.contains(name)))
        {
            return Some(to);
        }
    }
    Some(module)
}

/// The files that each file of a crate needs. A re-export needs nothing, and a test is no need of its file.
fn needs(room: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut all = Vec::new();
    sources(room, &mut all);
    let mut modules = BTreeMap::new();
    for path in all {
        let name = path.strip_prefix(room).unwrap().with_extension("");
        let mut module: Module = name
            .iter()
            .map(|n| n.to_str().unwrap().to_string())
            .collect();
        if ["mod", "lib"].contains(&module.last().unwrap().as_str()) {
            module.pop();
        }
        if !module.iter().any(|n| n.contains("test") || n == "fixtures") {
            modules.insert(module, source_of(&std::fs::read_to_string(&path).unwrap()));
        }
    }
    let mut found = BTreeMap::new();
    for (here, source) in &modules {
        let mut needed = BTreeSet::new();
        let mut locals = BTreeMap::new();
        let mut paths: Vec<Module> = Vec::new();
        for (local, path, passes) in &source.imports {
            let bare = path.strip_suffix(&["*".to_string()]).unwrap_or(path);
            let Some(path) = absolute(&modules, here, bare) else {
                continue;
            };
            locals.insert(local.clone(), path.clone());
            if !passes && (local == "*" || !modules.contains_key(&path)) {
                paths.push(path);
            }
        }
        for path in &source.paths {
            let from_local = || Some([locals.get(&path[0])?.as_slice(), &path[1..]].concat());
            let path = absolute(&modules, here, path).or_else(from_local);
            paths.extend(path.filter(|path| !modules.contains_key(path)));
        }
        let files = paths.iter().filter_map(|path| defined(&modules, path, 0));
        needed.extend(files.filter(|file| file != here));
        found.insert(here.clone(), needed);
    }
    found
}

/// Files that need each other, directly or through others, where more than two do.
fn circles(needs: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            for to in needs.get(file).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        needs.keys().map(|file| (file, reach(file))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (file, to) in &reached {
        let circle: BTreeSet<Module> = to
            .iter()
            .filter(|other| reached[other].contains(*file))
            .cloned()
            .collect();
        if circle.len() > 2 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

#[test]
fn no_circle_has_more_than_two_files() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for room in floors().into_keys() {
        for circle in circles(&needs(&src.join(&room))) {
            let names: Vec<String> = circle.iter().map(|file| file.join("::")).collect();
            found.push(format!("{room}: {}", names.join(", ")));
        }
    }
    assert!(
        found.is_empty(),
        "files that need each other:\n{}",
        found.join("\n")
    );
}

#[test]
fn a_planted_circle_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "lib.rs",
        "pub mod a;\npub mod b;\npub mod c;\nmod d;\npub use a::A;\n",
    );
    write("a.rs", "use crate::b::{self, B};\npub struct A(B);\n");
    write(
        "b.rs",
        "//! crate::d::D is only named here\npub struct B;\nfn f() { super::c::g(\"crate::d::D\") }\n",
    );
    write("c.rs", "use super::A;\npub fn g() {}\n");
    write(
        "d.rs",
        "pub struct D(crate::A);\n#[cfg(test)]\nmod tests {\nuse crate::c::g;\n}\n",
    );
    let found = circles(&needs(dir.path()));
    let circle = ["a", "b", "c"].map(|file| vec![file.to_string()]);
    assert_eq!(found, [BTreeSet::from(circle)]);
    write("c.rs", "pub fn g() {}\n");
    assert!(circles(&needs(dir.path())).is_empty());
}

/// Whether the table of modules or files of a source differs from its `mod` lines. Modules of tests need no row.
fn table_faults(source: &str) -> Vec<String> {
    let rows: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").next())
        .flat_map(|names| names.split('`').skip(1).step_by(2))
        .collect();
    let mut modules = Vec::new();
    let mut is_test = false;
    for line in source.lines().filter(|line| !line.starts_with("//")) {
        let words = line.strip_suffix(';').unwrap_or_default();
        let mut words = words.split_whitespace().rev();
        if let (Some(name), Some("mod")) = (words.next(), words.next())
            && !is_test
        {
            modules.push(name);
        }
        is_test = line.trim() == "#[cfg(test)]";
    }
    let mut faults = Vec::new();
    for name in &modules {
        if !rows.contains(name) {
            faults.push(format!("`{name}` has no row"));
        }
    }
    for (at, name) in rows.iter().enumerate() {
        if !modules.contains(name) {
            faults.push(format!("the row `{name}` names no module"));
        } else if rows[..at].contains(name) {
            faults.push(format!("`{name}` has two rows"));
        }
    }
    faults
}

#[test]
fn every_module_has_a_row_in_the_table_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&src, &mut all);
    let crates: Vec<_> = floors()
        .keys()
        .map(|c| src.join(c).join("lib.rs"))
        .collect();
    let mut found = Vec::new();
    for path in all {
        let source = std::fs::read_to_string(&path).unwrap();
        let has_table = source.contains("//! | module | ") || source.contains("//! | file | ");
        assert!(has_table || !crates.contains(&path), "{}", path.display());
        if has_table {
            let faults = table_faults(&source).into_iter();
            found.extend(faults.map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_planted_row_and_a_missing_row_are_found() {
    let planted = "//! | module | contents |\n//! |---|---|\n//! | [`a`] | one, with `b` |\n//! | `gone` | two |\n\
                   pub mod a;\nmod b;\n#[cfg(test)]\nmod tests;\npub(crate) mod c;\n// mod d;\n";
    assert_eq!(
        table_faults(planted),
        [
            "`b` has no row",
            "`c` has no row",
            "the row `gone` names no module"
        ]
    );
}

/// The rows of the table of floors, without the brackets of links.
fn floor_rows(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    text.lines()
        .map(|line| line.trim_start_matches("//! ").replace(['[', ']'], ""))
        .skip_while(|line| line != "| floor | crate | content |")
        .take_while(|line| line.starts_with('|'))
        .collect()
}

#[test]
fn the_architecture_shows_the_floors_of_the_crate() {
    let rows = floor_rows("src/lib.rs");
    assert_eq!(rows.len(), 2 + floors().len());
    assert_eq!(rows, floor_rows("docs/architecture.md"));
}

/// Paths of the repository in the documentation that lead nowhere, and names with a type in front that no source has.
fn lost_names(root: &Path, text: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let names = text.split('`').skip(1).step_by(2);
    for name in names.filter(|name| !name.contains(char::is_whitespace)) {
        let folders = ["src/", "tests/", "benches/"];
        let is_path = folders.iter().any(|folder| name.starts_with(folder));
        let is_pattern = name.contains(['*', '{']) || name.contains("NAME");
        if is_path && !is_pattern && !root.join(name).exists() {
            found.push(name.to_string());
        }
        let Some((kind, member)) = name.rsplit_once("::") else {
            continue;
        };
        let kind = kind.rsplit("::").next().unwrap_or_default();
        let written = [
            format!("{kind}::{member}"),
            format!("fn {member}"),
            format!("pub {member}:"),
        ];
        // The sources are megabytes, and `str::contains` is not optimized in tests.
        let has = |w: &String| memchr::memmem::find(code.as_bytes(), w.as_bytes()).is_some();
        if kind.starts_with(char::is_uppercase) && !written.iter().any(has) {
            found.push(name.to_string());
        }
    }
    found
}

/// Names that the documentation places in a file of the repository, "`name` (`src/...`)" or "`name` in `src/...`", and that
/// this file does not have.
fn misplaced_names(root: &Path, text: &str) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.split('`').collect();
    let mut found = Vec::new();
    for place in parts.windows(3).skip(1).step_by(2) {
        let &[name, " (" | " in ", path] = place else {
            continue;
        };
        let last = name.trim_end_matches("()").rsplit("::").next().unwrap();
        let is_name = last.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name || !path.ends_with(".rs") {
            continue;
        }
        let source = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let is_word = |word: &str| word == last;
        if !source
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(is_word)
        {
            found.push(format!("{name} in {path}"));
        }
    }
    found
}

#[test]
fn names_in_the_documentation_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let code: String = all.iter().map(|path| read(path)).collect();
    let mut pages = vec![root.join("CONTRIBUTING.md"), root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    pages.extend(docs.map(|entry| entry.unwrap().path()));
    let mut found = Vec::new();
    for page in pages
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
    {
        let text = read(page);
        let lost = lost_names(root, &text, &code).into_iter();
        let lost = lost.chain(misplaced_names(root, &text));
        found.extend(lost.map(|lost| format!("{}: {lost}", page.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let planted =
        "`src/lib.rs`, `src/gone.rs`, `Event::Rules`, `Event::Gone`, `App::handle`, `src/*.rs`";
    assert_eq!(
        lost_names(root, planted, &code),
        ["src/gone.rs", "Event::Gone"]
    );
    let planted = "`clock::now` (`src/owner/clock.rs`), `Clock::gone` in\n`src/owner/clock.rs`, `gone` in `tests/support/`";
    let misplaced = ["Clock::gone in src/owner/clock.rs"];
    assert_eq!(misplaced_names(root, planted), misplaced);
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let needle = concat!("/ro", "ot/");
    let folders = [
        "src", "tests", "docs", "benches", "metadata", "themes", ".ci",
    ];
    let mut folders: Vec<_> = folders.iter().map(|name| root.join(name)).collect();
    let (mut read, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                read += 1;
                if text.contains(needle) {
                    found.push(path.display().to_string());
                }
            }
        }
    }
    assert!(read > 1000, "{read} files");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
