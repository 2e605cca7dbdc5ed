use benchtop::model::ToolVerdict;
use benchtop::model::agreement::{Bootstrap, Interval};
use benchtop::model::analysis::{Analysis, Curve, Stable};
use benchtop::model::board::analysis::{BootstrapResult, ModelComparison, Rank, Table};
use benchtop::model::board::{
    AnswerDetail, Board, CHANCE, CHANCE_ROW, Cell, Column, Counts, DrilldownPage, ItemAnswers,
    ModelAnswer, PublishedFigures, Row, Scale,
};
use benchtop::protocol::wire::{AnyRequest, Request, request};
use benchtop::tui::action::Action;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::pane::{Effect, Notice, Target};
use benchtop::tui::panes::board::BoardPane;
use benchtop::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{SIZES, accessible, check, frame, look};

/// A fixed margin instead of a real interval: these tests are about the picture.
pub(super) fn margin(k: u64, n: u64) -> (f64, f64) {
    let p = k as f64 / n as f64;
    ((p - 0.05).max(0.0), (p + 0.05).min(1.0))
}

pub(super) fn board() -> Board {
    let mut columns = Vec::new();
    let mut sizes = Vec::new();
    let mut add = |group: &str, names: &[(&str, u64)]| {
        for (name, n) in names {
            let name = format!("{group}.{name}");
            let help = format!(
                "{name}: a unit is a question with its pair of images; right when both answers are"
            );
            columns.push(Column::share(name, group, &help));
            sizes.push(*n);
        }
    };
    add("qAcc", &[("L_l", 270), ("L_h", 230), ("L_m", 500)]);
    add("aAcc", &[("L_l", 540), ("L_h", 460), ("L_m", 1000)]);
    add("iAcc", &[("N", 169), ("M", 169), ("N+M", 338)]);
    add("mAcc", &[("L_m", 169)]);
    add(
        "Circular",
        &[("CI.L_l", 227), ("CI.L_h", 227), ("SI.L_h", 418)],
    );
    add(
        "Vanilla",
        &[("CI.L_l", 227), ("CI.L_h", 227), ("SI.L_h", 418)],
    );
    add(
        "qAcc",
        &[
            ("B1", 66),
            ("B2", 45),
            ("B3", 56),
            ("R1", 37),
            ("I1", 26),
            ("E1", 38),
            ("S1", 13),
            ("S2", 28),
        ],
    );
    let models = ["GPT4o", "MiniCPM-V-2", "deepseek_vl_1.3b", "llava_v1.5_13b"];
    let row = |(m, model): (usize, &&str)| Row {
        model: (*model).into(),
        cells: sizes
            .iter()
            .enumerate()
            .map(|(i, n)| {
                (m != 2 || i != 9).then(|| Cell::Share {
                    k: n * (80 - 7 * m as u64 - i as u64) / 100,
                    n: *n,
                })
            })
            .collect(),
        counts: Counts {
            used: 6231,
            duplicate: if m == 0 { 6231 } else { 0 },
            missing: 3 * m as u64,
            unparsed: 17 * m as u64,
            extra: 0,
            refused: 0,
            uncompared: 0,
        },
        reference: None,
        white_box: Vec::new(),
    };
    let notes = vec![
        "GPT4o: every row is given twice; the first of each is used".to_string(),
        "the category of a question is reverse-engineered from its id".to_string(),
        "Vanilla: the first rotation of the circular file".to_string(),
    ];
    Board {
        questions: 1872,
        columns,
        rows: models.iter().enumerate().map(row).collect(),
        notes,
        drafts: 0,
    }
}

pub(super) fn recorder() -> Recorder {
    Recorder::new().unwrap()
}

