//! Opening a project's data: from the sled index when it is whole and current, from the truth when it is not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::Catalog;
use super::columns::{BLOCK_ROWS, Columns, id_hash};
use super::index::{Checkpoint, Index, Meta, digest};
use super::journal;
use super::ledger::Ledger;
use super::manifest::{Entry, Holds, Manifest, Part};
use super::overlay::Overlay;
use super::project::Project;
use super::segment::{FRAME_ROWS, Frame, Reader};
use crate::model::{Decision, Item, Kind, Problem, Result};

/// A project's data, open.
pub struct Opened {
    /// The sled index.
    pub index: Arc<Index>,
    /// Items and predictions.
    pub catalog: Catalog,
    /// Statuses; whole when `ledger` is there, from the checkpoint otherwise.
    pub overlay: Overlay,
    /// The fold of the journals; `None` when the checkpoint is current and the fold may wait (see [`load_ledger`]).
    pub ledger: Option<Ledger>,
    /// What a person should know: rebuilt, damaged lines, decisions on items that are gone.
    pub notices: Vec<String>,
}

/// Opens the data of `project`, rebuilding the index where it is missing, damaged or behind.
///
/// # Errors
/// [`Kind::Corrupt`] when an import's own segment is missing or damaged, [`Kind::Conflict`] when another process has
/// the store open, and the operating system's.
pub fn open(project: &Project) -> Result<Opened> {
    let manifest = Manifest::read(&project.imports())?;
    manifest.sweep(&project.imports());
    let mut notices: Vec<String> = manifest.problems.iter().map(|p| format!("not counted: {p}")).collect();
    let parts: Vec<&Part> = manifest.entries.iter().flat_map(|e| &e.parts).collect();
    let existed = project.store().join("db").exists();
    let read = Index::open(&project.store()).and_then(|index| {
        let found = from_index(&index, project, &parts)?;
        Ok((index, found))
    });
    let (index, catalog, current) = match read {
        Ok((index, Some(catalog))) => (index, catalog, true),
        Ok((index, None)) => {
            if !parts.is_empty() {
                notices.push(rebuilt(if existed { "was behind" } else { "was missing" }));
            }
            (index, Catalog::default(), false)
        }
        Err(problem) if problem.kind == Kind::Corrupt => {
            let aside = set_aside(&project.store())?;
            notices.push(format!("{} ({problem}); the old one is {}", rebuilt("was damaged"), aside.display()));
            (Index::open(&project.store())?, Catalog::default(), false)
        }
        Err(problem) => return Err(problem),
    };
    let catalog = if current { catalog } else { rebuild(&index, project, &parts)? };
    let checkpoint = if current { index.checkpoint(catalog.len())? } else { None };
    let (overlay, ledger) = match checkpoint {
        Some((checkpoint, overlay)) if follows(&checkpoint, project)? => (overlay, None),
        _ => {
            let (ledger, found) = load_ledger(project, &catalog)?;
            notices.extend(found);
            let mut overlay = Overlay::default();
            overlay.grow(catalog.len());
            ledger.write_over(&mut overlay);
            (overlay, Some(ledger))
        }
    };
    Ok(Opened { index: Arc::new(index), catalog, overlay, ledger, notices })
}

fn rebuilt(why: &str) -> String {
    format!("the store {why}: it was rebuilt from imports/ and sessions/")
}

/// Renames a damaged store, so that nothing is lost that somebody may want to look at.
fn set_aside(store: &Path) -> Result<PathBuf> {
    for n in 1.. {
        let aside = store.with_extension(format!("broken-{n}"));
        if !aside.exists() {
            std::fs::rename(store, &aside).map_err(|e| Problem::io(&e, "cannot be set aside", store))?;
            return Ok(aside);
        }
    }
    Err(Problem::new(Kind::Io, "cannot be set aside").file(store))
}

/// The catalogue as the index has it; `None` when the index does not describe these parts.
fn from_index(index: &Index, project: &Project, parts: &[&Part]) -> Result<Option<Catalog>> {
    let meta = index.meta()?;
    if meta.segments != segments(parts.iter().copied()) {
        return Ok(None);
    }
    let mut catalog = Catalog::new(index.columns(&meta)?);
    for part in parts {
        let frames = index.frames(&part.file)?;
        if frames.len() as u64 != part.rows.div_ceil(FRAME_ROWS as u64) {
            let what = format!("{} frames for the {} rows of {}", frames.len(), part.rows, part.file);
            return Err(Problem::new(Kind::Corrupt, what));
        }
        let reader = Reader::open(&project.imports().join(&part.file), frames, part.rows)?;
        add(&mut catalog, part, reader);
    }
    Ok(Some(catalog))
}

