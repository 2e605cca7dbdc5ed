//! The Jobs pane: jobs that generate pictures or evaluate models, their progress, the newest
//! picture, and the load of the machine.
//!
//! | file | what it does |
//! |---|---|
//! | `start` | starting a job: counts first, then a confirmation |
//! | `setting` | settings of a new job |
//! | `limits` | limits of a job: batch size, rate, and budget |
//! | `rows` | jobs and failures as tables |
//! | `draw` | drawing |

mod draw;
mod limits;
mod rows;
mod setting;
mod start;

use std::collections::BTreeMap;

pub use draw::{Layout, layout};
pub use setting::Setting;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::edit_session::error_line;
use crate::action::Action;
use crate::item::Picture;
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, PaneId, Scene, Target, Timer, jobs, table_menus};
use crate::widgets::page::Page;
use crate::widgets::table::{Empty, LocalTable};
use benchtop_model::device::Devices;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus, Newest};
use benchtop_model::{Result, brief};
use benchtop_protocol::wire::request;

/// Interval of gauge readings while a job runs.
const GAUGES_MS: u64 = 1_000;
/// Readings in the sparklines: two minutes.
const READINGS: usize = 120;

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
    /// Whether the list of jobs has come.
    answered: bool,
    table: LocalTable,
    /// The job that the cursor moves to once it is in the list.
    goes_to: Option<u32>,
    failures: Option<Failures>,
    devices: Option<Devices>,
    history: History,
    /// When to read the gauges.
    gauges_at: Timer,
    /// Images per minute, by job.
    rates: BTreeMap<u32, Vec<f64>>,
}

impl Default for GeneratePane {
    fn default() -> Self {
        GeneratePane {
            jobs: Vec::new(),
            answered: false,
            table: LocalTable::new(rows::columns(), Vec::new(), 1, Empty::Loading),
            goes_to: None,
            failures: None,
            devices: None,
            history: History::default(),
            gauges_at: Timer::default(),
            rates: BTreeMap::new(),
        }
    }
}

fn push(list: &mut Vec<f64>, reading: f64) {
    if list.len() >= READINGS {
        list.remove(0);
    }
    list.push(reading);
}

impl GeneratePane {
    fn ask_jobs(&self, cx: &mut Context<'_>) {
        cx.ask(request::Jobs, |pane: &mut Self, jobs, cx| {
            pane.on_jobs(jobs);
            pane.watch_gauges(cx);
        });
    }

    fn ask_gauges(&self, cx: &mut Context<'_>) {
        cx.ask(request::Devices, |pane: &mut Self, devices, cx| {
            // On an error the gauges keep their values.
            if let Ok(devices) = devices {
                pane.on_devices(devices);
            }
            pane.watch_gauges(cx);
        });
    }

    /// Reads the gauges once a second while a job runs and the pane is on screen.
    fn watch_gauges(&mut self, cx: &Context<'_>) {
        let runs = self.jobs.iter().any(|j| j.standing == JobStatus::Running);
        if runs && cx.env.is_shown {
            self.gauges_at.start(cx.env.now + GAUGES_MS);
        } else {
            self.gauges_at.stop();
        }
    }