fn act(pane: &mut BoardPane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

fn draw(pane: &mut BoardPane, area: Rect, buf: &mut Buffer, look: &Look) {
    recorder().draw(pane, area, buf, look);
}

/// The only effect of a call.
fn only(mut effects: Vec<Effect>) -> Effect {
    assert_eq!(effects.len(), 1, "{effects:?}");
    effects.remove(0)
}

/// Runs an action that opens a menu, and chooses the line with this name.
fn choose(pane: &mut BoardPane, action: Action, name: &str) -> Vec<Effect> {
    let mut menu = only(act(pane, action));
    let Effect::Menu(shown, _) = &menu else {
        panic!("{menu:?}")
    };
    let at = shown.choices().iter().position(|c| c.label == name);
    let at = at.unwrap_or_else(|| panic!("{name} in {menu:?}"));
    recorder().choose(pane, &mut menu, at)
}

/// Moves the cursor to a model and a column.
fn go_to(pane: &mut BoardPane, model: &str, column: &str) {
    choose(pane, Action::Find, model);
    choose(pane, Action::Find, column);
}

fn answer<R: Request>(pane: &mut BoardPane, effect: Effect, reply: R::Reply) -> Vec<Effect> {
    recorder().reply::<R>(pane, effect, Ok(reply))
}

fn behind() -> Vec<AnswerDetail> {
    let one = |i: u64| AnswerDetail {
        unit: format!("pair {} low", i / 2 + 17),
        unit_right: Some(i < 2),
        key: format!("{}", 400 + i),
        item: format!("mvp-bench/{}", 400 + i),
        question: "Is the person in the picture running away from the dog?".into(),
        gold: "Yes".into(),
        reasoning: None,
        output: (i != 3).then(|| format!("Yes, the person appears to be running. (variant {i})")),
        extracted: (i != 3 && i != 4).then(|| "yes".into()),
        trace: "text before the first full stop: `Yes, the person appears to be running`\n\
                text before the first comma: `Yes`\nfolded: `yes`"
            .into(),
        right: Some(i != 3 && i != 4),
        similarity: None,
        declined: false,
        tool: (i == 1).then(|| ToolVerdict {
            right: Some(0.0),
            extracted: Some("No".into()),
        }),
    };
    (0..6).map(one).collect()
}

/// What 26 models answered to one question.
fn answered() -> ItemAnswers {
    let all = behind();
    let answer = |n: usize| {
        let reasoning = (n == 3)
            .then(|| "The legs are apart and off the ground, so the person runs.".to_string());
        let answer = AnswerDetail {
            reasoning,
            ..all[n % all.len()].clone()
        };
        ModelAnswer {
            model: format!("model-{n:02}"),
            order: (n == 5).then(|| "shuffle 2".to_string()),
            answer,
        }
    };
    ItemAnswers {
        number: 401,
        item: "mvp-bench/400".into(),
        key: "400".into(),
        question: "Is the person in the picture running away from the dog?".into(),
        options: vec!["Yes".into(), "No".into()],
        gold: "a".into(),
        answers: (1..=26).map(answer).collect(),
        left_out: 0,
    }
}

#[test]
fn leaderboard() {
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let mut pane = BoardPane::new(board(), margin);
            for action in [
                Action::Right,
                Action::SortDescending,
                Action::Down,
                Action::Right,
            ] {
                act(&mut pane, action);
            }
            draw(&mut pane, area, buf, &look());
        });
        check("leaderboard", size, &picture);
    }
}

#[test]
fn leaderboard_scrolled_to_its_categories() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let mut pane = BoardPane::new(board(), margin);
        draw(&mut pane, area, &mut buf.clone(), &look());
        for _ in 0..6 {
            act(&mut pane, Action::NextMeasure);
        }
        for _ in 0..6 {
            act(&mut pane, Action::Right);
        }
        draw(&mut pane, area, buf, &look());
    });
    check("leaderboard_categories", size, &picture);
}

#[test]
fn leaderboard_for_a_screen_reader() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let mut pane = BoardPane::with_decimals(board(), margin, 2);
        act(&mut pane, Action::SortAscending);
        draw(&mut pane, area, buf, &accessible());
    });
    assert!(!picture.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)));
    check("leaderboard_accessible", size, &picture);
}