/// What the index must describe.
fn segments<'a>(parts: impl IntoIterator<Item = &'a Part>) -> [u8; 32] {
    digest(parts.into_iter().map(|p| (p.blake3.as_str(), p.rows)))
}

fn describe(segments: [u8; 32], catalog: &Catalog, meta: Meta) -> Meta {
    let names = catalog.columns().names.iter().map(|n| n.list().len() as u32).collect();
    Meta { segments, rows: catalog.len() as u64, names, ..meta }
}

fn add(catalog: &mut Catalog, part: &Part, reader: Reader) {
    match &part.holds {
        Holds::Items { .. } => catalog.add_texts(reader),
        Holds::Predictions { .. } => catalog.add_answers(part.clone(), reader),
    }
}

/// Reads every segment and writes the index anew.
fn rebuild(index: &Index, project: &Project, parts: &[&Part]) -> Result<Catalog> {
    let mut columns = Columns::default();
    let mut frames = Vec::new();
    let mut readers = Vec::new();
    for part in parts {
        let path = project.imports().join(&part.file);
        let reader = Reader::scan(&path, part.rows)
            .map_err(|p| p.help("put the file back from a copy; the manifest names it as part of the project"))?;
        if matches!(part.holds, Holds::Items { .. }) {
            for frame in 0..reader.frames().len() {
                for line in reader.frame(frame)?.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                    let item: Item = serde_json::from_slice(line).map_err(|e| {
                        Problem::new(Kind::Corrupt, format!("a stored item cannot be read: {e}")).file(&path)
                    })?;
                    columns.push(&item)?;
                }
            }
        }
        frames.push((part.file.clone(), reader.frames().to_vec()));
        readers.push(reader);
    }
    let mut catalog = Catalog::new(columns);
    for (part, reader) in parts.iter().zip(readers) {
        add(&mut catalog, part, reader);
    }
    let meta = describe(segments(parts.iter().copied()), &catalog, index.meta().unwrap_or_default());
    index.write_catalog(&catalog, 0, &frames, &meta)?;
    Ok(catalog)
}

/// Whether the journals are exactly as long as the checkpoint says.
fn follows(checkpoint: &Checkpoint, project: &Project) -> Result<bool> {
    let mut found = Vec::new();
    for (who, path) in journal::list(&project.sessions())? {
        let length = std::fs::metadata(&path).map_err(|e| Problem::io(&e, "cannot be read", &path))?.len();
        found.push((who, length));
    }
    Ok(lengths(&found) == checkpoint.journals)
}

/// One hash for the annotators and the lengths of their journals, as a checkpoint keeps it.
pub fn lengths(journals: &[(String, u64)]) -> [u8; 32] {
    digest(journals.iter().map(|(who, length)| (who.as_str(), *length)))
}

/// Folds all journals; also gives what a person should know about them.
///
/// # Errors
/// The operating system's.
pub fn load_ledger(project: &Project, catalog: &Catalog) -> Result<(Ledger, Vec<String>)> {
    let mut notices = Vec::new();
    let mut decisions: Vec<Decision> = Vec::new();
    for (who, path) in journal::list(&project.sessions())? {
        let reading = journal::read(&path)?;
        notices.extend(reading.problems.iter().map(|p| format!("not counted: {p}")));
        if reading.torn {
            notices.push(format!("the last line of {who}'s journal was cut short before it was acknowledged"));
        }
        decisions.extend(reading.decisions);
    }
    decisions.sort_by_key(|d| (d.rev, d.at, d.uuid));
    let mut ledger = Ledger::default();
    let mut orphans = 0u64;
    for decision in &decisions {
        match catalog.row_of_hash(id_hash(&decision.item)) {
            Some(row) => {
                if let Err(problem) = ledger.apply(decision, row) {
                    notices.push(format!("not counted: {problem}"));
                }
            }
            None => orphans += 1,
        }
    }
    if orphans > 0 {
        notices.push(format!("{orphans} decisions are on items that this project does not have; they are kept"));
    }
    Ok((ledger, notices))
}

