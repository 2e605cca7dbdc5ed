//! Kin: pictures that were derived from one another. They are alike by design, so they are no
//! duplicates.

use std::collections::HashMap;

/// The pictures of a project by the picture that all of their kin descend from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kin {
    /// A picture that stands for the kin of each picture that has any. The numbers are those of
    /// [`benchtop_model::generated_image::file_key`].
    parent: HashMap<u64, u64>,
}

impl Kin {
    /// Adds that the picture `a` was derived from `b`. 0 stands for no picture.
    pub fn add(&mut self, a: u64, b: u64) {
        if a == 0 || b == 0 || a == b {
            return;
        }
        let (a, b) = (self.settle(a), self.settle(b));
        if a != b {
            // The smaller number stands for both, whatever the order.
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    /// The picture that stands for the kin of `picture`, and shortens the way there.
    fn settle(&mut self, picture: u64) -> u64 {
        let root = self.root(picture);
        let mut at = picture;
        while at != root {
            at = self.parent.insert(at, root).unwrap_or(root);
        }
        self.parent.entry(root).or_insert(root);
        root
    }

    fn root(&self, picture: u64) -> u64 {
        let mut at = picture;
        while let Some(up) = self.parent.get(&at).filter(|up| **up != at) {
            at = *up;
        }
        at
    }

    /// Whether two different pictures are kin.
    pub fn are(&self, a: u64, b: u64) -> bool {
        a != b && self.parent.contains_key(&a) && self.root(a) == self.root(b)
    }

    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_is_the_whole_chain_in_any_order() {
        let chain = [(5, 4), (4, 3), (9, 3), (7, 0), (0, 7), (8, 8)];
        let mut forward = Kin::default();
        chain.iter().for_each(|(a, b)| forward.add(*a, *b));
        let mut backward = Kin::default();
        chain.iter().rev().for_each(|(a, b)| backward.add(*a, *b));
        for kin in [forward, backward] {
            for (a, b) in [(5, 3), (3, 5), (9, 5), (4, 9)] {
                assert!(kin.are(a, b), "{a} {b}");
            }
            for (a, b) in [(5, 5), (7, 5), (8, 3), (1, 2)] {
                assert!(!kin.are(a, b), "{a} {b}");
            }
        }
        assert!(Kin::default().is_empty());
    }
}
