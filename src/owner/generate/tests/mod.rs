mod jobs;
mod recorded;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use uuid::Uuid;

use super::*;
use crate::clock;
use crate::context::Data;
use crate::context::OwnerContext;
use crate::dispatch::{Task as _, TaskContext};
use crate::server::open_when_free;
use crate::writer::{self, DecisionRequest, WriterCommand};
use benchtop_files::project::Project;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::{
    Capabilities, Failure, FailureKind, Fingerprint, Picture, Pixels, RespectedInputs, Scheduler,
    Settings, Task,
};
use benchtop_model::job::{
    Budget, GenerationOverrides, JobAct, JobState, JobStatus, NewJob, StartedJob,
};
use benchtop_model::{ErrorKind, Item, Judgement, Result, Seen, Status, Verdict};
use benchtop_pipeline::compose::{Composition, Order, metadata};
use benchtop_protocol::wire::{Decide, Event, Receipt, request};
use benchtop_store::pictures;

fn begin(
    shared: &Arc<OwnerContext>,
    who: &str,
    new: &NewJob,
    cancel: Cancel<'_>,
) -> Result<StartedJob> {
    let progress = ProgressSink::new(&|_| (), cancel);
    request::Generate(Box::new(new.clone()), Budget::default()).run(TaskContext {
        shared,
        who,
        progress,
    })
}

/// How long a test waits for an expected event. Never a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the fake generator does, and its calls.
#[derive(Default)]
struct Script {
    /// Prompts and seeds of each call.
    calls: Vec<Vec<(String, u64)>>,
    /// How tasks fail, by a part of their prompt.
    fails: BTreeMap<String, FailureKind>,
    /// Panics at a prompt with this part.
    panics: Option<String>,
    /// Largest batch that fits in memory.
    room: Option<usize>,
    /// Number of pictures before it blocks; `None` never blocks.
    permits: Option<u64>,
    /// Draws pictures of one color.
    flat: bool,
}

#[derive(Clone, Default)]
struct Small {
    script: Arc<(Mutex<Script>, Condvar)>,
    draft: bool,
}

impl Small {
    fn script<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        let done = change(&mut self.script.0.lock());
        self.script.1.notify_all();
        done
    }

    fn permit(&self) {
        let mut script = self.script.0.lock();
        while script.permits == Some(0) {
            self.script.1.wait(&mut script);
        }
        script.permits = script.permits.map(|n| n - 1);
    }
}

struct Drawing {
    small: Small,
    capabilities: Capabilities,
}

impl ImageGenerator for Drawing {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        Fingerprint::default()
            .with("model", "small")
            .with("width", settings.width)
            .with("draft", self.small.draft)
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        let asked = tasks.iter().map(|t| (t.prompt.clone(), t.seed)).collect();
        self.small.script(|s| s.calls.push(asked));
        let mut go = watch(GenerationEvent::Step {
            done: 0,
            of: 1,
            batch: tasks.len(),
        });
        for (index, task) in tasks.iter().enumerate() {
            if go {
                self.small.permit();
                // The test may have stopped the job meanwhile.
                go = watch(GenerationEvent::Step {
                    done: 1,
                    of: 1,
                    batch: tasks.len(),
                });
            }
            let (kind, panics, flat) = self.small.script(|s| {
                let memory = s
                    .room
                    .filter(|room| tasks.len() > *room)
                    .map(|_| FailureKind::OutOfMemory);
                let fails = s
                    .fails
                    .iter()
                    .find(|(part, _)| task.prompt.contains(*part))
                    .map(|(_, kind)| *kind);
                (
                    memory.or(fails),
                    s.panics.as_ref().is_some_and(|p| task.prompt.contains(p)),
                    s.flat,
                )
            });
            assert!(!panics, "scripted failure");
            let result = match kind {
                _ if !go => Err(Failure::new(FailureKind::Cancelled, "cancelled")),
                Some(kind) => Err(Failure::new(kind, "scripted failure")),
                None => Ok(Picture {
                    pixels: draw(settings, task, flat),
                    respected: self.capabilities.respects,
                    notes: Vec::new(),
                }),
            };
            go &= watch(GenerationEvent::Done { index, result });
        }
    }
}

