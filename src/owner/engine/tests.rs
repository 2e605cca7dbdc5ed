use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::context::{Data, OwnerContext};
use crate::dispatch::{Task, TaskContext};
use crate::evaluate::Evaluations;
use crate::server::open_when_free;
use crate::writer;
use benchtop_files::project::Project;
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::evaluation::{NewRun, OptionOrders, Server, Wording};
use benchtop_model::generation::{Failure, FailureKind, Fingerprint};
use benchtop_model::job::{Budget, JobAct, JobState, JobStatus};
use benchtop_model::trust::{DataKind, Destination};
use benchtop_model::vlm::{Reply, VlmCapabilities, VlmRequest};
use benchtop_model::{ErrorKind, Result};
use benchtop_pipeline::compose::{Composition, Order, metadata};
use benchtop_protocol::wire::{FromOwner, JudgeReport, JudgeRequest, request};
use benchtop_store::runs;
use benchtop_store::trust::Trust;

/// How long a test waits for an expected event. Never a measurement.
const PATIENCE: Duration = Duration::from_secs(60);
const ITEMS: usize = 20;
/// A server of somebody else, which needs an agreement.
const FAR: &str = "https://a.example/v1";
const NEAR: &str = "http://127.0.0.1:9/v1";

/// What the fake model does, and what it was asked.
#[derive(Default)]
struct Script {
    asked: Vec<String>,
    /// Number of answers before it blocks; `None` never blocks.
    permits: Option<u64>,
    /// Fails instead of answering.
    fails: bool,
}

#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Script>>);

struct Speaking(Fake, VlmCapabilities);

impl VisionLanguageModel for Speaking {
    fn abilities(&self) -> &VlmCapabilities {
        &self.1
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::default()
    }

    fn ask(&mut self, asks: &[VlmRequest], watch: &mut dyn FnMut(BatchEvent<Reply>) -> bool) {
        for (index, ask) in asks.iter().enumerate() {
            self.0.0.lock().asked.push(ask.prompt.clone());
            while self.0.0.lock().permits == Some(0) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let fails = {
                let mut script = self.0.0.lock();
                script.permits = script.permits.map(|n| n - 1);
                script.fails
            };
            let result = match fails {
                true => Err(Failure::new(FailureKind::Input, "scripted failure")),
                false => Ok(Reply {
                    text: "The smallest of these, clearly.".into(),
                    ..Reply::default()
                }),
            };
            if !watch(BatchEvent::Done { index, result }) {
                return;
            }
        }
    }
}

/// An owner without a socket, whose models are fakes.
struct Rig {
    fake: Fake,
    shared: Arc<OwnerContext>,
    _queue: Mutex<mpsc::Receiver<writer::WriterCommand>>,
}

impl Rig {
    /// An owner of the user with this name.
    fn of(project: &Project, user: &str) -> Rig {
        let opened = open_when_free(project).unwrap();
        let (sender, queue) = mpsc::channel();
        let data = Data {
            catalog: opened.catalog,
            overlay: opened.overlay,
        };
        let none: crate::generate::GeneratorFactory =
            Box::new(|_, _| Err(benchtop_model::Error::input("no generator")));
        let mut shared = OwnerContext::new(
            project.clone(),
            Trust::in_folder(project.root().with_extension(user)),
            opened.index,
            data,
            opened.notices,
            sender,
            0,
            none,
        );
        let fake = Fake::default();
        let theirs = fake.clone();
        let abilities = VlmCapabilities {
            name: "fake".into(),
            max_batch: 2,
            max_images: 9,
            max_tokens: 1 << 20,
        };
        shared.evaluations = Evaluations::with(Box::new(move |_| {
            Ok(Box::new(Speaking(theirs.clone(), abilities.clone())))
        }));
        let shared = Arc::new(shared);
        super::start(&shared);
        Rig {
            fake,
            shared,
            _queue: Mutex::new(queue),
        }
    }

    fn over(project: &Project) -> Rig {
        Rig::of(project, "person")
    }

    fn begin(&self, new: &NewRun) -> Result<u32> {
        let begun = request::Evaluate(Box::new(new.clone()), Budget::default())
            .run(task(&self.shared, ProgressSink::NONE))?;
        Ok(begun.job.unwrap().id)
    }

