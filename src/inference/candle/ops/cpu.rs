//! The CPU side of the operations. Work is cut by the shape alone and never by the number of threads, so the same
//! input gives the same bytes on every machine with the same instructions.

use std::ops::Range;

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, DType, InplaceOp2, InplaceOp3, Layout};
use candle_core::{Result, Shape, WithDType, bail};
use half::f16;
use rayon::prelude::*;

use super::Window;

/// Rows that one thread takes at a time.
const ROWS: usize = 256;

/// An element that arithmetic reads and writes as f32.
trait Element: WithDType {
    fn get(self) -> f32;
    fn put(value: f32) -> Self;
}

impl Element for f32 {
    fn get(self) -> f32 {
        self
    }
    fn put(value: f32) -> f32 {
        value
    }
}

impl Element for f16 {
    fn get(self) -> f32 {
        self.to_f32()
    }
    fn put(value: f32) -> f16 {
        f16::from_f32(value)
    }
}

/// The elements of a contiguous tensor.
fn slice<'a, T: WithDType>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    match layout.contiguous_offsets() {
        Some((from, to)) => Ok(&storage.as_slice::<T>()?[from..to]),
        None => bail!("a contiguous tensor is wanted, not strides {:?}", layout.stride()),
    }
}

/// Calls `Self::run` with the element type of `$storage`.
macro_rules! typed {
    ($storage:expr, $name:expr, ($($arg:expr),*)) => {
        match $storage.dtype() {
            DType::F32 => Self::run::<f32>($($arg),*),
            DType::F16 => Self::run::<f16>($($arg),*),
            other => bail!("{}: {} tensors are not supported, f32 and f16 are", $name, other.as_str()),
        }
    };
}

fn silu(x: f32) -> f32 {
    x / (1. + (-x).exp())
}

/// Gathers the inputs of a 3x3 kernel: `[b, h, w, c]` to `[rows, 9 c]`, for a range of output positions.
pub(super) struct Patches {
    pub window: Window,
    pub rows: Range<usize>,
}

impl Patches {
    fn run<T: Element>(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = slice::<T>(s, l)?;
        let (_, h, w, c) = l.shape().dims4()?;
        let Window { stride, before, .. } = self.window;
        let (high, wide) = (self.window.out(h), self.window.out(w));
        let mut out = vec![T::put(0.); self.rows.len() * 9 * c];
        out.par_chunks_mut(9 * c).with_min_len(64).enumerate().for_each(|(i, patch)| {
            let row = self.rows.start + i;
            let (b, y, x0) = (row / (high * wide), row / wide % high, row % wide);
            for (at, place) in patch.chunks_exact_mut(c).enumerate() {
                // One more than the position, so that what lies before the picture is no negative number.
                let (iy, ix) = (y * stride + at / 3, x0 * stride + at % 3);
                if (before..h + before).contains(&iy) && (before..w + before).contains(&ix) {
                    let from = ((b * h + iy - before) * w + ix - before) * c;
                    place.copy_from_slice(&x[from..from + c]);
                }
            }
        });
        Ok((T::to_cpu_storage_owned(out), (self.rows.len(), 9 * c).into()))
    }
}

impl CustomOp1 for Patches {
    fn name(&self) -> &'static str {
        "patches"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        typed!(s, self.name(), (self, s, l))
    }
}

/// Nearest-neighbour scaling.
pub(super) struct Upsample {
    pub high: usize,
    pub wide: usize,
}

impl Upsample {
    fn run<T: Element>(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = slice::<T>(s, l)?;
        let (b, h, w, c) = l.shape().dims4()?;
        // torch rounds the ratio to f32 before it multiplies.
        let source = |at: usize, from: usize, to: usize| -> usize {
            ((at as f32 * (from as f32 / to as f32)) as usize).min(from.saturating_sub(1))
        };
        let columns: Vec<usize> = (0..self.wide).map(|at| source(at, w, self.wide)).collect();
        let mut out = vec![T::put(0.); b * self.high * self.wide * c];
        out.par_chunks_mut(self.wide * c).enumerate().for_each(|(i, line)| {
            let from = (i / self.high * h + source(i % self.high, h, self.high)) * w;
            for (place, column) in line.chunks_exact_mut(c).zip(&columns) {
                place.copy_from_slice(&x[(from + column) * c..(from + column + 1) * c]);
            }
        });
        Ok((T::to_cpu_storage_owned(out), (b, self.high, self.wide, c).into()))
    }
}

