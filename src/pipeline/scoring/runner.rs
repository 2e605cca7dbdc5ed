//! Scorers as the jobs see them: subjects in, a score for each out.

use benchtop_files::picture_file::PictureFile;
use benchtop_inference::preprocess;
use benchtop_model::Item;
use benchtop_model::generation::Pixels;
use benchtop_model::scoring::{Score, ScoreState};
use benchtop_store::scores::About;

/// What is scored: an item with the files of its pictures.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The number of its inputs.
    pub key: u64,
    /// The item, its pictures found.
    pub item: Item,
    /// Its pictures in their order, as far as they are there.
    pub files: Vec<PictureFile>,
    /// The number of its first picture's file; 0 where there is none.
    pub picture: u64,
}

impl Subject {
    /// Decodes its first picture.
    ///
    /// # Errors
    /// What is wrong with the file, as a score that says so.
    pub fn picture(&self) -> Result<Pixels, Score> {
        let bytes = self.bytes()?;
        match image::load_from_memory(&bytes) {
            Ok(picture) => Ok(preprocess::rgb(&picture)),
            Err(error) => Err(failed(&format!("its picture is damaged: {error}"))),
        }
    }

    /// The bytes of its first picture.
    ///
    /// # Errors
    /// Why they cannot be read, as a score that says so.
    pub fn bytes(&self) -> Result<Vec<u8>, Score> {
        let Some(file) = self.files.first() else {
            return Err(failed("its picture is not there"));
        };
        file.read()
            .map_err(|p| failed(&format!("its picture cannot be read: {p}")))
    }
}

/// A score that failed for this reason.
pub fn failed(why: &str) -> Score {
    Score::other(
        ScoreState::Failed,
        serde_json::json!({ "why": why }).to_string(),
    )
}

/// What a scorer that asks others has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens asked.
    pub asked: u64,
    /// Tokens answered.
    pub answered: u64,
    /// What they cost where prices are set, in millionths of the currency.
    pub micros: Option<u64>,
}

/// Where scores go: the number of the inputs with their score.
pub type Keep<'a> = &'a mut dyn FnMut(Option<(u64, Score)>) -> bool;

/// Gives scores.
pub trait Runner: Send {
    /// What it is: scores of another one are kept apart.
    fn about(&self) -> &About;

    /// Subjects that it likes to have at once.
    fn batch(&self) -> usize;

    /// Scores these subjects and hands each score to `keep` once it is there, in any order, and nothing now and then as a
    /// sign of life; `keep` says whether to go on. What was not begun then is not scored. Scores of other inputs may
    /// come with them, where these change them.
    ///
    /// # Errors
    /// What keeps it from scoring anything: the job waits until somebody looks.
    fn score(&mut self, subjects: &[Subject], keep: Keep<'_>) -> benchtop_model::Result<()>;

    /// What it has spent.
    fn spent(&self) -> Option<Spent> {
        None
    }
}

/// Scores one subject after the other on all processors, with a function.
pub struct Each<F> {
    about: About,
    score: F,
}

impl<F: Fn(&Subject) -> Score + Send + Sync> Each<F> {
    /// Scores with `score`.
    pub fn new(about: About, score: F) -> Each<F> {
        Each { about, score }
    }
}

impl<F: Fn(&Subject) -> Score + Send + Sync> Runner for Each<F> {
    fn about(&self) -> &About {
        &self.about
    }

    fn batch(&self) -> usize {
        256
    }

    fn score(&mut self, subjects: &[Subject], keep: Keep<'_>) -> benchtop_model::Result<()> {
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
