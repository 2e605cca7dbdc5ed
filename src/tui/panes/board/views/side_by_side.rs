//! Several models side by side, by the columns of a group (Dysca, Fig. 7).

use super::view::{CHART, View, chart, names, number};
use super::{quadrant, strategies, styles, types};
use crate::panes::board::kind::Kind;
use crate::panes::board::table::{Style, cell_of, short};
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text;
use benchtop_model::board::{Better, Board, Cell, Column, Row, Scale};
use benchtop_model::sorting::sort_by;

/// The letters of the models, in headings, notes, and the chart.
pub(super) const LETTERS: [char; 8] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
/// The mark of several models at one place.
const SHARED: char = '*';
const WIDTH: usize = 15;
/// Room for the names in the headings, in terminal columns.
const NAMES: usize = 20;

/// The columns of a kind of breakdown.
fn columns<'b>(kind: &Kind, board: &'b Board) -> Vec<&'b Column> {
    let is_in = |group: &str| match kind {
        Kind::Styles => group == styles::GROUP,
        Kind::Types => types::GROUPS.contains(&group),
        Kind::Quadrant => group == quadrant::GROUP,
        Kind::Strategies => group == strategies::GROUP,
        Kind::Group(name) => group == name,
        Kind::Stability => false,
    };
    let columns = board.columns.iter();
    columns.filter(|column| is_in(&column.group)).collect()
}

/// What the title calls the breakdown, and the column that sums it up.
fn said(kind: &Kind) -> (&str, Option<&str>) {
    match kind {
        Kind::Styles => ("style", Some("SC")),
        Kind::Types => ("question type", Some("SQ")),
        Kind::Quadrant => ("knowledge quadrant", None),
        Kind::Strategies => ("strategy", None),
        Kind::Group(name) => (name, None),
        Kind::Stability => ("stability", None),
    }
}

/// The values of a column in its unit, by model.
fn values(board: &Board, rows: &[&Row], column: &Column) -> Vec<Option<f64>> {
    let value = |row: &&Row| board.cell(row, &column.name).and_then(Cell::value);
    let unit = column.scale.unit();
    let values = rows.iter().map(value);
    values.map(|value| value.map(|v| v * unit)).collect()
}

/// The difference: second less first of two models, or the range of more.
fn apart(values: &[Option<f64>]) -> Option<f64> {
    match values {
        [first, second] => Some((*second)? - (*first)?),
        more => {
            let (low, high) = ends(more.iter().flatten())?;
            Some(high - low)
        }
    }
}

