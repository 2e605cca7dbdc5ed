//! What kind of thing every name in the project is.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Finding, Scrub};
use benchtop_model::{Error, Result};
use benchtop_store::inventory::{Kind, is_temporary};

/// Folders of a project that are looked at.
const FOLDERS: [&str; 8] = [
    "metadata", "images", "sessions", "imports", "runs", "jobs", "scores", "store",
];
/// Folders in folders that are looked at.
const DEPTH: usize = 12;

impl Scrub<'_> {
    pub(super) fn walk(&mut self) -> Result<()> {
        let root = self.project.root().to_path_buf();
        let uid = root
            .symlink_metadata()
            .map_err(|e| Error::io(&e, "cannot be looked at", &root))?
            .uid();
        for name in ["benchtop.toml", ".gitignore"] {
            self.look(&root.join(name), name, uid)?;
        }
        for name in FOLDERS {
            self.folder(&root.join(name), name, uid, 0)?;
        }
        Ok(())
    }

    fn folder(&mut self, path: &Path, name: &str, uid: u32, depth: usize) -> Result<()> {
        let Ok(meta) = path.symlink_metadata() else {
            return Ok(());
        };
        if !meta.is_dir() {
            return self.look(path, name, uid);
        }
        if depth > DEPTH {
            self.found(Finding::notice(name, "too deep: it is not looked at"));
            return Ok(());
        }
        self.owner(name, &meta, uid);
        let fail = |e: std::io::Error| Error::io(&e, "cannot be listed", path);
        let mut entries: Vec<_> = std::fs::read_dir(path).map_err(fail)?.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let file = entry.file_name().to_string_lossy().into_owned();
            let below = format!("{name}/{file}");
            if is_temporary(&file) {
                if !self.owned {
                    self.found(Finding::notice(
                        below,
                        "left by a program that was killed while it wrote",
                    ));
                }
                continue;
            }
            self.folder(&entry.path(), &below, uid, depth + 1)?;
        }
        Ok(())
    }

    /// Whose a file or folder is, and who may write to it.
    fn owner(&mut self, name: &str, meta: &std::fs::Metadata, uid: u32) {
        if meta.uid() != uid {
            let what = format!(
                "it belongs to another user (uid {}; the project to uid {uid})",
                meta.uid()
            );
            self.found(
                Finding::damage(name, what).remedy("give it to the project's user with chown"),
            );
        }
        if meta.mode() & 0o002 != 0 {
            self.found(
                Finding::notice(name, "every user of this machine may write to it")
                    .remedy("chmod o-w"),
            );
        }
    }

    fn look(&mut self, path: &Path, name: &str, uid: u32) -> Result<()> {
        let Ok(meta) = path.symlink_metadata() else {
            return Ok(());
        };
        if meta.is_symlink() {
            let to = std::fs::read_link(path).unwrap_or_default();
            let what = format!(
                "it is a link (to {}), and links inside a project are not followed",
                to.display()
            );
            self.refuse(name, what);
        } else if meta.is_dir() {
            self.refuse(name, "a folder is in the place of this file".into());
        } else if !meta.is_file() {
            self.refuse(name, "it is a device, a pipe or a socket".into());
        } else {
            self.owner(name, &meta, uid);
            let parts: Vec<&str> = name.split('/').collect();
            let known = match parts.as_slice() {
                ["images", _, _] => true,
                ["imports", file] => file.ends_with(".jsonl.zst"),
                _ => false,
            };
            if !known && Kind::of(name).is_none() && !name.starts_with("store/") {
                self.found(Finding::notice(
                    name,
                    "it belongs to nothing that is recorded",
                ));
            }
        }
        Ok(())
    }

    fn refuse(&mut self, name: &str, what: String) {
        self.refused.insert(name.to_string());
        let lost = "what was recorded under this name";
        self.found(
            Finding::damage(name, what)
                .lost(lost)
                .remedy("remove it and put the file back from a copy"),
        );
    }
}
