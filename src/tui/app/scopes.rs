//! The scopes whose keys are active.

use super::{App, PaneId};
use crate::action::Scope;
use crate::pane::Pane;

impl App {
    /// The active scopes, nearest first.
    pub(super) fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = match (&self.overlay, self.at) {
            (Some(_), _) => return vec![Scope::Overlay],
            (None, PaneId::Vocabulary) => self.metadata_editor.vocabulary.scopes().to_vec(),
            (None, PaneId::Templates) => self.metadata_editor.templates.scopes().to_vec(),
            (None, other) => {
                let pane = self.panes.get(other);
                pane.map_or(Vec::new(), |pane| pane.scopes().to_vec())
            }
        };
        if !self.typing() && !scopes.contains(&Scope::Global) {
            scopes.push(Scope::Global);
        }
        scopes
    }

    /// Whether keys that are no action are text for the pane.
    pub(super) fn typing(&self) -> bool {
        self.overlay.is_none()
            && match self.at {
                PaneId::Templates => self.metadata_editor.templates.typing(),
                other => self.panes.get(other).is_some_and(Pane::typing),
            }
    }
}
