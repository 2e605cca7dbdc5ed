//! `manifest.json`: every file of a release with its length and hash, and one hash of everything.

use std::fs::OpenOptions;
use std::io::Read;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::tree::{self, Entry};
use benchtop_files::regular;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::hash::put;
use benchtop_model::{Error, Result, name};

pub const FILE: &str = "manifest.json";
/// Maximum size of a manifest, in bytes.
const LIMIT: u64 = 1 << 30;
const VERSION: u8 = 1;
/// Longest path, in bytes.
const PATH_LIMIT: usize = 4096;
/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The files of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    v: u8,
    /// Name of the release.
    pub name: String,
    /// BLAKE3 hash over name, paths, lengths, and hashes.
    pub hash: String,
    /// Items of the sample, which are made up. Part of the hash if there are any.
    #[serde(default, skip_serializing_if = "benchtop_model::is_default")]
    pub sample: u64,
    /// The files, sorted by path.
    pub files: Vec<ManifestFile>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Path in the folder, with `/`.
    pub path: String,
    pub bytes: u64,
    /// BLAKE3 hash, 64 hex digits.
    pub blake3: String,
}

/// The hash of everything.
fn everything(name: &str, sample: u64, files: &[ManifestFile]) -> String {
    let mut hasher = blake3::Hasher::new();
    put(&mut hasher, "benchtop release 1");
    put(&mut hasher, name);
    if sample > 0 {
        put(&mut hasher, "sample");
        put(&mut hasher, &sample.to_string());
    }
    for file in files {
        put(&mut hasher, &file.path);
        put(&mut hasher, &file.bytes.to_string());
        put(&mut hasher, &file.blake3);
    }
    hasher.finalize().to_hex().to_string()
}

/// Length and hash of a regular file. Reads at most one byte more than `most`.
pub(super) fn digest(path: &Path, most: u64, watch: ProgressSink<'_>) -> Result<(u64, String)> {
    let failed = |e: std::io::Error| Error::io(&e, "cannot be read", path);
    let file = regular::open(path, OpenOptions::new().read(true))?;
    if regular::is_hollow(&file.metadata().map_err(failed)?) {
        return Err(Error::input("the file consists of holes").file(path));
    }
    let mut file = file.take(most.saturating_add(1));
    let (mut hasher, mut buffer, mut length) = (blake3::Hasher::new(), vec![0; PIECE], 0);
    loop {
        watch.cancel.check()?;
        let n = file.read(&mut buffer).map_err(failed)?;
        if n == 0 {
            return Ok((length, hasher.finalize().to_hex().to_string()));
        }
        hasher.update(&buffer[..n]);
        length += n as u64;
    }
}

impl Manifest {
    /// The manifest of the folder `dir` with `sample` items of the sample.
    pub(super) fn of(
        dir: &Path,
        (name, sample): (&str, u64),
        watch: ProgressSink<'_>,
    ) -> Result<Manifest> {
        let entries = tree::of(dir)?;
        let of = entries.len() as u64;
        let mut files = Vec::with_capacity(entries.len());
        for (path, entry) in entries {
            watch.report("hashing", files.len() as u64, Some(of))?;
            let Entry::File(bytes) = entry else {
                return Err(Error::failed("this is no regular file").file(dir.join(path)));
            };
            let (bytes, blake3) = digest(&dir.join(&path), bytes, watch)?;
            let file = ManifestFile {
                path,
                bytes,
                blake3,
            };
            files.push(file);
        }
        Ok(Manifest {
            v: VERSION,
            name: name.into(),
            hash: everything(name, sample, &files),
            sample,
            files,
        })
    }

