//! Captions of reference pictures: a file [`FILE`] in a reference folder, one JSON object with
//! `file` (relative to the folder) and `caption` per line. A picture can have several captions.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use benchtop_files::regular;
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, Result};

/// Name of the file in a reference folder.
pub const FILE: &str = "captions.jsonl";
/// Size limit of the file in bytes.
const LIMIT: u64 = 256 << 20;
/// Size limit of a caption in bytes.
const CAPTION_LIMIT: usize = 8 << 10;
/// Lines between cancellation checks.
const STEP: usize = 4096;

/// The captions of reference pictures by their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captions {
    of: HashMap<PathBuf, Vec<String>>,
    /// Digest of the files. Other captions give other scores.
    pub digest: String,
}

#[derive(Deserialize)]
struct Line {
    file: String,
    caption: String,
}

impl Captions {
    /// Reads the captions in these folders. A folder may have none.
    ///
    /// # Errors
    ///
    /// A line that is not such an object, names a file outside of the folder, or has an empty or
    /// very long caption; a link; and [`ErrorKind::Cancelled`](benchtop_model::ErrorKind::Cancelled).
    pub fn read(folders: &[PathBuf], cancel: Cancel<'_>) -> Result<Captions> {
        let mut captions = Captions::default();
        let mut hasher = blake3::Hasher::new();
        for folder in folders {
            let path = folder.join(FILE);
            let Some(bytes) = regular::read_if_there(&path, LIMIT)? else {
                continue;
            };
            hasher.update(blake3::hash(&bytes).as_bytes());
            for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
                if at % STEP == 0 {
                    cancel.check()?;
                }
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let (file, caption) =
                    parse(line).map_err(|problem| problem.file(&path).line(at as u64 + 1))?;
                captions
                    .of
                    .entry(folder.join(file))
                    .or_default()
                    .push(caption);
            }
        }
        captions.digest = hasher.finalize().to_hex().chars().take(16).collect();
        Ok(captions)
    }

    /// The captions of the pictures in these files, one per line, each once. `None` if there are
    /// none.
    pub fn of(&self, files: &[PathBuf]) -> Option<String> {
        let mut all: Vec<&str> = Vec::new();
        for caption in files.iter().filter_map(|file| self.of.get(file)).flatten() {
            if !all.contains(&caption.as_str()) {
                all.push(caption);
            }
        }
        (!all.is_empty()).then(|| all.join("\n"))
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

fn parse(line: &[u8]) -> Result<(PathBuf, String)> {
    let help = r#"write one object per line: {"file": "a.jpg", "caption": "a cat on a sofa"}"#;
    let line: Line = serde_json::from_slice(line)
        .map_err(|e| Error::input(format!("not a caption: {e}")).help(help))?;
    let file = Path::new(&line.file);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if line.file.is_empty() || !file.components().all(is_plain) {
        let what = "the picture must be below this folder";
        return Err(Error::input(what).field("file").help(help));
    }
    let caption = line.caption.trim();
    if caption.is_empty() || caption.len() > CAPTION_LIMIT {
        let what = format!(
            "the caption has {} bytes, expected 1 to {CAPTION_LIMIT}",
            caption.len()
        );
        return Err(Error::input(what).field("caption"));
    }
    let file = file
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    Ok((file.collect(), caption.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    fn read(text: &str) -> Result<(PathBuf, Captions)> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let captions = Captions::read(&[folder.path().into()], Cancel::NEVER)?;
        Ok((folder.path().into(), captions))
    }

    #[test]
    fn captions_are_found_by_file() {
        let text = "{\"file\":\"a.jpg\",\"caption\":\" a cat \"}\r\n\n{\"file\":\"./sub/b.png\",\"caption\":\"two\\nlines\",\"n\":1}\n\
            {\"file\":\"a.jpg\",\"caption\":\"a tabby\"}\n{\"file\":\"a.jpg\",\"caption\":\"a cat\"}";
        let (folder, captions) = read(text).unwrap();
        let of = |names: &[&str]| {
            let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
            captions.of(&files)
        };
        assert_eq!(of(&["a.jpg"]).as_deref(), Some("a cat\na tabby"));
        assert_eq!(
            of(&["none.jpg", "sub/b.png", "a.jpg"]).as_deref(),
            Some("two\nlines\na cat\na tabby")
        );
        assert_eq!(of(&["none.jpg"]), None);
        let (_, other) = read("{\"file\":\"a.jpg\",\"caption\":\"a dog\"}").unwrap();
        assert_ne!(captions.digest, other.digest);
        let none = Captions::read(&["/nowhere".into()], Cancel::NEVER).unwrap();
        assert!(none.is_empty() && none.digest != other.digest);
    }

    #[test]
    fn hostile_captions_are_errors_with_their_line() {
        let long = format!("{{\"file\":\"a\",\"caption\":\"{}\"}}", "x".repeat(9000));
        for bad in [
            "a.jpg\ta cat",
            r#"{"file":"a.jpg"}"#,
            r#"{"file":"../a.jpg","caption":"a cat"}"#,
            r#"{"file":"/etc/passwd","caption":"a cat"}"#,
            r#"{"file":"","caption":"a cat"}"#,
            r#"{"file":"a.jpg","caption":"  "}"#,
            &long,
        ] {
            let good = r#"{"file":"a.jpg","caption":"a cat"}"#;
            let error = read(&format!("{good}\n{bad}\n")).unwrap_err();
            assert_eq!(
                (error.kind, error.place.line),
                (ErrorKind::Input, Some(2)),
                "{error}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, r#"{"file":"a.jpg","caption":"a cat"}"#).unwrap();
        std::os::unix::fs::symlink(&secret, folder.path().join(FILE)).unwrap();
        let error = Captions::read(&[folder.path().into()], Cancel::NEVER).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied, "{error}");
    }
}
