//! Composes a plan into the store as one import, or into a file without a store.
//!
//! Questions are composed on [`WORKERS`] threads and taken in order, a chunk at a time. So memory
//! stays bounded and the result does not depend on the threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::board::count;
use super::export::Exporter;
use super::import::{Outcome, forget_where, hash_file};
use super::in_order::Threads;
use super::new_segments::NewSegments;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::Composer;
use benchtop_compose::metadata::Metadata;
use benchtop_compose::metadata::instructions::instruction_of;
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::write::writing_of;
use benchtop_compose::plan::{MAX_SIZE, Plan};
use benchtop_compose::schedule::Schedule;
use benchtop_files::project::Project;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::hash::of_texts;
use benchtop_model::import::{FileReport, Report};
use benchtop_model::metafile::shipped;
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{
    Error, ErrorKind, Field, Finding, Item, MetaFile, QuestionKind, Result, Rule, Severity,
};
use benchtop_store::columns::{Columns, id_hash};
use benchtop_store::index::Index;
use benchtop_store::manifest::{Content, Manifest, Segment};
use benchtop_store::segment::Writer;
use benchtop_store::{self as store, Catalog};

/// Default number of questions of the balanced plan.
pub const COUNT: u64 = 3000;
/// Maximum size of a plan in bytes.
pub const PLAN_LIMIT: u64 = 1 << 20;
const WORKERS: u64 = 2;
/// Questions per chunk, which one thread composes at a time.
const CHUNK: u64 = 256;
/// Number of chunks that a thread may be ahead.
const AHEAD: usize = 2;
/// Number of findings listed in an error.
const LISTED: usize = 3;

/// What to compose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The text of a plan file. By default all subtasks and types in equal numbers.
    pub plan: Option<String>,
    /// Seed of all random choices.
    pub seed: u64,
    /// With a plan, only its first questions; otherwise the total number, [`COUNT`] by default.
    pub count: Option<u64>,
    /// Ignore the compatibility rules.
    pub allow_impossible: bool,
}

/// The metadata of a project, or the built-in metadata; and findings for files that cannot be read.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn metadata(project: Option<&Project>) -> Result<(Metadata, Vec<Finding>)> {
    let Some(dir) = project.map(Project::metadata) else {
        return Ok((Metadata::parse(shipped()), Vec::new()));
    };
    let state = store::metadata::read(&dir)?;
    let files = state.files.into_iter().map(|f| MetaFile {
        name: f.name,
        text: f.text,
    });
    Ok((Metadata::parse(files), state.unreadable))
}

/// The errors that prevent composing, causes first. `unreadable` are files that could not be read,
/// and `compiled` is the result of [`CompiledMetadata::compile`].
pub fn errors<'f>(
    metadata: &'f Metadata,
    unreadable: &'f [Finding],
    compiled: &'f [Finding],
) -> Vec<&'f Finding> {
    let mut errors: Vec<&Finding> = unreadable
        .iter()
        .chain(metadata.found())
        .chain(compiled)
        .collect();
    // Judge questions, writings, and instructions concern existing pictures. No question is composed from
    // them.
    let apart = |f: &Finding| {
        judging_of(&f.file).is_some()
            || instruction_of(&f.file).is_some()
            || writing_of(&f.file).is_some()
    };
    errors.retain(|f| f.rule.severity() == Severity::Error && !apart(f));
    // Errors that follow from an unreadable file come after it.
    sort_by_key(&mut errors, |f| f.rule != Rule::Unreadable);
    errors
}

/// Adds the place in the metadata folder to an error.
pub fn place_of(problem: Error, finding: &Finding) -> Error {
    let problem = problem.file(Path::new("metadata").join(&finding.file));
    if finding.line > 0 {
        problem.line(u64::from(finding.line))
    } else {
        problem
    }
}

/// Compiles the metadata for composing. `unreadable` are files that could not be read.
///
/// # Errors
///
/// [`ErrorKind::Input`] with the first errors in the metadata.
pub fn ready(metadata: &Metadata, unreadable: &[Finding]) -> Result<CompiledMetadata> {
    let (grammar, compiled) = CompiledMetadata::compile(metadata);
    let errors = errors(metadata, unreadable, &compiled);
    if let Some(first) = errors.first() {
        let list: Vec<String> = errors
            .iter()
            .take(LISTED)
            .map(ToString::to_string)
            .collect();
        let more = if errors.len() > LISTED { "; ..." } else { "" };
        let what = format!(
            "{} in the metadata; nothing was composed: {}{more}",
            count(errors.len() as u64, "error"),
            list.join("; ")
        );
        return Err(
            place_of(Error::input(what), first).help("run `benchtop lint` to list all of them")
        );
    }
    Ok(grammar)
}

