//! Readers of the text in pictures (OCR).

use super::{Heard, gather};
use benchtop_model::generation::{Failure, Fingerprint};
use benchtop_model::ocr::ReadText;
use benchtop_model::vlm::Encoded;

/// Reads the text in pictures: Dysca's OCR subtask, and the check that a picture holds the word it was asked for.
///
/// Each picture is answered exactly once, also when the work is cancelled; one picture's failure leaves the others alone.
/// A picture without text is an empty [`ReadText`], and no failure.
pub trait TextReader: Send {
    /// What it is, for a person.
    fn name(&self) -> &str;

    /// Everything that decides what is read.
    fn fingerprint(&self) -> Fingerprint;

    /// Most pictures of one call that are worked on at once.
    fn at_once(&self) -> usize;

    /// Reads all `pictures`. Once `watch` says `false` the work ends, and what is not done is told as
    /// [`Cancelled`](benchtop_model::generation::FailureKind::Cancelled).
    fn read(&mut self, pictures: &[Encoded], watch: &mut dyn FnMut(Heard<ReadText>) -> bool);
}

/// The texts of `pictures` in their order, for callers that want to wait for all of them.
pub fn read_all(
    reader: &mut dyn TextReader,
    pictures: &[Encoded],
) -> Vec<Result<ReadText, Failure>> {
    gather(pictures.len(), |watch| reader.read(pictures, watch))
}
