use super::drilldown::DrilldownView;
use super::table::FIRST;
use super::*;
use crate::pane::testing::{self, lines, only, recorder, request as asked_for, said};
use crate::pane::{Effect, Target};
use benchtop_model::agreement::{Bootstrap, Interval as Drawn};
use benchtop_model::board::analysis::{BootstrapResult, ModelComparison, Rank, Table};
use benchtop_model::board::{
    AnswerDetail, Cell, Column, Counts, Curated, DrilldownPage, ItemAnswers, ModelAnswer, Row,
    Scale,
};
use benchtop_model::config::Reason;
use benchtop_model::{ColorLevel, Error, ErrorKind, Result};
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
        white_box: Vec::new(),
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
    testing::drawn(&recorder(), pane, (90, 16), ColorLevel::True)
}

fn act(pane: &mut BoardPane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

/// Types a filter.
fn filter(pane: &mut BoardPane, words: &str) -> Vec<Effect> {
    let mut prompt = only(act(pane, Action::BoardFilter));
    recorder().write(pane, &mut prompt, words).unwrap()
}

fn reply<R: benchtop_protocol::wire::Request>(
    pane: &mut BoardPane,
    effect: Effect,
    reply: Result<R::Reply>,
) -> Vec<Effect> {
    recorder().reply::<R>(pane, effect, reply)
}

/// The board that was requested.
fn board_asked(effect: &Effect) -> &BoardQuery {
    match asked_for(effect) {
        AnyRequest::Board(request::Board(asked)) => asked,
        other => panic!("{other:?}"),
    }
}

/// The model and the column of the answers that were requested.
fn behind_asked(effects: &[Effect]) -> (&str, &str) {
    match effects.iter().map(asked_for).collect::<Vec<_>>()[..] {
        [AnyRequest::Drilldown(request::Drilldown { model, column, .. })] => (model, column),
        ref other => panic!("{other:?}"),
    }
}

fn is_left(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Open(Target::Review)])
}

/// Shows an empty list of answers.
fn list_answers(pane: &mut BoardPane) {
    pane.push_layer(DrilldownView::new("GPT4o", "qAcc.L_l", vec![], 0));
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
    act(&mut pane, Action::Down);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains(&format!("Acc.type.free-form: {why}")),
        "{shown}"
    );
    assert!(said(&act(&mut pane, Action::Open)).text.contains(why));
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
    let effects = act(&mut pane, Action::Open);
    assert_eq!(behind_asked(&effects), ("GPT4o", "qAcc.L_l"));
    // A reply for an earlier board opens nothing.
    let low = only(filter(&mut pane, "level:low"));
    reply::<request::Board>(&mut pane, low, Ok(board()));
    reply::<request::Drilldown>(&mut pane, only(effects), Ok(DrilldownPage::default()));
    assert!(pane.layers.is_empty());
}

#[test]
fn small_counts_are_starred_and_missing_cells_refuse() {
    let mut pane = BoardPane::new(board(), wilson);
    act(&mut pane, Action::Down);
    pane.go_to_column(FIRST + 1);
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("60.0*") && shown.contains("* fewer than 30 units"),
        "{shown}"
    );
    assert!(shown.contains("n < 30: too few to rank"), "{shown}");
    act(&mut pane, Action::Right);
    assert!(drawn(&mut pane).contains("mAcc.L_m: no answers"));
    said(&act(&mut pane, Action::Open));
}

#[test]
fn numbers_and_usual_names_are_not_cut() {
    let mut full = board();
    full.rows[1].cells[1] = Some(Cell::Share { k: 20, n: 20 });
    full.rows[0].model = "InstructBLIP (Flan-T5-XXL)".into();
    let mut pane = BoardPane::new(board(), wilson);
    // A board that replaces one with shorter names.
    let asked = only(recorder().notify(&mut pane, Notice::Items(2)));
    reply::<request::Board>(&mut pane, asked, Ok(full));
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
        act(&mut pane, action);
        act(&mut pane, Action::Bottom);
        assert!(drawn(&mut pane).contains("\nmAcc.L_m: no answers"));
    }
    pane.go_to_column(FIRST);
    act(&mut pane, Action::SortAscending);
    act(&mut pane, Action::Top);
    assert!(drawn(&mut pane).contains("\nqAcc.L_l:  70.37 % = 190/270"));
}

