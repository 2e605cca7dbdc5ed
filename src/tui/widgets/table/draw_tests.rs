use super::super::{CellView, ColumnKind, Extent, SortKey};
use super::*;
use crate::action::Action;
use crate::theme::Theme;
use benchtop_model::ColorLevel;

fn look(level: ColorLevel) -> Look {
    Look::new(&Theme::shipped("dark").unwrap(), level, false)
}

fn items() -> (Vec<Spec>, Window) {
    let mut columns = vec![Spec::number("number", "", ColumnKind::Number, 7)];
    columns.extend([
        Spec::text("status", 9),
        Spec::text("subtask", 14),
        Spec::text("type", 16),
    ]);
    columns.push(Spec::text("question", 40));
    let row = |id: u64| {
        let cells = [
            format!("{}", id + 1),
            ["pending", "accepted", "rejected"][id as usize % 3].to_string(),
            "landmarks".to_string(),
            "multiple-choice".to_string(),
            format!(
                "What is the colour of the animal number {id} that stands at the left of the red house?"
            ),
        ];
        let mut cells: Vec<CellView> = cells.into_iter().map(CellView::from).collect();
        cells[1].role = [Role::Pending, Role::Good, Role::Bad][id as usize % 3];
        cells[2].highlights = vec![0, 2, 4, 6, 8];
        cells[4].highlights = (12..18).collect();
        RowView { id, cells }
    };
    (
        columns,
        Window {
            first: 0,
            rows: (0..60).map(row).collect(),
            total: 12_345,
            of: 617_000,
        },
    )
}

fn text_of(buf: &Buffer) -> Vec<String> {
    let width = usize::from(buf.area.width);
    buf.content
        .chunks(width)
        .map(|line| {
            line.iter()
                .map(|c| c.symbol())
                .collect::<String>()
                .trim_end()
                .into()
        })
        .collect()
}

fn draw(
    columns: &[Spec],
    window: &Window,
    state: &mut TableState,
    empty: &Empty,
    look: &Look,
) -> Buffer {
    let area = Rect::new(0, 0, 90, 12);
    state.resize(area, columns);
    let mut buf = Buffer::empty(area);
    TableView {
        columns,
        window,
        state,
        empty,
        note: "",
        look,
    }
    .render(area, &mut buf);
    buf
}

#[test]
fn counts_are_exact_and_marks_show_cursor_selection_and_sort() {
    let (columns, window) = items();
    let mut state = TableState::new(1);
    state.resize(Rect::new(0, 0, 90, 12), &columns);
    let extent = Extent {
        columns: &columns,
        window: &window,
    };
    for action in [
        Action::SortDescending,
        Action::Right,
        Action::ThenAscending,
        Action::Select,
    ] {
        state.act(action, &extent);
    }
    let lines = text_of(&draw(
        &columns,
        &window,
        &mut state,
        &Empty::Loading,
        &look(ColorLevel::True),
    ));
    assert!(
        lines[0].contains("number▼1") || lines[0].contains("numb…▼1"),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains("status▲2"), "{}", lines[0]);
    assert!(lines[1].starts_with(" ●"), "{}", lines[1]);
    assert!(lines[2].starts_with("▌ "), "{}", lines[2]);
    assert!(
        lines[11].starts_with("rows 1-10 of 12,345 (617,000)  1 selected"),
        "{}",
        lines[11]
    );
    assert!(lines[1].ends_with('…'));
}

#[test]
fn the_four_empty_states_differ_and_show_their_hint() {
    let (columns, _) = items();
    let window = Window {
        of: 9,
        ..Window::default()
    };
    let states = [
        Empty::Nothing("press S for a sample".into()),
        Empty::Filtered("press X to clear the filter".into()),
        Empty::Loading,
        Empty::Failed("the owner went away".into()),
    ];
    let mut seen = Vec::new();
    for empty in &states {
        let buf = draw(
            &columns,
            &window,
            &mut TableState::new(0),
            empty,
            &look(ColorLevel::True),
        );
        let all = text_of(&buf).join("\n");
        let said = match empty {
            Empty::Nothing(hint) | Empty::Filtered(hint) => hint,
            Empty::Failed(reason) => reason,
            Empty::Begin(purpose, _) => purpose.about,
            Empty::Loading => "Loading",
        };
        assert!(all.contains(said), "{all}");
        assert!(all.contains("no rows (9)"), "{all}");
        seen.push(all);
    }
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

#[test]
fn accessible_drawing_has_no_box_characters_and_the_cursor_is_placed() {
    let (mut columns, window) = items();
    columns[1].group = "state".into();
    let accessible = Look {
        accessible: true,
        ..look(ColorLevel::Mono)
    };
    let mut state = TableState::new(1);
    state.mark([3], true);
    let buf = draw(&columns, &window, &mut state, &Empty::Loading, &accessible);
    let boxes = |c: char| ('\u{2500}'..='\u{25ff}').contains(&c);
    assert!(
        !text_of(&buf).concat().contains(boxes),
        "{:#?}",
        text_of(&buf)
    );
    assert_eq!(
        cursor(&state, &columns, buf.area),
        Some(Position::new(GUTTER, 2))
    );
    assert!(
        buf.content
            .iter()
            .all(|c| c.fg == ratatui::style::Color::Reset)
    );
}

#[test]
fn drawing_works_at_any_size() {
    let (columns, window) = items();
    for (width, height) in [(0, 0), (1, 1), (2, 5), (5, 2), (200, 3), (3, 60)] {
        let area = Rect::new(0, 0, width, height);
        let mut state = TableState::new(2);
        state.resize(area, &columns);
        let mut buf = Buffer::empty(area);
        let look = look(ColorLevel::True);
        let (columns, window, state) = (&columns[..], &window, &state);
        TableView {
            columns,
            window,
            state,
            empty: &Empty::Loading,
            note: "",
            look: &look,
        }
        .render(area, &mut buf);
    }
}

#[test]
fn a_click_on_a_heading_sorts_and_again_turns_the_order() {
    let (columns, window) = items();
    let mut state = TableState::new(1);
    let look = look(ColorLevel::True);
    let area = Rect::new(0, 0, 100, 20);
    let clicked = |state: &mut TableState, word: &str| {
        look.hits.begin(true);
        let mut buf = Buffer::empty(area);
        state.resize(area, &columns);
        TableView {
            columns: &columns,
            state,
            window: &window,
            empty: &Empty::Loading,
            note: "",
            look: &look,
        }
        .render(area, &mut buf);
        let x = text_of(&buf)[0].find(word).unwrap() as u16;
        look.hits.clicked(Position::new(x, 0)).unwrap()
    };
    let sorted = |state: &mut TableState, actions: Vec<Action>| {
        let extent = Extent {
            columns: &columns,
            window: &window,
        };
        for action in actions {
            state.act(action, &extent);
        }
        state.sort().to_vec()
    };
    let key = |column, descending| vec![SortKey { column, descending }];
    let actions = clicked(&mut state, "subtask");
    assert_eq!(
        sorted(&mut state, actions),
        key(2, false),
        "text from its beginning"
    );
    let actions = clicked(&mut state, "subtask");
    assert_eq!(sorted(&mut state, actions), key(2, true));
    let actions = clicked(&mut state, "number");
    assert_eq!(
        sorted(&mut state, actions),
        key(0, true),
        "numbers from the largest"
    );
}
