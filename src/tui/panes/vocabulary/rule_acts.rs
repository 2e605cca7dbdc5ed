//! What the keys of the vocabulary pane do with rules of compatibility.

use super::acts::count;
use super::{VocabularyPane, rules};
use crate::panes::metadata::edit_session::refuse;
use crate::panes::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, RuleChoice, RuleKind,
};
use benchtop_compose::metadata::{Vocabulary, rule_edits, rules as rules_file};
use benchtop_model::Result;

impl VocabularyPane {
    /// The names of the selected terms, or of the one under the cursor.
    fn chosen_names(&self) -> Vec<String> {
        let chosen = self.chosen_terms();
        self.entries
            .iter()
            .filter(|e| chosen.contains(&e.at))
            .map(|e| e.text.clone())
            .collect()
    }

    /// Asks which rule of the selected terms to go to, or what to add.
    pub(super) fn term_rules(&mut self, desk: &EditSession) -> Vec<Effect> {
        let Some(name) = self.current() else {
            return refuse("there is no vocabulary here");
        };
        let terms = self.chosen_names();
        let Some(first) = terms.first() else {
            return refuse("there is no term here");
        };
        let metadata = desk.session().edited();
        let (mut picks, mut lines) = (Vec::new(), Vec::new());
        let mut group = "";
        if let Some(rules) = metadata.rules() {
            group = rules::group(rules, name, first).unwrap_or_default();
            // Of several terms only what can be added to all is on offer.
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
        let of = if let [one] = &terms[..] {
            format!("`{one}`")
        } else {
            count(terms.len())
        };
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Rules(picks),
            title: format!("rules of {of}"),
            lines,
        }]
    }

    /// Adds what was typed to `compatibility.toml`.
    pub(super) fn add_rule(
        &mut self,
        kind: RuleKind,
        said: &str,
        desk: &mut EditSession,
    ) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return vec![];
        };
        let terms = self.chosen_names();
        if terms.is_empty() {
            return refuse("there is no term here");
        }
        let what = if let [one] = &terms[..] {
            format!("`{one}`")
        } else {
            count(terms.len())
        };
        let mut effects = self.changing(desk, |desk| {
            let text = rules::edited(desk.session().edited(), kind, (&name, &terms), said)?;
            desk.session_mut()
                .set(vec![(rules_file::FILE.to_string(), text)], false);
            Ok(())
        });
        if !effects.iter().any(|e| matches!(e, Effect::Refuse(_))) {
            effects.push(Effect::Say(format!(
                "{} has a rule more of {what}; u takes it back",
                rules_file::FILE
            )));
        }
        effects
    }

    /// The rules with terms of a vocabulary under their new names, where an edit renames some.
    pub(super) fn renamed_rules(
        desk: &EditSession,
        name: &str,
        new: &str,
    ) -> Result<Option<(String, String)>> {
        let metadata = desk.session().edited();
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
