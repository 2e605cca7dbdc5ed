use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::*;
use benchtop_model::cancel::Cancel;
use benchtop_model::evaluation::{NewRun, OptionOrders, Server, Wording};
use benchtop_model::generation::FailureKind;
use benchtop_model::job::{Budget, JobAct, NewJob, Plan};
use benchtop_model::{Filter, Status, Verdict};

#[test]
fn job_makes_each_picture_once_and_resets_decisions() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    rig.decide(1, Verdict::Accept).unwrap();
    let mut events = rig.shared.broadcast.events.subscribe();
    let dry = begin(
        &rig.shared,
        "ann",
        &NewJob {
            dry: true,
            ..missing()
        },
        Cancel::NEVER,
    )
    .unwrap();
    assert!(dry.job.is_none() && dry.items == 60 && rig.shared.jobs.list().unwrap().is_empty());
    let id = rig.begin(missing());
    let job = rig.until(id, JobStatus::Done);
    assert_eq!(
        (job.done, job.of, job.failed),
        (dry.pictures, Some(dry.pictures), 0)
    );
    assert_eq!(
        (job.device.as_str(), job.by.as_str(), job.place),
        ("small", "ann", 0)
    );
    let made = rig.made();
    assert_eq!(made.len() as u64, dry.pictures);
    assert!((1..=60).all(|n| {
        rig.item(n).images[0]
            .stored()
            .is_some_and(|p| project.root().join(p).is_file())
    }));
    assert_eq!(
        rig.status(1),
        Status::Pending,
        "the decision was made without a picture"
    );
    rig.decide(1, Verdict::Accept).unwrap();
    assert_eq!(rig.status(1), Status::Accepted);
    let mut announced = BTreeSet::new();
    let mut standings = Vec::new();
    while let Ok(event) = events.try_recv() {
        match event {
            Event::PicturesGenerated { numbers, .. } => announced.extend(numbers),
            Event::Job(state) => standings.push(state.standing),
            _ => {}
        }
    }
    assert_eq!(announced, (1..=60).collect());
    assert_eq!(
        (standings[0], standings[standings.len() - 1]),
        (JobStatus::Queued, JobStatus::Done)
    );
    // Nothing is missing, and the same seed gives the same pictures, so there is nothing to make.
    assert_eq!(
        begin(&rig.shared, "ann", &missing(), Cancel::NEVER)
            .unwrap_err()
            .kind,
        ErrorKind::Conflict
    );
    let again = rig.begin(NewJob {
        plan: Plan::Filter(String::new()),
        ..missing()
    });
    assert_eq!(rig.until(again, JobStatus::Done).done, 0);
    let other = rig.begin(NewJob {
        plan: Plan::Items(vec![1]),
        seed: 6,
        ..missing()
    });
    assert_eq!(rig.until(other, JobStatus::Done).done, 1);
    assert_eq!(rig.status(1), Status::Pending, "it has a new picture");
    assert_eq!(rig.made().len() as u64, dry.pictures + 1);
    assert_eq!(super::pictures_of_item(&rig.shared, 1).unwrap().len(), 2);
    let newest = super::pictures_of_item(&rig.shared, 1).unwrap().remove(0);
    assert_eq!(rig.item(1).images[0].hash, Some(newest.hash));
    // Decisions and pictures survive a restart.
    let (status, rev) = (
        (1..=60).map(|n| rig.status(n)).collect::<Vec<_>>(),
        rig.shared.items.ledger().rev(),
    );
    drop(rig);
    let rig = Rig::over(&project, &small);
    assert_eq!((1..=60).map(|n| rig.status(n)).collect::<Vec<_>>(), status);
    assert_eq!(rig.shared.items.ledger().rev(), rev);
    assert_eq!(rig.shared.jobs.list().unwrap().len(), 3);
}

