//! Spatter: drops of water or specks of mud on the lens.

mod edges;
mod filters;

use benchtop_model::rng::{Stream, within};
use image::RgbImage;

use super::blur::{Grid, half_gaussian, separable};
use super::normal;
use super::rows::{Edge, fill_rows, to_byte};

/// Colors of ImageNet-C.
const WATER: [f32; 3] = [175.0, 238.0, 238.0];
const MUD: [f32; 3] = [63.0, 42.0, 20.0];

/// A layer of liquid: normal noise, blurred. Where it is thick enough, it shows.
#[derive(Clone, Copy)]
pub(super) struct Liquid {
    pub(super) mean: f32,
    pub(super) deviation: f32,
    /// Of the blur, in pixels.
    pub(super) sigma: f64,
    /// The least thickness that shows.
    pub(super) least: f32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Adds light, up to this share of the color.
    Water(f32),
    /// Covers the picture, with edges blurred by so many pixels.
    Mud(f64),
}

pub(super) fn spatter(picture: &mut RgbImage, liquid: &Liquid, key: u64) {
    let size = (picture.width() as usize, picture.height() as usize);
    let mut layer = vec![0.0f32; size.0 * size.1];
    fill_rows(&mut layer, size.0, |(): &mut (), y, row| {
        normal::fill(&mut Stream::new(within(key, y as u64)), row);
        for value in row {
            *value = liquid.mean + liquid.deviation * *value;
        }
    });
    let layer = blurred(&layer, size.0, liquid.sigma);
    pour(picture, &layer, liquid);
}

pub(super) fn blurred(layer: &[f32], width: usize, sigma: f64) -> Vec<f32> {
    let mut out = vec![0.0f32; layer.len()];
    let grid = Grid {
        samples: layer,
        width,
        channels: 1,
    };
    let half = half_gaussian(sigma, 4.0);
    separable(grid, &half, Edge::Nearest, &mut out, |sum| sum);
    out
}

/// Puts a layer of liquid on a picture.
pub(super) fn pour(picture: &mut RgbImage, layer: &[f32], liquid: &Liquid) {
    let width = picture.width() as usize;
    let row_len = width * 3;
    match liquid.kind {
        Kind::Water(strength) => {
            let wet = wetness(layer, width, liquid.least);
            let Some(most) = wet.iter().copied().max().filter(|most| *most > 0) else {
                return;
            };
            let scale = strength / most as f32;
            fill_rows(picture, row_len, |(): &mut (), y, row| {
                for (pixel, wet) in row.as_chunks_mut::<3>().0.iter_mut().zip(&wet[y * width..]) {
                    let wet = *wet as f32 * scale;
                    for (value, color) in pixel.iter_mut().zip(WATER) {
                        *value = to_byte(f32::from(*value) + wet * color);
                    }
                }
            });
        }
        Kind::Mud(sigma) => {
            let covers: Vec<u8> = layer.iter().map(|v| u8::from(*v > liquid.least)).collect();
            let mut mud = vec![0.0f32; layer.len()];
            let grid = Grid {
                samples: &covers,
                width,
                channels: 1,
            };
            let half = half_gaussian(sigma, 4.0);
            separable(grid, &half, Edge::Nearest, &mut mud, |share| {
                if share < 0.8 { 0.0 } else { share }
            });
            fill_rows(picture, row_len, |(): &mut (), y, row| {
                for (pixel, mud) in row.as_chunks_mut::<3>().0.iter_mut().zip(&mud[y * width..]) {
                    for (value, color) in pixel.iter_mut().zip(MUD) {
                        *value = to_byte(f32::from(*value) * (1.0 - mud) + color * mud);
                    }
                }
            });
        }
    }
}

/// How much light each pixel gets from drops: their thickness times how far the pixel is from the edge
/// of a drop, embossed. Relative to each other.
fn wetness(layer: &[f32], width: usize, least: f32) -> Vec<u32> {
    let thick: Vec<u8> = layer
        .iter()
        .map(|value| {
            if *value < least {
                0
            } else {
                (value * 255.0) as u8
            }
        })
        .collect();
    let edges = edges::canny(&thick, width, (50, 150));
    let far = edges::distances(&edges, width, 20.0);
    let even = filters::equalized(&filters::mean_3x3(&far, width));
    let embossed = filters::mean_3x3_bytes(&filters::embossed(&even, width), width);
    let pairs = thick.iter().zip(&embossed);
    pairs.map(|(a, b)| u32::from(*a) * u32::from(*b)).collect()
}
