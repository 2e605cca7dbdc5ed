//! Small filters of gray pictures, as OpenCV computes them. The edge is a mirror.

use crate::corrupt::rows::{Edge, fill_rows};

/// The rows above, at, and below `y`.
fn three<T>(gray: &[T], width: usize, y: usize) -> [&[T]; 3] {
    let height = gray.len() / width;
    [-1, 0, 1].map(|by| &gray[Edge::Mirror.at(y as i64 + by, height) * width..][..width])
}

/// Calls `value` for each pixel with the 3 by 3 pixels around it.
fn filtered<T: Copy + Sync>(
    gray: &[T],
    width: usize,
    value: impl Fn([[T; 3]; 3]) -> u8 + Sync,
) -> Vec<u8> {
    let mut out = vec![0; gray.len()];
    fill_rows(&mut out, width, |(): &mut (), y, row| {
        let rows = three(gray, width, y);
        let [above, here, below] = rows.map(|row| row.windows(3));
        let inside = row.iter_mut().skip(1);
        for (((a, h), b), out) in above.zip(here).zip(below).zip(inside) {
            *out = value([[a[0], a[1], a[2]], [h[0], h[1], h[2]], [b[0], b[1], b[2]]]);
        }
        for x in [0, width - 1] {
            let columns = [-1, 0, 1].map(|by| Edge::Mirror.at(x as i64 + by, width));
            row[x] = value(rows.map(|row| columns.map(|x| row[x])));
        }
    });
    out
}

/// The mean of 3 by 3 pixels, cut off to whole numbers.
pub(super) fn mean_3x3(gray: &[f32], width: usize) -> Vec<u8> {
    filtered(gray, width, |rows| {
        let sum: f64 = rows.as_flattened().iter().map(|v| f64::from(*v)).sum();
        (sum * (1.0 / 9.0)) as f32 as u8
    })
}

/// The mean of 3 by 3 pixels, rounded.
pub(super) fn mean_3x3_bytes(gray: &[u8], width: usize) -> Vec<u8> {
    filtered(gray, width, |rows| {
        let sum: u32 = rows.as_flattened().iter().map(|v| u32::from(*v)).sum();
        ((sum * 2 + 9) / 18) as u8
    })
}

/// Light from the upper left: the lower right less the upper left.
pub(super) fn embossed(gray: &[u8], width: usize) -> Vec<u8> {
    filtered(gray, width, |rows| {
        let [[a, b, _], [c, d, e], [_, f, g]] = rows.map(|row| row.map(i32::from));
        (d + e + f - b - c + 2 * (g - a)).clamp(0, 255) as u8
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