/// A scheduled plan, ready to be composed.
pub struct Composition {
    composer: Composer,
    questions: u64,
    /// Hash of everything that the questions depend on.
    fingerprint: String,
}

/// A question on its way into the store.
enum Composed {
    /// The store has it, word for word.
    Known,
    Item(Box<Item>, Box<RawValue>),
}

/// The number of questions of a plan that spreads them.
fn spread_count(order: &Order) -> Result<u64> {
    let count = order.count.unwrap_or(COUNT);
    if count > MAX_SIZE {
        let what = format!("{count} questions exceed the limit of {MAX_SIZE} per plan");
        return Err(Error::input(what).field("count"));
    }
    Ok(count)
}

impl Composition {
    /// Schedules the plan of `order`. `unreadable` are metadata files that could not be read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] with the first errors in the metadata, or for a plan that cannot be
    /// scheduled.
    pub fn new(metadata: &Metadata, unreadable: &[Finding], order: &Order) -> Result<Composition> {
        let grammar = ready(metadata, unreadable)?;
        let grammar = if order.allow_impossible {
            grammar.without_rules()
        } else {
            grammar
        };
        let (plan, most) = match &order.plan {
            Some(text) => {
                let plan = Plan::parse(text, Path::new("the plan"))?;
                match plan.shares.is_empty() {
                    true => (plan, order.count.unwrap_or(u64::MAX)),
                    false => (plan.with_pictures(&grammar, spread_count(order)?), u64::MAX),
                }
            }
            None => (Plan::balanced(&grammar, spread_count(order)?), u64::MAX),
        };
        let course = Schedule::new(&grammar, &plan)?;
        let questions = course.questions().min(most);
        if questions == 0 {
            return Err(Error::input("the plan contains no questions"));
        }
        Ok(Composition {
            composer: Composer::new(Arc::new(grammar), Arc::new(course), order.seed),
            questions,
            fingerprint: fingerprint(metadata, order)?,
        })
    }

    /// The data set of its questions: `<plan>-<seed>`.
    pub fn dataset(&self) -> &str {
        self.composer.dataset()
    }

    /// Number of questions to compose.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Questions that repeat another one word for word, because the vocabularies and wordings allow
    /// no more: one line for each subject and subtask.
    pub fn repeated(&self) -> Vec<String> {
        let line = |(subject, subtask, n): (String, String, u64)| {
            let (verb, each) = if n == 1 {
                ("repeats", "question")
            } else {
                ("repeat", "questions")
            };
            format!(
                "{n} {each} about {subtask} of {subject} {verb} another: its terms and prompts allow no more"
            )
        };
        self.composer.repeated().into_iter().map(line).collect()
    }

    /// Composes everything on several threads. `make` runs there; `take` runs here, in order.
    fn each<T: Send>(
        &self,
        make: &(impl Fn(Item) -> Result<T> + Sync),
        watch: ProgressSink<'_>,
        take: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.each_on(WORKERS, make, watch, take)
    }

    fn each_on<T: Send>(
        &self,
        threads: u64,
        make: &(impl Fn(Item) -> Result<T> + Sync),
        watch: ProgressSink<'_>,
        take: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let end = |chunk: u64| self.questions.min((chunk + 1) * CHUNK);
        let start = || {
            let mut composer = self.composer.clone();
            move |chunk: u64, _: &_| {
                let numbers = chunk * CHUNK..end(chunk);
                let made = numbers.map(|n| make(question(&mut composer, n)?));
                made.collect::<Result<Vec<T>>>()
            }
        };
        let workers = Threads {
            name: "compose",
            threads,
            ahead: AHEAD,
        };
        let report = |done| {
            watch
                .report("composing", done, Some(self.questions))
                .map_err(|_| Error::new(ErrorKind::Cancelled, "canceled; nothing was added"))
        };
        report(0)?;
        workers.each(self.questions.div_ceil(CHUNK), start, |chunk, made| {
            made.into_iter().try_for_each(&mut *take)?;
            report(end(chunk))
        })
    }

    /// Composes everything into memory.
    ///
    /// # Errors
    ///
    /// A question that cannot be composed.
    pub(super) fn items(&self) -> Result<Vec<Item>> {
        let mut composer = self.composer.clone();
        (0..self.questions)
            .map(|n| question(&mut composer, n))
            .collect()
    }

