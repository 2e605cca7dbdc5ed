//! `sessions/<annotator>.jsonl`: the append-only record of what a person decided. The truth about human work.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::append_log::{AppendLog, Times, ValidPrefix};
use super::checksummed_line;
use super::prefix_digest::PrefixDigest;
use benchtop_model::history::stamp;
use benchtop_model::name::check_annotator;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{
    Act, Decision, Error, ErrorKind, Judgement, PictureSeen, Result, Seen, Verdict,
};

/// A decision as its line has it. Exactly one of `verdict`, `undo` and `redo` is set.
#[derive(Serialize, Deserialize)]
struct Row {
    v: u8,
    uuid: Uuid,
    rev: u64,
    at: String,
    who: String,
    item: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<Seen>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<PictureSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guidelines: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    revealed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<Uuid>,
}

/// Format of a line that belongs to no round.
const VERSION: u8 = 1;
/// Format of one that belongs to a round: a program that knows no rounds must not take it for any other verdict.
const IN_ROUND: u8 = 2;

fn row(decision: &Decision) -> Row {
    let mut row = Row {
        v: VERSION,
        uuid: decision.uuid,
        rev: decision.rev,
        at: stamp(decision.at),
        who: decision.who.clone(),
        item: decision.item.clone(),
        on: decision.on.clone(),
        verdict: None,
        reasons: Vec::new(),
        note: None,
        ms: None,
        seen: None,
        pictures: Vec::new(),
        answer: None,
        round: None,
        part: None,
        guidelines: None,
        revealed: false,
        undo: None,
        redo: None,
    };
    match &decision.act {
        Act::Judge(j) => {
            row.verdict = Some(j.verdict);
            row.reasons.clone_from(&j.reasons);
            row.note.clone_from(&j.note);
            row.ms = j.ms;
            row.seen = Some(j.seen);
            row.pictures.clone_from(&j.pictures);
            row.answer.clone_from(&j.answer);
            if let Some(asked) = &j.round {
                row.v = IN_ROUND;
                row.round = Some(asked.round.clone());
                row.part = Some(asked.part);
                row.guidelines.clone_from(&asked.guidelines);
                row.revealed = asked.revealed;
            }
        }
        Act::Undo(uuid) => row.undo = Some(*uuid),
        Act::Redo(uuid) => row.redo = Some(*uuid),
    }
    row
}

fn decision(row: Row) -> Result<Decision> {
    let corrupt = |what: String| Error::new(ErrorKind::Corrupt, what);
    if !(VERSION..=IN_ROUND).contains(&row.v) {
        return Err(corrupt(format!(
            "line version {} is newer than this program reads",
            row.v
        )));
    }
    let at: jiff::Timestamp = row
        .at
        .parse()
        .map_err(|_| corrupt(format!("`{}` is not a time", row.at)))?;
    let act = match (row.verdict, row.undo, row.redo) {
        (Some(verdict), None, None) => Act::Judge(Judgement {
            verdict,
            reasons: row.reasons,
            note: row.note,
            ms: row.ms,
            seen: row.seen.unwrap_or(Seen::Unconfirmed),
            pictures: row.pictures,
            answer: row.answer,
            round: row.round.map(|round| RoundContext {
                round,
                part: row.part.unwrap_or_default(),
                guidelines: row.guidelines,
                revealed: row.revealed,
            }),
        }),
        (None, Some(uuid), None) => Act::Undo(uuid),
        (None, None, Some(uuid)) => Act::Redo(uuid),
        _ => {
            return Err(corrupt(
                "exactly one of verdict, undo and redo must be there".into(),
            ));
        }
    };
    let at = at.as_millisecond();
    Ok(Decision {
        uuid: row.uuid,
        rev: row.rev,
        at,
        who: row.who,
        item: row.item,
        on: row.on,
        act,
    })
}

/// The decision as its journal line, newline included.
///
/// # Errors
/// See [`checksummed_line::encode`].
pub fn encode(decision: &Decision, out: &mut Vec<u8>) -> Result<()> {
    checksummed_line::encode(&row(decision), out)
}

/// The decision on a line.
///
/// # Errors
/// [`ErrorKind::Corrupt`] for a checksum that is missing or wrong, and for a line that is no decision.
pub fn decode(bytes: &[u8]) -> Result<Decision> {
    decision(checksummed_line::decode::<Row>(bytes)?)
}

