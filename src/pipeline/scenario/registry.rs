//! The table of the kinds of scenarios.

use super::adversarial::Adversarial;
use super::corruption::Corruptions;
use super::kind::Scenario;
use super::print_attack::PrintAttack;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Error, Result};

/// All kinds. A new kind is one file and one row, and its row in the table of the model.
static ALL: &[&dyn Scenario] = &[&Corruptions, &PrintAttack, &Adversarial];

/// The kind of a plan.
///
/// # Errors
/// As for [`ScenarioPlan::check`].
pub fn of(plan: &ScenarioPlan) -> Result<&'static dyn Scenario> {
    let kind = plan.check()?;
    let found = ALL.iter().copied().find(|s| s.name() == kind.name);
    found.ok_or_else(|| {
        let what = format!("this program cannot make the scenario `{}`", kind.name);
        Error::usage(what).field("scenario")
    })
}
