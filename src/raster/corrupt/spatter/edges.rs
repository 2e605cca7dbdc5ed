//! Edges of drops, and distances from them, as OpenCV computes them.

/// Canny, "A computational approach to edge detection", 1986: Sobel gradients, |x| + |y|, kept where
/// they are largest across the edge; those above `high`, and those above `low` that touch an edge.
/// True where an edge is.
pub(super) fn canny(gray: &[u8], width: usize, (low, high): (i32, i32)) -> Vec<bool> {
    let height = gray.len() / width;
    // One pixel of zeros around the magnitudes.
    let stride = width + 2;
    let mut magnitudes = vec![0i32; stride * (height + 2)];
    let mut gradients = vec![(0i16, 0i16); width * height];
    for y in 0..height {
        let above = &gray[y.saturating_sub(1) * width..][..width];
        let here = &gray[y * width..][..width];
        let below = &gray[(y + 1).min(height - 1) * width..][..width];
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let at = |row: &[u8], x: usize| i32::from(row[x]);
            let across = at(above, right) - at(above, left)
                + 2 * (at(here, right) - at(here, left))
                + at(below, right)
                - at(below, left);
            let down = at(below, left) - at(above, left)
                + 2 * (at(below, x) - at(above, x))
                + at(below, right)
                - at(above, right);
            gradients[y * width + x] = (across as i16, down as i16);
            magnitudes[(y + 1) * stride + x + 1] = across.abs() + down.abs();
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
            for next in row - 1..=row + 1 {
                if found[next] == MAYBE {
                    found[next] = EDGE;
                    open.push(next);
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
    // In 1/65536, with two pixels of infinity around.
    const STRAIGHT: u32 = 65_536;
    const DIAGONAL: u32 = 91_750;
    const KNIGHT: u32 = 143_976;
    const FAR: u32 = u32::MAX >> 2;
    let height = edges.len() / width;
    let stride = width + 4;
    let mut far = vec![FAR; stride * (height + 4)];
    for y in 0..height {
        for x in 0..width {
            let at = (y + 2) * stride + x + 2;
            far[at] = match edges[y * width + x] {
                true => 0,
                false => {
                    let (one, two) = (at - stride, at - 2 * stride);
                    let knight = far[two - 1].min(far[two + 1]);
                    let knight = knight.min(far[one - 2]).min(far[one + 2]) + KNIGHT;
                    let diagonal = far[one - 1].min(far[one + 1]) + DIAGONAL;
                    let straight = far[one].min(far[at - 1]) + STRAIGHT;
                    knight.min(diagonal).min(straight).min(FAR)
                }
            };
        }
    }
    for y in (0..height).rev() {
        for x in (0..width).rev() {
            let at = (y + 2) * stride + x + 2;
            if far[at] > STRAIGHT {
                let (one, two) = (at + stride, at + 2 * stride);
                let knight = far[two - 1].min(far[two + 1]);
                let knight = knight.min(far[one - 2]).min(far[one + 2]) + KNIGHT;
                let diagonal = far[one - 1].min(far[one + 1]) + DIAGONAL;
                let straight = far[one].min(far[at + 1]) + STRAIGHT;
                far[at] = far[at].min(knight).min(diagonal).min(straight);
            }
        }
    }
    let rows = far.chunks_exact(stride).skip(2).take(height);
    rows.flat_map(|row| &row[2..2 + width])
        .map(|far| (*far as f32 * (1.0 / STRAIGHT as f32)).min(most))
        .collect()
}
