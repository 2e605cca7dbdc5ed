//! Group norm and layer norm.

use candle_core::{CpuStorage, Layout, Result, Shape, bail};
use rayon::prelude::*;

use super::super::operations::{GroupNorm, LayerNorm};
use super::{Element, ROWS, silu, slice};

/// The inputs of a [`CustomOp3`](candle_core::CustomOp3): a tensor, its weight, and its bias.
pub(in super::super) type Three<'a> = [(&'a CpuStorage, &'a Layout); 3];

impl GroupNorm {
    pub(in super::super) fn run<T: Element>(
        &self,
        [x, weight, bias]: Three,
    ) -> Result<(CpuStorage, Shape)> {
        let shape = x.1.shape().clone();
        let (b, c) = (shape.dims()[0], shape.dims()[shape.rank() - 1]);
        let (x, weight, bias) = (
            slice::<T>(x.0, x.1)?,
            slice::<T>(weight.0, weight.1)?,
            slice::<T>(bias.0, bias.1)?,
        );
        if self.groups == 0 || c % self.groups != 0 || weight.len() != c || bias.len() != c {
            bail!(
                "group norm: {c} channels do not match {} groups and {} weights",
                self.groups,
                weight.len()
            );
        }
        let (each, wide) = (x.len() / b.max(1), c / self.groups);
        let mut out = vec![T::put(0.); x.len()];
        for (x, out) in x.chunks_exact(each).zip(out.chunks_exact_mut(each)) {
            // Rows are summed in a fixed order: first within each block of rows, then over blocks.
            let (sums, squares): (Vec<_>, Vec<_>) =
                x.par_chunks(ROWS * c).map(|rows| sums(rows, c)).unzip();
            let (mut scale, mut shift) = (vec![0f32; c], vec![0f32; c]);
            for group in 0..self.groups {
                let channels = group * wide..(group + 1) * wide;
                let total = |blocks: &[Vec<f64>]| -> f64 {
                    blocks
                        .iter()
                        .map(|block| block[channels.clone()].iter().sum::<f64>())
                        .sum()
                };
                let n = (each / c * wide) as f64;
                let mean = total(&sums) / n;
                let variance = (total(&squares) / n - mean * mean).max(0.);
                let inverse = 1. / (variance + self.eps).sqrt();
                for at in channels {
                    let weight = weight[at].get() as f64 * inverse;
                    scale[at] = weight as f32;
                    shift[at] = (bias[at].get() as f64 - mean * weight) as f32;
                }
            }
            out.par_chunks_mut(ROWS * c)
                .zip(x.par_chunks(ROWS * c))
                .for_each(|(out, x)| {
                    for (out, x) in out.chunks_exact_mut(c).zip(x.chunks_exact(c)) {
                        for (((out, x), scale), shift) in
                            out.iter_mut().zip(x).zip(&scale).zip(&shift)
                        {
                            let y = x.get() * scale + shift;
                            *out = T::put(if self.silu { silu(y) } else { y });
                        }
                    }
                });
        }
        Ok((T::to_cpu_storage_owned(out), shape))
    }
}

/// The sum and the sum of squares of each of `c` columns.
fn sums<T: Element>(rows: &[T], c: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut sum, mut square) = (vec![0f64; c], vec![0f64; c]);
    for row in rows.chunks_exact(c) {
        for ((x, sum), square) in row.iter().zip(&mut sum).zip(&mut square) {
            let x = x.get() as f64;
            *sum += x;
            *square += x * x;
        }
    }
    (sum, square)
}

impl LayerNorm {
    pub(in super::super) fn run<T: Element>(
        &self,
        [x, weight, bias]: Three,
    ) -> Result<(CpuStorage, Shape)> {
        let shape = x.1.shape().clone();
        let c = shape.dims()[shape.rank() - 1];
        let (x, weight, bias) = (
            slice::<T>(x.0, x.1)?,
            slice::<T>(weight.0, weight.1)?,
            slice::<T>(bias.0, bias.1)?,
        );
        if weight.len() != c || bias.len() != c {
            bail!(
                "layer norm: {c} values do not match {} weights",
                weight.len()
            );
        }
        let mut out = vec![T::put(0.); x.len()];
        out.par_chunks_mut(c)
            .zip(x.par_chunks(c))
            .with_min_len(16)
            .for_each(|(out, x)| {
                let mean = x.iter().map(|x| x.get() as f64).sum::<f64>() / c as f64;
                let variance = x
                    .iter()
                    .map(|x| (x.get() as f64 - mean).powi(2))
                    .sum::<f64>()
                    / c as f64;
                let (mean, inverse) = (mean as f32, (1. / (variance + self.eps).sqrt()) as f32);
                for (((out, x), weight), bias) in out.iter_mut().zip(x).zip(weight).zip(bias) {
                    *out = T::put((x.get() - mean) * inverse * weight.get() + bias.get());
                }
            });
        Ok((T::to_cpu_storage_owned(out), shape))
    }
}
