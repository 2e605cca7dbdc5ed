use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::table::FIRST;
use super::*;
use crate::action::Scope;
use crate::keymap::Keymap;
use crate::theme::{Look, Theme};
use benchtop_model::agreement::{Bootstrap, Interval as Drawn};
use benchtop_model::board::analysis::{BootstrapResult, ModelComparison, Rank, Table};
use benchtop_model::board::{
    Cell, Column, Counts, Curated, DrilldownPage, ItemAnswers, Row, Scale,
};
use benchtop_model::{ColorLevel, Error, ErrorKind};
use benchtop_protocol::wire::{AnyRequest, request};

/// Wilson's score interval, z = 1.96 (Wilson 1927).
fn wilson(k: u64, n: u64) -> (f64, f64) {
    let (k, n, z) = (k as f64, n as f64, 1.96_f64);
    let (p, w) = (k / n, 1.0 + z * z / n);
    let middle = (p + z * z / (2.0 * n)) / w;
    let half = z / w * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

fn board() -> Board {
    let column = |name: &str, group: &str| {
        Column::share(name, group, &format!("one unit of {name} is a pair"))
    };
    let columns = vec![
        column("qAcc.L_l", "qAcc"),
        column("qAcc.L_h", "qAcc"),
        column("mAcc.L_m", "mAcc"),
    ];
    let cell = |k, n| Some(Cell::Share { k, n });
    let row = |model: &str, cells: [Option<Cell>; 3], duplicate| Row {
        model: model.into(),
        cells: cells.to_vec(),
        counts: Counts {
            used: 1872,
            duplicate,
            ..Counts::default()
        },
        reference: None,
    };
    let rows = vec![
        row(
            "GPT4o",
            [cell(229, 270), cell(180, 230), cell(66, 169)],
            6231,
        ),
        row("MiniCPM-V-2", [cell(190, 270), cell(12, 20), None], 0),
    ];
    Board {
        questions: 500,
        columns,
        rows,
        notes: vec!["GPT4o: every row twice".into()],
        drafts: 0,
    }
}

fn drawn(pane: &mut BoardPane) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let area = Rect::new(0, 0, 90, 16);
    let mut buf = Buffer::empty(area);
    pane.draw(area, &Keymap::defaults().unwrap(), &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(90)
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn uncompared_free_form_answers_are_reported() {
    let mut board = board();
    board.columns[2].name = "Acc.type.free-form".into();
    board.columns[2].free_form = true;
    board.rows[1].counts.uncompared = 8;
    let mut pane = BoardPane::new(board, wilson);
    pane.go_to_column(FIRST + 2);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("Acc.type.free-form:  39.05 % =  66/169"),
        "{shown}"
    );
    let why = "8 answers not compared yet";
    pane.act(Action::Down);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains(&format!("Acc.type.free-form: {why}")),
        "{shown}"
    );
    let refused = pane.act(Action::Open);
    assert!(
        matches!(&refused[..], [BoardEffect::Refuse(said)] if said.contains(why)),
        "{refused:?}"
    );
}

#[test]
fn a_cell_shows_its_count_and_interval_and_opens() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.go_to_column(FIRST);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("qAcc.L_l:  84.81 % = 229/270  95 % 80.0-88.6 (Wilson)"),
        "{shown}"
    );
    assert!(
        shown.contains("one unit of qAcc.L_l is a pair")
            && shown.contains("note 1/1: GPT4o: every row twice")
    );
    assert!(shown.contains("doubled 6,231"), "{shown}");
    let effects = pane.act(Action::Open);
    let [BoardEffect::Ask(ReplyFor::Behind(ask, model, column), AnyRequest::Drilldown(_))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (&**ask, model.as_str(), column.as_str()),
        (&BoardQuery::default(), "GPT4o", "qAcc.L_l")
    );
}

#[test]
fn small_counts_are_starred_and_missing_cells_refuse() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.act(Action::Down);
    pane.go_to_column(FIRST + 1);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("60.0*") && shown.contains("* fewer than 30 units"),
        "{shown}"
    );
    assert!(shown.contains("n < 30: too few to rank"), "{shown}");
    pane.act(Action::Right);
    assert!(drawn(&mut pane).contains("mAcc.L_m: no answers"));
    assert!(matches!(
        &pane.act(Action::Open)[..],
        [BoardEffect::Refuse(_)]
    ));
}

