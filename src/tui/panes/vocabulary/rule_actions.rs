//! The actions of the vocabulary pane on compatibility rules.

use super::VocabularyPane;
use super::actions::{Edited, count};
use super::prompts::ask_text;
use super::rules::{self, RuleKind};
use crate::pane::Context;
use crate::panes::metadata::actions::go_to;
use crate::panes::metadata::{EditSession, Place};
use benchtop_compose::metadata::{Vocabulary, rule_edits, rules as rules_file};
use benchtop_model::Result;

/// A line in the menu of a term's rules.
enum RuleChoice {
    /// Go to the rule in this line of `compatibility.toml`.
    GoTo(u32),
    /// Add a rule. The prompt starts with this text.
    Add(RuleKind, String),
}

impl VocabularyPane {
    /// The selected terms, or the one under the cursor.
    fn chosen_names(&self) -> Vec<String> {
        let chosen = self.chosen_terms();
        self.entries
            .iter()
            .filter(|e| chosen.contains(&e.at))
            .map(|e| e.text.clone())
            .collect()
    }

    /// Asks for a rule of the selected terms to go to, or a kind of rule to add.
    pub(super) fn term_rules(&mut self, cx: &mut Context<'_>) {
        let Some(name) = self.current() else {
            return cx.refuse("no vocabulary");
        };
        let (name, terms) = (name.to_string(), self.chosen_names());
        let Some(first) = terms.first() else {
            return cx.refuse("no term");
        };
        let metadata = cx.metadata.session().edited();
        let mut choices = Vec::new();
        let mut group = "";
        if let Some(rules) = metadata.rules() {
            group = rules::group(rules, &name, first).unwrap_or_default();
            // For several terms, offer only rules that can be added to all of them.
            let text = metadata.text(rules_file::FILE).unwrap_or_default();
            for rule in rules::of_term(rules, text, &name, first)
                .into_iter()
                .filter(|_| terms.len() == 1)
            {
                choices.push((RuleChoice::GoTo(rule.line), rule.says, rule.why));
            }
        }
        for kind in RuleKind::ALL {
            let (label, about, _) = kind.about();
            let begin = if kind == RuleKind::Group { group } else { "" };
            let label = if begin.is_empty() {
                label.to_string()
            } else {
                format!("{label}: {begin}")
            };
            let begin = begin.to_string();
            choices.push((RuleChoice::Add(kind, begin), label, about.to_string()));
        }
        let title = format!("Rules of {}", described(&terms));
        let line = |(_, label, about): &(_, String, String)| (label.clone(), about.clone());
        cx.choose_of(
            title,
            choices,
            line,
            move |_: &mut Self, (choice, ..), cx| match choice {
                RuleChoice::GoTo(line) => {
                    let (file, column) = (rules_file::FILE.into(), 1);
                    go_to(Place { file, line, column }, cx);
                }
                RuleChoice::Add(kind, begin) => {
                    ask_text(kind.about().2, begin, cx, move |pane, value, cx| {
                        pane.add_rule(kind, (&name, &terms), value, cx)
                    });
                }
            },
        );
    }

    /// Adds a rule to `compatibility.toml`, with its value as typed.
    fn add_rule(
        &mut self,
        kind: RuleKind,
        of: (&str, &[String]),
        value: &str,
        cx: &mut Context<'_>,
    ) -> Edited {
        self.changing(cx, |edit_session| {
            let text = rules::edited(edit_session.session().edited(), kind, of, value)?;
            edit_session
                .session_mut()
                .set(vec![(rules_file::FILE.to_string(), text)], false);
            Ok(())
        })?;
        let (what, file) = (described(of.1), rules_file::FILE);
        cx.say(format!("added a rule for {what} to {file}; u undoes"));
        Ok(())
    }

    /// The rules file with the terms that this edit renames, if any are in a rule.
    pub(super) fn renamed_rules(
        edit_session: &EditSession,
        name: &str,
        new: &str,
    ) -> Result<Option<(String, String)>> {
        let metadata = edit_session.session().edited();
        let (Some(text), Some(before)) = (
            metadata.text(rules_file::FILE),
            metadata.vocabularies().get(name),
        ) else {
            return Ok(None);
        };
        let after = Vocabulary::parse(name, "", new).0;
        if before.terms().len() != after.terms().len() {
            return Ok(None);
        }
        let mut renamed = text.to_string();
        for (old, new) in before
            .terms()
            .iter()
            .zip(after.terms())
            .filter(|(old, new)| old.text != new.text)
        {
            renamed = rule_edits::rename(&renamed, name, &old.text, &new.text)?;
        }
        Ok((renamed != text).then(|| (rules_file::FILE.to_string(), renamed)))
    }
}

fn described(terms: &[String]) -> String {
    match terms {
        [single] => format!("`{single}`"),
        _ => count(terms.len()),
    }
}
