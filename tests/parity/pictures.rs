//! Whole pipelines against diffusers', from `make_models.py`: latents after the last step, and pixels.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use benchtop::inference::candle::pipeline::{Loading, Pipeline};
use benchtop::inference::candle::weights::ModelFolder;
use benchtop::model::generation::{Init, Pixels, Scheduler, Settings, Task};
use candle_core::{DType, Device, Tensor};
use tempfile::TempDir;

use super::models::{data, tensors};
use super::support::{assert_close, relative_error};

const PROMPTS: [&str; 2] = [
    "a photo of the red cat on grass",
    "watercolor house and a tree",
];
const NEGATIVE: [&str; 2] = ["blurry", "bad photo"];
const SEEDS: [u64; 2] = [7, 123];

/// A model folder of links to the fixtures, so that parts can be put in place of others.
pub fn assembled(model: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    for entry in fs::read_dir(data(model)).unwrap() {
        let entry = entry.unwrap();
        std::os::unix::fs::symlink(entry.path(), dir.path().join(entry.file_name())).unwrap();
    }
    dir
}

/// Puts `with` (a folder or a file) in the place of `part`.
pub fn replaced(dir: &Path, part: &str, with: impl Into<PathBuf>) {
    fs::remove_file(dir.join(part)).unwrap();
    std::os::unix::fs::symlink(with.into(), dir.join(part)).unwrap();
}

/// Puts a changed scheduler configuration in its place.
pub fn scheduler(dir: &Path, change: &[(&str, &str)]) {
    let mut config: serde_json::Value =
        serde_json::from_slice(&fs::read(dir.join("scheduler/scheduler_config.json")).unwrap())
            .unwrap();
    for (field, value) in change {
        config[field] = serde_json::Value::from(*value);
    }
    fs::remove_file(dir.join("scheduler")).unwrap();
    fs::create_dir(dir.join("scheduler")).unwrap();
    fs::write(
        dir.join("scheduler/scheduler_config.json"),
        config.to_string(),
    )
    .unwrap();
}

fn load(dir: &Path, dtype: DType) -> Pipeline {
    let loading = Loading {
        dtype,
        device: Device::Cpu,
        whole_pixels: usize::MAX,
    };
    Pipeline::load(&ModelFolder::open(dir).unwrap(), &loading).unwrap()
}

/// Settings of the fixtures.
pub fn settings(scheduler: Scheduler, steps: u32) -> Settings {
    Settings {
        width: 64,
        height: 64,
        steps,
        guidance: 5.,
        scheduler,
    }
}

/// The two tasks of the fixtures.
pub fn tasks(negative: bool, init: Option<&Init>) -> Vec<Task> {
    let task = |i: usize| Task {
        prompt: PROMPTS[i].to_string(),
        negative_prompt: negative.then(|| NEGATIVE[i].to_string()),
        seed: SEEDS[i],
        init: init.cloned(),
        ..Task::default()
    };
    vec![task(0), task(1)]
}

/// The picture and mask of the fixtures.
pub fn init(strength: f64, masked: bool) -> Init {
    let io = tensors("pictures.safetensors");
    let bytes = |name: &str| io[name].flatten_all().unwrap().to_vec1::<u8>().unwrap();
    let image = Pixels {
        width: 64,
        height: 64,
        rgb: bytes("image"),
    };
    Init {
        image,
        mask: masked.then(|| bytes("mask")),
        strength,
    }
}

/// Runs the two tasks in one pass and compares latents and pixels with the fixture `name`.
fn holds(name: &str, pipeline: &Pipeline, settings: &Settings, tasks: &[Task], tolerance: f64) {
    let io: HashMap<String, Tensor> = tensors("pictures.safetensors");
    let tasks: Vec<&Task> = tasks.iter().collect();
    let latents = pipeline
        .latents(settings, &tasks, &mut |_, _| true)
        .unwrap();
    println!(
        "{name}: {:.1e}",
        relative_error(&latents, &io[&format!("{name}.latents")])
    );
    assert_close(name, &latents, &io[&format!("{name}.latents")], tolerance);
    let made = pipeline.run(settings, &tasks, &mut |_, _| true).unwrap();
    let expected = io[&format!("{name}.pixels")]
        .flatten_all()
        .unwrap()
        .to_vec1::<u8>()
        .unwrap();
    let found: Vec<u8> = made
        .into_iter()
        .flat_map(|picture| picture.unwrap().rgb)
        .collect();
    assert_eq!(found.len(), expected.len());
    let off: Vec<u8> = found
        .iter()
        .zip(&expected)
        .map(|(a, b)| a.abs_diff(*b))
        .collect();
    let (most, many) = if tolerance > 1e-3 { (8, 2) } else { (1, 200) };
    assert!(
        off.iter().all(|d| *d <= most),
        "{name}: {:?} levels off",
        off.iter().max()
    );
    let changed = off.iter().filter(|d| **d > most / 2).count();
    assert!(
        changed * many <= off.len(),
        "{name}: {changed} of {} values differ",
        off.len()
    );
}

