//! Merges journals of other machines into the journals of a project, as a union of decisions.
//!
//! Whether a decision is merged depends only on the decision and on the items. The result is
//! therefore the same for every order of files, and a second merge changes nothing. A decision on a
//! text or picture that differs here is skipped. It is merged later, once the items are the same.

mod comments;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

pub use verdicts::{PlannedImport, plan as plan_verdicts};

use super::columns::id_hash;
use super::history::{FoldNotice, History};
use super::pictures::Pictures;
use super::{Catalog, Ledger, journal};
use benchtop_files::bounded;
use benchtop_model::history::{
    Conflict, ConflictingVerdict, HistoryPoint, Merged, MergedFile, SkippedDecision,
};
use benchtop_model::{Act, Decision, Error, ErrorKind, Result, name};

/// Maximum number of conflicts, and of skipped decisions, that a report lists. A note counts the
/// rest.
pub const LISTED: usize = 10_000;

/// Decisions that a merge appends, and its report.
#[derive(Debug, Default)]
pub struct Merge {
    /// New decisions by annotator.
    pub new_decisions: BTreeMap<String, Vec<Decision>>,
    /// The report for people.
    pub report: Merged,
}

/// Reads `files` and computes the merge into `history`.
///
/// # Errors
/// A file that cannot be read, or that has no decision on any line. Then no file is merged.
pub fn plan(
    history: &History,
    files: &[PathBuf],
    catalog: &Catalog,
    pictures: &Pictures,
) -> Result<Merge> {
    let (mut list, mut all) = (Vec::new(), Vec::new());
    for path in files {
        let (file, decisions) = read(path)?;
        list.push(file);
        all.extend(decisions);
    }
    let mut merge = union(history, all, catalog, pictures)?;
    merge.report.files = list;
    Ok(merge)
}

fn union(
    history: &History,
    all: Vec<Decision>,
    catalog: &Catalog,
    pictures: &Pictures,
) -> Result<Merge> {
    let mut merge = Merge::default();
    let mut known: HashSet<Vec<u8>> = history.decisions.iter().map(journal::text).collect();
    let mut digests: BTreeMap<u32, Option<String>> = BTreeMap::new();
    let mut touched = BTreeSet::new();
    let mut orphans = 0u64;
    for decision in all {
        if !known.insert(journal::text(&decision)) {
            merge.report.known += 1;
            continue;
        }
        let row = catalog.row_of_hash(id_hash(&decision.item));
        orphans += u64::from(row.is_none());
        if let Some(row) = row {
            let now = digests.entry(row).or_insert_with(|| {
                pictures
                    .shown_item(catalog, row as usize)
                    .ok()
                    .map(|i| i.digest())
            });
            if let Some(why) = mismatch_reason(&decision, now.as_deref(), catalog, row) {
                let Decision {
                    item, who, uuid, ..
                } = decision;
                merge.report.aside.push(SkippedDecision {
                    item,
                    who,
                    uuid,
                    why,
                });
                continue;
            }
            touched.insert(row);
        }
        merge.report.added += 1;
        merge
            .new_decisions
            .entry(decision.who.clone())
            .or_default()
            .push(decision);
    }
    if orphans > 0 {
        merge.report.notes.push(format!(
            "{orphans} decisions are on items that this project does not have; they are kept and count once the items are imported"
        ));
    }
    merge.report.aside.sort();
    let (before, _) = history.fold(catalog, pictures, HistoryPoint::Now);
    let (after, notices) = history
        .with(merge.new_decisions.values().flatten().cloned())
        .fold(catalog, pictures, HistoryPoint::Now);
    let not_counted = |notice: &FoldNotice| matches!(notice, FoldNotice::NotCounted(_));
    merge.report.notes.extend(
        notices
            .iter()
            .filter(|n| not_counted(n))
            .map(ToString::to_string),
    );
    let void: HashSet<_> = after.voided().collect();
    let voided = merge
        .new_decisions
        .values()
        .flatten()
        .filter(|d| void.contains(&d.uuid))
        .count();
    if voided > 0 {
        merge.report.notes.push(format!(
            "{voided} verdicts do not count: the text or picture of their items changed here after their revision"
        ));
    }
    merge.report.conflicts = conflicts(touched, &before, &after, &merge.new_decisions, catalog)?;
    for (what, length) in [
        ("conflicts", merge.report.conflicts.len()),
        ("skipped decisions", merge.report.aside.len()),
    ] {
        if length > LISTED {
            merge
                .report
                .notes
                .push(format!("{} more {what} are not listed", length - LISTED));
        }
    }
    merge.report.conflicts.truncate(LISTED);
    merge.report.aside.truncate(LISTED);
    Ok(merge)
}