fn draw(settings: &Settings, task: &Task, flat: bool) -> Pixels {
    let bytes = 3 * settings.width as usize * settings.height as usize;
    let mut rgb = vec![200; bytes];
    if !flat {
        blake3::Hasher::new()
            .update(task.prompt.as_bytes())
            .update(&task.seed.to_le_bytes())
            .finalize_xof()
            .fill(&mut rgb);
    }
    Pixels {
        width: settings.width,
        height: settings.height,
        rgb,
    }
}

fn maker(small: &Small) -> GeneratorFactory {
    let small = small.clone();
    Box::new(move |_, _| {
        let settings = Settings {
            width: 8,
            height: 8,
            steps: 1,
            guidance: 1.0,
            scheduler: Scheduler::Euler,
        };
        let capabilities = Capabilities {
            name: "small".into(),
            max_batch: 4,
            multiple_of: 1,
            sides: (1, 64),
            schedulers: Vec::new(),
            respects: RespectedInputs {
                seed: true,
                ..RespectedInputs::default()
            },
            reports_steps: true,
            draft: small.draft,
            recommended: settings,
        };
        Ok(Box::new(Drawing {
            small: small.clone(),
            capabilities,
        }))
    })
}

/// The user's trust, stored beside the project.
fn trust_of(project: &Project) -> benchtop_store::trust::Trust {
    benchtop_store::trust::Trust::in_folder(project.root().with_extension("person"))
}

/// An owner without a socket.
struct Rig {
    small: Small,
    shared: Arc<OwnerContext>,
    writing: Option<std::thread::JoinHandle<()>>,
}

impl Rig {
    fn over(project: &Project, small: &Small) -> Rig {
        let opened = open_when_free(project).unwrap();
        let (sender, queue) = mpsc::channel();
        let data = Data {
            catalog: opened.catalog.clone(),
            overlay: opened.overlay,
        };
        let shared = OwnerContext::new(
            project.clone(),
            trust_of(project),
            opened.index,
            data,
            opened.notices,
            sender,
            clock::now(),
            maker(small),
        );
        let (pictures, _) = benchtop_store::open::load_pictures(project).unwrap();
        let (ledger, notices) =
            benchtop_store::open::load_ledger(project, &opened.catalog, &pictures).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        (*shared.items.ledger_mut(), *shared.items.pictures_mut()) = (ledger, pictures);
        let shared = Arc::new(shared);
        let theirs = shared.clone();
        let writing = std::thread::spawn(move || writer::run(theirs, &queue, true, None));
        crate::engine::start(&shared);
        Rig {
            small: small.clone(),
            shared,
            writing: Some(writing),
        }
    }

    fn begin(&self, new: NewJob) -> u32 {
        begin(&self.shared, "ann", &new, Cancel::NEVER)
            .unwrap()
            .job
            .unwrap()
            .id
    }

    fn job(&self, id: u32) -> JobState {
        self.shared
            .jobs
            .list()
            .unwrap()
            .into_iter()
            .find(|j| j.id == id)
            .unwrap()
    }

