//! The start of each kernel of `kernels/`: its name, grid, and scalars. Used on a GPU and by the
//! tests that run the kernels on a CPU, so that the tests cover it too. Independent of CUDA.

use std::ops::Range;

use candle_core::{DType, Result, bail};

use super::window::Window;

/// Threads per block, except for attention and moments.
const BLOCK: u32 = 256;

/// Bytes of shared memory that every GPU has per block by default.
const SHARED: usize = 48 << 10;

/// Maximum number of blocks along the grid's axes, except the first.
const AXIS: usize = 65_535;

/// Head widths with an attention kernel.
pub(super) const HEADS: [usize; 5] = [40, 64, 80, 128, 160];

/// A scalar argument, after the arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    /// `unsigned`.
    Whole(u32),
    /// `float`.
    Real(f32),
}

/// The start of a kernel. Arrays come before the scalars; each function here documents its arrays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Launch {
    /// File in `kernels/`, without extension.
    pub module: &'static str,
    pub name: String,
    /// Blocks along x and y.
    pub grid: [u32; 2],
    /// Threads per block.
    pub block: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments after the arrays.
    pub scalars: Vec<Scalar>,
}

impl Launch {
    fn new(
        module: &'static str,
        name: String,
        grid: [usize; 2],
        scalars: &[Number],
    ) -> Result<Launch> {
        if grid[1] > AXIS {
            bail!("{name}: a batch of {} is too large for a GPU", grid[1]);
        }
        let scalar = |n: &Number| -> Result<Scalar> {
            Ok(match n {
                Number::Whole(n) => Scalar::Whole(whole(*n)?),
                Number::Real(x) => Scalar::Real(*x),
            })
        };
        let scalars = scalars.iter().map(scalar).collect::<Result<_>>()?;
        Ok(Launch {
            module,
            name,
            grid: [whole(grid[0])?, whole(grid[1])?],
            block: BLOCK,
            shared: 0,
            scalars,
        })
    }
}

enum Number {
    Whole(usize),
    Real(f32),
}

impl From<usize> for Number {
    fn from(n: usize) -> Number {
        Number::Whole(n)
    }
}

impl From<f32> for Number {
    fn from(x: f32) -> Number {
        Number::Real(x)
    }
}

macro_rules! numbers {
    ($($n:expr),* $(,)?) => { &[$(Number::from($n)),*] };
}

/// Checks that a count fits the kernels' 32-bit arithmetic, with room for steps past the end.
fn whole(n: usize) -> Result<u32> {
    match u32::try_from(n) {
        Ok(n) if n <= i32::MAX as u32 => Ok(n),
        _ => bail!("{n} is too large for a kernel"),
    }
}

/// The suffix of a kernel's name, and the numbers per access: 16 bytes if rows of `n` are divisible
/// and all arrays are `aligned`.
fn typed(dtype: DType, n: usize, aligned: bool) -> Result<(&'static str, usize)> {
    Ok(match (dtype, aligned) {
        (DType::F32, true) if n.is_multiple_of(4) => ("f32v", 4),
        (DType::F32, _) => ("f32", 1),
        (DType::F16, true) if n.is_multiple_of(8) => ("f16v", 8),
        (DType::F16, _) => ("f16", 1),
        (other, _) => bail!(
            "{} tensors are not supported, only f32 and f16",
            other.as_str()
        ),
    })
}

/// For kernels that only copy: the bytes per access.
fn moved(dtype: DType, c: usize, aligned: bool) -> Result<(usize, usize)> {
    let (_, at_once) = typed(dtype, c, aligned)?;
    Ok((at_once * dtype.size_in_bytes(), at_once))
}

/// x, y: gathered rows of pictures `[_, h, w, c]`.
pub(super) fn patches(
    dtype: DType,
    aligned: bool,
    (h, w, c): (usize, usize, usize),
    window: Window,
    rows: &Range<usize>,
) -> Result<Launch> {
    let (bytes, at_once) = moved(dtype, c, aligned)?;
    let c = c / at_once;
    let each = (BLOCK as usize / (9 * c)).max(1);
    let Window { stride, before, .. } = window;
    let (high, wide) = (window.out(h), window.out(w));
    let scalars = numbers![
        h,
        w,
        c,
        high,
        wide,
        stride,
        before,
        rows.start,
        rows.len(),
        each
    ];
    whole(rows.end)?;
    Launch::new(
        "copy",
        format!("patches_{bytes}"),
        [rows.len().div_ceil(each), 1],
        scalars,
    )
}

/// x, y: `b` pictures of `h` x `w` scaled to `high` x `wide`.
pub(super) fn upsample(
    dtype: DType,
    aligned: bool,
    (b, h, w, c): (usize, usize, usize, usize),
    (high, wide): (usize, usize),
) -> Result<Launch> {
    let (bytes, at_once) = moved(dtype, c, aligned)?;
    let c = c / at_once;
    let (down, across) = (h as f32 / high as f32, w as f32 / wide as f32);
    let share = whole(wide * c)?.div_ceil(4 * BLOCK) as usize;
    let scalars = numbers![h, w, c, high, wide, down, across];
    Launch::new(
        "copy",
        format!("upsample_{bytes}"),
        [b * high, share.min(AXIS)],
        scalars,
    )
}

