use super::*;
use crate::theme::Theme;
use benchtop_model::usage::Tally;
use benchtop_model::{ColorLevel, Error, Status};
use benchtop_protocol::wire::{AnyRequest, request};

fn tally(accepted: u64, rejected: u64, pending: u64) -> Tally {
    let mut t = Tally::default();
    for (status, n) in [
        (Status::Accepted, accepted),
        (Status::Rejected, rejected),
        (Status::Pending, pending),
    ] {
        (0..n).for_each(|_| t.add(status));
    }
    t
}

fn grid() -> Grid {
    let cells = vec![
        tally(8, 2, 0),
        tally(0, 0, 5),
        tally(0, 0, 0),
        tally(1, 3, 16),
    ];
    let sum = |list: &[usize]| {
        list.iter().fold(Tally::default(), |mut all, i| {
            all.0.iter_mut().zip(cells[*i].0).for_each(|(a, b)| *a += b);
            all
        })
    };
    Grid {
        rows: vec![
            ("animal".into(), sum(&[0, 1])),
            ("face".into(), sum(&[2, 3])),
        ],
        columns: vec![
            ("woodcut".into(), sum(&[0, 2])),
            ("ink wash".into(), sum(&[1, 3])),
        ],
        cells,
        ..Grid::default()
    }
}

fn shown() -> CoveragePane {
    let mut pane = CoveragePane::new();
    let effects = pane.start();
    let [Effect::Ask(ReplyFor::Grid(rows, columns), AnyRequest::Grid(_))] = &effects[..] else {
        panic!("{effects:?}")
    };
    pane.on_grid(rows, columns, Ok(grid()));
    drawn(&mut pane, ColorLevel::True);
    pane
}

