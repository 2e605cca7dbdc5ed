//! Inter-annotator agreement: percentages, kappa, alpha, and AC1 with intervals, updated rating by
//! rating.
//!
//! [`Agreement`] holds the ratings of a round and their [`Counts`], from which every measure is
//! computed. [`Agreement::by_group`] counts each bucket in one pass. [`Counts::bootstrapped`] adds
//! intervals. [`methods_paragraph`] describes the result; [`round_sentences`] and
//! [`quality_sentences`] describe the round. [`pace`] and [`quality`] look at single annotators.

mod bootstrap;
mod counts;
mod measures;
mod methods;
pub mod pace;
pub mod quality;
mod ratings;
mod resample;
mod sentences;
mod sums;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::counts::{Rating, on_scale};
use self::ratings::Ratings;
use benchtop_model::agreement::Scale;
use benchtop_model::error::{Error, ErrorKind, Result};

pub(super) use self::bootstrap::interval;
pub use self::counts::Counts;
pub use self::methods::methods_paragraph;
pub(super) use self::resample::Stream as Drawing;
pub use self::sentences::{quality_sentences, revised, round_sentences};

/// Ratings with their counts: one rating per item and annotator, and at most 255 per item.
///
/// Items are numbers that start near 0 (the rows of a project). Memory is 22 bytes per item up to
/// the largest number, in pages of 4,096, and up to 24 MiB for a largest number of 2^32. Items with
/// more than five ratings store them separately.
#[derive(Clone, Debug)]
pub struct Agreement {
    ratings: Ratings,
    counts: Counts,
}

impl Agreement {
    pub fn new(scale: Scale) -> Agreement {
        Agreement {
            ratings: Ratings::default(),
            counts: Counts::new(scale),
        }
    }

    /// Adds many ratings (item, rater, category) in any order, much faster than one by one.
    ///
    /// # Errors
    /// See [`Self::add`], for the first invalid rating.
    pub fn of(
        scale: Scale,
        ratings: impl IntoIterator<Item = (u32, u16, u8)>,
    ) -> Result<Agreement> {
        let mut agreement = Agreement::new(scale);
        for (item, rater, category) in ratings {
            on_scale(scale, category)?;
            agreement.ratings.insert(item, Rating { rater, category })?;
        }
        if let Some(counts) = agreement.by_group(|_| Some(0)).remove(&0) {
            agreement.counts = counts;
        }
        Ok(agreement)
    }

    /// Adds a rating; `UNKNOWN` stands for skipped or not judged. O(k^2 + ratings of the item).
    ///
    /// # Errors
    /// If the category is not on the scale, if this rater already rated the item, or if the item
    /// already has 255 ratings. Nothing changes then.
    pub fn add(&mut self, item: u32, rater: u16, category: u8) -> Result<()> {
        on_scale(self.counts.scale, category)?;
        let rating = Rating { rater, category };
        self.ratings.insert(item, rating)?;
        let list = self.ratings.of(item);
        // `insert` puts the new rating last.
        self.counts.add_rating(&list[..list.len() - 1], rating, 1);
        Ok(())
    }

    /// Removes a rating and returns its category.
    ///
    /// # Errors
    /// If there is no such rating.
    pub fn remove(&mut self, item: u32, rater: u16) -> Result<u8> {
        let rating = self
            .ratings
            .remove(item, rater)
            .ok_or_else(|| missing(item, rater))?;
        self.counts.add_rating(self.ratings.of(item), rating, -1);
        Ok(rating.category)
    }

    /// Changes a rating and returns its previous category.
    ///
    /// # Errors
    /// If there is no such rating, or if the new category is not on the scale. Nothing changes
    /// then.
    pub fn change(&mut self, item: u32, rater: u16, category: u8) -> Result<u8> {
        on_scale(self.counts.scale, category)?;
        let before = self.remove(item, rater)?;
        self.add(item, rater, category)?;
        Ok(before)
    }

    /// The category of a rating.
    pub fn rating(&self, item: u32, rater: u16) -> Option<u8> {
        self.ratings
            .of(item)
            .iter()
            .find(|r| r.rater == rater)
            .map(|r| r.category)
    }

    /// The counts of all ratings.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The counts of each group of items, in one pass. Items without a group are left out.
    pub fn by_group(&self, group_of: impl FnMut(u32) -> Option<u32>) -> BTreeMap<u32, Counts> {
        self.ratings.counts(self.counts.scale, group_of)
    }
}

fn missing(item: u32, rater: u16) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("rater {rater} has not rated item {item}"),
    )
}
