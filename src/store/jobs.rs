//! Generation jobs in sled: what was asked for, and what failed. Pictures are in their journal; what is left to do
//! follows from the two, so nothing here has to keep step with the work.

use serde::{Deserialize, Serialize};

use super::index::{Index, key};
use benchtop_model::Result;
use benchtop_model::generation::Settings;
use benchtop_model::job::{GenerationOverrides, JobFailure, JobStatus};

/// Item numbers a value: at most 5 bytes each.
const NUMBERS_A_VALUE: usize = 900;
/// Pictures noted as being made: at most 20 bytes each.
const FLIGHTS: usize = 200;
/// Characters of a name or reason kept.
const TEXT_CHARS: usize = 300;

/// Which pictures a stored job makes. The numbers of a selection lie beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Those that are missing.
    Missing,
    /// Those of some items, chosen when it was begun.
    Items,
}

/// A job as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its number, from 1.
    pub id: u32,
    /// What it is called.
    pub name: String,
    /// Who began it.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub created: i64,
    /// Which pictures.
    pub scope: Scope,
    /// The same in words.
    pub plan: String,
    /// Samples of each picture.
    pub samples: u32,
    /// Its seed.
    pub seed: u64,
    /// With what.
    pub wishes: GenerationOverrides,
    /// The settings that the wishes came to when it first ran: a later start uses the same.
    pub settings: Option<Settings>,
    /// Pictures made together.
    pub batch: Option<u32>,
    /// At most so many pictures a minute.
    pub per_minute: Option<u32>,
    /// Its turn: smaller ones come first.
    pub turn: i64,
    /// How it stands; one that was running when the owner ended is queued when it starts.
    pub standing: JobStatus,
    /// Why it is paused or failed.
    pub reason: Option<String>,
    /// Pictures in all, when it was last worked out.
    pub of: Option<u64>,
}

/// What a job knows of a picture that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// What is shown of it; set aside once it was tried too often.
    pub failure: JobFailure,
}

/// A picture that is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// [`benchtop_model::generated_image::picture_key`].
    pub key: u64,
    /// Which sample.
    pub sample: u32,
    /// How often an owner was gone while it was made.
    pub ends: u32,
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

fn job_key(id: u32) -> Vec<u8> {
    key(b"job/", id as usize)
}

fn flight_key(id: u32) -> Vec<u8> {
    key(b"job-flight/", id as usize)
}

fn token_key(id: u32) -> Vec<u8> {
    key(b"job-token/", id as usize)
}

fn items_prefix(id: u32) -> String {
    format!("job-items/{id}/")
}

fn failed_prefix(id: u32) -> Vec<u8> {
    format!("job-failed/{id}/").into_bytes()
}

impl Index {
    /// Keeps a job, durably.
    ///
    /// # Errors
    /// The operating system's.
    pub fn keep_job(&self, job: &Job) -> Result<()> {
        let job = Job {
            name: cut(&job.name),
            plan: cut(&job.plan),
            reason: job.reason.as_deref().map(cut),
            ..job.clone()
        };
        self.put_as(&job_key(job.id), &job)?;
        self.sync()
    }

    /// Keeps which items a job is about; to be called before it is kept.
    ///
    /// # Errors
    /// The operating system's.
    pub fn keep_job_items(&self, id: u32, numbers: &[u32]) -> Result<()> {
        for (chunk, numbers) in numbers.chunks(NUMBERS_A_VALUE).enumerate() {
            self.put_as(&key(items_prefix(id).as_bytes(), chunk), &numbers)?;
        }
        Ok(())
    }

    /// Keeps the random text by which the person who began a job knows it again ([`super::trust`]); to be called before
    /// the job is kept.
    ///
    /// # Errors
    /// The operating system's.
    pub fn keep_job_token(&self, id: u32, token: Option<&str>) -> Result<()> {
        match token {
            Some(token) => self.put_as(&token_key(id), &token),
            None => self.remove_all(&token_key(id)),
        }
    }

    /// The text of [`keep_job_token`](Self::keep_job_token).
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn job_token(&self, id: u32) -> Result<Option<String>> {
        self.get_as(&token_key(id))
    }

