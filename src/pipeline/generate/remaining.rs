//! The remaining work of a job: its plan without the pictures in the journal. Computed whenever a
//! job starts or resumes, so that nothing must be kept in sync with the journal.

use std::collections::{HashSet, VecDeque};

use super::image_index::{Picture, RequestedImages};
use benchtop_store::pictures::{Entry, Pictures, parts_key};

/// One sample of a picture to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Position in [`RequestedImages::pictures`].
    pub picture: u32,
    /// Number of the sample, from 1.
    pub sample: u32,
}

/// The scope of a job.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    /// The job's number.
    pub job: u32,
    /// Sorted rows of the chosen items. `None` means items with missing pictures.
    pub rows: Option<&'s [u32]>,
    /// Samples of each picture.
    pub samples: u32,
    /// Whether its generator makes drafts. If so, a draft does not count as missing.
    pub drafts: bool,
}

/// Counts of the items in a scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Their picture is to be generated.
    pub items: u64,
    /// Their picture was imported.
    pub imported: u64,
    /// They name no picture, or have no prompt for it.
    pub without: u64,
}

impl Scope<'_> {
    /// Whether this sample of a picture already exists as far as this job is concerned.
    pub fn is_made(&self, named: &RequestedImages, made: &Pictures, target: Target) -> bool {
        let Some(picture) = named.pictures().get(target.picture as usize) else {
            return true;
        };
        let mine = |e: &Entry| e.sample == target.sample && e.prompt == picture.prompt;
        made.samples(picture.key)
            .filter(|e| mine(e))
            .any(|e| match self.rows {
                Some(_) => e.job == self.job,
                None => (self.drafts || !e.draft) && self.is_up_to_date(named, made, picture, e),
            })
    }

    /// Whether a side-by-side picture still shows the current two pictures.
    fn is_up_to_date(
        &self,
        named: &RequestedImages,
        made: &Pictures,
        picture: &Picture,
        entry: &Entry,
    ) -> bool {
        match sides(named, made, picture, entry.sample) {
            Some([Some(first), Some(second)]) => made.is_of(entry, parts_of(made, first, second)),
            _ => true,
        }
    }

    /// Whether the job's scope includes the picture at this position, made or not.
    pub fn covers(&self, named: &RequestedImages, at: u32) -> bool {
        let Some(picture) = named.pictures().get(at as usize) else {
            return false;
        };
        self.rows.is_none_or(|rows| {
            named
                .rows(picture)
                .iter()
                .any(|row| rows.binary_search(row).is_ok())
        })
    }

    /// The work in order: sample by sample, with side-by-side pictures after their parts.
    pub fn work(&self, named: &RequestedImages, made: &Pictures) -> VecDeque<Target> {
        let (mut single, mut double) = (Vec::new(), Vec::new());
        let mut extra = HashSet::new();
        for (at, picture) in named.pictures().iter().enumerate() {
            let at = at as u32;
            // Parts that no item shows alone are added with their side-by-side picture.
            if named.rows(picture).is_empty() || !self.covers(named, at) {
                continue;
            }
            match picture.sides {
                None => single.push(at),
                Some(sides) => {
                    double.push(at);
                    extra.extend(sides);
                }
            }
        }
        let listed: HashSet<u32> = single.iter().copied().collect();
        let mut extra: Vec<u32> = extra
            .into_iter()
            .filter(|at| !listed.contains(at))
            .collect();
        extra.sort_unstable();
        let mut work = VecDeque::new();
        for sample in 1..=self.samples {
            let target = |picture: &u32| Target {
                picture: *picture,
                sample,
            };
            let missing = |picture: &u32| {
                let target = target(picture);
                (!self.is_made(named, made, target)).then_some(target)
            };
            let wanted: Vec<Target> = double.iter().filter_map(missing).collect();
            let parts = wanted
                .iter()
                .filter_map(|t| named.pictures()[t.picture as usize].sides)
                .flatten();
            let parts: HashSet<u32> = parts.collect();
            // For chosen items, parts are generated only if they do not exist.
            let any = Scope {
                rows: None,
                ..*self
            };
            let lacks = |at: &&u32| parts.contains(*at) && !any.is_made(named, made, target(at));
            work.extend(single.iter().filter_map(missing));
            work.extend(extra.iter().filter(lacks).map(target));
            work.extend(wanted);
        }
        work
    }

    /// Counts the items of the scope.
    pub fn count(&self, named: &RequestedImages, work: &VecDeque<Target>) -> Count {
        let pictures: HashSet<u32> = work.iter().map(|t| t.picture).collect();
        let mut count = Count::default();
        let mut add = |row: u32| match named.of_row(row) {
            Some(at) => count.items += u64::from(pictures.contains(&at)),
            None if named.is_imported(row) => count.imported += 1,
            None => count.without += 1,
        };
        match self.rows {
            Some(rows) => rows.iter().for_each(|row| add(*row)),
            None => (0..named.len() as u32).for_each(add),
        }
        count
    }
}

/// The current parts of a side-by-side picture: the same sample if it exists, otherwise the newest.
pub fn sides<'m>(
    named: &RequestedImages,
    made: &'m Pictures,
    picture: &Picture,
    sample: u32,
) -> Option<[Option<&'m Entry>; 2]> {
    let side = |at: u32| {
        let side = named.pictures().get(at as usize)?;
        let same = made
            .samples(side.key)
            .find(|e| e.prompt == side.prompt && e.sample == sample);
        same.or_else(|| made.current(side.key, side.prompt))
    };
    picture.sides.map(|both| both.map(side))
}

/// A number that identifies the parts of a side-by-side picture.
pub fn parts_of(made: &Pictures, first: &Entry, second: &Entry) -> u64 {
    let hash = |entry: &Entry| made.image(entry, "").hash.unwrap_or_default();
    parts_key(&[&hash(first), &hash(second)])
}
