//! Seeded random numbers that are the same on every machine and independent of order.
//!
//! Libraries change their random streams between versions, but a benchmark must compose to the same
//! bytes years later. Keys are BLAKE3 hashes. Streams are SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", 2014).

use crate::hash::{first_bytes, put};

/// Derives the key of a stream from a seed and names.
pub fn key(seed: u64, names: &[&str]) -> u64 {
    let mut hash = blake3::Hasher::new();
    hash.update(&seed.to_le_bytes());
    for name in names {
        put(&mut hash, name);
    }
    first_bytes(&hash.finalize())
}

/// Derives the `n`th key within `key`.
pub fn within(key: u64, n: u64) -> u64 {
    Stream(key ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next()
}

/// A stream of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Stream(u64);

impl Stream {
    pub fn new(key: u64) -> Stream {
        Stream(key)
    }

    /// The next number, uniform over all `u64`.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n` (which must not be 0), uniform to within n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Shuffles `list` (Fisher-Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// Deals the numbers below `n` in shuffled blocks, so that each number occurs once per block
/// (permuted blocks). Any position can be read; sequential reading is fast.
#[derive(Clone, Debug)]
pub struct BalancedSampler {
    key: u64,
    size: u32,
    block: u64,
    order: Vec<u32>,
}

impl BalancedSampler {
    /// A sampler of the numbers below `size`, which is at least 1.
    pub fn new(key: u64, size: usize) -> BalancedSampler {
        BalancedSampler {
            key,
            size: size.max(1) as u32,
            block: u64::MAX,
            order: Vec::new(),
        }
    }

    /// The number at position `at`.
    pub fn at(&mut self, at: u64) -> usize {
        let size = u64::from(self.size);
        if size == 1 {
            return 0;
        }
        let block = at / size;
        if self.block != block || self.order.is_empty() {
            self.order.clear();
            self.order.extend(0..self.size);
            Stream::new(within(self.key, block)).shuffle(&mut self.order);
            self.block = block;
        }
        self.order[(at % size) as usize] as usize
    }
}

/// Two nested samplers: the second advances once per block of the first. Each is balanced by
/// itself, and their pairs are balanced after as many blocks as the second has numbers.
#[derive(Clone, Debug)]
pub struct NestedSamplers {
    first: BalancedSampler,
    second: BalancedSampler,
}

impl NestedSamplers {
    /// Samplers of these two sizes.
    pub fn new(key: u64, (first, second): (usize, usize)) -> NestedSamplers {
        NestedSamplers {
            first: BalancedSampler::new(key, first),
            second: BalancedSampler::new(within(key, u64::MAX), second),
        }
    }

    /// The pair at position `at`.
    pub fn at(&mut self, at: u64) -> (usize, usize) {
        (
            self.first.at(at),
            self.second.at(at / u64::from(self.first.size)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_splitmix64() {
        // The first numbers of the reference implementation for the seed 1234567.
        let mut stream = Stream::new(1_234_567);
        assert_eq!(stream.next(), 6_457_827_717_110_365_317);
        assert_eq!(stream.next(), 3_203_168_211_198_807_973);
        // Composed benchmarks depend on these keys. They must never change.
        assert_eq!(key(7, &["animal", "style"]), key(7, &["animal", "style"]));
        assert_ne!(key(7, &["animal", "style"]), key(7, &["animals", "tyle"]));
        assert_ne!(key(7, &["animal"]), key(8, &["animal"]));
    }

    #[test]
    fn sampler_is_balanced_per_block() {
        let mut sampler = BalancedSampler::new(9, 7);
        let dealt: Vec<_> = (0..70).map(|at| sampler.at(at)).collect();
        for round in dealt.chunks(7) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_ne!(dealt[..7], dealt[7..14]);
        let mut other = BalancedSampler::new(9, 7);
        let backwards: Vec<_> = (0..70).rev().map(|at| other.at(at)).collect();
        assert_eq!(backwards.into_iter().rev().collect::<Vec<_>>(), dealt);
        assert_eq!(BalancedSampler::new(1, 1).at(u64::MAX), 0);
    }

    #[test]
    fn nested_samplers_are_balanced_alone_and_together() {
        let mut samplers = NestedSamplers::new(4, (5, 4));
        let dealt: Vec<_> = (0..40).map(|at| samplers.at(at)).collect();
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
