use super::*;
use crate::pane::Effect;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{self, lines, only, recorder, refused, said};
use crate::widgets::toast::Severity;
use benchtop_model::device::{Cpu, Gpu};
use benchtop_model::evaluation::RunState;
use benchtop_model::generation::{FailureKind, Scheduler, Settings};
use benchtop_model::job::{Budget, BudgetChange, NewJob, Plan, StartedJob, Step, Usage};
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
    let mut pane = GeneratePane::default();
    pane.on_jobs(Ok(jobs));
    drawn(&mut pane, 80, 21, ColorLevel::True);
    pane
}

fn drawn(pane: &mut GeneratePane, width: u16, height: u16, level: ColorLevel) -> String {
    testing::drawn(&recorder(), pane, (width, height), level)
}

fn act(pane: &mut GeneratePane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

fn on_job(pane: &mut GeneratePane, job: &JobState) -> Vec<Effect> {
    recorder().notify(pane, Notice::Job(job))
}

fn act_of(effects: &[Effect]) -> (u32, JobAct) {
    match effects {
        [ask] => match testing::request(ask) {
            AnyRequest::JobAct(request::JobAct { id, act }) => (*id, *act),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// The request that counts the pictures of a job, after the message about it.
fn counting(mut effects: Vec<Effect>) -> (Effect, NewJob) {
    let ask = effects.pop().unwrap();
    assert_eq!(said(&effects).severity, Severity::Info);
    let AnyRequest::Generate(request::Generate(job, _)) = testing::request(&ask) else {
        panic!("{ask:?}")
    };
    let job = (**job).clone();
    assert!(job.dry);
    (ask, job)
}

/// Asks for missing pictures, and answers with this count.
fn count(pane: &mut GeneratePane, count: Result<StartedJob>) -> Vec<Effect> {
    let mut menu = only(act(pane, Action::NewJob));
    let (ask, job) = counting(recorder().choose(pane, &mut menu, 0));
    assert!(job.plan == Plan::Missing && job.samples == 1);
    recorder().reply::<request::Generate>(pane, ask, count)
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
    assert!(on_job(&mut pane, &running).is_empty());
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
    assert_eq!(
        act_of(&act(&mut pane, Action::PauseJob)),
        (1, JobAct::Pause)
    );
    assert_eq!(
        act_of(&act(&mut pane, Action::CancelJob)),
        (1, JobAct::Cancel)
    );
    refused(&act(&mut pane, Action::JobUp));
    assert_eq!(
        act_of(&act(&mut pane, Action::JobDown)),
        (1, JobAct::Place(2))
    );
    refused(&act(&mut pane, Action::RemoveJob));
    refused(&act(&mut pane, Action::RetryJob));
    refused(&act(&mut pane, Action::JobFailures));
    act(&mut pane, Action::Bottom);
    refused(&act(&mut pane, Action::PauseJob));
    refused(&act(&mut pane, Action::JobUp));
    refused(&act(&mut pane, Action::CancelJob));
    assert_eq!(
        act_of(&act(&mut pane, Action::RemoveJob)),
        (3, JobAct::Remove)
    );
    let mut none = shown(vec![]);
    refused(&act(&mut none, Action::PauseJob));
    assert!(matches!(
        &act(&mut none, Action::Back)[..],
        [Effect::Open(Target::Review)]
    ));
}

#[test]
fn typed_numbers_are_checked() {
    let mut pane = shown(vec![job(4, JobStatus::Paused)]);
    assert_eq!(
        act_of(&act(&mut pane, Action::PauseJob)),
        (4, JobAct::Resume)
    );
    for (action, typed, set) in [
        (Action::JobBatch, " 8 ", JobAct::Batch(Some(8))),
        (Action::JobRate, "", JobAct::PerMinute(None)),
    ] {
        let mut prompt = only(act(&mut pane, action));
        let effects = recorder().write(&mut pane, &mut prompt, typed);
        assert_eq!(act_of(&effects.unwrap()), (4, set));
        for wrong in ["0", "-1", "many", "99999999999"] {
            let why = recorder().write(&mut pane, &mut prompt, wrong);
            assert!(why.unwrap_err().contains(wrong), "{wrong}");
        }
    }
}

#[test]
fn a_job_is_counted_before_it_starts() {
    let mut pane = shown(vec![]);
    let rec = recorder();
    let counted = StartedJob {
        pictures: 1000,
        items: 3000,
        without: 7,
        generator: "storyboard".into(),
        ..StartedJob::default()
    };
    let mut menu = only(count(&mut pane, Ok(counted.clone())));
    let (title, shown) = lines(&menu);
    assert!(title.contains("1,000 pictures of 3,000 items with storyboard"));
    assert!(shown[0].1.starts_with("7 "));
    assert!(shown[1].1.starts_with("4,000 "));
    assert_eq!(shown.len(), 8, "digits pick each line: {shown:?}");
    let names: Vec<String> = shown.iter().map(|(name, _)| name.to_string()).collect();
    let ask = only(rec.choose(&mut pane, &mut menu, 1));
    assert!(
        matches!(testing::request(&ask), AnyRequest::Generate(request::Generate(job, _)) if !job.dry && job.samples == 4)
    );
    // A changed setting is counted again. An invalid one is asked for again.
    for (setting, typed) in Setting::ALL
        .into_iter()
        .zip(["7", "640x480", "20", "4.5", "candle", "2"])
    {
        let at = names.iter().position(|name| name == setting.name());
        let mut menu = only(count(&mut pane, Ok(counted.clone())));
        let mut prompt = only(rec.choose(&mut pane, &mut menu, at.unwrap()));
        let (_, job) = counting(rec.write(&mut pane, &mut prompt, typed).unwrap());
        assert_eq!(setting.of(&job), typed);
        let wrong = rec.write(&mut pane, &mut prompt, "x-y");
        assert!(wrong.is_err(), "{setting:?}: {wrong:?}");
    }
    let imported = StartedJob {
        imported: 9,
        ..StartedJob::default()
    };
    assert!(said(&count(&mut pane, Ok(imported))).text.contains(": 9 "));
    let failed = Err(Error::new(ErrorKind::Input, "no such model"));
    assert!(refused(&count(&mut pane, failed)).contains("no such"));
    let mut menu = only(act(&mut pane, Action::NewJob));
    let mut prompt = only(rec.choose(&mut pane, &mut menu, 1));
    let wrong = rec.write(&mut pane, &mut prompt, "status:nonsense");
    assert!(wrong.unwrap_err().contains("nonsense"));
    let effects = rec.write(&mut pane, &mut prompt, "subtask:animal");
    let (_, job) = counting(effects.unwrap());
    assert_eq!(job.plan, Plan::Filter("subtask:animal".into()));
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
    let rec = recorder();
    let mut menu = only(act(&mut pane, Action::PauseJob));
    let (title, shown_lines) = lines(&menu);
    assert!(title.contains("9 prompts for pictures to https://a.example with $A_KEY"));
    assert!(
        shown_lines[0].1.contains("https://a.example with $A_KEY"),
        "{shown_lines:?}"
    );
    assert!(rec.choose(&mut pane, &mut menu, 1).is_empty());
    let agreed = |pane: &mut GeneratePane| {
        let mut menu = only(act(pane, Action::PauseJob));
        let ask = only(rec.choose(pane, &mut menu, 0));
        match testing::request(&ask) {
            AnyRequest::Agree(request::Agree { to, then }) => (to.len(), then.clone()),
            other => panic!("{other:?}"),
        }
    };
    let (to, then) = agreed(&mut pane);
    let resumes = |then| {
        matches!(
            then,
            Some(ConsentedRequest::JobAct(request::JobAct {
                id: 1,
                act: JobAct::Resume
            }))
        )
    };
    assert!(to == 1 && resumes(then));
    // Consent that was given before is not given again, but the job still asks.
    waiting.waits = waits("https://a.example", true);
    let mut pane = shown(vec![waiting]);
    let (to, then) = agreed(&mut pane);
    assert!(to == 0 && resumes(then));
    // A new job with a server that nobody consented to.
    let counted = StartedJob {
        pictures: 9,
        items: 9,
        waits: waits("https://a.example", false),
        ..StartedJob::default()
    };
    let mut menu = only(count(&mut pane, Ok(counted)));
    let (title, _) = lines(&menu);
    assert!(title.contains("9 prompts"), "{title}");
    let ask = only(rec.choose(&mut pane, &mut menu, 0));
    assert!(matches!(
        testing::request(&ask),
        AnyRequest::Agree(request::Agree {
            then: Some(ConsentedRequest::Generate(_)),
            ..
        })
    ));
    // The reply to the consent is the reply of the job.
    let started = StartedJob {
        job: Some(job(2, JobStatus::Queued)),
        ..StartedJob::default()
    };
    let effects = rec.reply::<request::Generate>(&mut pane, ask, Ok(started));
    assert!(
        matches!(&effects[..], [Effect::Say(toast), Effect::Ask(_)] if toast.severity == Severity::Done)
    );
}

#[test]
fn failures_are_listed_with_reason_and_open_the_item() {
    let mut failed = job(1, JobStatus::Done);
    failed.failed = 1;
    let mut pane = shown(vec![failed]);
    let ask = only(act(&mut pane, Action::JobFailures));
    assert!(matches!(
        testing::request(&ask),
        AnyRequest::JobFailures(request::JobFailures { id: 1, from: 0 })
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
    pane.on_failures(2, Ok(vec![]), String::new());
    recorder().reply::<request::JobFailures>(&mut pane, ask, Ok(vec![long]));
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
    pane.on_failures(1, Ok(many), String::new());
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    let rows = picture
        .lines()
        .filter(|l| l.contains("#9") && l.contains("every pixel"))
        .count();
    assert_eq!(rows, 7, "as many as fit: {picture}");
    pane.on_failures(1, Ok(vec![failure]), String::new());
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True);
    assert!(
        picture.contains("#42") && picture.contains("every pixel is black"),
        "{picture}"
    );
    assert!(matches!(
        &act(&mut pane, Action::Open)[..],
        [Effect::Open(Target::Item(42))]
    ));
    assert_eq!(
        act_of(&act(&mut pane, Action::RetryJob)),
        (1, JobAct::Retry)
    );
    assert!(
        act(&mut pane, Action::Back).is_empty(),
        "back closes the list first"
    );
    refused(&act(&mut pane, Action::Open));
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
    act(&mut pane, Action::Down);
    let again =
        |effects: Vec<Effect>| matches!(testing::request(&only(effects)), AnyRequest::Jobs(_));
    assert!(again(on_job(&mut pane, &job(3, JobStatus::Queued))));
    assert!(again(on_job(&mut pane, &job(1, JobStatus::Done))));
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
    let started = |pictures, job| StartedJob {
        pictures,
        job,
        ..StartedJob::default()
    };
    let mut menu = only(count(&mut pane, Ok(started(1, None))));
    let ask = only(recorder().choose(&mut pane, &mut menu, 0));
    let begun = started(1, Some(job(5, JobStatus::Queued)));
    recorder().reply::<request::Generate>(&mut pane, ask, Ok(begun));
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
    act(&mut pane, Action::Up);
    pane.on_jobs(Ok(vec![
        job(2, JobStatus::Running),
        job(5, JobStatus::Queued),
        job(1, JobStatus::Done),
    ]));
    assert_eq!(pane.job().map(|j| j.id), Some(2), "only once");
}

#[test]
fn gauges_are_read_while_a_job_runs_and_the_pane_is_shown() {
    let mut pane = shown(vec![]);
    let mut rec = recorder();
    let answer = |rec: &Recorder, pane: &mut GeneratePane, standing| {
        let ask = rec.open(pane).remove(0);
        rec.reply::<request::Jobs>(pane, ask, Ok(vec![job(1, standing)]));
        pane.due()
    };
    assert_eq!(answer(&rec, &mut pane, JobStatus::Queued), None);
    rec.is_shown = false;
    assert_eq!(answer(&rec, &mut pane, JobStatus::Running), None);
    rec.is_shown = true;
    rec.now = answer(&rec, &mut pane, JobStatus::Running).unwrap();
    assert!(matches!(
        testing::request(&only(rec.tick(&mut pane))),
        AnyRequest::Devices(_)
    ));
    assert_eq!(pane.due(), None, "until the reply");
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

/// A job that sends requests, with what it has sent.
fn sending(id: u32, standing: JobStatus) -> JobState {
    JobState {
        budget: Budget {
            requests: Some(37),
            tokens: None,
            cost_micros: Some(2_500_000),
        },
        usage: Some(Usage {
            requests: 12,
            tokens_in: 1200,
            tokens_out: 60,
            untold: 0,
            cost_micros: Some(1_030_000),
        }),
        ..job(id, standing)
    }
}

#[test]
fn a_job_shows_what_is_spent_of_its_budget() {
    let mut pane = shown(vec![sending(1, JobStatus::Running)]);
    let picture = drawn(&mut pane, 80, 21, ColorLevel::Mono);
    for part in ["12 of 37", "1.03 of 2.5"] {
        assert!(picture.contains(part), "{part} in\n{picture}");
    }
    let mut free = sending(1, JobStatus::Running);
    free.budget = Budget::default();
    on_job(&mut pane, &free);
    let picture = drawn(&mut pane, 80, 21, ColorLevel::Mono);
    assert!(!picture.contains("12 of 37"), "{picture}");
}

#[test]
fn a_budget_is_typed_into_a_prompt() {
    let mut pane = shown(vec![sending(4, JobStatus::Paused)]);
    let mut prompt = only(act(&mut pane, Action::JobBudget));
    let typed = "requests 100 tokens 5000";
    let effects = recorder().write(&mut pane, &mut prompt, typed).unwrap();
    let change = BudgetChange {
        requests: Some(Some(100)),
        tokens: Some(Some(5000)),
        cost_micros: Some(None),
    };
    assert_eq!(act_of(&effects), (4, JobAct::Budget(change)));
    for wrong in ["many", "requests 0", "cost -1"] {
        let why = recorder().write(&mut pane, &mut prompt, wrong);
        assert!(why.unwrap_err().contains(wrong), "{wrong}");
    }
    // Jobs that send nothing, or nothing anymore, have no budget.
    for none in [job(4, JobStatus::Running), sending(4, JobStatus::Done)] {
        let mut pane = shown(vec![none]);
        refused(&act(&mut pane, Action::JobBudget));
    }
}
