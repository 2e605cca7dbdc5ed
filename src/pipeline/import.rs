//! Bringing files in: recognised by content, streamed, all or nothing.
//!
//! Every file becomes one segment. Nothing of an import is part of the project until its manifest line is synced
//! (`store::open::adopt`), so whatever fails before that leaves the project as it was.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::board::model_name;
use super::pictures::Pictures;
use crate::formats::{self, Format, Found};
use crate::model::{Form, Item, Key, Kind, Prediction, Problem, Result};
use crate::store::Catalog;
use crate::store::columns::{Columns, id_hash};
use crate::store::index::Index;
use crate::store::manifest::{Holds, Manifest, Part};
use crate::store::open::{Fresh, adopt};
use crate::store::project::Project;
use crate::store::segment::Writer;

/// Skipped records listed in a report; the rest is counted.
const LISTED: usize = 200;
/// Records between two looks at progress and cancellation.
const STEP: u64 = 2048;

/// What to bring in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ask {
    /// Absolute paths of files or folders.
    pub paths: Vec<PathBuf>,
    /// Refer to pictures where they are.
    pub link: bool,
    /// Take what is good and report the rest.
    pub keep_going: bool,
    /// Name of the data set; the file's stem otherwise.
    pub dataset: Option<String>,
}

/// How far a long command is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done.
    pub what: String,
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    pub of: Option<u64>,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Items added.
    pub items: u64,
    /// Predictions added.
    pub predictions: u64,
    /// Records that were there already.
    pub already: u64,
    /// Records dropped because the same file holds them before.
    pub duplicates: u64,
    /// Pictures copied in or linked.
    pub pictures: u64,
    /// Pictures that records name and that were not there.
    pub missing_pictures: u64,
    /// What each file was taken for.
    pub files: Vec<FileReport>,
    /// Records skipped (with `keep_going`), with line and field.
    pub skipped: Vec<Problem>,
    /// Skipped records beyond those listed.
    pub skipped_more: u64,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// What one file was taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its format, or why it was passed over.
    pub format: String,
    /// Records added from it.
    pub added: u64,
}

/// Told how far the import is; says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// What an import made of the project.
pub struct Outcome {
    /// The new catalogue; `None` when nothing was added.
    pub catalog: Option<Arc<Catalog>>,
    /// What was done.
    pub report: Report,
}

/// Brings in what `ask` names; `at` is the time recorded.
///
/// # Errors
/// The first record that cannot be taken (unless `keep_going`), an id that is there with another content, a picture
/// outside the folder of its file, cancellation, and the operating system's. Then nothing was added.
pub fn import(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    ask: &Ask,
    at: &str,
    watch: Watch<'_>,
) -> Result<Outcome> {
    let mut found = Vec::new();
    let mut import = Import::new(project, catalog, ask)?;
    for path in &ask.paths {
        let recognised = formats::recognise(path)?;
        found.extend(recognised.files.into_iter().map(|f| (f, root_of(path))));
        for problem in recognised.unknown {
            let path = problem.place.file.clone().unwrap_or_default();
            import.report.files.push(FileReport { path, format: format!("passed over: {}", problem.what), added: 0 });
        }
    }
    if found.is_empty() {
        let named = ask.paths.first().cloned().unwrap_or_default();
        let why = import.report.files.iter().map(|f| format!("{}: {}", f.path.display(), f.format));
        let why = why.take(5).collect::<Vec<_>>().join("; ");
        let problem = Problem::input("nothing here that can be read").file(named);
        return Err(if why.is_empty() { problem } else { problem.help(why) });
    }
    // Questions before the answers to them, so that what the report says of them is settled first.
    found.sort_by_key(|(f, _)| f.format.is_predictions());
    for (file, root) in &found {
        import.file(file, root, watch)?;
    }
    import.finish(index, at, watch)
}

/// Pictures are looked for beside the file and below the path that was named.
fn root_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.to_path_buf() } else { path.parent().unwrap_or(path).to_path_buf() }
}

struct Import<'a> {
    project: &'a Project,
    catalog: &'a Catalog,
    ask: &'a Ask,
    manifest: Manifest,
    columns: Columns,
    /// Items of this import by the hash of their id: file, line and hash of their content.
    seen: HashMap<u64, (u32, u64, u64)>,
    sources: Vec<PathBuf>,
    pictures: Pictures,
    made: Made,
    report: Report,
}

/// Segments written so far; those that never become part of the project are removed.
struct Made {
    imports: PathBuf,
    fresh: Vec<Fresh>,
}

impl Drop for Made {
    fn drop(&mut self) {
        for fresh in &self.fresh {
            let _ = std::fs::remove_file(self.imports.join(&fresh.part.file));
        }
    }
}

