//! The Filters pane and the queue of flagged items through the whole program, against an owner that plays its part and
//! can be made to wait: what is on the screen before it has answered is then certain.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use benchtop::files::project::Project;
use benchtop::model::job::JobState;
use benchtop::model::scoring::job::{Phase, ScoringState};
use benchtop::model::scoring::queries::{
    ExplainedScore, Explanation, FlagOrder, MatchingRule, RulesDiff, RulesState, Sample,
    ScorerState, Tally, ThresholdTuning, TuningQuery,
};
use benchtop::model::scoring::rules::{RuleAction, RuleSet, Threshold};
use benchtop::model::scoring::{Outcome, ScoreState, Scorer};
use benchtop::model::{ColorLevel, Error, ErrorKind, Result, Status};
use benchtop::protocol::lock;
use benchtop::protocol::wire::{
    AnyReply, AnyRequest, Event, FromOwner, ItemView, OwnerStatus, PROTOCOL, Receipt, Request,
    ToOwner, Welcome, request,
};

use super::support::{Seat, Terminal, question};
use crate::support::{has_line, has_word, wording};

const ITEMS: u32 = 5;

/// What the owner keeps.
struct State {
    /// Looks at a score wait here.
    held: bool,
    /// Lines that were looked at.
    looks: Vec<Option<f32>>,
    /// Questions of doubtful items, and rules that were saved.
    doubts: Vec<(String, FlagOrder)>,
    rules: RuleSet,
    rev: u64,
    accepted: Vec<u32>,
    /// Items from this number on are flagged.
    chips_from: u32,
    client: Option<UnixStream>,
}

/// An owner that plays its part.
struct Played {
    _dir: tempfile::TempDir,
    project: Project,
    state: Arc<(Mutex<State>, Condvar)>,
}

fn flag(at: f64) -> RuleSet {
    RuleSet::default().with(
        &"clip".parse().unwrap(),
        RuleAction::Flag,
        None,
        Threshold::new(at),
    )
}

impl Played {
    fn new() -> Played {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("kites");
        Project::init(&root).unwrap();
        let project = Project::open(&root).unwrap();
        project.ensure_private_runtime().unwrap();
        let listener = UnixListener::bind(lock::socket_path(&project).unwrap()).unwrap();
        let state = State {
            held: false,
            looks: vec![],
            doubts: vec![],
            rules: flag(25.0),
            rev: 7,
            accepted: vec![],
            chips_from: 3,
            client: None,
        };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Played {
            _dir: dir,
            project,
            state,
        }
    }

    fn seat(&self, terminal: Terminal) -> Seat {
        Seat::beside(Project::open(self.project.root()).unwrap(), "ann", terminal)
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        let out = f(&mut self.state.0.lock().unwrap());
        self.state.1.notify_all();
        out
    }

    fn tell(&self, event: Event) {
        self.with(|state| say(state.client.as_mut().unwrap(), &FromOwner::Event(event)));
    }
}

fn say(stream: &mut UnixStream, message: &FromOwner) {
    let body = postcard::to_stdvec(message).unwrap();
    let _ = stream.write_all(&[&(body.len() as u32).to_be_bytes()[..], &body].concat());
}

fn hear(stream: &mut UnixStream) -> Option<ToOwner> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut body).ok()?;
    postcard::from_bytes(&body).ok()
}

fn serve(mut stream: UnixStream, shared: &(Mutex<State>, Condvar)) {
    let Some(ToOwner::Hello(hello)) = hear(&mut stream) else {
        return;
    };
    assert_eq!(hello.protocol, PROTOCOL);
    let welcome = Welcome {
        pid: 1,
        version: hello.version,
        project: "kites".into(),
        root: "/nowhere".into(),
        rev: 7,
        items: u64::from(ITEMS),
        reasons: vec![],
        tags: Vec::new(),
        errors: Vec::new(),
        place: None,
        notices: vec![],
    };
    say(&mut stream, &FromOwner::Welcome(Box::new(welcome)));
    shared.0.lock().unwrap().client = Some(stream.try_clone().unwrap());
    while let Some(message) = hear(&mut stream) {
        let ToOwner::Request(number, ask) = message else {
            continue;
        };
        let mut state = shared.0.lock().unwrap();
        let answer = answer(&mut state, &ask);
        while state.held
            && matches!(
                ask,
                AnyRequest::ThresholdTuning(_) | AnyRequest::TryRules(_)
            )
        {
            state = shared.1.wait(state).unwrap();
        }
        drop(state);
        say(&mut stream, &FromOwner::Reply(number, Box::new(answer)));
    }
}

