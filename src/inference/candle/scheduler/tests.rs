use candle_core::{Device, Tensor};

use super::*;

/// The configuration of Stable Diffusion XL base.
const SDXL: &str = r#"{"_class_name": "EulerDiscreteScheduler", "_diffusers_version": "0.19.0.dev0", "beta_end": 0.012,
    "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "interpolation_type": "linear",
    "num_train_timesteps": 1000, "prediction_type": "epsilon", "sample_max_value": 1.0, "set_alpha_to_one": false,
    "skip_prk_steps": true, "steps_offset": 1, "timestep_spacing": "leading", "trained_betas": null,
    "use_karras_sigmas": false}"#;

fn sdxl() -> SchedulerConfig {
    SchedulerConfig::parse(SDXL).unwrap()
}

fn refused(from: &str, to: &str) -> String {
    assert!(SDXL.contains(from), "{from}");
    SchedulerConfig::parse(&SDXL.replace(from, to))
        .unwrap_err()
        .to_string()
}

#[test]
fn parses_the_sdxl_configuration() {
    let config = sdxl();
    assert_eq!(config.scheduler, Some(Scheduler::Euler));
    assert_eq!((config.num_train_timesteps, config.steps_offset), (1000, 1));
    assert_eq!(config.beta_schedule, BetaSchedule::ScaledLinear);
    assert_eq!(config.prediction_type, PredictionType::Epsilon);
    assert_eq!(config.timestep_spacing, Some(TimestepSpacing::Leading));
    assert_eq!((config.clip_sample, config.set_alpha_to_one), (None, false));
}

#[test]
fn other_classes_of_the_family_leave_the_scheduler_open() {
    // Stable Diffusion 1.5 is published with PNDM.
    let config =
        SchedulerConfig::parse(&SDXL.replace("EulerDiscreteScheduler", "PNDMScheduler")).unwrap();
    assert_eq!(
        (config.scheduler, config.class.as_str()),
        (None, "PNDMScheduler")
    );
    assert_eq!(
        Sampler::new(&config, Scheduler::Euler, 20)
            .unwrap()
            .timesteps[0],
        951.0
    );
}

#[test]
fn karras_spacing_applies_only_to_euler_and_dpm() {
    let karras =
        SchedulerConfig::parse(&SDXL.replace("_sigmas\": false", "_sigmas\": true")).unwrap();
    for scheduler in Scheduler::ALL {
        let times = |config| {
            Sampler::new(config, scheduler, 20)
                .unwrap()
                .timesteps
                .to_vec()
        };
        let knows = matches!(scheduler, Scheduler::Euler | Scheduler::DpmPlusPlus2M);
        assert_eq!(times(&karras) != times(&sdxl()), knows, "{scheduler:?}");
    }
}

#[test]
fn refuses_unsupported_settings_by_name() {
    let class = refused("EulerDiscreteScheduler", "FlowMatchEulerDiscreteScheduler");
    assert!(
        class.contains("`_class_name`: `FlowMatchEulerDiscreteScheduler` is not supported"),
        "{class}"
    );
    assert!(
        class.contains("EulerDiscreteScheduler, EulerAncestralDiscreteScheduler, DDIMScheduler"),
        "{class}"
    );
    for (from, to, says) in [
        (
            "\"scaled_linear\"",
            "\"exp\"",
            "field `beta_schedule`: `exp` is not supported",
        ),
        (
            "\"epsilon\"",
            "\"flow\"",
            "supported: epsilon, v_prediction, sample",
        ),
        ("\"leading\"", "\"log\"", "field `timestep_spacing`: `log`"),
        (
            "\"trained_betas\": null",
            "\"trained_betas\": [0.1]",
            "only null is supported",
        ),
        (
            "\"use_karras_sigmas\": false",
            "\"use_beta_sigmas\": true",
            "field `use_beta_sigmas`: `true`",
        ),
        (
            "\"skip_prk_steps\"",
            "\"rescale_betas_zero_snr\"",
            "field `rescale_betas_zero_snr`: `true`",
        ),
        (
            "\"interpolation_type\": \"linear\"",
            "\"interpolation_type\": \"log_linear\"",
            "`log_linear`",
        ),
        (
            "\"steps_offset\": 1",
            "\"steps_offset\": 1000",
            "field `steps_offset`",
        ),
        (
            "\"num_train_timesteps\": 1000",
            "\"num_train_timesteps\": 0",
            "field `num_train_timesteps`",
        ),
        ("0.00085", "0.0", "field `beta_start`"),
        ("0.012", "1.5", "field `beta_end`"),
        (
            "\"steps_offset\": 1",
            "\"steps_offset\": \"one\"",
            "is not a scheduler configuration",
        ),
        (
            "{\"_class_name\": \"EulerDiscreteScheduler\",",
            "{",
            "_class_name",
        ),
        ("{\"_class_name\"", "[", "is not a scheduler configuration"),
    ] {
        let said = refused(from, to);
        assert!(said.contains(says), "{to}: {said}");
    }
}

