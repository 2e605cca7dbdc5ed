//! The agreement pane over made-up verdicts.

use benchtop::metrics::agreement::quality::{probes, repeats, revisions};
use benchtop::metrics::agreement::{Agreement, methods_paragraph, quality_sentences};
use benchtop::model::agreement::analysis::{
    AgreementAnalysis, AgreementQuery, GroupBy, PersonQuality, Row,
};
use benchtop::model::agreement::{AgreementReport, Scale, UNKNOWN};
use benchtop::model::cancel::Cancel;
use benchtop::model::round::Protocol;
use benchtop::model::round::state::RoundState;
use benchtop::model::{Error, ErrorKind, Status};
use benchtop::protocol::wire::{AnyRequest, request};
use benchtop::tui::action::Action;
use benchtop::tui::pane::Effect;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::panes::agreement::AgreementPane;
use benchtop::tui::theme::Look;

use super::{SIZES, accessible, check, check_narrow, frame, look};

const PEOPLE: [&str; 3] = ["ann", "bob", "cem"];
const CATEGORIES: [&str; 2] = ["accept", "reject"];

/// What people said of `n` items of a kind; one of them has not seen all, and was unsure now and then.
fn said(n: u32, kind: u32) -> Agreement {
    let category = |item: u32, rater: u32| match (item * 7 + rater * 3 + kind) % 23 {
        0 if rater == 2 => UNKNOWN,
        at if at < 2 + kind + rater => 1,
        _ => u8::from(item.is_multiple_of(6)),
    };
    let ratings = (0..n).flat_map(|item| {
        let people = if item % 4 == 0 { 2 } else { 3 };
        (0..people).map(move |rater| (item, rater as u16, category(item, rater)))
    });
    Agreement::of(Scale::new(2, 0).unwrap(), ratings).unwrap()
}

fn report(agreement: &Agreement, ask: &AgreementQuery) -> AgreementReport {
    let counts = agreement.counts();
    ask.bootstrap.map_or_else(
        || counts.report(),
        |plan| counts.bootstrapped(plan, Cancel::NEVER).unwrap(),
    )
}

fn person(name: &str, bad: usize) -> PersonQuality {
    let scale = Scale::new(2, 0).unwrap();
    PersonQuality {
        name: name.into(),
        practice: probes([]),
        probes: probes((0..24).map(|n| (n % 2 == 0, Some(n % 2 == 0 || n < bad * 2)))),
        lookalikes: probes([]),
        repeats: repeats(
            scale,
            (0..18).map(|n| {
                (
                    n % 2,
                    if usize::from(n) < bad {
                        1 - n % 2
                    } else {
                        n % 2
                    },
                )
            }),
        )
        .unwrap(),
        revised: revisions((0..360).map(|n| (0, u8::from(n < bad)))),
        second: bad as u64,
        informed: 1,
    }
}

fn answer(ask: &AgreementQuery) -> AgreementAnalysis {
    let whole = report(&said(360, 0), ask);
    let people: Vec<String> = PEOPLE.map(String::from).to_vec();
    let pairs = whole
        .pairs
        .iter()
        .cloned()
        .map(|pair| Row::pair(pair, &people));
    let groups = [
        ("multiple-choice", 180, 1),
        ("true-false", 90, 3),
        ("yes-no", 60, 0),
        ("free-form", 1, 0),
    ];
    let rows: Vec<Row> = match ask.by {
        GroupBy::Pair => pairs.collect(),
        _ => groups
            .map(|(name, n, kind)| Row::group(name, report(&said(n, kind), ask)))
            .to_vec(),
    };
    let quality: Vec<PersonQuality> = PEOPLE
        .iter()
        .zip(1..)
        .map(|(name, bad)| person(name, bad))
        .collect();
    AgreementAnalysis {
        round: ask.round.clone(),
        protocol: "majority 2 of 3".parse::<Protocol>().unwrap(),
        by: ask.by,
        scale: whole.scale,
        categories: CATEGORIES.map(String::from).to_vec(),
        people,
        raters: whole.raters.clone(),
        methods: format!(
            "{} {}",
            methods_paragraph(&whole, &CATEGORIES),
            quality_sentences(&quality)
        ),
        rows: std::iter::once(Row::group("all", whole))
            .chain(rows)
            .collect(),
        quality,
        bootstrap: ask.bootstrap,
        notes: vec![],
    }
}

