use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use uuid::Uuid;

use super::SheetPane;
use crate::action::Action;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{drawn_in, lines, only, recorder, refused, request as of, said};
use crate::pane::{Effect, Notice, Pane, PaneId, Target, Viewed};
use crate::panes::review::queue::Queue;
use crate::theme::{Look, Theme};
use benchtop_model::config::Reason;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::{ColorLevel, Error, ErrorKind, PictureSeen, Seen, Status, Verdict};
use benchtop_protocol::wire::{AnyRequest, Decide, ItemView, Receipt, request};

const SIZE: (u16, u16) = (60, 14);

/// An item with a stored picture, or with one that is missing.
pub(super) fn view(number: u32, has_picture: bool) -> ItemView {
    let hash = has_picture.then(|| format!("{number:064x}"));
    let item = json!({
        "id": format!("d/{number}"), "dataset": "d", "key": number, "form": "dysca", "question": "Which animal?",
        "instruction": "Which animal?", "kind": "multiple-choice", "answer": "dog",
        "options": [{"text": "cat", "role": "distractor"}, {"text": "dog", "role": "correct"}],
        "images": [{"name": format!("{number}.png"), "hash": hash, "ext": "png"}],
    });
    ItemView {
        number,
        json: item.to_string(),
        status: Status::Pending,
        rev: 10 + u64::from(number),
        text_rev: 1,
        standing: vec![],
        stale: None,
        original: None,
        chips: vec![],
        comments: 0,
    }
}

pub(super) fn rec() -> Recorder {
    let reason = |key: &str| Reason {
        key: key.into(),
        label: key.into(),
    };
    Recorder {
        has_pictures: true,
        reasons: vec![reason("blurry"), reason("other")],
        ..recorder()
    }
}

pub(super) fn look() -> Look {
    Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false)
}

/// Answers the requests for items.
pub(super) fn load(rec: &Recorder, pane: &mut SheetPane, effects: Vec<Effect>, missing: &[u32]) {
    for effect in effects {
        if let Effect::Ask(ask) = &effect
            && let AnyRequest::Item(request::Item(number)) = ask.request
        {
            let reply = Ok(view(number, !missing.contains(&number)));
            rec.reply::<request::Item>(pane, effect, reply);
        }
    }
}

/// A pane on a queue of `n` items, drawn once. The pictures of `missing` are missing.
pub(super) fn pane_of(rec: &Recorder, n: u32, missing: &[u32]) -> SheetPane {
    let mut pane = SheetPane::default();
    let target = Target::Sheet(Some((Queue::all(n), Some(1))));
    let effects = rec.call(&mut pane, |pane, cx| pane.show(target, PaneId::Review, cx));
    load(rec, &mut pane, effects, missing);
    drawn_in(rec, &mut pane, SIZE, &look());
    pane
}

fn viewed(number: u32, pictures: Vec<PictureSeen>) -> Viewed {
    Viewed {
        number,
        rev: 10 + u64::from(number),
        text_rev: 1,
        seen: Seen::Painted,
        ms: Some(4_000),
        pictures,
    }
}

/// The items of a [`Effect::WhenEachSeen`], answered as seen by the terminal.
fn see(rec: &Recorder, pane: &mut SheetPane, mut effect: Effect, seen: &[u32]) -> Vec<Effect> {
    let Effect::WhenEachSeen(_, asked, _) = &effect else {
        panic!("{effect:?}")
    };
    let seen = seen.iter().copied().filter(|n| asked.contains(n));
    let seen = seen
        .map(|n| viewed(n, vec![PictureSeen::Painted]))
        .collect();
    rec.see_each(pane, &mut effect, seen)
}

pub(super) fn asked(effect: &Effect) -> &[u32] {
    match effect {
        Effect::WhenEachSeen(_, numbers, _) => numbers,
        other => panic!("{other:?}"),
    }
}

fn decides(effects: &[Effect]) -> Vec<Decide> {
    let decide = |effect: &Effect| match effect {
        Effect::Ask(ask) => match &ask.request {
            AnyRequest::Decide(request::Decide(decide)) => Some(decide.clone()),
            _ => None,
        },
        _ => None,
    };
    effects.iter().filter_map(decide).collect()
}

fn receipt(decide: &Decide, rev: u64) -> Receipt {
    Receipt {
        uuid: decide.uuid,
        rev,
        number: decide.number,
        status: Status::Accepted,
        edit: false,
        comment: false,
    }
}

