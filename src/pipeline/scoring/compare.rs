//! Compares sets of pictures: the share of near duplicates (contamination; VLB, section 3), and the
//! distances of sets (KMMD, as Dysca reports it between benchmarks).

use std::path::{Path, PathBuf};

use half::f16;
use serde::Serialize;

use super::runners::embedded::list;
use benchtop_inference::scoring::ImageEmbedder;
use benchtop_metrics::kmmd::{Discrepancy, MOST, kmmd, matrix};
use benchtop_metrics::nearest::{Rows, nearest};
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::cancel::{ProgressSink, canceled};
use benchtop_model::generation::{FailureKind, Pixels};
use benchtop_model::scoring::queries::Share;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};
use benchtop_raster::pillow;

/// Pictures per pass.
const BATCH: usize = 16;

/// The comparison of two sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Pictures of the first set whose maximum cosine with the second reaches the threshold.
    pub contaminated: Share,
    /// The threshold of `contaminated`.
    pub threshold: f32,
    /// The pictures with the largest cosines: file of the first set, file of the second set,
    /// cosine.
    pub nearest: Vec<(PathBuf, PathBuf, f32)>,
    #[serde(flatten)]
    pub distance: Distance,
    /// Files that are not pictures, with reasons.
    pub skipped: Vec<(PathBuf, String)>,
    pub model: String,
}

/// The distance of two sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Unbiased estimate of MMD^2 with a Gaussian kernel (Gretton et al. 2012, eq. 3).
    pub kmmd_unbiased: f64,
    /// Biased estimate (eq. 5).
    pub kmmd_biased: f64,
    /// Width of the kernel, by the median heuristic.
    pub sigma: f64,
    /// Number of pictures of each set used for KMMD.
    pub samples: (usize, usize),
}

impl From<Discrepancy> for Distance {
    fn from(found: Discrepancy) -> Distance {
        Distance {
            kmmd_unbiased: found.unbiased,
            kmmd_biased: found.biased,
            sigma: found.sigma,
            samples: found.samples,
        }
    }
}

/// The distances of several sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distances {
    /// The folder of each set, and the number of its pictures.
    pub sets: Vec<(PathBuf, u64)>,
    /// By row and column; `None` on the diagonal. Each pair has its own width of the kernel.
    pub pairs: Vec<Vec<Option<Distance>>>,
    /// For each set, the mean of the unbiased estimates to all other sets.
    pub mean: Vec<f64>,
    /// Files that are not pictures, with reasons.
    pub skipped: Vec<(PathBuf, String)>,
    pub model: String,
}

/// Embedded pictures.
struct Set {
    files: Vec<PathBuf>,
    points: Vec<f16>,
}

/// Number of pairs to list.
const LISTED: usize = 20;

fn embed(
    model: &mut dyn ImageEmbedder,
    folder: &Path,
    (skipped, done): (&mut Vec<(PathBuf, String)>, &mut u64),
    watch: ProgressSink<'_>,
) -> Result<Set> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    let mut set = Set {
        files: Vec::new(),
        points: Vec::new(),
    };
    for some in files.chunks(BATCH) {
        let mut pictures: Vec<(PathBuf, Pixels)> = Vec::new();
        for file in some {
            match image::open(file) {
                Ok(picture) => pictures.push((file.clone(), pillow::rgb(&picture))),
                Err(error) => skipped.push((file.clone(), error.to_string())),
            }
        }
        let images: Vec<Pixels> = pictures.iter().map(|(_, p)| p.clone()).collect();
        let results = model.embed(&images, watch.cancel);
        for ((file, _), result) in pictures.into_iter().zip(results) {
            match result {
                Ok(point) => {
                    set.points.extend(point.into_iter().map(f16::from_f32));
                    set.files.push(file);
                }
                Err(failure) if failure.kind == FailureKind::Cancelled => return Err(canceled()),
                Err(failure) => skipped.push((file, failure.reason)),
            }
        }
        *done += some.len() as u64;
        watch.report("pictures", *done, None)?;
    }
    if set.files.len() < 2 {
        return Err(Error::input("a comparison needs at least two pictures").file(folder));
    }
    Ok(set)
}

/// Compares the pictures below `first` with those below `second`.
///
/// # Errors
///
/// Folders that cannot be read or contain fewer than two pictures, and [`ErrorKind::Cancelled`].
pub fn compare(
    model: &mut dyn ImageEmbedder,
    name: &str,
    (first, second): (&Path, &Path),
    (threshold, seed): (f32, u64),
    watch: ProgressSink<'_>,
) -> Result<Comparison> {
    let (mut skipped, mut done) = (Vec::new(), 0);
    let a = embed(model, first, (&mut skipped, &mut done), watch)?;
    let b = embed(model, second, (&mut skipped, &mut done), watch)?;
    let dim = model.dimension();
    let (left, right) = (Rows::new(&a.points, dim)?, Rows::new(&b.points, dim)?);
    let mut matches: Vec<_> = nearest(&left, &right, 1, watch.cancel)?
        .into_iter()
        .flatten()
        .collect();
    let k = matches.iter().filter(|m| m.cosine >= threshold).count() as u64;
    sort_by(&mut matches, |x, y| {
        y.cosine.total_cmp(&x.cosine).then(x.a.cmp(&y.a))
    });
    let listed = matches
        .iter()
        .take(LISTED)
        .map(|m| (a.files[m.a].clone(), b.files[m.b].clone(), m.cosine))
        .collect();
    let n = a.files.len() as u64;
    let (low, high) = wilson(k, n, Z95).unwrap_or((0.0, 1.0));
    let distance = kmmd(&left, &right, MOST, seed, watch.cancel)?.into();
    Ok(Comparison {
        contaminated: Share { k, n, low, high },
        threshold,
        nearest: listed,
        distance,
        skipped,
        model: name.into(),
    })
}

/// The distances between the pictures below each two of `folders`, each as [`compare`] computes it.
///
/// # Errors
///
/// As for [`compare`].
pub fn distances(
    model: &mut dyn ImageEmbedder,
    name: &str,
    folders: &[PathBuf],
    seed: u64,
    watch: ProgressSink<'_>,
) -> Result<Distances> {
    let (mut skipped, mut done) = (Vec::new(), 0);
    let sets: Vec<Set> = folders
        .iter()
        .map(|folder| embed(model, folder, (&mut skipped, &mut done), watch))
        .collect::<Result<_>>()?;
    let dim = model.dimension();
    let rows: Vec<Rows> = sets
        .iter()
        .map(|set| Rows::new(&set.points, dim))
        .collect::<Result<_>>()?;
    let found = matrix(&rows, MOST, seed, watch)?;
    let count = |set: &Set| set.files.len() as u64;
    Ok(Distances {
        sets: folders
            .iter()
            .cloned()
            .zip(sets.iter().map(count))
            .collect(),
        pairs: found
            .pairs
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(|pair| pair.map(Distance::from))
                    .collect()
            })
            .collect(),
        mean: found.mean,
        skipped,
        model: name.into(),
    })
}
