//! Verdicts on their way between projects and other tools: what one is, how the words of a foreign file are read, and what
//! a file of them comes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::config::Reason;
use super::error::{Error, Result};
use super::history::Conflict;
use super::name;
use super::verdict::{Judgement, Verdict};

/// A form that verdicts are exchanged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictForm {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values (RFC 4180) under one line of names.
    Csv,
    /// Label Studio's JSON: tasks with their annotations.
    LabelStudio,
}

impl VerdictForm {
    /// All forms.
    pub const ALL: [VerdictForm; 3] = [Self::Jsonl, Self::Csv, Self::LabelStudio];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::LabelStudio => "label-studio",
        }
    }
}

/// A verdict outside of journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchanged {
    /// Id of the item.
    pub item: String,
    /// Who gave it.
    pub who: String,
    /// What was said.
    pub judgement: Judgement,
    /// When, in milliseconds since 1970; a foreign file may not say.
    pub at: Option<i64>,
    /// Revision of the project it made; only a file that benchtop wrote says so.
    pub rev: Option<u64>,
    /// Its receipt: as the file says, or drawn from what it says ([`receipt`]).
    pub uuid: Uuid,
    /// What was judged, see [`super::Item::digest`].
    pub on: Option<String>,
    /// The question as the file shows it.
    pub question: Option<String>,
}

/// How the words of a file are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Annotators of this project by what the file calls them.
    pub people: BTreeMap<String, String>,
    /// Verdicts and keys of reasons by what the file calls them.
    pub choices: BTreeMap<String, String>,
    /// The field of a Label Studio task that holds the item's id; where none is named, `item`, else the id by which an import
    /// of the same tasks knows the item.
    pub item_field: Option<String>,
    /// The data set that the tasks of the file are of.
    pub dataset: Option<String>,
}

impl Words {
    /// The verdict that a word stands for. Nothing is guessed: it is the name of one, or it was said what it means.
    pub fn verdict(&self, word: &str) -> Option<Verdict> {
        Verdict::from_name(self.choices.get(word).map_or(word, String::as_str))
    }

    /// The key of the reason that a word stands for: its key, its label, or what was said that it means.
    pub fn reason(&self, word: &str, known: &[Reason]) -> Option<String> {
        let word = self.choices.get(word).map_or(word, String::as_str);
        let by_key = known.iter().find(|reason| reason.key == word);
        by_key
            .or_else(|| known.iter().find(|reason| reason.label == word))
            .map(|reason| reason.key.clone())
    }

    /// The annotator that a file calls `name`.
    ///
    /// # Errors
    /// Where it was not said who that is, and it cannot name an annotator.
    pub fn person(&self, name: &str) -> Result<String> {
        let who = self.people.get(name).map_or(name, String::as_str);
        name::check(who, "an annotator").map_err(|_| {
            Error::input(format!("`{name}` names no annotator"))
                .help(format!("say who it is: --map {name}=NAME"))
        })?;
        Ok(who.to_string())
    }

    /// What an annotator is called in a file.
    pub fn called<'w>(&'w self, who: &'w str) -> &'w str {
        self.people
            .iter()
            .find(|(_, name)| *name == who)
            .map_or(who, |(called, _)| called)
    }

    /// Whether every choice is said to be something that there is.
    ///
    /// # Errors
    /// [`super::ErrorKind::Input`] names the one that is neither a verdict nor a reason of the project.
    pub fn check(&self, known: &[Reason]) -> Result<()> {
        for (word, means) in &self.choices {
            if Verdict::from_name(means).is_none()
                && !known.iter().any(|reason| reason.key == *means)
            {
                let verdicts = Verdict::ALL.map(Verdict::name).join(", ");
                let reasons: Vec<&str> = known.iter().map(|r| r.key.as_str()).collect();
                return Err(
                    Error::input(format!("`{means}` is neither a verdict nor a reason"))
                        .field(word.clone())
                        .help(format!(
                            "verdicts: {verdicts}; reasons: {}",
                            reasons.join(", ")
                        )),
                );
            }
        }
        self.people
            .values()
            .try_for_each(|who| name::check(who, "an annotator"))
    }
}

