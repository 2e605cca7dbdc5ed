//! Items by subtask, style, or type: outcomes and precision per group, and own thresholds of
//! subtasks.

use super::histogram;
use super::outcome_counts::precision;
use super::thresholds::number;
use crate::theme::Role;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text::grouped;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::queries::{Tally, ThresholdTuning};
use benchtop_model::{Field, Filter};

/// The text for a missing value.
const NONE: &str = "(none)";

/// The fixed columns. Those of a second property follow them.
const FIXED: usize = 6;

/// An empty table for groups by `by`, with a column for each value of a second property.
pub(super) fn table(by: Field, across: Option<(Field, &[String])>) -> LocalTable {
    let number = |name: &str, width| Spec::number(name, "", ColumnKind::Number, width);
    let mut columns = vec![
        Spec::text(by.name(), 10),
        number("kept", 7),
        number("flagged", 7),
        number("quarantined", 11),
        Spec::number("precision", "", ColumnKind::Share, 11),
        Spec::text("own", 10),
    ];
    debug_assert_eq!(columns.len(), FIXED);
    let (across, values) = across.map_or(("", &[][..]), |(field, values)| (field.name(), values));
    columns.extend(
        values
            .iter()
            .map(|v| Spec::number(label(v), across, ColumnKind::Number, 11)),
    );
    LocalTable::new(columns, Vec::new(), 1, Empty::Loading)
}

fn label(value: &str) -> &str {
    if value.is_empty() { NONE } else { value }
}

/// The value of the second property in a column.
pub(super) fn across(columns: &[String], column: usize) -> Option<&str> {
    columns.get(column.checked_sub(FIXED)?).map(String::as_str)
}

/// The message for an empty table.
pub(super) fn nothing(by: Field) -> Empty {
    Empty::Nothing(format!("no item has a {}", by.name()))
}

/// The rows. `own` returns the flag and quarantine thresholds of a group.
pub(super) fn rows(
    tuning: &ThresholdTuning,
    own: impl Fn(&str) -> [Option<f32>; 2],
) -> Vec<Vec<LocalCell>> {
    let crossed = |at: usize| {
        let cells = tuning
            .cross
            .as_ref()
            .and_then(|cross| cross.items.get(at))
            .map_or(&[][..], Vec::as_slice);
        cells.iter().map(|items| cell(*items)).collect::<Vec<_>>()
    };
    let row = |(at, (value, tally)): (usize, &(String, Tally))| {
        let count = |outcome: Outcome| {
            let n = tally.items[usize::from(outcome.code())];
            LocalCell::count(n).role(match n {
                0 => Role::Dim,
                _ => histogram::role(outcome),
            })
        };
        let share = precision(tally);
        let precise = match share.n {
            0 => LocalCell::number("-", None),
            n => LocalCell::number(
                format!("{:.0}% {}/{n}", 100.0 * share.share(), share.k),
                Some(share.share()),
            ),
        };
        let lines = own(value);
        let thresholds = lines
            .iter()
            .zip(["flag", "quarantine"])
            .filter_map(|(l, name)| Some(format!("{name} {}", number((*l)?))));
        let mut row = vec![
            LocalCell::text(label(value)),
            count(Outcome::Kept),
            count(Outcome::Flagged),
            count(Outcome::Parked),
            precise,
            LocalCell::text(thresholds.collect::<Vec<_>>().join(", ")),
        ];
        row.extend(crossed(at));
        row
    };
    tuning.groups.iter().enumerate().map(row).collect()
}

/// Doubtful of all items, for one value of each property.
fn cell([kept, flagged, parked]: [u64; 3]) -> LocalCell {
    let (doubted, all) = (flagged + parked, kept + flagged + parked);
    if all == 0 {
        return LocalCell::missing("- ");
    }
    let shown = format!("{}/{}", grouped(doubted), grouped(all));
    let role = if doubted == 0 { Role::Dim } else { Role::Text };
    LocalCell::number(shown, Some(doubted as f64)).role(role)
}

/// The group of a row.
pub(super) fn value(table: &LocalTable, id: u64) -> Option<String> {
    let value = table.row(id)?.first()?.value();
    Some(if value == NONE {
        String::new()
    } else {
        value.to_string()
    })
}

/// The row of a group.
pub(super) fn find(table: &LocalTable, wanted: &str) -> Option<u64> {
    table
        .ids()
        .find(|id| value(table, *id).as_deref() == Some(wanted))
}

/// `filter`, limited to one group.
pub(super) fn narrowed(filter: &Filter, by: Field, value: &str) -> Filter {
    let only = filter.with_value(by, value);
    only.unwrap_or_else(|| filter.without(by))
}
