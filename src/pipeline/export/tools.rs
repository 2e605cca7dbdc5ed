//! Writes items in the formats of other tools, with one table for each data set.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::files::{Out, Renames, create, flush};
use super::format::{Start, TableSink, Tables};
use super::{Aside, draft};
use benchtop_files::picture_file::PictureFile;
use benchtop_formats::out::{Survey, Table, WITHOUT_OPTIONS};
use benchtop_model::release::WHOLE;
use benchtop_model::{Error, ImageRef, Item, Result};

/// The results of a first pass over the items.
#[derive(Clone, Debug, Default)]
pub struct Surveys {
    datasets: BTreeMap<String, Survey>,
    /// For tools that need a separate table for questions without options.
    tables: BTreeMap<Group, Survey>,
}

/// Items that share a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    dataset: String,
    /// Separate table for questions without options. VLMEvalKit scores every row of a table with
    /// options as multiple choice, and picks a random option if a row has none.
    without_options: bool,
}

impl Group {
    fn new(dataset: &str, without_options: bool) -> Group {
        Group {
            dataset: dataset.into(),
            without_options,
        }
    }

    fn label(&self) -> String {
        if self.without_options {
            format!("{}{WITHOUT_OPTIONS}", self.dataset)
        } else {
            self.dataset.clone()
        }
    }
}

impl Surveys {
    /// Adds an item to the survey.
    pub fn add(&mut self, item: &Item) {
        let group = Group::new(&item.dataset, item.options.is_empty());
        let marked = draft(item);
        for survey in [
            self.datasets.entry(item.dataset.clone()).or_default(),
            self.tables.entry(group).or_default(),
        ] {
            survey.look(item);
            if let Some(marked) = &marked {
                survey.look(marked);
                survey.items -= 1;
            }
        }
    }

    /// The group of an item.
    fn group(&self, tables: &Tables, item: &Item) -> Group {
        let with = || self.tables.contains_key(&Group::new(&item.dataset, false));
        let without_options = tables.separates_options && item.options.is_empty() && with();
        Group::new(&item.dataset, without_options)
    }

    fn groups(&self, tables: &Tables) -> Vec<Group> {
        let with = |dataset: &String| Group::new(dataset, false);
        let mut groups: Vec<Group> = self.datasets.keys().map(with).collect();
        if tables.separates_options {
            let mixed = |group: &&Group| {
                group.without_options && self.tables.contains_key(&with(&group.dataset))
            };
            groups.extend(self.tables.keys().filter(mixed).cloned());
        }
        groups
    }

    fn of(&self, tables: &Tables, group: &Group) -> Survey {
        let found = match tables.separates_options {
            true => {
                let alone = Group::new(&group.dataset, true);
                self.tables.get(group).or_else(|| self.tables.get(&alone))
            }
            false => self.datasets.get(&group.dataset),
        };
        found.cloned().unwrap_or_default()
    }
}

/// The numbers of a finished export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub items: u64,
    /// Items without an available picture.
    pub without: u64,
    pub answers: u64,
}

/// Writes one export. Files are renamed by [`finish`](Self::finish). The pictures of a folder are
/// written before its list.
pub struct Tools {
    tables: &'static Tables,
    dir: PathBuf,
    root: PathBuf,
    split: String,
    surveys: Surveys,
    names: BTreeMap<Group, String>,
    open: BTreeMap<Group, Box<dyn TableSink>>,
    renames: Renames,
    written: Written,
    aside: Aside,
    /// Pictures whose hashes were verified.
    verified: HashSet<String>,
}

impl Tools {
    /// Starts an export of the project at `root` to the folder `dir`.
    pub fn new(tables: &'static Tables, dir: &Path, root: &Path, surveys: Surveys) -> Tools {
        let names = names(surveys.groups(tables));
        Tools {
            tables,
            dir: dir.to_path_buf(),
            root: root.to_path_buf(),
            split: WHOLE.into(),
            surveys,
            names,
            open: BTreeMap::new(),
            renames: Renames::default(),
            written: Written::default(),
            aside: Aside::default(),
            verified: HashSet::new(),
        }
    }

    /// Writes the items as this split. Several splits share the folder and the surveys.
    pub fn of_split(self, split: &str) -> Tools {
        Tools {
            split: split.into(),
            ..self
        }
    }

    /// Reads the pictures of an item whose hashes were not verified yet.
    fn verify(&mut self, item: &Item) -> Result<HashMap<String, Vec<u8>>> {
        let mut read = HashMap::new();
        for file in PictureFile::all(&self.root, &item.images) {
            if !self.verified.contains(&file.hash) && !read.contains_key(&file.hash) {
                let bytes = file.read()?;
                read.insert(file.hash, bytes);
            }
        }
        self.verified.extend(read.keys().cloned());
        Ok(read)
    }

    /// Skipped items.
    pub fn aside(&self) -> &Aside {
        &self.aside
    }

