//! The last step on many items, undone as one: verdicts, or a retirement of terms.

use crate::panes::metadata::session::Session;

/// The last step on many items, undone as one.
#[derive(Clone, Debug)]
pub struct Done {
    pub(super) what: What,
    /// The user's own verdicts since then.
    pub(super) since: u32,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// The first and last revision of the verdicts.
    Verdict((u64, u64)),
    Retirement(Box<Retirement>),
}

/// A retirement, and how to undo it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retirement {
    /// Vocabulary (or `style`) and term, without those disabled before.
    pub(super) terms: Vec<(String, String)>,
    /// Files with their texts before and after.
    pub(super) files: Vec<(String, String, String)>,
    /// First and last revision of the verdicts.
    pub(super) revs: Option<(u64, u64)>,
    /// Undo uses the session's own edit step.
    pub(super) as_step: bool,
}

impl Retirement {
    /// The file names for messages.
    pub(super) fn names(&self) -> String {
        let names: Vec<String> = self
            .files
            .iter()
            .map(|(name, ..)| format!("metadata/{name}"))
            .collect();
        names.join(", ")
    }

    /// Whether this is the session's last edit.
    pub(super) fn is_last(&self, session: &Session) -> bool {
        let mut session = session.clone();
        let after = self
            .files
            .iter()
            .all(|(name, _, after)| session.text(name) == Some(after));
        let before = |session: &Session| {
            self.files
                .iter()
                .all(|(name, before, _)| session.text(name) == Some(before))
        };
        after && session.undo().is_some() && before(&session)
    }

    /// Describes the change of the lists.
    pub(super) fn lists(&self, done: &str) -> String {
        match self.files.is_empty() {
            true => "no vocabulary changed".into(),
            false => format!("{}: {} {done}", self.names(), self.terms.len()),
        }
    }
}
