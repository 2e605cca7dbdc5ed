use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::theme::{Look, Theme};
use benchtop_model::device::{Cpu, Gpu};
use benchtop_model::evaluation::RunState;
use benchtop_model::generation::{FailureKind, Scheduler, Settings};
use benchtop_model::job::{Plan, StartedJob, Step};
use benchtop_model::trust::{DataKind, Destination, PendingConsent, RequestedDestination};
use benchtop_model::{ColorLevel, Error, ErrorKind};
use benchtop_protocol::wire::{AnyRequest, ConsentedRequest, request};

fn job(id: u32, standing: JobStatus) -> JobState {
    JobState {
        id,
        name: "missing pictures".into(),
        by: "ann".into(),
        plan: "what is missing".into(),
        samples: 1,
        seed: 7,
        generator: "storyboard".into(),
        standing,
        place: if standing.is_finished() { 0 } else { id },
        done: 512,
        of: Some(1000),
        ..JobState::default()
    }
}

fn shown(jobs: Vec<JobState>) -> GeneratePane {
    let mut pane = GeneratePane::new();
    pane.on_jobs(Ok(jobs));
    drawn(&mut pane, 80, 21, ColorLevel::True);
    pane
}

fn drawn(pane: &mut GeneratePane, width: u16, height: u16, level: ColorLevel) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(buf.area, None, &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width.max(1)))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Refuse(why)] => why,
        other => panic!("{other:?}"),
    }
}

