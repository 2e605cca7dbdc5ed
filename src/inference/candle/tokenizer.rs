//! CLIP's tokenizer: byte-level BPE on lowercase text (Radford et al. 2021), as in transformers'
//! `CLIPTokenizer`. Long prompts are split into chunks.

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Map, Value, json};
use tokenizers::{AddedToken, Tokenizer};

use benchtop_model::error::{Error, Result};
use benchtop_model::sorting::sort_by_key;

/// Default chunk length in tokens. `tokenizer_config.json` may set another.
const LENGTH: u64 = 77;

/// The pattern with which `CLIPTokenizer` splits a text into words before BPE.
const WORDS: &str =
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";

/// The named special tokens, with transformers' defaults.
const NAMED: [(&str, &str); 4] = [
    ("bos_token", "<|startoftext|>"),
    ("eos_token", "<|endoftext|>"),
    ("unk_token", "<|endoftext|>"),
    ("pad_token", "<|endoftext|>"),
];

/// The token ids of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenizedPrompt {
    /// At least one chunk of the encoder's length, each with start and end token and padding.
    pub chunks: Vec<Vec<u32>>,
    /// Number of tokens of the prompt, without special tokens and padding.
    pub tokens: usize,
}

impl TokenizedPrompt {
    /// A note for the user if the prompt is longer than one chunk.
    pub fn note(&self) -> Option<String> {
        let room = self.chunks.first().map_or(0, Vec::len).saturating_sub(2);
        let parts = self.tokens.div_ceil(room.max(1));
        (parts > 1).then(|| {
            format!(
                "the prompt has {} tokens and was split into {parts} parts of {room}",
                self.tokens
            )
        })
    }
}

/// A CLIP tokenizer with its special tokens.
pub struct ClipTokenizer {
    tokenizer: Tokenizer,
    begin: u32,
    pub end: u32,
    /// The id of the padding token.
    pub pad: u32,
    /// Tokens per chunk, including special tokens.
    pub length: usize,
}

impl ClipTokenizer {
    /// Reads the `tokenizer` folder of a checkpoint: the vocabulary from `tokenizer.json`, or from
    /// `vocab.json` and `merges.txt`; special tokens and length from `tokenizer_config.json`,
    /// `special_tokens_map.json`, and `added_tokens.json`, if they exist.
    pub fn open(folder: &Path) -> Result<ClipTokenizer> {
        let config = object(&folder.join("tokenizer_config.json"))?.unwrap_or_default();
        let named = object(&folder.join("special_tokens_map.json"))?.unwrap_or_default();
        let length = config
            .get("model_max_length")
            .and_then(Value::as_u64)
            .filter(|n| *n <= 1 << 16)
            .unwrap_or(LENGTH);
        if length < 3 {
            let problem = Error::input(format!(
                "{length} leaves no room between the special tokens"
            ));
            return Err(problem
                .file(folder.join("tokenizer_config.json"))
                .field("model_max_length"));
        }
        let whole = folder.join("tokenizer.json");
        let (file, mut vocabulary) = match object(&whole)? {
            Some(parts) => (whole.clone(), parts),
            None => (folder.join("vocab.json"), two_files(folder)?),
        };
        let legacy = object(&folder.join("added_tokens.json"))?.unwrap_or_default();
        let added = added_tokens(&config, &named, &vocabulary, &legacy)
            .map_err(|problem| problem.file(folder))?;
        let of = |name: &str| {
            added
                .iter()
                .find(|a| a.name == name)
                .map(|a| a.token.content.as_str())
                .unwrap_or_default()
        };
        let model = vocabulary.remove("model").unwrap_or_default();
        let tokenizer =
            assemble(model, of("unk_token")).and_then(|tokenizer| complete(tokenizer, &added));
        let tokenizer = tokenizer.map_err(|problem| problem.file(&file))?;
        let id = |name: &str| {
            let missing = || {
                Error::input(format!("the vocabulary has no `{}`", of(name)))
                    .file(&file)
                    .field(name)
            };
            tokenizer.token_to_id(of(name)).ok_or_else(missing)
        };
        let (begin, end, pad) = (id("bos_token")?, id("eos_token")?, id("pad_token")?);
        Ok(ClipTokenizer {
            begin,
            end,
            pad,
            length: length as usize,
            tokenizer,
        })
    }

