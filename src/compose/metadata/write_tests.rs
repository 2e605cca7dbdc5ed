//! Tests of writings.

use super::*;

const MINE: &str = "version = 1\nabout = \"mine\"\ntemperature = 0.7\nroles = [\"a child\", \"a poet\"]\nprompt = \"Put `{question}` in the words of {role}, at most {words}.\"\n[answer]\nread = \"text\"\nwords = 40\n";

fn fields() -> Fields {
    Fields::from([
        ("question", "Which animal is it?".to_string()),
        ("options", "A. cat\nB. dog".to_string()),
        ("answer", "A".to_string()),
        ("width", "641".to_string()),
        ("height", "427".to_string()),
    ])
}

#[test]
fn the_shipped_writings_are_valid_and_every_strategy_has_one() {
    let names: Vec<&str> = shipped_writings().keys().map(String::as_str).collect();
    let shipped = benchtop_model::metafile::shipped();
    let files = shipped.filter(|f| writing_of(&f.name).is_some());
    assert_eq!(files.count(), names.len(), "{names:?}");
    for strategy in ["l1", "l2", "l3", "l4", "v1", "v2"] {
        let name = names
            .iter()
            .find(|n| n.starts_with(&format!("vlb-{strategy}-")));
        let writing = &shipped_writings()[*name.unwrap()];
        writing.ask(&fields(), (1, 7), 100).unwrap();
    }
}

#[test]
fn each_request_is_another_one() {
    let (mine, found) = parse("mine", "write/mine.toml", MINE);
    let mine = mine.unwrap_or_else(|| panic!("{found:?}"));
    let of = |ask, seed| mine.ask(&fields(), (ask, seed), 64).unwrap();
    let (first, second) = (of(1, 8), of(2, 8));
    assert_eq!(
        first.sampling,
        Some(Sampling {
            seed: 8,
            temperature: 0.7
        })
    );
    assert_eq!(
        second.sampling,
        Some(Sampling {
            seed: 8,
            temperature: 0.8
        })
    );
    assert!(first.prompt.contains("a poet") && second.prompt.contains("a child"));
    assert!(first.prompt.contains("at most 40"));
    let hot = of(900, 8).sampling.unwrap();
    assert_eq!(hot.temperature, 2.0);
    assert_eq!(mine.ask(&Fields::new(), (1, 0), 64), Err("question"));
}

#[test]
fn wrong_files_are_found_with_their_lines() {
    for (from, to, line) in [
        ("0.7", "2.5", 3),
        ("words = 40", "words = 0", 8),
        ("words = 40", "count = 4", 8),
        ("words = 40", "", 6),
        ("[\"a child\", \"a poet\"]", "[]", 4),
        ("roles = [\"a child\", \"a poet\"]\n", "", 4),
        ("{question}", "{quest}", 5),
        ("version = 1", "version = 0", 1),
        ("read = \"text\"", "read = \"song\"", 7),
    ] {
        let (writing, found) = parse("mine", "write/mine.toml", &MINE.replace(from, to));
        assert!(writing.is_none(), "{to}");
        let places: Vec<u32> = found.iter().map(|f| f.line).collect();
        assert!(places.contains(&line), "{to}: {found:?}");
    }
}
