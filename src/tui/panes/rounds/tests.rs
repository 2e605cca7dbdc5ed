use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::action::Action;
use crate::theme::Theme;
use benchtop_model::round::{NewRound, Sample, draw};
use benchtop_model::{ColorLevel, Error, Status};
use benchtop_protocol::wire::{AnyRequest, request};

fn state(name: &str, protocol: &str) -> RoundState {
    let people = ["ann", "bob", "cem", "dan", "eve"]
        .map(String::from)
        .to_vec();
    let new = NewRound {
        calibration: 0,
        ..NewRound::new(name, protocol.parse().unwrap(), people, 1)
    };
    let drawn = draw(
        &new,
        &[("a", ""), ("b", ""), ("c", ""), ("d", "")],
        &[],
        "bob",
        1_700_000_000_000,
    )
    .unwrap();
    RoundState::without_verdicts(&drawn.round)
}

fn pane(rounds: Vec<RoundState>) -> RoundsPane {
    let mut pane = RoundsPane::new("ann");
    pane.start(|action| action.keys()[0].to_string());
    pane.on_rounds(Ok(rounds));
    drawn(&mut pane, 80, 21);
    pane
}

fn drawn(pane: &mut RoundsPane, width: u16, height: u16) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(buf.area, &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width.max(1)))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Refuse(why)] => why,
        other => panic!("{other:?}"),
    }
}

fn press(pane: &mut RoundsPane, code: KeyCode) -> Vec<Effect> {
    pane.key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn write(pane: &mut RoundsPane, text: &str) {
    text.chars()
        .for_each(|c| drop(press(pane, KeyCode::Char(c))));
}

fn down(pane: &mut RoundsPane, times: usize) {
    (0..times).for_each(|_| drop(pane.act(Action::FormNext)));
}

/// The request of the form: round, whether it is a preview, and the edit number.
fn asked(effects: &[Effect]) -> (NewRound, bool, Option<u64>) {
    match effects {
        [Effect::Ask(want, AnyRequest::NewRound(request::NewRound { new, dry }))] => {
            let edit = if let ReplyFor::Preview(edit) = want {
                Some(*edit)
            } else {
                None
            };
            ((**new).clone(), *dry, edit)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_pane_names_the_key_for_a_new_round() {
    let mut pane = pane(vec![]);
    assert!(drawn(&mut pane, 80, 21).contains("Press n"));
    for action in [
        Action::Open,
        Action::CloseRound,
        Action::WhatIf,
        Action::ShowGuidelines,
        Action::DeleteRound,
        Action::EditAnnotators,
    ] {
        assert!(refused(&pane.act(action)).contains("n "));
    }
    pane.on_rounds(Err(Error::input("a broken disk")));
    assert!(drawn(&mut pane, 80, 21).contains("a broken disk"));
}

#[test]
fn a_round_shows_question_progress_and_results() {
    let mut first = state("first", "majority 3 of 5");
    (first.judged, first.people[0].1, first.guidelines) = (7, 3, Some("docs/rules.md".into()));
    let mut second = state("second", "answer");
    (second.closed, second.by_status) = (
        Some(1),
        Some(vec![(Status::Accepted, 3), (Status::Pending, 1)]),
    );
    let mut pane = pane(vec![first, second]);
    let shown = drawn(&mut pane, 100, 30);
    for part in [
        "first: majority 3 of 5",
        "35 %",
        "majority 3 of 5",
        "7 of 20 verdicts",
        "ann (you)",
        "guidelines: docs/rules.md",
        "2023-11-14 22:13:20 by bob",
        "it is blind",
        "closed",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Work(round)] if round.name == "first"));
    pane.act(Action::Down);
    assert!(drawn(&mut pane, 160, 47).contains("3 accepted, 1 pending"));
    // A newer list keeps the cursor on its round.
    pane.on_rounds(Ok(vec![
        state("zero", "single"),
        state("first", "single"),
        state("second", "answer"),
    ]));
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Work(round)] if round.name == "second"));
    refused(&pane.act(Action::ShowGuidelines));
}

