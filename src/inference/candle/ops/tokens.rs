//! Operations on tokens for text and picture encoders: the MLP's nonlinearity and self-attention.
//! On the CPU they are loops without library calls, so that the compiler vectorizes them. On other
//! devices they are candle's operations.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, InplaceOp1, InplaceOp2, Layout, Result, Tensor, bail};
use half::f16;
use rayon::prelude::*;

/// The nonlinearity between the two layers of an MLP (`hidden_act`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x * sigmoid(1.702 x)`: OpenAI's CLIP.
    QuickGelu,
    /// `x * Phi(x)` with the error function, not its tanh approximation: OpenCLIP.
    Gelu,
}

/// Numbers per work item.
const PART: usize = 1 << 15;

/// Lanes of a sum: enough for two of the widest vector registers.
const LANES: usize = 32;

/// `activation(x weight^T + bias)` of `x` (`[..., k]`) with `weight` (`[n, k]`): `[..., n]`.
pub fn activated(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    activation: Activation,
) -> Result<Tensor> {
    let y = super::linear(x, weight, super::Added::default())?;
    if y.device().is_cpu() {
        y.inplace_op2(bias, &Activate { activation })?;
        return Ok(y);
    }
    let y = y.broadcast_add(bias)?;
    match activation {
        Activation::QuickGelu => &y * candle_nn::ops::sigmoid(&(&y * 1.702)?)?,
        Activation::Gelu => y.gelu_erf(),
    }
}

/// Self-attention of each text or picture (Vaswani et al. 2017): `[b, tokens, width]`. `qkv` (`[b,
/// tokens, 3 width]`) has queries, keys, and values of `heads` heads each. With `causal`, tokens do
/// not see later tokens. Scores are always f32.
pub fn self_attention(qkv: &Tensor, heads: usize, causal: bool) -> Result<Tensor> {
    let (b, tokens, width) = qkv.dims3()?;
    let (width, d) = (width / 3, width / 3 / heads);
    let split = qkv
        .reshape((b, tokens, 3, heads, d))?
        .permute((0, 2, 3, 1, 4))?
        .contiguous()?
        .to_dtype(DType::F32)?;
    let scale = (d as f64).powf(-0.5);
    let one = |each: Tensor| -> Result<Tensor> {
        let (queries, keys, values) = (each.get(0)?, each.get(1)?, each.get(2)?);
        let scores = queries.matmul(&keys.t()?)?;
        softmax(scores, scale as f32, causal)?.matmul(&values)
    };
    // One at a time, so that the scores stay in the cache.
    let mixed = (0..b)
        .map(|at| one(split.get(at)?))
        .collect::<Result<Vec<_>>>()?;
    let mixed = Tensor::stack(&mixed, 0)?.transpose(1, 2)?.contiguous()?;
    mixed.reshape((b, tokens, width))?.to_dtype(qkv.dtype())
}

/// The softmax of `scale` times the rows of `scores` (`[heads, tokens, tokens]`).
fn softmax(scores: Tensor, scale: f32, causal: bool) -> Result<Tensor> {
    if scores.device().is_cpu() {
        scores.inplace_op1(&Softmax { scale, causal })?;
        return Ok(scores);
    }
    let scores = (scores * f64::from(scale))?;
    let scores = match causal {
        true => {
            let n = scores.dim(1)?;
            let mask = (0..n * n).map(|at| {
                if at % n <= at / n {
                    0.
                } else {
                    f32::NEG_INFINITY
                }
            });
            scores.broadcast_add(&Tensor::from_iter(mask, scores.device())?.reshape((n, n))?)?
        }
        false => scores,
    };
    candle_nn::ops::softmax_last_dim(&scores)
}

/// Checks that a tensor that is written in place owns all `n` numbers of its storage.
fn owned(layout: &Layout, n: usize) -> Result<()> {
    match layout.contiguous_offsets() {
        Some((0, to)) if to == n => Ok(()),
        _ => bail!("expected a tensor that owns its storage"),
    }
}

struct Activate {
    activation: Activation,
}

