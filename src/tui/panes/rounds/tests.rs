use crossterm::event::{KeyCode, KeyModifiers};

use super::*;
use crate::pane::testing::{self, lines, only, recorder, refused, said};
use crate::pane::{Effect, Target};
use crate::widgets::toast::Severity;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::RoundState;
use benchtop_model::round::{NewRound, Protocol, Sample, draw};
use benchtop_model::{ColorLevel, Error, Result, Status};
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
    let mut pane = RoundsPane::default();
    on_rounds(&mut pane, Ok(rounds));
    drawn(&mut pane, 80, 21);
    pane
}

/// Opens the pane and answers with these rounds.
fn on_rounds(pane: &mut RoundsPane, rounds: Result<Vec<RoundState>>) {
    let ask = only(recorder().open(pane));
    recorder().reply::<request::Rounds>(pane, ask, rounds);
}

fn drawn(pane: &mut RoundsPane, width: u16, height: u16) -> String {
    testing::drawn(&recorder(), pane, (width, height), ColorLevel::True)
}

fn act(pane: &mut RoundsPane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

fn paste(pane: &mut RoundsPane, pasted: &str) {
    recorder().call(pane, |pane, cx| pane.paste(pasted, cx));
}

/// The pause in typing is over.
fn preview(pane: &mut RoundsPane) -> Vec<Effect> {
    let mut rec = recorder();
    rec.now = pane.due().unwrap();
    rec.tick(pane)
}

/// Answers a request for a new round.
fn would(pane: &mut RoundsPane, ask: Effect, round: Result<RoundState>) -> Vec<Effect> {
    recorder().reply::<request::NewRound>(pane, ask, round)
}

fn press(pane: &mut RoundsPane, code: KeyCode) -> Vec<Effect> {
    let key = KeyEvent::new(code, KeyModifiers::NONE);
    recorder().call(pane, |pane, cx| pane.key(key, cx))
}

fn write(pane: &mut RoundsPane, text: &str) {
    text.chars()
        .for_each(|c| drop(press(pane, KeyCode::Char(c))));
}

fn down(pane: &mut RoundsPane, times: usize) {
    (0..times).for_each(|_| drop(act(pane, Action::FormNext)));
}

/// The request of the form: round, and whether it is a preview.
fn asked(ask: &Effect) -> (NewRound, bool) {
    match testing::request(ask) {
        AnyRequest::NewRound(request::NewRound { new, dry }) => ((**new).clone(), *dry),
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
        assert!(refused(&act(&mut pane, action)).contains("n "));
    }
    on_rounds(&mut pane, Err(Error::input("a broken disk")));
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
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Round(round))] if round.name == "first")
    );
    act(&mut pane, Action::Down);
    assert!(drawn(&mut pane, 160, 47).contains("3 accepted, 1 pending"));
    // A newer list keeps the cursor on its round.
    on_rounds(
        &mut pane,
        Ok(vec![
            state("zero", "single"),
            state("first", "single"),
            state("second", "answer"),
        ]),
    );
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Round(round))] if round.name == "second")
    );
    refused(&act(&mut pane, Action::ShowGuidelines));
}

#[test]
fn closing_asks_first_and_what_if_shows_counts() {
    let mut pane = pane(vec![state("first", "both-accept")]);
    let rec = recorder();
    let mut menu = only(act(&mut pane, Action::CloseRound));
    assert!(lines(&menu).0.contains("`first`"));
    assert!(rec.choose(&mut pane, &mut menu, 1).is_empty());
    let mut menu = only(act(&mut pane, Action::CloseRound));
    let ask = only(rec.choose(&mut pane, &mut menu, 0));
    assert!(
        matches!(testing::request(&ask), AnyRequest::CloseRound(request::CloseRound { round, closed: true }) if round == "first")
    );
    let failed = Err(Error::input("bob made it"));
    let effects = rec.reply::<request::CloseRound>(&mut pane, ask, failed);
    assert!(refused(&effects).contains("bob made it"));
    let mut menu = only(act(&mut pane, Action::WhatIf));
    let last = lines(&menu).1.len() - 1;
    let mut prompt = only(rec.choose(&mut pane, &mut menu, last));
    assert!(rec.write(&mut pane, &mut prompt, "9 of 5").is_err());
    let mut tried = |pane: &mut RoundsPane, found: Result<WhatIf>| {
        let ask = only(rec.write(pane, &mut prompt, "1 of 2").unwrap());
        assert!(
            matches!(testing::request(&ask), AnyRequest::WhatIf(ask) if ask.protocol == "majority 1 of 2".parse().unwrap())
        );
        rec.reply::<request::WhatIf>(pane, ask, found);
    };
    let found = WhatIf {
        kept: 1234,
        lost: 5,
        changed: 5,
        pending: 3,
        ..WhatIf::default()
    };
    tried(&mut pane, Ok(found));
    let shown = drawn(&mut pane, 80, 21);
    assert!(
        shown.contains("`majority 1 of 2`: 1,234 kept, 0 dropped, 3 other"),
        "{shown}"
    );
    assert!(shown.contains("5 no longer kept"), "{shown}");
    tried(&mut pane, Err(Error::input("it is blind")));
    assert!(drawn(&mut pane, 80, 21).contains("it is blind"));
}

