//! Replies to the prompts and menus of the vocabulary pane.

use std::collections::BTreeSet;

use super::actions::{count, text_for};
use super::rows::Show;
use super::{Area, VocabularyPane, edits};
use crate::panes::metadata::edit_session::refuse;
use crate::panes::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, RuleChoice, TextFor,
};
use benchtop_compose::metadata::{file_of, rules as rules_file};

impl VocabularyPane {
    /// Receives a typed line.
    pub fn typed(
        &mut self,
        purpose: &TextFor,
        text: &str,
        edit_session: &mut EditSession,
    ) -> Vec<Effect> {
        self.sync(edit_session);
        if *purpose == TextFor::NewVocabulary {
            return self.new_vocabulary(text, edit_session);
        }
        let Some(name) = self.current().map(String::from) else {
            return vec![];
        };
        match purpose {
            TextFor::Search => {
                (self.search, self.made, self.area, self.written) =
                    (text.into(), None, Area::Terms, None);
                self.sync(edit_session);
                vec![]
            }
            TextFor::Add => {
                // Without a term under the cursor, the new one goes to the end of the file.
                let at = self.entry().map_or(usize::MAX, |e| e.at);
                self.written = Some(text.trim().into());
                let effects = self.changing(edit_session, |d| {
                    d.session_mut().edit(&[&name], |v| v[0].insert(at, text))
                });
                self.go_to_term(text);
                effects
            }
            TextFor::Rename => {
                let Some(at) = self.entry().map(|e| e.at) else {
                    return refuse("no term");
                };
                self.written = Some(text.trim().into());
                self.apply(edit_session, |vocabulary| {
                    let mut renamed = vocabulary.clone();
                    renamed.rename(at, text)?;
                    Ok(renamed.text())
                })
            }
            TextFor::Replace if text.is_empty() => refuse("nothing to replace"),
            TextFor::Replace => text_for(
                TextFor::ReplaceWith(text.into()),
                format!("replace `{text}` with: "),
                "",
            ),
            TextFor::ReplaceWith(from) => {
                let marked = self.marked();
                let at: BTreeSet<usize> = if marked.is_empty() {
                    self.entries.iter().map(|e| e.at).collect()
                } else {
                    marked.iter().map(|i| self.entries[*i].at).collect()
                };
                let mut many = 0;
                let mut effects = self.apply(edit_session, |v| {
                    let (new, n) = edits::replace(v, &at, from, text)?;
                    many = n;
                    Ok(new)
                });
                if many > 0 {
                    effects.push(Effect::Say(format!("changed {}", count(many))));
                } else if !effects.iter().any(|e| matches!(e, Effect::Refuse(_))) {
                    effects = refuse(format!("no term contains `{from}`"));
                }
                effects
            }
            TextFor::Rule(kind) => self.add_rule(*kind, text, edit_session),
            TextFor::Find | TextFor::NewVocabulary => vec![],
        }
    }

    fn go_to_term(&mut self, text: &str) {
        if let Some(at) = self.entries.iter().position(|e| e.text == text.trim()) {
            self.table.go_to_id(at as u64);
        }
    }

    /// Receives a choice. `None` if it belongs to another pane.
    pub fn chosen(
        &mut self,
        purpose: &ChoiceFor,
        pick: usize,
        edit_session: &mut EditSession,
    ) -> Option<Vec<Effect>> {
        self.sync(edit_session);
        match purpose {
            ChoiceFor::Show => {
                self.show = Show::ALL.get(pick).copied().unwrap_or_default();
                (self.made, self.area, self.written) = (None, Area::Terms, None);
                self.sync(edit_session);
                Some(vec![])
            }
            ChoiceFor::Rules(picks) => Some(match picks.get(pick)? {
                RuleChoice::GoTo(line) => {
                    vec![Effect::Jump {
                        file: rules_file::FILE.into(),
                        line: *line,
                        column: 1,
                    }]
                }
                RuleChoice::Add(kind, begin) => {
                    text_for(TextFor::Rule(*kind), kind.about().2, begin.clone())
                }
            }),
            ChoiceFor::MoveTo(names) => {
                let (from, to) = (self.current()?.to_string(), names.get(pick)?.clone());
                let chosen = self.chosen_terms();
                Some(self.changing(edit_session, |edit_session| {
                    let all = edit_session.session().edited().vocabularies();
                    let (Some(a), Some(b)) = (all.get(&from), all.get(&to)) else {
                        return Ok(());
                    };
                    let (a, b) = edits::move_to(a, &chosen, b)?;
                    edit_session
                        .session_mut()
                        .set(vec![(file_of(&from), a), (file_of(&to), b)], false);
                    Ok(())
                }))
            }
            _ => None,
        }
    }
}
