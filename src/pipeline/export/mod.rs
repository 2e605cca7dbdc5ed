//! Writes items and predictions in an interchange format, one at a time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use benchtop_files::picture_file::is_damage;
use benchtop_formats::{self as formats, DyscaWriter, NestedWriter};
use benchtop_model::{Error, ErrorKind, Form, Item, Prediction, Result};

pub mod tools;

/// An interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Dysca's JSON: flat, or nested if all items came nested.
    Dysca,
    /// MVP-Bench's folder: `data/` and `model_prediction/`.
    Mvp,
    /// benchtop's own format: one item per line.
    Jsonl,
}

impl Target {
    /// Whether the format includes items of this form.
    pub fn takes(self, form: Form) -> bool {
        match self {
            Target::Dysca => matches!(form, Form::Dysca | Form::DyscaNested | Form::Plain),
            Target::Mvp => matches!(form, Form::Mvp | Form::MvpCircular),
            Target::Jsonl => true,
        }
    }
}

/// A file being written, or a stream.
pub type Out = BufWriter<Box<dyn Write + Send>>;

enum Sink {
    Dysca(DyscaWriter<Out>),
    Nested(NestedWriter<Out>),
    Lines(Out),
    Mvp {
        dir: PathBuf,
        questions: Option<Out>,
        rotations: Option<Out>,
    },
}

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
    /// A file, or a folder for [`Target::Mvp`].
    Path(&'a Path),
    /// A stream.
    Stream(Box<dyn Write + Send>),
}

/// Temporary files with their final names. Files that are not renamed are removed.
#[derive(Default)]
pub struct Renames(Vec<(PathBuf, PathBuf)>);

impl Renames {
    /// Discards the file for the final name `path`.
    fn forget(&mut self, path: &Path) {
        if let Some(at) = self.0.iter().position(|(_, name)| name == path) {
            let (temp, _) = self.0.swap_remove(at);
            let _ = std::fs::remove_file(&temp);
            // Its folder is removed if it is empty.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }

    /// Syncs all files and renames them.
    ///
    /// # Errors
    ///
    /// If a file cannot be synced or renamed.
    pub fn finish(mut self) -> Result<()> {
        for (temp, path) in &self.0 {
            File::open(temp)
                .and_then(|f| f.sync_all())
                .map_err(|e| io(&e, path))?;
        }
        while let Some((temp, path)) = self.0.first() {
            std::fs::rename(temp, path).map_err(|e| io(&e, path))?;
            self.0.remove(0);
        }
        Ok(())
    }
}

impl Drop for Renames {
    fn drop(&mut self) {
        for (temp, _) in &self.0 {
            let _ = std::fs::remove_file(temp);
        }
    }
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
    sink: Sink,
    renames: Renames,
    written: u64,
    left_out: u64,
    /// Whether to leave out items that came in no form of their own and that this format cannot
    /// express.
    lenient: bool,
    /// Why the first of those was left out.
    unsaid: Option<String>,
    target: Target,
}

/// Removes a link at the path of a file to be written, so that its target is not overwritten.
pub fn unlink(path: &Path) {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        // A link that remains causes an error when the file is written.
        let _ = std::fs::remove_file(path);
    }
}

fn io(e: &std::io::Error, path: &Path) -> Error {
    Error::io(e, "cannot write the export", path)
}

/// Creates a file that gets the name `path` at the end, and its folder if needed.
///
/// # Errors
///
/// [`ErrorKind::Usage`] for a path without a file name, or if the file cannot be created.
pub fn create(path: &Path, renames: &mut Renames) -> Result<Out> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::new(ErrorKind::Usage, "not a file name").file(path))?;
    let temp = path.with_file_name(format!(".tmp-{}", name.to_string_lossy()));
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|e| io(&e, dir))?;
    }
    // An existing file of this name is left from an interrupted export, or a trap.
    let _ = std::fs::remove_file(&temp);
    let file = File::create_new(&temp).map_err(|e| io(&e, path))?;
    renames.0.push((temp, path.to_path_buf()));
    Ok(BufWriter::with_capacity(1 << 20, Box::new(file)))
}

