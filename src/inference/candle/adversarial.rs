//! Adversarial pictures by projected gradient descent (Madry et al. 2018): a picture is changed by at
//! most eps gray levels per value, so that CLIP finds that it fits its text less well.
//!
//! The gradient goes through the resize, the crop, the normalization, and the picture encoder. It
//! ignores that [`Preprocessor`](crate::preprocess::Preprocessor) rounds to bytes on the way. The
//! scores before and after are computed on the rounded pictures, as the filter computes them.

use std::path::Path;

use candle_core::{Device, Tensor, Var};

use super::clip::Clip;
use super::pipeline::wrong;
use super::scorer::{ClipScorer, Options, cosine, refused};
use crate::preprocess::Linear;
use benchtop_model::cancel::Cancel;
use benchtop_model::error::{Error, Result};
use benchtop_model::generation::{Failure, FailureKind, Fingerprint, Pixels};
use benchtop_model::rng::Stream;

/// The version of the code. It changes when the same picture, text, and settings give other bytes.
pub const VERSION: u32 = 1;

/// Greatest number of steps.
const MOST_STEPS: u32 = 1000;

/// The settings of an attack. Lengths are gray levels, of 255.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The most that a value may change.
    pub eps: f32,
    /// Length of a step.
    pub alpha: f32,
    pub steps: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            eps: 8.,
            alpha: 2.,
            steps: 10,
        }
    }
}