#[test]
fn numbers_and_usual_names_are_not_cut() {
    let mut full = board();
    full.rows[1].cells[1] = Some(Cell::Share { k: 20, n: 20 });
    full.rows[0].model = "InstructBLIP (Flan-T5-XXL)".into();
    let mut pane = BoardPane::new(board(), wilson);
    // A board that replaces one with shorter names.
    pane.reload();
    pane.on_board(&BoardQuery::default(), Ok(full));
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("100.0*") && shown.contains("InstructBLIP (Flan-T5-XXL) "),
        "{shown}"
    );
}

#[test]
fn missing_values_sort_last_and_the_detail_follows_the_row() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.go_to_column(FIRST + 2);
    for action in [Action::SortAscending, Action::SortDescending] {
        pane.act(action);
        pane.act(Action::Bottom);
        assert!(drawn(&mut pane).contains("\nmAcc.L_m: no answers"));
    }
    pane.go_to_column(FIRST);
    pane.act(Action::SortAscending);
    pane.act(Action::Top);
    assert!(drawn(&mut pane).contains("\nqAcc.L_l:  70.37 % = 190/270"));
}

#[test]
fn a_late_reply_does_not_reopen_a_closed_view() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.on_drilldown(
        &BoardQuery::default(),
        ("GPT4o", "qAcc.L_l"),
        DrilldownPage::default(),
    );
    let asked = |effects: Vec<BoardEffect>| {
        let want = effects.into_iter().find_map(|effect| match effect {
            BoardEffect::Ask(want @ ReplyFor::Answered(..), _) => Some(want),
            _ => None,
        });
        want.unwrap()
    };
    let open = asked(pane.ask_answered("a/1".into(), "GPT4o".into()));
    let found = || ItemAnswers {
        number: 1,
        item: "a/1".into(),
        ..ItemAnswers::default()
    };
    let come = |pane: &mut BoardPane, want: ReplyFor| match want {
        ReplyFor::Answered(ask, model, replaces) => {
            _ = pane.on_item_answers(&ask, &model, replaces, found())
        }
        _ => panic!(),
    };
    come(&mut pane, open);
    assert!(pane.answer().is_some());
    // Requested again on return, and closed before the reply.
    let again = asked(pane.request_answered_again());
    pane.act(Action::Back);
    assert!(pane.answer().is_none());
    come(&mut pane, again);
    assert!(pane.answer().is_none());
}

#[test]
fn layers_open_and_back_closes_them() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.act(Action::Frequency);
    assert!(drawn(&mut pane).contains("frequency of `model`"));
    pane.act(Action::Select);
    assert_eq!(pane.table.state().selected().len(), 1);
    pane.act(Action::Open);
    assert_eq!(pane.table.window().total, 1);
    assert!(pane.act(Action::Back).is_empty());
    assert_eq!(pane.table.window().total, 2);
    pane.act(Action::Describe);
    pane.act(Action::Down);
    pane.act(Action::Open);
    assert_eq!(pane.table.state().column(), 1);
    pane.go_to_column(0);
    pane.act(Action::Open);
    assert!(drawn(&mut pane).contains("every row twice"));
    assert_eq!(pane.scopes()[0], Scope::Overlay);
    pane.act(Action::MenuConfirm);
    pane.on_drilldown(
        &BoardQuery::default(),
        ("GPT4o", "qAcc.L_l"),
        DrilldownPage::default(),
    );
    assert!(drawn(&mut pane).contains("answers of GPT4o"));
    pane.act(Action::Back);
    assert!(matches!(&pane.act(Action::Back)[..], [BoardEffect::Leave]));
}

#[test]
fn a_copy_has_the_full_column_names() {
    let mut pane = BoardPane::with_decimals(board(), wilson, 2);
    let effects = pane.act(Action::CopyTable);
    assert!(
        matches!(&effects[..], [BoardEffect::AskCopy(CopyWhat::All)]),
        "{effects:?}"
    );
    let effects = pane.copy(CopyWhat::All, CopyFormat::Tsv);
    let [BoardEffect::Copy { text, rows: 2 }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "model\trank\tqAcc.L_l\tqAcc.L_h\tmAcc.L_m\tused\tmissing\textra\tdoubled\tunparsed\trefused"
    );
    assert_eq!(
        lines[2],
        "MiniCPM-V-2\t\t70.37\t60.00\t-\t1872\t0\t0\t0\t0\t0"
    );
}

