use super::*;
use crate::pane::Effect;
use crate::pane::testing::{self, lines, only, recorder, refused};
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

fn act(pane: &mut CoveragePane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

/// Opens the pane and answers with this map.
fn on_grid(pane: &mut CoveragePane, grid: Result<Grid>) {
    let mut effects = recorder().open(pane);
    assert!(matches!(effects.pop(), Some(Effect::ReadMetadata)));
    recorder().reply::<request::Grid>(pane, only(effects), grid);
}

fn shown() -> CoveragePane {
    let mut pane = CoveragePane::default();
    on_grid(&mut pane, Ok(grid()));
    drawn(&mut pane, ColorLevel::True);
    pane
}

fn drawn(pane: &mut CoveragePane, level: ColorLevel) -> String {
    testing::drawn(&recorder(), pane, (80, 14), level)
}

fn on_failing(pane: &mut CoveragePane, ask: Effect, failing: Vec<FailingTerm>) {
    recorder().reply::<request::Failing>(pane, ask, Ok(failing));
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
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Items(words))] if words == "subject:animal")
    );
    act(&mut pane, Action::Right);
    act(&mut pane, Action::Right);
    assert!(
        drawn(&mut pane, ColorLevel::True)
            .contains("10 items       0 pending      0 flagged  accepted  80 %      8 of     10")
    );
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Items(words))] if words == "subject:animal style:woodcut")
    );
    for expected in [
        "status:accepted subject:animal style:woodcut",
        "status:accepted,rejected subject:animal style:woodcut",
    ] {
        act(&mut pane, Action::NextCount);
        drawn(&mut pane, ColorLevel::True);
        let effects = act(&mut pane, Action::Open);
        assert!(
            matches!(&effects[..], [Effect::Open(Target::Items(words))] if words == expected),
            "{effects:?}"
        );
    }
    assert!(drawn(&mut pane, ColorLevel::True).contains("80 %"));
}

#[test]
fn cursor_and_sorting_stay_when_the_measure_changes() {
    let mut pane = shown();
    act(&mut pane, Action::Right);
    act(&mut pane, Action::SortAscending);
    act(&mut pane, Action::Down);
    let before = (pane.map.cursor_id(), pane.map.state().column());
    for _ in 0..5 {
        act(&mut pane, Action::NextCount);
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
    let mut menu = only(act(&mut pane, Action::ChooseColumns));
    let (_, names) = lines(&menu);
    let names: Vec<_> = names.iter().map(|line| line.0).collect();
    assert_eq!(names, ["style", "subtask", "type"]);
    let late = only(act(&mut pane, Action::SwapAxes));
    act(&mut pane, Action::SwapAxes);
    let ask = only(recorder().choose(&mut pane, &mut menu, 1));
    assert!(
        matches!(testing::request(&ask), AnyRequest::Grid(ask) if (ask.rows.as_str(), ask.columns.as_str()) == ("subject", "subtask"))
    );
    recorder().reply::<request::Grid>(&mut pane, late, Ok(grid()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("Loading"));
    recorder().reply::<request::Grid>(&mut pane, ask, Ok(grid()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("subject x subtask"));
    act(&mut pane, Action::Right);
    act(&mut pane, Action::Right);
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Items(words))] if words == "subject:animal subtask:woodcut")
    );
    act(&mut pane, Action::SwapAxes);
    assert_eq!((&*pane.rows, &*pane.columns), ("subtask", "subject"));
}

