//! What the pane asks of the program around it, and what the answers are for.

use benchtop_model::scoring::Measure;
use benchtop_model::scoring::bench::BenchAsk;
use benchtop_model::scoring::job::{NewScoring, ScoringAct};
use benchtop_model::scoring::rules::RuleSet;
use benchtop_model::trust::Destination;
use benchtop_protocol::wire::AnyRequest;

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// [`super::FiltersPane::take_scorers`].
    Scorers,
    /// [`super::FiltersPane::take_bench`], to this question.
    Bench(Box<BenchAsk>),
    /// [`super::FiltersPane::take_rules`].
    Rules,
    /// [`super::FiltersPane::take_diff`], of these rules.
    Try(RuleSet),
    /// [`super::FiltersPane::take_applied`].
    Applied,
    /// [`super::FiltersPane::take_reverted`].
    Reverted,
    /// [`super::FiltersPane::take_count`]: what this job would score.
    Count(Box<NewScoring>),
    /// [`super::FiltersPane::take_begun`].
    Begun,
    /// [`super::FiltersPane::take_scoring`].
    Act,
}

/// What a line of text is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    /// Where the active line is.
    Line,
    /// The line of one subtask.
    OwnLine(String),
    /// Words of a filter: the items that are looked at.
    Items,
    /// Words of a filter: the items that are scored.
    Score,
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// Which items are scored.
    Which,
    /// Whether to begin scoring, and to agree to what it sends.
    Begin(Box<NewScoring>, Vec<Destination>),
    /// Whether a job that waits may send what it wants: what is done then, and what is agreed to.
    Agree(u32, ScoringAct, Vec<Destination>),
    /// The score that this one is compared with.
    Other(Vec<Measure>),
    /// Whether the edited rules are saved.
    Save,
    /// Whether the rules before these are brought back.
    Revert,
    /// Which rules stay where both sides changed them, or whether edits are given up.
    Settle,
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum FiltersEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Ask for a line of text.
    AskText {
        /// What for.
        purpose: TextFor,
        /// What the prompt says.
        label: String,
        /// What it begins with.
        text: String,
    },
    /// Ask which.
    AskChoice {
        /// What for.
        purpose: ChoiceFor,
        /// The question.
        title: String,
        /// The answers, each with a word about it.
        lines: Vec<(String, String)>,
    },
    /// Review this item.
    Item(u32),
    /// Open the item list with these words as its filter.
    Filter(String),
    /// Open `benchtop.toml` in the person's editor: at this line, or where its rules begin.
    EditRules(Option<u32>),
    /// Something was done.
    Done(String),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
    Leave,
}
