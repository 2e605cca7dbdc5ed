//! Image-text contamination (VLB, contamination analysis): of an item whose picture is near to a
//! reference picture, whether a judge says that the caption of that picture answers the question.
//!
//! Other than a duplicate, a reference may be the very file of the item, or what it was derived from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::f16;
use serde_json::{Value, json};

use super::embedded::{BATCH, EmbeddedPictures, list};
use super::judge::{ask_each, not_applicable, pictures, spent};
use crate::scoring::captions::{Captions, FILE};
use crate::scoring::runner::{Runner, ScoreSink, Spent, Subject};
use benchtop_compose::metadata::Judging;
use benchtop_compose::metadata::judge::fields_of;
use benchtop_inference::request_meter::RequestMeter;
use benchtop_inference::scoring::ImageEmbedder;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::judge::VERSION;
use benchtop_metrics::nearest::{Rows, nearest_where};
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Judge;
use benchtop_model::judge::{AnswerForm, Word};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::vlm::{Tally, VlmRequest};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::scores::ScorerVersion;

/// The judge question.
pub const QUESTION: &str = "contamination";
/// Maximum number of characters of a caption in the details of a score.
const SHOWN: usize = 1000;

/// The pictures to compare with.
pub struct ReferenceSet<'a> {
    pub folders: &'a [PathBuf],
    /// Cosine from which a picture counts as one of them.
    pub threshold: f32,
}

/// The scorer. See the module documentation.
pub struct Contaminated {
    about: ScorerVersion,
    pictures: EmbeddedPictures,
    captions: Captions,
    threshold: f32,
    judging: Arc<Judging>,
    pass: Word,
    model: Box<dyn VisionLanguageModel>,
    config: Judge,
    tally: Tally,
}

/// The nearest reference picture of a subject.
struct Nearest {
    cosine: f32,
    files: Vec<PathBuf>,
}

impl Contaminated {
    /// Compares with `references` by embeddings of `embedder`, which are stored in `scores`, and asks
    /// `judging` through `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] without references or captions, [`ErrorKind::Usage`] for a judge
    /// question of another kind, and errors of reading them.
    pub fn new(
        scores: &Path,
        embedder: Box<dyn ImageEmbedder>,
        references: &ReferenceSet<'_>,
        judging: Arc<Judging>,
        (model, config): (Box<dyn VisionLanguageModel>, &Judge),
    ) -> Result<Contaminated> {
        let AnswerForm::YesNo { pass } = judging.reads else {
            let what = format!("`{}` is not a yes-or-no question", judging.name);
            return Err(Error::new(ErrorKind::Usage, what).field("answer.read"));
        };
        let ReferenceSet { folders, threshold } = *references;
        check(folders)?;
        let captions = Captions::read(folders, Cancel::NEVER)?;
        if captions.is_empty() {
            return Err(without_captions(folders));
        }
        let mut files = Vec::new();
        for folder in folders {
            list(folder, &mut files)?;
        }
        let mut hasher = blake3::Hasher::new();
        for file in &files {
            let length = file.metadata().map_or(0, |meta| meta.len());
            hasher.update(file.as_os_str().as_encoded_bytes());
            hasher.update(&length.to_le_bytes());
        }
        let listed: String = hasher.finalize().to_hex().chars().take(16).collect();
        let pictures = EmbeddedPictures::open(scores, embedder, folders)?;
        let print = model
            .fingerprint()
            .with("judging", &judging.revision)
            .with("reading", VERSION)
            .with("clip", pictures.fingerprint().short())
            .with("references", listed)
            .with("captions", &captions.digest)
            .with("threshold", threshold);
        let name = model.abilities().name.clone();
        Ok(Contaminated {
            about: ScorerVersion::new(Scorer::Contamination, name, &print, 1.0),
            pictures,
            captions,
            threshold,
            judging,
            pass,
            model,
            config: config.clone(),
            tally: Tally::default(),
        })
    }