/// The decision as its journal line; two decisions are the same when these are.
pub fn text(decision: &Decision) -> Vec<u8> {
    let mut line = Vec::new();
    // Plain data always serialises.
    let _ = encode(decision, &mut line);
    line
}

/// What reading a journal found.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its decisions, in the order of the file.
    pub decisions: Vec<Decision>,
    /// What was wrong, with file and line. Bad lines stay in the file and do not count.
    pub problems: Vec<Error>,
    /// Length of the file up to its last whole line.
    pub length: u64,
    /// Whether a torn last line follows.
    pub torn: bool,
    /// The bytes up to the last whole line.
    pub prefix: PrefixDigest,
}

/// Reads the journal at `path`; one that does not exist is empty.
///
/// # Errors
/// The operating system's. Bad lines are not errors: they are reported in [`Reading::problems`].
pub fn read(path: &Path) -> Result<Reading> {
    read_first(path, None)
}

/// Reads the first `length` bytes of the journal at `path`; all of it for none.
///
/// # Errors
/// As [`read`].
pub fn read_first(path: &Path, length: Option<u64>) -> Result<Reading> {
    let mut bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Reading::default()),
        Err(e) => return Err(Error::io(&e, "cannot be read", path)),
    };
    if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
        bytes.truncate(length);
    }
    let lines = checksummed_line::read_all::<Row>(&bytes);
    let mut reading = Reading {
        length: lines.torn_at.unwrap_or(bytes.len() as u64),
        torn: lines.torn_at.is_some(),
        ..Reading::default()
    };
    reading.prefix = PrefixDigest::of(
        &bytes[..usize::try_from(reading.length)
            .unwrap_or(bytes.len())
            .min(bytes.len())],
    );
    for (number, problem) in lines.bad {
        reading.problems.push(problem.file(path).line(number));
    }
    for (number, row) in lines.good {
        match decision(row) {
            Ok(decision) => reading.decisions.push(decision),
            Err(problem) => reading.problems.push(problem.file(path).line(number)),
        }
    }
    Ok(reading)
}

