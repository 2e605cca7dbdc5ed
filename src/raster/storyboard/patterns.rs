//! Colors in cells: squares of a grid, and areas around scattered points.

use super::shapes::{Draws, Rgb, mix};
use benchtop_model::generation::Pixels;

/// Squares of `size` pixels with the mean color of their area.
pub(super) struct Cells {
    size: u32,
    per_row: u32,
    means: Vec<Rgb>,
}

impl Cells {
    pub(super) fn new(picture: &Pixels, size: u32) -> Cells {
        let (per_row, rows) = (picture.width.div_ceil(size), picture.height.div_ceil(size));
        let mut sums = vec![[0u32; 4]; (per_row * rows) as usize];
        for (y, row) in picture
            .rgb
            .chunks_exact(picture.width as usize * 3)
            .enumerate()
        {
            let line = &mut sums[(y as u32 / size * per_row) as usize..][..per_row as usize];
            for (sum, part) in line.iter_mut().zip(row.chunks(size as usize * 3)) {
                for p in part.as_chunks::<3>().0 {
                    sum[0] += u32::from(p[0]);
                    sum[1] += u32::from(p[1]);
                    sum[2] += u32::from(p[2]);
                    sum[3] += 1;
                }
            }
        }
        let means = sums
            .iter()
            .map(|s| [0, 1, 2].map(|i| (s[i] / s[3].max(1)) as u8))
            .collect();
        Cells {
            size,
            per_row,
            means,
        }
    }

    /// Sets each pixel from the color of its cell and its position in the cell.
    fn fill(&self, picture: &mut Pixels, shade: impl Fn(u32, u32, Rgb) -> Rgb) {
        for (y, row) in picture
            .rgb
            .chunks_exact_mut(picture.width as usize * 3)
            .enumerate()
        {
            let (line, in_y) = (y as u32 / self.size * self.per_row, y as u32 % self.size);
            for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let mean = self.means[(line + x as u32 / self.size) as usize];
                *pixel = shade(x as u32 % self.size, in_y, mean);
            }
        }
    }

    /// Plain squares.
    pub(super) fn squares(&self, picture: &mut Pixels) {
        self.fill(picture, |_, _, mean| mean);
    }

    /// Squares with joints and stitched crosses.
    pub(super) fn tiles(&self, picture: &mut Pixels) {
        let size = self.size;
        self.fill(picture, |x, y, mean| {
            let (line, cross) = (
                x == 0 || y == 0,
                x.abs_diff(y) * 6 < size || (x + y).abs_diff(size) * 6 < size,
            );
            if line {
                mix(mean, [50, 44, 50], 70)
            } else if cross {
                mix(mean, [255, 255, 255], 56)
            } else {
                mean
            }
        });
    }

    /// Squares with round knobs, lit from the upper left.
    pub(super) fn knobs(&self, picture: &mut Pixels) {
        let size = self.size;
        self.fill(picture, |x, y, mean| {
            let (dx, dy) = ((x * 2).abs_diff(size), (y * 2).abs_diff(size));
            let (square, reach) = (dx * dx + dy * dy, size * size);
            if x == 0 || y == 0 {
                mix(mean, [20, 20, 30], 80)
            } else if square * 3 < reach {
                mix(mean, [255, 255, 255], 44)
            } else if square * 5 < reach * 2 {
                if x + y < size {
                    mix(mean, [255, 255, 255], 130)
                } else {
                    mix(mean, [20, 20, 30], 90)
                }
            } else {
                mean
            }
        });
    }
}

/// Scattered points, one per square of a grid.
pub(super) struct Facets {
    size: u32,
    per_row: u32,
    points: Vec<Point>,
}

#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
    rgb: Rgb,
    /// Tilt of the plane, 0 to 3.
    lean: u32,
}

