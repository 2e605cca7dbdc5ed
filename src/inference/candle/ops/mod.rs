//! The few operations that the networks are made of. Pictures and features are NHWC (`[batch, height, width,
//! channels]`, contiguous): a convolution is a gather of rows and one matrix product, tokens need no transposition, and norms run
//! along memory. Each is a custom operation of candle whose CPU side stands in `cpu`, in f32 arithmetic for f32 and
//! f16 tensors. Their CUDA side is `cuda`, over the kernels of `kernels/`, with the feature of that name; `launch` says how
//! each kernel is started, and the tests start it so on the CPU and compare it with its twin in `cpu`.

mod attention;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(any(test, feature = "cuda"))]
mod kernels;
#[cfg(any(test, feature = "cuda"))]
mod launch;
#[cfg(test)]
mod tests;
mod tokens;

use candle_core::{D, Device, Result, Tensor, bail};

pub use attention::{KeysValues, attention};
pub use tokens::{Activation, activated, self_attention};

/// How much of the passing results of an operation exists at once. A constant of the kind of device and not of its
/// memory: products of another size may round otherwise, and two cards of one kind are to give the same bytes.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of gathered rows that a convolution holds.
    patches: usize,
    /// Bytes of scores that an attention holds.
    scores: usize,
    /// Queries that it takes in any case, so that few of them do not make a product of many keys slow.
    queries: usize,
    /// Heads that it takes.
    heads: usize,
}

impl Limits {
    /// What stays in a cache of a CPU; what keeps a GPU busy and is little of its memory.
    fn of(device: &Device) -> Limits {
        match device {
            Device::Cpu => Limits {
                patches: 32 << 20,
                scores: 4 << 20,
                queries: 256,
                heads: 1,
            },
            _ => Limits {
                patches: 256 << 20,
                scores: 256 << 20,
                queries: 256,
                heads: usize::MAX,
            },
        }
    }
}

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
    pub const SAME: Window = Window {
        stride: 1,
        before: 1,
        after: 1,
    };
    /// Half the size, as the U-Net does it.
    pub const HALF: Window = Window {
        stride: 2,
        before: 1,
        after: 1,
    };
    /// Half the size with zeros only below and right, as the VAE's encoder does it.
    pub const HALF_BELOW: Window = Window {
        stride: 2,
        before: 0,
        after: 1,
    };

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
    /// Refuses what does not fit a result of `rows` x `n`; gives the bias, zeros where there is none.
    fn checked(&self, rows: usize, n: usize, like: &Tensor) -> Result<Tensor> {
        match self.residual {
            Some(r) if r.elem_count() != rows * n => {
                bail!("a residual of {:?} does not fit [{rows}, {n}]", r.dims())
            }
            _ => {}
        }
        match self.bias {
            Some(bias)
                if bias.elem_count() % n == 0 && rows.is_multiple_of(bias.elem_count() / n) =>
            {
                bias.contiguous()
            }
            Some(bias) => bail!("a bias of {:?} does not fit rows of {n}", bias.dims()),
            None => Tensor::zeros(n, like.dtype(), like.device()),
        }
    }

    /// Adds to `y` (`[rows, n]`) in place.
    fn to(&self, y: &Tensor) -> Result<()> {
        if self.bias.is_none() && self.residual.is_none() {
            return Ok(());
        }
        let (rows, n) = y.dims2()?;
        let bias = self.checked(rows, n, y)?;
        let residual = self.residual.map(Tensor::contiguous).transpose()?;
        y.inplace_op2(
            &bias,
            &cpu::Bias {
                residual: residual.as_ref(),
                first: 0,
            },
        )
    }
}

/// A weight (`[n, k]`) as it is kept for [`linear`] and [`conv3x3`]: on the CPU its numbers lie transposed. A product packs
/// them anew each time, and from there takes a tenth less (a third, with few rows). The shape is what it was.
pub fn kept(weight: Tensor) -> Result<Tensor> {
    if weight.device().is_cpu() {
        weight.t()?.contiguous()?.t()
    } else {
        Ok(weight)
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
/// Gathered rows exist a part at a time: 32 MiB on a CPU, 256 MiB on a GPU.
pub fn conv3x3(x: &Tensor, weight: &Tensor, window: Window, added: Added) -> Result<Tensor> {
    conv3x3_within(x, weight, window, added, Limits::of(x.device()).patches)
}

fn conv3x3_within(
    x: &Tensor,
    weight: &Tensor,
    window: Window,
    added: Added,
    bytes: usize,
) -> Result<Tensor> {
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
        x.apply_op1_no_bwd(&cpu::Patches { window, rows })?
            .matmul(&right)
    };
    if at_once == rows {
        let y = part(0)?;
        added.to(&y)?;
        return y.reshape((b, high, wide, n));
    }
    // Each part is put in its place on the way through what is added, so that the whole exists once.
    let y = Tensor::zeros((rows, n), x.dtype(), x.device())?;
    let bias = added.checked(rows, n, &y)?;
    let residual = added.residual.map(Tensor::contiguous).transpose()?;
    for first in (0..rows).step_by(at_once) {
        y.inplace_op3(
            &part(first)?,
            &bias,
            &cpu::Bias {
                residual: residual.as_ref(),
                first,
            },
        )?;
    }
    y.reshape((b, high, wide, n))
}

/// Group normalisation of `x` (`[b, ..., c]`), with SiLU after it where `silu`. Statistics are summed in f64.
pub fn group_norm(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    groups: usize,
    eps: f64,
    silu: bool,
) -> Result<Tensor> {
    x.contiguous()?
        .apply_op3_no_bwd(weight, bias, &cpu::GroupNorm { groups, eps, silu })
}

/// Normalisation over the last axis of `x`.
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    x.contiguous()?
        .apply_op3_no_bwd(weight, bias, &cpu::LayerNorm { eps })
}

/// GEGLU (Shazeer 2020): `x` (`[..., 2 n]`) plus `bias`, first half times GELU of the second, `[..., n]`. GELU with the
/// error function, not its tanh approximation.
pub fn geglu(x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op2_no_bwd(bias, &cpu::Geglu)
}

/// Nearest-neighbour scaling of `x` (`[b, h, w, c]`) to `high` x `wide`, as `torch.nn.functional.interpolate`.
pub fn upsample(x: &Tensor, high: usize, wide: usize) -> Result<Tensor> {
    x.contiguous()?
        .apply_op1_no_bwd(&cpu::Upsample { high, wide })
}

/// Joins `a` and `b` along their channels.
pub fn join(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Tensor::cat(&[a, b], D::Minus1)
}
