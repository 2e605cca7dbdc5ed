//! Checks `store/` where the inventory does not cover it: flat files by their own checksums, and the
//! index against the manifest. Checks the rows of `scores/` by their checksums.

use std::path::Path;

use super::records::{of_cache, rebuilt};
use super::{Finding, Verifier};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_store::index::{Index, digest};
use benchtop_store::inventory::{self, Kind};
use benchtop_store::manifest::Manifest;
use benchtop_store::{layout, metadata, snapshot_format};

/// Largest store file to read.
const LIMIT: u64 = 64 << 30;
impl Verifier<'_> {
    pub(super) fn caches(&mut self) -> Result<()> {
        let root = self.project.root().to_path_buf();
        for file in inventory::list(&root)?
            .into_iter()
            .filter(|file| file.starts_with("store/") || file.starts_with("scores/"))
        {
            if self.refused.contains(&file) || self.is_reported(&file) {
                continue;
            }
            let path = root.join(&file);
            match Kind::of(&file) {
                Some(Kind::Cache) if file.ends_with(".snap") => {
                    if let Err(problem) = regular::read(&path, LIMIT)
                        .and_then(|bytes| snapshot_format::check(&bytes, &path))
                    {
                        self.found(of_cache(&file, &problem));
                    }
                }
                Some(Kind::Rows(size)) => self.rows(&file, &path, size as usize),
                Some(Kind::Rewritten) if file.ends_with("/current") => self.current(&file, &path),
                _ => {}
            }
        }
        if let Err(problem) = metadata::read(&self.project.metadata()) {
            self.problem("metadata", &problem);
        }
        // Earlier versions had the index among the other files of the store.
        let (folder, file) = match root.join("store/db").symlink_metadata() {
            Ok(_) => (self.project.store(), "store/db"),
            Err(_) => (self.project.index(), "store/index/db"),
        };
        let has_index = root.join(file).symlink_metadata().is_ok();
        let vouched = self.closed
            && self
                .inventory
                .as_ref()
                .is_some_and(|i| i.files.contains_key(file));
        if self.owned {
            self.found(
                Finding::notice("store", "not checked: an owner has the index open")
                    .remedy("benchtop stop"),
            );
        } else if has_index && !vouched && !self.refused.iter().any(|f| f.starts_with("store/")) {
            self.index(&folder, file)?;
        }
        Ok(())
    }

    /// Checks rows of a fixed size, each ending in a CRC-32.
    fn rows(&mut self, file: &str, path: &Path, size: usize) {
        let Ok(bytes) = regular::read(path, LIMIT) else {
            return;
        };
        let whole = |row: &&[u8]| {
            row.split_at_checked(row.len() - 4)
                .is_some_and(|(body, crc)| crc32fast::hash(body).to_le_bytes() == crc)
        };
        let bad: Vec<usize> = bytes
            .chunks_exact(size)
            .enumerate()
            .filter(|(_, row)| !whole(row))
            .map(|(at, _)| at)
            .collect();
        let what = if file.ends_with(".cosines") {
            "similarities"
        } else {
            "scores"
        };
        if let Some(first) = bad.first() {
            let finding = Finding::damage(file, format!("checksum mismatch in {} rows", bad.len()));
            let finding = finding
                .at((first * size) as u64)
                .lost(format!("{} {what}", bad.len()));
            self.found(finding.remedy("score again; only these scores are missing"));
        }
        let over = bytes.len() % size;
        if over > 0 && !self.owned {
            let finding =
                Finding::damage(file, format!("its last {over} bytes are an incomplete row"))
                    .at((bytes.len() - over) as u64);
            self.found(
                finding
                    .lost("a row that was never acknowledged, unless the file was truncated")
                    .remedy("score again"),
            );
        }
    }

    /// Checks the name of the current version.
    fn current(&mut self, file: &str, path: &Path) {
        let named = regular::read_text(path, 4096).unwrap_or_default();
        let named = named.trim();
        let is_there = path.parent().is_some_and(|folder| {
            let is_named = |(name, _): &(String, _)| {
                name.strip_prefix(named)
                    .is_some_and(|rest| rest.starts_with('.'))
            };
            !named.is_empty() && disk::list(folder).iter().any(is_named)
        });
        if !is_there {
            let finding = Finding::damage(file, "it names a version that does not exist")
                .lost("which version is current");
            self.found(
                finding.remedy("score again, or write the name of an existing version into it"),
            );
        }
    }

    /// Opens a copy of the index, because sled writes to what it opens.
    fn index(&mut self, store: &Path, file: &str) -> Result<()> {
        let fail =
            |e: std::io::Error| benchtop_model::Error::io(&e, "cannot copy the index", store);
        let copy = tempfile::tempdir().map_err(fail)?;
        for (name, path) in disk::list(store)
            .into_iter()
            .filter(|(name, _)| layout::is_index(name))
        {
            if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                std::fs::create_dir_all(copy.path().join(&name)).map_err(fail)?;
                for (inner, path) in disk::list(&path) {
                    std::fs::copy(&path, copy.path().join(&name).join(inner)).map_err(fail)?;
                }
            } else {
                std::fs::copy(&path, copy.path().join(&name)).map_err(fail)?;
            }
        }
        let Ok(manifest) = Manifest::read(&self.project.imports()) else {
            return Ok(());
        };
        let parts = manifest.entries.iter().flat_map(|entry| &entry.parts);
        let segments = digest(parts.map(|part| (part.blake3.as_str(), part.rows)));
        let looked = Index::open(copy.path()).and_then(|index| {
            let meta = index.meta()?;
            // The next start replaces an index of a version with other columns.
            if meta.has_all_columns() {
                index.columns(&meta)?;
            }
            index.checkpoint(meta.rows as usize)?;
            Ok(meta)
        });
        match looked {
            Ok(meta)
                if meta.segments != segments && !self.is_reported("imports/manifest.jsonl") =>
            {
                self.notice(
                    file,
                    "the index is older than the imports; the next start rebuilds it",
                );
            }
            Ok(_) => {}
            // An owner that started meanwhile wrote to the copied files.
            Err(_) if Index::check_unlocked(store).is_err() => {}
            Err(problem) => self.found(rebuilt(file, problem.what)),
        }
        Ok(())
    }
}
