//! The generator in this process by its contract, on the tiny models of `make_models.py`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use benchtop::inference::candle::generator::{CandleGenerator, Options};
use benchtop::inference::{GenerationEvent, ImageGenerator, generate_all};
use benchtop::model::generation::{
    Failure, FailureKind, Picture, Pixels, Scheduler, Settings, Task,
};
use candle_core::{DType, Device, Tensor};
use tempfile::TempDir;

use super::models::data;
use super::pictures::{assembled, init, replaced, scheduler, settings, tasks};
use crate::support::{Refusal, has_word};

fn open(folder: &Path, together: usize) -> CandleGenerator {
    CandleGenerator::open(
        folder,
        &Options {
            together,
            ..Options::cpu()
        },
        Some("0".into()),
    )
    .unwrap()
}

fn pixels(results: &[Result<Picture, Failure>]) -> Vec<Pixels> {
    results
        .iter()
        .map(|r| r.as_ref().unwrap().pixels.clone())
        .collect()
}

fn failure(results: &[Result<Picture, Failure>], at: usize) -> (FailureKind, String) {
    let failure = results[at].as_ref().unwrap_err();
    (failure.kind, failure.reason.clone())
}

/// A model of links with one tensor of a part changed.
fn changed(model: &str, part: &str, tensor: &str, change: impl Fn(&Tensor) -> Tensor) -> TempDir {
    let dir = assembled(model);
    let from = data(model).join(part);
    let file = "diffusion_pytorch_model.safetensors";
    let mut all: HashMap<String, Tensor> =
        candle_core::safetensors::load(from.join(file), &Device::Cpu).unwrap();
    let new = change(&all[tensor].to_dtype(DType::F32).unwrap());
    all.insert(tensor.to_string(), new);
    let to = dir.path().join("changed");
    fs::create_dir(&to).unwrap();
    candle_core::safetensors::save(&all, to.join(file)).unwrap();
    fs::copy(from.join("config.json"), to.join("config.json")).unwrap();
    replaced(dir.path(), part, to);
    dir
}

/// What all image generators hold.
#[test]
fn it_conforms() {
    for (model, together) in [("sd", 1), ("sdxl", 1)] {
        crate::inference::conformance::conforms(
            &mut open(&data(model), together),
            &settings(Scheduler::Euler, 2),
        );
    }
}

/// A card rounds otherwise, here and there by a gray level; a wrong kernel shows as another picture.
#[cfg(feature = "cuda")]
#[test]
fn a_card_makes_the_pictures_of_the_cpu() {
    let card = match Options::cuda(0) {
        Ok(card) => card,
        Err(why) => return crate::support::skip(crate::support::Need::Gpu, &why.to_string()),
    };
    for model in ["sd", "sdxl"] {
        let cpu = Options {
            dtype: DType::F16,
            together: 4,
            ..Options::cpu()
        };
        let [here, there] = [&cpu, &card].map(|options| {
            let mut generator =
                CandleGenerator::open(&data(model), options, Some("0".into())).unwrap();
            pixels(&generate_all(
                &mut generator,
                &settings(Scheduler::Euler, 3),
                &tasks(true, None),
            ))
        });
        let off = mean_difference(&here, &there);
        assert!(off < 0.5, "{model}: {off} grey levels");
    }
}

/// Mean difference of two sets of pictures in gray levels.
fn mean_difference(one: &[Pixels], other: &[Pixels]) -> f64 {
    let pairs = one
        .iter()
        .zip(other)
        .flat_map(|(a, b)| a.rgb.iter().zip(&b.rgb));
    let (sum, n) = pairs.fold((0., 0), |(sum, n), (a, b)| {
        (sum + a.abs_diff(*b) as f64, n + 1)
    });
    sum / n as f64
}

