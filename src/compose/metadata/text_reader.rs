//! What the files in `judge/`, `write/`, and `instruct/` have in common: a version, a description, and
//! templates whose slots are checked.

use std::ops::Range;

use toml::Spanned;

use super::positions;
use super::template::Template;
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
