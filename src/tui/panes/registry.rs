//! The panes of a running program.

use super::panes;
use crate::pane::{Pane, PaneId};

macro_rules! pane_types {
    ($($pane:ident($module:ident $type:ident) $row:tt)*) => {
        fn new(id: PaneId) -> Box<dyn Pane> {
            match id {
                $(PaneId::$pane => Box::<super::$module::$type>::default(),)*
            }
        }
    };
}

panes!(pane_types);

/// The panes of a running program.
pub struct Panes(Vec<(PaneId, Box<dyn Pane>)>);

impl Default for Panes {
    fn default() -> Panes {
        Panes(PaneId::ALL.map(|id| (id, new(id))).into())
    }
}

impl Panes {
    pub fn get(&self, id: PaneId) -> Option<&dyn Pane> {
        let (_, pane) = self.0.iter().find(|(own, _)| *own == id)?;
        Some(pane.as_ref())
    }

    pub fn get_mut(&mut self, id: PaneId) -> Option<&mut (dyn Pane + 'static)> {
        let (_, pane) = self.0.iter_mut().find(|(own, _)| *own == id)?;
        Some(pane.as_mut())
    }

    pub fn all(&self) -> impl Iterator<Item = (PaneId, &dyn Pane)> {
        self.0.iter().map(|(id, pane)| (*id, pane.as_ref()))
    }
}