    /// All token ids of `text`, without special tokens and padding.
    pub fn ids(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(wrong)?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Tokenizes `text` into as many chunks as it needs.
    pub fn prompt(&self, text: &str) -> Result<TokenizedPrompt> {
        let ids = self.ids(text)?;
        let mut chunks: Vec<Vec<u32>> = ids
            .chunks(self.length - 2)
            .map(|part| self.chunk(part))
            .collect();
        if chunks.is_empty() {
            chunks.push(self.chunk(&[]));
        }
        Ok(TokenizedPrompt {
            chunks,
            tokens: ids.len(),
        })
    }

    /// Pads all `prompts` with empty chunks to the number of the longest. The U-Net needs the same
    /// length for a prompt and its negative prompt, and for all prompts of a batch.
    pub fn level(&self, prompts: &mut [TokenizedPrompt]) {
        let most = prompts
            .iter()
            .map(|p| p.chunks.len())
            .max()
            .unwrap_or_default();
        for prompt in prompts {
            prompt.chunks.resize_with(most, || self.chunk(&[]));
        }
    }

    fn chunk(&self, ids: &[u32]) -> Vec<u32> {
        let marked = std::iter::once(self.begin)
            .chain(ids.iter().copied())
            .chain([self.end]);
        marked
            .chain(std::iter::repeat(self.pad))
            .take(self.length)
            .collect()
    }
}

fn wrong(error: tokenizers::Error) -> Error {
    Error::input(format!("is not a CLIP tokenizer: {error}"))
}

/// A token that is matched before the text is split into words.
struct Added {
    /// Name of the special token, such as `bos_token`, or empty.
    name: &'static str,
    /// The required id, if the file has one.
    id: Option<u64>,
    token: AddedToken,
}

/// The JSON object in `path`. `None` if there is no such file.
fn object(path: &Path) -> Result<Option<Map<String, Value>>> {
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|e| Error::io(&e, "cannot read", path))?,
    };
    let parsed = serde_json::from_str(&text);
    parsed.map(Some).map_err(|e| {
        Error::input(format!("is not a JSON object: {e}"))
            .file(path)
            .line(e.line() as u64)
    })
}

/// Converts `vocab.json` and `merges.txt` to the `model` of a `tokenizer.json`.
fn two_files(folder: &Path) -> Result<Map<String, Value>> {
    let path = folder.join("vocab.json");
    let Some(vocab) = object(&path)? else {
        let problem =
            Error::not_found("the folder has neither tokenizer.json nor vocab.json").file(folder);
        return Err(problem.help("add tokenizer.json, or vocab.json and merges.txt"));
    };
    let path = folder.join("merges.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| Error::io(&e, "cannot read", &path))?;
    let mut merges = Vec::new();
    for (at, line) in text.lines().enumerate() {
        match line.split_once(' ') {
            _ if line.starts_with("#version") || line.is_empty() => {}
            Some((left, right)) if !right.contains(' ') => merges.push(json!([left, right])),
            _ => {
                let problem = Error::input(format!("`{line}` is not a merge of two tokens"));
                return Err(problem.file(path).line(at as u64 + 1));
            }
        }
    }
    Ok(Map::from_iter([(
        "model".to_string(),
        json!({"vocab": vocab, "merges": merges}),
    )]))
}

/// Builds the tokenizer from the vocabulary and the merges. Everything else in the `model` of the
/// file is ignored, as in transformers.
fn assemble(mut model: Value, unknown: &str) -> Result<Tokenizer> {
    let mut part = |name| model.get_mut(name).map(Value::take).unwrap_or_default();
    let (vocab, merges) = (part("vocab"), part("merges"));
    if !vocab.is_object() || !merges.is_array() {
        return Err(
            Error::input("is not a byte-level BPE: `vocab` or `merges` is missing").field("model"),
        );
    }
    let whole = json!({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "NFC"},
            {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            {"type": "Lowercase"},
        ]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Removed", "invert": true},
            {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        ]},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": unknown, "continuing_subword_prefix": "",
            "end_of_word_suffix": "</w>", "fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": merges,
        },
    });
    serde_json::from_value(whole)
        .map_err(|e| Error::input(format!("is not a CLIP tokenizer: {e}")).field("model"))
}

