//! Starting a job: which pictures, a preview of the counts, and the confirmation.

use super::{
    GenerateEffect as Effect, GeneratePane, ReplyFor, Setting, TextFor, error_line, refuse,
};
use crate::widgets::text::{counted, grouped};
use benchtop_model::job::{JobAct, NewJob, Plan, StartedJob};
use benchtop_model::trust::{Destination, PendingConsent};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{NeedsConsent, request};

/// Samples per picture if there are to be several.
const SEVERAL: u32 = 4;

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// The pictures of a new job.
    Which,
    /// Whether to start the job and consent to the servers that it sends data to.
    Begin(Box<NewJob>, Vec<Destination>),
    /// Whether to consent to what a waiting job sends, and the action to run then.
    Agree(u32, JobAct, Vec<Destination>),
}

/// Asks for the pictures of a new job.
pub(super) fn which() -> Vec<Effect> {
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
    vec![Effect::AskChoice {
        purpose: ChoiceFor::Which,
        title: "Generate".into(),
        lines,
    }]
}

fn count(plan: Plan) -> Vec<Effect> {
    count_job(NewJob {
        plan,
        samples: 1,
        seed: 1,
        dry: true,
        ..NewJob::default()
    })
}

/// Applies a typed setting and counts again. Asks again if it is invalid.
pub(super) fn set(job: &NewJob, setting: Setting, typed: &str) -> Vec<Effect> {
    match setting.set(job.clone(), typed) {
        Ok(job) => count_job(job),
        Err(why) => {
            let mut effects = ask_for(job, setting, typed);
            effects.extend(refuse(why));
            effects
        }
    }
}

fn ask_for(job: &NewJob, setting: Setting, text: &str) -> Vec<Effect> {
    let purpose = TextFor::Setting(Box::new(job.clone()), setting);
    vec![Effect::AskText {
        purpose,
        label: setting.expects(),
        text: text.into(),
    }]
}

fn count_job(job: NewJob) -> Vec<Effect> {
    let ask = request::Generate(Box::new(job.clone())).into();
    vec![
        Effect::Say("counting pictures".into()),
        Effect::Ask(ReplyFor::Count(Box::new(job)), ask),
    ]
}

/// Counts the pictures of a job for this filter.
pub(super) fn count_filter(words: &str) -> Vec<Effect> {
    match Filter::parse(words) {
        Ok(_) => count(Plan::Filter(words.into())),
        Err(problem) => refuse(error_line(&problem)),
    }
}

impl GeneratePane {
    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match (purpose, pick) {
            (ChoiceFor::Which, 0) => count(Plan::Missing),
            (ChoiceFor::Which, _) => {
                let label = "filter, such as `subtask:animal status:pending`: ".to_string();
                vec![Effect::AskText {
                    purpose: TextFor::Filter,
                    label,
                    text: String::new(),
                }]
            }
            (ChoiceFor::Agree(id, act, to), 0) => {
                let ask = request::Agree {
                    to: to.clone(),
                    then: Some(request::JobAct { id: *id, act: *act }.then()),
                }
                .into();
                vec![Effect::Ask(ReplyFor::Act, ask)]
            }
            (ChoiceFor::Begin(job, to), 0 | 1) => {
                let samples = if pick == 0 { 1 } else { SEVERAL };
                let job = NewJob {
                    dry: false,
                    samples,
                    ..(**job).clone()
                };
                let ask = match to.is_empty() {
                    true => request::Generate(Box::new(job)).into(),
                    false => request::Agree {
                        to: to.clone(),
                        then: Some(request::Generate(Box::new(job)).then()),
                    }
                    .into(),
                };
                vec![Effect::Ask(ReplyFor::Begun, ask)]
            }
            (ChoiceFor::Begin(job, _), pick) => match Setting::ALL.get(pick - 2) {
                Some(setting) => ask_for(job, *setting, &setting.of(job)),
                None => vec![],
            },
            (ChoiceFor::Agree(..), _) => vec![],
        }
    }

    /// Receives the counts of a job and asks for confirmation.
    pub fn on_count(&mut self, job: NewJob, begun: Result<StartedJob>) -> Vec<Effect> {
        let begun = match begun {
            Ok(begun) => begun,
            Err(problem) => return refuse(error_line(&problem)),
        };
        if begun.pictures == 0 {
            return vec![Effect::Say(nothing(&job, &begun))];
        }
        let (pictures, items) = (
            counted(begun.pictures, "picture"),
            counted(begun.items, "item"),
        );
        let mut title = format!("Generate {pictures} of {items} with {}", begun.generator);
        let to = begun
            .waits
            .as_ref()
            .map(|waits| waits.missing())
            .unwrap_or_default();
        if let Some(waits) = begun.waits.as_ref().filter(|_| !to.is_empty()) {
            title = format!("{title}; {}", waits.description());
        }
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
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Begin(Box::new(job), to),
            title,
            lines,
        }]
    }

    /// Receives the job that was started.
    pub fn on_started(&mut self, begun: Result<StartedJob>) -> Vec<Effect> {
        match begun {
            Ok(begun) => match begun.job {
                Some(job) => {
                    self.goes_to = Some(job.id);
                    vec![
                        Effect::Done(format!(
                            "job {}: {}",
                            job.id,
                            counted(begun.pictures, "picture")
                        )),
                        Effect::Ask(ReplyFor::Jobs, request::Jobs.into()),
                    ]
                }
                None => vec![Effect::Say("nothing to generate".into())],
            },
            Err(problem) => refuse(error_line(&problem)),
        }
    }
}

/// Asks for consent to what a waiting job sends.
pub(super) fn agree(id: u32, act: JobAct, waits: &PendingConsent) -> Vec<Effect> {
    let purpose = ChoiceFor::Agree(id, act, waits.missing());
    vec![Effect::AskChoice {
        purpose,
        title: format!("Resume? {}", waits.description()),
        lines: waits.choices(),
    }]
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