/// What a card is allowed to be off by is more than what f16 is off by.
#[test]
fn f16_makes_the_pictures_of_f32() {
    for model in ["sd", "sdxl"] {
        let [f32, f16] = [DType::F32, DType::F16].map(|dtype| {
            let options = Options {
                dtype,
                together: 4,
                ..Options::cpu()
            };
            let mut generator =
                CandleGenerator::open(&data(model), &options, Some("0".into())).unwrap();
            pixels(&generate_all(
                &mut generator,
                &settings(Scheduler::Euler, 3),
                &tasks(true, None),
            ))
        });
        let off = mean_difference(&f32, &f16);
        assert!(off > 0. && off < 0.25, "{model}: {off} grey levels");
    }
}

#[test]
fn a_prompt_without_end_is_refused() {
    let mut endless = tasks(true, None);
    endless[0].prompt = "very ".repeat(2000);
    let results = generate_all(
        &mut open(&data("sd"), 1),
        &settings(Scheduler::Euler, 1),
        &endless,
    );
    assert!(has_word(&failure(&results, 0).1, "16") && results[1].is_ok());
}

/// To the byte: alone, together in any order, among others of other kinds, and with a scheduler that draws in between.
#[test]
fn a_picture_does_not_depend_on_what_is_made_beside_it() {
    for model in ["sd", "sdxl"] {
        let mut generator = open(&data(model), 1);
        let settings = settings(Scheduler::EulerAncestral, 3);
        let mut all = tasks(true, None);
        all.extend(tasks(false, Some(&init(0.7, false))));
        all[3].prompt = ["grass"; 90].join(" ");
        let together = pixels(&generate_all(&mut generator, &settings, &all));
        all.reverse();
        let mut reversed = pixels(&generate_all(&mut generator, &settings, &all));
        reversed.reverse();
        all.reverse();
        assert_eq!(together, reversed);
        for (task, picture) in all.iter().zip(&together) {
            let alone = pixels(&generate_all(
                &mut generator,
                &settings,
                std::slice::from_ref(task),
            ));
            assert_eq!(&alone[0], picture);
        }
        assert_ne!(together[0], together[2]);
    }
}

/// Several in one pass are the same picture up to rounding.
#[test]
fn pictures_in_one_pass_are_the_same_within_a_level() {
    let settings = settings(Scheduler::Euler, 3);
    let mut all = tasks(true, None);
    // Another number of chunks does not go into the same pass, where it would lengthen the others.
    all.push(Task {
        prompt: ["grass"; 90].join(" "),
        ..all[0].clone()
    });
    let one = pixels(&generate_all(&mut open(&data("sdxl"), 1), &settings, &all));
    let mut together = open(&data("sdxl"), 3);
    assert_eq!(together.capabilities().max_batch, 3);
    let mut batches = Vec::new();
    let mut results = vec![None; 3];
    together.generate(&settings, &all, &mut |told| {
        match told {
            GenerationEvent::Step { batch, done, of } => batches.push((batch, done, of)),
            GenerationEvent::Done { index, result } => {
                results[index] = Some(result.unwrap().pixels)
            }
        }
        true
    });
    assert_eq!(
        batches,
        [
            (2, 1, 3),
            (2, 2, 3),
            (2, 3, 3),
            (1, 1, 3),
            (1, 2, 3),
            (1, 3, 3)
        ]
    );
    for (a, b) in one.iter().zip(results) {
        assert!(
            a.rgb
                .iter()
                .zip(b.unwrap().rgb)
                .all(|(a, b)| a.abs_diff(b) <= 1)
        );
    }
}

