//! The names of the panes and their tabs, and what their requests open.

use crate::action::{Action, Scope};
use crate::panes::panes;

/// The tab of a pane: its row of `panes!`.
#[derive(Debug)]
pub struct Tab {
    pub name: &'static str,
    /// The name on narrow screens.
    pub short: &'static str,
    /// The action that opens the pane: its name, help, and default keys.
    pub go: (&'static str, &'static str, &'static [&'static str]),
    /// The sets of scopes that are active together, nearest first. The first is that of the pane
    /// when it opens.
    pub live: &'static [&'static [Scope]],
    /// The actions of its scopes for the key bar, most useful first.
    pub bar: &'static [(Scope, &'static [Action])],
}

macro_rules! pane_ids {
    ($($pane:ident($module:ident $type:ident) {
        tab: $at:literal, name: $name:literal, short: $short:literal, go: $go:literal, keys: [$($key:literal),*],
        live: [$([$($live:ident),*]),*],
        bar: { $($scope:ident: [$($action:ident),*]),* },
    })*) => {
        /// A pane. One fills the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum PaneId { $($pane,)* }

        impl PaneId {
            /// All panes, in the order of the help page.
            pub const ALL: [PaneId; [$(PaneId::$pane),*].len()] = [$(PaneId::$pane),*];

            /// All panes, in the order of their tabs.
            pub const TABS: [PaneId; PaneId::ALL.len()] = {
                let mut tabs = PaneId::ALL;
                $(tabs[$at - 1] = PaneId::$pane;)*
                $(assert!(tabs[$at - 1] as usize == PaneId::$pane as usize, "two panes have one tab");)*
                tabs
            };

            pub fn tab(self) -> &'static Tab {
                match self {
                    $(PaneId::$pane => &Tab {
                        name: $name,
                        short: $short,
                        go: (concat!("go to ", $go), concat!("Go to the ", $name, " pane"), &[$($key),*]),
                        live: &[$(&[$(Scope::$live),*]),*],
                        bar: &[$((Scope::$scope, &[$(Action::$action),*])),*],
                    },)*
                }
            }
        }
    };
}

panes!(pane_ids);

/// What the reply to a request opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// A menu or page. Keys typed before it opens are meant for it.
    Overlay,
    /// A confirmation with a count. Keys typed before it opens must not confirm it.
    Confirmation,
}
