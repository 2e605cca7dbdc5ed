//! Requesting and receiving all answers to one question.

use super::drilldown::DrilldownView;
use super::item_answers_view::AnswerView;
use super::layer::LayerEffect;
use super::pane::BoardPane;
use crate::pane::Context;
use benchtop_model::board::{BoardQuery, ItemAnswers};
use benchtop_protocol::wire::request;

impl BoardPane {
    /// Requests all answers to the question of this item. The cursor goes to `model`.
    pub(super) fn ask_answered(&mut self, item: String, model: String, cx: &mut Context<'_>) {
        let column = self.listed().and_then(|view| view.column.clone());
        let rule = self.shown.rule.clone();
        let (of, replaces) = (self.shown.clone(), self.answer().is_some());
        let ask = request::ModelAnswers { rule, column, item };
        cx.ask(ask, move |pane: &mut Self, found, cx| {
            if let Some(found) = cx.ok_or_show(found) {
                pane.on_item_answers(&of, &model, replaces, found, cx);
            }
        });
    }

    /// The list of answers below the view.
    fn listed(&mut self) -> Option<&mut DrilldownView> {
        let mut layers = self.layers.iter_mut().rev();
        layers.find_map(|layer| layer.of_mut())
    }

    /// Goes to the next or previous answer of the list. The cursor stays on its model.
    pub(super) fn step_answer(&mut self, forward: bool, cx: &mut Context<'_>) {
        let stays = self
            .answer()
            .and_then(AnswerView::current)
            .map(|of| of.model.clone());
        match self.listed().and_then(|view| view.step(forward)) {
            Some(LayerEffect::Question { item, model }) => {
                self.ask_answered(item, stays.unwrap_or(model), cx);
            }
            _ if forward => cx.say("last answer of the list"),
            _ => cx.say("first answer of the list"),
        }
    }

    /// The view of all answers to a question, if it is on top.
    pub(super) fn answer(&self) -> Option<&AnswerView> {
        self.layers.last()?.of()
    }

    /// Shows all answers to a question, replacing an earlier view, and requests the item. A reply
    /// that should replace a view is dropped if the view was closed since.
    fn on_item_answers(
        &mut self,
        ask: &BoardQuery,
        model: &str,
        replaces: bool,
        found: ItemAnswers,
        cx: &mut Context<'_>,
    ) {
        let is_list = |pane: &Self| {
            pane.layers
                .last()
                .is_some_and(|l| l.of::<DrilldownView>().is_some())
        };
        let has_place = self.answer().is_some() || (!replaces && is_list(self));
        if *ask != self.shown || !has_place {
            return;
        }
        let number = found.number;
        let view = AnswerView::new(found, model);
        match self.layers.last_mut().and_then(|layer| layer.of_mut()) {
            Some(before) => AnswerView::replace(before, view),
            None => self.push_layer(view),
        }
        self.ask_labels(number, cx);
        cx.ask(request::Item(number), move |pane: &mut Self, item, _| {
            let view = pane
                .layers
                .last_mut()
                .and_then(|layer| layer.of_mut::<AnswerView>());
            if let Some(view) = view {
                view.take_item(number, item);
            }
        });
    }

    /// Requests the answers again, since the item may have changed.
    pub(super) fn request_answered_again(&mut self, cx: &mut Context<'_>) {
        if let Some(view) = self.answer() {
            let model = view.current().map(|of| of.model.clone());
            let item = view.item().to_string();
            self.ask_answered(item, model.unwrap_or_default(), cx);
        }
    }
}