fn state(name: &str) -> RoundState {
    RoundState {
        left: Vec::new(),
        left_out: 0,
        name: name.into(),
        protocol: Protocol::BothAccept,
        blind: true,
        overlap: 3,
        items: 360,
        missing: 0,
        people: PEOPLE.map(|name| (name.to_string(), 360)).to_vec(),
        judged: 990,
        wanted: 1_080,
        by_status: Some(Status::ALL.into_iter().map(|s| (s, 60)).collect()),
        strangers: 0,
        created: 0,
        by: "eve".into(),
        closed: None,
        guidelines: None,
        notes: vec![],
    }
}

fn recorder() -> Recorder {
    Recorder::new().unwrap()
}

/// Answers all requests and their follow-ups.
fn settle(pane: &mut AgreementPane, effects: Vec<Effect>) {
    let rec = recorder();
    for effect in effects {
        let Effect::Ask(ask) = &effect else { continue };
        let more = match &ask.request {
            AnyRequest::Rounds(_) => {
                rec.reply::<request::Rounds>(pane, effect, Ok(vec![state("second-pass")]))
            }
            AnyRequest::Agreement(request::Agreement(ask)) => {
                let found = answer(ask);
                rec.reply::<request::Agreement>(pane, effect, Ok(found))
            }
            other => panic!("{other:?}"),
        };
        settle(pane, more);
    }
}

fn picture(pane: &mut AgreementPane, size: (u16, u16), look: &Look) -> String {
    frame(size, |area, buf| recorder().draw(pane, area, buf, look))
}

fn shown(size: (u16, u16)) -> AgreementPane {
    let mut pane = AgreementPane::default();
    let effects = recorder().open(&mut pane);
    settle(&mut pane, effects);
    picture(&mut pane, size, &look());
    pane
}

fn press(pane: &mut AgreementPane, actions: &[Action]) {
    for action in actions {
        let effects = recorder().act(pane, *action);
        settle(pane, effects);
    }
}

#[test]
fn agreement_by_pairs_and_by_question_type() {
    for size in SIZES {
        let mut pane = shown(size);
        check("agreement_pairs", size, &picture(&mut pane, size, &look()));
        press(&mut pane, &[Action::GroupAgreement, Action::GroupAgreement]);
        picture(&mut pane, size, &look());
        press(&mut pane, &[Action::Bottom]);
        check("agreement_types", size, &picture(&mut pane, size, &look()));
    }
}

#[test]
fn what_stands_beside_a_row() {
    let size = SIZES[0];
    let mut pane = shown(size);
    press(&mut pane, &[Action::Down]);
    for part in ["table", "people", "methods"] {
        press(&mut pane, &[Action::AgreementPart]);
        check(
            &format!("agreement_{part}"),
            size,
            &picture(&mut pane, size, &look()),
        );
    }
}

#[test]
fn agreement_loading_refused_and_without_verdicts() {
    let size = SIZES[0];
    let mut pane = AgreementPane::default();
    check(
        "agreement_loading",
        size,
        &picture(&mut pane, size, &look()),
    );
    let rec = recorder();
    let load = |pane: &mut AgreementPane, found| {
        let rounds = rec.open(pane).remove(0);
        let rounds = rec.reply::<request::Rounds>(pane, rounds, Ok(vec![state("second-pass")]));
        let ask = rounds.into_iter().next().unwrap();
        rec.reply::<request::Agreement>(pane, ask, found);
    };
    let what = "the round `second-pass` is blind: scores and verdicts of others come after yours";
    let blind =
        Error::new(ErrorKind::Denied, what).help("judge the items that it asks you for first");
    load(&mut pane, Err(blind));
    check(
        "agreement_refused",
        size,
        &picture(&mut pane, size, &look()),
    );
    let empty = Agreement::new(Scale::new(2, 0).unwrap()).counts().report();
    let nobody = AgreementAnalysis {
        rows: vec![Row::group("all", empty)],
        ..answer(&AgreementQuery {
            round: Some("second-pass".into()),
            ..AgreementQuery::default()
        })
    };
    load(&mut pane, Ok(nobody));
    check(
        "agreement_nothing",
        size,
        &picture(&mut pane, size, &look()),
    );
}

#[test]
fn agreement_for_a_screen_reader() {
    for size in SIZES {
        let mut pane = shown(size);
        let picture = picture(&mut pane, size, &accessible());
        assert!(
            !picture.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)),
            "{picture}"
        );
        check_narrow("agreement_accessible", size, &picture);
    }
}