fn act_of(effects: &[Effect]) -> (u32, JobAct) {
    match effects {
        [Effect::Ask(ReplyFor::Act, AnyRequest::JobAct(request::JobAct { id, act }))] => {
            (*id, *act)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_running_job_shows_progress_and_generator() {
    let mut running = job(1, JobStatus::Running);
    running.rate = 127.34;
    running.left_s = Some(230);
    running.failed = 3;
    running.step = Some(Step {
        done: 12,
        of: 30,
        batch: 4,
    });
    running.device = "sdxl-base on CPU (f32); no GPU: the loader does not find libcuda.so.1".into();
    let scheduler = Scheduler::Euler;
    running.settings = Some(Settings {
        width: 1024,
        height: 768,
        steps: 30,
        guidance: 7.5,
        scheduler,
    });
    let mut pane = shown(vec![job(1, JobStatus::Running), job(2, JobStatus::Queued)]);
    assert!(pane.on_job(running).is_empty());
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    for part in [
        "1 missing pictures",
        "queued",
        "512 of 1,000",
        "3 failed",
        "127.3 images",
        "step 12 of 30",
        " sdxl-base on CPU (f32)\n",
        " no GPU: the loader does not find libcuda.so.1\n",
        "1024x768, 30 steps, guidance 7.5, euler",
        "seed 7, by ann",
    ] {
        assert!(picture.contains(part), "{part} in\n{picture}");
    }
}

#[test]
fn gauges_show_readings_or_why_there_are_none() {
    let mut pane = shown(vec![]);
    assert!(drawn(&mut pane, 80, 21, ColorLevel::Mono).contains("press n"));
    let cpu = Cpu {
        cores: 2,
        busy: Some(0.75),
        ours: Some(0.5),
    };
    pane.on_devices(Devices {
        no_gpu: Some("no NVIDIA driver is installed".into()),
        cpu,
        gpus: vec![],
    });
    let picture = drawn(&mut pane, 80, 21, ColorLevel::Mono);
    assert!(
        picture.contains("GPU: none (no NVIDIA driver is installed)"),
        "{picture}"
    );
    assert!(picture.contains("75 % of 2 cores, 50 % ours"), "{picture}");
    let gpu = Gpu {
        name: "NVIDIA H100".into(),
        utilisation: Some(93),
        memory_used: Some(20 << 30),
        memory_ours: Some(16 << 30),
        memory_total: Some(80 << 30),
        temperature: Some(61),
        power: Some(350_000),
        power_limit: Some(700_000),
    };
    for _ in 0..READINGS + 5 {
        pane.on_devices(Devices {
            gpus: vec![gpu.clone()],
            no_gpu: None,
            cpu,
        });
    }
    assert_eq!(pane.history.gpu.len(), READINGS);
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True);
    for part in [
        "NVIDIA H100  61 °C",
        "93 %",
        "20.0 of 80.0 GiB, 16.0 ours",
        "350 of 700 W",
    ] {
        assert!(picture.contains(part), "{part} in\n{picture}");
    }
    // Readings that a virtual machine lacks are left out, not shown as zero.
    pane.on_devices(Devices {
        gpus: vec![Gpu {
            name: "slice".into(),
            ..Gpu::default()
        }],
        no_gpu: None,
        cpu,
    });
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    assert!(
        picture.contains("slice") && !picture.contains("GiB") && !picture.contains(" W"),
        "{picture}"
    );
}

#[test]
fn actions_that_a_job_does_not_allow_are_refused() {
    let mut pane = shown(vec![
        job(1, JobStatus::Running),
        job(2, JobStatus::Queued),
        job(3, JobStatus::Done),
    ]);
    assert_eq!(act_of(&pane.act(Action::PauseJob)), (1, JobAct::Pause));
    assert_eq!(act_of(&pane.act(Action::CancelJob)), (1, JobAct::Cancel));
    refused(&pane.act(Action::JobUp));
    assert_eq!(act_of(&pane.act(Action::JobDown)), (1, JobAct::Place(2)));
    refused(&pane.act(Action::RemoveJob));
    refused(&pane.act(Action::RetryJob));
    refused(&pane.act(Action::JobFailures));
    pane.act(Action::Bottom);
    refused(&pane.act(Action::PauseJob));
    refused(&pane.act(Action::JobUp));
    refused(&pane.act(Action::CancelJob));
    assert_eq!(act_of(&pane.act(Action::RemoveJob)), (3, JobAct::Remove));
    let mut none = shown(vec![]);
    refused(&none.act(Action::PauseJob));
    assert!(matches!(&none.act(Action::Back)[..], [Effect::Leave]));
}

#[test]
fn typed_numbers_are_checked() {
    let mut pane = shown(vec![job(4, JobStatus::Paused)]);
    assert_eq!(act_of(&pane.act(Action::PauseJob)), (4, JobAct::Resume));
    let effects = pane.act(Action::JobBatch);
    assert!(
        matches!(
            &effects[..],
            [Effect::AskText {
                purpose: TextFor::Batch(4),
                ..
            }]
        ),
        "{effects:?}"
    );
    assert_eq!(
        act_of(&pane.typed(&TextFor::Batch(4), " 8 ")),
        (4, JobAct::Batch(Some(8)))
    );
    assert_eq!(
        act_of(&pane.typed(&TextFor::PerMinute(4), "")),
        (4, JobAct::PerMinute(None))
    );
    for wrong in ["0", "-1", "many", "99999999999"] {
        assert!(
            refused(&pane.typed(&TextFor::Batch(4), wrong)).contains(wrong),
            "{wrong}"
        );
    }
}

#[test]
fn a_job_is_counted_before_it_starts() {
    let mut pane = shown(vec![]);
    let effects = pane.act(Action::NewJob);
    let [Effect::AskChoice { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let effects = pane.chosen(purpose, 0);
    let Some(Effect::Ask(ReplyFor::Count(wished), AnyRequest::Generate(request::Generate(asked)))) =
        effects.last()
    else {
        panic!("{effects:?}")
    };
    assert!(asked.dry && asked.plan == Plan::Missing && wished.samples == 1);
    let counted = StartedJob {
        pictures: 1000,
        items: 3000,
        without: 7,
        generator: "storyboard".into(),
        ..StartedJob::default()
    };
    let effects = pane.on_count((**wished).clone(), Ok(counted));
    let [
        Effect::AskChoice {
            purpose,
            title,
            lines,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(title.contains("1,000 pictures of 3,000 items with storyboard"));
    assert!(lines[0].1.starts_with("7 "));
    assert!(lines[1].1.starts_with("4,000 "));
    let effects = pane.chosen(purpose, 1);
    let [Effect::Ask(ReplyFor::Begun, AnyRequest::Generate(request::Generate(asked)))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(!asked.dry && asked.samples == 4);
    // A changed setting is counted again. An invalid one is asked for again.
    assert_eq!(lines.len(), 8, "digits pick each line: {lines:?}");
    for (setting, typed) in Setting::ALL
        .into_iter()
        .zip(["7", "640x480", "20", "4.5", "candle", "2"])
    {
        let at = lines
            .iter()
            .position(|(name, _)| name == setting.name())
            .unwrap();
        let effects = pane.chosen(purpose, at);
        let [Effect::AskText { purpose: asked, .. }] = &effects[..] else {
            panic!("{effects:?}")
        };
        let effects = pane.typed(asked, typed);
        let Some(Effect::Ask(ReplyFor::Count(set), AnyRequest::Generate(_))) = effects.last()
        else {
            panic!("{effects:?}")
        };
        assert_eq!((setting.of(set).as_str(), set.dry), (typed, true));
        let again = pane.typed(asked, "x-y");
        assert!(
            matches!(&again[..], [Effect::AskText { .. }, Effect::Refuse(_)]),
            "{setting:?}: {again:?}"
        );
    }
    let nothing = pane.on_count(
        NewJob::default(),
        Ok(StartedJob {
            imported: 9,
            ..StartedJob::default()
        }),
    );
    assert!(matches!(&nothing[..], [Effect::Say(text)] if text.contains(": 9 ")));
    assert!(
        refused(&pane.on_count(
            NewJob::default(),
            Err(Error::new(ErrorKind::Input, "no such model"))
        ))
        .contains("no such")
    );
    assert!(refused(&pane.typed(&TextFor::Filter, "status:nonsense")).contains("nonsense"));
    let effects = pane.typed(&TextFor::Filter, "subtask:animal");
    assert!(
        matches!(effects.last(), Some(Effect::Ask(ReplyFor::Count(job), _)) if job.plan == Plan::Filter("subtask:animal".into()))
    );
}

/// A job that waits for consent to this server.
fn waits(to: &str, agreed: bool) -> Option<Box<PendingConsent>> {
    let destination = Destination::new(to, Some("A_KEY"), DataKind::Texts).unwrap();
    let to = vec![RequestedDestination {
        destination,
        agreed,
    }];
    Some(Box::new(PendingConsent {
        elsewhere: true,
        what: "9 prompts for pictures".into(),
        count: 9,
        to,
    }))
}

#[test]
fn a_job_that_waits_for_consent_asks_before_it_resumes() {
    let mut waiting = job(1, JobStatus::Paused);
    waiting.waits = waits("https://a.example", false);
    waiting.reason = waiting.waits.as_ref().map(|w| w.reason());
    let mut pane = shown(vec![waiting.clone()]);
    let picture = drawn(&mut pane, 160, 30, ColorLevel::True);
    assert!(
        picture.contains("9 prompts for pictures to https://a.example"),
        "{picture}"
    );
    let effects = pane.act(Action::PauseJob);
    let [
        Effect::AskChoice {
            purpose,
            title,
            lines,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(title.contains("9 prompts for pictures to https://a.example with $A_KEY"));
    assert!(
        lines[0].1.contains("https://a.example with $A_KEY"),
        "{lines:?}"
    );
    assert!(pane.chosen(purpose, 1).is_empty());
    let effects = pane.chosen(purpose, 0);
    let [Effect::Ask(ReplyFor::Act, AnyRequest::Agree(request::Agree { to, then }))] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(
        to.len() == 1
            && matches!(
                then,
                Some(ConsentedRequest::JobAct(request::JobAct {
                    id: 1,
                    act: JobAct::Resume
                }))
            )
    );
    // Consent that was given before is not given again, but the job still asks.
    waiting.waits = waits("https://a.example", true);
    let mut pane = shown(vec![waiting]);
    let effects = pane.act(Action::PauseJob);
    let [Effect::AskChoice { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        matches!(&pane.chosen(purpose, 0)[..], [Effect::Ask(_, AnyRequest::Agree(request::Agree { to, .. }))] if to.is_empty())
    );
    // A new job with a server that nobody consented to.
    let counted = StartedJob {
        pictures: 9,
        items: 9,
        waits: waits("https://a.example", false),
        ..StartedJob::default()
    };
    let effects = pane.on_count(NewJob::default(), Ok(counted));
    let [Effect::AskChoice { purpose, title, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(title.contains("9 prompts"), "{title}");
    let effects = pane.chosen(purpose, 0);
    assert!(matches!(
        &effects[..],
        [Effect::Ask(
            ReplyFor::Begun,
            AnyRequest::Agree(request::Agree {
                then: Some(ConsentedRequest::Generate(_)),
                ..
            })
        )]
    ));
}

#[test]
fn failures_are_listed_with_reason_and_open_the_item() {
    let mut failed = job(1, JobStatus::Done);
    failed.failed = 1;
    let mut pane = shown(vec![failed]);
    let effects = pane.act(Action::JobFailures);
    assert!(matches!(
        &effects[..],
        [Effect::Ask(
            ReplyFor::Failures(1),
            AnyRequest::JobFailures(request::JobFailures { id: 1, from: 0 })
        )]
    ));
    let failure = JobFailure {
        dataset: "set".into(),
        picture: "images/9.png".into(),
        sample: 1,
        number: 42,
        kind: FailureKind::BadOutput,
        reason: "every pixel is black".into(),
        tries: 3,
    };
    let long = JobFailure {
        number: 43,
        reason: format!("{}thrice-told-end", "a reason ".repeat(20)),
        ..failure.clone()
    };
    pane.on_failures(2, Ok(vec![]));
    pane.on_failures(1, Ok(vec![long]));
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    assert!(
        picture.contains("thrice-told-end"),
        "the full reason is shown: {picture}"
    );
    let many = (0..8)
        .map(|n| JobFailure {
            number: 90 + n,
            ..failure.clone()
        })
        .collect();
    pane.on_failures(1, Ok(many));
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    let rows = picture
        .lines()
        .filter(|l| l.contains("#9") && l.contains("every pixel"))
        .count();
    assert_eq!(rows, 7, "as many as fit: {picture}");
    pane.on_failures(1, Ok(vec![failure]));
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    assert!(
        picture.contains("#42") && picture.contains("every pixel is black"),
        "{picture}"
    );
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Item(42)]));
    assert_eq!(act_of(&pane.act(Action::RetryJob)), (1, JobAct::Retry));
    assert!(
        pane.act(Action::Back).is_empty(),
        "back closes the list first"
    );
    refused(&pane.act(Action::Open));
}

#[test]
fn without_a_picture_the_text_gets_its_place() {
    let run = Some(Box::new(RunState::default()));
    let mut pane = shown(vec![JobState {
        run,
        plan: "p".repeat(60),
        ..job(1, JobStatus::Done)
    }]);
    assert!(drawn(&mut pane, 80, 21, ColorLevel::True).contains(&"p".repeat(60)));
    let mut pane = shown(vec![JobState {
        plan: "p".repeat(60),
        ..job(1, JobStatus::Queued)
    }]);
    assert!(
        !drawn(&mut pane, 80, 21, ColorLevel::True).contains(&"p".repeat(60)),
        "the picture keeps its place"
    );
}

#[test]
fn new_and_moved_jobs_request_the_list_again() {
    let mut pane = shown(vec![job(1, JobStatus::Running), job(2, JobStatus::Queued)]);
    pane.act(Action::Down);
    let again = |effects: Vec<Effect>| {
        matches!(
            &effects[..],
            [Effect::Ask(ReplyFor::Jobs, AnyRequest::Jobs(request::Jobs))]
        )
    };
    assert!(again(pane.on_job(job(3, JobStatus::Queued))));
    assert!(again(pane.on_job(job(1, JobStatus::Done))));
    pane.on_jobs(Ok(vec![
        job(2, JobStatus::Running),
        job(1, JobStatus::Done),
    ]));
    assert_eq!(
        pane.job().map(|j| j.id),
        Some(2),
        "the cursor stays on its job"
    );
    // The cursor goes to a job that was started here.
    pane.on_started(Ok(StartedJob {
        job: Some(job(5, JobStatus::Queued)),
        ..StartedJob::default()
    }));
    pane.on_jobs(Ok(vec![
        job(2, JobStatus::Running),
        job(1, JobStatus::Done),
    ]));
    assert_eq!(
        pane.job().map(|j| j.id),
        Some(2),
        "it is not in the list yet"
    );
    pane.on_jobs(Ok(vec![
        job(2, JobStatus::Running),
        job(5, JobStatus::Queued),
        job(1, JobStatus::Done),
    ]));
    assert_eq!(pane.job().map(|j| j.id), Some(5));
    pane.act(Action::Up);
    pane.on_jobs(Ok(vec![
        job(2, JobStatus::Running),
        job(5, JobStatus::Queued),
        job(1, JobStatus::Done),
    ]));
    assert_eq!(pane.job().map(|j| j.id), Some(2), "only once");
    assert!(pane.has_running_job());
    pane.on_removed(2);
    assert!(!pane.has_running_job());
}

#[test]
fn any_size_can_be_drawn() {
    let mut running = job(1, JobStatus::Running);
    running.newest = Some(Newest {
        path: "images/aa/b.png".into(),
        picture: "a.png".into(),
        number: 3,
        sample: 2,
        draft: true,
    });
    let mut pane = shown(vec![running]);
    for (width, height) in [
        (0, 0),
        (1, 1),
        (20, 5),
        (59, 30),
        (80, 21),
        (119, 40),
        (160, 47),
        (400, 120),
    ] {
        for level in [ColorLevel::Mono, ColorLevel::True] {
            drawn(&mut pane, width, height, level);
        }
    }
    assert!(drawn(&mut pane, 80, 21, ColorLevel::True).contains("draft  #3 a.png"));
}
