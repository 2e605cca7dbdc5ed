//! Writing files so that a crash leaves the old one or the new one.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::model::{Problem, Result};

/// Replaces `path` by `bytes`: temporary file in the same folder, sync, rename, sync of the folder.
///
/// # Errors
/// The operating system's, with the path.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let fail = |e: std::io::Error| Problem::io(&e, "cannot be written", path);
    let mut temp = tempfile::Builder::new().prefix(".tmp-").tempfile_in(dir).map_err(fail)?;
    temp.write_all(bytes).map_err(fail)?;
    temp.as_file().sync_all().map_err(fail)?;
    temp.persist(path).map_err(|e| fail(e.error))?;
    sync_dir(dir)
}

/// Makes the names in `dir` durable.
///
/// # Errors
/// The operating system's, with the path.
pub fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|f| f.sync_all()).map_err(|e| Problem::io(&e, "cannot be synced", dir))
}