    fn job(&self, id: u32) -> JobState {
        let jobs = self.shared.jobs.list().unwrap();
        jobs.into_iter().find(|job| job.id == id).unwrap()
    }

    fn ids(&self) -> Vec<u32> {
        let jobs = self.shared.jobs.list().unwrap();
        let mut ids: Vec<u32> = jobs.iter().map(|job| job.id).collect();
        ids.sort_unstable();
        ids
    }

    fn act(&self, id: u32, act: JobAct) -> Result<Option<JobState>> {
        self.shared.jobs.act(&self.shared, None, (id, act))
    }

    fn wait(&self, what: &str, mut done: impl FnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !done() {
            assert!(
                Instant::now() < deadline,
                "{what}: {:?}",
                self.shared.jobs.list()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn until(&self, id: u32, standing: JobStatus) -> JobState {
        self.wait(standing.name(), || self.job(id).standing == standing);
        self.job(id)
    }

    fn asked(&self) -> usize {
        self.fake.0.lock().asked.len()
    }

    fn script<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.fake.0.lock())
    }

    /// Asks `model` everything, so that there are answers to judge.
    fn answered(&self) {
        let id = self.begin(&run(NEAR)).unwrap();
        self.wait("predictions", || {
            self.job(id)
                .run
                .is_some_and(|run| run.predictions == ITEMS as u64)
        });
        self.script(|script| script.asked.clear());
    }

    fn judge(&self, ask: &JudgeRequest, cancel: Cancel<'_>) -> Result<JudgeReport> {
        let watch = ProgressSink::new(&|_| (), cancel);
        request::Judge(Box::new(ask.clone()), Budget::default()).run(task(&self.shared, watch))
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.script(|script| script.permits = None);
        self.shared.jobs.end();
    }
}

fn task<'a>(shared: &'a Arc<OwnerContext>, progress: ProgressSink<'a>) -> TaskContext<'a> {
    TaskContext {
        shared,
        who: "ann",
        progress,
    }
}

fn server(url: &str) -> Server {
    Server {
        url: url.into(),
        key_env: None,
        concurrency: 1,
        timeout_s: 1,
    }
}

fn run(url: &str) -> NewRun {
    NewRun {
        model: "m".into(),
        name: None,
        servers: vec![server(url)],
        filter: String::new(),
        sample: None,
        seed: 5,
        blind: true,
        orders: OptionOrders::AsIs,
        wording: Wording::Paper,
        max_tokens: 64,
        tries: 1,
        prices: (0, 0),
        dry: false,
        drafts: false,
    }
}

fn judging(url: &str) -> JudgeRequest {
    JudgeRequest {
        models: Vec::new(),
        judge: "wise".into(),
        servers: vec![server(url)],
        max_tokens: 64,
        tries: 1,
        dry: false,
        grade: false,
    }
}

fn project() -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let opened = open_when_free(&project).unwrap();
    let (metadata, unreadable) = metadata(None).unwrap();
    let order = Order {
        seed: 3,
        count: Some(ITEMS as u64),
        ..Order::default()
    };
    let composition = Composition::new(&metadata, &unreadable, &order).unwrap();
    let index = opened.index.get().unwrap();
    composition
        .fill(
            &project,
            index,
            &opened.catalog,
            "2026-01-01T00:00:00Z",
            ProgressSink::NONE,
        )
        .unwrap();
    (dir, project)
}

/// Writes a job file as somebody else could.
fn plant(project: &Project, file: &str, job: &Value) {
    let path = project.root().join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, job.to_string()).unwrap();
}

fn header(id: u32, kind: &str, standing: &str) -> Value {
    json!({
        "v": 1, "id": id, "kind": kind, "by": "eve", "created": 1, "turn": id, "standing": standing,
        "reason": null,
    })
}

fn with(mut one: Value, more: Value) -> Value {
    let fields = more.as_object().unwrap().clone();
    one.as_object_mut().unwrap().extend(fields);
    one
}

