//! The owner's side: an image generator with its model in a worker, which is restarted after a
//! crash.

mod work;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::frames::Broken;
use super::launch::Launch;
use super::messages::tell;
use super::process::{Clock, Process, Timeouts, Waited};
use super::protocol::{FromWorker, Load, Loaded, Make, ToWorker};
use crate::candle::generator::sized;
use crate::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{Capabilities, Failure, FailureKind, Fingerprint, Settings, Task};
use benchtop_model::{Error, ErrorKind, Result};
use work::{Group, Work};

/// Maximum wait before a worker is restarted.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Time between two progress events while waiting for a restart.
const SIGN_OF_LIFE: Duration = Duration::from_millis(50);

/// The model of a worker, and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub folder: PathBuf,
    /// Hash of the model's files, if known. Otherwise the worker reads all files once to compute
    /// it.
    pub hash: Option<String>,
    /// Data type of the computation: `f32` or `f16`.
    pub dtype: String,
    /// Pictures per batch. With 1, the bytes of a picture do not depend on other pictures.
    pub batch_size: usize,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: usize,
    /// Batches per call. With several, the device computes the next picture while the last one is
    /// saved.
    pub ahead: usize,
}

impl Model {
    /// Settings for the CPU, as in [`Options::cpu`](crate::candle::generator::Options::cpu).
    pub fn cpu(folder: PathBuf) -> Model {
        Model {
            folder,
            hash: None,
            dtype: "f32".into(),
            batch_size: 1,
            whole_pixels: 1024 * 1024,
            ahead: 1,
        }
    }

    /// Settings for a GPU: f16, and four batches per call.
    pub fn cuda(folder: PathBuf, together: usize) -> Model {
        Model {
            dtype: "f16".into(),
            batch_size: together,
            ahead: 4,
            ..Model::cpu(folder)
        }
    }
}

/// Limits that fit into the worker's memory, for pictures of some settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    together: u64,
    whole_pixels: u64,
}

/// How a call to the worker ended.
enum Ended {
    /// Complete, except for these tasks, which ran out of memory.
    Over(Vec<usize>),
    /// The worker crashed, with the reason.
    Gone(String),
    /// The worker is not restarted for now, with the reason.
    GivenUp(String),
    Cancelled,
}

/// A model in a worker process. Dropping it ends the process.
#[derive(Debug)]
pub struct WorkerGenerator {
    launch: Launch,
    timeouts: Timeouts,
    load: Load,
    capabilities: Capabilities,
    loaded: Loaded,
    process: Option<Process>,
    /// Limits by width, height, and use of guidance, which decide the memory.
    limits: HashMap<(u32, u32, bool), Limit>,
    /// Number of crashes since the last picture.
    crashes: u32,
    /// The reason of the last crash.
    why: String,
    run: u64,
}

impl WorkerGenerator {
    /// Starts the worker and loads `model` in it.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the worker cannot be started or does not answer, or if its
    /// device cannot be used or computes wrong numbers; and the errors of
    /// [`CandleGenerator::open`](crate::candle::generator::CandleGenerator::open).
    pub fn open(launch: Launch, model: &Model, timeouts: Timeouts) -> Result<WorkerGenerator> {
        let Model {
            folder,
            hash,
            dtype,
            ..
        } = model.clone();
        let (together, whole_pixels) = (model.batch_size.max(1) as u64, model.whole_pixels as u64);
        let mut load = Load {
            folder,
            hash,
            dtype,
            together,
            whole_pixels,
        };
        let (process, loaded) = connect(&launch, &load, &timeouts, &mut || true)?;
        load.hash = loaded.fixed.parts.get("weights").cloned();
        let max_batch = model.batch_size.max(1) * model.ahead.max(1);
        let capabilities = Capabilities {
            max_batch,
            ..loaded.capabilities.clone()
        };
        Ok(WorkerGenerator {
            launch,
            timeouts,
            load,
            capabilities,
            loaded,
            process: Some(process),
            limits: HashMap::new(),
            crashes: 0,
            why: String::new(),
            run: 0,
        })
    }