fn answer(state: &mut State, ask: &AnyRequest) -> Result<AnyReply> {
    Ok(match ask {
        AnyRequest::Status(request::Status) => request::Status::pack(OwnerStatus {
            pid: 1,
            version: String::new(),
            socket: "socket".into(),
            started: String::new(),
            clients: 1,
            jobs: 0,
            root: "/nowhere".into(),
            project: "kites".into(),
            items: u64::from(ITEMS),
            by_status: vec![],
            prediction_sets: 0,
            rev: state.rev,
            decisions: 0,
            store_bytes: 0,
            read_only: None,
            notices: vec![],
            latency: Vec::new(),
            released: None,
            metadata: None,
        }),
        AnyRequest::Item(request::Item(number)) => request::Item::pack(item(state, *number)),
        AnyRequest::Decide(request::Decide(decide)) => {
            state.rev += 1;
            state.accepted.push(decide.number);
            let (uuid, rev, number) = (decide.uuid, state.rev, decide.number);
            request::Decide::pack(Receipt {
                uuid,
                rev,
                number,
                status: Status::Accepted,
                edit: false,
                comment: false,
            })
        }
        AnyRequest::FlaggedItems(request::FlaggedItems { filter, order, .. }) => {
            state.doubts.push((filter.to_text(), *order));
            request::FlaggedItems::pack(vec![3, 2])
        }
        AnyRequest::Explain(request::Explain { number }) => {
            request::Explain::pack(explanation(*number))
        }
        AnyRequest::Scorers(request::Scorers) => request::Scorers::pack(vec![ScorerState {
            scorer: Scorer::Clip,
            what: Scorer::Clip.help().into(),
            doubt: Scorer::Clip.suspicious_end(),
            not_ready: None,
            version: String::new(),
            items: [0, 1000, 0, 0, 0, 0],
            job: None,
        }]),
        AnyRequest::ThresholdTuning(request::ThresholdTuning(ask)) => {
            state.looks.push(ask.flag);
            request::ThresholdTuning::pack(look(ask))
        }
        AnyRequest::Rules(request::Rules) => request::Rules::pack(rules(state)),
        AnyRequest::TryRules(_) => {
            let tally = Tally {
                items: [712, 159, 0],
                ..Tally::default()
            };
            let lines = vec!["~ clip low: flag if clip < 24".into()];
            request::TryRules::pack(RulesDiff {
                tally,
                hits: vec![159],
                lines,
                ..RulesDiff::default()
            })
        }
        AnyRequest::ApplyRules(request::ApplyRules {
            rules: new,
            revision,
        }) if *revision == state.rev.to_string() => {
            state.rules = new.clone();
            state.rev += 1;
            request::ApplyRules::pack(rules(state))
        }
        AnyRequest::ApplyRules(_) => {
            return Err(Error::new(
                ErrorKind::Conflict,
                "benchtop.toml changed meanwhile",
            ));
        }
        AnyRequest::Subscribe(_) => request::Subscribe::pack(()),
        AnyRequest::SetPlace(_) => request::SetPlace::pack(()),
        AnyRequest::PrioritizePicture(_) => request::PrioritizePicture::pack(None),
        _ => {
            return Err(Error::new(
                ErrorKind::Usage,
                "this is a command, not a question",
            ));
        }
    })
}

fn rules(state: &State) -> RulesState {
    let tally = Tally {
        items: [400, 200, 0],
        ..Tally::default()
    };
    let (rules, revision) = (state.rules.clone(), state.rev.to_string());
    RulesState {
        hits: vec![200],
        rules,
        revision,
        tally,
        history: 0,
        problem: None,
    }
}

