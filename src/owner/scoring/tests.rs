use std::collections::HashMap;
use std::sync::mpsc;

use super::*;
use crate::context::Data;
use crate::dispatch::{self, Query, Watch};
use crate::server::open_when_free;
use crate::writer;
use benchtop_files::project::Project;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::generation::Fingerprint;
use benchtop_model::job::{Budget, JobAct, JobStatus};
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringState};
use benchtop_model::scoring::queries::{FlagOrder, RulesState, ScorerState, TuningQuery};
use benchtop_model::scoring::rules::{RuleAction, Threshold};
use benchtop_model::scoring::{Measure, Outcome, Score, ScoreState};
use benchtop_model::{ErrorKind, Field, Filter, Status};
use benchtop_pipeline::compose::{Composition, Order, metadata};
use benchtop_pipeline::scoring::runner::{Runner, ScoreSink, Subject, failed};
use benchtop_protocol::wire::request;
use benchtop_store::scores::ScorerVersion;

/// How long a test waits for an expected event. Never a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the fake scorer does, and its calls.
#[derive(Default)]
struct Script {
    /// How often each input was scored.
    scored: HashMap<u64, u32>,
    /// Number of scores before it blocks; `None` never blocks.
    permits: Option<u64>,
    /// Whether building it fails.
    gone: bool,
    /// Every n-th input fails.
    fails: Option<u64>,
    /// Reports earlier inputs again with each new score.
    again: bool,
    /// Whether it waits between being told to stop and its return.
    lingers: bool,
    /// Whether it was told to stop.
    stopped: bool,
    version: u32,
}

#[derive(Clone, Default)]
struct Small(Arc<Mutex<Script>>);

struct Scoring1 {
    small: Small,
    about: ScorerVersion,
}

impl Runner for Scoring1 {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        7
    }

    fn score(&mut self, subjects: &[Subject], keep: ScoreSink<'_>, _: Cancel<'_>) -> Result<()> {
        for subject in subjects {
            while self.small.0.lock().permits == Some(0) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let score = {
                let mut script = self.small.0.lock();
                script.permits = script.permits.map(|n| n - 1);
                *script.scored.entry(subject.key).or_default() += 1;
                match script.fails {
                    Some(every) if subject.key % every == 0 => failed("scripted failure"),
                    _ => Score::scored((subject.key % 100) as f32, "{\"seen\":true}"),
                }
            };
            let before: Vec<u64> = match self.small.0.lock() {
                script if script.again => script.scored.keys().copied().collect(),
                _ => Vec::new(),
            };
            if !before
                .into_iter()
                .all(|key| keep(Some((key, score.clone()))))
                || !keep(Some((subject.key, score)))
            {
                self.small.0.lock().stopped = true;
                while self.small.0.lock().lingers {
                    std::thread::sleep(Duration::from_millis(1));
                }
                break;
            }
        }
        Ok(())
    }
}

fn maker(small: &Small) -> ScorerFactory {
    let small = small.clone();
    Box::new(move |_, scorer| {
        let version = {
            let script = small.0.lock();
            if script.gone {
                return Err(benchtop_model::Error::not_found(
                    "the fake scorer is missing",
                ));
            }
            script.version
        };
        let print = Fingerprint::default().with("version", version);
        let about = ScorerVersion::new(scorer.clone(), "small".into(), &print, 1.0);
        Ok(Box::new(Scoring1 {
            small: small.clone(),
            about,
        }))
    })
}

struct Rig {
    small: Small,
    shared: Arc<OwnerContext>,
    _queue: mpsc::Receiver<writer::WriterCommand>,
}

impl Rig {
    fn over(project: &Project, small: &Small) -> Rig {
        let opened = open_when_free(project).unwrap();
        let (sender, queue) = mpsc::channel();
        let data = Data {
            catalog: opened.catalog,
            overlay: opened.overlay,
        };
        let none: crate::generate::GeneratorFactory =
            Box::new(|_, _| Err(benchtop_model::Error::input("no generator")));
        let trust =
            benchtop_store::trust::Trust::in_folder(project.root().with_extension("person"));
        let mut shared = OwnerContext::new(
            project.clone(),
            trust,
            opened.index,
            data,
            opened.notices,
            sender,
            0,
            none,
        );
        shared.scoring = Scoring::new(maker(small));
        let shared = Arc::new(shared);
        crate::engine::start(&shared);
        Rig {
            small: small.clone(),
            shared,
            _queue: queue,
        }
    }

