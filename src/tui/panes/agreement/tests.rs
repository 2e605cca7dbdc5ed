use super::*;
use crate::pane::Effect;
use crate::pane::testing::{self, lines, only, recorder, refused};
use benchtop_metrics::agreement::{Agreement, methods_paragraph};
use benchtop_model::agreement::{AgreementReport, Scale};
use benchtop_model::cancel::Cancel;
use benchtop_model::round::Protocol;
use benchtop_model::{ColorLevel, Error, ErrorKind, Status};
use benchtop_protocol::wire::{AnyRequest, request};

const CATEGORIES: [&str; 2] = ["accept", "reject"];

fn state(name: &str, told: bool) -> RoundState {
    RoundState {
        left: Vec::new(),
        left_out: 0,
        name: name.into(),
        protocol: Protocol::BothAccept,
        blind: true,
        overlap: 2,
        items: 40,
        missing: 0,
        people: vec![("ann".into(), 40), ("bob".into(), 40)],
        judged: 80,
        wanted: 80,
        by_status: told.then(|| Status::ALL.into_iter().map(|s| (s, 0)).collect()),
        strangers: 0,
        created: 0,
        by: "cem".into(),
        closed: None,
        guidelines: None,
        notes: vec![],
    }
}

fn report(n: u32, bootstrap: Option<Bootstrap>) -> AgreementReport {
    let ratings = (0..n).flat_map(|i| [(i, 0, (i % 2) as u8), (i, 1, (i % 3 % 2) as u8)]);
    let agreement = Agreement::of(Scale::new(2, 0).unwrap(), ratings).unwrap();
    let counts = agreement.counts();
    bootstrap.map_or_else(
        || counts.report(),
        |plan| counts.bootstrapped(plan, Cancel::NEVER).unwrap(),
    )
}

fn answer(ask: &AgreementQuery) -> AgreementAnalysis {
    let whole = report(40, ask.bootstrap);
    let rows = match ask.by {
        GroupBy::Pair => vec![],
        _ => vec![
            Row::group("animal", report(30, ask.bootstrap)),
            Row::group("", report(1, ask.bootstrap)),
        ],
    };
    AgreementAnalysis {
        round: ask.round.clone(),
        protocol: Protocol::BothAccept,
        by: ask.by,
        scale: whole.scale,
        categories: CATEGORIES.map(String::from).to_vec(),
        people: vec!["ann".into(), "bob".into()],
        raters: whole.raters.clone(),
        methods: methods_paragraph(&whole, &CATEGORIES),
        rows: std::iter::once(Row::group("all", whole))
            .chain(rows)
            .collect(),
        quality: vec![],
        bootstrap: ask.bootstrap,
        notes: vec![],
    }
}

fn query(effect: &Effect) -> AgreementQuery {
    match testing::request(effect) {
        AnyRequest::Agreement(request::Agreement(ask)) => ask.clone(),
        other => panic!("{other:?}"),
    }
}

fn reply(
    pane: &mut AgreementPane,
    effect: Effect,
    found: Result<AgreementAnalysis>,
) -> Vec<Effect> {
    recorder().reply::<request::Agreement>(pane, effect, found)
}

/// Answers all requests for agreement and their follow-ups.
fn feed(pane: &mut AgreementPane, mut todo: Vec<Effect>) -> Vec<AgreementQuery> {
    let mut asked = Vec::new();
    while let Some(effect) = todo.pop() {
        let ask = query(&effect);
        todo.extend(reply(pane, effect, Ok(answer(&ask))));
        asked.push(ask);
    }
    asked
}

