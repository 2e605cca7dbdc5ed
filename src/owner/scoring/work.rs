//! A scoring job at work.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lock;
use super::queue::Stored;
use crate::answers;
use crate::context::OwnerContext;
use crate::trust::{self, Reach};
use crate::visibility::AnnotatorView;
use benchtop_files::picture_file::PictureFile;
use benchtop_model::scoring::{Score, ScoreState};
use benchtop_model::{Error, ErrorKind, Filter, Item, Result};
use benchtop_pipeline::scoring::runner::{Subject, failed};
use benchtop_store::scores::Scores;

/// Scores are recorded at most this often: each time costs two syncs.
const RECORD_EVERY: Duration = Duration::from_millis(200);

/// What is left of a job: rows with the numbers of their inputs, each number once.
pub(super) fn left(
    shared: &Arc<OwnerContext>,
    job: &Stored,
    version: &str,
    wanted: &dyn Fn() -> bool,
) -> Result<Vec<(u32, u64)>> {
    let filter = Filter::parse(&job.filter)?;
    let rows: Vec<u32> = match filter.is_empty() {
        true => (0..shared.items.catalog().len() as u32).collect(),
        false => answers::numbers(&AnnotatorView::whole(shared), &filter)?
            .into_iter()
            .map(|n| n - 1)
            .collect(),
    };
    let (_, inputs) = shared.scoring.inputs(shared, wanted)?;
    let scores = shared.scoring.scores(shared, &job.scorer)?;
    let scores = scores
        .as_ref()
        .map(|s| lock(s))
        .filter(|s| s.about().short() == version);
    let again = |state: ScoreState| match state {
        ScoreState::Missing => true,
        ScoreState::Failed | ScoreState::Unparsed | ScoreState::Refused => job.retry,
        ScoreState::Scored | ScoreState::NotApplicable => false,
    };
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for row in rows {
        let Some(key) = inputs.key(&job.scorer, row as usize) else {
            continue;
        };
        let state = scores
            .as_ref()
            .map_or(ScoreState::Missing, |s| s.get(key).0);
        if again(state) && seen.insert(key) {
            left.push((row, key));
        }
    }
    Ok(left)
}

/// An item as it is scored.
fn subject(shared: &OwnerContext, row: u32, key: u64) -> Result<Subject> {
    let json = answers::line(shared, row)?;
    let item: Item = serde_json::from_str(&json).map_err(|e| {
        Error::new(
            ErrorKind::Corrupt,
            format!("item #{} cannot be read: {e}", row + 1),
        )
    })?;
    let files = PictureFile::all(shared.project.root(), &item.images);
    let picture = item
        .images
        .first()
        .and_then(|i| i.hash.as_deref())
        .and_then(benchtop_model::generated_image::file_key);
    Ok(Subject {
        key,
        files,
        picture: picture.unwrap_or_default(),
        item,
    })
}

/// Works on a job until it is done (true), or it is to be left as it is (false).
///
/// # Errors
/// What keeps it from going on.
pub(super) fn run(shared: &Arc<OwnerContext>, id: u32) -> Result<bool> {
    let desk = &shared.scoring.desk;
    let goes_on = || desk.inner().goes_on(id);
    let stored = desk.inner().live(id).map(|j| j.stored.clone());
    let Some(stored) = stored else {
        return Ok(false);
    };
    let project = trust::as_it_is(shared)?;
    let to = trust::of_scorer(project.config(), &stored.scorer)?;
    trust::check(shared, &to)?;
    let reach = Reach::of(shared, &to);
    let mut runner = (shared.scoring.maker)(&project, &stored.scorer)?;
    let about = runner.about().clone();
    let held = shared.scoring.scores(shared, &stored.scorer)?;
    let scores = match held.filter(|s| *lock(s).about() == about) {
        Some(scores) => scores,
        None => shared
            .scoring
            .put(Scores::begin(&shared.project.store(), about.clone())?),
    };
    let left = left(shared, &stored, &about.short(), &goes_on)?;
    if let Some(live) = desk.inner().live(id) {
        (live.of, live.device) = (Some(live.done + left.len() as u64), about.name.clone());
    }
    // What a scorer gives again to an input that it scored before is no further input.
    let mut open: HashSet<u64> = left.iter().map(|(_, key)| *key).collect();
    for some in left.chunks(runner.batch().max(1)) {
        if !goes_on() {
            return Ok(false);
        }
        trust::check(shared, &to)?;
        let (mut subjects, mut pending): (Vec<Subject>, Vec<(u64, Score)>) =
            (Vec::new(), Vec::new());
        for (row, key) in some {
            let subject = subject(shared, *row, *key)?;
            match reach.refuses(&subject.item) {
                Some(why) => pending.push((*key, failed(&why))),
                None => subjects.push(subject),
            }
        }
        let mut recorded = Instant::now();
        let mut trouble = None;
        let mut record = |pending: &mut Vec<(u64, Score)>| -> Result<()> {
            if pending.is_empty() {
                return Ok(());
            }
            let mut held = lock(&scores);
            let appended = held.append(pending);
            let lost = held.lost();
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
            let mut inner = desk.inner();
            if let Some(live) = inner.live(id) {
                live.came(fresh.len() as u64, without as u64);
                if let Some((_, last)) = pending
                    .iter()
                    .rev()
                    .find(|(_, s)| s.state == ScoreState::Failed)
                {
                    live.why = Some(why(last));
                }
            }
            pending.clear();
            inner.tell(shared, id, false);
            Ok(())
        };
        let ran = runner.score(&subjects, &mut |scored| {
            pending.extend(scored);
            if recorded.elapsed() >= RECORD_EVERY {
                recorded = Instant::now();
                trouble = record(&mut pending).err();
            }
            trouble.is_none() && goes_on()
        });
        // What was scored is kept, whatever happened after it.
        let last = record(&mut pending);
        if let Some(live) = desk.inner().live(id) {
            live.spent = runner.spent();
        }
        ran.and(trouble.map_or(Ok(()), Err)).and(last)?;
    }
    Ok(goes_on())
}

/// Why a score failed, in its own words.
fn why(score: &Score) -> String {
    let said: Option<serde_json::Value> = serde_json::from_str(&score.detail).ok();
    let why = said.as_ref().and_then(|v| v.get("why")?.as_str());
    why.unwrap_or("it failed").to_string()
}
