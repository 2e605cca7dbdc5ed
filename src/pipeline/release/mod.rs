//! Releases: a folder with chosen items that is written once, with statistics, a datasheet, licenses,
//! a change log, and a manifest. The same state of a project gives the same bytes.
//!
//! | file | what it does |
//! |---|---|
//! | `chosen` | the first pass over the items |
//! | [`statistics`] | counts and lengths, and the steps of the project |
//! | `source` | the project at one point in time |
//! | `splits` | assigns items to splits |
//! | `licenses` | licenses of pictures and models, and pictures that are left out |
//! | [`datasheet`] | the questions of the datasheet and their answers |
//! | `formats` | the items in the formats of exports |
//! | `charts` | the statistics as SVG |
//! | `document` | the Markdown files |
//! | `folder`, `tree` | a folder that appears whole or not at all |
//! | [`manifest`] | length and hash of every file |
//! | [`verify`] | checks a folder against its manifest |
//! | [`diff`] | the differences between two releases |

mod charts;
mod chosen;
pub mod datasheet;
pub mod diff;
mod document;
mod folder;
mod formats;
mod licenses;
pub mod manifest;
mod source;
mod splits;
pub mod statistics;
mod tree;
pub mod verify;

use std::path::PathBuf;

use self::chosen::Chosen;
use self::datasheet::{AnsweredQuestion, Datasheet};
use self::diff::{RECORD, ReleaseDiff};
use self::folder::Staged;
use self::manifest::Manifest;
pub use self::source::Source;
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::history::stamp;
use benchtop_model::release::{ReleaseRecord, ReleaseReport, ReleaseRequest, VERSION};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::releases;

/// Everything that is known before a release is written.
struct Prepared {
    chosen: Chosen,
    questions: Vec<AnsweredQuestion>,
    changes: Option<ReleaseDiff>,
    /// The record of an earlier release of this name.
    known: Option<ReleaseRecord>,
    out: PathBuf,
    report: ReleaseReport,
}

/// Makes a release, or counts what would be in it.
///
/// # Errors
/// Invalid names and options, a folder that exists, damaged pictures, failed writes, and
/// cancellation. Then nothing is left behind.
pub fn release(
    source: &Source<'_>,
    ask: &ReleaseRequest,
    watch: ProgressSink<'_>,
) -> Result<ReleaseReport> {
    let prepared = prepare(source, ask, watch)?;
    match ask.dry {
        true => Ok(prepared.report),
        false => write(source, ask, prepared, watch),
    }
}

