//! Keys of a person's own: one key gives a verdict, its reasons and a note.

use super::Chord;
use super::file::nearest;
use benchtop_model::config::Reason;
use benchtop_model::{Judgement, Verdict};

/// What is typed out again and again, on one key of the review pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// What it is called.
    pub name: String,
    /// Its key.
    pub chord: Chord,
    /// The verdict that it gives.
    pub verdict: Verdict,
    /// Keys of the reasons, as `benchtop.toml` declares them.
    pub reasons: Vec<String>,
    /// The note.
    pub note: Option<String>,
    /// The one project that it is for; all projects otherwise.
    pub project: Option<String>,
}

/// The verdicts that a macro can give: those that a person gives outside rounds.
pub const VERDICTS: [Verdict; 6] = [
    Verdict::Accept,
    Verdict::Reject,
    Verdict::Fix,
    Verdict::Skip,
    Verdict::Flag,
    Verdict::Unsure,
];

/// The reason that says nothing by itself: it wants a note.
pub const OTHER: &str = "other";

/// The project that macros are held against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Its name.
    pub project: &'k str,
    /// The reasons that it declares.
    pub reasons: &'k [Reason],
}

impl Macro {
    /// What it does, on one line.
    pub fn help(&self) -> String {
        let mut said = self.verdict.name().to_string();
        if !self.reasons.is_empty() {
            said.push_str(&format!(": {}", self.reasons.join(", ")));
        }
        if let Some(note) = &self.note {
            said.push_str(&format!(" “{note}”"));
        }
        said
    }

    /// The judgement it makes of its verdict on an item.
    pub fn judgement(&self, verdict: Judgement) -> Judgement {
        let (reasons, note) = (self.reasons.clone(), self.note.clone());
        Judgement {
            verdict: self.verdict,
            reasons,
            note,
            ..verdict
        }
    }

    /// Whether it is for this project.
    pub fn is_for(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }

    /// What is wrong with its reasons, and what to do.
    pub fn wrong(&self, known: Option<&Known<'_>>) -> Option<(String, String)> {
        let say = |what: &str, help: &str| Some((what.to_string(), help.to_string()));
        match self.verdict {
            Verdict::Reject if self.reasons.is_empty() => {
                return say(
                    "a rejection needs a reason",
                    "write `reasons = [\"wrong-answer\"]`",
                );
            }
            Verdict::Reject => {}
            _ if !self.reasons.is_empty() => {
                return say(
                    "only a rejection has reasons",
                    "say it in the note, or take `verdict = \"reject\"`",
                );
            }
            Verdict::Fix if self.note.is_none() => {
                return say(
                    "what is to be fixed is said in the note",
                    "add `note = \"...\"`",
                );
            }
            _ => {}
        }
        if self.note.is_none() && self.reasons.iter().any(|r| r == OTHER) {
            return say(
                "`other` says nothing without a note",
                "add `note = \"...\"`",
            );
        }
        let known = known.filter(|k| self.is_for(k.project))?;
        let unknown = self
            .reasons
            .iter()
            .find(|r| !known.reasons.iter().any(|k| k.key == **r))?;
        let keys: Vec<&str> = known.reasons.iter().map(|r| r.key.as_str()).collect();
        let near = nearest(unknown, keys.iter().copied())
            .map_or(String::new(), |n| format!("is it `{n}`? "));
        Some((
            format!(
                "`{unknown}` is not a reason of the project `{}`",
                known.project
            ),
            format!(
                "{near}it declares: {}; `project = \"NAME\"` keeps a macro to one project",
                keys.join(", ")
            ),
        ))
    }
}
