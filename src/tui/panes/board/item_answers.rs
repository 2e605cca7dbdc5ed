//! Requesting and receiving all answers to one question.

use ratatui::layout::Rect;

use super::drilldown::{BehindEffect, DrilldownView};
use super::effects::{BoardEffect, ReplyFor};
use super::item_answers_view::AnswerView;
use super::pane::{BoardPane, Layer};
use crate::item::{Loaded, Picture};
use benchtop_model::Result;
use benchtop_model::board::{BoardQuery, ItemAnswers};
use benchtop_protocol::wire::{ItemView, request};

impl BoardPane {
    /// Requests all answers to the question of this item. The cursor goes to `model`.
    pub(super) fn ask_answered(&mut self, item: String, model: String) -> Vec<BoardEffect> {
        let column = self.listed().and_then(|view| view.column.clone());
        let (ask, rule) = (Box::new(self.shown.clone()), self.shown.rule.clone());
        let want = ReplyFor::Answered(ask, model, self.answer().is_some());
        vec![BoardEffect::Ask(
            want,
            request::ModelAnswers { rule, column, item }.into(),
        )]
    }

    /// The list of answers below the view.
    fn listed(&mut self) -> Option<&mut DrilldownView> {
        self.layers.iter_mut().rev().find_map(|l| {
            if let Layer::Drilldown(view) = l {
                Some(view)
            } else {
                None
            }
        })
    }

    /// Goes to the next or previous answer of the list. The cursor stays on its model.
    pub(super) fn step_answer(&mut self, forward: bool) -> Vec<BoardEffect> {
        let end = if forward {
            "last answer of the list"
        } else {
            "first answer of the list"
        };
        let stays = self
            .answer()
            .and_then(AnswerView::current)
            .map(|of| of.model.clone());
        match self.listed().and_then(|view| view.step(forward)) {
            Some(BehindEffect::Show(item, model)) => {
                self.ask_answered(item, stays.unwrap_or(model))
            }
            _ => vec![BoardEffect::Refuse(end.into())],
        }
    }

    /// The view of all answers to a question, if it is on top.
    pub fn answer(&self) -> Option<&AnswerView> {
        match self.layers.last() {
            Some(Layer::Answer(view)) => Some(view),
            _ => None,
        }
    }

    fn answer_mut(&mut self) -> Option<&mut AnswerView> {
        match self.layers.last_mut() {
            Some(Layer::Answer(view)) => Some(view),
            _ => None,
        }
    }

    /// Shows all answers to a question, replacing an earlier view, and requests the item. A reply
    /// that should replace a view is dropped if the view was closed since.
    pub fn on_item_answers(
        &mut self,
        ask: &BoardQuery,
        model: &str,
        replaces: bool,
        found: ItemAnswers,
    ) -> Vec<BoardEffect> {
        let has_place = match self.layers.last() {
            Some(Layer::Answer(_)) => true,
            Some(Layer::Drilldown(_)) => !replaces,
            _ => false,
        };
        if *ask != self.shown || !has_place {
            return vec![];
        }
        let number = found.number;
        let mut view = Box::new(AnswerView::new(found, model));
        if let Some(Layer::Answer(before)) = self
            .layers
            .pop_if(|layer| matches!(layer, Layer::Answer(_)))
        {
            view.keep(*before);
        }
        self.layers.push(Layer::Answer(view));
        vec![BoardEffect::Ask(
            ReplyFor::Item(number),
            request::Item(number).into(),
        )]
    }

    /// Receives the item of the view.
    pub fn on_item(&mut self, number: u32, view: Result<ItemView>) {
        if let Some(answer) = self.answer_mut() {
            answer.take_item(number, view);
        }
    }

    /// Requests the answers again, since the item may have changed.
    pub(super) fn request_answered_again(&mut self) -> Vec<BoardEffect> {
        let shown = self.answer().map(|view| {
            let model = view
                .current()
                .map(|of| of.model.clone())
                .unwrap_or_default();
            (view.item().to_string(), model)
        });
        shown.map_or(vec![], |(item, model)| self.ask_answered(item, model))
    }

    /// The item whose picture to draw in `area`, with its place, or the error. `None` if there is
    /// no room.
    pub fn picture_slot(
        &self,
        area: Rect,
    ) -> Option<(Rect, Option<std::result::Result<&Loaded, &str>>)> {
        let view = self.answer()?;
        let place = view.picture_place(area);
        (!place.is_empty()).then(|| (place, view.loaded()))
    }

    pub fn set_picture(&mut self, picture: Picture) {
        if let Some(answer) = self.answer_mut() {
            answer.set_picture(picture);
        }
    }
}