    fn wait(&self, id: u32, what: &str, done: impl Fn(&JobState) -> bool) -> JobState {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let job = self.job(id);
            if done(&job) {
                return job;
            }
            assert!(Instant::now() < deadline, "{what}: {job:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn until(&self, id: u32, standing: JobStatus) -> JobState {
        self.wait(id, standing.name(), |j| j.standing == standing)
    }

    fn act(&self, id: u32, what: JobAct) -> Result<Option<JobState>> {
        self.shared.jobs.act(&self.shared, None, (id, what))
    }

    fn decide(&self, number: u32, verdict: Verdict) -> Result<Receipt> {
        let judgement = Judgement::new(verdict, Seen::Script);
        let wish = DecisionRequest::Decide(Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: None,
            judgement,
        });
        let (send, receipt) = mpsc::channel();
        let reply = Box::new(move |r| drop(send.send(r)));
        self.shared
            .writer
            .send(WriterCommand::Decide {
                who: "ann".into(),
                wish,
                asked: None,
                reply,
            })
            .unwrap();
        receipt.recv_timeout(PATIENCE).unwrap()
    }

    fn item(&self, number: u32) -> Item {
        let line = self
            .shared
            .items
            .catalog()
            .line(number as usize - 1)
            .unwrap();
        let line = self.shared.items.pictures().resolved(&line).unwrap_or(line);
        serde_json::from_str(&line).unwrap()
    }

    fn status(&self, number: u32) -> Status {
        self.shared.items.ledger().status(number - 1)
    }

    /// Every line of the journal. Checks that each names a file with its hash, and that they are
    /// distinct.
    fn made(&self) -> Vec<GeneratedImage> {
        let project = &self.shared.project;
        let reading = pictures::read(&project.images()).unwrap();
        assert!(reading.problems.is_empty() && !reading.whole.torn);
        let text =
            std::fs::read_to_string(project.images().join(pictures::FILE)).unwrap_or_default();
        let mut lines = Vec::new();
        for line in text.lines().filter(|l| l.contains("\"picture\":")) {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let made = GeneratedImage {
                rev: value["rev"].as_u64().unwrap(),
                picture: value["picture"].as_str().unwrap().into(),
                sample: value["sample"].as_u64().unwrap() as u32,
                hash: value["hash"].as_str().unwrap().into(),
                job: value["job"].as_u64().unwrap() as u32,
                draft: value["draft"].as_bool().unwrap_or_default(),
                seed: value["seed"].as_u64().unwrap(),
                ext: "png".into(),
                ..GeneratedImage::default()
            };
            let file = std::fs::read(project.root().join(made.image().stored().unwrap())).unwrap();
            assert_eq!(blake3::hash(&file).to_hex().as_str(), made.hash);
            lines.push(made);
        }
        assert_eq!(lines.len(), reading.pictures.len());
        let one = |m: &GeneratedImage| (m.picture.clone(), m.sample, m.hash.clone());
        assert_eq!(
            lines.iter().map(one).collect::<BTreeSet<_>>().len(),
            lines.len(),
            "duplicate picture"
        );
        lines
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // Runs after a failed test too, and waits for the thread.
        self.small
            .script(|s| s.permits = s.permits.map(|_| u64::MAX));
        self.shared.jobs.end();
        let (done, wait) = mpsc::channel();
        let _ = self.shared.writer.send(WriterCommand::Finish(done));
        let _ = wait.recv();
        self.writing.take().map(std::thread::JoinHandle::join);
    }
}

/// A project with composed questions.
fn composed(count: u64) -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    add(&project, count, 3);
    (dir, project)
}

fn add(project: &Project, count: u64, seed: u64) {
    let opened = open_when_free(project).unwrap();
    let (metadata, unreadable) = metadata(None).unwrap();
    let composition = Composition::new(
        &metadata,
        &unreadable,
        &Order {
            seed,
            count: Some(count),
            ..Order::default()
        },
    )
    .unwrap();
    let index = opened.index.get().unwrap();
    composition
        .fill(
            project,
            index,
            &opened.catalog,
            "2026-01-01T00:00:00Z",
            ProgressSink::NONE,
        )
        .unwrap();
}

fn missing() -> NewJob {
    NewJob {
        samples: 1,
        seed: 5,
        ..NewJob::default()
    }
}

fn prompt_of(rig: &Rig, number: u32) -> String {
    rig.item(number).prompt.unwrap()
}