    /// The worker's process id while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().and_then(Process::pid)
    }

    /// Maximum number of pictures per batch with these settings. Lower than configured after a lack
    /// of memory.
    pub fn together(&self, settings: &Settings) -> usize {
        self.limit(settings).together as usize
    }

    fn limit(&self, settings: &Settings) -> Limit {
        let all = Limit {
            together: self.load.together,
            whole_pixels: self.load.whole_pixels,
        };
        self.limits.get(&key(settings)).copied().unwrap_or(all)
    }

    /// Makes sure that a worker runs with the model loaded.
    fn ready(&mut self, work: &mut Work<'_>) -> std::result::Result<(), Ended> {
        while self.process.is_none() {
            if self.crashes >= self.timeouts.crashes {
                // The next call tries once more.
                self.crashes = self.timeouts.crashes.saturating_sub(1);
                let (crashes, why) = (self.timeouts.crashes, &self.why);
                return Err(Ended::GivenUp(format!(
                    "the worker crashed {crashes} times in a row; the last time it {why}"
                )));
            }
            self.pause(work)?;
            match connect(&self.launch, &self.load, &self.timeouts, &mut || {
                work.sign_of_life()
            }) {
                Ok((_, loaded)) if loaded.fixed != self.loaded.fixed => {
                    let why = "the worker's program, model, or device changed during the restart; pause the job and \
                               resume it";
                    return Err(Ended::GivenUp(why.into()));
                }
                Ok((process, _)) => self.process = Some(process),
                Err(problem) if problem.kind == ErrorKind::Cancelled => {
                    return Err(Ended::Cancelled);
                }
                Err(problem) => self.crashed(problem.what),
            }
        }
        Ok(())
    }

    /// Waits before a crashed worker is restarted.
    fn pause(&self, work: &mut Work<'_>) -> std::result::Result<(), Ended> {
        let Some(doublings) = self.crashes.checked_sub(1) else {
            return Ok(());
        };
        let pause =
            (self.timeouts.pause * 2u32.saturating_pow(doublings.min(16))).min(LONGEST_PAUSE);
        let until = Instant::now() + pause;
        loop {
            if !work.sign_of_life() {
                return Err(Ended::Cancelled);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(SIGN_OF_LIFE));
        }
    }

    fn crashed(&mut self, why: String) {
        tell(format_args!(
            "the worker {} {why}",
            self.launch.program.display()
        ));
        self.process = None;
        self.crashes += 1;
        self.why = why;
    }

    /// Sends the tasks of a group to the worker and collects the results.
    fn run(&mut self, work: &mut Work<'_>, group: &Group) -> Ended {
        if let Err(ended) = self.ready(work) {
            return ended;
        }
        let limit = self.limit(work.settings);
        let Some(process) = &self.process else {
            return Ended::Gone("is not running".into());
        };
        self.run += 1;
        let run = self.run;
        let mut sent = Vec::new();
        for index in &group.tasks {
            let Some(task) = work.tasks.get(*index) else {
                continue;
            };
            match process.tell(&ToWorker::Task(Box::new(task.clone()))) {
                Ok(()) => sent.push(*index),
                Err(broken) => work.done(
                    *index,
                    Err(Failure::new(FailureKind::Input, too_large(&broken))),
                ),
            }
        }
        let Limit {
            together,
            whole_pixels,
        } = limit;
        let make = Make {
            run,
            settings: work.settings.clone(),
            together,
            whole_pixels,
        };
        if let Err(broken) = process.tell(&ToWorker::Make(Box::new(make))) {
            return Ended::Gone(broken.to_string());
        }
        let mut clock = Clock::new(self.timeouts.silence, self.timeouts.step);
        let (mut short, mut lost) = (Vec::new(), None);
        loop {
            if !work.going {
                // Later messages of this run are ignored.
                let _ = process.tell(&ToWorker::Cancel(run));
                return Ended::Cancelled;
            }
            match process.wait(&mut clock) {
                Waited::Frame(FromWorker::Step {
                    run: of_run,
                    done,
                    of,
                    batch,
                }) if of_run == run => {
                    work.step(done, of, batch as usize);
                }
                Waited::Frame(FromWorker::Done {
                    run: of_run,
                    index,
                    result,
                }) if of_run == run => {
                    let Some(index) = sent.get(index as usize).copied() else {
                        continue;
                    };
                    match result {
                        Err(failure) if failure.kind == FailureKind::OutOfMemory => {
                            short.push((index, failure))
                        }
                        result => {
                            if result.is_ok() {
                                self.crashes = 0;
                            }
                            work.done(index, result);
                        }
                    }
                }
                Waited::Frame(FromWorker::Over(of_run)) if of_run == run => break,
                Waited::Frame(FromWorker::Fatal(text)) => lost = Some(text),
                Waited::Frame(_) => {}
                Waited::Nothing => _ = work.sign_of_life(),
                Waited::Gone(why) => {
                    let why = lost.map_or(why.clone(), |text| {
                        format!("lost its device: {text}; it {why}")
                    });
                    self.crashed(why.clone());
                    return Ended::Gone(why);
                }
            }
        }
        Ended::Over(self.shrink(work, limit, short))
    }

    /// Reduces the limits after a lack of memory: first smaller batches, then tiles. Returns the
    /// tasks to try again now.
    fn shrink(
        &mut self,
        work: &mut Work<'_>,
        limit: Limit,
        short: Vec<(usize, Failure)>,
    ) -> Vec<usize> {
        if short.is_empty() {
            return Vec::new();
        }
        let Settings { width, height, .. } = *work.settings;
        let (pixels, tile) = (
            u64::from(width) * u64::from(height),
            self.loaded.tile_pixels,
        );
        if limit.together > 1 {
            self.limits.insert(
                key(work.settings),
                Limit {
                    together: limit.together / 2,
                    ..limit
                },
            );
            return short.into_iter().map(|(index, _)| index).collect();
        }
        let tiles = pixels > tile && pixels <= limit.whole_pixels;
        if tiles {
            self.limits.insert(
                key(work.settings),
                Limit {
                    whole_pixels: tile,
                    ..limit
                },
            );
        }
        for (index, failure) in short {
            // Tiles change the bytes and the fingerprint, so the caller must ask again.
            let reason = match tiles {
                true => format!(
                    "{}; from now on, pictures of {width}x{height} are decoded in tiles",
                    failure.reason
                ),
                false => failure.reason,
            };
            work.done(index, Err(Failure::new(FailureKind::OutOfMemory, reason)));
        }
        Vec::new()
    }
}

