//! The comparison of two models on the same questions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Layer, LayerEffect};
use super::values::{apart, range, value_text};
use crate::action::{Action, Scope};
use crate::pane::Scene;
use crate::theme::Role;
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::Filter;
use benchtop_model::board::analysis::ModelComparison;
use benchtop_model::board::{Cell, Scale};

#[derive(Clone, Debug)]
pub struct CompareView {
    compared: ModelComparison,
    scale: Scale,
    table: LocalTable,
}

impl CompareView {
    /// A view of a comparison by a column with this scale.
    pub fn new(compared: ModelComparison, scale: Scale) -> CompareView {
        let [a, b] = &compared.models;
        let mut columns = vec![Spec::text("units", 40)];
        columns.extend([
            Spec::number("count", "", ColumnKind::Number, 9),
            Spec::number("of all", "", ColumnKind::Number, 8),
        ]);
        columns.push(Spec::number("items", "", ColumnKind::Number, 9));
        let mut rows = Vec::new();
        if let Some(t) = &compared.table {
            let all = (t.both + t.first + t.second + t.neither).max(1) as f64;
            let line = |what: String, n: u64, items: Option<usize>| {
                let share = 100.0 * n as f64 / all;
                vec![
                    LocalCell::text(what),
                    LocalCell::count(n),
                    LocalCell::number(format!("{share:.1} %"), Some(share)),
                    items.map_or(LocalCell::number("", None), |n| LocalCell::count(n as u64)),
                ]
            };
            rows.push(line(
                format!("only {a} correct"),
                t.first,
                Some(t.first_items.len()),
            ));
            rows.push(line(
                format!("only {b} correct"),
                t.second,
                Some(t.second_items.len()),
            ));
            rows.push(line("both correct".into(), t.both, None));
            rows.push(line("neither correct".into(), t.neither, None));
        }
        let hint = match compared.delta {
            None => "the models have no scored questions in common".into(),
            Some(_) => "no table: this column has no correct or wrong units".into(),
        };
        CompareView {
            table: LocalTable::new(columns, rows, 1, Empty::Nothing(hint)),
            compared,
            scale,
        }
    }

    /// The line of a model: its score and count, and those on the shared questions if they differ.
    fn side(&self, at: usize) -> String {
        let own = format!(
            "{}: {}",
            self.compared.models[at],
            self.number(self.compared.cells[at])
        );
        match self.compared.narrowed() {
            Some(shared) => format!("{own}; shared {}", self.number(shared[at])),
            None => own,
        }
    }

    fn number(&self, cell: Option<Cell>) -> String {
        match cell.and_then(|c| Some((c, c.value()?))) {
            Some((Cell::Share { k, n }, value)) => {
                format!(
                    "{} = {}/{}",
                    value_text(value, self.scale),
                    text::grouped(k),
                    text::grouped(n)
                )
            }
            Some((cell, value)) => format!(
                "{} over {} answers",
                value_text(value, self.scale),
                text::grouped(cell.n())
            ),
            None => "no answers".into(),
        }
    }
}

