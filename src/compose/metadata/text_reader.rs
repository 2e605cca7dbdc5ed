//! What the files in `judge/`, `write/`, and `instruct/` have in common: a version, a description, and
//! templates whose slots are checked.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use toml::Spanned;

use super::positions;
use super::template::Template;
use super::templates::Text;
use benchtop_model::{Finding, Rule};

/// Checks the parts of one file and collects the findings.
pub(super) struct Reader<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
    pub(super) found: Vec<Finding>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Reader<'t> {
        Reader {
            file,
            text,
            found: Vec::new(),
        }
    }

    /// Adds a finding at a range of bytes of the file.
    pub(super) fn say(
        &mut self,
        rule: Rule,
        span: Range<usize>,
        what: impl Into<String>,
        help: &str,
    ) {
        let finding = Finding::new(rule, self.file, what.into()).help(help);
        self.found.push(positions::at(finding, self.text, span));
    }

    /// Checks version and description, and returns the description.
    pub(super) fn header(&mut self, version: &Spanned<u32>, about: &Spanned<String>) -> String {
        if *version.get_ref() == 0 {
            self.say(Rule::Unreadable, version.span(), "versions start at 1", "");
        }
        let text = about.get_ref().trim().to_string();
        if text.is_empty() || text.contains('\n') {
            self.say(
                Rule::Unreadable,
                about.span(),
                "`about` must be a one-line description",
                "",
            );
        }
        text
    }

    /// Reports a number outside `range`.
    pub(super) fn in_range<T: PartialOrd>(
        &mut self,
        number: Option<&Spanned<T>>,
        range: RangeInclusive<T>,
        what: impl FnOnce(&T) -> String,
    ) {
        if let Some(number) = number.filter(|n| !range.contains(n.get_ref())) {
            self.say(Rule::Unreadable, number.span(), what(number.get_ref()), "");
        }
    }

    /// Reports a maximum number of tokens that no server takes.
    pub(super) fn max_tokens(&mut self, tokens: Option<&Spanned<u32>>) {
        self.in_range(tokens, 1..=1 << 20, |tokens| {
            format!("{tokens} tokens are out of range; use 1 to 1048576")
        });
    }

    /// A text of a request, in which only the slots `known` may occur.
    pub(super) fn text_with(&mut self, words: Spanned<String>, known: &[&str]) -> Text {
        let (span, source) = (words.span(), words.into_inner());
        if source.trim().is_empty() {
            self.say(Rule::BadTemplate, span.clone(), "the text is empty", "");
        }
        let help = format!("known slots: {}", known.join(", "));
        let template = self.template(&span, &source, known, &help);
        let template = template.unwrap_or_default();
        Text { template, span }
    }

    /// Hash of the file, 16 hex digits.
    pub(super) fn revision(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex()[..16].to_string()
    }

    /// Parses a template in which only the slots `known` may occur. `None` with a finding if it is
    /// not a template.
    pub(super) fn template(
        &mut self,
        span: &Range<usize>,
        source: &str,
        known: &[&str],
        help: &str,
    ) -> Option<Template> {
        let template = match Template::parse(source) {
            Ok(template) => template,
            Err(flaw) => {
                let at = positions::inside(self.text, span.clone(), source, flaw.at);
                self.say(Rule::BadTemplate, at, flaw.what, "");
                return None;
            }
        };
        for slot in template.slots_beyond(known) {
            let at = positions::inside(self.text, span.clone(), source, slot.at.clone());
            self.say(
                Rule::UnknownSlot,
                at,
                format!("unknown slot `{{{}}}`", slot.name),
                help,
            );
        }
        Some(template)
    }
}

/// Values for the slots by name.
pub type Fields = BTreeMap<&'static str, String>;

/// The system prompt and the prompt of a request. A value in `own` comes before one in `fields`.
///
/// # Errors
/// The name of the first slot without a value. Requests with an empty slot are not sent.
pub(super) fn filled<'t>(
    (system, prompt): (Option<&'t Text>, &'t Text),
    own: &Fields,
    fields: &Fields,
) -> Result<(Option<String>, String), &'t str> {
    let word = |name: &str| {
        own.get(name)
            .or_else(|| fields.get(name))
            .map(String::as_str)
    };
    let is_empty = |name: &str| word(name).is_none_or(|w| w.trim().is_empty());
    let mut slots = system
        .into_iter()
        .chain([prompt])
        .flat_map(|text| text.template.slots());
    if let Some(slot) = slots.find(|slot| is_empty(&slot.name)) {
        return Err(&slot.name);
    }
    let write = |text: &Text| {
        let mut out = String::new();
        text.template.render(&mut out, word);
        out
    };
    Ok((system.map(write), write(prompt)))
}
