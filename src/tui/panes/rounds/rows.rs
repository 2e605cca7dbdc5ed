//! Rounds as table rows.

use crate::theme::Role;
use crate::widgets::meter::bar;
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text::grouped;
use benchtop_model::round::state::RoundState;

/// Width of the bar.
const BAR: usize = 10;

pub(super) fn columns() -> Vec<Spec> {
    vec![
        Spec::text("round", 18),
        Spec::text("rule", 16),
        Spec::text("state", 12),
        Spec::number("done", "", ColumnKind::Share, 17),
        Spec::number("yours", "", ColumnKind::Number, 7),
    ]
}

/// The share of verdicts that are in, from 0 to 1.
pub(super) fn share(round: &RoundState) -> f64 {
    if round.wanted > 0 {
        round.judged as f64 / round.wanted as f64
    } else {
        1.0
    }
}

/// The state of a round in words.
pub(super) fn state(round: &RoundState) -> (&'static str, Role) {
    match (round.closed, round.blind) {
        (Some(_), _) => ("closed", Role::Dim),
        (None, _) if round.judged >= round.wanted => ("complete", Role::Good),
        (None, true) => ("blind", Role::Accent),
        (None, false) => ("open", Role::Accent),
    }
}

/// A round's row as `who` sees it. With `plain`, bars are plain text.
pub(super) fn row(round: &RoundState, who: &str, plain: bool) -> Vec<LocalCell> {
    let (words, role) = state(round);
    let mut state_cell = LocalCell::text(words);
    state_cell.view.role = role;
    let share = share(round);
    let done = format!(
        "{} {:>3.0} %",
        bar(share, BAR, plain),
        (100.0 * share).floor()
    );
    let mine = round
        .people
        .iter()
        .find(|(name, _)| name == who)
        .map(|(_, n)| *n);
    vec![
        LocalCell::text(&round.name),
        LocalCell::text(round.protocol.to_string()),
        state_cell,
        LocalCell::number(done, Some(share)),
        LocalCell::number(mine.map_or("-".into(), grouped), mine.map(|n| n as f64)),
    ]
}