/// A run file, with these fields instead of the usual ones.
fn run_file(id: u32, standing: &str, new: &NewRun, more: Value) -> Value {
    let counts = json!({
        "done": 0, "failed": 0, "truncated": 0, "refused": 0, "empty": 0, "untold": 0,
        "usage": { "prompt": 0, "completion": 0 }, "predictions": 0,
    });
    let run = json!({
        "label": format!("m{id}"), "new": new, "instruction": "none", "items": ITEMS, "asks": ITEMS,
        "counts": counts,
    });
    with(with(header(id, "run", standing), run), more)
}

fn notices(rig: &Rig) -> Vec<String> {
    rig.shared.broadcast.notices().clone()
}

#[test]
fn a_file_with_an_impossible_number_does_not_affect_the_numbers_of_jobs() {
    for name in [
        "jobs/4294967295.json",
        "runs/4294967295.json",
        "jobs/1000001.json",
    ] {
        let (_dir, project) = project();
        plant(&project, name, &json!({}));
        let rig = Rig::over(&project);
        let ids = [0; 2].map(|_| rig.begin(&run(NEAR)).unwrap());
        assert_eq!(ids, [1, 2], "{name}");
        for id in ids {
            rig.until(id, JobStatus::Done);
        }
        let (first, _) = runs::progress(project.root(), 1).unwrap();
        assert_eq!(first.answered.len(), ITEMS, "{name}: the answers stay");
        assert!(
            notices(&rig).iter().any(|notice| notice.contains(name)),
            "{:?}",
            notices(&rig)
        );
    }
}

#[test]
fn no_job_gets_the_number_of_a_command() {
    let (_dir, project) = project();
    plant(&project, "jobs/1000000.json", &json!({}));
    let rig = Rig::over(&project);
    let refused = rig.begin(&run(NEAR)).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Conflict, "{refused}");
    assert!(rig.ids().is_empty());
}

#[test]
fn a_number_is_taken_if_any_file_has_it() {
    let (_dir, project) = project();
    plant(&project, "runs/0004.jsonl", &json!({}));
    let rig = Rig::over(&project);
    assert_eq!(rig.begin(&run(NEAR)).unwrap(), 5);
    assert!(project.root().join("runs/0004.jsonl").exists());
}

#[test]
fn an_agreement_counts_from_the_items_and_not_from_the_file() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    drop(rig);
    let few = json!({ "asks": 1 });
    plant(
        &project,
        "runs/0002.json",
        &run_file(2, "queued", &run(FAR), few),
    );
    let ask = json!({ "ask": judging(FAR) });
    plant(
        &project,
        "jobs/0003.json",
        &with(header(3, "judging", "queued"), ask),
    );
    let pictures = json!({
        "name": "n", "scope": "Missing", "plan": "missing", "samples": 2, "seed": 1,
        "wishes": { "backend": "http", "model": "m" }, "settings": null, "batch": null, "per_minute": null,
        "of": 1,
    });
    plant(
        &project,
        "jobs/0004.json",
        &with(header(4, "generation", "queued"), pictures),
    );
    let servers = format!("name = \"p\"\n[generate]\nendpoints = [{{ url = \"{FAR}\" }}]\n");
    std::fs::write(project.root().join("benchtop.toml"), servers).unwrap();
    let project = Project::open(project.root()).unwrap();
    let rig = Rig::of(&project, "victim");
    for (id, least) in [(2, ITEMS), (3, ITEMS), (4, 2 * ITEMS)] {
        let job = rig.job(id);
        let waits = job.waits.clone().unwrap();
        assert!(waits.elsewhere, "{job:?}");
        assert!(waits.count >= least as u64, "{id}: {waits:?}");
        assert!(
            waits.what.contains(&waits.count.to_string()),
            "{id}: {waits:?}"
        );
    }
    assert_eq!(rig.asked(), 0);
}

