//! Panes: the screens that the tabs lead to. [`registry`] has a row for each.

pub mod adjudicate;
pub mod agreement;
pub mod board;
pub mod coverage;
pub mod filters;
pub mod generate;
pub mod list;
pub mod metadata;
pub mod registry;
pub mod review;
pub mod rounds;
pub mod templates;
pub mod vocabulary;

use benchtop_model::scoring::Outcome;

/// The word for an outcome on the screen. In files and filters a quarantined item is `parked`.
pub(crate) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "kept",
        Outcome::Flagged => "flagged",
        Outcome::Parked => "quarantined",
    }
}
