//! Edges of drops, and distances from them, as OpenCV computes them.

use crate::corrupt::rows::fill_rows;

/// Canny, "A computational approach to edge detection", 1986: Sobel gradients, |x| + |y|, kept where
/// they are largest across the edge; those above `high`, and those above `low` that touch an edge.
/// True where an edge is.
pub(super) fn canny(gray: &[u8], width: usize, (low, high): (i32, i32)) -> Vec<bool> {
    let height = gray.len() / width;
    // One pixel of zeros around the magnitudes.
    let stride = width + 2;
    let mut magnitudes = vec![0i32; stride * (height + 2)];
    let mut gradients = vec![(0i16, 0i16); width * height];
    fill_rows(
        &mut gradients,
        width,
        |padded: &mut [Vec<i16>; 3], y, row| {
            for (padded, y) in
                padded
                    .iter_mut()
                    .zip([y.saturating_sub(1), y, (y + 1).min(height - 1)])
            {
                let gray = &gray[y * width..][..width];
                padded.clear();
                padded.push(i16::from(gray[0]));
                padded.extend(gray.iter().map(|level| i16::from(*level)));
                padded.push(i16::from(gray[width - 1]));
            }
            let [above, here, below] = padded.each_ref().map(|row| row.windows(3));
            for (((a, h), b), to) in above.zip(here).zip(below).zip(row) {
                let across = a[2] - a[0] + 2 * (h[2] - h[0]) + b[2] - b[0];
                let down = b[0] - a[0] + 2 * (b[1] - a[1]) + b[2] - a[2];
                *to = (across, down);
            }
        },
    );
    let rows = magnitudes.chunks_exact_mut(stride).skip(1);
    for (to, from) in rows.zip(gradients.chunks_exact(width)) {
        for (to, (across, down)) in to[1..=width].iter_mut().zip(from) {
            *to = i32::from(across.abs() + down.abs());
        }
    }
    const NOT: u8 = 0;
    const MAYBE: u8 = 1;
    const EDGE: u8 = 2;
    let mut found = vec![NOT; stride * (height + 2)];
    let mut open = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let at = (y + 1) * stride + x + 1;
            let magnitude = magnitudes[at];
            if magnitude <= low || !is_ridge(&magnitudes, at, stride, gradients[y * width + x]) {
                continue;
            }
            found[at] = MAYBE;
            if magnitude > high {
                found[at] = EDGE;
                open.push(at);
            }
        }
    }
    while let Some(at) = open.pop() {
        for row in [at - stride, at, at + stride] {
            for (by, mark) in found[row - 1..=row + 1].iter_mut().enumerate() {
                if *mark == MAYBE {
                    *mark = EDGE;
                    open.push(row - 1 + by);
                }
            }
        }
    }
    let rows = found.chunks_exact(stride).skip(1).take(height);
    rows.flat_map(|row| row[1..=width].iter().map(|mark| *mark == EDGE))
        .collect()
}

/// Whether the magnitude is the largest along the gradient, which is taken as one of four directions.
fn is_ridge(magnitudes: &[i32], at: usize, stride: usize, (across, down): (i16, i16)) -> bool {
    /// tan(22.5 degrees), in 1/32768.
    const TANGENT: i32 = 13_573;
    let here = magnitudes[at];
    let (x, y) = (i32::from(across).abs(), i32::from(down).abs() << 15);
    let low = x * TANGENT;
    if y < low {
        here > magnitudes[at - 1] && here >= magnitudes[at + 1]
    } else if y > low + (x << 16) {
        here > magnitudes[at - stride] && here >= magnitudes[at + stride]
    } else if (across ^ down) < 0 {
        here > magnitudes[at - stride + 1] && here > magnitudes[at + stride - 1]
    } else {
        here > magnitudes[at - stride - 1] && here > magnitudes[at + stride + 1]
    }
}

/// The distance of each pixel from the next edge, at most `most`, by steps of 1, 1.4, and 2.1969.
///
/// Borgefors, "Distance transformations in digital images", 1986.
pub(super) fn distances(edges: &[bool], width: usize, most: f32) -> Vec<f32> {
    // In 1/65536, with two pixels of infinity around. Whole numbers up to 2^24, which is 256 pixels, are
    // exact.
    const FAR: f32 = 1e9;
    let stride = width + 4;
    let height = edges.len() / width;
    let mut far = vec![FAR; stride * (height + 4)];
    for y in 0..height {
        let (before, row) = far.split_at_mut((y + 2) * stride);
        let (two, one) = (&before[y * stride..][..stride], &before[(y + 1) * stride..]);
        let row = &mut row[2..2 + width];
        from_rows(row, one, two);
        let mut left = FAR;
        for (to, is_edge) in row.iter_mut().zip(&edges[y * width..]) {
            left = if *is_edge {
                0.0
            } else {
                to.min(left + STRAIGHT)
            };
            *to = left;
        }
    }
    for y in (0..height).rev() {
        let (row, after) = far.split_at_mut((y + 3) * stride);
        let (one, two) = (&after[..stride], &after[stride..][..stride]);
        let row = &mut row[(y + 2) * stride + 2..][..width];
        from_rows(row, one, two);
        let mut right = FAR;
        for to in row.iter_mut().rev() {
            right = to.min(right + STRAIGHT);
            *to = right;
        }
    }
    let rows = far.chunks_exact(stride).skip(2).take(height);
    rows.flat_map(|row| &row[2..2 + width])
        .map(|far| (far * (1.0 / STRAIGHT)).min(most))
        .collect()
}

const STRAIGHT: f32 = 65_536.0;
const DIAGONAL: f32 = 91_750.0;
const KNIGHT: f32 = 143_976.0;

/// Steps into a row from the row beside it and the one after that, which begin two pixels before it.
fn from_rows(row: &mut [f32], one: &[f32], two: &[f32]) {
    for ((to, one), two) in row.iter_mut().zip(one.windows(5)).zip(two.windows(5)) {
        let least = |a: f32, b: f32| if a < b { a } else { b };
        let knight = least(least(two[1], two[3]), least(one[0], one[4])) + KNIGHT;
        let diagonal = least(one[1], one[3]) + DIAGONAL;
        *to = least(least(*to, one[2] + STRAIGHT), least(knight, diagonal));
    }
}
