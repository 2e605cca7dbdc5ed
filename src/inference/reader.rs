//! The trait of OCR engines.

use super::{BatchEvent, gather};
use benchtop_model::generation::{Failure, Fingerprint};
use benchtop_model::ocr::ReadText;
use benchtop_model::vlm::Encoded;

/// Reads the text in pictures: for Dysca's OCR subtask, and to check that a picture shows the
/// requested word.
///
/// Each picture is answered exactly once, even if the work is canceled. The failure of one picture
/// does not affect the others. A picture without text gives an empty [`ReadText`], not a failure.
pub trait TextReader: Send {
    /// The name to display.
    fn name(&self) -> &str;

    /// Everything that decides the result.
    fn fingerprint(&self) -> Fingerprint;

    /// Maximum number of pictures that are read in parallel.
    fn parallelism(&self) -> usize;

    /// Reads all `pictures`. Once `watch` returns `false`, the work stops, and unfinished pictures
    /// fail with [`Cancelled`](benchtop_model::generation::FailureKind::Cancelled).
    fn read(&mut self, pictures: &[Encoded], watch: &mut dyn FnMut(BatchEvent<ReadText>) -> bool);
}

/// Reads all `pictures` and returns the results in their order.
pub fn read_all(
    reader: &mut dyn TextReader,
    pictures: &[Encoded],
) -> Vec<Result<ReadText, Failure>> {
    gather(pictures.len(), |watch| reader.read(pictures, watch))
}
