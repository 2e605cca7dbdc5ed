//! Stable sorts for short lists. Each call of `slice::sort_by` adds 5 KB to the program, because the
//! compiler copies the algorithm for each closure. These functions share one copy, which calls the
//! closure through a pointer.
//!
//! Use the standard library for long lists, and for lists that are sorted at every key.

use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    for (a, b) in swaps {
        items.swap(a, b);
    }
}

/// Sorts as `slice::sort_by_key` does.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// The swaps, one after the other, that sort a list of this length.
fn swaps(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| compare(*a, *b));
    let mut swaps = Vec::new();
    for first in 0..length {
        let mut place = first;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == first {
                break;
            }
            swaps.push((place, from));
            place = from;
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(
            items in proptest::collection::vec((0..9u8, any::<u16>()), 0..200)
        ) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let mut sorted = items.clone();
            sort_by_key(&mut sorted, |item| item.0);
            prop_assert_eq!(&sorted, &expected);
            expected.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            sort_by(&mut sorted, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            prop_assert_eq!(sorted, expected);
        }
    }
}
