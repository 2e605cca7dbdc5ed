//! Locks that a panic does not close.

use std::sync::PoisonError;

/// A lock is poisoned only by a panic, and every write under these locks leaves them whole at each step.
pub(super) fn whole<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
