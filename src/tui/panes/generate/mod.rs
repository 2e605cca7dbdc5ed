//! The generation pane: jobs that generate pictures or evaluate models, their progress, the newest
//! picture, and the load of the machine.
//!
//! | file | what it does |
//! |---|---|
//! | `start` | starting a job: counts first, then a confirmation |
//! | `setting` | settings of a new job |
//! | `rows` | jobs and failures as tables |
//! | `draw` | drawing |

mod draw;
mod rows;
mod setting;
mod start;

use std::collections::BTreeMap;

pub use draw::{Layout, layout};
pub use setting::Setting;
pub use start::ChoiceFor;

use super::metadata::edit_session::error_line;
use crate::action::{Action, Scope};
use crate::widgets::table::{Answer, Empty, LocalTable, TableEffect};
use benchtop_model::Result;
use benchtop_model::device::Devices;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus, NewJob, Newest};
use benchtop_protocol::wire::{AnyRequest, request};

/// Readings in the sparklines: two minutes.
const READINGS: usize = 120;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFor {
    /// [`GeneratePane::on_jobs`].
    Jobs,
    /// [`GeneratePane::on_devices`].
    Devices,
    /// [`GeneratePane::on_job`].
    Act,
    /// [`GeneratePane::on_failures`], for this job.
    Failures(u32),
    /// [`GeneratePane::on_count`]: the counts of this job.
    Count(Box<NewJob>),
    /// [`GeneratePane::on_started`].
    Begun,
}

/// The purpose of a text prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum TextFor {
    /// A setting of a new job.
    Setting(Box<NewJob>, Setting),
    /// The filter of the items to generate pictures for.
    Filter,
    /// The batch size of a job.
    Batch(u32),
    /// The rate limit of a job.
    PerMinute(u32),
}

/// An effect of the generation pane.
#[derive(Clone, Debug)]
pub enum GenerateEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a line of text.
    AskText {
        purpose: TextFor,
        label: String,
        /// The initial text.
        text: String,
    },
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Review this item.
    Item(u32),
    /// Report success.
    Done(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}

use GenerateEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// The readings of the last two minutes, as shares.
#[derive(Clone, Debug, Default)]
struct History {
    gpu: Vec<f64>,
    memory: Vec<f64>,
    power: Vec<f64>,
    cpu: Vec<f64>,
}

/// The failures of a job, as listed.
#[derive(Debug)]
struct Failures {
    job: u32,
    list: Option<Result<Vec<JobFailure>>>,
    table: LocalTable,
}

#[derive(Debug)]
pub struct GeneratePane {
    jobs: Vec<JobState>,
    table: LocalTable,
    /// The job that the cursor moves to once it is in the list.
    goes_to: Option<u32>,
    failures: Option<Failures>,
    devices: Option<Devices>,
    history: History,
    /// Images per minute, by job.
    rates: BTreeMap<u32, Vec<f64>>,
}

impl Default for GeneratePane {
    fn default() -> Self {
        GeneratePane::new()
    }
}

fn push(list: &mut Vec<f64>, reading: f64) {
    if list.len() >= READINGS {
        list.remove(0);
    }
    list.push(reading);
}