impl Layer for CompareView {
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Breakdown, Scope::Table, Scope::Global]
    }

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        let models = || self.compared.models.to_vec();
        match action {
            Action::BreakDownBy => vec![LayerEffect::BreakDown(models())],
            Action::AddModels => {
                let (to, by) = (models(), None);
                vec![LayerEffect::AddModels { to, by }]
            }
            action => self.act_on_table(action),
        }
    }

    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(&mut self.table)
    }

    /// Opens the items that only one of the models answers correctly.
    fn open(&self, row: usize) -> LayerEffect {
        let items = self.compared.table.as_ref().and_then(|t| match row {
            0 => Some(&t.first_items),
            1 => Some(&t.second_items),
            _ => None,
        });
        match items {
            None => LayerEffect::refuse("only the first two rows can be opened"),
            Some(items) if items.is_empty() => LayerEffect::refuse("no items that may be shown"),
            Some(items) => {
                let filter = Filter {
                    only: Some(items.clone()),
                    ..Filter::default()
                };
                LayerEffect::Items(filter.to_text())
            }
        }
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let look = scene.look;
        let c = &self.compared;
        let redrawn = &c.redrawn;
        let none = || match &redrawn.why_not {
            Some(why) => format!("no difference: {why}"),
            None => "no difference".into(),
        };
        let delta = c.delta.map_or_else(none, |delta| {
            let interval = match (&redrawn.interval, &redrawn.why_not) {
                // The interval that matches the test.
                _ if c.table.is_some() => match c.table.as_ref().and_then(|t| t.interval) {
                    Some((low, high)) => format!("95 % {}", range(low, high, self.scale)),
                    None => "no interval: too few clusters".into(),
                },
                (Some(i), _) => format!("95 % {}", range(i.low, i.high, self.scale)),
                (None, Some(why)) => format!("no interval: {why}"),
                (None, None) => String::new(),
            };
            let scope = if c.narrowed().is_some() {
                " (shared)"
            } else {
                ""
            };
            format!(
                "difference{scope}: {}  {interval}",
                apart(delta, self.scale)
            )
        });
        let how = match redrawn.clusters {
            0 => String::new(),
            clusters if c.table.is_some() => {
                format!(
                    "{} {}s; excludes 0 exactly if p < 0.05",
                    text::grouped(clusters),
                    redrawn.cluster
                )
            }
            clusters if redrawn.interval.is_some_and(|i| i.draws == 0) => {
                format!(
                    "from the intervals of both models; {} {}s",
                    text::grouped(clusters),
                    redrawn.cluster
                )
            }
            clusters => format!(
                "bootstrap over {} {}s, {} draws, seed {}",
                text::grouped(clusters),
                redrawn.cluster,
                text::grouped(u64::from(redrawn.plan.draws)),
                redrawn.plan.seed
            ),
        };
        let test = c.table.as_ref().map_or(String::new(), |t| {
            let what = if t.is_exact {
                "McNemar, exact"
            } else {
                "cluster permutation"
            };
            format!(
                "{what}, two-sided: p {} ({} vs {})",
                p_text(t.p),
                t.first,
                t.second
            )
        });
        let (above, below) = areas::top(area, 7);
        let mut lines = Lines::new(above, buf, look);
        lines.text(
            &format!(" {} vs {} by {}", c.models[0], c.models[1], c.column),
            Role::Heading,
        );
        lines.text(&format!(" {}", self.side(0)), Role::Text);
        lines.text(&format!(" {}", self.side(1)), Role::Text);
        lines.text(&format!(" {delta}"), Role::Accent);
        lines.text(&format!(" {how}"), Role::Dim);
        lines.text(&format!(" {test}"), Role::Text);
        self.table.draw(below, buf, look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::board::analysis::BootstrapResult;

    #[test]
    fn the_score_on_shared_questions_is_shown_beside_the_board_score() {
        let share = |k, n| Some(Cell::Share { k, n });
        let compared = ModelComparison {
            models: ["m".into(), "n".into()],
            column: "Acc".into(),
            cells: [share(70, 80), share(30, 40)],
            delta: Some(0.0),
            redrawn: BootstrapResult {
                interval: None,
                why_not: None,
                cluster: "question".into(),
                clusters: 40,
                plan: Default::default(),
            },
            table: None,
            shared: [share(30, 40), share(30, 40)],
        };
        let view = CompareView::new(compared.clone(), Scale::Share);
        assert_eq!(view.side(0), "m: 87.50 % = 70/80; shared 75.00 % = 30/40");
        let same = CompareView::new(
            ModelComparison {
                cells: compared.shared,
                ..compared
            },
            Scale::Share,
        );
        assert_eq!(same.side(0), "m: 75.00 % = 30/40");
    }
}
