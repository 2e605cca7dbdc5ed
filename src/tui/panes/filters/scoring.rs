//! Scorers and their jobs: counting, starting, pausing, resuming, canceling.

use super::{ChoiceFor, Effect, FiltersPane, ReplyFor, TextFor, error_line, refuse};
use crate::widgets::text::grouped;
use benchtop_model::job::JobAct;
use benchtop_model::scoring::bench::ScorerState;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringState};
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_model::trust::PendingConsent;
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// The number of items in one score state.
pub(super) fn items(scorer: &ScorerState, state: ScoreState) -> u64 {
    scorer.items[usize::from(state.code())]
}

/// The number of items without a score after a try.
pub(super) fn tried_without_score(scorer: &ScorerState) -> u64 {
    let states = [
        ScoreState::Unparsed,
        ScoreState::Refused,
        ScoreState::NotApplicable,
        ScoreState::Failed,
    ];
    states.iter().map(|state| items(scorer, *state)).sum()
}

fn count(scorer: Scorer, filter: String) -> Vec<Effect> {
    let job = NewScoring {
        scorer,
        filter,
        dry: true,
        drafts: false,
    };
    let text = format!("counting items for {}", job.scorer);
    vec![
        Effect::Say(text),
        Effect::Ask(
            ReplyFor::Count(Box::new(job.clone())),
            request::Score(job).into(),
        ),
    ]
}

/// Asks for consent to what a waiting job sends.
fn agree(id: u32, act: JobAct, waits: &PendingConsent) -> Vec<Effect> {
    let purpose = ChoiceFor::Agree(id, act, waits.missing());
    vec![Effect::AskChoice {
        purpose,
        title: format!("Resume? {}", waits.description()),
        lines: waits.choices(),
    }]
}