#[test]
fn a_late_reply_does_not_reopen_a_closed_view() {
    let mut pane = BoardPane::new(board(), wilson);
    list_answers(&mut pane);
    let open = recorder().call(&mut pane, |pane, cx| {
        pane.ask_answered("a/1".into(), "GPT4o".into(), cx);
    });
    let found = || ItemAnswers {
        number: 1,
        item: "a/1".into(),
        ..ItemAnswers::default()
    };
    reply::<request::ModelAnswers>(&mut pane, only(open), Ok(found()));
    assert!(pane.answer().is_some());
    // Requested again on return, and closed before the reply.
    let again = only(recorder().open(&mut pane));
    act(&mut pane, Action::Back);
    assert!(pane.answer().is_none());
    reply::<request::ModelAnswers>(&mut pane, again, Ok(found()));
    assert!(pane.answer().is_none());
}

#[test]
fn the_menu_of_errors_waits_for_no_reply() {
    let mut pane = BoardPane::new(board(), wilson);
    list_answers(&mut pane);
    let mut rec = recorder();
    let open = rec.call(&mut pane, |pane, cx| {
        pane.ask_answered("a/1".into(), "GPT4o".into(), cx);
    });
    let found = ItemAnswers {
        number: 1,
        item: "a/1".into(),
        answers: vec![ModelAnswer {
            model: "GPT4o".into(),
            answer: AnswerDetail {
                right: Some(false),
                ..AnswerDetail::default()
            },
            ..ModelAnswer::default()
        }],
        ..ItemAnswers::default()
    };
    reply::<request::ModelAnswers>(&mut pane, only(open), Ok(found));
    let effects = rec.act(&mut pane, Action::LabelError);
    assert!(testing::refused(&effects).contains("`errors`"));
    rec.error_labels = vec![Reason {
        key: "reasoning".into(),
        label: "wrong conclusion".into(),
    }];
    let effects = rec.act(&mut pane, Action::LabelError);
    let (title, menu) = lines(&effects[0]);
    assert!(title.contains("GPT4o"), "{title}");
    assert_eq!(menu[0], ("reasoning", "wrong conclusion"));
}

#[test]
fn layers_open_and_back_closes_them() {
    let mut pane = BoardPane::new(board(), wilson);
    act(&mut pane, Action::Frequency);
    assert!(drawn(&mut pane).contains("frequency of `model`"));
    act(&mut pane, Action::Select);
    assert_eq!(pane.table.state().selected().len(), 1);
    act(&mut pane, Action::Open);
    assert_eq!(pane.table.window().total, 1);
    assert!(act(&mut pane, Action::Back).is_empty());
    assert_eq!(pane.table.window().total, 2);
    act(&mut pane, Action::Describe);
    act(&mut pane, Action::Down);
    act(&mut pane, Action::Open);
    assert_eq!(pane.table.state().column(), 1);
    pane.go_to_column(0);
    act(&mut pane, Action::Open);
    assert!(drawn(&mut pane).contains("every row twice"));
    assert_eq!(pane.scopes().unwrap()[0], Scope::Overlay);
    act(&mut pane, Action::MenuConfirm);
    list_answers(&mut pane);
    assert!(drawn(&mut pane).contains("answers of GPT4o"));
    act(&mut pane, Action::Back);
    assert!(is_left(&act(&mut pane, Action::Back)));
}

