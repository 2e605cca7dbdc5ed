//! All panes: one row for each tab of the first row.

use super::adjudicate::AdjudicatePane;
use super::agreement::AgreementPane;
use super::board::{self, BoardPane};
use super::coverage::CoveragePane;
use super::filters::FiltersPane;
use super::generate::GeneratePane;
use super::list::ListPane;
use super::review::ReviewPane;
use super::rounds::RoundsPane;
use super::templates::TemplatesPane;
use super::vocabulary::VocabularyPane;
use crate::action::{Action, Scope};
use crate::pane::{Pane, PaneId};

/// Makes a pane for this annotator.
pub type NewPane = fn(&str) -> Box<dyn Pane>;

/// A tab and its pane.
pub struct Tab {
    pub id: PaneId,
    /// The action that opens it.
    pub go: Action,
    pub name: &'static str,
    /// The name on narrow screens.
    pub short: &'static str,
    /// The scopes of this pane alone.
    pub scopes: &'static [Scope],
    pub new: NewPane,
}

pub const TABS: [Tab; 11] = [
    Tab {
        id: PaneId::Review,
        go: Action::GoReview,
        name: "Review",
        short: "Review",
        scopes: &[Scope::Review],
        new: |_| Box::new(ReviewPane::new()),
    },
    Tab {
        id: PaneId::List,
        go: Action::GoList,
        name: "Items",
        short: "Items",
        scopes: &[Scope::List],
        new: |_| Box::new(ListPane::new()),
    },
    Tab {
        id: PaneId::Board,
        go: Action::GoBoard,
        name: "Board",
        short: "Board",
        scopes: &[Scope::Board, Scope::Behind, Scope::Answer],
        new: |_| Box::new(BoardPane::waiting(board::interval)),
    },
    Tab {
        id: PaneId::Vocabulary,
        go: Action::GoVocabulary,
        name: "Vocabularies",
        short: "Vocab",
        scopes: &[Scope::Vocabulary],
        new: |_| Box::new(VocabularyPane::new()),
    },
    Tab {
        id: PaneId::Templates,
        go: Action::GoTemplates,
        name: "Templates",
        short: "Templ",
        scopes: &[Scope::Templates, Scope::Editor],
        new: |_| Box::new(TemplatesPane::new()),
    },
    Tab {
        id: PaneId::Coverage,
        go: Action::GoCoverage,
        name: "Coverage",
        short: "Cover",
        scopes: &[Scope::Coverage],
        new: |_| Box::new(CoveragePane::new()),
    },
    Tab {
        id: PaneId::Generate,
        go: Action::GoGenerate,
        name: "Generate",
        short: "Gen",
        scopes: &[Scope::Generate],
        new: |_| Box::new(GeneratePane::new()),
    },
    Tab {
        id: PaneId::Filters,
        go: Action::GoFilters,
        name: "Filters",
        short: "Filter",
        scopes: &[Scope::Filters],
        new: |_| Box::new(FiltersPane::new()),
    },
    Tab {
        id: PaneId::Rounds,
        go: Action::GoRounds,
        name: "Rounds",
        short: "Round",
        scopes: &[Scope::Rounds, Scope::Form],
        new: |who| Box::new(RoundsPane::new(who)),
    },
    Tab {
        id: PaneId::Adjudicate,
        go: Action::GoAdjudicate,
        name: "Adjudicate",
        short: "Adjud",
        scopes: &[Scope::Adjudicate],
        new: |_| Box::new(AdjudicatePane::new()),
    },
    Tab {
        id: PaneId::Agreement,
        go: Action::GoAgreement,
        name: "Agreement",
        short: "Agree",
        scopes: &[Scope::Agreement],
        new: |_| Box::new(AgreementPane::new()),
    },
];

/// The panes of a running program.
pub struct Panes(Vec<(PaneId, Box<dyn Pane>)>);

impl Panes {
    pub fn new(who: &str) -> Panes {
        Panes(TABS.iter().map(|tab| (tab.id, (tab.new)(who))).collect())
    }

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
