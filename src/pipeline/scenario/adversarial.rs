//! Adversarial pictures: small changes against a CLIP model, which lower the score of a picture with
//! its own prompt.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::kind::{Dealer, Dealt, Painter, Parameters, Scenario};
use super::layout::Layout;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_inference::candle::adversarial::{self, Attacker, Settings};
use benchtop_inference::hub::Hub;
use benchtop_model::cancel::{Cancel, canceled};
use benchtop_model::config::{Config, FilterModels};
use benchtop_model::derivation::{ADVERSARIAL, PROXY, SEED};
use benchtop_model::generation::{FailureKind, Pixels};
use benchtop_model::rng::Stream;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Error, Item, Result};
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::pillow::rgb;
use image::{DynamicImage, RgbImage};

/// The text that a picture is to fit less well.
const TEXT: &str = "text";
const EPS: &str = "eps";
const ALPHA: &str = "alpha";
const STEPS: &str = "steps";
/// The setting that names the model.
const MODEL: &str = "model";
/// Hash of the model's files.
const WEIGHTS: &str = "proxy-weights";
/// Cosine of picture and text.
const BEFORE: &str = "score-before";
const AFTER: &str = "score-after";

/// Limit of a text, in bytes.
const TEXT_LIMIT: usize = 8 << 10;

pub(super) struct Adversarial;

impl Scenario for Adversarial {
    fn name(&self) -> &'static str {
        ADVERSARIAL
    }

    fn version(&self) -> String {
        adversarial::VERSION.to_string()
    }

    fn parameters(
        &self,
        item: &Item,
        _: &ScenarioPlan,
        _: &CompiledMetadata,
    ) -> std::result::Result<Parameters, String> {
        match item.prompt.as_deref().map(str::trim).unwrap_or_default() {
            "" => Err("no prompt, which the attack needs as the text of the picture".into()),
            long if long.len() > TEXT_LIMIT => {
                Err(format!("their prompt is longer than {TEXT_LIMIT} bytes"))
            }
            prompt => Ok(Parameters::from_iter([(TEXT.to_string(), prompt.into())])),
        }
    }

    fn dealer(&self, plan: &ScenarioPlan) -> Result<Box<dyn Dealer>> {
        settings(plan).map(|settings| Box::new(Same(settings)) as Box<dyn Dealer>)
    }

    fn painter(&self, plan: &ScenarioPlan, config: Option<&Config>) -> Result<Box<dyn Painter>> {
        let (name, folder) = model(plan, config)?;
        let attacker = Attacker::open(&folder)?;
        let print = attacker.fingerprint();
        let weights = print.parts.get("weights").cloned().unwrap_or_default();
        Ok(Box::new(Against {
            attacker,
            name,
            weights,
        }))
    }

    fn preview(&self, plan: &ScenarioPlan, config: Option<&Config>) -> Result<Box<dyn Painter>> {
        model(plan, config).map(|_| Box::new(Noise) as Box<dyn Painter>)
    }

    /// One row: several eps.
    fn sheet(&self, plan: &ScenarioPlan, parameters: &Parameters) -> Result<Layout> {
        if !parameters.contains_key(TEXT) {
            let what = "an adversarial picture needs a text, which is the prompt of an item";
            return Err(Error::usage(what)
                .field("of")
                .help("name an item, such as --of '#12'"));
        }
        let settings = settings(plan)?;
        let all = [2., 4., 8., 16.];
        let of = |eps: &f32| {
            let mut each = parameters.clone();
            each.extend(parameters_of(&Settings {
                eps: *eps,
                ..settings
            }));
            Some(each)
        };
        Ok(Layout {
            columns: all.map(|eps| eps.to_string()).to_vec(),
            rows: vec![(EPS.into(), all.iter().map(of).collect())],
        })
    }
}

fn settings(plan: &ScenarioPlan) -> Result<Settings> {
    let steps = plan.number(STEPS);
    if steps.fract() != 0. {
        return Err(Error::usage(format!("{steps} is not a whole number")).field(STEPS));
    }
    let settings = Settings {
        eps: plan.number(EPS) as f32,
        alpha: plan.number(ALPHA) as f32,
        steps: steps as u32,
    };
    settings.check().map(|()| settings)
}

/// The name that is recorded, and the folder of the model.
fn model(plan: &ScenarioPlan, config: Option<&Config>) -> Result<(String, PathBuf)> {
    let default = || config.map_or_else(|| FilterModels::default().clip, |c| c.filter.clip.clone());
    let name = plan.settings.get(MODEL).cloned().unwrap_or_else(default);
    let folder = Hub::from_env()?.path(&name)?;
    // A path of this machine is nobody else's concern.
    let path = Path::new(&name);
    let is_folder = path.components().count() > 1 || path.is_dir();
    let last = folder.file_name().filter(|_| is_folder);
    let named = last.map(|last| last.to_string_lossy().into_owned());
    Ok((named.unwrap_or(name), folder))
}

