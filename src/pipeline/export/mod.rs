//! Writes items and predictions in an interchange format, one at a time.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use self::files::io;
use self::format::ItemSink;
use benchtop_files::picture_file::is_damage;
use benchtop_formats as formats;
use benchtop_model::{Error, ErrorKind, Form, Item, Prediction, Result};

mod dysca;
mod files;
mod format;
mod hugging_face;
mod jsonl;
mod lmms_eval;
mod mvp;
mod pictures;
mod registry;
pub mod tools;
mod vlmevalkit;

pub use self::dysca::DYSCA;
pub use self::files::{Renames, create, unlink};
pub use self::format::{Answers, Export, FileBeside, Kind, Tables};
pub use self::jsonl::JSONL;
pub use self::mvp::MVP;
pub use self::pictures::{Pictures, is_inside};
pub use self::registry::{EXPORTS, named};

/// Items skipped because a picture is damaged, replaced, or missing.
#[derive(Clone, Debug, Default)]
pub struct Aside {
    ids: std::collections::BTreeSet<String>,
    first: Vec<(String, Error)>,
}

/// Number of skipped items to list.
const NAMED: usize = 10;

impl Aside {
    /// Skips an item because of `problem`.
    ///
    /// # Errors
    ///
    /// `problem`, if it does not concern a picture.
    pub fn put(&mut self, id: &str, problem: Error) -> Result<()> {
        if !is_damage(&problem) {
            return Err(problem.help(format!("the item is `{id}`")));
        }
        if self.ids.insert(id.to_string()) && self.first.len() < NAMED {
            self.first.push((id.to_string(), problem));
        }
        Ok(())
    }

    /// Whether an item was skipped.
    pub fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Number of skipped items.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// The first skipped items, each with its error.
    pub fn first(&self) -> &[(String, Error)] {
        &self.first
    }
}

/// The destination of an export.
pub enum Destination<'a> {
    /// A file, or a folder for [`Kind::Folder`].
    Path(&'a Path),
    /// A stream.
    Stream(Box<dyn Write + Send>),
}

/// The item with `draft: true` in its record, if its picture is a draft and the format cannot
/// express this otherwise.
fn draft(item: &Item) -> Option<Item> {
    item.images.iter().any(|i| i.draft).then(|| {
        let mut item = item.clone();
        item.extra.insert("draft".into(), true.into());
        item
    })
}

/// Writes one export. Files get temporary names until [`finish`](Self::finish).
pub struct Exporter {
    sink: Box<dyn ItemSink>,
    renames: Renames,
    written: u64,
    left_out: u64,
    /// Whether to leave out items that came in no form of their own and that this format cannot
    /// express.
    lenient: bool,
    /// Why the first of those was left out.
    unsaid: Option<String>,
    export: &'static Export,
}

impl Exporter {
    /// Starts an export to `to`. `nested` selects Dysca's nested records.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`] if the format needs a folder, or if a file cannot be created.
    pub fn create(export: &'static Export, to: Destination<'_>, nested: bool) -> Result<Exporter> {
        let mut renames = Renames::default();
        let sink = match (&export.kind, to) {
            (Kind::File(begin), Destination::Path(path)) => {
                begin(create(path, &mut renames)?, nested, Some(path))
            }
            (Kind::File(begin), Destination::Stream(out)) => {
                begin(BufWriter::with_capacity(1 << 20, out), nested, None)
            }
            (Kind::Folder { begin, .. }, Destination::Path(dir)) => begin(dir),
            (Kind::Folder { .. } | Kind::Tables(_), _) => {
                return Err(Error::new(ErrorKind::Usage, "this format needs a folder")
                    .help("use --out DIR"));
            }
        };
        Ok(Exporter {
            sink,
            renames,
            written: 0,
            left_out: 0,
            lenient: false,
            unsaid: None,
            export,
        })
    }

    /// Leaves out and counts items that came in no form of their own and that this format cannot
    /// express. By default they are errors.
    pub fn leaving_out(self) -> Exporter {
        Exporter {
            lenient: true,
            ..self
        }
    }

    /// Writes one item, or counts it if the format does not include it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] with the field that the format cannot express, or if a write fails.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        if !(self.export.takes)(item.form) {
            self.left_out += 1;
            return Ok(());
        }
        match self.write(item) {
            Err(problem)
                if self.lenient && problem.kind == ErrorKind::Input && item.form == Form::Plain =>
            {
                self.left_out += 1;
                self.unsaid.get_or_insert(problem.what);
            }
            other => {
                other?;
                self.written += 1;
            }
        }
        Ok(())
    }

    /// Why the first item was left out that the format includes but cannot express.
    pub fn first_problem(&self) -> Option<&str> {
        self.unsaid.as_deref()
    }

    /// Files that were begun beside the named one.
    pub fn more_files(&self) -> Vec<PathBuf> {
        self.sink.more_files()
    }

    fn write(&mut self, item: &Item) -> Result<()> {
        let named = |p: Error| match p.kind {
            ErrorKind::Input => p.help(
                "leave the item out with --filter, or use --format jsonl, which holds all items",
            ),
            _ => p.help(format!("the item is `{}`", item.id)),
        };
        let marked = draft(item).filter(|_| self.export.marks_drafts);
        let item = marked.as_ref().unwrap_or(item);
        self.sink.push(item, &mut self.renames).map_err(named)
    }

    /// Writes a model's predictions, if the format always holds them.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn predictions(
        &mut self,
        (model, form, evaluated): (&str, Form, bool),
        rows: &mut dyn Iterator<Item = Result<Prediction>>,
    ) -> Result<()> {
        let Some(path) = self.sink.answers(model, form, evaluated) else {
            return Ok(());
        };
        let mut out = create(&path, &mut self.renames)?;
        for row in rows {
            formats::write_prediction(&row?, &mut out)?;
        }
        out.flush()
            .map_err(|e| io(&e, Path::new("model_prediction")))
    }

    /// Finishes all files. Returns the numbers of items written and left out.
    ///
    /// # Errors
    ///
    /// If a write fails. Then existing files are unchanged.
    pub fn finish(self) -> Result<(u64, u64)> {
        self.sink.finish()?;
        self.renames.finish()?;
        Ok((self.written, self.left_out))
    }
}
