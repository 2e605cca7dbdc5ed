//! The contract of every image generator. To add one, write a test that calls [`conforms`] with small settings.

use benchtop::inference::{GenerationEvent, ImageGenerator, generate_all};
use benchtop::model::generation::{
    Failure, FailureKind, Init, Picture, Pixels, Scheduler, Settings, Task,
};

type Results = Vec<Option<Result<Picture, Failure>>>;

fn task(prompt: &str, seed: u64) -> Task {
    Task {
        prompt: prompt.into(),
        seed,
        ..Task::default()
    }
}

fn tasks(n: usize) -> Vec<Task> {
    let shown = [
        "a red owl, in a forest",
        "1 blue car, on a beach",
        "a tulip, under a starry sky",
    ];
    (0..n)
        .map(|i| task(&format!("{}, number {i}", shown[i % 3]), i as u64 + 1))
        .collect()
}

/// A task that no generator takes: its start image is not of the settings' size.
fn impossible() -> Task {
    let image = Pixels {
        width: 3,
        height: 3,
        rgb: vec![9; 27],
    };
    Task {
        init: Some(Init {
            image,
            mask: None,
            strength: 0.5,
        }),
        ..task("a red owl", 1)
    }
}

/// Runs `tasks`; says `false` from the `stop`-th thing told on. Fails if a task is answered twice or not at all.
fn run(
    generator: &mut dyn ImageGenerator,
    settings: &Settings,
    tasks: &[Task],
    stop: Option<usize>,
) -> (Results, usize) {
    let mut results: Results = tasks.iter().map(|_| None).collect();
    let mut told = 0;
    generator.generate(settings, tasks, &mut |what| {
        told += 1;
        match what {
            GenerationEvent::Done { index, result } => {
                let place = results
                    .get_mut(index)
                    .unwrap_or_else(|| panic!("there is no task {index}"));
                assert!(place.is_none(), "task {index} was answered twice");
                *place = Some(result);
            }
            GenerationEvent::Step { done, of, batch } => {
                assert!(done <= of, "step {done} of {of}");
                assert!(
                    batch >= 1 && batch <= tasks.len(),
                    "a batch of {batch} of {} tasks",
                    tasks.len()
                );
            }
        }
        stop.is_none_or(|stop| told < stop)
    });
    let missing: Vec<_> = (0..tasks.len()).filter(|i| results[*i].is_none()).collect();
    assert!(missing.is_empty(), "not answered: {missing:?}");
    (results, told)
}

fn pictures(
    generator: &mut dyn ImageGenerator,
    settings: &Settings,
    tasks: &[Task],
) -> Vec<Picture> {
    let (results, _) = run(generator, settings, tasks, None);
    let ok = |(i, r): (usize, Option<Result<Picture, Failure>>)| {
        r.unwrap().unwrap_or_else(|f| panic!("task {i}: {f}"))
    };
    results.into_iter().enumerate().map(ok).collect()
}

fn kind(result: &Option<Result<Picture, Failure>>) -> Option<FailureKind> {
    result.as_ref().unwrap().as_ref().err().map(|f| f.kind)
}

/// Holds `generator` to the contract of [`ImageGenerator`] with pictures as `settings` say, which it must be able to
/// make. It makes about 45 pictures and `max_batch` + 1.
pub fn conforms(generator: &mut dyn ImageGenerator, settings: &Settings) {
    can_do(generator, settings);
    answers(generator, settings);
    exclusions(generator, settings);
    cancelling(generator, settings);
    seeds(generator, settings);
    wishes(generator, settings);
    edits(generator, settings);
    fingerprints(generator, settings);
    odd_prompts(generator, settings);
}

fn can_do(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let can = generator.capabilities().clone();
    assert!(
        !can.name.is_empty()
            && can.max_batch >= 1
            && can.multiple_of >= 1
            && can.sides.0 <= can.sides.1
    );
    assert_eq!(
        can.refusal_reason(&can.recommended, &Task::default()),
        None,
        "its best settings"
    );
    assert_eq!(
        can.refusal_reason(settings, &Task::default()),
        None,
        "the suite's settings"
    );
    assert_eq!(can.respects.scheduler, !can.schedulers.is_empty());
}

fn answers(generator: &mut dyn ImageGenerator, settings: &Settings) {
    assert!(generate_all(generator, settings, &[]).is_empty());
    let (_, told) = run(generator, settings, &[], None);
    assert_eq!(told, 0, "of nothing there is nothing to tell");
    let draft = generator.capabilities().draft;
    let many = tasks(generator.capabilities().max_batch + 1);
    for picture in pictures(generator, settings, &many) {
        let pixels = &picture.pixels;
        assert_eq!(
            (pixels.width, pixels.height),
            (settings.width, settings.height)
        );
        assert_eq!(
            pixels.rgb.len(),
            3 * pixels.width as usize * pixels.height as usize
        );
        let (least, most) = (
            pixels.rgb.iter().min().unwrap(),
            pixels.rgb.iter().max().unwrap(),
        );
        assert!(most - least > 2, "a flat picture");
    }
    assert_eq!(generator.capabilities().draft, draft);
    // One that fails leaves the others alone, wherever it stands.
    for at in 0..3 {
        let mut some = tasks(2);
        let alone: Vec<_> = pictures(generator, settings, &some);
        some.insert(at, impossible());
        let (mut results, _) = run(generator, settings, &some, None);
        assert_eq!(kind(&results[at]), Some(FailureKind::Input));
        results.remove(at);
        for (alone, beside) in alone.iter().zip(results) {
            let beside = beside.unwrap().unwrap();
            assert!(
                !alone.respected.seed || alone.pixels == beside.pixels,
                "a failure at {at} changed a picture"
            );
        }
    }
}

