//! `benchtop vocab import`: imports Dysca's released metadata into a metadata folder.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::parsed::parsed;
use crate::context::Context;
use crate::out;
use benchtop_compose::metadata::dysca::{self, Repair};
use benchtop_files::disk;
use benchtop_model::usage::Save;
use benchtop_model::{Error, Result, clean};
use benchtop_store::metadata;

/// Depth of subfolders that are read.
const DEPTH: usize = 1;

pub fn run(
    context: &Context,
    dir: &Path,
    into: Option<&Path>,
    dry_run: bool,
    json: bool,
) -> Result<u8> {
    let into = match into {
        Some(into) => into.to_path_buf(),
        None => context.project()?.metadata(),
    };
    let state = metadata::read(&into)?;
    let mut files = Vec::new();
    collect(dir, Path::new(""), DEPTH, &mut files)?;
    files.sort();
    let read = dysca::import(&files, &parsed(&state)).map_err(|mut p| {
        p.place.file = Some(
            p.place
                .file
                .map_or_else(|| dir.to_path_buf(), |f| dir.join(f)),
        );
        p
    })?;
    let base = |name: &str| state.files.iter().find(|f| f.name == name);
    let changed = read
        .files
        .iter()
        .filter(|f| base(&f.name).is_none_or(|b| b.text != f.text));
    let saves: Vec<Save> = changed
        .map(|f| Save {
            name: f.name.clone(),
            base: base(&f.name).map(|b| b.revision.clone()),
            text: Some(f.text.clone()),
        })
        .collect();
    if !dry_run && !saves.is_empty() {
        disk::ensure_dirs(&into, &mut Vec::new())?;
        metadata::save(&into, &saves)?;
    }
    let changed: Vec<&str> = saves.iter().map(|s| s.name.as_str()).collect();
    let value = json!({
        "into": into, "written": !dry_run, "files": changed, "repairs": read.repairs,
    });
    out::report(json, &value, || {
        let repairs = merged(&read.repairs);
        let repairs = repairs
            .iter()
            .map(|line| format!("{}\n", clean::line(line)));
        let verb = if dry_run { "would write" } else { "wrote" };
        let last = format!(
            "{}; {verb} {} to {}: {}\n",
            out::count(read.repairs.len(), "repair"),
            out::count(changed.len(), "file"),
            into.display(),
            changed.join(", ")
        );
        repairs.chain([last]).collect()
    })
}

/// Reads the files below `root` with their relative names. Files larger than a metadata file are
/// refused.
fn collect(
    root: &Path,
    below: &Path,
    depth: usize,
    files: &mut Vec<(String, Vec<u8>)>,
) -> Result<()> {
    let dir = root.join(below);
    let entries = fs::read_dir(&dir).map_err(|e| Error::io(&e, "cannot read the folder", &dir))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io(&e, "cannot read the folder", &dir))?;
        let path: PathBuf = entry.path();
        let name = below.join(entry.file_name());
        let meta = fs::metadata(&path).map_err(|e| Error::io(&e, "cannot read the file", &path))?;
        if meta.is_dir() && depth > 0 {
            collect(root, &name, depth - 1, files)?;
        } else if meta.is_file() {
            if meta.len() > metadata::FILE_LIMIT {
                let what = format!(
                    "the file has {} bytes; the limit is {} MiB",
                    meta.len(),
                    metadata::FILE_LIMIT >> 20
                );
                return Err(Error::input(what).file(path));
            }
            if files.len() >= metadata::FILES {
                let what = format!(
                    "the folder has more than {} files, so it is not Dysca's metadata",
                    metadata::FILES
                );
                return Err(Error::input(what).file(root));
            }
            let bytes =
                fs::read(&path).map_err(|e| Error::io(&e, "cannot read the file", &path))?;
            files.push((name.to_string_lossy().into_owned(), bytes));
        }
    }
    Ok(())
}

/// Describes the repairs, with one line for the same repair on consecutive lines.
fn merged(repairs: &[Repair]) -> Vec<String> {
    // Grouped by file and kind: a file with CRLF and trailing blanks has both kinds on every line.
    let mut kinds: Vec<(&str, &str, Vec<&Repair>)> = Vec::new();
    for repair in repairs {
        match kinds
            .iter_mut()
            .find(|(file, what, _)| *file == repair.file && *what == repair.description)
        {
            Some((_, _, list)) => list.push(repair),
            None => kinds.push((&repair.file, &repair.description, vec![repair])),
        }
    }
    let mut lines = Vec::new();
    for (file, what, list) in kinds {
        let mut at = 0;
        while at < list.len() {
            let run = list[at..]
                .windows(2)
                .take_while(|w| w[1].line == w[0].line + 1)
                .count()
                + 1;
            let (first, last) = (list[at], list[at + run - 1]);
            lines.push(match (first.line, run) {
                (0, _) => format!("{file}: {what}"),
                (line, 1) if first.text.is_empty() => format!("{file}:{line}: {what}"),
                (line, 1) => format!("{file}:{line}: {what} (`{}`)", first.text),
                (line, _) => format!("{file}:{line}-{}: {what}", last.line),
            });
            at += run;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_repairs_on_consecutive_lines() {
        let repair = |line, what: &str, text: &str| Repair {
            file: "a.txt".into(),
            line,
            description: what.into(),
            text: text.into(),
        };
        let repairs = [
            repair(0, "called `a`", ""),
            repair(1, "CR", "x"),
            repair(1, "blank", "x"),
            repair(2, "CR", "y"),
            repair(3, "CR", "z"),
            repair(5, "CR", "q"),
        ];
        let wanted = [
            "a.txt: called `a`",
            "a.txt:1-3: CR",
            "a.txt:5: CR (`q`)",
            "a.txt:1: blank (`x`)",
        ];
        assert_eq!(merged(&repairs), wanted);
    }
}