#[test]
fn a_run_beyond_the_items_is_a_problem_and_other_jobs_load() {
    let (_dir, project) = project();
    let beyond = json!({ "items": u32::MAX });
    plant(
        &project,
        "runs/0001.json",
        &run_file(1, "done", &run(NEAR), beyond.clone()),
    );
    plant(
        &project,
        "runs/0002.json",
        &run_file(2, "queued", &run(NEAR), beyond),
    );
    plant(
        &project,
        "runs/0003.json",
        &run_file(3, "done", &run(NEAR), json!({})),
    );
    let sparse = project.root().join("jobs/0004.failed.jsonl");
    let pictures = json!({
        "name": "n", "scope": "Missing", "plan": "missing", "samples": 1, "seed": 1,
        "wishes": {}, "settings": null, "batch": null, "per_minute": null, "of": 1,
    });
    plant(
        &project,
        "jobs/0004.json",
        &with(header(4, "generation", "done"), pictures),
    );
    std::fs::File::create(sparse)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let rig = Rig::over(&project);
    assert_eq!(rig.ids(), [3]);
    let all = notices(&rig).join("\n");
    for file in ["job 1", "job 2", "0004.failed.jsonl"] {
        assert!(all.contains(file), "{file}: {all}");
    }
}

#[test]
fn loaded_settings_are_checked_as_typed_ones() {
    let (_dir, project) = project();
    let pictures = |samples: u32, per_minute: Option<u32>| {
        json!({
            "name": "n", "scope": "Missing", "plan": "missing", "samples": samples, "seed": 1,
            "wishes": {}, "settings": null, "batch": null, "per_minute": per_minute, "of": 1,
        })
    };
    let wrong = [
        (1, "generation", pictures(u32::MAX, None)),
        (2, "generation", pictures(1, Some(0))),
        (
            3,
            "judging",
            json!({ "ask": JudgeRequest { tries: 10_000, ..judging(NEAR) } }),
        ),
    ];
    for (id, kind, fields) in wrong {
        plant(
            &project,
            &format!("jobs/000{id}.json"),
            &with(header(id, kind, "paused"), fields),
        );
    }
    let runs = [
        NewRun {
            orders: OptionOrders::Shuffles(65_535),
            ..run(NEAR)
        },
        NewRun {
            max_tokens: u32::MAX,
            ..run(NEAR)
        },
    ];
    for (id, new) in (4..).zip(&runs) {
        plant(
            &project,
            &format!("runs/000{id}.json"),
            &run_file(id, "paused", new, json!({})),
        );
    }
    let rig = Rig::over(&project);
    assert!(rig.ids().is_empty(), "{:?}", rig.ids());
    assert_eq!(notices(&rig).len(), 5, "{:?}", notices(&rig));
}

#[test]
fn absurd_counts_do_not_stop_the_list() {
    let (_dir, project) = project();
    let max = u64::MAX;
    let counts = json!({
        "counts": {
            "done": max, "failed": 1, "truncated": 0, "refused": 0, "empty": 0, "untold": 0,
            "usage": { "prompt": max, "completion": max }, "predictions": max,
        },
    });
    plant(
        &project,
        "runs/0001.json",
        &run_file(1, "queued", &run(FAR), counts),
    );
    let rig = Rig::over(&project);
    assert_eq!(rig.job(1).standing, JobStatus::Paused);
    assert_eq!(rig.begin(&run(NEAR)).unwrap(), 2);
}

#[test]
fn the_last_place_in_the_queue_does_not_overflow() {
    let (_dir, project) = project();
    let last = json!({ "turn": i64::MAX });
    plant(
        &project,
        "runs/0001.json",
        &run_file(1, "paused", &run(NEAR), last),
    );
    let rig = Rig::over(&project);
    assert_eq!(rig.begin(&run(NEAR)).unwrap(), 2);
}

#[test]
fn equal_numbers_and_other_names_are_reported() {
    let (_dir, project) = project();
    plant(
        &project,
        "runs/0007.json",
        &run_file(7, "done", &run(NEAR), json!({})),
    );
    let ask = json!({ "ask": judging(NEAR) });
    plant(
        &project,
        "jobs/0007.json",
        &with(header(7, "judging", "done"), ask.clone()),
    );
    plant(
        &project,
        "jobs/8.json",
        &with(header(8, "judging", "done"), ask.clone()),
    );
    plant(
        &project,
        "jobs/+9.json",
        &with(header(9, "judging", "done"), ask),
    );
    let rig = Rig::over(&project);
    assert_eq!(rig.ids(), [7]);
    let all = notices(&rig).join("\n");
    for file in ["0007.json", "8.json", "+9.json"] {
        assert!(all.contains(file), "{file}: {all}");
    }
}

