//! Two models on the same questions, laid over the leaderboard.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::detail::{apart, range, value_text};
use crate::action::Action;
use crate::theme::{Look, Role};
use crate::widgets::lines::Lines;
use crate::widgets::table::{Answer, ColumnKind, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::widgets::text;
use benchtop_metrics::statistics::p_text;
use benchtop_model::Filter;
use benchtop_model::board::analysis::Compared;
use benchtop_model::board::{Cell, Scale};

/// What an action on a comparison leaves for the pane to do.
#[derive(Debug)]
pub enum CompareEffect {
    /// Open the item list with these words.
    Items(String),
    /// What any table leaves to do.
    Table(Answer),
}

/// A comparison that is shown.
#[derive(Clone, Debug)]
pub struct CompareView {
    compared: Compared,
    scale: Scale,
    table: LocalTable,
}

impl CompareView {
    /// Shows a comparison by a column of this scale.
    pub fn new(compared: Compared, scale: Scale) -> CompareView {
        let [a, b] = &compared.models;
        let mut columns = vec![Spec::text("units that", 40)];
        columns.extend([
            Spec::number("units", "", ColumnKind::Number, 9),
            Spec::number("of all", "", ColumnKind::Number, 8),
        ]);
        columns.push(Spec::number("items", "", ColumnKind::Number, 9));
        let mut rows = Vec::new();
        if let Some(t) = &compared.table {
            let all = (t.both + t.first + t.second + t.neither).max(1) as f64;
            let line = |what: String, n: u64, items: Option<usize>| {
                let share = 100.0 * n as f64 / all;
                let items = items.map(|n| n as f64);
                vec![
                    LocalCell::text(what),
                    LocalCell::number(text::grouped(n), Some(n as f64)),
                    LocalCell::number(format!("{share:.1} %"), Some(share)),
                    LocalCell::number(
                        items.map_or(String::new(), |n| text::grouped(n as u64)),
                        items,
                    ),
                ]
            };
            rows.push(line(
                format!("only {a} gets right"),
                t.first,
                Some(t.first_items.len()),
            ));
            rows.push(line(
                format!("only {b} gets right"),
                t.second,
                Some(t.second_items.len()),
            ));
            rows.push(line("both get right".into(), t.both, None));
            rows.push(line("neither gets right".into(), t.neither, None));
        }
        let hint = match compared.delta {
            None => "there is nothing that both of them were scored on here".into(),
            Some(_) => {
                "this column has no units that are right or wrong, so there is no table of them"
                    .into()
            }
        };
        CompareView {
            table: LocalTable::new(columns, rows, 1, Empty::Nothing { hint }),
            compared,
            scale,
        }
    }

    /// The table below the numbers.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Does a table action; Enter opens the items that only one of the two gets right.
    pub fn act(&mut self, action: Action) -> Vec<CompareEffect> {
        let answers = self.table.act(action);
        let refuse =
            |why: &str| CompareEffect::Table(Answer::Effect(TableEffect::Refuse(why.into())));
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => {
                let items = self.compared.table.as_ref().and_then(|t| match id {
                    0 => Some(&t.first_items),
                    1 => Some(&t.second_items),
                    _ => None,
                });
                match items {
                    None => {
                        refuse("only the items that one of the two alone gets right can be opened")
                    }
                    Some(items) if items.is_empty() => refuse("there are none that may be shown"),
                    Some(items) => CompareEffect::Items(
                        Filter {
                            only: Some(items.clone()),
                            ..Filter::default()
                        }
                        .words(),
                    ),
                }
            }
            other => CompareEffect::Table(other),
        };
        answers.into_iter().map(effect).collect()
    }

    /// What is said of a model: its number, with its count where it has one, and that on the questions of both where it is another.
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
                "{} of {} answers",
                value_text(value, self.scale),
                text::grouped(cell.n())
            ),
            None => "no answers".into(),
        }
    }

    /// Draws it.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let c = &self.compared;
        let redrawn = &c.redrawn;
        let none = || match &redrawn.why_not {
            Some(why) => format!("no difference to tell: {why}"),
            None => "no difference to tell".into(),
        };
        let delta = c.delta.map_or_else(none, |delta| {
            let interval = match (&redrawn.interval, &redrawn.why_not) {
                // The interval that belongs to the test.
                _ if c.table.is_some() => match c.table.as_ref().and_then(|t| t.interval) {
                    Some((low, high)) => format!("95 % {}", range(low, high, self.scale)),
                    None => "no interval: too few clusters".into(),
                },
                (Some(i), _) => format!("95 % {}", range(i.low, i.high, self.scale)),
                (None, Some(why)) => format!("no interval: {why}"),
                (None, None) => String::new(),
            };
            let of = if c.narrowed().is_some() {
                " of the shared"
            } else {
                ""
            };
            format!("difference{of}: {}  {interval}", apart(delta, self.scale))
        });
        let how = match redrawn.clusters {
            0 => String::new(),
            clusters if c.table.is_some() => {
                format!(
                    "of {} {}s; no 0 in it just where p is below 0.05",
                    text::grouped(clusters),
                    redrawn.cluster
                )
            }
            clusters if redrawn.interval.is_some_and(|i| i.draws == 0) => {
                format!(
                    "of the true difference, from the intervals of both; {} {}s",
                    text::grouped(clusters),
                    redrawn.cluster
                )
            }
            clusters => format!(
                "by drawing {} {}s again, {} draws, seed {}",
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
                "whole clusters changing sides"
            };
            format!(
                "{what}, two-sided: p {} of {} against {}",
                p_text(t.p),
                t.first,
                t.second
            )
        });
        let height = area.height.min(7);
        let mut lines = Lines::new(Rect { height, ..area }, buf, look);
        lines.say(
            &format!(" {} against {} by {}", c.models[0], c.models[1], c.column),
            Role::Heading,
        );
        lines.say(&format!(" {}", self.side(0)), Role::Text);
        lines.say(&format!(" {}", self.side(1)), Role::Text);
        lines.say(&format!(" {delta}"), Role::Accent);
        lines.say(&format!(" {how}"), Role::Dim);
        lines.say(&format!(" {test}"), Role::Text);
        let table = Rect {
            y: area.y + height,
            height: area.height - height,
            ..area
        };
        self.table.draw(table, buf, look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::board::analysis::Redrawn;

    #[test]
    fn a_number_on_what_both_answer_stands_beside_that_of_the_board() {
        let share = |k, n| Some(Cell::Share { k, n });
        let compared = Compared {
            models: ["m".into(), "n".into()],
            column: "Acc".into(),
            cells: [share(70, 80), share(30, 40)],
            delta: Some(0.0),
            redrawn: Redrawn {
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
            Compared {
                cells: compared.shared,
                ..compared
            },
            Scale::Share,
        );
        assert_eq!(same.side(0), "m: 75.00 % = 30/40");
    }
}
