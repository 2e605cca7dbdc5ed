//! Derives manifest entries from the segments themselves.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::Path;

use super::Hints;
use crate::columns::id_hash;
use crate::manifest::{Content, Segment};
use crate::segment::Reader;
use benchtop_model::{Error, Form, Item, Prediction, Result};

/// The items of the project.
#[derive(Default)]
pub(super) struct Contents {
    ids: HashSet<u64>,
    /// The form of the questions with a key, by the hash of the key's JSON.
    forms: HashMap<u64, Form>,
}

fn corrupt(what: impl Into<String>) -> Error {
    Error::corrupt(what)
}

impl Contents {
    /// Reads the items of these parts.
    pub(super) fn read<'p>(
        &mut self,
        imports: &Path,
        parts: impl Iterator<Item = &'p Segment>,
    ) -> Result<()> {
        for part in parts.filter(|part| matches!(part.holds, Content::Items { .. })) {
            let path = imports.join(&part.file);
            // A missing segment is reported when the project is opened.
            if path.exists() {
                rows(&Reader::scan(&path, part.rows)?, &mut |line| {
                    self.add(&item(line)?).map(drop)
                })?;
            }
        }
        Ok(())
    }

    /// Adds an item. Returns whether it is new.
    fn add(&mut self, item: &Item) -> Result<bool> {
        self.forms.insert(key(&item.key)?, item.form);
        Ok(self.ids.insert(id_hash(&item.id)))
    }
}

fn key(key: &benchtop_model::Key) -> Result<u64> {
    serde_json::to_string(key)
        .map(|key| id_hash(&key))
        .map_err(|e| corrupt(format!("cannot serialize a key: {e}")))
}

fn item(line: &[u8]) -> Result<Item> {
    serde_json::from_slice(line)
        .map_err(|e| corrupt(format!("the segment has a row that is not an item: {e}")))
}

/// Calls `each` with every row of a segment. Returns the number of rows.
fn rows(reader: &Reader, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<u64> {
    let mut rows = 0;
    for frame in 0..reader.frames.len() {
        let text = reader.frame(frame)?;
        for line in text.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            each(line)?;
            rows += 1;
        }
    }
    Ok(rows)
}

fn blake3_of(path: &Path) -> Result<(String, u64)> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", path);
    let mut hasher = blake3::Hasher::new();
    let file = File::open(path).map_err(fail)?;
    let bytes = std::io::copy(
        &mut std::io::BufReader::with_capacity(1 << 20, file),
        &mut hasher,
    )
    .map_err(fail)?;
    Ok((hasher.finalize().to_hex().to_string(), bytes))
}

/// Whether the segment of `part` exists and has the recorded length and hash.
pub(super) fn matches(imports: &Path, part: &Segment) -> bool {
    blake3_of(&imports.join(&part.file))
        .is_ok_and(|(blake3, bytes)| blake3 == part.blake3 && bytes == part.bytes)
}

/// The manifest entry of a segment, derived from the segment alone. Reads it completely and checks
/// every frame.
pub(super) fn examine(
    imports: &Path,
    file: &str,
    project: &mut Contents,
    said: &Hints,
) -> Result<Segment> {
    let path = imports.join(file);
    let (blake3, bytes) = blake3_of(&path)?;
    let reader = Reader::survey(&path)?;
    let (holds, rows) = match content_word(file) {
        "items" => items(&reader, project)?,
        "answers" => answers(&reader, project, said)?,
        _ => {
            return Err(corrupt(
                "the segment has revised items, and their revision was in the lost line",
            )
            .help("read it with `zstdcat`, and write the texts again with `benchtop edit` or `benchtop recompose`"));
        }
    };
    let source = "restored by `benchtop recover`".into();
    let file = file.to_string();
    Ok(Segment {
        file,
        holds,
        rows,
        duplicates: 0,
        bytes,
        blake3,
        source,
        source_blake3: String::new(),
    })
}

/// The word in a segment's name that names its content.
fn content_word(file: &str) -> &str {
    let stem = file.strip_suffix(".jsonl.zst").unwrap_or(file);
    stem.rsplit('-').next().unwrap_or_default()
}

fn items(reader: &Reader, project: &mut Contents) -> Result<(Content, u64)> {
    let mut found: Option<String> = None;
    let mut fresh = Vec::new();
    let count = rows(reader, &mut |line| {
        let item = item(line)?;
        if found.get_or_insert_with(|| item.dataset.clone()) != &item.dataset {
            return Err(corrupt("the segment has items of several data sets"));
        }
        if project.ids.contains(&id_hash(&item.id)) {
            return Err(corrupt(format!(
                "the project has item `{}` from another import",
                item.id
            ))
            .help("it was imported again; leave this segment where it is"));
        }
        fresh.push(item);
        Ok(())
    })?;
    for item in &fresh {
        if !project.add(item)? {
            return Err(corrupt(format!("the segment has item `{}` twice", item.id)));
        }
    }
    let dataset = found.ok_or_else(|| corrupt("the segment has no items"))?;
    Ok((Content::Items { dataset }, count))
}

fn answers(reader: &Reader, project: &Contents, said: &Hints) -> Result<(Content, u64)> {
    let mut forms: BTreeMap<u8, (u64, Form)> = BTreeMap::new();
    let mut evaluated = false;
    let count = rows(reader, &mut |line| {
        let row: Prediction = serde_json::from_slice(line).map_err(|e| {
            corrupt(format!(
                "the segment has a row that is not a prediction: {e}"
            ))
        })?;
        evaluated |= row.rule.is_some() || row.judge.is_some();
        if let Some(form) = project.forms.get(&key(&row.key)?) {
            forms.entry(*form as u8).or_insert((0, *form)).0 += 1;
        }
        Ok(())
    })?;
    let form = forms
        .into_values()
        .max_by_key(|(n, _)| *n)
        .map_or(Form::Plain, |(_, form)| form);
    let model = said.model.clone().ok_or_else(|| {
        corrupt("the segment has predictions, and their model was in the lost line")
            .help("give the model with --model NAME")
    })?;
    Ok((
        Content::Predictions {
            model,
            form,
            evaluated,
            dataset: said.dataset.clone(),
            run: None,
        },
        count,
    ))
}
