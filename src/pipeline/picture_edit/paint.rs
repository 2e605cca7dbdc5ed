//! Paints and stores edits.

use std::collections::BTreeMap;

use benchtop_files::picture_file::PictureFile;
use benchtop_files::project::Project;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{Failure, FailureKind, Picture, Settings, Task};
use benchtop_model::{Error, ErrorKind, ImageRef, Result};

use super::edit::Edit;
use super::prepared::Prepared;
use super::record;
use crate::derive::keep_picture;
use crate::generate::png;
use crate::scenario::Parameters;

/// An edit of a picture of the project.
#[derive(Clone, Debug)]
pub struct PictureEdit<'a> {
    /// The source picture, located. For the second edit of a composition, the result of the first one.
    pub source: &'a ImageRef,
    /// The folder before the name of the result, such as `V1/try-2`. See [`keep_picture`].
    pub folder: &'a str,
    pub edit: Edit,
    /// What the painter is asked to paint.
    pub prompt: &'a str,
    pub negative_prompt: Option<&'a str>,
    pub seed: u64,
}

/// An edited picture that is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedPicture {
    /// Its reference for the new item. It is a draft if the painter makes drafts, or if the source is one.
    pub image: ImageRef,
    /// The parameters of the derivation, with the seed. See [`chained`](super::chained) for several edits.
    pub parameters: Parameters,
    /// What the painter said, such as that a server rewrote the prompt.
    pub notes: Vec<String>,
}

/// What became of the edits.
#[derive(Debug)]
pub enum EditEvent {
    /// The painter is at work.
    Alive,
    /// Edit `index` (from 0) is finished. Sent exactly once for each, in any order. A result is on disk.
    Done {
        index: usize,
        result: std::result::Result<EditedPicture, Failure>,
    },
}

/// Paints edits, puts what was painted back into the source pictures, and stores the results durably.
/// Edits with one size are painted together, up to the largest batch of the painter. `settings` are
/// those of the painter; each edit sets their width and height. Once `watch` returns `false`, the rest
/// fails as canceled.
///
/// # Errors
/// If a result cannot be written. Then the edits that were not told are not stored.
pub fn edit_pictures(
    project: &Project,
    painter: &mut dyn ImageGenerator,
    settings: &Settings,
    edits: &[PictureEdit<'_>],
    watch: &mut dyn FnMut(EditEvent) -> bool,
) -> Result<()> {
    let most = painter.capabilities().max_batch.max(1);
    let mut goes_on = true;
    for (number, part) in edits.chunks(most).enumerate() {
        let mut sizes: BTreeMap<(u32, u32), Vec<(usize, Prepared)>> = BTreeMap::new();
        for (at, edit) in part.iter().enumerate() {
            let index = number * most + at;
            let prepared = match goes_on {
                true => prepare(project, painter, edit),
                false => Err(Failure::cancelled()),
            };
            match prepared {
                Ok(prepared) => {
                    let of = prepared.settings(settings);
                    let alike = sizes.entry((of.width, of.height)).or_default();
                    alike.push((index, prepared));
                }
                Err(failure) => {
                    let result = Err(failure);
                    goes_on &= watch(EditEvent::Done { index, result });
                }
            }
        }
        for alike in sizes.into_values() {
            paint(
                project,
                painter,
                (settings, edits),
                alike,
                &mut goes_on,
                watch,
            )?;
        }
    }
    Ok(())
}

fn prepare(
    project: &Project,
    painter: &dyn ImageGenerator,
    edit: &PictureEdit<'_>,
) -> std::result::Result<Prepared, Failure> {
    let wrong = |problem: Error| Failure::new(FailureKind::Input, problem.to_string());
    let file = PictureFile::of(project.root(), edit.source).ok_or_else(|| {
        let what = format!("the picture `{}` has no file", edit.source.name);
        Failure::new(FailureKind::Input, what)
    })?;
    let bytes = file.read().map_err(wrong)?;
    let asked = (edit.prompt, edit.negative_prompt, edit.seed);
    Prepared::new(&bytes, &edit.edit, asked, painter.capabilities()).map_err(wrong)
}

/// Paints edits of one size.
fn paint(
    project: &Project,
    painter: &mut dyn ImageGenerator,
    (settings, edits): (&Settings, &[PictureEdit<'_>]),
    alike: Vec<(usize, Prepared)>,
    goes_on: &mut bool,
    watch: &mut dyn FnMut(EditEvent) -> bool,
) -> Result<()> {
    let Some((_, first)) = alike.first() else {
        return Ok(());
    };
    let settings = first.settings(settings);
    let capabilities = painter.capabilities().clone();
    let print = painter.fingerprint(&settings);
    let mut told = vec![false; alike.len()];
    let mut fatal = None;
    let store = |at: usize, result: std::result::Result<Picture, Failure>| {
        let (index, prepared) = &alike[at];
        let edit = &edits[*index];
        let finished = |picture: Picture| {
            let edited = prepared.finish(picture.pixels)?;
            let wrong = |problem: Error| Failure::new(FailureKind::BadOutput, problem.to_string());
            let bytes = png::derived(&edited).map_err(wrong)?;
            Ok((bytes, picture.notes))
        };
        let (bytes, notes) = match result.and_then(finished) {
            Ok(finished) => finished,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut image = match keep_picture(project, edit.source, edit.folder, &bytes) {
            Ok(image) => image,
            Err(problem) if problem.kind == ErrorKind::Input => {
                let failure = Failure::new(FailureKind::Input, problem.to_string());
                return Ok(Err(failure));
            }
            Err(problem) => return Err(problem),
        };
        image.draft |= capabilities.draft;
        let parameters = record::parameters(&edit.edit, prepared, &capabilities, &print, &notes);
        Ok(Ok(EditedPicture {
            image,
            parameters,
            notes,
        }))
    };
    if *goes_on {
        let tasks: Vec<Task> = alike.iter().map(|(_, edit)| edit.task.clone()).collect();
        painter.generate(&settings, &tasks, &mut |event| {
            match event {
                GenerationEvent::Step { .. } => *goes_on &= watch(EditEvent::Alive),
                GenerationEvent::Done { index, result } if fatal.is_none() => {
                    match store(index, result) {
                        Ok(result) => {
                            told[index] = true;
                            let index = alike[index].0;
                            *goes_on &= watch(EditEvent::Done { index, result });
                        }
                        Err(problem) => fatal = Some(problem),
                    }
                }
                GenerationEvent::Done { .. } => {}
            }
            *goes_on && fatal.is_none()
        });
    }
    if let Some(problem) = fatal {
        return Err(problem);
    }
    for ((index, _), _) in alike.iter().zip(&told).filter(|(_, is_told)| !**is_told) {
        let result = Err(Failure::cancelled());
        *goes_on &= watch(EditEvent::Done {
            index: *index,
            result,
        });
    }
    Ok(())
}