#[test]
fn job_pauses_resumes_and_cancels_between_pictures() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.script(|s| s.permits = Some(0));
    let rig = Rig::over(&project, &small);
    let id = rig.begin(missing());
    rig.wait(id, "running", |j| {
        j.standing == JobStatus::Running && j.step.is_some()
    });
    assert_eq!(
        rig.act(id, JobAct::Remove).unwrap_err().kind,
        ErrorKind::Conflict
    );
    assert_eq!(
        rig.act(id, JobAct::Resume).unwrap_err().kind,
        ErrorKind::Conflict
    );
    small.script(|s| s.permits = Some(2));
    rig.wait(id, "two pictures", |j| {
        j.done >= 1 || !rig.shared.items.pictures().is_empty()
    });
    assert_eq!(
        rig.act(id, JobAct::Pause).unwrap().unwrap().standing,
        JobStatus::Paused
    );
    small.script(|s| s.permits = None);
    let deadline = Instant::now() + PATIENCE;
    while rig.shared.activity.jobs() > 0 {
        assert!(Instant::now() < deadline, "it stops");
        std::thread::sleep(Duration::from_millis(2));
    }
    let paused = rig.made().len();
    assert!((1..=4).contains(&paused), "{paused}");
    assert_eq!(rig.job(id).standing, JobStatus::Paused);
    // A paused job stays paused after a restart.
    drop(rig);
    let rig = Rig::over(&project, &small);
    assert_eq!(rig.job(id).standing, JobStatus::Paused);
    assert_eq!(rig.job(id).done, paused as u64);
    small.script(|s| s.permits = Some(3));
    rig.act(id, JobAct::Resume).unwrap();
    rig.wait(id, "more", |j| {
        j.done > paused as u64 || rig.shared.items.pictures().len() > paused
    });
    rig.act(id, JobAct::Cancel).unwrap();
    small.script(|s| s.permits = None);
    assert_eq!(
        rig.act(id, JobAct::Retry).unwrap_err().kind,
        ErrorKind::Conflict
    );
    assert_eq!(
        rig.act(id, JobAct::Pause).unwrap_err().kind,
        ErrorKind::Conflict
    );
    rig.act(id, JobAct::Remove).unwrap();
    assert!(rig.shared.jobs.list().unwrap().is_empty());
    assert_eq!(
        rig.act(id, JobAct::Pause).unwrap_err().kind,
        ErrorKind::NotFound
    );
    // A new job with a new ID makes the rest.
    let rest = rig.begin(missing());
    assert!(rest > id);
    rig.until(rest, JobStatus::Done);
    rig.made();
}

#[test]
fn job_continues_after_restart() {
    let (_dir, project) = composed(80);
    let small = Small::default();
    small.script(|s| s.permits = Some(5));
    let rig = Rig::over(&project, &small);
    let id = rig.begin(missing());
    let of = rig.job(id).of.unwrap();
    rig.wait(id, "five", |_| rig.shared.items.pictures().len() >= 4);
    drop(rig);
    let rig = Rig::over(&project, &small);
    small.script(|s| s.permits = None);
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.done, job.of), (of, Some(of)));
    assert_eq!(rig.made().len() as u64, of);
}

#[test]
fn queue_order_and_requested_pictures() {
    let (_dir, project) = composed(80);
    let small = Small::default();
    small.script(|s| s.permits = Some(0));
    let rig = Rig::over(&project, &small);
    let one = NewJob {
        plan: Plan::Items((1..=40).collect()),
        batch: Some(1),
        ..missing()
    };
    let first = rig.begin(one.clone());
    let second = rig.begin(NewJob {
        plan: Plan::Items((41..=80).collect()),
        ..one
    });
    assert_eq!((rig.job(first).place, rig.job(second).place), (1, 2));
    rig.wait(first, "at work", |j| j.step.is_some());
    // Request a picture of the second job, then one of the first.
    assert_eq!(
        request_picture(&rig.shared, 80, Cancel::NEVER).unwrap(),
        Some(second)
    );
    assert_eq!(
        request_picture(&rig.shared, 40, Cancel::NEVER).unwrap(),
        Some(first)
    );
    assert_eq!(rig.act(second, JobAct::Place(1)).unwrap().unwrap().place, 1);
    let order: Vec<u32> = rig
        .shared
        .jobs
        .list()
        .unwrap()
        .iter()
        .map(|j| j.id)
        .collect();
    assert_eq!(order, [second, first]);
    let (waited, other) = (prompt_of(&rig, 80), prompt_of(&rig, 40));
    small.script(|s| s.permits = None);
    rig.until(second, JobStatus::Done);
    rig.until(first, JobStatus::Done);
    let calls = small.script(|s| s.calls.iter().map(|c| c[0].0.clone()).collect::<Vec<_>>());
    assert_eq!(
        (&calls[1], &calls[2]),
        (&other, &waited),
        "the latest request comes first"
    );
    let seconds: BTreeSet<String> = (41..=80).map(|n| prompt_of(&rig, n)).collect();
    let last_of_second = calls.iter().rposition(|c| seconds.contains(c)).unwrap();
    let firsts = calls[3..last_of_second]
        .iter()
        .filter(|c| !seconds.contains(*c))
        .count();
    assert_eq!(firsts, 0, "the first job waited for the second");
    assert_eq!(
        request_picture(&rig.shared, 80, Cancel::NEVER).unwrap(),
        None,
        "it exists already"
    );
    assert_eq!(
        request_picture(&rig.shared, 81, Cancel::NEVER)
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    rig.made();
}

#[test]
fn failed_pictures_are_retried_and_skipped() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    let (bad, refused, panics) = (prompt_of(&rig, 1), prompt_of(&rig, 30), prompt_of(&rig, 60));
    small.script(|s| {
        s.fails = [
            (bad.clone(), FailureKind::BadOutput),
            (refused.clone(), FailureKind::Refused),
        ]
        .into();
        s.panics = Some(panics.clone());
    });
    let id = rig.begin(missing());
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.failed, job.done + 3), (3, job.of.unwrap()));
    let times = |prompt: &str| {
        small.script(|s| {
            s.calls
                .iter()
                .flatten()
                .filter(|(p, _)| p == prompt)
                .count()
        })
    };
    assert_eq!((times(&bad), times(&refused), times(&panics)), (3, 1, 3));
    let list = rig.shared.jobs.failures(&rig.shared, id, 0).unwrap();
    assert_eq!(list.iter().map(|f| f.tries).collect::<Vec<_>>(), [3, 1, 3]);
    assert!(
        list[2].reason.contains("scripted failure"),
        "{}",
        list[2].reason
    );
    assert_eq!((list[0].number, list[0].kind), (1, FailureKind::BadOutput));
    assert_eq!(
        rig.shared.jobs.failures(&rig.shared, id, 2).unwrap().len(),
        1
    );
    // Failures survive a restart and are retried on request.
    drop(rig);
    let rig = Rig::over(&project, &small);
    assert_eq!(rig.job(id).failed, 3);
    small.script(|s| (s.fails, s.panics) = (BTreeMap::new(), None));
    rig.act(id, JobAct::Retry).unwrap();
    let job = rig.wait(id, "all of them", |j| {
        j.standing == JobStatus::Done && j.failed == 0
    });
    assert_eq!(Some(job.done), job.of);
    rig.made();
}

