use benchtop::model::table::Frequency;
use benchtop::tui::action::Action;
use benchtop::tui::theme::Role;
use benchtop::tui::widgets::table::{
    CellView, ColumnKind, Empty, Extent, FrequencyView, RowView, Spec, TableState, TableView,
    Window,
};
use ratatui::widgets::Widget;

use super::{SIZES, check, frame, look};

const STATUS: [(&str, Role); 3] = [
    ("pending", Role::Pending),
    ("accepted", Role::Good),
    ("rejected", Role::Bad),
];
const QUESTIONS: [&str; 4] = [
    "What is the colour of the traffic light at the crossing in front of the old town hall, seen from the left?",
    "Is there a cat?",
    "画像に写っている動物は何ですか？ 次の選択肢から一つ選んでください。",
    "Which of the two people looks more\nlike the leader of the group?",
];

pub(super) fn columns() -> Vec<Spec> {
    let mut columns = vec![Spec::number("number", "", ColumnKind::Number, 8)];
    columns.extend([
        Spec::text("status", 9),
        Spec::text("id", 16),
        Spec::text("subtask", 12),
        Spec::text("type", 15),
    ]);
    columns.push(Spec::text("question", 30));
    columns
}

pub(super) fn window(count: u64) -> Window {
    let row = |i: u64| {
        let (status, role) = STATUS[i as usize % 3];
        let mut cells = vec![
            CellView::from(format!("{}", i * 7 + 1)),
            CellView {
                text: status.into(),
                role,
                ..CellView::default()
            },
            CellView::from(format!("dysca/{:06}", i * 131)),
            CellView::from(["landmark", "celebrity and crowd", "tv show"][i as usize % 3]),
            CellView::from(["multiple-choice", "yes-no"][i as usize % 2]),
            CellView::from(QUESTIONS[i as usize % 4]),
        ];
        cells[5].highlights = vec![0, 1];
        RowView { id: i, cells }
    };
    Window {
        first: 0,
        rows: (0..count).map(row).collect(),
        total: 12_345,
        of: 617_000,
    }
}

#[test]
fn items() {
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let (columns, window) = (columns(), window(60));
            let mut state = TableState::new(1);
            state.resize(area, &columns);
            let extent = Extent {
                columns: &columns,
                window: &window,
            };
            let keys = [
                Action::Right,
                Action::SortAscending,
                Action::Right,
                Action::ThenDescending,
            ];
            for action in keys
                .into_iter()
                .chain([Action::Select, Action::Select, Action::Down])
            {
                state.act(action, &extent);
            }
            let (look, empty) = (look(), Empty::Loading);
            let (columns, window, state) = (&columns[..], &window, &state);
            TableView {
                columns,
                window,
                state,
                empty: &empty,
                note: "",
                look: &look,
            }
            .render(area, buf);
        });
        check("items", size, &picture);
    }
}

#[test]
fn rows_on_their_way() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let (columns, window) = (columns(), window(5));
        let mut state = TableState::new(1);
        state.resize(area, &columns);
        let (look, empty) = (look(), Empty::Loading);
        let (columns, window, state) = (&columns[..], &window, &state);
        TableView {
            columns,
            window,
            state,
            empty: &empty,
            note: "",
            look: &look,
        }
        .render(area, buf);
    });
    check("rows_on_their_way", size, &picture);
}

#[test]
fn nothing_passes_the_filter() {
    let size = SIZES[0];
    let picture = frame(size, |area, buf| {
        let columns = columns();
        let window = Window {
            of: 617_000,
            ..Window::default()
        };
        let mut state = TableState::new(1);
        state.resize(area, &columns);
        let (look, empty) = (
            look(),
            Empty::Filtered("press X to clear the search and the filter".into()),
        );
        let (columns, window, state) = (&columns[..], &window, &state);
        TableView {
            columns,
            window,
            state,
            empty: &empty,
            note: "",
            look: &look,
        }
        .render(area, buf);
    });
    check("nothing_passes_the_filter", size, &picture);
}

#[test]
fn frequencies() {
    for size in SIZES {
        let picture = frame(size, |area, buf| {
            let rows = [
                ("landmark", 300_000),
                ("animal", 200_500),
                ("tv show", 100_000),
                ("", 16_000),
                ("plant", 500),
            ];
            let rows = rows.map(|(v, n)| (v.to_string(), n)).to_vec();
            let frequency = Frequency {
                column: "subtask".into(),
                rows,
                total: 617_000,
                more: 0,
            };
            let mut view = FrequencyView::new(3, frequency);
            view.act(Action::Down);
            view.act(Action::Select);
            view.draw(area, buf, &look());
        });
        check("frequencies", size, &picture);
    }
}
