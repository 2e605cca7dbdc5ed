//! The task of a painter, and the picture with what it painted.

use benchtop_model::Result;
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Init, Pixels, Settings, Task,
};
use benchtop_raster::decode::{DecodedImage, decode};
use benchtop_raster::edit::{Canvas, PainterSizes, Weights};
use image::RgbImage;

use super::edit::Edit;
use super::layers::Layers;
use crate::generate::check::check;

/// The shorter side over the width of a soft edge.
const PART: u32 = 64;
/// The narrowest soft edge, in pixels.
const LEAST: u32 = 2;

/// An edit that is ready for a painter.
pub struct Prepared {
    layers: Layers,
    canvas: Canvas,
    weights: Weights,
    /// What the mask grows by, and the width of its soft edge, in pixels.
    pub edge: (u32, u32),
    /// The place of the source in the result, and the size of the result.
    pub at: (u32, u32),
    pub size: (u32, u32),
    pub task: Task,
}

impl Prepared {
    /// Prepares an edit of a picture for a painter. `bytes` are the file of the picture.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] for a picture that cannot be read, an edit that does not fit it, and a result
    /// that would be too large.
    pub fn new(
        bytes: &[u8],
        edit: &Edit,
        (prompt, negative_prompt, seed): (&str, Option<&str>, u64),
        painter: &Capabilities,
    ) -> Result<Prepared> {
        let source = Layers::new(&decode(bytes)?);
        let (width, height) = source.rgb.dimensions();
        edit.check(prompt)?;
        let feather = (width.min(height) / PART).max(LEAST);
        let (layers, mask, at, grow) = match edit {
            Edit::Extend { ratio } => {
                let (layers, mask, at) = source.extended(*ratio)?;
                (layers, mask, at, 0)
            }
            Edit::Add { .. } | Edit::Remove { .. } => {
                let mask = edit.mask((width, height))?;
                (source, mask, (0, 0), feather)
            }
        };
        let weights = mask.soften(grow, feather);
        // What is seen through the soft edge is painted, too.
        let painted = mask.grown(grow + feather);
        let canvas = Canvas::new(&layers.seen, &painted, PainterSizes::from(painter))?;
        let size = layers.rgb.dimensions();
        let task = Task {
            prompt: prompt.into(),
            negative_prompt: negative_prompt.map(str::to_string),
            seed,
            init: Some(init(&canvas)),
            ..Task::default()
        };
        Ok(Prepared {
            layers,
            canvas,
            weights,
            edge: (grow, feather),
            at,
            size,
            task,
        })
    }

    /// The settings of the painter with the size of this edit.
    pub fn settings(&self, of: &Settings) -> Settings {
        let (width, height) = self.canvas.image.dimensions();
        Settings {
            width,
            height,
            ..of.clone()
        }
    }

    /// The share of the result that may differ from the source.
    pub fn repainted(&self) -> f64 {
        let weights = self.weights.bytes();
        let repainted = weights.iter().filter(|weight| **weight != 0).count();
        repainted as f64 / weights.len() as f64
    }

    /// A digest of the picture and the mask that the painter gets.
    pub fn start(&self) -> String {
        let mut digest = blake3::Hasher::new();
        digest.update(&self.canvas.image.width().to_le_bytes());
        digest.update(self.canvas.image.as_raw());
        digest.update(self.canvas.mask.bytes());
        digest.finalize().to_hex()[..16].to_string()
    }

    /// Puts what was painted back into the picture.
    ///
    /// # Errors
    /// [`FailureKind::BadOutput`] for a picture of another size or of one color, and for one that
    /// changes nothing.
    pub fn finish(&self, painted: Pixels) -> std::result::Result<DecodedImage, Failure> {
        let bad = |what: String| Failure::new(FailureKind::BadOutput, what);
        let (width, height) = self.canvas.image.dimensions();
        let asked = Settings {
            width,
            height,
            steps: 0,
            guidance: 0.0,
            scheduler: benchtop_model::generation::Scheduler::Euler,
        };
        check(&painted, &asked)?;
        let painted = RgbImage::from_raw(width, height, painted.rgb)
            .ok_or_else(|| bad("the painted picture has too few bytes".into()))?;
        let rgb = self
            .canvas
            .paste(&self.layers.rgb, &painted, &self.weights)
            .map_err(|problem| bad(problem.to_string()))?;
        if rgb == self.layers.rgb {
            return Err(bad("the painter changed nothing".into()));
        }
        let edited = self.layers.with_alpha(rgb, &self.weights);
        edited.map_err(|problem| bad(problem.to_string()))
    }
}

fn init(canvas: &Canvas) -> Init {
    let (image, mask) = (&canvas.image, &canvas.mask);
    Init {
        image: Pixels {
            width: image.width(),
            height: image.height(),
            rgb: image.as_raw().clone(),
        },
        mask: Some(mask.bytes().to_vec()),
        strength: 1.0,
    }
}
