//! Works on a scoring job.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::job::{ScoringJob, Stored};
use crate::context::OwnerContext;
use crate::engine::{Live, Slot, Step};
use crate::queries;
use crate::trust::{self, PictureAccess};
use crate::visibility::AnnotatorView;
use benchtop_files::picture_file::PictureFile;
use benchtop_model::cancel::Cancel;
use benchtop_model::generation::NO_ENDPOINT;
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::{Error, ErrorKind, Filter, Item, Result};
use benchtop_pipeline::scoring::build;
use benchtop_pipeline::scoring::runner::{Original, Subject, failed};
use benchtop_store::scores::Scores;

/// Minimum time between two recordings of scores, since each costs two syncs.
const RECORD_EVERY: Duration = Duration::from_millis(200);

/// The remaining work of a job: rows and input keys, each key once.
pub(super) fn left(
    shared: &Arc<OwnerContext>,
    job: &Stored,
    version: &str,
    cancel: Cancel<'_>,
) -> Result<Vec<(u32, u64)>> {
    let filter = Filter::parse(&job.filter)?;
    let rows: Vec<u32> = match filter.is_empty() {
        true => (0..shared.items.catalog().len() as u32).collect(),
        false => queries::numbers(&AnnotatorView::unrestricted(shared), &filter)?
            .into_iter()
            .map(|n| n - 1)
            .collect(),
    };
    let (_, inputs) = shared.scoring.inputs(shared, cancel)?;
    let scores = shared.scoring.scores(shared, &job.scorer)?;
    let scores = scores
        .as_ref()
        .map(|s| s.lock())
        .filter(|s| s.about.short() == version);
    let again = |scores: &Scores, key: u64| match scores.get(key).0 {
        ScoreState::Missing => true,
        ScoreState::Failed | ScoreState::Unparsed | ScoreState::Refused => {
            job.retry && job.since.is_none_or(|end| scores.is_before(key, end))
        }
        ScoreState::Scored | ScoreState::NotApplicable => false,
    };
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for row in rows {
        let Some(key) = inputs.key(&job.scorer, row as usize) else {
            continue;
        };
        let is_left = scores.as_ref().is_none_or(|scores| again(scores, key));
        if is_left && seen.insert(key) {
            left.push((row, key));
        }
    }
    Ok(left)
}

/// An item with its picture files.
fn located(shared: &OwnerContext, row: u32) -> Result<(Item, Vec<PictureFile>)> {
    let json = queries::line(shared, row)?;
    let item: Item = serde_json::from_str(&json)
        .map_err(|e| Error::corrupt(format!("cannot read item #{}: {e}", row + 1)))?;
    let files = PictureFile::all(shared.project.root(), &item.images);
    Ok((item, files))
}

/// An item as input of a scorer. A judge also sees its original.
fn subject(
    shared: &OwnerContext,
    (row, key): (u32, u64),
    original: Option<u32>,
) -> Result<Subject> {
    let (item, files) = located(shared, row)?;
    let original = original.map(|row| located(shared, row)).transpose()?;
    let picture = item
        .images
        .first()
        .and_then(|i| i.hash.as_deref())
        .and_then(benchtop_model::generated_image::file_key);
    Ok(Subject {
        key,
        files,
        picture: picture.unwrap_or_default(),
        original: original.map(|(item, files)| Box::new(Original { item, files })),
        item,
    })
}

/// Scores until another job is first.
pub(super) fn step(shared: &Arc<OwnerContext>, id: u32, _: &mut Slot) -> Result<Step> {
    let scored = score(shared, id);
    shared.scoring.changed();
    match scored {
        // An outage is not the fault of the inputs, so they stay open.
        Err(problem)
            if problem.kind == ErrorKind::Unreachable && problem.what.contains(NO_ENDPOINT) =>
        {
            Ok(Step::Outage(problem.what))
        }
        scored => scored,
    }
}

