//! The operations with their parameters. [`dispatch`](super::dispatch) makes each one a custom
//! operation of candle.

use std::ops::Range;

use candle_core::Tensor;

use super::window::Window;

/// Gathers the inputs of a 3x3 convolution: `[b, h, w, c]` to `[rows, 9 c]`, for a range of output
/// positions.
pub(super) struct Patches {
    pub window: Window,
    pub rows: Range<usize>,
}

/// Nearest-neighbor scaling.
pub(super) struct Upsample {
    pub high: usize,
    pub wide: usize,
}

/// `y += bias` (+ residual) in place, or `part + bias` (+ residual) written to `y` from row
/// `first`. The residual has `y`'s size.
pub(super) struct Bias<'a> {
    pub residual: Option<&'a Tensor>,
    pub first: usize,
}

/// `x * gelu(gate)` of `[..., 2 n]` plus a bias.
pub(super) struct Geglu;

/// Group normalization over `[b, ..., c]`, followed by SiLU if `silu`.
pub(super) struct GroupNorm {
    pub groups: usize,
    pub eps: f64,
    pub silu: bool,
}

/// Normalization over the last axis.
pub(super) struct LayerNorm {
    pub eps: f64,
}
