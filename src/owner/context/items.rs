//! The items with their statuses, verdicts and pictures, each behind a lock.

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use benchtop_store::pictures::Pictures;
use benchtop_store::{Catalog, Ledger, Overlay};

/// Items and their statuses.
pub struct Data {
    /// Items and predictions.
    pub catalog: Arc<Catalog>,
    /// Statuses.
    pub overlay: Overlay,
}

/// What is known of the items.
pub struct Items {
    data: RwLock<Data>,
    ledger: RwLock<Ledger>,
    pictures: RwLock<Pictures>,
}

impl Items {
    /// Verdicts and pictures are still to be loaded.
    pub fn new(data: Data) -> Items {
        Items {
            data: RwLock::new(data),
            ledger: RwLock::new(Ledger::default()),
            pictures: RwLock::default(),
        }
    }

    /// Items and statuses, to read.
    pub fn data(&self) -> RwLockReadGuard<'_, Data> {
        self.data.read()
    }

    /// Items and statuses, to change; held for microseconds.
    pub fn data_mut(&self) -> RwLockWriteGuard<'_, Data> {
        self.data.write()
    }

    /// The items as they are now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.data().catalog.clone()
    }

    /// Verdicts, to read; waits while they are being loaded.
    pub fn ledger(&self) -> RwLockReadGuard<'_, Ledger> {
        self.ledger.read()
    }

    /// Verdicts, to change.
    pub fn ledger_mut(&self) -> RwLockWriteGuard<'_, Ledger> {
        self.ledger.write()
    }

    /// The pictures that were made, to read; waits while their journal is being read. Whoever holds this asks for no
    /// other lock.
    pub fn pictures(&self) -> RwLockReadGuard<'_, Pictures> {
        self.pictures.read()
    }

    /// The pictures that were made, to change.
    pub fn pictures_mut(&self) -> RwLockWriteGuard<'_, Pictures> {
        self.pictures.write()
    }
}