impl CustomOp1 for Upsample {
    fn name(&self) -> &'static str {
        "upsample"
    }
    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        typed!(s, self.name(), (self, s, l))
    }
}

/// Adds a bias, and a residual where there is one, in place.
pub(super) struct Bias;

impl Bias {
    fn run<T: Element>(
        &self,
        y: &mut CpuStorage,
        l: &Layout,
        bias: (&CpuStorage, &Layout),
        residual: Option<(&CpuStorage, &Layout)>,
    ) -> Result<()> {
        let (rows, n) = l.shape().dims2()?;
        let bias = slice::<T>(bias.0, bias.1)?;
        let residual = residual.map(|(s, l)| slice::<T>(s, l)).transpose()?;
        // Rows that share a bias: all of them, or those of one picture.
        let sharing = rows / (bias.len() / n).max(1);
        let whole = slice::<T>(y, l)?.len();
        let start = l.start_offset();
        let mut data = T::cpu_storage_data(std::mem::replace(y, CpuStorage::U8(Vec::new())))?;
        data[start..start + whole].par_chunks_mut(ROWS * n).enumerate().for_each(|(chunk, part)| {
            for (i, line) in part.chunks_exact_mut(n).enumerate() {
                let row = chunk * ROWS + i;
                let from = row / sharing.max(1) * n;
                let bias = &bias[from..from + n];
                match residual.map(|r| &r[row * n..(row + 1) * n]) {
                    None => line.iter_mut().zip(bias).for_each(|(y, b)| *y = T::put(y.get() + b.get())),
                    Some(r) => {
                        let all = line.iter_mut().zip(bias).zip(r);
                        all.for_each(|((y, b), r)| *y = T::put(y.get() + b.get() + r.get()));
                    }
                }
            }
        });
        *y = T::to_cpu_storage_owned(data);
        Ok(())
    }
}

impl InplaceOp2 for Bias {
    fn name(&self) -> &'static str {
        "bias"
    }
    fn cpu_fwd(&self, y: &mut CpuStorage, l: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        typed!(y, "bias", (self, y, l, (s2, l2), None))
    }
}

impl InplaceOp3 for Bias {
    fn name(&self) -> &'static str {
        "bias_residual"
    }
    fn cpu_fwd(
        &self,
        y: &mut CpuStorage,
        l: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<()> {
        typed!(y, "bias_residual", (self, y, l, (s2, l2), Some((s3, l3))))
    }
}

/// A tensor with its weight and bias, as a [`CustomOp3`] gets them.
type Three<'a> = [(&'a CpuStorage, &'a Layout); 3];

/// Group normalisation over `[b, ..., c]`, with SiLU after it where `silu`.
pub(super) struct GroupNorm {
    pub groups: usize,
    pub eps: f64,
    pub silu: bool,
}