#[test]
fn jobs_as_a_file_does_not_hide_the_runs() {
    let (_dir, project) = project();
    plant(
        &project,
        "runs/0001.json",
        &run_file(1, "done", &run(NEAR), json!({})),
    );
    std::fs::write(project.root().join("jobs"), "x").unwrap();
    assert_eq!(Rig::over(&project).ids(), [1]);
}

#[test]
fn an_ended_run_of_somebody_else_is_not_published_on_opening() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    drop(rig);
    let file = project.root().join("runs/0001.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    stored["counts"]["predictions"] = 0.into();
    stored["counts"]["lacking"] = 0.into();
    stored.as_object_mut().unwrap().remove("crc");
    let imports = || {
        std::fs::read_dir(project.root().join("imports"))
            .unwrap()
            .count()
    };
    let before = imports();
    plant(&project, "runs/0001.json", &stored);
    let rig = Rig::of(&project, "victim");
    assert_eq!(rig.job(1).standing, JobStatus::Done);
    // A thread for it would exist by now, and would have begun.
    let own = rig.begin(&run(NEAR)).unwrap();
    rig.wait("its own answers", || {
        rig.job(own)
            .run
            .is_some_and(|run| run.predictions == ITEMS as u64)
    });
    assert_eq!(rig.job(1).run.unwrap().predictions, 0);
    assert!(rig.job(1).reason.is_some());
    // The user decides.
    rig.act(1, JobAct::Resume).unwrap();
    rig.wait("the answers", || {
        rig.job(1)
            .run
            .is_some_and(|run| run.predictions == ITEMS as u64)
    });
    assert!(imports() >= before);
}

#[test]
fn a_retry_during_a_step_is_on_disk() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.script(|script| (script.fails, script.permits) = (true, Some(4)));
    let id = rig.begin(&run(NEAR)).unwrap();
    rig.wait("failures", || rig.job(id).failed == 4);
    rig.act(id, JobAct::Retry).unwrap();
    let stored = std::fs::read(project.root().join("runs/0001.json")).unwrap();
    let stored: Value = serde_json::from_slice(&stored).unwrap();
    assert_eq!(stored["again"], true, "{stored}");
    rig.script(|script| (script.fails, script.permits) = (false, None));
    let job = rig.until(id, JobStatus::Done);
    assert_eq!((job.done, job.failed), (ITEMS as u64, 0));
}

#[test]
fn one_of_two_followers_cancels_and_the_other_gets_its_report() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    rig.script(|script| script.permits = Some(2));
    let ask = judging(NEAR);
    let gone = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        let (gone, ask, rig) = (&gone, &ask, &rig);
        let first = threads.spawn(move || rig.judge(ask, Cancel::flag(gone)));
        rig.wait("the job", || rig.asked() > 2);
        let second = threads.spawn(move || rig.judge(ask, Cancel::NEVER));
        rig.wait("two followers", || {
            let found = rig
                .shared
                .jobs
                .inner()
                .jobs
                .values()
                .map(|e| e.live.followers)
                .max();
            found == Some(2)
        });
        gone.store(true, std::sync::atomic::Ordering::SeqCst);
        assert_eq!(
            first.join().unwrap().unwrap_err().kind,
            ErrorKind::Cancelled
        );
        rig.script(|script| script.permits = None);
        let report = second.join().unwrap().unwrap();
        assert_eq!(
            report.models[0].judged,
            report.models[0].answers - report.models[0].skipped
        );
    });
    assert_eq!(rig.ids(), [1, 2], "both share a job");
    assert_eq!(rig.job(2).standing, JobStatus::Done);
}

#[test]
fn commands_given_at_once_share_a_job() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    let ask = judging(NEAR);
    std::thread::scope(|threads| {
        let all: Vec<_> = (0..6)
            .map(|_| threads.spawn(|| rig.judge(&ask, Cancel::NEVER)))
            .collect();
        for one in all {
            one.join().unwrap().unwrap();
        }
    });
    assert!(rig.asked() <= ITEMS, "{} asked", rig.asked());
}

