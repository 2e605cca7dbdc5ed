use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::keymap::Keymap;
use crate::theme::{Look, Theme};
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

/// Answers all requests for agreement and their follow-ups.
fn feed(pane: &mut AgreementPane, effects: Vec<Effect>) -> Vec<AgreementQuery> {
    let (mut asked, mut todo) = (Vec::new(), effects);
    while let Some(effect) = todo.pop() {
        if let Effect::Ask(ReplyFor::Agreed(ask), AnyRequest::Agreement(_)) = effect {
            asked.push(ask.clone());
            todo.extend(pane.on_agreement(ask.clone(), Ok(answer(&ask))));
        }
    }
    asked
}

fn shown() -> AgreementPane {
    let mut pane = AgreementPane::new();
    assert!(matches!(
        &pane.start()[..],
        [Effect::Ask(
            ReplyFor::Rounds,
            AnyRequest::Rounds(request::Rounds)
        )]
    ));
    let effects = pane.on_rounds(Ok(vec![state("first", true), state("second", false)]));
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

fn drawn(pane: &mut AgreementPane, (width, height): (u16, u16)) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(buf.area, &Keymap::defaults().unwrap(), &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width))
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
        assert!(pane.act(Action::AgreementPart).is_empty());
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
        matches!(&pane.act(Action::AgreementPart)[..], [Effect::Say(_)]),
        "all details are shown"
    );
    let effects = pane.act(Action::CopyMethods);
    assert!(matches!(&effects[..], [Effect::Copy { text, .. }] if text.contains("40")));
}

#[test]
fn groups_switch_and_open_their_items() {
    let mut pane = shown();
    refused(&pane.act(Action::Open));
    let effects = pane.act(Action::GroupAgreement);
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
    pane.act(Action::Down);
    assert!(
        matches!(&pane.act(Action::Open)[..], [Effect::Filter(words)] if words == "subtask:animal")
    );
    // The reason for missing numbers is shown.
    pane.act(Action::Down);
    assert!(drawn(&mut pane, (80, 21)).contains("-"));
    // The cursor row stays when verdicts arrive.
    let effects = pane.refresh();
    let asked = feed(&mut pane, effects);
    assert_eq!(
        (asked.len(), asked[0].bootstrap),
        (1, Some(Bootstrap::default())),
        "the old numbers stay"
    );
    assert_eq!(pane.row().unwrap().label(), "(none)");
    // While a reply is pending nothing is requested; afterwards one request follows.
    let effects = pane.refresh();
    let [Effect::Ask(ReplyFor::Agreed(ask), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(pane.refresh().is_empty() && pane.refresh().is_empty());
    let effects = pane.on_agreement(ask.clone(), Ok(answer(ask)));
    assert_eq!(feed(&mut pane, effects).len(), 1);
}

#[test]
fn a_late_reply_is_ignored_and_an_error_is_shown() {
    let mut pane = shown();
    pane.act(Action::GroupAgreement);
    let late = AgreementQuery {
        round: Some("first".into()),
        by: GroupBy::Pair,
        bootstrap: None,
    };
    assert!(
        pane.on_agreement(late.clone(), Ok(answer(&late)))
            .is_empty()
    );
    assert!(drawn(&mut pane, (80, 21)).contains("Loading"));
    let effects = pane.act(Action::AgreementRound);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["second", "first", "outside rounds"]);
    assert!(lines[0].1.contains("blind"));
    let effects = pane.chosen(&purpose.clone(), 0);
    let [Effect::Ask(ReplyFor::Agreed(ask), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let blind = Error::new(ErrorKind::Denied, "the round `second` is blind").help("judge first");
    pane.on_agreement(ask.clone(), Err(blind));
    let picture = drawn(&mut pane, (80, 21));
    assert!(
        picture.contains("the round `second` is blind") && picture.contains("judge first"),
        "{picture}"
    );
    refused(&pane.act(Action::CopyMethods));
    // The choice stays when rounds change, until the round is gone.
    pane.on_rounds(Ok(vec![state("second", false), state("third", true)]));
    assert_eq!(pane.round.as_deref(), Some("second"));
    pane.on_rounds(Ok(vec![state("third", true)]));
    assert_eq!(pane.round.as_deref(), Some("third"));
}

#[test]
fn empty_states_and_all_sizes_are_drawn() {
    let mut pane = AgreementPane::new();
    assert!(drawn(&mut pane, (80, 21)).contains("Loading"));
    let effects = pane.on_rounds(Ok(vec![]));
    let [Effect::Ask(ReplyFor::Agreed(ask), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(ask.round, None);
    let empty = Agreement::new(Scale::new(2, 0).unwrap()).counts().report();
    let nobody = AgreementAnalysis {
        rows: vec![Row::group("all", empty)],
        raters: vec![],
        ..answer(ask)
    };
    pane.on_agreement(ask.clone(), Ok(nobody));
    assert!(drawn(&mut pane, (80, 21)).contains("(9)"));
    for size in [(1, 1), (4, 6), (20, 3), (131, 25), (300, 80)] {
        let mut pane = shown();
        for _ in 0..4 {
            drawn(&mut pane, size);
            pane.act(Action::AgreementPart);
        }
    }
}
