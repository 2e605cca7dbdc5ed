//! Fused attention on the GPU.

use candle_core::backend::BackendStorage;
use candle_core::op::BackpropOp;
use candle_core::{DType, Layout, Result, Storage, Tensor, bail};

use super::super::launch::{self, HEADS, Rows};
use super::{room, start, start_kernel, target};

/// The strides of `t` (`[b, tokens, width]`), if the attention kernel supports them.
fn rows(t: &Tensor) -> Option<Rows> {
    let [batch, row, 1] = *t.stride() else {
        return None;
    };
    let rows = Rows { row, batch };
    (rows.fit() && t.layout().start_offset().is_multiple_of(8)).then_some(rows)
}

/// True if the attention kernel supports `t` (`[b, tokens, heads * d]`) as queries, keys, or
/// values.
pub(in super::super) fn fuses(t: &Tensor, heads: usize) -> bool {
    let width = t.dims().last().copied().unwrap_or_default();
    t.device().is_cuda()
        && t.dtype() == DType::F16
        && HEADS.contains(&(width / heads.max(1)))
        && rows(t).is_some()
}

/// Attention with the kernel, for keys and values that [`fuses`] accepts. Queries are made
/// contiguous if needed.
pub(in super::super) fn attention(
    q: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    heads: usize,
) -> Result<Tensor> {
    let q = if fuses(q, heads) {
        q.clone()
    } else {
        q.contiguous()?
    };
    let ((b, tokens, width), (b2, count, width2)) = (q.dims3()?, keys.dims3()?);
    if values.dims() != keys.dims() || b != b2 || width != width2 || width % heads != 0 {
        bail!(
            "attention: the shapes {:?}, {:?} and {:?} do not match",
            q.dims(),
            keys.dims(),
            values.dims()
        );
    }
    let inputs = [&q, keys, values];
    let (Some(q_rows), Some(k_rows), Some(v_rows)) = (rows(&q), rows(keys), rows(values)) else {
        bail!("attention: no kernel for {:?} in {heads} heads", q.dims());
    };
    let launch = launch::attention(
        (b, heads, width / heads),
        (tokens, count),
        [q_rows, k_rows, v_rows],
    )?;
    let held = inputs.map(Tensor::storage_and_layout);
    let mut cards = Vec::new();
    for (storage, layout) in &held {
        match &**storage {
            Storage::Cuda(storage) if storage.dtype() == DType::F16 => {
                cards.push((storage, *layout))
            }
            _ => bail!("attention: expected f16 tensors on one GPU"),
        }
    }
    let device = cards[0].0.device.clone();
    let mut out = room(&device, DType::F16, b * tokens * width)?;
    let stream = device.cuda_stream();
    {
        let places = cards
            .iter()
            .map(|given| start(*given, &stream))
            .collect::<Result<Vec<_>>>()?;
        let y = target(&mut out, &Layout::contiguous((b, tokens, width)), &stream)?;
        // SAFETY: three f16 tensors of b pictures with these strides, and y contiguous [b, tokens,
        // width].
        unsafe { start_kernel(&device, &launch, &[&places[0], &places[1], &places[2], &y]) }?;
    }
    Ok(Tensor::from_storage(
        Storage::Cuda(out),
        (b, tokens, width),
        BackpropOp::none(),
        false,
    ))
}