fn exclusions(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let can = generator.capabilities().clone();
    let mut wrong = vec![
        Settings {
            width: can.sides.1 + can.multiple_of,
            ..settings.clone()
        },
        Settings {
            height: 0,
            ..settings.clone()
        },
        Settings {
            guidance: f64::NAN,
            ..settings.clone()
        },
    ];
    if can.multiple_of > 1 {
        wrong.push(Settings {
            width: settings.width + 1,
            ..settings.clone()
        });
    }
    if can.sides.0 > can.multiple_of {
        wrong.push(Settings {
            height: can.sides.0 - can.multiple_of,
            ..settings.clone()
        });
    }
    if let Some(scheduler) = Scheduler::ALL
        .into_iter()
        .find(|s| can.respects.scheduler && !can.schedulers.contains(s))
    {
        wrong.push(Settings {
            scheduler,
            ..settings.clone()
        });
    }
    for wrong in wrong {
        let (results, _) = run(generator, &wrong, &tasks(2), None);
        for result in &results {
            assert_eq!(kind(result), Some(FailureKind::Input), "{wrong:?}");
        }
    }
    // Start images and masks: made where they are honoured, refused where not.
    let image = Pixels {
        width: settings.width,
        height: settings.height,
        rgb: vec![120; 3 * (settings.width * settings.height) as usize],
    };
    let mask = vec![255; (settings.width * settings.height) as usize];
    for (mask, honoured) in [(None, can.respects.init), (Some(mask), can.respects.mask)] {
        let init = Some(Init {
            image: image.clone(),
            mask,
            strength: 0.6,
        });
        let (results, _) = run(
            generator,
            settings,
            &[Task {
                init,
                ..task("a red owl", 1)
            }],
            None,
        );
        assert_eq!(kind(&results[0]), (!honoured).then_some(FailureKind::Input));
    }
}

fn cancelling(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let four = tasks(4);
    let (_, all) = run(generator, settings, &four, None);
    for stop in 1..=all.min(6) {
        let (results, _) = run(generator, settings, &four, Some(stop));
        let made = results
            .iter()
            .filter(|r| r.as_ref().unwrap().is_ok())
            .count();
        // Everything told up to then may have been a picture, and a batch may have been ending.
        assert!(
            made <= stop.max(generator.capabilities().max_batch.min(4)),
            "{made} pictures after {stop} were told"
        );
        for result in &results {
            assert!(
                matches!(kind(result), None | Some(FailureKind::Cancelled)),
                "{result:?}"
            );
        }
    }
    let (results, _) = run(generator, settings, &four, Some(1));
    assert!(
        results
            .iter()
            .any(|r| kind(r) == Some(FailureKind::Cancelled)),
        "a cancel at once cancels nothing"
    );
    // And it still works.
    pictures(generator, settings, &four[..1]);
}

fn seeds(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let three = tasks(3);
    let together = pictures(generator, settings, &three);
    let backwards: Vec<_> = three.iter().rev().cloned().collect();
    let mut turned = pictures(generator, settings, &backwards);
    turned.reverse();
    for ((task, one), other) in three.iter().zip(&together).zip(&turned) {
        assert!(
            one.respected.seed || !generator.capabilities().respects.seed,
            "honours seeds, but not this one"
        );
        if !one.respected.seed {
            continue;
        }
        assert_eq!(
            one.pixels, other.pixels,
            "the order counts for {}",
            task.prompt
        );
        let alone = pictures(generator, settings, std::slice::from_ref(task)).remove(0);
        assert_eq!(
            one.pixels, alone.pixels,
            "the batch counts for {}",
            task.prompt
        );
        let again = Task {
            seed: task.seed + 1000,
            ..task.clone()
        };
        let again = pictures(generator, settings, &[again]).remove(0);
        assert_ne!(
            one.pixels, again.pixels,
            "the seed does not count for {}",
            task.prompt
        );
    }
}

