//! Published numbers, released files, and damaged copies of them.

mod answers;
mod damage;
mod extraction;
mod foreign;
pub mod loaders;
mod numbers;
mod out;
mod realfiles;
mod round_trips;
mod tables;

use std::path::{Path, PathBuf};

/// A folder of the shared data, or a visible word that it is not there.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    crate::support::skip(
        crate::support::Need::Data,
        &format!("{name} is not beside this checkout"),
    );
    None
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/conformance/fixtures")
        .join(name)
}
