use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use benchtop_model::cancel::Cancel;
use benchtop_model::import::Progress;
use benchtop_store::open::{OpenData, open};

/// Most files that may be read ahead.
const READ_AHEAD: usize = 2 * 8 + 1;

struct Place {
    dir: tempfile::TempDir,
    project: Project,
    opened: OpenData,
}

impl Place {
    /// A project, and a folder with `files` of answers in which `line` makes each line.
    fn new(files: usize, lines: usize, line: impl Fn(usize, usize) -> String) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(&dir.path().join("p")).unwrap();
        let answers = dir.path().join("answers");
        std::fs::create_dir(&answers).unwrap();
        for file in 0..files {
            let text: String = (0..lines).map(|n| line(file, n) + "\n").collect();
            std::fs::write(answers.join(format!("m{file:03}.jsonl")), text).unwrap();
        }
        let opened = open(&project).unwrap();
        Place {
            dir,
            project,
            opened,
        }
    }

    fn import(&self, keep_going: bool, watch: ProgressSink<'_>) -> Result<Outcome> {
        let ask = ImportRequest {
            paths: vec![self.dir.path().join("answers")],
            keep_going,
            ..ImportRequest::default()
        };
        let index = self.opened.index.get().unwrap();
        import(
            &self.project,
            index,
            &self.opened.catalog,
            &ask,
            "2026-01-01T00:00:00Z",
            watch,
        )
    }

    /// Number of temporary segments.
    fn unfinished(&self) -> usize {
        let files = std::fs::read_dir(self.project.imports()).unwrap();
        let names = files.map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|n| n.starts_with(".tmp-")).count()
    }
}

fn answer(_: usize, n: usize) -> String {
    format!("{{\"question_id\": {n}, \"output\": \"yes\"}}")
}

#[test]
fn few_files_are_read_ahead_of_a_large_one() {
    let place = Place::new(80, 3, answer);
    let large: String = (0..30_000).map(|n| answer(0, n) + "\n").collect();
    std::fs::write(place.dir.path().join("answers/m000.jsonl"), large).unwrap();
    let most = AtomicUsize::new(0);
    let tell = |_: Progress| {
        most.fetch_max(place.unfinished(), Ordering::Relaxed);
    };
    let done = place
        .import(false, ProgressSink::new(&tell, Cancel::NEVER))
        .unwrap();
    assert_eq!(done.report.predictions, 30_000 + 79 * 3);
    let files: Vec<_> = done.report.files.iter().map(|f| f.path.clone()).collect();
    assert!(files.is_sorted() && files.len() == 80, "{files:?}");
    let most = most.into_inner();
    assert!(most <= READ_AHEAD, "{most} files at once");
}

#[test]
fn no_further_files_are_read_after_an_error() {
    let place = Place::new(200, 2, answer);
    let good = answer(0, 0);
    let first = place.dir.path().join("answers/m000.jsonl");
    std::fs::write(&first, format!("{good}\n{{\"question_id\": 1}}\n")).unwrap();
    let reports = Mutex::new(0);
    let tell = |_: Progress| *reports.lock().unwrap() += 1;
    let problem = place
        .import(false, ProgressSink::new(&tell, Cancel::NEVER))
        .err()
        .unwrap();
    assert_eq!(
        (problem.kind, problem.place.line),
        (ErrorKind::Input, Some(2))
    );
    assert!(problem.help.unwrap().contains("--keep-going"));
    let reports = reports.into_inner().unwrap();
    assert!(reports <= 4 * READ_AHEAD, "{reports} files were read");
    assert_eq!(place.unfinished(), 0);
}

#[test]
fn skipped_records_are_counted_and_only_some_are_listed() {
    let bad = |_: usize, n: usize| match n % 3 {
        0 => answer(0, n),
        _ => format!("{{\"question_id\": {n}}}"),
    };
    let place = Place::new(3, 900, bad);
    let report = place.import(true, ProgressSink::NONE).unwrap().report;
    assert_eq!(report.predictions, 900);
    assert_eq!(
        (report.skipped.len(), report.skipped_more),
        (LISTED, 1800 - LISTED as u64)
    );
    let first: Vec<_> = report.skipped.iter().map(|p| p.place.line).collect();
    assert_eq!(first[..3], [Some(2), Some(3), Some(5)]);
}

#[test]
fn progress_of_files_read_in_parallel_only_grows() {
    let place = Place::new(4, 3 * STEP as usize, answer);
    let told = Mutex::new(Vec::new());
    let tell = |p: Progress| told.lock().unwrap().push((p.what, p.done));
    place
        .import(false, ProgressSink::new(&tell, Cancel::NEVER))
        .unwrap();
    let told = told.into_inner().unwrap();
    let steps: BTreeSet<&str> = told.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(steps, BTreeSet::from(["answers", "saving"]));
    let done: Vec<u64> = told
        .iter()
        .filter(|(what, _)| what == "answers")
        .map(|(_, done)| *done)
        .collect();
    assert!(done.is_sorted(), "{done:?}");
    assert_eq!(done.last(), Some(&(12 * STEP)));
}

#[test]
fn a_canceled_import_stops_while_it_hashes() {
    let place = Place::new(1, 1, answer);
    let path = place.dir.path().join("answers/m000.jsonl");
    let problem = hash_file(&path, Cancel::when(&|| true)).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Cancelled);
    assert_eq!(
        hash_file(&path, Cancel::NEVER).unwrap(),
        blake3::hash(&std::fs::read(&path).unwrap())
            .to_hex()
            .to_string()
    );
}
