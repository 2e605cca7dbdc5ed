//! Where two rules read another answer out of what models said, laid over the leaderboard.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::drilldown::BehindView;
use crate::action::Action;
use crate::theme::Look;
use crate::widgets::table::{Answer, ColumnKind, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::widgets::text;
use benchtop_model::ToolVerdict;
use benchtop_model::board::AnswerDetail;
use benchtop_model::board::analysis::{Disagreement, TOOL};

/// What an action on it leaves for the pane to do.
#[derive(Debug)]
pub enum RulesEffect {
    /// Show these answers.
    Show(Box<BehindView>),
    /// What any table leaves to do.
    Table(Answer),
}

/// How often two rules differ, by model.
#[derive(Clone, Debug)]
pub struct RulesView {
    found: Vec<Disagreement>,
    second: String,
    table: LocalTable,
}

impl RulesView {
    /// Shows where `first` (the board's rule) and `second` differ.
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
            .for_each(|c| c.group = format!("1st {first} against 2nd {second}"));
        let count = |n: u64| LocalCell::number(text::grouped(n), Some(n as f64));
        let line = |d: &Disagreement| {
            let share = 100.0 * d.differ as f64 / d.answers.max(1) as f64;
            let mut cells = vec![LocalCell::text(&d.model), count(d.answers), count(d.differ)];
            cells.push(LocalCell::number(format!("{share:.2}"), Some(share)));
            cells.extend([count(d.first_right), count(d.second_right)]);
            cells
        };
        let rows = found.iter().map(line).collect();
        let hint = match second == TOOL {
            true => "no answers here came with a verdict of the tool that wrote them".into(),
            false => "no model has answers that both rules read".into(),
        };
        let table = LocalTable::new(columns, rows, 1, Empty::Nothing { hint });
        RulesView {
            found,
            second: second.to_string(),
            table,
        }
    }

    /// The table it is drawn as.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Does a table action; Enter shows the first answers of a model on which the rules differ.
    pub fn act(&mut self, action: Action) -> Vec<RulesEffect> {
        let answers = self.table.act(action);
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => {
                match usize::try_from(id)
                    .ok()
                    .and_then(|at| self.found.get(at))
                    .filter(|d| !d.examples.is_empty())
                {
                    Some(found) => RulesEffect::Show(Box::new(self.examples(found))),
                    None => RulesEffect::Table(Answer::Effect(TableEffect::Refuse(
                        "the rules differ on none of its answers".into(),
                    ))),
                }
            }
            other => RulesEffect::Table(other),
        };
        answers.into_iter().map(effect).collect()
    }

    fn examples(&self, found: &Disagreement) -> BehindView {
        let told = |(behind, read): &(AnswerDetail, Option<String>)| {
            let said = behind
                .tool
                .as_ref()
                .filter(|_| self.second == TOOL)
                .map(ToolVerdict::said);
            let said = said.as_deref().or(read.as_deref()).unwrap_or("(unread)");
            let unit = format!("{said} by {}", self.second);
            AnswerDetail {
                unit,
                ..behind.clone()
            }
        };
        let title = match self.second == TOOL {
            true => format!("answers of {} that the tool judged otherwise", found.model),
            false => format!(
                "answers of {} that {} reads as something else",
                found.model, self.second
            ),
        };
        BehindView::titled(
            title,
            &found.model,
            found.examples.iter().map(told).collect(),
            found.differ,
        )
    }

    /// Draws it.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        self.table.draw(area, buf, look);
    }
}
