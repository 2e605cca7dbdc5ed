//! Which items are asked, and in which orders their options are shown.

use benchtop_model::Item;
use benchtop_model::evaluation::Orders;
use benchtop_model::rng::{Stream, key};

/// `count` of `numbers`, drawn by `seed` and in their order; all of them where there are no more. Which are drawn depends
/// on the numbers and the seed alone.
pub fn sample(numbers: &[u32], count: Option<u64>, seed: u64) -> Vec<u32> {
    let Some(count) = count
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| *n < numbers.len())
    else {
        return numbers.to_vec();
    };
    let mut drawn = numbers.to_vec();
    Stream::new(key(seed, &["evaluate", "sample"])).shuffle(&mut drawn);
    drawn.truncate(count);
    drawn.sort_unstable();
    drawn
}

/// How often a question with so many options is asked. Without options, or as a rotation that the data set brings along,
/// once.
pub fn count(orders: Orders, options: usize, is_rotation: bool) -> u16 {
    match orders {
        Orders::Shuffles(n) if options > 1 => u16::try_from(n).unwrap_or(u16::MAX),
        Orders::Circular if options > 1 && !is_rotation => {
            u16::try_from(options).unwrap_or(u16::MAX)
        }
        _ => 1,
    }
}

/// The numbers of the orders in which an item is asked: 0 for its own, from 1 for shuffles and rotations.
pub fn of_item(orders: Orders, options: usize, is_rotation: bool) -> std::ops::Range<u16> {
    let count = count(orders, options, is_rotation);
    let changes = options > 1 && !(orders == Orders::Circular && is_rotation);
    match orders {
        Orders::Shuffles(_) | Orders::Circular if changes => 1..count + 1,
        _ => 0..1,
    }
}

/// The options of `item` (from 0) in the places of order `order`. The first rotation is as it is; each further one takes
/// the first option to the end. Shuffles depend on the seed, the item's id and their number alone, so that every model
/// sees the same.
pub fn shown(orders: Orders, item: &Item, order: u16, seed: u64) -> Vec<u16> {
    let mut places: Vec<u16> = (0..u16::try_from(item.options.len()).unwrap_or(u16::MAX)).collect();
    match orders {
        _ if order == 0 || places.is_empty() => {}
        Orders::AsIs => {}
        Orders::Circular => {
            let by = usize::from(order - 1) % places.len();
            places.rotate_left(by);
        }
        Orders::Shuffles(_) => {
            Stream::new(key(
                seed,
                &["evaluate", "shuffle", &item.id, &order.to_string()],
            ))
            .shuffle(&mut places);
        }
    }
    places
}
