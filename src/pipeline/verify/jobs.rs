//! Files of `jobs/`: checksums, and jobs that lack a file.

use std::path::Path;

use serde_json::Value;

use super::{Finding, Verifier};
use benchtop_files::disk;
use benchtop_model::Result;
use benchtop_store::jobs;

impl Verifier<'_> {
    pub(super) fn jobs(&mut self) -> Result<()> {
        for (name, path) in disk::list(&jobs::folder(self.project.root())) {
            let file = format!("jobs/{name}");
            if name.ends_with(".items.json") {
                self.numbers(&file, &path)?;
            } else if name.ends_with(".usage.json") {
                self.usage(&file, &path)?;
            } else if name.ends_with(".jsonl") {
                self.each::<Value>(&file, &path, "a picture that was set aside", &mut |_| {})?;
            } else if let Some(stem) = name.strip_suffix(".json") {
                self.job(stem, &file, &path)?;
            }
        }
        Ok(())
    }

    /// Checks what a job has sent. Without it, the job is not listed.
    pub(super) fn usage(&mut self, file: &str, path: &Path) -> Result<()> {
        self.checksummed(file, path, "how much the job has sent")
            .map(drop)
    }

    fn job(&mut self, stem: &str, file: &str, path: &Path) -> Result<()> {
        let lost = "the job's plan and state";
        let Some(text) = self.checksummed(file, path, lost)? else {
            return Ok(());
        };
        let job = match serde_json::from_slice::<Value>(&text) {
            Ok(job) => job,
            Err(e) if !self.is_reported(file) => {
                self.found(Finding::damage(file, format!("not a valid job: {e}")).lost(lost));
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        let Ok(id) = stem.parse::<u32>() else {
            return Ok(());
        };
        if job["id"] != id {
            self.damage(file, format!("it contains job {}", job["id"]));
        }
        let items = path.with_extension("items.json");
        if job["scope"] == "Items" && items.symlink_metadata().is_err() {
            let finding = Finding::damage(file, "its list of items is missing");
            self.found(
                finding
                    .lost("the items of the job")
                    .remedy("restore the file from a backup, or start another job"),
            );
        }
        Ok(())
    }
}
