//! VLMEvalKit's tables of questions and of a model's answers: tab-separated, with every cell
//! quoted.
//!
//! `index` is an integer. A rotation has the index of its question plus a million per rotation. A
//! picture is base64 on first use and then the index of that row. A row without a picture has an
//! empty cell, and the tool skips it. Source: VLMEvalKit, vlmeval/dataset/image_base.py and
//! vlmeval/smp/file.py, commit e8e78f05.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::row::{self, Marker};
use super::{Load, Survey};
use crate::chat_turns::ROTATION;
use crate::python_json::raw;
use crate::records::Record;
use crate::roundtrip_column::{self, Carried};
use benchtop_model::{Item, Key, Result};

/// Maximum number of option columns.
const LETTERS: usize = 26;

/// Writes one table.
pub struct Table<W> {
    out: W,
    survey: Survey,
    columns: Vec<String>,
    marker: Marker,
    indices: Indices,
    shared: Shared,
}

impl<W: Write> Table<W> {
    /// Creates a table of the data set `dataset` and writes its header line. With `answers`, it has
    /// a column for answers and none for pictures.
    pub fn new(mut out: W, survey: Survey, dataset: &str, answers: bool) -> Result<Table<W>> {
        let columns = columns(&survey, answers);
        line(&mut out, columns.iter().map(String::as_str))?;
        let marker = Marker::new(&columns, dataset);
        Ok(Table {
            out,
            survey,
            columns,
            marker,
            indices: Indices::default(),
            shared: Shared::default(),
        })
    }

    /// Writes the row of a question. Returns whether it has a picture.
    ///
    /// # Errors
    /// If a picture cannot be read, and I/O errors.
    pub fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool> {
        let (mut row, index) = self.row(item);
        let (cell, at) = self.shared.cell(item, index, load)?;
        let carried = Carried {
            seen: vec![String::new(); at.len()],
            at,
        };
        let mark = self.marker.mark(&row, Key::Int(index), item, &carried)?;
        let filled = !cell.is_empty();
        row.insert("image".into(), cell.into());
        self.write(row, mark)?;
        Ok(filled)
    }

    /// Writes the row of an answer. Rows must be in the order of the table of questions; call
    /// [`pass`](Self::pass) for questions without an answer.
    pub fn answer(&mut self, item: &Item, output: &str) -> Result<()> {
        let (mut row, index) = self.row(item);
        row.insert("prediction".into(), output.into());
        let mark = self
            .marker
            .mark(&row, Key::Int(index), item, &Carried::default())?;
        self.write(row, mark)
    }

    /// Skips a question, which keeps its index.
    pub fn pass(&mut self, item: &Item) {
        self.indices.of(item);
    }

    /// Returns the output.
    pub fn finish(self) -> W {
        self.out
    }

    fn row(&mut self, item: &Item) -> (Record, i64) {
        let (index, base) = self.indices.of(item);
        let mut row = Record::new();
        row.insert("index".into(), index.to_string().into());
        row.insert("question".into(), clean(&item.question).into());
        for (at, option) in item.options.iter().take(LETTERS).enumerate() {
            row.insert(Item::letter(at), clean(&option.text).into());
        }
        row.insert("answer".into(), clean(&row::answer(item)).into());
        row.insert("type".into(), item.kind.name().into());
        for name in self.survey.texts() {
            row.insert(
                column(name).into(),
                clean(row::text(item, name).unwrap_or_default()).into(),
            );
        }
        if item.rotation.is_some() {
            row.insert("g_index".into(), base.to_string().into());
        }
        (row, index)
    }

    fn write(&mut self, mut row: Record, mark: String) -> Result<()> {
        row.insert(roundtrip_column::COLUMN.into(), mark.into());
        let of = |name: &String| {
            row.get(name)
                .and_then(|value| value.as_str())
                .unwrap_or_default()
        };
        line(&mut self.out, self.columns.iter().map(of))
    }
}

fn columns(survey: &Survey, answers: bool) -> Vec<String> {
    let mut columns: Vec<String> = vec!["index".into()];
    if !answers {
        columns.push("image".into());
    }
    columns.push("question".into());
    // VLMEvalKit does not recognize a single option column.
    let options = if survey.options > 0 {
        survey.options.clamp(2, LETTERS)
    } else {
        0
    };
    columns.extend((0..options).map(Item::letter));
    columns.extend(["answer".into(), "type".into()]);
    columns.extend(survey.texts().map(|name| column(name).to_string()));
    if survey.rotated {
        columns.push("g_index".into());
    }
    if answers {
        columns.push("prediction".into());
    }
    columns.push(roundtrip_column::COLUMN.into());
    columns
}

