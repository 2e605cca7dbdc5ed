//! Exchange of verdicts with other projects and tools: formats, mapping of foreign names, and
//! import results.

use crate::hash;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::comment::Comment;
use super::config::Reason;
use super::error::{Error, Result};
use super::history::Conflict;
use super::mark::Mark;
use super::name;
use super::taxonomy;
use super::verdict::{Judgement, Verdict};

named! {
    /// An exchange format for verdicts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum VerdictForm {
        /// One JSON object per line.
        Jsonl = "jsonl",
        /// Comma-separated values (RFC 4180) with a header line.
        Csv = "csv",
        /// Label Studio's JSON: tasks with annotations.
        LabelStudio = "label-studio",
    }
}

/// A verdict outside of journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangedVerdict {
    /// Item id.
    pub item: String,
    pub who: String,
    pub judgement: Judgement,
    /// Time in milliseconds since 1970; `None` if the file does not have it.
    pub at: Option<i64>,
    /// Project revision; only files written by benchtop have it.
    pub rev: Option<u64>,
    /// Receipt from the file, or derived from its contents ([`receipt`]).
    pub uuid: Uuid,
    /// Digest of what was judged; see [`super::Item::digest`].
    pub on: Option<String>,
    pub question: Option<String>,
}

/// A comment outside of journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangedComment {
    /// Item id.
    pub item: String,
    pub who: String,
    /// Time in milliseconds since 1970; `None` if the file does not have it.
    pub at: Option<i64>,
    /// Project revision; only files written by benchtop have it.
    pub rev: Option<u64>,
    /// The comment's own, or derived from its contents ([`receipt`]).
    pub uuid: Uuid,
    /// Digest of the item that was commented on; see [`super::Item::digest`].
    pub on: Option<String>,
    pub text: String,
    /// The comment that it answers.
    pub reply_to: Option<Uuid>,
    pub marks: Vec<Mark>,
    /// Time of the last edit.
    pub edited: Option<i64>,
    /// Who resolved it.
    pub resolved: Option<String>,
    /// Whether the project that wrote the file had imported it.
    pub imported: bool,
}

impl ExchangedComment {
    /// A comment on an item.
    pub fn of(item: &str, comment: &Comment) -> ExchangedComment {
        ExchangedComment {
            item: item.into(),
            who: comment.who.clone(),
            at: Some(comment.at),
            rev: Some(comment.rev),
            uuid: comment.uuid,
            on: comment.on.clone(),
            text: comment.text.clone(),
            reply_to: comment.reply_to,
            marks: comment.marks.clone(),
            edited: comment.edited,
            resolved: comment.resolved.clone(),
            imported: comment.imported,
        }
    }
}

/// A record of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchanged {
    Verdict(Box<ExchangedVerdict>),
    Comment(Box<ExchangedComment>),
}

/// How many comments an import took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedComments {
    /// Comments in the file.
    pub read: u64,
    /// New comments.
    pub added: u64,
    /// Comments imported earlier that the file has edited or resolved since.
    pub updated: u64,
    /// Comments that the project has, or that are repeated in the file.
    pub known: u64,
}

/// Mapping of the names in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameMapping {
    /// Annotators of this project by their name in the file.
    pub people: BTreeMap<String, String>,
    /// Verdicts and reason keys by their name in the file.
    pub choices: BTreeMap<String, String>,
    /// The field of a Label Studio task with the item id. By default `item`, otherwise the id that
    /// an import of the same tasks assigns.
    pub item_field: Option<String>,
    /// The data set of the tasks.
    pub dataset: Option<String>,
}

impl NameMapping {
    /// The verdict that `word` means: the name of a verdict, or a mapped word.
    pub fn verdict(&self, word: &str) -> Option<Verdict> {
        Verdict::from_name(self.choices.get(word).map_or(word, String::as_str))
    }

