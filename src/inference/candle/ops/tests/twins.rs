//! Compares every kernel with its CPU twin on awkward shapes: tails of less than 16 bytes, odd
//! sides, strides, parts of rows, and numbers far from zero. A [`Side`] runs the kernels: the CPU
//! emulation, or a GPU.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};

use super::super::operations;
use super::super::{KeysValues, Window, attention};
use super::{flat, numbers};

/// Runs the kernels, with tensors on the CPU as input and output.
pub trait Side {
    fn patches(&self, x: &Tensor, window: Window, rows: Range<usize>) -> Tensor;
    fn upsample(&self, x: &Tensor, high: usize, wide: usize) -> Tensor;
    /// Adds the bias to `y` in place, or to a part that is written to row `first`.
    fn bias(
        &self,
        y: &Tensor,
        part: Option<&Tensor>,
        bias: &Tensor,
        residual: Option<&Tensor>,
        first: usize,
    ) -> Tensor;
    fn geglu(&self, x: &Tensor, bias: &Tensor) -> Tensor;
    fn group_norm(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        groups: usize,
        silu: bool,
    ) -> Tensor;
    fn layer_norm(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor;
    /// f16 attention of `qkv[which]`, a third of `[b, tokens, 3 * heads * d]` each.
    fn attention(
        &self,
        q: (&Tensor, usize),
        k: (&Tensor, usize),
        v: (&Tensor, usize),
        heads: usize,
    ) -> Tensor;
}

pub const EPS: f64 = 1e-5;

const DTYPES: [DType; 2] = [DType::F32, DType::F16];

fn some(shape: &[usize], seed: u64, dtype: DType) -> Tensor {
    numbers(shape, seed).to_dtype(dtype).unwrap()
}

/// Asserts that each number is within `most` of the expected one, absolute or relative.
#[track_caller]
fn close(what: &str, found: &Tensor, expected: &Tensor, most: f32) {
    assert_eq!(found.dims(), expected.dims(), "{what}");
    assert_eq!(found.dtype(), expected.dtype(), "{what}");
    for (at, (found, expected)) in flat(found).iter().zip(flat(expected)).enumerate() {
        let near = (found - expected).abs() <= most * expected.abs().max(1.);
        assert!(near, "{what}, at {at}: {found}, its twin {expected}");
    }
}

/// The tolerance: half a unit in the last place more than rounding.
fn most(dtype: DType, f32: f32) -> f32 {
    if dtype == DType::F16 { 1e-3 } else { f32 }
}

pub fn patches(side: &dyn Side) {
    for dtype in DTYPES {
        for (h, w, c) in [
            (5, 7, 4),
            (6, 6, 9),
            (3, 3, 8),
            (1, 2, 16),
            (2, 3, 320),
            (4, 1, 3),
        ] {
            let x = some(&[2, h, w, c], 1, dtype);
            for window in [Window::SAME, Window::HALF, Window::HALF_BELOW] {
                if h + window.before + window.after < 3 || w + window.before + window.after < 3 {
                    continue;
                }
                let all = 2 * window.out(h) * window.out(w);
                for rows in [0..all, 0..1, all / 2..all, all / 3..all / 2 + 1] {
                    let expected = x
                        .apply_op1_no_bwd(&operations::Patches {
                            window,
                            rows: rows.clone(),
                        })
                        .unwrap();
                    let what = format!("{dtype:?} {:?} {window:?} {rows:?}", x.dims());
                    close(&what, &side.patches(&x, window, rows), &expected, 0.);
                }
            }
        }
    }
}

pub fn upsample(side: &dyn Side) {
    for dtype in DTYPES {
        for (h, w, c, high, wide) in [
            (3, 2, 8, 6, 4),
            (3, 5, 5, 5, 9),
            (7, 3, 4, 13, 7),
            (1, 1, 3, 4, 5),
            (5, 4, 320, 9, 8),
        ] {
            let x = some(&[2, h, w, c], 2, dtype);
            let expected = x
                .apply_op1_no_bwd(&operations::Upsample { high, wide })
                .unwrap();
            close(
                &format!("{dtype:?} {:?} to {high} x {wide}", x.dims()),
                &side.upsample(&x, high, wide),
                &expected,
                0.,
            );
        }
    }
}

pub fn bias(side: &dyn Side) {
    for dtype in DTYPES {
        for (rows, n, pictures) in [
            (6, 8, 1),
            (6, 8, 3),
            (10, 5, 2),
            (300, 320, 2),
            (7, 1, 1),
            (4, 12, 4),
        ] {
            let (y, residual) = (some(&[rows, n], 3, dtype), some(&[rows, n], 4, dtype));
            let bias = if pictures == 1 {
                some(&[n], 5, dtype)
            } else {
                some(&[pictures, n], 5, dtype)
            };
            for residual in [None, Some(&residual)] {
                let what = format!(
                    "{dtype:?} {rows} x {n}, {pictures} pictures, {}",
                    residual.is_some()
                );
                let expected = y.copy().unwrap();
                expected
                    .inplace_op2(&bias, &operations::Bias { residual, first: 0 })
                    .unwrap();
                close(
                    &what,
                    &side.bias(&y, None, &bias, residual, 0),
                    &expected,
                    0.,
                );
                for part in [0..rows, rows / 3..rows / 2 + 1] {
                    let from = some(&[part.len(), n], 6, dtype);
                    let expected = y.copy().unwrap();
                    let op = operations::Bias {
                        residual,
                        first: part.start,
                    };
                    expected.inplace_op3(&from, &bias, &op).unwrap();
                    let found = side.bias(&y, Some(&from), &bias, residual, part.start);
                    close(&format!("{what} {part:?}"), &found, &expected, 0.);
                }
            }
        }
    }
}

pub fn geglu(side: &dyn Side) {
    for dtype in DTYPES {
        for (rows, n) in [(3, 8), (5, 5), (9, 640), (1, 1), (17, 12)] {
            let x = (some(&[rows, 2 * n], 7, dtype) * 6.).unwrap();
            let bias = some(&[2 * n], 8, dtype);
            let expected = x.apply_op2_no_bwd(&bias, &operations::Geglu).unwrap();
            close(
                &format!("{dtype:?} {rows} x {n}"),
                &side.geglu(&x, &bias),
                &expected,
                most(dtype, 2e-6),
            );
        }
    }
}

pub fn group_norm(side: &dyn Side) {
    // The second to last has more chunks than one thread sums, and the last has more packs than a
    // block.
    let shapes: [(&[usize], usize); 8] = [
        (&[2, 5, 7, 320], 32),
        (&[2, 3, 3, 4], 2),
        (&[1, 4, 5, 9], 3),
        (&[1, 6, 16], 16),
        (&[3, 2, 2, 8], 1),
        (&[1, 11, 24], 3),
        (&[1, 3000, 9], 3),
        (&[1, 7, 2560], 32),
    ];
    for dtype in DTYPES {
        for (shape, groups) in shapes {
            let c = shape[shape.len() - 1];
            let (weight, bias) = (some(&[c], 9, dtype), some(&[c], 10, dtype));
            for (mean, silu) in [(0., false), (0., true), (1000., false)] {
                let x = (numbers(shape, 11) * 2.).unwrap();
                let x = (x + mean).unwrap().to_dtype(dtype).unwrap();
                let op = operations::GroupNorm {
                    groups,
                    eps: EPS,
                    silu,
                };
                let expected = x.apply_op3_no_bwd(&weight, &bias, &op).unwrap();
                // Far from zero the twin loses digits: it multiplies before it subtracts the mean.
                let most = most(dtype, if mean == 0. { 2e-6 } else { 5e-4 });
                let found = side.group_norm(&x, &weight, &bias, groups, silu);
                close(
                    &format!("{dtype:?} {shape:?} {groups} groups around {mean}, {silu}"),
                    &found,
                    &expected,
                    most,
                );
            }
        }
    }
}

/// Compared with the definition in f64: sums of squares would lose all digits of a variance of 0.01
/// around 3000.
pub fn group_norm_far_from_zero(side: &dyn Side) {
    let (rows, c, groups) = (700, 8, 2);
    let x = ((numbers(&[1, rows, c], 12) * 0.17).unwrap() + 3000.).unwrap();
    let (ones, zeros) = (
        some(&[c], 0, DType::F32).ones_like().unwrap(),
        some(&[c], 0, DType::F32).zeros_like().unwrap(),
    );
    let found = flat(&side.group_norm(&x, &ones, &zeros, groups, false));
    let x: Vec<f64> = flat(&x).into_iter().map(f64::from).collect();
    for group in 0..groups {
        let member = |at: &usize| at % c / (c / groups) == group;
        let mine: Vec<usize> = (0..rows * c).filter(member).collect();
        let mean = mine.iter().map(|at| x[*at]).sum::<f64>() / mine.len() as f64;
        let variance =
            mine.iter().map(|at| (x[*at] - mean).powi(2)).sum::<f64>() / mine.len() as f64;
        for at in mine {
            let expected = (x[at] - mean) / (variance + EPS).sqrt();
            assert!(
                (found[at] as f64 - expected).abs() < 3e-3,
                "at {at}: {} and not {expected}",
                found[at]
            );
        }
    }
}

pub fn layer_norm(side: &dyn Side) {
    for dtype in DTYPES {
        for (rows, c) in [(11, 5), (3, 64), (9, 320), (2, 1280), (1, 1), (17, 36)] {
            let (weight, bias) = (some(&[c], 13, dtype), some(&[c], 14, dtype));
            for mean in [0., 1000.] {
                let x = (numbers(&[1, rows, c], 15) + mean)
                    .unwrap()
                    .to_dtype(dtype)
                    .unwrap();
                let expected = x
                    .apply_op3_no_bwd(&weight, &bias, &operations::LayerNorm { eps: EPS })
                    .unwrap();
                let most = most(dtype, if mean == 0. { 2e-6 } else { 5e-4 });
                close(
                    &format!("{dtype:?} {rows} x {c} around {mean}"),
                    &side.layer_norm(&x, &weight, &bias),
                    &expected,
                    most,
                );
            }
        }
    }
}

pub fn fused_attention(side: &dyn Side, heads_of: &[usize]) {
    for d in heads_of {
        // In the second case scores are in the thousands, so that one key dominates.
        let cases = [
            (70, 77, 1, 1.),
            (9, 70, 2, 60.),
            (33, 130, 1, 1.),
            (17, 1, 1, 1.),
            (1, 64, 3, 1.),
        ];
        for (tokens, keys, heads, large) in cases {
            let width = heads * d;
            let all =
                |rows: usize, seed: u64| (numbers(&[2, rows, 3 * width], seed) * large).unwrap();
            let own = all(tokens, 16).to_dtype(DType::F16).unwrap();
            let other = all(keys, 17).to_dtype(DType::F16).unwrap();
            let third = |t: &Tensor, which: usize| t.narrow(2, which * width, width).unwrap();
            let kv = KeysValues::new(&third(&other, 1), &third(&other, 2), heads).unwrap();
            let expected = attention(&third(&own, 0), &kv).unwrap();
            let found = side.attention((&own, 0), (&other, 1), (&other, 2), heads);
            // The weights of the values are f16: the tolerance is 0.05 % of the largest value.
            let what = format!(
                "heads of {d}, {tokens} queries, {keys} keys, {heads} heads, up to {large}"
            );
            close(
                &what,
                &(found / large).unwrap(),
                &(expected / large).unwrap(),
                2e-3,
            );
        }
    }
}

/// Converts bytes to a tensor on the CPU.
pub fn from_bytes(bytes: &[u8], shape: &[usize], dtype: DType) -> Tensor {
    Tensor::from_raw_buffer(bytes, dtype, shape, &Device::Cpu).unwrap()
}
