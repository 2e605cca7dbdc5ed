//! `runs/judge.jsonl`: what language-model judges read of answers that no rule can read, a checksummed line each. Readings cost money
//! and nobody can make them again from the rest of the project: a line is on disk before it counts.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::append_log::{AppendLog, ValidPrefix};
use super::{checksummed_line, runs};
use benchtop_files::{disk, regular};
use benchtop_model::Result;
use benchtop_model::vlm::{Finish, Usage};

/// Version of the lines.
const VERSION: u8 = 1;

/// What a reading is about, as 32 hex digits: an item, its question and options, and an output. Another output, or an edited question,
/// is another number.
pub fn about<'o>(
    item: &str,
    question: &str,
    options: impl IntoIterator<Item = &'o str>,
    output: &str,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    [item, question, output].into_iter().for_each(&mut put);
    options.into_iter().for_each(&mut put);
    hasher.finalize().to_hex()[..32].to_string()
}

/// One reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Version of the line.
    pub v: u8,
    /// The item's id.
    pub item: String,
    /// Whose answer it was.
    pub model: String,
    /// See [`about`].
    pub about: String,
    /// The judge, as it was asked for.
    pub judge: String,
    /// The words it was asked in, with their version.
    pub instruction: String,
    /// What it said.
    pub said: String,
    /// What that was read as: a letter, `yes` or `no`; none where the answer means no option.
    pub read: Option<String>,
    /// Why its reply ended.
    pub finish: Finish,
    /// Tokens, where the server told.
    pub usage: Option<Usage>,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

impl Reading {
    /// The version that lines are written with.
    pub fn version() -> u8 {
        VERSION
    }
}

/// The readings of a project.
#[derive(Clone, Debug, Default)]
pub struct JudgeExtractions {
    /// By what they are about, in the order they were recorded.
    found: HashMap<String, Vec<Arc<Reading>>>,
    /// Numbers of the lines that could not be read, from 1.
    pub damaged: Vec<u64>,
    digest: String,
}

fn path(root: &Path) -> PathBuf {
    runs::folder(root).join("judge.jsonl")
}

impl JudgeExtractions {
    /// Those of the project at `root`; none where no judge was asked.
    ///
    /// # Errors
    /// The operating system's. Damaged lines are passed over: what they were about is asked again.
    pub fn of(root: &Path) -> Result<JudgeExtractions> {
        Self::whole(root).map(|(readings, _)| readings)
    }

    fn whole(root: &Path) -> Result<(JudgeExtractions, ValidPrefix)> {
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
        Ok((
            readings,
            ValidPrefix {
                length: torn.unwrap_or(bytes.len() as u64),
                torn: torn.is_some(),
            },
        ))
    }

    fn add(&mut self, reading: Reading) {
        self.found
            .entry(reading.about.clone())
            .or_default()
            .push(Arc::new(reading));
    }

    /// The last reading of what [`about`] names, whoever's it is.
    pub fn last(&self, about: &str) -> Option<&Reading> {
        self.found.get(about)?.last().map(|reading| &**reading)
    }

    /// The last reading by this judge in these words.
    pub fn by(&self, about: &str, judge: &str, instruction: &str) -> Option<&Reading> {
        let all = self.found.get(about)?.iter().rev();
        all.map(|reading| &**reading)
            .find(|r| r.judge == judge && r.instruction == instruction)
    }

    /// Who read, and in which words.
    pub fn judges(&self) -> BTreeSet<(&str, &str)> {
        self.found
            .values()
            .flatten()
            .map(|r| (r.judge.as_str(), r.instruction.as_str()))
            .collect()
    }

    /// Other words once there are more readings.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// The readings of a project, open for more.
#[derive(Debug)]
pub struct Judged {
    readings: JudgeExtractions,
    lines: AppendLog,
}

impl Judged {
    /// Opens or creates the journal of the project at `root`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(root: &Path) -> Result<Judged> {
        disk::ensure_private_dir(&runs::folder(root))?;
        let (readings, whole) = JudgeExtractions::whole(root)?;
        Ok(Judged {
            readings,
            lines: AppendLog::open(&path(root), whole)?,
        })
    }

    /// Those there are.
    pub fn readings(&self) -> &JudgeExtractions {
        &self.readings
    }

    /// Records a reading: when this returns it is on disk.
    ///
    /// # Errors
    /// The operating system's; then it does not count.
    pub fn append(&mut self, reading: Reading) -> Result<()> {
        let mut bytes = Vec::new();
        checksummed_line::encode(&reading, &mut bytes)?;
        self.lines
            .append(&bytes, "a judge's reading cannot be recorded")?;
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
    fn what_a_reading_is_about_hangs_on_every_text() {
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
    fn readings_come_back_and_a_damaged_line_costs_itself_alone() {
        let dir = tempfile::tempdir().unwrap();
        let none = JudgeExtractions::of(dir.path()).unwrap();
        assert!(none.last("x").is_none() && none.judges().is_empty());
        let mut judged = Judged::open(dir.path()).unwrap();
        for line in [
            reading("x", "one", Some("A")),
            reading("y", "one", None),
            reading("x", "two", Some("B")),
        ] {
            judged.append(line).unwrap();
        }
        let found = JudgeExtractions::of(dir.path()).unwrap();
        assert_ne!(found.digest(), none.digest());
        assert_eq!(found.last("x").and_then(|r| r.read.as_deref()), Some("B"));
        assert_eq!(
            found.by("x", "one", "w@1").and_then(|r| r.read.as_deref()),
            Some("A")
        );
        assert_eq!(
            found.last("y").map(|r| &r.read),
            Some(&None),
            "that it means none is a reading too"
        );
        assert!(found.by("x", "one", "w@2").is_none() && found.by("x", "three", "w@1").is_none());
        assert_eq!(
            found.judges(),
            BTreeSet::from([("one", "w@1"), ("two", "w@1")])
        );
        // A torn last line goes aside, a damaged one is passed over.
        let mut bytes = std::fs::read(path(dir.path())).unwrap();
        bytes[20] ^= 1;
        let whole = bytes.len();
        bytes.extend_from_slice(b"{\"v\":1,\"item\":");
        std::fs::write(path(dir.path()), &bytes).unwrap();
        let mut judged = Judged::open(dir.path()).unwrap();
        assert_eq!(judged.readings().damaged, [1]);
        assert!(
            judged.readings().by("x", "one", "w@1").is_none()
                && judged.readings().last("y").is_some()
        );
        assert_eq!(
            std::fs::metadata(path(dir.path())).unwrap().len(),
            whole as u64
        );
        judged.append(reading("x", "one", Some("C"))).unwrap();
        // A last line that ends in a newline was recorded: damaged, it stays.
        let mut bytes = std::fs::read(path(dir.path())).unwrap();
        let at = bytes.len() - 40;
        bytes[at] ^= 1;
        std::fs::write(path(dir.path()), &bytes).unwrap();
        assert_eq!(JudgeExtractions::of(dir.path()).unwrap().damaged.len(), 2);
        Judged::open(dir.path())
            .unwrap()
            .append(reading("x", "one", Some("C")))
            .unwrap();
        assert!(std::fs::read(path(dir.path())).unwrap().starts_with(&bytes));
        assert_eq!(
            JudgeExtractions::of(dir.path())
                .unwrap()
                .last("x")
                .and_then(|r| r.read.as_deref()),
            Some("C")
        );
    }
}