fn drawn(pane: &mut CoveragePane, level: ColorLevel) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 14));
    pane.draw(buf.area, &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(80)
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
fn a_cell_shows_its_count_and_opens_its_items() {
    let mut pane = shown();
    let picture = drawn(&mut pane, ColorLevel::True);
    assert!(
        picture.contains("subject x style") && picture.contains("ink wash"),
        "{picture}"
    );
    assert!(
        picture
            .lines()
            .any(|l| l.starts_with("   all") && l.contains("35") && l.contains("25")),
        "{picture}"
    );
    assert!(
        matches!(&pane.act(Action::Open, &[])[..], [Effect::Filter(words)] if words == "subject:animal")
    );
    pane.act(Action::Right, &[]);
    pane.act(Action::Right, &[]);
    assert!(
        drawn(&mut pane, ColorLevel::True)
            .contains("10 items       0 pending      0 flagged  accepted  80 %      8 of     10")
    );
    assert!(
        matches!(&pane.act(Action::Open, &[])[..], [Effect::Filter(words)] if words == "subject:animal style:woodcut")
    );
    for expected in [
        "status:accepted subject:animal style:woodcut",
        "status:accepted,rejected subject:animal style:woodcut",
    ] {
        pane.act(Action::NextCount, &[]);
        drawn(&mut pane, ColorLevel::True);
        let effects = pane.act(Action::Open, &[]);
        assert!(
            matches!(&effects[..], [Effect::Filter(words)] if words == expected),
            "{effects:?}"
        );
    }
    assert!(drawn(&mut pane, ColorLevel::True).contains("80 %"));
}

#[test]
fn cursor_and_sorting_stay_when_the_measure_changes() {
    let mut pane = shown();
    pane.act(Action::Right, &[]);
    pane.act(Action::SortAscending, &[]);
    pane.act(Action::Down, &[]);
    let before = (pane.map.cursor_id(), pane.map.state().column());
    for _ in 0..5 {
        pane.act(Action::NextCount, &[]);
        drawn(&mut pane, ColorLevel::True);
    }
    assert_eq!(
        (pane.map.state().row(), pane.map.state().column()),
        (1, before.1)
    );
    assert_eq!(pane.map.state().sort().len(), 1);
}

#[test]
fn without_colors_blocks_show_the_shares() {
    let mut pane = shown();
    let picture = drawn(&mut pane, ColorLevel::Mono);
    assert!(
        picture.contains("█ 20") && picture.contains("▄ 10") && picture.contains("▂ 5"),
        "{picture}"
    );
    assert!(!drawn(&mut pane, ColorLevel::True).contains('█'));
}

#[test]
fn other_axes_are_requested_and_late_replies_ignored() {
    let mut pane = shown();
    let vocabularies = ["background".to_string(), "color".to_string()];
    let effects = pane.act(Action::ChooseColumns, &vocabularies);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let names: Vec<_> = lines.iter().map(|l| l.0.as_str()).collect();
    assert_eq!(names, ["style", "subtask", "type", "background", "color"]);
    let effects = pane.chosen(purpose, 3);
    assert!(
        matches!(&effects[..], [Effect::Ask(ReplyFor::Grid(rows, columns), _)] if (rows.as_str(), columns.as_str()) == ("subject", "background"))
    );
    pane.on_grid("subject", "style", Ok(grid()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("Loading"));
    pane.on_grid("subject", "background", Ok(grid()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("subject x background"));
    pane.act(Action::Right, &[]);
    pane.act(Action::Right, &[]);
    assert!(
        matches!(&pane.act(Action::Open, &[])[..], [Effect::Filter(words)] if words == "subject:animal shows:background/woodcut")
    );
    pane.act(Action::SwapAxes, &[]);
    assert_eq!(pane.axes(), ("background", "subject"));
}

fn failing() -> Vec<FailingTerm> {
    let one = |vocabulary: &str, term: &str, yes, no, at_least| FailingTerm {
        vocabulary: vocabulary.into(),
        term: term.into(),
        items: tally(yes, no, 4),
        at_least,
    };
    vec![
        one("animal", "axolotl", 1, 19, 0.76),
        one("style", "ink wash", 10, 10, 0.3),
    ]
}

#[test]
fn failing_terms_are_selected_counted_and_retired() {
    let mut pane = shown();
    refused(&pane.act(Action::RetireTerms, &[]));
    let effects = pane.act(Action::FailingTerms, &[]);
    assert!(matches!(
        &effects[..],
        [Effect::Ask(
            ReplyFor::Failing,
            AnyRequest::Failing(request::Failing(JUDGED))
        )]
    ));
    refused(&pane.act(Action::RetireTerms, &[]));
    pane.on_failing(Ok(failing()));
    let picture = drawn(&mut pane, ColorLevel::True);
    assert!(
        picture.contains("axolotl") && picture.contains("95 %") && picture.contains("76-99"),
        "{picture}"
    );
    assert!(
        matches!(&pane.act(Action::Open, &[])[..], [Effect::Filter(words)] if words == "status:rejected term:animal/axolotl")
    );
    pane.act(Action::Select, &[]);
    pane.act(Action::Select, &[]);
    let effects = pane.act(Action::RetireTerms, &[]);
    let [
        Effect::Ask(
            ReplyFor::Count(terms),
            AnyRequest::Discard(request::Discard { dry: true, .. }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(terms.len(), 2);
    let terms = terms.clone();
    assert!(refused(&pane.on_count(&terms, Err(Error::input("no owner")))).contains("no owner"));
    let effects = pane.on_count(
        &terms,
        Ok(DiscardResult {
            items: tally(11, 29, 8),
            rejected: 19,
        }),
    );
    let [
        Effect::AskChoice {
            purpose,
            title,
            lines,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(title.contains("48 items, 11"), "{title}");
    assert!(lines[0].0.contains("reject 19 items"));
    assert!(
        matches!(&pane.chosen(purpose, 0)[..], [Effect::Retire { discard: true, terms }] if terms.len() == 2)
    );
    assert!(matches!(
        &pane.chosen(purpose, 1)[..],
        [Effect::Retire { discard: false, .. }]
    ));
    assert!(pane.chosen(purpose, 2).is_empty());
    assert!(pane.act(Action::Back, &[]).is_empty());
    assert!(matches!(&pane.act(Action::Back, &[])[..], [Effect::Leave]));
}

#[test]
fn empty_loading_and_failed_states_differ() {
    let mut pane = CoveragePane::new();
    assert!(drawn(&mut pane, ColorLevel::True).contains("Loading"));
    pane.on_grid(
        "subject",
        "style",
        Err(Error::input("the store is broken").help("rebuild it")),
    );
    assert!(drawn(&mut pane, ColorLevel::True).contains("the store is broken; rebuild it"));
    pane.on_grid("subject", "style", Ok(Grid::default()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("Nothing here yet"));
    assert!(!refused(&pane.act(Action::Open, &[])).is_empty());
    pane.act(Action::FailingTerms, &[]);
    pane.on_failing(Ok(vec![]));
    assert!(drawn(&mut pane, ColorLevel::Mono).contains("5 judged items"));
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    for (width, height) in [(1, 1), (4, 6), (20, 3), (300, 80)] {
        for terms in [false, true] {
            let mut pane = shown();
            pane.terms = terms;
            let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
            pane.draw(buf.area, &mut buf, &look);
        }
    }
}

#[test]
fn excluded_cells_are_crossed_out_explained_and_not_counted() {
    let mut pane = CoveragePane::new();
    let excluded = vec![(2, "`woodcut` hides the face: too coarse".to_string())];
    pane.on_grid("subject", "style", Ok(Grid { excluded, ..grid() }));
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let drawn = |pane: &mut CoveragePane| {
        let mut buf = Buffer::empty(Rect::new(0, 0, 100, 24));
        pane.draw(buf.area, &mut buf, &look);
        buf.content
            .chunks(100)
            .map(|l| l.iter().map(|c| c.symbol()).collect::<String>() + "\n")
            .collect::<String>()
    };
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("3 of 3 possible cells") && shown.contains('×'),
        "{shown}"
    );
    pane.act(Action::Down, &[]);
    for _ in 0..2 {
        pane.act(Action::Right, &[]);
    }
    let shown = drawn(&mut pane);
    assert!(shown.contains("hides the face: too coarse"), "{shown}");
}
