//! Labels of errors in answers: the menu, the request, and what comes back.

use uuid::Uuid;

use super::item_answers_view::AnswerView;
use super::label_target::LabelTarget;
use super::pane::BoardPane;
use crate::action::Action;
use crate::pane::{Ask, Context};
use benchtop_model::config::Reason;
use benchtop_model::{CommentAct, ErrorKind, Filter, Result};
use benchtop_protocol::wire::{CommentOn, Receipt, request};

/// Requests for labels.
const LABELS: &str = "labels";

impl BoardPane {
    /// Requests the error labels of an item.
    pub(super) fn ask_labels(&self, number: u32, cx: &mut Context<'_>) {
        let filter = Filter {
            only: Some(vec![number]),
            ..Filter::default()
        };
        let ask = request::ErrorLabels { filter, from: 1 };
        let then = move |pane: &mut Self, page, _: &mut Context<'_>| {
            let Ok(page) = page else { return };
            let layers = pane.layers.iter_mut().rev();
            let mut views = layers.filter_map(|layer| layer.of_mut::<AnswerView>());
            if let Some(view) = views.next() {
                view.take_labels(number, page);
            }
        };
        cx.cancel(LABELS);
        cx.send(Ask::new(ask, then).named(LABELS));
    }

    /// Asks for the label of an answer.
    pub(super) fn ask_label(&self, target: LabelTarget, cx: &mut Context<'_>) {
        let known = cx.env.error_labels;
        if known.is_empty() {
            return cx.refuse("benchtop.toml has no `errors` below `[review]`");
        }
        let title = format!("error of {} in #{}", target.model, target.number);
        let mut choices: Vec<Option<Reason>> = known.iter().cloned().map(Some).collect();
        choices.push(None);
        let line = |choice: &Option<Reason>| match choice {
            Some(reason) => (reason.key.clone(), reason.label.clone()),
            None => ("none".into(), "remove your label".into()),
        };
        cx.choose_of(title, choices, line, move |pane: &mut Self, choice, cx| {
            let act = CommentAct::Label {
                model: target.model,
                answer: target.answer,
                label: choice.map(|reason| reason.key),
            };
            let event = CommentOn {
                uuid: Uuid::now_v7(),
                number: target.number,
                act,
            };
            pane.labeling.push(event.clone());
            pane.send_label(event, cx);
        });
    }

    fn send_label(&self, event: CommentOn, cx: &mut Context<'_>) {
        let uuid = event.uuid;
        cx.ask(
            request::Comment(Box::new(event)),
            move |pane: &mut Self, receipt, cx| pane.labeled(uuid, receipt, cx),
        );
    }

    /// Sends the labels without a receipt again. A repeated UUID counts once.
    pub(super) fn resend_labels(&self, cx: &mut Context<'_>) {
        for event in &self.labeling {
            self.send_label(event.clone(), cx);
        }
    }

    fn labeled(&mut self, uuid: Uuid, receipt: Result<Receipt>, cx: &mut Context<'_>) {
        let is_lost = receipt
            .as_ref()
            .is_err_and(|problem| problem.kind == ErrorKind::Unreachable);
        if !cx.env.is_connected || is_lost {
            return;
        }
        let at = self.labeling.iter().position(|event| event.uuid == uuid);
        let Some(event) = at.map(|at| self.labeling.remove(at)) else {
            return;
        };
        let Some(receipt) = cx.ok_or_show(receipt) else {
            return;
        };
        let word = match &event.act {
            CommentAct::Label {
                label: Some(label), ..
            } => label.as_str(),
            _ => "no label",
        };
        let key = cx.key(Action::Undo);
        cx.done(format!(
            "#{}: {word}; {key} in Review undoes it",
            event.number
        ));
        cx.saved(receipt.rev);
        self.on_labeled(event.number, cx);
    }

    /// Requests the labels again if they may have changed.
    pub(super) fn on_labeled(&self, number: u32, cx: &mut Context<'_>) {
        if cx.env.is_shown && self.answer().is_some_and(|view| view.number() == number) {
            self.ask_labels(number, cx);
        }
    }
}