#[test]
fn the_form_starts_with_defaults_and_requests_a_preview() {
    let mut pane = pane(vec![state("round-1", "single")]);
    let ask = only(act(&mut pane, Action::NewRound));
    assert_eq!(
        asked(&ask),
        (
            NewRound::new("round-2", Protocol::default(), vec!["ann".into()], 1),
            true
        )
    );
    // The preview is requested after a pause in typing. Old replies are ignored.
    assert!(press(&mut pane, KeyCode::Char('x')).is_empty());
    would(&mut pane, ask, Ok(state("old", "single")));
    assert!(drawn(&mut pane, 80, 21).contains("loading"));
    let ask = only(preview(&mut pane));
    assert_eq!(asked(&ask).0.name, "round-2x");
    let mut round = state("round-2x", "single");
    round.notes = vec!["2 items of practice instead of 40".into()];
    would(&mut pane, ask, Ok(round));
    let shown = drawn(&mut pane, 80, 21);
    assert!(
        shown.contains("4 items") && shown.contains("note: 2 items of"),
        "{shown}"
    );
    said(&act(&mut pane, Action::FormClose));
    assert!(!pane.typing());
    assert_eq!(
        asked(&only(act(&mut pane, Action::NewRound))).0.name,
        "round-2x",
        "the form keeps its values"
    );
}

#[test]
fn every_field_is_parsed_and_errors_are_shown_at_it() {
    let mut pane = pane(vec![]);
    act(&mut pane, Action::NewRound);
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
        preview(&mut pane).is_empty(),
        "a form with errors is not previewed"
    );
    act(&mut pane, Action::FormNext);
    refused(&act(&mut pane, Action::FormSubmit));
    // The cursor moved to the error.
    (0..20).for_each(|_| drop(press(&mut pane, KeyCode::Backspace)));
    write(&mut pane, "subtask:even");
    down(&mut pane, 1);
    (0..3).for_each(|_| drop(press(&mut pane, KeyCode::Backspace)));
    paste(&mut pane, "10%\n");
    down(&mut pane, 1);
    write(&mut pane, "s");
    down(&mut pane, 2);
    press(&mut pane, KeyCode::Char(' '));
    down(&mut pane, 5);
    paste(&mut pane, "docs/rules.md");
    down(&mut pane, 1);
    press(&mut pane, KeyCode::Left);
    // One last preview, then the round.
    let ask = only(act(&mut pane, Action::FormSubmit));
    assert!(asked(&ask).1);
    press(&mut pane, KeyCode::Right);
    press(&mut pane, KeyCode::Left);
    assert!(
        would(&mut pane, ask, Ok(state("round-1", "single"))).is_empty(),
        "the form changed since"
    );
    let ask = only(act(&mut pane, Action::FormSubmit));
    let taken = Err(Error::input("taken").field("name"));
    assert!(refused(&would(&mut pane, ask, taken)).contains("taken"));
    let confirm = |pane: &mut RoundsPane| {
        let ask = only(act(pane, Action::FormSubmit));
        only(would(pane, ask, Ok(state("round-1", "majority 2 of 3"))))
    };
    let mut menu = confirm(&mut pane);
    let (title, shown) = lines(&menu);
    assert!(
        title.contains("`round-1`") && title.contains("majority 2 of 3"),
        "{title}"
    );
    assert!(
        shown[0].1.contains("4 items") && shown[1].1.contains("ann, bob"),
        "{shown:?}"
    );
    assert!(starts_safe(&menu));
    assert!(recorder().choose(&mut pane, &mut menu, 1).is_empty());
    let mut menu = confirm(&mut pane);
    let ask = only(recorder().choose(&mut pane, &mut menu, 0));
    let (new, dry) = asked(&ask);
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
    let missing = Err(Error::input("there is no such file").field("guidelines"));
    assert!(refused(&would(&mut pane, ask, missing)).contains("no such file"));
    let shown = drawn(&mut pane, 160, 47);
    assert!(
        shown
            .lines()
            .any(|l| l.contains("guidelines") && l.contains("✗ there is no such file")),
        "{shown}"
    );
    let mut menu = confirm(&mut pane);
    let ask = only(recorder().choose(&mut pane, &mut menu, 0));
    let done = would(&mut pane, ask, Ok(state("round-1", "single")));
    assert!(
        matches!(&done[..], [Effect::Say(toast), Effect::Ask(_)] if toast.severity == Severity::Done),
        "{done:?}"
    );
    assert!(!pane.typing() && drawn(&mut pane, 80, 21).contains("round-1"));
}

