//! Makes one picture of a scenario.

use super::kind::{Painter, Parameters, Per, Scenario};
use crate::derive::keep_picture;
use crate::generate::png;
use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::{Error, ErrorKind, Item, Result};
use benchtop_raster::decode::decode;
use benchtop_store::jobs::{MadePicture, PlannedPicture};

/// Why a picture was not made.
#[derive(Debug)]
pub enum MakeError {
    /// It cannot be made; the others can.
    Failed(Failure),
    /// No picture can be written, for example because the disk is full.
    Fatal(Error),
    /// The work was canceled before it was made.
    Canceled,
}

/// The bytes of a picture, and what was found out about it. `item` is one of its items.
///
/// # Errors
/// A source that changed, that cannot be read, or that the method refuses; cancellation.
pub fn bytes(
    project: &Project,
    painter: &dyn Painter,
    planned: &PlannedPicture,
    item: &Item,
    cancel: Cancel<'_>,
) -> Result<(Vec<u8>, Parameters)> {
    let image = item
        .images
        .first()
        .filter(|image| image.hash.as_ref() == Some(&planned.picture));
    let image = image.ok_or_else(changed)?;
    let file = PictureFile::of(project.root(), image).ok_or_else(changed)?;
    let source = decode(&file.read()?).map_err(|problem| problem.file(&file.path))?;
    let (made, found) = painter.paint(&source, &planned.parameters, cancel)?;
    Ok((png::derived(&made)?, found))
}

/// Makes a picture and stores it durably. `items` are its items, as they are now.
///
/// # Errors
/// See [`MakeError`].
pub fn make(
    project: &Project,
    (scenario, painter): (&dyn Scenario, &dyn Painter),
    planned: &PlannedPicture,
    items: &[Item],
    cancel: Cancel<'_>,
) -> std::result::Result<MadePicture, MakeError> {
    let failed = |problem: Error| match problem.kind {
        ErrorKind::Cancelled => MakeError::Canceled,
        _ => MakeError::Failed(Failure::new(FailureKind::Input, problem.to_string())),
    };
    let is_same = |(item, (_, digest)): (&Item, &(u32, String))| item.digest() == *digest;
    let Some(first) = items
        .first()
        .filter(|_| items.iter().zip(&planned.items).all(is_same))
    else {
        return Err(failed(changed()));
    };
    let (bytes, found) = bytes(project, painter, planned, first, cancel).map_err(failed)?;
    let image = &first.images[0];
    let folder = folder(scenario, planned, first);
    let made = keep_picture(project, image, &folder, &bytes);
    match made {
        Ok(made) => Ok(MadePicture {
            hash: made.hash.unwrap_or_default(),
            found,
        }),
        Err(problem) if problem.kind == ErrorKind::Input => Err(failed(problem)),
        Err(problem) => Err(MakeError::Fatal(problem)),
    }
}

/// The folder before the name of a derived picture, which exports use: no two pictures of a scenario
/// have the same name.
pub(super) fn folder(scenario: &dyn Scenario, planned: &PlannedPicture, item: &Item) -> String {
    let name = scenario.name();
    match (scenario.per(), &*planned.suffix) {
        (Per::Picture, "") => name.into(),
        (Per::Picture, suffix) => format!("{name}/{suffix}"),
        (Per::Question, _) => {
            let plain = |c: char| match c.is_alphanumeric() || "-_".contains(c) {
                true => c,
                false => '_',
            };
            let key: String = item.key.to_string().chars().map(plain).collect();
            format!("{name}/{key}")
        }
    }
}

/// Why the picture of an item that changed is not made or not used.
pub fn changed() -> Error {
    Error::input("the item or its picture changed since the job was planned")
        .help("start the scenario again to derive it from what it is now")
}
