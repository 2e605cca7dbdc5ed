//! Scoring jobs on the command line.

use serde_json::{Value, json};

use super::rules;
use crate::context::Context;
use crate::follow::{Follow, Followed, follow, left};
use crate::out::print;
use crate::{consent, out};
use benchtop_model::job::{Budget, JobAct};
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringState};
use benchtop_model::scoring::rules::{RuleAction, Threshold};
use benchtop_model::{Error, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{Event, request};

/// How to watch a job.
pub struct Watch {
    /// Do not watch it.
    pub detach: bool,
    /// Print progress as JSON lines.
    pub lines: bool,
    /// Print the outcome as JSON.
    pub json: bool,
}

/// Starts a job, sets thresholds on its scores, and watches it.
pub fn run(
    context: &Context,
    (new, budget): (NewScoring, Budget),
    retry: bool,
    thresholds: &[(RuleAction, Threshold)],
    watch: Watch,
) -> Result<u8> {
    let mut follower = Follow::connect(context)?;
    let client = follower.client();
    let job = match retry {
        true => {
            let all = client.ask(request::Scorers)?;
            let job = all
                .into_iter()
                .find(|s| s.scorer == new.scorer)
                .and_then(|s| s.job);
            let none = || {
                Error::not_found(format!(
                    "nothing to retry: `{}` has not scored anything yet",
                    new.scorer
                ))
            };
            let job = job.ok_or_else(none)?;
            act_on(client, &job, JobAct::Retry)?
        }
        false => {
            let ask = |dry| request::Score(NewScoring { dry, ..new.clone() }, budget);
            consent::begin(client, new.dry, ask, |job| job.waits.as_deref())?
        }
    };
    if !new.dry {
        rules::set(client, &new.scorer, thresholds)?;
    }
    if new.dry || watch.detach {
        let text = match (watch.json, new.dry) {
            (true, _) => out::json_text(&job.value()),
            (false, true) => {
                consent::note(job.waits.as_deref())?;
                let drafts = match job.drafts {
                    0 => String::new(),
                    drafts => format!("note: {drafts} of them are draft pictures\n"),
                };
                format!(
                    "Would score {} on {}.\n{drafts}",
                    out::count(job.of.unwrap_or_default(), "input"),
                    job.device
                )
            }
            (false, false) => format!("{}\n", job.progress(usize::MAX)),
        };
        return print(&text).map(|()| 0);
    }
    follow(&mut follower, job, watch.json, watch.lines)
}

/// Pauses, resumes, or cancels a job.
pub fn act(context: &Context, id: u32, act: JobAct, json: bool) -> Result<u8> {
    let client = context.client()?;
    let job = act_on(&client, &ScoringState::ask(&client, id)?, act)?;
    let text = if json {
        out::json(&job.value())
    } else {
        job.progress(usize::MAX)
    };
    print(&format!("{text}\n")).map(|()| 0)
}

fn act_on(client: &Client, job: &ScoringState, act: JobAct) -> Result<ScoringState> {
    let waits = match act {
        JobAct::Resume | JobAct::Retry => job.waits.as_deref(),
        _ => None,
    };
    let state = consent::resume(client, waits, request::JobAct { id: job.id, act })?;
    let scoring = state.and_then(|job| job.scoring);
    scoring.map(|job| *job).ok_or_else(|| unknown(job.id))
}

fn unknown(id: u32) -> Error {
    Error::not_found(format!("no scoring job {id}")).help("run `benchtop jobs` to list the jobs")
}

impl Followed for ScoringState {
    fn id(&self) -> u32 {
        self.id
    }

    fn from_event(event: Event) -> Option<ScoringState> {
        match event {
            Event::Job(job) => job.scoring.map(|job| *job),
            _ => None,
        }
    }

    fn ask(client: &Client, id: u32) -> Result<ScoringState> {
        let jobs = client.ask(request::Jobs)?;
        let job = jobs.into_iter().find(|job| job.id == id);
        let scoring = job.and_then(|job| job.scoring);
        scoring.map(|job| *job).ok_or_else(|| unknown(id))
    }

    fn is_settled(&self) -> bool {
        self.phase.is_finished() || matches!(self.phase, Phase::Paused | Phase::Blocked)
    }

    fn succeeded(&self) -> bool {
        self.phase == Phase::Done
    }

    fn value(&self) -> Value {
        json!(self)
    }

    fn progress(&self, width: usize) -> String {
        let of = self.of.map_or("?".into(), |of| of.to_string());
        let mut parts = vec![format!(
            "job {} {}  {}  {} of {of}",
            self.id,
            self.phase.name(),
            self.scorer,
            self.done
        )];
        if self.drafts > 0 {
            parts.push(out::count(self.drafts, "draft"));
        }
        if self.without > 0 {
            parts.push(format!("{} without a score", self.without));
        }
        parts.extend(self.per_minute.map(|rate| format!("{rate:.0} per minute")));
        parts.extend(self.eta_seconds().map(left));
        if let Some((asked, answered)) = self.tokens {
            parts.push(format!("{asked} + {answered} tokens"));
        }
        parts.extend(
            self.cost_micros
                .map(|cost| format!("cost {:.4}", cost as f64 / 1e6)),
        );
        parts.extend(self.why.iter().map(|why| why.replace(['\n', '\t'], " ")));
        parts.join("  ").chars().take(width).collect()
    }

    fn outcome(&self) -> String {
        let mut out = self.progress(usize::MAX);
        if self.without > 0 {
            out.push_str(&format!(
                "\nnote: run `benchtop filter run {} --retry` to retry items without a score",
                self.scorer
            ));
        }
        out.push('\n');
        out
    }

    fn detach_hint(id: u32) -> String {
        format!(
            "Job {id} continues in the background. Run `benchtop filter pause {id}`, `resume {id}`, or `cancel {id}`."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::scoring::Scorer;

    #[test]
    fn progress_shows_known_fields_and_fits_the_width() {
        let job = ScoringState {
            id: 2,
            scorer: Scorer::Judge("v1-add".into()),
            filter: String::new(),
            phase: Phase::Running,
            done: 10,
            of: Some(130),
            without: 1,
            per_minute: Some(60.0),
            why: Some("no\nanswer".into()),
            device: "m".into(),
            tokens: Some((900, 30)),
            cost_micros: Some(1500),
            waits: None,
            drafts: 0,
        };
        let line = "job 2 running  judge/v1-add  10 of 130  1 without a score  60 per minute  2 min left  900 + 30 tokens  \
                    cost 0.0015  no answer";
        assert_eq!(job.progress(500), line);
        assert_eq!(job.progress(9).len(), 9);
        assert!(job.outcome().contains("--retry") && !job.is_settled() && !job.succeeded());
    }
}
