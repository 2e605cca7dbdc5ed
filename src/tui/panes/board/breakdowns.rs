//! Breakdowns of models: which models, by what, and the view that opens.

use super::kind::Kind;
use super::pane::BoardPane;
use super::views::{self, MOST, View};
use crate::pane::Context;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::text;
use benchtop_model::board::Row;

/// Models in a title.
fn said(models: &[String]) -> String {
    match models {
        [one] => text::fit(one, 40),
        [first, second] => format!("{} and {}", text::fit(first, 24), text::fit(second, 24)),
        more => format!("{} models", more.len()),
    }
}

impl BoardPane {
    /// The selected models that have answers, in the order of the table.
    pub(super) fn selected_models(&self) -> Vec<String> {
        let Some(board) = &self.found else {
            return Vec::new();
        };
        let selected = self.table.state().selected();
        let ids = self.table.ids().filter(|id| selected.contains(id));
        let rows = ids.filter_map(|id| board.rows.get(usize::try_from(id).ok()?));
        let scored = rows.filter(|row| row.reference.is_none());
        scored.map(|row| row.model.clone()).collect()
    }

    /// Asks for a breakdown of the selected models, or of the marked one and the one under the cursor.
    pub(super) fn ask_view(&self, cx: &mut Context<'_>) {
        let selected = self.selected_models();
        if !selected.is_empty() {
            return self.ask_kind(selected, cx);
        }
        let Some(row) = self.row() else {
            return cx.say("no model to break down");
        };
        if row.reference.is_some() {
            return cx.say("a published row has no breakdown: move to a scored model");
        }
        let marked = self.marked.clone().filter(|marked| *marked != row.model);
        self.ask_kind(marked.into_iter().chain([row.model.clone()]).collect(), cx);
    }

    /// Asks what to break these models down by.
    pub(super) fn ask_kind(&self, models: Vec<String>, cx: &mut Context<'_>) {
        let Some(board) = &self.found else {
            return cx.say("the leaderboard is loading");
        };
        if models.len() > MOST {
            return cx.say(format!("at most {MOST} models fit side by side"));
        }
        let kinds = views::kinds(board, models.len() > 1);
        if kinds.is_empty() {
            return cx.say("this board has no column groups to break down");
        }
        let line = |(_, name, word): &(Kind, String, String)| (name.clone(), word.clone());
        let title = format!("Break down {} by", said(&models));
        cx.choose_of(
            title,
            kinds,
            line,
            move |pane: &mut Self, (kind, ..), cx| {
                pane.break_down(&kind, &models, cx);
            },
        );
    }

    /// Asks for models to show beside these.
    pub(super) fn ask_models(&self, to: Vec<String>, by: Option<Kind>, cx: &mut Context<'_>) {
        let others: Vec<String> = self.found.as_ref().map_or(Vec::new(), |board| {
            let scored = |row: &&Row| row.reference.is_none() && !to.contains(&row.model);
            let rows = board.rows.iter().filter(scored);
            rows.map(|row| row.model.clone()).collect()
        });
        if others.is_empty() {
            return cx.say("there is no other model to compare with");
        }
        let choices = others.iter().map(Choice::new).collect();
        let menu = Menu::new(format!("Compare {} with", said(&to)), choices).several();
        cx.menu(menu, move |pane: &mut Self, chosen, cx| {
            let picked = chosen.picks.iter().filter_map(|at| others.get(*at));
            let models: Vec<String> = to.iter().chain(picked).cloned().collect();
            match &by {
                Some(kind) if *kind != Kind::Stability => pane.break_down(kind, &models, cx),
                _ => pane.ask_kind(models, cx),
            }
        });
    }

    /// Shows a breakdown of these models, in place of another one.
    fn break_down(&mut self, kind: &Kind, models: &[String], cx: &mut Context<'_>) {
        if *kind == Kind::Stability {
            return self.ask_stable(cx);
        }
        if models.len() > MOST {
            return cx.say(format!("at most {MOST} models fit side by side"));
        }
        let Some(board) = &self.found else {
            return;
        };
        let scored = |model: &String| {
            let mut rows = board.rows.iter();
            rows.find(|row| row.reference.is_none() && row.model == *model)
        };
        let rows: Vec<&Row> = models.iter().filter_map(scored).collect();
        match View::new(kind, board, &rows) {
            None => cx.say(format!("no answers of {} for this breakdown", said(models))),
            Some(view) => {
                if self
                    .layers
                    .last()
                    .is_some_and(|layer| layer.of::<View>().is_some())
                {
                    self.layers.pop();
                }
                self.push_layer(view);
            }
        }
    }
}
