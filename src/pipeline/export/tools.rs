//! Writing items in the forms that other tools load, a table for each data set.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Out, Renames, create, draft, io};
use crate::formats::out::{Folder, LMMS_DATA, Packed, Survey, Table, lmms_utils, lmms_yaml};
use crate::metrics::extract::strict_in_python;
use crate::model::{ImageRef, Item, Kind, Problem, Result};

/// A form that a tool loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// VLMEvalKit's table with pictures in base64.
    VlmEvalKit,
    /// lmms-eval's task folder.
    LmmsEval,
    /// Hugging Face's folder of pictures with `metadata.jsonl`.
    Folder,
    /// Hugging Face's Parquet.
    Parquet,
}

/// What a first look at the items found, by data set.
#[derive(Clone, Debug, Default)]
pub struct Surveys(BTreeMap<String, Survey>);

impl Surveys {
    /// Looks at the next item.
    pub fn look(&mut self, item: &Item) {
        match self.0.get_mut(&item.dataset) {
            Some(survey) => survey.look(item),
            None => self.0.entry(item.dataset.clone()).or_default().look(item),
        }
        if let (Some(marked), Some(survey)) = (draft(item), self.0.get_mut(&item.dataset)) {
            survey.look(&marked);
            survey.items -= 1;
        }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Items.
    pub items: u64,
    /// Items of them without a picture that is there.
    pub without: u64,
    /// Answers.
    pub answers: u64,
}

enum Sink {
    Table(Table<Out>),
    Packed(Box<Packed<Out>>),
    Folder(Folder<Out>, PathBuf),
}

/// Writes one export. Files get their names at the [end](Self::finish); pictures of a folder lie there before its list does.
pub struct Tools {
    tool: Tool,
    dir: PathBuf,
    root: PathBuf,
    surveys: Surveys,
    /// File names by data set.
    names: BTreeMap<String, String>,
    open: BTreeMap<String, Sink>,
    renames: Renames,
    written: Written,
}

impl Tools {
    /// Begins an export of a project at `root` to the folder `dir`.
    pub fn new(tool: Tool, dir: &Path, root: &Path, surveys: Surveys) -> Tools {
        let names = names(surveys.0.keys());
        Tools {
            tool,
            dir: dir.to_path_buf(),
            root: root.to_path_buf(),
            surveys,
            names,
            open: BTreeMap::new(),
            renames: Renames::default(),
            written: Written::default(),
        }
    }

    /// Writes one item. A picture that is not there is left out, and the item counted.
    ///
    /// # Errors
    /// A picture that cannot be read, and the operating system's.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        let marked = draft(item);
        let item = marked.as_ref().unwrap_or(item);
        if !self.open.contains_key(&item.dataset) {
            let sink = self.begin(&item.dataset)?;
            self.open.insert(item.dataset.clone(), sink);
        }
        let Some(sink) = self.open.get_mut(&item.dataset) else { return Ok(()) };
        let root = &self.root;
        let mut load = |image: &ImageRef| bytes(root, image);
        let named = |p: Problem| p.help(format!("the item is `{}`", item.id));
        let filled = match sink {
            Sink::Table(table) => table.push(item, &mut load),
            Sink::Packed(table) => table.push(item, &mut load),
            Sink::Folder(folder, dir) => folder.push(item, &mut load, &mut |name, bytes| put(&dir.join(name), &bytes)),
        };
        self.written.without += u64::from(!filled.map_err(named)?);
        self.written.items += 1;
        Ok(())
    }

    fn begin(&mut self, dataset: &str) -> Result<Sink> {
        let survey = self.surveys.0.get(dataset).cloned().unwrap_or_default();
        let name = self.name(dataset);
        // One data set is the folder itself, several are folders in it.
        let dir = if self.names.len() > 1 { self.dir.join(&name) } else { self.dir.clone() };
        Ok(match self.tool {
            Tool::VlmEvalKit => {
                let out = create(&self.dir.join(format!("{name}.tsv")), &mut self.renames)?;
                Sink::Table(Table::new(out, survey, dataset, false)?)
            }
            Tool::Folder => {
                let dir = dir.join("train");
                let out = create(&dir.join("metadata.jsonl"), &mut self.renames)?;
                Sink::Folder(Folder::new(out, survey, dataset), dir)
            }
            Tool::Parquet => {
                let out = create(&dir.join("data/train-00000-of-00001.parquet"), &mut self.renames)?;
                Sink::Packed(Box::new(Packed::new(out, survey, dataset)?))
            }
            Tool::LmmsEval => {
                let utils = lmms_utils(&strict_in_python());
                for (file, text) in [(format!("{name}.yaml"), lmms_yaml(&name)), ("utils.py".into(), utils)] {
                    let path = dir.join(file);
                    let mut out = create(&path, &mut self.renames)?;
                    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|e| io(&e, &path))?;
                }
                let out = create(&dir.join(LMMS_DATA), &mut self.renames)?;
                Sink::Packed(Box::new(Packed::new(out, survey, dataset)?))
            }
        })
    }

    fn name(&self, dataset: &str) -> String {
        self.names.get(dataset).cloned().unwrap_or_else(|| plain(dataset))
    }

    /// Begins the answers of a model, for VLMEvalKit: `MODEL/MODEL_DATASET.tsv`.
    pub fn answers(&mut self, model: &str) -> Answers<'_> {
        Answers { model: plain(model), open: BTreeMap::new(), tools: self }
    }

    /// Finishes every file.
    ///
    /// # Errors
    /// The operating system's; then the files that were there before are unchanged.
    pub fn finish(self) -> Result<Written> {
        for (_, sink) in self.open {
            flush(match sink {
                Sink::Table(table) => table.finish(),
                Sink::Packed(table) => table.finish()?,
                Sink::Folder(folder, _) => folder.finish(),
            })?;
        }
        self.renames.finish()?;
        Ok(self.written)
    }
}