impl Exporter {
    /// Starts an export to `to`. `nested` selects Dysca's nested records.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`] if the format needs a folder, or if a file cannot be created.
    pub fn create(target: Target, to: Destination<'_>, nested: bool) -> Result<Exporter> {
        let mut renames = Renames::default();
        let sink = if target == Target::Mvp {
            let Destination::Path(dir) = to else {
                return Err(Error::new(ErrorKind::Usage, "this format needs a folder")
                    .help("use --out DIR"));
            };
            Sink::Mvp {
                dir: dir.to_path_buf(),
                questions: None,
                rotations: None,
            }
        } else {
            let out = match to {
                Destination::Path(path) => create(path, &mut renames)?,
                Destination::Stream(out) => BufWriter::with_capacity(1 << 20, out),
            };
            match target {
                Target::Jsonl => Sink::Lines(out),
                _ if nested => Sink::Nested(NestedWriter::new(out)),
                _ => Sink::Dysca(DyscaWriter::new(out)),
            }
        };
        Ok(Exporter {
            sink,
            renames,
            written: 0,
            left_out: 0,
            lenient: false,
            unsaid: None,
            target,
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
        if !self.target.takes(item.form) {
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

    fn write(&mut self, item: &Item) -> Result<()> {
        let named = |p: Error| match p.kind {
            ErrorKind::Input => p.help(
                "leave the item out with --filter, or use --format jsonl, which holds all items",
            ),
            _ => p.help(format!("the item is `{}`", item.id)),
        };
        let marked = if self.target == Target::Jsonl {
            None
        } else {
            draft(item)
        };
        let item = marked.as_ref().unwrap_or(item);
        match &mut self.sink {
            Sink::Dysca(out) => out.push(item).map_err(named)?,
            Sink::Nested(out) => out.push(item).map_err(named)?,
            Sink::Lines(out) => formats::jsonl::write(item, out).map_err(named)?,
            Sink::Mvp {
                dir,
                questions,
                rotations,
            } => {
                let (slot, name) = if item.form == Form::MvpCircular {
                    (rotations, "data/mcq_questions.json")
                } else {
                    (questions, "data/all_questions.json")
                };
                if slot.is_none() {
                    *slot = Some(create(&dir.join(name), &mut self.renames)?);
                }
                if let Some(out) = slot {
                    formats::write_question(item, out).map_err(named)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a model's predictions, for [`Target::Mvp`] only.
    ///
    /// # Errors
    ///
    /// If a write fails.
    pub fn predictions(
        &mut self,
        (model, form, evaluated): (&str, Form, bool),
        rows: &mut dyn Iterator<Item = Result<Prediction>>,
    ) -> Result<()> {
        let Sink::Mvp { dir, .. } = &self.sink else {
            return Ok(());
        };
        // A name given by hand is not a path.
        let model = model.replace(['/', '\\'], "_");
        let name = match (form, evaluated) {
            (Form::MvpCircular, _) => format!("mcq_{model}.jsonl"),
            (_, true) => format!("{model}_evaluated.jsonl"),
            (_, false) => format!("{model}.jsonl"),
        };
        let mut out = create(&dir.join("model_prediction").join(name), &mut self.renames)?;
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
        let flush = |mut out: Out| out.flush().map_err(|e| io(&e, Path::new("output")));
        match self.sink {
            Sink::Dysca(out) => flush(out.finish()?)?,
            Sink::Nested(out) => flush(out.finish()?)?,
            Sink::Lines(out) => flush(out)?,
            Sink::Mvp {
                questions,
                rotations,
                ..
            } => {
                for out in [questions, rotations].into_iter().flatten() {
                    flush(out)?;
                }
            }
        }
        self.renames.finish()?;
        Ok((self.written, self.left_out))
    }
}
