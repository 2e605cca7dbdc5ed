//! Blurs that are sums of pixels around: Gaussian, defocus, and motion.

use image::RgbImage;

use super::rows::{Edge, add_one, add_pair, fill_rows, to_byte};

/// Half of a Gaussian kernel, from its middle. It ends at `truncate` x `sigma` pixels, as scipy's.
pub(super) fn half_gaussian(sigma: f64, truncate: f64) -> Vec<f32> {
    let radius = (truncate * sigma + 0.5) as i64;
    let half: Vec<f64> = (0..=radius)
        .map(|x| libm::exp(-0.5 * (x * x) as f64 / (sigma * sigma)))
        .collect();
    let sum = 2.0 * half.iter().sum::<f64>() - half[0];
    half.iter().map(|weight| (weight / sum) as f32).collect()
}

/// Samples in rows, `channels` for each pixel.
#[derive(Clone, Copy)]
pub(super) struct Grid<'a, T> {
    pub(super) samples: &'a [T],
    pub(super) width: usize,
    pub(super) channels: usize,
}

impl<T> Grid<'_, T> {
    fn row(&self, y: usize) -> &[T] {
        let len = self.width * self.channels;
        &self.samples[y * len..][..len]
    }

    fn height(&self) -> usize {
        self.samples.len() / (self.width * self.channels)
    }
}

/// Convolves columns, then rows, with the symmetric kernel of which `half` is one half.
pub(super) fn separable<T: Copy + Into<f32> + Sync, U: Send>(
    grid: Grid<'_, T>,
    half: &[f32],
    edge: Edge,
    out: &mut [U],
    finish: impl Fn(f32) -> U + Sync,
) {
    let (row_len, height, margin) = (grid.width * grid.channels, grid.height(), half.len() - 1);
    let scratch = |(padded, sum): &mut (Vec<f32>, Vec<f32>), y: usize, out: &mut [U]| {
        padded.clear();
        padded.resize(row_len + 2 * margin * grid.channels, 0.0);
        let column = &mut padded[margin * grid.channels..][..row_len];
        add_one(column, grid.row(y), half[0]);
        for (distance, weight) in half.iter().enumerate().skip(1) {
            let (y, distance) = (y as i64, distance as i64);
            let [above, below] = [y - distance, y + distance].map(|y| edge.at(y, height));
            add_pair(column, grid.row(above), grid.row(below), *weight);
        }
        edge.pad(padded, margin, grid.channels);
        sum.clear();
        sum.resize(row_len, 0.0);
        add_one(sum, &padded[margin * grid.channels..], half[0]);
        for (distance, weight) in half.iter().enumerate().skip(1) {
            let left = &padded[(margin - distance) * grid.channels..];
            let right = &padded[(margin + distance) * grid.channels..];
            add_pair(sum, left, right, *weight);
        }
        for (out, sum) in out.iter_mut().zip(sum.iter()) {
            *out = finish(*sum);
        }
    };
    fill_rows(out, row_len, scratch);
}

/// Blurs a picture with a Gaussian of `sigma` pixels. The edge is continued.
pub(super) fn gaussian(picture: &RgbImage, sigma: f64) -> RgbImage {
    let mut out = RgbImage::new(picture.width(), picture.height());
    let half = half_gaussian(sigma, 4.0);
    separable(grid(picture), &half, Edge::Nearest, &mut out, to_byte);
    out
}

fn grid(picture: &RgbImage) -> Grid<'_, u8> {
    Grid {
        samples: picture,
        width: picture.width() as usize,
        channels: 3,
    }
}

/// A disk of `radius` pixels, smoothed by a Gaussian of `smooth` pixels: the quarter with the middle
/// and what lies to the right and below, as (right, below, weight).
fn quarter_disk(radius: i64, smooth: f64) -> Vec<(usize, usize, f32)> {
    // The smoothing does not reach beyond the square that holds the disk. Its edge is a mirror.
    let (extent, reach) = if radius <= 8 { (8, 1) } else { (radius, 2) };
    let side = (2 * extent + 1) as usize;
    let area = (-extent..=extent)
        .flat_map(|y| (-extent..=extent).map(move |x| (x, y)))
        .filter(|(x, y)| x * x + y * y <= radius * radius)
        .count();
    let inside = |x: i64, y: i64| {
        let [x, y] = [x, y].map(|i| Edge::Mirror.at(i + extent, side) as i64 - extent);
        x * x + y * y <= radius * radius
    };
    let bell = |x: i64| libm::exp(-0.5 * (x * x) as f64 / (smooth * smooth));
    let sum: f64 = (-reach..=reach).map(bell).sum();
    let around = || (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (x, y)));
    let mut quarter = Vec::new();
    for y in 0..=extent {
        for x in 0..=extent {
            let weight: f64 = around()
                .filter(|(dx, dy)| inside(x + dx, y + dy))
                .map(|(dx, dy)| bell(dx) * bell(dy) / (sum * sum * area as f64))
                .sum();
            if weight > 1e-12 {
                quarter.push((x as usize, y as usize, weight as f32));
            }
        }
    }
    quarter
}