#[test]
fn answers_behind_a_cell_and_one_in_full() {
    for size in SIZES {
        let mut pane = BoardPane::new(board(), margin);
        go_to(&mut pane, "MiniCPM-V-2", "qAcc.L_l");
        let asked = only(act(&mut pane, Action::Open));
        let page = DrilldownPage {
            answers: behind(),
            all: 90,
            next: Some(6),
        };
        answer::<request::Drilldown>(&mut pane, asked, page);
        let list = frame(size, |area, buf| draw(&mut pane, area, buf, &look()));
        check("behind", size, &list);
        let asked = only(act(&mut pane, Action::Open));
        let Effect::Ask(ask) = &asked else {
            panic!("{asked:?}")
        };
        assert!(
            matches!(
                &ask.request,
                AnyRequest::ModelAnswers(request::ModelAnswers { item, column, .. })
                    if item == "mvp-bench/400" && column.as_deref() == Some("qAcc.L_l")
            ),
            "{asked:?}"
        );
        answer::<request::ModelAnswers>(&mut pane, asked, answered());
        act(&mut pane, Action::Down);
        act(&mut pane, Action::Down);
        let full = frame(size, |area, buf| draw(&mut pane, area, buf, &look()));
        check("answered", size, &full);
    }
}

/// A Dysca-like board: styles, types by subtask, scenarios with their drops, and a row that was printed elsewhere.
fn styled() -> Board {
    let mut columns = vec![Column::share(
        "Acc",
        "Acc",
        "an answer to a question with options or by yes or no",
    )];
    let mut add = |name: String, group: &str, scale| {
        columns.push(Column {
            scale,
            ..Column::share(name, group, "an answer to a question of this kind")
        });
    };
    for kind in ["multiple-choice", "true-false"] {
        for subtask in ["animal", "celebrity", "landmark", "movement"] {
            add(
                format!("Acc.{kind}.{subtask}"),
                &format!("{kind} by subtask"),
                Scale::Share,
            );
        }
    }
    for scenario in ["clean", "adversarial", "corruption", "print-attack"] {
        add(format!("MC+TF.{scenario}"), "MC+TF", Scale::Share);
    }
    for scenario in ["adversarial", "corruption", "print-attack"] {
        add(
            format!("MC+TF.{scenario}-clean"),
            "MC+TF drop",
            Scale::Points,
        );
    }
    add("SQ".into(), "SQ", Scale::Squared);
    for subtask in ["animal", "celebrity", "landmark", "movement"] {
        add(format!("SQ.{subtask}"), "SQ by subtask", Scale::Squared);
    }
    add("SC".into(), "SC", Scale::Squared);
    for style in [
        "anime",
        "cubism",
        "graffiti",
        "ink",
        "oil",
        "photo",
        "pixel art",
        "watercolour",
    ] {
        add(format!("Acc.style.{style}"), "Acc by style", Scale::Share);
    }
    let row = |(m, model): (u64, &str)| {
        let cell = |(at, column): (usize, &Column)| {
            let value = (92 - 7 * m - (at as u64 * 13) % 31) as f64 / 100.0;
            Some(match column.scale {
                _ if column.group == "MC+TF" => Cell::Mean { value, n: 576 },
                Scale::Share => Cell::Share {
                    k: (value * 288.0) as u64,
                    n: 288,
                },
                Scale::Points => Cell::Number {
                    value: -20.0 * value,
                    n: 192,
                },
                Scale::Squared | Scale::Spread | Scale::P => Cell::Number {
                    value: 60.0 * value,
                    n: 576,
                },
            })
        };
        Row {
            model: model.into(),
            cells: columns.iter().enumerate().map(cell).collect(),
            counts: Counts {
                used: 1152,
                ..Counts::default()
            },
            reference: (m == 3).then(|| "Table 3".to_string()),
            white_box: Vec::new(),
        }
    };
    let models = ["InternVL2-8B", "Qwen2-VL-7B", "llava-v1.6-13b", "GPT-4V"];
    let rows = (0u64..).zip(models).map(row).collect();
    Board {
        questions: 1152,
        columns,
        rows,
        notes: vec![],
        drafts: 0,
    }
}

