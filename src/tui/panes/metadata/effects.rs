//! The effects that the metadata panes hand to the program.

use super::preview::PreviewRequest;
use crate::widgets::page::Page;
use benchtop_protocol::wire::AnyRequest;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`EditSession::take`](super::EditSession::take).
    State,
    /// [`EditSession::saved`](super::EditSession::saved).
    Saved,
    /// [`EditSession::impact`](super::EditSession::impact).
    Impact,
    /// [`VocabularyPane::on_terms`](crate::panes::vocabulary::VocabularyPane::on_terms), for
    /// this vocabulary.
    Terms(String),
}

/// Reports the files that an undo or redo changed.
pub fn stepped(undo: bool, places: &[(String, usize)]) -> MetadataEffect {
    let mut names: Vec<String> = places
        .iter()
        .map(|(name, _)| format!("metadata/{name}"))
        .collect();
    names.dedup();
    let what = if undo { "undone" } else { "redone" };
    MetadataEffect::Say(format!("{what} in {}; unsaved", names.join(", ")))
}

/// The purpose of a text prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    Add,
    /// New text for the term under the cursor.
    Rename,
    /// The text to replace in the selected terms.
    Replace,
    /// The replacement for this text.
    ReplaceWith(String),
    NewVocabulary,
    /// A search for terms. It applies while the annotator types.
    Search,
    /// A search in the text.
    Find,
    /// The value of a compatibility rule for the selected terms.
    Rule(RuleKind),
}

/// A kind of compatibility rule that can be added to terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Terms of another vocabulary that cannot appear with them.
    NotWith,
    Hides,
    /// Terms of another vocabulary that appear in spite of a hiding rule.
    Shows,
    /// Terms of their own vocabulary that look too similar.
    LookAlike,
    Group,
}

impl RuleKind {
    /// All kinds in menu order.
    pub const ALL: [RuleKind; 5] = [
        Self::NotWith,
        Self::Hides,
        Self::Shows,
        Self::LookAlike,
        Self::Group,
    ];

    /// Menu line, its detail, and the label of the prompt.
    pub fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NotWith => (
                "add: not with",
                "no picture has both",
                "not with (vocabulary: terms)",
            ),
            Self::Hides => (
                "add: hides",
                "not asked about there",
                "hides (vocabularies)",
            ),
            Self::Shows => (
                "add: shows anyway",
                "no wrong answers there",
                "shows (vocabulary: terms)",
            ),
            Self::LookAlike => (
                "add: looks like",
                "not in one question",
                "looks like (terms)",
            ),
            Self::Group => (
                "set the group",
                "others can be right too",
                "group (empty for none)",
            ),
        }
    }
}

/// A line in the menu of a term's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    /// Go to the rule in this line of `compatibility.toml`.
    GoTo(u32),
    /// Add a rule. The prompt starts with this text.
    Add(RuleKind, String),
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Save, or keep editing.
    Save,
    /// Keep mine, take theirs, or show the diff of this file.
    Conflict(String),
    /// Discard the edits of this file, or keep them.
    Revert(String),
    /// Save, discard, or cancel before the program quits.
    Quit,
    /// The vocabulary to move the selected terms to.
    MoveTo(Vec<String>),
    /// The terms to show.
    Show,
    /// The slot to insert at the cursor.
    Slot(Vec<String>),
    /// A rule of the selected terms to go to, or one to add.
    Rules(Vec<RuleChoice>),
}

/// A line of a choice: its label and a detail.
pub type Line = (String, String);

/// An effect of a metadata pane.
#[derive(Clone, Debug)]
pub enum MetadataEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Make a preview, then call [`EditSession::preview`](super::EditSession::preview).
    Preview(Box<PreviewRequest>),
    /// Open a file in `$EDITOR` at a line (from 1), then reload the metadata.
    Edit {
        /// Its name in the metadata folder.
        file: String,
        line: u32,
    },
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
        lines: Vec<Line>,
    },
    /// Show a page over the pane.
    Show(Box<Page>),
    /// Go to this place, in the pane that edits the file.
    Jump {
        /// Its name in the metadata folder.
        file: String,
        /// Line from 1; 0 for the whole file.
        line: u32,
        /// Column in characters from 1; 0 for the whole line.
        column: u32,
    },
    /// Report success.
    Done(String),
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
    /// Quit. Unsaved edits have been asked about.
    Quit,
}
