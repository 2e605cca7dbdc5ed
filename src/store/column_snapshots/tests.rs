//! Tests of round trips and of damaged files.

use super::super::snapshot_format::HEADER;
use super::*;
use crate::fixtures::item;
use benchtop_model::{ErrorKind, Field, Status};

fn columns(rows: i64) -> Columns {
    let mut columns = Columns::default();
    for n in 0..rows {
        columns
            .push(&item(n, ["animal", "plant", ""][n as usize % 3]))
            .unwrap();
    }
    columns
}

fn frames() -> Vec<Frame> {
    consecutive_frames(&[100, 7, 93_000])
}

#[test]
fn columns_round_trip() {
    let dir = tempfile::tempdir().unwrap();
    for rows in [0, 1, 1000, 40_000] {
        let columns = columns(rows);
        write_columns(
            dir.path(),
            &[3; 32],
            &columns,
            [("a", &frames()[..]), ("b", &[])],
            [("b", &[7u32, 9][..])],
        )
        .unwrap();
        let read = read_columns(dir.path(), &[3; 32]).unwrap();
        assert_eq!(read.columns.id_hash, columns.id_hash);
        assert_eq!(
            (&read.columns.codes, &read.columns.kind),
            (&columns.codes, &columns.kind)
        );
        assert_eq!(&read.columns.names[1].names, &columns.names[1].names);
        assert_eq!(
            read.columns.names[1].code("plant"),
            columns.names[1].code("plant")
        );
        assert_eq!((&read.frames["a"], &read.frames["b"]), (&frames(), &vec![]));
        let last = rows.max(1) as usize - 1;
        assert_eq!(
            read.columns.value(Field::Subtask, last),
            columns.value(Field::Subtask, last)
        );
    }
    let other = read_columns(dir.path(), &[4; 32]).err().unwrap();
    assert_eq!(other.kind, ErrorKind::NotFound);
}

#[test]
fn statuses_round_trip() {
    let dir = tempfile::tempdir().unwrap();
    let rows = 5 * BLOCK_ROWS + 17;
    let mut overlay = StatusColumns::blank(rows);
    let places = vec![("ann".to_string(), "{}".to_string())];
    for row in [None, Some(0), Some(3 * BLOCK_ROWS - 1), Some(rows - 1)] {
        if let Some(row) = row {
            overlay.status[row] = Status::Rejected.code();
            overlay.judged[row] = 1 << 40;
        }
        write_statuses(dir.path(), &[9; 32], &overlay, places.clone(), [7; 32]).unwrap();
        let read = read_statuses(dir.path(), &[9; 32], rows).unwrap();
        assert_eq!(
            read,
            Statuses {
                overlay: overlay.clone(),
                places: places.clone(),
                contents: [7; 32]
            }
        );
        assert_eq!(
            read_statuses(dir.path(), &[8; 32], rows).unwrap_err().kind,
            ErrorKind::NotFound
        );
        assert_eq!(
            read_statuses(dir.path(), &[9; 32], rows + 1)
                .unwrap_err()
                .kind,
            ErrorKind::Corrupt
        );
    }
}

type Read<'a> = &'a dyn Fn() -> Result<()>;

#[test]
fn every_flipped_bit_and_truncation_is_detected() {
    let dir = tempfile::tempdir().unwrap();
    let rows = BLOCK_ROWS + 9;
    let mut overlay = StatusColumns::blank(rows);
    overlay.status[rows - 2] = Status::Accepted.code();
    write_columns(
        dir.path(),
        &[1; 32],
        &columns(40),
        [("a", &frames()[..])],
        [],
    )
    .unwrap();
    write_statuses(dir.path(), &[1; 32], &overlay, vec![], [0; 32]).unwrap();
    let columns = || read_columns(dir.path(), &[1; 32]).map(|_| ());
    let statuses = || read_statuses(dir.path(), &[1; 32], rows).map(|_| ());
    let reads: [(PathBuf, Read<'_>); 2] = [
        (columns_path(dir.path()), &columns),
        (statuses_path(dir.path()), &statuses),
    ];
    for (path, read) in reads {
        let whole = std::fs::read(&path).unwrap();
        read().unwrap();
        for at in (0..whole.len()).filter(|at| !(60..HEADER).contains(at)) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            assert!(read().is_err(), "byte {at} of {}", path.display());
        }
        for length in [0, 1, HEADER - 1, HEADER, HEADER + 1, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read().is_err(), "{length} bytes of {}", path.display());
        }
        std::fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(read().is_err(), "a byte more in {}", path.display());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read().unwrap_err().kind, ErrorKind::NotFound);
    }
}
