//! Drawing with a seed: the same on every machine, and in any order.
//!
//! Nothing here comes from a library of random numbers: their streams change between versions, and a benchmark must
//! be composed again to the byte years later. Keys are blake3 hashes; streams are SplitMix64 (Steele, Lea and Flood,
//! "Fast splittable pseudorandom number generators", 2014).

/// A key for a stream, from a seed and the names of what is drawn.
pub fn key(seed: u64, names: &[&str]) -> u64 {
    let mut hash = blake3::Hasher::new();
    hash.update(&seed.to_le_bytes());
    for name in names {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A key within another: for the `n`th of something.
pub fn within(key: u64, n: u64) -> u64 {
    Stream(key ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next()
}

/// A stream of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Stream(u64);

impl Stream {
    /// The stream of this key.
    pub fn new(key: u64) -> Stream {
        Stream(key)
    }

    /// The next number, any of 2^64 alike.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n` (which must not be 0), each as likely as another to within n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Puts `list` in a drawn order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// A deck of `n` cards that is dealt to the end and shuffled again: after every whole deal each card has come equally
/// often. Any position can be asked for; asking in order is fast.
#[derive(Clone, Debug)]
pub struct BalancedSampler {
    key: u64,
    cards: u32,
    round: u64,
    order: Vec<u32>,
}

impl BalancedSampler {
    /// A deck of `cards` cards (at least one).
    pub fn new(key: u64, cards: usize) -> BalancedSampler {
        BalancedSampler {
            key,
            cards: cards.max(1) as u32,
            round: u64::MAX,
            order: Vec::new(),
        }
    }

    /// The card at position `at`: below the number of cards.
    pub fn card(&mut self, at: u64) -> usize {
        let cards = u64::from(self.cards);
        if cards == 1 {
            return 0;
        }
        let round = at / cards;
        if self.round != round || self.order.is_empty() {
            self.order.clear();
            self.order.extend(0..self.cards);
            Stream::new(within(self.key, round)).shuffle(&mut self.order);
            self.round = round;
        }
        self.order[(at % cards) as usize] as usize
    }
}

/// Two decks in one: the second gives a card for every whole deal of the first. Both come out even by themselves, and
/// together after as many whole deals as the second has cards.
#[derive(Clone, Debug)]
pub struct BalancedSamplers {
    first: BalancedSampler,
    second: BalancedSampler,
}

impl BalancedSamplers {
    /// Decks of so many cards each.
    pub fn new(key: u64, (first, second): (usize, usize)) -> BalancedSamplers {
        BalancedSamplers {
            first: BalancedSampler::new(key, first),
            second: BalancedSampler::new(within(key, u64::MAX), second),
        }
    }

    /// The cards at position `at`.
    pub fn cards(&mut self, at: u64) -> (usize, usize) {
        (
            self.first.card(at),
            self.second.card(at / u64::from(self.first.cards)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first numbers of its reference implementation for the seed 1234567.
        let mut stream = Stream::new(1_234_567);
        assert_eq!(stream.next(), 6_457_827_717_110_365_317);
        assert_eq!(stream.next(), 3_203_168_211_198_807_973);
        // Fixed for ever: composed benchmarks depend on it.
        assert_eq!(key(7, &["animal", "style"]), key(7, &["animal", "style"]));
        assert_ne!(key(7, &["animal", "style"]), key(7, &["animals", "tyle"]));
        assert_ne!(key(7, &["animal"]), key(8, &["animal"]));
    }

    #[test]
    fn a_deck_deals_every_card_before_it_deals_one_again() {
        let mut deck = BalancedSampler::new(9, 7);
        let dealt: Vec<_> = (0..70).map(|at| deck.card(at)).collect();
        for round in dealt.chunks(7) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_ne!(dealt[..7], dealt[7..14]);
        let mut other = BalancedSampler::new(9, 7);
        let backwards: Vec<_> = (0..70).rev().map(|at| other.card(at)).collect();
        assert_eq!(backwards.into_iter().rev().collect::<Vec<_>>(), dealt);
        assert_eq!(BalancedSampler::new(1, 1).card(u64::MAX), 0);
    }

    #[test]
    fn two_decks_are_even_alone_and_together() {
        let mut decks = BalancedSamplers::new(4, (5, 4));
        let dealt: Vec<_> = (0..40).map(|at| decks.cards(at)).collect();
        for deal in dealt.chunks(5) {
            assert!(deal.iter().all(|c| c.1 == deal[0].1));
        }
        for all in dealt.chunks(20) {
            let mut sorted = all.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 20);
        }
    }
}
