//! The names of the panes and their tabs, and what their requests open.

use crate::action::{Action, Scope};
use crate::panes::panes;
use benchtop_model::named;

/// A tab of the first row: a step of the work, with its panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tab {
    Home,
    /// What should exist: metadata, and questions composed from it.
    Build,
    /// What is being made: jobs.
    Make,
    /// What the filters doubt.
    Check,
    /// What people say.
    Judge,
    /// How models do.
    Score,
}

named!(Tab {
    Home: "Home",
    Build: "Build",
    Make: "Make",
    Check: "Check",
    Judge: "Judge",
    Score: "Score",
});

impl Tab {
    /// Its panes, in order. Forms are opened from them.
    pub fn panes(self) -> impl Iterator<Item = PaneId> {
        PaneId::ALL
            .into_iter()
            .filter(move |id| id.info().tab == self && !id.is_form())
    }

    /// The action that opens it.
    pub fn action(self) -> Action {
        match self {
            Tab::Home => Action::HomeTab,
            Tab::Build => Action::BuildTab,
            Tab::Make => Action::MakeTab,
            Tab::Check => Action::CheckTab,
            Tab::Judge => Action::JudgeTab,
            Tab::Score => Action::ScoreTab,
        }
    }
}

/// What a pane or view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// One sentence.
    pub about: &'static str,
    /// What it looks like with items: lines with numbers of the sample.
    pub example: &'static [&'static str],
}

/// The row of a pane in `panes!`.
#[derive(Debug)]
pub struct PaneInfo {
    pub tab: Tab,
    pub name: &'static str,
    /// The action that opens the pane: its name, help, and default keys.
    pub go: (&'static str, &'static str, &'static [&'static str]),
    /// The sets of scopes that are active together, nearest first. The first is that of the pane
    /// when it opens.
    pub live: &'static [&'static [Scope]],
    /// The actions of its scopes for the key bar, most useful first.
    pub bar: &'static [(Scope, &'static [Action])],
    /// What it shows while it is empty.
    pub purpose: Purpose,
    /// The action that begins, and what it does.
    pub begin: (Action, &'static str),
    /// Whether that action needs items.
    pub needs_items: bool,
}

macro_rules! pane_ids {
    ($($pane:ident($module:ident $type:ident) {
        tab: $tab:ident, name: $name:literal, go: $go:literal, keys: [$($key:literal),*],
        live: [$([$($live:ident),*]),*],
        bar: { $($scope:ident: [$($action:expr),*]),* },
        about: $about:literal, example: [$($example:literal),*],
        begin: $begin:expr, does: $does:literal, needs_items: $needs_items:literal,
    })*) => {
        /// A pane. One fills the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum PaneId { $($pane,)* }

        impl PaneId {
            /// All panes, in the order of the work.
            pub const ALL: [PaneId; [$(PaneId::$pane),*].len()] = [$(PaneId::$pane),*];

            pub fn info(self) -> &'static PaneInfo {
                // The actions of the key bars.
                use Action::*;
                match self {
                    $(PaneId::$pane => &PaneInfo {
                        tab: Tab::$tab,
                        name: $name,
                        go: (concat!("go to ", $go), concat!("Go to the ", $name, " pane"), &[$($key),*]),
                        live: &[$(&[$(Scope::$live),*]),*],
                        bar: &[$((Scope::$scope, &[$($action),*])),*],
                        purpose: Purpose { about: $about, example: &[$($example),*] },
                        begin: ($begin, $does),
                        needs_items: $needs_items,
                    },)*
                }
            }
        }
    };
}

panes!(pane_ids);

impl PaneId {
    /// Whether it is a form, which other panes open.
    pub fn is_form(self) -> bool {
        self.info().live[0] == [Scope::Form]
    }

    /// Whether it is a form that starts with the items of the pane that opens it.
    pub fn takes_items(self) -> bool {
        matches!(
            self,
            PaneId::Evaluate
                | PaneId::Export
                | PaneId::Release
                | PaneId::Scenario
                | PaneId::Scoring
        )
    }
}

/// What the reply to a request opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// A menu or page. Keys typed before it opens are meant for it.
    Overlay,
    /// A confirmation with a count. Keys typed before it opens must not confirm it.
    Confirmation,
}
