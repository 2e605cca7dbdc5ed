//! The pictures that a scenario job makes, and which it has made: `jobs/NNNN.jsonl`.
//!
//! The first lines are the plan: each picture with its items and parameters. It is written once, so
//! that an interrupted job makes what an uninterrupted one makes, whatever happens to the items
//! meanwhile. After it, a line follows each picture that is on disk, and each failure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::append_log::{AppendLog, ValidPrefix};
use crate::checksummed_line;
use benchtop_files::regular;
use benchtop_model::generation::Failure;
use benchtop_model::{Error, Result};

/// A picture to derive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedPicture {
    /// The items that get it: number, and digest when it was planned.
    pub items: Vec<(u32, String)>,
    /// BLAKE3 hash of the source picture.
    pub picture: String,
    /// Tells several pictures of one source apart; empty for the only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
    /// Parameters of the method, in its order, with the seed.
    pub parameters: Map<String, Value>,
}

/// A picture that is on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MadePicture {
    /// BLAKE3 hash of its file.
    pub hash: String,
    /// What the method found out while it made the picture, as further parameters.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub found: Map<String, Value>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Line {
    /// A plan begins. An earlier one was not finished.
    Plan,
    Picture {
        n: usize,
        #[serde(flatten)]
        planned: PlannedPicture,
    },
    /// The plan has so many pictures.
    Planned { pictures: usize },
    Made {
        n: usize,
        #[serde(flatten)]
        made: MadePicture,
    },
    Failed {
        n: usize,
        #[serde(flatten)]
        failure: Failure,
    },
    /// Earlier failures are tried again.
    Retry,
}

/// The plan and the progress of a job, and their file.
#[derive(Debug)]
pub struct DerivedPictures {
    log: AppendLog,
    /// All pictures; `None` before they are planned.
    pub planned: Option<Vec<PlannedPicture>>,
    /// Pictures on disk, by position in the plan.
    pub made: BTreeMap<usize, MadePicture>,
    /// Failures, by position in the plan.
    pub failed: BTreeMap<usize, Failure>,
    /// Numbers of damaged lines, from 1.
    pub damaged: Vec<u64>,
}

impl DerivedPictures {
    /// Opens the file of job `id`, and creates it if there is none.
    ///
    /// # Errors
    /// [`Error::corrupt`] if a part of the plan is lost, and errors of reading.
    pub fn open(root: &Path, id: u32) -> Result<DerivedPictures> {
        let path = path(root, id);
        let bytes = regular::read_if_there(&path, u64::MAX)?.unwrap_or_default();
        let (mut progress, whole) = Progress::read(&bytes);
        let log = AppendLog::open(&path, whole)?;
        let planned = progress.plan().map_err(|problem| problem.file(&path))?;
        Ok(DerivedPictures {
            log,
            planned,
            made: progress.made,
            failed: progress.failed,
            damaged: progress.damaged,
        })
    }

    /// The failures of job `id`, with the pictures. Nothing is created.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn failures(root: &Path, id: u32) -> Result<Vec<(PlannedPicture, Failure)>> {
        let bytes = regular::read_if_there(&path(root, id), u64::MAX)?.unwrap_or_default();
        let (mut progress, _) = Progress::read(&bytes);
        let planned = progress.plan()?.unwrap_or_default();
        let failed = progress.failed.into_iter();
        Ok(failed
            .filter_map(|(n, failure)| Some((planned.get(n)?.clone(), failure)))
            .collect())
    }

    /// Writes the plan. When this returns, it is on disk.
    ///
    /// # Errors
    /// If a write fails. Then there is no plan.
    pub fn plan(&mut self, pictures: Vec<PlannedPicture>) -> Result<()> {
        let mut lines = Vec::new();
        checksummed_line::encode(&Line::Plan, &mut lines)?;
        for (n, planned) in pictures.iter().cloned().enumerate() {
            checksummed_line::encode(&Line::Picture { n, planned }, &mut lines)?;
        }
        let end = Line::Planned {
            pictures: pictures.len(),
        };
        checksummed_line::encode(&end, &mut lines)?;
        self.log.append(&lines, "cannot save the plan")?;
        self.planned = Some(pictures);
        Ok(())
    }

    /// Records what became of pictures; the last record of a picture counts. When this returns, it is
    /// on disk.
    ///
    /// # Errors
    /// If a write fails. Then none of it is recorded.
    pub fn record(
        &mut self,
        results: Vec<(usize, std::result::Result<MadePicture, Failure>)>,
    ) -> Result<()> {
        let mut lines = Vec::new();
        for (n, result) in results.iter().cloned() {
            let line = match result {
                Ok(made) => Line::Made { n, made },
                Err(failure) => Line::Failed { n, failure },
            };
            checksummed_line::encode(&line, &mut lines)?;
        }
        self.log.append(&lines, "cannot save the progress")?;
        for (n, result) in results {
            match result {
                Ok(made) => {
                    self.failed.remove(&n);
                    self.made.insert(n, made);
                }
                Err(failure) => {
                    self.made.remove(&n);
                    self.failed.insert(n, failure);
                }
            }
        }
        Ok(())
    }

    /// Clears the failures, so that the pictures are tried again.
    ///
    /// # Errors
    /// If a write fails. Then nothing is cleared.
    pub fn retry(&mut self) -> Result<()> {
        if self.failed.is_empty() {
            return Ok(());
        }
        let mut line = Vec::new();
        checksummed_line::encode(&Line::Retry, &mut line)?;
        self.log.append(&line, "cannot save the progress")?;
        self.failed.clear();
        Ok(())
    }

    /// Positions of the pictures that are neither made nor failed, in order.
    pub fn left(&self) -> Vec<usize> {
        let all = self.planned.as_ref().map_or(0, Vec::len);
        let is_left = |n: &usize| !self.made.contains_key(n) && !self.failed.contains_key(n);
        (0..all).filter(is_left).collect()
    }
}