    pub(in crate::panes) fn job(&self) -> Option<&JobState> {
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
    fn newest(&self) -> Option<&Newest> {
        self.job()
            .and_then(|j| j.newest.as_ref())
            .or_else(|| self.jobs.iter().find_map(|j| j.newest.as_ref()))
    }

    /// Receives the jobs.
    fn on_jobs(&mut self, jobs: Result<Vec<JobState>>) {
        match jobs {
            Ok(jobs) => {
                let new = self.goes_to.filter(|id| jobs.iter().any(|j| j.id == *id));
                let here = new.or_else(|| self.job().map(|j| j.id));
                self.goes_to = self.goes_to.filter(|_| new.is_none());
                self.jobs = jobs;
                self.answered = true;
                self.fill(Empty::Nothing("no jobs".into()));
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
    fn on_job(&mut self, job: JobState, cx: &mut Context<'_>) {
        if job.standing == JobStatus::Running {
            push(self.rates.entry(job.id).or_default(), job.rate);
        }
        let known = self.jobs.iter_mut().find(|j| j.id == job.id);
        let moved = known.as_ref().is_none_or(|known| {
            known.place != job.place || known.standing.is_finished() != job.standing.is_finished()
        });
        if let Some(known) = known {
            *known = job;
            self.fill(Empty::Loading);
        }
        // The list is requested when the pane opens.
        if cx.env.is_shown {
            if moved {
                self.ask_jobs(cx);
            }
            self.watch_gauges(cx);
        }
    }

    /// Receives the job that an action changed.
    fn on_act(&mut self, job: Result<Option<JobState>>, cx: &mut Context<'_>) {
        match job {
            Ok(Some(job)) => self.on_job(job, cx),
            Ok(None) => {}
            Err(problem) => cx.error(&problem),
        }
    }

    /// Removes a job from the list.
    fn on_removed(&mut self, id: u32) {
        self.jobs.retain(|j| j.id != id);
        self.rates.remove(&id);
        self.fill(Empty::Nothing("no jobs".into()));
    }

    /// Receives the gauges.
    fn on_devices(&mut self, devices: Devices) {
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
    fn on_failures(&mut self, job: u32, list: Result<Vec<JobFailure>>, back: String) {
        if let Some(open) = self.failures.as_mut().filter(|f| f.job == job) {
            open.table = rows::failures(job, Some(&list), back);
            open.list = Some(list);
        }
    }

    fn pause(&self, cx: &mut Context<'_>) {
        self.to_job(cx, |job| match job.standing {
            JobStatus::Queued | JobStatus::Running => Ok(JobAct::Pause),
            JobStatus::Paused | JobStatus::Cancelled | JobStatus::Failed => Ok(JobAct::Resume),
            JobStatus::Done => Err(format!(
                "job {} is done; n starts another, r retries failures",
                job.id
            )),
        });
    }

    /// Sends an action for the job under the cursor.
    fn to_job(
        &self,
        cx: &mut Context<'_>,
        act: impl FnOnce(&JobState) -> std::result::Result<JobAct, String>,
    ) {
        let Some(job) = self.job() else {
            return cx.refuse("no job: n starts one");
        };
        jobs::act(job.id, act(job), job.waits.as_deref(), cx, Self::on_act);
    }

    fn show_failures(&mut self, cx: &mut Context<'_>) {
        if self.failures.take().is_some() {
            return;
        }
        let Some(job) = self.job() else {
            return cx.refuse("no job: n starts one");
        };
        if job.failed == 0 {
            return cx.refuse(format!("job {} has no failures", job.id));
        }
        let id = job.id;
        self.failures = Some(Failures {
            job: id,
            list: None,
            table: rows::failures(id, None, String::new()),
        });
        let ask = request::JobFailures { id, from: 0 };
        cx.ask_now(ask, move |pane: &mut Self, list, cx| {
            pane.on_failures(id, list, cx.key(Action::Back))
        });
    }

    fn act_on_table(&mut self, action: Action, cx: &mut Context<'_>) {
        let table = self
            .failures
            .as_mut()
            .map_or(&mut self.table, |f| &mut f.table);
        let nothing = format!("`{}` does nothing on jobs", action.name());
        if let Some((id, _)) = table_menus::opened(table.act(action), &nothing, cx) {
            self.open_item(id, cx);
        }
    }

    /// Opens the item of a failure, or of the job's newest picture.
    fn open_item(&self, id: u64, cx: &mut Context<'_>) {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        let reason = self.jobs.get(at).and_then(|job| job.reason.as_ref());
        if let Some(reason) = reason.filter(|r| self.failures.is_none() && brief::shortens(r)) {
            let page = Page::new(format!("Why job {} does not run", self.jobs[at].id));
            return cx.page(page.lines_of(reason));
        }
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
            Some(number) => cx.open(Target::Item(number)),
            None if self.job().is_some_and(|job| job.run.is_some()) => {
                cx.refuse("an evaluation has no pictures; its answers go to the board");
            }
            None => cx.refuse("no picture from this job since the owner started"),
        }
    }

    /// Prepares the newest picture for its place.
    fn newest_picture(&self, area: Rect, scene: &Scene<'_>) -> Option<Picture> {
        let place = self.layout(area).picture;
        scene.newest(self.newest()?, place)
    }
}

impl Pane for GeneratePane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Jobs that generate pictures. They run in the owner and continue if you close the terminal. {} starts one \
             after a preview, and {} makes corrupted or attacked copies of pictures; {} reviews the item of the \
             newest picture.",
            keys.press(Action::NewJob),
            keys.press(Action::Go(PaneId::Scenario)),
            keys.press(Action::Open)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.ask_jobs(cx);
        self.ask_gauges(cx);
    }

    fn show(&mut self, target: Target, _: PaneId, cx: &mut Context<'_>) {
        if let Target::Job(id) = target {
            (self.goes_to, self.failures) = (Some(id), None);
        }
        self.open(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back if self.failures.take().is_some() => {}
            Action::Back => cx.leave(),
            Action::NewJob => start::which(cx),
            Action::PauseJob => self.pause(cx),
            Action::CancelJob => self.to_job(cx, |job| {
                let over = || format!("job {} is already {}", job.id, job.standing.name());
                if job.standing.is_finished() {
                    Err(over())
                } else {
                    Ok(JobAct::Cancel)
                }
            }),
            Action::RetryJob => self.to_job(cx, |job| match job.failed {
                0 => Err(format!("job {} has no failures", job.id)),
                _ => Ok(JobAct::Retry),
            }),
            Action::RemoveJob => self.to_job(cx, |job| {
                let why = || format!("job {} is {}: cancel it first", job.id, job.standing.name());
                if job.standing.is_finished() {
                    Ok(JobAct::Remove)
                } else {
                    Err(why())
                }
            }),
            Action::JobUp | Action::JobDown => self.to_job(cx, |job| {
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
            Action::JobBatch => self.ask_batch(cx),
            Action::JobRate => self.ask_rate(cx),
            Action::JobBudget => self.ask_budget(cx),
            Action::JobFailures => self.show_failures(cx),
            other => self.act_on_table(other, cx),
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Resync if cx.env.is_shown => self.open(cx),
            Notice::Job(job) => self.on_job(job.clone(), cx),
            Notice::JobRemoved(id) => self.on_removed(id),
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        self.gauges_at.due()
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        if self.gauges_at.is_over(cx.env.now) && cx.env.is_shown {
            self.ask_gauges(cx);
        }
    }

    fn shows_progress(&self) -> bool {
        true
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        self.answered && self.jobs.is_empty() && self.failures.is_none()
    }

    fn draw_while_empty(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Rect {
        self.draw_gauges_below(area, buf, scene.look)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let picture = self.newest_picture(area, scene);
        self.draw_parts(area, picture.as_ref(), buf, scene.look);
        None
    }
}

#[cfg(test)]
mod tests;
