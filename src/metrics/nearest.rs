//! Exact cosine search in embeddings: similar pictures within a set, and the nearest pictures of
//! another set. Every pair is compared. The only approximation is the half-float storage of
//! embeddings.

use candle_core::{CpuStorage, Device, Storage, Tensor};
use half::f16;
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

use benchtop_model::cancel::Cancel;
use benchtop_model::error::{Error, Result};

/// Rows per tile. 1024 x 1024 products take 4 MB, which stay in a cache while they are searched.
const TILE: usize = 1024;

/// Products per comparison.
const LANES: usize = 32;

/// Embeddings of length 1 as consecutive half floats. Each number is accurate to 5e-4, and so,
/// roughly, is a cosine.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    data: &'a [f16],
    dimension: usize,
}

/// Two rows and their cosine similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Index of the first row.
    pub a: usize,
    /// Index of the second row. In pairs within one set, it is always greater than `a`.
    pub b: usize,
    pub cosine: f32,
}

impl<'a> Rows<'a> {
    /// Rows of `dimension` numbers each.
    ///
    /// # Errors
    /// If `data` does not divide into rows.
    pub fn new(data: &'a [f16], dimension: usize) -> Result<Rows<'a>> {
        if dimension == 0 || !data.len().is_multiple_of(dimension) {
            return Err(Error::input(format!(
                "{} numbers do not divide into rows of {dimension}",
                data.len()
            )));
        }
        Ok(Rows { data, dimension })
    }

    pub fn len(&self) -> usize {
        self.data.len() / self.dimension
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Numbers per row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn row(&self, at: usize) -> &'a [f16] {
        self.data
            .get(at * self.dimension..(at + 1) * self.dimension)
            .unwrap_or_default()
    }

    /// The rows from `from` on as f32, at most one tile.
    fn tile(&self, from: usize) -> Result<Tensor> {
        let n = TILE.min(self.len().saturating_sub(from));
        let mut wide = vec![0f32; n * self.dimension];
        let some = &self.data[from * self.dimension..(from + n) * self.dimension];
        wide.par_chunks_mut(1 << 15)
            .zip(some.par_chunks(1 << 15))
            .for_each(|(wide, some)| some.convert_to_f32_slice(wide));
        Tensor::from_vec(wide, (n, self.dimension), &Device::Cpu).map_err(broken)
    }
}

/// Checks that both sets have the same dimension.
pub(super) fn comparable(a: &Rows, b: &Rows) -> Result<()> {
    if a.dimension == b.dimension {
        return Ok(());
    }
    let what = format!(
        "cannot compare embeddings of dimensions {} and {}",
        a.dimension, b.dimension
    );
    Err(Error::input(what).help("embed both sets with the same model"))
}

/// Calls `each` with the products of all pairs of rows of `a` and `b`, tile by tile. It gets the
/// tile's first row in `a` and in `b`, the products in row-major order, and the row width. With
/// `half`, only tiles on or above the diagonal are visited.
pub(super) fn tiles(
    a: &Rows,
    b: &Rows,
    half: bool,
    cancel: Cancel<'_>,
    mut each: impl FnMut(usize, usize, &[f32], usize) -> Result<()>,
) -> Result<()> {
    comparable(a, b)?;
    let (down, across) = (a.len().div_ceil(TILE), b.len().div_ceil(TILE));
    for i in 0..down {
        let left = a.tile(i * TILE)?;
        for j in if half { i } else { 0 }..across {
            let right = b.tile(j * TILE)?;
            let product = right
                .t()
                .and_then(|right| left.matmul(&right))
                .map_err(broken)?;
            let (storage, layout) = product.storage_and_layout();
            let Storage::Cpu(CpuStorage::F32(numbers)) = &*storage else {
                return Err(Error::input(format!(
                    "unexpected product layout: {:?}",
                    storage.dtype()
                )));
            };
            debug_assert_eq!(layout.start_offset(), 0);
            each(
                i * TILE,
                j * TILE,
                numbers,
                right.dims().first().copied().unwrap_or_default().max(1),
            )?;
            cancel.check()?;
        }
    }
    Ok(())
}

fn broken(error: candle_core::Error) -> Error {
    Error::input(format!("cannot multiply embeddings: {error}"))
}

/// Calls `found` for the numbers of a row that are at least `least`. There are few of them.
fn at_least(row: &[f32], least: f32, mut found: impl FnMut(usize, f32)) {
    for (chunk, part) in row.chunks(LANES).enumerate() {
        // Compares many numbers at once, because few pass.
        let any = part.iter().fold(false, |any, x| any | (*x >= least));
        if any {
            let places = part.iter().enumerate().filter(|(_, x)| **x >= least);
            places.for_each(|(at, x)| found(chunk * LANES + at, *x));
        }
    }
}

/// All pairs in `rows` with a cosine of at least `threshold`, by index.
///
/// # Errors
/// If there are more than `most` pairs, because a very low threshold could fill the memory.
pub fn pairs_above(
    rows: &Rows,
    threshold: f32,
    most: usize,
    cancel: Cancel<'_>,
) -> Result<Vec<Match>> {
    let mut pairs: Vec<Match> = Vec::new();
    tiles(rows, rows, true, cancel, |top, left, numbers, wide| {
        let row = |(i, row): (usize, &[f32])| {
            let (a, mut found) = (top + i, Vec::new());
            at_least(row, threshold, |j, cosine| {
                if left + j > a {
                    found.push(Match {
                        a,
                        b: left + j,
                        cosine,
                    });
                }
            });
            found
        };
        let found: Vec<Vec<Match>> = numbers
            .par_chunks(wide)
            .enumerate()
            .with_min_len(16)
            .map(row)
            .collect();
        if pairs.len() + found.iter().map(Vec::len).sum::<usize>() > most {
            let what = format!("more than {most} pairs have a cosine of {threshold} or more");
            return Err(Error::input(what).help("raise the threshold"));
        }
        pairs.extend(found.into_iter().flatten());
        Ok(())
    })?;
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(pairs)
}

/// For each row of `queries`, the `k` nearest rows in `of` (fewer if `of` is smaller), nearest
/// first. Of equally near rows, the first in `of` comes first.
pub fn nearest(queries: &Rows, of: &Rows, k: usize, cancel: Cancel<'_>) -> Result<Vec<Vec<Match>>> {
    nearest_where(queries, of, k, &|_, _| true, cancel)
}

/// Like [`nearest`], only of pairs that `counts` accepts: the index in `queries` and that in `of`.
pub fn nearest_where(
    queries: &Rows,
    of: &Rows,
    k: usize,
    counts: &(dyn Fn(usize, usize) -> bool + Sync),
    cancel: Cancel<'_>,
) -> Result<Vec<Vec<Match>>> {
    let mut best: Vec<Vec<Match>> = vec![Vec::new(); queries.len()];
    if k == 0 {
        return Ok(best);
    }
    tiles(queries, of, false, cancel, |top, left, numbers, wide| {
        let here = best.get_mut(top..).unwrap_or_default();
        here.par_iter_mut()
            .zip(numbers.par_chunks(wide))
            .enumerate()
            .with_min_len(16)
            .for_each(|(i, (best, row))| {
                let full =
                    |best: &Vec<Match>| best.last().filter(|_| best.len() == k).map(|m| m.cosine);
                let least = full(best).unwrap_or(f32::NEG_INFINITY);
                at_least(row, least, |j, cosine| {
                    let is_nearer = full(best).is_none_or(|least| cosine > least);
                    if is_nearer && counts(top + i, left + j) {
                        let at = best.partition_point(|m| m.cosine >= cosine);
                        best.truncate(k - 1);
                        best.insert(
                            at.min(best.len()),
                            Match {
                                a: top + i,
                                b: left + j,
                                cosine,
                            },
                        );
                    }
                });
            });
        Ok(())
    })?;
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Random unit rows, more than one tile.
    fn unit(n: usize, d: usize, seed: u64) -> Vec<f16> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.
        };
        let mut rows = Vec::new();
        for _ in 0..n {
            let row: Vec<f32> = (0..d).map(|_| next()).collect();
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            rows.extend(row.iter().map(|x| f16::from_f32(x / length)));
        }
        rows
    }

    /// All cosines of two sets, in f64.
    fn cosines(a: &Rows, b: &Rows) -> Vec<Vec<f64>> {
        let wide = |rows: &Rows| -> Vec<Vec<f64>> {
            (0..rows.len())
                .map(|at| rows.row(at).iter().map(|x| x.to_f64()).collect())
                .collect()
        };
        let (a, b) = (wide(a), wide(b));
        let cosine = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        a.iter()
            .map(|a| b.iter().map(|b| cosine(a, b)).collect())
            .collect()
    }

    #[test]
    fn pairs_are_found_once_across_tiles() {
        let (n, d) = (2100, 8);
        let data = unit(n, d, 1);
        let rows = Rows::new(&data, d).unwrap();
        let asked = AtomicUsize::new(0);
        let watch = || asked.fetch_add(1, Ordering::Relaxed) > 1000;
        let found = pairs_above(&rows, 0.9, 1 << 20, Cancel::when(&watch)).unwrap();
        let all = cosines(&rows, &rows);
        let near = |a: usize, b: usize| all[a][b];
        let expected: Vec<(usize, usize)> = (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .filter(|(a, b)| near(*a, *b) >= 0.9)
            .collect();
        assert!(
            expected.len() > 1000 && found.len() == expected.len(),
            "{} {}",
            expected.len(),
            found.len()
        );
        for (found, (a, b)) in found.iter().zip(expected) {
            assert_eq!((found.a, found.b), (a, b));
            assert!((f64::from(found.cosine) - near(a, b)).abs() < 1e-6);
        }
        // Three tiles per side make six tiles on or above the diagonal.
        assert_eq!(asked.into_inner(), 6);
    }

    #[test]
    fn nearest_are_ordered_with_ties_by_index() {
        let (n, d) = (1500, 8);
        let mut data = unit(n, d, 2);
        // The same row at three indices, in two tiles.
        let copy = data[..d].to_vec();
        for at in [700, 1400] {
            data[at * d..(at + 1) * d].copy_from_slice(&copy);
        }
        let rows = Rows::new(&data, d).unwrap();
        let some = unit(1100, d, 3);
        let queries = Rows::new(&some, d).unwrap();
        let exact = cosines(&queries, &rows);
        for (a, best) in nearest(&queries, &rows, 7, Cancel::NEVER)
            .unwrap()
            .iter()
            .enumerate()
        {
            let mut order = exact[a].clone();
            order.sort_by(|x, y| y.total_cmp(x));
            assert_eq!(best.len(), 7);
            for (m, expected) in best.iter().zip(order) {
                assert!(m.a == a && (f64::from(m.cosine) - expected).abs() < 1e-6);
                assert!((exact[a][m.b] - expected).abs() < 1e-6);
            }
        }
        let own = nearest(&rows, &rows, 2, Cancel::NEVER).unwrap();
        assert_eq!(own[1400].iter().map(|m| m.b).collect::<Vec<_>>(), [0, 700]);
        assert_eq!(
            nearest(
                &queries,
                &Rows::new(&data[..2 * d], d).unwrap(),
                7,
                Cancel::NEVER
            )
            .unwrap()[0]
                .len(),
            2
        );
        assert!(
            nearest(&queries, &rows, 0, Cancel::NEVER)
                .unwrap()
                .iter()
                .all(Vec::is_empty)
        );
    }

    #[test]
    fn search_can_be_canceled_and_rejects_bad_input() {
        let data = unit(3000, 4, 4);
        let rows = Rows::new(&data, 4).unwrap();
        let tiles = AtomicUsize::new(0);
        let second = || tiles.fetch_add(1, Ordering::Relaxed) == 1;
        let stopped = pairs_above(&rows, 0.99, 1 << 20, Cancel::when(&second));
        assert_eq!(
            (stopped.unwrap_err().kind, tiles.into_inner()),
            (ErrorKind::Cancelled, 2)
        );
        let error = pairs_above(&rows, -1., 1000, Cancel::NEVER).unwrap_err();
        assert!(error.help.is_some_and(|help| help.contains("threshold")));
        assert!(Rows::new(&data, 7).is_err() && Rows::new(&data, 0).is_err());
        assert!(nearest(&rows, &Rows::new(&data, 8).unwrap(), 1, Cancel::NEVER).is_err());
        let none = Rows::new(&[], 4).unwrap();
        assert!(
            none.is_empty()
                && pairs_above(&none, 0.5, 10, Cancel::NEVER)
                    .unwrap()
                    .is_empty()
        );
        assert!(
            nearest(&rows, &none, 3, Cancel::NEVER)
                .unwrap()
                .iter()
                .all(Vec::is_empty)
        );
    }
}
