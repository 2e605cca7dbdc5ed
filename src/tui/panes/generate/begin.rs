//! From a wish to a job: which pictures, what that would make, and whether to make them.

use super::{GenerateEffect as Effect, GeneratePane, Setting, TextFor, Want, refuse, said};
use crate::widgets::text::{counted, grouped};
use benchtop_model::job::{Begun, JobAct, NewJob, Plan};
use benchtop_model::trust::{Destination, Waits};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{NeedsConsent, request};

/// Samples of each picture where several are made to choose from.
const SEVERAL: u32 = 4;

/// What a choice decides.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// Which pictures a new job makes.
    Which,
    /// Whether to begin it, and to agree to what it sends.
    Begin(Box<NewJob>, Vec<Destination>),
    /// Whether a job that waits may send what it wants: what is done then, and what is agreed to.
    Agree(u32, JobAct, Vec<Destination>),
}

/// Asks which pictures a new job makes.
pub(super) fn which() -> Vec<Effect> {
    let lines = [
        (
            "what is missing",
            "no picture yet, one of another prompt, or a draft",
        ),
        (
            "the items of a filter",
            "all of them, whether there is a picture or not",
        ),
    ];
    let lines = lines.map(|(a, b)| (a.to_string(), b.to_string())).to_vec();
    vec![Effect::AskChoice {
        purpose: ChoiceFor::Which,
        title: "make pictures of".into(),
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

/// Counts again what a job makes of which something was set; what cannot be is said, and asked for again.
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
        Effect::Say("counting the pictures".into()),
        Effect::Ask(Want::Count(Box::new(job)), ask),
    ]
}

/// Counts what a job over these filter words would make.
pub(super) fn of_filter(words: &str) -> Vec<Effect> {
    match Filter::parse(words) {
        Ok(_) => count(Plan::Filter(words.into())),
        Err(problem) => refuse(said(&problem)),
    }
}

impl GeneratePane {
    /// Takes in a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match (purpose, pick) {
            (ChoiceFor::Which, 0) => count(Plan::Missing),
            (ChoiceFor::Which, _) => {
                let label = "items such as `subtask:animal status:pending` ".to_string();
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
                vec![Effect::Ask(Want::Act, ask)]
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
                vec![Effect::Ask(Want::Begun, ask)]
            }
            (ChoiceFor::Begin(job, _), pick) => match Setting::ALL.get(pick - 2) {
                Some(setting) => ask_for(job, *setting, &setting.of(job)),
                None => vec![],
            },
            (ChoiceFor::Agree(..), _) => vec![],
        }
    }

    /// Takes in what a job would make, and asks whether to.
    pub fn take_count(&mut self, job: NewJob, begun: Result<Begun>) -> Vec<Effect> {
        let begun = match begun {
            Ok(begun) => begun,
            Err(problem) => return refuse(said(&problem)),
        };
        if begun.pictures == 0 {
            return vec![Effect::Say(nothing(&job, &begun))];
        }
        let (pictures, items) = (
            counted(begun.pictures, "picture"),
            counted(begun.items, "item"),
        );
        let mut title = format!("{pictures} of {items} with {}", begun.generator);
        let to = begun
            .waits
            .as_ref()
            .map(|waits| waits.open())
            .unwrap_or_default();
        if let Some(waits) = begun.waits.as_ref().filter(|_| !to.is_empty()) {
            title = format!("{title}; {}", waits.says());
        }
        let several = format!(
            "{} pictures to choose from",
            grouped(begun.pictures * u64::from(SEVERAL))
        );
        let mut lines = vec![
            ("make them".to_string(), left_out(&begun)),
            (format!("make {SEVERAL} samples of each"), several),
        ];
        lines.extend(Setting::ALL.map(|setting| {
            let usual = if setting == Setting::Backend {
                begun.generator.clone()
            } else {
                "as usual".into()
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

    /// Takes in the job that was begun.
    pub fn take_begun(&mut self, begun: Result<Begun>) -> Vec<Effect> {
        match begun {
            Ok(begun) => match begun.job {
                Some(job) => {
                    self.goes_to = Some(job.id);
                    vec![
                        Effect::Done(format!(
                            "job {} makes {}",
                            job.id,
                            counted(begun.pictures, "picture")
                        )),
                        Effect::Ask(Want::Jobs, request::Jobs.into()),
                    ]
                }
                None => vec![Effect::Say("there is nothing to make".into())],
            },
            Err(problem) => refuse(said(&problem)),
        }
    }
}

/// Asks whether a job that waits for an agreement may send what it wants.
pub(super) fn agree(id: u32, act: JobAct, waits: &Waits) -> Vec<Effect> {
    let purpose = ChoiceFor::Agree(id, act, waits.open());
    vec![Effect::AskChoice {
        purpose,
        title: format!("{}: resume?", waits.says()),
        lines: waits.choices(),
    }]
}

fn nothing(job: &NewJob, begun: &Begun) -> String {
    let what = match job.plan {
        Plan::Missing => "no picture is missing",
        _ => "no picture of those items can be made",
    };
    let left = left_out(begun);
    if left.is_empty() {
        what.into()
    } else {
        format!("{what}: {left}")
    }
}

/// What of the plan no picture is made of, in words.
fn left_out(begun: &Begun) -> String {
    let parts = [
        (begun.imported, "came with their picture"),
        (begun.without, "have no prompt"),
        (
            begun.disagree,
            "want another prompt than the first item of their picture",
        ),
    ];
    let said = parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", grouped(n)));
    said.collect::<Vec<_>>().join(", ")
}
