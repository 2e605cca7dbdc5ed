use proptest::prelude::*;

use super::*;

fn table(rows: &[(&str, Option<f64>)]) -> LocalTable {
    let columns = vec![
        Spec::text("name", 10),
        Spec::number("n", "", ColumnKind::Number, 6),
    ];
    let rows = rows.iter().map(|(name, n)| {
        vec![
            LocalCell::text(*name),
            LocalCell::number(n.map_or(String::new(), |n| n.to_string()), *n),
        ]
    });
    LocalTable::new(columns, rows.collect(), 1, Empty::Loading)
}

fn names(t: &mut LocalTable) -> Vec<String> {
    t.state.resize(Rect::new(0, 0, 80, 100), &t.columns);
    t.window()
        .rows
        .iter()
        .map(|r| r.cells[0].text.clone())
        .collect()
}

fn fruit() -> LocalTable {
    table(&[
        ("pear", Some(10.0)),
        ("Apple", Some(9.0)),
        ("fig", None),
        ("apple", Some(9.0)),
        ("", Some(-1.0)),
    ])
}

#[test]
fn sorts_numbers_by_number_text_without_case_and_missing_last() {
    let mut t = fruit();
    t.go_to_column(1);
    t.act(Action::SortAscending);
    assert_eq!(names(&mut t), ["", "Apple", "apple", "pear", "fig"]);
    t.act(Action::SortDescending);
    assert_eq!(names(&mut t), ["pear", "Apple", "apple", "", "fig"]);
    t.go_to_column(0);
    t.act(Action::SortDescending);
    assert_eq!(names(&mut t), ["pear", "fig", "Apple", "apple", ""]);
    t.act(Action::SortDescending);
    assert_eq!(names(&mut t), ["pear", "Apple", "fig", "apple", ""]);
}

#[test]
fn selects_by_regex_and_likeness_and_shows_the_subset() {
    let mut t = fruit();
    assert_eq!(
        t.select_regex(0, "(?i)^a", true).unwrap(),
        Some(Answer::Message("2 rows match, 2 newly selected".into()))
    );
    assert!(t.select_regex(0, "[", true).is_err());
    assert_eq!(t.state.selected().len(), 2);
    t.act(Action::ShowSelected);
    assert_eq!(names(&mut t), ["Apple", "apple"]);
    assert_eq!((t.window().total, t.window().of), (2, 5));
    t.select_regex(0, "^A", false).unwrap();
    assert_eq!(
        names(&mut t),
        ["Apple", "apple"],
        "a subset keeps its members while the selection changes"
    );
    t.act(Action::ShowSelected);
    assert_eq!(names(&mut t).len(), 5);
    t.act(Action::SelectNone);
    t.go_to_column(1);
    t.state.go_to_row(1);
    t.act(Action::SelectLike);
    assert_eq!(
        t.state.selected().iter().copied().collect::<Vec<_>>(),
        [1, 3]
    );
}

#[test]
fn frequency_and_summary_count_every_row() {
    let t = fruit();
    let f = t.frequency(1);
    assert_eq!(
        f.rows,
        [
            ("9".into(), 2),
            ("".into(), 1),
            ("-1".into(), 1),
            ("10".into(), 1)
        ]
    );
    assert_eq!((f.total, f.more, f.column.as_str()), (5, 0, "n"));
    let s = t.describe();
    assert_eq!(
        (s[0].present, s[0].missing, s[0].distinct, s[0].mean),
        (4, 1, 4, None)
    );
    assert_eq!((s[0].min.as_str(), s[0].max.as_str()), ("Apple", "pear"));
    assert_eq!(
        (s[1].min.as_str(), s[1].max.as_str(), s[1].mean),
        ("-1", "10", Some(6.75))
    );
    assert_eq!(s[1].top, "9");
}

#[test]
fn copies_the_visible_rows_in_order() {
    let mut t = fruit();
    t.go_to_column(1);
    t.act(Action::SortDescending);
    let copied = t.act(Action::CopyRow);
    assert_eq!(
        copied,
        [Answer::Copied {
            text: "name\tn\npear\t10\n".into(),
            rows: 1,
            but: None
        }]
    );
    t.state.mark([0, 1, 4], true);
    let [Answer::Effect(TableEffect::AskCopy(what))] = &t.act(Action::CopyTable)[..] else {
        panic!()
    };
    let copied = t.answer(TableEffect::Copy(what.clone(), CopyFormat::Tsv));
    assert_eq!(
        copied,
        Some(Answer::Copied {
            text: "name\tn\npear\t10\nApple\t9\n\t-1\n".into(),
            rows: 3,
            but: None
        })
    );
    t.act(Action::Hide);
    assert_eq!(
        t.act(Action::CopyRow),
        [Answer::Copied {
            text: "name\npear\n".into(),
            rows: 1,
            but: None
        }]
    );
}

