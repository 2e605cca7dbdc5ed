//! The kind of each file of a project, by its path: how the file may change, and how damage is
//! detected.

use serde::{Deserialize, Serialize};

use crate::layout;

/// How a file may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Append-only lines with checksums.
    Lines,
    /// Append-only text lines without checksums.
    Text,
    /// Append-only rows of `n` bytes, of which the last four are a CRC-32.
    Rows(u32),
    /// Replaced as a whole, with a checksum inside (see [`crate::json_checksum`]).
    Checksummed,
    /// Written once.
    Fixed,
    /// Replaced as a whole by the owner, without a checksum.
    Rewritten,
    /// Edited by people.
    Edited,
    /// Derived from other files. Valid only as of the owner's last exit.
    Cache,
}

impl Kind {
    /// The kind of the file at `path` in the project folder. `None` for files outside of the
    /// inventory: segments and pictures, whose hashes are recorded elsewhere, and unrelated files.
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
            // The folders of releases have manifests of their own.
            ["releases", _] if ends(".json") => Kind::Fixed,
            ["store", "inventory.jsonl"] => return None,
            // A renamed damaged index.
            ["store", name, ..] if name.starts_with(layout::INDEX_ASIDE) => return None,
            // A project of an earlier version.
            ["store", ..] => match layout::present_path(path) {
                Some(now) if !now.starts_with("store/") => Kind::of(&now)?,
                _ => Kind::Cache,
            },
            _ => return None,
        })
    }

    /// Whether the file is append-only.
    pub fn grows(self) -> bool {
        matches!(self, Kind::Lines | Kind::Text | Kind::Rows(_))
    }

    /// The number of `bytes` that belong to complete lines or rows. `bytes` is the end of a growing
    /// file, after `before` bytes.
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

/// Row size of `<fingerprint>.<dimension>.embeddings`: key, half floats, CRC-32.
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
            ("runs/0001.usage.json", Kind::Checksummed),
            ("runs/judge.jsonl", Kind::Lines),
            ("releases/v1.json", Kind::Fixed),
            ("jobs/0001.json", Kind::Checksummed),
            ("jobs/0001.items.json", Kind::Fixed),
            ("jobs/0001.usage.json", Kind::Checksummed),
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
            // Files of earlier versions.
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
            "releases/v1/manifest.json",
            "store/inventory.jsonl",
            "store/index.broken-1/db",
            "notes.txt",
        ] {
            assert_eq!(Kind::of(path), None, "{path}");
        }
    }
}