fn score(shared: &Arc<OwnerContext>, id: u32) -> Result<Step> {
    // A step that was told to stop has left inputs out, so it stays stopped when the job is resumed
    // before the step ends.
    let stopped = AtomicBool::new(false);
    let is_active = || {
        if !shared.jobs.is_active(id) {
            stopped.store(true, Ordering::Relaxed);
        }
        !stopped.load(Ordering::Relaxed)
    };
    let stored = |_: &mut Live, job: &mut ScoringJob| job.spec.clone();
    let Some(stored) = shared.jobs.with(id, stored) else {
        return Ok(Step::More);
    };
    let project = trust::current_project(shared)?;
    let to = trust::of_scorer(project.config(), &stored.scorer)?;
    trust::check(shared, &to)?;
    let reach = PictureAccess::of(shared, &to);
    if stored.scorer == Scorer::Contamination {
        let folders = build::references(&project, &project.config().filter);
        folders
            .iter()
            .try_for_each(|folder| reach.check_folder(folder))?;
    }
    let mut runner = (shared.scoring.maker)(&project, &stored.scorer)?;
    if let Some(meter) = shared.jobs.meter(id) {
        runner.count_requests(meter);
    }
    let about = runner.about().clone();
    let (_, inputs) = shared
        .scoring
        .inputs(shared, Cancel::when(&|| !is_active()))?;
    if stored.scorer == Scorer::Duplicate {
        runner.set_kin(inputs.kin());
    }
    let sees_original = matches!(stored.scorer, Scorer::Judge(_) | Scorer::Contamination);
    let held = shared.scoring.scores(shared, &stored.scorer)?;
    let scores = match held.filter(|s| s.lock().about == about) {
        Some(scores) => scores,
        None => shared.scoring.put(Scores::make_current(
            &shared.project.scores(),
            about.clone(),
        )?),
    };
    // Taken once: a step that follows an interruption does not repeat what failed again.
    let end = scores.lock().end();
    let taken = |_: &mut Live, job: &mut ScoringJob| {
        if job.spec.retry {
            job.spec.since.get_or_insert(end);
        }
        job.spec.clone()
    };
    let Some(stored) = shared.jobs.with(id, taken) else {
        return Ok(Step::More);
    };
    if stored.retry {
        shared.jobs.save(shared, id)?;
    }
    let left = left(
        shared,
        &stored,
        &about.short(),
        Cancel::when(&|| !is_active()),
    )?;
    shared.jobs.with(id, |_, job: &mut ScoringJob| {
        (job.of, job.device) = (Some(job.done + left.len() as u64), about.name.clone());
        job.is_stored = false;
    });
    // Scores that are reported again are not counted again.
    let mut open: HashSet<u64> = left.iter().map(|(_, key)| *key).collect();
    for some in left.chunks(runner.batch().max(1)) {
        if !is_active() || !shared.jobs.goes_on(id) {
            return Ok(Step::More);
        }
        trust::check(shared, &to)?;
        let (mut subjects, mut pending): (Vec<Subject>, Vec<(u64, Score)>) =
            (Vec::new(), Vec::new());
        for (row, key) in some {
            let original = inputs.original(*row).filter(|_| sees_original);
            let subject = subject(shared, (*row, *key), original)?;
            let of_original = subject.original.as_ref();
            let refused = of_original.and_then(|original| reach.refuses(&original.item));
            match refused.or_else(|| reach.refuses(&subject.item)) {
                Some(why) => pending.push((*key, failed(&why))),
                None => subjects.push(subject),
            }
        }
        let mut recorded = Instant::now();
        let mut record_error = None;
        let mut record = |pending: &mut Vec<(u64, Score)>| -> Result<()> {
            if pending.is_empty() {
                return Ok(());
            }
            let mut held = scores.lock();
            let appended = held.append(pending);
            let lost = held.must_reopen();
            drop(held);
            if lost {
                shared.scoring.forget(&stored.scorer);
            }
            appended?;
            shared.scoring.changed();
            let is_without =
                |s: &Score| !matches!(s.state, ScoreState::Scored | ScoreState::NotApplicable);
            let fresh: Vec<&Score> = pending
                .iter()
                .filter(|(key, _)| open.remove(key))
                .map(|(_, score)| score)
                .collect();
            let without = fresh.iter().filter(|score| is_without(score)).count();
            let failed = pending
                .iter()
                .rev()
                .find(|(_, s)| s.state == ScoreState::Failed);
            shared
                .jobs
                .update(shared, id, |live, job: &mut ScoringJob| {
                    live.progressed(fresh.len() as u64);
                    job.done += fresh.len() as u64;
                    job.without += without as u64;
                    job.why = failed.map(|(_, score)| why(score)).or(job.why.take());
                });
            pending.clear();
            Ok(())
        };
        let ran = runner.score(
            &subjects,
            &mut |scored| {
                pending.extend(scored);
                if recorded.elapsed() >= RECORD_EVERY {
                    recorded = Instant::now();
                    record_error = record(&mut pending).err();
                }
                record_error.is_none() && is_active()
            },
            Cancel::when(&|| !is_active()),
        );
        // Keep the scores, whatever happened afterwards.
        let last = record(&mut pending);
        let spent = runner.spent();
        shared
            .jobs
            .with(id, |_, job: &mut ScoringJob| job.spent = spent);
        ran.and(record_error.map_or(Ok(()), Err)).and(last)?;
    }
    Ok(if is_active() { Step::Done } else { Step::More })
}

/// The reason of a failed score.
fn why(score: &Score) -> String {
    let said: Option<serde_json::Value> = serde_json::from_str(&score.detail).ok();
    let why = said.as_ref().and_then(|v| v.get("why")?.as_str());
    why.unwrap_or("no reason given").to_string()
}