/// Whether the program says so if it cannot send this request.
fn is_for_key(ask: &Effect) -> bool {
    matches!(ask, Effect::Ask(ask) if ask.handling.is_for_key)
}

#[test]
fn a_key_without_a_connection_is_answered() {
    let mut pane = pane(vec![state("first", "both-accept")]);
    let rec = recorder();
    for action in [Action::CloseRound, Action::WhatIf, Action::DeleteRound] {
        let mut menu = only(act(&mut pane, action));
        assert!(
            is_for_key(&only(rec.choose(&mut pane, &mut menu, 0))),
            "{action:?}"
        );
    }
    let mut prompt = only(act(&mut pane, Action::EditAnnotators));
    let ask = only(rec.write(&mut pane, &mut prompt, "ann").unwrap());
    assert!(is_for_key(&ask));
    act(&mut pane, Action::NewRound);
    let check = only(act(&mut pane, Action::FormSubmit));
    assert!(is_for_key(&check));
    let mut menu = only(would(&mut pane, check, Ok(state("round-1", "single"))));
    assert!(is_for_key(&only(rec.choose(&mut pane, &mut menu, 0))));
}

#[test]
fn a_form_that_changed_since_the_round_was_created_stays() {
    let mut pane = pane(vec![]);
    let rec = recorder();
    let mut created = |change: &str| {
        act(&mut pane, Action::NewRound);
        let check = only(act(&mut pane, Action::FormSubmit));
        let mut menu = only(would(&mut pane, check, Ok(state("round-1", "single"))));
        let ask = only(rec.choose(&mut pane, &mut menu, 0));
        write(&mut pane, change);
        would(&mut pane, ask, Ok(state("round-1", "single")));
        pane.form.is_some()
    };
    assert!(!created(""));
    assert!(created("x"));
}

#[test]
fn annotators_join_and_leave_and_an_unused_round_is_deleted() {
    let mut first = state("first", "both-accept");
    first.left = vec!["eve".into()];
    let mut begun = state("begun", "single");
    begun.judged = 1;
    let mut pane = pane(vec![first, begun]);
    let rec = recorder();
    let mut prompt = only(act(&mut pane, Action::EditAnnotators));
    let Effect::Prompt(shown, _) = &prompt else {
        panic!("{prompt:?}")
    };
    let text = shown.value().to_string();
    assert_eq!(
        text, "ann, bob, cem, dan, ",
        "former annotators are not listed"
    );
    said(&rec.write(&mut pane, &mut prompt, &text).unwrap());
    let rounds = std::mem::take(&mut pane.rounds);
    let gone = rec.write(&mut pane, &mut prompt, "ann");
    assert!(gone.is_err(), "the names stay while the round is unknown");
    pane.rounds = rounds;
    let ask = only(
        rec.write(&mut pane, &mut prompt, "ann,cem , dan,eve,zoe")
            .unwrap(),
    );
    let AnyRequest::RoundPeople(request::RoundPeople { round, add, remove }) =
        testing::request(&ask)
    else {
        panic!("{ask:?}")
    };
    assert_eq!(
        (round.as_str(), &add[..], &remove[..]),
        (
            "first",
            &["eve".to_string(), "zoe".into()][..],
            &["bob".to_string()][..]
        )
    );
    let done = rec.reply::<request::RoundPeople>(&mut pane, ask, Ok(state("first", "both-accept")));
    assert!(
        matches!(&done[..], [Effect::Say(toast), Effect::Ask(_)] if toast.text.contains("zoe") && toast.text.contains("bob"))
    );
    let mut menu = only(act(&mut pane, Action::DeleteRound));
    assert!(starts_safe(&menu));
    assert!(rec.choose(&mut pane, &mut menu, 1).is_empty());
    let mut menu = only(act(&mut pane, Action::DeleteRound));
    let ask = only(rec.choose(&mut pane, &mut menu, 0));
    assert!(
        matches!(testing::request(&ask), AnyRequest::DeleteRound(request::DeleteRound(round)) if round == "first")
    );
    act(&mut pane, Action::Down);
    refused(&act(&mut pane, Action::DeleteRound));
}

/// Whether the cursor starts on the line that does nothing.
fn starts_safe(menu: &Effect) -> bool {
    matches!(menu, Effect::Menu(menu, _) if menu.cursor() == 1)
}

#[test]
fn any_size_can_be_drawn() {
    let mut pane = pane(vec![state("first", "refusal")]);
    for form in [false, true] {
        if form {
            act(&mut pane, Action::NewRound);
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