impl GeneratePane {
    pub fn new() -> GeneratePane {
        GeneratePane {
            jobs: Vec::new(),
            table: LocalTable::new(rows::columns(), Vec::new(), 1, Empty::Loading),
            goes_to: None,
            failures: None,
            devices: None,
            history: History::default(),
            rates: BTreeMap::new(),
        }
    }

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Generate, Scope::Table, Scope::Global]
    }

    /// Opens the pane or reloads it.
    pub fn start(&self) -> Vec<Effect> {
        vec![
            Effect::Ask(ReplyFor::Jobs, request::Jobs.into()),
            self.poll(),
        ]
    }

    /// Requests the gauges.
    pub fn poll(&self) -> Effect {
        Effect::Ask(ReplyFor::Devices, request::Devices.into())
    }

    /// Whether a job runs, so that the gauges are worth polling.
    pub fn has_running_job(&self) -> bool {
        self.jobs.iter().any(|j| j.standing == JobStatus::Running)
    }

    fn job(&self) -> Option<&JobState> {
        self.jobs
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    /// The failure under the cursor, if failures are listed.
    fn failure(&self) -> Option<&JobFailure> {
        let open = self.failures.as_ref()?;
        open.list
            .as_ref()?
            .as_ref()
            .ok()?
            .get(usize::try_from(open.table.cursor_id()?).ok()?)
    }

    /// The newest picture of the job under the cursor, or of any job.
    pub fn newest(&self) -> Option<&Newest> {
        self.job()
            .and_then(|j| j.newest.as_ref())
            .or_else(|| self.jobs.iter().find_map(|j| j.newest.as_ref()))
    }

    /// Receives the jobs.
    pub fn on_jobs(&mut self, jobs: Result<Vec<JobState>>) {
        match jobs {
            Ok(jobs) => {
                let new = self.goes_to.filter(|id| jobs.iter().any(|j| j.id == *id));
                let here = new.or_else(|| self.job().map(|j| j.id));
                self.goes_to = self.goes_to.filter(|_| new.is_none());
                self.jobs = jobs;
                self.fill(Empty::Nothing {
                    hint: "no jobs: press n to generate pictures".into(),
                });
                if let Some(at) = here.and_then(|id| self.jobs.iter().position(|j| j.id == id)) {
                    self.table.go_to_id(at as u64);
                }
            }
            Err(problem) => self.fill(Empty::Failed(error_line(&problem))),
        }
    }

    fn fill(&mut self, empty: Empty) {
        self.table
            .set_rows(self.jobs.iter().map(rows::row).collect(), empty);
    }

    /// Receives the state of a job. Requests the list again if its order may have changed.
    pub fn on_job(&mut self, job: JobState) -> Vec<Effect> {
        if job.standing == JobStatus::Running {
            push(self.rates.entry(job.id).or_default(), job.rate);
        }
        let Some(known) = self.jobs.iter_mut().find(|j| j.id == job.id) else {
            return vec![Effect::Ask(ReplyFor::Jobs, request::Jobs.into())];
        };
        let moved =
            known.place != job.place || known.standing.is_finished() != job.standing.is_finished();
        *known = job;
        self.fill(Empty::Loading);
        if moved {
            vec![Effect::Ask(ReplyFor::Jobs, request::Jobs.into())]
        } else {
            vec![]
        }
    }

    /// Removes a job from the list.
    pub fn on_removed(&mut self, id: u32) {
        self.jobs.retain(|j| j.id != id);
        self.rates.remove(&id);
        self.fill(Empty::Nothing {
            hint: "no jobs: press n to generate pictures".into(),
        });
    }

    /// Receives the gauges.
    pub fn on_devices(&mut self, devices: Devices) {
        let share = |part: Option<u64>, of: Option<u64>| match (part, of) {
            (Some(part), Some(of)) if of > 0 => Some(part as f64 / of as f64),
            _ => None,
        };
        if let Some(gpu) = devices.gpus.first() {
            let readings = [
                (
                    &mut self.history.gpu,
                    gpu.utilisation.map(|u| f64::from(u) / 100.0),
                ),
                (
                    &mut self.history.memory,
                    share(gpu.memory_used, gpu.memory_total),
                ),
                (
                    &mut self.history.power,
                    share(gpu.power.map(u64::from), gpu.power_limit.map(u64::from)),
                ),
            ];
            readings
                .into_iter()
                .for_each(|(list, reading)| reading.into_iter().for_each(|r| push(list, r)));
        }
        if let Some(busy) = devices.cpu.busy {
            push(&mut self.history.cpu, f64::from(busy));
        }
        self.devices = Some(devices);
    }

    /// Receives the failures of a job.
    pub fn on_failures(&mut self, job: u32, list: Result<Vec<JobFailure>>) {
        if let Some(open) = self.failures.as_mut().filter(|f| f.job == job) {
            open.table = rows::failures(job, Some(&list));
            open.list = Some(list);
        }
    }

    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back if self.failures.take().is_some() => vec![],
            Action::Back => vec![Effect::Leave],
            Action::NewJob => start::which(),
            Action::PauseJob => self.pause(),
            Action::CancelJob => self.to_job(|job| {
                let over = || format!("job {} is already {}", job.id, job.standing.name());
                if job.standing.is_finished() {
                    Err(over())
                } else {
                    Ok(JobAct::Cancel)
                }
            }),
            Action::RetryJob => self.to_job(|job| match job.failed {
                0 => Err(format!("job {} has no failures", job.id)),
                _ => Ok(JobAct::Retry),
            }),
            Action::RemoveJob => self.to_job(|job| {
                let why = || format!("job {} is {}: cancel it first", job.id, job.standing.name());
                if job.standing.is_finished() {
                    Ok(JobAct::Remove)
                } else {
                    Err(why())
                }
            }),
            Action::JobUp | Action::JobDown => self.to_job(|job| {
                let place = if action == Action::JobUp {
                    job.place.saturating_sub(1)
                } else {
                    job.place + 1
                };
                match job.place {
                    0 => Err(format!("job {} is over", job.id)),
                    _ if place == 0 => Err(format!("job {} is already first", job.id)),
                    _ => Ok(JobAct::Place(place)),
                }
            }),
            Action::JobBatch => {
                let is_run = self.job().is_some_and(|job| job.run.is_some());
                let label = if is_run {
                    "concurrent requests: "
                } else {
                    "batch size (empty: as many as fit): "
                };
                self.ask_number(label, TextFor::Batch)
            }
            Action::JobRate => self.ask_number(
                "pictures per minute (empty: no limit): ",
                TextFor::PerMinute,
            ),
            Action::JobFailures => self.show_failures(),
            other => self.act_on_table(other),
        }
    }

    fn pause(&self) -> Vec<Effect> {
        self.to_job(|job| match job.standing {
            JobStatus::Queued | JobStatus::Running => Ok(JobAct::Pause),
            JobStatus::Paused | JobStatus::Cancelled | JobStatus::Failed => Ok(JobAct::Resume),
            JobStatus::Done => Err(format!(
                "job {} is done; n starts another, r retries failures",
                job.id
            )),
        })
    }

    /// Sends an action for the job under the cursor.
    fn to_job(
        &self,
        act: impl FnOnce(&JobState) -> std::result::Result<JobAct, String>,
    ) -> Vec<Effect> {
        let Some(job) = self.job() else {
            return refuse("no job: n starts one");
        };
        match (act(job), &job.waits) {
            (Ok(act @ (JobAct::Resume | JobAct::Retry)), Some(waits)) => {
                start::agree(job.id, act, waits)
            }
            (Ok(act), _) => vec![Effect::Ask(
                ReplyFor::Act,
                request::JobAct { id: job.id, act }.into(),
            )],
            (Err(why), _) => refuse(why),
        }
    }

    fn ask_number(&self, label: &str, purpose: impl FnOnce(u32) -> TextFor) -> Vec<Effect> {
        let Some(job) = self.job() else {
            return refuse("no job: n starts one");
        };
        if job.standing.is_finished() {
            return refuse(format!("job {} is over", job.id));
        }
        let purpose = purpose(job.id);
        let now = if matches!(purpose, TextFor::Batch(_)) {
            job.batch
        } else {
            job.per_minute
        };
        let text = now.map(|n| n.to_string()).unwrap_or_default();
        vec![Effect::AskText {
            purpose,
            label: label.into(),
            text,
        }]
    }

    fn show_failures(&mut self) -> Vec<Effect> {
        if self.failures.take().is_some() {
            return vec![];
        }
        let Some(job) = self.job() else {
            return refuse("no job: n starts one");
        };
        if job.failed == 0 {
            return refuse(format!("job {} has no failures", job.id));
        }
        let id = job.id;
        self.failures = Some(Failures {
            job: id,
            list: None,
            table: rows::failures(id, None),
        });
        vec![Effect::Ask(
            ReplyFor::Failures(id),
            request::JobFailures { id, from: 0 }.into(),
        )]
    }

    fn act_on_table(&mut self, action: Action) -> Vec<Effect> {
        let table = self
            .failures
            .as_mut()
            .map_or(&mut self.table, |f| &mut f.table);
        let answers = table.act(action);
        let mut effects = Vec::new();
        for answer in answers {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Open { id, .. }) => self.open(id),
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!("`{}` does nothing on jobs", action.name())),
            });
        }
        effects
    }

    /// Opens the item of a failure, or of the job's newest picture.
    fn open(&self, id: u64) -> Vec<Effect> {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        let number = match &self.failures {
            Some(open) => {
                let list = open.list.as_ref().and_then(|l| l.as_ref().ok());
                list.and_then(|l| l.get(at)).map(|f| f.number)
            }
            None => self
                .jobs
                .get(at)
                .and_then(|j| j.newest.as_ref())
                .map(|n| n.number),
        };
        match number.filter(|n| *n > 0) {
            Some(number) => vec![Effect::Item(number)],
            None if self.job().is_some_and(|job| job.run.is_some()) => {
                refuse("an evaluation has no pictures; its answers go to the board")
            }
            None => refuse("no picture from this job since the owner started"),
        }
    }

    /// Receives a typed line.
    pub fn typed(&mut self, purpose: &TextFor, text: &str) -> Vec<Effect> {
        let text = text.trim();
        let number = || match text {
            "" => Ok(None),
            text => match text.parse::<u32>() {
                Ok(n) if n > 0 => Ok(Some(n)),
                _ => Err(format!("`{text}` is not a whole number from 1")),
            },
        };
        let act = match purpose {
            TextFor::Filter => return start::count_filter(text),
            TextFor::Setting(job, setting) => return start::set(job, *setting, text),
            TextFor::Batch(id) => number().map(|n| (*id, JobAct::Batch(n))),
            TextFor::PerMinute(id) => number().map(|n| (*id, JobAct::PerMinute(n))),
        };
        match act {
            Ok((id, act)) => vec![Effect::Ask(
                ReplyFor::Act,
                request::JobAct { id, act }.into(),
            )],
            Err(why) => refuse(why),
        }
    }
}

#[cfg(test)]
mod tests;