#[test]
fn a_board_is_copied_as_latex_with_the_best_values_in_bold() {
    let mut of = board();
    of.columns[1].scale = Scale::Squared;
    of.rows.push(Row {
        model: "paper".into(),
        reference: Some("Table 3".into()),
        ..of.rows[0].clone()
    });
    of.rows[2].cells[0] = Some(Cell::Number { value: 0.99, n: 0 });
    let mut pane = BoardPane::with_decimals(of, wilson, 2);
    // However few rows the screen has.
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let area = Rect::new(0, 0, 60, 8);
    pane.draw(
        area,
        &Keymap::defaults().unwrap(),
        &mut Buffer::empty(area),
        &look,
    );
    let effects = pane.copy(CopyWhat::All, CopyFormat::Latex);
    let [BoardEffect::Copy { text, rows: 3 }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        text.contains("\\toprule") && text.contains("\\midrule") && text.contains("\\bottomrule"),
        "{text}"
    );
    let bold = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split(" & ")
            .map(|cell| cell.contains("\\textbf"))
            .collect::<Vec<_>>()[2..5]
            .to_vec()
    };
    assert_eq!(
        bold("GPT4o"),
        [true, false, false],
        "higher is better, except for variances; a single value is not bold"
    );
    assert_eq!(bold("MiniCPM"), [false, true, false]);
    assert_eq!(
        bold("paper"),
        [false, false, false],
        "published rows are not bold"
    );
}

#[test]
fn an_empty_board_shows_a_hint() {
    let mut pane = BoardPane::new(Board::default(), wilson);
    assert!(drawn(&mut pane).contains("import"));
    assert!(matches!(
        &pane.act(Action::Open)[..],
        [BoardEffect::Refuse(_)]
    ));
    assert!(matches!(
        &pane.act(Action::BoardViews)[..],
        [BoardEffect::Refuse(_)]
    ));
    assert!(matches!(
        &pane.act(Action::CompareModels)[..],
        [BoardEffect::Refuse(_)]
    ));
    assert!(matches!(
        &pane.act(Action::ShowInterval)[..],
        [BoardEffect::Refuse(_)]
    ));
}

fn rank(rank: usize, tied: bool, p: f64) -> Rank {
    let high = if tied { 2 } else { rank };
    Rank {
        rank,
        high,
        tied,
        discordant: Some((9, 4)),
        p: Some(p),
        corrected: Some(p),
        tested: 1,
    }
}

