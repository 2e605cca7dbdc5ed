//! The traits of models that score pictures: how well a picture fits a text, how similar pictures
//! or texts are, and whether a picture is safe to show. The input is decoded RGB.

use benchtop_model::cancel::Cancel;
use benchtop_model::generation::{Failure, Fingerprint, Pixels};
use benchtop_model::safety::Safety;
use benchtop_model::similarity::{ScorerCapabilities, Similarity};

/// A picture and a text to compare, by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub picture: usize,
    pub text: usize,
}

/// Compares pictures with texts: the filter of Dysca's step 5 (section 3.2) and of any
/// prompt-following check.
pub trait ImageTextScorer: Send {
    fn capabilities(&self) -> &ScorerCapabilities;

    /// Everything that decides the scores.
    fn fingerprint(&self) -> Fingerprint;

    /// The similarity of each of `pairs`, in their order. Each picture and each distinct text is
    /// embedded once. Pictures and texts outside of all pairs are ignored. An invalid picture or
    /// text fails only its own pairs.
    fn score(
        &mut self,
        pictures: &[Pixels],
        texts: &[&str],
        pairs: &[Pair],
        cancel: Cancel<'_>,
    ) -> Vec<Result<Similarity, Failure>>;
}

/// Embeds pictures as vectors whose scalar product is their similarity.
pub trait ImageEmbedder: Send {
    /// Number of components of an embedding.
    fn dimension(&self) -> usize;

    /// Everything that decides the embeddings.
    fn fingerprint(&self) -> Fingerprint;

    /// The embedding of each picture, in their order. Embeddings have length 1.
    fn embed(&mut self, pictures: &[Pixels], cancel: Cancel<'_>) -> Vec<Result<Vec<f32>, Failure>>;
}

/// The embedding of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedText {
    /// A vector of length 1.
    pub vector: Vec<f32>,
    /// The number of tokens, including special tokens, of a text that is too long for the model.
    /// Then the vector covers only the first tokens.
    pub tokens_before_cut: Option<usize>,
}

/// Embeds texts as vectors whose scalar product is their semantic similarity.
pub trait TextEmbedder: Send {
    /// The name to display.
    fn name(&self) -> &str;

    /// Number of components of an embedding.
    fn dimension(&self) -> usize;

    /// Maximum number of tokens of a text, including special tokens.
    fn max_tokens(&self) -> usize;

    /// Everything that decides the embeddings.
    fn fingerprint(&self) -> Fingerprint;

    /// The embedding of each text, in their order.
    fn embed(&mut self, texts: &[&str], cancel: Cancel<'_>) -> Vec<Result<EmbeddedText, Failure>>;
}

/// Finds pictures that are unsafe to show.
pub trait SafetyChecker: Send {
    /// The name to display.
    fn name(&self) -> &str;

    /// Everything that decides the scores.
    fn fingerprint(&self) -> Fingerprint;

    /// The safety scores of each picture, in their order.
    fn check(&mut self, pictures: &[Pixels], cancel: Cancel<'_>) -> Vec<Result<Safety, Failure>>;
}