#[test]
fn threads_without_work_end_although_others_wait_too() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    rig.script(|script| script.permits = Some(0));
    let other = NewRun {
        model: "another".into(),
        ..run(NEAR)
    };
    let id = rig.begin(&other).unwrap();
    std::thread::scope(|threads| {
        let judged = threads.spawn(|| rig.judge(&judging(NEAR), Cancel::NEVER));
        rig.wait("both at work", || rig.shared.jobs.resources().len() == 2);
        rig.script(|script| script.permits = None);
        judged.join().unwrap().unwrap();
    });
    rig.until(id, JobStatus::Done);
    // If they woke each other without a reason, none would ever have waited long enough.
    rig.wait("their end", || rig.shared.jobs.resources().is_empty());
}

#[test]
fn other_settings_are_another_job_and_a_paused_one_goes_on() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    rig.script(|script| script.permits = Some(1));
    let ask = judging(NEAR);
    std::thread::scope(|threads| {
        let (rig, ask) = (&rig, &ask);
        let first = threads.spawn(move || rig.judge(ask, Cancel::NEVER));
        rig.wait("the job", || rig.asked() > 1);
        rig.act(2, JobAct::Pause).unwrap();
        rig.script(|script| script.permits = None);
        assert!(first.join().unwrap().is_err());
    });
    assert_eq!(rig.job(2).standing, JobStatus::Paused);
    let other = JudgeRequest {
        tries: 2,
        ..ask.clone()
    };
    rig.judge(&other, Cancel::NEVER).unwrap();
    assert_eq!(rig.job(2).standing, JobStatus::Paused);
    rig.judge(&ask, Cancel::NEVER).unwrap();
    assert_eq!(
        (rig.ids(), rig.job(2).standing),
        (vec![1, 2, 3], JobStatus::Done)
    );
}

#[test]
fn withdrawing_an_agreement_stops_a_judging_job() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    let to = Destination::new(FAR, None, DataKind::Texts).unwrap();
    let trust = &rig.shared.trust;
    trust
        .agree(std::slice::from_ref(&to), "2026-01-01T00:00:00Z")
        .unwrap();
    rig.script(|script| script.permits = Some(1));
    let ask = judging(FAR);
    std::thread::scope(|threads| {
        let (rig, ask) = (&rig, &ask);
        let judged = threads.spawn(move || rig.judge(ask, Cancel::NEVER));
        rig.wait("the second question", || rig.asked() == 2);
        trust.revoke(&to.to, None).unwrap();
        rig.script(|script| script.permits = None);
        assert_eq!(judged.join().unwrap().unwrap_err().kind, ErrorKind::Denied);
    });
    assert_eq!((rig.asked(), rig.job(2).standing), (2, JobStatus::Paused));
}

#[test]
fn done_is_announced_only_if_it_is_on_disk() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.script(|script| script.permits = Some(3));
    let id = rig.begin(&run(NEAR)).unwrap();
    rig.wait("some answers", || rig.asked() > 3);
    let file = project.root().join("runs/0001.json");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    rig.script(|script| script.permits = None);
    let job = rig.until(id, JobStatus::Paused);
    assert_eq!(job.done, ITEMS as u64);
    std::fs::remove_dir(&file).unwrap();
    rig.act(id, JobAct::Resume).unwrap();
    rig.until(id, JobStatus::Done);
    assert_eq!(rig.asked(), ITEMS, "nothing is asked twice");
}

#[test]
fn a_member_does_not_spend_what_only_the_owner_may() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.script(|script| script.permits = Some(2));
    let id = rig.begin(&run(NEAR)).unwrap();
    rig.wait("some answers", || rig.asked() > 2);
    let act = |act| rig.shared.jobs.act(&rig.shared, Some("bob"), (id, act));
    for spends in [
        JobAct::Retry,
        JobAct::Batch(Some(256)),
        JobAct::Cancel,
        JobAct::Remove,
    ] {
        assert_eq!(
            act(spends).unwrap_err().kind,
            ErrorKind::Denied,
            "{spends:?}"
        );
    }
    act(JobAct::Pause).unwrap();
    assert_eq!(act(JobAct::Resume).unwrap_err().kind, ErrorKind::Denied);
    // The starter may end it, but not have models asked.
    let own = |act| rig.shared.jobs.act(&rig.shared, Some("ann"), (id, act));
    assert_eq!(own(JobAct::Resume).unwrap_err().kind, ErrorKind::Denied);
    own(JobAct::Cancel).unwrap();
    rig.script(|script| script.permits = None);
}