/// Writes the answers of one model; the items must come as they did before.
pub struct Answers<'a> {
    tools: &'a mut Tools,
    model: String,
    open: BTreeMap<String, (Table<Out>, bool)>,
}

impl Answers<'_> {
    /// Writes the answer to an item, where there is one.
    ///
    /// # Errors
    /// The operating system's.
    pub fn push(&mut self, item: &Item, output: Option<&str>) -> Result<()> {
        let marked = draft(item);
        let item = marked.as_ref().unwrap_or(item);
        if !self.open.contains_key(&item.dataset) {
            let survey = self.tools.surveys.0.get(&item.dataset).cloned().unwrap_or_default();
            let file = format!("{}_{}.tsv", self.model, self.tools.name(&item.dataset));
            let out = create(&self.tools.dir.join(&self.model).join(file), &mut self.tools.renames)?;
            self.open.insert(item.dataset.clone(), (Table::new(out, survey, &item.dataset, true)?, false));
        }
        let Some((table, any)) = self.open.get_mut(&item.dataset) else { return Ok(()) };
        match output {
            Some(output) => {
                table.answer(item, output)?;
                *any = true;
                self.tools.written.answers += 1;
            }
            None => table.pass(item),
        }
        Ok(())
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// The operating system's.
    pub fn finish(self) -> Result<()> {
        for (dataset, (table, any)) in self.open {
            flush(table.finish())?;
            if !any {
                // A model that answered none of a data set's questions has no file there.
                let file = format!("{}_{}.tsv", self.model, self.tools.name(&dataset));
                self.tools.renames.forget(&self.tools.dir.join(&self.model).join(file));
            }
        }
        Ok(())
    }
}

fn flush(mut out: Out) -> Result<()> {
    out.flush().map_err(|e| io(&e, Path::new("output")))
}

/// The bytes of a picture of the project at `root`; `None` when it is not there.
fn bytes(root: &Path, image: &ImageRef) -> Result<Option<Vec<u8>>> {
    let Some(path) = image.stored().map(|p| root.join(p)).or_else(|| image.link.clone()) else { return Ok(None) };
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Problem::io(&e, "the picture cannot be read", &path)),
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|e| Problem::io(&e, "the picture cannot be written", path))
}

/// Names of files for data sets, each its own.
fn names<'a>(datasets: impl Iterator<Item = &'a String>) -> BTreeMap<String, String> {
    let (mut names, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for dataset in datasets {
        let plain = plain(dataset);
        let mut name = plain.clone();
        let mut number = 2;
        while !taken.insert(name.to_lowercase()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        names.insert(dataset.clone(), name);
    }
    names
}

/// A name as one of a file and of a task: no path, no blank, no list.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+') { c } else { '_' };
    let name: String = name.chars().map(kept).collect();
    match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None if name.is_empty() => "_".into(),
        None => name,
    }
}

/// That the tool has a place for answers.
///
/// # Errors
/// [`Kind::Usage`] when it has not.
pub fn takes_answers(tool: Tool) -> Result<()> {
    match tool {
        Tool::VlmEvalKit => Ok(()),
        _ => Err(Problem::new(Kind::Usage, "this format has no place for answers").help("vlmevalkit and mvp have")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_paths_and_no_two_are_one() {
        let sets = ["a/b", "a b", "A_b", "..", "\u{e9}t\u{e9}"].map(String::from);
        let found = names(sets.iter());
        let of = |name: &str| found[name].as_str();
        assert_eq!((of("a/b"), of("a b"), of("A_b")), ("a_b", "a_b-2", "A_b-3"));
        assert_eq!((of(".."), of("\u{e9}t\u{e9}")), ("_.", "\u{e9}t\u{e9}"));
    }
}
