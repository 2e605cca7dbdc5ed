//! Servers that do not answer: a job waits and tries again, and says so. Its tasks are not at fault and stay to do.

use std::time::Duration;

/// Wait after the first time.
const FIRST: Duration = Duration::from_secs(1);
/// Longest wait.
const LONGEST: Duration = Duration::from_secs(30);

/// How long to wait after so many times in a row before this one.
pub fn outage_wait(before: u32) -> Duration {
    FIRST
        .saturating_mul(2u32.saturating_pow(before.min(10)))
        .min(LONGEST)
}

/// Why a job waits.
pub fn outage_reason(reason: &str, wait: Duration) -> String {
    format!(
        "{reason}; its tasks stay to do, the next try is in {} s",
        wait.as_secs().max(1)
    )
}
