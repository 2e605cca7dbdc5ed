//! Locks that stay usable after a panic.

use std::sync::PoisonError;

/// Ignores the poisoning of a lock. A panic poisons it, but all writes under these locks keep the
/// data consistent at each step.
pub(super) fn unpoisoned<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
