//! Cache of prepared pictures, limited in bytes.

use std::sync::Arc;

use lru::LruCache;

use super::worker::{CACHE_BYTES, CacheKey, Ready};
use crate::terminal::pixels::Payload;

/// Prepared pictures, evicted least recently used first.
pub(super) struct Cache {
    pub(super) ready: LruCache<CacheKey, Arc<Ready>>,
    /// Size of all entries in bytes.
    pub(super) bytes: usize,
    pub(super) kept: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Cache {
            ready: LruCache::unbounded(),
            bytes: 0,
            kept: CACHE_BYTES,
        }
    }
}

impl Cache {
    pub(super) fn get(&mut self, key: &CacheKey) -> Option<Arc<Ready>> {
        self.ready.get(key).cloned()
    }

    pub(super) fn has(&self, key: &CacheKey) -> bool {
        self.ready.contains(key)
    }

    pub(super) fn put(&mut self, key: CacheKey, ready: Arc<Ready>) {
        self.bytes += weight(&ready);
        if let Some(old) = self.ready.put(key, ready) {
            self.bytes -= weight(&old);
        }
        while self.bytes > self.kept && self.ready.len() > 1 {
            let Some((_, old)) = self.ready.pop_lru() else {
                break;
            };
            self.bytes -= weight(&old);
        }
    }

    pub(super) fn forget(&mut self, key: &str) {
        let keys: Vec<CacheKey> = self
            .ready
            .iter()
            .map(|(k, _)| k)
            .filter(|k| k.0.split(' ').any(|own| own == key))
            .cloned()
            .collect();
        for key in keys {
            if let Some(old) = self.ready.pop(&key) {
                self.bytes -= weight(&old);
            }
        }
    }
}

/// Size of a picture and its entry in bytes.
pub(super) fn weight(ready: &Ready) -> usize {
    let picture = ready
        .as_ref()
        .map(|p| p.cells.bytes() + p.pixels.as_ref().map_or(0, Payload::bytes));
    256 + picture.unwrap_or(0)
}
