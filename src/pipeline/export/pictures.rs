//! Copies pictures to the paths in the exported records.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::files::unlink;
use super::format::{Export, Kind};
use benchtop_files::picture_file::PictureFile;
use benchtop_model::{Error, ErrorKind, Item, Result};

/// Copies pictures to the paths in the exported records.
pub struct Pictures {
    root: PathBuf,
    to: PathBuf,
    done: HashSet<String>,
}

/// Whether a picture of this name can be copied: it is a path that stays inside of the folder.
pub fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

impl Pictures {
    /// Copies the pictures of the project at `root` to the folder `to`.
    pub fn new(root: PathBuf, to: PathBuf) -> Pictures {
        Pictures {
            root,
            to,
            done: HashSet::new(),
        }
    }

    /// As [`new`](Self::new), for an export to `out`.
    pub fn beside(root: PathBuf, out: Option<&Path>, export: &Export) -> Pictures {
        let out = out.unwrap_or(Path::new("."));
        let to = match export.kind {
            Kind::Folder { pictures, .. } => out.join(pictures),
            _ => out.parent().unwrap_or(out).to_path_buf(),
        };
        Pictures::new(root, to)
    }

    /// Copies all pictures of an item, or none if one of them is damaged.
    ///
    /// # Errors
    /// If a picture cannot be read or written.
    pub fn copy(&mut self, item: &Item) -> Result<()> {
        let mut read = Vec::new();
        for image in &item.images {
            let from = PictureFile::of(&self.root, image);
            let is_new = is_inside(&image.name) && !self.done.contains(&image.name);
            let Some(from) = from.filter(|_| is_new) else {
                continue;
            };
            read.push((image.name.clone(), from.read()?));
        }
        for (name, bytes) in read {
            let to = self.to.join(&name);
            if let Some(dir) = to.parent() {
                std::fs::create_dir_all(dir).map_err(|e| write_error(&e, dir))?;
            }
            unlink(&to);
            std::fs::write(&to, bytes).map_err(|e| write_error(&e, &to))?;
            self.done.insert(name);
        }
        Ok(())
    }
}

/// A write error ends the export, so its kind must not be one of a damaged picture.
fn write_error(error: &std::io::Error, path: &Path) -> Error {
    let problem = Error::io(error, "cannot write the picture", path);
    if problem.kind == ErrorKind::DiskFull {
        problem
    } else {
        Error {
            kind: ErrorKind::Io,
            ..problem
        }
    }
}