/// Returns why `decision` does not apply to the item in `row`, or `None` if it applies.
fn mismatch_reason(
    decision: &Decision,
    now: Option<&str>,
    catalog: &Catalog,
    row: u32,
) -> Option<String> {
    if !matches!(decision.act, Act::Judge(_)) {
        return None;
    }
    match (&decision.on, now) {
        (Some(on), Some(now)) if on != now => {
            Some("the verdict is on another text or picture of the item".into())
        }
        (None, _) if catalog.revisions().locate(row as usize).is_some() => Some(
            "the item was revised here, and the line does not name the text that was judged".into(),
        ),
        _ => None,
    }
}

/// Maximum length of a line in bytes.
const MAX_LINE: u64 = 16 << 20;
/// Number of lines without a decision after which a file is not a journal.
const MAX_LINES_WITHOUT_DECISION: u64 = 1000;

/// The content of a journal of another machine.
struct Lines {
    decisions: Vec<Decision>,
    damaged: Vec<String>,
    torn: bool,
}

/// Reads a journal line by line, so that a large file that is not a journal fails early.
fn lines(path: &Path) -> Result<Lines> {
    use std::io::{BufRead, Read};
    let fail = |e: std::io::Error| Error::io(&e, "cannot be read", path);
    let not_a_journal = || {
        Error::input("no line of the file is a decision")
            .file(path)
            .help("journals are the files `sessions/<annotator>.jsonl` of a project")
    };
    let mut input = bounded::open(path).map_err(|p| match p.kind {
        ErrorKind::NotFound => Error::not_found("file not found").file(path),
        _ => p,
    })?;
    let mut found = Lines {
        decisions: Vec::new(),
        damaged: Vec::new(),
        torn: false,
    };
    let (mut number, mut more) = (0u64, 0usize);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(fail)? as u64;
        if read == 0 {
            break;
        }
        number += 1;
        if !bytes.ends_with(b"\n") {
            if read == MAX_LINE {
                let what = format!(
                    "line {number} is longer than {} MiB; the file is not a journal",
                    MAX_LINE >> 20
                );
                return Err(Error::input(what).file(path).line(number));
            }
            found.torn = true;
            break;
        }
        match journal::decode(&bytes) {
            Ok(decision) => found.decisions.push(decision),
            Err(problem) if found.damaged.len() < LISTED => found
                .damaged
                .push(format!("line {number}: {}", problem.what)),
            Err(_) => more += 1,
        }
        if found.decisions.is_empty() && number >= MAX_LINES_WITHOUT_DECISION {
            return Err(not_a_journal());
        }
    }
    if found.decisions.is_empty() && !found.damaged.is_empty() {
        return Err(not_a_journal());
    }
    if more > 0 {
        found
            .damaged
            .push(format!("{more} more damaged lines are not listed"));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<(MergedFile, Vec<Decision>)> {
    let Lines {
        decisions,
        damaged,
        torn,
    } = lines(path)?;
    for decision in &decisions {
        name::check_annotator(&decision.who).map_err(|problem| problem.file(path))?;
    }
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    let mut clock_back = 0;
    for decision in &decisions {
        let before = last.insert(&decision.who, decision.at);
        clock_back += u64::from(before.is_some_and(|before| before > decision.at));
    }
    let file = MergedFile {
        path: path.to_path_buf(),
        decisions: decisions.len() as u64,
        damaged,
        torn,
        clock_back,
    };
    Ok((file, decisions))
}

/// Items with different verdicts after the merge: of different annotators, or of one annotator
/// before and after.
fn conflicts(
    touched: BTreeSet<u32>,
    before: &Ledger,
    after: &Ledger,
    fresh: &BTreeMap<String, Vec<Decision>>,
    catalog: &Catalog,
) -> Result<Vec<Conflict>> {
    let fresh: HashSet<_> = fresh
        .values()
        .flatten()
        .map(|decision| decision.uuid)
        .collect();
    let mut list = Vec::new();
    for row in touched {
        let mut effective = after.effective_verdicts(row);
        let gone = before
            .effective_verdicts(row)
            .into_iter()
            .filter(|old| !effective.iter().any(|s| s.uuid == old.uuid));
        let gone: Vec<_> = gone.filter(|old| after.counts(&old.uuid)).collect();
        effective.extend(gone);
        let verdict = |s: &benchtop_model::verdict::EffectiveVerdict| s.judgement.verdict;
        if effective.iter().all(|s| !fresh.contains(&s.uuid))
            || effective
                .windows(2)
                .all(|w| verdict(&w[0]) == verdict(&w[1]))
        {
            continue;
        }
        effective.sort_by_key(|s| (s.rev, s.at, s.uuid));
        let side = |s: benchtop_model::verdict::EffectiveVerdict| ConflictingVerdict {
            verdict: verdict(&s),
            at: s.at,
            incoming: fresh.contains(&s.uuid),
            who: s.who,
        };
        list.push(Conflict {
            number: row + 1,
            item: catalog.item(row as usize)?.id,
            status: after.status(row),
            verdicts: effective.into_iter().map(side).collect(),
        });
    }
    Ok(list)
}

#[cfg(test)]
mod tests;
