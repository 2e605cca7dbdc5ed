//! What is asked of the models that look at pictures: whether a picture shows what a text says, which pictures are alike,
//! and which must not be shown. Pictures go in as decoded RGB, numbers come out.

use benchtop_model::generation::{Failure, Fingerprint, Pixels};
use benchtop_model::safety::Safety;
use benchtop_model::similarity::{ScorerCapabilities, Similarity};

/// A picture and a text to compare, by their places in what is given beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Place of the picture.
    pub picture: usize,
    /// Place of the text.
    pub text: usize,
}

/// Told after each pass through a model how many pictures are done (0 after one of texts, which come first); where it
/// says `false` the work ends there, and what is not done is a failure of kind `Cancelled`.
pub type Watch<'a> = &'a mut dyn FnMut(usize) -> bool;

/// Compares pictures with texts: the filter of Dysca's step 5 (section 3.2) and of any prompt-following check.
pub trait ImageTextScorer: Send {
    /// What it can do.
    fn capabilities(&self) -> &ScorerCapabilities;

    /// Everything that decides which numbers come out.
    fn fingerprint(&self) -> Fingerprint;

    /// The similarity of each of `pairs`, in their order. A picture is embedded once however many pairs it is in, and so
    /// is a text, also where it is given twice; pictures and texts in no pair are not looked at. What is wrong with
    /// one picture or text fails its own pairs alone.
    fn score(
        &mut self,
        pictures: &[Pixels],
        texts: &[&str],
        pairs: &[Pair],
        watch: Watch,
    ) -> Vec<Result<Similarity, Failure>>;
}

/// Turns pictures into vectors whose scalar products say how alike they are.
pub trait ImageEmbedder: Send {
    /// Numbers in an embedding.
    fn dimension(&self) -> usize;

    /// Everything that decides which numbers come out.
    fn fingerprint(&self) -> Fingerprint;

    /// An embedding of length 1 for each picture, in their order.
    fn embed(&mut self, pictures: &[Pixels], watch: Watch) -> Vec<Result<Vec<f32>, Failure>>;
}

/// A text as a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedText {
    /// Numbers, of length 1 together.
    pub vector: Vec<f32>,
    /// Tokens of the text, marks included, where they are more than the model takes: then the vector is of the first ones
    /// alone.
    pub cut: Option<usize>,
}

/// Turns texts into vectors whose scalar products say how alike they mean.
pub trait TextEmbedder: Send {
    /// What it is, for a person.
    fn name(&self) -> &str;

    /// Numbers in an embedding.
    fn dimension(&self) -> usize;

    /// Tokens of the longest text that is read whole, marks included.
    fn longest_text(&self) -> usize;

    /// Everything that decides which numbers come out.
    fn fingerprint(&self) -> Fingerprint;

    /// An embedding of length 1 for each text, in their order. `watch` is told texts, not pictures.
    fn embed(&mut self, texts: &[&str], watch: Watch) -> Vec<Result<EmbeddedText, Failure>>;
}

/// Says which pictures must not be shown.
pub trait SafetyChecker: Send {
    /// What it is, for a person.
    fn name(&self) -> &str;

    /// Everything that decides which numbers come out.
    fn fingerprint(&self) -> Fingerprint;

    /// The scores of each picture, in their order.
    fn check(&mut self, pictures: &[Pixels], watch: Watch) -> Vec<Result<Safety, Failure>>;
}