#[test]
fn batch_is_halved_when_out_of_memory() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.script(|s| s.room = Some(1));
    let rig = Rig::over(&project, &small);
    let id = rig.begin(missing());
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.failed, Some(job.done)), (0, job.of));
    let sizes = small.script(|s| s.calls.iter().map(Vec::len).collect::<Vec<_>>());
    assert_eq!(&sizes[..3], [4, 2, 1]);
    assert!(sizes[3..].iter().all(|n| *n == 1));
    rig.made();
}

#[test]
fn invalid_pictures_are_dropped_and_failing_job_pauses() {
    let (_dir, project) = composed(120);
    let small = Small::default();
    small.script(|s| s.flat = true);
    let rig = Rig::over(&project, &small);
    let id = rig.begin(missing());
    let job = rig.until(id, JobStatus::Paused);
    let reason = job.reason.unwrap();
    assert!(
        reason.contains(&super::super::session::IN_A_ROW.to_string()),
        "{reason}"
    );
    assert!(rig.made().is_empty());
    small.script(|s| s.flat = false);
    rig.act(id, JobAct::Retry).unwrap();
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.failed, Some(job.done), job.reason), (0, job.of, None));
}

#[test]
fn picture_replaces_draft() {
    let (_dir, project) = composed(40);
    let draft = Small {
        draft: true,
        ..Small::default()
    };
    let rig = Rig::over(&project, &draft);
    let id = rig.begin(missing());
    let drafts = rig.until(id, JobStatus::Done).done;
    assert!(rig.item(1).images[0].draft);
    rig.decide(1, Verdict::Accept).unwrap();
    drop(rig);
    let rig = Rig::over(&project, &Small::default());
    // The settings decide before the generator is built: only storyboards are drafts.
    let id = rig.begin(NewJob {
        plan: Plan::Filter("status:accepted".into()),
        seed: 8,
        ..missing()
    });
    assert_eq!(rig.until(id, JobStatus::Done).done, 1);
    assert!(!rig.item(1).images[0].draft);
    assert_eq!(rig.status(1), Status::Pending);
    assert_eq!(rig.made().len() as u64, drafts + 1);
    let left = rig
        .shared
        .requested
        .images(&rig.shared, Cancel::NEVER)
        .unwrap();
    let scope = benchtop_pipeline::generate::remaining::Scope {
        job: 9,
        rows: None,
        samples: 1,
        drafts: false,
    };
    assert_eq!(
        scope.work(&left, &rig.shared.items.pictures()).len() as u64,
        drafts - 1,
        "the drafts still count as missing"
    );
}