impl Settings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::input`] with the field.
    pub fn check(&self) -> Result<()> {
        for (field, value) in [("eps", self.eps), ("alpha", self.alpha)] {
            // Below 1, rounding to bytes undoes every change.
            if !(1. ..=255.).contains(&value) {
                let what = format!("{value} is not a number of gray levels from 1 to 255");
                return Err(Error::input(what).field(field));
            }
        }
        if !(1..=MOST_STEPS).contains(&self.steps) {
            let what = format!("{} is not a number from 1 to {MOST_STEPS}", self.steps);
            return Err(Error::input(what).field("steps"));
        }
        Ok(())
    }
}

/// A changed picture, with its score before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Attacked {
    pub picture: Pixels,
    /// Cosine of the original and the text.
    pub before: f32,
    /// Cosine of the changed picture and the text.
    pub after: f32,
}

/// A CLIP model that pictures are changed against: the proxy of the models that are examined later.
pub struct Attacker {
    proxy: ClipScorer,
}

impl Attacker {
    /// Loads the CLIP model in `folder` for the CPU.
    ///
    /// # Errors
    /// As [`ClipScorer::open`]. SigLIP models are refused.
    pub fn open(folder: &Path) -> Result<Attacker> {
        Ok(Attacker {
            proxy: ClipScorer::open(folder, &Options::cpu())?,
        })
    }

    /// Everything that decides the scores and the gradients of the proxy: its parts `model` and
    /// `weights` are name and hash.
    pub fn fingerprint(&self) -> Fingerprint {
        self.proxy.fingerprint.clone().with("adversarial", VERSION)
    }

    /// Lowers the score of `picture` and `text`, from a random start that `seed` decides. The alpha
    /// of a picture is not part of it.
    ///
    /// # Errors
    /// Invalid pictures, settings, and texts; numbers of the model that are not finite; cancellation.
    pub fn attack(
        &self,
        picture: &Pixels,
        text: &str,
        settings: &Settings,
        seed: u64,
        cancel: Cancel<'_>,
    ) -> std::result::Result<Attacked, Failure> {
        settings.check().map_err(wrong)?;
        let mut descent = self.descent(picture, text, settings, seed, cancel)?;
        for _ in 0..settings.steps {
            if cancel.is_canceled() {
                return Err(Failure::cancelled());
            }
            descent.step()?;
        }
        let (changed, text) = (descent.rounded(), descent.embedded);
        let pictures = [picture.clone(), changed];
        let mut embedded = self.proxy.embedded(&pictures, &[0, 1], cancel);
        let mut score = |at| {
            let picture = embedded.remove(&at);
            let picture = picture.unwrap_or_else(|| Err(bad("the model returned no embedding")))?;
            Ok::<f32, Failure>(cosine(&picture, &text))
        };
        let (before, after) = (score(0)?, score(1)?);
        let [_, picture] = pictures;
        Ok(Attacked {
            picture,
            before,
            after,
        })
    }

    /// The steps of an attack, one at a time.
    ///
    /// # Errors
    /// As [`attack`](Attacker::attack).
    pub fn descent(
        &self,
        picture: &Pixels,
        text: &str,
        settings: &Settings,
        seed: u64,
        cancel: Cancel<'_>,
    ) -> std::result::Result<Descent<'_>, Failure> {
        let linear = self.proxy.input.preprocessor.linear(picture);
        let input = Input::new(&linear.map_err(wrong)?, picture).map_err(refused)?;
        let (text, _) = self
            .proxy
            .texts(vec![text], cancel)
            .remove(text)
            .unwrap_or_else(|| Err(bad("the model returned no embedding")))?;
        let embedded = text;
        let text = Tensor::from_slice(&embedded, embedded.len(), &Device::Cpu).map_err(refused)?;
        let mut stream = Stream::new(seed);
        let values = picture.rgb.iter().map(|byte| {
            // 24 bits, as many as an f32 has.
            let share = (stream.next() >> 40) as f32 / (1u32 << 24) as f32;
            (f32::from(*byte) + (share * 2. - 1.) * settings.eps).clamp(0., 255.)
        });
        Ok(Descent {
            values: values.collect(),
            clean: picture.clone(),
            towers: &self.proxy.towers,
            input,
            text,
            embedded,
            settings: *settings,
        })
    }
}

/// A running attack: the values of a picture, and what the next step needs.
pub struct Descent<'a> {
    /// Gray levels, which are not rounded, in the order of [`Pixels::rgb`].
    values: Vec<f32>,
    clean: Pixels,
    towers: &'a Clip,
    input: Input,
    /// The normalized embedding of the text.
    text: Tensor,
    /// Its numbers.
    embedded: Vec<f32>,
    settings: Settings,
}

impl Descent<'_> {
    /// Gray levels, which are not rounded, in the order of [`Pixels::rgb`].
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The score, and its gradient with respect to [`values`](Descent::values).
    ///
    /// # Errors
    /// [`FailureKind::BadOutput`]: the model returned numbers that are not finite.
    pub fn gradient(&self) -> std::result::Result<(f32, Vec<f32>), Failure> {
        let compute = || -> candle_core::Result<(f32, Option<Vec<f32>>)> {
            let (high, wide) = (self.clean.height as usize, self.clean.width as usize);
            let values = Tensor::from_slice(&self.values, (high, wide, 3), &Device::Cpu)?;
            let values = Var::from_tensor(&values)?;
            let picture = self.towers.differentiable(&self.input.planes(&values)?)?;
            let picture = picture.flatten_all()?;
            let length = picture.sqr()?.sum_all()?.sqrt()?;
            let score = ((&picture * &self.text)?.sum_all()? / length)?;
            let gradient = match score.backward()?.get(&values) {
                Some(gradient) => Some(gradient.flatten_all()?.to_vec1()?),
                None => None,
            };
            Ok((score.to_scalar()?, gradient))
        };
        let (score, gradient) = compute().map_err(refused)?;
        let gradient = gradient.ok_or_else(|| bad("the model has no gradient"))?;
        match score.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            true => Ok((score, gradient)),
            false => Err(bad("the model returned NaN or infinite numbers")),
        }
    }

    /// One step against the sign of the gradient, and back into the range that `eps` allows.
    ///
    /// # Errors
    /// As [`gradient`](Descent::gradient).
    pub fn step(&mut self) -> std::result::Result<(), Failure> {
        let (_, gradient) = self.gradient()?;
        let Settings { eps, alpha, .. } = self.settings;
        let clean = self.clean.rgb.iter().map(|byte| f32::from(*byte));
        for ((value, slope), clean) in self.values.iter_mut().zip(gradient).zip(clean) {
            // The sign of 0 is 0.
            let sign = f32::from(i8::from(slope > 0.) - i8::from(slope < 0.));
            *value = (*value - alpha * sign)
                .clamp(clean - eps, clean + eps)
                .clamp(0., 255.);
        }
        Ok(())
    }

    /// The picture in bytes, within `eps` of the original.
    pub fn rounded(&self) -> Pixels {
        let most = self.settings.eps.floor();
        let values = self.values.iter().zip(&self.clean.rgb);
        let byte = |(value, clean): (&f32, &u8)| {
            let clean = f32::from(*clean);
            value
                .round()
                .clamp(clean - most, clean + most)
                .clamp(0., 255.) as u8
        };
        Pixels {
            rgb: values.map(byte).collect(),
            ..self.clean
        }
    }
}

/// The preprocessing of pictures of one size, as tensors.
struct Input {
    /// `[3, high, height]`.
    down: Tensor,
    /// `[width, wide]`.
    across: Tensor,
    rescale: f64,
    /// `[3, 1, 1]` each.
    mean: Tensor,
    deviation: Tensor,
}

impl Input {
    fn new(linear: &Linear, picture: &Pixels) -> candle_core::Result<Input> {
        let matrix = |rows: &[Vec<f32>], columns: u32| {
            Tensor::from_vec(rows.concat(), (rows.len(), columns as usize), &Device::Cpu)
        };
        let down = matrix(&linear.down, picture.height)?;
        let (mean, deviation) = &linear.normalize;
        let channels = |three: &[f32; 3]| Tensor::from_slice(three, (3, 1, 1), &Device::Cpu);
        Ok(Input {
            down: down.broadcast_left(3)?.contiguous()?,
            across: matrix(&linear.across, picture.width)?.t()?.contiguous()?,
            rescale: f64::from(linear.rescale),
            mean: channels(mean)?,
            deviation: channels(deviation)?,
        })
    }

    /// The model's input `[1, 3, high, wide]` of gray levels `[height, width, 3]`.
    fn planes(&self, values: &Tensor) -> candle_core::Result<Tensor> {
        let (height, width, _) = values.dims3()?;
        let planes = values.permute((2, 0, 1))?.contiguous()?;
        let lines = planes.reshape((3 * height, width))?.matmul(&self.across)?;
        let lines = lines.reshape((3, height, self.across.dim(1)?))?;
        let cut = (self.down.matmul(&lines)? * self.rescale)?;
        cut.broadcast_sub(&self.mean)?
            .broadcast_div(&self.deviation)?
            .unsqueeze(0)
    }
}

fn bad(why: &str) -> Failure {
    Failure::new(FailureKind::BadOutput, why)
}
