//! Limits of a job that can be typed: batch size, rate, and what it may send to servers.

use super::GeneratePane;
use crate::pane::Context;
use crate::widgets::prompt::Prompt;
use benchtop_model::job::budget::spending;
use benchtop_model::job::{Budget, BudgetChange, JobAct, JobState, JobStatus};
use benchtop_protocol::wire::request;

/// A number of a job that can be typed.
#[derive(Clone, Copy)]
enum Limit {
    Batch,
    PerMinute,
}

impl GeneratePane {
    pub(super) fn ask_batch(&self, cx: &mut Context<'_>) {
        let is_run = self.job().is_some_and(|job| job.run.is_some());
        let label = if is_run {
            "concurrent requests: "
        } else {
            "batch size (empty: as many as fit): "
        };
        self.ask_number(label, Limit::Batch, cx);
    }

    pub(super) fn ask_rate(&self, cx: &mut Context<'_>) {
        let label = "pictures per minute (empty: no limit): ";
        self.ask_number(label, Limit::PerMinute, cx);
    }

    fn ask_number(&self, label: &str, limit: Limit, cx: &mut Context<'_>) {
        let Some(job) = self.job() else {
            return cx.refuse("no job: n starts one");
        };
        if job.standing.is_finished() {
            return cx.refuse(format!("job {} is over", job.id));
        }
        let id = job.id;
        let now = match limit {
            Limit::Batch => job.batch,
            Limit::PerMinute => job.per_minute,
        };
        let text = now.map(|n| n.to_string()).unwrap_or_default();
        let prompt = Prompt::new(label, text, Vec::new());
        cx.prompt(prompt, move |_: &mut Self, text, cx| {
            let number = match text.trim() {
                "" => None,
                text => match text.parse::<u32>() {
                    Ok(n) if n > 0 => Some(n),
                    _ => return Err(format!("`{text}` is not a whole number from 1")),
                },
            };
            let act = match limit {
                Limit::Batch => JobAct::Batch(number),
                Limit::PerMinute => JobAct::PerMinute(number),
            };
            cx.ask_now(request::JobAct { id, act }, Self::on_act);
            Ok(())
        });
    }

    /// Asks for what the job under the cursor may send.
    pub(super) fn ask_budget(&self, cx: &mut Context<'_>) {
        let Some(job) = self.job() else {
            return cx.refuse("no job: n starts one");
        };
        let id = job.id;
        if job.usage.is_none() {
            return cx.refuse(format!("job {id} sends no requests to servers"));
        }
        if matches!(job.standing, JobStatus::Done | JobStatus::Cancelled) {
            return cx.refuse(format!("job {id} is over"));
        }
        let label = "budget, such as requests 100 tokens 50000 cost 2.5 (empty: no limit): ";
        let prompt = Prompt::new(label, job.budget.to_text(), Vec::new());
        cx.prompt(prompt, move |_: &mut Self, text, cx| {
            let budget = Budget::parse(text)?;
            let change = BudgetChange {
                requests: Some(budget.requests),
                tokens: Some(budget.tokens),
                cost_micros: Some(budget.cost_micros),
            };
            let act = JobAct::Budget(change);
            cx.ask_now(request::JobAct { id, act }, Self::on_act);
            Ok(())
        });
    }
}

/// What was spent of the budget of a job; `None` without one.
pub(super) fn spent(job: &JobState) -> Option<String> {
    let usage = job.usage.as_ref()?;
    let parts = spending(&job.budget, usage, false);
    (!parts.is_empty()).then(|| format!(" budget: {}", parts.join(", ")))
}
