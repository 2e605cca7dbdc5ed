//! The coverage heat map: a number per cell, colored by its share of the largest, with totals for
//! rows and columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::panes::metadata::edit_session::error_line;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text::{self, grouped};
use benchtop_model::usage::{Grid, Tally};
use benchtop_model::{ColorLevel, Field, Filter, QuestionKind, Result, Status};

/// The count that a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    #[default]
    Items,
    Accepted,
    /// The share of accepted items among accepted and rejected ones.
    Rate,
    Flagged,
    /// Items without verdicts.
    Pending,
}

impl Measure {
    /// The name in the title.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Items => "items",
            Measure::Accepted => "accepted items",
            Measure::Rate => "acceptance rate",
            Measure::Flagged => "flagged items",
            Measure::Pending => "pending items",
        }
    }

    /// The next measure; wraps around.
    pub fn next(self) -> Measure {
        match self {
            Measure::Items => Measure::Accepted,
            Measure::Accepted => Measure::Rate,
            Measure::Rate => Measure::Flagged,
            Measure::Flagged => Measure::Pending,
            Measure::Pending => Measure::Items,
        }
    }

    /// The value for these items, in 0..=1 for the rate. `None` if none were judged.
    pub fn of(self, tally: &Tally) -> Option<f64> {
        match self {
            Measure::Items => Some(tally.all() as f64),
            Measure::Accepted => Some(tally.count(Status::Accepted) as f64),
            Measure::Rate => tally.acceptance().map(|(share, _)| share),
            Measure::Flagged => Some(tally.count(Status::Flagged) as f64),
            Measure::Pending => Some(tally.count(Status::Pending) as f64),
        }
    }

    fn shown(self, tally: &Tally) -> String {
        match (self, self.of(tally)) {
            (_, None) => "-".into(),
            (Measure::Rate, Some(share)) => format!("{:.0} %", share * 100.0),
            (_, Some(n)) => grouped(n as u64),
        }
    }
}

/// Whether shares are drawn as blocks beside the number, for terminals without colors.
pub fn blocks(look: &Look) -> bool {
    look.theme.level() < ColorLevel::Ansi256 && !look.accessible
}

/// Eighths of a block, from empty to full.
const BLOCKS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

fn block(share: f64) -> &'static str {
    let step = (share.clamp(0.0, 1.0) * 8.0).ceil() as usize;
    BLOCKS.get(step).copied().unwrap_or(" ")
}

/// The text for a value; "(none)" if items lack it.
fn shown_value(value: &str) -> &str {
    if value.is_empty() { "(none)" } else { value }
}

/// Fills the table with the grid.
pub fn fill(
    table: &mut LocalTable,
    grid: Option<&Result<Grid>>,
    (rows, columns): (&str, &str),
    measure: Measure,
    blocks: bool,
) {
    let (grid, empty) = match grid {
        None => (None, Empty::Loading),
        Some(Err(problem)) => (None, Empty::Failed(error_line(problem))),
        Some(Ok(grid)) => {
            let hint =
                format!("no item has a {rows} or a {columns}; `benchtop compose` makes items");
            (Some(grid), Empty::Nothing(hint))
        }
    };
    // All measures have the same columns, so that cursor and sorting stay.
    let kind = ColumnKind::Number;
    let values = grid.map_or(&[][..], |g| &g.rows[..]);
    let widest = values
        .iter()
        .map(|(v, _)| text::width(shown_value(v)))
        .max()
        .unwrap_or(0)
        .clamp(8, 22);
    let mut specs = vec![
        Spec::text(rows, widest as u16),
        Spec::number("all", "", kind, 8),
    ];
    let across = grid.map_or(&[][..], |g| &g.columns[..]);
    for (value, _) in across {
        let name = text::fit(shown_value(value), 12);
        // Two values may be shortened to one heading. The full name tells the columns apart.
        let mut spec = Spec::number(name, "", kind, 6);
        spec.name = shown_value(value).to_string();
        specs.push(spec);
    }
    let maximum = |tallies: &mut dyn Iterator<Item = &Tally>| -> f64 {
        if measure == Measure::Rate {
            1.0
        } else {
            tallies.filter_map(|t| measure.of(t)).fold(0.0, f64::max)
        }
    };
    let largest = maximum(&mut grid.map_or(&[][..], |g| &g.cells[..]).iter());
    let cell = |tally: &Tally, heat: bool| {
        let value = measure.of(tally);
        let share = value.filter(|_| largest > 0.0).map(|v| v / largest);
        let mut shown = measure.shown(tally);
        if blocks && heat {
            shown = format!("{} {shown}", block(share.unwrap_or(0.0)));
        }
        let mut cell = LocalCell::number(shown, value);
        // Cells without items have no color, so that gaps stand out.
        let nothing = tally.all() == 0 || value.is_none();
        cell.view.role = if nothing { Role::Dim } else { Role::Text };
        if heat && !nothing {
            cell.view.heat = share.map(|s| s as f32);
        }
        cell
    };
    let wide = across.len();
    let line = |(at, (value, total)): (usize, &(String, Tally))| {
        let mut cells = vec![LocalCell::text(shown_value(value)), cell(total, false)];
        let own = grid.map_or(&[][..], |g| {
            g.cells.get(at * wide..(at + 1) * wide).unwrap_or(&[])
        });
        cells.extend(own.iter().enumerate().map(|(column, tally)| {
            let excluded = grid.is_some_and(|g| g.exclusion_reason(at * wide + column).is_some());
            if !excluded {
                return cell(tally, true);
            }
            // Items in an excluded cell predate the rule. Highlight them.
            match tally.all() {
                0 => LocalCell::missing("×"),
                _ => cell(tally, false).role(Role::Bad),
            }
        }));
        cells
    };
    let lines = values.iter().enumerate().map(line).collect();
    if table.columns() == &specs[..] {
        table.set_rows(lines, empty);
    } else {
        *table = LocalTable::new(specs, lines, 2, empty);
    }
}

