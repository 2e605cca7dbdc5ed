//! One's own pace in a round, as a page. It is computed where the person sits and leaves the program nowhere.

use crate::theme::Role;
use crate::widgets::meter::stretch;
use crate::widgets::page::Page;
use benchtop_model::annotator::{Pace, Shift};

/// Columns of the names at the left.
const LABEL: u16 = 16;

/// The page.
pub fn page(round: &str, pace: &Pace) -> Page {
    let mut page = Page::new(format!("your pace in `{round}`, in this sitting"))
        .say("Practice and what you passed over are left out. Nobody else is shown this.")
        .say("")
        .entry("judged", LABEL, pace.items.to_string(), Role::Text)
        .entry("at work", LABEL, stretch(pace.worked_ms / 1000), Role::Text)
        .entry("breaks", LABEL, pace.breaks.to_string(), Role::Text);
    if let Some(rate) = pace.items_an_hour {
        page = page.entry("items an hour", LABEL, format!("{rate:.0}"), Role::Text);
    }
    if let Some(seconds) = pace.median_seconds {
        page = page.entry(
            "on an item",
            LABEL,
            format!("{seconds:.1} s (median)"),
            Role::Text,
        );
    }
    let runs = format!("{} now, {} at most", pace.current_run, pace.longest_run);
    page = page.entry(
        "same verdict",
        LABEL,
        format!("in a row: {runs}"),
        Role::Text,
    );
    let Some(drift) = pace.drift else {
        return page.entry("drift", LABEL, "too few verdicts to tell", Role::Dim);
    };
    let said = |shift: Shift, unit: &str, times: f64| {
        let role = if shift.drifts { Role::Warn } else { Role::Text };
        let (now, before) = (shift.now * times, shift.before * times);
        (
            format!("{now:.1} {unit} lately, {before:.1} {unit} in the first half"),
            role,
        )
    };
    let (seconds, of_seconds) = said(drift.seconds, "s", 1.0);
    let (accepts, of_accepts) = said(drift.accepts, "%", 100.0);
    page.entry("seconds drift", LABEL, seconds, of_seconds)
        .entry("accepts drift", LABEL, accepts, of_accepts)
}
