//! What each file of a project is, by its path: how it may change, and who notices when it does otherwise.

use serde::{Deserialize, Serialize};

use crate::layout;

/// How a file may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Lines are added at its end; each carries a checksum.
    Lines,
    /// Text lines without checksums are added at its end.
    Text,
    /// Rows of `n` bytes, the last four a CRC-32, are added at its end.
    Rows(u32),
    /// It is written anew with a checksum inside (see [`crate::json_checksum`]).
    Checksummed,
    /// It is written once.
    Fixed,
    /// The owner writes it anew, without a checksum.
    Rewritten,
    /// A person edits it.
    Edited,
    /// It is made from the rest, and only as good as when the owner ended.
    Cache,
}

impl Kind {
    /// The kind of the file at `path` below the project's folder; `None` for what is not in the inventory: segments and
    /// pictures, which are recorded by their hashes elsewhere, and what is no file of a project.
    pub fn of(path: &str) -> Option<Kind> {
        let parts: Vec<&str> = path.split('/').collect();
        let ends = |ending: &str| path.ends_with(ending);
        Some(match parts.as_slice() {
            [_, .., name] if name.contains(".torn") => Kind::Edited,
            ["benchtop.toml" | ".gitignore"] | ["metadata", ..] => Kind::Edited,
            ["sessions", "rounds", _] if ends(".json") => Kind::Checksummed,
            ["sessions", _] if ends(".jsonl") => Kind::Lines,
            ["sessions", ..] => Kind::Edited,
            ["imports", "manifest.jsonl"] | ["images", "pictures.jsonl"] => Kind::Lines,
            ["runs", _] if ends(".jsonl") => Kind::Lines,
            ["runs", _] if ends(".items.json") => Kind::Fixed,
            ["runs", _] if ends(".json") => Kind::Checksummed,
            ["jobs", _] if ends(".jsonl") => Kind::Lines,
            ["jobs", _] if ends(".items.json") => Kind::Fixed,
            ["jobs", _] if ends(".json") => Kind::Checksummed,
            ["scores", "similarity", _] if ends(".cosines") => Kind::Rows(16),
            ["scores", _, _] if ends(".details") => Kind::Text,
            ["scores", _, _] if ends(".scores") => Kind::Rows(28),
            ["scores", _, _] if ends(".json") => Kind::Fixed,
            ["scores", name] if ends(".embeddings") => Kind::Rows(embedding_row(name)?),
            ["jobs" | "scores" | "runs", ..] => Kind::Rewritten,
            ["store", "inventory.jsonl"] => return None,
            // An index that was set aside.
            ["store", name, ..] if name.starts_with(layout::INDEX_ASIDE) => return None,
            // A project of an earlier version.
            ["store", ..] => match layout::now(path) {
                Some(now) if !now.starts_with("store/") => Kind::of(&now)?,
                _ => Kind::Cache,
            },
            _ => return None,
        })
    }

    /// Whether it only grows.
    pub fn grows(self) -> bool {
        matches!(self, Kind::Lines | Kind::Text | Kind::Rows(_))
    }

    /// How many of `bytes`, the end of a file that grows after `before` bytes, belong to whole lines or rows.
    pub fn whole(self, before: u64, bytes: &[u8]) -> usize {
        match self {
            Kind::Lines | Kind::Text => memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1),
            Kind::Rows(n) => {
                let over = (before + bytes.len() as u64) % u64::from(n.max(1));
                bytes.len().saturating_sub(over as usize)
            }
            _ => bytes.len(),
        }
    }
}

/// `<fingerprint>.<numbers>.embeddings`: key, half floats, CRC-32.
fn embedding_row(name: &str) -> Option<u32> {
    let rest = name.strip_suffix(".embeddings")?;
    let dim: u32 = rest.rsplit('.').next()?.parse().ok()?;
    dim.checked_mul(2)?.checked_add(12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_project_has_a_kind() {
        for (path, kind) in [
            ("benchtop.toml", Kind::Edited),
            ("metadata/vocabularies/animal.txt", Kind::Edited),
            ("sessions/ann.jsonl", Kind::Lines),
            ("sessions/ann.jsonl.torn-2", Kind::Edited),
            ("sessions/rounds/first.json", Kind::Checksummed),
            ("imports/manifest.jsonl", Kind::Lines),
            ("runs/0001.json", Kind::Checksummed),
            ("runs/0001.items.json", Kind::Fixed),
            ("runs/judge.jsonl", Kind::Lines),
            ("jobs/0001.json", Kind::Checksummed),
            ("jobs/0001.items.json", Kind::Fixed),
            ("jobs/0001.failed.jsonl", Kind::Lines),
            ("jobs/scoring.json", Kind::Checksummed),
            ("scores/flatness/ab.scores", Kind::Rows(28)),
            ("scores/flatness/ab.details", Kind::Text),
            ("scores/flatness/ab.json", Kind::Fixed),
            ("scores/ab.512.embeddings", Kind::Rows(1036)),
            ("scores/flatness/current", Kind::Rewritten),
            ("scores/similarity/ab.cosines", Kind::Rows(16)),
            ("scores/similarity/current", Kind::Rewritten),
            ("scores/rules.json", Kind::Rewritten),
            ("store/index/db", Kind::Cache),
            // Of earlier versions.
            ("store/scores/flatness/ab.scores", Kind::Rows(28)),
            ("store/scores/ab.512.embeddings", Kind::Rows(1036)),
            ("store/similarity/ab.cosines", Kind::Rows(16)),
            ("store/scoring.json", Kind::Checksummed),
            ("store/rules.json", Kind::Rewritten),
            ("store/db", Kind::Cache),
            ("store/board/sheet.snap", Kind::Cache),
        ] {
            assert_eq!(Kind::of(path), Some(kind), "{path}");
        }
        for path in [
            "imports/0001-01-items.jsonl.zst",
            "images/ab/abcd.png",
            "store/inventory.jsonl",
            "store/index.broken-1/db",
            "notes.txt",
        ] {
            assert_eq!(Kind::of(path), None, "{path}");
        }
    }
}
