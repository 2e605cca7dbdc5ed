//! Exports for other tools: VLMEvalKit's table, lmms-eval's task folder, and Hugging Face's folder
//! and Parquet.
//!
//! A table has the columns that its items fill. A first pass finds them ([`Survey`]), and the
//! second pass streams the rows. Data that the tool's columns cannot express goes to the additional
//! column `benchtop`, so that an import restores the same item.

mod folder;
mod hf_parquet;
mod lmms;
mod row;
mod vlm;

pub use folder::Folder;
pub use hf_parquet::Packed;
pub use lmms::{DATA as LMMS_DATA, utils as lmms_utils, yaml as lmms_yaml};
pub use vlm::Table;

use benchtop_model::{ImageRef, Item, Result};

/// Name suffix of the table with the questions without options, if a data set also has questions
/// with options.
pub const WITHOUT_OPTIONS: &str = "-without-options";

/// Loads the content of a picture; `None` if it is missing.
pub type Load<'a> = &'a mut dyn FnMut(&ImageRef) -> Result<Option<Vec<u8>>>;

/// The columns that the items of one data set fill, collected in a first pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Number of items.
    pub items: u64,
    /// Maximum number of options per question.
    options: usize,
    /// Maximum number of pictures per question.
    pictures: usize,
    /// Whether there are rotations.
    rotated: bool,
    /// Which of [`row::TEXTS`] are filled.
    texts: [bool; row::TEXTS.len()],
}

impl Survey {
    /// Adds an item.
    pub fn look(&mut self, item: &Item) {
        self.items += 1;
        self.options = self.options.max(item.options.len());
        self.pictures = self.pictures.max(item.images.len());
        self.rotated |= item.rotation.is_some();
        for (filled, name) in self.texts.iter_mut().zip(row::TEXTS) {
            *filled |= row::text(item, name).is_some();
        }
    }

    /// Whether a question has several pictures.
    fn many(&self) -> bool {
        self.pictures > 1
    }

    /// The filled text columns.
    fn texts(&self) -> impl Iterator<Item = &'static str> {
        row::TEXTS
            .into_iter()
            .zip(self.texts)
            .filter(|(_, filled)| *filled)
            .map(|(name, _)| name)
    }
}
