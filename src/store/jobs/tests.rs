use super::generation::FLIGHTS;
use super::migrate::Indexed;
use super::*;
use crate::index::Index;
use benchtop_model::ErrorKind;
use benchtop_model::generation::FailureKind;
use benchtop_model::job::{GenerationOverrides, JobFailure};

pub fn job(id: u32) -> Indexed {
    Indexed {
        id,
        name: "n".repeat(5000),
        by: "ann".into(),
        created: 7,
        scope: Scope::Items,
        plan: "status:pending".into(),
        samples: 2,
        seed: u64::MAX,
        wishes: GenerationOverrides {
            guidance: Some(7.3),
            size: Some((64, 128)),
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

pub fn failed(key: u64, sample: u32) -> FailedPicture {
    let failure = JobFailure {
        dataset: "set".into(),
        picture: "a.png".into(),
        sample,
        number: 3,
        kind: FailureKind::Refused,
        reason: "no".repeat(4000),
        tries: 1,
    };
    FailedPicture { key, failure }
}

fn ids(root: &Path) -> Vec<u32> {
    let (jobs, problems) = list(root);
    assert!(problems.is_empty(), "{problems:?}");
    jobs.iter().map(|stored| stored.header.id).collect()
}

fn create(root: &Path, job: &Indexed, token: Option<&str>, numbers: &[u32]) -> Result<()> {
    job.create(root, token.map(str::to_string), numbers, &[])
}

fn one(root: &Path, id: u32) -> (JobHeader, GenerationFiles) {
    let (jobs, _) = list(root);
    let found = jobs.into_iter().find(|stored| stored.header.id == id);
    let stored = found.unwrap();
    let files = GenerationFiles::read(root, &stored).unwrap().0;
    (stored.header, files)
}

#[test]
fn jobs_round_trip_and_remove_deletes_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    assert_eq!(ids(root), [0; 0]);
    let numbers: Vec<u32> = (0..10_000).map(|n| u32::MAX - n).collect();
    // A job whose number has the same first digit.
    for id in [12, 1, 2] {
        create(root, &job(id), Some("token"), &numbers).unwrap();
    }
    let all = [failed(5, 2), failed(5, 1), failed(u64::MAX, 1)];
    one(root, 1).1.failures.append(&all).unwrap();
    one(root, 12).1.failures.append(&all[..1]).unwrap();
    let missing = Indexed {
        scope: Scope::Missing,
        ..job(3)
    };
    create(root, &missing, None, &[]).unwrap();
    assert_eq!(ids(root), [1, 2, 3, 12]);
    let (header, read) = one(root, 1);
    let cut = Indexed {
        name: "n".repeat(TEXT_CHARS),
        reason: Some("r".repeat(TEXT_CHARS)),
        ..job(1)
    };
    assert_eq!(read.spec, cut.spec());
    assert_eq!(header, cut.header(Some("token".into())));
    assert_eq!((read.numbers, read.failures.failed.len()), (numbers, 3));
    assert_eq!(
        read.failures.failed[&(u64::MAX, 1)].failure.reason.len(),
        TEXT_CHARS
    );
    assert_eq!(
        (one(root, 3).0.token, one(root, 3).1.numbers.len()),
        (None, 0)
    );
    remove(root, GENERATION, 1).unwrap();
    assert_eq!(ids(root), [2, 3, 12]);
    assert_eq!(one(root, 12).1.failures.failed.len(), 1);
    // A new job with the same number does not inherit old files.
    create(root, &job(1), None, &[7]).unwrap();
    assert_eq!(
        (one(root, 1).1.numbers, one(root, 1).1.failures.failed.len()),
        (vec![7], 0)
    );
}

#[test]
fn retry_clears_failures() {
    let dir = tempfile::tempdir().unwrap();
    create(dir.path(), &job(1), None, &[1]).unwrap();
    let mut log = one(dir.path(), 1).1.failures;
    log.append(&[failed(5, 1), failed(6, 1)]).unwrap();
    log.retry().unwrap();
    log.append(&[failed(6, 1)]).unwrap();
    assert_eq!(log.failed.keys().collect::<Vec<_>>(), [&(6, 1)]);
    assert_eq!(
        one(dir.path(), 1)
            .1
            .failures
            .failed
            .keys()
            .collect::<Vec<_>>(),
        [&(6, 1)]
    );
    // A file that was replaced, as by `git checkout`, is reopened.
    let path = path(dir.path(), GENERATION, 1, "failed.jsonl");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    assert!(log.append(&[failed(7, 1)]).is_err());
    log.append(&[failed(7, 1)]).unwrap();
    assert_eq!(one(dir.path(), 1).1.failures.failed.len(), 2);
}

#[test]
fn a_damaged_file_is_reported_and_other_jobs_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for id in 1..=4 {
        create(root, &job(id), None, &[1]).unwrap();
    }
    one(root, 4)
        .1
        .failures
        .append(&[failed(5, 1), failed(6, 1)])
        .unwrap();
    let damage = |name: &str, change: fn(&str) -> String| {
        let path = folder(root).join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, change(&text)).unwrap();
    };
    damage("0001.json", |text| text.replace("ann", "bob"));
    damage("0002.json", |text| text[..40].into());
    damage("0003.items.json", |_| "{}".into());
    damage("0004.failed.jsonl", |text| {
        text.replacen("a.png", "b.png", 1)
    });
    let (jobs, mut problems) = list(root);
    let mut read = Vec::new();
    for stored in &jobs {
        match GenerationFiles::read(root, stored) {
            Ok((files, problem)) => {
                read.push((stored.header.id, stored.header.by.clone(), files));
                problems.extend(problem);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let ids: Vec<u32> = read.iter().map(|(id, ..)| *id).collect();
    assert_eq!((ids, read[0].1.as_str()), (vec![1, 4], "bob"));
    assert_eq!(read[1].2.failures.failed.len(), 1);
    let mut files: Vec<String> = problems
        .iter()
        .map(|p| {
            p.place
                .file
                .as_ref()
                .unwrap()
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "0001.json",
            "0002.json",
            "0003.items.json",
            "0004.failed.jsonl"
        ]
    );
    assert!(problems.iter().all(|p| p.kind == ErrorKind::Corrupt));
}

#[test]
fn pictures_in_progress_are_limited_and_separate_by_job() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(&dir.path().join("store")).unwrap();
    let flight = |n| PictureInProgress {
        key: u64::MAX - n,
        sample: 9,
        ends: 1,
    };
    let many: Vec<PictureInProgress> = (0..1000).map(flight).collect();
    index.note_flight(1, &many).unwrap();
    index.note_flight(2, &many[..1]).unwrap();
    assert_eq!(index.flight(1).unwrap().len(), FLIGHTS);
    index.forget_flight(1).unwrap();
    assert!(index.flight(1).unwrap().is_empty());
    assert_eq!(index.flight(2).unwrap(), [flight(0)]);
}

#[test]
fn jobs_of_the_index_are_converted_once() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let index = Index::open(&root.join("store")).unwrap();
    let numbers: Vec<u32> = (1..=2000).collect();
    let plant = |id: u32, created: i64| {
        let job = Indexed { created, ..job(id) };
        migrate::plant(
            &index,
            &job,
            "token",
            &numbers,
            &[failed(5, 1), failed(5, 2)],
        );
    };
    let names = || {
        let mut names: Vec<_> = disk::list(&folder(root))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    };
    for id in [1, 2, 12] {
        plant(id, i64::from(id));
    }
    // Interrupt after every step, and continue.
    let mut rounds = 0;
    loop {
        rounds += 1;
        let mut left = 1;
        let stop = || {
            left -= 1;
            if left < 0 {
                Err(Error::input("cut off"))
            } else {
                Ok(())
            }
        };
        match take_over(&index, root, &mut { stop }) {
            Ok(_) => break,
            Err(problem) => assert_eq!(problem.what, "cut off"),
        }
        assert!(rounds < 20);
    }
    assert!(rounds > 3, "{rounds}");
    assert_eq!(ids(root), [1, 2, 12]);
    for id in [1, 2, 12] {
        let (header, read) = one(root, id);
        assert_eq!(
            (header.created, header.token.as_deref()),
            (i64::from(id), Some("token"))
        );
        assert_eq!(
            (read.numbers, read.failures.failed.len()),
            (numbers.clone(), 2)
        );
    }
    let before = names();
    assert_eq!(take_over(&index, root, &mut || Ok(())).unwrap(), 0);
    assert_eq!(names(), before);
    // An earlier version ran again. Its job 1 is a new job. Its job 2 is the same, and its file has
    // changed since.
    let changed = Indexed {
        standing: JobStatus::Done,
        created: 2,
        ..job(2)
    };
    let spec = serde_json::to_value(changed.spec()).unwrap();
    write_state(root, &changed.header(None), &spec).unwrap();
    plant(1, 77);
    plant(2, 2);
    assert_eq!(take_over(&index, root, &mut || Ok(())).unwrap(), 1);
    assert_eq!(ids(root), [1, 2, 12, 13]);
    assert_eq!((one(root, 1).0.created, one(root, 13).0.created), (1, 77));
    assert_eq!(one(root, 2).0.standing, JobStatus::Done);
}