fn parameters_of(settings: &Settings) -> Parameters {
    Parameters::from_iter([
        (EPS.to_string(), json!(settings.eps)),
        (ALPHA.to_string(), json!(settings.alpha)),
        (STEPS.to_string(), json!(settings.steps)),
    ])
}

/// Every picture gets the same settings.
struct Same(Settings);

impl Dealer for Same {
    fn at(&mut self, _: u64) -> Vec<Dealt> {
        vec![Dealt {
            suffix: String::new(),
            parameters: parameters_of(&self.0),
        }]
    }
}

fn wrong(field: &str) -> Error {
    Error::corrupt("the plan has no such value").field(field)
}

fn number(parameters: &Parameters, name: &str) -> Result<f32> {
    let number = parameters.get(name).and_then(serde_json::Value::as_f64);
    number.map(|n| n as f32).ok_or_else(|| wrong(name))
}

fn seed(parameters: &Parameters) -> Result<u64> {
    let seed = parameters.get(SEED).and_then(serde_json::Value::as_u64);
    seed.ok_or_else(|| wrong(SEED))
}

struct Against {
    attacker: Attacker,
    name: String,
    weights: String,
}

impl Painter for Against {
    fn paint(
        &self,
        picture: &DecodedImage,
        parameters: &Parameters,
        cancel: Cancel<'_>,
    ) -> Result<(DecodedImage, Parameters)> {
        let text = |name: &str| parameters.get(name).and_then(serde_json::Value::as_str);
        // Another question about the picture was derived before. All share one picture.
        if text(WEIGHTS).is_some_and(|weights| weights != self.weights) {
            let proxy = text(PROXY).unwrap_or_default();
            let what = format!("the picture was changed against `{proxy}` before");
            return Err(Error::input(what).help("use the same model with --model"));
        }
        let settings = Settings {
            eps: number(parameters, EPS)?,
            alpha: number(parameters, ALPHA)?,
            steps: number(parameters, STEPS)? as u32,
        };
        let prompt = text(TEXT).ok_or_else(|| wrong(TEXT))?;
        let pixels = rgb(picture.pixels());
        let attacked = self
            .attacker
            .attack(&pixels, prompt, &settings, seed(parameters)?, cancel)
            .map_err(|failure| match failure.kind {
                FailureKind::Cancelled => canceled(),
                _ => Error::input(failure.reason),
            })?;
        let found = Parameters::from_iter([
            (PROXY.to_string(), json!(self.name)),
            (WEIGHTS.to_string(), json!(self.weights)),
            (BEFORE.to_string(), json!(attacked.before)),
            (AFTER.to_string(), json!(attacked.after)),
        ]);
        Ok((with_alpha_of(picture, attacked.picture)?, found))
    }

    /// One at a time: a model uses all cores, and the states of a large one take gigabytes.
    fn batch(&self) -> usize {
        1
    }
}

/// Noise of the same strength, which takes about as many bytes.
struct Noise;

impl Painter for Noise {
    fn paint(
        &self,
        picture: &DecodedImage,
        parameters: &Parameters,
        _: Cancel<'_>,
    ) -> Result<(DecodedImage, Parameters)> {
        let most = number(parameters, EPS)? as i16;
        let mut stream = Stream::new(seed(parameters)?);
        let mut pixels = rgb(picture.pixels());
        for byte in &mut pixels.rgb {
            let change = stream.below(2 * most.unsigned_abs() as usize + 1) as i16 - most;
            *byte = (i16::from(*byte) + change).clamp(0, 255) as u8;
        }
        Ok((with_alpha_of(picture, pixels)?, Parameters::new()))
    }
}

/// `pixels` with the alpha of `picture`.
fn with_alpha_of(picture: &DecodedImage, pixels: Pixels) -> Result<DecodedImage> {
    let (width, height) = (pixels.width, pixels.height);
    let colors = RgbImage::from_raw(width, height, pixels.rgb)
        .ok_or_else(|| Error::failed("the picture changed its size"))?;
    Ok(DecodedImage::new(match picture.pixels() {
        DynamicImage::ImageRgba8(before) => {
            let mut after = before.clone();
            for (to, from) in after.pixels_mut().zip(colors.pixels()) {
                to.0[..3].copy_from_slice(&from.0);
            }
            after.into()
        }
        _ => colors.into(),
    }))
}