/// Answers the verdicts among the effects in order, from revision 100 on. Those of `refused` are
/// refused.
fn answer(
    rec: &Recorder,
    pane: &mut SheetPane,
    effects: Vec<Effect>,
    refused: &[u32],
) -> Vec<Effect> {
    let mut out = Vec::new();
    for (rev, effect) in (100..).zip(effects) {
        if let [decide] = decides(std::slice::from_ref(&effect)).as_slice() {
            let reply = match refused.contains(&decide.number) {
                true => Err(Error::new(ErrorKind::Conflict, "the item changed")),
                false => Ok(receipt(decide, rev)),
            };
            out.extend(rec.reply::<request::Decide>(pane, effect, reply));
        }
    }
    out
}

/// The items on the sheet.
fn sheet(pane: &SheetPane) -> Vec<u32> {
    pane.painted_items().iter().map(|p| p.number).collect()
}

#[test]
fn accepting_the_rest_judges_each_seen_picture_once_at_its_revision() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let page = pane.page() as u32;
    let all: Vec<u32> = (1..=page).collect();
    assert_eq!(sheet(&pane), all);
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    assert_eq!(asked(&effect), all);
    let effects = see(&rec, &mut pane, effect, &all);
    let sent = decides(&effects);
    assert_eq!(sent.iter().map(|d| d.number).collect::<Vec<_>>(), all);
    for decide in &sent {
        assert_eq!(decide.expected, Some(10 + u64::from(decide.number)));
        let given = &decide.judgement;
        assert_eq!(
            (given.verdict, given.seen),
            (Verdict::Accept, Seen::Painted)
        );
        assert_eq!(given.pictures, [PictureSeen::Painted]);
        assert_eq!(
            given.ms, None,
            "the time of a sheet is not that of a picture"
        );
    }
    let uuids: std::collections::HashSet<Uuid> = sent.iter().map(|d| d.uuid).collect();
    assert_eq!(uuids.len(), sent.len());
    drawn_in(&rec, &mut pane, SIZE, &look());
    assert_eq!(pane.number(), Some(page + 1), "the next sheet");
    let done = answer(&rec, &mut pane, effects, &[]);
    let last = 100 + u64::from(page) - 1;
    assert!(
        matches!(done.as_slice(), [Effect::JudgedMany(Some((100, to)))] if *to == last),
        "{done:?}"
    );
    assert_eq!(pane.progress().receipt.0, format!("✓ {page} saved"));
}

#[test]
fn what_was_not_on_screen_is_not_judged_and_keeps_the_sheet() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let effects = see(&rec, &mut pane, effect, &[1, 2]);
    assert_eq!(decides(&effects).len(), 2);
    assert_eq!(pane.number(), Some(1), "the rest is not on screen yet");
    answer(&rec, &mut pane, effects, &[]);
    // The same key takes the rest, and nothing twice.
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let rest: Vec<u32> = (3..=pane.page() as u32).collect();
    assert_eq!(asked(&effect), rest);
    see(&rec, &mut pane, effect, &rest);
    assert_eq!(pane.number(), Some(pane.page() as u32 + 1));
}

#[test]
fn a_sheet_that_is_still_loading_is_not_judged() {
    let rec = rec();
    let mut pane = SheetPane::default();
    let target = Target::Sheet(Some((Queue::all(50), Some(1))));
    rec.call(&mut pane, |pane, cx| pane.show(target, PaneId::Review, cx));
    drawn_in(&rec, &mut pane, SIZE, &look());
    refused(&rec.act(&mut pane, Action::AcceptSheet));
    assert_eq!(pane.number(), Some(1));
}

#[test]
fn a_refused_verdict_is_that_of_its_item_only() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let page = pane.page() as u32;
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let effects = see(&rec, &mut pane, effect, &(1..=page).collect::<Vec<_>>());
    let done = answer(&rec, &mut pane, effects, &[3]);
    let [Effect::JudgedMany(Some(_)), Effect::Say(toast)] = done.as_slice() else {
        panic!("{done:?}")
    };
    assert!(
        toast.text.contains("#3") && !toast.text.contains("#4"),
        "{toast:?}"
    );
    assert_eq!(pane.progress().receipt.0, format!("✓ {} saved", page - 1));
    assert!(!pane.has_unsaved());
}

