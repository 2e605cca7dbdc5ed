//! What a format of an export is: its name, what it holds, and how it is written.

use std::path::{Path, PathBuf};

use super::files::{Out, Renames, create};
use benchtop_formats::out::{Load, Survey};
use benchtop_model::{Form, Item, Result};

/// A format that benchtop writes.
pub struct Export {
    /// The value of `--format`.
    pub name: &'static str,
    /// Its line in the help.
    pub summary: &'static str,
    /// Whether the format includes items of this form.
    pub takes: fn(Form) -> bool,
    /// Whether records have several questions if all items came so.
    pub nests: bool,
    /// Whether a draft is marked in the record, because the format cannot express it otherwise.
    pub marks_drafts: bool,
    pub answers: Answers,
    pub kind: Kind,
    /// The file beside the named one that an item goes to, if it does not go to the named one.
    pub file_beside: FileBeside,
}

/// From the named file, the first item, and an item to the item's file. `None` is the named file.
pub type FileBeside = fn(&Path, &Item, &Item) -> Option<PathBuf>;

/// Whether a format holds the answers of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    No,
    OnRequest,
    Always,
}

/// Where the items of a format go.
pub enum Kind {
    /// One file or stream. With `true`, records have several questions. The path is that of the
    /// file; a format can write more files beside it.
    File(fn(Out, bool, Option<&Path>) -> Box<dyn ItemSink>),
    /// A folder, with the pictures in a folder of this name.
    Folder {
        begin: fn(&Path) -> Box<dyn ItemSink>,
        pictures: &'static str,
    },
    /// A folder with a table for each data set.
    Tables(Tables),
}

impl Export {
    /// A format of tables without answers.
    pub(super) const TABLES: Export = Export {
        name: "",
        summary: "",
        takes: |_| true,
        nests: false,
        marks_drafts: true,
        answers: Answers::No,
        kind: Kind::Tables(Tables::PLAIN),
        file_beside: |_, _, _| None,
    };
}

impl PartialEq for Export {
    fn eq(&self, other: &Export) -> bool {
        self.name == other.name
    }
}

/// Writes items.
pub trait ItemSink {
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Input`] with the field that the format cannot express, or if a
    /// write fails.
    fn push(&mut self, item: &Item, renames: &mut Renames) -> Result<()>;

    /// The file for a model's answers to items of this form.
    fn answers(&self, model: &str, form: Form, evaluated: bool) -> Option<PathBuf> {
        let _ = (model, form, evaluated);
        None
    }

    /// Files beside the named one.
    fn more_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// # Errors
    ///
    /// If a write fails.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A format with a table for each data set.
pub struct Tables {
    /// Whether questions without options need a separate table.
    pub separates_options: bool,
    /// What the tool does with items without a picture, for the user.
    pub without_picture: &'static str,
    pub begin: fn(&mut Start<'_>) -> Result<Box<dyn TableSink>>,
}

impl Tables {
    pub(super) const PLAIN: Tables = Tables {
        separates_options: false,
        without_picture: "",
        begin: |_| Err(benchtop_model::Error::input("no table")),
    };
}

/// Writes the rows of a table.
pub trait TableSink {
    /// Writes an item. Returns whether it has a picture.
    ///
    /// # Errors
    ///
    /// If a picture cannot be read, or a write fails.
    fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool>;

    /// # Errors
    ///
    /// If a write fails.
    fn finish(self: Box<Self>) -> Result<Out>;
}

/// A table to begin.
pub struct Start<'a> {
    /// The file name of the data set.
    pub name: &'a str,
    pub dataset: &'a str,
    pub survey: Survey,
    /// Name of the split, for formats that have splits.
    pub split: &'a str,
    /// The folder of the export.
    pub top: &'a Path,
    /// The folder of the data set: that of the export, unless there are several.
    pub dir: PathBuf,
    pub renames: &'a mut Renames,
}

impl Start<'_> {
    /// Creates a file in the folder of the data set.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create(&mut self, name: &str) -> Result<Out> {
        create(&self.dir.join(name), self.renames)
    }

    /// Creates a file in the folder of the export.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create_on_top(&mut self, name: &str) -> Result<Out> {
        create(&self.top.join(name), self.renames)
    }
}