#[test]
fn a_table_beyond_the_clipboard_limit_is_copied_as_its_page() {
    let rows = (0..3000)
        .map(|n| vec![LocalCell::text(format!("row {n} {}", "x".repeat(60)))])
        .collect();
    let mut t = LocalTable::new(vec![Spec::text("name", 9)], rows, 1, Empty::Loading);
    t.state.resize(Rect::new(0, 0, 40, 12), &t.columns);
    let Some(Answer::Copied {
        text,
        rows,
        but: Some(said),
    }) = t.answer(TableEffect::Copy(CopyWhat::All, CopyFormat::Tsv))
    else {
        panic!()
    };
    assert!(rows < 20 && text.lines().count() == rows + 1, "{rows}");
    assert!(said.contains(&format!("rows 1-{rows} of 3,000")), "{said}");
}

#[test]
fn a_dive_narrows_and_surfaces() {
    let mut t = fruit();
    t.dive(1, "9");
    assert_eq!(names(&mut t), ["Apple", "apple"]);
    assert_eq!(t.dived(), Some(("n", "9")));
    assert!(t.surface() && !t.surface());
    assert_eq!(names(&mut t).len(), 5);
}

fn any_action() -> impl Strategy<Value = Action> {
    use crate::action::Scope;
    let table: Vec<Action> = Action::ALL
        .iter()
        .copied()
        .filter(|a| a.scope() == Scope::Table)
        .collect();
    proptest::sample::select(table)
}

proptest! {
    #[test]
    fn the_cursor_stays_on_a_visible_row_under_any_actions(
        rows in 0..60usize,
        presses in proptest::collection::vec((any_action(), 40..120u16, 4..30u16), 0..60),
    ) {
        let columns = (0..7).map(|i| match i % 2 {
            0 => Spec::text(format!("t{i}"), 9),
            _ => Spec::number(format!("n{i}"), format!("g{}", i / 3), ColumnKind::Number, 7),
        });
        let cell = |i: usize| LocalCell::number(format!("{}", i % 5), Some((i % 5) as f64));
        let rows = (0..rows).map(|i| (0..7).map(|_| cell(i)).collect());
        let mut t = LocalTable::new(columns.collect(), rows.collect(), 1, Empty::Loading);
        let look = Look::new(&crate::theme::Theme::shipped("dark").unwrap(), Default::default(), false);
        for (action, width, height) in presses {
            let area = Rect::new(0, 0, width, height);
            t.draw(area, &mut Buffer::empty(area), &look);
            let total = t.order.len() as u64;
            t.act(action);
            let (top, page) = t.state.page();
            prop_assert!(top <= t.state.row() && t.state.row() < top + page);
            prop_assert!(t.state.row() < (t.order.len() as u64).max(1));
            prop_assert!(total == t.order.len() as u64 || action == Action::ShowSelected);
            prop_assert_eq!(t.cursor_id().is_some(), !t.order.is_empty());
            let placed = t.state.placed(&t.columns);
            prop_assert!(placed.iter().all(|p| p.x + p.width <= width), "{:?} at {}", placed, width);
            let pinned = placed.iter().filter(|p| p.pinned).count();
            let seen = placed.iter().any(|p| p.column == t.state.column());
            prop_assert!(seen || pinned > 1, "column {} not in {:?}", t.state.column(), placed);
        }
    }

    #[test]
    fn a_sort_is_a_stable_permutation(
        rows in proptest::collection::vec((0..4u8, proptest::option::of(-3..3i8)), 0..40), descending: bool,
    ) {
        let owned: Vec<(String, Option<f64>)> =
            rows.iter().map(|(a, n)| (a.to_string(), n.map(f64::from))).collect();
        let mut t = table(&owned.iter().map(|(a, n)| (a.as_str(), *n)).collect::<Vec<_>>());
        t.go_to_column(1);
        t.act(if descending { Action::SortDescending } else { Action::SortAscending });
        let mut seen = t.order.clone();
        for pair in t.order.windows(2) {
            let (a, b) = (owned[pair[0]].1, owned[pair[1]].1);
            let right = match (a, b) {
                (Some(a), Some(b)) if a == b => pair[0] < pair[1],
                (None, None) => pair[0] < pair[1],
                (Some(a), Some(b)) => (a < b) != descending,
                (a, b) => a.is_some() && b.is_none(),
            };
            prop_assert!(right, "{pair:?}");
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..owned.len()).collect::<Vec<_>>());
    }
}