#[test]
fn items_with_a_verdict_and_pictures_that_are_missing_are_left() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[2]);
    let mut judged = view(4, true);
    judged.status = Status::Rejected;
    let effects = rec.notify(&mut pane, Notice::Item(4));
    rec.reply::<request::Item>(&mut pane, only(effects), Ok(judged));
    drawn_in(&rec, &mut pane, SIZE, &look());
    let mut effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let numbers = asked(&effect).to_vec();
    assert!(!numbers.contains(&4) && numbers.contains(&2), "{numbers:?}");
    let seen = |n: u32| match n {
        2 => viewed(2, vec![PictureSeen::Missing]),
        n => viewed(n, vec![PictureSeen::Painted]),
    };
    let seen = numbers.iter().map(|n| seen(*n)).collect();
    let effects = rec.see_each(&mut pane, &mut effect, seen);
    let sent = decides(&effects);
    assert_eq!(sent.len(), numbers.len() - 1);
    assert!(sent.iter().all(|decide| decide.number != 2));
    let told = effects
        .iter()
        .any(|e| matches!(e, Effect::Say(t) if t.text.contains("#2")));
    assert!(told, "{effects:?}");
}

#[test]
fn a_rejection_asks_for_reasons_and_one_key_repeats_them() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    refused(&rec.act(&mut pane, Action::SheetRejectAgain));
    let effect = only(rec.act(&mut pane, Action::SheetReject));
    assert_eq!(asked(&effect), [1]);
    let mut menu = only(see(&rec, &mut pane, effect, &[1]));
    assert_eq!(lines(&menu).1[0].0, "blurry");
    let effects = rec.choose(&mut pane, &mut menu, 0);
    let sent = decides(&effects);
    assert_eq!(sent[0].judgement.reasons, ["blurry"]);
    assert_eq!((sent[0].number, sent[0].expected), (1, Some(11)));
    // A second verdict waits for the first.
    refused(&rec.act(&mut pane, Action::SheetFlag));
    rec.act(&mut pane, Action::SheetRight);
    let effect = only(rec.act(&mut pane, Action::SheetRejectAgain));
    assert_eq!(asked(&effect), [2]);
    let effects = see(&rec, &mut pane, effect, &[2]);
    assert_eq!(decides(&effects)[0].judgement.reasons, ["blurry"]);
    // Neither is among the rest.
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    assert_eq!(asked(&effect)[0], 3);
}

#[test]
fn an_unseen_picture_cannot_be_rejected() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let effect = only(rec.act(&mut pane, Action::SheetReject));
    let effects = see(&rec, &mut pane, effect, &[]);
    assert!(refused(&effects).contains("#1"));
    assert!(!pane.has_unsaved());
}

#[test]
fn a_key_judges_all_selected_pictures_as_one_step() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    rec.act(&mut pane, Action::SheetSelect);
    for action in [Action::SheetRight, Action::SheetDown, Action::SheetSelect] {
        rec.act(&mut pane, action);
    }
    let second = pane.number().unwrap();
    let effect = only(rec.act(&mut pane, Action::SheetFlag));
    assert_eq!(asked(&effect), [1, second]);
    let effects = see(&rec, &mut pane, effect, &[1, second]);
    assert_eq!(decides(&effects).len(), 2);
    // Undo would take back one of the two.
    assert!(pane.has_undo());
    refused(&rec.act(&mut pane, Action::Undo));
    let done = answer(&rec, &mut pane, effects, &[]);
    assert!(
        matches!(done.as_slice(), [Effect::JudgedMany(Some((100, 101)))]),
        "{done:?}"
    );
    assert!(!pane.has_undo() && pane.selected.is_empty());
}

#[test]
fn tags_of_selected_pictures_wait_for_their_verdicts_and_come_back_if_those_are_refused() {
    let tag = |key: &str| Reason {
        key: key.into(),
        label: key.into(),
    };
    let rec = Recorder {
        verdict_tags: vec![tag("dark"), tag("cut")],
        ..rec()
    };
    let mut pane = pane_of(&rec, 6, &[]);
    rec.act(&mut pane, Action::SheetSelect);
    rec.act(&mut pane, Action::SheetRight);
    rec.act(&mut pane, Action::SheetSelect);
    let mut menu = only(rec.act(&mut pane, Action::SheetTag));
    assert_eq!(
        lines(&menu).1.iter().map(|l| l.0).collect::<Vec<_>>(),
        ["dark", "cut"]
    );
    said(&rec.choose(&mut pane, &mut menu, 1));
    let shown = drawn_in(&rec, &mut pane, SIZE, &look());
    assert_eq!(shown.matches("[cut").count(), 2, "{shown}");
    let ask = only(rec.act(&mut pane, Action::SheetFlag));
    let effects = see(&rec, &mut pane, ask, &[1, 2]);
    let sent = decides(&effects);
    let tags: Vec<_> = sent
        .iter()
        .map(|d| (d.number, d.judgement.tags.join(" ")))
        .collect();
    assert_eq!(tags, [(1, "cut".to_string()), (2, "cut".to_string())]);
    // The first is saved, and the second is refused: its tags wait again.
    let mut asks = effects.into_iter().filter(|e| matches!(e, Effect::Ask(_)));
    let (first, second) = (asks.next().unwrap(), asks.next().unwrap());
    rec.reply::<request::Decide>(&mut pane, first, Ok(receipt(&sent[0], 40)));
    let refused = Err(Error::new(ErrorKind::Conflict, "changed"));
    rec.reply::<request::Decide>(&mut pane, second, refused);
    assert_eq!(pane.tags.keys().copied().collect::<Vec<_>>(), [2]);
    // A picture is marked in the review.
    let opened = rec.act(&mut pane, Action::SheetMark);
    assert!(
        opened
            .iter()
            .any(|e| matches!(e, Effect::Open(Target::Item(2)))),
        "{opened:?}"
    );
}

