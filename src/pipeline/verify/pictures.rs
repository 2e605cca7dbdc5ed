//! Checks `images/` against items and the picture journal.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{Cure, Finding, Verifier, Wanted};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::sorting::sort_by;

/// Maximum number of pictures with the same fault to list.
const NAMED: usize = 1000;

fn hash_of(path: &Path) -> Option<String> {
    Some(
        blake3::hash(&regular::read(path, FILE_LIMIT).ok()?)
            .to_hex()
            .to_string(),
    )
}

impl Verifier<'_> {
    pub(super) fn pictures(&mut self) -> Result<()> {
        let root = self.project.root().to_path_buf();
        // Every intact file by hash: a lost picture may exist under another name.
        let mut whole: HashMap<String, PathBuf> = HashMap::new();
        let (mut damaged, mut strays) = (HashMap::new(), Vec::new());
        for (folder, path) in disk::list(&root.join("images")) {
            if !path.symlink_metadata().is_ok_and(|m| m.is_dir()) {
                continue;
            }
            for (name, path) in disk::list(&path) {
                let file = format!("images/{folder}/{name}");
                if self.refused.contains(&file) || benchtop_store::inventory::is_temporary(&name) {
                    continue;
                }
                let read = regular::read(&path, FILE_LIMIT);
                let bytes = match read {
                    Ok(bytes) => bytes,
                    Err(problem) => {
                        self.problem(&file, &problem);
                        continue;
                    }
                };
                self.tick(&file, bytes.len() as u64)?;
                let found = blake3::hash(&bytes).to_hex().to_string();
                let is_named = name.split('.').next() == Some(found.as_str());
                if !self.wanted.contains_key(Path::new(&file)) {
                    strays.push((file.clone(), is_named));
                } else if !is_named {
                    damaged.insert(file.clone(), found.clone());
                }
                if is_named || !self.wanted.contains_key(Path::new(&file)) {
                    whole.entry(found).or_insert(path);
                }
            }
        }
        self.report.checked.pictures = self.wanted.len() as u64;
        let mut wanted: Vec<(PathBuf, Wanted)> = self.wanted.drain().collect();
        sort_by(&mut wanted, |a, b| a.0.cmp(&b.0));
        let mut told = 0;
        for (place, wanted) in wanted {
            let file = place.to_string_lossy().into_owned();
            let hash = wanted.image.hash.clone().unwrap_or_default();
            let path = root.join(&place);
            let fault = match damaged.get(&file) {
                Some(found) => Some(format!(
                    "the picture does not match its hash: recorded {hash}, found {found}"
                )),
                None if self.is_reported(&file) => continue,
                None if path.symlink_metadata().is_err() => {
                    Some("the picture is missing".to_string())
                }
                None if wanted.image.link.is_some()
                    && hash_of(&path).as_deref() != Some(hash.as_str()) =>
                {
                    Some(format!(
                        "the linked picture does not match its hash: recorded {hash}"
                    ))
                }
                None => None,
            };
            let Some(what) = fault else { continue };
            told += 1;
            if told <= NAMED {
                let finding = self.back(Finding::damage(file, what), &wanted, &hash, &whole);
                self.found(finding);
            }
        }
        if told > NAMED {
            self.damage(
                "images",
                format!("{} more pictures are damaged or missing", told - NAMED),
            );
        }
        for (file, is_named) in strays {
            let what = match (is_named, self.unread) {
                (true, false) => "no item and no record names this picture",
                (true, true) => "no readable item or record names this picture",
                (false, _) => "no item names this file, and its name is not the hash of its bytes",
            };
            self.notice(file, what);
        }
        Ok(())
    }

    /// Adds who loses the picture, and how to restore it.
    fn back(
        &self,
        finding: Finding,
        wanted: &Wanted,
        hash: &str,
        whole: &HashMap<String, PathBuf>,
    ) -> Finding {
        let others = wanted.count - 1;
        let more = if others > 0 {
            format!(" and {others} more")
        } else {
            String::new()
        };
        let finding = finding.lost(format!("the picture of {}{more}", wanted.named_by));
        let beside = || {
            let source = PathBuf::from(wanted.source.as_ref()?);
            let path = source.parent()?.join(&wanted.image.name);
            (wanted.image.link.is_none() && hash_of(&path).as_deref() == Some(hash)).then_some(path)
        };
        if wanted.image.link.is_none()
            && let Some(from) = whole.get(hash).cloned().or_else(beside)
        {
            let remedy = format!(
                "`benchtop verify --repair` copies it from {}",
                from.display()
            );
            return finding.remedy(remedy).cure(Cure::Copy {
                from,
                hash: hash.to_string(),
            });
        }
        match &wanted.source {
            Some(source) => finding.remedy(format!(
                "restore {} next to {source}, which it was imported with, then repair",
                wanted.image.name
            )),
            None => finding.remedy(
                "generate it again: images/pictures.jsonl has prompt, seed, and model; the same model gives the same bytes",
            ),
        }
    }
}