fn ends<'v>(values: impl IntoIterator<Item = &'v f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |ends, value| match ends {
        None => Some((*value, *value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

pub(super) fn view(kind: &Kind, board: &Board, rows: &[&Row]) -> Option<View> {
    let rows = &rows[..rows.len().min(LETTERS.len())];
    let mut lines: Vec<(&Column, Vec<Option<f64>>)> = columns(kind, board)
        .into_iter()
        .map(|column| (column, values(board, rows, column)))
        .filter(|(_, values)| values.iter().any(Option::is_some))
        .collect();
    // The largest differences first, and those without one last.
    let size = |values: &[Option<f64>]| apart(values).map_or(-1.0, f64::abs);
    sort_by(&mut lines, |a, b| size(&b.1).total_cmp(&size(&a.1)));
    let range = ends(lines.iter().flat_map(|(_, values)| values.iter().flatten()))
        .map(|(low, high)| ((low / 10.0).floor() * 10.0, (high / 10.0).ceil() * 10.0))?;
    let line = |(column, values): &(&Column, Vec<Option<f64>>)| {
        let label = match (kind, short(board, column)) {
            (Kind::Types, _) => types::abbreviated(&column.name),
            (_, "") => column.name.clone(),
            (_, short) => short.to_string(),
        };
        let cells: Vec<Option<Cell>> = rows
            .iter()
            .map(|row| board.cell(row, &column.name))
            .collect();
        let mut shown = vec![LocalCell::text(label)];
        let own = |(cell, row): (&Option<Cell>, &&Row)| {
            let style = Style {
                decimals: 1,
                reference: false,
                is_white_box: row.is_white_box(column),
            };
            cell_of(*cell, column.scale, style)
        };
        shown.extend(cells.iter().zip(rows).map(own));
        let n = cells.iter().flatten().map(|cell| cell.n()).min();
        shown.push(n.map_or(LocalCell::missing("-"), LocalCell::count));
        let sign = |v| match rows.len() {
            2 => format!("{v:+.1}"),
            _ => format!("{v:.1}"),
        };
        shown.push(number(apart(values), sign));
        shown.push(chart(dots(values, range)));
        (column.name.clone(), shown)
    };
    let cells: Vec<_> = lines.iter().map(line).collect();
    let is_share = |column: &Column| column.scale == Scale::Share;
    let kind_of = match lines.iter().all(|(column, _)| is_share(column)) {
        true => ColumnKind::Share,
        false => ColumnKind::Number,
    };
    let mut specs = vec![names("column", &cells)];
    let room = (NAMES / rows.len()).max(6);
    specs.extend(rows.iter().zip(LETTERS).map(|(row, letter)| {
        let heading = text::fit(&format!("{letter} {}", row.model), room);
        let spec = Spec::number(&row.model, "", kind_of, 6).called(heading, 6);
        Spec {
            width: spec.width.min(room as u16 + 2),
            better: lines.first().map_or(Better::Neither, |(c, _)| c.better()),
            ..spec
        }
    }));
    specs.push(Spec::number("n", "", ColumnKind::Number, 5));
    let gap = if rows.len() == 2 { "B-A" } else { "range" };
    specs.push(Spec::number(gap, "", ColumnKind::Number, 6));
    specs.push(Spec::text(CHART, WIDTH as u16));
    let models: Vec<String> = rows.iter().map(|row| row.model.clone()).collect();
    let by = said(kind);
    let title = match models.as_slice() {
        [first, second] => format!("{} vs {}", text::fit(first, 24), text::fit(second, 24)),
        models => format!("{} models", models.len()),
    };
    let notes = notes(board, rows, &lines, range, by.1);
    View::of_models(models, &title, by.0, notes, specs, cells)
}

fn notes(
    board: &Board,
    rows: &[&Row],
    lines: &[(&Column, Vec<Option<f64>>)],
    range: (f64, f64),
    sum: Option<&str>,
) -> Vec<String> {
    let sum = sum.and_then(|name| board.column(name));
    let best: Vec<Option<usize>> = lines
        .iter()
        .map(|(column, values)| best(column.better(), values))
        .collect();
    let model = |(at, (row, letter)): (usize, (&&Row, char))| {
        let ahead = best.iter().filter(|best| **best == Some(at)).count();
        let mut note = format!(
            "{letter} {}: ahead in {ahead} of {}",
            row.model,
            lines.len()
        );
        let value = sum.and_then(|column| Some((column, board.cell(row, &column.name)?.value()?)));
        if let Some((column, value)) = value {
            note += &format!(", {} {value:.2}", column.name);
        }
        note
    };
    let mut notes: Vec<String> = rows.iter().zip(LETTERS).enumerate().map(model).collect();
    let (low, high) = range;
    notes.push(format!(
        "{CHART}: the letters are the models, from {low:.0} to {high:.0}; {SHARED} is several"
    ));
    notes
}

/// The model with the best value, if only one has it.
fn best(better: Better, values: &[Option<f64>]) -> Option<usize> {
    let (low, high) = ends(values.iter().flatten())?;
    let best = match better {
        Better::More => high,
        Better::Less => low,
        Better::Neither => return None,
    };
    let mut at = values.iter().enumerate().filter(|(_, v)| **v == Some(best));
    let (first, more) = (at.next(), at.next());
    first.filter(|_| more.is_none()).map(|(at, _)| at)
}

/// The letters of the models on a line over `range`.
fn dots(values: &[Option<f64>], (low, high): (f64, f64)) -> String {
    let place = |value: f64| {
        let share = (value - low) / (high - low).max(f64::MIN_POSITIVE);
        (share.clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize
    };
    let places: Vec<Option<usize>> = values.iter().map(|v| v.map(place)).collect();
    let between = ends_of(&places);
    let mark = |at: usize| {
        let mut here = places.iter().zip(LETTERS).filter(|(p, _)| **p == Some(at));
        match (here.next(), here.next()) {
            (Some((_, letter)), None) => letter,
            (Some(_), Some(_)) => SHARED,
            _ if between.is_some_and(|(low, high)| (low..high).contains(&at)) => '─',
            _ => ' ',
        }
    };
    (0..WIDTH).map(mark).collect()
}

fn ends_of(places: &[Option<usize>]) -> Option<(usize, usize)> {
    let low = places.iter().flatten().min()?;
    let high = places.iter().flatten().max()?;
    Some((*low, *high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_at_their_values() {
        let line = dots(&[Some(50.0), Some(100.0), None], (50.0, 100.0));
        assert!(line.starts_with('A') && line.ends_with('B'), "{line:?}");
        assert_eq!(line.chars().filter(|c| *c == '─').count(), WIDTH - 2);
        assert_eq!(dots(&[Some(7.0), Some(7.0)], (0.0, 10.0)).trim(), "*");
        assert_eq!(dots(&[None, Some(0.0)], (0.0, 0.0)).trim(), "B");
    }

    #[test]
    fn the_best_is_ahead_only_alone() {
        assert_eq!(best(Better::More, &[Some(1.0), Some(2.0), None]), Some(1));
        assert_eq!(best(Better::Less, &[Some(1.0), Some(2.0)]), Some(0));
        assert_eq!(best(Better::More, &[Some(2.0), Some(2.0)]), None);
        assert_eq!(best(Better::Neither, &[Some(1.0)]), None);
    }

    #[test]
    fn the_difference_is_signed_for_two_and_a_range_for_more() {
        assert_eq!(apart(&[Some(5.0), Some(2.0)]), Some(-3.0));
        assert_eq!(apart(&[Some(5.0), None]), None);
        assert_eq!(apart(&[Some(5.0), Some(2.0), Some(9.0)]), Some(7.0));
    }
}