fn key(settings: &Settings) -> (u32, u32, bool) {
    (settings.width, settings.height, settings.guidance > 1.)
}

fn too_large(broken: &Broken) -> String {
    format!("cannot send the task to the worker: {broken}")
}

/// Starts a worker and loads a model in it. Stops if `watch` returns `false`.
fn connect(
    launch: &Launch,
    load: &Load,
    timeouts: &Timeouts,
    watch: &mut dyn FnMut() -> bool,
) -> Result<(Process, Loaded)> {
    let process = Process::start(launch, timeouts)?;
    let wrong = |what: String| Error::unreachable(what).file(&launch.program);
    let place = &process.hello.place;
    let see = "run `benchtop doctor` to check all devices";
    let about = process
        .hello
        .about
        .as_ref()
        .map_err(|why| wrong(format!("cannot use {place}: {why}")).help(see))?;
    if let Err(why) = &about.check {
        return Err(wrong(format!(
            "{place} ({}) computes wrong results: {why}",
            about.name
        ))
        .help(see));
    }
    process
        .tell(&ToWorker::Load(Box::new(load.clone())))
        .map_err(|broken| wrong(broken.to_string()))?;
    let mut clock = Clock::new(timeouts.silence, timeouts.load);
    let mut lost = None;
    loop {
        if !watch() {
            return Err(Error::cancelled("cancelled"));
        }
        match process.wait(&mut clock) {
            Waited::Frame(FromWorker::Loaded(loaded)) => {
                return (*loaded).map(|loaded| (process, loaded));
            }
            Waited::Frame(FromWorker::Fatal(text)) => lost = Some(text),
            Waited::Frame(_) | Waited::Nothing => {}
            Waited::Gone(why) => {
                let lost = lost.map(|text| format!(" ({text})")).unwrap_or_default();
                return Err(wrong(format!(
                    "{why}{lost} while loading the model {}",
                    load.folder.display()
                )));
            }
        }
    }
}

impl ImageGenerator for WorkerGenerator {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fingerprint(&self, settings: &Settings) -> Fingerprint {
        let tiles = self.limit(settings).whole_pixels != self.load.whole_pixels;
        sized(
            if tiles {
                &self.loaded.tiled
            } else {
                &self.loaded.fixed
            },
            settings,
        )
    }

    fn generate(
        &mut self,
        settings: &Settings,
        tasks: &[Task],
        watch: &mut dyn FnMut(GenerationEvent) -> bool,
    ) {
        let mut work = Work::new(settings, tasks, watch);
        work.refuse(&self.capabilities);
        let mut groups = VecDeque::from([Group {
            tasks: work.left(),
            alone: false,
        }]);
        while let Some(mut group) = groups.pop_front() {
            group.tasks.retain(|index| work.is_open(*index));
            if group.tasks.is_empty() {
                continue;
            }
            if !work.going {
                break;
            }
            match self.run(&mut work, &group) {
                Ended::Over(again) => groups.push_front(Group {
                    tasks: again,
                    ..group
                }),
                Ended::Gone(why) => {
                    group.tasks.retain(|index| work.is_open(*index));
                    match (group.tasks.as_slice(), group.alone) {
                        ([one], true) => {
                            let reason =
                                format!("the worker crashed on this picture again: it {why}");
                            work.done(*one, Err(Failure::new(FailureKind::Refused, reason)));
                        }
                        // One of them may have caused the crash, so each is tried alone.
                        (many, _) => {
                            let alone = |index: &usize| Group {
                                tasks: vec![*index],
                                alone: true,
                            };
                            many.iter()
                                .rev()
                                .for_each(|index| groups.push_front(alone(index)));
                        }
                    }
                }
                Ended::GivenUp(why) => work.rest(&Failure::new(FailureKind::Unavailable, why)),
                Ended::Cancelled => break,
            }
        }
        work.rest(&Failure::cancelled());
    }
}
