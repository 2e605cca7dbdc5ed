//! User-defined keys that give a verdict with reasons and a note.

use super::Chord;
use super::file::nearest;
use benchtop_model::config::Reason;
use benchtop_model::{Judgement, Verdict};

/// A verdict with its reasons and note, bound to one key of the review pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    pub name: String,
    pub chord: Chord,
    pub verdict: Verdict,
    /// Reason keys, as declared in `benchtop.toml`.
    pub reasons: Vec<String>,
    pub note: Option<String>,
    /// Limits the macro to one project.
    pub project: Option<String>,
}

/// The verdicts that a macro can give: those available outside rounds.
pub const VERDICTS: [Verdict; 6] = [
    Verdict::Accept,
    Verdict::Reject,
    Verdict::Fix,
    Verdict::Skip,
    Verdict::Flag,
    Verdict::Unsure,
];

/// A reason that requires a note.
pub const OTHER: &str = "other";

/// The project to check macros against.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    pub project: &'k str,
    pub reasons: &'k [Reason],
}

impl Macro {
    /// Describes the macro in one line.
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

    /// Adds the macro's reasons and note to a judgement.
    pub fn judgement(&self, verdict: Judgement) -> Judgement {
        let (reasons, note) = (self.reasons.clone(), self.note.clone());
        Judgement {
            verdict: self.verdict,
            reasons,
            note,
            ..verdict
        }
    }

    /// Whether it applies to this project.
    pub fn is_for(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }

    /// The first error in its verdict, reasons, or note, with help.
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
                    "only `reject` takes reasons",
                    "write a note, or use `verdict = \"reject\"`",
                );
            }
            Verdict::Fix if self.note.is_none() => {
                return say("a fix needs a note", "add `note = \"...\"`");
            }
            _ => {}
        }
        if self.note.is_none() && self.reasons.iter().any(|r| r == OTHER) {
            return say("the reason `other` needs a note", "add `note = \"...\"`");
        }
        let known = known.filter(|k| self.is_for(k.project))?;
        let unknown = self
            .reasons
            .iter()
            .find(|r| !known.reasons.iter().any(|k| k.key == **r))?;
        let keys: Vec<&str> = known.reasons.iter().map(|r| r.key.as_str()).collect();
        let near = nearest(unknown, keys.iter().copied())
            .map_or(String::new(), |n| format!("did you mean `{n}`? "));
        Some((
            format!("`{unknown}` is not a reason of project `{}`", known.project),
            format!(
                "{near}declared reasons: {}; `project = \"NAME\"` limits a macro to one project",
                keys.join(", ")
            ),
        ))
    }
}
