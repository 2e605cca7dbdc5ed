//! `write/NAME.toml`: writings, requests to a model that writes or finds something, with the form of
//! their answers.
//!
//! The shipped writings follow VLB's strategies. Their wording is benchtop's own.

use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::judge::Fields;
use super::named_files::{Shipped, name_in, parse_shipped};
use super::positions;
use super::templates::Text;
use super::text_reader::{Reader, filled};
use benchtop_model::judge::ShownPictures;
use benchtop_model::vlm::{Sampling, Schema, VlmRequest};
use benchtop_model::writing::WrittenForm;
use benchtop_model::{Finding, Rule};

/// The folder of writings within the metadata folder.
pub const FOLDER: &str = "write/";

/// The slots of writings with their meanings.
pub const SLOTS: [(&str, &str); 8] = [
    ("question", "the question as it is before this strategy"),
    (
        "options",
        "its options with letters, one per line; `none` without options",
    ),
    ("answer", "its answer"),
    ("role", "one of `roles`, drawn for each request"),
    ("words", "the greatest number of words of the answer"),
    ("count", "the number of objects or marks to ask for"),
    ("width", "the width of the picture in pixels"),
    ("height", "the height of the picture in pixels"),
];

/// How much the temperature rises from one request to the next, so that a server that ignores seeds
/// does not give the same answer again.
const WARMER: f64 = 0.1;
/// The highest temperature.
const HOTTEST: f64 = 2.0;

/// The name of the writing in this file; `None` for other files.
pub fn writing_of(file: &str) -> Option<&str> {
    name_in(file, FOLDER, ".toml")
}

/// A request to a writer or grounder, and the form of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Writing {
    /// File name without extension.
    pub name: String,
    /// Increases with every change of meaning.
    pub version: u32,
    /// A one-line description.
    pub about: String,
    /// Paper and section.
    pub source: String,
    /// The pictures that accompany it.
    pub shows: ShownPictures,
    pub system: Option<Text>,
    pub prompt: Text,
    /// The roles of which each request gets one.
    pub roles: Vec<String>,
    pub reads: WrittenForm,
    schema: Schema,
    /// Maximum number of output tokens; `None` uses the table of its role in benchtop.toml.
    pub max_tokens: Option<u32>,
    /// The temperature of the first request.
    pub temperature: f64,
    /// Hash of the file, 16 hex digits.
    pub revision: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: Spanned<u32>,
    about: Spanned<String>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    pictures: ShownPictures,
    system: Option<Spanned<String>>,
    prompt: Spanned<String>,
    roles: Option<Spanned<Vec<String>>>,
    max_tokens: Option<Spanned<u32>>,
    temperature: Spanned<f64>,
    answer: Spanned<RawAnswer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnswer {
    read: Spanned<Read>,
    words: Option<Spanned<u32>>,
    count: Option<Spanned<u32>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Read {
    Text,
    Boxes,
    Marks,
}

/// Parses the writing `name` in `file`. `None` with findings if it is invalid.
pub fn parse(name: &str, file: &str, text: &str) -> (Option<Writing>, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return (None, vec![positions::toml(&error, file, text)]),
    };
    let mut reader = Reader::new(file, text);
    let writing = reader.writing(name, raw);
    (writing.filter(|_| reader.found.is_empty()), reader.found)
}

