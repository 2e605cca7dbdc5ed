//! The operations of the networks. Pictures and features are NHWC (`[batch, height, width,
//! channels]`, contiguous): a convolution gathers rows and computes one matrix product, tokens need
//! no transposition, and norms run along memory.
//!
//! Each operation is a custom operation of candle (`operations`, `dispatch`). The CPU side is in
//! `cpu`, with f32 arithmetic for f32 and f16 tensors. The CUDA side is in `cuda`, with the kernels
//! of `kernels/`, behind the feature `cuda`. `launch` describes how to start each kernel; tests run
//! the kernels this way on the CPU and compare them with their twins in `cpu`.

mod attention;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod differentiable;
mod dispatch;
#[cfg(any(test, feature = "cuda"))]
mod kernels;
#[cfg(any(test, feature = "cuda"))]
mod launch;
mod operations;
#[cfg(test)]
mod tests;
mod tokens;
mod window;

use candle_core::{D, Device, Result, Tensor, bail};

pub use attention::{KeysValues, attention};
pub use tokens::{Activation, activated, self_attention};
pub use window::Window;

use operations::{Bias, Geglu, GroupNorm, LayerNorm, Patches, Upsample};

/// Limits on the intermediate results of an operation. They depend on the kind of device, not on
/// its memory: products of other sizes may round differently, and all GPUs of one kind must give
/// the same bytes.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of gathered rows in a convolution.
    patches: usize,
    /// Bytes of attention scores.
    scores: usize,
    /// Minimum number of queries per product, because products with few queries and many keys are
    /// slow.
    queries: usize,
    /// Heads per product.
    heads: usize,
}

impl Limits {
    /// Limits that fit into a CPU's cache, or that keep a GPU busy with little memory.
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

/// The addends of a product: a bias for all rows (`[n]`) or per picture (`[batch, n]`), and a
/// residual with the shape of the result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Added<'a> {
    pub bias: Option<&'a Tensor>,
    pub residual: Option<&'a Tensor>,
}

impl<'a> Added<'a> {
    pub fn new(bias: Option<&'a Tensor>, residual: Option<&'a Tensor>) -> Added<'a> {
        Added { bias, residual }
    }

    /// Checks the shapes for a result of `rows` x `n`. Returns the bias, or zeros.
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
            &Bias {
                residual: residual.as_ref(),
                first: 0,
            },
        )
    }
}

/// Prepares a weight (`[n, k]`) for [`linear`] and [`conv3x3`]: on the CPU it is stored transposed,
/// with the same shape. Products pack the weight each time, which takes a tenth less time this way
/// (a third with few rows).
pub fn kept(weight: Tensor) -> Result<Tensor> {
    if weight.device().is_cpu() {
        weight.t()?.contiguous()?.t()
    } else {
        Ok(weight)
    }
}

/// `x` (`[..., k]`) times `weight` (`[n, k]`, as in PyTorch), plus `added`: `[..., n]`.
///
/// `x` is made one contiguous matrix first, because candle's CPU product of a batched, transposed
/// left side with a shared right side is silently wrong (candle #3744).
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

/// 3x3 convolution of `x` (`[b, h, w, c]`) with `weight` (`[n, 9 c]`: rows, columns, channels),
/// plus `added`. Rows are gathered in parts of 32 MiB on a CPU, 256 MiB on a GPU.
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
        x.apply_op1_no_bwd(&Patches { window, rows })?
            .matmul(&right)
    };
    if at_once == rows {
        let y = part(0)?;
        added.to(&y)?;
        return y.reshape((b, high, wide, n));
    }
    // Adding the bias writes each part to its place, so that the result exists only once.
    let y = Tensor::zeros((rows, n), x.dtype(), x.device())?;
    let bias = added.checked(rows, n, &y)?;
    let residual = added.residual.map(Tensor::contiguous).transpose()?;
    for first in (0..rows).step_by(at_once) {
        y.inplace_op3(
            &part(first)?,
            &bias,
            &Bias {
                residual: residual.as_ref(),
                first,
            },
        )?;
    }
    y.reshape((b, high, wide, n))
}

/// Group normalization of `x` (`[b, ..., c]`), followed by SiLU if `silu`. Statistics are summed in
/// f64.
pub fn group_norm(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    groups: usize,
    eps: f64,
    silu: bool,
) -> Result<Tensor> {
    x.contiguous()?
        .apply_op3_no_bwd(weight, bias, &GroupNorm { groups, eps, silu })
}

/// Normalization over the last axis of `x`.
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    x.contiguous()?
        .apply_op3_no_bwd(weight, bias, &LayerNorm { eps })
}

/// GEGLU (Shazeer 2020) of `x` (`[..., 2 n]`) plus `bias`: the first half times GELU of the second,
/// `[..., n]`. GELU uses the error function, not the tanh approximation.
pub fn geglu(x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op2_no_bwd(bias, &Geglu)
}

/// Nearest-neighbor scaling of `x` (`[b, h, w, c]`) to `high` x `wide`, as in
/// `torch.nn.functional.interpolate`.
pub fn upsample(x: &Tensor, high: usize, wide: usize) -> Result<Tensor> {
    x.contiguous()?.apply_op1_no_bwd(&Upsample { high, wide })
}

/// Joins `a` and `b` along their channels.
pub fn join(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Tensor::cat(&[a, b], D::Minus1)
}