#[test]
fn vocabularies_are_properties() {
    let names = ["background", "style", "color"].map(String::from);
    let names: Vec<String> = properties(names.iter()).collect();
    assert_eq!(names[4..], ["background", "color"]);
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
    refused(&act(&mut pane, Action::RetireTerms));
    let ask = only(act(&mut pane, Action::FailingTerms));
    assert!(matches!(
        testing::request(&ask),
        AnyRequest::Failing(request::Failing(JUDGED))
    ));
    refused(&act(&mut pane, Action::RetireTerms));
    on_failing(&mut pane, ask, failing());
    let picture = drawn(&mut pane, ColorLevel::True);
    assert!(
        picture.contains("axolotl") && picture.contains("95 %") && picture.contains("76-99"),
        "{picture}"
    );
    assert!(
        matches!(&act(&mut pane, Action::Open)[..], [Effect::Open(Target::Items(words))] if words == "status:rejected term:animal/axolotl")
    );
    act(&mut pane, Action::Select);
    act(&mut pane, Action::Select);
    let rec = recorder();
    let count = |pane: &mut CoveragePane, count| {
        let ask = only(act(pane, Action::RetireTerms));
        assert!(
            matches!(testing::request(&ask), AnyRequest::Discard(ask) if ask.dry && ask.terms.len() == 2)
        );
        rec.reply::<request::Discard>(pane, ask, count)
    };
    let failed = count(&mut pane, Err(Error::input("no owner")));
    assert!(refused(&failed).contains("no owner"));
    let found = DiscardResult {
        items: tally(11, 29, 8),
        rejected: 19,
    };
    for (pick, retires) in [(0, Some(true)), (1, Some(false)), (2, None)] {
        let mut menu = only(count(&mut pane, Ok(found)));
        let (title, lines) = lines(&menu);
        assert!(title.contains("48 items, 11"), "{title}");
        assert!(lines[0].0.contains("reject 19 items"));
        let effects = rec.choose(&mut pane, &mut menu, pick);
        let retired = match &effects[..] {
            [Effect::Retire { terms, discard }] => {
                assert_eq!(terms.len(), 2);
                Some(*discard)
            }
            _ => None,
        };
        assert_eq!(retired, retires, "{effects:?}");
    }
    assert!(act(&mut pane, Action::Back).is_empty());
    assert!(matches!(
        &act(&mut pane, Action::Back)[..],
        [Effect::Open(Target::Review)]
    ));
}

#[test]
fn empty_loading_and_failed_states_differ() {
    let mut pane = CoveragePane::default();
    assert!(drawn(&mut pane, ColorLevel::True).contains("Loading"));
    on_grid(
        &mut pane,
        Err(Error::input("the store is broken").help("rebuild it")),
    );
    assert!(drawn(&mut pane, ColorLevel::True).contains("the store is broken; rebuild it"));
    on_grid(&mut pane, Ok(Grid::default()));
    assert!(drawn(&mut pane, ColorLevel::True).contains("Nothing here yet"));
    assert!(!refused(&act(&mut pane, Action::Open)).is_empty());
    let ask = only(act(&mut pane, Action::FailingTerms));
    on_failing(&mut pane, ask, vec![]);
    assert!(drawn(&mut pane, ColorLevel::Mono).contains("Failing terms"));
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    for (width, height) in [(1, 1), (4, 6), (20, 3), (300, 80)] {
        for terms in [false, true] {
            let mut pane = shown();
            pane.terms = terms;
            let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
            recorder().draw(&mut pane, buf.area, &mut buf, &look);
        }
    }
}

#[test]
fn excluded_cells_are_crossed_out_explained_and_not_counted() {
    let mut pane = CoveragePane::default();
    let excluded = vec![(2, "`woodcut` hides the face: too coarse".to_string())];
    on_grid(&mut pane, Ok(Grid { excluded, ..grid() }));
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let drawn = |pane: &mut CoveragePane| {
        let mut buf = Buffer::empty(Rect::new(0, 0, 100, 24));
        recorder().draw(pane, buf.area, &mut buf, &look);
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
    act(&mut pane, Action::Down);
    for _ in 0..2 {
        act(&mut pane, Action::Right);
    }
    let shown = drawn(&mut pane);
    assert!(shown.contains("hides the face: too coarse"), "{shown}");
}
