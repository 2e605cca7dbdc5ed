//! Budgets of jobs: set at the start, changed later, and checked before a job continues.

use super::control::unknown;
use super::state::{Entry, Inner};
use crate::context::OwnerContext;
use benchtop_model::job::{Budget, BudgetChange, Prices};
use benchtop_model::{Error, Result};

/// Checks that a job with these prices can keep a budget.
///
/// # Errors
/// [`Error::usage`].
pub(super) fn check_budget(budget: Budget, prices: Option<Prices>) -> Result<()> {
    match prices {
        _ if budget.is_unlimited() => Ok(()),
        None => Err(Error::usage(
            "the job sends no requests to servers, so it has no budget",
        )),
        Some((0, 0)) if budget.cost_micros.is_some() => {
            let what = "a budget of money needs the prices of tokens";
            Err(Error::usage(what).help(
                "set `price_in` and `price_out` in [judge] or [generate] of benchtop.toml; `benchtop eval` has --price-in and --price-out",
            ))
        }
        Some(_) => Ok(()),
    }
}

impl Entry<OwnerContext> {
    /// Changes the limits on what the job sends.
    ///
    /// # Errors
    /// [`Error::usage`] for a limit that it cannot keep, and I/O errors. Then nothing is changed.
    pub(super) fn change_budget(
        &mut self,
        shared: &OwnerContext,
        change: BudgetChange,
    ) -> Result<()> {
        let budget = change.apply(self.live.header.budget);
        let prices = self.job.prices(&shared.config());
        check_budget(budget, prices)?;
        self.live.meter.set_prices(prices);
        self.set_budget(shared, budget)
    }

    /// Replaces the budget. On an error, it stays as it was.
    fn set_budget(&mut self, shared: &OwnerContext, budget: Budget) -> Result<()> {
        let before = std::mem::replace(&mut self.live.header.budget, budget);
        // The count is on disk before the limit, or a kill in between would allow too much.
        let done = self.live.meter.set_budget(budget);
        done.and_then(|()| self.save(shared)).inspect_err(|_| {
            self.live.header.budget = before;
            // The limit of before is kept without a write.
            let _ = self.live.meter.set_budget(before);
        })
    }

    /// Checks that a job that continues may still send something, if something is left to do.
    pub(super) fn check_spent(&self) -> Result<()> {
        let counts = self.job.counts();
        let is_left = counts
            .of
            .is_none_or(|of| of > counts.done.saturating_add(counts.failed));
        match self.live.meter.spent() {
            Some(problem) if is_left => Err(problem),
            _ => Ok(()),
        }
    }
}

impl Inner<OwnerContext> {
    /// Gives an unfinished job the limits that `budget` has. Its other limits stay.
    pub(super) fn limit(&mut self, shared: &OwnerContext, id: u32, budget: Budget) -> Result<()> {
        let entry = self.jobs.get_mut(&id).ok_or_else(|| unknown(id))?;
        let change = BudgetChange {
            requests: budget.requests.map(Some),
            tokens: budget.tokens.map(Some),
            cost_micros: budget.cost_micros.map(Some),
        };
        entry.change_budget(shared, change)
    }
}
