//! Drawing of the Jobs pane: jobs on top, details and gauges below, the newest picture beside
//! them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{GeneratePane, limits, rows};
use crate::item::Picture;
use crate::panes::review::draw_picture;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::meter::{Meter, bar, gib, percent, sparkline, stretch};
use crate::widgets::text::{self, counted, grouped};
use benchtop_model::brief;
use benchtop_model::device::Gpu;
use benchtop_model::evaluation::RunState;
use benchtop_model::job::{JobState, JobStatus};

/// The least width with the picture to the right of everything.
const WIDE: u16 = 120;
/// The least and greatest height of the jobs, with headings.
const TABLE: (u16, u16) = (5, 12);

/// The height of the gauges of a machine with a GPU.
const GAUGES: u16 = 6;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The jobs, or the failures of one job.
    pub table: Rect,
    /// Details of the job under the cursor, and the gauges.
    pub detail: Rect,
    /// The newest picture; empty if there is no room.
    pub picture: Rect,
    /// The caption below the picture.
    pub caption: Rect,
}

/// Splits `area`, given the number of rows.
pub fn layout(area: Rect, rows: usize) -> Layout {
    let wide = area.width >= WIDE;
    let needed = u16::try_from(rows)
        .unwrap_or(u16::MAX)
        .saturating_add(3)
        .clamp(TABLE.0, TABLE.1);
    let height = needed.min(area.height / 2);
    let below = area.height - height;
    // Cells are about twice as high as wide.
    let side = if wide {
        (area.height * 2).min(area.width * 2 / 5)
    } else {
        (below * 2).min(area.width * 2 / 5)
    };
    let room = area.height >= 12 && area.width >= 60;
    let side = if room { side } else { 0 };
    let left = area.width - side - u16::from(side > 0);
    let (above, detail) = areas::top(area, height);
    let beside = if wide { area } else { detail };
    let picture = Rect {
        x: area.right() - side,
        width: side,
        height: beside.height.saturating_sub(1),
        ..beside
    };
    let table = Rect {
        width: if wide { left } else { area.width },
        ..above
    };
    let detail = Rect {
        width: left,
        ..detail
    };
    let caption = Rect {
        y: picture.bottom(),
        height: u16::from(side > 0),
        ..picture
    };
    Layout {
        table,
        detail,
        picture: if side > 0 { picture } else { Rect::default() },
        caption,
    }
}

impl GeneratePane {
    /// The areas within `area`.
    pub fn layout(&self, area: Rect) -> Layout {
        let rows = match &self.failures {
            // One more line for the heading.
            Some(open) => 1 + open.list.iter().flatten().map(Vec::len).sum::<usize>(),
            None => self.jobs.len(),
        };
        let parts = layout(area, rows);
        if self.newest().is_some() || self.job().is_some_and(makes_pictures) {
            return parts;
        }
        // Without a picture to come, the text gets its place.
        let full_width = |part: Rect| Rect {
            width: area.width,
            ..part
        };
        Layout {
            table: full_width(parts.table),
            detail: full_width(parts.detail),
            ..Layout::default()
        }
    }

    /// Draws the pane. `picture` is the newest one, scaled to its place.
    pub(super) fn draw_parts(
        &mut self,
        area: Rect,
        picture: Option<&Picture>,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let parts = self.layout(area);
        match &mut self.failures {
            Some(open) => open.table.draw(parts.table, buf, look),
            None => self.table.draw(parts.table, buf, look),
        }
        let mut lines = Lines::new(parts.detail, buf, look);
        if let Some(failure) = self.failure() {
            let sample = if failure.sample > 1 {
                format!(", sample {}", failure.sample)
            } else {
                String::new()
            };
            lines.text(
                &format!(" #{} {}{sample}", failure.number, failure.picture),
                Role::Heading,
            );
            lines.wrapped(&format!(" {}", failure.reason), Role::Bad);
            lines.text("", Role::Text);
        }
        self.draw_job(&mut lines);
        lines.text("", Role::Text);
        self.draw_gauges(&mut lines);
        if parts.picture.is_empty() {
            return;
        }
        let Some(newest) = self.newest() else { return };
        draw_picture(
            picture.unwrap_or(&Picture::Loading),
            false,
            parts.picture,
            buf,
            look,
        );
        let draft = if newest.draft { "draft  " } else { "" };
        let sample = if newest.sample > 1 {
            format!("  sample {}", newest.sample)
        } else {
            String::new()
        };
        let caption = format!("{draft}#{} {}{sample}", newest.number, newest.picture);
        let role = if newest.draft { Role::Warn } else { Role::Dim };
        Lines::new(parts.caption, buf, look).text(&caption, role);
    }