fn prepare(source: &Source<'_>, ask: &ReleaseRequest, watch: ProgressSink<'_>) -> Result<Prepared> {
    ask.check()?;
    let sheet = Datasheet::read(source.project)?;
    let (mut records, mut problems) = releases::read_all(source.project);
    if !problems.is_empty() {
        // The release before would be another one.
        return Err(problems.remove(0));
    }
    let known = records.iter().position(|record| record.name == ask.name);
    let known = known.map(|at| records.remove(at));
    let before = match &known {
        Some(known) => {
            let name = known.before.as_deref();
            records
                .into_iter()
                .find(|record| Some(record.name.as_str()) == name)
        }
        None => records.pop(),
    };
    let day = stamp(source.newest)
        .get(..10)
        .unwrap_or_default()
        .to_string();
    let newest = (source.newest > 0).then_some(day);
    let filter = ask.chosen()?.to_text();
    let head = ReleaseRecord {
        v: VERSION,
        name: ask.name.clone(),
        number: known.as_ref().map_or_else(
            || {
                before
                    .as_ref()
                    .map_or(1, |before| before.number.saturating_add(1))
            },
            |known| known.number,
        ),
        before: before.as_ref().map(|before| before.name.clone()),
        version: ask.version.clone(),
        date: ask.date.clone().or(newest),
        filter: filter.clone(),
        splits: ask.splits.clone(),
        seed: if ask.splits.is_empty() { 0 } else { ask.seed },
        ..ReleaseRecord::default()
    };
    let out = match &ask.out {
        Some(out) => out.clone(),
        None => source.project.releases().join(&ask.name),
    };
    let chosen = Chosen::read(source, ask, head, watch)?;
    let changes = before
        .as_ref()
        .map(|before| diff::diff(before, &chosen.record));
    let answers = datasheet::known(&chosen.statistics, &chosen.licenses, &chosen.record);
    let questions = sheet.filled(&answers);
    let count = |of: fn(&ReleaseDiff) -> usize| changes.as_ref().map_or(0, of) as u64;
    let statistics = &chosen.statistics;
    let report = ReleaseReport {
        name: ask.name.clone(),
        version: chosen.record.version.clone(),
        date: chosen.record.date.clone(),
        exists: out.symlink_metadata().is_ok(),
        again: known.is_some(),
        items: statistics.items,
        datasets: chosen.datasets.keys().cloned().collect(),
        splits: (statistics.splits.iter())
            .map(|(name, n)| (name.clone(), *n))
            .collect(),
        pictures: statistics.pictures.unique,
        without_picture: chosen.without_picture,
        drafts: chosen.drafts,
        sample: chosen.record.sample,
        withheld: statistics.pictures.withheld,
        unlicensed: chosen.licenses.unstated(),
        before: chosen.record.before.clone(),
        added: count(|changes| changes.added.len()),
        removed: count(|changes| changes.removed.len()),
        changed: count(|changes| changes.changed.len()),
        unanswered: datasheet::unanswered(&questions),
        out: out.clone(),
        ..ReleaseReport::default()
    };
    Ok(Prepared {
        chosen,
        questions,
        changes,
        known,
        out,
        report,
    })
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Error::failed(format!("cannot write as JSON: {e}")))?;
    Ok((text + "\n").into_bytes())
}

fn write(
    source: &Source<'_>,
    ask: &ReleaseRequest,
    prepared: Prepared,
    watch: ProgressSink<'_>,
) -> Result<ReleaseReport> {
    let Prepared {
        chosen,
        questions,
        changes,
        known,
        out,
        mut report,
    } = prepared;
    if chosen.statistics.items == 0 {
        return Err(Error::usage("no item to release")
            .field("filter")
            .help("accept items first, or choose others with --filter"));
    }
    // What a killed process wrote whole, but did not record.
    let there = match report.exists {
        true => Some(Manifest::read(&out).map_err(|_| folder::exists(&out))?),
        false => None,
    };
    if there.is_some() && known.is_some() {
        return Err(folder::exists(&out));
    }
    let staged = Staged::begin(source.project, &out, &ask.name)?;
    report.not_in_dysca = formats::write(source, &chosen, staged.path(), watch)?;
    let (record, statistics) = (&chosen.record, &chosen.statistics);
    let project = &source.project.config().name;
    let title = document::title(record);
    let texts = [
        (
            "README.md",
            document::readme(project, record, statistics, &report),
        ),
        ("DATASHEET.md", datasheet::markdown(&title, &questions)),
        ("LICENSES.md", chosen.licenses.text()),
        (
            "CHANGELOG.md",
            document::changelog(record, changes.as_ref()),
        ),
        ("statistics/statistics.txt", statistics.text()),
    ];
    for (name, text) in texts {
        staged.write(name, text.as_bytes())?;
    }
    staged.write("licenses.json", &json(&chosen.licenses)?)?;
    staged.write("datasheet.json", &json(&questions)?)?;
    staged.write("statistics/statistics.json", &json(statistics)?)?;
    for (name, svg) in charts::charts(statistics)? {
        staged.write(&format!("statistics/{name}"), &svg)?;
    }
    if chosen.splits.len() > 1 {
        staged.write("splits.json", &splits(&chosen)?)?;
    }
    staged.write(RECORD, &record.to_json()?)?;
    let manifest = Manifest::of(staged.path(), (&ask.name, record.sample), watch)?;
    staged.write(manifest::FILE, &manifest.to_json()?)?;
    report.files = manifest.files.len() as u64;
    report.bytes = manifest.bytes();
    report.hash.clone_from(&manifest.hash);
    let recorded = ReleaseRecord {
        hash: Some(manifest.hash.clone()),
        ..chosen.record
    };
    if let Some(known) = known {
        if known.hash != recorded.hash {
            let what = format!(
                "the release `{}` exists, and it had other contents",
                ask.name
            );
            return Err(Error::conflict(what)
                .field("name")
                .help("choose another name: the project or the options changed since"));
        }
        watch.cancel.check()?;
        staged.finish()?;
        return Ok(report);
    }
    let new = releases::prepare(source.project, &recorded)?;
    watch.cancel.check()?;
    match there {
        Some(there) if there.hash == manifest.hash => {
            if !verify::verify(&out, Some(&manifest.hash), watch)?.sound {
                return Err(folder::exists(&out));
            }
            drop(staged);
            new.commit()?;
        }
        Some(_) => return Err(folder::exists(&out)),
        None => {
            staged.finish()?;
            new.commit().inspect_err(|_| {
                // It was made here, and nobody knows of it.
                let _ = folder::remove(&out);
            })?;
        }
    }
    Ok(report)
}

