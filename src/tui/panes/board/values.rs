//! Values, differences, and intervals as text with their units.

use benchtop_metrics::statistics::{Z95, p_text, wilson};
use benchtop_model::board::Scale;

/// A value with its unit.
pub(super) fn value_text(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Share => format!("{:.2} %", value * 100.0),
        Scale::Points => format!("{value:+.2} points"),
        Scale::Spread => format!("{value:.2} points"),
        Scale::Squared => format!("{:.2} squared points", value.max(0.0)),
        Scale::P => format!("p {}", p_text(value)),
    }
}

/// A difference with its unit.
pub(super) fn apart(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Share => format!("{:+.2} points", value * 100.0),
        Scale::Points | Scale::Spread => format!("{value:+.2} points"),
        Scale::Squared => format!("{value:+.2} squared points"),
        Scale::P => format!("{value:+.4}"),
    }
}

/// Both ends of an interval, without the unit.
pub(super) fn range(low: f64, high: f64, scale: Scale) -> String {
    let by = scale.unit();
    format!("{:.1} to {:.1}", low * by, high * by)
}

/// The 95 % interval of `k` of `n`.
pub fn interval(k: u64, n: u64) -> (f64, f64) {
    wilson(k, n, Z95).unwrap_or((0.0, 1.0))
}