fn path(root: &Path, id: u32) -> PathBuf {
    super::path(root, super::SCENARIO, id, "jsonl")
}

/// What the lines say.
#[derive(Default)]
struct Progress {
    pictures: BTreeMap<usize, PlannedPicture>,
    /// Size of the finished plan.
    size: Option<usize>,
    made: BTreeMap<usize, MadePicture>,
    failed: BTreeMap<usize, Failure>,
    damaged: Vec<u64>,
}

impl Progress {
    fn read(bytes: &[u8]) -> (Progress, ValidPrefix) {
        let mut all = Progress::default();
        let torn = checksummed_line::each::<Line>(bytes, &mut |_, number, line| match line {
            Ok(Line::Plan) => {
                all = Progress {
                    damaged: std::mem::take(&mut all.damaged),
                    ..Progress::default()
                };
            }
            Ok(Line::Picture { n, planned }) => drop(all.pictures.insert(n, planned)),
            Ok(Line::Planned { pictures }) => all.size = Some(pictures),
            Ok(Line::Made { n, made }) => {
                all.failed.remove(&n);
                all.made.insert(n, made);
            }
            Ok(Line::Failed { n, failure }) => {
                all.made.remove(&n);
                all.failed.insert(n, failure);
            }
            Ok(Line::Retry) => all.failed.clear(),
            Err(_) => all.damaged.push(number),
        });
        (all, ValidPrefix::new(bytes.len() as u64, torn))
    }

    /// The finished plan.
    fn plan(&mut self) -> Result<Option<Vec<PlannedPicture>>> {
        let Some(size) = self.size else {
            return Ok(None);
        };
        let pictures = std::mem::take(&mut self.pictures);
        let is_whole = pictures.len() == size && pictures.keys().copied().eq(0..size);
        if !is_whole {
            let what = format!(
                "{} of {size} pictures of the plan are lost",
                size.saturating_sub(pictures.len())
            );
            let help = "cancel the job and start it again; what it has made is kept";
            return Err(Error::corrupt(what).help(help));
        }
        self.made.retain(|n, _| *n < size);
        self.failed.retain(|n, _| *n < size);
        Ok(Some(pictures.into_values().collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use benchtop_model::generation::FailureKind;
    use serde_json::json;

    use super::*;

    fn planned(n: u32) -> PlannedPicture {
        PlannedPicture {
            items: vec![(n, "0a0b0c0d".into())],
            picture: "0a".repeat(32),
            suffix: String::new(),
            parameters: json!({"corruption": "jpeg", "severity": n, "seed": u64::MAX})
                .as_object()
                .unwrap()
                .clone(),
        }
    }

    fn made(hash: &str) -> MadePicture {
        MadePicture {
            hash: hash.into(),
            found: Map::new(),
        }
    }

    #[test]
    fn the_plan_and_the_progress_are_read_back() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("jobs")).unwrap();
        let mut job = DerivedPictures::open(dir.path(), 7).unwrap();
        assert!(job.planned.is_none() && job.left().is_empty());
        job.plan(vec![planned(1), planned(2), planned(3)]).unwrap();
        let failure = Failure::new(FailureKind::Input, "no letter");
        job.record(vec![(0, Ok(made("aa"))), (2, Err(failure.clone()))])
            .unwrap();
        assert_eq!(job.left(), [1]);
        drop(job);
        let mut job = DerivedPictures::open(dir.path(), 7).unwrap();
        assert_eq!(job.planned.as_ref().unwrap()[2], planned(3));
        assert_eq!((job.left(), &job.made[&0]), (vec![1], &made("aa")));
        assert_eq!(
            DerivedPictures::failures(dir.path(), 7).unwrap(),
            [(planned(3), failure)]
        );
        job.retry().unwrap();
        assert_eq!(job.left(), [1, 2]);
        drop(job);
        assert_eq!(DerivedPictures::open(dir.path(), 7).unwrap().left(), [1, 2]);
    }

    #[test]
    fn a_plan_that_was_cut_off_is_planned_again_and_a_damaged_one_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("jobs")).unwrap();
        let file = path(dir.path(), 7);
        let mut job = DerivedPictures::open(dir.path(), 7).unwrap();
        job.plan(vec![planned(1), planned(2)]).unwrap();
        let whole = fs::read(&file).unwrap();
        for cut in 0..whole.len() {
            fs::write(&file, &whole[..cut]).unwrap();
            let mut job = DerivedPictures::open(dir.path(), 7).unwrap();
            assert!(job.planned.is_none(), "{cut}");
            job.plan(vec![planned(5)]).unwrap();
            drop(job);
            let job = DerivedPictures::open(dir.path(), 7).unwrap();
            assert_eq!(job.planned, Some(vec![planned(5)]), "{cut}");
        }
        let mut damaged = whole.clone();
        let second = whole.iter().position(|b| *b == b'\n').unwrap() + 10;
        damaged[second] ^= 1;
        fs::write(&file, &damaged).unwrap();
        let problem = DerivedPictures::open(dir.path(), 7).unwrap_err();
        assert!(problem.what.starts_with("1 of 2 pictures"), "{problem}");
    }
}