fn ranked(pane: &mut BoardPane) {
    let rank = |rank, tied, p: Option<f64>| {
        let high = if tied { 3 } else { rank };
        Rank {
            rank,
            high,
            tied,
            discordant: p.map(|_| (41, 20)),
            p,
            corrected: p,
            tested: 2,
        }
    };
    let ranks = [
        ("InternVL2-8B", rank(1, false, Some(0.009))),
        ("Qwen2-VL-7B", rank(2, true, Some(0.4))),
    ];
    let last = ("llava-v1.6-13b", rank(2, true, None));
    let ranks = ranks
        .into_iter()
        .chain([last])
        .map(|(model, rank)| (model.to_string(), rank))
        .collect();
    let board = only(recorder().notify(pane, Notice::Items(2)));
    let asked = only(answer::<request::Board>(pane, board, styled()));
    answer::<request::Ranks>(pane, asked, ranks);
}

#[test]
fn a_board_with_ranks_and_a_printed_row() {
    for size in SIZES {
        let mut pane = BoardPane::new(styled(), margin);
        ranked(&mut pane);
        check(
            "leaderboard_ranks",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
    }
}

#[test]
fn printed_rows_are_switched_and_said_in_the_title() {
    let mut pane = BoardPane::new(styled(), margin);
    let asked = only(choose(&mut pane, Action::BoardPrinted, "of Dysca"));
    let Effect::Ask(ask) = &asked else {
        panic!("{asked:?}")
    };
    let AnyRequest::Board(request::Board(of)) = &ask.request else {
        panic!("{asked:?}")
    };
    assert_eq!(of.printed, PublishedFigures::Paper("Dysca".into()));
    answer::<request::Board>(&mut pane, asked, styled());
    act(&mut pane, Action::Bottom);
    (0..11).for_each(|_| drop(act(&mut pane, Action::Right)));
    let size = SIZES[0];
    check(
        "leaderboard_printed",
        size,
        &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
    );
}

#[test]
fn chance_levels_are_switched_beside_printed_rows() {
    let mut pane = BoardPane::new(styled(), margin);
    let asked_for = |effect: &Effect| {
        let Effect::Ask(ask) = effect else {
            panic!("{effect:?}")
        };
        let AnyRequest::Board(request::Board(of)) = &ask.request else {
            panic!("{effect:?}")
        };
        (of.printed.clone(), of.chance)
    };
    let printed = || PublishedFigures::Paper("Dysca".into());
    let asked = only(choose(&mut pane, Action::BoardPrinted, "of Dysca"));
    assert_eq!(asked_for(&asked), (printed(), false));
    answer::<request::Board>(&mut pane, asked, styled());
    let asked = only(choose(
        &mut pane,
        Action::BoardPrinted,
        "with chance levels",
    ));
    assert_eq!(asked_for(&asked), (printed(), true));
    let mut board = styled();
    let cells = board.columns.iter().map(|_| None).collect();
    board.rows.push(Row {
        model: CHANCE_ROW.into(),
        cells,
        counts: Counts::default(),
        reference: Some(CHANCE.into()),
        white_box: Vec::new(),
    });
    answer::<request::Board>(&mut pane, asked, board);
    let shown = frame(SIZES[0], |area, buf| draw(&mut pane, area, buf, &look()));
    assert!(format!("{shown:?}").contains(CHANCE_ROW));
    let asked = only(choose(
        &mut pane,
        Action::BoardPrinted,
        "without chance levels",
    ));
    assert_eq!(asked_for(&asked), (printed(), false));
}

#[test]
fn breakdowns_of_a_model() {
    for (name, kind) in [
        ("styles", "styles (SC)"),
        ("types", "question types (SQ)"),
        ("scenarios", "MC+TF"),
    ] {
        for size in SIZES {
            let mut pane = BoardPane::new(styled(), margin);
            choose(&mut pane, Action::BoardViews, kind);
            check(
                &format!("board_{name}"),
                size,
                &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
            );
        }
        let mut pane = BoardPane::new(styled(), margin);
        choose(&mut pane, Action::BoardViews, kind);
        let plain = frame(SIZES[0], |area, buf| {
            draw(&mut pane, area, buf, &accessible())
        });
        assert!(
            !plain.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)),
            "{plain}"
        );
    }
}

