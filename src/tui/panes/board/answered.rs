//! Asking what every model answered to one question, and what the answers do.

use ratatui::layout::Rect;

use super::answer::AnswerView;
use super::drilldown::{BehindEffect, BehindView};
use super::{BoardEffect, BoardPane, Layer, Want};
use crate::panes::review::{Loaded, Picture};
use benchtop_model::Result;
use benchtop_model::board::{Answered, BoardAsk};
use benchtop_protocol::wire::{ItemView, request};

impl BoardPane {
    /// Asks what every model answered to the question of this item; `model` is where the cursor is to be.
    pub(super) fn ask_answered(&mut self, item: String, model: String) -> Vec<BoardEffect> {
        let column = self.listed().and_then(|view| view.column.clone());
        let (ask, rule) = (Box::new(self.shown.clone()), self.shown.rule.clone());
        let want = Want::Answered(ask, model, self.answer().is_some());
        vec![BoardEffect::Ask(
            want,
            request::Answered { rule, column, item }.into(),
        )]
    }

    /// The list that the answers are chosen from.
    fn listed(&mut self) -> Option<&mut BehindView> {
        self.layers.iter_mut().rev().find_map(|l| {
            if let Layer::Behind(view) = l {
                Some(view)
            } else {
                None
            }
        })
    }

    /// Goes on to the next answer of the list behind, or the one before; the cursor stays on its model.
    pub(super) fn step_answer(&mut self, forward: bool) -> Vec<BoardEffect> {
        let end = if forward {
            "this is the last answer of the list"
        } else {
            "this is the first answer of the list"
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

    /// What every model answered to one question, while that is on top.
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

    /// Shows what every model answered, in place of what was shown of another question, and asks for the item with its picture.
    /// One that was asked for in order to replace a page opens none: whoever asked has closed the page.
    pub fn take_answered(
        &mut self,
        ask: &BoardAsk,
        model: &str,
        replaces: bool,
        found: Answered,
    ) -> Vec<BoardEffect> {
        let has_place = match self.layers.last() {
            Some(Layer::Answer(_)) => true,
            Some(Layer::Behind(_)) => !replaces,
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
            Want::Item(number),
            request::Item(number).into(),
        )]
    }

    /// Takes in the item whose answers are shown.
    pub fn take_item(&mut self, number: u32, view: Result<ItemView>) {
        if let Some(answer) = self.answer_mut() {
            answer.take_item(number, view);
        }
    }

    /// Asks again for the answers that are shown: the item may read otherwise now.
    pub(super) fn answered_again(&mut self) -> Vec<BoardEffect> {
        let shown = self.answer().map(|view| {
            let model = view
                .current()
                .map(|of| of.model.clone())
                .unwrap_or_default();
            (view.item().to_string(), model)
        });
        shown.map_or(vec![], |(item, model)| self.ask_answered(item, model))
    }

    /// The item whose picture is to be drawn in `area`, and its place: none where there is no room. Without an item it says why.
    pub fn pictured(
        &self,
        area: Rect,
    ) -> Option<(Rect, Option<std::result::Result<&Loaded, &str>>)> {
        let view = self.answer()?;
        let place = view.picture_place(area);
        (!place.is_empty()).then(|| (place, view.loaded()))
    }

    /// Sets the picture beside the answers.
    pub fn set_picture(&mut self, picture: Picture) {
        if let Some(answer) = self.answer_mut() {
            answer.set_picture(picture);
        }
    }
}
