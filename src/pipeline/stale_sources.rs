//! Derived items whose source changed since.
//!
//! A derivation records the digest of its source. If the source has another digest now, because its
//! text was edited or its picture was generated again, the derived item is stale, and so is
//! everything that was derived from it.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use benchtop_model::cancel::Cancel;
use benchtop_model::{Derivation, Item, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::parse_item;
use benchtop_store::columns::id_hash;

/// Number of items between cancellation checks.
const STEP: usize = 4096;

/// The source of each derived item of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The row of a derived item, the row of its source, and the recorded digest.
    list: Vec<(u32, u32, u32)>,
}

#[derive(Deserialize)]
struct Lean {
    #[serde(default)]
    derivation: Option<Derivation>,
}

fn number(digest: &str) -> Option<u32> {
    u32::from_str_radix(digest, 16).ok()
}

impl Sources {
    /// Reads all items. Sources that the project does not have are left out.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Corrupt`] if texts are damaged, and
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn read(catalog: &Catalog, cancel: Cancel<'_>) -> Result<Sources> {
        let mut list = Vec::new();
        catalog.each_line(0, &mut |row, line| {
            if row % STEP == 0 {
                cancel.check()?;
            }
            // Most lines of a project have none and need no parsing.
            if memchr::memmem::find(line, b"\"derivation\":").is_none() {
                return Ok(true);
            }
            let item: Lean = parse_item(row, line)?;
            let source = item.derivation.map(|derivation| derivation.source);
            list.extend(source.and_then(|source| {
                let there = catalog.row_of_hash(id_hash(&source.id))?;
                Some((row as u32, there, number(&source.digest)?))
            }));
            Ok(true)
        })?;
        Ok(Sources { list })
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The rows of stale items, in order. `resolved` fills the files of generated pictures into a
    /// line, if it has any. It is called for one line at a time, so that it need not hold a lock.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn stale(
        &self,
        catalog: &Catalog,
        resolved: &dyn Fn(&str) -> Option<String>,
        cancel: Cancel<'_>,
    ) -> Result<Vec<u32>> {
        let mut wanted: Vec<u32> = self.list.iter().map(|(_, source, _)| *source).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut now: HashMap<u32, u32> = HashMap::with_capacity(wanted.len());
        let mut next = 0;
        while let Some(first) = wanted.get(next).copied() {
            cancel.check()?;
            let (bytes, end) = catalog.chunk(first as usize)?;
            for (row, line) in (first..end as u32).zip(bytes.split(|b| *b == b'\n')) {
                if wanted.get(next) != Some(&row) {
                    continue;
                }
                next += 1;
                let text = std::str::from_utf8(line).unwrap_or_default();
                let whole = resolved(text);
                let whole = whole.as_deref().map_or(line, str::as_bytes);
                let item: Item = parse_item(row as usize, whole)?;
                now.extend(number(&item.digest()).map(|digest| (row, digest)));
            }
        }
        let mut derived: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut open = Vec::new();
        for (row, source, digest) in &self.list {
            derived.entry(*source).or_default().push(*row);
            if now.get(source) != Some(digest) {
                open.push(*row);
            }
        }
        let mut stale = HashSet::new();
        while let Some(row) = open.pop() {
            if stale.insert(row) {
                open.extend(derived.get(&row).into_iter().flatten());
            }
        }
        let mut stale: Vec<u32> = stale.into_iter().collect();
        stale.sort_unstable();
        Ok(stale)
    }
}