    fn ask<R: Query>(&self, ask: R) -> Result<R::Reply> {
        let mut partial = |_| ();
        let mut watch = Watch {
            cancel: Cancel::NEVER,
            partial: &mut partial,
        };
        dispatch::answer(
            ask,
            &crate::visibility::AnnotatorView::unrestricted(&self.shared),
            &mut watch,
        )
    }

    fn begin(&self, dry: bool) -> Result<ScoringState> {
        let new = NewScoring {
            scorer: Scorer::Leakage,
            filter: String::new(),
            dry,
            drafts: false,
        };
        self.ask(request::Score(new, Budget::default()))
    }

    fn act(&self, id: u32, act: JobAct) -> Result<ScoringState> {
        let job = self.ask(request::JobAct { id, act })?;
        Ok(*job.unwrap().scoring.unwrap())
    }

    fn leakage_job(&self) -> Option<ScoringState> {
        let scoring = &self.shared.scoring;
        scoring.job_of(&self.shared, &Scorer::Leakage)
    }

    fn scorers(&self) -> Vec<ScorerState> {
        self.ask(request::Scorers).unwrap()
    }

    fn leakage(&self) -> ScorerState {
        self.scorers()
            .into_iter()
            .find(|s| s.scorer == Scorer::Leakage)
            .unwrap()
    }

    fn until(&self, phase: Phase) -> ScoringState {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let state = self.leakage_job().unwrap();
            if state.phase == phase {
                return state;
            }
            assert!(Instant::now() < deadline, "{phase:?}: {state:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn rules(&self) -> RulesState {
        self.ask(request::Rules).unwrap()
    }

    fn numbers<R: Query<Reply = Vec<u32>>>(&self, ask: R) -> Vec<u32> {
        self.ask(ask).unwrap()
    }

    fn listed(&self, words: &str) -> Vec<u32> {
        self.numbers(request::Numbers(Filter::parse(words).unwrap(), Vec::new()))
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.small.0.lock().permits = None;
        self.shared.jobs.end();
    }
}

/// A project with composed questions.
fn composed(count: u64) -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::init(&dir.path().join("p")).unwrap();
    let opened = open_when_free(&project).unwrap();
    let (metadata, unreadable) = metadata(None).unwrap();
    let order = Order {
        seed: 3,
        count: Some(count),
        ..Order::default()
    };
    let composition = Composition::new(&metadata, &unreadable, &order).unwrap();
    let index = opened.index.get().unwrap();
    composition
        .fill(
            &project,
            index,
            &opened.catalog,
            "2026-01-01T00:00:00Z",
            ProgressSink::NONE,
        )
        .unwrap();
    (dir, project)
}

fn above(threshold: f64) -> RuleSet {
    let measure: Measure = "leakage".parse().unwrap();
    RuleSet::default().with(&measure, RuleAction::Flag, None, Threshold::new(threshold))
}

#[test]
fn a_new_scoring_job_is_announced_once() {
    let (_dir, project) = composed(20);
    let small = Small::default();
    small.0.lock().permits = Some(0);
    let rig = Rig::over(&project, &small);
    let mut events = rig.shared.broadcast.events.subscribe();
    let mut announced = || {
        let mut found = Vec::new();
        while let Ok(event) = events.try_recv() {
            if let Event::Job(job) = event {
                found.push((job.id, job.scoring.unwrap().phase));
            }
        }
        found
    };
    rig.begin(true).unwrap();
    assert_eq!(announced(), [], "a preview creates no job");
    let id = rig.begin(false).unwrap().id;
    rig.until(Phase::Running);
    // The event is sent under the lock that `until` takes, so it has been sent by now.
    assert_eq!(announced(), [(id, Phase::Queued), (id, Phase::Running)]);
}

#[test]
fn repeated_scores_count_once() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.0.lock().again = true;
    let rig = Rig::over(&project, &small);
    let dry = rig.begin(true).unwrap();
    rig.begin(false).unwrap();
    let done = rig.until(Phase::Done);
    assert_eq!((done.done, done.of), (dry.of.unwrap(), dry.of));
}

