//! Files of `jobs/`: checksums, and jobs that lack a file.

use std::path::Path;

use serde_json::Value;

use super::{Finding, Scrub};
use benchtop_model::Result;
use benchtop_store::{disk, jobs};

impl Scrub<'_> {
    pub(super) fn jobs(&mut self) -> Result<()> {
        for (name, path) in disk::list(&jobs::folder(self.project.root())) {
            let file = format!("jobs/{name}");
            if name.ends_with(".items.json") {
                self.numbers(&file, &path)?;
            } else if name.ends_with(".jsonl") {
                self.each::<Value>(&file, &path, "a picture that was set aside", &mut |_| {})?;
            } else if let Some(stem) = name.strip_suffix(".json") {
                self.job(stem, &file, &path)?;
            }
        }
        Ok(())
    }

    fn job(&mut self, stem: &str, file: &str, path: &Path) -> Result<()> {
        let lost = "what the job is to do, and how it stands";
        let Some(text) = self.checksummed(file, path, lost)? else {
            return Ok(());
        };
        let job = match serde_json::from_slice::<Value>(&text) {
            Ok(job) => job,
            Err(e) if !self.is_told(file) => {
                self.found(Finding::damage(file, format!("is no job: {e}")).lost(lost));
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        let Ok(id) = stem.parse::<u32>() else {
            return Ok(());
        };
        if job["id"] != id {
            self.found(Finding::damage(file, format!("it holds job {}", job["id"])));
        }
        let items = path.with_extension("items.json");
        if job["scope"] == "Items" && items.symlink_metadata().is_err() {
            let finding = Finding::damage(file, "the list of its items is not there");
            self.found(
                finding
                    .lost("which items the job is about")
                    .remedy("put the file back from a copy, or begin another job"),
            );
        }
        Ok(())
    }
}