    /// Which items a job is about.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn job_items(&self, id: u32) -> Result<Vec<u32>> {
        self.list(&items_prefix(id))
    }

    /// All jobs, by number.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn jobs(&self) -> Result<Vec<Job>> {
        self.all(b"job/")
    }

    /// Keeps a failure, durably.
    ///
    /// # Errors
    /// The operating system's.
    pub fn keep_failed(&self, id: u32, failed: &Failed) -> Result<()> {
        let mut failed = failed.clone();
        failed.failure.reason = cut(&failed.failure.reason);
        self.put_as(&failed_key(id, failed.key, failed.failure.sample), &failed)?;
        self.sync()
    }

    /// What failed of a job.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn failed(&self, id: u32) -> Result<Vec<Failed>> {
        self.all(&failed_prefix(id))
    }

    /// Forgets what failed of a job, so that it is tried again.
    ///
    /// # Errors
    /// The operating system's.
    pub fn forget_failed(&self, id: u32) -> Result<()> {
        self.remove_all(&failed_prefix(id))?;
        self.sync()
    }

    /// Notes which pictures of a job are being made, so that the next owner knows what this one may have died of. It is
    /// not synced: this is written for every batch, and a note that is lost or out of date costs one try.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_flight(&self, id: u32, flight: &[Flight]) -> Result<()> {
        let flight = &flight[..flight.len().min(FLIGHTS)];
        self.put_as(&flight_key(id), &flight)
    }

    /// Which pictures of a job were being made when the last owner ended.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn flight(&self, id: u32) -> Result<Vec<Flight>> {
        Ok(self.get_as(&flight_key(id))?.unwrap_or_default())
    }

    /// Forgets a job with all that is kept of it.
    ///
    /// # Errors
    /// The operating system's.
    pub fn forget_job(&self, id: u32) -> Result<()> {
        self.remove_all(&job_key(id))?;
        self.remove_all(&flight_key(id))?;
        self.remove_all(&token_key(id))?;
        self.remove_all(items_prefix(id).as_bytes())?;
        self.forget_failed(id)
    }
}

fn failed_key(id: u32, picture: u64, sample: u32) -> Vec<u8> {
    let mut key = failed_prefix(id);
    key.extend_from_slice(&picture.to_be_bytes());
    key.extend_from_slice(&sample.to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::generation::FailureKind;

    fn job(id: u32) -> Job {
        Job {
            id,
            name: "n".repeat(5000),
            by: "ann".into(),
            created: 7,
            scope: Scope::Items,
            plan: "status:pending".into(),
            samples: 2,
            seed: u64::MAX,
            wishes: GenerationOverrides {
                guidance: Some(7.5),
                ..GenerationOverrides::default()
            },
            settings: None,
            batch: Some(4),
            per_minute: None,
            turn: -3,
            standing: JobStatus::Paused,
            reason: Some("r".repeat(5000)),
            of: Some(9),
        }
    }

    fn failed(key: u64, sample: u32) -> Failed {
        let failure = JobFailure {
            dataset: "set".into(),
            picture: "a.png".into(),
            sample,
            number: 3,
            kind: FailureKind::Refused,
            reason: "no".repeat(4000),
            tries: 1,
        };
        Failed { key, failure }
    }

    #[test]
    fn jobs_items_and_failures_read_back_and_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store");
        let numbers: Vec<u32> = (0..10_000).map(|n| u32::MAX - n).collect();
        {
            let index = Index::open(&path).unwrap();
            index.keep_job_items(1, &numbers).unwrap();
            // Another job whose number begins alike.
            for id in [12, 1, 2] {
                index.keep_job(&job(id)).unwrap();
            }
            for (key, sample) in [(5, 2), (5, 1), (u64::MAX, 1)] {
                index.keep_failed(1, &failed(key, sample)).unwrap();
            }
            index.keep_failed(12, &failed(5, 1)).unwrap();
            let many: Vec<Flight> = (0..1000)
                .map(|n| Flight {
                    key: u64::MAX - n,
                    sample: 9,
                    ends: 1,
                })
                .collect();
            index.note_flight(1, &many).unwrap();
            index.note_flight(2, &many[..1]).unwrap();
            index.sync().unwrap();
        }
        let index = Index::open(&path).unwrap();
        let jobs = index.jobs().unwrap();
        assert_eq!(jobs.iter().map(|j| j.id).collect::<Vec<_>>(), [1, 2, 12]);
        assert_eq!((jobs[0].name.len(), jobs[0].seed), (TEXT_CHARS, u64::MAX));
        assert_eq!(index.job_items(1).unwrap(), numbers);
        assert_eq!(index.failed(1).unwrap().len(), 3);
        assert_eq!(index.flight(1).unwrap().len(), FLIGHTS);
        index.forget_job(1).unwrap();
        assert_eq!(index.jobs().unwrap().len(), 2);
        assert!(index.job_items(1).unwrap().is_empty() && index.failed(1).unwrap().is_empty());
        assert_eq!(index.failed(12).unwrap().len(), 1);
        assert!(index.flight(1).unwrap().is_empty());
        assert_eq!(
            index.flight(2).unwrap(),
            [Flight {
                key: u64::MAX,
                sample: 9,
                ends: 1
            }]
        );
    }
}
