//! Starting a job: which pictures, a preview of the counts, and the confirmation.

use super::{GeneratePane, Setting, error_line};
use crate::pane::{Ask, Context, Opens, jobs};
use crate::widgets::prompt::Prompt;
use crate::widgets::text::{counted, grouped};
use benchtop_model::job::{Budget, NewJob, Plan, StartedJob};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// Samples per picture if there are to be several.
const SEVERAL: u32 = 4;

/// Asks for the pictures of a new job.
pub(super) fn which(cx: &mut Context<'_>) {
    let lines = [
        (
            "missing pictures",
            "none yet, an outdated prompt, or a draft",
        ),
        (
            "items of a filter",
            "all of them, replacing existing pictures",
        ),
    ];
    let lines = lines.map(|(a, b)| (a.to_string(), b.to_string())).to_vec();
    cx.choose("Generate", lines, |_: &mut GeneratePane, pick, cx| {
        if pick == 0 {
            return count_plan(Plan::Missing, cx);
        }
        let label = "filter, such as `subtask:animal status:pending`: ";
        let prompt = Prompt::new(label, "", Vec::new());
        cx.prompt(prompt, |_: &mut GeneratePane, words, cx| {
            Filter::parse(words.trim()).map_err(|problem| error_line(&problem))?;
            count_plan(Plan::Filter(words.trim().into()), cx);
            Ok(())
        });
    });
}

fn count_plan(plan: Plan, cx: &mut Context<'_>) {
    count(
        NewJob {
            plan,
            samples: 1,
            seed: 1,
            dry: true,
            ..NewJob::default()
        },
        cx,
    );
}

/// Counts the pictures of a job, then asks whether to start it.
fn count(job: NewJob, cx: &mut Context<'_>) {
    cx.say("counting pictures");
    let ask = request::Generate(Box::new(job.clone()), Budget::default());
    let then = |_: &mut GeneratePane, begun, cx: &mut Context<'_>| confirm(job, begun, cx);
    cx.send(Ask::new(ask, then).opens(Opens::Confirmation));
}

/// Asks for a setting and counts again.
fn ask_setting(job: NewJob, setting: Setting, text: &str, cx: &mut Context<'_>) {
    let prompt = Prompt::new(setting.expects(), text, Vec::new());
    cx.prompt(prompt, move |_: &mut GeneratePane, typed, cx| {
        count(setting.set(job.clone(), typed)?, cx);
        Ok(())
    });
}

/// Receives the counts of a job and asks for confirmation, and for consent to the servers that it
/// sends data to.
fn confirm(job: NewJob, begun: Result<StartedJob>, cx: &mut Context<'_>) {
    let begun = match begun {
        Ok(begun) => begun,
        Err(problem) => return cx.refuse(error_line(&problem)),
    };
    if begun.pictures == 0 {
        return cx.say(nothing(&job, &begun));
    }
    let (pictures, items) = (
        counted(begun.pictures, "picture"),
        counted(begun.items, "item"),
    );
    let mut title = format!("Generate {pictures} of {items} with {}", begun.generator);
    let to = jobs::missing_consent(begun.waits.as_deref(), &mut title);
    let several = format!(
        "{} pictures to choose from",
        grouped(begun.pictures * u64::from(SEVERAL))
    );
    let mut lines = vec![
        ("generate".to_string(), left_out(&begun)),
        (format!("generate {SEVERAL} samples of each"), several),
    ];
    lines.extend(Setting::ALL.map(|setting| {
        let usual = if setting == Setting::Backend {
            begun.generator.clone()
        } else {
            "default".into()
        };
        (
            setting.name().to_string(),
            Some(setting.of(&job))
                .filter(|now| !now.is_empty())
                .unwrap_or(usual),
        )
    }));
    cx.choose(
        title,
        lines,
        move |_: &mut GeneratePane, pick, cx| match pick.checked_sub(2) {
            None => {
                let job = NewJob {
                    dry: false,
                    samples: if pick == 0 { 1 } else { SEVERAL },
                    ..job
                };
                let ask = request::Generate(Box::new(job), Budget::default());
                jobs::start(to, ask, cx, GeneratePane::on_started);
            }
            Some(at) => {
                if let Some(setting) = Setting::ALL.get(at) {
                    let text = setting.of(&job);
                    ask_setting(job, *setting, &text, cx);
                }
            }
        },
    );
}

impl GeneratePane {
    /// Receives the job that was started.
    fn on_started(&mut self, begun: Result<StartedJob>, cx: &mut Context<'_>) {
        match begun.map(|begun| (begun.job, begun.pictures)) {
            Ok((Some(job), pictures)) => {
                self.goes_to = Some(job.id);
                cx.done(format!("job {}: {}", job.id, counted(pictures, "picture")));
                self.ask_jobs(cx);
            }
            Ok((None, _)) => cx.say("nothing to generate"),
            Err(problem) => cx.refuse(error_line(&problem)),
        }
    }
}

fn nothing(job: &NewJob, begun: &StartedJob) -> String {
    let what = match job.plan {
        Plan::Missing => "no pictures are missing",
        _ => "no pictures can be generated for those items",
    };
    let left = left_out(begun);
    if left.is_empty() {
        what.into()
    } else {
        format!("{what}: {left}")
    }
}

/// Why the plan leaves items out, in words.
fn left_out(begun: &StartedJob) -> String {
    let parts = [
        (begun.imported, "were imported with a picture"),
        (begun.without, "have no prompt"),
        (begun.disagree, "share a picture but differ in their prompt"),
    ];
    let parts = parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", grouped(n)));
    parts.collect::<Vec<_>>().join(", ")
}
