//! `runs/judge.jsonl`: answers that language-model judges extracted from outputs, one checksummed
//! line each. They cost money and cannot be rebuilt, so a line is on disk before it counts.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::append_log::{AppendLog, ValidPrefix};
use super::{checksummed_line, runs};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::hash;
use benchtop_model::vlm::{Finish, Usage};

/// Version of the lines.
const VERSION: u8 = 1;

/// The key of a reading, as 32 hex digits: a hash of an item, its question and options, and an
/// output. Another output or an edited question has another key.
pub fn about<'o>(
    item: &'o str,
    question: &'o str,
    options: impl IntoIterator<Item = &'o str>,
    output: &'o str,
) -> String {
    let texts = [item, question, output].into_iter().chain(options);
    hash::of_texts(texts).to_hex()[..32].to_string()
}

/// One extraction by a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Version of the line.
    pub v: u8,
    /// Id of the item.
    pub item: String,
    /// The model that gave the answer.
    pub model: String,
    /// See [`about`].
    pub about: String,
    /// The judge model.
    pub judge: String,
    /// The judge's instruction with its version.
    pub instruction: String,
    /// The judge's reply.
    pub said: String,
    /// The parsed reply: a letter, `yes`, or `no`. `None` if the answer picks no option.
    pub read: Option<String>,
    /// Reason why the reply ended.
    pub finish: Finish,
    /// Token counts, if the server reported them.
    pub usage: Option<Usage>,
    /// RFC 3339 in UTC.
    pub at: String,
}

impl Reading {
    /// The version of new lines.
    pub fn version() -> u8 {
        VERSION
    }
}

/// The readings of a project.
#[derive(Clone, Debug, Default)]
pub struct JudgeExtractions {
    /// Readings by their key, in the order they were recorded.
    found: HashMap<String, Vec<Arc<Reading>>>,
    /// Numbers of damaged lines, from 1.
    pub damaged: Vec<u64>,
    /// Hash of all readings. It changes with every reading.
    pub digest: String,
}

fn path(root: &Path) -> PathBuf {
    runs::folder(root).join("judge.jsonl")
}

impl JudgeExtractions {
    /// Reads the readings of the project at `root`. Damaged lines are skipped, so their outputs are
    /// judged again.
    pub fn read(root: &Path) -> Result<JudgeExtractions> {
        Self::read_prefix(root).map(|(readings, _)| readings)
    }

    fn read_prefix(root: &Path) -> Result<(JudgeExtractions, ValidPrefix)> {
        let path = path(root);
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let mut readings = JudgeExtractions {
            digest: blake3::hash(&bytes).to_hex().to_string(),
            ..JudgeExtractions::default()
        };
        let torn = checksummed_line::each::<Reading>(&bytes, &mut |_, number, line| match line {
            Ok(reading) if reading.v == VERSION => readings.add(reading),
            _ => readings.damaged.push(number),
        });
        Ok((readings, ValidPrefix::new(bytes.len() as u64, torn)))
    }

    fn add(&mut self, reading: Reading) {
        self.found
            .entry(reading.about.clone())
            .or_default()
            .push(Arc::new(reading));
    }

    /// The last reading with the key `about`, of any judge.
    pub fn last(&self, about: &str) -> Option<&Reading> {
        self.found.get(about)?.last().map(|reading| &**reading)
    }

    /// The last reading with this instruction, of any judge.
    pub fn last_with(&self, about: &str, instruction: &str) -> Option<&Reading> {
        let all = self.found.get(about)?.iter().rev();
        all.map(|reading| &**reading)
            .find(|r| r.instruction == instruction)
    }

    /// The last reading by this judge with this instruction.
    pub fn by(&self, about: &str, judge: &str, instruction: &str) -> Option<&Reading> {
        let all = self.found.get(about)?.iter().rev();
        all.map(|reading| &**reading)
            .find(|r| r.judge == judge && r.instruction == instruction)
    }

    /// Judges and their instructions.
    pub fn judges(&self) -> BTreeSet<(&str, &str)> {
        self.found
            .values()
            .flatten()
            .map(|r| (r.judge.as_str(), r.instruction.as_str()))
            .collect()
    }
}

/// The readings of a project, open for appending.
#[derive(Debug)]
pub struct JudgeJournal {
    pub readings: JudgeExtractions,
    lines: AppendLog,
}

impl JudgeJournal {
    /// Opens or creates the journal of the project at `root`.
    pub fn open(root: &Path) -> Result<JudgeJournal> {
        disk::ensure_private_dir(&runs::folder(root))?;
        let (readings, whole) = JudgeExtractions::read_prefix(root)?;
        Ok(JudgeJournal {
            readings,
            lines: AppendLog::open(&path(root), whole)?,
        })
    }

