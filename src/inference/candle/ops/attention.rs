//! Attention: a fused kernel on a GPU if there is one, else sliced products and a softmax.

use candle_core::{DType, Result, Tensor};

use super::Limits;

/// Keys and values, prepared for [`attention`].
#[derive(Clone, Debug)]
pub struct KeysValues(Form);

#[derive(Clone, Debug)]
enum Form {
    /// f32 `[b, heads, d, tokens]` and `[b, heads, tokens, d]`, for products.
    Split { keys: Tensor, values: Tensor },
    /// Unchanged, for the kernel.
    #[cfg(feature = "cuda")]
    Rows {
        keys: Tensor,
        values: Tensor,
        heads: usize,
    },
}

impl KeysValues {
    /// Prepares projections `[b, tokens, heads * d]`, which may be slices of a wider matrix.
    pub fn new(keys: &Tensor, values: &Tensor, heads: usize) -> Result<KeysValues> {
        #[cfg(feature = "cuda")]
        if super::cuda::fuses(keys, heads) && super::cuda::fuses(values, heads) {
            return Ok(KeysValues(Form::Rows {
                keys: keys.clone(),
                values: values.clone(),
                heads,
            }));
        }
        let split = |t: &Tensor| t.reshape((t.dim(0)?, t.dim(1)?, heads, t.dim(2)? / heads));
        let keys = split(keys)?
            .permute((0, 2, 3, 1))?
            .to_dtype(DType::F32)?
            .contiguous()?;
        let values = split(values)?
            .permute((0, 2, 1, 3))?
            .to_dtype(DType::F32)?
            .contiguous()?;
        Ok(KeysValues(Form::Split { keys, values }))
    }
}

/// Scaled dot-product attention (Vaswani et al. 2017) of `q` (`[b, tokens, heads * d]`, may be a
/// slice of a wider matrix), with a result of the same shape. Scores are always f32, as
/// `upcast_attention` requires. Without the kernel, queries are processed in slices: 4 MiB of
/// scores of one head, or 256 queries, on a CPU; 256 MiB on a GPU.
pub fn attention(q: &Tensor, kv: &KeysValues) -> Result<Tensor> {
    match &kv.0 {
        Form::Split { keys, values } => within(q, keys, values, Limits::of(q.device())),
        #[cfg(feature = "cuda")]
        Form::Rows {
            keys,
            values,
            heads,
        } => super::cuda::attention(q, keys, values, *heads),
    }
}

fn within(q: &Tensor, keys: &Tensor, values: &Tensor, limits: Limits) -> Result<Tensor> {
    let (b, tokens, width) = q.dims3()?;
    let (_, heads, d, count) = keys.dims4()?;
    let split = q
        .reshape((b, tokens, heads, d))?
        .transpose(1, 2)?
        .to_dtype(DType::F32)?;
    let split = (split.contiguous()? * (d as f64).powf(-0.5))?.flatten_to(1)?;
    let (keys, values) = (keys.flatten_to(1)?, values.flatten_to(1)?);
    let queries = (limits.scores / (4 * count))
        .max(limits.queries)
        .clamp(1, tokens);
    let together = (limits.scores / (4 * count * queries))
        .clamp(1, limits.heads)
        .min(b * heads);
    let mut groups = Vec::new();
    for head in (0..b * heads).step_by(together) {
        let some = |t: &Tensor| t.narrow(0, head, together.min(b * heads - head));
        let (split, keys, values) = (some(&split)?, some(&keys)?, some(&values)?);
        let mut parts = Vec::new();
        for from in (0..tokens).step_by(queries) {
            let some = split
                .narrow(1, from, queries.min(tokens - from))?
                .contiguous()?;
            parts.push(candle_nn::ops::softmax_last_dim(&some.matmul(&keys)?)?.matmul(&values)?);
        }
        groups.push(Tensor::cat(&parts, 1)?);
    }
    let all = Tensor::cat(&groups, 0)?.reshape((b, heads, tokens, d))?;
    all.transpose(1, 2)?
        .to_dtype(q.dtype())?
        .reshape((b, tokens, width))
}

#[cfg(test)]
mod tests;