impl InplaceOp2 for Activate {
    fn name(&self) -> &'static str {
        "activate"
    }

    fn cpu_fwd(
        &self,
        y: &mut CpuStorage,
        l: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<()> {
        let n = l.dims().last().copied().unwrap_or_default().max(1);
        let Some((from, to)) = bias_layout
            .contiguous_offsets()
            .filter(|(from, to)| to - from == n)
        else {
            bail!("{n} values do not match a bias of {:?}", bias_layout.dims());
        };
        let rows = (PART / n).max(1);
        match y {
            CpuStorage::F32(y) => {
                owned(l, y.len())?;
                let bias = &bias.as_slice::<f32>()?[from..to];
                let activation = self.activation;
                y.par_chunks_mut(rows * n)
                    .for_each(|rows| activate(rows, bias, activation));
            }
            CpuStorage::F16(y) => {
                owned(l, y.len())?;
                let bias: Vec<f32> = bias.as_slice::<f16>()?[from..to]
                    .iter()
                    .map(|b| b.to_f32())
                    .collect();
                y.par_chunks_mut(n).for_each(|row| {
                    let mut wide: Vec<f32> = row.iter().map(|v| v.to_f32()).collect();
                    activate(&mut wide, &bias, self.activation);
                    row.iter_mut()
                        .zip(wide)
                        .for_each(|(v, wide)| *v = f16::from_f32(wide));
                });
            }
            other => bail!(
                "activation: {:?} tensors are not supported, only f32 and f16",
                other.dtype()
            ),
        }
        Ok(())
    }
}

/// Adds the bias to each of `rows` and applies the nonlinearity.
fn activate(rows: &mut [f32], bias: &[f32], activation: Activation) {
    for row in rows.chunks_exact_mut(bias.len()) {
        let both = row.iter_mut().zip(bias);
        match activation {
            Activation::QuickGelu => both.for_each(|(y, bias)| *y = quick_gelu(*y + bias)),
            Activation::Gelu => both.for_each(|(y, bias)| *y = gelu(*y + bias)),
        }
    }
}

struct Softmax {
    scale: f32,
    causal: bool,
}

impl InplaceOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, scores: &mut CpuStorage, l: &Layout) -> Result<()> {
        let n = l.dims().last().copied().unwrap_or_default().max(1);
        let CpuStorage::F32(scores) = scores else {
            bail!("expected f32 scores, got {:?}", scores.dtype())
        };
        owned(l, scores.len())?;
        scores.par_chunks_mut(n * n).for_each(|head| {
            for (token, row) in head.chunks_exact_mut(n).enumerate() {
                let (seen, hidden) = row.split_at_mut(if self.causal { token + 1 } else { n });
                weights(seen, self.scale);
                hidden.fill(0.);
            }
        });
        Ok(())
    }
}

/// The softmax of `scale` times `row`, in place.
#[inline(always)]
fn weights(row: &mut [f32], scale: f32) {
    let mut most = [f32::NEG_INFINITY; LANES];
    let mut sums = [0f32; LANES];
    for part in row.chunks(LANES) {
        most.iter_mut()
            .zip(part)
            .for_each(|(most, x)| *most = if *x > *most { *x } else { *most });
    }
    let most = most.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    for part in row.chunks_mut(LANES) {
        for (sum, x) in sums.iter_mut().zip(part) {
            *x = exp((*x - most) * scale);
            *sum += *x;
        }
    }
    let inverse = 1. / sums.iter().sum::<f32>();
    row.iter_mut().for_each(|x| *x *= inverse);
}

/// e to the power of `x`, within 2 units in the last place: a power of two times the Taylor series
/// of the rest, which is at most half of ln 2. Results saturate at the range of f32.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding and subtracting 1.5 * 2^23 rounds to an integer, which is then in the lower bits.
    const ROUND: f32 = 12_582_912.;
    let x = x.clamp(-87., 88.);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // ln 2 in two parts: the product with the first part is exact, because it has few digits.
    let rest = (x - whole * (355. / 512.)) + whole * 2.121_944_4e-4;
    let mut series = 1. / 5040.;
    for factorial in [720., 120., 24., 6., 2., 1., 1.] {
        series = series * rest + 1. / factorial;
    }
    let power = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    series * f32::from_bits((power.wrapping_add(127) as u32) << 23)
}

#[inline(always)]
fn quick_gelu(x: f32) -> f32 {
    x / (1. + exp(-1.702 * x))
}

/// Uses the error function of Abramowitz and Stegun (1964), 7.1.26, with an error of at most
/// 1.5e-7.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1. / (1. + 0.327_591_1 * z);
    let series = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t
        + 0.254_829_6)
        * t;
    let beyond = series * exp(-z * z);
    // Phi(x): half of erfc where it is small, to avoid cancellation.
    0.5 * x * if x < 0. { beyond } else { 2. - beyond }
}

#[cfg(test)]
mod tests {
    use candle_core::{D, Device};

    use super::*;