/// The ids of the items of each split.
fn splits(chosen: &Chosen) -> Result<Vec<u8>> {
    let ids = |at: usize| {
        let items = chosen.record.items.iter().zip(&chosen.split_of);
        let items = items.filter(|(_, split)| usize::from(**split) == at);
        items.map(|(item, _)| item.id.as_str()).collect::<Vec<_>>()
    };
    let names = chosen.splits.iter().enumerate();
    let splits: std::collections::BTreeMap<&str, Vec<&str>> =
        names.map(|(at, name)| (name.as_str(), ids(at))).collect();
    json(&splits)
}

/// Removes what a killed process left in `releases/`, and records the releases that it wrote whole.
/// Returns notices. Only the owner of the project calls this.
pub fn recover(project: &Project) -> Vec<String> {
    let mut notices = Vec::new();
    let folder = project.releases();
    disk::sweep(&folder);
    for (name, path) in disk::list(&folder) {
        if name.starts_with(folder::PREFIX) && name.ends_with(folder::SUFFIX) {
            if let Err(problem) = folder::remove(&path) {
                notices.push(problem.to_string());
            }
            continue;
        }
        let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let is_known = releases::path(project, &name).symlink_metadata().is_ok();
        if is_folder && !is_known {
            match adopt(project, &name) {
                Ok(()) => notices.push(format!(
                    "the release `{name}` is complete and is recorded now"
                )),
                // Some other folder.
                Err(problem) if problem.kind == ErrorKind::NotFound => {}
                Err(problem) => {
                    notices.push(format!("the release `{name}` is not recorded: {problem}"))
                }
            }
        }
    }
    notices
}

/// Records a release whose folder is there.
fn adopt(project: &Project, name: &str) -> Result<()> {
    let dir = project.releases().join(name);
    let manifest = Manifest::read(&dir)?;
    let path = dir.join(RECORD);
    let bytes = regular::read(&path, releases::RECORD_LIMIT)?;
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let mut files = manifest.files.iter();
    let is_listed = files.any(|file| file.path == RECORD && file.blake3 == hash);
    let record = ReleaseRecord::parse(&bytes).map_err(|problem| problem.file(&path))?;
    if !is_listed || !manifest.is_consistent() || record.name != name || manifest.name != name {
        return Err(Error::corrupt("it does not match its manifest").file(dir));
    }
    let record = ReleaseRecord {
        hash: Some(manifest.hash),
        ..record
    };
    releases::prepare(project, &record)?.commit()
}

/// The questions of the datasheet with the answers of people.
///
/// # Errors
/// Files that cannot be read.
pub fn questions(project: &Project) -> Result<Vec<AnsweredQuestion>> {
    Ok(Datasheet::read(project)?.filled(&datasheet::Known::new()))
}
