use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{only, recorder, refused, request as asked};
use crate::pane::{Effect, Viewed};
use crate::widgets::toast::Severity;
use benchtop_model::round::Protocol;
use benchtop_model::{Error, ErrorKind, Seen, Status};
use benchtop_protocol::wire::{AnyRequest, Receipt};

fn state(name: &str, protocol: Protocol) -> RoundState {
    RoundState {
        left: Vec::new(),
        left_out: 0,
        name: name.into(),
        protocol,
        blind: false,
        overlap: 2,
        items: 4,
        missing: 0,
        people: Vec::new(),
        judged: 8,
        wanted: 8,
        by_status: None,
        strangers: 0,
        created: 0,
        by: "cem".into(),
        closed: None,
        guidelines: None,
        notes: vec![],
    }
}

fn dispute(number: u32) -> Dispute {
    Dispute {
        number,
        item: format!("item-{number}"),
        status: Status::Flagged,
        verdicts: Vec::new(),
        own: false,
        settled: None,
        text_rev: 7,
    }
}

fn viewed(number: u32) -> Viewed {
    Viewed {
        number,
        rev: 9,
        text_rev: 7,
        seen: Seen::Painted,
        ms: None,
        pictures: Vec::new(),
    }
}

/// A pane with two disputes.
fn shown(rec: &Recorder) -> AdjudicatePane {
    let mut pane = AdjudicatePane::default();
    let rounds = vec![state("first", Protocol::BothAccept)];
    let ask = only(rec.open(&mut pane));
    let effects = rec.reply::<request::Rounds>(&mut pane, ask, Ok(rounds));
    for effect in effects {
        if let AnyRequest::Disputes(_) = asked(&effect) {
            let list = vec![dispute(1), dispute(2)];
            rec.reply::<request::Disputes>(&mut pane, effect, Ok(list));
        }
    }
    assert_eq!(pane.current().map(|dispute| dispute.number), Some(1));
    pane
}

fn decide_of(effect: &Effect) -> Decide {
    match asked(effect) {
        AnyRequest::Decide(request::Decide(decide)) => decide.clone(),
        other => panic!("{other:?}"),
    }
}

/// The prompt for the note on a verdict on the first item.
fn note_of(rec: &Recorder, pane: &mut AdjudicatePane, action: Action) -> Effect {
    let mut seen = only(rec.act(pane, action));
    let mut confirm = only(rec.see(pane, &mut seen, viewed(1)));
    only(rec.see(pane, &mut confirm, viewed(1)))
}

/// Accepts the dispute on screen with a note. Returns the request.
fn accept(rec: &Recorder, pane: &mut AdjudicatePane) -> Effect {
    let mut prompt = note_of(rec, pane, Action::AdjudicateAccept);
    assert!(
        rec.write(pane, &mut prompt, " ").is_err(),
        "a note is required"
    );
    let effects = rec.write(pane, &mut prompt, "fine").unwrap();
    let mut asks = effects.into_iter().filter(|e| matches!(e, Effect::Ask(_)));
    asks.next().unwrap()
}

#[test]
fn a_verdict_is_kept_until_its_receipt_and_sent_again_with_its_uuid() {
    let mut rec = recorder();
    let mut pane = shown(&rec);
    let ask = accept(&rec, &mut pane);
    let sent = decide_of(&ask);
    assert_eq!((sent.number, sent.expected), (1, Some(7)));
    assert!(pane.has_unsaved());
    assert_eq!(pane.current().map(|dispute| dispute.number), Some(2));
    // The connection is lost before the reply.
    rec.is_connected = false;
    let lost = Err(Error::new(ErrorKind::Io, "closed"));
    assert!(
        rec.reply::<request::Decide>(&mut pane, ask, lost)
            .is_empty()
    );
    assert!(pane.has_unsaved());
    // The pane need not be on screen when it comes back.
    (rec.is_connected, rec.is_shown) = (true, false);
    let again = only(rec.notify(&mut pane, Notice::Reconnected));
    assert_eq!(decide_of(&again).uuid, sent.uuid);
    let unreachable = Err(Error::new(ErrorKind::Unreachable, "gone"));
    rec.reply::<request::Decide>(&mut pane, again, unreachable);
    let again = only(rec.notify(&mut pane, Notice::Reconnected));
    assert_eq!(decide_of(&again).uuid, sent.uuid);
    let receipt = Receipt {
        uuid: sent.uuid,
        rev: 12,
        number: 1,
        status: Status::Accepted,
        edit: false,
        comment: false,
    };
    let effects = rec.reply::<request::Decide>(&mut pane, again, Ok(receipt));
    assert!(matches!(effects.first(), Some(Effect::Saved(12))));
    assert!(!pane.has_unsaved());
    assert!(rec.notify(&mut pane, Notice::Reconnected).is_empty());
}