impl Facets {
    /// Points about `size` pixels apart, with the colors of `picture` at their positions.
    pub(super) fn new(picture: &Pixels, size: u32, draws: &mut Draws) -> Facets {
        let (per_row, rows) = (
            picture.width.div_ceil(size) + 2,
            picture.height.div_ceil(size) + 2,
        );
        let mut points = Vec::with_capacity((per_row * rows) as usize);
        for row in 0..rows {
            for column in 0..per_row {
                let x = ((column * size + draws.below(size)) as i32) - size as i32;
                let y = ((row * size + draws.below(size)) as i32) - size as i32;
                let (px, py) = (
                    x.clamp(0, picture.width as i32 - 1),
                    y.clamp(0, picture.height as i32 - 1),
                );
                let at = (py as usize * picture.width as usize + px as usize) * 3;
                let rgb = picture
                    .rgb
                    .get(at..at + 3)
                    .and_then(|p| Rgb::try_from(p).ok())
                    .unwrap_or_default();
                points.push(Point {
                    x,
                    y,
                    rgb,
                    lean: draws.below(4),
                });
            }
        }
        Facets {
            size,
            per_row,
            points,
        }
    }

    /// Sets each pixel from its nearest point by `distance`, and from how much nearer that is than
    /// the second nearest.
    fn fill(
        &self,
        picture: &mut Pixels,
        distance: impl Fn(&Point, i32, i32) -> i32,
        shade: impl Fn(&Point, i32, i32) -> Rgb,
    ) {
        for (y, row) in picture
            .rgb
            .chunks_exact_mut(picture.width as usize * 3)
            .enumerate()
        {
            for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let first = (y as u32 / self.size * self.per_row + x as u32 / self.size) as usize;
                let (mut best, mut nearest, mut second) = (first, i32::MAX, i32::MAX);
                for line in 0..3 {
                    let from = first + line * self.per_row as usize;
                    for (i, point) in self.points[from..from + 3].iter().enumerate() {
                        let d = distance(point, x as i32 - point.x, y as i32 - point.y);
                        if d < nearest {
                            (best, second, nearest) = (from + i, nearest, d);
                        } else if d < second {
                            second = d;
                        }
                    }
                }
                *pixel = shade(&self.points[best], nearest, second - nearest);
            }
        }
    }

    /// Planes with different shades, with lines of `lead` pixels between them.
    pub(super) fn planes(&self, picture: &mut Pixels, lead: u32) {
        let (line, size) = (lead as i32 * self.size as i32 * 2, self.size as i32);
        let lit = |p: &Point| {
            mix(
                p.rgb,
                if p.lean < 2 {
                    [255, 255, 255]
                } else {
                    [30, 20, 50]
                },
                18 + 26 * (p.lean & 1),
            )
        };
        self.fill(
            picture,
            |_, dx, dy| dx * dx + dy * dy,
            move |p, _, gap| {
                if gap < line {
                    [30, 28, 36]
                } else if lead == 0 && gap < size {
                    mix(lit(p), [255, 255, 255], 50)
                } else {
                    lit(p)
                }
            },
        );
    }

    /// Short strokes in four directions.
    pub(super) fn strokes(&self, picture: &mut Pixels) {
        let along = |p: &Point, dx: i32, dy: i32| {
            let (u, v) = match p.lean {
                0 => (dx, dy),
                1 => ((dx + dy) * 3 / 4, (dx - dy) * 3 / 4),
                2 => ((dx * 4 + dy) / 4, (dy * 4 - dx) / 4),
                _ => ((dx - dy) * 3 / 4, (dx + dy) * 3 / 4),
            };
            u * u + 6 * v * v
        };
        self.fill(picture, along, |p, _, gap| {
            let lit = mix(
                p.rgb,
                if p.lean & 1 == 0 {
                    [255, 250, 230]
                } else {
                    [40, 30, 60]
                },
                22,
            );
            if gap < 6 {
                mix(lit, [40, 30, 50], 26)
            } else {
                lit
            }
        });
    }

    /// Round dots on paper.
    pub(super) fn dots(&self, picture: &mut Pixels) {
        let reach = (self.size * self.size) as i32 * 9 / 25;
        let shade = |p: &Point, d: i32, _| {
            let pure = mix(
                p.rgb,
                [
                    [255, 240, 200],
                    [60, 60, 140],
                    [255, 255, 255],
                    [150, 60, 60],
                ][p.lean as usize],
                34,
            );
            if d < reach {
                pure
            } else {
                mix(pure, [250, 246, 236], 150)
            }
        };
        self.fill(picture, |_, dx, dy| dx * dx + dy * dy, shade);
    }
}
