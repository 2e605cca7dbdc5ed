//! Checks the settings of evaluations, typed or stored.

use benchtop_model::evaluation::{MAX_SHUFFLES, NewRun, OptionOrders};
use benchtop_model::{Error, Result};

/// Validates the settings.
///
/// # Errors
/// [`Error::usage`] with the first invalid one.
pub(super) fn check(new: &NewRun) -> Result<()> {
    let wrong = |field: &str, what: String| Err(Error::usage(what).field(field));
    let is_name = |name: &str| {
        !name.trim().is_empty() && !name.chars().any(char::is_control) && name.len() <= 200
    };
    if !is_name(&new.model) || !new.name.as_deref().is_none_or(is_name) {
        return wrong("model", "a name must be one line and not empty".into());
    }
    if matches!(new.orders, OptionOrders::Shuffles(n) if !(1..=MAX_SHUFFLES).contains(&n)) {
        return wrong(
            "shuffles",
            format!("shuffles per question must be 1 to {MAX_SHUFFLES}"),
        );
    }
    if new.servers.is_empty() {
        return wrong("endpoint", "no server given".into());
    }
    if !(1..=1 << 20).contains(&new.max_tokens) || !(1..=100).contains(&new.tries) {
        return wrong(
            "max_tokens",
            "max tokens must be 1 to 1048576, and tries 1 to 100".into(),
        );
    }
    if new.sample == Some(0) {
        return wrong("sample", "the sample must have at least 1 item".into());
    }
    Ok(())
}
