//! Tests that the snapshot agrees with the journal, whatever is wrong with it.

use super::super::journal::{self, Journal};
use super::*;
use crate::fixtures::sample_made;
use benchtop_model::ErrorKind;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;

/// A folder with a picture journal and a store.
struct TestFolder(tempfile::TempDir);

impl TestFolder {
    fn new(pictures: u32) -> TestFolder {
        let here = TestFolder(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(here.store()).unwrap();
        here.append(0..pictures, "a");
        here
    }

    fn images(&self) -> &Path {
        self.0.path()
    }

    fn store(&self) -> PathBuf {
        self.0.path().join("store")
    }

    fn journal(&self) -> PathBuf {
        self.images().join(FILE)
    }

    fn append(&self, list: std::ops::Range<u32>, model: &str) {
        let print = Fingerprint::default().with("model", model);
        let made = |n| GeneratedImage {
            fingerprint: print.short(),
            items: vec!["set/1".into(); n as usize % 3],
            ..sample_made(n)
        };
        let list: Vec<GeneratedImage> = list.map(made).collect();
        Journal::open(self.images())
            .unwrap()
            .append(&list, &[print])
            .unwrap();
    }

    /// Writes a snapshot of the present journal.
    fn snapshot(&self) {
        let pictures = journal::read(self.images()).unwrap().pictures;
        PictureSnapshot::of(&pictures)
            .write(&self.store(), self.images())
            .unwrap();
    }

    /// Checks that reading with the snapshot agrees with reading the journal alone. Returns the
    /// number of pictures from the snapshot.
    fn check(&self) -> usize {
        let (alone, helped) = (
            journal::read(self.images()).unwrap(),
            journal::read_on(self.images(), &self.store()).unwrap(),
        );
        let from_snapshot = helped.pictures.in_snapshot;
        assert_eq!(content(&helped.pictures), content(&alone.pictures));
        assert_eq!(
            (helped.problems, helped.whole),
            (alone.problems, alone.whole)
        );
        from_snapshot
    }
}

/// The content of the index as text.
fn content(pictures: &Pictures) -> String {
    let newest: std::collections::BTreeMap<_, _> = pictures.newest.iter().collect();
    let by_job: std::collections::BTreeMap<_, _> = pictures.by_job.iter().collect();
    let Pictures {
        path,
        made,
        names,
        whole,
        explained,
        damaged,
        ..
    } = pictures;
    format!("{path:?} {made:?} {newest:?} {names:?} {by_job:?} {whole:?} {explained:?} {damaged}")
}

#[test]
fn the_snapshot_and_later_lines_agree_with_the_journal() {
    let here = TestFolder::new(40);
    assert_eq!(here.check(), 0, "there is no snapshot yet");
    here.snapshot();
    assert_eq!(here.check(), 40);
    here.append(40..50, "b");
    assert_eq!(here.check(), 40);
    // Known fingerprints are not explained again.
    let pictures = journal::read_on(here.images(), &here.store())
        .unwrap()
        .pictures;
    let print = Fingerprint::default().with("model", "a");
    Journal::after(here.images(), &pictures)
        .unwrap()
        .append(&[sample_made(50)], &[print])
        .unwrap();
    assert_eq!(here.check(), 40);
    let text = std::fs::read_to_string(here.journal()).unwrap();
    assert_eq!(
        (text.matches("\"parts\"").count(), text.lines().count()),
        (2, 53)
    );
}

#[test]
fn torn_and_damaged_lines_after_the_snapshot_are_reported() {
    let here = TestFolder::new(40);
    here.snapshot();
    here.append(40..50, "a");
    let whole = std::fs::read(here.journal()).unwrap();
    std::fs::write(here.journal(), &whole[..whole.len() - 9]).unwrap();
    assert_eq!(here.check(), 40);
    assert!(
        journal::read_on(here.images(), &here.store())
            .unwrap()
            .whole
            .torn
    );
    let mut bytes = whole.clone();
    let at = whole.len() - 600;
    bytes[at] ^= 1;
    std::fs::write(here.journal(), &bytes).unwrap();
    assert_eq!(here.check(), 40);
    let mut reading = journal::read_on(here.images(), &here.store()).unwrap();
    assert_eq!(reading.problems.len(), 1);
    reading.pictures.in_snapshot = 0;
    assert!(
        reading.pictures.damaged && reading.pictures.snapshot_to_write().is_none(),
        "each opening reports the damage"
    );
}

#[test]
fn a_snapshot_of_another_journal_is_ignored() {
    let here = TestFolder::new(40);
    here.snapshot();
    let whole = std::fs::read(here.journal()).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    let swapped = |a: usize, b: usize| {
        let mut lines = lines.clone();
        lines.swap(a, b);
        lines.concat()
    };
    // A shorter journal, as after a power cut; reordered lines; an empty journal; another journal.
    let short = lines[..39].concat();
    let others = [
        short,
        swapped(1, 2),
        swapped(20, 21),
        swapped(39, 40),
        Vec::new(),
        b"{}\n".to_vec(),
    ];
    for (n, other) in others.into_iter().enumerate() {
        std::fs::write(here.journal(), other).unwrap();
        assert_eq!(here.check(), 0, "journal {n}");
    }
    // A shorter journal that grew again with other pictures.
    std::fs::write(here.journal(), lines[..30].concat()).unwrap();
    here.append(60..80, "b");
    assert_eq!(here.check(), 0);
    std::fs::write(here.journal(), &whole).unwrap();
    assert_eq!(here.check(), 40);
    std::fs::remove_file(here.journal()).unwrap();
    assert_eq!(here.check(), 0);
}

#[test]
fn every_flipped_bit_and_truncation_is_detected() {
    let here = TestFolder::new(12);
    here.snapshot();
    let path = path(&here.store());
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(here.check(), 12);
    // The last four bytes of the header are unused.
    for at in (0..whole.len()).filter(|at| !(60..64).contains(at)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).unwrap();
        assert!(read(&here.store(), here.images()).is_err(), "byte {at}");
    }
    for length in [0, 1, 63, 64, 65, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(
            read(&here.store(), here.images()).is_err(),
            "{length} bytes"
        );
        assert_eq!(here.check(), 0);
    }
    std::fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
    assert!(read(&here.store(), here.images()).is_err(), "a byte more");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        read(&here.store(), here.images()).unwrap_err().kind,
        ErrorKind::NotFound
    );
}

