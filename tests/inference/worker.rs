//! A model in a worker process: the contract of all generators, and crashes of the worker.

use std::path::Path;
use std::time::Duration;

use benchtop::inference::candle::generator::{CandleGenerator, Options};
use benchtop::inference::worker::{FAULT, Launch, Model, Timeouts, WorkerGenerator, pids, probe};
use benchtop::inference::{GenerationEvent, ImageGenerator, generate_all};
use benchtop::model::ErrorKind;
use benchtop::model::generation::{
    Failure, FailureKind, Init, Picture, Pixels, Scheduler, Settings, Task,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::conformance::conforms;
use crate::support::{PATIENCE, PROGRAM, has_word};

/// Long where nothing is to be waited for, so that a busy machine is no fault.
const CALM: Timeouts = Timeouts {
    start: PATIENCE,
    load: PATIENCE,
    step: PATIENCE,
    silence: PATIENCE,
    pause: Duration::from_millis(1),
    crashes: 5,
};

fn launch() -> Launch {
    Launch::new(PROGRAM, &["worker", "--device", "cpu"])
}

fn tiny(name: &str) -> Model {
    Model::cpu(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/parity/data/models")
            .join(name),
    )
}

fn open(fault: &str) -> WorkerGenerator {
    WorkerGenerator::open(launch().with_env(FAULT, fault), &tiny("sd"), CALM).unwrap()
}

fn in_process(model: &Model) -> CandleGenerator {
    let options = Options {
        together: model.batch_size,
        whole_pixels: model.whole_pixels,
        ..Options::cpu()
    };
    CandleGenerator::open(&model.folder, &options, None).unwrap()
}

fn settings(steps: u32) -> Settings {
    Settings {
        width: 64,
        height: 64,
        steps,
        guidance: 4.0,
        scheduler: Scheduler::Euler,
    }
}

fn tasks(n: u64) -> Vec<Task> {
    let animals = ["owl", "fox", "crane", "hare"];
    let task = |i: u64| Task {
        prompt: format!("a red {}", animals[i as usize % 4]),
        seed: i + 1,
        ..Task::default()
    };
    (0..n).map(task).collect()
}

fn pixels(results: &[Result<Picture, Failure>]) -> Vec<Pixels> {
    results
        .iter()
        .map(|r| r.as_ref().unwrap().pixels.clone())
        .collect()
}

/// What the model in this process makes of the same.
fn expected(settings: &Settings, tasks: &[Task]) -> Vec<Pixels> {
    pixels(&generate_all(&mut in_process(&tiny("sd")), settings, tasks))
}

fn once(dir: &TempDir, fault: &str) -> String {
    format!("{fault} once {}", dir.path().join("done").display())
}

fn lives(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Runs the tasks; each is answered exactly once.
fn run(
    generator: &mut WorkerGenerator,
    settings: &Settings,
    tasks: &[Task],
    on: &mut dyn FnMut(&GenerationEvent, Option<u32>),
) -> Vec<Result<Picture, Failure>> {
    let mut results: Vec<Option<Result<Picture, Failure>>> = vec![None; tasks.len()];
    let pid = generator.pid();
    generator.generate(settings, tasks, &mut |told| {
        on(&told, pid);
        if let GenerationEvent::Done { index, result } = told {
            assert!(
                results[index].replace(result).is_none(),
                "task {index} was answered twice"
            );
        }
        true
    });
    results.into_iter().map(Option::unwrap).collect()
}

#[test]
fn a_worker_conforms() {
    conforms(
        &mut WorkerGenerator::open(launch(), &tiny("sd"), CALM).unwrap(),
        &settings(2),
    );
}

/// Also with several in one pass, where the seed is not promised to the last bit.
#[test]
fn a_worker_with_several_in_a_pass_conforms() {
    let model = Model {
        batch_size: 3,
        ..tiny("sdxl")
    };
    let mut generator = WorkerGenerator::open(launch(), &model, CALM).unwrap();
    assert!(!generator.capabilities().respects.seed && generator.capabilities().max_batch == 3);
    conforms(&mut generator, &settings(2));
}

#[test]
fn in_process_and_in_a_worker_is_the_same() {
    for model in [
        tiny("sd"),
        tiny("sdxl"),
        Model {
            batch_size: 4,
            whole_pixels: 5000,
            ..tiny("sd")
        },
    ] {
        let mut worker = WorkerGenerator::open(launch(), &model, CALM).unwrap();
        let mut here = in_process(&model);
        assert_eq!(worker.capabilities(), here.capabilities());
        let settings = Settings {
            scheduler: Scheduler::EulerAncestral,
            ..settings(3)
        };
        assert_eq!(worker.fingerprint(&settings), here.fingerprint(&settings));
        let tasks = tasks(3);
        let (theirs, ours) = (
            generate_all(&mut worker, &settings, &tasks),
            generate_all(&mut here, &settings, &tasks),
        );
        assert_eq!(theirs, ours);
    }
}

/// Start images and masks reach the worker as they are; what does not fit is refused before it is sent.
#[test]
fn edits_in_a_worker_are_those_in_process() {
    let mut worker = WorkerGenerator::open(launch(), &tiny("sd"), CALM).unwrap();
    let mut here = in_process(&tiny("sd"));
    let edit = |salt: usize, mask: Option<Vec<u8>>, strength: f64| Task {
        init: Some(Init {
            image: Pixels {
                width: 64,
                height: 64,
                rgb: (0..3 * 64 * 64).map(|i| (i * salt % 251) as u8).collect(),
            },
            mask,
            strength,
        }),
        ..tasks(1).remove(0)
    };
    let half = |left: bool| (0..64 * 64).map(move |i| if (i % 64 < 32) == left { 255 } else { 0 });
    let mut some = vec![
        edit(3, Some(half(true).collect()), 1.0),
        edit(3, Some(half(false).collect()), 1.0),
        edit(3, Some(half(true).collect()), 0.5),
        edit(5, Some(half(true).collect()), 1.0),
        edit(3, None, 0.5),
    ];
    let theirs = generate_all(&mut worker, &settings(4), &some);
    assert_eq!(theirs, generate_all(&mut here, &settings(4), &some));
    let made = pixels(&theirs);
    for i in 1..made.len() {
        assert_ne!(made[0], made[i], "edit {i}");
    }
    let worker_before = worker.pid();
    some = vec![
        edit(3, Some(vec![255; 9]), 1.0),
        edit(3, Some(half(true).collect()), 0.0),
        edit(3, Some(half(true).collect()), f64::NAN),
        edit(3, Some(half(true).collect()), 1.0),
    ];
    some[0].init.as_mut().unwrap().image.rgb.truncate(5);
    let results = generate_all(&mut worker, &settings(4), &some);
    for failed in &results[..3] {
        assert_eq!(failed.as_ref().unwrap_err().kind, FailureKind::Input);
    }
    assert_eq!(results[3].as_ref().unwrap().pixels, made[0]);
    assert_eq!(worker.pid(), worker_before);
}

/// One call of several passes goes to the worker at once.
#[test]
fn more_is_taken_than_fits_in_a_pass() {
    let model = Model {
        ahead: 4,
        ..tiny("sd")
    };
    let mut generator = WorkerGenerator::open(launch(), &model, CALM).unwrap();
    assert_eq!(generator.capabilities().max_batch, 4);
    let made = run(&mut generator, &settings(2), &tasks(4), &mut |_, _| ());
    assert_eq!(pixels(&made), expected(&settings(2), &tasks(4)));
}

#[test]
fn a_worker_killed_amid_its_work_is_replaced_and_all_is_made() {
    let mut generator = WorkerGenerator::open(launch(), &tiny("sd"), CALM).unwrap();
    let first = generator.pid().unwrap();
    assert!(pids().contains(&first));
    let mut killed = false;
    let made = run(&mut generator, &settings(3), &tasks(5), &mut |told, pid| {
        // With the second picture's first step.
        if matches!(told, GenerationEvent::Done { index: 1, .. }) && !killed {
            killed = true;
            kill_process(Pid::from_raw(pid.unwrap() as i32).unwrap(), Signal::KILL).unwrap();
        }
    });
    assert!(killed);
    assert_eq!(pixels(&made), expected(&settings(3), &tasks(5)));
    // The first was collected, the second lives, and ends with its generator.
    let second = generator.pid().unwrap();
    assert!(second != first && !lives(first) && lives(second));
    assert!(!pids().contains(&first) && pids().contains(&second));
    drop(generator);
    assert!(
        !lives(second) && !pids().contains(&second),
        "nothing is left, not even a zombie"
    );
}

#[test]
fn a_picture_that_kills_the_worker_again_is_set_aside_and_the_others_are_made() {
    let mut generator = open("exit 3 at crane");
    let made = run(&mut generator, &settings(2), &tasks(6), &mut |_, _| ());
    let failure = made[2].as_ref().unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    for part in ["exit status 3", "exit 3"] {
        assert!(failure.reason.contains(part), "{}", failure.reason);
    }
    assert!(!failure.reason.chars().any(char::is_control));
    let (others, without): (Vec<_>, Vec<_>) = (0..6)
        .filter(|i| *i != 2)
        .map(|i| (made[i].clone(), tasks(6)[i].clone()))
        .unzip();
    assert_eq!(pixels(&others), expected(&settings(2), &without));
}

#[test]
fn each_way_to_fall_is_named_and_got_over() {
    for (fault, words) in [
        ("kill", "signal 9"),
        ("exit 0", "exit status 0"),
        ("garbage", "`Hell`"),
        ("torn", "6 of 260 bytes"),
        ("fatal", "DriverError(CUDA_ERROR_ILLEGAL_ADDRESS"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let made = run(
            &mut open(&once(&dir, &format!("{fault} after 1"))),
            &settings(2),
            &tasks(3),
            &mut |_, _| (),
        );
        assert_eq!(pixels(&made), expected(&settings(2), &tasks(3)), "{fault}");
        let made = run(
            &mut open(&format!("{fault} at owl")),
            &settings(2),
            &tasks(1),
            &mut |_, _| (),
        );
        let failure = made[0].as_ref().unwrap_err();
        assert!(
            failure.reason.contains(words),
            "{fault}: {}",
            failure.reason
        );
        if fault == "fatal" {
            assert!(
                failure.reason.contains("exit status 70"),
                "{}",
                failure.reason
            );
        }
    }
}

#[test]
fn one_that_comes_no_further_and_one_that_does_not_answer_are_ended() {
    let short = Duration::from_secs(5);
    let cases = [
        (
            "stall after 1",
            Timeouts {
                step: short,
                ..CALM
            },
        ),
        (
            "freeze after 1",
            Timeouts {
                silence: short,
                ..CALM
            },
        ),
    ];
    let alone = |fault: &str, patience| {
        let dir = tempfile::tempdir().unwrap();
        let launch = launch().with_env(FAULT, &once(&dir, fault));
        let mut generator = WorkerGenerator::open(launch, &tiny("sd"), patience).unwrap();
        let first = generator.pid().unwrap();
        let made = run(&mut generator, &settings(2), &tasks(3), &mut |_, _| ());
        assert_eq!(pixels(&made), expected(&settings(2), &tasks(3)), "{fault}");
        assert!(generator.pid() != Some(first) && !lives(first), "{fault}");
    };
    // Each waits most of its time.
    std::thread::scope(|scope| {
        for (fault, patience) in cases {
            scope.spawn(move || alone(fault, patience));
        }
    });
}

#[test]
fn after_several_falls_in_a_row_it_gives_up_for_now() {
    let patience = Timeouts { crashes: 3, ..CALM };
    let mut generator =
        WorkerGenerator::open(launch().with_env(FAULT, "kill"), &tiny("sd"), patience).unwrap();
    let made = run(&mut generator, &settings(2), &tasks(6), &mut |_, _| ());
    let kinds: Vec<FailureKind> = made.iter().map(|r| r.as_ref().unwrap_err().kind).collect();
    let (refused, unavailable) = (FailureKind::Refused, FailureKind::Unavailable);
    assert_eq!(
        kinds,
        [
            refused,
            refused,
            unavailable,
            unavailable,
            unavailable,
            unavailable
        ]
    );
    let reason = &made[5].as_ref().unwrap_err().reason;
    assert!(
        has_word(reason, "3") && reason.contains("signal 9"),
        "{reason}"
    );
    // The next call tries once more, and no oftener.
    let mut started = 0;
    let made = run(&mut generator, &settings(2), &tasks(3), &mut |told, _| {
        started += usize::from(matches!(told, GenerationEvent::Done { .. }));
    });
    assert!(
        started == 3
            && made
                .iter()
                .all(|r| r.as_ref().is_err_and(|f| f.kind == unavailable)),
        "{made:?}"
    );
}

#[test]
fn what_is_waited_for_can_be_cancelled() {
    // So long a pause that nobody would sit through it.
    let patience = Timeouts {
        pause: Duration::from_secs(30),
        ..CALM
    };
    let mut generator =
        WorkerGenerator::open(launch().with_env(FAULT, "kill"), &tiny("sd"), patience).unwrap();
    let mut kinds = Vec::new();
    let mut signs = 0;
    generator.generate(&settings(2), &tasks(3), &mut |told| {
        match told {
            GenerationEvent::Step { .. } => signs += 1,
            GenerationEvent::Done { result, .. } => kinds.push(result.unwrap_err().kind),
        }
        signs < 3
    });
    assert_eq!(kinds, [FailureKind::Cancelled; 3]);
}

#[test]
fn where_memory_is_short_fewer_are_made_together() {
    let model = Model {
        batch_size: 5,
        ..tiny("sd")
    };
    let mut generator =
        WorkerGenerator::open(launch().with_env(FAULT, "oom above 1"), &model, CALM).unwrap();
    let print = generator.fingerprint(&settings(2));
    let mut batches = Vec::new();
    let made = run(&mut generator, &settings(2), &tasks(5), &mut |told, _| {
        if let GenerationEvent::Step { done: 1, batch, .. } = told {
            batches.push(*batch);
        }
    });
    // A first step may be told again as a sign of life.
    batches.dedup();
    assert_eq!(batches, [5, 2, 1]);
    assert_eq!(generator.together(&settings(2)), 1);
    assert_eq!(
        print,
        generator.fingerprint(&settings(2)),
        "so many or fewer: the fingerprint says it already"
    );
    // One a pass is what a picture is anywhere.
    assert_eq!(pixels(&made), expected(&settings(2), &tasks(5)));
    // It is remembered for these settings, and for no others.
    let mut batches = Vec::new();
    run(&mut generator, &settings(1), &tasks(2), &mut |told, _| {
        if let GenerationEvent::Step { done: 1, batch, .. } = told {
            batches.push(*batch);
        }
    });
    assert!(batches.iter().all(|batch| *batch == 1), "{batches:?}");
    assert_eq!(
        generator.together(&Settings {
            width: 128,
            ..settings(2)
        }),
        5
    );
}

#[test]
fn where_memory_is_short_for_one_it_is_decoded_in_tiles_under_another_fingerprint() {
    let wide = Settings {
        width: 96,
        height: 72,
        ..settings(2)
    };
    let mut generator =
        WorkerGenerator::open(launch().with_env(FAULT, "oom whole"), &tiny("sdxl"), CALM).unwrap();
    let (before, small) = (
        generator.fingerprint(&wide),
        generator.fingerprint(&settings(2)),
    );
    let failed = run(&mut generator, &wide, &tasks(1), &mut |_, _| ());
    let failure = failed[0].as_ref().unwrap_err();
    assert!(failure.kind == FailureKind::OutOfMemory && failure.reason.contains("96x72"));
    let after = generator.fingerprint(&wide);
    assert_ne!(before, after);
    let made = run(&mut generator, &wide, &tasks(1), &mut |_, _| ());
    let mut here = in_process(&Model {
        whole_pixels: 64 * 64,
        ..tiny("sdxl")
    });
    assert_eq!(after, here.fingerprint(&wide));
    assert_eq!(
        pixels(&made),
        pixels(&generate_all(&mut here, &wide, &tasks(1)))
    );
    // One that is no larger than a tile has no way out.
    let failed = run(&mut generator, &settings(2), &tasks(1), &mut |_, _| ());
    let failure = failed[0].as_ref().unwrap_err();
    assert!(
        failure.kind == FailureKind::OutOfMemory && !failure.reason.contains("tiles"),
        "{}",
        failure.reason
    );
    assert_eq!(small, generator.fingerprint(&settings(2)));
}

fn refused(launch: &Launch, patience: Timeouts) -> String {
    let problem = WorkerGenerator::open(launch.clone(), &tiny("sd"), patience).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Unreachable, "{problem}");
    assert_eq!(
        problem.place.file.as_deref(),
        Some(launch.program.as_path())
    );
    problem.to_string()
}

#[test]
fn a_worker_that_cannot_begin_says_why() {
    let missing = refused(&Launch::new("/no/such/benchtop-gpu", &[]), CALM);
    assert!(missing.contains("No such file"), "{missing}");
    let newer = refused(&launch().with_env(FAULT, "protocol 9"), CALM);
    assert!(newer.contains("protocol 9"), "{newer}");
    let mute = refused(
        &launch().with_env(FAULT, "mute"),
        Timeouts {
            start: Duration::from_secs(2),
            ..CALM
        },
    );
    assert!(mute.contains("2 s"), "{mute}");
    let other = refused(&Launch::new("/bin/echo", &["hello"]), CALM);
    assert!(other.contains("`hell`"), "{other}");
    let dead = refused(
        &Launch::new(
            "/bin/sh",
            &["-c", "echo libcuda.so.1: cannot open >&2; exit 127"],
        ),
        CALM,
    );
    assert!(
        dead.contains("exit status 127") && dead.contains("libcuda.so.1: cannot open"),
        "{dead}"
    );
    let gpu = refused(
        &Launch::new(PROGRAM, &["worker", "--device", "cuda:0"]),
        CALM,
    );
    assert!(gpu.contains("cuda:0") && gpu.contains("doctor"), "{gpu}");
}

#[test]
fn a_model_that_cannot_be_loaded_is_refused_as_in_this_process() {
    let model = Model {
        folder: "/no/such/model".into(),
        ..tiny("sd")
    };
    let theirs = WorkerGenerator::open(launch(), &model, CALM).unwrap_err();
    let ours = CandleGenerator::open(&model.folder, &Options::cpu(), None)
        .err()
        .unwrap();
    assert_eq!(theirs, ours);
}

#[test]
fn a_task_that_is_too_large_is_refused_and_the_others_are_made() {
    let mut some = tasks(2);
    some[0].prompt = "owl ".repeat(17 << 20);
    let made = run(
        &mut open("stall after 99"),
        &settings(1),
        &some,
        &mut |_, _| (),
    );
    let failure = made[0].as_ref().unwrap_err();
    assert!(
        failure.kind == FailureKind::Input && failure.reason.contains("67108864"),
        "{}",
        failure.reason
    );
    assert!(made[1].is_ok());
}

#[test]
fn a_device_is_looked_at_without_a_model() {
    let (hello, version) = probe(&launch(), &CALM).unwrap();
    assert_eq!(
        (hello.place.as_str(), version.as_str()),
        ("cpu", env!("CARGO_PKG_VERSION"))
    );
    let about = hello.about.unwrap();
    assert_eq!((about.name.as_str(), about.memory), ("CPU", None));
    assert!(about.check.unwrap().contains("operations"));
}
