//! Requests for the stability of a column's scores, and handling of the replies.

use super::pane::BoardPane;
use super::stability::StableView;
use crate::pane::{Ask, Context};
use benchtop_model::Result;
use benchtop_model::analysis::{Analysis, Stable};
use benchtop_model::board::BoardQuery;
use benchtop_protocol::wire::request;

/// The name of the request, for canceling it.
const STABILITY: &str = "stability";

impl BoardPane {
    /// Requests the curves of the column under the cursor, or of the sort column.
    pub(super) fn ask_stable(&mut self, cx: &mut Context<'_>) {
        let column = self.column().map(|c| c.name.clone());
        let Some(column) = column.or_else(|| self.sorted_by()) else {
            return cx.say("move to a column first");
        };
        let view = StableView::new(Box::new(self.shown.clone()), column);
        request_curves(&view, cx);
        self.push_layer(view);
    }

    /// Receives the curves. Ignores those of a closed view.
    fn on_stability(&mut self, (ask, column): &(BoardQuery, String), found: Result<Stable>) {
        let mut views = self.layers.iter_mut().filter_map(|layer| layer.of_mut());
        if let Some(view) = views.find(|view: &&mut StableView| view.is_of(ask, column)) {
            view.take(found);
        }
    }

    fn waiting_curves(&self) -> impl Iterator<Item = &StableView> {
        let views = self.layers.iter().filter_map(|layer| layer.of());
        views.filter(|view: &&StableView| view.is_waiting())
    }

    /// Repeats a request that was lost with the connection.
    pub(super) fn request_stable_again(&self, cx: &mut Context<'_>) {
        self.waiting_curves()
            .for_each(|view| request_curves(view, cx));
    }

    /// Closes the topmost view and cancels its request. False if there is none.
    pub(super) fn close_layer(&mut self, cx: &mut Context<'_>) -> bool {
        let waited = self.waiting_curves().count();
        let closed = self.layers.pop().is_some();
        if self.waiting_curves().count() < waited {
            cx.cancel(STABILITY);
        }
        closed
    }
}

fn request_curves(view: &StableView, cx: &mut Context<'_>) {
    let of = view.of();
    let ask = request::Analyze(Box::new(view.question()));
    let then = move |pane: &mut BoardPane, found: Result<Analysis>, _: &mut Context<'_>| {
        pane.on_stability(&of, found.and_then(Analysis::stable));
    };
    cx.send(Ask::new(ask, then).named(STABILITY));
}
