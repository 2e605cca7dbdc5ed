//! The interface of scorers to jobs: subjects in, one score for each out.

use std::sync::Arc;

use super::kin::Kin;
use benchtop_files::picture_file::PictureFile;
use benchtop_inference::request_meter::RequestMeter;
use benchtop_model::Item;
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::Pixels;
use benchtop_model::scoring::{Score, ScoreState};
use benchtop_raster::pillow;
use benchtop_store::scores::ScorerVersion;

/// An item to score, with its picture files.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The number of its inputs.
    pub key: u64,
    /// The item, with its pictures located.
    pub item: Item,
    /// Its available pictures in order.
    pub files: Vec<PictureFile>,
    /// The file number of its first picture, or 0.
    pub picture: u64,
    /// The item that it is a variant of, if the project has it.
    pub original: Option<Box<Original>>,
}

/// The item that another one is a variant of, with its picture files.
#[derive(Clone, Debug)]
pub struct Original {
    pub item: Item,
    /// Its available pictures in order.
    pub files: Vec<PictureFile>,
}

impl Subject {
    /// Decodes its first picture.
    ///
    /// # Errors
    ///
    /// A failed score with the reason.
    pub fn picture(&self) -> Result<Pixels, Score> {
        let bytes = self.bytes()?;
        match image::load_from_memory(&bytes) {
            Ok(picture) => Ok(pillow::rgb(&picture)),
            Err(error) => Err(failed(&format!("its picture is damaged: {error}"))),
        }
    }

    /// The bytes of its first picture.
    ///
    /// # Errors
    ///
    /// A failed score with the reason.
    pub fn bytes(&self) -> Result<Vec<u8>, Score> {
        let Some(file) = self.files.first() else {
            return Err(failed("its picture is missing"));
        };
        file.read()
            .map_err(|p| failed(&format!("cannot read its picture: {p}")))
    }
}

/// A failed score with this reason.
pub fn failed(why: &str) -> Score {
    Score::without_number(
        ScoreState::Failed,
        serde_json::json!({ "why": why }).to_string(),
    )
}

/// The cost of a scorer that uses servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Input tokens.
    pub asked: u64,
    /// Output tokens.
    pub answered: u64,
    /// Cost in millionths of the currency, if prices are configured.
    pub micros: Option<u64>,
}

/// Receives scores with the numbers of their inputs. `None` is a sign of life. Returns whether to
/// continue.
pub type ScoreSink<'a> = &'a mut dyn FnMut(Option<(u64, Score)>) -> bool;

pub trait Runner: Send {
    /// Identifies the scorer. Scores of different scorers are stored separately.
    fn about(&self) -> &ScorerVersion;

    /// Preferred number of subjects per call.
    fn batch(&self) -> usize;

    /// Has further requests to servers counted. Scorers without servers ignore it.
    fn count_requests(&mut self, _: Arc<dyn RequestMeter>) {}

    /// Tells which pictures were derived from one another. Scorers that compare no pictures ignore
    /// it.
    fn set_kin(&mut self, _: Kin) {}

    /// Scores these subjects and passes each score to `keep` as soon as it is ready, in any order,
    /// with occasional `None`s as a sign of life. `keep` returns whether to continue; subjects not
    /// yet started are then skipped. Scores of other inputs may be included if they change.
    ///
    /// # Errors
    ///
    /// An error that prevents all scoring. The job then waits for the user.
    fn score(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
        cancel: Cancel<'_>,
    ) -> benchtop_model::Result<()>;

    /// The cost so far.
    fn spent(&self) -> Option<Spent> {
        None
    }
}

/// Scores subjects one by one on all processors, with a function.
pub struct Each<F> {
    about: ScorerVersion,
    score: F,
}

impl<F: Fn(&Subject) -> Score + Send + Sync> Each<F> {
    /// Scores with `score`.
    pub fn new(about: ScorerVersion, score: F) -> Each<F> {
        Each { about, score }
    }
}

impl<F: Fn(&Subject) -> Score + Send + Sync> Runner for Each<F> {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        256
    }

    fn score(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
        _: Cancel<'_>,
    ) -> benchtop_model::Result<()> {
        use rayon::prelude::*;
        for some in subjects.chunks(4 * rayon::current_num_threads()) {
            let scores: Vec<Score> = some
                .par_iter()
                .map(|subject| (self.score)(subject))
                .collect();
            for (subject, score) in some.iter().zip(scores) {
                if !keep(Some((subject.key, score))) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