#[test]
fn job_scores_each_input_once() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    let dry = rig.begin(true).unwrap();
    assert!(dry.of.is_some_and(|n| n > 30 && n <= 60) && small.0.lock().scored.is_empty());
    rig.begin(false).unwrap();
    let done = rig.until(Phase::Done);
    assert_eq!(
        (done.done, done.of, done.without),
        (dry.of.unwrap(), dry.of, 0)
    );
    assert!(small.0.lock().scored.values().all(|n| *n == 1));
    let state = rig.leakage();
    assert_eq!(state.items[usize::from(ScoreState::Scored.code())], 60);
    assert_eq!(
        (state.version.len(), state.job.map(|j| j.phase)),
        (
            done.device.len().max(state.version.len()),
            Some(Phase::Done)
        )
    );
    // Nothing is left, for the next owner either.
    assert_eq!(rig.begin(true).unwrap().of, Some(0));
    drop(rig);
    let rig = Rig::over(&project, &small);
    assert_eq!(rig.leakage().items[1], 60);
    assert_eq!(rig.begin(true).unwrap().of, Some(0));
    // A new version of the scorer has no scores yet; the old ones count until its first job.
    small.0.lock().version = 2;
    assert_eq!(rig.begin(true).unwrap().of, dry.of);
    assert_eq!(rig.leakage().items[1], 60);
    rig.begin(false).unwrap();
    rig.until(Phase::Done);
    assert!(small.0.lock().scored.values().all(|n| *n == 2));
}

#[test]
fn job_continues_after_restart() {
    let (_dir, project) = composed(80);
    let small = Small::default();
    small.0.lock().permits = Some(20);
    let rig = Rig::over(&project, &small);
    rig.begin(false).unwrap();
    assert_eq!(
        rig.begin(false).unwrap_err().kind,
        ErrorKind::Conflict,
        "one job per scorer at a time"
    );
    while small.0.lock().permits != Some(0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(rig);
    assert!(small.0.lock().scored.len() >= 20);
    let rig = Rig::over(&project, &small);
    rig.until(Phase::Done);
    assert!(
        small.0.lock().scored.values().all(|n| *n == 1),
        "nothing twice"
    );
    assert_eq!(rig.leakage().items[1], 80);
}

#[test]
fn files_of_a_scorer_are_opened_once() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.0.lock().permits = Some(5);
    let rig = Rig::over(&project, &small);
    let id = rig.begin(false).unwrap().id;
    while small.0.lock().permits != Some(0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        rig.begin(true).unwrap_err().kind,
        ErrorKind::Conflict,
        "a preview opens them too"
    );
    rig.act(id, JobAct::Cancel).unwrap();
    assert_eq!(
        rig.begin(false).unwrap_err().kind,
        ErrorKind::Conflict,
        "the canceled job is still stopping"
    );
    small.0.lock().permits = None;
    let deadline = Instant::now() + PATIENCE;
    while rig.begin(false).is_err() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
    rig.until(Phase::Done);
    assert!(
        small.0.lock().scored.values().all(|n| *n == 1),
        "nothing is scored twice"
    );
    // A thread that is just exiting must not block a job.
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(190));
        rig.begin(false).unwrap();
        rig.until(Phase::Done);
    }
}

#[test]
fn a_job_resumed_while_its_scorer_stops_leaves_nothing_out() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    (small.0.lock().permits, small.0.lock().lingers) = (Some(10), true);
    let rig = Rig::over(&project, &small);
    let id = rig.begin(false).unwrap().id;
    let until = |expected: fn(&Script) -> bool| {
        let deadline = Instant::now() + PATIENCE;
        while !expected(&small.0.lock()) {
            assert!(Instant::now() < deadline, "the scorer does not go on");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    until(|script| script.permits == Some(0));
    rig.act(id, JobAct::Pause).unwrap();
    small.0.lock().permits = None;
    until(|script| script.stopped);
    rig.act(id, JobAct::Resume).unwrap();
    small.0.lock().lingers = false;
    rig.until(Phase::Done);
    assert_eq!(rig.leakage().items[1], 60);
}

#[test]
fn job_actions_and_missing_scorer() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    (small.0.lock().permits, small.0.lock().fails) = (Some(10), Some(3));
    let rig = Rig::over(&project, &small);
    let id = rig.begin(false).unwrap().id;
    rig.until(Phase::Running);
    rig.act(id, JobAct::Pause).unwrap();
    small.0.lock().permits = None;
    rig.until(Phase::Paused);
    assert_eq!(
        rig.act(id, JobAct::Pause).unwrap_err().kind,
        ErrorKind::Conflict
    );
    assert_eq!(
        rig.act(99, JobAct::Pause).unwrap_err().kind,
        ErrorKind::NotFound
    );
    rig.act(id, JobAct::Resume).unwrap();
    let done = rig.until(Phase::Done);
    assert!(
        done.without > 0 && done.why.as_deref() == Some("scripted failure"),
        "{done:?}"
    );
    let failed = rig.leakage().items[usize::from(ScoreState::Failed.code())];
    assert!(failed > 0);
    // Failures are not retried automatically.
    assert_eq!(rig.begin(true).unwrap().of, Some(0));
    small.0.lock().fails = None;
    rig.act(id, JobAct::Retry).unwrap();
    rig.until(Phase::Done);
    assert_eq!(rig.leakage().items[1], 60);
    (small.0.lock().gone, small.0.lock().version) = (true, 5);
    assert_eq!(rig.begin(false).unwrap_err().kind, ErrorKind::NotFound);
    rig.act(id, JobAct::Retry).unwrap();
    let blocked = rig.until(Phase::Blocked);
    assert!(blocked.why.is_some());
    assert!(rig.act(id, JobAct::Cancel).is_ok());
    assert_eq!(rig.until(Phase::Cancelled).id, id);
    let wrong = request::Score(
        NewScoring {
            scorer: Scorer::Blind,
            filter: String::new(),
            dry: true,
            drafts: false,
        },
        Budget::default(),
    );
    assert_eq!(rig.ask(wrong).unwrap_err().kind, ErrorKind::Usage);
}