#[test]
fn begin_rejects_invalid_settings() {
    let (_dir, project) = composed(30);
    let rig = Rig::over(&project, &Small::default());
    let wrong = [
        NewJob {
            samples: 0,
            ..missing()
        },
        NewJob {
            batch: Some(0),
            ..missing()
        },
        NewJob {
            name: Some("a\nb".into()),
            ..missing()
        },
        NewJob {
            overrides: GenerationOverrides {
                backend: Some("crayon".into()),
                ..GenerationOverrides::default()
            },
            ..missing()
        },
        NewJob {
            overrides: GenerationOverrides {
                guidance: Some(f64::NAN),
                ..GenerationOverrides::default()
            },
            ..missing()
        },
        NewJob {
            plan: Plan::Items(vec![31]),
            ..missing()
        },
        NewJob {
            plan: Plan::Filter("status:nothing".into()),
            ..missing()
        },
    ];
    for new in wrong {
        let problem = begin(&rig.shared, "ann", &new, Cancel::NEVER).unwrap_err();
        assert!(
            matches!(problem.kind, ErrorKind::Usage | ErrorKind::NotFound),
            "{problem}"
        );
    }
    assert!(rig.shared.jobs.list().unwrap().is_empty());
    assert_eq!(
        crate::queries::numbers(
            &crate::visibility::AnnotatorView::unrestricted(&rig.shared),
            &Filter::default()
        )
        .unwrap()
        .len(),
        30
    );
}

#[test]
fn crashing_picture_comes_last_and_is_given_up() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    small.script(|s| s.permits = Some(0));
    let id = rig.begin(missing());
    rig.wait(id, "at work", |j| j.step.is_some());
    let named = rig
        .shared
        .requested
        .images(&rig.shared, Cancel::NEVER)
        .unwrap();
    let index = rig.shared.index.get().unwrap();
    let noted = index.flight(id).unwrap();
    assert_eq!(
        noted.iter().map(|f| f.key).collect::<Vec<_>>(),
        named.pictures()[..4]
            .iter()
            .map(|p| p.key)
            .collect::<Vec<_>>()
    );
    rig.act(id, JobAct::Pause).unwrap();
    drop(rig);
    // The state that crashed owners leave behind.
    let flight = |ends: u32| {
        vec![benchtop_store::jobs::PictureInProgress {
            key: named.pictures()[0].key,
            sample: 1,
            ends,
        }]
    };
    let leave = |ends: u32| {
        let index = benchtop_store::index::Index::open(&project.index()).unwrap();
        assert!(
            ends > 0 || index.flight(id).unwrap().is_empty(),
            "a regular exit leaves nothing"
        );
        index.note_flight(id, &flight(ends)).unwrap();
        index.sync().unwrap();
    };
    leave(0);
    let rig = Rig::over(&project, &small);
    rig.act(id, JobAct::Resume).unwrap();
    small.script(|s| (s.permits, s.calls) = (Some(5), Vec::new()));
    rig.wait(id, "at work", |_| small.script(|s| s.calls.len() >= 2));
    rig.act(id, JobAct::Pause).unwrap();
    let suspect = prompt_of(&rig, 1);
    assert!(
        small.script(|s| s.calls.iter().flatten().all(|(p, _)| *p != suspect)),
        "the other pictures come first"
    );
    drop(rig);
    leave(super::super::session::ENDS - 1);
    let rig = Rig::over(&project, &small);
    small.script(|s| s.permits = None);
    rig.act(id, JobAct::Resume).unwrap();
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.failed, Some(job.done + 1)), (1, job.of));
    assert!(
        rig.shared.jobs.failures(&rig.shared, id, 0).unwrap()[0]
            .reason
            .contains("5 times")
    );
    rig.act(id, JobAct::Retry).unwrap();
    rig.wait(id, "all of them", |j| {
        j.standing == JobStatus::Done && j.failed == 0
    });
    rig.made();
}

#[test]
fn a_job_that_cannot_be_written_down_is_not_begun_and_its_number_is_not_given_twice() {
    let (_dir, project) = composed(30);
    let folder = project.root().join("jobs");
    std::fs::write(&folder, "a file in the way").unwrap();
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    let problem = begin(&rig.shared, "ann", &missing(), Cancel::NEVER).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Input);
    assert!(rig.shared.jobs.list().unwrap().is_empty());
    std::fs::remove_file(&folder).unwrap();
    small.script(|s| s.permits = Some(0));
    let id = rig.begin(missing());
    rig.act(id, JobAct::Cancel).unwrap();
    drop(rig);
    // A file that cannot be read stays, and with it its number.
    let file = benchtop_store::jobs::file(project.root(), GENERATION.name, id);
    std::fs::write(&file, "{").unwrap();
    let rig = Rig::over(&project, &small);
    assert!(rig.shared.jobs.list().unwrap().is_empty());
    assert!(
        rig.shared
            .broadcast
            .notices()
            .iter()
            .any(|n| n.contains("0001.json"))
    );
    assert_eq!(rig.begin(missing()), id + 1);
    assert_eq!(std::fs::read(file).unwrap(), b"{");
}

