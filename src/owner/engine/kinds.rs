//! The kinds of jobs.

use super::job::Kind;
use crate::context::OwnerContext;
use crate::{bootstrap, evaluate, generate, scenario, scoring};

/// All kinds. A new kind is one file and one row.
pub(super) static KINDS: &[&Kind<OwnerContext>] = &[
    &generate::GENERATION,
    &evaluate::RUN,
    &evaluate::JUDGING,
    &evaluate::SIMILARITY,
    &scoring::SCORING,
    &scenario::SCENARIO,
    &bootstrap::BOOTSTRAP,
    &super::command::COMMAND,
];

/// The kind with this name.
pub(super) fn of(name: &str) -> Option<&'static Kind<OwnerContext>> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}
