//! Retry delays for servers that do not answer. The job waits and tries again. Its tasks do not
//! count as failed.

use std::time::Duration;

/// First delay.
const FIRST: Duration = Duration::from_secs(1);
/// Longest delay.
const LONGEST: Duration = Duration::from_secs(30);

/// Delay after `before` consecutive outages.
pub fn outage_wait(before: u32) -> Duration {
    FIRST
        .saturating_mul(2u32.saturating_pow(before.min(10)))
        .min(LONGEST)
}

/// Text that explains why a job waits.
pub fn outage_reason(reason: &str, wait: Duration) -> String {
    format!(
        "{reason}; its tasks stay to do, the next try is in {} s",
        wait.as_secs().max(1)
    )
}