    /// The manifest as JSON with one file per line.
    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        let failed = |e: serde_json::Error| Error::failed(format!("cannot write as JSON: {e}"));
        let mut head = serde_json::json!({ "v": self.v, "name": self.name, "hash": self.hash });
        if self.sample > 0 {
            head["sample"] = self.sample.into();
        }
        let mut out = serde_json::to_vec(&head).map_err(failed)?;
        out.truncate(out.len().saturating_sub(1));
        out.extend_from_slice(b",\"files\":[");
        for (at, file) in self.files.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"\n" } else { b",\n" });
            serde_json::to_writer(&mut out, file).map_err(failed)?;
        }
        out.extend_from_slice(b"\n]}\n");
        Ok(out)
    }

    /// Reads and checks the manifest of the release in `dir`, which can come from anybody.
    ///
    /// # Errors
    /// [`Error::not_found`] without a manifest, [`Error::input`] for one that is not valid.
    pub fn read(dir: &Path) -> Result<Manifest> {
        let path = dir.join(FILE);
        let bytes = regular::read_if_there(&path, LIMIT)?.ok_or_else(|| {
            Error::not_found(format!("no release: the folder has no {FILE}"))
                .file(dir)
                .help("name the folder that `benchtop release` wrote")
        })?;
        let wrong = |what: String| Error::input(what).file(&path);
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|e| wrong(e.to_string()).line(e.line() as u64))?;
        if manifest.v != VERSION {
            let what = format!("version {} of a manifest is not known", manifest.v);
            return Err(wrong(what).field("v"));
        }
        name::check(&manifest.name, "a release").map_err(|p| wrong(p.what).field("name"))?;
        let mut before = None;
        for file in &manifest.files {
            check_path(&file.path).map_err(|what| {
                wrong(format!("`{}` {what}", file.path.escape_debug())).field("files.path")
            })?;
            if before.is_some_and(|before| before >= file.path.as_str()) {
                let what = format!("`{}` is out of order, or named twice", file.path);
                return Err(wrong(what).field("files.path"));
            }
            if file.blake3.len() != 64 || blake3::Hash::from_hex(&file.blake3).is_err() {
                let what = format!("the hash of `{}` is not one", file.path);
                return Err(wrong(what).field("files.blake3"));
            }
            before = Some(file.path.as_str());
        }
        Ok(manifest)
    }

    /// Whether the hash of everything is that of the listed files.
    pub fn is_consistent(&self) -> bool {
        self.hash == everything(&self.name, self.sample, &self.files)
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// Checks that a path stays inside of the folder.
fn check_path(path: &str) -> std::result::Result<(), &'static str> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if path.is_empty() || path.len() > PATH_LIMIT || path.contains('\0') {
        return Err("is no path");
    }
    if !Path::new(path).components().all(is_plain) || path.split('/').any(str::is_empty) {
        return Err("leaves the folder of the release, or is not written plainly");
    }
    if path.split('/').any(|part| part == ".") {
        return Err("is not written plainly");
    }
    if path == FILE {
        return Err("is the manifest itself");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for good in ["a", "a/b.json", "huggingface/train/x y.png", "a..b/.c"] {
            assert!(check_path(good).is_ok(), "{good}");
        }
        for bad in [
            "", "/a", "../a", "a/../b", "a//b", "./a", "a/./b", "a/", FILE, "a\0",
        ] {
            assert!(check_path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_manifest_from_anybody_is_checked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("b/c"), "1").unwrap();
        std::fs::write(dir.path().join("a"), "").unwrap();
        let manifest = Manifest::of(dir.path(), ("v1", 0), ProgressSink::NONE).unwrap();
        std::fs::write(dir.path().join(FILE), manifest.to_json().unwrap()).unwrap();
        let read = Manifest::read(dir.path()).unwrap();
        assert!(read == manifest && read.is_consistent());
        let paths: Vec<_> = read.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!((paths, read.bytes()), (vec!["a", "b/c"], 1));
        let broken = |change: &dyn Fn(&mut Manifest), field: &str| {
            let mut manifest = manifest.clone();
            change(&mut manifest);
            std::fs::write(dir.path().join(FILE), manifest.to_json().unwrap()).unwrap();
            let problem = Manifest::read(dir.path()).unwrap_err();
            assert_eq!(problem.place.field.as_deref(), Some(field));
        };
        broken(&|m| m.v = 9, "v");
        broken(&|m| m.name = "../x".into(), "name");
        broken(&|m| m.files[0].path = "../a".into(), "files.path");
        broken(&|m| m.files[0].path = "b/c".into(), "files.path");
        broken(&|m| m.files[0].blake3 = "é".repeat(32), "files.blake3");
    }
}
