//! Forms that other tools load: VLMEvalKit's table, lmms-eval's task folder, Hugging Face's folder and Parquet.
//!
//! A table has the columns that its items fill, which [`Survey`] finds in a first pass; the second pass streams. What the columns
//! of the tool cannot say of an item stands in one more, `benchtop`, so that an import gives the same item again.

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

/// What the name of the table ends with that holds a data set's questions without options, apart from those that have some.
pub const WITHOUT_OPTIONS: &str = "-without-options";

/// Gives the bytes of a picture; `None` when it is not there.
pub type Load<'a> = &'a mut dyn FnMut(&ImageRef) -> Result<Option<Vec<u8>>>;

/// What the items of one data set fill: found by looking at each of them once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Items.
    pub items: u64,
    /// Most options of a question.
    options: usize,
    /// Most pictures of a question.
    pictures: usize,
    /// Whether there are rotations.
    rotated: bool,
    /// Which of [`row::TEXTS`] are filled.
    texts: [bool; row::TEXTS.len()],
}

impl Survey {
    /// Looks at the next item.
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

    /// The texts that are filled.
    fn texts(&self) -> impl Iterator<Item = &'static str> {
        row::TEXTS
            .into_iter()
            .zip(self.texts)
            .filter(|(_, filled)| *filled)
            .map(|(name, _)| name)
    }
}
