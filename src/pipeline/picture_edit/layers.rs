//! A picture as painters get it, which is without alpha, and the way back.

use benchtop_model::{Error, Result};
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::edit::{Mask, Ratio, Weights, outpaint};
use image::{DynamicImage, RgbImage, RgbaImage};

/// The colors and the alpha of a picture.
pub(super) struct Layers {
    /// The colors as they are, also where nothing of them is seen.
    pub rgb: RgbImage,
    /// The picture on white, as a painter gets it.
    pub seen: RgbImage,
    /// One byte per pixel; `None` if all are opaque.
    alpha: Option<Vec<u8>>,
}

impl Layers {
    pub(super) fn new(picture: &DecodedImage) -> Layers {
        let rgb = picture.pixels().to_rgb8();
        let alpha = match picture.pixels() {
            DynamicImage::ImageRgba8(rgba) => Some(rgba.pixels().map(|p| p.0[3]).collect()),
            _ => None,
        };
        let alpha: Option<Vec<u8>> = alpha.filter(|a: &Vec<u8>| a.iter().any(|a| *a != u8::MAX));
        let mut seen = rgb.clone();
        for (pixel, alpha) in seen.pixels_mut().zip(alpha.iter().flatten()) {
            let share = u32::from(*alpha);
            let on_white = |value: u8| (u32::from(value) * share + 255 * (255 - share) + 127) / 255;
            pixel.0 = pixel.0.map(|value| on_white(value) as u8);
        }
        Layers { rgb, seen, alpha }
    }

    /// The picture in the middle of a larger one, and its place there.
    pub(super) fn extended(&self, ratio: Ratio) -> Result<(Layers, Mask, (u32, u32))> {
        let seen = outpaint(&self.seen, ratio)?;
        let rgb = match self.alpha {
            Some(_) => outpaint(&self.rgb, ratio)?.image,
            None => seen.image.clone(),
        };
        let (width, height) = self.rgb.dimensions();
        let (left, top) = seen.at;
        let alpha = self.alpha.as_ref().map(|alpha| {
            let (wide, high) = rgb.dimensions();
            let mut larger = vec![u8::MAX; wide as usize * high as usize];
            for row in 0..height as usize {
                let to = (top as usize + row) * wide as usize + left as usize;
                let from = row * width as usize;
                larger[to..to + width as usize]
                    .copy_from_slice(&alpha[from..from + width as usize]);
            }
            larger
        });
        let layers = Layers {
            rgb,
            seen: seen.image,
            alpha,
        };
        Ok((layers, seen.mask, seen.at))
    }

    /// The edited picture with these colors. What is painted is opaque.
    pub(super) fn with_alpha(&self, rgb: RgbImage, weights: &Weights) -> Result<DecodedImage> {
        let Some(alpha) = &self.alpha else {
            return Ok(DecodedImage::new(rgb.into()));
        };
        let size = rgb.dimensions();
        let mut bytes = Vec::with_capacity(alpha.len() * 4);
        for ((pixel, alpha), weight) in rgb.pixels().zip(alpha).zip(weights.bytes()) {
            let (alpha, weight) = (u32::from(*alpha), u32::from(*weight));
            bytes.extend(pixel.0);
            bytes.push(((alpha * (255 - weight) + 255 * weight + 127) / 255) as u8);
        }
        let rgba = RgbaImage::from_raw(size.0, size.1, bytes)
            .ok_or_else(|| Error::failed("the edited picture has the wrong size"))?;
        Ok(DecodedImage::new(rgba.into()))
    }
}