fn act(pane: &mut AgreementPane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

/// Opens the pane and answers with these rounds.
fn rounds(pane: &mut AgreementPane, rounds: Vec<RoundState>) -> Vec<Effect> {
    let ask = only(recorder().open(pane));
    recorder().reply::<request::Rounds>(pane, ask, Ok(rounds))
}

/// New verdicts come in, and the time for a refresh.
fn refresh(pane: &mut AgreementPane) -> Vec<Effect> {
    let mut rec = recorder();
    assert!(rec.notify(pane, Notice::Changed).is_empty());
    rec.now = pane.due().unwrap();
    rec.tick(pane)
}

fn shown() -> AgreementPane {
    let mut pane = AgreementPane::default();
    let effects = rounds(
        &mut pane,
        vec![state("first", true), state("second", false)],
    );
    let asked = feed(&mut pane, effects);
    assert_eq!(asked.len(), 2, "numbers first, then intervals");
    assert_eq!(
        (asked[0].bootstrap, asked[1].bootstrap),
        (None, Some(Bootstrap::default()))
    );
    assert_eq!(
        asked[0].round.as_deref(),
        Some("first"),
        "the newest with visible results"
    );
    pane
}

fn drawn(pane: &mut AgreementPane, size: (u16, u16)) -> String {
    testing::drawn(&recorder(), pane, size, ColorLevel::True)
}

#[test]
fn a_row_has_numbers_a_table_and_a_methods_paragraph() {
    let mut pane = shown();
    let picture = drawn(&mut pane, (80, 21));
    assert!(
        picture.contains("agreement in round first (both-accept), by"),
        "{picture}"
    );
    assert!(picture.contains("Cohen's kappa"), "{picture}");
    for part in ["rows ann, columns bob", "annotators", "methods paragraph"] {
        assert!(act(&mut pane, Action::AgreementPart).is_empty());
        assert!(drawn(&mut pane, (80, 21)).contains(part), "{part}");
    }
    let picture = drawn(&mut pane, (160, 47));
    for part in [
        "rows ann, columns bob",
        "Krippendorff's alpha",
        "ann: 40 ratings",
        "methods paragraph",
    ] {
        assert!(picture.contains(part), "{part}\n{picture}");
    }
    assert!(
        matches!(&act(&mut pane, Action::AgreementPart)[..], [Effect::Say(_)]),
        "all details are shown"
    );
    let effects = act(&mut pane, Action::CopyMethods);
    assert!(matches!(&effects[..], [Effect::Copy { text, .. }] if text.contains("40")));
}

#[test]
fn groups_switch_and_open_their_items() {
    let mut pane = shown();
    refused(&act(&mut pane, Action::Open));
    let effects = act(&mut pane, Action::GroupAgreement);
    assert!(
        drawn(&mut pane, (80, 21)).contains("Loading"),
        "the pairs are gone"
    );
    assert_eq!(
        feed(&mut pane, effects)
            .iter()
            .map(|a| a.by)
            .collect::<Vec<_>>(),
        [GroupBy::Subtask; 2]
    );
    let picture = drawn(&mut pane, (80, 21));
    assert!(
        picture.contains("animal") && picture.contains("(none)"),
        "{picture}"
    );
    act(&mut pane, Action::Down);
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Items(words))] if words == "subtask:animal")
    );
    // The reason for missing numbers is shown.
    act(&mut pane, Action::Down);
    assert!(drawn(&mut pane, (80, 21)).contains("-"));
    // The cursor row stays when verdicts arrive.
    let effects = refresh(&mut pane);
    let asked = feed(&mut pane, effects);
    assert_eq!(
        (asked.len(), asked[0].bootstrap),
        (1, Some(Bootstrap::default())),
        "the old numbers stay"
    );
    assert_eq!(pane.row().unwrap().label(), "(none)");
    // While a reply is pending nothing is requested; afterwards one request follows.
    let ask = only(refresh(&mut pane));
    assert!(refresh(&mut pane).is_empty() && refresh(&mut pane).is_empty());
    let found = answer(&query(&ask));
    let effects = reply(&mut pane, ask, Ok(found));
    assert_eq!(feed(&mut pane, effects).len(), 1);
    // A hidden pane requests nothing.
    let mut rec = recorder();
    rec.is_shown = false;
    assert!(rec.notify(&mut pane, Notice::Changed).is_empty());
    assert_eq!(pane.due(), None);
}

#[test]
fn a_late_reply_is_ignored_and_an_error_is_shown() {
    let mut pane = shown();
    let late = only(act(&mut pane, Action::GroupAgreement));
    act(&mut pane, Action::GroupAgreement);
    let found = answer(&query(&late));
    assert!(reply(&mut pane, late, Ok(found)).is_empty());
    assert!(drawn(&mut pane, (80, 21)).contains("Loading"));
    let mut menu = only(act(&mut pane, Action::AgreementRound));
    let (_, names) = lines(&menu);
    assert!(names[0].1.contains("blind"));
    let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["second", "first", "outside rounds"]);
    let ask = only(recorder().choose(&mut pane, &mut menu, 0));
    assert_eq!(query(&ask).round.as_deref(), Some("second"));
    let blind = Error::new(ErrorKind::Denied, "the round `second` is blind").help("judge first");
    assert!(reply(&mut pane, ask, Err(blind)).is_empty());
    let picture = drawn(&mut pane, (80, 21));
    assert!(
        picture.contains("the round `second` is blind") && picture.contains("judge first"),
        "{picture}"
    );
    refused(&act(&mut pane, Action::CopyMethods));
    // The choice stays when rounds change, until the round is gone.
    rounds(
        &mut pane,
        vec![state("second", false), state("third", true)],
    );
    assert_eq!(pane.round.as_deref(), Some("second"));
    rounds(&mut pane, vec![state("third", true)]);
    assert_eq!(pane.round.as_deref(), Some("third"));
}

#[test]
fn empty_states_and_all_sizes_are_drawn() {
    let mut pane = AgreementPane::default();
    assert!(drawn(&mut pane, (80, 21)).contains("Loading"));
    let ask = only(rounds(&mut pane, vec![]));
    assert_eq!(query(&ask).round, None);
    let empty = Agreement::new(Scale::new(2, 0).unwrap()).counts().report();
    let nobody = AgreementAnalysis {
        rows: vec![Row::group("all", empty)],
        raters: vec![],
        ..answer(&query(&ask))
    };
    reply(&mut pane, ask, Ok(nobody));
    assert!(drawn(&mut pane, (80, 21)).contains("(go)"));
    for size in [(1, 1), (4, 6), (20, 3), (131, 25), (300, 80)] {
        let mut pane = shown();
        for _ in 0..4 {
            drawn(&mut pane, size);
            act(&mut pane, Action::AgreementPart);
        }
    }
}
