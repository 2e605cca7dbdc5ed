//! The actions of the vocabulary pane on compatibility rules.

use super::actions::count;
use super::{VocabularyPane, rules};
use crate::panes::metadata::edit_session::refuse;
use crate::panes::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, RuleChoice, RuleKind,
};
use benchtop_compose::metadata::{Vocabulary, rule_edits, rules as rules_file};
use benchtop_model::Result;

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
    pub(super) fn term_rules(&mut self, edit_session: &EditSession) -> Vec<Effect> {
        let Some(name) = self.current() else {
            return refuse("no vocabulary");
        };
        let terms = self.chosen_names();
        let Some(first) = terms.first() else {
            return refuse("no term");
        };
        let metadata = edit_session.session().edited();
        let (mut picks, mut lines) = (Vec::new(), Vec::new());
        let mut group = "";
        if let Some(rules) = metadata.rules() {
            group = rules::group(rules, name, first).unwrap_or_default();
            // For several terms, offer only rules that can be added to all of them.
            let text = metadata.text(rules_file::FILE).unwrap_or_default();
            for rule in rules::of_term(rules, text, name, first)
                .into_iter()
                .filter(|_| terms.len() == 1)
            {
                picks.push(RuleChoice::GoTo(rule.line));
                lines.push((rule.says, rule.why));
            }
        }
        for kind in RuleKind::ALL {
            let (label, about, _) = kind.about();
            let begin = if kind == RuleKind::Group { group } else { "" };
            picks.push(RuleChoice::Add(kind, begin.to_string()));
            let label = if begin.is_empty() {
                label.to_string()
            } else {
                format!("{label}: {begin}")
            };
            lines.push((label, about.to_string()));
        }
        let what = if let [single] = &terms[..] {
            format!("`{single}`")
        } else {
            count(terms.len())
        };
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Rules(picks),
            title: format!("Rules of {what}"),
            lines,
        }]
    }

    /// Adds a rule to `compatibility.toml`, with its value as typed.
    pub(super) fn add_rule(
        &mut self,
        kind: RuleKind,
        value: &str,
        edit_session: &mut EditSession,
    ) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return vec![];
        };
        let terms = self.chosen_names();
        if terms.is_empty() {
            return refuse("no term");
        }
        let what = if let [single] = &terms[..] {
            format!("`{single}`")
        } else {
            count(terms.len())
        };
        let mut effects = self.changing(edit_session, |edit_session| {
            let text = rules::edited(
                edit_session.session().edited(),
                kind,
                (&name, &terms),
                value,
            )?;
            edit_session
                .session_mut()
                .set(vec![(rules_file::FILE.to_string(), text)], false);
            Ok(())
        });
        if !effects.iter().any(|e| matches!(e, Effect::Refuse(_))) {
            effects.push(Effect::Say(format!(
                "added a rule for {what} to {}; u undoes",
                rules_file::FILE
            )));
        }
        effects
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
