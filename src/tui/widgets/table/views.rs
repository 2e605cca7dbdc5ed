//! Frequencies and summaries, drawn as tables.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Answer, ColumnKind, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::action::Action;
use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::table::{Frequency, Summary};

const BAR: usize = 24;

/// Effects of a frequency table on its source table.
#[derive(Clone, Debug, PartialEq)]
pub enum FrequencyEffect {
    /// Show only the rows with this value of the column. Empty text stands for no value.
    Dive {
        /// Column of the source table.
        column: usize,
        value: String,
    },
    /// Select or unselect the rows with this value.
    SelectValue {
        /// Column of the source table.
        column: usize,
        value: String,
        on: bool,
    },
    /// An effect that any table has.
    Table(Answer),
}

/// How often each value of a column occurs, with a bar for each.
#[derive(Clone, Debug)]
pub struct FrequencyView {
    column: usize,
    values: Vec<String>,
    table: LocalTable,
}

impl FrequencyView {
    /// The frequencies of column `column` of some table.
    pub fn new(column: usize, frequency: Frequency) -> FrequencyView {
        let Frequency {
            column: name,
            rows,
            total,
            more,
        } = frequency;
        let title = format!("frequency of `{name}`");
        let mut columns = vec![
            Spec::text("value", 28),
            Spec::number("rows", "", ColumnKind::Number, 9),
            Spec::number("share", "", ColumnKind::Share, 8),
            Spec::text("histogram", BAR as u16),
        ];
        columns.iter_mut().for_each(|c| c.group.clone_from(&title));
        let most = rows.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
        let line = |(value, n): &(String, u64)| {
            let share = *n as f64 / total.max(1) as f64;
            vec![
                match value.as_str() {
                    "" => LocalCell::text("(none)").role(Role::Dim),
                    value => LocalCell::text(value),
                },
                LocalCell::count(*n),
                LocalCell::number(format!("{:.1} %", share * 100.0), Some(share)),
                LocalCell::text(bar(*n as f64 / most as f64)).role(Role::Accent),
            ]
        };
        let cells = rows.iter().map(line).collect();
        let mut table = LocalTable::new(
            columns,
            cells,
            1,
            Empty::Nothing("the table has no rows".into()),
        );
        if more > 0 {
            table.set_note(format!("and {} more values", text::grouped(more)));
        }
        FrequencyView {
            column,
            values: rows.into_iter().map(|(v, _)| v).collect(),
            table,
        }
    }

    /// The underlying table, for going to a column or copying.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Runs a table action. Enter dives into the value under the cursor, and selecting a value
    /// selects its source rows.
    pub fn act(&mut self, action: Action) -> Vec<FrequencyEffect> {
        let before = self.table.cursor_id();
        let answers = self.table.act(action);
        let value_of = |id: u64| {
            usize::try_from(id)
                .ok()
                .and_then(|i| self.values.get(i))
                .cloned()
        };
        if action == Action::Select
            && let Some((id, value)) = before.and_then(|id| Some((id, value_of(id)?)))
        {
            let on = self.table.state().selected().contains(&id);
            return vec![FrequencyEffect::SelectValue {
                column: self.column,
                value,
                on,
            }];
        }
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => match value_of(id) {
                Some(value) => FrequencyEffect::Dive {
                    column: self.column,
                    value,
                },
                None => FrequencyEffect::Table(Answer::Effect(TableEffect::Refuse(
                    "nothing to open".into(),
                ))),
            },
            other => FrequencyEffect::Table(other),
        };
        answers.into_iter().map(effect).collect()
    }

    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        if look.accessible && self.table.columns().len() == 4 {
            self.table.drop_last_column();
        }
        self.table.draw(area, buf, look);
    }
}

/// A bar of [`BAR`] cells for a share in 0..=1, in eighths. Never empty unless the share is zero.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        .get(eighths % 8)
        .copied()
        .unwrap_or_default();
    "█".repeat(eighths / 8) + rest
}

/// A table of summaries. The id of a row is the index of its column in the source table.
pub fn describe(summaries: Vec<Summary>) -> LocalTable {
    let number = |name: &str| Spec::number(name, "", ColumnKind::Number, 9);
    let mut columns = vec![
        Spec::text("column", 18),
        number("present"),
        number("missing"),
        number("distinct"),
    ];
    columns.extend([
        Spec::text("smallest", 14),
        Spec::text("largest", 14),
        number("mean"),
        Spec::text("top", 16),
    ]);
    columns
        .iter_mut()
        .for_each(|c| c.group = "column summary".into());
    let count = LocalCell::count;
    let line = |s: Summary| {
        let mean = LocalCell::number(s.mean.map_or(String::new(), |m| format!("{m:.3}")), s.mean);
        let words = [s.column, s.min, s.max, s.top].map(LocalCell::text);
        let [column, min, max, top] = words;
        vec![
            column,
            count(s.present),
            count(s.missing),
            count(s.distinct),
            min,
            max,
            mean,
            top,
        ]
    };
    let rows = summaries.into_iter().map(line).collect();
    LocalTable::new(columns, rows, 1, Empty::Nothing("no columns".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> FrequencyView {
        let rows = vec![
            ("animal".to_string(), 30),
            ("plant".to_string(), 9),
            (String::new(), 1),
        ];
        FrequencyView::new(
            2,
            Frequency {
                column: "subtask".into(),
                rows,
                total: 40,
                more: 7,
            },
        )
    }

    #[test]
    fn enter_dives_and_select_takes_the_source_rows() {
        let mut v = view();
        v.act(Action::Down);
        assert_eq!(
            v.act(Action::Open),
            [FrequencyEffect::Dive {
                column: 2,
                value: "plant".into()
            }]
        );
        let select = |on| FrequencyEffect::SelectValue {
            column: 2,
            value: "plant".into(),
            on,
        };
        assert_eq!(v.act(Action::Select), [select(true)]);
        v.act(Action::Up);
        assert_eq!(v.act(Action::Select), [select(false)]);
        v.act(Action::Bottom);
        assert_eq!(
            v.act(Action::Open),
            [FrequencyEffect::Dive {
                column: 2,
                value: String::new()
            }]
        );
    }

    #[test]
    fn bars_grow_with_the_share_and_never_vanish() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1e-9), "▏");
        assert_eq!(bar(1.0).chars().count(), BAR);
        assert_eq!(bar(0.5).chars().count(), BAR / 2);
        assert_eq!(bar(f64::NAN), "");
    }
}
