//! Requests for the stability of a column's scores, and handling of the replies.

use super::effects::BoardEffect;
use super::pane::{BoardPane, Layer};
use super::stability::StableView;
use benchtop_model::Result;
use benchtop_model::analysis::Stable;
use benchtop_model::board::BoardQuery;

impl BoardPane {
    /// Requests the curves of the column under the cursor, or of the sort column.
    pub(super) fn ask_stable(&mut self) -> Vec<BoardEffect> {
        let Some(column) = self
            .column()
            .map(|c| c.name.clone())
            .or_else(|| self.sorted_by())
        else {
            return vec![BoardEffect::Refuse("move to a column first".into())];
        };
        let view = StableView::new(Box::new(self.shown.clone()), column);
        let effect = view.effect();
        self.layers.push(Layer::Stable(view));
        vec![effect]
    }

    /// Receives the curves. Ignores those of a closed view.
    pub fn on_stability(&mut self, ask: &BoardQuery, column: &str, found: Result<Stable>) {
        let is = |l: &&mut Layer| matches!(l, Layer::Stable(v) if v.is_of(ask, column));
        if let Some(Layer::Stable(view)) = self.layers.iter_mut().find(is) {
            view.take(found);
        }
    }

    /// Repeats a request that was lost with the connection.
    pub(super) fn request_stable_again(&self) -> Vec<BoardEffect> {
        let waits = |layer: &Layer| match layer {
            Layer::Stable(view) if view.is_waiting() => Some(view.effect()),
            _ => None,
        };
        self.layers.iter().filter_map(waits).collect()
    }

    /// Cancels the request of a closed layer.
    pub(super) fn closed(layer: &Layer) -> Vec<BoardEffect> {
        match layer {
            Layer::Stable(view) if view.is_waiting() => {
                vec![BoardEffect::Cancel(view.want())]
            }
            _ => vec![],
        }
    }
}
