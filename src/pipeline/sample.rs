//! The sample data set, imported like any other.

use super::import::Outcome;
use super::new_segments::NewSegments;
use super::pictures;
use benchtop_compose::sample;
use benchtop_files::project::Project;
use benchtop_model::import::{FileReport, Report};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::Catalog;
use benchtop_store::index::Index;
use benchtop_store::manifest::{Content, Manifest, Segment};
use benchtop_store::segment::Writer;

/// Adds the sample to the project, unless it was added before.
///
/// # Errors
///
/// If a write fails. Then the project is unchanged.
pub fn fill(project: &Project, index: &Index, catalog: &Catalog, at: &str) -> Result<Outcome> {
    let mut report = Report::default();
    let manifest = Manifest::for_import(&project.imports())?;
    let is_sample =
        |p: &Segment| matches!(&p.holds, Content::Items { dataset } if dataset == sample::DATASET);
    if let Some(part) = manifest
        .entries
        .iter()
        .flat_map(|e| &e.parts)
        .find(|p| is_sample(p))
    {
        report.already = part.rows;
        report.notes.push("the sample was already added".into());
        return Ok(Outcome {
            catalog: None,
            report,
        });
    }
    let mut writer = Writer::create(&project.imports())?;
    let mut columns = catalog.columns().clone();
    for drawn in sample::draw() {
        let drawn = drawn?;
        let stored = drawn
            .items
            .first()
            .and_then(|i| i.images.first())
            .and_then(|i| i.stored());
        let stored =
            stored.ok_or_else(|| Error::new(ErrorKind::Corrupt, "a sample picture has no name"))?;
        pictures::put(project.root(), &stored, &drawn.png)?;
        report.pictures += 1;
        for item in drawn.items {
            columns.push(&item)?;
            writer.push(&item)?;
        }
    }
    pictures::sync(&project.images())?;
    let holds = Content::Items {
        dataset: sample::DATASET.into(),
    };
    let mut made = NewSegments::new(project, &manifest);
    report.items = made.push(writer, holds, "drawn by benchtop".into())?.rows;
    report.files.push(FileReport {
        path: "sample".into(),
        format: "drawn by benchtop".into(),
        added: report.items,
    });
    report.notes.push(
        "this is a sample: the program draws its pictures, and some answers are wrong on purpose"
            .into(),
    );
    let (catalog, notice) = made.add(project, index, catalog, columns, at)?;
    report.notes.extend(notice);
    Ok(Outcome {
        catalog: Some(catalog),
        report,
    })
}
