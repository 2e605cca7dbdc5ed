//! The operations of an encoder with gradients, from basic operations of candle. The operations of
//! the parent module work in place or as `no_bwd`: a gradient would vanish there without an error.

use candle_core::{D, Result, Tensor};

use super::tokens::Activation;

/// As [`linear`](super::linear).
pub fn linear(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let (n, k) = weight.dims2()?;
    let mut dims = x.dims().to_vec();
    dims.pop();
    dims.push(n);
    let y = x.contiguous()?.reshape(((), k))?.matmul(&weight.t()?)?;
    let y = match bias {
        Some(bias) => y.broadcast_add(bias)?,
        None => y,
    };
    y.reshape(dims)
}

/// As [`layer_norm`](super::layer_norm).
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    let centered = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
    let variance = centered.sqr()?.mean_keepdim(D::Minus1)?;
    let normal = centered.broadcast_div(&(variance + eps)?.sqrt()?)?;
    normal.broadcast_mul(weight)?.broadcast_add(bias)
}

/// The nonlinearity of an MLP.
pub fn activated(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        // The sigmoid as a hyperbolic tangent, whose gradient is finite everywhere.
        Activation::QuickGelu => x * (((x * 0.851)?.tanh()? + 1.)? * 0.5)?,
        Activation::Gelu => x * (((x / 2f64.sqrt())?.erf()? + 1.)? * 0.5)?,
    }
}

/// As [`self_attention`](super::self_attention), without a mask.
pub fn self_attention(qkv: &Tensor, heads: usize) -> Result<Tensor> {
    let (b, tokens, width) = qkv.dims3()?;
    let (width, d) = (width / 3, width / 3 / heads);
    let split = qkv
        .reshape((b, tokens, 3, heads, d))?
        .permute((0, 2, 3, 1, 4))?
        .contiguous()?;
    let scale = (d as f64).powf(-0.5);
    let one = |each: Tensor| -> Result<Tensor> {
        let (queries, keys, values) = (each.get(0)?, each.get(1)?, each.get(2)?);
        let scores = (queries.matmul(&keys.t()?.contiguous()?)? * scale)?;
        softmax(&scores)?.matmul(&values)
    };
    let mixed = (0..b)
        .map(|at| one(split.get(at)?))
        .collect::<Result<Vec<_>>>()?;
    let mixed = Tensor::stack(&mixed, 0)?.transpose(1, 2)?.contiguous()?;
    mixed.reshape((b, tokens, width))
}

fn softmax(scores: &Tensor) -> Result<Tensor> {
    // The largest score only keeps the exponentials finite, and has no part in the gradient.
    let largest = scores.max_keepdim(D::Minus1)?.detach();
    let shares = scores.broadcast_sub(&largest)?.exp()?;
    shares.broadcast_div(&shares.sum_keepdim(D::Minus1)?)
}