/// The whole table, copied in a format.
fn copied(pane: &mut BoardPane, format: &str) -> String {
    let mut menu = only(act(pane, Action::CopyTable));
    let at = |(name, _): &(&str, &str)| name.to_lowercase().contains(&format.to_lowercase());
    let at = lines(&menu).1.iter().position(at).unwrap();
    match only(recorder().choose(pane, &mut menu, at)) {
        Effect::Copy { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_copy_has_the_full_column_names() {
    let mut pane = BoardPane::with_decimals(board(), wilson, 2);
    let text = copied(&mut pane, "TSV");
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
        white_box: Vec::new(),
        ..of.rows[0].clone()
    });
    of.rows[2].cells[0] = Some(Cell::Number { value: 0.99, n: 0 });
    let mut pane = BoardPane::with_decimals(of, wilson, 2);
    // However few rows the screen has.
    testing::drawn(&recorder(), &mut pane, (60, 8), ColorLevel::True);
    let text = copied(&mut pane, "latex");
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
    said(&act(&mut pane, Action::Open));
    said(&act(&mut pane, Action::BoardViews));
    said(&act(&mut pane, Action::CompareModels));
    said(&act(&mut pane, Action::ShowInterval));
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
    let effects = act(&mut pane, Action::SortDescending);
    let asked = only(effects);
    assert!(
        matches!(asked_for(&asked), AnyRequest::Ranks(request::Ranks { column, .. }) if column == "qAcc.L_h"),
        "{asked:?}"
    );
    // Another sort column before the reply.
    pane.go_to_column(FIRST);
    let other = only(act(&mut pane, Action::SortDescending));
    let late = vec![
        ("GPT4o".to_string(), rank(1, false, 0.001)),
        ("MiniCPM-V-2".to_string(), rank(2, false, 0.001)),
    ];
    reply::<request::Ranks>(&mut pane, asked, Ok(late));
    assert!(pane.ranks.is_none(), "ranks by another column are ignored");
    let tied = vec![
        ("GPT4o".to_string(), rank(1, true, 0.2)),
        ("MiniCPM-V-2".to_string(), rank(1, true, 0.2)),
    ];
    reply::<request::Ranks>(&mut pane, other, Ok(tied));
    pane.go_to_column(table::RANK);
    let shown = drawn(&mut pane);
    assert_eq!(
        shown.matches(" 1-2").count(),
        4,
        "both rows, the count of rows, and the detail line: {shown}"
    );
    assert!(shown.contains("9 to 4, p 0.2000"), "{shown}");
    // The natural order has no ranks.
    pane.go_to_column(FIRST);
    assert!(act(&mut pane, Action::SortDescending).is_empty());
    assert_eq!(
        drawn(&mut pane).matches(" 1-2").count(),
        1,
        "only the count of rows"
    );
}

#[test]
fn the_old_board_stays_until_the_reply_and_after_an_error() {
    let mut pane = BoardPane::new(board(), wilson);
    said(&filter(&mut pane, "nosuch:x status:nonsense"));
    let first = only(filter(&mut pane, "level:low"));
    let second = only(filter(&mut pane, "level:high"));
    let of_second = board_asked(&second).clone();
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("500 questions") && shown.contains("84.8"),
        "{shown}"
    );
    let few = Board {
        questions: 7,
        ..board()
    };
    reply::<request::Board>(&mut pane, first, Ok(few));
    assert!(
        drawn(&mut pane).contains("500 questions"),
        "an earlier reply is ignored"
    );
    act(&mut pane, Action::Down);
    let high = Board {
        questions: 230,
        ..board()
    };
    reply::<request::Board>(&mut pane, second, Ok(high));
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
    let asked = only(filter(&mut pane, "level:low"));
    let blind = Error::new(ErrorKind::Denied, "the round is blind");
    let refused = reply::<request::Board>(&mut pane, asked, Err(blind));
    assert!(said(&refused).text.contains("blind"));
    assert!(drawn(&mut pane).contains("only level:high") && pane.ask == of_second);
}