/// A segment that was finished and waits to become part of the project.
#[derive(Debug)]
pub struct Fresh {
    /// What the manifest will say.
    pub part: Part,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// Makes an import part of the project: one manifest line, then the index. `columns` already hold the new items.
///
/// Gives the new catalogue, and a notice when the import is in but the index could not be written (the next opening
/// writes it).
///
/// # Errors
/// The operating system's; then the project is as it was.
pub fn adopt(
    project: &Project,
    index: &Index,
    old: &Catalog,
    columns: Columns,
    fresh: Vec<Fresh>,
    at: &str,
) -> Result<(Catalog, Option<String>)> {
    let manifest = Manifest::read(&project.imports())?;
    let mut catalog = old.with_columns(columns);
    for new in &fresh {
        let path = project.imports().join(&new.part.file);
        add(&mut catalog, &new.part, Reader::open(&path, new.frames.clone(), new.part.rows)?);
    }
    let old_parts = manifest.entries.iter().flat_map(|e| &e.parts);
    let segments = segments(old_parts.chain(fresh.iter().map(|f| &f.part)));
    let n = manifest.next();
    let parts = fresh.iter().map(|f| f.part.clone()).collect();
    Manifest::append(&project.imports(), &Entry { v: 1, n, at: at.to_string(), parts })?;
    let frames: Vec<_> = fresh.into_iter().map(|f| (f.part.file, f.frames)).collect();
    let written = index
        .meta()
        .and_then(|meta| {
            let meta = describe(segments, &catalog, meta);
            index.write_catalog(&catalog, old.len() / BLOCK_ROWS, &frames, &meta)
        })
        .err()
        .map(|p| format!("the import is in, but the store could not be written ({p}); opening again rebuilds it"));
    Ok((catalog, written))
}

#[cfg(test)]
mod tests {
    use super::super::columns::tests::item;
    use super::super::journal::Journal;
    use super::super::segment::Writer;
    use super::*;
    use crate::model::{Act, Field, Judgement, Seen, Status, Verdict};

    fn fill(root: &Path, from: i64, to: i64) -> Opened {
        let project = Project::open(root).or_else(|_| Project::init(root)).unwrap();
        let mut opened = open(&project).unwrap();
        let mut columns = opened.catalog.columns().clone();
        let mut writer = Writer::create(&project.imports()).unwrap();
        for n in from..to {
            let item = item(n, ["animal", "plant"][n as usize % 2]);
            columns.push(&item).unwrap();
            writer.push(&item).unwrap();
        }
        let file = format!("{from}.jsonl.zst");
        let done = writer.finish(&file).unwrap();
        let part = Part {
            file,
            holds: Holds::Items { dataset: "set".into() },
            rows: done.rows,
            duplicates: 0,
            bytes: done.bytes,
            blake3: done.blake3,
            source: "made".into(),
            source_blake3: String::new(),
        };
        let fresh = vec![Fresh { part, frames: done.frames }];
        let (catalog, notice) = adopt(&project, &opened.index, &opened.catalog, columns, fresh, "now").unwrap();
        assert_eq!(notice, None);
        opened.catalog = catalog;
        opened
    }

    fn judge(root: &Path, n: i64) {
        let decision = Decision {
            uuid: uuid::Uuid::from_u128(n as u128),
            rev: n as u64,
            at: 5,
            who: "ann".into(),
            item: format!("set/{n}"),
            act: Act::Judge(Judgement {
                verdict: Verdict::Accept,
                reasons: vec![],
                note: None,
                ms: None,
                seen: Seen::Script,
            }),
        };
        Journal::open(&root.join("sessions"), "ann").unwrap().append(&[decision]).unwrap();
    }

    #[test]
    fn a_deleted_store_comes_back_the_same_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        drop(fill(dir.path(), 0, 5000));
        judge(dir.path(), 4999);
        let project = Project::open(dir.path()).unwrap();
        let before = open(&project).unwrap();
        assert!(before.notices.is_empty(), "{:?}", before.notices);
        let item = before.catalog.item(4999).unwrap();
        let columns = before.catalog.columns().clone();
        drop(before);
        std::fs::remove_dir_all(project.store()).unwrap();
        let after = open(&project).unwrap();
        assert!(after.notices[0].contains("rebuilt"), "{:?}", after.notices);
        assert_eq!(after.catalog.item(4999).unwrap(), item);
        assert_eq!(after.catalog.columns().codes, columns.codes);
        assert_eq!(after.overlay.status(4999), Status::Accepted);
        assert_eq!(after.catalog.row_of("set/17").unwrap(), Some(17));
        assert_eq!(after.catalog.row_of("set/x").unwrap(), None);
    }