    /// The nearest reference picture of each subject; `None` for a subject without an embedding.
    fn nearest(
        &self,
        subjects: &[Subject],
        cancel: Cancel<'_>,
    ) -> Result<Option<Vec<Option<Nearest>>>> {
        let EmbeddedPictures {
            embeddings,
            references,
            ..
        } = &self.pictures;
        let points: Vec<Option<&[f16]>> = subjects
            .iter()
            .map(|subject| embeddings.get(subject.picture))
            .collect();
        if points.iter().all(Option::is_none) {
            return Ok(Some(points.iter().map(|_| None).collect()));
        }
        let queries: Vec<f16> = points
            .iter()
            .flatten()
            .copied()
            .flatten()
            .copied()
            .collect();
        let all = Rows::new(&embeddings.rows, embeddings.dim)?;
        let keys = &embeddings.keys;
        let counts = |_, b: usize| keys.get(b).is_some_and(|key| references.contains_key(key));
        let queries = Rows::new(&queries, embeddings.dim)?;
        let found = match nearest_where(&queries, &all, 1, &counts, cancel) {
            Ok(found) => found,
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let mut found = found.into_iter();
        let one = |point: &Option<&[f16]>| {
            point.as_ref()?;
            let nearest = found.next()?.into_iter().next()?;
            let key = keys.get(nearest.b)?;
            Some(Nearest {
                cosine: nearest.cosine,
                files: references.get(key).cloned().unwrap_or_default(),
            })
        };
        Ok(Some(points.iter().map(one).collect()))
    }

    /// The request about a subject and its nearest reference, or its score.
    fn ask(&self, subject: &Subject, nearest: &Nearest) -> std::result::Result<VlmRequest, Score> {
        if nearest.cosine < self.threshold {
            return Err(not_applicable("no reference picture is near"));
        }
        let caption = self.captions.of(&nearest.files);
        let caption =
            caption.ok_or_else(|| not_applicable("the near reference picture has no caption"))?;
        let original = subject.original.as_ref().map(|original| &original.item);
        let mut fields = fields_of(&subject.item, original);
        fields.insert("caption", caption);
        let asked = self.judging.ask(&fields, self.config.max_tokens);
        let ask = asked
            .map_err(|slot| not_applicable(&format!("the item has no value for `{{{slot}}}`")))?;
        let images = pictures(subject, self.judging.shows).map_err(|why| not_applicable(&why))?;
        Ok(VlmRequest { images, ..ask })
    }
}

/// Adds the nearest reference to the details of a score.
fn with(score: Score, nearest: &Nearest, (captions, threshold): (&Captions, f32)) -> Score {
    let mut detail: Value = serde_json::from_str(&score.detail).unwrap_or_else(|_| json!({}));
    detail["cosine"] = json!(nearest.cosine);
    detail["near"] = json!(nearest.cosine >= threshold);
    let file = nearest.files.first();
    detail["reference"] = json!(file.map(|file| file.display().to_string()));
    if let Some(caption) = captions.of(&nearest.files) {
        detail["caption"] = json!(caption.chars().take(SHOWN).collect::<String>());
    }
    Score {
        detail: detail.to_string(),
        ..score
    }
}

/// The nearest reference of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// It is not near.
    Apart,
    /// It is near, and has no caption.
    WithoutCaption,
    /// It is near, and has a caption.
    WithCaption,
}

/// The nearest reference by the details of a score. `None` if the item was not compared.
pub fn nearness(detail: &str) -> Option<Nearness> {
    let detail: Value = serde_json::from_str(detail).ok()?;
    Some(
        match (detail.get("near")?.as_bool()?, detail.get("caption")) {
            (false, _) => Nearness::Apart,
            (true, None) => Nearness::WithoutCaption,
            (true, Some(_)) => Nearness::WithCaption,
        },
    )
}

fn without_captions(folders: &[PathBuf]) -> Error {
    let error = Error::not_found("no reference picture has a caption")
        .field("filter.references")
        .help(format!(
            "write {FILE} into the folder, one object per line: {{\"file\": \"a.jpg\", \"caption\": \"a cat\"}}"
        ));
    match folders.first() {
        Some(folder) => error.file(folder.join(FILE)),
        None => error,
    }
}

/// Checks that there are reference folders with captions, without reading them.
///
/// # Errors
///
/// [`ErrorKind::NotFound`].
pub fn check(folders: &[PathBuf]) -> Result<()> {
    if folders.is_empty() {
        return Err(Error::not_found("no reference folders are configured")
            .field("filter.references")
            .help(
                "add references = [\"../other-benchmark/images\"] to [filter] in benchtop.toml",
            ));
    }
    let has_captions = |folder: &PathBuf| folder.join(FILE).symlink_metadata().is_ok();
    if folders.iter().any(has_captions) {
        Ok(())
    } else {
        Err(without_captions(folders))
    }
}

impl Runner for Contaminated {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        self.model.abilities().max_batch.max(BATCH)
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.model.count_requests(meter);
    }

    fn score(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
        cancel: Cancel<'_>,
    ) -> Result<()> {
        let pictures = &mut self.pictures;
        if !pictures.read_references(cancel)? {
            return Ok(());
        }
        if !pictures.has_references() {
            let help = "put pictures into the folders, or correct the setting in benchtop.toml";
            return Err(
                Error::not_found("the reference folders have no readable pictures")
                    .field("filter.references")
                    .help(help),
            );
        }
        if !pictures.read_subjects(subjects, |subject| subject.picture, keep, cancel)? {
            return Ok(());
        }
        let Some(found) = self.nearest(subjects, cancel)? else {
            return Ok(());
        };
        let (mut asked, mut asks) = (Vec::new(), Vec::new());
        for (subject, nearest) in subjects.iter().zip(found) {
            // A subject without an embedding has its score already.
            let Some(nearest) = nearest else { continue };
            match self.ask(subject, &nearest) {
                Ok(ask) => {
                    asked.push((subject.key, nearest));
                    asks.push(ask);
                }
                Err(score) => {
                    if !keep(Some((
                        subject.key,
                        with(score, &nearest, (&self.captions, self.threshold)),
                    ))) {
                        return Ok(());
                    }
                }
            }
        }
        let Contaminated {
            model,
            tally,
            pass,
            captions,
            threshold,
            ..
        } = self;
        ask_each((model.as_mut(), tally), &asks, *pass, &mut |scored| {
            let keyed = |(index, score): (usize, Score)| {
                let (key, nearest) = asked.get(index)?;
                // A picture fails the question if its caption answers it.
                let value = match score.state {
                    ScoreState::Scored => 1.0 - score.value,
                    _ => score.value,
                };
                let score = Score { value, ..score };
                Some((*key, with(score, nearest, (captions, *threshold))))
            };
            keep(scored.and_then(keyed))
        })
    }

    fn spent(&self) -> Option<Spent> {
        Some(spent(&self.tally, &self.config))
    }
}
