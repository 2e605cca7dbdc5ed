//! The CPU side of the operations. Work is split by shape, never by the number of threads, so the
//! same input gives the same bytes on every machine with the same instructions.

use candle_core::{CpuStorage, Layout, Result, Shape, Storage};
use candle_core::{Tensor, WithDType, bail};
use half::f16;
use rayon::prelude::*;

use super::operations::{Bias, Geglu, Patches, Upsample};
use super::window::Window;

mod norms;

/// Rows per work item.
const ROWS: usize = 256;

/// An element type with f32 arithmetic.
pub(super) trait Element: WithDType {
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
        None => bail!(
            "expected a contiguous tensor, got strides {:?}",
            layout.stride()
        ),
    }
}

fn silu(x: f32) -> f32 {
    x / (1. + (-x).exp())
}

impl Patches {
    pub(super) fn run<T: Element>(
        &self,
        s: &CpuStorage,
        l: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let x = slice::<T>(s, l)?;
        let (_, h, w, c) = l.shape().dims4()?;
        let Window { stride, before, .. } = self.window;
        let (high, wide) = (self.window.out(h), self.window.out(w));
        let mut out = vec![T::put(0.); self.rows.len() * 9 * c];
        out.par_chunks_mut(9 * c)
            .with_min_len(64)
            .enumerate()
            .for_each(|(i, patch)| {
                let row = self.rows.start + i;
                let (b, y, x0) = (row / (high * wide), row / wide % high, row % wide);
                for (at, place) in patch.chunks_exact_mut(c).enumerate() {
                    // Offset by one, so that positions before the picture are not negative.
                    let (iy, ix) = (y * stride + at / 3, x0 * stride + at % 3);
                    if (before..h + before).contains(&iy) && (before..w + before).contains(&ix) {
                        let from = ((b * h + iy - before) * w + ix - before) * c;
                        place.copy_from_slice(&x[from..from + c]);
                    }
                }
            });
        Ok((
            T::to_cpu_storage_owned(out),
            (self.rows.len(), 9 * c).into(),
        ))
    }
}

impl Upsample {
    pub(super) fn run<T: Element>(
        &self,
        s: &CpuStorage,
        l: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let x = slice::<T>(s, l)?;
        let (b, h, w, c) = l.shape().dims4()?;
        // torch rounds the ratio to f32 before it multiplies.
        let source = |at: usize, from: usize, to: usize| -> usize {
            ((at as f32 * (from as f32 / to as f32)) as usize).min(from.saturating_sub(1))
        };
        let columns: Vec<usize> = (0..self.wide).map(|at| source(at, w, self.wide)).collect();
        let mut out = vec![T::put(0.); b * self.high * self.wide * c];
        out.par_chunks_mut(self.wide * c)
            .enumerate()
            .for_each(|(i, line)| {
                let from = (i / self.high * h + source(i % self.high, h, self.high)) * w;
                for (place, column) in line.chunks_exact_mut(c).zip(&columns) {
                    place.copy_from_slice(&x[(from + column) * c..(from + column + 1) * c]);
                }
            });
        Ok((
            T::to_cpu_storage_owned(out),
            (b, self.high, self.wide, c).into(),
        ))
    }
}

impl Bias<'_> {
    pub(super) fn run<T: Element>(
        &self,
        y: &mut CpuStorage,
        l: &Layout,
        part: Option<(&CpuStorage, &Layout)>,
        bias: (&CpuStorage, &Layout),
    ) -> Result<()> {
        let (rows, n) = l.shape().dims2()?;
        let bias = slice::<T>(bias.0, bias.1)?;
        let part = part.map(|(s, l)| slice::<T>(s, l)).transpose()?;
        let residual = self.residual.map(Tensor::storage_and_layout);
        let residual = match &residual {
            Some((storage, l)) => match &**storage {
                Storage::Cpu(s) => Some(slice::<T>(s, l)?),
                _ => bail!("bias: the residual is on another device"),
            },
            None => None,
        };
        // The number of rows that share a bias: all rows, or those of one picture.
        let sharing = (rows / (bias.len() / n).max(1)).max(1);
        let from = slice::<T>(y, l)?.len().min(self.first * n);
        let whole = part.map_or(rows * n, <[T]>::len);
        if from + whole > rows * n {
            bail!(
                "bias: {} rows from row {} exceed {rows}",
                whole / n,
                self.first
            );
        }
        let start = l.start_offset() + from;
        let mut data = T::cpu_storage_data(std::mem::replace(y, CpuStorage::U8(Vec::new())))?;
        data[start..start + whole]
            .par_chunks_mut(ROWS * n)
            .enumerate()
            .for_each(|(chunk, lines)| {
                for (i, line) in lines.chunks_exact_mut(n).enumerate() {
                    let row = chunk * ROWS + i;
                    if let Some(part) = part {
                        line.copy_from_slice(&part[row * n..(row + 1) * n]);
                    }
                    let row = self.first + row;
                    let from = row / sharing * n;
                    let bias = &bias[from..from + n];
                    match residual.map(|r| &r[row * n..(row + 1) * n]) {
                        None => line
                            .iter_mut()
                            .zip(bias)
                            .for_each(|(y, b)| *y = T::put(y.get() + b.get())),
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

impl Geglu {
    pub(super) fn run<T: Element>(
        &self,
        x: (&CpuStorage, &Layout),
        bias: (&CpuStorage, &Layout),
    ) -> Result<(CpuStorage, Shape)> {
        let mut dims = x.1.dims().to_vec();
        let (x, bias) = (slice::<T>(x.0, x.1)?, slice::<T>(bias.0, bias.1)?);
        let n = dims.pop().unwrap_or_default() / 2;
        if n == 0 || bias.len() != 2 * n {
            bail!("geglu: rows of 2 x {n} do not match {} biases", bias.len());
        }
        dims.push(n);
        let mut out = vec![T::put(0.); x.len() / 2];
        out.par_chunks_mut(n)
            .zip(x.par_chunks(2 * n))
            .with_min_len(16)
            .for_each(|(out, x)| {
                for (at, out) in out.iter_mut().enumerate() {
                    let gate = x[n + at].get() + bias[n + at].get();
                    let gelu = 0.5
                        * gate
                        * (1.
                            + candle_core::cpu::erf::erf_f32(
                                gate * std::f32::consts::FRAC_1_SQRT_2,
                            ));
                    *out = T::put((x[at].get() + bias[at].get()) * gelu);
                }
            });
        Ok((T::to_cpu_storage_owned(out), dims.into()))
    }
}
