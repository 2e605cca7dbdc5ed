//! Units as bits, with the units of a cluster next to each other, so that sums by cluster are bit
//! counts.

use std::collections::HashMap;
use std::ops::Range;

use super::bitmap_index::Bitmap;
use super::parsed_answer::ParsedAnswer;

/// Up to this cluster size, neighbors are found by shifting whole bitmaps.
const SHIFTED: u32 = 16;

/// Units by segment, and within it by cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct ClusterBits {
    /// The unit of each bit; `u32::MAX` between two segments.
    units: Vec<u32>,
    /// The words of each segment.
    segments: Vec<Range<usize>>,
    /// The bits of each cluster with more than one unit, and the range of `spans` of each segment.
    spans: Vec<Range<u32>>,
    /// By distance from 1: whether the unit that many bits ahead is in the same cluster. Empty if
    /// clusters are larger than [`SHIFTED`].
    near: Vec<Bitmap>,
}

/// The 64 bits of a bitmap that start `by` bits (below 64) after the start of a word.
fn shifted(plane: &[u64], word: usize, by: u32) -> u64 {
    let next = plane.get(word + 1).copied().unwrap_or(0);
    if by == 0 {
        plane[word]
    } else {
        plane[word] >> by | next << (64 - by)
    }
}

/// Number of set bits in a range.
fn ones(plane: &[u64], bits: &Range<u32>) -> u64 {
    both_ones(plane, plane, bits)
}

/// Number of bits in a range that are set in both bitmaps.
fn both_ones(a: &[u64], b: &[u64], bits: &Range<u32>) -> u64 {
    let (first, last) = (
        bits.start as usize / 64,
        bits.end.saturating_sub(1) as usize / 64,
    );
    let from = |word: usize| {
        if word == first {
            u64::MAX << (bits.start % 64)
        } else {
            u64::MAX
        }
    };
    let to = |word: usize| {
        if word == last {
            u64::MAX >> (63 - (bits.end - 1) % 64)
        } else {
            u64::MAX
        }
    };
    (first..=last)
        .map(|word| u64::from((a[word] & b[word] & from(word) & to(word)).count_ones()))
        .sum()
}