/// Paths of all journals in `sessions/`, with the annotator of each, sorted by name.
///
/// # Errors
/// The operating system's; a folder that does not exist is empty.
pub fn list(sessions: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(&e, "cannot be listed", sessions)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|e| Error::io(&e, "cannot be listed", sessions))?
            .path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .and_then(|n| n.strip_suffix(".jsonl"));
        if let Some(name) = name.filter(|n| check_annotator(n).is_ok()) {
            found.push((name.to_string(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

/// The annotators, with the bytes of their journals.
///
/// # Errors
/// The operating system's.
pub fn lengths(sessions: &Path) -> Result<Vec<(String, u64)>> {
    let length = |(who, path): (String, PathBuf)| match std::fs::metadata(&path) {
        Ok(meta) => Ok((who, meta.len())),
        Err(e) => Err(Error::io(&e, "cannot be read", &path)),
    };
    list(sessions)?.into_iter().map(length).collect()
}

/// The bytes of a file from `at` on; none where it is shorter.
fn tail(file: &File, at: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Some(rest) = file.metadata()?.len().checked_sub(at) else {
        return Ok(None);
    };
    let mut tail = vec![0; usize::try_from(rest).unwrap_or_default()];
    file.read_exact_at(&mut tail, at)?;
    Ok(Some(tail))
}

/// What the message of a failed append begins with.
const FAILING: &str = "the decision cannot be saved";

/// A journal open for appending.
pub struct Journal {
    file: AppendLog,
    prefix: PrefixDigest,
    buffer: Vec<u8>,
}

impl Journal {
    /// Opens or creates `<sessions>/<who>.jsonl`; see [`AppendLog::open`] for a torn last line.
    ///
    /// # Errors
    /// The operating system's, and a name that cannot be a file's.
    pub fn open(sessions: &Path, who: &str) -> Result<Journal> {
        check_annotator(who)?;
        let path = sessions.join(format!("{who}.jsonl"));
        let reading = read(&path)?;
        let file = AppendLog::open(
            &path,
            ValidPrefix {
                length: reading.length,
                torn: reading.torn,
            },
        )?;
        Ok(Journal {
            file,
            prefix: reading.prefix,
            buffer: Vec::new(),
        })
    }

    /// The same where the journal was read before, as far as `prefix` says: it is not parsed again.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`ErrorKind::Io`] when it holds other lines by now: it must be read again.
    pub fn after(sessions: &Path, who: &str, prefix: PrefixDigest) -> Result<Journal> {
        check_annotator(who)?;
        let path = sessions.join(format!("{who}.jsonl"));
        let tail = match File::open(&path) {
            Ok(file) => {
                tail(&file, prefix.length()).map_err(|e| Error::io(&e, "cannot be read", &path))?
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                (prefix.length() == 0).then(Vec::new)
            }
            Err(e) => return Err(Error::io(&e, "cannot be opened", &path)),
        };
        let changed = || {
            Error::new(
                ErrorKind::Io,
                format!("{FAILING}: somebody else changed it since it was read"),
            )
        };
        // What was torn when it was read has no newline.
        let tail = tail
            .filter(|tail| !tail.contains(&b'\n'))
            .ok_or_else(|| changed().file(&path))?;
        let file = AppendLog::open(
            &path,
            ValidPrefix {
                length: prefix.length(),
                torn: !tail.is_empty(),
            },
        )?;
        Ok(Journal {
            file,
            prefix,
            buffer: Vec::new(),
        })
    }

    /// Appends `decisions` with one write and one `fdatasync`: when this returns they are on disk.
    ///
    /// # Errors
    /// As [`AppendLog::append`]: the operating system's (a full disk among them), and [`ErrorKind::Io`] when the file was
    /// replaced, moved, removed or written to by somebody else.
    pub fn append(&mut self, decisions: &[Decision]) -> Result<()> {
        self.write(decisions)?;
        let began = Instant::now();
        let synced = self.file.handle().sync_data();
        self.synced(synced, began.elapsed())
    }

    /// The first third of [`append_log`](Self::append); see [`AppendLog::write`].
    ///
    /// # Errors
    /// As [`append_log`](Self::append).
    pub fn write(&mut self, decisions: &[Decision]) -> Result<()> {
        self.buffer.clear();
        for decision in decisions {
            encode(decision, &mut self.buffer)?;
        }
        self.file.write(&self.buffer, FAILING)
    }

    /// The open file, to be synced by another thread.
    pub fn handle(&self) -> Arc<File> {
        self.file.handle()
    }

    /// The last third of [`append_log`](Self::append); see [`AppendLog::synced`].
    ///
    /// # Errors
    /// As [`append_log`](Self::append).
    pub fn synced(&mut self, synced: std::io::Result<()>, took: Duration) -> Result<()> {
        self.file.synced(synced, took, FAILING)?;
        self.prefix.add(&self.buffer);
        Ok(())
    }

    /// Checks that the file is the one that was opened and that nobody else wrote to it.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn confirm(&mut self) -> Result<()> {
        self.file.confirm(FAILING)
    }

    /// Whether the file must be opened anew; see [`AppendLog::lost`].
    pub fn lost(&self) -> bool {
        self.file.lost()
    }

    /// Names that the file has; see [`AppendLog::links`].
    pub fn links(&self) -> u64 {
        self.file.links()
    }

    /// How long the steps of the last append took.
    pub fn times(&self) -> Times {
        self.file.times()
    }

    /// What is in it.
    pub fn prefix(&self) -> &PrefixDigest {
        &self.prefix
    }

    /// Length in bytes; all of it is durable.
    pub fn length(&self) -> u64 {
        self.file.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(n: u64) -> Decision {
        Decision {
            uuid: Uuid::from_u128(u128::from(n) + 1),
            rev: n,
            at: 1_763_700_000_123 + n as i64,
            who: "ann".into(),
            item: format!("set/{n}"),
            on: Some("0badcafe".into()),
            act: Act::Judge(Judgement {
                reasons: vec!["unsafe".into()],
                note: Some("a \"note\"\nof two lines".into()),
                ms: Some(812),
                pictures: vec![PictureSeen::Painted, PictureSeen::Broken],
                ..Judgement::new(Verdict::Reject, Seen::Partly)
            }),
        }
    }

    #[test]
    fn appended_decisions_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let undo = Decision {
            act: Act::Undo(Uuid::from_u128(1)),
            rev: 2,
            ..judged(2)
        };
        let mut journal = Journal::open(dir.path(), "ann").unwrap();
        journal.append(&[judged(0), judged(1)]).unwrap();
        journal.append(std::slice::from_ref(&undo)).unwrap();
        let reading = read(&dir.path().join("ann.jsonl")).unwrap();
        assert_eq!(reading.decisions, [judged(0), judged(1), undo]);
        assert_eq!(reading.length, journal.length());
        assert_eq!(reading.prefix, *journal.prefix());
    }

    #[test]
    fn a_verdict_in_a_round_reads_back_under_a_version_of_its_own() {
        let asked = RoundContext {
            round: "pass-1".into(),
            part: Part::Revision,
            guidelines: Some("1a2b3c4d".into()),
            revealed: true,
        };
        let judgement = Judgement {
            answer: Some("B".into()),
            round: Some(asked),
            ..Judgement::new(Verdict::Unsure, Seen::Painted)
        };
        let decision = Decision {
            act: Act::Judge(judgement),
            ..judged(3)
        };
        let (mut plain, mut in_round) = (Vec::new(), Vec::new());
        encode(&judged(3), &mut plain).unwrap();
        encode(&decision, &mut in_round).unwrap();
        assert!(
            plain.starts_with(b"{\"v\":1,") && in_round.starts_with(b"{\"v\":2,"),
            "an older program must refuse the second"
        );
        let dir = tempfile::tempdir().unwrap();
        Journal::open(dir.path(), "ann")
            .unwrap()
            .append(std::slice::from_ref(&decision))
            .unwrap();
        assert_eq!(
            read(&dir.path().join("ann.jsonl")).unwrap().decisions,
            [decision]
        );
    }

    #[test]
    fn a_torn_tail_is_set_aside_and_appending_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ann.jsonl");
        Journal::open(dir.path(), "ann")
            .unwrap()
            .append(&[judged(0), judged(1)])
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 7]).unwrap();
        let mut journal = Journal::open(dir.path(), "ann").unwrap();
        journal.append(&[judged(2)]).unwrap();
        let reading = read(&path).unwrap();
        assert_eq!(reading.decisions, [judged(0), judged(2)]);
        assert!(!reading.torn && reading.problems.is_empty());
        assert!(dir.path().join("ann.jsonl.torn-1").exists());
    }

    #[test]
    fn a_journal_that_was_read_is_opened_unless_others_wrote_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ann.jsonl");
        Journal::after(dir.path(), "ann", PrefixDigest::default())
            .unwrap()
            .append(&[judged(0)])
            .unwrap();
        let prefix = read(&path).unwrap().prefix;
        std::fs::write(
            &path,
            [&std::fs::read(&path).unwrap()[..], b"{\"v\":1"].concat(),
        )
        .unwrap();
        let mut journal = Journal::after(dir.path(), "ann", prefix.clone()).unwrap();
        journal.append(&[judged(1)]).unwrap();
        assert_eq!(read(&path).unwrap().decisions, [judged(0), judged(1)]);
        assert_eq!(*journal.prefix(), read(&path).unwrap().prefix);
        // It has a line more than the prefix knows; it is shorter; it is there though nothing was.
        for (cut, prefix) in [
            (false, prefix.clone()),
            (true, prefix),
            (true, PrefixDigest::default()),
        ] {
            if cut {
                std::fs::write(&path, b"{}\n").unwrap();
            }
            let before = std::fs::read(&path).unwrap();
            assert_eq!(
                Journal::after(dir.path(), "ann", prefix)
                    .err()
                    .unwrap()
                    .kind,
                ErrorKind::Io
            );
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }

    #[test]
    fn a_damaged_last_line_is_named_and_stays_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ann.jsonl");
        Journal::open(dir.path(), "ann")
            .unwrap()
            .append(&[judged(0), judged(1)])
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 60;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let reading = read(&path).unwrap();
        assert_eq!((reading.decisions, reading.torn), (vec![judged(0)], false));
        assert_eq!(reading.problems[0].place.line, Some(2));
        Journal::open(dir.path(), "ann")
            .unwrap()
            .append(&[judged(2)])
            .unwrap();
        assert!(
            std::fs::read(&path).unwrap().starts_with(&bytes),
            "the damaged line was cut"
        );
        assert_eq!(read(&path).unwrap().decisions, [judged(0), judged(2)]);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_line_is_named_and_the_others_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ann.jsonl");
        Journal::open(dir.path(), "ann")
            .unwrap()
            .append(&[judged(0), judged(1)])
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[40] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let reading = read(&path).unwrap();
        assert_eq!(reading.decisions, [judged(1)]);
        assert_eq!(reading.problems[0].place.line, Some(1));
    }

    #[test]
    fn names_that_are_not_files_are_refused() {
        for name in ["", "..", "a/b", ".hidden", "a b", &"x".repeat(65)] {
            assert!(check_annotator(name).is_err(), "{name:?}");
        }
        assert!(check_annotator("Zoë-2.b").is_ok());
    }
}