#[test]
fn models_side_by_side() {
    let laid = |kind: &str, models: usize| {
        let mut pane = BoardPane::new(styled(), margin);
        act(&mut pane, Action::Top);
        for _ in 0..models {
            act(&mut pane, Action::Select);
        }
        choose(&mut pane, Action::BoardViews, kind);
        pane
    };
    for (name, kind, models) in [
        ("two", "styles (SC)", 2),
        ("three", "question types (SQ)", 3),
    ] {
        for size in SIZES {
            let mut pane = laid(kind, models);
            check(
                &format!("board_{name}_models"),
                size,
                &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
            );
        }
        let plain = frame(SIZES[0], |area, buf| {
            draw(&mut laid(kind, models), area, buf, &accessible())
        });
        assert!(
            !plain.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)),
            "{plain}"
        );
    }
}

/// A board of MM-SAP with a difficulty curve beside it.
fn aware() -> Board {
    let mut columns = Vec::new();
    let mut cells = Vec::new();
    let mut add = |name: &str, group: &str, value: f64, n| {
        columns.push(Column::share(
            name,
            group,
            "an answer to a question of this kind",
        ));
        cells.push(Some(Cell::Mean { value, n }));
    };
    for (name, value, n) in [
        ("AR", 2841.0 / 5590.0, 5590),
        ("AR.basic", 0.5, 2000),
        ("AR.knowledge", 0.5, 1750),
        ("AR.beyond", 0.5, 1840),
        ("KK", 2241.0 / 3750.0, 5590),
        ("KU", 600.0 / 3590.0, 5590),
        ("AnswerRate", 4890.0 / 5590.0, 5590),
        ("AnswerAcc", 0.45, 5590),
    ] {
        add(name, "self-awareness", value, n);
    }
    let quadrants = [
        ("known-knowns", 2241),
        ("unknown-knowns", 60),
        ("known-unknowns", 600),
        ("unknown-unknowns", 2649),
    ];
    for (name, n) in quadrants.into_iter().chain([("unread", 40)]) {
        add(
            &format!("quadrant.{name}"),
            "quadrant",
            f64::from(n) / 5590.0,
            5590,
        );
    }
    for (name, value) in [("easy", 0.904), ("medium", 0.831), ("hard", 0.75)] {
        add(&format!("Acc.level.{name}"), "Acc by level", value, 240);
    }
    let counts = Counts {
        used: 5580,
        missing: 10,
        unparsed: 30,
        ..Counts::default()
    };
    let row = |model: &str| Row {
        model: model.into(),
        cells: cells.clone(),
        counts,
        reference: None,
        white_box: Vec::new(),
    };
    Board {
        questions: 5590,
        columns: columns.clone(),
        rows: vec![row("LLaVA-7b"), row("Qwen-VL-Max")],
        notes: vec![],
        drafts: 0,
    }
}

#[test]
fn the_knowledge_quadrant_and_a_difficulty_curve() {
    for (name, kind) in [
        ("quadrant", "knowledge quadrant"),
        ("levels", "Acc by level"),
    ] {
        let laid = || {
            let mut pane = BoardPane::new(aware(), margin);
            choose(&mut pane, Action::BoardViews, kind);
            act(&mut pane, Action::Down);
            pane
        };
        for size in SIZES {
            check(
                &format!("board_{name}"),
                size,
                &frame(size, |area, buf| draw(&mut laid(), area, buf, &look())),
            );
        }
        let plain = frame(SIZES[0], |area, buf| {
            draw(&mut laid(), area, buf, &accessible())
        });
        assert!(
            !plain.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)),
            "{plain}"
        );
    }
}

