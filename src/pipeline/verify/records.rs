//! Checks files against the inventory: missing, truncated, or changed files.

use super::{Cure, Finding, Severity, Verifier};
use crate::board::count;
use benchtop_model::{Error, Result};
use benchtop_store::inventory::{self, Difference, Kind, Record};
use benchtop_store::layout;

impl Verifier<'_> {
    pub(super) fn records(&mut self) -> Result<()> {
        let Some(inventory) = self.inventory.take() else {
            return Ok(());
        };
        for record in inventory.files.values() {
            if record.kind == Kind::Cache && !self.closed || self.refused.contains(&record.path) {
                continue;
            }
            self.record(record, &inventory.at)?;
        }
        self.unlisted(&inventory);
        self.inventory = Some(inventory);
        Ok(())
    }

    fn record(&mut self, record: &Record, at: &str) -> Result<()> {
        let path = self.project.root().join(&record.path);
        let differs = match inventory::record_whole(
            self.project.root(),
            &record.path,
            record.kind,
            Some(record),
        ) {
            Ok((_, differs)) => differs,
            Err(_) if path.symlink_metadata().is_err() => Some(Difference::Gone),
            Err(problem) => {
                self.problem(&record.path, &problem);
                return Ok(());
            }
        };
        self.tick(&record.path, record.length)?;
        let Some(differs) = differs else {
            return Ok(());
        };
        if let Some(finding) = self.told_of(record, &differs, at) {
            self.found(finding);
        }
        Ok(())
    }

    fn told_of(&self, record: &Record, differs: &Difference, at: &str) -> Option<Finding> {
        let file = record.path.as_str();
        let (cache, checksummed) = (record.kind == Kind::Cache, record.kind == Kind::Checksummed);
        let all = match record.kind {
            Kind::Lines | Kind::Text => count(record.lines, "line"),
            _ => format!("{} bytes", record.length),
        };
        let help =
            "restore it from a backup; if you changed it yourself, run `benchtop verify --accept`";
        let damage = |what: String| Finding::damage(file, what).remedy(help);
        Some(match differs {
            Difference::Gone if cache => {
                rebuilt(file, format!("the file is missing; it existed at {at}"))
            }
            Difference::Gone if record.kind == Kind::Edited => Finding::new(
                Severity::Changed,
                file,
                format!("the file is missing; it existed at {at}"),
            )
            .remedy("restore it from git, if it was committed"),
            Difference::Gone => damage(format!("the file is missing; it existed at {at}"))
                .lost(format!("all of it: {all}")),
            Difference::Short(left) => damage(format!(
                "the file is truncated to {left} bytes; at {at} it had {}",
                record.length
            ))
            .at(*left)
            .lost(format!("the rest of {all}")),
            Difference::Rewritten if self.is_reported(file) => return None,
            Difference::Rewritten => damage(format!(
                "its first {} bytes changed since {at}",
                record.length
            ))
            .lost(format!("the overwritten part of {all}")),
            Difference::Grown(_) if !self.closed => return None,
            Difference::Grown(bytes) => Finding::notice(
                file,
                format!("{bytes} bytes were added since {at} while no owner was running"),
            ),
            Difference::Changed if self.is_reported(file) => return None,
            Difference::Changed if cache => rebuilt(
                file,
                format!("the file changed since the owner wrote it at {at}"),
            ),
            Difference::Changed
                if checksummed && inventory::has_checksum(&self.project.root().join(file)) =>
            {
                Finding::notice(file, format!("the file was rewritten since {at}"))
            }
            Difference::Changed if record.kind == Kind::Edited => {
                let finding = Finding::new(
                    Severity::Changed,
                    file,
                    format!("the file changed since {at}"),
                );
                finding.remedy(
                    "it was edited or is damaged; `git diff` shows changes since the last commit",
                )
            }
            Difference::Changed if record.kind == Kind::Rewritten && !self.closed => return None,
            Difference::Changed => damage(format!("the file changed since {at}")).lost(all),
        })
    }

    /// Checks new files, which only their own checksums vouch for.
    fn unlisted(&mut self, inventory: &inventory::Inventory) {
        let Ok(list) = inventory::list(self.project.root()) else {
            return;
        };
        for path in list {
            let unknown = !inventory.files.contains_key(&path) && !self.refused.contains(&path);
            match Kind::of(&path) {
                Some(Kind::Fixed | Kind::Text | Kind::Rewritten) if unknown => {
                    self.notice(
                        path,
                        "no checksum recorded: the file is newer than the inventory",
                    );
                }
                Some(Kind::Cache) if unknown && self.closed => {
                    self.notice(path, "this file is not part of the recorded store");
                }
                _ => {}
            }
        }
    }
}

/// Damage to a file that can be rebuilt.
pub(super) fn rebuilt(file: &str, what: String) -> Finding {
    let below = file.strip_prefix("store/").unwrap_or(file);
    let first = below.split('/').next().unwrap_or(below);
    let is_index = first == benchtop_files::project::INDEX || layout::is_index(first);
    let cure = if is_index {
        Cure::SetIndexAside
    } else {
        Cure::SetAside
    };
    let remedy = "`benchtop verify --repair` moves it away, and the next start rebuilds it";
    Finding::damage(file, what)
        .lost("nothing: it can be rebuilt")
        .remedy(remedy)
        .cure(cure)
}

/// An error of a cache.
pub(super) fn of_cache(file: &str, problem: &Error) -> Finding {
    rebuilt(file, problem.what.clone())
}
