//! Waiting times between retries.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Exponential backoff with full jitter (Brooker 2015): a random share of `base`, which doubles
/// with every try up to `cap`. `draw` is 64 random bits.
pub(super) fn backoff(base: Duration, cap: Duration, tried: u32, draw: u64) -> Duration {
    let most = base
        .saturating_mul(1 << tried.saturating_sub(1).min(16))
        .min(cap);
    let nanos = most.as_nanos().min(u128::from(u64::MAX));
    Duration::from_nanos(((nanos * u128::from(draw >> 32)) >> 32) as u64)
}

/// Parses `Retry-After`, which is seconds or a date (RFC 9110, section 10.2.3).
pub(super) fn after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    if let Some(seconds) = header
        .parse::<f64>()
        .ok()
        .filter(|s| s.is_finite() && *s >= 0.0 && *s < 1e9)
    {
        // Fractions of a second are not in the standard, but some servers send them.
        return Some(Duration::from_secs_f64(seconds));
    }
    let date = rfc2822::parse(&header.replace("GMT", "+0000"))
        .ok()?
        .timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_its_cap() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(2));
        let most = |tried| backoff(base, cap, tried, u64::MAX).as_millis();
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 40].map(most),
            [99, 199, 399, 799, 1599, 1999, 1999]
        );
        assert_eq!(backoff(base, cap, 3, 0), Duration::ZERO);
        assert_eq!(backoff(base, cap, 2, 1 << 63), Duration::from_millis(100));
    }

    #[test]
    fn parses_retry_after_as_seconds_or_a_date() {
        let now: Timestamp = "2026-05-01T10:00:00Z".parse().unwrap();
        assert_eq!(after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(after(" 0.25 ", now), Some(Duration::from_millis(250)));
        assert_eq!(
            after("Fri, 01 May 2026 10:00:30 GMT", now),
            Some(Duration::from_secs(30))
        );
        assert_eq!(
            after("Fri, 01 May 2026 09:00:00 GMT", now),
            Some(Duration::ZERO)
        );
        for wrong in ["soon", "-4", "NaN", "inf", ""] {
            assert_eq!(after(wrong, now), None, "{wrong}");
        }
    }
}
