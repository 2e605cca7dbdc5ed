//! Projected gradient descent against PyTorch, from `make_pgd.py`, and what it may do to a picture.

use benchtop::inference::candle::adversarial::{Attacker, Settings};
use benchtop::inference::candle::clip::{ClipConfig, VisionEncoder};
use benchtop::inference::candle::weights::open_part;
use benchtop::model::cancel::Cancel;
use benchtop::model::generation::{FailureKind, Pixels};
use candle_core::{DType, Device, Result, Tensor, Var};
use candle_nn::{VarBuilder, VarMap};
use image::{DynamicImage, ImageFormat, RgbImage};
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

use super::support::{assert_close, data, linked, pattern, relative_error};

const TEXT: &str = "two dogs running beside the river at sunset, cinematic light";

/// The models and picture sizes of `make_pgd.py`: quick GELU on a picture that is reduced and cropped,
/// GELU on one that is enlarged.
const CASES: [(&str, (u32, u32)); 2] = [("openai", (44, 37)), ("laion", (23, 26))];

fn folder(name: &str) -> TempDir {
    linked(&[&format!("clip/{name}"), "tokenizer"])
}

fn attacker(name: &str) -> Attacker {
    Attacker::open(folder(name).path()).unwrap()
}

fn fixture(name: &str) -> HashMap<String, Tensor> {
    let file = data(&format!("clip/{name}_pgd.safetensors"));
    candle_core::safetensors::load(file, &Device::Cpu).unwrap()
}

fn vision(name: &str) -> (VisionEncoder, ClipConfig) {
    let folder = data(&format!("clip/{name}"));
    let config = ClipConfig::read(&folder.join("config.json")).unwrap();
    let vb = open_part(&folder, DType::F32, &Device::Cpu).unwrap();
    (load(&vb, &config), config)
}

fn load(vb: &VarBuilder, config: &ClipConfig) -> VisionEncoder {
    let projection = vb.pp("visual_projection");
    let (vb, dimension) = (vb.pp("vision_model"), config.projection_dim);
    VisionEncoder::load(&vb, projection, &config.vision, dimension).unwrap()
}

fn planes(pictures: usize) -> Tensor {
    let all = super::clip::expected("openai")["pixels"].clone();
    all.narrow(0, 0, pictures).unwrap()
}

fn numbers(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn the_differentiable_encoder_is_the_encoder() {
    for name in ["openai", "laion", "mixed"] {
        let (vision, _) = vision(name);
        let planes = planes(5);
        let (ours, twin) = (vision.forward(&planes), vision.differentiable(&planes));
        let error = relative_error(&twin.unwrap(), &ours.unwrap());
        assert!(error <= 1e-6, "{name}: {error:.1e}");
    }
}

#[test]
fn gradients_and_steps_are_those_of_pytorch() {
    for (name, (width, height)) in CASES {
        let attacker = attacker(name);
        let expected = fixture(name);
        let seed = expected["seed"].to_vec1::<i64>().unwrap()[0] as u64;
        let scores = expected["scores"].to_vec1::<f32>().unwrap();
        let settings = Settings {
            steps: scores.len() as u32,
            ..Settings::default()
        };
        let picture = pattern(width, height);
        let mut descent = attacker
            .descent(&picture, TEXT, &settings, seed, Cancel::NEVER)
            .unwrap();
        for (step, expected_score) in scores.iter().enumerate() {
            let iterate = numbers(&expected["iterates"].get(step).unwrap());
            let off = farthest(descent.values(), &iterate);
            assert!(off <= 1e-4, "{name}, step {step}: {off} gray levels");
            let (score, gradient) = descent.gradient().unwrap();
            assert!((score - expected_score).abs() <= 1e-5, "{name}, {step}");
            let known = match step {
                0 => Some("first"),
                _ if step + 1 == scores.len() => Some("last"),
                _ => None,
            };
            if let Some(known) = known {
                let expected = &expected[known];
                let found = Tensor::from_vec(gradient, expected.dims(), &Device::Cpu).unwrap();
                assert_close(&format!("{name} gradient, {known}"), &found, expected, 1e-4);
            }
            descent.step().unwrap();
        }
        let last = numbers(&expected["iterates"].get(scores.len()).unwrap());
        let off = farthest(descent.values(), &last);
        assert!(off <= 1e-4, "{name}, the end: {off} gray levels");
    }
}

fn farthest(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    each.fold(0., f32::max)
}

/// What gets no gradient from the sum of the embedding of one picture: names of weights, and pixels.
fn without_gradient(forward: impl Fn(&VisionEncoder, &Tensor) -> Result<Tensor>) -> Vec<String> {
    let folder = data("clip/openai");
    let config = ClipConfig::read(&folder.join("config.json")).unwrap();
    let mut weights = VarMap::new();
    let vb = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    let vision = load(&vb, &config);
    weights.load(folder.join("model.safetensors")).unwrap();
    // The encoder was loaded from the first values, so it is loaded again.
    drop(vision);
    let vision = load(&vb, &config);
    let pixels = Var::from_tensor(&planes(1)).unwrap();
    let embedded = forward(&vision, &pixels).unwrap();
    let gradients = embedded.sum_all().unwrap().backward().unwrap();
    let mut missing = Vec::new();
    let lengths = |var: &Tensor| {
        let gradient = gradients.get(var)?;
        Some(numbers(gradient).iter().map(|g| g.abs()).fold(0., f32::max))
    };
    for (name, var) in weights.data().lock().unwrap().iter() {
        // Softmax does not change when all its inputs are raised by the same number.
        if name.ends_with("k_proj.bias") {
            continue;
        }
        if lengths(var).is_none_or(|length| length < 1e-6) {
            missing.push(name.clone());
        }
    }
    match gradients.get(&pixels).map(numbers) {
        Some(all) if all.iter().all(|g| *g != 0. && g.is_finite()) => {}
        _ => missing.push("pixels".into()),
    }
    missing
}

#[test]
fn every_weight_and_pixel_has_a_gradient() {
    let missing = without_gradient(|vision, planes| vision.differentiable(planes));
    assert_eq!(missing, Vec::<String>::new());
    // The same check finds the operations of the other encoder, which have none.
    let missing = without_gradient(|vision, planes| vision.forward(planes));
    for name in [
        "pixels",
        "vision_model.encoder.layers.0.self_attn.q_proj.weight",
    ] {
        assert!(missing.iter().any(|m| m == name), "{name}: {missing:?}");
    }
}

#[test]
fn a_gradient_does_not_depend_on_the_pictures_beside_it() {
    let (vision, _) = vision("laion");
    let all = Var::from_tensor(&planes(3)).unwrap();
    let gradient = |pixels: &Var| {
        let embedded = vision.differentiable(pixels).unwrap();
        let gradients = embedded.sum_all().unwrap().backward().unwrap();
        gradients.get(pixels).unwrap().clone()
    };
    let together = gradient(&all);
    for at in 0..3 {
        let alone = gradient(&Var::from_tensor(&all.narrow(0, at, 1).unwrap()).unwrap());
        assert_close("alone", &alone, &together.narrow(0, at, 1).unwrap(), 1e-5);
    }
}

/// A picture after a round trip through PNG.
fn stored(picture: &Pixels) -> Pixels {
    let Pixels { width, height, rgb } = picture.clone();
    let image = DynamicImage::from(RgbImage::from_raw(width, height, rgb).unwrap());
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png).unwrap();
    let read = image::load_from_memory(&png.into_inner()).unwrap();
    benchtop::raster::pillow::rgb(&read)
}