impl ClusterBits {
    /// Units, each with its segment and cluster key. A key in two segments means two clusters.
    pub(super) fn new(
        segments: usize,
        of: impl Iterator<Item = (u32, usize, (&'static str, u64))>,
    ) -> ClusterBits {
        // Clusters are numbered in order of appearance. Units of one cluster often follow each
        // other.
        let mut number: HashMap<(usize, &'static str, u64), u32> = HashMap::new();
        let mut units: Vec<(u32, u32)> = Vec::new();
        let mut clusters: Vec<(usize, u32)> = Vec::new();
        let mut last = None;
        for (unit, segment, (kind, key)) in of {
            let cluster = match last {
                Some((same, cluster)) if same == (segment, kind, key) => cluster,
                _ => *number.entry((segment, kind, key)).or_insert_with(|| {
                    clusters.push((segment, 0));
                    clusters.len() as u32 - 1
                }),
            };
            last = Some(((segment, kind, key), cluster));
            clusters[cluster as usize].1 += 1;
            units.push((unit, cluster));
        }
        let mut order: Vec<u32> = (0..clusters.len() as u32).collect();
        order.sort_by_key(|cluster| clusters[*cluster as usize].0);
        let mut cluster_bits = ClusterBits::default();
        let mut next = vec![0; clusters.len()];
        let (mut at, mut rest) = (0u32, &order[..]);
        for segment in 0..segments {
            let (own, others) = rest
                .split_at(rest.partition_point(|cluster| clusters[*cluster as usize].0 == segment));
            rest = others;
            let begins = at;
            for cluster in own {
                let size = clusters[*cluster as usize].1;
                next[*cluster as usize] = at;
                if size > 1 {
                    cluster_bits.spans.push(at..at + size);
                }
                at += size;
            }
            at = at.next_multiple_of(64);
            cluster_bits
                .segments
                .push(begins as usize / 64..at as usize / 64);
        }
        cluster_bits.units = vec![u32::MAX; at as usize];
        for (unit, cluster) in units {
            let place = &mut next[cluster as usize];
            cluster_bits.units[*place as usize] = unit;
            *place += 1;
        }
        let largest = cluster_bits
            .spans
            .iter()
            .map(|span| span.end - span.start)
            .max()
            .unwrap_or(1);
        if largest <= SHIFTED {
            cluster_bits.near = vec![vec![0; cluster_bits.units.len() / 64]; largest as usize - 1];
            for span in &cluster_bits.spans {
                for bit in span.clone() {
                    for by in 1..span.end - bit {
                        cluster_bits.near[by as usize - 1][bit as usize / 64] |= 1 << (bit % 64);
                    }
                }
            }
        }
        cluster_bits
    }

    /// The bitmap of the units for which `is` holds.
    pub(super) fn plane(&self, is: impl Fn(u32) -> bool) -> Bitmap {
        let word = |units: &[u32]| {
            let bit = |(at, unit): (usize, &u32)| u64::from(*unit != u32::MAX && is(*unit)) << at;
            units
                .iter()
                .enumerate()
                .map(bit)
                .fold(0, |word, bit| word | bit)
        };
        self.units.chunks(64).map(word).collect()
    }

    /// The bitmap of the rows whose answer equals `wanted`, which is indexed by bit (see
    /// [`by_bit`](Self::by_bit)).
    pub(super) fn marked(&self, marks: &[ParsedAnswer], wanted: &[ParsedAnswer]) -> Bitmap {
        let word = |(units, wanted): (&[u32], &[ParsedAnswer])| {
            let is = |unit: &u32, wanted: &ParsedAnswer| {
                marks
                    .get(*unit as usize)
                    .copied()
                    .unwrap_or(ParsedAnswer::ABSENT)
                    == *wanted
            };
            let bits = units.iter().zip(wanted).enumerate();
            bits.map(|(at, (unit, wanted))| u64::from(is(unit, wanted)) << at)
                .fold(0, |word, bit| word | bit)
        };
        self.units
            .chunks(64)
            .zip(wanted.chunks(64))
            .map(word)
            .collect()
    }

    /// A value for each unit in bit order; `none` between two segments.
    pub(super) fn by_bit<T: Clone>(&self, of: impl Fn(u32) -> T, none: T) -> Vec<T> {
        self.units
            .iter()
            .map(|unit| {
                if *unit == u32::MAX {
                    none.clone()
                } else {
                    of(*unit)
                }
            })
            .collect()
    }

    /// Number of set bits.
    pub(super) fn ones(plane: &[u64]) -> u64 {
        plane.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Number of segments.
    pub(super) fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Number of set bits in a segment.
    pub(super) fn count(&self, segment: usize, plane: &[u64]) -> u64 {
        self.segments[segment]
            .clone()
            .map(|word| u64::from(plane[word].count_ones()))
            .sum()
    }

    /// The clusters of a segment that have more than one unit.
    fn spans(&self, segment: usize) -> &[Range<u32>] {
        let words = &self.segments[segment];
        let at = |word: usize| {
            self.spans
                .partition_point(|span| (span.start as usize) < word * 64)
        };
        &self.spans[at(words.start)..at(words.end)]
    }

    /// The sum over a segment's clusters of (bits set in `a`) x (bits set in `b`).
    pub(super) fn products(&self, segment: usize, a: &[u64], b: &[u64]) -> u64 {
        let words = || self.segments[segment].clone();
        let both: u64 = words()
            .map(|word| u64::from((a[word] & b[word]).count_ones()))
            .sum();
        if self.near.is_empty() {
            // Within a cluster, every bit of one bitmap pairs with every bit of the other.
            let more = |span: &Range<u32>| ones(a, span) * ones(b, span) - both_ones(a, b, span);
            return both + self.spans(segment).iter().map(more).sum::<u64>();
        }
        let mut more = 0;
        for (by, near) in (1..).zip(&self.near) {
            for word in words() {
                if near[word] != 0 {
                    more += u64::from((a[word] & shifted(b, word, by) & near[word]).count_ones());
                    more += u64::from((b[word] & shifted(a, word, by) & near[word]).count_ones());
                }
            }
        }
        both + more
    }

    /// The sum over a segment's clusters of the square of the number of set bits.
    pub(super) fn squares(&self, segment: usize, plane: &[u64]) -> u64 {
        if self.near.is_empty() {
            return self.products(segment, plane, plane);
        }
        // Each pair of bits is found once but counts in both orders.
        let words = &self.segments[segment];
        let pairs = (1..).zip(&self.near).map(|(by, near)| {
            let pair = |word: usize| {
                u64::from((plane[word] & shifted(plane, word, by) & near[word]).count_ones())
            };
            words
                .clone()
                .filter(|word| near[*word] != 0)
                .map(pair)
                .sum::<u64>()
        });
        self.count(segment, plane) + 2 * pairs.sum::<u64>()
    }

    /// Number of a segment's clusters in which a bit is set.
    pub(super) fn clusters(&self, segment: usize, plane: &[u64]) -> u64 {
        // Every set bit of a cluster after the first is subtracted.
        let too_many = |span: &Range<u32>| ones(plane, span).saturating_sub(1);
        self.count(segment, plane) - self.spans(segment).iter().map(too_many).sum::<u64>()
    }

    /// For each cluster of all segments: bits set in `a` minus bits set in `b`, where this is not
    /// 0.
    pub(super) fn differences(&self, a: &[u64], b: &[u64]) -> Vec<i64> {
        let mut found = Vec::new();
        let mut spans = self.spans.iter().peekable();
        for (word, (a_bits, b_bits)) in a.iter().zip(b).enumerate() {
            let mut bits = a_bits | b_bits;
            while bits != 0 {
                let bit = (word * 64) as u32 + bits.trailing_zeros();
                bits &= bits - 1;
                while spans.next_if(|span| span.end <= bit).is_some() {}
                match spans.peek().filter(|span| span.start <= bit) {
                    None => found.push(
                        i64::from(a_bits >> (bit % 64) & 1 == 1)
                            - i64::from(b_bits >> (bit % 64) & 1 == 1),
                    ),
                    // Once per cluster, at its first bit.
                    Some(span) => {
                        let before = span.start..bit;
                        if before.is_empty() || ones(a, &before) + ones(b, &before) == 0 {
                            found.push(ones(a, span) as i64 - ones(b, span) as i64);
                        }
                    }
                }
            }
        }
        found.retain(|d| *d != 0);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::rng::Stream;

    #[test]
    fn sums_by_cluster_match_a_direct_count() {
        let mut stream = Stream::new(3);
        for largest in [1, 3, 7, 60, 200] {
            let (segments, units) = (4usize, 700u32);
            let of: Vec<_> = (0..units)
                .map(|unit| {
                    (
                        unit,
                        stream.below(segments),
                        ("image", stream.below(units as usize / largest) as u64),
                    )
                })
                .collect();
            let cluster_bits = ClusterBits::new(segments, of.iter().copied());
            let is: [Vec<bool>; 2] =
                std::array::from_fn(|_| (0..units).map(|_| stream.below(3) > 0).collect());
            let planes = is
                .each_ref()
                .map(|is| cluster_bits.plane(|unit| is[unit as usize]));
            let mut clusters: HashMap<(usize, u64), [u64; 2]> = HashMap::new();
            for (unit, segment, (_, key)) in &of {
                let sums = clusters.entry((*segment, *key)).or_default();
                (0..2).for_each(|at| sums[at] += u64::from(is[at][*unit as usize]));
            }
            for segment in 0..segments {
                let own = || {
                    clusters
                        .iter()
                        .filter(|((of, _), _)| *of == segment)
                        .map(|(_, sums)| *sums)
                };
                assert_eq!(
                    cluster_bits.count(segment, &planes[0]),
                    own().map(|s| s[0]).sum::<u64>()
                );
                assert_eq!(
                    cluster_bits.products(segment, &planes[0], &planes[1]),
                    own().map(|s| s[0] * s[1]).sum::<u64>(),
                    "{largest}"
                );
                let squared = own().map(|s| s[0] * s[0]).sum::<u64>();
                assert_eq!(
                    cluster_bits.products(segment, &planes[0], &planes[0]),
                    squared
                );
                assert_eq!(cluster_bits.squares(segment, &planes[0]), squared);
                assert_eq!(
                    cluster_bits.clusters(segment, &planes[0]),
                    own().filter(|s| s[0] > 0).count() as u64
                );
            }
            let mut wanted: Vec<i64> = clusters
                .values()
                .map(|s| s[0] as i64 - s[1] as i64)
                .filter(|d| *d != 0)
                .collect();
            let mut found = cluster_bits.differences(&planes[0], &planes[1]);
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, wanted, "{largest}");
        }
    }
}
