use super::super::{CellView, ColumnKind, RowView};
use super::*;

fn columns() -> Vec<Spec> {
    let mut all = vec![Spec::text("model", 12)];
    for name in ["qAcc.L_l", "qAcc.L_h", "mAcc.L_l", "mAcc.L_h"] {
        let group = name.split('.').next().unwrap();
        all.push(Spec::number(name, group, ColumnKind::Share, 6));
    }
    all
}

fn window(first: u64, count: u64, total: u64) -> Window {
    let row = |id| RowView {
        id,
        cells: vec![CellView::from(format!("a rather long model name {id}"))],
    };
    Window {
        first,
        rows: (first..first + count).map(row).collect(),
        total,
        of: total,
    }
}

struct Bench {
    columns: Vec<Spec>,
    window: Window,
    state: TableState,
}

impl Bench {
    fn new(width: u16, height: u16, window: Window) -> Bench {
        let mut bench = Bench {
            columns: columns(),
            window,
            state: TableState::new(1),
        };
        bench
            .state
            .resize(Rect::new(0, 0, width, height), &bench.columns);
        bench
    }

    fn act(&mut self, action: Action) -> Vec<TableEffect> {
        self.state.act(
            action,
            &Extent {
                columns: &self.columns,
                window: &self.window,
            },
        )
    }

    fn refused(&mut self, action: Action) -> bool {
        matches!(self.act(action).as_slice(), [TableEffect::Refuse(_)])
    }
}

#[test]
fn rows_are_requested_only_if_missing() {
    let mut b = Bench::new(80, 13, window(0, 20, 25));
    assert_eq!(b.state.page(), (0, 10));
    for _ in 0..9 {
        assert_eq!(b.act(Action::Down), []);
    }
    assert_eq!(b.state.page().0, 0);
    assert_eq!(b.act(Action::Down), []);
    assert_eq!((b.state.row(), b.state.page().0), (10, 10));
    assert_eq!(
        b.act(Action::Bottom),
        [TableEffect::NeedRows {
            first: 20,
            count: 10
        }]
    );
    assert_eq!(b.state.row(), 24);
    assert!(b.refused(Action::Down) && b.refused(Action::PageDown));
    assert_eq!(b.act(Action::PageUp), []);
    assert_eq!(b.state.row(), 14);
    b.act(Action::Top);
    assert!(b.refused(Action::Up) && b.refused(Action::PageUp));
}

#[test]
fn a_loading_row_cannot_be_selected_or_opened() {
    let mut b = Bench::new(80, 13, window(0, 5, 25));
    b.act(Action::Bottom);
    assert!(b.refused(Action::Select) && b.refused(Action::Open) && b.refused(Action::CopyRow));
    assert!(b.state.selected().is_empty());
}

#[test]
fn columns_scroll_next_to_pinned_ones() {
    let mut b = Bench::new(32, 13, window(0, 5, 5));
    let seen = |b: &Bench| {
        b.state
            .placed(&b.columns)
            .iter()
            .map(|p| p.column)
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(&b), [0, 1, 2]);
    for _ in 0..4 {
        b.act(Action::Right);
    }
    assert_eq!(seen(&b), [0, 3, 4]);
    assert!(b.refused(Action::Right));
    for placed in b.state.placed(&b.columns) {
        assert!(placed.x + placed.width <= 32);
    }
    b.act(Action::NextMeasure);
    assert_eq!(b.state.column(), 1);
    b.act(Action::NextMeasure);
    assert_eq!(b.state.column(), 3);
}

#[test]
fn going_to_a_group_scrolls_it_to_the_left_unless_visible() {
    let seen = |b: &Bench| {
        b.state
            .placed(&b.columns)
            .iter()
            .map(|p| p.column)
            .collect::<Vec<_>>()
    };
    // Room for two columns next to the pinned one, and half of the next group.
    let mut b = Bench::new(40, 13, window(0, 5, 5));
    assert_eq!(seen(&b), [0, 1, 2, 3]);
    b.act(Action::NextMeasure);
    b.act(Action::NextMeasure);
    assert_eq!((b.state.column(), seen(&b)), (3, vec![0, 3, 4]));
    b.act(Action::PreviousMeasure);
    assert_eq!((b.state.column(), seen(&b)), (1, vec![0, 1, 2, 3]));
    b.act(Action::PreviousMeasure);
    assert_eq!(b.state.column(), 3, "wraps around to the last group");
    b.act(Action::Right);
    b.act(Action::PreviousMeasure);
    assert_eq!(b.state.column(), 3, "from within a group to its start");
    // Nothing scrolls if everything is visible.
    let mut wide = Bench::new(80, 13, window(0, 5, 5));
    wide.act(Action::PreviousMeasure);
    assert_eq!((wide.state.column(), seen(&wide)), (3, vec![0, 1, 2, 3, 4]));
}

