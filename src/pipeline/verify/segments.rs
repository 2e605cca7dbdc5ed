//! Checks segments of imports against the manifest, and collects the pictures of their items.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;

use super::{Finding, Verifier, Wanted};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::image::ImageRef;
use benchtop_store::manifest::{Content, Manifest, Segment};
use benchtop_store::segment::Reader;

/// Largest segment to read.
const LIMIT: u64 = 64 << 30;

#[derive(Deserialize)]
struct Lean {
    id: String,
    #[serde(default)]
    images: Vec<ImageRef>,
}

fn words(part: &Segment) -> String {
    match &part.holds {
        Content::Items { dataset } => format!("{} items of `{dataset}`", part.rows),
        Content::Revisions { .. } => format!("{} revisions of items", part.rows),
        Content::Predictions { model, .. } => format!("{} answers of {model}", part.rows),
    }
}

impl Verifier<'_> {
    pub(super) fn segments(&mut self) -> Result<()> {
        let imports = self.project.imports();
        if self.refused.contains("imports/manifest.jsonl") {
            self.unread = true;
            return Ok(());
        }
        // Errors in its lines were already reported.
        let Ok(manifest) = Manifest::read(&imports) else {
            return Ok(());
        };
        self.unread |= !manifest.problems.is_empty()
            || manifest.torn
            || self.is_reported("imports/manifest.jsonl");
        let mut named = BTreeSet::new();
        for part in manifest.entries.iter().flat_map(|entry| &entry.parts) {
            named.insert(part.file.clone());
            self.segment(part)?;
        }
        for (name, _) in disk::list(&imports) {
            if name.ends_with(".jsonl.zst") && !named.contains(&name) && !name.starts_with('.') {
                let finding = Finding::notice(
                    format!("imports/{name}"),
                    "no import in the manifest contains this segment",
                );
                let help = "an interrupted import left it, or its manifest line is damaged; it is left in place";
                self.found(finding.remedy(help));
                self.unread = true;
            }
        }
        Ok(())
    }

    fn segment(&mut self, part: &Segment) -> Result<()> {
        let (file, path) = (
            format!("imports/{}", part.file),
            self.project.imports().join(&part.file),
        );
        self.report.checked.segments += 1;
        if self.refused.contains(&file) {
            self.unread = true;
            return Ok(());
        }
        let again = format!(
            "restore it from a backup, or import {} again into another project",
            part.source
        );
        let bytes = match regular::read(&path, LIMIT) {
            Ok(bytes) => bytes,
            Err(problem) => {
                self.unread = true;
                let what = if path.symlink_metadata().is_err() {
                    "the segment is missing".into()
                } else {
                    problem.what
                };
                self.found(Finding::damage(file, what).lost(words(part)).remedy(again));
                return Ok(());
            }
        };
        self.tick(&file, bytes.len() as u64)?;
        let found = blake3::hash(&bytes).to_hex().to_string();
        let is_whole = found == part.blake3;
        drop(bytes);
        let reader = Reader::scan(&path, part.rows);
        if !is_whole {
            self.unread = true;
            let (lost, offset) = match &reader {
                Err(_) => (words(part), None),
                Ok(reader) => {
                    let frames = 0..reader.frames.len();
                    let bad: Vec<usize> = frames.filter(|at| reader.frame(*at).is_err()).collect();
                    let each = reader.frame_rows as u64;
                    let rows: u64 = bad
                        .iter()
                        .map(|at| each.min(part.rows - (*at as u64 * each).min(part.rows)))
                        .sum();
                    let first = bad
                        .first()
                        .and_then(|at| reader.frames.get(*at))
                        .map(|frame| frame.offset);
                    (format!("{rows} of {}", words(part)), first)
                }
            };
            let what = format!(
                "the segment does not match the manifest: recorded {}, found {found}",
                part.blake3
            );
            let mut finding = Finding::damage(&file, what).lost(lost).remedy(again);
            finding.offset = offset;
            self.found(finding);
        }
        let Ok(reader) = reader else { return Ok(()) };
        self.report.checked.rows += part.rows;
        if matches!(part.holds, Content::Predictions { .. }) {
            return Ok(());
        }
        let mut rows = 0;
        for at in 0..reader.frames.len() {
            let Ok(lines) = reader.frame(at) else {
                continue;
            };
            for line in lines.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
                rows += 1;
                match serde_json::from_slice::<Lean>(line) {
                    Ok(item) => item
                        .images
                        .iter()
                        .for_each(|image| self.want(image, &item.id, Some(&part.source))),
                    Err(e) => self.damage(&file, format!("row {rows} is not a valid item: {e}")),
                }
            }
        }
        if is_whole && rows != part.rows {
            self.damage(
                &file,
                format!("{rows} rows found, but the manifest records {}", part.rows),
            );
        }
        Ok(())
    }

    /// Records a picture that must exist.
    pub(super) fn want(&mut self, image: &ImageRef, by: &str, source: Option<&str>) {
        let place: Option<PathBuf> = image
            .link
            .clone()
            .filter(|_| image.hash.is_some())
            .or_else(|| image.stored());
        let Some(place) = place else { return };
        let wanted = || Wanted {
            image: image.clone(),
            named_by: by.into(),
            count: 0,
            source: source.map(str::to_string),
        };
        self.wanted.entry(place).or_insert_with(wanted).count += 1;
    }
}