#[test]
fn curated_boards_show_the_effect_of_the_review() {
    let mut pane = BoardPane::new(board(), wilson);
    let rounds = only(act(&mut pane, Action::BoardCurated));
    let mut menu = only(reply::<request::Rounds>(&mut pane, rounds, Ok(vec![])));
    let names: Vec<&str> = lines(&menu).1.iter().map(|line| line.0).collect();
    assert_eq!(names, ["all items", "accepted items"]);
    let mut effects = recorder().choose(&mut pane, &mut menu, 1);
    assert_eq!(effects.len(), 2);
    let (whole, ask) = (effects.remove(1), effects.remove(0));
    assert_eq!(board_asked(&ask).curated, Curated::Accepted);
    assert_eq!(board_asked(&whole).curated, Curated::All);
    let mut some = board();
    some.questions = 300;
    some.rows[0].cells[0] = Some(Cell::Share { k: 90, n: 100 });
    reply::<request::Board>(&mut pane, ask, Ok(some));
    reply::<request::Board>(&mut pane, whole, Ok(board()));
    pane.go_to_column(FIRST);
    act(&mut pane, Action::Top);
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
    assert_eq!(recorder().notify(&mut pane, Notice::Changed).len(), 2);
    assert!(recorder().notify(&mut pane, Notice::Changed).is_empty() && pane.stale);
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
        white_box: Vec::new(),
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
        assert!(act(&mut pane, Action::Open).is_empty(), "{column}");
        let shown = drawn(&mut pane);
        wanted
            .iter()
            .for_each(|w| assert!(shown.contains(w), "{w} in {shown}"));
        let effects = act(&mut pane, Action::Open);
        let (model, behind) = behind_asked(&effects);
        assert_eq!(model, "a");
        act(&mut pane, Action::Back);
        behind.to_string()
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
    let mut menu = only(act(&mut pane, Action::BoardViews));
    let names: Vec<&str> = lines(&menu).1.iter().map(|line| line.0).collect();
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
    assert!(recorder().choose(&mut pane, &mut menu, 2).is_empty());
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
    assert!(act(&mut pane, Action::CompareModels).is_empty());
    assert!(drawn(&mut pane).contains("x compares with GPT4o"));
    pane.table.go_to_id(1);
    let effects = act(&mut pane, Action::CompareModels);
    let ask = only(effects);
    let AnyRequest::Compare(request::Compare { models, column, .. }) = asked_for(&ask) else {
        panic!("{ask:?}")
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
    reply::<request::Compare>(&mut pane, ask, Ok(compared));
    let shown = drawn(&mut pane);
    for part in [
        "difference: +14.44 points  95 % 8.0 to 21.0",
        "190 image pairs",
        "p <0.0001",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let opened = act(&mut pane, Action::Open);
    assert!(
        matches!(&opened[..], [Effect::Open(Target::Items(words))] if words == "number:3,4,9"),
        "{opened:?}"
    );
    act(&mut pane, Action::Down);
    said(&act(&mut pane, Action::Open));
    act(&mut pane, Action::Back);
    assert!(
        act(&mut pane, Action::Back).is_empty(),
        "back clears the mark first"
    );
    assert!(is_left(&act(&mut pane, Action::Back)));
}

#[test]
fn a_comparison_leads_to_the_styles_of_both_models_and_to_more_models() {
    let mut with = breakdowns();
    let third = Row {
        model: "c".into(),
        ..with.rows[0].clone()
    };
    with.rows.push(third);
    let mut pane = BoardPane::new(with, wilson);
    let compared = ModelComparison {
        models: ["a".into(), "b".into()],
        column: "Acc".into(),
        cells: [Some(Cell::Share { k: 70, n: 100 }); 2],
        delta: Some(0.05),
        redrawn: BootstrapResult {
            interval: None,
            why_not: None,
            cluster: "question".into(),
            clusters: 100,
            plan: Bootstrap::default(),
        },
        table: None,
        shared: [None, None],
    };
    pane.table.go_to_id(0);
    act(&mut pane, Action::CompareModels);
    pane.table.go_to_id(1);
    let ask = only(act(&mut pane, Action::CompareModels));
    reply::<request::Compare>(&mut pane, ask, Ok(compared));
    assert_eq!(pane.scopes().unwrap()[0], Scope::Breakdown);
    // From the comparison to both models by style, the largest difference first.
    let mut menu = only(act(&mut pane, Action::BreakDownBy));
    assert_eq!(lines(&menu).1[0].0, "styles (SC)");
    assert!(recorder().choose(&mut pane, &mut menu, 0).is_empty());
    let shown = drawn(&mut pane);
    let row = |name: &str| {
        let line = shown.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name} in {shown}"))
            .to_string()
    };
    for (style, parts) in [
        ("ink", ["60.0", "65.0", "+5.0"]),
        ("pixel", ["90.0", "90.0", "+0.0"]),
    ] {
        let line = row(style);
        for part in parts {
            assert!(line.contains(part), "{part} in {line}");
        }
    }
    assert!(row("ahead in").contains("A a: ahead in 0 of 3, SC 150.00"));
    assert!(shown.contains("B b: ahead in 2 of 3"), "{shown}");
    assert!(shown.find("ink") < shown.find("pixel"), "{shown}");
    // The name tests the difference, and a number lists the answers of its model.
    let ask = only(act(&mut pane, Action::Open));
    let AnyRequest::Compare(request::Compare { models, column, .. }) = asked_for(&ask) else {
        panic!("{ask:?}")
    };
    assert_eq!(models, &["a".to_string(), "b".to_string()]);
    assert_eq!(column, "Acc.style.ink");
    act(&mut pane, Action::Right);
    act(&mut pane, Action::Right);
    let effects = act(&mut pane, Action::Open);
    assert_eq!(behind_asked(&effects), ("b", "Acc.style.ink"));
    // A third model beside them, and another breakdown of all three.
    let mut menu = only(act(&mut pane, Action::AddModels));
    assert_eq!(lines(&menu).1[0].0, "c");
    recorder().choose(&mut pane, &mut menu, 0);
    let shown = drawn(&mut pane);
    assert!(shown.contains("3 models by style"), "{shown}");
    let mut menu = only(act(&mut pane, Action::BreakDownBy));
    let names: Vec<&str> = lines(&menu).1.iter().map(|line| line.0).collect();
    assert_eq!(names, ["styles (SC)", "question types (SQ)", "MC+TF"]);
    recorder().choose(&mut pane, &mut menu, 2);
    assert!(drawn(&mut pane).contains("3 models by MC+TF"));
    // Back closes the breakdown, then the comparison.
    act(&mut pane, Action::Back);
    assert!(drawn(&mut pane).contains("a vs b by Acc"));
}

#[test]
fn selected_models_are_broken_down_side_by_side() {
    let mut pane = BoardPane::new(breakdowns(), wilson);
    act(&mut pane, Action::Select);
    act(&mut pane, Action::Select);
    let mut menu = only(act(&mut pane, Action::BoardViews));
    recorder().choose(&mut pane, &mut menu, 1);
    let shown = drawn(&mut pane);
    assert!(shown.contains("by question type"), "{shown}");
    assert!(shown.contains("TF animal") && shown.contains("MC animal"));
    // With two selected, the key of comparisons compares them.
    act(&mut pane, Action::Back);
    let ask = only(act(&mut pane, Action::CompareModels));
    assert!(matches!(asked_for(&ask), AnyRequest::Compare(_)));
}

#[test]
fn published_rows_are_dimmed_and_never_ranked_or_opened() {
    let mut with = board();
    let printed = Row {
        model: "GPT-4V".into(),
        reference: Some("Table 2".into()),
        white_box: Vec::new(),
        ..with.rows[0].clone()
    };
    with.rows.push(printed);
    let mut pane = BoardPane::new(with, wilson);
    pane.table.go_to_id(2);
    pane.go_to_column(FIRST);
    assert!(drawn(&mut pane).contains("Table 2; not scored here"));
    for action in [Action::Open, Action::CompareModels, Action::ShowInterval] {
        said(&act(&mut pane, action));
    }
}

#[test]
fn white_box_cells_have_a_mark_and_a_legend() {
    let mut board = board();
    let plain = drawn(&mut BoardPane::new(board.clone(), wilson));
    assert!(!plain.contains("white box"), "{plain}");
    board.columns[0] = board.columns[0].clone().of_variant("adversarial");
    board.rows[0].white_box = vec!["adversarial".into()];
    let shown = drawn(&mut BoardPane::new(board, wilson));
    // 229 of 270, of the first model only.
    assert!(
        shown.contains("84.8w") && !plain.contains("84.8w"),
        "{shown}"
    );
    assert_eq!(shown.matches("w ").count(), plain.matches("w ").count() + 2);
    assert!(shown.contains("w white box"), "{shown}");
}