#[test]
fn missing_file_error_names_the_file() {
    let problem =
        SchedulerConfig::read(std::path::Path::new("/nowhere/scheduler_config.json")).unwrap_err();
    assert_eq!(
        problem.place.file.unwrap().to_str(),
        Some("/nowhere/scheduler_config.json")
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scheduler_config.json");
    std::fs::write(&path, "{").unwrap();
    assert_eq!(
        SchedulerConfig::read(&path).unwrap_err().place.file,
        Some(path)
    );
}

#[test]
fn parses_pythons_infinity_outside_of_strings() {
    let text = SDXL.replace(
        "{\"_class",
        "{\"lambda_min_clipped\": -Infinity, \"note\": \"-Infinity\", \"_class",
    );
    assert_eq!(
        SchedulerConfig::parse(&text).unwrap().lambda_min_clipped,
        None
    );
}

#[test]
fn refuses_steps_out_of_range() {
    for scheduler in Scheduler::ALL {
        for steps in [0, 1001] {
            let said = Sampler::new(&sdxl(), scheduler, steps)
                .err()
                .unwrap()
                .to_string();
            assert!(said.contains("takes from 1 to 1000"), "{said}");
        }
        for steps in 1..=100 {
            for spacing in [
                TimestepSpacing::Leading,
                TimestepSpacing::Linspace,
                TimestepSpacing::Trailing,
            ] {
                let config = SchedulerConfig {
                    timestep_spacing: Some(spacing),
                    ..sdxl()
                };
                let sampler = Sampler::new(&config, scheduler, steps).unwrap();
                // diffusers has 62 steps for 61 trailing ones, the last of them below zero.
                assert_eq!(sampler.timesteps.len(), steps);
                assert!(
                    sampler.timesteps.windows(2).all(|w| w[0] > w[1]),
                    "{:?}",
                    &sampler.timesteps
                );
                assert!(sampler.timesteps.iter().all(|t| (0.0..1000.0).contains(t)));
            }
        }
    }
    // The offset moves the first of a thousand steps out of the training.
    assert!(Sampler::new(&sdxl(), Scheduler::Ddim, 1000).is_err());
    // DPM++ uses one more interval, so a thousand steps repeat timesteps.
    for spacing in [TimestepSpacing::Leading, TimestepSpacing::Linspace] {
        let config = SchedulerConfig {
            timestep_spacing: Some(spacing),
            ..sdxl()
        };
        let said = Sampler::new(&config, Scheduler::DpmPlusPlus2M, 1000)
            .err()
            .unwrap()
            .to_string();
        assert!(said.contains("in the 1000"), "{said}");
    }
}

#[test]
fn strength_leaves_at_least_one_step() {
    let mut sampler = Sampler::new(&sdxl(), Scheduler::Euler, 20).unwrap();
    assert_eq!(sampler.begin(1.0).unwrap(), 0);
    assert_eq!(sampler.begin(0.3).unwrap(), 14);
    assert_eq!(sampler.begin(0.05).unwrap(), 19);
    for strength in [0.0, 0.04, -1.0, 1.5, f64::NAN] {
        let problem = sampler.begin(strength).unwrap_err();
        assert_eq!(problem.place.field.as_deref(), Some("strength"));
    }
}

#[test]
fn steps_must_be_in_order_and_ancestral_steps_need_noise() {
    let x = Tensor::ones((2, 4, 2, 2), DType::F32, &Device::Cpu).unwrap();
    let mut sampler = Sampler::new(&sdxl(), Scheduler::EulerAncestral, 3).unwrap();
    assert!(
        sampler
            .step(&x, 0, &x, None)
            .unwrap_err()
            .to_string()
            .contains("needs noise")
    );
    assert!(
        sampler
            .step(&x, 1, &x, Some(&x))
            .unwrap_err()
            .to_string()
            .contains("the next one is 0")
    );
    for i in 0..3 {
        // The last step adds no noise.
        assert_eq!(sampler.wants_noise(i), i < 2);
        sampler.step(&x, i, &x, Some(&x)).unwrap();
    }
    assert!(
        sampler
            .step(&x, 3, &x, Some(&x))
            .unwrap_err()
            .to_string()
            .contains("step 3 of a run of 3")
    );
    assert!(!sampler.wants_noise(3));
    let wrong = Tensor::ones((2, 4, 2, 3), DType::F32, &Device::Cpu).unwrap();
    sampler.begin(1.0).unwrap();
    assert!(sampler.step(&wrong, 0, &x, Some(&x)).is_err());
}

#[test]
fn a_new_run_resets_the_state() {
    let at = |k: f32| Tensor::full(k, (1, 2), &Device::Cpu).unwrap();
    let mut sampler = Sampler::new(&sdxl(), Scheduler::DpmPlusPlus2M, 4).unwrap();
    let mut run = |first: f32| {
        sampler.begin(1.0).unwrap();
        let mut sample = at(first);
        for i in 0..4 {
            sample = sampler
                .step(&(&sample * 0.3).unwrap(), i, &sample, None)
                .unwrap();
        }
        sample.to_vec2::<f32>().unwrap()
    };
    let one = run(1.0);
    assert_ne!(run(-2.0), one);
    assert_eq!(run(1.0), one);
}
