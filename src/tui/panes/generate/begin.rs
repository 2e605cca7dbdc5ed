//! From a wish to a job: which pictures, what that would make, and whether to make them.

use super::{GenerateEffect as Effect, GeneratePane, TextFor, Want, refuse, said};
use crate::model::job::{Begun, NewJob, Plan};
use crate::model::{Filter, Result};
use crate::owner::wire::Ask;
use crate::tui::widgets::text::grouped;

/// Samples of each picture where several are made to choose from.
const SEVERAL: u32 = 4;

/// What a choice decides.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// Which pictures a new job makes.
    Which,
    /// Whether to begin it.
    Begin(Box<NewJob>),
}

/// Asks which pictures a new job makes.
pub(super) fn which() -> Vec<Effect> {
    let lines = [
        ("what is missing", "no picture yet, or one made from another prompt, or only a draft"),
        ("the items of a filter", "all of them, whether there is a picture or not"),
    ];
    let lines = lines.map(|(a, b)| (a.to_string(), b.to_string())).to_vec();
    vec![Effect::AskChoice { purpose: ChoiceFor::Which, title: "make pictures of".into(), lines }]
}

fn count(plan: Plan) -> Vec<Effect> {
    let job = NewJob { plan, samples: 1, dry: true, ..NewJob::default() };
    let ask = Ask::Generate(Box::new(job.clone()));
    vec![Effect::Say("counting the pictures".into()), Effect::Ask(Want::Count(Box::new(job)), ask)]
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
                vec![Effect::AskText { purpose: TextFor::Filter, label, text: String::new() }]
            }
            (ChoiceFor::Begin(job), 0 | 1) => {
                let samples = if pick == 0 { 1 } else { SEVERAL };
                let job = NewJob { dry: false, samples, ..(**job).clone() };
                vec![Effect::Ask(Want::Begun, Ask::Generate(Box::new(job)))]
            }
            (ChoiceFor::Begin(_), _) => vec![],
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
        let title =
            format!("{} pictures of {} items with {}", grouped(begun.pictures), grouped(begun.items), begun.generator);
        let several = format!("{} pictures to choose from", grouped(begun.pictures * u64::from(SEVERAL)));
        let lines = vec![
            ("make them".to_string(), left_out(&begun)),
            (format!("make {SEVERAL} samples of each"), several),
            ("not now".to_string(), String::new()),
        ];
        vec![Effect::AskChoice { purpose: ChoiceFor::Begin(Box::new(job)), title, lines }]
    }

    /// Takes in the job that was begun.
    pub fn take_begun(&mut self, begun: Result<Begun>) -> Vec<Effect> {
        match begun {
            Ok(begun) => match begun.job {
                Some(job) => vec![
                    Effect::Done(format!("job {} makes {} pictures", job.id, grouped(begun.pictures))),
                    Effect::Ask(Want::Jobs, Ask::Jobs),
                ],
                None => vec![Effect::Say("there is nothing to make".into())],
            },
            Err(problem) => refuse(said(&problem)),
        }
    }
}

fn nothing(job: &NewJob, begun: &Begun) -> String {
    let what = match job.plan {
        Plan::Missing => "no picture is missing",
        _ => "no picture of those items can be made",
    };
    let left = left_out(begun);
    if left.is_empty() { what.into() } else { format!("{what}: {left}") }
}

/// What of the plan no picture is made of, in words.
fn left_out(begun: &Begun) -> String {
    let parts = [
        (begun.imported, "came with their picture"),
        (begun.without, "have no prompt"),
        (begun.disagree, "want another prompt than the first item of their picture"),
    ];
    let said = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(n)));
    said.collect::<Vec<_>>().join(", ")
}