#[test]
fn ranks_follow_the_sort_column_and_show_ties() {
    let mut pane = BoardPane::new(board(), wilson);
    // The board is sorted by its leading column at once: here the first one.
    pane.go_to_column(FIRST + 1);
    let effects = pane.act(Action::SortDescending);
    let [BoardEffect::Ask(ReplyFor::Ranks(of, column), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(column, "qAcc.L_h");
    let late = vec![
        ("GPT4o".to_string(), rank(1, false, 0.001)),
        ("MiniCPM-V-2".to_string(), rank(2, false, 0.001)),
    ];
    pane.on_ranks(of, "qAcc.L_l".into(), late);
    assert!(pane.ranks.is_none(), "ranks by another column are ignored");
    let tied = vec![
        ("GPT4o".to_string(), rank(1, true, 0.2)),
        ("MiniCPM-V-2".to_string(), rank(1, true, 0.2)),
    ];
    pane.on_ranks(of, column.clone(), tied);
    pane.go_to_column(table::RANK);
    let shown = drawn(&mut pane);
    assert_eq!(
        shown.matches(" 1-2").count(),
        4,
        "both rows, the count of rows, and the detail line: {shown}"
    );
    assert!(shown.contains("9 to 4, p 0.2000"), "{shown}");
    // The natural order has no ranks.
    pane.go_to_column(FIRST + 1);
    assert!(pane.act(Action::SortDescending).is_empty());
    assert_eq!(
        drawn(&mut pane).matches(" 1-2").count(),
        1,
        "only the count of rows"
    );
}

#[test]
fn the_old_board_stays_until_the_reply_and_after_an_error() {
    let mut pane = BoardPane::new(board(), wilson);
    assert_eq!(
        pane.filter("nosuch:x status:nonsense").unwrap_err().kind,
        ErrorKind::Usage
    );
    let effects = pane.filter("level:low").unwrap();
    let [BoardEffect::Ask(ReplyFor::Board(first), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let first = first.clone();
    let effects = pane.filter("level:high").unwrap();
    let [BoardEffect::Ask(ReplyFor::Board(second), _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let second = second.clone();
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("500 questions") && shown.contains("84.8"),
        "{shown}"
    );
    pane.on_board(
        &first,
        Ok(Board {
            questions: 7,
            ..board()
        }),
    );
    assert!(
        drawn(&mut pane).contains("500 questions"),
        "an earlier reply is ignored"
    );
    pane.act(Action::Down);
    pane.on_board(
        &second,
        Ok(Board {
            questions: 230,
            ..board()
        }),
    );
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("on all items: 230 questions  only level:high"),
        "{shown}"
    );
    assert_eq!(
        pane.row().unwrap().model,
        "MiniCPM-V-2",
        "the cursor stays on its model"
    );
    pane.filter("level:low").unwrap();
    let refused = pane.on_board(
        &first,
        Err(Error::new(ErrorKind::Denied, "the round is blind")),
    );
    assert!(matches!(&refused[..], [BoardEffect::Refuse(why)] if why.contains("blind")));
    assert!(drawn(&mut pane).contains("only level:high") && pane.ask == *second);
}

#[test]
fn curated_boards_show_the_effect_of_the_review() {
    let mut pane = BoardPane::new(board(), wilson);
    let effects = pane.on_rounds(Ok(vec![]));
    let [BoardEffect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(
        lines.iter().map(|l| l.0.as_str()).collect::<Vec<_>>(),
        ["all items", "accepted items"]
    );
    let effects = pane.chosen(purpose, 1);
    let [
        BoardEffect::Ask(ReplyFor::Board(ask), _),
        BoardEffect::Ask(ReplyFor::Whole(whole), _),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(ask.curated, Curated::Accepted);
    let (ask, whole) = (ask.clone(), whole.clone());
    let mut some = board();
    some.questions = 300;
    some.rows[0].cells[0] = Some(Cell::Share { k: 90, n: 100 });
    pane.on_board(&ask, Ok(some));
    pane.on_full_board(&whole, Ok(board()));
    pane.go_to_column(FIRST);
    pane.act(Action::Top);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("leaderboard on accepted items: 300 of 500 questions"),
        "{shown}"
    );
    let (line, _) = pane.detail().swap_remove(1);
    assert!(
        line.starts_with("all items 84.81 % (+5.19 points)"),
        "{line}"
    );
    // Verdicts change which items are accepted: one request at a time.
    assert_eq!(pane.on_verdicts().len(), 2);
    assert!(pane.on_verdicts().is_empty() && pane.stale);
}

fn breakdowns() -> Board {
    let mut columns = vec![Column::share("Acc", "Acc", "an answer")];
    let mut add = |name: &str, group: &str, scale| {
        columns.push(Column {
            scale,
            ..Column::share(name, group, "an answer")
        })
    };
    add("SC", "SC", Scale::Squared);
    for style in ["ink", "oil", "pixel"] {
        add(&format!("Acc.style.{style}"), "Acc by style", Scale::Share);
    }
    add("SQ.animal", "SQ by subtask", Scale::Squared);
    add(
        "Acc.multiple-choice.animal",
        "multiple-choice by subtask",
        Scale::Share,
    );
    add(
        "Acc.true-false.animal",
        "true-false by subtask",
        Scale::Share,
    );
    for scenario in ["clean", "corruption"] {
        add(&format!("MC+TF.{scenario}"), "MC+TF", Scale::Share);
    }
    add("MC+TF.corruption-clean", "MC+TF drop", Scale::Points);
    add("SC.corrected", "SC", Scale::Squared);
    add("SC.noise", "SC", Scale::Squared);
    add("SC.p", "SC", Scale::P);
    let share = |k| Some(Cell::Share { k, n: 100 });
    let number = |value| Some(Cell::Number { value, n: 100 });
    let mean = |value| Some(Cell::Mean { value, n: 100 });
    let row = |model: &str, by: u64| Row {
        model: model.into(),
        cells: vec![
            share(70 + by),
            number(150.0),
            share(60 + by),
            share(75 + by),
            share(90),
            number(25.0),
            share(80),
            share(55 + by),
            mean(0.7),
            mean(0.6),
            number(-10.0),
            number(-3.0),
            number(160.0),
            number(0.000_01),
        ],
        counts: Counts::default(),
        reference: None,
    };
    Board {
        questions: 100,
        columns,
        rows: vec![row("a", 0), row("b", 5)],
        notes: vec![],
        drafts: 0,
    }
}

#[test]
fn derived_numbers_open_their_breakdown_and_its_rows_their_answers() {
    let mut pane = BoardPane::new(breakdowns(), wilson);
    let mut open = |column: &str, wanted: &[&str]| {
        let at = pane
            .found
            .as_ref()
            .unwrap()
            .columns
            .iter()
            .position(|c| c.name == column)
            .unwrap();
        pane.go_to_column(FIRST + at);
        pane.table.go_to_id(0);
        assert!(pane.act(Action::Open).is_empty(), "{column}");
        let shown = drawn(&mut pane);
        wanted
            .iter()
            .for_each(|w| assert!(shown.contains(w), "{w} in {shown}"));
        let effects = pane.act(Action::Open);
        let [BoardEffect::Ask(ReplyFor::Behind(_, model, behind), _)] = &effects[..] else {
            panic!("{effects:?}")
        };
        assert_eq!(model, "a");
        pane.act(Action::Back);
        behind.clone()
    };
    // The largest deviation above the mean comes first; 150 = (15^2 + 0 + 15^2) / 3.
    assert_eq!(
        open("SC", &["SC 150.00", "+15.0", "75.00", "50.0", "-15.0"]),
        "Acc.style.pixel"
    );
    // A negative corrected variance is shown as 0, and p is never 0.
    let noise = ["SC 0.00", "160.00 on average", "p <0.0001"];
    assert_eq!(open("SC.corrected", &noise), "Acc.style.pixel");
    assert_eq!(
        open("SQ.animal", &["80.0", "55.0", "-25.0", "25.0"]),
        "Acc.multiple-choice.animal"
    );
    assert_eq!(
        open(
            "MC+TF.corruption-clean",
            &["clean", "corruption", "-10.0", "70.0"]
        ),
        "MC+TF.clean"
    );
    let effects = pane.act(Action::BoardViews);
    let [BoardEffect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let names: Vec<&str> = lines.iter().map(|l| l.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "styles (SC)",
            "question types (SQ)",
            "Acc by style",
            "MC+TF",
            "stability"
        ]
    );
    assert!(pane.chosen(purpose, 2).is_empty());
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("a by Acc by style") && shown.contains("65.0") && shown.contains("-5.0"),
        "best: {shown}"
    );
}

#[test]
fn two_marked_models_are_compared_and_their_items_open() {
    let mut pane = BoardPane::new(board(), wilson);
    pane.go_to_column(FIRST);
    pane.table.go_to_id(0);
    assert!(pane.act(Action::CompareModels).is_empty());
    assert!(drawn(&mut pane).contains("x compares with GPT4o"));
    pane.table.go_to_id(1);
    let effects = pane.act(Action::CompareModels);
    let [
        BoardEffect::Ask(
            ReplyFor::Compared(ask),
            AnyRequest::Compare(request::Compare { models, column, .. }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (models.join(" "), column.as_str()),
        ("GPT4o MiniCPM-V-2".into(), "qAcc.L_l")
    );
    let share = |k| Some(Cell::Share { k, n: 270 });
    let compared = ModelComparison {
        models: models.clone(),
        column: column.clone(),
        cells: [share(229), share(190)],
        delta: Some(39.0 / 270.0),
        redrawn: BootstrapResult {
            interval: Some(Drawn {
                low: 0.08,
                high: 0.21,
                standard_error: 0.03,
                draws: 1000,
            }),
            why_not: None,
            cluster: "image pair".into(),
            clusters: 190,
            plan: Bootstrap::default(),
        },
        table: Some(Table {
            both: 170,
            first: 59,
            second: 20,
            neither: 21,
            p: 0.000_01,
            is_exact: true,
            interval: Some((0.08, 0.21)),
            first_items: vec![3, 4, 9],
            second_items: vec![],
        }),
        shared: [share(229), share(190)],
    };
    pane.on_comparison(ask, compared);
    let shown = drawn(&mut pane);
    for part in [
        "difference: +14.44 points  95 % 8.0 to 21.0",
        "190 image pairs",
        "p <0.0001",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(
        matches!(&pane.act(Action::Open)[..], [BoardEffect::Items(words)] if words == "number:3,4,9")
    );
    pane.act(Action::Down);
    assert!(matches!(
        &pane.act(Action::Open)[..],
        [BoardEffect::Refuse(_)]
    ));
    pane.act(Action::Back);
    assert!(
        pane.act(Action::Back).is_empty(),
        "back clears the mark first"
    );
    assert!(matches!(&pane.act(Action::Back)[..], [BoardEffect::Leave]));
}

#[test]
fn published_rows_are_dimmed_and_never_ranked_or_opened() {
    let mut with = board();
    let printed = Row {
        model: "GPT-4V".into(),
        reference: Some("Table 2".into()),
        ..with.rows[0].clone()
    };
    with.rows.push(printed);
    let mut pane = BoardPane::new(with, wilson);
    pane.table.go_to_id(2);
    pane.go_to_column(FIRST);
    assert!(drawn(&mut pane).contains("Table 2; not scored here"));
    for action in [Action::Open, Action::CompareModels, Action::ShowInterval] {
        assert!(
            matches!(&pane.act(action)[..], [BoardEffect::Refuse(_)]),
            "{action:?}"
        );
    }
}
