//! Scoring from the command line.

use serde_json::{Value, json};

use crate::context::Context;
use crate::follow::{Follow, Followed, follow, left};
use crate::out::print;
use crate::{consent, out};
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringAct, ScoringState};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{Event, request};

/// How a job is watched.
pub struct Watch {
    /// Not at all.
    pub detach: bool,
    /// As JSON lines.
    pub lines: bool,
    /// Its end as JSON.
    pub json: bool,
}

/// Begins a job and watches it.
pub fn run(context: &Context, new: NewScoring, retry: bool, watch: Watch) -> Result<u8> {
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
                Error::new(
                    ErrorKind::NotFound,
                    format!("nothing was scored by `{}` yet", new.scorer),
                )
            };
            let job = job.ok_or_else(none)?;
            consent::resume(
                client,
                job.waits.as_deref(),
                request::ScoringAct {
                    id: job.id,
                    act: ScoringAct::Retry,
                },
            )?
        }
        false => begin(client, &new)?,
    };
    if new.dry || watch.detach {
        let text = match (watch.json, new.dry) {
            (true, _) => out::json_text(&job.value()),
            (false, true) => {
                consent::note(job.waits.as_deref())?;
                let drafts = match job.drafts {
                    0 => String::new(),
                    drafts => format!(
                        "note: {drafts} of them show a draft, which is no picture of a model\n"
                    ),
                };
                format!(
                    "{} pictures or texts to score by {}\n{drafts}",
                    job.of.unwrap_or_default(),
                    job.device
                )
            }
            (false, false) => format!("{}\n", job.progress(usize::MAX)),
        };
        return print(&text).map(|()| 0);
    }
    follow(&mut follower, job, watch.json, watch.lines)
}

/// Begins the job; where benchtop.toml names servers that the person has not agreed to, they are asked.
fn begin(client: &Client, new: &NewScoring) -> Result<ScoringState> {
    match client.ask(request::Score(new.clone())) {
        Err(refusal) if refusal.kind == ErrorKind::Denied && !new.dry => {
            let dry = request::Score(NewScoring {
                dry: true,
                ..new.clone()
            });
            let counted = client.ask(dry)?;
            consent::begin(
                client,
                counted.waits.as_deref(),
                refusal,
                request::Score(new.clone()),
            )
        }
        answer => answer,
    }
}

/// Does something to a job.
pub fn act(context: &Context, id: u32, act: ScoringAct, json: bool) -> Result<u8> {
    let client = context.client()?;
    let waits = match act {
        ScoringAct::Resume | ScoringAct::Retry => ScoringState::ask(&client, id)
            .ok()
            .and_then(|job| job.waits),
        ScoringAct::Pause | ScoringAct::Cancel => None,
    };
    let job = consent::resume(&client, waits.as_deref(), request::ScoringAct { id, act })?;
    let text = if json {
        out::json(&job.value())
    } else {
        job.progress(usize::MAX)
    };
    print(&format!("{text}\n")).map(|()| 0)
}

impl Followed for ScoringState {
    fn id(&self) -> u32 {
        self.id
    }

    fn heard(event: Event) -> Option<ScoringState> {
        match event {
            Event::Scoring(job) => Some(*job),
            _ => None,
        }
    }

    fn ask(client: &Client, id: u32) -> Result<ScoringState> {
        let all = client.ask(request::Scorers)?;
        let none = || Error::new(ErrorKind::NotFound, format!("there is no scoring job {id}"));
        all.into_iter()
            .filter_map(|s| s.job)
            .find(|job| job.id == id)
            .ok_or_else(none)
    }

    fn rests(&self) -> bool {
        self.phase.over() || matches!(self.phase, Phase::Paused | Phase::Blocked)
    }

    fn is_well(&self) -> bool {
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
            parts.push(format!("{} drafts", self.drafts));
        }
        if self.without > 0 {
            parts.push(format!("{} without a number", self.without));
        }
        parts.extend(self.per_minute.map(|rate| format!("{rate:.0} a minute")));
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
                "\nnote: `benchtop filter run {} --retry` tries again what has no number",
                self.scorer
            ));
        }
        out.push('\n');
        out
    }

    fn goes_on(id: u32) -> String {
        format!(
            "job {id} goes on without you: benchtop filter pause {id}, resume {id} or cancel {id}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::scoring::Scorer;

    #[test]
    fn a_line_of_progress_says_what_is_known_and_fits() {
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
        let line = "job 2 running  judge/v1-add  10 of 130  1 without a number  60 a minute  2 min left  900 + 30 tokens  \
                    cost 0.0015  no answer";
        assert_eq!(job.progress(500), line);
        assert_eq!(job.progress(9).len(), 9);
        assert!(job.outcome().contains("--retry") && !job.rests() && !job.is_well());
    }
}
