use super::*;
use crate::jobs::{self, JobHeader, RUN};
use benchtop_model::evaluation::{OptionOrders, Wording};
use benchtop_model::generation::FailureKind;

pub(crate) fn run(id: u32) -> Run {
    let new = NewRun {
        model: "m".into(),
        name: None,
        servers: Vec::new(),
        filter: String::new(),
        sample: None,
        seed: 1,
        blind: false,
        orders: OptionOrders::AsIs,
        wording: Wording::Paper,
        max_tokens: 64,
        tries: 3,
        prices: (0, 0),
        dry: false,
        drafts: false,
    };
    Run {
        id,
        label: "m".into(),
        by: "ann".into(),
        created: 7,
        new,
        instruction: "paper".into(),
        items: 3,
        asks: 3,
        counts: Counts::default(),
        drafts: 0,
        again: false,
    }
}

/// Writes the job file of a run.
fn create(root: &Path, run: &Run, numbers: Option<&[u32]>) -> Result<()> {
    let header = JobHeader {
        id: run.id,
        kind: RUN.into(),
        by: run.by.clone(),
        created: run.created,
        ..JobHeader::default()
    };
    jobs::create(root, &header, &serde_json::to_value(run).unwrap(), numbers)
}

fn list(root: &Path) -> Vec<Run> {
    let (stored, _) = jobs::list(root);
    stored.iter().map(|job| job.spec().unwrap()).collect()
}

fn answer(number: u32, text: &str) -> Line {
    let answer = RunAnswer {
        output: text.into(),
        shown: vec![1, 0],
        instruction: "dysca@1".into(),
        finish: Finish::Length,
        usage: Some(Usage {
            prompt: 5,
            completion: 2,
        }),
        ..RunAnswer::default()
    };
    Line::Answer {
        item: format!("set/{number}"),
        asked: RunQuestion { number, order: 2 },
        answer,
        at: "now".into(),
    }
}

fn failed(number: u32) -> Line {
    let failure = Failure {
        kind: FailureKind::Transport,
        reason: "the line broke".into(),
    };
    Line::Failed {
        item: format!("set/{number}"),
        asked: RunQuestion { number, order: 2 },
        failure,
    }
}

#[test]
fn runs_round_trip_and_remove_deletes_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    assert!(list(root).is_empty());
    create(root, &run(12), None).unwrap();
    create(root, &run(2), Some(&[3, 1])).unwrap();
    std::fs::write(folder(root).join("0003.json"), "{}").unwrap();
    std::fs::copy(
        folder(root).join("0002.json"),
        folder(root).join("0004.json"),
    )
    .unwrap();
    assert_eq!(list(root), [run(2), run(12)]);
    assert_eq!(jobs::list(root).1.len(), 2);
    let numbers = |id| jobs::numbers(root, RUN, id).unwrap();
    assert_eq!((numbers(2), numbers(12)), (Some(vec![3, 1]), None));
    Journal::open(root, 2, ValidPrefix::default())
        .unwrap()
        .append(&[answer(1, "x")])
        .unwrap();
    jobs::remove(root, RUN, 2).unwrap();
    assert_eq!(list(root), [run(12)]);
    assert!(progress(root, 2).unwrap().0.answered.is_empty());
}

#[test]
fn a_damaged_last_answer_stays_and_torn_tails_are_removed_with_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    create(root, &run(1), None).unwrap();
    let file = folder(root).join("0001.jsonl");
    Journal::open(root, 1, ValidPrefix::default())
        .unwrap()
        .append(&[answer(1, "A"), answer(2, "B")])
        .unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 1;
    std::fs::write(&file, [&bytes[..], b"{\"is\":"].concat()).unwrap();
    let (found, whole) = progress(root, 1).unwrap();
    assert_eq!((found.answered.len(), found.damaged), (1, vec![2]));
    Journal::open(root, 1, whole)
        .unwrap()
        .append(&[answer(3, "C")])
        .unwrap();
    assert!(std::fs::read(&file).unwrap().starts_with(&bytes));
    assert!(folder(root).join("0001.jsonl.torn-1").exists());
    jobs::remove(root, RUN, 1).unwrap();
    assert_eq!(std::fs::read_dir(folder(root)).unwrap().count(), 0);
}

#[test]
fn a_torn_line_does_not_count_and_retry_clears_failures() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    create(root, &run(1), None).unwrap();
    let mut journal = Journal::open(root, 1, ValidPrefix::default()).unwrap();
    journal
        .append(&[
            failed(1),
            failed(2),
            Line::Retry { at: "now".into() },
            answer(1, "B"),
            failed(3),
        ])
        .unwrap();
    journal
        .append(&[answer(1, "again"), answer(2, " "), failed(2)])
        .unwrap();
    drop(journal);
    let file = folder(root).join("0001.jsonl");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&bytes[..], b"{\"is\":\"ans"].concat()).unwrap();
    let (found, whole) = progress(root, 1).unwrap();
    assert_eq!((whole.length, whole.torn), (bytes.len() as u64, true));
    assert_eq!(found.answered.len(), 2);
    assert_eq!(
        found.failed.keys().map(|a| a.number).collect::<Vec<_>>(),
        [3]
    );
    let Counts {
        done,
        failed,
        truncated,
        empty,
        usage,
        ..
    } = found.counts;
    assert_eq!(
        (done, failed, truncated, empty, usage.prompt),
        (2, 1, 2, 1, 10)
    );
    Journal::open(root, 1, whole)
        .unwrap()
        .append(&[answer(3, "C")])
        .unwrap();
    let mut lines = Vec::new();
    let (damaged, whole) = read(root, 1, &mut |line| {
        lines.push(line);
        Ok(())
    })
    .unwrap();
    assert_eq!((damaged, whole.torn, lines.len()), (vec![], false, 9));
    assert_eq!(lines[8], answer(3, "C"));
}
