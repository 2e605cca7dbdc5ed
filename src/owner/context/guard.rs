//! Guards of the locks on items, verdicts, and pictures. Debug builds check that a thread takes the
//! locks in an order in which threads cannot wait for each other.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// The locks in the order in which a thread may take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    Ledger,
    Pictures,
    Data,
}

/// A lock that this thread holds. Dereferences to what it protects.
pub struct Guard<G> {
    guard: G,
    _held: Held,
}

impl<G> Guard<G> {
    /// Takes a lock with `take`.
    ///
    /// # Panics
    /// In debug builds, if this thread holds this lock or a later one: a read lock waits for a
    /// waiting writer, even if its thread already holds one.
    pub(super) fn new(lock: Lock, take: impl FnOnce() -> G) -> Guard<G> {
        let held = Held::new(lock);
        Guard {
            guard: take(),
            _held: held,
        }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

thread_local! {
    static HELD: RefCell<Vec<Lock>> = const { RefCell::new(Vec::new()) };
}

/// An entry of the locks that this thread holds.
struct Held(Lock);

impl Held {
    fn new(lock: Lock) -> Held {
        if cfg!(debug_assertions) {
            HELD.with_borrow_mut(|held| {
                assert!(
                    held.iter().all(|earlier| *earlier < lock),
                    "this thread takes the lock {lock:?} while it holds {held:?}"
                );
                held.push(lock);
            });
        }
        Held(lock)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            HELD.with_borrow_mut(|held| held.retain(|lock| *lock != self.0));
        }
    }
}

/// Panics in debug builds if this thread holds a lock: the writer thread may need it before it
/// replies.
pub(super) fn check_none_held() {
    if cfg!(debug_assertions) {
        HELD.with_borrow(|held| {
            assert!(
                held.is_empty(),
                "this thread waits for the writer while it holds {held:?}"
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "takes the lock Ledger while it holds [Pictures]"]
    fn an_earlier_lock_is_refused() {
        let _pictures = Guard::new(Lock::Pictures, || &1);
        Guard::new(Lock::Ledger, || &1);
    }

    #[test]
    #[should_panic = "takes the lock Data while it holds [Data]"]
    fn the_same_lock_is_refused() {
        let _data = Guard::new(Lock::Data, || &1);
        Guard::new(Lock::Data, || &1);
    }

    #[test]
    #[should_panic = "waits for the writer while it holds [Data]"]
    fn nobody_waits_for_the_writer_with_a_lock() {
        let _data = Guard::new(Lock::Data, || &1);
        check_none_held();
    }

    #[test]
    fn a_lock_that_was_given_back_is_taken_again() {
        for _ in 0..2 {
            let _ledger = Guard::new(Lock::Ledger, || &1);
            let data = Guard::new(Lock::Data, || &1);
            drop(data);
            drop(Guard::new(Lock::Pictures, || &1));
            drop(Guard::new(Lock::Data, || &1));
        }
        check_none_held();
    }
}