#[test]
fn rules_are_tried_applied_and_reverted() {
    let (_dir, project) = composed(60);
    let rig = Rig::over(&project, &Small::default());
    rig.begin(false).unwrap();
    rig.until(Phase::Done);
    let before = rig.rules();
    assert!(
        before.rules.rules.is_empty() && before.tally.items == [60, 0, 0] && before.history == 0
    );
    let diff = rig.ask(request::TryRules(above(50.0))).unwrap();
    let flagged = diff.newly(Outcome::Flagged);
    assert!(flagged > 0 && flagged < 60);
    assert!(
        rig.listed("filter:flagged").is_empty(),
        "a trial changes nothing"
    );
    let mut events = rig.shared.broadcast.events.subscribe();
    let apply = |rules, revision: &str| {
        rig.ask(request::ApplyRules {
            rules,
            revision: revision.into(),
        })
    };
    let now = apply(above(50.0), &before.revision).unwrap();
    assert_eq!(
        (now.tally.items[1], now.hits[0], now.history),
        (flagged, flagged, 1)
    );
    assert!(matches!(events.try_recv(), Ok(Event::Rules)));
    assert_eq!(rig.listed("filter:flagged").len() as u64, flagged);
    assert_eq!(rig.listed("score:leakage>50"), rig.listed("filter:flagged"));
    assert_eq!(rig.listed("filter:kept").len() as u64, 60 - flagged);
    assert_eq!(
        apply(above(40.0), &before.revision).unwrap_err().kind,
        ErrorKind::Conflict,
        "based on outdated rules"
    );
    // The file is edited by hand while the owner runs; the next request uses the new rules.
    let path = project.root().join(benchtop_files::project::FILE);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("above = 50.0", "above = 0.5")).unwrap();
    assert!(rig.rules().tally.items[1] > flagged);
    assert_eq!(
        rig.listed("filter:flagged").len() as u64,
        rig.rules().tally.items[1]
    );
    std::fs::write(&path, "name = \"x\"\n[[rules]]\nname = \"a\"\n").unwrap();
    let wrong = rig.rules();
    assert!(
        wrong.problem.is_some() && wrong.rules == above(0.5),
        "the last readable rules apply"
    );
    std::fs::write(&path, text).unwrap();
    let again = rig.rules();
    assert!(again.problem.is_none());
    let none = rig
        .ask(request::RevertRules {
            revision: again.revision,
        })
        .unwrap();
    assert_eq!((none.tally.items, none.history), ([60, 0, 0], 0));
    assert!(rig.listed("filter:flagged").is_empty());
}