/// A thousand items from 10 to 40, evenly.
fn look(ask: &TuningQuery) -> ThresholdTuning {
    let count = u64::from(ask.bars);
    let bars: Vec<u64> = (0..count)
        .map(|at| (at + 1) * 1000 / count - at * 1000 / count)
        .collect();
    let flagged = ask.flag.map_or(0, |flag| {
        (((flag - 10.0) / 30.0).clamp(0.0, 1.0) * 1000.0).round() as u64
    });
    let tally = Tally {
        items: [1000 - flagged, flagged, 0],
        ..Tally::default()
    };
    let sample = |number| Sample {
        number,
        value: 25.0,
        picture: None,
        text: "a kite".into(),
    };
    ThresholdTuning {
        measure: ask.measure.clone(),
        logit: 100.0,
        range: Some((10.0, 40.0)),
        ends: (10.0, 40.0),
        rejected: vec![0; bars.len()],
        bars,
        groups: vec![("odd".into(), tally)],
        tally,
        precision: None,
        recall: None,
        percentile: Some(flagged as f32 / 1000.0),
        pair: None,
        good: vec![sample(2)],
        bad: vec![sample(3)],
        cross: None,
    }
}

fn item(state: &State, number: u32) -> ItemView {
    let chip = MatchingRule {
        rule: "clip low".into(),
        then: RuleAction::Flag,
        words: "clip 21.3 < 25".into(),
    };
    let accepted = state.accepted.contains(&number);
    ItemView {
        number,
        json: serde_json::to_string(&question(i64::from(number))).unwrap(),
        status: if accepted {
            Status::Accepted
        } else {
            Status::Pending
        },
        rev: if accepted { state.rev } else { 1 },
        text_rev: 0,
        standing: vec![],
        stale: None,
        original: None,
        chips: if number >= state.chips_from {
            vec![chip]
        } else {
            vec![]
        },
        comments: 0,
    }
}

fn explanation(number: u32) -> Explanation {
    let clip = ExplainedScore {
        scorer: Scorer::Clip,
        state: ScoreState::Scored,
        values: vec![("clip".into(), 21.3), ("clip.cosine".into(), 0.213)],
        percentile: Some(0.061),
        conditions: vec![("clip < 25".into(), true)],
        detail: r#"{"failed":["the kite is red"]}"#.into(),
        version: "1f3a".into(),
        out_of_date: false,
        counted: None,
    };
    Explanation {
        number,
        outcome: Outcome::Flagged,
        scores: vec![clip],
        ..Explanation::default()
    }
}

#[test]
fn flagged_items_are_queued_explained_and_overridden() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    seat.on(1);
    seat.keys("d");
    seat.wait_for(wording::NEAREST_FIRST);
    seat.keys("<enter>");
    seat.wait_row(&["flagged"]);
    let shown = seat.on(3);
    assert!(
        has_line(&shown, &["flagged", "clip 21.3 < 25", "clip low"]),
        "{shown}"
    );
    seat.keys("e");
    let page = seat.wait_row(&["#3", "flagged"]);
    for part in ["0.2130", "6.1 %", "clip < 25", "the kite is red"] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    seat.keys("<esc>");
    seat.wait_gone(wording::BY_THE_RULES);
    seat.keys("a");
    seat.wait_for(&wording::overrides(3));
    seat.on(2);
    // An item that no rule doubts overrides nothing.
    seat.keys("a");
    let shown = seat.wait_for("#2 saved");
    assert!(!shown.contains(&wording::overrides(2)), "{shown}");
    // Another order begins from all doubtful items again.
    seat.keys("d");
    seat.wait_for(wording::AGAINST_RULES);
    seat.keys("4");
    seat.wait_row(&["judged"]);
    let asked = played.with(|state| state.doubts.clone());
    assert_eq!(
        asked,
        [
            (String::new(), FlagOrder::Nearest),
            (String::new(), FlagOrder::AgainstPeople)
        ]
    );
}

#[test]
fn a_screen_reader_gets_flags_as_sentences() {
    let played = Played::new();
    let terminal = Terminal {
        level: ColorLevel::Mono,
        theme: "mono",
        accessible: true,
        ..Terminal::default()
    };
    let mut seat = played.seat(terminal);
    seat.on(1);
    seat.keys("G");
    seat.on(5);
    let shown = seat.text().replace('\n', " ");
    assert!(shown.contains(wording::RULE_HOLDS), "{shown}");
}

