//! Stored embeddings of the project's pictures and of reference folders. Each picture passes through
//! the model once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::clip_and_safety::{decoded, refused};
use crate::scoring::runner::{ScoreSink, Subject};
use benchtop_inference::scoring::ImageEmbedder;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::file_key;
use benchtop_model::generation::{Fingerprint, Pixels};
use benchtop_model::scoring::Score;
use benchtop_model::{Error, Result};
use benchtop_raster::pillow;
use benchtop_store::scores::{DIMENSION, EMBEDDINGS, Embeddings};

/// Pictures per call.
pub(super) const BATCH: usize = 64;
/// Extensions of pictures in reference folders.
const PICTURES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "gif", "bmp"];

/// See the module documentation.
pub(super) struct EmbeddedPictures {
    model: Box<dyn ImageEmbedder>,
    pub(super) embeddings: Embeddings,
    /// Files of reference pictures by key. Equal files have one key.
    pub(super) references: HashMap<u64, Vec<PathBuf>>,
    /// Reference folders that were not read yet.
    unread: Vec<PathBuf>,
}

impl EmbeddedPictures {
    /// Opens the stored embeddings of `model` in the folder `scores`.
    ///
    /// # Errors
    ///
    /// If stored embeddings cannot be read.
    pub(super) fn open(
        scores: &Path,
        model: Box<dyn ImageEmbedder>,
        references: &[PathBuf],
    ) -> Result<EmbeddedPictures> {
        let short = model.fingerprint().short();
        Ok(EmbeddedPictures {
            embeddings: Embeddings::open(scores, &short, model.dimension())?,
            model,
            references: HashMap::new(),
            unread: references.to_vec(),
        })
    }

    /// The fingerprint of the model, and where its embeddings are.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let print = self.model.fingerprint();
        let short = print.short();
        print
            .with(DIMENSION, self.model.dimension())
            .with(EMBEDDINGS, &short)
    }

    /// Embeds new pictures of the reference folders. False after cancellation.
    pub(super) fn read_references(&mut self, cancel: Cancel<'_>) -> Result<bool> {
        while let Some(folder) = self.unread.last().cloned() {
            let mut files = Vec::new();
            list(&folder, &mut files)?;
            for some in files.chunks(BATCH) {
                let mut fresh: Vec<(u64, Pixels)> = Vec::new();
                for file in some {
                    let Ok(bytes) = std::fs::read(file) else {
                        continue;
                    };
                    let Some(key) = file_key(blake3::hash(&bytes).to_hex().as_str()) else {
                        continue;
                    };
                    self.references.entry(key).or_default().push(file.clone());
                    if self.embeddings.get(key).is_none()
                        && let Ok(picture) = image::load_from_memory(&bytes)
                    {
                        fresh.push((key, pillow::rgb(&picture)));
                    }
                }
                self.embed(&fresh, cancel)?;
                if cancel.is_canceled() {
                    return Ok(false);
                }
            }
            self.unread.pop();
        }
        Ok(true)
    }

    /// Whether any reference picture has an embedding.
    pub(super) fn has_references(&self) -> bool {
        let embedded = |key: &u64| self.embeddings.get(*key).is_some();
        self.references.keys().any(embedded)
    }

    /// Embeds new pictures of `subjects`. Those without an embedding get a score that says why.
    /// False after cancellation.
    pub(super) fn read_subjects(
        &mut self,
        subjects: &[Subject],
        by: fn(&Subject) -> u64,
        keep: ScoreSink<'_>,
        cancel: Cancel<'_>,
    ) -> Result<bool> {
        let unknown: Vec<Subject> = subjects
            .iter()
            .filter(|s| self.embeddings.get(by(s)).is_none())
            .cloned()
            .collect();
        let Some((places, pictures)) = decoded(&unknown, keep) else {
            return Ok(false);
        };
        let keyed: Vec<(u64, Pixels)> = places
            .iter()
            .map(|at| by(&unknown[*at]))
            .zip(pictures)
            .collect();
        let failures = self.embed(&keyed, cancel)?;
        for subject in &unknown {
            if let Some(score) = failures.get(&by(subject))
                && !keep(Some((subject.key, score.clone())))
            {
                return Ok(false);
            }
        }
        Ok(!cancel.is_canceled())
    }

    /// Embeds and stores pictures. Returns the failures with reasons.
    fn embed(
        &mut self,
        pictures: &[(u64, Pixels)],
        cancel: Cancel<'_>,
    ) -> Result<HashMap<u64, Score>> {
        let images: Vec<Pixels> = pictures.iter().map(|(_, p)| p.clone()).collect();
        let results = self.model.embed(&images, cancel);
        let (mut points, mut failures) = (Vec::new(), HashMap::new());
        for ((key, _), result) in pictures.iter().zip(results) {
            match result {
                Ok(point) => points.push((*key, point)),
                Err(failure) => failures.extend(refused(&failure).map(|score| (*key, score))),
            }
        }
        self.embeddings.append(&points)?;
        Ok(failures)
    }
}

/// Lists the pictures below a folder, in order.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot read the reference pictures", folder);
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(fail)?
        .filter_map(|e| Some(e.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        let ext = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default()
            .to_lowercase();
        if path.is_dir() && !path.is_symlink() {
            list(&path, files)?;
        } else if PICTURES.contains(&ext.as_str()) {
            files.push(path);
        }
    }
    Ok(())
}