#[test]
fn closing_asks_first_and_what_if_shows_counts() {
    let mut pane = pane(vec![state("first", "both-accept")]);
    let effects = pane.act(Action::CloseRound);
    let [Effect::AskChoice { purpose, title, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(title.contains("`first`") && pane.chosen(purpose, 1).is_empty());
    let close = pane.chosen(purpose, 0);
    assert!(
        matches!(&close[..], [Effect::Ask(_, AnyRequest::CloseRound(request::CloseRound { round, closed: true }))] if round == "first")
    );
    assert!(
        refused(&pane.on_closed("first", true, Err(Error::input("bob made it"))))
            .contains("bob made it")
    );
    let effects = pane.act(Action::WhatIf);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let asks = pane.chosen(purpose, lines.len() - 1);
    let [Effect::AskText { purpose, .. }] = &asks[..] else {
        panic!("{asks:?}")
    };
    refused(&pane.typed(purpose, "9 of 5"));
    let tried = pane.typed(purpose, "1 of 2");
    let [Effect::Ask(ReplyFor::WhatIf(name, rule), AnyRequest::WhatIf(_))] = &tried[..] else {
        panic!("{tried:?}")
    };
    pane.on_what_if(
        name,
        *rule,
        Ok(WhatIf {
            kept: 1234,
            lost: 5,
            changed: 5,
            pending: 3,
            ..WhatIf::default()
        }),
    );
    let shown = drawn(&mut pane, 80, 21);
    assert!(
        shown.contains("`majority 1 of 2`: 1,234 kept, 0 dropped, 3 other"),
        "{shown}"
    );
    assert!(shown.contains("5 no longer kept"), "{shown}");
    pane.on_what_if("first", *rule, Err(Error::input("it is blind")));
    assert!(drawn(&mut pane, 80, 21).contains("it is blind"));
}

#[test]
fn the_form_starts_with_defaults_and_requests_a_preview() {
    let mut pane = pane(vec![state("round-1", "single")]);
    let (new, dry, edit) = asked(&pane.act(Action::NewRound));
    assert_eq!(
        (new, dry),
        (
            NewRound::new("round-2", Protocol::default(), vec!["ann".into()], 1),
            true
        )
    );
    // The preview is requested after a pause in typing. Old replies are ignored.
    assert!(matches!(
        &press(&mut pane, KeyCode::Char('x'))[..],
        [Effect::Changed]
    ));
    pane.on_preview(edit.unwrap(), Ok(state("old", "single")));
    assert!(drawn(&mut pane, 80, 21).contains("loading"));
    let (new, _, edit) = asked(&pane.preview());
    assert_eq!(new.name, "round-2x");
    let mut would = state("round-2x", "single");
    would.notes = vec!["2 items of practice instead of 40".into()];
    pane.on_preview(edit.unwrap(), Ok(would));
    let shown = drawn(&mut pane, 80, 21);
    assert!(
        shown.contains("4 items") && shown.contains("note: 2 items of"),
        "{shown}"
    );
    assert!(matches!(&pane.act(Action::FormClose)[..], [Effect::Say(_)]) && !pane.typing());
    assert_eq!(
        asked(&pane.act(Action::NewRound)).0.name,
        "round-2x",
        "the form keeps its values"
    );
}

#[test]
fn every_field_is_parsed_and_errors_are_shown_at_it() {
    let mut pane = pane(vec![]);
    pane.act(Action::NewRound);
    down(&mut pane, 1);
    (0..2).for_each(|_| drop(press(&mut pane, KeyCode::Right)));
    down(&mut pane, 1);
    (0..6).for_each(|_| drop(press(&mut pane, KeyCode::Backspace)));
    write(&mut pane, "2 of 3");
    down(&mut pane, 1);
    write(&mut pane, ", bob,cem");
    down(&mut pane, 1);
    write(&mut pane, "status:nonsense");
    let shown = drawn(&mut pane, 80, 21);
    assert!(
        shown
            .lines()
            .any(|line| line.contains('✗') && line.contains("nonsense")),
        "{shown}"
    );
    assert!(
        pane.preview().is_empty(),
        "a form with errors is not previewed"
    );
    pane.act(Action::FormNext);
    refused(&pane.act(Action::CreateRound));
    // The cursor moved to the error.
    (0..20).for_each(|_| drop(press(&mut pane, KeyCode::Backspace)));
    write(&mut pane, "subtask:even");
    down(&mut pane, 1);
    (0..3).for_each(|_| drop(press(&mut pane, KeyCode::Backspace)));
    pane.paste("10%\n");
    down(&mut pane, 1);
    write(&mut pane, "s");
    down(&mut pane, 2);
    press(&mut pane, KeyCode::Char(' '));
    down(&mut pane, 5);
    pane.paste("docs/rules.md");
    down(&mut pane, 1);
    press(&mut pane, KeyCode::Left);
    // One last preview, then the round.
    let effects = pane.act(Action::CreateRound);
    let [
        Effect::Ask(
            ReplyFor::Look(edit),
            AnyRequest::NewRound(request::NewRound { dry: true, .. }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(
        pane.on_check(edit + 1, Ok(state("round-1", "single")))
            .is_empty(),
        "the form changed since"
    );
    assert!(
        refused(&pane.on_check(*edit, Err(Error::input("taken").field("name")))).contains("taken")
    );
    let look = pane.on_check(*edit, Ok(state("round-1", "majority 2 of 3")));
    let [
        Effect::AskChoice {
            purpose,
            title,
            lines,
        },
    ] = &look[..]
    else {
        panic!("{look:?}")
    };
    assert!(
        title.contains("`round-1`") && title.contains("majority 2 of 3"),
        "{title}"
    );
    assert!(
        lines[0].1.contains("4 items") && lines[1].1.contains("ann, bob"),
        "{lines:?}"
    );
    assert_eq!(purpose.begins(), 1, "the cursor starts on the safe line");
    assert!(pane.chosen(purpose, 1).is_empty());
    let (new, dry, _) = asked(&pane.chosen(purpose, 0));
    let sample = Sample::Share("10%".parse().unwrap());
    assert!(!dry && !new.blind && new.adjudication.names && new.adjudication.scores);
    assert_eq!(
        (
            new.protocol.to_string().as_str(),
            new.people.len(),
            new.sample
        ),
        ("majority 2 of 3", 3, sample)
    );
    assert_eq!(
        (new.filter.as_str(), new.strata.as_deref()),
        ("subtask:even", Some("subtask"))
    );
    assert_eq!(new.guidelines.unwrap().path, "docs/rules.md");
    // The owner's errors are shown at their fields too.
    let why = pane.on_created(Err(
        Error::input("there is no such file").field("guidelines")
    ));
    assert!(refused(&why).contains("no such file"));
    let shown = drawn(&mut pane, 160, 47);
    assert!(
        shown
            .lines()
            .any(|l| l.contains("guidelines") && l.contains("✗ there is no such file")),
        "{shown}"
    );
    let done = pane.on_created(Ok(state("round-1", "single")));
    assert!(
        matches!(&done[..], [Effect::Done(text), Effect::Ask(..)] if text.contains("enter")),
        "{done:?}"
    );
    assert!(!pane.typing() && drawn(&mut pane, 80, 21).contains("round-1"));
}

#[test]
fn annotators_join_and_leave_and_an_unused_round_is_deleted() {
    let mut first = state("first", "both-accept");
    first.left = vec!["eve".into()];
    let mut begun = state("begun", "single");
    begun.judged = 1;
    let mut pane = pane(vec![first, begun]);
    let effects = pane.act(Action::EditAnnotators);
    let [Effect::AskText { purpose, text, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(
        text, "ann, bob, cem, dan",
        "former annotators are not listed"
    );
    assert!(matches!(&pane.typed(purpose, text)[..], [Effect::Say(_)]));
    let asked = pane.typed(purpose, "ann,cem , dan,eve,zoe");
    let [Effect::Ask(_, AnyRequest::RoundPeople(request::RoundPeople { round, add, remove }))] =
        &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert_eq!(
        (round.as_str(), &add[..], &remove[..]),
        (
            "first",
            &["eve".to_string(), "zoe".into()][..],
            &["bob".to_string()][..]
        )
    );
    let done = pane.on_people("first", (add, remove), Ok(state("first", "both-accept")));
    assert!(
        matches!(&done[..], [Effect::Done(text), Effect::Ask(..)] if text.contains("zoe") && text.contains("bob"))
    );
    let effects = pane.act(Action::DeleteRound);
    let [Effect::AskChoice { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(purpose.begins() == 1 && pane.chosen(purpose, 1).is_empty());
    let delete = pane.chosen(purpose, 0);
    assert!(
        matches!(&delete[..], [Effect::Ask(_, AnyRequest::DeleteRound(request::DeleteRound(round)))] if round == "first")
    );
    pane.act(Action::Down);
    refused(&pane.act(Action::DeleteRound));
}

#[test]
fn any_size_can_be_drawn() {
    let mut pane = pane(vec![state("first", "refusal")]);
    for form in [false, true] {
        if form {
            pane.act(Action::NewRound);
        }
        for (width, height) in [
            (0, 0),
            (1, 1),
            (20, 5),
            (59, 30),
            (80, 21),
            (119, 40),
            (160, 47),
            (400, 120),
        ] {
            drawn(&mut pane, width, height);
        }
    }
}