    /// Writes one item. A picture without a recorded file is left out and the item counted; an item
    /// with a damaged or missing picture is skipped.
    ///
    /// # Errors
    ///
    /// A picture that cannot be read for another reason, or a failed write.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        let mut read = match self.verify(item) {
            Ok(read) => read,
            Err(problem) => return self.aside.put(&item.id, problem),
        };
        let marked = draft(item);
        let item = marked.as_ref().unwrap_or(item);
        let group = self.surveys.group(self.tables, item);
        if !self.open.contains_key(&group) {
            let sink = self.begin(&group)?;
            self.open.insert(group.clone(), sink);
        }
        let Some(sink) = self.open.get_mut(&group) else {
            return Ok(());
        };
        let root = &self.root;
        let mut load =
            |image: &ImageRef| match image.hash.as_ref().and_then(|hash| read.remove(hash)) {
                Some(bytes) => Ok(Some(bytes)),
                None => PictureFile::of(root, image)
                    .map(|file| file.read())
                    .transpose(),
            };
        let named = |p: Error| p.help(format!("the item is `{}`", item.id));
        let filled = sink.push(item, &mut load);
        self.written.without += u64::from(!filled.map_err(named)?);
        self.written.items += 1;
        Ok(())
    }

    fn begin(&mut self, group: &Group) -> Result<Box<dyn TableSink>> {
        let name = self.name(group);
        // A single data set uses the folder itself; several use subfolders.
        let dir = match self.names.len() {
            0 | 1 => self.dir.clone(),
            _ => self.dir.join(&name),
        };
        (self.tables.begin)(&mut Start {
            name: &name,
            dataset: &group.dataset,
            survey: self.surveys.of(self.tables, group),
            split: &self.split,
            top: &self.dir,
            dir,
            renames: &mut self.renames,
        })
    }

    fn name(&self, group: &Group) -> String {
        self.names
            .get(group)
            .cloned()
            .unwrap_or_else(|| plain(&group.label()))
    }

    /// Starts the answers of a model for VLMEvalKit: `MODEL/MODEL_DATASET.tsv`.
    pub fn answers(&mut self, model: &str) -> Answers<'_> {
        Answers {
            model: plain(model),
            open: BTreeMap::new(),
            tools: self,
        }
    }

    /// Finishes all files.
    ///
    /// # Errors
    ///
    /// If a write fails. Then existing files are unchanged.
    pub fn finish(self) -> Result<Written> {
        for (_, sink) in self.open {
            flush(sink.finish()?)?;
        }
        self.renames.finish()?;
        Ok(self.written)
    }
}

/// Writes the answers of one model. Items must come in the same order as before.
pub struct Answers<'a> {
    tools: &'a mut Tools,
    model: String,
    open: BTreeMap<Group, (Table<Out>, bool)>,
}

impl Answers<'_> {
    /// Writes the answer to an item, if there is one.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn push(&mut self, item: &Item, output: Option<&str>) -> Result<()> {
        if self.tools.aside.has(&item.id) {
            return Ok(());
        }
        let marked = draft(item);
        let item = marked.as_ref().unwrap_or(item);
        let group = self.tools.surveys.group(self.tools.tables, item);
        if !self.open.contains_key(&group) {
            let survey = self.tools.surveys.of(self.tools.tables, &group);
            let out = create(
                &path(self.tools, &self.model, &group),
                &mut self.tools.renames,
            )?;
            self.open.insert(
                group.clone(),
                (Table::new(out, survey, &item.dataset, true)?, false),
            );
        }
        let Some((table, any)) = self.open.get_mut(&group) else {
            return Ok(());
        };
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
    ///
    /// If a write fails.
    pub fn finish(self) -> Result<()> {
        for (group, (table, any)) in self.open {
            flush(table.finish())?;
            if !any {
                // A model without answers to a table's questions gets no file for it.
                let file = path(self.tools, &self.model, &group);
                self.tools.renames.forget(&file);
            }
        }
        Ok(())
    }
}

/// The file with a model's answers to a group.
fn path(tools: &Tools, model: &str, group: &Group) -> PathBuf {
    let file = format!("{model}_{}.tsv", tools.name(group));
    tools.dir.join(model).join(file)
}

/// Unique file names.
fn names(groups: Vec<Group>) -> BTreeMap<Group, String> {
    let names = unique_names(groups.iter().map(Group::label));
    groups.into_iter().zip(names).collect()
}

/// A file name for each of these labels, in their order. No two are the same.
pub fn unique_names(labels: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let unique = |label: String| {
        let plain = plain(&label);
        let mut name = plain.clone();
        let mut number = 2;
        while !taken.insert(name.to_lowercase()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        name
    };
    labels.into_iter().map(unique).collect()
}

/// Makes a name safe as a file and task name: no path, space, or list.
fn plain(name: &str) -> String {
    let kept = |c: char| {
        if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+') {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(kept).collect();
    match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None if name.is_empty() => "_".into(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_unique() {
        let group = |name: &str| Group {
            dataset: name.into(),
            without_options: false,
        };
        let found = names(
            ["a/b", "a b", "A_b", "..", "\u{e9}t\u{e9}"]
                .map(group)
                .to_vec(),
        );
        let of = |name: &str| found[&group(name)].as_str();
        assert_eq!((of("a/b"), of("a b"), of("A_b")), ("a_b", "a_b-2", "A_b-3"));
        assert_eq!((of(".."), of("\u{e9}t\u{e9}")), ("_.", "\u{e9}t\u{e9}"));
    }
}
