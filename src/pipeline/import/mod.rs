//! Imports files: recognized by content, streamed, all or nothing.
//!
//! Each file becomes one segment. An import is not part of the project until its manifest line is
//! synced (`store::open::adopt`). Any earlier failure leaves the project unchanged.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::new_segments::NewSegments;
use super::pictures::Pictures;
use super::sources::{self, Orders, Plan, ReadOptions, Source};
use benchtop_files::project::Project;
use benchtop_formats as formats;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::hash::first_bytes;
use benchtop_model::import::{FileReport, ImportRequest, Report};
use benchtop_model::{Error, ErrorKind, Item, Result};
use benchtop_store::Catalog;
use benchtop_store::columns::Columns;
use benchtop_store::index::Index;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::segment::Writer;

mod answers;
mod questions;
mod variants;

/// Maximum number of skipped records listed in a report. The rest is counted.
const LISTED: usize = 200;
/// Number of records between progress and cancellation checks.
const STEP: u64 = 2048;

/// What the request states for every file.
fn overrides(ask: &ImportRequest) -> ReadOptions<'_> {
    ReadOptions {
        dataset: ask.dataset.as_deref(),
        model: ask.model.as_deref(),
        mapping: ask.mapping.as_deref(),
    }
}

/// The project after an import.
pub struct Outcome {
    /// The new catalog. `None` if nothing was added.
    pub catalog: Option<Arc<Catalog>>,
    pub report: Report,
}

/// Imports the files in `ask`. `at` is the recorded time.
///
/// # Errors
///
/// The first bad record (unless `keep_going`), an existing id with different content, a picture
/// outside the folder of its file, cancellation, or a failed write. Then nothing was added.
pub fn import(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    ask: &ImportRequest,
    at: &str,
    watch: ProgressSink<'_>,
) -> Result<Outcome> {
    let mut found = Vec::new();
    let of_variant = variants::named(ask)?;
    let ask = of_variant.as_ref().unwrap_or(ask);
    let mut import = Import::new(project, catalog, ask)?;
    import.check_originals()?;
    for path in &ask.paths {
        if let Some(mapping) = ask.mapping.as_deref().filter(|_| path.is_file()) {
            found.push((formats::detect_mapped(path, mapping)?, root_of(path)));
            continue;
        }
        let recognized = formats::detect_files(path)?;
        found.extend(recognized.files.into_iter().map(|f| (f, root_of(path))));
        for problem in recognized.unknown {
            let path = problem.place.file.clone().unwrap_or_default();
            import.report_skipped(path, &problem.what);
        }
    }
    if found.is_empty() {
        let named = ask.paths.first().cloned().unwrap_or_default();
        let why = import
            .report
            .files
            .iter()
            .map(|f| format!("{}: {}", f.path.display(), f.format));
        let why = why.take(5).collect::<Vec<_>>().join("; ");
        let problem = Error::input("no readable files").file(named);
        return Err(if why.is_empty() {
            problem
        } else {
            problem.help(why)
        });
    }
    let mut plan = sources::plan(found, &import.datasets(), overrides(ask))?;
    import.report_plan(&mut plan);
    // Questions come before their answers, so that the report on them is complete.
    import.orders = plan
        .answers
        .iter()
        .any(|s| s.positions)
        .then(Orders::default);
    for source in &plan.questions {
        import.questions(source, false, watch)?;
    }
    import.beside(&plan.recorded_questions, watch)?;
    let known = import.known();
    plan.decide(&|source| known.named(source), &mut |source| {
        known.reach(source)
    })?;
    import.report_plan(&mut plan);
    import.answers(&known, &plan.answers, watch)?;
    import.finish(index, at, watch)
}

/// Pictures are searched next to the file and below the given path.
fn root_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.to_path_buf()
    } else {
        path.parent().unwrap_or(path).to_path_buf()
    }
}

/// Where an item of this import was read first. Small, because an import holds one per item.
#[derive(Clone, Copy)]
struct FirstRead {
    file: u32,
    /// From 1. The largest number stands for all lines from there on.
    line: u32,
    content: u64,
}

struct Import<'a> {
    project: &'a Project,
    catalog: &'a Catalog,
    ask: &'a ImportRequest,
    manifest: Arc<Manifest>,
    columns: Columns,
    /// Items of this import by id hash.
    seen: HashMap<u64, FirstRead>,
    sources: Vec<PathBuf>,
    pictures: Pictures,
    /// Kept if answers count rows.
    orders: Option<Orders>,
    /// Data set of a file's answers, and its keys by position if the file counts rows.
    joined: BTreeMap<PathBuf, (String, Vec<benchtop_model::Key>)>,
    made: NewSegments,
    report: Report,
}