impl Reader<'_> {
    fn writing(&mut self, name: &str, raw: Raw) -> Option<Writing> {
        let about = self.header(&raw.version, &raw.about);
        self.max_tokens(raw.max_tokens.as_ref());
        self.in_range(Some(&raw.temperature), 0.0..=HOTTEST, |temperature| {
            format!("temperature {temperature} is out of range; use 0 to {HOTTEST}")
        });
        if raw.pictures == ShownPictures::Pair {
            let what = "a writing shows `item` or `none`; there is no second picture yet";
            self.say(Rule::Unreadable, 0..0, what, "");
        }
        let roles = raw.roles.as_ref().map_or(&[][..], |roles| roles.get_ref());
        if let Some(list) = &raw.roles
            && (roles.is_empty() || roles.iter().any(|role| role.trim().is_empty()))
        {
            self.say(
                Rule::Unreadable,
                list.span(),
                "`roles` must be a list of roles, at least one",
                "",
            );
        }
        let reads = self.written_form(raw.answer)?;
        let has = |slot: &str| match slot {
            "role" => raw.roles.is_some(),
            "words" => matches!(reads, WrittenForm::Text { .. }),
            "count" => !matches!(reads, WrittenForm::Text { .. }),
            _ => true,
        };
        let known: Vec<&str> = SLOTS
            .iter()
            .map(|(name, _)| *name)
            .filter(|s| has(s))
            .collect();
        let prompt = self.text_with(raw.prompt, &known);
        let system = raw.system.map(|s| self.text_with(s, &known));
        let revision = self.revision();
        Some(Writing {
            name: name.to_string(),
            version: raw.version.into_inner(),
            about,
            source: raw.source,
            shows: raw.pictures,
            system,
            prompt,
            roles: raw.roles.map(Spanned::into_inner).unwrap_or_default(),
            schema: reads.schema(),
            reads,
            max_tokens: raw.max_tokens.map(Spanned::into_inner),
            temperature: raw.temperature.into_inner(),
            revision,
        })
    }

    /// The form of the answer: `text` needs `words`, the others need `count`.
    fn written_form(&mut self, raw: Spanned<RawAnswer>) -> Option<WrittenForm> {
        let whole = raw.span();
        let RawAnswer { read, words, count } = raw.into_inner();
        let is_text = *read.get_ref() == Read::Text;
        let (given, other, name, most) = match is_text {
            true => (words, count, "words", 500),
            false => (count, words, "count", 50),
        };
        if let Some(other) = other {
            let what = "this field does not apply to this form of answer";
            self.say(Rule::Unreadable, other.span(), what, "");
            return None;
        }
        let Some(given) = given else {
            let what = format!("missing field `{name}`");
            let help = "text needs `words`; boxes and marks need `count`";
            self.say(Rule::Unreadable, whole, what, help);
            return None;
        };
        let number = *given.get_ref();
        if !(1..=most).contains(&number) {
            let what = format!("{number} is out of range; use 1 to {most}");
            self.say(Rule::Unreadable, given.span(), what, "");
            return None;
        }
        Some(match read.get_ref() {
            Read::Text => WrittenForm::Text { words: number },
            Read::Boxes => WrittenForm::Boxes { count: number },
            Read::Marks => WrittenForm::Marks { count: number },
        })
    }
}

impl Writing {
    /// The role that request number `ask` gets; `None` without roles.
    pub fn role(&self, (ask, seed): (u32, u32)) -> Option<&str> {
        let at = (seed as usize).wrapping_add(ask as usize);
        let at = at.checked_rem(self.roles.len())?;
        self.roles.get(at).map(String::as_str)
    }

    /// Request number `ask`, from 1, for `fields`, without pictures. The seed decides the role and
    /// is sent, and the temperature rises with the number, so that no two requests are equal.
    ///
    /// # Errors
    /// The name of the first slot without a value.
    pub fn ask(
        &self,
        fields: &Fields,
        (ask, seed): (u32, u32),
        max_tokens: u32,
    ) -> Result<VlmRequest, &str> {
        let mut own = Fields::new();
        match self.reads {
            WrittenForm::Text { words } => own.insert("words", words.to_string()),
            WrittenForm::Boxes { count } | WrittenForm::Marks { count } => {
                own.insert("count", count.to_string())
            }
        };
        if let Some(role) = self.role((ask, seed)) {
            own.insert("role", role.to_string());
        }
        let (system, prompt) = filled((self.system.as_ref(), &self.prompt), &own, fields)?;
        let warmer = self.temperature + WARMER * f64::from(ask.saturating_sub(1));
        Ok(VlmRequest {
            system,
            prompt,
            max_tokens: self.max_tokens.unwrap_or(max_tokens),
            schema: Some(self.schema.clone()),
            sampling: Some(Sampling {
                seed,
                // Without the rounding, 0.7 + 0.1 would be sent as 0.7999999999999999.
                temperature: (warmer.min(HOTTEST) * 1e6).round() / 1e6,
            }),
            ..VlmRequest::default()
        })
    }
}

/// The shipped writings by name.
pub fn shipped_writings() -> &'static Shipped<Writing> {
    static SHIPPED: LazyLock<Shipped<Writing>> = LazyLock::new(|| parse_shipped(writing_of, parse));
    &SHIPPED
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
