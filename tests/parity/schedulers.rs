//! Schedulers against diffusers: the steps of a toy model, which both sides compute by the same formula.

use std::collections::HashMap;

use benchtop::inference::candle::noise::{self, Generator};
use benchtop::inference::candle::scheduler::{Sampler, SchedulerConfig, class_name};
use benchtop::model::generation::Scheduler;
use candle_core::{DType, Device, Tensor};
use serde::Deserialize;

use super::support::{assert_close, data, relative_error};

#[derive(Deserialize)]
struct Case {
    scheduler: String,
    steps: usize,
    strength: f64,
    first: usize,
    timesteps: Vec<f32>,
    init_noise_sigma: f64,
    config: String,
}

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

struct Fixture {
    cases: Vec<Case>,
    tensors: HashMap<String, Tensor>,
}

fn fixture() -> Fixture {
    let text = std::fs::read_to_string(data("schedulers.json")).unwrap();
    let cases = serde_json::from_str::<Cases>(&text).unwrap().cases;
    let tensors =
        candle_core::safetensors::load(data("schedulers.safetensors"), &Device::Cpu).unwrap();
    Fixture { cases, tensors }
}

/// The toy model of make_text.py.
fn toy(seen: &Tensor, t: f32) -> Tensor {
    ((seen * 1.3).unwrap() + f64::from(t) / 500.0)
        .unwrap()
        .sin()
        .unwrap()
}

/// All samples of a run, from the one it begins with on.
fn path(fixture: &Fixture, case: &Case, dtype: DType) -> Tensor {
    let config = SchedulerConfig::parse(&case.config).unwrap();
    let scheduler = Scheduler::from_name(&case.scheduler).unwrap();
    assert_eq!(config.scheduler, Some(scheduler));
    assert_eq!(config.class, class_name(scheduler));
    let mut sampler = Sampler::new(&config, scheduler, case.steps).unwrap();
    assert_eq!(sampler.timesteps.len(), case.timesteps.len());
    for (got, expected) in sampler.timesteps.iter().zip(&case.timesteps) {
        // Whole timesteps are the same; fractions come out of logarithms of f32.
        let within = if expected.fract() == 0.0 { 0.0 } else { 1e-4 };
        assert!(
            (got - expected).abs() <= within,
            "timestep {got}, not {expected}: {}",
            case.config
        );
    }
    assert!((sampler.init_noise_sigma() / case.init_noise_sigma - 1.0).abs() < 1e-6);
    let first = sampler.begin(case.strength).unwrap();
    assert_eq!(first, case.first);
    let [start, clean, noise] =
        ["start", "clean", "noise"].map(|n| fixture.tensors[n].to_dtype(dtype).unwrap());
    let mut sample = match first {
        0 => (start * sampler.init_noise_sigma()).unwrap(),
        _ => sampler.add_noise(&clean, &start, first).unwrap(),
    };
    let mut path = vec![sample.clone()];
    for (i, t) in sampler
        .timesteps
        .clone()
        .into_iter()
        .enumerate()
        .skip(first)
    {
        let output = toy(&sampler.scale_model_input(&sample, i).unwrap(), t);
        let fresh = noise.get(i).unwrap();
        let fresh = sampler.wants_noise(i).then_some(&fresh);
        sample = sampler.step(&output, i, &sample, fresh).unwrap();
        assert_eq!(sample.dtype(), dtype);
        path.push(sample.clone());
    }
    Tensor::stack(&path, 0).unwrap()
}

#[test]
fn every_step_is_that_of_diffusers() {
    let fixture = fixture();
    assert!(fixture.cases.len() > 50);
    for (at, case) in fixture.cases.iter().enumerate() {
        let expected = &fixture.tensors[&format!("path.{at}")];
        let got = path(&fixture, case, DType::F32);
        let what = format!(
            "case {at}: {} with {} steps of {}",
            case.scheduler, case.steps, case.config
        );
        assert_close(&what, &got, expected, 1e-5);
        // The end has the size of a picture, the beginning up to 15 times that: it is looked at by itself.
        let last = expected.dim(0).unwrap() - 1;
        assert_close(
            &what,
            &got.get(last).unwrap(),
            &expected.get(last).unwrap(),
            1e-5,
        );
    }
}

#[test]
fn half_precision_latents_stay_near() {
    let fixture = fixture();
    for (at, case) in fixture
        .cases
        .iter()
        .enumerate()
        .filter(|(_, c)| c.steps == 20)
        .step_by(5)
    {
        let expected = &fixture.tensors[&format!("path.{at}")];
        let what = format!("case {at}: {}", case.scheduler);
        assert_close(&what, &path(&fixture, case, DType::F16), expected, 1e-2);
    }
}

#[test]
fn a_wrong_spacing_or_prediction_would_be_seen() {
    let fixture = fixture();
    let case = &fixture.cases[0];
    let expected = &fixture.tensors["path.0"];
    let other = fixture.cases.iter().position(|c| {
        c.scheduler == case.scheduler && c.steps == case.steps && c.config.contains("v_prediction")
    });
    let got = path(&fixture, &fixture.cases[other.unwrap()], DType::F32);
    assert!(relative_error(&got, expected) > 1e-2);
}

#[test]
fn the_noise_of_the_fixture_is_ours_to_the_last_number() {
    let fixture = fixture();
    // Three draws from one generator, one after the other, as make_text.py takes them.
    let mut generator = [Generator::new(1)];
    for (name, scale) in [("start", 1.0), ("clean", 0.5), ("noise", 1.0)] {
        let expected = &fixture.tensors[name];
        let got = (noise::stacked(&mut generator, expected.dims(), &Device::Cpu).unwrap() * scale)
            .unwrap();
        let off = (got.squeeze(0).unwrap() - expected)
            .unwrap()
            .abs()
            .unwrap()
            .max_all()
            .unwrap();
        assert!(off.to_scalar::<f32>().unwrap() <= 1e-6, "{name}");
    }
}
