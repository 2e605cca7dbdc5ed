//! Generation jobs at the owner: two clients see the same job, and a waiting client is served.

use std::sync::mpsc;

use benchtop::model::ErrorKind;
use benchtop::model::job::{
    Budget, GenerationOverrides, JobAct, JobState, JobStatus, NewJob, Plan,
};
use benchtop::protocol::wire::{Event, request};
use benchtop::protocol::{Client, Incoming};

use crate::durability::generate::{check, fifty};
use crate::support::{Bench, PATIENCE};

fn watcher(bench: &Bench, who: &str) -> (Client, mpsc::Receiver<Event>) {
    let (send, events) = mpsc::channel();
    let client = bench.client(who, move |incoming| {
        if let Incoming::Event(event) = incoming {
            let _ = send.send(event);
        }
    });
    client
        .ask(request::Subscribe {
            since: client.welcome().rev,
        })
        .unwrap();
    (client, events)
}

fn new() -> NewJob {
    let wishes = GenerationOverrides {
        size: Some((64, 64)),
        ..GenerationOverrides::default()
    };
    NewJob {
        samples: 1,
        seed: 4,
        per_minute: Some(600),
        overrides: wishes,
        ..NewJob::default()
    }
}

fn begin(client: &Client, new: NewJob) -> JobState {
    let begun = client
        .ask(request::Generate(Box::new(new), Budget::default()))
        .unwrap();
    begun.job.unwrap()
}

/// Hears events until one satisfies `done`.
fn hear(events: &mpsc::Receiver<Event>, mut done: impl FnMut(&Event) -> bool) {
    while !done(&events.recv_timeout(PATIENCE).expect("an event")) {}
}

#[test]
fn two_clients_follow_and_control_one_job() {
    let bench = fifty();
    let (ann, ann_hears) = watcher(&bench, "ann");
    let (bob, bob_hears) = watcher(&bench, "bob");
    let job = begin(&ann, new());
    assert_eq!((job.by.as_str(), job.place, job.of), ("ann", 1, Some(50)));
    hear(
        &bob_hears,
        |e| matches!(e, Event::Job(j) if j.standing == JobStatus::Running),
    );
    let mut told = 0;
    hear(&bob_hears, |e| {
        told += usize::from(
            matches!(e, Event::PicturesGenerated { numbers, .. } if !numbers.is_empty()),
        );
        told == 2
    });
    bob.ask(request::JobAct {
        id: job.id,
        act: JobAct::Pause,
    })
    .unwrap();
    hear(
        &ann_hears,
        |e| matches!(e, Event::Job(j) if j.standing == JobStatus::Paused),
    );
    // The last item's picture is made first once somebody waits for it.
    let status = ann.ask(request::Status).unwrap();
    let last = status.items as u32;
    let want = |client: &Client| {
        client
            .ask(request::PrioritizePicture { number: last })
            .unwrap()
    };
    assert_eq!(want(&bob), None, "nobody makes it while the job is paused");
    // So slowly that a busy machine asks in time.
    ann.ask(request::JobAct {
        id: job.id,
        act: JobAct::PerMinute(Some(30)),
    })
    .unwrap();
    ann.ask(request::JobAct {
        id: job.id,
        act: JobAct::Resume,
    })
    .unwrap();
    assert_eq!(want(&bob), Some(job.id));
    let mut before = 0;
    hear(&bob_hears, |e| {
        let Event::PicturesGenerated { numbers, .. } = e else {
            return false;
        };
        before += usize::from(!numbers.contains(&last));
        numbers.contains(&last)
    });
    assert!(
        before <= 2,
        "{before} pictures came before the one somebody waited for"
    );
    assert_eq!(
        want(&bob),
        None,
        "it is there, as good as this job makes it"
    );
    let made = ann.ask(request::GeneratedImages { number: last }).unwrap();
    assert_eq!((made.len(), made[0].job, made[0].draft), (1, job.id, true));
    ann.ask(request::JobAct {
        id: job.id,
        act: JobAct::PerMinute(None),
    })
    .unwrap();
    hear(
        &ann_hears,
        |e| matches!(e, Event::Job(j) if j.standing == JobStatus::Done && j.done == 50),
    );
    check(&bench, 50);
    let refused = bob
        .ask(request::JobAct {
            id: job.id,
            act: JobAct::Pause,
        })
        .unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Conflict);
    bob.ask(request::JobAct {
        id: job.id,
        act: JobAct::Remove,
    })
    .unwrap();
    hear(&ann_hears, |e| *e == Event::JobRemoved(job.id));
    let again = begin(
        &bob,
        NewJob {
            plan: Plan::Items(vec![1]),
            seed: 5,
            ..new()
        },
    );
    assert!(again.id > job.id);
}

#[test]
fn an_owner_without_clients_stays_while_a_job_runs() {
    let bench = fifty();
    bench.run(["stop"]).ok();
    let mut command = bench.command([
        "generate",
        "--detach",
        "--per-minute",
        "1000",
        "--size",
        "64x64",
    ]);
    crate::support::run(command.env("BENCHTOP_IDLE_SECONDS", "1"), "").ok();
    let pid = crate::support::owners(bench.root());
    crate::support::wait_until("the job is done and the owner has ended", || {
        crate::support::owners(bench.root()).is_empty()
    });
    assert_eq!(pid.len(), 1);
    check(&bench, 50);
}
