//! What the file gives back, and what it refuses: whatever is wrong with it, the journal says the same.

use super::super::journal::{self, Journal};
use super::*;
use crate::fixtures::sample_made;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;

/// A journal in a folder, and a store beside it.
struct Here(tempfile::TempDir);

impl Here {
    fn new(pictures: u32) -> Here {
        let here = Here(tempfile::tempdir().unwrap());
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

    /// Keeps what the journal says now.
    fn keep(&self) {
        let pictures = journal::read(self.images()).unwrap().pictures;
        PictureSnapshot::of(&pictures)
            .write(&self.store(), self.images())
            .unwrap();
    }

    /// Reads with the help of the store: it must be what the journal alone says. Gives how many pictures the store had.
    fn same(&self) -> usize {
        let (alone, helped) = (
            journal::read(self.images()).unwrap(),
            journal::read_on(self.images(), &self.store()).unwrap(),
        );
        let kept = helped.pictures.kept;
        assert_eq!(said(&helped.pictures), said(&alone.pictures));
        assert_eq!(
            (helped.problems, helped.whole),
            (alone.problems, alone.whole)
        );
        kept
    }
}

/// All that pictures say.
fn said(pictures: &Pictures) -> String {
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
fn what_is_kept_and_what_follows_it_is_what_the_journal_says() {
    let here = Here::new(40);
    assert_eq!(here.same(), 0, "nothing is kept yet");
    here.keep();
    assert_eq!(here.same(), 40);
    here.append(40..50, "b");
    assert_eq!(here.same(), 40);
    // What is appended after it explains no fingerprint again.
    let pictures = journal::read_on(here.images(), &here.store())
        .unwrap()
        .pictures;
    let print = Fingerprint::default().with("model", "a");
    Journal::after(here.images(), &pictures)
        .unwrap()
        .append(&[sample_made(50)], &[print])
        .unwrap();
    assert_eq!(here.same(), 40);
    let text = std::fs::read_to_string(here.journal()).unwrap();
    assert_eq!(
        (text.matches("\"parts\"").count(), text.lines().count()),
        (2, 53)
    );
}

#[test]
fn a_torn_or_damaged_line_after_it_is_named_as_without_it() {
    let here = Here::new(40);
    here.keep();
    here.append(40..50, "a");
    let whole = std::fs::read(here.journal()).unwrap();
    std::fs::write(here.journal(), &whole[..whole.len() - 9]).unwrap();
    assert_eq!(here.same(), 40);
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
    assert_eq!(here.same(), 40);
    let mut reading = journal::read_on(here.images(), &here.store()).unwrap();
    assert_eq!(reading.problems.len(), 1);
    reading.pictures.kept = 0;
    assert!(
        reading.pictures.damaged && reading.pictures.to_keep().is_none(),
        "each opening says it again"
    );
}

#[test]
fn another_journal_is_told_apart() {
    let here = Here::new(40);
    here.keep();
    let whole = std::fs::read(here.journal()).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    let swapped = |a: usize, b: usize| {
        let mut lines = lines.clone();
        lines.swap(a, b);
        lines.concat()
    };
    // Shorter, as after a power cut; the same lines in another order at its beginning, middle and end; another one.
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
        assert_eq!(here.same(), 0, "journal {n}");
    }
    // Shorter, and longer again with other pictures.
    std::fs::write(here.journal(), lines[..30].concat()).unwrap();
    here.append(60..80, "b");
    assert_eq!(here.same(), 0);
    std::fs::write(here.journal(), &whole).unwrap();
    assert_eq!(here.same(), 40);
    std::fs::remove_file(here.journal()).unwrap();
    assert_eq!(here.same(), 0);
}

#[test]
fn no_flipped_bit_and_no_cut_gets_through() {
    let here = Here::new(12);
    here.keep();
    let path = path(&here.store());
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(here.same(), 12);
    // The last four bytes of the header stand for nothing.
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
        assert_eq!(here.same(), 0);
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
fn a_flipped_bit_of_any_older_line_is_noticed() {
    let here = Here::new(120);
    here.keep();
    let whole = std::fs::read(here.journal()).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(here.journal(), bytes).unwrap();
        assert_eq!(here.same(), 0, "byte {at}");
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
fn only_much_that_is_on_disk_is_kept() {
    let here = Here::new(LONG as u32 - 1);
    let mut pictures = journal::read(here.images()).unwrap().pictures;
    assert!(pictures.to_keep().is_none(), "too little");
    let mut journal = Journal::after(here.images(), &pictures).unwrap();
    let last = sample_made(LONG as u32);
    let at = journal.append(std::slice::from_ref(&last), &[]).unwrap();
    pictures.add(&last, at[0]);
    assert!(
        pictures.to_keep().is_none(),
        "how long its journal is was not said"
    );
    pictures.follow(&journal);
    pictures
        .to_keep()
        .unwrap()
        .write(&here.store(), here.images())
        .unwrap();
    assert!(pictures.to_keep().is_none(), "once");
    assert_eq!(here.same(), LONG);
}