    #[test]
    fn a_second_import_adds_to_the_first() {
        let dir = tempfile::tempdir().unwrap();
        drop(fill(dir.path(), 0, 300));
        drop(fill(dir.path(), 300, 5000));
        let opened = open(&Project::open(dir.path()).unwrap()).unwrap();
        assert!(opened.notices.is_empty());
        assert_eq!(opened.catalog.len(), 5000);
        assert_eq!(opened.catalog.item(300).unwrap().id, "set/300");
        assert_eq!(opened.catalog.columns().value(Field::Subtask, 4999), "plant");
        let mut seen = 0;
        let each = &mut |row: usize, line: &[u8]| {
            let item: Item = serde_json::from_slice(line).unwrap();
            assert_eq!(item.id, format!("set/{row}"));
            seen += 1;
            Ok(true)
        };
        opened.catalog.each_line(0, each).unwrap();
        assert_eq!(seen, 5000);
    }

    #[test]
    fn columns_of_texts_are_counted_and_summed_up_from_the_segments() {
        use super::super::query::{Match, describe, frequency, matching};
        let dir = tempfile::tempdir().unwrap();
        let opened = fill(dir.path(), 0, 600);
        let mut overlay = Overlay::default();
        overlay.grow(600);
        let rows: Vec<u32> = (100..600).rev().collect();
        let summaries = describe(&opened.catalog, &overlay, &rows).unwrap();
        let of = |field: Field| summaries.iter().find(|s| s.column == field.name()).unwrap();
        assert_eq!((of(Field::Id).present, of(Field::Id).distinct), (500, 500));
        assert_eq!((of(Field::Id).min.as_str(), of(Field::Id).max.as_str()), ("set/100", "set/599"));
        assert_eq!(of(Field::Question).top, "What is number 100?");
        assert_eq!((of(Field::Subtask).distinct, of(Field::Number).min.as_str()), (2, "101"));
        let counted = frequency(&opened.catalog, &overlay, &rows, Field::Question).unwrap();
        assert_eq!((counted.rows.len(), counted.total), (500, 500));
        let found = matching(&opened.catalog, &overlay, &rows, Field::Id, &Match::Regex("/59[01]$".into())).unwrap();
        assert_eq!(found, [591, 592]);
    }

    #[test]
    fn a_damaged_store_is_set_aside_and_rebuilt() {
        let dir = tempfile::tempdir().unwrap();
        drop(fill(dir.path(), 0, 3000));
        let db = dir.path().join("store/db");
        for damage in 0..4 {
            let mut bytes = std::fs::read(&db).unwrap();
            let middle = bytes.len() / 4 * damage;
            bytes[middle..].iter_mut().step_by(3).for_each(|b| *b ^= 0x5a);
            std::fs::write(&db, &bytes).unwrap();
            let opened = open(&Project::open(dir.path()).unwrap()).unwrap();
            assert_eq!(opened.catalog.len(), 3000, "damage {damage}");
            assert_eq!(opened.catalog.item(2999).unwrap().id, "set/2999");
            // Later damage may hit only bytes that sled does not use; the whole file cannot go unnoticed.
            let said = opened.notices.iter().any(|n| n.contains("rebuilt"));
            assert!(said || damage > 0, "damage {damage}: {:?}", opened.notices);
        }
    }

    #[test]
    fn a_current_checkpoint_spares_the_fold_and_a_stale_one_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        drop(fill(dir.path(), 0, 10));
        judge(dir.path(), 3);
        let project = Project::open(dir.path()).unwrap();
        let opened = open(&project).unwrap();
        let length = std::fs::metadata(dir.path().join("sessions/ann.jsonl")).unwrap().len();
        opened.index.write_checkpoint(&opened.overlay, &[0], 3, lengths(&[("ann".into(), length)])).unwrap();
        drop(opened);
        let opened = open(&project).unwrap();
        assert!(opened.ledger.is_none());
        assert_eq!(opened.overlay.status(3), Status::Accepted);
        drop(opened);
        judge(dir.path(), 4);
        let opened = open(&project).unwrap();
        assert!(opened.ledger.is_some());
        assert_eq!(opened.overlay.status(4), Status::Accepted);
    }
}
