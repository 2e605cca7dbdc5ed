//! Copies pictures to the paths in the exported records.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use benchtop_files::picture_file::PictureFile;
use benchtop_model::{Error, ErrorKind, Item, Result};
use benchtop_pipeline::export::{Export, Kind, unlink};

/// Copies pictures to the paths in the exported records.
pub(super) struct Pictures {
    root: PathBuf,
    to: PathBuf,
    done: HashSet<String>,
}

impl Pictures {
    pub(super) fn new(root: PathBuf, out: Option<&Path>, export: &Export) -> Pictures {
        let out = out.unwrap_or(Path::new("."));
        let to = match export.kind {
            Kind::Folder { pictures, .. } => out.join(pictures),
            _ => out.parent().unwrap_or(out).to_path_buf(),
        };
        Pictures {
            root,
            to,
            done: HashSet::new(),
        }
    }

    /// Copies all pictures of an item, or none if one of them is damaged.
    pub(super) fn copy(&mut self, item: &Item) -> Result<()> {
        let mut read = Vec::new();
        for image in &item.images {
            let name = Path::new(&image.name);
            let inside = name
                .components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            let from = PictureFile::of(&self.root, image);
            let Some(from) = from.filter(|_| inside && !self.done.contains(&image.name)) else {
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
