//! The answer that a rule reads in an output.

use serde::{Deserialize, Serialize};

use super::text::same;
use benchtop_model::Item;

/// The answer in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// The option with this index, from 0. Rules that do not know the options (`mvp-*`,
    /// `first-bracket`) may return an index that does not exist.
    Option(usize),
    /// Yes, to a question without options.
    Yes,
    /// No, to a question without options.
    No,
    /// The output declines to answer, or picks the refusal option.
    Refused,
    /// The rule cannot read the output.
    Unparsed,
}

impl Read {
    /// The reading of the right answer to an item. `None` if no rule can grade it (free form, or no
    /// right option).
    pub fn gold(item: &Item) -> Option<Read> {
        if let Some(correct) = item.correct() {
            return Some(Read::Option(correct));
        }
        match item.answer.trim() {
            yes if same(yes, "yes") || same(yes, "true") => Some(Read::Yes),
            no if same(no, "no") || same(no, "false") => Some(Read::No),
            _ => None,
        }
    }

    /// The reading in a trace: ``read as `B` ``, `refused`, or `not readable`.
    pub(super) fn traced(self) -> String {
        match self {
            Read::Refused => "refused".into(),
            Read::Unparsed => "not readable".into(),
            read => format!("read as `{}`", read.answer().unwrap_or_default()),
        }
    }

    /// The answer as text: a letter, `yes`, or `no`; `None` for the other states.
    pub fn answer(self) -> Option<String> {
        match self {
            Read::Option(at) => Some(Item::letter(at)),
            Read::Yes => Some("yes".into()),
            Read::No => Some("no".into()),
            Read::Refused | Read::Unparsed => None,
        }
    }

    /// The name of the state: `option`, `yes`, `no`, `refused`, `unparsed`.
    pub fn state(self) -> &'static str {
        match self {
            Read::Option(_) => "option",
            Read::Yes => "yes",
            Read::No => "no",
            Read::Refused => "refused",
            Read::Unparsed => "unparsed",
        }
    }
}