#[test]
fn each_task_is_answered_once_and_one_failure_leaves_the_others_alone() {
    let mut generator = open(&data("sd"), 1);
    let mut all = tasks(true, Some(&init(0.5, true)));
    all.extend(tasks(true, None));
    all[0].init.as_mut().unwrap().mask = Some(vec![255; 10]);
    all[1].init.as_mut().unwrap().image.width = 72;
    all.extend(tasks(true, Some(&init(0., false))));
    all[5].init.as_mut().unwrap().strength = 0.01;
    let mut answers = vec![0; all.len()];
    let mut results = Vec::new();
    generator.generate(&settings(Scheduler::Ddim, 2), &all, &mut |told| {
        if let GenerationEvent::Done { index, result } = told {
            answers[index] += 1;
            results.push((index, result));
        }
        true
    });
    assert_eq!(answers, [1; 6]);
    results.sort_by_key(|(index, _)| *index);
    let results: Vec<_> = results.into_iter().map(|(_, result)| result).collect();
    for (at, why) in [
        (0, "64x64"),
        (1, "72x64"),
        (4, "strength 0"),
        (5, "strength"),
    ] {
        let (kind, reason) = failure(&results, at);
        assert!(
            kind == FailureKind::Input && reason.contains(why) && !reason.contains('\n'),
            "{kind:?} {reason}"
        );
    }
    assert!(results[2].is_ok() && results[3].is_ok());
}

#[test]
fn what_the_capabilities_exclude_is_refused_and_not_bent() {
    let mut generator = open(&data("sd"), 1);
    let fine = settings(Scheduler::Euler, 2);
    for (settings, why) in [
        (
            Settings {
                width: 68,
                ..fine.clone()
            },
            "width 68",
        ),
        (
            Settings {
                height: 32,
                ..fine.clone()
            },
            "height 32",
        ),
        (
            Settings {
                width: 4096,
                ..fine.clone()
            },
            "width 4096",
        ),
        (
            Settings {
                steps: 0,
                ..fine.clone()
            },
            "0 steps",
        ),
        (
            Settings {
                steps: 5000,
                ..fine.clone()
            },
            "5000",
        ),
        (
            Settings {
                guidance: f64::NAN,
                ..fine.clone()
            },
            "guidance NaN",
        ),
    ] {
        let results = generate_all(&mut generator, &settings, &tasks(true, None));
        let (kind, reason) = failure(&results, 1);
        assert!(
            kind == FailureKind::Input && reason.contains(why),
            "{kind:?} {reason}"
        );
    }
}

#[test]
fn cancelling_ends_the_work_at_the_next_step() {
    let mut generator = open(&data("sd"), 1);
    let all = [tasks(true, None), tasks(false, None)].concat();
    let (mut steps, mut results) = (0, vec![None; 4]);
    generator.generate(&settings(Scheduler::Euler, 4), &all, &mut |told| {
        match told {
            GenerationEvent::Step { .. } => steps += 1,
            GenerationEvent::Done { index, result } => {
                assert!(results[index].replace(result).is_none())
            }
        }
        steps < 6
    });
    assert_eq!(steps, 6, "four of the first picture and two of the second");
    let results: Vec<_> = results.into_iter().map(Option::unwrap).collect();
    assert!(results[0].is_ok());
    assert!((1..4).all(|at| failure(&results, at).0 == FailureKind::Cancelled));
    // And it works again afterwards.
    assert!(generate_all(&mut generator, &settings(Scheduler::Euler, 1), &all[..1])[0].is_ok());
}

#[test]
fn what_is_no_picture_is_a_bad_output() {
    let fill = |value: f64| move |t: &Tensor| t.zeros_like().unwrap().affine(1., value).unwrap();
    for (part, tensor, value, why) in [
        ("vae", "decoder.conv_out.bias", f64::NAN, "VAE"),
        ("vae", "decoder.conv_out.bias", -40., "black"),
        ("vae", "decoder.conv_out.weight", 0., "color"),
        ("unet", "conv_out.bias", f64::INFINITY, "latents"),
    ] {
        let dir = changed("sd", part, tensor, fill(value));
        let mut steps = 0;
        let mut reasons = Vec::new();
        open(dir.path(), 1).generate(
            &settings(Scheduler::Euler, 3),
            &tasks(true, None)[..1],
            &mut |told| {
                match told {
                    GenerationEvent::Step { .. } => steps += 1,
                    GenerationEvent::Done { result, .. } => reasons.push(result.unwrap_err()),
                }
                true
            },
        );
        assert!(
            reasons.len() == 1 && reasons[0].kind == FailureKind::BadOutput,
            "{reasons:?}"
        );
        assert!(reasons[0].reason.contains(why), "{reasons:?}");
        // Steps with numbers that are none are not taken to the end.
        assert_eq!(steps, if part == "unet" { 1 } else { 3 });
    }
}