    /// Adds the questions to the project as one import. Those that already exist are counted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`] with the first question that exists with other content,
    /// cancellation, or a failed write. Then the project is unchanged.
    pub fn fill(
        &self,
        project: &Project,
        index: &Index,
        catalog: &Catalog,
        at: &str,
        watch: ProgressSink<'_>,
    ) -> Result<Outcome> {
        let dataset = self.dataset();
        let mut report = Report::default();
        let manifest = Manifest::for_import(&project.imports())?;
        let is_composed = manifest
            .parts_of(&self.fingerprint)
            .any(|part| self.is_of(part));
        if is_composed && self.is_intact(project, &manifest, catalog, watch.cancel)? {
            report.already = self.questions;
            return Ok(self.nothing_new(report));
        }
        let names = Columns::named(Field::Dataset).map(|at| &catalog.columns().names[at]);
        let before = names.is_some_and(|names| names.code(dataset).is_some());
        let mut columns = catalog.columns().clone();
        let mut writer = Writer::create(&project.imports())?;
        let make = |item: Item| {
            let line = to_raw_value(&item).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
            if before
                && let Some(row) = catalog.row_of_hash(id_hash(&item.id))
                && catalog.line(row as usize)? == line.get()
            {
                return Ok(Composed::Known);
            }
            Ok(Composed::Item(Box::new(item), line))
        };
        let mut last_picture = 0;
        self.each(&make, watch, &mut |composed| {
            let Composed::Item(item, line) = composed else {
                report.already += 1;
                return Ok(());
            };
            let item = *item;
            last_picture = last_picture.max(last_picture_of(&item));
            if before && let Some(row) = catalog.row_of(&item.id)? {
                return if is_unchanged(catalog.item(row as usize)?, item.clone()) {
                    report.already += 1;
                    Ok(())
                } else {
                    Err(Error::new(ErrorKind::Conflict, format!("`{}` is already in the project with different content", item.id))
                        .field("id")
                        .help("the plan, its count, or the metadata changed; use another --seed or rename the plan"))
                };
            }
            columns.push(&item)?;
            writer.push(&line)
        })?;
        if writer.rows == 0 {
            return Ok(self.nothing_new(report));
        }
        let holds = Content::Items {
            dataset: dataset.into(),
        };
        let mut made = NewSegments::new(project, &manifest);
        let part = made.push(writer, holds, format!("composed by benchtop: {dataset}"))?;
        part.source_blake3.clone_from(&self.fingerprint);
        report.items = part.rows;
        report.files.push(self.file_report(part.rows));
        report
            .notes
            .push(format!("its {last_picture} pictures are not generated yet"));
        report.notes.extend(self.repeated());
        let (catalog, notice) = made.add(project, index, catalog, columns, at)?;
        report.notes.extend(notice);
        Ok(Outcome {
            catalog: Some(catalog),
            report,
        })
    }