impl<'a> Import<'a> {
    fn new(
        project: &'a Project,
        catalog: &'a Catalog,
        ask: &'a ImportRequest,
    ) -> Result<Import<'a>> {
        let manifest = Arc::new(Manifest::for_import(&project.imports())?);
        Ok(Import {
            project,
            catalog,
            ask,
            made: NewSegments::new(project, &manifest),
            manifest,
            columns: catalog.columns().clone(),
            seen: HashMap::new(),
            sources: Vec::new(),
            pictures: Pictures::new(project, ask.link),
            orders: None,
            joined: BTreeMap::new(),
            report: Report::default(),
        })
    }

    /// The data sets of the project and of the files read so far.
    fn datasets(&self) -> BTreeSet<String> {
        let parts = self.manifest.entries.iter().flat_map(|e| &e.parts);
        let fresh = self.made.fresh.iter().map(|f| &f.part);
        let named = parts.chain(fresh).filter_map(|p| match &p.holds {
            Content::Items { dataset } => Some(dataset.clone()),
            Content::Predictions { .. } | Content::Revisions { .. } => None,
        });
        named.collect()
    }

    /// Reports the files that a plan skips.
    fn report_plan(&mut self, plan: &mut Plan) {
        std::mem::take(&mut plan.skipped)
            .into_iter()
            .for_each(|(path, why)| self.report_skipped(path, &why));
        self.report.notes.append(&mut plan.notes);
    }

    fn report_skipped(&mut self, path: PathBuf, why: &str) {
        self.report.files.push(FileReport {
            path,
            format: format!("skipped: {why}"),
            added: 0,
        });
    }

    fn report_file(&mut self, source: &Source, format: &str, added: u64) {
        let path = source.found.path.clone();
        match self.report.files.iter_mut().find(|f| f.path == path) {
            // Its questions were already reported; these are its answers.
            Some(file) => {
                file.added += added;
                if added > 0 {
                    file.format = format.into();
                }
            }
            None => self.report.files.push(FileReport {
                path,
                format: format.into(),
                added,
            }),
        }
    }

    /// Adds notes on reading a file.
    fn note(&mut self, source: &Source, notes: Vec<String>) {
        for note in source.notes(notes) {
            if !self.report.notes.contains(&note) {
                self.report.notes.push(note);
            }
        }
    }

    fn keep(
        &mut self,
        writer: Writer,
        holds: Content,
        duplicates: u64,
        source: &Source,
        source_blake3: &str,
    ) -> Result<()> {
        if writer.rows > 0 {
            let source = source.found.path.display().to_string();
            let part = self.made.push(writer, holds, source)?;
            (part.duplicates, part.source_blake3) = (duplicates, source_blake3.to_string());
        }
        Ok(())
    }

    fn finish(mut self, index: &Index, at: &str, watch: ProgressSink<'_>) -> Result<Outcome> {
        self.report.pictures = self.pictures.taken();
        self.report.missing_pictures = self.pictures.missing();
        (self.report.unreadable_pictures, self.report.unreadable) =
            self.pictures.unreadable().clone();
        self.report.notes.extend(self.pictures.notes());
        let note = self.note_on_originals();
        self.report.notes.extend(note);
        if self.made.fresh.is_empty() {
            return Ok(Outcome {
                catalog: None,
                report: self.report,
            });
        }
        watch.report("saving", 0, None).map_err(cancelled)?;
        self.pictures.finish()?;
        // No item is read any more. The table has 25 bytes for each, and writing the index needs room too.
        self.seen = HashMap::new();
        let made = self.made;
        let (catalog, notice) = made.add(self.project, index, self.catalog, self.columns, at)?;
        self.pictures.keep();
        self.report.notes.extend(notice);
        Ok(Outcome {
            catalog: Some(catalog),
            report: self.report,
        })
    }
}

/// Skips a bad record, or ends the import with it.
fn skip(ask: &ImportRequest, report: &mut Report, problem: Error) -> Result<()> {
    let is_of_disk = matches!(
        problem.kind,
        ErrorKind::DiskFull | ErrorKind::Denied | ErrorKind::Io
    );
    if is_of_disk || !ask.keep_going {
        let help = "nothing was imported; fix the record, or skip it with --keep-going";
        return Err(match problem.help {
            None => problem.help(help),
            Some(_) => problem,
        });
    }
    list(report, problem);
    Ok(())
}

/// Lists a skipped record, or counts it if the list is full.
fn list(report: &mut Report, problem: Error) {
    if report.skipped.len() < LISTED {
        report.skipped.push(problem);
    } else {
        report.skipped_more += 1;
    }
}

/// Number of rows from this very file that the project has, in parts that match `same`.
fn rows_already_imported(
    manifest: &Manifest,
    source_blake3: &str,
    same: &dyn Fn(&Content) -> bool,
) -> u64 {
    let parts = manifest.parts_of(source_blake3);
    parts.filter(|p| same(&p.holds)).map(|p| p.rows).sum()
}

fn cancelled(_: Error) -> Error {
    Error::new(ErrorKind::Cancelled, "canceled; nothing was added")
}

fn tick(source: &Source, records: &mut u64, watch: ProgressSink<'_>) -> Result<()> {
    *records += 1;
    match *records % STEP {
        1 => watch
            .report(&source.name(), *records - 1, None)
            .map_err(cancelled),
        _ => Ok(()),
    }
}

/// A hash of an item's content without the paths of its pictures.
fn content_hash(item: &Item) -> Result<u64> {
    let bytes = serde_json::to_vec(item).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    Ok(first_bytes(&blake3::hash(&bytes)))
}

/// Leaves only the name and the rights of a picture, to compare items regardless of the files of
/// their pictures.
pub fn forget_where(image: &mut benchtop_model::ImageRef) {
    *image = benchtop_model::ImageRef {
        rights: image.rights.take(),
        ..benchtop_model::ImageRef::named(std::mem::take(&mut image.name))
    };
}

/// BLAKE3 of the file at `path` in hex, as in the manifest.
///
/// # Errors
///
/// Cancellation, or if the file cannot be read.
pub fn hash_file(path: &Path, cancel: Cancel<'_>) -> Result<String> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot read the file", path);
    let mut file = std::fs::File::open(path).map_err(fail)?;
    let (mut hasher, mut bytes) = (blake3::Hasher::new(), vec![0; 1 << 20]);
    loop {
        cancel.check().map_err(cancelled)?;
        match file.read(&mut bytes) {
            Ok(0) => return Ok(hasher.finalize().to_hex().to_string()),
            Ok(length) => hasher.update(&bytes[..length]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(fail(e)),
        };
    }
}

#[cfg(test)]
mod tests;