#[test]
fn the_flagged_queue_chips_and_explanations() {
    let (_dir, project) = composed(60);
    let rig = Rig::over(&project, &Small::default());
    rig.begin(false).unwrap();
    rig.until(Phase::Done);
    let revision = rig.rules().revision;
    rig.ask(request::ApplyRules {
        rules: above(50.0),
        revision,
    })
    .unwrap();
    let doubtful = |order| request::FlaggedItems {
        filter: Filter::default(),
        order,
        seed: 1,
    };
    let nearest = rig.numbers(doubtful(FlagOrder::Nearest));
    let mut sorted = nearest.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, rig.listed("filter:flagged"));
    let worst = rig.numbers(doubtful(FlagOrder::Worst));
    let value = |number: u32| {
        let said = rig.ask(request::Explain { number }).unwrap();
        said.scores
            .iter()
            .find(|s| s.scorer == Scorer::Leakage)
            .unwrap()
            .values[0]
            .1
    };
    assert!(
        value(worst[0]) >= value(worst[worst.len() - 1]) && value(nearest[0]) <= value(worst[0])
    );
    let (first, kept) = (nearest[0], rig.listed("filter:kept")[0]);
    let item = |number| {
        let view = rig.ask(request::Item(number)).unwrap();
        view.chips
    };
    assert_eq!((item(first).len(), item(kept).len()), (1, 0));
    assert!(item(first)[0].words.contains("> 50"), "{:?}", item(first));
    rig.shared.items.data_mut().overlay.status[first as usize - 1] = Status::Accepted.code();
    let said = rig.ask(request::Explain { number: first }).unwrap();
    assert!(
        said.overridden
            && said.outcome == Outcome::Flagged
            && said.scores[0].detail.contains("seen")
    );
    assert_eq!(rig.numbers(doubtful(FlagOrder::AgainstPeople)), [first]);
    assert_eq!(
        rig.rules().tally.precision(),
        (0, 1),
        "accepting it makes it a false alarm of the rule"
    );
    assert_eq!(
        rig.ask(request::Explain { number: 61 }).unwrap_err().kind,
        ErrorKind::NotFound
    );
    let ask = TuningQuery {
        measure: "leakage".parse().unwrap(),
        filter: Filter::parse("filter:flagged").unwrap(),
        flag: Some(50.0),
        park: None,
        by: Field::Subtask,
        value: None,
        bars: 20,
        range: None,
        other: None,
        samples: 2,
        across: None,
    };
    let bench = rig.ask(request::ThresholdTuning(Box::new(ask))).unwrap();
    assert_eq!(
        (bench.tally.items[1], bench.good.len(), bench.bad.len()),
        (nearest.len() as u64, 0, 2)
    );
    assert!(bench.bad[0].value > 50.0 && !bench.bad[0].text.is_empty());
}

#[test]
fn a_job_that_cannot_be_written_down_is_not_begun() {
    let (_dir, project) = composed(60);
    let folder = project.root().join("jobs");
    std::fs::write(&folder, "a file in the way").unwrap();
    let rig = Rig::over(&project, &Small::default());
    assert_eq!(rig.begin(false).unwrap_err().kind, ErrorKind::Input);
    assert!(rig.leakage_job().is_none());
    std::fs::remove_file(&folder).unwrap();
    rig.begin(false).unwrap();
    rig.until(Phase::Done);
    let bytes = std::fs::read(project.root().join("jobs/0001.json")).unwrap();
    let (json, checksum) = benchtop_store::json_checksum::split(&bytes);
    let stored: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(checksum, benchtop_store::json_checksum::Checksum::Valid);
    assert_eq!(
        (&stored["v"], &stored["kind"], &stored["scorer"]),
        (&1.into(), &"scoring".into(), &"leakage".into())
    );
}

/// The list of earlier versions, in which scoring jobs had numbers of their own.
#[test]
fn scoring_jobs_of_earlier_versions_get_numbers_of_all_jobs() {
    let (_dir, project) = composed(60);
    std::fs::create_dir_all(project.root().join("jobs")).unwrap();
    let job = |id: u32, scorer: &str, phase: &str| serde_json::json!({"id": id, "scorer": scorer, "filter": "", "phase": phase, "retry": false});
    let list = serde_json::json!([job(1, "leakage", "running"), job(2, "clip", "done")]);
    std::fs::write(project.scoring_jobs(), list.to_string()).unwrap();
    // A job of another kind has the number 1 already.
    let other = serde_json::json!({
        "v": 1, "id": 1, "kind": "judging", "by": "ann", "created": 5, "turn": 0, "standing": "done", "reason": null,
        "ask": {"models": [], "judge": "j", "servers": [{"url": "http://127.0.0.1:9/v1", "key_env": null, "concurrency": 1, "timeout_s": 1}], "max_tokens": 1, "tries": 1, "dry": false},
    });
    std::fs::write(project.root().join("jobs/0001.json"), other.to_string()).unwrap();
    for _ in 0..2 {
        let rig = Rig::over(&project, &Small::default());
        let jobs = rig.shared.jobs.list().unwrap();
        let mut found: Vec<_> = jobs
            .iter()
            .map(|job| (job.id, job.kind.as_str(), job.standing))
            .collect();
        found.sort_unstable_by_key(|(id, ..)| *id);
        // Nobody knows who started it, so it waits.
        let expected = [
            (1, "judging", JobStatus::Done),
            (2, "scoring", JobStatus::Done),
            (3, "scoring", JobStatus::Paused),
        ];
        assert_eq!(found, expected);
        let waits = rig.leakage_job().unwrap().waits.unwrap();
        assert!(waits.elsewhere && !project.scoring_jobs().exists());
    }
}