#[test]
fn a_flipped_bit_in_an_older_line_is_detected() {
    let here = TestFolder::new(120);
    here.snapshot();
    let whole = std::fs::read(here.journal()).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(here.journal(), bytes).unwrap();
        assert_eq!(here.check(), 0, "byte {at}");
        assert!(
            !journal::read_on(here.images(), &here.store())
                .unwrap()
                .problems
                .is_empty(),
            "byte {at}"
        );
    }
}

#[test]
fn a_snapshot_is_written_only_for_many_saved_pictures() {
    let here = TestFolder::new(REWRITE_AFTER as u32 - 1);
    let mut pictures = journal::read(here.images()).unwrap().pictures;
    assert!(pictures.snapshot_to_write().is_none(), "too few pictures");
    let mut journal = Journal::after(here.images(), &pictures).unwrap();
    let last = sample_made(REWRITE_AFTER as u32);
    let at = journal.append(std::slice::from_ref(&last), &[]).unwrap();
    pictures.add(&last, at[0]);
    assert!(
        pictures.snapshot_to_write().is_none(),
        "the length of the journal is unknown"
    );
    pictures.set_journal(&journal);
    pictures
        .snapshot_to_write()
        .unwrap()
        .write(&here.store(), here.images())
        .unwrap();
    assert!(
        pictures.snapshot_to_write().is_none(),
        "the snapshot is new"
    );
    assert_eq!(here.check(), REWRITE_AFTER);
}
