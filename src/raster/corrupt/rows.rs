//! Work on rows, in parallel: the same result with any number of threads.

use rayon::prelude::*;

/// Rows that one task takes at least, so that small pictures do not pay for tasks.
const TASK: usize = 8;

/// Calls `fill(scratch, y, row)` for each row of `samples`. `scratch` is memory of the thread: what it
/// holds must not reach the result.
pub(super) fn fill_rows<T: Send, S: Default>(
    samples: &mut [T],
    row_len: usize,
    fill: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    if row_len == 0 {
        return;
    }
    samples
        .par_chunks_mut(row_len)
        .with_min_len(TASK)
        .enumerate()
        .for_each_init(S::default, |scratch, (y, row)| fill(scratch, y, row));
}

/// Rounds half to even, as numpy's `rint`, and clips to 0..=255.
#[inline]
pub(super) fn to_byte(value: f32) -> u8 {
    // 2^23: its last bits are units, so adding it rounds.
    (value.clamp(0.0, 255.0) + 8_388_608.0).to_bits() as u8
}

/// `sum[i] += weight * a[i]`.
#[inline]
pub(super) fn add_one<T: Copy + Into<f32>>(sum: &mut [f32], a: &[T], weight: f32) {
    for (sum, a) in sum.iter_mut().zip(a) {
        *sum += weight * (*a).into();
    }
}

/// `sum[i] += weight * (a[i] + b[i])`.
#[inline]
pub(super) fn add_pair<T: Copy + Into<f32>>(sum: &mut [f32], a: &[T], b: &[T], weight: f32) {
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        *sum += weight * ((*a).into() + (*b).into());
    }
}

/// What lies beyond the edge of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// `a a a | a b c d | d d d`: the last pixel again.
    Nearest,
    /// `c b a | a b c d | d c b`: a mirror at the edge (scipy: `reflect`).
    Reflect,
    /// `d c b | a b c d | c b a`: a mirror in the last pixel (scipy: `mirror`; OpenCV: reflect 101).
    Mirror,
}

impl Edge {
    /// The index below `n` (at least 1) that stands for `i`.
    #[inline]
    pub(super) fn at(self, i: i64, n: usize) -> usize {
        let last = n as i64 - 1;
        if (0..=last).contains(&i) {
            return i as usize;
        }
        let folded = match self {
            Edge::Nearest => i.clamp(0, last),
            Edge::Reflect => {
                let at = i.rem_euclid(2 * last + 2);
                at.min(2 * last + 1 - at)
            }
            Edge::Mirror if last == 0 => 0,
            Edge::Mirror => {
                let at = i.rem_euclid(2 * last);
                at.min(2 * last - at)
            }
        };
        folded as usize
    }

    /// Fills the `margin` pixels on both sides of `padded`, whose middle is a row.
    pub(super) fn pad(self, padded: &mut [f32], margin: usize, channels: usize) {
        let width = padded.len() / channels - 2 * margin;
        for beyond in 0..margin {
            for (to, i) in [
                (margin - 1 - beyond, -1 - beyond as i64),
                (margin + width + beyond, (width + beyond) as i64),
            ] {
                let from = (margin + self.at(i, width)) * channels;
                padded.copy_within(from..from + channels, to * channels);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_those_of_scipy() {
        let row = |edge: Edge, n: usize| -> Vec<usize> { (-5..9).map(|i| edge.at(i, n)).collect() };
        assert_eq!(
            row(Edge::Nearest, 4),
            [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]
        );
        assert_eq!(
            row(Edge::Reflect, 4),
            [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]
        );
        assert_eq!(
            row(Edge::Mirror, 4),
            [1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2]
        );
        for edge in [Edge::Nearest, Edge::Reflect, Edge::Mirror] {
            assert_eq!(row(edge, 1), [0; 14]);
        }
        let mut padded = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
        Edge::Mirror.pad(&mut padded, 3, 1);
        assert_eq!(padded, [2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0]);
    }

    #[test]
    fn bytes_are_rounded_half_to_even_and_clipped() {
        let values = [-3.0, 0.4, 0.5, 1.5, 254.5, 254.6, 255.0, 900.0];
        assert_eq!(values.map(to_byte), [0, 0, 0, 2, 254, 255, 255, 255]);
    }
}