#[test]
fn a_picture_stays_within_eps_and_fits_its_text_less_with_every_seed() {
    let attacker = attacker("openai");
    let mut lowered = 0;
    for seed in 0..32 {
        let size = [(48, 40), (32, 32), (20, 31), (64, 33)][seed as usize % 4];
        let picture = pattern(size.0, size.1);
        let eps = [8., 4.5, 2.][seed as usize % 3];
        let settings = Settings {
            eps,
            alpha: 1.5,
            steps: 6,
        };
        let attacked = attacker
            .attack(&picture, TEXT, &settings, seed, Cancel::NEVER)
            .unwrap();
        let stored = stored(&attacked.picture);
        assert_eq!(stored, attacked.picture);
        let differences = stored.rgb.iter().zip(&picture.rgb);
        let most = differences.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(
            most > 0 && f32::from(most) <= eps,
            "{seed}: {most} of {eps}"
        );
        // The recorded scores are those of the filter for the stored files.
        let before = filter_score(&picture);
        assert!((attacked.before - before).abs() < 1e-6, "{seed}");
        let after = filter_score(&stored);
        assert!((attacked.after - after).abs() < 1e-6, "{seed}");
        lowered += usize::from(after < before);
        if seed < 2 {
            let again = attacker.attack(&picture, TEXT, &settings, seed, Cancel::NEVER);
            assert_eq!(again.unwrap(), attacked);
            let other = attacker.attack(&picture, TEXT, &settings, seed + 100, Cancel::NEVER);
            assert_ne!(other.unwrap().picture, attacked.picture);
        }
    }
    assert_eq!(lowered, 32);
}

fn filter_score(picture: &Pixels) -> f32 {
    use benchtop::inference::candle::scorer::{Options, open};
    use benchtop::inference::scoring::Pair;
    let mut scorer = open(folder("openai").path(), &Options::cpu()).unwrap();
    let pair = [Pair {
        picture: 0,
        text: 0,
    }];
    let scores = scorer.score(std::slice::from_ref(picture), &[TEXT], &pair, Cancel::NEVER);
    scores[0].as_ref().unwrap().cosine
}

