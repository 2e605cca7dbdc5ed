//! Small filters of gray pictures, as OpenCV computes them. The edge is a mirror.

use crate::corrupt::rows::{Edge, fill_rows};

/// The rows above, at, and below `y`.
fn three<T>(gray: &[T], width: usize, y: usize) -> [&[T]; 3] {
    let height = gray.len() / width;
    [-1, 0, 1].map(|by| &gray[Edge::Mirror.at(y as i64 + by, height) * width..][..width])
}

/// Calls `value` for each pixel with the columns to the left, at, and to the right of it.
fn filtered<T: Sync>(
    gray: &[T],
    width: usize,
    value: impl Fn([&[T]; 3], [usize; 3]) -> u8 + Sync,
) -> Vec<u8> {
    let mut out = vec![0; gray.len()];
    fill_rows(&mut out, width, |(): &mut (), y, row| {
        let rows = three(gray, width, y);
        for (x, out) in row.iter_mut().enumerate() {
            let columns = [-1, 0, 1].map(|by| Edge::Mirror.at(x as i64 + by, width));
            *out = value(rows, columns);
        }
    });
    out
}

/// The mean of 3 by 3 pixels, cut off to whole numbers.
pub(super) fn mean_3x3(gray: &[f32], width: usize) -> Vec<u8> {
    filtered(gray, width, |rows, columns| {
        let sum: f64 = rows
            .iter()
            .map(|row| columns.iter().map(|x| f64::from(row[*x])).sum::<f64>())
            .sum();
        (sum * (1.0 / 9.0)) as f32 as u8
    })
}

/// The mean of 3 by 3 pixels, rounded.
pub(super) fn mean_3x3_bytes(gray: &[u8], width: usize) -> Vec<u8> {
    filtered(gray, width, |rows, columns| {
        let sum = rows
            .iter()
            .flat_map(|row| columns.map(|x| u32::from(row[x])));
        ((sum.sum::<u32>() * 2 + 9) / 18) as u8
    })
}

/// Light from the upper left: the lower right less the upper left.
pub(super) fn embossed(gray: &[u8], width: usize) -> Vec<u8> {
    const KERNEL: [[i32; 3]; 3] = [[-2, -1, 0], [-1, 1, 1], [0, 1, 2]];
    filtered(gray, width, |rows, columns| {
        let mut sum = 0;
        for (row, weights) in rows.iter().zip(KERNEL) {
            for (x, weight) in columns.iter().zip(weights) {
                sum += i32::from(row[*x]) * weight;
            }
        }
        sum.clamp(0, 255) as u8
    })
}

/// Spreads gray levels so that they are equally frequent.
pub(super) fn equalized(gray: &[u8]) -> Vec<u8> {
    let mut counts = [0usize; 256];
    for level in gray {
        counts[usize::from(*level)] += 1;
    }
    let Some(first) = counts.iter().position(|count| *count > 0) else {
        return Vec::new();
    };
    if counts[first] == gray.len() {
        return gray.to_vec();
    }
    let scale = 255.0 / (gray.len() - counts[first]) as f32;
    let mut levels = [0u8; 256];
    let mut sum = 0;
    for level in first + 1..256 {
        sum += counts[level];
        levels[level] = super::to_byte(sum as f32 * scale);
    }
    gray.iter()
        .map(|level| levels[usize::from(*level)])
        .collect()
}
