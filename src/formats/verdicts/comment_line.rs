//! A comment as a flat record, the common form of JSON Lines, CSV, and Label Studio's data.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::line::{LARGEST_REV, time};
use super::meaning::Meaning;
use benchtop_model::history::stamp;
use benchtop_model::verdict_interchange::{ExchangedComment, receipt};
use benchtop_model::{Error, Mark, Result};

/// The flat record, with its fields in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CommentLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub item: String,
    pub uuid: Option<Uuid>,
    pub rev: Option<u64>,
    pub at: Option<String>,
    pub who: String,
    pub text: Option<String>,
    pub reply_to: Option<Uuid>,
    pub marks: Vec<Mark>,
    pub edited: Option<String>,
    pub resolved: Option<String>,
    pub on: Option<String>,
    /// Whether it was imported into the project that wrote the file. The reader ignores it: every
    /// comment of a file is an imported one.
    pub imported: bool,
}

impl CommentLine {
    /// The record of a comment on item `number`.
    pub(super) fn of(number: Option<u32>, comment: &ExchangedComment) -> CommentLine {
        CommentLine {
            number,
            item: comment.item.clone(),
            uuid: Some(comment.uuid),
            rev: comment.rev,
            at: comment.at.map(stamp),
            who: comment.who.clone(),
            text: Some(comment.text.clone()),
            reply_to: comment.reply_to,
            marks: comment.marks.clone(),
            edited: comment.edited.map(stamp),
            resolved: comment.resolved.clone(),
            on: comment.on.clone(),
            imported: comment.imported,
        }
    }

    /// The comment in the record.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field.
    pub(super) fn exchanged(self, meaning: Meaning<'_>) -> Result<ExchangedComment> {
        let missing = |field: &str, what: &str| Err(Error::input(what).field(field));
        if self.item.is_empty() {
            return missing("item", "missing item");
        }
        if self.who.is_empty() {
            return missing("who", "missing author");
        }
        let Some(text) = self.text else {
            return missing("text", "missing text");
        };
        let person = |name: &str, field| meaning.words.person(name).map_err(|p| p.field(field));
        let who = person(&self.who, "who")?;
        let resolved = self.resolved.as_deref().filter(|name| !name.is_empty());
        let resolved = resolved.map(|name| person(name, "resolved")).transpose()?;
        let moment = |text: Option<&str>, field| {
            let time = text.map(time).transpose();
            time.map_err(|p: Error| p.field(field))
        };
        let at = moment(self.at.as_deref(), "at")?;
        let edited = moment(self.edited.as_deref(), "edited")?;
        if self.rev.is_some_and(|rev| rev > LARGEST_REV) {
            return Err(Error::input("the revision is too large").field("rev"));
        }
        let drawn = || {
            let marks: Vec<String> = self.marks.iter().map(ToString::to_string).collect();
            receipt(&[
                "a comment of a file",
                &self.item,
                &who,
                &at.map(stamp).unwrap_or_default(),
                &text,
                &self.reply_to.map(|of| of.to_string()).unwrap_or_default(),
                &marks.join("\n"),
            ])
        };
        let uuid = self.uuid.unwrap_or_else(drawn);
        Ok(ExchangedComment {
            item: self.item,
            who,
            at,
            rev: self.rev,
            uuid,
            on: self.on,
            text,
            reply_to: self.reply_to,
            marks: self.marks,
            edited,
            resolved,
            imported: self.imported,
        })
    }
}
