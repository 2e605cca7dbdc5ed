//! What a generation job stores.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FailureLog, GENERATION, StoredJob, corrupt, cut, path};
use crate::index::{Index, key};
use benchtop_model::generation::Settings;
use benchtop_model::job::{GenerationOverrides, JobFailure};
use benchtop_model::{Error, Result};

/// Maximum number of pictures in progress. Each has at most 20 bytes.
pub(super) const FLIGHTS: usize = 200;

/// The pictures of a job. The numbers of a selection are in a separate file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// All missing pictures.
    Missing,
    /// The pictures of items that were selected when the job started.
    Items,
}

/// The fields of a generation job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    pub name: String,
    pub scope: Scope,
    /// Description of the scope.
    pub plan: String,
    /// Samples per picture.
    pub samples: u32,
    pub seed: u64,
    /// Overrides of the generation settings.
    pub wishes: GenerationOverrides,
    /// The settings after the overrides, fixed at the first start.
    pub settings: Option<Settings>,
    /// Pictures per batch.
    pub batch: Option<u32>,
    /// Maximum number of pictures per minute.
    pub per_minute: Option<u32>,
    /// Total number of pictures at the last count.
    pub of: Option<u64>,
}

impl Generation {
    /// With texts of limited length.
    pub fn short(&self) -> Generation {
        Generation {
            name: cut(&self.name),
            plan: cut(&self.plan),
            ..self.clone()
        }
    }
}

/// A generation job with its other files.
#[derive(Debug)]
pub struct GenerationFiles {
    pub spec: Generation,
    /// The numbers of its items. Empty for a job of missing pictures.
    pub numbers: Vec<u32>,
    /// The failed pictures.
    pub failures: FailureLog,
}

impl GenerationFiles {
    /// Reads the files of a job. The second part is a problem that does not affect the job.
    ///
    /// # Errors
    /// [`Corrupt`](benchtop_model::ErrorKind::Corrupt).
    pub fn read(root: &Path, stored: &StoredJob) -> Result<(GenerationFiles, Option<Error>)> {
        let (spec, id) = (stored.spec::<Generation>()?, stored.header.id);
        let numbers = match spec.scope {
            Scope::Missing => None,
            Scope::Items => super::numbers(root, GENERATION, id)?
                .ok_or_else(|| {
                    corrupt("its list of items is missing".into()).file(path(
                        root,
                        GENERATION,
                        id,
                        "items.json",
                    ))
                })?
                .into(),
        };
        let failures = FailureLog::open(root, id)?;
        let damaged = &failures.damaged;
        let problem = (!damaged.is_empty()).then(|| {
            corrupt(format!("{} lines are damaged: {damaged:?}", damaged.len()))
                .file(path(root, GENERATION, id, "failed.jsonl"))
                .help("the pictures of these lines will be tried again")
        });
        let files = GenerationFiles {
            spec,
            numbers: numbers.unwrap_or_default(),
            failures,
        };
        Ok((files, problem))
    }
}

/// A picture that a job failed to generate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPicture {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// The failure. The picture is not tried again after the maximum number of tries.
    pub failure: JobFailure,
}

/// A picture in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureInProgress {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    pub sample: u32,
    /// Number of times the owner died while it was in progress.
    pub ends: u32,
}

fn flight_key(id: u32) -> Vec<u8> {
    key(b"job-flight/", id as usize)
}

impl Index {
    /// Records the pictures of a job in progress, so that the next owner knows which picture this
    /// one may have died of. The record is written for every batch and is not synced. A lost or
    /// outdated record costs one try.
    pub fn note_flight(&self, id: u32, flight: &[PictureInProgress]) -> Result<()> {
        let flight = &flight[..flight.len().min(FLIGHTS)];
        self.put_as(&flight_key(id), &flight)
    }

    /// Pictures of a job that were in progress when the last owner exited.
    ///
    /// # Errors
    /// [`Corrupt`](benchtop_model::ErrorKind::Corrupt).
    pub fn flight(&self, id: u32) -> Result<Vec<PictureInProgress>> {
        Ok(self.get_as(&flight_key(id))?.unwrap_or_default())
    }

    /// Removes the record of the pictures in progress.
    pub fn forget_flight(&self, id: u32) -> Result<()> {
        self.remove_all(&flight_key(id))
    }
}