/// Adds the tokens, and checks that each gets the id that the model was trained with.
fn complete(mut tokenizer: Tokenizer, added: &[Added]) -> Result<Tokenizer> {
    let mismatch = |said: String, name: &str| {
        let problem =
            Error::input(said).help("the files of the tokenizer folder belong to different models");
        if name.is_empty() {
            problem
        } else {
            problem.field(name)
        }
    };
    for Added { name, id, token } in added {
        let content = &token.content;
        if id.is_none() && tokenizer.token_to_id(content).is_none() {
            return Err(mismatch(format!("the vocabulary has no `{content}`"), name));
        }
        tokenizer.add_tokens([token.clone()]).map_err(wrong)?;
        let got = tokenizer.token_to_id(content).map(u64::from);
        if id.is_some() && *id != got {
            let ids = [id, &got].map(|id| id.map_or("none".to_string(), |id| id.to_string()));
            return Err(mismatch(
                format!(
                    "`{content}` must have the id {}, but has {}",
                    ids[0], ids[1]
                ),
                name,
            ));
        }
    }
    Ok(tokenizer)
}

/// The added tokens in transformers' order: the listed ones, then the named ones. If a token is
/// added twice, the last flags count.
fn added_tokens(
    config: &Map<String, Value>,
    named: &Map<String, Value>,
    whole: &Map<String, Value>,
    legacy: &Map<String, Value>,
) -> Result<Vec<Added>> {
    let listed = config
        .get("added_tokens_decoder")
        .and_then(Value::as_object);
    let mut added = Vec::new();
    let mut add = |field: &str, id: Option<u64>, value: &Value| -> Result<()> {
        let none = || Error::input(format!("the token `{value}` has no id")).field(field);
        added.push(Added {
            name: "",
            id: Some(id.ok_or_else(none)?),
            token: added_token(field, value)?,
        });
        Ok(())
    };
    if let Some(listed) = listed {
        listed
            .iter()
            .try_for_each(|(id, value)| add("added_tokens_decoder", id.parse().ok(), value))?;
    } else {
        let values = whole.get("added_tokens").and_then(Value::as_array);
        for value in values.into_iter().flatten() {
            add(
                "added_tokens",
                value.get("id").and_then(Value::as_u64),
                value,
            )?;
        }
        for (content, id) in legacy {
            add(
                "added_tokens.json",
                id.as_u64(),
                &json!({"content": content, "special": false}),
            )?;
        }
    }
    sort_by_key(&mut added, |a| a.id);
    for (name, default) in NAMED {
        // The map of older files counts only if the configuration lists no tokens.
        let map = named.get(name).filter(|_| listed.is_none());
        let value = map
            .or_else(|| config.get(name))
            .filter(|v| !v.is_null())
            .cloned();
        let mut token = added_token(name, &value.unwrap_or_else(|| json!(default)))?;
        if let Some(known) = added
            .iter()
            .find(|a| a.name.is_empty() && a.token.content == token.content)
        {
            token = known.token.clone();
        }
        token.special = true;
        added.push(Added {
            name,
            id: None,
            token,
        });
    }
    Ok(added)
}

/// Parses a token: a string, or an object with flags.
fn added_token(field: &str, value: &Value) -> Result<AddedToken> {
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let content = value
        .as_str()
        .or_else(|| value.get("content").and_then(Value::as_str));
    let Some(content) = content.filter(|c| !c.is_empty()) else {
        return Err(Error::input(format!("`{value}` is not a token")).field(field));
    };
    let special = flag("special").unwrap_or(true);
    Ok(AddedToken::from(content, special)
        .single_word(flag("single_word").unwrap_or(false))
        .lstrip(flag("lstrip").unwrap_or(false))
        .rstrip(flag("rstrip").unwrap_or(false))
        .normalized(flag("normalized").unwrap_or(!special)))
}