#[test]
fn one_verdict_is_undone_alone() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let effect = only(rec.act(&mut pane, Action::SheetFlag));
    let effects = see(&rec, &mut pane, effect, &[1]);
    assert!(!pane.has_undo(), "the owner undoes it, in order");
    let done = answer(&rec, &mut pane, effects, &[]);
    assert!(matches!(done.as_slice(), [Effect::Saved(100)]), "{done:?}");
    assert_eq!(pane.progress().receipt.0, "✓ #1 saved");
}

#[test]
fn undoing_a_step_returns_to_its_sheet() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    rec.act(&mut pane, Action::NextSheet);
    let first = pane.number().unwrap();
    let effects = rec.call(&mut pane, |pane, cx| pane.refresh(cx));
    load(&rec, &mut pane, effects, &[]);
    drawn_in(&rec, &mut pane, SIZE, &look());
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let all = asked(&effect).to_vec();
    let effects = see(&rec, &mut pane, effect, &all);
    answer(&rec, &mut pane, effects, &[]);
    assert_ne!(pane.number(), Some(first));
    rec.notify(&mut pane, Notice::UndoneMany((1, 2)));
    assert_ne!(pane.number(), Some(first), "another step");
    let last = 100 + all.len() as u64 - 1;
    rec.notify(&mut pane, Notice::UndoneMany((100, last)));
    assert_eq!(pane.number(), Some(first));
}

#[test]
fn verdicts_without_a_receipt_are_sent_again() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let effect = only(rec.act(&mut pane, Action::AcceptSheet));
    let all = asked(&effect).to_vec();
    let sent = see(&rec, &mut pane, effect, &all);
    let first = decides(&sent);
    // The owner is gone: nothing is lost, nothing is refused.
    let cut = Recorder {
        is_connected: false,
        ..self::rec()
    };
    for effect in sent {
        let gone = Err(Error::new(ErrorKind::Unreachable, "gone"));
        assert!(
            cut.reply::<request::Decide>(&mut pane, effect, gone)
                .is_empty()
        );
    }
    assert!(pane.has_unsaved());
    let again = rec.notify(&mut pane, Notice::Reconnected);
    let uuids = |sent: &[Decide]| sent.iter().map(|d| d.uuid).collect::<Vec<_>>();
    assert_eq!(uuids(&decides(&again)), uuids(&first));
    answer(&rec, &mut pane, again, &[]);
    assert!(!pane.has_unsaved());
}

#[test]
fn a_round_has_no_contact_sheet() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    rec.call(&mut pane, |pane, cx| {
        pane.show(Target::Sheet(None), PaneId::Review, cx)
    });
    let screen = drawn_in(&rec, &mut pane, SIZE, &look());
    assert!(!screen.contains("#1"), "{screen}");
    assert!(pane.painted_items().is_empty());
    said(&rec.act(&mut pane, Action::AcceptSheet));
    said(&rec.act(&mut pane, Action::Find));
}

