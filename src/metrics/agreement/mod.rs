//! How far annotators agree: percentages, kappa, alpha and AC1 with intervals, kept up to date rating by rating.
//!
//! [`Agreement`] holds the ratings of a round and their [`Counts`]; every measure comes from the counts. A [`Counts`] of
//! each bucket comes from one pass ([`Agreement::by_group`]). [`Counts::bootstrapped`] adds intervals, and
//! [`methods_paragraph`] writes it all up, [`round_sentences`] and [`quality_sentences`] what stands around it. [`pace`] and [`quality`] look at one person at a time.

mod bootstrap;
mod counts;
mod draw;
mod measures;
mod methods;
pub mod pace;
pub mod quality;
mod ratings;
mod sums;
mod told;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::counts::Rating;
use self::ratings::Ratings;
use benchtop_model::agreement::{Scale, UNKNOWN};
use benchtop_model::error::{Error, ErrorKind, Result};

pub(super) use self::bootstrap::interval;
pub use self::counts::Counts;
pub(super) use self::draw::Stream as Drawing;
pub use self::methods::methods_paragraph;
pub use self::told::{quality_sentences, revised, round_sentences};

/// Told after each draw how many there were; `false` ends it.
pub type Watch<'a> = &'a mut dyn FnMut(usize) -> bool;

/// Ratings with their counts. One rating an item and person; an item takes at most 255.
///
/// Items are numbers that begin near 0 (the rows of a project): memory is 22 bytes an item up to the largest one, in pages of
/// 4,096, and up to 24 MiB for a largest number of 2^32. Items with more than five ratings keep them apart.
#[derive(Clone, Debug)]
pub struct Agreement {
    ratings: Ratings,
    counts: Counts,
}

impl Agreement {
    /// Without ratings.
    pub fn new(scale: Scale) -> Agreement {
        Agreement {
            ratings: Ratings::default(),
            counts: Counts::new(scale),
        }
    }

    /// Of many ratings (item, rater, category) at once, in any order; much faster than one by one. Errors are those of
    /// [`Self::add`], at the first rating that is wrong.
    pub fn of(
        scale: Scale,
        ratings: impl IntoIterator<Item = (u32, u16, u8)>,
    ) -> Result<Agreement> {
        let mut agreement = Agreement::new(scale);
        for (item, rater, category) in ratings {
            agreement.check(category)?;
            agreement.ratings.insert(item, Rating { rater, category })?;
        }
        if let Some(counts) = agreement.by_group(|_| Some(0)).remove(&0) {
            agreement.counts = counts;
        }
        Ok(agreement)
    }

    /// Adds a rating; [`UNKNOWN`] is "skipped" or "not judged". Refused, without changing anything: a category that is not on
    /// the scale, a second rating of an item by one person, and more than 255 ratings of an item. O(k^2 + ratings of the item).
    pub fn add(&mut self, item: u32, rater: u16, category: u8) -> Result<()> {
        self.check(category)?;
        let rating = Rating { rater, category };
        self.ratings.insert(item, rating)?;
        let list = self.ratings.of(item);
        // The one that was added is the last of the list.
        self.counts.add_rating(&list[..list.len() - 1], rating, 1);
        Ok(())
    }

    /// Takes a rating away and says what it was. It is an error where there is none.
    pub fn remove(&mut self, item: u32, rater: u16) -> Result<u8> {
        let rating = self
            .ratings
            .remove(item, rater)
            .ok_or_else(|| missing(item, rater))?;
        self.counts.add_rating(self.ratings.of(item), rating, -1);
        Ok(rating.category)
    }

    /// Changes a rating and says what it was before. It is an error where there is none, or if the new category is not on the
    /// scale; then nothing changes.
    pub fn change(&mut self, item: u32, rater: u16, category: u8) -> Result<u8> {
        self.check(category)?;
        let before = self.remove(item, rater)?;
        self.add(item, rater, category)?;
        Ok(before)
    }

    /// What somebody said of an item.
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

    /// The counts of each group of items, in one pass; items of no group are left out.
    pub fn by_group(&self, group_of: impl FnMut(u32) -> Option<u32>) -> BTreeMap<u32, Counts> {
        self.ratings.counts(self.counts.scale, group_of)
    }

    fn check(&self, category: u8) -> Result<()> {
        let scale = self.counts.scale;
        if category < scale.categories || category == UNKNOWN {
            return Ok(());
        }
        let what = format!(
            "category {category} is not on a scale of {}",
            scale.categories
        );
        Err(Error::input(what)
            .field("category")
            .help("an answer outside the scale is `UNKNOWN`"))
    }
}

fn missing(item: u32, rater: u16) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("rater {rater} has not rated item {item}"),
    )
}
