//! The effects that the filters pane hands to the program.

use benchtop_model::job::JobAct;
use benchtop_model::scoring::Measure;
use benchtop_model::scoring::bench::BenchQuery;
use benchtop_model::scoring::job::NewScoring;
use benchtop_model::scoring::rules::RuleSet;
use benchtop_model::trust::Destination;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFor {
    /// [`on_scorers`](super::FiltersPane::on_scorers).
    Scorers,
    /// [`on_bench`](super::FiltersPane::on_bench), for this request.
    Bench(Box<BenchQuery>),
    /// [`on_rules`](super::FiltersPane::on_rules).
    Rules,
    /// [`on_diff`](super::FiltersPane::on_diff), for these rules.
    Try(RuleSet),
    /// [`on_applied`](super::FiltersPane::on_applied).
    Applied,
    /// [`on_reverted`](super::FiltersPane::on_reverted).
    Reverted,
    /// [`on_count`](super::FiltersPane::on_count): the counts of this job.
    Count(Box<NewScoring>),
    /// [`on_started`](super::FiltersPane::on_started).
    Begun,
    /// [`on_scoring`](super::FiltersPane::on_scoring).
    Act,
}

/// The purpose of a text prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    /// The active threshold.
    Line,
    /// The threshold of one subtask.
    OwnLine(String),
    /// The filter of the items to show.
    Items,
    /// The filter of the items to score.
    Score,
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceFor {
    /// The items to score.
    Which,
    /// Whether to start the job and consent to the servers that it sends data to.
    Begin(Box<NewScoring>, Vec<Destination>),
    /// Whether to consent to what a waiting job sends, and the action to run then.
    Agree(u32, JobAct, Vec<Destination>),
    /// The score to compare with.
    Other(Vec<Measure>),
    /// Whether to save the edited rules.
    Save,
    /// Whether to restore the previous rules.
    Revert,
    /// Whether to keep the edited rules or those in the file.
    Settle,
}

/// An effect of the filters pane.
#[derive(Clone, Debug)]
pub enum FiltersEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a line of text.
    AskText {
        purpose: TextFor,
        label: String,
        /// The initial text.
        text: String,
    },
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Review this item.
    Item(u32),
    /// Open the item list with this filter.
    Filter(String),
    /// Open `benchtop.toml` in `$EDITOR`, at this line or at its rules.
    EditRules(Option<u32>),
    /// Report success.
    Done(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}

pub(super) fn refuse(why: impl Into<String>) -> Vec<FiltersEffect> {
    vec![FiltersEffect::Refuse(why.into())]
}
