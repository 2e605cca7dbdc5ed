//! Files of an export: written under temporary names, and renamed together at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use benchtop_model::{Error, ErrorKind, Result};

/// A file being written, or a stream.
pub type Out = BufWriter<Box<dyn Write + Send>>;

/// Temporary files with their final names. Files that are not renamed are removed.
#[derive(Default)]
pub struct Renames(Vec<(PathBuf, PathBuf)>);

impl Renames {
    /// Discards the file for the final name `path`.
    pub(super) fn forget(&mut self, path: &Path) {
        if let Some(at) = self.0.iter().position(|(_, name)| name == path) {
            let (temp, _) = self.0.swap_remove(at);
            let _ = std::fs::remove_file(&temp);
            // Its folder is removed if it is empty.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }

    /// Syncs all files and renames them.
    ///
    /// # Errors
    ///
    /// If a file cannot be synced or renamed.
    pub fn finish(mut self) -> Result<()> {
        for (temp, path) in &self.0 {
            File::open(temp)
                .and_then(|f| f.sync_all())
                .map_err(|e| io(&e, path))?;
        }
        while let Some((temp, path)) = self.0.first() {
            std::fs::rename(temp, path).map_err(|e| io(&e, path))?;
            self.0.remove(0);
        }
        Ok(())
    }
}

impl Drop for Renames {
    fn drop(&mut self) {
        for (temp, _) in &self.0 {
            let _ = std::fs::remove_file(temp);
        }
    }
}

/// Removes a link at the path of a file to be written, so that its target is not overwritten.
pub fn unlink(path: &Path) {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        // A link that remains causes an error when the file is written.
        let _ = std::fs::remove_file(path);
    }
}

pub(super) fn io(e: &std::io::Error, path: &Path) -> Error {
    Error::io(e, "cannot write the export", path)
}

/// Creates a file that gets the name `path` at the end, and its folder if needed.
///
/// # Errors
///
/// [`ErrorKind::Usage`] for a path without a file name, or if the file cannot be created.
pub fn create(path: &Path, renames: &mut Renames) -> Result<Out> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::new(ErrorKind::Usage, "not a file name").file(path))?;
    let temp = path.with_file_name(format!(".tmp-{}", name.to_string_lossy()));
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|e| io(&e, dir))?;
    }
    // An existing file of this name is left from an interrupted export, or a trap.
    let _ = std::fs::remove_file(&temp);
    let file = File::create_new(&temp).map_err(|e| io(&e, path))?;
    renames.0.push((temp, path.to_path_buf()));
    Ok(BufWriter::with_capacity(1 << 20, Box::new(file)))
}

/// Writes what is buffered.
///
/// # Errors
///
/// If the write fails.
pub fn flush(mut out: Out) -> Result<()> {
    out.flush().map_err(|e| io(&e, Path::new("output")))
}
