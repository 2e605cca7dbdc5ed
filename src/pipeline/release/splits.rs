//! Assigns items to splits. Items that share an original, a picture, a pair, or a rotation set stay
//! together, because a split that repeats another one in parts would leak it.

use std::collections::HashMap;

use benchtop_model::Item;
use benchtop_model::hash::{first_bytes, of_texts};
use benchtop_model::release::Split;

/// Groups items that belong together.
#[derive(Debug, Default)]
pub(super) struct Groups {
    parents: Vec<u32>,
    /// Digest of the id of each item, which decides for the group with the least one.
    ids: Vec<u64>,
    first: HashMap<u64, u32>,
}

impl Groups {
    /// Adds the next item.
    pub fn add(&mut self, item: &Item) {
        let at = self.parents.len() as u32;
        self.parents.push(at);
        self.ids.push(first_bytes(&of_texts([item.id.as_str()])));
        let mut join = |kind: &str, text: &str| {
            let key = first_bytes(&of_texts([kind, text]));
            let other = *self.first.entry(key).or_insert(at);
            let (a, b) = (root(&mut self.parents, at), root(&mut self.parents, other));
            self.parents[a.max(b) as usize] = a.min(b);
        };
        join("item", &item.id);
        if let Some(original) = item.original() {
            join("item", original);
        }
        for image in &item.images {
            match &image.hash {
                Some(hash) => join("picture", hash),
                None => join("name", &format!("{}\n{}", item.dataset, image.name)),
            }
        }
        if let Some(pair) = &item.pair {
            join("pair", &format!("{}\n{}", item.dataset, pair.id));
        }
        if let Some(rotation) = &item.rotation {
            join("rotation", &format!("{}\n{}", item.dataset, rotation.set));
        }
    }

    /// The position of the split of each item. A group goes where a hash of the seed and of its
    /// least id falls, so that it stays in its split when other items are added.
    pub fn assign(mut self, splits: &[Split], seed: u64) -> Vec<u8> {
        let mut least: HashMap<u32, u64> = HashMap::new();
        let roots: Vec<u32> = (0..self.parents.len() as u32)
            .map(|at| root(&mut self.parents, at))
            .collect();
        for (root, id) in roots.iter().zip(&self.ids) {
            let least = least.entry(*root).or_insert(*id);
            *least = (*least).min(*id);
        }
        let whole: u64 = splits.iter().map(|split| u64::from(split.share)).sum();
        let split_of = |root: &u32| {
            let id = least.get(root).copied().unwrap_or_default();
            let hash = first_bytes(&of_texts([&*seed.to_string(), &*id.to_string()]));
            // 32 bits times a sum of at most 16 million.
            let point = ((hash >> 32) * whole) >> 32;
            let mut end = 0;
            let found = splits.iter().position(|split| {
                end += u64::from(split.share);
                point < end
            });
            found.unwrap_or_default() as u8
        };
        roots.iter().map(split_of).collect()
    }
}

/// The representative of an item's group. Shortens the path to it.
fn root(parents: &mut [u32], at: u32) -> u32 {
    let mut top = at;
    while parents[top as usize] != top {
        top = parents[top as usize];
    }
    let mut next = at;
    while parents[next as usize] != top {
        next = std::mem::replace(&mut parents[next as usize], top);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::release::parse_splits;
    use benchtop_model::{ImageRef, Key, Variant};

    fn item(n: i64, picture: i64) -> Item {
        Item {
            images: vec![ImageRef::named(format!("{picture}.png"))],
            ..Item::blank("d", Key::Int(n))
        }
    }

    fn assigned(items: &[Item], seed: u64) -> Vec<u8> {
        let mut groups = Groups::default();
        items.iter().for_each(|item| groups.add(item));
        groups.assign(&parse_splits("train=80,test=20").unwrap(), seed)
    }

    #[test]
    fn shares_are_kept_and_groups_stay_together() {
        // Two questions about each picture, and a variant of each tenth question.
        let mut items: Vec<Item> = (0..4000).map(|n| item(n, n / 2)).collect();
        for n in (0..4000).step_by(10) {
            let variant = Variant {
                name: "corruption".into(),
                of: Some(format!("d/{n}")),
                modified: None,
            };
            items.push(Item {
                variant: Some(variant),
                ..item(10_000 + n, 10_000 + n)
            });
        }
        let found = assigned(&items, 7);
        let tests = found.iter().filter(|split| **split == 1).count() as f64;
        let share = tests / items.len() as f64;
        assert!((0.17..0.23).contains(&share), "{share}");
        for n in (0..4000).step_by(2) {
            assert_eq!(found[n], found[n + 1], "two questions about picture {n}");
        }
        for (at, n) in (0..4000).step_by(10).enumerate() {
            assert_eq!(found[4000 + at], found[n], "the variant of {n}");
        }
        assert_eq!(found, assigned(&items, 7));
        assert_ne!(found, assigned(&items, 8));
    }

    #[test]
    fn items_stay_in_their_split_when_others_are_added() {
        let items: Vec<Item> = (0..500).map(|n| item(n, n)).collect();
        let few = assigned(&items[..300], 1);
        assert_eq!(assigned(&items, 1)[..300], few);
    }
}
