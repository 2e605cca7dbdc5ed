//! The ratings themselves, by item.

use std::collections::BTreeMap;

use super::counts::{Counts, Rating};
use crate::model::agreement::Scale;
use crate::model::error::{Kind, Problem, Result};

/// Items of a page.
const PAGE: usize = 4096;
/// Ratings that lie in the slot itself.
const FEW: usize = 3;
/// Most ratings of an item: patterns count them in bytes.
const MOST: usize = 255;
/// Kinds of items that are remembered while counting; a power of two.
const KINDS: usize = 256;

/// The ratings of one item.
#[derive(Clone, Debug)]
enum Slot {
    Few(u8, [Rating; FEW]),
    Many(Vec<Rating>),
}

const EMPTY: Slot = Slot::Few(0, [Rating { rater: 0, category: 0 }; FEW]);

impl Slot {
    fn list(&self) -> &[Rating] {
        match self {
            Slot::Few(n, list) => &list[..usize::from(*n)],
            Slot::Many(list) => list,
        }
    }

    fn push(&mut self, rating: Rating) {
        match self {
            Slot::Few(n, list) if usize::from(*n) < FEW => {
                list[usize::from(*n)] = rating;
                *n += 1;
            }
            Slot::Few(_, list) => {
                let mut list = list.to_vec();
                list.push(rating);
                *self = Slot::Many(list);
            }
            Slot::Many(list) => list.push(rating),
        }
    }

    fn take(&mut self, at: usize) -> Rating {
        match self {
            Slot::Few(n, list) => {
                let rating = list[at];
                *n -= 1;
                list[at] = list[usize::from(*n)];
                rating
            }
            Slot::Many(list) => list.swap_remove(at),
        }
    }
}

/// Slots in pages; a page without ratings takes no room.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratings(Vec<Vec<Slot>>);

impl Ratings {
    /// The ratings of an item, in no order.
    pub fn of(&self, item: u32) -> &[Rating] {
        let page = self.0.get(item as usize / PAGE);
        page.and_then(|page| page.get(item as usize % PAGE)).map_or(&[], Slot::list)
    }

    /// Adds a rating, or says why it cannot be.
    pub fn insert(&mut self, item: u32, rating: Rating) -> Result<()> {
        let (page, at) = (item as usize / PAGE, item as usize % PAGE);
        if self.0.len() <= page {
            self.0.resize_with(page + 1, Vec::new);
        }
        let page = &mut self.0[page];
        if page.is_empty() {
            page.resize(PAGE, EMPTY);
        }
        let slot = &mut page[at];
        let list = slot.list();
        if list.iter().any(|r| r.rater == rating.rater) {
            let what = format!("rater {} has rated item {item} already", rating.rater);
            return Err(Problem::new(Kind::Conflict, what).help("change the rating, or give the latest one only"));
        }
        if list.len() == MOST {
            return Err(Problem::input(format!("item {item} has {MOST} ratings, which is the most that are compared")));
        }
        slot.push(rating);
        Ok(())
    }

    /// Takes a rating away and returns it, where it is.
    pub fn remove(&mut self, item: u32, rater: u16) -> Option<Rating> {
        let slot = self.0.get_mut(item as usize / PAGE)?.get_mut(item as usize % PAGE)?;
        let at = slot.list().iter().position(|r| r.rater == rater)?;
        Some(slot.take(at))
    }

    /// The counts of each group. Most items of a round are alike (the same people said the same of them), so what is alike is
    /// first counted in a small table, and added up only when another kind takes its place.
    pub fn counts(&self, scale: Scale, mut group_of: impl FnMut(u32) -> Option<u32>) -> BTreeMap<u32, Counts> {
        let mut groups: BTreeMap<u32, Counts> = BTreeMap::new();
        let mut add = |group: u32, list: &[Rating], n: u64| {
            if n > 0 {
                groups.entry(group).or_insert_with(|| Counts::new(scale)).add_items(list, n);
            }
        };
        let mut kinds: Vec<(u32, &[Rating], u64)> = vec![(0, &[], 0); KINDS];
        let pages = self.0.iter().enumerate();
        for (item, slot) in pages.flat_map(|(page, slots)| (page * PAGE..page * PAGE + slots.len()).zip(slots)) {
            let list = slot.list();
            if list.is_empty() {
                continue;
            }
            let Some(group) = group_of(item as u32) else { continue };
            let kind = &mut kinds[place(group, list)];
            if kind.2 > 0 && kind.0 == group && kind.1 == list {
                kind.2 += 1;
            } else {
                add(kind.0, kind.1, kind.2);
                *kind = (group, list, 1);
            }
        }
        kinds.into_iter().for_each(|(group, list, n)| add(group, list, n));
        groups
    }
}

/// Where items of this kind are remembered.
fn place(group: u32, list: &[Rating]) -> usize {
    let mix = |hash: u64, n: u64| (hash ^ n).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let of = |r: &Rating| u64::from(r.rater) << 8 | u64::from(r.category);
    list.iter().fold(mix(1, u64::from(group)), |hash, r| mix(hash, of(r))) as usize % KINDS
}