/// VLMEvalKit's name of an item's field.
fn column(name: &'static str) -> &'static str {
    match name {
        "task" => "l2-category",
        "subtask" => "category",
        other => other,
    }
}

/// Removes NUL, at which readers of tables end a text.
fn clean(text: &str) -> String {
    text.replace('\0', "")
}

fn line<'a>(out: &mut impl Write, cells: impl Iterator<Item = &'a str>) -> Result<()> {
    for (at, cell) in cells.enumerate() {
        raw(out, if at == 0 { b"\"" } else { b"\t\"" })?;
        match cell.contains('"') {
            true => raw(out, cell.replace('"', "\"\"").as_bytes())?,
            false => raw(out, cell.as_bytes())?,
        }
        raw(out, b"\"")?;
    }
    raw(out, b"\n")
}

/// Integer indices for keys of any kind.
#[derive(Default)]
struct Indices {
    used: HashSet<i64>,
    /// The index of the first row of each rotation set.
    sets: HashMap<String, i64>,
    /// The values of `sets`.
    bases: HashSet<i64>,
    next: i64,
}

impl Indices {
    /// The index of an item, and that of the first rotation of its set.
    fn of(&mut self, item: &Item) -> (i64, i64) {
        let own = match item.key {
            Key::Int(n) if n >= 0 => Some(n),
            _ => None,
        };
        let Some(rotation) = &item.rotation else {
            let index = self.take(own);
            return (index, index);
        };
        let turn = i64::from(rotation.index.saturating_sub(1));
        if let Some(own) = own.filter(|own| own / ROTATION == turn) {
            return (self.take(Some(own)), own % ROTATION);
        }
        let base = match self.sets.get(&rotation.set) {
            Some(base) => *base,
            None => {
                let base = self.free();
                self.sets.insert(rotation.set.clone(), base);
                self.bases.insert(base);
                base
            }
        };
        (self.take(Some(base + turn * ROTATION)), base)
    }

    fn take(&mut self, wanted: Option<i64>) -> i64 {
        let index = wanted
            .filter(|n| !self.used.contains(n))
            .unwrap_or_else(|| self.free());
        self.used.insert(index);
        index
    }

    fn free(&mut self) -> i64 {
        while self.used.contains(&self.next) || self.bases.contains(&self.next) {
            self.next += 1;
        }
        self.next
    }
}

/// Pictures that an earlier row embeds.
#[derive(Default)]
struct Shared {
    /// By the names of a question's pictures: their hashes and the row.
    rows: HashMap<Vec<String>, (Vec<Option<String>>, i64)>,
    /// The last picture that was embedded under a name.
    last: HashMap<String, Option<String>>,
}

impl Shared {
    /// The cell with a question's pictures, and the indices of those that it embeds or refers to.
    fn cell(&mut self, item: &Item, index: i64, load: Load<'_>) -> Result<(String, Vec<usize>)> {
        let names: Vec<String> = item.images.iter().map(|image| image.name.clone()).collect();
        let hashes: Vec<Option<String>> =
            item.images.iter().map(|image| image.hash.clone()).collect();
        if let Some((there, row)) = self.rows.get(&names)
            && *there == hashes
        {
            return Ok((row.to_string(), (0..names.len()).collect()));
        }
        let (mut found, mut at) = (Vec::new(), Vec::new());
        for (number, image) in item.images.iter().enumerate() {
            if let Some(bytes) = load(image)? {
                found.push(STANDARD.encode(bytes));
                at.push(number);
                self.carried(image.name.clone(), image.hash.clone());
            }
        }
        if at.len() == names.len() && hashes.iter().all(Option::is_some) {
            self.rows.insert(names, (hashes, index));
        }
        let cell = match &found[..] {
            [one] => one.clone(),
            [] => String::new(),
            many => format!("['{}']", many.join("', '")),
        };
        Ok((cell, at))
    }

    /// Another picture under a known name: earlier rows with that name can no longer be referred
    /// to.
    fn carried(&mut self, name: String, hash: Option<String>) {
        if self.last.get(&name).is_some_and(|there| *there != hash) {
            self.rows.retain(|names, _| !names.contains(&name));
        }
        self.last.insert(name, hash);
    }
}
