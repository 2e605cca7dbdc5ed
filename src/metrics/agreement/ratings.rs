//! Stores the ratings by item.

use std::collections::BTreeMap;

use super::counts::{Counts, Rating};
use benchtop_model::agreement::Scale;
use benchtop_model::error::{Error, ErrorKind, Result};

/// Items per page.
const PAGE: usize = 4096;
/// Maximum number of ratings in a slot.
const FEW: usize = 5;
/// Maximum number of ratings per item, because patterns count in bytes.
const MOST: usize = 255;
/// Number of cached kinds of items while counting; a power of two.
const KINDS: usize = 4096;

/// The ratings of one item, if there are few. It is `Copy`, so pages are created fast.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Number of ratings; [`MANY`] if they are stored in `Ratings::many`.
    n: u8,
    list: [Rating; FEW],
}

const MANY: u8 = u8::MAX;
const EMPTY: Slot = Slot {
    n: 0,
    list: [Rating {
        rater: 0,
        category: 0,
    }; FEW],
};

/// Slots in pages (a page without ratings takes no memory), and the ratings of items with more than
/// fit.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratings {
    pages: Vec<Vec<Slot>>,
    many: BTreeMap<u32, Vec<Rating>>,
}

impl Ratings {
    /// The ratings of an item, in no particular order.
    pub fn of(&self, item: u32) -> &[Rating] {
        let page = self.pages.get(item as usize / PAGE);
        page.and_then(|page| page.get(item as usize % PAGE))
            .map_or(&[], |slot| self.list(item, slot))
    }

    fn list<'a>(&'a self, item: u32, slot: &'a Slot) -> &'a [Rating] {
        match slot.n {
            MANY => self.many.get(&item).map_or(&[], Vec::as_slice),
            n => &slot.list[..usize::from(n)],
        }
    }

    /// Adds a rating as the last of its item.
    pub fn insert(&mut self, item: u32, rating: Rating) -> Result<()> {
        let page = item as usize / PAGE;
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        let page = &mut self.pages[page];
        if page.is_empty() {
            page.resize(PAGE, EMPTY);
        }
        let slot = &mut page[item as usize % PAGE];
        let n = usize::from(slot.n);
        let list = if slot.n == MANY {
            self.many.entry(item).or_default().as_slice()
        } else {
            &slot.list[..n]
        };
        if list.iter().any(|r| r.rater == rating.rater) {
            let what = format!("rater {} has already rated item {item}", rating.rater);
            return Err(Error::new(ErrorKind::Conflict, what)
                .help("change the rating, or add only the latest one"));
        }
        if list.len() == MOST {
            return Err(Error::input(format!(
                "item {item} already has the maximum of {MOST} ratings"
            )));
        }
        if n < FEW {
            slot.list[n] = rating;
            slot.n += 1;
            return Ok(());
        }
        let many = self.many.entry(item).or_default();
        if slot.n != MANY {
            many.extend(slot.list);
            slot.n = MANY;
        }
        many.push(rating);
        Ok(())
    }

    /// Removes a rating and returns it, if it exists.
    pub fn remove(&mut self, item: u32, rater: u16) -> Option<Rating> {
        let slot = self
            .pages
            .get_mut(item as usize / PAGE)?
            .get_mut(item as usize % PAGE)?;
        if slot.n == MANY {
            let many = self.many.get_mut(&item)?;
            let rating = many.swap_remove(many.iter().position(|r| r.rater == rater)?);
            if many.len() <= FEW {
                slot.n = many.len() as u8;
                slot.list[..many.len()].copy_from_slice(many);
                self.many.remove(&item);
            }
            return Some(rating);
        }
        let list = &mut slot.list[..usize::from(slot.n)];
        let at = list.iter().position(|r| r.rater == rater)?;
        let last = list.len() - 1;
        list.swap(at, last);
        slot.n -= 1;
        Some(list[last])
    }

    /// The counts of each group. Most items of a round are alike (the same annotators gave the same
    /// ratings), so equal items are first counted in a small cache and added when another kind
    /// takes their place.
    pub fn counts(
        &self,
        scale: Scale,
        mut group_of: impl FnMut(u32) -> Option<u32>,
    ) -> BTreeMap<u32, Counts> {
        let mut groups: BTreeMap<u32, Counts> = BTreeMap::new();
        let mut add = |group: u32, list: &[Rating], n: u64| {
            if n > 0 {
                groups
                    .entry(group)
                    .or_insert_with(|| Counts::new(scale))
                    .add_items(list, n);
            }
        };
        let mut kinds: Vec<(u32, &[Rating], u64)> = vec![(0, &[], 0); KINDS];
        let pages = self.pages.iter().enumerate();
        for (item, slot) in
            pages.flat_map(|(page, slots)| (page * PAGE..page * PAGE + slots.len()).zip(slots))
        {
            let list = self.list(item as u32, slot);
            if list.is_empty() {
                continue;
            }
            let Some(group) = group_of(item as u32) else {
                continue;
            };
            let kind = &mut kinds[place(group, list)];
            if kind.2 > 0 && kind.0 == group && kind.1 == list {
                kind.2 += 1;
            } else {
                add(kind.0, kind.1, kind.2);
                *kind = (group, list, 1);
            }
        }
        kinds
            .into_iter()
            .for_each(|(group, list, n)| add(group, list, n));
        groups
    }
}

/// The cache index of this kind of item.
fn place(group: u32, list: &[Rating]) -> usize {
    let mix = |hash: u64, n: u64| {
        (hash ^ n)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    let of = |r: &Rating| u64::from(r.rater) << 8 | u64::from(r.category);
    list.iter()
        .fold(mix(1, u64::from(group)), |hash, r| mix(hash, of(r))) as usize
        % KINDS
}
