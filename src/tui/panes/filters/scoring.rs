//! Scorers and the jobs that run them: counted before they are begun, paused, taken up again, given up.

use super::{ChoiceFor, Effect, FiltersPane, TextFor, Want, refuse, said};
use crate::widgets::text::grouped;
use benchtop_model::scoring::bench::ScorerState;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringAct, ScoringState};
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_model::trust::Waits;
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// Items of a scorer in one state.
pub(super) fn items(scorer: &ScorerState, state: ScoreState) -> u64 {
    scorer.items[usize::from(state.code())]
}

/// Items that were tried and have no number.
pub(super) fn without(scorer: &ScorerState) -> u64 {
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
    let said = format!("counting what {} has to score", job.scorer);
    vec![
        Effect::Say(said),
        Effect::Ask(
            Want::Count(Box::new(job.clone())),
            request::Score(job).into(),
        ),
    ]
}

/// Asks whether a job that waits for an agreement may send what it wants.
fn agree(id: u32, act: ScoringAct, waits: &Waits) -> Vec<Effect> {
    let purpose = ChoiceFor::Agree(id, act, waits.open());
    vec![Effect::AskChoice {
        purpose,
        title: format!("{}: resume?", waits.says()),
        lines: waits.choices(),
    }]
}

impl FiltersPane {
    /// Asks which items are scored.
    pub(super) fn begin_scoring(&self) -> Vec<Effect> {
        let Some(state) = self.scorer() else {
            return refuse("the scorers are not here yet");
        };
        if let Some(why) = &state.not_ready {
            return refuse(format!("{} cannot run: {why}", state.scorer));
        }
        if let Some(job) = state.job.as_ref().filter(|j| !j.phase.over()) {
            return refuse(format!(
                "{} is {} already: p pauses or resumes, x gives it up",
                state.scorer,
                job.phase.name()
            ));
        }
        let shown = if self.filter.is_empty() {
            "a filter asked for next".into()
        } else {
            self.filter.words()
        };
        let lines = vec![
            (
                "every item".to_string(),
                "what is scored already is not scored again".to_string(),
            ),
            ("the items of a filter".to_string(), shown),
        ];
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Which,
            title: format!("score with {}", state.scorer),
            lines,
        }]
    }

    /// Takes in which items are scored.
    pub(super) fn chose_items(&self, pick: usize) -> Vec<Effect> {
        let Some(scorer) = self.scorer().map(|s| s.scorer.clone()) else {
            return vec![];
        };
        if pick == 0 {
            return count(scorer, String::new());
        }
        let label = "score the items such as `subtask:text status:pending`".to_string();
        vec![Effect::AskText {
            purpose: TextFor::Score,
            label,
            text: self.filter.words(),
        }]
    }

    pub(super) fn count_filter(&self, words: &str) -> Vec<Effect> {
        let Some(scorer) = self.scorer().map(|s| s.scorer.clone()) else {
            return vec![];
        };
        match Filter::parse(words) {
            Ok(_) => count(scorer, words.trim().into()),
            Err(problem) => refuse(said(&problem)),
        }
    }

    /// Takes in what a job would score, and asks whether to.
    pub fn take_count(&mut self, job: NewScoring, counted: Result<ScoringState>) -> Vec<Effect> {
        let counted = match counted {
            Ok(counted) => counted,
            Err(problem) => return refuse(said(&problem)),
        };
        let of = counted.of.unwrap_or(0);
        if of == 0 {
            return vec![Effect::Say(format!(
                "{} has scored all of them already; r tries failures again",
                job.scorer
            ))];
        }
        let with = if counted.device.is_empty() {
            String::new()
        } else {
            format!(" with {}", counted.device)
        };
        let mut title = format!("{} scores {} inputs{with}", job.scorer, grouped(of));
        let to = counted
            .waits
            .as_ref()
            .map(|waits| waits.open())
            .unwrap_or_default();
        if let Some(waits) = counted.waits.as_ref().filter(|_| !to.is_empty()) {
            title = format!("{title}; {}", waits.says());
        }
        let cost = match counted.tokens {
            Some((asked, answered)) => {
                let cost = counted.cost_micros.map_or(String::new(), |c| {
                    format!(", {:.2} at the prices set", c as f64 / 1e6)
                });
                format!(
                    "about {} tokens asked, {} answered{cost}",
                    grouped(asked),
                    grouped(answered)
                )
            }
            None => "items with the same picture and text are one input".into(),
        };
        let mut job = job;
        let mut lines = vec![
            ("score them".to_string(), cost),
            ("not now".to_string(), String::new()),
        ];
        if counted.drafts > 0 {
            let drafts = grouped(counted.drafts);
            title = format!("{title}; {drafts} of them show a draft");
            job.drafts = true;
            lines[0].0 = "score them, drafts too".into();
            lines.insert(
                1,
                (
                    "leave the drafts out".into(),
                    format!("{drafts} inputs, of no picture of a model"),
                ),
            );
        }
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Begin(Box::new(job), to),
            title,
            lines,
        }]
    }

    /// Counts again without the items that show a draft.
    pub(super) fn without_drafts(job: &NewScoring) -> Vec<Effect> {
        count(
            job.scorer.clone(),
            format!("{} NOT picture:draft", job.filter)
                .trim()
                .to_string(),
        )
    }

    /// Takes in the job that was begun.
    pub fn take_begun(&mut self, begun: Result<ScoringState>) -> Vec<Effect> {
        match begun {
            Ok(job) => {
                let said = format!(
                    "{} scores; it goes on when this terminal is closed",
                    job.scorer
                );
                let mut effects = vec![Effect::Done(said)];
                effects.extend(self.take_scoring(job));
                effects
            }
            Err(problem) => refuse(said(&problem)),
        }
    }

    /// Pause, resume, give up or try again.
    pub(super) fn act_on_job(
        &self,
        act: impl FnOnce(&ScoringState) -> std::result::Result<ScoringAct, String>,
    ) -> Vec<Effect> {
        let Some(state) = self.scorer() else {
            return refuse("the scorers are not here yet");
        };
        let Some(job) = &state.job else {
            return refuse(format!("{} has no job: s scores", state.scorer));
        };
        match (act(job), &job.waits) {
            (Ok(act @ (ScoringAct::Resume | ScoringAct::Retry)), Some(waits)) => {
                agree(job.id, act, waits)
            }
            (Ok(act), _) => vec![Effect::Ask(
                Want::Act,
                request::ScoringAct { id: job.id, act }.into(),
            )],
            (Err(why), _) => refuse(why),
        }
    }

    pub(super) fn pause_scoring(&self) -> Vec<Effect> {
        self.act_on_job(|job| match job.phase {
            Phase::Queued | Phase::Running => Ok(ScoringAct::Pause),
            Phase::Paused | Phase::Blocked => Ok(ScoringAct::Resume),
            over => Err(format!(
                "the job of {} is {}: s scores what is missing",
                job.scorer,
                over.name()
            )),
        })
    }

    pub(super) fn cancel_scoring(&self) -> Vec<Effect> {
        self.act_on_job(|job| match job.phase.over() {
            true => Err(format!(
                "the job of {} is {} already",
                job.scorer,
                job.phase.name()
            )),
            false => Ok(ScoringAct::Cancel),
        })
    }

    pub(super) fn retry_scoring(&self) -> Vec<Effect> {
        let failed = self.scorer().map_or(0, |s| {
            items(s, ScoreState::Failed) + items(s, ScoreState::Unparsed)
        });
        self.act_on_job(|job| match failed.max(job.without) {
            0 => Err(format!("nothing of {} has failed", job.scorer)),
            _ => Ok(ScoringAct::Retry),
        })
    }
}
