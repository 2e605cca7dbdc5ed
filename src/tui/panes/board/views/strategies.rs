//! VLB's variants: visual strategies in the rows, language strategies in the columns, and the change
//! by number of strategies.

use std::collections::BTreeMap;

use super::view::{View, names, number};
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use benchtop_metrics::vlb::grid::{Difficulty, Place, place};
use benchtop_model::board::{Board, Cell, Column, Row};
use benchtop_model::sorting::sort_by_key;

pub(super) const GROUP: &str = "delta of modified";
/// The heading of no strategy.
const NONE: &str = "-";

/// The variants that are named by strategies.
fn variants(board: &Board) -> impl Iterator<Item = (&Column, Place)> {
    let own = board.columns.iter().filter(|column| column.group == GROUP);
    own.filter_map(|column| Some((column, place(column.variant.as_deref()?)?)))
}

pub(super) fn has_grid(board: &Board) -> bool {
    variants(board).next().is_some()
}

pub(super) fn view(board: &Board, row: &Row) -> Option<View> {
    let value = |column: &Column| match board.cell(row, &column.name)? {
        Cell::Number { value, n } => Some((value, n)),
        _ => None,
    };
    let found: Vec<(&Column, Place, (f64, u64))> = variants(board)
        .filter_map(|(column, place)| Some((column, place, value(column)?)))
        .collect();
    let sides = |of: fn(&Place) -> &String| {
        let mut names: Vec<&String> = found.iter().map(|(_, place, _)| of(place)).collect();
        sort_by_key(&mut names, |name| (name.contains('+'), (*name).clone()));
        names.dedup();
        names
    };
    let (visual, language) = (sides(|of| &of.visual), sides(|of| &of.language));
    let at = |row: &str, column: &str| {
        let is = |of: &&(&Column, Place, (f64, u64))| of.1.visual == row && of.1.language == column;
        found.iter().find(is)
    };
    let named = |name: &str| if name.is_empty() { NONE } else { name }.to_string();
    let mut rows = Vec::new();
    let mut cells = Vec::new();
    for name in visual {
        let own: Vec<_> = language.iter().map(|column| at(name, column)).collect();
        let mut shown = vec![LocalCell::text(named(name))];
        let delta = |of: &Option<&(&Column, Place, (f64, u64))>| {
            number(of.map(|of| of.2.0), |v| format!("{v:+.1}"))
        };
        shown.extend(own.iter().map(delta));
        let columns = own.iter().map(|of| of.map(|of| of.0.name.clone()));
        let columns: Vec<Option<String>> = columns.collect();
        let first = columns.iter().flatten().next().cloned();
        rows.push((first.unwrap_or_default(), shown));
        cells.push(columns);
    }
    let mut specs = vec![names("visual", &rows)];
    let wide = |name: &&String| Spec::number(named(name), "", ColumnKind::Number, 7);
    specs.extend(language.iter().map(wide));
    let mut notes = vec![
        "change against the originals in points, over really modified questions; columns are \
         language strategies"
            .to_string(),
    ];
    notes.extend(curve(&found));
    View::of(&row.model, "strategy", notes, specs, rows).map(|view| view.with_cells(cells))
}

/// The change by number of strategies: that of all modified questions of these variants together.
fn curve(found: &[(&Column, Place, (f64, u64))]) -> Vec<String> {
    let mut points: BTreeMap<(usize, Difficulty), (f64, u64)> = BTreeMap::new();
    for (_, place, (value, n)) in found {
        let point = points.entry((place.count, place.difficulty)).or_default();
        point.0 += value * *n as f64;
        point.1 += n;
    }
    let line = |((count, difficulty), (sum, n)): ((usize, Difficulty), (f64, u64))| {
        let strategies = if count == 1 { "strategy" } else { "strategies" };
        let mean = sum / n.max(1) as f64;
        let meant = difficulty.name();
        format!("{count} {strategies}, meant {meant}: {mean:+.1} over {n} questions")
    };
    points.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use benchtop_model::board::{Counts, Scale};

    use super::*;

    #[test]
    fn points_are_the_changes_of_all_their_questions() {
        let column = |variant: &str| Column {
            variant: Some(variant.into()),
            ..Column::new(
                format!("delta.{variant}.modified"),
                GROUP,
                "",
                Scale::Points,
            )
        };
        let names = ["V1", "V2", "L3", "V1+L4", "V2+L3", "V1+V3@2+L4", "blur"];
        let changes = [
            (-10.0, 10),
            (4.0, 10),
            (8.0, 30),
            (-20.0, 5),
            (12.0, 5),
            (-40.0, 2),
            (-1.0, 9),
        ];
        let cells = changes.map(|(value, n)| Some(Cell::Number { value, n }));
        let board = Board {
            questions: 9,
            columns: names.map(column).to_vec(),
            rows: vec![Row {
                model: "m".into(),
                cells: cells.to_vec(),
                counts: Counts::default(),
                reference: None,
                white_box: Vec::new(),
            }],
            notes: Vec::new(),
            drafts: 0,
        };
        assert!(has_grid(&board));
        let found: Vec<_> = variants(&board)
            .zip(changes)
            .map(|((column, place), change)| (column, place, change))
            .collect();
        let points = curve(&found);
        let has = |at: usize, parts: &[&str]| parts.iter().all(|part| points[at].contains(part));
        assert_eq!(points.len(), 5, "{points:?}");
        assert!(has(0, &["1 ", "harder", "-10.0", "10 "]), "{points:?}");
        // (4 x 10 + 8 x 30) / 40
        assert!(has(1, &["1 ", "easier", "+7.0", "40 "]), "{points:?}");
        assert!(has(2, &["2 ", "harder", "-20.0"]), "{points:?}");
        assert!(has(3, &["2 ", "easier", "+12.0"]), "{points:?}");
        assert!(has(4, &["3 ", "harder", "-40.0"]), "{points:?}");
        let view = view(&board, &board.rows[0]).unwrap();
        assert!(format!("{view:?}").contains("delta.V1+V3@2+L4.modified"));
        assert!(!format!("{view:?}").contains("delta.blur"));
    }
}
