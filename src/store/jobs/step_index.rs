//! Where the steps of each source are in the journal of a bootstrapping job, so that a transcript
//! reads only those. The journal of 10,000 items has more than 100 MB.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use serde::Deserialize;

use super::steps::{StepLine, path};
use crate::checksummed_line;
use benchtop_files::regular;
use benchtop_model::{Error, ErrorKind, Result};

/// The index of one journal. It grows with the journal.
#[derive(Debug, Default)]
pub struct StepIndex {
    /// Device and inode of the file.
    file: (u64, u64),
    /// Length of the lines that were read.
    covered: u64,
    /// Offset and length of each line by its source, in the order of the file.
    lines: HashMap<u64, Vec<(u64, usize)>>,
}

/// What the index needs of a line.
#[derive(Deserialize)]
struct Numbered {
    is: String,
    #[serde(default)]
    n: u64,
}

impl StepIndex {
    /// The steps of source `n` of job `id`. What was appended since the last call is read first.
    /// Damaged lines are left out.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn steps(&mut self, root: &Path, id: u32, n: usize) -> Result<Vec<StepLine>> {
        let path = path(root, id);
        let file = match regular::open(&path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(problem) if problem.kind == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(problem) => return Err(problem),
        };
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
        if regular::is_hollow(&file.metadata().map_err(fail)?) {
            return Err(Error::input("the file consists of holes").file(&path));
        }
        self.extend(&file).map_err(fail)?;
        if let Some(steps) = self.read(&file, n) {
            return Ok(steps);
        }
        // The file was written anew in the same place.
        *self = StepIndex::default();
        self.extend(&file).map_err(fail)?;
        Ok(self.read(&file, n).unwrap_or_default())
    }

    /// Takes over the whole lines that are not covered.
    fn extend(&mut self, file: &File) -> std::io::Result<()> {
        let meta = file.metadata()?;
        let name = (meta.dev(), meta.ino());
        if name != self.file || meta.len() < self.covered {
            *self = StepIndex {
                file: name,
                ..StepIndex::default()
            };
        }
        let mut reader = BufReader::with_capacity(1 << 20, file);
        reader.seek(SeekFrom::Start(self.covered))?;
        let mut line = Vec::new();
        loop {
            line.clear();
            reader.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Ok(());
            }
            if let Ok(found) = checksummed_line::decode::<Numbered>(&line)
                && found.is == "done"
            {
                let of = self.lines.entry(found.n).or_default();
                of.push((self.covered, line.len()));
            }
            self.covered += line.len() as u64;
        }
    }

    /// The steps of a source. `None` if they are not where they were.
    fn read(&self, file: &File, n: usize) -> Option<Vec<StepLine>> {
        let places = self.lines.get(&(n as u64)).map_or(&[][..], Vec::as_slice);
        let mut steps = Vec::with_capacity(places.len());
        let mut line = Vec::new();
        for (offset, length) in places {
            line.resize(*length, 0);
            file.read_exact_at(&mut line, *offset).ok()?;
            let found: Numbered = checksummed_line::decode(&line).ok()?;
            if found.n != n as u64 {
                return None;
            }
            // A line with other fields than those of a step is damaged.
            steps.extend(checksummed_line::decode(&line));
        }
        Some(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Done, StepJournal};

    fn step(n: usize, reason: &str) -> StepLine {
        StepLine::Done {
            n,
            product: "L1".into(),
            done: Done::Ruled {
                pass: Some(true),
                reason: Some(reason.into()),
            },
        }
    }

    #[test]
    fn the_steps_of_a_source_are_found_while_the_journal_grows_and_when_it_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("jobs")).unwrap();
        let file = dir.path().join("jobs/0003.jsonl");
        let mut index = StepIndex::default();
        let mut of = |n| index.steps(dir.path(), 3, n).unwrap();
        assert_eq!(of(0), []);
        let (mut journal, _) = StepJournal::open(dir.path(), 3, &mut |_| ()).unwrap();
        journal
            .append(&[StepLine::Plan, step(0, "a"), step(1, "b"), step(0, "c")])
            .unwrap();
        assert_eq!(of(0), [step(0, "a"), step(0, "c")]);
        journal.append(&[step(1, "d"), step(2, "e")]).unwrap();
        assert_eq!(of(1), [step(1, "b"), step(1, "d")]);
        // A line that is being written does not count yet.
        let whole = std::fs::read(&file).unwrap();
        let cut = whole.len() - 5;
        std::fs::write(&file, &whole[..cut]).unwrap();
        assert_eq!(of(2), []);
        std::fs::write(&file, &whole).unwrap();
        assert_eq!(of(2), [step(2, "e")]);
        // Other lines in the same place, with the same length.
        let text = String::from_utf8(whole).unwrap();
        let other = text.replace("\"n\":1", "\"n\":7");
        let mut lines = Vec::new();
        for line in other.lines() {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            value.as_object_mut().unwrap().remove("crc");
            checksummed_line::encode(&value, &mut lines).unwrap();
        }
        assert_eq!(lines.len(), text.len());
        std::fs::write(&file, &lines).unwrap();
        assert_eq!(of(1), []);
        assert_eq!(of(7), [step(7, "b"), step(7, "d")]);
    }
}