fn wishes(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let plain = task("a red owl, in a forest", 5);
    // A guidance at which a negative prompt counts, and steps to spare.
    let base = Settings {
        steps: settings.steps.max(2),
        guidance: 4.0,
        ..settings.clone()
    };
    let negative = Task {
        negative_prompt: Some("blue sky, trees".into()),
        ..plain.clone()
    };
    let one = pictures(generator, &base, std::slice::from_ref(&plain)).remove(0);
    let cases = [
        (
            "steps",
            Settings {
                steps: base.steps + 1,
                ..base.clone()
            },
            &plain,
        ),
        (
            "guidance",
            Settings {
                guidance: 9.0,
                ..base.clone()
            },
            &plain,
        ),
        ("negative prompt", base.clone(), &negative),
    ];
    let can = generator.capabilities().respects;
    for (name, settings, task) in cases {
        let other = pictures(generator, &settings, std::slice::from_ref(task)).remove(0);
        let (promised, honoured) = match name {
            "steps" => (can.steps, other.respected.steps),
            "guidance" => (can.guidance, other.respected.guidance),
            _ => (can.negative_prompt, other.respected.negative_prompt),
        };
        assert!(
            honoured || !promised,
            "{name} is promised and was not honoured"
        );
        if honoured && one.respected.seed {
            assert_ne!(
                one.pixels, other.pixels,
                "{name} is honoured and changes nothing"
            );
        }
        if !honoured && one.respected.seed && can.seed {
            assert_eq!(
                one.pixels, other.pixels,
                "{name} is not honoured and changes the picture"
            );
        }
    }
}

/// Start image and mask count, if they are honoured.
fn edits(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let can = generator.capabilities().respects;
    if !can.mask {
        return;
    }
    let (width, height) = (settings.width, settings.height);
    let area = (width * height) as usize;
    let shades = |salt: usize| (0..3 * area).map(move |i| (i * salt % 251) as u8).collect();
    let half = |left: bool| {
        let side = move |i: usize| (i % width as usize) < width as usize / 2;
        (0..area)
            .map(move |i| if side(i) == left { 255 } else { 0 })
            .collect()
    };
    let edit = |rgb: Vec<u8>, mask: Vec<u8>| Task {
        init: Some(Init {
            image: Pixels { width, height, rgb },
            mask: Some(mask),
            strength: 1.0,
        }),
        ..task("a red owl", 9)
    };
    let base = Settings {
        steps: settings.steps.max(2),
        ..settings.clone()
    };
    let some = [
        edit(shades(3), half(true)),
        edit(shades(5), half(true)),
        edit(shades(3), half(false)),
        edit(shades(3), half(true)),
    ];
    let made = pictures(generator, &base, &some);
    for picture in &made {
        let pixels = &picture.pixels;
        assert_eq!((pixels.width, pixels.height), (width, height));
        assert!(picture.respected.mask, "honours masks, but not this one");
    }
    if made[0].respected.seed {
        assert_eq!(made[0].pixels, made[3].pixels, "the same edit twice");
        assert_ne!(
            made[0].pixels, made[1].pixels,
            "the start image does not count"
        );
        assert_ne!(made[0].pixels, made[2].pixels, "the mask does not count");
    }
}

fn fingerprints(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let can = generator.capabilities().clone();
    let print = generator.fingerprint(settings);
    assert_eq!(print, generator.fingerprint(settings));
    assert!(!print.parts.is_empty());
    let of = can.multiple_of;
    let mut others = vec![
        Settings {
            width: settings.width + of,
            ..settings.clone()
        },
        Settings {
            height: settings.height + of,
            ..settings.clone()
        },
    ];
    if can.respects.steps {
        others.push(Settings {
            steps: settings.steps + 1,
            ..settings.clone()
        });
    }
    if can.respects.guidance {
        others.push(Settings {
            guidance: settings.guidance + 0.5,
            ..settings.clone()
        });
    }
    if let Some(scheduler) = can
        .schedulers
        .iter()
        .copied()
        .find(|s| *s != settings.scheduler)
    {
        others.push(Settings {
            scheduler,
            ..settings.clone()
        });
    }
    for other in others {
        assert_ne!(
            print.short(),
            generator.fingerprint(&other).short(),
            "{other:?}"
        );
    }
    // Working changes nothing about it.
    pictures(generator, settings, &tasks(1));
    assert_eq!(print, generator.fingerprint(settings));
}

fn odd_prompts(generator: &mut dyn ImageGenerator, settings: &Settings) {
    let long = "a very long prompt about owls, ".repeat(3000);
    for prompt in [
        long.as_str(),
        "",
        " ",
        "a\u{0}b\u{7}\r\n\tc\u{1b}[31m",
        "猫と犬 🐱 \u{202e}left",
        ",,,;;;...",
    ] {
        let (results, _) = run(generator, settings, &[task(prompt, 3)], None);
        match results[0].as_ref().unwrap() {
            Ok(picture) => assert_eq!(picture.pixels.width, settings.width),
            Err(failure) => {
                let clear = matches!(failure.kind, FailureKind::Input | FailureKind::Refused)
                    && !failure.reason.is_empty();
                assert!(clear, "{failure:?}");
                assert!(!failure.reason.chars().any(char::is_control), "{failure:?}");
            }
        }
    }
}
