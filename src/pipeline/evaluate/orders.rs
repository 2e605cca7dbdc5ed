//! Selects the items to ask and their option orders.

use benchtop_model::Item;
use benchtop_model::evaluation::OptionOrders;
use benchtop_model::rng::{Stream, key};

/// Draws `count` of `numbers` by `seed` and keeps their order. Returns all if there are no more.
/// The result depends only on the numbers and the seed.
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

/// Number of times to ask a question with this many options. Once for questions without options and
/// for rotations that belong to the data set.
pub fn count(orders: OptionOrders, options: usize, is_rotation: bool) -> u16 {
    match orders {
        OptionOrders::Shuffles(n) if options > 1 => u16::try_from(n).unwrap_or(u16::MAX),
        OptionOrders::Circular if options > 1 && !is_rotation => {
            u16::try_from(options).unwrap_or(u16::MAX)
        }
        _ => 1,
    }
}

/// How often a question is asked at most; `None` if that follows from its options.
pub fn most(orders: OptionOrders) -> Option<u64> {
    match orders {
        OptionOrders::AsIs => Some(1),
        OptionOrders::Shuffles(n) => Some(n.into()),
        OptionOrders::Circular => None,
    }
}

/// The order numbers of an item: 0 is its own order, shuffles and rotations start at 1.
pub fn of_item(orders: OptionOrders, options: usize, is_rotation: bool) -> std::ops::Range<u16> {
    let count = count(orders, options, is_rotation);
    let changes = options > 1 && !(orders == OptionOrders::Circular && is_rotation);
    match orders {
        OptionOrders::Shuffles(_) | OptionOrders::Circular if changes => 1..count.saturating_add(1),
        _ => 0..1,
    }
}

/// The item's option (from 0) at each position of order `order`. The first rotation is the item's
/// own order, and each further one moves the first option to the end. Shuffles depend only on the
/// seed, the item's id, and their number, so that every model sees the same.
pub fn option_order(orders: OptionOrders, item: &Item, order: u16, seed: u64) -> Vec<u16> {
    let mut places: Vec<u16> = (0..u16::try_from(item.options.len()).unwrap_or(u16::MAX)).collect();
    match orders {
        _ if order == 0 || places.is_empty() => {}
        OptionOrders::AsIs => {}
        OptionOrders::Circular => {
            let by = usize::from(order - 1) % places.len();
            places.rotate_left(by);
        }
        OptionOrders::Shuffles(_) => {
            Stream::new(key(
                seed,
                &["evaluate", "shuffle", &item.id, &order.to_string()],
            ))
            .shuffle(&mut places);
        }
    }
    places
}
