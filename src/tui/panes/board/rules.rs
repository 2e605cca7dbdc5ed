//! Comparison of two extraction rules: the answers that they parse differently.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::drilldown::DrilldownView;
use super::layer::{Layer, LayerEffect};
use crate::pane::Scene;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use benchtop_model::ToolVerdict;
use benchtop_model::board::AnswerDetail;
use benchtop_model::board::analysis::{Disagreement, TOOL};

/// The number of differences between two rules, by model.
#[derive(Clone, Debug)]
pub struct RulesView {
    found: Vec<Disagreement>,
    second: String,
    table: LocalTable,
}

impl RulesView {
    /// A view of the differences between `first` (the board's rule) and `second`.
    pub fn new(first: &str, second: &str, found: Vec<Disagreement>) -> RulesView {
        let number = |name: &str| Spec::number(name, "", ColumnKind::Number, 8);
        let mut columns = vec![
            Spec::text("model", 18),
            number("answers"),
            number("differ"),
            number("percent"),
        ];
        columns.extend([number("only 1st right"), number("only 2nd right")]);
        columns
            .iter_mut()
            .for_each(|c| c.group = format!("1st {first} vs 2nd {second}"));
        let count = LocalCell::count;
        let line = |d: &Disagreement| {
            let share = 100.0 * d.differ as f64 / d.answers.max(1) as f64;
            let mut cells = vec![LocalCell::text(&d.model), count(d.answers), count(d.differ)];
            cells.push(LocalCell::number(format!("{share:.2}"), Some(share)));
            cells.extend([count(d.first_right), count(d.second_right)]);
            cells
        };
        let rows = found.iter().map(line).collect();
        let hint = match second == TOOL {
            true => "no answers came with a tool's verdict".into(),
            false => "no model has answers that both rules can parse".into(),
        };
        let table = LocalTable::new(columns, rows, 1, Empty::Nothing(hint));
        RulesView {
            found,
            second: second.to_string(),
            table,
        }
    }

    fn examples(&self, found: &Disagreement) -> DrilldownView {
        let detail = |(behind, read): &(AnswerDetail, Option<String>)| {
            let verdict = behind
                .tool
                .as_ref()
                .filter(|_| self.second == TOOL)
                .map(ToolVerdict::describe);
            let verdict = verdict
                .as_deref()
                .or(read.as_deref())
                .unwrap_or("(unparsed)");
            let unit = format!("{verdict} by {}", self.second);
            AnswerDetail {
                unit,
                ..behind.clone()
            }
        };
        let title = match self.second == TOOL {
            true => format!(
                "answers of {} that the tool judged differently",
                found.model
            ),
            false => format!(
                "answers of {} that {} parses differently",
                found.model, self.second
            ),
        };
        DrilldownView::titled(
            title,
            &found.model,
            found.examples.iter().map(detail).collect(),
            found.differ,
        )
    }
}

impl Layer for RulesView {
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(&mut self.table)
    }

    /// Shows a model's first answers on which the rules differ.
    fn open(&self, row: usize) -> LayerEffect {
        match self.found.get(row).filter(|d| !d.examples.is_empty()) {
            Some(found) => LayerEffect::Open(Box::new(self.examples(found))),
            None => LayerEffect::refuse("the rules agree on all its answers"),
        }
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        self.table.draw(area, buf, scene.look);
    }
}