#[test]
fn a_refused_verdict_returns_to_its_item() {
    let rec = recorder();
    let mut pane = shown(&rec);
    let ask = accept(&rec, &mut pane);
    let denied = Err(Error::new(ErrorKind::Conflict, "it changed"));
    let effects = rec.reply::<request::Decide>(&mut pane, ask, denied);
    assert!(
        matches!(effects.first(), Some(Effect::Say(toast)) if toast.severity != Severity::Info)
    );
    assert!(!pane.has_unsaved());
    assert_eq!(pane.current().map(|dispute| dispute.number), Some(1));
}

#[test]
fn an_item_is_adjudicated_once() {
    let rec = recorder();
    let mut pane = shown(&rec);
    accept(&rec, &mut pane);
    rec.act(&mut pane, Action::PreviousDispute);
    assert_eq!(pane.current().map(|dispute| dispute.number), Some(1));
    refused(&rec.act(&mut pane, Action::AdjudicateAccept));
}

#[test]
fn a_note_on_an_item_that_left_the_disputes_is_kept() {
    let rec = recorder();
    let mut pane = shown(&rec);
    let mut prompt = note_of(&rec, &mut pane, Action::AdjudicateAccept);
    let mut seen = only(rec.act(&mut pane, Action::AdjudicateReject));
    let mut menu = only(rec.see(&mut pane, &mut seen, viewed(1)));
    pane.disputes = Some(Ok(vec![dispute(2)]));
    assert!(rec.write(&mut pane, &mut prompt, "seen twice").is_err());
    // A menu cannot stay open. The next prompt offers its note.
    rec.call(&mut pane, |pane, cx| {
        let (picks, note) = (vec![0], "too dark".to_string());
        if let Effect::Menu(_, then) = &mut menu {
            (then.0)(
                pane,
                crate::pane::Picked::Chosen(crate::pane::Chosen { picks, note }),
                cx,
            );
        }
    });
    assert!(pane.whys.contains(&"too dark".to_string()));
}

#[test]
fn a_verdict_names_the_text_that_was_seen() {
    let rec = recorder();
    let mut pane = shown(&rec);
    let mut prompt = note_of(&rec, &mut pane, Action::AdjudicateAccept);
    pane.disputes = Some(Ok(vec![Dispute {
        text_rev: 8,
        ..dispute(1)
    }]));
    let effects = rec.write(&mut pane, &mut prompt, "fine").unwrap();
    let ask = effects
        .iter()
        .find(|e| matches!(e, Effect::Ask(_)))
        .unwrap();
    assert_eq!(decide_of(ask).expected, Some(7));
}

#[test]
fn rounds_that_arrive_late_ask_nothing() {
    let mut rec = recorder();
    let mut pane = AdjudicatePane::default();
    let ask = only(rec.open(&mut pane));
    rec.is_shown = false;
    let rounds = ["first", "second"].map(|name| state(name, Protocol::BothAccept));
    let effects = rec.reply::<request::Rounds>(&mut pane, ask, Ok(rounds.to_vec()));
    assert!(effects.is_empty(), "{effects:?}");
}

#[test]
fn only_rounds_that_decide_can_be_chosen_and_late_disputes_are_ignored() {
    let rec = recorder();
    let mut pane = AdjudicatePane::default();
    refused(&rec.act(&mut pane, Action::ChooseRound));
    let ask = only(rec.open(&mut pane));
    let rounds = ["first", "second"].map(|name| state(name, Protocol::BothAccept));
    let rounds = [rounds.to_vec(), vec![state("third", Protocol::Answer)]].concat();
    let mut menu = only(rec.reply::<request::Rounds>(&mut pane, ask, Ok(rounds)));
    let Effect::Menu(shown, _) = &menu else {
        panic!("{menu:?}")
    };
    let names: Vec<&str> = shown.choices().iter().map(|c| c.label.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    let late = rec.choose(&mut pane, &mut menu, 0).remove(0);
    let mut menu = only(rec.act(&mut pane, Action::ChooseRound));
    rec.choose(&mut pane, &mut menu, 1);
    assert!(matches!(asked(&late), AnyRequest::Disputes(_)));
    rec.reply::<request::Disputes>(&mut pane, late, Ok(vec![dispute(3)]));
    assert!(pane.current().is_none());
}

#[test]
fn a_settlement_carries_its_tags_and_keeps_them_if_it_is_refused() {
    let rec = Recorder {
        verdict_tags: vec![benchtop_model::config::Reason {
            key: "dark".into(),
            label: "too dark".into(),
        }],
        ..recorder()
    };
    let mut pane = shown(&rec);
    let mut menu = only(rec.act(&mut pane, Action::AdjudicateTag));
    rec.choose(&mut pane, &mut menu, 0);
    let ask = accept(&rec, &mut pane);
    assert_eq!(decide_of(&ask).judgement.tags, ["dark"]);
    assert!(pane.tags.is_empty());
    let conflict = Err(Error::new(ErrorKind::Conflict, "changed"));
    rec.reply::<request::Decide>(&mut pane, ask, conflict);
    assert_eq!(pane.tags.get(&1), Some(&vec!["dark".to_string()]));
    let opened = rec.act(&mut pane, Action::AdjudicateMark);
    assert!(
        opened
            .iter()
            .any(|e| matches!(e, Effect::Open(Target::Item(1)))),
        "{opened:?}"
    );
}
