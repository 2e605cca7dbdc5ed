//! The few operations that the networks are made of. Pictures and features are NHWC (`[batch, height, width,
//! channels]`, contiguous): a convolution is a gather of rows and one matrix product, tokens need no transposition, and norms run
//! along memory. Each is a custom operation of candle whose CPU side stands in `cpu`, in f32 arithmetic for f32 and
//! f16 tensors; a GPU side would be its `cuda_fwd` and is measured against these.

mod cpu;
mod tokens;
#[cfg(test)]
mod tests;

use candle_core::{D, DType, Result, Tensor, bail};

pub use tokens::{Activation, activated, self_attention};

/// Bytes of gathered rows that a convolution holds at once.
const PATCH_BYTES: usize = 32 << 20;

/// Bytes of scores that an attention holds at once: what stays in a cache.
const SCORE_BYTES: usize = 4 << 20;

/// Queries that it takes at once in any case, so that few of them do not make a product of many keys slow.
const QUERIES: usize = 256;

/// Where a 3x3 kernel goes: its stride, and the zeros before and after each of the two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Step in both directions.
    pub stride: usize,
    /// Zeros above and left.
    pub before: usize,
    /// Zeros below and right.
    pub after: usize,
}

impl Window {
    /// Same size out as in.
    pub const SAME: Window = Window { stride: 1, before: 1, after: 1 };
    /// Half the size, as the U-Net does it.
    pub const HALF: Window = Window { stride: 2, before: 1, after: 1 };
    /// Half the size with zeros only below and right, as the VAE's encoder does it.
    pub const HALF_BELOW: Window = Window { stride: 2, before: 0, after: 1 };

    /// Positions along an axis of length `n`.
    pub fn out(self, n: usize) -> usize {
        (n + self.before + self.after).saturating_sub(3) / self.stride + 1
    }
}

/// What is added to a product: a bias for all rows (`[n]`) or one for each picture (`[batch, n]`), and a residual of
/// the result's own shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct Added<'a> {
    /// The bias.
    pub bias: Option<&'a Tensor>,
    /// The residual.
    pub residual: Option<&'a Tensor>,
}

impl Added<'_> {
    /// Adds to `y` (`[rows, n]`) in place.
    fn to(&self, y: &Tensor) -> Result<()> {
        let (rows, n) = y.dims2()?;
        let bias = match self.bias {
            Some(bias) if bias.elem_count() % n == 0 && rows % (bias.elem_count() / n) == 0 => bias.clone(),
            Some(bias) => bail!("a bias of {:?} does not fit rows of {n}", bias.dims()),
            None => Tensor::zeros(n, y.dtype(), y.device())?,
        };
        match self.residual {
            None if self.bias.is_none() => Ok(()),
            None => y.inplace_op2(&bias, &cpu::Bias),
            Some(r) if r.elem_count() == y.elem_count() => y.inplace_op3(&bias, &r.contiguous()?, &cpu::Bias),
            Some(r) => bail!("a residual of {:?} does not fit {:?}", r.dims(), y.dims()),
        }
    }
}

/// `x` (`[..., k]`) times `weight` (`[n, k]`, as PyTorch keeps it), plus what is `added`: `[..., n]`.
///
/// `x` is made one contiguous matrix first: candle's CPU product of a batched, transposed left side with a shared right
/// side is silently wrong (candle #3744).
pub fn linear(x: &Tensor, weight: &Tensor, added: Added) -> Result<Tensor> {
    let (n, k) = weight.dims2()?;
    let mut dims = x.dims().to_vec();
    if dims.pop() != Some(k) {
        bail!("{:?} times a matrix from {k} to {n}", x.dims());
    }
    dims.push(n);
    let y = x.contiguous()?.reshape(((), k))?.matmul(&weight.t()?)?;
    added.to(&y)?;
    y.reshape(dims)
}

/// 3x3 convolution of `x` (`[b, h, w, c]`) with `weight` (`[n, 9 c]`: rows, columns, channels), plus what is `added`.
/// At most `PATCH_BYTES` of gathered rows exist at a time.
pub fn conv3x3(x: &Tensor, weight: &Tensor, window: Window, added: Added) -> Result<Tensor> {
    conv3x3_within(x, weight, window, added, PATCH_BYTES)
}