#[test]
fn a_long_prompt_and_a_negative_without_guidance_are_noted() {
    let mut generator = open(&data("sdxl"), 1);
    let mut all = tasks(true, None);
    all[0].prompt = ["grass"; 90].join(" ");
    let guided = generate_all(&mut generator, &settings(Scheduler::Euler, 1), &all);
    let picture = guided[0].as_ref().unwrap();
    assert!(
        picture.notes.len() == 1 && picture.notes[0].contains("90 tokens"),
        "{:?}",
        picture.notes
    );
    assert!(picture.respected.negative_prompt && guided[1].as_ref().unwrap().notes.is_empty());
    let without = Settings {
        guidance: 1.,
        ..settings(Scheduler::Euler, 1)
    };
    let plain = generate_all(&mut generator, &without, &all);
    let picture = plain[1].as_ref().unwrap();
    assert!(!picture.respected.negative_prompt && picture.notes[0].contains("negative"));
    all[1].negative_prompt = None;
    assert_eq!(
        pixels(&generate_all(&mut generator, &without, &all[1..])),
        pixels(&plain[1..])
    );
}

#[test]
fn what_a_model_does_best_with_comes_from_the_model() {
    let best = |generator: &CandleGenerator| generator.capabilities().recommended.clone();
    let of = |side, steps, guidance, scheduler| Settings {
        width: side,
        height: side,
        steps,
        guidance,
        scheduler,
    };
    assert_eq!(
        best(&open(&data("sd"), 1)),
        of(64, 30, 7.5, Scheduler::Euler)
    );
    assert_eq!(
        best(&open(&data("sdxl"), 1)),
        of(64, 30, 5., Scheduler::Euler)
    );
    let dir = assembled("sdxl");
    scheduler(
        dir.path(),
        &[
            ("_class_name", "EulerAncestralDiscreteScheduler"),
            ("timestep_spacing", "trailing"),
        ],
    );
    assert_eq!(
        best(&open(dir.path(), 1)),
        of(64, 1, 0., Scheduler::EulerAncestral)
    );
    let dir = assembled("sd");
    scheduler(
        dir.path(),
        &[
            ("_class_name", "DDIMScheduler"),
            ("timestep_spacing", "trailing"),
        ],
    );
    assert_eq!(best(&open(dir.path(), 1)), of(64, 30, 7.5, Scheduler::Ddim));
    assert_eq!(
        open(&data("sdxl"), 1).capabilities().name,
        "sdxl on CPU (f32)"
    );
}

/// A U-Net for inpainting makes pictures from nothing, from a picture without a mask, and from one with.
#[test]
fn a_unet_for_inpainting_needs_no_mask() {
    let dir = assembled("sd");
    replaced(dir.path(), "unet", data("unet_inpaint"));
    let mut generator = open(dir.path(), 1);
    let mut all = vec![tasks(true, None)[0].clone()];
    for start in [init(1., false), init(0.6, false), init(0.6, true)] {
        all.push(tasks(true, Some(&start))[0].clone());
    }
    let made = pixels(&generate_all(
        &mut generator,
        &settings(Scheduler::Euler, 3),
        &all,
    ));
    // All painted at full strength, nothing of the picture is left.
    assert_eq!(made[0], made[1]);
    assert!((1..4).all(|a| (1..a).all(|b| made[a] != made[b])));
}

