//! Runs large pictures through a VAE in overlapping, blended tiles, as diffusers' `enable_tiling`,
//! so that the memory does not depend on the size of the picture. The result is close to the result
//! without tiles, but not equal.

use candle_core::{Result, Tensor, bail};

/// The side of a tile before and after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    pub from: usize,
    pub to: usize,
}

impl Tiles {
    /// Runs `pass` over the tiles of `x` (`[b, h, w, c]`) and joins the results. Neighboring tiles
    /// overlap by a quarter.
    pub fn run(self, x: &Tensor, pass: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        let (_, h, w, _) = x.dims4()?;
        let step = self.from - self.from / 4;
        let blend = self.to / 4;
        let keep = self.to - blend;
        let mut above: Vec<Tensor> = Vec::new();
        let mut rows = Vec::new();
        for top in (0..h).step_by(step) {
            let mut row: Vec<Tensor> = Vec::new();
            let mut kept = Vec::new();
            for (column, left) in (0..w).step_by(step).enumerate() {
                let tile = x.narrow(1, top, self.from.min(h - top))?.narrow(
                    2,
                    left,
                    self.from.min(w - left),
                )?;
                let mut tile = pass(&tile.contiguous()?)?;
                // Blended with the neighbors after their own blending, because diffusers blends in
                // place.
                if let Some(above) = above.get(column) {
                    tile = blended(above, &tile, blend, 1)?;
                }
                if let Some(left) = row.last() {
                    tile = blended(left, &tile, blend, 2)?;
                }
                let (high, wide) = (tile.dim(1)?.min(keep), tile.dim(2)?.min(keep));
                kept.push(tile.narrow(1, 0, high)?.narrow(2, 0, wide)?);
                row.push(tile);
            }
            rows.push(Tensor::cat(&kept, 2)?);
            above = row;
        }
        Tensor::cat(&rows, 1)
    }
}

/// Fades the first `extent` positions of `tile` along `axis` in from the last ones of `before`.
fn blended(before: &Tensor, tile: &Tensor, extent: usize, axis: usize) -> Result<Tensor> {
    let (had, has) = (before.dim(axis)?, tile.dim(axis)?);
    let extent = extent.min(had).min(has);
    let across = 3 - axis;
    if extent == 0 || before.dim(across)? != tile.dim(across)? {
        if extent == 0 {
            return Ok(tile.clone());
        }
        bail!(
            "tiles of {:?} and {:?} do not match",
            before.dims(),
            tile.dims()
        );
    }
    let weights: Vec<f32> = (0..extent).map(|at| at as f32 / extent as f32).collect();
    let mut shape = [1; 4];
    shape[axis] = extent;
    let weights = Tensor::from_vec(weights, &shape, tile.device())?.to_dtype(tile.dtype())?;
    let old = before
        .narrow(axis, had - extent, extent)?
        .broadcast_mul(&(1. - &weights)?)?;
    let new = tile.narrow(axis, 0, extent)?.broadcast_mul(&weights)?;
    Tensor::cat(
        &[&(old + new)?, &tile.narrow(axis, extent, has - extent)?],
        axis,
    )
}
