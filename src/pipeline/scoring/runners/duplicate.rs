//! Near duplicates within the set and in reference folders (VLB, section 3): the largest cosine of
//! a picture with another one.
//!
//! Pictures that were derived from one another are not compared (`scoring::kin`).
//!
//! Embeddings are stored, so that each picture passes through the model once. A new picture may be
//! nearer to an already scored one, whose score is then updated.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use half::f16;
use serde_json::json;

use super::clip_and_safety::{decoded, refused};
use crate::scoring::kin::Kin;
use crate::scoring::runner::{Runner, ScoreSink, Subject};
use benchtop_inference::preprocess;
use benchtop_inference::scoring::ImageEmbedder;
use benchtop_metrics::nearest::{Rows, nearest_where};
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::{file_key, hex};
use benchtop_model::generation::{Fingerprint, Pixels};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::scores::{DIMENSION, EMBEDDINGS, Embeddings, ScorerVersion, Scores};

/// Pictures per call.
const BATCH: usize = 64;
/// Extensions of pictures in reference folders.
const PICTURES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "gif", "bmp"];

/// The scorer. See the module documentation.
pub struct Duplicates {
    about: ScorerVersion,
    model: Box<dyn ImageEmbedder>,
    embeddings: Embeddings,
    /// Largest cosine so far of scored pictures.
    best: HashMap<u64, f32>,
    /// Files of reference pictures, which are not in the set.
    references: HashMap<u64, PathBuf>,
    /// Reference folders that were not read yet.
    unread: Vec<PathBuf>,
    kin: Kin,
}

impl Duplicates {
    /// Compares embeddings of `model`, named `name`, from the folder `scores`: within the set and
    /// with the pictures in `references`.
    ///
    /// # Errors
    ///
    /// If stored embeddings cannot be read.
    pub fn new(
        scores: &Path,
        name: &str,
        model: Box<dyn ImageEmbedder>,
        references: &[PathBuf],
    ) -> Result<Duplicates> {
        let listed = references
            .iter()
            .map(|f| f.display().to_string())
            .collect::<Vec<_>>()
            .join(", ");
        let short = model.fingerprint().short();
        let print: Fingerprint = model
            .fingerprint()
            .with(DIMENSION, model.dimension())
            .with(EMBEDDINGS, &short);
        let print = print.with("references", listed).with("kin", "apart");
        let about = ScorerVersion::new(Scorer::Duplicate, name.to_string(), &print, 1.0);
        // Embeddings do not depend on what they are compared with.
        let embeddings = Embeddings::open(scores, &short, model.dimension())?;
        let mut best = HashMap::new();
        if let Some(scores) =
            Scores::current(scores, &Scorer::Duplicate)?.filter(|s| s.about == about)
        {
            let of = |key: &u64| (*key, scores.get(*key));
            let scored = embeddings
                .keys
                .iter()
                .map(of)
                .filter(|(_, (state, _))| *state == ScoreState::Scored);
            best.extend(scored.map(|(key, (_, value))| (key, value)));
        }
        Ok(Duplicates {
            about,
            model,
            embeddings,
            best,
            references: HashMap::new(),
            unread: references.to_vec(),
            kin: Kin::default(),
        })
    }

    /// Embeds new pictures of the reference folders. False after cancellation.
    fn read_references(&mut self, cancel: Cancel<'_>) -> Result<bool> {
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
                    self.references.insert(key, file.clone());
                    if self.embeddings.get(key).is_none()
                        && let Ok(picture) = image::load_from_memory(&bytes)
                    {
                        fresh.push((key, preprocess::rgb(&picture)));
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

    fn detail(&self, key: u64) -> String {
        match self.references.get(&key) {
            Some(file) => json!({ "reference": file.display().to_string() }).to_string(),
            None => json!({ "picture": hex(key) }).to_string(),
        }
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

impl Runner for Duplicates {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn set_kin(&mut self, kin: Kin) {
        self.kin = kin;
    }

    fn score(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        if !self.read_references(cancel)? {
            return Ok(());
        }
        let unknown: Vec<Subject> = subjects
            .iter()
            .filter(|s| self.embeddings.get(s.key).is_none())
            .cloned()
            .collect();
        let Some((places, pictures)) = decoded(&unknown, keep) else {
            return Ok(());
        };
        let keyed: Vec<(u64, Pixels)> = places
            .iter()
            .map(|at| unknown[*at].key)
            .zip(pictures)
            .collect();
        let failures = self.embed(&keyed, cancel)?;
        for (key, score) in failures {
            if !keep(Some((key, score))) {
                return Ok(());
            }
        }
        let here: Vec<u64> = subjects
            .iter()
            .map(|s| s.key)
            .filter(|key| self.embeddings.get(*key).is_some())
            .collect();
        if cancel.is_canceled() || here.is_empty() {
            return Ok(());
        }
        let dim = self.embeddings.dim;
        let queries: Vec<f16> = here
            .iter()
            .filter_map(|key| self.embeddings.get(*key))
            .flatten()
            .copied()
            .collect();
        let all = Rows::new(&self.embeddings.rows, dim)?;
        // The nearest neighbor that is neither the picture itself nor its kin.
        let keys = &self.embeddings.keys;
        let counts = |a: usize, b: usize| match (here.get(a), keys.get(b)) {
            (Some(a), Some(b)) => a != b && !self.kin.are(*a, *b),
            _ => false,
        };
        let found = match nearest_where(&Rows::new(&queries, dim)?, &all, 1, &counts, cancel) {
            Ok(found) => found,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Ok(()),
            Err(problem) => return Err(problem),
        };
        let mut given: Vec<(u64, f32, u64)> = Vec::new();
        for (key, matches) in here.iter().zip(found) {
            let Some(best) = matches.first() else {
                given.push((*key, 0.0, 0));
                continue;
            };
            let near = self.embeddings.keys[best.b];
            given.push((*key, best.cosine, near));
            // The neighbor may not have had one as near before.
            if self
                .best
                .get(&near)
                .is_some_and(|before| *before < best.cosine)
            {
                given.push((near, best.cosine, *key));
            }
        }
        for (key, cosine, near) in given {
            let before = self.best.entry(key).or_insert(cosine);
            *before = before.max(cosine);
            let detail = if near == 0 {
                String::new()
            } else {
                self.detail(near)
            };
            if !keep(Some((key, Score::scored(cosine, detail)))) {
                return Ok(());
            }
        }
        Ok(())
    }
}
