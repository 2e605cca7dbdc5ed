//! Scorers and their jobs: counting, starting, pausing, resuming, canceling.

use super::{FiltersPane, SCORERS_LOADING, error_line};
use crate::pane::{Ask, Context, Opens, jobs};
use crate::widgets::prompt::Prompt;
use crate::widgets::text::grouped;
use benchtop_model::job::{Budget, JobAct, JobState};
use benchtop_model::scoring::bench::ScorerState;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringState};
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_model::{Filter, Result, brief};
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

/// Counts the items to score, then asks whether to start.
fn count(scorer: Scorer, filter: String, cx: &mut Context<'_>) {
    let job = NewScoring {
        scorer,
        filter,
        dry: true,
        drafts: false,
    };
    cx.say(format!("counting items for {}", job.scorer));
    let ask = request::Score(job.clone(), Budget::default());
    let then = |_: &mut FiltersPane, counted, cx: &mut Context<'_>| confirm(job, counted, cx);
    cx.send(Ask::new(ask, then).opens(Opens::Confirmation));
}

/// Receives the counts of a job and asks for confirmation, and for consent to the servers that it
/// sends data to.
fn confirm(mut job: NewScoring, counted: Result<ScoringState>, cx: &mut Context<'_>) {
    let counted = match counted {
        Ok(counted) => counted,
        Err(problem) => return cx.refuse(error_line(&problem)),
    };
    let of = counted.of.unwrap_or(0);
    if of == 0 {
        return cx.say(format!(
            "{} has scored all of them; r retries failures",
            job.scorer
        ));
    }
    let with = if counted.device.is_empty() {
        String::new()
    } else {
        format!(" with {}", counted.device)
    };
    let mut title = format!("{}: score {} inputs{with}", job.scorer, grouped(of));
    let to = jobs::missing_consent(counted.waits.as_deref(), &mut title);
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
    cx.choose(
        title,
        lines,
        move |_: &mut FiltersPane, pick, cx| match pick {
            0 => {
                let ask = request::Score(NewScoring { dry: false, ..job }, Budget::default());
                jobs::start(to, ask, cx, FiltersPane::on_started);
            }
            1 if job.drafts => {
                let filter = format!("{} NOT picture:draft", job.filter);
                count(job.scorer, filter.trim().to_string(), cx);
            }
            _ => {}
        },
    );
}

impl FiltersPane {
    /// Asks for the items to score.
    pub(super) fn begin_scoring(&self, cx: &mut Context<'_>) {
        let Some(state) = self.scorer() else {
            return cx.refuse(SCORERS_LOADING);
        };
        if let Some(why) = &state.not_ready {
            return cx.refuse(format!(
                "{} cannot run: {}",
                state.scorer,
                brief::of_text(why)
            ));
        }
        if let Some(job) = state.job.as_ref().filter(|j| !j.phase.is_finished()) {
            return cx.refuse(format!(
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
        let title = format!("Score with {}", state.scorer);
        cx.choose(title, lines, |pane: &mut Self, pick, cx| {
            match (pick, pane.scorer()) {
                (0, Some(state)) => count(state.scorer.clone(), String::new(), cx),
                (_, Some(_)) => pane.ask_filter(cx),
                (_, None) => {}
            }
        });
    }

    /// Asks for the filter of the items to score, then counts them.
    fn ask_filter(&self, cx: &mut Context<'_>) {
        let label = "score items such as `subtask:text status:pending`: ";
        let prompt = Prompt::new(label, self.filter.to_text(), Vec::new());
        cx.prompt(prompt, |pane: &mut Self, words, cx| {
            let words = words.trim();
            Filter::parse(words).map_err(|problem| error_line(&problem))?;
            let state = pane.scorer().ok_or(SCORERS_LOADING)?;
            count(state.scorer.clone(), words.into(), cx);
            Ok(())
        });
    }

    /// Receives the job that was started.
    fn on_started(&mut self, begun: Result<ScoringState>, cx: &mut Context<'_>) {
        match begun {
            Ok(job) => {
                cx.done(format!(
                    "scoring with {}; it continues without this terminal",
                    job.scorer
                ));
                self.on_scoring(job, cx);
            }
            Err(problem) => cx.refuse(error_line(&problem)),
        }
    }

    /// Receives the job that an action changed.
    fn on_act(&mut self, job: Result<Option<JobState>>, cx: &mut Context<'_>) {
        match job {
            Ok(job) => {
                if let Some(scoring) = job.and_then(|job| job.scoring) {
                    self.on_scoring(*scoring, cx);
                }
            }
            Err(problem) => cx.error(&problem),
        }
    }

    /// Sends an action for the current scorer's job.
    fn act_on_job(
        &self,
        cx: &mut Context<'_>,
        act: impl FnOnce(&ScoringState) -> std::result::Result<JobAct, String>,
    ) {
        let Some(state) = self.scorer() else {
            return cx.refuse(SCORERS_LOADING);
        };
        let Some(job) = &state.job else {
            return cx.refuse(format!("{} has no job: press s to score", state.scorer));
        };
        jobs::act(job.id, act(job), job.waits.as_deref(), cx, Self::on_act);
    }

    pub(super) fn pause_scoring(&self, cx: &mut Context<'_>) {
        self.act_on_job(cx, |job| match job.phase {
            Phase::Queued | Phase::Running => Ok(JobAct::Pause),
            Phase::Paused | Phase::Blocked => Ok(JobAct::Resume),
            over => Err(format!(
                "the job of {} is {}: press s to score the rest",
                job.scorer,
                over.name()
            )),
        })
    }

    pub(super) fn cancel_scoring(&self, cx: &mut Context<'_>) {
        self.act_on_job(cx, |job| match job.phase.is_finished() {
            true => Err(format!(
                "the job of {} is already {}",
                job.scorer,
                job.phase.name()
            )),
            false => Ok(JobAct::Cancel),
        })
    }

    pub(super) fn retry_scoring(&self, cx: &mut Context<'_>) {
        let failed = self.scorer().map_or(0, |s| {
            items(s, ScoreState::Failed) + items(s, ScoreState::Unparsed)
        });
        self.act_on_job(cx, |job| match failed.max(job.without) {
            0 => Err(format!("{} has no failures", job.scorer)),
            _ => Ok(JobAct::Retry),
        })
    }
}
