use benchtop_model::home::{Home, ItemList, NextStep, PersonActivity, RoundTask};
use benchtop_model::job::{JobState, JobStatus, Newest};
use benchtop_protocol::wire::{AnyRequest, request};

use super::HomePane;
use super::rows::Link;
use crate::action::Action;
use crate::pane::testing::{drawn, only, recorder, request as asked};
use crate::pane::{Effect, Notice, Pane, PaneId, Target, recorder::Recorder};
use benchtop_model::ColorLevel;
use benchtop_protocol::wire::ResumePoint;

fn home() -> Home {
    let mut home = Home {
        counts: vec![
            (ItemList::Items, 1200),
            (ItemList::Pictures, 900),
            (ItemList::Missing, 300),
            (ItemList::Judged, 200),
            (ItemList::Own, 50),
            (ItemList::Accepted, 150),
        ],
        median_seconds: Some(6.0),
        rounds: vec![RoundTask {
            name: "pilot".into(),
            judged: 20,
            share: 120,
        }],
        disputes: vec![("first".into(), 3)],
        people: vec![PersonActivity {
            who: "bob".into(),
            days: (0..14).collect(),
            since: 12,
        }],
        since: Some(0),
        ..Home::default()
    };
    home.next = home.steps();
    home
}

/// The pane of a project with items, with the replies that it asked for.
fn opened(rec: &Recorder, home: Home) -> HomePane {
    let mut pane = HomePane::default();
    let place = ResumePoint::default();
    let started = Notice::Started {
        place: &place,
        items: 1200,
    };
    for effect in rec.notify(&mut pane, started) {
        let Effect::Ask(ask) = &effect else { continue };
        if matches!(ask.request, AnyRequest::Home(_)) {
            rec.reply::<request::Home>(&mut pane, effect, Ok(home.clone()));
        }
    }
    pane
}