    /// The reason or tag that `word` means: a key, a label, the labels of all levels, or a mapped
    /// word.
    pub fn reason(&self, word: &str, known: &[Reason]) -> Option<String> {
        let word = self.choices.get(word).map_or(word, String::as_str);
        let by_key = known.iter().find(|reason| reason.key == word);
        by_key
            .or_else(|| known.iter().find(|reason| reason.label == word))
            .map(|reason| reason.key.clone())
            .or_else(|| {
                let path: Vec<&str> = word.split(taxonomy::SEPARATOR).map(str::trim).collect();
                taxonomy::find(known, &path)
            })
    }

    /// The annotator for `name` in the file.
    ///
    /// # Errors
    /// [`super::ErrorKind::Input`] if the name is not mapped and not a valid annotator name.
    pub fn person(&self, name: &str) -> Result<String> {
        let who = self.people.get(name).map_or(name, String::as_str);
        name::check(who, "an annotator").map_err(|_| {
            Error::input(format!("`{name}` is not a valid annotator name"))
                .help(format!("map it to an annotator: --map {name}=NAME"))
        })?;
        Ok(who.to_string())
    }

    /// The name of an annotator in the file.
    pub fn external_name<'w>(&'w self, who: &'w str) -> &'w str {
        self.people
            .iter()
            .find(|(_, name)| *name == who)
            .map_or(who, |(called, _)| called)
    }

    /// Checks the mapping.
    ///
    /// # Errors
    /// [`super::ErrorKind::Input`] with the first mapped word that is neither a verdict nor a
    /// reason of the project.
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

/// A verdict or comment that was not imported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedVerdict {
    /// Place in the file: `line 4`, `task 3, annotation 2`.
    pub place: String,
    /// Item id; empty if the file does not have it.
    pub item: String,
    /// Annotator according to the file; may be empty.
    pub who: String,
    /// The reason.
    pub why: String,
}

/// The result of importing verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedVerdicts {
    /// Format of the file.
    pub form: VerdictForm,
    /// Verdicts in the file.
    pub read: u64,
    /// New verdicts.
    pub added: u64,
    /// Duplicates, already known or repeated in the file.
    pub known: u64,
    pub comments: ImportedComments,
    /// Verdicts and comments that were not imported.
    pub aside: Vec<SkippedVerdict>,
    /// Items with different verdicts, by several people or by one person in two places.
    pub conflicts: Vec<Conflict>,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// Derives the receipt of a verdict from its contents, so that repeated imports give the same
/// receipt.
pub fn receipt(parts: &[&str]) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash::of_texts(parts.iter().copied()).as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The first 8 hex digits of a hash over the verdict, its reasons, note, answer, tags, and marks.
pub fn judgement_digest(judgement: &Judgement) -> String {
    let reasons = judgement.reasons.join(";");
    let (note, answer) = (judgement.note.as_deref(), judgement.answer.as_deref());
    let marks = judgement.marks.iter().map(ToString::to_string);
    let (tags, marks) = (
        judgement.tags.join(";"),
        marks.collect::<Vec<_>>().join("\n"),
    );
    let mut parts = vec![
        judgement.verdict.name(),
        &reasons,
        note.unwrap_or_default(),
        answer.unwrap_or_default(),
    ];
    // Verdicts without them keep the digest that they have always had.
    if !(tags.is_empty() && marks.is_empty()) {
        parts.extend([tags.as_str(), &marks]);
    }
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
    fn words_resolve_by_name_or_mapping() {
        let choices = [("Good", "accept"), ("Bad light", "unsafe")]
            .map(|(a, b)| (a.to_string(), b.to_string()));
        let words = NameMapping {
            choices: choices.into(),
            ..NameMapping::default()
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
    fn unmapped_people_need_valid_names() {
        let words = NameMapping {
            people: [("a@x.org".to_string(), "ann".to_string())].into(),
            ..NameMapping::default()
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
            (words.external_name("ann"), words.external_name("bob")),
            ("a@x.org", "bob")
        );
    }

    #[test]
    fn receipts_depend_on_every_part() {
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
        assert_eq!(judgement_digest(&accept), judgement_digest(&later));
        assert_ne!(
            judgement_digest(&accept),
            judgement_digest(&Judgement {
                note: Some("x".into()),
                ..accept.clone()
            })
        );
    }
}
