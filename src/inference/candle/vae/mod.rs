//! The VAE, which converts between pictures and latents.

mod coder;
mod config;
#[cfg(test)]
mod tests;
mod tiling;

use candle_core::{DType, Result, Tensor, bail};
use candle_nn::VarBuilder;

pub use config::VaeConfig;

use coder::{Decoder, Encoder};
use tiling::Tiles;

/// The distribution of a picture's latent, before scaling: `[b, latent_channels, h, w]` each, f32.
#[derive(Clone, Debug)]
pub struct Moments {
    pub mean: Tensor,
    pub std: Tensor,
}

#[derive(Clone, Debug)]
pub struct Vae {
    pub config: VaeConfig,
    /// The data type of the computation.
    pub dtype: DType,
    encoder: Encoder,
    decoder: Decoder,
    /// Pictures with more pixels than this are split into tiles.
    whole: usize,
}

impl Vae {
    /// Loads the tensors from `vb`, and computes in its dtype (see [`Vae::dtype_for`]). Pictures of
    /// more than `whole` pixels are split into tiles.
    pub fn new(config: VaeConfig, whole: usize, vb: VarBuilder) -> Result<Vae> {
        let (encoder, decoder) = (Encoder::new(&config, &vb)?, Decoder::new(&config, &vb)?);
        Ok(Vae {
            dtype: vb.dtype(),
            encoder,
            decoder,
            config,
            whole,
        })
    }

    /// The data type of a VAE in a pipeline of `dtype`: f32 with `force_upcast`.
    pub fn dtype_for(config: &VaeConfig, dtype: DType) -> DType {
        if config.force_upcast {
            DType::F32
        } else {
            dtype
        }
    }

    /// Splits pictures of more than `whole` pixels into tiles.
    pub fn set_whole(&mut self, whole: usize) {
        self.whole = whole;
    }

    /// Side of a tile in pixels.
    fn tile(&self) -> Result<(usize, usize)> {
        let (side, scale) = (self.config.sample_size, self.config.scale());
        if side % scale != 0 || side / scale < 4 {
            bail!("the VAE's sample_size of {side} is too small for tiles");
        }
        Ok((side, side / scale))
    }

    /// The distribution of the latents of `pictures` (`[b, 3, h, w]` from -1 to 1, with sides that
    /// are multiples of the scale).
    pub fn encode(&self, pictures: &Tensor) -> Result<Moments> {
        let (_, _, h, w) = pictures.dims4()?;
        let x = pictures
            .to_dtype(self.dtype)?
            .permute((0, 2, 3, 1))?
            .contiguous()?;
        let y = if h * w > self.whole {
            let (side, latent) = self.tile()?;
            Tiles {
                from: side,
                to: latent,
            }
            .run(&x, |tile| self.encoder.forward(tile))?
        } else {
            self.encoder.forward(&x)?
        };
        let y = y.permute((0, 3, 1, 2))?.to_dtype(DType::F32)?.chunk(2, 1)?;
        // The bounds of diffusers' DiagonalGaussianDistribution.
        Ok(Moments {
            mean: y[0].contiguous()?,
            std: (y[1].clamp(-30f32, 20f32)? * 0.5)?.exp()?.contiguous()?,
        })
    }

    /// Samples a scaled latent from the distribution, in f32. `noise` has the latent's shape.
    pub fn sample(&self, moments: &Moments, noise: &Tensor) -> Result<Tensor> {
        (&moments.mean + (&moments.std * noise)?)? * self.config.scaling_factor
    }

    /// Decodes scaled `latents` (`[b, latent_channels, h, w]`) to pictures `[b, 3, h, w]`, in f32,
    /// about -1 to 1.
    pub fn decode(&self, latents: &Tensor) -> Result<Tensor> {
        let (_, _, h, w) = latents.dims4()?;
        let z = (latents.to_dtype(DType::F32)? / self.config.scaling_factor)?;
        let z = z
            .to_dtype(self.dtype)?
            .permute((0, 2, 3, 1))?
            .contiguous()?;
        let scale = self.config.scale();
        let x = if h * w * scale * scale > self.whole {
            let (side, latent) = self.tile()?;
            Tiles {
                from: latent,
                to: side,
            }
            .run(&z, |tile| self.decoder.forward(tile))?
        } else {
            self.decoder.forward(&z)?
        };
        x.permute((0, 3, 1, 2))?.to_dtype(DType::F32)?.contiguous()
    }
}
