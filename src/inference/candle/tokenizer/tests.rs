use super::*;

/// A folder with a minimal vocabulary for "cat" and "!".
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let vocab = r#"{"!": 0, "c": 1, "a": 2, "t": 3, "t</w>": 4, "!</w>": 5, "at</w>": 6, "cat</w>": 7,
        "<|startoftext|>": 8, "<|endoftext|>": 9}"#;
    write(&dir, "vocab.json", vocab);
    write(&dir, "merges.txt", "#version: 0.2\na t</w>\nc at</w>\n");
    write(&dir, "tokenizer_config.json", r#"{"model_max_length": 6}"#);
    dir
}

fn write(dir: &tempfile::TempDir, name: &str, text: &str) {
    std::fs::write(dir.path().join(name), text).unwrap();
}

fn open(dir: &tempfile::TempDir) -> ClipTokenizer {
    ClipTokenizer::open(dir.path()).unwrap()
}

#[test]
fn prompts_get_special_tokens_and_padding() {
    let tokenizer = open(&folder());
    assert_eq!((tokenizer.end, tokenizer.pad, tokenizer.length), (9, 9, 6));
    let cat = tokenizer.prompt("Cat!").unwrap();
    assert_eq!(
        cat,
        TokenizedPrompt {
            chunks: vec![vec![8, 7, 5, 9, 9, 9]],
            tokens: 2
        }
    );
    assert_eq!(cat.note(), None);
    let empty = tokenizer.prompt("").unwrap();
    assert_eq!(
        empty,
        TokenizedPrompt {
            chunks: vec![vec![8, 9, 9, 9, 9, 9]],
            tokens: 0
        }
    );
}

#[test]
fn long_prompts_are_split_and_partners_padded() {
    let dir = folder();
    write(&dir, "special_tokens_map.json", r#"{"pad_token": "!"}"#);
    let tokenizer = open(&dir);
    assert_eq!(tokenizer.pad, 0);
    let mut pair = ["cat cat cat cat", "cat cat cat cat cat cat cat cat cat"]
        .map(|t| tokenizer.prompt(t).unwrap());
    // Four tokens fit between the special tokens, so the fifth starts another chunk.
    assert_eq!(pair[0].chunks, [[8, 7, 7, 7, 7, 9]]);
    assert_eq!(
        pair[1].chunks,
        [[8, 7, 7, 7, 7, 9], [8, 7, 7, 7, 7, 9], [8, 7, 9, 0, 0, 0]]
    );
    assert_eq!(
        pair[1].note().unwrap(),
        "the prompt has 9 tokens and was split into 3 parts of 4"
    );
    tokenizer.level(&mut pair);
    assert_eq!(
        pair[0].chunks,
        [[8, 7, 7, 7, 7, 9], [8, 9, 0, 0, 0, 0], [8, 9, 0, 0, 0, 0]]
    );
    // The short prompt has no note, although it was padded.
    assert_eq!((pair[0].tokens, pair[0].note()), (4, None));
    tokenizer.level(&mut []);
}

#[test]
fn one_file_equals_two_files() {
    let (dir, one) = (folder(), tempfile::tempdir().unwrap());
    let whole = two_files(dir.path()).unwrap();
    write(
        &one,
        "tokenizer.json",
        &serde_json::to_string(&whole).unwrap(),
    );
    write(&one, "tokenizer_config.json", r#"{"model_max_length": 6}"#);
    assert_eq!(
        open(&one).prompt("a cat!").unwrap(),
        open(&dir).prompt("a cat!").unwrap()
    );
}

#[test]
fn default_length_is_that_of_clip() {
    let dir = folder();
    for config in [
        "{}",
        r#"{"model_max_length": 1000000000000000019884624838656}"#,
        r#"{"model_max_length": null}"#,
    ] {
        write(&dir, "tokenizer_config.json", config);
        assert_eq!(open(&dir).length, 77);
    }
}

#[test]
fn errors_name_invalid_files() {
    let refused = |name: &str, text: Option<&str>| {
        let dir = folder();
        match text {
            Some(text) => write(&dir, name, text),
            None => std::fs::remove_file(dir.path().join(name)).unwrap(),
        }
        ClipTokenizer::open(dir.path()).err().unwrap().to_string()
    };
    for (name, text, says) in [
        ("vocab.json", None, "neither tokenizer.json nor vocab.json"),
        ("merges.txt", None, "merges.txt: cannot read"),
        (
            "vocab.json",
            Some("[1]"),
            "vocab.json:1: is not a JSON object",
        ),
        (
            "vocab.json",
            Some("{\"a\": \"b\"}"),
            "vocab.json: field `model`: is not a CLIP tokenizer",
        ),
        (
            "vocab.json",
            Some("{\"a\": 0}"),
            "vocab.json: field `model`: is not a CLIP tokenizer",
        ),
        (
            "merges.txt",
            Some("#version: 0.2\na t</w>\nbroken\n"),
            "merges.txt:3: `broken` is not a merge of two tokens",
        ),
        ("merges.txt", Some("a t </w>\n"), "merges.txt:1: `a t </w>`"),
        ("merges.txt", Some("a z\n"), "is not a CLIP tokenizer"),
        (
            "tokenizer.json",
            Some("{}"),
            "tokenizer.json: field `model`: is not a byte-level BPE",
        ),
        (
            "tokenizer.json",
            Some("{\"model\": []}"),
            "is not a byte-level BPE",
        ),
        (
            "tokenizer_config.json",
            Some("{\"model_max_length\": 2}"),
            "field `model_max_length`: 2 leaves no room",
        ),
        (
            "tokenizer_config.json",
            Some("{\"bos_token\": 5}"),
            "field `bos_token`: `5` is not a token",
        ),
        (
            "tokenizer_config.json",
            Some("{\"added_tokens_decoder\": {\"0\": {}}}"),
            "field `added_tokens_decoder`",
        ),
        (
            "tokenizer_config.json",
            Some(r#"{"eos_token": "<eos>"}"#),
            "`eos_token`: the vocabulary has no `<eos>`",
        ),
        (
            "tokenizer_config.json",
            Some(r#"{"added_tokens_decoder": {"1": {"content": "!"}}}"#),
            "must have the id 1, but has 0",
        ),
        (
            "added_tokens.json",
            Some(r#"{"<toy>": 12}"#),
            "`<toy>` must have the id 12, but has 10",
        ),
        (
            "added_tokens.json",
            Some(r#"{"<toy>": "12"}"#),
            "field `added_tokens.json`",
        ),
        (
            "special_tokens_map.json",
            Some("{"),
            "special_tokens_map.json:1: is not a JSON object",
        ),
    ] {
        let said = refused(name, text);
        assert!(said.contains(says), "{name} {text:?}: {said}");
    }
}