#[test]
fn what_is_wrong_is_refused_and_a_cancelled_attack_stops() {
    let attacker = attacker("openai");
    let picture = pattern(20, 20);
    let good = Settings::default();
    let wrong = [
        ("eps", Settings { eps: 0.5, ..good }),
        (
            "eps",
            Settings {
                eps: f32::NAN,
                ..good
            },
        ),
        (
            "alpha",
            Settings {
                alpha: 256.,
                ..good
            },
        ),
        ("steps", Settings { steps: 0, ..good }),
        (
            "steps",
            Settings {
                steps: 1001,
                ..good
            },
        ),
    ];
    for (field, settings) in wrong {
        let error = settings.check().unwrap_err();
        assert_eq!(error.place.field.as_deref(), Some(field));
        let failure = attacker.attack(&picture, TEXT, &settings, 1, Cancel::NEVER);
        assert_eq!(failure.unwrap_err().kind, FailureKind::Input);
    }
    let mut damaged = picture.clone();
    damaged.rgb.pop();
    let failure = attacker.attack(&damaged, TEXT, &good, 1, Cancel::NEVER);
    assert_eq!(failure.unwrap_err().kind, FailureKind::Input);
    let passes = AtomicUsize::new(0);
    let later = || passes.fetch_add(1, Ordering::Relaxed) >= 3;
    let failure = attacker.attack(&picture, TEXT, &good, 1, Cancel::when(&later));
    assert_eq!(failure.unwrap_err().kind, FailureKind::Cancelled);
    let siglip = linked(&["clip/siglip"]);
    let refused = Attacker::open(siglip.path()).err().unwrap();
    assert_eq!(refused.place.field.as_deref(), Some("model_type"));
}

/// A CLIP with the picture encoder of ViT-L/14 and random weights. The text encoder is the tiny one,
/// which runs once for each picture.
fn large() -> TempDir {
    let dir = linked(&["clip/openai", "tokenizer"]);
    let at = |name: &str| dir.path().join(name);
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(at(name)).unwrap()).unwrap()
    };
    let (mut config, mut input) = (read("config.json"), read("preprocessor_config.json"));
    config["projection_dim"] = 768.into();
    let sizes = [
        ("hidden_size", 1024),
        ("image_size", 224),
        ("intermediate_size", 4096),
        ("num_attention_heads", 16),
        ("num_hidden_layers", 24),
        ("patch_size", 14),
    ];
    for (name, size) in sizes {
        config["vision_config"][name] = size.into();
    }
    for name in ["crop_size", "size"] {
        input[name] = 224.into();
    }
    let weights = VarMap::new();
    let vb = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    let texts = candle_core::safetensors::load(at("model.safetensors"), &Device::Cpu).unwrap();
    for name in [
        "config.json",
        "preprocessor_config.json",
        "model.safetensors",
    ] {
        std::fs::remove_file(at(name)).unwrap();
    }
    std::fs::write(at("config.json"), config.to_string()).unwrap();
    std::fs::write(at("preprocessor_config.json"), input.to_string()).unwrap();
    drop(load(&vb, &ClipConfig::read(&at("config.json")).unwrap()));
    let random = |tensor: &Tensor| tensor.randn_like(0., 0.02).unwrap();
    let mut all: HashMap<String, Tensor> = HashMap::new();
    for (name, var) in weights.data().lock().unwrap().iter() {
        let is_scale = name.contains("norm") && name.ends_with("weight");
        let tensor = match is_scale {
            true => var.ones_like().unwrap(),
            false => random(var),
        };
        all.insert(name.clone(), tensor);
    }
    for (name, tensor) in texts {
        if name == "text_projection.weight" {
            let wide = Tensor::zeros((768, tensor.dim(1).unwrap()), DType::F32, &Device::Cpu);
            all.insert(name, random(&wide.unwrap()));
        } else {
            all.entry(name).or_insert(tensor);
        }
    }
    candle_core::safetensors::save(&all, at("model.safetensors")).unwrap();
    dir
}

/// Seconds and memory of one picture against an encoder of the size of ViT-L/14, with the default
/// settings. The numbers are in `docs/scenarios.md`.
#[test]
#[ignore = "measures; run it with --ignored --nocapture"]
fn measured_on_an_encoder_like_vit_l() {
    let dir = large();
    let bytes = std::fs::metadata(dir.path().join("model.safetensors")).unwrap();
    let attacker = Attacker::open(dir.path()).unwrap();
    let memory = |name: &str| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let mut lines = status.lines().filter(|line| line.starts_with(name));
        lines.next().unwrap().to_string()
    };
    println!(
        "weights: {} bytes; loaded: {}",
        bytes.len(),
        memory("VmRSS")
    );
    let picture = pattern(224, 224);
    let settings = Settings::default();
    for seed in 0..3 {
        let started = std::time::Instant::now();
        let made = attacker.attack(&picture, TEXT, &settings, seed, Cancel::NEVER);
        let (seconds, made) = (started.elapsed().as_secs_f64(), made.unwrap());
        assert!(made.after < made.before, "{} {}", made.after, made.before);
        println!(
            "{} steps in {seconds:.1} s, {:.4} pictures/s; {}",
            settings.steps,
            1. / seconds,
            memory("VmHWM")
        );
    }
}