    fn numbers(n: usize, factor: f32) -> Vec<f32> {
        (0..n)
            .map(|i| (((i * 7919 + 13) % 1000) as f32 / 500. - 1.) * factor)
            .collect()
    }

    #[test]
    fn exp_and_nonlinearities_are_precise() {
        for i in -3000..=3000 {
            let x = i as f32 / 100.;
            let exact = f64::from(x).exp();
            assert!(
                ((f64::from(exp(x)) - exact) / exact).abs() < 2.5e-7,
                "exp({x})"
            );
            let erf = libm_erf(f64::from(x) * std::f64::consts::FRAC_1_SQRT_2);
            let exact = 0.5 * f64::from(x) * (1. + erf);
            assert!(
                (f64::from(gelu(x)) - exact).abs() <= 4e-7 * f64::from(x.abs()).max(1e-3),
                "gelu({x})"
            );
            let exact = f64::from(x) / (1. + (-1.702 * f64::from(x)).exp());
            assert!(
                (f64::from(quick_gelu(x)) - exact).abs() <= 5e-7 * f64::from(x.abs()).max(1e-3),
                "quick gelu({x})"
            );
        }
        assert!(exp(-1000.) > 0. && exp(-1000.) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
        assert_eq!(exp(0.), 1.);
        assert!(gelu(f32::NAN).is_nan() && quick_gelu(f32::NAN).is_nan());
    }

    fn libm_erf(x: f64) -> f64 {
        candle_core::cpu::erf::erf_f64(x)
    }

    /// Compared with attention in candle's operations, with and without a mask, in f32 and f16.
    #[test]
    fn attention_matches_its_definition() {
        let (b, tokens, heads, d) = (2, 37, 3, 4);
        for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F16, 1e-2)] {
            let qkv = Tensor::from_vec(
                numbers(b * tokens * 3 * heads * d, 3.),
                (b, tokens, 36),
                &Device::Cpu,
            )
            .unwrap();
            let qkv = qkv.to_dtype(dtype).unwrap();
            for causal in [false, true] {
                let got = self_attention(&qkv, heads, causal).unwrap();
                assert_eq!(
                    (got.dims(), got.dtype()),
                    ([b, tokens, 12].as_slice(), dtype)
                );
                let wide = qkv.to_dtype(DType::F32).unwrap();
                let parts = wide.chunk(3, D::Minus1).unwrap();
                let head = |t: &Tensor| {
                    t.reshape((b, tokens, heads, d))
                        .unwrap()
                        .transpose(1, 2)
                        .unwrap()
                        .contiguous()
                        .unwrap()
                };
                let (q, k, v) = (head(&parts[0]), head(&parts[1]), head(&parts[2]));
                let scores =
                    (q.matmul(&k.t().unwrap().contiguous().unwrap()).unwrap() * 0.5).unwrap();
                let mask: Vec<f32> = (0..tokens * tokens)
                    .map(|at| {
                        if causal && at % tokens > at / tokens {
                            f32::NEG_INFINITY
                        } else {
                            0.
                        }
                    })
                    .collect();
                let mask = Tensor::from_vec(mask, (tokens, tokens), &Device::Cpu).unwrap();
                let weights =
                    candle_nn::ops::softmax_last_dim(&scores.broadcast_add(&mask).unwrap())
                        .unwrap();
                let expected = weights
                    .matmul(&v)
                    .unwrap()
                    .transpose(1, 2)
                    .unwrap()
                    .reshape((b, tokens, 12))
                    .unwrap();
                let off = (got.to_dtype(DType::F32).unwrap() - &expected)
                    .unwrap()
                    .abs()
                    .unwrap()
                    .max_all()
                    .unwrap();
                let off = off.to_scalar::<f32>().unwrap();
                assert!(off <= tolerance, "{dtype:?} {causal}: {off}");
            }
        }
    }

    #[test]
    fn refuses_other_bias_lengths_and_dtypes() {
        let x = Tensor::zeros((2, 3), DType::F32, &Device::Cpu).unwrap();
        let weight = Tensor::zeros((5, 3), DType::F32, &Device::Cpu).unwrap();
        let bias = |n| Tensor::zeros(n, DType::F32, &Device::Cpu).unwrap();
        assert!(activated(&x, &weight, &bias(5), Activation::Gelu).is_ok());
        assert!(activated(&x, &weight, &bias(4), Activation::Gelu).is_err());
        let [x, weight] = [x, weight].map(|t| t.to_dtype(DType::F64).unwrap());
        assert!(activated(&x, &weight, &bias(5), Activation::Gelu).is_err());
    }
}
