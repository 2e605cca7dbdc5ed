//! Records files and compares them with their earlier records.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Difference, Kind, Record};
use benchtop_files::regular;
use benchtop_model::{Error, Result};

/// The record of a file as it is now, and how it differs from `before`. A file whose length and
/// stamp are those of `before` is not read.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Denied`] if it is not a regular file.
pub fn record(
    root: &Path,
    path: &str,
    kind: Kind,
    before: Option<&Record>,
) -> Result<(Record, Option<Difference>)> {
    compare(root, path, kind, before, true)
}

/// Like [`record`], but always reads the whole file instead of trusting its stamp.
pub fn record_whole(
    root: &Path,
    path: &str,
    kind: Kind,
    before: Option<&Record>,
) -> Result<(Record, Option<Difference>)> {
    compare(root, path, kind, before, false)
}

fn compare(
    root: &Path,
    path: &str,
    kind: Kind,
    before: Option<&Record>,
    trust_stamp: bool,
) -> Result<(Record, Option<Difference>)> {
    let full = root.join(path);
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &full);
    let mut file = regular::open(&full, File::options().read(true))?;
    let meta = file.metadata().map_err(fail)?;
    let stamp = (
        i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        meta.ino(),
    );
    let same = before.filter(|b| trust_stamp && b.stamp == stamp && b.length == meta.len());
    if let Some(before) = same {
        return Ok((before.clone(), None));
    }
    digest(&mut file, path, kind, stamp, before).map_err(fail)
}

fn digest(
    file: &mut File,
    path: &str,
    kind: Kind,
    stamp: (i128, u64),
    before: Option<&Record>,
) -> std::io::Result<(Record, Option<Difference>)> {
    let mut buffer = vec![0; 1 << 20];
    // The hash and length of complete lines or rows, and the incomplete rest.
    let (mut hasher, mut length, mut rest) = (blake3::Hasher::new(), 0u64, Vec::new());
    let (mut lines, mut total, mut prefix) = (0u64, 0u64, None);
    let mut upto = blake3::Hasher::new();
    let wanted = before.map_or(0, |b| b.length);
    loop {
        let n = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let bytes = &buffer[..n];
        if total < wanted {
            let part = bytes
                .len()
                .min(usize::try_from(wanted - total).unwrap_or(usize::MAX));
            upto.update(&bytes[..part]);
        }
        total += n as u64;
        if total >= wanted && prefix.is_none() {
            prefix = Some(upto.finalize().to_hex().to_string());
        }
        rest.extend_from_slice(bytes);
        let whole = kind.whole(length, &rest);
        hasher.update(&rest[..whole]);
        lines += memchr::memchr_iter(b'\n', &rest[..whole]).count() as u64;
        length += whole as u64;
        rest.drain(..whole);
    }
    let blake3 = hasher.finalize().to_hex().to_string();
    let lines = if matches!(kind, Kind::Lines | Kind::Text) {
        lines
    } else {
        0
    };
    let differs = before.and_then(|before| match kind.grows() {
        true if total < before.length => Some(Difference::Short(total)),
        true if before.length > 0 && prefix.as_ref() != Some(&before.blake3) => {
            Some(Difference::Rewritten)
        }
        true => (total > before.length).then(|| Difference::Grown(total - before.length)),
        false => {
            (blake3 != before.blake3 || length != before.length).then_some(Difference::Changed)
        }
    });
    Ok((
        Record {
            path: path.to_string(),
            kind,
            length,
            blake3,
            lines,
            stamp,
        },
        differs,
    ))
}
