//! What the metadata panes ask of the program around them.

use super::preview::PreviewRequest;
use crate::widgets::page::Page;
use benchtop_protocol::wire::AnyRequest;

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// [`Desk::take`](super::EditSession::take).
    State,
    /// [`Desk::saved`](super::EditSession::saved).
    Saved,
    /// [`Desk::impact`](super::EditSession::impact).
    Impact,
    /// [`VocabularyPane::take_terms`](crate::panes::vocabulary::VocabularyPane::take_terms), of this vocabulary.
    Terms(String),
}

/// Says which files a step back or forward changed.
pub fn stepped(undo: bool, places: &[(String, usize)]) -> MetadataEffect {
    let mut names: Vec<String> = places
        .iter()
        .map(|(name, _)| format!("metadata/{name}"))
        .collect();
    names.dedup();
    let what = if undo { "taken back" } else { "done again" };
    MetadataEffect::Say(format!("{what} in {}; not saved yet", names.join(", ")))
}

/// What a line of text is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFor {
    /// A new term, before the one under the cursor.
    Add,
    /// Another text for the term under the cursor.
    Rename,
    /// What to replace in the marked terms.
    Replace,
    /// What to put in its place.
    ReplaceWith(String),
    /// The name of a new vocabulary.
    NewVocabulary,
    /// Words that terms must hold; to be told as they are typed.
    Search,
    /// Words to find in the text.
    Find,
    /// What a rule of compatibility says of the selected terms.
    Rule(RuleKind),
}

/// A rule of compatibility that can be added to terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Terms of another vocabulary that they cannot stand with.
    NotWith,
    /// Vocabularies that they hide.
    Hides,
    /// Terms of another vocabulary that they show anyway.
    Shows,
    /// Terms of their own vocabulary that cannot be told from them.
    LookAlike,
    /// Their group.
    Group,
}

impl RuleKind {
    /// All of them, in the order of the menu.
    pub const ALL: [RuleKind; 5] = [
        Self::NotWith,
        Self::Hides,
        Self::Shows,
        Self::LookAlike,
        Self::Group,
    ];

    /// What the menu says, a word about it, and what is asked for.
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

/// A line of the menu of a term's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    /// Go to the rule in this line of `compatibility.toml`.
    GoTo(u32),
    /// Add a rule; it begins with this text.
    Add(RuleKind, String),
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// Save, or go on editing.
    Save,
    /// Keep mine, take theirs, or see the difference, of this file.
    Conflict(String),
    /// Give up the edits of this file, or keep them.
    Revert(String),
    /// Save, discard or stay, before the program ends.
    Quit,
    /// The vocabulary that marked terms go to.
    MoveTo(Vec<String>),
    /// Which terms are shown.
    Show,
    /// A slot to put at the cursor.
    Slot(Vec<String>),
    /// A rule of the selected terms, or one to add.
    Rules(Vec<RuleChoice>),
}

/// A line of a choice: what it does, and a word about it.
pub type Line = (String, String);

/// What a metadata pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum MetadataEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Make a preview on the worker, then [`Desk::preview`](super::EditSession::preview).
    Preview(Box<PreviewRequest>),
    /// Open a file in the person's editor, at a line (from 1), then read the metadata again.
    Edit {
        /// Its name in the metadata folder.
        file: String,
        /// The line.
        line: u32,
    },
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
        /// The answers.
        lines: Vec<Line>,
    },
    /// Show a page over the pane.
    Show(Box<Page>),
    /// Go to this place of a file, in the pane that edits it.
    Jump {
        /// Its name in the metadata folder.
        file: String,
        /// Line, from 1; 0 for the file.
        line: u32,
        /// Column in characters, from 1; 0 for the line.
        column: u32,
    },
    /// Something was done.
    Done(String),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
    Leave,
    /// End the program: what was not saved has been asked about.
    Quit,
}