/// A verdict of a file that was not taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Where it stands in the file: `line 4`, `task 3, annotation 2`.
    pub place: String,
    /// Id of the item; empty where the file does not say.
    pub item: String,
    /// Who gave it, as the file says; empty where it does not.
    pub who: String,
    /// Why it was not taken.
    pub why: String,
}

/// What verdicts of a file come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The form they came in.
    pub form: VerdictForm,
    /// Verdicts in the file.
    pub read: u64,
    /// Those that are new here.
    pub added: u64,
    /// Those that were here, or twice in the file.
    pub known: u64,
    /// Those that were not taken.
    pub aside: Vec<Left>,
    /// Items that people, or one person here and there, judged differently.
    pub conflicts: Vec<Conflict>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// The receipt of a verdict that came without one: it follows from what the file says, so that the same verdict has the same
/// receipt whenever it is read.
pub fn receipt(parts: &[&str]) -> Uuid {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The first eight hex digits of the BLAKE3 of what was said, whatever the circumstances.
pub fn said(judgement: &Judgement) -> String {
    let reasons = judgement.reasons.join(";");
    let (note, answer) = (judgement.note.as_deref(), judgement.answer.as_deref());
    let parts = [
        judgement.verdict.name(),
        &reasons,
        note.unwrap_or_default(),
        answer.unwrap_or_default(),
    ];
    receipt(&parts)
        .simple()
        .to_string()
        .get(..8)
        .unwrap_or_default()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seen;

    fn known() -> Vec<Reason> {
        vec![Reason {
            key: "unsafe".into(),
            label: "Not safe".into(),
        }]
    }

    #[test]
    fn a_word_means_what_it_is_or_what_was_said_and_nothing_else() {
        let choices = [("Good", "accept"), ("Bad light", "unsafe")]
            .map(|(a, b)| (a.to_string(), b.to_string()));
        let words = Words {
            choices: choices.into(),
            ..Words::default()
        };
        assert_eq!(
            (words.verdict("reject"), words.verdict("Good")),
            (Some(Verdict::Reject), Some(Verdict::Accept))
        );
        assert_eq!(
            (words.verdict("good"), words.verdict("Bad light")),
            (None, None)
        );
        let reason = |word| words.reason(word, &known());
        assert_eq!(
            (reason("unsafe"), reason("Not safe"), reason("Bad light")),
            {
                let unsafe_ = Some("unsafe".to_string());
                (unsafe_.clone(), unsafe_.clone(), unsafe_)
            }
        );
        assert_eq!((reason("not safe"), reason("Good")), (None, None));
        words.check(&known()).unwrap();
        let wrong = words.check(&[]).unwrap_err();
        assert_eq!(wrong.place.field.as_deref(), Some("Bad light"));
    }

    #[test]
    fn somebody_who_is_not_mapped_needs_a_name_that_can_be_one() {
        let words = Words {
            people: [("a@x.org".to_string(), "ann".to_string())].into(),
            ..Words::default()
        };
        assert_eq!(words.person("a@x.org").unwrap(), "ann");
        assert_eq!(words.person("bob").unwrap(), "bob");
        assert!(
            words
                .person("b@x.org")
                .unwrap_err()
                .help
                .unwrap()
                .contains("--map b@x.org=NAME")
        );
        assert_eq!(
            (words.called("ann"), words.called("bob")),
            ("a@x.org", "bob")
        );
    }

    #[test]
    fn receipts_follow_from_every_part_and_from_where_it_ends() {
        let one = receipt(&["ab", "c"]);
        assert_eq!(one, receipt(&["ab", "c"]));
        assert!(one != receipt(&["a", "bc"]) && one != receipt(&["ab", "c", ""]));
        assert_eq!(one.get_version_num(), 8);
        let accept = Judgement::new(Verdict::Accept, Seen::Script);
        let later = Judgement {
            ms: Some(4),
            seen: Seen::Painted,
            ..accept.clone()
        };
        assert_eq!(said(&accept), said(&later));
        assert_ne!(
            said(&accept),
            said(&Judgement {
                note: Some("x".into()),
                ..accept.clone()
            })
        );
    }
}