#[test]
fn counts_are_estimated_before_the_owner_answers() {
    for size in [(80, 24), (160, 50)] {
        let played = Played::new();
        let mut seat = played.seat(Terminal {
            size,
            ..Terminal::default()
        });
        seat.on(1);
        seat.keys("gf");
        seat.wait_for("flag 25.0");
        seat.wait_until("the exact counts", |shown| {
            has_word(shown, "500") && !shown.contains('~')
        });
        let before = played.with(|state| {
            state.held = true;
            state.looks.len()
        });
        seat.keys("=");
        seat.wait_row(&["clip", "25.0"]);
        seat.keys("<backspace><backspace><backspace><backspace>19<enter>");
        let shown = seat.wait_for("flag 19.0");
        // 300 of 1,000 are below 19: read from the bars, and said to be.
        let about = |n: i32| (n - 5..=n + 5).any(|n| shown.contains(&format!("~{n}")));
        assert!(about(300) && about(700), "{shown}");
        for _ in 0..20 {
            seat.keys("<left>");
        }
        seat.wait_until("the line to be far left", |shown| {
            !shown.contains("flag 19.0")
        });
        played.with(|state| state.held = false);
        seat.wait_until("the exact counts", |shown| {
            !shown.contains('~') && shown.contains(wording::MORE_KEPT)
        });
        let looks = played.with(|state| state.looks.clone());
        // One was on its way, and then only the newest.
        assert_eq!(looks.len() - before, 2, "{looks:?}");
        assert!(looks.last().unwrap().unwrap() < 19.0, "{looks:?}");
    }
}

#[test]
fn a_threshold_is_set_by_a_click_and_dragged_and_the_counts_follow() {
    let played = Played::new();
    let mut seat = played.seat(Terminal {
        mouse: true,
        size: (160, 50),
        ..Terminal::default()
    });
    seat.on(1);
    seat.keys("gf");
    seat.wait_for("flag 25.0");
    seat.wait_until("the exact counts", |shown| {
        has_word(shown, "500") && !shown.contains('~')
    });
    // The label of the threshold is above its column, once the bars fit the width.
    seat.wait_until("an axis as wide as the pane", |shown| {
        let mut axes = shown.lines().filter(|line| has_word(line, "40.0"));
        axes.any(|line| line.trim_end().chars().count() > 155)
    });
    seat.settled();
    let (x, y) = seat.find("▼flag");
    let asked = |played: &Played| played.with(|state| state.looks.last().copied().flatten());
    assert_eq!(asked(&played), Some(25.0));
    seat.click((x - 12, y + 3));
    seat.wait_gone("flag 25.0");
    let clicked = seat.find("▼flag");
    assert_eq!(clicked, (x - 12, y));
    seat.wait_until("exact counts", |shown| !shown.contains('~'));
    let left = asked(&played).unwrap();
    assert!(left < 25.0, "{left}");
    // Press on it, move with the button down, and release elsewhere.
    seat.mouse(0, (x - 12, y + 2), 'M');
    for column in (x - 12)..=(x + 9) {
        seat.mouse(32, (column, y + 40), 'M');
    }
    seat.wait_until("the line to follow", |s| {
        s.lines()
            .nth(y.into())
            .is_some_and(|line| line.chars().nth((x + 9).into()) == Some('▼'))
    });
    seat.mouse(0, (x + 9, y + 40), 'm');
    seat.mouse(32, (x, y), 'M');
    // The counts of the click are exact too, so only the question tells.
    seat.wait_until("the owner to be asked", |_| {
        asked(&played).is_some_and(|right| right > 25.0)
    });
    seat.wait_until("exact counts", |shown| !shown.contains('~'));
    assert_eq!(seat.find("▼flag"), (x + 9, y), "the button was up");
    // The threshold is an edit that the key saves.
    seat.keys("w");
    seat.wait_for(wording::KEEPS_EDITS);
}

#[test]
fn saving_rules_shows_changes_and_reports_conflicts() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    seat.on(1);
    seat.keys("gf");
    seat.wait_for("flag 25.0");
    seat.keys("=");
    seat.wait_for(wording::THRESHOLD);
    seat.keys("<backspace><backspace><backspace><backspace>24<enter>");
    seat.wait_row(&["24.0", "312", "41"]);
    seat.keys("w");
    seat.wait_for(wording::KEEPS_EDITS);
    // Somebody writes the file while the question stands.
    played.with(|state| {
        state.rules = flag(20.0);
        state.rev += 1;
    });
    seat.keys("<enter>");
    seat.wait_for(wording::OTHER_RULES);
    seat.keys("<enter>");
    seat.wait_gone(wording::OTHER_RULES);
    seat.keys("w");
    seat.wait_for(wording::KEEPS_EDITS);
    seat.keys("<enter>");
    seat.wait_for(wording::RULES_SAVED);
    assert_eq!(played.with(|state| state.rules.clone()), flag(24.0));
    seat.keys("R");
    seat.wait_for("clip < 24");
    // This project's folder is nowhere.
    seat.keys("e");
    seat.wait_for(wording::RULES_BROKEN);
    // What rules make of the items in the review is asked again when they change.
    seat.keys("qgr");
    seat.on(1);
    played.with(|state| state.chips_from = 1);
    played.tell(Event::Rules);
    seat.wait_row(&["flagged", "clip 21.3 < 25"]);
}

