//! Checks the settings of generation jobs, typed or stored.

use benchtop_model::job::{MAX_SAMPLES, NewJob};
use benchtop_model::{Error, Result};

fn wrong(field: &str, what: &str) -> Result<()> {
    Err(Error::usage(what).field(field))
}

/// Checks the numbers of a job, also those of a file.
///
/// # Errors
/// [`Error::usage`] with the first invalid one.
pub(super) fn check_limits(
    samples: u32,
    batch: Option<u32>,
    per_minute: Option<u32>,
) -> Result<()> {
    if samples == 0 || samples > MAX_SAMPLES {
        let what = format!("samples per picture must be 1 to {MAX_SAMPLES}");
        return wrong("samples", &what);
    }
    if batch == Some(0) || per_minute == Some(0) {
        return wrong("batch", "batch and rate limit must be at least 1");
    }
    Ok(())
}

/// Checks a request.
///
/// # Errors
/// [`Error::usage`] with the first invalid setting.
pub(super) fn check(new: &NewJob) -> Result<()> {
    check_limits(new.samples, new.batch, new.per_minute)?;
    if new
        .name
        .as_deref()
        .is_some_and(|n| n.trim().is_empty() || n.chars().any(char::is_control))
    {
        return wrong("name", "a name must be one line and not empty");
    }
    if new
        .overrides
        .guidance
        .is_some_and(|g| !g.is_finite() || g < 0.0)
    {
        return wrong("guidance", "guidance must be a number of at least 0");
    }
    Ok(())
}
