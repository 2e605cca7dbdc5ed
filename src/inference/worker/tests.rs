use std::io::{self, Cursor, Read};

use super::frames::{Broken, LIMIT, body, decode, encode, read, write};
use super::launch::Launch;
use super::protocol::{FromWorker, Greeting, Load, MAGIC, Make, ToWorker};
use benchtop_model::ErrorKind;
use benchtop_model::generation::{
    Failure, FailureKind, Init, Picture, Pixels, Scheduler, Settings, Task,
};

fn task() -> Task {
    let image = Pixels {
        width: 2,
        height: 1,
        rgb: vec![1, 2, 3, 4, 5, 6],
    };
    let init = Some(Init {
        image,
        mask: Some(vec![0, 255]),
        strength: 0.5,
    });
    Task {
        prompt: "a red owl".into(),
        negative_prompt: None,
        seed: u64::MAX,
        terms: Default::default(),
        init,
    }
}

#[test]
fn messages_survive_a_round_trip() {
    let settings = Settings {
        width: 64,
        height: 72,
        steps: 2,
        guidance: 4.5,
        scheduler: Scheduler::DpmPlusPlus2M,
    };
    let load = Load {
        folder: "/m".into(),
        hash: None,
        dtype: "f16".into(),
        together: 4,
        whole_pixels: u64::MAX,
    };
    let picture = Picture {
        pixels: Pixels::default(),
        respected: Default::default(),
        notes: vec!["a note".into()],
    };
    let to = [
        ToWorker::Load(Box::new(load)),
        ToWorker::Task(Box::new(task())),
        ToWorker::Make(Box::new(Make {
            run: 1,
            settings,
            together: 1,
            whole_pixels: 9,
        })),
        ToWorker::Cancel(3),
        ToWorker::Ping,
    ];
    let from = [
        FromWorker::Done {
            run: 1,
            index: 0,
            result: Ok(picture),
        },
        FromWorker::Done {
            run: 1,
            index: 1,
            result: Err(Failure::new(FailureKind::OutOfMemory, "short")),
        },
        FromWorker::Step {
            run: 1,
            done: 2,
            of: 3,
            batch: 4,
        },
        FromWorker::Over(1),
        FromWorker::Pong,
        FromWorker::Fatal("lost".into()),
    ];
    let mut pipe = Vec::new();
    to.iter().for_each(|one| write(&mut pipe, one).unwrap());
    from.iter().for_each(|one| write(&mut pipe, one).unwrap());
    let mut pipe = Cursor::new(pipe);
    for one in &to {
        assert_eq!(
            format!("{:?}", read::<ToWorker>(&mut pipe).unwrap().unwrap()),
            format!("{one:?}")
        );
    }
    for one in &from {
        assert_eq!(
            format!("{:?}", read::<FromWorker>(&mut pipe).unwrap().unwrap()),
            format!("{one:?}")
        );
    }
    assert!(
        body(&mut pipe).unwrap().is_none(),
        "the pipe may end between two frames"
    );
}

/// Returns one byte at a time, and is interrupted before each.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let one = self.0.len().min(1).min(into.len());
        into[..one].copy_from_slice(&self.0[..one]);
        self.0 = &self.0[one..];
        Ok(one)
    }
}

#[test]
fn incomplete_frames_are_errors() {
    let frame = encode(&ToWorker::Task(Box::new(task()))).unwrap();
    assert!(
        read::<ToWorker>(&mut Slow(&frame, false))
            .unwrap()
            .is_some()
    );
    for cut in 1..frame.len() {
        match body(&mut Slow(&frame[..cut], false)) {
            Err(Broken::Torn(came, of)) => {
                assert_eq!((came, of), (cut, if cut < 4 { 4 } else { frame.len() }))
            }
            other => panic!("cut at {cut}: {other:?}"),
        }
    }
    let torn = body(&mut Cursor::new(&frame[..9])).unwrap_err().to_string();
    assert!(torn.contains(" 9 of"), "{torn}");
}

#[test]
fn printed_text_is_not_a_frame() {
    for text in [
        "Hello from a library\n",
        "\n\n\n\n",
        "\tcuda",
        "[1;31mred",
        "\u{1b}[0m",
        "\u{fffd}x",
    ] {
        let broken = body(&mut Cursor::new(text.as_bytes())).unwrap_err();
        assert!(matches!(broken, Broken::NoFrame(_)), "{text:?}: {broken}");
    }
    let broken = body(&mut Cursor::new("He\n\u{7}lo"))
        .unwrap_err()
        .to_string();
    assert!(
        broken.contains("`He\\n\\x07`") && !broken.chars().any(char::is_control),
        "{broken}"
    );
    // A valid length with an invalid body.
    let noise = [0u8, 0, 0, 6, 255, 255, 255, 255, 255, 255];
    assert!(matches!(
        read::<FromWorker>(&mut Cursor::new(noise)),
        Err(Broken::Body(_))
    ));
    let mut two = encode(&ToWorker::Ping).unwrap()[4..].to_vec();
    two.push(0);
    assert!(matches!(decode::<ToWorker>(&two), Err(Broken::Body(_))));
}

#[test]
fn values_over_the_limit_are_not_sent() {
    let huge = ToWorker::Task(Box::new(Task {
        prompt: "x".repeat(LIMIT + 1),
        ..Task::default()
    }));
    assert!(matches!(encode(&huge), Err(Broken::TooLarge(_))));
    // The largest initial image with its mask fits.
    let image = Pixels {
        width: 2048,
        height: 2048,
        rgb: vec![0; 3 << 22],
    };
    let init = Some(Init {
        image,
        mask: Some(vec![0; 1 << 22]),
        strength: 1.0,
    });
    assert!(
        encode(&ToWorker::Task(Box::new(Task {
            init,
            ..Task::default()
        })))
        .is_ok()
    );
}

/// The greeting must stay the same in all versions.
#[test]
fn the_greeting_is_pinned() {
    let greeting = Greeting {
        magic: MAGIC,
        protocol: 7,
        version: "1.2".into(),
    };
    assert_eq!(encode(&greeting).unwrap(), b"\0\0\0\x0dbt-paint\x07\x031.2");
}

#[test]
fn missing_gpu_worker_error_explains_what_to_do() {
    // Next to the test program there is none, unless the variable names one.
    if std::env::var_os(super::PROGRAM_ENV).is_some() {
        return;
    }
    let problem = Launch::cuda(0).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::NotFound);
    assert!(problem.place.file.unwrap().ends_with("benchtop-gpu"));
    let help = problem.help.unwrap();
    assert!(
        help.contains("--features cuda")
            && help.contains("BENCHTOP_WORKER")
            && help.contains("cpu"),
        "{help}"
    );
}