#[test]
fn a_member_does_not_consent_by_a_detour() {
    let (_dir, project) = project();
    let judge =
        format!("name = \"p\"\n[judge]\nmodel = \"m\"\nendpoints = [{{ url = \"{FAR}\" }}]\n");
    std::fs::write(project.root().join("benchtop.toml"), judge).unwrap();
    let project = Project::open(project.root()).unwrap();
    let fields = json!({ "scorer": "judge/answer-stands", "filter": "", "retry": false });
    plant(
        &project,
        "jobs/0001.json",
        &with(header(1, "scoring", "queued"), fields),
    );
    let rig = Rig::of(&project, "victim");
    let bob = |act| rig.shared.jobs.act(&rig.shared, Some("eve"), (1, act));
    assert!(rig.job(1).waits.unwrap().elsewhere);
    assert_eq!(bob(JobAct::Resume).unwrap_err().kind, ErrorKind::Denied);
    rig.act(1, JobAct::Cancel).unwrap();
    assert!(rig.job(1).waits.unwrap().elsewhere, "it still waits");
    assert_eq!(bob(JobAct::Retry).unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_follower_gets_the_answers_that_came_after_it_had_joined() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.answered();
    rig.script(|script| script.permits = Some(1));
    let ask = judging(NEAR);
    std::thread::scope(|threads| {
        let (rig, ask) = (&rig, &ask);
        let first = threads.spawn(move || rig.judge(ask, Cancel::NEVER));
        rig.wait("the job", || rig.asked() > 1);
        // More answers, by another model.
        let other = NewRun {
            model: "n".into(),
            ..run(NEAR)
        };
        let id = rig.begin(&other).unwrap();
        rig.script(|script| script.permits = None);
        rig.wait("its predictions", || {
            rig.job(id)
                .run
                .is_some_and(|run| run.predictions == ITEMS as u64)
        });
        let second = threads.spawn(move || rig.judge(ask, Cancel::NEVER));
        first.join().unwrap().unwrap();
        let report = second.join().unwrap().unwrap();
        let left = report
            .models
            .iter()
            .filter(|of| of.judged + of.skipped < of.answers);
        assert_eq!((report.models.len(), left.count()), (2, 0), "{report:?}");
    });
}

#[test]
fn a_loaded_reason_to_wait_ends_with_the_first_result() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    rig.script(|script| script.permits = Some(2));
    let id = rig.begin(&run(NEAR)).unwrap();
    rig.wait("some answers", || rig.asked() > 2);
    rig.shared
        .jobs
        .inner()
        .jobs
        .get_mut(&id)
        .unwrap()
        .live
        .header
        .reason = Some("next try in 30 s".into());
    rig.script(|script| script.permits = Some(3));
    rig.wait("an answer", || rig.job(id).done > 3);
    assert_eq!(rig.job(id).reason, None);
}

#[test]
fn a_task_that_panics_replies_with_an_error() {
    let (_dir, project) = project();
    let rig = Rig::over(&project);
    let (outbox, mut replies) = tokio::sync::mpsc::channel(9);
    let work: crate::jobs::Work = Box::new(|_| panic!("a bug"));
    let flag = Arc::default();
    crate::jobs::start(
        &rig.shared,
        "ann",
        (outbox, 7),
        flag,
        (Some("import"), work),
    );
    let reply = replies.blocking_recv();
    let Some(FromOwner::Reply(7, reply)) = reply else {
        panic!("no reply");
    };
    assert_eq!(reply.unwrap_err().kind, ErrorKind::Io);
    rig.wait("the end of the command", || rig.ids().is_empty());
}