/// Guidance over two pictures at once: with the halves of latents and embeddings in different orders, as in candle's
/// example, they would be wrong.
#[test]
fn sd_makes_diffusers_pictures() {
    let sd = load(&data("sd"), DType::F32);
    holds(
        "sd.euler",
        &sd,
        &settings(Scheduler::Euler, 5),
        &tasks(true, None),
        1e-4,
    );
    holds(
        "sd.ddim",
        &sd,
        &settings(Scheduler::Ddim, 4),
        &tasks(true, None),
        1e-4,
    );
    holds(
        "sd.plain",
        &sd,
        &settings(Scheduler::Euler, 4),
        &tasks(false, None),
        1e-4,
    );
    let odd = Settings {
        height: 72,
        width: 56,
        ..settings(Scheduler::Euler, 3)
    };
    holds("sd.odd", &sd, &odd, &tasks(true, None), 1e-4);
}

#[test]
fn a_model_that_predicts_v_makes_diffusers_pictures() {
    let dir = assembled("sd");
    scheduler(dir.path(), &[("prediction_type", "v_prediction")]);
    holds(
        "sd.v",
        &load(dir.path(), DType::F32),
        &settings(Scheduler::Euler, 4),
        &tasks(true, None),
        1e-4,
    );
}

#[test]
fn sd_starts_from_pictures_as_diffusers_does() {
    let sd = load(&data("sd"), DType::F32);
    holds(
        "sd.img2img",
        &sd,
        &settings(Scheduler::Euler, 6),
        &tasks(true, Some(&init(0.6, false))),
        1e-4,
    );
    holds(
        "sd.inpaint4",
        &sd,
        &settings(Scheduler::Ddim, 5),
        &tasks(true, Some(&init(0.8, true))),
        1e-4,
    );
    let full = tasks(true, Some(&init(1., true)));
    holds(
        "sd.inpaint4_full",
        &sd,
        &settings(Scheduler::EulerAncestral, 4),
        &full,
        1e-4,
    );
}

#[test]
fn a_unet_for_inpainting_paints_as_diffusers_does() {
    let dir = assembled("sd");
    replaced(dir.path(), "unet", data("unet_inpaint"));
    let inpaint = load(dir.path(), DType::F32);
    assert!(inpaint.takes_masks());
    holds(
        "sd.inpaint9",
        &inpaint,
        &settings(Scheduler::Euler, 5),
        &tasks(true, Some(&init(1., true))),
        1e-4,
    );
    let part = tasks(true, Some(&init(0.7, true)));
    holds(
        "sd.inpaint9_part",
        &inpaint,
        &settings(Scheduler::Ddim, 5),
        &part,
        1e-4,
    );
}

/// Without a negative prompt (`ddim`) the unconditional half is of zeros, as `force_zeros_for_empty_prompt` says.
#[test]
fn sdxl_makes_diffusers_pictures() {
    let xl = load(&data("sdxl"), DType::F32);
    holds(
        "sdxl.euler",
        &xl,
        &settings(Scheduler::Euler, 6),
        &tasks(true, None),
        1e-4,
    );
    holds(
        "sdxl.ddim",
        &xl,
        &settings(Scheduler::Ddim, 4),
        &tasks(false, None),
        1e-4,
    );
    holds(
        "sdxl.dpm",
        &xl,
        &settings(Scheduler::DpmPlusPlus2M, 5),
        &tasks(true, None),
        1e-4,
    );
}

#[test]
fn sdxl_starts_from_pictures_as_diffusers_does() {
    let xl = load(&data("sdxl"), DType::F32);
    holds(
        "sdxl.img2img",
        &xl,
        &settings(Scheduler::Euler, 6),
        &tasks(true, Some(&init(0.5, false))),
        1e-4,
    );
    holds(
        "sdxl.inpaint4",
        &xl,
        &settings(Scheduler::Euler, 5),
        &tasks(true, Some(&init(0.8, true))),
        1e-4,
    );
}

/// Two steps of ancestral noise on trailing timesteps, without guidance.
#[test]
fn turbo_makes_diffusers_pictures() {
    let dir = assembled("sdxl");
    scheduler(
        dir.path(),
        &[
            ("_class_name", "EulerAncestralDiscreteScheduler"),
            ("timestep_spacing", "trailing"),
        ],
    );
    let mut settings = settings(Scheduler::EulerAncestral, 2);
    settings.guidance = 0.;
    holds(
        "sdxl.turbo",
        &load(dir.path(), DType::F32),
        &settings,
        &tasks(true, None),
        1e-4,
    );
}

/// The whole pipeline in f16, but for its VAE (`force_upcast`).
#[test]
fn f16_is_near() {
    let (sd, xl) = (
        load(&data("sd"), DType::F16),
        load(&data("sdxl"), DType::F16),
    );
    assert_eq!(xl.vae.dtype, DType::F32);
    holds(
        "sd.euler",
        &sd,
        &settings(Scheduler::Euler, 5),
        &tasks(true, None),
        1e-2,
    );
    holds(
        "sdxl.euler",
        &xl,
        &settings(Scheduler::Euler, 6),
        &tasks(true, None),
        1e-2,
    );
}
