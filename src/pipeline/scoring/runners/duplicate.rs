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

use super::embedded::{BATCH, EmbeddedPictures};
use crate::scoring::kin::Kin;
use crate::scoring::runner::{Runner, ScoreSink, Subject};
use benchtop_inference::scoring::ImageEmbedder;
use benchtop_metrics::nearest::{Rows, nearest_where};
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::hex;
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::{ErrorKind, Result};
use benchtop_store::scores::{ScorerVersion, Scores};

/// The scorer. See the module documentation.
pub struct Duplicates {
    about: ScorerVersion,
    pictures: EmbeddedPictures,
    /// Largest cosine so far of scored pictures.
    best: HashMap<u64, f32>,
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
        // Embeddings do not depend on what they are compared with.
        let pictures = EmbeddedPictures::open(scores, model, references)?;
        let print = pictures.fingerprint().with("references", listed);
        let print = print.with("kin", "apart");
        let about = ScorerVersion::new(Scorer::Duplicate, name.to_string(), &print, 1.0);
        let mut best = HashMap::new();
        if let Some(scores) =
            Scores::current(scores, &Scorer::Duplicate)?.filter(|s| s.about == about)
        {
            let of = |key: &u64| (*key, scores.get(*key));
            let scored = pictures
                .embeddings
                .keys
                .iter()
                .map(of)
                .filter(|(_, (state, _))| *state == ScoreState::Scored);
            best.extend(scored.map(|(key, (_, value))| (key, value)));
        }
        Ok(Duplicates {
            about,
            pictures,
            best,
            kin: Kin::default(),
        })
    }

    fn detail(&self, key: u64) -> String {
        match self.pictures.references.get(&key).and_then(|f| f.first()) {
            Some(file) => json!({ "reference": file.display().to_string() }).to_string(),
            None => json!({ "picture": hex(key) }).to_string(),
        }
    }
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
        let pictures = &mut self.pictures;
        if !pictures.read_references(cancel)?
            || !pictures.read_subjects(subjects, |subject| subject.key, keep, cancel)?
        {
            return Ok(());
        }
        let embeddings = &self.pictures.embeddings;
        let here: Vec<u64> = subjects
            .iter()
            .map(|s| s.key)
            .filter(|key| embeddings.get(*key).is_some())
            .collect();
        if here.is_empty() {
            return Ok(());
        }
        let dim = embeddings.dim;
        let queries: Vec<f16> = here
            .iter()
            .filter_map(|key| embeddings.get(*key))
            .flatten()
            .copied()
            .collect();
        let all = Rows::new(&embeddings.rows, dim)?;
        // The nearest neighbor that is neither the picture itself nor its kin.
        let keys = &embeddings.keys;
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
            let near = embeddings.keys[best.b];
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
