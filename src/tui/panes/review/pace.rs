//! The annotator's own pace in a round, as a page. It is computed in the terminal and never sent to
//! the owner.

use crate::theme::Role;
use crate::widgets::meter::stretch;
use crate::widgets::page::Page;
use benchtop_model::annotator::{Pace, Shift};

/// Width of the label column.
const LABEL: u16 = 16;

pub fn page(round: &str, pace: &Pace) -> Page {
    let mut page = Page::new(format!("your pace in `{round}` since you started"))
        .paragraph("Practice and skipped items do not count. Only you can see this.")
        .paragraph("")
        .entry("judged", LABEL, pace.items.to_string(), Role::Text)
        .entry(
            "time worked",
            LABEL,
            stretch(pace.worked_ms / 1000),
            Role::Text,
        )
        .entry("breaks", LABEL, pace.breaks.to_string(), Role::Text);
    if let Some(rate) = pace.items_an_hour {
        page = page.entry("items per hour", LABEL, format!("{rate:.0}"), Role::Text);
    }
    if let Some(seconds) = pace.median_seconds {
        page = page.entry(
            "per item",
            LABEL,
            format!("{seconds:.1} s (median)"),
            Role::Text,
        );
    }
    let runs = format!("{} now, {} longest", pace.current_run, pace.longest_run);
    page = page.entry(
        "same verdict",
        LABEL,
        format!("in a row: {runs}"),
        Role::Text,
    );
    let Some(drift) = pace.drift else {
        return page.entry("drift", LABEL, "too few verdicts", Role::Dim);
    };
    let describe = |shift: Shift, unit: &str, times: f64| {
        let role = if shift.drifts { Role::Warn } else { Role::Text };
        let (now, before) = (shift.now * times, shift.before * times);
        (
            format!("{now:.1} {unit} now, {before:.1} {unit} in the first half"),
            role,
        )
    };
    let (seconds, seconds_role) = describe(drift.seconds, "s", 1.0);
    let (accepts, accepts_role) = describe(drift.accepts, "%", 100.0);
    page.entry("seconds drift", LABEL, seconds, seconds_role)
        .entry("accepts drift", LABEL, accepts, accepts_role)
}