/// Convolves a picture with a disk, as a lens out of focus does. The edge is a mirror.
pub(super) fn defocus(picture: &RgbImage, radius: u32, smooth: f64) -> RgbImage {
    let quarter = quarter_disk(i64::from(radius), smooth);
    let margin = quarter.iter().map(|(x, ..)| *x).max().unwrap_or(0);
    let (source, row_len) = (grid(picture), picture.width() as usize * 3);
    let height = picture.height() as usize;
    let mut out = RgbImage::new(picture.width(), picture.height());
    let scratch = |(folded, sum): &mut (Vec<f32>, Vec<f32>), y: usize, out: &mut [u8]| {
        sum.clear();
        sum.resize(row_len, 0.0);
        let mut ready = usize::MAX;
        for (right, below, weight) in &quarter {
            if ready != *below {
                // The rows at this distance above and below have the same weights.
                ready = *below;
                folded.clear();
                folded.resize(row_len + 6 * margin, 0.0);
                let row = &mut folded[3 * margin..][..row_len];
                let (y, below) = (y as i64, *below as i64);
                let [above, below] = [y - below, y + below].map(|y| Edge::Mirror.at(y, height));
                match ready {
                    0 => add_one(row, source.row(above), 1.0),
                    _ => add_pair(row, source.row(above), source.row(below), 1.0),
                }
                Edge::Mirror.pad(folded, margin, 3);
            }
            match right {
                0 => add_one(sum, &folded[3 * margin..], *weight),
                _ => add_pair(
                    sum,
                    &folded[3 * (margin - right)..],
                    &folded[3 * (margin + right)..],
                    *weight,
                ),
            }
        }
        for (out, sum) in out.iter_mut().zip(sum.iter()) {
            *out = to_byte(*sum);
        }
    };
    fill_rows(&mut out, row_len, scratch);
    out
}

/// A pixel of the way that a picture moved: right, down, and its weight.
type Step = (i64, i64, f32);

/// The way of ImageMagick's motion blur: half a Gaussian of `sigma` along a line of `radius` x 2 + 1
/// pixels at `angle` degrees.
fn way(radius: u32, sigma: f64, angle: f64) -> Vec<Step> {
    let radians = angle * (std::f64::consts::PI / 180.0);
    let (down, right) = (libm::sin(radians), libm::cos(radians));
    let weights: Vec<f64> = (0..=2 * radius)
        .map(|i| libm::exp(-0.5 * f64::from(i * i) / (sigma * sigma)))
        .collect();
    let sum: f64 = weights.iter().sum();
    let step = |(i, weight): (usize, &f64)| {
        let at = |part: f64| (i as f64 * part - 0.5).ceil() as i64;
        (at(right), at(down), (weight / sum) as f32)
    };
    weights.iter().enumerate().map(step).collect()
}

/// Blurs a picture as if it moved at `angle` degrees. The edge is continued.
pub(super) fn motion(picture: &RgbImage, radius: u32, sigma: f64, angle: f64) -> RgbImage {
    let way = way(radius, sigma, angle);
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let source = grid(picture);
    let mut out = RgbImage::new(picture.width(), picture.height());
    let scratch = |sum: &mut Vec<f32>, y: usize, out: &mut [u8]| {
        sum.clear();
        sum.resize(width * 3, 0.0);
        for (right, down, weight) in &way {
            let row = source.row(Edge::Nearest.at(y as i64 + down, height));
            // Angles are within 45 degrees, so steps go to the right.
            let right = (*right).clamp(0, width as i64 - 1) as usize;
            let (inside, beyond) = sum.split_at_mut((width - right) * 3);
            add_one(inside, &row[right * 3..], *weight);
            for pixel in beyond.chunks_exact_mut(3) {
                add_one(pixel, &row[(width - 1) * 3..], *weight);
            }
        }
        for (out, sum) in out.iter_mut().zip(sum.iter()) {
            *out = to_byte(*sum);
        }
    };
    fill_rows(&mut out, width * 3, scratch);
    out
}
