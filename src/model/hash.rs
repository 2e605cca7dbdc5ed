//! BLAKE3 hashes of several texts.

/// Adds a text and its length to a hash.
pub fn put(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// Hash of the texts with their lengths, so that the boundaries between them count.
pub fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    texts.into_iter().for_each(|text| put(&mut hasher, text));
    hasher.finalize()
}

/// The first 8 bytes of a hash as a number.
pub fn first_bytes(hash: &blake3::Hash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