fn opens(effects: Vec<Effect>) -> Target {
    match only(effects) {
        Effect::Open(target) => target,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_line_is_the_most_useful_step_and_says_how_long_it_takes() {
    let rec = recorder();
    let mut pane = opened(&rec, home());
    let shown = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    let first = shown.lines().nth(1).unwrap();
    assert!(
        first.contains("▌ Judge the round pilot") && first.contains("20 of 120, about 10 min"),
        "{shown}"
    );
    assert!(
        shown.contains("3 disputes open") && shown.contains("300 missing"),
        "{shown}"
    );
    assert!(
        shown.contains("bob") && shown.contains("12 verdicts"),
        "{shown}"
    );
    let effects = rec.act(&mut pane, Action::Open);
    assert!(matches!(asked(&effects[0]), AnyRequest::Rounds(_)));
}

#[test]
fn every_number_opens_its_items() {
    let rec = recorder();
    let mut pane = opened(&rec, home());
    let mut filters = Vec::new();
    rec.act(&mut pane, Action::Top);
    for line in pane
        .links()
        .into_iter()
        .map(|line| line.len())
        .collect::<Vec<_>>()
    {
        for column in 0..line {
            let effects = rec.act(&mut pane, Action::Open);
            if let Some(Effect::Open(Target::Items(filter))) = effects.into_iter().next() {
                filters.push(filter);
            }
            if column + 1 < line {
                rec.act(&mut pane, Action::Right);
            }
        }
        rec.act(&mut pane, Action::Down);
        (1..line).for_each(|_| drop(rec.act(&mut pane, Action::Left)));
    }
    let listed = [
        ItemList::Items,
        ItemList::Pictures,
        ItemList::Missing,
        ItemList::Judged,
        ItemList::Own,
        ItemList::Accepted,
    ];
    assert_eq!(filters, listed.map(|list| list.filter(&pane.who)));
}

#[test]
fn lists_that_a_blind_round_hides_are_left_out() {
    let rec = recorder();
    let mut pane = opened(&rec, home());
    let shown = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    assert!(
        !shown.contains("passed") && !shown.contains("flagged"),
        "{shown}"
    );
    let mut open = home();
    open.counts.push((ItemList::Passed, 880));
    open.counts.push((ItemList::Flagged, 20));
    let mut pane = opened(&rec, open);
    let shown = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    assert!(
        shown.contains("passed") && shown.contains("20 flagged"),
        "{shown}"
    );
}

#[test]
fn jobs_follow_their_events() {
    let rec = recorder();
    let mut pane = opened(&rec, home());
    let mut job = JobState {
        id: 7,
        name: "drafts".into(),
        standing: JobStatus::Running,
        done: 30,
        of: Some(40),
        ..JobState::default()
    };
    rec.notify(&mut pane, Notice::Job(&job));
    let shown = drawn(&rec, &mut pane, (160, 40), ColorLevel::True);
    assert!(
        shown.contains("7 drafts") && shown.contains("75 %"),
        "{shown}"
    );
    assert!(pane.shows_progress());
    (job.standing, job.reason) = (JobStatus::Paused, Some("no key".into()));
    rec.notify(&mut pane, Notice::Job(&job));
    let shown = drawn(&rec, &mut pane, (160, 40), ColorLevel::True);
    assert!(shown.contains("paused: no key"), "{shown}");
    job.standing = JobStatus::Done;
    rec.notify(&mut pane, Notice::Job(&job));
    let shown = drawn(&rec, &mut pane, (160, 40), ColorLevel::True);
    assert!(
        !shown.contains("drafts") && !pane.shows_progress(),
        "{shown}"
    );
}

#[test]
fn a_wide_screen_shows_the_newest_picture() {
    let rec = recorder();
    let mut pane = opened(&rec, home());
    let job = |id, number| JobState {
        id,
        newest: Some(Newest {
            path: format!("images/aa/{number}.png").into(),
            picture: "a.png".into(),
            number,
            sample: 1,
            draft: true,
        }),
        ..JobState::default()
    };
    for job in [job(4, 7), job(5, 31), job(2, 9)] {
        rec.notify(&mut pane, Notice::Job(&job));
    }
    let shown = |pane: &mut HomePane, size| drawn(&rec, pane, size, ColorLevel::True);
    let wide = shown(&mut pane, (160, 44));
    assert!(wide.contains("#31, job 5, draft"), "{wide}");
    assert!(!shown(&mut pane, (159, 44)).contains("#31"));
    assert!(!shown(&mut pane, (160, 14)).contains("#31"));
}

#[test]
fn an_empty_project_composes_drafts_and_opens_the_review() {
    let rec = recorder();
    let mut pane = HomePane::default();
    let shown = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    for way in ["S", "c", "i"] {
        assert!(
            shown
                .lines()
                .any(|line| line.trim_start().starts_with(&format!("{way}  ")))
        );
    }
    let mut effects = rec.act(&mut pane, Action::ComposeDrafts);
    assert!(matches!(asked(&effects[1]), AnyRequest::Compose(_)));
    let report = benchtop_model::import::Report {
        items: 40,
        ..Default::default()
    };
    let mut effects = rec.reply::<request::Compose>(&mut pane, effects.remove(1), Ok(report));
    let AnyRequest::Generate(ask) = asked(&effects[0]) else {
        panic!("{effects:?}");
    };
    assert_eq!(ask.0.overrides.backend.as_deref(), Some("storyboard"));
    let started = benchtop_model::job::StartedJob::default();
    let effects = rec.reply::<request::Generate>(&mut pane, effects.remove(0), Ok(started));
    assert!(matches!(effects[0], Effect::Open(Target::Review)));
}

#[test]
fn a_dropped_path_is_offered_for_import_and_nothing_starts_by_itself() {
    let rec = recorder();
    let mut pane = HomePane::default();
    let effects = rec.call(&mut pane, |pane, cx| {
        pane.paste("'/data/my set.json'\n", cx);
    });
    let Target::Form(PaneId::Import, Some(path)) = opens(effects) else {
        panic!("no form");
    };
    assert_eq!(path, "'/data/my set.json'");
}

#[test]
fn steps_open_their_panes() {
    let rec = recorder();
    let step = |step: NextStep| Home {
        next: vec![step],
        rounds: Vec::new(),
        disputes: Vec::new(),
        ..home()
    };
    let mut pane = opened(&rec, step(NextStep::Board));
    assert!(matches!(
        opens(rec.act(&mut pane, Action::Open)),
        Target::Pane(PaneId::Board)
    ));
    let mut pane = opened(&rec, step(NextStep::Judge));
    assert!(matches!(
        opens(rec.act(&mut pane, Action::Open)),
        Target::Review
    ));
    let mut pane = opened(&rec, step(NextStep::ReviewFlagged));
    let Target::Items(filter) = opens(rec.act(&mut pane, Action::Open)) else {
        panic!("not a list");
    };
    assert_eq!(filter, ItemList::Flagged.filter(""));
}

#[test]
fn counts_that_take_long_follow_the_others() {
    let rec = recorder();
    let mut pane = HomePane::default();
    let place = ResumePoint::default();
    let started = Notice::Started {
        place: &place,
        items: 1200,
    };
    let asks_home = |effect: &Effect| match effect {
        Effect::Ask(ask) => match &ask.request {
            AnyRequest::Home(home) => Some(home.wait),
            _ => None,
        },
        _ => None,
    };
    let first = rec
        .notify(&mut pane, started)
        .into_iter()
        .find(|effect| asks_home(effect).is_some());
    let first = first.expect("the counts are asked for");
    assert_eq!(asks_home(&first), Some(false));
    let mut early = home();
    early
        .counts
        .retain(|(list, _)| matches!(list, ItemList::Items | ItemList::Judged));
    early.pending = vec![ItemList::Pictures, ItemList::Missing];
    let then = rec.reply::<request::Home>(&mut pane, first, Ok(early));
    let screen = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    assert!(screen.contains("pictures   counting"), "{screen}");
    let second = then.into_iter().find(|effect| asks_home(effect).is_some());
    let second = second.expect("the other counts are asked for");
    assert_eq!(asks_home(&second), Some(true));
    // The line of the pictures can be opened when they are counted. The cursor stays on its line.
    let items = Link::Items(ItemList::Items.filter(""));
    while pane.link() != Some(items.clone()) {
        rec.act(&mut pane, Action::Down);
    }
    rec.act(&mut pane, Action::Down);
    let chosen = pane.link().expect("a line");
    rec.reply::<request::Home>(&mut pane, second, Ok(home()));
    assert_eq!(pane.link(), Some(chosen));
    let screen = drawn(&rec, &mut pane, (80, 20), ColorLevel::True);
    assert!(!screen.contains("counting"), "{screen}");
}