#[test]
fn the_sheet_follows_the_window() {
    for size in [(60, 12), (80, 20), (120, 36), (160, 46), (200, 56)] {
        let rec = rec();
        let mut pane = pane_of(&rec, 100, &[]);
        drawn_in(&rec, &mut pane, size, &look());
        let page = pane.page();
        assert!((6..=40).contains(&page), "{size:?}: {page}");
        let screen = drawn_in(&rec, &mut pane, size, &look());
        for number in 1..=page {
            assert!(
                screen.contains(&format!("#{number} ")),
                "{size:?}: #{number}\n{screen}"
            );
        }
        assert!(screen.contains("dog"), "{screen}");
        let painted = pane.painted_items();
        assert_eq!(painted.len(), page);
        let whole = |p: &crate::pane::Painted| p.ready && p.pictures == [PictureSeen::Painted];
        assert!(painted.iter().all(whole), "{painted:?}");
        // Larger pictures are fewer, back to the same.
        rec.act(&mut pane, Action::LargerPictures);
        let larger = pane.page();
        rec.act(&mut pane, Action::SmallerPictures);
        assert!(larger <= page && pane.page() >= larger, "{size:?}");
    }
}

#[test]
fn another_size_keeps_the_picture_under_the_cursor() {
    let rec = rec();
    let mut pane = pane_of(&rec, 1_000, &[]);
    rec.act(&mut pane, Action::LastSheet);
    let number = pane.number();
    for size in [(200, 56), (60, 12), (120, 30)] {
        drawn_in(&rec, &mut pane, size, &look());
        assert_eq!(pane.number(), number);
        assert!(pane.on_sheet().contains(&number.unwrap()));
    }
}

#[test]
fn a_filter_replaces_the_queue_and_the_review_gets_it_with_the_item() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let mut prompt = only(rec.act(&mut pane, Action::Find));
    let ask = rec.write(&mut pane, &mut prompt, "status:pending").unwrap();
    let ask = ask
        .into_iter()
        .find(|e| matches!(e, Effect::Ask(_)))
        .unwrap();
    assert!(matches!(of(&ask), AnyRequest::Numbers(_)));
    rec.reply::<request::Numbers>(&mut pane, ask, Ok(vec![7, 9]));
    assert_eq!(pane.on_sheet(), [7, 9]);
    rec.act(&mut pane, Action::SheetRight);
    match only(rec.act(&mut pane, Action::SheetOpen)) {
        Effect::Open(Target::Queue {
            number: 9, filter, ..
        }) => {
            assert_eq!(filter.to_text(), "status:pending");
        }
        other => panic!("{other:?}"),
    }
    // Back from the review changes nothing.
    let effects = rec.call(&mut pane, |pane, cx| {
        pane.show(Target::Back(PaneId::Sheet), PaneId::Review, cx);
    });
    assert!(effects.iter().all(|e| matches!(of(e), AnyRequest::Item(_))));
    assert_eq!(pane.number(), Some(9));
}

#[test]
fn the_samples_of_an_item_are_a_sheet_without_verdicts() {
    let rec = rec();
    let mut pane = pane_of(&rec, 100, &[]);
    let ask = only(rec.act(&mut pane, Action::SheetSamples).split_off(1));
    let sample = |sample: u32, hash: u32| GeneratedImage {
        sample,
        seed: u64::from(sample) * 11,
        hash: format!("{hash:064x}"),
        ext: "png".into(),
        ..GeneratedImage::default()
    };
    // The item shows the older one.
    let reply = Ok(vec![sample(2, 77), sample(1, 1)]);
    rec.reply::<request::GeneratedImages>(&mut pane, ask, reply);
    let screen = drawn_in(&rec, &mut pane, SIZE, &look());
    let row = screen.lines().find(|row| row.contains("sample 2")).unwrap();
    assert!(
        row.contains("✓ sample 1") && !row.contains("✓ sample 2"),
        "{screen}"
    );
    assert!(pane.painted_items().is_empty(), "nothing to judge");
    for action in [Action::AcceptSheet, Action::SheetReject, Action::SheetFlag] {
        refused(&rec.act(&mut pane, action));
    }
    rec.act(&mut pane, Action::SheetRight);
    let screen = drawn_in(&rec, &mut pane, SIZE, &look());
    assert!(screen.contains("seed 11"), "{screen}");
    assert!(rec.act(&mut pane, Action::Back).is_empty());
    assert!(drawn_in(&rec, &mut pane, SIZE, &look()).contains("#1 dog"));
}

#[test]
fn a_tiny_window_draws_without_a_panic() {
    for (width, height) in [(0, 0), (1, 1), (3, 2), (10, 3), (20, 5)] {
        let rec = rec();
        let mut pane = pane_of(&rec, 30, &[]);
        let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
        rec.draw(&mut pane, buf.area, &mut buf, &look());
        rec.act(&mut pane, Action::SheetDown);
        assert!(pane.number().is_some());
    }
}