fn conv3x3_within(x: &Tensor, weight: &Tensor, window: Window, added: Added, bytes: usize) -> Result<Tensor> {
    let (b, h, w, c) = x.dims4()?;
    let (n, k) = weight.dims2()?;
    if k != 9 * c || h + window.before + window.after < 3 || w + window.before + window.after < 3 {
        bail!("a 3x3 kernel for {} channels over {:?}", k / 9, x.dims());
    }
    let (x, right) = (x.contiguous()?, weight.t()?);
    let (high, wide) = (window.out(h), window.out(w));
    let rows = b * high * wide;
    let at_once = (bytes / (k * x.dtype().size_in_bytes())).clamp(1, rows);
    let part = |from: usize| -> Result<Tensor> {
        let rows = from..(from + at_once).min(rows);
        x.apply_op1_no_bwd(&cpu::Patches { window, rows })?.matmul(&right)
    };
    let parts = (0..rows).step_by(at_once).map(part).collect::<Result<Vec<_>>>()?;
    let y = match parts.as_slice() {
        [one] => one.clone(),
        many => Tensor::cat(many, 0)?,
    };
    drop(parts);
    added.to(&y)?;
    y.reshape((b, high, wide, n))
}

/// Group normalisation of `x` (`[b, ..., c]`), with SiLU after it where `silu`. Statistics are summed in f64.
pub fn group_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, groups: usize, eps: f64, silu: bool) -> Result<Tensor> {
    x.contiguous()?.apply_op3_no_bwd(weight, bias, &cpu::GroupNorm { groups, eps, silu })
}

/// Normalisation over the last axis of `x`.
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    x.contiguous()?.apply_op3_no_bwd(weight, bias, &cpu::LayerNorm { eps })
}

/// GEGLU (Shazeer 2020): `x` (`[..., 2 n]`) plus `bias`, first half times GELU of the second, `[..., n]`. GELU with the
/// error function, not its tanh approximation.
pub fn geglu(x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op2_no_bwd(bias, &cpu::Geglu)
}

/// Nearest-neighbour scaling of `x` (`[b, h, w, c]`) to `high` x `wide`, as `torch.nn.functional.interpolate`.
pub fn upsample(x: &Tensor, high: usize, wide: usize) -> Result<Tensor> {
    x.contiguous()?.apply_op1_no_bwd(&cpu::Upsample { high, wide })
}

/// Keys and values in the form that [`attention`] takes.
#[derive(Clone, Debug)]
pub struct KeysValues {
    /// `[b, heads, d, tokens]`.
    keys: Tensor,
    /// `[b, heads, tokens, d]`.
    values: Tensor,
}

impl KeysValues {
    /// From projections `[b, tokens, heads * d]`.
    pub fn new(keys: &Tensor, values: &Tensor, heads: usize) -> Result<KeysValues> {
        let split = |t: &Tensor| t.reshape((t.dim(0)?, t.dim(1)?, heads, t.dim(2)? / heads));
        let keys = split(keys)?.permute((0, 2, 3, 1))?.to_dtype(DType::F32)?.contiguous()?;
        let values = split(values)?.permute((0, 2, 1, 3))?.to_dtype(DType::F32)?.contiguous()?;
        Ok(KeysValues { keys, values })
    }
}

/// Scaled dot-product attention of `q` (`[b, tokens, heads * d]`), of the same shape. Scores are f32 whatever the dtype
/// (which is what `upcast_attention` asks for), and those of `SCORE_BYTES`, or of
/// `QUERIES` of one head, exist at a time.
pub fn attention(q: &Tensor, kv: &KeysValues) -> Result<Tensor> {
    attention_within(q, kv, SCORE_BYTES, QUERIES)
}

fn attention_within(q: &Tensor, kv: &KeysValues, bytes: usize, least: usize) -> Result<Tensor> {
    let (b, tokens, width) = q.dims3()?;
    let (_, heads, d, keys) = kv.keys.dims4()?;
    let split = q.reshape((b, tokens, heads, d))?.transpose(1, 2)?.to_dtype(DType::F32)?;
    let split = (split.contiguous()? * (d as f64).powf(-0.5))?.flatten_to(1)?;
    let (all_keys, all_values) = (kv.keys.flatten_to(1)?, kv.values.flatten_to(1)?);
    let at_once = (bytes / (4 * keys)).max(least).clamp(1, tokens);
    let mut parts = Vec::new();
    for head in 0..b * heads {
        let (queries, keys, values) = (split.get(head)?, all_keys.get(head)?, all_values.get(head)?);
        for from in (0..tokens).step_by(at_once) {
            let some = queries.narrow(0, from, at_once.min(tokens - from))?;
            parts.push(candle_nn::ops::softmax_last_dim(&some.matmul(&keys)?)?.matmul(&values)?);
        }
    }
    let all = Tensor::cat(&parts, 0)?.reshape((b, heads, tokens, d))?;
    all.transpose(1, 2)?.to_dtype(q.dtype())?.reshape((b, tokens, width))
}

/// Joins `a` and `b` along their channels.
pub fn join(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Tensor::cat(&[a, b], D::Minus1)
}
