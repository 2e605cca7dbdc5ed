//! Hashes of lists of texts. The lengths are hashed too, so that the boundaries count.

use blake3::{Hash, Hasher};

/// Adds a text to a hash.
pub fn put(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// The hash of some texts.
pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Hash {
    let mut hasher = Hasher::new();
    texts.into_iter().for_each(|text| put(&mut hasher, text));
    hasher.finalize()
}
