//! Items with their statuses, verdicts, and pictures, each behind a lock.

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::guard::{Guard, Lock};
use benchtop_store::pictures::Pictures;
use benchtop_store::{Catalog, Ledger, StatusColumns};

/// A read lock that is held.
pub type ReadGuard<'a, T> = Guard<RwLockReadGuard<'a, T>>;
/// A write lock that is held.
pub type WriteGuard<'a, T> = Guard<RwLockWriteGuard<'a, T>>;

/// Items and their statuses.
pub struct Data {
    /// Items and predictions.
    pub catalog: Arc<Catalog>,
    /// Statuses.
    pub overlay: StatusColumns,
}

/// Items, statuses, verdicts, and pictures. A thread takes the locks in the order of [`Lock`], each
/// at most once, and holds none while it waits for the writer thread.
pub struct Items {
    data: RwLock<Data>,
    ledger: RwLock<Ledger>,
    pictures: RwLock<Pictures>,
}

impl Items {
    /// Starts without verdicts and pictures, which are loaded later.
    pub fn new(data: Data) -> Items {
        Items {
            data: RwLock::new(data),
            ledger: RwLock::new(Ledger::default()),
            pictures: RwLock::default(),
        }
    }

    /// Read lock on items and statuses.
    pub fn data(&self) -> ReadGuard<'_, Data> {
        Guard::new(Lock::Data, || self.data.read())
    }

    /// Write lock on items and statuses, to be held for microseconds.
    pub fn data_mut(&self) -> WriteGuard<'_, Data> {
        Guard::new(Lock::Data, || self.data.write())
    }

    /// The current items.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.data().catalog.clone()
    }

    /// Read lock on the verdicts. Blocks while they are being loaded.
    pub fn ledger(&self) -> ReadGuard<'_, Ledger> {
        Guard::new(Lock::Ledger, || self.ledger.read())
    }

    /// Write lock on the verdicts.
    pub fn ledger_mut(&self) -> WriteGuard<'_, Ledger> {
        Guard::new(Lock::Ledger, || self.ledger.write())
    }

    /// Read lock on the generated pictures. Blocks while their journal is being read.
    pub fn pictures(&self) -> ReadGuard<'_, Pictures> {
        Guard::new(Lock::Pictures, || self.pictures.read())
    }

    /// Write lock on the generated pictures.
    pub fn pictures_mut(&self) -> WriteGuard<'_, Pictures> {
        Guard::new(Lock::Pictures, || self.pictures.write())
    }
}