#[test]
fn the_fingerprint_holds_all_that_changes_bytes() {
    let settings = settings(Scheduler::Euler, 4);
    let short = |options: &Options, model: &str, settings: &Settings| {
        CandleGenerator::open(&data(model), options, None)
            .unwrap()
            .fingerprint(settings)
            .short()
    };
    let cpu = Options::cpu();
    let first = short(&cpu, "sd", &settings);
    assert_eq!(first, short(&cpu, "sd", &settings));
    let mut all = vec![first, short(&cpu, "sdxl", &settings)];
    for options in [
        Options {
            dtype: DType::F16,
            ..cpu.clone()
        },
        Options {
            together: 4,
            ..cpu.clone()
        },
        Options {
            whole_pixels: 1,
            ..cpu.clone()
        },
    ] {
        all.push(short(&options, "sd", &settings));
    }
    for changed in [
        Settings {
            width: 128,
            ..settings.clone()
        },
        Settings {
            height: 128,
            ..settings.clone()
        },
        Settings {
            steps: 5,
            ..settings.clone()
        },
        Settings {
            guidance: 5.5,
            ..settings.clone()
        },
        Settings {
            scheduler: Scheduler::Ddim,
            ..settings.clone()
        },
    ] {
        all.push(short(&cpu, "sd", &changed));
    }
    // Other weights under the same name.
    let dir = changed("sd", "vae", "decoder.conv_out.bias", |t| {
        t.affine(1., 0.01).unwrap()
    });
    all.push(
        CandleGenerator::open(dir.path(), &cpu, None)
            .unwrap()
            .fingerprint(&settings)
            .short(),
    );
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn parts_that_do_not_belong_together_are_refused_when_the_model_is_opened() {
    let told = |dir: &TempDir| {
        let error = CandleGenerator::open(dir.path(), &Options::cpu(), None);
        Refusal::of_error(&error.err().unwrap())
    };
    let dir = assembled("sd");
    replaced(dir.path(), "unet", data("unet_v2"));
    let widths = told(&dir);
    assert_eq!(widths.field, "cross_attention_dim");
    assert!(widths.names("24") && widths.names("32"), "{widths}");
    replaced(dir.path(), "unet", data("sdxl").join("unet"));
    assert_eq!(told(&dir).field, "addition_embed_type");
    let dir = assembled("sd");
    replaced(dir.path(), "vae", data("sdxl").join("vae"));
    fs::remove_file(dir.path().join("unet")).unwrap();
    let missing = told(&dir);
    assert!(
        missing.is_in("/unet") && missing.help.contains("unet/"),
        "{missing}"
    );
    let bf16 = Options {
        dtype: DType::BF16,
        ..Options::cpu()
    };
    let error = CandleGenerator::open(&data("sd"), &bf16, None)
        .err()
        .unwrap();
    let refused = Refusal::of_error(&error);
    assert!(
        refused.field == "dtype" && refused.names("bf16"),
        "{refused}"
    );
}

/// Large pictures go through the VAE in tiles: near the whole ones.
#[test]
fn large_pictures_are_decoded_in_tiles() {
    let settings = Settings {
        width: 96,
        height: 72,
        ..settings(Scheduler::Euler, 2)
    };
    let make = |whole_pixels: usize| {
        let options = Options {
            whole_pixels,
            ..Options::cpu()
        };
        let mut generator =
            CandleGenerator::open(&data("sdxl"), &options, Some("0".into())).unwrap();
        pixels(&generate_all(
            &mut generator,
            &settings,
            &tasks(true, None)[..1],
        ))
        .remove(0)
    };
    let (whole, tiled) = (make(usize::MAX), make(64 * 64));
    assert_eq!(
        (tiled.width, tiled.height, tiled.rgb.len()),
        (96, 72, whole.rgb.len())
    );
    assert_ne!(whole, tiled);
    let off: f64 = whole
        .rgb
        .iter()
        .zip(&tiled.rgb)
        .map(|(a, b)| f64::from(a.abs_diff(*b)))
        .sum();
    assert!(
        off / (whole.rgb.len() as f64) < 25.,
        "{}",
        off / whole.rgb.len() as f64
    );
}