impl<'a> Import<'a> {
    fn new(project: &'a Project, catalog: &'a Catalog, ask: &'a Ask) -> Result<Import<'a>> {
        Ok(Import {
            project,
            catalog,
            ask,
            manifest: Manifest::read(&project.imports())?,
            columns: catalog.columns().clone(),
            seen: HashMap::new(),
            sources: Vec::new(),
            pictures: Pictures::new(project, ask.link),
            made: Made { imports: project.imports(), fresh: Vec::new() },
            report: Report::default(),
        })
    }

    fn file(&mut self, found: &Found, root: &Path, watch: Watch<'_>) -> Result<()> {
        let source_blake3 = hash_file(&found.path)?;
        let parts = self.manifest.entries.iter().flat_map(|e| &e.parts);
        let same = parts.filter(|p| p.source_blake3 == source_blake3 && self.holds_the_same(found, p));
        let rows: u64 = same.map(|p| p.rows).sum();
        if rows > 0 {
            self.report.already += rows;
            self.told(found, "there already", 0);
            return Ok(());
        }
        let added = if found.format.is_predictions() {
            self.predictions(found, source_blake3, watch)?
        } else {
            self.items(found, root, source_blake3, watch)?
        };
        self.told(found, found.format.name(), added);
        Ok(())
    }

    /// The same bytes can be brought in again as another data set.
    fn holds_the_same(&self, found: &Found, part: &Part) -> bool {
        match &part.holds {
            Holds::Items { dataset } => {
                !found.format.is_predictions()
                    && (found.format == Format::BenchtopJsonl || *dataset == self.dataset(&found.path))
            }
            Holds::Predictions { model, .. } => *model == model_name(&found.path),
            Holds::Revisions { .. } => false,
        }
    }

    fn told(&mut self, found: &Found, format: &str, added: u64) {
        self.report.files.push(FileReport { path: found.path.clone(), format: format.into(), added });
    }

    fn dataset(&self, path: &Path) -> String {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("items");
        self.ask.dataset.clone().unwrap_or_else(|| stem.to_string())
    }

    /// Passes a bad record over, or ends the import with it.
    fn skip(&mut self, problem: Problem) -> Result<()> {
        if !self.ask.keep_going || matches!(problem.kind, Kind::DiskFull | Kind::Denied | Kind::Io) {
            let help = "nothing was imported; mend it, or pass it over with --keep-going";
            return Err(if problem.help.is_none() { problem.help(help) } else { problem });
        }
        if self.report.skipped.len() < LISTED {
            self.report.skipped.push(problem);
        } else {
            self.report.skipped_more += 1;
        }
        Ok(())
    }

    fn items(&mut self, found: &Found, root: &Path, source_blake3: String, watch: Watch<'_>) -> Result<u64> {
        let dataset = self.dataset(&found.path);
        self.sources.push(found.path.clone());
        self.pictures.from(&found.path, root)?;
        let mut writer = Writer::create(&self.project.imports())?;
        let before = self.report.duplicates;
        let mut records = 0;
        for (line, read) in formats::items(&found.path, found.format, &dataset)? {
            tick(found, &mut records, watch)?;
            let taken = read.and_then(|item| self.take(item, line));
            let taken = taken.and_then(|item| {
                item.as_ref().map_or(Ok(()), |item| self.columns.push(item))?;
                Ok(item)
            });
            match taken.map_err(|p| p.line(line).file(&found.path)) {
                Ok(Some(item)) => writer.push(&item)?,
                Ok(None) => {}
                Err(problem) => self.skip(problem)?,
            }
        }
        let rows = writer.rows();
        self.report.items += rows;
        let duplicates = self.report.duplicates - before;
        self.keep(writer, Holds::Items { dataset }, duplicates, found, source_blake3)?;
        Ok(rows)
    }

    /// The item with its pictures found; `None` when it is there already.
    fn take(&mut self, mut item: Item, line: u64) -> Result<Option<Item>> {
        let content = content_hash(&item)?;
        let file = self.sources.len() as u32 - 1;
        match self.seen.entry(id_hash(&item.id)) {
            Entry::Occupied(first) => {
                let (first_file, first_line, first_content) = *first.get();
                if first_content == content {
                    self.report.duplicates += 1;
                    return Ok(None);
                }
                let place = self.sources.get(first_file as usize).map(|p| p.display().to_string());
                return Err(Problem::new(Kind::Conflict, format!("`{}` is given twice, differently", item.key))
                    .field("id")
                    .help(format!("the first is line {first_line} of {}", place.unwrap_or_default())));
            }
            Entry::Vacant(slot) => {
                if let Some(row) = self.catalog.row_of(&item.id)? {
                    let mut there = self.catalog.item(row as usize)?;
                    there.images.iter_mut().chain(&mut item.images).for_each(forget_where);
                    if there == item {
                        self.report.already += 1;
                        return Ok(None);
                    }
                    return Err(Problem::new(
                        Kind::Conflict,
                        format!("`{}` is in the project with another content", item.id),
                    )
                    .field("id")
                    .help("items do not change; name another data set with --dataset"));
                }
                slot.insert((file, line, content));
            }
        }
        for image in &mut item.images {
            self.pictures.find(image)?;
        }
        Ok(Some(item))
    }

    fn predictions(&mut self, found: &Found, source_blake3: String, watch: Watch<'_>) -> Result<u64> {
        let model = model_name(&found.path);
        let form = if found.format == Format::MvpCircularPredictions { Form::MvpCircular } else { Form::Mvp };
        let evaluated = found.format == Format::MvpEvaluated;
        let holds = Holds::Predictions { model, form, evaluated, dataset: None };
        let mut there: HashMap<Key, Prediction> = HashMap::new();
        for answers in self.catalog.answers().iter().filter(|a| a.part.holds == holds) {
            there.extend(answers.predictions()?.into_iter().map(|p| (p.key.clone(), p)));
        }
        let mut writer = Writer::create(&self.project.imports())?;
        let mut seen: HashMap<Key, ()> = HashMap::new();
        let (mut records, mut duplicates) = (0, 0);
        for (line, read) in formats::predictions(&found.path, found.format)? {
            tick(found, &mut records, watch)?;
            let prediction = match read {
                Ok(prediction) => prediction,
                Err(problem) => {
                    self.skip(problem)?;
                    continue;
                }
            };
            if seen.insert(prediction.key.clone(), ()).is_some() {
                duplicates += 1;
                continue;
            }
            match there.get(&prediction.key) {
                None => writer.push(&prediction)?,
                Some(old) if *old == prediction => self.report.already += 1,
                Some(_) => self.skip(
                    Problem::new(Kind::Conflict, format!("another answer to `{}` is in the project", prediction.key))
                        .line(line)
                        .file(&found.path)
                        .field("question_id")
                        .help("two runs of one model need two file names"),
                )?,
            }
        }
        if duplicates > 0 {
            self.report.duplicates += duplicates;
            let name = found.path.file_name().unwrap_or_default().to_string_lossy();
            self.report
                .notes
                .push(format!("{name}: {duplicates} rows are given more than once; the first of each is used"));
        }
        let rows = writer.rows();
        self.report.predictions += rows;
        self.keep(writer, holds, duplicates, found, source_blake3)?;
        Ok(rows)
    }

    fn keep(
        &mut self,
        writer: Writer,
        holds: Holds,
        duplicates: u64,
        found: &Found,
        source_blake3: String,
    ) -> Result<()> {
        let word = if matches!(holds, Holds::Items { .. }) { "items" } else { "answers" };
        if writer.rows() == 0 {
            return Ok(());
        }
        let n = self.manifest.next();
        let file = format!("{n:04}-{:02}-{word}.jsonl.zst", self.made.fresh.len() + 1);
        let done = writer.finish(&file)?;
        let part = Part {
            file,
            holds,
            rows: done.rows,
            duplicates,
            bytes: done.bytes,
            blake3: done.blake3,
            source: found.path.display().to_string(),
            source_blake3,
        };
        self.made.fresh.push(Fresh { part, frames: done.frames, rows: None });
        Ok(())
    }

    fn finish(mut self, index: &Index, at: &str, watch: Watch<'_>) -> Result<Outcome> {
        self.report.pictures = self.pictures.taken();
        self.report.missing_pictures = self.pictures.missing();
        self.report.notes.extend(self.pictures.notes());
        if self.made.fresh.is_empty() {
            return Ok(Outcome { catalog: None, report: self.report });
        }
        if !watch(Progress { what: "saving".into(), done: 0, of: None }) {
            return Err(cancelled());
        }
        self.pictures.sync()?;
        // From here on the files belong to the manifest, or to nobody if its line is not written.
        let fresh = std::mem::take(&mut self.made.fresh);
        let files: Vec<PathBuf> = fresh.iter().map(|f| self.project.imports().join(&f.part.file)).collect();
        match adopt(self.project, index, self.catalog, self.columns, fresh, at) {
            Ok((catalog, notice)) => {
                self.pictures.keep();
                self.report.notes.extend(notice);
                Ok(Outcome { catalog: Some(catalog), report: self.report })
            }
            Err(problem) => {
                files.iter().for_each(|f| drop(std::fs::remove_file(f)));
                Err(problem)
            }
        }
    }
}

fn cancelled() -> Problem {
    Problem::new(Kind::Cancelled, "the import was cancelled; nothing was added")
}

fn tick(found: &Found, records: &mut u64, watch: Watch<'_>) -> Result<()> {
    *records += 1;
    if *records % STEP == 1 {
        let what = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !watch(Progress { what, done: *records - 1, of: None }) {
            return Err(cancelled());
        }
    }
    Ok(())
}

/// An item's content without where its pictures were found.
fn content_hash(item: &Item) -> Result<u64> {
    let bytes = serde_json::to_vec(item).map_err(|e| Problem::new(Kind::Io, e.to_string()))?;
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..8]);
    Ok(u64::from_le_bytes(first))
}

fn forget_where(image: &mut crate::model::ImageRef) {
    *image = crate::model::ImageRef { name: std::mem::take(&mut image.name), ..Default::default() };
}

fn hash_file(path: &Path) -> Result<String> {
    let fail = |e: std::io::Error| Problem::io(&e, "cannot be read", path);
    let mut hasher = blake3::Hasher::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    std::io::copy(&mut std::io::BufReader::with_capacity(1 << 20, file), &mut hasher).map_err(fail)?;
    Ok(hasher.finalize().to_hex().to_string())
}
