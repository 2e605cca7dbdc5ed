use super::testing::pane_at;
use super::*;
use crate::action::Action;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{only, recorder};
use crate::pane::{Context, Effect, Notice, Picked, Typed, Viewed};
use benchtop_model::Seen;
use benchtop_model::config::Reason;
use benchtop_protocol::wire::{AnyRequest, request};

fn rec() -> Recorder {
    let mut rec = recorder();
    rec.reasons = vec![Reason {
        key: "ugly".into(),
        label: "not nice to see".into(),
    }];
    rec
}

/// Opens the prompt of the note on screen. Returns it and its text.
fn note(rec: &Recorder, pane: &mut ReviewPane) -> (Effect, String) {
    let prompt = only(rec.act(pane, Action::Note));
    let Effect::Prompt(shown, _) = &prompt else {
        panic!("{prompt:?}")
    };
    let text = shown.value().to_string();
    (prompt, text)
}

fn typed(rec: &Recorder, pane: &mut ReviewPane, prompt: &mut Effect, typed: Typed<'_>) {
    rec.call(pane, |pane: &mut ReviewPane, cx: &mut Context<'_>| {
        if let Effect::Prompt(_, then) = prompt {
            (then.0)(pane, typed, cx).unwrap();
        }
    });
}

fn write(rec: &Recorder, pane: &mut ReviewPane, text: &str) {
    let (mut prompt, _) = note(rec, pane);
    typed(rec, pane, &mut prompt, Typed::Done(text));
}

fn viewed(number: u32) -> Viewed {
    Viewed {
        number,
        rev: 1,
        text_rev: 1,
        seen: Seen::Painted,
        ms: None,
        pictures: Vec::new(),
    }
}

/// Opens the menu of reasons.
fn reject(rec: &Recorder, pane: &mut ReviewPane, number: u32) -> Effect {
    let mut seen = only(rec.act(pane, Action::Reject));
    only(rec.see(pane, &mut seen, viewed(number)))
}

fn picked(rec: &Recorder, pane: &mut ReviewPane, menu: &mut Effect, picked: Picked<'_>) {
    rec.call(pane, |pane: &mut ReviewPane, cx: &mut Context<'_>| {
        if let Effect::Menu(_, then) = menu {
            (then.0)(pane, picked, cx);
        }
    });
}

#[test]
fn a_note_survives_prompts_and_menus_on_other_items() {
    let (rec, mut pane) = (rec(), pane_at(1));
    write(&rec, &mut pane, "important");
    rec.act(&mut pane, Action::Next);
    let (mut prompt, _) = note(&rec, &mut pane);
    typed(&rec, &mut pane, &mut prompt, Typed::Changed("a"));
    typed(&rec, &mut pane, &mut prompt, Typed::Cancelled);
    let mut menu = reject(&rec, &mut pane, 2);
    picked(&rec, &mut pane, &mut menu, Picked::Noted(""));
    picked(&rec, &mut pane, &mut menu, Picked::Cancelled);
    write(&rec, &mut pane, "also");
    rec.act(&mut pane, Action::Previous);
    assert_eq!(note(&rec, &mut pane).1, "important");
    rec.act(&mut pane, Action::Next);
    assert_eq!(note(&rec, &mut pane).1, "also");
}

#[test]
fn closing_the_menu_of_reasons_restores_the_note() {
    let (rec, mut pane) = (rec(), pane_at(1));
    write(&rec, &mut pane, "abc");
    let mut menu = reject(&rec, &mut pane, 1);
    picked(&rec, &mut pane, &mut menu, Picked::Noted("abcd"));
    picked(&rec, &mut pane, &mut menu, Picked::Cancelled);
    assert_eq!(note(&rec, &mut pane).1, "abc");
}

#[test]
fn a_note_is_stored_before_the_program_quits() {
    let (rec, mut pane) = (rec(), pane_at(1));
    let (mut prompt, _) = note(&rec, &mut pane);
    typed(&rec, &mut pane, &mut prompt, Typed::Changed("abc"));
    let effects = rec.notify(&mut pane, Notice::Quitting);
    let stored = effects.iter().any(|effect| match effect {
        Effect::Ask(ask) => matches!(&ask.request,
            AnyRequest::SetPlace(request::SetPlace(place)) if place.note == Some((1, "abc".into()))),
        _ => false,
    });
    assert!(stored, "{effects:?}");
}

#[test]
fn a_verdict_does_not_skip_an_item_that_a_late_reply_moved_to() {
    let (rec, mut pane) = (rec(), pane_at(5));
    let mut menu = reject(&rec, &mut pane, 5);
    rec.call(&mut pane, |pane, cx| pane.go_to_item(9 - 1, cx));
    let sent = rec.choose(&mut pane, &mut menu, 0);
    assert!(sent.iter().any(|effect| matches!(effect, Effect::Ask(ask)
        if matches!(&ask.request, AnyRequest::Decide(request::Decide(decide)) if decide.number == 5))));
    assert_eq!(pane.number(), Some(8));
}

#[test]
fn a_verdict_in_a_round_names_the_text_that_was_seen() {
    let (rec, mut pane) = (rec(), pane_at(1));
    let mut menu = reject(&rec, &mut pane, 1);
    rec.call(&mut pane, |pane, cx| {
        pane.begin_round(round_state(), Vec::new(), cx);
    });
    let mut new = super::testing::view(1);
    new.text_rev = 5;
    rec.call(&mut pane, |pane, cx| pane.on_item(1, Ok(new), cx));
    let sent = rec.choose(&mut pane, &mut menu, 0);
    let expected = sent.iter().find_map(|effect| match effect {
        Effect::Ask(ask) => match &ask.request {
            AnyRequest::Decide(request::Decide(decide)) => decide.expected,
            _ => None,
        },
        _ => None,
    });
    assert_eq!(expected, Some(1));
}

fn round_state() -> benchtop_model::round::state::RoundState {
    use benchtop_model::round::{NewRound, draw};
    let new = NewRound {
        calibration: 0,
        ..NewRound::new("first", "single".parse().unwrap(), vec!["ann".into()], 1)
    };
    let drawn = draw(&new, &[("a", ""), ("b", "")], &[], "ann", 0).unwrap();
    benchtop_model::round::state::RoundState::without_verdicts(&drawn.round)
}

#[test]
fn resuming_a_round_stays_in_the_pane_that_is_open() {
    let (mut rec, mut pane) = (rec(), ReviewPane::default());
    let place = benchtop_protocol::wire::ResumePoint {
        round: "first".into(),
        ..Default::default()
    };
    let started = Notice::Started {
        place: &place,
        items: 9,
    };
    let effects = rec.notify(&mut pane, started);
    let ask = effects.into_iter().find(
        |effect| matches!(effect, Effect::Ask(ask) if matches!(ask.request, AnyRequest::Rounds(_))),
    );
    rec.is_shown = false;
    let effects = rec.reply::<request::Rounds>(&mut pane, ask.unwrap(), Ok(vec![round_state()]));
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Open(_))),
        "{effects:?}"
    );
}
