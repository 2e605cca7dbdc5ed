//! The sample data set, imported like any other: drawn items, and with [`Extent::Finished`] also
//! composed ones and the answers of made-up models.

use super::compose::{self, Composition, Order};
use super::import::Outcome;
use super::pictures;
use benchtop_compose::sample::{self, MARK, models::MODELS};
use benchtop_files::project::Project;
use benchtop_model::import::{FileReport, Report};
use benchtop_model::{Error, Form, Item, Result};
use benchtop_store::Catalog;
use benchtop_store::columns::Columns;
use benchtop_store::index::Index;
use benchtop_store::manifest::{self, Content, Manifest, Segment};
use benchtop_store::open::{FinishedSegment, add_import};
use benchtop_store::segment::Writer;

/// Plan of the composed items. Their data set is `sample-1`.
const PLAN: &str = r#"
name = "sample"

[[pictures]]
subject = "animal"
count = 6
about = ["animal", "color", "style"]
kinds = ["multiple-choice", "true-false"]
styles = ["watercolor painting", "impressionism", "pointillism"]
"#;

/// How much of the sample to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The drawn items.
    Items,
    /// The items and answers of a finished project.
    Finished,
}

/// Sources of the segments.
const DRAWN: &str = "drawn by benchtop";
const COMPOSED: &str = "composed by benchtop for its sample";
const MADE_UP: &str = "made up by benchtop";

/// Whether this content is the sample's, or later texts of its items.
pub fn is_of_sample(holds: &Content) -> bool {
    match holds {
        Content::Items { dataset } => is_dataset(dataset),
        Content::Revisions { .. } => true,
        Content::Predictions { model, run, .. } => run.is_none() && model.starts_with(MARK),
    }
}

/// Whether a data set is one of the sample.
pub fn is_dataset(name: &str) -> bool {
    name == sample::DATASET || name == format!("{MARK}{}", sample::SEED)
}

/// Whether an item is of the sample, or was derived from one that is.
pub fn is_item(item: &Item) -> bool {
    let of = item
        .variant
        .as_ref()
        .and_then(|variant| variant.of.as_deref());
    let original = of.and_then(|id| id.split_once('/'));
    let is_marked = item.task.as_deref() == Some(sample::DATASET)
        || item.extra.get("sample") == Some(&true.into());
    (is_marked && is_dataset(&item.dataset)) || original.is_some_and(|(name, _)| is_dataset(name))
}

/// Adds the sample to the project, unless it was added before.
///
/// # Errors
///
/// If a write fails. Then the project is unchanged.
pub fn fill(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    (extent, at): (Extent, &str),
) -> Result<Outcome> {
    let mut report = Report::default();
    let manifest = Manifest::for_import(&project.imports())?;
    let is_sample =
        |p: &Segment| matches!(&p.holds, Content::Items { dataset } if dataset == sample::DATASET);
    let mut parts = manifest.entries.iter().flat_map(|e| &e.parts);
    if let Some(part) = parts.find(|p| is_sample(p)) {
        report.already = part.rows;
        report.notes.push("the sample was already added".into());
        return Ok(Outcome {
            catalog: None,
            report,
        });
    }
    let mut items = drawn(project, &mut report)?;
    if extent == Extent::Finished {
        items.extend(composed()?);
    }
    let mut segments = Segments {
        project,
        number: manifest.next(),
        fresh: Vec::new(),
    };
    let mut columns = catalog.columns().clone();
    let written = segments.write(extent, &items, &mut columns, &mut report);
    let files: Vec<String> = segments.files();
    let remove = |_: &Error| {
        manifest::remove_segments(&project.imports(), files.iter().map(String::as_str));
    };
    written.inspect_err(remove)?;
    report.notes.push(
        "this is a sample: the program draws its pictures, and some answers are wrong on purpose"
            .into(),
    );
    let (catalog, notice) =
        add_import(project, index, catalog, columns, segments.fresh, at).inspect_err(remove)?;
    report.notes.extend(notice);
    Ok(Outcome {
        catalog: Some(catalog),
        report,
    })
}

/// Draws the items, and stores their pictures.
fn drawn(project: &Project, report: &mut Report) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for drawn in sample::draw() {
        let drawn = drawn?;
        let image = drawn.items.first().and_then(|i| i.images.first());
        let stored = image
            .and_then(|i| i.stored())
            .ok_or_else(|| Error::corrupt("a sample picture has no name"))?;
        pictures::put(project.root(), &stored, &drawn.png)?;
        report.pictures += 1;
        items.extend(drawn.items);
    }
    pictures::sync(&project.images())?;
    Ok(items)
}

/// Composes items from the shipped metadata.
fn composed() -> Result<Vec<Item>> {
    let (metadata, unreadable) = compose::metadata(None)?;
    let order = Order {
        plan: Some(PLAN.into()),
        seed: sample::SEED,
        ..Order::default()
    };
    let mut items = Composition::new(&metadata, &unreadable, &order)?.items()?;
    for item in &mut items {
        item.extra.insert("sample".into(), true.into());
    }
    Ok(items)
}

/// The segments of the import.
struct Segments<'p> {
    project: &'p Project,
    /// Number of the import.
    number: u64,
    fresh: Vec<FinishedSegment>,
}

impl Segments<'_> {
    /// Writes the items, and the answers of all models to them.
    fn write(
        &mut self,
        extent: Extent,
        items: &[Item],
        columns: &mut Columns,
        report: &mut Report,
    ) -> Result<()> {
        let sets: Vec<&[Item]> = items.chunk_by(|a, b| a.dataset == b.dataset).collect();
        for set in &sets {
            set.iter().try_for_each(|item| columns.push(item))?;
            let dataset = set[0].dataset.clone();
            let source = match dataset == sample::DATASET {
                true => DRAWN,
                false => COMPOSED,
            };
            let (path, added) = (dataset.clone().into(), set.len() as u64);
            report.items += added;
            report.files.push(FileReport {
                path,
                format: source.into(),
                added,
            });
            self.put(("items", source), Content::Items { dataset }, set.iter())?;
        }
        if extent == Extent::Items {
            return Ok(());
        }
        for model in &MODELS {
            for set in &sets {
                let holds = Content::Predictions {
                    model: model.name.into(),
                    form: Form::Plain,
                    evaluated: false,
                    dataset: Some(set[0].dataset.clone()),
                    run: None,
                };
                let answers = set.iter().map(|item| model.answer(item));
                report.predictions += self.put(("answers", MADE_UP), holds, answers)?;
            }
        }
        Ok(())
    }

    /// Writes one segment. Returns the number of its rows.
    fn put<T: serde::Serialize>(
        &mut self,
        (word, source): (&str, &str),
        holds: Content,
        rows: impl Iterator<Item = T>,
    ) -> Result<u64> {
        let mut writer = Writer::create(&self.project.imports())?;
        for row in rows {
            writer.push(&row)?;
        }
        let file = format!(
            "{:04}-{:02}-{word}.jsonl.zst",
            self.number,
            self.fresh.len() + 1
        );
        let done = writer.finish(&file)?;
        let part = Segment {
            file,
            holds,
            rows: done.rows,
            duplicates: 0,
            bytes: done.bytes,
            blake3: done.blake3,
            source: source.into(),
            source_blake3: String::new(),
        };
        self.fresh.push(FinishedSegment {
            part,
            frames: done.frames,
            rows: None,
        });
        Ok(done.rows)
    }

    fn files(&self) -> Vec<String> {
        self.fresh.iter().map(|f| f.part.file.clone()).collect()
    }
}