/// Types a threshold that is not saved.
fn edit_threshold(seat: &mut Seat) {
    seat.on(1);
    seat.keys("gf");
    seat.wait_for("flag 25.0");
    seat.keys("=");
    seat.wait_for(wording::THRESHOLD);
    seat.keys("<backspace><backspace><backspace><backspace>24<enter>");
    seat.wait_row(&["24.0", "312", "41"]);
}

#[test]
fn a_late_question_does_not_replace_an_open_prompt() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    edit_threshold(&mut seat);
    played.with(|state| state.held = true);
    seat.keys("<left>w/subtask:te");
    seat.wait_for("subtask:te");
    played.with(|state| state.held = false);
    seat.wait_row(&["subtask:te", wording::NOT_OPENED]);
    assert!(!seat.text().contains(wording::KEEPS_EDITS));
    seat.keys("xt");
    seat.wait_for("subtask:text");
    assert_eq!(played.with(|state| state.rules.clone()), flag(25.0));
}

#[test]
fn a_question_of_a_pane_that_was_left_is_reported() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    edit_threshold(&mut seat);
    played.with(|state| state.held = true);
    seat.keys("<left>wgr");
    seat.on(1);
    played.with(|state| state.held = false);
    let shown = seat.wait_row(&[wording::NOT_OPENED, "312"]);
    assert!(!shown.contains(wording::KEEPS_EDITS), "{shown}");
}

#[test]
fn quitting_with_unsaved_rules_asks_in_any_pane() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    edit_threshold(&mut seat);
    seat.keys("<ctrl-c>");
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.keys("<esc>");
    seat.wait_gone(wording::QUIT_UNSAVED);
    seat.keys("gr");
    seat.on(1);
    seat.keys("q");
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.wait_for("benchtop.toml");
    // Saving asks first, in the pane that shows the effect.
    seat.keys("1");
    seat.wait_for(wording::KEEPS_EDITS);
    seat.keys("1");
    seat.wait_for(wording::RULES_SAVED);
    assert_eq!(played.with(|state| state.rules.clone()), flag(24.0));
    seat.leave("<ctrl-c>");
}

#[test]
fn a_busy_scorer_redraws_at_most_four_times_a_second() {
    let played = Played::new();
    let mut seat = played.seat(Terminal::default());
    seat.on(1);
    seat.keys("gf");
    seat.wait_until("the exact counts", |shown| {
        has_word(shown, "500") && !shown.contains('~')
    });
    let frames = |seat: &Seat| {
        seat.raw()
            .windows(8)
            .filter(|w| w == b"\x1b[?2026h")
            .count()
    };
    let (before, from) = (frames(&seat), Instant::now());
    for done in 1..=400 {
        let scoring = Some(Box::new(ScoringState {
            id: 1,
            scorer: Scorer::Clip,
            filter: String::new(),
            phase: Phase::Running,
            done,
            of: Some(400),
            without: 0,
            per_minute: None,
            why: None,
            device: String::new(),
            tokens: None,
            cost_micros: None,
            waits: None,
            drafts: 0,
        }));
        played.tell(Event::Job(Box::new(JobState {
            scoring,
            ..JobState::default()
        })));
    }
    seat.wait_for("400 of 400");
    let drawn = frames(&seat) - before;
    // Besides, scores are counted again once a second, which is told when it is known.
    let elapsed = from.elapsed().as_millis() as usize;
    let most = elapsed / 250 + 3 + 2 * (elapsed / 1000 + 1);
    assert!(drawn <= most, "{drawn} frames where {most} are allowed");
    assert!(drawn >= 1);
}
