//! The form of scenarios, without an owner.

use crossterm::event::KeyCode;

use super::scenario::ScenarioPane;
use super::tests::{press, rec, write};
use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{drawn, only, recorder, refused, request as of};
use crate::pane::{Effect, Pane};
use crate::panes::generate::GeneratePane;
use benchtop_model::ColorLevel;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::scenario::{NewScenario, StartedScenario};
use benchtop_protocol::wire::{AnyRequest, request};

fn shown(rec: &Recorder, pane: &mut ScenarioPane) -> String {
    drawn(rec, pane, (120, 40), ColorLevel::True)
}

/// The form, and the request of its first preview.
fn opened(rec: &Recorder) -> (ScenarioPane, Effect) {
    let mut pane = ScenarioPane::default();
    let effects = rec.call(&mut pane, |pane, cx| pane.open(cx));
    (pane, sent(effects))
}

fn wanted(effect: &Effect) -> Option<&NewScenario> {
    match effect {
        Effect::Ask(ask) => match &ask.request {
            AnyRequest::Scenario(request::Scenario(new)) => Some(new),
            _ => None,
        },
        _ => None,
    }
}

/// The request for a scenario among these effects.
#[track_caller]
fn sent(effects: Vec<Effect>) -> Effect {
    let found = effects.into_iter().find(|effect| wanted(effect).is_some());
    found.expect("no request for a scenario")
}

fn counted(pictures: u64) -> StartedScenario {
    StartedScenario {
        items: 2 * pictures,
        pictures,
        sources: pictures,
        datasets: vec!["kites-corruption".into()],
        excluded: vec![("no picture".into(), 5)],
        dealt: vec![("severity".into(), "3".into(), 4)],
        bytes: 3_200_000,
        ..StartedScenario::default()
    }
}

fn job(id: u32) -> JobState {
    JobState {
        id,
        standing: JobStatus::Running,
        ..JobState::default()
    }
}

#[test]
fn the_form_starts_the_job_that_it_previewed_and_goes_to_it() {
    let rec = rec();
    let (mut pane, preview) = opened(&rec);
    let new = wanted(&preview).unwrap();
    assert!(new.dry && new.plan.scenario == "corruption");
    rec.reply::<request::Scenario>(&mut pane, preview, Ok(counted(4)));
    let text = shown(&rec, &mut pane);
    for part in [
        "4 pictures",
        "8 new items in kites-corruption",
        "3.2 MB",
        "5 items",
        "3 x 4",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let start = sent(rec.act(&mut pane, Action::FormSubmit));
    assert!(!wanted(&start).unwrap().dry);
    refused(&rec.act(&mut pane, Action::FormSubmit));
    let started = StartedScenario {
        job: Some(job(5)),
        ..counted(4)
    };
    let effects = rec.reply::<request::Scenario>(&mut pane, start, Ok(started));
    let target = effects.into_iter().find_map(|effect| match effect {
        Effect::Open(target) => Some(target),
        _ => None,
    });
    // The cursor among the jobs is on the new one, also if others are before it.
    let rec = recorder();
    let mut jobs = GeneratePane::default();
    let effects = rec.call(&mut jobs, |jobs, cx| {
        jobs.show(target.unwrap(), PaneId::Scenario, cx);
    });
    let is_jobs = |effect: &Effect| {
        matches!(effect, Effect::Ask(_)) && matches!(of(effect), AnyRequest::Jobs(_))
    };
    let ask = only(effects.into_iter().filter(is_jobs).collect());
    let list = vec![job(2), job(5), job(1)];
    rec.reply::<request::Jobs>(&mut jobs, ask, Ok(list));
    assert_eq!(jobs.job().map(|job| job.id), Some(5));
}

#[test]
fn settings_follow_the_scenario_and_a_wrong_one_keeps_the_form() {
    let rec = rec();
    let (mut pane, _) = opened(&rec);
    let text = shown(&rec, &mut pane);
    assert!(
        text.contains("severities") && !text.contains("orientation"),
        "{text}"
    );
    press(&rec, &mut pane, KeyCode::Right);
    let text = shown(&rec, &mut pane);
    assert!(
        text.contains("orientation") && !text.contains("severities"),
        "{text}"
    );
    // Items, seed, size.
    for _ in 0..3 {
        rec.act(&mut pane, Action::FormNext);
    }
    let mut effects = rec.act(&mut pane, Action::FormSubmit);
    let new = wanted(&sent(std::mem::take(&mut effects)))
        .cloned()
        .unwrap();
    assert_eq!(new.plan.scenario, "print-attack");
    write(&rec, &mut pane, "9.9");
    let text = shown(&rec, &mut pane);
    assert!(text.contains("unknown value `9.9`"), "{text}");
    refused(&rec.act(&mut pane, Action::FormSubmit));
}

#[test]
fn a_scenario_of_nothing_is_refused() {
    let rec = rec();
    let (mut pane, preview) = opened(&rec);
    let nothing = StartedScenario {
        already: 7,
        ..StartedScenario::default()
    };
    rec.reply::<request::Scenario>(&mut pane, preview, Ok(nothing));
    assert!(shown(&rec, &mut pane).contains("7 items derived already"));
    refused(&rec.act(&mut pane, Action::FormSubmit));
}

#[test]
fn the_command_line_keeps_what_was_typed_while_the_seed_is_wrong() {
    let rec = rec();
    let (mut pane, _) = opened(&rec);
    rec.act(&mut pane, Action::FormNext);
    rec.act(&mut pane, Action::FormNext);
    write(&rec, &mut pane, "abc");
    let text = shown(&rec, &mut pane);
    assert!(text.contains("scenario corruption --seed 0abc"), "{text}");
}
