//! Rounds as a table.

use crate::theme::Role;
use crate::widgets::meter::bar;
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text::grouped;
use benchtop_model::round::state::RoundState;

/// Columns of the bar.
const BAR: usize = 10;

pub(super) fn columns() -> Vec<Spec> {
    vec![
        Spec::text("round", 18),
        Spec::text("rule", 16),
        Spec::text("is", 12),
        Spec::number("done", "", ColumnKind::Share, 17),
        Spec::number("yours", "", ColumnKind::Number, 7),
    ]
}

/// How much of what is wanted is there, from 0 to 1.
pub(super) fn share(round: &RoundState) -> f64 {
    if round.wanted > 0 {
        round.judged as f64 / round.wanted as f64
    } else {
        1.0
    }
}

/// What a round is, in words.
pub(super) fn standing(round: &RoundState) -> (&'static str, Role) {
    match (round.closed, round.blind) {
        (Some(_), _) => ("closed", Role::Dim),
        (None, _) if round.judged >= round.wanted => ("complete", Role::Good),
        (None, true) => ("blind", Role::Accent),
        (None, false) => ("open", Role::Accent),
    }
}

/// A round's row as `who` sees it; with `plain` bars are of letters.
pub(super) fn row(round: &RoundState, who: &str, plain: bool) -> Vec<LocalCell> {
    let (words, role) = standing(round);
    let mut is = LocalCell::text(words);
    is.view.role = role;
    let share = share(round);
    let done = format!(
        "{} {:>3.0} %",
        bar(share, BAR, plain),
        (100.0 * share).floor()
    );
    let own = round
        .people
        .iter()
        .find(|(name, _)| name == who)
        .map(|(_, n)| *n);
    vec![
        LocalCell::text(&round.name),
        LocalCell::text(round.protocol.to_string()),
        is,
        LocalCell::number(done, Some(share)),
        LocalCell::number(own.map_or("-".into(), grouped), own.map(|n| n as f64)),
    ]
}