/// The number of blocks for `total` packs, with a few packs per thread.
fn blocks(total: usize) -> usize {
    total.div_ceil(2 * BLOCK as usize)
}

/// y, x, bias, residual: rows of `n` from row `first`. Each bias is shared by `per` rows.
pub(super) fn bias(
    dtype: DType,
    aligned: bool,
    (rows, n): (usize, usize),
    per: usize,
    first: usize,
) -> Result<Launch> {
    let (name, at_once) = typed(dtype, n, aligned)?;
    let (n, total) = (n / at_once, rows * n / at_once);
    whole(first + rows)?;
    Launch::new(
        "pointwise",
        format!("bias_{name}"),
        [blocks(total), 1],
        numbers![total, n, per, first],
    )
}

/// x, bias, y: rows of twice `n` to rows of `n`.
pub(super) fn geglu(dtype: DType, aligned: bool, rows: usize, n: usize) -> Result<Launch> {
    let (name, at_once) = typed(dtype, n, aligned)?;
    let (n, total) = (n / at_once, rows * n / at_once);
    Launch::new(
        "pointwise",
        format!("geglu_{name}"),
        [blocks(total), 1],
        numbers![total, n],
    )
}

/// The three kernels of a group norm, and the sizes of their intermediate results.
#[derive(Debug)]
pub(super) struct GroupNormLaunch {
    /// x, partial.
    pub sums: Launch,
    /// x, partial, moments.
    pub moments: Launch,
    /// x, moments, weight, bias, y.
    pub apply: Launch,
    /// Number of f32 in `partial`.
    pub partial: usize,
    /// Number of f32 in `moments`.
    pub kept: usize,
}

/// Group norm of `[b, rows, c]`.
pub(super) fn group_norm(
    dtype: DType,
    aligned: bool,
    (b, rows, c): (usize, usize, usize),
    groups: usize,
    eps: f64,
    silu: bool,
) -> Result<GroupNormLaunch> {
    if groups == 0 || !c.is_multiple_of(groups) || rows == 0 {
        bail!("group norm: {c} channels are not divisible into {groups} groups");
    }
    let (name, at_once) = typed(dtype, c, aligned)?;
    let plain = typed(dtype, 1, false)?.0;
    let shared = 2 * c * size_of::<f32>();
    if shared > SHARED {
        bail!("group norm: {c} channels are too many for a GPU");
    }
    let packs = c / at_once;
    let lanes = (BLOCK as usize / packs).clamp(1, 8);
    // 8192 numbers per block, but at most 1024 chunks for the second kernel to sum.
    let each = (8192 / c).max(lanes).max(rows.div_ceil(1024));
    let chunks = rows.div_ceil(each);
    let scalars = numbers![rows, packs, groups, each, lanes];
    let mut sums = Launch::new("norm", format!("group_sums_{name}"), [chunks, b], scalars)?;
    sums.shared = whole(shared)?;
    let scalars = numbers![rows, c, groups, chunks, eps as f32];
    let mut moments = Launch::new(
        "norm",
        format!("group_moments_{plain}"),
        [groups, b],
        scalars,
    )?;
    moments.block = 64;
    let scalars = numbers![rows, packs, groups, each, lanes, usize::from(silu)];
    let apply = Launch::new("norm", format!("group_apply_{name}"), [chunks, b], scalars)?;
    Ok(GroupNormLaunch {
        sums,
        moments,
        apply,
        partial: b * chunks * groups * 2,
        kept: b * groups * 2,
    })
}

/// x, weight, bias, y: rows of `c`.
pub(super) fn layer_norm(
    dtype: DType,
    aligned: bool,
    (rows, c): (usize, usize),
    eps: f64,
) -> Result<Launch> {
    let (name, at_once) = typed(dtype, c, aligned)?;
    let grid = [rows.div_ceil(BLOCK as usize / 32), 1];
    Launch::new(
        "norm",
        format!("layer_norm_{name}"),
        grid,
        numbers![rows, c / at_once, eps as f32],
    )
}

/// The strides of an input of attention, in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// From row to row.
    pub row: usize,
    /// From picture to picture.
    pub batch: usize,
}

impl Rows {
    /// True if the kernel supports the strides: it copies 16 bytes (8 numbers) at a time.
    pub fn fit(self) -> bool {
        self.row.is_multiple_of(8) && self.batch.is_multiple_of(8)
    }
}

/// q, k, v, y: f16 attention of `tokens` queries to `keys` keys, `heads` of width `d`.
pub(super) fn attention(
    (b, heads, d): (usize, usize, usize),
    (tokens, keys): (usize, usize),
    inputs: [Rows; 3],
) -> Result<Launch> {
    if !HEADS.contains(&d) || inputs.iter().any(|rows| !rows.fit()) || keys == 0 {
        bail!("attention: no kernel for heads of {d}, {keys} keys, and the strides {inputs:?}");
    }
    let [q, k, v] = inputs;
    let scale = (d as f64).powf(-0.5) as f32;
    let scalars = numbers![
        tokens, keys, heads, q.row, q.batch, k.row, k.batch, v.row, v.batch, scale
    ];
    let mut launch = Launch::new(
        "attention",
        format!("attention_{d}"),
        [tokens.div_ceil(64), b * heads],
        scalars,
    )?;
    launch.block = 128;
    Ok(launch)
}
