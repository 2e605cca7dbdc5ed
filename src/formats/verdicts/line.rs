//! A verdict as a flat record, the common form of JSON Lines and CSV.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::meaning::{Meaning, unmapped};
use benchtop_model::config::Reason;
use benchtop_model::history::stamp;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::verdict_interchange::{ExchangedVerdict, receipt};
use benchtop_model::{Error, Judgement, Mark, PictureSeen, Result, Seen, Verdict, mark, name};

/// Largest revision that is read. Larger JSON numbers are not exact integers.
pub(super) const LARGEST_REV: u64 = 1 << 53;

/// The flat record, with its fields in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub number: Option<u32>,
    pub item: String,
    pub who: String,
    pub verdict: String,
    pub reasons: Vec<String>,
    pub note: Option<String>,
    pub ms: Option<u32>,
    pub seen: Option<Seen>,
    pub at: Option<String>,
    pub rev: Option<u64>,
    pub uuid: Option<Uuid>,
    pub answer: Option<String>,
    pub round: Option<String>,
    pub part: Option<Part>,
    pub guidelines: Option<String>,
    pub revealed: bool,
    pub on: Option<String>,
    pub pictures: Vec<PictureSeen>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl Line {
    /// The record of a verdict on item `number`.
    pub(super) fn of(number: u32, verdict: &ExchangedVerdict) -> Line {
        let j = &verdict.judgement;
        let asked = j.round.as_ref();
        Line {
            number: Some(number),
            item: verdict.item.clone(),
            who: verdict.who.clone(),
            verdict: j.verdict.name().into(),
            reasons: j.reasons.clone(),
            note: j.note.clone(),
            ms: j.ms,
            seen: Some(j.seen),
            at: verdict.at.map(stamp),
            rev: verdict.rev,
            uuid: Some(verdict.uuid),
            answer: j.answer.clone(),
            round: asked.map(|a| a.round.clone()),
            part: asked.map(|a| a.part),
            guidelines: asked.and_then(|a| a.guidelines.clone()),
            revealed: asked.is_some_and(|a| a.revealed),
            on: verdict.on.clone(),
            pictures: j.pictures.clone(),
            tags: j.tags.clone(),
            marks: j.marks.clone(),
        }
    }

    /// The verdict in the record.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field: missing item or annotator, unknown
    /// word, or invalid time.
    pub(super) fn exchanged(self, meaning: Meaning<'_>) -> Result<ExchangedVerdict> {
        if self.item.is_empty() {
            return Err(Error::input("missing item").field("item"));
        }
        if self.who.is_empty() {
            return Err(Error::input("missing annotator").field("who"));
        }
        let who = meaning
            .words
            .person(&self.who)
            .map_err(|p| p.field("who"))?;
        let verdict = verdict(&self.verdict, meaning).map_err(|p| p.field("verdict"))?;
        let reasons = reasons(&self.reasons, meaning).map_err(|p| p.field("reasons"))?;
        let tags = tags(&self.tags, meaning).map_err(|p| p.field("tags"))?;
        if self.marks.len() > mark::MOST_MARKS {
            let what = format!("more than {} marks", mark::MOST_MARKS);
            return Err(Error::input(what).field("marks"));
        }
        let at = self
            .at
            .as_deref()
            .map(time)
            .transpose()
            .map_err(|p| p.field("at"))?;
        if self.rev.is_some_and(|rev| rev > LARGEST_REV) {
            return Err(Error::input("the revision is too large").field("rev"));
        }
        let asked = match self.round {
            Some(round) => {
                name::check(&round, "a round").map_err(|p| Error::input(p.what).field("round"))?;
                let part = self.part.unwrap_or_default();
                Some(RoundContext {
                    round,
                    part,
                    guidelines: self.guidelines,
                    revealed: self.revealed,
                })
            }
            None => None,
        };
        let judgement = Judgement {
            reasons,
            tags,
            marks: self.marks,
            note: self.note,
            ms: self.ms,
            pictures: self.pictures,
            answer: self.answer,
            round: asked,
            ..Judgement::new(verdict, self.seen.unwrap_or(Seen::Script))
        };
        let uuid = self
            .uuid
            .unwrap_or_else(|| drawn("line", "", (&self.item, &who), at, &judgement));
        Ok(ExchangedVerdict {
            item: self.item,
            who,
            judgement,
            at,
            rev: self.rev,
            uuid,
            on: self.on,
            question: None,
        })
    }
}

/// The receipt of a verdict that has none, derived from `source` and its `id` there.
pub(super) fn drawn(
    source: &str,
    id: &str,
    (item, who): (&str, &str),
    at: Option<i64>,
    judgement: &Judgement,
) -> Uuid {
    let (at, asked) = (at.map(stamp).unwrap_or_default(), judgement.round.as_ref());
    let (round, part) = asked.map_or(("", Part::Main), |asked| (asked.round.as_str(), asked.part));
    let said = benchtop_model::verdict_interchange::judgement_digest(judgement);
    receipt(&[
        "a verdict of a file",
        source,
        id,
        item,
        who,
        &at,
        &said,
        round,
        part.name(),
    ])
}

/// The verdict for a word.
///
/// # Errors
/// If the word is unknown.
pub(super) fn verdict(word: &str, meaning: Meaning<'_>) -> Result<Verdict> {
    meaning.words.verdict(word).ok_or_else(|| {
        let what = if word.is_empty() {
            "missing verdict".into()
        } else {
            format!("`{word}` is not a verdict")
        };
        Error::input(what).help(unmapped(word, "accept"))
    })
}

/// The reasons for words.
///
/// # Errors
/// For the first unknown word.
pub(super) fn reasons(words: &[String], meaning: Meaning<'_>) -> Result<Vec<String>> {
    keys("reason", words, meaning.reasons, meaning)
}

/// The tags for words.
///
/// # Errors
/// For the first unknown word.
pub(super) fn tags(words: &[String], meaning: Meaning<'_>) -> Result<Vec<String>> {
    keys("tag", words, meaning.tags, meaning)
}

fn keys(
    what: &str,
    words: &[String],
    known: &[Reason],
    meaning: Meaning<'_>,
) -> Result<Vec<String>> {
    let one = |word: &String| {
        meaning.words.reason(word, known).ok_or_else(|| {
            let key = known.first().map(|reason| reason.key.clone());
            let key = key.unwrap_or_else(|| what.to_uppercase());
            Error::input(format!("`{word}` is not a {what} of this project"))
                .help(unmapped(word, &key))
        })
    };
    words.iter().map(one).collect()
}

/// Milliseconds since 1970 of an RFC 3339 time.
///
/// # Errors
/// If the text is not a valid time.
pub(super) fn time(text: &str) -> Result<i64> {
    let time: jiff::Timestamp = text.trim().parse().map_err(|_| {
        Error::input(format!("`{text}` is not a valid time"))
            .help("use RFC 3339 with an offset, such as 2026-01-31T12:00:00Z")
    })?;
    Ok(time.as_millisecond())
}