#[test]
fn a_retry_during_the_last_scores_is_not_lost() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    let rig = Rig::over(&project, &small);
    let all = rig.begin(true).unwrap().of.unwrap();
    {
        let mut script = small.0.lock();
        (script.fails, script.permits) = (Some(1), Some(all - 1));
    }
    let id = rig.begin(false).unwrap().id;
    let deadline = Instant::now() + PATIENCE;
    while small.0.lock().permits != Some(0) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
    rig.act(id, JobAct::Retry).unwrap();
    {
        let mut script = small.0.lock();
        (script.fails, script.permits) = (None, None);
    }
    rig.until(Phase::Done);
    let state = rig.leakage();
    assert_eq!(state.items[usize::from(ScoreState::Scored.code())], 60);
}

#[test]
fn an_interrupted_retry_does_not_repeat_what_failed_again() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.0.lock().fails = Some(1);
    let rig = Rig::over(&project, &small);
    let id = rig.begin(false).unwrap().id;
    let all = rig.until(Phase::Done).done;
    small.0.lock().permits = Some(10);
    rig.act(id, JobAct::Retry).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while small.0.lock().permits != Some(0) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
    rig.act(id, JobAct::Pause).unwrap();
    small.0.lock().permits = None;
    drop(rig);
    // The next owner continues the retry.
    let rig = Rig::over(&project, &small);
    rig.act(id, JobAct::Resume).unwrap();
    rig.until(Phase::Done);
    let script = small.0.lock();
    let tries: u64 = script.scored.values().map(|n| u64::from(*n)).sum();
    let most = script.scored.values().max();
    // The input in flight at the pause may be repeated.
    assert!((2 * all..=2 * all + 7).contains(&tries), "{tries} of {all}");
    assert!(most <= Some(&3), "{most:?}");
}

#[test]
fn a_finished_job_keeps_its_counts_in_the_next_owner() {
    let (_dir, project) = composed(60);
    let small = Small::default();
    small.0.lock().fails = Some(1);
    let rig = Rig::over(&project, &small);
    rig.begin(false).unwrap();
    let done = rig.until(Phase::Done);
    assert!(done.done > 0 && done.without > 0, "{done:?}");
    drop(rig);
    let rig = Rig::over(&project, &small);
    let again = rig.until(Phase::Done);
    assert_eq!(
        (again.done, again.of, again.without),
        (done.done, done.of, done.without)
    );
}

#[test]
fn a_scoring_job_of_an_earlier_version_replaces_no_file() {
    let (_dir, project) = composed(60);
    let folder = project.root().join("jobs");
    std::fs::create_dir_all(&folder).unwrap();
    let job = |id: u32| serde_json::json!({"id": id, "scorer": "leakage", "filter": "", "phase": "done", "retry": false});
    let list = serde_json::json!([job(5), job(6), job(u32::MAX)]);
    std::fs::write(project.scoring_jobs(), list.to_string()).unwrap();
    // A torn file, and a job whose file is lost.
    let kept = [
        ("0005.json", "{\"v\":"),
        ("0005.items.json", "[1]"),
        ("0006.failed.jsonl", "x\n"),
    ];
    for (name, text) in kept {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let rig = Rig::over(&project, &Small::default());
    let jobs = rig.shared.jobs.list().unwrap();
    let mut ids: Vec<u32> = jobs.iter().map(|job| job.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, [7, 8, 9]);
    for (name, text) in kept {
        assert_eq!(
            std::fs::read_to_string(folder.join(name)).unwrap(),
            text,
            "{name}"
        );
    }
}