/// The states of jobs in the events received so far.
fn announced(events: &mut tokio::sync::broadcast::Receiver<Event>) -> Vec<(u32, JobStatus)> {
    let mut found = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::Job(state) = event {
            found.push((state.id, state.standing));
        }
    }
    found
}

#[test]
fn a_new_generation_job_is_announced_once() {
    let (_dir, project) = composed(30);
    let small = Small::default();
    small.script(|s| s.permits = Some(0));
    let rig = Rig::over(&project, &small);
    // The first job blocks the device, so the second one stays in the queue.
    let first = rig.begin(missing());
    rig.wait(first, "started", |j| j.step.is_some());
    let mut events = rig.shared.broadcast.events.subscribe();
    let preview = NewJob {
        dry: true,
        ..missing()
    };
    begin(&rig.shared, "ann", &preview, Cancel::NEVER).unwrap();
    assert_eq!(announced(&mut events), [], "a preview creates no job");
    let second = rig.begin(missing());
    let mut found = announced(&mut events);
    found.retain(|(id, _)| *id == second);
    assert_eq!(found, [(second, JobStatus::Queued)]);
    // The job is not announced again when it is canceled while it waits: its state changes once.
    rig.act(second, JobAct::Cancel).unwrap();
    let mut found = announced(&mut events);
    found.retain(|(id, _)| *id == second);
    assert_eq!(found, [(second, JobStatus::Cancelled)]);
}

#[test]
fn a_new_evaluation_is_announced_once() {
    let (_dir, project) = composed(30);
    let rig = Rig::over(&project, &Small::default());
    // Without threads, the run stays in the queue.
    rig.shared.jobs.list().unwrap();
    rig.shared.jobs.end();
    let mut events = rig.shared.broadcast.events.subscribe();
    let new = NewRun {
        model: "m".into(),
        name: None,
        servers: vec![Server {
            url: "http://127.0.0.1:9/v1".into(),
            key_env: None,
            concurrency: 1,
            timeout_s: 1,
        }],
        filter: String::new(),
        sample: None,
        seed: 5,
        blind: true,
        orders: OptionOrders::AsIs,
        wording: Wording::Paper,
        max_tokens: 64,
        tries: 1,
        prices: (0, 0),
        dry: true,
        drafts: false,
    };
    let task = || TaskContext {
        shared: &rig.shared,
        who: "ann",
        progress: ProgressSink::NONE,
    };
    request::Evaluate(Box::new(new.clone()), Budget::default())
        .run(task())
        .unwrap();
    assert_eq!(announced(&mut events), [], "a preview creates no job");
    let new = NewRun { dry: false, ..new };
    let started = request::Evaluate(Box::new(new), Budget::default())
        .run(task())
        .unwrap();
    let id = started.job.unwrap().id;
    assert_eq!(announced(&mut events), [(id, JobStatus::Queued)]);
}

#[test]
fn another_device_does_not_start_a_second_thread_for_a_job_at_work() {
    let (_dir, project) = composed(30);
    let small = Small::default();
    small.script(|s| s.permits = Some(0));
    let rig = Rig::over(&project, &small);
    let id = rig.begin(missing());
    rig.wait(id, "the first batch", |_| {
        small.script(|s| s.calls.len()) == 1
    });
    let threads = || rig.shared.jobs.resources();
    let before = threads();
    // As after a change of the device in `benchtop.toml`.
    rig.shared.jobs.with(id, |_, job: &mut GenerationJob| {
        job.spec.wishes.backend = Some("candle".into());
    });
    rig.act(id, JobAct::Place(1)).unwrap();
    assert_eq!(threads(), before);
}

#[test]
fn a_retry_after_the_last_batch_is_not_lost() {
    let (_dir, project) = composed(30);
    let rig = Rig::over(&project, &Small::default());
    let id = rig.begin(missing());
    rig.until(id, JobStatus::Done);
    let ends = |at_work| {
        rig.shared.jobs.with(id, |_, job: &mut GenerationJob| {
            crate::engine::Job::retry(job, &rig.shared, at_work).unwrap();
            crate::engine::Job::<OwnerContext>::ends(job)
        })
    };
    assert_eq!((ends(true), ends(false)), (Some(false), Some(true)));
}