impl FiltersPane {
    /// Asks for the items to score.
    pub(super) fn begin_scoring(&self) -> Vec<Effect> {
        let Some(state) = self.scorer() else {
            return refuse("the scorers are still loading");
        };
        if let Some(why) = &state.not_ready {
            return refuse(format!("{} cannot run: {why}", state.scorer));
        }
        if let Some(job) = state.job.as_ref().filter(|j| !j.phase.is_finished()) {
            return refuse(format!(
                "{} is already {}: p pauses or resumes, x cancels",
                state.scorer,
                job.phase.name()
            ));
        }
        let shown = if self.filter.is_empty() {
            "asks for a filter".into()
        } else {
            self.filter.to_text()
        };
        let lines = vec![
            ("all items".to_string(), "keeps existing scores".to_string()),
            ("items of a filter".to_string(), shown),
        ];
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Which,
            title: format!("Score with {}", state.scorer),
            lines,
        }]
    }

    /// Receives the choice of items.
    pub(super) fn chose_items(&self, pick: usize) -> Vec<Effect> {
        let Some(scorer) = self.scorer().map(|s| s.scorer.clone()) else {
            return vec![];
        };
        if pick == 0 {
            return count(scorer, String::new());
        }
        let label = "score items such as `subtask:text status:pending`: ".to_string();
        vec![Effect::AskText {
            purpose: TextFor::Score,
            label,
            text: self.filter.to_text(),
        }]
    }

    pub(super) fn count_filter(&self, words: &str) -> Vec<Effect> {
        let Some(scorer) = self.scorer().map(|s| s.scorer.clone()) else {
            return vec![];
        };
        match Filter::parse(words) {
            Ok(_) => count(scorer, words.trim().into()),
            Err(problem) => refuse(error_line(&problem)),
        }
    }

    /// Receives the counts of a job and asks for confirmation.
    pub fn on_count(&mut self, job: NewScoring, counted: Result<ScoringState>) -> Vec<Effect> {
        let counted = match counted {
            Ok(counted) => counted,
            Err(problem) => return refuse(error_line(&problem)),
        };
        let of = counted.of.unwrap_or(0);
        if of == 0 {
            return vec![Effect::Say(format!(
                "{} has scored all of them; r retries failures",
                job.scorer
            ))];
        }
        let with = if counted.device.is_empty() {
            String::new()
        } else {
            format!(" with {}", counted.device)
        };
        let mut title = format!("{}: score {} inputs{with}", job.scorer, grouped(of));
        let to = counted
            .waits
            .as_ref()
            .map(|waits| waits.missing())
            .unwrap_or_default();
        if let Some(waits) = counted.waits.as_ref().filter(|_| !to.is_empty()) {
            title = format!("{title}; {}", waits.description());
        }
        let cost = match counted.tokens {
            Some((sent, received)) => {
                let cost = counted
                    .cost_micros
                    .map_or(String::new(), |c| format!(", cost {:.2}", c as f64 / 1e6));
                format!(
                    "about {} tokens in, {} out{cost}",
                    grouped(sent),
                    grouped(received)
                )
            }
            None => "items with equal picture and text count once".into(),
        };
        let mut job = job;
        let mut lines = vec![
            ("score".to_string(), cost),
            ("cancel".to_string(), String::new()),
        ];
        if counted.drafts > 0 {
            let drafts = grouped(counted.drafts);
            title = format!("{title}; {drafts} are drafts");
            job.drafts = true;
            lines[0].0 = "score, drafts too".into();
            lines.insert(
                1,
                (
                    "leave drafts out".into(),
                    format!("{drafts} inputs without a generated picture"),
                ),
            );
        }
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Begin(Box::new(job), to),
            title,
            lines,
        }]
    }

    /// Counts again without items that have a draft.
    pub(super) fn without_drafts(job: &NewScoring) -> Vec<Effect> {
        count(
            job.scorer.clone(),
            format!("{} NOT picture:draft", job.filter)
                .trim()
                .to_string(),
        )
    }

    /// Receives the job that was started.
    pub fn on_started(&mut self, begun: Result<ScoringState>) -> Vec<Effect> {
        match begun {
            Ok(job) => {
                let text = format!(
                    "scoring with {}; it continues without this terminal",
                    job.scorer
                );
                let mut effects = vec![Effect::Done(text)];
                effects.extend(self.on_scoring(job));
                effects
            }
            Err(problem) => refuse(error_line(&problem)),
        }
    }

    /// Sends an action for the current scorer's job.
    pub(super) fn act_on_job(
        &self,
        act: impl FnOnce(&ScoringState) -> std::result::Result<JobAct, String>,
    ) -> Vec<Effect> {
        let Some(state) = self.scorer() else {
            return refuse("the scorers are still loading");
        };
        let Some(job) = &state.job else {
            return refuse(format!("{} has no job: press s to score", state.scorer));
        };
        match (act(job), &job.waits) {
            (Ok(act @ (JobAct::Resume | JobAct::Retry)), Some(waits)) => agree(job.id, act, waits),
            (Ok(act), _) => vec![Effect::Ask(
                ReplyFor::Act,
                request::JobAct { id: job.id, act }.into(),
            )],
            (Err(why), _) => refuse(why),
        }
    }

    pub(super) fn pause_scoring(&self) -> Vec<Effect> {
        self.act_on_job(|job| match job.phase {
            Phase::Queued | Phase::Running => Ok(JobAct::Pause),
            Phase::Paused | Phase::Blocked => Ok(JobAct::Resume),
            over => Err(format!(
                "the job of {} is {}: press s to score the rest",
                job.scorer,
                over.name()
            )),
        })
    }

    pub(super) fn cancel_scoring(&self) -> Vec<Effect> {
        self.act_on_job(|job| match job.phase.is_finished() {
            true => Err(format!(
                "the job of {} is already {}",
                job.scorer,
                job.phase.name()
            )),
            false => Ok(JobAct::Cancel),
        })
    }

    pub(super) fn retry_scoring(&self) -> Vec<Effect> {
        let failed = self.scorer().map_or(0, |s| {
            items(s, ScoreState::Failed) + items(s, ScoreState::Unparsed)
        });
        self.act_on_job(|job| match failed.max(job.without) {
            0 => Err(format!("{} has no failures", job.scorer)),
            _ => Ok(JobAct::Retry),
        })
    }
}