    /// Whether the data set is as it was composed: no item was revised, and no segment is damaged.
    fn is_intact(
        &self,
        project: &Project,
        manifest: &Manifest,
        catalog: &Catalog,
        cancel: Cancel<'_>,
    ) -> Result<bool> {
        let revised = catalog.revisions().list.iter().flat_map(|r| &*r.rows);
        let mut of = revised.map(|row| catalog.columns().value(Field::Dataset, *row as usize));
        if of.any(|dataset| dataset == self.dataset()) {
            return Ok(false);
        }
        let parts = manifest.entries.iter().flat_map(|entry| &entry.parts);
        for part in parts.filter(|part| self.is_of(part)) {
            if hash_file(&project.imports().join(&part.file), cancel)? != part.blake3 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a segment holds items of its data set.
    fn is_of(&self, part: &Segment) -> bool {
        matches!(&part.holds, Content::Items { dataset } if dataset == self.dataset())
    }

    fn file_report(&self, added: u64) -> FileReport {
        FileReport {
            path: self.dataset().into(),
            format: "composed".into(),
            added,
        }
    }

    /// The outcome if the store has all questions.
    fn nothing_new(&self, mut report: Report) -> Outcome {
        report.files.push(self.file_report(0));
        report.notes.push(format!(
            "this composition already exists as data set {}; nothing was added",
            self.dataset()
        ));
        Outcome {
            catalog: None,
            report,
        }
    }

    /// Writes the questions to `exporter` and finishes it, without touching a project. Returns the
    /// numbers of questions written, and of those that the format cannot hold.
    ///
    /// # Errors
    ///
    /// As for [`Exporter::push`], cancellation, or a failed write. Then no file was changed.
    pub fn export(&self, mut exporter: Exporter, watch: ProgressSink<'_>) -> Result<(u64, u64)> {
        self.each(&Ok, watch, &mut |item| exporter.push(&item))?;
        exporter.finish()
    }

    /// Composes everything and keeps only counts, and one example of each question type.
    ///
    /// # Errors
    ///
    /// Cancellation, or a question that cannot be composed.
    pub fn summary(&self, watch: ProgressSink<'_>) -> Result<Summary> {
        let mut summary = Summary {
            dataset: self.dataset().into(),
            questions: self.questions,
            notes: self.repeated(),
            ..Summary::default()
        };
        let mut rows: BTreeMap<(String, QuestionKind), BTreeMap<Option<u64>, u64>> =
            BTreeMap::new();
        self.each(&Ok, watch, &mut |item: Item| {
            let subtask = item.subtask.clone().unwrap_or_default();
            let chance = item.chance().map(f64::to_bits);
            *rows
                .entry((subtask, item.kind))
                .or_default()
                .entry(chance)
                .or_default() += 1;
            summary.pictures = summary.pictures.max(last_picture_of(&item));
            if !summary.examples.iter().any(|e| e.kind == item.kind) {
                summary.examples.push(item);
            }
            Ok(())
        })?;
        let row = |((subtask, kind), chances): (_, BTreeMap<Option<u64>, u64>)| Count {
            subtask,
            kind,
            questions: chances.values().sum(),
            chances: chances
                .into_iter()
                .map(|(c, questions)| Chance {
                    chance: c.map(f64::from_bits),
                    questions,
                })
                .collect(),
        };
        summary.counts = rows.into_iter().map(row).collect();
        Ok(summary)
    }
}

/// The content of a composition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub dataset: String,
    pub questions: u64,
    /// Pictures that the questions are about.
    pub pictures: u64,
    /// Questions by subtask and type.
    pub counts: Vec<Count>,
    /// The first question of each type.
    pub examples: Vec<Item>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Questions of one subtask and type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    pub subtask: String,
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    pub questions: u64,
    /// Numbers of questions by chance level.
    pub chances: Vec<Chance>,
}

/// Questions of one chance level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chance {
    /// Share of right answers of a blind guess. `None` for free form.
    pub chance: Option<f64>,
    pub questions: u64,
}

/// Number of the item's last picture. Numbers are assigned in order and without gaps.
fn last_picture_of(item: &Item) -> u64 {
    let second = item
        .pair
        .as_ref()
        .is_some_and(|p| p.side != benchtop_model::Side::Manipulated);
    item.provenance.as_ref().map_or(0, |p| p.picture) + u64::from(second)
}

/// Hash of everything that the questions of an order depend on.
fn fingerprint(metadata: &Metadata, order: &Order) -> Result<String> {
    let order =
        serde_json::to_string(order).map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
    let hash = of_texts([
        env!("CARGO_PKG_VERSION"),
        &metadata.vocabulary_revision(),
        &metadata.template_revision(),
        &order,
    ]);
    Ok(hash.to_hex().to_string())
}

fn question(composer: &mut Composer, n: u64) -> Result<Item> {
    composer.question(n).ok_or_else(|| {
        let (subject, subtask) = composer.subject_and_subtask(n).unwrap_or_default();
        let (what, help) = if composer.is_impossible(n) {
            (
                "no compatible terms are left for its picture",
                "loosen the rules in compatibility.toml, or use --allow-impossible",
            )
        } else {
            (
                "no term is left that is wrong for its picture",
                "add different terms to the vocabulary, or exclude terms that are true of every picture",
            )
        };
        Error::input(format!("question {}, {subtask} of {subject}: {what}", n + 1)).field(subtask).help(help)
    })
}

/// Whether two items are equal apart from the places of their pictures and the revisions of unused
/// files.
fn is_unchanged(mut there: Item, mut item: Item) -> bool {
    for item in [&mut there, &mut item] {
        item.images.iter_mut().for_each(forget_where);
        if let Some(provenance) = &mut item.provenance {
            provenance.vocabulary.clear();
            provenance.templates.clear();
        }
    }
    there == item
}

#[cfg(test)]
mod tests;
