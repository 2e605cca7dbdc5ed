//! Opening a file that is read as a stream.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use benchtop_model::{Error, Result};

/// Opens `path` for reading through a buffer of 256 KiB.
///
/// # Errors
/// [`Error::io`]; [`benchtop_model::ErrorKind::Input`] when it is not a regular file (a pipe would never end).
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let found = std::fs::metadata(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    if !found.is_file() {
        return Err(Error::input("not a regular file").file(path));
    }
    let file = File::open(path).map_err(|e| Error::io(&e, "cannot open", path))?;
    Ok(Box::new(BufReader::with_capacity(1 << 18, file)))
}
