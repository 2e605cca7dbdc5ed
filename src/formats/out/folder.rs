//! Hugging Face's image folder: `train/metadata.jsonl` with one question per line, and the pictures
//! in `train/`.
//!
//! `file_name` is the picture's path relative to the file. If a question of the data set has
//! several pictures, the column is `file_names` with a list. Source: `datasets`,
//! packaged_modules/folder_based_builder, version 5.2.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Component, Path};

use serde_json::Value;

use super::row::{self, Marker};
use super::{Load, Survey};
use crate::cells;
use crate::python_json::{self, Style};
use crate::records::Record;
use crate::roundtrip_column::Carried;
use benchtop_model::{ImageRef, Item, Result};

/// Writes a picture's content to a path relative to the file.
pub type Put<'a> = &'a mut dyn FnMut(&str, Vec<u8>) -> Result<()>;

/// Writes the lines.
pub struct Folder<W> {
    out: W,
    survey: Survey,
    marker: Marker,
    /// The hash of the picture at a path; `None` if the picture is missing.
    there: HashMap<String, Option<Option<String>>>,
}

impl<W: Write> Folder<W> {
    /// Creates a writer for the data set `dataset`.
    pub fn new(out: W, survey: Survey, dataset: &str) -> Folder<W> {
        let mut columns = vec![column(&survey).to_string()];
        columns.extend(row::columns(&survey));
        Folder {
            out,
            marker: Marker::new(&columns, dataset),
            survey,
            there: HashMap::new(),
        }
    }

    /// Writes the line of a question and passes its pictures to `put` on their first use. Returns
    /// whether it has a picture.
    ///
    /// # Errors
    /// If a picture cannot be read, errors of `put`, and I/O errors.
    pub fn push(&mut self, item: &Item, load: Load<'_>, put: Put<'_>) -> Result<bool> {
        let (mut paths, mut carried, mut item) =
            (Vec::new(), Carried::default(), Cow::Borrowed(item));
        for at in 0..item.images.len() {
            let Some(image) = item.images.get(at) else {
                break;
            };
            let Some((path, renamed)) = self.path(image, load, put)? else {
                continue;
            };
            if renamed && let Some(image) = item.to_mut().images.get_mut(at) {
                image.name.clone_from(&path);
            }
            carried.seen.push(path.clone());
            carried.at.push(at);
            paths.push(path);
        }
        let filled = !paths.is_empty();
        let pictures: Value = match self.survey.many() {
            true => paths.into(),
            false => paths.pop().map_or(Value::Null, Value::from),
        };
        let mut line = Record::new();
        line.insert(column(&self.survey).into(), pictures);
        line.extend(row::fields(
            &mut self.marker,
            &self.survey,
            &item,
            &carried,
        )?);
        python_json::json(&mut self.out, &line, Style::LINE, 0)?;
        python_json::raw(&mut self.out, b"\n")?;
        Ok(filled)
    }

    /// A picture's path relative to the file, and whether it differs from its name: names that are
    /// not relative paths, or that another picture has, are replaced.
    fn path(
        &mut self,
        image: &ImageRef,
        load: Load<'_>,
        put: Put<'_>,
    ) -> Result<Option<(String, bool)>> {
        let own = cells::relative(&image.name);
        let free = self
            .there
            .get(&own)
            .is_none_or(|there| there.as_ref().is_none_or(|hash| *hash == image.hash));
        let renamed = !(free && inside(&image.name));
        let path = match &image.ext {
            _ if !renamed => own,
            Some(ext) => format!("{}.{ext}", image.hash.as_deref().unwrap_or("picture")),
            None => image.hash.clone().unwrap_or_else(|| "picture".into()),
        };
        if let Some(there) = self.there.get(&path) {
            return Ok(there.is_some().then_some((path, renamed)));
        }
        let bytes = load(image)?;
        self.there
            .insert(path.clone(), bytes.is_some().then(|| image.hash.clone()));
        match bytes {
            Some(bytes) => put(&path, bytes).map(|()| Some((path, renamed))),
            None => Ok(None),
        }
    }

    /// Returns the output.
    pub fn finish(self) -> W {
        self.out
    }
}

fn column(survey: &Survey) -> &'static str {
    if survey.many() {
        "file_names"
    } else {
        "file_name"
    }
}

/// Whether a name is a path inside the folder, other than the file itself.
fn inside(name: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let below = cells::relative(name);
    !below.is_empty()
        && !below.contains(':')
        && below != "metadata.jsonl"
        && Path::new(name).components().all(plain)
}
