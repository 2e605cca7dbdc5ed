//! Files against the inventory: what is gone, cut, or not what it was.

use super::{Cure, Finding, Scrub, Severity};
use benchtop_model::{Error, Result};
use benchtop_store::homes;
use benchtop_store::inventory::{self, Differs, Kind, Record};

impl Scrub<'_> {
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
            Err(_) if path.symlink_metadata().is_err() => Some(Differs::Gone),
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

    fn told_of(&self, record: &Record, differs: &Differs, at: &str) -> Option<Finding> {
        let file = record.path.as_str();
        let (cache, checksummed) = (record.kind == Kind::Cache, record.kind == Kind::Checksummed);
        let lines = |n: u64| {
            if n == 1 {
                "1 line".to_string()
            } else {
                format!("{n} lines")
            }
        };
        let all = match record.kind {
            Kind::Lines | Kind::Text => lines(record.lines),
            _ => format!("{} bytes", record.length),
        };
        let help = "put it back from a copy; `benchtop verify --accept` records it as it is, where you did this yourself";
        let damage = |what: String| Finding::damage(file, what).remedy(help);
        Some(match differs {
            Differs::Gone if cache => rebuilt(file, format!("it is gone; it was there at {at}")),
            Differs::Gone if record.kind == Kind::Edited => Finding::new(
                Severity::Changed,
                file,
                format!("it is gone; it was there at {at}"),
            )
            .remedy("git has it, if it was committed"),
            Differs::Gone => damage(format!("the file is gone; it was there at {at}"))
                .lost(format!("all of it: {all}")),
            Differs::Short(left) => damage(format!(
                "the file ends after {left} bytes; at {at} it had {}",
                record.length
            ))
            .at(*left)
            .lost(format!("what followed, of {all}")),
            Differs::Rewritten if self.is_told(file) => return None,
            Differs::Rewritten => damage(format!(
                "its first {} bytes are not what they were at {at}",
                record.length
            ))
            .lost(format!("what it had then that it has no more, of {all}")),
            Differs::Grown(_) if !self.closed => return None,
            Differs::Grown(bytes) => Finding::notice(
                file,
                format!("{bytes} bytes were added since {at}, while no owner ran"),
            ),
            Differs::Changed if self.is_told(file) => return None,
            Differs::Changed if cache => {
                rebuilt(file, format!("it is not as the owner left it at {at}"))
            }
            Differs::Changed
                if checksummed && inventory::has_checksum(&self.project.root().join(file)) =>
            {
                Finding::notice(file, format!("it was written anew since {at}"))
            }
            Differs::Changed if record.kind == Kind::Edited => {
                let finding = Finding::new(
                    Severity::Changed,
                    file,
                    format!("it is another file than at {at}"),
                );
                finding
                    .remedy("it was edited, or it is damaged; `git diff` shows how it differs from what was committed")
            }
            Differs::Changed if record.kind == Kind::Rewritten && !self.closed => return None,
            Differs::Changed => damage(format!("it is not what it was at {at}")).lost(all),
        })
    }

    /// Files that came since, for which nothing vouches but what is inside them.
    fn unlisted(&mut self, inventory: &inventory::Inventory) {
        let Ok(list) = inventory::list(self.project.root()) else {
            return;
        };
        for path in list {
            let unknown = !inventory.files.contains_key(&path) && !self.refused.contains(&path);
            match Kind::of(&path) {
                Some(Kind::Fixed | Kind::Text | Kind::Rewritten) if unknown => {
                    self.found(Finding::notice(
                        path,
                        "no checksum recorded: it came after the last look",
                    ));
                }
                Some(Kind::Cache) if unknown && self.closed => {
                    self.found(Finding::notice(
                        path,
                        "no owner left this file in the store",
                    ));
                }
                _ => {}
            }
        }
    }
}

/// Damage to what is made from the rest.
pub(super) fn rebuilt(file: &str, what: String) -> Finding {
    let below = file.strip_prefix("store/").unwrap_or(file);
    let first = below.split('/').next().unwrap_or(below);
    let is_index = first == homes::INDEX || homes::is_index(first);
    let cure = if is_index {
        Cure::SetIndexAside
    } else {
        Cure::SetAside
    };
    let remedy = "nothing is lost: `benchtop verify --repair` sets it aside, and the next opening makes it again";
    Finding::damage(file, what)
        .lost("nothing: it is made from the rest")
        .remedy(remedy)
        .cure(cure)
}

/// A problem of a cache.
pub(super) fn of_cache(file: &str, problem: &Error) -> Finding {
    rebuilt(file, problem.what.clone())
}