/// Draws the map, the totals of its columns, and details of the cell under the cursor.
pub fn draw(
    table: &mut LocalTable,
    grid: Option<&Grid>,
    (rows, columns): (&str, &str),
    measure: Measure,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) {
    if area.height < 6 {
        return table.draw(area, buf, look);
    }
    let possible = match grid.filter(|g| !g.excluded.is_empty()).map(Grid::filled) {
        Some((possible, filled)) => format!("  {filled} of {possible} possible cells"),
        None => String::new(),
    };
    let title = format!(
        " {rows} x {columns}, colored by {}{possible}  tab: next count",
        measure.name()
    );
    let mut lines = Lines::new(area, buf, look);
    lines.text(&title, Role::Heading);
    table.set_note("");
    let (body, _) = areas::top(lines.rest(), area.height - 4);
    table.draw(body, buf, look);
    let Some(grid) = grid.filter(|g| !g.rows.is_empty()) else {
        return;
    };
    let y = body.bottom();
    for placed in table.state().placed(table.columns()) {
        let total = match placed.column {
            0 => {
                buf.set_stringn(
                    area.x + placed.x,
                    y,
                    "all",
                    usize::from(placed.width),
                    look.style(Role::Heading),
                );
                continue;
            }
            1 => grid.rows.iter().fold(Tally::default(), |mut all, (_, t)| {
                all.0.iter_mut().zip(t.0).for_each(|(a, b)| *a += b);
                all
            }),
            column => match grid.columns.get(column - 2) {
                Some((_, total)) => *total,
                None => continue,
            },
        };
        let shown = measure.shown(&total);
        let wide = usize::from(placed.width);
        let pad = wide.saturating_sub(text::width(&shown)) as u16;
        buf.set_stringn(
            area.x + placed.x + pad,
            y,
            shown,
            wide,
            look.style(Role::Heading),
        );
    }
    let below = areas::top(area, y + 1 - area.y).1;
    let mut lines = Lines::new(areas::left(below, 1, 0).1, buf, look);
    for line in detail(table, grid) {
        lines.text(&line, Role::Dim);
    }
}

/// The cell under the cursor in words. Each field has a fixed place, so that a move changes few
/// characters.
fn detail(table: &LocalTable, grid: &Grid) -> [String; 2] {
    let row = table
        .cursor_id()
        .and_then(|id| usize::try_from(id).ok())
        .filter(|r| *r < grid.rows.len());
    let Some(row) = row else {
        return [String::new(), String::new()];
    };
    let column = table
        .state()
        .column()
        .checked_sub(2)
        .filter(|c| *c < grid.columns.len());
    let (name, total) = &grid.rows[row];
    let (place, tally) = match column {
        Some(c) => {
            let at = row * grid.columns.len() + c;
            let cell = grid.cells.get(at).copied().unwrap_or_default();
            let why = grid
                .exclusion_reason(at)
                .map_or(String::new(), |why| format!("  ×: {why}"));
            (
                format!(
                    "{:<22} x {}{why}",
                    shown_value(name),
                    shown_value(&grid.columns[c].0)
                ),
                cell,
            )
        }
        None => (format!("all {}", shown_value(name)), *total),
    };
    let (judged, accepted) = (
        tally.count(Status::Accepted) + tally.count(Status::Rejected),
        tally.count(Status::Accepted),
    );
    let rate = tally
        .acceptance()
        .map_or("-".into(), |(share, _)| format!("{:.0} %", share * 100.0));
    let counts = format!(
        "{:>7} items {:>7} pending {:>6} flagged  accepted {rate:>5} {:>6} of {:>6}",
        grouped(tally.all()),
        grouped(tally.count(Status::Pending)),
        grouped(tally.count(Status::Flagged)),
        grouped(accepted),
        grouped(judged),
    );
    [place, counts]
}

/// The filter for the items of a cell.
pub fn words<'v>(values: impl Iterator<Item = (&'v str, &'v str)>, measure: Measure) -> String {
    let mut filter = Filter::default();
    for (property, value) in values {
        match property {
            "style" => filter.values.push((Field::Style, vec![value.into()])),
            "subtask" => filter.values.push((Field::Subtask, vec![value.into()])),
            "type" => filter.kind.extend(QuestionKind::from_name(value)),
            "subject" => filter.subjects.push(value.into()),
            vocabulary => filter.shows.push((vocabulary.into(), value.into())),
        }
    }
    match measure {
        Measure::Accepted => filter.status.push(Status::Accepted),
        Measure::Flagged => filter.status.push(Status::Flagged),
        Measure::Pending => filter.status.push(Status::Pending),
        Measure::Rate => filter.status.extend([Status::Accepted, Status::Rejected]),
        Measure::Items => {}
    }
    filter.to_text()
}