    /// Appends a reading. When this returns, it is on disk. On an error, it does not count.
    pub fn append(&mut self, reading: Reading) -> Result<()> {
        let mut bytes = Vec::new();
        checksummed_line::encode(&reading, &mut bytes)?;
        self.lines
            .append(&bytes, "cannot save the judge's reading")?;
        self.readings.add(reading);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(about: &str, judge: &str, read: Option<&str>) -> Reading {
        Reading {
            v: VERSION,
            item: "s/1".into(),
            model: "m".into(),
            about: about.into(),
            judge: judge.into(),
            instruction: "w@1".into(),
            said: read.unwrap_or("Z").into(),
            read: read.map(str::to_string),
            finish: Finish::Stop,
            usage: None,
            at: "2026-01-01T00:00:00Z".into(),
        }
    }

    #[test]
    fn the_key_of_a_reading_depends_on_every_text() {
        let base = about("s/1", "q", ["a", "b"], "out");
        assert_eq!(
            (base.len(), &base),
            (32, &about("s/1", "q", ["a", "b"], "out"))
        );
        let others = [
            about("s/2", "q", ["a", "b"], "out"),
            about("s/1", "p", ["a", "b"], "out"),
            about("s/1", "q", ["a"], "out"),
            about("s/1", "q", ["b", "a"], "out"),
            about("s/1", "q", ["ab"], "out"),
            about("s/1", "q", ["a", "b"], "outs"),
        ];
        assert_eq!(
            others.iter().chain([&base]).collect::<BTreeSet<_>>().len(),
            7
        );
    }

    #[test]
    fn readings_round_trip_and_only_damaged_lines_are_lost() {
        let dir = tempfile::tempdir().unwrap();
        let none = JudgeExtractions::read(dir.path()).unwrap();
        assert!(none.last("x").is_none() && none.judges().is_empty());
        let mut judged = JudgeJournal::open(dir.path()).unwrap();
        for line in [
            reading("x", "one", Some("A")),
            reading("y", "one", None),
            reading("x", "two", Some("B")),
        ] {
            judged.append(line).unwrap();
        }
        let found = JudgeExtractions::read(dir.path()).unwrap();
        assert_ne!(&found.digest, &none.digest);
        assert_eq!(found.last("x").and_then(|r| r.read.as_deref()), Some("B"));
        assert_eq!(
            found.by("x", "one", "w@1").and_then(|r| r.read.as_deref()),
            Some("A")
        );
        assert_eq!(
            found.last("y").map(|r| &r.read),
            Some(&None),
            "a reading without an option counts"
        );
        assert!(found.by("x", "one", "w@2").is_none() && found.by("x", "three", "w@1").is_none());
        assert_eq!(
            found.judges(),
            BTreeSet::from([("one", "w@1"), ("two", "w@1")])
        );
        // A torn last line is saved, and a damaged line is skipped.
        let mut bytes = std::fs::read(path(dir.path())).unwrap();
        bytes[20] ^= 1;
        let whole = bytes.len();
        bytes.extend_from_slice(b"{\"v\":1,\"item\":");
        std::fs::write(path(dir.path()), &bytes).unwrap();
        let mut judged = JudgeJournal::open(dir.path()).unwrap();
        assert_eq!(judged.readings.damaged, [1]);
        assert!(
            judged.readings.by("x", "one", "w@1").is_none() && judged.readings.last("y").is_some()
        );
        assert_eq!(
            std::fs::metadata(path(dir.path())).unwrap().len(),
            whole as u64
        );
        judged.append(reading("x", "one", Some("C"))).unwrap();
        // A damaged last line with a newline was acknowledged, so it stays.
        let mut bytes = std::fs::read(path(dir.path())).unwrap();
        let at = bytes.len() - 40;
        bytes[at] ^= 1;
        std::fs::write(path(dir.path()), &bytes).unwrap();
        assert_eq!(JudgeExtractions::read(dir.path()).unwrap().damaged.len(), 2);
        JudgeJournal::open(dir.path())
            .unwrap()
            .append(reading("x", "one", Some("C")))
            .unwrap();
        assert!(std::fs::read(path(dir.path())).unwrap().starts_with(&bytes));
        assert_eq!(
            JudgeExtractions::read(dir.path())
                .unwrap()
                .last("x")
                .and_then(|r| r.read.as_deref()),
            Some("C")
        );
    }
}