#[test]
fn sort_keys_add_up_and_repeating_one_clears() {
    let mut b = Bench::new(80, 13, window(0, 5, 5));
    b.act(Action::Right);
    let first = SortKey {
        column: 1,
        descending: true,
    };
    assert_eq!(
        b.act(Action::SortDescending)[0],
        TableEffect::Sort(vec![first])
    );
    b.act(Action::Right);
    let second = SortKey {
        column: 2,
        descending: false,
    };
    assert_eq!(
        b.act(Action::ThenAscending)[0],
        TableEffect::Sort(vec![first, second])
    );
    assert_eq!(
        b.act(Action::ThenAscending)[0],
        TableEffect::Sort(vec![first])
    );
    b.act(Action::Left);
    let effects = b.act(Action::SortDescending);
    assert_eq!(
        effects,
        [
            TableEffect::Sort(vec![]),
            TableEffect::NeedRows {
                first: 0,
                count: 10
            }
        ]
    );
}

#[test]
fn hide_pin_and_resize_toggle() {
    let mut b = Bench::new(80, 13, window(0, 5, 5));
    assert!(b.refused(Action::Unhide));
    b.act(Action::Right);
    b.act(Action::Hide);
    assert_eq!(b.state.order(&b.columns), [0, 2, 3, 4]);
    assert_eq!(b.state.column(), 2);
    b.act(Action::Pin);
    b.act(Action::Right);
    assert_eq!(b.state.order(&b.columns), [0, 2, 3, 4]);
    b.act(Action::Unhide);
    assert_eq!(b.state.order(&b.columns), [0, 2, 1, 3, 4]);
    b.state.go_to_column(0, &b.columns);
    b.act(Action::ResizeColumn);
    assert_eq!(b.state.placed(&b.columns)[0].width, 26);
    b.act(Action::ResizeColumn);
    assert_eq!(b.state.placed(&b.columns)[0].width, 12);
    b.state.go_to_column(1, &b.columns);
    assert!(b.refused(Action::ResizeColumn));
    for _ in 0..4 {
        b.act(Action::Hide);
    }
    assert!(b.refused(Action::Hide));
}

#[test]
fn leaving_a_subset_restores_the_position() {
    let mut b = Bench::new(80, 13, window(0, 25, 25));
    assert!(
        b.refused(Action::ShowSelected)
            && b.refused(Action::SelectNone)
            && b.refused(Action::UnselectRegex)
    );
    b.act(Action::PageDown);
    b.act(Action::Select);
    b.act(Action::Select);
    assert_eq!(
        b.state.selected().iter().copied().collect::<Vec<_>>(),
        [10, 11]
    );
    assert_eq!(
        b.act(Action::ShowSelected)[0],
        TableEffect::Subset(Some(vec![10, 11]))
    );
    assert!(b.state.in_subset());
    assert_eq!(b.state.row(), 0);
    assert_eq!(b.act(Action::ShowSelected)[0], TableEffect::Subset(None));
    assert_eq!(b.state.row(), 12);
    let copied = b.act(Action::CopyTable);
    assert_eq!(
        copied,
        [TableEffect::AskCopy(CopyWhat::Selected(vec![10, 11]))]
    );
    b.act(Action::SelectNone);
    assert_eq!(
        b.act(Action::CopyTable),
        [TableEffect::AskCopy(CopyWhat::All)]
    );
}

#[test]
fn an_empty_table_refuses_with_a_reason() {
    let mut b = Bench::new(80, 13, Window::default());
    for action in Action::ALL
        .iter()
        .filter(|a| a.scope() == crate::action::Scope::Table)
    {
        for effect in b.act(*action) {
            assert!(
                matches!(
                    effect,
                    TableEffect::Refuse(_) | TableEffect::AskColumn | TableEffect::Sort(_)
                ) || matches!(effect, TableEffect::NeedRows { .. }),
                "{} gave {effect:?}",
                action.name()
            );
        }
    }
    assert!(
        TableState::regex(0, "(", true)
            .unwrap_err()
            .what
            .contains("unclosed")
    );
    TableState::new(0).resize(Rect::new(0, 0, 0, 0), &[]);
}
