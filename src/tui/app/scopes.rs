//! The scopes whose keys are active.

use super::App;
use crate::action::Scope;
use crate::pane::Pane;

impl App {
    /// The active scopes, nearest first.
    pub(super) fn scopes(&self) -> Vec<Scope> {
        if self.overlay.is_some() {
            return vec![Scope::Overlay];
        }
        let pane = self.pane();
        let of_layer = pane.and_then(Pane::scopes);
        let mut scopes = of_layer.unwrap_or(self.at.info().live[0]).to_vec();
        if !self.typing() && !scopes.contains(&Scope::Global) {
            scopes.push(Scope::Global);
        }
        scopes
    }

    /// Whether keys that are no action are text for the pane.
    pub(super) fn typing(&self) -> bool {
        self.overlay.is_none() && self.pane().is_some_and(Pane::typing)
    }
}
