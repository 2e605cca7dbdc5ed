//! Scorers and their jobs: starting, pausing, resuming, canceling.

use super::{FiltersPane, SCORERS_LOADING};
use crate::pane::{Context, PaneId, Target, jobs};
use crate::panes::forms::scoring as form;
use benchtop_model::Result;
use benchtop_model::job::{JobAct, JobState};
use benchtop_model::scoring::job::{Phase, ScoringState};
use benchtop_model::scoring::queries::ScorerState;
use benchtop_model::scoring::{ScoreState, Scorer};

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

impl FiltersPane {
    /// Opens the form of a scoring job.
    pub(super) fn begin_scoring(&self, cx: &mut Context<'_>) {
        let Some(state) = self.scorer() else {
            return cx.refuse(SCORERS_LOADING);
        };
        if matches!(state.scorer, Scorer::Consensus | Scorer::Blind) {
            let why = "is computed from the answers of models and needs no job";
            return cx.refuse(format!("{} {why}", state.scorer));
        }
        if let Some(job) = state.job.as_ref().filter(|j| !j.phase.is_finished()) {
            return cx.refuse(format!(
                "{} is already {}: p pauses or resumes, x cancels",
                state.scorer,
                job.phase.name()
            ));
        }
        let fields = vec![
            (form::SCORER, state.scorer.name()),
            (form::FILTER, self.filter.to_text()),
        ];
        cx.open(Target::Fields(PaneId::Scoring, fields));
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