#[test]
fn scores_over_parts_of_the_data() {
    let curve = |model: &str, of: [f64; 11]| Curve {
        model: model.into(),
        values: of.map(Some).to_vec(),
        drift: Some(
            of[5..]
                .iter()
                .map(|v| (v - of[10]).abs())
                .fold(0.0, f64::max),
        ),
    };
    let found = Stable {
        column: "MC+TF.clean".into(),
        scale: Scale::Share,
        fractions: vec![
            1.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0,
        ],
        n: vec![6, 58, 115, 173, 230, 288, 346, 403, 461, 518, 576],
        seed: 1,
        models: vec![
            curve(
                "Qwen2-VL-7B",
                [
                    70.0, 61.5, 60.1, 62.0, 61.2, 60.9, 60.5, 60.4, 60.8, 60.6, 60.5,
                ],
            ),
            curve(
                "InternVL2-8B",
                [
                    50.0, 66.0, 67.5, 66.8, 67.3, 67.9, 67.5, 67.6, 67.4, 67.5, 67.5,
                ],
            ),
        ],
    };
    let asked = || {
        let mut pane = BoardPane::new(styled(), margin);
        let asked = only(choose(&mut pane, Action::BoardViews, "stability"));
        (pane, asked)
    };
    let reply = |pane: &mut BoardPane, asked| {
        let found = Analysis::Stable(found.clone());
        answer::<request::Analyze>(pane, asked, found);
    };
    let (mut pane, _) = asked();
    let waits = frame(SIZES[0], |area, buf| draw(&mut pane, area, buf, &look()));
    assert!(
        waits.contains("...") && waits.contains("MC+TF.clean"),
        "{waits}"
    );
    let closed = act(&mut pane, Action::Back);
    assert!(matches!(&closed[..], [Effect::Cancel(_)]), "{closed:?}");
    for size in SIZES {
        let (mut pane, asked) = asked();
        reply(&mut pane, asked);
        check(
            "board_stability",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        assert!(
            act(&mut pane, Action::Back).is_empty(),
            "nothing is on its way"
        );
    }
    let (mut pane, asked) = asked();
    reply(&mut pane, asked);
    let plain = frame(SIZES[0], |area, buf| {
        draw(&mut pane, area, buf, &accessible())
    });
    assert!(
        !plain.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)) && plain.contains("67.5"),
        "{plain}"
    );
}

#[test]
fn two_models_on_the_same_questions() {
    for size in SIZES {
        let mut pane = BoardPane::new(styled(), margin);
        let compared = ModelComparison {
            models: ["InternVL2-8B".into(), "Qwen2-VL-7B".into()],
            column: "Acc".into(),
            cells: [
                Some(Cell::Share { k: 264, n: 288 }),
                Some(Cell::Share { k: 244, n: 288 }),
            ],
            delta: Some(20.0 / 288.0),
            redrawn: BootstrapResult {
                interval: Some(Interval {
                    low: 0.021,
                    high: 0.118,
                    standard_error: 0.025,
                    draws: 1000,
                }),
                why_not: None,
                cluster: "image".into(),
                clusters: 96,
                plan: Bootstrap::default(),
            },
            table: Some(Table {
                both: 235,
                first: 29,
                second: 9,
                neither: 15,
                p: 0.0017,
                is_exact: false,
                interval: Some((0.03, 0.12)),
                first_items: (1..30).collect(),
                second_items: (40..49).collect(),
            }),
            shared: [
                Some(Cell::Share { k: 264, n: 288 }),
                Some(Cell::Share { k: 244, n: 288 }),
            ],
        };
        choose(&mut pane, Action::Find, "InternVL2-8B");
        act(&mut pane, Action::CompareModels);
        choose(&mut pane, Action::Find, "Qwen2-VL-7B");
        let asked = only(act(&mut pane, Action::CompareModels));
        answer::<request::Compare>(&mut pane, asked, compared);
        check(
            "board_compared",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        let opened = act(&mut pane, Action::Open);
        assert!(
            matches!(&opened[..], [Effect::Open(Target::Items(words))] if words.starts_with("number:1,2,3,")),
            "{opened:?}"
        );
    }
}