impl GroupNorm {
    fn run<T: Element>(&self, [x, weight, bias]: Three) -> Result<(CpuStorage, Shape)> {
        let shape = x.1.shape().clone();
        let (b, c) = (shape.dims()[0], shape.dims()[shape.rank() - 1]);
        let (x, weight, bias) = (slice::<T>(x.0, x.1)?, slice::<T>(weight.0, weight.1)?, slice::<T>(bias.0, bias.1)?);
        if self.groups == 0 || c % self.groups != 0 || weight.len() != c || bias.len() != c {
            bail!("group norm: {c} channels in {} groups with {} weights", self.groups, weight.len());
        }
        let (each, wide) = (x.len() / b.max(1), c / self.groups);
        let mut out = vec![T::put(0.); x.len()];
        for (x, out) in x.chunks_exact(each).zip(out.chunks_exact_mut(each)) {
            // Sums of rows in a fixed order: first within each block of rows, then over the blocks.
            let (sums, squares): (Vec<_>, Vec<_>) = x.par_chunks(ROWS * c).map(|rows| sums(rows, c)).unzip();
            let (mut scale, mut shift) = (vec![0f32; c], vec![0f32; c]);
            for group in 0..self.groups {
                let channels = group * wide..(group + 1) * wide;
                let total = |blocks: &[Vec<f64>]| -> f64 {
                    blocks.iter().map(|block| block[channels.clone()].iter().sum::<f64>()).sum()
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
            out.par_chunks_mut(ROWS * c).zip(x.par_chunks(ROWS * c)).for_each(|(out, x)| {
                for (out, x) in out.chunks_exact_mut(c).zip(x.chunks_exact(c)) {
                    for (((out, x), scale), shift) in out.iter_mut().zip(x).zip(&scale).zip(&shift) {
                        let y = x.get() * scale + shift;
                        *out = T::put(if self.silu { silu(y) } else { y });
                    }
                }
            });
        }
        Ok((T::to_cpu_storage_owned(out), shape))
    }
}

/// Sum and sum of squares of each of `c` columns.
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

/// Normalisation over the last axis.
pub(super) struct LayerNorm {
    pub eps: f64,
}

impl LayerNorm {
    fn run<T: Element>(&self, [x, weight, bias]: Three) -> Result<(CpuStorage, Shape)> {
        let shape = x.1.shape().clone();
        let c = shape.dims()[shape.rank() - 1];
        let (x, weight, bias) = (slice::<T>(x.0, x.1)?, slice::<T>(weight.0, weight.1)?, slice::<T>(bias.0, bias.1)?);
        if weight.len() != c || bias.len() != c {
            bail!("layer norm: {c} values with {} weights", weight.len());
        }
        let mut out = vec![T::put(0.); x.len()];
        out.par_chunks_mut(c).zip(x.par_chunks(c)).with_min_len(16).for_each(|(out, x)| {
            let mean = x.iter().map(|x| x.get() as f64).sum::<f64>() / c as f64;
            let variance = x.iter().map(|x| (x.get() as f64 - mean).powi(2)).sum::<f64>() / c as f64;
            let (mean, inverse) = (mean as f32, (1. / (variance + self.eps).sqrt()) as f32);
            for (((out, x), weight), bias) in out.iter_mut().zip(x).zip(weight).zip(bias) {
                *out = T::put((x.get() - mean) * inverse * weight.get() + bias.get());
            }
        });
        Ok((T::to_cpu_storage_owned(out), shape))
    }
}

/// `x * gelu(gate)` of `[..., 2 n]` plus a bias.
pub(super) struct Geglu;

impl Geglu {
    fn run<T: Element>(&self, x: (&CpuStorage, &Layout), bias: (&CpuStorage, &Layout)) -> Result<(CpuStorage, Shape)> {
        let mut dims = x.1.dims().to_vec();
        let (x, bias) = (slice::<T>(x.0, x.1)?, slice::<T>(bias.0, bias.1)?);
        let n = dims.pop().unwrap_or_default() / 2;
        if n == 0 || bias.len() != 2 * n {
            bail!("geglu: {n} values twice with {} biases", bias.len());
        }
        dims.push(n);
        let mut out = vec![T::put(0.); x.len() / 2];
        out.par_chunks_mut(n).zip(x.par_chunks(2 * n)).with_min_len(16).for_each(|(out, x)| {
            for (at, out) in out.iter_mut().enumerate() {
                let gate = x[n + at].get() + bias[n + at].get();
                let gelu = 0.5 * gate * (1. + candle_core::cpu::erf::erf_f32(gate * std::f32::consts::FRAC_1_SQRT_2));
                *out = T::put((x[at].get() + bias[at].get()) * gelu);
            }
        });
        Ok((T::to_cpu_storage_owned(out), dims.into()))
    }
}

impl CustomOp2 for Geglu {
    fn name(&self) -> &'static str {
        "geglu"
    }
    fn cpu_fwd(&self, s1: &CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<(CpuStorage, Shape)> {
        typed!(s1, self.name(), (self, (s1, l1), (s2, l2)))
    }
}

/// The two norms as operations of a tensor, a weight and a bias.
macro_rules! norm {
    ($norm:ty, $name:literal) => {
        impl CustomOp3 for $norm {
            fn name(&self) -> &'static str {
                $name
            }
            fn cpu_fwd(
                &self,
                s1: &CpuStorage,
                l1: &Layout,
                s2: &CpuStorage,
                l2: &Layout,
                s3: &CpuStorage,
                l3: &Layout,
            ) -> Result<(CpuStorage, Shape)> {
                typed!(s1, $name, (self, [(s1, l1), (s2, l2), (s3, l3)]))
            }
        }
    };
}

norm!(GroupNorm, "group_norm");
norm!(LayerNorm, "layer_norm");