    /// Draws the gauges at the bottom if there is room. Returns the area above.
    pub(super) fn draw_gauges_below(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Rect {
        let (above, below) = match area.height {
            0..14 => return area,
            height => areas::top(area, height - GAUGES.min(height / 3)),
        };
        self.draw_gauges(&mut Lines::new(below, buf, look));
        above
    }

    fn draw_job(&self, lines: &mut Lines<'_>) {
        let Some(job) = self.job() else { return };
        let samples = if job.samples == 1 {
            String::new()
        } else {
            format!(", {} samples of each", job.samples)
        };
        lines.text(
            &format!(
                " job {}: {}{samples}, seed {}, by {}",
                job.id, job.plan, job.seed, job.by
            ),
            Role::Heading,
        );
        if let Some(of) = job.of {
            let share = if of > 0 {
                (job.done + job.failed) as f64 / of as f64
            } else {
                1.0
            };
            let width = lines.width().saturating_sub(32).clamp(4, 40);
            let failed = if job.failed > 0 {
                format!("  {} failed", grouped(job.failed))
            } else {
                String::new()
            };
            let bar = bar(share, width, lines.look().accessible);
            let progress = format!(
                " {bar} {} {} of {}{failed}",
                percent(share),
                grouped(job.done),
                grouped(of)
            );
            lines.text(&progress, rows::role(job.standing));
        }
        lines.wrapped(
            &pace(job),
            if job.reason.is_some() {
                Role::Warn
            } else {
                Role::Text
            },
        );
        if let Some(spent) = limits::spent(job) {
            lines.wrapped(&spent, Role::Text);
        }
        if job.standing == JobStatus::Running {
            if let Some(step) = job.step {
                let share = f64::from(step.done) / f64::from(step.of.max(1));
                let together = if step.batch == 1 {
                    String::new()
                } else {
                    format!(", batch of {}", step.batch)
                };
                let says = format!("step {} of {}{together}", step.done, step.of);
                lines.meter(&Meter {
                    name: "batch",
                    share,
                    says,
                    history: &[],
                });
            }
            if let Some(rates) = self.rates.get(&job.id) {
                let most = rates.iter().copied().fold(0.0, f64::max);
                let width = lines.width().saturating_sub(26).min(60);
                let line = sparkline(rates, most, width, lines.look().accessible);
                let unit = match makes_pictures(job) {
                    true => "img".into(),
                    false => format!("{}s", job.unit),
                };
                lines.text(&format!(" {unit}/min {line} max {most:.1}"), Role::Dim);
            }
        }
        for line in job
            .run
            .as_ref()
            .map_or_else(|| made_with(job), |run| run_lines(run))
        {
            lines.text(&line, Role::Dim);
        }
    }

    fn draw_gauges(&self, lines: &mut Lines<'_>) {
        let Some(devices) = &self.devices else {
            return lines.text(" loading gauges", Role::Dim);
        };
        if let Some(why) = &devices.no_gpu {
            lines.text(&format!(" GPU: none ({why})"), Role::Dim);
        }
        for (at, gpu) in devices.gpus.iter().enumerate() {
            self.draw_gpu(gpu, at == 0, lines);
        }
        let cpu = devices.cpu;
        let share = cpu.busy.map_or(0.0, f64::from);
        let ours = cpu.ours.map_or(String::new(), |o| {
            format!(", {} ours", percent(f64::from(o)).trim())
        });
        let cores = text::plural(cpu.cores, "core");
        let says = match cpu.busy {
            Some(_) => format!("{} of {cores}{ours}", percent(share)),
            None => cores,
        };
        lines.meter(&Meter {
            name: "CPU",
            share,
            says,
            history: &self.history.cpu,
        });
    }

    fn draw_gpu(&self, gpu: &Gpu, first: bool, lines: &mut Lines<'_>) {
        let none: &[f64] = &[];
        let heat = gpu
            .temperature
            .map_or(String::new(), |t| format!("  {t} °C"));
        lines.text(&format!(" {}{heat}", gpu.name), Role::Text);
        // The history belongs to the first GPU.
        let history = |list| if first { list } else { none };
        if let Some(busy) = gpu.utilisation {
            let share = f64::from(busy) / 100.0;
            lines.meter(&Meter {
                name: "GPU",
                share,
                says: percent(share),
                history: history(&self.history.gpu),
            });
        }
        if let (Some(used), Some(total)) = (gpu.memory_used, gpu.memory_total) {
            let share = if total > 0 {
                used as f64 / total as f64
            } else {
                0.0
            };
            let ours = gpu
                .memory_ours
                .map_or(String::new(), |o| format!(", {} ours", gib(o)));
            let says = format!("{} of {} GiB{ours}", gib(used), gib(total));
            lines.meter(&Meter {
                name: "memory",
                share,
                says,
                history: history(&self.history.memory),
            });
        }
        if let Some(power) = gpu.power {
            let share = gpu
                .power_limit
                .map_or(0.0, |l| f64::from(power) / f64::from(l.max(1)));
            let limit = gpu
                .power_limit
                .map_or(String::new(), |l| format!(" of {}", l / 1000));
            let says = format!("{}{limit} W", power / 1000);
            lines.meter(&Meter {
                name: "power",
                share,
                says,
                history: history(&self.history.power),
            });
        }
    }
}

/// Whether pictures come from a job.
fn makes_pictures(job: &JobState) -> bool {
    job.run.is_none() && matches!(job.unit.as_str(), "" | "picture")
}

/// The rate of a job, or the reason why it does not run.
fn pace(job: &JobState) -> String {
    let why = job.reason.as_ref().map_or(String::new(), |r| {
        format!(": {}", text::clean(&brief::of_text(r)))
    });
    match job.standing {
        JobStatus::Running => {
            let left = job
                .left_s
                .map_or(String::new(), |s| format!(", {} left", stretch(s)));
            let most = job
                .per_minute
                .map_or(String::new(), |n| format!(" (limit {n})"));
            // The first seconds have no meaningful rate.
            let rate = if job.rate > 0.0 {
                format!("{:.1}", job.rate)
            } else {
                "...".into()
            };
            let unit = match makes_pictures(job) {
                true => "images".into(),
                false => format!("{}s", job.unit),
            };
            format!(" {rate} {unit}/min{most}{left}")
        }
        JobStatus::Queued => format!(" queued: position {}{why}", job.place),
        other => format!(" {}{why}", other.name()),
    }
}

/// The generator and the settings of a job.
fn made_with(job: &JobState) -> Vec<String> {
    let with = if job.device.is_empty() {
        &job.generator
    } else {
        &job.device
    };
    // The reason for a fallback is on its own line.
    let mut lines: Vec<String> = with.split("; ").map(|part| format!(" {part}")).collect();
    if let Some(s) = &job.settings {
        let steps = text::plural(s.steps, "step");
        let how = format!("guidance {}, {}", s.guidance, s.scheduler.name());
        lines.push(format!(" {}x{}, {steps}, {how}", s.width, s.height));
    }
    lines
}

/// The model, the settings, and the counts of an evaluation.
fn run_lines(run: &RunState) -> Vec<String> {
    let (sent, received) = run.tokens;
    let least = if run.untold > 0 { "at least " } else { "" };
    let cost = run
        .cost_micros
        .map_or(String::new(), |m| format!(", cost {:.4}", m as f64 / 1e6));
    let problems = [
        (run.truncated, "cut off"),
        (run.refused, "refused"),
        (run.empty, "empty"),
    ];
    let problems: Vec<String> = problems
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", grouped(*n)))
        .collect();
    let mut lines = vec![
        format!(
            " {} as {} at {}",
            run.model,
            run.label,
            run.endpoints.join(", ")
        ),
        format!(
            " {least}{} + {} tokens{cost}",
            grouped(sent),
            grouped(received)
        ),
        format!(" instruction {}", run.instruction),
    ];
    if !problems.is_empty() {
        lines.insert(1, format!(" {}", problems.join(", ")));
    }
    if run.predictions > 0 {
        lines.push(format!(
            " {} on the board",
            counted(run.predictions, "answer")
        ));
    }
    lines
}
