use std::collections::BTreeMap;

use super::*;

fn about(model: &str) -> ScorerVersion {
    let print = Fingerprint {
        parts: BTreeMap::from([("model".into(), model.into())]),
    };
    ScorerVersion::new(Scorer::Clip, model.into(), &print, 100.0)
}

fn file(scores: &Path, ext: &str) -> PathBuf {
    folder_of(scores, &Scorer::Clip).join(format!("{}.{ext}", about("a").short()))
}

#[test]
fn scores_round_trip_by_version_and_the_last_row_counts() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        Scores::current(dir.path(), &Scorer::Clip)
            .unwrap()
            .is_none()
    );
    let mut scores = Scores::make_current(dir.path(), about("a")).unwrap();
    scores
        .append(&[
            (1, Score::scored(0.25, "{\"parts\":2}")),
            (2, Score::without_number(ScoreState::Failed, "")),
        ])
        .unwrap();
    scores.append(&[(2, Score::scored(0.5, ""))]).unwrap();
    drop(scores);
    let again = Scores::current(dir.path(), &Scorer::Clip).unwrap().unwrap();
    assert_eq!(
        (again.len(), again.get(1), again.get(3)),
        (2, (ScoreState::Scored, 0.25), (ScoreState::Missing, 0.0))
    );
    assert_eq!(
        again.score(1).unwrap(),
        Score::scored(0.25, "{\"parts\":2}")
    );
    assert_eq!(again.score(2).unwrap(), Score::scored(0.5, ""));
    assert!(
        Scores::make_current(dir.path(), about("b"))
            .unwrap()
            .is_empty(),
        "another version has its own scores"
    );
    assert_eq!(
        Scores::current(dir.path(), &Scorer::Clip)
            .unwrap()
            .unwrap()
            .about
            .name,
        "b"
    );
    assert_eq!(
        Scores::make_current(dir.path(), about("a")).unwrap().len(),
        2,
        "the scores of the first version stay"
    );
    let judge = Scorer::Judge("v1-add".into());
    Scores::make_current(
        dir.path(),
        ScorerVersion {
            scorer: judge.clone(),
            ..about("a")
        },
    )
    .unwrap();
    assert_eq!(scorers(dir.path()), [Scorer::Clip, judge]);
}

#[test]
fn a_torn_end_and_a_damaged_row_lose_only_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let mut scores = Scores::make_current(dir.path(), about("a")).unwrap();
    scores
        .append(&[
            (1, Score::scored(1.0, "")),
            (2, Score::scored(2.0, "")),
            (3, Score::scored(3.0, "")),
        ])
        .unwrap();
    drop(scores);
    let path = file(dir.path(), "scores");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[ROW + 3] ^= 1;
    bytes.extend_from_slice(&[7; 11]);
    std::fs::write(&path, &bytes).unwrap();
    let mut scores = Scores::current(dir.path(), &Scorer::Clip).unwrap().unwrap();
    assert_eq!(
        (scores.get(1).1, scores.get(2).0, scores.get(3).1),
        (1.0, ScoreState::Missing, 3.0)
    );
    assert_eq!(scores.problems.len(), 1);
    assert!(scores.problems[0].place.file.is_some());
    scores.append(&[(2, Score::scored(2.0, ""))]).unwrap();
    drop(scores);
    assert_eq!(
        Scores::current(dir.path(), &Scorer::Clip)
            .unwrap()
            .unwrap()
            .get(2),
        (ScoreState::Scored, 2.0)
    );
}

#[test]
fn a_detail_without_a_row_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let mut scores = Scores::make_current(dir.path(), about("a")).unwrap();
    scores
        .append(&[(1, Score::scored(1.0, "{\"a\":1}"))])
        .unwrap();
    drop(scores);
    let path = file(dir.path(), "details");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"half a li");
    std::fs::write(&path, &bytes).unwrap();
    let mut scores = Scores::make_current(dir.path(), about("a")).unwrap();
    scores
        .append(&[(2, Score::scored(2.0, "{\"b\":2}"))])
        .unwrap();
    assert_eq!(scores.score(2).unwrap().detail, "{\"b\":2}");
    assert_eq!(scores.score(1).unwrap().detail, "{\"a\":1}");
    scores
        .append(&[(3, Score::scored(2.0, "x".repeat(MAX_DETAIL + 1)))])
        .unwrap();
    assert!(scores.score(3).unwrap().detail.len() < MAX_DETAIL);
}

#[test]
fn embeddings_round_trip_and_damaged_rows_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let mut all = Embeddings::open(dir.path(), "abc", 3).unwrap();
    all.append(&[
        (7, vec![1.0, 0.0, 0.5]),
        (8, vec![0.0, 1.0, 0.0]),
        (9, vec![1.0]),
    ])
    .unwrap();
    all.append(&[(7, vec![0.0, 0.0, 0.0])]).unwrap();
    assert_eq!((all.len(), all.dim), (2, 3));
    drop(all);
    let path = dir.path().join("abc.3.embeddings");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 6;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let all = Embeddings::open(dir.path(), "abc", 3).unwrap();
    assert_eq!(all.keys, [7]);
    assert_eq!(
        all.get(7)
            .unwrap()
            .iter()
            .map(|x| x.to_f32())
            .collect::<Vec<_>>(),
        [1.0, 0.0, 0.5]
    );
    assert!(all.get(8).is_none());
    assert!(
        Embeddings::open(dir.path(), "abc", 4).unwrap().is_empty(),
        "other dimensions are in other files"
    );
}
