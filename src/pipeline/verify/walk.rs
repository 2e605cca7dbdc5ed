//! Checks the kind of every file in the project.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Finding, Verifier};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Result};
use benchtop_store::inventory::{Kind, is_temporary};

/// Project folders to check.
const FOLDERS: [&str; 8] = [
    "metadata", "images", "sessions", "imports", "runs", "jobs", "scores", "store",
];
/// Maximum folder depth.
const DEPTH: usize = 12;

impl Verifier<'_> {
    pub(super) fn walk(&mut self) -> Result<()> {
        let root = self.project.root().to_path_buf();
        let uid = root
            .symlink_metadata()
            .map_err(|e| Error::io(&e, "cannot read the folder", &root))?
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
            self.notice(name, "not checked: the folder is nested too deeply");
            return Ok(());
        }
        self.owner(name, &meta, uid);
        let fail = |e: std::io::Error| Error::io(&e, "cannot list the folder", path);
        let mut entries: Vec<_> = std::fs::read_dir(path).map_err(fail)?.flatten().collect();
        sort_by_key(&mut entries, std::fs::DirEntry::file_name);
        for entry in entries {
            let file = entry.file_name().to_string_lossy().into_owned();
            let below = format!("{name}/{file}");
            if is_temporary(&file) {
                if !self.owned {
                    self.notice(below, "left by a program that was killed while writing");
                }
                continue;
            }
            self.folder(&entry.path(), &below, uid, depth + 1)?;
        }
        Ok(())
    }

    /// Checks who owns a file or folder, and who may write to it.
    fn owner(&mut self, name: &str, meta: &std::fs::Metadata, uid: u32) {
        if meta.uid() != uid {
            let what = format!(
                "owned by another user (uid {}; the project's is uid {uid})",
                meta.uid()
            );
            self.found(Finding::damage(name, what).remedy("change its owner with chown"));
        }
        if meta.mode() & 0o002 != 0 {
            self.found(
                Finding::notice(name, "writable by every user of this machine").remedy("chmod o-w"),
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
                "a link (to {}); links inside a project are not followed",
                to.display()
            );
            self.refuse(name, what);
        } else if meta.is_dir() {
            self.refuse(name, "a folder is in place of this file".into());
        } else if !meta.is_file() {
            self.refuse(name, "a device, pipe, or socket".into());
        } else {
            self.owner(name, &meta, uid);
            let parts: Vec<&str> = name.split('/').collect();
            let known = match parts.as_slice() {
                ["images", _, _] => true,
                ["imports", file] => file.ends_with(".jsonl.zst"),
                _ => false,
            };
            if !known && Kind::of(name).is_none() && !name.starts_with("store/") {
                self.notice(name, "not part of the recorded project");
            }
        }
        Ok(())
    }

    fn refuse(&mut self, name: &str, what: String) {
        self.refused.insert(name.to_string());
        let lost = "the recorded file";
        self.found(
            Finding::damage(name, what)
                .lost(lost)
                .remedy("remove it and restore the file from a backup"),
        );
    }
}
